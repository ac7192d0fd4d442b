/* SPDX-License-Identifier: MIT */
/* Whole destinations: random values, each element of the tile (or tensor) compared with a formula, those outside the
 * valid region with what they held. Rows whose own tests look at chosen elements. */
#define COUNT_ROWS
#include "pto/support/check.h"

static double want[1 << 14];

static double *place(const tw_pto_tile *t, uint32_t r, uint32_t c)
{
    return &want[r * t->cols + c];
}
/* Random quarters of -span/4 to span/4, whole numbers for integers; not below zero for unsigned ones. */
static void fill(tw_pto *core, tw_pto_tile *t, int span)
{
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++) {
            int n = (int)(random_bits() % (unsigned)(2 * span + 1)) - span;
            if (!tw_type_get(t->type)->is_signed && n < 0) n = -n;
            set(core, t, r, c, tw__is_float(t->type) ? n / 4.0 : n);
        }
}
static void before(tw_pto *core, tw_pto_tile *t)
{
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++) *place(t, r, c) = get(core, t, r, c);
}
static void after(tw_pto *core, tw_pto_tile *t, const char *name)
{
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++)
            if (get(core, t, r, c) != *place(t, r, c))
                fail_msg("%s %s (%u, %u): %g instead of %g", name, tw_type_name(t->type, TW_SYSTEM_PTO), r, c,
                         get(core, t, r, c), *place(t, r, c));
}
static tw_pto_tile part(tw_type type, uint32_t rows, uint32_t cols, uint32_t valid_rows, uint32_t valid_cols)
{
    tw_pto_tile t = vec_tile(type, rows, cols);
    t.valid_rows = valid_rows, t.valid_cols = valid_cols;
    return t;
}
static double narrowed(tw_type type, double x) /* saturating, ties to even */
{
    unsigned char bytes[8] = { 0 };
    tw_convert(type, bytes, TW_F64, &x, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_ON }, 0);
    return tw_type_load(type, bytes);
}

/* For each valid element of dst: formula of r and c. */
#define EXPECT(tile, formula)                        \
    for (uint32_t r = 0; r < (tile).valid_rows; r++) \
        for (uint32_t c = 0; c < (tile).valid_cols; c++) *place(&(tile), r, c) = (formula)

static void pto_whole_elementwise(void **state)
{
    static const tw_type pairs[][2] = { { TW_F32, TW_F16 }, { TW_F16, TW_I8 }, { TW_I16, TW_I8 } };
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++) {
        tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
        for (int p = 0; p < 3; p++)
            for (int minus = 0; minus < 2; minus++) {
                tw_pto_tile a = part(pairs[p][0], 9, 64, 7, 61), b = a, d = part(pairs[p][1], 9, 64, 7, 61);
                fill(core, &a, 700), fill(core, &b, 700), fill(core, &d, 9), before(core, &d);
                OK(CALL(core, minus ? "tsubreluconv" : "taddreluconv", NULL, TILE(&d), TILE(&a), TILE(&b)));
                EXPECT(d, narrowed(d.type, fmax(0, get(core, &a, r, c) + (minus ? -1 : 1) * get(core, &b, r, c))));
                after(core, &d, minus ? "TSUBRELUCONV" : "TADDRELUCONV");
                tw_pto_tile_free(core, &a), tw_pto_tile_free(core, &b), tw_pto_tile_free(core, &d);
            }
        for (uint32_t cols = 1; cols <= 64; cols += 21) {
            tw_pto_tile a = part(TW_F32, 5, 64, 4, cols), d = part(TW_F32, 5, 32, 4, (cols + 1) / 2);
            fill(core, &a, 700), fill(core, &d, 9), before(core, &d);
            OK(CALL(core, "tpairreducesum", NULL, TILE(&d), TILE(&a)));
            EXPECT(d, get(core, &a, r, 2 * c) + (2 * c + 1 < cols ? get(core, &a, r, 2 * c + 1) : 0));
            after(core, &d, "TPAIRREDUCESUM");
            tw_pto_tile_free(core, &a), tw_pto_tile_free(core, &d);
        }
        tw_pto_free(core);
    }
}

