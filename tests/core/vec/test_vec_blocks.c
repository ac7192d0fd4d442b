/* SPDX-License-Identifier: MIT */
/* Blocks turned in registers, many rows folded at once, elements kept by flags, numbers in a row, NaN in matrix
 * products: each against the plain loop its definition reads as. Operands end where their memory ends, so that a
 * sanitizer sees one byte read or written too far. */
#include "check.h"
#include <math.h>

/* Every other element of 4 bytes, of each level; what lies between stays. */
static void vec_blocks_thin(void **state)
{
    (void)state;
    for (int level = 0; level < TW__LEVELS; level++)
        for (size_t n = 1; tw__level_of(level) && n < 80; n++) {
            uint32_t *wide = malloc((2 * n - 1) * 4), *want = malloc((2 * n - 1) * 4), *dense = malloc(n * 4);
            for (size_t i = 0; i < 2 * n - 1; i++) wide[i] = want[i] = random_bits();
            tw__level_of(level)->thin->pack(n, dense, wide);
            for (size_t i = 0; i < n; i++)
                if (dense[i] != wide[2 * i]) fail_msg("level %d: packed element %zu of %zu", level, i, n);
            for (size_t i = 0; i < n; i++) want[2 * i] = dense[i] = random_bits();
            tw__level_of(level)->thin->unpack(n, wide, dense);
            if (memcmp(wide, want, (2 * n - 1) * 4) != 0) fail_msg("level %d: %zu unpacked", level, n);
            free(wide);
            free(want);
            free(dense);
        }
}

static void vec_blocks_turn(void **state)
{
    (void)state;
    static const size_t extents[] = { 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65 };
    enum { EXTENTS = sizeof extents / sizeof *extents };
    for (int level = 0; level < TW__LEVELS; level++)
        for (unsigned log = 0; tw__level_of(level) && log < 4; log++)
            for (unsigned shape = 0; shape < EXTENTS * EXTENTS; shape++) {
                size_t rows = extents[shape / EXTENTS], columns = extents[shape % EXTENTS], size = (size_t)1 << log;
                size_t gap = size * (random_bits() % 3), sr = columns * size + gap, dr = rows * size + gap;
                size_t from_bytes = (rows - 1) * sr + columns * size, to_bytes = (columns - 1) * dr + rows * size;
                unsigned char *from = malloc(from_bytes), *to = malloc(to_bytes), *want = malloc(to_bytes);
                for (size_t i = 0; i < from_bytes; i++) from[i] = (unsigned char)random_bits();
                for (size_t i = 0; i < to_bytes; i++) to[i] = want[i] = (unsigned char)random_bits();
                for (size_t i = 0; i < rows; i++)
                    for (size_t j = 0; j < columns; j++)
                        memcpy(want + j * dr + i * size, from + i * sr + j * size, size);
                bool up = random_bits() % 2; /* rows from the last to the first, on both sides */
                ptrdiff_t ds = (ptrdiff_t)dr, ss = (ptrdiff_t)sr;
                if (up) {
                    memset(want, 0, to_bytes);
                    memset(to, 0, to_bytes);
                    for (size_t i = 0; i < rows; i++)
                        for (size_t j = 0; j < columns; j++)
                            memcpy(want + (columns - 1 - j) * dr + i * size, from + (rows - 1 - i) * sr + j * size,
                                   size);
                    tw__level_of(level)->turns[log](rows, columns, to + (columns - 1) * dr, -ds,
                                                    from + (rows - 1) * sr, -ss);
                } else {
                    tw__level_of(level)->turns[log](rows, columns, to, ds, from, ss);
                }
                if (memcmp(to, want, to_bytes) != 0)
                    fail_msg("level %d size %zu: %zu x %zu%s", level, size, rows, columns, up ? " upwards" : "");
                free(from);
                free(to);
                free(want);
            }
}

/* Transposes of views: near strides, strides so far apart that lines go through a buffer, elements that no block
 * has. */
static void vec_blocks_copy(void **state)
{
    (void)state;
    static const tw_type types[] = { TW_U8, TW_F16, TW_F32, TW_F64 };
    static const struct {
        size_t rows, columns, pitch;
    } shapes[] = { { 64, 64, 64 }, { 70, 33, 64 }, { 130, 9, 4096 }, { 67, 68, 2048 }, { 2, 2, 2 }, { 1, 5, 8 } };
    for (int trial = 0; trial < 24; trial++) {
        tw_type t = types[trial % 4];
        size_t size = tw_type_size(t), rows = shapes[trial / 4].rows, columns = shapes[trial / 4].columns;
        size_t pitch = shapes[trial / 4].pitch < rows ? rows : shapes[trial / 4].pitch;
        size_t bytes = ((columns - 1) * pitch + rows) * size;
        unsigned char *from = malloc(bytes), *to = malloc(rows * columns * size);
        for (size_t i = 0; i < bytes; i++) from[i] = (unsigned char)random_bits();
        tw_view d, s;
        OK(tw_view_init(&d, to, t, 2, (const size_t[]){ rows, columns }));
        OK(tw_view_init_strided(&s, from, t, 2, (const size_t[]){ rows, columns },
                                (const ptrdiff_t[]){ (ptrdiff_t)size, (ptrdiff_t)(pitch * size) }));
        tw_window all = { to, rows * columns * size };
        if (trial % 2) { /* a window takes the way with checks: they must agree */
            assert_int_equal(tw_vec_copy_view(&d, &s, all), TW_E_INDEX);
        }
        OK(tw_vec_copy_view(&d, &s, anywhere));
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                if (memcmp(to + (i * columns + j) * size, from + (j * pitch + i) * size, size) != 0)
                    fail_msg("%zu x %zu of %zu bytes: element (%zu, %zu)", rows, columns, size, i, j);
        free(from);
        free(to);
    }
}

