/* SPDX-License-Identifier: MIT */
/* Typed windows on memory, and the operations on them that every machine is built from.
 *
 *     float x[100], y[100];
 *     tw_vec_kernel add;
 *     tw_type types[] = { TW_F32, TW_F32, TW_F32 };                    // destination first
 *     tw_vec_resolve(TW_VEC_ADD, types, NULL, &add);                   // once, at load
 *     tw_run args[] = { tw_run_of(y, 4), tw_run_of(y, 4), tw_run_of(x, 4) };
 *     tw_vec_call(&add, 100, args);                                    // y += x: no lookup, no allocation
 *
 * Whole views (any rank, any strides, bounds checked) go through tw_vec_apply(); docs/vec.md has the rules of every
 * operation. Kernels use one thread. Results have the same bits on every machine, compiler and dispatch level.
 *
 * Threads: kernels and views are values; calls are independent unless their memory overlaps. Nothing locks. */
#ifndef TILEWRIGHT_VEC_H
#define TILEWRIGHT_VEC_H

#include <tilewright/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- views: a typed affine window on memory -------------------------------------------------------------------
 * Strides are in bytes; zero and negative are legal, no alignment is assumed. The last dimension is the fastest.
 * Rank 0 is one element. Views of 4-bit types do not exist: they enter through convert (two per byte). */
#define TW_VIEW_RANK 6

typedef struct tw_view {
    void *base; /* element [0, 0, ...] */
    tw_type type;
    unsigned rank;
    size_t extent[TW_VIEW_RANK];
    ptrdiff_t stride[TW_VIEW_RANK];
} tw_view;

/* The memory a view may touch; base NULL and bytes SIZE_MAX = anything. */
typedef struct tw_window {
    const void *base;
    size_t bytes;
} tw_window;

TW_API tw_view tw_view_scalar(void *at, tw_type type);
TW_API tw_view tw_view_1d(void *base, tw_type type, size_t count, ptrdiff_t stride);
/* Row-major, contiguous. TW_E_INVALID_ARGUMENT for rank > 6 or a size that overflows. */
TW_API tw_status tw_view_init(tw_view *view, void *base, tw_type type, unsigned rank, const size_t *extents);
/* The same with strides in bytes. */
TW_API tw_status tw_view_init_strided(tw_view *view, void *base, tw_type type, unsigned rank, const size_t *extents,
                                      const ptrdiff_t *strides);

/* Slicing works in place and leaves the view alone when it fails (TW_E_INDEX, TW_E_INVALID_ARGUMENT). */
TW_API tw_status tw_view_slice(tw_view *view, unsigned dim, size_t begin, size_t end); /* [begin, end) */
TW_API tw_status tw_view_subsample(tw_view *view, unsigned dim, size_t step);          /* every step-th element */
TW_API tw_status tw_view_index(tw_view *view, unsigned dim, size_t index);             /* drops the dimension */
TW_API tw_status tw_view_reverse(tw_view *view, unsigned dim);
TW_API tw_status tw_view_permute(tw_view *view, const unsigned *order);        /* new dimension i = old order[i] */
TW_API tw_status tw_view_broadcast(tw_view *view, unsigned dim, size_t count); /* inserts a stride-0 dimension */
TW_API tw_status tw_view_reshape(tw_view *view, unsigned rank, const size_t *extents); /* if strides allow it */

TW_API size_t tw_view_count(const tw_view *view); /* elements; saturates at SIZE_MAX */
/* Lowest byte touched and one past the highest, relative to base; both 0 for no elements. False on overflow. */
TW_API bool tw_view_span(const tw_view *view, ptrdiff_t *low, ptrdiff_t *high);
/* TW_OK when every element lies in the window, else TW_E_INDEX. */
TW_API tw_status tw_view_check(const tw_view *view, tw_window window);
/* Same elements in the same order with as few dimensions as possible; rank at least 1. */
TW_API tw_view tw_view_coalesce(const tw_view *view);

/* --- runs and walks ------------------------------------------------------------------------------------------ */

/* `count` elements, `stride` bytes apart. As a kernel operand `count` matters only where the operation says so. */
typedef struct tw_run {
    void *at;
    ptrdiff_t stride;
    size_t count;
} tw_run;

static inline tw_run tw_run_of(const void *at, ptrdiff_t stride)
{
    tw_run run = { (void *)(uintptr_t)at, stride, 0 };
    return run;
}

/* True when all elements of `size` bytes lie in the window. */
TW_API bool tw_run_inside(const tw_run *run, size_t size, tw_window window);

typedef enum tw_walk_end {
    TW_WALK_STOP = 0, /* ends after the last view */
    TW_WALK_OPEN = 1, /* the slowest dimension of the last view goes on without end, with its stride */
    TW_WALK_RING = 2  /* starts again at the first view */
} tw_walk_end;

