/* SPDX-License-Identifier: MIT */
/* popops and gcl: collectives, between parts of a graph and between its replicas.
 *
 *     tw_tensor sum = tw_popops_all_reduce(g, t, TW_COLLECTIVE_ADD, sequence, "sum");        // t: [ranks][...]
 *     tw_tensor all = tw_gcl_all_reduce_cross_replica(replicated, u, TW_COLLECTIVE_ADD, sequence, "all");
 *
 * Between parts of one graph, as its IPUs, the first dimension of a tensor numbers the ranks, and each row lies where
 * its rank is. Between replicas each has a tensor of its own; the graph is one that tw_graph_replicated() made, or
 * has one replica. A number is reduced once, in the order of the ranks by the tree of reductions, and then sent: all
 * ranks have the same bits.
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit; the graph has
 * not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_COLLECTIVES_H
#define TILEWRIGHT_POPLIBS_COLLECTIVES_H

#include <tilewright/poplar/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_collective {
    TW_COLLECTIVE_ADD = 0,
    TW_COLLECTIVE_MEAN = 1, /* of float and half */
    TW_COLLECTIVE_MUL = 2,
    TW_COLLECTIVE_MIN = 3,
    TW_COLLECTIVE_MAX = 4,
    TW_COLLECTIVE_LOGICAL_AND = 5,
    TW_COLLECTIVE_LOGICAL_OR = 6,
    TW_COLLECTIVE_SQUARE_ADD = 7, /* sum of squares */
    TW_COLLECTIVE_LOCAL = 8       /* what the rank has itself */
} tw_collective;

/* --- between ranks of one graph: [ranks][...] ----------------------------------------------------------------- */

/* The reduced row, flat; part i of it, of ceil(elements / ranks), lies where row i lies. */
TW_API tw_tensor tw_popops_reduce_scatter(tw_graph *graph, tw_tensor tensor, tw_collective op, tw_program sequence,
                                          const char *name);
/* The flat row for each rank, in the shape and where the rows of `like` lie. */
TW_API tw_tensor tw_popops_all_gather(tw_graph *graph, tw_tensor row, tw_tensor like, tw_program sequence,
                                      const char *name);
/* Each rank gets the reduced row. */
TW_API tw_tensor tw_popops_all_reduce(tw_graph *graph, tw_tensor tensor, tw_collective op, tw_program sequence,
                                      const char *name);

/* --- between replicas ----------------------------------------------------------------------------------------- */

/* Flat, ceil(elements / replicas): replica i gets part i; what is behind the last element is 0. */
TW_API tw_tensor tw_gcl_reduce_scatter_cross_replica(tw_graph *graph, tw_tensor tensor, tw_collective op,
                                                     tw_program sequence, const char *name);
/* [replicas][...] */
TW_API tw_tensor tw_gcl_all_gather_cross_replica(tw_graph *graph, tw_tensor tensor, tw_program sequence,
                                                 const char *name);
TW_API tw_tensor tw_gcl_all_reduce_cross_replica(tw_graph *graph, tw_tensor tensor, tw_collective op,
                                                 tw_program sequence, const char *name);

#ifdef __cplusplus
}
#endif
#endif
