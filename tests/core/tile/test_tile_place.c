/* SPDX-License-Identifier: MIT */
/* Placement against an independent checker: alignment, memory, regions, over-read margin, constraints of table 3.1,
 * and that objects alive together never share a byte. Chip facts of guide 7.2 are written out again here. */
#include "core/tile/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t seed = 0x853C49E6748FEA9B;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 24) % below;
}

typedef struct chip {
    const char *name;
    uint64_t base, interleaved, end;
} chip;
static const chip chips[] = { { "mk1", 0x40000, 0x60000, 0x80000 }, { "mk2", 0x4C000, 0x80000, 0xE8000 } };

/* --- the checker ---------------------------------------------------------------------------------------------- */

static bool meet(uint64_t a, uint64_t b, uint64_t c, uint64_t d) /* [a, b) and [c, d) */
{
    return a < d && c < b;
}

/* First and last byte of the element that holds `address`: 16 KB below, 32 KB in interleaved memory. */
static void element(const chip *c, uint64_t address, uint64_t *first, uint64_t *last)
{
    uint64_t size = address < c->interleaved ? 16384 : 32768,
             base = address < c->interleaved ? c->base : c->interleaved;
    *first = base + (address - base) / size * size;
    *last = *first + size - 1;
}

static void check_item(const chip *c, const tw__place_item *i, size_t n)
{
    uint64_t end = i->address + i->bytes;
    if (i->address % i->align) fail_msg("item %zu is not aligned", n);
    if (i->address < c->base || end > c->end) fail_msg("item %zu is outside of the memory", n);
    if ((i->flags & TW__PLACE_INTERLEAVED) && i->address < c->interleaved)
        fail_msg("item %zu is not interleaved", n);
    if ((i->flags & TW__PLACE_EXECUTABLE) && end > c->interleaved)
        fail_msg("item %zu is not executable: 0x%lx, %lu bytes, align %u, flags %u", n, i->address, i->bytes,
                 i->align, i->flags);
    if ((i->flags & TW__PLACE_OVERREAD) && end + 32 > c->end)
        fail_msg("reading on after item %zu leaves the memory", n);
}

static void check_pair(const chip *c, const tw__place_item *a, const tw__place_item *b, tw__place_rule rule)
{
    uint64_t af, al, bf, bl, none;
    if (!a->bytes || !b->bytes) return;
    if (rule == TW__PLACE_REGION) {
        bool a_low = a->address<c->interleaved, a_high = a->address + a->bytes> c->interleaved;
        bool b_low = b->address<c->interleaved, b_high = b->address + b->bytes> c->interleaved;
        if ((a_low && b_low) || (a_high && b_high))
            fail_msg("two in one region: 0x%lx 0x%lx", a->address, b->address);
        return;
    }
    element(c, a->address, &af, &none), element(c, a->address + a->bytes - 1, &none, &al);
    element(c, b->address, &bf, &none), element(c, b->address + b->bytes - 1, &none, &bl);
    if (meet(af, al + 1, bf, bl + 1)) fail_msg("two in one element: 0x%lx 0x%lx", a->address, b->address);
}

static void check_all(const chip *c, const tw__place_item *items, size_t count, const tw__place_pair *pairs,
                      size_t pair_count)
{
    for (size_t i = 0; i < count; i++) {
        check_item(c, &items[i], i);
        bool shared = false;
        for (size_t k = 0; k < count; k++) {
            const tw__place_item *a = &items[i], *b = &items[k];
            if (i == k || a->tile != b->tile || !a->bytes || !b->bytes) continue;
            if (!meet(a->address, a->address + a->bytes, b->address, b->address + b->bytes)) continue;
            shared = true;
            if (a->first <= b->last && b->first <= a->last) fail_msg("items %zu and %zu are alive together", i, k);
        }
        assert_int_equal((items[i].flags & TW__PLACE_OVERLAPPED) != 0, shared);
    }
    for (size_t i = 0; i < pair_count; i++)
        if (pairs[i].a != pairs[i].b) check_pair(c, &items[pairs[i].a], &items[pairs[i].b], pairs[i].rule);
}

/* --- random graphs with constraints --------------------------------------------------------------------------- */

enum { COUNT = 1200, TILES = 30, PAIRS = 150 };