/* A position in a list of views. A plain value: copying it saves the position, copying back restores it. The views
 * must outlive it; it never reads elements. */
typedef struct tw_walk {
    const tw_view *views;
    size_t view_count, view; /* list, current view */
    tw_walk_end end;
    uint64_t position; /* elements passed since the start */
    unsigned rank;     /* the rest: current view, coalesced */
    char *at;          /* next element */
    size_t index[TW_VIEW_RANK], extent[TW_VIEW_RANK];
    ptrdiff_t stride[TW_VIEW_RANK];
} tw_walk;

TW_API void tw_walk_begin(tw_walk *walk, const tw_view *views, size_t count, tw_walk_end end);
/* The next run of at most `max` elements; 0 at the end. Adjacent dimensions are joined where the addresses allow. */
TW_API size_t tw_walk_next(tw_walk *walk, size_t max, tw_run *run);
/* Go to an element, counted from the start. TW_E_INDEX past the end (the end itself is legal), position unchanged. */
TW_API tw_status tw_walk_seek(tw_walk *walk, uint64_t position);

/* --- operations ------------------------------------------------------------------------------------------------
 * X(NAME, number, sources, class): a new row goes where it belongs and takes the next free number. Sources a, b, c in
 * order. Classes:
 *   A  arithmetic: all in one type (the widest of the sources), result converted to the destination's type
 *   P  predicate, C compare: destination TW_BOOL or an 8-bit type gets 0 / 1, or bits (mode.bits)
 *   S  select, M moves any type by its size, V convert, I iota
 *   R  reduce to one element, E index of an extreme (any integer destination), G gather, T scatter
 *   K  keep: elements of a whose flag in b (one byte, 0 = no) is set go to the destination, side by side; at most the
 *      destination's run.count of them are written, and the kernel returns how many flags are set. Not for views. */
// clang-format off
#define TW_VEC_OP_LIST(X) \
    X(COPY, 0, 1, M) X(CONVERT, 1, 1, V) X(NEG, 2, 1, A) X(ABS, 3, 1, A) X(NOT, 4, 1, A) X(LNOT, 5, 1, A) \
    X(RELU, 6, 1, A) X(SIGN, 7, 1, A) X(SQUARE, 8, 1, A) X(SQRT, 9, 1, A) X(RSQRT, 10, 1, A) X(RECIP, 11, 1, A) \
    X(CEIL, 12, 1, A) X(FLOOR, 13, 1, A) X(ROUND, 14, 1, A) X(TRUNC, 15, 1, A) X(RINT, 16, 1, A) \
    X(POPCOUNT, 17, 1, A) X(CLZ, 18, 1, A) X(CTZ, 19, 1, A) X(ISNAN, 20, 1, P) X(ISINF, 21, 1, P) \
    X(ISFINITE, 22, 1, P) X(SIGNBIT, 23, 1, P) X(EXP, 24, 1, A) X(EXP2, 25, 1, A) X(EXP10, 26, 1, A) \
    X(EXPM1, 27, 1, A) X(LOG, 28, 1, A) X(LOG2, 29, 1, A) X(LOG10, 30, 1, A) X(LOG1P, 31, 1, A) X(SIN, 32, 1, A) \
    X(COS, 33, 1, A) X(TAN, 34, 1, A) X(ASIN, 35, 1, A) X(ACOS, 36, 1, A) X(ATAN, 37, 1, A) X(SINH, 38, 1, A) \
    X(COSH, 39, 1, A) X(TANH, 40, 1, A) X(ASINH, 41, 1, A) X(ACOSH, 42, 1, A) X(ATANH, 43, 1, A) \
    X(ERF, 44, 1, A) X(ERFC, 45, 1, A) X(CBRT, 46, 1, A) X(SIGMOID, 47, 1, A) X(SILU, 48, 1, A) \
    X(GELU_ERF, 49, 1, A) X(GELU_TANH, 50, 1, A) X(SOFTPLUS, 51, 1, A) X(ADD, 52, 2, A) X(SUB, 53, 2, A) \
    X(MUL, 54, 2, A) X(DIV, 55, 2, A) X(REM, 56, 2, A) X(MOD, 57, 2, A) X(MIN, 58, 2, A) X(MAX, 59, 2, A) \
    X(ABSDIFF, 60, 2, A) X(PRELU, 61, 2, A) X(COPYSIGN, 62, 2, A) X(SCALB, 63, 2, A) X(AND, 64, 2, A) \
    X(OR, 65, 2, A) X(XOR, 66, 2, A) X(XNOR, 67, 2, A) X(ANDNOT, 68, 2, A) X(LAND, 69, 2, A) X(LOR, 70, 2, A) \
    X(SHL, 71, 2, A) X(SHR, 72, 2, A) X(SAR, 73, 2, A) X(POW, 74, 2, A) X(ATAN2, 75, 2, A) X(HYPOT, 76, 2, A) \
    X(EQ, 77, 2, C) X(NE, 78, 2, C) X(LT, 79, 2, C) X(LE, 80, 2, C) X(GT, 81, 2, C) X(GE, 82, 2, C) \
    X(FMA, 83, 3, A) X(MULADD, 84, 3, A) X(MULSUB, 85, 3, A) X(ADD3, 86, 3, A) X(SUBADD, 87, 3, A) \
    X(CLAMP, 88, 3, A) X(SELECT, 89, 3, S) X(IOTA, 90, 2, I) X(COMPRESS, 91, 2, K) X(SUM, 92, 1, R) \
    X(PROD, 93, 1, R) X(SQUARE_ADD, 94, 1, R) X(ALL, 95, 1, R) X(ANY, 96, 1, R) X(LOWEST, 97, 1, R) \
    X(HIGHEST, 98, 1, R) X(ARGMIN, 99, 1, E) X(ARGMAX, 100, 1, E) X(GATHER, 101, 2, G) X(SCATTER, 102, 2, T) \
    X(SCATTER_ADD, 103, 2, T) X(SCATTER_MIN, 104, 2, T) X(SCATTER_MAX, 105, 2, T)
