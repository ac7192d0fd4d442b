/* SPDX-License-Identifier: MIT */
/* Assembly beside C++ in one .gp (guide 2.8, 3.4.1, 7.3.1): its objects, its stack statements, its errors. */
#include "poplar/codelet/codelet_test.h"

#include <tilewright/poplar/colossus/asm.h>
#include <tilewright/poplar/colossus/link.h>
#include <tilewright/poplar/popc.h>

static const char cpp[] = "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                          "class Half : public Vertex { public: Input<float> x; Output<float> y;\n"
                          "  static const bool isExternalCodelet = true;\n"
                          "  bool compute() { *y = *x / 2; return true; } };\n";
static const char assembly[] =
    "#include \"poplar/StackSizeDefs.hpp\"\n#include \"scale.h\"\n#ifndef __IPU__\n#error\n#endif\n"
    "#if __IPU_ARCH_VERSION__ == 1\n#define MARK 1\n#else\n#define MARK 2\n#endif\n"
    ".globl __runCodelet_Half\n.type __runCodelet_Half, @function\n.section .text.__runCodelet_Half\n.align 4\n"
    "DEF_STACK_USAGE STACK __runCodelet_Half\n__runCodelet_Half:\n  setzi $m2, MARK\n  ld32 $m0, $mvertex_base, "
    "$mzero, 0\n"
    "  exitz $mzero\n.size __runCodelet_Half, . - __runCodelet_Half\n";

static char *path_of(const char *name)
{
    return g_build_filename(cache_folder, name, NULL);
}

static void write_text(const char *name, const char *text)
{
    g_autofree char *path = path_of(name);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

static tw_status popc(const char *output, const char *targets, const char *const *names, tw_diags *diags)
{
    g_autofree char *out = path_of(output);
    g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func(g_free);
    for (; *names; names++) g_ptr_array_add(inputs, path_of(*names));
    tw_popc_options options = {
        .size = sizeof options, .output = out, .flags = "-DSTACK=40 -O2", .targets = targets
    };
    return tw_popc_build((const char *const *)inputs->pdata, inputs->len, &options, diags);
}
#define FILES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Objects of a chip; the first instruction tells which chip the text was preprocessed for. */
static void check_objects(tw__codelets *set, tw__arch arch, uint32_t mark)
{
    tw_object **objects, *image;
    size_t count;
    assert_int_equal(tw__codelets_objects(set, arch, false, false, &objects, &count, NULL), TW_OK);
    assert_int_equal(count, 1);
    tw_link_options options = { .size = sizeof options, .entry = "__runCodelet_Half" };
    assert_int_equal(tw_status_of(image = tw_link((const tw_object *const *)objects, 1, &options, NULL)), TW_OK);
    for (size_t i = 0; i < tw_object_section_count(image); i++) {
        const tw_section *s = tw_object_get_section(image, i);
        if (strcmp(s->name, ".text.__runCodelet_Half") != 0) continue;
        uint32_t word;
        memcpy(&word, s->data, sizeof word);
        assert_int_equal(word, 0x19200000 | mark);
        mark = 0;
    }
    assert_int_equal(mark, 0); /* the section was there */
    uint32_t stack;
    assert_int_equal(tw_stack_need(image, "__runCodelet_Half", &stack), TW_OK);
    assert_int_equal(stack, 40);
    tw_object_free(image);
    tw_object_free(objects[0]);
    g_free(objects);
}

static void both_in_one_archive(void **state)
{
    (void)state;
    write_text("half.cpp", cpp);
    write_text("half_asm.S", assembly);
    write_text("scale.h", "/* beside the source */\n");
    assert_int_equal(popc("half.gp", "cpu,ipu1,ipu2", FILES("half.cpp", "half_asm.S"), NULL), TW_OK);
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    g_autofree char *path = path_of("half.gp");
    assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, NULL),
                     TW_OK); /* again: nothing happens */
    const tw__vertex_type *vt = tw__codelets_find(set, "Half");
    assert_non_null(vt);
    assert_int_equal(tw__codelets_device(set, vt, TW__ARCH_IPU2)->stack_bytes, 40);
    check_objects(set, TW__ARCH_IPU1, 1);
    check_objects(set, TW__ARCH_IPU2, 2);
    tw__codelets_free(set);
}

