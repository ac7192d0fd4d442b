/* SPDX-License-Identifier: MIT */
/* ref_layout: element numbers by the formulas of the manual, and images of storage. */
#include "pto/reference/ref_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fractal 512: 16 rows (columns) of 32 bytes; 1024: 16 x 16; 32: 16 x 2 and 2 x 16. A tile of fewer rows than a box
 * has boxes of its rows. */
void ref_box(const tw_pto_tile *t, uint32_t *rows, uint32_t *cols)
{
    uint32_t short_side = t->fractal == 1024 ? 16 : t->fractal == 32 ? 2 : 256 / ref_bits(t->type);
    uint32_t all_rows = t->base_rows ? t->base_rows : t->rows;
    *rows = *cols = 1;
    if (t->slayout == TW_PTO_NONE_BOX) return;
    *rows = t->slayout == TW_PTO_BOX_ROW ? 16 : short_side;
    *cols = t->slayout == TW_PTO_BOX_ROW ? short_side : 16;
    if (*rows > all_rows) *rows = all_rows;
}

size_t ref_index(const tw_pto_tile *t, uint32_t r, uint32_t c)
{
    uint32_t IR, IC;
    size_t rows = t->base_rows ? t->base_rows : t->rows, cols = t->base_cols ? t->base_cols : t->cols;
    ref_box(t, &IR, &IC);
    size_t NR = (rows + IR - 1) / IR, NC = (cols + IC - 1) / IC, S = (size_t)IR * IC;
    size_t br = r / IR, bc = c / IC, ir = r % IR, ic = c % IC;
    bool col = t->blayout == TW_PTO_COL_MAJOR;
    if (t->slayout == TW_PTO_NONE_BOX) return col ? c * rows + r : r * cols + c;
    if (col && t->slayout == TW_PTO_BOX_ROW) return (bc * NR + br) * S + ir * IC + ic;  /* Nz */
    if (!col && t->slayout == TW_PTO_BOX_COL) return (br * NC + bc) * S + ic * IR + ir; /* Zn */
    if (!col) return (br * NC + bc) * S + ir * IC + ic;                                 /* Zz */
    return (bc * NR + br) * S + ic * IR + ir;                                           /* Nn */
}

size_t ref_tile_bytes(const tw_pto_tile *t)
{
    uint32_t IR, IC;
    ref_box(t, &IR, &IC);
    return ((size_t)(t->rows + IR - 1) / IR * IR * ((t->cols + IC - 1) / IC * IC) * ref_bits(t->type) + 7) / 8;
}

