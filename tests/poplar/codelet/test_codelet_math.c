/* SPDX-License-Identifier: MIT */
/* half under <cmath>, with std:: and without, in both of its forms; its limits; what codelet headers bring along;
 * types that are of one size but must be told apart. The reference of a function is the C library's, for float: a
 * half is promoted to float (guide 2.3.2). */
#include "poplar/codelet/codelet_test.h"

#include <float.h>
#include <tilewright/poplar/popc.h>

#define CPP "#include <cmath>\n#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"

/* clang-format off */
#define UNARY(X) X(acos) X(asin) X(atan) X(cos) X(sin) X(tan) X(asinh) X(atanh) X(cosh) X(sinh) X(tanh) X(exp) X(exp2)  \
    X(expm1) X(log) X(log10) X(log1p) X(log2) X(logb) X(cbrt) X(fabs) X(sqrt) X(erf) X(erfc) X(lgamma) X(tgamma)        \
    X(ceil) X(floor) X(nearbyint) X(rint) X(round) X(trunc)
#define BINARY(X) X(atan2) X(pow) X(hypot) X(fmod) X(remainder) X(copysign) X(nextafter) X(fdim) X(fmax) X(fmin)
/* clang-format on */

#define ROW(name) { #name, name##f },
static const struct {
    const char *name;
    float (*reference)(float);
} unary[] = { UNARY(ROW){ "acosh", acoshf }, { "abs", fabsf } };
static const struct {
    const char *name;
    float (*reference)(float, float);
} binary[] = { BINARY(ROW) };
#undef ROW

static const float x = 0.40625f, y = -1.75f; /* both exact as a half */

/* A vertex Math whose compute() puts `calls` values into out[]. */
static void check_values(const char *body, const float *expected, const char *const *names, unsigned count)
{
    g_autofree char *text = g_strdup_printf(CPP "class Math : public Vertex { public:\n"
                                                "  Input<half> x; Input<half> y; Output<Vector<float>> out;\n"
                                                "  bool compute() { half h = x, g = y; int k = 0;\n%s"
                                                "    return k == %u; } };\n",
                                            body, count);
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, text, false);
        const tw__vertex_type *vt = find(set, "Math");
        uint16_t halves[2] = { tw_f32_to_f16(x, TW_ROUND_NEAREST_EVEN, 0),
                               tw_f32_to_f16(y, TW_ROUND_NEAREST_EVEN, 0) };
        float floats[2] = { x, y }, *out = g_new0(float, count);
        char *v = new_state(vt);
        PUT(vt, v, "x", const void *, variant ? (const void *)&halves[0] : (const void *)&floats[0]);
        PUT(vt, v, "y", const void *, variant ? (const void *)&halves[1] : (const void *)&floats[1]);
        PUT(vt, v, "out", tw_host_span, out, count);
        assert_int_equal(run(set, vt, v), 1);
        for (unsigned i = 0; i < count; i++)
            if (!(fabsf(out[i] - expected[i]) <= 4e-7f * fabsf(expected[i])) &&
                !(isnan(out[i]) && isnan(expected[i])))
                fail_msg("form %d, %s: expected %.9g, got %.9g", variant, names[i], (double)expected[i],
                         (double)out[i]);
        free(v);
        g_free(out);
        tw__codelets_free(set);
    }
}

enum { MOST = 4 * (G_N_ELEMENTS(unary) + G_N_ELEMENTS(binary)) };

static void test_functions(void **state)
{
    (void)state;
    GString *body = g_string_new(NULL);
    float expected[MOST];
    const char *names[MOST];
    unsigned count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(unary); i++) {
        const char *name = unary[i].name;
        bool from_one = strcmp(name, "acosh") == 0;
        const char *from = from_one ? "half(1 + h)" : "h", *edge = from_one ? "half(1 + x)" : "x";
        g_string_append_printf(body, "out[k++] = std::%s(%s); out[k++] = %s(%s); out[k++] = std::%s(%s);\n", name,
                               from, name, from, name, edge);
        for (int n = 0; n < 3; n++, count++)
            expected[count] = unary[i].reference(from_one ? 1 + x : x), names[count] = name;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(binary); i++) {
        const char *name = binary[i].name;
        g_string_append_printf(body,
                               "out[k++] = std::%s(h, g); out[k++] = %s(h, g); out[k++] = std::%s(h, %.9gf); "
                               "out[k++] = %s(x, y);\n",
                               name, name, name, (double)y, name);
        for (int n = 0; n < 4; n++, count++) expected[count] = binary[i].reference(x, y), names[count] = name;
    }
    check_values(body->str, expected, names, count);
    g_string_free(body, TRUE);
}