static void pto_whole_masks(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int mode = 0; mode < 6; mode++) {
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            uint32_t width = target == TW_PTO_A5 ? 32 : 8;
            tw_pto_tile a = part(TW_F32, 5, 64, 4, 45),
                        mask = vec_tile(width == 32 ? TW_U32 : TW_U8, 5, 256 / width), d = a,
                        one = vec_tile(TW_F32, 1, 8);
            tw_pto_attrs attrs = { .cmp = mode };
            fill(core, &a, 6), fill(core, &mask, 200), before(core, &mask);
            OK(CALL(core, "tcmps", &attrs, TILE(&mask), TILE(&a), SCALAR(tw_pto_f32(0.5f))));
            EXPECT(mask, 0);
            for (uint32_t r = 0; r < 4; r++)
                for (uint32_t c = 0; c < 45; c++) {
                    double x = get(core, &a, r, c);
                    bool is[] = { x == 0.5, x != 0.5, x < 0.5, x <= 0.5, x > 0.5, x >= 0.5 };
                    *place(&mask, r, c / width) += is[mode] ? ldexp(1, (int)(c % width)) : 0;
                }
            after(core, &mask, "TCMPS");
            fill(core, &mask, 1 << 20), fill(core, &d, 50), before(core, &d);
            OK(CALL(core, "tsels", NULL, TILE(&d), TILE(&mask), TILE(&a), TILE(&one), SCALAR(tw_pto_f32(-9))));
            EXPECT(d, (uint64_t)get(core, &mask, r, c / width) >> c % width & 1 ? get(core, &a, r, c) : -9);
            after(core, &d, "TSELS");
            tw_pto_free(core);
        }
}

static void pto_whole_streams(void **state)
{
    static const tw_type types[] = { TW_I8, TW_F16, TW_BF16, TW_U32 };
    (void)state;
    for (int t = 0; t < 4; t++) {
        tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
        tw_pto_tile a = part(types[t], 3, 64, 2, 30), b = part(types[t], 3, 64, 2, 17),
                    d = part(types[t], 3, 64, 2, 47);
        fill(core, &a, 100), fill(core, &b, 100), fill(core, &d, 100), before(core, &d);
        OK(CALL(core, "tconcat", NULL, TILE(&d), TILE(&a), TILE(&b)));
        EXPECT(d, c < 30 ? get(core, &a, r, c) : get(core, &b, r, c - 30));
        after(core, &d, "TCONCAT");
        tw_pto_tile h = d, l = d, second = d;
        a = b = h = l = second = part(types[t], 3, 64, 2, 38);
        fill(core, &a, 100), fill(core, &b, 100), fill(core, &h, 100), fill(core, &l, 100),
            fill(core, &second, 100);
        before(core, &l);
        OK(CALL(core, "tinterleave", NULL, TILE(&h), TILE(&l), TILE(&a), TILE(&b))); /* b[0] a[0] b[1] ... */
        EXPECT(l, get(core, c % 2 ? &a : &b, r, c / 2));
        after(core, &l, "TINTERLEAVE");
        EXPECT(h, get(core, c % 2 ? &a : &b, r, 19 + c / 2));
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t c = 0; c < 38; c++) assert_true(get(core, &h, r, c) == *place(&h, r, c));
        tw_pto_tile odd = second, even = second;
        odd.place = even.place = 0;
        fill(core, &odd, 100), fill(core, &even, 100), before(core, &even);
        OK(CALL(core, "tdeinterleave", NULL, TILE(&odd), TILE(&even), TILE(&h), TILE(&l)));
        EXPECT(even, get(core, &b, r, c));
        after(core, &even, "TDEINTERLEAVE");
        before(core, &odd);
        EXPECT(odd, get(core, &a, r, c));
        after(core, &odd, "TDEINTERLEAVE");
        tw_pto_free(core);
    }
}

