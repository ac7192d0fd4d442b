/* SPDX-License-Identifier: MIT */
/* Elementary functions of the scalar unit: the correctly rounded result, through double. */
#include "aie/type_names.h"
#include <tilewright/aie/scalar.h>

#include <math.h>

float tw_aie_inv(float x)
{
    return 1.0f / x;
}

float tw_aie_sqrt(float x)
{
    return sqrtf(x);
}

/* Twice rounded, in double and to float: a double has more than twice the bits, so the ties of the second rounding
 * are those of the exact value. */
float tw_aie_invsqrt(float x)
{
    return (float)(1.0 / sqrt((double)x));
}

static int16 to_q15(double x)
{
    double scaled = nearbyint(x * 32768.0);
    return (int16)(scaled > 32767 ? 32767 : scaled);
}

cint16 tw_aie_sincos(uint32_t angle)
{
    double turns = (double)(int32_t)(angle & 0xfffff000u) / 2147483648.0;
    double radians = turns * 3.14159265358979323846;
    return (cint16){ to_q15(cos(radians)), to_q15(sin(radians)) };
}

int32 tw_aie_float2fix(float x, int shift)
{
    if (isnan(x)) return 0;
    double scaled = nearbyint(ldexp((double)x, shift));
    if (scaled >= 2147483647.0) return INT32_MAX;
    if (scaled <= -2147483648.0) return INT32_MIN;
    return (int32)scaled;
}
