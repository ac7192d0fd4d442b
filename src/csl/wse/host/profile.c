/* SPDX-License-Identifier: MIT */
/* profile: the counters of a run as the common profile. PEs of the rectangle are its tiles. One plan step holds the
 * whole run, with functions that ran as tasks and DSD operations as its kernels; one the load of the links. */
#include "csl/wse/host/host.h"
#include "core/profile/profile.h"
#include "csl/lang/code/room.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = 65, HOST_TASK = 64, LINKS = 4, MAX_SYMBOLS = 256 };

typedef struct builder {
    const tw_wse *w;
    tw_profile *p;
    uint32_t tiles;
    uint64_t *by_tile;
    uint64_t variables;
    GHashTable *types; /* name -> index into kernels */
    GArray *kernels;   /* tw__type_cycles */
} builder;

static const tw__csl_program *program_of(const builder *b, uint32_t tile)
{
    uint32_t program = b->w->image->pes[tile].program;
    return program < b->w->image->program_count ? &b->w->image->programs[program] : NULL;
}

static const tw__wse_counters *counters_of(const builder *b, uint32_t tile)
{
    return tw__wse_profile(b->w->fabric, tile % b->w->image->width, tile / b->w->image->width);
}

/* --- memory --------------------------------------------------------------------------------------------------- */

/* Names of the variables of all programs, in order of appearance. */
static GPtrArray *symbol_names(const builder *b)
{
    GPtrArray *names = g_ptr_array_new();
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < b->w->image->program_count; i++) {
        const tw__csl_program *p = &b->w->image->programs[i];
        for (size_t k = 0; k < p->symbol_count && names->len < MAX_SYMBOLS; k++)
            if (p->symbols[k].bytes && g_hash_table_add(seen, (char *)p->symbols[k].name))
                g_ptr_array_add(names, (char *)p->symbols[k].name);
    }
    g_hash_table_destroy(seen);
    return names;
}

static uint64_t symbol_bytes(const tw__csl_program *p, const char *name)
{
    for (size_t k = 0; p && k < p->symbol_count; k++)
        if (strcmp(p->symbols[k].name, name) == 0) return p->symbols[k].bytes;
    return 0;
}

/* What code takes, estimated: of the program with our libraries, and of <memcpy>. */
static void add_code(builder *b, uint64_t *total)
{
    size_t programs = b->w->image->program_count;
    tw__csl_pe_room *rooms = tw__calloc(programs + 1, sizeof *rooms);
    if (!rooms) tw__profile_fail(b->p, TW_E_NO_MEMORY, "out of memory for the profile");
    for (size_t i = 0; rooms && i < programs; i++) {
        const tw__csl_program *p = &b->w->image->programs[i];
        uint32_t *bytes = tw__calloc(p->function_count + 1, sizeof *bytes);
        if (!bytes || !tw__csl_pe_room_of(b->w->image, p, bytes, &rooms[i]))
            tw__profile_fail(b->p, TW_E_NO_MEMORY, "out of memory for the profile");
        free(bytes);
    }
    for (int link = 0; rooms && link < 2; link++) {
        for (uint32_t t = 0; t < b->tiles; t++) {
            uint32_t program = b->w->image->pes[t].program;
            const tw__csl_pe_room none = { 0 }, *room = program < programs ? &rooms[program] : &none;
            b->by_tile[t] = link ? room->link : room->code + room->imported;
            if (total) total[t] += b->by_tile[t];
        }
        tw__profile_add_memory(b->p, link ? "link" : "code", link ? "Code of <memcpy>" : "Code",
                               TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED, tw__profile_row(b->p, b->by_tile, b->tiles),
                               TW_FIDELITY_ESTIMATED);
    }
    free(rooms);
}