static void pto_whole_expansions(void **state)
{
    static const tw_type types[] = { TW_U8, TW_I16, TW_F16, TW_F32 };
    (void)state;
    for (int t = 0; t < 4; t++)
        for (int target = 0; target < TW_PTO_TARGETS; target++) {
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tile d = part(types[t], 9, 64, 7, 51), rows = part(types[t], 32, 1, 7, 1),
                        cols = part(types[t], 1, 64, 1, 51);
            rows.blayout = TW_PTO_COL_MAJOR;
            fill(core, &rows, 100), fill(core, &cols, 100), fill(core, &d, 100), before(core, &d);
            OK(CALL(core, "trowexpand", NULL, TILE(&d), TILE(&rows)));
            EXPECT(d, get(core, &rows, r, 0));
            after(core, &d, "TROWEXPAND");
            OK(CALL(core, "tcolexpand", NULL, TILE(&d), TILE(&cols)));
            EXPECT(d, get(core, &cols, 0, c));
            after(core, &d, "TCOLEXPAND");
            OK(CALL(core, "texpands", NULL, TILE(&d), SCALAR(tw_pto_scalar_of(types[t], 5))));
            EXPECT(d, 5);
            after(core, &d, "TEXPANDS");
            if (types[t] == TW_I16 || types[t] == TW_F32)
                for (int binary = 0; binary < 2; binary++) {
                    tw_pto_tile sum = part(types[t], 1, 64, 1, 51), tmp = vec_tile(types[t], 5, 64);
                    tw_pto_attrs attrs = { .binary = binary };
                    fill(core, &d, 100), fill(core, &sum, 100), before(core, &sum);
                    OK(CALL(core, "tcolsum", &attrs, TILE(&sum), TILE(&d), TILE(&tmp)));
                    for (uint32_t c = 0; c < 51; c++) {
                        *place(&sum, 0, c) = 0;
                        for (uint32_t r = 0; r < 7; r++) *place(&sum, 0, c) += get(core, &d, r, c);
                    }
                    after(core, &sum, "TCOLSUM");
                    tw_pto_tile_free(core, &sum), tw_pto_tile_free(core, &tmp);
                }
            tw_pto_free(core);
        }
}

/* Rows of one block: the full source looks like a source with a block per row, whichever comes first. */
static void pto_whole_block_rows(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int first = 0; first < 2; first++) {
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tile d = part(TW_F32, 9, 8, 7, 8), full = d, rows = part(TW_F32, 16, 1, 7, 1);
            rows.blayout = TW_PTO_COL_MAJOR;
            fill(core, &d, 100), fill(core, &full, 100), fill(core, &rows, 100), before(core, &d);
            OK(CALL(core, "trowexpandsub", NULL, TILE(&d), TILE(first ? &rows : &full),
                    TILE(first ? &full : &rows)));
            EXPECT(d, (first ? -1 : 1) * (get(core, &full, r, c) - get(core, &rows, r, 0)));
            after(core, &d, "TROWEXPANDSUB");
            tw_pto_free(core);
        }
}

