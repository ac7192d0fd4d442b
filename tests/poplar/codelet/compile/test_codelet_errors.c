/* SPDX-License-Identifier: MIT */
/* Mistakes in codelets: each message names the user's file, line and column, and says what would be right. */
#include "poplar/codelet/codelet_test.h"

#define CPP "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
#define C   "#include <tilewright/codelet.h>\n"
#define OK  "bool compute() { return true; } };\n"

typedef struct mistake {
    const char *text;
    bool is_c;
    int line, column;   /* 0 = any */
    const char *phrase; /* in the message */
} mistake;

// clang-format off
static const mistake mistakes[] = {
    /* types of fields: the three, and the rest of the table */
    { CPP "class A : public Vertex { double x; " OK, 0, 3, 34, "field 'x' of vertex 'A' has type 'double', which a vertex cannot hold: use float" },
    { CPP "class A : public Vertex { long long x; " OK, 0, 3, 37, "use int, or two unsigned ints" },
    { CPP "class A : public Vertex { Input<long> x; " OK, 0, 3, 39, "long is 32 bits on the IPU" },
    { CPP "class A : public Vertex { Vector<unsigned long> x; " OK, 0, 3, 49, "use unsigned int" },
    { CPP "#include <cstdint>\nclass A : public Vertex { std::size_t *x; " OK, 0, 4, 0, "use unsigned int" },
    { CPP "class A : public Vertex { long double x; " OK, 0, 3, 39, "use float" },
    { CPP "class A : public Vertex { double *x; " OK, 0, 3, 35, "use float" },
    { CPP "class A : public Vertex { Input<double> x; " OK, 0, 3, 41, "use float" },
    { CPP "class A : public Vertex { Input<Vector<long long>> x; " OK, 0, 3, 52, "'Input<Vector<long long>>'" },
    { CPP "class A : public Vertex { Vector<Output<Vector<long>>> x; " OK, 0, 3, 0, "use int" },
    { CPP "class A : public Vertex { int x[2]; double y[3]; " OK, 0, 3, 44, "field 'y'" },
    { CPP "template <class T> class A : public Vertex { Input<T> x; " OK "template class A<double>;\n", 0, 3, 55, "vertex 'A<double>'" },
    { CPP "#include <ipudef.h>\nclass A : public Vertex { Input<Vector<float2>> x; " OK, 0, 4, 0, "use float here and cast" },
    { CPP "struct S { int a; };\nclass A : public Vertex { Input<S> x; " OK, 0, 4, 0, "not a type of tensors" },
    { CPP "class A : public Vertex { VectorList<float> x; " OK, 0, 3, 0, "stands in Input, Output or InOut" },
    { CPP "class A : public Vertex { Vector<Vector<int>> x; " OK, 0, 3, 47, "a Vector that is state holds numbers" },
    { CPP "struct S { int a; };\nclass A : public Vertex { Vector<S> x; " OK, 0, 4, 0, "a Vector that is state holds numbers" },
    { CPP "class A : public Vertex { int x : 3; " OK, 0, 3, 0, "bit-field" },
    { CPP "class A : public Vertex { int &x; " OK, 0, 3, 0, "is a reference" },
    { C "TW_VERTEX(A) { TW_INPUT(double) x; };\nbool A_compute(A *v) { return true; }\n", 1, 2, 0, "use float" },
    { C "TW_VERTEX(A) { TW_INPUT(long) x; };\nbool A_compute(A *v) { return true; }\n", 1, 2, 0, "use int" },
    { CPP "struct S { char c; struct { int i; double d[2]; } t[2]; };\nclass A : public Vertex { S s; " OK, 0, 3, 43, "member 'd' of field 's' of vertex 'A' has type 'double[2]'" },
    { CPP "struct S { long a; };\nclass A : public Vertex { S s[3]; " OK, 0, 3, 17, "use int" },
    { C "struct S { long a; };\nTW_VERTEX(A) { struct S x; };\nbool A_compute(A *v) { return true; }\n", 1, 2, 17, "member 'a' of field 'x'" },
    /* access */
    { CPP "class A : public Vertex { Input<float> x; bool compute() {\n    *x = 1;\n    return true; } };\n", 0, 4, 8, "const" },
    { CPP "class A : public Vertex { Input<Vector<float>> x; bool compute() {\n    x[0] = 1;\n    return true; } };\n", 0, 4, 10, "const" },
    { CPP "class A : public Vertex { Vector<Input<Vector<int>>> x; bool compute() {\n    x[0][1] += 1;\n    return true; } };\n", 0, 4, 13, "const" },
    { CPP "class A : public Vertex { Input<VectorList<int>> x; bool compute() {\n    x[0][1] = 1;\n    return true; } };\n", 0, 4, 13, "const" },
    { CPP "class A : public Vertex { Input<Vector<float, VectorLayout::ONE_PTR>> x; bool compute() { return x.size(); } };\n", 0, 0, 0, "only SPAN and SHORT_SPAN vectors have size()" },
    { C "TW_VERTEX(A) { TW_INPUT(TW_VECTOR(float)) x; };\nbool A_compute(A *v) {\n    *tw_at(v->x, 0) = 1;\n    return true; }\n", 1, 4, 21, "read-only" },
    { C "TW_VERTEX(A) { TW_INPUT(int) x; };\nbool A_compute(A *v) {\n    *v->x = 1;\n    return true; }\n", 1, 4, 11, "read-only" },
    { C "TW_VERTEX(A) { TW_INPUT(TW_VECTOR(float, ONE_PTR)) x; };\nbool A_compute(A *v) { return tw_size(v->x); }\n", 1, 3, 0, "tw_count" },
    /* compute */
    { CPP "class A : public Vertex { int x; };\n", 0, 3, 7, "has no method bool compute()" },
    { CPP "class A : public MultiVertex { " OK, 0, 3, 7, "takes 0 arguments: expected bool compute(unsigned workerId)" },
    { CPP "class A : public Vertex { bool compute(unsigned w) { return w; } };\n", 0, 3, 7, "takes 1 argument: expected bool compute()" },
    { CPP "class A : public Vertex { virtual bool compute() { return true; } };\n", 0, 3, 40, "cannot have virtual methods" },
    { C "TW_VERTEX(A) { int x; };\n", 1, 2, 1, "needs a function bool A_compute(A *v)" },
    { C "TW_MULTIVERTEX(A) { int x; };\nbool A_compute(A *v) { return v->x; }\n", 1, 3, 6, "unsigned worker" },
    /* plain errors of the language, in bodies and outside */
    { CPP "class A : public Vertex { bool compute() {\n    return undeclared;\n} };\n", 0, 4, 12, "undeclared" },
    { CPP "class A : public Vertex { nonsense x; " OK, 0, 3, 27, "unknown type name 'nonsense'" },
    { CPP "#include <no_such_header.h>\nclass A : public Vertex { " OK, 0, 3, 10, "no_such_header.h" },
    { CPP "class [[poplar::constraint(\"x\")]] A : public Vertex { bool compute() {\n    return [[poplar::constraint(\"y\")]] wrong;\n} };\n", 0, 4, 0, "" },
    { C "TW_VERTEX(A) { int x; };\nbool A_compute(A *v) {\n    return v->y; }\n", 1, 4, 15, "no member named 'y'" },
    { C "TW_VERTEX(A) { TW_INPUT(TW_VECTOR(float, DIAGONAL)) x; };\nbool A_compute(A *v) { return true; }\n", 1, 2, 0, "" },
    /* the file as a whole */
    { CPP "class NoVertex { int x; };\n", 0, 0, 0, "the file defines no vertex" },
    { CPP "template <class T> class A : public Vertex { " OK, 0, 0, 0, "explicit instantiation" },
    { C "struct A { int x; };\n", 1, 0, 0, "expected TW_VERTEX(Name)" },
    { CPP "template <class X> class Q : public Vertex { " OK "template class Q<float>;\ntemplate class Q<float>;\n", 0, 5, 16, "duplicate explicit instantiation" },
};
// clang-format on

