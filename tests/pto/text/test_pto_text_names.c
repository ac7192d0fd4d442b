/* SPDX-License-Identifier: MIT */
/* A value has one definition where its name is visible, as in MLIR: a second one is an error at its place, with a
 * note at the first, whatever operation gives it and whatever its type. Names of a block end with it, functions see
 * nothing of each other. Reports end after 20 errors and 20 warnings. */
#include "pto/support/check.h"
#include "pto/support/text.h"

#include <glib.h>

#define TA    "!pto.tile_buf<vec, 1x16xi32>"
#define TB    "!pto.tile_buf<vec, 1x16xf32>"
#define FUNC  "func.func @f(%n: index, %c: i1) {\n"
#define ALLOC "%t = pto.alloc_tile : " TA "\n"
#define END   "\nreturn\n}"

/* line, column of the second and of the first definition; line 0: the program is fine. */
static const struct {
    const char *text;
    int line, column, first_line, first_column;
} rows[] = {
    /* results: of host operations, of tile instructions in each form, of the same and of another type */
    { FUNC "%a = arith.constant 1 : index\n%a = arith.constant 2 : index" END, 3, 1, 2, 1 },
    { FUNC "%a = arith.constant 1 : index\n%a = arith.constant 2 : i32" END, 3, 1, 2, 1 },
    { FUNC ALLOC "%t = pto.alloc_tile : " TA END, 3, 1, 2, 1 },
    { FUNC ALLOC "%t = pto.alloc_tile : " TB END, 3, 1, 2, 1 },
    { FUNC ALLOC "%d = pto.tneg %t : " TA " -> " TA "\n%d = pto.tneg %t : " TA " -> " TA END, 4, 1, 3, 1 },
    { FUNC "%x = arith.constant 1 : i32\n%d = pto.tci %x : i32 -> " TA "\n  %d = pto.tci %x : i32 -> " TA END, 4, 3,
      3, 1 },
    { FUNC "%x = arith.constant 1 : i32\n%x = pto.tci %x : i32 -> " TA END, 3, 1, 2, 1 },
    { FUNC ALLOC "%x = arith.constant 1 : i32\n%t = pto.tci ins(%x : i32) outs(%t : " TA ")" END, 4, 1, 2, 1 },
    { FUNC ALLOC "%x = arith.constant 1 : i32\n%r = pto.tci ins(%x : i32) outs(%t : " TA
                 ")\n%r = arith.constant 1 : i32" END,
      5, 1, 4, 1 },
    { FUNC ALLOC "%x = arith.constant 1 : i32\n%r = pto.tci ins(%x : i32) outs(%t : " TA ")" END, 0, 0, 0, 0 },
    /* groups: %r is %r#0 */
    { FUNC "%r:2 = scf.if %c -> (index, index) {\nscf.yield %n, %n : index, index\n} else {\nscf.yield %n, %n : "
           "index, index\n}\n%r = arith.constant 1 : index" END,
      7, 1, 2, 1 },
    { FUNC "%a, %a = scf.if %c -> (index, index) {\nscf.yield %n, %n : index, index\n} else {\nscf.yield %n, %n : "
           "index, index\n}" END,
      2, 5, 2, 1 },
    /* parameters */
    { FUNC "%n = arith.constant 1 : index" END, 2, 1, 1, 14 },
    { FUNC ALLOC "%c = pto.alloc_tile : " TA END, 3, 1, 1, 25 },
    /* blocks: names from outside are visible, those of a block end with it */
    { FUNC "%s = arith.constant 1 : index\nscf.for %i = %n to %n step %s {\n%s = arith.constant 1 : index\n}" END,
      4, 1, 2, 1 },
    { FUNC "%s = arith.constant 1 : index\nscf.for %s = %s to %n step %s {\n}" END, 3, 9, 2, 1 },
    { FUNC "%s = arith.constant 1 : index\nscf.for %i = %n to %n step %s {\n%i = arith.constant 1 : index\n}" END,
      4, 1, 3, 9 },
    { FUNC
      "%s = arith.constant 1 : index\nscf.for %i = %n to %n step %s {\nscf.for %i = %n to %n step %s {\n}\n}" END,
      4, 9, 3, 9 },
    { FUNC "%s = arith.constant 1 : index\nscf.for %i = %n to %n step %s {\n%a = arith.constant 1 : "
           "index\n}\nscf.for %i = %n to %n step %s {\n%a = arith.constant 1 : i32\n}\n%a = arith.constant 1 : "
           "i8\n%i = arith.constant 1 : i8" END,
      0, 0, 0, 0 },
    { FUNC "%s = arith.constant 1 : index\n%r = scf.for %i = %n to %n step %s iter_args(%i = %n) -> (index) "
           "{\nscf.yield %i : index\n}" END,
      3, 46, 3, 14 },
    { FUNC "%s = arith.constant 1 : index\n%r = scf.for %i = %n to %n step %s iter_args(%s = %n) -> (index) "
           "{\nscf.yield %s : index\n}" END,
      3, 46, 2, 1 },
    { FUNC "%s = arith.constant 1 : index\n%r = scf.for %i = %n to %n step %s iter_args(%r = %n) -> (index) "
           "{\nscf.yield %r : index\n}" END,
      0, 0, 0, 0 },
    { FUNC "scf.if %c {\n%a = arith.constant 1 : index\n} else {\n%a = arith.constant 1 : i32\n}\n%a = "
           "arith.constant 1 : i8" END,
      0, 0, 0, 0 },
    { FUNC "%a = arith.constant 1 : i8\nscf.if %c {\n%b = arith.constant 1 : i8\n} else {\n%a = arith.constant 1 : "
           "i32\n}" END,
      6, 1, 2, 1 },
    { FUNC "%r = scf.if %c -> (index) {\n%r = arith.constant 1 : index\nscf.yield %r : index\n} else {\nscf.yield "
           "%n : index\n}" END,
      0, 0, 0, 0 },
    { FUNC "pto.section.vector {\n%a = arith.constant 1 : i8\n}\npto.section.vector {\n%a = arith.constant 1 : "
           "i32\n}" END,
      0, 0, 0, 0 },
    { FUNC "%r = scf.while (%n = %n) : (index) -> (index) {\nscf.condition(%c) %n : index\n} do {\n^bb0(%b: "
           "index):\nscf.yield %b : index\n}" END,
      2, 17, 1, 14 },
    { FUNC "%r = scf.while (%a = %n) : (index) -> (index) {\nscf.condition(%c) %a : index\n} do {\n^bb0(%n: "
           "index):\nscf.yield %n : index\n}" END,
      5, 6, 1, 14 },
    { FUNC "%r = scf.while (%a = %n) : (index) -> (index) {\nscf.condition(%c) %a : index\n} do {\n^bb0(%a: "
           "index):\nscf.yield %a : index\n}" END,
      0, 0, 0, 0 },
    { FUNC "%r:2 = scf.while (%a = %n, %a = %n) : (index, index) -> (index, index) {\nscf.condition(%c) %a, %a : "
           "index, index\n} do {\n^bb0(%b: index, %d: index):\nscf.yield %b, %d : index, index\n}" END,
      2, 28, 2, 19 },
    /* functions and what stands outside them */
    { "func.func @f(%n: index) {\n%a = arith.constant 1 : i8\nreturn\n}\nfunc.func @g(%a: index) {\n%n = "
      "arith.constant 1 : i8\nreturn\n}",
      0, 0, 0, 0 },
    { "%a = arith.constant 1 : i8\nfunc.func @f() {\n%a = arith.constant 1 : i32\nreturn\n}", 0, 0, 0, 0 },
    { "%d = tci 1 : !pto.tile<1x16xi32>\n%d = tci 1 : !pto.tile<1x16xi32>", 2, 1, 1, 1 },
    { "%d = tci 1 : !pto.tile<1x16xi32>\n%d = tci 1 : !pto.tile<1x16xi16>", 2, 1, 1, 1 },
    { "%d = tci %S : !pto.tile<1x16xi32>\n%S = arith.constant 1 : i32", 2, 1, 1, 10 },
    { "tci %d, 1 : !pto.tile<1x16xi32>\ntci %d, 2 : !pto.tile<1x16xi32>", 0, 0, 0,
      0 }, /* a destination is no result */
    { "tci %d, 1 : !pto.tile<1x16xi32>\n%d = tci 2 : !pto.tile<1x16xi32>", 2, 1, 1, 5 },
};

