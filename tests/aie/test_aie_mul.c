/* The whole multiply family, name by name and type by type, against sums written from the formulas of aie.md 2.5:
 * one product at a time in 128 bits, index by index. Random offsets, steps and squares, random and extreme data.
 * Intrinsics are compiled as functions here; test_aie_worked.c and test_aie_constant.c have them inlined with constants. */
#define TW__AIE static __attribute__((noinline, unused))
#include <tilewright/aie/calls_mul.h>
#include "aie/aie_cases.h"

typedef __int128 i128;
typedef unsigned __int128 u128;

/* --- the model ----------------------------------------------------------------------------------------------------- */

typedef struct scalars {
    int xs, xt, ys, mt, uc, us, zs, zt;
    unsigned xo, xh, xq, yq, zo, zh, zq;
} scalars;

typedef enum element { INT8, UINT8, INT16, INT32, CINT16, CINT32 } element;
static const struct {
    unsigned bits;
    bool complex;
} elements[] = { { 8, 0 }, { 8, 0 }, { 16, 0 }, { 32, 0 }, { 32, 1 }, { 64, 1 } };

typedef enum form { PLAIN, ABS, SYM, ANTISYM, MAX, MIN, MAXDIFF, SYM_CT, ANTISYM_CT, SYM_UCT, ANTISYM_UCT } form;
typedef enum conj { CONJ_NONE, CONJ_ONE, CONJ_X, CONJ_Z, CONJ_BOTH } conj;

typedef struct operation {
    const char *name;
    element x, z;
    unsigned lanes, width, xbits;
    form form;
    conj conj;
    bool ybuff, self, acc, negative;
} operation;

static uint8_t xbytes[128], ybytes[128], zbytes[128]; /* as long as the longest operand */

typedef struct complex128 {
    i128 re, im;
} complex128;

static complex128 element_at(const void *buffer, element type, unsigned index)
{
    complex128 v = { 0, 0 };
    switch (type) {
    case INT8: v.re = ((const int8_t *)buffer)[index]; break;
    case UINT8: v.re = ((const uint8_t *)buffer)[index]; break;
    case INT16: v.re = ((const int16_t *)buffer)[index]; break;
    case INT32: v.re = ((const int32_t *)buffer)[index]; break;
    case CINT16:
        v.re = ((const int16_t *)buffer)[2 * index], v.im = ((const int16_t *)buffer)[2 * index + 1];
        break;
    case CINT32:
        v.re = ((const int32_t *)buffer)[2 * index], v.im = ((const int32_t *)buffer)[2 * index + 1];
        break;
    }
    return v;
}

static int nibble(unsigned low, unsigned high, int i)
{
    return (int)((i < 8 ? low >> (4 * i) : high >> (4 * (i - 8))) & 15);
}
static int modulo(int value, int n)
{
    return ((value % n) + n) % n;
}

/* 1024-bit buffers hold 2 n of the 512-bit ones. */
static unsigned x_elements(const operation *o)
{
    return o->xbits / elements[o->x].bits;
}

static int x_index(const operation *o, unsigned low, unsigned high, int start, int step, unsigned square, int l,
                   int c)
{
    int n = (int)x_elements(o);
    if (o->x == INT8 || o->x == UINT8) {
        int s = nibble(square, 0, 2 * ((l % 4) / 2) + c % 2) & 3;
        int l2 = 4 * (l / 4) + 2 * (s / 2) + l % 2, c2 = 2 * (c / 2) + s % 2, r = l2 / 2, m = l2 % 4;
        int off = 4 * nibble(low, 0, r) + (m >= 2 ? 4 * (nibble(low, 0, r - 1) + 1) : 0) + (m & 1);
        return modulo(start + off + (c2 / 2) * step + 2 * (c2 % 2), n);
    }
    if (o->x == INT16 && (o->z == INT8 || o->z == UINT8 || o->z == INT16)) {
        int s = nibble(square, 0, 2 * (l % 2) + c % 2) & 3;
        int l2 = 2 * (l / 2) + s / 2, c2 = 2 * (c / 2) + s % 2;
        int off =
            l2 % 2 == 0 ? 2 * nibble(low, high, l2) : 2 * (nibble(low, high, l2) + nibble(low, high, l2 - 1) + 1);
        return modulo((start & ~1) + off + (c2 / 2) * step + c2 % 2, n);
    }
    return modulo(start + nibble(low, high, l) + step * c, n);
}

