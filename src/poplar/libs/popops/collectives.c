/* SPDX-License-Identifier: MIT */
/* Collectives. Between replicas a step k sends from each replica i to i + k; which row that is for whom depends on
 * the replica, so rows are turned by its number before and behind. */
#include "poplar/libs/popops/popops.h"

#include <tilewright/poplibs/collectives.h>

#include <string.h>

typedef struct collective {
    tw_graph *graph;
    const char *call;
    tw_type type;
    size_t ranks, elements, part; /* of one rank; of a part */
    tw_program sequence;
    const char *name;
} collective;

static const tw_reduce_op collective_ops[] = {
    [TW_COLLECTIVE_ADD] = TW_REDUCE_ADD,
    [TW_COLLECTIVE_MEAN] = TW_REDUCE_ADD,
    [TW_COLLECTIVE_MUL] = TW_REDUCE_MUL,
    [TW_COLLECTIVE_MIN] = TW_REDUCE_MIN,
    [TW_COLLECTIVE_MAX] = TW_REDUCE_MAX,
    [TW_COLLECTIVE_LOGICAL_AND] = TW_REDUCE_LOGICAL_AND,
    [TW_COLLECTIVE_LOGICAL_OR] = TW_REDUCE_LOGICAL_OR,
    [TW_COLLECTIVE_SQUARE_ADD] = TW_REDUCE_SQUARE_ADD,
    [TW_COLLECTIVE_LOCAL] = TW_REDUCE_ADD, /* is not reduced */
};

/* --- checks --------------------------------------------------------------------------------------------------- */

static bool collective_check(collective *c, tw_graph *graph, const char *call, tw_tensor tensor,
                             tw_program sequence, const char *name)
{
    *c = (collective){ .graph = graph, .call = call, .sequence = sequence, .name = name };
    if (!tw__libs_ready(graph)) return false;
    c->type = tw_tensor_type(graph, tensor);
    c->elements = (size_t)tw_tensor_elements(graph, tensor);
    if (!tw__libs_ready(graph)) return false;
    if (c->elements && tw_graph_mapping_complete(graph, tensor)) return true;
    tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has no elements, or some that are on no tile",
                  tw__libs_describe(graph, tensor).text);
    return false;
}

static bool collective_check_op(const collective *c, tw_collective op, tw_tensor tensor)
{
    bool known = (unsigned)op < G_N_ELEMENTS(collective_ops), real = c->type == TW_FLOAT || c->type == TW_HALF;
    bool logical = op == TW_COLLECTIVE_LOGICAL_AND || op == TW_COLLECTIVE_LOGICAL_OR;
    bool fits = known && (op == TW_COLLECTIVE_LOCAL ||
                          (logical == (c->type == TW_BOOL) && (op != TW_COLLECTIVE_MEAN || real) &&
                           (real || logical || c->type == TW_INT || c->type == TW_UNSIGNED_INT)));
    if (!fits)
        tw_graph_fail(c->graph, TW_E_POPLIBS, c->call, "collective %d does not take %s", (int)op,
                      tw__libs_describe(c->graph, tensor).text);
    return fits;
}

static bool collective_check_ranks(collective *c, tw_tensor tensor)
{
    if (tw_tensor_rank(c->graph, tensor)) {
        c->ranks = tw_tensor_dim(c->graph, tensor, 0);
        c->elements /= c->ranks, c->part = (c->elements + c->ranks - 1) / c->ranks;
        return true;
    }
    tw_graph_fail(c->graph, TW_E_POPLIBS, c->call, "%s has no dimension of ranks",
                  tw__libs_describe(c->graph, tensor).text);
    return false;
}

static void collective_replicas(collective *c)
{
    c->ranks = tw_graph_replication_factor(c->graph);
    c->part = (c->elements + c->ranks - 1) / c->ranks;
}

/* The ranks' rows [ranks][n] joined, to `output` where that is not nil. */
static tw_tensor collective_join(const collective *c, tw_collective op, tw_tensor rows, tw_tensor output)
{
    tw_graph *g = c->graph;
    size_t dim = 0;
    tw_reduce_params params = { .op = collective_ops[op] };
    if (op == TW_COLLECTIVE_MEAN) params.scale = tw__popops_number(g, TW_FLOAT, 1 / (double)c->ranks);
    if (!output.id)
        return tw_popops_reduce(g, rows, c->type, 1, &dim, &params, c->sequence,
                                tw__libs_path(c->name, "join").text, NULL);
    tw_popops_reduce_with_output(g, rows, output, 1, &dim, &params, c->sequence,
                                 tw__libs_path(c->name, "join").text, NULL);
    return output;
}

/* --- ranks of one graph --------------------------------------------------------------------------------------- */

/* [ranks][n] of [ranks][...]. */
static tw_tensor ranks_flat(const collective *c, tw_tensor tensor)
{
    return tw_tensor_reshape(c->graph, tensor, 2, (size_t[]){ c->ranks, c->elements });
}

