/* SPDX-License-Identifier: MIT */
/* What pointers and views reach, to the byte: memory of BYTES elements of one byte, so that an access one too far is
 * one byte too far. Each program is run with every index around its limits; what it may touch is worked out here. */
#include "pto/support/check.h"

#include <tilewright/pto/text.h>

enum { BYTES = 7, MOST = 10 };

static bool is_element(int64_t i, int64_t n)
{
    (void)n;
    return i >= 0 && i < BYTES;
}
static bool is_moved_element(int64_t i, int64_t n)
{
    return i + n >= 0 && i + n < BYTES;
}
/* A view of n elements from i on that is loaded: nothing when n is 0, but the pointer stays in its memory. */
static bool is_range(int64_t i, int64_t n)
{
    return i >= 0 && i <= BYTES && n >= 0 && (n == 0 || i + n <= BYTES);
}
static bool is_strided(int64_t i, int64_t n) /* elements i, i + n, i + 2 n */
{
    return i >= 0 && i < BYTES && i + 2 * n >= 0 && i + 2 * n < BYTES;
}
static bool is_part(int64_t i, int64_t n) /* of a view that ends before its memory does */
{
    return i >= 0 && n >= 0 && i + n <= 5;
}
static bool is_repeated(int64_t i, int64_t n) /* a row of element i over and over */
{
    return i >= 0 && n >= 0 && i <= BYTES && (n == 0 || i < BYTES);
}

#define BUF  "!pto.tile_buf<vec, 1x32xi8, valid=1x?>"
#define VIEW "!pto.tensor_view<?x?xi8>"
#define PART "!pto.partition_tensor_view<?x?xi8>"
#define LOAD(v, type) \
    "%t = pto.alloc_tile valid_col = %n : " BUF "\npto.tload ins(" v " : " type ") outs(%t : " BUF ")\n"

static const struct {
    const char *body;
    bool (*fits)(int64_t i, int64_t n);
} programs[] = {
    { "%x = pto.load_scalar %p[%i] : !pto.ptr<i8> -> i8\n", is_element },
    { "%x = arith.constant 1 : i8\npto.store_scalar %x, %p[%i] : !pto.ptr<i8>, i8\n", is_element },
    { "%q = pto.addptr %p, %n : !pto.ptr<i8> -> !pto.ptr<i8>\n%x = pto.load_scalar %q[%i] : !pto.ptr<i8> -> i8\n",
      is_moved_element },
    { "%q = pto.addptr %p, %i : !pto.ptr<i8> -> !pto.ptr<i8>\n"
      "%v = pto.make_tensor_view %q, shape = [%c1, %n], strides = [%n, %c1] : " VIEW "\n" LOAD("%v", VIEW),
      is_range },
    { "%q = pto.addptr %p, %i : !pto.ptr<i8> -> !pto.ptr<i8>\n"
      "%v = pto.make_tensor_view %q, shape = [%c1, %c3], strides = [%c1, %n] : " VIEW "\n"
      "%t = pto.alloc_tile valid_col = %c3 : " BUF "\npto.tload ins(%v : " VIEW ") outs(%t : " BUF ")\n",
      is_strided },
    { "%v = pto.make_tensor_view %p, shape = [%c1, %c5], strides = [%c5, %c1] : " VIEW "\n"
      "%w = pto.partition_view %v, offsets = [%c0, %i], sizes = [%c1, %n] : " VIEW " -> " PART
      "\n" LOAD("%w", PART),
      is_part },
    { "%q = pto.addptr %p, %i : !pto.ptr<i8> -> !pto.ptr<i8>\n"
      "%v = pto.make_tensor_view %q, shape = [%c1, %n], strides = [%c0, %c0] : " VIEW "\n" LOAD("%v", VIEW),
      is_repeated },
};

static tw_status run_program(tw_pto_text *text, unsigned char *memory, int64_t i, int64_t n)
{
    char numbers[2][24];
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_run *run = tw_pto_run_new(text, NULL, core);
    snprintf(numbers[0], sizeof numbers[0], "%lld", (long long)i);
    snprintf(numbers[1], sizeof numbers[1], "%lld", (long long)n);
    OK(tw_pto_run_memory(run, "p", memory, TW_I8, 1, (size_t[]){ BYTES }));
    OK(tw_pto_run_number(run, "i", numbers[0]));
    OK(tw_pto_run_number(run, "n", numbers[1]));
    tw_status status = tw_pto_run_start(run, NULL);
    tw_pto_run_free(run);
    tw_pto_free(core);
    return status;
}

static void pto_text_bounds_bytes(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        char source[1200];
        snprintf(
            source, sizeof source,
            "func.func @f(%%p: !pto.ptr<i8>, %%i: index, %%n: index) {\n%%c0 = arith.constant 0 : index\n"
            "%%c1 = arith.constant 1 : index\n%%c3 = arith.constant 3 : index\n%%c5 = arith.constant 5 : index\n"
            "%sreturn\n}\n",
            programs[k].body);
        tw_pto_text *text = tw_pto_text_parse("t.pto", source, strlen(source), NULL, NULL);
        if (tw_pto_text_verify(text, TW_PTO_CPU) != TW_OK) fail_msg("%s\n%s", source, tw_error_message());
        unsigned char *memory = calloc(1, BYTES); /* exactly: a sanitizer sees who goes further */
        for (int64_t i = -3; i <= MOST; i++)
            for (int64_t n = -4; n <= MOST; n++) {
                bool done = run_program(text, memory, i, n) == TW_OK, fits = programs[k].fits(i, n);
                if (done != fits)
                    fail_msg("program %zu, i %lld, n %lld: %s", k, (long long)i, (long long)n,
                             done ? "ran" : tw_error_message());
            }
        free(memory);
        tw_pto_text_free(text);
    }
}

