/* SPDX-License-Identifier: MIT */
/* The multiply family: [l]{mul,mac,msc,negmul}{2,4,8,16} with pre-adder, centre tap, conjugation. This file computes;
 * aie/detail/mul_calls.h has the names and overloads. Formulas: docs/aie.md
 *
 * Result lane l is the sum over columns c of pre(x(l,c), y(l,c)) * z(l,c), taken modulo 2^48 or 2^80 (here: 2^64 and
 * 2^128, wrapped when observed). Everything but the data is constant after inlining, so what remains is straight
 * code. Real 8- and 16-bit data, and cint16 by cint16, go through SIMD, with a pre-adder that adds or subtracts too;
 * the rest lane by lane, four at a time.
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_MUL_H
#define TILEWRIGHT_AIE_MUL_H

#include <tilewright/aie/detail/mul_simd.h>

/* --- all of it ------------------------------------------------------------------------------------------------ */

#ifdef TW_AIE_CHECK
#ifdef __cplusplus
extern "C"
#endif
    TW_API void
    tw__aie_check_mul(const tw__mul *a, const tw__shape *s, unsigned flags, const void *acc, unsigned word);
/* Copies, so that what is known of the originals stays known after the call. */
TW__AIE void tw__check_mul(tw__mul a, tw__shape s, unsigned flags, const void *acc, unsigned word)
{
    tw__aie_check_mul(&a, &s, flags, acc, word);
}
#define TW__CHECK_MUL(a, s, flags, acc, word) tw__check_mul(*(a), *(s), flags, acc, word)
/* What is known after inlining and unrolling, so optimised builds alone can tell. */
#ifndef TW_AIE_CHECK_ZSTART
#define TW_AIE_CHECK_ZSTART 1
#endif
#if TW_AIE_CHECK_ZSTART && defined(__OPTIMIZE__) && defined(TW__AIE_INLINED)
#define TW__ZSTART(zstart) (__builtin_constant_p(zstart) ? 0 : TW__ZVARIES)
#else
#define TW__ZSTART(zstart) 0
#endif
#else
#define TW__CHECK_MUL(a, s, flags, acc, word) ((void)0)
#endif

/* What mul_calls.h names. SIMD, and lane by lane by the number of columns: up to 8 lanes, 16 lanes, twice the lanes
 * with _uct. With a pre-adder, sums of (x + y) * z are those of x * z and those of y * z. */
TW__AIE tw__mul tw__y_side(const tw__mul *a)
{
    tw__mul y = *a;
    y.x = a->y, y.xstart = a->ystart, y.xstep = 0u - a->xstep, y.xsquare = a->ysquare;
    return y;
}
TW__AIE unsigned tw__y_flags(unsigned flags)
{
    return flags & TW__ANTISYM ? flags ^ TW__SUBTRACT : flags;
}
TW__AIE void tw__mul_dot(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    tw__dot((tw__u64x4 *)acc, a, s, flags);
}
TW__AIE void tw__mul_four(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    tw__dot_four((tw__u64x4 *)acc, a, s, flags, 0);
    tw__dot_four((tw__u64x4 *)acc, a, s, flags, 1);
}
TW__AIE void tw__mul_dot_pair(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    const tw__mul y = tw__y_side(a);
    tw__dot((tw__u64x4 *)acc, a, s, flags);
    tw__dot((tw__u64x4 *)acc, &y, s, tw__y_flags(flags));
}
TW__AIE void tw__mul_four_pair(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    const tw__mul y = tw__y_side(a);
    tw__mul_four(acc, a, s, flags);
    tw__mul_four(acc, &y, s, tw__y_flags(flags));
}
/* 4 lanes and 2 columns, of which the second is the centre tap. */
TW__AIE void tw__mul_four_ct(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags)
{
    const tw__mul y = tw__y_side(a);
    tw__mul centre = *a;
    centre.xstart += a->mtap, centre.xstep = 0;
    tw__dot_four((tw__u64x4 *)acc, a, s, flags, 0);
    tw__dot_four((tw__u64x4 *)acc, &y, s, tw__y_flags(flags), 0);
    tw__dot_four((tw__u64x4 *)acc, &centre, s, flags, 1);
}
#define TW__DEFINE_MUL(name, word, DO)                                                           \
    TW__AIE void tw__mul_##name(void *acc, const tw__mul *a, const tw__shape *s, unsigned flags) \
    {                                                                                            \
        word *w = (word *)acc;                                                                   \
        DO;                                                                                      \
    }
