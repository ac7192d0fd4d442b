/* SPDX-License-Identifier: MIT */
/* Stack sizes that codelets state (guide 2.8.1, 7.3.1, 7.3.2): in C++, in C, in assembly. */
#include "poplar/codelet/codelet_test.h"

#define CPP "#include <poplar/Vertex.hpp>\n#include <poplar/StackSizeDefs.hpp>\nusing namespace poplar;\n"
#define C   "#include <tilewright/codelet.h>\n#include <poplar/StackSizeDefs.hpp>\n"
#define A   "class A : public Vertex { public: InOut<float> x; bool compute() { *x = 1; return true; } };\n"
#define CA  "TW_VERTEX(A) { TW_INOUT(float) x; };\nbool A_compute(A *v) { *v->x = 1; return true; }\n"

static const struct {
    const char *text;
    bool is_c;
    int bytes[2]; /* on ipu1 and ipu2; -1 = unknown */
} sources[] = {
    { CPP A, false, { -1, -1 } },
    { CPP "DEF_STACK_USAGE(0, \"__runCodelet_A\")\n" A, false, { 0, 0 } }, /* 7.3.2, example 1 */
    { CPP "DEF_STACK_USAGE(256, \"__runCodelet_A\")\n" A, false, { 256, 256 } },
    { CPP "DEF_STACK_USAGE(512, \"fibonacci\")\n" A, false, { -1, -1 } }, /* of another function */
    { CPP "#define DEPTH 8\nDEF_STACK_USAGE((DEPTH * (16 + 0x10)), \"__run\" \"Codelet_A\")\n" A,
      false,
      { 256, 256 } },
    { CPP "#if __IPU_ARCH_VERSION__ == 1\nDEF_STACK_USAGE(64, \"__runCodelet_A\")\n#elif defined(__IPU__)\n"
          "DEF_STACK_USAGE(128, \"__runCodelet_A\")\n#endif\n" A,
      false,
      { 64, 128 } },
    { CPP "DEF_STACK_SIZE_OWN(32, \"__runCodelet_A\")\n" A, false, { -1, -1 } }, /* what it calls is not known */
    { CPP "DEF_STACK_SIZE_OWN(32, \"__runCodelet_A\")\nDEF_FUNC_CALL_PTRS(\"__runCodelet_A\", \"twice,thrice\")\n"
          "DEF_STACK_USAGE(16, \"twice\")\nDEF_STACK_USAGE(48, \"thrice\")\n" A,
      false,
      { 80, 80 } },
    { CPP "DEF_STACK_SIZE_OWN(32, \"__runCodelet_A\")\nDEF_FUNC_CALL_PTRS(\"__runCodelet_A\", \"twice\")\n" A,
      false,
      { -1, -1 } },
    { CPP
      "DEF_STACK_SIZE_OWN(8, \"__runCodelet_A\")\nDEF_FUNC_CALL_PTRS(\"__runCodelet_A\", \"__runCodelet_A\")\n" A,
      false,
      { -1, -1 } }, /* recursion needs DEF_STACK_USAGE */
    { C "DEF_STACK_USAGE(40, \"__runCodelet_A\")\n" CA, true, { 40, 40 } },
};

static void codelet_7_3_1_sources(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
        tw__codelets *set = load_text(TW__HALF_FLOAT, sources[i].text, sources[i].is_c);
        const tw__vertex_type *vt = tw__codelets_find(set, "A");
        for (int arch = 0; arch < 2; arch++) {
            const tw__device_vertex *device = tw__codelets_device(set, vt, arch ? TW__ARCH_IPU2 : TW__ARCH_IPU1);
            if (!device) fail_msg("row %zu: %s", i, tw_error_message());
            if (device->stack_bytes != sources[i].bytes[arch])
                fail_msg("row %zu: %d bytes, expected %d", i, (int)device->stack_bytes, sources[i].bytes[arch]);
        }
        tw__codelets_free(set);
    }
}

