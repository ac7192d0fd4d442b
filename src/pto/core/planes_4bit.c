/* SPDX-License-Identifier: MIT */
/* planes_4bit: 4-bit tiles as planes of bytes, an element in the low half of each. Tiles hold two elements per byte,
 * the even one low, in boxes as well; kernels of the vec box read rows packed the same way. */
#include "pto/pto.h"

bool tw__tile_nibbles(const tw_pto_tile *t)
{
    return tw_type_get(t->type)->bits == 4;
}

/* Number of an element in storage order; a window's counts from its own first element. */
static size_t index_of(const tw_pto_tile *t, uint32_t r, uint32_t c)
{
    uint32_t ir, ic, rows = t->base_rows ? t->base_rows : t->rows, cols = t->base_cols ? t->base_cols : t->cols;
    if (!tw__tile_boxed(t)) return t->blayout == TW_PTO_ROW_MAJOR ? (size_t)r * cols + c : (size_t)c * rows + r;
    tw_pto_box(t, &ir, &ic);
    size_t down = (rows + ir - 1) / ir, across = cols / ic;
    size_t box = t->blayout == TW_PTO_COL_MAJOR ? c / ic * down + r / ir : r / ir * across + c / ic;
    size_t inner = t->slayout == TW_PTO_BOX_ROW ? (size_t)(r % ir) * ic + c % ic : (size_t)(c % ic) * ir + r % ir;
    return box * ir * ic + inner;
}

tw_status tw__nibble_bind(tw__pto_call *call, const tw_pto_tile *t, tw__plane *out)
{
    const unsigned char *storage = tw__pto_storage(call->core, t);
    tw__plane p = tw__plane_new(call->core, TW_U8, t->rows, t->cols);
    if (!p.at) return TW_E_NO_MEMORY;
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++) {
            size_t i = index_of(t, r, c);
            p.at[r * p.row + c] = i & 1 ? storage[i / 2] >> 4 : storage[i / 2] & 15;
        }
    p.rows = t->valid_rows;
    p.cols = t->valid_cols;
    *out = p;
    return TW_OK;
}

void tw__nibble_unbind(tw__pto_call *call, const tw_pto_tile *t, const tw__plane *p)
{
    unsigned char *storage = tw__pto_storage(call->core, t);
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++) {
            size_t i = index_of(t, r, c);
            unsigned char low = p->at[r * p->row + c * p->col] & 15, *at = &storage[i / 2];
            *at = (unsigned char)(i & 1 ? (*at & 15) | low << 4 : (*at & 0xf0) | low);
        }
}

/* Rows of two elements per byte, each row from a byte of its own; the rows and columns of `bytes`. */
tw__plane tw__nibble_pack(tw__pto_call *call, const tw__plane *bytes, tw_type type)
{
    tw__plane p = tw__plane_new(call->core, TW_U8, bytes->rows, (bytes->cols + 1) / 2);
    for (uint32_t r = 0; p.at && r < bytes->rows; r++)
        for (uint32_t c = 0; c < bytes->cols; c++)
            p.at[r * p.row + c / 2] |=
                (unsigned char)((bytes->at[r * bytes->row + c * bytes->col] & 15) << (c & 1 ? 4 : 0));
    p.cols = bytes->cols;
    p.type = type;
    p.packed = true;
    return p;
}

void tw__nibble_unpack(const tw__plane *packed, const tw__plane *bytes)
{
    for (uint32_t r = 0; r < packed->rows; r++)
        for (uint32_t c = 0; c < packed->cols; c++) {
            unsigned char pair = packed->at[r * packed->row + c / 2];
            bytes->at[r * bytes->row + c * bytes->col] = c & 1 ? pair >> 4 : pair & 15;
        }
}

/* Values of a 4-bit tile, by its plane of bytes, in another type. */
tw_status tw__nibble_widen(tw__pto_call *call, const tw__plane *bytes, tw_type from, const tw__plane *out)
{
    tw__plane packed = tw__nibble_pack(call, bytes, from);
    if (!packed.at) return TW_E_NO_MEMORY;
    return tw__lanes(call, TW_VEC_CONVERT, NULL, bytes->rows, bytes->cols, (tw__plane[]){ *out, packed }, 2);
}

/* Values to a plane of 4-bit elements in bytes. */
tw_status tw__nibble_narrow(tw__pto_call *call, const tw__plane *bytes, tw_type to, const tw__plane *from,
                            const tw_vec_mode *mode)
{
    tw__plane packed = tw__plane_new(call->core, TW_U8, bytes->rows, (bytes->cols + 1) / 2);
    if (!packed.at) return TW_E_NO_MEMORY;
    packed.cols = bytes->cols;
    packed.type = to;
    packed.packed = true;
    tw_status status =
        tw__lanes(call, TW_VEC_CONVERT, mode, bytes->rows, bytes->cols, (tw__plane[]){ packed, *from }, 2);
    if (status == TW_OK) tw__nibble_unpack(&packed, bytes);
    return status;
}

/* Elements of a tensor of 4-bit type, two per byte, strides in elements; views as tw__tensor_views gives them with
 * the tile's strides in bytes of its plane. The window has been checked. */
static void move(const tw_view *tile, const tw_pto_tensor *g, bool load)
{
    unsigned char *data = g->data;
    size_t n[5];
    for (n[0] = 0; n[0] < g->shape[0]; n[0]++)
        for (n[1] = 0; n[1] < g->shape[1]; n[1]++)
            for (n[2] = 0; n[2] < g->shape[2]; n[2]++)
                for (n[3] = 0; n[3] < g->shape[3]; n[3]++)
                    for (n[4] = 0; n[4] < g->shape[4]; n[4]++) {
                        ptrdiff_t i = 0, at = 0;
                        for (int d = 0; d < 5; d++) {
                            i += (ptrdiff_t)n[d] * g->stride[d];
                            at += (ptrdiff_t)n[d] * tile->stride[d];
                        }
                        unsigned char *pair = &data[i / 2], *byte = (unsigned char *)tile->base + at;
                        if (load)
                            *byte = i & 1 ? *pair >> 4 : *pair & 15;
                        else
                            *pair =
                                (unsigned char)(i & 1 ? (*pair & 15) | *byte << 4 : (*pair & 0xf0) | (*byte & 15));
                    }
}

tw_status tw__nibble_transfer(tw__pto_call *call, const tw_pto_tensor *g, const tw__plane *plane, bool load)
{
    tw_view tile, tensor;
    tw_pto_tensor bytes = *g;
    size_t last = 0, first = 0;
    unsigned operand = load ? 1 : 0;
    for (int d = 0; d < 5; d++) {
        if (g->shape[d] == 0) return TW_OK;
        if (g->stride[d] < 0)
            return tw__pto_refuse(call, operand, "global.nibbles",
                                  "tensors of 4-bit elements have no negative stride");
        last += (g->shape[d] - 1) * (size_t)g->stride[d];
    }
    bytes.type = TW_U8; /* for the shape alone: the extents of memory are judged below */
    bytes.window = (tw_window){ NULL, SIZE_MAX };
    tw_status status = tw__tensor_views(call, &bytes, plane, &tile, &tensor);
    if (status != TW_OK) return status;
    if (g->window.bytes) {
        const char *base = g->window.base, *at = g->data;
        first = (size_t)(at - base);
        if (at < base || first > g->window.bytes || last / 2 >= g->window.bytes - first)
            return tw__pto_refuse(call, operand, "global.bounds",
                                  "the tensor reaches outside the %zu bytes behind its pointer", g->window.bytes);
    }
    move(&tile, g, load);
    return TW_OK;
}
