/* SPDX-License-Identifier: MIT */
/* tensor_layout: global memory as a view of rank 5, and which of its dimensions run along the rows and columns of a
 * tile (table of the manual). */
#include "pto/pto.h"

/* For each layout and dimension: the dimensions whose extents make up the step of a row or column, as bits; ROW or
 * COL says along which. "ND: r = ((i0 s1 + i1) s2 + i2) s3 + i3, c = i4". */
enum { COL, ROW };
static const struct {
    unsigned char along[5], step[5]; /* step: product of the extents of these dimensions */
} maps[TW_PTO_LAYOUTS] = {
#define D(i) (1u << (i))
    [TW_PTO_ND] = { { ROW, ROW, ROW, ROW, COL }, { D(1) | D(2) | D(3), D(2) | D(3), D(3), 0, 0 } },
    [TW_PTO_DN] = { { COL, COL, COL, ROW, COL }, { D(1) | D(2) | D(4), D(2) | D(4), D(4), 0, 0 } },
    [TW_PTO_NZ] = { { COL, COL, ROW, ROW, COL }, { D(1) | D(4), D(4), D(3), 0, 0 } },
    [TW_PTO_NC1HWC0] = { { ROW, COL, ROW, ROW, COL }, { D(2) | D(3), D(4), D(3), 0, 0 } },
    [TW_PTO_MX_A_ZZ] = { { ROW, ROW, COL, ROW, COL }, { D(1) | D(3), D(3), D(4), 0, 0 } },
    [TW_PTO_MX_B_NN] = { { COL, COL, ROW, COL, ROW }, { D(1) | D(3), D(3), D(4), 0, 0 } },
    [TW_PTO_MX_A_ND] = { { ROW, ROW, ROW, COL, COL }, { D(1) | D(2), D(2), 0, D(4), 0 } },
    [TW_PTO_MX_A_DN] = { { ROW, ROW, COL, ROW, COL }, { D(1) | D(3), D(3), D(4), 0, 0 } },
    [TW_PTO_MX_B_ND] = { { COL, COL, ROW, COL, ROW }, { D(1) | D(3), D(3), D(4), 0, 0 } },
    [TW_PTO_MX_B_DN] = { { COL, COL, COL, ROW, ROW }, { D(1) | D(2), D(2), 0, D(4), 0 } },
    /* images: pixels along rows, channels along columns; filters: channel and place along rows, filter along columns
     * */
    [TW_PTO_GNC1HWC0] = { { ROW, COL, ROW, ROW, COL }, { D(2) | D(3), D(4), D(3), 0, 0 } },
    [TW_PTO_NDC1HWC0] = { { ROW, COL, ROW, ROW, COL }, { D(2) | D(3), D(4), D(3), 0, 0 } },
    [TW_PTO_NCHW] = { { ROW, ROW, COL, ROW, ROW }, { D(1) | D(3) | D(4), D(3) | D(4), 0, D(4), 0 } },
    [TW_PTO_GNCHW] = { { ROW, ROW, COL, ROW, ROW }, { D(1) | D(3) | D(4), D(3) | D(4), 0, D(4), 0 } },
    [TW_PTO_NHWC] = { { ROW, ROW, ROW, ROW, COL }, { D(1) | D(2) | D(3), D(2) | D(3), D(3), 0, 0 } },
    [TW_PTO_NCDHW] = { { ROW, COL, ROW, ROW, ROW }, { D(2) | D(3) | D(4), 0, D(3) | D(4), D(4), 0 } },
    [TW_PTO_FRACTAL_Z] = { { ROW, ROW, COL, COL, ROW }, { D(1) | D(4), D(4), D(3), 0, 0 } },
    [TW_PTO_FRACTAL_Z_S16S8] = { { ROW, ROW, COL, COL, ROW }, { D(1) | D(4), D(4), D(3), 0, 0 } },
    [TW_PTO_FRACTAL_Z_3D] = { { ROW, ROW, COL, COL, ROW }, { D(1) | D(4), D(4), D(3), 0, 0 } },
    /* The documents name these three and nothing else. Estimated: scales by rows, like ND; words of HiF4 scales in
     * the boxes that MX scales have. */
    [TW_PTO_SCALE] = { { ROW, ROW, ROW, ROW, COL }, { D(1) | D(2) | D(3), D(2) | D(3), D(3), 0, 0 } },
    [TW_PTO_HIF4_A_ZZ] = { { ROW, ROW, COL, ROW, COL }, { D(1) | D(3), D(3), D(4), 0, 0 } },
    [TW_PTO_HIF4_B_NN] = { { COL, COL, ROW, COL, ROW }, { D(1) | D(3), D(3), D(4), 0, 0 } },
#undef D
};

