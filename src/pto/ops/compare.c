/* SPDX-License-Identifier: MIT */
/* compare: predicates as bits and selection by them. Bits are packed LSB first and every row starts
 * a new word, so a row of words read as bytes is what the vec box calls packed bits. */
#include "pto/pto.h"

static tw_vec_op compare_op(int32_t mode)
{
    static const tw_vec_op ops[] = { TW_VEC_EQ, TW_VEC_NE, TW_VEC_LT, TW_VEC_LE, TW_VEC_GT, TW_VEC_GE };
    return ops[(uint32_t)mode < 6 ? mode : 0];
}

/* The destination as bytes of a row; whole words, so that bits past the row are cleared. */
static tw__plane mask_bytes(const tw__plane *p)
{
    tw__plane bytes = *p;
    bytes.cols = p->cols * (uint32_t)tw_type_size(p->type);
    bytes.type = TW_U8;
    bytes.col = 1;
    return bytes;
}

static tw_status check_mask(tw__pto_call *call, unsigned i, const tw_pto_tile *values)
{
    const tw_pto_tile *mask = tw__tile(call, i);
    uint32_t bits = (uint32_t)tw_type_size(mask->type) * 8;
    if (mask->blayout != TW_PTO_ROW_MAJOR || mask->slayout != TW_PTO_NONE_BOX)
        return tw__pto_refuse(call, i, "mask.layout", "a mask is row-major and not boxed");
    if (mask->type != TW_U8 && mask->type != TW_U32 && mask->type != TW_I8 && mask->type != TW_I32)
        return tw__pto_refuse(call, i, "mask.type", "a mask is u8 or u32");
    if (values->valid_cols != TW_PTO_DYNAMIC && (values->valid_cols + bits - 1) / bits > mask->cols)
        return tw__pto_refuse(call, i, "mask.cols", "%u bits per row do not fit %u words of %u bits",
                              values->valid_cols, mask->cols, bits);
    if (values->valid_rows != TW_PTO_DYNAMIC && values->valid_rows > mask->rows)
        return tw__pto_refuse(call, i, "mask.rows", "%u rows of bits do not fit the mask's %u rows",
                              values->valid_rows, mask->rows);
    return TW_OK;
}

/* `regions`: the other side is a tile of the same valid region. */
static tw_status check_comparison(tw__pto_call *call, bool regions)
{
    const tw_pto_tile *a = tw__tile(call, 1);
    tw_type other = call->operand[2].kind == TW_PTO_SCALAR ? call->operand[2].scalar.type : tw__tile(call, 2)->type;
    if (other != a->type) return tw__pto_refuse(call, 2, "type.same", "both sides have one type");
    if ((uint32_t)call->attrs->cmp > TW_PTO_CMP_GE)
        return tw__pto_refuse(call, TW__NO_OPERAND, "cmp.mode", "unknown comparison %d", call->attrs->cmp);
    if (call->target == TW_PTO_A2A3 && a->type == TW_I32 && call->attrs->cmp != TW_PTO_CMP_EQ)
        return tw__pto_refuse(call, 1, "cmp.i32", "i32 can only be compared for equality");
    if (regions && (!tw__same(a->valid_rows, tw__tile(call, 2)->valid_rows) ||
                    !tw__same(a->valid_cols, tw__tile(call, 2)->valid_cols)))
        return tw__pto_refuse(call, 2, "valid.same", "the valid regions of the sources differ");
    tw_status status = check_mask(call, 0, a);
    tw_type mask = tw__tile(call, 0)->type;
    bool words = mask == TW_U32 || mask == TW_I32;
    if (status == TW_OK && call->target != TW_PTO_CPU && words != (call->target == TW_PTO_A5))
        return tw__pto_refuse(call, 0, "cmp.mask", "masks are %s here", call->target == TW_PTO_A5 ? "u32" : "u8");
    return status;
}

static tw_status ops_compare(tw__pto_call *call, tw__plane b)
{
    tw__plane a = call->plane[1], physical = tw__plane_physical(call, 0), bits = mask_bytes(&physical);
    tw__plane left = a;
    uint8_t zero = 0;
    tw_status status = tw__plane_apart(call, 1, &left); /* dst is cleared first */
    if (status == TW_OK) status = tw__plane_fill(call, &bits, &zero);
    tw__plane planes[] = { bits, left, b };
    tw_vec_mode mode = { .bits = true };
    return status == TW_OK ? tw__lanes(call, compare_op(call->attrs->cmp), &mode, a.rows, a.cols, planes, 3)
                           : status;
}

tw_status tw__pto_run_compare(tw__pto_call *call)
{
    return ops_compare(call, call->plane[2]);
}

tw_status tw__pto_check_compare(tw__pto_call *call)
{
    return check_comparison(call, call->row->form[2] == 'b');
}

tw_status tw__pto_check_compare_tile(tw__pto_call *call)
{
    return check_comparison(call, false);
}

tw_status tw__pto_run_compare_tile(tw__pto_call *call)
{
    tw__plane first = call->plane[2];
    first.row = first.col = 0;
    return ops_compare(call, first);
}

static tw_status check_select(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *a = tw__tile(call, 2);
    if (dst->type != a->type) return tw__pto_refuse(call, 2, "type.same", "sources and dst have one type");
    if (!tw__same(dst->valid_rows, a->valid_rows) || !tw__same(dst->valid_cols, a->valid_cols))
        return tw__pto_refuse(call, 2, "valid.same", "the valid regions of source and dst differ");
    return check_mask(call, 1, dst);
}

static tw_status select_by(tw__pto_call *call, tw__plane b)
{
    tw__plane dst = call->plane[0], bits = mask_bytes(&call->plane[1]);
    tw__plane planes[] = { dst, bits, call->plane[2], b };
    tw_vec_mode mode = { .bits = true };
    return tw__lanes(call, TW_VEC_SELECT, &mode, dst.rows, dst.cols, planes, 4);
}

tw_status tw__pto_check_select(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *b = tw__tile(call, 3);
    if (b->type != dst->type) return tw__pto_refuse(call, 3, "type.same", "sources and dst have one type");
    if (!tw__same(dst->valid_rows, b->valid_rows) || !tw__same(dst->valid_cols, b->valid_cols))
        return tw__pto_refuse(call, 3, "valid.same", "the valid regions of source and dst differ");
    return check_select(call);
}

tw_status tw__pto_run_select(tw__pto_call *call)
{
    return select_by(call, call->plane[3]);
}

tw_status tw__pto_check_select_scalar(tw__pto_call *call)
{
    if (call->operand[4].scalar.type != tw__tile(call, 0)->type)
        return tw__pto_refuse(call, 4, "type.same", "the scalar has dst's type");
    return check_select(call);
}

tw_status tw__pto_run_select_scalar(tw__pto_call *call)
{
    return select_by(call, call->plane[4]);
}
