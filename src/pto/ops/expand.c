/* SPDX-License-Identifier: MIT */
/* expand: one value per row or column spread over a tile, alone or as an operand. */
#include "pto/pto.h"

static const tw_vec_mode first_nan = { .nan = TW_NAN_FIRST };

static const tw_vec_mode *expand_mode_of(tw_vec_op op)
{
    return op == TW_VEC_MAX || op == TW_VEC_MIN ? &first_nan : NULL;
}

tw_status tw__pto_check_row_expand(tw__pto_call *call)
{
    if (!tw__same(tw__tile(call, 0)->valid_rows, tw__tile(call, 1)->valid_rows))
        return tw__pto_refuse(call, 1, "expand.rows", "source and dst have as many valid rows");
    if (tw__tile(call, 1)->valid_cols == 0)
        return tw__pto_refuse(call, 1, "expand.empty", "the source has no valid column");
    return TW_OK;
}

tw_status tw__pto_run_row_expand(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], src = tw__plane_part(call->plane[1], 0, dst.rows, 0, 1);
    tw_status apart = tw__plane_apart(call, 1, &src);
    if (apart != TW_OK) return apart;
    for (uint32_t r = 0; r < dst.rows; r++) {
        uint64_t value;
        tw__plane row = tw__plane_part(dst, r, 1, 0, dst.cols);
        memcpy(&value, src.at + r * src.row, tw_type_size(src.type));
        tw_status status = tw__plane_fill(call, &row, &value);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

tw_status tw__pto_check_col_expand(tw__pto_call *call)
{
    if (!tw__same(tw__tile(call, 0)->valid_cols, tw__tile(call, 1)->valid_cols))
        return tw__pto_refuse(call, 1, "expand.cols", "source and dst have as many valid columns");
    if (tw__tile(call, 1)->valid_rows == 0)
        return tw__pto_refuse(call, 1, "expand.empty", "the source has no valid row");
    return TW_OK;
}

tw_status tw__pto_run_col_expand(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], src = tw__plane_part(call->plane[1], 0, 1, 0, dst.cols);
    tw_status status = tw__plane_apart(call, 1, &src);
    if (status != TW_OK) return status;
    src.row = 0;
    return tw__lanes(call, TW_VEC_COPY, NULL, dst.rows, dst.cols, (tw__plane[]){ dst, src }, 2);
}

/* The per-row operand: column-major with one column (mode 1: a value), or row-major with 32 bytes per row (mode 2: a
 * block that repeats). 0 = it has dst's extents. */
static int row_operand(const tw__pto_call *call, unsigned i)
{
    const tw_pto_tile *t = tw__tile(call, i), *dst = tw__tile(call, 0);
    uint32_t block = (uint32_t)(32 / tw_type_size(t->type));
    if (t->valid_cols == dst->valid_cols && t->valid_cols != 1 && t->valid_cols != block) return 0;
    if (t->valid_cols == 1 && (t->blayout == TW_PTO_COL_MAJOR || t->cols == 1)) return 1;
    bool row_major = t->blayout == TW_PTO_ROW_MAJOR && !tw__tile_boxed(t);
    if (t->valid_cols == block && (row_major || call->target == TW_PTO_CPU)) return 2;
    return 0;
}

/* Which source has one value per row. A dst of one block per row makes a full source look like one: the other
 * decides. */
static int per_row(const tw__pto_call *call, unsigned *mode)
{
    int second = row_operand(call, 2), first = row_operand(call, 1);
    if (first && second && !tw__same(tw__tile(call, 1)->valid_cols, tw__tile(call, 0)->valid_cols)) second = 0;
    *mode = (unsigned)(second ? second : first);
    return second ? 2 : first ? 1 : 0;
}

