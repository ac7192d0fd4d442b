/* SPDX-License-Identifier: MIT */
/* quant: 8-bit values with a scale (and offset) per row, and counts of byte values. */
#include "pto/pto.h"

/* One f32 per row. */
static tw_status check_parameter(tw__pto_call *call, unsigned i, const tw_pto_tile *src)
{
    const tw_pto_tile *p = tw__tile(call, i);
    if (p->type != TW_F32) return tw__pto_refuse(call, i, "quant.parameter", "parameters are f32");
    if (!tw__at_most(src->valid_rows, p->rows))
        return tw__pto_refuse(call, i, "quant.rows", "one parameter per row is needed");
    return TW_OK;
}

static tw_status check_values(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    if (!tw__same(dst->valid_rows, src->valid_rows) || !tw__same(dst->valid_cols, src->valid_cols))
        return tw__pto_refuse(call, 1, "valid.same", "the valid regions of source and dst differ");
    int offset = tw__letter(call->row, 'h');
    tw_status status = check_parameter(call, 2, src);
    return status == TW_OK && offset >= 0 ? check_parameter(call, (unsigned)offset, src) : status;
}

static tw__plane per_row(const tw__pto_call *call, unsigned i)
{
    tw__plane p = tw__plane_physical(call, i);
    p.col = 0;
    return p;
}

tw_status tw__pto_check_quant(tw__pto_call *call)
{
    bool asymmetric = tw__letter(call->row, 'h') >= 0;
    tw_type want = asymmetric ? TW_U8 : TW_I8;
    if (call->attrs->quant && !asymmetric)
        return tw__pto_refuse(call, TW__NO_OPERAND, "quant.offset", "int8_asym needs an offset");
    if (tw__tile(call, 0)->type != want)
        return tw__pto_refuse(call, 0, "quant.type", "dst is i8, or u8 with an offset");
    return check_values(call);
}

/* The parameter multiplies: it is the reciprocal of the scale (the manual). */
tw_status tw__pto_run_quant(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], real = tw__plane_new(call->core, TW_F32, dst.rows, dst.cols);
    tw_vec_mode saturate = { .saturation = TW_SAT_ON };
    int offset = tw__letter(call->row, 'h');
    if (!real.at) return TW_E_NO_MEMORY;
    tw_status status = tw__lanes(call, TW_VEC_MUL, NULL, dst.rows, dst.cols,
                                 (tw__plane[]){ real, call->plane[1], per_row(call, 2) }, 3);
    if (status == TW_OK && offset >= 0)
        status = tw__lanes(call, TW_VEC_ADD, NULL, dst.rows, dst.cols,
                           (tw__plane[]){ real, real, per_row(call, (unsigned)offset) }, 3);
    return status == TW_OK
               ? tw__lanes(call, TW_VEC_CONVERT, &saturate, dst.rows, dst.cols, (tw__plane[]){ dst, real }, 2)
               : status;
}

tw_status tw__pto_check_dequant(tw__pto_call *call)
{
    if (tw__tile(call, 0)->type != TW_F32) return tw__pto_refuse(call, 0, "quant.type", "dst is f32");
    return check_values(call);
}

tw_status tw__pto_run_dequant(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], real = tw__plane_new(call->core, TW_F32, dst.rows, dst.cols);
    if (!real.at) return TW_E_NO_MEMORY;
    tw_status status =
        tw__lanes(call, TW_VEC_CONVERT, NULL, dst.rows, dst.cols, (tw__plane[]){ real, call->plane[1] }, 2);
    if (status == TW_OK)
        status =
            tw__lanes(call, TW_VEC_SUB, NULL, dst.rows, dst.cols, (tw__plane[]){ real, real, per_row(call, 3) }, 3);
    return status == TW_OK ? tw__lanes(call, TW_VEC_MUL, NULL, dst.rows, dst.cols,
                                       (tw__plane[]){ dst, real, per_row(call, 2) }, 3)
                           : status;
}

/* --- THISTOGRAM: byte k of each element, where all higher bytes equal those in idx ------------------------------ */

enum { BINS = 256 };

