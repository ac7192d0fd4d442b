/* SPDX-License-Identifier: MIT */
/* For each plan step what a tile processor would do, as steps of the profile: syncs, exchanges, compute.
 *
 *   Execute   [sync, <name>/ExchangePre] [<name>/OnTileCopyPre] <name> [<name>/OnTileCopyPost] [sync,
 *   <name>/ExchangePost]
 *   Copy      [sync, <name>] [<name>/OnTileCopy]
 *   stream    external sync, StreamCopy, two internal syncs        (guide 8.2.3; also remote buffers and PrintTensor)
 *   branch    sync, switchControlBroadcast<n>/ExchangePre          (If, While, Switch: the value goes to every
 *   tile) */
#include "poplar/engine/account/account.h"
#include "poplar/engine/tiles/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Host exchange: one header for each packet, code for each tile that takes part (estimates). */
#define PACKET_BYTES        256
#define PACKET_HEADER_BYTES 4
#define HOST_CODE           8 /* instructions */
#define EXCHANGE_CODE_FIXED 2 /* estimate, in instructions: set up and leave an exchange */
#define EXCHANGE_CODE_RUN   1 /* for each contiguous run */

typedef struct walker { /* where in the program tree we are */
    tw__accounting *a;
    uint32_t parent; /* node */
    uint32_t step;   /* plan step at hand */
} walker;

/* --- emitting ------------------------------------------------------------------------------------------------- */

/* DEBUG: the step; TRACE: each tile that is active in it. a->row is not touched: callers may still need it. */
static void log_step(const tw__accounting *a, const tw__step_desc *desc, uint32_t id)
{
    const char *name = desc->name ? desc->name : "";
    TW__LOG(PROFILER, DEBUG, "step %u: %s%s%s, %llu cycles, %llu bytes", id, tw_program_type_name(desc->type),
            *name ? " " : "", name, (unsigned long long)a->profile->steps.items[id].cycles,
            (unsigned long long)a->profile->steps.items[id].total_data);
    uint64_t *row =
        tw__log_on(TW__LOG_PROFILER, TW__TRACE) && desc->active ? tw__calloc(a->tiles, sizeof *row) : NULL;
    if (row) tw__profile_row_read(a->profile, desc->active, row, a->tiles);
    for (unsigned tile = 0; row && tile < a->tiles; tile++)
        if (row[tile])
            TW__LOG(PROFILER, TRACE, "step %u: tile %u, %llu cycles", id, tile, (unsigned long long)row[tile]);
    free(row);
}

static void emit(walker *w, tw__step_desc *desc)
{
    tw__account *account = w->a->account;
    if (!desc->no_program) {
        desc->program = tw__profile_add_program(w->a->profile, desc->type, desc->name, w->parent, desc->index, 0);
        TW__APPEND(w->a->leaves, w->a->failed = true, (tw__leaf_node){ w->step, desc->program });
    }
    uint32_t id = tw__profile_add_step(w->a->profile, desc);
    if (id == TW__NONE) {
        w->a->failed = true;
        return;
    }
    if (!account->step_count[w->step]++) account->first_step[w->step] = id;
    if (tw__log_on(TW__LOG_PROFILER, TW__DEBUG)) log_step(w->a, desc, id);
}

static void emit_sync_of(walker *w, tw_profile_sync kind, tw__sync_cost cost)
{
    emit(w, &(tw__step_desc){ .type = TW_PROGRAM_SYNC,
                              .name = cost.group,
                              .sync = kind,
                              .no_program = true,
                              .cycles = cost.cycles,
                              .fidelity = *cost.group ? TW_FIDELITY_ESTIMATED : TW_FIDELITY_MODELLED });
}

static void emit_sync(walker *w, tw_profile_sync kind, tw__sync_purpose purpose)
{
    emit_sync_of(w, kind, tw__sync_cost_of(w->a->engine, purpose, -1, false));
}

/* Tiles leave a sync at different times, the last max - min cycles after the first (delays rise along the IPU): a
 * step overlaps the sync before it by what its last active tile did not have to wait. */