#define TW__48(c)     tw__column48(w, a, s, flags, c, 0), tw__column48(w, a, s, flags, c, 4)
#define TW__48HIGH(c) tw__column48(w, a, s, flags, c, 8), tw__column48(w, a, s, flags, c, 12)
#define TW__80(c)     tw__column80(w, a, s, flags, c, 0), tw__column80(w, a, s, flags, c, 4)
#define TW__UCT48     tw__uct48(w, a, s, flags, 0), tw__uct48(w, a, s, flags, 4)
#define TW__UCT80     tw__uct80(w, a, s, flags, 0), tw__uct80(w, a, s, flags, 4)
#define TW__EACH1(F)  F(0)
TW__DEFINE_MUL(lanes48_1, tw__word48, TW__EACH1(TW__48))
TW__DEFINE_MUL(lanes48_2, tw__word48, TW__EACH2(TW__48))
TW__DEFINE_MUL(lanes48_4, tw__word48, TW__EACH4(TW__48))
TW__DEFINE_MUL(lanes48_8, tw__word48, TW__EACH8(TW__48))
TW__DEFINE_MUL(wide48_1, tw__word48, (TW__EACH1(TW__48), TW__EACH1(TW__48HIGH)))
TW__DEFINE_MUL(wide48_2, tw__word48, (TW__EACH2(TW__48), TW__EACH2(TW__48HIGH)))
TW__DEFINE_MUL(wide48_4, tw__word48, (TW__EACH4(TW__48), TW__EACH4(TW__48HIGH)))
TW__DEFINE_MUL(uct48_1, tw__word48, (TW__EACH1(TW__48), TW__UCT48))
TW__DEFINE_MUL(uct48_2, tw__word48, (TW__EACH2(TW__48), TW__UCT48))
TW__DEFINE_MUL(uct48_4, tw__word48, (TW__EACH4(TW__48), TW__UCT48))
TW__DEFINE_MUL(uct48_8, tw__word48, (TW__EACH8(TW__48), TW__UCT48))
TW__DEFINE_MUL(lanes80_1, tw__word80, TW__EACH1(TW__80))
TW__DEFINE_MUL(lanes80_2, tw__word80, TW__EACH2(TW__80))
TW__DEFINE_MUL(lanes80_4, tw__word80, TW__EACH4(TW__80))
TW__DEFINE_MUL(uct80_1, tw__word80, (TW__EACH1(TW__80), TW__UCT80))
TW__DEFINE_MUL(uct80_2, tw__word80, (TW__EACH2(TW__80), TW__UCT80))
TW__DEFINE_MUL(uct80_4, tw__word80, (TW__EACH4(TW__80), TW__UCT80))
#undef TW__48
#undef TW__48HIGH
#undef TW__80
#undef TW__UCT48
#undef TW__UCT80
#undef TW__DEFINE_MUL

/* --- names ---------------------------------------------------------------------------------------------------------
 * C: TW__CALL(class, flags, arguments) chooses by number and types of the arguments. C++: a template that hands over
 * to the overloads of the class, so that objects which convert to vectors are taken too; by value, because deduction
 * drops the alignment of a vector type. Scalars are all int there: one kind of conversion leaves nothing
 * ambiguous. */
#ifdef __cplusplus
#ifdef TW_AIE_CHECK
#define TW__NAME(name, cls, flags) \
    TW__COUNTS_##cls(TW__PLACED_FLAGS, name, tw__raw_##cls, static_cast<unsigned>(flags))
#else
#define TW__NAME(name, cls, flags)                                                 \
    template <class... TwA> TW__AIE auto name(TwA... a) -> decltype(cls(0u, a...)) \
    {                                                                              \
        return cls(flags, a...);                                                   \
    }
#endif
#else
struct tw_no_intrinsic_takes_these_arguments; /* what a compiler names when no overload fits */
extern struct tw_no_intrinsic_takes_these_arguments *tw__no_such_overload;
/* The rules of the multiply family; gcc names the object, clang the type. */
#define TW__RULES                                                                       x_has_512_or_1024_bits_z_256_bits_y_stands_beside_x_of_512_bits_and_32_by_32_bits_is_lmul
#define TW__RULES_OF(prefix)                                                            TW__RULES_OF_(prefix, TW__RULES)
#define TW__RULES_OF_(prefix, rules)                                                    TW__RULES_OF__(prefix, rules)
#define TW__RULES_OF__(prefix, rules)                                                   prefix##rules
#define TW__NO_SUCH(prefix)                                                             extern struct TW__RULES_OF(prefix) * TW__RULES_OF(prefix);
#define TW__NARGS(...)                                                                  TW__NARGS_(__VA_ARGS__, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TW__NARGS_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, count, ...) count
#define TW__CALL(cls, flags, ...)                                                       TW__CALLED(TW__CALL_(cls, TW__NARGS(__VA_ARGS__), flags, __VA_ARGS__))
#define TW__CALL_(cls, n, flags, ...)                                                   TW__CALL__(cls, n, flags, __VA_ARGS__)
#define TW__CALL__(cls, n, flags, ...)                                                  cls##_##n(flags, __VA_ARGS__)
#endif

#endif
