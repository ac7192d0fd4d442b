/* SPDX-License-Identifier: MIT */
/* fifo_slot: what lies in a slot of a FIFO: a matrix in rows, in columns (NZ2DN) or in boxes of 16 rows (NZ2NZ), the
 * whole of it and the part of one vector core; what a push says about it and a pop has to agree with. */
#include "pto/grid/grid.h"

enum { BOX_ROWS = 16, BOX_BYTES = 32 };

static unsigned char *slot_memory(const tw__queue *q, uint64_t n)
{
    return q->memory + n % q->as.slots * q->as.slot_bytes;
}

/* Bytes of n elements; types of 4 bits lie in pairs. */
static uint64_t bytes_of(tw_type type, uint64_t n)
{
    return tw_type_get(type)->bits == 4 ? (n + 1) / 2 : n * tw_type_size(type);
}

/* Columns of a box. The cube's boxes are 16 x 16; bytes are joined to 32 columns, channel split halves those of 4
 * bytes (the manual names it; the extents are those of the fixed pipe: estimated). */
static uint32_t box_cols(tw_type type, bool channel_split)
{
    if (tw_type_get(type)->bits == 4) return 64;
    return tw_type_size(type) == 1 ? BOX_BYTES : channel_split ? BOX_BYTES / 4 : 16;
}

tw__part tw__pto_part_of(const tw__pto_call *call, const tw__queue *q, bool is_cube_side, uint64_t rows,
                         uint64_t cols)
{
    unsigned vectors = q->as.direction == TW_PTO_CUBE_TO_VECTOR ? q->consumers : q->producers;
    unsigned parts = is_cube_side ? 1 : (unsigned)__builtin_popcount(vectors),
             mine = call->core->identity.sub_block;
    tw__part p = { rows, cols, 0, 0 };
    if (call->attrs->split == TW_PTO_SPLIT_UP_DOWN) p.rows *= parts, p.row = mine * rows;
    if (call->attrs->split == TW_PTO_SPLIT_LEFT_RIGHT) p.cols *= parts, p.col = mine * cols;
    return p;
}

tw_pto_tensor tw__slot_tensor(const tw__queue *q, uint64_t n, const tw__queue_slot *slot, const tw__part *p,
                              uint64_t rows, uint64_t cols)
{
    unsigned char *base = slot_memory(q, n);
    tw_pto_tensor g = tw_pto_tensor_of(base, slot->type, (size_t)rows, (size_t)cols, slot->layout);
    uint64_t first = p->row * p->cols + p->col;
    if (slot->layout == TW_PTO_NZ) {
        const size_t shape[5] = { 1, cols / slot->box, rows / BOX_ROWS, BOX_ROWS, slot->box };
        memcpy(g.shape, shape, sizeof shape);
        g.stride[4] = 1;
        g.stride[3] = (ptrdiff_t)slot->box;
        g.stride[2] = (ptrdiff_t)(BOX_ROWS * slot->box);
        g.stride[0] = g.stride[1] = (ptrdiff_t)(p->rows * slot->box);
        first = p->row * slot->box + p->col * p->rows;
    } else if (slot->layout == TW_PTO_DN) {
        g.stride[4] = (ptrdiff_t)p->rows;
        first = p->col * p->rows + p->row;
    } else {
        for (int d = 0; d < 4; d++) g.stride[d] = (ptrdiff_t)p->cols;
    }
    g.data = base + bytes_of(slot->type, first);
    g.window = (tw_window){ base, q->as.slot_bytes };
    return g;
}

