/* SPDX-License-Identifier: MIT */
/* Memory, moves, gather and scatter, padding, sorting, reductions, expansions, matrix products, quantisation against
 * loops written here. */
#define COUNT_ROWS
#include "pto/support/check.h"

static void fill(tw_pto *core, tw_pto_tile *t, int modulus)
{
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++)
            set(core, t, r, c,
                (double)(int)(random_bits() % (uint64_t)modulus) -
                    (tw_type_get(t->type)->is_signed ? modulus / 2 : 0));
}

/* Through stride 0 only sums are stored: each row adds to the same elements. */
static void pto_data_store_repeated(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    float out[8];
    for (int c = 0; c < 8; c++) out[c] = 100;
    tw_pto_tile t = vec_tile(TW_F32, 4, 8);
    for (uint32_t k = 0; k < 32; k++) set(core, &t, k / 8, k % 8, k);
    tw_pto_tensor g = tw_pto_tensor_of(out, TW_F32, 4, 8, TW_PTO_ND);
    g.stride[3] = 0;
    REFUSED(CALL(core, "tstore", NULL, TENSOR(&g), TILE(&t)), "global.overlap", "stride 0");
    assert_true(out[0] == 100 && out[7] == 100);
    OK(CALL(core, "tstore", &(tw_pto_attrs){ .atomic = 1 }, TENSOR(&g), TILE(&t)));
    for (int c = 0; c < 8; c++) assert_true(out[c] == 100 + 4 * c + 8 + 16 + 24);
    /* Nothing repeats where there is nothing. */
    g.shape[4] = 0;
    t.valid_cols = 0;
    OK(CALL(core, "tstore", NULL, TENSOR(&g), TILE(&t)));
    for (int c = 0; c < 8; c++) assert_true(out[c] == 100 + 4 * c + 8 + 16 + 24);
    tw_pto_free(core);
}

/* A valid region that nobody has set yet: the message counts operands from 1. */
static void pto_data_valid_unset(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tile a = vec_tile(TW_F32, 4, 8), b = a;
    b.valid_rows = TW_PTO_DYNAMIC;
    REFUSED(CALL(core, "tadd", NULL, TILE(&a), TILE(&b), TILE(&a)), "tile.shape",
            "operand 2: its valid extents have no values yet");
    b.valid_rows = 4;
    b.valid_cols = TW_PTO_DYNAMIC;
    REFUSED(CALL(core, "tadd", NULL, TILE(&a), TILE(&a), TILE(&b)), "tile.shape",
            "operand 3: its valid extents have no values yet");
    tw_pto_free(core);
}

/* Every tensor layout through a tile and back; the mapping is checked against the formulas of the specification. */
static void pto_data_load_store(void **state)
{
    (void)state;
    for (int layout = 0; layout < 3; layout++)
        for (int boxed = 0; boxed < 2; boxed++) {
            enum { R = 32, C = 48 };
            tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
            int16_t in[R * C], out[R * C] = { 0 };
            for (int i = 0; i < R * C; i++) in[i] = (int16_t)i;
            tw_pto_tensor g = tw_pto_tensor_of(in, TW_I16, R, C, (tw_pto_layout)layout),
                          h = tw_pto_tensor_of(out, TW_I16, R, C, (tw_pto_layout)layout);
            tw_pto_tile t = vec_tile(TW_I16, R, C);
            t.slayout = boxed ? TW_PTO_BOX_ROW : TW_PTO_NONE_BOX;
            t.blayout = boxed ? TW_PTO_COL_MAJOR : TW_PTO_ROW_MAJOR;
            OK(tw_pto_load(core, &t, &g));
            for (uint32_t r = 0; r < R; r++)
                for (uint32_t c = 0; c < C; c++) {
                    uint32_t at = layout == TW_PTO_ND   ? r * C + c
                                  : layout == TW_PTO_DN ? c * R + r
                                                        : (c / 16) * (R * 16) + r * 16 + c % 16;
                    assert_true(get(core, &t, r, c) == at);
                }
            OK(tw_pto_store(core, &h, &t));
            assert_memory_equal(in, out, sizeof in);
            tw_pto_free(core);
        }
}

