/* SPDX-License-Identifier: MIT */
/* ConvTiles, convolution layouts and TIMG2COL against loops over image coordinates. */
#define COUNT_ROWS
#include "pto/support/check.h"

enum { MAXIMUM = 1 << 15 };

/* Where (g, n, c, d, h, w) lies in a layout, from the meaning of its name. C channels, c0 of them in a group. */
typedef struct image {
    size_t g, n, c, d, h, w;
} image;

static size_t place(tw_pto_layout layout, const image *of, image i, size_t c0)
{
    size_t groups = (of->c + c0 - 1) / c0, c1 = i.c / c0, o = i.c % c0;
    switch (layout) {
    case TW_PTO_NCHW:
    case TW_PTO_GNCHW: return (((i.g * of->n + i.n) * of->c + i.c) * of->h + i.h) * of->w + i.w;
    case TW_PTO_NHWC: return ((i.n * of->h + i.h) * of->w + i.w) * of->c + i.c;
    case TW_PTO_NCDHW: return (((i.n * of->c + i.c) * of->d + i.d) * of->h + i.h) * of->w + i.w;
    case TW_PTO_NC1HWC0:
    case TW_PTO_GNC1HWC0: return ((((i.g * of->n + i.n) * groups + c1) * of->h + i.h) * of->w + i.w) * c0 + o;
    case TW_PTO_NDC1HWC0: return ((((i.n * of->d + i.d) * groups + c1) * of->h + i.h) * of->w + i.w) * c0 + o;
    default: { /* fractals: [g] d c1 h w, n / 16, n mod 16, c0 */
        size_t row = (((i.g * of->d + i.d) * groups + c1) * of->h + i.h) * of->w + i.w, n1 = (of->n + 15) / 16;
        return ((row * n1 + i.n / 16) * 16 + i.n % 16) * c0 + o;
    }
    }
}

static tw_pto_conv shape_of(tw_pto_layout layout, const image *of, size_t c0)
{
    uint32_t g = (uint32_t)of->g, n = (uint32_t)of->n, c = (uint32_t)of->c, d = (uint32_t)of->d,
             h = (uint32_t)of->h, w = (uint32_t)of->w, k = (uint32_t)((of->c + c0 - 1) / c0), o = (uint32_t)c0,
             f = (n + 15) / 16;
    switch (layout) {
    case TW_PTO_NCHW: return (tw_pto_conv){ .layout = layout, .rank = 4, .shape = { n, c, h, w } };
    case TW_PTO_NHWC: return (tw_pto_conv){ .layout = layout, .rank = 4, .shape = { n, h, w, c } };
    case TW_PTO_GNCHW: return (tw_pto_conv){ .layout = layout, .rank = 5, .shape = { g, n, c, h, w } };
    case TW_PTO_NCDHW: return (tw_pto_conv){ .layout = layout, .rank = 5, .shape = { n, c, d, h, w } };
    case TW_PTO_NC1HWC0: return (tw_pto_conv){ .layout = layout, .rank = 5, .shape = { n, k, h, w, o } };
    case TW_PTO_GNC1HWC0: return (tw_pto_conv){ .layout = layout, .rank = 6, .shape = { g, n, k, h, w, o } };
    case TW_PTO_NDC1HWC0: return (tw_pto_conv){ .layout = layout, .rank = 6, .shape = { n, d, k, h, w, o } };
    default:
        if (g > 1) return (tw_pto_conv){ .layout = layout, .rank = 5, .shape = { g, d * k * h * w, f, 16, o } };
        return (tw_pto_conv){ .layout = layout, .rank = 4, .shape = { d * k * h * w, f, 16, o } };
    }
}

/* Number of an element: unique, not zero, exact in the type. */
static double value_of(const image *of, image i)
{
    return (double)(1 + (((((i.g * of->n + i.n) * of->c + i.c) * of->d + i.d) * of->h + i.h) * of->w + i.w) % 2000);
}