/* An archive of assembly alone, merged with one of C++. */
static void merged_archives(void **state)
{
    (void)state;
    assert_int_equal(popc("code.gp", "ipu1,ipu2", FILES("half_asm.S"), NULL), TW_OK);
    assert_int_equal(popc("types.gp", "cpu,ipu1,ipu2", FILES("half.cpp"), NULL), TW_OK);
    assert_int_equal(popc("merged.gp", NULL, FILES("types.gp", "code.gp"), NULL), TW_OK);
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    g_autofree char *path = path_of("merged.gp");
    assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    check_objects(set, TW__ARCH_IPU2, 2);
    tw__codelets_free(set);
}

static void assembly_without_popc(void **state)
{
    (void)state;
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    g_autofree char *path = path_of("half_asm.S");
    assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, "-DSTACK=40", NULL), TW_OK);
    check_objects(set, TW__ARCH_IPU2, 2);
    tw__codelets_free(set);
}

static void object_of(const char *source, const char *name, tw_isa_arch arch)
{
    g_autofree char *in = path_of(source), *out = path_of(name);
    tw_asm_options options = { .size = sizeof options, .arch = arch, .cpp_flags = FILES("-DSTACK=40") };
    tw_object *object;
    assert_int_equal(tw_status_of(object = tw_asm_file(in, &options, NULL)), TW_OK);
    assert_int_equal(tw_object_write(object, out), TW_OK);
    tw_object_free(object);
}

