/* SPDX-License-Identifier: MIT */
/* sort: blocks of 32 with their indexes, and merging of sorted lists. A sorted element takes 8
 * bytes:
 * f32 value and u32 index, or f16 value, zero, u32 index. */
#include "pto/pto.h"
#include "pto/ops/extra_kernels.h"

#include <stdlib.h>

enum { PAIR = 8, BLOCK = 32 };
static const tw_window anywhere = { NULL, SIZE_MAX };

tw_status tw__pto_check_sort32(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1), *x = tw__tile(call, 2);
    uint32_t wide = PAIR / (uint32_t)tw_type_size(src->type);
    if (dst->type != src->type) return tw__pto_refuse(call, 0, "type.same", "dst has the source's type");
    if (x->type != TW_U32) return tw__pto_refuse(call, 2, "type.index", "indexes must be u32");
    if (dst->blayout != TW_PTO_ROW_MAJOR || tw__tile_boxed(dst))
        return tw__pto_refuse(call, 0, "layout.row-major", "dst must be row-major");
    if (src->valid_cols == TW_PTO_DYNAMIC || src->valid_rows == TW_PTO_DYNAMIC) return TW_OK;
    if (call->row->operands == 3 && src->valid_cols % BLOCK)
        return tw__pto_refuse(call, 1, "sort.block", "%u valid columns are not a multiple of 32: tmp is needed",
                              src->valid_cols);
    if ((uint64_t)src->valid_cols * wide > dst->cols || src->valid_rows > dst->rows)
        return tw__pto_refuse(call, 0, "sort.room", "%u columns take %u in dst, which has %u", src->valid_cols,
                              src->valid_cols * wide, dst->cols);
    if (!tw__at_most(src->valid_cols, x->valid_cols) || x->valid_rows == 0)
        return tw__pto_refuse(call, 2, "index.same", "an index for each column is needed");
    return TW_OK;
}

/* Sorts `rows` x `cols` from column `first` of keys and indexes on, in place. */
static tw_status sort_part(const tw__plane *keys, const tw__plane *index, uint32_t first, uint32_t blocks,
                           uint32_t cols)
{
    tw_view k = { .base = keys->at + first * keys->col,
                  .type = keys->type,
                  .rank = 3,
                  .extent = { keys->rows, blocks, cols },
                  .stride = { keys->row, (ptrdiff_t)cols * keys->col, keys->col } };
    tw_view x = k;
    x.base = index->at + first * index->col;
    x.type = TW_U32;
    x.stride[0] = index->row;
    x.stride[1] = (ptrdiff_t)cols * index->col;
    x.stride[2] = index->col;
    return blocks && cols ? tw_vec_sort(&k, &x, true, anywhere) : TW_OK;
}

tw_status tw__pto_run_sort32(tw__pto_call *call)
{
    tw__plane src = call->plane[1], x = call->plane[2], dst = call->plane[0];
    if (src.rows == 0 || src.cols == 0) return TW_OK;
    tw__plane keys = tw__plane_new(call->core, src.type, src.rows, src.cols),
              index = tw__plane_new(call->core, TW_U32, src.rows, src.cols);
    if (!keys.at || !index.at) return TW_E_NO_MEMORY;
    x.cols = src.cols;
    if (x.rows < src.rows) x.row = 0; /* one row of indexes for all */
    x.rows = src.rows;
    tw_status status = tw__plane_copy(&keys, &src);
    if (status == TW_OK) status = tw__plane_copy(&index, &x);
    if (status == TW_OK) status = sort_part(&keys, &index, 0, src.cols / BLOCK, BLOCK);
    if (status == TW_OK) status = sort_part(&keys, &index, src.cols / BLOCK * BLOCK, 1, src.cols % BLOCK);
    static const uint64_t zero;
    tw__plane pair = dst;
    pair.rows = src.rows;
    pair.cols = src.cols;
    pair.col = PAIR;
    pair.type = TW_U64;
    if (status == TW_OK) status = tw__plane_fill(call, &pair, &zero);
    pair.type = src.type;
    if (status == TW_OK) status = tw__plane_copy(&pair, &keys);
    pair.at += PAIR / 2;
    pair.type = TW_U32;
    return status == TW_OK ? tw__plane_copy(&pair, &index) : status;
}

/* Pairs in place, ordered by their values; equal ones keep their order. */
static tw_status sort_pairs(tw__pto_call *call, unsigned char *pairs, size_t count, tw_type type)
{
    size_t bytes;
    void *keys = tw__mul_size(count, tw_type_size(type), &bytes) ? tw__pto_scratch(call->core, bytes) : NULL;
    if (!keys) return TW_E_NO_MEMORY;
    tw_view k = tw_view_1d(keys, type, count, (ptrdiff_t)tw_type_size(type)),
            from = tw_view_1d(pairs, type, count, PAIR);
    tw_view values = tw_view_1d(pairs, TW_U64, count, PAIR);
    tw_status status = tw_vec_copy_view(&k, &from, anywhere);
    return status == TW_OK ? tw_vec_sort(&k, &values, true, anywhere) : status;
}

