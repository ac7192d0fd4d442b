/* memory: between tiles and global memory (spec pto.md 3.6). A tensor and a tile correspond element by element as two
 * views of rank 5; moving is a copy of views. */
#include "pto/pto.h"

static const tw_window anywhere = { NULL, SIZE_MAX };

static bool tensor_fits(const tw_pto_tensor *g, const tw_pto_tile *t)
{
    size_t rows, cols;
    tw_pto_tensor_extents(g, &rows, &cols);
    return (t->valid_rows == TW_PTO_DYNAMIC || rows == t->valid_rows) &&
           (t->valid_cols == TW_PTO_DYNAMIC || cols == t->valid_cols);
}

/* Layout of tile and tensor: the same, or (L1) a change on the way in. Vectors have no layout. */
static bool layouts_fit(const tw__pto_call *call, const tw_pto_tile *t, const tw_pto_tensor *g)
{
    bool boxed = tw__tile_boxed(t), columns = t->blayout == TW_PTO_COL_MAJOR;
    if (call->target == TW_PTO_CPU || t->rows == 1 || t->cols == 1) return true;
    switch (g->layout) {
    case TW_PTO_ND: return t->location == TW_PTO_VEC ? !boxed && !columns : !boxed ? !columns : true;
    case TW_PTO_DN: return !boxed ? columns : t->location != TW_PTO_VEC;
    case TW_PTO_NZ:
    case TW_PTO_NC1HWC0: return boxed && columns && t->slayout == TW_PTO_BOX_ROW;
    case TW_PTO_MX_A_ZZ:
    case TW_PTO_MX_B_NN: return boxed && t->fractal == 32;
    case TW_PTO_LAYOUTS: break;
    }
    return false;
}

static tw_status check_transfer(tw__pto_call *call, unsigned tile, unsigned tensor)
{
    const tw_pto_tile *t = tw__tile(call, tile);
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    size_t rows, cols;
    if (tw_type_size(t->type) != tw_type_size(g->type) || tw_type_get(t->type)->bits != tw_type_get(g->type)->bits)
        return tw__pto_refuse(call, tensor, "global.type", "tensor of %s and tile of %s differ in element size",
                              tw_type_name(g->type, TW_SYSTEM_PTO), tw_type_name(t->type, TW_SYSTEM_PTO));
    tw_pto_tensor_extents(g, &rows, &cols);
    if (!tensor_fits(g, t))
        return tw__pto_refuse(call, tensor, "global.extents",
                              "the tensor is %zu x %zu, the tile's valid region %u x %u", rows, cols, t->valid_rows,
                              t->valid_cols);
    if (!layouts_fit(call, t, g))
        return tw__pto_refuse(call, tile, "global.layout", "the tile's layout does not fit the tensor's");
    return TW_OK;
}

tw_status tw__pto_check_load(tw__pto_call *call)
{
    const tw_pto_tile *t = tw__tile(call, 0);
    if (t->location != TW_PTO_VEC && t->location != TW_PTO_MAT)
        return tw__pto_refuse(call, 0, "location.load", "dst lies in vector memory or L1");
    if (tw_type_get(t->type)->bits == 4)
        return tw__pto_refuse(call, 0, "type.set", "4-bit elements are loaded as bytes");
    if (call->target != TW_PTO_CPU && t->location == TW_PTO_VEC && t->rows > 4095)
        return tw__pto_refuse(call, 0, "load.rows", "%u rows; a tile in vector memory has at most 4095", t->rows);
    return check_transfer(call, 0, 1);
}

/* Padding goes to the whole physical tile. */
tw_status tw__pto_run_load(tw__pto_call *call)
{
    tw_view to, from;
    const tw_pto_tile *t = tw__tile(call, 0);
    tw_status status = tw__tensor_views(call, call->operand[1].tensor, &call->plane[0], &to, &from);
    if (status != TW_OK) return status;
    if (t->pad != TW_PTO_PAD_NULL && (t->valid_rows < t->rows || t->valid_cols < t->cols)) {
        uint64_t pad = tw__pad_bits(t->type, t->pad);
        tw__plane all = tw__plane_physical(call, 0);
        status = tw__plane_fill(call, &all, &pad);
        if (status != TW_OK) return status;
    }
    from.type = to.type;
    return tw_vec_copy_view(&to, &from, anywhere);
}

