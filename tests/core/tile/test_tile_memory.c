/* SPDX-License-Identifier: MIT */
/* Memory sums against a plain dense reference, and what happens when memory runs out. */
#include "core/tile/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TILES 37

static void tile_memory_sums(void **state)
{
    (void)state;
    static uint64_t reference[TILES][TW_STORAGE_COUNT];
    tw__memory *m = tw__memory_new(TILES);
    uint32_t seed = 12345;
    for (int i = 0; i < 100000; i++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned tile = (seed >> 8) % TILES, storage = (seed >> 16) % TW_STORAGE_COUNT;
        uint64_t bytes = seed >> 24;
        reference[tile][storage] += bytes;
        tw__memory_add(m, tile, (tw_storage)storage, (tw__memory_region)(i % TW__MEMORY_REGIONS),
                       (tw__memory_overlap)(i % TW__MEMORY_OVERLAPS), bytes);
    }
    for (unsigned t = 0; t < TILES; t++) {
        uint64_t sum = 0, counted = 0;
        for (unsigned s = 0; s < TW_STORAGE_COUNT; s++) sum += reference[t][s];
        for (unsigned row = 0; row < TW__MEMORY_ROWS; row++) counted += m->rows[row] ? m->rows[row][t] : 0;
        assert_int_equal(counted, sum);
    }
    for (unsigned s = 0; s < TW_STORAGE_COUNT; s++) {
        uint64_t sum = 0;
        for (unsigned t = 0; t < TILES; t++) sum += reference[t][s];
        assert_int_equal(tw__memory_category(m, (tw_storage)s), sum);
    }
    assert_false(m->failed);
    tw__memory_free(m);
    tw__memory_free(NULL);
}

static void tile_memory_fullest(void **state)
{
    (void)state;
    static const uint64_t by_tile[] = { 5, 9, 9, 1, 7, 9 };
    unsigned out[4];
    assert_int_equal(tw__memory_fullest(by_tile, 6, out, 4), 4);
    static const unsigned want[] = { 1, 2, 5, 4 };
    assert_memory_equal(out, want, sizeof want);
    assert_int_equal(tw__memory_fullest(by_tile, 2, out, 4), 2);
    assert_int_equal(out[0], 1);
    assert_int_equal(tw__memory_fullest(by_tile, 6, out, 0), 0);
}

static void tile_memory_exhausted(void **state)
{
    (void)state;
    tw__fail_allocation(1);
    assert_null(tw__memory_new(4));
    tw__memory *m = tw__memory_new(4);
    tw__fail_allocation(1);
    tw__memory_count(m, 1, TW_STORAGE_STACK, 8);
    assert_true(m->failed);
    tw__fail_allocation(0);
    tw__memory_count(m, 1, TW_STORAGE_STACK, 8);
    assert_int_equal(tw__memory_category(m, TW_STORAGE_STACK), 8);
    tw__memory_free(m);
}

static void tile_storage_names(void **state)
{
    (void)state;
    assert_string_equal(tw_storage_key(TW_STORAGE_VERTEX_STATE), "vertexInstanceState");
    assert_string_equal(tw_storage_label(TW_STORAGE_MESSAGE), "Internal Exchange Message Buffers");
    for (unsigned i = 0; i < TW_STORAGE_COUNT; i++)
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(tw_storage_key((tw_storage)i), tw_storage_key((tw_storage)k));
    assert_string_equal(tw_storage_key(TW_STORAGE_COUNT), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_memory_sums),
        cmocka_unit_test(tile_memory_fullest),
        cmocka_unit_test(tile_memory_exhausted),
        cmocka_unit_test(tile_storage_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
