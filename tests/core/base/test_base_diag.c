/* SPDX-License-Identifier: MIT */
/* What diagnostics look like on a terminal: one write for all, long lines and messages shortened around the place,
 * the caret under it, control characters harmless. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core/base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sink {
    unsigned writes;
    char text[8192];
    size_t size;
} sink;

static ssize_t take(void *user, const char *bytes, size_t size)
{
    sink *s = user;
    assert_true(s->size + size < sizeof s->text);
    memcpy(s->text + s->size, bytes, size);
    s->size += size;
    s->writes++;
    return (ssize_t)size;
}

static void print(const tw_diags *diags, sink *s)
{
    *s = (sink){ 0 };
    FILE *out = fopencookie(s, "w", (cookie_io_functions_t){ .write = take });
    setvbuf(out, NULL, _IONBF, 0); /* as stderr is */
    tw_diags_print(diags, out, false);
    fclose(out);
}

static void base_diag_one_write(void **state)
{
    sink s;
    (void)state;
    tw_diags *diags = tw_diags_new();
    for (int i = 1; i <= 20; i++)
        tw_diags_add(diags, &(tw_diag){ .file = "a.pto",
                                        .line = i,
                                        .column = 3,
                                        .length = 2,
                                        .severity = TW_ERROR,
                                        .code = "x",
                                        .message = "wrong",
                                        .source = "a bc d" });
    print(diags, &s);
    assert_int_equal(s.writes, 1);
    assert_non_null(strstr(s.text, "a.pto:20:3: error: wrong [x]\n   20 | a bc d\n      |   ^~\n"));
    tw_diags_free(diags);
}

/* The caret stands under its character wherever that is in a line of any length. */
static void base_diag_long_lines(void **state)
{
    enum { LONG = 100000 };
    char *line = malloc(LONG + 1);
    sink s;
    (void)state;
    for (int wide = 0; wide < 2; wide++) /* characters of one byte, and of two */
        for (size_t column = 1; column <= LONG; column += column < 400 || column > LONG - 400 ? 2 : 9998) {
            for (size_t i = 0; i < LONG; i += 2) memcpy(line + i, wide ? "\xc3\xa9" : "..", 2);
            memcpy(line + (column - 1) / 2 * 2, "@@", 2);
            line[LONG] = 0;
            tw_diags *diags = tw_diags_new();
            tw_diags_add(diags, &(tw_diag){ .file = "f",
                                            .line = 7,
                                            .column = (int)column,
                                            .length = 1,
                                            .severity = TW_ERROR,
                                            .code = "",
                                            .message = "m",
                                            .source = line });
            print(diags, &s);
            char *source = strchr(s.text, '\n') + 1, *marks = strchr(source, '\n') + 1, *at = strchr(source, '@');
            assert_true(s.size < 700);
            assert_non_null(at);
            size_t before = 0;
            for (const char *c = source; c < at; c++) before += ((unsigned char)*c & 0xc0) != 0x80;
            assert_int_equal(strcspn(marks, "^"), before);
            assert_non_null(strstr(source, "..."));
            tw_diags_free(diags);
        }
    free(line);
}

static void base_diag_long_message(void **state)
{
    char *message = malloc(5001);
    sink s;
    (void)state;
    memset(message, 'n', 5000);
    message[5000] = 0;
    message[10] = '\x1b';
    tw_diags *diags = tw_diags_new();
    tw_diags_add(diags, &(tw_diag){ .file = "f",
                                    .line = 1,
                                    .column = 1,
                                    .length = 1,
                                    .severity = TW_WARNING,
                                    .code = "c",
                                    .message = message,
                                    .source = "x" });
    print(diags, &s);
    assert_true(s.size < 700);
    assert_null(strchr(s.text, '\x1b'));
    assert_non_null(strstr(s.text, "n... [c]\n"));
    tw_diags_free(diags);
    free(message);
}

/* The first 20 warnings with their notes; then a count in the place of the others. Errors are all there, and so is a
 * note that belongs to none of them. */
static void base_diag_many_warnings(void **state)
{
    (void)state;
    tw_diags *diags = tw_diags_new();
    tw_diag warning = { .severity = TW_WARNING, .message = "w" }, note = { .severity = TW_NOTE, .message = "n" };
    tw_diag error = { .severity = TW_ERROR, .message = "e" };
    for (int i = 0; i < 20; i++) tw_diags_add(diags, &warning), tw_diags_add(diags, &note);
    assert_int_equal(tw_diags_count(diags, TW_NOTE), 40);
    tw_diags_add(diags, &warning), tw_diags_add(diags, &note);
    assert_int_equal(tw_diags_count(diags, TW_NOTE), 41);
    assert_string_equal(tw_diags_get(diags, 40)->message, "1 more warning is not shown");
    tw_diags_add(diags, &error), tw_diags_add(diags, &note);
    for (int i = 0; i < 200000; i++) tw_diags_add(diags, &warning);
    tw__diags_add_alone(diags, &note);
    assert_string_equal(tw_diags_get(diags, 40)->message, "200001 more warnings are not shown");
    assert_int_equal(tw_diags_get(diags, 40)->severity, TW_NOTE);
    assert_int_equal(tw_diags_get(diags, 41)->severity, TW_ERROR);
    assert_string_equal(tw_diags_get(diags, 42)->message, "n");
    assert_string_equal(tw_diags_get(diags, 43)->message, "n");
    assert_null(tw_diags_get(diags, 44));
    assert_int_equal(tw_diags_count(diags, TW_NOTE), 44);
    assert_int_equal(tw_diags_count(diags, TW_WARNING), 200022);
    assert_int_equal(tw_diags_count(diags, TW_ERROR), 1);
    tw_diags_free(diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(base_diag_one_write),
                                        cmocka_unit_test(base_diag_many_warnings),
                                        cmocka_unit_test(base_diag_long_lines),
                                        cmocka_unit_test(base_diag_long_message) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
