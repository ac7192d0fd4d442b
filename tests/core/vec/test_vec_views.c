/* SPDX-License-Identifier: MIT */
/* Operations on whole views: apply, copies and transposes, gather and scatter, sort, iota, matrix products. Each
 * against loops over elements. */
#include "check.h"
#include <math.h>

static unsigned char memory[1 << 15], copy[1 << 15];

static void fill_memory(void)
{
    for (size_t i = 0; i < sizeof memory; i += 8) memcpy(memory + i, (uint64_t[]){ random_bits() }, 8);
}

static char *address(const tw_view *v, size_t i)
{
    char *at = v->base;
    for (unsigned d = v->rank; d-- > 0;) {
        at += (ptrdiff_t)(i % v->extent[d]) * v->stride[d];
        i /= v->extent[d];
    }
    return at;
}

/* A view of the given extents in memory from `base` on whose elements do not overlap: any order of dimensions, any
 * signs, gaps. */
static tw_view scattered(unsigned char *base, tw_type type, unsigned rank, const size_t *extents)
{
    unsigned order[TW_VIEW_RANK];
    tw_view v = { .type = type, .rank = rank };
    ptrdiff_t step =
        (ptrdiff_t)tw_type_size(type) + (ptrdiff_t)(random_bits() % 2) * (ptrdiff_t)(random_bits() % 3);
    for (unsigned d = 0; d < rank; d++) order[d] = d;
    for (unsigned d = rank; d-- > 1;) {
        unsigned other = (unsigned)(random_bits() % (d + 1)), t = order[d];
        order[d] = order[other];
        order[other] = t;
    }
    for (unsigned i = 0; i < rank; i++) {
        unsigned d = order[i];
        v.extent[d] = extents[d];
        v.stride[d] = random_bits() % 2 ? step : -step;
        if (v.stride[d] < 0 && extents[d] > 0) base += step * (ptrdiff_t)(extents[d] - 1);
        step *= (ptrdiff_t)extents[d] + (ptrdiff_t)(random_bits() % 2);
    }
    v.base = base;
    return v;
}

static void vec_views_copy(void **state)
{
    (void)state;
    static const tw_type types[] = { TW_I8, TW_F16, TW_F32, TW_F64, TW_CI64, TW_CACC80 };
    for (int trial = 0; trial < 2000; trial++) {
        tw_type t = types[random_bits() % 6];
        size_t extents[TW_VIEW_RANK], size = tw_type_size(t), count = 1;
        unsigned rank = (unsigned)(random_bits() % 5);
        for (unsigned d = 0; d < rank; d++)
            count *= extents[d] = random_bits() % (rank > 2 ? 4 : rank == 2 ? 20 : 40);
        fill_memory();
        tw_view src = scattered(memory, t, rank, extents),
                dst = scattered(memory + sizeof memory / 2, t, rank, extents);
        memcpy(copy, memory, sizeof memory);
        for (size_t i = 0; i < count; i++)
            memcpy(copy + (address(&dst, i) - (char *)memory), address(&src, i), size);
        OK(tw_vec_copy_view(&dst, &src, (tw_window){ memory, sizeof memory }));
        assert_memory_equal(memory, copy, sizeof memory);
    }
    tw_view a = tw_view_1d(memory, TW_F32, 4, 4), b = tw_view_1d(memory + 100, TW_F32, 5, 4),
            c = tw_view_1d(memory + 100, TW_F64, 4, 8);
    assert_int_equal(tw_vec_copy_view(&a, &b, anywhere), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_vec_copy_view(&a, &c, anywhere), TW_E_TYPE);
    assert_int_equal(tw_vec_copy_view(&a, &a, (tw_window){ memory, 15 }), TW_E_INDEX);
}

/* A kernel over views of unlike strides, with one element repeated. */
static void vec_views_apply(void **state)
{
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        size_t extents[3], count = 1;
        unsigned rank = (unsigned)(random_bits() % 4);
        for (unsigned d = 0; d < rank; d++) count *= extents[d] = random_bits() % 6;
        fill_memory();
        tw_view args[] = { scattered(memory, TW_I32, rank, extents),
                           scattered(memory + 8000, TW_I32, rank, extents),
                           scattered(memory + 16000, TW_I32, rank, extents) };
        if (random_bits() % 3 == 0) args[2] = tw_view_scalar(memory + 17000, TW_I32);
        memcpy(copy, memory, sizeof memory);
        for (size_t i = 0; i < count; i++) {
            uint32_t a, b;
            memcpy(&a, address(&args[1], i), 4);
            memcpy(&b, address(&args[2], args[2].rank ? i : 0), 4);
            if (args[2].rank == 0) memcpy(&b, args[2].base, 4);
            a -= b;
            memcpy(copy + (address(&args[0], i) - (char *)memory), &a, 4);
        }
        tw_vec_kernel k;
        OK(tw_vec_resolve(TW_VEC_SUB, (const tw_type[]){ TW_I32, TW_I32, TW_I32 }, NULL, &k));
        OK(tw_vec_apply(&k, args, (tw_window){ memory, sizeof memory }, NULL));
        assert_memory_equal(memory, copy, sizeof memory);
    }
}

