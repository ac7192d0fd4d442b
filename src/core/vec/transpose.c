/* SPDX-License-Identifier: MIT */
/* transpose: copies between views. Dimensions are joined where both sides allow it; when the two sides have different
 * fastest dimensions, the copy goes in square tiles, so that each cache line read and written is used whole. */
#include "core/vec/vec.h"

#include <string.h>

enum { TILE = 16 };

typedef struct dims {
    unsigned rank;
    size_t extent[TW_VIEW_RANK];
    ptrdiff_t to[TW_VIEW_RANK], from[TW_VIEW_RANK];
} dims;

static size_t magnitude(ptrdiff_t stride)
{
    return stride < 0 ? 0 - (size_t)stride : (size_t)stride;
}

static dims transpose_join(const tw_view *dst, const tw_view *src)
{
    dims out = { 0 };
    for (unsigned d = 0; d < dst->rank; d++) {
        size_t extent = dst->extent[d];
        if (extent == 1) continue;
        unsigned last = out.rank - 1;
        if (out.rank > 0 && (size_t)out.to[last] == (size_t)dst->stride[d] * extent &&
            (size_t)out.from[last] == (size_t)src->stride[d] * extent) {
            out.extent[last] *= extent;
            out.to[last] = dst->stride[d];
            out.from[last] = src->stride[d];
            continue;
        }
        out.extent[out.rank] = extent;
        out.to[out.rank] = dst->stride[d];
        out.from[out.rank++] = src->stride[d];
    }
    return out;
}

/* Moves dimension d to the end, keeping the order of the others. */
static void to_end(dims *x, unsigned d)
{
    size_t extent = x->extent[d];
    ptrdiff_t to = x->to[d], from = x->from[d];
    for (; d + 1 < x->rank; d++) {
        x->extent[d] = x->extent[d + 1];
        x->to[d] = x->to[d + 1];
        x->from[d] = x->from[d + 1];
    }
    x->extent[d] = extent;
    x->to[d] = to;
    x->from[d] = from;
}

/* The order of a plain copy is free: the destination's fastest dimension goes last, the source's next to it. */
static void sort_dims(dims *x)
{
    for (int side = 0; side < 2; side++) {
        const ptrdiff_t *stride = side == 0 ? x->from : x->to;
        unsigned fastest = x->rank - 1;
        for (unsigned d = x->rank; d-- > 0;)
            if (magnitude(stride[d]) < magnitude(stride[fastest])) fastest = d;
        to_end(x, fastest);
    }
}

/* Rows of whole bytes. Sizes known to the compiler become a few moves: the boxes of a tile have rows of 32 and 64. */
static void copy_rows(char *to, ptrdiff_t to_row, const char *from, ptrdiff_t from_row, size_t rows, size_t bytes)
{
    typedef uint64_t __attribute__((vector_size(16), aligned(1), may_alias)) part;
#define COPY(parts)                                                               \
    for (size_t i = 0; i < rows; i++) {                                           \
        part *d = (part *)((uintptr_t)to + i * (size_t)to_row), x[parts];         \
        const part *s = (const part *)((uintptr_t)from + i * (size_t)from_row);   \
        for (int j = 0; j < parts; j++) x[j] = s[j]; /* all read, then written */ \
        for (int j = 0; j < parts; j++) d[j] = x[j];                              \
    }                                                                             \
    break
    switch (bytes) {
    case 16: COPY(1);
    case 32: COPY(2);
    case 64: COPY(4);
    default:
        for (size_t i = 0; i < rows; i++)
            memmove((char *)((uintptr_t)to + i * (size_t)to_row),
                    (const char *)((uintptr_t)from + i * (size_t)from_row), bytes);
    }
#undef COPY
}

static void copy_tile(char *to, const char *from, const dims *x, size_t rows, size_t columns, size_t size)
{
    unsigned row = x->rank - 2, column = x->rank - 1;
    if (x->to[column] == (ptrdiff_t)size && x->from[column] == (ptrdiff_t)size) {
        copy_rows(to, x->to[row], from, x->from[row], rows, columns * size);
        return;
    }
    for (size_t i = 0; i < rows; i++)
        tw__move(columns, (char *)((uintptr_t)to + i * (size_t)x->to[row]), x->to[column],
                 (const char *)((uintptr_t)from + i * (size_t)x->from[row]), x->from[column], size);
}

/* A whole tile by way of a buffer: with a power of two between columns their lines fall into one set of the cache, so
 * each is read once, whole, before any is read again: more than twice the speed for 4096 x 4096 f32. */
static void turn_tile(char *to, const char *from, const dims *x, size_t size)
{
    unsigned row = x->rank - 2, column = x->rank - 1;
    char tile[TILE * TILE * 16];
    for (size_t j = 0; j < TILE; j++)
        tw__move(TILE, tile + j * TILE * size, (ptrdiff_t)size,
                 (const char *)((uintptr_t)from + j * (size_t)x->from[column]), x->from[row], size);
    for (size_t i = 0; i < TILE; i++)
        tw__move(TILE, (char *)((uintptr_t)to + i * (size_t)x->to[row]), x->to[column], tile + i * size,
                 (ptrdiff_t)(TILE * size), size);
}

/* Both sides have their fastest dimension, of the two innermost, side by side: squares of a cache line each way are
 * turned in registers. Where the lines of a square would share a few sets of the cache, they are fetched whole
 * first. */
