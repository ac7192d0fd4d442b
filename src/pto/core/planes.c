/* SPDX-License-Identifier: MIT */
/* planes: operands as rectangles with a stride per row and per column, which is all the families need to know. Tiles
 * in boxes are copied to a plain rectangle before the instruction and back after it; the copies are views of rank 4.
 * */
#include "pto/pto.h"
#include "core/vec/vec.h"

static const tw_window anywhere = { NULL, SIZE_MAX };

tw_view tw__plane_view(const tw__plane *p)
{
    return (tw_view){
        .base = p->at, .type = p->type, .rank = 2, .extent = { p->rows, p->cols }, .stride = { p->row, p->col }
    };
}

tw__plane tw__plane_scalar(tw_pto_scalar *scalar)
{
    return (tw__plane){ .at = (unsigned char *)&scalar->bits, .rows = 1, .cols = 1, .type = scalar->type };
}

static tw__plane new_plane(tw_pto *core, tw_type type, uint32_t rows, uint32_t cols, bool filled)
{
    size_t size = tw_type_size(type), bytes;
    tw__plane p = {
        .rows = rows, .cols = cols, .type = type, .col = (ptrdiff_t)size, .row = (ptrdiff_t)(cols * size)
    };
    if (tw__mul_size(cols * size, rows, &bytes))
        p.at = filled ? tw__pto_scratch(core, bytes) : tw__pto_scratch_raw(core, bytes);
    return p;
}

tw__plane tw__plane_new(tw_pto *core, tw_type type, uint32_t rows, uint32_t cols)
{
    return new_plane(core, type, rows, cols, true);
}

tw__plane tw__plane_part(tw__plane p, uint32_t row, uint32_t rows, uint32_t col, uint32_t cols)
{
    p.at += (ptrdiff_t)row * p.row + (ptrdiff_t)col * p.col;
    p.rows = rows;
    p.cols = cols;
    return p;
}

/* A tile that is not boxed, where it lies. */
static tw__plane direct(const tw_pto_tile *t, unsigned char *storage)
{
    ptrdiff_t size = (ptrdiff_t)tw_type_size(t->type);
    bool packed = tw_type_get(t->type)->bits == 4;
    uint32_t across = t->base_cols ? t->base_cols : t->cols, down = t->base_rows ? t->base_rows : t->rows;
    tw__plane p = {
        .at = storage, .rows = t->valid_rows, .cols = t->valid_cols, .type = t->type, .packed = packed
    };
    bool rows = t->blayout == TW_PTO_ROW_MAJOR;
    p.row = rows ? (packed ? across / 2 : across * size) : size;
    p.col = rows ? size : (ptrdiff_t)down * size;
    return p;
}

/* The boxes of a rectangle that holds the whole physical tile. */
static tw_view boxes_of(const tw_pto_tile *t, const tw__plane *p)
{
    uint32_t box_rows, box_cols;
    tw_pto_box(t, &box_rows, &box_cols);
    tw_view v = tw__tile_boxes(t, p->at);
    v.stride[0] = p->row * box_rows;
    v.stride[1] = p->row;
    v.stride[2] = p->col * box_cols;
    v.stride[3] = p->col;
    return v;
}

static tw_status unbox(tw__pto_call *call, const tw_pto_tile *t, tw__plane *out, bool fetch)
{
    uint32_t box_rows, box_cols;
    tw_pto_box(t, &box_rows, &box_cols);
    uint32_t padded = (t->rows + box_rows - 1) / box_rows * box_rows;
    tw__plane p = new_plane(call->core, t->type, padded, t->cols, padded != t->rows);
    if (!p.at) return TW_E_NO_MEMORY;
    tw_view from = tw__tile_boxes(t, tw__pto_storage(call->core, t)), to = boxes_of(t, &p);
    *out = p;
    out->rows = t->valid_rows;
    out->cols = t->valid_cols;
    return fetch ? tw_vec_copy_view(&to, &from, anywhere) : TW_OK;
}

