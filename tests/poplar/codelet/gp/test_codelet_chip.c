/* SPDX-License-Identifier: MIT */
/* C and C++ for chips (guide 2.8.2, 3.4): entries, objects in archives, what is left out, popc -S and -c. */
#include "poplar/codelet/codelet_test.h"

#include <tilewright/poplar/colossus/link.h>
#include <tilewright/poplar/popc.h>

static const char cpp[] =
    "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
    "class Half : public Vertex { public: Input<float> x; Output<float> y;\n"
    "  bool compute() { *y = *x / 2; return true; } };\n"
    "class Far : public Vertex { public: Input<float> x; static const bool isExternalCodelet = true;\n"
    "  bool compute() { return true; } };\n"
    "class All : public MultiVertex { public: Output<Vector<int>> y;\n"
    "  bool compute(unsigned worker) { y[worker] = 7; return true; } };\n"
    "template <typename T> class Twice : public Vertex { public: InOut<T> x;\n"
    "  bool compute() { *x = *x + *x; return true; } };\n"
    "template class Twice<int>;\ntemplate class Twice<half>;\n"
    "class Boss : public SupervisorVertex { public: Output<int> y; bool compute() { *y = 3; return true; } };\n";
static const char c[] =
    "#include <tilewright/codelet.h>\n"
    "TW_VERTEX(Plus) { TW_INPUT(int) a; TW_OUTPUT(int) b; int n; };\n"
    "bool Plus_compute(Plus *v) { *v->b = *v->a + v->n; return true; }\n"
    "TW_MULTIVERTEX(Each) { TW_OUTPUT(TW_VECTOR(int)) y; };\n"
    "void Each_compute(Each *v, unsigned worker) { *tw_at(v->y, worker) = (int)tw_num_workers(); }\n";

static char *path_of(const char *name)
{
    return g_build_filename(cache_folder, name, NULL);
}