static void set(tw_pto_tensor *t, const size_t shape[5])
{
    size_t stride = 1;
    for (int d = 4; d >= 0; d--) {
        t->shape[d] = shape[d];
        t->stride[d] = (ptrdiff_t)stride;
        stride *= shape[d] ? shape[d] : 1;
    }
}

tw_pto_tensor tw_pto_tensor_of(void *data, tw_type type, size_t rows, size_t cols, tw_pto_layout layout)
{
    tw_pto_tensor t = { .data = data, .type = type, .layout = layout };
    unsigned bits = tw_type_get(type)->bits;
    size_t c0 = bits ? 256 / bits : 1;
    switch (layout) {
    case TW_PTO_NZ: set(&t, (size_t[]){ 1, cols / c0, rows / 16, 16, c0 }); break;
    case TW_PTO_NC1HWC0:
    case TW_PTO_GNC1HWC0:
    case TW_PTO_NDC1HWC0: set(&t, (size_t[]){ 1, cols / c0, 1, rows, c0 }); break;
    case TW_PTO_HIF4_A_ZZ:
    case TW_PTO_MX_A_ZZ: set(&t, (size_t[]){ 1, rows / 16, cols / 2, 16, 2 }); break;
    case TW_PTO_HIF4_B_NN:
    case TW_PTO_MX_B_NN: set(&t, (size_t[]){ 1, cols / 16, rows / 2, 16, 2 }); break;
    case TW_PTO_MX_A_ND: set(&t, (size_t[]){ 1, 1, rows, cols / 2, 2 }); break;
    case TW_PTO_MX_A_DN: set(&t, (size_t[]){ 1, 1, cols / 2, rows, 2 }); break;
    case TW_PTO_MX_B_ND: set(&t, (size_t[]){ 1, 1, rows / 2, cols, 2 }); break;
    case TW_PTO_MX_B_DN: set(&t, (size_t[]){ 1, 1, cols, rows / 2, 2 }); break;
    case TW_PTO_NCHW:
    case TW_PTO_GNCHW: set(&t, (size_t[]){ 1, 1, cols, 1, rows }); break;
    case TW_PTO_NCDHW: set(&t, (size_t[]){ 1, cols, 1, 1, rows }); break;
    case TW_PTO_FRACTAL_Z:
    case TW_PTO_FRACTAL_Z_S16S8:
    case TW_PTO_FRACTAL_Z_3D: set(&t, (size_t[]){ 1, rows / c0, cols / 16, 16, c0 }); break;
    case TW_PTO_ND:
    case TW_PTO_DN:
    case TW_PTO_NHWC:
    case TW_PTO_SCALE:
    case TW_PTO_LAYOUTS: set(&t, (size_t[]){ 1, 1, 1, rows, cols }); break;
    }
    if (layout == TW_PTO_DN) {
        t.stride[3] = 1;
        t.stride[4] = (ptrdiff_t)rows;
    }
    return t;
}

void tw_pto_tensor_extents(const tw_pto_tensor *t, size_t *rows, size_t *cols)
{
    size_t extent[2] = { 1, 1 };
    for (int d = 0; d < 5; d++) extent[maps[t->layout].along[d]] *= t->shape[d];
    *rows = extent[ROW];
    *cols = extent[COL];
}

tw_window tw__tensor_window(const tw_pto_tensor *t)
{
    return t->window.bytes ? t->window : (tw_window){ NULL, SIZE_MAX };
}

tw_status tw__tensor_views(tw__pto_call *call, const tw_pto_tensor *t, const tw__plane *plane, tw_view *tile_view,
                           tw_view *tensor_view)
{
    ptrdiff_t size = (ptrdiff_t)tw_type_size(t->type);
    *tile_view = (tw_view){ .base = plane->at, .type = plane->type, .rank = 5 };
    *tensor_view = (tw_view){ .base = t->data, .type = t->type, .rank = 5 };
    for (int d = 0; d < 5; d++) {
        ptrdiff_t step = maps[t->layout].along[d] == ROW ? plane->row : plane->col;
        for (int e = 0; e < 5; e++)
            if (maps[t->layout].step[d] >> e & 1) step *= (ptrdiff_t)t->shape[e];
        tile_view->extent[d] = tensor_view->extent[d] = t->shape[d];
        tile_view->stride[d] = step;
        tensor_view->stride[d] = t->stride[d] * size;
    }
    if (!t->data) return tw__pto_refuse(call, 1, "global.null", "the tensor has no memory");
    tw_status status = tw_view_check(tensor_view, tw__tensor_window(t));
    if (status != TW_OK)
        return tw__pto_refuse(call, (unsigned)(tw__letter(call->row, 'g') < 0 ? 0 : 1), "global.bounds",
                              "the tensor reaches outside the %zu bytes behind its pointer", t->window.bytes);
    return TW_OK;
}