static void pto_whole_moves(void **state)
{
    static const tw_type types[] = { TW_U8, TW_F16, TW_I32 };
    (void)state;
    for (int t = 0; t < 3; t++) {
        tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
        uint32_t size = (uint32_t)tw_type_size(types[t]);
        tw_pto_tile a = vec_tile(types[t], 4, 64), d = vec_tile(types[t], 9, 96), x = vec_tile(TW_U32, 4, 64),
                    flat = a;
        fill(core, &a, 100), fill(core, &d, 100), before(core, &d);
        a.valid_rows = 3, a.valid_cols = 50;
        OK(CALL(core, "tinsert", NULL, TILE(&d), TILE(&a), SCALAR(tw_pto_i32(2)), SCALAR(tw_pto_i32(32))));
        for (uint32_t r = 0; r < 3; r++)
            for (uint32_t c = 0; c < 50; c++) *place(&d, r + 2, c + 32) = get(core, &a, r, c);
        after(core, &d, "TINSERT");
        a.valid_rows = 4, a.valid_cols = 64;
        tw_pto_tile shaped = vec_tile(types[t], 8, 32);
        fill(core, &shaped, 9);
        OK(CALL(core, "treshape", NULL, TILE(&shaped), TILE(&a)));
        before(core, &shaped);
        EXPECT(shaped, get(core, &a, (r * 32 + c) / 64, (r * 32 + c) % 64));
        after(core, &shaped, "TRESHAPE");
        for (uint32_t r = 0; r < 4; r++)
            for (uint32_t c = 0; c < 64; c++) set(core, &x, r, c, (double)(random_bits() % 256 * size));
        flat.place = 0, flat.valid_cols = x.valid_cols = 61;
        fill(core, &flat, 100), before(core, &flat);
        OK(CALL(core, "tgatherb", NULL, TILE(&flat), TILE(&a), TILE(&x)));
        EXPECT(flat,
               get(core, &a, (uint32_t)get(core, &x, r, c) / size / 64, (uint32_t)get(core, &x, r, c) / size % 64));
        after(core, &flat, "TGATHERB");
        for (int mask = 1; mask <= 7; mask++) { /* one column in two or four, or each */
            uint32_t every = mask < 3   ? 2
                             : mask < 7 ? 4
                                        : 1,
                     first = mask == 2               ? 1
                             : mask < 4 || mask == 7 ? 0
                                                     : (uint32_t)mask - 3;
            tw_pto_tile from = part(types[t], 4, 32, 3, 32), to = part(types[t], 4, 32 * every, 3, 32 * every);
            tw_pto_attrs attrs = { .mask = mask };
            fill(core, &from, 100), fill(core, &to, 100), before(core, &to);
            OK(CALL(core, "tscatter", &attrs, TILE(&to), TILE(&from)));
            for (uint32_t r = 0; r < 4; r++)
                for (uint32_t c = 0; c < to.cols; c++)
                    *place(&to, r, c) = r < 3 && c % every == first ? get(core, &from, r, c / every) : 0;
            after(core, &to, "TSCATTER by mask");
            tw_pto_tile_free(core, &from), tw_pto_tile_free(core, &to);
        }
        tw_pto_free(core);
    }
}

static void pto_whole_tables(void **state)
{
    enum { LINES = 12 };
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int rows = 0; rows < 2; rows++) {
            float memory[LINES][16], table[LINES][16];
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tensor g = tw_pto_tensor_of(memory, TW_F32, LINES, 16, TW_PTO_ND);
            tw_pto_tile a = vec_tile(TW_F32, 8, 16), x = rows ? part(TW_I32, 1, 8, 1, 8) : vec_tile(TW_I32, 8, 16);
            tw_pto_attrs attrs = { .coalesce = rows ? 1 : 2 };
            for (int i = 0; i < LINES * 16; i++) (&memory[0][0])[i] = (&table[0][0])[i] = (float)-i;
            fill(core, &a, 900);
            for (uint32_t r = 0; r < 8; r++)
                for (uint32_t c = 0; c < 16; c++) {
                    uint32_t to = rows ? r * 5 % LINES : (r * 16 + c) * 7 % (LINES * 16);
                    if (!rows || c == 0) set(core, &x, rows ? 0 : r, rows ? r : c, to);
                    (&table[0][0])[rows ? to * 16 + c : to] = (float)get(core, &a, r, c);
                }
            OK(CALL(core, "mscatter", &attrs, TENSOR(&g), TILE(&a), TILE(&x)));
            assert_memory_equal(memory, table, sizeof table);
            tw_pto_free(core);
        }
}