/* Places so far away that their distance wraps around 64 bits, to an element that is there: 4 steps of 2^62 bytes. */
static void pto_text_bounds_far(void **state)
{
    (void)state;
#define WIDE "memref<?x?x?x?xi32, strided<[?, ?, ?, ?], offset: ?>>"
#define FAR5 "!pto.tensor_view<?x?x?x?x?xi32>"
#define ONE5 "!pto.partition_tensor_view<1x1x1x1x1xi32>"
#define ANY5 "!pto.partition_tensor_view<?x?x?x?x?xi32>"
#define CELL "!pto.tile_buf<vec, 1x8xi32, valid=1x1>"
#define TAKE "%t = pto.alloc_tile : " CELL "\npto.tload ins(%w : " ONE5 ") outs(%t : " CELL ")\n"
#define VIEW5 \
    "%v = pto.make_tensor_view %p, shape = [%n, %n, %n, %n, %c1], strides = [%s, %s, %s, %s, %c1] : " FAR5 "\n"
    static const struct {
        const char *type, *body, *message;
    } rows[] = {
        { "memref<4xi32>",
          "%w = memref.reinterpret_cast %p to offset: [%c0], sizes: [%n, %n, %n, %n], strides: [%s, %s, %s, %s] : "
          "memref<4xi32> to " WIDE "\n%x = memref.load %w[%s, %s, %s, %s] : " WIDE "\n",
          "the element lies outside the memory" },
        { "memref<4xi32>",
          "%w = memref.reinterpret_cast %p to offset: [%c0], sizes: [%n, %n, %n, %n], strides: [%s, %s, %s, %s] : "
          "memref<4xi32> to " WIDE "\n%x = memref.load %w[%c0, %c0, %c0, %c1] : " WIDE "\n",
          "the element lies outside the memory" },
        { "!pto.ptr<i32>",
          VIEW5
          "%w = pto.partition_view %v, offsets = [%s, %s, %s, %s, %c0], sizes = [%c1, %c1, %c1, %c1, %c1] : " FAR5
          " -> " ONE5 "\n" TAKE,
          "the part lies outside the 16 bytes" },
        { "!pto.ptr<i32>",
          VIEW5
          "%a = pto.partition_view %v, offsets = [%s, %s, %c0, %c0, %c0], sizes = [%c1, %c1, %n, %n, %c1] : " FAR5
          " -> " ANY5 "\n",
          "the part lies outside the 16 bytes" },
        { "!pto.ptr<i32>",
          VIEW5
          "%a = pto.partition_view %v, offsets = [%s, %c0, %c0, %c0, %c0], sizes = [%c1, %n, %n, %n, %c1] : " FAR5
          " -> " ANY5 "\n%w = pto.partition_view %a, offsets = [%c0, %s, %c0, %c0, %c0], sizes = [%c1, %c1, %c1, "
          "%c1, %c1] : " ANY5 " -> " ONE5 "\n" TAKE,
          "the part lies outside the 16 bytes" },
        { "!pto.ptr<i32>",
          VIEW5 "%w = pto.partition_view %v, offsets = [%s, %c0, %c0, %c0, %c0], sizes = [%c1, %c1, %c1, %c1, %c1] "
                ": " FAR5 " -> " ONE5 "\n" TAKE,
          "global.bounds" },
        { "!pto.ptr<i32>",
          VIEW5 "%w = pto.partition_view %v, offsets = [%c0, %c0, %c0, %c0, %c0], sizes = [%c1, %c1, %c1, %c1, "
                "%c1] : " FAR5 " -> " ONE5 "\n" TAKE,
          NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[2000];
        snprintf(source, sizeof source,
                 "func.func @f(%%p: %s) {\n%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
                 "%%n = arith.constant 2147483647 : index\n%%s = arith.constant 1073741824 : index\n%sreturn\n}\n",
                 rows[i].type, rows[i].body);
        tw_pto_text *text = tw_pto_text_parse("t.pto", source, strlen(source), NULL, NULL);
        tw_status status =
            tw_pto_text_verify(text, TW_PTO_CPU); /* what is known before a run may be refused there */
        if (status == TW_OK) {
            int32_t *memory = calloc(4, sizeof *memory);
            tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
            tw_pto_run *run = tw_pto_run_new(text, NULL, core);
            OK(tw_pto_run_memory(run, "p", memory, TW_I32, 1, (size_t[]){ 4 }));
            status = tw_pto_run_start(run, NULL);
            tw_pto_run_free(run);
            tw_pto_free(core);
            free(memory);
        }
        if (!rows[i].message && status != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        if (rows[i].message && status == TW_OK) fail_msg("row %zu ran", i);
        if (rows[i].message && !strstr(tw_error_message(), rows[i].message))
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, tw_error_message(), rows[i].message);
        tw_pto_text_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_text_bounds_bytes),
                                        cmocka_unit_test(pto_text_bounds_far) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
