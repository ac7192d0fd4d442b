/* SPDX-License-Identifier: MIT */
/* The cube and what surrounds it: products of one row, MX formats of 8 and 4 bits in boxes, TF32, 4-bit tiles on
 * their way in
 * and out, accumulators that leave with scales, split over vector cores; against loops written here. */
#define COUNT_ROWS
#include "pto/support/check.h"

#include <tilewright/pto/grid.h>

static tw_pto_tile boxed(tw_pto_location location, tw_type type, uint32_t rows, uint32_t cols, tw_pto_target target)
{
    tw_pto_tile t = tw_pto_tile_of(location, type, rows, cols);
    bool zn = location == TW_PTO_RIGHT, zz = location == TW_PTO_LEFT && target == TW_PTO_A2A3;
    t.slayout = zn ? TW_PTO_BOX_COL : TW_PTO_BOX_ROW;
    t.blayout = zn || zz ? TW_PTO_ROW_MAJOR : TW_PTO_COL_MAJOR;
    if (location == TW_PTO_ACC) t.fractal = 1024;
    if (location == TW_PTO_SCALE_LEFT) t.blayout = TW_PTO_ROW_MAJOR, t.fractal = 32;
    if (location == TW_PTO_SCALE_RIGHT) t.slayout = TW_PTO_BOX_COL, t.fractal = 32;
    return t;
}

/* Element of a 4-bit tile, by the rule of the manual: even elements of the storage order lie low. */
static size_t nibble_at(const tw_pto_tile *t, uint32_t r, uint32_t c)
{
    uint32_t ir, ic;
    tw_pto_box(t, &ir, &ic);
    if (!t->slayout) return t->blayout ? (size_t)c * t->rows + r : (size_t)r * t->cols + c;
    size_t box =
        t->blayout ? (size_t)(c / ic) * (t->rows / ir) + r / ir : (size_t)(r / ir) * (t->cols / ic) + c / ic;
    return box * ir * ic + (t->slayout == TW_PTO_BOX_ROW ? r % ir * ic + c % ic : c % ic * ir + r % ir);
}

static unsigned get_nibble(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c)
{
    size_t i = nibble_at(t, r, c);
    return ((unsigned char *)tw_pto_data(core, t))[i / 2] >> 4 * (i & 1) & 15;
}

static void set_nibble(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c, unsigned value)
{
    size_t i = nibble_at(t, r, c);
    unsigned char *at = (unsigned char *)tw_pto_data(core, t) + i / 2;
    *at = (unsigned char)((*at & ~(15u << 4 * (i & 1))) | value << 4 * (i & 1));
}

/* Values of the two 4-bit formats, from the manual. */
static double fp4(tw_type type, unsigned bits)
{
    static const double e2m1[] = { 0, .5, 1, 1.5, 2, 3, 4, 6 }, e1m2[] = { 0, .25, .5, .75, 1, 1.25, 1.5, 1.75 };
    double v = (type == TW_F4E2M1 ? e2m1 : e1m2)[bits & 7];
    return bits & 8 ? -v : v;
}

static double element(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c)
{
    return tw_type_get(t->type)->bits == 4 ? fp4(t->type, get_nibble(core, t, r, c)) : get(core, t, r, c);
}

static void randomise(tw_pto *core, tw_pto_tile *t)
{
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++)
            if (tw_type_get(t->type)->bits == 4)
                set_nibble(core, t, r, c, (unsigned)random_bits() & 15);
            else
                set(core, t, r, c, (double)(random_bits() % 9) - 4);
}

/* --- MX: 8 and 4 bits, plain, accumulating, with bias, matrix and row ------------------------------------------- */

