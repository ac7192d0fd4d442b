/* Checks of the multiply family, for kernels compiled with TW_AIE_CHECK (aie.md 6). The hardware drops low bits of a start
 * or step that is not a multiple of its granule; a kernel that relies on it is almost always wrong. */
#include "aie/aie.h"
#define TW_AIE_CHECK
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

void tw__aie_check_mul(const tw__mul *a, const tw__shape *s, unsigned flags)
{
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
    if ((flags & TW__UCT) && a->uct_col >= s->columns)
        tw__aie_report("multiply", "uct_col %d is not 0 to %u", (int)a->uct_col, s->columns - 1);
}
