/* SPDX-License-Identifier: MIT */
/* quant_groups: groups that share a power of two, and the three-level groups of HiF4. */
#include "pto/pto.h"

#include <math.h>

enum { MX_GROUP = 32, HIF4_GROUP = 64 };

/* What a data type allows: exponent and value of its largest number, as the documents have them. */
static const struct limit {
    tw_type type;
    int emax;
    float largest;
    uint64_t from;
} limits[] = {
    { TW_F8E4M3, 8, 448, UINT64_C(1) << TW_F32 | UINT64_C(1) << TW_F16 | UINT64_C(1) << TW_BF16 },
    { TW_F4E2M1, 1, 6, UINT64_C(1) << TW_F16 | UINT64_C(1) << TW_BF16 },
};

static const struct limit *limit_of(tw_type type)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].type == type) return &limits[i];
    return NULL;
}

static bool has_extents(const tw_pto_tile *t, uint32_t rows, uint32_t cols)
{
    return tw__same(t->valid_rows, rows) && tw__same(t->valid_cols, cols);
}

/* Operands: data, source, exponents, largest values, factors. Axis row: groups along rows. */
tw_status tw__pto_check_quant_mx(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1), *e = tw__tile(call, 2);
    const struct limit *limit = limit_of(dst->type);
    bool down = call->attrs->axis != 0, boxed = tw__tile_boxed(e);
    if (!limit || !(limit->from >> src->type & 1))
        return tw__pto_refuse(call, 0, "mx.types", "%s in groups does not become %s",
                              tw_type_name(src->type, TW_SYSTEM_PTO), tw_type_name(dst->type, TW_SYSTEM_PTO));
    if (!tw__same(dst->valid_rows, src->valid_rows) || !tw__same(dst->valid_cols, src->valid_cols))
        return tw__pto_refuse(call, 0, "valid.same", "the valid regions of source and dst differ");
    if (e->type != TW_F8E8M0 && e->type != TW_U8)
        return tw__pto_refuse(call, 2, "mx.exponents", "exponents are f8e8m0 or u8");
    for (unsigned i = 3; i < 5; i++)
        if (tw__tile(call, i)->type != src->type && tw__tile(call, i)->type != TW_F32)
            return tw__pto_refuse(call, i, "mx.outputs",
                                  "largest values and factors are f32 or of the source's type");
    if (src->valid_rows == TW_PTO_DYNAMIC || src->valid_cols == TW_PTO_DYNAMIC) return TW_OK;
    uint32_t m = src->valid_rows, n = src->valid_cols, step = boxed ? 2 * MX_GROUP : MX_GROUP;
    if (down ? m % step : m % 16 || n % step)
        return tw__pto_refuse(call, 1, "mx.groups", "%u x %u elements are not whole groups of %u %s", m, n, step,
                              down ? "rows" : "columns and 16 rows");
    for (unsigned i = 2; i < 5; i++)
        if (!has_extents(tw__tile(call, i), down ? m / MX_GROUP : m, down ? n : n / MX_GROUP))
            return tw__pto_refuse(call, i, "mx.extents", "one element for each group: %u x %u",
                                  down ? m / MX_GROUP : m, down ? n : n / MX_GROUP);
    return TW_OK;
}

static unsigned exponent_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 23 & 255;
}

/* Biased exponent of a group's scale: OCP, that of the largest value less the type's own; NV, of largest / limit, up.
 * */
static unsigned scale_exponent(float largest, const struct limit *limit, bool nv)
{
    if (isnan(largest)) return 255;
    if (!nv) {
        int e = (int)exponent_of(largest) - limit->emax;
        return e > 0 ? (unsigned)e : 0;
    }
    float scale = largest * (1 / limit->largest);
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    unsigned e = exponent_of(scale), fraction = bits & 0x7fffff;
    e += e ? fraction != 0 : fraction > 0x400000; /* subnormal: up to 2^-127 code 0 is enough */
    return e > 254 ? 254 : e;
}