#define EACH(i, of)                                    \
    for (i.g = 0; i.g < (of).g; i.g++)                 \
        for (i.n = 0; i.n < (of).n; i.n++)             \
            for (i.c = 0; i.c < (of).c; i.c++)         \
                for (i.d = 0; i.d < (of).d; i.d++)     \
                    for (i.h = 0; i.h < (of).h; i.h++) \
                        for (i.w = 0; i.w < (of).w; i.w++)

/* Every pair of layouts that TTRANS has; what the source does not give is zero. */
static void pto_conv_transpose(void **state)
{
    static const struct {
        tw_pto_layout from, to;
        image of;
    } rows[] = {
        { TW_PTO_NCHW, TW_PTO_NC1HWC0, { 1, 2, 37, 1, 3, 5 } },
        { TW_PTO_NC1HWC0, TW_PTO_NCHW, { 1, 2, 37, 1, 3, 5 } },
        { TW_PTO_NHWC, TW_PTO_NC1HWC0, { 1, 2, 37, 1, 3, 5 } },
        { TW_PTO_NCHW, TW_PTO_FRACTAL_Z, { 1, 20, 18, 1, 3, 2 } },
        { TW_PTO_NC1HWC0, TW_PTO_FRACTAL_Z, { 1, 20, 32, 1, 3, 2 } },
        { TW_PTO_NCDHW, TW_PTO_FRACTAL_Z_3D, { 1, 17, 18, 2, 3, 2 } },
        { TW_PTO_NCDHW, TW_PTO_NDC1HWC0, { 1, 2, 18, 2, 3, 2 } },
        { TW_PTO_GNCHW, TW_PTO_GNC1HWC0, { 3, 2, 18, 1, 2, 2 } },
        { TW_PTO_GNC1HWC0, TW_PTO_GNCHW, { 3, 2, 18, 1, 2, 2 } },
        { TW_PTO_GNCHW, TW_PTO_FRACTAL_Z, { 2, 16, 18, 1, 2, 2 } },
    };
    static const tw_type types[] = { TW_F16, TW_F32, TW_I8 };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int t = 0; t < 3; t++)
            for (int target = 0; target < TW_PTO_TARGETS; target++) {
                tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                size_t c0 = 32 / tw_type_size(types[t]);
                const image *of = &rows[k].of;
                tw_pto_conv from = shape_of(rows[k].from, of, c0), to = shape_of(rows[k].to, of, c0);
                tw_pto_tile src = tw_pto_conv_tile(TW_PTO_VEC, types[t], &from, 0),
                            dst = tw_pto_conv_tile(TW_PTO_VEC, types[t], &to, 0), tmp = vec_tile(types[t], 1, 32);
                bool *known = calloc(MAXIMUM, sizeof *known);
                image i;
                EACH(i, *of)
                set(core, &src, 0, (uint32_t)place(rows[k].from, of, i, c0),
                    t == 2 ? 1 + (int)value_of(of, i) % 100 : value_of(of, i));
                for (uint32_t c = 0; c < dst.valid_cols; c++) set(core, &dst, 0, c, 77);
                OK(CALL(core, "ttrans", NULL, TILE(&dst), TILE(&src), TILE(&tmp)));
                EACH(i, *of)
                {
                    size_t at = place(rows[k].to, of, i, c0);
                    assert_true(at < MAXIMUM && at < dst.valid_cols);
                    known[at] = true;
                    double want = t == 2 ? 1 + (int)value_of(of, i) % 100 : value_of(of, i);
                    if (get(core, &dst, 0, (uint32_t)at) != want)
                        fail_msg("%s to %s: element %zu is %g instead of %g", tw_pto_layout_name(rows[k].from),
                                 tw_pto_layout_name(rows[k].to), at, get(core, &dst, 0, (uint32_t)at), want);
                }
                for (uint32_t c = 0; c < dst.valid_cols; c++)
                    if (!known[c] && get(core, &dst, 0, c) != 0) fail_msg("padding %u is not zero", c);
                free(known);
                tw_pto_free(core);
            }
}

