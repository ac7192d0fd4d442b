/* SPDX-License-Identifier: MIT */
/* Short vectors (guide table 2.2) in C and C++: sizes and alignments as printed there, arithmetic, fields of the
 * vertex state, the functions of <ipu_vector_math>, and half in both forms. */
#include "poplar/codelet/codelet_test.h"

/* Bits and alignment in bits. The table prints 32/32 for float2 and 64/64 for float4, the rows of half2 and half4:
 * sizes here are two and four floats, alignments those of docs/decisions.md, M5. */
static const struct {
    const char *name, *lane;
    unsigned bits, align, lanes;
} types[] = {
    { "char2", "signed char", 16, 16, 2 },
    { "uchar2", "unsigned char", 16, 16, 2 },
    { "char4", "signed char", 32, 32, 4 },
    { "uchar4", "unsigned char", 32, 32, 4 },
    { "int2", "int", 64, 64, 2 },
    { "uint2", "unsigned", 64, 64, 2 },
    { "int4", "int", 128, 128, 4 },
    { "uint4", "unsigned", 128, 128, 4 },
    { "long2", "int", 64, 64, 2 },
    { "long4", "int", 128, 128, 4 },
    { "longlong2", "long long", 128, 128, 2 },
    { "longlong4", "long long", 256, 256, 4 },
    { "short2", "short", 32, 32, 2 },
    { "ushort2", "unsigned short", 32, 32, 2 },
    { "short4", "short", 64, 64, 4 },
    { "ushort4", "unsigned short", 64, 64, 4 },
    { "float2", "float", 64, 64, 2 },
    { "float4", "float", 128, 64, 4 },
    { "half2", "half", 32, 32, 2 },
    { "half4", "half", 64, 64, 4 },
};

static void append_checks(GString *text, bool is_c, bool f16)
{
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        bool is_half = g_str_has_prefix(types[i].name, "half");
        unsigned bytes = types[i].bits / 8 * (is_half && !f16 ? 2 : 1);
        g_string_append_printf(text, "%s(sizeof(%s) == %u, \"size of %s\");\n",
                               is_c ? "_Static_assert" : "static_assert", types[i].name, bytes, types[i].name);
        if (!is_half || f16)
            g_string_append_printf(text, "%s(__alignof__(%s) == %u, \"alignment of %s\");\n",
                                   is_c ? "_Static_assert" : "static_assert", types[i].name, types[i].align / 8,
                                   types[i].name);
    }
}

/* Per type: w = v * v + v, lane by lane, must equal what scalars give. */
static void append_body(GString *text)
{
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        g_string_append_printf(text, "    { %s v;", types[i].name);
        for (unsigned k = 0; k < types[i].lanes; k++)
            g_string_append_printf(text, " v[%u] = (%s)%u;", k, types[i].lane, k + 2);
        g_string_append_printf(text, " %s w = v * v + v;", types[i].name);
        for (unsigned k = 0; k < types[i].lanes; k++)
            g_string_append_printf(text, " if ((int)w[%u] != %u) return false;", k, (k + 2) * (k + 3));
        g_string_append(text, " }\n");
    }
}

static void test_types(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        GString *cpp = g_string_new("#include <poplar/Vertex.hpp>\n#include <ipudef.h>\n");
        GString *c = g_string_new("#include <tilewright/codelet.h>\n");
        append_checks(cpp, false, variant);
        append_checks(c, true, variant);
        g_string_append(cpp, "class V : public poplar::Vertex { public: bool compute() {\n");
        append_body(cpp);
        g_string_append(cpp, "    return true; } };\n");
        g_string_append(c, "TW_VERTEX(V) { int unused; };\nbool V_compute(V *self) {\n    (void)self;\n");
        append_body(c);
        g_string_append(c, "    return true;\n}\n");
        for (int is_c = 0; is_c < 2; is_c++) {
            tw__codelets *set = load_text((tw__half_variant)variant, is_c ? c->str : cpp->str, is_c);
            const tw__vertex_type *vt = find(set, "V");
            char *v = new_state(vt);
            assert_int_equal(run(set, vt, v), 1);
            free(v);
            tw__codelets_free(set);
        }
        g_string_free(cpp, TRUE);
        g_string_free(c, TRUE);
    }
}

/* As fields: lanes of the element type. And as template arguments, with their names. */
static void test_fields(void **state)
{
    (void)state;
    GString *cpp =
        g_string_new("#include <poplar/Vertex.hpp>\n#include <ipudef.h>\nusing namespace poplar;\n"
                     "template <class T> class G : public Vertex { bool compute() { return sizeof(T) > 0; } };\n"
                     "class V : public Vertex { public:\n");
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (!strstr(types[i].name, "longlong")) g_string_append_printf(cpp, "  %s f%zu;\n", types[i].name, i);
    g_string_append(cpp, "  bool compute() { return true; } };\n");
    g_string_append(
        cpp,
        "template class G<float2>; template class G<half4>; template class G<uchar4>; template class G<half>;\n");
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, cpp->str, false);
        const tw__vertex_type *vt = find(set, "V");
        for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
            if (strstr(types[i].name, "longlong")) continue;
            g_autofree char *name = g_strdup_printf("f%zu", i);
            const tw__field *f = tw__vertex_field(vt, name);
            assert_non_null(f);
            const char *lane = strcmp(types[i].lane, "signed char") == 0 ? "char" : types[i].lane;
            assert_int_equal(f->type, tw_type_by_name(lane));
            assert_int_equal(f->count, types[i].lanes);
            assert_int_equal(f->form, TW__STATE_PLAIN);
        }
        find(set, "G<float2>"), find(set, "G<half4>"), find(set, "G<uchar4>"), find(set, "G<half>");
        tw__codelets_free(set);
    }
    g_string_free(cpp, TRUE);
}

