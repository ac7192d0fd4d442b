/* SPDX-License-Identifier: MIT */
/* conversions: which types TCVT makes of which, and which pairs wrap. */
#include "pto/pto.h"

#define B(t) (UINT64_C(1) << TW_##t)

/* Destinations by source: the table of the manual */
static const struct {
    tw_type from;
    uint64_t a2a3, a5;
} pairs[] = {
    { TW_F32, B(F32) | B(F16) | B(BF16) | B(I16) | B(I32) | B(I64),
      B(F32) | B(F16) | B(BF16) | B(I16) | B(I32) | B(I64) | B(F8E4M3) | B(F8E5M2) | B(HIF8) },
    { TW_F16, B(F32) | B(I32) | B(I16) | B(I8) | B(U8) | B(I4),
      B(F32) | B(I32) | B(I16) | B(I8) | B(U8) | B(HIF8) },
    { TW_BF16, B(F32) | B(I32), B(F32) | B(I32) | B(F16) | B(F4E1M2) | B(F4E2M1) },
    { TW_I16, B(F16) | B(F32), B(F16) | B(F32) | B(U8) | B(U32) | B(I32) },
    { TW_I32, B(F32) | B(I16) | B(I64) | B(F16), B(F32) | B(I16) | B(U16) | B(I64) | B(U8) },
    { TW_I64, B(F32) | B(I32), B(F32) | B(I32) },
    { TW_U8, B(F16), B(F16) | B(U16) },
    { TW_I8, B(F16), B(F16) | B(I16) | B(I32) },
    { TW_I4, B(F16), 0 },
    { TW_U32, 0, B(U8) | B(U16) | B(I16) },
    { TW_F8E4M3, 0, B(F32) },
    { TW_F8E5M2, 0, B(F32) },
    { TW_HIF8, 0, B(F32) },
    { TW_F4E1M2, 0, B(BF16) },
    { TW_F4E2M1, 0, B(BF16) },
};

uint64_t tw__pto_conversions(tw_type from, tw_pto_target target)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].from == from)
            return target == TW_PTO_A2A3 ? pairs[i].a2a3
                   : target == TW_PTO_A5 ? pairs[i].a5
                                         : pairs[i].a2a3 | pairs[i].a5;
    return 0;
}

/* Pairs that wrap unless told otherwise; all others saturate. */
static bool wraps_by_default(tw_type from, tw_type to)
{
    static const tw_type wrapping[][2] = { { TW_F16, TW_U8 },  { TW_F16, TW_I8 },  { TW_F32, TW_I16 },
                                           { TW_F16, TW_I16 }, { TW_I64, TW_I32 }, { TW_I32, TW_I16 } };
    for (size_t i = 0; i < sizeof wrapping / sizeof *wrapping; i++)
        if (wrapping[i][0] == from && wrapping[i][1] == to) return true;
    return false;
}

/* Saturation as asked for, or the pair's default. Without tmp, A2/A3 saturate where wrapping needs it (the
 * manual). */
bool tw__pto_convert_wraps(const tw__pto_call *call)
{
    tw_type to = tw__tile(call, 0)->type, from = tw__tile(call, 1)->type;
    bool needs_tmp = (from == TW_F32 && to == TW_I16) || (from == TW_F16 && (to == TW_I16 || to == TW_I8));
    if (call->target == TW_PTO_A2A3 && needs_tmp && call->count < 3) return false;
    return call->attrs->saturate == TW_PTO_SATURATE_DEFAULT ? wraps_by_default(from, to)
                                                            : call->attrs->saturate == TW_PTO_SATURATE_OFF;
}
