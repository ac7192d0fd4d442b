/* SPDX-License-Identifier: MIT */
/* tilewright/pto/text.h: programs from memory, verification for targets, arguments of every kind, errors, diagnostics
 * by callback, tiles afterwards. */
#include "pto/support/check.h"

#include <tilewright/pto/text.h>

static const char scale[] =
    "func.func private @helper(i32)\n"
    "func.func @scale(%x : !pto.ptr<f32>, %m : memref<2x8xi32>, %b : !pto.ptr<bf16>, %k : f32, %n : index, %f : "
    "i1) {\n"
    "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
    "  %v = pto.make_tensor_view %x, shape = [%c1, %n], strides = [%n, %c1] : !pto.tensor_view<?x?xf32>\n"
    "  %t = pto.alloc_tile valid_row = %c1 valid_col = %n : !pto.tile_buf<vec, 1x16xf32, valid=?x?>\n"
    "  pto.tload ins(%v : !pto.tensor_view<?x?xf32>) outs(%t : !pto.tile_buf<vec, 1x16xf32, valid=?x?>)\n"
    "  pto.tmuls ins(%t, %k : !pto.tile_buf<vec, 1x16xf32, valid=?x?>, f32) outs(%t : !pto.tile_buf<vec, 1x16xf32, "
    "valid=?x?>)\n"
    "  pto.tstore ins(%t : !pto.tile_buf<vec, 1x16xf32, valid=?x?>) outs(%v : !pto.tensor_view<?x?xf32>)\n"
    "  return\n}\n";

typedef struct told {
    int count, line;
    char first[300];
} told;

static void report(void *user, const tw_diag *diag)
{
    told *t = user;
    if (t->count++ == 0) {
        snprintf(t->first, sizeof t->first, "%s", diag->message);
        t->line = diag->line;
    }
}

static void pto_text_api_run(void **state)
{
    (void)state;
    told seen = { 0 };
    tw_pto_text *text = tw_pto_text_parse("scale.pto", scale, strlen(scale), report, &seen);
    assert_non_null(text);
    assert_null(tw_pto_text_function(text, 0)); /* not verified yet */
    for (int t = 0; t < TW_PTO_TARGETS; t++) {
        tw_pto *core = tw_pto_new((tw_pto_target)t, 0);
        assert_null(tw_pto_run_new(text, NULL, core));
        assert_non_null(strstr(tw_error_message(), "not been verified"));
        OK(tw_pto_text_verify(text, (tw_pto_target)t));
        OK(tw_pto_text_verify(text, (tw_pto_target)t));
        float x[10];
        int32_t m[16] = { 0 };
        uint16_t b[1] = { 0 };
        for (int i = 0; i < 10; i++) x[i] = (float)i;
        tw_pto_run *run = tw_pto_run_new(text, "scale", core);
        assert_non_null(run);
        assert_int_equal(tw_pto_run_start(run, NULL), TW_E_INVALID_ARGUMENT);
        assert_non_null(strstr(tw_error_message(), "%x"));
        OK(tw_pto_run_memory(run, "x", x, TW_F32, 1, (size_t[]){ 10 }));
        OK(tw_pto_run_memory(run, "m", m, TW_U32, 2, (size_t[]){ 2, 8 })); /* signless */
        OK(tw_pto_run_memory(run, "b", b, TW_U16, 1, (size_t[]){ 1 }));    /* C has no bf16 */
        OK(tw_pto_run_scalar(run, "k", tw_pto_f32(2.5f)));
        OK(tw_pto_run_number(run, "n", "0xA"));
        OK(tw_pto_run_number(run, "f", "true"));
        for (int turn = 0; turn < 2; turn++) OK(tw_pto_run_start(run, NULL));
        for (int i = 0; i < 10; i++) assert_true(x[i] == (float)i * 6.25f);
        tw_pto_tile *tile = tw_pto_run_tile(run, "t");
        assert_non_null(tile);
        assert_true(get(core, tile, 0, 9) == 9 * 6.25f);
        assert_null(tw_pto_run_tile(run, "u"));
        tw_pto_run_free(run);
        tw_pto_free(core);
    }
    assert_int_equal(seen.count, TW_PTO_TARGETS); /* each target's first start, before anything was bound */
    assert_non_null(strstr(seen.first, "has no value: --arg x=@file.npy"));
    assert_int_equal(seen.line, 2);
    assert_string_equal(tw_pto_text_function(text, 0), "scale"); /* the declared one has nothing to run */
    assert_null(tw_pto_text_function(text, 1));
    tw_pto_param p;
    static const struct {
        const char *name, *type;
        tw_pto_param_kind kind;
        unsigned rank;
    } params[] = {
        { "x", "!pto.ptr<f32>", TW_PTO_PARAM_MEMORY, 0 },  { "m", "memref<2x8xi32>", TW_PTO_PARAM_MEMORY, 2 },
        { "b", "!pto.ptr<bf16>", TW_PTO_PARAM_MEMORY, 0 }, { "k", "f32", TW_PTO_PARAM_NUMBER, 0 },
        { "n", "index", TW_PTO_PARAM_NUMBER, 0 },          { "f", "i1", TW_PTO_PARAM_NUMBER, 0 }
    };
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        assert_true(tw_pto_text_param(text, "scale", i, &p));
        assert_string_equal(p.name, params[i].name);
        assert_string_equal(p.type, params[i].type);
        assert_int_equal(p.kind, params[i].kind);
        assert_int_equal(p.rank, params[i].rank);
    }
    assert_false(tw_pto_text_param(text, "scale", 6, &p));
    assert_false(tw_pto_text_param(text, "helper", 0, &p));
    tw_pto_text_free(text);
}

