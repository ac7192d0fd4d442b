/* SPDX-License-Identifier: MIT */
/* PTO-AS control flow: loops, branches, switches, regions, calls, groups of results; what verification refuses. Every
 * program computes one number, %answer, whose value comes from arithmetic done here. */
#include "pto/support/check.h"
#include "pto/support/text.h"

#include <glib.h>

typedef struct program {
    const char *text;
    int64_t answer;
} program;

static const program programs[] = {
    /* grammar `for`: carried values, a group of results, a bound below the start */
    { "%s:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %c0, %b = %c1) -> (index, index) {\n"
      "  %x = arith.addi %a, %i : index\n  %y = arith.muli %b, %c2 : index\n  scf.yield %x, %y : index, index\n}\n"
      "%answer = arith.addi %s#0, %s#1 : index",
      0 + 1 + 2 + 3 + 4 + 32 },
    { "%s = scf.for %i = %c5 to %c0 step %c1 iter_args(%a = %c2) -> (index) {\n  scf.yield %i : index\n}\n"
      "%answer = arith.addi %s#0, %c0 : index",
      2 },
    { "%minus = arith.constant -3 : index\n"
      "%answer = scf.for %i = %minus to %c2 step %c2 iter_args(%a = %c0) -> (index) {\n"
      "  %n = arith.addi %a, %i : index\n  scf.yield %n : index\n}",
      -3 - 1 + 1 },
    /* grammar `if` */
    { "%p = arith.cmpi slt, %c1, %c2 : index\n%answer = scf.if %p -> (index) {\n  scf.yield %c5 : index\n} else {\n"
      "  scf.yield %c1 : index\n}",
      5 },
    /* grammar `while`: 7, 22, 11, ... 1 takes 16 steps */
    { "%seven = arith.constant 7 : i64\n%one = arith.constant 1 : i64\n%two = arith.constant 2 : i64\n"
      "%three = arith.constant 3 : i64\n%zero = arith.constant 0 : i64\n"
      "%n:2 = scf.while (%v = %seven, %k = %zero) : (i64, i64) -> (i64, i64) {\n"
      "  %go = arith.cmpi ne, %v, %one : i64\n  scf.condition(%go) %v, %k : i64, i64\n"
      "} do {\n^bb0(%v: i64, %k: i64):\n"
      "  %low = arith.andi %v, %one : i64\n  %odd = arith.cmpi eq, %low, %one : i64\n"
      "  %next = scf.if %odd -> (i64) {\n    %t = arith.muli %v, %three : i64\n"
      "    %u = arith.addi %t, %one : i64\n    scf.yield %u : i64\n  } else {\n"
      "    %h = arith.divsi %v, %two : i64\n    scf.yield %h : i64\n  }\n"
      "  %m = arith.addi %k, %one : i64\n  scf.yield %next, %m : i64, i64\n}\n"
      "%answer = arith.addi %n#1, %zero : i64",
      16 },
    { "scf.while : () -> () {\n  %never = arith.constant false\n  scf.condition(%never)\n} do {\n  scf.yield\n}\n"
      "%answer = arith.addi %c2, %c1 : index",
      3 },
    { "%answer = scf.execute_region -> index {\n  %x = arith.muli %c5, %c5 : index\n  scf.yield %x : index\n}",
      25 },
    { "%answer = scf.index_switch %c2 -> index\ncase 1 {\n  scf.yield %c1 : index\n}\ncase 2 {\n"
      "  scf.yield %c5 : index\n}\ndefault {\n  scf.yield %c0 : index\n}",
      5 },
    { "%answer = scf.index_switch %c5 -> index\ncase 1 {\n  scf.yield %c1 : index\n}\ncase -2 {\n"
      "  scf.yield %c5 : index\n}\ndefault {\n  scf.yield %c2 : index\n}",
      2 },
    /* constants: decimal with leading zero, hex, negative, bool, float bits */
    { "%a = arith.constant 010 : i64\n%b = arith.constant 0x10 : i64\n%answer = arith.addi %a, %b : i64", 26 },
    { "%a = arith.constant -0x10 : i64\n%answer = arith.addi %a, %a : i64", -32 },
    { "%t = arith.constant true\n%answer = arith.select %t, %c5, %c1 : index", 5 },
    { "%f = arith.constant 0x40400000 : f32\n%answer = arith.fptosi %f : f32 to i64", 3 },
    { "%f = arith.constant -2.5e+1 : f32\n%answer = arith.fptosi %f : f32 to i64", -25 },
    /* several statements on a line, a '#' before a blank, other line ends, a byte order mark */
    { "%a = arith.addi %c1, %c1 : index %b = arith.muli %a, %c5 : index # ten\r\n"
      "%p = arith.cmpi slt, %a, %b : index scf.if %p { %u = arith.addi %a, %b : index } # and this\r\n"
      "%answer = arith.index_cast %b : index to i64 %last = arith.addi %c1, %c1 : index",
      10 },
    /* a tile has one place, however many names: a loop, a branch, a second loop, none of which placed it */
    { "%z = arith.constant 0 : i32\n%i7 = arith.constant 7 : i32\n%t = pto.alloc_tile : !pto.tile_buf<vec, "
      "1x16xi32>\n"
      "%r = scf.for %i = %c0 to %c1 step %c1 iter_args(%u = %t) -> (!pto.tile_buf<vec, 1x16xi32>) {\n"
      "  pto.tci ins(%i7 : i32) outs(%u : !pto.tile_buf<vec, 1x16xi32>)\n"
      "  scf.yield %u : !pto.tile_buf<vec, 1x16xi32>\n}\n"
      "%answer = pto.tgetval ins(%t, %c5 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32",
      12 },
    { "%p = arith.cmpi slt, %c0, %c1 : index\n%i7 = arith.constant 7 : i32\n"
      "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
      "%r = scf.if %p -> (!pto.tile_buf<vec, 1x16xi32>) {\n  scf.yield %t : !pto.tile_buf<vec, 1x16xi32>\n} else "
      "{\n"
      "  scf.yield %t : !pto.tile_buf<vec, 1x16xi32>\n}\n"
      "pto.tci ins(%i7 : i32) outs(%r : !pto.tile_buf<vec, 1x16xi32>)\n"
      "%answer = pto.tgetval ins(%t, %c2 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32",
      9 },
    { "%i7 = arith.constant 7 : i32\n%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
      "%r = scf.while (%u = %t) : (!pto.tile_buf<vec, 1x16xi32>) -> !pto.tile_buf<vec, 1x16xi32> {\n"
      "  %never = arith.constant false\n  pto.tci ins(%i7 : i32) outs(%u : !pto.tile_buf<vec, 1x16xi32>)\n"
      "  scf.condition(%never) %u : !pto.tile_buf<vec, 1x16xi32>\n} do {\n"
      "^bb0(%u: !pto.tile_buf<vec, 1x16xi32>):\n  scf.yield %u : !pto.tile_buf<vec, 1x16xi32>\n}\n"
      "%answer = pto.tgetval ins(%t, %c1 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32",
      8 },
    /* two buffers that turns of a loop choose between: a branch lends a tile from further out, and never gives it
     * back */
    { "%a = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n%b = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
      "scf.for %i = %c0 to %c5 step %c1 {\n  %k = arith.remui %i, %c2 : index\n"
      "  %odd = arith.cmpi eq, %k, %c1 : index\n  %j = arith.index_cast %i : index to i32\n"
      "  %t = scf.if %odd -> (!pto.tile_buf<vec, 1x16xi32>) {\n    scf.yield %b : !pto.tile_buf<vec, 1x16xi32>\n"
      "  } else {\n    scf.yield %a : !pto.tile_buf<vec, 1x16xi32>\n  }\n"
      "  %u = scf.execute_region -> !pto.tile_buf<vec, 1x16xi32> {\n    scf.yield %t : !pto.tile_buf<vec, "
      "1x16xi32>\n  }\n"
      "  pto.tci ins(%j : i32) outs(%u : !pto.tile_buf<vec, 1x16xi32>)\n}\n"
      "%x = pto.tgetval ins(%a, %c0 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32\n"
      "%y = pto.tgetval ins(%b, %c1 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32\n"
      "%ten = arith.constant 10 : i32\n%tens = arith.muli %x, %ten : i32\n%answer = arith.addi %tens, %y : i32",
      44 },
    /* what a turn makes goes on to the next under the name that a branch gives it, 2,000 times in one place's memory
     * */
    { "%n = arith.constant 2000 : index\n%one = arith.constant 1 : i32\n%z = tci 0 : !pto.tile_buf<vec, 1x16xi32>\n"
      "%r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (!pto.tile_buf<vec, 1x16xi32>) {\n"
      "  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n  %p = arith.cmpi ne, %i, %c5 : index\n"
      "  pto.tadds ins(%x, %one : !pto.tile_buf<vec, 1x16xi32>, i32) outs(%t : !pto.tile_buf<vec, 1x16xi32>)\n"
      "  %s = scf.if %p -> (!pto.tile_buf<vec, 1x16xi32>) {\n    scf.yield %t : !pto.tile_buf<vec, 1x16xi32>\n"
      "  } else {\n    scf.yield %x : !pto.tile_buf<vec, 1x16xi32>\n  }\n"
      "  scf.yield %s : !pto.tile_buf<vec, 1x16xi32>\n}\n"
      "%answer = pto.tgetval ins(%r, %c5 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32",
      2004 },
    { "%one = arith.constant 1 : i32\n%a = tci 0 : !pto.tile_buf<vec, 1x16xi32>\n%b = tci 7 : !pto.tile_buf<vec, "
      "1x16xi32>\n"
      "%r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a, %y = %b) -> (!pto.tile_buf<vec, 1x16xi32>, "
      "!pto.tile_buf<vec, 1x16xi32>) {\n"
      "  pto.tadds ins(%x, %one : !pto.tile_buf<vec, 1x16xi32>, i32) outs(%x : !pto.tile_buf<vec, 1x16xi32>)\n"
      "  scf.yield %y, %x : !pto.tile_buf<vec, 1x16xi32>, !pto.tile_buf<vec, 1x16xi32>\n}\n"
      "%v = pto.tgetval ins(%a, %c0 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32\n"
      "%w = pto.tgetval ins(%r#0, %c0 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32\n"
      "%ten = arith.constant 10 : i32\n%tens = arith.muli %w, %ten : i32\n%answer = arith.addi %tens, %v : i32",
      93 },
    /* a result of the DPS form is another name of the destination */
    { "%i7 = arith.constant 7 : i32\n%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
      "%r = pto.tci ins(%i7 : i32) outs(%t : !pto.tile_buf<vec, 1x16xi32>) -> !pto.tile_buf<vec, 1x16xi32>\n"
      "%s = pto.tadd ins(%r, %t : !pto.tile_buf<vec, 1x16xi32>, !pto.tile_buf<vec, 1x16xi32>) outs(%r : "
      "!pto.tile_buf<vec, 1x16xi32>)\n"
      "%answer = pto.tgetval ins(%t, %c1 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32",
      16 },
    /* locations and aliases change nothing */
    { "#one = 1\n%a = arith.addi %c1, %c1 : index loc(\"f.py\":3:7)\n"
      "%answer = arith.addi %a, %a : index loc(fused[\"x\", unknown])",
      4 },
};