/* Accumulators change type on the way out. */
static bool store_converts(tw_type from, tw_type to)
{
    return from == to || (from == TW_F32 && (to == TW_F16 || to == TW_BF16));
}

tw_status tw__pto_check_store(tw__pto_call *call)
{
    const tw_pto_tile *t = tw__tile(call, 1);
    tw_pto_tensor *g = call->operand[0].tensor;
    size_t rows, cols;
    bool known = t->location == TW_PTO_VEC || t->location == TW_PTO_MAT || t->location == TW_PTO_ACC;
    if (!known || (t->location == TW_PTO_MAT && call->target == TW_PTO_A5))
        return tw__pto_refuse(call, 1, "location.store", "a tile in this memory cannot be stored");
    if (tw_type_get(t->type)->bits == 4)
        return tw__pto_refuse(call, 1, "type.set", "4-bit elements are stored as bytes");
    if (call->attrs->relu && t->location != TW_PTO_ACC)
        return tw__pto_refuse(call, 1, "store.relu", "only accumulators pass through relu");
    if (call->attrs->atomic > 1)
        return tw__pto_refuse(call, TW__NO_OPERAND, "store.atomic", "stores add or overwrite");
    if (t->location != TW_PTO_ACC) return check_transfer(call, 1, 0);
    tw_pto_tensor_extents(g, &rows, &cols);
    if (!store_converts(t->type, g->type))
        return tw__pto_refuse(call, 0, "store.type", "%s is not stored as %s without a scale",
                              tw_type_name(t->type, TW_SYSTEM_PTO), tw_type_name(g->type, TW_SYSTEM_PTO));
    if (!tensor_fits(g, t))
        return tw__pto_refuse(call, 0, "global.extents", "the tensor is %zu x %zu, the tile's valid region %u x %u",
                              rows, cols, t->valid_rows, t->valid_cols);
    return TW_OK;
}

/* A plane of the tensor's type to the tensor, overwriting or adding. */
static tw_status put(tw__pto_call *call, const tw__plane *plane)
{
    tw_view from, to, args[3];
    const tw_pto_tensor *g = call->operand[0].tensor;
    tw_status status = tw__tensor_views(call, g, plane, &from, &to);
    if (status != TW_OK) return status;
    if (!call->attrs->atomic) {
        from.type = to.type;
        return tw_vec_copy_view(&to, &from, anywhere);
    }
    const tw_type types[] = { g->type, g->type, g->type };
    const tw_vec_kernel *k = tw__pto_kernel(call->core, TW_VEC_ADD, types, NULL);
    if (!k) return tw__pto_refuse(call, 0, "store.atomic", "%s", tw_error_message());
    args[0] = args[1] = to;
    args[2] = from;
    return tw_vec_apply(k, args, anywhere, NULL);
}

static tw_status relu_and_convert(tw__pto_call *call, tw__plane *values, tw_type to, const tw_vec_mode *mode)
{
    tw__plane out = tw__plane_new(call->core, to, values->rows, values->cols);
    tw_status status = TW_OK;
    if (!out.at) return TW_E_NO_MEMORY;
    if (call->attrs->relu) {
        tw__plane positive = tw__plane_new(call->core, values->type, values->rows, values->cols);
        if (!positive.at) return TW_E_NO_MEMORY;
        status = tw__lanes(call, TW_VEC_RELU, NULL, out.rows, out.cols, (tw__plane[]){ positive, *values }, 2);
        *values = positive;
    }
    bool same = values->type == to;
    if (status == TW_OK)
        status = tw__lanes(call, same ? TW_VEC_COPY : TW_VEC_CONVERT, same ? NULL : mode, out.rows, out.cols,
                           (tw__plane[]){ out, *values }, 2);
    *values = out;
    return status;
}

tw_status tw__pto_run_store(tw__pto_call *call)
{
    tw__plane values = call->plane[1];
    tw_type to = call->operand[0].tensor->type;
    if ((values.type != to && tw__tile(call, 1)->location == TW_PTO_ACC) || call->attrs->relu) {
        tw_status status = relu_and_convert(call, &values, to, NULL);
        if (status != TW_OK) return status;
    }
    return put(call, &values);
}

/* --- stores with a scale: an f32 in the low 32 bits of a scalar, or one per column in the fixpipe buffer --------------- */