static void one_mx(tw_pto_target target, tw_type ta, tw_type tb, bool gemv)
{
    enum { M = 32, K = 128, N = 32 };
    tw_pto *core = tw_pto_new(target, 0);
    tw_pto_tile a = boxed(TW_PTO_LEFT, ta, M, K, target), b = boxed(TW_PTO_RIGHT, tb, K, 64, target),
                c = boxed(TW_PTO_ACC, TW_F32, M, 64, target), d = c, e = c,
                sa = boxed(TW_PTO_SCALE_LEFT, TW_F8E8M0, M, K / 32, target),
                sb = boxed(TW_PTO_SCALE_RIGHT, TW_F8E8M0, K / 32, 64, target),
                bias = tw_pto_tile_of(TW_PTO_BIAS, TW_F32, 1, 64);
    a.valid_rows = c.valid_rows = d.valid_rows = e.valid_rows = gemv ? 1 : 29;
    b.valid_cols = c.valid_cols = d.valid_cols = e.valid_cols = N + 3;
    randomise(core, &a);
    randomise(core, &b);
    randomise(core, &bias);
    randomise(core, &c);
    for (uint32_t g = 0; g < K / 32; g++) {
        for (uint32_t i = 0; i < M; i++) set(core, &sa, i, g, ldexp(1, (int)((i + g) % 5) - 2));
        for (uint32_t j = 0; j < 64; j++) set(core, &sb, g, j, ldexp(1, (int)(j % 3) - (int)g));
    }
    const char *plain = gemv ? "TGEMV_MX" : "TMATMUL_MX", *acc = gemv ? "TGEMV_MX_ACC" : "TMATMUL_MX_ACC",
               *biased = gemv ? "TGEMV_MX_BIAS" : "TMATMUL_MX_BIAS";
    tw_pto_operand with[] = { TILE(&d), TILE(&c), TILE(&a), TILE(&sa), TILE(&b), TILE(&sb) };
    OK(tw_pto_exec(core, tw_pto_op_by_name(acc), with, 6, NULL));
    tw_pto_operand no[] = { TILE(&e), TILE(&a), TILE(&sa), TILE(&b), TILE(&sb), TILE(&bias) };
    OK(tw_pto_exec(core, tw_pto_op_by_name(biased), no, 6, NULL));
    tw_pto_tile f = c;
    f.place = 0;
    no[0] = TILE(&f);
    OK(tw_pto_exec(core, tw_pto_op_by_name(plain), no, 5, NULL));
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t j = 0; j < 64; j++) {
            double sum = 0;
            bool inside = i < a.valid_rows && j < b.valid_cols;
            for (uint32_t k = 0; inside && k < K; k++)
                sum += element(core, &a, i, k) * get(core, &sa, i, k / 32) * element(core, &b, k, j) *
                       get(core, &sb, k / 32, j);
            assert_true(get(core, &f, i, j) == sum);
            assert_true(get(core, &d, i, j) == (inside ? sum + get(core, &c, i, j) : 0));
            assert_true(get(core, &e, i, j) == (inside ? sum + get(core, &bias, 0, j) : 0));
        }
    tw_pto_free(core);
}

static void pto_cube_mx(void **state)
{
    static const tw_type pairs[][2] = { { TW_F8E4M3, TW_F8E4M3 }, { TW_F8E4M3, TW_F8E5M2 },
                                        { TW_F8E5M2, TW_F8E4M3 }, { TW_F4E2M1, TW_F4E2M1 },
                                        { TW_F4E2M1, TW_F4E1M2 }, { TW_F4E1M2, TW_F4E1M2 } };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int gemv = 0; gemv < 2; gemv++) {
            one_mx(TW_PTO_CPU, pairs[i][0], pairs[i][1], gemv);
            one_mx(TW_PTO_A5, pairs[i][0], pairs[i][1], gemv);
        }
}

/* --- one row, and the form that reads its destination ----------------------------------------------------------- */