static void pto_text_flow_programs(void **state)
{
    static const char head[] = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
                               "%c2 = arith.constant 2 : index\n%c5 = arith.constant 5 : index\n";
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char text[4000];
        snprintf(text, sizeof text, "%s%s\n", head, programs[i].text);
        session s = start(text, TW_PTO_A2A3);
        if (!s.program) print_message("row %zu\n", i);
        OK(run(&s));
        int64_t got = tw__as_integer(cell(&s, "answer"));
        if (got != programs[i].answer) fail_msg("row %zu: %lld", i, (long long)got);
        stable(i, text);
        end(&s);
    }
}

/* Functions before and after their caller, with results; a module with a name and attributes. */
static void pto_text_flow_calls(void **state)
{
    static const char text[] =
        "module @m attributes {pto.target_arch = \"a3\", \"pto.device-spec\" = \"Ascend910B3\"} {\n"
        "  func.func private @later(i32) -> i32\n"
        "  func.func @main(%n : i32) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
        "    %r:2 = func.call @both(%n) : (i32) -> (i32, i32)\n"
        "    %answer = arith.subi %r#0, %r#1 : i32\n"
        "    return\n  }\n"
        "  func.func private @both(%v : i32 {pto.note = 1 : i32}) -> (i32, i32) {\n"
        "    %c3 = arith.constant 3 : i32\n    %a = arith.muli %v, %v : i32\n    %b = arith.addi %v, %c3 : i32\n"
        "    return %a, %b : i32, i32\n  }\n}\n";
    (void)state;
    session s = start(text, TW_PTO_A5);
    if (!s.program) tw_diags_print(s.diags, stderr, false);
    assert_non_null(s.program);
    const tw__as_function *f = s.program->functions;
    while (strcmp(f->name, "main") != 0) f = f->next;
    session_function(&s, f);
    tw__as_set_number(&s.cells[f->param_slot[0]], TW__AS_SCALAR, tw_pto_i32(9));
    OK(run(&s));
    assert_int_equal(tw__as_integer(cell(&s, "answer")), 81 - 12);
    stable(0, text);
    end(&s);
}

