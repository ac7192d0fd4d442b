/* SPDX-License-Identifier: MIT */
/* What the guide's chapters 2 and 3 say of codelets, on programs with the same calls; and the guide's own snippets,
 * read from the text of the guide where it lies beside the project, with two mends of what no compiler takes
 * (docs/codelets.md). They are compiled for both forms of half and their entries are run on states made by hand. */
#include "poplar/codelet/codelet_test.h"

static const char head[] = "#include <poplar/Vertex.hpp>\n"
                           "#include <poplar/HalfFloat.hpp>\n"
                           "#include <type_traits>\n"
                           "#include <cstddef>\n"
                           "\n"
                           "using namespace poplar;\n"
                           "\n";

/* 2.8 */
static const char plus[] = "struct Plus : Vertex { Input<float> x, y; Output<float> sum;\n"
                           "    bool compute() { *sum = x + *y; return true; } };\n";

/* 3.3: work shared by worker number. */
static const char shared[] =
    "struct AddShared : MultiVertex { Input<Vector<unsigned>> a, b; Output<Vector<unsigned>> c;\n"
    "    bool compute(unsigned worker) {\n"
    "        for (unsigned i = worker; i < c.size(); i += numWorkers()) c[i] = a[i] + b[i];\n"
    "        return true; } };\n";

/* 3.4.1: assembly for one of two element types; compute() may be private. */
static const char external[] =
    "template <typename T> class Twice : public Vertex {\n"
    "    static constexpr bool isExternalCodelet = sizeof(T) == 4 && !std::is_same<T, half>();\n"
    "    bool compute() { return true; } };\n"
    "template class Twice<half>;\n"
    "template class Twice<float>;\n";

/* The code between two fences of the guide that holds `phrase`; NULL: the guide is not there. g_free. */
static char *snippet(const char *phrase)
{
    static const char path[] = TW_SOURCE_DIR "/../shared/seeds/poplar-user-guide.txt";
    char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL)) return NULL;
    g_auto(GStrv) parts = g_strsplit(text, "\n```", -1);
    g_free(text);
    for (size_t i = 1; parts[0] && parts[i]; i += 2)
        if (strstr(parts[i], phrase)) return g_strdup(parts[i] + strcspn(parts[i], "\n"));
    fail_msg("the guide has no snippet with '%s'", phrase);
    return NULL;
}

/* Replaces `from`, which must be there once. */
static char *mended(char *text, const char *from, const char *to)
{
    char *at = text ? strstr(text, from) : NULL;
    if (!text) return NULL;
    if (!at || strstr(at + 1, from)) fail_msg("'%s' is not in the guide's snippet once", from);
    char *out = g_strdup_printf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    g_free(text);
    return out;
}

/* Table 3.1 */
static const char constrained[] =
    "class [[poplar::constraint(\"elem(*src)!=elem(*dst)\", \"region(*src)!=region(*dst)\")]] Move : public Vertex "
    "{\n"
    "public:\n"
    "    Input<Vector<float>> src;\n"
    "    Output<Vector<float>> dst;\n"
    "    bool compute() { for (unsigned i = 0; i < src.size(); ++i) dst[i] = src[i]; return true; }\n"
    "};\n";

/* 4.2.1 */
static const char available[] = "#include \"poplar/AvailableVTypes.h\"\n"
                                "class Described : public Vertex {\n"
                                "public:\n"
                                "#if defined(VECTOR_AVAIL_SCALED_PTR32)\n"
                                "    Input<Vector<char, VectorLayout::SCALED_PTR32, 4>> desc;\n"
                                "#else\n"
                                "    Input<Vector<char, VectorLayout::ONE_PTR, 4>> desc;\n"
                                "#endif\n"
                                "    bool compute() { return desc[0] == 7; }\n"
                                "};\n";

/* 2.8: host program and codelet in one file. */
static const char fenced[] = "#ifdef __POPC__\n"
                             "#include <poplar/Vertex.hpp>\n"
                             "class Fenced : public poplar::Vertex {\n"
                             "public:\n"
                             "    poplar::InOut<int> n;\n"
                             "    bool compute() { *n = *n * 3; return false; }\n"
                             "};\n"
                             "#else\n"
                             "#include <this_header_does_not_exist.h>\n"
                             "int main() {}\n"
                             "#endif\n";

static void check_adder(const char *text, const char *name)
{
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, text, false);
        const tw__vertex_type *vt = find(set, name);
        assert_int_equal(vt->kind, TW__VERTEX);
        assert_true(g_str_has_prefix(vt->symbol, "__runCodelet_") && g_str_has_suffix(vt->symbol, name));
        char *v = new_state(vt);
        float x = 1.5f, y = 2.25f, sum = 0;
        PUT(vt, v, "x", void *, &x);
        PUT(vt, v, "y", void *, &y);
        PUT(vt, v, "sum", void *, &sum);
        assert_int_equal(run(set, vt, v), 1);
        assert_true(sum == 3.75f);
        free(v);
        tw__codelets_free(set);
    }
}

