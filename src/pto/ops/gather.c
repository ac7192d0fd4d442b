/* SPDX-License-Identifier: MIT */
/* gather: elements by index, by mask pattern, by comparison, and the way back. */
#include "pto/pto.h"

static bool is_index(tw_type type)
{
    return type == TW_I16 || type == TW_U16 || type == TW_I32 || type == TW_U32;
}

/* All physical elements as one contiguous run in row-major order: where they lie, or a copy. */
static tw_status flat(tw__pto_call *call, unsigned i, tw__plane *out)
{
    *out = tw__plane_physical(call, i);
    ptrdiff_t size = (ptrdiff_t)tw_type_size(out->type);
    if (out->col == size && out->row == size * (ptrdiff_t)out->cols) return TW_OK;
    tw__plane from = *out;
    *out = tw__plane_new(call->core, from.type, from.rows, from.cols);
    return out->at ? tw__plane_copy(out, &from) : TW_E_NO_MEMORY;
}

tw_status tw__pto_check_gather(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *x = tw__tile(call, 2);
    if (!is_index(x->type) || (call->target == TW_PTO_A2A3 && tw_type_size(x->type) != 4))
        return tw__pto_refuse(call, 2, "type.index", "indexes are integers of 32 bits (16 too on a5)");
    if (!tw__same(x->valid_rows, dst->valid_rows) || !tw__same(x->valid_cols, dst->valid_cols))
        return tw__pto_refuse(call, 2, "index.same", "indexes and dst have one valid region");
    return TW_OK;
}

/* An index outside the source gives 0. */
static tw_status gather_take(tw__pto_call *call, tw_run table)
{
    tw__plane dst = call->plane[0], x = call->plane[2];
    const tw_type types[] = { dst.type, x.type, dst.type };
    const tw_vec_kernel *k =
        tw__pto_kernel(call->core, TW_VEC_GATHER, types, &(tw_vec_mode){ .bounds = TW_BOUNDS_SKIP });
    if (!k) return TW_E_TYPE;
    bool shared = tw__pto_shares(call, 0, 1) || tw__pto_shares(call, 0, 2);
    tw__plane out = shared ? tw__plane_new(call->core, dst.type, dst.rows, dst.cols) : dst;
    if (!out.at) return TW_E_NO_MEMORY;
    for (uint32_t r = 0; r < dst.rows; r++) {
        tw_run runs[] = { { out.at + r * out.row, out.col, 0 }, { x.at + r * x.row, x.col, 0 }, table };
        tw_vec_call(k, dst.cols, runs);
    }
    return shared ? tw__plane_copy(&dst, &out) : TW_OK;
}

tw_status tw__pto_run_gather(tw__pto_call *call)
{
    tw__plane table;
    tw_status status = flat(call, 1, &table);
    return status == TW_OK ? gather_take(call, (tw_run){ table.at, table.col, (size_t)table.rows * table.cols })
                           : status;
}

tw_status tw__pto_check_gather_bytes(tw__pto_call *call)
{
    if (tw__tile(call, 2)->type != TW_U32) return tw__pto_refuse(call, 2, "type.index", "offsets are u32");
    if (tw__tile_boxed(tw__tile(call, 1)))
        return tw__pto_refuse(call, 1, "layout.boxed", "the source must not be boxed");
    return tw__pto_check_gather(call);
}

/* Offsets in bytes: a table of elements that start at every byte. */
tw_status tw__pto_run_gather_bytes(tw__pto_call *call)
{
    size_t bytes = tw_pto_tile_bytes(tw__tile(call, 1)), size = tw_type_size(call->plane[0].type);
    if (tw__tile(call, 1)->base_rows)
        return tw__pto_refuse(call, 1, "layout.window", "the source must not be a window");
    return gather_take(call, (tw_run){ call->plane[1].at, 1, bytes - size + 1 });
}

/* --- mask patterns: every `step`-th column from `first` on ------------------------------------------------------ */

static const struct {
    uint32_t first, step;
} patterns[] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 0, 4 }, { 1, 4 }, { 2, 4 }, { 3, 4 }, { 0, 1 } };

/* Columns (rows) of a plane that the pattern keeps. */
static tw__plane kept(const tw__pto_call *call, tw__plane p)
{
    uint32_t mask = (uint32_t)call->attrs->mask & 7, first = patterns[mask].first, step = patterns[mask].step;
    uint32_t *extent = call->attrs->axis ? &p.rows : &p.cols;
    ptrdiff_t *stride = call->attrs->axis ? &p.row : &p.col;
    if (p.at && *extent > first) p.at += (ptrdiff_t)first * *stride; /* without memory: extents alone */
    *extent = *extent > first ? (*extent - first + step - 1) / step : 0;
    *stride *= step;
    return p;
}

