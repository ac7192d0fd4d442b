/* SPDX-License-Identifier: MIT */
/* conv_layout: ConvTiles, that is feature maps and filters of up to six dimensions in one memory: their layouts, and
 * whether a tile is one. ops/conv_tiles.c moves them. */
#include "pto/pto.h"

/* Dimensions of the layouts, slowest first. z: filters and rows of a box, c1 h w in one; f: n / 16; m: n mod 16; k:
 * c1; o:
 * c mod c0. */
static const struct {
    const char *four, *five, *six;
} orders[TW_PTO_LAYOUTS] = {
    [TW_PTO_NCHW] = { "nchw", NULL, NULL },
    [TW_PTO_NHWC] = { "nhwc", NULL, NULL },
    [TW_PTO_GNCHW] = { NULL, "gnchw", NULL },
    [TW_PTO_NCDHW] = { NULL, "ncdhw", NULL },
    [TW_PTO_NC1HWC0] = { NULL, "nkhwo", NULL },
    [TW_PTO_GNC1HWC0] = { NULL, NULL, "gnkhwo" },
    [TW_PTO_NDC1HWC0] = { NULL, NULL, "ndkhwo" },
    [TW_PTO_FRACTAL_Z] = { "zfmo", "gzfmo", NULL },
    [TW_PTO_FRACTAL_Z_S16S8] = { "zfmo", "gzfmo", NULL },
    [TW_PTO_FRACTAL_Z_3D] = { "zfmo", "gzfmo", NULL },
};

const char *tw__conv_order(const tw_pto_conv *v)
{
    if ((unsigned)v->layout >= TW_PTO_LAYOUTS) return NULL;
    return v->rank == 4   ? orders[v->layout].four
           : v->rank == 5 ? orders[v->layout].five
           : v->rank == 6 ? orders[v->layout].six
                          : NULL;
}

uint32_t tw__conv_extent(const tw_pto_conv *v, char dimension)
{
    const char *order = tw__conv_order(v), *at = strchr(order, dimension);
    return at ? v->shape[at - order] : 1;
}

static size_t count_of(const tw_pto_conv *v)
{
    size_t count = 1;
    for (unsigned d = 0; d < v->rank && d < 6; d++)
        if (!tw__mul_size(count, v->shape[d], &count)) return SIZE_MAX;
    return count;
}

tw_pto_tile tw_pto_conv_tile(tw_pto_location location, tw_type type, const tw_pto_conv *conv, size_t bytes)
{
    if (!conv)
        return (tw_pto_tile){ .location = (unsigned char)location, .type = type }; /* tile_check refuses it */
    size_t size = tw_type_size(type) ? tw_type_size(type) : 1, count = count_of(conv);
    size_t need = count > UINT32_MAX / size ? UINT32_MAX : count * size;
    if (bytes == 0) bytes = (need + 31) / 32 * 32;
    tw_pto_tile t =
        tw_pto_tile_of(location, type, 1, (uint32_t)(bytes / size > UINT32_MAX ? UINT32_MAX : bytes / size));
    t.valid_cols = (uint32_t)(need / size);
    t.conv = conv;
    return t;
}

tw_status tw__conv_check(const tw_pto_tile *t)
{
    const tw_pto_conv *v = t->conv;
    if (!tw__conv_order(v))
        return tw__fail(TW_E_INVALID_ARGUMENT, "a ConvTile of layout %s does not have %u dimensions",
                        tw_pto_layout_name(v->layout), v->rank);
    for (unsigned d = 0; d < v->rank; d++)
        if (v->shape[d] == 0) return tw__fail(TW_E_INVALID_ARGUMENT, "a ConvTile has no empty dimension");
    if (t->rows != 1 || t->blayout != TW_PTO_ROW_MAJOR || tw__tile_boxed(t) || tw__tile_nibbles(t) ||
        t->base_rows || count_of(v) != t->valid_cols)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "a ConvTile of %zu elements is one row of its buffer that holds them (tw_pto_conv_tile)",
                        count_of(v));
    size_t per_block = 32 / tw_type_size(t->type), c0 = tw__conv_extent(v, 'o');
    if (strchr(tw__conv_order(v), 'o') && c0 != per_block)
        return tw__fail(TW_E_INVALID_ARGUMENT, "C0 is %zu; elements of %zu bytes have %zu in 32", c0,
                        tw_type_size(t->type), per_block);
    if (strchr(tw__conv_order(v), 'm') && tw__conv_extent(v, 'm') != 16)
        return tw__fail(TW_E_INVALID_ARGUMENT, "a fractal has 16 filters, not %u", tw__conv_extent(v, 'm'));
    return TW_OK;
}
