/* SPDX-License-Identifier: MIT */
/* Expressions of the assembler against an evaluator of our own that reads the table of GNU as: * / % << >> bind
 * tightest, then | ^ &, then + -, then comparisons (-1 where they hold), then &&, then ||; from left to right. */
#include "asm_test.h"

#include <stdlib.h>

static const struct {
    const char *text;
    int level;
} operators[] = { { "*", 6 },  { "/", 6 }, { "%", 6 },  { "<<", 6 }, { ">>", 6 }, { "|", 5 },  { "^", 5 },
                  { "&", 5 },  { "+", 4 }, { "-", 4 },  { "==", 3 }, { "!=", 3 }, { "<>", 3 }, { "<", 3 },
                  { "<=", 3 }, { ">", 3 }, { ">=", 3 }, { "&&", 2 }, { "||", 1 } };
enum { OPERATORS = G_N_ELEMENTS(operators) };

/* False where there is no value: division by zero. */
static bool apply(const char *op, int64_t a, int64_t b, int64_t *out)
{
    bool logical = a && b;
    switch (op[0]) {
    case '*': *out = a * b; return true;
    case '/': return b ? (*out = a / b, true) : false;
    case '%': return b ? (*out = a % b, true) : false;
    case '^': *out = a ^ b; return true;
    case '+': *out = a + b; return true;
    case '-': *out = a - b; return true;
    case '=': *out = a == b ? -1 : 0; return true;
    case '!': *out = a != b ? -1 : 0; return true;
    case '|': *out = op[1] ? a || b : a | b; return true;
    case '&': *out = op[1] ? logical : (a & b); return true;
    case '<':
        *out = op[1] == '<'   ? (b < 64 && b >= 0 ? (int64_t)((uint64_t)a << b) : 0)
               : op[1] == '=' ? -(a <= b)
               : op[1] == '>' ? -(a != b)
                              : -(a < b);
        return true;
    default:
        *out = op[1] == '>'   ? (b < 64 && b >= 0 ? (int64_t)((uint64_t)a >> b) : 0)
               : op[1] == '=' ? -(a >= b)
                              : -(a > b);
        return true;
    }
}

static uint64_t quad_of(const char *expression)
{
    g_autofree char *text = g_strdup_printf(".data\n.quad %s\n", expression);
    tw_object *o = assemble(text);
    const tw_section *s = section_of(o, ".data");
    assert_int_equal(s->size, 8);
    uint64_t value = word_of(s, 0) | (uint64_t)word_of(s, 1) << 32;
    tw_object_free(o);
    return value;
}

static void check(const char *expression, int64_t expected)
{
    uint64_t value = quad_of(expression);
    if (value != (uint64_t)expected)
        fail_msg("%s is %lld, not %lld", expression, (long long)value, (long long)expected);
}

/* a OP b OP c for all pairs of operators, with numbers for which the two ways of grouping differ often. */
static void every_pair_of_operators(void **state)
{
    (void)state;
    static const int64_t numbers[][3] = { { 7, 3, 2 }, { 12, 5, 3 }, { 0, 6, 9 },
                                          { 1, 0, 5 }, { 3, 3, 1 },  { 2, 2, 2 } };
    unsigned different = 0;
    for (int i = 0; i < OPERATORS; i++)
        for (int j = 0; j < OPERATORS; j++)
            for (size_t n = 0; n < G_N_ELEMENTS(numbers); n++) {
                const int64_t *v = numbers[n];
                const char *p = operators[i].text, *q = operators[j].text;
                int64_t inner, left = 0, right = 0;
                bool has_left = apply(p, v[0], v[1], &inner) && apply(q, inner, v[2], &left);
                bool has_right = apply(q, v[1], v[2], &inner) && apply(p, v[0], inner, &right);
                bool from_left = operators[i].level >= operators[j].level;
                if (from_left ? !has_left : !has_right) continue;
                different += has_left && has_right && left != right;
                g_autofree char *text = g_strdup_printf("%d %s %d %s %d", (int)v[0], p, (int)v[1], q, (int)v[2]);
                check(text, from_left ? left : right);
            }
    assert_true(different > 400);
}