static size_t fill(tw__place_item *items, tw__place_pair *pairs, uint32_t most)
{
    size_t pair_count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t first = draw(1000);
        bool always = draw(4) == 0;
        items[i] = (tw__place_item){ .tile = draw(TILES),
                                     .bytes = draw(20) ? 1 + draw(most) : 0,
                                     .align = 1u << draw(6),
                                     .first = always ? 0 : first,
                                     .last = always ? TW__PLACE_ALWAYS : first + draw(300),
                                     .storage = (uint16_t)draw(TW_STORAGE_COUNT) };
        uint32_t kind = draw(10);
        if (kind == 0) items[i].flags = TW__PLACE_INTERLEAVED | TW__PLACE_OVERREAD;
        if (kind == 1) items[i].flags = TW__PLACE_EXECUTABLE;
        if (kind > 5) items[i].flags = TW__PLACE_OVERREAD;
    }
    while (pair_count < PAIRS) {
        uint32_t a = draw(COUNT), b = draw(COUNT);
        bool region = draw(4) == 0;
        if (a == b || items[a].tile != items[b].tile) continue;
        if (region && ((items[a].flags | items[b].flags) & (TW__PLACE_INTERLEAVED | TW__PLACE_EXECUTABLE)))
            continue;
        pairs[pair_count++] = (tw__place_pair){ a, b, region ? TW__PLACE_REGION : TW__PLACE_ELEM, NULL };
        if (region) /* a region constraint on one item is enough: chains of them may have no solution */
            items[a].flags |= TW__PLACE_INTERLEAVED, items[b].flags |= TW__PLACE_EXECUTABLE;
    }
    return pair_count;
}

static void tile_place_3_2_2_random_constraints(void **state)
{
    (void)state;
    static tw__place_item items[COUNT], again[COUNT];
    static tw__place_pair pairs[PAIRS];
    static tw__place_tile by_tile[TILES];
    for (int round = 0; round < 30; round++) {
        const chip *c = &chips[round % 2];
        const tw_tile_arch *arch = tw_tile_arch_by_name(c->name);
        size_t pair_count = fill(items, pairs, 4000);
        if (tw__place(arch, TILES, items, COUNT, pairs, pair_count, by_tile)) fail_msg("%s", tw_error_message());
        check_all(c, items, COUNT, pairs, pair_count);
        tw__memory *memory = tw__memory_new(TILES);
        uint64_t sums[TILES] = { 0 }, all[TILES] = { 0 };
        tw__place_account(arch, items, COUNT, memory);
        for (unsigned row = 0; row < TW__MEMORY_ROWS; row++)
            for (int t = 0; memory->rows[row] && t < TILES; t++) sums[t] += memory->rows[row][t];
        for (int i = 0; i < COUNT; i++) all[items[i].tile] += items[i].bytes;
        for (int t = 0; t < TILES; t++) {
            assert_int_equal(sums[t], all[t]);
            assert_int_equal(by_tile[t].bytes, all[t]);
            assert_int_equal(by_tile[t].overflow, 0);
            assert_true(by_tile[t].max_live <= by_tile[t].peak && by_tile[t].peak <= c->end - c->base);
        }
        tw__memory_free(memory);
        memcpy(again, items, sizeof items);
        assert_int_equal(tw__place(arch, TILES, again, COUNT, pairs, pair_count, by_tile), TW_OK);
        assert_memory_equal(items, again, sizeof items); /* same input, same addresses */
    }
}

/* --- rules one by one ----------------------------------------------------------------------------------------- */

static tw_status place_one(const chip *c, tw__place_item *items, size_t count, const tw__place_pair *pairs,
                           size_t n, tw__place_tile *tile)
{
    return tw__place(tw_tile_arch_by_name(c->name), 1, items, count, pairs, n, tile);
}

static void tile_place_4_1_4_interleaved_where_asked(void **state)
{
    (void)state;
    tw__place_tile tile;
    for (int k = 0; k < 2; k++) {
        const chip *c = &chips[k];
        tw__place_item items[] = {
            { .bytes = 1000, .align = 4, .last = TW__PLACE_ALWAYS },
            { .bytes = 1000, .align = 4, .last = TW__PLACE_ALWAYS, .flags = TW__PLACE_INTERLEAVED },
            { .bytes = 1000, .align = 4, .last = TW__PLACE_ALWAYS, .flags = TW__PLACE_EXECUTABLE }
        };
        assert_int_equal(place_one(c, items, 3, NULL, 0, &tile), TW_OK);
        assert_true(items[0].address < c->interleaved && items[2].address < c->interleaved);
        assert_true(items[1].address >= c->interleaved);
        assert_int_equal(tile.peak, 3000);
        /* nothing else left: plain data may go on into interleaved memory, code may not */
        items[0].bytes = (uint32_t)(c->interleaved - c->base);
        assert_int_equal(place_one(c, items, 3, NULL, 0, &tile), TW_OK);
        check_all(c, items, 3, NULL, 0);
        items[0].flags = TW__PLACE_EXECUTABLE;
        assert_int_equal(place_one(c, items, 3, NULL, 0, &tile), TW_E_TILE_MEMORY);
        const char *limit = k ? "executable memory, which has 212,992 bytes; 213,992 bytes"
                              : "executable memory, which has 131,072 bytes; 132,072 bytes";
        if (!strstr(tw_error_message(), limit)) fail_msg("%s", tw_error_message());
    }
}

