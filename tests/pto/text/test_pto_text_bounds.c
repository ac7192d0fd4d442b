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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_text_bounds_bytes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
