/* SPDX-License-Identifier: MIT */
/* Replicated graphs (guide 2.5.1): a handle on the core with one virtual graph for each replica.
 *
 * A variable made through such a handle is one variable for each replica, added one after the other; tensors name
 * those of replica 0. What is done through the handle is done for every replica, with the tensors moved to its
 * variables.
 * Vertices, streams and remote buffers are likewise consecutive. The handle decides, not the tensor: through the
 * parent graph the same tensor means replica 0 alone. */
#ifndef TW_GRAPH_REPLICA_H
#define TW_GRAPH_REPLICA_H

#include "poplar/graph/build.h"

/* Another call for replica `i`? False at the end, or after an error. Hands the call site on to the nested call. */
bool tw__replica_next(const tw_graph *graph, unsigned i);
/* `tensor` on the variables of replica `i`; `tensor` itself where it has none. Nil with an error. */
tw_tensor tw__replica_tensor(const tw_graph *graph, tw_tensor tensor, unsigned i);
/* The tensor of all replicas, with a first dimension for them; one that is not replicated is repeated. Nil with an
 * error. */
tw_tensor tw__replica_stacked(const tw_graph *graph, tw_tensor tensor, const char *what);
void tw__replica_drop(const tw_graph *graph, tw_tensor tensor, tw_tensor part); /* of tw__replica_tensor() */
/* The same without a replicated graph: how many replicas the variables of a tensor have (1: none; 0 with an error),
 * and the tensor on those of replica `i`. */
unsigned tw__tensor_replicas(const tw__core *core, tw_tensor tensor);
tw_tensor tw__tensor_of_replica(tw__core *core, tw_tensor tensor, unsigned i);
/* The tensor over the variables of replicas [begin, end): of its own shape for one replica, else with a first
 * dimension for them. */
tw_tensor tw__replica_parts(tw__core *core, const tw__node *t, unsigned begin, unsigned end, bool stacked);
/* Vertex of replica `i`; nil with an error when `vertex` was not added through a handle with as many replicas. */
tw_vertex tw__replica_vertex(const tw_graph *graph, tw_vertex vertex, unsigned i);

/* Ends a void call on a replicated graph: `call` once for each replica `i`, on its graph `one`. */
#define TW__EACH_REPLICA(graph, i, one, call)                     \
    do {                                                          \
        if (!(graph)->replicas) break;                            \
        for (unsigned i = 0; tw__replica_next((graph), i); i++) { \
            tw_graph *one = (graph)->replica[i];                  \
            call;                                                 \
        }                                                         \
        return;                                                   \
    } while (0)
/* The same with `part`, the tensor of the replica. */
#define TW__EACH_REPLICA_TENSOR(graph, i, one, tensor, part, call) \
    TW__EACH_REPLICA(graph, i, one, {                              \
        tw_tensor part = tw__replica_tensor((graph), (tensor), i); \
        if (tw__graph_usable(graph)) call;                         \
        tw__replica_drop((graph), (tensor), part);                 \
    })
/* Ends a call that makes a variable: `call` makes that of replica `i` on `one`. */
#define TW__REPLICA_VARIABLE(graph, i, one, call)                                             \
    do {                                                                                      \
        if (!(graph)->replicas) break;                                                        \
        tw_tensor first_ = TW__NIL_TENSOR;                                                    \
        size_t vars_ = (graph)->core->var_count;                                              \
        for (unsigned i = 0; tw__replica_next((graph), i); i++) {                             \
            tw_graph *one = (graph)->replica[i];                                              \
            tw_tensor made_ = (call);                                                         \
            if (i == 0)                                                                       \
                first_ = made_;                                                               \
            else                                                                              \
                tw__tensor_drop((graph)->core, made_);                                        \
        }                                                                                     \
        return tw__replica_link((graph), vars_, (graph)->replicas) ? first_ : TW__NIL_TENSOR; \
    } while (0)
/* The variables made since `first_var`, one for each replica, belong together. */
bool tw__replica_link(const tw_graph *graph, size_t first_var, unsigned replicas);

static inline bool tw__graph_usable(const tw_graph *graph)
{
    return graph->core->error->error.status == TW_OK;
}

/* Programs of replicated graphs; the arguments are those of the public calls. */
tw_program tw__replica_copy(tw_graph *graph, tw_tensor source, tw_tensor destination);
tw_program tw__replica_stream_copy(tw_graph *graph, tw_stream stream, tw_tensor tensor, bool to_device);
tw_program tw__replica_remote_copy(tw_graph *graph, tw_remote_buffer buffer, tw_tensor tensor, tw_tensor offsets,
                                   bool in);
tw_program tw__replica_print(tw_graph *graph, const char *title, tw_tensor tensor, const tw_print_format *format);
tw_program tw__replica_stamp(tw_graph *graph, tw_tensor tensor, bool since);
tw_program tw__replica_write_undef(tw_graph *graph, tw_tensor tensor);
/* `program`, then what it wrote into the tensor of replica 0 also to the others; or that first, then `program`. */
tw_program tw__replica_after(tw_graph *graph, tw_program program, tw_tensor tensor);
tw_program tw__replica_before(tw_graph *graph, tw_tensor tensor, tw_program program);

#endif
