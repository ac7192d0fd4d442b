/* SPDX-License-Identifier: MIT */
/* ConvTiles in text: their type, a convolution through TIMG2COL and the cube against loops over pixels, and what is
 * refused. */
#include "pto/support/check.h"
#include "pto/support/text.h"
#include <tilewright/pto/text.h>

static void pto_conv_text_type(void **state)
{
    static const struct {
        const char *written, *canonical; /* NULL: refused with `error` */
        const char *error;
    } rows[] = {
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16>", "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16>", NULL },
        { "!pto.conv_tile< vec ,NCHW,1x3x5x7xf32 >", "!pto.conv_tile<vec, nchw, 1x3x5x7xf32>", NULL },
        { "!pto.conv_tile<mat, ndc1hwc0, 1x3x1x4x4x32xi8>", "!pto.conv_tile<mat, ndc1hwc0, 1x3x1x4x4x32xi8>",
          NULL },
        { "!pto.conv_tile<mat, fractal_z, 9x1x16x16xf16>", "!pto.conv_tile<mat, fractal_z, 9x1x16x16xf16>", NULL },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, bytes=8192, pad_value=-1.0, transpose=1, repeat=1x2x3, "
          "channels=20, fmap=7x8, pad=1x2x3x4, dilation=1x2, stride=2x1, filter=3x3>",
          "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, filter=3x3, stride=2x1, dilation=1x2, pad=1x2x3x4, "
          "fmap=7x8, "
          "channels=20, repeat=1x2x3, transpose=1, pad_value=0xbc00, bytes=8192>",
          NULL },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, filter=1x1, stride=1x1, pad=0x0x0x0, pad_value=0>",
          "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16>", NULL },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x32xui8, pad_value=255>",
          "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x32xui8, pad_value=0xff>", NULL },
        { "!pto.conv_tile<mat, nc1hwc0>", NULL, "memory, layout and extents" },
        { "!pto.conv_tile<mad, nc1hwc0, 1x2x8x8x16xf16>", NULL, "did you mean 'mat'" },
        { "!pto.conv_tile<mat, nc1hwc1, 1x2x8x8x16xf16>", NULL, "did you mean 'nc1hwc0'" },
        { "!pto.conv_tile<mat, nd, 8x16xf16>", NULL, "layout nd does not have 2 dimensions" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8xf16>", NULL, "does not have 4 dimensions" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x32xf16>", NULL, "C0 is 32" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x8x8x16xf16>", NULL, "more than 6 extents" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x?x8x16xf16>", NULL, "known extents" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x0x8x8x16xf16>", NULL, "no empty dimension" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf17>", NULL, "did you mean" },
        { "!pto.conv_tile<mat, nc1hwc0, 4096x4096x4096x4096x16xf16>", NULL, "one row of its buffer" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, filtr=3x3>", NULL, "did you mean 'filter'" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, filter=3>", NULL, "takes 2 numbers" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, filter=0x3>", NULL, "numbers from 1 on" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, pad=1x1>", NULL, "takes 4 numbers" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, pad=-1x1x1x1>", NULL, "numbers from 0 on" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, stride=1x1, stride=2x2>", NULL, "given twice" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, filter>", NULL, "no meaning" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, bytes=100>", NULL, "exceeds" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, bytes=4100>", NULL, "multiple of 32" },
        { "!pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, pad_value=x>", NULL, "not a value of f16" },
        { "!pto.conv_tyle<mat, nc1hwc0, 1x2x8x8x16xf16>", NULL, "did you mean '!pto.conv_tile<'" },
    };
    (void)state;
    tw_diags *diags = tw_diags_new();
    tw__as_module *m = tw__as_parse("t.pto", "", 0, diags);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw__as_type t, again;
        bool good = tw__as_type_parse(m, rows[i].written, &t);
        if (good != (rows[i].canonical != NULL)) fail_msg("row %zu: %s", i, good ? t.text : tw_error_message());
        if (!good && !strstr(tw_error_message(), rows[i].error)) fail_msg("row %zu: %s", i, tw_error_message());
        if (!good) continue;
        if (strcmp(t.text, rows[i].canonical) != 0) fail_msg("row %zu: %s", i, t.text);
        assert_true(tw__as_type_parse(m, t.text, &again));
        assert_string_equal(again.text, t.text);
        assert_memory_equal(again.tile.conv, t.tile.conv, sizeof *t.tile.conv);
    }
    tw__as_free(m);
    tw_diags_free(diags);
}

