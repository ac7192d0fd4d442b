/* SPDX-License-Identifier: MIT */
/* poplar::constraint (guide 3.2.2, table 3.1): good forms become pairs of fields, bad ones are errors with the
 * place. */
#include "poplar/codelet/codelet_test.h"

#define CPP "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
#define C   "#include <tilewright/codelet.h>\n"
#define FIELDS                                                                                                     \
    "Input<Vector<float>> src; Output<Vector<float>> dst; Vector<Input<Vector<float>>> rows; "                     \
    "Input<VectorList<float, VectorListLayout::DELTANELEMENTS>> list; Vector<Input<float>> ones; "                 \
    "InOut<float> one; Input<Vector<float, VectorLayout::SPAN, 8, true>> fast; "                                   \
    "Output<Vector<float, VectorLayout::SPAN, 8, true>> quick; Vector<int> table; int n; bool compute() { return " \
    "n; }"

/* Indices of the fields above. */
enum { SRC, DST, ROWS, LIST, ONES, ONE, FAST };

static tw__codelets *fields_set(void)
{
    return load_text(TW__HALF_FLOAT, CPP "class A : public Vertex { public: " FIELDS " };\n", false);
}

static void codelet_3_2_2_good_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tw__constraint_rule rule;
        unsigned a, b;
    } rows[] = {
        { "elem(*src)!=elem(*dst)", TW__CONSTRAINT_ELEM, SRC, DST }, /* table 3.1 */
        { "region(*src)!=region(*dst)", TW__CONSTRAINT_REGION, SRC, DST },
        { "elem(**rows)!=elem(**list)", TW__CONSTRAINT_ELEM, ROWS, LIST }, /* as PopLibs writes two dimensions */
        { " elem ( * dst )\t!= elem( *src ) ", TW__CONSTRAINT_ELEM, DST, SRC },
        { "elem(**ones)!=elem(*one)", TW__CONSTRAINT_ELEM, ONES, ONE },
        { "region(*fast)!=region(*src)", TW__CONSTRAINT_REGION, FAST, SRC },
        { "elem(*fast)!=elem(*quick)", TW__CONSTRAINT_ELEM, FAST, FAST + 1 },
    };
    tw__codelets *set = fields_set();
    const tw__vertex_type *vt = tw__codelets_find(set, "A");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw__constraint c;
        tw__constraint_problem problem;
        if (!tw__constraint_parse(vt, rows[i].text, &c, &problem)) fail_msg("row %zu: %s", i, problem.message);
        assert_int_equal(c.rule, rows[i].rule);
        assert_int_equal(c.a, rows[i].a);
        assert_int_equal(c.b, rows[i].b);
        assert_ptr_equal(c.text, rows[i].text);
    }
    tw__codelets_free(set);
}

static const struct {
    const char *text, *phrase;
    int character; /* from 1 */
} mistakes[] = {
    { "", "expected 'elem' or 'region', found the end", 1 },
    { "x", "expected 'elem' or 'region', found 'x'", 1 },
    { "elm(*src)!=elem(*dst)", "found 'elm'", 1 },
    { "elem", "expected '(', found the end", 5 },
    { "elem[*src]!=elem(*dst)", "expected '(', found '['", 5 },
    { "elem(src)!=elem(*dst)", "expected '*'", 6 },
    { "elem(*)!=elem(*dst)", "expected the name of a field, found ')'", 7 },
    { "elem(*src!=elem(*dst)", "expected ')', found '!'", 10 },
    { "elem(*src)==elem(*dst)", "expected '!=', found '='", 11 },
    { "elem(*src)", "expected '!=', found the end", 11 },
    { "elem(*src)!=", "expected 'elem' or 'region', found the end", 13 },
    { "elem(*src)!=region(*dst)", "both sides need the same rule: write 'elem'", 13 },
    { "elem(*src)!=elem(*dts)", "has no field 'dts': did you mean 'dst'?", 19 },
    { "elem(*n)!=elem(*dst)", "plain vertex state", 7 },
    { "elem(*table)!=elem(*dst)", "plain vertex state", 7 },
    { "elem(**src)!=elem(*dst)", "one dimension or none: write *src", 6 },
    { "elem(*rows)!=elem(*dst)", "two dimensions: write **rows", 6 },
    { "elem(*src)!=elem(*src)", "cannot lie apart from itself", 13 },
    { "region(*fast)!=region(*quick)", "one interleaved region", 1 },
    { "elem(*src)!=elem(*dst) elem(*dst)!=elem(*src)", "expected the end of the constraint, found 'elem'", 24 },
    { "elem(*src)!=elem(*dst),", "expected the end of the constraint, found ','", 23 },
};

static void codelet_3_2_2_mistakes(void **state)
{
    (void)state;
    tw__codelets *set = fields_set();
    const tw__vertex_type *vt = tw__codelets_find(set, "A");
    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
        tw__constraint c;
        tw__constraint_problem problem;
        assert_false(tw__constraint_parse(vt, mistakes[i].text, &c, &problem));
        if (!strstr(problem.message, mistakes[i].phrase) || (int)problem.offset + 1 != mistakes[i].character)
            fail_msg("row %zu '%s': character %zu: %s", i, mistakes[i].text, problem.offset + 1, problem.message);
        assert_true(problem.length >= 1 && problem.offset <= strlen(mistakes[i].text));
    }
    tw__codelets_free(set);
}

