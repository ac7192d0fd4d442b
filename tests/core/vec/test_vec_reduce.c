/* SPDX-License-Identifier: MIT */
/* Reductions against loops that follow the stated order, the places of extremes, and whole views over any axes. */
#include "check.h"
#include <math.h>

enum { LONGEST = 5000 };

static float floats[LONGEST];

/* The tree of tw_fold_order, as its definition reads: no blocks of vectors, no counters. */
static float lanes(const float *x, size_t n)
{
    float lane[16];
    size_t used = n < 16 ? n : 16;
    for (size_t l = 0; l < used; l++) {
        lane[l] = x[l];
        for (size_t i = l + 16; i < n; i += 16) lane[l] += x[i];
    }
    for (size_t half = 8; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            if (l + half < used) lane[l] += lane[l + half];
    return lane[0];
}

/* Blocks joined as a binary counter carries: the largest power of two of blocks on the left. */
static float tree(const float *x, size_t n)
{
    size_t blocks = (n + 1023) / 1024, left = 1;
    if (blocks == 1) return lanes(x, n);
    while (2 * left < blocks) left *= 2;
    return tree(x, left * 1024) + tree(x + left * 1024, n - left * 1024);
}

static void vec_reduce_sums(void **state)
{
    (void)state;
    static const size_t lengths[] = { 1, 2, 15, 16, 17, 100, 1023, 1024, 1025, 2048, 3000, 3072, 5000 };
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int level = 0; level < TW__LEVELS; level++)
            for (int variant = 0; variant < 4; variant++) {
                size_t n = lengths[l];
                tw_vec_mode mode = { .fold = variant & 1 ? TW_FOLD_TREE : TW_FOLD_INDEX,
                                     .accumulate = variant / 2 };
                tw_vec_kernel k;
                float start = 0.75f, got = start, want = 0;
                if (!tw__level_of(level)) continue;
                for (size_t i = 0; i < n; i++) floats[i] = (float)(int64_t)random_bits() * 0x1p-50f;
                OK(tw__vec_resolve_at(level, TW_VEC_SUM, (const tw_type[]){ TW_F32, TW_F32 }, &mode, &k));
                tw_vec_call(&k, n, (const tw_run[]){ { &got, 0, 0 }, { floats, 4, 0 } });
                if (variant & 1) {
                    want = tree(floats, n);
                    if (variant / 2) want = start + want;
                } else {
                    want = variant / 2 ? start : 0;
                    for (size_t i = 0; i < n; i++) want += floats[i];
                }
                if (memcmp(&want, &got, 4))
                    fail_msg("n %zu level %d variant %d: %a, not %a", n, level, variant, got, want);
                static float spread[3 * LONGEST]; /* strided: the same bits */
                for (size_t i = 0; i < n; i++) spread[3 * (n - 1 - i)] = floats[i];
                float again = start;
                tw_vec_call(&k, n, (const tw_run[]){ { &again, 0, 0 }, { spread + 3 * (n - 1), -12, 0 } });
                assert_memory_equal(&again, &got, 4);
            }
}

static void vec_reduce_types(void **state)
{
    (void)state;
    enum { N = 700 };
    static unsigned char x[N * 8];
    static const tw_vec_op ops[] = { TW_VEC_SUM, TW_VEC_PROD, TW_VEC_SQUARE_ADD, TW_VEC_LOWEST, TW_VEC_HIGHEST };
    for (int trial = 0; trial < 4000; trial++) {
        tw_type t = real_types[random_bits() % 8]; /* integers */
        tw_vec_op op = ops[random_bits() % 5];
        size_t n = 1 + random_bits() % N, size = tw_type_size(t);
        bool wide = op < TW_VEC_LOWEST && random_bits() % 2;
        tw_type to = wide ? TW_I64 : t;
        int level = (int)(random_bits() % TW__LEVELS);
        if (!tw__level_of(level)) continue;
        tw_vec_kernel k;
        random_elements(t, n, x);
        OK(tw__vec_resolve_at(level, op, (const tw_type[]){ to, t }, NULL, &k));
        uint64_t got = 0, want = op == TW_VEC_PROD;
        tw_vec_call(&k, n, (const tw_run[]){ { &got, 0, 0 }, { x, (ptrdiff_t)size, 0 } });
        for (size_t i = 0; i < n; i++) {
            int64_t v = 0;
            memcpy(&v, x + i * size, size);
            if (tw_type_get(t)->is_signed) v = (int64_t)((uint64_t)v << (64 - 8 * size)) >> (64 - 8 * size);
            bool less = tw_type_get(t)->is_signed ? v < (int64_t)want : (uint64_t)v < want;
            if (op == TW_VEC_SUM) want += (uint64_t)v;
            if (op == TW_VEC_PROD) want *= (uint64_t)v;
            if (op == TW_VEC_SQUARE_ADD) want += (uint64_t)v * (uint64_t)v;
            if (op == TW_VEC_LOWEST && (i == 0 || less)) want = (uint64_t)v;
            if (op == TW_VEC_HIGHEST && (i == 0 || !less)) want = (uint64_t)v;
        }
        assert_memory_equal(&got, &want, tw_type_size(to));
    }
}

