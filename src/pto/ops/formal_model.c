/* SPDX-License-Identifier: MIT */
/* formal_model: instructions that the public formal model of the ISA has (PTO-ISA/pto-spec, asl/tile) and no chip
 * among the targets: sorting in groups, and access to memory by displacements in bytes, one per element. Profile cpu
 * has them. The model leaves the order of accesses that meet open; here it is row by row, so the last store stays. */
#include "pto/pto.h"

#include <math.h>

/* --- TSORT ---------------------------------------------------------------------------------------------------- */

enum { MOST_WIDTH = 64, DEFAULT_WIDTH = 32 };

static tw_status check_regions(tw__pto_call *call, unsigned i, const tw_pto_tile *with)
{
    const tw_pto_tile *t = tw__tile(call, i);
    if (tw__same(t->valid_rows, with->valid_rows) && tw__same(t->valid_cols, with->valid_cols)) return TW_OK;
    return tw__pto_refuse(call, i, "valid.same", "operand %u has a valid region of its own", i + 1);
}

tw_status tw__pto_check_sort_groups(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0);
    if (tw__tile(call, 1)->type != TW_U32) return tw__pto_refuse(call, 1, "type.index", "indexes are u32");
    if (dst->type != tw__tile(call, 2)->type)
        return tw__pto_refuse(call, 0, "type.same", "dst has the source's type");
    if (call->attrs->width < 0 || call->attrs->width > MOST_WIDTH)
        return tw__pto_refuse(call, TW__NO_OPERAND, "sort.width", "groups of %d elements: 1 to %d, 0 for %d",
                              call->attrs->width, MOST_WIDTH, DEFAULT_WIDTH);
    tw_status status = check_regions(call, 1, dst);
    return status == TW_OK ? check_regions(call, 2, dst) : status;
}

typedef struct sorted {
    double value;
    uint64_t bits;
    uint32_t index;
} sorted;

/* Strictly: what compares equal keeps its order, and so do NaN, which come last in both directions. */
static bool goes_before(const sorted *a, const sorted *b, bool descending)
{
    if (isnan(a->value) || isnan(b->value)) return !isnan(a->value) && isnan(b->value);
    return descending ? a->value > b->value : a->value < b->value;
}

static void sort_group(const tw__plane *dst, const tw__plane *index, const tw__plane *src, uint32_t row,
                       uint32_t col, uint32_t count, bool descending)
{
    sorted s[MOST_WIDTH];
    const size_t size = tw_type_size(src->type);
    for (uint32_t i = 0; i < count; i++) { /* read as a whole before the first is written: dst may be the source */
        sorted next = { .index = i };
        const unsigned char *at = src->at + row * src->row + (ptrdiff_t)(col + i) * src->col;
        memcpy(&next.bits, at, size);
        next.value = tw_type_load(src->type, at);
        uint32_t k = i;
        for (; k > 0 && goes_before(&next, &s[k - 1], descending); k--) s[k] = s[k - 1];
        s[k] = next;
    }
    for (uint32_t i = 0; i < count; i++) {
        memcpy(dst->at + row * dst->row + (ptrdiff_t)(col + i) * dst->col, &s[i].bits, size);
        memcpy(index->at + row * index->row + (ptrdiff_t)(col + i) * index->col, &s[i].index, sizeof s[i].index);
    }
}

tw_status tw__pto_run_sort_groups(tw__pto_call *call)
{
    const tw__plane *dst = &call->plane[0], *src = &call->plane[2];
    const uint32_t width = call->attrs->width ? (uint32_t)call->attrs->width : DEFAULT_WIDTH;
    for (uint32_t r = 0; r < dst->rows; r++)
        for (uint32_t c = 0; c < dst->cols; c += width)
            sort_group(dst, &call->plane[1], src, r, c, dst->cols - c < width ? dst->cols - c : width,
                       call->attrs->descending != 0);
    return TW_OK;
}

/* --- memory by displacement ----------------------------------------------------------------------------------- */