/* --- a convolution ---------------------------------------------------------------------------------------------- */

enum {
    C = 20,
    H = 6,
    W = 7,
    KH = 3,
    KW = 3,
    FILTERS = 16,
    OH = 3,
    OW = 4,
    GROUPS = 2,
    C0 = 16,
    K = GROUPS * KH * KW * C0
};

#define NCHW "!pto.conv_tile<vec, nchw, 1x20x6x7xf16>"
#define FIVE "!pto.conv_tile<vec, nc1hwc0, 1x2x6x7x16xf16>"
#define MAP                                                                                           \
    "!pto.conv_tile<mat, nc1hwc0, 1x2x6x7x16xf16, filter=3x3, stride=2x2, pad=1x1x1x0, channels=20, " \
    "repeat=1x1x0, pad_value=0.5>"
#define WGT  "!pto.tile_buf<mat, 288x16xf16, blayout=col_major, slayout=row_major>"
#define LEFT "!pto.tile_buf<left, 16x144xf16, valid=12x144, slayout=row_major>"
#define RGHT "!pto.tile_buf<right, 144x16xf16, slayout=col_major>"
#define ACC  "!pto.tile_buf<acc, 16x16xf32, valid=12x16, blayout=col_major, slayout=row_major, fractal=1024>"
#define TMP  "!pto.tile_buf<vec, 16x64xf16>"

static const char convolution[] =
    "func.func @conv(%x : !pto.ptr<f16>, %five : !pto.ptr<f16>, %w : !pto.ptr<f16>, %y : !pto.ptr<f32>) {\n"
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
    "%c6 = arith.constant 6 : index\n%c7 = arith.constant 7 : index\n%c12 = arith.constant 12 : index\n"
    "%c16 = arith.constant 16 : index\n%c20 = arith.constant 20 : index\n%c42 = arith.constant 42 : index\n"
    "%c112 = arith.constant 112 : index\n%c672 = arith.constant 672 : index\n%c840 = arith.constant 840 : index\n"
    "%c1344 = arith.constant 1344 : index\n%k1 = arith.constant 144 : index\n%k = arith.constant 288 : index\n"
    /* the image as it comes, to groups of 16 channels, to L1 */
    "%xv = pto.make_tensor_view %x, shape = [%c1, %c20, %c6, %c7], strides = [%c840, %c42, %c7, %c1] {layout = "
    "#pto.layout<nchw>} : !pto.tensor_view<1x20x6x7xf16>\n"
    "%fv = pto.make_tensor_view %five, shape = [%c1, %c2, %c6, %c7, %c16], strides = [%c1344, %c672, %c112, %c16, "
    "%c1] {layout = #pto.layout<nc1hwc0>} : !pto.tensor_view<1x2x6x7x16xf16>\n"
    "%image = pto.alloc_tile : " NCHW "\n%groups = pto.alloc_tile : " FIVE "\n%map = pto.alloc_tile : " MAP "\n"
    "%tmp = pto.alloc_tile : " TMP "\n"
    "pto.tload ins(%xv : !pto.tensor_view<1x20x6x7xf16>) outs(%image : " NCHW ")\n"
    "pto.ttrans ins(%image, %tmp : " NCHW ", " TMP ") outs(%groups : " FIVE ")\n"
    "pto.tstore ins(%groups : " FIVE ") outs(%fv : !pto.tensor_view<1x2x6x7x16xf16>)\n"
    "pto.tload ins(%fv : !pto.tensor_view<1x2x6x7x16xf16>) outs(%map : " MAP ")\n"
    /* what TIMG2COL needs to know */
    "pto.setfmatrix ins(%map : " MAP ")\npto.set_img2col_padding ins(%map : " MAP ")\n"
    "pto.set_img2col_rpt ins(%map : " MAP ")\n"
    /* filters, by halves of the inputs under them */
    "%wv = pto.make_tensor_view %w, shape = [%k, %c16], strides = [%c16, %c1] : !pto.tensor_view<288x16xf16>\n"
    "%weights = pto.alloc_tile : " WGT "\n%l = pto.alloc_tile : " LEFT "\n%r = pto.alloc_tile : " RGHT "\n"
    "%acc = pto.alloc_tile : " ACC "\n"
    "pto.tload ins(%wv : !pto.tensor_view<288x16xf16>) outs(%weights : " WGT ")\n"
    "pto.timg2col ins(%map, %c0, %c0 : " MAP ", index, index) outs(%l : " LEFT ")\n"
    "pto.textract ins(%weights, %c0, %c0 : " WGT ", index, index) outs(%r : " RGHT ")\n"
    "pto.tmatmul ins(%l, %r : " LEFT ", " RGHT ") outs(%acc : " ACC ")\n"
    "pto.timg2col ins(%map, %c0, %k1 : " MAP ", index, index) outs(%l : " LEFT ")\n"
    "pto.textract ins(%weights, %k1, %c0 : " WGT ", index, index) outs(%r : " RGHT ")\n"
    "pto.tmatmul.acc ins(%acc, %l, %r : " ACC ", " LEFT ", " RGHT ") outs(%acc : " ACC ")\n"
    "%yv = pto.make_tensor_view %y, shape = [%c12, %c16], strides = [%c16, %c1] : !pto.tensor_view<12x16xf32>\n"
    "pto.tstore ins(%acc : " ACC ") outs(%yv : !pto.tensor_view<12x16xf32>)\nreturn\n}\n";