/* Halves accumulate in f32 and narrow once: 2048 ones and more are counted right. */
static void vec_reduce_halves(void **state)
{
    (void)state;
    static uint16_t ones[3000];
    uint16_t h;
    float f;
    tw_vec_kernel k;
    for (int i = 0; i < 3000; i++) ones[i] = 0x3c00;
    OK(tw_vec_resolve(TW_VEC_SUM, (const tw_type[]){ TW_F16, TW_F16 }, NULL, &k));
    tw_vec_call(&k, 3000, (const tw_run[]){ { &h, 0, 0 }, { ones, 2, 0 } });
    assert_int_equal(h, tw_f32_to_f16(3000, TW_ROUND_NEAREST_EVEN, 0));
    tw_vec_mode more = { .accumulate = true };
    OK(tw_vec_resolve(TW_VEC_SUM, (const tw_type[]){ TW_F16, TW_F16 }, &more, &k));
    tw_vec_call(&k, 500, (const tw_run[]){ { &h, 0, 0 }, { ones, 2, 0 } });
    assert_int_equal(h, tw_f32_to_f16(3500, TW_ROUND_NEAREST_EVEN, 0));
    OK(tw_vec_resolve(TW_VEC_SUM, (const tw_type[]){ TW_F32, TW_F16 }, NULL, &k));
    tw_vec_call(&k, 3000, (const tw_run[]){ { &f, 0, 0 }, { ones, 2, 0 } });
    assert_true(f == 3000);
    tw_vec_call(&k, 0, (const tw_run[]){ { &f, 0, 0 }, { ones, 2, 0 } });
    assert_true(f == 0);
}