// clang-format on

typedef enum tw_vec_op {
#define TW_VEC_ENUM(name, number, sources, class_) TW_VEC_##name = number,
    TW_VEC_OP_LIST(TW_VEC_ENUM)
#undef TW_VEC_ENUM
        TW_VEC_OP_COUNT = 106
} tw_vec_op;

TW_API const char *tw_vec_op_name(tw_vec_op op); /* "add"; "unknown" past the end */
TW_API unsigned tw_vec_op_sources(tw_vec_op op);

typedef enum tw_vec_order {
    TW_ORDER_FREE = 0,      /* operands are disjoint from the destination, or identical to it */
    TW_ORDER_SEQUENTIAL = 1 /* element k sees every write j < k (DSDs); operands may overlap as they like */
} tw_vec_order;

typedef enum tw_nan_rule { /* of min, max, clamp, relu, reductions to an extreme; -0 < +0 in the first two */
                           TW_NAN_NUMBER = 0,    /* IEEE minimumNumber: a number beats NaN */
                           TW_NAN_PROPAGATE = 1, /* IEEE minimum: NaN beats a number */
                           TW_NAN_FIRST =
                               2 /* max = a < b ? b : a, min = b < a ? b : a: the first operand unless the compare holds */
} tw_nan_rule;

typedef enum tw_fold_order {
    TW_FOLD_INDEX = 0, /* ((x0 + x1) + x2) + ... */
    TW_FOLD_TREE = 1   /* blocks of 1024; in a block 16 lanes i mod 16, then lane l with l + 8, l + 4, l + 2, l + 1;
                      blocks joined as a binary counter carries. The same on every machine, and much faster */
} tw_fold_order;

typedef enum tw_bounds_rule {                      /* of an index outside the table of gather and scatter */
                              TW_BOUNDS_FAULT = 0, /* stop: the kernel returns its position */
                              TW_BOUNDS_CLAMP = 1,
                              TW_BOUNDS_WRAP = 2, /* modulo the table's length */
                              TW_BOUNDS_SKIP = 3  /* gather gives 0, scatter writes nothing */
} tw_bounds_rule;

/* Part of the operation. All zero is the default. */
typedef struct tw_vec_mode {
    tw_vec_order order;
    tw_rounding rounding;     /* of convert, and of narrowing a result to f16 / bf16; STOCHASTIC takes one more
                                 source, the last: u32 random bits per element */
    tw_saturation saturation; /* of convert, of integer add, sub, mul, neg, abs, shl, of narrowing a result */
    tw_nan_rule nan;
    tw_fold_order fold;
    tw_bounds_rule bounds;
    bool flush;        /* subnormal operands count as zero, subnormal results become zero; the sign stays */
    bool bits;         /* compare writes and select reads bits, LSB first, from bit 0 of the operand's first byte */
    bool no_div_fault; /* integer x / 0 = 0, x rem 0 = x instead of a fault */
    bool accumulate;   /* a reduction starts from the destination's old value */
} tw_vec_mode;

typedef struct tw_vec_kernel tw_vec_kernel;

/* args[0] is the destination, then the sources. Returns n, or the first element that faults (division by zero, index
 * outside the table): then the elements before it are done and nothing from it on is touched. */
typedef size_t (*tw_vec_fn)(const tw_vec_kernel *kernel, size_t n, const tw_run *args);
#define TW_VEC_ARGS 5 /* destination, three sources, random bits */