static const char math_text[] =
    "#include <poplar/Vertex.hpp>\n#include <ipu_vector_math>\n#include <ipu_memory_intrinsics>\n"
    "#include <ipu_builtins.h>\n#include <print.h>\n#include <cmath>\n"
    "#include <poplar/StackSizeDefs.hpp>\n#include <poplar/TileConstants.hpp>\n"
    "using namespace poplar;\n"
    "DEF_STACK_USAGE(256, \"helper\")\nDEF_FUNC_CALL_PTRS(\"helper\", \"other\")\n"
    "#ifdef __IPU__\n#error not a chip\n#endif\n#ifndef __POPC__\n#error popc\n#endif\n"
    "class M : public Vertex { public:\n"
    "  Input<Vector<float>> in; Output<Vector<float>> out; InOut<half> h;\n"
    "  bool compute() {\n"
    "    const float *at = &in[0];\n"
    "    float2 v = {ipu::load_postinc(&at, 1), ipu::load_postinc(&at, 2)};\n"
    "    float *to = &out[0];\n"
    "    ipu::store_postinc(&to, *at, 1);\n"
    "    float2 e = ipu::exp(v), m = ipu::fmax(v, float2{1.0f, 1.0f});\n"
    "    *to++ = e[0]; *to++ = e[1]; *to++ = m[0]; *to++ = ipu::rsqrt(4.0f); *to++ = ipu::sigmoid(0.0f);\n"
    "    half2 hv = {half(*h), half(2)};\n"
    "    hv = ipu::sqrt(hv * hv);\n"
    "    *h = half(hv[0]) + half(1);\n"
    "    *to++ = float(hv[1]);\n"
    "    return CTXT_WORKERS == 6 && TMEM_REGION0_BASE_ADDR == 0x4C000 && CSR_W_WSR__CTXTID_M1__MASK == 7;\n"
    "  } };\n";

static void test_math(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, math_text, false);
        const tw__vertex_type *vt = find(set, "M");
        float in[4] = { 0.5f, 2.0f, 0, 9.0f }, out[7] = { 0 }, h32 = 3;
        uint16_t h16 = tw_f32_to_f16(3, TW_ROUND_NEAREST_EVEN, 0);
        char *v = new_state(vt);
        PUT(vt, v, "in", tw_host_span, in, 4);
        PUT(vt, v, "out", tw_host_span, out, 7);
        PUT(vt, v, "h", void *, variant ? (void *)&h16 : (void *)&h32);
        assert_int_equal(run(set, vt, v), 1);
        assert_true(out[0] == 9.0f && fabsf(out[1] - expf(0.5f)) < 1e-6f && fabsf(out[2] - expf(2.0f)) < 1e-5f);
        assert_true(out[3] == 1.0f && out[4] == 0.5f && out[5] == 0.5f && out[6] == 2.0f);
        assert_true((variant ? tw_f16_to_f32(h16) : h32) == 4.0f);
        free(v);
        for (int arch = 0; arch < TW__ARCH_COUNT; arch++) {
            const tw__device_vertex *device = tw__codelets_device(set, vt, (tw__arch)arch);
            if (arch == TW__ARCH_IPU1) { /* the source insists on not being compiled for a chip */
                assert_null(device);
                assert_non_null(strstr(tw_error_message(), "not a chip"));
            }
        }
        tw__codelets_free(set);
    }
}

/* One rounding per operation in the 16-bit form: (a * b) + c differs from a fused or widened evaluation. In the float
 * form there is none at all. */
static void test_half_rounding(void **state)
{
    (void)state;
    static const char text[] = "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                               "class R : public Vertex { public: Input<half> a, b, c; Output<half> out;\n"
                               "bool compute() { *out = *a * *b + *c; return true; } };\n";
    const float a = 1.0f + 3.0f / 1024, b = 1.0f + 3.0f / 1024, c = -1.0f;
    for (int variant = 0; variant < 2; variant++) {
        tw__codelets *set = load_text((tw__half_variant)variant, text, false);
        const tw__vertex_type *vt = find(set, "R");
        float values[4] = { a, b, c, 0 };
        uint16_t halves[4];
        for (int i = 0; i < 4; i++) halves[i] = tw_f32_to_f16(values[i], TW_ROUND_NEAREST_EVEN, 0);
        char *v = new_state(vt);
        static const char *const names[] = { "a", "b", "c", "out" };
        for (int i = 0; i < 4; i++) PUT(vt, v, names[i], void *, variant ? (void *)&halves[i] : (void *)&values[i]);
        run(set, vt, v);
        if (variant) {
            uint16_t product = tw_f32_to_f16(a * b, TW_ROUND_NEAREST_EVEN, 0);
            uint16_t sum = tw_f32_to_f16(tw_f16_to_f32(product) + c, TW_ROUND_NEAREST_EVEN, 0);
            assert_int_equal(halves[3], sum);
            assert_int_not_equal(sum, tw_f32_to_f16(a * b + c, TW_ROUND_NEAREST_EVEN, 0)); /* the test can fail */
        } else {
            assert_true(values[3] == a * b + c);
        }
        free(v);
        tw__codelets_free(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_types), cmocka_unit_test(test_fields),
                                        cmocka_unit_test(test_math), cmocka_unit_test(test_half_rounding) };
    return cmocka_run_group_tests_name("codelet_vectors", tests, set_up_cache, tear_down_cache);
}
