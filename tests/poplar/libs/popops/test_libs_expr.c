/* SPDX-License-Identifier: MIT */
/* Texts of expressions: what they mean, what is wrong with them, where. */
#include "poplar/libs/libs_test.h"

static void libs_expr_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *canonical;
    } rows[] = {
        { "_1", "_1" },
        { " ( _1 ) ", "_1" },
        { "_1 + _2 * 3", "add(_1,mul(_2,3))" },
        { "(_1 + _2) * 3", "mul(add(_1,_2),3)" },
        { "_1 - _2 - _3", "sub(sub(_1,_2),_3)" },
        { "_1 - -2", "sub(_1,-2)" },
        { "-_1 * _2", "mul(neg(_1),_2)" },
        { "!(_1 < _2) || _1 == 0.5", "logical_or(logical_not(lt(_1,_2)),eq(_1,0.5))" },
        { "_1 | _2 ^ _3 & ~_1", "bitwise_or(_1,bitwise_xor(_2,bitwise_and(_3,bitwise_not(_1))))" },
        { "_1 << 2 >= _2 >> 1", "gteq(shift_left(_1,2),shift_right(_2,1))" },
        { "_1 && _2 || _3 && _4", "logical_or(logical_and(_1,_2),logical_and(_3,_4))" },
        { "select(2f, 3f, _1 != _2 % 7)", "select(2f,3f,neq(_1,rem(_2,7)))" },
        { "clamp(_1,0,1.5e1)", "clamp(_1,0,15)" },
        { "cast(_1, unsigned int) + 0x10u", "add(cast(_1,unsigned int),16u)" },
        { "max(_20, true)", "max(_20,1b)" },
        { "select(_1, inf, false)", "select(_1,inf,0b)" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = tw_popops_expression_text(rows[i].text);
        if (!text) fail_msg("%s: %s", rows[i].text, tw_error_message());
        assert_string_equal(text, rows[i].canonical);
        free(text);
    }
}

static void libs_expr_syntax_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        int character;
    } rows[] = {
        { "", "missing", 1 },
        { "_1 + * 2", "syntax error", 6 },
        { "_1 +", "missing", 5 },
        { "(_1", "')'", 4 },
        { "_1 _2", "syntax error", 4 },
        { "_0", "_1 to _20", 1 },
        { "_21", "_1 to _20", 1 },
        { "_", "expected a tensor", 1 },
        { "foo(_1)", "no operation", 1 },
        { "add(_1)", "','", 7 },
        { "add(_1,_2,_3)", "')'", 10 },
        { "cast(_1)", "',' and a type", 8 },
        { "cast(_1, double)", "no type", 10 },
        { "2x", "syntax error", 2 },
        { "_1 = _2", "syntax error", 4 },
        { "sin _1", "expected", 1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = tw_popops_expression_text(rows[i].text), place[32];
        if (text) fail_msg("'%s' is %s", rows[i].text, text);
        assert_int_equal(tw_error_status(), TW_E_POPLIBS);
        snprintf(place, sizeof place, "at character %d", rows[i].character);
        const char *message = tw_error_message(), *at = strstr(message, place);
        if (!strstr(message, rows[i].words) || !at || at[strlen(place)])
            fail_msg("'%s': %s", rows[i].text, message);
    }
    char deep[3000];
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = 0;
    assert_null(tw_popops_expression_text(deep));
    memset(deep, '-', sizeof deep - 1);
    assert_null(tw_popops_expression_text(deep));
    assert_null(tw_popops_expression_text(NULL));
}

/* Refused by a call: the graph is as it was. Tensors: float[2,3] x, half[2,3] h, int[3] i, bool[3] b, float[4]
 * odd. */