/* Extents of the part and where it begins, in a layout of boxes and in halves of bytes. */
static tw_status check_part(tw__pto_call *call, const tw__queue_slot *slot, const tw__part *p, uint64_t rows,
                            uint64_t cols)
{
    uint64_t first = slot->layout == TW_PTO_DN ? p->col * p->rows + p->row : p->row * p->cols + p->col;
    if (slot->layout == TW_PTO_NZ && (rows % BOX_ROWS || cols % slot->box))
        return tw__pto_refuse(call, 1, "fifo.boxes", "%llu x %llu is no number of boxes of %d x %u",
                              (unsigned long long)rows, (unsigned long long)cols, BOX_ROWS, slot->box);
    if (tw_type_get(slot->type)->bits == 4 && (slot->layout != TW_PTO_ND || first % 2 || cols % 2))
        return tw__pto_refuse(call, 1, "fifo.nibbles",
                              "elements of 4 bits lie in a slot in rows of whole bytes, each part of its own");
    return TW_OK;
}

/* What a push says about its slot: the first producer says it, the second must say the same. */
tw_status tw__slot_describe(tw__pto_call *call, tw__queue *q, tw_type type, const tw__part *p, uint64_t rows,
                            uint64_t cols)
{
    static const tw_pto_layout layouts[] = { TW_PTO_ND, TW_PTO_NZ, TW_PTO_DN };
    const tw_pto_attrs *a = call->attrs;
    uint64_t n = q->pushed[call->core->seat->number], bytes = bytes_of(type, p->rows * p->cols);
    tw__queue_slot *slot = tw__queue_at(q, n), now = { .type = type,
                                                       .layout = layouts[a->slot_layout],
                                                       .box = box_cols(type, a->channel_split),
                                                       .rows = (uint32_t)p->rows,
                                                       .cols = (uint32_t)p->cols,
                                                       .split = (unsigned)a->split,
                                                       .skipped = a->sub_block == 1   ? q->consumers & 4
                                                                  : a->sub_block == 2 ? q->consumers & 2
                                                                                      : 0,
                                                       .number = n + 1,
                                                       .free_at = slot->free_at };
    if (bytes > q->as.slot_bytes)
        return tw__pto_refuse(call, 1, "fifo.slot-size", "%llu x %llu %s need %llu bytes, a slot has %u",
                              (unsigned long long)p->rows, (unsigned long long)p->cols,
                              tw_type_name(type, TW_SYSTEM_PTO), (unsigned long long)bytes, q->as.slot_bytes);
    tw_status status = check_part(call, &now, p, rows, cols);
    if (status != TW_OK) return status;
    if (slot->number != n + 1) {
        *slot = now;
        return TW_OK;
    }
    if (slot->type != type || slot->rows != now.rows || slot->cols != now.cols || slot->split != now.split)
        return tw__pto_refuse(call, 1, "fifo.parts",
                              "the other vector core pushed a part of %u x %u %s, this one of %u x %u %s",
                              slot->rows, slot->cols, tw_type_name(slot->type, TW_SYSTEM_PTO), now.rows, now.cols,
                              tw_type_name(type, TW_SYSTEM_PTO));
    return TW_OK;
}

static const char *layout_words(const tw__queue_slot *slot, char buf[48])
{
    if (slot->layout == TW_PTO_NZ)
        snprintf(buf, 48, "boxes of %d x %u", BOX_ROWS, slot->box);
    else
        snprintf(buf, 48, "%s", slot->layout == TW_PTO_DN ? "columns" : "rows");
    return buf;
}

/* Bytes of a slot come into the tile as they lie: a tile of columns takes columns, boxes take boxes of their extents.
 * */
static tw_status check_layout(tw__pto_call *call, const tw__queue_slot *slot, const tw_pto_tile *t)
{
    char words[48];
    bool vector = t->rows == 1 || t->cols == 1;
    unsigned box = t->fractal == 1024 ? 16 : (unsigned)(BOX_BYTES / tw_type_size(t->type));
    bool nz = tw__tile_boxed(t) && t->blayout == TW_PTO_COL_MAJOR && t->slayout == TW_PTO_BOX_ROW;
    bool fits = slot->layout == TW_PTO_NZ   ? nz && box == slot->box
                : slot->layout == TW_PTO_DN ? vector || t->blayout == TW_PTO_COL_MAJOR
                                            : true; /* TLOAD says what it takes */
    if (fits) return TW_OK;
    return tw__pto_refuse(call, 1, "fifo.layout", "the slot holds %s, and the tile has another layout",
                          layout_words(slot, words));
}