/* Operands: tile 0 or (MSCATTER_MASK) 1, tensor 1 or 0, displacements 2; `other`: masks, values that are compared. */
static tw_status check_displaced(tw__pto_call *call, unsigned tile, unsigned tensor)
{
    const tw_pto_tile *t = tw__tile(call, tile), *x = tw__tile(call, 2);
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    bool wide = x->type == TW_I64 || x->type == TW_U64;
    if (!wide && x->type != TW_I32 && x->type != TW_U32)
        return tw__pto_refuse(call, 2, "type.index", "displacements are integers of 32 or 64 bits");
    for (unsigned i = 0; i < call->count; i++)
        if (call->operand[i].kind == TW_PTO_TILE && tw__tile(call, i)->location != TW_PTO_VEC)
            return tw__pto_refuse(call, i, "location.vec", "operand %u must lie in vector memory", i + 1);
    ptrdiff_t stride = 1;
    for (int d = 4; d >= 0; d--) {
        if (g->layout != TW_PTO_ND || (g->shape[d] > 1 && g->stride[d] != stride))
            return tw__pto_refuse(call, tensor, "global.table",
                                  "bytes are counted in a contiguous table of layout nd");
        stride *= (ptrdiff_t)g->shape[d];
    }
    return check_regions(call, 2, t);
}

/* As TCMP writes masks: a bit per element, least significant first, every row begins a word. */
static tw_status check_bits(tw__pto_call *call, unsigned i, const tw_pto_tile *values)
{
    const tw_pto_tile *m = tw__tile(call, i);
    const uint32_t bits = 8 * (uint32_t)tw_type_size(m->type);
    if (m->blayout != TW_PTO_ROW_MAJOR || tw__tile_boxed(m))
        return tw__pto_refuse(call, i, "mask.layout", "a mask is row-major and not boxed");
    if (m->type != TW_U8 && m->type != TW_U32 && m->type != TW_I8 && m->type != TW_I32)
        return tw__pto_refuse(call, i, "mask.type", "a mask is u8 or u32");
    if (values->valid_cols != TW_PTO_DYNAMIC && (values->valid_cols + bits - 1) / bits > m->cols)
        return tw__pto_refuse(call, i, "mask.cols", "%u bits per row do not fit %u words of %u bits",
                              values->valid_cols, m->cols, bits);
    if (!tw__at_most(values->valid_rows, m->rows))
        return tw__pto_refuse(call, i, "mask.rows", "%u rows of bits do not fit the mask's %u rows",
                              values->valid_rows, m->rows);
    return TW_OK;
}

tw_status tw__pto_check_gather_masked(tw__pto_call *call)
{
    tw_status status = check_displaced(call, 0, 1);
    return status == TW_OK ? check_bits(call, 3, tw__tile(call, 0)) : status;
}

tw_status tw__pto_check_scatter_masked(tw__pto_call *call)
{
    tw_status status = check_displaced(call, 1, 0);
    return status == TW_OK ? check_bits(call, 3, tw__tile(call, 1)) : status;
}

tw_status tw__pto_check_gather_swap(tw__pto_call *call)
{
    tw_status status = check_displaced(call, 0, 1);
    for (unsigned i = 3; status == TW_OK && i <= 4; i++) status = check_regions(call, i, tw__tile(call, 0));
    return status;
}

typedef struct lanes {
    const tw__plane *tile, *index;
    const unsigned char *mask; /* first byte of its first row; NULL = all lanes are enabled */
    ptrdiff_t mask_row;
    unsigned char *table;
    uint64_t bytes; /* of the table */
    size_t size;    /* of an element */
} lanes;

static lanes lanes_of(const tw__pto_call *call, unsigned tile, unsigned tensor, bool masked)
{
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    lanes l = {
        .tile = &call->plane[tile], .index = &call->plane[2], .table = g->data, .size = tw_type_size(g->type)
    };
    l.bytes = l.size;
    for (int d = 0; d < 5; d++) l.bytes *= g->shape[d];
    if (!masked) return l;
    tw__plane mask = tw__plane_physical(call, 3);
    l.mask = mask.at;
    l.mask_row = mask.row;
    return l;
}

static bool is_enabled(const lanes *l, uint32_t r, uint32_t c)
{
    return !l->mask || (l->mask[(ptrdiff_t)r * l->mask_row + c / 8] >> (c % 8) & 1);
}

static int64_t displacement(const lanes *l, uint32_t r, uint32_t c)
{
    const unsigned char *at = l->index->at + (ptrdiff_t)r * l->index->row + (ptrdiff_t)c * l->index->col;
    int64_t wide;
    int32_t narrow;
    memcpy(&narrow, at, sizeof narrow);
    if (l->index->type == TW_I32) return narrow;
    if (l->index->type == TW_U32) return (uint32_t)narrow;
    memcpy(&wide, at, sizeof wide); /* u64 above the largest i64 lies outside like a negative one */
    return wide;
}

