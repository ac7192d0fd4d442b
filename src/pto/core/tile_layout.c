/* SPDX-License-Identifier: MIT */
/* tile_layout: descriptions of tiles. Where an element lies, the shape rules, pad values. Pure
 * functions. */
#include "pto/pto.h"

#include <math.h>

enum { BLOCK = 32 }; /* bytes: alignment of tiles and of their rows */

tw_pto_tile tw_pto_tile_of(tw_pto_location location, tw_type type, uint32_t rows, uint32_t cols)
{
    return (tw_pto_tile){ .location = (unsigned char)location,
                          .type = type,
                          .fractal = 512,
                          .rows = rows,
                          .cols = cols,
                          .valid_rows = rows,
                          .valid_cols = cols };
}

static size_t bits_of(const tw_pto_tile *t)
{
    return tw_type_get(t->type)->bits == 4 ? 4 : 8 * tw_type_size(t->type);
}

bool tw__tile_dynamic(const tw_pto_tile *t)
{
    return t->valid_rows == TW_PTO_DYNAMIC || t->valid_cols == TW_PTO_DYNAMIC;
}

bool tw__tile_boxed(const tw_pto_tile *t)
{
    return t->slayout != TW_PTO_NONE_BOX;
}

/* Extents that addresses are counted in: those of the tile, or of the one it is a window of. */
static uint32_t base_rows(const tw_pto_tile *t)
{
    return t->base_rows ? t->base_rows : t->rows;
}
static uint32_t base_cols(const tw_pto_tile *t)
{
    return t->base_cols ? t->base_cols : t->cols;
}

/* Boxes that cover an extent; rows that do not fill the last box (vector memory) still have it. */
static size_t boxes(uint32_t extent, uint32_t box)
{
    return (extent + box - 1) / box;
}

/* At most 2^20 by 2^20 elements of 64 bits (tw_pto_tile_check): no overflow. */
size_t tw_pto_tile_bytes(const tw_pto_tile *t)
{
    uint32_t box_rows, box_cols;
    tw_pto_box(t, &box_rows, &box_cols);
    return (boxes(t->rows, box_rows) * box_rows * t->cols * bits_of(t) + 7) / 8;
}

/* The box as the fractal has it, whatever the extents. */
static void whole_box(const tw_pto_tile *t, uint32_t *rows, uint32_t *cols)
{
    uint32_t per_block = (uint32_t)(BLOCK * 8 / (bits_of(t) ? bits_of(t) : 8));
    *rows = *cols = 1;
    if (!tw__tile_boxed(t)) return;
    uint32_t minor = t->fractal == 1024 ? 16 : t->fractal == 32 ? 2 : per_block;
    *rows = t->slayout == TW_PTO_BOX_ROW ? 16 : minor;
    *cols = t->slayout == TW_PTO_BOX_ROW ? minor : 16;
}

void tw_pto_box(const tw_pto_tile *t, uint32_t *rows, uint32_t *cols)
{
    whole_box(t, rows, cols);
    if (*rows > base_rows(t)) *rows = base_rows(t); /* row vectors: one row of each box */
}

static tw_status tile_layout_bad(const char *format, ...) TW_PRINTF(1, 2);
static tw_status tile_layout_bad(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw_status status = tw__vfail(TW_E_INVALID_ARGUMENT, format, args);
    va_end(args);
    return status;
}