static void pto_data_load_rules(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    float memory[8 * 16] = { 0 };
    tw_pto_tile t = vec_tile(TW_F32, 8, 16), p = t, left = t;
    tw_pto_tensor g = tw_pto_tensor_of(memory, TW_F32, 8, 16, TW_PTO_ND),
                  s = tw_pto_tensor_of(memory, TW_F32, 8, 8, TW_PTO_ND), dn = g;
    dn.layout = TW_PTO_DN;
    left.location = TW_PTO_LEFT;
    REFUSED(tw_pto_load(core, &t, &s), "global.extents", "8 x 8");
    REFUSED(tw_pto_load(core, &t, &dn), "global.layout", "a2a3");
    REFUSED(tw_pto_load(core, &left, &g), "location.load", "a2a3");
    g.window = (tw_window){ memory, sizeof memory - 4 };
    REFUSED(tw_pto_load(core, &t, &g), "global.bounds", "508");
    p.valid_rows = 5;
    p.valid_cols = 11;
    p.pad = TW_PTO_PAD_MIN;
    for (int i = 0; i < 128; i++) memory[i] = (float)i;
    tw_pto_tensor part = tw_pto_tensor_of(memory, TW_F32, 5, 11, TW_PTO_ND);
    part.stride[3] = 16;
    OK(tw_pto_load(core, &p, &part));
    for (uint32_t r = 0; r < 8; r++)
        for (uint32_t c = 0; c < 16; c++)
            assert_true(get(core, &p, r, c) == (r < 5 && c < 11 ? r * 16.0 + c : -INFINITY));
    tw_pto_attrs add = { .atomic = 1 };
    OK(CALL(core, "tstore", &add, TENSOR(&part), TILE(&p)));
    assert_true(memory[4 * 16 + 10] == 2 * (4 * 16 + 10) && memory[4 * 16 + 11] == 4 * 16 + 11);
    tw_pto_free(core);
}

static void pto_data_pads(void **state)
{
    static const struct {
        tw_type type;
        uint64_t pad, bits;
    } rows[] = {
        { TW_F32, 3, 0xff800000 },
        { TW_F32, 2, 0x7f800000 },
        { TW_F16, 3, 0xfc00 },
        { TW_BF16, 2, 0x7f80 },
        { TW_I32, 3, 0x80000000 },
        { TW_I16, 2, 0x7fff },
        { TW_I8, 3, 0x80 },
        { TW_U8, 2, 0xff },
        { TW_U32, 3, 0 },
        { TW_I64, 3, 0 },
        { TW_F32, 0x1BF800000, 0xbf800000 },
        { TW_F16, 1, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tw__pad_bits(rows[i].type, rows[i].pad) != rows[i].bits)
            fail_msg("row %zu: %llx", i, (unsigned long long)tw__pad_bits(rows[i].type, rows[i].pad));
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile a = vec_tile(TW_I16, 4, 32), d = a, big = vec_tile(TW_I16, 6, 48);
    a.valid_rows = 3;
    a.valid_cols = 7;
    d.pad = big.pad = TW_PTO_PAD_MAX;
    fill(core, &a, 100);
    REFUSED(CALL(core, "tfillpad", NULL, TILE(&a), TILE(&a)), "pad.null", "a5");
    REFUSED(CALL(core, "tfillpad", NULL, TILE(&big), TILE(&a)), "pad.extents", "a5");
    OK(CALL(core, "tfillpad", NULL, TILE(&d), TILE(&a)));
    OK(CALL(core, "tfillpad_expand", NULL, TILE(&big), TILE(&a)));
    for (uint32_t r = 0; r < 6; r++)
        for (uint32_t c = 0; c < 48; c++) {
            double want = r < 3 && c < 7 ? get(core, &a, r, c) : 32767;
            assert_true(get(core, &big, r, c) == want);
            if (r < 4 && c < 32) assert_true(get(core, &d, r, c) == want);
        }
    tw_pto_free(core);
}

static void pto_data_moves(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile a = vec_tile(TW_F32, 16, 24), d = vec_tile(TW_F32, 24, 16), w = vec_tile(TW_F32, 4, 8),
                tmp = vec_tile(TW_F32, 32, 32), x = a, l = vec_tile(TW_F32, 8, 48);
    fill(core, &a, 1000);
    a.valid_rows = 13;
    a.valid_cols = 21;
    OK(CALL(core, "ttrans", NULL, TILE(&d), TILE(&a), TILE(&tmp)));
    for (uint32_t r = 0; r < 21; r++)
        for (uint32_t c = 0; c < 13; c++) assert_true(get(core, &d, r, c) == get(core, &a, c, r));
    OK(CALL(core, "textract", NULL, TILE(&w), TILE(&a), SCALAR(tw_pto_i32(5)), SCALAR(tw_pto_i32(9))));
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 8; c++) assert_true(get(core, &w, r, c) == get(core, &a, 5 + r, 9 + c));
    OK(CALL(core, "tinsert", NULL, TILE(&x), TILE(&w), SCALAR(tw_pto_i32(12)), SCALAR(tw_pto_i32(16))));
    assert_true(get(core, &x, 15, 23) == get(core, &w, 3, 7) && get(core, &x, 11, 16) == 0);
    REFUSED(CALL(core, "textract", NULL, TILE(&w), TILE(&a), SCALAR(tw_pto_i32(13)), SCALAR(tw_pto_i32(0))),
            "window.bounds", "(13, 0)");
    OK(CALL(core, "treshape", NULL, TILE(&l), TILE(&a)));
    assert_true(get(core, &l, 1, 1) == get(core, &a, 2, 1));
    REFUSED(CALL(core, "treshape", NULL, TILE(&w), TILE(&a)), "reshape.bytes", "128");
    tw_pto_tile e = vec_tile(TW_F32, 4, 8), f = e, g = e, h = e, cat = vec_tile(TW_F32, 4, 16);
    fill(core, &e, 50);
    fill(core, &f, 50);
    OK(CALL(core, "tconcat", NULL, TILE(&cat), TILE(&e), TILE(&f)));
    assert_true(get(core, &cat, 2, 3) == get(core, &e, 2, 3) && get(core, &cat, 2, 11) == get(core, &f, 2, 3));
    OK(CALL(core, "tinterleave", NULL, TILE(&h), TILE(&g), TILE(&f), TILE(&e))); /* s1 = f, s0 = e */
    for (uint32_t k = 0; k < 16; k++)
        assert_true(get(core, k < 8 ? &g : &h, 1, k % 8) == get(core, k % 2 ? &f : &e, 1, k / 2));
    tw_pto_tile p = e, q = e;
    p.place = q.place = 0;
    OK(CALL(core, "tdeinterleave", NULL, TILE(&q), TILE(&p), TILE(&h), TILE(&g)));
    for (uint32_t k = 0; k < 8; k++)
        assert_true(get(core, &p, 3, k) == get(core, &e, 3, k) && get(core, &q, 3, k) == get(core, &f, 3, k));
    tw_pto_free(core);
}

