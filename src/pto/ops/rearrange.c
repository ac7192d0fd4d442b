/* SPDX-License-Identifier: MIT */
/* rearrange: transposing, padding, columns side by side, streams zipped and unzipped, low bits (the manual,
 * 3.1). */
#include "pto/pto.h"

tw_status tw__pto_check_transpose(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    if (dst->conv || src->conv) return tw__conv_check_transpose(call);
    if (call->target != TW_PTO_CPU && (src->blayout != TW_PTO_ROW_MAJOR || tw__tile_boxed(src)))
        return tw__pto_refuse(call, 1, "layout.row-major", "the source must be row-major");
    if (!tw__at_most(src->valid_cols, dst->rows) || !tw__at_most(src->valid_rows, dst->cols))
        return tw__pto_refuse(call, 0, "trans.extents", "%u x %u transposed does not fit dst's %u x %u",
                              src->valid_rows, src->valid_cols, dst->rows, dst->cols);
    return TW_OK;
}

tw_status tw__pto_run_transpose(tw__pto_call *call)
{
    tw__plane src = call->plane[1], turned = src;
    if (tw__tile(call, 0)->conv) return tw__conv_transpose(call);
    turned.rows = src.cols;
    turned.cols = src.rows;
    turned.row = src.col;
    turned.col = src.row;
    tw_status status = tw__plane_apart(call, 1, &turned);
    return status == TW_OK ? tw__plane_copy(&call->plane[0], &turned) : status;
}

/* --- padding ---------------------------------------------------------------------------------------------------- */

tw_status tw__pto_check_fill_pad(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    bool expand = strcmp(call->row->name, "TFILLPAD_EXPAND") == 0;
    if (dst->location != src->location || (dst->location != TW_PTO_VEC && dst->location != TW_PTO_MAT))
        return tw__pto_refuse(call, 0, "location.fill", "both lie in vector memory, or in L1");
    for (unsigned i = 0; dst->location == TW_PTO_VEC && i < 2; i++) {
        tw_status status = tw__pto_check_row_major(call, i);
        if (status != TW_OK) return status;
    }
    if (dst->location == TW_PTO_VEC && dst->pad == TW_PTO_PAD_NULL)
        return tw__pto_refuse(call, 0, "pad.null", "dst has no pad value");
    if (dst->location == TW_PTO_MAT && dst->pad > TW_PTO_PAD_ZERO)
        return tw__pto_refuse(call, 0, "pad.mat", "tiles in L1 are padded with zero");
    if (dst->location == TW_PTO_MAT && call->target != TW_PTO_CPU &&
        !(tw__tile_boxed(dst) && dst->blayout == TW_PTO_COL_MAJOR))
        return tw__pto_refuse(call, 0, "pad.nz", "tiles in L1 have Nz boxes");
    if (expand ? dst->rows < src->rows || dst->cols < src->cols : dst->rows != src->rows || dst->cols != src->cols)
        return tw__pto_refuse(call, 0, "pad.extents", expand ? "dst is smaller than the source" : "extents differ");
    return TW_OK;
}

tw_status tw__pto_run_fill_pad(tw__pto_call *call)
{
    tw__plane src = call->plane[1], all = tw__plane_physical(call, 0);
    uint64_t pad = tw__pad_bits(all.type, tw__tile(call, 0)->pad);
    tw__plane right = tw__plane_part(all, 0, src.rows, src.cols, all.cols - src.cols);
    tw__plane below = tw__plane_part(all, src.rows, all.rows - src.rows, 0, all.cols);
    bool in_place = all.at == src.at && all.row == src.row && all.col == src.col;
    tw_status status = in_place ? TW_OK : tw__plane_apart(call, 1, &src);
    if (status == TW_OK && !in_place) status = tw__plane_copy(&all, &src);
    if (status == TW_OK && right.cols) status = tw__plane_fill(call, &right, &pad);
    return status == TW_OK && below.rows ? tw__plane_fill(call, &below, &pad) : status;
}

/* --- columns side by side, streams zipped and unzipped ---------------------------------------------------------- */

tw_status tw__pto_check_concat(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *a = tw__tile(call, 1), *b = tw__tile(call, 2);
    if (!tw__same(a->valid_rows, dst->valid_rows) || !tw__same(b->valid_rows, dst->valid_rows))
        return tw__pto_refuse(call, 0, "concat.rows", "sources and dst have as many valid rows");
    if (a->valid_cols == TW_PTO_DYNAMIC || b->valid_cols == TW_PTO_DYNAMIC) return TW_OK;
    uint32_t sum = a->valid_cols + b->valid_cols;
    if (call->target == TW_PTO_A5 ? !tw__same(sum, dst->valid_cols) : sum > dst->cols)
        return tw__pto_refuse(call, 0, "concat.cols", "%u columns side by side and dst's %u", sum, dst->valid_cols);
    return TW_OK;
}

