/* SPDX-License-Identifier: MIT */
/* The simulator at work: one for each tile that runs code of the chip, on that tile's memory.
 *
 * Vertices start in creation order on the least loaded worker (docs/decisions.md, G7), as they would on the chip, and
 * a worker keeps its registers from one to the next. Vertices of a compute set do not touch what another one writes,
 * so one after the other gives what the six workers at once would. */
#include "core/base/kept_error.h"
#include "core/base/text_file.h"
#include "poplar/colossus/sim/sim.h"
#include "poplar/engine/tiles/tiles.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/poplar/debugger.h>

enum { STACK_POINTER = 11, FP_ICTL = 0x20, WORKER_BASES = 0x21 };

/* The first fault of a run: the one on the lowest tile, whatever the threads did. */
static void keep_fault(tw_engine *engine, uint32_t tile, char *text)
{
    g_mutex_lock(&engine->sims->lock);
    if (!engine->sims->fault || tile < engine->sims->fault_tile) {
        g_free(engine->sims->fault);
        engine->sims->fault = text, engine->sims->fault_tile = tile;
    } else {
        g_free(text);
    }
    g_mutex_unlock(&engine->sims->lock);
}

/* --- traces -------------------------------------------------------------------------------------------------- */

/* Tiles run in threads: each writes into memory, and the texts go to the file in the order of the tiles. */
static bool traced(const tw_engine *engine, uint32_t tile)
{
    const tw_sim_options *o = &engine->target->simulator;
    return *o->trace_file && (!o->trace_tile || o->trace_tile - 1 == tile);
}

static void no_trace_memory(tw_engine *engine, uint32_t tile)
{
    keep_fault(engine, tile, g_strdup_printf("tile %u: no memory for its trace", tile));
}

static void begin_trace(tw_engine *engine, uint32_t tile, tw_sim *sim, tw__text_file *t)
{
    *t = (tw__text_file){ 0 };
    if (traced(engine, tile) && !tw__text_open(t)) no_trace_memory(engine, tile);
    tw_sim_set_trace(sim, t->out);
}

static void end_trace(tw_engine *engine, uint32_t tile, tw_sim *sim, tw__text_file *t)
{
    tw_sim_set_trace(sim, NULL);
    if (!t->out) return;
    engine->sims->traces[tile] = tw__text_close(t, NULL);
    if (!engine->sims->traces[tile]) no_trace_memory(engine, tile);
}

/* Behind a compute set. */
static tw_status write_traces(tw_engine *engine)
{
    struct tw__tile_sims *sims = engine->sims;
    const char *path = engine->target->simulator.trace_file;
    if (!*path) return TW_OK;
    if (!sims->trace_file) sims->trace_file = fopen(path, "w");
    if (!sims->trace_file) return tw__fail(TW_E_IO, "simulator option traceFile: '%s' cannot be written", path);
    for (size_t i = 0; i < sims->tiles; i++) {
        if (sims->traces[i]) fputs(sims->traces[i], sims->trace_file);
        free(sims->traces[i]), sims->traces[i] = NULL;
    }
    if (fflush(sims->trace_file) == 0 && !ferror(sims->trace_file)) return TW_OK;
    return tw__fail(TW_E_IO, "simulator option traceFile: writing '%s' failed", path);
}

/* What tiles print comes out the same way: whole, and in the same order each time. */
static void write_printed(struct tw__tile_sims *sims)
{
    bool any = false;
    for (size_t i = 0; i < sims->tiles; i++) {
        if (!sims->printed[i]) continue;
        fwrite(sims->printed[i]->str, 1, sims->printed[i]->len, stdout);
        g_string_free(sims->printed[i], TRUE), sims->printed[i] = NULL;
        any = true;
    }
    if (any) fflush(stdout); /* a fault is told behind it */
}

