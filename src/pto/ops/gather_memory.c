/* SPDX-License-Identifier: MIT */
/* gather_memory: MGATHER and MSCATTER, rows or single elements of a table in global memory by index (the manual). */
#include "pto/pto.h"

static tw_bounds_rule bounds_of(int32_t attr)
{
    static const tw_bounds_rule rules[] = { TW_BOUNDS_FAULT, TW_BOUNDS_CLAMP, TW_BOUNDS_WRAP, TW_BOUNDS_SKIP,
                                            TW_BOUNDS_SKIP };
    return rules[(uint32_t)attr < 5 ? attr : 0];
}

static bool by_rows(const tw__pto_call *call)
{
    return call->attrs->coalesce != 2;
}

static tw_status check_table(tw__pto_call *call, unsigned tensor)
{
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    for (int d = 0; d < 5; d++)
        if (g->stride[d] < 0) return tw__pto_refuse(call, tensor, "global.table", "the table has negative strides");
    bool nz = g->layout == TW_PTO_NZ && tensor == 1 && by_rows(call) && call->target != TW_PTO_A5;
    if (!nz && (g->layout != TW_PTO_ND || g->shape[0] != 1 || g->shape[1] != 1 || g->shape[2] != 1))
        return tw__pto_refuse(call, tensor, "global.table", "the table is a matrix of layout nd%s",
                              call->target == TW_PTO_A5 ? "" : ", rows to gather also of layout nz");
    if (!by_rows(call) && (g->stride[4] != 1 || (g->shape[3] > 1 && g->stride[3] != (ptrdiff_t)g->shape[4])))
        return tw__pto_refuse(call, tensor, "global.table", "single elements come from a contiguous table");
    if ((uint32_t)call->attrs->bounds > 4)
        return tw__pto_refuse(call, TW__NO_OPERAND, "index.rule", "unknown rule %d for indexes outside the table",
                              call->attrs->bounds);
    return TW_OK;
}

static tw_status check_indexed(tw__pto_call *call, unsigned tile, unsigned tensor)
{
    const tw_pto_tile *t = tw__tile(call, tile), *x = tw__tile(call, 2);
    size_t rows, cols;
    tw_pto_tensor_extents(call->operand[tensor].tensor, &rows, &cols);
    if (x->type != TW_I32 && x->type != TW_U32)
        return tw__pto_refuse(call, 2, "type.index", "indexes are i32 or u32");
    if (t->location != TW_PTO_VEC || x->location != TW_PTO_VEC)
        return tw__pto_refuse(call, tile, "location.vec", "tile and indexes lie in vector memory");
    tw_status status = check_table(call, tensor);
    if (status != TW_OK) return status;
    if (by_rows(call)) {
        bool fits = (tw__same(x->valid_rows, 1) && tw__same(x->valid_cols, t->valid_rows)) ||
                    (call->target != TW_PTO_A2A3 && tw__same(x->valid_cols, 1) && /* a column: not on A2/A3 */
                     tw__same(x->valid_rows, t->valid_rows));
        if (!fits) return tw__pto_refuse(call, 2, "index.rows", "one index per row of the tile is needed");
        if (t->valid_cols != TW_PTO_DYNAMIC && t->valid_cols != cols)
            return tw__pto_refuse(call, tensor, "global.extents", "rows of %zu elements and tile rows of %u", cols,
                                  t->valid_cols);
        return TW_OK;
    }
    if (!tw__same(x->valid_rows, t->valid_rows) || !tw__same(x->valid_cols, t->valid_cols))
        return tw__pto_refuse(call, 2, "index.same", "one index per element of the tile is needed");
    return TW_OK;
}

/* An index with the rule for those outside a table of n: -1 = nothing there. */
static tw_status gather_memory_place_of(tw__pto_call *call, uint32_t raw, tw_type type, size_t count, uint32_t r,
                                        int64_t *number)
{
    int64_t i = type == TW_I32 ? (int64_t)(int32_t)raw : (int64_t)raw, n = (int64_t)count;
    *number = i;
    if (i >= 0 && i < n) return TW_OK;
    *number = -1;
    switch (bounds_of(call->attrs->bounds)) {
    case TW_BOUNDS_FAULT:
        return tw__pto_refuse(call, 2, "index.bounds", "index %lld of row %u is outside the table's %zu %s",
                              (long long)i, r, count, by_rows(call) ? "rows" : "elements");
    case TW_BOUNDS_CLAMP: *number = n == 0 ? -1 : i < 0 ? 0 : n - 1; break;
    case TW_BOUNDS_WRAP: *number = n == 0 ? -1 : ((i % n) + n) % n; break;
    case TW_BOUNDS_SKIP: break;
    }
    return TW_OK;
}

