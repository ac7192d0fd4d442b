/* SPDX-License-Identifier: MIT */
/* check_tmp: what A2/A3 ask of the scratch tile of an instruction (columns "tmp" of the manual). A5 takes
 * any tmp, but
 * for TSORT32, TMRGSORT of lists and TMOV to Zz; profile cpu any. Extents that are not known yet count as zero. */
#include "pto/pto.h"

static size_t check_tmp_known(uint32_t extent)
{
    return extent == TW_PTO_DYNAMIC ? 0 : extent;
}

static size_t up(size_t n, size_t step)
{
    return (n + step - 1) / step * step;
}

static size_t ceil_div(size_t n, size_t by)
{
    return (n + by - 1) / by;
}

static const char *check_tmp_type_text(tw_type type)
{
    return tw_type_name(type, TW_SYSTEM_PTO);
}

static tw_status at_least(tw__pto_call *call, unsigned i, size_t need)
{
    size_t have = tw_pto_tile_bytes(tw__tile(call, i));
    if (have >= need) return TW_OK;
    return tw__pto_refuse(call, i, "tmp.size", "tmp has %zu bytes and needs %zu", have, need);
}

static tw_status of_type(tw__pto_call *call, unsigned i, tw_type type)
{
    if (tw__tile(call, i)->type == type) return TW_OK;
    return tw__pto_refuse(call, i, "tmp.type", "tmp must be %s", check_tmp_type_text(type));
}

/* A type, and room for dst's valid region. */
static tw_status covers(tw__pto_call *call, unsigned i, tw_type type)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *tmp = tw__tile(call, i);
    if (tmp->type == type && tw__at_most(dst->valid_rows, tmp->rows) && tw__at_most(dst->valid_cols, tmp->cols))
        return TW_OK;
    return tw__pto_refuse(call, i, "tmp.same", "tmp must be %s and hold dst's valid region",
                          check_tmp_type_text(type));
}

static tw_status check_ci(tw__pto_call *call, unsigned i)
{
    const tw_pto_tile *tmp = tw__tile(call, i);
    size_t need = tw_type_size(tw__tile(call, 0)->type) == 4 ? 768 : 1792, have = tw_pto_tile_bytes(tmp);
    if (tmp->type != TW_F32 && tmp->type != TW_I32 && tmp->type != TW_U32)
        return tw__pto_refuse(call, i, "tci.tmp-type", "tmp is %s; a type of 4 bytes is needed (f32, i32 or u32)",
                              check_tmp_type_text(tmp->type));
    if (have < need)
        return tw__pto_refuse(call, i, "tci.tmp-size", "tmp has %zu bytes; %s elements need %zu", have,
                              need == 768 ? "32-bit" : "16-bit", need);
    return TW_OK;
}

/* A row of dst's type with so many columns. */
static tw_status check_columns(tw__pto_call *call, unsigned i, size_t need)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *tmp = tw__tile(call, i);
    size_t size = tw_type_size(dst->type);
    tw_status status = of_type(call, i, dst->type);
    if (status != TW_OK || tmp->cols >= need) return status;
    return tw__pto_refuse(call, i, "tmp.size", "rows of tmp have %zu bytes and need %zu", tmp->cols * size,
                          need * size);
}

static tw_status check_bytes(tw__pto_call *call, unsigned i)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *tmp = tw__tile(call, i);
    if (tmp->type != TW_U8 || tmp->blayout != TW_PTO_ROW_MAJOR)
        return tw__pto_refuse(call, i, "tmp.type", "tmp must be u8 and row-major");
    if (tmp->valid_rows != TW_PTO_DYNAMIC && dst->valid_rows != TW_PTO_DYNAMIC &&
        tmp->valid_rows <= dst->valid_rows)
        return tw__pto_refuse(call, i, "tmp.rows", "tmp needs more than dst's %u valid rows", dst->valid_rows);
    return TW_OK;
}

/* TCVT that wraps: f32 to i16, f16 to i16, f16 to i8; SS is the row stride of the source in
 * elements. */
