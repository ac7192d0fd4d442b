/* SPDX-License-Identifier: MIT */
/* Rows of the tests of the multiply family: a row is one public name with one list of arguments, called with random
 * and extreme data and compared with the model. The macros below make the rows of a pair of types. */
#ifndef TW_TESTS_AIE_MUL_ROWS_H
#define TW_TESTS_AIE_MUL_ROWS_H

#include "aie/aie_mul_model.h"

static scalars p;
static uint8_t before[256] __attribute__((aligned(128))), result[256] __attribute__((aligned(128)));
static unsigned long calls;
static unsigned repeats;

/* Accumulators over the whole range and around its ends, with bits above it, which do not count. */
static void draw_accumulator(unsigned width)
{
    for (unsigned i = 0; i < sizeof before / 8; i++) {
        uint64_t word = (uint64_t)rnd() << 32 | rnd();
        if (width == 48 && rnd() % 4 == 0) word = ((uint64_t)1 << 47) + rnd() % 5 - 2;
        memcpy(before + 8 * i, &word, 8);
    }
    for (unsigned i = 0; width == 80 && i < sizeof before / 16; i++) {
        u128 word = ((u128)1 << 79) + rnd() % 5 - 2;
        if (rnd() % 4 == 0) memcpy(before + 16 * i, &word, 16);
    }
}

static void draw(const operation *o)
{
    unsigned columns = macs(o->x, o->z) / o->lanes;
    unsigned xbits = elements[o->x].bits / (elements[o->x].complex ? 2 : 1);
    unsigned zbits = elements[o->z].bits / (elements[o->z].complex ? 2 : 1);
    fill(xbytes, sizeof xbytes, xbits), fill(ybytes, sizeof ybytes, xbits), fill(zbytes, sizeof zbytes, zbits);
    draw_accumulator(o->width);
    p.xs = (int)(rnd() % 64), p.ys = (int)(rnd() % 64), p.zs = (int)(rnd() % 16);
    p.xt = (int)(rnd() % 64) - 32, p.zt = (int)(rnd() % 64) - 32;
    p.xo = rnd(), p.xh = rnd(), p.zo = rnd(), p.zh = rnd();
    p.xq = rnd() & 0x3333, p.yq = rnd() & 0x3333, p.zq = rnd() & 0x3333;
    p.mt = (int)(rnd() % 64) - 16, p.uc = (int)(rnd() % columns), p.us = (int)(rnd() % 20);
    bool pairs = o->x == INT16 && o->z <= INT16, bytes = o->x <= UINT8;
    if (pairs) p.xt &= ~1;
    if (bytes) p.xs &= ~3, p.xt &= ~3;
    if (o->z <= UINT8) p.zs &= ~1, p.zt &= ~1;
    /* Arguments that do not exist count as zero in the formulas. */
    bool ct = o->form == SYM_CT || o->form == ANTISYM_CT;
    if (!bytes && columns <= (pairs || ct ? 2u : 1u)) p.xt = 0;
    if (columns == 1) p.zt = 0;
}

/* Judges the last call of the row, if there was one, and prepares the next. */
static __attribute__((noinline)) bool next(const operation *o)
{
    static unsigned done;
    if (done > 0) check(o, &p, before, result), calls++;
    if (done == repeats) {
        done = 0;
        return false;
    }
    done++, draw(o);
    return true;
}

/* Operands of a row. */
#define xv (*(const x_type *)(const void *)xbytes)
#define yv (*(const x_type *)(const void *)ybytes)
#define zv (*(const z_type *)(const void *)zbytes)
#define av (*(const a_type *)(const void *)before)

#define ROW(name_, x_, z_, xt_, zt_, acc_t, lanes_, width_, xbits_, form_, conj_, ybuff_, self_, acc_, neg_, args) \
    {                                                                                                              \
        static const operation o = {                                                                               \
            #name_, x_, z_, lanes_, width_, xbits_, form_, conj_, ybuff_, self_, acc_, neg_                        \
        };                                                                                                         \
        typedef xt_ x_type;                                                                                        \
        typedef zt_ z_type __attribute__((unused));                                                                \
        typedef acc_t a_type;                                                                                      \
        while (next(&o)) *(a_type *)(void *)result = name_ args;                                                   \
    }