static void tile_place_7_5_2_over_read(void **state)
{
    (void)state;
    tw__place_tile tile;
    for (int k = 0; k < 2; k++) {
        uint32_t all = (uint32_t)(chips[k].end - chips[k].base);
        tw__place_item item = {
            .bytes = all - 32, .align = 4, .last = TW__PLACE_ALWAYS, .flags = TW__PLACE_OVERREAD
        };
        assert_int_equal(place_one(&chips[k], &item, 1, NULL, 0, &tile), TW_OK);
        item.bytes += 4;
        assert_int_equal(place_one(&chips[k], &item, 1, NULL, 0, &tile), TW_E_TILE_MEMORY);
        assert_non_null(strstr(tw_error_message(), "read on for 32 bytes"));
        item.flags = 0;
        item.bytes = all;
        assert_int_equal(place_one(&chips[k], &item, 1, NULL, 0, &tile), TW_OK);
        assert_int_equal(tile.peak, all);
    }
}

static void tile_place_7_3_stacks(void **state)
{
    (void)state;
    assert_int_equal(6 * tw__stack_bytes(480), 3168); /* stacks of the sample in guide 8.2.3 */
    assert_int_equal(tw__stack_bytes(0), 48);
    assert_int_equal(tw__stack_bytes(1), 56);
    for (unsigned w = 0; w < 6;
         w++) { /* stack below the base, 48 bytes of scratch above it, then the next worker */
        uint64_t base = tw__worker_base(0x4C000, 100, w);
        assert_int_equal(base % 8, 0);
        assert_int_equal(base - 104, 0x4C000 + 152 * w);
        assert_true(base + 48 <= 0x4C000 + 6 * tw__stack_bytes(100));
    }
}

static void tile_place_7_2_out_of_memory(void **state)
{
    (void)state;
    static tw__place_tile by_tile[9];
    tw__place_item items[] = {
        { .name = "weights", .tile = 7, .bytes = 600000, .align = 8, .last = TW__PLACE_ALWAYS },
        { .name = "stack",
          .tile = 7,
          .bytes = 3168,
          .align = 8,
          .last = TW__PLACE_ALWAYS,
          .storage = TW_STORAGE_STACK },
        { .name = "x", .tile = 7, .bytes = 50000, .align = 8, .first = 1, .last = 2 },
        { .name = "y", .tile = 7, .bytes = 40000, .align = 8, .first = 3, .last = 4 },
        { .name = "z", .tile = 3, .bytes = 40000, .align = 8, .first = 3, .last = 4 },
    };
    const tw_tile_arch *mk2 = tw_tile_arch_by_name("mk2");
    assert_int_equal(tw__place(mk2, 9, items, 5, NULL, 0, by_tile), TW_E_TILE_MEMORY);
    const char *parts[] = { "tile 7",        "638,976",
                            "653,168",       "Variables 650,000 B ('weights' 600,000 B)",
                            "Stack 3,168 B", "14,192 too many" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(tw_error_message(), parts[i])) fail_msg("'%s' is not in '%s'", parts[i], tw_error_message());
    assert_int_equal(by_tile[7].max_live, 653168);
    assert_int_equal(by_tile[3].status, TW_OK);
    assert_int_equal(items[4].address, 0x4C000);
    assert_int_equal(by_tile[7].overflow,
                     653168 - 638976); /* x and y share the last place, x reaches past the end */
    assert_true(items[2].flags & TW__PLACE_OVERFLOWED);
    assert_true(items[2].address == 0xE8000 - (638976 - 603168));
    assert_int_equal(by_tile[7].reach, 653168);
    assert_int_equal(by_tile[7].used[TW__OVERFLOWED], 14192);
    assert_int_equal(by_tile[7].used[TW__NON_INTERLEAVED], 0x80000 - 0x4C000);
    assert_int_equal(by_tile[7].used[TW__INTERLEAVED], 0xE8000 - 0x80000);
    tw__memory *memory = tw__memory_new(9);
    tw__place_account(mk2, items, 5, memory);
    uint64_t *over = memory->rows[tw__memory_row(TW_STORAGE_VARIABLE, TW__OVERFLOWED, TW__OVERLAPPED)];
    uint64_t *flat = memory->rows[tw__memory_row(TW_STORAGE_VARIABLE, TW__OVERFLOWED, TW__NOT_OVERLAPPED)];
    assert_int_equal((over ? over[7] : 0) + (flat ? flat[7] : 0), 14192 + 4192); /* each with its own bytes */
    tw__memory_free(memory);
}