static size_t convert_bytes(const tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    size_t r = check_tmp_known(dst->valid_rows), c = check_tmp_known(dst->valid_cols),
           stride = src->base_cols ? src->base_cols : src->cols;
    if (!tw__pto_convert_wraps(call)) return 0;
    if (src->type == TW_F32 && dst->type == TW_I16) {
        size_t whole = 256 * (c / 64 < 255 ? c / 64 : 255), rows = (r < 255 ? r : 255);
        size_t rest = c % 64 && rows ? 32 * ((rows - 1) * stride / 8 + ceil_div(c % 64, 8)) : 0;
        return whole > rest ? whole : rest;
    }
    size_t few = c < 64 ? c : 64, to_i16 = 32 * ceil_div(few, 8), to_i8 = 128 + 32 * ceil_div(few, 16);
    if (src->type == TW_F16 && dst->type == TW_I16) return to_i16;
    return src->type == TW_F16 && dst->type == TW_I8 ? (to_i16 > to_i8 ? to_i16 : to_i8) : 0;
}

/* Rows: values and indexes of stages, each a register of 256 bytes to one element. */
static tw_status check_row_arg(tw__pto_call *call, unsigned i)
{
    const tw_pto_tile *src = tw__tile(call, (unsigned)tw__letter(call->row, 'a')), *tmp = tw__tile(call, i);
    size_t size = tw_type_size(src->type), per = 256 / size, n = check_tmp_known(src->valid_cols), elements = 0;
    bool both = call->row->form[0] == 'd';
    if (n <= per && !both) return TW_OK;
    do {
        n = ceil_div(n, per);
        elements += 2 * n;
    } while (n > per);
    if (!tw__at_most(src->valid_rows, tmp->rows))
        return tw__pto_refuse(call, i, "tmp.rows", "tmp has %u rows and needs the source's %u", tmp->rows,
                              src->valid_rows);
    size_t row = tmp->cols * tw_type_size(tmp->type);
    if (row >= elements * size) return TW_OK;
    return tw__pto_refuse(call, i, "tmp.size", "rows of tmp have %zu bytes and need %zu", row, elements * size);
}

/* Three regions for indexes of f16 alone; of the others at least one is certain. */
static size_t column_arg_bytes(const tw__pto_call *call)
{
    const tw_pto_tile *src = tw__tile(call, (unsigned)tw__letter(call->row, 'a'));
    size_t size = tw_type_size(src->type), row = check_tmp_known(src->valid_cols) * size;
    size_t region = row >= 256 ? 256 : up(row, 32);
    return region * (src->type == TW_F16 && call->row->form[0] == 'e' ? 3 : 1);
}

static size_t row_reduce_bytes(const tw__pto_call *call)
{
    const tw_pto_tile *src = tw__tile(call, 1);
    bool none = tw__is_float(src->type) && call->row->op != TW_VEC_PROD &&
                check_tmp_known(src->valid_cols) * tw_type_size(src->type) <= 256;
    return none ? 0 : 32;
}

static tw_status check_sort(tw__pto_call *call, unsigned i)
{
    const tw_pto_tile *src = tw__tile(call, 1);
    size_t size = tw_type_size(src->type), c = check_tmp_known(src->valid_cols),
           limit = call->target == TW_PTO_A5 ? c * size : c;
    tw_status status = of_type(call, i, src->type);
    return status == TW_OK ? at_least(call, i, size * (limit <= 8160 ? up(c, 32) : 32)) : status;
}

static tw_status check_merge(tw__pto_call *call, unsigned i)
{
    size_t sum = 0;
    for (unsigned l = 3; l < call->count; l++) sum += check_tmp_known(tw__tile(call, l)->valid_cols);
    if (tw__tile(call, i)->cols >= sum) return TW_OK;
    return tw__pto_refuse(call, i, "tmp.size", "tmp has %u columns and the lists %zu", tw__tile(call, i)->cols,
                          sum);
}

static size_t transpose_bytes(const tw__pto_call *call)
{
    const tw_pto_tile *src = tw__tile(call, 1);
    size_t size = tw_type_size(src->type);
    return src->conv ? 0
                     : check_tmp_known(src->valid_cols) *
                           up(check_tmp_known(src->valid_rows), size == 1 ? 32 : 16) * size;
}