tw_status tw__pto_check_store_quant(tw__pto_call *call)
{
    const tw_pto_tile *t = tw__tile(call, 1);
    tw_type to = call->operand[0].tensor->type;
    uint64_t types = UINT64_C(1) << TW_I8 | UINT64_C(1) << TW_U8 | UINT64_C(1) << TW_F16;
    if (call->target != TW_PTO_A2A3)
        types |= UINT64_C(1) << TW_BF16 | UINT64_C(1) << TW_HIF8 | UINT64_C(1) << TW_F8E4M3 | UINT64_C(1) << TW_F32;
    if (t->location != TW_PTO_ACC)
        return tw__pto_refuse(call, 1, "location.acc", "only accumulators are stored with a scale");
    if (!(types >> to & 1))
        return tw__pto_refuse(call, 0, "store.type", "a scaled accumulator is not stored as %s",
                              tw_type_name(to, TW_SYSTEM_PTO));
    if (!tensor_fits(call->operand[0].tensor, t))
        return tw__pto_refuse(call, 0, "global.extents", "the tensor does not have the tile's valid region");
    if (call->operand[2].kind == TW_PTO_TILE && tw_type_size(tw__tile(call, 2)->type) < 4)
        return tw__pto_refuse(call, 2, "scale.type", "scales are 32 or 64 bits wide");
    return TW_OK;
}

tw_status tw__pto_scaled(tw__pto_call *call, unsigned source, unsigned scale, tw_type to, tw__plane *out);
tw_status tw__pto_scaled(tw__pto_call *call, unsigned source, unsigned scale, tw_type to, tw__plane *out)
{
    tw__plane in = call->plane[source], real = tw__plane_new(call->core, TW_F32, in.rows, in.cols),
              by = call->plane[scale];
    tw_vec_mode saturate = { .saturation = TW_SAT_ON };
    if (!real.at) return TW_E_NO_MEMORY;
    by.type = TW_F32; /* of 64-bit scales the low half */
    by.row = 0;
    tw_status status = tw__lanes(call, in.type == TW_F32 ? TW_VEC_COPY : TW_VEC_CONVERT, NULL, in.rows, in.cols,
                                 (tw__plane[]){ real, in }, 2);
    if (call->attrs->relu && status == TW_OK)
        status = tw__lanes(call, TW_VEC_RELU, NULL, in.rows, in.cols, (tw__plane[]){ real, real }, 2);
    if (status == TW_OK)
        status = tw__lanes(call, TW_VEC_MUL, NULL, in.rows, in.cols, (tw__plane[]){ real, real, by }, 3);
    *out = tw__plane_new(call->core, to, in.rows, in.cols);
    if (!out->at) return TW_E_NO_MEMORY;
    bool same = to == TW_F32;
    return status == TW_OK ? tw__lanes(call, same ? TW_VEC_COPY : TW_VEC_CONVERT, same ? NULL : &saturate, in.rows,
                                       in.cols, (tw__plane[]){ *out, real }, 2)
                           : status;
}

tw_status tw__pto_run_store_quant(tw__pto_call *call)
{
    tw__plane out;
    tw_status status = tw__pto_scaled(call, 1, 2, call->operand[0].tensor->type, &out);
    return status == TW_OK ? put(call, &out) : status;
}

tw_status tw__pto_check_prefetch(tw__pto_call *call)
{
    (void)call;
    return TW_OK;
}

tw_status tw__pto_run_prefetch(tw__pto_call *call)
{
    (void)call;
    return TW_OK;
}

/* --- MGATHER, MSCATTER: a table of rows, or of elements ------------------------------------------------------------------ */

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

