/* SPDX-License-Identifier: MIT */
/* ConvTiles against coordinates: TIMG2COL over strides, dilations, pads, channels and window positions of 2-D and 3-D
 * maps, state from SETFMATRIX, SET_IMG2COL_PADDING and SET_IMG2COL_RPT or from the tile; TTRANS between all layouts;
 * TLOAD and TSTORE with strides. Bytes that nothing is moved to keep their values. */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/reference/ref_conv.h"
#include "pto/reference/ref_cube.h"

static uint64_t state = 26;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}
static uint64_t any(tw_type type, uint64_t random)
{
    return ref_any(type, random);
}

static const tw_type types[] = { TW_I8, TW_U8, TW_I16, TW_U16, TW_I32, TW_U32, TW_F16, TW_BF16, TW_F32 };
enum { TYPES = sizeof types / sizeof *types };

static ref_image conv_image(tw_pto *core, tw_pto_tile *t)
{
    return ref_fill(core, t, any, &state);
}

/* --- TIMG2COL --------------------------------------------------------------------------------------------------- */

typedef enum source_of_state { OWN, SET, SOURCES } source_of_state;

static void random_filter(tw_pto_conv *v, const ref_map *of)
{
    do {
        v->filter_h = 1 + pick(3), v->filter_w = 1 + pick(3);
        v->dilation_h = 1 + pick(3), v->dilation_w = 1 + pick(3);
        v->stride_h = 1 + pick(3), v->stride_w = 1 + pick(3);
        for (int i = 0; i < 4; i++) v->pad[i] = pick(3);
    } while (of->h + v->pad[2] + v->pad[3] < (v->filter_h - 1) * v->dilation_h + 1 ||
             of->w + v->pad[0] + v->pad[1] < (v->filter_w - 1) * v->dilation_w + 1);
}

/* Extents and pads of the map from SETFMATRIX, the padding from SET_IMG2COL_PADDING: other values in the tile are not
 * used. */
static void set_state(tw_pto *core, tw_type type, const tw_pto_conv *v, const ref_map *of, tw_pto_conv *in_tile)
{
    static tw_pto_conv kept;
    kept = *v;
    kept.fmap_h = of->h, kept.fmap_w = of->w;
    tw_pto_tile t = tw_pto_conv_tile(TW_PTO_MAT, type, &kept, 0);
    OK(CALL(core, "setfmatrix", NULL, TILE(&t)));
    OK(CALL(core, "set_img2col_padding", NULL, TILE(&t)));
    OK(CALL(core, "set_img2col_rpt", NULL, TILE(&t)));
    in_tile->pad_value = ~v->pad_value;
    for (int i = 0; i < 4; i++) in_tile->pad[i] = 7;
}