tw_status tw__pto_check_row_expand_op(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0);
    unsigned mode;
    int narrow = per_row(call, &mode);
    if (dst->valid_cols == TW_PTO_DYNAMIC || dst->valid_rows == TW_PTO_DYNAMIC) return TW_OK;
    if (!narrow)
        return tw__pto_refuse(call, 2, "expand.mode",
                              "one source holds one value per row: column-major with one column, or "
                              "row-major with 32 bytes per row");
    if (call->row->operands == 4 && mode != 1)
        return tw__pto_refuse(call, (unsigned)narrow, "expand.tmp-mode",
                              "with tmp the per-row source is column-major");
    for (unsigned i = 1; i <= 2; i++)
        if (!tw__same(tw__tile(call, i)->valid_rows, dst->valid_rows) ||
            ((int)i != narrow && !tw__same(tw__tile(call, i)->valid_cols, dst->valid_cols)))
            return tw__pto_refuse(call, i, "expand.rows", "valid region differs from dst's");
    tw_status status = tw__pto_check_row_major(call, 0);
    return status == TW_OK ? tw__pto_check_row_major(call, 3 - (unsigned)narrow) : status;
}

static tw_status row_by_row(tw__pto_call *call, unsigned narrow, unsigned mode)
{
    tw__plane dst = call->plane[0];
    tw_vec_op op = (tw_vec_op)call->row->op;
    uint32_t block = mode == 1 ? dst.cols : (uint32_t)(32 / tw_type_size(dst.type));
    const tw_type types[] = { dst.type, dst.type, dst.type };
    const tw_vec_kernel *k = tw__pto_kernel(call->core, op, types, expand_mode_of(op));
    if (!k) return tw__pto_refuse(call, TW__NO_OPERAND, "type.kernel", "%s", tw_error_message());
    for (uint32_t r = 0; r < dst.rows; r++)
        for (uint32_t c = 0; c < dst.cols; c += block) {
            tw__plane p[3] = { call->plane[0], call->plane[1], call->plane[2] };
            uint32_t n = dst.cols - c < block ? dst.cols - c : block;
            for (unsigned i = 0; i < 3; i++) p[i] = tw__plane_part(p[i], r, 1, i == narrow ? 0 : c, n);
            if (mode == 1) p[narrow].col = 0;
            tw_status status = tw__planes(call, k, 1, n, p, 3);
            if (status != TW_OK) return status;
        }
    return TW_OK;
}

tw_status tw__pto_run_row_expand_op(tw__pto_call *call)
{
    unsigned mode, narrow = (unsigned)per_row(call, &mode);
    tw_status status = tw__plane_apart(call, narrow, &call->plane[narrow]);
    return status == TW_OK ? row_by_row(call, narrow, mode) : status;
}

tw_status tw__pto_check_row_expand_exp(tw__pto_call *call)
{
    return tw__pto_check_row_expand_op(call);
}

static tw_status exponential(tw__pto_call *call, tw_status status)
{
    tw__plane p[] = { call->plane[0], call->plane[0] };
    return status == TW_OK ? tw__lanes(call, TW_VEC_EXP, NULL, p[0].rows, p[0].cols, p, 2) : status;
}

tw_status tw__pto_run_row_expand_exp(tw__pto_call *call)
{
    return exponential(call, tw__pto_run_row_expand_op(call));
}

tw_status tw__pto_check_col_expand_op(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *a = tw__tile(call, 1), *b = tw__tile(call, 2);
    if (!tw__same(a->valid_rows, dst->valid_rows) || !tw__same(a->valid_cols, dst->valid_cols))
        return tw__pto_refuse(call, 1, "valid.same", "the valid regions of source and dst differ");
    if (!tw__same(b->valid_cols, dst->valid_cols) || b->valid_rows == 0)
        return tw__pto_refuse(call, 2, "expand.cols", "the per-column source has dst's valid columns and a row");
    return TW_OK;
}

tw_status tw__pto_run_col_expand_op(tw__pto_call *call)
{
    tw__plane p[] = { call->plane[0], call->plane[1],
                      tw__plane_part(call->plane[2], 0, 1, 0, call->plane[0].cols) };
    tw_status status = tw__plane_apart(call, 2, &p[2]);
    if (status != TW_OK) return status;
    p[2].row = 0;
    tw_vec_op op = (tw_vec_op)call->row->op;
    return tw__lanes(call, op, expand_mode_of(op), p[0].rows, p[0].cols, p, 3);
}

tw_status tw__pto_check_col_expand_exp(tw__pto_call *call)
{
    return tw__pto_check_col_expand_op(call);
}

tw_status tw__pto_run_col_expand_exp(tw__pto_call *call)
{
    return exponential(call, tw__pto_run_col_expand_op(call));
}
