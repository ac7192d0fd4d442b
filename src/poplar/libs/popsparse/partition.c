/* SPDX-License-Identifier: MIT */
/* The host's side: blocks to buckets and back. */
#include "poplar/libs/popsparse/sparse.h"

#include <stdlib.h>
#include <string.h>

typedef struct placed { /* a block of the matrix, in blocks */
    size_t region, row, column, number;
} placed;

static int placed_by_region(const void *x, const void *y)
{
    const placed *a = x, *b = y;
    return a->region != b->region   ? (a->region < b->region ? -1 : 1)
           : a->row != b->row       ? (a->row < b->row ? -1 : 1)
           : a->column != b->column ? (a->column < b->column ? -1 : 1)
                                    : (a->number > b->number) - (a->number < b->number);
}
static int placed_by_row(const void *x, const void *y)
{
    const placed *a = x, *b = y;
    return a->row != b->row         ? (a->row < b->row ? -1 : 1)
           : a->column != b->column ? (a->column < b->column ? -1 : 1)
                                    : (a->number > b->number) - (a->number < b->number);
}

/* Where a block belongs; false, with an error: it is not in the matrix. */
static bool partition_place(const tw__sparse_plan *p, tw_graph *graph, const char *call, size_t row, size_t column,
                            placed *out)
{
    if (row % p->p.block_rows || column % p->p.block_columns || row >= p->p.groups * p->p.rows ||
        column >= p->p.columns) {
        tw_graph_fail(graph, TW_E_POPLIBS, call,
                      "a block at [%zu, %zu] is none of %zu x %zu in blocks of %zu x %zu", row, column,
                      p->p.groups * p->p.rows, p->p.columns, p->p.block_rows, p->p.block_columns);
        return false;
    }
    size_t line = row / p->p.block_rows, across = column / p->p.block_columns, group = line / p->grid_rows;
    line %= p->grid_rows;
    out->region = tw__sparse_region(p, group, line / p->x_block, across / p->y_block);
    out->row = line % p->x_block, out->column = across % p->y_block;
    return true;
}

/* Puts a block into a bucket, which has room. */
static size_t partition_put(const tw__sparse_plan *p, const placed *b, size_t bucket, uint16_t *meta)
{
    uint16_t *own = meta + bucket * p->words, *word = own + 1 + TW__SPARSE_WORDS * (size_t)own[0];
    word[0] = (uint16_t)b->region, word[1] = (uint16_t)b->row, word[2] = (uint16_t)b->column;
    return bucket * p->capacity + own[0]++;
}

/* To the bucket of its region, then to the nearest behind it with room. */
static void partition_deal(const tw__sparse_plan *p, const placed *blocks, size_t count, uint16_t *meta,
                           size_t *slot)
{
    memset(meta, 0, (p->regions * p->words + 1) * sizeof *meta);
    g_autofree size_t *rest = g_new(size_t, count + 1);
    size_t left = 0, far = 0;
    bool home = !p->force_spills || p->regions == 1;
    for (size_t i = 0; i < count; i++)
        if (home && meta[blocks[i].region * p->words] < p->capacity)
            slot[blocks[i].number] = partition_put(p, &blocks[i], blocks[i].region, meta);
        else
            rest[left++] = i;
    for (size_t k = 0, step = 1; k < left; k++) { /* blocks of a region follow one another: none looks back */
        const placed *b = &blocks[rest[k]];
        if (k && blocks[rest[k - 1]].region != b->region) step = 1;
        while (meta[(b->region + step) % p->regions * p->words] >= p->capacity) step++;
        slot[b->number] = partition_put(p, b, (b->region + step) % p->regions, meta);
        far = MAX(far, step % p->regions); /* at home after all, where no other bucket has room */
    }
    meta[p->regions * p->words] = (uint16_t)far;
}

