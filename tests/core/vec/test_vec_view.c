/* SPDX-License-Identifier: MIT */
/* Views, runs and walks against a walk written as nested loops: random shapes and strides of rank 0 to 6, seek, save,
 * the three ends; slicing; spans and windows. */
#include "check.h"

static char memory[1 << 16];

static tw_view random_view(void)
{
    size_t extents[TW_VIEW_RANK];
    ptrdiff_t strides[TW_VIEW_RANK], dense = 4;
    unsigned rank = (unsigned)(random_bits() % (TW_VIEW_RANK + 1));
    for (unsigned d = rank; d-- > 0;) {
        extents[d] = random_bits() % 5; /* 0 and 1 included */
        bool joined = random_bits() % 2;
        strides[d] = joined ? dense : (ptrdiff_t)(random_bits() % 41) - 20;
        dense = strides[d] * (ptrdiff_t)extents[d];
    }
    tw_view view;
    OK(tw_view_init_strided(&view, memory + sizeof memory / 2, TW_F32, rank, extents, strides));
    return view;
}

/* Address of element i in row-major order. */
static char *address(const tw_view *v, size_t i)
{
    char *at = v->base;
    for (unsigned d = v->rank; d-- > 0;) {
        at += (ptrdiff_t)(i % v->extent[d]) * v->stride[d];
        i /= v->extent[d];
    }
    return at;
}

static void vec_view_walks(void **state)
{
    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        tw_view views[3];
        size_t count = random_bits() % 4, total = 0;
        for (size_t v = 0; v < count; v++) {
            views[v] = random_view();
            total += tw_view_count(&views[v]);
        }
        tw_walk walk;
        tw_walk_begin(&walk, views, count, TW_WALK_STOP);
        if (total > 0 && random_bits() % 2) {
            uint64_t to = random_bits() % (total + 1);
            OK(tw_walk_seek(&walk, to));
        }
        assert_int_equal(tw_walk_seek(&walk, total + 1), TW_E_INDEX);
        size_t view = 0, before = 0, position = (size_t)walk.position;
        while (position < total) {
            tw_run run;
            tw_walk saved = walk;
            size_t max = 1 + random_bits() % 9, n = tw_walk_next(&walk, max, &run);
            assert_in_range(n, 1, max);
            if (random_bits() % 4 == 0) { /* once more from the saved place */
                tw_run again;
                walk = saved;
                assert_int_equal(tw_walk_next(&walk, max, &again), n);
                assert_ptr_equal(again.at, run.at);
            }
            for (size_t i = 0; i < n; i++, position++) {
                while (position - before >= tw_view_count(&views[view])) before += tw_view_count(&views[view++]);
                assert_ptr_equal((char *)run.at + (ptrdiff_t)i * run.stride,
                                 address(&views[view], position - before));
            }
        }
        tw_run end;
        assert_int_equal(tw_walk_next(&walk, 5, &end), 0);
    }
}

static void vec_view_walk_ends(void **state)
{
    (void)state;
    tw_view row = tw_view_1d(memory, TW_F32, 3, 8);
    tw_walk walk;
    tw_run run;
    tw_walk_begin(&walk, &row, 1, TW_WALK_OPEN);
    assert_int_equal(tw_walk_next(&walk, 100, &run), 100); /* no end, same stride */
    assert_ptr_equal(run.at, memory);
    OK(tw_walk_seek(&walk, 1000));
    assert_int_equal(tw_walk_next(&walk, 1, &run), 1);
    assert_ptr_equal(run.at, memory + 8000);

    /* A slowest dimension of extent 1 still says where an open walk goes on. */
    tw_view rows;
    OK(tw_view_init_strided(&rows, memory, TW_F32, 2, (const size_t[]){ 1, 2 }, (const ptrdiff_t[]){ 100, 4 }));
    tw_walk_begin(&walk, &rows, 1, TW_WALK_OPEN);
    assert_int_equal(tw_walk_next(&walk, 9, &run), 2);
    assert_int_equal(tw_walk_next(&walk, 9, &run), 2);
    assert_ptr_equal(run.at, memory + 100);

    tw_view ring[] = { row, tw_view_1d(memory + 400, TW_F32, 0, 4), tw_view_1d(memory + 200, TW_F32, 2, 4) };
    tw_walk_begin(&walk, ring, 3, TW_WALK_RING);
    static const int at[] = { 0, 8, 16, 200, 204, 0, 8, 16, 200, 204, 0 };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        assert_int_equal(tw_walk_next(&walk, 1, &run), 1);
        assert_ptr_equal(run.at, memory + at[i]);
        assert_int_equal(walk.position, i + 1);
    }
    OK(tw_walk_seek(&walk, 5 * 1000 + 4));
    tw_walk_next(&walk, 1, &run);
    assert_ptr_equal(run.at, memory + 204);

    tw_walk_begin(&walk, &ring[1], 1, TW_WALK_RING); /* nothing to go round */
    assert_int_equal(tw_walk_next(&walk, 1, &run), 0);
    tw_walk_begin(&walk, NULL, 0, TW_WALK_STOP);
    assert_int_equal(tw_walk_next(&walk, 1, &run), 0);
}