/* Those of other signatures. */
static const struct {
    const char *call;
    float expected;
} others[] = {
    { "std::fma(h, g, h)", 0.40625f * -1.75f + 0.40625f },
    { "fma(h, 2.0f, g)", 0.40625f * 2 - 1.75f },
    { "std::ilogb(h)", -2 },
    { "std::lrint(g)", -2 },
    { "llrint(g)", -2 },
    { "std::lround(g)", -2 },
    { "llround(g)", -2 },
    { "std::isfinite(h)", 1 },
    { "std::isinf(h / half(0))", 1 },
    { "std::isnan(h)", 0 },
    { "isnan(x)", 0 },
    { "std::isnormal(h)", 1 },
    { "std::signbit(g)", 1 },
    { "std::fpclassify(h) == FP_NORMAL", 1 },
    { "std::isgreater(h, g)", 1 },
    { "std::isless(h, g)", 0 },
    { "std::isunordered(h, g)", 0 },
    { "std::ldexp(h, 3)", 3.25f },
    { "std::scalbn(h, 2)", 1.625f },
    { "std::frexp(h, &power)", 0.8125f },
    { "power", -1 },
    { "std::modf(g, &whole)", -0.75f },
    { "whole", -1 },
    { "std::modf(g, &part)", -0.75f },
    { "part", -1 },
    { "std::remquo(g, h, &power)", -0.125f },
    { "std::legendre(2, h)", (3 * 0.40625f * 0.40625f - 1) / 2 },
    { "std::hypot(h, g, h)", 1.84189525f },
    { "std::pow(h, 2)", 0.40625f * 0.40625f },
    { "sizeof(std::pow(h, 2.0)) == sizeof(double)", 1 },
    { "sizeof(std::pow(h, 2.0f)) == sizeof(float)", 1 },
    { "std::is_same<decltype(std::exp(h)), float>::value", 1 },
    { "std::exp(1.0f)", 2.71828183f },
    { "sizeof(exp(1.0f)) == sizeof(float)", 1 },
};

static void test_other_functions(void **state)
{
    (void)state;
    GString *body = g_string_new("int power; half whole; float part;\n");
    float expected[G_N_ELEMENTS(others)];
    const char *names[G_N_ELEMENTS(others)];
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_string_append_printf(body, "out[k++] = %s;\n", others[i].call);
        expected[i] = others[i].expected, names[i] = others[i].call;
    }
    check_values(body->str, expected, names, G_N_ELEMENTS(others));
    g_string_free(body, TRUE);
}

static void test_limits(void **state)
{
    (void)state;
    static const char text[] =
        "#include <poplar/HalfFloat.hpp>\n#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
        "typedef std::numeric_limits<half> L;\n"
        "static_assert(L::is_specialized && L::has_infinity && L::is_iec559 && L::radix == 2, \"\");\n"
        "class Limits : public Vertex { public: Output<Vector<float>> out;\n"
        "  bool compute() { int k = 0; out[k++] = L::max(); out[k++] = L::lowest(); out[k++] = L::min();\n"
        "    out[k++] = L::denorm_min(); out[k++] = L::epsilon(); out[k++] = L::infinity();\n"
        "    out[k++] = L::digits; out[k++] = L::quiet_NaN() != L::quiet_NaN(); return true; } };\n";
    static const float expected[2][8] = {
        { FLT_MAX, -FLT_MAX, FLT_MIN, FLT_TRUE_MIN, FLT_EPSILON, INFINITY, FLT_MANT_DIG, 1 },
        { 65504, -65504, 0x1p-14f, 0x1p-24f, 0x1p-10f, INFINITY, 11, 1 },
    };
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, text, false);
        const tw__vertex_type *vt = find(set, "Limits");
        float out[8];
        char *v = new_state(vt);
        PUT(vt, v, "out", tw_host_span, out, 8);
        assert_int_equal(run(set, vt, v), 1);
        for (int i = 0; i < 8; i++)
            if (out[i] != expected[variant][i]) fail_msg("form %d, limit %d: %g", variant, i, (double)out[i]);
        free(v);
        tw__codelets_free(set);
    }
}

/* --- headers, for host and chips ------------------------------------------------------------------------------ */

