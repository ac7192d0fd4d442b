/* SPDX-License-Identifier: MIT */
/* PrintTensor text: Poplar API, PrintTensor. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "poplar/engine/engine.h"

static char *print(const char *title, tw_type type, uint32_t rank, const size_t *shape, const void *values,
                   const tw_print_format *format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tw__print_values(out, title, type, rank, shape, values, format);
    fclose(out);
    return text;
}

// clang-format off
static const float floats[] = { 7, 6, 4.5f, 2.5f, -10.25f, 1e10f, 1e-5f, 0, 123456.789f };
static const int32_t ints[] = { 1, 2, 3, 40, -50, 60 };
static const uint8_t bools[] = { 1, 0, 1 };
static const uint16_t halves[] = { 0x3c00, 0xc000 }; /* 1, -2 */
static const uint32_t big[] = { 4294967295u, 7 };
#define SHAPE(...) (size_t[]){ __VA_ARGS__ }

static const struct { const char *title; tw_type type; uint32_t rank; const size_t *shape; const void *values;
                      tw_print_format format; const char *text; } rows[] = {
    /* the one text a public tutorial checks */
    { "v", TW_FLOAT, 1, (const size_t[]){ 4 }, floats, { 0 }, "v: [7.0000000 6.0000000 4.5000000 2.5000000]\n" },
    { "", TW_FLOAT, 1, (const size_t[]){ 1 }, floats, { 0 }, "[7.0000000]\n" },
    { "s", TW_FLOAT, 0, NULL, floats, { 0 }, "s: 7.0000000\n" },
    { "w", TW_FLOAT, 1, (const size_t[]){ 2 }, floats + 3, { 0 }, "w: [  2.500000 -10.250000]\n" },
    { "d", TW_FLOAT, 1, (const size_t[]){ 2 }, floats, { .digits = 3 }, "d: [7.00 6.00]\n" },
    { "e", TW_FLOAT, 1, (const size_t[]){ 1 }, floats + 5, { .digits = 4 }, "e: [1.000e+10]\n" },
    { "t", TW_FLOAT, 1, (const size_t[]){ 2 }, floats + 6, { .digits = 3 }, "t: [1.00e-05 0.00e+00]\n" },
    /* fixed as long as the digits reach the point */
    { "w", TW_FLOAT, 1, (const size_t[]){ 1 }, (const float[]){ 999 }, { .digits = 3 }, "w: [999]\n" },
    { "w", TW_FLOAT, 1, (const size_t[]){ 1 }, (const float[]){ 1000 }, { .digits = 3 }, "w: [1.00e+03]\n" },
    { "f", TW_FLOAT, 1, (const size_t[]){ 2 }, floats + 6, { .digits = 7, .float_format = TW_PRINT_FIXED },
      "f: [0.000010 0.000000]\n" },
    { "x", TW_FLOAT, 1, (const size_t[]){ 2 }, floats, { .digits = 3, .float_format = TW_PRINT_SCIENTIFIC },
      "x: [7.00e+00 6.00e+00]\n" },
    { "n", TW_FLOAT, 1, (const size_t[]){ 4 }, floats + 5, { .float_format = TW_PRINT_NONE },
      "n: [1e+10 9.9999997e-06 0 123456.79]\n" },
    { "h", TW_HALF, 1, (const size_t[]){ 2 }, halves, { .digits = 4 }, "h: [ 1.000 -2.000]\n" },
    { "i", TW_INT, 2, (const size_t[]){ 2, 3 }, ints, { 0 }, "i: [\n  [  1   2   3]\n  [ 40 -50  60]\n]\n" },
    { "c", TW_INT, 3, (const size_t[]){ 3, 1, 2 }, ints, { 0 },
      "c: [\n  [\n    [  1   2]\n  ]\n  [\n    [  3  40]\n  ]\n  [\n    [-50  60]\n  ]\n]\n" },
    /* the pattern another tutorial checks: v3: \[\W+\[5.0000000 4.5000000\]\W+\[4.0000000 3.5000000]\W+\] */
    { "v3", TW_FLOAT, 2, (const size_t[]){ 2, 2 }, (const float[]){ 5, 4.5f, 4, 3.5f }, { 0 },
      "v3: [\n  [5.0000000 4.5000000]\n  [4.0000000 3.5000000]\n]\n" },
    { "", TW_INT, 2, (const size_t[]){ 1, 6 }, ints, { .max_line_width = 13 }, "[\n  [  1   2\n     3  40\n   -50  60]\n]\n" },
    { "b", TW_BOOL, 1, (const size_t[]){ 3 }, bools, { 0 }, "b: [1 0 1]\n" },
    { "u", TW_UNSIGNED_INT, 1, (const size_t[]){ 2 }, big, { 0 }, "u: [4294967295          7]\n" },
    { "p", TW_INT, 1, (const size_t[]){ 3 }, ints, { .separator = ',', .open_bracket = '(', .close_bracket = ')' },
      "p: (1,2,3)\n" },
    { "z", TW_INT, 1, (const size_t[]){ 0 }, ints, { 0 }, "z: []\n" },
    { "n", TW_FLOAT, 3, (const size_t[]){ 2, (size_t)1 << 40, 0 }, ints, { 0 }, "n: []\n" }, /* not row by row */
    { "x", TW_INT, 1, (const size_t[]){ 6 }, ints, { .max_line_width = UINT32_MAX, .edge_items = UINT32_MAX, .digits = UINT32_MAX,
      .summarise_threshold = 1 }, "x: [  1   2   3  40 -50  60]\n" },
    { "m", TW_INT, 1, (const size_t[]){ 6 }, ints, { .summarise_threshold = 5, .edge_items = 1 }, "m: [ 1 ... 60]\n" },
    { "l", TW_INT, 1, (const size_t[]){ 6 }, ints, { .max_line_width = 13 }, "l: [  1   2\n   3  40 -50\n  60]\n" },
};
// clang-format on

