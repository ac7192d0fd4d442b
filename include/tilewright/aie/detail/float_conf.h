/* SPDX-License-Identifier: MIT */
/* fpmul_conf and fpmac_conf: every choice of the single-precision unit as an argument.
 *
 *     fpmac_conf(acc, x, xstart, xoffs, z, zstart, zoffs, ones, abs, addmode, addmask, cmpmode, cmp)
 *
 * z may be left out, which takes it from x; so may cmp, a variable that receives one bit per lane: acc was chosen. */
#ifndef TILEWRIGHT_AIE_FLOAT_CONF_H
#define TILEWRIGHT_AIE_FLOAT_CONF_H

#include <tilewright/aie/detail/float_mul.h>

/* Lanes are floats, of complex data too. */
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

/* Forms: with acc or without (0); z of 8 floats (r), of 4 complex ones (z), or from x; with cmp or without. */
#define TW__CONF_acc(ret)                       ret acc,
#define TW__CONF_acc_defined                    TW__DEFINED("fpmac_conf", &acc, sizeof acc)
#define TW__CONF_acc_lanes                      tw__lanes_of(&acc)
#define TW__CONF_acc_has                        1
#define TW__CONF_0(ret)                         /* none */
#define TW__CONF_0_defined                      ((void)0)
#define TW__CONF_0_lanes                        tw__zeros()
#define TW__CONF_0_has                          0
#define TW__CONF_z(ret)                         ret z,
#define TW__CONF_z_from(nx)                     &z, 8
#define TW__CONF_r(ret)                         v8float z,
#define TW__CONF_r_from(nx)                     &z, 8
#define TW__CONF_x(ret)                         /* none */
#define TW__CONF_x_from(nx)                     &x, nx
#define TW__CONF_cmp                            , TW__OUT(unsigned, cmp)
#define TW__CONF_cmp_to                         &TW__SET(cmp)
#define TW__CONF_plain                          /* none */
#define TW__CONF_plain_to                       0
#define TW__CONF_READ(...)                      TW__CONF_READ_(__VA_ARGS__)
#define TW__CONF_READ_(name, p, n, start, offs) TW__READ(name, tw__fpick, p, n, start, offs)
TW__AIE tw__f8 tw__zeros(void)
{
    const tw__f8 v = { 0 };
    return v;
}
#define TW__CONF(name, fname, xt, nx, ret, A, Z, C)                                                            \
    TW__AIE ret TW__N(fname, tw_##fname##_##Z##_##C##_##xt)(                                                   \
        TW__CONF_##A(ret) xt x, int xs, int xo, TW__CONF_##Z(ret) int zs, int zo, int ones, int absolute,      \
        int addmode, int addmask, int cmpmode TW__CONF_##C)                                                    \
    {                                                                                                          \
        TW__READ(name, tw__fpick, &x, nx, (unsigned)xs, (unsigned)xo);                                         \
        TW__CONF_READ(name, TW__CONF_##Z##_from(nx), (unsigned)zs, (unsigned)zo);                              \
        TW__CONF_##A##_defined;                                                                                \
        TW__FRET(ret, tw__conf(TW__CONF_##A##_lanes, tw__fpick(&x, nx, (unsigned)xs, (unsigned)xo),            \
                               tw__fpick(TW__CONF_##Z##_from(nx), (unsigned)zs, (unsigned)zo), ones, absolute, \
                               addmode, (unsigned)addmask, cmpmode, TW__CONF_##C##_to, TW__CONF_##A##_has));   \
    }
#define TW__CONFS_Z(xt, nx, ret, Z)                                \
    TW__CONF("fpmac_conf", fpmac_conf, xt, nx, ret, acc, Z, cmp)   \
    TW__CONF("fpmac_conf", fpmac_conf, xt, nx, ret, acc, Z, plain) \
    TW__CONF("fpmul_conf", fpmul_conf, xt, nx, ret, 0, Z, cmp)     \
    TW__CONF("fpmul_conf", fpmul_conf, xt, nx, ret, 0, Z, plain)
#define TW__CONFS_REAL(xt, nx) TW__CONFS_Z(xt, nx, v8float, r) TW__CONFS_Z(xt, nx, v8float, x)
#define TW__CONFS_COMPLEX(xt, nx) \
    TW__CONFS_Z(xt, nx, v4cfloat, r) TW__CONFS_Z(xt, nx, v4cfloat, z) TW__CONFS_Z(xt, nx, v4cfloat, x)
/* Complex buffers count as floats, two to a lane. */
TW__CONFS_REAL(v8float, 8)
TW__CONFS_REAL(v16float, 16)
TW__CONFS_REAL(v32float, 32)
TW__CONFS_COMPLEX(v4cfloat, 8)
TW__CONFS_COMPLEX(v8cfloat, 16)
TW__CONFS_COMPLEX(v16cfloat, 32)

#ifndef __cplusplus
#define TW__CONF_OF(f, x)            \
    _Generic((x),                    \
        v8float: tw_##f##_v8float,   \
        v16float: tw_##f##_v16float, \
        v32float: tw_##f##_v32float, \
        v4cfloat: tw_##f##_v4cfloat, \
        v8cfloat: tw_##f##_v8cfloat, \
        v16cfloat: tw_##f##_v16cfloat)
#define TW__CONF_COMPLEX(f, x)         \
    _Generic((x),                      \
        v4cfloat: tw_##f##_v4cfloat,   \
        v8cfloat: tw_##f##_v8cfloat,   \
        v16cfloat: tw_##f##_v16cfloat, \
        default: tw__no_such_overload)
#define TW__CONF_WITH_Z(f, c, x, z, no) \
    _Generic((z), v8float: TW__CONF_OF(f##_r_##c, x), v4cfloat: TW__CONF_COMPLEX(f##_z_##c, x), default: no)
/* One number of arguments is two forms, with z or with cmp: the argument where z would stand tells. A selection of a
 * variable is a variable, so that its address is taken only where it is one. */
#define TW__CONF_BY(z, yes, no)            _Generic((z), v8float: yes, v4cfloat: yes, default: no)
#define TW__CONF_LAST(z, m)                TW__CONF_BY(z, (m), &TW__CONF_BY(z, (unsigned){ 0 }, (m)))
#define tw__macconf_11(s, L, f, c, x, ...) TW__CONF_OF(fpmac_conf_x_plain, x)(c, x, __VA_ARGS__)
#define tw__macconf_12(s, L, f, c, x, a, b, z, d, e, g, h, i, j, m)            \
    TW__CONF_WITH_Z(fpmac_conf, plain, x, z, TW__CONF_OF(fpmac_conf_x_cmp, x)) \
    (c, x, a, b, z, d, e, g, h, i, j, TW__CONF_LAST(z, m))
#define tw__macconf_13(s, L, f, c, x, a, b, z, d, e, g, h, i, j, k, m) \
    TW__CONF_WITH_Z(fpmac_conf, cmp, x, z, tw__no_such_overload)(c, x, a, b, z, d, e, g, h, i, j, k, &(m))
#define tw__mulconf_10(s, L, f, x, ...) TW__CONF_OF(fpmul_conf_x_plain, x)(x, __VA_ARGS__)
#define tw__mulconf_11(s, L, f, x, a, b, z, d, e, g, h, i, j, m)               \
    TW__CONF_WITH_Z(fpmul_conf, plain, x, z, TW__CONF_OF(fpmul_conf_x_cmp, x)) \
    (x, a, b, z, d, e, g, h, i, j, TW__CONF_LAST(z, m))
#define tw__mulconf_12(s, L, f, x, a, b, z, d, e, g, h, i, j, k, m) \
    TW__CONF_WITH_Z(fpmul_conf, cmp, x, z, tw__no_such_overload)(x, a, b, z, d, e, g, h, i, j, k, &(m))
#define fpmac_conf(...) TW__FAMILY(tw__macconf, , , fpmac_conf, __VA_ARGS__)
#define fpmul_conf(...) TW__FAMILY(tw__mulconf, , , fpmul_conf, __VA_ARGS__)
#endif

#endif