/* A tensor of the same layout, with strides of its own, to a ConvTile and back. */
static void pto_conv_load_store(void **state)
{
    enum { N = 2, C1 = 3, H = 4, W = 5, C0 = 16 };
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    uint16_t in[N * C1 * H * (W + 1) * C0], out[N * C1 * H * W * C0];
    for (size_t i = 0; i < sizeof in / 2; i++) in[i] = (uint16_t)i;
    tw_pto_tensor g = { .data = in,
                        .type = TW_U16,
                        .layout = TW_PTO_NC1HWC0,
                        .shape = { N, C1, H, W, C0 },
                        .stride = { C1 * H * (W + 1) * C0, H * (W + 1) * C0, (W + 1) * C0, C0, 1 } };
    tw_pto_tensor h = { .data = out,
                        .type = TW_U16,
                        .layout = TW_PTO_NC1HWC0,
                        .shape = { N, C1, H, W, C0 },
                        .stride = { C1 * H * W * C0, H * W * C0, W * C0, C0, 1 } };
    tw_pto_conv v = { .layout = TW_PTO_NC1HWC0, .rank = 5, .shape = { N, C1, H, W, C0 } };
    tw_pto_tile t = tw_pto_conv_tile(TW_PTO_MAT, TW_U16, &v, sizeof out + 64);
    OK(CALL(core, "tload", NULL, TILE(&t), TENSOR(&g)));
    OK(CALL(core, "tstore", NULL, TENSOR(&h), TILE(&t)));
    for (size_t i = 0; i < sizeof out / 2; i++)
        assert_int_equal(out[i], in[i / (W * C0) * ((W + 1) * C0) + i % (W * C0)]);
    g.window = (tw_window){ in, sizeof in - 2 - C0 * 2 };
    REFUSED(CALL(core, "tload", NULL, TILE(&t), TENSOR(&g)), "global.bounds", "a2a3");
    /* six dimensions: the tensor's first is the product of the first two */
    tw_pto_conv six = { .layout = TW_PTO_NDC1HWC0, .rank = 6, .shape = { N, C1, 1, H, W, C0 } };
    tw_pto_tile u = tw_pto_conv_tile(TW_PTO_MAT, TW_U16, &six, 0);
    h = (tw_pto_tensor){ .data = out,
                         .type = TW_U16,
                         .layout = TW_PTO_NDC1HWC0,
                         .shape = { N * C1, 1, H, W, C0 },
                         .stride = { H * W * C0, H * W * C0, W * C0, C0, 1 } };
    OK(CALL(core, "tload", NULL, TILE(&u), TENSOR(&h)));
    for (uint32_t i = 0; i < u.valid_cols; i++) assert_true(get(core, &u, 0, i) == out[i]);
    h.layout = TW_PTO_NC1HWC0;
    REFUSED(CALL(core, "tload", NULL, TILE(&u), TENSOR(&h)), "conv.layout", "ndc1hwc0");
    REFUSED(CALL(core, "tor", NULL, TILE(&u), TILE(&u), TILE(&u)), "conv.tile", "a2a3");
    tw_pto_free(core);
}

/* Its elements alone, not what lies behind them; A5 only. */
static void pto_conv_fill(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_conv v = { .layout = TW_PTO_NC1HWC0, .rank = 5, .shape = { 2, 3, 4, 5, 16 } };
    tw_pto_tile t = tw_pto_conv_tile(TW_PTO_MAT, TW_U16, &v, 2 * 3 * 4 * 5 * 16 * 2 + 64);
    OK(CALL(core, "texpands", NULL, TILE(&t), SCALAR(tw_pto_bits(TW_U16, 9))));
    for (uint32_t i = 0; i < t.valid_cols; i++) assert_int_equal(get(core, &t, 0, i), 9);
    assert_int_equal(get(core, &t, 0, t.valid_cols), 0);
    tw_pto_free(core);
}