/* Every way to bind an argument wrongly. */
static void pto_text_api_arguments(void **state)
{
    (void)state;
    tw_pto_text *text = tw_pto_text_parse("scale.pto", scale, strlen(scale), NULL, NULL);
    OK(tw_pto_text_verify(text, TW_PTO_A5));
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_run *run = tw_pto_run_new(text, NULL, core);
    static const struct {
        const char *name;
        tw_type type; /* 0 = a number, as text */
        const char *value;
        unsigned rank;
        size_t extents[3];
        const char *phrase;
    } rows[] = {
        { "y", TW_F32, NULL, 1, { 4 }, "no argument 'y'" },
        { "x", TW_F16, NULL, 1, { 4 }, "elements are f16" },
        { "x", TW_I32, NULL, 1, { 4 }, "elements are i32" },
        { "b", TW_I8, NULL, 1, { 4 }, "elements are i8" },
        { "m", TW_I32, NULL, 2, { 2, 7 }, "the array is 2x7" },
        { "m", TW_I32, NULL, 1, { 16 }, "the array is 16" },
        { "k", TW_F32, NULL, 1, { 4 }, "takes no array" },
        { "x", 0, "3", 0, { 0 }, "not a number" },
        { "n", 0, "3.5", 0, { 0 }, "not a value of i64" },
        { "n", 0, "", 0, { 0 }, "not a value of i64" },
        { "n", 0, "18446744073709551616", 0, { 0 }, "not a value" },
        { "k", 0, "fast", 0, { 0 }, "not a value of f32" },
        { "f", 0, "2", 0, { 0 }, "does not fit" },
    };
    static float memory[64];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_status status =
            rows[i].type ? tw_pto_run_memory(run, rows[i].name, memory, rows[i].type, rows[i].rank, rows[i].extents)
                         : tw_pto_run_number(run, rows[i].name, rows[i].value);
        if (status == TW_OK || !strstr(tw_error_message(), rows[i].phrase))
            fail_msg("row %zu: %d %s", i, status, tw_error_message());
    }
    assert_int_equal(tw_pto_run_scalar(run, "k", tw_pto_i32(1)), TW_E_TYPE);
    assert_null(tw_pto_run_new(text, "scael", core));
    assert_non_null(strstr(tw_error_message(), "did you mean '@scale'?"));
    tw_pto_run_free(run);
    tw_pto_free(core);
    tw_pto_text_free(text);
}