/* A product that writes every element of its tile: what is there need not be fetched. */
static bool is_overwritten(const tw__pto_call *call, unsigned i)
{
    const tw__pto_row *row = call->row;
    int a = tw__letter(row, 'a'), b = tw__letter(row, 'b');
    return i == 0 && row->rules & TW__WRITES_ALL && row->form[0] == 'd' && a > 0 && b > 0 &&
           tw__tile(call, 0)->rows == tw__tile(call, (unsigned)a)->valid_rows &&
           tw__tile(call, 0)->cols == tw__tile(call, (unsigned)b)->valid_cols;
}

/* Whether a tile's plane is a copy that is put back: boxed ones, and 4-bit ones where the family does not take rows
 * of them packed. */
static bool is_copied(const tw__pto_call *call, const tw_pto_tile *t)
{
    bool packed = call->row->rules & TW__PACKED && t->blayout == TW_PTO_ROW_MAJOR;
    return tw__tile_boxed(t) || (tw__tile_nibbles(t) && call->row->family && !packed);
}

/* A tile of the other kind of core: it has an address here and no memory (core/memories.c); ops/split_to_vectors.c
 * moves values there. */
static bool is_elsewhere(const tw__pto_call *call, const tw_pto_tile *t)
{
    return !call->core->memory[t->location].bytes;
}

tw_status tw__pto_bind(tw__pto_call *call)
{
    for (unsigned i = 0; i < call->count; i++) {
        const tw_pto_operand *o = &call->operand[i];
        if (o->kind == TW_PTO_TILE) {
            tw_status status = tw__pto_place(call->core, o->tile);
            if (status != TW_OK) return call->blame = i, status;
        }
    }
    for (unsigned i = 0; i < call->count; i++) { /* placing one tile may move another */
        const tw_pto_operand *o = &call->operand[i];
        if (o->kind == TW_PTO_TILE) {
            if (is_elsewhere(call, o->tile)) {
                call->plane[i] = (tw__plane){ .type = o->tile->type };
                continue;
            }
            if (!is_copied(call, o->tile)) {
                call->plane[i] = direct(o->tile, tw__pto_storage(call->core, o->tile));
                continue;
            }
            tw_status status = tw__tile_nibbles(o->tile)
                                   ? tw__nibble_bind(call, o->tile, &call->plane[i])
                                   : unbox(call, o->tile, &call->plane[i], !is_overwritten(call, i));
            if (status != TW_OK) return status;
        } else if (o->kind == TW_PTO_SCALAR) {
            call->plane[i] = tw__plane_scalar((tw_pto_scalar *)(uintptr_t)&o->scalar);
        }
    }
    return TW_OK;
}

