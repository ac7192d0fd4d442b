/* SPDX-License-Identifier: MIT */
/* What a long program costs: memory per value, and time when it does not end. */
#include "pto/support/check.h"

#include <sys/resource.h>
#include <tilewright/pto/text.h>
#include <time.h>

/* An allocator that watches itself takes more. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define WATCHED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define WATCHED 1
#endif
#endif
#ifndef WATCHED
#define WATCHED 0
#endif

enum { VALUES = 300000, MOST = 300 }; /* bytes per value, the text of the program among them */

static char *long_program(size_t *size)
{
    char *text = malloc((size_t)VALUES * 48), *at = text;
    at += sprintf(at, "func.func @f(%%y : !pto.ptr<i64>) {\n");
    for (int i = 0; i < VALUES; i++) at += sprintf(at, "  %%c%d = arith.constant %d : index\n", i, 3 * i);
    at += sprintf(
        at,
        "  %%v = arith.index_cast %%c%d : index to i64\n  pto.store_scalar %%v, %%y[%%c0] : !pto.ptr<i64>, i64\n",
        VALUES - 1);
    *size = (size_t)(at + sprintf(at, "  return\n}\n") - text);
    return text;
}

static void pto_text_memory_values(void **state)
{
    struct rusage before, after;
    size_t size, one = 1;
    int64_t y = 0;
    char *text = long_program(&size);
    (void)state;
    getrusage(RUSAGE_SELF, &before);
    tw_pto_text *program = tw_pto_text_parse("long.pto", text, size, NULL, NULL);
    assert_int_equal(tw_pto_text_verify(program, TW_PTO_A5), TW_OK);
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_run *run = tw_pto_run_new(program, NULL, core);
    assert_int_equal(tw_pto_run_memory(run, "y", &y, TW_I64, 1, &one), TW_OK);
    assert_int_equal(tw_pto_run_start(run, NULL), TW_OK);
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(y, 3 * (VALUES - 1));
    long bytes = (after.ru_maxrss - before.ru_maxrss) * 1024 / VALUES;
    if (!WATCHED && bytes > MOST) fail_msg("%ld bytes per value", bytes);
    tw_pto_run_free(run);
    tw_pto_free(core);
    tw_pto_text_free(program);
    free(text);
}

/* A message about an operand in a long program, long after its statement was bound, and the text as it was. */
static void pto_text_memory_places(void **state)
{
    static const char text[] = "// one\nfunc.func @f(%x : !pto.ptr<f32>, %i : index) {\n  %c0 = arith.constant 0 : "
                               "index // two\n\n  %v =\n    pto.load_scalar %x[%i] : !pto.ptr<f32> -> f32\n"
                               "  pto.print ins(\"a\\n\", %v : f32)\n  return\n}\n";
    size_t extent = 4;
    float x[4] = { 0 };
    (void)state;
    tw_pto_text *program = tw_pto_text_parse("t.pto", text, sizeof text - 1, NULL, NULL);
    for (int t = 0; t < TW_PTO_TARGETS; t++) assert_int_equal(tw_pto_text_verify(program, (tw_pto_target)t), TW_OK);
    char *once = tw_pto_text_print(program);
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_run *run = tw_pto_run_new(program, "f", core);
    assert_int_equal(tw_pto_run_memory(run, "x", x, TW_F32, 1, &extent), TW_OK);
    assert_int_equal(tw_pto_run_number(run, "i", "4"), TW_OK);
    assert_int_not_equal(tw_pto_run_start(run, NULL), TW_OK);
    const tw_diag *d = tw_diags_get(tw_pto_text_diags(program), 0);
    assert_non_null(d);
    assert_int_equal(d->line, 6);
    assert_int_equal(d->column, 5);
    assert_non_null(strstr(d->message, "lies outside the 16 bytes"));
    char *twice = tw_pto_text_print(program);
    assert_string_equal(once, twice);
    assert_non_null(strstr(once, "// one"));
    assert_non_null(strstr(once, "index // two"));
    free(once);
    free(twice);
    tw_pto_run_free(run);
    tw_pto_free(core);
    tw_pto_text_free(program);
}

/* A loop over tiles that does not end is stopped by the clock, and the message says what helps. */
static void pto_text_memory_time(void **state)
{
    static const char text[] =
        "func.func @f() {\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
        "  %n = arith.constant 1000000000000 : index\n  %a = pto.alloc_tile : !pto.tile_buf<vec, 64x64xf32>\n"
        "  scf.for %i = %c0 to %n step %c1 {\n    pto.texp ins(%a : !pto.tile_buf<vec, 64x64xf32>) "
        "outs(%a : !pto.tile_buf<vec, 64x64xf32>)\n  }\n  return\n}\n";
    (void)state;
    tw_pto_text *program = tw_pto_text_parse("t.pto", text, sizeof text - 1, NULL, NULL);
    assert_int_equal(tw_pto_text_verify(program, TW_PTO_A5), TW_OK);
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_run *run = tw_pto_run_new(program, NULL, core);
    clock_t start = clock();
    assert_int_equal(
        tw_pto_run_start(run, &(tw_pto_run_options){ .size = sizeof(tw_pto_run_options), .max_seconds = 0.1 }),
        TW_E_APPLICATION);
    double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_true(took >= 0.1 && took < 5);
    assert_non_null(strstr(tw_error_message(), "when its time was over; --max-steps N"));
    tw_pto_run_free(run);
    tw_pto_free(core);
    tw_pto_text_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_memory_values),
        cmocka_unit_test(pto_text_memory_places),
        cmocka_unit_test(pto_text_memory_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