/* Diagnostics arrive once, when they arise: of reading, of each verification, of a run. */
static void pto_text_api_diagnostics(void **state)
{
    static const char wrong[] =
        "%a = pto.tci 1 : i32 -> !pto.tile<1x16xi32>\n%b = pto.tcii 1 : i32 -> !pto.tile<1x16xi32>\n";
    static const char a5_only[] = "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x32xi8>\n"
                                  "tadd %t, %t, %t : !pto.tile_buf<vec, 1x32xi8>\npto.trap\n";
    (void)state;
    told seen = { 0 };
    tw_pto_text *text = tw_pto_text_parse("w.pto", "scf.for {\n", 10, report, &seen);
    assert_non_null(text);
    assert_true(seen.count > 0 && tw_diags_get(tw_pto_text_diags(text), 0) != NULL);
    assert_int_equal(tw_pto_text_verify(text, TW_PTO_CPU), TW_E_PARSE);
    assert_null(tw_pto_text_print(text));
    tw_pto_text_free(text);

    seen = (told){ 0 };
    text = tw_pto_text_parse("w.pto", wrong, strlen(wrong), report, &seen);
    assert_int_equal(seen.count, 0);
    assert_int_equal(tw_pto_text_verify(text, TW_PTO_CPU), TW_E_PARSE);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.line, 2);
    assert_non_null(strstr(tw_error_message(), "w.pto:2:6: unknown operation 'pto.tcii'; did you mean 'pto.tci'?"));
    char *printed = tw_pto_text_print(text);
    assert_non_null(printed);
    free(printed);
    tw_pto_text_free(text);

    seen = (told){ 0 };
    text = tw_pto_text_parse("a5.pto", a5_only, strlen(a5_only), report, &seen);
    assert_int_equal(tw_pto_text_verify(text, TW_PTO_A2A3), TW_E_PARSE);
    assert_int_equal(seen.count, 1);
    OK(tw_pto_text_verify(text, TW_PTO_A5)); /* what another target refuses does not stick */
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_run *run = tw_pto_run_new(text, NULL, core);
    assert_int_not_equal(tw_pto_run_start(run, NULL), TW_OK);
    assert_int_equal(seen.count, 2);
    assert_non_null(strstr(tw_error_message(), "a5.pto:3:1"));
    tw_pto_run_free(run);
    tw_pto_free(core);
    tw_pto_text_free(text);
    assert_null(tw_pto_text_load("/nonexistent/x.pto", NULL, NULL));
}

/* Bytes that are no text: a zero byte is told, a byte order mark is not part of the program. */
static void pto_text_api_bytes(void **state)
{
    static const char zero[] = "%a = arith.constant 1 : i32\n%b\0 = arith.constant 2 : i32\n";
    static const char mark[] = "\xef\xbb\xbf%a = arith.constant 1 : i32\n";
    static const char empty[] = "";
    (void)state;
    told seen = { 0 };
    tw_pto_text *text = tw_pto_text_parse("z.pto", zero, sizeof zero - 1, report, &seen);
    assert_true(seen.count > 0);
    assert_int_equal(seen.line, 2);
    assert_non_null(strstr(tw_error_message(), "zero byte"));
    tw_pto_text_free(text);
    text = tw_pto_text_parse("m.pto", mark, sizeof mark - 1, NULL, NULL);
    OK(tw_pto_text_verify(text, TW_PTO_CPU));
    tw_pto_text_free(text);
    text = tw_pto_text_parse("e.pto", empty, 0, NULL, NULL);
    OK(tw_pto_text_verify(text, TW_PTO_CPU));
    assert_null(tw_pto_text_function(text, 0));
    tw_pto_text_free(text);
}

/* A kernel with a parameter of each kind, an alias, a loop, a call; every allocation of reading, verifying, binding
 * and running it fails once. */
