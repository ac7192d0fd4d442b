/* SPDX-License-Identifier: MIT */
/* Status codes and error details; arenas, growable arrays and failing allocations. */
#include "core/base/base.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static void base_status_table(void **state)
{
    (void)state;
    assert_string_equal(tw_status_name(TW_OK), "TW_OK");
    assert_string_equal(tw_status_name(TW_E_TYPE), "TW_E_TYPE");
    assert_string_equal(tw_status_exception(TW_E_TYPE), "type_error");
    assert_string_equal(tw_status_text(TW_E_NO_MEMORY), "out of host memory");
    assert_string_equal(tw_status_name((tw_status)-9999), "unknown");
    assert_string_equal(tw_status_text((tw_status)1), "unknown");
    static const tw_status codes[] = {
#define CODE(name, value, exception, text) TW_E_##name,
        TW_STATUS_LIST(CODE)
#undef CODE
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        assert_int_equal(codes[i], -(int)i); /* one code each, without a gap */
        assert_true(i == 0 || *tw_status_exception(codes[i]));
        assert_true(*tw_status_text(codes[i]));
    }
    assert_string_equal(tw_version(), TW_VERSION);
}

/* docs/errors.md lists every code as the table has it. */
static void base_status_documentation(void **state)
{
    (void)state;
    static char text[1 << 16];
    FILE *file = fopen(TW_SOURCE_DIR "/docs/errors.md", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
#define CHECK(name, value, exception, meaning)                                                                \
    if (value != 0 && !strstr(text, "\n| `TW_E_" #name "` | " #value " | " meaning " | `" exception "` |\n")) \
        fail_msg("docs/errors.md lacks the row of " #name);
    TW_STATUS_LIST(CHECK)
#undef CHECK
}

static void *in_other_thread(void *data)
{
    assert_string_equal(tw_error_message(), "");
    tw__fail(TW_E_IO, "other thread");
    return data;
}

static void base_error_message_is_per_thread(void **state)
{
    (void)state;
    assert_int_equal(tw__fail(TW_E_INDEX, "element %d of %s", 7, "x"), TW_E_INDEX);
    assert_string_equal(tw_error_message(), "element 7 of x");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, in_other_thread, NULL), 0);
    pthread_join(thread, NULL);
    assert_string_equal(tw_error_message(), "element 7 of x");
    tw__fail(TW_E_IO, "while loading: %s", tw_error_message()); /* wraps the detail below */
    assert_string_equal(tw_error_message(), "while loading: element 7 of x");
}

static void base_error_message_is_cut(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    tw__fail(TW_E_ERROR, "%s", text);
    size_t length = strlen(tw_error_message());
    assert_in_range(length, 1000, 4000);
    assert_string_equal(tw_error_message() + length - 4, "x...");
}

/* Rounds of save, allocate, restore: after the first the system is asked for nothing, wherever the mark lies. */
static void base_arena_rounds_take_no_memory(void **state)
{
    (void)state;
    for (size_t before = 0; before <= 1024; before += 256) {
        tw__arena *arena = tw__arena_new(1024);
        unsigned char *kept = before ? tw__arena_alloc(arena, before, 1) : NULL;
        if (kept) memset(kept, 0x5a, before);
        size_t held = 0;
        for (int round = 0; round < 100; round++) {
            tw__arena_mark mark = tw__arena_save(arena);
            for (int i = 0; i < 3; i++) {
                unsigned char *at = tw__arena_alloc(arena, 300, 16);
                assert_non_null(at);
                memset(at, round, 300);
            }
            tw__arena_restore(arena, mark);
            if (round == 0) {
                held = tw__arena_bytes(arena);
                tw__fail_allocation(1); /* the next one fails */
            }
            assert_int_equal(tw__arena_bytes(arena), held);
        }
        assert_int_equal(tw__fail_allocation(0), 1);
        for (size_t i = 0; i < before; i++) assert_int_equal(kept[i], 0x5a);
        tw__arena_free(arena);
    }
}

static void base_arena_alignment_and_contents(void **state)
{
    (void)state;
    tw__arena *arena = tw__arena_new(256);
    unsigned char *blocks[200];
    for (int i = 0; i < 200; i++) {
        size_t align = (size_t)1 << (i % 9); /* 1 .. 256 */
        blocks[i] = tw__arena_alloc(arena, (size_t)i + 1, align);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % align, 0);
        memset(blocks[i], i, (size_t)i + 1);
    }
    for (int i = 0; i < 200; i++)
        for (int k = 0; k <= i; k++) assert_int_equal(blocks[i][k], i);
    char *big = tw__arena_zalloc(arena, 1 << 21, 64); /* larger than any block */
    assert_int_equal(big[0] | big[(1 << 21) - 1], 0);
    assert_true(tw__arena_bytes(arena) > 1 << 21);
    assert_string_equal(tw__arena_printf(arena, "%s-%d", "tile", 12), "tile-12");
    assert_string_equal(tw__arena_strdup(arena, ""), "");
    tw__arena_free(arena);
    tw__arena_free(NULL);
}

static void base_arena_restore(void **state)
{
    (void)state;
    tw__arena *arena = tw__arena_new(128);
    tw__arena_mark empty = tw__arena_save(arena);
    int *kept = TW__NEW(arena, int);
    *kept = 42;
    size_t before = tw__arena_bytes(arena);
    tw__arena_mark mark = tw__arena_save(arena);
    char *dropped = tw__arena_alloc(arena, 16, 1);
    for (int i = 0; i < 1000; i++) assert_non_null(tw__arena_alloc(arena, 100, 8));
    size_t most = tw__arena_bytes(arena);
    assert_true(most > before);
    tw__arena_restore(arena, mark);
    assert_true(tw__arena_bytes(arena) < before + (most - before) * 2 / 3); /* all but the largest block */
    assert_int_equal(*kept, 42);
    assert_ptr_equal(tw__arena_alloc(arena, 16, 1), dropped); /* the room is used again */
    tw__arena_restore(arena, empty);
    tw__arena_free(arena);
}

static void base_arena_refuses_overflow(void **state)
{
    (void)state;
    tw__arena *arena = tw__arena_new(0);
    assert_null(tw__arena_alloc(arena, SIZE_MAX, 8));
    assert_null(tw__arena_alloc(arena, SIZE_MAX - 16, 8));
    assert_null(TW__NEW_N(arena, uint64_t, SIZE_MAX / 4));
    assert_non_null(TW__NEW_N(arena, uint64_t, 0));
    assert_non_null(tw__arena_alloc(arena, 8, 8)); /* still of use */
    tw__arena_free(arena);
}

static void base_failing_allocations(void **state)
{
    (void)state;
    tw__fail_allocation(1);
    assert_null(tw__arena_new(0));
    tw__arena *arena = tw__arena_new(64); /* only that one failed */
    assert_non_null(arena);
    tw__fail_allocation(2);
    assert_non_null(tw__arena_alloc(arena, 64, 8));
    assert_null(tw__arena_alloc(arena, 1000, 8));
    assert_non_null(tw__arena_alloc(arena, 1000, 8));
    tw__fail_allocation(1);
    tw__fail_allocation(0); /* turned off */
    void *memory = tw__realloc(NULL, 10);
    assert_non_null(memory);
    tw__fail_allocation(1);
    assert_null(tw__realloc(memory, 20)); /* the old block stays */
    memset(memory, 1, 10);
    free(memory);
    tw__arena_free(arena);
}

static void base_grow(void **state)
{
    (void)state;
    int *items = NULL;
    size_t count = 0, room = 0;
    for (int i = 0; i < 10000; i++) {
        assert_true(tw__grow(&items, &room, count, sizeof *items));
        items[count++] = i;
    }
    for (int i = 0; i < 10000; i++) assert_int_equal(items[i], i);
    assert_true(room < 20000);
    count = room; /* full */
    int *old = items;
    tw__fail_allocation(1);
    assert_false(tw__grow(&items, &room, count, sizeof *items));
    assert_ptr_equal(items, old);
    assert_int_equal(room, count);
    assert_false(tw__grow(&items, &(size_t){ SIZE_MAX / 8 }, SIZE_MAX / 8, sizeof *items * 8));
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_status_table),
        cmocka_unit_test(base_status_documentation),
        cmocka_unit_test(base_error_message_is_per_thread),
        cmocka_unit_test(base_error_message_is_cut),
        cmocka_unit_test(base_arena_alignment_and_contents),
        cmocka_unit_test(base_arena_rounds_take_no_memory),
        cmocka_unit_test(base_arena_restore),
        cmocka_unit_test(base_arena_refuses_overflow),
        cmocka_unit_test(base_failing_allocations),
        cmocka_unit_test(base_grow),
    };
    return cmocka_run_group_tests_name("base errors and arenas", tests, NULL, NULL);
}