static void pto_data_gather(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile a = vec_tile(TW_F32, 4, 32), x = vec_tile(TW_U32, 4, 32), d = a, tmp = a,
                half = vec_tile(TW_F32, 4, 16), back = a;
    fill(core, &a, 1000);
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 32; c++) set(core, &x, r, c, (double)(random_bits() % 140));
    OK(CALL(core, "tgather", NULL, TILE(&d), TILE(&a), TILE(&x), TILE(&tmp)));
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 32; c++) {
            uint32_t i = (uint32_t)get(core, &x, r, c);
            assert_true(get(core, &d, r, c) == (i < 128 ? get(core, &a, i / 32, i % 32) : 0));
            set(core, &x, r, c, 4.0 * ((r * 32 + c) ^ 1));
        }
    OK(CALL(core, "tgatherb", NULL, TILE(&d), TILE(&a), TILE(&x)));
    assert_true(get(core, &d, 2, 7) == get(core, &a, 2, 6));
    for (int mask = 1; mask <= 7; mask++) {
        static const uint32_t first[] = { 0, 0, 1, 0, 1, 2, 3, 0 }, step[] = { 1, 2, 2, 4, 4, 4, 4, 1 };
        tw_pto_attrs attrs = { .mask = mask };
        uint32_t per_row = 32 / step[mask];
        tw_pto_tile out = vec_tile(TW_F32, 4, per_row);
        OK(CALL(core, "tgather", &attrs, TILE(&out), TILE(&a)));
        for (uint32_t r = 0; r < 4; r++)
            for (uint32_t c = 0; c < per_row; c++)
                assert_true(get(core, &out, r, c) == get(core, &a, r, first[mask] + c * step[mask]));
        OK(CALL(core, "tscatter", &attrs, TILE(&back), TILE(&out)));
        for (uint32_t c = 0; c < 32; c++)
            assert_true(get(core, &back, 1, c) == (c % step[mask] == first[mask] ? get(core, &a, 1, c) : 0));
        tw_pto_tile_free(core, &out);
    }
    REFUSED(CALL(core, "tgather", NULL, TILE(&half), TILE(&a)), "mask.pattern", "a5");
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 32; c++) set(core, &x, r, c, 127 - (r * 32.0 + c));
    OK(CALL(core, "tscatter", NULL, TILE(&back), TILE(&a), TILE(&x)));
    assert_true(get(core, &back, 0, 0) == get(core, &a, 3, 31) && get(core, &back, 3, 1) == get(core, &a, 0, 30));
    set(core, &x, 2, 2, 128);
    REFUSED(CALL(core, "tscatter", NULL, TILE(&back), TILE(&a), TILE(&x)), "index.bounds", "row 2");
    tw_pto_tile k = vec_tile(TW_F32, 1, 8), found = vec_tile(TW_I32, 4, 32), counts = vec_tile(TW_I32, 1, 8);
    tw_pto_attrs gt = { .cmp = TW_PTO_CMP_GT, .offset = 1000 };
    OK(CALL(core, "tgather", &gt, TILE(&found), TILE(&a), TILE(&k), TILE(&counts), TILE(&tmp)));
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t n = 0;
        for (uint32_t c = 0; c < 32; c++)
            if (get(core, &a, r, c) > 0) assert_true(get(core, &found, r, n++) == 1000 + c);
        assert_true(get(core, &counts, 0, r) == n);
    }
    tw_pto_free(core);
}