static int z_index(const operation *o, const scalars *p, int l, int c)
{
    int n = (int)(256 / elements[o->z].bits);
    if (o->z > UINT8) return modulo(p->zs + nibble(p->zo, p->zh, l) + p->zt * c, n);
    int s = nibble(p->zq, 0, 2 * (l % 2) + c % 2) & 3;
    if (o->x <= UINT8)
        return modulo(p->zs + 2 * nibble(p->zo, 0, 2 * (l / 4) + s / 2) + (c / 2) * p->zt + s % 2, n);
    int l2 = 2 * (l / 2) + s / 2, c2 = 2 * (c / 2) + s % 2;
    return modulo(p->zs + 2 * nibble(p->zo, p->zh, l2) + (c2 / 2) * p->zt + c2 % 2, n);
}

static unsigned macs(element x, element z)
{
    static const unsigned table[6][6] = { { 128, 128 },          { 128, 128 },          { 64, 64, 32, 16, 16, 8 },
                                          { 0, 0, 16, 8, 8, 4 }, { 0, 0, 16, 8, 8, 4 }, { 0, 0, 8, 4, 4, 2 } };
    return table[x][z];
}

static i128 pre_add(form f, i128 x, i128 y)
{
    switch (f) {
    case PLAIN: return x;
    case ABS: return x < 0 ? -x : x;
    case SYM:
    case SYM_CT:
    case SYM_UCT: return x + y;
    case ANTISYM:
    case ANTISYM_CT:
    case ANTISYM_UCT: return x - y;
    case MAX: return x > y ? x : y;
    case MIN: return x < y ? x : y;
    case MAXDIFF: return x - y > 0 ? x - y : 0;
    }
    return 0;
}

static complex128 sum_of_lane(const operation *o, const scalars *p, int l)
{
    int columns = (int)(macs(o->x, o->z) / o->lanes);
    const void *y = o->ybuff ? ybytes : xbytes;
    complex128 sum = { 0, 0 };
    for (int c = 0; c < columns; c++) {
        complex128 a = element_at(xbytes, o->x, (unsigned)x_index(o, p->xo, p->xh, p->xs, p->xt, p->xq, l, c));
        complex128 b = element_at(y, o->x, (unsigned)x_index(o, p->xo, p->xh, p->ys, -p->xt, p->yq, l, c));
        bool centre = (o->form == SYM_CT || o->form == ANTISYM_CT) && c == columns - 1;
        if (centre && o->x == INT16 && o->z <= INT16) { /* the pair scheme without step, at an odd start too */
            int s = nibble(p->xq, 0, 2 * (l % 2)) & 3, l2 = 2 * (l / 2) + s / 2;
            int off = 2 * nibble(p->xo, p->xh, l2 & ~1);
            if (l2 % 2) off += 2 * (nibble(p->xo, p->xh, l2) + 1);
            a = element_at(xbytes, o->x, (unsigned)modulo(p->xs + p->mt + off + s % 2, (int)x_elements(o)));
        } else if (centre) {
            a = element_at(xbytes, o->x,
                           (unsigned)modulo(p->xs + nibble(p->xo, p->xh, l) + p->mt, (int)x_elements(o)));
        }
        complex128 x = { pre_add(centre ? PLAIN : o->form, a.re, b.re),
                         pre_add(centre ? PLAIN : o->form, a.im, b.im) };
        complex128 z = o->self
                           ? element_at(xbytes, o->x, (unsigned)x_index(o, p->zo, p->zh, p->zs, p->zt, p->zq, l, c))
                           : element_at(zbytes, o->z, (unsigned)z_index(o, p, l, c));
        if (o->conj == CONJ_X || o->conj == CONJ_BOTH || o->conj == CONJ_ONE) x.im = -x.im;
        if (o->conj == CONJ_Z || o->conj == CONJ_BOTH || o->conj == CONJ_ONE) z.im = -z.im;
        sum.re += x.re * z.re - x.im * z.im;
        sum.im += x.re * z.im + x.im * z.re;
    }
    return sum;
}