/* Rows of a table are found by gathering their numbers, bounds applied, then copied one by one. */
static tw_status row_number(tw__pto_call *call, uint32_t r, size_t rows, int64_t *number)
{
    const tw__plane *x = &call->plane[2];
    uint32_t raw;
    memcpy(&raw, x->at + (x->rows == 1 ? (ptrdiff_t)r * x->col : (ptrdiff_t)r * x->row), sizeof raw);
    return gather_memory_place_of(call, raw, x->type, rows, r, number);
}

/* The matrix behind a tensor, checked against its window; of layout nz rows and columns have no one stride. */
static tw_status table_of(tw__pto_call *call, unsigned tensor, tw__plane *table)
{
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    tw_view tile_view, view;
    size_t rows, cols;
    tw_status status = tw__tensor_views(call, g, &call->plane[1 - tensor], &tile_view, &view);
    if (status != TW_OK) return status;
    tw_pto_tensor_extents(g, &rows, &cols);
    if (rows > UINT32_MAX || cols > UINT32_MAX)
        return tw__pto_refuse(call, tensor, "global.table", "the table has too many rows or columns");
    *table = (tw__plane){ .at = g->data,
                          .rows = (uint32_t)rows,
                          .cols = (uint32_t)cols,
                          .type = g->type,
                          .row = view.stride[3],
                          .col = view.stride[4] };
    return TW_OK;
}

/* Row `number` of the table to a row of the tile; -1 = zeros. Of layout nz in pieces of its boxes' columns. */
static tw_status copy_row(tw__pto_call *call, const tw__plane *table, int64_t number, const tw__plane *to)
{
    static const uint64_t zero;
    const tw_pto_tensor *g = call->operand[1].tensor;
    size_t size = tw_type_size(g->type);
    if (number < 0) return tw__plane_fill(call, to, &zero);
    if (g->layout == TW_PTO_ND) {
        tw__plane from = tw__plane_part(*table, (uint32_t)number, 1, 0, to->cols);
        return tw__plane_copy(to, &from);
    }
    ptrdiff_t rows = (ptrdiff_t)g->shape[3], groups = (ptrdiff_t)g->shape[1], down = (ptrdiff_t)number;
    tw_status status = TW_OK;
    for (uint32_t c = 0, wide = (uint32_t)g->shape[4]; status == TW_OK && c < to->cols; c += wide) {
        ptrdiff_t group = (ptrdiff_t)(c / wide), at = group / groups * g->stride[0] +
                                                      group % groups * g->stride[1] + down / rows * g->stride[2] +
                                                      down % rows * g->stride[3];
        tw__plane from = { .at = table->at + at * (ptrdiff_t)size,
                           .rows = 1,
                           .cols = to->cols - c < wide ? to->cols - c : wide,
                           .type = g->type,
                           .col = table->col },
                  part = tw__plane_part(*to, 0, 1, c, from.cols);
        status = tw__plane_copy(&part, &from);
    }
    return status;
}

tw_status tw__pto_check_gather_global(tw__pto_call *call)
{
    return check_indexed(call, 0, 1);
}

tw_status tw__pto_run_gather_global(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], table, x = call->plane[2];
    tw_status status = table_of(call, 1, &table);
    if (status == TW_OK && by_rows(call)) {
        for (uint32_t r = 0; status == TW_OK && r < dst.rows; r++) {
            int64_t number;
            tw__plane to = tw__plane_part(dst, r, 1, 0, dst.cols);
            status = row_number(call, r, table.rows, &number);
            if (status == TW_OK) status = copy_row(call, &table, number, &to);
        }
        return status;
    }
    if (status != TW_OK) return status;
    const tw_type types[] = { dst.type, x.type, dst.type };
    const tw_vec_kernel *k = tw__pto_kernel(call->core, TW_VEC_GATHER, types,
                                            &(tw_vec_mode){ .bounds = bounds_of(call->attrs->bounds) });
    if (!k) return TW_E_TYPE;
    for (uint32_t r = 0; r < dst.rows; r++) {
        tw_run runs[] = { { dst.at + r * dst.row, dst.col, 0 },
                          { x.at + r * x.row, x.col, 0 },
                          { table.at, table.col, (size_t)table.rows * table.cols } };
        if (tw_vec_call(k, dst.cols, runs) != dst.cols)
            return tw__pto_refuse(call, 2, "index.bounds", "an index of row %u is outside the table", r);
    }
    return TW_OK;
}