static void pto_data_tables(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    int32_t memory[10 * 16];
    for (int i = 0; i < 160; i++) memory[i] = i;
    tw_pto_tensor table = tw_pto_tensor_of(memory, TW_I32, 10, 16, TW_PTO_ND);
    tw_pto_tile d = vec_tile(TW_I32, 4, 16), x = vec_tile(TW_I32, 1, 8);
    const int rows[] = { 3, -1, 9, 12 };
    x.valid_cols = 4;
    for (uint32_t c = 0; c < 4; c++) set(core, &x, 0, c, rows[c]);
    static const int expect[4][4] = { { 0 }, { 3, 0, 9, 9 }, { 3, 9, 9, 2 }, { 3, -1, 9, -1 } };
    REFUSED(CALL(core, "mgather", NULL, TILE(&d), TENSOR(&table), TILE(&x)), "index.bounds", "-1");
    for (int rule = 1; rule < 4; rule++) {
        tw_pto_attrs attrs = { .bounds = rule };
        OK(CALL(core, "mgather", &attrs, TILE(&d), TENSOR(&table), TILE(&x)));
        for (uint32_t r = 0; r < 4; r++)
            for (uint32_t c = 0; c < 16; c++)
                assert_true(get(core, &d, r, c) == (expect[rule][r] < 0 ? 0 : expect[rule][r] * 16.0 + c));
    }
    tw_pto_attrs add = { .atomic = 1, .bounds = 1 }; /* clamp: rows 9, 9 twice */
    OK(CALL(core, "mscatter", &add, TENSOR(&table), TILE(&d), TILE(&x)));
    assert_int_equal(memory[3 * 16 + 2], 100);
    tw_pto_tile e = vec_tile(TW_I32, 2, 8), y = e;
    tw_pto_attrs elements = { .coalesce = 2 };
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t c = 0; c < 8; c++) set(core, &y, r, c, r * 20 + c * 3);
    OK(CALL(core, "mgather", &elements, TILE(&e), TENSOR(&table), TILE(&y)));
    assert_true(get(core, &e, 1, 4) == memory[32]);
    OK(CALL(core, "mscatter", &elements, TENSOR(&table), TILE(&y), TILE(&y)));
    assert_int_equal(memory[32], 32);
    tw_pto_free(core);
}