tw_status tw__tile_fault(tw_engine *engine)
{
    struct tw__tile_sims *sims = engine->sims;
    if (!sims) return TW_OK;
    write_printed(sims);
    tw_status written = write_traces(engine);
    if (!sims->fault) return written;
    tw_status status = tw__fail(TW_E_APPLICATION, "%s", sims->fault);
    g_clear_pointer(&sims->fault, g_free);
    return status;
}

/* --- a tile --------------------------------------------------------------------------------------------------- */

typedef struct stacks {    /* of a tile */
    uint32_t worker, step; /* $mworker_base of worker 0, and from one worker to the next */
    uint32_t supervisor;   /* $sp of the supervisor: the end of its stack */
} stacks;

static stacks stacks_of(const tw_engine *engine, uint32_t tile)
{
    const tw__placement *p = engine->tiles->placement;
    const tw__place_item *item = &p->items.items[p->stack_item[tile]];
    uint32_t bytes = p->worker_stack[tile];
    return (stacks){ .worker = (uint32_t)tw__worker_base(item->address, bytes, 0),
                     .step = tw__stack_bytes(bytes),
                     .supervisor = (uint32_t)(item->address + item->bytes) & ~UINT32_C(7) };
}

/* What the supervisor sets up before anything runs (guide 7.3; docs/colossus.md). */
static void set_up(tw_engine *engine, uint32_t tile, tw_sim *sim)
{
    const tw__options *o = engine->options;
    bool invalid = tw__options_bool(o, "debug.floatPointOpException");
    unsigned control = tw_target_make_fp_ictl(
        engine->target, invalid, invalid, tw__options_bool(o, "debug.nanOverflowException"),
        tw__options_bool(o, "prng.enableStochasticRounding"), tw__options_bool(o, "debug.nanOverflowMode"));
    stacks s = stacks_of(engine, tile);
    tw_sim_set_csr(sim, TW_SIM_SUPERVISOR, FP_ICTL, control);
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++)
        tw_sim_set_csr(sim, TW_SIM_SUPERVISOR, WORKER_BASES + w, s.worker + w * s.step);
}

tw_sim *tw__tile_sim(tw_engine *engine, uint32_t tile)
{
    tw_sim **slot = &engine->sims->by_tile[tile];
    if (*slot) return *slot;
    const tw__chip_code *code = engine->chip;
    tw_sim_options options = engine->target->simulator;
    options.arch = tw_isa_arch_by_name(tw_target_arch(engine->target)), options.tile = tile;
    options.memory = (uint8_t *)engine->plan.storage.base + engine->tiles->stride * tile;
    tw_sim *sim = tw_sim_new(&options);
    if (!sim) return NULL;
    if (tw_sim_load(sim, g_array_index(code->placed, tw__placed_link, code->placed_of[tile] - 1).image) != TW_OK) {
        tw_sim_free(sim);
        return NULL;
    }
    set_up(engine, tile, sim);
    return *slot = sim;
}

/* --- a vertex ------------------------------------------------------------------------------------------------- */

typedef struct turn { /* one tile in one compute set */
    tw_engine *engine;
    const tw__exec *exec;
    uint32_t tile;
    tw_sim *sim;
    stacks stacks;
    tw__text_file trace;
    GString *printed;                     /* what its vertices print */
    tw__line_turn *lines;                 /* NULL: nobody counts them */
    uint64_t load[TW_SIM_WORKERS], whole; /* turns of workers; cycles in which one vertex has the tile for itself */
    unsigned context;                     /* of the vertex that runs; TW_SIM_CONTEXTS: all workers */
    bool failed;
} turn;

static char *name_vertex(const turn *t, const tw__tile_vertex *v)
{
    const tw__core *core = t->engine->core;
    const char *set = core->compute_sets[t->exec->cs].name;
    return g_strdup_printf("vertex %u of type '%s' in compute set '%s' on tile %u", v->vertex,
                           core->types[v->type].info->name, set, t->tile);
}

