/* SPDX-License-Identifier: MIT */
/* vec, inside the box: what resolve.c, drive.c and the kernels share.
 *
 * A *core* works on contiguous elements of one compute type (kernels/, built once per dispatch level). A *driver*
 * (drive.c) is what tw_vec_kernel.fn points to: it feeds the core, in blocks, from operands that are strided, packed
 * or of another type. So an operation is one row of a table and knows nothing of strides, types and modes. */
#ifndef TW_VEC_VEC_H
#define TW_VEC_VEC_H

#include "core/base/base.h"
#include <tilewright/vec.h>

/* Elements per block: three operands of f64 fill 6 KiB, well inside every first-level cache. */
enum { TW__BLOCK = 256 };

/* d = op(a, b, c) on n contiguous elements; operands may be unaligned. Elements are read before the element of the
 * same index is written, in ascending order of vectors, so d may be identical to a source or lie behind it. */
typedef void tw__core(size_t n, void *d, const void *a, const void *b, const void *c);

/* *acc = fold of *acc and x[0 .. n), in the compute type. Rows of a tree: *acc = one block, n <= 1024, alone. */
typedef void tw__fold(size_t n, void *acc, const void *x);

/* Index of the first extreme in x[0 .. n), or n when every element is NaN and the rule ignores them. */
typedef size_t tw__arg(size_t n, const void *x);

/* TW_VEC_COMPRESS: x[i] with flags[i] != 0 to d, which has room for n; returns how many. The core of TW_VEC_IOTA is a
 * tw__core: start, step, and the number of the first element as a uint64_t. */
typedef size_t tw__keep(size_t n, void *d, const void *x, const uint8_t *flags);

/* n contiguous elements from one type to another. random: bits per element for stochastic rounding, or NULL. */
typedef struct tw__how {
    tw_type to, from;
    tw_convert_mode mode;
    const uint32_t *random;
} tw__how;
typedef void tw__cvt(size_t n, void *d, const void *s, const tw__how *how);

/* Compute types: the columns of the core tables. */
#define TW__COMPUTE_LIST(X) X(U8) X(U16) X(U32) X(U64) X(I8) X(I16) X(I32) X(I64) X(F32) X(F64)
typedef enum tw__compute {
#define TW__COMPUTE_ENUM(t) TW__C_##t,
    TW__COMPUTE_LIST(TW__COMPUTE_ENUM)
#undef TW__COMPUTE_ENUM
        TW__C_COUNT
} tw__compute;
tw__compute tw__compute_of(tw_type type); /* TW__C_COUNT when it is none */

/* Variants of operations that a mode selects: rows of their own, after those of the public list. */
enum {
    TW_VEC_MIN_PROPAGATE = TW_VEC_OP_COUNT, /* three per operation, in the order of tw_nan_rule: see resolve.c */
    TW_VEC_MIN_FIRST,
    TW_VEC_MAX_PROPAGATE,
    TW_VEC_MAX_FIRST,
    TW_VEC_CLAMP_PROPAGATE,
    TW_VEC_CLAMP_FIRST,
    TW_VEC_RELU_PROPAGATE,
    TW_VEC_RELU_FIRST,
    TW_VEC_LOWEST_PROPAGATE,
    TW_VEC_LOWEST_FIRST,
    TW_VEC_HIGHEST_PROPAGATE,
    TW_VEC_HIGHEST_FIRST,
    TW_VEC_ARGMIN_PROPAGATE,
    TW_VEC_ARGMIN_FIRST,
    TW_VEC_ARGMAX_PROPAGATE,
    TW_VEC_ARGMAX_FIRST,
    TW_VEC_FLIP_SIGN, /* of halves, as integers */
    TW_VEC_CLEAR_SIGN,
    TW_VEC_COPY_SIGN,
    TW_VEC_ADD_SAT,
    TW_VEC_SUB_SAT,
    TW_VEC_MUL_SAT,
    TW_VEC_NEG_SAT,
    TW_VEC_ABS_SAT,
    TW_VEC_SHL_SAT,
    TW_VEC_FMA_EXACT,  /* f64 sum rounded to odd: the input of one rounding to f16 */
    TW_VEC_FMA_ODD,    /* the same in f32, which is wide enough for halves */
    TW_VEC_ADD_REPEAT, /* one element for the second source */
    TW_VEC_SUB_REPEAT,
    TW_VEC_MUL_REPEAT,
    TW_VEC_FMA_REPEAT,
    TW_VEC_MULADD_REPEAT,
    TW_VEC_MULSUB_REPEAT,
    TW_VEC_MULADD_F16, /* the product rounded to f16 (bf16) between the two operations */
    TW_VEC_MULSUB_F16,
    TW_VEC_ADD3_F16,
    TW_VEC_SUBADD_F16,
    TW_VEC_MULADD_BF16,
    TW_VEC_MULSUB_BF16,
    TW_VEC_ADD3_BF16,
    TW_VEC_SUBADD_BF16,
    TW_VEC_SUM_TREE,
    TW_VEC_PROD_TREE,
    TW_VEC_SQUARE_ADD_TREE,
    TW__ROWS
};

/* The cores of one family of kernels at one level; NULL = no such core here. */
typedef struct tw__cores {
    void (*core[TW__ROWS][TW__C_COUNT])(void);
} tw__cores;

/* Conversions of one level. */
typedef struct tw__conversion {
    tw_type from, to;
    int rounding;   /* of tw_rounding, or -1 for any */
    int saturation; /* 0 without, 1 with, -1 either */
    tw__cvt *cvt;
} tw__conversion;