static void pto_data_sort(void **state)
{
    static const tw_type types[] = { TW_F32, TW_F16 };
    (void)state;
    for (int k = 0; k < 2; k++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
        uint32_t wide = types[k] == TW_F32 ? 2 : 4;
        tw_pto_tile a = vec_tile(types[k], 2, 96), x = vec_tile(TW_U32, 1, 96),
                    d = vec_tile(types[k], 2, 96 * wide), tmp = vec_tile(types[k], 1, 96);
        a.valid_cols = 75;
        fill(core, &a, 40);
        for (uint32_t c = 0; c < 96; c++) set(core, &x, 0, c, 1000 + c);
        REFUSED(CALL(core, "tsort32", NULL, TILE(&d), TILE(&a), TILE(&x)), "sort.block", "75");
        OK(CALL(core, "tsort32", NULL, TILE(&d), TILE(&a), TILE(&x), TILE(&tmp)));
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t c = 0; c < 75; c++) {
                uint32_t index, block = c / 32 * 32;
                memcpy(&index, (char *)tw_pto_data(core, &d) + tw_pto_element(&d, r, c * wide) + 4, 4);
                double v = get(core, &d, r, c * wide);
                assert_in_range(index, 1000 + block, 1000 + block + 31);
                assert_true(get(core, &a, r, index - 1000) == v);
                if (c % 32) {
                    uint32_t before;
                    memcpy(&before, (char *)tw_pto_data(core, &d) + tw_pto_element(&d, r, (c - 1) * wide) + 4, 4);
                    double u = get(core, &d, r, (c - 1) * wide);
                    assert_true(u > v || (u == v && before < index));
                }
            }
        tw_pto_free(core);
    }
    tw_pto *core =
        tw_pto_new(TW_PTO_A5, 0); /* four sorted blocks of 32 pairs become one; two lists until one ends */
    tw_pto_tile a = vec_tile(TW_F32, 1, 256), d = a, l0 = vec_tile(TW_F32, 1, 8), l1 = l0,
                out = vec_tile(TW_F32, 1, 16), n = vec_tile(TW_I16, 1, 16), tmp = out;
    for (uint32_t b = 0; b < 4; b++)
        for (uint32_t i = 0; i < 32; i++) set(core, &a, 0, b * 64 + 2 * i, 1000 - (4.0 * i + b));
    OK(CALL(core, "tmrgsort", NULL, TILE(&d), TILE(&a), SCALAR(tw_pto_i32(64))));
    for (uint32_t i = 0; i < 128; i++) assert_true(get(core, &d, 0, 2 * i) == 1000.0 - i);
    REFUSED(CALL(core, "tmrgsort", NULL, TILE(&d), TILE(&a), SCALAR(tw_pto_i32(32))), "merge.block", "64");
    const double v0[] = { 9, 7, 5, 3 }, v1[] = { 8, 7, 2, 1 };
    for (uint32_t i = 0; i < 4; i++)
        set(core, &l0, 0, 2 * i, v0[i]), set(core, &l1, 0, 2 * i, v1[i]), set(core, &l1, 0, 2 * i + 1, 1);
    tw_pto_attrs stop = { .exhausted = 1 };
    OK(CALL(core, "tmrgsort", &stop, TILE(&out), TILE(&n), TILE(&tmp), TILE(&l0), TILE(&l1)));
    assert_true(get(core, &n, 0, 0) == 4 && get(core, &n, 0, 1) == 2);
    const double merged[] = { 9, 8, 7, 7, 5, 3 };
    for (uint32_t i = 0; i < 6; i++) assert_true(get(core, &out, 0, 2 * i) == merged[i]);
    assert_true(get(core, &out, 0, 5) == 0); /* of equal ones the lower list first */
    tw_pto_free(core);
}

static void pto_data_reduce(void **state)
{
    static const tw_type types[] = { TW_F32, TW_F16, TW_I32, TW_I16 };
    (void)state;
    for (int t = 0; t < 4; t++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
        tw_pto_tile a = vec_tile(types[t], 5, 96), col = vec_tile(types[t], 16, 1), row = vec_tile(types[t], 1, 96),
                    tmp = vec_tile(types[t], 8, 96), ix = vec_tile(TW_I32, 16, 1);
        col.blayout = ix.blayout = TW_PTO_COL_MAJOR;
        a.valid_cols = row.valid_cols = 77;
        col.valid_rows = ix.valid_rows = 5;
        fill(core, &a, 7);
        const char *const names[] = { "trowsum", "trowmax", "trowmin", "trowprod", "trowargmax", "trowargmin" };
        for (int n = 0; n < 6; n++) {
            OK(CALL(core, names[n], NULL, TILE(n < 4 ? &col : &ix), TILE(&a), TILE(&tmp)));
            for (uint32_t r = 0; r < 5; r++) {
                double sum = 0, most = get(core, &a, r, 0), least = most, product = 1, at_most = 0, at_least = 0;
                for (uint32_t c = 0; c < 77; c++) {
                    double v = get(core, &a, r, c);
                    sum += v;
                    product *= v;
                    if (v > most) most = v, at_most = c;
                    if (v < least) least = v, at_least = c;
                }
                const double want[] = { sum, most, least, product, at_most, at_least };
                assert_true(get(core, n < 4 ? &col : &ix, r, 0) == want[n]);
            }
        }
        const char *const cols[] = { "tcolsum", "tcolmax", "tcolmin" };
        for (int n = 0; n < 3; n++) {
            OK(CALL(core, cols[n], NULL, TILE(&row), TILE(&a)));
            for (uint32_t c = 0; c < 77; c++) {
                double sum = 0, most = get(core, &a, 0, c), least = most;
                for (uint32_t r = 0; r < 5; r++) {
                    double v = get(core, &a, r, c);
                    sum += v;
                    most = v > most ? v : most;
                    least = v < least ? v : least;
                }
                const double want[] = { sum, most, least };
                assert_true(get(core, &row, 0, c) == want[n]);
            }
        }
        tw_pto_attrs tree = { .binary = 1 };
        OK(CALL(core, "tcolsum", &tree, TILE(&row), TILE(&a), TILE(&tmp)));
        assert_true(get(core, &row, 0, 3) == get(core, &a, 0, 3) + get(core, &a, 1, 3) + get(core, &a, 2, 3) +
                                                 get(core, &a, 3, 3) + get(core, &a, 4, 3));
        REFUSED(CALL(core, "trowsum", NULL, TILE(&row), TILE(&a), TILE(&tmp)), "row.rows", "a2a3");
        tw_pto_free(core);
    }
}