static void tile_place_3_2_2_constraints(void **state)
{
    (void)state;
    tw__place_tile tile;
    const chip *c = &chips[1];
    tw__place_item items[3];
    for (int i = 0; i < 3; i++)
        items[i] = (tw__place_item){ .name = "abc", .bytes = 64, .align = 8, .last = TW__PLACE_ALWAYS };
    const tw__place_pair pairs[] = { { 0, 1, TW__PLACE_REGION, "region(*a)!=region(*b)" },
                                     { 1, 2, TW__PLACE_REGION, "region(*b)!=region(*c)" },
                                     { 0, 2, TW__PLACE_REGION, "region(*a)!=region(*c)" } };
    assert_int_equal(place_one(c, items, 3, pairs, 2, &tile), TW_OK);
    check_all(c, items, 3, pairs, 2);
    assert_int_equal(place_one(c, items, 3, pairs, 3, &tile), TW_E_ELEM_CONSTRAINTS); /* two regions for three */
    assert_non_null(strstr(tw_error_message(), "region("));
    /* as many elements as there are: 13 of 16 KB and 13 of 32 KB */
    static tw__place_item many[27];
    static tw__place_pair all[27 * 26 / 2];
    size_t n = 0;
    for (uint32_t i = 0; i < 27; i++) {
        many[i] = (tw__place_item){ .name = "m", .bytes = 64, .align = 8, .last = TW__PLACE_ALWAYS };
        for (uint32_t k = 0; k < i; k++) all[n++] = (tw__place_pair){ i, k, TW__PLACE_ELEM, NULL };
    }
    assert_int_equal(place_one(c, many, 26, all, 26 * 25 / 2, &tile), TW_OK);
    check_all(c, many, 26, all, 26 * 25 / 2);
    assert_int_equal(place_one(c, many, 27, all, n, &tile), TW_E_ELEM_CONSTRAINTS);
}

/* What fills an element to its last byte leaves the next one free: as many such objects as there are elements. */
static void tile_place_3_2_2_full_elements(void **state)
{
    (void)state;
    static tw__place_item items[26];
    static tw__place_pair pairs[26 * 25 / 2];
    tw__place_tile tile;
    size_t n = 0;
    for (uint32_t i = 0; i < 26; i++) {
        unsigned size = i < 13 ? 16384 : 32768;
        items[i] = (tw__place_item){ .name = "m",
                                     .bytes = size,
                                     .align = 16384,
                                     .last = TW__PLACE_ALWAYS,
                                     .flags = i < 13 ? TW__PLACE_EXECUTABLE : TW__PLACE_INTERLEAVED };
        for (uint32_t k = 0; k < i; k++) pairs[n++] = (tw__place_pair){ i, k, TW__PLACE_ELEM, NULL };
    }
    assert_int_equal(place_one(&chips[1], items, 26, pairs, n, &tile), TW_OK);
    check_all(&chips[1], items, 26, pairs, n);
    assert_int_equal(tile.peak, 0xE8000 - 0x4C000);
    assert_int_equal(tile.gaps, 0);
}

/* What found no room begins in the last free stretch, whatever its neighbours in the list are bound to. */
static void tile_place_7_2_overflow_beside_constraints(void **state)
{
    (void)state;
    tw__place_item items[] = { { .bytes = 600000, .align = 8, .last = TW__PLACE_ALWAYS },
                               { .bytes = 50000, .align = 8, .last = TW__PLACE_ALWAYS },
                               { .bytes = 64, .align = 8, .last = TW__PLACE_ALWAYS },
                               { .bytes = 64, .align = 8, .last = TW__PLACE_ALWAYS } };
    const tw__place_pair pair = { 2, 3, TW__PLACE_REGION, NULL };
    tw__place_tile tile;
    assert_int_equal(place_one(&chips[1], items, 4, &pair, 1, &tile), TW_E_TILE_MEMORY);
    assert_true(!(items[2].flags & TW__PLACE_OVERFLOWED) && !(items[3].flags & TW__PLACE_OVERFLOWED));
    bool first = items[0].flags & TW__PLACE_OVERFLOWED;
    const tw__place_item *out = &items[first ? 0 : 1];
    assert_true((out->flags & TW__PLACE_OVERFLOWED) && out->address < 0xE8000 &&
                out->address + out->bytes > 0xE8000);
}

