/* Bytes by tile and storage category, without placement: no gaps, no addresses shared in time.
 *
 * Exact: variables, constants, vertex state, pointer tables and descriptors (layouts of the chip, spec poplar.md 5.2).
 * Modelled: buffers of exchanges (the largest of any step), copy descriptors. Estimated: stacks, control and exchange
 * code. Vertex code is absent, since there is no code generator for the chips. docs/model.md lists the rules. */
#include "engine/account.h"

#include <stdlib.h>
#include <string.h>

/* 3,168 bytes of stack on each of the 1,216 tiles of the guide's sample: 6 x (480 + 48 bytes of scratch). */
#define WORKER_STACK   480
#define WORKER_SCRATCH 48 /* poplar::WORKER_SCRATCH_SIZE, guide 7.3 */

#define CONTROL_BYTES_PER_INSTRUCTION 16 /* estimate: about four supervisor instructions */
#define COPY_POINTER_BYTES            8  /* source and destination */
#define COPY_DESCRIPTOR_BYTES         8  /* one piece: address, count and stride packed */

static tw__arch chip_of(const tw_target *target)
{
    return target->chip == TW_MK1 ? TW__ARCH_IPU1 : target->chip == TW_MK21 ? TW__ARCH_IPU21 : TW__ARCH_IPU2;
}

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
    cost->device = tw__codelets_device(a->engine->codelets, info, chip_of(a->target));
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

/* Bytes of one entry in the table of a nested vector (spec 5.2). */
static uint32_t entry_bytes(tw__vector_layout layout)
{
    switch (layout) {
    case TW__LAYOUT_SPAN: return 8;
    case TW__LAYOUT_SCALED_PTR32:
    case TW__LAYOUT_SCALED_PTR64:
    case TW__LAYOUT_SCALED_PTR128: return 2;
    default: return 4;
    }
}

static void add(tw__accounting *a, unsigned tile, tw_storage storage, uint64_t bytes)
{
    if (bytes) tw__memory_count(a->memory, tile, storage, bytes);
}

void tw__account_vertex(tw__accounting *a, uint32_t vertex)
{
    const tw__vertex *v = &a->core->vertices[vertex];
    const tw__vertex_type *info = a->core->types[v->type].info;
    if (tw__account_type(a, v->type) == TW__NONE) return;
    tw__type_cost *cost = &a->types[v->type];
    unsigned tile = v->tile;
    uint64_t tables = 0, descriptors = 0, data = 0;
    for (uint32_t e = v->first_edge; e; e = a->core->edges[e].next) {
        const tw__edge *edge = &a->core->edges[e];
        const tw__field *field = &info->fields[edge->field];
        const tw__device_field *device = cost->device ? &cost->device->fields[edge->field] : NULL;
        if (field->interleaved) a->interleaved[edge->regions ? edge->regions->region[0].var : edge->var] = true;
        if (field->form == TW__EDGE_SCALARS) tables += edge->count * 4;
        if (field->form != TW__EDGE_VECTORS) continue;
        if (field->is_list)
            descriptors += 4;
        else
            tables += entry_bytes(device ? device->layout[1] : field->layout[1]);
    }
    for (uint32_t i = v->first_value; i; i = a->core->values[i].next) {
        const tw__field_value *value = &a->core->values[i];
        if (info->fields[value->field].form == TW__STATE_VECTOR)
            data += value->count * tw_target_type_size(a->target, info->fields[value->field].type);
    }
    add(a, tile, TW_STORAGE_VERTEX_STATE, (uint64_t)cost->state + cost->edges + cost->padding);
    add(a, tile, TW_STORAGE_VERTEX_FIELD, tables + data);
    add(a, tile, TW_STORAGE_VECTOR_LIST_DESCRIPTOR, descriptors);
    cost->bytes[TW__VERTEX_BYTES_STATE][tile] += cost->state + data;
    cost->bytes[TW__VERTEX_BYTES_EDGE][tile] += cost->edges + tables;
    cost->bytes[TW__VERTEX_BYTES_PADDING][tile] += cost->padding;
    cost->bytes[TW__VERTEX_BYTES_DESCRIPTOR][tile] += descriptors;
}

void tw__account_local(tw__accounting *a, const tw__local *local)
{
    for (unsigned type = 0; type < TW__COPY_TYPES; type++)
        for (unsigned tile = 0; tile < a->tiles; tile++) {
            uint64_t pieces = local->pieces[type][tile];
            if (!pieces || tw__account_copy_type(a, type) == TW__NONE) continue;
            add(a, tile, TW_STORAGE_VERTEX_STATE, COPY_POINTER_BYTES);
            add(a, tile, TW_STORAGE_COPY_DESCRIPTOR, pieces * COPY_DESCRIPTOR_BYTES);
            a->copies[type].bytes[TW__VERTEX_BYTES_COPY][tile] += COPY_POINTER_BYTES;
            a->copies[type].bytes[TW__VERTEX_BYTES_DESCRIPTOR][tile] += pieces * COPY_DESCRIPTOR_BYTES;
        }
}

