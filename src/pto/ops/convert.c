/* SPDX-License-Identifier: MIT */
/* convert: TCVT. Which pairs exist, how they round, what happens out of range. */
#include "pto/pto.h"

static tw_rounding rounding_of(int32_t mode)
{
    static const tw_rounding modes[] = {
        [TW_PTO_ROUND_NONE] = TW_ROUND_NEAREST_EVEN, [TW_PTO_ROUND_RINT] = TW_ROUND_NEAREST_EVEN,
        [TW_PTO_ROUND_AWAY] = TW_ROUND_NEAREST_AWAY, [TW_PTO_ROUND_FLOOR] = TW_ROUND_DOWN,
        [TW_PTO_ROUND_CEIL] = TW_ROUND_UP,           [TW_PTO_ROUND_TRUNC] = TW_ROUND_ZERO,
        [TW_PTO_ROUND_ODD] = TW_ROUND_TO_ODD,        [TW_PTO_ROUND_CAST_RINT] = TW_ROUND_NEAREST_EVEN
    };
    return modes[mode & 7];
}

tw_status tw__pto_check_convert(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    if (!(tw__pto_conversions(src->type, call->target) >> dst->type & 1))
        return tw__pto_refuse(call, 0, "tcvt.pair", "%s does not convert to %s",
                              tw_type_name(src->type, TW_SYSTEM_PTO), tw_type_name(dst->type, TW_SYSTEM_PTO));
    if ((uint32_t)call->attrs->round > TW_PTO_ROUND_CAST_RINT)
        return tw__pto_refuse(call, TW__NO_OPERAND, "tcvt.round", "unknown rounding mode %d", call->attrs->round);
    if (call->attrs->round == TW_PTO_ROUND_ODD && !(src->type == TW_F32 && dst->type == TW_F16))
        return tw__pto_refuse(call, TW__NO_OPERAND, "tcvt.odd", "rounding to odd exists from f32 to f16 only");
    if (!tw__same(dst->valid_rows, src->valid_rows) || !tw__same(dst->valid_cols, src->valid_cols))
        return tw__pto_refuse(call, 1, "valid.same", "the valid regions of source and dst differ");
    return TW_OK;
}

/* f32 to f32 rounds to an integral value. */
static tw_vec_op integral(int32_t mode)
{
    switch (mode) {
    case TW_PTO_ROUND_AWAY: return TW_VEC_ROUND;
    case TW_PTO_ROUND_FLOOR: return TW_VEC_FLOOR;
    case TW_PTO_ROUND_CEIL: return TW_VEC_CEIL;
    case TW_PTO_ROUND_TRUNC: return TW_VEC_TRUNC;
    case TW_PTO_ROUND_NONE: return TW_VEC_COPY;
    default: return TW_VEC_RINT;
    }
}

/* i32 to f16: times a factor as TADDDEQRELU has it, which keeps large values finite on the way (the manual). */
static tw_status dequantise(tw__pto_call *call, const tw_vec_mode *mode)
{
    tw__plane dst = call->plane[0], real = tw__plane_new(call->core, TW_F32, dst.rows, dst.cols);
    float factor = call->core->reg.dequant != 0 ? call->core->reg.dequant : 1;
    tw_pto_scalar factors[] = { tw_pto_f32(0x1p-17f), tw_pto_f32(factor), tw_pto_f32(0x1p17f) };
    if (!real.at) return TW_E_NO_MEMORY;
    tw_status status =
        tw__lanes(call, TW_VEC_CONVERT, NULL, dst.rows, dst.cols, (tw__plane[]){ real, call->plane[1] }, 2);
    for (int i = 0; status == TW_OK && i < 3; i++)
        status = tw__lanes(call, TW_VEC_MUL, NULL, dst.rows, dst.cols,
                           (tw__plane[]){ real, real, tw__plane_scalar(&factors[i]) }, 3);
    return status == TW_OK
               ? tw__lanes(call, TW_VEC_CONVERT, mode, dst.rows, dst.cols, (tw__plane[]){ dst, real }, 2)
               : status;
}

tw_status tw__pto_check_set_dequant(tw__pto_call *call)
{
    (void)call;
    return TW_OK;
}

tw_status tw__pto_run_set_dequant(tw__pto_call *call)
{
    call->core->reg.dequant = (float)tw_type_load(call->operand[0].scalar.type, &call->operand[0].scalar.bits);
    return TW_OK;
}

/* To a float that holds all values of the other one: an infinity stays one. */
static bool widens(tw_type from, tw_type to)
{
    return tw__is_float(from) && (to == TW_F32 || (to == TW_BF16 && tw_type_get(from)->bits == 4));
}

tw_status tw__pto_run_convert(tw__pto_call *call)
{
    tw__plane planes[] = { call->plane[0], call->plane[1] };
    tw_type from = tw__tile(call, 1)->type, to = tw__tile(call, 0)->type;
    if (from == to)
        return tw__lanes(call, integral(call->attrs->round), NULL, planes[0].rows, planes[0].cols, planes, 2);
    bool saturate = !tw__pto_convert_wraps(call) && !widens(from, to);
    bool no_wrap = tw__is_float(to) && (to == TW_F16 || to == TW_BF16 || to == TW_F32) && !saturate;
    tw_vec_mode mode = { .rounding = rounding_of(call->attrs->round),
                         .saturation = saturate && !no_wrap ? TW_SAT_ON : TW_SAT_NONE };
    if (from == TW_I32 && to == TW_F16) return dequantise(call, &mode);
    if (tw__tile_nibbles(tw__tile(call, 0)) && !planes[0].packed) /* in boxes */
        return tw__nibble_narrow(call, &planes[0], to, &planes[1], &mode);
    if (tw__tile_nibbles(tw__tile(call, 1)) && !planes[1].packed)
        return tw__nibble_widen(call, &planes[1], from, &planes[0]);
    if (call->count == 2) return tw__lanes_alone(call, TW_VEC_CONVERT, &mode);
    return tw__lanes(call, TW_VEC_CONVERT, &mode, planes[0].rows, planes[0].cols, planes, 2);
}