static uint32_t some(uint32_t low, uint32_t high)
{
    return low + (uint32_t)(random_bits() % (high - low + 1));
}

/* TIMG2COL with random filters, strides, dilations, pads, channels and windows, by the definition of a convolution.
 * */
static void one_window(tw_pto_target target, bool depth)
{
    tw_pto *core = tw_pto_new(target, 0);
    tw_pto_conv v = { .layout = depth ? TW_PTO_NDC1HWC0 : TW_PTO_NC1HWC0,
                      .rank = depth ? 6 : 5,
                      .filter_h = some(1, 3),
                      .filter_w = some(1, 4),
                      .dilation_h = some(1, 2),
                      .dilation_w = some(1, 2),
                      .stride_h = some(1, 3),
                      .stride_w = some(1, 2),
                      .pad = { some(0, 2), some(0, 2), some(0, 2), some(0, 3) } };
    uint32_t n = some(1, 2), d = depth ? 2 : 1, c1 = some(1, 2), h = some(6, 9), w = some(7, 11), oh, ow;
    const uint32_t five[] = { n, c1, h, w, 16 }, six[] = { n, d, c1, h, w, 16 };
    memcpy(v.shape, depth ? six : five, depth ? sizeof six : sizeof five);
    v.channels = c1 * 16 - some(0, 5);
    v.pad_value = 0x3c00; /* 1 in f16 */
    tw_pto_tile src = tw_pto_conv_tile(TW_PTO_MAT, TW_F16, &v, 0),
                dst = tw_pto_tile_of(TW_PTO_LEFT, TW_F16, 32, 48);
    dst.slayout = TW_PTO_BOX_ROW;
    dst.blayout = target == TW_PTO_A2A3 ? TW_PTO_ROW_MAJOR : TW_PTO_COL_MAJOR;
    for (uint32_t i = 0; i < src.valid_cols; i++) set(core, &src, 0, i, 2 + i % 2000);
    OK(tw_pto_conv_output(&v, &oh, &ow));
    uint32_t rows = n * d * oh * ow, cols = c1 * v.filter_h * v.filter_w * 16;
    dst.valid_rows = rows < 29 ? rows : 29;
    dst.valid_cols = cols < 41 ? cols : 41;
    uint32_t m = some(0, rows - dst.valid_rows), k = some(0, cols - dst.valid_cols);
    OK(CALL(core, "timg2col", NULL, TILE(&dst), TILE(&src), SCALAR(tw_pto_i32((int)m)),
            SCALAR(tw_pto_i32((int)k))));
    for (uint32_t r = 0; r < dst.valid_rows; r++)
        for (uint32_t c = 0; c < dst.valid_cols; c++) {
            uint32_t row = m + r, col = k + c, x = row % ow, y = row / ow % oh, im = row / ow / oh;
            uint32_t o = col % 16, kw = col / 16 % v.filter_w, kh = col / 16 / v.filter_w % v.filter_h,
                     g = col / 16 / v.filter_w / v.filter_h;
            int iy = (int)(y * v.stride_h + kh * v.dilation_h) - (int)v.pad[2],
                ix = (int)(x * v.stride_w + kw * v.dilation_w) - (int)v.pad[0];
            bool inside = iy >= 0 && iy < (int)h && ix >= 0 && ix < (int)w && g * 16 + o < v.channels;
            uint32_t at = (((im * c1 + g) * h + (uint32_t)iy) * w + (uint32_t)ix) * 16 + o;
            double want = inside ? tw_type_load(TW_F16, (char *)tw_pto_data(core, &src) + 2 * at) : 1;
            if (get(core, &dst, r, c) != want)
                fail_msg("(%u, %u): %g instead of %g", row, col, get(core, &dst, r, c), want);
        }
    if (rows < UINT16_MAX)
        REFUSED(CALL(core, "timg2col", NULL, TILE(&dst), TILE(&src),
                     SCALAR(tw_pto_i32((int)(rows - dst.valid_rows + 1))), SCALAR(tw_pto_i32((int)k))),
                "window.bounds", tw_pto_target_name(target));
    tw_pto_free(core);
}