/* The table of the manual; of images a row is a pixel and a column a channel. */
ptrdiff_t ref_tensor_index(const tw_pto_tensor *g, uint32_t r, uint32_t c)
{
    const size_t *s = g->shape;
    size_t i[5] = { 0 };
    switch (g->layout) {
    case TW_PTO_DN:
        i[4] = c % s[4], i[3] = r, i[2] = c / s[4] % s[2], i[1] = c / (s[4] * s[2]) % s[1];
        i[0] = c / (s[4] * s[2] * s[1]);
        break;
    case TW_PTO_NZ:
        i[4] = c % s[4], i[3] = r % s[3], i[2] = r / s[3], i[1] = c / s[4] % s[1], i[0] = c / s[4] / s[1];
        break;
    case TW_PTO_NC1HWC0:
    case TW_PTO_GNC1HWC0:
    case TW_PTO_NDC1HWC0:
        i[4] = c % s[4], i[3] = r % s[3], i[2] = r / s[3] % s[2], i[1] = c / s[4], i[0] = r / (s[2] * s[3]);
        break;
    case TW_PTO_MX_A_ZZ: i[4] = c % 2, i[3] = r % 16, i[2] = c / 2, i[1] = r / 16; break;
    case TW_PTO_MX_B_NN: i[4] = r % 2, i[3] = c % 16, i[2] = r / 2, i[1] = c / 16; break;
    case TW_PTO_MX_A_ND: i[4] = c % 2, i[3] = c / 2, i[2] = r; break;
    case TW_PTO_MX_A_DN: i[4] = c % 2, i[3] = r, i[2] = c / 2; break;
    case TW_PTO_MX_B_ND: i[4] = r % 2, i[3] = c, i[2] = r / 2; break;
    case TW_PTO_MX_B_DN: i[4] = r % 2, i[3] = r / 2, i[2] = c; break;
    case TW_PTO_NCHW:
    case TW_PTO_GNCHW:
        i[4] = r % s[4], i[3] = r / s[4] % s[3], i[2] = c, i[1] = r / (s[4] * s[3]) % s[1];
        i[0] = r / (s[4] * s[3] * s[1]);
        break;
    case TW_PTO_NCDHW:
        i[4] = r % s[4], i[3] = r / s[4] % s[3], i[2] = r / (s[4] * s[3]) % s[2], i[1] = c;
        i[0] = r / (s[4] * s[3] * s[2]);
        break;
    case TW_PTO_FRACTAL_Z: /* channel and place along rows, filters along columns */
    case TW_PTO_FRACTAL_Z_S16S8:
    case TW_PTO_FRACTAL_Z_3D:
        i[4] = r % s[4], i[3] = c % s[3], i[2] = c / s[3], i[1] = r / s[4] % s[1], i[0] = r / (s[4] * s[1]);
        break;
    default: /* ND, NHWC */
        i[4] = c, i[3] = r % s[3], i[2] = r / s[3] % s[2], i[1] = r / (s[3] * s[2]) % s[1];
        i[0] = r / (s[1] * s[2] * s[3]);
    }
    ptrdiff_t at = 0;
    for (int d = 0; d < 5; d++) at += (ptrdiff_t)i[d] * g->stride[d];
    return at;
}

/* The table of pad patterns of the manual; a custom pad is 2^32 + bits, of which an element takes its low ones. */
uint64_t ref_pad(tw_type type, uint64_t pad)
{
    static const struct {
        tw_type type;
        uint64_t min, max;
    } rows[] = {
        { TW_F32, 0xFF800000, 0x7F800000 }, { TW_F16, 0xFC00, 0x7C00 }, { TW_BF16, 0xFF80, 0x7F80 },
        { TW_I32, 0x80000000, 0x7FFFFFFF }, { TW_I16, 0x8000, 0x7FFF }, { TW_I8, 0x80, 0x7F },
        { TW_U32, 0, 0xFFFFFFFF },          { TW_U16, 0, 0xFFFF },      { TW_U8, 0, 0xFF },
    };
    if (pad >> 32) return ref_bits(type) >= 32 ? pad & 0xFFFFFFFF : pad & ((UINT64_C(1) << ref_bits(type)) - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type)
            return pad == TW_PTO_PAD_MIN ? rows[i].min : pad == TW_PTO_PAD_MAX ? rows[i].max : 0;
    return 0;
}

uint64_t ref_load(const void *storage, tw_type type, size_t index)
{
    const unsigned char *at = storage;
    unsigned bits = ref_bits(type);
    if (bits == 4) return at[index / 2] >> 4 * (index & 1) & 15;
    uint64_t code = 0;
    for (unsigned b = 0; b < bits / 8; b++) code |= (uint64_t)at[index * (bits / 8) + b] << 8 * b;
    return code;
}

void ref_store(void *storage, tw_type type, size_t index, uint64_t code)
{
    unsigned char *at = storage;
    unsigned bits = ref_bits(type);
    if (bits == 4) {
        unsigned shift = 4 * (index & 1);
        at[index / 2] = (unsigned char)((at[index / 2] & ~(15u << shift)) | (code & 15) << shift);
        return;
    }
    for (unsigned b = 0; b < bits / 8; b++) at[index * (bits / 8) + b] = (unsigned char)(code >> 8 * b);
}

