/* SPDX-License-Identifier: MIT */
/* integer: elementwise operations on integers. Arithmetic wraps; the _SAT rows clamp. Truth values are 0 and 1. */
#include "core/vec/kernels/lane.h"

/* Signless: the same for signed and unsigned elements, built for the unsigned ones only. A shift count at or above
 * the width shifts everything out, as does a negative one (a large unsigned number). */
// clang-format off
#define SIGNLESS(ROW)                                                                                          \
    ROW(NEG, 1, (W)0 - (W)a)                                                                                   \
    ROW(NOT, 1, ~(W)a)                                                                                         \
    ROW(LNOT, 1, a == 0)                                                                                       \
    ROW(SQUARE, 1, (W)a * (W)a)                                                                                \
    ROW(POPCOUNT, 1, popcount(a))                                                                              \
    ROW(CLZ, 1, clz(a, BITS))                                                                                  \
    ROW(CTZ, 1, a ? popcount((U)(((W)a & (0 - (W)a)) - 1)) : (U)BITS)                                          \
    ROW(ADD, 2, (W)a + (W)b)                                                                                   \
    ROW(SUB, 2, (W)a - (W)b)                                                                                   \
    ROW(MUL, 2, (W)a * (W)b)                                                                                   \
    ROW(AND, 2, a & b)                                                                                         \
    ROW(OR, 2, a | b)                                                                                          \
    ROW(XOR, 2, a ^ b)                                                                                         \
    ROW(XNOR, 2, ~(W)(a ^ b))                                                                                  \
    ROW(ANDNOT, 2, a & ~(W)b)                                                                                  \
    ROW(LAND, 2, (a != 0) & (b != 0))                                                                          \
    ROW(LOR, 2, (a | b) != 0)                                                                                  \
    ROW(SHL, 2, b < BITS ? (W)a << (b & (BITS - 1)) : 0)                                                       \
    ROW(SHR, 2, b < BITS ? a >> (b & (BITS - 1)) : 0)                                                          \
    ROW(SAR, 2, (S)a >> (b < BITS ? b : (T)(BITS - 1)))                                                        \
    ROW(MULADD, 3, (W)a * (W)b + (W)c)                                                                         \
    ROW(FMA, 3, (W)a * (W)b + (W)c)                                                                            \
    ROW(MULSUB, 3, (W)a * (W)b - (W)c)                                                                         \
    ROW(ADD3, 3, (W)a + (W)b + (W)c)                                                                           \
    ROW(SUBADD, 3, (W)a - (W)b + (W)c)

/* Built for each signedness. Division is safe here (x / 0 = 0, x rem 0 = x, minimum / -1 wraps): the driver decides
 * whether a zero divisor is a fault. REM has the sign of a, MOD (floor) that of b. POW by squaring; a negative
 * exponent gives 0 unless the base is 1 or -1. */
#define SIGNED_AND_UNSIGNED(ROW)                                                                               \
    ROW(ABS, 1, a < 0 ? (W)0 - (W)a : (W)a)                                                                    \
    ROW(RELU, 1, a > 0 ? a : 0)                                                                                \
    ROW(SIGN, 1, (a > 0) - (a < 0))                                                                            \
    ROW(MIN, 2, b < a ? b : a)                                                                                 \
    ROW(MAX, 2, a < b ? b : a)                                                                                 \
    ROW(ABSDIFF, 2, a < b ? (W)b - (W)a : (W)a - (W)b)                                                         \
    ROW(PRELU, 2, a > 0 ? (W)a : (W)a * (W)b)                                                                  \
    ROW(CLAMP, 3, clamp(a, b, c))
#define DIVISIONS(ROW)                                                                                         \
    ROW(DIV, 2, b == 0 ? 0 : b == (T)-1 && (T)-1 < 0 ? (W)0 - (W)a : (W)quotient(a, b))                        \
    ROW(REM, 2, b == 0 ? (W)a : b == (T)-1 && (T)-1 < 0 ? 0 : (W)a - (W)quotient(a, b) * (W)b)                 \
    ROW(MOD, 2, floor_mod(a, b))                                                                               \
    ROW(POW, 2, power(a, b))

/* The wide sum cannot overflow for narrow types; the 64-bit ones use the compiler's overflow tests. */
#define SATURATING_NARROW(ROW)                                                                                 \
    ROW(NEG_SAT, 1, SATURATE(-(int64_t)a))                                                                     \
    ROW(ABS_SAT, 1, SATURATE(a < 0 ? -(int64_t)a : (int64_t)a))                                                \
    ROW(ADD_SAT, 2, SATURATE((int64_t)a + (int64_t)b))                                                         \
    ROW(SUB_SAT, 2, SATURATE((int64_t)a - (int64_t)b))                                                         \
    ROW(MUL_SAT, 2, MUL_SATURATED(a, b))                                                                       \
    ROW(SHL_SAT, 2, SHIFT_SATURATED(a, b))