static uint64_t overlap_with_sync(const tw__accounting *a, const uint64_t *active, uint64_t cycles)
{
    if (a->target->no_sync_delay) return 0;
    unsigned span = tw_target_tiles_per_ipu(a->target), last = 0;
    uint64_t spread = tw_target_max_sync_delay(a->target) - tw_target_min_sync_delay(a->target);
    for (unsigned tile = 0; tile < a->tiles; tile++)
        if (active[tile] && tile % span > last) last = tile % span;
    uint64_t delay = span > 1 ? spread * last / (span - 1) : spread;
    return spread - delay < cycles ? spread - delay : 0;
}

static const char *steps_join(walker *w, const char *name, const char *suffix)
{
    return tw__arena_printf(w->a->engine->arena, "%s%s%s", name, *name && *suffix ? "/" : "", suffix);
}

static void exchange_code(tw__accounting *a, const tw__traffic *t, tw_storage storage)
{
    for (unsigned tile = 0; tile < a->tiles; tile++)
        if (t->runs[tile])
            tw__memory_count(a->memory, tile, storage,
                             (EXCHANGE_CODE_FIXED + (uint64_t)EXCHANGE_CODE_RUN * t->runs[tile]) *
                                 a->target->arch.instruction_bytes);
}

/* An exchange within IPUs: bytes in a->row[] were turned into cycles; its slowest tile counts. */
static void emit_exchange(walker *w, const char *name, tw__exchange exchange, uint64_t bytes, tw__pairs *pairs)
{
    tw__accounting *a = w->a;
    exchange.cycles = tw__profile_row(a->profile, a->row, a->tiles);
    if (pairs) exchange.content = tw__pairs_content(pairs);
    uint32_t index = tw__profile_add_exchange(a->profile, TW__EXCHANGE_INTERNAL, exchange);
    if (pairs) tw__pairs_record(pairs, a->profile, TW__EXCHANGE_INTERNAL, index);
    uint64_t slowest = 0;
    for (unsigned tile = 0; tile < a->tiles; tile++) slowest = a->row[tile] > slowest ? a->row[tile] : slowest;
    emit_sync(w, TW_PROFILE_SYNC_INTERNAL, TW__SYNC_IN_IPU);
    emit(w, &(tw__step_desc){ .type = TW_PROGRAM_DO_EXCHANGE,
                              .name = name,
                              .index = index,
                              .cycles = slowest,
                              .overlapped = overlap_with_sync(a, a->row, slowest),
                              .active = exchange.cycles,
                              .data = exchange.received,
                              .total_data = bytes,
                              .fidelity = TW_FIDELITY_ESTIMATED });
}

static bool between_replicas(const tw__accounting *a, const tw__traffic *t)
{
    unsigned replicas = a->core->replicas;
    if (replicas < 2) return false;
    unsigned each = replicas < t->ipus ? t->ipus / replicas : 1;
    for (unsigned from = 0; from < t->ipus; from++)
        for (unsigned to = 0; to < t->ipus; to++)
            if (from / each != to / each && t->flow[(size_t)from * t->ipus + to]) return true;
    return false;
}

/* Over the links once, then to the tiles, where several get the same. */
static void emit_global(walker *w, tw__traffic *t, const char *name)
{
    tw__accounting *a = w->a;
    bool replicas = between_replicas(a, t);
    emit_sync(w, TW_PROFILE_SYNC_GLOBAL, replicas ? TW__SYNC_BETWEEN_REPLICAS : TW__SYNC_BETWEEN_IPUS);
    uint64_t cycles = tw__link_cycles(a->target, t->flow, &a->failed);
    for (unsigned tile = 0; tile < a->tiles; tile++)
        a->row[tile] = t->outward[tile] || t->inward[tile] ? cycles : 0;
    tw__exchange exchange = { .sent = tw__profile_row(a->profile, t->outward, a->tiles),
                              .received = tw__profile_row(a->profile, t->inward, a->tiles),
                              .cycles = tw__profile_row(a->profile, a->row, a->tiles),
                              .content = tw__pairs_content(&t->outer_pairs) };
    uint32_t index = tw__profile_add_exchange(a->profile, TW__EXCHANGE_GLOBAL, exchange);
    tw__pairs_record(&t->outer_pairs, a->profile, TW__EXCHANGE_GLOBAL, index);
    emit(w, &(tw__step_desc){ .type = TW_PROGRAM_GLOBAL_EXCHANGE,
                              .name = name,
                              .index = index,
                              .cycles = cycles,
                              .active = exchange.cycles,
                              .data = exchange.received,
                              .total_data = t->global,
                              .fidelity = TW_FIDELITY_ESTIMATED });
    if (!t->spread) return;
    tw__traffic_spread_cycles(t, a->target, a->row);
    exchange = (tw__exchange){ .received = exchange.received };
    emit_exchange(w, steps_join(w, name, "Spread"), exchange, t->spread, NULL);
}