static void one_window(tw_pto_target target, tw_type type, source_of_state from, bool right, bool deep)
{
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t c0 = 256 / ref_bits(type);
    ref_map of = { 1, 1 + pick(2), c0 * (1 + pick(3)), deep ? 1 + pick(3) : 1, 1 + pick(7), 1 + pick(7) };
    tw_pto_conv v, in_tile;
    assert_true(ref_conv_shape(deep ? TW_PTO_NDC1HWC0 : TW_PTO_NC1HWC0, &of, c0, &v));
    random_filter(&v, &of);
    v.pad_value = ref_any(type, ref_next(&state));
    if (pick(2)) v.channels = 1 + pick(of.c);
    in_tile = v;
    if (from == SET) set_state(core, type, &v, &of, &in_tile);
    tw_pto_tile map = tw_pto_conv_tile(TW_PTO_MAT, type, &in_tile, 0),
                d = ref_cube_tile(right ? TW_PTO_RIGHT : TW_PTO_LEFT, type, right ? 64 : 16 * (1 + pick(2)),
                                  right ? 32 : 32 * (1 + pick(3)), target);
    uint64_t rows, cols;
    ref_conv_matrix(&v, &of, c0, &rows, &cols);
    uint32_t high = 0, wide = 0;
    OK(tw_pto_conv_output(&v, &high, &wide));
    assert_int_equal((uint64_t)high * wide * of.n * of.d, rows);
    d.valid_rows = 1 + pick((uint32_t)(rows < d.rows ? rows : d.rows));
    d.valid_cols = 1 + pick((uint32_t)(cols < d.cols ? cols : d.cols));
    uint32_t row = pick((uint32_t)(rows - d.valid_rows + 1)), col = pick((uint32_t)(cols - d.valid_cols + 1));
    ref_image input = conv_image(core, &map), want = ref_fill(core, &d, any, &state);
    OK(CALL(core, "timg2col", NULL, TILE(&d), TILE(&map), SCALAR(tw_pto_i32((int32_t)row)),
            SCALAR(tw_pto_i32((int32_t)col))));
    for (uint32_t r = 0; r < d.valid_rows; r++)
        for (uint32_t c = 0; c < d.valid_cols; c++) {
            ref_map at;
            bool inside = ref_conv_input(&v, &of, c0, row + r, col + c, &at);
            ref_set(&want, r, c,
                    inside ? ref_load(input.bytes, type, ref_conv_place(v.layout, &of, &at, c0)) : v.pad_value);
        }
    if (!ref_equal(core, &d, &want, "timg2col"))
        fail_msg("%s %s: map %u x %u x %u x %u x %u, filter %u x %u, stride %u %u, dilation %u %u, pads %u %u %u "
                 "%u, at (%u, %u)",
                 tw_pto_target_name(target), tw_type_name(type, TW_SYSTEM_PTO), of.n, of.c, of.d, of.h, of.w,
                 v.filter_h, v.filter_w, v.stride_h, v.stride_w, v.dilation_h, v.dilation_w, v.pad[0], v.pad[1],
                 v.pad[2], v.pad[3], row, col);
    assert_true(ref_equal(core, &map, &input, "map"));
    ref_drop(&input);
    ref_drop(&want);
    tw_pto_free(core);
}

static void pto_ref_conv_img2col(void **unused)
{
    enum { CASES = 10 };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < TYPES; t++)
            for (int from = OWN; from < SOURCES; from++)
                for (int i = 0; i < CASES; i++)
                    one_window((tw_pto_target)target, types[t], (source_of_state)from, i & 1, i & 2);
}

/* The window just inside the matrix and one past each of its ends; a filter that just fits and one that does not. */
static void pto_ref_conv_ends(void **unused)
{
    static const struct {
        uint32_t row, col, filter, channels;
        const char *rule; /* NULL = taken */
    } rows[] = {
        { 0, 0, 3, 16, NULL },
        { 4, 112, 3, 16, NULL }, /* 5 x 4 outputs: 20 rows, 9 x 16 columns */
        { 5, 112, 3, 16, "window.bounds" },
        { 4, 113, 3, 16, "window.bounds" },
        { UINT32_MAX, 0, 3, 16, "window.bounds" },
        { 0, 0, 6, 16, "window.bounds" }, /* 2 x 1 outputs */
        { 0, 0, 9, 16, "img2col.filter" },
        { 0, 0, 3, 17, "img2col.extents" },
    };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            ref_map of = { 1, 1, 16, 1, 5, 6 };
            tw_pto_conv v;
            assert_true(ref_conv_shape(TW_PTO_NC1HWC0, &of, 16, &v));
            v.filter_h = v.filter_w = rows[i].filter;
            v.channels = rows[i].channels;
            v.pad[2] = v.pad[3] = 1;
            tw_pto_tile map = tw_pto_conv_tile(TW_PTO_MAT, TW_F16, &v, 0),
                        d = ref_cube_tile(TW_PTO_LEFT, TW_F16, 16, 32, (tw_pto_target)target);
            bool taken =
                CALL(core, "timg2col", NULL, TILE(&d), TILE(&map), SCALAR(tw_pto_i32((int32_t)rows[i].row)),
                     SCALAR(tw_pto_i32((int32_t)rows[i].col))) == TW_OK;
            if (taken != !rows[i].rule || (!taken && !strstr(tw_error_message(), rows[i].rule)))
                fail_msg("row %zu: %s", i, taken ? "taken" : tw_error_message());
            (tw_pto_free)(core);
        }
}