/* --- images ----------------------------------------------------------------------------------------------------- */

ref_image ref_take(tw_pto *core, tw_pto_tile *tile)
{
    ref_image image = { tile, NULL, ref_tile_bytes(tile) };
    const void *data = tw_pto_data(core, tile);
    image.bytes = data ? malloc(image.size + 1) : NULL;
    if (!image.bytes) {
        fprintf(stderr, "no storage: %s\n", tw_error_message());
        abort();
    }
    memcpy(image.bytes, data, image.size);
    return image;
}

ref_image ref_cut(const ref_image *base, const tw_pto_tile *shape, uint32_t row, uint32_t col)
{
    ref_image image = { shape, calloc(1, ref_tile_bytes(shape) + 1), ref_tile_bytes(shape) };
    if (!image.bytes) abort();
    for (uint32_t r = 0; r < shape->rows; r++)
        for (uint32_t c = 0; c < shape->cols; c++) ref_set(&image, r, c, ref_get(base, row + r, col + c));
    return image;
}

void ref_paste(const ref_image *base, const ref_image *part, uint32_t row, uint32_t col)
{
    for (uint32_t r = 0; r < part->tile->rows; r++)
        for (uint32_t c = 0; c < part->tile->cols; c++) ref_set(base, row + r, col + c, ref_get(part, r, c));
}

void ref_drop(ref_image *image)
{
    free(image->bytes);
    image->bytes = NULL;
}

uint64_t ref_get(const ref_image *image, uint32_t r, uint32_t c)
{
    return ref_load(image->bytes, image->tile->type, ref_index(image->tile, r, c));
}

void ref_set(const ref_image *image, uint32_t r, uint32_t c, uint64_t code)
{
    ref_store(image->bytes, image->tile->type, ref_index(image->tile, r, c), code);
}

double ref_value(const ref_image *image, uint32_t r, uint32_t c)
{
    return ref_decode(image->tile->type, ref_get(image, r, c));
}

ref_image ref_fill(tw_pto *core, tw_pto_tile *tile, ref_maker *make, uint64_t *state)
{
    unsigned char *data = tw_pto_data(core, tile);
    size_t count = data ? ref_tile_bytes(tile) * 8 / ref_bits(tile->type) : 0;
    for (size_t i = 0; i < count; i++) ref_store(data, tile->type, i, make(tile->type, ref_next(state)));
    return ref_take(core, tile);
}

bool ref_equal(tw_pto *core, tw_pto_tile *tile, const ref_image *image, const char *what)
{
    const unsigned char *data = tw_pto_data(core, tile);
    if (!data) return fprintf(stderr, "%s: no storage\n", what), false;
    if (memcmp(data, image->bytes, image->size) == 0) return true;
    unsigned char *rest = malloc(image->size + 1); /* the image with what is equal by value taken over */
    if (!rest) abort();
    memcpy(rest, image->bytes, image->size);
    bool same = true;
    for (uint32_t r = 0; same && r < tile->rows; r++)
        for (uint32_t c = 0; same && c < tile->cols; c++) {
            uint64_t want = ref_get(image, r, c), got = ref_load(data, tile->type, ref_index(tile, r, c));
            same = ref_same(tile->type, want, got);
            if (same)
                ref_store(rest, tile->type, ref_index(tile, r, c), got);
            else
                fprintf(stderr,
                        "%s: element (%u, %u) of %u x %u (valid %u x %u): %#" PRIx64 " (%.9g), not %#" PRIx64
                        " (%.9g)\n",
                        what, r, c, tile->rows, tile->cols, tile->valid_rows, tile->valid_cols, got,
                        ref_decode(tile->type, got), want, ref_decode(tile->type, want));
        }
    if (same && memcmp(rest, data, image->size) != 0) {
        fprintf(stderr, "%s: bytes that belong to no element changed\n", what);
        same = false;
    }
    free(rest);
    return same;
}