static tw_status check_mask(tw__pto_call *call)
{
    if (call->attrs->mask < 1 || call->attrs->mask > 7)
        return tw__pto_refuse(call, TW__NO_OPERAND, "mask.pattern", "a mask pattern is needed (P0101 ... P1111)");
    return TW_OK;
}

tw_status tw__pto_check_gather_mask(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    tw_status status = check_mask(call);
    if (status != TW_OK) return status;
    if (dst->valid_cols != TW_PTO_DYNAMIC && dst->valid_cols != dst->cols)
        return tw__pto_refuse(call, 0, "gather.cols", "all of dst's columns must be valid");
    if (src->valid_rows == TW_PTO_DYNAMIC || src->valid_cols == TW_PTO_DYNAMIC || dst->valid_rows == TW_PTO_DYNAMIC)
        return TW_OK;
    tw__plane in = kept(call, (tw__plane){ .rows = src->valid_rows, .cols = src->valid_cols });
    if ((size_t)in.rows * in.cols > (size_t)dst->valid_rows * dst->cols)
        return tw__pto_refuse(call, 0, "gather.room", "%zu elements are kept and dst has %zu",
                              (size_t)in.rows * in.cols, (size_t)dst->valid_rows * dst->cols);
    return TW_OK;
}

/* Kept elements, packed over the whole destination. */
tw_status tw__pto_run_gather_mask(tw__pto_call *call)
{
    tw__plane in = kept(call, call->plane[1]), dst = call->plane[0],
              packed = tw__plane_new(call->core, in.type, in.rows, in.cols);
    size_t count = (size_t)in.rows * in.cols;
    if (!packed.at) return TW_E_NO_MEMORY;
    if (count == 0 || dst.cols == 0) return TW_OK;
    tw_status status = tw__plane_copy(&packed, &in);
    tw__plane rows = packed, to = dst;
    rows.rows = (uint32_t)(count / dst.cols);
    rows.cols = dst.cols;
    rows.row = rows.col * (ptrdiff_t)dst.cols;
    if (status == TW_OK && rows.rows) status = tw__plane_copy(&dst, &rows);
    uint32_t rest = (uint32_t)(count % dst.cols);
    to.at += (ptrdiff_t)rows.rows * dst.row;
    rows.at += (ptrdiff_t)rows.rows * rows.row;
    rows.rows = 1;
    rows.cols = rest;
    return status == TW_OK && rest ? tw__plane_copy(&to, &rows) : status;
}

tw_status tw__pto_check_scatter_mask(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    tw_status status = check_mask(call);
    if (status != TW_OK || src->valid_rows == TW_PTO_DYNAMIC || src->valid_cols == TW_PTO_DYNAMIC) return status;
    tw__plane out = kept(call, (tw__plane){ .rows = dst->rows, .cols = dst->cols });
    if (src->valid_rows > out.rows || src->valid_cols > out.cols)
        return tw__pto_refuse(call, 0, "scatter.room", "%u x %u elements spread out do not fit dst's %u x %u",
                              src->valid_rows, src->valid_cols, dst->rows, dst->cols);
    return TW_OK;
}

tw_status tw__pto_run_scatter_mask(tw__pto_call *call)
{
    static const uint64_t zero;
    tw__plane all = tw__plane_physical(call, 0), src = call->plane[1], to = kept(call, all);
    tw__plane copy = tw__plane_new(call->core, src.type, src.rows, src.cols);
    if (!copy.at) return TW_E_NO_MEMORY;
    tw_status status = tw__plane_copy(&copy, &src);
    if (status == TW_OK) status = tw__plane_fill(call, &all, &zero);
    return status == TW_OK ? tw__plane_copy(&to, &copy) : status;
}

/* --- indexes of the elements that compare, per row, and their number -------------------------------------------- */

tw_status tw__pto_check_gather_cmp(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1), *k = tw__tile(call, 2),
                      *counts = tw__tile(call, 3);
    if (dst->type != TW_I32 && dst->type != TW_U32)
        return tw__pto_refuse(call, 0, "type.index", "indexes are i32 or u32");
    if (k->type != src->type) return tw__pto_refuse(call, 2, "type.same", "k has the source's type");
    if (counts->type != TW_I32 && counts->type != TW_U32)
        return tw__pto_refuse(call, 3, "type.index", "counts are i32 or u32");
    if (call->attrs->cmp != TW_PTO_CMP_GT && call->attrs->cmp != TW_PTO_CMP_EQ)
        return tw__pto_refuse(call, TW__NO_OPERAND, "cmp.mode", "elements greater than k or equal to it are found");
    if (!tw__at_most(src->valid_rows, dst->rows) ||
        !tw__at_most(src->valid_rows, counts->rows > 1 ? counts->rows : counts->cols))
        return tw__pto_refuse(call, 0, "gather.rows", "dst and counts need a row for each row of the source");
    return TW_OK;
}