/* One group of values, `step` floats apart, in place: largest of them, exponent, factor. */
static void scale_group(float *values, size_t step, const struct limit *limit, bool nv, float out[2],
                        uint8_t *exponent)
{
    float largest = 0;
    for (int i = 0; i < MX_GROUP; i++) {
        float x = fabsf(values[(size_t)i * step]);
        if (isnan(x) || x > largest) largest = x;
        if (isnan(x)) break;
    }
    *exponent = (uint8_t)scale_exponent(largest, limit, nv);
    float factor = *exponent == 255 ? NAN : (float)ldexp(1, 127 - *exponent);
    for (int i = 0; i < MX_GROUP; i++) {
        float *x = &values[(size_t)i * step], y = *x * factor;
        *x = y > limit->largest ? limit->largest : y < -limit->largest ? -limit->largest : y;
    }
    out[0] = largest;
    out[1] = factor;
}

/* The source as contiguous f32. */
static tw_status quant_groups_widen(tw__pto_call *call, tw__plane *real)
{
    tw__plane src = call->plane[1];
    *real = tw__plane_new(call->core, TW_F32, src.rows, src.cols);
    if (!real->at) return TW_E_NO_MEMORY;
    return tw__lanes(call, src.type == TW_F32 ? TW_VEC_COPY : TW_VEC_CONVERT, NULL, src.rows, src.cols,
                     (tw__plane[]){ *real, src }, 2);
}

static tw_status quant_groups_narrow(tw__pto_call *call, const tw__plane *real)
{
    static const tw_vec_mode saturate = { .saturation = TW_SAT_ON };
    const tw_pto_tile *dst = tw__tile(call, 0);
    if (tw__tile_nibbles(dst)) return tw__nibble_narrow(call, &call->plane[0], dst->type, real, &saturate);
    return tw__lanes(call, TW_VEC_CONVERT, &saturate, real->rows, real->cols,
                     (tw__plane[]){ call->plane[0], *real }, 2);
}

tw_status tw__pto_run_quant_mx(tw__pto_call *call)
{
    const struct limit *limit = limit_of(tw__tile(call, 0)->type);
    bool down = call->attrs->axis != 0, nv = call->attrs->scale_rule != 0;
    tw__plane real, groups = call->plane[2];
    tw_status status = quant_groups_widen(call, &real);
    tw__plane out[2], bytes = tw__plane_new(call->core, TW_U8, groups.rows, groups.cols);
    for (int i = 0; i < 2; i++) out[i] = tw__plane_new(call->core, TW_F32, groups.rows, groups.cols);
    if (status != TW_OK || !out[0].at || !out[1].at || !bytes.at) return status != TW_OK ? status : TW_E_NO_MEMORY;
    for (uint32_t r = 0; r < groups.rows; r++)
        for (uint32_t c = 0; c < groups.cols; c++) {
            float *first = (float *)(void *)real.at + (down ? (size_t)r * MX_GROUP * real.cols + c
                                                            : (size_t)r * real.cols + (size_t)c * MX_GROUP);
            size_t at = (size_t)r * groups.cols + c;
            float results[2];
            scale_group(first, down ? real.cols : 1, limit, nv, results, &bytes.at[at]);
            for (int i = 0; i < 2; i++) memcpy(out[i].at + at * sizeof(float), &results[i], sizeof(float));
        }
    status = quant_groups_narrow(call, &real);
    groups.type = TW_U8;
    if (status == TW_OK) status = tw__plane_copy(&groups, &bytes);
    for (unsigned i = 0; status == TW_OK && i < 2; i++) {
        tw__plane to = call->plane[3 + i];
        status = tw__lanes(call, to.type == TW_F32 ? TW_VEC_COPY : TW_VEC_CONVERT, NULL, to.rows, to.cols,
                           (tw__plane[]){ to, out[i] }, 2);
    }
    return status;
}

/* --- HiF4: 64 elements share an 8-bit e6m2, eight a bit, four a bit. How the scales are chosen and where their bits
 * lie is estimated: the documents give the widths alone. */

enum { E6M2_BIAS = 48, E6M2_NAN = 255 };

