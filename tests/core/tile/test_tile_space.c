/* SPDX-License-Identifier: MIT */
/* Places in a buffer while things come and go, against a map of its bytes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/tile/space.h"

#include <stdlib.h>
#include <string.h>

enum { START = 64, BYTES = 2048, OBJECTS = 40 };

typedef struct heap {
    uint64_t at[OBJECTS], bytes[OBJECTS];
    unsigned count;
} heap;

static bool taken(const void *user, uint64_t address, uint64_t bytes, uint64_t *first)
{
    const heap *h = user;
    bool any = false;
    for (unsigned i = 0; i < h->count; i++) {
        if (h->at[i] >= address + bytes || address >= h->at[i] + h->bytes[i]) continue;
        if (!any || h->at[i] < *first) *first = h->at[i];
        any = true;
    }
    return any;
}

/* The highest aligned address at which no byte of the map is set; UINT64_MAX = none. */
static uint64_t expected(const unsigned char *map, uint64_t bytes, uint64_t align)
{
    for (uint64_t at = START + BYTES; at-- > START;) {
        bool free_here = at % align == 0 && at + bytes <= START + BYTES;
        for (uint64_t b = 0; b < bytes && free_here; b++) free_here = !map[at + b];
        if (free_here) return at;
    }
    return UINT64_MAX;
}

static void tile_space_against_map(void **state)
{
    const tw_tile_region region = { .name = "buffer", .start = START, .bytes = BYTES, .align = 32 };
    (void)state;
    srand(1);
    for (int round = 0; round < 300; round++) {
        heap h = { .count = 0 };
        unsigned char map[START + BYTES] = { 0 };
        for (int step = 0; step < 60; step++) {
            uint64_t bytes = 1 + (uint64_t)rand() % (round % 3 ? 200 : 700), address = 0;
            uint32_t align = 1u << (rand() % 8);
            if (rand() % 3 == 0 && h.count) { /* one goes */
                unsigned gone = (unsigned)rand() % h.count;
                memset(map + h.at[gone], 0, h.bytes[gone]);
                h.at[gone] = h.at[--h.count];
                h.bytes[gone] = h.bytes[h.count];
            }
            uint64_t want = expected(map, bytes, align > 32 ? align : 32);
            bool found = tw__space_find(&region, bytes, align, taken, &h, &address);
            assert_int_equal(found, want != UINT64_MAX);
            if (!found || h.count == OBJECTS) continue;
            assert_int_equal(address, want);
            memset(map + address, 1, bytes);
            h.at[h.count] = address;
            h.bytes[h.count++] = bytes;
        }
    }
}

static void tile_space_limits(void **state)
{
    const tw_tile_region region = { .name = "buffer", .bytes = 256, .align = 32 };
    heap h = { .count = 0 };
    uint64_t at = 7;
    (void)state;
    assert_true(tw__space_find(&region, 256, 1, taken, &h, &at));
    assert_int_equal(at, 0);
    assert_false(tw__space_find(&region, 257, 1, taken, &h, &at));
    assert_true(tw__space_find(&region, 1, 64, taken, &h, &at));
    assert_int_equal(at, 192);
    h = (heap){ .at = { 32 }, .bytes = { 1 }, .count = 1 };
    assert_true(tw__space_find(&region, 192, 1, taken, &h, &at));
    assert_int_equal(at, 64);
    assert_false(tw__space_find(&region, 193, 1, taken, &h, &at));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tile_space_against_map),
                                        cmocka_unit_test(tile_space_limits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