tw_status tw__pto_run_gather_cmp(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], src = call->plane[1], k = call->plane[2], counts = call->plane[3];
    tw__plane flags = tw__plane_new(call->core, TW_BOOL, 1, src.cols),
              numbers = tw__plane_new(call->core, TW_U32, 1, src.cols);
    if (!flags.at || !numbers.at) return TW_E_NO_MEMORY;
    static const tw_type keep_types[] = { TW_U32, TW_U32, TW_BOOL };
    tw_pto_scalar first = tw_pto_bits(TW_U32, (uint32_t)call->attrs->offset), one = tw_pto_bits(TW_U32, 1);
    tw__plane iota[] = { numbers, tw__plane_scalar(&first), tw__plane_scalar(&one) };
    tw_status made = tw__lanes(call, TW_VEC_IOTA, NULL, 1, src.cols, iota, 3);
    if (made != TW_OK) return made;
    tw_vec_op op = call->attrs->cmp == TW_PTO_CMP_EQ ? TW_VEC_EQ : TW_VEC_GT;
    for (uint32_t r = 0; r < src.rows; r++) {
        tw__plane value = tw__plane_part(k, k.rows > r ? r : 0, 1, 0, 1);
        value.col = value.row = 0;
        tw_status status = tw__lanes(call, op, NULL, 1, src.cols,
                                     (tw__plane[]){ flags, tw__plane_part(src, r, 1, 0, src.cols), value }, 3);
        if (status != TW_OK) return status;
        const tw_vec_kernel *keep = tw__pto_kernel(call->core, TW_VEC_COMPRESS, keep_types, NULL);
        if (!keep) return TW_E_TYPE;
        const tw_run runs[] = { { dst.at + r * dst.row, dst.col, dst.cols },
                                { numbers.at, 4, 0 },
                                { flags.at, 1, 0 } };
        uint32_t count = (uint32_t)tw_vec_call(keep, src.cols, runs);
        memcpy(counts.at + (tw__tile(call, 3)->rows > 1 ? r * counts.row : r * counts.col), &count, sizeof count);
    }
    return TW_OK;
}

/* --- TSCATTER: dst.flat[x] = a, zeros elsewhere; with axis "row" dst[x, j] (the manual) --------------- */

tw_status tw__pto_check_scatter(tw__pto_call *call)
{
    const tw_pto_tile *src = tw__tile(call, 1), *x = tw__tile(call, 2);
    size_t size = tw_type_size(src->type);
    if (!is_index(x->type) || tw_type_size(x->type) != (size == 1 ? 2 : size))
        return tw__pto_refuse(call, 2, "type.index",
                              "indexes are integers as wide as the data (16 bits for bytes)");
    if (!tw__same(x->valid_rows, src->valid_rows) || !tw__same(x->valid_cols, src->valid_cols))
        return tw__pto_refuse(call, 2, "index.same", "indexes and source have one valid region");
    return TW_OK;
}

tw_status tw__pto_run_scatter(tw__pto_call *call)
{
    static const uint64_t zero;
    tw__plane src = call->plane[1], x = call->plane[2], all = tw__plane_physical(call, 0);
    tw__plane out = tw__plane_new(call->core, all.type, all.rows, all.cols);
    const tw_type types[] = { src.type, x.type, src.type };
    const tw_vec_kernel *k = tw__pto_kernel(call->core, TW_VEC_SCATTER, types, NULL);
    if (!out.at || !k) return TW_E_NO_MEMORY;
    bool rows = call->attrs->axis != 0;
    tw_status status = tw__plane_fill(call, &out, &zero);
    for (uint32_t r = 0; status == TW_OK && r < src.rows; r++)
        for (uint32_t c = 0, n; status == TW_OK && c < src.cols;
             c += n) { /* by rows each column is a table of its own */
            n = rows ? 1 : src.cols;
            tw_run table = { out.at, out.col, (size_t)out.rows * out.cols };
            if (rows)
                table = (tw_run){ out.at + (c < out.cols ? c : 0) * out.col, out.row, c < out.cols ? out.rows : 0 };
            tw_run runs[] = { table,
                              { x.at + r * x.row + c * x.col, x.col, 0 },
                              { src.at + r * src.row + c * src.col, src.col, 0 } };
            if (tw_vec_call(k, n, runs) != n)
                status = tw__pto_refuse(call, 2, "index.bounds", "an index of row %u is outside dst", r);
        }
    return status == TW_OK ? tw__plane_copy(&all, &out) : status;
}