static unsigned char *lane(const tw__plane *p, uint32_t r, uint32_t c)
{
    return p->at + (ptrdiff_t)r * p->row + (ptrdiff_t)c * p->col;
}

/* All enabled lanes lie in the table, or nothing happens. */
static tw_status probe(tw__pto_call *call, const lanes *l, unsigned tensor)
{
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    if (!g->data) return tw__pto_refuse(call, tensor, "global.null", "the tensor has no memory");
    if (g->window.bytes) {
        uintptr_t base = (uintptr_t)g->window.base, at = (uintptr_t)g->data;
        if (at < base || at - base > g->window.bytes || l->bytes > g->window.bytes - (at - base))
            return tw__pto_refuse(call, tensor, "global.bounds",
                                  "the tensor reaches outside the %zu bytes behind its pointer", g->window.bytes);
    }
    for (uint32_t r = 0; r < l->tile->rows; r++)
        for (uint32_t c = 0; c < l->tile->cols; c++) {
            int64_t at = is_enabled(l, r, c) ? displacement(l, r, c) : 0;
            if (!is_enabled(l, r, c) || (at >= 0 && (uint64_t)at + l->size <= l->bytes)) continue;
            return tw__pto_refuse(call, 2, "index.bytes",
                                  "displacement %lld of element (%u, %u) is outside the table's %llu bytes",
                                  (long long)at, r, c, (unsigned long long)l->bytes);
        }
    return TW_OK;
}

/* The physical tile outside its valid region, if it has a pad value, and lanes that are not enabled. */
static tw_status pad(tw__pto_call *call, const lanes *l)
{
    const tw_pto_tile *t = tw__tile(call, 0);
    const uint64_t bits = tw__pad_bits(t->type, t->pad);
    tw__plane all = tw__plane_physical(call, 0);
    tw_status status = t->pad != TW_PTO_PAD_NULL ? tw__plane_fill(call, &all, &bits) : TW_OK;
    for (uint32_t r = 0; status == TW_OK && l->mask && r < l->tile->rows; r++)
        for (uint32_t c = 0; c < l->tile->cols; c++)
            if (!is_enabled(l, r, c)) memcpy(lane(l->tile, r, c), &bits, l->size);
    return status;
}

/* Tile to table or table to tile. Displacements are copied first where dst may be their tile. */
static tw_status move_lanes(tw__pto_call *call, unsigned tile, unsigned tensor, bool store)
{
    lanes l = lanes_of(call, tile, tensor, true);
    tw_status status = probe(call, &l, tensor);
    for (unsigned i = 2; status == TW_OK && !store && i <= 3; i++)
        if (tw__pto_shares(call, 0, i)) return tw__pto_refuse(call, i, "alias", "operand %u overlaps dst", i + 1);
    if (status == TW_OK && !store) status = pad(call, &l);
    for (uint32_t r = 0; status == TW_OK && r < l.tile->rows; r++)
        for (uint32_t c = 0; c < l.tile->cols; c++) {
            if (!is_enabled(&l, r, c)) continue;
            unsigned char *memory = l.table + displacement(&l, r, c), *value = lane(l.tile, r, c);
            memcpy(store ? memory : value, store ? value : memory, l.size);
        }
    return status;
}

tw_status tw__pto_run_gather_masked(tw__pto_call *call)
{
    return move_lanes(call, 0, 1, false);
}

tw_status tw__pto_run_scatter_masked(tw__pto_call *call)
{
    return move_lanes(call, 1, 0, true);
}

/* Old values to dst; replaced where their bits are those expected. */
tw_status tw__pto_run_gather_swap(tw__pto_call *call)
{
    lanes l = lanes_of(call, 0, 1, false);
    tw_status status = probe(call, &l, 1);
    for (unsigned i = 2; status == TW_OK && i <= 4; i++)
        if (tw__pto_shares(call, 0, i)) return tw__pto_refuse(call, i, "alias", "operand %u overlaps dst", i + 1);
    if (status == TW_OK) status = pad(call, &l);
    for (uint32_t r = 0; status == TW_OK && r < l.tile->rows; r++)
        for (uint32_t c = 0; c < l.tile->cols; c++) {
            unsigned char *memory = l.table + displacement(&l, r, c);
            bool equal = memcmp(memory, lane(&call->plane[3], r, c), l.size) == 0;
            memcpy(lane(l.tile, r, c), memory, l.size);
            if (equal) memcpy(memory, lane(&call->plane[4], r, c), l.size);
        }
    return status;
}