static void pto_data_expand(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tile a = vec_tile(TW_F32, 8, 40), d = a, s = vec_tile(TW_F32, 8, 1), block = vec_tile(TW_F32, 8, 8),
                row = vec_tile(TW_F32, 1, 40);
    s.blayout = TW_PTO_COL_MAJOR;
    fill(core, &a, 100);
    fill(core, &s, 100);
    fill(core, &block, 100);
    fill(core, &row, 100);
    OK(CALL(core, "trowexpand", NULL, TILE(&d), TILE(&s)));
    assert_true(get(core, &d, 5, 39) == get(core, &s, 5, 0));
    OK(CALL(core, "tcolexpand", NULL, TILE(&d), TILE(&row)));
    assert_true(get(core, &d, 5, 39) == get(core, &row, 0, 39));
    OK(CALL(core, "trowexpandsub", NULL, TILE(&d), TILE(&a), TILE(&s)));
    for (uint32_t c = 0; c < 40; c++) assert_true(get(core, &d, 3, c) == get(core, &a, 3, c) - get(core, &s, 3, 0));
    OK(CALL(core, "trowexpandsub", NULL, TILE(&d), TILE(&s), TILE(&a)));
    for (uint32_t c = 0; c < 40; c++) assert_true(get(core, &d, 3, c) == get(core, &s, 3, 0) - get(core, &a, 3, c));
    OK(CALL(core, "trowexpandmax", NULL, TILE(&d), TILE(&a), TILE(&block)));
    for (uint32_t c = 0; c < 40; c++)
        assert_true(get(core, &d, 7, c) == fmax(get(core, &a, 7, c), get(core, &block, 7, c % 8)));
    OK(CALL(core, "tcolexpandmul", NULL, TILE(&d), TILE(&a), TILE(&row)));
    for (uint32_t c = 0; c < 40; c++)
        assert_true(get(core, &d, 7, c) == get(core, &a, 7, c) * get(core, &row, 0, c));
    OK(CALL(core, "trowexpandexpdif", NULL, TILE(&d), TILE(&a), TILE(&s)));
    for (uint32_t c = 0; c < 40; c++) {
        double want = exp(get(core, &a, 2, c) - get(core, &s, 2, 0));
        assert_true(fabs(get(core, &d, 2, c) - want) <= 1e-6 * want);
    }
    REFUSED(CALL(core, "trowexpandadd", NULL, TILE(&d), TILE(&a), TILE(&a)), "expand.mode", "a2a3");
    tw_pto_tile tri = vec_tile(TW_I32, 8, 8);
    for (int upper = 0; upper < 2; upper++)
        for (int diagonal = -9; diagonal < 10; diagonal += 3) {
            tw_pto_attrs attrs = { .upper = upper };
            OK(CALL(core, "ttri", &attrs, TILE(&tri), SCALAR(tw_pto_i32(diagonal))));
            for (int r = 0; r < 8; r++)
                for (int c = 0; c < 8; c++)
                    assert_true(get(core, &tri, (uint32_t)r, (uint32_t)c) ==
                                (upper ? !(c < r + diagonal) : c <= r + diagonal));
        }
    OK(CALL(core, "texpands", NULL, TILE(&tri), SCALAR(tw_pto_i32(-5))));
    assert_true(get(core, &tri, 7, 7) == -5);
    tw_pto_free(core);
}