static tw_tensor ranks_scatter(const collective *c, tw_tensor tensor, tw_collective op)
{
    tw_graph *g = c->graph;
    tw_tensor rows = ranks_flat(c, tensor);
    g_autofree tw_tensor *own = g_new(tw_tensor, c->ranks), *part = g_new(tw_tensor, c->ranks);
    for (size_t i = 0; i < c->ranks; i++) {
        size_t begin = MIN(i * c->part, c->elements), end = MIN(begin + c->part, c->elements);
        own[i] = tw_tensor_slice(g, tw_tensor_index(g, rows, i), 0, begin, end);
        part[i] = tw_graph_clone(g, TW_TYPE_NONE, own[i], TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, c->name);
    }
    tw_tensor made = tw_tensor_concat(g, (unsigned)c->ranks, part, 0);
    if (op == TW_COLLECTIVE_LOCAL)
        tw_program_sequence_add(g, c->sequence,
                                tw_program_copy(g, tw_tensor_concat(g, (unsigned)c->ranks, own, 0), made));
    else
        collective_join(c, op, rows, made);
    return made;
}

static tw_tensor ranks_gather(const collective *c, tw_tensor row, tw_tensor like)
{
    tw_graph *g = c->graph;
    tw_tensor made = tw_graph_clone(g, TW_TYPE_NONE, like, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, c->name);
    tw_tensor rows = ranks_flat(c, made);
    for (size_t i = 0; i < c->ranks; i++)
        tw_program_sequence_add(g, c->sequence, tw_program_copy(g, row, tw_tensor_index(g, rows, i)));
    return made;
}