static void test_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
        const mistake *m = &mistakes[i];
        tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
        tw_diags *diags = tw_diags_new();
        const char *name = m->is_c ? "mine.c" : "mine.cpp";
        tw_status status =
            tw__codelets_add_source(set, m->text, m->is_c ? TW__CODELET_C : TW__CODELET_CPP, name, NULL, diags);
        if (status != TW_E_COMPILATION)
            fail_msg("row %zu: status %d (%s)\n%s", i, status, tw_error_message(), m->text);
        assert_int_equal(tw__codelets_count(set), 0);
        const tw_diag *first = NULL;
        bool found = false;
        for (size_t k = 0; tw_diags_get(diags, k) && !found; k++) {
            const tw_diag *diag = tw_diags_get(diags, k);
            if (diag->severity != TW_ERROR && !strstr(m->phrase, "only SPAN")) continue;
            if (!first) first = diag;
            found = strstr(diag->message, m->phrase) && (!m->line || diag->line == m->line) &&
                    (!m->column || diag->column == m->column) &&
                    (!m->line || (strcmp(diag->file, name) == 0 && diag->source != NULL));
        }
        if (!found) {
            tw_diags_print(diags, stderr, false);
            fail_msg("row %zu: expected %d:%d %s", i, m->line, m->column, m->phrase);
        }
        assert_true(strlen(tw_error_message()) > 0);
        tw_diags_free(diags);
        tw__codelets_free(set);
    }
}