static void add_memory(builder *b)
{
    GPtrArray *names = symbol_names(b);
    b->variables = names->len;
    uint64_t *total = tw__calloc(b->tiles + 1, sizeof *total);
    for (guint i = 0; total && i < names->len; i++) {
        uint64_t sum = 0;
        for (uint32_t t = 0; t < b->tiles; t++) {
            b->by_tile[t] = symbol_bytes(program_of(b, t), names->pdata[i]);
            total[t] += b->by_tile[t];
            sum += b->by_tile[t];
        }
        tw__profile_add_memory(b->p, names->pdata[i], NULL, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED,
                               tw__profile_row(b->p, b->by_tile, b->tiles), TW_FIDELITY_EXACT);
        tw__profile_add_always_live(b->p, names->pdata[i], sum);
    }
    for (uint32_t t = 0; t < b->tiles; t++) {
        const tw__csl_program *p = program_of(b, t);
        b->by_tile[t] = p ? p->stack_bytes : 0;
        if (total) total[t] += b->by_tile[t];
    }
    tw__profile_add_memory(b->p, "stack", "Locals with addresses", TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED,
                           tw__profile_row(b->p, b->by_tile, b->tiles), TW_FIDELITY_MODELLED);
    add_code(b, total);
    if (total) {
        tw__row row = tw__profile_row(b->p, total, b->tiles), by_region[TW__MEMORY_REGIONS] = { 0 };
        by_region[TW__NON_INTERLEAVED] = row;
        tw__profile_set_placement(b->p, row, row, by_region);
        tw__profile_set_liveness(b->p, row, row, 0);
    } else {
        tw__profile_fail(b->p, TW_E_NO_MEMORY, "out of memory for the profile");
    }
    free(total);
    g_ptr_array_free(names, TRUE);
}

/* --- cycles --------------------------------------------------------------------------------------------------- */

static void count_kernel(builder *b, const char *name, uint64_t runs, uint64_t cycles, uint64_t worst,
                         uint32_t tile)
{
    gpointer found = g_hash_table_lookup(b->types, name);
    if (!found) {
        tw__type_cycles fresh = { .vertex_type = tw__profile_add_vertex_type(b->p, name, 0) };
        g_array_append_val(b->kernels, fresh);
        found = GUINT_TO_POINTER(b->kernels->len);
        g_hash_table_insert(b->types, g_strdup(name), found);
    }
    tw__type_cycles *kernel = &g_array_index(b->kernels, tw__type_cycles, GPOINTER_TO_UINT(found) - 1);
    kernel->instances += runs;
    kernel->cycles += cycles;
    if (worst > kernel->worst) kernel->worst = worst, kernel->worst_tile = tile;
}

/* The name of the task with an id: its function, else the id. */
static const char *task_name(const tw__csl_program *p, unsigned id, char buffer[32])
{
    for (size_t k = 0; p && k < p->task_count; k++)
        if (p->tasks[k].id == id && p->tasks[k].function < p->function_count)
            return p->functions[p->tasks[k].function].name;
    g_snprintf(buffer, 32, id == HOST_TASK ? "launched by the host" : "task %u", id);
    return buffer;
}

/* Microthreads work while tasks run, and operations of the main thread are part of their task: the cycles of both add
 * up to more than the PE was busy, which was never longer than the run. */
enum { SIDE_BY_SIDE = 2 };

static void count_tile(builder *b, uint32_t tile)
{
    const tw__wse_counters *c = counters_of(b, tile);
    char buffer[32], *name;
    b->by_tile[tile] = 0;
    for (unsigned id = 0; c && id < TASKS; id++) {
        if (!c->task_runs[id]) continue;
        name = g_strconcat("task ", task_name(program_of(b, tile), id, buffer), NULL);
        count_kernel(b, name, c->task_runs[id], c->task_cycles[id], c->task_worst[id], tile);
        b->by_tile[tile] += c->task_cycles[id];
        g_free(name);
    }
    for (unsigned op = 0; c && op < TW__CSL_DSD_OPS; op++) {
        if (!c->op_runs[op]) continue;
        name = g_strconcat("@", tw__csl_dsd_op_rows[op].builtin, NULL);
        count_kernel(b, name, c->op_runs[op], c->op_cycles[op], c->op_worst[op], tile);
        b->by_tile[tile] += c->op_cycles[op];
        g_free(name);
    }
    uint64_t all = tw__host_end(b->w);
    if (b->by_tile[tile] > all) b->by_tile[tile] = all;
}