tw_status tw_pto_tile_check(const tw_pto_tile *t)
{
    enum { LARGEST = 1 << 20, MOST_COMPACT = 3 /* RowAlignedPadding */ };
    uint32_t box_rows, box_cols;
    if (!t) return tw__pto_given(t, "tile");
    if (t->location >= TW_PTO_LOCATIONS) return tile_layout_bad("a tile has no location %u", t->location);
    if (*tw_type_name(t->type, TW_SYSTEM_PTO) == 0 || !tw_type_get(t->type)->names[TW_SYSTEM_PTO][0])
        return tile_layout_bad("'%s' is not an element type of tiles", tw_type_name(t->type, TW_SYSTEM_TILEWRIGHT));
    if (t->conv && tw__conv_check(t) != TW_OK) return TW_E_INVALID_ARGUMENT;
    if (t->blayout > TW_PTO_COL_MAJOR || t->slayout > TW_PTO_BOX_COL) return tile_layout_bad("unknown tile layout");
    if (t->rows == 0 || t->cols == 0 || t->rows > LARGEST || t->cols > LARGEST ||
        (size_t)t->rows * t->cols > UINT32_MAX / 32)
        return tile_layout_bad("a tile of %u x %u elements: extents go from 1 to %d and fit a memory", t->rows,
                               t->cols, LARGEST);
    if (!tw__at_most(t->valid_rows, t->rows) || !tw__at_most(t->valid_cols, t->cols))
        return tile_layout_bad("valid region %u x %u exceeds the tile's %u x %u", t->valid_rows, t->valid_cols,
                               t->rows, t->cols);
    if (t->fractal != 0 && t->fractal != 512 && t->fractal != 1024 && t->fractal != 32)
        return tile_layout_bad("fractal of %u bytes: it is 512, 1024 or 32", t->fractal);
    if (t->pad > TW_PTO_PAD_MIN && t->pad >> 32 != 1) return tile_layout_bad("unknown pad value");
    if (t->compact > MOST_COMPACT) return tile_layout_bad("unknown compact mode %u", t->compact);
    if (t->tf32 > TW_PTO_TF32_ROUND) return tile_layout_bad("unknown TF32 mode %u", t->tf32);
    whole_box(t, &box_rows, &box_cols);
    if (!tw__tile_boxed(t)) {
        uint32_t run = t->blayout == TW_PTO_ROW_MAJOR ? t->cols : t->rows;
        bool window = t->base_rows || t->base_cols;
        if (!window && run * bits_of(t) % (BLOCK * 8))
            return tile_layout_bad("%s of %zu bytes: a multiple of %d bytes is needed",
                                   t->blayout == TW_PTO_ROW_MAJOR ? "rows" : "columns", run * bits_of(t) / 8,
                                   BLOCK);
        return TW_OK;
    }
    if (t->cols % box_cols)
        return tile_layout_bad("%u columns are not a multiple of the box's %u", t->cols, box_cols);
    bool free_rows = t->location == TW_PTO_VEC || t->fractal == 32 || t->rows == 1;
    if (t->rows % box_rows && !free_rows)
        return tile_layout_bad("%u rows are not a multiple of the box's %u", t->rows, box_rows);
    return TW_OK;
}

size_t tw_pto_element(const tw_pto_tile *t, uint32_t r, uint32_t c)
{
    uint32_t ir, ic;
    size_t rows = base_rows(t), cols = base_cols(t), index;
    tw_pto_box(t, &ir, &ic);
    if (!tw__tile_boxed(t)) {
        index = t->blayout == TW_PTO_ROW_MAJOR ? r * cols + c : c * rows + r;
    } else {
        size_t down = boxes((uint32_t)rows, ir), across = cols / ic;
        size_t box = t->blayout == TW_PTO_COL_MAJOR ? c / ic * down + r / ir : r / ir * across + c / ic;
        size_t inner =
            t->slayout == TW_PTO_BOX_ROW ? (size_t)(r % ir) * ic + c % ic : (size_t)(c % ic) * ir + r % ir;
        index = box * ir * ic + inner;
    }
    return index * bits_of(t) / 8;
}

tw_view tw__tile_boxes(const tw_pto_tile *t, void *storage)
{
    uint32_t ir, ic;
    tw_pto_box(t, &ir, &ic);
    ptrdiff_t size = (ptrdiff_t)tw_type_size(t->type), box = (ptrdiff_t)(ir * ic) * size;
    size_t down = boxes(base_rows(t), ir), across = base_cols(t) / ic;
    bool columns = t->blayout == TW_PTO_COL_MAJOR, inner_rows = t->slayout == TW_PTO_BOX_ROW;
    uint32_t rows = t->rows < ir ? t->rows : ir;
    tw_view view = { .base = storage,
                     .type = t->type,
                     .rank = 4,
                     .extent = { boxes(t->rows, ir), rows, t->cols / ic, ic },
                     .stride = { columns ? box : box * (ptrdiff_t)across, inner_rows ? size * ic : size,
                                 columns ? box * (ptrdiff_t)down : box, inner_rows ? size : size * ir } };
    return view;
}

/* Bits of a pad value: table of the manual; types without a row there pad with zero. */
uint64_t tw__pad_bits(tw_type type, uint64_t pad)
{
    size_t size = tw_type_size(type);
    uint64_t mask = size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1, bits = 0;
    const tw_type_info *info = tw_type_get(type);
    if (pad >> 32) return pad & mask & UINT32_MAX;
    if (pad != TW_PTO_PAD_MIN && pad != TW_PTO_PAD_MAX) return 0;
    if (info->kind == TW_KIND_FLOAT && (type == TW_F32 || type == TW_F16 || type == TW_BF16)) {
        double infinity = pad == TW_PTO_PAD_MIN ? -INFINITY : INFINITY;
        tw_convert(type, &bits, TW_F64, &infinity, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
        return bits;
    }
    if (size > 4 || (info->kind != TW_KIND_INT && info->kind != TW_KIND_UINT)) return 0;
    if (!info->is_signed) return pad == TW_PTO_PAD_MAX ? mask : 0;
    return pad == TW_PTO_PAD_MIN ? (mask >> 1) + 1 : mask >> 1;
}
