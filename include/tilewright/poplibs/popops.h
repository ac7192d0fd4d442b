/* SPDX-License-Identifier: MIT */
/* popops: operations on all elements of tensors. Each call appends to a sequence, and its result is a new tensor
 * that is mapped.
 *
 *     tw_tensor y = tw_popops_map(g, "max(_1 * 2 - _2, 0.5)", 2, (tw_tensor[]){ a, b }, sequence, "y", NULL);
 *     tw_tensor z = tw_popops_add(g, y, bias, sequence, "z", NULL);            // broadcasts as NumPy
 *
 * Expressions. _1, _2 ... are the tensors, in that order; numbers; operators as in C with its precedence (>> is
 * the logical shift); functions by the names of expr_ops.h; cast(e, half). A number has the type of what stands on
 * the other side of its operation; one that has none, as both values of a select, says it: 2f, 2h, 2i, 2u, true.
 * Elements of one type stay of that type, comparisons give bool, and different types are an error that cast()
 * mends.
 *
 * One expression is one compute set: an operation alone is a vertex of the library's, several become a vertex that
 * is compiled when it is first met and kept in the cache.
 *
 * Options, "name=value", NULL ends: enableGenerateCodelet, enableVectorBroadcastOptimisations,
 * enableExpressionOptimizations (true), forceGenerateCodelet (false). With enableGenerateCodelet=false each
 * operation is a compute set of its own.
 *
 * Errors: as all calls of a graph (graph.h), with status TW_E_POPLIBS for arguments that do not fit and
 * TW_E_INVALID_OPTION; the graph has not changed then.
 * Threads: as the graph's. */
#ifndef TILEWRIGHT_POPLIBS_POPOPS_H
#define TILEWRIGHT_POPLIBS_POPOPS_H

#include <tilewright/poplar/graph.h>
#include <tilewright/poplibs/expr_ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- expressions ---------------------------------------------------------------------------------------------- */

TW_API tw_tensor tw_popops_map(tw_graph *graph, const char *expression, unsigned count, const tw_tensor *tensors,
                               tw_program sequence, const char *name, const char *const *options);
/* The result goes to tensors[0], which has its shape and type. */
TW_API void tw_popops_map_in_place(tw_graph *graph, const char *expression, unsigned count,
                                   const tw_tensor *tensors, tw_program sequence, const char *name,
                                   const char *const *options);
/* The result goes to `output`, which has its shape and type and shares no element with the tensors. */
TW_API void tw_popops_map_with_output(tw_graph *graph, const char *expression, unsigned count,
                                      const tw_tensor *tensors, tw_tensor output, tw_program sequence,
                                      const char *name, const char *const *options);
/* The checks of tw_popops_map_with_output() alone, or of tw_popops_map() where `output` is zero, for who builds
 * several of them or none. False, with the error that the call would give. */
TW_API bool tw_popops_map_fits(tw_graph *graph, const char *expression, unsigned count, const tw_tensor *tensors,
                               tw_tensor output, const char *const *options);
/* One line: what a compiled vertex of the expression would be called. For people and tests. Freed with free(). */
TW_API char *tw_popops_expression_text(const char *expression);

/* --- single operations: tw_popops_add(), tw_popops_add_in_place() ... ----------------------------------------- */

/* clang-format off */
#define TW__UNARY(name, ...) \
    TW_API tw_tensor tw_popops_##name(tw_graph *graph, tw_tensor a, tw_program sequence, const char *path, const char *const *options); \
    TW_API void tw_popops_##name##_in_place(tw_graph *graph, tw_tensor a, tw_program sequence, const char *path, const char *const *options);
#define TW__BINARY(name, ...) \
    TW_API tw_tensor tw_popops_##name(tw_graph *graph, tw_tensor a, tw_tensor b, tw_program sequence, const char *path, const char *const *options); \
    TW_API void tw_popops_##name##_in_place(tw_graph *graph, tw_tensor a, tw_tensor b, tw_program sequence, const char *path, const char *const *options);
#define TW__TERNARY(name, ...) \
    TW_API tw_tensor tw_popops_##name(tw_graph *graph, tw_tensor a, tw_tensor b, tw_tensor c, tw_program sequence, const char *path, const char *const *options); \
    TW_API void tw_popops_##name##_in_place(tw_graph *graph, tw_tensor a, tw_tensor b, tw_tensor c, tw_program sequence, const char *path, const char *const *options);
TW_EXPR_UNARY(TW__UNARY)
TW_EXPR_BINARY(TW__BINARY)
TW_EXPR_TERNARY(TW__TERNARY)
#undef TW__UNARY
#undef TW__BINARY
#undef TW__TERNARY
/* clang-format on */

/* A variable for results with the elements of `inputs`, of one shape: mapped as the one of them that can be
 * written in parallel and spreads best; where there is none, linearly. */
TW_API tw_tensor tw_popops_create_output(tw_graph *graph, unsigned count, const tw_tensor *inputs, tw_type type,
                                         const char *name);

/* --- values --------------------------------------------------------------------------------------------------- */

/* Elements of another type: to integers towards zero, to bool whether they are not 0. */
TW_API tw_tensor tw_popops_cast(tw_graph *graph, tw_tensor tensor, tw_type type, tw_program sequence,
                                const char *name);