/* Lane l of the result; upper half of _uct: the datum of column uct_col. */
static complex128 expected_lane(const operation *o, const scalars *p, int l)
{
    if (l < (int)o->lanes) return sum_of_lane(o, p, l);
    int columns = (int)(macs(o->x, o->z) / o->lanes), column = columns > 1 ? p->uc : 0;
    const void *y = o->ybuff ? ybytes : xbytes;
    complex128 d =
        element_at(y, o->x, (unsigned)x_index(o, p->xo, p->xh, p->ys, -p->xt, p->yq, l - (int)o->lanes, column));
    if (o->conj == CONJ_X || o->conj == CONJ_BOTH || o->conj == CONJ_ONE) d.im = -d.im;
    d.re *= (i128)1 << p->us, d.im *= (i128)1 << p->us;
    return d;
}

static i128 wrap(i128 value, unsigned bits)
{
    return (i128)((u128)value << (128 - bits)) >> (128 - bits);
}

static i128 word_of(const void *acc, unsigned width, unsigned i)
{
    return width == 48 ? ((const int64_t *)acc)[i] : ((const i128 *)acc)[i];
}

static __attribute__((noinline)) void check(const operation *o, const scalars *p, const void *before,
                                            const void *after)
{
    bool complex = elements[o->x].complex || elements[o->z].complex;
    unsigned lanes = o->lanes * (o->form >= SYM_UCT ? 2 : 1), parts = complex ? 2 : 1;
    for (unsigned i = 0; i < lanes * parts; i++) {
        complex128 r = expected_lane(o, p, (int)(i / parts));
        i128 value = i % parts ? r.im : r.re;
        i128 expected = (o->acc ? word_of(before, o->width, i) : 0) + (o->negative ? -value : value);
        i128 got = word_of(after, o->width, i);
        if (wrap(got, o->width) == wrap(expected, o->width)) continue;
        fail_msg("%s, x type %d in %u bits, z type %d, y %d, self %d: word %u is %016llx %016llx, expected %016llx "
                 "%016llx; "
                 "xs %d xo %x,%x xt %d xq %x ys %d yq %x mt %d uc %d us %d zs %d zo %x,%x zt %d zq %x",
                 o->name, o->x, o->xbits, o->z, o->ybuff, o->self, i,
                 (unsigned long long)(wrap(got, o->width) >> 64), (unsigned long long)got,
                 (unsigned long long)(wrap(expected, o->width) >> 64), (unsigned long long)wrap(expected, o->width),
                 p->xs, p->xo, p->xh, p->xt, p->xq, p->ys, p->yq, p->mt, p->uc, p->us, p->zs, p->zo, p->zh, p->zt,
                 p->zq);
    }
}

/* --- calling ------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void draw(scalars *p, const operation *o)
{
    unsigned columns = macs(o->x, o->z) / o->lanes;
    fill(xbytes, sizeof xbytes, o->x <= UINT8 ? 8 : o->x == INT16 || o->x == CINT16 ? 16 : 32);
    fill(ybytes, sizeof ybytes, o->x == INT16 || o->x == CINT16 ? 16 : 32);
    fill(zbytes, sizeof zbytes, o->z <= UINT8 ? 8 : o->z == INT16 || o->z == CINT16 ? 16 : 32);
    p->xs = (int)(rnd() % 64), p->ys = (int)(rnd() % 64), p->zs = (int)(rnd() % 16);
    p->xt = (int)(rnd() % 64) - 32, p->zt = (int)(rnd() % 64) - 32;
    p->xo = rnd(), p->xh = rnd(), p->zo = rnd(), p->zh = rnd();
    p->xq = rnd() & 0x3333, p->yq = rnd() & 0x3333, p->zq = rnd() & 0x3333;
    p->mt = (int)(rnd() % 64) - 16, p->uc = (int)(rnd() % columns), p->us = (int)(rnd() % 20);
    if (o->x == INT16 && o->z <= INT16) p->xt &= ~1;
    if (o->x <= UINT8) p->xs &= ~3, p->xt &= ~3;
    if (o->z <= UINT8) p->zs &= ~1, p->zt &= ~1;
    /* Arguments that do not exist count as zero in the formulas. */
    bool pairs = o->x == INT16 && o->z <= INT16, bytes = o->x <= UINT8,
         ct = o->form == SYM_CT || o->form == ANTISYM_CT;
    if (!bytes && columns <= (pairs || ct ? 2u : 1u)) p->xt = 0;
    if (columns == 1) p->zt = 0;
}

static unsigned long calls;
static unsigned repeats;