static void check_multivertex(const char *text, const char *name)
{
    tw__codelets *set = load_text(TW__HALF_FLOAT, text, false);
    const tw__vertex_type *vt = find(set, name);
    assert_int_equal(vt->kind, TW__MULTIVERTEX);
    uint32_t a[10], b[10], c[10];
    for (uint32_t i = 0; i < 10; i++) a[i] = i, b[i] = 100 * i, c[i] = 7777;
    char *v = new_state(vt);
    PUT(vt, v, "a", tw_host_span, a, 10);
    PUT(vt, v, "b", tw_host_span, b, 10);
    PUT(vt, v, "c", tw_host_span, c, 10);
    tw__entry entry = tw__codelets_entry(set, vt);
    assert_non_null(entry);
    for (unsigned worker = 0; worker < 5; worker++) assert_int_equal(entry(v, worker, 6), 1);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(c[i], i % 6 == 5 ? 7777 : 101 * i); /* worker 5 has not run */
    entry(v, 5, 6);
    assert_int_equal(c[5], 505);
    free(v);
    tw__codelets_free(set);
}

static void check_external(const char *text, const char *name)
{
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, text, false);
        assert_int_equal(tw__codelets_count(set), 2);
        for (int is_float = 0; is_float < 2; is_float++) {
            g_autofree char *full = g_strdup_printf("%s<%s>", name, is_float ? "float" : "half");
            const tw__vertex_type *vt = find(set, full);
            assert_int_equal(vt->is_external, is_float);
            char *v = new_state(vt);
            assert_int_equal(run(set, vt, v), 1); /* private compute(); the host runs it in any case */
            free(v);
            const tw__device_vertex *device = tw__codelets_device(set, vt, TW__ARCH_IPU2);
            assert_non_null(device);
            assert_int_equal(device->is_external, is_float);
        }
        tw__codelets_free(set);
    }
}

static void test_constraints(void **state)
{
    (void)state;
    g_autofree char *text = g_strconcat(head, constrained, available, NULL);
    tw__codelets *set = load_text(TW__HALF_FLOAT, text, false);
    const tw__vertex_type *vt = find(set, "Move");
    assert_int_equal(vt->num_constraints, 2);
    assert_string_equal(vt->constraints[0], "elem(*src)!=elem(*dst)");
    assert_string_equal(vt->constraints[1], "region(*src)!=region(*dst)");
    float src[3] = { 1, 2, 3 }, dst[3] = { 0 };
    char *v = new_state(vt);
    PUT(vt, v, "src", tw_host_span, src, 3);
    PUT(vt, v, "dst", tw_host_span, dst, 3);
    assert_int_equal(run(set, vt, v), 1);
    assert_memory_equal(src, dst, sizeof src);
    free(v);

    vt = find(set, "Described");
    char desc = 7;
    v = new_state(vt);
    PUT(vt, v, "desc", tw_host_span, &desc, 1);
    assert_int_equal(run(set, vt, v), 1);
    desc = 8;
    assert_int_equal(run(set, vt, v), 0);
    free(v);
    const tw__device_vertex *mk1 = tw__codelets_device(set, vt, TW__ARCH_IPU1);
    const tw__device_vertex *mk2 = tw__codelets_device(set, vt, TW__ARCH_IPU2);
    assert_non_null(mk1);
    assert_non_null(mk2);
    assert_int_equal(mk1->size, 2); /* guide 4.2.2: a 16-bit pointer */
    assert_int_equal(mk2->size, 4);
    tw__codelets_free(set);
}

static void test_fenced(void **state)
{
    (void)state;
    tw__codelets *set = load_text(TW__HALF_FLOAT, fenced, false);
    const tw__vertex_type *vt = find(set, "Fenced");
    int n = 14;
    char *v = new_state(vt);
    PUT(vt, v, "n", void *, &n);
    assert_int_equal(run(set, vt, v), 0);
    assert_int_equal(n, 42);
    free(v);
    tw__codelets_free(set);
}

static void codelet_2_8_vertex(void **state)
{
    (void)state;
    g_autofree char *text = g_strconcat(head, plus, NULL);
    check_adder(text, "Plus");
}

static void codelet_3_3_multivertex(void **state)
{
    (void)state;
    g_autofree char *text = g_strconcat(head, shared, NULL);
    check_multivertex(text, "AddShared");
}

static void codelet_3_4_1_external(void **state)
{
    (void)state;
    g_autofree char *text = g_strconcat(head, external, NULL);
    check_external(text, "Twice");
}

/* The snippets as printed; the second with a third clause less in its loop, the third with one word less and a const
 * more. */
static void codelet_snippets_of_the_guide(void **state)
{
    (void)state;
    g_autofree char *first = snippet("class AdderVertex"),
                    *second = mended(snippet("class AddTwoVectors"), "numWorkers(); ++i)", "numWorkers())"),
                    *third = mended(mended(snippet("isExternalCodelet ="), "template class Foo :", "class Foo :"),
                                    "static bool isExternalCodelet", "static const bool isExternalCodelet");
    if (!first) {
        print_message("skipped: the guide is not beside the project\n");
        skip();
    }
    g_autofree char *two = g_strconcat(head, second, NULL), *three = g_strconcat(head, third, NULL);
    check_adder(first, "AdderVertex");
    check_multivertex(two, "AddTwoVectors");
    check_external(three, "Foo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codelet_2_8_vertex),     cmocka_unit_test(codelet_3_3_multivertex),
        cmocka_unit_test(codelet_3_4_1_external), cmocka_unit_test(codelet_snippets_of_the_guide),
        cmocka_unit_test(test_constraints),       cmocka_unit_test(test_fenced),
    };
    return cmocka_run_group_tests_name("codelet_guide", tests, set_up_cache, tear_down_cache);
}