/* The error of a source names file, line and column of the wrong part. */
static void codelet_3_2_2_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_c;
        int line, column;
        const char *phrase;
    } rows[] = {
        { CPP "class [[poplar::constraint(\"elem(*src)!=elem(*x)\")]] A : public Vertex { public: " FIELDS " };\n",
          false, 3, 47, "no field 'x'" },
        { CPP "class [[poplar::constraint(\"elem(*src)!=elem(*dst)\",\n  \"region(*n)!=region(*dst)\")]] A : "
              "public Vertex "
              "{ public: " FIELDS " };\n",
          false, 4, 12, "plain vertex state" },
        { CPP "template <typename T> class [[poplar::constraint(\"elem(*in)!=elem(*to)\")]] T1 : public Vertex { "
              "public: "
              "Input<Vector<T>> in; Output<Vector<T>> out; bool compute() { return true; } };\ntemplate class "
              "T1<int>;\n",
          false, 3, 68, "no field 'to'" },
        { C "TW_VERTEX(A) {\n  TW_INPUT(TW_VECTOR(float)) a; TW_OUTPUT(TW_VECTOR(float)) b;\n"
            "  TW_CONSTRAINT(\"elem(*a)!=elem(*c)\");\n};\nbool A_compute(A *v) { return true; }\n",
          true, 4, 34, "no field 'c'" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
        tw_diags *diags = tw_diags_new();
        const char *name = rows[i].is_c ? "mine.c" : "mine.cpp";
        assert_int_equal(tw__codelets_add_source(set, rows[i].text, rows[i].is_c ? TW__CODELET_C : TW__CODELET_CPP,
                                                 name, NULL, diags),
                         TW_E_COMPILATION);
        assert_non_null(strstr(tw_error_message(), rows[i].phrase));
        assert_int_equal(tw_diags_count(diags, TW_ERROR), 1);
        const tw_diag *diag = tw_diags_get(diags, 0);
        if (diag->line != rows[i].line || diag->column != rows[i].column || strcmp(diag->file, name) != 0)
            fail_msg("row %zu: %s:%d:%d %s", i, diag->file, diag->line, diag->column, diag->message);
        assert_string_equal(diag->code, "popc.constraint");
        assert_non_null(diag->source);
        assert_int_equal(tw__codelets_count(set), 0);
        tw_diags_free(diags);
        tw__codelets_free(set);
    }
}

static void codelet_3_2_2_resolved(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        bool is_c;
    } rows[] = {
        { CPP
          "class [[poplar::constraint(\"elem(*src)!=elem(*dst)\", \"region(*fast)!=region(*src)\")]] A : public "
          "Vertex { public: " FIELDS " };\n",
          "A", false },
        { CPP "template <typename T> class [[poplar::constraint(\"elem(*src)!=elem(*dst)\", "
              "\"region(*fast)!=region(*src)\")]] B : public Vertex { public: Input<Vector<T>> src; "
              "Output<Vector<T>> dst; "
              "Input<Vector<T, VectorLayout::SPAN, 8, true>> fast; bool compute() { return true; } };\n"
              "template class B<float>;\n",
          "B<float>", false },
        { C "TW_VERTEX(D) { TW_INPUT(TW_VECTOR(float)) src; TW_OUTPUT(TW_VECTOR(float)) dst;\n"
            "  TW_INPUT(TW_VECTOR(float, SPAN, 8, 1)) fast;\n  TW_CONSTRAINT(\"elem(*src)!=elem(*dst)\");\n"
            "  TW_CONSTRAINT(\"region(*fast)!=region(*src)\");\n};\nbool D_compute(D *v) { return true; }\n",
          "D", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw__codelets *set = load_text(TW__HALF_FLOAT, rows[i].text, rows[i].is_c);
        const tw__vertex_type *vt = tw__codelets_find(set, rows[i].name);
        if (!vt || vt->num_constraints != 2) fail_msg("row %zu: %u constraints", i, vt ? vt->num_constraints : 0);
        for (unsigned k = 0; k < 2; k++) {
            const tw__constraint *c = &vt->placed_apart[k];
            assert_int_equal(c->rule, k ? TW__CONSTRAINT_REGION : TW__CONSTRAINT_ELEM);
            assert_string_equal(vt->fields[c->a].name, k ? "fast" : "src");
            assert_string_equal(vt->fields[c->b].name, k ? "src" : "dst");
            assert_string_equal(c->text, vt->constraints[k]);
        }
        tw__codelets_free(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codelet_3_2_2_good_forms),
        cmocka_unit_test(codelet_3_2_2_mistakes),
        cmocka_unit_test(codelet_3_2_2_places),
        cmocka_unit_test(codelet_3_2_2_resolved),
    };
    return cmocka_run_group_tests(tests, set_up_cache, tear_down_cache);
}