/* A function fills the tile of its caller, which nothing has touched before. */
static void pto_text_flow_call_tile(void **state)
{
    static const char text[] =
        "func.func @main() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
        "  %c5 = arith.constant 5 : index\n  %s = arith.constant 100 : i32\n"
        "  func.call @fill(%t, %s) : (!pto.tile_buf<vec, 1x16xi32>, i32) -> ()\n"
        "  %answer = pto.tgetval ins(%t, %c5 : !pto.tile_buf<vec, 1x16xi32>, index) outs : i32\n"
        "  return\n}\n"
        "func.func @fill(%t : !pto.tile_buf<vec, 1x16xi32>, %s : i32) {\n"
        "  pto.tci ins(%s {descending = true} : i32) outs(%t : !pto.tile_buf<vec, 1x16xi32>)\n"
        "  return\n}\n";
    (void)state;
    session s = start(text, TW_PTO_A5);
    OK(run(&s));
    assert_int_equal(tw__as_integer(cell(&s, "answer")), 95);
    end(&s);
    s = start(text, TW_PTO_A5); /* in manual mode the tile lacks its address, and that is said where it is used */
    tw_pto_free(s.core);
    s.core = tw_pto_new(TW_PTO_A5, TW_PTO_MANUAL);
    assert_int_not_equal(run(&s), TW_OK);
    assert_non_null(strstr(tw_diags_get(s.diags, 0)->message, "no address"));
    assert_int_equal(tw_diags_get(s.diags, 0)->line, 10);
    end(&s);
}

