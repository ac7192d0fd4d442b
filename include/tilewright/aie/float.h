/* SPDX-License-Identifier: MIT */
/* Single precision without products: fpadd, fpsub, fpneg, fpabs, fpshuffle, max, min, compares; the products and
 * _conf are in aie/detail/float_mul.h and aie/detail/float_conf.h. 8 lanes of float or 4 of cfloat; the index of lane
 * l is start + nibble l, modulo the buffer.
 *
 *     fpadd(acc, x, xstart, xoffs)    fpadd(acc, x)    fpmax(acc, x, xstart, xoffs, cmp)
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_FLOAT_H
#define TILEWRIGHT_AIE_FLOAT_H

#include <tilewright/aie/detail/float_conf.h>

/* --- one operand, and an accumulator with one operand --------------------------------------------------------- */

#define TW__FX_LIST(X, ...)                          \
    X(v8float, 8, tw__fpick, v8float, __VA_ARGS__)   \
    X(v16float, 16, tw__fpick, v8float, __VA_ARGS__) \
    X(v32float, 32, tw__fpick, v8float, __VA_ARGS__) \
    X(v4cfloat, 4, tw__cpick, v4cfloat, __VA_ARGS__) \
    X(v8cfloat, 8, tw__cpick, v4cfloat, __VA_ARGS__) \
    X(v16cfloat, 16, tw__cpick, v4cfloat, __VA_ARGS__)
