/* SPDX-License-Identifier: MIT */
/* accumulator_out: what leaves the accumulator with a scale: stores, moves, windows. The scale
 * is an f32 in the
 * low 32 bits of a scalar, or one per column of the destination in the fixpipe buffer. Relu comes first. */
#include "pto/pto.h"

#define B(t) (UINT64_C(1) << TW_##t)

/* Element types by source: without and with a scale; what TINSERT makes on A2/A3, with i16 on A5 too. */
static const struct {
    tw_type from;
    uint64_t plain, scaled_a2a3, scaled_a5, inserted;
} types[] = {
    { TW_F32, B(F32) | B(F16) | B(BF16), B(I8) | B(U8),
      B(I8) | B(U8) | B(F16) | B(BF16) | B(HIF8) | B(F8E4M3) | B(F32), B(I8) },
    { TW_I32, B(I32), B(I8) | B(U8) | B(F16), B(I8) | B(U8) | B(F16) | B(BF16), B(I8) | B(U8) | B(F16) | B(I16) },
};

bool tw__acc_converts(tw_type from, tw_type to)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].from == from) return types[i].plain >> to & 1;
    return false;
}

static uint64_t scaled_types(const tw__pto_call *call, tw_type from)
{
    bool insert = call->row->rules & TW__INSERTS;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].from == from)
            return (call->target == TW_PTO_A5 || insert ? 0 : types[i].scaled_a2a3) |
                   (call->target != TW_PTO_A2A3 ? types[i].scaled_a5 : 0) | (insert ? types[i].inserted : 0);
    return 0;
}

/* Location of the source, type of the result, width of the scales. `dst` is the operand that gets `to`. */
static tw_status check_scaled(tw__pto_call *call, unsigned dst, tw_type to, unsigned scale)
{
    const tw_pto_tile *src = tw__tile(call, 1);
    if (src->location != TW_PTO_ACC)
        return tw__pto_refuse(call, 1, "location.acc", "only accumulators leave with a scale");
    if (!(scaled_types(call, src->type) >> to & 1))
        return tw__pto_refuse(call, dst, "acc.type", "%s times a scale does not become %s",
                              tw_type_name(src->type, TW_SYSTEM_PTO), tw_type_name(to, TW_SYSTEM_PTO));
    if (call->operand[scale].kind != TW_PTO_TILE) return TW_OK;
    const tw_pto_tile *scales = tw__tile(call, scale);
    if (tw_type_size(scales->type) < 4)
        return tw__pto_refuse(call, scale, "scale.type", "scales are 32 or 64 bits wide");
    if (call->target != TW_PTO_CPU && scales->location != TW_PTO_SCALING)
        return tw__pto_refuse(call, scale, "scale.location", "scales lie in the fixpipe buffer");
    return TW_OK;
}

/* A plane times its scales in another type, in scratch memory. */
static tw_status scaled(tw__pto_call *call, tw__plane in, unsigned scale, tw_type to, tw__plane *out)
{
    tw__plane real = tw__plane_new(call->core, TW_F32, in.rows, in.cols), by = call->plane[scale];
    tw_vec_mode saturate = { .saturation = TW_SAT_ON };
    if (!real.at) return TW_E_NO_MEMORY;
    if (call->operand[scale].kind == TW_PTO_TILE && by.cols < in.cols)
        return tw__pto_refuse(call, scale, "scale.columns", "%u scales for %u columns", by.cols, in.cols);
    by.type = TW_F32; /* of 64-bit scales the low half */
    by.row = 0;
    tw_status status = tw__lanes(call, in.type == TW_F32 ? TW_VEC_COPY : TW_VEC_CONVERT, NULL, in.rows, in.cols,
                                 (tw__plane[]){ real, in }, 2);
    if (call->attrs->relu && status == TW_OK) status = tw__relu(call, real, real);
    if (status == TW_OK)
        status = tw__lanes(call, TW_VEC_MUL, NULL, in.rows, in.cols, (tw__plane[]){ real, real, by }, 3);
    *out = tw__plane_new(call->core, to, in.rows, in.cols);
    if (!out->at) return TW_E_NO_MEMORY;
    bool same = to == TW_F32;
    return status == TW_OK ? tw__lanes(call, same ? TW_VEC_COPY : TW_VEC_CONVERT, same ? NULL : &saturate, in.rows,
                                       in.cols, (tw__plane[]){ *out, real }, 2)
                           : status;
}

/* --- TSTORE ----------------------------------------------------------------------------------------------------- */

tw_status tw__pto_check_store_quant(tw__pto_call *call)
{
    tw_status status = check_scaled(call, 0, call->operand[0].tensor->type, 2);
    return status == TW_OK ? tw__pto_check_acc_store(call) : status;
}