/* Cube: Mat to Left, Right and back, types, accumulation, bias. Left operands lie differently on the two chips. */
static void pto_data_matmul(void **state)
{
    static const struct {
        tw_type c, a;
    } types[] = { { TW_F32, TW_F16 }, { TW_F32, TW_F32 }, { TW_I32, TW_I8 }, { TW_F32, TW_BF16 } };
    (void)state;
    for (int target = TW_PTO_A2A3; target <= TW_PTO_A5; target++)
        for (int t = 0; t < 4; t++) {
            enum { M = 32, K = 64, N = 64 };
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tile ma = tw_pto_tile_of(TW_PTO_MAT, types[t].a, M, K),
                        mb = tw_pto_tile_of(TW_PTO_MAT, types[t].a, K, N),
                        c = tw_pto_tile_of(TW_PTO_ACC, types[t].c, M, N);
            ma.slayout = mb.slayout = c.slayout = TW_PTO_BOX_ROW;
            ma.blayout = mb.blayout = c.blayout = TW_PTO_COL_MAJOR;
            c.fractal = 1024;
            tw_pto_tile a = ma, b = mb, bias = tw_pto_tile_of(TW_PTO_BIAS, types[t].c, 1, N);
            a.location = TW_PTO_LEFT;
            a.blayout = target == TW_PTO_A2A3 ? TW_PTO_ROW_MAJOR : TW_PTO_COL_MAJOR;
            b.location = TW_PTO_RIGHT;
            b.blayout = TW_PTO_ROW_MAJOR;
            b.slayout = TW_PTO_BOX_COL;
            a.valid_rows = ma.valid_rows = 29;
            c.valid_rows = 29;
            fill(core, &ma, 9);
            fill(core, &mb, 9);
            fill(core, &bias, 9);
            OK(CALL(core, "tmov", NULL, TILE(&a), TILE(&ma)));
            OK(CALL(core, "tmov", NULL, TILE(&b), TILE(&mb)));
            OK(CALL(core, "tmatmul", NULL, TILE(&c), TILE(&a), TILE(&b)));
            OK(CALL(core, "tmatmul.acc", NULL, TILE(&c), TILE(&c), TILE(&a), TILE(&b)));
            tw_pto_tile d = c;
            d.place = 0;
            OK(CALL(core, "tmatmul.bias", NULL, TILE(&d), TILE(&a), TILE(&b), TILE(&bias)));
            for (uint32_t i = 0; i < M; i++)
                for (uint32_t j = 0; j < N; j++) {
                    double sum = 0;
                    for (uint32_t k = 0; k < K; k++) sum += get(core, &ma, i, k) * get(core, &mb, k, j);
                    assert_true(get(core, &c, i, j) == (i < 29 ? 2 * sum : 0));
                    if (i < 29) assert_true(get(core, &d, i, j) == sum + get(core, &bias, 0, j));
                }
            tw_pto_tile wrong = a;
            wrong.blayout ^= 1;
            wrong.place = 0;
            if (target == TW_PTO_A2A3)
                REFUSED(CALL(core, "tmatmul", NULL, TILE(&c), TILE(&wrong), TILE(&b)), "layout.cube", "a2a3");
            REFUSED(CALL(core, "tmatmul", NULL, TILE(&ma), TILE(&a), TILE(&b)), "location.acc",
                    tw_pto_target_name((tw_pto_target)target));
            if (types[t].c == TW_F32) { /* f32 accumulators leave as f16, relu first */
                uint16_t out[29 * N];
                tw_pto_tensor g = tw_pto_tensor_of(out, TW_F16, 29, N, TW_PTO_ND);
                tw_pto_attrs relu = { .relu = 1 };
                OK(CALL(core, "tstore", &relu, TENSOR(&g), TILE(&c)));
                assert_true(tw_f16_to_f32(out[5 * N + 7]) == fmax(get(core, &c, 5, 7), 0));
                int8_t bytes[29 * N];
                g = tw_pto_tensor_of(bytes, TW_I8, 29, N, TW_PTO_ND);
                OK(CALL(core, "tstore", NULL, TENSOR(&g), TILE(&c), SCALAR(tw_pto_f32(0.25f))));
                double q = nearbyint(get(core, &c, 5, 7) * 0.25);
                assert_true(bytes[5 * N + 7] == (q > 127 ? 127 : q < -128 ? -128 : q));
            }
            tw_pto_free(core);
        }
}

static void pto_data_matmul_mx(void **state)
{
    (void)state;
    enum { M = 16, K = 64, N = 16 };
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile a = tw_pto_tile_of(TW_PTO_LEFT, TW_F8E4M3, M, K),
                b = tw_pto_tile_of(TW_PTO_RIGHT, TW_F8E5M2, K, 32), c = tw_pto_tile_of(TW_PTO_ACC, TW_F32, M, 32);
    tw_pto_tile sa = tw_pto_tile_of(TW_PTO_SCALE_LEFT, TW_F8E8M0, M, 32),
                sb = tw_pto_tile_of(TW_PTO_SCALE_RIGHT, TW_F8E8M0, 2, 32);
    b.valid_cols = c.valid_cols = N;
    fill(core, &a, 9);
    fill(core, &b, 5);
    for (uint32_t i = 0; i < 32; i++)
        for (uint32_t g = 0; g < 2; g++) {
            if (i < M) set(core, &sa, i, g, ldexp(1, (int)(i % 3) - (int)g));
            set(core, &sb, g, i, ldexp(1, (int)(i % 2)));
        }
    OK(CALL(core, "tmatmul.mx", NULL, TILE(&c), TILE(&a), TILE(&sa), TILE(&b), TILE(&sb)));
    for (uint32_t i = 0; i < M; i++)
        for (uint32_t j = 0; j < N; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < K; k++)
                sum += get(core, &a, i, k) * ldexp(1, (int)(i % 3) - (int)(k / 32)) * get(core, &b, k, j) *
                       ldexp(1, (int)(j % 2));
            assert_true(get(core, &c, i, j) == sum);
        }
    tw_pto_free(core);
}

