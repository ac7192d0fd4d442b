/* SPDX-License-Identifier: MIT */
/* float: elementwise operations on f32 and f64. Half and bfloat16 come here as f32 (the driver widens and narrows),
 * apart from the rows that round between two operations. NaN results are the one quiet NaN; NEG, ABS and COPYSIGN
 * only touch the sign bit. Nothing is fused but FMA. */
#include "core/vec/kernels/lane.h"
#include "core/type/convert.h"

#define IS32 (BITS == 32)

// clang-format off
#define ARITHMETIC(ROW)                                                                                        \
    ROW(SQUARE, 1, TW_NUMBER(a * a))                                                                           \
    ROW(SQRT, 1, TW_NUMBER(square_root(a)))                                                                    \
    ROW(RSQRT, 1, TW_NUMBER((T)1 / square_root(a)))                                                            \
    ROW(RECIP, 1, TW_NUMBER((T)1 / a))                                                                         \
    ROW(NEG, 1, NEGATED(a))                                                                                    \
    ROW(ABS, 1, MAGNITUDE(a))                                                                                  \
    ROW(SIGN, 1, a > 0 ? (T)1 : a < 0 ? (T)-1 : TW_NUMBER(a))                                                  \
    ROW(CEIL, 1, TW_NUMBER(round_up(a)))                                                                       \
    ROW(FLOOR, 1, TW_NUMBER(round_down(a)))                                                                    \
    ROW(TRUNC, 1, TW_NUMBER(round_zero(a)))                                                                    \
    ROW(RINT, 1, TW_NUMBER(round_even(a)))                                                                     \
    ROW(ROUND, 1, TW_NUMBER(ROUND_AWAY(a)))                                                                    \
    ROW(ADD, 2, TW_NUMBER(a + b))                                                                              \
    ROW(SUB, 2, TW_NUMBER(a - b))                                                                              \
    ROW(MUL, 2, TW_NUMBER(a * b))                                                                              \
    ROW(DIV, 2, TW_NUMBER(a / b))                                                                              \
    ROW(ABSDIFF, 2, MAGNITUDE(TW_NUMBER(a - b)))                                                               \
    ROW(PRELU, 2, TW_NUMBER(a > 0 ? a : a * b))                                                                \
    ROW(COPYSIGN, 2, with_sign(a, b))                                                                          \
    ROW(FMA, 3, TW_NUMBER(fused(a, b, c)))                                                                     \
    ROW(MULADD, 3, TW_NUMBER(a * b + c))                                                                       \
    ROW(MULSUB, 3, TW_NUMBER(a * b - c))                                                                       \
    ROW(ADD3, 3, TW_NUMBER(a + b + c))                                                                         \
    ROW(SUBADD, 3, TW_NUMBER(a - b + c))

/* Minimum and maximum by the three rules of tw_nan_rule. */
#define EXTREMES(ROW)                                                                                          \
    ROW(MIN, 2, LESS(a, b, NUMBER))                                                                            \
    ROW(MAX, 2, MORE(a, b, NUMBER))                                                                            \
    ROW(MIN_PROPAGATE, 2, LESS(a, b, PROPAGATE))                                                               \
    ROW(MAX_PROPAGATE, 2, MORE(a, b, PROPAGATE))                                                               \
    ROW(MIN_FIRST, 2, TW_NUMBER(b < a ? b : a))                                                                           \
    ROW(MAX_FIRST, 2, TW_NUMBER(a < b ? b : a))                                                                           \
    ROW(RELU, 1, MORE(a, (T)0, NUMBER))                                                                        \
    ROW(RELU_PROPAGATE, 1, MORE(a, (T)0, PROPAGATE))                                                           \
    ROW(RELU_FIRST, 1, TW_NUMBER(a < 0 ? (T)0 : a))                                                                       \
    ROW(CLAMP, 3, CLAMPED(a, b, c, NUMBER))                                                                    \
    ROW(CLAMP_PROPAGATE, 3, CLAMPED(a, b, c, PROPAGATE))                                                       \
    ROW(CLAMP_FIRST, 3, TW_NUMBER(a < b ? b : c < a ? c : a))

/* Two operations in half (bfloat16) mean two roundings: the first one is made visible here, the second is the
 * driver's. The operands are exact in f32, and f32 is wide enough to round twice (24 >= 2 * 11 + 2). */