tw_status tw__pto_run_store_quant(tw__pto_call *call)
{
    tw__plane out;
    tw_status status = scaled(call, call->plane[1], 2, call->operand[0].tensor->type, &out);
    return status == TW_OK ? tw__pto_put(call, &out) : status;
}

/* --- TMOV ------------------------------------------------------------------------------------------------------- */

tw_status tw__pto_check_move_quant(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    tw_status status = check_scaled(call, 0, dst->type, 2);
    if (status == TW_OK) status = tw__pto_check_path(call);
    if (status != TW_OK) return status;
    if (dst->rows < src->rows || dst->cols < src->cols)
        return tw__pto_refuse(call, 0, "move.extents", "dst is smaller than the source");
    if (call->attrs->acc_mode > 1)
        return tw__pto_refuse(call, TW__NO_OPERAND, "move.split-scale", "a split over vector cores has no scale");
    return TW_OK;
}

tw_status tw__pto_run_move_quant(tw__pto_call *call)
{
    tw__plane out;
    tw_status status = scaled(call, call->plane[1], 2, call->plane[0].type, &out);
    if (status == TW_OK && tw__tile(call, 0)->location == TW_PTO_VEC && tw__pto_has_mates(call->core))
        return tw__pto_split(call, &out);
    return status == TW_OK ? tw__plane_copy(&call->plane[0], &out) : status;
}

/* --- TEXTRACT, TINSERT: the corner follows the scales, or comes before a scalar scale --------------------------- */

static unsigned scale_of(const tw__pto_call *call)
{
    return call->operand[2].kind == TW_PTO_TILE ? 2 : 4;
}

static unsigned corner_of(const tw__pto_call *call)
{
    return call->operand[2].kind == TW_PTO_TILE ? 3 : 2;
}

tw_status tw__pto_check_extract_quant(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    tw_status status = check_scaled(call, 0, dst->type, scale_of(call));
    if (status == TW_OK) status = tw__pto_check_window_path(call);
    return status == TW_OK ? tw__pto_check_window(call, corner_of(call), dst, src) : status;
}

tw_status tw__pto_run_extract_quant(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], out;
    const tw_pto_operand *at = &call->operand[corner_of(call)];
    tw__plane part = tw__plane_part(tw__plane_physical(call, 1), (uint32_t)at[0].scalar.bits, dst.rows,
                                    (uint32_t)at[1].scalar.bits, dst.cols);
    tw_status status = scaled(call, part, scale_of(call), dst.type, &out);
    return status == TW_OK ? tw__plane_copy(&dst, &out) : status;
}

tw_status tw__pto_check_insert_quant(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    tw_status status = check_scaled(call, 0, dst->type, scale_of(call));
    if (status == TW_OK) status = tw__pto_check_window_path(call);
    return status == TW_OK ? tw__pto_check_window(call, corner_of(call), src, dst) : status;
}

tw_status tw__pto_run_insert_quant(tw__pto_call *call)
{
    tw__plane src = call->plane[1], out;
    const tw_pto_operand *at = &call->operand[corner_of(call)];
    tw_status status = scaled(call, src, scale_of(call), call->plane[0].type, &out);
    tw__plane part = tw__plane_part(tw__plane_physical(call, 0), (uint32_t)at[0].scalar.bits, src.rows,
                                    (uint32_t)at[1].scalar.bits, src.cols);
    return status == TW_OK ? tw__plane_copy(&part, &out) : status;
}

/* --- SET_QUANT_SCALAR, SET_QUANT_VECTOR: kept for conversions in TPUSH ------------------------------------------ */

tw_status tw__pto_check_set_quant(tw__pto_call *call)
{
    (void)call;
    return TW_OK;
}

tw_status tw__pto_run_set_quant(tw__pto_call *call)
{
    call->core->reg.quant_scalar = call->operand[0].scalar.bits;
    return TW_OK;
}

tw_status tw__pto_check_set_quant_vector(tw__pto_call *call)
{
    const tw_pto_tile *scales = tw__tile(call, 0);
    if (scales->location != TW_PTO_SCALING)
        return tw__pto_refuse(call, 0, "scale.location", "scales lie in the fixpipe buffer");
    if (tw_type_size(scales->type) < 4)
        return tw__pto_refuse(call, 0, "scale.type", "scales are 32 or 64 bits wide");
    return TW_OK;
}

tw_status tw__pto_run_set_quant_vector(tw__pto_call *call)
{
    call->core->reg.quant_vector = *tw__tile(call, 0);
    return TW_OK;
}
