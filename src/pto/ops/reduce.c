/* SPDX-License-Identifier: MIT */
/* reduce: rows and columns to one value. Sums and products in index order; f16 and bf16 are
 * accumulated in f32 and rounded once. */
#include "pto/pto.h"

static tw_status check_row(tw__pto_call *call, unsigned out, unsigned in)
{
    const tw_pto_tile *dst = tw__tile(call, out), *src = tw__tile(call, in);
    if (src->valid_rows == 0 || src->valid_cols == 0)
        return tw__pto_refuse(call, in, "row.empty", "the valid region is empty");
    if (!tw__same(dst->valid_rows, src->valid_rows))
        return tw__pto_refuse(call, out, "row.rows", "dst has %u valid rows, the source %u", dst->valid_rows,
                              src->valid_rows);
    if (!tw__same(dst->valid_cols, 1) || (dst->blayout == TW_PTO_COL_MAJOR && dst->cols != 1))
        return tw__pto_refuse(call, out, "row.cols",
                              "dst must have one valid column, and when it is column-major one column");
    if (call->target != TW_PTO_CPU && (src->blayout != TW_PTO_ROW_MAJOR || src->slayout != TW_PTO_NONE_BOX))
        return tw__pto_refuse(call, in, "layout.row-major", "the source must be row-major and not boxed");
    return TW_OK;
}

static const tw_window anywhere = { NULL, SIZE_MAX };
static const tw_vec_mode first_nan = { .nan = TW_NAN_FIRST };

static const tw_vec_mode *mode_of(tw_vec_op op)
{
    return op == TW_VEC_SUM || op == TW_VEC_PROD || op == TW_VEC_ADD || op == TW_VEC_MUL ? NULL : &first_nan;
}

static tw_status by_rows(tw__pto_call *call, tw_vec_op op, const tw__plane *dst, const tw__plane *src)
{
    const tw_type types[] = { dst->type, src->type };
    const tw_vec_kernel *k = tw__pto_kernel(call->core, op, types, mode_of(op));
    if (!k) return TW_E_TYPE;
    tw_view to = tw_view_1d(dst->at, dst->type, src->rows, dst->row), from = tw__plane_view(src);
    return tw_vec_reduce(k, &to, &from, 1u << 1, anywhere);
}

tw_status tw__pto_check_row_reduce(tw__pto_call *call)
{
    return check_row(call, 0, 1);
}

tw_status tw__pto_run_row_reduce(tw__pto_call *call)
{
    return by_rows(call, (tw_vec_op)call->row->op, &call->plane[0], &call->plane[1]);
}

static bool is_index(tw_type type)
{
    return type == TW_I32 || type == TW_U32;
}

tw_status tw__pto_check_row_arg(tw__pto_call *call)
{
    if (!is_index(tw__tile(call, 0)->type)) return tw__pto_refuse(call, 0, "type.index", "indexes are i32 or u32");
    return check_row(call, 0, 1);
}

tw_status tw__pto_run_row_arg(tw__pto_call *call)
{
    return by_rows(call, (tw_vec_op)call->row->op, &call->plane[0], &call->plane[1]);
}

/* The width of the index follows the value in the forms that give both. */
static tw_status check_both(tw__pto_call *call)
{
    const tw_pto_tile *value = tw__tile(call, 0), *index = tw__tile(call, 1), *src = tw__tile(call, 2);
    if (value->type != src->type) return tw__pto_refuse(call, 0, "type.same", "the values have the source's type");
    bool two = index->type == TW_I16 || index->type == TW_U16;
    if (!is_index(index->type) && !(two && tw_type_size(src->type) == 2))
        return tw__pto_refuse(call, 1, "type.index", "indexes are i32 or u32, or 16-bit for 16-bit values");
    return TW_OK;
}

tw_status tw__pto_check_row_arg2(tw__pto_call *call)
{
    tw_status status = check_both(call);
    if (status == TW_OK) status = check_row(call, 1, 2);
    return status == TW_OK ? check_row(call, 0, 2) : status;
}

tw_status tw__pto_run_row_arg2(tw__pto_call *call)
{
    bool largest = call->row->op == TW_VEC_ARGMAX;
    tw_status status = by_rows(call, (tw_vec_op)call->row->op, &call->plane[1], &call->plane[2]);
    return status == TW_OK
               ? by_rows(call, largest ? TW_VEC_HIGHEST : TW_VEC_LOWEST, &call->plane[0], &call->plane[2])
               : status;
}

/* --- columns ---------------------------------------------------------------------------------------------------- */

static tw_status check_col(tw__pto_call *call, unsigned out, unsigned in)
{
    const tw_pto_tile *dst = tw__tile(call, out), *src = tw__tile(call, in);
    if (!tw__same(dst->valid_rows, 1)) return tw__pto_refuse(call, out, "col.rows", "dst must have one valid row");
    if (!tw__same(dst->valid_cols, src->valid_cols))
        return tw__pto_refuse(call, out, "col.cols", "dst has %u valid columns, the source %u", dst->valid_cols,
                              src->valid_cols);
    return TW_OK;
}