/* --- TTRANS ----------------------------------------------------------------------------------------------------- */

static const tw_pto_layout plain[] = { TW_PTO_NCHW,     TW_PTO_NHWC,      TW_PTO_GNCHW,
                                       TW_PTO_NCDHW,    TW_PTO_NC1HWC0,   TW_PTO_GNC1HWC0,
                                       TW_PTO_NDC1HWC0, TW_PTO_FRACTAL_Z, TW_PTO_FRACTAL_Z_3D };
enum { LAYOUTS = sizeof plain / sizeof *plain };

static bool fractal(tw_pto_layout layout)
{
    return layout == TW_PTO_FRACTAL_Z || layout == TW_PTO_FRACTAL_Z_3D;
}

/* the manual: NCHW to and from NC1HWC0, to FRACTAL_Z, NCDHW to FRACTAL_Z_3D, and those with groups. */
static void one_transpose(tw_pto_target target, tw_type type, tw_pto_layout from, tw_pto_layout to)
{
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t c0 = 256 / ref_bits(type);
    bool groups = (from == TW_PTO_GNCHW || from == TW_PTO_GNC1HWC0) && pick(2),
         deep = from == TW_PTO_NCDHW || from == TW_PTO_NDC1HWC0;
    bool whole = from == TW_PTO_NC1HWC0 || from == TW_PTO_GNC1HWC0 || from == TW_PTO_NDC1HWC0;
    ref_map
        of = { groups ? 2 : 1, 1 + pick(20), 1 + pick(c0 + 5), deep ? 1 + pick(2) : 1, 1 + pick(3), 1 + pick(4) },
        at;
    bool grouped = fractal(to) || to == TW_PTO_NC1HWC0 || to == TW_PTO_GNC1HWC0 || to == TW_PTO_NDC1HWC0;
    if (whole && (grouped || pick(2))) of.c = c0 * (1 + pick(2)); /* a group is copied as it is */
    tw_pto_conv a, b;
    if (from == to || fractal(from) || !ref_conv_shape(from, &of, c0, &a) || !ref_conv_shape(to, &of, c0, &b)) {
        (tw_pto_free)(core);
        return;
    }
    tw_pto_tile src = tw_pto_conv_tile(TW_PTO_VEC, type, &a, 0), dst = tw_pto_conv_tile(TW_PTO_VEC, type, &b, 0),
                tmp = vec_tile(type, 1, 32);
    ref_image input = conv_image(core, &src), want = conv_image(core, &dst);
    OK(CALL(core, "ttrans", NULL, TILE(&dst), TILE(&src), TILE(&tmp)));
    for (uint32_t i = 0; i < dst.valid_cols; i++) ref_store(want.bytes, type, i, 0); /* what the source lacks */
    for (at.g = 0; at.g < of.g; at.g++)
        for (at.n = 0; at.n < of.n; at.n++)
            for (at.c = 0; at.c < of.c; at.c++)
                for (at.d = 0; at.d < of.d; at.d++)
                    for (at.h = 0; at.h < of.h; at.h++)
                        for (at.w = 0; at.w < of.w; at.w++)
                            ref_store(want.bytes, type, ref_conv_place(to, &of, &at, c0),
                                      ref_load(input.bytes, type, ref_conv_place(from, &of, &at, c0)));
    if (!ref_equal(core, &dst, &want, "ttrans"))
        fail_msg("%s, %s: %s to %s of %u x %u x %u x %u x %u x %u", tw_pto_target_name(target),
                 tw_type_name(type, TW_SYSTEM_PTO), tw_pto_layout_name(from), tw_pto_layout_name(to), of.g, of.n,
                 of.c, of.d, of.h, of.w);
    ref_drop(&input);
    ref_drop(&want);
    tw_pto_free(core);
}