static void name_in_trace(const turn *t, const tw__tile_vertex *v)
{
    g_autofree char *name = name_vertex(t, v);
    fprintf(t->trace.out, "# %s\n", name);
}

static void fail_with(turn *t, const tw__tile_vertex *v, const char *what)
{
    g_autofree char *name = name_vertex(t, v);
    t->failed = true;
    keep_fault(t->engine, t->tile, g_strdup_printf("%s: %s", name, what));
}

static tw_sim_stop run_debugged(const turn *t, const tw__tile_vertex *v, uint64_t turns)
{
    const tw_debugger *d = t->engine->debugger;
    const tw__core *core = t->engine->core;
    const tw__chip_code *code = t->engine->chip;
    tw_debug_vertex shown = { .size = sizeof shown,
                              .engine = t->engine,
                              .step = t->engine->debugged,
                              .vertex = { v->vertex },
                              .type = core->types[v->type].info->name,
                              .compute_set = core->compute_sets[t->exec->cs].name,
                              .tile = t->tile,
                              .context = t->context,
                              .sim = t->sim };
    shown.image = g_array_index(code->placed, tw__placed_link, code->placed_of[t->tile] - 1).image;
    tw__kept_error *kept = tw__error_keep();
    tw_sim_stop stop = d->vertex(d->user, &shown, turns);
    tw__error_put_back(kept);
    return stop;
}

/* Goes on behind what the host does for the code; all of it together takes so many turns at most, 0: no limit. */
static tw_sim_stop run_printing(const turn *t, uint64_t turns, GString *out)
{
    for (uint64_t left = turns;;) {
        uint64_t before = tw_sim_cycles(t->sim);
        tw_sim_stop stop = tw_sim_run(t->sim, left);
        if (stop != TW_SIM_FAULT || !tw__sim_serve(t->sim, out)) return stop;
        uint64_t took = (tw_sim_cycles(t->sim) - before) / TW_SIM_WORKERS + 1;
        if (turns && took >= left) return TW_SIM_LIMIT;
        if (turns) left -= took;
    }
}

/* Runs what has been started to its end. */
static bool run_finish(turn *t, const tw__tile_vertex *v)
{
    int64_t limit = tw__options_int(t->engine->options, "simulator.turnLimit");
    const tw_sim_exception *e;
    uint64_t turns = limit > 0 ? (uint64_t)limit : 0;
    bool is_debugged = t->engine->debugger && t->engine->debugger->vertex;
    switch (is_debugged ? run_debugged(t, v, turns) : run_printing(t, turns, t->printed)) {
    case TW_SIM_DONE: return true;
    case TW_SIM_FAULT:
        e = tw_sim_get_exception(t->sim);
        fail_with(t, v, e ? e->message : "an exception");
        return false;
    case TW_SIM_LIMIT:
        fail_with(t, v, "it has not ended after as many turns as engine option simulator.turnLimit allows");
        return false;
    case TW_SIM_WAIT:
        fail_with(t, v, "its supervisor code waits for other tiles, which a vertex cannot");
        return false;
    case TW_SIM_BREAK: break;
    }
    fail_with(t, v, "it was stopped");
    return false;
}

static bool run_worker(turn *t, tw__tile_vertex *v)
{
    unsigned w = 0;
    for (unsigned i = 1; i < TW_SIM_WORKERS; i++)
        if (t->load[i] < t->load[w]) w = i;
    tw_sim_launch launch = { v->entry, v->address, t->stacks.worker + w * t->stacks.step };
    if (tw_sim_start(t->sim, w, &launch) != TW_OK) return fail_with(t, v, tw_error_message()), false;
    t->context = w;
    if (!run_finish(t, v)) return false;
    v->cycles = tw_sim_turns(t->sim, w);
    t->load[w] += v->cycles;
    return tw_sim_exit_status(t->sim, w);
}