#define SATURATING_64(ROW)                                                                                     \
    ROW(NEG_SAT, 1, OVERFLOWING(sub, (T)0, a, a > 0))                                                          \
    ROW(ABS_SAT, 1, a < 0 ? OVERFLOWING(sub, (T)0, a, 0) : a)                                                  \
    ROW(ADD_SAT, 2, OVERFLOWING(add, a, b, b < 0))                                                             \
    ROW(SUB_SAT, 2, OVERFLOWING(sub, a, b, IS_SIGNED ? b > 0 : 1))                                             \
    ROW(MUL_SAT, 2, OVERFLOWING(mul, a, b, (a < 0) != (b < 0)))                                                \
    ROW(SHL_SAT, 2, SHIFT_SATURATED(a, b))

/* Halves, when only the sign bit changes. */
#define SIGN_BITS(ROW)                                                                                         \
    ROW(FLIP_SIGN, 1, a ^ 0x8000u)                                                                             \
    ROW(CLEAR_SIGN, 1, a & 0x7fffu)                                                                            \
    ROW(COPY_SIGN, 2, (a & 0x7fffu) | (b & 0x8000u))
// clang-format on

/* Bit counts by arithmetic: vectorises at every level, unlike the instructions for single registers. */
#define popcount(x) _Generic((x), uint8_t: ones8, uint16_t: ones16, uint32_t: ones32, uint64_t: ones64)(x)
static inline uint32_t ones8(uint8_t x)
{
    x = (uint8_t)(x - (x >> 1 & 0x55));
    x = (uint8_t)((x & 0x33) + (x >> 2 & 0x33));
    return (uint8_t)((x + (x >> 4)) & 0x0f);
}
static inline uint32_t ones16(uint16_t x)
{
    x = (uint16_t)(x - (x >> 1 & 0x5555));
    x = (uint16_t)((x & 0x3333) + (x >> 2 & 0x3333));
    x = (uint16_t)((x + (x >> 4)) & 0x0f0f);
    return (uint16_t)((x + (x >> 8)) & 0x1f);
}
static inline uint32_t ones32(uint32_t x)
{
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
static inline uint64_t ones64(uint64_t x)
{
    x = x - (x >> 1 & 0x5555555555555555u);
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
}

/* Leading zeros: smear the top one down, the zeros left are the answer. */
#define clz(x, bits) _Generic((x), uint64_t: clz64(x), default: clz32((uint32_t)(x)) - (32 - (bits)))
static inline uint32_t clz32(uint32_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    return ones32(~x);
}
static inline uint64_t clz64(uint64_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x |= x >> 32;
    return ones64(~x);
}

/* Up to 32 bits a double quotient, cut, is exact: it is off an integer by at least 1 / b, and 1 / a >= 2^-32 relative
 * to it. Doubles divide in vectors, integers do not. A quotient of -2^31 / -1 never gets here. */
#define quotient(a, b) \
    _Generic((a), int64_t: div_s64, uint64_t: div_u64, uint32_t: div_u32, default: div_narrow)(a, b)
static inline int64_t div_s64(int64_t a, int64_t b)
{
    return a / b;
}
static inline uint64_t div_u64(uint64_t a, uint64_t b)
{
    return a / b;
}
static inline uint32_t div_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((double)a / (double)b);
}
static inline int32_t div_narrow(int32_t a, int32_t b)
{
    return (int32_t)((double)a / (double)b);
}

#define clamp(x, low, high) (T)((x) < (low) ? (low) : (high) < (x) ? (high) : (x))

#define IS_SIGNED ((T) - 1 < 0)
#define T_MAX     (IS_SIGNED ? (T)((U) - 1 >> 1) : (T) - 1)
#define T_MIN     (IS_SIGNED ? (T)((U)1 << (BITS - 1)) : (T)0)
#define SATURATE(wide) \
    ((wide) < (int64_t)T_MIN ? (int64_t)T_MIN : (wide) > (int64_t)T_MAX ? (int64_t)T_MAX : (wide))
/* The product of two unsigned 32-bit numbers needs the unsigned comparison. */
#define MUL_SATURATED(a, b)                                                                  \
    (IS_SIGNED ? SATURATE((int64_t)(a) * (int64_t)(b))                                       \
               : (int64_t)((uint64_t)(a) * (uint64_t)(b) > (uint64_t)T_MAX ? (uint64_t)T_MAX \
                                                                           : (uint64_t)(a) * (uint64_t)(b)))
#define OVERFLOWING(operation, a, b, low)                                                 \
    ({                                                                                    \
        T exact_;                                                                         \
        __builtin_##operation##_overflow(a, b, &exact_) ? (low) ? T_MIN : T_MAX : exact_; \
    })