#define OPEN(...)  __VA_ARGS__
#define JOIN(a, b) OPEN a, OPEN b
/* One operation of a name: msc goes through everything, mul has no accumulator. */
#define MSC(l, n, suffix, x_, z_, xt_, zt_, acc_t, width_, xbits_, form_, conj_, yb, self_, args)           \
    ROW(l##msc##n##suffix, x_, z_, xt_, zt_, acc_t, n, width_, xbits_, form_, conj_, yb, self_, true, true, \
        (av, OPEN args))
#define MUL(l, n, suffix, x_, z_, xt_, zt_, acc_t, width_, xbits_, form_, conj_, yb, self_, args)             \
    ROW(l##mul##n##suffix, x_, z_, xt_, zt_, acc_t, n, width_, xbits_, form_, conj_, yb, self_, false, false, \
        (OPEN args))
/* All four; with sanitizers one, because instrumented the rows of all four take minutes to compile. */
#if UNDER_SANITIZER
#define FOUR MSC
#else
#define FOUR(l, n, suffix, x_, z_, xt_, zt_, acc_t, width_, xbits_, form_, conj_, yb, self_, args)              \
    MUL(l, n, suffix, x_, z_, xt_, zt_, acc_t, width_, xbits_, form_, conj_, yb, self_, args)                   \
    ROW(l##mac##n##suffix, x_, z_, xt_, zt_, acc_t, n, width_, xbits_, form_, conj_, yb, self_, true, false,    \
        (av, OPEN args))                                                                                        \
    MSC(l, n, suffix, x_, z_, xt_, zt_, acc_t, width_, xbits_, form_, conj_, yb, self_, args)                   \
    ROW(l##negmul##n##suffix, x_, z_, xt_, zt_, acc_t, n, width_, xbits_, form_, conj_, yb, self_, false, true, \
        (OPEN args))
#endif

/* Both widths of x; both widths and the separate y; z inside x, or inside y. */
#define PLAIN_BOTH(l, n, suffix, f, c, x_, z_, small, large, zt_, acc_t, w, X, Z)           \
    FOUR(l, n, suffix, x_, z_, small, zt_, acc_t, w, 512, f, c, false, false, (JOIN(X, Z))) \
    FOUR(l, n, suffix, x_, z_, large, zt_, acc_t, w, 1024, f, c, false, false, (JOIN(X, Z)))
#define PAIR_ALL(l, n, suffix, f, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)                       \
    FOUR(l, n, suffix, x_, z_, small, zt_, acc_t, w, 512, f, c, false, false, (OPEN X, OPEN Y, OPEN Z))  \
    FOUR(l, n, suffix, x_, z_, large, zt_, acc_t, w, 1024, f, c, false, false, (OPEN X, OPEN Y, OPEN Z)) \
    FOUR(l, n, suffix, x_, z_, small, zt_, acc_t, w, 512, f, c, true, false, (OPEN X, yv, OPEN Y, OPEN Z))
#define SELF_BOTH(l, n, suffix, f, c, x_, small, large, acc_t, w, X, S)                       \
    FOUR(l, n, suffix, x_, x_, small, small, acc_t, w, 512, f, c, false, true, (JOIN(X, S)))  \
    FOUR(l, n, suffix, x_, x_, large, large, acc_t, w, 1024, f, c, false, true, (JOIN(X, S))) \
    FOUR(l, n, suffix, x_, x_, small, small, acc_t, w, 512, f, c, true, true, (OPEN X, yv, OPEN S))

/* All of a suffix s of conjugation, for one pair of types: without and with pre-adder; the maxima of real data;
 * centre taps (two columns and more); twice the lanes (as long as they fit an accumulator); z in x. */
