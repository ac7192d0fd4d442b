/* SPDX-License-Identifier: MIT */
/* Products of single precision: fpmul, fpmac, fpmsc and relatives.
 *
 *     fpmac(acc, x, xstart, xoffs, z, zstart, zoffs)    fpmac(acc, x, z)    z left out: fpmac(acc, x, xs, xo, zs, zo)
 *
 * One rounding per operation, to nearest even, never fused: a product is rounded before it is added (assumed: the
 * multiplier feeds the adder through a single-precision register). cfloat by cfloat is two hardware operations: first
 * the products with x.real, then those with x.imag. Compile with -ffp-contract=off; the pragma below asks for it
 * where the compiler listens. */
#ifndef TILEWRIGHT_AIE_FLOAT_MUL_H
#define TILEWRIGHT_AIE_FLOAT_MUL_H

#include <tilewright/aie/move.h>

enum { fpadd_add = 0, fpadd_sub = 1, fpadd_mixadd = 2, fpadd_mixsub = 3 };
enum { fpcmp_lt = 0, fpcmp_ge = 1, fpcmp_nrm = 2 };

typedef tw__f32x8 tw__f8;

/* Keeps gcc from fusing a product into the sum that uses it. */
TW__AIE tw__f8 tw__rounded(tw__f8 v)
{
#ifdef __aarch64__ /* two registers */
    typedef float f4 __attribute__((vector_size(16)));
    f4 low = __builtin_shufflevector(v, v, 0, 1, 2, 3), high = __builtin_shufflevector(v, v, 4, 5, 6, 7);
    TW__HIDE_BOTH(low, high);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    TW__HIDE(v);
    return v;
#endif
}
TW__AIE tw__f8 tw__times(tw__f8 a, tw__f8 b)
{
    TW__NO_CONTRACT
    return tw__rounded(a * b);
}
TW__AIE tw__f8 tw__plus(tw__f8 a, tw__f8 b)
{
    TW__NO_CONTRACT
    return a + b;
}
/* a + b with a product b, rounded. gcc sees both behind the product, lest it puts off the sums of a chain, for which
 * all products would wait in memory. */
TW__AIE tw__f8 tw__plus_product(tw__f8 a, tw__f8 b)
{
#ifdef __aarch64__
    return tw__plus(tw__rounded(a), tw__rounded(b));
#else
    TW__HIDE_BOTH(a, b);
    return tw__plus(a, b);
#endif
}

/* Operands as 8 float lanes. Real: n floats. Complex: n pairs. From a 256-, 512- or 1024-bit buffer. */
TW__AIE tw__f8 tw__fpick(const void *p, unsigned n, unsigned start, unsigned offs)
{
    return (tw__f8)tw__gather32((const tw__i32m *)p, n, tw__index32(offs, start, n));
}
TW__AIE tw__f8 tw__cpick(const void *p, unsigned n, unsigned start, unsigned offs)
{
#define TW__L(k) tw__nib(offs, k)
    tw__u64x4 l = { TW__LIST4(TW__L) };
#undef TW__L
    return (tw__f8)tw__gather64((const tw__u64m *)p, n, (l + start) & (n - 1));
}
/* A real operand of a complex product: 4 lanes, each twice. */
TW__AIE tw__f8 tw__dpick(const void *p, unsigned n, unsigned start, unsigned offs)
{
    tw__f8 v = tw__fpick(p, n, start, offs);
    return __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
}