static tw_status check_indexed(tw__pto_call *call, unsigned tile, unsigned tensor)
{
    const tw_pto_tile *t = tw__tile(call, tile), *x = tw__tile(call, 2);
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    size_t rows, cols;
    tw_pto_tensor_extents(g, &rows, &cols);
    if (x->type != TW_I32 && x->type != TW_U32)
        return tw__pto_refuse(call, 2, "type.index", "indexes are i32 or u32");
    if (t->location != TW_PTO_VEC || x->location != TW_PTO_VEC)
        return tw__pto_refuse(call, tile, "location.vec", "tile and indexes lie in vector memory");
    for (int d = 0; d < 5; d++)
        if (g->stride[d] < 0) return tw__pto_refuse(call, tensor, "global.table", "the table has negative strides");
    if (g->layout != TW_PTO_ND || g->shape[0] != 1 || g->shape[1] != 1 || g->shape[2] != 1)
        return tw__pto_refuse(call, tensor, "global.table", "the table is a matrix of layout nd");
    if (by_rows(call)) {
        bool fits = (tw__same(x->valid_rows, 1) && tw__same(x->valid_cols, t->valid_rows)) ||
                    (tw__same(x->valid_cols, 1) && tw__same(x->valid_rows, t->valid_rows));
        if (!fits) return tw__pto_refuse(call, 2, "index.rows", "one index per row of the tile is needed");
        if (t->valid_cols != TW_PTO_DYNAMIC && t->valid_cols != cols)
            return tw__pto_refuse(call, tensor, "global.extents", "rows of %zu elements and tile rows of %u", cols,
                                  t->valid_cols);
        return TW_OK;
    }
    if (!tw__same(x->valid_rows, t->valid_rows) || !tw__same(x->valid_cols, t->valid_cols))
        return tw__pto_refuse(call, 2, "index.same", "one index per element of the tile is needed");
    if (g->stride[4] != 1 || (g->shape[3] > 1 && g->stride[3] != (ptrdiff_t)g->shape[4]))
        return tw__pto_refuse(call, tensor, "global.table", "single elements come from a contiguous table");
    return TW_OK;
}

/* Rows of a table are found by gathering their numbers, bounds applied, then copied one by one. */
static tw_status row_number(tw__pto_call *call, uint32_t r, size_t rows, int64_t *number)
{
    const tw__plane *x = &call->plane[2];
    const unsigned char *at = x->at + (x->rows == 1 ? (ptrdiff_t)r * x->col : (ptrdiff_t)r * x->row);
    uint32_t raw;
    memcpy(&raw, at, sizeof raw);
    int64_t i = x->type == TW_I32 ? (int64_t)(int32_t)raw : (int64_t)raw, n = (int64_t)rows;
    *number = i;
    if (i >= 0 && i < n) return TW_OK;
    *number = -1;
    switch (bounds_of(call->attrs->bounds)) {
    case TW_BOUNDS_FAULT:
        return tw__pto_refuse(call, 2, "index.bounds", "index %lld of row %u is outside the table's %zu rows",
                              (long long)i, r, rows);
    case TW_BOUNDS_CLAMP: *number = n == 0 ? -1 : i < 0 ? 0 : n - 1; break;
    case TW_BOUNDS_WRAP: *number = n == 0 ? -1 : ((i % n) + n) % n; break;
    case TW_BOUNDS_SKIP: break;
    }
    return TW_OK;
}

/* The matrix behind a tensor of layout nd, checked against its window. */
static tw_status table_of(tw__pto_call *call, unsigned tensor, tw__plane *table)
{
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    tw_view tile_view, view;
    tw_status status = tw__tensor_views(call, g, &call->plane[1 - tensor], &tile_view, &view);
    if (status != TW_OK) return status;
    if (g->shape[3] > UINT32_MAX || g->shape[4] > UINT32_MAX)
        return tw__pto_refuse(call, tensor, "global.table", "the table has too many rows or columns");
    *table = (tw__plane){ .at = g->data,
                          .rows = (uint32_t)g->shape[3],
                          .cols = (uint32_t)g->shape[4],
                          .type = g->type,
                          .row = view.stride[3],
                          .col = view.stride[4] };
    return TW_OK;
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
        static const uint64_t zero;
        for (uint32_t r = 0; status == TW_OK && r < dst.rows; r++) {
            int64_t number;
            tw__plane to = tw__plane_part(dst, r, 1, 0, dst.cols);
            status = row_number(call, r, table.rows, &number);
            if (status != TW_OK) break;
            tw__plane from = tw__plane_part(table, number < 0 ? 0 : (uint32_t)number, 1, 0, dst.cols);
            status = number < 0 ? tw__plane_fill(call, &to, &zero) : tw__plane_copy(call, &to, &from);
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
    int32_t atomic = call->attrs->atomic;
    tw_type type = tw__tile(call, 1)->type;
    if (atomic > 1 && call->target == TW_PTO_A2A3)
        return tw__pto_refuse(call, TW__NO_OPERAND, "scatter.atomic", "atomics other than add do not exist");
    if (atomic && (type == TW_U8 || type == TW_U16))
        return tw__pto_refuse(call, 1, "scatter.atomic", "there is no atomic on this type");
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
                        : tw__plane_copy(call, &to, &from);
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