/* ELF objects, as an assembler or another toolchain leaves them: in a graph, through popc, on the way back. */
static void objects_of_chips(void **state)
{
    (void)state;
    tw_object **objects;
    size_t count;
    object_of("half_asm.S", "half1.o", TW_ISA_IPU1);
    object_of("half_asm.S", "half2.o", TW_ISA_IPU2);
    g_autofree char *one = path_of("half2.o"), *all = path_of("objects.gp"), *wrong = path_of("wrong.o");
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    assert_int_equal(tw__codelets_add_file(set, one, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    assert_int_equal(tw__codelets_add_file(set, one, TW__CODELET_OBJECT, NULL, NULL), TW_OK); /* nothing happens */
    check_objects(set, TW__ARCH_IPU2, 2);
    assert_int_equal(tw__codelets_objects(set, TW__ARCH_IPU1, false, false, &objects, &count, NULL), TW_OK);
    assert_int_equal(count, 0);
    g_free(objects);
    tw__codelets_free(set);

    assert_int_equal(popc("objects.gp", NULL, FILES("half.cpp", "half1.o", "half2.o"), NULL), TW_OK);
    set = tw__codelets_new(TW__HALF_FLOAT);
    assert_int_equal(tw__codelets_add_file(set, all, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    check_objects(set, TW__ARCH_IPU1, 1);
    check_objects(set, TW__ARCH_IPU2, 2);
    tw__codelets_free(set);

    assert_int_equal(tw_status_of(objects = tw_popc_objects(all, "mk1", &count)), TW_OK);
    assert_int_equal(count, 2); /* and what half.cpp was compiled to */
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(tw_object_arch(objects[i]), TW_ISA_IPU1);
        tw_object_free(objects[i]);
    }
    free(objects);
    assert_int_equal(popc("only.gp", NULL, FILES("half1.o", "half2.o"), NULL), TW_OK);
    g_autofree char *only = path_of("only.gp");
    assert_int_equal(tw_status_of(objects = tw_popc_objects(only, "ipu21", &count)), TW_E_OBJECT_LOAD);
    assert_non_null(strstr(tw_error_message(), "only for ipu1, ipu2"));
    assert_int_equal(tw_status_of(objects = tw_popc_objects(all, "ipu9", &count)), TW_E_INVALID_ARGUMENT);

    assert_true(g_file_set_contents(wrong, "\177ELF\1\1\1 and nothing else", -1, NULL));
    set = tw__codelets_new(TW__HALF_FLOAT);
    assert_int_equal(tw__codelets_add_file(set, wrong, TW__CODELET_AUTO, NULL, NULL), TW_E_OBJECT_LOAD);
    assert_non_null(strstr(tw_error_message(), "wrong.o"));
    tw__codelets_free(set);
    assert_int_equal(popc("no.gp", NULL, FILES("wrong.o"), NULL), TW_E_OBJECT_LOAD);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    write_text("bad.S", "#define X $m0, $m1\n  add X\n");
    write_text("worse.S", "#error no such chip\n");
    tw_diags *diags = tw_diags_new();
    assert_int_equal(popc("bad.gp", "ipu2", FILES("bad.S"), diags), TW_E_COMPILATION);
    const tw_diag *d = tw_diags_get(diags, 0);
    assert_non_null(strstr(d->file, "bad.S"));
    assert_int_equal(d->line, 2);
    assert_non_null(strstr(d->message, "takes 3 operands"));
    tw_diags_free(diags);
    diags = tw_diags_new();
    assert_int_equal(popc("bad.gp", "ipu2", FILES("worse.S"), diags), TW_E_COMPILATION);
    assert_non_null(strstr(tw_diags_get(diags, 0)->message, "no such chip"));
    tw_diags_free(diags);
    assert_int_equal(popc("bad.gp", "cpu", FILES("half_asm.S"), NULL), TW_E_INVALID_ARGUMENT);
    g_autofree char *path = path_of("bad.gp");
    assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

static bool has_object(const char *name, tw__arch arch)
{
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    g_autofree char *path = path_of(name);
    assert_int_equal(tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, NULL), TW_OK);
    tw_object **objects;
    size_t count;
    assert_int_equal(tw__codelets_objects(set, arch, false, false, &objects, &count, NULL), TW_OK);
    for (size_t i = 0; i < count; i++) tw_object_free(objects[i]);
    g_free(objects);
    tw__codelets_free(set);
    return count > 0;
}

/* Builds hand all their files to popc with a list of targets, also those with instructions of one chip only. */
static void instructions_of_one_chip(void **state)
{
    (void)state;
    write_text("mk2.S", "  ldconst $m0, 1\n  f32sisov2amp $a4:5, $a14, $a2:3, 0\n");
    write_text("mixed.S", "  f32sisov2amp $a4:5, $a14, $a2:3, 0\n  add $m0\n");
    tw_diags *diags = tw_diags_new();
    assert_int_equal(popc("mk2.gp", "cpu,ipu1,ipu2", FILES("mk2.S"), diags), TW_OK);
    assert_int_equal(tw_diags_count(diags, TW_ERROR), 0);
    assert_int_equal(tw_diags_count(diags, TW_WARNING), 1);
    const tw_diag *d = tw_diags_get(diags, 0);
    assert_int_equal(d->line, 2);
    assert_non_null(strstr(d->message, "ipu1 has no 'f32sisov2amp'"));
    assert_string_equal(d->code, "popc.chip");
    tw_diags_free(diags);
    assert_true(has_object("mk2.gp", TW__ARCH_IPU2));
    assert_false(has_object("mk2.gp", TW__ARCH_IPU1));

    diags = tw_diags_new(); /* asked for this chip alone */
    assert_int_equal(popc("no.gp", "cpu,ipu1", FILES("mk2.S"), diags), TW_E_COMPILATION);
    assert_string_equal(tw_diags_get(diags, 0)->code, "asm.chip");
    tw_diags_free(diags);
    assert_int_equal(popc("no.gp", "ipu1,ipu2", FILES("mixed.S"), NULL), TW_E_COMPILATION);
    assert_int_equal(popc("no.gp", "[\"ipu1\", {\"name\": \"ipu1:x\", \"arch\": \"ipu1\"}]", FILES("mk2.S"), NULL),
                     TW_E_COMPILATION);
    g_autofree char *path = path_of("no.gp");
    assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_in_one_archive),      cmocka_unit_test(merged_archives),
        cmocka_unit_test(assembly_without_popc),    cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(instructions_of_one_chip), cmocka_unit_test(objects_of_chips),
    };
    return cmocka_run_group_tests(tests, set_up_cache, tear_down_cache);
}