/* --- liveness ------------------------------------------------------------------------------------------------- */

/* The density of 100,000 variables in 10,000 steps (bench_place), a tenth of the length. */
static void tile_place_liveness_peak(void **state)
{
    (void)state;
    enum { VARIABLES = 10000, LENGTH = 1000 };
    static tw__place_item items[VARIABLES];
    static unsigned char memory[0xE8000];
    uint64_t most = 0;
    tw__place_tile tile;
    for (uint32_t i = 0; i < VARIABLES; i++) {
        uint32_t first = draw(LENGTH - 20);
        items[i] =
            (tw__place_item){ .bytes = 4 + 4 * draw(512), .align = 4, .first = first, .last = first + draw(20) };
    }
    if (place_one(&chips[1], items, VARIABLES, NULL, 0, &tile)) fail_msg("%s", tw_error_message());
    for (uint32_t step = 0; step < LENGTH; step++) {
        uint64_t alive = 0;
        memset(memory, 0, sizeof memory);
        for (uint32_t i = 0; i < VARIABLES; i++) {
            const tw__place_item *v = &items[i];
            if (v->first > step || v->last < step) continue;
            for (uint64_t at = v->address; at < v->address + v->bytes; at += 4)
                if (memory[at]++) fail_msg("step %u: two variables at 0x%lx", step, at);
            alive += v->bytes;
        }
        if (alive > most) most = alive;
    }
    assert_int_equal(tile.max_live, most);
    if ((double)tile.peak > 1.05 * (double)most) fail_msg("peak %lu, alive %lu", tile.peak, most);
}

static void tile_place_bad_input(void **state)
{
    (void)state;
    tw__place_tile tile;
    const tw__place_item good = { .bytes = 8, .align = 8 };
    tw__place_item items[2] = { good, good };
    tw__place_pair pair = { 0, 2, TW__PLACE_ELEM, NULL };
    assert_int_equal(place_one(&chips[0], items, 2, &pair, 1, &tile), TW_E_INVALID_ARGUMENT);
    items[1].align = 3;
    assert_int_equal(place_one(&chips[0], items, 2, NULL, 0, &tile), TW_E_INVALID_ARGUMENT);
    items[1] = good, items[1].tile = 1;
    assert_int_equal(place_one(&chips[0], items, 2, NULL, 0, &tile), TW_E_INVALID_ARGUMENT);
    items[1] = good, items[1].first = 2, items[1].last = 1;
    assert_int_equal(place_one(&chips[0], items, 2, NULL, 0, &tile), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw__place(tw_tile_arch_by_name("a5"), 1, items, 1, NULL, 0, &tile), TW_E_NOT_SUPPORTED);
    assert_int_equal(place_one(&chips[0], NULL, 0, NULL, 0, &tile), TW_OK);
    unsigned long nth = 0;
    tw_status status;
    do { /* each allocation fails once */
        items[1] = good;
        tw__fail_allocation(++nth);
        status = place_one(&chips[0], items, 2, NULL, 0, &tile);
        tw__fail_allocation(0);
        assert_true(status == TW_OK || status == TW_E_NO_MEMORY);
        if (status == TW_OK) assert_int_equal(llabs((long long)(items[0].address - items[1].address)), 8);
    } while (status != TW_OK && nth < 1000);
    assert_true(nth > 5 && nth < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_place_3_2_2_random_constraints),
        cmocka_unit_test(tile_place_4_1_4_interleaved_where_asked),
        cmocka_unit_test(tile_place_7_5_2_over_read),
        cmocka_unit_test(tile_place_7_3_stacks),
        cmocka_unit_test(tile_place_7_2_out_of_memory),
        cmocka_unit_test(tile_place_3_2_2_constraints),
        cmocka_unit_test(tile_place_3_2_2_full_elements),
        cmocka_unit_test(tile_place_7_2_overflow_beside_constraints),
        cmocka_unit_test(tile_place_liveness_peak),
        cmocka_unit_test(tile_place_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