static char *write_text(const char *name, const char *text)
{
    char *path = path_of(name);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* How the object defines the symbol; -1: not at all. */
static int binding_of(const tw_object *object, const char *name)
{
    int index = tw_object_find_symbol(object, name);
    const tw_symbol *s = index < 0 ? NULL : tw_object_get_symbol(object, (size_t)index);
    return s && s->section != TW_SECTION_UNDEFINED ? (int)s->binding : -1;
}

static void free_objects(tw_object **objects, size_t count)
{
    for (size_t i = 0; i < count; i++) tw_object_free(objects[i]);
    free(objects);
}

static void entries_in_archives(void **state)
{
    (void)state;
    static const struct {
        unsigned object;
        const char *entry;
        bool is_there;
    } rows[] = { { 0, "__runCodelet_Half", true },         { 0, "__runCodelet_Far", false },
                 { 0, "__runCodelet_All", true },          { 0, "__runCodelet_Twice___int", true },
                 { 0, "__runCodelet_Twice___half", true }, { 0, "__runCodelet_Boss", true },
                 { 1, "__runCodelet_Plus", true },         { 1, "__runCodelet_Each", true } };
    g_autofree char *first = write_text("a.cpp", cpp), *second = write_text("b.c", c), *out = path_of("both.gp");
    tw_popc_options options = { .size = sizeof options, .output = out, .targets = "ipu1,ipu2,ipu21" };
    tw_diags *diags = tw_diags_new();
    if (tw_popc_build((const char *[]){ first, second }, 2, &options, diags) != TW_OK)
        fail_msg("%s", tw_error_message());
    assert_int_equal(tw_diags_count(diags, TW_NOTE), 0);
    for (tw__arch arch = 0; arch < TW__ARCH_COUNT; arch++) {
        size_t count;
        tw_object **objects = tw_popc_objects(out, tw__arch_name(arch), &count);
        assert_int_equal(count, 2);
        for (size_t i = 0; i < count; i++)
            assert_string_equal(tw_isa_arch_name(tw_object_arch(objects[i])), tw__arch_name(arch));
        for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
            if (binding_of(objects[rows[i].object], rows[i].entry) != (rows[i].is_there ? (int)TW_SYMBOL_WEAK : -1))
                fail_msg("%s: %s", tw__arch_name(arch), rows[i].entry);
        free_objects(objects, count);
    }
    tw_diags_free(diags);
}

/* Guide 3.4.1: an implementation in assembly is what runs. */
static void assembly_wins(void **state)
{
    (void)state;
    static const char text[] = ".globl __runCodelet_Half\n.type __runCodelet_Half, @function\n"
                               ".section .text.__runCodelet_Half\n.align 4\n.stack_total __runCodelet_Half, 0\n"
                               "__runCodelet_Half:\n  setzi $m9, 0x5a5a5\n  exitz $mzero\n"
                               ".size __runCodelet_Half, . - __runCodelet_Half\n";
    g_autofree char *first = write_text("a.cpp", cpp), *second = write_text("half.S", text), *out = path_of("w.gp");
    for (int order = 0; order < 2; order++) {
        tw_popc_options options = { .size = sizeof options, .output = out, .targets = "ipu2" };
        const char *inputs[] = { order ? second : first, order ? first : second };
        assert_int_equal(tw_popc_build(inputs, 2, &options, NULL), TW_OK);
        size_t count;
        tw_object **objects = tw_popc_objects(out, "ipu2", &count);
        assert_int_equal(count, 2);
        tw_link_options link = { .size = sizeof link, .entry = "__runCodelet_Half" };
        tw_object *image = tw_link((const tw_object *const *)objects, count, &link, NULL);
        assert_non_null(image);
        int index = tw_object_find_symbol(image, "__runCodelet_Half");
        const tw_symbol *s = tw_object_get_symbol(image, (size_t)index);
        const tw_section *section = tw_object_get_section(image, (size_t)s->section);
        uint32_t word, offset = s->value - section->address;
        memcpy(&word, section->data + offset, sizeof word);
        assert_int_equal(word & 0xfffff, 0x5a5a5);
        tw_object_free(image);
        free_objects(objects, count);
    }
}

/* The vertex table is there, the code is not, and the line that is the reason is named. */
static void left_out(void **state)
{
    (void)state;
    static const char text[] = "#include <poplar/Vertex.hpp>\nclass A : public poplar::Vertex { public:\n"
                               "  poplar::InOut<int> x;\n"
                               "  bool compute() { return __sync_fetch_and_add(&*x, 1); } };\n";
    g_autofree char *path = write_text("atomic.cpp", text), *out = path_of("atomic.gp");
    tw_popc_options options = { .size = sizeof options, .output = out, .targets = "ipu2" };
    tw_diags *diags = tw_diags_new();
    assert_int_equal(tw_popc_compile(path, &options, diags), TW_OK);
    assert_int_equal(tw_diags_count(diags, TW_NOTE), 1);
    const tw_diag *d = tw_diags_get(diags, 0);
    assert_int_equal(d->severity, TW_WARNING);
    assert_string_equal(d->code, "popc.chip");
    assert_string_equal(d->file, path);
    assert_int_equal(d->line, 4);
    assert_non_null(strstr(d->message, "there is no code for ipu2"));
    size_t count;
    assert_null(tw_popc_objects(out, "ipu2", &count));
    assert_int_equal(tw_error_status(), TW_E_OBJECT_LOAD);
    tw_diags_free(diags);
}

static void text_and_object(void **state)
{
    (void)state;
    g_autofree char *path = write_text("a.cpp", cpp),
                    *wrong = write_text("wrong.cpp", "int f() { return nothing; }\n"),
                    *assembly = write_text("x.S", "  nop\n");
    tw_popc_options options = { .size = sizeof options, .targets = "mk1" };
    size_t size, objects;
    char *text = tw_popc_code(path, true, &options, &size, NULL);
    assert_non_null(text);
    assert_int_equal(size, strlen(text));
    assert_non_null(strstr(text, "__runCodelet_Twice___half:"));
    assert_non_null(strstr(text, "exit"));
    free(text);
    char *elf = tw_popc_code(path, false, &options, &size, NULL);
    assert_non_null(elf);
    tw_object *object = tw_object_from_elf((const uint8_t *)elf, size, "a.o");
    assert_int_equal(tw_object_arch(object), TW_ISA_IPU1);
    assert_int_equal(binding_of(object, "__runCodelet_Half"), TW_SYMBOL_WEAK);
    tw_object_free(object);
    free(elf);
    static const struct {
        const char *target;
        bool is_assembly;
        tw_status status;
        const char *says;
    } rows[] = { { "cpu", true, TW_E_INVALID_ARGUMENT, "'cpu' is not one chip: expected ipu1, ipu2 or ipu21" },
                 { "ipu1,ipu2", true, TW_E_INVALID_ARGUMENT, "'ipu1,ipu2' is not one chip" } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        options.targets = rows[i].target;
        assert_null(tw_popc_code(path, rows[i].is_assembly, &options, &objects, NULL));
        assert_int_equal(tw_error_status(), rows[i].status);
        assert_non_null(strstr(tw_error_message(), rows[i].says));
    }
    options.targets = NULL;
    g_autofree char *bare = write_text("bare.cpp", "int f() { return __builtin_ipu_get(1); }\n"); /* no include */
    assert_non_null(text = tw_popc_code(bare, true, &options, &size, NULL));
    assert_non_null(strstr(text, "get $m0, 1"));
    free(text);
    assert_null(tw_popc_code(assembly, true, &options, &size, NULL)); /* it is assembly already */
    assert_int_equal(tw_error_status(), TW_E_INVALID_ARGUMENT);
    tw_diags *diags = tw_diags_new();
    assert_null(tw_popc_code(wrong, true, &options, &size, diags));
    assert_int_equal(tw_error_status(), TW_E_COMPILATION);
    const tw_diag *d = tw_diags_get(diags, 0);
    assert_int_equal(d->line, 1);
    assert_int_equal(d->column, 18);
    assert_string_equal(d->message, "use of undeclared identifier 'nothing'");
    tw_diags_free(diags);
}

/* What is found late, in the whole program, in a frame or by the assembler, stands at its line all the same. */
static void late_refusals_have_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *says;
    } rows[] = {
        { "int f();\n\nint g = f();\n", 3, "initialised by code" },
        { "int f(int x)\n{\n  asm volatile(\"bogus %0\" : \"=r\"(x));\n  return x;\n}\n", 3, "'bogus'" },
        { "asm(\"bogus\");\n", 0, "'bogus'" },
        { "#include <poplar/Vertex.hpp>\nclass O : public poplar::Vertex { public:\n  poplar::InOut<int> a;\n"
          "  bool compute() {\n    char big[700000];\n    for (int i = 0; i < 700000; i++)\n      big[i] = *a + "
          "i;\n"
          "    *a = big[*a];\n    return true; } };\n",
          6, "larger than a tile's memory" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *name = i == 1 ? "q\"uo\\.cpp" : "late.cpp";
        g_autofree char *path = write_text(name, rows[i].text);
        tw_popc_options options = { .size = sizeof options, .targets = "ipu2" };
        tw_diags *diags = tw_diags_new();
        size_t size;
        assert_null(tw_popc_code(path, false, &options, &size, diags));
        assert_int_equal(tw_error_status(), TW_E_COMPILATION);
        const tw_diag *d = tw_diags_get(diags, 0);
        if (d->line != rows[i].line || !strstr(d->message, rows[i].says) || !g_str_has_suffix(d->file, name))
            fail_msg("%s:%d: %s", d->file, d->line, d->message);
        tw_diags_free(diags);
    }
}