/* A tile is one thing under all its names: set_validshape through any of them changes what every other one sees. Each
 * program calls @see(%t), which writes as many elements as the tile has, over 8 x 16 zeros; `answer` is how many. */
static void pto_text_flow_valid(void **state)
{
#define DYN "!pto.tile_buf<vec, 8x16xi32, valid=?x?>"
    static const struct {
        const char *body, *more;
        int answer;
    } rows[] = {
        { "pto.set_validshape %t, %c2, %c3 : " DYN, "", 6 },
        { "func.call @set(%t, %c2, %c3) : (" DYN ", index, index) -> ()", "", 6 },
        { "func.call @deep(%t) : (" DYN ") -> ()",
          "func.func @deep(%a : " DYN ") {\n%c4 = arith.constant 4 : index\n"
          "func.call @set(%a, %c4, %c4) : (" DYN ", index, index) -> ()\nreturn\n}\n",
          16 },
        { "func.call @both(%t, %t) : (" DYN ", " DYN ") -> ()", /* siblings see it, and the caller */
          "func.func @both(%a : " DYN ", %b : " DYN ") {\n%c4 = arith.constant 4 : index\n"
          "pto.set_validshape %a, %c4, %c4 : " DYN "\nfunc.call @see(%b) : (" DYN ") -> ()\n"
          "%c1 = arith.constant 1 : index\npto.set_validshape %b, %c1, %c1 : " DYN "\nreturn\n}\n",
          16 },
        { "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %t) -> (" DYN ") {\n"
          "pto.set_validshape %a, %c2, %c2 : " DYN "\nscf.yield %a : " DYN "\n}",
          "", 4 },
        { "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %t) -> (" DYN ") {\n"
          "scf.yield %a : " DYN "\n}\npto.set_validshape %r, %c2, %c5 : " DYN,
          "", 10 },
        { "%yes = arith.constant true\n%r = scf.if %yes -> (" DYN ") {\nscf.yield %t : " DYN "\n} else {\n"
          "scf.yield %u : " DYN "\n}\npto.set_validshape %r, %c3, %c5 : " DYN,
          "", 15 },
        { "%no = arith.constant false\n%r = arith.select %no, %u, %t : " DYN
          "\npto.set_validshape %r, %c1, %c5 : " DYN,
          "", 5 },
        { "%r = scf.while (%a = %t) : (" DYN ") -> (" DYN
          ") {\n%no = arith.constant false\nscf.condition(%no) %a : " DYN "\n} do {\n^bb0(%b : " DYN
          "):\nscf.yield %b : " DYN "\n}\npto.set_validshape %r, %c1, %c3 : " DYN,
          "", 3 },
        { "%r = func.call @give(%t) : (" DYN ") -> (" DYN ")\npto.set_validshape %r, %c5, %c5 : " DYN,
          "func.func @give(%a : " DYN ") -> " DYN " {\nreturn %a : " DYN "\n}\n", 25 },
        { "%yes = arith.constant true\n%r = scf.if %yes -> (" DYN ") {\nscf.yield %t : " DYN
          "\n} else {\n" /* the other one */
          "scf.yield %u : " DYN "\n}\npto.set_validshape %u, %c3, %c5 : " DYN,
          "", 128 },
        { "%w = pto.subset %t[0, 0] sizes [8, 16] : " DYN "\npto.set_validshape %w, %c1, %c1 : " DYN, "",
          128 }, /* a tile of its own */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = g_strdup_printf(
            "func.func @main() {\n%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%c2 = "
            "arith.constant 2 : index\n"
            "%%c3 = arith.constant 3 : index\n%%c5 = arith.constant 5 : index\n%%c8 = arith.constant 8 : "
            "index\n%%c16 = "
            "arith.constant 16 : index\n%%all = pto.alloc_tile addr = 0 : !pto.tile_buf<vec, 8x16xi32>\n"
            "%%z = arith.constant 0 : i32\npto.texpands ins(%%z : i32) outs(%%all : !pto.tile_buf<vec, 8x16xi32>)\n"
            "%%t = pto.alloc_tile addr = 0 valid_row = %%c8 valid_col = %%c16 : " DYN "\n"
            "%%u = pto.alloc_tile valid_row = %%c8 valid_col = %%c16 : " DYN "\n%s\n"
            "func.call @see(%%t) : (" DYN ") -> ()\nreturn\n}\n"
            "func.func @set(%%a : " DYN ", %%r : index, %%c : index) {\npto.set_validshape %%a, %%r, %%c : " DYN
            "\nreturn\n}\n"
            "func.func @see(%%a : " DYN
            ") {\n%%one = arith.constant 1 : i32\npto.texpands ins(%%one : i32) outs(%%a : " DYN ")\nreturn\n}\n%s",
            rows[i].body, rows[i].more);
        session s = start(text, TW_PTO_A5);
        OK(run(&s));
        int sum = 0;
        for (uint32_t k = 0; k < 128; k++) sum += (int)get(s.core, &cell(&s, "all")->wide->tile, k / 16, k % 16);
        if (sum != rows[i].answer) fail_msg("row %zu: %d elements", i, sum);
        end(&s);
        g_free(text);
    }
#undef DYN
}