static uint32_t add_run_step(builder *b)
{
    uint32_t set = tw__profile_add_compute_set(b->p, "run");
    for (uint32_t t = 0; t < b->tiles; t++) count_tile(b, t);
    uint64_t runs = 0;
    for (guint i = 0; i < b->kernels->len; i++) {
        const tw__type_cycles *k = &g_array_index(b->kernels, tw__type_cycles, i);
        tw__profile_add_vertices(b->p, set, k->vertex_type, k->instances);
        runs += k->instances;
    }
    tw__profile_set_counts(b->p, runs, 0, b->variables, 1);
    return tw__profile_add_step(
        b->p, &(tw__step_desc){
                  .type = TW_PROGRAM_ON_TILE_EXECUTE,
                  .name = "run",
                  .program = tw__profile_add_program(b->p, TW_PROGRAM_ON_TILE_EXECUTE, "run", TW__NONE, set, 0),
                  .index = set,
                  .cycles = tw__host_end(b->w),
                  .active = tw__profile_row(b->p, b->by_tile, b->tiles),
                  .types = (const tw__type_cycles *)(void *)b->kernels->data,
                  .type_count = b->kernels->len,
                  .fidelity = TW_FIDELITY_ESTIMATED });
}

/* Wavelets that came to a PE from its neighbours; what comes from beyond the rectangle is the host's. */
static uint64_t received(const builder *b, uint32_t tile)
{
    uint32_t width = b->w->image->width, height = b->w->image->height, x = tile % width, y = tile / width;
    const struct {
        bool there;
        uint32_t from, direction; /* of the neighbour's link: W E S N */
    } sides[LINKS] = { { x > 0, tile - 1, 1 },
                       { x + 1 < width, tile + 1, 0 },
                       { y > 0, tile - width, 2 },
                       { y + 1 < height, tile + width, 3 } };
    uint64_t sum = 0;
    for (unsigned k = 0; k < LINKS; k++) {
        const tw__wse_counters *c = sides[k].there ? counters_of(b, sides[k].from) : NULL;
        if (c) sum += c->sent[sides[k].direction];
    }
    return sum;
}

/* Wavelets that left each PE by its four links, as bytes; beside the run, not after it. */
static uint32_t add_link_step(builder *b, uint32_t *links)
{
    uint64_t busiest = 0;
    for (uint32_t t = 0; t < b->tiles; t++) {
        const tw__wse_counters *c = counters_of(b, t);
        b->by_tile[t] = 0;
        for (unsigned d = 0; c && d < LINKS; d++) {
            b->by_tile[t] += 4 * c->sent[d];
            busiest = c->sent[d] > busiest ? c->sent[d] : busiest;
        }
    }
    tw__row bytes = tw__profile_row(b->p, b->by_tile, b->tiles);
    for (uint32_t t = 0; t < b->tiles; t++) b->by_tile[t] = 4 * received(b, t);
    tw__row landed = tw__profile_row(b->p, b->by_tile, b->tiles);
    for (uint32_t t = 0; t < b->tiles; t++) { /* its links send side by side: it is busy while the busiest is */
        const tw__wse_counters *c = counters_of(b, t);
        b->by_tile[t] = 0;
        for (unsigned d = 0; c && d < LINKS; d++)
            if (c->sent[d] > b->by_tile[t]) b->by_tile[t] = c->sent[d];
    }
    tw__row wavelets = tw__profile_row(b->p, b->by_tile, b->tiles);
    tw__profile_add_optimization(b->p, "wavelets on the busiest link", (double)busiest);
    uint32_t exchange = tw__profile_add_exchange(
        b->p, TW__EXCHANGE_INTERNAL, (tw__exchange){ .sent = bytes, .received = landed, .cycles = wavelets });
    *links = exchange;
    return tw__profile_add_step(
        b->p, &(tw__step_desc){
                  .type = TW_PROGRAM_DO_EXCHANGE,
                  .name = "links",
                  .program = tw__profile_add_program(b->p, TW_PROGRAM_DO_EXCHANGE, "links", TW__NONE, exchange, 0),
                  .index = exchange,
                  .cycles = busiest,
                  .overlapped = busiest,
                  .active = wavelets,
                  .data = bytes,
                  .fidelity = TW_FIDELITY_MODELLED });
}