/* The same vertex on all workers: its tile cycles are those of the slowest. */
static bool run_workers(turn *t, tw__tile_vertex *v)
{
    tw_sim_launch launch = { v->entry, v->address, t->stacks.worker };
    if (tw_sim_start_all(t->sim, &launch, 0, t->stacks.step) != TW_OK)
        return fail_with(t, v, tw_error_message()), false;
    t->context = TW_SIM_CONTEXTS;
    if (!run_finish(t, v)) return false;
    bool all = true;
    uint64_t most = 0;
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++) {
        uint64_t turns = tw_sim_turns(t->sim, w);
        if (turns > most) most = turns;
        all &= tw_sim_exit_status(t->sim, w);
    }
    t->whole += v->cycles = most * TW_SIM_WORKERS;
    return all;
}

/* Called by the tile's own supervisor code: its state in $m0, $sp valid, back through $lr (PopLibs). */
static bool run_supervisor(turn *t, tw__tile_vertex *v)
{
    uint64_t before = tw_sim_cycles(t->sim);
    tw_sim_launch launch = { v->entry, v->address, 0 };
    tw_sim_set_m(t->sim, TW_SIM_SUPERVISOR, STACK_POINTER, t->stacks.supervisor);
    if (tw_sim_start(t->sim, TW_SIM_SUPERVISOR, &launch) != TW_OK)
        return fail_with(t, v, tw_error_message()), false;
    t->context = TW_SIM_SUPERVISOR;
    if (!run_finish(t, v)) return false;
    t->whole += v->cycles = tw_sim_cycles(t->sim) - before;
    return true;
}

static bool run_native(turn *t, const tw__tile_vertex *v)
{
    const tw__group *group = &t->exec->groups[v->group];
    bool all = tw__guarded_one(t->engine, t->exec->cs, group, v->state);
    if (t->engine->core->types[v->type].info->kind != TW__VERTEX) {
        t->whole += v->cycles;
        return all;
    }
    uint64_t *least = t->load;
    for (unsigned i = 1; i < TW_SIM_WORKERS; i++)
        if (t->load[i] < *least) least = &t->load[i];
    *least += v->cycles;
    return all;
}

/* --- what native vertices would take ---------------------------------------------------------------------------- */

/* Cycles of the code of a vertex, as of run_worker() and its like; false: it does not come to its end. */
static bool measure_one(turn *t, tw__tile_vertex *v)
{
    tw__vertex_kind kind = t->engine->core->types[v->type].info->kind;
    int64_t limit = tw__options_int(t->engine->options, "simulator.turnLimit");
    uint64_t before = tw_sim_cycles(t->sim), most = 0;
    unsigned context = kind == TW__SUPERVISOR ? TW_SIM_SUPERVISOR : 0;
    tw_sim_launch launch = { v->entry, v->address, kind == TW__SUPERVISOR ? 0 : t->stacks.worker };
    if (kind == TW__SUPERVISOR) tw_sim_set_m(t->sim, TW_SIM_SUPERVISOR, STACK_POINTER, t->stacks.supervisor);
    bool is_multi = kind != TW__SUPERVISOR && kind != TW__VERTEX;
    tw_status status =
        is_multi ? tw_sim_start_all(t->sim, &launch, 0, t->stacks.step) : tw_sim_start(t->sim, context, &launch);
    if (status != TW_OK || run_printing(t, limit > 0 ? (uint64_t)limit : 0, NULL) != TW_SIM_DONE) return false;
    for (unsigned w = 0; w < (is_multi ? TW_SIM_WORKERS : 1u) && kind != TW__SUPERVISOR; w++)
        most = MAX(most, tw_sim_turns(t->sim, w));
    v->cycles = kind == TW__SUPERVISOR ? tw_sim_cycles(t->sim) - before : is_multi ? most * TW_SIM_WORKERS : most;
    return true;
}