/* An operand with start and offsets, for checks: one nibble a lane, so four of complex products. */
#define TW__FUNUSED_tw__fpick 0u
#define TW__FUNUSED_tw__cpick 0xffff0000u
#define TW__FUNUSED_tw__dpick 0xffff0000u
#define TW__FREAD(name, pick, p, n, start, offs)                                     \
    do {                                                                             \
        TW__CHECK(((unsigned)(offs) & TW__FUNUSED_##pick) == 0, name,                \
                  "offsets 0x%x have bits above their 4 nibbles", (unsigned)(offs)); \
        TW__READ(name, pick, p, n, (unsigned)(start), (unsigned)(offs));             \
    } while (0)

/* Sign bits, kept where the mask says. */
TW__AIE tw__f8 tw__flip(tw__f8 v, tw__i32x8 signs)
{
    return (tw__f8)((tw__i32x8)v ^ signs);
}
#define TW__ALL_SIGNS  { INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN }
#define TW__EVEN_SIGNS { INT32_MIN, 0, INT32_MIN, 0, INT32_MIN, 0, INT32_MIN, 0 }
#define TW__ODD_SIGNS  { 0, INT32_MIN, 0, INT32_MIN, 0, INT32_MIN, 0, INT32_MIN }
TW__AIE tw__f8 tw__negate(tw__f8 v)
{
    const tw__i32x8 all = TW__ALL_SIGNS;
    return tw__flip(v, all);
}
TW__AIE tw__f8 tw__absolute(tw__f8 v)
{
    return (tw__f8)((tw__i32x8)v & INT32_MAX);
}

/* flags: what a name asks for. */
enum { TW__FNEG = 1, TW__FABS = 2, TW__FCONJ_X = 4, TW__FCONJ_Z = 8, TW__FADDS = 16 };

/* Real products and those of a complex by a real operand: lane by lane. */
TW__AIE tw__f8 tw__fmul_lanes(tw__f8 acc, tw__f8 x, tw__f8 z, unsigned flags)
{
    TW__NO_CONTRACT
    tw__f8 p = x * z;
    if (flags & TW__FABS) p = tw__absolute(p);
    if (flags & TW__FNEG) p = tw__negate(p);
    TW__COUNT(VECTOR, 1);
    return flags & TW__FADDS ? tw__plus_product(acc, p) : tw__rounded(p);
}
TW__AIE tw__f8 tw__fmul_complex(tw__f8 acc, tw__f8 x, tw__f8 z, unsigned flags)
{
    TW__NO_CONTRACT
    const tw__i32x8 odd = TW__ODD_SIGNS, even = TW__EVEN_SIGNS;
    if (flags & TW__FCONJ_X) x = tw__flip(x, odd);
    if (flags & TW__FCONJ_Z) z = tw__flip(z, odd);
    tw__f8 xr = __builtin_shufflevector(x, x, 0, 0, 2, 2, 4, 4, 6, 6);
    tw__f8 xi = __builtin_shufflevector(x, x, 1, 1, 3, 3, 5, 5, 7, 7);
    tw__f8 zs = __builtin_shufflevector(z, z, 1, 0, 3, 2, 5, 4, 7, 6);
    tw__f8 first = xr * z, second = tw__flip(xi * zs, even);
    if (flags & TW__FNEG) first = tw__negate(first), second = tw__negate(second);
    TW__COUNT(VECTOR, 2);
    first = flags & TW__FADDS ? tw__plus_product(acc, first) : tw__rounded(first);
    return tw__plus_product(first, second);
}

/* --- products: overloads over types --------------------------------------------------------------------------------
 * X(x type, elements of x, picker of x, z type, elements of z, picker of z, result, product) */
// clang-format off
#define TW__FPRODUCTS(X) \
    X(v8float, 8, tw__fpick, v8float, 8, tw__fpick, v8float, tw__fmul_lanes) \
    X(v16float, 16, tw__fpick, v8float, 8, tw__fpick, v8float, tw__fmul_lanes) \
    X(v32float, 32, tw__fpick, v8float, 8, tw__fpick, v8float, tw__fmul_lanes) \
    X(v4cfloat, 4, tw__cpick, v8float, 8, tw__dpick, v4cfloat, tw__fmul_lanes) \
    X(v8cfloat, 8, tw__cpick, v8float, 8, tw__dpick, v4cfloat, tw__fmul_lanes) \
    X(v16cfloat, 16, tw__cpick, v8float, 8, tw__dpick, v4cfloat, tw__fmul_lanes) \
    X(v8float, 8, tw__dpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_lanes) \
    X(v16float, 16, tw__dpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_lanes) \
    X(v32float, 32, tw__dpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_lanes) \
    X(v4cfloat, 4, tw__cpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_complex) \
    X(v8cfloat, 8, tw__cpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_complex) \
    X(v16cfloat, 16, tw__cpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_complex)
// clang-format on
/* Conjugating a mixed product: the complex operand is an ordinary lane picture, its odd lanes change sign first. */
TW__AIE tw__f8 tw__conjugated(tw__f8 v, unsigned yes)
{
    const tw__i32x8 odd = TW__ODD_SIGNS;
    return yes ? tw__flip(v, odd) : v;
}
#define TW__FRET(type, value)              \
    type r_;                               \
    const tw__f8 v_ = value;               \
    __builtin_memcpy(&r_, &v_, sizeof r_); \
    return r_
TW__AIE tw__f8 tw__lanes_of(const void *p)
{
    tw__f8 v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
#define TW__FPRODUCT(xt, nx, px, zt, nz, pz, ret, product)                                                         \
    TW__AIE ret TW__N(tw_fpmac_fpmsc, tw_fpmac_fpmsc_##xt##_##zt)(unsigned f, ret acc, xt x, int xs, int xo, zt z, \
                                                                  int zs, int zo)                                  \
    {                                                                                                              \
        TW__DEFINED("fpmac", &acc, sizeof acc);                                                                    \
        TW__FREAD("fpmul or fpmac", px, &x, nx, xs, xo);                                                           \
        TW__FREAD("fpmul or fpmac", pz, &z, nz, zs, zo);                                                           \
        tw__f8 a = px(&x, nx, (unsigned)xs, (unsigned)xo), b = pz(&z, nz, (unsigned)zs, (unsigned)zo);             \
        TW__FRET(ret, TW__FP_##product(product, xt, zt, tw__lanes_of(&acc), a, b, f));                             \
    }                                                                                                              \
    TW__AIE ret TW__N(tw_fpmul, tw_fpmul_##xt##_##zt)(unsigned f, xt x, int xs, int xo, zt z, int zs, int zo)      \
    {                                                                                                              \
        TW__FREAD("fpmul or fpmac", px, &x, nx, xs, xo);                                                           \
        TW__FREAD("fpmul or fpmac", pz, &z, nz, zs, zo);                                                           \
        tw__f8 a = px(&x, nx, (unsigned)xs, (unsigned)xo), b = pz(&z, nz, (unsigned)zs, (unsigned)zo);             \
        TW__FRET(ret, TW__FP_##product(product, xt, zt, a, a, b, f));                                              \
    }
#define TW__FP_tw__fmul_complex(product, xt, zt, acc, a, b, f) product(acc, a, b, f)
#define TW__FP_tw__fmul_lanes(product, xt, zt, acc, a, b, f)            \
    product(acc, tw__conjugated(a, ((f) & TW__FCONJ_X) && TW__IS_##xt), \
            tw__conjugated(b, ((f) & TW__FCONJ_Z) && TW__IS_##zt), f)
#define TW__IS_v4float   0
#define TW__IS_v8float   0
#define TW__IS_v16float  0
#define TW__IS_v32float  0
#define TW__IS_v4cfloat  1
#define TW__IS_v8cfloat  1
#define TW__IS_v16cfloat 1
TW__FPRODUCTS(TW__FPRODUCT)
/* z taken from x. */
#define TW__FSELF(xt, nx, px, ret, product)                                                                        \
    TW__AIE ret TW__N(tw_fpmac_fpmsc, tw_fpmac_fpmsc_self_##xt)(unsigned f, ret acc, xt x, int xs, int xo, int zs, \
                                                                int zo)                                            \
    {                                                                                                              \
        TW__DEFINED("fpmac", &acc, sizeof acc);                                                                    \
        TW__FREAD("fpmul or fpmac", px, &x, nx, xs, xo);                                                           \
        TW__FREAD("fpmul or fpmac", px, &x, nx, zs, zo);                                                           \
        tw__f8 a = px(&x, nx, (unsigned)xs, (unsigned)xo), b = px(&x, nx, (unsigned)zs, (unsigned)zo);             \
        TW__FRET(ret, product(tw__lanes_of(&acc), a, b, f));                                                       \
    }                                                                                                              \
    TW__AIE ret TW__N(tw_fpmul, tw_fpmul_self_##xt)(unsigned f, xt x, int xs, int xo, int zs, int zo)              \
    {                                                                                                              \
        TW__FREAD("fpmul or fpmac", px, &x, nx, xs, xo);                                                           \
        TW__FREAD("fpmul or fpmac", px, &x, nx, zs, zo);                                                           \
        tw__f8 a = px(&x, nx, (unsigned)xs, (unsigned)xo), b = px(&x, nx, (unsigned)zs, (unsigned)zo);             \
        TW__FRET(ret, product(a, a, b, f));                                                                        \
    }
TW__FSELF(v8float, 8, tw__fpick, v8float, tw__fmul_lanes)
TW__FSELF(v16float, 16, tw__fpick, v8float, tw__fmul_lanes)
TW__FSELF(v32float, 32, tw__fpick, v8float, tw__fmul_lanes)
TW__FSELF(v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_complex)
TW__FSELF(v8cfloat, 8, tw__cpick, v4cfloat, tw__fmul_complex)
TW__FSELF(v16cfloat, 16, tw__cpick, v4cfloat, tw__fmul_complex)
/* Short forms: lane by lane, without start and offsets. */
#define TW__FSHORT(xt, zt, px, pz, nx, nz, ret, product)                                             \
    TW__AIE ret TW__N(tw_fpmac_fpmsc, tw_fpmac_fpmsc_s_##xt##_##zt)(unsigned f, ret acc, xt x, zt z) \
    {                                                                                                \
        TW__DEFINED("fpmac", &acc, sizeof acc);                                                      \
        TW__READ("fpmul or fpmac", px, &x, nx, 0, 0x76543210);                                       \
        TW__READ("fpmul or fpmac", pz, &z, nz, 0, 0x76543210);                                       \
        tw__f8 a = px(&x, nx, 0, 0x76543210), b = pz(&z, nz, 0, 0x76543210);                         \
        TW__FRET(ret, TW__FP_##product(product, xt, zt, tw__lanes_of(&acc), a, b, f));               \
    }                                                                                                \
    TW__AIE ret TW__N(tw_fpmul, tw_fpmul_s_##xt##_##zt)(unsigned f, xt x, zt z)                      \
    {                                                                                                \
        TW__READ("fpmul or fpmac", px, &x, nx, 0, 0x76543210);                                       \
        TW__READ("fpmul or fpmac", pz, &z, nz, 0, 0x76543210);                                       \
        tw__f8 a = px(&x, nx, 0, 0x76543210), b = pz(&z, nz, 0, 0x76543210);                         \
        TW__FRET(ret, TW__FP_##product(product, xt, zt, a, a, b, f));                                \
    }
TW__FSHORT(v8float, v8float, tw__fpick, tw__fpick, 8, 8, v8float, tw__fmul_lanes)
TW__FSHORT(v4cfloat, v8float, tw__cpick, tw__dpick, 4, 8, v4cfloat, tw__fmul_lanes)
TW__FSHORT(v8float, v4cfloat, tw__dpick, tw__cpick, 8, 4, v4cfloat, tw__fmul_lanes)
TW__FSHORT(v4cfloat, v4cfloat, tw__cpick, tw__cpick, 4, 4, v4cfloat, tw__fmul_complex)

/* --- names ---------------------------------------------------------------------------------------------------- */

/* X(name, overloads, flags). _c conjugates the operand that is complex; of two, both bits reach only what they
 * can. */
#define TW__FNAMES(X)                                                            \
    X(fpmul, tw_fpmul, 0)                                                        \
    X(fpmul_c, tw_fpmul, TW__FCONJ_X | TW__FCONJ_Z)                              \
    X(fpmul_cn, tw_fpmul, TW__FCONJ_X)                                           \
    X(fpmul_nc, tw_fpmul, TW__FCONJ_Z)                                           \
    X(fpmul_cc, tw_fpmul, TW__FCONJ_X | TW__FCONJ_Z)                             \
    X(fpneg_mul, tw_fpmul, TW__FNEG)                                             \
    X(fpneg_mul_c, tw_fpmul, TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z)               \
    X(fpneg_mul_cn, tw_fpmul, TW__FNEG | TW__FCONJ_X)                            \
    X(fpneg_mul_nc, tw_fpmul, TW__FNEG | TW__FCONJ_Z)                            \
    X(fpneg_mul_cc, tw_fpmul, TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z)              \
    X(fpmac, tw_fpmac_fpmsc, TW__FADDS)                                          \
    X(fpmac_c, tw_fpmac_fpmsc, TW__FADDS | TW__FCONJ_X | TW__FCONJ_Z)            \
    X(fpmac_cn, tw_fpmac_fpmsc, TW__FADDS | TW__FCONJ_X)                         \
    X(fpmac_nc, tw_fpmac_fpmsc, TW__FADDS | TW__FCONJ_Z)                         \
    X(fpmac_cc, tw_fpmac_fpmsc, TW__FADDS | TW__FCONJ_X | TW__FCONJ_Z)           \
    X(fpmsc, tw_fpmac_fpmsc, TW__FADDS | TW__FNEG)                               \
    X(fpmsc_c, tw_fpmac_fpmsc, TW__FADDS | TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z) \
    X(fpmsc_cn, tw_fpmac_fpmsc, TW__FADDS | TW__FNEG | TW__FCONJ_X)              \
    X(fpmsc_nc, tw_fpmac_fpmsc, TW__FADDS | TW__FNEG | TW__FCONJ_Z)              \
    X(fpmsc_cc, tw_fpmac_fpmsc, TW__FADDS | TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z)
#ifdef __cplusplus
TW__FNAMES(TW__NAME)
/* There is no absolute value of a product of two complex operands. */
struct tw__fabs_flags {
    unsigned flags;
    operator unsigned() const { return flags; }
};
#define TW__FNO(xt)                                                                                        \
    v4cfloat TW__N(tw_fpmul, )(tw__fabs_flags, xt, int, int, v4cfloat, int, int) = delete;                 \
    v4cfloat TW__N(tw_fpmac_fpmsc, )(tw__fabs_flags, v4cfloat, xt, int, int, v4cfloat, int, int) = delete; \
    v4cfloat TW__N(tw_fpmul, )(tw__fabs_flags, xt, int, int, int, int) = delete;                           \
    v4cfloat TW__N(tw_fpmac_fpmsc, )(tw__fabs_flags, v4cfloat, xt, int, int, int, int) = delete;
TW__FNO(v4cfloat)
TW__FNO(v8cfloat)
TW__FNO(v16cfloat)
#undef TW__FNO
v4cfloat TW__N(tw_fpmul, )(tw__fabs_flags, v4cfloat, v4cfloat) = delete;
v4cfloat TW__N(tw_fpmac_fpmsc, )(tw__fabs_flags, v4cfloat, v4cfloat, v4cfloat) = delete;
#ifdef TW_AIE_CHECK
#define TW__FNAME_ABS(name, cls, f) TW__COUNTS_##cls(TW__PLACED_FLAGS, name, tw__raw_##cls, (tw__fabs_flags{ f }))
#else
#define TW__FNAME_ABS(name, cls, f)                                                                 \
    template <class... TwA> TW__AIE auto name(TwA... a) -> decltype(cls(tw__fabs_flags{ 0 }, a...)) \
    {                                                                                               \
        return cls(tw__fabs_flags{ f }, a...);                                                      \
    }
#endif
TW__FNAME_ABS(fpabs_mul, tw_fpmul, TW__FABS)
TW__FNAME_ABS(fpneg_abs_mul, tw_fpmul, TW__FABS | TW__FNEG)
TW__FNAME_ABS(fpmac_abs, tw_fpmac_fpmsc, TW__FADDS | TW__FABS)
TW__FNAME_ABS(fpmsc_abs, tw_fpmac_fpmsc, TW__FADDS | TW__FABS | TW__FNEG)
#undef TW__FNAME_ABS
#else
#define TW__FKEY(x, z)        (void (*)(__typeof__(x), __typeof__(z)))0
#define TW__FASSOC(p, xt, zt) void (*)(xt, zt) : p##_##xt##_##zt
// clang-format off
#define TW__FPAIRS(p) TW__FPAIRS_REAL(p), \
    TW__FASSOC(p, v4cfloat, v4cfloat), TW__FASSOC(p, v8cfloat, v4cfloat), TW__FASSOC(p, v16cfloat, v4cfloat)
#define TW__FPAIRS_REAL(p) \
    TW__FASSOC(p, v8float, v8float), TW__FASSOC(p, v16float, v8float), TW__FASSOC(p, v32float, v8float), \
    TW__FASSOC(p, v4cfloat, v8float), TW__FASSOC(p, v8cfloat, v8float), TW__FASSOC(p, v16cfloat, v8float), \
    TW__FASSOC(p, v8float, v4cfloat), TW__FASSOC(p, v16float, v4cfloat), TW__FASSOC(p, v32float, v4cfloat)
// clang-format on
#define TW__FSHORTS(p)        TW__FSHORTS_REAL(p), TW__FASSOC(p##_s, v4cfloat, v4cfloat)
#define TW__FSHORTS_REAL(p) \
    TW__FASSOC(p##_s, v8float, v8float), TW__FASSOC(p##_s, v4cfloat, v8float), TW__FASSOC(p##_s, v8float, v4cfloat)
#define TW__FSELVES(x, p)            \
    _Generic((x),                    \
        v8float: p##_self_v8float,   \
        v16float: p##_self_v16float, \
        v32float: p##_self_v32float, \
        v4cfloat: p##_self_v4cfloat, \
        v8cfloat: p##_self_v8cfloat, \
        v16cfloat: p##_self_v16cfloat)
/* There is no absolute value of a product of two complex operands; gcc names the object, clang the type. */
extern struct tw_there_is_no_absolute_value_of_complex_products *tw__no_absolute_value_of_complex_products;
#define TW__FSELVES_REAL(x, p)       \
    _Generic((x),                    \
        v8float: p##_self_v8float,   \
        v16float: p##_self_v16float, \
        v32float: p##_self_v32float, \
        default: tw__no_absolute_value_of_complex_products)
#define TW__FREALS(x, z, list)                _Generic(TW__FKEY(x, z), list, default: tw__no_absolute_value_of_complex_products)
#define tw_fpabs_mul_2(f, x, z)               TW__FREALS(x, z, TW__FSHORTS_REAL(tw_fpmul))(f, x, z)
#define tw_fpabs_mul_5(f, x, a, b, c, d)      TW__FSELVES_REAL(x, tw_fpmul)(f, x, a, b, c, d)
#define tw_fpabs_mul_6(f, x, a, b, z, c, d)   TW__FREALS(x, z, TW__FPAIRS_REAL(tw_fpmul))(f, x, a, b, z, c, d)
#define tw_fpmac_abs_3(f, acc, x, z)          TW__FREALS(x, z, TW__FSHORTS_REAL(tw_fpmac_fpmsc))(f, acc, x, z)
#define tw_fpmac_abs_6(f, acc, x, a, b, c, d) TW__FSELVES_REAL(x, tw_fpmac_fpmsc)(f, acc, x, a, b, c, d)
#define tw_fpmac_abs_7(f, acc, x, a, b, z, c, d) \
    TW__FREALS(x, z, TW__FPAIRS_REAL(tw_fpmac_fpmsc))(f, acc, x, a, b, z, c, d)
#define tw_fpmul_2(f, x, z)                     _Generic(TW__FKEY(x, z), TW__FSHORTS(tw_fpmul))(f, x, z)
#define tw_fpmul_5(f, x, a, b, c, d)            TW__FSELVES(x, tw_fpmul)(f, x, a, b, c, d)
#define tw_fpmul_6(f, x, a, b, z, c, d)         _Generic(TW__FKEY(x, z), TW__FPAIRS(tw_fpmul))(f, x, a, b, z, c, d)
#define tw_fpmac_fpmsc_3(f, acc, x, z)          _Generic(TW__FKEY(x, z), TW__FSHORTS(tw_fpmac_fpmsc))(f, acc, x, z)
#define tw_fpmac_fpmsc_6(f, acc, x, a, b, c, d) TW__FSELVES(x, tw_fpmac_fpmsc)(f, acc, x, a, b, c, d)
#define tw_fpmac_fpmsc_7(f, acc, x, a, b, z, c, d) \
    _Generic(TW__FKEY(x, z), TW__FPAIRS(tw_fpmac_fpmsc))(f, acc, x, a, b, z, c, d)
#define fpmul(...)         TW__CALL(tw_fpmul, 0, __VA_ARGS__)
#define fpmul_c(...)       TW__CALL(tw_fpmul, TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmul_cn(...)      TW__CALL(tw_fpmul, TW__FCONJ_X, __VA_ARGS__)
#define fpmul_nc(...)      TW__CALL(tw_fpmul, TW__FCONJ_Z, __VA_ARGS__)
#define fpmul_cc(...)      TW__CALL(tw_fpmul, TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpneg_mul(...)     TW__CALL(tw_fpmul, TW__FNEG, __VA_ARGS__)
#define fpneg_mul_c(...)   TW__CALL(tw_fpmul, TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpneg_mul_cn(...)  TW__CALL(tw_fpmul, TW__FNEG | TW__FCONJ_X, __VA_ARGS__)
#define fpneg_mul_nc(...)  TW__CALL(tw_fpmul, TW__FNEG | TW__FCONJ_Z, __VA_ARGS__)
#define fpneg_mul_cc(...)  TW__CALL(tw_fpmul, TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpabs_mul(...)     TW__CALL(tw_fpabs_mul, TW__FABS, __VA_ARGS__)
#define fpneg_abs_mul(...) TW__CALL(tw_fpabs_mul, TW__FNEG | TW__FABS, __VA_ARGS__)
#define fpmac(...)         TW__CALL(tw_fpmac_fpmsc, TW__FADDS, __VA_ARGS__)
#define fpmac_c(...)       TW__CALL(tw_fpmac_fpmsc, TW__FADDS | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmac_cn(...)      TW__CALL(tw_fpmac_fpmsc, TW__FADDS | TW__FCONJ_X, __VA_ARGS__)
#define fpmac_nc(...)      TW__CALL(tw_fpmac_fpmsc, TW__FADDS | TW__FCONJ_Z, __VA_ARGS__)
#define fpmac_cc(...)      TW__CALL(tw_fpmac_fpmsc, TW__FADDS | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmsc(...)         TW__CALL(tw_fpmac_fpmsc, TW__FADDS | TW__FNEG, __VA_ARGS__)
#define fpmsc_c(...)       TW__CALL(tw_fpmac_fpmsc, TW__FADDS | TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmsc_cn(...)      TW__CALL(tw_fpmac_fpmsc, TW__FADDS | TW__FNEG | TW__FCONJ_X, __VA_ARGS__)
#define fpmsc_nc(...)      TW__CALL(tw_fpmac_fpmsc, TW__FADDS | TW__FNEG | TW__FCONJ_Z, __VA_ARGS__)
#define fpmsc_cc(...)      TW__CALL(tw_fpmac_fpmsc, TW__FADDS | TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmac_abs(...)     TW__CALL(tw_fpmac_abs, TW__FADDS | TW__FABS, __VA_ARGS__)
#define fpmsc_abs(...)     TW__CALL(tw_fpmac_abs, TW__FADDS | TW__FABS | TW__FNEG, __VA_ARGS__)
#endif

#endif