#define TWO_ROUNDINGS(ROW, type, narrow)                                                                       \
    ROW(MULADD_##type, 3, TW_NUMBER(narrow(a * b) + c))                                                        \
    ROW(MULSUB_##type, 3, TW_NUMBER(narrow(a * b) - c))                                                        \
    ROW(ADD3_##type, 3, TW_NUMBER(narrow(a + b) + c))                                                          \
    ROW(SUBADD_##type, 3, TW_NUMBER(narrow(a - b) + c))
// clang-format on

#define BITS_OF(x)      _Generic((x), float: tw__f32_bits, double: tw__f64_bits)(x)
#define FROM_BITS(x)    _Generic((x), uint32_t: tw__f32_from_bits, uint64_t: tw__f64_from_bits)(x)
#define SIGN_BIT        ((U)1 << (BITS - 1))
#define NEGATED(x)      FROM_BITS((U)(BITS_OF(x) ^ SIGN_BIT))
#define MAGNITUDE(x)    FROM_BITS((U)(BITS_OF(x) & ~SIGN_BIT))
#define with_sign(x, s) FROM_BITS((U)((BITS_OF(x) & ~SIGN_BIT) | (BITS_OF(s) & SIGN_BIT)))
#define square_root(x)  _Generic((x), float: __builtin_sqrtf, double: __builtin_sqrt)(x)
#define round_up(x)     _Generic((x), float: __builtin_ceilf, double: __builtin_ceil)(x)
#define round_down(x)   _Generic((x), float: __builtin_floorf, double: __builtin_floor)(x)
#define round_zero(x)   _Generic((x), float: __builtin_truncf, double: __builtin_trunc)(x)
#define round_even(x)   _Generic((x), float: __builtin_rintf, double: __builtin_rint)(x)
#define fused(a, b, c)  _Generic((a), float: fused_f32, double: __builtin_fma)(a, b, c)

/* Ties away from zero: the cut part is exact, so comparing it with one half is, too. */
#define ROUND_AWAY(x)                                                               \
    ({                                                                              \
        T cut_ = round_zero(x), rest_ = (x) - cut_;                                 \
        T out_ = rest_ >= (T)0.5 ? cut_ + 1 : rest_ <= (T) - 0.5 ? cut_ - 1 : cut_; \
        with_sign(out_, x);                                                         \
    })

/* Equal numbers have equal bits but for zeros: OR gives -0, AND gives +0. */
#define EQUAL_LESS(a, b) FROM_BITS((U)(BITS_OF(a) | BITS_OF(b)))
#define EQUAL_MORE(a, b) FROM_BITS((U)(BITS_OF(a) & BITS_OF(b)))
#define NUMBER(a, b)     TW_NUMBER((a) == (a) ? (a) : (b))
#define PROPAGATE(a, b)  ((T)__builtin_nan(""))
#define LESS(a, b, rule) ((a) < (b) ? (a) : (b) < (a) ? (b) : (a) == (b) ? EQUAL_LESS(a, b) : rule(a, b))
#define MORE(a, b, rule) ((a) > (b) ? (a) : (b) > (a) ? (b) : (a) == (b) ? EQUAL_MORE(a, b) : rule(a, b))
#define CLAMPED(x, low, high, rule)     \
    ({                                  \
        T raised_ = MORE(x, low, rule); \
        LESS(raised_, high, rule);      \
    })

/* p + c rounded to odd: the product p is exact, the error of the sum is known exactly (Knuth), and the last bit
 * remembers it. Rounding that once more, to a format at least two bits shorter, is one rounding of the true value. */
static inline double odd_sum(double p, double c)
{
    double s = p + c, v = s - p, error = (p - (s - v)) + (c - v);
    uint64_t bits = tw__f64_bits(s);
    uint64_t inexact = (uint64_t)((error > 0) | (error < 0)) & ~bits & 1;
    uint64_t outward = (error > 0) == (s > 0);
    return tw__f64_from_bits(bits + (outward ? inexact : 0 - inexact));
}

/* The same in f32, for halves: their products have 22 bits and exponents from -48 to 31. */
static inline float odd_sum_f32(float p, float c)
{
    float s = p + c, v = s - p, error = (p - (s - v)) + (c - v);
    uint32_t bits = tw__f32_bits(s);
    uint32_t inexact = (uint32_t)((error > 0) | (error < 0)) & ~bits & 1;
    uint32_t outward = (error > 0) == (s > 0);
    return tw__f32_from_bits(bits + (outward ? inexact : 0 - inexact));
}

static inline float fused_f32(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return (float)odd_sum((double)a * (double)b, c);
#endif
}

static inline float through_f16(float x)
{
    return tw__f16_to_f32(tw__f32_to_f16(x, TW_ROUND_NEAREST_EVEN, TW_SAT_NONE, 0));
}
static inline float through_bf16(float x)
{
    return tw__bf16_to_f32(tw__f32_to_bf16(x, TW_ROUND_NEAREST_EVEN, TW_SAT_NONE, 0));
}

/* a * 2^b, b cut to an integer, one rounding. In f32 the product is exact in f64; f64 scales in two exact steps down
 * to the edge of the subnormals and lets the last step round. */
static inline float scale_f32(float a, float b)
{
    int32_t k = (int32_t)(b > -400.0f ? b < 400.0f ? b : 400.0f : -400.0f);
    return (float)((double)a * tw__f64_from_bits((uint64_t)(int64_t)(1023 + k) << 52));
}
static inline double scale_f64(double a, double b)
{
    return __builtin_scalbn(a, (int)(b > -4000.0 ? b < 4000.0 ? b : 4000.0 : -4000.0));
}
#define scaled(a, b) _Generic((a), float: scale_f32, double: scale_f64)(a, b)
#define SCALES(ROW)  ROW(SCALB, 2, TW_NUMBER((b) == (b) ? scaled(a, b) : b))

#define DEFINE(op, sources, ...)     TW_FLOATS(TW_LOOP, op, sources, __VA_ARGS__)
#define ENTER(op, sources, ...)      TW_FLOATS(TW_ENTRY, op, 0)
#define ONLY_F32(X, ...)             X(F32, float, uint32_t, uint32_t, int32_t, 32, __VA_ARGS__)
#define ONLY_F64(X, ...)             X(F64, double, uint64_t, uint64_t, int64_t, 64, __VA_ARGS__)
#define DEFINE_F32(op, sources, ...) ONLY_F32(TW_LOOP, op, sources, __VA_ARGS__)
#define ENTER_F32(op, sources, ...)  ONLY_F32(TW_ENTRY, op, 0)

ARITHMETIC(DEFINE)
EXTREMES(DEFINE)
SCALES(DEFINE)
TWO_ROUNDINGS(DEFINE_F32, F16, through_f16)
TWO_ROUNDINGS(DEFINE_F32, BF16, through_bf16)
ONLY_F64(TW_LOOP, FMA_EXACT, 3, TW_NUMBER(odd_sum(a *b, c)))

ONLY_F32(TW_LOOP, FMA_ODD, 3, TW_NUMBER(odd_sum_f32(a *b, c)))
ONLY_F32(TW_LOOP_REPEAT, ADD_REPEAT, 2, TW_NUMBER(a + b))
ONLY_F32(TW_LOOP_REPEAT, SUB_REPEAT, 2, TW_NUMBER(a - b))
ONLY_F32(TW_LOOP_REPEAT, MUL_REPEAT, 2, TW_NUMBER(a *b))
ONLY_F32(TW_LOOP_REPEAT, FMA_REPEAT, 3, TW_NUMBER(fused(a, b, c)))
ONLY_F32(TW_LOOP_REPEAT, MULADD_REPEAT, 3, TW_NUMBER(a *b + c))
ONLY_F32(TW_LOOP_REPEAT, MULSUB_REPEAT, 3, TW_NUMBER(a *b - c))

// clang-format off
const tw__cores TW_LEVELLED(tw__cores_float) = { {
    ARITHMETIC(ENTER) EXTREMES(ENTER) SCALES(ENTER) TWO_ROUNDINGS(ENTER_F32, F16, )
    TWO_ROUNDINGS(ENTER_F32, BF16, ) ONLY_F64(TW_ENTRY, FMA_EXACT, 0)
    ONLY_F32(TW_ENTRY, FMA_ODD, 0) ONLY_F32(TW_ENTRY, ADD_REPEAT, 0) ONLY_F32(TW_ENTRY, SUB_REPEAT, 0)
    ONLY_F32(TW_ENTRY, MUL_REPEAT, 0) ONLY_F32(TW_ENTRY, FMA_REPEAT, 0)
    ONLY_F32(TW_ENTRY, MULADD_REPEAT, 0) ONLY_F32(TW_ENTRY, MULSUB_REPEAT, 0)
} };
// clang-format on
