/* SPDX-License-Identifier: MIT */
/* Integer operations of the scalar unit (UG1078 "Integer Operations"; AM009 scalar unit).
 *
 *     scalar_abs(a)  min(a, b)  max(a, b)  clz(a)  clb(a)  bitget(word, index)  bitset(word, value, index)
 *     nop(delay)     and in C++ nop(), select(condition, yes, no), min and max of any numbers
 *
 * min, max, select and nop are names that programs have too. Their own macros go first, in C static functions of the
 * same types, in C++ all functions and templates, std::min too; -DTW_AIE_NO_SCALAR_NAMES leaves ours out where that
 * is not enough. abs is that of <stdlib.h>.
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_INTEGER_H
#define TILEWRIGHT_AIE_INTEGER_H

#include <stdlib.h>
#include <tilewright/aie/detail/core.h>

/* |a|; the most negative number stays. */
TW__AIE int scalar_abs(int a)
{
    TW__COUNT(SCALAR, 1);
    return a < 0 ? (int)(0u - (unsigned)a) : a;
}
/* Bits in reverse order. The vendor's name is not public. */
TW__AIE unsigned tw_aie_bit_reverse(unsigned a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    TW__COUNT(SCALAR, 1);
    return __builtin_bswap32(a);
}
/* Zeros in front: 32 of 0. */
TW__AIE int clz(unsigned a)
{
    TW__COUNT(SCALAR, 1);
    return a ? __builtin_clz(a) : 32;
}
/* Bits in front that are equal, the sign among them: zeros of a number that is not negative, ones of a negative
 * one. */
TW__AIE unsigned tw_clb_unsigned64(uint64 a)
{
    TW__COUNT(SCALAR, 1);
    return a ? (unsigned)__builtin_clzll(a) : 64;
}
TW__AIE unsigned tw_clb_int64(int64 a)
{
    return tw_clb_unsigned64((uint64)(a < 0 ? ~a : a));
}
TW__AIE unsigned tw_clb_unsigned(unsigned a)
{
    return (unsigned)clz(a);
}
TW__AIE unsigned tw_clb_int(int a)
{
    return (unsigned)clz((unsigned)(a < 0 ? ~a : a));
}
/* Bit `index` of `word`, and `word` with that bit set to bit 0 of `value`. */
TW__AIE unsigned TW__N(bitget, tw_bitget)(unsigned word, unsigned index)
{
    TW__CHECK(index < 32, "bitget", "bit %d is not 0 to 31", (int)index);
    TW__COUNT(SCALAR, 1);
    return word >> (index & 31) & 1;
}
TW__AIE unsigned TW__N(bitset, tw_bitset)(unsigned word, unsigned value, unsigned index)
{
    TW__CHECK(index < 32, "bitset", "bit %d is not 0 to 31", (int)index);
    TW__CHECK(value < 2, "bitset", "value %d is not 0 or 1", (int)value);
    TW__COUNT(SCALAR, 1);
    return (word & ~(1u << (index & 31))) | (value & 1) << (index & 31);
}

#ifdef __cplusplus
#include <type_traits>

TW__AIE unsigned clb(int a)
{
    return tw_clb_int(a);
}
TW__AIE unsigned clb(unsigned a)
{
    return tw_clb_unsigned(a);
}
TW__AIE unsigned clb(int64 a)
{
    return tw_clb_int64(a);
}
TW__AIE unsigned clb(uint64 a)
{
    return tw_clb_unsigned64(a);
}
TW__AIE unsigned clb(long a) /* of the host: 64 bits */
{
    return tw_clb_int64(a);
}
TW__AIE unsigned clb(unsigned long a)
{
    return tw_clb_unsigned64(a);
}
#ifndef TW_AIE_NO_SCALAR_NAMES
/* The empty pack behind makes every other function or template a better match; the parentheses keep a macro from
 * expanding. */
#define TW__SUM(T, U)                                                                                             \
    typename std::enable_if<std::is_arithmetic<T>::value && std::is_arithmetic<U>::value && sizeof...(None) == 0, \
                            decltype(T() + U())>::type
// clang-format off
template <class TwT, class TwU, class... None> TW__AIE TW__SUM(TwT, TwU) (min)(TwT a, TwU b, None...)
{
    typedef decltype(a + b) both;
    TW__COUNT(SCALAR, 1);
    return static_cast<both>(b) < static_cast<both>(a) ? static_cast<both>(b) : static_cast<both>(a);
}
template <class TwT, class TwU, class... None> TW__AIE TW__SUM(TwT, TwU) (max)(TwT a, TwU b, None...)
{
    typedef decltype(a + b) both;
    TW__COUNT(SCALAR, 1);
    return static_cast<both>(a) < static_cast<both>(b) ? static_cast<both>(b) : static_cast<both>(a);
}
template <class TwT, class... None>
TW__AIE typename std::enable_if<std::is_scalar<TwT>::value && sizeof...(None) == 0, TwT>::type
(select)(bool condition, TwT yes, TwT no, None...)
{
    TW__COUNT(SCALAR, 1);
    return condition ? yes : no;
}
template <class... None>
TW__AIE typename std::enable_if<sizeof...(None) == 0>::type (nop)(unsigned delay = 1, None...)
{
    (void)delay;
    TW__COUNT(SCALAR, delay);
}
// clang-format on
#undef TW__SUM
#endif
#else
#define bitget(word, index)        TW__CALLED(tw_bitget(word, index))
#define bitset(word, value, index) TW__CALLED(tw_bitset(word, value, index))
/* int64 is long long; host programs also have long, of 64 bits. */
#define clb(a)                            \
    _Generic((a),                         \
        default: tw_clb_int,              \
        unsigned: tw_clb_unsigned,        \
        long: tw_clb_int64,               \
        long long: tw_clb_int64,          \
        unsigned long: tw_clb_unsigned64, \
        unsigned long long: tw_clb_unsigned64)(a)
#ifndef TW_AIE_NO_SCALAR_NAMES
/* A definition of this kind may be followed by another one. */
// clang-format off
#define TW__SOFT extern inline __attribute__((gnu_inline, always_inline, unused))
TW__SOFT int (min)(int a, int b)
{
    TW__COUNT(SCALAR, 1);
    return b < a ? b : a;
}
TW__SOFT int (max)(int a, int b)
{
    TW__COUNT(SCALAR, 1);
    return a < b ? b : a;
}
TW__SOFT void (nop)(unsigned delay)
{
    (void)delay;
    TW__COUNT(SCALAR, delay);
}
// clang-format on
#undef TW__SOFT
#endif
#endif

#endif