static tw_status check_a2a3(tw__pto_call *call, unsigned i)
{
    const tw_pto_tile *dst = tw__tile(call, 0);
    size_t size = tw_type_size(dst->type), rows = check_tmp_known(dst->valid_rows);
    switch ((tw__pto_tmp)call->row->tmp) {
    case TW__TMP_NONE:
    case TW__TMP_ANY:
    case TW__TMP_ZZ: return TW_OK;
    case TW__TMP_SAME: return covers(call, i, dst->type);
    case TW__TMP_POW: return tw__is_float(dst->type) ? covers(call, i, dst->type) : TW_OK;
    case TW__TMP_I32: return covers(call, i, TW_I32);
    case TW__TMP_QUANT: return covers(call, i, TW_F32);
    case TW__TMP_ROW: return check_columns(call, i, dst->cols);
    case TW__TMP_REM: return check_columns(call, i, dst->cols + 2 * ceil_div(dst->cols, 64));
    case TW__TMP_CI: return check_ci(call, i);
    case TW__TMP_SEL: {
        tw_status status = of_type(call, i, TW_U32);
        return status == TW_OK ? at_least(call, i, rows * (size == 2 ? 16 : 8)) : status;
    }
    case TW__TMP_BYTES: return check_bytes(call, i);
    case TW__TMP_BLOCK: return at_least(call, i, 32);
    case TW__TMP_ONE: return of_type(call, i, dst->type);
    case TW__TMP_CVT: return at_least(call, i, convert_bytes(call));
    case TW__TMP_ROWRED: return at_least(call, i, row_reduce_bytes(call));
    case TW__TMP_ROWARG: return check_row_arg(call, i);
    case TW__TMP_COLARG: return at_least(call, i, column_arg_bytes(call));
    case TW__TMP_COLSUM: {
        const tw_pto_tile *src = tw__tile(call, 1);
        if (!call->attrs->binary) return TW_OK;
        tw_status status = of_type(call, i, src->type);
        return status == TW_OK ? at_least(call, i,
                                          ceil_div(check_tmp_known(src->valid_rows), 2) *
                                              check_tmp_known(src->valid_cols) * size)
                               : status;
    }
    case TW__TMP_EXPAND: return at_least(call, i, rows < 256 ? ceil_div(rows, 8) * 256 : 7680);
    case TW__TMP_TRANS: return at_least(call, i, transpose_bytes(call));
    case TW__TMP_INDEX: return at_least(call, i, tw_pto_tile_bytes(tw__tile(call, 2)));
    case TW__TMP_FIND: {
        const tw_pto_tile *src = tw__tile(call, 1);
        size_t elements = (size_t)src->rows * src->cols;
        return at_least(call, i,
                        (size_t)dst->rows * dst->cols + elements * 4 + src->rows * tw_type_size(src->type));
    }
    case TW__TMP_SORT: return check_sort(call, i);
    case TW__TMP_MERGE: return check_merge(call, i);
    }
    return TW_OK;
}

tw_status tw__pto_check_tmp(tw__pto_call *call)
{
    int at = tw__letter(call->row, 't');
    if (at < 0 || call->target == TW_PTO_CPU) return TW_OK;
    if (call->target == TW_PTO_A2A3) return check_a2a3(call, (unsigned)at);
    if (call->row->tmp == TW__TMP_SORT) return check_sort(call, (unsigned)at);
    if (call->row->tmp == TW__TMP_MERGE) return check_merge(call, (unsigned)at);
    if (call->row->tmp == TW__TMP_ZZ && !call->attrs->axis) {
        const tw_pto_tile *src = tw__tile(call, 1); /* one exponent for 32 columns */
        return at_least(call, (unsigned)at,
                        2 * (32 + ceil_div(check_tmp_known(src->valid_rows), 16) *
                                      ceil_div(check_tmp_known(src->valid_cols), 2)));
    }
    return TW_OK;
}
