/* SPDX-License-Identifier: MIT */
/* aie/lanes.h in C: by number of arguments short form, x alone, with a y buffer; the type of x chooses the
 * function. */
#ifndef TILEWRIGHT_AIE_LANES_C_H
#define TILEWRIGHT_AIE_LANES_C_H

#define TW__T_i(f, k) \
    v16int32:         \
    tw_##f##_##k##_v16int32
#define TW__T_I(f, k) \
    v32int32:         \
    tw_##f##_##k##_v32int32
#define TW__T_ic(f, k) \
    v16int32:          \
    tw_##f##_##k##_v16int32, v16cint16 : tw_##f##_##k##_v16cint16
#define TW__T_IC(f, k) \
    v32int32:          \
    tw_##f##_##k##_v32int32, v32cint16 : tw_##f##_##k##_v32cint16
#define TW__T_h(f, k) \
    v32int16:         \
    tw_##f##_##k##_v32int16
#define TW__T_H(f, k) \
    v64int16:         \
    tw_##f##_##k##_v64int16
#define TW__T_c(f, k) \
    v8cint32:         \
    tw_##f##_##k##_v8cint32
#define TW__T_C(f, k) \
    v16cint32:        \
    tw_##f##_##k##_v16cint32
#define TW__T_f(f, k) \
    v16float:         \
    tw_##f##_##k##_v16float
#define TW__T_F(f, k) \
    v32float:         \
    tw_##f##_##k##_v32float
#define TW__T_g(f, k) \
    v8cfloat:         \
    tw_##f##_##k##_v8cfloat
#define TW__T_G(f, k) \
    v16cfloat:        \
    tw_##f##_##k##_v16cfloat
#define TW__PICK_S(S, L, f, v) _Generic((v), TW__T_##S(f, s))
#define TW__PICK_X(S, L, f, v) _Generic((v), TW__T_##S(f, x), TW__T_##L(f, x))
#define TW__PICK_Y(S, L, f, v) _Generic((v), TW__T_##S(f, y))

#define TW__FAMILY(table, s, L, f, ...)      TW__CALLED(TW__FAMILY_(table, TW__NARGS(__VA_ARGS__), s, L, f, __VA_ARGS__))
#define TW__FAMILY_(table, n, s, L, f, ...)  TW__FAMILY__(table, n, s, L, f, __VA_ARGS__)
#define TW__FAMILY__(table, n, s, L, f, ...) table##_##n(s, L, f, __VA_ARGS__)
/* one operand: 8, 16, 32 lanes */
#define tw__one_1(s, L, f, x)             TW__PICK_S(s, L, f, x)(x)
#define tw__one_3(s, L, f, x, a, b)       TW__PICK_X(s, L, f, x)(x, a, b)
#define tw__one_4(s, L, f, x, a, b, c)    TW__PICK_X(s, L, f, x)(x, a, b, c)
#define tw__one_5(s, L, f, x, a, b, c, d) TW__PICK_X(s, L, f, x)(x, a, b, c, d)
/* one operand and cmp */
#define tw__onecmp_2(s, L, f, x, m)             TW__PICK_S(s, L, f, x)(x, &(m))
#define tw__onecmp_5(s, L, f, x, a, b, c, m)    TW__PICK_X(s, L, f, x)(x, a, b, c, &(m))
#define tw__onecmp_6(s, L, f, x, a, b, c, d, m) TW__PICK_X(s, L, f, x)(x, a, b, c, d, &(m))
/* two operands of 8, 16 and 32 lanes */
#define tw__two8_2(s, L, f, x, y)                           TW__PICK_S(s, L, f, x)(x, y)
#define tw__two8_5(s, L, f, x, a, b, d, e)                  TW__PICK_X(s, L, f, x)(x, a, b, d, e)
#define tw__two8_6(s, L, f, x, a, b, y, d, e)               TW__PICK_Y(s, L, f, x)(x, a, b, y, d, e)
#define tw__two16_2(s, L, f, x, y)                          TW__PICK_S(s, L, f, x)(x, y)
#define tw__two16_7(s, L, f, x, a, b, c, d, e, g)           TW__PICK_X(s, L, f, x)(x, a, b, c, d, e, g)
#define tw__two16_8(s, L, f, x, a, b, c, y, d, e, g)        TW__PICK_Y(s, L, f, x)(x, a, b, c, y, d, e, g)
#define tw__two32_2(s, L, f, x, y)                          TW__PICK_S(s, L, f, x)(x, y)
#define tw__two32_9(s, L, f, x, a, b, c, q, d, e, g, r)     TW__PICK_X(s, L, f, x)(x, a, b, c, q, d, e, g, r)
#define tw__two32_10(s, L, f, x, a, b, c, q, y, d, e, g, r) TW__PICK_Y(s, L, f, x)(x, a, b, c, q, y, d, e, g, r)
#define tw__sel8_3(s, L, f, l, x, y)                        TW__PICK_S(s, L, f, x)(l, x, y)
#define tw__sel8_6(s, L, f, l, x, a, b, d, e)               TW__PICK_X(s, L, f, x)(l, x, a, b, d, e)
#define tw__sel8_7(s, L, f, l, x, a, b, y, d, e)            TW__PICK_Y(s, L, f, x)(l, x, a, b, y, d, e)
#define tw__sel16_3(s, L, f, l, x, y)                       TW__PICK_S(s, L, f, x)(l, x, y)
#define tw__sel16_8(s, L, f, l, x, a, b, c, d, e, g)        TW__PICK_X(s, L, f, x)(l, x, a, b, c, d, e, g)
#define tw__sel16_9(s, L, f, l, x, a, b, c, y, d, e, g)     TW__PICK_Y(s, L, f, x)(l, x, a, b, c, y, d, e, g)
#define tw__sel32_3(s, L, f, l, x, y)                       TW__PICK_S(s, L, f, x)(l, x, y)
#define tw__sel32_10(s, L, f, l, x, a, b, c, q, d, e, g, r) TW__PICK_X(s, L, f, x)(l, x, a, b, c, q, d, e, g, r)
#define tw__sel32_11(s, L, f, l, x, a, b, c, q, y, d, e, g, r) \
    TW__PICK_Y(s, L, f, x)(l, x, a, b, c, q, y, d, e, g, r)
