/* SPDX-License-Identifier: MIT */
/* Checks of the multiply family, for kernels compiled with TW_AIE_CHECK. The hardware drops low bits of a start
 * or step that is not a multiple of its granule; a kernel that relies on it is almost always wrong. */
#define TW_AIE_CHECK
#include "aie/check/check.h"
#include <tilewright/aie/mul.h>

static void granule(const char *name, unsigned value, unsigned multiple)
{
    if (value % multiple)
        tw__aie_report("multiply", "%s %d is not a multiple of %u; the hardware drops the low bits", name,
                       (int)value, multiple);
}

static void square(const char *name, unsigned value)
{
    for (unsigned i = 0; i < 4; i++)
        if ((value >> (4 * i) & 15) > 3) {
            tw__aie_report("multiply", "%s 0x%x: nibble %u is %u, above 3", name, value, i, value >> (4 * i) & 15);
            return;
        }
    if (value >> 16) tw__aie_report("multiply", "%s 0x%x has bits above its four nibbles", name, value);
}

/* Offsets words have one nibble per lane; 8 by 8 bits use one for two lanes of x, for two rows of z. */
static void offsets(const char *name, unsigned value, unsigned nibbles)
{
    if (nibbles < 8 && value >> (4 * nibbles))
        tw__aie_report("multiply", "%s 0x%x has bits above its %u nibbles", name, value, nibbles);
}

/* --- lanes that nobody has set -------------------------------------------------------------------------------- */

/* Operands replaced by their shadows, so that the index schemes themselves say which marked lanes are read. */
typedef struct shadows {
    uint64_t x[16], y[16], z[16];
    unsigned mark_x, mark_y, mark_z;
} shadows;

static bool any(const void *lanes, unsigned count, unsigned bytes)
{
    for (unsigned i = 0; i < count * bytes; i++)
        if (((const char *)lanes)[i]) return true;
    return false;
}

/* 8 by 8 bits is picked in blocks of 32 products, everything else column by column. */
static void picked(const tw__mul *a, const tw__shape *s, unsigned flags, bool *x, bool *z)
{
    if (s->xtype <= TW__U8) {
        for (unsigned b = 0; b < s->lanes * s->columns / 32; b++) {
            tw__pieces px = tw__block_x(a, s, b), pz = tw__block_z(a, s, b);
            *x |= any(&px, 1, sizeof px);
            *z |= any(&pz, 1, sizeof pz);
        }
        return;
    }
    flags &= TW__PAIR | TW__CT; /* the sum of two shadows is zero when both are */
    enum { STEP = sizeof((tw__factors *)0)->xr / sizeof(int64) };
    for (unsigned c = 0; c < s->columns; c++)
        for (unsigned first = 0; first < s->lanes; first += STEP) {
            tw__factors f = tw__factors_of(a, s, flags, c, first);
            unsigned lanes = s->lanes - first < STEP ? s->lanes - first : STEP;
            *x |= any(&f.xr, lanes, 8) || any(&f.xi, lanes, 8);
            *z |= any(&f.zr, lanes, 8) || (s->zcomplex && any(&f.zi, lanes, 8));
        }
}

static void undefined(const tw__mul *a, const tw__shape *s, unsigned flags, const void *acc, unsigned word)
{
    static const unsigned bytes[] = { [TW__I8] = 1, [TW__U8] = 1, [TW__I16] = 2, [TW__I32] = 4 };
    shadows m = { { 0 }, { 0 }, { 0 }, 0, 0, 0 };
    unsigned x_bytes = s->nx * bytes[s->xtype] * (1 + s->xcomplex), words = s->lanes * (flags & TW__UCT ? 2 : 1);
    tw__defined("multiply: the accumulator", acc, (size_t)words * (1 + (s->xcomplex | s->zcomplex)) * word);
    m.mark_x = tw__aie_shadow(a->x, x_bytes, m.x);
    m.mark_y = a->y == a->x ? 0 : tw__aie_shadow(a->y, x_bytes, m.y);
    m.mark_z = a->z ? tw__aie_shadow(a->z, 32, m.z) : 0;
    if (!m.mark_x && !m.mark_y && !m.mark_z) return;
    tw__mul shadow = *a;
    bool x = false, z = false;
    shadow.x = m.x;
    shadow.y = a->y == a->x ? m.x : m.y;
    shadow.z = a->z ? m.z : NULL;
    picked(&shadow, s, flags, &x, &z);
    if (x && (m.mark_x || m.mark_y)) tw__aie_read("multiply: x", m.mark_x ? m.mark_x : m.mark_y, &x, 1);
    const unsigned mark_z = a->z ? m.mark_z : a->y == a->x ? m.mark_x : m.mark_y;
    if (z && mark_z) tw__aie_read("multiply: z", mark_z, &z, 1);
}

void tw__aie_check_mul(const tw__mul *a, const tw__shape *s, unsigned flags, const void *acc, unsigned word)
{
    undefined(a, s, flags, acc, word);
    unsigned bytes = s->xtype <= TW__U8, pairs = tw__is_paired(s), x_granule = bytes ? 4 : pairs ? 2 : 1;
    granule("xstart", a->xstart, x_granule);
    granule("xstep", a->xstep, x_granule);
    if (flags & TW__PAIR) granule("ystart", a->ystart, x_granule);
    if (a->z && s->ztype <= TW__U8) {
        granule("zstart", a->zstart, 2);
        granule("zstep", a->zstep, 2);
    }
    if (bytes || pairs) square("xsquare", a->xsquare);
    if (pairs && (flags & TW__PAIR)) square("ysquare", a->ysquare);
    if (s->ztype <= TW__U8) square("zsquare", a->zsquare);
    offsets("xoffsets", a->xoffs, bytes ? s->lanes / 2 : s->lanes);
    offsets("zoffsets", a->zoffs, bytes ? s->lanes / 2 : s->lanes);
    if (a->zstart > 15 && s->nz <= 16)
        tw__aie_report("multiply", "zstart %d is not 0 to 15, which is all that is encoded", (int)a->zstart);
    if (flags & TW__ZVARIES && tw_aie_core.file &&
        tw__aie_first_report(tw_aie_core.file, (size_t)tw_aie_core.line, 'z'))
        tw__aie_report("multiply",
                       "warning: zstart is not a compile-time constant; the instruction encodes it, so the "
                       "vendor's compiler takes it only where it unrolls the loop or inlines the function");
    if ((flags & TW__UCT) && a->uct_col >= s->columns)
        tw__aie_report("multiply", "uct_col %d is not 0 to %u", (int)a->uct_col, s->columns - 1);
}