/* Where the code of a vertex does not end well, its cycles are modelled, and the compute set's are an estimate. */
static void measure_by_model(turn *t, tw__tile_vertex *v)
{
    bool guess;
    v->cycles = tw__vertex_cycles(t->engine->core, v->vertex, &guess).cycles;
    g_mutex_lock(&t->engine->sims->lock);
    t->exec->on_tiles->fidelity = TW_FIDELITY_ESTIMATED;
    g_mutex_unlock(&t->engine->sims->lock);
    if (t->sim) tw_sim_reset(t->sim), set_up(t->engine, t->tile, t->sim);
}

static void copy_used(const tw__tile_used *used, char *to, const char *from)
{
    for (unsigned r = 0; r < 2; r++)
        if (used->to[r] > used->from[r])
            memcpy(to + used->from[r], from + used->from[r], used->to[r] - used->from[r]);
}

/* Before the vertices of a tile run: the code of those that will run natively, on the memory as it is, which is put
 * back. They do not touch what another one writes, so that all of them see what they would. */
static void run_measured(turn *t, uint32_t first, uint32_t end)
{
    struct tw__tile_exec *run = t->exec->on_tiles;
    size_t stride = t->engine->tiles->stride;
    char *memory = (char *)t->engine->plan.storage.base + stride * t->tile, *kept = NULL;
    const tw__tile_used *used = t->engine->sims->used ? &t->engine->sims->used[t->tile] : NULL;
    for (uint32_t i = first; i < end; i++) {
        tw__tile_vertex *v = &run->vertices[i];
        if (!v->is_measured || !used) continue;
        if (!kept && (kept = tw__realloc(NULL, stride))) copy_used(used, kept, memory);
        tw__line_turn_begin(t->lines);
        if (!kept || !t->sim || !measure_one(t, v))
            measure_by_model(t, v);
        else
            tw__line_turn_end(t->lines, v->type, v->cycles);
    }
    if (kept) copy_used(used, memory, kept);
    free(kept);
}

/* --- a compute set -------------------------------------------------------------------------------------------- */

bool tw__tile_run(tw_engine *engine, const tw__exec *exec, size_t index)
{
    struct tw__tile_exec *run = exec->on_tiles;
    turn t = { .engine = engine, .exec = exec, .tile = exec->groups[exec->tile_first[index]].tile };
    bool all = true, code = engine->chip->placed_of[t.tile] != 0;
    if (code) t.sim = tw__tile_sim(engine, t.tile), t.stacks = stacks_of(engine, t.tile);
    if (t.sim) begin_trace(engine, t.tile, t.sim, &t.trace);
    if (code && !t.sim) {
        keep_fault(engine, t.tile, g_strdup_printf("tile %u: %s", t.tile, tw_error_message()));
        return false;
    }
    if (t.sim && engine->tracing) t.lines = tw__line_turn_new(engine->sims->lines, engine, t.tile, t.sim);
    run_measured(&t, run->first[index], run->first[index + 1]);
    t.printed = g_string_new(NULL);
    for (uint32_t i = run->first[index]; i < run->first[index + 1] && !t.failed; i++) {
        tw__tile_vertex *v = &run->vertices[i];
        tw__vertex_kind kind = engine->core->types[v->type].info->kind;
        if (t.trace.out && !v->is_native) name_in_trace(&t, v);
        if (!v->is_native) tw__line_turn_begin(t.lines);
        all &= v->is_native             ? run_native(&t, v)
               : kind == TW__SUPERVISOR ? run_supervisor(&t, v)
               : kind == TW__VERTEX     ? run_worker(&t, v)
                                        : run_workers(&t, v);
        if (!v->is_native && !t.failed) tw__line_turn_end(t.lines, v->type, v->cycles);
    }
    tw__line_turn_free(t.lines);
    if (t.printed->len)
        engine->sims->printed[t.tile] = t.printed;
    else
        g_string_free(t.printed, TRUE);
    if (t.sim) end_trace(engine, t.tile, t.sim, &t.trace);
    if (t.failed && t.sim) tw_sim_reset(t.sim), set_up(engine, t.tile, t.sim); /* the next run starts anew */
    uint64_t busiest = 0;
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++) busiest = t.load[w] > busiest ? t.load[w] : busiest;
    run->cycles[t.tile] = busiest * TW_SIM_WORKERS + t.whole;
    return all;
}

