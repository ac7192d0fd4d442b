/* SPDX-License-Identifier: MIT */
/* elementwise: instructions that work element by element: one kernel of the vec box over the
 * valid region, or two after one another. */
#include "pto/pto.h"

/* Order of NaN in max and min: the first operand unless the compare holds. */
static const tw_vec_mode first_nan = { .nan = TW_NAN_FIRST };

static unsigned sources(tw__pto_call *call, tw__plane *planes)
{
    const tw__pto_row *row = call->row;
    unsigned count = 1;
    planes[0] = call->plane[0];
    for (unsigned i = 1; !*row->order && i < call->count; i++)
        if (row->form[i] != 't') planes[count++] = call->plane[i];
    for (const char *order = row->order; *order; order++) planes[count++] = call->plane[tw__letter(row, *order)];
    return count;
}

/* Shift right is arithmetic for signed types: a different operation of the vec box. */
static tw_vec_op operation(const tw__pto_call *call)
{
    tw_vec_op op = (tw_vec_op)call->row->op;
    return op == TW_VEC_SHR && tw_type_get(call->plane[0].type)->is_signed ? TW_VEC_SAR : op;
}

static const tw_vec_mode *mode_of(tw_vec_op op)
{
    return op == TW_VEC_MAX || op == TW_VEC_MIN || op == TW_VEC_RELU ? &first_nan : NULL;
}

/* A count of the width or more has no meaning on the chips; counts of signed types are judged as unsigned. */
static tw_status check_shift(tw__pto_call *call, const tw__plane *counts)
{
    static const tw_type unsigned_of[] = { [1] = TW_U8, [2] = TW_U16, [4] = TW_U32, [8] = TW_U64 };
    size_t size = tw_type_size(counts->type);
    uint64_t largest = 0;
    tw__plane in = *counts,
              out = { .at = (unsigned char *)&largest, .rows = 1, .cols = 1, .type = unsigned_of[size] };
    in.type = unsigned_of[size];
    tw_type types[] = { in.type, in.type };
    const tw_vec_kernel *k =
        tw__pto_kernel(call->core, TW_VEC_HIGHEST, types, &(tw_vec_mode){ .accumulate = true });
    if (!k) return TW_E_TYPE;
    for (uint32_t r = 0; r < in.rows; r++) {
        tw_run runs[] = { { out.at, 0, 1 }, { in.at + r * in.row, in.col, in.cols } };
        tw_vec_call(k, in.cols, runs);
    }
    if (largest < 8 * size) return TW_OK;
    return tw__pto_refuse(call, 2, "shift.count", "a shift by %llu bits of a %zu-bit element",
                          (unsigned long long)largest, 8 * size);
}

tw_status tw__pto_check_lanes(tw__pto_call *call)
{
    /* TAXPY alone may have a narrower source and scalar. */
    if (call->row->rules & TW__SAME_TYPE) return TW_OK;
    const tw_pto_tile *dst = tw__tile(call, 0), *a = tw__tile(call, 1);
    if (dst->type != a->type && !(dst->type == TW_F32 && a->type == TW_F16))
        return tw__pto_refuse(call, 1, "type.axpy", "source and dst have one type, or are f16 and f32");
    if (call->operand[2].scalar.type != a->type)
        return tw__pto_refuse(call, 2, "type.same", "the scalar has the type of the source");
    if (!tw__same(dst->valid_rows, a->valid_rows) || !tw__same(dst->valid_cols, a->valid_cols))
        return tw__pto_refuse(call, 1, "valid.same", "the valid regions of source and dst differ");
    return TW_OK;
}

/* One kernel on the operands in the order they stand: it is found once for calls that are alike. */
static tw_status run_plain(tw__pto_call *call)
{
    const tw__checked *seen = call->seen;
    const tw__plane *p = call->plane;
    tw_vec_op op = (tw_vec_op)call->row->op;
    if (seen->slot && seen->slot->key == seen->kernel)
        return tw__planes(call, &seen->slot->kernel, p->rows, p->cols, p, call->count);
    return tw__lanes_alone(call, op, mode_of(op));
}

