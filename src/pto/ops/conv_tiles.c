/* SPDX-License-Identifier: MIT */
/* conv_tiles: ConvTiles from and to tensors, and from one layout to another. */
#include "pto/pto.h"

static const tw_window anywhere = { NULL, SIZE_MAX };

/* --- between tile and tensor: the same dimensions. A tensor has five: shorter shapes begin with ones, of longer ones
 * the first two are joined. */

static void five(const tw_pto_conv *v, size_t shape[5])
{
    for (int d = 0; d < 5; d++) shape[d] = 1;
    for (unsigned d = 0; d < v->rank; d++) {
        int at = (int)d + 5 - (int)v->rank;
        shape[at < 0 ? 0 : at] *= v->shape[d];
    }
}

tw_status tw__conv_check_transfer(tw__pto_call *call, unsigned tile, unsigned tensor)
{
    const tw_pto_tile *t = tw__tile(call, tile);
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    size_t shape[5];
    if (t->location != TW_PTO_MAT && t->location != TW_PTO_VEC)
        return tw__pto_refuse(call, tile, "conv.location", "a ConvTile lies in L1 or vector memory");
    if (g->layout != t->conv->layout)
        return tw__pto_refuse(call, tensor, "conv.layout", "the tensor is %s, the ConvTile %s",
                              tw_pto_layout_name(g->layout), tw_pto_layout_name(t->conv->layout));
    if (t->type != g->type)
        return tw__pto_refuse(call, tensor, "global.type", "tensor of %s and tile of %s differ",
                              tw_type_name(g->type, TW_SYSTEM_PTO), tw_type_name(t->type, TW_SYSTEM_PTO));
    five(t->conv, shape);
    for (int d = 0; d < 5; d++)
        if (shape[d] != g->shape[d])
            return tw__pto_refuse(call, tensor, "conv.shape",
                                  "dimension %d has %zu elements in the tensor and %zu here", d, g->shape[d],
                                  shape[d]);
    return TW_OK;
}

tw_status tw__conv_transfer(tw__pto_call *call, unsigned tile, unsigned tensor)
{
    const tw_pto_tensor *g = call->operand[tensor].tensor;
    tw_view inside = { .base = call->plane[tile].at, .type = call->plane[tile].type, .rank = 5 }, outside = inside;
    ptrdiff_t size = (ptrdiff_t)tw_type_size(inside.type), stride = size;
    five(tw__tile(call, tile)->conv, inside.extent);
    outside.base = g->data;
    for (int d = 4; d >= 0; d--) {
        outside.extent[d] = inside.extent[d];
        outside.stride[d] = g->stride[d] * size;
        inside.stride[d] = stride;
        stride *= (ptrdiff_t)inside.extent[d];
    }
    if (!g->data) return tw__pto_refuse(call, tensor, "global.null", "the tensor has no memory");
    if (tw_view_check(&outside, tw__tensor_window(g)) != TW_OK)
        return tw__pto_refuse(call, tensor, "global.bounds",
                              "the tensor reaches outside the %zu bytes behind its pointer", g->window.bytes);
    return tensor > tile ? tw_vec_copy_view(&inside, &outside, anywhere)
                         : tw_vec_copy_view(&outside, &inside, anywhere);
}

/* --- TTRANS between layouts ------------------------------------------------------------------------------------- */

enum { G, F, M, K, O, D, H, W, DIMENSIONS }; /* group, n / 16, n mod 16, c / c0, c mod c0, depth, row, column */

/* Elements between neighbours in each of these, with n = 16 f + m and c = c0 k + o; and how many there are of each
 * image coordinate. Fractals do not know h and w apart: they come from the other side. */
typedef struct strides {
    size_t step[DIMENSIONS], groups, images, channels, depth, height, width;
} strides;

static void strides_of(const tw_pto_conv *v, size_t c0, const tw_pto_conv *other, strides *s)
{
    const char *order = tw__conv_order(v);
    size_t step = 1;
    memset(s, 0, sizeof *s);
    s->groups = tw__conv_extent(v, 'g');
    s->images = strchr(order, 'f') ? (size_t)tw__conv_extent(v, 'f') * 16 : tw__conv_extent(v, 'n');
    s->channels = strchr(order, 'c') ? tw__conv_extent(v, 'c') : (size_t)tw__conv_extent(v, 'k') * c0;
    s->depth = tw__conv_extent(strchr(order, 'z') ? other : v, 'd');
    s->height = tw__conv_extent(strchr(order, 'z') ? other : v, 'h');
    s->width = tw__conv_extent(strchr(order, 'z') ? other : v, 'w');
    if (strchr(order, 'z')) s->channels = tw__conv_extent(v, 'z') / (s->depth * s->height * s->width) * c0;
    for (int d = (int)v->rank - 1; d >= 0; d--) {
        switch (order[d]) {
        case 'g': s->step[G] = step; break;
        case 'n': s->step[M] = step, s->step[F] = 16 * step; break;
        case 'f': s->step[F] = step; break;
        case 'm': s->step[M] = step; break;
        case 'c': s->step[O] = step, s->step[K] = c0 * step; break;
        case 'k': s->step[K] = step; break;
        case 'o': s->step[O] = step; break;
        case 'd': s->step[D] = step; break;
        case 'h': s->step[H] = step; break;
        case 'w': s->step[W] = step; break;
        case 'z': /* d c1 h w */
            s->step[W] = step;
            s->step[H] = step * s->width;
            s->step[K] = s->step[H] * s->height;
            s->step[D] = s->step[K] * (s->channels / c0);
            break;
        }
        step *= v->shape[d];
    }
}