tw_status tw__pto_check_col_reduce(tw__pto_call *call)
{
    return check_col(call, 0, 1);
}

/* Rows are combined by halves: row i with row i + half, an odd one out waits. */
static tw_status pairwise(tw__pto_call *call, tw_vec_op op, const tw__plane *sums)
{
    tw_status status = TW_OK;
    for (uint32_t rows = sums->rows; status == TW_OK && rows > 1;) {
        uint32_t pairs = rows / 2;
        for (uint32_t i = 0; status == TW_OK && i < pairs; i++) {
            tw__plane planes[] = { tw__plane_part(*sums, i, 1, 0, sums->cols),
                                   tw__plane_part(*sums, 2 * i, 1, 0, sums->cols),
                                   tw__plane_part(*sums, 2 * i + 1, 1, 0, sums->cols) };
            status = tw__lanes(call, op, mode_of(op), 1, sums->cols, planes, 3);
        }
        if (rows % 2 && status == TW_OK) {
            tw__plane to = tw__plane_part(*sums, pairs, 1, 0, sums->cols),
                      from = tw__plane_part(*sums, rows - 1, 1, 0, sums->cols);
            status = tw__plane_copy(&to, &from);
        }
        rows = pairs + rows % 2;
    }
    return status;
}

tw_status tw__pto_run_col_reduce(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], src = call->plane[1];
    tw_vec_op op = (tw_vec_op)call->row->op;
    if (src.rows == 0 || src.cols == 0) return TW_OK;
    tw_type wide = tw__is_float(src.type) ? TW_F32 : src.type;
    bool tree = call->attrs->binary != 0;
    tw__plane sums = tw__plane_new(call->core, wide, tree ? src.rows : 1, src.cols);
    if (!sums.at) return TW_E_NO_MEMORY;
    uint32_t first = tree ? src.rows : 1;
    tw__plane load[] = { sums, tw__plane_part(src, 0, first, 0, src.cols) };
    tw_status status =
        tw__lanes(call, wide == src.type ? TW_VEC_COPY : TW_VEC_CONVERT, NULL, first, src.cols, load, 2);
    if (status == TW_OK && tree) status = pairwise(call, op, &sums);
    for (uint32_t r = first; status == TW_OK && r < src.rows; r++) {
        tw__plane planes[] = { sums, sums, tw__plane_part(src, r, 1, 0, src.cols) };
        status = tw__lanes(call, op, mode_of(op), 1, src.cols, planes, 3);
    }
    tw__plane store[] = { dst, sums };
    return status == TW_OK
               ? tw__lanes(call, wide == dst.type ? TW_VEC_COPY : TW_VEC_CONVERT, NULL, 1, src.cols, store, 2)
               : status;
}

static tw_status by_cols(tw__pto_call *call, tw_vec_op op, const tw__plane *dst, const tw__plane *src)
{
    tw__plane out = *dst, in = *src; /* turned over: columns become rows */
    if (src->rows == 0 || src->cols == 0) return TW_OK;
    out.row = dst->col;
    out.col = dst->row;
    in.row = src->col;
    in.col = src->row;
    in.rows = src->cols;
    in.cols = src->rows;
    return by_rows(call, op, &out, &in);
}

tw_status tw__pto_check_col_arg(tw__pto_call *call)
{
    if (!is_index(tw__tile(call, 0)->type)) return tw__pto_refuse(call, 0, "type.index", "indexes are i32 or u32");
    return check_col(call, 0, 1);
}

tw_status tw__pto_run_col_arg(tw__pto_call *call)
{
    return by_cols(call, (tw_vec_op)call->row->op, &call->plane[0], &call->plane[1]);
}

tw_status tw__pto_check_col_arg2(tw__pto_call *call)
{
    tw_status status = check_both(call);
    if (status == TW_OK && call->target == TW_PTO_A2A3 &&
        tw_type_size(tw__tile(call, 1)->type) != tw_type_size(tw__tile(call, 2)->type))
        return tw__pto_refuse(call, 1, "arg.width", "indexes are as wide as the values");
    if (status == TW_OK) status = check_col(call, 1, 2);
    return status == TW_OK ? check_col(call, 0, 2) : status;
}

tw_status tw__pto_run_col_arg2(tw__pto_call *call)
{
    bool largest = call->row->op == TW_VEC_ARGMAX;
    tw_status status = by_cols(call, (tw_vec_op)call->row->op, &call->plane[1], &call->plane[2]);
    return status == TW_OK
               ? by_cols(call, largest ? TW_VEC_HIGHEST : TW_VEC_LOWEST, &call->plane[0], &call->plane[2])
               : status;
}