static bool is_plain(const tw__pto_call *call, tw_vec_op op)
{
    bool shift = op == TW_VEC_SHL || op == TW_VEC_SHR;
    return call->seen && !*call->row->order && call->row->tmp == TW__TMP_NONE && !shift && op != TW_VEC_RECIP;
}

tw_status tw__pto_run_lanes(tw__pto_call *call)
{
    if (is_plain(call, (tw_vec_op)call->row->op)) return run_plain(call);
    tw__plane planes[TW_VEC_ARGS];
    unsigned count = sources(call, planes);
    tw_vec_op op = operation(call);
    uint32_t rows = planes[0].rows, cols = planes[0].cols;
    if (op == TW_VEC_SHL || op == TW_VEC_SHR || op == TW_VEC_SAR) {
        tw_status status = check_shift(call, &planes[2]);
        if (status != TW_OK) return status;
    }
    if (op == TW_VEC_RECIP && !tw__is_float(planes[0].type)) { /* 1 / a of integers truncates like TDIV */
        tw_pto_scalar one = tw_pto_scalar_of(planes[0].type, 1);
        tw__plane divide[] = { planes[0], tw__plane_scalar(&one), planes[1] };
        return tw__lanes(call, TW_VEC_DIV, NULL, rows, cols, divide, 3);
    }
    return tw__lanes(call, op, mode_of(op), rows, cols, planes, count);
}

tw_status tw__pto_check_lanes_relu(tw__pto_call *call)
{
    (void)call;
    return TW_OK;
}

tw_status tw__relu(tw__pto_call *call, tw__plane out, tw__plane in)
{
    return tw__lanes(call, TW_VEC_RELU, &first_nan, in.rows, in.cols, (tw__plane[]){ out, in }, 2);
}

tw_status tw__pto_run_lanes_relu(tw__pto_call *call)
{
    tw_status status = tw__pto_run_lanes(call);
    return status == TW_OK ? tw__relu(call, call->plane[0], call->plane[0]) : status;
}

/* --- max(a + b, 0) in a narrower type: f32 to f16, f16 to i8, i16 to i8 ----------------------------------------- */

tw_status tw__pto_check_relu_convert(tw__pto_call *call)
{
    tw_type to = tw__tile(call, 0)->type, from = tw__tile(call, 1)->type;
    if (tw__tile(call, 2)->type != from) return tw__pto_refuse(call, 2, "type.same", "both sources have one type");
    if (!((from == TW_F32 && to == TW_F16) || (from == TW_F16 && to == TW_I8) || (from == TW_I16 && to == TW_I8)))
        return tw__pto_refuse(call, 0, "type.pair", "dst is f16 for f32 sources and i8 for f16 and i16");
    for (unsigned i = 1; i < 3; i++)
        if (!tw__same(tw__tile(call, i)->valid_rows, tw__tile(call, 0)->valid_rows) ||
            !tw__same(tw__tile(call, i)->valid_cols, tw__tile(call, 0)->valid_cols))
            return tw__pto_refuse(call, i, "valid.same", "valid regions differ");
    return TW_OK;
}

tw_status tw__pto_run_relu_convert(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], sum = tw__plane_new(call->core, call->plane[1].type, dst.rows, dst.cols);
    if (!sum.at) return TW_E_NO_MEMORY;
    tw__plane add[] = { sum, call->plane[1], call->plane[2] }, convert[] = { dst, sum };
    tw_vec_mode saturate = { .saturation = TW_SAT_ON };
    tw_status status = tw__lanes(call, (tw_vec_op)call->row->op, NULL, dst.rows, dst.cols, add, 3);
    if (status == TW_OK) status = tw__relu(call, sum, sum);
    return status == TW_OK ? tw__lanes(call, TW_VEC_CONVERT, &saturate, dst.rows, dst.cols, convert, 2) : status;
}

/* TADDDEQRELU: sum of i32, as f32 times 2^-17, times scale, times 2^17, clamped at 0, to f16. */
tw_status tw__pto_check_dequant_relu(tw__pto_call *call)
{
    if (tw__tile(call, 0)->type != TW_F16) return tw__pto_refuse(call, 0, "type.pair", "dst is f16");
    if (tw__tile(call, 2)->type != TW_I32) return tw__pto_refuse(call, 2, "type.same", "both sources are i32");
    if (call->operand[3].scalar.type != TW_F32) return tw__pto_refuse(call, 3, "type.scale", "the scale is f32");
    for (unsigned i = 1; i < 3; i++)
        if (!tw__same(tw__tile(call, i)->valid_rows, tw__tile(call, 0)->valid_rows) ||
            !tw__same(tw__tile(call, i)->valid_cols, tw__tile(call, 0)->valid_cols))
            return tw__pto_refuse(call, i, "valid.same", "valid regions differ");
    return TW_OK;
}