#define TW__FONE(xt, n, pick, ret, name, op)                        \
    TW__AIE ret TW__N(name, tw_##name##_##xt)(xt x, int xs, int xo) \
    {                                                               \
        TW__COUNT(VECTOR, 1);                                       \
        TW__FREAD(#name, pick, &x, n, xs, xo);                      \
        TW__FRET(ret, op(pick(&x, n, (unsigned)xs, (unsigned)xo))); \
    }                                                               \
    TW__AIE ret TW__N(name, tw_##name##_s_##xt)(xt x)               \
    {                                                               \
        TW__COUNT(VECTOR, 1);                                       \
        TW__READ(#name, pick, &x, n, 0, 0x76543210);                \
        TW__FRET(ret, op(pick(&x, n, 0, 0x76543210)));              \
    }
#define TW__FNEGABS(v) tw__negate(tw__absolute(v))
TW__FX_LIST(TW__FONE, fpneg, tw__negate)
TW__FX_LIST(TW__FONE, fpabs, tw__absolute)
TW__FX_LIST(TW__FONE, fpneg_abs, TW__FNEGABS)
TW__FX_LIST(TW__FONE, fpshuffle, TW__IDENTITY)

#define TW__FTWO(xt, n, pick, ret, name, op)                                        \
    TW__AIE ret TW__N(name, tw_##name##_##xt)(ret acc, xt x, int xs, int xo)        \
    {                                                                               \
        TW__DEFINED(#name, &acc, sizeof acc);                                       \
        TW__FREAD(#name, pick, &x, n, xs, xo);                                      \
        tw__f8 a = tw__lanes_of(&acc), b = pick(&x, n, (unsigned)xs, (unsigned)xo); \
        TW__COUNT(VECTOR, 1);                                                       \
        TW__FRET(ret, op);                                                          \
    }                                                                               \
    TW__AIE ret TW__N(name, tw_##name##_s_##xt)(ret acc, xt x)                      \
    {                                                                               \
        TW__DEFINED(#name, &acc, sizeof acc);                                       \
        TW__READ(#name, pick, &x, n, 0, 0x76543210);                                \
        tw__f8 a = tw__lanes_of(&acc), b = pick(&x, n, 0, 0x76543210);              \
        TW__COUNT(VECTOR, 1);                                                       \
        TW__FRET(ret, op);                                                          \
    }
TW__FX_LIST(TW__FTWO, fpadd, tw__plus(a, b))
TW__FX_LIST(TW__FTWO, fpsub, tw__plus(a, tw__negate(b)))
TW__FX_LIST(TW__FTWO, fpadd_abs, tw__plus(a, tw__absolute(b)))
TW__FX_LIST(TW__FTWO, fpsub_abs, tw__plus(a, tw__negate(tw__absolute(b))))

/* Real only. */
#define TW__FR_LIST(X, ...)                          \
    X(v8float, 8, tw__fpick, v8float, __VA_ARGS__)   \
    X(v16float, 16, tw__fpick, v8float, __VA_ARGS__) \
    X(v32float, 32, tw__fpick, v8float, __VA_ARGS__)
#define TW__FCHOOSE(mask) (tw__f8) TW__WHERE((tw__i32x8)(mask), (tw__i32x8)a, (tw__i32x8)b)
TW__FR_LIST(TW__FTWO, fpmax, TW__FCHOOSE(a >= b))
TW__FR_LIST(TW__FTWO, fpmin, TW__FCHOOSE(a < b))
/* _abs: |x| stands for x. */
#define TW__FABSOLUTE(op) (b = tw__absolute(b), op)
TW__FR_LIST(TW__FTWO, fpmax_abs, TW__FABSOLUTE(TW__FCHOOSE(a >= b)))
TW__FR_LIST(TW__FTWO, fpmin_abs, TW__FABSOLUTE(TW__FCHOOSE(a < b)))
#define TW__FTWOCMP(xt, n, pick, ret, name, op)                                                        \
    TW__AIE ret TW__N(name, tw_##name##_c_##xt)(ret acc, xt x, int xs, int xo, TW__OUT(unsigned, cmp)) \
    {                                                                                                  \
        TW__DEFINED(#name, &acc, sizeof acc);                                                          \
        TW__FREAD(#name, pick, &x, n, xs, xo);                                                         \
        tw__f8 a = tw__lanes_of(&acc), b = pick(&x, n, (unsigned)xs, (unsigned)xo);                    \
        TW__COUNT(VECTOR, 1);                                                                          \
        TW__SET(cmp) = tw__mask32((tw__i32x8)(op));                                                    \
        TW__FRET(ret, TW__FCHOOSE(op));                                                                \
    }
TW__FR_LIST(TW__FTWOCMP, fpmax, a >= b)
TW__FR_LIST(TW__FTWOCMP, fpmin, a < b)
#define TW__FCOMPARE(xt, n, pick, ret, name, op)                                    \
    TW__AIE unsigned TW__N(name, tw_##name##_##xt)(ret acc, xt x, int xs, int xo)   \
    {                                                                               \
        TW__DEFINED(#name, &acc, sizeof acc);                                       \
        TW__FREAD(#name, pick, &x, n, xs, xo);                                      \
        tw__f8 a = tw__lanes_of(&acc), b = pick(&x, n, (unsigned)xs, (unsigned)xo); \
        TW__COUNT(VECTOR, 1);                                                       \
        return tw__mask32((tw__i32x8)(op));                                         \
    }                                                                               \
    TW__AIE unsigned TW__N(name, tw_##name##_s_##xt)(ret acc, xt x)                 \
    {                                                                               \
        TW__DEFINED(#name, &acc, sizeof acc);                                       \
        TW__READ(#name, pick, &x, n, 0, 0x76543210);                                \
        tw__f8 a = tw__lanes_of(&acc), b = pick(&x, n, 0, 0x76543210);              \
        TW__COUNT(VECTOR, 1);                                                       \
        return tw__mask32((tw__i32x8)(op));                                         \
    }
/* `_fast` may judge exceptional values otherwise on the hardware; here both are the IEEE comparison. */
#define TW__FCOMPARES(name, op)                \
    TW__FR_LIST(TW__FCOMPARE, name, op)        \
    TW__FR_LIST(TW__FCOMPARE, name##_fast, op) \
    TW__FR_LIST(TW__FCOMPARE, name##_safe, op)
TW__FCOMPARES(fplt, a < b)
TW__FCOMPARES(fple, a <= b)
TW__FCOMPARES(fpgt, a > b)
TW__FCOMPARES(fpge, a >= b)
TW__FCOMPARES(fpeq, a == b)
TW__FCOMPARES(fpne, a != b)
TW__FR_LIST(TW__FCOMPARE, fplt_abs, TW__FABSOLUTE(a < b))
TW__FR_LIST(TW__FCOMPARE, fpge_abs, TW__FABSOLUTE(a >= b))

#ifndef __cplusplus
#define TW__FX(f, k)                                                                       \
    v8float:                                                                               \
    tw_##f##k##_v8float, v16float : tw_##f##k##_v16float,                                  \
                                    v32float : tw_##f##k##_v32float,                       \
                                               v4cfloat : tw_##f##k##_v4cfloat,            \
                                                          v8cfloat : tw_##f##k##_v8cfloat, \
                                                                     v16cfloat : tw_##f##k##_v16cfloat
#define TW__FXR(f, k) \
    v8float:          \
    tw_##f##k##_v8float, v16float : tw_##f##k##_v16float, v32float : tw_##f##k##_v32float
#define tw__fone_1(s, L, f, x)             _Generic((x), TW__FX(f, _s))(x)
#define tw__fone_3(s, L, f, x, a, b)       _Generic((x), TW__FX(f, ))(x, a, b)
#define tw__ftwo_2(s, L, f, c, x)          _Generic((x), TW__FX(f, _s))(c, x)
#define tw__ftwo_4(s, L, f, c, x, a, b)    _Generic((x), TW__FX(f, ))(c, x, a, b)
#define tw__freal_2(s, L, f, c, x)         _Generic((x), TW__FXR(f, _s))(c, x)
#define tw__freal_4(s, L, f, c, x, a, b)   _Generic((x), TW__FXR(f, ))(c, x, a, b)
#define tw__fsel_2(s, L, f, c, x)          tw__freal_2(s, L, f, c, x)
#define tw__fsel_4(s, L, f, c, x, a, b)    tw__freal_4(s, L, f, c, x, a, b)
#define tw__fsel_5(s, L, f, c, x, a, b, m) _Generic((x), TW__FXR(f, _c))(c, x, a, b, &(m))
#define fpneg(...)                         TW__FAMILY(tw__fone, , , fpneg, __VA_ARGS__)
#define fpabs(...)                         TW__FAMILY(tw__fone, , , fpabs, __VA_ARGS__)
#define fpneg_abs(...)                     TW__FAMILY(tw__fone, , , fpneg_abs, __VA_ARGS__)
#define fpshuffle(...)                     TW__FAMILY(tw__fone, , , fpshuffle, __VA_ARGS__)
#define fpadd(...)                         TW__FAMILY(tw__ftwo, , , fpadd, __VA_ARGS__)
#define fpsub(...)                         TW__FAMILY(tw__ftwo, , , fpsub, __VA_ARGS__)
#define fpadd_abs(...)                     TW__FAMILY(tw__ftwo, , , fpadd_abs, __VA_ARGS__)
#define fpsub_abs(...)                     TW__FAMILY(tw__ftwo, , , fpsub_abs, __VA_ARGS__)
#define fpmax(...)                         TW__FAMILY(tw__fsel, , , fpmax, __VA_ARGS__)
#define fpmin(...)                         TW__FAMILY(tw__fsel, , , fpmin, __VA_ARGS__)
#define fpmax_abs(...)                     TW__FAMILY(tw__freal, , , fpmax_abs, __VA_ARGS__)
#define fpmin_abs(...)                     TW__FAMILY(tw__freal, , , fpmin_abs, __VA_ARGS__)
#define fplt_abs(...)                      TW__FAMILY(tw__freal, , , fplt_abs, __VA_ARGS__)
#define fpge_abs(...)                      TW__FAMILY(tw__freal, , , fpge_abs, __VA_ARGS__)
#define fplt(...)                          TW__FAMILY(tw__freal, , , fplt, __VA_ARGS__)
#define fplt_fast(...)                     TW__FAMILY(tw__freal, , , fplt_fast, __VA_ARGS__)
#define fplt_safe(...)                     TW__FAMILY(tw__freal, , , fplt_safe, __VA_ARGS__)
#define fple(...)                          TW__FAMILY(tw__freal, , , fple, __VA_ARGS__)
#define fple_fast(...)                     TW__FAMILY(tw__freal, , , fple_fast, __VA_ARGS__)
#define fple_safe(...)                     TW__FAMILY(tw__freal, , , fple_safe, __VA_ARGS__)
#define fpgt(...)                          TW__FAMILY(tw__freal, , , fpgt, __VA_ARGS__)
#define fpgt_fast(...)                     TW__FAMILY(tw__freal, , , fpgt_fast, __VA_ARGS__)
#define fpgt_safe(...)                     TW__FAMILY(tw__freal, , , fpgt_safe, __VA_ARGS__)
#define fpge(...)                          TW__FAMILY(tw__freal, , , fpge, __VA_ARGS__)
#define fpge_fast(...)                     TW__FAMILY(tw__freal, , , fpge_fast, __VA_ARGS__)
#define fpge_safe(...)                     TW__FAMILY(tw__freal, , , fpge_safe, __VA_ARGS__)
#define fpeq(...)                          TW__FAMILY(tw__freal, , , fpeq, __VA_ARGS__)
#define fpeq_fast(...)                     TW__FAMILY(tw__freal, , , fpeq_fast, __VA_ARGS__)
#define fpeq_safe(...)                     TW__FAMILY(tw__freal, , , fpeq_safe, __VA_ARGS__)
#define fpne(...)                          TW__FAMILY(tw__freal, , , fpne, __VA_ARGS__)
#define fpne_fast(...)                     TW__FAMILY(tw__freal, , , fpne_fast, __VA_ARGS__)
#define fpne_safe(...)                     TW__FAMILY(tw__freal, , , fpne_safe, __VA_ARGS__)
#endif

#endif