static double pixel(const uint16_t *x, int c, int h, int w)
{
    if (c >= C || h < 0 || h >= H || w < 0 || w >= W) return 0.5;
    return tw_type_load(TW_F16, &x[(c * H + h) * W + w]);
}

static void point(session *s, const char *name, void *memory, size_t bytes, tw_type type)
{
    tw__as_cell *p = cell(s, name);
    tw__as_set_wide(p, TW__AS_PTR, 0);
    p->wide->ptr.base = memory;
    p->wide->ptr.bytes = bytes;
    p->wide->ptr.type = type;
}

static void pto_conv_text_convolution(void **state)
{
    static uint16_t x[C * H * W], five[GROUPS * H * W * C0], weights[K * FILTERS];
    static float y[OH * OW * FILTERS];
    (void)state;
    stable(0, convolution);
    for (int i = 0; i < C * H * W; i++) tw_type_store(TW_F16, &x[i], (double)(i * 7 % 33) / 8 - 2);
    for (int i = 0; i < K * FILTERS; i++) tw_type_store(TW_F16, &weights[i], (double)(i * 5 % 17) / 16 - 0.5);
    memset(y, 0, sizeof y);
    session s = start(convolution, TW_PTO_A2A3);
    point(&s, "x", x, sizeof x, TW_F16);
    point(&s, "five", five, sizeof five, TW_F16);
    point(&s, "w", weights, sizeof weights, TW_F16);
    point(&s, "y", y, sizeof y, TW_F32);
    OK(run(&s));
    for (int oh = 0; oh < OH; oh++)
        for (int ow = 0; ow < OW; ow++)
            for (int f = 0; f < FILTERS; f++) {
                double sum = 0;
                for (int c = 0; c < GROUPS * C0; c++)
                    for (int kh = 0; kh < KH; kh++)
                        for (int kw = 0; kw < KW; kw++) {
                            int row = ((c / C0 * KH + kh) * KW + kw) * C0 + c % C0;
                            sum += pixel(x, c, oh * 2 + kh - 1, ow * 2 + kw - 1) *
                                   tw_type_load(TW_F16, &weights[row * FILTERS + f]);
                        }
                if (y[(oh * OW + ow) * FILTERS + f] != (float)sum) /* exact: eighths times sixteenths */
                    fail_msg("(%d, %d) filter %d: %g instead of %g", oh, ow, f,
                             (double)y[(oh * OW + ow) * FILTERS + f], sum);
            }
    end(&s);
}

/* --- refusals --------------------------------------------------------------------------------------------------- */