static void pto_data_quant(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile a = vec_tile(TW_F32, 4, 32), q = vec_tile(TW_I8, 4, 32), u = vec_tile(TW_U8, 4, 32),
                p = vec_tile(TW_F32, 8, 1), z = p, d = a;
    p.blayout = z.blayout = TW_PTO_COL_MAJOR;
    fill(core, &a, 2000);
    for (uint32_t r = 0; r < 4; r++) set(core, &p, r, 0, 0.125 * (r + 1)), set(core, &z, r, 0, r * 10.0);
    OK(CALL(core, "tquant", NULL, TILE(&q), TILE(&a), TILE(&p)));
    tw_pto_attrs asym = { .quant = 1 };
    OK(CALL(core, "tquant", &asym, TILE(&u), TILE(&a), TILE(&p), TILE(&z)));
    REFUSED(CALL(core, "tquant", &asym, TILE(&q), TILE(&a), TILE(&p)), "quant.offset", "a5");
    OK(CALL(core, "tdequant", NULL, TILE(&d), TILE(&q), TILE(&p), TILE(&z)));
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 32; c++) {
            double x = get(core, &a, r, c) * 0.125 * (r + 1), s = nearbyint(x), t = nearbyint(x + r * 10.0);
            assert_true(get(core, &q, r, c) == (s > 127 ? 127 : s < -128 ? -128 : s));
            assert_true(get(core, &u, r, c) == (t > 255 ? 255 : t < 0 ? 0 : t));
            assert_true(get(core, &d, r, c) == (get(core, &q, r, c) - r * 10.0) * 0.125 * (r + 1));
        }
    tw_pto_tile h = vec_tile(TW_U32, 2, 256), x = vec_tile(TW_U16, 2, 64), idx = vec_tile(TW_U8, 32, 1);
    idx.blayout = TW_PTO_COL_MAJOR;
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t c = 0; c < 64; c++) set(core, &x, r, c, (double)((c % 2) << 8 | (c % 5)));
    set(core, &idx, 1, 0, 1);
    tw_pto_attrs byte = { .byte = 0 };
    OK(CALL(core, "thistogram", &byte, TILE(&h), TILE(&x), TILE(&idx)));
    for (uint32_t b = 0; b < 256; b++) {
        int even = 0, odd = 0;
        for (uint32_t c = 0; c < 64; c++) even += c % 2 == 0 && c % 5 == b, odd += c % 2 && c % 5 == b;
        assert_true(get(core, &h, 0, b) == even && get(core, &h, 1, b) == odd);
    }
    tw_pto_free(core);
}

/* Philox 4x32-10 of Salmon et al.: the published answer for counter and key 0, and the order of the words in a row.
 * */
static void pto_data_random(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile d = vec_tile(TW_U32, 1, 256);
    tw_pto_operand o[7] = { TILE(&d) };
    for (int i = 1; i < 7; i++) o[i] = SCALAR(tw_pto_bits(TW_U32, 0));
    OK(tw_pto_exec(core, tw_pto_op_by_name("TRANDOM"), o, 7, NULL));
    const double want[] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 };
    for (uint32_t w = 0; w < 4; w++) assert_true(get(core, &d, 0, 64 * w) == want[w]);
    tw_pto_free(core);
}

static void pto_data_rows(void **state)
{
    (void)state;
    check_rows_reached("data");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_data_load_store),  cmocka_unit_test(pto_data_store_repeated),
        cmocka_unit_test(pto_data_valid_unset), cmocka_unit_test(pto_data_load_rules),
        cmocka_unit_test(pto_data_pads),        cmocka_unit_test(pto_data_moves),
        cmocka_unit_test(pto_data_gather),      cmocka_unit_test(pto_data_tables),
        cmocka_unit_test(pto_data_sort),        cmocka_unit_test(pto_data_reduce),
        cmocka_unit_test(pto_data_expand),      cmocka_unit_test(pto_data_matmul),
        cmocka_unit_test(pto_data_matmul_mx),   cmocka_unit_test(pto_data_quant),
        cmocka_unit_test(pto_data_random),      cmocka_unit_test(pto_data_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
