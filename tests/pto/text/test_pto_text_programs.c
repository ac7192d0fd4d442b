/* SPDX-License-Identifier: MIT */
/* PTO-AS: the four forms of TCI, tile types in all spellings, printing, diagnostics, control flow, memory bounds. */
#include "pto/support/check.h"
#include "pto/support/text.h"

#include <glib.h>

/* The page on TCI, "Syntax" and "Examples": every form with the attribute and without, signless and unsigned
 * types. */
static void pto_text_tci_forms(void **state)
{
    static const struct {
        const char *text;
        int step;
    } rows[] = {
        { "%dst = tci %S {descending = false} : !pto.tile<i32, 1, 16>", 1 },
        { "%dst = tci %S {descending = true} : !pto.tile<vec, 1x16xi32>", -1 },
        { "%dst = tci %S : !pto.tile<loc=vec, i32, 1, 16, RowMajor, NoneBox, None, Zero>", 1 },
        { "%dst = tci 100 : !pto.tile<1x16xi32>", 1 },
        { "%dst = pto.tci %S {descending = true} : i32 -> !pto.tile<1x16xi32>", -1 },
        { "%dst = pto.tci %S : i32 -> !pto.tile<1x16xi32>", 1 },
        { "%dst = pto.tci %S {descending = false} : ui32 -> !pto.tile<1x16xui32>", 1 },
        { "%dst = pto.tci %S {descending = true} : i16 -> !pto.tile<1x16xi16>", -1 },
        { "%dst = pto.tci %S : u16 -> !pto.tile<1x16xui16>", 1 },
        { "%dst = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
          "pto.tci ins(%S {descending = true} : i32) outs(%dst : !pto.tile_buf<vec, 1x16xi32>)",
          -1 },
        { "%dst = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\n"
          "pto.tci ins(%S : i32) outs(%dst : !pto.tile_buf<loc=vec, dtype=i32, rows=1, cols=16, v_row=1, v_col=16, "
          "blayout=row_major, slayout=none_box, fractal=512, pad=0>)",
          1 },
        { "# Addresses by hand, in the text of assembly.\n"
          "# pto.tassign %arg0, @tile(0x1000)\n"
          "pto.tassign %dst, @tile(0x1000)\n"
          "%dst = pto.tci %S {descending = false} : i32 -> !pto.tile<1x16xi32>",
          1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = 0; t < TW_PTO_TARGETS; t++) {
            session s = start(rows[i].text, (tw_pto_target)t);
            if (!s.program) run(&s);
            const tw__as_function *f = s.program->functions;
            if (f->free_count) { /* %S is free: bound as --arg S=100 does */
                assert_int_equal(f->free_count, 1);
                tw__as_cell *c = &s.cells[f->free_name[0]];
                c->kind = TW__AS_SCALAR;
                c->scalar = tw_pto_bits(f->slot_type[f->free_name[0]]->element, 100);
            }
            OK(run(&s));
            tw__as_cell *dst = cell(&s, "dst");
            for (uint32_t k = 0; k < 16; k++)
                if (get(s.core, &dst->wide->tile, 0, k) != 100 + rows[i].step * (int)k)
                    fail_msg("row %zu element %u: %g", i, k, get(s.core, &dst->wide->tile, 0, k));
            if (strstr(rows[i].text, "\npto.tassign"))
                assert_int_equal(tw_pto_address(s.core, &dst->wide->tile), 0x1000);
            end(&s);
        }
}

static void pto_text_canonical(void **state)
{
    static const struct {
        const char *in, *out; /* NULL = unchanged */
    } rows[] = {
        { "%a = pto.alloc_tile : !pto.tile_buf<loc=acc, dtype=f32, rows=16, cols=32, v_row=16, v_col=?, "
          "blayout=col_major, "
          "slayout=row_major, fractal=1024, pad=0>\n",
          "%a = pto.alloc_tile : !pto.tile_buf<acc, 16x32xf32, valid=16x?, blayout=col_major, slayout=row_major, "
          "fractal=1024>\n" },
        { "%a = pto.tadd %b,%c:(!pto.tile<f32,16,16>,!pto.tile<16x16xf32>)->!pto.tile<f32, 16, 16, RowMajor, "
          "NoneBox, None, Zero>\n",
          "%a = pto.tadd %b, %c : (!pto.tile<vec, 16x16xf32>, !pto.tile<vec, 16x16xf32>) -> !pto.tile<vec, "
          "16x16xf32, pad=1>\n" },
        { "scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (index) {\n  %n = arith.addi %acc, %i : "
          "index\n  scf.yield %n : index\n}\n",
          "scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %init) -> (index) {\n  %n = arith.addi %acc, %i : "
          "index\n  scf.yield %n : index\n}\n" },
        { "scf.if %p {\n  pto.barrier #pto.pipe<PIPE_V>\n} else {\n  pto.trap\n}\n", NULL },
        { "pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]\n", NULL },
        { "%s = pto.subset %t[%i, %j] sizes[32, 32] : !pto.tile_buf<vec, 64x64xf32>\n", NULL },
        { "pto.tcmp ins(%a, %b {cmpMode = #pto<cmp lt>} : i32, i32)\n    outs(%m : i32)\n",
          "pto.tcmp ins(%a, %b {cmpMode = #pto<cmp lt>} : i32, i32) outs(%m : i32)\n" },
        { "func.func private @f(%a : !pto.ptr<f32>)\n", NULL },
        { "%v = arith.index_cast %i : index to i32\n", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        session s = start(rows[i].in, TW_PTO_CPU);
        char *once = tw__as_print(s.module);
        if (strcmp(once, rows[i].out ? rows[i].out : rows[i].in) != 0) fail_msg("row %zu printed as:\n%s", i, once);
        session again = start(once, TW_PTO_CPU);
        char *twice = tw__as_print(again.module);
        assert_string_equal(once, twice);
        free(once);
        free(twice);
        end(&again);
        end(&s);
    }
}

/* file:line:column and a distinctive phrase of each diagnostic. */
static void pto_text_diagnostics(void **state)
{
    static const struct {
        const char *text, *phrase;
        int line, column;
    } rows[] = {
        { "%d = pto.tci 5 : i32 -> !pto.tile<16x1xi32, blayout=col_major>", "rule tci.cols, profile a2a3", 1, 6 },
        { "%d = pto.tci 5 : f32 -> !pto.tile<1x16xf32>", "rule type.set, profile a2a3", 1, 6 },
        { "%d = pto.tci 5 : i8 -> !pto.tile<1x32xi8>", "element type i8 is not supported, only i16 i32 u16 u32", 1,
          6 },
        { "func.func @f(%p: !pto.ptr<f33>) {\n  return\n}\n%d = pto.tci 5 : i8 ->", "did you mean 'f32'?", 1, 18 },
        { "\n%d = pto.tci 5 : i32 -> !pto.tile<1x16xi16>", "rule type.same, profile a2a3", 2, 14 },
        { "%d = pto.tci 5 : i32 -> !pto.tile<1x6xi32>", "multiple of 32", 1, 25 },
        { "%d = pto.tic 5 : i32 -> !pto.tile<1x16xi32>", "did you mean 'pto.tci'", 1, 6 },
        { "%d = pto.tci 5 {ascending = true} : i32 -> !pto.tile<1x16xi32>", "no attribute 'ascending'", 1, 17 },
        { "%d = pto.tci 5 {descending = maybe} : i32 -> !pto.tile<1x16xi32>", "not a value of 'descending'", 1,
          30 },
        { "%d = pto.tci 5 : i32 -> !pto.tile<1x16xq32>", "element type", 1, 25 },
        { "%d = pto.tci 5 : i32 -> !pto.tile<1x16xi32", "'<' without '>'", 1, 25 },
        { "%d = pto.tci 5 : i32 ->", "expected a type", 1, 24 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tadd ins(%t, %u : !pto.tile_buf<vec, 1x16xi32>, "
          "!pto.tile_buf<vec, 1x16xf32>) outs(%t : !pto.tile_buf<vec, 1x16xi32>)",
          "type.same", 2, 18 },
        { "func.func @f() {\n  pto.tprint ins(%x : !pto.tile_buf<vec, 1x16xi32>)\n}", "%x is not defined", 2, 18 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32, valid=1x?>", "valid_col", 1, 6 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32, rows=2, rows=3>", "given twice", 1, 23 },
        { "pto.set_flag[#pto.pipe<PIPE_W>, #pto.pipe<PIPE_V>]", "'PIPE_W' is not a pipe", 1, 14 },
        { "}", "'}' without '{'", 1, 1 },
        { "func.func @f() {\n", "'{' is never closed", 1, 16 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tassign %t, @tile(0x10)", "SA-0354", 2, 17 },
        { "%t = pto.alloc_tile addr = 0x2FFE0 : !pto.tile_buf<vec, 1x16xi32>", "SA-0353, profile a2a3", 1, 28 },
        { "pto.tassign %d, @tile(0x1001)\n%d = pto.tci 5 : i32 -> !pto.tile<1x16xi32>", "SA-0354", 1, 17 },
        { "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>\npto.tassign %t", "a tile and an address", 2, 1 },
        { "%d = tci %S {descending = false} : !pto.tile<...>", "such as 'vec, 1x16xi32'", 1, 36 },
        { "%d = pto.tci %s {descending = false} : dtype -> !pto.tile<1x16xi32>", "such as i32", 1, 40 },
        { "%d = pto.tci %s : i33 -> !pto.tile<1x16xi32>", "did you mean 'i32'", 1, 19 },
        { "%d = tci 5 {descending = true, descending = false} : !pto.tile<1x16xi32>", "given twice", 1, 32 },
        { "tadd %a, %a, %a ##atomic = add", "expected a name after '#'", 1, 17 },
        { "%a = tci 1 : !", "expected a type", 1, 14 },
        { "#a = 1 : i32\n#a = 2 : i32\n", "#a is defined twice", 2, 1 },
        { "%d = tci 5 {descending = true : !pto.tile<1x16xi32>", "'{' is never closed", 1, 12 },
        { "pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]", "deadlock", 1, 1 },
        { "pto.trap", "stopped itself", 1, 1 },
        { "%a = arith.constant 5 : i32\n%b = arith.constant 0 : i32\n%c = arith.divsi %a, %b : i32", "divided by 0",
          3, 6 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        session s = start(rows[i].text, TW_PTO_A2A3);
        if (s.program) assert_int_not_equal(run(&s), TW_OK);
        const tw_diag *d = tw_diags_get(s.diags, 0);
        if (!d) fail_msg("row %zu: no diagnostic", i);
        if (!strstr(d->message, rows[i].phrase) || d->line != rows[i].line || d->column != rows[i].column)
            fail_msg("row %zu: %d:%d: %s", i, d->line, d->column, d->message);
        end(&s);
    }
}

/* Blocks nest 48 deep; deeper ones are one error, not one for each brace. */
static void pto_text_depth(void **state)
{
    (void)state;
    for (int depth = 46; depth <= 60; depth += 7) {
        GString *text = g_string_new("%t = arith.constant true\n");
        for (int i = 0; i < depth; i++) g_string_append(text, "scf.if %t {\n");
        for (int i = 0; i < depth; i++) g_string_append(text, "}\n");
        session s = start(text->str, TW_PTO_CPU);
        assert_int_equal(tw_diags_count(s.diags, TW_ERROR), depth > 47);
        if (depth > 47) assert_non_null(strstr(tw_diags_get(s.diags, 0)->message, "more than 48 deep"));
        end(&s);
        g_string_free(text, TRUE);
    }
}

/* A loop that carries a tile and a sum, a branch, a call; tiles of the body do not pile up. */
static void pto_text_control(void **state)
{
    static const char text[] =
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%n = arith.constant 500 : index\n"
        "%one = arith.constant 1 : i32\n%zero = arith.constant 0 : i32\n"
        "%start = pto.tci %zero : i32 -> !pto.tile<1x2048xi32>\n"
        "%t, %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %start, %s = %c0) -> (!pto.tile<1x2048xi32>, "
        "index) {\n"
        "  %b = pto.tadds %a, %one : (!pto.tile<1x2048xi32>, i32) -> !pto.tile<1x2048xi32>\n"
        "  %waste = pto.tadds %a, %one : (!pto.tile<1x2048xi32>, i32) -> !pto.tile<1x2048xi32>\n"
        "  %big = arith.cmpi sgt, %i, %c1 : index\n"
        "  %step = scf.if %big -> (index) {\n    scf.yield %i : index\n  } else {\n    scf.yield %c0 : index\n  }\n"
        "  %next = arith.addi %s, %step : index\n"
        "  scf.yield %b, %next : !pto.tile<1x2048xi32>, index\n"
        "}\n";
    (void)state;
    session s = start(text, TW_PTO_A2A3);
    OK(run(&s));
    assert_int_equal(tw__as_integer(cell(&s, "sum")), 499 * 500 / 2 - 1);
    for (uint32_t k = 0; k < 2048; k++) assert_true(get(s.core, &cell(&s, "t")->wide->tile, 0, k) == 500 + k);
    end(&s);
}

/* Pointers have windows: nothing outside an argument's memory is read or written, whatever the view says. */
static void pto_text_bounds(void **state)
{
    static const struct {
        const char *view;
        const char *error; /* NULL = good */
    } rows[] = {
        { "shape = [4, 8], strides = [8, 1] : !pto.tensor_view<4x8xf32>", NULL },
        { "shape = [4, 8], strides = [9, 1] : !pto.tensor_view<4x8xf32>", "outside" },
        { "shape = [4, 8], strides = [-8, 1] : !pto.tensor_view<4x8xf32>", "outside" },
        { "shape = [4, 8], strides = [2000000000, 2000000000] : !pto.tensor_view<4x8xf32>", "outside" },
        { "shape = [4, 8], strides = [0, 0] : !pto.tensor_view<4x8xf32>", NULL },
        { "shape = [4, 9], strides = [8, 1] : !pto.tensor_view<4x8xf32>", "extent" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "func.func @f(%%p : !pto.ptr<f32>) {\n  %%v = pto.make_tensor_view %%p, %s\n  %%t = "
                 "pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>\n"
                 "  %%w = pto.partition_view %%v, offsets = [0, 0], sizes = [4, 8] : !pto.tensor_view<4x8xf32> -> "
                 "!pto.partition_tensor_view<4x8xf32>\n"
                 "  pto.tload ins(%%w : !pto.partition_tensor_view<4x8xf32>) outs(%%t : !pto.tile_buf<vec, "
                 "4x8xf32>)\n}\n",
                 rows[i].view);
        session s = start(text, TW_PTO_A5);
        float *memory = malloc(32 * sizeof *memory); /* exactly: a sanitizer sees the first byte outside */
        for (int k = 0; k < 32; k++) memory[k] = (float)k;
        if (s.program) {
            tw__as_cell *p = &s.cells[s.program->functions->param_slot[0]];
            p->kind = TW__AS_PTR;
            p->wide->ptr.base = (unsigned char *)memory;
            p->wide->ptr.bytes = 32 * sizeof *memory;
            p->wide->ptr.type = TW_F32;
        }
        if (!s.program && rows[i].error) { /* what constants tell is refused before the run */
            const tw_diag *d = tw_diags_get(s.diags, 0);
            assert_non_null(d);
            assert_non_null(strstr(d->message, rows[i].error));
            free(memory);
            end(&s);
            continue;
        }
        tw_status status = run(&s);
        if (rows[i].error)
            REFUSED(status, rows[i].error, "");
        else
            OK(status);
        free(memory);
        end(&s);
    }
}

static void pto_text_steps(void **state)
{
    (void)state;
    session s = start(
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%n = arith.constant 9000000000 : index\n"
        "scf.for %i = %c0 to %n step %c1 {\n}\n",
        TW_PTO_CPU);
    assert_int_not_equal(run(&s), TW_OK);
    assert_non_null(strstr(tw_error_message(), "stopped after"));
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_tci_forms),   cmocka_unit_test(pto_text_canonical),
        cmocka_unit_test(pto_text_diagnostics), cmocka_unit_test(pto_text_depth),
        cmocka_unit_test(pto_text_control),     cmocka_unit_test(pto_text_bounds),
        cmocka_unit_test(pto_text_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