static bool is_at(const tw_diag *d, tw_severity severity, int line, int column)
{
    return d && d->severity == severity && d->line == line && d->column == column && d->source;
}

static void pto_text_names_twice(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        session s = start(rows[i].text, TW_PTO_A2A3);
        const tw_diag *second = tw_diags_get(s.diags, 0), *first = tw_diags_get(s.diags, 1);
        bool good = !second && s.program;
        if (rows[i].line)
            good = is_at(second, TW_ERROR, rows[i].line, rows[i].column) &&
                   strstr(second->message, "is defined twice") &&
                   is_at(first, TW_NOTE, rows[i].first_line, rows[i].first_column) && !tw_diags_get(s.diags, 2) &&
                   !s.program;
        if (!good) {
            print_error("row %zu, %s\n", i, rows[i].text);
            tw_diags_print(s.diags, stderr, false);
            wrong++;
        }
        end(&s);
    }
    assert_int_equal(wrong, 0);
}

/* What failed is said once: a second definition of it adds nothing. */
static void pto_text_names_behind_errors(void **state)
{
    (void)state;
    session s = start(FUNC "%a = arith.addi %x, %n : index\n%a = arith.constant 1 : index" END, TW_PTO_A2A3);
    assert_int_equal(tw_diags_count(s.diags, TW_NOTE), 1);
    end(&s);
}

static size_t told(const char *text, tw_severity severity)
{
    session s = start(text, TW_PTO_A2A3);
    size_t n = 0;
    const tw_diag *d;
    for (size_t i = 0; (d = tw_diags_get(s.diags, i)); i++) n += d->severity == severity;
    end(&s);
    return n;
}

/* 20,000 of each: without a limit on what is told this takes minutes. */
static void pto_text_names_limits(void **state)
{
    enum { MANY = 20000, MOST = 20 };
    (void)state;
    GString *same = g_string_new(NULL), *distinct = g_string_new(NULL), *results = g_string_new(FUNC),
            *addresses = g_string_new(NULL);
    for (int i = 0; i < MANY; i++) {
        g_string_append(same, "func.func @f() {\nreturn\n}\n");
        g_string_append_printf(distinct, "func.func @f%d() {\nreturn\n}\n", i);
        g_string_append(results, "%a = arith.constant 1 : index\n");
        g_string_append_printf(addresses, "pto.tassign %%t%d, @tile(0x1000)\n", i);
    }
    g_string_append(results, END);
    assert_int_equal(told(same->str, TW_ERROR), MOST);
    assert_int_equal(told(distinct->str, TW_ERROR), 0);
    assert_int_equal(told(results->str, TW_ERROR), MOST);
    assert_int_equal(told(results->str, TW_NOTE), MOST);
    assert_int_equal(told(addresses->str, TW_WARNING), MOST);
    GString *all[] = { same, distinct, results, addresses };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) g_string_free(all[i], TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_names_twice),
        cmocka_unit_test(pto_text_names_behind_errors),
        cmocka_unit_test(pto_text_names_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
