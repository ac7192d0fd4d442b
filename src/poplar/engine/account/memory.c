/* SPDX-License-Identifier: MIT */
/* Sizes of vertices on the chip, and what a tile keeps beside variables and vertices: copies, stacks, code,
 * instrumentation, as sums by tile and category.
 *
 * Exact: vertex state (layouts of the chip), stacks that codelets state. Modelled: copy descriptors. Estimated: other
 * stacks, control and exchange code. Vertex code is that of tiles/code.c; it is absent where a model was not asked
 * for it.
 * docs/model.md lists the rules. */
#include "poplar/engine/account/account.h"
#include "poplar/engine/tiles/tiles.h"

#include <stdlib.h>
#include <string.h>

/* Estimate: 3,168 bytes of stack on each of the 1,216 tiles of the guide's sample are 6 x (480 + 48 bytes of
 * scratch). */
#define WORKER_STACK 480
#define MAX_STACK    (UINT64_C(1) << 21) /* all that a tile can address: more is as much too much */

#define CONTROL_CODE_INSTRUCTIONS 4 /* estimate: of the supervisor, for one of a control program */
#define COPY_POINTER_BYTES        8 /* source and destination */
#define COPY_DESCRIPTOR_BYTES     8 /* one piece: address, count and stride packed */

static bool type_rows(tw__accounting *a, tw__type_cost *cost)
{
    for (unsigned kind = 0; kind < TW__VERTEX_BYTES_KINDS; kind++)
        if (!cost->bytes[kind] && !(cost->bytes[kind] = tw__calloc(a->tiles, sizeof **cost->bytes))) {
            a->failed = true;
            return false;
        }
    return true;
}

static bool is_edge(const tw__field *field)
{
    return field->form >= TW__EDGE_SCALAR;
}

uint32_t tw__account_type(tw__accounting *a, uint32_t type)
{
    tw__type_cost *cost = &a->types[type];
    if (cost->id != TW__NONE) return cost->id;
    const tw__vertex_type *info = a->core->types[type].info;
    if (!type_rows(a, cost)) return TW__NONE;
    bool poplibs = tw__chip_reads_as_poplibs(a->engine, type);
    cost->device = (poplibs ? tw__codelets_device_poplibs : tw__codelets_device)(a->engine->codelets, info,
                                                                                 tw__chip_of(a->target));
    if (!cost->device) {
        a->state_fidelity = TW_FIDELITY_ESTIMATED;
        TW__LOG(ENGINE, WARN, "no layout of vertex %s on %s (%s): sizes of this computer are used", info->name,
                tw_target_arch(a->target), tw_error_message());
    }
    uint32_t size = cost->device ? cost->device->size : (uint32_t)info->host_size, known = 0;
    for (unsigned i = 0; i < info->num_fields; i++) {
        uint32_t bytes = cost->device ? cost->device->fields[i].size : (uint32_t)info->fields[i].host_size;
        *(is_edge(&info->fields[i]) ? &cost->edges : &cost->state) += bytes;
        known += bytes;
    }
    cost->padding = size > known ? size - known : 0;
    return cost->id = tw__profile_add_vertex_type(a->profile, info->name, size);
}

uint32_t tw__account_copy_type(tw__accounting *a, tw__copy_type type)
{
    tw__type_cost *cost = &a->copies[type];
    if (cost->id == TW__NONE && type_rows(a, cost))
        cost->id = tw__profile_add_vertex_type(a->profile, tw__copy_type_names[type], COPY_POINTER_BYTES);
    return cost->id;
}

static void memory_add(tw__accounting *a, unsigned tile, tw_storage storage, uint64_t bytes)
{
    if (bytes) tw__memory_count(a->memory, tile, storage, bytes);
}

void tw__account_local(tw__accounting *a, const tw__local *local)
{
    for (unsigned type = 0; type < TW__COPY_TYPES; type++)
        for (unsigned tile = 0; tile < a->tiles; tile++) {
            uint64_t pieces = local->pieces[type][tile];
            if (!pieces || tw__account_copy_type(a, type) == TW__NONE) continue;
            memory_add(a, tile, TW_STORAGE_VERTEX_STATE, COPY_POINTER_BYTES);
            memory_add(a, tile, TW_STORAGE_COPY_DESCRIPTOR, pieces * COPY_DESCRIPTOR_BYTES);
            a->copies[type].bytes[TW__VERTEX_BYTES_COPY][tile] += COPY_POINTER_BYTES;
            a->copies[type].bytes[TW__VERTEX_BYTES_DESCRIPTOR][tile] += pieces * COPY_DESCRIPTOR_BYTES;
        }
}

/* --- what every tile keeps ------------------------------------------------------------------------------------ */

/* Results of instrumentation: a 64-bit count for each compute set on every tile (`tile`), for each vertex (`vertex`),
 * or for each compute set on one tile per IPU (`ipu`), and one for each external exchange (guide 8.1.1). */