/* The e6m2 nearest to a scale that is not negative, ties to even; 2^-48 to 1.5 2^15. */
static unsigned to_e6m2(float scale)
{
    int e;
    if (isnan(scale)) return E6M2_NAN;
    if (scale >= 1.5f * 32768) return E6M2_NAN - 1;
    if (scale <= (float)ldexp(1, -E6M2_BIAS)) return 0;
    float fraction = frexpf(scale, &e); /* [0.5, 1) */
    int quarters = (int)nearbyintf(fraction * 8) - 4;
    int code = (e - 1 + E6M2_BIAS) * 4 + quarters;
    return code > E6M2_NAN - 1 ? E6M2_NAN - 1 : (unsigned)code;
}

static float from_e6m2(unsigned code)
{
    return code == E6M2_NAN ? NAN : (float)ldexp(1 + (code & 3) / 4.0, (int)(code >> 2) - E6M2_BIAS);
}

static float largest_of(const float *x, int n)
{
    float largest = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i])) return NAN;
        largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
    }
    return largest;
}

/* Values divided by their scales, in place; returns the 32 bits of these: e6m2, then a bit for eight, then for four.
 * */
static uint32_t hif4_group(float *x)
{
    enum { EIGHTS = 8, FOURS = 4, LEVEL2 = 8, LEVEL3 = 16 };
    unsigned top = to_e6m2(largest_of(x, HIF4_GROUP) / 7); /* 7 = 2 * 2 * 1.75, the largest with both bits set */
    uint32_t bits = top;
    float scale = from_e6m2(top);
    for (int g = 0; g < HIF4_GROUP / EIGHTS; g++) {
        bool two = largest_of(x + g * EIGHTS, EIGHTS) / scale > 4;
        float eight = two ? 2 * scale : scale;
        bits |= (uint32_t)two << (LEVEL2 + g);
        for (int h = 0; h < EIGHTS / FOURS; h++) {
            float *four = x + g * EIGHTS + h * FOURS;
            bool more = largest_of(four, FOURS) / eight >= 2;
            bits |= (uint32_t)more << (LEVEL3 + g * 2 + h);
            for (int i = 0; i < FOURS; i++) four[i] /= more ? 2 * eight : eight;
        }
    }
    return bits;
}

tw_status tw__pto_check_quant_hif4(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1), *scales = tw__tile(call, 2);
    if (dst->type != TW_HIF4) return tw__pto_refuse(call, 0, "hif4.type", "dst is hif4");
    if (scales->type != TW_U32) return tw__pto_refuse(call, 2, "hif4.scales", "scales are u32");
    if (!tw__same(dst->valid_rows, src->valid_rows) || !tw__same(dst->valid_cols, src->valid_cols))
        return tw__pto_refuse(call, 0, "valid.same", "the valid regions of source and dst differ");
    if (src->valid_cols == TW_PTO_DYNAMIC) return TW_OK;
    if (src->valid_cols % HIF4_GROUP)
        return tw__pto_refuse(call, 1, "hif4.groups", "%u columns are not groups of 64", src->valid_cols);
    if (!has_extents(scales, src->valid_rows, src->valid_cols / HIF4_GROUP))
        return tw__pto_refuse(call, 2, "hif4.extents", "one word for each group is needed");
    return TW_OK;
}

tw_status tw__pto_run_quant_hif4(tw__pto_call *call)
{
    tw__plane real, scales = call->plane[2];
    tw_status status = quant_groups_widen(call, &real);
    for (uint32_t r = 0; status == TW_OK && r < scales.rows; r++)
        for (uint32_t c = 0; c < scales.cols; c++) {
            uint32_t bits = hif4_group((float *)(void *)real.at + (size_t)r * real.cols + (size_t)c * HIF4_GROUP);
            memcpy(scales.at + (ptrdiff_t)r * scales.row + (ptrdiff_t)c * scales.col, &bits, sizeof bits);
        }
    return status == TW_OK ? quant_groups_narrow(call, &real) : status;
}