static void pto_conv_img2col(void **state)
{
    (void)state;
    for (int i = 0; i < 120; i++) one_window((tw_pto_target)(i % TW_PTO_TARGETS), i & 1);
}

/* A convolution as the cube does it: window times filters in fractals against the sum over the filter. */
static void pto_conv_product(void **state)
{
    enum { H = 5, W = 6, K = 3 * 3 * 16, F = 16, OH = 3, OW = 4 };
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_MANUAL);
    tw_pto_conv v = {
        .layout = TW_PTO_NC1HWC0, .rank = 5, .shape = { 1, 1, H, W, 16 }, .filter_h = 3, .filter_w = 3
    };
    tw_pto_tile map = tw_pto_conv_tile(TW_PTO_MAT, TW_F16, &v, 0), a = tw_pto_tile_of(TW_PTO_LEFT, TW_F16, 16, K),
                filters = tw_pto_tile_of(TW_PTO_MAT, TW_F16, K, F), b = filters,
                c = tw_pto_tile_of(TW_PTO_ACC, TW_F32, 16, F);
    a.slayout = filters.slayout = c.slayout = TW_PTO_BOX_ROW;
    filters.blayout = c.blayout = TW_PTO_COL_MAJOR;
    c.fractal = 1024;
    a.valid_rows = c.valid_rows = OH * OW;
    b.location = TW_PTO_RIGHT;
    b.slayout = TW_PTO_BOX_COL;
    OK(tw_pto_assign(core, &map, 0));
    OK(tw_pto_assign(core, &filters, 0x4000));
    OK(tw_pto_assign(core, &a, 0));
    OK(tw_pto_assign(core, &b, 0));
    OK(tw_pto_assign(core, &c, 0));
    for (uint32_t i = 0; i < map.valid_cols; i++) set(core, &map, 0, i, (double)(random_bits() % 5) - 2);
    for (uint32_t k = 0; k < K; k++)
        for (uint32_t f = 0; f < F; f++) set(core, &filters, k, f, (double)(random_bits() % 5) - 2);
    tw_pto_operand zero = SCALAR(tw_pto_i32(0));
    REFUSED(CALL(core, "timg2col", NULL, TILE(&a), TILE(&map), zero, zero), "img2col.state", "a2a3");
    OK(CALL(core, "setfmatrix", NULL, TILE(&map)));
    OK(CALL(core, "set_img2col_padding", NULL, TILE(&map)));
    OK(CALL(core, "set_img2col_rpt", NULL, TILE(&map)));
    OK(CALL(core, "timg2col", NULL, TILE(&a), TILE(&map), zero, zero));
    OK(CALL(core, "tmov", NULL, TILE(&b), TILE(&filters)));
    OK(CALL(core, "tmatmul", NULL, TILE(&c), TILE(&a), TILE(&b)));
    for (uint32_t y = 0; y < OH; y++)
        for (uint32_t x = 0; x < OW; x++)
            for (uint32_t f = 0; f < F; f++) {
                double sum = 0;
                for (uint32_t i = 0; i < 9; i++)
                    for (uint32_t o = 0; o < 16; o++)
                        sum += get(core, &map, 0, ((y + i / 3) * W + x + i % 3) * 16 + o) *
                               get(core, &filters, i * 16 + o, f);
                assert_true(get(core, &c, y * OW + x, f) == sum);
            }
    /* SETFMATRIX and SET_IMG2COL_PADDING of another tile change what a window sees */
    tw_pto_conv padded = v;
    padded.pad[0] = padded.pad[2] = 1;
    padded.pad_value = 0x4200; /* 3 */
    tw_pto_tile other = map;
    other.conv = &padded;
    OK(CALL(core, "setfmatrix", NULL, TILE(&other)));
    OK(CALL(core, "set_img2col_padding", NULL, TILE(&other)));
    OK(CALL(core, "timg2col", NULL, TILE(&a), TILE(&map), zero, zero));
    assert_true(get(core, &a, 0, 0) == 3 && get(core, &a, 0, 4 * 16) == get(core, &map, 0, 0));
    tw_pto_free(core);
}