tw_status tw__pto_check_histogram(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1), *x = tw__tile(call, 2);
    size_t size = tw_type_size(src->type);
    if (dst->type != TW_U32 || dst->cols < BINS)
        return tw__pto_refuse(call, 0, "histogram.dst", "dst is u32 with 256 columns");
    if (x->type != TW_U8) return tw__pto_refuse(call, 2, "type.index", "indexes are u8");
    if (call->attrs->byte < 0 || (size_t)call->attrs->byte >= size)
        return tw__pto_refuse(call, TW__NO_OPERAND, "histogram.byte", "byte %d of an element of %zu",
                              call->attrs->byte, size);
    if (!tw__at_most(src->valid_rows, dst->rows))
        return tw__pto_refuse(call, 0, "histogram.rows", "a row of counts for each row is needed");
    size_t higher = size - 1 - (size_t)call->attrs->byte;
    bool fits = size == 2 ? higher == 0 || x->rows >= src->rows
                          : x->rows >= higher && (higher == 0 || x->cols >= src->rows);
    return fits ? TW_OK : tw__pto_refuse(call, 2, "histogram.index", "the higher bytes of each row are needed");
}

/* counts[byte b of element i] += 1 for the elements of a row whose higher bytes are higher[0] (highest), higher[1],
 * ... */
static tw_status count_bytes(tw__pto_call *call, const tw__plane *row, unsigned byte, const unsigned char *higher,
                             const tw__plane *counts, const tw__plane *two_flags, const tw__plane *ones)
{
    unsigned size = (unsigned)tw_type_size(row->type);
    tw__plane bytes = *row, flags = tw__plane_part(*two_flags, 0, 1, 0, row->cols),
              equal = tw__plane_part(*two_flags, 1, 1, 0, row->cols);
    static const unsigned char set = 1;
    tw_status status = tw__plane_fill(call, &flags, &set);
    bytes.type = TW_U8;
    for (unsigned b = byte + 1; status == TW_OK && b < size; b++) {
        tw_pto_scalar value = tw_pto_bits(TW_U8, higher[size - 1 - b]);
        bytes.at = row->at + b;
        status = tw__lanes(call, TW_VEC_EQ, NULL, 1, row->cols,
                           (tw__plane[]){ equal, bytes, tw__plane_scalar(&value) }, 3);
        if (status == TW_OK)
            status = tw__lanes(call, TW_VEC_AND, NULL, 1, row->cols, (tw__plane[]){ flags, flags, equal }, 3);
    }
    flags.type = TW_U8;
    if (status == TW_OK)
        status = tw__lanes(call, TW_VEC_CONVERT, NULL, 1, row->cols, (tw__plane[]){ *ones, flags }, 2);
    const tw_type types[] = { TW_U32, TW_U8, TW_U32 };
    const tw_vec_kernel *add = tw__pto_kernel(call->core, TW_VEC_SCATTER_ADD, types, NULL);
    if (status != TW_OK || !add) return status == TW_OK ? TW_E_TYPE : status;
    const tw_run runs[] = { { counts->at, 4, BINS },
                            { row->at + byte, row->col, row->cols },
                            { ones->at, 4, row->cols } };
    tw_vec_call(add, row->cols, runs);
    return TW_OK;
}

/* Higher bytes lie in rows, one column per row of the source (u32), or in one column (u16). */
tw_status tw__pto_run_histogram(tw__pto_call *call)
{
    tw__plane src = call->plane[1], x = tw__plane_physical(call, 2), dst = tw__plane_physical(call, 0);
    size_t size = tw_type_size(src.type);
    tw__plane row = tw__plane_new(call->core, src.type, 1, src.cols),
              counts = tw__plane_new(call->core, TW_U32, 1, BINS),
              flags = tw__plane_new(call->core, TW_BOOL, 2, src.cols),
              ones = tw__plane_new(call->core, TW_U32, 1, src.cols);
    if (!row.at || !counts.at || !flags.at || !ones.at) return TW_E_NO_MEMORY;
    unsigned byte = (unsigned)call->attrs->byte, higher = (unsigned)size - 1 - byte;
    for (uint32_t r = 0; r < src.rows; r++) {
        unsigned char bytes[4] = { 0 };
        for (unsigned h = 0; h < higher; h++) bytes[h] = size == 2 ? x.at[r * x.row] : x.at[h * x.row + r * x.col];
        tw__plane from = tw__plane_part(src, r, 1, 0, src.cols), to = tw__plane_part(dst, r, 1, 0, BINS);
        tw_status status = tw__plane_copy(&row, &from);
        if (status != TW_OK) return status;
        memset(counts.at, 0, BINS * sizeof(uint32_t));
        status = count_bytes(call, &row, byte, bytes, &counts, &flags, &ones);
        if (status == TW_OK) status = tw__plane_copy(&to, &counts);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}