/* An error in a template of the codelet headers names the line of the user's that asks for it. */
static void test_template_lines(void **state)
{
    (void)state;
    static const char text[] =
        CPP "class A : public Vertex {\n    Input<Vector<float, VectorLayout::SPAN, 3>> x; " OK;
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    tw_diags *diags = tw_diags_new();
    assert_int_equal(tw__codelets_add_source(set, text, TW__CODELET_CPP, "mine.cpp", NULL, diags),
                     TW_E_COMPILATION);
    assert_non_null(strstr(tw_error_message(), "MinAlign must be a power of two"));
    bool found = false;
    for (size_t k = 0; tw_diags_get(diags, k); k++) {
        const tw_diag *diag = tw_diags_get(diags, k);
        found = found || (strcmp(diag->file, "mine.cpp") == 0 && diag->line == 4 && diag->source);
    }
    assert_true(found);
    tw_diags_free(diags);
    tw__codelets_free(set);
}

/* Two names with one symbol, and one name twice (docs/decisions.md, M4). The set keeps what it had. */
static void test_collisions(void **state)
{
    (void)state;
    tw__codelets *set =
        load_text(TW__HALF_FLOAT,
                  CPP "class A : public Vertex { " OK "namespace n { class B : public Vertex { " OK "}\n", false);
    tw_diags *diags = tw_diags_new();
    assert_int_equal(tw__codelets_add_source(set, CPP "class A : public Vertex { int other; " OK, TW__CODELET_CPP,
                                             "b.cpp", NULL, diags),
                     TW_E_OBJECT_CREATION);
    assert_non_null(strstr(tw_error_message(), "vertex 'A' is defined twice: in 'test.cpp' and in 'b.cpp'"));
    assert_true(tw_diags_count(diags, TW_ERROR) > 0);
    assert_int_equal(tw__codelets_add_source(set, CPP "class A : public Vertex { int other; " OK, TW__CODELET_CPP,
                                             "test.cpp", "-O3", NULL),
                     TW_E_OBJECT_CREATION);
    assert_non_null(strstr(tw_error_message(), "'test.cpp' was added before with other flags or contents"));
    assert_int_equal(tw__codelets_add_source(
                         set,
                         C "TW_VERTEX_AS(nB, \"n::  B\") { int x; };\nbool nB_compute(nB *v) { return v->x; }\n",
                         TW__CODELET_C, "c.c", NULL, NULL),
                     TW_E_OBJECT_CREATION);
    static const char collision[] =
        C "TW_VERTEX_AS(a, \"P<Q<int>,c>\") { int x; };\nbool a_compute(a *v) { return v->x; }\n";
    static const char other[] =
        C "TW_VERTEX_AS(b, \"P<Q<int,c>>\") { int x; };\nbool b_compute(b *v) { return v->x; }\n";
    assert_int_equal(tw__codelets_add_source(set, collision, TW__CODELET_C, "d.c", NULL, NULL), TW_OK);
    assert_int_equal(tw__codelets_add_source(set, other, TW__CODELET_C, "e.c", NULL, NULL), TW_E_OBJECT_CREATION);
    assert_non_null(strstr(tw_error_message(), "have the same symbol __runCodelet_P___Q___int_c"));
    assert_int_equal(tw__codelets_add_source(set, collision, TW__CODELET_C, "d.c", NULL, NULL),
                     TW_OK); /* the same again */
    assert_int_equal(tw__codelets_count(set), 3);
    assert_null(tw__codelets_find(set, "P<Q<int,c>>"));
    tw_diags_free(diags);
    tw__codelets_free(set);
}