bool tw_popsparse_partition(tw_graph *graph, tw_type type, const tw_sparse_params *params, size_t blocks,
                            const size_t *row, const size_t *column, uint16_t *meta, size_t *slot,
                            const char *const *options)
{
    tw__sparse_plan p;
    if (!tw__sparse_make_plan(&p, graph, __func__, type, params, options) ||
        !tw__libs_list(graph, __func__, "rows", blocks, row) ||
        !tw__libs_list(graph, __func__, "columns", blocks, column) ||
        !tw__libs_list(graph, __func__, "slots", blocks, slot) ||
        !tw__libs_list(graph, __func__, "meta data", p.regions * p.words + 1, meta))
        return false;
    if (blocks > p.regions * p.capacity) {
        TW__LIBS_REFUSE(graph,
                        "%zu blocks of %zu x %zu do not fit into %zu buckets of %zu; the matrix was planned "
                        "for %zu values",
                        blocks, p.p.block_rows, p.p.block_columns, p.regions, p.capacity, p.p.values);
        return false;
    }
    g_autofree placed *list = g_new(placed, blocks + 1);
    for (size_t i = 0; i < blocks; i++) {
        if (!partition_place(&p, graph, __func__, row[i], column[i], &list[i])) return false;
        list[i].number = i;
    }
    qsort(list, blocks, sizeof *list, placed_by_region);
    for (size_t i = 1; i < blocks; i++) {
        const placed *a = &list[i - 1], *b = &list[i];
        if (a->region != b->region || a->row != b->row || a->column != b->column) continue;
        TW__LIBS_REFUSE(graph, "the block at [%zu, %zu] is there twice", row[b->number], column[b->number]);
        return false;
    }
    partition_deal(&p, list, blocks, meta, slot);
    return true;
}

/* Block `i` of a bucket, at its place in the matrix; false: the words say no such thing. */
static bool partition_read(const tw__sparse_plan *p, const uint16_t *meta, size_t bucket, size_t i, placed *out)
{
    const uint16_t *word = meta + bucket * p->words + 1 + TW__SPARSE_WORDS * i;
    size_t y = word[0] % p->y_parts, x = word[0] / p->y_parts % p->x_parts,
           group = word[0] / p->y_parts / p->x_parts;
    size_t row = x * p->x_block + word[1], column = y * p->y_block + word[2];
    out->row = (group * p->grid_rows + row) * p->p.block_rows, out->column = column * p->p.block_columns;
    out->number = bucket * p->capacity + i;
    return word[0] < p->regions && word[1] < p->x_block && word[2] < p->y_block && row < p->grid_rows &&
           column < p->grid_columns;
}

size_t tw_popsparse_unpartition(tw_graph *graph, tw_type type, const tw_sparse_params *params, const uint16_t *meta,
                                size_t *row, size_t *column, size_t *slot, size_t room, const char *const *options)
{
    tw__sparse_plan p;
    if (!tw__sparse_make_plan(&p, graph, __func__, type, params, options) ||
        !tw__libs_list(graph, __func__, "meta data", p.regions * p.words + 1, meta) ||
        !tw__libs_list(graph, __func__, "rows", room, row) ||
        !tw__libs_list(graph, __func__, "columns", room, column) ||
        !tw__libs_list(graph, __func__, "slots", room, slot))
        return 0;
    g_autofree placed *list = g_new(placed, p.regions * p.capacity + 1);
    size_t count = 0;
    for (size_t bucket = 0; bucket < p.regions; bucket++)
        for (size_t i = 0; i < meta[bucket * p.words]; i++) {
            if (i < p.capacity && partition_read(&p, meta, bucket, i, &list[count++])) continue;
            TW__LIBS_REFUSE(graph, "bucket %zu holds no blocks of this matrix", bucket);
            return 0;
        }
    qsort(list, count, sizeof *list, placed_by_row);
    for (size_t i = 0; i < MIN(count, room); i++)
        row[i] = list[i].row, column[i] = list[i].column, slot[i] = list[i].number;
    return count;
}
