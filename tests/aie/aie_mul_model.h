/* SPDX-License-Identifier: MIT */
/* The multiply family index by index from the formulas of docs/aie.md: one product at a time in 128 bits, nothing
 * shared with the headers it judges. Operands lie in xbytes, ybytes, zbytes. */
#ifndef TW_TESTS_AIE_MUL_MODEL_H
#define TW_TESTS_AIE_MUL_MODEL_H

#include "aie/aie_cases.h"

typedef __int128 i128;
typedef unsigned __int128 u128;

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
    enum form form;
    enum conj conj;
    bool ybuff, self, acc, negative;
} operation;

static uint8_t xbytes[128] __attribute__((aligned(64))), ybytes[128] __attribute__((aligned(64)));
static uint8_t zbytes[128] __attribute__((aligned(64))); /* as long as the longest operand: z may be x */

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
        complex128 z = o->self ? element_at(y, o->x, (unsigned)x_index(o, p->zo, p->zh, p->zs, p->zt, p->zq, l, c))
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
        i128 expected =
            (o->acc ? wrap(word_of(before, o->width, i), o->width) : 0) + (o->negative ? -value : value);
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

#endif
