/* fpmul_conf and fpmac_conf: every choice of the single-precision unit as an argument (aie.md 2.6). */
#ifndef TILEWRIGHT_AIE_FLOAT_CONF_H
#define TILEWRIGHT_AIE_FLOAT_CONF_H

#include <tilewright/aie/float_mul.h>

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

#ifndef __cplusplus
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
