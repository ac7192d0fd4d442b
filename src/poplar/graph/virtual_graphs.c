/* SPDX-License-Identifier: MIT */
/* Graphs: their life, and virtual graphs, which are other handles on the same core with tiles numbered from 0. */
#include "poplar/graph/build.h"

#include <stdlib.h>
#include <string.h>

/* --- the core ------------------------------------------------------------------------------------------------- */

tw__core *tw__graph_core(tw_graph *graph)
{
    return graph->core;
}

tw__core *tw__core_ref(tw__core *core)
{
    core->refs++;
    return core;
}

static void free_vars(tw__core *core)
{
    for (size_t i = 0; i < core->var_count; i++) {
        tw__variable *v = &core->vars[i];
        for (tw__initial *k = v->initial; k; k = k->next) tw__regions_unref(k->regions);
        free(v->mapped);
        free(v->pending);
    }
    free(core->vars);
}

static void free_programs(tw__core *core)
{
    for (size_t i = 1; i < core->program_count; i++) {
        tw__operand_drop(&core->programs[i].a);
        tw__operand_drop(&core->programs[i].b);
    }
    for (size_t i = 0; i < core->access_count; i++) tw__operand_drop(&core->accesses[i].tensor);
    free(core->programs);
    free(core->accesses);
}

static void free_types(tw__core *core)
{
    for (size_t i = 0; i < core->type_count; i++)
        if (core->types[i].destroy) core->types[i].destroy(core->types[i].user);
    free(core->types);
    if (core->type_index) g_hash_table_destroy(core->type_index);
}

void tw__core_unref(tw__core *core)
{
    if (!core || --core->refs) return;
    for (size_t i = 1; i < core->edge_count; i++) tw__regions_unref(core->edges[i].regions);
    free_vars(core);
    free_programs(core);
    free_types(core);
    tw__vertex_lists_drop(core);
    tw__handles_free(core->handles);
    tw__codelets_free(core->codelets);
    tw__arena_free(core->arena);
    free(core->vertices);
    free(core->replicated);
    free(core->edges);
    free(core->values);
    free(core->sizes);
    free(core->compute_sets);
    free(core->estimates);
    free(core->functions);
    if (core->late_values) g_hash_table_destroy(core->late_values);
    free(core->function_buffers);
    free(core->host_functions);
    free(core->streams);
    free(core->remotes);
    free(core->error);
    if (core->target) tw_target_free(core->target);
    free(core);
}

/* Entry 0 of an array whose ids start at 1. */
static bool reserve(void *items, size_t *room, size_t *count, size_t size)
{
    void *first;
    if (!tw__grow(items, room, 0, size)) return false;
    memcpy(&first, items, sizeof first);
    memset(first, 0, size);
    *count = 1;
    return true;
}