/* One name with one list of arguments. x, y, z and acc are variables of the block. */
#define ROW(name_, x_, z_, xt_, zt_, acc_t, lanes_, width_, xbits_, form_, conj_, ybuff_, self_, acc_, neg_, args) \
    for (unsigned n_ = 0; n_ < repeats; n_++) {                                                                    \
        static const operation o = {                                                                               \
            #name_, x_, z_, lanes_, width_, xbits_, form_, conj_, ybuff_, self_, acc_, neg_                        \
        };                                                                                                         \
        scalars p;                                                                                                 \
        draw(&p, &o);                                                                                              \
        xt_ x, y;                                                                                                  \
        zt_ z;                                                                                                     \
        acc_t acc, r;                                                                                              \
        memcpy(&x, xbytes, sizeof x), memcpy(&y, ybytes, sizeof y), memcpy(&z, zbytes, sizeof z);                  \
        for (unsigned i_ = 0; i_ < sizeof acc / sizeof acc.word[0]; i_++) acc.word[i_] = (int64_t)rnd() << 14;     \
        (void)y, (void)z;                                                                                          \
        r = name_ args;                                                                                            \
        check(&o, &p, &acc, &r);                                                                                   \
        calls++;                                                                                                   \
    }

#define OPEN(...) __VA_ARGS__
/* The four operations of a name: X = list before z's part, without parentheses. With sanitizers only msc, which goes
 * through everything the others do: instrumented, the rows of all four take minutes to compile. */
#if UNDER_SANITIZER
#define FOUR(l, n, suffix, x_, z_, xt_, zt_, acc_t, width_, xbits_, form_, conj_, yb, self_, args)          \
    ROW(l##msc##n##suffix, x_, z_, xt_, zt_, acc_t, n, width_, xbits_, form_, conj_, yb, self_, true, true, \
        (acc, OPEN args))
#else
#define FOUR(l, n, suffix, x_, z_, xt_, zt_, acc_t, width_, xbits_, form_, conj_, yb, self_, args)              \
    ROW(l##mul##n##suffix, x_, z_, xt_, zt_, acc_t, n, width_, xbits_, form_, conj_, yb, self_, false, false,   \
        (OPEN args))                                                                                            \
    ROW(l##mac##n##suffix, x_, z_, xt_, zt_, acc_t, n, width_, xbits_, form_, conj_, yb, self_, true, false,    \
        (acc, OPEN args))                                                                                       \
    ROW(l##msc##n##suffix, x_, z_, xt_, zt_, acc_t, n, width_, xbits_, form_, conj_, yb, self_, true, true,     \
        (acc, OPEN args))                                                                                       \
    ROW(l##negmul##n##suffix, x_, z_, xt_, zt_, acc_t, n, width_, xbits_, form_, conj_, yb, self_, false, true, \
        (OPEN args))
#endif

#define JOIN(a, b) OPEN a, OPEN b

/* A suffix with the conjugations that its types allow: real ones have one name, complex ones five. */
#define REAL_(...)                   FOUR_REAL(__VA_ARGS__)
#define FOUR_REAL(l, n, suffix, ...) FOUR(l, n, suffix, __VA_ARGS__)

/* Plain forms of a pair of types: X names the arguments of x, Z those of z, S those of z inside x. */
#define PLAIN_BOTH(l, n, suffix, f, c, x_, z_, small, large, zt_, acc_t, w, X, Z)           \
    FOUR(l, n, suffix, x_, z_, small, zt_, acc_t, w, 512, f, c, false, false, (JOIN(X, Z))) \
    FOUR(l, n, suffix, x_, z_, large, zt_, acc_t, w, 1024, f, c, false, false, (JOIN(X, Z)))
#define SELF_BOTH(l, n, suffix, f, c, x_, small, large, acc_t, w, X, S)                      \
    FOUR(l, n, suffix, x_, x_, small, small, acc_t, w, 512, f, c, false, true, (JOIN(X, S))) \
    FOUR(l, n, suffix, x_, x_, large, large, acc_t, w, 1024, f, c, false, true, (JOIN(X, S)))
/* Y = ystart and ysquare, M = what the suffix adds. */
#define PAIR_ALL(l, n, suffix, f, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)                       \
    FOUR(l, n, suffix, x_, z_, small, zt_, acc_t, w, 512, f, c, false, false, (OPEN X, OPEN Y, OPEN Z))  \
    FOUR(l, n, suffix, x_, z_, large, zt_, acc_t, w, 1024, f, c, false, false, (OPEN X, OPEN Y, OPEN Z)) \
    FOUR(l, n, suffix, x_, z_, small, zt_, acc_t, w, 512, f, c, true, false, (OPEN X, y, OPEN Y, OPEN Z))