static void one_operator(void **state)
{
    (void)state;
    static const int64_t numbers[] = { 0, 1, -1, 2, 5, -7, 63, 64, INT64_C(0x123456789abcdef0), INT64_MAX };
    for (int i = 0; i < OPERATORS; i++)
        for (size_t a = 0; a < G_N_ELEMENTS(numbers); a++)
            for (size_t b = 0; b < G_N_ELEMENTS(numbers); b++) {
                int64_t value;
                const char *op = operators[i].text;
                if ((*op == '*' || *op == '+' || *op == '-') && (numbers[a] > 1000 || numbers[b] > 1000)) continue;
                if (!apply(op, numbers[a], numbers[b], &value)) continue;
                g_autofree char *text =
                    g_strdup_printf("%lld%s%lld", (long long)numbers[a], op, (long long)numbers[b]);
                check(text, value);
            }
}

static void words_and_signs(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        { "-5", -5 },
        { "- -5", 5 },
        { "+5", 5 },
        { "~5", -6 },
        { "!5", 0 },
        { "!0", -1 },
        { "!!7", -1 },
        { "~-1", 0 },
        { "-(2 + 3)", -5 },
        { "2 * -3", -6 },
        { "-2 * 3", -6 },
        { "~1 & 7", 6 },
        { "((((1))))", 1 },
        { "0x7fffffffffffffff + 1", INT64_MIN }, /* wraps */
        { "-0x7fffffffffffffff - 2", INT64_MAX },
        { "0x4000000000000000 * 4", 0 },
        { "(-0x7fffffffffffffff - 1) / -1", INT64_MIN },
        { "(-0x7fffffffffffffff - 1) % -1", 0 },
        { "5 % -1", 0 },
        { "-7 % 4", -3 },
        { "0xffffffffffffffff", -1 },
        { "0b1011", 11 },
        { "0B11", 3 },
        { "0X1f", 31 },
        { "0755", 493 },
        { "0", 0 },
        { "00", 0 },
        { "10", 10 },
        { "12u", 12 },
        { "12UL", 12 },
        { "0x10ull", 16 },
        { "'a'", 'a' },
        { "'a", 'a' },
        { "'\\n'", '\n' },
        { "'\\t'", '\t' },
        { "'\\b'", '\b' },
        { "'\\f'", '\f' },
        { "'\\r'", '\r' },
        { "'\\0'", 0 },
        { "'\\\\'", '\\' },
        { "'\\''", '\'' },
        { "'\\\"'", '"' },
        { "' '", ' ' },
        { "'a' + 1", 'b' },
        { "1.0h", 0x3c00 },
        { "-1.0h", 0xbc00 },
        { "- 0.5h", 0xb800 },
        { "2h", 0x4000 },
        { "1e3h", 0x63d0 },
        { "1e+3h", 0x63d0 },
        { "1E-1h", 0x2e66 },
        { "1.h", 0x3c00 },
        { ".5h", 0x3800 },
        { "0h", 0 },
        { "-0h", 0x8000 },
        { "65504h", 0x7bff },
        { "65519h", 0x7bff },
        { "1e-8h", 0 },
        { "infh", 0x7c00 },
        { "INFH", 0x7c00 },
        { "1.0h + 1", 0x3c01 },
        { "0.333251953125h", 0x3555 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check(rows[i].text, rows[i].value);
}

/* Random trees, written with as many parentheses as the table asks for and now and then more. */
static int64_t write_tree(GRand *rand, int level, int depth, GString *out)
{
    if (!depth || g_rand_int_range(rand, 0, 5) == 0) {
        int64_t n = g_rand_int_range(rand, 0, 12);
        g_string_append_printf(out, "%d", (int)n);
        return n;
    }
    for (;;) {
        int op = g_rand_int_range(rand, 0, OPERATORS);
        bool open = operators[op].level < level || g_rand_int_range(rand, 0, 6) == 0;
        gsize start = out->len;
        int64_t value;
        if (open) g_string_append_c(out, '(');
        int64_t a = write_tree(rand, operators[op].level, depth - 1, out);
        g_string_append_printf(out, g_rand_boolean(rand) ? " %s " : "%s", operators[op].text);
        int64_t b = write_tree(rand, operators[op].level + 1, depth - 1, out);
        if (open) g_string_append_c(out, ')');
        if (llabs(a) < 1 << 20 && llabs(b) < 1 << 20 && apply(operators[op].text, a, b, &value) &&
            llabs(value) < 1 << 20)
            return value;
        g_string_truncate(out, start);
    }
}

static void random_expressions(void **state)
{
    (void)state;
    GRand *rand = g_rand_new_with_seed(12);
    for (int i = 0; i < 2000; i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        int64_t value = write_tree(rand, 1, 4, text);
        check(text->str, value);
        /* The same of names that get their values later: the tree is kept and tried again at the end. */
        g_autofree char *late = g_strdup_printf(".data\n.quad late + 0\n.set late, %s\n", text->str);
        tw_object *o = assemble(late);
        const tw_section *s = section_of(o, ".data");
        assert_int_equal(word_of(s, 0) | (uint64_t)word_of(s, 1) << 32, (uint64_t)value);
        tw_object_free(o);
    }
    g_rand_free(rand);
}

/* Symbols: what a relocation can say, and distances. */
static void symbols_in_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* of ".long", behind two labels 12 bytes apart */
        uint32_t value;   /* as data, when there is no relocation */
        const char *symbol;
        int32_t addend;
    } rows[] = {
        { "b - a", 12, NULL, 0 },
        { "a - b", (uint32_t)-12, NULL, 0 },
        { "b - a + 1", 13, NULL, 0 },
        { "(b - a) / 4", 3, NULL, 0 },
        { "b > a", 0xffffffff, NULL, 0 },
        { "b < a", 0, NULL, 0 },
        { "b >= b", 0xffffffff, NULL, 0 },
        { "b <= a", 0, NULL, 0 },
        { "a == b", 0, NULL, 0 },
        { "a != b", 0xffffffff, NULL, 0 },
        { "b + 4 - a", 16, NULL, 0 },
        { "(b + 4) - (a + 2)", 14, NULL, 0 },
        { "far - far", 0, NULL, 0 },
        { "(far + 5) - far", 5, NULL, 0 },
        { ". - a", 12, NULL, 0 },
        { "a + 4", 0, "", 4 },
        { "4 + b", 0, "", 16 },
        { "b - 4", 0, "", 8 },
        { "far", 0, "far", 0 },
        { "far + 0x7fffffff", 0, "far", INT32_MAX },
        { "far - 0x80000000", 0, "far", INT32_MIN },
        { "far + (b - a)", 0, "far", 12 },
        { "2 + far + 3", 0, "far", 5 },
        { ".", 0, "", 12 },
        { "\"far\" + 1", 0, "far", 1 },
        { "n", 9, NULL, 0 },
        { "alias", 0, "", 12 },
        { "alias + 2", 0, "", 14 },
        { "later - a", 16, NULL, 0 },
        { "(later - a) * 2", 32, NULL, 0 },
        { "later - b + n", 13, NULL, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text =
            g_strdup_printf(".set n, 9\n.set alias, b\n.data\na: .space 12\nb: .long %s\nlater:\n", rows[i].text);
        tw_object *o = assemble(text);
        const tw_relocation *r = tw_object_get_relocation(o, 0);
        if (!r != !rows[i].symbol) fail_msg("%s: %s relocation", rows[i].text, r ? "a" : "no");
        if (word_of(section_of(o, ".data"), 3) != (rows[i].symbol ? 0 : rows[i].value))
            fail_msg("%s is %d", rows[i].text, (int)word_of(section_of(o, ".data"), 3));
        if (r) {
            assert_int_equal(r->type, TW_R_COLOSSUS_32);
            assert_int_equal(r->offset, 12);
            if (r->addend != rows[i].addend) fail_msg("%s: addend %d", rows[i].text, r->addend);
            assert_string_equal(tw_object_get_symbol(o, (size_t)r->symbol)->name, rows[i].symbol);
            assert_null(tw_object_get_relocation(o, 1));
        }
        tw_object_free(o);
    }
}

/* Deep expressions are refused, not followed until the stack ends. */
static void nesting_has_a_limit(void **state)
{
    (void)state;
    for (int depth = 50; depth <= 5000; depth += 4950) {
        g_autoptr(GString) text = g_string_new(".data\n.byte ");
        for (int i = 0; i < depth; i++) g_string_append_c(text, '(');
        g_string_append_c(text, '1');
        for (int i = 0; i < depth; i++) g_string_append_c(text, ')');
        if (depth == 50)
            tw_object_free(assemble(text->str));
        else
            check_refused(TW_ISA_IPU2, text->str, "the expression is nested too deep", 2, 108);
    }
    g_autoptr(GString) sum = g_string_new(".data\n.byte x0");
    for (int i = 1; i < 500; i++) g_string_append_printf(sum, " + x%d", i);
    check_refused(TW_ISA_IPU2, sum->str, "the expression is nested too deep", 2, 1302);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_operators), cmocka_unit_test(one_operator),
        cmocka_unit_test(words_and_signs),         cmocka_unit_test(random_expressions),
        cmocka_unit_test(symbols_in_expressions),  cmocka_unit_test(nesting_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