static tw_status compile(const char *name, const char *text, const char *targets, tw_diags *diags)
{
    g_autofree char *source = g_strdup_printf("%s/%s.cpp", cache_folder, name);
    g_autofree char *out = g_strdup_printf("%s/%s.gp", cache_folder, name);
    assert_true(g_file_set_contents(source, text, -1, NULL));
    tw_popc_options options = { .size = sizeof options, .output = out, .targets = targets };
    return tw_popc_compile(source, &options, diags);
}

static const struct {
    const char *name, *text;
} headers[] = {
    { "cstdint", "#include <poplar/Vertex.hpp>\nstd::uint32_t a; std::size_t b;\n" },
    { "alignment", "#include <poplar/Alignment.hpp>\n#include <poplar/Vertex.hpp>\n" },
    { "ieeehalf", "#include <poplar/IeeeHalf.hpp>\n#include <poplar/Vertex.hpp>\n"
                  "unsigned f(float x) { poplar::IeeeHalf h(x); unsigned short s;\n"
                  "  std::memcpy(&s, &h, 2); return h.bit16() + s + poplar::IeeeHalf::fromBits(7).bits() +\n"
                  "         unsigned(float(h)); }\n" },
    { "longs", "#include <ipudef.h>\n#ifdef __IPU__\n"
               "void f(int2) {}\nvoid f(long2) {}\nvoid f(int4) {}\nvoid f(long4) {}\n#endif\n"
               "template <class T> struct S;\ntemplate <> struct S<int2> {};\ntemplate <> struct S<long2> {};\n" },
    { "loads",
      "#include <poplar/TileConstants.hpp>\n"
      "static_assert(CONV_UNIT_INPUT_LOAD_ELEMS_FLOAT == 2 && CONV_UNIT_INPUT_LOAD_ELEMS_HALF == 4, \"\");\n" },
    { "math_c",
      "#include <math.h>\n#include <poplar/HalfFloat.hpp>\nfloat f(half h) { return sqrt(h) + abs(h); }\n" },
    { "library",
      "#include <bitset>\n#include <complex>\n#include <functional>\n#include <iomanip>\n#include <iostream>\n"
      "#include <iterator>\n#include <memory>\n#include <mutex>\n#include <random>\n#include <sstream>\n"
      "#include <stdexcept>\n#include <string>\n#include <string_view>\n#include <vector>\n" },
    { "pointer", "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                 "template <class T> unsigned first(T *p, T q) { return unsigned(*p + q); }\n"
                 "class P : public Vertex { public: Input<Vector<unsigned, VectorLayout::ONE_PTR>> in;\n"
                 "  Vector<Input<Vector<short, VectorLayout::ONE_PTR>>> rows; Output<unsigned> out;\n"
                 "  bool compute() { unsigned q = 1; auto *row = &rows[0][0];\n"
                 "    row = reinterpret_cast<const short *>(row + 1); *out = first(&in[0], q) + *row;\n"
                 "    return true; } };\n" },
};

static void test_headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(headers); i++) {
        tw_diags *diags = tw_diags_new();
        g_autofree char *text =
            g_strconcat(headers[i].text,
                        "#include <poplar/Vertex.hpp>\n"
                        "class Any : public poplar::Vertex { public: bool compute() { return true; } };\n",
                        NULL);
        if (compile(headers[i].name, text, NULL, diags) != TW_OK) {
            tw_diags_print(diags, stderr, false);
            fail_msg("%s: %s", headers[i].name, tw_error_message());
        }
        assert_int_equal(tw_diags_count(diags, TW_WARNING), 0);
        tw_diags_free(diags);
    }
}