/* Stores of accumulators in the layouts of images, and every layout of the table against formulas of its own. */
static void pto_conv_tensor_layouts(void **state)
{
    enum { R = 32, C = 64 };
    (void)state;
    for (int layout = 0; layout < TW_PTO_LAYOUTS; layout++) {
        tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
        int32_t in[R * C], out[R * C] = { 0 };
        for (int i = 0; i < R * C; i++) in[i] = i;
        tw_pto_tensor g = tw_pto_tensor_of(in, TW_I32, R, C, (tw_pto_layout)layout),
                      o = tw_pto_tensor_of(out, TW_I32, R, C, (tw_pto_layout)layout);
        tw_pto_tile t = vec_tile(TW_I32, R, C);
        size_t rows, cols;
        tw_pto_tensor_extents(&g, &rows, &cols);
        assert_true(rows == R && cols == C);
        OK(tw_pto_load(core, &t, &g));
        for (uint32_t r = 0; r < R; r++)
            for (uint32_t c = 0; c < C; c++) {
                size_t at;
                switch ((tw_pto_layout)layout) {
                case TW_PTO_DN: at = c * R + r; break;
                case TW_PTO_NZ: at = c / 8 * (R * 8) + r * 8 + c % 8; break;
                case TW_PTO_NC1HWC0:
                case TW_PTO_GNC1HWC0:
                case TW_PTO_NDC1HWC0: at = c / 8 * (R * 8) + r * 8 + c % 8; break;
                case TW_PTO_NCHW:
                case TW_PTO_GNCHW:
                case TW_PTO_NCDHW: at = c * R + r; break;
                case TW_PTO_FRACTAL_Z:
                case TW_PTO_FRACTAL_Z_S16S8:
                case TW_PTO_FRACTAL_Z_3D: at = ((r / 8 * (C / 16) + c / 16) * 16 + c % 16) * 8 + r % 8; break;
                case TW_PTO_HIF4_A_ZZ:
                case TW_PTO_MX_A_ZZ: at = ((r / 16 * (C / 2) + c / 2) * 16 + r % 16) * 2 + c % 2; break;
                case TW_PTO_HIF4_B_NN:
                case TW_PTO_MX_B_NN: at = ((c / 16 * (R / 2) + r / 2) * 16 + c % 16) * 2 + r % 2; break;
                case TW_PTO_MX_A_ND: at = r * C + c; break;
                case TW_PTO_MX_A_DN: at = (c / 2 * R + r) * 2 + c % 2; break;
                case TW_PTO_MX_B_ND: at = (r / 2 * C + c) * 2 + r % 2; break;
                case TW_PTO_MX_B_DN: at = c * R + r; break;
                default: at = r * C + c; break;
                }
                if (get(core, &t, r, c) != (double)at)
                    fail_msg("%s (%u, %u): %g instead of %zu", tw_pto_layout_name((tw_pto_layout)layout), r, c,
                             get(core, &t, r, c), at);
            }
        OK(tw_pto_store(core, &o, &t));
        assert_memory_equal(in, out, sizeof in);
        tw_pto_free(core);
    }
    for (int target = TW_PTO_A2A3; target <= TW_PTO_A5; target++) { /* pixels x channels of an accumulator */
        tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
        tw_pto_tile c = tw_pto_tile_of(TW_PTO_ACC, TW_F32, 32, 32);
        c.slayout = TW_PTO_BOX_ROW;
        c.blayout = TW_PTO_COL_MAJOR;
        c.fractal = 1024;
        float out[30 * 32];
        c.valid_rows = 30;
        for (uint32_t r = 0; r < 30; r++)
            for (uint32_t k = 0; k < 32; k++) set(core, &c, r, k, r * 100 + k);
        tw_pto_tensor g = { .data = out,
                            .type = TW_F32,
                            .layout = target == TW_PTO_A2A3 ? TW_PTO_NC1HWC0 : TW_PTO_NCHW };
        const size_t split[] = { 1, 4, 5, 6, 8 }, plain[] = { 1, 1, 32, 5, 6 };
        memcpy(g.shape, target == TW_PTO_A2A3 ? split : plain, sizeof split);
        for (ptrdiff_t d = 4, step = 1; d >= 0; step *= (ptrdiff_t)g.shape[d--]) g.stride[d] = step;
        OK(tw_pto_store(core, &g, &c));
        for (uint32_t r = 0; r < 30; r++)
            for (uint32_t k = 0; k < 32; k++)
                assert_true(out[target == TW_PTO_A2A3 ? (k / 8 * 30 + r) * 8 + k % 8 : k * 30 + r] == r * 100 + k);
        g.layout = target == TW_PTO_A2A3 ? TW_PTO_NCHW : TW_PTO_NC1HWC0;
        memcpy(g.shape, target == TW_PTO_A2A3 ? plain : split, sizeof split);
        REFUSED(tw_pto_store(core, &g, &c), "store.layout", tw_pto_target_name((tw_pto_target)target));
        tw_pto_free(core);
    }
}