static void emit_traffic(walker *w, tw__traffic *t, const char *name)
{
    tw__accounting *a = w->a;
    if (!t->internal && !t->global) return;
    exchange_code(a, t, TW_STORAGE_INTERNAL_EXCHANGE_CODE);
    if (t->internal) {
        tw__traffic_cycles(t, a->target, a->row);
        emit_exchange(w, name,
                      (tw__exchange){ .sent = tw__profile_row(a->profile, t->sent, a->tiles),
                                      .received = tw__profile_row(a->profile, t->received, a->tiles) },
                      t->internal, &t->inner_pairs);
    }
    if (t->global) emit_global(w, t, name);
}

/* Copies inside tiles: the types of one tile run one after the other. */
static void emit_local(walker *w, const tw__local *local, const char *name)
{
    tw__accounting *a = w->a;
    if (!local->total) return;
    tw__account_local(a, local);
    tw__type_cycles types[TW__COPY_TYPES];
    size_t count = 0;
    memset(a->row, 0, a->tiles * sizeof *a->row);
    for (unsigned type = 0; type < TW__COPY_TYPES; type++) {
        tw__type_cycles sum = { .vertex_type = a->copies[type].id };
        for (unsigned tile = 0; tile < a->tiles; tile++) {
            a->row[tile] += local->cycles[type][tile];
            sum.cycles += local->cycles[type][tile];
            sum.instances += local->pieces[type][tile] != 0;
        }
        if (sum.instances) types[count++] = sum;
    }
    uint32_t set = tw__profile_add_compute_set(a->profile, name);
    for (size_t i = 0; i < count; i++)
        tw__profile_add_vertices(a->profile, set, types[i].vertex_type, types[i].instances);
    emit(w, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                              .name = name,
                              .index = set,
                              .active = tw__profile_row(a->profile, a->row, a->tiles),
                              .types = types,
                              .type_count = count,
                              .fidelity = TW_FIDELITY_ESTIMATED });
}

/* --- compute sets --------------------------------------------------------------------------------------------- */

/* What an edge that needs a buffer moves: data of other tiles is received before (or sent after) the step, data of
 * this one is copied. True: some of it belongs to other tiles. */
static bool add_edge(tw__accounting *a, const tw__edge *edge, unsigned tile, unsigned esize, bool input)
{
    tw__edge_list room;
    const tw__regions *list = tw__edge_regions(edge, &room);
    tw__exchange_walk walk = input ? tw__exchange_begin(a->core, list, 0, NULL, tile, 0, edge->count)
                                   : tw__exchange_begin(a->core, NULL, tile, list, 0, 0, edge->count);
    bool remote = false;
    for (tw__piece piece; tw__exchange_next(&walk, &piece);) {
        if (piece.src_tile == TW_UNMAPPED || piece.dst_tile == TW_UNMAPPED) continue;
        if (piece.src_tile != piece.dst_tile) {
            tw__traffic_add(input ? &a->before : &a->after, &piece, esize);
            remote = true;
        } else {
            tw__local_add(input ? &a->local_before : &a->local_after, &piece, esize);
        }
    }
    return remote;
}

static bool is_constrained(const tw__vertex_type *info, unsigned field)
{
    for (unsigned c = 0; c < info->num_constraints; c++)
        if (info->placed_apart[c].a == field || info->placed_apart[c].b == field) return true;
    return false;
}