static void turn_plane(char *to, const char *from, const dims *x, size_t size, tw__turn *turn)
{
    enum { LINE = 64, FAR = 2048 };
    unsigned row = x->rank - 2, column = x->rank - 1;
    size_t rows = x->extent[row], columns = x->extent[column], side = LINE / size;
    ptrdiff_t to_row = x->to[row], from_column = x->from[column];
    bool far = magnitude(from_column) >= FAR;
    char square[LINE * LINE];
    if (!far) {
        turn(columns, rows, to, to_row, from, from_column);
        return;
    }
    for (size_t i = 0; i < rows; i += side)
        for (size_t j = 0; j < columns; j += side) {
            size_t m = rows - i < side ? rows - i : side, n = columns - j < side ? columns - j : side;
            const char *source = (const char *)((uintptr_t)from + j * (size_t)from_column + i * size);
            for (size_t k = 0; k < n; k++, source = (const char *)((uintptr_t)source + (size_t)from_column))
                memcpy(square + k * LINE, source, m * size);
            turn(n, m, (char *)((uintptr_t)to + i * (size_t)to_row + j * size), to_row, square, LINE);
        }
}

/* The two innermost dimensions. */
static void copy_plane(char *to, const char *from, const dims *x, size_t size, tw__turn *turn)
{
    unsigned row = x->rank - 2, column = x->rank - 1;
    size_t rows = x->extent[row], columns = x->extent[column];
    bool aligned = magnitude(x->from[column]) <= magnitude(x->from[row]);
    size_t high = aligned ? rows : TILE, wide = aligned ? columns : TILE;
    if (!aligned && turn && x->to[column] == (ptrdiff_t)size && x->from[row] == (ptrdiff_t)size) {
        turn_plane(to, from, x, size, turn);
        return;
    }
    for (size_t i = 0; i < rows; i += high)
        for (size_t j = 0; j < columns; j += wide) {
            char *at = (char *)((uintptr_t)to + i * (size_t)x->to[row] + j * (size_t)x->to[column]);
            const char *source =
                (const char *)((uintptr_t)from + i * (size_t)x->from[row] + j * (size_t)x->from[column]);
            size_t m = rows - i < high ? rows - i : high, n = columns - j < wide ? columns - j : wide;
            if (!aligned && m == TILE && n == TILE && size <= 16)
                turn_tile(at, source, x, size);
            else
                copy_tile(at, source, x, m, n, size);
        }
}

/* A plain transpose of a matrix, anywhere in memory: the short way for tiles of a few cache lines. */
static bool copied_matrix(const tw_view *dst, const tw_view *src, tw_window window, size_t size)
{
    tw__turn *turn = tw__turn_of(size);
    if (dst->rank != 2 || !turn || window.base || window.bytes != SIZE_MAX) return false;
    if (dst->stride[1] != (ptrdiff_t)size || src->stride[0] != (ptrdiff_t)size) return false;
    if (magnitude(src->stride[1]) <= size || dst->extent[0] < 2 || dst->extent[1] < 2) return false;
    dims x = { .rank = 2 };
    for (unsigned d = 0; d < 2; d++) {
        x.extent[d] = dst->extent[d];
        x.to[d] = dst->stride[d];
        x.from[d] = src->stride[d];
    }
    turn_plane(dst->base, src->base, &x, size, turn);
    return true;
}

tw_status tw_vec_copy_view(const tw_view *dst, const tw_view *src, tw_window window)
{
    size_t size = tw_type_size(dst->type), index[TW_VIEW_RANK] = { 0 };
    if (dst->rank != src->rank || memcmp(dst->extent, src->extent, dst->rank * sizeof *dst->extent) != 0)
        return tw__fail(TW_E_INVALID_ARGUMENT, "copy between views of different shapes");
    if (size == 0 || tw_type_size(src->type) != size)
        return tw__fail(TW_E_TYPE, "copy from %s to %s", tw_type_name(src->type, TW_SYSTEM_TILEWRIGHT),
                        tw_type_name(dst->type, TW_SYSTEM_TILEWRIGHT));
    if (copied_matrix(dst, src, window, size)) return TW_OK;
    tw_status status = tw_view_check(dst, window);
    if (status == TW_OK) status = tw_view_check(src, window);
    if (status != TW_OK || tw_view_count(dst) == 0) return status;
    dims x = transpose_join(dst, src);
    char *to = dst->base;
    const char *from = src->base;
    if (x.rank < 2) {
        tw__move(x.rank ? x.extent[0] : 1, to, x.to[0], from, x.from[0], size);
        return TW_OK;
    }
    sort_dims(&x);
    tw__turn *turn = tw__turn_of(size);
    for (;;) {
        copy_plane(to, from, &x, size, turn);
        unsigned d = x.rank - 2;
        for (; d-- > 0;) {
            to = (char *)((uintptr_t)to + (size_t)x.to[d]);
            from = (const char *)((uintptr_t)from + (size_t)x.from[d]);
            if (++index[d] < x.extent[d]) break;
            to = (char *)((uintptr_t)to - x.extent[d] * (size_t)x.to[d]);
            from = (const char *)((uintptr_t)from - x.extent[d] * (size_t)x.from[d]);
            index[d] = 0;
        }
        if (d == UINT32_MAX) return TW_OK;
    }
}
