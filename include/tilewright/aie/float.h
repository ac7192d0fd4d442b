/* Single precision: fpmul, fpmac, fpmsc and relatives, fpadd, fpneg, fpabs, compares, max, min, the _conf forms
 * (aie.md 2.6). 8 lanes of float or 4 of cfloat; the index of lane l is start + nibble l, modulo the buffer.
 *
 *     fpmac(acc, x, xstart, xoffs, z, zstart, zoffs)    fpmac(acc, x, z)    z left out: fpmac(acc, x, xs, xo, zs, zo)
 *
 * One rounding per operation, to nearest even, never fused: a product is rounded before it is added (assumed: the
 * multiplier feeds the adder through a single-precision register). cfloat by cfloat is two hardware operations: first
 * the products with x.real, then those with x.imag. Compile with -ffp-contract=off; the pragma below asks for it where
 * the compiler listens. */
#ifndef TILEWRIGHT_AIE_FLOAT_H
#define TILEWRIGHT_AIE_FLOAT_H

#include <tilewright/aie/move.h>

#ifdef __clang__
#define TW__NO_CONTRACT _Pragma("clang fp contract(off)")
#else
#define TW__NO_CONTRACT /* gcc contracts by default (-ffp-contract=fast): the product is hidden from the sum instead */
#endif

enum { fpadd_add, fpadd_sub, fpadd_mixadd, fpadd_mixsub };
enum { fpcmp_lt, fpcmp_ge, fpcmp_nrm };

typedef tw__f32x8 tw__f8;