/* Rows of a matrix folded together give the bits of each folded alone. */
static void vec_blocks_fold_rows(void **state)
{
    (void)state;
    static const tw_vec_op ops[] = { TW_VEC_SUM, TW_VEC_PROD, TW_VEC_SQUARE_ADD, TW_VEC_LOWEST, TW_VEC_HIGHEST };
    for (int trial = 0; trial < 3000; trial++) {
        tw_type t = real_types[random_bits() % REAL_TYPES];
        tw_vec_op op = ops[random_bits() % 5];
        size_t rows = 8 + random_bits() % 70, columns = 1 + random_bits() % 90, size = tw_type_size(t);
        size_t pitch = columns * size + size * (random_bits() % 3);
        bool is_float = tw_type_get(t)->kind == TW_KIND_FLOAT;
        tw_vec_mode mode = { .nan = is_float ? (tw_nan_rule)(random_bits() % 3) : TW_NAN_NUMBER,
                             .accumulate = random_bits() % 2,
                             .flush = is_float && random_bits() % 4 == 0 };
        size_t bytes = (rows - 1) * pitch + columns * size;
        unsigned char *x = malloc(bytes), *got = malloc(rows * size), *want = malloc(rows * size);
        for (size_t i = 0; i < bytes; i++) x[i] = (unsigned char)random_bits();
        for (size_t r = 0; r < rows; r++) random_elements(t, columns, x + r * pitch);
        random_elements(t, rows, got);
        memcpy(want, got, rows * size);
        tw_vec_kernel k;
        OK(tw_vec_resolve(op, (const tw_type[]){ t, t }, &mode, &k));
        tw_view d = tw_view_1d(got, t, rows, (ptrdiff_t)size), s;
        OK(tw_view_init_strided(&s, x, t, 2, (const size_t[]){ rows, columns },
                                (const ptrdiff_t[]){ (ptrdiff_t)pitch, (ptrdiff_t)size }));
        OK(tw_vec_reduce(&k, &d, &s, 1u << 1, anywhere));
        for (size_t r = 0; r < rows; r++) {
            tw_vec_call(&k, columns,
                        (const tw_run[]){ { want + r * size, 0, 0 }, { x + r * pitch, (ptrdiff_t)size, 0 } });
            if (memcmp(got + r * size, want + r * size, size) != 0) {
                print_bits("got", got + r * size, size);
                print_bits("want", want + r * size, size);
                fail_msg("%s of %s, row %zu of %zu x %zu, nan %d accumulate %d flush %d", tw_vec_op_name(op),
                         tw_type_name(t, TW_SYSTEM_TILEWRIGHT), r, rows, columns, mode.nan, mode.accumulate,
                         mode.flush);
            }
        }
        free(x);
        free(got);
        free(want);
    }
}

static void vec_blocks_compress(void **state)
{
    (void)state;
    for (int trial = 0; trial < 4000; trial++) {
        tw_type t = real_types[random_bits() % REAL_TYPES];
        size_t n = random_bits() % 700, size = tw_type_size(t), room = random_bits() % (n + 2), kept = 0;
        size_t gap = random_bits() % 2 + 1;
        int level = (int)(random_bits() % TW__LEVELS);
        if (!tw__level_of(level)) continue;
        unsigned char *x = malloc(n * size * gap + 1), *flags = malloc(n + 1), *got = malloc(room * size + 1);
        unsigned char *want = malloc(room * size + 1);
        for (size_t i = 0; i < n * size * gap; i++) x[i] = (unsigned char)random_bits();
        for (size_t i = 0; i < n; i++) flags[i] = random_bits() % 3 ? 0 : (unsigned char)random_bits();
        for (size_t i = 0; i < room * size; i++) got[i] = want[i] = (unsigned char)random_bits();
        for (size_t i = 0; i < n; i++) {
            if (flags[i] == 0) continue;
            if (kept < room) memcpy(want + kept * size, x + i * size * gap, size);
            kept++;
        }
        tw_vec_kernel k;
        OK(tw__vec_resolve_at(level, TW_VEC_COMPRESS, (const tw_type[]){ t, t, TW_BOOL }, NULL, &k));
        size_t set = tw_vec_call(
            &k, n,
            (const tw_run[]){ { got, (ptrdiff_t)size, room }, { x, (ptrdiff_t)(size * gap), 0 }, { flags, 1, 0 } });
        assert_int_equal(set, kept);
        assert_memory_equal(got, want, room * size);
        free(x);
        free(flags);
        free(got);
        free(want);
    }
    tw_vec_kernel k;
    const tw_type wide[] = { TW_U32, TW_U32, TW_U16 }, other[] = { TW_U32, TW_U16, TW_BOOL };
    assert_int_equal(tw_vec_resolve(TW_VEC_COMPRESS, wide, NULL, &k), TW_E_TYPE);
    assert_int_equal(tw_vec_resolve(TW_VEC_COMPRESS, other, NULL, &k), TW_E_TYPE);
    OK(tw_vec_resolve(TW_VEC_COMPRESS, (const tw_type[]){ TW_U32, TW_U32, TW_BOOL }, NULL, &k));
    uint32_t one = 1;
    bool flag = true;
    tw_view views[] = { tw_view_scalar(&one, TW_U32), tw_view_scalar(&one, TW_U32),
                        tw_view_scalar(&flag, TW_BOOL) };
    assert_int_equal(tw_vec_apply(&k, views, anywhere, NULL), TW_E_INVALID_ARGUMENT);
}