/* NaN rules and signs of zero, at every length around the lanes. */
static void vec_reduce_extremes(void **state)
{
    (void)state;
    for (int trial = 0; trial < 20000; trial++) {
        float x[40], low = 0, high = 0;
        size_t n = 1 + random_bits() % 40, lowest = 0, highest = 0;
        tw_nan_rule rule = (tw_nan_rule)(random_bits() % 3);
        bool seen = false, nan = false, any_order = rule != TW_NAN_FIRST;
        for (size_t i = 0; i < n; i++) {
            static const float values[] = { 0, -0.0f, 1, -1, 5, -5, NAN };
            x[i] = values[random_bits() % (trial % 2 ? 7 : 6)];
            nan |= isnan(x[i]);
        }
        for (size_t i = 0; i < n && any_order; i++) {
            if (isnan(x[i])) continue;
            if (!seen || x[i] < low) low = x[i], lowest = i;
            if (!seen || x[i] > high) high = x[i], highest = i;
            if (x[i] == low && signbit(x[i])) low = x[i];
            if (x[i] == high && !signbit(x[i])) high = x[i];
            seen = true;
        }
        if (any_order && (!seen || (nan && rule == TW_NAN_PROPAGATE))) low = high = NAN;
        if (any_order && nan && rule == TW_NAN_PROPAGATE)
            for (lowest = 0; !isnan(x[lowest]); lowest++) highest = lowest + 1;
        if (any_order && nan && rule == TW_NAN_PROPAGATE) highest = lowest;
        if (!any_order) {
            low = high = x[0];
            for (size_t i = 1; i < n; i++) {
                if (x[i] < low) low = x[i], lowest = i;
                if (high < x[i]) high = x[i], highest = i;
            }
        }
        static const tw_vec_op ops[] = { TW_VEC_LOWEST, TW_VEC_HIGHEST, TW_VEC_ARGMIN, TW_VEC_ARGMAX };
        float spread[80];
        for (size_t i = 0; i < n; i++) spread[2 * i] = x[i];
        for (int o = 0; o < 4; o++)
            for (int level = 0; level < TW__LEVELS; level++)
                for (int stride = 4; stride <= 8; stride += 4) {
                    tw_vec_mode mode = { .nan = rule };
                    tw_vec_kernel k;
                    uint32_t got, want;
                    if (!tw__level_of(level)) continue;
                    OK(tw__vec_resolve_at(level, ops[o], (const tw_type[]){ o < 2 ? TW_F32 : TW_U32, TW_F32 },
                                          &mode, &k));
                    tw_vec_call(&k, n, (const tw_run[]){ { &got, 0, 0 }, { stride == 4 ? x : spread, stride, 0 } });
                    float value = o == 0 ? low : high;
                    if (isnan(value)) value = __builtin_nanf("");
                    memcpy(&want, &value, 4);
                    if (o >= 2) want = (uint32_t)(o == 2 ? lowest : highest);
                    if (got != want)
                        fail_msg("trial %d op %d rule %d level %d n %zu: %x, not %x", trial, o, rule, level, n, got,
                                 want);
                }
    }
}

static void vec_reduce_places(void **state)
{
    (void)state;
    static int16_t x[LONGEST];
    static uint16_t halves[LONGEST];
    for (int trial = 0; trial < 300; trial++) {
        size_t n = 1 + random_bits() % LONGEST, want = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = (int16_t)(random_bits() % 2000);
            tw_type_store(TW_F16, &halves[i], x[i]);
            if (x[i] > x[want]) want = i;
        }
        int64_t place;
        uint16_t small = 0;
        tw_vec_kernel k;
        OK(tw_vec_resolve(TW_VEC_ARGMAX, (const tw_type[]){ TW_I64, TW_I16 }, NULL, &k));
        tw_vec_call(&k, n, (const tw_run[]){ { &place, 0, 0 }, { x, 2, 0 } });
        assert_int_equal(place, want);
        OK(tw_vec_resolve(TW_VEC_ARGMAX, (const tw_type[]){ TW_U16, TW_F16 }, NULL, &k)); /* in blocks, converted */
        tw_vec_call(&k, n, (const tw_run[]){ { &small, 0, 0 }, { halves, 2, 0 } });
        assert_int_equal(small, want);
    }
}

static void vec_reduce_truth(void **state)
{
    (void)state;
    int32_t x[] = { 4, 256, 0, 1 };
    bool b[] = { true, true, false }, r;
    tw_vec_kernel all, any;
    OK(tw_vec_resolve(TW_VEC_ALL, (const tw_type[]){ TW_BOOL, TW_I32 }, NULL, &all));
    OK(tw_vec_resolve(TW_VEC_ANY, (const tw_type[]){ TW_BOOL, TW_BOOL }, NULL, &any));
    static const struct {
        size_t n;
        bool all;
    } rows[] = { { 0, true }, { 2, true }, { 3, false } };
    for (size_t i = 0; i < 3; i++) {
        tw_vec_call(&all, rows[i].n, (const tw_run[]){ { &r, 0, 0 }, { x, 4, 0 } });
        assert_int_equal(r, rows[i].all);
    }
    tw_vec_call(&any, 3, (const tw_run[]){ { &r, 0, 0 }, { b, 1, 0 } });
    assert_true(r);
    tw_vec_call(&any, 1, (const tw_run[]){ { &r, 0, 0 }, { &b[2], 1, 0 } });
    assert_false(r);
}