tw_status tw__pto_run_concat(tw__pto_call *call)
{
    tw__plane dst = tw__plane_physical(call, 0), a = call->plane[1], b = call->plane[2];
    dst.rows = a.rows;
    tw__plane right = tw__plane_part(dst, 0, b.rows, a.cols, b.cols);
    tw_status status = tw__plane_apart(call, 1, &a);
    if (status == TW_OK) status = tw__plane_apart(call, 2, &b);
    if (status == TW_OK) status = tw__plane_copy(&dst, &a);
    return status == TW_OK ? tw__plane_copy(&right, &b) : status;
}

/* A count of columns per row, in the first column of an index tile. */
static tw_status rearrange_check_counts(tw__pto_call *call, unsigned i, const tw_pto_tile *dst)
{
    const tw_pto_tile *x = tw__tile(call, i);
    if (x->type != TW_I16 && x->type != TW_U16 && x->type != TW_I32 && x->type != TW_U32)
        return tw__pto_refuse(call, i, "type.index", "counts are integers of 16 or 32 bits");
    if (!tw__same(x->valid_rows, dst->valid_rows) || x->valid_cols == 0)
        return tw__pto_refuse(call, i, "concat.counts", "a count for each of dst's rows is needed");
    return TW_OK;
}

tw_status tw__pto_check_concat_counts(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0);
    for (unsigned i = 1; i <= 2; i++)
        if (!tw__same(tw__tile(call, i)->valid_rows, dst->valid_rows))
            return tw__pto_refuse(call, i, "concat.rows", "sources and dst have as many valid rows");
    for (unsigned i = 3; i < call->count; i++) {
        tw_status status = rearrange_check_counts(call, i, dst);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

static uint32_t count_at(const tw__plane *x, uint32_t row)
{
    const unsigned char *at = x->at + (ptrdiff_t)row * x->row;
    uint32_t wide = 0;
    memcpy(&wide, at, tw_type_size(x->type)); /* negative ones of 16 bits: refused as too large */
    return wide;
}

/* Operands: dst, a, b, [counts of dst,] counts of a, of b. Nothing is written when a count does not fit. */
tw_status tw__pto_run_concat_counts(tw__pto_call *call)
{
    tw__plane dst = tw__plane_physical(call, 0), a = call->plane[1], b = call->plane[2];
    unsigned x = call->count - 2;
    const tw__plane *first = &call->plane[x], *second = &call->plane[x + 1], *sums = x > 3 ? &call->plane[3] : NULL;
    for (uint32_t r = 0; r < a.rows; r++) {
        uint64_t n = count_at(first, r), m = count_at(second, r);
        if (n > a.cols || m > b.cols || n + m > dst.cols)
            return tw__pto_refuse(call, n > a.cols ? x : x + 1, "concat.count",
                                  "row %u: %llu of %u and %llu of %u columns for dst's %u", r,
                                  (unsigned long long)n, a.cols, (unsigned long long)m, b.cols, dst.cols);
    }
    tw_status apart = tw__plane_apart(call, 1, &a);
    if (apart == TW_OK) apart = tw__plane_apart(call, 2, &b);
    if (apart != TW_OK) return apart;
    for (uint32_t r = 0; r < a.rows; r++) {
        uint32_t n = count_at(first, r), m = count_at(second, r), sum = n + m;
        tw__plane from = tw__plane_part(a, r, 1, 0, n), to = tw__plane_part(dst, r, 1, 0, n);
        tw_status status = n ? tw__plane_copy(&to, &from) : TW_OK;
        from = tw__plane_part(b, r, 1, 0, m);
        to = tw__plane_part(dst, r, 1, n, m);
        if (status == TW_OK && m) status = tw__plane_copy(&to, &from);
        if (status != TW_OK) return status;
        if (sums) memcpy(sums->at + (ptrdiff_t)r * sums->row, &sum, tw_type_size(sums->type));
    }
    return TW_OK;
}

static tw_status check_zip(tw__pto_call *call)
{
    const tw_pto_tile *first = tw__tile(call, 0);
    if (call->count == 4 && first->valid_cols != TW_PTO_DYNAMIC && first->valid_cols % 2)
        return tw__pto_refuse(call, 0, "interleave.even", "an even number of valid columns is needed");
    for (unsigned i = 1; i < call->count; i++)
        if (!tw__same(tw__tile(call, i)->valid_rows, first->valid_rows) ||
            (call->count == 4 && !tw__same(tw__tile(call, i)->valid_cols, first->valid_cols)) ||
            tw__tile(call, i)->type != first->type)
            return tw__pto_refuse(call, i, "valid.same", "types and valid regions are equal");
    return TW_OK;
}

tw_status tw__pto_check_interleave(tw__pto_call *call)
{
    return check_zip(call);
}

/* Operands: second half, first half, s1, s0; the stream is s0[0] s1[0] s0[1] .... */
tw_status tw__pto_run_interleave(tw__pto_call *call)
{
    uint32_t rows = call->plane[0].rows, cols = call->plane[0].cols;
    tw__plane stream = tw__plane_new(call->core, call->plane[0].type, rows, 2 * cols), even = stream, odd;
    if (!stream.at) return TW_E_NO_MEMORY;
    even.cols = cols;
    even.col *= 2;
    odd = even;
    odd.at += stream.col;
    tw_status status = tw__plane_copy(&even, &call->plane[3]);
    if (status == TW_OK) status = tw__plane_copy(&odd, &call->plane[2]);
    tw__plane low = tw__plane_part(stream, 0, rows, 0, cols), high = tw__plane_part(stream, 0, rows, cols, cols);
    if (status == TW_OK) status = tw__plane_copy(&call->plane[1], &low);
    return status == TW_OK ? tw__plane_copy(&call->plane[0], &high) : status;
}

static tw_status unzip(tw__pto_call *call, const tw__plane *stream)
{
    tw__plane even = *stream, odd;
    even.cols = stream->cols / 2;
    even.col *= 2;
    odd = even;
    odd.at += stream->col;
    tw_status status = tw__plane_copy(&call->plane[1], &even);
    return status == TW_OK ? tw__plane_copy(&call->plane[0], &odd) : status;
}

tw_status tw__pto_check_deinterleave(tw__pto_call *call)
{
    return check_zip(call);
}

tw_status tw__pto_run_deinterleave(tw__pto_call *call)
{
    uint32_t rows = call->plane[0].rows, cols = call->plane[0].cols;
    tw__plane stream = tw__plane_new(call->core, call->plane[0].type, rows, 2 * cols);
    if (!stream.at) return TW_E_NO_MEMORY;
    tw__plane low = tw__plane_part(stream, 0, rows, 0, cols), high = tw__plane_part(stream, 0, rows, cols, cols);
    tw_status status = tw__plane_copy(&low, &call->plane[3]);
    if (status == TW_OK) status = tw__plane_copy(&high, &call->plane[2]);
    return status == TW_OK ? unzip(call, &stream) : status;
}

tw_status tw__pto_check_deinterleave1(tw__pto_call *call)
{
    const tw_pto_tile *src = tw__tile(call, 2);
    for (unsigned i = 0; i < 2; i++)
        if (src->valid_cols != TW_PTO_DYNAMIC && !tw__same(tw__tile(call, i)->valid_cols, src->valid_cols / 2))
            return tw__pto_refuse(call, i, "interleave.half", "dst has half of the source's valid columns");
    if (call->target == TW_PTO_A5 && src->cols * tw_type_size(src->type) < 512)
        return tw__pto_refuse(call, 2, "interleave.row", "rows of the source have at least 512 bytes");
    return src->valid_cols % 2 && src->valid_cols != TW_PTO_DYNAMIC
               ? tw__pto_refuse(call, 2, "interleave.even", "an even number of valid columns is needed")
               : check_zip(call);
}

tw_status tw__pto_run_deinterleave1(tw__pto_call *call)
{
    tw__plane src = call->plane[2], stream = tw__plane_new(call->core, src.type, src.rows, src.cols);
    if (!stream.at) return TW_E_NO_MEMORY;
    tw_status status = tw__plane_copy(&stream, &src);
    return status == TW_OK ? unzip(call, &stream) : status;
}

/* TPACK: low bits, 4 to 2, 4 to 1 or 2 to 1 bytes. */
tw_status tw__pto_check_pack(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    if (tw_type_size(dst->type) >= tw_type_size(src->type))
        return tw__pto_refuse(call, 0, "pack.width", "dst's elements are narrower than the source's");
    if (!tw__same(dst->valid_rows, src->valid_rows) || !tw__same(dst->valid_cols, src->valid_cols))
        return tw__pto_refuse(call, 1, "valid.same", "valid regions differ");
    return TW_OK;
}

tw_status tw__pto_run_pack(tw__pto_call *call)
{
    static const tw_type bits[] = { [1] = TW_U8, [2] = TW_U16, [4] = TW_U32 };
    tw__plane p[] = { call->plane[0], call->plane[1] };
    for (int i = 0; i < 2; i++) p[i].type = bits[tw_type_size(p[i].type)];
    return tw__lanes(call, TW_VEC_CONVERT, NULL, p[0].rows, p[0].cols, p, 2);
}
