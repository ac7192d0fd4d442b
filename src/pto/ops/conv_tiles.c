/* conv_tiles: ConvTiles, that is feature maps and filters of up to six dimensions in one memory, their layouts, and
 * TIMG2COL (the manual; the window's coordinates as in PTO-ISA/pto-spec,
 * asl/tile/model/execution/image-to-column.asl). */
#include "pto/pto.h"

static const tw_window anywhere = { NULL, SIZE_MAX };

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

static const char *order_of(const tw_pto_conv *v)
{
    if ((unsigned)v->layout >= TW_PTO_LAYOUTS) return NULL;
    return v->rank == 4   ? orders[v->layout].four
           : v->rank == 5 ? orders[v->layout].five
           : v->rank == 6 ? orders[v->layout].six
                          : NULL;
}

static uint32_t extent(const tw_pto_conv *v, char dimension)
{
    const char *order = order_of(v), *at = strchr(order, dimension);
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
    if (!order_of(v))
        return tw__fail(TW_E_INVALID_ARGUMENT, "a ConvTile of layout %s does not have %u dimensions",
                        tw_pto_layout_name(v->layout), v->rank);
    for (unsigned d = 0; d < v->rank; d++)
        if (v->shape[d] == 0) return tw__fail(TW_E_INVALID_ARGUMENT, "a ConvTile has no empty dimension");
    if (t->rows != 1 || t->blayout != TW_PTO_ROW_MAJOR || tw__tile_boxed(t) || tw__tile_nibbles(t) ||
        t->base_rows || count_of(v) != t->valid_cols)
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        "a ConvTile of %zu elements is one row of its buffer that holds them (tw_pto_conv_tile)",
                        count_of(v));
    size_t per_block = 32 / tw_type_size(t->type), c0 = extent(v, 'o');
    if (strchr(order_of(v), 'o') && c0 != per_block)
        return tw__fail(TW_E_INVALID_ARGUMENT, "C0 is %zu; elements of %zu bytes have %zu in 32", c0,
                        tw_type_size(t->type), per_block);
    if (strchr(order_of(v), 'm') && extent(v, 'm') != 16)
        return tw__fail(TW_E_INVALID_ARGUMENT, "a fractal has 16 filters, not %u", extent(v, 'm'));
    return TW_OK;
}

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
    const char *order = order_of(v);
    size_t step = 1;
    memset(s, 0, sizeof *s);
    s->groups = extent(v, 'g');
    s->images = strchr(order, 'f') ? (size_t)extent(v, 'f') * 16 : extent(v, 'n');
    s->channels = strchr(order, 'c') ? extent(v, 'c') : (size_t)extent(v, 'k') * c0;
    s->depth = extent(strchr(order, 'z') ? other : v, 'd');
    s->height = extent(strchr(order, 'z') ? other : v, 'h');
    s->width = extent(strchr(order, 'z') ? other : v, 'w');
    if (strchr(order, 'z')) s->channels = extent(v, 'z') / (s->depth * s->height * s->width) * c0;
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
    return strchr(order_of(v), 'z') != NULL;
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
    size_t pixels = (size_t)extent(src->conv, 'd') * extent(src->conv, 'h') * extent(src->conv, 'w');
    if (has_fractals(dst->conv) && extent(dst->conv, 'z') % pixels)
        return tw__pto_refuse(call, 0, "conv.shape", "%u rows of fractals are not a multiple of the %zu pixels",
                              extent(dst->conv, 'z'), pixels);
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