TW_API void tw_popops_cast_to(tw_graph *graph, tw_tensor source, tw_tensor destination, tw_program sequence,
                              const char *name);
TW_API void tw_popops_fill(tw_graph *graph, tw_tensor tensor, double value, tw_program sequence, const char *name);
TW_API void tw_popops_zero(tw_graph *graph, tw_tensor tensor, tw_program sequence, const char *name);
/* The same two as vertices of a compute set that the caller executes. A source shares no element with its
 * destination, which has each element once. */
TW_API void tw_popops_cast_set(tw_graph *graph, tw_tensor source, tw_tensor destination, tw_compute_set set);
TW_API void tw_popops_fill_set(tw_graph *graph, tw_tensor tensor, double value, tw_compute_set set);
/* start, start + 1 ...: rank 1, int or unsigned. */
TW_API void tw_popops_iota(tw_graph *graph, tw_tensor tensor, int64_t start, tw_program sequence, const char *name);

/* a = scale_a * a + scale_b * b, element by element. Scales are numbers where the tensor is nil, else tensors of
 * one element. b and the scales are cast to the type of a; a scale of 1 is not multiplied with. Where a is of halves,
 * a scale that is off by more than "scaleFloatToHalfTolerance" [1e-6] of itself as a half stays a float: the sum is
 * one of floats, rounded once. With a tensor of one float the sum is always of floats, with the scale as a half where
 * it is that near. */
typedef struct tw_scale {
    double number;
    tw_tensor tensor;
} tw_scale;
TW_API void tw_popops_scaled_add(tw_graph *graph, tw_tensor a, tw_scale scale_a, tw_tensor b, tw_scale scale_b,
                                 tw_program sequence, const char *name, const char *const *options);
/* a = scale_a * a - scale_b * b. */
TW_API void tw_popops_scaled_subtract(tw_graph *graph, tw_tensor a, tw_scale scale_a, tw_tensor b, tw_scale scale_b,
                                      tw_program sequence, const char *name, const char *const *options);

/* --- reductions ----------------------------------------------------------------------------------------------- */

typedef enum tw_reduce_op {
    TW_REDUCE_ADD = 0,
    TW_REDUCE_MUL = 1,
    TW_REDUCE_MIN = 2,
    TW_REDUCE_MAX = 3,
    TW_REDUCE_LOGICAL_AND = 4,
    TW_REDUCE_LOGICAL_OR = 5,
    TW_REDUCE_SQUARE_ADD = 6, /* sum of squares */
    TW_REDUCE_LOG_ADD = 7     /* log of the sum of exp */
} tw_reduce_op;
typedef struct tw_reduce_params { /* all zero: the sum */
    tw_reduce_op op;
    bool update;     /* out += scale * result (log add: log of the sum of both) */
    tw_tensor scale; /* one float; nil: 1. ADD, SQUARE_ADD and LOG_ADD alone, as update */
} tw_reduce_params;
/* Removes the dimensions `dims`, in any order. TW_TYPE_NONE: the type of `tensor`. Sums of halves are made of
 * floats. Elements are numbered along the reduced dimensions of the view in row-major order and joined by a tree
 * over these numbers (docs/libraries.md), so results do not depend on where elements lie. `params` NULL: the sum.
 * Without an element, what the operation starts from: 0, 1, +-inf (the least and largest integer), true, false.
 * Options: accumType.interTile, accumType.inVertex (half, float), which are checked and have no effect. */
TW_API tw_tensor tw_popops_reduce(tw_graph *graph, tw_tensor tensor, tw_type type, unsigned count,
                                  const size_t *dims, const tw_reduce_params *params, tw_program sequence,
                                  const char *name, const char *const *options);
/* The result goes to `output`; if that is not mapped completely, it is mapped where the result is made. */
TW_API void tw_popops_reduce_with_output(tw_graph *graph, tw_tensor tensor, tw_tensor output, unsigned count,
                                         const size_t *dims, const tw_reduce_params *params, tw_program sequence,
                                         const char *name, const char *const *options);

/* Several reductions whose steps share compute sets. */
typedef struct tw_reduce_one {
    tw_tensor tensor;
    tw_type type; /* of a new output; TW_TYPE_NONE: that of the tensor */
    unsigned count;
    const size_t *dims;
    const tw_reduce_params *params; /* NULL: the sum */
} tw_reduce_one;
/* outputs [count]: nil ones are made. No output may share elements with another, or with another's tensor. */
TW_API void tw_popops_reduce_many(tw_graph *graph, size_t count, const tw_reduce_one *reductions,
                                  tw_tensor *outputs, tw_program sequence, const char *name,
                                  const char *const *options);
/* The same into compute sets, executed by the caller in their order: step i of each goes to set[i], of which there
 * are `sets` already; returns how many there are then. `room` of set[] is TW_REDUCE_SETS more than there are. */
enum { TW_REDUCE_SETS = 48 };
TW_API size_t tw_popops_reduce_sets(tw_graph *graph, size_t count, const tw_reduce_one *reductions,
                                    tw_tensor *outputs, size_t sets, tw_compute_set *set, size_t room,
                                    const char *name, const char *const *options);

#ifdef __cplusplus
}
#endif
#endif