static void pto_cube_gemv(void **state)
{
    static const tw_type types[][2] = { { TW_F32, TW_F16 }, { TW_F32, TW_BF16 },   { TW_F32, TW_F32 },
                                        { TW_I32, TW_I8 },  { TW_F32, TW_F8E4M3 }, { TW_F32, TW_HIF8 } };
    enum { K = 64, N = 48 };
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            tw_pto_info info;
            assert_true(tw_pto_info_get((size_t)tw_pto_op_by_name("TGEMV"), &info));
            if (!(info.types[target] >> types[t][1] & 1)) continue;
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tile a = boxed(TW_PTO_LEFT, types[t][1], 16, K, (tw_pto_target)target),
                        b = boxed(TW_PTO_RIGHT, types[t][1], K, N, (tw_pto_target)target),
                        c = boxed(TW_PTO_ACC, types[t][0], 16, N, (tw_pto_target)target), d = c, e = c,
                        bias = tw_pto_tile_of(TW_PTO_BIAS, types[t][0], 1, N);
            a.valid_rows = c.valid_rows = d.valid_rows = e.valid_rows = 1;
            randomise(core, &a);
            randomise(core, &b);
            randomise(core, &bias);
            OK(CALL(core, "tgemv", NULL, TILE(&c), TILE(&a), TILE(&b)));
            OK(CALL(core, "tgemv.acc", NULL, TILE(&d), TILE(&c), TILE(&a), TILE(&b)));
            OK(CALL(core, "tgemv.acc", NULL, TILE(&d), TILE(&a), TILE(&b)));
            OK(CALL(core, "tgemv.bias", NULL, TILE(&e), TILE(&a), TILE(&b), TILE(&bias)));
            OK(CALL(core, "tmatmul.acc", NULL, TILE(&e), TILE(&a), TILE(&b)));
            for (uint32_t j = 0; j < N; j++) {
                double sum = 0;
                for (uint32_t k = 0; k < K; k++) sum += get(core, &a, 0, k) * get(core, &b, k, j);
                assert_true(get(core, &c, 0, j) == sum && get(core, &d, 0, j) == 3 * sum);
                assert_true(get(core, &e, 0, j) == 2 * sum + get(core, &bias, 0, j));
                assert_true(get(core, &c, 1, j) == 0);
            }
            a.valid_rows = 2;
            REFUSED(CALL(core, "tgemv", NULL, TILE(&c), TILE(&a), TILE(&b)), "gemv.rows",
                    tw_pto_target_name((tw_pto_target)target));
            tw_pto_free(core);
        }
}

/* --- TF32: 10 bits of significand, ties to even or away --------------------------------------------------------- */