static void add_vertex(tw__accounting *a, uint32_t vertex, bool first, bool *modelled)
{
    const tw__vertex *v = &a->core->vertices[vertex];
    const tw__vertex_type *info = a->core->types[v->type].info;
    bool guess;
    uint64_t cycles = tw__vertex_cycles(a->core, vertex, &guess).cycles;
    if (a->engine->chip && a->engine->chip->simulated[v->type]) guess = false; /* known when it has run */
    *modelled |= guess;
    if (guess && a->strict && !a->status)
        a->status =
            tw__fail(TW_E_MISSING_PERF_ESTIMATE,
                     "vertex %u of type %s in compute set '%s' has no performance estimate: register an estimator "
                     "for its type or set one on it (profiler.strictEstimates is on)",
                     vertex, info->name, a->core->compute_sets[v->cs].name);
    tw__workers_add(&a->workers, v->tile, info->kind != TW__VERTEX, cycles);
    a->type_cycles[v->type] += cycles;
    a->type_count[v->type]++;
    if (cycles > a->type_worst[v->type]) a->type_worst[v->type] = cycles, a->type_worst_tile[v->type] = v->tile;
    for (uint32_t e = v->first_edge; e; e = a->core->edges[e].next) {
        const tw__edge *edge = &a->core->edges[e];
        const tw__field *field = &info->fields[edge->field];
        if (tw__placement_direct(a->placement, edge, field, v->tile)) continue;
        unsigned esize = (unsigned)tw_target_type_size(a->target, field->type);
        bool remote = false;
        if (field->direction != TW__OUTPUT) remote |= add_edge(a, edge, v->tile, esize, true);
        if (field->direction != TW__INPUT) remote |= add_edge(a, edge, v->tile, esize, false);
        if (first) tw__placement_want(a->placement, e, v->type, v->tile, is_constrained(info, edge->field), remote);
    }
}

static void reset(tw__accounting *a)
{
    tw__traffic_reset(&a->before), tw__traffic_reset(&a->after);
    tw__local_reset(&a->local_before), tw__local_reset(&a->local_after);
    tw__workers_reset(&a->workers);
    memset(a->type_cycles, 0, a->core->type_count * sizeof *a->type_cycles);
    memset(a->type_count, 0, a->core->type_count * sizeof *a->type_count);
    memset(a->type_worst, 0, a->core->type_count * sizeof *a->type_worst);
    a->before.versions = &a->versions; /* what is sent after a step was written in it */
}

/* What the vertices of a compute set write. */
static void touch_outputs(tw__accounting *a, const uint32_t *vertices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const tw__vertex *v = &a->core->vertices[vertices[i]];
        const tw__vertex_type *info = a->core->types[v->type].info;
        for (uint32_t e = v->first_edge; e; e = a->core->edges[e].next) {
            tw__edge_list room;
            const tw__edge *edge = &a->core->edges[e];
            if (info->fields[edge->field].direction != TW__INPUT)
                tw__versions_touch(&a->versions, tw__edge_regions(edge, &room));
        }
    }
}

static unsigned slowest_of(const tw__accounting *a)
{
    unsigned slowest = 0;
    for (unsigned tile = 1; tile < a->tiles; tile++)
        if (a->row[tile] > a->row[slowest]) slowest = tile;
    return slowest;
}

static void execute_step(walker *w, const tw__plan_step *step)
{
    tw__accounting *a = w->a;
    const tw__exec *exec = &a->engine->plan.execs.items[step->payload];
    const char *name = a->core->compute_sets[exec->cs].name;
    bool modelled = false, first = !a->set_counted[exec->cs];
    size_t count;
    const uint32_t *vertices = tw__compute_set_vertices(a->core, exec->cs, &count);
    reset(a);
    for (size_t i = 0; i < count; i++) add_vertex(a, vertices[i], first, &modelled);
    if (first) {
        tw__placement_buffers(a->placement, step->payload, name);
        tw__account_states(a, step->payload);
        tw__placement_pairs(a->engine, a->placement, step->payload);
    }
    a->set_counted[exec->cs] = true;
    tw__traffic_finish(&a->before), tw__traffic_finish(&a->after);
    touch_outputs(a, vertices, count);

    emit_traffic(w, &a->before, steps_join(w, name, "ExchangePre"));
    emit_local(w, &a->local_before, steps_join(w, name, "OnTileCopyPre"));
    tw__type_cycles *types = a->used_types;
    size_t used = 0;
    if (a->sets[exec->cs] == TW__NONE) a->sets[exec->cs] = tw__profile_add_compute_set(a->profile, name);
    for (uint32_t t = 0; t < a->core->type_count; t++)
        if (a->type_count[t]) {
            types[used] = (tw__type_cycles){ .vertex_type = tw__account_type(a, t),
                                             .instances = a->type_count[t],
                                             .cycles = a->type_cycles[t],
                                             .worst = a->type_worst[t],
                                             .worst_tile = a->type_worst_tile[t] };
            if (first)
                tw__profile_add_vertices(a->profile, a->sets[exec->cs], types[used].vertex_type, a->type_count[t]);
            used++;
        }
    tw__workers_cycles(&a->workers, a->row);
    unsigned slowest = slowest_of(a);
    tw__account_work(a, vertices, count, slowest);
    emit(w, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                              .name = name,
                              .index = a->sets[exec->cs],
                              .active = tw__profile_row(a->profile, a->row, a->tiles),
                              .types = types,
                              .type_count = used,
                              .work = a->work.items,
                              .work_count = a->work.count,
                              .work_tile = slowest,
                              .fidelity = modelled ? TW_FIDELITY_ESTIMATED : TW_FIDELITY_MODELLED });
    a->account->compute_step[w->step] = (uint32_t)a->profile->steps.count - 1;
    emit_local(w, &a->local_after, steps_join(w, name, "OnTileCopyPost"));
    emit_traffic(w, &a->after, steps_join(w, name, "ExchangePost"));
}