#define RESERVE(core, array, one) \
    reserve(&(core)->array, &(core)->one##_room, &(core)->one##_count, sizeof *(core)->array)

static tw__core *core_new(const tw_target *target)
{
    tw__core *core = tw__realloc(NULL, sizeof *core);
    if (!core) return NULL;
    *core = (tw__core){ .refs = 1, .target = tw_target_ref(target) };
    core->error = tw__realloc(NULL, sizeof *core->error);
    if (core->error) *core->error = (tw__error_state){ 0 };
    core->arena = tw__arena_new(0);
    core->handles = tw__handles_new();
    /* docs/decisions.md, G3: on the IPU half has two bytes everywhere; on the CPU it is a float unless asked
     * otherwise. */
    bool f16 = target->kind != TW_TARGET_CPU || target->accurate_half;
    core->codelets = tw__codelets_new(f16 ? TW__HALF_F16 : TW__HALF_FLOAT);
    core->type_index = g_hash_table_new(g_str_hash, g_str_equal);
    bool done = core->error && core->arena && core->handles && core->codelets && RESERVE(core, vertices, vertex) &&
                RESERVE(core, edges, edge) && RESERVE(core, values, value) &&
                RESERVE(core, compute_sets, compute_set) && RESERVE(core, programs, program) &&
                RESERVE(core, functions, function) && RESERVE(core, streams, stream) &&
                RESERVE(core, remotes, remote);
    if (done) return core;
    tw__core_unref(core);
    return NULL;
}

/* --- graphs --------------------------------------------------------------------------------------------------- */

static tw_graph *graph_new(const tw_target *target)
{
    if (!target) return tw__no_graph(tw__missing("target"));
    if (!target->tiles)
        return tw__no_graph(tw__fail(TW_E_MACHINE_MODEL, "the target has no tiles; a graph needs one at least"));
    tw_target *own = tw_target_ref(target);
    tw_graph *graph = tw__realloc(NULL, sizeof *graph);
    tw__core *core = graph ? core_new(own) : NULL;
    if (!core) {
        free(graph);
        tw_target_free(own);
        return tw__no_graph(tw__fail(TW_E_NO_MEMORY, "out of host memory"));
    }
    *graph = (tw_graph){ .refs = 1, .core = core, .target = own };
    return graph;
}

tw_graph *tw_graph_new(const tw_target *target)
{
    tw__enter_maker(__func__);
    return graph_new(target);
}

void tw_graph_free(tw_graph *graph)
{
    if (!graph || --graph->refs) return;
    tw_graph *top = graph->top;
    for (unsigned i = 0; i < graph->replicas; i++) tw_graph_free(graph->replica[i]);
    free(graph->replica);
    tw__core_unref(graph->core);
    tw_target_free(graph->target);
    free((void *)(uintptr_t)graph->to_top);
    free((void *)(uintptr_t)graph->from_top);
    free(graph);
    tw_graph_free(top);
}

const tw_target *tw_graph_target(const tw_graph *graph)
{
    return graph ? graph->target : NULL;
}

size_t tw_graph_vertex_count(const tw_graph *graph)
{
    return graph && graph->core->vertex_count ? graph->core->vertex_count - 1 : 0;
}

size_t tw_graph_edge_count(const tw_graph *graph)
{
    return graph && graph->core->edge_count ? graph->core->edge_count - 1 : 0;
}

size_t tw_graph_variable_count(const tw_graph *graph)
{
    return graph ? graph->core->var_count : 0;
}

/* --- tiles ---------------------------------------------------------------------------------------------------- */

tw_graph *tw_graph_top_level(tw_graph *graph)
{
    if (graph && graph->core->created) {
        tw__enter(graph, __func__);
        tw__graph_fail(graph->core, TW_E_REPLICATION, "a graph that exists as replicas only has no parent graph");
        return graph;
    }
    return graph && graph->top ? graph->top : graph;
}

unsigned tw_graph_to_top_level_tile(const tw_graph *graph, unsigned tile)
{
    if (!graph || tile >= graph->target->tiles) return TW_UNMAPPED;
    return graph->to_top ? graph->to_top[tile] : tile;
}

unsigned tw_graph_from_top_level_tile(const tw_graph *graph, unsigned tile)
{
    if (!graph || tile >= graph->core->target->tiles) return TW_UNMAPPED;
    return graph->from_top ? graph->from_top[tile] : tile;
}

void *tw__graph_refused(const tw_graph *graph)
{
    return graph ? tw__nothing_made(&graph->core->error->error) : tw__made(tw_error_status(), NULL);
}

/* A virtual graph of ipus x count tiles; tile k of IPU i is tile i * per_ipu + (list ? list[k] : first + k) of the
 * graph it is made from. */
static tw_graph *virtual_graph(tw_graph *graph, unsigned ipus, unsigned per_ipu, unsigned count, unsigned first,
                               const unsigned *list)
{
    unsigned all = graph->core->target->tiles, n = ipus * count;
    tw_graph *v = tw__realloc(NULL, sizeof *v);
    uint32_t *to = tw__realloc(NULL, n * sizeof *to), *from = tw__realloc(NULL, all * sizeof *from);
    tw_target *target = tw__realloc(NULL, sizeof *target);
    if (!v || !to || !from || !target) {
        free(v);
        free(to);
        free(from);
        free(target);
        tw__graph_no_memory(graph->core);
        return tw__graph_refused(graph);
    }
    for (unsigned i = 0; i < all; i++) from[i] = TW_UNMAPPED;
    for (unsigned i = 0; i < ipus; i++)
        for (unsigned k = 0; k < count; k++) {
            unsigned tile = i * per_ipu + (list ? list[k] : first + k);
            to[i * count + k] = graph->to_top ? graph->to_top[tile] : tile;
            from[to[i * count + k]] = i * count + k;
        }
    tw__target_cut(target, graph->target, ipus, count);
    tw_graph *top = graph->top ? graph->top : graph;
    top->refs++;
    *v = (tw_graph){
        .refs = 1, .core = tw__core_ref(graph->core), .target = target, .top = top, .to_top = to, .from_top = from
    };
    return v;
}

/* The virtual graph of a replicated one has the same part of each replica. */
static tw_graph *with_replicas(tw_graph *graph, tw_graph *v, unsigned ipus, unsigned per_ipu, unsigned count,
                               unsigned first, const unsigned *list)
{
    if (!v || !graph->replicas) return v;
    v->replica = tw__realloc(NULL, graph->replicas * sizeof *v->replica);
    if (!v->replica) tw__graph_no_memory(graph->core);
    for (unsigned i = 0; v->replica && i < graph->replicas; i++, v->replicas++)
        v->replica[i] = virtual_graph(graph->replica[i], ipus, per_ipu, count, first, list);
    if (graph->core->error->error.status == TW_OK) return v;
    tw_graph_free(v);
    return tw__graph_refused(graph);
}

static tw_graph *part_of(tw_graph *graph, unsigned ipus, unsigned per_ipu, unsigned count, unsigned first,
                         const unsigned *list)
{
    tw_graph *v = virtual_graph(graph, ipus, per_ipu, count, first, list);
    return with_replicas(graph, v, ipus, per_ipu, count, first, list);
}

tw_graph *tw_graph_virtual_first(tw_graph *graph, unsigned tiles_per_ipu)
{
    TW__ENTER(graph, tw__graph_refused(graph));
    const tw_target *t = graph->target;
    if (tiles_per_ipu && tiles_per_ipu <= t->tiles_per_ipu)
        return part_of(graph, t->ipus, t->tiles_per_ipu, tiles_per_ipu, 0, NULL);
    tw__graph_fail(graph->core, TW_E_TILE_MAPPING, "virtual graph of the first %u tiles of each IPU: an IPU has %u",
                   tiles_per_ipu, t->tiles_per_ipu);
    return tw__graph_refused(graph);
}

tw_graph *tw_graph_virtual_range(tw_graph *graph, unsigned lower, unsigned upper)
{
    TW__ENTER(graph, tw__graph_refused(graph));
    const tw_target *t = graph->target;
    if (lower >= upper || upper > t->tiles) {
        tw__graph_fail(graph->core, TW_E_TILE_MAPPING,
                       "virtual graph of tiles [%u, %u): the graph has tiles 0 to %u", lower, upper, t->tiles - 1);
        return tw__graph_refused(graph);
    }
    /* Whole IPUs stay IPUs; any other range counts as one. */
    unsigned per_ipu = t->tiles_per_ipu, n = upper - lower;
    if (lower % per_ipu == 0 && n % per_ipu == 0) return part_of(graph, n / per_ipu, per_ipu, per_ipu, lower, NULL);
    return part_of(graph, 1, 0, n, lower, NULL);
}

tw_graph *tw_graph_virtual_tiles(tw_graph *graph, unsigned count, const unsigned *tiles_of_each_ipu)
{
    TW__ENTER(graph, tw__graph_refused(graph));
    const tw_target *t = graph->target;
    if (!count || count > t->tiles_per_ipu || !tiles_of_each_ipu) {
        tw__graph_fail(graph->core, TW_E_TILE_MAPPING, "virtual graph of %u tiles of each IPU: an IPU has %u",
                       count, t->tiles_per_ipu);
        return tw__graph_refused(graph);
    }
    bool *seen = tw__realloc(NULL, t->tiles_per_ipu * sizeof *seen);
    if (!seen) {
        tw__graph_no_memory(graph->core);
        return tw__graph_refused(graph);
    }
    memset(seen, 0, t->tiles_per_ipu * sizeof *seen);
    bool fine = true;
    for (unsigned i = 0; i < count && fine; i++) {
        unsigned tile = tiles_of_each_ipu[i];
        if (tile >= t->tiles_per_ipu)
            fine = tw__graph_fail(graph->core, TW_E_TILE_MAPPING,
                                  "virtual graph with tile %u of each IPU: tiles are 0 to %u", tile,
                                  t->tiles_per_ipu - 1);
        else if (seen[tile])
            fine = tw__graph_fail(graph->core, TW_E_TILE_MAPPING, "virtual graph with tile %u twice", tile);
        else
            seen[tile] = true;
    }
    free(seen);
    if (!fine) return tw__graph_refused(graph);
    return part_of(graph, t->ipus, t->tiles_per_ipu, count, 0, tiles_of_each_ipu);
}

/* --- replicated graphs (the other way of making them: replicas.c) --------------------------------------------- */

tw_target *tw__replica_target(const tw_target *from, unsigned factor)
{
    if (factor > TW__REPLICAS) {
        tw__fail(TW_E_REPLICATION, "replication factor %u: %u replicas are the most", factor, TW__REPLICAS);
        return NULL;
    }
    bool whole = factor && from->ipus % factor == 0;
    unsigned of_ipu = factor / (from->ipus ? from->ipus : 1);
    if (!whole && (!of_ipu || factor % from->ipus || from->tiles_per_ipu % of_ipu)) {
        tw__fail(TW_E_REPLICATION,
                 "replication factor %u does not divide the %u tile%s of %u IPU%s into equal parts", factor,
                 from->tiles, from->tiles == 1 ? "" : "s", from->ipus, from->ipus == 1 ? "" : "s");
        return NULL;
    }
    tw_target *target = tw__realloc(NULL, sizeof *target);
    if (target)
        tw__target_cut(target, from, whole ? from->ipus / factor : 1,
                       whole ? from->tiles_per_ipu : from->tiles_per_ipu / of_ipu);
    else
        tw__fail(TW_E_NO_MEMORY, "out of host memory");
    return target;
}

tw_graph *tw_graph_new_replicated(const tw_target *target, unsigned factor)
{
    tw__enter_maker(__func__);
    if (!target || factor == 1) return graph_new(target);
    if (!target->takes_replicas)
        return tw__no_graph(
            tw__fail(TW_E_REPLICATION,
                     "replication factor %u: graphs that exist as replicas only are not supported on "
                     "the %s; make a graph and use tw_graph_replicated()%s",
                     factor, target->kind == TW_TARGET_CPU ? "CPU" : "IPU Model",
                     target->kind == TW_TARGET_CPU ? "" : ", or set the target option replicasOnly"));
    tw_target *own = tw__replica_target(target, factor);
    if (!own) return tw__no_graph(tw_error_status());
    tw_graph *graph = graph_new(own);
    tw_target_free(own);
    if (graph) graph->core->created = factor, graph->core->device_ipus = target->ipus;
    return graph;
}