/* A resolved kernel: a plain value, read-only after tw_vec_resolve, usable by many threads at once. */
struct tw_vec_kernel {
    tw_vec_fn fn;
    tw_vec_op op;
    unsigned args; /* destination and sources */
    bool can_fault;
    tw_vec_mode mode;
    tw_type types[TW_VEC_ARGS];
    tw_type compute;            /* the type the work is done in */
    unsigned size[TW_VEC_ARGS]; /* bytes of an element in memory; 0 = packed bits or nibbles */
    struct {                    /* private to the vec box */
        tw_vec_fn free;         /* what a sequential kernel uses where order does not show */
        void (*core)(void);
        void (*repeat)(void);                /* core with one element for the second source; NULL = none */
        void (*join)(void), (*across)(void); /* reductions: two partial results; many columns at once */
        void (*step[TW_VEC_ARGS][2])(void);  /* conversion of an operand: directly, or in two steps through f32 */
        tw_type type[TW_VEC_ARGS];           /* operands as the core sees them */
        unsigned char width[TW_VEC_ARGS];    /* their bytes */
        unsigned char bits[TW_VEC_ARGS];     /* packed operands: bits per element; else 0 */
        bool saturate[TW_VEC_ARGS];          /* conversion of a source */
        unsigned char random;                /* operand with random bits, 0 = none */
    } own;
};

/* Chooses the kernel. `types`: destination, then one per source of the operation. `mode` NULL = all defaults.
 * TW_E_TYPE when the operation does not exist for these types, TW_E_NOT_SUPPORTED for a mode it does not have. */
TW_API tw_status tw_vec_resolve(tw_vec_op op, const tw_type *types, const tw_vec_mode *mode, tw_vec_kernel *kernel);

static inline size_t tw_vec_call(const tw_vec_kernel *kernel, size_t n, const tw_run *args)
{
    return kernel->fn(kernel, n, args);
}

/* A kernel over whole views, element by element in row-major order; args as for the kernel. Every operand has as many
 * elements as the destination, or exactly one, which is repeated. Each run is checked against `window` before it is
 * touched: TW_E_INDEX. On a fault: TW_E_OVERFLOW, and *fault (may be NULL) is the element. Bit operands are given as
 * bytes: one row of bytes, at least (elements + 7) / 8, for each row of the other operands' last dimension. */
TW_API tw_status tw_vec_apply(const tw_vec_kernel *kernel, const tw_view *args, tw_window window, size_t *fault);

/* --- whole views --------------------------------------------------------------------------------------------------
 * Each checks all of its views against `window` first and writes nothing when one reaches outside it (TW_E_INDEX). */

/* dst = src for equal extents and element sizes. With a permuted view this is a transpose, done in tiles so that both
 * sides use whole cache lines. dst must not overlap src (identical views are fine) nor itself. */
TW_API tw_status tw_vec_copy_view(const tw_view *dst, const tw_view *src, tw_window window);

/* Reduces the dimensions of src whose bits are set in `axes`; dst has the others, in order. The kernel is one of the
 * classes R and E; its fold order applies to the reduced elements in row-major order. */
TW_API tw_status tw_vec_reduce(const tw_vec_kernel *kernel, const tw_view *dst, const tw_view *src, unsigned axes,
                               tw_window window);

/* Sorts along the last dimension, in place, and moves the elements of `values` (NULL: none, any type, same extents)
 * alongside. Stable; -0 equals +0; NaN comes last in either direction. TW_E_NO_MEMORY leaves the rest unsorted. */
TW_API tw_status tw_vec_sort(const tw_view *keys, const tw_view *values, bool descending, tw_window window);

/* How to multiply: all zero is c = a b, product and sum rounded apart, accumulated in the type of c widened to
 * calculate in (f32 for halves). Integers wrap. */
typedef struct tw_matmul_mode {
    tw_type accumulator;  /* TW_TYPE_NONE, TW_F32, TW_F64, TW_I32, TW_U32, TW_I64 or TW_U64 */
    tw_rounding rounding; /* accumulator to c */
    tw_saturation saturation;
    bool accumulate; /* c = c + a b: the sum starts with c */
    bool fused;      /* floats: one rounding per step */
} tw_matmul_mode;

/* c[m][n] = sum over k ascending of a[m][k] b[k][n]; any strides, so transposed operands are views. mode NULL =
 * {0}. */
TW_API tw_status tw_vec_matmul(const tw_view *c, const tw_view *a, const tw_view *b, const tw_matmul_mode *mode,
                               tw_window window);

/* The dispatch level in use: "baseline", "avx2" or "avx512". TILEWRIGHT_CPU names one to use at most. */
TW_API const char *tw_vec_cpu(void);

#ifdef __cplusplus
}
#endif
#endif