/* Accumulators times a scale to a tensor; conversions with tmp; int32 to f16 with a factor; offsets. */
static void pto_whole_scales(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++) {
        tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
        int8_t memory[32][48];
        float scale = 0.75f;
        uint64_t bits = 0;
        memcpy(&bits, &scale, sizeof scale);
        tw_pto_tensor g = tw_pto_tensor_of(memory, TW_I8, 32, 48, TW_PTO_ND);
        tw_pto_tile acc = tw_pto_tile_of(TW_PTO_ACC, TW_F32, 32, 48);
        acc.blayout = TW_PTO_COL_MAJOR, acc.slayout = TW_PTO_BOX_ROW, acc.fractal = 1024;
        for (int relu = 0; relu < 2; relu++) {
            tw_pto_attrs attrs = { .relu = relu };
            fill(core, &acc, 900);
            OK(CALL(core, "tstore", &attrs, TENSOR(&g), TILE(&acc),
                    SCALAR(tw_pto_bits(TW_U64, bits | UINT64_C(1) << 46))));
            for (uint32_t r = 0; r < 32; r++)
                for (uint32_t c = 0; c < 48; c++) {
                    double v = get(core, &acc, r, c);
                    assert_true(memory[r][c] == narrowed(TW_I8, (relu ? fmax(v, 0) : v) * 0.75));
                }
        }
        tw_pto_tile f = part(TW_F32, 5, 64, 4, 61), i = part(TW_I16, 5, 64, 4, 61), tmp = vec_tile(TW_F32, 5, 64);
        tw_pto_attrs off = { .round = TW_PTO_ROUND_FLOOR, .saturate = TW_PTO_SATURATE_OFF };
        fill(core, &f, 1 << 20), fill(core, &i, 99), before(core, &i);
        OK(CALL(core, "tcvt", &off, TILE(&i), TILE(&f), TILE(&tmp)));
        EXPECT(i, (int16_t)(int64_t)floor(get(core, &f, r, c))); /* the low bits */
        after(core, &i, "TCVT with tmp");
        tw_pto_tile q = part(TW_U8, 5, 64, 4, 61), p = part(TW_F32, 8, 1, 4, 1), z = p;
        tw_pto_attrs asym = { .quant = 1 };
        p.blayout = z.blayout = TW_PTO_COL_MAJOR;
        fill(core, &f, 900), fill(core, &p, 9), fill(core, &z, 200), fill(core, &q, 99), before(core, &q);
        double source[4][61];
        for (uint32_t r = 0; r < 4; r++)
            for (uint32_t c = 0; c < 61; c++) source[r][c] = get(core, &f, r, c);
        OK(CALL(core, "tquant", &asym, TILE(&q), TILE(&f), TILE(&p), TILE(&tmp), TILE(&z)));
        EXPECT(q, narrowed(TW_U8, source[r][c] * get(core, &p, r, 0) + get(core, &z, r, 0)));
        after(core, &q, "TQUANT with tmp");
        if (target != TW_PTO_A5) {
            tw_pto_tile n = part(TW_I32, 5, 64, 4, 61), h = part(TW_F16, 5, 64, 4, 61);
            tw_pto_attrs rint = { .round = TW_PTO_ROUND_RINT };
            fill(core, &n, 500), fill(core, &h, 9), before(core, &h);
            OK(CALL(core, "set_deqscale", NULL, SCALAR(tw_pto_scalar_of(TW_F16, 0.125))));
            OK(CALL(core, "tcvt", &rint, TILE(&h), TILE(&n)));
            EXPECT(h, get(core, &n, r, c) / 8);
            after(core, &h, "TCVT after SET_DEQSCALE");
        }
        tw_pto_free(core);
    }
}

static void pto_whole_rows(void **state)
{
    (void)state;
    check_rows_reached("whole");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_whole_elementwise), cmocka_unit_test(pto_whole_masks),
        cmocka_unit_test(pto_whole_streams),     cmocka_unit_test(pto_whole_expansions),
        cmocka_unit_test(pto_whole_block_rows),  cmocka_unit_test(pto_whole_moves),
        cmocka_unit_test(pto_whole_tables),      cmocka_unit_test(pto_whole_scales),
        cmocka_unit_test(pto_whole_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