static const struct {
    const char *text;
    int bytes;
} lines[] = {
    { "DEF_STACK_USAGE 0 __runCodelet_A\n", 0 }, /* 7.3.2, verbatim but for N and XXXX */
    { "\tDEF_STACK_USAGE 24 __runCodelet_A // none\n", 24 },
    { "#define WORDS 6\nDEF_STACK_USAGE (4*6) __runCodelet_A\n", 24 },
    { "#define BYTES (4 * 10)\nDEF_STACK_USAGE BYTES, __runCodelet_A\n", 40 },
    { "DEF_STACK_USAGE 16 .text.__runCodelet_A\n", 16 }, /* a section's name */
    { "// DEF_STACK_USAGE 16 __runCodelet_A\n", -1 },
    { "/* DEF_STACK_USAGE 16 __runCodelet_A\n */ DEF_STACK_USAGE 8 __runCodelet_A\n", 8 },
    { "DEF_STACK_USAGE \\SIZE __runCodelet_A\n", -1 },
    { "DEF_STACK_USAGE 8 __runCodelet_\\NAME\n", -1 },
    { "DEF_STACK_SIZE_OWN 8 __runCodelet_A\n", -1 },
    { "DEF_STACK_SIZE_OWN 8 __runCodelet_A\nDEF_FUNC_CALL_PTRS __runCodelet_A f g\nDEF_STACK_USAGE 100 g\n"
      "DEF_STACK_SIZE_OWN 4 f\nDEF_FUNC_CALL_PTRS f g\n",
      112 },
    { "DEF_STACK_USAGE 99999999999 __runCodelet_A\n", -1 },
    { "DEF_STACK_USAGE", -1 },
    { "DEF_STACK_USAGE 8", -1 },
    { "DEF_STACK_USAGE ((((", -1 },
    { "", -1 },
};

static void codelet_7_3_1_assembly(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        GArray *notes = tw__stack_notes_new();
        assert_int_equal(tw__stack_read_assembly("a.S", lines[i].text, notes, NULL), TW_OK);
        int64_t bytes = tw__stack_bytes_of(notes, "__runCodelet_A");
        if (bytes != lines[i].bytes) fail_msg("row %zu: %d bytes", i, (int)bytes);
        g_array_free(notes, TRUE);
    }
}

/* An assembly file beside the C++ class that it implements; stated twice it is an error at the second place. */
static void codelet_7_3_1_files(void **state)
{
    (void)state;
    g_autofree char *path = g_build_filename(cache_folder, "a.S", NULL);
    assert_true(g_file_set_contents(
        path, "#include \"poplar/StackSizeDefs.hpp\"\nDEF_STACK_USAGE 48 __runCodelet_A\n", -1, NULL));
    tw__codelets *set = load_text(TW__HALF_FLOAT, CPP A, false);
    const tw__vertex_type *vt = tw__codelets_find(set, "A");
    assert_int_equal(tw__codelets_device(set, vt, TW__ARCH_IPU2)->stack_bytes, -1);
    for (int again = 0; again < 2; again++)
        assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    assert_int_equal(tw__codelets_device(set, vt, TW__ARCH_IPU2)->stack_bytes, 48);
    /* Names that macros make, and branches of which one counts: hand-written vertices have both. */
    static const char *const fine[] = { "#define V(x) f_##x\nDEF_STACK_USAGE 0 V(a)\nDEF_STACK_USAGE 0 V(b)\n",
                                        "#if X\nDEF_STACK_USAGE 8 g\n#else\nDEF_STACK_USAGE 16 g\n#endif\n" };
    for (size_t i = 0; i < G_N_ELEMENTS(fine); i++) {
        assert_true(g_file_set_contents(path, fine[i], -1, NULL));
        assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    }
    assert_true(g_file_set_contents(path, "DEF_STACK_USAGE 8 f\n  DEF_STACK_USAGE 16 f\n", -1, NULL));
    tw_diags *diags = tw_diags_new();
    assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, diags), TW_E_COMPILATION);
    const tw_diag *diag = tw_diags_get(diags, 0);
    assert_non_null(strstr(tw_error_message(), "stated more than once"));
    assert_int_equal(diag->line, 2);
    assert_int_equal(diag->column, 22);
    assert_int_equal(tw__codelets_device(set, vt, TW__ARCH_IPU2)->stack_bytes, 48);
    tw_diags_free(diags);
    tw__codelets_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codelet_7_3_1_sources),
        cmocka_unit_test(codelet_7_3_1_assembly),
        cmocka_unit_test(codelet_7_3_1_files),
    };
    return cmocka_run_group_tests(tests, set_up_cache, tear_down_cache);
}
