/* SPDX-License-Identifier: MIT */
/* Code of the chip when a graph is linked (guide 2.8.1, 3.4.1, 7.3.1): which vertices have it, what is missing, how
 * much memory it takes. */
#include "tiles_test.h"

#include <tilewright/poplar/popc.h>

/* Twice: with a compute() beside the assembly, and without. */
static const char classes[] = "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                              "class Half : public Vertex { public: Input<float> x; Output<float> y;\n"
                              "  static const bool isExternalCodelet = true;\n"
                              "  bool compute() { *y = *x / 2; return true; } };\n"
                              "class Only : public Vertex { public: Input<float> x; Output<float> y;\n"
                              "  static const bool isExternalCodelet = true; };\n"
                              "class Plain : public Vertex { public: Input<float> x; Output<float> y;\n"
                              "  bool compute() { *y = *x; return true; } };\n";
/* What the chip cannot do. */
static const char atomic[] = "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                             "class Atomic : public Vertex { public: Input<float> x; InOut<float> y;\n"
                             "  bool compute() { __sync_fetch_and_add((int *)&*y, 1); return true; } };\n";

#define BODY "  ld32 $m0, $mvertex_base, $mzero, 0\n  exitz $mzero"

/* A graph with one vertex on each of some tiles; its engine. */
static tw_engine *engine_of(const tw_device *device, const char *type, unsigned tiles, const char *assembly,
                            const char *const *options)
{
    tw_graph *g = tw_graph_new(tw_device_target(device));
    add_file(g, "classes.cpp", classes);
    if (strcmp(type, "Atomic") == 0) add_file(g, "atomic.cpp", atomic);
    if (assembly) add_file(g, "code.S", assembly);
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(4, 2), "x");
    tw_graph_map_linearly_with(g, x, 1, 2, 0);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    for (unsigned i = 0; i < tiles; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, type, i);
        tw_graph_connect(g, v, "x", tw_tensor_index(g, tw_tensor_index(g, x, i), 0));
        tw_graph_connect(g, v, "y", tw_tensor_index(g, tw_tensor_index(g, x, i), 1));
    }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), options);
    tw_graph_free(g);
    return e;
}

static void check_refused(bool simulator, const char *type, const char *assembly, tw_status status,
                          const char *const *phrases)
{
    tw_device *device = tile_device(simulator, TW_MK2);
    tw_engine *e = engine_of(device, type, 2, assembly, NULL);
    const tw_error *error = tw_engine_error(e);
    if (error->status != status) fail_msg("%s: %s %s", type, tw_status_name(error->status), error->message);
    for (; *phrases; phrases++)
        if (!strstr(error->message, *phrases)) fail_msg("'%s' is not in '%s'", *phrases, error->message);
    tw_engine_free(e);
    tw_device_free(device);
}
#define PHRASES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Line 9 has the first instruction. */
static void stack_not_stated(void **state)
{
    (void)state;
    static const char none[] = WORKER("Half", "", BODY);
    for (int simulator = 0; simulator < 2; simulator++)
        check_refused(simulator, "Half", none, TW_E_LINK,
                      PHRASES("code.S:8: ", "the stack of '__runCodelet_Half' is not stated",
                              "\"DEF_STACK_USAGE <bytes> __runCodelet_Half\""));
    static const char twice[] =
        WORKER("Half", STACK("Half", "0") "DEF_STACK_SIZE_OWN 8 .text.__runCodelet_Half\n", BODY);
    check_refused(false, "Half", twice, TW_E_LINK, PHRASES("code.S:10: ", "is stated more than once"));
    static const char callee[] =
        WORKER("Half", "DEF_STACK_SIZE_OWN 8 __runCodelet_Half\n",
               "  call $lr, helper\n" BODY) ".section .text.helper\n.align 4\n.globl helper\n"
                                            ".type helper, @function\nhelper: br $lr\n"
                                            ".size helper, . - helper\n";
    check_refused(false, "Half", callee, TW_E_LINK,
                  PHRASES("code.S:17: ", "the stack of 'helper' is not stated", "called by __runCodelet_Half"));
}

static void code_not_there(void **state)
{
    (void)state;
    static const char other[] = WORKER("Other", STACK("Other", "0"), BODY);
    check_refused(false, "Only", NULL, TW_E_LINK, PHRASES("vertex type 'Only' of", "__runCodelet_Only"));
    check_refused(false, "Only", other, TW_E_LINK, PHRASES("no codelet file defines __runCodelet_Only"));
    check_refused(true, "Half", NULL, TW_E_NOT_SUPPORTED,
                  PHRASES("has no code for ipu2", "simulator.runNativeVertices=true"));
    check_refused(true, "Atomic", other, TW_E_NOT_SUPPORTED, /* and why: the chip has no such operation */
                  PHRASES("vertex type 'Atomic'", "atomic.cpp:4:20: ", "atomic"));
    static const char calls[] = WORKER("Half", STACK("Half", "0"), "  call $lr, nowhere\n" BODY);
    check_refused(false, "Half", calls, TW_E_LINK,
                  PHRASES("'nowhere' is not defined; ", "code.S uses it in .text.__runCodelet_Half"));
    static const char wrong[] = "  add $m0, $a1, $m2\n";
    check_refused(false, "Half", wrong, TW_E_COMPILATION, PHRASES("code.S:1:"));
    tw_device *model = tile_device(false, TW_MK2); /* a class with compute() needs none on a model */
    tw_engine *e = engine_of(model, "Half", 2, NULL, NULL);
    test_ok(tw_engine_load(e, model));
    tw_engine_free(e);
    tw_device_free(model);
}