static void count_instrumentation(tw__accounting *a)
{
    const tw__options *options = a->engine->options;
    const char *level = tw__options_get(options, "debug.computeInstrumentationLevel");
    const tw__plan *plan = &a->engine->plan;
    if (tw__account_instruments(a->engine, "debug.instrumentCompute"))
        for (size_t i = 0; i < plan->execs.count; i++) {
            const tw__exec *exec = &plan->execs.items[i];
            if (!strcmp(level, "vertex"))
                for (size_t g = 0; g < exec->group_count; g++)
                    memory_add(a, exec->groups[g].tile, TW_STORAGE_INSTRUMENTATION,
                               8 * (uint64_t)exec->groups[g].count);
            else
                for (unsigned tile = 0; tile < a->tiles; tile++)
                    if (!strcmp(level, "tile") || tile % tw_target_tiles_per_ipu(a->target) == 0)
                        memory_add(a, tile, TW_STORAGE_INSTRUMENTATION, 8);
        }
    if (tw__account_instruments(a->engine, "debug.instrumentExternalExchange"))
        for (size_t i = 0; i < plan->transfers.count + plan->remote_copies.count; i++)
            for (unsigned tile = 0; tile < a->tiles; tile++) memory_add(a, tile, TW_STORAGE_INSTRUMENTATION, 8);
}

/* Bytes of one worker's stack on each tile into row[]: the most that a vertex there states, or the estimate. */
static tw_fidelity worker_stacks(tw__accounting *a, uint64_t *row)
{
    int64_t set = tw__options_int(a->engine->options, "target.workerStackSizeInBytes");
    const tw__plan *plan = &a->engine->plan;
    tw_fidelity fidelity = TW_FIDELITY_EXACT;
    enum { UNKNOWN = 1, STATED = 2 };
    memset(row, 0, a->tiles * sizeof *row);
    uint8_t *seen = tw__calloc(a->tiles + (size_t)1, sizeof *seen);
    if (!seen) a->failed = true;
    for (size_t x = 0; x < plan->execs.count && seen; x++)
        for (size_t g = 0; g < plan->execs.items[x].group_count; g++) {
            const tw__group *group = &plan->execs.items[x].groups[g];
            const tw__device_vertex *device = a->types[group->type].device;
            int64_t bytes = tw__chip_code_stack(a->engine->chip, group->tile, group->type);
            if (bytes < 0 && device) bytes = device->stack_bytes;
            seen[group->tile] |= bytes < 0 ? UNKNOWN : STATED;
            if (bytes > 0 && (uint64_t)bytes > row[group->tile]) row[group->tile] = (uint64_t)bytes;
        }
    for (unsigned tile = 0; tile < a->tiles && seen; tile++) {
        if (set > 0)
            row[tile] = (uint64_t)set < MAX_STACK ? (uint64_t)set : MAX_STACK;
        else if (seen[tile] != STATED) {
            fidelity = TW_FIDELITY_ESTIMATED;
            if (row[tile] < WORKER_STACK) row[tile] = WORKER_STACK;
        }
    }
    free(seen);
    return fidelity;
}

static void count_stacks(tw__accounting *a)
{
    unsigned contexts = tw_target_worker_contexts(a->target);
    int64_t supervisor = tw__options_int(a->engine->options, "target.supervisorStackSizeInBytes");
    a->placement->stack_fidelity = worker_stacks(a, a->row);
    for (unsigned tile = 0; tile < a->tiles; tile++) {
        uint64_t of_supervisor = tw__chip_code_supervisor_stack(a->engine->chip, tile);
        if (supervisor > 0) of_supervisor = (uint64_t)supervisor < MAX_STACK ? (uint64_t)supervisor : MAX_STACK;
        a->placement->worker_stack[tile] = (uint32_t)a->row[tile];
        memory_add(a, tile, TW_STORAGE_STACK,
                   (uint64_t)contexts * tw__stack_bytes((uint32_t)a->row[tile]) + (of_supervisor + 7) / 8 * 8);
    }
}

/* Code of the vertex types that have some of the chip. */
static void set_code_bytes(tw__accounting *a)
{
    const tw__chip_code *chip = a->engine->chip;
    for (uint32_t type = 0; chip && type < a->core->type_count; type++) {
        if (a->types[type].id == TW__NONE || !chip->has_code[type]) continue;
        for (unsigned tile = 0; tile < a->tiles; tile++) a->row[tile] = tw__chip_code_bytes(chip, tile, type);
        tw__profile_set_vertex_bytes(a->profile, a->types[type].id, TW__VERTEX_BYTES_CODE,
                                     tw__profile_row(a->profile, a->row, a->tiles));
    }
}

tw_status tw__account_memory(tw__accounting *a)
{
    count_instrumentation(a);
    count_stacks(a);
    for (unsigned tile = 0; tile < a->tiles; tile++)
        memory_add(a, tile, TW_STORAGE_CONTROL_CODE,
                   a->engine->plan.code.count * CONTROL_CODE_INSTRUCTIONS * a->target->arch.instruction_bytes);
    for (size_t type = 0; type < a->core->type_count + TW__COPY_TYPES; type++) {
        const tw__type_cost *cost =
            type < a->core->type_count ? &a->types[type] : &a->copies[type - a->core->type_count];
        for (unsigned kind = 0; cost->id != TW__NONE && kind < TW__VERTEX_BYTES_CODE; kind++)
            tw__profile_set_vertex_bytes(a->profile, cost->id, kind,
                                         tw__profile_row(a->profile, cost->bytes[kind], a->tiles));
    }
    set_code_bytes(a);
    a->placement->state_fidelity = a->state_fidelity;
    if (a->placement->failed || a->memory->failed || a->failed)
        return tw__fail(TW_E_NO_MEMORY, "out of memory for the memory report");
    return TW_OK;
}
