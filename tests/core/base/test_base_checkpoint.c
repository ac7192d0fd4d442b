/* SPDX-License-Identifier: MIT */
/* The container of checkpoints: what is written is read, whatever the numbers; other files, and files that were
 * cut off or damaged anywhere, are refused with a word of what is wrong. */
#include "core/base/checkpoint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MEMORY = 1000 }; /* no whole number of pages */
typedef struct thing {
    uint8_t small, list[3];
    uint16_t half;
    int32_t word;
    uint64_t large[2];
    char *pointer;
} thing;
static const tw__ck_field rows[] = {
    TW__CK_ONE(thing, small, 7),         TW__CK_ALL(thing, list, TW__CK_ANY),  TW__CK_ONE(thing, half, TW__CK_ANY),
    TW__CK_ONE(thing, word, TW__CK_ANY), TW__CK_ALL(thing, large, TW__CK_ANY), TW__CK_NOT(thing, pointer),
};
static const tw__ck_head head = { .machine = "thing", .build = "1 (abc)", .layout = 5, .program = UINT64_MAX };

typedef struct all {
    thing one;
    char *text;
    uint8_t memory[MEMORY];
} all;

static void walk(tw__ck *k, all *a)
{
    tw__ck_section(k, "fields", 0);
    tw__ck_fields(k, rows, sizeof rows / sizeof *rows, &a->one);
    tw__ck_section(k, "rest", 7);
    a->text = tw__ck_text(k, "text", a->text, 100);
    tw__ck_sparse(k, "memory", a->memory, MEMORY);
}

static const char *path(void)
{
    static char name[64];
    if (!*name) {
        strcpy(name, "/tmp/tilewright-ck-XXXXXX");
        int file = mkstemp(name);
        assert_true(file >= 0);
        close(file);
    }
    return name;
}

static void put(const void *bytes, size_t size)
{
    FILE *out = fopen(path(), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void save(all *a)
{
    FILE *out = fopen(path(), "wb");
    assert_non_null(out);
    tw__ck *k = tw__ck_write(out, &head);
    walk(k, a);
    assert_int_equal(tw__ck_end(k), TW_OK);
    assert_int_equal(fclose(out), 0);
}

static tw_status load(all *a, const tw__ck_head *as)
{
    memset(a, 0, sizeof *a);
    tw__ck *k = tw__ck_read(path(), as);
    if (!k) return tw_error_status();
    walk(k, a);
    return tw__ck_end(k);
}

static const all example = {
    .one = { .small = 7, .list = { 0, 127, 255 }, .half = 65535, .word = -2, .large = { UINT64_MAX, 128 } },
    .text = (char *)"some words",
    .memory = { [0] = 1, [255] = 2, [512] = 3, [999] = 4 },
};

static void round_trip(void **state)
{
    (void)state;
    all a = example, b;
    save(&a);
    assert_int_equal(load(&b, &head), TW_OK);
    assert_memory_equal(&a.one, &b.one, sizeof a.one);
    assert_memory_equal(a.memory, b.memory, MEMORY);
    assert_string_equal(b.text, "some words");
    free(b.text);
    memset(a.memory, 0, MEMORY);
    save(&a);
    assert_int_equal(load(&b, &head), TW_OK);
    assert_memory_equal(a.memory, b.memory, MEMORY);
    free(b.text);
}

/* Each with a word of its message. */
static void refusals(void **state)
{
    (void)state;
    static const struct {
        tw__ck_head as;
        const char *word;
    } others[] = {
        { { "machine", "1 (abc)", 5, UINT64_MAX }, "of a thing" },
        { { "thing", "1 (abd)", 5, UINT64_MAX }, "saved by Tilewright 1 (abc)" },
        { { "thing", "1 (abc)", 6, UINT64_MAX }, "saved by Tilewright" },
        { { "thing", "1 (abc)", 5, 0 }, "another program" },
    };
    all a = example, b;
    save(&a);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(load(&b, &others[i].as), TW_E_FILE_LOAD);
        assert_non_null(strstr(tw_error_message(), others[i].word));
    }
    put("", 0);
    assert_int_equal(load(&b, &head), TW_E_FILE_LOAD);
    assert_non_null(strstr(tw_error_message(), "is no checkpoint"));
    a.one.small = 8; /* more than the table allows */
    save(&a);
    assert_int_equal(load(&b, &head), TW_E_FILE_LOAD);
    assert_non_null(strstr(tw_error_message(), "'small' is 8, at most 7"));
    free(b.text);
}

/* Every length but the whole, and every byte changed in each of its bits. */
static void damage(void **state)
{
    (void)state;
    all a = example, b;
    size_t size;
    save(&a);
    char *bytes = tw_read_file(path(), 1 << 20, &size);
    assert_non_null(bytes);
    for (size_t length = 0; length < size; length++) {
        put(bytes, length);
        assert_int_equal(load(&b, &head), TW_E_FILE_LOAD);
        assert_non_null(strstr(tw_error_message(), length < 8 ? "is no checkpoint" : "was cut off"));
    }
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[i] ^= (char)(1u << bit);
            put(bytes, size);
            assert_int_equal(load(&b, &head), TW_E_FILE_LOAD);
            bytes[i] ^= (char)(1u << bit);
        }
    free(bytes);
}

static int gone(void **state)
{
    (void)state;
    return unlink(path());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(refusals),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests_name("base checkpoint", tests, NULL, gone);
}