#define tw__cmp16_3(s, L, f, x, y, m)                       TW__PICK_S(s, L, f, x)(x, y, &(m))
#define tw__cmp16_8(s, L, f, x, a, b, c, d, e, g, m)        TW__PICK_X(s, L, f, x)(x, a, b, c, d, e, g, &(m))
#define tw__cmp16_9(s, L, f, x, a, b, c, y, d, e, g, m)     TW__PICK_Y(s, L, f, x)(x, a, b, c, y, d, e, g, &(m))
#define tw__cmp32_3(s, L, f, x, y, m)                       TW__PICK_S(s, L, f, x)(x, y, &(m))
#define tw__cmp32_10(s, L, f, x, a, b, c, q, d, e, g, r, m) TW__PICK_X(s, L, f, x)(x, a, b, c, q, d, e, g, r, &(m))
#define tw__cmp32_11(s, L, f, x, a, b, c, q, y, d, e, g, r, m) \
    TW__PICK_Y(s, L, f, x)(x, a, b, c, q, y, d, e, g, r, &(m))

#define shuffle8(...)     TW__FAMILY(tw__one, c, C, shuffle8, __VA_ARGS__)
#define shuffle16(...)    TW__FAMILY(tw__one, ic, IC, shuffle16, __VA_ARGS__)
#define shuffle32(...)    TW__FAMILY(tw__one, h, H, shuffle32, __VA_ARGS__)
#define fpshuffle8(...)   TW__FAMILY(tw__one, g, G, fpshuffle8, __VA_ARGS__)
#define fpshuffle16(...)  TW__FAMILY(tw__one, f, F, fpshuffle16, __VA_ARGS__)
#define abs16(...)        TW__FAMILY(tw__one, i, I, abs16, __VA_ARGS__)
#define abs32(...)        TW__FAMILY(tw__one, h, H, abs32, __VA_ARGS__)
#define abscmp16(...)     TW__FAMILY(tw__onecmp, i, I, abscmp16, __VA_ARGS__)
#define abscmp32(...)     TW__FAMILY(tw__onecmp, h, H, abscmp32, __VA_ARGS__)
#define select8(...)      TW__FAMILY(tw__sel8, c, C, select8, __VA_ARGS__)
#define select16(...)     TW__FAMILY(tw__sel16, ic, IC, select16, __VA_ARGS__)
#define select32(...)     TW__FAMILY(tw__sel32, h, H, select32, __VA_ARGS__)
#define fpselect8(...)    TW__FAMILY(tw__sel8, g, G, fpselect8, __VA_ARGS__)
#define fpselect16(...)   TW__FAMILY(tw__sel16, f, F, fpselect16, __VA_ARGS__)
#define add8(...)         TW__FAMILY(tw__two8, c, C, add8, __VA_ARGS__)
#define sub8(...)         TW__FAMILY(tw__two8, c, C, sub8, __VA_ARGS__)
#define add16(...)        TW__FAMILY(tw__two16, ic, IC, add16, __VA_ARGS__)
#define sub16(...)        TW__FAMILY(tw__two16, ic, IC, sub16, __VA_ARGS__)
#define add32(...)        TW__FAMILY(tw__two32, h, H, add32, __VA_ARGS__)
#define sub32(...)        TW__FAMILY(tw__two32, h, H, sub32, __VA_ARGS__)
#define max16(...)        TW__FAMILY(tw__two16, i, I, max16, __VA_ARGS__)
#define min16(...)        TW__FAMILY(tw__two16, i, I, min16, __VA_ARGS__)
#define maxdiff16(...)    TW__FAMILY(tw__two16, i, I, maxdiff16, __VA_ARGS__)
#define lt16(...)         TW__FAMILY(tw__two16, i, I, lt16, __VA_ARGS__)
#define le16(...)         TW__FAMILY(tw__two16, i, I, le16, __VA_ARGS__)
#define gt16(...)         TW__FAMILY(tw__two16, i, I, gt16, __VA_ARGS__)
#define ge16(...)         TW__FAMILY(tw__two16, i, I, ge16, __VA_ARGS__)
#define eq16(...)         TW__FAMILY(tw__two16, i, I, eq16, __VA_ARGS__)
#define ne16(...)         TW__FAMILY(tw__two16, i, I, ne16, __VA_ARGS__)
#define max32(...)        TW__FAMILY(tw__two32, h, H, max32, __VA_ARGS__)
#define min32(...)        TW__FAMILY(tw__two32, h, H, min32, __VA_ARGS__)
#define maxdiff32(...)    TW__FAMILY(tw__two32, h, H, maxdiff32, __VA_ARGS__)
#define lt32(...)         TW__FAMILY(tw__two32, h, H, lt32, __VA_ARGS__)
#define le32(...)         TW__FAMILY(tw__two32, h, H, le32, __VA_ARGS__)
#define gt32(...)         TW__FAMILY(tw__two32, h, H, gt32, __VA_ARGS__)
#define ge32(...)         TW__FAMILY(tw__two32, h, H, ge32, __VA_ARGS__)
#define eq32(...)         TW__FAMILY(tw__two32, h, H, eq32, __VA_ARGS__)
#define ne32(...)         TW__FAMILY(tw__two32, h, H, ne32, __VA_ARGS__)
#define maxcmp16(...)     TW__FAMILY(tw__cmp16, i, I, maxcmp16, __VA_ARGS__)
#define mincmp16(...)     TW__FAMILY(tw__cmp16, i, I, mincmp16, __VA_ARGS__)
#define maxdiffcmp16(...) TW__FAMILY(tw__cmp16, i, I, maxdiffcmp16, __VA_ARGS__)
#define subcmp16(...)     TW__FAMILY(tw__cmp16, i, I, subcmp16, __VA_ARGS__)
#define maxcmp32(...)     TW__FAMILY(tw__cmp32, h, H, maxcmp32, __VA_ARGS__)
#define mincmp32(...)     TW__FAMILY(tw__cmp32, h, H, mincmp32, __VA_ARGS__)
#define maxdiffcmp32(...) TW__FAMILY(tw__cmp32, h, H, maxdiffcmp32, __VA_ARGS__)
#define subcmp32(...)     TW__FAMILY(tw__cmp32, h, H, subcmp32, __VA_ARGS__)

#endif
