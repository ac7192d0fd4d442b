/* SPDX-License-Identifier: MIT */
/* img2col: TIMG2COL takes a window of the matrix whose row is an output pixel of a convolution and whose column is an
 * input under the filter: row ((n D + d) OH + oh) OW + ow, column ((c1 KH + kh) KW + kw) C0 + c0.
 * */
#include "pto/pto.h"

static uint32_t one(uint32_t value)
{
    return value ? value : 1;
}

static bool is_map(const tw_pto_conv *v)
{
    return (v->layout == TW_PTO_NC1HWC0 && v->rank == 5) || (v->layout == TW_PTO_NDC1HWC0 && v->rank == 6);
}

/* Everything with its defaults, depth and batch apart. */
typedef struct map {
    uint32_t batches, depth, groups, height, width, c0, kh, kw, dh, dw, sh, sw, left, top, channels;
    uint32_t out_h, out_w;
} map;

static bool map_of(const tw_pto_conv *v, map *m)
{
    unsigned d = v->rank == 6;
    if (!is_map(v)) return false;
    *m = (map){ .batches = v->shape[0],
                .depth = d ? v->shape[1] : 1,
                .groups = v->shape[1 + d],
                .height = v->fmap_h ? v->fmap_h : v->shape[2 + d],
                .width = v->fmap_w ? v->fmap_w : v->shape[3 + d],
                .c0 = v->shape[4 + d],
                .kh = one(v->filter_h),
                .kw = one(v->filter_w),
                .dh = one(v->dilation_h),
                .dw = one(v->dilation_w),
                .sh = one(v->stride_h),
                .sw = one(v->stride_w),
                .left = v->pad[0],
                .top = v->pad[2],
                .channels = v->channels ? v->channels : v->shape[1 + d] * v->shape[4 + d] };
    uint64_t tall = (uint64_t)m->height + v->pad[2] + v->pad[3], wide = (uint64_t)m->width + v->pad[0] + v->pad[1];
    uint64_t field_h = (uint64_t)m->dh * (m->kh - 1) + 1, field_w = (uint64_t)m->dw * (m->kw - 1) + 1;
    if (tall < field_h || wide < field_w) return false;
    m->out_h = (uint32_t)((tall - field_h) / m->sh) + 1;
    m->out_w = (uint32_t)((wide - field_w) / m->sw) + 1;
    return true;
}

tw_status tw_pto_conv_output(const tw_pto_conv *conv, uint32_t *height, uint32_t *width)
{
    map m;
    if (!conv || !height || !width) return tw__pto_given(NULL, "description or a result");
    if (!map_of(conv, &m))
        return tw__fail(TW_E_INVALID_ARGUMENT,
                        is_map(conv) ? "the filter is larger than the padded feature map"
                                     : "a feature map is NC1HWC0 of five or NDC1HWC0 of six dimensions");
    *height = m.out_h;
    *width = m.out_w;
    return TW_OK;
}

/* --- SETFMATRIX and its kin: parts of a tile's description are kept for TIMG2COL -------------------------------- */

static tw_status check_map(tw__pto_call *call, unsigned i)
{
    const tw_pto_tile *t = tw__tile(call, i);
    if (!t->conv || !is_map(t->conv))
        return tw__pto_refuse(call, i, "img2col.map", "the source is a ConvTile of layout nc1hwc0 or ndc1hwc0");
    if (t->location != TW_PTO_MAT) return tw__pto_refuse(call, i, "img2col.location", "feature maps lie in L1");
    return TW_OK;
}

tw_status tw__pto_check_set_map(tw__pto_call *call)
{
    return check_map(call, 0);
}
tw_status tw__pto_check_set_padding(tw__pto_call *call)
{
    return check_map(call, 0);
}
tw_status tw__pto_check_set_repeat(tw__pto_call *call)
{
    return check_map(call, 0);
}

tw_status tw__pto_run_set_map(tw__pto_call *call)
{
    const tw_pto_conv *v = tw__tile(call, 0)->conv;
    tw__registers *reg = &call->core->reg;
    reg->has_map = true;
    reg->map.fmap_h = v->fmap_h ? v->fmap_h : v->shape[v->rank - 3];
    reg->map.fmap_w = v->fmap_w ? v->fmap_w : v->shape[v->rank - 2];
    memcpy(reg->map.pad, v->pad, sizeof v->pad);
    return TW_OK;
}

tw_status tw__pto_run_set_padding(tw__pto_call *call)
{
    call->core->reg.has_padding = true;
    call->core->reg.map.pad_value = tw__tile(call, 0)->conv->pad_value;
    return TW_OK;
}

tw_status tw__pto_run_set_repeat(tw__pto_call *call)
{
    const tw_pto_conv *v = tw__tile(call, 0)->conv;
    tw__registers *reg = &call->core->reg;
    reg->has_repeat = true;
    reg->map.repeat_stride = v->repeat_stride;
    reg->map.repeat_time = v->repeat_time;
    reg->map.repeat_mode = v->repeat_mode;
    return TW_OK;
}

/* The tile's description with what was set; nothing set = the tile's own. */
static tw_pto_conv effective(const tw__pto_call *call)
{
    tw_pto_conv v = *tw__tile(call, 1)->conv;
    const tw__registers *reg = call->core ? &call->core->reg : NULL;
    if (reg && reg->has_map) {
        v.fmap_h = reg->map.fmap_h;
        v.fmap_w = reg->map.fmap_w;
        memcpy(v.pad, reg->map.pad, sizeof v.pad);
    }
    if (reg && reg->has_padding) v.pad_value = reg->map.pad_value;
    return v;
}