static void test_files_and_flags(void **state)
{
    (void)state;
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    static const struct {
        const char *path, *flags;
        tw_status status;
        const char *phrase;
    } rows[] = { { "/no/such/codelet.cpp", NULL, TW_E_FILE_LOAD, "/no/such/codelet.cpp" },
                 { "/dev/null", NULL, TW_E_FILE_LOAD, "unknown kind" } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_int_equal(tw__codelets_add_file(set, rows[i].path, TW__CODELET_AUTO, rows[i].flags, NULL),
                         rows[i].status);
        assert_non_null(strstr(tw_error_message(), rows[i].phrase));
    }
    static const char text[] =
        CPP "class A : public Vertex { InOut<int> n;\nbool compute() { *n = N; return true; } };\n";
    static const struct {
        const char *flags;
        tw_status status;
        const char *phrase;
    } flags[] = { { "-o x", TW_E_INVALID_ARGUMENT, "'-o' is not a flag" },
                  { "'-DN=1", TW_E_INVALID_ARGUMENT, "flags" },
                  { "-DN=2 -no-such-flag", TW_E_COMPILATION, "no-such-flag" },
                  { "-DN=oops", TW_E_COMPILATION, "oops" },
                  { " -DN=7  -O3 -g -Wall -std=c++20", TW_OK, "" } };
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        tw_status status = tw__codelets_add_source(set, text, TW__CODELET_CPP, NULL, flags[i].flags, NULL);
        if (status != flags[i].status) fail_msg("%s: %d %s", flags[i].flags, status, tw_error_message());
        assert_true(status == TW_OK || strstr(tw_error_message(), flags[i].phrase));
    }
    const tw__vertex_type *vt = find(set, "A");
    int n = 0;
    char *v = new_state(vt);
    PUT(vt, v, "n", void *, &n);
    run(set, vt, v);
    assert_int_equal(n, 7);
    free(v);
    assert_int_equal(tw__codelets_add_source(set, text, TW__CODELET_OBJECT, NULL, NULL, NULL),
                     TW_E_INVALID_ARGUMENT);
    tw__codelets_free(set);
}

/* Warnings do not stop, and arrive with their option. */
static void test_warnings(void **state)
{
    (void)state;
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    tw_diags *diags = tw_diags_new();
    static const char text[] =
        CPP "class [[vendor::unknown]] A : public Vertex {\nbool compute() { int unused; return true; } };\n";
    assert_int_equal(tw__codelets_add_source(set, text, TW__CODELET_CPP, "w.cpp", "-Wall", diags), TW_OK);
    bool attribute = false, variable = false;
    for (size_t i = 0; tw_diags_get(diags, i); i++) {
        const tw_diag *diag = tw_diags_get(diags, i);
        attribute = attribute ||
                    (diag->severity == TW_WARNING && diag->line == 3 && strstr(diag->message, "unknown attribute"));
        variable = variable || (diag->line == 4 && strcmp(diag->code, "-Wunused-variable") == 0);
    }
    if (!attribute || !variable) tw_diags_print(diags, stderr, false);
    assert_true(attribute);
    assert_true(variable);
    tw_diags_free(diags);
    tw__codelets_free(set);
}