static void vec_views_apply_errors(void **state)
{
    (void)state;
    int32_t a[12], b[12] = { 1, 2, 3, 4, 5, 6, 7, 0 };
    tw_view args[3];
    tw_vec_kernel k;
    size_t fault = 99;
    for (int i = 0; i < 12; i++) a[i] = 100;
    OK(tw_vec_resolve(TW_VEC_DIV, (const tw_type[]){ TW_I32, TW_I32, TW_I32 }, NULL, &k));
    OK(tw_view_init(&args[0], a, TW_I32, 2, (const size_t[]){ 3, 4 }));
    args[1] = args[0];
    OK(tw_view_init_strided(&args[2], b, TW_I32, 2, (const size_t[]){ 3, 4 }, (const ptrdiff_t[]){ 4, 8 }));
    assert_int_equal(tw_vec_apply(&k, args, anywhere, &fault), TW_E_OVERFLOW);
    assert_int_equal(fault, 7); /* row 1, column 3: b[1 + 6] */
    assert_int_equal(a[6], 100 / 6);
    assert_int_equal(a[7], 100);
    assert_int_equal(tw_vec_apply(&k, args, (tw_window){ a, sizeof a }, NULL), TW_E_INDEX);
    args[2] = tw_view_1d(b, TW_I32, 5, 4);
    assert_int_equal(tw_vec_apply(&k, args, anywhere, NULL), TW_E_INVALID_ARGUMENT);
    args[2] = tw_view_1d(b, TW_I16, 12, 2);
    assert_int_equal(tw_vec_apply(&k, args, anywhere, NULL), TW_E_TYPE);
}

/* Every row of a mask starts a new byte. */
static void vec_views_mask_rows(void **state)
{
    (void)state;
    float x[3][11], zero = 0, picked[3][11];
    unsigned char mask[3][4];
    for (int i = 0; i < 33; i++) x[i / 11][i % 11] = (float)((int)(random_bits() % 7) - 3);
    memset(mask, 0xff, sizeof mask);
    tw_view args[4];
    tw_vec_mode mode = { .bits = true };
    tw_vec_kernel k;
    OK(tw_view_init(&args[0], mask, TW_U8, 2, (const size_t[]){ 3, 4 }));
    OK(tw_view_init(&args[1], x, TW_F32, 2, (const size_t[]){ 3, 11 }));
    args[2] = tw_view_scalar(&zero, TW_F32);
    OK(tw_vec_resolve(TW_VEC_GT, (const tw_type[]){ TW_U8, TW_F32, TW_F32 }, &mode, &k));
    OK(tw_vec_apply(&k, args, anywhere, NULL));
    for (int r = 0; r < 3; r++)
        for (int b = 0; b < 32; b++) assert_int_equal(mask[r][b / 8] >> b % 8 & 1, b < 11 ? x[r][b] > 0 : 1);
    tw_view select[4] = { args[1], args[0], args[1], args[2] };
    select[0].base = picked;
    OK(tw_vec_resolve(TW_VEC_SELECT, (const tw_type[]){ TW_F32, TW_U8, TW_F32, TW_F32 }, &mode, &k));
    OK(tw_vec_apply(&k, select, anywhere, NULL));
    for (int i = 0; i < 33; i++)
        assert_true(picked[i / 11][i % 11] == (x[i / 11][i % 11] > 0 ? x[i / 11][i % 11] : 0));
    args[0].extent[1] = 1;
    OK(tw_vec_resolve(TW_VEC_GT, (const tw_type[]){ TW_U8, TW_F32, TW_F32 }, &mode, &k));
    assert_int_equal(tw_vec_apply(&k, args, anywhere, NULL), TW_E_INVALID_ARGUMENT);
}