tw_status tw__slot_agrees(tw__pto_call *call, const tw__queue_slot *slot, const tw_pto_tile *t, const tw__part *p)
{
    if (slot->split != (unsigned)call->attrs->split)
        return tw__pto_refuse(call, TW__NO_OPERAND, "fifo.split", "pushed with split %u, popped with split %d",
                              slot->split, call->attrs->split);
    if (slot->type != t->type || slot->rows != p->rows || slot->cols != p->cols)
        return tw__pto_refuse(
            call, 1, "fifo.tile", "the slot holds %u x %u %s; a tile of %u x %u %s takes its part of %llu x %llu",
            slot->rows, slot->cols, tw_type_name(slot->type, TW_SYSTEM_PTO), t->valid_rows, t->valid_cols,
            tw_type_name(t->type, TW_SYSTEM_PTO), (unsigned long long)p->rows, (unsigned long long)p->cols);
    tw_status status = check_layout(call, slot, t);
    return status == TW_OK ? check_part(call, slot, p, t->valid_rows, t->valid_cols) : status;
}

/* min(x, limit) of what a push has stored, in the type of the slot. */
tw_status tw__slot_clip(tw__pto_call *call, const tw_pto_tensor *g, float limit)
{
    const tw_type types[] = { g->type, g->type, g->type };
    const tw_vec_kernel *k = tw__pto_kernel(call->core, TW_VEC_MIN, types, NULL);
    unsigned char value[8] = { 0 };
    if (!k) return tw__pto_refuse(call, 1, "fifo.clip", "%s", tw_error_message());
    tw_type_store(g->type, value, limit);
    tw_view all = { .base = g->data, .type = g->type, .rank = 5 },
            one = { .base = value, .type = g->type, .rank = 5 };
    for (int d = 0; d < 5; d++) {
        all.extent[d] = one.extent[d] = g->shape[d];
        all.stride[d] = g->stride[d] * (ptrdiff_t)tw_type_size(g->type);
    }
    return tw_vec_apply(k, (tw_view[]){ all, all, one }, (tw_window){ NULL, SIZE_MAX }, NULL);
}

/* The tensor becomes a view of this core's part of slot n. */
tw_status tw__slot_lend(tw__pto_call *call, tw__queue *q, uint64_t n, bool cube)
{
    tw_pto_tensor *g = call->operand[1].tensor;
    size_t rows, cols, size = tw_type_size(g->type);
    tw_pto_tensor_extents(g, &rows, &cols);
    tw__part p = tw__pto_part_of(call, q, cube, rows, cols);
    unsigned char *base = slot_memory(q, n);
    ptrdiff_t at = (ptrdiff_t)p.row * g->stride[3] + (ptrdiff_t)p.col * g->stride[4];
    g->window = (tw_window){ base, q->as.slot_bytes };
    if (at < 0 || (uint64_t)at * size > q->as.slot_bytes)
        return tw__pto_refuse(call, 1, "fifo.slot-size", "the view begins past the %u bytes of a slot",
                              q->as.slot_bytes);
    g->data = base + (size_t)at * size;
    tw_view view = { .base = g->data, .type = g->type, .rank = 5 };
    for (int d = 0; d < 5; d++) {
        view.extent[d] = g->shape[d];
        view.stride[d] = g->stride[d] * (ptrdiff_t)size;
    }
    if (tw_view_check(&view, g->window) != TW_OK)
        return tw__pto_refuse(call, 1, "fifo.slot-size", "the view reaches past the %u bytes of a slot",
                              q->as.slot_bytes);
    return TW_OK;
}