static void pto_ref_conv_transpose(void **unused)
{
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < TYPES; t++)
            for (int pair = 0; pair < LAYOUTS * LAYOUTS; pair++)
                for (int i = 0; i < 2; i++)
                    one_transpose((tw_pto_target)target, types[t], plain[pair % LAYOUTS], plain[pair / LAYOUTS]);
}

/* --- TLOAD, TSTORE ---------------------------------------------------------------------------------------------- */

/* A tensor of the tile's shape, its rows with gaps between them; of six dimensions the first two are one. */
static void one_transfer(tw_pto_target target, tw_type type, tw_pto_layout layout, bool load)
{
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t c0 = 256 / ref_bits(type), gap = pick(4);
    bool groups = pick(2), deep = pick(2);
    ref_map of = { groups ? 2 : 1, 1 + pick(3), 1 + pick(c0 + 5), deep ? 2 : 1, 1 + pick(4), 1 + pick(4) };
    tw_pto_conv v;
    if (!ref_conv_shape(layout, &of, c0, &v)) {
        (tw_pto_free)(core);
        return;
    }
    tw_pto_tile t = tw_pto_conv_tile(pick(2) ? TW_PTO_MAT : TW_PTO_VEC, type, &v, 0);
    if (target == TW_PTO_A5 && !load) t.location = TW_PTO_VEC;
    tw_pto_tensor g = { .type = type, .layout = layout, .shape = { 1, 1, 1, 1, 1 } };
    for (unsigned i = 0; i < v.rank; i++) {
        int d = (int)i + 5 - (int)v.rank;
        g.shape[d < 0 ? 0 : d] *= v.shape[i];
    }
    size_t stride = 1;
    for (int d = 4; d >= 0; d--) {
        g.stride[d] = (ptrdiff_t)stride;
        stride = stride * g.shape[d] + gap;
    }
    size_t count = stride + 16;
    unsigned char *memory = calloc(count, 8), *kept = calloc(count, 8);
    assert_true(memory && kept);
    for (size_t i = 0; i < count; i++) ref_store(memory, type, i, ref_any(type, ref_next(&state)));
    memcpy(kept, memory, count * 8);
    g.data = memory;
    ref_image image = conv_image(core, &t);
    if (load)
        OK(tw_pto_load(core, &t, &g));
    else
        OK(tw_pto_store(core, &g, &t));
    size_t number = 0, i[5];
    for (i[0] = 0; i[0] < g.shape[0]; i[0]++)
        for (i[1] = 0; i[1] < g.shape[1]; i[1]++)
            for (i[2] = 0; i[2] < g.shape[2]; i[2]++)
                for (i[3] = 0; i[3] < g.shape[3]; i[3]++)
                    for (i[4] = 0; i[4] < g.shape[4]; i[4]++, number++) {
                        size_t at = 0;
                        for (int d = 0; d < 5; d++) at += i[d] * (size_t)g.stride[d];
                        if (load)
                            ref_store(image.bytes, type, number, ref_load(kept, type, at));
                        else
                            ref_store(kept, type, at, ref_load(image.bytes, type, number));
                    }
    if (!ref_equal(core, &t, &image, load ? "tload" : "tstore")) fail_msg("layout %s", tw_pto_layout_name(layout));
    if (memcmp(kept, memory, count * 8) != 0) fail_msg("memory, layout %s", tw_pto_layout_name(layout));
    free(memory);
    free(kept);
    ref_drop(&image);
    tw_pto_free(core);
}

static void pto_ref_conv_transfer(void **unused)
{
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < TYPES; t++)
            for (int l = 0; l < LAYOUTS; l++)
                for (int i = 0; i < 6; i++) one_transfer((tw_pto_target)target, types[t], plain[l], i & 1);
}

static void every_row(void **unused)
{
    (void)unused;
    check_rows_reached("ref_conv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_conv_img2col),
        cmocka_unit_test(pto_ref_conv_ends),
        cmocka_unit_test(pto_ref_conv_transpose),
        cmocka_unit_test(pto_ref_conv_transfer),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests_name("pto_ref_conv", tests, NULL, NULL);
}