static void vec_views_gather_scatter(void **state)
{
    (void)state;
    static const int16_t index[] = { 3, 0, -1, 5, 4, 17, -6, 2 };
    /* What each rule makes of them in a table of 5: place, or -1 = zero / nothing. */
    static const int place[][8] = { [TW_BOUNDS_CLAMP] = { 3, 0, 0, 4, 4, 4, 0, 2 },
                                    [TW_BOUNDS_WRAP] = { 3, 0, 4, 0, 4, 2, 4, 2 },
                                    [TW_BOUNDS_SKIP] = { 3, 0, -1, -1, 4, -1, -1, 2 } };
    for (int rule = TW_BOUNDS_CLAMP; rule <= TW_BOUNDS_SKIP; rule++) {
        uint32_t table[] = { 10, 11, 12, 13, 14 }, got[8], back[] = { 0, 0, 0, 0, 0 }, want[] = { 0, 0, 0, 0, 0 },
                 sums[5] = { 0 };
        tw_vec_mode mode = { .bounds = (tw_bounds_rule)rule };
        tw_vec_kernel gather, scatter, add;
        OK(tw_vec_resolve(TW_VEC_GATHER, (const tw_type[]){ TW_U32, TW_I16, TW_U32 }, &mode, &gather));
        OK(tw_vec_resolve(TW_VEC_SCATTER, (const tw_type[]){ TW_U32, TW_I16, TW_U32 }, &mode, &scatter));
        OK(tw_vec_resolve(TW_VEC_SCATTER_ADD, (const tw_type[]){ TW_U32, TW_I16, TW_U32 }, &mode, &add));
        assert_int_equal(
            tw_vec_call(&gather, 8,
                        (const tw_run[]){ { got, 4, 0 }, { (void *)(uintptr_t)index, 2, 0 }, { table, 4, 5 } }),
            8);
        uint32_t values[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
        tw_vec_call(&scatter, 8,
                    (const tw_run[]){ { back, 4, 5 }, { (void *)(uintptr_t)index, 2, 0 }, { values, 4, 0 } });
        memset(sums, 0, sizeof sums);
        tw_vec_call(&add, 8,
                    (const tw_run[]){ { sums, 4, 5 }, { (void *)(uintptr_t)index, 2, 0 }, { values, 4, 0 } });
        uint32_t want_sums[5] = { 0 };
        for (int i = 0; i < 8; i++) {
            int p = place[rule][i];
            assert_int_equal(got[i], p < 0 ? 0 : table[p]);
            if (p >= 0) want[p] = values[i], want_sums[p] += values[i];
        }
        assert_memory_equal(back, want, sizeof want);
        assert_memory_equal(sums, want_sums, sizeof sums);
    }
    tw_vec_kernel k;
    uint8_t got[8] = { 0 }, table[] = { 1, 2, 3, 4 };
    OK(tw_vec_resolve(TW_VEC_GATHER, (const tw_type[]){ TW_U8, TW_I16, TW_U8 }, NULL, &k));
    assert_int_equal(
        tw_vec_call(&k, 8, (const tw_run[]){ { got, 1, 0 }, { (void *)(uintptr_t)index, 2, 0 }, { table, 1, 4 } }),
        2);
    assert_int_equal(got[1], 1);
    assert_int_equal(got[2], 0);
    tw_view args[] = { tw_view_1d(got, TW_U8, 8, 1), tw_view_1d((void *)(uintptr_t)index, TW_I16, 8, 2),
                       tw_view_1d(table, TW_U8, 4, 1) };
    size_t fault;
    assert_int_equal(tw_vec_apply(&k, args, anywhere, &fault), TW_E_OVERFLOW);
    assert_int_equal(fault, 2);
    /* Halves add with one rounding each, and extremes follow the NaN rule. */
    uint16_t cell[] = { 0x6800, 0x7e00 }, one[] = { 0x3c00, 0x3c00 };
    uint8_t at[] = { 0, 1 };
    OK(tw_vec_resolve(TW_VEC_SCATTER_ADD, (const tw_type[]){ TW_F16, TW_U8, TW_F16 }, NULL, &k));
    tw_vec_call(&k, 1, (const tw_run[]){ { cell, 2, 2 }, { at, 1, 0 }, { one, 2, 0 } });
    assert_int_equal(cell[0], 0x6800);
    OK(tw_vec_resolve(TW_VEC_SCATTER_MAX, (const tw_type[]){ TW_F16, TW_U8, TW_F16 }, NULL, &k));
    tw_vec_call(&k, 2, (const tw_run[]){ { cell, 2, 2 }, { at, 1, 0 }, { one, 2, 0 } });
    assert_int_equal(cell[0], 0x6800);
    assert_int_equal(cell[1], 0x3c00);
}

static int compare_keys(double a, double b, bool descending)
{
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return a == b ? 0 : (a > b) == descending ? -1 : 1;
}

static void vec_views_sort(void **state)
{
    (void)state;
    enum { N = 300 };
    static unsigned char keys[2][2 * N * 8], old[2][2 * N * 8];
    static uint32_t values[2][N];
    for (int trial = 0; trial < 300; trial++) {
        tw_type t = real_types[trial % REAL_TYPES];
        size_t n = random_bits() % N, size = tw_type_size(t), step = size * (1 + random_bits() % 2);
        bool descending = random_bits() % 2;
        for (int r = 0; r < 2; r++)
            for (size_t i = 0; i < n; i++) {
                if (size == 8 && tw_type_get(t)->kind != TW_KIND_FLOAT)
                    tw_type_store(t, keys[r] + i * step, (double)(random_bits() % 100)); /* exact as a double */
                else
                    random_element(t, keys[r] + i * step);
                values[r][i] = (uint32_t)i;
            }
        memcpy(old, keys, sizeof keys);
        tw_view k, v;
        OK(tw_view_init_strided(&k, keys, t, 2, (const size_t[]){ 2, n },
                                (const ptrdiff_t[]){ sizeof keys[0], (ptrdiff_t)step }));
        OK(tw_view_init_strided(&v, values, TW_U32, 2, (const size_t[]){ 2, n },
                                (const ptrdiff_t[]){ sizeof values[0], 4 }));
        OK(tw_vec_sort(&k, &v, descending, anywhere));
        for (int r = 0; r < 2; r++) {
            bool seen[N] = { false };
            for (size_t i = 0; i < n; i++) {
                assert_in_range(values[r][i], 0, n - 1);
                assert_false(seen[values[r][i]]);
                seen[values[r][i]] = true;
                assert_memory_equal(keys[r] + i * step, old[r] + values[r][i] * step, size);
                if (i == 0) continue;
                int order = compare_keys(tw_type_load(t, keys[r] + (i - 1) * step),
                                         tw_type_load(t, keys[r] + i * step), descending);
                assert_true(order < 0 || (order == 0 && values[r][i - 1] < values[r][i]));
            }
        }
    }
    tw_view complex_keys = tw_view_1d(memory, TW_CF32, 4, 8), scalar = tw_view_scalar(memory, TW_F32);
    assert_int_equal(tw_vec_sort(&complex_keys, NULL, false, anywhere), TW_E_TYPE);
    assert_int_equal(tw_vec_sort(&scalar, NULL, false, anywhere), TW_E_INVALID_ARGUMENT);
}

static void vec_views_iota(void **state)
{
    (void)state;
    static int16_t got[1000];
    static uint16_t halves[600];
    int16_t start = 32000, step = -7;
    tw_vec_kernel k;
    OK(tw_vec_resolve(TW_VEC_IOTA, (const tw_type[]){ TW_I16, TW_I16, TW_I16 }, NULL, &k));
    tw_vec_call(&k, 1000, (const tw_run[]){ { &got[999], -2, 0 }, { &start, 0, 0 }, { &step, 0, 0 } });
    for (int i = 0; i < 1000; i++) assert_int_equal(got[999 - i], (int16_t)(32000 - 7 * i));
    float from = 0.5f, by = 0.1f;
    OK(tw_vec_resolve(TW_VEC_IOTA, (const tw_type[]){ TW_F16, TW_F32, TW_F32 }, NULL, &k));
    tw_vec_call(&k, 600, (const tw_run[]){ { halves, 2, 0 }, { &from, 0, 0 }, { &by, 0, 0 } });
    for (int i = 0; i < 600; i++) {
        float product = (float)i * by, want = from + product;
        assert_int_equal(halves[i], tw_f32_to_f16(want, TW_ROUND_NEAREST_EVEN, 0));
    }
}

/* Products against three loops in the order that is promised, bit by bit. */
static void vec_views_matmul(void **state)
{
    (void)state;
    static const struct {
        tw_type c, a, b;
        bool fused;
    } rows[] = {
        { TW_F32, TW_F32, TW_F32, false }, { TW_F32, TW_F32, TW_F32, true },  { TW_F64, TW_F64, TW_F64, false },
        { TW_F64, TW_F64, TW_F64, true },  { TW_F16, TW_F16, TW_F16, false }, { TW_F32, TW_BF16, TW_F16, false },
        { TW_I32, TW_I8, TW_U8, false },   { TW_I64, TW_I32, TW_I16, false }, { TW_F64, TW_F32, TW_F16, true },
    };
    static double a[70 * 300], b[300 * 140];
    static unsigned char am[70 * 300 * 8], bm[300 * 140 * 8], cm[70 * 140 * 8], want[70 * 140 * 8];
    static const size_t shapes[][3] = { { 1, 1, 1 },     { 3, 5, 2 }, { 7, 64, 65 },
                                        { 33, 300, 70 }, { 5, 0, 4 }, { 70, 30, 140 } };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int accumulate = 0; accumulate < 2; accumulate++) {
                size_t m = shapes[s][0], depth = shapes[s][1], n = shapes[s][2];
                tw_type ct = rows[r].c, at = rows[r].a, bt = rows[r].b;
                size_t cs = tw_type_size(ct), as = tw_type_size(at), bs = tw_type_size(bt);
                for (size_t i = 0; i < m * depth; i++) {
                    tw_type_store(at, am + i * as,
                                  ((double)(random_bits() % 2001) - 1000) / (as > 2   ? 1000
                                                                             : as > 1 ? 64
                                                                                      : 8));
                    a[i] = tw_type_load(at, am + i * as);
                }
                for (size_t i = 0; i < depth * n; i++) {
                    tw_type_store(bt, bm + i * bs,
                                  ((double)(random_bits() % 2001) - 1000) / (bs > 2   ? 7
                                                                             : bs > 1 ? 64
                                                                                      : 8));
                    b[i] = tw_type_load(bt, bm + i * bs);
                }
                for (size_t i = 0; i < m * n; i++) tw_type_store(ct, cm + i * cs, (double)(random_bits() % 64) / 4);
                for (size_t i = 0; i < m; i++)
                    for (size_t j = 0; j < n; j++) {
                        double start = accumulate ? tw_type_load(ct, cm + (i * n + j) * cs) : 0, sum = start;
                        float narrow = (float)start;
                        for (size_t k = 0; k < depth; k++) {
                            double x = a[i * depth + k], y = b[k * n + j];
                            float product = (float)(x * y);
                            sum = rows[r].fused ? fma(x, y, sum) : sum + x * y;
                            narrow = rows[r].fused ? fmaf((float)x, (float)y, narrow) : narrow + product;
                        }
                        bool f32 = ct == TW_F32 || ct == TW_F16;
                        tw_type_store(ct, want + (i * n + j) * cs, f32 ? (double)narrow : sum);
                    }
                tw_view c, av, bv;
                OK(tw_view_init(&c, cm, ct, 2, (const size_t[]){ m, n }));
                OK(tw_view_init(&av, am, at, 2, (const size_t[]){ m, depth }));
                OK(tw_view_init(&bv, bm, bt, 2, (const size_t[]){ depth, n }));
                tw_matmul_mode mode = { .accumulate = accumulate, .fused = rows[r].fused };
                OK(tw_vec_matmul(&c, &av, &bv, &mode, anywhere));
                if (memcmp(cm, want, m * n * cs) != 0)
                    fail_msg("row %zu shape %zu accumulate %d", r, s, accumulate);
            }
    tw_view x, y;
    OK(tw_view_init(&x, am, TW_F32, 2, (const size_t[]){ 3, 4 }));
    OK(tw_view_init(&y, bm, TW_F32, 2, (const size_t[]){ 3, 4 }));
    assert_int_equal(tw_vec_matmul(&x, &x, &y, NULL, anywhere), TW_E_INVALID_ARGUMENT);
    y.type = TW_I32;
    OK(tw_view_permute(&y, (const unsigned[]){ 1, 0 }));
    tw_view z = tw_view_1d(cm, TW_F32, 3, 12);
    OK(tw_view_broadcast(&z, 1, 3));
    assert_int_equal(tw_vec_matmul(&z, &x, &y, NULL, anywhere), TW_E_TYPE);
}

/* The levels of this machine are found and can be lowered. */
static void vec_views_levels(void **state)
{
    (void)state;
    assert_non_null(tw__level_of(TW__BASELINE));
    assert_null(tw__level_of(TW__LEVELS));
    assert_null(tw__level_of(-1));
    assert_string_equal(tw_vec_cpu(), tw__level_of(tw__best_level())->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_views_copy),           cmocka_unit_test(vec_views_apply),
        cmocka_unit_test(vec_views_apply_errors),   cmocka_unit_test(vec_views_mask_rows),
        cmocka_unit_test(vec_views_gather_scatter), cmocka_unit_test(vec_views_sort),
        cmocka_unit_test(vec_views_iota),           cmocka_unit_test(vec_views_matmul),
        cmocka_unit_test(vec_views_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