#define T "!pto.tile_buf<vec, 1x64xf16>"
static void pto_conv_text_refused(void **state)
{
    static const struct {
        const char *text, *error;
        int line, column;
    } rows[] = {
        { "%m = pto.alloc_tile : !pto.conv_tile<mat, nc1hwc0, 1x2x8x8x32xf16>\n", "C0 is 32", 1, 23 },
        { "%m = pto.alloc_tile : !pto.conv_tile<mat, nc1hwc0, 1x2x8x8x16xf16, filter=3x>\n", "not an extent", 1,
          23 },
        { "%m = pto.alloc_tile : " MAP "\n%s = pto.subset %m[0, 0] sizes [1, 16] : " MAP "\n", "has no windows", 2,
          17 },
        { "%m = pto.alloc_tile : " MAP "\n%t = pto.alloc_tile : " T "\npto.tmov ins(%m : " MAP ") outs(%t : " T
          ")\n",
          "conv.tile", 3, 14 },
        { "%m = pto.alloc_tile : " MAP "\n%t = pto.alloc_tile : " T "\npto.tadd ins(%t, %t : " T ", " T
          ") outs(%m : " MAP ")\n",
          "conv.tile", 3, 0 },
        { "%t = pto.alloc_tile : " T "\npto.setfmatrix ins(%t : " T ")\n", "img2col.map", 2, 20 },
        { "%m = pto.alloc_tile : " NCHW "\npto.setfmatrix ins(%m : " NCHW ")\n", "img2col.map", 2, 20 },
        { "%m = pto.alloc_tile : " FIVE "\npto.set_img2col_rpt ins(%m : " FIVE ")\n", "img2col.location", 2, 25 },
        { "%m = pto.alloc_tile : " MAP "\n%l = pto.alloc_tile : " LEFT "\n%k = arith.constant 200 : index\n"
          "pto.timg2col ins(%m, 0, %k : " MAP ", index, index) outs(%l : " LEFT ")\n",
          "window.bounds", 4, 0 },
        { "%m = pto.alloc_tile : " MAP
          "\n%x = arith.constant 1.0 : f16\npto.tsetval ins(0, %x : index, f16) outs(%m : " MAP ")\n",
          "elements are reached in vector memory alone; this tile is mat", 3, 1 },
        { "%m = pto.alloc_tile : " MAP "\npto.setfmatrix ins(%m : " FIVE ")\n", "not !pto.conv_tile<vec", 2, 20 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        session s = start(rows[i].text, TW_PTO_A2A3);
        if (s.program) assert_true(run(&s) != TW_OK);
        const tw_diag *d = tw_diags_count(s.diags, TW_ERROR) ? tw_diags_get(s.diags, 0) : NULL;
        bool good = d && strstr(d->message, rows[i].error) && d->line == rows[i].line &&
                    (d->column == rows[i].column || !rows[i].column);
        if (!good)
            fail_msg("row %zu: %d:%d: %s", i, d ? d->line : 0, d ? d->column : 0, d ? d->message : "no error");
        end(&s);
    }
}

/* A function may take one from its caller; nothing binds it from outside. */
static void pto_conv_text_parameter(void **state)
{
    static const char source[] =
        "func.func @f(%m : " MAP ") {\npto.setfmatrix ins(%m : " MAP ")\nreturn\n}\nfunc.func "
        "@g() {\n%m = pto.alloc_tile : " MAP "\nfunc.call @f(%m) : (" MAP ") -> ()\nreturn\n}\n";
    tw_pto_param p;
    uint16_t array[1344] = { 0 };
    (void)state;
    tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
    OK(tw_pto_text_verify(text, TW_PTO_A5));
    assert_true(tw_pto_text_param(text, "f", 0, &p));
    assert_int_equal(p.kind, TW_PTO_PARAM_OTHER);
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_run *run_f = tw_pto_run_new(text, "f", core), *run_g = tw_pto_run_new(text, "g", core);
    REFUSED(tw_pto_run_memory(run_f, "m", array, TW_F16, 1, (size_t[]){ 1344 }), "takes no array", "conv_tile");
    OK(tw_pto_run_start(run_g, NULL));
    tw_pto_run_free(run_f);
    tw_pto_run_free(run_g);
    tw_pto_free(core);
    tw_pto_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_conv_text_type),
                                        cmocka_unit_test(pto_conv_text_convolution),
                                        cmocka_unit_test(pto_conv_text_refused),
                                        cmocka_unit_test(pto_conv_text_parameter) };
    return cmocka_run_group_tests_name("pto_feat_conv", tests, NULL, NULL);
}