/* --- copies --------------------------------------------------------------------------------------------------- */

static void copy_step(walker *w, const tw__plan_step *step)
{
    tw__accounting *a = w->a;
    const char *name = "";
    reset(a);
    for (uint32_t i = 0; i < step->programs; i++) {
        const tw__program *p = &a->core->programs[a->engine->plan.step_programs.items[step->first_program + i]];
        unsigned esize = (unsigned)tw_target_type_size(a->target, p->a.type);
        if (!*name) name = p->name;
        tw__exchange_walk walk =
            tw__exchange_begin(a->core, p->a.regions, 0, p->b.regions, 0, 0, p->a.regions->count);
        for (tw__piece piece; tw__exchange_next(&walk, &piece);) {
            if (piece.src_tile == TW_UNMAPPED || piece.dst_tile == TW_UNMAPPED) continue;
            if (piece.src_tile == piece.dst_tile)
                tw__local_add(&a->local_before, &piece, esize);
            else
                tw__traffic_add(&a->before, &piece, esize);
        }
    }
    tw__traffic_finish(&a->before);
    for (uint32_t i = 0; i < step->programs; i++)
        tw__versions_touch(
            &a->versions,
            a->core->programs[a->engine->plan.step_programs.items[step->first_program + i]].b.regions);
    emit_traffic(w, &a->before, name);
    emit_local(w, &a->local_before, steps_join(w, name, "OnTileCopy"));
}

/* Cycles that the replicas of a device need to send to each other what each tile of one sends and receives, which is
 * in `one` from IPU to IPU of a replica: over links, or within an IPU that several of them share. */
static uint64_t cross_cycles(tw__accounting *a, const tw__program *p, const tw__traffic *t, const uint64_t *one)
{
    unsigned each = a->target->ipus, all = a->core->device_ipus, n = p->case_count, shared = each * n / all;
    uint64_t *flow = tw__calloc((size_t)all * all, sizeof *flow), most = 0, cycles = 0;
    if (!flow) return a->failed = true, 0;
    for (unsigned i = 0; i < n; i++) {
        if (p->cases[i].value == TW__TO_NOBODY) continue;
        unsigned from = i * each / shared, to = (unsigned)p->cases[i].value * each / shared;
        for (unsigned src = 0; src < each; src++)
            for (unsigned dst = 0; dst < each; dst++)
                flow[(size_t)(from + src) * all + to + dst] += one[src * each + dst];
    }
    for (unsigned tile = 0; tile < a->tiles; tile++) {
        uint64_t busy = t->sent[tile] > t->received[tile] ? t->sent[tile] : t->received[tile];
        if (busy > most) most = busy;
    }
    tw_target device = *a->target; /* for its links alone */
    device.ipus = all;
    if (all > 1) cycles = tw__link_cycles(&device, flow, &a->failed);
    free(flow);
    uint64_t inside = (uint64_t)ceil((double)most / tw_target_exchange_bytes_per_cycle(a->target));
    return cycles > inside ? cycles : inside;
}