static bool find_used(const tw_engine *engine, struct tw__tile_sims *sims)
{
    const tw__placement *p = engine->placement;
    const tw_tile_arch *arch = &engine->target->arch;
    uint64_t second = arch->regions[1].start - arch->base_address;
    bool any = false;
    for (size_t t = 0; engine->chip && t < engine->core->type_count; t++) any |= engine->chip->measured[t];
    if (!any) return true;
    if (!(sims->used = tw__calloc(sims->tiles + 1, sizeof *sims->used))) return false;
    for (size_t i = 0; i < p->items.count; i++) {
        const tw__place_item *item = &p->items.items[i];
        if (item->tile >= sims->tiles || !item->bytes) continue;
        tw__tile_used *used = &sims->used[item->tile];
        uint64_t from = item->address - arch->base_address, to = from + item->bytes;
        for (unsigned r = 0; r < 2; r++) { /* an item may lie in both */
            uint64_t a = r ? MAX(from, second) : from, b = r ? to : MIN(to, second);
            if (a >= b) continue;
            used->from[r] = used->to[r] ? MIN(used->from[r], a) : a;
            used->to[r] = MAX(used->to[r], b);
        }
    }
    return true;
}

/* --- life ----------------------------------------------------------------------------------------------------- */

tw_status tw__tile_sims_new(tw_engine *engine)
{
    size_t tiles = tw_target_tiles(engine->target);
    struct tw__tile_sims *sims = engine->sims = tw__calloc(1, sizeof *sims);
    if (sims) sims->by_tile = tw__calloc(tiles + 1, sizeof *sims->by_tile), sims->tiles = tiles;
    if (sims) sims->traces = tw__calloc(tiles + 1, sizeof *sims->traces);
    if (sims) sims->printed = tw__calloc(tiles + 1, sizeof *sims->printed);
    if (!sims || !sims->by_tile || !sims->traces || !sims->printed || !find_used(engine, sims))
        return tw__fail(TW_E_NO_MEMORY, "out of memory for the simulators of tiles");
    g_mutex_init(&sims->lock);
    sims->lines = tw__tile_lines_new(engine);
    return TW_OK;
}

void tw__tile_sims_free(struct tw__tile_sims *sims)
{
    if (!sims) return;
    for (size_t i = 0; i < sims->tiles && sims->by_tile; i++) tw_sim_free(sims->by_tile[i]);
    for (size_t i = 0; i < sims->tiles && sims->traces; i++) free(sims->traces[i]);
    if (sims->printed) write_printed(sims);
    if (sims->trace_file) fclose(sims->trace_file);
    if (sims->by_tile && sims->traces && sims->printed) g_mutex_clear(&sims->lock);
    tw__tile_lines_free(sims->lines);
    free(sims->traces), free(sims->printed), free(sims->used);
    g_free(sims->fault);
    free(sims->by_tile), free(sims);
}

void tw__tile_load(tw_engine *engine)
{
    char *base = engine->plan.storage.base;
    for (size_t i = 0; i < engine->loads.count; i++) {
        const tw__load *load = &engine->loads.items[i];
        memcpy(base + load->at, load->bytes, load->size);
    }
    for (size_t i = 0; engine->sims && i < engine->sims->tiles; i++) {
        tw_sim *sim = engine->sims->by_tile[i];
        if (!sim) continue;
        tw_sim_reset(sim);
        tw__sim_walked(sim); /* a vertex may have written its code */
        set_up(engine, (uint32_t)i, sim);
    }
}
