/* SPDX-License-Identifier: MIT */
/* What reaches a terminal: texts of files without what a terminal obeys, in messages too; who decides on colours. */
#define _GNU_SOURCE
#include "core/base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>
#include <string.h>

/* What each kind of character becomes, and the columns that takes. */
static const struct {
    const char *text, *kept, *shown;
    size_t columns;
} texts[] = {
    { "", "", "", 0 },
    { "plain ~", "", "plain ~", 7 },
    { "\x1b[31mred\x1b[0m", "", "\\x1b[31mred\\x1b[0m", 18 },
    { "a\nb\tc", "", "a\\x0ab\\x09c", 11 },
    { "a\nb\tc", "\n\t", "a\nb\tc", 5 },
    { "\x01\x7f", "\n\t", "\\x01\\x7f", 8 },
    { "\xc2\x9b"
      "2J",
      "", "\\x9b2J", 6 },                                                      /* CSI of the second set */
    { "\xc2\xa0\xc3\xa9\xe2\x82\xac", "", "\xc2\xa0\xc3\xa9\xe2\x82\xac", 3 }, /* letters beyond ASCII stay */
    { "\xf0\x9f\x98\x80", "", "\xf0\x9f\x98\x80", 1 },
    { "\x9b\xff", "", "\\x9b\\xff", 8 },           /* bytes that are no UTF-8 */
    { "\xe2\x82", "", "\\xe2\\x82", 8 },           /* cut short */
    { "\xc0\x9b", "", "\\xc0\\x9b", 8 },           /* longer than it has to be */
    { "\xed\xa0\x80", "", "\\xed\\xa0\\x80", 12 }, /* half of a pair */
    { "\xe2\x82\x1b", "", "\\xe2\\x82\\x1b", 12 },
};

static void base_terminal_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *out = NULL, small[64];
        size_t size = 0;
        FILE *memory = open_memstream(&out, &size);
        size_t columns = tw_print_text(memory, texts[i].text, strlen(texts[i].text), texts[i].kept);
        fclose(memory);
        if (strcmp(out, texts[i].shown) != 0 || columns != texts[i].columns)
            fail_msg("row %zu: '%s' in %zu columns", i, out, columns);
        free(out);
        assert_true(tw__escape_text(small, sizeof small, texts[i].text, strlen(texts[i].text), texts[i].kept));
        assert_string_equal(small, texts[i].shown);
    }
}

/* Every code point below 0x100, and every single byte: nothing that is sent is a control. */
static void base_terminal_every_control(void **state)
{
    (void)state;
    for (unsigned c = 1; c < 0x200; c++) {
        char text[3] = { (char)c, 0, 0 }, shown[16];
        if (c >= 0x100) text[0] = (char)(0xc0 | (c - 0x100) >> 6), text[1] = (char)(0x80 | (c & 0x3f));
        tw__escape_text(shown, sizeof shown, text, strlen(text), "");
        bool printable = (c >= 0x20 && c < 0x7f) || c >= 0x1a0; /* U+00A0 on */
        assert_int_equal(strcmp(shown, text) == 0, printable);
        for (const char *at = shown; *at && !printable; at++) assert_true(*at >= 0x20 && *at < 0x7f);
    }
    char zero[8];
    tw__escape_text(zero, sizeof zero, "a\0b", 3, "");
    assert_string_equal(zero, "a\\x00b");
}

static void base_terminal_cut(void **state)
{
    (void)state;
    char room[6];
    assert_false(tw__escape_text(room, sizeof room, "ab\x1b\x1b", 4, "")); /* whole characters only */
    assert_string_equal(room, "ab");
    assert_false(tw__escape_text(room, sizeof room, "abcd\xc3\xa9", 6, ""));
    assert_string_equal(room, "abcd");
    assert_true(tw__escape_text(room, sizeof room, "abcde", 5, ""));
}