/* What one replica sends and receives; all of them do so at once. */
static void cross_step(walker *w, const tw__plan_step *step)
{
    tw__accounting *a = w->a;
    tw__traffic *t = &a->before;
    const tw__program *p = &a->core->programs[a->engine->plan.step_programs.items[step->first_program]];
    unsigned esize = (unsigned)tw_target_type_size(a->target, p->a.type);
    uint64_t total = 0, *flow = tw__calloc((size_t)a->target->ipus * a->target->ipus, sizeof *flow);
    reset(a);
    tw__exchange_walk walk = tw__exchange_begin(a->core, p->a.regions, 0, p->b.regions, 0, 0, p->a.regions->count);
    if (!flow) a->failed = true;
    for (tw__piece piece; flow && tw__exchange_next(&walk, &piece);) {
        if (piece.src_tile == TW_UNMAPPED || piece.dst_tile == TW_UNMAPPED) continue;
        uint64_t bytes = piece.count * esize;
        unsigned per_ipu = tw_target_tiles_per_ipu(a->target);
        t->sent[piece.src_tile] += bytes, t->received[piece.dst_tile] += bytes, total += bytes;
        flow[piece.src_tile / per_ipu * a->target->ipus + piece.dst_tile / per_ipu] += bytes;
        t->runs[piece.src_tile]++, t->runs[piece.dst_tile]++;
    }
    exchange_code(a, t, TW_STORAGE_INTERNAL_EXCHANGE_CODE);
    uint64_t cycles = flow ? cross_cycles(a, p, t, flow) : 0;
    free(flow);
    for (unsigned tile = 0; tile < a->tiles; tile++) a->row[tile] = t->sent[tile] || t->received[tile] ? cycles : 0;
    tw__exchange exchange = { .sent = tw__profile_row(a->profile, t->sent, a->tiles),
                              .received = tw__profile_row(a->profile, t->received, a->tiles),
                              .cycles = tw__profile_row(a->profile, a->row, a->tiles) };
    emit_sync(w, TW_PROFILE_SYNC_GLOBAL, TW__SYNC_BETWEEN_REPLICAS);
    emit(w, &(tw__step_desc){ .type = TW_PROGRAM_GLOBAL_EXCHANGE,
                              .name = p->name,
                              .index = tw__profile_add_exchange(a->profile, TW__EXCHANGE_GLOBAL, exchange),
                              .cycles = cycles,
                              .active = exchange.cycles,
                              .data = exchange.received,
                              .total_data = total,
                              .fidelity = TW_FIDELITY_ESTIMATED });
    tw__versions_touch(&a->versions, p->b.regions);
}

/* Bytes of elements [first, first + count) on each tile, added to row[]. */
static void add_host_data(tw__accounting *a, const tw__operand *operand, uint64_t first, uint64_t count)
{
    unsigned esize = (unsigned)tw_target_type_size(a->target, operand->type);
    tw__exchange_walk walk = tw__exchange_begin(a->core, operand->regions, 0, NULL, TW_UNMAPPED, first, count);
    for (tw__piece piece; tw__exchange_next(&walk, &piece);)
        if (piece.src_tile != TW_UNMAPPED) a->row[piece.src_tile] += piece.count * esize;
}

/* Cycles of a host copy on each IPU: a fixed overhead and the larger of two terms, its fullest tile at the rate of
 * one tile and all of it at the IPU's rate. Bytes by tile in row[], which becomes cycles of the tiles that take part:
 * those of one IPU are busy throughout (guide 8.2.3: 392 x 10,700 cycles), and without software syncs those of all
 * IPUs. */
static uint64_t host_cycles(tw__accounting *a, bool alone)
{
    const tw_tile_arch *arch = &a->target->arch;
    unsigned each = tw_target_tiles_per_ipu(a->target);
    uint64_t slowest = 0;
    for (unsigned first = 0; first < a->tiles; first += each) {
        uint64_t largest = 0, total = 0, cycles = 0;
        for (unsigned tile = first; tile < first + each; tile++) {
            total += a->row[tile];
            if (a->row[tile] > largest) largest = a->row[tile];
        }
        double by_tile = (double)largest / arch->host_tile_bytes_per_cycle,
               by_link = (double)total / arch->host_bytes_per_cycle;
        if (total) cycles = arch->host_copy_overhead + (uint64_t)ceil(by_tile > by_link ? by_tile : by_link);
        for (unsigned tile = first; tile < first + each; tile++) a->row[tile] = a->row[tile] ? cycles : 0;
        if (cycles > slowest) slowest = cycles;
    }
    for (unsigned tile = 0; tile < a->tiles && !alone; tile++)
        if (a->row[tile]) a->row[tile] = slowest;
    return slowest;
}

