/* SPDX-License-Identifier: MIT */
/* ref_quant: quantisation of single groups and elements. */
#include "pto/reference/ref_quant.h"

#include <math.h>

/* Biased exponent of an f32; 0 for denormals. */
static int biased(double value)
{
    if (isinf(value)) return 255;
    return value < 0x1p-126 ? 0 : ilogb(value) + 127;
}

void ref_mx_group(tw_type type, bool nv, const double *values, ref_group *out)
{
    double limit = type == TW_F8E4M3 ? 448 : 6;
    int emax = type == TW_F8E4M3 ? 8 : 1;
    bool nan = false;
    out->largest = 0;
    for (int i = 0; i < REF_MX_GROUP; i++) {
        nan |= isnan(values[i]);
        out->largest = fmax(out->largest, fabs(values[i]));
    }
    if (nan) {
        out->largest = out->factor = NAN;
        out->exponent = 255;
    } else if (!nv) {
        int e = biased(out->largest) - emax;
        out->exponent = e < 0 ? 0 : (unsigned)e;
    } else { /* the least power of two that is not below largest / limit */
        double scale = ref_f32(out->largest * ref_f32(1 / limit));
        out->exponent = 0;
        while (out->exponent < 254 && ldexp(1, (int)out->exponent - 127) < scale) out->exponent++;
    }
    if (!nan) out->factor = ldexp(1, 127 - (int)out->exponent);
    for (int i = 0; i < REF_MX_GROUP; i++) {
        double x = ref_f32(values[i] * out->factor);
        out->scaled[i] = x > limit ? limit : x < -limit ? -limit : x;
    }
}

/* --- HiF4 ------------------------------------------------------------------------------------------------------- */

static double e6m2(unsigned code)
{
    return code == 255 ? NAN : ldexp(4 + (code & 3), (int)(code >> 2) - 48 - 2);
}

static unsigned nearest_e6m2(double scale)
{
    unsigned best = 0;
    if (isnan(scale)) return 255;
    for (unsigned code = 1; code < 255; code++) {
        double closer = fabs(e6m2(code) - scale), now = fabs(e6m2(best) - scale);
        if (closer < now || (closer == now && !(code & 1))) best = code;
    }
    return best;
}

static double largest_of(const double *values, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++) {
        if (isnan(values[i])) return NAN;
        largest = fmax(largest, fabs(values[i]));
    }
    return largest;
}

uint32_t ref_hif4_group(const double *values, double *scaled)
{
    unsigned top = nearest_e6m2(ref_f32(largest_of(values, REF_HIF4_GROUP) / 7));
    uint32_t word = top;
    for (int i = 0; i < REF_HIF4_GROUP; i++) {
        double scale = e6m2(top);
        if (ref_f32(largest_of(values + i / 8 * 8, 8) / scale) > 4) {
            word |= 1u << (8 + i / 8);
            scale *= 2;
        }
        if (ref_f32(largest_of(values + i / 4 * 4, 4) / scale) >= 2) {
            word |= 1u << (16 + i / 4);
            scale *= 2;
        }
        scaled[i] = ref_f32(values[i] / scale);
    }
    return word;
}

uint64_t ref_leave(tw_type from, uint64_t code, bool relu, bool scaled, double scale, tw_type to)
{
    double x = ref_decode(from, code);
    if (scaled) x = ref_f32(x); /* an integer becomes f32 first */
    if (relu && x < 0) x = 0;
    if (scaled) x = ref_f32(x * scale);
    return ref_encode(to, x, REF_EVEN, scaled && to != TW_F32); /* f32 is the product as it is */
}