/* The message names the file, or the archive and the file that its member came from. */
static void member_of_an_archive(void **state)
{
    (void)state;
    static const char calls[] = WORKER("Half", STACK("Half", "0"), "  call $lr, nowhere\n" BODY);
    g_autofree char *source = g_build_filename(test_folder, "far.S", NULL),
                    *archive = g_build_filename(test_folder, "lib.gp", NULL);
    assert_true(g_file_set_contents(source, calls, -1, NULL));
    const char *const inputs[] = { source };
    tw_popc_options options = { .size = sizeof options, .output = archive, .targets = "ipu2" };
    test_ok(tw_popc_build(inputs, 1, &options, NULL));
    tw_device *device = tile_device(true, TW_MK2);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    add_file(g, "classes.cpp", classes);
    tw_graph_add_codelets(g, archive, NULL);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(2), "x");
    tw_graph_map(g, x, 0);
    tw_vertex v = tw_graph_add_vertex(g, cs, "Half", 0);
    tw_graph_connect(g, v, "x", tw_tensor_index(g, x, 0)), tw_graph_connect(g, v, "y", tw_tensor_index(g, x, 1));
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    assert_int_equal(tw_engine_error(e)->status, TW_E_LINK);
    g_autofree char *member = g_strdup_printf("'nowhere' is not defined; %s(%s) uses it in ", archive, source);
    if (!g_str_has_prefix(tw_engine_error(e)->message, member)) fail_msg("%s", tw_engine_error(e)->message);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* Assembly that calls what only the vendor's compiler makes: such a vertex runs natively when that is asked for. */
static void code_that_lacks_a_function(void **state)
{
    (void)state;
    static const char calls[] = WORKER("Half", STACK("Half", "0"), "  call $lr, nowhere\n" BODY);
    static const char *const asked[] = { "simulator.runNativeVertices=true", NULL };
    check_refused(true, "Half", calls, TW_E_LINK, PHRASES("nowhere"));
    tw_device *device = tile_device(true, TW_MK2);
    tw_engine *e = engine_of(device, "Half", 2, calls, asked);
    test_ok(tw_engine_load(e, device));
    test_ok(tw_engine_run(e, 0));
    tw_engine_free(e);
    e = engine_of(device, "Only", 2, WORKER("Only", STACK("Only", "0"), "  call $lr, nowhere\n" BODY), asked);
    assert_int_equal(tw_engine_error(e)->status, TW_E_LINK); /* without a compute() there is nothing to run */
    tw_engine_free(e);
    tw_device_free(device);
}

/* Code of a tile is that of its vertices and of what they call, not more; a function for each chip. */
static void memory_of_code(void **state)
{
    (void)state;
    static const char text[] = WORKER("Half", STACK("Half", "40"), BODY) WORKER(
        "Other", STACK("Other", "0"), BODY) ".section .data.table\n.align 4\n.globl table\ntable: .long 1, 2, 3\n"
                                            ".section .text.__runCodelet_Half\n  .long table\n";
    for (int chip = 0; chip < 2; chip++) {
        tw_device *device = tile_device(false, chip ? TW_MK1 : TW_MK2);
        tw_engine *e = engine_of(device, "Half", 4, text, NULL);
        test_ok(tw_engine_load(e, device));
        const tw_profile *profile = tw_engine_profile(e);
        tw_fidelity fidelity;
        assert_non_null(profile);
        assert_int_equal(tw_profile_memory(profile, "vertexCode", &fidelity), 4 * 12);
        assert_int_equal(fidelity, TW_FIDELITY_EXACT);
        assert_int_equal(tw_profile_memory(profile, "sharedDataStorage", &fidelity), 4 * 12);
        tw_profile_memory(profile, "stack", &fidelity);
        assert_int_equal(fidelity, TW_FIDELITY_EXACT);
        tw_engine_free(e);
        tw_device_free(device);
    }
}