/* 0 or 1 when all IPUs that take part are on that side of the ladder, else -1. */
static int side_of(const tw__accounting *a)
{
    bool used[2] = { false, false };
    for (unsigned tile = 0; tile < a->tiles; tile++)
        if (a->row[tile]) used[tile / tw_target_tiles_per_ipu(a->target) & 1] = true;
    return used[0] && used[1] ? -1 : used[1];
}

static void emit_host(walker *w, const char *name, tw__sync_purpose purpose)
{
    tw__accounting *a = w->a;
    uint64_t total = 0;
    for (unsigned tile = 0; tile < a->tiles; tile++) {
        uint64_t bytes = a->row[tile];
        total += bytes;
        if (!bytes) continue;
        tw__memory_count(a->memory, tile, TW_STORAGE_HOST_EXCHANGE_CODE,
                         (uint64_t)HOST_CODE * a->target->arch.instruction_bytes);
        tw__memory_count(a->memory, tile, TW_STORAGE_HOST_PACKET_HEADER,
                         (bytes + PACKET_BYTES - 1) / PACKET_BYTES * PACKET_HEADER_BYTES);
    }
    tw__exchange exchange = { .received = tw__profile_row(a->profile, a->row, a->tiles) };
    int side = side_of(a);
    tw__sync_cost before = tw__sync_cost_of(a->engine, purpose, side, false),
                  after = tw__sync_cost_of(a->engine, purpose, side, true);
    uint64_t cycles = host_cycles(a, strcmp(after.group, before.group) != 0);
    exchange.cycles = tw__profile_row(a->profile, a->row, a->tiles);
    emit_sync_of(w, TW_PROFILE_SYNC_EXTERNAL, before);
    emit(w, &(tw__step_desc){ .type = TW_PROGRAM_STREAM_COPY,
                              .name = name,
                              .index = tw__profile_add_exchange(a->profile, TW__EXCHANGE_HOST, exchange),
                              .cycles = cycles,
                              .active = exchange.cycles,
                              .data = exchange.received,
                              .total_data = total,
                              .fidelity = TW_FIDELITY_ESTIMATED });
    emit_sync_of(w, TW_PROFILE_SYNC_INTERNAL, after);
    emit_sync(w, TW_PROFILE_SYNC_INTERNAL, TW__SYNC_IN_IPU);
}

static const char *first_name(const tw__accounting *a, const tw__plan_step *step)
{
    for (uint32_t i = 0; i < step->programs; i++) {
        const char *name = a->core->programs[a->engine->plan.step_programs.items[step->first_program + i]].name;
        if (*name) return name;
    }
    return "";
}

static void transfer_step(walker *w, const tw__plan_step *step)
{
    tw__accounting *a = w->a;
    const tw__transfer *transfer = &a->engine->plan.transfers.items[step->payload];
    memset(a->row, 0, a->tiles * sizeof *a->row);
    for (size_t i = 0; i < transfer->count; i++) {
        const tw__part *part = &transfer->parts[i];
        add_host_data(a, &a->core->programs[part->program].a, part->first, part->count);
    }
    emit_host(w, first_name(a, step), TW__SYNC_HOST);
}

/* Remote buffers and PrintTensor: the tensor goes to or comes from outside. A print is known by its title. */
static void whole_operand_step(walker *w, const tw__plan_step *step)
{
    tw__accounting *a = w->a;
    tw__plan_kind kind = a->engine->plan.steps.items[w->step].kind;
    const char *name = first_name(a, step);
    memset(a->row, 0, a->tiles * sizeof *a->row);
    for (uint32_t i = 0; i < step->programs; i++) {
        const tw__operand *operand =
            &a->core->programs[a->engine->plan.step_programs.items[step->first_program + i]].a;
        if (operand->regions) add_host_data(a, operand, 0, operand->regions->count);
    }
    if (kind == TW__S_PRINT && !*name) {
        const char *title = a->core->programs[a->engine->plan.step_programs.items[step->first_program]].text;
        name = tw__arena_printf(a->engine->arena, "print%s%s", *title ? " " : "", title);
    }
    emit_host(w, name, kind == TW__S_REMOTE ? TW__SYNC_REMOTE : TW__SYNC_HOST);
}