static void golden(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text =
            print(rows[i].title, rows[i].type, rows[i].rank, rows[i].shape, rows[i].values, &rows[i].format);
        if (strcmp(text, rows[i].text) != 0) fail_msg("row %zu:\nexpected %sgot      %s", i, rows[i].text, text);
        free(text);
    }
}

/* 1001 elements are summarised, 1000 are not. */
static void default_threshold(void **state)
{
    (void)state;
    int32_t *values = calloc(1001, sizeof *values);
    for (int i = 0; i < 1001; i++) values[i] = i;
    char *text = print("a", TW_INT, 1, SHAPE(1001), values, NULL);
    assert_string_equal(text, "a: [   0    1    2 ...  998  999 1000]\n");
    free(text);
    text = print("a", TW_INT, 1, SHAPE(1000), values, NULL);
    assert_null(strstr(text, "..."));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) assert_true(strlen(line) <= 75);
    free(text);
    text = print("m", TW_INT, 2, SHAPE(143, 7), values, NULL);
    assert_string_equal(text, "m: [\n  [   0    1    2 ...    4    5    6]\n  [   7    8    9 ...   11   12   13]\n"
                              "  [  14   15   16 ...   18   19   20]\n  ...\n"
                              "  [ 980  981  982 ...  984  985  986]\n  [ 987  988  989 ...  991  992  993]\n"
                              "  [ 994  995  996 ...  998  999 1000]\n]\n");
    free(text);
    free(values);
}

static void not_finite(void **state)
{
    (void)state;
    float values[] = { NAN, INFINITY, -INFINITY, 1 };
    char *text = print("q", TW_FLOAT, 1, SHAPE(4), values, &(tw_print_format){ .digits = 4 });
    assert_string_equal(text, "q: [  nan   inf  -inf 1.000]\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(golden), cmocka_unit_test(default_threshold),
                                        cmocka_unit_test(not_finite) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
