/* SPDX-License-Identifier: MIT */
/* Forms that the documents name without operands: TEXTRACT of two windows, TINSERT in parts; layouts scale, hif4_a_zz
 * and hif4_b_nn of tensors. Values against loops over elements, from C and from text. Refusals by rule:
 * test_pto_core_rules.c. */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/support/text.h"

static tw_pto_tile boxed(tw_pto_location location, tw_type type, uint32_t rows, uint32_t cols, bool nn,
                         uint32_t fractal)
{
    tw_pto_tile t = tw_pto_tile_of(location, type, rows, cols);
    bool nz = fractal == 512;
    t.fractal = fractal;
    t.slayout = nn ? TW_PTO_BOX_COL : TW_PTO_BOX_ROW;
    t.blayout = nz || nn ? TW_PTO_COL_MAJOR : TW_PTO_ROW_MAJOR;
    return t;
}

static void fill_with_places(tw_pto *core, tw_pto_tile *t, unsigned from)
{
    unsigned char *bytes = tw_pto_data(core, t);
    assert_non_null(bytes);
    for (size_t i = 0; i < tw_pto_tile_bytes(t); i++) bytes[i] = (unsigned char)((from + i) * 7 + (i >> 8));
}

/* Element of a tile as bytes. */
static const unsigned char *at(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c)
{
    return (const unsigned char *)tw_pto_data(core, t) + tw_pto_element(t, r, c);
}