/* What a block gives has to be what its owner takes. */
static void pto_text_flow_refused(void **state)
{
    static const struct {
        const char *text, *phrase;
        int line, column;
    } rows[] = {
        { "%s = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %c0) -> (index) {\n  scf.yield\n}",
          "1 value is wanted", 2, 3 },
        { "%s = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %c0) -> (index) {\n}", "has to end in scf.yield", 1,
          6 },
        { "%s = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %c0) -> (i32) {\n  scf.yield %a : i32\n}",
          "i32 is wanted here, not index", 1, 54 },
        { "%s = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %c0) -> (index) {\n  scf.yield %f : f32\n}",
          "index is wanted here, not f32", 2, 13 },
        { "%s:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %c0) -> (index) {\n  scf.yield %a : index\n}",
          "2 results are named", 1, 8 },
        { "scf.for %i = %f to %c1 step %c1 {\n}", "an integer or index", 1, 14 },
        { "scf.for %i = %c0 step %c1 {\n}", "expected scf.for", 1, 1 },
        { "scf.if {\n}", "expected scf.if %condition", 1, 1 },
        { "scf.if %c1 {\n}", "i1 is wanted here", 1, 8 },
        { "scf.index_switch\ndefault {\n}", "expected scf.index_switch %value", 1, 1 },
        { "scf.if %f {\n}", "i1 is wanted here", 1, 8 },
        { "%a = scf.if %t -> (index) {\n  scf.yield %c0 : index\n}", "the else branch is missing", 1, 6 },
        { "scf.yield", "cannot stand here", 1, 1 },
        { "scf.condition(%t)", "cannot stand here", 1, 1 },
        { "scf.while : () -> () {\n} do {\n}", "end in scf.condition", 1, 1 },
        { "scf.while : () -> () {\n  scf.condition(%t)\n}", "two blocks", 1, 1 },
        { "scf.index_switch %c0\ncase 1 {\n}", "default case is missing", 1, 1 },
        { "scf.if %t {\n  return\n  pto.trap\n}", "nothing can follow", 2, 3 },
        { "%n = arith.addi %zeor, %c1 : index", "%zeor is not defined; did you mean '%zero'?", 1, 17 },
        { "pto.tprint ins(%zeroo : !pto.tile_buf<vec, 1x8xi32>)", "did you mean '%zero'?", 1, 16 },
        { "call @onyl()", "there is no function @onyl; did you mean '@only'?", 1, 6 },
        { "call @f(%c0) : (index) -> ()", "takes 0 arguments, not 1", 1, 6 },
        { "call @only() : () -> ()", "declared but has no body", 1, 6 },
        { "%c0 = arith.constant 1 : index", "%c0 is defined twice", 1, 1 },
        { "%a:0 = arith.constant 1 : index", "expected a group", 1, 4 },
        { "%a = scf.foor %c0", "did you mean 'scf.for'?", 1, 6 },
        { "scf.for %i = %c0 to %c1 step %zero {\n}", "a step of 0", 1, 30 },
        { "%a = arith.constant 256 : i8", "does not fit i8", 1, 21 },
        { "%a = arith.constant 1.5 : i8", "not a value of i8", 1, 21 },
        { "%a = arith.addi %f, %f : f32", "an integer or index", 1, 17 },
        { "%a = arith.addf %c0, %c0 : index", "a float", 1, 17 },
        { "%a = arith.cmpi slr, %c0, %c0 : index", "did you mean 'slt'?", 1, 17 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "func.func private @only()\nfunc.func @f() {\n%%c0 = arith.constant 0 : index\n%%c1 = "
                 "arith.constant 1 : "
                 "index\n%%zero = arith.constant 0 : index\n%%f = arith.constant 1.0 : f32\n%%t = arith.constant "
                 "true\n%s\n}\n",
                 rows[i].text);
        session s = start(text, TW_PTO_A2A3);
        if (s.program) session_function(&s, s.program->functions->next);
        if (s.program) assert_int_not_equal(run(&s), TW_OK);
        const tw_diag *d = tw_diags_get(s.diags, 0);
        if (!d) fail_msg("row %zu: no diagnostic", i);
        if (!strstr(d->message, rows[i].phrase) || d->line != rows[i].line + 7 || d->column != rows[i].column)
            fail_msg("row %zu: %d:%d: %s", i, d->line - 7, d->column, d->message);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_flow_programs),  cmocka_unit_test(pto_text_flow_calls),
        cmocka_unit_test(pto_text_flow_call_tile), cmocka_unit_test(pto_text_flow_valid),
        cmocka_unit_test(pto_text_flow_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
