/* The codelets of the guide's chapters 2 and 3, as printed; the two mended ones (decision 26) say so. They are compiled for
 * both forms of half and their entries are run on states made by hand. */
#include "poplar/codelet/codelet_test.h"

static const char head[] = "#include <poplar/Vertex.hpp>\n"
                           "#include <poplar/HalfFloat.hpp>\n"
                           "#include <type_traits>\n"
                           "#include <cstddef>\n"
                           "\n"
                           "using namespace poplar;\n"
                           "\n";

/* 2.8 */
static const char adder[] = "#include <poplar/Vertex.hpp>\n"
                            "\n"
                            "using namespace poplar;\n"
                            "\n"
                            "class AdderVertex : public Vertex {\n"
                            "public:\n"
                            "    Input<float> x;\n"
                            "    Input<float> y;\n"
                            "    Output<float> sum;\n"
                            "\n"
                            "    bool compute() {\n"
                            "        *sum = x + y;\n"
                            "        return true;\n"
                            "    }\n"
                            "};\n";

/* 3.3; mended: the for statement is printed with `; ++i` after its third clause. */
static const char add_two[] = "class AddTwoVectors : public MultiVertex {\n"
                              "public:\n"
                              "    Input<Vector<unsigned>> a;\n"
                              "    Input<Vector<unsigned>> b;\n"
                              "    Output<Vector<unsigned>> c;\n"
                              "\n"
                              "    bool compute(unsigned workerId) {\n"
                              "        const auto numElements = a.size();\n"
                              "        for (std::size_t i = workerId;\n"
                              "             i < numElements;\n"
                              "             i += MultiVertex::numWorkers()) {\n"
                              "            c[i] = a[i] + b[i];\n"
                              "        }\n"
                              "        return true;\n"
                              "    }\n"
                              "};\n";

/* 3.4.1; mended: printed as `template <typename FType> template class Foo`, and with a static member that is not const. */
static const char external[] = "template <typename FType>\n"
                               "class Foo : public Vertex {\n"
                               "    static const bool isExternalCodelet = std::is_same<FType, float>();\n"
                               "    bool compute() { return true; }\n"
                               "};\n"
                               "\n"
                               "template class Foo<half>;\n"
                               "template class Foo<float>;\n";

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

static void test_adder(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, adder, false);
        const tw__vertex_type *vt = find(set, "AdderVertex");
        assert_int_equal(vt->kind, TW__VERTEX);
        assert_string_equal(vt->symbol, "__runCodelet_AdderVertex");
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

static void test_multivertex(void **state)
{
    (void)state;
    g_autofree char *text = g_strconcat(head, add_two, NULL);
    tw__codelets *set = load_text(TW__HALF_FLOAT, text, false);
    const tw__vertex_type *vt = find(set, "AddTwoVectors");
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

static void test_external(void **state)
{
    (void)state;
    g_autofree char *text = g_strconcat(head, external, NULL);
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, text, false);
        assert_int_equal(tw__codelets_count(set), 2);
        static const struct {
            const char *name;
            bool external;
        } rows[] = { { "Foo<half>", false }, { "Foo<float>", true } };
        for (size_t i = 0; i < 2; i++) {
            const tw__vertex_type *vt = find(set, rows[i].name);
            assert_int_equal(vt->is_external, rows[i].external);
            char *v = new_state(vt);
            assert_int_equal(run(set, vt, v), 1); /* private compute(); the host runs it in any case */
            free(v);
            const tw__device_vertex *device = tw__codelets_device(set, vt, TW__ARCH_IPU2);
            assert_non_null(device);
            assert_int_equal(device->is_external, rows[i].external);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adder),       cmocka_unit_test(test_multivertex), cmocka_unit_test(test_external),
        cmocka_unit_test(test_constraints), cmocka_unit_test(test_fenced),
    };
    return cmocka_run_group_tests_name("codelet_guide", tests, set_up_cache, tear_down_cache);
}
