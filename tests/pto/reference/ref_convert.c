/* SPDX-License-Identifier: MIT */
/* ref_convert: TCVT: which pairs there are, how each mode rounds, what happens past the range. */
#include "pto/reference/ref_convert.h"

#include <math.h>
#include <string.h>

/* The table of conversions, as the documents give it. */
static const struct {
    tw_type from;
    tw_type a2a3[8], a5[10];
} pairs[] = {
    { TW_F32,
      { TW_F32, TW_F16, TW_BF16, TW_I16, TW_I32, TW_I64 },
      { TW_F32, TW_F16, TW_BF16, TW_I16, TW_I32, TW_I64, TW_F8E4M3, TW_F8E5M2, TW_HIF8 } },
    { TW_F16, { TW_F32, TW_I32, TW_I16, TW_I8, TW_U8, TW_I4 }, { TW_F32, TW_I32, TW_I16, TW_I8, TW_U8, TW_HIF8 } },
    { TW_BF16, { TW_F32, TW_I32 }, { TW_F32, TW_I32, TW_F16, TW_F4E1M2, TW_F4E2M1 } },
    { TW_I16, { TW_F16, TW_F32 }, { TW_F16, TW_F32, TW_U8, TW_U32, TW_I32 } },
    { TW_I32, { TW_F32, TW_I16, TW_I64, TW_F16 }, { TW_F32, TW_I16, TW_U16, TW_I64, TW_U8 } },
    { TW_I64, { TW_F32, TW_I32 }, { TW_F32, TW_I32 } },
    { TW_U8, { TW_F16 }, { TW_F16, TW_U16 } },
    { TW_I8, { TW_F16 }, { TW_F16, TW_I16, TW_I32 } },
    { TW_I4, { TW_F16 }, { 0 } },
    { TW_U32, { 0 }, { TW_U8, TW_U16, TW_I16 } },
    { TW_F8E4M3, { 0 }, { TW_F32 } },
    { TW_F8E5M2, { 0 }, { TW_F32 } },
    { TW_HIF8, { 0 }, { TW_F32 } },
    { TW_F4E1M2, { 0 }, { TW_BF16 } },
    { TW_F4E2M1, { 0 }, { TW_BF16 } },
};
#define SOURCES_A3 (A3 | T(I64) | T(U8) | T(I8) | T(I4) | T(BF16))
#define SOURCES_A5 \
    (A3 | T(I64) | T(U8) | T(I8) | T(U32) | T(BF16) | T(F8E4M3) | T(F8E5M2) | T(HIF8) | T(F4E1M2) | T(F4E2M1))

bool ref_converts(tw_pto_target target, tw_type from, tw_type to)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].from != from) continue;
        for (size_t k = 0; k < 8; k++)
            if (pairs[i].a2a3[k] == to && to && target != TW_PTO_A5) return true;
        for (size_t k = 0; k < 10; k++)
            if (pairs[i].a5[k] == to && to && target != TW_PTO_A2A3) return true;
    }
    return false;
}

/* Saturation as it is unless asked for. */
static bool wraps_unasked(tw_type from, tw_type to)
{
    return (from == TW_F16 && (to == TW_U8 || to == TW_I8 || to == TW_I16)) || (from == TW_F32 && to == TW_I16) ||
           (from == TW_I64 && to == TW_I32) || (from == TW_I32 && to == TW_I16);
}

bool ref_saturates(tw_pto_target target, bool tmp, tw_type from, tw_type to, int32_t mode)
{
    bool native = (from == TW_F32 && to == TW_I16) || (from == TW_F16 && (to == TW_I16 || to == TW_I8));
    if (target == TW_PTO_A2A3 && native && !tmp) return true; /* without tmp the chip's own saturation */
    return mode == TW_PTO_SATURATE_DEFAULT ? !wraps_unasked(from, to) : mode == TW_PTO_SATURATE_ON;
}

static ref_rounding rounding_of(int32_t mode)
{
    switch (mode) {
    case TW_PTO_ROUND_AWAY: return REF_AWAY;
    case TW_PTO_ROUND_FLOOR: return REF_DOWN;
    case TW_PTO_ROUND_CEIL: return REF_UP;
    case TW_PTO_ROUND_TRUNC: return REF_ZERO;
    case TW_PTO_ROUND_ODD: return REF_ODD;
    default: return REF_EVEN;
    }
}

