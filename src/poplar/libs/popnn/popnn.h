/* SPDX-License-Identifier: MIT */
/* What the files of popnn share. */
#ifndef TW_LIBS_POPNN_POPNN_H
#define TW_LIBS_POPNN_POPNN_H

#include "poplar/libs/popops/popops.h"

/* float or half, `rank` dimensions at least, on tiles. Else an error of `call`. */
static inline bool tw__nn_check(tw_graph *graph, const char *call, tw_tensor tensor, unsigned rank)
{
    if (!tw__libs_ready(graph)) return false;
    tw_type type = tw_tensor_type(graph, tensor);
    unsigned own = tw_tensor_rank(graph, tensor);
    if (!tw__libs_ready(graph)) return false;
    if ((type != TW_FLOAT && type != TW_HALF) || own < rank)
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s is not float or half of %u dimensions or more",
                      tw__libs_describe(graph, tensor).text, rank);
    else if (!tw_graph_mapping_complete(graph, tensor))
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has elements that are on no tile",
                      tw__libs_describe(graph, tensor).text);
    return tw__libs_ready(graph);
}

/* The map of a text in which $1 is the value of _1 as float, and so on; the result, a float there, is of type
 * `result`. `output` nil: a new tensor. */
tw_tensor tw__nn_map(tw_graph *graph, const char *call, const char *text, tw_type result, unsigned count,
                     const tw_tensor *tensors, tw_tensor output, tw_program sequence, const char *name);

#endif