/* Keeps gcc from fusing a product into the sum that uses it. */
TW__AIE tw__f8 tw__rounded(tw__f8 v)
{
#if !defined(__clang__) && defined(__FMA__)
    __asm__("" : "+x"(v));
#endif
    return v;
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
/* a + b with a product b, rounded. gcc sees both behind the product, lest it puts off the sums of a chain, for which all
 * products would wait in memory. */
TW__AIE tw__f8 tw__plus_product(tw__f8 a, tw__f8 b)
{
#if !defined(__clang__) && defined(__FMA__)
    __asm__("" : "+x"(a), "+x"(b));
#endif
    return tw__plus(a, b);
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
#define TW__FPRODUCTS(X)                                                          \
    X(v16float, 16, tw__fpick, v8float, 8, tw__fpick, v8float, tw__fmul_lanes)    \
    X(v32float, 32, tw__fpick, v8float, 8, tw__fpick, v8float, tw__fmul_lanes)    \
    X(v8cfloat, 8, tw__cpick, v8float, 8, tw__dpick, v4cfloat, tw__fmul_lanes)    \
    X(v16cfloat, 16, tw__cpick, v8float, 8, tw__dpick, v4cfloat, tw__fmul_lanes)  \
    X(v16float, 16, tw__dpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_lanes)  \
    X(v32float, 32, tw__dpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_lanes)  \
    X(v8cfloat, 8, tw__cpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_complex) \
    X(v16cfloat, 16, tw__cpick, v4cfloat, 4, tw__cpick, v4cfloat, tw__fmul_complex)
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
#define TW__FPRODUCT(xt, nx, px, zt, nz, pz, ret, product)                                                   \
    TW__AIE ret TW__N(tw__fma, tw__fma_##xt##_##zt)(unsigned f, ret acc, xt x, int xs, int xo, zt z, int zs, \
                                                    int zo)                                                  \
    {                                                                                                        \
        TW__DEFINED("fpmac", &acc, sizeof acc);                                                              \
        TW__READ("fpmul or fpmac", px, &x, nx, (unsigned)xs, (unsigned)xo);                                  \
        TW__READ("fpmul or fpmac", pz, &z, nz, (unsigned)zs, (unsigned)zo);                                  \
        tw__f8 a = px(&x, nx, (unsigned)xs, (unsigned)xo), b = pz(&z, nz, (unsigned)zs, (unsigned)zo);       \
        TW__FRET(ret, TW__FP_##product(product, xt, zt, tw__lanes_of(&acc), a, b, f));                       \
    }                                                                                                        \
    TW__AIE ret TW__N(tw__fmu, tw__fmu_##xt##_##zt)(unsigned f, xt x, int xs, int xo, zt z, int zs, int zo)  \
    {                                                                                                        \
        TW__READ("fpmul or fpmac", px, &x, nx, (unsigned)xs, (unsigned)xo);                                  \
        TW__READ("fpmul or fpmac", pz, &z, nz, (unsigned)zs, (unsigned)zo);                                  \
        tw__f8 a = px(&x, nx, (unsigned)xs, (unsigned)xo), b = pz(&z, nz, (unsigned)zs, (unsigned)zo);       \
        TW__FRET(ret, TW__FP_##product(product, xt, zt, a, a, b, f));                                        \
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
#define TW__FSELF(xt, nx, px, ret, product)                                                                  \
    TW__AIE ret TW__N(tw__fma, tw__fma_self_##xt)(unsigned f, ret acc, xt x, int xs, int xo, int zs, int zo) \
    {                                                                                                        \
        TW__DEFINED("fpmac", &acc, sizeof acc);                                                              \
        TW__READ("fpmul or fpmac", px, &x, nx, (unsigned)xs, (unsigned)xo);                                  \
        TW__READ("fpmul or fpmac", px, &x, nx, (unsigned)zs, (unsigned)zo);                                  \
        tw__f8 a = px(&x, nx, (unsigned)xs, (unsigned)xo), b = px(&x, nx, (unsigned)zs, (unsigned)zo);       \
        TW__FRET(ret, product(tw__lanes_of(&acc), a, b, f));                                                 \
    }                                                                                                        \
    TW__AIE ret TW__N(tw__fmu, tw__fmu_self_##xt)(unsigned f, xt x, int xs, int xo, int zs, int zo)          \
    {                                                                                                        \
        TW__READ("fpmul or fpmac", px, &x, nx, (unsigned)xs, (unsigned)xo);                                  \
        TW__READ("fpmul or fpmac", px, &x, nx, (unsigned)zs, (unsigned)zo);                                  \
        tw__f8 a = px(&x, nx, (unsigned)xs, (unsigned)xo), b = px(&x, nx, (unsigned)zs, (unsigned)zo);       \
        TW__FRET(ret, product(a, a, b, f));                                                                  \
    }
TW__FSELF(v16float, 16, tw__fpick, v8float, tw__fmul_lanes)
TW__FSELF(v32float, 32, tw__fpick, v8float, tw__fmul_lanes)
TW__FSELF(v8cfloat, 8, tw__cpick, v4cfloat, tw__fmul_complex)
TW__FSELF(v16cfloat, 16, tw__cpick, v4cfloat, tw__fmul_complex)
/* Short forms: lane by lane, without start and offsets. */
#define TW__FSHORT(xt, zt, px, pz, nx, nz, ret, product)                               \
    TW__AIE ret TW__N(tw__fma, tw__fma_s_##xt##_##zt)(unsigned f, ret acc, xt x, zt z) \
    {                                                                                  \
        TW__DEFINED("fpmac", &acc, sizeof acc);                                        \
        TW__DEFINED("fpmul or fpmac", &x, sizeof x);                                   \
        TW__DEFINED("fpmul or fpmac", &z, sizeof z);                                   \
        tw__f8 a = px(&x, nx, 0, 0x76543210), b = pz(&z, nz, 0, 0x76543210);           \
        TW__FRET(ret, TW__FP_##product(product, xt, zt, tw__lanes_of(&acc), a, b, f)); \
    }                                                                                  \
    TW__AIE ret TW__N(tw__fmu, tw__fmu_s_##xt##_##zt)(unsigned f, xt x, zt z)          \
    {                                                                                  \
        TW__DEFINED("fpmul or fpmac", &x, sizeof x);                                   \
        TW__DEFINED("fpmul or fpmac", &z, sizeof z);                                   \
        tw__f8 a = px(&x, nx, 0, 0x76543210), b = pz(&z, nz, 0, 0x76543210);           \
        TW__FRET(ret, TW__FP_##product(product, xt, zt, a, a, b, f));                  \
    }
TW__FSHORT(v8float, v8float, tw__fpick, tw__fpick, 8, 8, v8float, tw__fmul_lanes)
TW__FSHORT(v4cfloat, v8float, tw__cpick, tw__dpick, 4, 8, v4cfloat, tw__fmul_lanes)
TW__FSHORT(v8float, v4cfloat, tw__dpick, tw__cpick, 8, 4, v4cfloat, tw__fmul_lanes)
TW__FSHORT(v4cfloat, v4cfloat, tw__cpick, tw__cpick, 4, 4, v4cfloat, tw__fmul_complex)

/* _conf: every choice as an argument. Lanes are floats, of complex data too. `cmp` bit l: acc was chosen. */
TW__AIE tw__f8 tw__conf(tw__f8 acc, tw__f8 x, tw__f8 z, int ones, int absolute, int addmode, unsigned addmask,
                        int cmpmode, unsigned *cmp, unsigned has_acc)
{
    tw__f8 p = ones ? x : tw__times(x, z);
    const tw__i32x8 all = TW__ALL_SIGNS, even = TW__EVEN_SIGNS, odd = TW__ODD_SIGNS;
    tw__i32x8 signs = tw__bits32(addmask) & all;
    TW__COUNT(VECTOR, 1);
    if (absolute) p = tw__absolute(p);
    if (cmpmode == fpcmp_lt || cmpmode == fpcmp_ge) {
        tw__i32x8 chosen = cmpmode == fpcmp_lt ? (tw__i32x8)(acc < p) : (tw__i32x8)(acc >= p);
        if (cmp) *cmp = tw__mask32(chosen);
        return (tw__f8)TW__WHERE(chosen, (tw__i32x8)acc, (tw__i32x8)p);
    }
    if (addmode == fpadd_sub) signs ^= all;
    if (addmode == fpadd_mixadd) signs ^= odd;
    if (addmode == fpadd_mixsub) signs ^= even;
    p = tw__flip(p, signs);
    if (cmp) *cmp = 0;
    return has_acc ? tw__plus(acc, p) : p;
}
#define TW__CONF(xt, nx, zt, ret)                                                                             \
    TW__AIE ret TW__N(fpmac_conf, tw_fpmac_conf_##xt)(ret acc, xt x, int xs, int xo, zt z, int zs, int zo,    \
                                                      int ones, int absolute, int addmode, int addmask,       \
                                                      int cmpmode, TW__OUT(unsigned, cmp))                    \
    {                                                                                                         \
        TW__READ("fpmac_conf", tw__fpick, &x, nx, (unsigned)xs, (unsigned)xo);                                \
        TW__READ("fpmac_conf", tw__fpick, &z, 8, (unsigned)zs, (unsigned)zo);                                 \
        TW__DEFINED("fpmac_conf", &acc, sizeof acc);                                                          \
        TW__FRET(ret, tw__conf(tw__lanes_of(&acc), tw__fpick(&x, nx, (unsigned)xs, (unsigned)xo),             \
                               tw__fpick(&z, 8, (unsigned)zs, (unsigned)zo), ones, absolute, addmode,         \
                               (unsigned)addmask, cmpmode, &TW__SET(cmp), 1));                                \
    }                                                                                                         \
    TW__AIE ret TW__N(fpmac_conf, tw_fpmac_conf_n_##xt)(ret acc, xt x, int xs, int xo, zt z, int zs, int zo,  \
                                                        int ones, int absolute, int addmode, int addmask,     \
                                                        int cmpmode)                                          \
    {                                                                                                         \
        TW__READ("fpmac_conf", tw__fpick, &x, nx, (unsigned)xs, (unsigned)xo);                                \
        TW__READ("fpmac_conf", tw__fpick, &z, 8, (unsigned)zs, (unsigned)zo);                                 \
        TW__DEFINED("fpmac_conf", &acc, sizeof acc);                                                          \
        TW__FRET(ret, tw__conf(tw__lanes_of(&acc), tw__fpick(&x, nx, (unsigned)xs, (unsigned)xo),             \
                               tw__fpick(&z, 8, (unsigned)zs, (unsigned)zo), ones, absolute, addmode,         \
                               (unsigned)addmask, cmpmode, 0, 1));                                            \
    }                                                                                                         \
    TW__AIE ret TW__N(fpmul_conf, tw_fpmul_conf_n_##xt)(xt x, int xs, int xo, zt z, int zs, int zo, int ones, \
                                                        int absolute, int addmode, int addmask, int cmpmode)  \
    {                                                                                                         \
        TW__READ("fpmul_conf", tw__fpick, &x, nx, (unsigned)xs, (unsigned)xo);                                \
        TW__READ("fpmul_conf", tw__fpick, &z, 8, (unsigned)zs, (unsigned)zo);                                 \
        const tw__f8 zero = { 0 };                                                                            \
        TW__FRET(ret, tw__conf(zero, tw__fpick(&x, nx, (unsigned)xs, (unsigned)xo),                           \
                               tw__fpick(&z, 8, (unsigned)zs, (unsigned)zo), ones, absolute, addmode,         \
                               (unsigned)addmask, cmpmode, 0, 0));                                            \
    }                                                                                                         \
    TW__AIE ret TW__N(fpmul_conf, tw_fpmul_conf_##xt)(xt x, int xs, int xo, zt z, int zs, int zo, int ones,   \
                                                      int absolute, int addmode, int addmask, int cmpmode,    \
                                                      TW__OUT(unsigned, cmp))                                 \
    {                                                                                                         \
        TW__READ("fpmul_conf", tw__fpick, &x, nx, (unsigned)xs, (unsigned)xo);                                \
        TW__READ("fpmul_conf", tw__fpick, &z, 8, (unsigned)zs, (unsigned)zo);                                 \
        const tw__f8 zero = { 0 };                                                                            \
        TW__FRET(ret, tw__conf(zero, tw__fpick(&x, nx, (unsigned)xs, (unsigned)xo),                           \
                               tw__fpick(&z, 8, (unsigned)zs, (unsigned)zo), ones, absolute, addmode,         \
                               (unsigned)addmask, cmpmode, &TW__SET(cmp), 0));                                \
    }
/* z taken from x; in C without the bits. */
#define TW__CONF_SELF(xt, nx, ret)                                                                              \
    TW__AIE ret TW__N(fpmac_conf, tw_fpmac_conf_self_##xt)(ret acc, xt x, int xs, int xo, int zs, int zo,       \
                                                           int ones, int absolute, int addmode, int addmask,    \
                                                           int cmpmode)                                         \
    {                                                                                                           \
        TW__READ("fpmac_conf", tw__fpick, &x, nx, (unsigned)xs, (unsigned)xo);                                  \
        TW__READ("fpmac_conf", tw__fpick, &x, nx, (unsigned)zs, (unsigned)zo);                                  \
        TW__DEFINED("fpmac_conf", &acc, sizeof acc);                                                            \
        TW__FRET(ret, tw__conf(tw__lanes_of(&acc), tw__fpick(&x, nx, (unsigned)xs, (unsigned)xo),               \
                               tw__fpick(&x, nx, (unsigned)zs, (unsigned)zo), ones, absolute, addmode,          \
                               (unsigned)addmask, cmpmode, 0, 1));                                              \
    }                                                                                                           \
    TW__AIE ret TW__N(fpmul_conf, tw_fpmul_conf_self_##xt)(xt x, int xs, int xo, int zs, int zo, int ones,      \
                                                           int absolute, int addmode, int addmask, int cmpmode) \
    {                                                                                                           \
        TW__READ("fpmul_conf", tw__fpick, &x, nx, (unsigned)xs, (unsigned)xo);                                  \
        TW__READ("fpmul_conf", tw__fpick, &x, nx, (unsigned)zs, (unsigned)zo);                                  \
        const tw__f8 zero = { 0 };                                                                              \
        TW__FRET(ret, tw__conf(zero, tw__fpick(&x, nx, (unsigned)xs, (unsigned)xo),                             \
                               tw__fpick(&x, nx, (unsigned)zs, (unsigned)zo), ones, absolute, addmode,          \
                               (unsigned)addmask, cmpmode, 0, 0));                                              \
    }
#ifdef __cplusplus
#define TW__CONF_SELF_CMP(xt, nx, ret)                                                                           \
    TW__AIE ret TW__N(fpmac_conf, tw_fpmac_conf_self_cmp_##xt)(ret acc, xt x, int xs, int xo, int zs, int zo,    \
                                                               int ones, int absolute, int addmode, int addmask, \
                                                               int cmpmode, TW__OUT(unsigned, cmp))              \
    {                                                                                                            \
        TW__READ("fpmac_conf", tw__fpick, &x, nx, (unsigned)xs, (unsigned)xo);                                   \
        TW__READ("fpmac_conf", tw__fpick, &x, nx, (unsigned)zs, (unsigned)zo);                                   \
        TW__DEFINED("fpmac_conf", &acc, sizeof acc);                                                             \
        TW__FRET(ret, tw__conf(tw__lanes_of(&acc), tw__fpick(&x, nx, (unsigned)xs, (unsigned)xo),                \
                               tw__fpick(&x, nx, (unsigned)zs, (unsigned)zo), ones, absolute, addmode,           \
                               (unsigned)addmask, cmpmode, &TW__SET(cmp), 1));                                   \
    }                                                                                                            \
    TW__AIE ret TW__N(fpmul_conf, tw_fpmul_conf_self_cmp_##xt)(xt x, int xs, int xo, int zs, int zo, int ones,   \
                                                               int absolute, int addmode, int addmask,           \
                                                               int cmpmode, TW__OUT(unsigned, cmp))              \
    {                                                                                                            \
        TW__READ("fpmul_conf", tw__fpick, &x, nx, (unsigned)xs, (unsigned)xo);                                   \
        TW__READ("fpmul_conf", tw__fpick, &x, nx, (unsigned)zs, (unsigned)zo);                                   \
        const tw__f8 zero = { 0 };                                                                               \
        TW__FRET(ret, tw__conf(zero, tw__fpick(&x, nx, (unsigned)xs, (unsigned)xo),                              \
                               tw__fpick(&x, nx, (unsigned)zs, (unsigned)zo), ones, absolute, addmode,           \
                               (unsigned)addmask, cmpmode, &TW__SET(cmp), 0));                                   \
    }
#else
#define TW__CONF_SELF_CMP(xt, nx, ret)
#endif
/* Complex buffers count as floats, two to a lane. */
#define TW__CONFS(xt, nx, zt, ret) \
    TW__CONF(xt, nx, zt, ret)      \
    TW__CONF_SELF(xt, nx, ret)     \
    TW__CONF_SELF_CMP(xt, nx, ret)
TW__CONFS(v16float, 16, v8float, v8float)
TW__CONFS(v32float, 32, v8float, v8float)
TW__CONFS(v8cfloat, 16, v4cfloat, v4cfloat)
TW__CONFS(v16cfloat, 32, v4cfloat, v4cfloat)

/* --- one operand, and an accumulator with one operand ---------------------------------------------------------------- */

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
        TW__READ(#name, pick, &x, n, (unsigned)xs, (unsigned)xo);   \
        TW__FRET(ret, op(pick(&x, n, (unsigned)xs, (unsigned)xo))); \
    }                                                               \
    TW__AIE ret TW__N(name, tw_##name##_s_##xt)(xt x)               \
    {                                                               \
        TW__COUNT(VECTOR, 1);                                       \
        TW__DEFINED(#name, &x, sizeof x);                           \
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
        TW__READ(#name, pick, &x, n, (unsigned)xs, (unsigned)xo);                   \
        tw__f8 a = tw__lanes_of(&acc), b = pick(&x, n, (unsigned)xs, (unsigned)xo); \
        TW__COUNT(VECTOR, 1);                                                       \
        TW__FRET(ret, op);                                                          \
    }                                                                               \
    TW__AIE ret TW__N(name, tw_##name##_s_##xt)(ret acc, xt x)                      \
    {                                                                               \
        TW__DEFINED(#name, &acc, sizeof acc);                                       \
        TW__DEFINED(#name, &x, sizeof x);                                           \
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
#define TW__FTWOCMP(xt, n, pick, ret, name, op)                                                        \
    TW__AIE ret TW__N(name, tw_##name##_c_##xt)(ret acc, xt x, int xs, int xo, TW__OUT(unsigned, cmp)) \
    {                                                                                                  \
        TW__DEFINED(#name, &acc, sizeof acc);                                                          \
        TW__READ(#name, pick, &x, n, (unsigned)xs, (unsigned)xo);                                      \
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
        TW__READ(#name, pick, &x, n, (unsigned)xs, (unsigned)xo);                   \
        tw__f8 a = tw__lanes_of(&acc), b = pick(&x, n, (unsigned)xs, (unsigned)xo); \
        TW__COUNT(VECTOR, 1);                                                       \
        return tw__mask32((tw__i32x8)(op));                                         \
    }                                                                               \
    TW__AIE unsigned TW__N(name, tw_##name##_s_##xt)(ret acc, xt x)                 \
    {                                                                               \
        TW__DEFINED(#name, &acc, sizeof acc);                                       \
        TW__DEFINED(#name, &x, sizeof x);                                           \
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

/* --- names ------------------------------------------------------------------------------------------------------------ */

/* X(name, overloads, flags). _c conjugates the operand that is complex; of two, both bits reach only what they can. */
#define TW__FNAMES(X)                                                      \
    X(fpmul, tw__fmu, 0)                                                   \
    X(fpmul_c, tw__fmu, TW__FCONJ_X | TW__FCONJ_Z)                         \
    X(fpmul_cn, tw__fmu, TW__FCONJ_X)                                      \
    X(fpmul_nc, tw__fmu, TW__FCONJ_Z)                                      \
    X(fpmul_cc, tw__fmu, TW__FCONJ_X | TW__FCONJ_Z)                        \
    X(fpneg_mul, tw__fmu, TW__FNEG)                                        \
    X(fpneg_mul_c, tw__fmu, TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z)          \
    X(fpneg_mul_cn, tw__fmu, TW__FNEG | TW__FCONJ_X)                       \
    X(fpneg_mul_nc, tw__fmu, TW__FNEG | TW__FCONJ_Z)                       \
    X(fpneg_mul_cc, tw__fmu, TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z)         \
    X(fpabs_mul, tw__fmu, TW__FABS)                                        \
    X(fpneg_abs_mul, tw__fmu, TW__FNEG | TW__FABS)                         \
    X(fpmac, tw__fma, TW__FADDS)                                           \
    X(fpmac_c, tw__fma, TW__FADDS | TW__FCONJ_X | TW__FCONJ_Z)             \
    X(fpmac_cn, tw__fma, TW__FADDS | TW__FCONJ_X)                          \
    X(fpmac_nc, tw__fma, TW__FADDS | TW__FCONJ_Z)                          \
    X(fpmac_cc, tw__fma, TW__FADDS | TW__FCONJ_X | TW__FCONJ_Z)            \
    X(fpmsc, tw__fma, TW__FADDS | TW__FNEG)                                \
    X(fpmsc_c, tw__fma, TW__FADDS | TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z)  \
    X(fpmsc_cn, tw__fma, TW__FADDS | TW__FNEG | TW__FCONJ_X)               \
    X(fpmsc_nc, tw__fma, TW__FADDS | TW__FNEG | TW__FCONJ_Z)               \
    X(fpmsc_cc, tw__fma, TW__FADDS | TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z) \
    X(fpmac_abs, tw__fma, TW__FADDS | TW__FABS)                            \
    X(fpmsc_abs, tw__fma, TW__FADDS | TW__FABS | TW__FNEG)
#ifdef __cplusplus
TW__FNAMES(TW__NAME)
#else
#define TW__FKEY(x, z)        (void (*)(__typeof__(x), __typeof__(z)))0
#define TW__FASSOC(p, xt, zt) void (*)(xt, zt) : p##_##xt##_##zt
#define TW__FPAIRS(p)                                                                                            \
    TW__FASSOC(p, v16float, v8float), TW__FASSOC(p, v32float, v8float), TW__FASSOC(p, v8cfloat, v8float),        \
        TW__FASSOC(p, v16cfloat, v8float), TW__FASSOC(p, v16float, v4cfloat), TW__FASSOC(p, v32float, v4cfloat), \
        TW__FASSOC(p, v8cfloat, v4cfloat), TW__FASSOC(p, v16cfloat, v4cfloat)
#define TW__FSHORTS(p)                                                         \
    TW__FASSOC(p##_s, v8float, v8float), TW__FASSOC(p##_s, v4cfloat, v8float), \
        TW__FASSOC(p##_s, v8float, v4cfloat), TW__FASSOC(p##_s, v4cfloat, v4cfloat)
#define TW__FSELVES(p) \
    v16float:          \
    p##_self_v16float, v32float : p##_self_v32float, v8cfloat : p##_self_v8cfloat, v16cfloat : p##_self_v16cfloat
#define tw__fmu_2(f, x, z)                  _Generic(TW__FKEY(x, z), TW__FSHORTS(tw__fmu))(f, x, z)
#define tw__fmu_5(f, x, a, b, c, d)         _Generic((x), TW__FSELVES(tw__fmu))(f, x, a, b, c, d)
#define tw__fmu_6(f, x, a, b, z, c, d)      _Generic(TW__FKEY(x, z), TW__FPAIRS(tw__fmu))(f, x, a, b, z, c, d)
#define tw__fma_3(f, acc, x, z)             _Generic(TW__FKEY(x, z), TW__FSHORTS(tw__fma))(f, acc, x, z)
#define tw__fma_6(f, acc, x, a, b, c, d)    _Generic((x), TW__FSELVES(tw__fma))(f, acc, x, a, b, c, d)
#define tw__fma_7(f, acc, x, a, b, z, c, d) _Generic(TW__FKEY(x, z), TW__FPAIRS(tw__fma))(f, acc, x, a, b, z, c, d)
#define fpmul(...)                          TW__CALL(tw__fmu, 0, __VA_ARGS__)
#define fpmul_c(...)                        TW__CALL(tw__fmu, TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmul_cn(...)                       TW__CALL(tw__fmu, TW__FCONJ_X, __VA_ARGS__)
#define fpmul_nc(...)                       TW__CALL(tw__fmu, TW__FCONJ_Z, __VA_ARGS__)
#define fpmul_cc(...)                       TW__CALL(tw__fmu, TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpneg_mul(...)                      TW__CALL(tw__fmu, TW__FNEG, __VA_ARGS__)
#define fpneg_mul_c(...)                    TW__CALL(tw__fmu, TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpneg_mul_cn(...)                   TW__CALL(tw__fmu, TW__FNEG | TW__FCONJ_X, __VA_ARGS__)
#define fpneg_mul_nc(...)                   TW__CALL(tw__fmu, TW__FNEG | TW__FCONJ_Z, __VA_ARGS__)
#define fpneg_mul_cc(...)                   TW__CALL(tw__fmu, TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpabs_mul(...)                      TW__CALL(tw__fmu, TW__FABS, __VA_ARGS__)
#define fpneg_abs_mul(...)                  TW__CALL(tw__fmu, TW__FNEG | TW__FABS, __VA_ARGS__)
#define fpmac(...)                          TW__CALL(tw__fma, TW__FADDS, __VA_ARGS__)
#define fpmac_c(...)                        TW__CALL(tw__fma, TW__FADDS | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmac_cn(...)                       TW__CALL(tw__fma, TW__FADDS | TW__FCONJ_X, __VA_ARGS__)
#define fpmac_nc(...)                       TW__CALL(tw__fma, TW__FADDS | TW__FCONJ_Z, __VA_ARGS__)
#define fpmac_cc(...)                       TW__CALL(tw__fma, TW__FADDS | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmsc(...)                          TW__CALL(tw__fma, TW__FADDS | TW__FNEG, __VA_ARGS__)
#define fpmsc_c(...)                        TW__CALL(tw__fma, TW__FADDS | TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmsc_cn(...)                       TW__CALL(tw__fma, TW__FADDS | TW__FNEG | TW__FCONJ_X, __VA_ARGS__)
#define fpmsc_nc(...)                       TW__CALL(tw__fma, TW__FADDS | TW__FNEG | TW__FCONJ_Z, __VA_ARGS__)
#define fpmsc_cc(...)                       TW__CALL(tw__fma, TW__FADDS | TW__FNEG | TW__FCONJ_X | TW__FCONJ_Z, __VA_ARGS__)
#define fpmac_abs(...)                      TW__CALL(tw__fma, TW__FADDS | TW__FABS, __VA_ARGS__)
#define fpmsc_abs(...)                      TW__CALL(tw__fma, TW__FADDS | TW__FABS | TW__FNEG, __VA_ARGS__)
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
#define TW__CONF_OF(f, x)            \
    _Generic((x),                    \
        v16float: tw_##f##_v16float, \
        v32float: tw_##f##_v32float, \
        v8cfloat: tw_##f##_v8cfloat, \
        v16cfloat: tw_##f##_v16cfloat)
#define tw__macconf_11(s, L, f, c, x, ...) TW__CONF_OF(fpmac_conf_self, x)(c, x, __VA_ARGS__)
#define tw__mulconf_10(s, L, f, x, ...)    TW__CONF_OF(fpmul_conf_self, x)(x, __VA_ARGS__)
#define tw__macconf_12(s, L, f, c, x, ...) TW__CONF_OF(fpmac_conf_n, x)(c, x, __VA_ARGS__)
#define tw__macconf_13(s, L, f, c, x, ...) TW__CONF_CMP(TW__CONF_OF(fpmac_conf, x), c, x, __VA_ARGS__)
#define tw__mulconf_11(s, L, f, x, ...)    TW__CONF_OF(fpmul_conf_n, x)(x, __VA_ARGS__)
#define tw__mulconf_12(s, L, f, x, a, b, z, d, e, g, h, i, j, k, m) \
    TW__CONF_OF(fpmul_conf, x)(x, a, b, z, d, e, g, h, i, j, k, &(m))
#define TW__CONF_CMP(f, c, x, a, b, z, d, e, g, h, i, j, k, m) f(c, x, a, b, z, d, e, g, h, i, j, k, &(m))
#define fpmac_conf(...)                                        TW__FAMILY(tw__macconf, , , fpmac_conf, __VA_ARGS__)
#define fpmul_conf(...)                                        TW__FAMILY(tw__mulconf, , , fpmul_conf, __VA_ARGS__)
#endif

#endif