tw_status tw__pto_run_dequant_relu(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], sum = tw__plane_new(call->core, TW_I32, dst.rows, dst.cols), real = sum;
    tw_pto_scalar down = tw_pto_f32(0x1p-17f), up = tw_pto_f32(0x1p17f);
    real.type = TW_F32;
    if (!sum.at) return TW_E_NO_MEMORY;
    tw__plane add[] = { sum, call->plane[1], call->plane[2] }, convert[] = { real, sum };
    tw__plane factors[] = { tw__plane_scalar(&down), call->plane[3], tw__plane_scalar(&up) };
    tw_status status = tw__lanes(call, TW_VEC_ADD, NULL, dst.rows, dst.cols, add, 3);
    if (status == TW_OK) status = tw__lanes(call, TW_VEC_CONVERT, NULL, dst.rows, dst.cols, convert, 2);
    for (int i = 0; status == TW_OK && i < 3; i++)
        status = tw__lanes(call, TW_VEC_MUL, NULL, dst.rows, dst.cols, (tw__plane[]){ real, real, factors[i] }, 3);
    if (status == TW_OK) status = tw__relu(call, real, real);
    tw_vec_mode saturate = { .saturation = TW_SAT_ON };
    return status == TW_OK
               ? tw__lanes(call, TW_VEC_CONVERT, &saturate, dst.rows, dst.cols, (tw__plane[]){ dst, real }, 2)
               : status;
}

/* --- sums of neighbours: dst[i, k] = a[i, 2k] + a[i, 2k + 1]; an odd last one stands alone ---------------------- */

tw_status tw__pto_check_pair_sum(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *a = tw__tile(call, 1);
    if (!tw__same(dst->valid_rows, a->valid_rows))
        return tw__pto_refuse(call, 0, "valid.rows", "dst and source have as many valid rows");
    if (a->valid_cols != TW_PTO_DYNAMIC && (a->valid_cols + 1) / 2 > dst->cols)
        return tw__pto_refuse(call, 0, "valid.cols", "%u sums per row do not fit dst's %u columns",
                              (a->valid_cols + 1) / 2, dst->cols);
    return TW_OK;
}

tw_status tw__pto_run_pair_sum(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], even = call->plane[1], odd = even;
    uint32_t pairs = even.cols / 2;
    odd.at += odd.col;
    even.col *= 2;
    odd.col *= 2;
    tw__plane sum = tw__plane_new(call->core, dst.type, dst.rows, pairs + 1);
    if (!sum.at) return TW_E_NO_MEMORY;
    tw__plane add[] = { sum, even, odd };
    tw_status status = tw__lanes(call, TW_VEC_ADD, NULL, dst.rows, pairs, add, 3);
    if (status == TW_OK && call->plane[1].cols % 2) {
        tw__plane last = tw__plane_part(call->plane[1], 0, dst.rows, call->plane[1].cols - 1, 1);
        tw__plane to = tw__plane_part(sum, 0, dst.rows, pairs, 1);
        status = tw__plane_copy(&to, &last);
        pairs++;
    }
    sum.cols = pairs;
    return status == TW_OK ? tw__plane_copy(&dst, &sum) : status;
}

/* --- TPART*: where both sources are valid the operation, else the valid one ------------------------------------- */

static bool equal_extents(const tw_pto_tile *a, const tw_pto_tile *b)
{
    return tw__same(a->valid_rows, b->valid_rows) && tw__same(a->valid_cols, b->valid_cols);
}