/* A predicate is read on its tile and goes to all others, so that every tile takes the same way. */
static void branch_step(walker *w, const tw__plan_step *step)
{
    tw__accounting *a = w->a;
    const tw__program *p = &a->core->programs[a->engine->plan.step_programs.items[step->first_program]];
    const tw__operand *value = p->kind == TW__P_COUNTED_FOR && p->b.regions ? &p->b : &p->a;
    if (!value->regions) return;
    reset(a);
    tw__region_walk walk = tw__region_walk_begin(value->regions, 0, 1);
    tw__elems at;
    if (!tw__region_walk_next(&walk, &at)) return;
    const tw__variable *var = &a->core->vars[at.var];
    size_t m = tw__mapped_find(var, at.offset);
    if (m >= var->mapped_count) return;
    tw__piece piece = { .src_tile = var->mapped[m].tile,
                        .src_var = at.var,
                        .dst_var = UINT32_MAX,
                        .src = at.offset,
                        .src_stride = 1,
                        .dst_stride = 1,
                        .count = 1 };
    for (unsigned tile = 0; tile < a->tiles; tile++)
        if ((piece.dst_tile = tile) != piece.src_tile)
            tw__traffic_add(&a->before, &piece, (unsigned)tw_target_type_size(a->target, value->type));
    tw__traffic_finish(&a->before);
    char name[64];
    snprintf(name, sizeof name, "switchControlBroadcast%u/ExchangePre", a->broadcasts++);
    emit_traffic(w, &a->before, tw__arena_strdup(a->engine->arena, name));
}

static void sync_step(walker *w, const tw__plan_step *step)
{
    static const struct {
        tw_profile_sync kind;
        tw__sync_purpose purpose;
    } kinds[] = { [TW_SYNC_INTERNAL] = { TW_PROFILE_SYNC_INTERNAL, TW__SYNC_IN_IPU },
                  [TW_SYNC_EXTERNAL] = { TW_PROFILE_SYNC_EXTERNAL, TW__SYNC_ALL },
                  [TW_SYNC_GLOBAL] = { TW_PROFILE_SYNC_GLOBAL, TW__SYNC_ALL } };
    emit_sync(w, kinds[step->payload].kind, kinds[step->payload].purpose);
}

static void empty_step(walker *w, const tw__plan_step *step)
{
    static const struct {
        tw__program_kind kind;
        tw_program_type type;
    } types[] = {
        { TW__P_WRITE_UNDEF, TW_PROGRAM_WRITE_UNDEF },
        { TW__P_ASSUME_EQUAL, TW_PROGRAM_ASSUME_EQUAL },
        { TW__P_ABORT, TW_PROGRAM_ABORT },
        { TW__P_ABORT_IF, TW_PROGRAM_ABORT_ON_CONDITION },
        { TW__P_ERROR, TW_PROGRAM_ABORT },
    };
    const tw__program *p = &w->a->core->programs[w->a->engine->plan.step_programs.items[step->first_program]];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == p->kind)
            emit(w,
                 &(tw__step_desc){
                     .type = types[i].type, .name = p->name, .index = TW__NONE, .fidelity = TW_FIDELITY_MODELLED });
}

static void (*const makers[])(walker *w, const tw__plan_step *step) = {
    [TW__S_EXECUTE] = execute_step,      [TW__S_COPY] = copy_step,   [TW__S_TRANSFER] = transfer_step,
    [TW__S_REMOTE] = whole_operand_step, [TW__S_SYNC] = sync_step,   [TW__S_BRANCH] = branch_step,
    [TW__S_PRINT] = whole_operand_step,  [TW__S_ABORT] = empty_step, [TW__S_NOTHING] = empty_step,
    [TW__S_CROSS] = cross_step,
};

void tw__account_emit(tw__accounting *a, uint32_t step, uint32_t parent)
{
    const tw__plan_step *planned = &a->engine->plan.steps.items[step];
    walker w = { a, parent, step };
    makers[planned->kind](&w, planned);
}