tw_status tw__pto_unbind(tw__pto_call *call)
{
    for (unsigned i = 0; i < call->count; i++) {
        const tw_pto_operand *o = &call->operand[i];
        if (o->kind != TW_PTO_TILE || !is_copied(call, o->tile) || !tw__is_dst_letter(call->row->form[i])) continue;
        if (is_elsewhere(call, o->tile)) continue;
        if (tw__tile_nibbles(o->tile)) {
            tw__nibble_unbind(call, o->tile, &call->plane[i]);
            continue;
        }
        tw__plane p = tw__plane_physical(call, i);
        tw_view to = tw__tile_boxes(o->tile, tw__pto_storage(call->core, o->tile)), from = boxes_of(o->tile, &p);
        tw_status status = tw_vec_copy_view(&to, &from, anywhere);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

tw__plane tw__plane_physical(const tw__pto_call *call, unsigned i)
{
    tw__plane p = call->plane[i];
    p.rows = tw__tile(call, i)->rows;
    p.cols = tw__tile(call, i)->cols;
    return p;
}

static tw_status faulted(tw__pto_call *call, uint32_t row, size_t element)
{
    return tw__pto_refuse(call, TW__NO_OPERAND, "fault.element",
                          "element (%u, %zu): division by zero or an index outside the tile", row, element);
}

static bool joined(const tw__plane *p, uint32_t cols)
{
    return (p->row == 0 && p->col == 0) || p->row == p->col * (ptrdiff_t)cols;
}

bool tw__planes_joined(const tw_vec_kernel *k, uint32_t rows, uint32_t cols, const tw__plane *planes,
                       unsigned count)
{
    bool one = !k->mode.bits;
    for (unsigned i = 0; i < count; i++) one = one && !planes[i].packed && (rows == 1 || joined(&planes[i], cols));
    return one;
}

tw_status tw__planes(tw__pto_call *call, const tw_vec_kernel *k, uint32_t rows, uint32_t cols,
                     const tw__plane *planes, unsigned count)
{
    tw_run runs[TW_VEC_ARGS];
    for (unsigned i = 0; i < count; i++)
        runs[i] = (tw_run){ planes[i].at, planes[i].packed ? 0 : planes[i].col, cols };
    if (rows == 0 || cols == 0) return TW_OK;
    if (rows == 1 || tw__planes_joined(k, rows, cols, planes, count)) {
        size_t n = (size_t)rows * cols, done = tw_vec_call(k, n, runs);
        return done == n ? TW_OK : faulted(call, (uint32_t)(done / cols), done % cols);
    }
    for (uint32_t r = 0; r < rows; r++) {
        size_t done = tw_vec_call(k, cols, runs);
        if (done != cols) return faulted(call, r, done);
        for (unsigned i = 0; i < count; i++) runs[i].at = (unsigned char *)runs[i].at + planes[i].row;
    }
    return TW_OK;
}

tw_status tw__lanes(tw__pto_call *call, tw_vec_op op, const tw_vec_mode *mode, uint32_t rows, uint32_t cols,
                    const tw__plane *planes, unsigned count)
{
    tw_type types[TW_VEC_ARGS];
    for (unsigned i = 0; i < count; i++) types[i] = planes[i].type;
    const tw_vec_kernel *k = tw__pto_kernel(call->core, op, types, mode);
    if (!k) return tw__pto_refuse(call, TW__NO_OPERAND, "type.kernel", "%s", tw_error_message());
    return tw__planes(call, k, rows, cols, planes, count);
}

tw_status tw__lanes_alone(tw__pto_call *call, tw_vec_op op, const tw_vec_mode *mode)
{
    const tw__plane *p = call->plane;
    tw_type types[TW_VEC_ARGS];
    for (unsigned i = 0; i < call->count; i++) types[i] = p[i].type;
    const tw_vec_kernel *k = tw__pto_kernel(call->core, op, types, mode);
    if (!k) return tw__pto_refuse(call, TW__NO_OPERAND, "type.kernel", "%s", tw_error_message());
    if (call->seen) tw__pto_remember_kernel(call, k, tw__planes_joined(k, p->rows, p->cols, p, call->count));
    return tw__planes(call, k, p->rows, p->cols, p, call->count);
}

/* A small matrix transposed: the copy without views. Far apart, rows want the cache's lines fetched in another order.
 * */
static bool turned(const tw__plane *dst, const tw__plane *src)
{
    enum { FAR = 2048 };
    ptrdiff_t size = (ptrdiff_t)tw_type_size(dst->type);
    if (dst->col != size || src->row != size || src->col <= size || src->col >= FAR || dst->row < size)
        return false;
    tw__turn *turn = dst->packed ? NULL : tw__turn_of((size_t)size);
    if (turn) turn(src->cols, src->rows, dst->at, dst->row, src->at, src->col);
    return turn != NULL;
}

tw_status tw__plane_copy(const tw__plane *dst, const tw__plane *src)
{
    if (turned(dst, src)) return TW_OK;
    tw_view to = tw__plane_view(dst), from = tw__plane_view(src);
    to.extent[0] = src->rows;
    to.extent[1] = src->cols;
    from.type = to.type;
    return tw_vec_copy_view(&to, &from, anywhere);
}

tw_status tw__plane_fill(tw__pto_call *call, const tw__plane *dst, const void *value)
{
    tw__plane planes[] = { *dst,
                           { .at = (unsigned char *)(uintptr_t)value, .type = dst->type, .rows = 1, .cols = 1 } };
    return tw__lanes(call, TW_VEC_COPY, NULL, dst->rows, dst->cols, planes, 2);
}

tw_status tw__plane_apart(tw__pto_call *call, unsigned i, tw__plane *p)
{
    if (!tw__pto_shares(call, 0, i) || p->rows == 0 || p->cols == 0) return TW_OK;
    tw__plane copy = tw__plane_new(call->core, p->type, p->rows, p->cols);
    if (!copy.at) return TW_E_NO_MEMORY;
    tw_status status = tw__plane_copy(&copy, p);
    *p = copy;
    return status;
}