tw_status tw__pto_check_scatter_global(tw__pto_call *call)
{
#define B(t) (UINT64_C(1) << TW_##t)
    const uint64_t a2a3 = B(I8) | B(I16) | B(I32) | B(F16) | B(BF16) | B(F32),
                   a5 = B(I32) | B(U32) | B(F32) | B(F16) | B(BF16), extremes = B(I32) | B(U32) | B(F32);
#undef B
    int32_t atomic = call->attrs->atomic;
    tw_type type = tw__tile(call, 1)->type;
    uint64_t adds = call->target == TW_PTO_A2A3 ? a2a3 : call->target == TW_PTO_A5 ? a5 : a2a3 | a5;
    if (atomic > 1 && call->target == TW_PTO_A2A3)
        return tw__pto_refuse(call, TW__NO_OPERAND, "scatter.atomic", "atomics other than add do not exist");
    if ((uint32_t)atomic > 3 || (atomic && !((atomic > 1 ? extremes : adds) >> type & 1)))
        return tw__pto_refuse(call, 1, "scatter.atomic-type", "there is no such atomic on %s",
                              tw_type_name(type, TW_SYSTEM_PTO));
    return check_indexed(call, 1, 0);
}

tw_status tw__pto_run_scatter_global(tw__pto_call *call)
{
    static const tw_vec_op scatters[] = { TW_VEC_SCATTER, TW_VEC_SCATTER_ADD, TW_VEC_SCATTER_MAX,
                                          TW_VEC_SCATTER_MIN };
    static const tw_vec_op combines[] = { TW_VEC_COPY, TW_VEC_ADD, TW_VEC_MAX, TW_VEC_MIN };
    tw__plane src = call->plane[1], table, x = call->plane[2];
    uint32_t atomic = (uint32_t)call->attrs->atomic & 3;
    tw_status status = table_of(call, 0, &table);
    for (uint32_t r = 0; status == TW_OK && by_rows(call) && r < src.rows; r++) {
        int64_t number;
        status = row_number(call, r, table.rows, &number);
        if (status != TW_OK || number < 0) continue;
        tw__plane to = tw__plane_part(table, (uint32_t)number, 1, 0, src.cols),
                  from = tw__plane_part(src, r, 1, 0, src.cols);
        status = atomic ? tw__lanes(call, combines[atomic], NULL, 1, src.cols, (tw__plane[]){ to, to, from }, 3)
                        : tw__plane_copy(&to, &from);
    }
    if (status != TW_OK || by_rows(call)) return status;
    const tw_type types[] = { src.type, x.type, src.type };
    const tw_vec_kernel *k = tw__pto_kernel(call->core, scatters[atomic], types,
                                            &(tw_vec_mode){ .bounds = bounds_of(call->attrs->bounds) });
    if (!k) return tw__pto_refuse(call, 1, "scatter.atomic", "%s", tw_error_message());
    for (uint32_t r = 0; r < src.rows; r++) {
        tw_run runs[] = { { table.at, table.col, (size_t)table.rows * table.cols },
                          { x.at + r * x.row, x.col, 0 },
                          { src.at + r * src.row, src.col, 0 } };
        if (tw_vec_call(k, src.cols, runs) != src.cols)
            return tw__pto_refuse(call, 2, "index.bounds", "an index of row %u is outside the table", r);
    }
    return TW_OK;
}

/* --- MGATHER to L1: indexes in global memory too; single elements by way of scratch there ----------------------- */