#define PAIRS_REAL(l, n, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)                         \
    PAIR_ALL(l, n, _sym, SYM, CONJ_NONE, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)         \
    PAIR_ALL(l, n, _antisym, ANTISYM, CONJ_NONE, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PAIR_ALL(l, n, _max, MAX, CONJ_NONE, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)         \
    PAIR_ALL(l, n, _min, MIN, CONJ_NONE, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)         \
    PAIR_ALL(l, n, _maxdiff, MAXDIFF, CONJ_NONE, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PLAIN_BOTH(l, n, _abs, ABS, CONJ_NONE, x_, z_, small, large, zt_, acc_t, w, X, Z)

/* sym and antisym under one conjugation suffix; s joins them. */
#define PAIRS_CONJ(l, n, s, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)              \
    PAIR_ALL(l, n, _sym##s, SYM, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)         \
    PAIR_ALL(l, n, _antisym##s, ANTISYM, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PLAIN_BOTH(l, n, s, PLAIN, c, x_, z_, small, large, zt_, acc_t, w, X, Z)
#define CT_CONJ(l, n, s, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)               \
    PAIR_ALL(l, n, _sym_ct##s, SYM_CT, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PAIR_ALL(l, n, _antisym_ct##s, ANTISYM_CT, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)
#define UCT_CONJ(l, n, s, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)                \
    PAIR_ALL(l, n, _sym_uct##s, SYM_UCT, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z) \
    PAIR_ALL(l, n, _antisym_uct##s, ANTISYM_UCT, c, x_, z_, small, large, zt_, acc_t, w, X, Y, Z)

/* Argument lists, by the rule of aie.md 2.5 "which optional arguments exist". */
#define X1   (x, p.xs, p.xo)       /* one column */
#define XN   (x, p.xs, p.xo, p.xt) /* more columns */
#define XH1  (x, p.xs, p.xo, p.xh)
#define XQ   (x, p.xs, p.xo, p.xt, p.xq) /* squares */
#define XHQ2 (x, p.xs, p.xo, p.xh, p.xq) /* two columns of pairs: no step */
#define XHQ  (x, p.xs, p.xo, p.xh, p.xt, p.xq)
#define Y1   (p.ys)
#define YQ   (p.ys, p.yq)
#define YM1  (p.ys, p.mt)
#define YMQ  (p.ys, p.yq, p.mt)
#define YU1  (p.ys, p.us)
#define YUN  (p.ys, p.uc, p.us)
#define YUQ  (p.ys, p.yq, p.uc, p.us)
#define Z1   (z, p.zs, p.zo)
#define ZN   (z, p.zs, p.zo, p.zt)
#define ZH1  (z, p.zs, p.zo, p.zh)
#define ZHN  (z, p.zs, p.zo, p.zh, p.zt)
#define ZQ   (z, p.zs, p.zo, p.zt, p.zq)
#define ZHQ  (z, p.zs, p.zo, p.zh, p.zt, p.zq)
#define S1   (p.zs, p.zo)
#define SN   (p.zs, p.zo, p.zt)
#define SQ   (p.zs, p.zo, p.zt, p.zq)
#define SHQ  (p.zs, p.zo, p.zh, p.zq) /* two columns: no step, as in x */

/* --- the tests ------------------------------------------------------------------------------------------------------ */

/* default_repeats: at least 10,000 calls a test, each of them one row of the table. */
#define SETUP(default_repeats) \
    (void)state;               \
    calls = 0, repeats = case_count(default_repeats)
#define DONE() print_message("%lu calls\n", calls)

static void aie_mul_bytes(void **state)
{
    SETUP(160);
#define BYTES(n, x_, z_, small, large, zt_, acc_t) \
    PLAIN_BOTH(, n, , PLAIN, CONJ_NONE, x_, z_, small, large, zt_, acc_t, 48, XQ, ZQ)
    BYTES(16, INT8, INT8, v64int8, v128int8, v32int8, v16acc48)
    BYTES(16, INT8, UINT8, v64int8, v128int8, v32uint8, v16acc48)
    BYTES(16, UINT8, INT8, v64uint8, v128uint8, v32int8, v16acc48)
    BYTES(16, UINT8, UINT8, v64uint8, v128uint8, v32uint8, v16acc48)
    BYTES(8, INT8, INT8, v64int8, v128int8, v32int8, v8acc48)
    BYTES(8, INT8, UINT8, v64int8, v128int8, v32uint8, v8acc48)
    BYTES(8, UINT8, INT8, v64uint8, v128uint8, v32int8, v8acc48)
    BYTES(8, UINT8, UINT8, v64uint8, v128uint8, v32uint8, v8acc48)
    DONE();
}

static void aie_mul_pairs(void **state)
{
    SETUP(20);
#define PAIRED(n, z_, zt_, acc_t, X, Y, Z)                                                   \
    PLAIN_BOTH(, n, , PLAIN, CONJ_NONE, INT16, z_, v32int16, v64int16, zt_, acc_t, 48, X, Z) \
    PAIRS_REAL(, n, INT16, z_, v32int16, v64int16, zt_, acc_t, 48, X, Y, Z)
    PAIRED(16, INT8, v32int8, v16acc48, XHQ, YQ, ZHQ)
    PAIRED(16, UINT8, v32uint8, v16acc48, XHQ, YQ, ZHQ)
    PAIRED(16, INT16, v16int16, v16acc48, XHQ2, YQ, ZHN)
    PAIRED(8, INT8, v32int8, v8acc48, XQ, YQ, ZQ)
    PAIRED(8, UINT8, v32uint8, v8acc48, XQ, YQ, ZQ)
    PAIRED(8, INT16, v16int16, v8acc48, XQ, YQ, ZN)
    SELF_BOTH(, 16, , PLAIN, CONJ_NONE, INT16, v32int16, v64int16, v16acc48, 48, XHQ2, SHQ)
    SELF_BOTH(, 8, , PLAIN, CONJ_NONE, INT16, v32int16, v64int16, v8acc48, 48, XQ, SQ)
    SELF_BOTH(, 16, _abs, ABS, CONJ_NONE, INT16, v32int16, v64int16, v16acc48, 48, XHQ2, SHQ)
    CT_CONJ(, 8, , CONJ_NONE, INT16, INT16, v32int16, v64int16, v16int16, v8acc48, 48, XQ, YMQ, ZN)
    CT_CONJ(, 8, , CONJ_NONE, INT16, INT8, v32int16, v64int16, v32int8, v8acc48, 48, XQ, YMQ, ZQ)
    UCT_CONJ(, 8, , CONJ_NONE, INT16, INT16, v32int16, v64int16, v16int16, v16acc48, 48, XQ, YUQ, ZN)
    UCT_CONJ(, 8, , CONJ_NONE, INT16, UINT8, v32int16, v64int16, v32uint8, v16acc48, 48, XQ, YUQ, ZQ)
    DONE();
}

static void aie_mul_wide_real(void **state)
{
    SETUP(12);
#define WIDE(l, n, x_, z_, small, large, zt_, acc_t, w, X, Z)                       \
    PLAIN_BOTH(l, n, , PLAIN, CONJ_NONE, x_, z_, small, large, zt_, acc_t, w, X, Z) \
    PAIRS_REAL(l, n, x_, z_, small, large, zt_, acc_t, w, X, Y1, Z)
    WIDE(, 16, INT16, INT32, v32int16, v64int16, v8int32, v16acc48, 48, XH1, ZH1)
    WIDE(, 16, INT32, INT16, v16int32, v32int32, v16int16, v16acc48, 48, XH1, ZH1)
    WIDE(, 8, INT16, INT32, v32int16, v64int16, v8int32, v8acc48, 48, XN, ZN)
    WIDE(, 8, INT32, INT16, v16int32, v32int32, v16int16, v8acc48, 48, XN, ZN)
    WIDE(l, 8, INT16, INT32, v32int16, v64int16, v8int32, v8acc80, 80, XN, ZN)
    WIDE(l, 8, INT32, INT16, v16int32, v32int32, v16int16, v8acc80, 80, XN, ZN)
    WIDE(l, 8, INT32, INT32, v16int32, v32int32, v8int32, v8acc80, 80, X1, Z1)
    WIDE(l, 4, INT16, INT32, v32int16, v64int16, v8int32, v4acc80, 80, XN, ZN)
    WIDE(l, 4, INT32, INT16, v16int32, v32int32, v16int16, v4acc80, 80, XN, ZN)
    WIDE(l, 4, INT32, INT32, v16int32, v32int32, v8int32, v4acc80, 80, XN, ZN)
    SELF_BOTH(l, 8, , PLAIN, CONJ_NONE, INT32, v16int32, v32int32, v8acc80, 80, X1, S1)
    SELF_BOTH(l, 4, , PLAIN, CONJ_NONE, INT32, v16int32, v32int32, v4acc80, 80, XN, SN)
    CT_CONJ(, 8, , CONJ_NONE, INT32, INT16, v16int32, v32int32, v16int16, v8acc48, 48, X1, YM1, ZN)
    CT_CONJ(l, 4, , CONJ_NONE, INT32, INT16, v16int32, v32int32, v16int16, v4acc80, 80, XN, YM1, ZN)
    CT_CONJ(l, 4, , CONJ_NONE, INT32, INT32, v16int32, v32int32, v8int32, v4acc80, 80, X1, YM1, ZN)
    UCT_CONJ(, 8, , CONJ_NONE, INT16, INT32, v32int16, v64int16, v8int32, v16acc48, 48, XN, YUN, ZN)
    UCT_CONJ(l, 4, , CONJ_NONE, INT32, INT32, v16int32, v32int32, v8int32, v8acc80, 80, XN, YUN, ZN)
    DONE();
}

#define ONE_COMPLEX(l, n, x_, z_, small, large, zt_, acc_t, w, X, Z)             \
    PAIRS_CONJ(l, n, , CONJ_NONE, x_, z_, small, large, zt_, acc_t, w, X, Y1, Z) \
    PAIRS_CONJ(l, n, _c, CONJ_ONE, x_, z_, small, large, zt_, acc_t, w, X, Y1, Z)
#define BOTH_COMPLEX(l, n, x_, z_, small, large, zt_, acc_t, w, X, Z)            \
    PAIRS_CONJ(l, n, , CONJ_NONE, x_, z_, small, large, zt_, acc_t, w, X, Y1, Z) \
    PAIRS_CONJ(l, n, _cn, CONJ_X, x_, z_, small, large, zt_, acc_t, w, X, Y1, Z) \
    PAIRS_CONJ(l, n, _nc, CONJ_Z, x_, z_, small, large, zt_, acc_t, w, X, Y1, Z) \
    PAIRS_CONJ(l, n, _cc, CONJ_BOTH, x_, z_, small, large, zt_, acc_t, w, X, Y1, Z)

static void aie_mul_complex48(void **state)
{
    SETUP(10);
    ONE_COMPLEX(, 8, INT16, CINT16, v32int16, v64int16, v8cint16, v8cacc48, 48, XN, ZN)
    ONE_COMPLEX(, 4, INT16, CINT16, v32int16, v64int16, v8cint16, v4cacc48, 48, XN, ZN)
    ONE_COMPLEX(, 8, INT16, CINT32, v32int16, v64int16, v4cint32, v8cacc48, 48, X1, Z1)
    ONE_COMPLEX(, 4, INT16, CINT32, v32int16, v64int16, v4cint32, v4cacc48, 48, XN, ZN)
    ONE_COMPLEX(, 8, INT32, CINT16, v16int32, v32int32, v8cint16, v8cacc48, 48, X1, Z1)
    ONE_COMPLEX(, 4, INT32, CINT16, v16int32, v32int32, v8cint16, v4cacc48, 48, XN, ZN)
    ONE_COMPLEX(, 8, CINT16, INT16, v16cint16, v32cint16, v16int16, v8cacc48, 48, XN, ZN)
    ONE_COMPLEX(, 4, CINT16, INT16, v16cint16, v32cint16, v16int16, v4cacc48, 48, XN, ZN)
    ONE_COMPLEX(, 8, CINT16, INT32, v16cint16, v32cint16, v8int32, v8cacc48, 48, X1, Z1)
    ONE_COMPLEX(, 8, CINT32, INT16, v8cint32, v16cint32, v16int16, v8cacc48, 48, X1, Z1)
    BOTH_COMPLEX(, 8, CINT16, CINT16, v16cint16, v32cint16, v8cint16, v8cacc48, 48, X1, Z1)
    BOTH_COMPLEX(, 4, CINT16, CINT16, v16cint16, v32cint16, v8cint16, v4cacc48, 48, XN, ZN)
    BOTH_COMPLEX(, 4, CINT16, CINT32, v16cint16, v32cint16, v4cint32, v4cacc48, 48, X1, Z1)
    BOTH_COMPLEX(, 4, CINT32, CINT16, v8cint32, v16cint32, v8cint16, v4cacc48, 48, X1, Z1)
    SELF_BOTH(, 8, _nc, PLAIN, CONJ_Z, CINT16, v16cint16, v32cint16, v8cacc48, 48, X1, S1)
    SELF_BOTH(, 4, , PLAIN, CONJ_NONE, CINT16, v16cint16, v32cint16, v4cacc48, 48, XN, SN)
    DONE();
}

static void aie_mul_complex_taps(void **state)
{
    SETUP(50);
    CT_CONJ(, 4, , CONJ_NONE, CINT16, CINT16, v16cint16, v32cint16, v8cint16, v4cacc48, 48, X1, YM1, ZN)
    CT_CONJ(, 4, _cn, CONJ_X, CINT16, CINT16, v16cint16, v32cint16, v8cint16, v4cacc48, 48, X1, YM1, ZN)
    CT_CONJ(, 4, , CONJ_NONE, CINT16, INT16, v16cint16, v32cint16, v16int16, v4cacc48, 48, XN, YM1, ZN)
    CT_CONJ(, 4, _c, CONJ_ONE, CINT16, INT16, v16cint16, v32cint16, v16int16, v4cacc48, 48, XN, YM1, ZN)
    UCT_CONJ(, 4, , CONJ_NONE, CINT16, CINT16, v16cint16, v32cint16, v8cint16, v8cacc48, 48, XN, YUN, ZN)
    UCT_CONJ(, 4, _nc, CONJ_Z, CINT16, CINT16, v16cint16, v32cint16, v8cint16, v8cacc48, 48, XN, YUN, ZN)
    UCT_CONJ(, 4, _c, CONJ_ONE, CINT16, INT16, v16cint16, v32cint16, v16int16, v8cacc48, 48, XN, YUN, ZN)
    UCT_CONJ(, 4, , CONJ_NONE, CINT16, CINT32, v16cint16, v32cint16, v4cint32, v8cacc48, 48, X1, YU1, Z1)
    UCT_CONJ(l, 2, , CONJ_NONE, CINT32, CINT16, v8cint32, v16cint32, v8cint16, v4cacc80, 80, XN, YUN, ZN)
    DONE();
}

static void aie_mul_complex80(void **state)
{
    SETUP(12);
    ONE_COMPLEX(l, 4, INT16, CINT32, v32int16, v64int16, v4cint32, v4cacc80, 80, XN, ZN)
    ONE_COMPLEX(l, 2, INT16, CINT32, v32int16, v64int16, v4cint32, v2cacc80, 80, XN, ZN)
    ONE_COMPLEX(l, 4, INT32, CINT16, v16int32, v32int32, v8cint16, v4cacc80, 80, XN, ZN)
    ONE_COMPLEX(l, 4, INT32, CINT32, v16int32, v32int32, v4cint32, v4cacc80, 80, X1, Z1)
    ONE_COMPLEX(l, 2, INT32, CINT32, v16int32, v32int32, v4cint32, v2cacc80, 80, XN, ZN)
    ONE_COMPLEX(l, 4, CINT16, INT32, v16cint16, v32cint16, v8int32, v4cacc80, 80, XN, ZN)
    ONE_COMPLEX(l, 4, CINT32, INT32, v8cint32, v16cint32, v8int32, v4cacc80, 80, X1, Z1)
    ONE_COMPLEX(l, 2, CINT32, INT16, v8cint32, v16cint32, v16int16, v2cacc80, 80, XN, ZN)
    BOTH_COMPLEX(l, 4, CINT16, CINT32, v16cint16, v32cint16, v4cint32, v4cacc80, 80, X1, Z1)
    BOTH_COMPLEX(l, 2, CINT32, CINT16, v8cint32, v16cint32, v8cint16, v2cacc80, 80, XN, ZN)
    BOTH_COMPLEX(l, 2, CINT32, CINT32, v8cint32, v16cint32, v4cint32, v2cacc80, 80, X1, Z1)
    SELF_BOTH(l, 2, _cc, PLAIN, CONJ_BOTH, CINT32, v8cint32, v16cint32, v2cacc80, 80, X1, S1)
    DONE();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_mul_bytes),        cmocka_unit_test(aie_mul_pairs),
        cmocka_unit_test(aie_mul_wide_real),    cmocka_unit_test(aie_mul_complex48),
        cmocka_unit_test(aie_mul_complex_taps), cmocka_unit_test(aie_mul_complex80),
    };
    return cmocka_run_group_tests_name("aie.mul", tests, NULL, NULL);
}