static void pto_windows_two(void **state)
{
    static const struct {
        tw_pto_target target;
        tw_pto_location to;
        tw_type type;
        uint32_t rows, cols, valid_rows, valid_cols; /* of both destinations */
        uint32_t corner[4];
    } rows[] = {
        { TW_PTO_A2A3, TW_PTO_VEC, TW_F16, 16, 32, 16, 32, { 0, 0, 16, 32 } },
        { TW_PTO_A2A3, TW_PTO_VEC, TW_F32, 16, 16, 16, 16, { 3, 5, 31, 47 } },
        { TW_PTO_A2A3, TW_PTO_VEC, TW_I8, 16, 32, 13, 27, { 0, 37, 34, 0 } },
        { TW_PTO_A5, TW_PTO_MAT, TW_F16, 32, 16, 32, 16, { 15, 48, 0, 0 } }, /* overlapping windows */
        { TW_PTO_A5, TW_PTO_VEC, TW_U32, 16, 8, 1, 1, { 47, 63, 0, 63 } },
        { TW_PTO_CPU, TW_PTO_MAT, TW_I64, 16, 4, 16, 3, { 1, 1, 1, 1 } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto *core = tw_pto_new(rows[i].target, 0);
        tw_pto_tile src = vec_tile(rows[i].type, 48, 64), d[2], before;
        size_t size = tw_type_size(rows[i].type);
        fill_with_places(core, &src, 1);
        for (int k = 0; k < 2; k++) {
            d[k] = boxed(rows[i].to, rows[i].type, rows[i].rows, rows[i].cols, false, 512);
            d[k].valid_rows = rows[i].valid_rows;
            d[k].valid_cols = rows[i].valid_cols;
            fill_with_places(core, &d[k], 100 + (unsigned)k);
        }
        before = boxed(rows[i].to, rows[i].type, rows[i].rows, rows[i].cols, false, 512);
        const uint32_t *at_ = rows[i].corner;
        OK(CALL(core, "textract", NULL, TILE(&d[0]), TILE(&d[1]), TILE(&src), SCALAR(tw_pto_i32((int)at_[0])),
                SCALAR(tw_pto_i32((int)at_[1])), SCALAR(tw_pto_i32((int)at_[2])), SCALAR(tw_pto_i32((int)at_[3]))));
        for (unsigned k = 0; k < 2; k++) {
            fill_with_places(core, &before, 100 + k);
            for (uint32_t r = 0; r < d[k].rows; r++)
                for (uint32_t c = 0; c < d[k].cols; c++) {
                    bool inside = r < d[k].valid_rows && c < d[k].valid_cols;
                    const unsigned char *want =
                        inside ? at(core, &src, at_[2 * k] + r, at_[2 * k + 1] + c) : at(core, &before, r, c);
                    if (memcmp(at(core, &d[k], r, c), want, size) != 0)
                        fail_msg("row %zu, window %u: element (%u, %u)", i, k, r, c);
                }
        }
        tw_pto_free(core);
    }
}

/* In two or four parts as in one; everything else in dst stays. */
static void pto_windows_split(void **state)
{
    static const struct {
        tw_pto_target target;
        int split;
        tw_type type;
        uint32_t cols, valid_cols, row, col;
    } rows[] = {
        { TW_PTO_A5, 1, TW_F16, 32, 32, 0, 0 },    { TW_PTO_A5, 1, TW_F16, 64, 32, 16, 32 },
        { TW_PTO_A5, 2, TW_F16, 64, 64, 16, 64 },  { TW_PTO_A5, 2, TW_I8, 128, 128, 0, 0 },
        { TW_PTO_CPU, 2, TW_F32, 32, 32, 16, 96 }, { TW_PTO_CPU, 0, TW_F32, 32, 27, 5, 3 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto *core = tw_pto_new(rows[i].target, 0);
        tw_pto_tile src = boxed(TW_PTO_VEC, rows[i].type, 16, rows[i].cols, false, 512),
                    dst = boxed(TW_PTO_MAT, rows[i].type, 32, 128, false, 512), before = dst;
        tw_pto_attrs attrs = { .insert_split = rows[i].split };
        src.valid_cols = rows[i].valid_cols;
        fill_with_places(core, &src, 3);
        fill_with_places(core, &dst, 9);
        fill_with_places(core, &before, 9);
        OK(CALL(core, "tinsert", &attrs, TILE(&dst), TILE(&src), SCALAR(tw_pto_i32((int)rows[i].row)),
                SCALAR(tw_pto_i32((int)rows[i].col))));
        for (uint32_t r = 0; r < 32; r++)
            for (uint32_t c = 0; c < 128; c++) {
                bool inside = r >= rows[i].row && r < rows[i].row + 16 && c >= rows[i].col &&
                              c < rows[i].col + rows[i].valid_cols;
                const unsigned char *want =
                    inside ? at(core, &src, r - rows[i].row, c - rows[i].col) : at(core, &before, r, c);
                if (memcmp(at(core, &dst, r, c), want, tw_type_size(rows[i].type)) != 0)
                    fail_msg("row %zu: element (%u, %u)", i, r, c);
            }
        tw_pto_free(core);
    }
}

/* Where element (r, c) of rows x cols lies in memory. */
static size_t place_of(tw_pto_layout layout, size_t rows, size_t cols, size_t r, size_t c)
{
    if (layout == TW_PTO_SCALE) return r * cols + c;
    if (layout == TW_PTO_HIF4_A_ZZ) return ((r / 16 * (cols / 2) + c / 2) * 16 + r % 16) * 2 + c % 2;
    return ((c / 16 * (rows / 2) + r / 2) * 16 + c % 16) * 2 + r % 2;
}

static void pto_windows_scales(void **state)
{
    static const struct {
        tw_pto_target target;
        tw_pto_layout layout;
        tw_type type;
        tw_pto_location location;
        uint32_t rows, cols;
        char boxes; /* z: Zz, n: Nn, '-': row-major */
    } rows[] = {
        { TW_PTO_A5, TW_PTO_SCALE, TW_F8E8M0, TW_PTO_MAT, 32, 6, 'z' },
        { TW_PTO_A5, TW_PTO_SCALE, TW_F8E8M0, TW_PTO_MAT, 6, 32, 'n' },
        { TW_PTO_A5, TW_PTO_SCALE, TW_U8, TW_PTO_VEC, 3, 32, '-' },
        { TW_PTO_CPU, TW_PTO_SCALE, TW_U8, TW_PTO_VEC, 3, 32, '-' },
        { TW_PTO_CPU, TW_PTO_HIF4_A_ZZ, TW_U32, TW_PTO_MAT, 48, 4, 'z' },
        { TW_PTO_CPU, TW_PTO_HIF4_B_NN, TW_U32, TW_PTO_MAT, 4, 48, 'n' },
        { TW_PTO_CPU, TW_PTO_HIF4_A_ZZ, TW_F8E8M0, TW_PTO_VEC, 16, 32, '-' },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto *core = tw_pto_new(rows[i].target, 0);
        uint32_t R = rows[i].rows, C = rows[i].cols;
        size_t size = tw_type_size(rows[i].type), bytes = (size_t)R * C * size;
        unsigned char in[2048], out[2048] = { 0 };
        assert_true(bytes <= sizeof in);
        for (size_t b = 0; b < bytes; b++) in[b] = (unsigned char)random_bits();
        tw_pto_tensor g = tw_pto_tensor_of(in, rows[i].type, R, C, rows[i].layout),
                      o = tw_pto_tensor_of(out, rows[i].type, R, C, rows[i].layout);
        tw_pto_tile t = rows[i].boxes == '-'
                            ? tw_pto_tile_of(rows[i].location, rows[i].type, R, C)
                            : boxed(rows[i].location, rows[i].type, R, C, rows[i].boxes == 'n', 32);
        OK(tw_pto_load(core, &t, &g));
        for (uint32_t r = 0; r < R; r++)
            for (uint32_t c = 0; c < C; c++)
                if (memcmp(at(core, &t, r, c), in + place_of(rows[i].layout, R, C, r, c) * size, size) != 0)
                    fail_msg("row %zu: element (%u, %u)", i, r, c);
        if (rows[i].location == TW_PTO_VEC || rows[i].target != TW_PTO_A5) {
            OK(tw_pto_store(core, &o, &t));
            assert_memory_equal(in, out, bytes);
        }
        tw_pto_free(core);
    }
}

#define SRC "%s = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32>\n"
#define NZ  "!pto.tile_buf<vec, 16x16xf32, blayout=col_major, slayout=row_major>"
#define DST "%d = pto.alloc_tile : " NZ "\n%e = pto.alloc_tile : " NZ "\n"

static void pto_windows_text(void **state)
{
    static const struct {
        const char *text, *error; /* NULL: it runs */
        tw_pto_target target;
        int line;
    } rows[] = {
        { SRC DST
          "pto.texpands ins(%f : f32) outs(%s : !pto.tile_buf<vec, 32x32xf32>)\n"
          "pto.textract ins(%s, %i, %i, %j, %i : !pto.tile_buf<vec, 32x32xf32>, index, index, index, index) "
          "outs(%d, %e : " NZ ", " NZ ")\n",
          NULL, TW_PTO_A2A3, 0 },
        { SRC DST
          "pto.textract ins(%s, %i, %i, %j, %j : !pto.tile_buf<vec, 32x32xf32>, index, index, index, index) "
          "outs(%d, %e : " NZ ", " NZ ")\npto.textract ins(%s, %i, %i, %j, %k : !pto.tile_buf<vec, "
          "32x32xf32>, index, index, index, index) outs(%d, %e : " NZ ", " NZ ")\n",
          "window.bounds", TW_PTO_A2A3, 9 },
        { SRC "pto.textract ins(%s, %i, %i, %j, %j : !pto.tile_buf<vec, 32x32xf32>, index, index, index, index) "
              "outs(%s, %s : !pto.tile_buf<vec, 32x32xf32>, !pto.tile_buf<vec, 32x32xf32>)\n",
          "extract.nz", TW_PTO_CPU, 6 },
        { DST "%m = pto.alloc_tile : !pto.tile_buf<mat, 32x64xf32, blayout=col_major, slayout=row_major>\n"
              "pto.tinsert ins(%d, %i, %i : " NZ ", index, index) outs(%m : !pto.tile_buf<mat, 32x64xf32, "
              "blayout=col_major, slayout=row_major>) {splitNz = split2}\n",
          NULL, TW_PTO_A5, 0 },
        { DST "%m = pto.alloc_tile : !pto.tile_buf<mat, 32x64xf32, blayout=col_major, slayout=row_major>\n"
              "pto.tinsert ins(%d, %i, %i : " NZ ", index, index) outs(%m : !pto.tile_buf<mat, 32x64xf32, "
              "blayout=col_major, slayout=row_major>) {splitNz = split4}\n",
          "insert.split", TW_PTO_A5, 8 },
        { DST "%m = pto.alloc_tile : !pto.tile_buf<mat, 32x64xf32, blayout=col_major, slayout=row_major>\n"
              "pto.tinsert ins(%d, %i, %i : " NZ ", index, index) outs(%m : !pto.tile_buf<mat, 32x64xf32, "
              "blayout=col_major, slayout=row_major>) {splitNz = split3}\n",
          "not a value of 'splitNz'", TW_PTO_A5, 8 },
        { "%v = pto.make_tensor_view %p, shape = [%j, %j], strides = [%j, %i] {layout = #pto.layout<scale>} : "
          "!pto.tensor_view<16x16xf32>\n",
          NULL, TW_PTO_A5, 0 },
        { "%v = pto.make_tensor_view %p, shape = [%one, %one, %one, %j, %two], strides = [%j, %j, %two, %two, "
          "%one] "
          "{layout = #pto.layout<hif4_a_zz>} : !pto.tensor_view<1x1x1x16x2xf32>\n"
          "%t = pto.alloc_tile : !pto.tile_buf<mat, 16x2xf32, slayout=row_major, fractal=32>\n"
          "pto.tload ins(%v : !pto.tensor_view<1x1x1x16x2xf32>) outs(%t : !pto.tile_buf<mat, 16x2xf32, "
          "slayout=row_major, fractal=32>)\n",
          "one of A6", TW_PTO_A5, 7 },
        { "%v = pto.make_tensor_view %p, shape = [%one, %one, %one, %j, %two], strides = [%j, %j, %two, %two, "
          "%one] "
          "{layout = #pto.layout<hif4_a_zz>} : !pto.tensor_view<1x1x1x16x2xf32>\n"
          "%t = pto.alloc_tile : !pto.tile_buf<mat, 16x2xf32, slayout=row_major, fractal=32>\n"
          "pto.tload ins(%v : !pto.tensor_view<1x1x1x16x2xf32>) outs(%t : !pto.tile_buf<mat, 16x2xf32, "
          "slayout=row_major, fractal=32>)\n",
          NULL, TW_PTO_CPU, 0 },
        { "%v = pto.make_tensor_view %p, shape = [%j, %j], strides = [%j, %i] {layout = #pto.layout<hif4>} : "
          "!pto.tensor_view<16x16xf32>\n",
          "not a layout", TW_PTO_A5, 5 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        float memory[256];
        for (int n = 0; n < 256; n++) memory[n] = (float)n;
        snprintf(
            text, sizeof text,
            "func.func @f(%%p : !pto.ptr<f32>, %%f : f32) {\n%%i = arith.constant 0 : index\n%%j = arith.constant "
            "16 : index\n%%k = arith.constant 17 : index\n%s  return\n}\n",
            rows[i].text);
        /* more constants without another line */
        char *body = strstr(text, "%i = arith"), *whole = malloc(sizeof text + 128);
        sprintf(whole, "%.*s%%one = arith.constant 1 : index %%two = arith.constant 2 : index %s",
                (int)(body - text), text, body);
        stable(i, whole);
        session s = start(whole, rows[i].target);
        tw_status status = TW_E_PARSE;
        if (s.program) {
            tw__as_wide *p = tw__as_set_wide(cell(&s, "p"), TW__AS_PTR, 0);
            p->ptr.base = (unsigned char *)memory;
            p->ptr.bytes = sizeof memory;
            p->ptr.type = TW_F32;
            tw__as_set_number(cell(&s, "f"), TW__AS_SCALAR, tw_pto_f32(2.5f));
            status = run(&s);
        }
        if ((status == TW_OK) != !rows[i].error) {
            tw_diags_print(s.diags, stderr, false);
            fail_msg("row %zu", i);
        }
        if (rows[i].error) {
            const tw_diag *d = tw_diags_get(s.diags, 0);
            if (d->line != rows[i].line || !strstr(d->message, rows[i].error))
                fail_msg("row %zu: line %d: %s", i, d->line, d->message);
        } else if (strstr(rows[i].text, "texpands")) {
            assert_true(get(s.core, &cell(&s, "e")->wide->tile, 15, 15) == 2.5);
        }
        end(&s);
        free(whole);
    }
}

static void pto_windows_rows(void **state)
{
    (void)state;
    check_rows_reached("feat_moves");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_windows_two), cmocka_unit_test(pto_windows_split),
                                        cmocka_unit_test(pto_windows_scales), cmocka_unit_test(pto_windows_text),
                                        cmocka_unit_test(pto_windows_rows) };
    return cmocka_run_group_tests_name("pto_feat_moves", tests, NULL, NULL);
}