tw_status tw__pto_check_gather_l1(tw__pto_call *call)
{
    const tw_pto_tile *t = tw__tile(call, 0);
    const tw_pto_tensor *g = call->operand[1].tensor, *x = call->operand[2].tensor;
    tw_status status = check_table(call, 1);
    if (status != TW_OK) return status;
    if (t->location != TW_PTO_MAT) return tw__pto_refuse(call, 0, "gather.l1", "dst lies in L1");
    if (call->target != TW_PTO_CPU && !(tw__tile_boxed(t) && t->blayout == TW_PTO_COL_MAJOR))
        return tw__pto_refuse(call, 0, "gather.nz", "dst has Nz boxes");
    if (x->type != TW_I32 && x->type != TW_U32)
        return tw__pto_refuse(call, 2, "type.index", "indexes are i32 or u32");
    size_t count = 1, need = by_rows(call) ? t->valid_rows : (size_t)t->valid_rows * t->valid_cols;
    for (int d = 0; d < 5; d++) {
        if (x->stride[d] < 0 || !tw__mul_size(count, x->shape[d], &count))
            return tw__pto_refuse(call, 2, "index.rows", "indexes have no negative strides");
    }
    if (t->valid_rows == TW_PTO_DYNAMIC || t->valid_cols == TW_PTO_DYNAMIC) return TW_OK;
    if (count != need)
        return tw__pto_refuse(call, 2, "index.rows", "%zu indexes are given and %zu needed", count, need);
    size_t rows, cols;
    tw_pto_tensor_extents(g, &rows, &cols);
    if (by_rows(call) && cols != t->valid_cols)
        return tw__pto_refuse(call, 1, "global.extents", "rows of %zu elements and tile rows of %u", cols,
                              t->valid_cols);
    if (by_rows(call)) return TW_OK;
    if (call->count < 4)
        return tw__pto_refuse(call, TW__NO_OPERAND, "gather.scratch",
                              "single elements need scratch in global memory");
    const tw_pto_tensor *scratch = call->operand[3].tensor;
    size_t room = 1;
    for (int d = 0; d < 5; d++)
        if (!tw__mul_size(room, scratch->shape[d], &room)) room = SIZE_MAX;
    if (scratch->type != t->type || room < (size_t)t->rows * t->cols)
        return tw__pto_refuse(call, 3, "gather.scratch",
                              "scratch of %zu elements of %s; %zu of dst's type are needed", room,
                              tw_type_name(scratch->type, TW_SYSTEM_PTO), (size_t)t->rows * t->cols);
    return TW_OK;
}

/* Indexes as one run. */
static tw_status load_indexes(tw__pto_call *call, size_t count, uint32_t **out)
{
    const tw_pto_tensor *x = call->operand[2].tensor;
    tw_view from = { .base = x->data, .type = x->type, .rank = 5 }, to = from;
    ptrdiff_t stride = 4;
    *out = tw__pto_scratch(call->core, count * sizeof **out);
    if (!*out) return TW_E_NO_MEMORY;
    if (!x->data) return tw__pto_refuse(call, 2, "global.null", "the tensor has no memory");
    to.base = *out;
    for (int d = 4; d >= 0; d--) {
        from.extent[d] = to.extent[d] = x->shape[d];
        from.stride[d] = x->stride[d] * 4;
        to.stride[d] = stride;
        stride *= (ptrdiff_t)x->shape[d];
    }
    if (tw_view_check(&from, tw__tensor_window(x)) != TW_OK)
        return tw__pto_refuse(call, 2, "global.bounds",
                              "the tensor reaches outside the %zu bytes behind its pointer", x->window.bytes);
    return tw_vec_copy_view(&to, &from, (tw_window){ NULL, SIZE_MAX });
}

tw_status tw__pto_run_gather_l1(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], table;
    bool rows = by_rows(call);
    uint32_t *x, wide = rows ? dst.cols : 1;
    tw_status status = table_of(call, 1, &table);
    if (status == TW_OK) status = load_indexes(call, rows ? dst.rows : (size_t)dst.rows * dst.cols, &x);
    for (uint32_t r = 0; status == TW_OK && r < dst.rows; r++)
        for (uint32_t c = 0; status == TW_OK && c < dst.cols; c += wide) {
            int64_t n;
            size_t count = rows ? table.rows : (size_t)table.rows * table.cols;
            status = gather_memory_place_of(call, *x++, call->operand[2].tensor->type, count, r, &n);
            if (status != TW_OK) break;
            tw__plane to = tw__plane_part(dst, r, 1, c, wide), from = table;
            from.at += n < 0 ? 0 : n * table.col;
            from.rows = from.cols = 1;
            if (rows || n < 0)
                status = copy_row(call, &table, n, &to);
            else
                status = tw__plane_copy(&to, &from);
        }
    return status;
}