static tw_profile *build(const tw_wse *w)
{
    builder b = { .w = w, .tiles = (uint32_t)w->image->pe_count };
    b.p = tw__profile_new(&(tw__profile_target){ .type = "WSE",
                                                 .arch = w->image->wse3 ? "wse3" : "wse2",
                                                 .ipus = 1,
                                                 .tiles_per_ipu = b.tiles,
                                                 .replicas = 1,
                                                 .bytes_per_tile = TW__CSL_PE_BYTES,
                                                 .clock_hz = TW__WSE_CLOCK_HZ });
    b.by_tile = tw__calloc(b.tiles + 1, sizeof *b.by_tile);
    b.types = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    b.kernels = g_array_new(FALSE, TRUE, sizeof(tw__type_cycles));
    if (b.p && b.by_tile) {
        tw__profile_set_program(b.p);
        tw__profile_set_grid(b.p, w->image->width, w->image->height, false);
        tw__profile_set_threads(b.p, SIDE_BY_SIDE);
        add_memory(&b);
        uint32_t exchange, run = add_run_step(&b), links = add_link_step(&b, &exchange);
        tw__host_add_learned(w, b.p, exchange);
        tw__profile_run_begin(b.p, "");
        tw__profile_step(b.p, run);
        tw__profile_step(b.p, links);
        tw__profile_run_end(b.p, 0);
    }
    bool good = b.p && b.by_tile && tw__profile_status(b.p) == TW_OK;
    g_hash_table_destroy(b.types);
    g_array_free(b.kernels, TRUE);
    free(b.by_tile);
    if (good) return b.p;
    tw_profile_free(b.p);
    tw__fail(TW_E_NO_MEMORY, "no memory for a profile");
    return NULL;
}

const tw_profile *tw_wse_profile(tw_wse *w)
{
    if (!w) return NULL;
    if (!w->options.profile) {
        tw__fail(TW_E_PROFILING_DISABLED, "the run was not counted: set options.profile");
        return NULL;
    }
    tw_profile_free(w->profile);
    w->profile = NULL;
    if (w->failed == TW_E_NO_MEMORY) {
        tw__fail(TW_E_NO_MEMORY, "the run ended for want of memory: a part of its profile is missing");
        return NULL;
    }
    if (tw__wse_fetch(w->fabric, false) != TW_OK) return NULL;
    w->profile = build(w);
    return w->profile;
}

tw_status tw_wse_write_profile(tw_wse *w, const char *path)
{
    if (!w) return tw__missing("wafer");
    const tw_profile *profile = tw_wse_profile(w);
    if (!profile) return w->options.profile ? tw_error_status() : TW_E_PROFILING_DISABLED;
    tw_output *out = tw_output_open(path, NULL, 0);
    if (!out) return tw_error_status();
    tw_status status = tw_profile_write_json(profile, tw_output_file(out), true);
    if (status == TW_OK || status == TW_E_IO) status = tw_output_commit(out); /* it names the file */
    tw_output_free(out);
    return status;
}