static tw_status check_parts(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *a = tw__tile(call, 1), *b = tw__tile(call, 2);
    if (!equal_extents(a, dst) && !equal_extents(b, dst))
        return tw__pto_refuse(call, 1, "part.full", "one source must have dst's valid region");
    for (unsigned i = 1; i <= 2; i++)
        if (!tw__at_most(tw__tile(call, i)->valid_rows, dst->valid_rows) ||
            !tw__at_most(tw__tile(call, i)->valid_cols, dst->valid_cols))
            return tw__pto_refuse(call, i, "part.within", "a source's valid region exceeds dst's");
    return TW_OK;
}

/* The source with the whole region, the corner both share. */
static unsigned full_source(const tw__pto_call *call)
{
    const tw__plane *d = &call->plane[0], *a = &call->plane[1];
    return a->rows == d->rows && a->cols == d->cols ? 1 : 2;
}

/* What lies right of and below the shared corner comes from the full source. */
static tw_status copy_rest(const tw__plane *dst, const tw__plane *full, uint32_t rows, uint32_t cols)
{
    tw_status status = TW_OK;
    if (dst->at == full->at) return TW_OK;
    tw__plane right = tw__plane_part(*full, 0, rows, cols, dst->cols - cols),
              to = tw__plane_part(*dst, 0, rows, cols, dst->cols - cols);
    if (rows && dst->cols > cols) status = tw__plane_copy(&to, &right);
    tw__plane below = tw__plane_part(*full, rows, dst->rows - rows, 0, dst->cols);
    to = tw__plane_part(*dst, rows, dst->rows - rows, 0, dst->cols);
    return status == TW_OK && dst->rows > rows && dst->cols ? tw__plane_copy(&to, &below) : status;
}

tw_status tw__pto_check_part(tw__pto_call *call)
{
    return check_parts(call);
}

tw_status tw__pto_run_part(tw__pto_call *call)
{
    unsigned full = full_source(call);
    const tw__plane *dst = &call->plane[0], *less = &call->plane[3 - full];
    tw_vec_op op = (tw_vec_op)call->row->op;
    tw_status status = tw__lanes(call, op, mode_of(op), less->rows, less->cols, call->plane, 3);
    return status == TW_OK ? copy_rest(dst, &call->plane[full], less->rows, less->cols) : status;
}

tw_status tw__pto_check_part_arg(tw__pto_call *call)
{
    const tw_pto_tile *index = tw__tile(call, 3);
    tw_status status = check_parts(call);
    if (status != TW_OK) return status;
    size_t size = tw_type_size(index->type);
    bool known = index->type == TW_I16 || index->type == TW_U16 || index->type == TW_I32 || index->type == TW_U32;
    if (!known || (tw__tile(call, 0)->type == TW_F32 && size != 4))
        return tw__pto_refuse(call, 3, "type.index",
                              "indexes are i16, u16, i32 or u32; 32-bit ones for f32 values");
    for (unsigned i = 4; i < 6; i++)
        if (tw__tile(call, i)->type != index->type || !equal_extents(tw__tile(call, i), tw__tile(call, i - 3)))
            return tw__pto_refuse(call, i, "part.index",
                                  "indexes have one type and the valid regions of their values");
    if (!equal_extents(index, tw__tile(call, 0)))
        return tw__pto_refuse(call, 3, "part.index", "dst's indexes have the valid region of dst");
    return TW_OK;
}

tw_status tw__pto_run_part_arg(tw__pto_call *call)
{
    unsigned full = full_source(call);
    const tw__plane *less = &call->plane[3 - full], *p = call->plane;
    tw__plane take = tw__plane_new(call->core, TW_BOOL, less->rows, less->cols);
    if (!take.at) return TW_E_NO_MEMORY;
    tw__plane compare[] = { take, p[1], p[2] }, values[] = { p[0], take, p[1], p[2] },
              indexes[] = { p[3], take, p[4], p[5] };
    tw_status status = tw__lanes(call, (tw_vec_op)call->row->op, NULL, less->rows, less->cols, compare, 3);
    if (status == TW_OK) status = tw__lanes(call, TW_VEC_SELECT, NULL, less->rows, less->cols, indexes, 4);
    if (status == TW_OK) status = tw__lanes(call, TW_VEC_SELECT, NULL, less->rows, less->cols, values, 4);
    if (status == TW_OK) status = copy_rest(&p[0], &p[full], less->rows, less->cols);
    return status == TW_OK ? copy_rest(&p[3], &p[3 + full], less->rows, less->cols) : status;
}