static void pto_conv_shapes(void **state)
{
    static const struct {
        tw_pto_conv v;
        const char *message;
    } rows[] = {
        { { .layout = TW_PTO_ND, .rank = 4, .shape = { 1, 1, 1, 16 } }, "does not have 4 dimensions" },
        { { .layout = TW_PTO_NC1HWC0, .rank = 4, .shape = { 1, 1, 1, 16 } }, "does not have 4 dimensions" },
        { { .layout = TW_PTO_NCHW, .rank = 4, .shape = { 1, 0, 1, 16 } }, "no empty dimension" },
        { { .layout = TW_PTO_NC1HWC0, .rank = 5, .shape = { 1, 1, 1, 2, 8 } }, "C0 is 8" },
        { { .layout = TW_PTO_FRACTAL_Z, .rank = 4, .shape = { 4, 1, 8, 16 } }, "16 filters" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_tile t = tw_pto_conv_tile(TW_PTO_MAT, TW_F16, &rows[i].v, 0);
        REFUSED(tw_pto_tile_check(&t), rows[i].message, "");
    }
    tw_pto_conv huge = { .layout = TW_PTO_NCHW, .rank = 4, .shape = { 1u << 31, 1u << 31, 1u << 31, 1u << 31 } };
    tw_pto_tile t = tw_pto_conv_tile(TW_PTO_MAT, TW_F16, &huge, 0);
    assert_true(tw_pto_tile_check(&t) != TW_OK);
    uint32_t h, w;
    REFUSED(tw_pto_conv_output(&huge, &h, &w), "feature map", "NC1HWC0");
    tw_pto_conv map = { .layout = TW_PTO_NC1HWC0, .rank = 5, .shape = { 1, 1, 3, 3, 16 }, .filter_h = 4 };
    REFUSED(tw_pto_conv_output(&map, &h, &w), "filter is larger", "");
    map.pad[3] = 1;
    OK(tw_pto_conv_output(&map, &h, &w));
    assert_true(h == 1 && w == 3);
}

static void pto_conv_rows(void **state)
{
    (void)state;
    check_rows_reached("conv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_conv_transpose), cmocka_unit_test(pto_conv_load_store),
        cmocka_unit_test(pto_conv_fill),      cmocka_unit_test(pto_conv_img2col),
        cmocka_unit_test(pto_conv_product),   cmocka_unit_test(pto_conv_tensor_layouts),
        cmocka_unit_test(pto_conv_shapes),    cmocka_unit_test(pto_conv_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