#define SUMS(l, n, s, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)            \
    PLAIN_BOTH(l, n, s, PLAIN, c, x_, z_, small, large, zt_, acc_t, w, X, Z)      \
    PLAIN_BOTH(l, n, _abs##s, ABS, c, x_, z_, small, large, zt_, acc_t, w, X, Z)  \
    PAIR_ALL(l, n, _sym##s, SYM, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PAIR_ALL(l, n, _antisym##s, ANTISYM, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)
#define MAXIMA(l, n, s, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)          \
    PAIR_ALL(l, n, _max##s, MAX, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PAIR_ALL(l, n, _min##s, MIN, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PAIR_ALL(l, n, _maxdiff##s, MAXDIFF, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)
#define CENTRE(l, n, s, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)                \
    PAIR_ALL(l, n, _sym_ct##s, SYM_CT, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PAIR_ALL(l, n, _antisym_ct##s, ANTISYM_CT, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)
#define UPPER(l, n, s, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)                   \
    PAIR_ALL(l, n, _sym_uct##s, SYM_UCT, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PAIR_ALL(l, n, _antisym_uct##s, ANTISYM_UCT, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)
#define SELF(l, n, s, c, x_, small, large, acc_t, w, X, S)         \
    SELF_BOTH(l, n, s, PLAIN, c, x_, small, large, acc_t, w, X, S) \
    SELF_BOTH(l, n, _abs##s, ABS, c, x_, small, large, acc_t, w, X, S)
/* Which conjugations there are: none of real data, _c of one complex operand, three more of two. */
#define REAL(WHAT, l, n, ...)        WHAT(l, n, , CONJ_NONE, __VA_ARGS__)
#define ONE_COMPLEX(WHAT, l, n, ...) WHAT(l, n, , CONJ_NONE, __VA_ARGS__) WHAT(l, n, _c, CONJ_ONE, __VA_ARGS__)
#define BOTH_COMPLEX(WHAT, l, n, ...)    \
    WHAT(l, n, , CONJ_NONE, __VA_ARGS__) \
    WHAT(l, n, _cn, CONJ_X, __VA_ARGS__) \
    WHAT(l, n, _nc, CONJ_Z, __VA_ARGS__) \
    WHAT(l, n, _cc, CONJ_BOTH, __VA_ARGS__)
#define EVERY_CONJUGATION(WHAT, l, n, ...) \
    BOTH_COMPLEX(WHAT, l, n, __VA_ARGS__) WHAT(l, n, _c, CONJ_ONE, __VA_ARGS__)

/* Argument lists, by the rule of docs/aie.md "which optional arguments exist". */
#define X1   (xv, p.xs, p.xo)       /* one column */
#define XN   (xv, p.xs, p.xo, p.xt) /* more columns */
#define XH1  (xv, p.xs, p.xo, p.xh)
#define XQ   (xv, p.xs, p.xo, p.xt, p.xq) /* squares */
#define XHQ2 (xv, p.xs, p.xo, p.xh, p.xq) /* two columns of pairs: no step */
#define XHQ  (xv, p.xs, p.xo, p.xh, p.xt, p.xq)
#define Y1   (p.ys)
#define YQ   (p.ys, p.yq)
#define YM1  (p.ys, p.mt)
#define YMQ  (p.ys, p.yq, p.mt)
#define YU1  (p.ys, p.us)
#define YUN  (p.ys, p.uc, p.us)
#define YUQ  (p.ys, p.yq, p.uc, p.us)
#define Z1   (zv, p.zs, p.zo)
#define ZN   (zv, p.zs, p.zo, p.zt)
#define ZH1  (zv, p.zs, p.zo, p.zh)
#define ZHN  (zv, p.zs, p.zo, p.zh, p.zt)
#define ZQ   (zv, p.zs, p.zo, p.zt, p.zq)
#define ZHQ  (zv, p.zs, p.zo, p.zh, p.zt, p.zq)
#define S1   (p.zs, p.zo)
#define SN   (p.zs, p.zo, p.zt)
#define SQ   (p.zs, p.zo, p.zt, p.zq)
#define SHQ  (p.zs, p.zo, p.zh, p.zq) /* two columns: no step, as in x */

/* default_repeats: at least 10,000 calls a test. */
#define SETUP(default_repeats) \
    (void)state;               \
    calls = 0, repeats = case_count(default_repeats)
#define DONE() print_message("%lu calls\n", calls)

#endif
