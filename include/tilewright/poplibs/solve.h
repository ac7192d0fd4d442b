/* SPDX-License-Identifier: MIT */
/* poplin: triangular systems, Cholesky's factors, QR, LU.
 *
 *     tw_tensor l = tw_poplin_cholesky(g, a, true, sequence, "l", NULL);                      // a = l l'
 *     tw_tensor x = tw_poplin_triangular_solve(g, l, b, true, true, false, sequence, "x", NULL);  // l x = b
 *
 * Matrices are the last two dimensions, those before them are batches. float or half; halves are computed as floats.
 * A block of `blockSize` rows (64) is solved by a vertex for each set of columns, or factored by one vertex for each
 * matrix; what blocks have to do with one another are matrix products. Results do not depend on mappings.
 *
 * Options, "name=value", NULL ends: blockSize, a number from 1 on, and those of matrix products (poplin.h).
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_SOLVE_H
#define TILEWRIGHT_POPLIBS_SOLVE_H

#include <tilewright/poplibs/norms.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A variable for a matrix (and batches of it) that is solved or factored. */
TW_API tw_tensor tw_poplin_create_solver_input(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                               const char *name, const char *const *options);
/* x of a x = b (`left`: b is [...][n][k]) or x a = b ([...][k][n]). Only the lower, or upper, triangle of a is read;
 * with `unit` its diagonal counts as ones. */
TW_API tw_tensor tw_poplin_triangular_solve(tw_graph *graph, tw_tensor a, tw_tensor b, bool left, bool lower,
                                            bool unit, tw_program sequence, const char *name,
                                            const char *const *options);
/* a with zeros in the other triangle, with `unit` ones on the diagonal. */
TW_API tw_tensor tw_poplin_triangular_mask(tw_graph *graph, tw_tensor a, bool lower, bool unit, tw_program sequence,
                                           const char *name);
/* The lower triangular l with a = l l', or the upper u with a = u' u; zeros in the other triangle. Only that triangle
 * of a is read. NaN where a is not positive definite. */
TW_API tw_tensor tw_poplin_cholesky(tw_graph *graph, tw_tensor a, bool lower, tw_program sequence, const char *name,
                                    const char *const *options);
/* First: q, orthogonal, [...][m][m]; second: r, upper triangular, [...][m][n], with a = q r; m is at least n. One
 * vertex factors a matrix. */
TW_API tw_pair tw_poplin_qr(tw_graph *graph, tw_tensor a, tw_program sequence, const char *name);
/* First: l, lower triangular with ones on the diagonal, [...][m][m]; second: u, upper triangular, [...][m][n], with
 * a = l u, both floats. Rows stay in their order: where a number on the diagonal becomes 0, infinities and NaN
 * follow. One vertex factors a matrix. */
TW_API tw_pair tw_poplin_lu(tw_graph *graph, tw_tensor a, tw_program sequence, const char *name);
TW_API void tw_poplin_cholesky_in_place(tw_graph *graph, tw_tensor a, bool lower, tw_program sequence,
                                        const char *name, const char *const *options);

#ifdef __cplusplus
}
#endif
#endif
