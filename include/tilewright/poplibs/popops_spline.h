/* SPDX-License-Identifier: MIT */
/* popops: continuous kernels of B-splines.
 *
 *     tw_popops_spline_basis(g, pseudo, kernel_size, is_open, basis, weight_index, 1, sequence, "basis");
 *     tw_tensor y = tw_popops_spline_weighting(g, input, weight, basis, weight_index, sequence, "y");
 *
 * float or half; halves are computed as floats. Results do not depend on mappings.
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit; the graph has
 * not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_POPOPS_SPLINE_H
#define TILEWRIGHT_POPLIBS_POPOPS_SPLINE_H

#include <tilewright/poplar/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of edges whose coordinates `pseudo` [edges][dims] are from 0 to 1: which weights of a kernel of
 * kernel_size[0] * kernel_size[1] ... (int) each meets, weight_index [edges][splines] (int), and how much of each,
 * `basis` [edges][splines]; there are (degree + 1)^dims splines, of degree 1 to 3. is_open [dims] (unsigned char): 1
 * where a dimension ends at its borders, 0 where it goes round. */
TW_API void tw_popops_spline_basis(tw_graph *graph, tw_tensor pseudo, tw_tensor kernel_size, tw_tensor is_open,
                                   tw_tensor basis, tw_tensor weight_index, unsigned degree, tw_program sequence,
                                   const char *name);
/* [edges][outputs]: for each edge the sum over its splines of basis times its row of `input` [edges][channels] times
 * the matrix `weight` [kernel][channels][outputs] of that index. */
TW_API tw_tensor tw_popops_spline_weighting(tw_graph *graph, tw_tensor input, tw_tensor weight, tw_tensor basis,
                                            tw_tensor weight_index, tw_program sequence, const char *name);

#ifdef __cplusplus
}
#endif
#endif
