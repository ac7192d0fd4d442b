/* SPDX-License-Identifier: MIT */
/* Diagnostics as printed, nearest names, digit groups, folders. */
#define _GNU_SOURCE
#include "core/base/base.h"
#include "core/base/text_file.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
// clang-format on

/* What tw_diags_print writes; the caller frees it. */
static char *printed(const tw_diags *diags, bool colour)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tw_diags_print(diags, out, colour);
    fclose(out);
    return text;
}

static void base_diag_print(void **state)
{
    (void)state;
    static const struct {
        tw_diag diag;
        const char *expected;
    } rows[] = {
        { { "saxpy.S", 14, 28, 5, TW_ERROR, "", "operand 3 must start at an even register",
            "    f32v2add $a0:1, $a2:3, $a3:4" },
          "saxpy.S:14:28: error: operand 3 must start at an even register\n"
          "   14 |     f32v2add $a0:1, $a2:3, $a3:4\n"
          "      |                            ^~~~~\n" },
        { { "a.c", 123456, 1, 1, TW_NOTE, "", "here", "x" }, "a.c:123456:1: note: here\n123456 | x\n       | ^\n" },
        { { "a.c", 2, 3, 2, TW_WARNING, "popc.field-type", "m", "\t\txy" },
          "a.c:2:3: warning: m [popc.field-type]\n    2 | \t\txy\n      | \t\t^~\n" },
        { { "a.c", 1, 5, 99, TW_ERROR, "", "past", "abc" }, "a.c:1:5: error: past\n    1 | abc\n      |    ^\n" },
        { { "a.c", 1, 2, 99, TW_ERROR, "", "long", "abc" }, "a.c:1:2: error: long\n    1 | abc\n      |  ^~\n" },
        { { "a.c", 1, 4, 2, TW_ERROR, "", "utf-8", "\xc3\xa4 \xc3\xb6x" },
          "a.c:1:4: error: utf-8\n    1 | \xc3\xa4 \xc3\xb6x\n      |   ^\n" },
        { { "a.c", 7, 0, 0, TW_ERROR, NULL, "no column", NULL }, "a.c:7: error: no column\n" },
        { { NULL, 0, 0, 0, TW_ERROR, NULL, "nowhere", NULL }, "error: nowhere\n" },
        { { "a.c", -3, 9, 1, TW_ERROR, "", "no line", "x" }, "a.c: error: no line\n" },
        { { "a.c", 1, 1, 1, TW_ERROR, "", "two\nlines", "x\033[31m\ny" },
          "a.c:1:1: error: two\n    1 | x\\x1b[31m\n      | ^\n" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_diags *diags = tw_diags_new();
        tw_diags_add(diags, &rows[i].diag);
        char *text = printed(diags, false);
        if (strcmp(text, rows[i].expected) != 0) fail_msg("row %zu:\n%s", i, text);
        free(text);
        tw_diags_free(diags);
    }
}

static void base_diag_colour(void **state)
{
    (void)state;
    tw_diags *diags = tw_diags_new();
    tw_diags_add(diags, &(tw_diag){ "a.c", 1, 1, 1, TW_ERROR, "", "m", "x" });
    char *text = printed(diags, true);
    assert_non_null(strstr(text, "\033[31merror:\033[0m m"));
    assert_non_null(strstr(text, "\033[32m^\033[0m\n"));
    free(text);
    tw_diags_free(diags);
}

static void base_diag_list(void **state)
{
    (void)state;
    tw_diags *diags = tw_diags_new();
    char message[] = "copied";
    for (int i = 0; i < 100; i++)
        tw_diags_add(diags, &(tw_diag){ .severity = (tw_severity)(i % 3), .message = message });
    message[0] = 'X';
    assert_int_equal(tw_diags_count(diags, TW_NOTE),
                     100 - 13 + 1); /* of 33 warnings 20, and what counts the others */
    assert_int_equal(tw_diags_count(diags, TW_WARNING), 66);
    assert_int_equal(tw_diags_count(diags, TW_ERROR), 33);
    assert_string_equal(tw_diags_get(diags, 87)->message, "copied");
    assert_string_equal(tw_diags_get(diags, 0)->file, "");
    assert_null(tw_diags_get(diags, 88));
    tw_diags_free(diags);
    tw_diags_free(NULL);
    assert_int_equal(tw_diags_count(NULL, TW_NOTE), 0);
    assert_null(tw_diags_get(NULL, 0));
    tw_diags_add(NULL, &(tw_diag){ .message = "m" });
}

/* A diagnostic without memory shows up as an error, so that a failed compilation never looks clean. */
static void base_diag_without_memory(void **state)
{
    (void)state;
    for (unsigned long nth = 1; nth <= 2; nth++) {
        tw__fail_allocation(nth);
        assert_null(tw_diags_new());
    }
    for (unsigned long nth = 1; nth <= 2; nth++) {
        tw_diags *diags = tw_diags_new();
        tw__fail_allocation(nth);
        tw_diags_add(diags, &(tw_diag){ .severity = TW_WARNING, .message = "m" });
        tw__fail_allocation(0);
        assert_int_equal(tw_diags_count(diags, TW_ERROR), 1);
        char *text = printed(diags, false);
        assert_non_null(strstr(text, "error: out of memory"));
        free(text);
        tw_diags_free(diags);
    }
}

static void base_nearest(void **state)
{
    (void)state;
    static const char *const names[] = { "add", "subtract", "multiply", "compute", "debug.instrument" };
    static const struct {
        const char *name, *expected;
    } rows[] = {
        { "subtrcat", "subtract" },
        { "SUBTRACT", "subtract" },
        { "adds", "add" },
        { "ad", "add" },
        { "aid", "add" },
        { "foo", NULL }, /* two of three letters are another word */
        { "das", NULL },
        { "multply", "multiply" },
        { "zzz", NULL },
        { "", NULL },
        { "x", NULL },
        { "comptue", "compute" },
        { "instrument", NULL },
        { "divide", NULL },
        { "debug.instruments", "debug.instrument" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = tw__nearest(rows[i].name, names, 5);
        if (got != rows[i].expected && (!got || !rows[i].expected || strcmp(got, rows[i].expected) != 0))
            fail_msg("'%s': %s", rows[i].name, got ? got : "nothing");
    }
    char huge[4000];
    memset(huge, 'a', sizeof huge - 1);
    huge[sizeof huge - 1] = 0;
    assert_null(tw__nearest(huge, names, 5));
    assert_null(tw__nearest("add", names, 0));
}

static void base_commas(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        const char *expected;
    } rows[] = { { 0, "0" },
                 { 999, "999" },
                 { 1000, "1,000" },
                 { 1234567, "1,234,567" },
                 { UINT64_MAX, "18,446,744,073,709,551,615" } };
    char buf[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(tw__commas(buf, sizeof buf, rows[i].value), rows[i].expected);
    assert_string_equal(tw__commas(buf, 4, 1234567), "1,2"); /* cut, never overrun */
}

static void base_folders(void **state)
{
    (void)state;
    char root[] = "/tmp/tilewright-base-XXXXXX", expected[100];
    assert_non_null(mkdtemp(root));
    setenv("XDG_CACHE_HOME", root, 1);
    snprintf(expected, sizeof expected, "%s/tilewright", root);
    assert_string_equal(tw__cache_dir(), expected);
    struct stat info;
    assert_int_equal(stat(expected, &info), 0);
    assert_int_equal(info.st_mode & 077, 0); /* code of the user's programs: nobody else writes there */
    rmdir(expected);
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", root, 1);
    snprintf(expected, sizeof expected, "%s/.cache/tilewright", root);
    assert_string_equal(tw__cache_dir(), expected);
    rmdir(expected);
    snprintf(expected, sizeof expected, "%s/.cache", root);
    rmdir(expected);
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    assert_null(tw__cache_dir());
    assert_non_null(strstr(tw_error_message(), "/proc/nowhere"));
    rmdir(root);

    assert_string_equal(tw__include_dir(), TW_SOURCE_DIR "/include"); /* linked statically: the build tree */
    assert_string_equal(tw__lib_dir(), TW_BINARY_DIR);
    setenv("TILEWRIGHT_ROOT", "/opt/tw", 1);
    assert_string_equal(tw__include_dir(), "/opt/tw/include");
    assert_string_equal(tw__lib_dir(), "/opt/tw/lib");
    unsetenv("TILEWRIGHT_ROOT");
}

/* Pieces of any length; a piece without memory makes all of it fail, also when there is some for what follows. */
static void base_text_file(void **state)
{
    (void)state;
    tw__text_file file = { 0 };
    size_t size = 1;
    assert_null(tw__text_close(&file, &size)); /* never opened */

    assert_non_null(tw__text_open(&file));
    char *text = tw__text_close(&file, &size);
    assert_string_equal(text, "");
    assert_int_equal(size, 0);
    free(text);

    assert_non_null(tw__text_open(&file));
    for (int i = 0; i < 5000; i++) fprintf(file.out, "%d%c", i, i % 7 ? ' ' : 0);
    text = tw__text_close(&file, &size);
    char *at = text;
    for (int i = 0; i < 5000; i++) {
        char word[16];
        int n = snprintf(word, sizeof word, "%d%c", i, i % 7 ? ' ' : 0);
        assert_memory_equal(at, word, (size_t)n);
        at += n;
    }
    assert_ptr_equal(at, text + size);
    assert_int_equal(*at, 0);
    free(text);

    assert_non_null(tw__text_open(&file));
    setvbuf(file.out, NULL, _IONBF, 0);
    tw__fail_allocation(1);
    fputs("lost", file.out);
    tw__fail_allocation(0);
    fputs("kept", file.out);
    assert_true(ferror(file.out));
    assert_null(tw__text_close(&file, &size));
    assert_int_equal(size, 0);
    tw__fail_allocation(1);
    assert_null(tw__text_open(&file));
    tw__fail_allocation(0);
    assert_null(tw__text_close(&file, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_diag_print), cmocka_unit_test(base_diag_colour),
        cmocka_unit_test(base_diag_list),  cmocka_unit_test(base_diag_without_memory),
        cmocka_unit_test(base_nearest),    cmocka_unit_test(base_commas),
        cmocka_unit_test(base_folders),    cmocka_unit_test(base_text_file),
    };
    return cmocka_run_group_tests_name("base text", tests, NULL, NULL);
}