static void libs_expr_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words[2];
    } rows[] = {
        { "_1 + _2", { "operands of 'add' are float and half", NULL } },
        { "_1 + _3", { "operands of 'add' are float and int", NULL } },
        { "_3 + 0.5", { "fraction", "int" } },
        { "_1 & _1", { "'bitwise_and' cannot be float", NULL } },
        { "!_1", { "'logical_not' cannot be float", NULL } },
        { "sin(_3)", { "'sin' cannot be int", NULL } },
        { "select(_1, _1, _1)", { "condition of 'select' is float", NULL } },
        { "select(_1, _2, _4)", { "operands of 'select' are float and half", NULL } },
        { "1 + 2", { "nothing", "type" } },
        { "_1 * cast(1 + 2, float)", { "cast to float", NULL } },
        { "_6", { "_6", "5 tensors" } },
        { "_1 + _5", { "'odd' float[4]", "[2, 3]" } },
        { "_1 +", { "character 5", NULL } },
    };
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor t[5] = { tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 2, 3 }, "x"),
                       tw_graph_add_variable(g, TW_HALF, 2, (size_t[]){ 2, 3 }, "h"),
                       tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 3 }, "i"),
                       tw_graph_add_variable(g, TW_BOOL, 1, (size_t[]){ 3 }, "b"),
                       tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 4 }, "odd") };
    for (int i = 0; i < 5; i++) tw_graph_map(g, t[i], 0);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(tw_popops_map(g, rows[i].text, 5, t, p, "y", NULL).id, 0);
        refused_with(g, TW_E_POPLIBS, "tw_popops_map", rows[i].words[0], rows[i].words[1], NULL);
        tw_popops_map_in_place(g, rows[i].text, 5, t, p, "y", NULL);
        refused_with(g, TW_E_POPLIBS, "tw_popops_map_in_place", rows[i].words[0], rows[i].words[1], NULL);
    }
    tw_popops_map_in_place(g, "_1 > 0", 1, t, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_map_in_place", "bool[2, 3]", "'x' float[2, 3]", NULL);
    tw_popops_map_in_place(g, "_1 + _2", 2, (tw_tensor[]){ tw_tensor_index(g, t[0], 0), t[0] }, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_map_in_place", "float[2, 3]", "'x' float[3]", NULL);
    tw_popops_map_with_output(g, "_1", 1, t, t[4], p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_map_with_output", "float[2, 3]", "'odd' float[4]", NULL);
    tw_popops_map_with_output(g, "_1", 1, t, (tw_tensor){ 0, 0 }, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_map_with_output", "output", NULL);
    tw_popops_add(g, t[0], t[4], p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_add", "'odd' float[4]", NULL);
    tw_popops_add(g, t[0], t[0], p, NULL, (const char *const[]){ "enableGenerateCodelets=true", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_popops_add", "enableGenerateCodelets",
                 "did you mean 'enableGenerateCodelet'", NULL);
    tw_popops_add(g, t[0], t[0], p, NULL, (const char *const[]){ "forceGenerateCodelet=1", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_popops_add", "forceGenerateCodelet", "'1'", "true, false", NULL);
    tw_popops_fill(g, t[2], 0.5, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_fill", "0.5", "'i' int[3]", NULL);
    tw_popops_iota(g, t[0], 0, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_iota", "'x' float[2, 3]", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_tensor fixed = tw_graph_add_constant_double(g, TW_FLOAT, 2, (size_t[]){ 2, 3 }, 1, "fixed");
    before = graph_hash(g);
    tw_popops_cast_to(g, t[0], fixed, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_cast_to", "fixed", NULL);
    tw_poputil_create_broadcast_operand(g, t[0], TW_FLOAT, 2, false, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poputil_create_broadcast_operand", "'x' float[2, 3]", "dimension 2", NULL);
    tw_popops_cast_to(g, t[0], t[2], p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_cast_to", "'x' float[2, 3]", "'i' int[3]", NULL);
    tw_scale one = { 1, { 0, 0 } }, many = { 0, t[0] };
    tw_popops_scaled_add(g, t[0], one, t[4], one, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_scaled_add", "'x' float[2, 3]", "'odd' float[4]", NULL);
    tw_popops_scaled_subtract(g, t[0], many, t[0], one, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_scaled_subtract", "one number", "'x' float[2, 3]", NULL);
    tw_tensor whole = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4, 3 }, "whole"),
              both = tw_tensor_concat(g, 2, (tw_tensor[]){ t[0], t[0] }, 0);
    tw_graph_map(g, whole, 0);
    before = graph_hash(g);
    tw_popops_scaled_add(g, both, one, whole, one, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_scaled_add", "'x' float[4, 3]", "more than once", NULL);
    tw_popops_scaled_subtract(g, both, (tw_scale){ 2, { 0, 0 } }, whole, (tw_scale){ 3, { 0, 0 } }, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_scaled_subtract", "'x' float[4, 3]", "more than once", NULL);
    tw_popops_cast_to(g, whole, both, p, NULL); /* a copy, and with another type a map */
    refused_with(g, TW_E_POPLIBS, "tw_popops_cast_to", "'x' float[4, 3]", "more than once", NULL);
    tw_popops_cast_to(g, tw_tensor_reinterpret(g, whole, TW_INT), both, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_cast_to", "'x' float[4, 3]", "more than once", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_tensor loose = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 4 }, "loose");
    before = graph_hash(g);
    tw_popops_zero(g, loose, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_zero", "'loose' float[4]", "no tile", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_expr_texts),
                                        cmocka_unit_test(libs_expr_syntax_errors),
                                        cmocka_unit_test(libs_expr_refused) };
    return cmocka_run_group_tests_name("libs_expr", tests, NULL, NULL);
}