/* Guide 8.1.1: a model that is told to compile counts code and stacks as the device does, and runs natively. */
static void memory_of_compiled_code(void **state)
{
    (void)state;
    static const char *const kinds[] = { "vertexCode", "stack", "vertexInstanceState" };
    uint64_t bytes[3][G_N_ELEMENTS(kinds)];
    tw_fidelity fidelity[3];
    for (int how = 0; how < 3; how++) { /* a model that is not told, one that is, a simulator */
        tw_ipu_model model = { .size = sizeof model, .tiles_per_ipu = 4, .compile_ipu_code = how == 1 };
        tw_device *device = how == 2 ? tw_device_ipu_sim_with(&model) : tw_device_ipu_model_with(&model);
        tw_engine *e = engine_of(device, "Plain", 4, NULL, NULL);
        test_ok(tw_engine_load(e, device));
        const tw_profile *profile = tw_engine_profile(e);
        for (size_t i = G_N_ELEMENTS(kinds); i-- > 0;)
            bytes[how][i] = tw_profile_memory(profile, kinds[i], &fidelity[how]);
        tw_engine_free(e);
        tw_device_free(device);
    }
    assert_int_equal(fidelity[0], TW_FIDELITY_ABSENT);
    assert_int_equal(fidelity[1], TW_FIDELITY_EXACT);
    assert_true(bytes[1][0] >= 4 * 4 * 4); /* a load of each pointer, of the value, the store: at least */
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) assert_int_equal(bytes[1][i], bytes[2][i]);
}

/* Code by vertex type in the profile: what two types of a tile need counts for the first of them. */
static void code_by_type(void **state)
{
    (void)state;
    static const char text[] =
        WORKER("Half", "DEF_STACK_SIZE_OWN 0 __runCodelet_Half\n", "  call $lr, helper\n" BODY)
            WORKER("Only", "DEF_STACK_SIZE_OWN 0 __runCodelet_Only\n", "  nop\n  call $lr, helper\n" BODY)
                WORKER("Other", STACK("Other", "0"), BODY) ".section .text.helper\n.align 4\n.globl helper\n"
                                                           ".type helper, @function\nDEF_STACK_USAGE 0 helper\n"
                                                           "helper: br $lr\n.size helper, . - helper\n";
    tw_device *device = tile_device(true, TW_MK2);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    add_file(g, "classes.cpp", classes), add_file(g, "code.S", text);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    static const struct {
        const char *type;
        unsigned tile;
    } vertices[] = { { "Half", 0 }, { "Half", 1 }, { "Only", 1 }, { "Only", 3 }, { "Half", 0 } };
    for (unsigned i = 0; i < G_N_ELEMENTS(vertices); i++) {
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, SHAPE(2), "x");
        tw_graph_map(g, x, 0);
        tw_vertex v = tw_graph_add_vertex(g, cs, vertices[i].type, vertices[i].tile);
        tw_graph_connect(g, v, "x", tw_tensor_index(g, x, 0)),
            tw_graph_connect(g, v, "y", tw_tensor_index(g, x, 1));
    }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    test_ok(tw_engine_load(e, device));
    char *json = tw_profile_graph_json(tw_engine_profile(e), false);
    if (!strstr(json, "\"codeBytes\":[[16,16,0,0],[0,16,0,20]")) fail_msg("%s", strstr(json, "\"codeBytes\""));
    free(json);
    tw_fidelity fidelity;
    assert_int_equal(tw_profile_memory(tw_engine_profile(e), "vertexCode", &fidelity),
                     16 + (32 + 4) + 20); /* a gap */
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

/* What is known of a tile's code is not all of it when other vertices run there. */
static void memory_of_unknown_code(void **state)
{
    (void)state;
    tw_device *device = tile_device(false, TW_MK2);
    tw_engine *e = engine_of(device, "Plain", 3, NULL, NULL);
    tw_fidelity fidelity;
    test_ok(tw_engine_load(e, device));
    tw_profile_memory(tw_engine_profile(e), "vertexCode", &fidelity);
    assert_int_equal(fidelity, TW_FIDELITY_ABSENT);
    tw_engine_free(e);
    tw_device_free(device);
}

/* Code lies in executable memory, stacks where all workers have room (guide 7.2, 7.3). */
static bool note_object(void *user, const tw_placed_object *object)
{
    tw_placed_object *code = user;
    if (object->storage == TW_STORAGE_VERTEX_CODE) code[0] = *object;
    if (object->storage == TW_STORAGE_STACK) code[1] = *object;
    return true;
}

static void places_of_code(void **state)
{
    (void)state;
    static const char text[] = WORKER("Half", STACK("Half", "40"), BODY);
    tw_device *device = tile_device(false, TW_MK2);
    tw_engine *e = engine_of(device, "Half", 3, text, NULL);
    for (unsigned tile = 0; tile < 4; tile++) {
        tw_placed_object at[2] = { 0 };
        test_ok(tw_engine_each_object(e, tile, note_object, at));
        if (tile == 3) {
            assert_int_equal(at[0].bytes, 0);
            continue;
        }
        assert_int_equal(at[0].bytes, 8);
        assert_int_equal(at[0].address % 8, 0);
        assert_true(at[0].address >= 0x4c000 && at[0].address + 8 <= 0x80000);
        assert_int_equal(at[1].bytes, 6 * (40 + 48));
    }
    tw_engine_free(e);
    tw_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_not_stated),
        cmocka_unit_test(code_not_there),
        cmocka_unit_test(member_of_an_archive),
        cmocka_unit_test(code_that_lacks_a_function),
        cmocka_unit_test(memory_of_code),
        cmocka_unit_test(memory_of_unknown_code),
        cmocka_unit_test(memory_of_compiled_code),
        cmocka_unit_test(places_of_code),
        cmocka_unit_test(code_by_type),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