static void pto_cube_tf32(void **state)
{
    static const struct {
        uint32_t in, even, away;
    } rows[] = {
        { 0x3f800000, 0x3f800000, 0x3f800000 }, { 0x3f801000, 0x3f800000, 0x3f802000 }, /* a tie */
        { 0x3f803000, 0x3f804000, 0x3f804000 }, { 0x3f800fff, 0x3f800000, 0x3f800000 },
        { 0x3f801001, 0x3f802000, 0x3f802000 }, { 0xbf801000, 0xbf800000, 0xbf802000 },
        { 0x3fffffff, 0x40000000, 0x40000000 }, { 0x7f800000, 0x7f800000, 0x7f800000 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int mode = 0; mode < 3; mode++) {
            tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
            tw_pto_tile a = boxed(TW_PTO_LEFT, TW_F32, 16, 8, TW_PTO_A2A3),
                        b = boxed(TW_PTO_RIGHT, TW_F32, 8, 16, TW_PTO_A2A3),
                        c = boxed(TW_PTO_ACC, TW_F32, 16, 16, TW_PTO_A2A3);
            uint32_t want = mode == TW_PTO_TF32_OFF    ? rows[i].in
                            : mode == TW_PTO_TF32_RINT ? rows[i].even
                                                       : rows[i].away;
            float x, y;
            memcpy(&x, &rows[i].in, 4);
            memcpy(&y, &want, 4);
            a.tf32 = (uint32_t)mode;
            a.valid_cols = b.valid_rows = 1;
            memcpy((char *)tw_pto_data(core, &a) + tw_pto_element(&a, 3, 0), &x, 4);
            set(core, &b, 0, 5, 2);
            OK(CALL(core, "tmatmul", NULL, TILE(&c), TILE(&a), TILE(&b)));
            assert_true(get(core, &c, 3, 5) == 2.0 * (double)y);
            tw_pto_free(core);
        }
}

/* --- 4-bit tiles: to L1 and back, between layouts, windows, conversion ------------------------------------------ */

static void pto_cube_nibbles(void **state)
{
    enum { R = 32, C = 128 };
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    unsigned char in[R * C / 2], out[R * C / 2] = { 0 };
    for (size_t i = 0; i < sizeof in; i++) in[i] = (unsigned char)random_bits();
    tw_pto_tensor g = tw_pto_tensor_of(in, TW_F4E2M1, R, C, TW_PTO_ND),
                  h = tw_pto_tensor_of(out, TW_F4E2M1, R, C, TW_PTO_ND);
    tw_pto_tile flat = vec_tile(TW_F4E2M1, R, C), mat = boxed(TW_PTO_MAT, TW_F4E2M1, R, C, TW_PTO_A5),
                left = boxed(TW_PTO_LEFT, TW_F4E2M1, R, C, TW_PTO_A5),
                right = boxed(TW_PTO_RIGHT, TW_F4E2M1, R * 4, C / 4, TW_PTO_A5);
    uint32_t ir, ic;
    tw_pto_box(&mat, &ir, &ic);
    assert_true(ir == 16 && ic == 64 && tw_pto_tile_bytes(&mat) == R * C / 2);
    tw_pto_box(&right, &ir, &ic);
    assert_true(ir == 64 && ic == 16);
    OK(tw_pto_load(core, &flat, &g));
    OK(tw_pto_load(core, &mat, &g));
    OK(CALL(core, "tmov", NULL, TILE(&left), TILE(&mat)));
    OK(tw_pto_store(core, &h, &flat));
    assert_memory_equal(in, out, sizeof in);
    for (uint32_t r = 0; r < R; r++)
        for (uint32_t c = 0; c < C; c++) {
            unsigned want = in[(r * C + c) / 2] >> 4 * (c & 1) & 15;
            assert_int_equal(get_nibble(core, &flat, r, c), want);
            assert_int_equal(get_nibble(core, &mat, r, c), want);
            assert_int_equal(get_nibble(core, &left, r, c), want);
        }
    /* a window of odd width keeps its neighbours */
    tw_pto_tile part = vec_tile(TW_F4E2M1, 4, 64), other = flat;
    other.place = 0;
    part.valid_rows = 3;
    part.valid_cols = 5;
    OK(CALL(core, "textract", NULL, TILE(&part), TILE(&flat), SCALAR(tw_pto_i32(7)), SCALAR(tw_pto_i32(3))));
    OK(CALL(core, "tinsert", NULL, TILE(&other), TILE(&part), SCALAR(tw_pto_i32(1)), SCALAR(tw_pto_i32(2))));
    for (uint32_t r = 0; r < 6; r++)
        for (uint32_t c = 0; c < 12; c++) {
            bool inside = r >= 1 && r < 4 && c >= 2 && c < 7;
            assert_int_equal(get_nibble(core, &other, r, c), inside ? get_nibble(core, &flat, r + 6, c + 1) : 0);
        }
    tw_pto_tile wide = vec_tile(TW_BF16, R, C), back = flat;
    back.place = 0;
    OK(CALL(core, "tcvt", NULL, TILE(&wide), TILE(&flat)));
    OK(CALL(core, "tcvt", NULL, TILE(&back), TILE(&wide)));
    for (uint32_t r = 0; r < R; r++)
        for (uint32_t c = 0; c < C; c++) {
            assert_true(get(core, &wide, r, c) == fp4(TW_F4E2M1, get_nibble(core, &flat, r, c)));
            unsigned bits = get_nibble(core, &flat, r, c);
            assert_int_equal(get_nibble(core, &back, r, c) & (bits == 8 ? 7 : 15), bits == 8 ? 0 : bits);
        }
    unsigned char valid[3 * 3] = { 0 };
    OK(tw_pto_read(core, &part, valid, sizeof valid));
    assert_int_equal(valid[4] & 15, get_nibble(core, &part, 1, 2));
    g.window = (tw_window){ in, sizeof in - 1 };
    REFUSED(tw_pto_load(core, &flat, &g), "global.bounds", "a5");
    REFUSED(CALL(core, "tstore", (&(tw_pto_attrs){ .atomic = TW_PTO_ATOMIC_ADD }), TENSOR(&h), TILE(&flat)),
            "store.atomic", "a5");
    tw_pto_free(core);
    core = tw_pto_new(TW_PTO_CPU, 0); /* boxed 4-bit tiles convert, read and write in place */
    tw_pto_tile nz = boxed(TW_PTO_VEC, TW_F4E1M2, 16, 64, TW_PTO_CPU), real = vec_tile(TW_BF16, 16, 64), again = nz;
    for (uint32_t r = 0; r < 16; r++)
        for (uint32_t c = 0; c < 64; c++) set(core, &real, r, c, fp4(TW_F4E1M2, (r + c) & 15));
    OK(CALL(core, "tcvt", NULL, TILE(&nz), TILE(&real)));
    unsigned char bytes[16 * 32];
    OK(tw_pto_read(core, &nz, bytes, sizeof bytes));
    OK(tw_pto_write(core, &again, bytes, sizeof bytes));
    for (uint32_t r = 0; r < 16; r++)
        for (uint32_t c = 0; c < 64; c++) {
            assert_true(fp4(TW_F4E1M2, get_nibble(core, &again, r, c)) == fp4(TW_F4E1M2, (r + c) & 15));
            assert_true(fp4(TW_F4E1M2, bytes[r * 32 + c / 2] >> 4 * (c & 1)) == fp4(TW_F4E1M2, (r + c) & 15));
        }
    tw_pto_free(core);
}

/* --- accumulators that leave with scales ------------------------------------------------------------------------ */

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double half_of(double x)
{
    return tw_f16_to_f32(tw_f32_to_f16((float)x, TW_ROUND_NEAREST_EVEN, 0));
}

static void pto_cube_scales(void **state)
{
    enum { R = 32, C = 64 };
    (void)state;
    for (int target = TW_PTO_A2A3; target <= TW_PTO_A5; target++)
        for (int relu = 0; relu < 2; relu++) {
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_attrs attrs = { .relu = relu };
            tw_pto_tile acc = boxed(TW_PTO_ACC, TW_I32, R, C, (tw_pto_target)target),
                        mat = boxed(TW_PTO_MAT, TW_I8, R, C, (tw_pto_target)target),
                        fp = tw_pto_tile_of(TW_PTO_SCALING, TW_U64, 1, C),
                        small = boxed(TW_PTO_MAT, TW_U8, 16, 32, (tw_pto_target)target),
                        large = boxed(TW_PTO_MAT, TW_F16, 2 * R, 2 * C, (tw_pto_target)target), copy = mat;
            acc.valid_rows = 30;
            for (uint32_t r = 0; r < R; r++)
                for (uint32_t c = 0; c < C; c++) set(core, &acc, r, c, (double)(random_bits() % 2000) - 1000);
            for (uint32_t c = 0; c < C; c++) {
                float scale = 0.0625f * (float)(1 + c % 7);
                uint64_t bits = UINT64_C(1) << 46; /* what lies above does not matter here */
                memcpy(&bits, &scale, 4);
                memcpy((char *)tw_pto_data(core, &fp) + 8 * c, &bits, 8);
            }
#define SCALED(r, c, by) ((relu && get(core, &acc, r, c) < 0 ? 0 : get(core, &acc, r, c)) * (by))
#define COLUMN(c)        (0.0625 * (1 + (c) % 7))
            tw_pto_operand quarter = SCALAR(tw_pto_bits(TW_U64, 0x3e800000));
            int8_t out[30 * C];
            tw_pto_tensor g = tw_pto_tensor_of(out, TW_I8, 30, C, TW_PTO_ND);
            OK(CALL(core, "tstore_fp", &attrs, TENSOR(&g), TILE(&acc), TILE(&fp)));
            OK(CALL(core, "tmov", &attrs, TILE(&mat), TILE(&acc), TILE(&fp)));
            OK(CALL(core, "tmov", &attrs, TILE(&copy), TILE(&acc), quarter));
            for (uint32_t r = 0; r < 30; r++)
                for (uint32_t c = 0; c < C; c++) {
                    double want = clamp(nearbyint(SCALED(r, c, COLUMN(c))), -128, 127);
                    assert_true(out[r * C + c] == want && get(core, &mat, r, c) == want);
                    assert_true(get(core, &copy, r, c) == clamp(nearbyint(SCALED(r, c, 0.25)), -128, 127));
                }
            tw_pto_operand five = SCALAR(tw_pto_i32(5)), nine = SCALAR(tw_pto_i32(9));
            OK(CALL(core, "textract_fp", &attrs, TILE(&small), TILE(&acc), TILE(&fp), five, nine));
            for (uint32_t r = 0; r < 16; r++)
                for (uint32_t c = 0; c < 32; c++)
                    assert_true(get(core, &small, r, c) ==
                                clamp(nearbyint(SCALED(r + 5, c + 9, COLUMN(c))), 0, 255));
            OK(CALL(core, "textract", &attrs, TILE(&small), TILE(&acc), five, nine, quarter));
            assert_true(get(core, &small, 3, 4) == clamp(nearbyint(SCALED(8, 13, 0.25)), 0, 255));
            OK(CALL(core, "tinsert_fp", &attrs, TILE(&large), TILE(&acc), TILE(&fp), five, nine));
            for (uint32_t r = 0; r < 30; r++)
                for (uint32_t c = 0; c < C; c++)
                    assert_true(get(core, &large, r + 5, c + 9) == half_of(SCALED(r, c, COLUMN(c))));
            assert_true(get(core, &large, 35, 9) == 0 && get(core, &large, 5, 8) == 0);
            OK(CALL(core, "tinsert", &attrs, TILE(&large), TILE(&acc), five, nine, quarter));
            assert_true(get(core, &large, 6, 10) == half_of(SCALED(1, 1, 0.25)));
            tw_pto_tile f16 = large;
            f16.place = 0;
            f16.rows = f16.valid_rows = R;
            f16.cols = f16.valid_cols = C;
            OK(CALL(core, "tmov", &attrs, TILE(&f16), TILE(&acc), TILE(&fp)));
            assert_true(get(core, &f16, 2, 3) == half_of(SCALED(2, 3, COLUMN(3))));
            fp.valid_cols = C - 1;
            REFUSED(CALL(core, "tmov", &attrs, TILE(&mat), TILE(&acc), TILE(&fp)), "scale.columns", "63");
            fp.valid_cols = C;
            OK(CALL(core, "set_quant_vector", NULL, TILE(&fp)));
            OK(CALL(core, "set_quant_scalar", NULL, quarter));
            assert_true(core->reg.quant_scalar == 0x3e800000 && core->reg.quant_vector.place == fp.place);
            tw_pto_free(core);
        }
}

/* --- accumulators over two vector cores ------------------------------------------------------------------------- */

enum { SPLIT_R = 32, SPLIT_C = 64, SPLIT_AT = 0x2000 };

static double seen[3][2][SPLIT_R][SPLIT_C]; /* by mode - 1, vector core */

static tw_status split_kernel(tw_pto *core, void *user)
{
    tw_pto_identity me = tw_pto_identity_of(core);
    int mode = *(int *)user;
    tw_pto_tile dst = vec_tile(TW_F32, mode == 2 ? SPLIT_R / 2 : SPLIT_R, mode == 3 ? SPLIT_C / 2 : SPLIT_C);
    OK(tw_pto_assign(core, &dst, SPLIT_AT));
    if (me.kind == TW_PTO_CUBE) {
        tw_pto_tile acc = boxed(TW_PTO_ACC, TW_F32, SPLIT_R, SPLIT_C, TW_PTO_A5);
        tw_pto_attrs attrs = { .acc_mode = mode };
        for (uint32_t r = 0; r < SPLIT_R; r++)
            for (uint32_t c = 0; c < SPLIT_C; c++) set(core, &acc, r, c, r * 100 + c);
        tw_status status = CALL(core, "tmov", &attrs, TILE(&dst), TILE(&acc));
        return status == TW_OK ? tw_pto_sync_set(core, TW_PTO_PIPE_FIX, 1, TW_PTO_SYNC_CUBE_VECTOR) : status;
    }
    tw_status status = tw_pto_sync_wait(core, TW_PTO_PIPE_V, 1, TW_PTO_SYNC_CUBE_VECTOR);
    for (uint32_t r = 0; status == TW_OK && r < dst.rows; r++)
        for (uint32_t c = 0; c < dst.cols; c++) seen[mode - 1][me.sub_block][r][c] = get(core, &dst, r, c);
    return status;
}

static void pto_cube_split(void **state)
{
    (void)state;
    for (int mode = 1; mode <= 3; mode++) { /* vector core 1 alone; rows; columns */
        tw_pto_grid *grid = tw_pto_grid_new(
            &(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A5, .blocks = 1, .vectors = 2 });
        assert_non_null(grid);
        OK(tw_pto_grid_run(grid, split_kernel, &mode));
        tw_pto_grid_free(grid);
    }
    for (uint32_t v = 0; v < 2; v++)
        for (uint32_t r = 0; r < SPLIT_R; r++)
            for (uint32_t c = 0; c < SPLIT_C; c++) {
                assert_true(seen[0][v][r][c] == (v == 1 ? r * 100 + c : 0));
                if (r < SPLIT_R / 2) assert_true(seen[1][v][r][c] == (r + v * SPLIT_R / 2) * 100 + c);
                if (c < SPLIT_C / 2) assert_true(seen[2][v][r][c] == r * 100 + c + v * SPLIT_C / 2);
            }
}

/* --- scales on their way to the cube ---------------------------------------------------------------------------- */

static void pto_cube_scale_order(void **state)
{
    enum { M = 32, G = 64 };
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile e = vec_tile(TW_U8, M, G), z = boxed(TW_PTO_VEC, TW_U8, M, G, TW_PTO_A5), t = z,
                tmp = vec_tile(TW_U8, 1, 256);
    z.blayout = t.blayout = TW_PTO_ROW_MAJOR;
    z.fractal = t.fractal = 32;
    t.rows = t.valid_rows = G;
    t.cols = t.valid_cols = M;
    for (uint32_t r = 0; r < M; r++)
        for (uint32_t c = 0; c < G; c++) set(core, &e, r, c, (r * 7 + c * 3) % 251);
    OK(CALL(core, "tmov.zz", NULL, TILE(&z), TILE(&e), TILE(&tmp)));
    OK(CALL(core, "tmov.zz", (&(tw_pto_attrs){ .axis = TW_PTO_AXIS_ROW }), TILE(&t), TILE(&e), TILE(&tmp)));
    const unsigned char *at = tw_pto_data(core, &z), *turned = tw_pto_data(core, &t);
    for (uint32_t r = 0; r < M; r++)
        for (uint32_t c = 0; c < G; c++) {
            assert_int_equal(at[((r / 16 * (G / 2) + c / 2) * 16 + r % 16) * 2 + c % 2], (r * 7 + c * 3) % 251);
            assert_int_equal(turned[((c / 16 * (M / 2) + r / 2) * 16 + c % 16) * 2 + r % 2], (r * 7 + c * 3) % 251);
        }
    tw_pto_tile left = boxed(TW_PTO_LEFT, TW_F8E4M3, 16, 64, TW_PTO_A5),
                scales = boxed(TW_PTO_SCALE_LEFT, TW_F8E8M0, 16, 2, TW_PTO_A5);
    OK(tw_pto_assign(core, &left, 0x4000));
    OK(CALL(core, "tget_scale_addr", NULL, TILE(&scales), TILE(&left)));
    assert_int_equal(tw_pto_address(core, &scales), 0x400);
    OK(tw_pto_assign(core, &left, 0x4020));
    REFUSED(CALL(core, "tget_scale_addr", NULL, TILE(&scales), TILE(&left)), "scale-address.align", "512");
    tw_pto_free(core);
}

/* --- rows and elements of a table straight to L1 ---------------------------------------------------------------- */

static void pto_cube_gather_l1(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    enum { T = 50, C = 32 };
    uint16_t memory[T * C], room[16 * C];
    int32_t x[16], y[16 * C];
    for (int i = 0; i < T * C; i++) memory[i] = (uint16_t)i;
    for (int i = 0; i < 16; i++) x[i] = i * 5 - 8;
    for (int i = 0; i < 16 * C; i++) y[i] = i * 37 % 1700 - 20;
    tw_pto_tensor table = tw_pto_tensor_of(memory, TW_U16, T, C, TW_PTO_ND),
                  rows = tw_pto_tensor_of(x, TW_I32, 1, 16, TW_PTO_ND),
                  elements = tw_pto_tensor_of(y, TW_I32, 16, C, TW_PTO_ND),
                  scratch = tw_pto_tensor_of(room, TW_U16, 16, C, TW_PTO_ND);
    for (int bounds = 1; bounds <= 3; bounds++) { /* clamp, wrap, zero */
        tw_pto_tile d = boxed(TW_PTO_MAT, TW_U16, 16, C, TW_PTO_A2A3), e = d;
        tw_pto_attrs by_row = { .bounds = bounds }, by_element = { .bounds = bounds, .coalesce = 2 };
        OK(CALL(core, "mgather", &by_row, TILE(&d), TENSOR(&table), TENSOR(&rows)));
        OK(CALL(core, "mgather", &by_element, TILE(&e), TENSOR(&table), TENSOR(&elements), TENSOR(&scratch)));
        for (uint32_t r = 0; r < 16; r++)
            for (uint32_t c = 0; c < C; c++) {
                int i = x[r], j = y[r * C + c];
                int in = bounds == 1       ? (int)clamp(i, 0, T - 1)
                         : bounds == 2     ? (i % T + T) % T
                         : i < 0 || i >= T ? -1
                                           : i;
                int jn = bounds == 1           ? (int)clamp(j, 0, T * C - 1)
                         : bounds == 2         ? (j % (T * C) + T * C) % (T * C)
                         : j < 0 || j >= T * C ? -1
                                               : j;
                assert_true(get(core, &d, r, c) == (in < 0 ? 0 : in * C + (int)c));
                assert_true(get(core, &e, r, c) == (jn < 0 ? 0 : jn));
            }
        REFUSED(CALL(core, "mgather", &by_element, TILE(&e), TENSOR(&table), TENSOR(&elements)), "gather.scratch",
                "a2a3");
        tw_pto_tile_free(core, &d);
        tw_pto_tile_free(core, &e);
    }
    tw_pto_tile d = boxed(TW_PTO_MAT, TW_U16, 16, C, TW_PTO_A2A3);
    REFUSED(CALL(core, "mgather", NULL, TILE(&d), TENSOR(&table), TENSOR(&rows)), "index.bounds", "-8");
    tw_pto_free(core);
}

static void pto_cube_rows(void **state)
{
    (void)state;
    check_rows_reached("cube");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_cube_mx),          cmocka_unit_test(pto_cube_gemv),
        cmocka_unit_test(pto_cube_tf32),        cmocka_unit_test(pto_cube_nibbles),
        cmocka_unit_test(pto_cube_scales),      cmocka_unit_test(pto_cube_split),
        cmocka_unit_test(pto_cube_scale_order), cmocka_unit_test(pto_cube_gather_l1),
        cmocka_unit_test(pto_cube_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