tw_tensor tw_popops_reduce_scatter(tw_graph *graph, tw_tensor tensor, tw_collective op, tw_program sequence,
                                   const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    collective c;
    if (!collective_check(&c, graph, __func__, tensor, sequence, name) || !collective_check_op(&c, op, tensor) ||
        !collective_check_ranks(&c, tensor))
        return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor made = tw_tensor_keep(graph, ranks_scatter(&c, tensor, op));
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_popops_all_gather(tw_graph *graph, tw_tensor row, tw_tensor like, tw_program sequence,
                               const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    collective c;
    if (!collective_check(&c, graph, __func__, like, sequence, name) || !collective_check_ranks(&c, like))
        return TW__LIBS_NIL;
    uint64_t n = tw_tensor_elements(graph, row);
    tw_type type = tw_tensor_type(graph, row);
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    if (n != c.elements || type != c.type || tw_tensor_rank(graph, row) != 1) {
        TW__LIBS_REFUSE(graph, "a row of %s is flat, not %s", tw__libs_describe(graph, like).text,
                        tw__libs_describe(graph, row).text);
        return TW__LIBS_NIL;
    }
    tw_graph_push_scope(graph);
    tw_tensor made = tw_tensor_keep(graph, ranks_gather(&c, row, like));
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_popops_all_reduce(tw_graph *graph, tw_tensor tensor, tw_collective op, tw_program sequence,
                               const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    collective c;
    if (!collective_check(&c, graph, __func__, tensor, sequence, name) || !collective_check_op(&c, op, tensor) ||
        !collective_check_ranks(&c, tensor))
        return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor made = op == TW_COLLECTIVE_LOCAL ? tw_poputil_duplicate(graph, tensor, sequence, name,
                                                                      TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES)
                                               : ranks_gather(&c, ranks_scatter(&c, tensor, op), tensor);
    made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

/* --- replicas ------------------------------------------------------------------------------------------------- */

/* A matrix of rows that lie in columns, as slices of it do. */
static tw_tensor replica_rows(const collective *c, size_t columns, const char *name)
{
    size_t shape[] = { c->ranks, columns }, dim = 0, size = 1;
    return tw_popops_create_sliceable(c->graph, c->type, 2, shape, 1, &dim, &size, 0,
                                      tw__libs_path(c->name, name).text);
}

/* Row i of the result is row (replica + i) mod ranks, or with `back` (replica - i) mod ranks. */
static tw_tensor replica_turn(const collective *c, tw_tensor rows, bool back)
{
    tw_graph *g = c->graph;
    size_t dim = 0, size = 1;
    char text[80];
    g_autofree uint32_t *numbers = g_new(uint32_t, c->ranks);
    for (size_t i = 0; i < c->ranks; i++) numbers[i] = (uint32_t)(back ? c->ranks - i : i);
    tw_tensor pair[] = { tw_graph_add_constant(g, TW_UNSIGNED_INT, 1, &c->ranks, numbers, false, "ranks"),
                         tw_graph_add_replication_index_constant(g, "replica") };
    tw_graph_map(g, pair[0], 0), tw_graph_map(g, pair[1], 0);
    snprintf(text, sizeof text, "(_1 + _2) %% %zuu", c->ranks);
    tw_tensor places = tw_popops_map(g, text, 2, pair, c->sequence, tw__libs_path(c->name, "places").text, NULL);
    tw_tensor turned = tw_popops_multi_slice(g, rows, tw_tensor_expand(g, places, 1, (size_t[]){ 1 }), 1, &dim,
                                             &size, c->sequence, tw__libs_path(c->name, "turn").text, NULL);
    return tw_tensor_squeeze(g, turned, 1, (size_t[]){ 1 });
}

/* Row i of the result is what replica i has sent: its row `source(k)` to the one that is k replicas further. */
static tw_tensor replica_exchange(const collective *c, tw_tensor source, bool same_row, size_t columns)
{
    tw_graph *g = c->graph;
    tw_tensor got = replica_rows(c, columns, "got");
    g_autofree unsigned *to = g_new(unsigned, c->ranks);
    for (size_t k = 0; k < c->ranks; k++) {
        tw_tensor row = tw_tensor_index(g, source, same_row ? 0 : k), into = tw_tensor_index(g, got, k);
        for (size_t i = 0; i < c->ranks; i++) to[i] = (unsigned)((i + k) % c->ranks);
        tw_program_sequence_add(
            g, c->sequence, k ? tw_program_cross_replica_copy(g, row, into, to) : tw_program_copy(g, row, into));
    }
    return replica_turn(c, got, true);
}

static tw_tensor replica_gather(const collective *c, tw_tensor flat)
{
    size_t n = (size_t)tw_tensor_elements(c->graph, flat);
    return replica_exchange(c, tw_tensor_expand(c->graph, flat, 1, (size_t[]){ 0 }), true, n);
}

static tw_tensor replica_scatter(const collective *c, tw_tensor tensor, tw_collective op)
{
    tw_graph *g = c->graph;
    tw_tensor parts = replica_rows(c, c->part, "parts"), flat = tw_tensor_flatten(g, parts);
    tw_tensor used = tw_tensor_slice(g, flat, 0, 0, c->elements),
              rest = tw_tensor_slice(g, flat, 0, c->elements, c->ranks * c->part);
    tw_program_sequence_add(g, c->sequence, tw_program_copy(g, tw_tensor_flatten(g, tensor), used));
    if (c->elements < c->ranks * c->part) tw_popops_zero(g, rest, c->sequence, tw__libs_path(c->name, "rest").text);
    tw_tensor turned = replica_turn(c, parts, false);
    if (op == TW_COLLECTIVE_LOCAL) return tw_tensor_index(g, turned, 0);
    return collective_join(c, op, replica_exchange(c, turned, false, c->part), TW__LIBS_NIL);
}

tw_tensor tw_gcl_reduce_scatter_cross_replica(tw_graph *graph, tw_tensor tensor, tw_collective op,
                                              tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    collective c;
    if (!collective_check(&c, graph, __func__, tensor, sequence, name) || !collective_check_op(&c, op, tensor))
        return TW__LIBS_NIL;
    collective_replicas(&c);
    tw_graph_push_scope(graph);
    tw_tensor made = tw_tensor_keep(graph, replica_scatter(&c, tensor, op));
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_gcl_all_gather_cross_replica(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    collective c;
    if (!collective_check(&c, graph, __func__, tensor, sequence, name)) return TW__LIBS_NIL;
    collective_replicas(&c);
    tw__extents shape = tw__libs_shape(graph, tensor), all = { .rank = shape.rank + 1, .dim = { c.ranks } };
    if (all.rank > TW__LIBS_RANK) {
        TW__LIBS_REFUSE(graph, "%s has no room for one more dimension", tw__libs_describe(graph, tensor).text);
        return TW__LIBS_NIL;
    }
    memcpy(all.dim + 1, shape.dim, shape.rank * sizeof *shape.dim);
    tw_graph_push_scope(graph);
    tw_tensor made = replica_gather(&c, tw_tensor_flatten(graph, tensor));
    made = tw_tensor_keep(graph, tw_tensor_reshape(graph, made, all.rank, all.dim));
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_gcl_all_reduce_cross_replica(tw_graph *graph, tw_tensor tensor, tw_collective op, tw_program sequence,
                                          const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    collective c;
    if (!collective_check(&c, graph, __func__, tensor, sequence, name) || !collective_check_op(&c, op, tensor))
        return TW__LIBS_NIL;
    collective_replicas(&c);
    tw_graph_push_scope(graph);
    tw_tensor made = tw_graph_clone(graph, TW_TYPE_NONE, tensor, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name), all;
    all = op == TW_COLLECTIVE_LOCAL ? tw_tensor_flatten(graph, tensor)
                                    : tw_tensor_flatten(graph, replica_gather(&c, replica_scatter(&c, tensor, op)));
    all = tw_tensor_slice(graph, all, 0, 0, c.elements);
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, all, tw_tensor_flatten(graph, made)));
    made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}