static bool has_fractals(const tw_pto_conv *v)
{
    return strchr(tw__conv_order(v), 'z') != NULL;
}

/* Pairs that exist: NCHW and its kin to and from C1HWC0 kinds, to fractals, and C1HWC0 kinds to fractals. */
tw_status tw__conv_check_transpose(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    strides to, from;
    if (!dst->conv || !src->conv)
        return tw__pto_refuse(call, dst->conv ? 1 : 0, "conv.trans", "source and dst are both ConvTiles");
    size_t c0 = 32 / tw_type_size(src->type);
    if (has_fractals(src->conv) || dst->conv->layout == src->conv->layout)
        return tw__pto_refuse(call, 1, "conv.trans", "there is no transposition from %s to %s",
                              tw_pto_layout_name(src->conv->layout), tw_pto_layout_name(dst->conv->layout));
    size_t pixels =
        (size_t)tw__conv_extent(src->conv, 'd') * tw__conv_extent(src->conv, 'h') * tw__conv_extent(src->conv, 'w');
    if (has_fractals(dst->conv) && tw__conv_extent(dst->conv, 'z') % pixels)
        return tw__pto_refuse(call, 0, "conv.shape", "%u rows of fractals are not a multiple of the %zu pixels",
                              tw__conv_extent(dst->conv, 'z'), pixels);
    strides_of(src->conv, c0, dst->conv, &from);
    strides_of(dst->conv, c0, src->conv, &to);
    bool padded = has_fractals(dst->conv);
    if (to.groups != from.groups || to.depth != from.depth || to.height != from.height || to.width != from.width ||
        (padded ? to.images != (from.images + 15) / 16 * 16 : to.images != from.images) ||
        (to.channels + c0 - 1) / c0 != (from.channels + c0 - 1) / c0)
        return tw__pto_refuse(call, 0, "conv.shape", "the images of source and dst differ in extents");
    return TW_OK;
}

/* Blocks of 16 images and c0 channels, each a copy of views of rank 5; what the source lacks is zero. */
tw_status tw__conv_transpose(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    size_t size = tw_type_size(src->type), c0 = 32 / size;
    static const int inner[] = { D, H, W, M, O };
    strides to, from;
    strides_of(src->conv, c0, dst->conv, &from);
    strides_of(dst->conv, c0, src->conv, &to);
    size_t channels = to.channels < from.channels ? to.channels : from.channels;
    tw__plane in = tw__plane_new(call->core, src->type, 1, src->valid_cols); /* dst may lie where the source does */
    if (!in.at) return TW_E_NO_MEMORY;
    memcpy(in.at, call->plane[1].at, src->valid_cols * size);
    memset(call->plane[0].at, 0, dst->valid_cols * size);
    tw_status status = TW_OK;
    for (size_t g = 0; g < from.groups; g++)
        for (size_t n = 0; n < from.images; n += 16)
            for (size_t c = 0; status == TW_OK && c < channels; c += c0) {
                size_t images = from.images - n < 16 ? from.images - n : 16,
                       some = channels - c < c0 ? channels - c : c0;
                size_t at = g * from.step[G] + n / 16 * from.step[F] + c / c0 * from.step[K];
                tw_view a = { .base = in.at + at * size,
                              .type = src->type,
                              .rank = 5,
                              .extent = { from.depth, from.height, from.width, images, some } },
                        b = a;
                at = g * to.step[G] + n / 16 * to.step[F] + c / c0 * to.step[K];
                b.base = call->plane[0].at + at * size;
                for (int d = 0; d < 5; d++) {
                    a.stride[d] = (ptrdiff_t)(from.step[inner[d]] * size);
                    b.stride[d] = (ptrdiff_t)(to.step[inner[d]] * size);
                }
                status = tw_vec_copy_view(&b, &a, anywhere);
            }
    return status;
}
