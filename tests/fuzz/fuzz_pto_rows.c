/* SPDX-License-Identifier: MIT */
// needs: pto
/* Any instruction of the table with any operands: tiles of all locations, types, layouts, extents and windows,
 * ConvTiles, tensors with strides and windows of their own, scalars, attributes. It may be refused; it may not touch
 * memory outside a tile or tensor. */
#include "pto/pto.h"

#include <stdlib.h>

typedef struct input {
    const uint8_t *at, *end;
} input;

static unsigned byte(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* Mostly the small extents that fit together, now and then something else. */
static uint32_t extent(input *in)
{
    static const uint32_t known[] = { 1, 2, 3, 4, 8, 15, 16, 17, 32, 48, 64, 96, 128, 0, 256, 4096 };
    return known[byte(in) & 15];
}

static tw_pto_tile tile(input *in)
{
    tw_pto_tile t = tw_pto_tile_of((tw_pto_location)(byte(in) % (TW_PTO_LOCATIONS + 1)),
                                   (tw_type)(byte(in) % TW_TYPE_COUNT), extent(in), extent(in));
    unsigned layout = byte(in), more = byte(in);
    t.blayout = layout & 1;
    t.slayout = layout >> 1 & 3;
    t.fractal = layout & 8 ? 1024 : layout & 16 ? 32 : 512;
    if (more & 1) t.valid_rows = extent(in);
    if (more & 2) t.valid_cols = extent(in);
    if (more & 4) t.pad = byte(in) & 7;
    if (more & 8) t.tf32 = byte(in) & 3;
    if (more & 16 && more & 32) t.base_rows = t.rows, t.base_cols = t.cols;
    return t;
}

static void conv(input *in, tw_pto_conv *v)
{
    memset(v, 0, sizeof *v);
    v->layout = (tw_pto_layout)(byte(in) % (TW_PTO_LAYOUTS + 1));
    v->rank = byte(in) % 8;
    for (unsigned d = 0; d < 6; d++) v->shape[d] = extent(in);
    v->fmap_h = byte(in) & 7;
    v->filter_h = byte(in) & 3;
    v->filter_w = byte(in) & 3;
    v->stride_h = byte(in) & 3;
    v->dilation_w = byte(in) & 3;
    v->channels = extent(in);
    for (int i = 0; i < 4; i++) v->pad[i] = byte(in) & 3;
}

enum { BYTES = 1 << 16, SPARE = 3 };

/* The window is the whole of a block that is exactly as large. */
static tw_pto_tensor tensor(input *in, unsigned char *memory)
{
    tw_pto_tensor g = tw_pto_tensor_of(memory, (tw_type)(byte(in) % TW_TYPE_COUNT), extent(in), extent(in),
                                       (tw_pto_layout)(byte(in) % (TW_PTO_LAYOUTS + 1)));
    if (byte(in) & 1)
        for (int d = 0; d < 5; d++) g.shape[d] = extent(in), g.stride[d] = (ptrdiff_t)(signed char)byte(in);
    g.window = (tw_window){ memory, BYTES };
    return g;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = { data, data + size };
    unsigned char *memory = malloc(BYTES);
    tw_pto *core = tw_pto_new((tw_pto_target)(byte(&in) % TW_PTO_TARGETS), 0);
    tw_pto_conv convs[SPARE];
    tw_pto_tile tiles[TW_PTO_OPERANDS];
    tw_pto_tensor tensors[TW_PTO_OPERANDS];
    if (!memory || !core) abort();
    memset(memory, (int)byte(&in), BYTES);
    for (int calls = 0; in.at < in.end && calls < 16; calls++) {
        const tw__pto_row *row = tw__pto_row_at((byte(&in) | byte(&in) << 8) % tw__pto_row_count());
        tw_pto_operand operands[TW_PTO_OPERANDS] = { { 0 } };
        tw_pto_attrs attrs = { 0 };
        if (strpbrk(row->form, "qr")) continue; /* queues and devices: their own target */
        unsigned like = byte(&in);
        for (unsigned i = 0; i < row->operands; i++) {
            switch (tw__kind_of_letter(row->form[i])) {
            case TW_PTO_TILE:
                /* often the same description as the operand before, so that rules are met */
                if (i && like >> (i & 7) & 1 && operands[i - 1].kind == TW_PTO_TILE) {
                    tiles[i] = tiles[i - 1];
                    if (!(like & 1)) tiles[i].place = 0;
                    if (like & 2) tiles[i].type = (tw_type)(byte(&in) % TW_TYPE_COUNT);
                    if (like & 4) tiles[i].location = (unsigned char)(byte(&in) % TW_PTO_LOCATIONS);
                } else if (row->rules & TW__CONV && byte(&in) & 1) {
                    conv(&in, &convs[i % SPARE]);
                    tiles[i] = tw_pto_conv_tile((tw_pto_location)(byte(&in) % TW_PTO_LOCATIONS),
                                                (tw_type)(byte(&in) % TW_TYPE_COUNT), &convs[i % SPARE], 0);
                } else {
                    tiles[i] = tile(&in);
                }
                operands[i] = tw_pto_tile_operand(&tiles[i]);
                break;
            case TW_PTO_TENSOR:
                tensors[i] = tensor(&in, memory);
                operands[i] = tw_pto_tensor_operand(&tensors[i]);
                break;
            default:
                operands[i] = tw_pto_scalar_operand(tw_pto_bits(
                    (tw_type)(byte(&in) % TW_TYPE_COUNT), byte(&in) | (uint64_t)byte(&in) << (byte(&in) & 63)));
            }
        }
        for (unsigned a = 0; a < tw__pto_attr_count(); a++)
            if (row->attrs >> a & 1) ((int32_t *)(void *)&attrs)[a] = (int32_t)(signed char)byte(&in) % 9;
        if (tw_pto_exec(core, (int)tw__pto_row_index(row), operands, row->operands, &attrs) == TW_OK &&
            byte(&in) & 1)
            tw_pto_trace(core, NULL);
        for (unsigned i = 0; i < row->operands; i++)
            if (operands[i].kind == TW_PTO_TILE) tw_pto_tile_free(core, &tiles[i]);
    }
    tw_pto_free(core);
    free(memory);
    return 0;
}