static void vec_view_slicing(void **state)
{
    (void)state;
    tw_view v, w;
    OK(tw_view_init(&v, memory, TW_I16, 3, (const size_t[]){ 4, 5, 6 }));
    assert_int_equal(v.stride[0], 60);
    w = v;
    OK(tw_view_slice(&w, 1, 2, 4));
    OK(tw_view_index(&w, 0, 3));
    OK(tw_view_reverse(&w, 1));
    OK(tw_view_subsample(&w, 1, 4));
    assert_int_equal(w.rank, 2);
    assert_int_equal(w.extent[1], 2);
    assert_ptr_equal(address(&w, 0), memory + 2 * (3 * 30 + 2 * 6 + 5));
    assert_ptr_equal(address(&w, 3), memory + 2 * (3 * 30 + 3 * 6 + 1));
    w = v;
    OK(tw_view_permute(&w, (const unsigned[]){ 2, 0, 1 }));
    assert_ptr_equal(address(&w, 21), memory + 2 * 1 + 2 * 6 * 1); /* element [1][0][1] is old [0][1][1] */
    OK(tw_view_broadcast(&w, 1, 7));
    assert_int_equal(tw_view_count(&w), 7 * 120);

    w = v;
    assert_int_equal(tw_view_slice(&w, 1, 3, 6), TW_E_INDEX);
    assert_int_equal(tw_view_slice(&w, 3, 0, 1), TW_E_INDEX);
    assert_int_equal(tw_view_index(&w, 0, 4), TW_E_INDEX);
    assert_int_equal(tw_view_subsample(&w, 0, 0), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_view_permute(&w, (const unsigned[]){ 0, 0, 1 }), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_view_broadcast(&w, 4, 2), TW_E_INVALID_ARGUMENT);
    assert_memory_equal(&w, &v, sizeof v);
    size_t seven[7] = { 1, 1, 1, 1, 1, 1, 1 };
    assert_int_equal(tw_view_init(&w, memory, TW_F32, 7, seven), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_view_init(&w, memory, TW_F32, 2, (const size_t[]){ SIZE_MAX / 2, 3 }),
                     TW_E_INVALID_ARGUMENT);
    assert_memory_equal(&w, &v, sizeof v);
}

static void vec_view_reshape(void **state)
{
    (void)state;
    int allowed = 0;
    for (int trial = 0; trial < 3000; trial++) {
        tw_view v = random_view(), w = v;
        size_t count = tw_view_count(&v), shape[3], a = 1 + random_bits() % 4, b = 1 + random_bits() % 4;
        if (count == 0 || count % (a * b) != 0) continue;
        shape[0] = a, shape[1] = count / (a * b), shape[2] = b;
        if (tw_view_reshape(&w, 3, shape) != TW_OK) {
            assert_memory_equal(&w, &v, sizeof v);
            continue;
        }
        allowed++;
        for (size_t i = 0; i < count; i++) assert_ptr_equal(address(&w, i), address(&v, i));
    }
    assert_true(allowed > 300);
    tw_view dense;
    OK(tw_view_init(&dense, memory, TW_I8, 2, (const size_t[]){ 4, 6 }));
    OK(tw_view_reshape(&dense, 3, (const size_t[]){ 2, 3, 4 }));
    OK(tw_view_reshape(&dense, 1, (const size_t[]){ 24 }));
    assert_int_equal(tw_view_reshape(&dense, 1, (const size_t[]){ 25 }), TW_E_INVALID_ARGUMENT);
}

static void vec_view_windows(void **state)
{
    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        tw_view v = random_view();
        char *low = NULL, *high = NULL;
        for (size_t i = 0; i < tw_view_count(&v); i++) {
            char *at = address(&v, i);
            if (!low || at < low) low = at;
            if (!high || at + 4 > high) high = at + 4;
        }
        ptrdiff_t from, to;
        assert_true(tw_view_span(&v, &from, &to));
        if (!low) {
            assert_int_equal(from, to);
            continue;
        }
        assert_ptr_equal((char *)v.base + from, low);
        assert_ptr_equal((char *)v.base + to, high);
        tw_window exact = { low, (size_t)(high - low) }, late = { low + 1, (size_t)(high - low) },
                  shorter = { low, (size_t)(high - low) - 1 };
        OK(tw_view_check(&v, exact));
        assert_int_equal(tw_view_check(&v, late), TW_E_INDEX);
        assert_int_equal(tw_view_check(&v, shorter), TW_E_INDEX);
    }
    tw_run huge = { memory, PTRDIFF_MAX, SIZE_MAX };
    assert_false(tw_run_inside(&huge, 4, (tw_window){ memory, sizeof memory }));
    tw_run none = { NULL, 4, 0 };
    assert_true(tw_run_inside(&none, 4, (tw_window){ memory, sizeof memory }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vec_view_walks),   cmocka_unit_test(vec_view_walk_ends),
        cmocka_unit_test(vec_view_slicing), cmocka_unit_test(vec_view_reshape),
        cmocka_unit_test(vec_view_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
