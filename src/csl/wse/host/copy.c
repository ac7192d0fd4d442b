/* SPDX-License-Identifier: MIT */
/* copy: which element of the host's array belongs to which PE. */
#include "csl/wse/host/host.h"

static unsigned stride(unsigned given)
{
    return given ? given : 1;
}

/* PEs of the copy across and down. */
static size_t columns(const tw_wse_copy *c)
{
    return c->width ? 1 + (c->width - 1) / stride(c->row_stride) : 0;
}
static size_t rows(const tw_wse_copy *c)
{
    return c->height ? 1 + (c->height - 1) / stride(c->column_stride) : 0;
}

size_t tw__copy_shares(const tw_wse_copy *c)
{
    return columns(c) * rows(c);
}

/* The array is [rows][columns][elements] in row-major order, or the same with its indices reversed; a spread copy has
 * one column, or one row, which all share. */
tw__share tw__copy_share(const tw_wse_copy *c, size_t k)
{
    size_t across = columns(c), down = rows(c), i = k % across, j = k / across;
    tw__share share = { .x = c->x + (unsigned)i * stride(c->row_stride),
                        .y = c->y + (unsigned)j * stride(c->column_stride) };
    if (c->spread == TW_WSE_ROWS) across = 1, i = 0;
    if (c->spread == TW_WSE_COLUMNS) down = 1, j = 0;
    if (c->order == TW_WSE_COL_MAJOR) {
        share.first = i * down + j;
        share.step = across * down;
    } else {
        share.first = (j * across + i) * c->elements;
        share.step = 1;
    }
    return share;
}

size_t tw_wse_copy_words(const tw_wse_copy *c)
{
    size_t across = c->spread == TW_WSE_ROWS ? 1 : columns(c), down = c->spread == TW_WSE_COLUMNS ? 1 : rows(c),
           pes, words;
    if (!tw__mul_size(across, down, &pes) || !tw__mul_size(pes, c->elements, &words)) return 0;
    return words;
}