/* Any subset of the axes of a view of rank 3 with permuted strides. */
static void vec_reduce_axes(void **state)
{
    (void)state;
    static int32_t memory[4 * 5 * 6], out[120];
    for (unsigned i = 0; i < 120; i++) memory[i] = (int32_t)(random_bits() % 1000);
    for (unsigned axes = 0; axes < 8; axes++) {
        tw_view src, dst;
        OK(tw_view_init(&src, memory, TW_I32, 3, (const size_t[]){ 4, 5, 6 }));
        OK(tw_view_permute(&src, (const unsigned[]){ 2, 0, 1 })); /* 6 x 4 x 5 */
        size_t shape[3], rank = 0;
        for (unsigned d = 0; d < 3; d++)
            if (!(axes >> d & 1)) shape[rank++] = src.extent[d];
        OK(tw_view_init(&dst, out, TW_I32, (unsigned)rank, shape));
        tw_vec_kernel k;
        OK(tw_vec_resolve(TW_VEC_SUM, (const tw_type[]){ TW_I32, TW_I32 }, NULL, &k));
        OK(tw_vec_reduce(&k, &dst, &src, axes, anywhere));
        int32_t want[120] = { 0 };
        for (size_t a = 0; a < 6; a++)
            for (size_t b = 0; b < 4; b++)
                for (size_t c = 0; c < 5; c++) {
                    size_t at = 0, index[] = { a, b, c };
                    for (unsigned d = 0; d < 3; d++)
                        if (!(axes >> d & 1)) at = at * src.extent[d] + index[d];
                    want[at] += memory[b * 30 + c * 6 + a];
                }
        assert_memory_equal(out, want, tw_view_count(&dst) * 4);
        tw_window small = { memory, sizeof memory - 1 };
        assert_int_equal(tw_vec_reduce(&k, &dst, &src, axes, small), TW_E_INDEX);
        assert_int_equal(tw_vec_reduce(&k, &dst, &src, axes | 8, anywhere), TW_E_INVALID_ARGUMENT);
    }
}

/* Folding many columns at once gives each of them the bits it gets alone. */
static void vec_reduce_columns(void **state)
{
    (void)state;
    enum { ROWS = 13, COLUMNS = 530 };
    static const tw_vec_op ops[] = { TW_VEC_SUM, TW_VEC_PROD, TW_VEC_SQUARE_ADD, TW_VEC_LOWEST, TW_VEC_HIGHEST };
    static unsigned char x[ROWS * COLUMNS * 8], got[COLUMNS * 8], want[COLUMNS * 8];
    for (int trial = 0; trial < 600; trial++) {
        tw_type t = real_types[trial % REAL_TYPES];
        tw_vec_mode mode = { .accumulate = trial / 60 % 2, .nan = (tw_nan_rule)(random_bits() % 3) };
        ptrdiff_t size = (ptrdiff_t)tw_type_size(t);
        tw_vec_kernel k;
        tw_view src, dst;
        OK(tw_vec_resolve(ops[trial / REAL_TYPES % 5], (const tw_type[]){ t, t }, &mode, &k));
        assert_non_null(k.own.across);
        random_elements(t, ROWS * COLUMNS, x);
        random_elements(t, COLUMNS, got);
        memcpy(want, got, sizeof want);
        OK(tw_view_init(&src, x, t, 2, (const size_t[]){ ROWS, COLUMNS }));
        OK(tw_view_init(&dst, got, t, 1, (const size_t[]){ COLUMNS }));
        if (trial % 2) OK(tw_view_reverse(&src, 1));
        OK(tw_vec_reduce(&k, &dst, &src, 1, anywhere));
        for (ptrdiff_t j = 0; j < COLUMNS; j++) {
            tw_run runs[] = { { want + j * size, 0, 0 },
                              { (char *)src.base + j * src.stride[1], src.stride[0], 0 } };
            tw_vec_call(&k, ROWS, runs);
        }
        if (memcmp(got, want, (size_t)size * COLUMNS)) fail_msg("%s %d", tw_vec_op_name(k.op), (int)t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_reduce_sums),   cmocka_unit_test(vec_reduce_types),
        cmocka_unit_test(vec_reduce_halves), cmocka_unit_test(vec_reduce_extremes),
        cmocka_unit_test(vec_reduce_places), cmocka_unit_test(vec_reduce_truth),
        cmocka_unit_test(vec_reduce_axes),   cmocka_unit_test(vec_reduce_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