static bool one_row(const tw_pto_tile *t)
{
    return t->rows == 1 && !tw__tile_boxed(t) && t->blayout == TW_PTO_ROW_MAJOR;
}

tw_status tw__pto_check_merge_blocks(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    uint64_t block = call->operand[2].scalar.bits & UINT32_MAX;
    if (dst->type != src->type) return tw__pto_refuse(call, 0, "type.same", "dst has the source's type");
    if (!one_row(dst) || !one_row(src)) return tw__pto_refuse(call, 1, "merge.rows", "source and dst have one row");
    if (!tw__at_most(src->valid_cols, dst->cols))
        return tw__pto_refuse(call, 0, "merge.room", "dst is shorter than the source");
    if (!call->core) return TW_OK;
    if (block == 0 || block % 64)
        return tw__pto_refuse(call, 2, "merge.block", "block length %llu: a multiple of 64",
                              (unsigned long long)block);
    if (src->valid_cols % (4 * block) || src->valid_cols / (4 * block) > 255)
        return tw__pto_refuse(call, 2, "merge.groups", "%u columns are not 1 to 255 groups of four blocks of %llu",
                              src->valid_cols, (unsigned long long)block);
    return TW_OK;
}

tw_status tw__pto_run_merge_blocks(tw__pto_call *call)
{
    tw__plane src = call->plane[1], dst = tw__plane_physical(call, 0);
    size_t group = 4 * (size_t)(call->operand[2].scalar.bits & UINT32_MAX), size = tw_type_size(src.type);
    tw_status status = tw__plane_copy(&dst, &src);
    for (size_t at = 0; status == TW_OK && at < src.cols; at += group)
        status = sort_pairs(call, dst.at + at * size, group * size / PAIR, src.type);
    return status;
}

/* dst, executed, tmp, two to four lists. */
tw_status tw__pto_check_merge_lists(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *executed = tw__tile(call, 1);
    uint64_t sum = 0;
    if (executed->type != TW_U16 && executed->type != TW_I16)
        return tw__pto_refuse(call, 1, "type.index", "counts are 16-bit");
    if (executed->cols < 4) return tw__pto_refuse(call, 1, "merge.counts", "room for four counts is needed");
    for (unsigned i = 3; i < call->count; i++) {
        const tw_pto_tile *t = tw__tile(call, i);
        if (t->type != dst->type) return tw__pto_refuse(call, i, "type.same", "lists have dst's type");
        if (!one_row(t) || !one_row(dst))
            return tw__pto_refuse(call, i, "merge.rows", "lists and dst have one row");
        if (t->valid_cols == TW_PTO_DYNAMIC) return TW_OK;
        sum += t->valid_cols;
        if (t->valid_cols * tw_type_size(t->type) % PAIR ||
            t->valid_cols * tw_type_size(t->type) / PAIR > UINT16_MAX)
            return tw__pto_refuse(call, i, "merge.pairs", "a list holds whole elements of 8 bytes, at most 65535");
    }
    if (sum > dst->cols)
        return tw__pto_refuse(call, 0, "merge.room", "the lists have %llu columns and dst %u",
                              (unsigned long long)sum, dst->cols);
    return TW_OK;
}

tw_status tw__pto_run_merge_lists(tw__pto_call *call)
{
    tw__plane dst = tw__plane_physical(call, 0);
    size_t size = tw_type_size(dst.type);
    uint16_t used[4] = { 0 };
    tw_view keys[4];
    unsigned lists = call->count - 3;
    uint32_t total = 0;
    for (unsigned l = 0; l < lists; l++) {
        tw__plane *p = &call->plane[3 + l];
        keys[l] = tw_view_1d(p->at, p->type, p->cols * size / PAIR, PAIR);
        used[l] = (uint16_t)keys[l].extent[0];
    }
    if (call->attrs->exhausted) tw__extra_merge(keys, lists, used);
    for (unsigned l = 0; l < lists; l++) total += used[l];
    tw__plane all = tw__plane_new(call->core, TW_U64, 1, total ? total : 1), to = all;
    tw_status status = all.at ? TW_OK : TW_E_NO_MEMORY;
    for (unsigned l = 0; status == TW_OK && l < lists; l++) {
        tw__plane from = {
            .at = call->plane[3 + l].at, .rows = 1, .cols = used[l], .type = TW_U64, .col = PAIR, .row = PAIR
        };
        status = tw__plane_copy(&to, &from);
        to.at += (size_t)used[l] * PAIR;
    }
    if (status == TW_OK && total) status = sort_pairs(call, all.at, total, dst.type);
    tw__plane out = dst;
    out.type = TW_U64;
    out.col = PAIR;
    all.cols = total;
    if (status == TW_OK) status = tw__plane_copy(&out, &all);
    for (unsigned l = 0; status == TW_OK && l < 4; l++)
        memcpy(call->plane[1].at + l * call->plane[1].col, &used[l], sizeof *used);
    return status;
}