/* What Vertex.hpp alone brings is defined and not only declared: it links. */
static void test_swap(void **state)
{
    (void)state;
    tw__codelets *set = load_text(TW__HALF_FLOAT,
                                  "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                                  "class Swap : public Vertex { public: InOut<Vector<float>> v;\n"
                                  "  bool compute() { std::swap(v[0], v[1]); return true; } };\n",
                                  false);
    const tw__vertex_type *vt = find(set, "Swap");
    float values[2] = { 1, 2 };
    char *v = new_state(vt);
    PUT(vt, v, "v", tw_host_span, values, 2);
    assert_int_equal(run(set, vt, v), 1);
    assert_true(values[0] == 2 && values[1] == 1);
    free(v);
    tw__codelets_free(set);
}

/* A half takes what an edge to a float holds, and scales a half4, as the chip's own type does. */
static void test_half_mixes(void **state)
{
    (void)state;
    static const char text[] =
        "#include <ipudef.h>\n#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
        "class Mix : public Vertex { public: Input<float> x; InOut<Vector<half, VectorLayout::SPAN, 8>> v;\n"
        "  bool compute() {\n"
        "    half h = x; v[4] = x;\n"
        "    half4 *p = reinterpret_cast<half4 *>(&v[0]);\n"
        "    p[0] = h * p[0] + p[0] / h; p[0] = p[0] - h;\n"
        "    return true; } };\n";
    tw_diags *diags = tw_diags_new();
    assert_int_equal(compile("mix", text, NULL, diags), TW_OK); /* both forms of half */
    assert_int_equal(tw_diags_count(diags, TW_WARNING), 0);
    tw_diags_free(diags);
    tw__codelets *set = load_text(TW__HALF_FLOAT, text, false);
    const tw__vertex_type *vt = find(set, "Mix");
    float two = 2;
    _Alignas(16) float values[5] = { 1, 2, 3, 4, 0 };
    char *v = new_state(vt);
    PUT(vt, v, "v", tw_host_span, values, 5);
    float *px = &two;
    put(vt, v, "x", &px, sizeof px);
    assert_int_equal(run(set, vt, v), 1);
    for (int i = 0; i < 4; i++) assert_true(values[i] == (float)(i + 1) * 2.5f - 2);
    assert_true(values[4] == 2);
    free(v);
    tw__codelets_free(set);
}

/* The elements of an Input stay const, but for bare pointers as fields. */
static void test_inputs_are_const(void **state)
{
    (void)state;
    static const char *const fields[] = { "Input<Vector<int>> in",
                                          "Vector<Input<Vector<int, VectorLayout::ONE_PTR>>> v" };
    static const char *const writes[] = { "in[0] = 1;", "v[0][0] = 1;" };
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        g_autofree char *text = g_strdup_printf("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                                                "class W : public Vertex { public: %s;\n"
                                                "bool compute() { %s return true; } };\n",
                                                fields[i], writes[i]);
        assert_int_equal(compile("write", text, "cpu", NULL), TW_E_COMPILATION);
    }
}

/* Code on the bits of a half: the form that has them is compiled, the other left out with a warning. */
static void test_one_form(void **state)
{
    (void)state;
    static const char text[] =
        CPP "class Bits : public Vertex { public: Input<half> x; Output<unsigned short> bits;\n"
            "  bool compute() { static_assert(sizeof(half) == 2, \"two bytes\");\n"
            "    __builtin_memcpy(&*bits, &*x, 2); return true; } };\n";
    tw_diags *diags = tw_diags_new();
    assert_int_equal(compile("bits", text, NULL, diags), TW_OK);
    assert_int_equal(tw_diags_count(diags, TW_ERROR), 0);
    assert_int_equal(tw_diags_count(diags, TW_WARNING), 1);
    const tw_diag *diag = tw_diags_get(diags, 0);
    assert_string_equal(diag->code, "popc.half-form");
    assert_int_equal(diag->line, 5);
    assert_non_null(strstr(diag->message, "two bytes"));
    tw_diags_free(diags);
    g_autofree char *path = g_strdup_printf("%s/bits.gp", cache_folder);
    tw__codelets *set = tw__codelets_new(TW__HALF_F16);
    assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    find(set, "Bits");
    tw__codelets_free(set);
    set = tw__codelets_new(TW__HALF_FLOAT);
    assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, NULL), TW_E_OBJECT_LOAD);
    assert_non_null(strstr(tw_error_message(), "a half of 16 bits only"));
    tw__codelets_free(set);
    /* What is wrong in both forms is an error as before. */
    diags = tw_diags_new();
    assert_int_equal(compile("wrong",
                             CPP "class Wrong : public Vertex { public: bool compute() { return nothing; } };\n",
                             NULL, diags),
                     TW_E_COMPILATION);
    assert_int_equal(tw_diags_count(diags, TW_ERROR), 1);
    tw_diags_free(diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions), cmocka_unit_test(test_other_functions),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_half_mixes),
        cmocka_unit_test(test_headers),   cmocka_unit_test(test_inputs_are_const),
        cmocka_unit_test(test_one_form),  cmocka_unit_test(test_swap),
    };
    return cmocka_run_group_tests_name("codelet_math", tests, set_up_cache, tear_down_cache);
}