/* An integer as a double that rounds to any format of fewer bits as the integer does: 53 bits, the last one sticky.
 * */
static double sticky(tw_type type, uint64_t code)
{
    int64_t value = ref_integer(type, code);
    bool negative = ref_is_signed(type) && value < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)value : (uint64_t)value;
    if (magnitude < UINT64_C(1) << 53) return negative ? -(double)magnitude : (double)magnitude;
    magnitude = magnitude >> 11 | ((magnitude & 2047) != 0);
    return ldexp(negative ? -(double)magnitude : (double)magnitude, 11);
}

static uint64_t between_integers(tw_type from, tw_type to, uint64_t code, bool saturate)
{
    int64_t value = ref_integer(from, code), least = 0, most;
    unsigned bits = ref_bits(to);
    if (!saturate || bits == 64) return ref_put_whole(to, &code, (uint64_t)value), code;
    if (ref_is_signed(to)) least = -(INT64_C(1) << (bits - 1));
    most = ref_is_signed(to) ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    ref_put_whole(to, &code, (uint64_t)(value < least ? least : value > most ? most : value));
    return code;
}

uint64_t ref_converted(tw_type from, tw_type to, uint64_t code, int32_t mode, bool saturate)
{
    ref_rounding rounding = rounding_of(mode);
    if (from == to) /* f32 to an integral value */
        return mode == TW_PTO_ROUND_NONE ? code : ref_code(to, ref_to_integral(ref_real(from, code), rounding));
    if (!ref_is_float(from) && !ref_is_float(to)) return between_integers(from, to, code, saturate);
    if (from == TW_I32 && to == TW_F16) { /* dequantising, with the factor 1 */
        double x = ref_f32(ref_f32(ref_f32(sticky(from, code)) * 0x1p-17) * 0x1p17);
        return ref_encode(to, x, rounding, saturate);
    }
    if (ref_is_float(from) && (to == TW_F32 || (to == TW_BF16 && ref_bits(from) == 4)))
        saturate = false; /* it holds all values of the source, infinity too */
    return ref_encode(to, ref_is_float(from) ? ref_real(from, code) : sticky(from, code), rounding, saturate);
}

/* Destinations to try: all that there are for the source, and two that there are not. */
enum { SLOTS = 12, MODES = 9, SATURATIONS = 3 };
static tw_type destination(tw_type from, unsigned slot)
{
    tw_type seen[SLOTS + 1];
    unsigned count = 0;
    for (int t = 1; t < TW_TYPE_COUNT && count < SLOTS - 2; t++)
        if (ref_converts(TW_PTO_CPU, from, (tw_type)t)) seen[count++] = (tw_type)t;
    seen[count++] = TW_U64;
    seen[count++] = TW_F8E8M0;
    return seen[slot % count];
}

static void plan_convert(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd');
    uint32_t v = call->variant;
    d->type = destination(call->type, v % SLOTS);
    call->attrs.round = (int32_t)(v / SLOTS % MODES);
    call->attrs.saturate = (int32_t)(v / SLOTS / MODES);
    bool odd = call->attrs.round == TW_PTO_ROUND_ODD && !(call->type == TW_F32 && d->type == TW_F16);
    call->illegal =
        !ref_converts(call->target, call->type, d->type) || call->attrs.round > TW_PTO_ROUND_CAST_RINT || odd;
}

static void convert(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    bool saturate = ref_saturates(call->target, ref_of(call, 't') != NULL, a->type, d->type, call->attrs.saturate);
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++)
            REF_AT(d, r, c) = ref_converted(a->type, d->type, REF_AT(a, r, c), call->attrs.round, saturate);
}

#define CONVERT .variants = SLOTS * MODES * SATURATIONS, .thin = 4, .plan = plan_convert, .reference = convert
const ref_row ref_convert_rows[] = {
    { .name = "TCVT", .a2a3 = SOURCES_A3, .a5 = SOURCES_A5, CONVERT },
    { .name = "TCVT_TMP", .a2a3 = SOURCES_A3, .a5 = SOURCES_A5, CONVERT },
};
const size_t ref_convert_count = sizeof ref_convert_rows / sizeof *ref_convert_rows;