void tw__account_raise(tw__accounting *a, uint64_t *peak, const uint64_t *now)
{
    for (unsigned tile = 0; tile < a->tiles; tile++)
        if (now[tile] > peak[tile]) peak[tile] = now[tile];
}

/* --- sums ------------------------------------------------------------------------------------------------------------- */

static void count_variables(tw__accounting *a)
{
    for (size_t i = 0; i < a->core->var_count; i++) {
        const tw__variable *var = &a->core->vars[i];
        size_t esize = tw_target_type_size(a->target, var->type);
        tw_storage storage = var->is_constant ? TW_STORAGE_CONSTANT : TW_STORAGE_VARIABLE;
        tw__memory_region region = a->interleaved[i] ? TW__INTERLEAVED : TW__NON_INTERLEAVED;
        for (size_t m = 0; m < var->mapped_count; m++)
            tw__memory_add(a->memory, var->mapped[m].tile, storage, region, TW__NOT_OVERLAPPED,
                           (var->mapped[m].end - var->mapped[m].begin) * esize);
    }
}

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
                    add(a, exec->groups[g].tile, TW_STORAGE_INSTRUMENTATION, 8 * (uint64_t)exec->groups[g].count);
            else
                for (unsigned tile = 0; tile < a->tiles; tile++)
                    if (!strcmp(level, "tile") || tile % tw_target_tiles_per_ipu(a->target) == 0)
                        add(a, tile, TW_STORAGE_INSTRUMENTATION, 8);
        }
    if (tw__account_instruments(a->engine, "debug.instrumentExternalExchange"))
        for (size_t i = 0; i < plan->transfers.count + plan->remote_copies.count; i++)
            for (unsigned tile = 0; tile < a->tiles; tile++) add(a, tile, TW_STORAGE_INSTRUMENTATION, 8);
}

/* Bytes beyond the end of a tile are moved to the "overflowed" row of the category that fills it most. */
static void mark_overflow(tw__accounting *a, const uint64_t *by_tile, uint64_t capacity)
{
    for (unsigned tile = 0; tile < a->tiles; tile++) {
        uint64_t excess = by_tile[tile] > capacity ? by_tile[tile] - capacity : 0;
        while (excess) {
            uint64_t *largest = NULL;
            tw_storage category = TW_STORAGE_VARIABLE;
            for (unsigned s = 0; s < TW_STORAGE_COUNT; s++)
                for (unsigned region = 0; region < TW__OVERFLOWED; region++) {
                    uint64_t *row = a->memory->rows[tw__memory_row(s, region, TW__NOT_OVERLAPPED)];
                    if (row && (!largest || row[tile] > *largest)) largest = &row[tile], category = s;
                }
            if (!largest || !*largest) return;
            uint64_t moved = *largest < excess ? *largest : excess;
            *largest -= moved, excess -= moved;
            tw__memory_add(a->memory, tile, category, TW__OVERFLOWED, TW__NOT_OVERLAPPED, moved);
        }
    }
}

/* "Variables 700,000 B, Stack 3,168 B, ...": the three largest categories of a tile. */
static void describe_tile(const tw__accounting *a, unsigned tile, char *text, size_t size)
{
    bool used[TW_STORAGE_COUNT] = { false };
    size_t at = 0;
    text[0] = 0;
    for (int n = 0; n < 3; n++) {
        uint64_t best = 0;
        unsigned which = 0;
        for (unsigned s = 0; s < TW_STORAGE_COUNT; s++) {
            uint64_t bytes = 0;
            for (unsigned r = 0; r < TW__MEMORY_REGIONS; r++) {
                const uint64_t *row = a->memory->rows[tw__memory_row(s, r, TW__NOT_OVERLAPPED)];
                bytes += row ? row[tile] : 0;
            }
            if (!used[s] && bytes > best) best = bytes, which = s;
        }
        if (!best) return;
        used[which] = true;
        char number[32];
        int n_out = snprintf(text + at, size - at, "%s%s %s B", n ? ", " : "", tw_storage_label(which),
                             tw__commas(number, sizeof number, best));
        if (n_out < 0 || (size_t)n_out >= size - at) return;
        at += (size_t)n_out;
    }
}