/* What TW_VERTEX makes, written by hand and wrong. */
static void test_annotations(void **state)
{
    (void)state;
    static const char *const notes[] = { "tw.vertex Vertex", "tw.vertex ", "tw.vertex Vertex " };
    for (size_t i = 0; i < G_N_ELEMENTS(notes); i++) {
        g_autofree char *text =
            g_strdup_printf("struct __attribute__((annotate(\"%s\"))) A { int *n; };\n", notes[i]);
        tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
        assert_int_equal(tw__codelets_add_source(set, text, TW__CODELET_C, "mine.c", NULL, NULL), TW_E_COMPILATION);
        if (!g_str_has_prefix(tw_error_message(), "mine.c:1:")) fail_msg("%s: %s", notes[i], tw_error_message());
        tw__codelets_free(set);
    }
}

/* Names that mean something to a compiler, to make or to a shell: sources and headers are found, messages name them,
 * and a changed header is noticed. A name that is more than one line is refused. */
static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = { "a\"b",     "back\\slash", "trailing\\", "it's $HOME", "$$",      "a#b",
                                         "semi;x:y", "100%",        "*?[x]",      "-o",         "\xc3\xa4" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *folder = g_build_filename(cache_folder, names[i], NULL),
                        *file = g_strconcat(names[i], ".cpp", NULL), *source = g_build_filename(folder, file, NULL),
                        *header = g_build_filename(folder, "value.hpp", NULL),
                        *place = g_strconcat(source, ":3:", NULL);
        for (int round = 0; round < 3; round++) { /* 1, 2, a mistake in line 3 */
            g_autofree char *value = g_strdup_printf("#define VALUE %d\n", 1 + round);
            g_mkdir_with_parents(folder, 0700);
            g_file_set_contents(header, value, -1, NULL);
            g_file_set_contents(source,
                                round < 2 ? CPP
                                    "#include \"value.hpp\"\nclass A : public Vertex { public: InOut<int> n; bool "
                                    "compute() { *n = VALUE; return true; } };\n"
                                          : CPP "class A : public Vertex { public: InOut<int> n; bool "
                                                "compute() { *n = qqqq; return true; } };\n",
                                -1, NULL);
            tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
            tw_status status = tw__codelets_add_file(set, source, TW__CODELET_AUTO, NULL, NULL);
            if (round < 2) {
                if (status) fail_msg("%s: %s", source, tw_error_message());
                const tw__vertex_type *vt = find(set, "A");
                int n = 0;
                char *v = new_state(vt);
                PUT(vt, v, "n", void *, &n);
                run(set, vt, v);
                free(v);
                if (n != 1 + round) fail_msg("%s: %d in round %d", source, n, round);
            } else if (status != TW_E_COMPILATION || !g_str_has_prefix(tw_error_message(), place)) {
                fail_msg("%s: %s", source, tw_error_message());
            }
            tw__codelets_free(set);
        }
    }
    g_autofree char *two_lines = g_build_filename(cache_folder, "two\nlines.cpp", NULL);
    g_file_set_contents(two_lines, CPP "int x;\n", -1, NULL);
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    assert_int_equal(tw__codelets_add_file(set, two_lines, TW__CODELET_AUTO, NULL, NULL), TW_E_FILE_LOAD);
    assert_non_null(strstr(tw_error_message(), "two\\nlines.cpp\" of a codelet source has a control character"));
    tw__codelets_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_template_lines),
                                        cmocka_unit_test(test_collisions), cmocka_unit_test(test_files_and_flags),
                                        cmocka_unit_test(test_warnings),   cmocka_unit_test(test_names),
                                        cmocka_unit_test(test_annotations) };
    return cmocka_run_group_tests_name("codelet_errors", tests, set_up_cache, tear_down_cache);
}