static void base_terminal_messages(void **state)
{
    (void)state;
    tw__fail(TW_E_ERROR, "no symbol '%s'\nnor '%s'", "\x1b]0;title\x07",
             "\xc2\x9b"
             "2J");
    assert_string_equal(tw_error_message(), "no symbol '\\x1b]0;title\\x07'\nnor '\\x9b2J'");
    tw__fail(TW_E_ERROR, "again: %s", tw_error_message()); /* a message of a message says the same */
    assert_string_equal(tw_error_message(), "again: no symbol '\\x1b]0;title\\x07'\nnor '\\x9b2J'");
}

/* The place that is marked stands below what is shown. */
static void base_terminal_diagnostics(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    tw_diags *diags = tw_diags_new();
    tw_diags_add(diags, &(tw_diag){ .file = "a\x1b.csl",
                                    .line = 1,
                                    .column = 5,
                                    .length = 2,
                                    .severity = TW_ERROR,
                                    .message = "what is '\x1b[2J'?",
                                    .source = "\x1b\t\xc3\xa9\x9b;" });
    FILE *out = open_memstream(&text, &size);
    tw_diags_print(diags, out, false);
    fclose(out);
    assert_string_equal(text, "a\\x1b.csl:1:5: error: what is '\\x1b[2J'?\n"
                              "    1 | \\x1b\t\xc3\xa9\\x9b;\n"
                              "      |     \t ^~~~~\n");
    free(text);
    tw_diags_free(diags);
}

static void base_terminal_colours(void **state)
{
    (void)state;
    static const struct {
        const char *force, *no, *cli;
        int wanted;
        bool coloured; /* the output is not a terminal */
    } rows[] = {
        { NULL, NULL, NULL, -1, false }, { NULL, NULL, NULL, 1, true },  { NULL, NULL, NULL, 0, false },
        { NULL, "1", NULL, 1, false },   { NULL, "", NULL, 1, true },    { NULL, "0", NULL, 1, false },
        { NULL, NULL, "0", 1, false },   { NULL, "1", "1", 1, false },   { "1", "1", "0", 0, true },
        { "1", NULL, NULL, -1, true },   { "0", NULL, NULL, -1, false }, { "0", "1", NULL, 1, false },
        { "", NULL, NULL, 1, true },
    };
    static const char *const names[] = { "CLICOLOR_FORCE", "NO_COLOR", "CLICOLOR" };
    FILE *out = tmpfile();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const values[] = { rows[i].force, rows[i].no, rows[i].cli };
        for (int k = 0; k < 3; k++) values[k] ? setenv(names[k], values[k], 1) : unsetenv(names[k]);
        if (tw__use_colours(out, rows[i].wanted) != rows[i].coloured) fail_msg("row %zu", i);
    }
    for (int k = 0; k < 3; k++) unsetenv(names[k]);
    assert_false(tw_use_colours(out));
    fclose(out);
}

/* Open MPI gives each rank a terminal, and may write to a file itself. */
static void base_terminal_of_ranks(void **state)
{
    (void)state;
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd < 0 || grantpt(fd) || unlockpt(fd)) skip();
    FILE *out = fopen(ptsname(fd), "w");
    assert_non_null(out);
    setenv("TERM", "xterm", 1);
    assert_true(tw_use_colours(out));
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    assert_false(tw_use_colours(out));
    setenv("CLICOLOR_FORCE", "1", 1);
    assert_true(tw_use_colours(out));
    unsetenv("CLICOLOR_FORCE"), unsetenv("OMPI_COMM_WORLD_RANK");
    fclose(out);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_terminal_text),        cmocka_unit_test(base_terminal_every_control),
        cmocka_unit_test(base_terminal_cut),         cmocka_unit_test(base_terminal_messages),
        cmocka_unit_test(base_terminal_diagnostics), cmocka_unit_test(base_terminal_colours),
        cmocka_unit_test(base_terminal_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