/* A strip of a matrix product: rows of `acc` += (`add`) or = a's rows times b. a is [rows][depth] and b
 * [depth][TW__STRIP], contiguous; acc has TW__STRIP columns, `pitch` elements from row to row, aligned as its
 * elements are; rows a multiple of 4. NaN becomes the canonical one. */
enum { TW__STRIP = 64 };
typedef void tw__strip(size_t rows, size_t depth, void *acc, size_t pitch, const void *a, const void *b, bool add);
typedef struct tw__strips {
    tw__strip *f32, *f32_fused, *f64, *f64_fused, *u32, *u64;
} tw__strips;

/* d[j][i] = s[i][j] for i < rows, j < columns: elements lie side by side in the rows of both, which are dr and sr
 * bytes apart (any sign). No overlap. */
typedef void tw__turn(size_t rows, size_t columns, void *d, ptrdiff_t dr, const void *s, ptrdiff_t sr);
tw__turn *tw__turn_of(size_t size); /* of the level in use; NULL unless elements have 1, 2, 4 or 8 bytes */

/* n elements of 4 bytes from every other place to contiguous memory, and back. */
typedef struct tw__thin {
    void (*pack)(size_t n, void *d, const void *s);
    void (*unpack)(size_t n, void *d, const void *s);
} tw__thin;
const tw__thin *tw__thin_of(void); /* of the level in use */

typedef struct tw__level {
    const char *name;
    const tw__thin *thin;
    const tw__strips *strips;
    tw__turn *const *turns;            /* by log2 of the element's bytes */
    const tw__cores *families[8];      /* NULL-terminated */
    const tw__conversion *conversions; /* ends with from = TW_TYPE_NONE */
} tw__level;

enum { TW__BASELINE, TW__AVX2, TW__AVX512, TW__LEVELS };
const tw__level *tw__level_of(int level); /* NULL when this build or CPU lacks it */
int tw__best_level(void);                 /* the one in use */

/* tw_vec_resolve at a given level: tests compare the levels. */
tw_status tw__vec_resolve_at(int level, tw_vec_op op, const tw_type *types, const tw_vec_mode *mode,
                             tw_vec_kernel *kernel);

/* --- drive.c: what tw_vec_kernel.fn can be ------------------------------------------------------------------- */

size_t tw__drive_plain(const tw_vec_kernel *kernel, size_t n, const tw_run *args);   /* no conversion, no fault */
size_t tw__drive_blocks(const tw_vec_kernel *kernel, size_t n, const tw_run *args);  /* everything */
size_t tw__drive_widened(const tw_vec_kernel *kernel, size_t n, const tw_run *args); /* steps of conversion only */
size_t tw__drive_convert(const tw_vec_kernel *kernel, size_t n, const tw_run *args); /* one step, nothing packed */
size_t tw__drive_sequential(const tw_vec_kernel *kernel, size_t n, const tw_run *args);

/* What kernel->fn comes to for runs of these strides and `n`, wherever they lie, as long as the distances between
 * those that can touch stay: a caller that repeats a call keeps it and spares the questions. */
tw_vec_fn tw__drive_settled(const tw_vec_kernel *kernel, size_t n, const tw_run *args);

/* True when some write j < k of args[0] touches what args[source] reads at k: only then is order visible. */
bool tw__order_matters(const tw_vec_kernel *kernel, size_t n, const tw_run *args, unsigned source);

/* --- move.c, reduce.c, index.c: drivers of their own ----------------------------------------------------------- */

size_t tw__drive_copy(const tw_vec_kernel *kernel, size_t n, const tw_run *args);
size_t tw__drive_iota(const tw_vec_kernel *kernel, size_t n, const tw_run *args);
size_t tw__drive_compress(const tw_vec_kernel *kernel, size_t n, const tw_run *args);
size_t tw__drive_fold(const tw_vec_kernel *kernel, size_t n, const tw_run *args);
size_t tw__drive_arg(const tw_vec_kernel *kernel, size_t n, const tw_run *args);
size_t tw__drive_gather(const tw_vec_kernel *kernel, size_t n, const tw_run *args);
size_t tw__drive_scatter(const tw_vec_kernel *kernel, size_t n, const tw_run *args);

/* n elements of `size` bytes between strided and contiguous memory, in index order. */
void tw__pack(size_t n, void *d, const void *s, ptrdiff_t stride, unsigned size);
void tw__unpack(size_t n, void *d, ptrdiff_t stride, const void *s, unsigned size);
void tw__fill(size_t n, void *d, const void *value, unsigned size); /* contiguous */
/* Between strided runs; order of elements is free when both are contiguous. */
void tw__move(size_t n, void *d, ptrdiff_t ds, const void *s, ptrdiff_t ss, size_t size);

/* --- convert.c -------------------------------------------------------------------------------------------------- */

/* Chooses up to two steps: none when nothing has to be done. The middle type of two steps is always f32. False when a
 * type is complex, an accumulator or none. */
bool tw__find_conversion(int level, tw_type to, tw_type from, tw_convert_mode mode, void (*steps[2])(void));
/* Runs at least one step. tmp: room for n floats, not overlapping; may be dst when that is as wide. */
void tw__convert_steps(size_t n, void *dst, const void *src, void *tmp, void (*const steps[2])(void),
                       const tw__how *how);
/* Fields of 1 or 4 bits, low ones first, from and to bytes. What lies past n in the last byte keeps its value. */
void tw__pack_fields(size_t n, void *fields, const void *bytes, unsigned bits);
void tw__unpack_fields(size_t n, void *bytes, const void *fields, unsigned bits, bool is_signed);
/* Subnormal floats to zero of the same sign, in place; other types pass. */
void tw__flush(size_t n, void *x, tw_type type);

#endif