/* Decision 19. */
static tw_status judge(tw__accounting *a, const uint64_t *by_tile, uint64_t capacity)
{
    unsigned over = 0, fullest;
    uint64_t excess = tw__memory_excess(by_tile, a->tiles, capacity, &over);
    if (!over || !tw__memory_fullest(by_tile, a->tiles, &fullest, 1)) return TW_OK;
    char need[32], have[32], beyond[32], total[32], parts[200];
    tw__commas(need, sizeof need, by_tile[fullest]), tw__commas(have, sizeof have, capacity);
    tw__commas(beyond, sizeof beyond, by_tile[fullest] - capacity), tw__commas(total, sizeof total, excess);
    describe_tile(a, fullest, parts, sizeof parts);
    if (tw__options_bool(a->engine->options, "debug.allowOutOfMemory")) {
        TW__LOG(ENGINE, WARN,
                "tile %u is out of memory: %s of %s bytes, %s too many (%s); %u tiles, %s bytes in all", fullest,
                need, have, beyond, parts, over, total);
        return TW_OK;
    }
    return tw__fail(
        TW_E_TILE_MEMORY,
        "tile %u is out of memory: it needs %s bytes of %s, %s too many (%s); %u tile(s) are out of memory by "
        "%s bytes in all. Map data to more tiles, or set debug.allowOutOfMemory to run all the same",
        fullest, need, have, beyond, parts, over, total);
}

static void add_row(tw__accounting *a, tw_storage storage, const uint64_t *row)
{
    for (unsigned tile = 0; tile < a->tiles; tile++) add(a, tile, storage, row[tile]);
}

/* Fidelity of what is not counted exactly. */
static const struct {
    tw_storage storage;
    tw_fidelity fidelity;
} fidelities[] = {
    { TW_STORAGE_MESSAGE, TW_FIDELITY_MODELLED },
    { TW_STORAGE_REARRANGEMENT, TW_FIDELITY_MODELLED },
    { TW_STORAGE_OUTPUT_EDGE, TW_FIDELITY_MODELLED },
    { TW_STORAGE_COPY_DESCRIPTOR, TW_FIDELITY_MODELLED },
    { TW_STORAGE_HOST_PACKET_HEADER, TW_FIDELITY_ESTIMATED },
    { TW_STORAGE_STACK, TW_FIDELITY_ESTIMATED },
    { TW_STORAGE_CONTROL_CODE, TW_FIDELITY_ESTIMATED },
    { TW_STORAGE_INTERNAL_EXCHANGE_CODE, TW_FIDELITY_ESTIMATED },
    { TW_STORAGE_HOST_EXCHANGE_CODE, TW_FIDELITY_ESTIMATED },
    { TW_STORAGE_VERTEX_CODE, TW_FIDELITY_ABSENT },
};

tw_status tw__account_memory(tw__accounting *a)
{
    unsigned contexts = tw_target_worker_contexts(a->target);
    count_variables(a);
    count_instrumentation(a);
    add_row(a, TW_STORAGE_MESSAGE, a->message);
    add_row(a, TW_STORAGE_REARRANGEMENT, a->rearrange);
    add_row(a, TW_STORAGE_OUTPUT_EDGE, a->output);
    for (unsigned tile = 0; tile < a->tiles; tile++) {
        add(a, tile, TW_STORAGE_STACK, (uint64_t)contexts * (WORKER_STACK + WORKER_SCRATCH));
        add(a, tile, TW_STORAGE_CONTROL_CODE, a->engine->plan.code.count * CONTROL_BYTES_PER_INSTRUCTION);
    }
    uint64_t capacity = tw_target_bytes_per_tile(a->target);
    tw__memory_by_tile(a->memory, a->row);
    tw_status verdict = judge(a, a->row, capacity);
    if (verdict) return verdict;
    mark_overflow(a, a->row, capacity);
    tw__profile_set_memory(a->profile, a->memory, a->state_fidelity);
    for (size_t i = 0; i < sizeof fidelities / sizeof *fidelities; i++)
        if (fidelities[i].fidelity == TW_FIDELITY_ABSENT || tw__memory_category(a->memory, fidelities[i].storage))
            tw__profile_set_category_fidelity(a->profile, tw_storage_key(fidelities[i].storage),
                                              fidelities[i].fidelity);
    for (size_t type = 0; type < a->core->type_count + TW__COPY_TYPES; type++) {
        const tw__type_cost *cost =
            type < a->core->type_count ? &a->types[type] : &a->copies[type - a->core->type_count];
        for (unsigned kind = 0; cost->id != TW__NONE && kind < TW__VERTEX_BYTES_CODE; kind++)
            tw__profile_set_vertex_bytes(a->profile, cost->id, kind,
                                         tw__profile_row(a->profile, cost->bytes[kind], a->tiles));
    }
    return a->memory->failed || a->failed ? tw__fail(TW_E_NO_MEMORY, "out of memory for the memory report") : TW_OK;
}