static tw_status whole_life(float *x, int32_t *sum)
{
    static const char source[] =
        "#up = false\n!row = !pto.tile_buf<vec, 1x64xf32>\npto.print ins(\"%d\", 5 : i32)\n"
        "func.func @add(%a: !row, %b: !row) {\n  pto.tadd ins(%a, %b : !row, !row) outs(%a : !row)\n  return\n}\n"
        "func.func @main(%x: !pto.ptr<f32>, %n: index, %m: memref<1xi32>) {\n  %c0 = arith.constant 0 : index\n"
        "  %c1 = arith.constant 1 : index\n  %c64 = arith.constant 64 : index\n  %t = pto.alloc_tile : !row\n"
        "  %v = pto.make_tensor_view %x, shape = [%c1, %c64], strides = [%c64, %c1] : !pto.tensor_view<1x64xf32>\n"
        "  pto.tload ins(%v : !pto.tensor_view<1x64xf32>) outs(%t : !row)\n"
        "  scf.for %i = %c0 to %n step %c1 {\n    func.call @add(%t, %t) : (!row, !row) -> ()\n  }\n"
        "  pto.tstore ins(%t : !row) outs(%v : !pto.tensor_view<1x64xf32>)\n"
        "  %b = memref.alloc() : memref<4xi32>\n  %seven = arith.constant 7 : i32\n"
        "  memref.store %seven, %b[%c1] : memref<4xi32>\n  %s = memref.load %b[%c1] : memref<4xi32>\n"
        "  memref.store %s, %m[%c0] : memref<1xi32>\n  return\n}\n";
    tw_pto_text *text = tw_pto_text_parse("life.pto", source, sizeof source - 1, NULL, NULL);
    tw_status status = text ? tw_pto_text_verify(text, TW_PTO_CPU) : TW_E_NO_MEMORY;
    tw_pto *core = status == TW_OK ? tw_pto_new(TW_PTO_CPU, 0) : NULL;
    tw_pto_run *run = core ? tw_pto_run_new(text, "main", core) : NULL;
    if (status == TW_OK && !run) status = TW_E_NO_MEMORY;
    if (status == TW_OK) status = tw_pto_run_memory(run, "x", x, TW_F32, 1, (size_t[]){ 64 });
    if (status == TW_OK) status = tw_pto_run_number(run, "n", "3");
    if (status == TW_OK) status = tw_pto_run_memory(run, "m", sum, TW_I32, 1, (size_t[]){ 1 });
    if (status == TW_OK) status = tw_pto_run_start(run, NULL);
    tw_pto_run_free(run);
    tw_pto_free(core);
    tw_pto_text_free(text);
    return status;
}

static void pto_text_api_no_memory(void **state)
{
    float x[64];
    int32_t sum;
    bool done = false;
    unsigned long refused = 0;
    (void)state;
    for (unsigned long n = 1; !done; n++) {
        for (int i = 0; i < 64; i++) x[i] = (float)i;
        sum = 0;
        tw__fail_allocation(n);
        tw_status status = whole_life(x, &sum);
        done = tw__fail_allocation(0) != 0;
        if (status != TW_OK) refused++;
        if (status == TW_OK) /* one that it can do without */
            for (int i = 0; i < 64; i++) assert_true(x[i] == 8.0f * (float)i);
        if (status == TW_OK) assert_int_equal(sum, 7);
        if (!done && status != TW_OK && !*tw_error_message()) fail_msg("allocation %lu: no message", n);
        if (done) assert_int_equal(status, TW_OK);
    }
    assert_true(refused > 10);
}

static void pto_text_api_target(void **state)
{
    static const struct {
        const char *text;
        int target; /* -1 = none, -2 = unknown */
    } rows[] = {
        { "module attributes {pto.target_arch = \"a3\"} {\n}\n", TW_PTO_A2A3 },
        { "module attributes {\"pto.device-spec\" = \"Ascend910B3\", pto.target_arch = \"a5\"} {\n}\n", TW_PTO_A5 },
        { "module {\n}\n", -1 },
        { "module attributes {pto.target_arch = \"a9\"} {\n}\n", -2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_target target = TW_PTO_CPU;
        tw_pto_text *text = tw_pto_text_parse("m.pto", rows[i].text, strlen(rows[i].text), NULL, NULL);
        bool found = tw_pto_text_target(text, &target);
        assert_int_equal(found, rows[i].target >= 0);
        if (found) assert_int_equal(target, rows[i].target);
        assert_int_equal(*tw_error_message() != 0, rows[i].target == -2);
        tw_pto_text_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_text_api_run),         cmocka_unit_test(pto_text_api_arguments),
        cmocka_unit_test(pto_text_api_diagnostics), cmocka_unit_test(pto_text_api_target),
        cmocka_unit_test(pto_text_api_bytes),       cmocka_unit_test(pto_text_api_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