/* An element depends on its number alone, whatever block and vector it falls in. */
static void vec_blocks_iota(void **state)
{
    (void)state;
    enum { N = 1000 };
    static unsigned char got[N * 8], spread[N * 16];
    for (int level = 0; level < TW__LEVELS; level++)
        for (size_t i = 0; tw__level_of(level) && i < REAL_TYPES; i++) {
            tw_type t = real_types[i];
            size_t size = tw_type_size(t);
            uint64_t start = 0, step = 0;
            tw_type_store(t, &start, 5);
            tw_type_store(t, &step, tw_type_get(t)->kind == TW_KIND_UINT ? 3 : -0.75);
            tw_vec_kernel k;
            OK(tw__vec_resolve_at(level, TW_VEC_IOTA, (const tw_type[]){ t, t, t }, NULL, &k));
            tw_run runs[] = { { got, (ptrdiff_t)size, 0 }, { &start, 0, 0 }, { &step, 0, 0 } };
            tw_vec_call(&k, N, runs);
            runs[0] = (tw_run){ spread, (ptrdiff_t)(2 * size), 0 };
            tw_vec_call(&k, N, runs);
            for (size_t e = 0; e < N; e++) {
                uint64_t want = 0, wide = start + e * step;
                float f = (float)tw_type_load(t, &start) + (float)e * (float)tw_type_load(t, &step);
                if (t == TW_F64)
                    tw_type_store(t, &want, tw_type_load(t, &start) + (double)e * tw_type_load(t, &step));
                else if (tw_type_get(t)->kind == TW_KIND_FLOAT)
                    tw_convert(t, &want, TW_F32, &f, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
                else
                    want = wide;
                assert_memory_equal(got + e * size, &want, size);
                assert_memory_equal(spread + 2 * e * size, &want, size);
            }
        }
}

/* Infinity minus infinity: the one NaN there is, in c itself, beside it, and where c is only read. */
static void vec_blocks_matmul_nan(void **state)
{
    (void)state;
    static const size_t shapes[][3] = { { 4, 2, 64 }, { 3, 2, 64 }, { 4, 2, 7 }, { 4, 0, 64 }, { 5, 0, 3 } };
    float a[8] = { INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY }, b[128], c[320];
    const uint32_t odd = 0xffc12345, number = 0x7fc00000;
    for (int s = 0; s < 5; s++)
        for (int fused = 0; fused < 2; fused++) {
            size_t m = shapes[s][0], depth = shapes[s][1], n = shapes[s][2];
            for (size_t i = 0; i < 128; i++) b[i] = i < n ? 1.0f : -1.0f;
            for (size_t i = 0; i < 320; i++) memcpy(&c[i], &odd, sizeof odd);
            tw_view cv, av, bv;
            OK(tw_view_init(&cv, c, TW_F32, 2, (const size_t[]){ m, n }));
            OK(tw_view_init(&av, a, TW_F32, 2, (const size_t[]){ m, depth }));
            OK(tw_view_init(&bv, b, TW_F32, 2, (const size_t[]){ depth, n }));
            tw_matmul_mode mode = { .fused = fused, .accumulate = depth == 0 };
            OK(tw_vec_matmul(&cv, &av, &bv, &mode, anywhere));
            for (size_t i = 0; i < m * n; i++) assert_memory_equal(&c[i], &number, sizeof number);
            assert_memory_equal(&c[m * n], &odd, sizeof odd);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_blocks_thin),       cmocka_unit_test(vec_blocks_turn),
        cmocka_unit_test(vec_blocks_copy),       cmocka_unit_test(vec_blocks_fold_rows),
        cmocka_unit_test(vec_blocks_compress),   cmocka_unit_test(vec_blocks_iota),
        cmocka_unit_test(vec_blocks_matmul_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