/* Builtins are there where they are used, before any include, and bring no names to where they are not. */
static void names_of_the_source(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "struct float2 { float x, y; };\ntypedef int half2;\nhalf2 f(float2 v) { return (half2)v.x; }\n",
        "float f(float x) { return __builtin_ipu_exp(x); }\n",
        ("inline float f(float x) { return __builtin_ipu_exp(x); }\n#include <poplar/Vertex.hpp>\n"
         "float g(float x) { return f(x); }\n"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        g_autofree char *path = write_text("names.cpp", rows[i]);
        tw_popc_options options = { .size = sizeof options, .targets = "ipu2" };
        size_t size = 0;
        void *code = tw_popc_code(path, false, &options, &size, NULL);
        if (!code) fail_msg("%zu: %s", i, tw_error_message());
        free(code);
    }
    /* from a header of the source's own */
    g_autofree char *header = write_text("own.hpp", "inline float f(float x) { return __builtin_ipu_exp(x); }\n");
    g_autofree char *path = write_text("names.cpp", "#include \"own.hpp\"\n#include <poplar/Vertex.hpp>\n"
                                                    "float g(float x) { return f(x); }\n");
    tw_popc_options options = { .size = sizeof options, .targets = "ipu2" };
    size_t size = 0;
    void *code = tw_popc_code(path, false, &options, &size, NULL);
    if (!code) fail_msg("%s", tw_error_message());
    free(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(entries_in_archives),
                                        cmocka_unit_test(assembly_wins),
                                        cmocka_unit_test(left_out),
                                        cmocka_unit_test(text_and_object),
                                        cmocka_unit_test(late_refusals_have_places),
                                        cmocka_unit_test(names_of_the_source) };
    return cmocka_run_group_tests(tests, set_up_cache, tear_down_cache);
}