#define SHIFT_SATURATED(a, b)                                                         \
    ({                                                                                \
        U count_ = (U)(b);                                                            \
        T out_ = (T)(count_ < BITS ? (W)(a) << (count_ & (BITS - 1)) : 0);            \
        T back_ = (T)(out_ >> (count_ & (BITS - 1)));                                 \
        (a) == 0 || (count_ < BITS && back_ == (a)) ? out_ : (a) < 0 ? T_MIN : T_MAX; \
    })

#define DEFINE(op, sources, ...)      TW_UNSIGNED(TW_LOOP, op, sources, __VA_ARGS__)
#define DEFINE_BOTH(op, sources, ...) TW_INTS(TW_LOOP, op, sources, __VA_ARGS__)
#define ENTER(op, sources, ...)       TW_UNSIGNED(TW_ENTRY_SIGNLESS, op, 0)
#define ENTER_BOTH(op, sources, ...)  TW_INTS(TW_ENTRY, op, 0)
#define TW_NARROW(X, ...)                                          \
    X(U8, uint8_t, uint8_t, uint32_t, int8_t, 8, __VA_ARGS__)      \
    X(U16, uint16_t, uint16_t, uint32_t, int16_t, 16, __VA_ARGS__) \
    X(U32, uint32_t, uint32_t, uint32_t, int32_t, 32, __VA_ARGS__) \
    X(I8, int8_t, uint8_t, uint32_t, int8_t, 8, __VA_ARGS__)       \
    X(I16, int16_t, uint16_t, uint32_t, int16_t, 16, __VA_ARGS__)  \
    X(I32, int32_t, uint32_t, uint32_t, int32_t, 32, __VA_ARGS__)
#define TW_WIDE(X, ...)                                            \
    X(U64, uint64_t, uint64_t, uint64_t, int64_t, 64, __VA_ARGS__) \
    X(I64, int64_t, uint64_t, uint64_t, int64_t, 64, __VA_ARGS__)
#define DEFINE_NARROW(op, sources, ...) TW_NARROW(TW_LOOP, op, sources, __VA_ARGS__)
#define DEFINE_WIDE(op, sources, ...)   TW_WIDE(TW_LOOP, op, sources, __VA_ARGS__)

/* floor_mod and power need T: made per type ahead of the loops that name them. */
#define HELPERS(type, T_, U_, W_, S_, bits, ...)                                          \
    static inline T_ floor_mod_##type(T_ a, T_ b)                                         \
    {                                                                                     \
        typedef T_ T;                                                                     \
        typedef W_ W;                                                                     \
        if (b == 0) return a;                                                             \
        if (IS_SIGNED && b == (T) - 1) return 0;                                          \
        T r = (T)((W)a - (W)quotient(a, b) * (W)b);                                       \
        return r != 0 && (r < 0) != (b < 0) ? (T)((W)r + (W)b) : r;                       \
    }                                                                                     \
    static inline T_ power_##type(T_ a, T_ b)                                             \
    {                                                                                     \
        typedef T_ T;                                                                     \
        typedef W_ W;                                                                     \
        if (b < 0) return a == 1 ? 1 : IS_SIGNED && a == (T) - 1 ? ((b & 1) ? a : 1) : 0; \
        W result = 1, square = (W)a;                                                      \
        for (U_ left = (U_)b; left; left = (U_)(left >> 1), square *= square)             \
            if (left & 1) result *= square;                                               \
        return (T)result;                                                                 \
    }
TW_INTS(HELPERS, 0)
#define BY_TYPE(function, x)      \
    _Generic((x),                 \
        uint8_t: function##_U8,   \
        uint16_t: function##_U16, \
        uint32_t: function##_U32, \
        uint64_t: function##_U64, \
        int8_t: function##_I8,    \
        int16_t: function##_I16,  \
        int32_t: function##_I32,  \
        int64_t: function##_I64)
#define floor_mod(a, b) BY_TYPE(floor_mod, a)(a, b)
#define power(a, b)     BY_TYPE(power, a)(a, b)

#define ONLY_U16(X, ...)             X(U16, uint16_t, uint16_t, uint32_t, int16_t, 16, __VA_ARGS__)
#define DEFINE_U16(op, sources, ...) ONLY_U16(TW_LOOP, op, sources, __VA_ARGS__)
#define ENTER_U16(op, sources, ...)  ONLY_U16(TW_ENTRY, op, 0)

SIGNLESS(DEFINE)
SIGN_BITS(DEFINE_U16)
SIGNED_AND_UNSIGNED(DEFINE_BOTH)
DIVISIONS(DEFINE_BOTH)
SATURATING_NARROW(DEFINE_NARROW)
SATURATING_64(DEFINE_WIDE)

// clang-format off
const tw__cores TW_LEVELLED(tw__cores_integer) = { {
    SIGNLESS(ENTER) SIGN_BITS(ENTER_U16) SIGNED_AND_UNSIGNED(ENTER_BOTH) DIVISIONS(ENTER_BOTH)
    SATURATING_64(ENTER_BOTH)
} };
// clang-format on