/* --- the window ------------------------------------------------------------------------------------------------- */

tw_status tw__pto_check_img2col(tw__pto_call *call)
{
    const tw_pto_tile *dst = tw__tile(call, 0), *src = tw__tile(call, 1);
    tw_status status = check_map(call, 1);
    map m;
    if (status != TW_OK) return status;
    if (dst->conv || (dst->location != TW_PTO_LEFT && dst->location != TW_PTO_RIGHT))
        return tw__pto_refuse(call, 0, "img2col.location", "dst is a tile in L0A or L0B");
    status = tw__pto_check_cube_layout(call, dst, 0);
    if (status != TW_OK) return status;
    if (src->conv->transpose)
        return tw__pto_refuse(call, 1, "img2col.transpose", "a transposed window is not supported");
    if (!call->core) return TW_OK; /* registers and corner are known at run time */
    if (call->core->flags & TW_PTO_MANUAL && !(call->core->reg.has_map && call->core->reg.has_padding))
        return tw__pto_refuse(call, 1, "img2col.state",
                              "SETFMATRIX and SET_IMG2COL_PADDING come first in manual mode");
    tw_pto_conv v = effective(call);
    unsigned d = v.rank == 6;
    if (!map_of(&v, &m))
        return tw__pto_refuse(call, 1, "img2col.filter", "the filter is larger than the padded feature map");
    if (m.height > v.shape[2 + d] || m.width > v.shape[3 + d] || m.channels > m.groups * m.c0)
        return tw__pto_refuse(call, 1, "img2col.extents",
                              "the feature map of %u x %u and %u channels exceeds its tile", m.height, m.width,
                              m.channels);
    uint64_t rows = (uint64_t)m.batches * m.depth * m.out_h * m.out_w,
             cols = (uint64_t)m.groups * m.kh * m.kw * m.c0, r = call->operand[2].scalar.bits & UINT32_MAX,
             c = call->operand[3].scalar.bits & UINT32_MAX;
    if (r + dst->valid_rows > rows || c + dst->valid_cols > cols)
        return tw__pto_refuse(call, 2, "window.bounds",
                              "%u x %u elements at (%llu, %llu) reach outside the %llu x %llu of the matrix",
                              dst->valid_rows, dst->valid_cols, (unsigned long long)r, (unsigned long long)c,
                              (unsigned long long)rows, (unsigned long long)cols);
    return TW_OK;
}

/* Where the elements of a group of channels under one place of the filter lie; NULL outside the map. */
static const unsigned char *source_of(const map *m, const tw_pto_conv *v, const unsigned char *base, size_t size,
                                      uint64_t row, uint64_t filter)
{
    uint64_t pixels = (uint64_t)m->out_h * m->out_w, image = row / pixels, pixel = row % pixels;
    uint64_t kw = filter % m->kw, kh = filter / m->kw % m->kh, c1 = filter / m->kw / m->kh;
    int64_t h = (int64_t)(pixel / m->out_w * m->sh + kh * m->dh) - m->top,
            w = (int64_t)(pixel % m->out_w * m->sw + kw * m->dw) - m->left;
    unsigned d = v->rank == 6;
    if (h < 0 || h >= m->height || w < 0 || w >= m->width) return NULL;
    size_t at = ((image * m->groups + c1) * v->shape[2 + d] + (size_t)h) * v->shape[3 + d] + (size_t)w;
    return base + at * m->c0 * size;
}

/* A row of dst is made of pieces of at most C0 elements that lie together in the source. */
tw_status tw__pto_run_img2col(tw__pto_call *call)
{
    tw__plane dst = call->plane[0], row = tw__plane_new(call->core, dst.type, 1, dst.cols);
    tw_pto_conv v = effective(call);
    size_t size = tw_type_size(dst.type);
    uint64_t first = call->operand[2].scalar.bits & UINT32_MAX, left = call->operand[3].scalar.bits & UINT32_MAX;
    map m;
    if (!row.at) return TW_E_NO_MEMORY;
    if (!map_of(&v, &m)) return TW_E_INVALID_ARGUMENT; /* judged before */
    for (uint32_t r = 0; r < dst.rows; r++) {
        for (uint32_t c = 0, n; c < dst.cols; c += n) {
            uint64_t filter = (left + c) / m.c0, in = (left + c) % m.c0, channel = filter / m.kw / m.kh * m.c0 + in;
            const unsigned char *from = source_of(&m, &v, call->plane[1].at, size, first + r, filter);
            n = m.c0 - (uint32_t)in < dst.cols - c ? m.c0 - (uint32_t)in : dst.cols - c;
            uint32_t data = !from || channel >= m.channels ? 0
                            : m.channels - channel < n     ? (uint32_t)(m.channels - channel)
                                                           : n;
            if (data) memcpy(row.at + c * size, from + in * size, data * size);
            for (uint32_t i = data; i < n; i++) memcpy(row.at + (c + i) * size, &v.pad_value, size);
        }
        tw__plane to = tw__plane_part(dst, r, 1, 0, dst.cols);
        tw_status status = tw__plane_copy(&to, &row);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}
