/* SPDX-License-Identifier: MIT */
/* Compute sets with code of the chip: values, workers, stacks, cycles, faults, on the IPU Model and the simulator. */
#include "tiles_test.h"

#include <tilewright/poplar/debugger.h>
#include <tilewright/poplar/popc.h>

#define EXTERNAL "static const bool isExternalCodelet = true; };\n"
static const char classes[] =
    "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
    "class Add : public Vertex { public: Input<Vector<int>> in; Output<Vector<int>> out; int n; " EXTERNAL
    "class Where : public Vertex { public: Output<Vector<int, VectorLayout::ONE_PTR>> out; " EXTERNAL
    "class All : public MultiVertex { public: Output<Vector<int, VectorLayout::ONE_PTR>> out; " EXTERNAL
    "class Positive : public Vertex { public: Input<int> x; " EXTERNAL
    "class Wait : public Vertex { public: InOut<int> turns; " EXTERNAL
    "class State : public Vertex { public: Output<Vector<int, VectorLayout::ONE_PTR>> out; short pair[2]; half h;\n"
    "  Vector<short> list; unsigned char byte; " EXTERNAL
    "class Divide : public Vertex { public: InOut<float> x; " EXTERNAL
    "class Exp : public Vertex { public: InOut<float> x; " EXTERNAL
    "class Bad : public Vertex { public: InOut<int> kind; " EXTERNAL
    "class Native : public Vertex { public: Input<Vector<int>> in; Output<Vector<int>> out; int n;\n"
    "  bool compute() { for (unsigned i = 0; i < out.size(); i++) out[i] = in[i] + n; return true; } };\n";

static const char code[] = WORKER("Add", STACK("Add", "0"),
                                  "  ld32 $m0, $mvertex_base, $mzero, 0\n  ld32 $m1, $mvertex_base, $mzero, 2\n"
                                  "  ld32 $m2, $mvertex_base, $mzero, 3\n  ld32 $m3, $mvertex_base, $mzero, 4\n"
                                  "  brz $m2, 2f\n  add $m2, $m2, -1\n"
                                  "1:\n  ld32step $m4, $mzero, $m0+=, 1\n  add $m4, $m4, $m3\n"
                                  "  st32step $m4, $mzero, $m1+=, 1\n  brnzdec $m2, 1b\n2:\n  exitz $mzero")
    /* its stack base and number; keeps a word on the stack and one in scratch on the way */
    WORKER("Where", STACK("Where", "16"),
           "  ld32 $m0, $mvertex_base, $mzero, 0\n  get $m1, $WSR\n"
           "  and $m1, $m1, CSR_W_WSR__CTXTID_M1__MASK\n  add $sp, $mworker_base, -16\n"
           "  st32 $m1, $sp, $mzero, 3\n  st32 $mworker_base, $mworker_base, $mzero, 11\n"
           "  ld32 $m2, $mworker_base, $mzero, 11\n  ld32 $m3, $sp, $mzero, 3\n  st32 $m2, $m0, $mzero, 0\n"
           "  st32 $m3, $m0, $mzero, 1\n  exitz $mzero")
        WORKER("All", STACK("All", "0"),
               "  ld32 $m0, $mvertex_base, $mzero, 0\n  get $m1, $WSR\n"
               "  and $m1, $m1, CSR_W_WSR__CTXTID_M1__MASK\n  shl $m2, $m1, 2\n  add $m0, $m0, $m2\n"
               "  add $m1, $m1, 100\n  st32 $m1, $m0, $mzero, 0\n  exitz $mzero")
            WORKER("Positive", STACK("Positive", "0"),
                   "  ld32 $m0, $mvertex_base, $mzero, 0\n  ld32 $m0, $m0, $mzero, 0\n  cmpslt $m0, $mzero, $m0\n"
                   "  exitnz $m0") WORKER("Divide", STACK("Divide", "0"),
                                          "  ld32 $m0, $mvertex_base, $mzero, 0\n  ld32 $a0, $m0, $mzero, 0\n  or "
                                          "$a1, $azero, 0x3f800000\n"
                                          "  f32div $a0, $a1, $a0\n  st32 $a0, $m0, $mzero, 0\n  exitz $mzero")
                WORKER("Exp", STACK("Exp", "0"),
                       "  ld32 $m0, $mvertex_base, $mzero, 0\n  ld32 $a0, $m0, $mzero, 0\n  f32exp $a0, $a0\n"
                       "  st32 $a0, $m0, $mzero, 0\n  exitz $mzero")
    /* as many turns as its field says, from 4 on, and adds one to it */
    WORKER("Wait", STACK("Wait", "0"),
           "  ld32 $m0, $mvertex_base, $mzero, 0\n  ld32 $m1, $m0, $mzero, 0\n  add $m2, $m1, 1\n"
           "  st32 $m2, $m0, $mzero, 0\n  add $m1, $m1, -7\n1:\n  brnzdec $m1, 1b\n  exitz $mzero")
        WORKER("State", STACK("State", "0"),
               "  ld32 $m0, $mvertex_base, $mzero, 0\n  lds16 $m1, $mvertex_base, $mzero, 2\n"
               "  st32step $m1, $mzero, $m0+=, 1\n  lds16 $m1, $mvertex_base, $mzero, 3\n"
               "  st32step $m1, $mzero, $m0+=, 1\n  ldz16 $m1, $mvertex_base, $mzero, 4\n"
               "  st32step $m1, $mzero, $m0+=, 1\n  ld32 $m2, $mvertex_base, $mzero, 3\n"
               "  ld32 $m1, $mvertex_base, $mzero, 4\n  st32step $m1, $mzero, $m0+=, 1\n"
               "  lds16 $m1, $m2, $mzero, 0\n  st32step $m1, $mzero, $m0+=, 1\n"
               "  lds16 $m1, $m2, $mzero, 2\n  st32step $m1, $mzero, $m0+=, 1\n"
               "  ldz8 $m1, $mvertex_base, $mzero, 20\n  st32step $m1, $mzero, $m0+=, 1\n"
               /* changes its own state: the next load makes it new */
               "  st32 $mzero, $mvertex_base, $mzero, 1\n  exitz $mzero")
            WORKER("Bad", STACK("Bad", "0"),
                   "  ld32 $m0, $mvertex_base, $mzero, 0\n  ld32 $m1, $m0, $mzero, 0\n  brz $m1, 9f\n"
                   "  cmpeq $m2, $m1, 1\n  brnz $m2, 1f\n  cmpeq $m2, $m1, 2\n  brnz $m2, 2f\n"
                   "3: bri 3b\n1: setzi $m3, 8\n  ld32 $m3, $m3, $mzero, 0 // nothing there\n"
                   "2: add $m3, $m0, 2\n  ld32 $m3, $m3, $mzero, 0 // misaligned\n9: exitz $mzero");

typedef struct fixture {
    tw_device *device;
    tw_graph *g;
    tw_compute_set cs;
} fixture;

static fixture open_graph(bool simulator)
{
    fixture f = { .device = tile_device(simulator, TW_MK2) };
    f.g = tw_graph_new(tw_device_target(f.device));
    add_file(f.g, "classes.cpp", classes);
    add_file(f.g, "code.S", code);
    f.cs = tw_graph_add_compute_set(f.g, "set");
    return f;
}

static tw_engine *load(fixture *f, tw_program program, const char *const *options)
{
    tw_engine *e = tw_engine_new(f->g, program, options);
    test_ok(tw_engine_load(e, f->device));
    return e;
}

static void close_graph(fixture *f, tw_engine *e)
{
    tw_engine_free(e);
    tw_graph_free(f->g);
    tw_device_free(f->device);
}

static tw_tensor variable(fixture *f, const char *name, size_t count, unsigned tile)
{
    tw_tensor t = tw_graph_add_variable(f->g, TW_INT, SHAPE(count), name);
    tw_graph_map(f->g, t, tile);
    tw_graph_create_host_access(f->g, name, t);
    return t;
}

static tw_vertex add(fixture *f, const char *type, tw_tensor in, tw_tensor out, int n, unsigned tile)
{
    tw_vertex v = tw_graph_add_vertex(f->g, f->cs, type, tile);
    tw_graph_connect(f->g, v, "in", in);
    tw_graph_connect(f->g, v, "out", out);
    tw_graph_set_field_int(f->g, v, "n", n);
    return v;
}

/* Data of other tiles comes before and results go after, into memories that start as their tiles' own. */
static void values_between_tiles(void **state)
{
    (void)state;
    for (int simulator = 0; simulator < 2; simulator++) {
        fixture f = open_graph(simulator);
        tw_tensor x = tw_graph_add_variable(f.g, TW_INT, SHAPE(4, 10), "x"),
                  y = tw_graph_add_variable(f.g, TW_INT, SHAPE(4, 10), "y");
        tw_graph_map_linearly_with(f.g, x, 1, 10, 0), tw_graph_map_linearly_with(f.g, y, 1, 10, 0);
        tw_graph_create_host_access(f.g, "x", x), tw_graph_create_host_access(f.g, "y", y);
        for (unsigned i = 0; i < 4; i++) /* a column of x becomes a row of y, on a third tile */
            add(&f, "Add", tw_tensor_slice(f.g, tw_tensor_flatten(f.g, x), 0, 10 * i + i, 10 * i + i + 4),
                tw_tensor_slice(f.g, tw_tensor_flatten(f.g, y), 0, (10 * i + 35) % 40, (10 * i + 35) % 40 + 4),
                100 * (int)i, (i + 2) % 4);
        tw_program parts[] = { tw_program_execute(f.g, f.cs), tw_program_copy(f.g, y, x) };
        tw_engine *e = load(&f, tw_program_sequence_of(f.g, 2, parts), NULL);
        int a[40], b[40], want[40];
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 40; i++) a[i] = i * i + round, want[i] = 7000 + i;
            test_ok(tw_engine_write(e, "x", a, sizeof a));
            test_ok(tw_engine_write(e, "y", want, sizeof want));
            test_ok(tw_engine_run(e, 0));
            for (int i = 0; i < 4; i++)
                for (int k = 0; k < 4; k++) want[(10 * i + 35) % 40 + k] = a[11 * i + k] + 100 * i;
            test_ok(tw_engine_read(e, "y", b, sizeof b));
            assert_memory_equal(b, want, sizeof b);
            test_ok(tw_engine_read(e, "x", b, sizeof b));
            assert_memory_equal(b, want, sizeof b);
        }
        close_graph(&f, e);
    }
}

/* Guide 7.3: six workers, each with 16 bytes of stack below its base and 48 of scratch from it on; an 8th vertex is
 * the second of a worker. */
static void workers_and_their_stacks(void **state)
{
    (void)state;
    for (int simulator = 0; simulator < 2; simulator++) {
        fixture f = open_graph(simulator);
        tw_tensor out = variable(&f, "out", 16, 1);
        for (unsigned i = 0; i < 8; i++)
            tw_graph_connect(f.g, tw_graph_add_vertex(f.g, f.cs, "Where", 1), "out",
                             tw_tensor_slice(f.g, out, 0, 2 * i, 2 * i + 2));
        tw_engine *e = load(&f, tw_program_execute(f.g, f.cs), NULL);
        unsigned got[8][2];
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "out", got, sizeof got));
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(got[i][1], i % 6);
            assert_int_equal(got[i][0], got[0][0] + 64 * (i % 6));
        }
        assert_true(got[0][0] >= 0x4c000 + 16 && got[5][0] + 48 <= 0xe8000);
        close_graph(&f, e);
    }
}

static void multi_vertices(void **state)
{
    (void)state;
    for (int simulator = 0; simulator < 2; simulator++) {
        fixture f = open_graph(simulator);
        tw_tensor out = variable(&f, "out", 18, 0);
        for (unsigned i = 0; i < 3; i++)
            tw_graph_connect(f.g, tw_graph_add_vertex(f.g, f.cs, "All", i), "out",
                             tw_tensor_slice(f.g, out, 0, 6 * i, 6 * i + 6));
        tw_engine *e = load(&f, tw_program_execute(f.g, f.cs), NULL);
        int got[18];
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "out", got, sizeof got));
        for (int i = 0; i < 18; i++) assert_int_equal(got[i], 100 + i % 6);
        tw_profile_totals totals;
        test_ok(tw_profile_get_totals(tw_engine_profile(e), &totals));
        assert_int_equal(totals.by_bucket[TW_CYCLES_COMPUTE], 3 * 6 * 8); /* eight instructions each */
        close_graph(&f, e);
    }
}

/* The result of a compute set is true when all of its vertices say so (guide 10.2). */
static void exit_status(void **state)
{
    (void)state;
    for (int simulator = 0; simulator < 2; simulator++) {
        fixture f = open_graph(simulator);
        tw_tensor x = variable(&f, "x", 6, 0), all = tw_graph_add_variable(f.g, TW_BOOL, 0, NULL, "all");
        tw_graph_map(f.g, all, 3);
        tw_graph_create_host_access(f.g, "all", all);
        for (unsigned i = 0; i < 6; i++)
            tw_graph_connect(f.g, tw_graph_add_vertex(f.g, f.cs, "Positive", i % 3), "x",
                             tw_tensor_index(f.g, x, i));
        tw_engine *e = load(&f, tw_program_execute_all_true(f.g, f.cs, all), NULL);
        static const struct {
            int x[6];
            bool all;
        } rows[] = { { { 1, 2, 3, 4, 5, 6 }, true },
                     { { 1, 2, 0, 4, 5, 6 }, false },
                     { { -1, 2, 3, 4, 5, 6 }, false },
                     { { 1, 2, 3, 4, 5, -6 }, false },
                     { { 9, 9, 9, 9, 9, 9 }, true } };
        for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
            bool got = !rows[i].all;
            test_ok(tw_engine_write(e, "x", rows[i].x, sizeof rows[i].x));
            test_ok(tw_engine_run(e, 0));
            test_ok(tw_engine_read(e, "all", &got, 1));
            assert_int_equal(got, rows[i].all);
        }
        close_graph(&f, e);
    }
}

static void plain_state(void **state)
{
    (void)state;
    for (int simulator = 0; simulator < 2; simulator++) {
        fixture f = open_graph(simulator);
        tw_tensor out = variable(&f, "out", 7, 2);
        tw_vertex v = tw_graph_add_vertex(f.g, f.cs, "State", 2);
        tw_graph_connect(f.g, v, "out", out);
        tw_graph_set_field_values(f.g, v, "pair", TW_SHORT, 2, (short[]){ -3, 300 });
        tw_graph_set_field(f.g, v, "h", -1.5);
        tw_graph_set_field_values(f.g, v, "list", TW_SHORT, 3, (short[]){ 11, 12, -13 });
        tw_graph_set_field_int(f.g, v, "byte", 200);
        tw_engine *e = load(&f, tw_program_execute(f.g, f.cs), NULL);
        static const int want[] = { -3, 300, 0xbe00, 3, 11, -13, 200 },
                         changed[] = { 0, 0, 0xbe00, 3, 11, -13, 200 };
        int got[7];
        for (int round = 0; round < 2; round++) {
            test_ok(tw_engine_load(e, f.device));
            for (int run = 0; run < 3; run++) {
                test_ok(tw_engine_run(e, 0));
                test_ok(tw_engine_read(e, "out", got, sizeof got));
                assert_memory_equal(got, run ? changed : want, sizeof got);
            }
        }
        close_graph(&f, e);
    }
}

/* --- cycles --------------------------------------------------------------------------------------------------- */

typedef struct steps {
    uint64_t cycles[16];
    tw_fidelity fidelity[16];
    size_t count;
} steps;

static bool note_step(void *user, const tw_profile_step *step)
{
    steps *s = user;
    if (step->type == TW_PROGRAM_ON_TILE_EXECUTE && s->count < 16) {
        s->cycles[s->count] = step->cycles;
        s->fidelity[s->count++] = step->fidelity;
    }
    return true;
}

/* Vertices go in creation order to the least loaded worker; a tile takes six cycles for each turn of the busiest.
 * What a vertex takes depends on data, and is counted anew each time. */
static void cycles_are_exact(void **state)
{
    (void)state;
    static const int turns[8] = { 20, 30, 10, 50, 40, 15, 12, 11 }; /* 10 + 12 and 15 + 11 share workers */
    for (int simulator = 0; simulator < 2; simulator++) {
        fixture f = open_graph(simulator);
        tw_tensor x = variable(&f, "x", 8, 3);
        for (unsigned i = 0; i < 8; i++)
            tw_graph_connect(f.g, tw_graph_add_vertex(f.g, f.cs, "Wait", 3), "turns", tw_tensor_index(f.g, x, i));
        tw_engine *e = load(&f, tw_program_repeat(f.g, 3, tw_program_execute(f.g, f.cs)), NULL);
        test_ok(tw_engine_write(e, "x", turns, sizeof turns));
        test_ok(tw_engine_run(e, 0));
        steps s = { .count = 0 };
        const tw_profile *profile = tw_engine_profile(e);
        tw_profile_each_step(profile, note_step, &s);
        assert_int_equal(s.count, 3);
        for (size_t i = 0; i < 3; i++) {
            assert_int_equal(s.cycles[i], 6 * (50 + i));
            assert_int_equal(s.fidelity[i], TW_FIDELITY_EXACT);
        }
        uint64_t cycles = 0, instances = 0;
        assert_string_equal(tw_profile_vertex_type(profile, 0, &cycles, &instances), "Wait");
        assert_int_equal(cycles, 3 * (20 + 30 + 10 + 50 + 40 + 15 + 12 + 11) + 8 * (0 + 1 + 2));
        int more[8];
        for (int i = 0; i < 8; i++) more[i] = 100; /* two workers have two */
        test_ok(tw_engine_write(e, "x", more, sizeof more));
        test_ok(tw_engine_run(e, 0));
        s.count = 0;
        tw_profile_each_step(tw_engine_profile(e), note_step, &s);
        assert_int_equal(s.count, 6);
        for (size_t i = 0; i < 3; i++) assert_int_equal(s.cycles[3 + i], 6 * 2 * (100 + i));
        close_graph(&f, e);
    }
}

/* Turns of long instructions are modelled (docs/decisions.md, G7): f32exp takes three. */
static void long_instructions(void **state)
{
    (void)state;
    fixture f = open_graph(true);
    tw_tensor x = tw_graph_add_variable(f.g, TW_FLOAT, 0, NULL, "x");
    tw_graph_map(f.g, x, 0);
    tw_graph_create_host_access(f.g, "x", x);
    tw_graph_connect(f.g, tw_graph_add_vertex(f.g, f.cs, "Exp", 0), "x", x);
    tw_engine *e = load(&f, tw_program_execute(f.g, f.cs), NULL);
    float v = 0;
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_read(e, "x", &v, sizeof v));
    assert_true(v == 1);
    steps s = { .count = 0 };
    tw_profile_each_step(tw_engine_profile(e), note_step, &s);
    assert_int_equal(s.cycles[0], 6 * (4 + 3));
    assert_int_equal(s.fidelity[0], TW_FIDELITY_MODELLED);
    close_graph(&f, e);
}

/* Exceptions of floating point come when engine options ask for them (guide 9.3). */
static void floating_point_exceptions(void **state)
{
    (void)state;
    static const char *const asked[] = { "debug.floatPointOpException=true", NULL };
    for (int on = 0; on < 2; on++) {
        fixture f = open_graph(true);
        tw_tensor x = tw_graph_add_variable(f.g, TW_FLOAT, 0, NULL, "x");
        tw_graph_map(f.g, x, 0);
        tw_graph_create_host_access(f.g, "x", x);
        tw_graph_connect(f.g, tw_graph_add_vertex(f.g, f.cs, "Divide", 0), "x", x);
        tw_engine *e = load(&f, tw_program_execute(f.g, f.cs), on ? asked : NULL);
        assert_int_equal(tw_engine_run(e, 0), on ? TW_E_APPLICATION : TW_OK);
        if (on) ASSERT_MESSAGE("floating-point exception");
        close_graph(&f, e);
    }
}

/* Beside assembly the compiler's code of compute(), in the simulator; on a model, and where it is asked for, those
 * vertices run natively. */
static void with_compiled_vertices(void **state)
{
    (void)state;
    static const char *const asked[] = { "simulator.runNativeVertices=true", NULL };
    enum { ON_MODEL, NATIVE, COMPILED };
    for (int how = ON_MODEL; how <= COMPILED; how++) {
        fixture f = open_graph(how != ON_MODEL);
        tw_tensor x = variable(&f, "x", 12, 0), y = variable(&f, "y", 12, 1);
        static const char *const types[] = { "Add", "Native", "Native", "Add" };
        for (unsigned i = 0; i < 4; i++)
            add(&f, types[i], tw_tensor_slice(f.g, x, 0, 3 * i, 3 * i + 3),
                tw_tensor_slice(f.g, y, 0, 3 * i, 3 * i + 3), 10 * (int)i, 2);
        tw_engine *e = load(&f, tw_program_execute(f.g, f.cs), how == COMPILED ? NULL : asked);
        int a[12], b[12];
        for (int i = 0; i < 12; i++) a[i] = i * i;
        test_ok(tw_engine_write(e, "x", a, sizeof a));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "y", b, sizeof b));
        for (int i = 0; i < 12; i++) assert_int_equal(b[i], i * i + i / 3 * 10);
        steps s = { .count = 0 };
        tw_profile_each_step(tw_engine_profile(e), note_step, &s);
        assert_int_equal(s.count, 1);
        assert_int_equal(s.fidelity[0], how == COMPILED ? TW_FIDELITY_EXACT : TW_FIDELITY_ESTIMATED);
        close_graph(&f, e);
    }
}

static void build_archive(const char *name, const char *const *members, size_t count)
{
    g_autofree char *archive = g_build_filename(test_folder, name, NULL);
    char *inputs[2];
    for (size_t i = 0; i < count; i++) inputs[i] = g_build_filename(test_folder, members[i], NULL);
    tw_popc_options options = { .size = sizeof options, .output = archive, .targets = "cpu,ipu2" };
    test_ok(tw_popc_build((const char *const *)inputs, count, &options, NULL));
    for (size_t i = 0; i < count; i++) g_free(inputs[i]);
}

/* A vertex in assembly reads what one in C++ has written, and the reverse; both come from one archive, or each from
 * its own. Neither runs natively: the steps are exact. */
static void archives_of_both(void **state)
{
    (void)state;
    static const char *const members[] = { "classes.cpp", "code.S" };
    g_autofree char *whole = g_build_filename(test_folder, "both.gp", NULL),
                    *first = g_build_filename(test_folder, "compiled.gp", NULL),
                    *second = g_build_filename(test_folder, "assembled.gp", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++) {
        g_autofree char *path = g_build_filename(test_folder, members[i], NULL);
        assert_true(g_file_set_contents(path, i ? code : classes, -1, NULL));
    }
    build_archive("both.gp", members, 2);
    build_archive("compiled.gp", &members[0], 1);
    build_archive("assembled.gp", &members[1], 1);
    for (int apart = 0; apart < 2; apart++) {
        fixture f = { .device = tile_device(true, TW_MK2) };
        f.g = tw_graph_new(tw_device_target(f.device));
        tw_graph_add_codelets(f.g, apart ? first : whole, NULL);
        if (apart) tw_graph_add_codelets(f.g, second, NULL);
        static const char *const types[] = { "Native", "Add", "Native", "Add" };
        tw_tensor data[5];
        tw_program all = tw_program_sequence(f.g, "all");
        for (unsigned i = 0; i < 5; i++) {
            char name[8];
            g_snprintf(name, sizeof name, "t%u", i);
            data[i] = variable(&f, name, 7, i % 2);
            if (!i) continue;
            f.cs = tw_graph_add_compute_set(f.g, name);
            add(&f, types[i - 1], data[i - 1], data[i], 1 << 4 * (i - 1), i % 2);
            tw_program_sequence_add(f.g, all, tw_program_execute(f.g, f.cs));
        }
        tw_engine *e = load(&f, all, NULL);
        int from[7], to[7];
        for (int i = 0; i < 7; i++) from[i] = i * i * 0x10000;
        test_ok(tw_engine_write(e, "t0", from, sizeof from));
        test_ok(tw_engine_run(e, 0));
        for (unsigned k = 1, sum = 1; k < 5; k++, sum = sum << 4 | 1) {
            char name[8];
            g_snprintf(name, sizeof name, "t%u", k);
            test_ok(tw_engine_read(e, name, to, sizeof to));
            for (int i = 0; i < 7; i++) assert_int_equal(to[i], from[i] + (int)sum);
        }
        steps s = { .count = 0 };
        tw_profile_each_step(tw_engine_profile(e), note_step, &s);
        assert_int_equal(s.count, 4);
        for (unsigned i = 0; i < 4; i++) assert_int_equal(s.fidelity[i], TW_FIDELITY_EXACT);
        close_graph(&f, e);
    }
}

/* Guide 3.4.1: assembly for one instantiation of a template, compute() for another; where the assembly runs, the
 * compute() beside it is ignored. */
static void code_by_type(void **state)
{
    (void)state;
    static const char text[] = "#include <poplar/Vertex.hpp>\n#include <type_traits>\nusing namespace poplar;\n"
                               "template <typename T> class Twice : public Vertex { public: InOut<T> x;\n"
                               "  static constexpr bool isExternalCodelet = std::is_same<T, float>();\n"
                               "  bool compute() { *x = *x * T(3); return true; } };\n"
                               "template class Twice<float>;\ntemplate class Twice<int>;\n";
    static const char twice[] = WORKER("Twice___float", STACK("Twice___float", "0"),
                                       "  ld32 $m0, $mvertex_base, $mzero, 0\n  ld32 $a0, $m0, $mzero, 0\n"
                                       "  f32add $a0, $a0, $a0\n  st32 $a0, $m0, $mzero, 0\n  exitz $mzero");
    static const char *const asked[] = { "simulator.runNativeVertices=true", NULL };
    tw_device *device = tile_device(true, TW_MK2);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    add_file(g, "twice.cpp", text);
    add_file(g, "twice.S", twice);
    tw_tensor f = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "f"),
              n = tw_graph_add_variable(g, TW_INT, 0, NULL, "n");
    tw_graph_map(g, f, 0), tw_graph_map(g, n, 0);
    tw_graph_create_host_access(g, "f", f), tw_graph_create_host_access(g, "n", n);
    tw_compute_set cs = tw_graph_add_compute_set(g, "set");
    tw_graph_connect(g, tw_graph_add_vertex(g, cs, "Twice<float>", 0), "x", f);
    tw_graph_connect(g, tw_graph_add_vertex(g, cs, "Twice<int>", 0), "x", n);
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), asked);
    test_ok(tw_engine_load(e, device));
    float a = 5;
    int b = 7;
    test_ok(tw_engine_write(e, "f", &a, sizeof a)), test_ok(tw_engine_write(e, "n", &b, sizeof b));
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_read(e, "f", &a, sizeof a)), test_ok(tw_engine_read(e, "n", &b, sizeof b));
    assert_true(a == 10);
    assert_int_equal(b, 21);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

/* The same of a codelet in C: TW_EXTERNAL, with a function for the host or without. */
static void declared_in_c(void **state)
{
    (void)state;
    static const char text[] = "#include <tilewright/codelet.h>\n"
                               "TW_VERTEX(Alone) { TW_INOUT(int) x; TW_EXTERNAL; };\n"
                               "TW_VERTEX(Both) { TW_INOUT(int) x; TW_EXTERNAL; };\n"
                               "bool Both_compute(Both *v) { *v->x *= 3; return true; }\n";
#define DOUBLE                                                                                \
    "  ld32 $m0, $mvertex_base, $mzero, 0\n  ld32 $m1, $m0, $mzero, 0\n  add $m1, $m1, $m1\n" \
    "  st32 $m1, $m0, $mzero, 0\n  exitz $mzero"
    static const char twice[] =
        WORKER("Alone", STACK("Alone", "0"), DOUBLE) WORKER("Both", STACK("Both", "0"), DOUBLE);
    for (int simulator = 0; simulator < 2; simulator++) {
        tw_device *device = tile_device(simulator, TW_MK2);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        add_file(g, "twice.c", text), add_file(g, "twice.S", twice);
        tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(2), "x");
        tw_graph_map(g, x, 0);
        tw_graph_create_host_access(g, "x", x);
        tw_compute_set cs = tw_graph_add_compute_set(g, "set");
        tw_graph_connect(g, tw_graph_add_vertex(g, cs, "Alone", 0), "x", tw_tensor_index(g, x, 0));
        tw_graph_connect(g, tw_graph_add_vertex(g, cs, "Both", 0), "x", tw_tensor_index(g, x, 1));
        tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
        test_ok(tw_engine_load(e, device));
        int v[2] = { 5, 7 };
        test_ok(tw_engine_write(e, "x", v, sizeof v));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "x", v, sizeof v));
        assert_int_equal(v[0], 10);
        assert_int_equal(v[1], simulator ? 14 : 21); /* natively where the class has a function for the host */
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
}

/* A loop that ends when the tiles say so: predicates are read in their memories. */
static void loops_on_results(void **state)
{
    (void)state;
    for (int simulator = 0; simulator < 2; simulator++) {
        fixture f = open_graph(simulator);
        tw_tensor x = variable(&f, "x", 4, 2), all = tw_graph_add_variable(f.g, TW_BOOL, 0, NULL, "all");
        tw_graph_map(f.g, all, 1);
        tw_compute_set test = tw_graph_add_compute_set(f.g, "test");
        for (unsigned i = 0; i < 4; i++) {
            tw_graph_connect(f.g, tw_graph_add_vertex(f.g, test, "Positive", i), "x", tw_tensor_index(f.g, x, i));
            add(&f, "Add", tw_tensor_slice(f.g, x, 0, i, i + 1), tw_tensor_slice(f.g, x, 0, i, i + 1), -1 - (int)i,
                (i + 1) % 4);
        }
        tw_engine *e = load(&f,
                            tw_program_repeat_while_true(f.g, tw_program_execute_all_true(f.g, test, all), all,
                                                         tw_program_execute(f.g, f.cs)),
                            NULL);
        int v[4] = { 100, 100, 100, 100 };
        test_ok(tw_engine_write(e, "x", v, sizeof v));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "x", v, sizeof v));
        for (int i = 0; i < 4; i++) assert_int_equal(v[i], 100 - 25 * (i + 1)); /* the last one reaches 0 */
        close_graph(&f, e);
    }
}

/* --- faults --------------------------------------------------------------------------------------------------- */

static void faults_are_told(void **state)
{
    (void)state;
    static const char *const options[] = { "simulator.turnLimit=5000", NULL };
    for (int simulator = 0; simulator < 2; simulator++) {
        fixture f = open_graph(simulator);
        tw_tensor x = variable(&f, "x", 4, 0);
        for (unsigned i = 0; i < 4; i++)
            tw_graph_connect(f.g, tw_graph_add_vertex(f.g, f.cs, "Bad", i), "kind", tw_tensor_index(f.g, x, i));
        tw_engine *e = load(&f, tw_program_execute(f.g, f.cs), options);
        static const struct {
            int x[4];
            const char *phrases[6]; /* NULL at first: no fault */
        } rows[] = {
            { { 0, 0, 0, 0 }, { NULL } },
            { { 0, 0, 1, 0 },
              { "type 'Bad'", "compute set 'set'", "on tile 2", "code.S:", "no memory at this address",
                "$m3 = " } },
            { { 0, 2, 0, 0 }, { "type 'Bad'", "on tile 1", "code.S:", "multiple of the size of the access" } },
            { { 0, 2, 1, 2 }, { "on tile 1" } }, /* the first of the tiles */
            { { 0, 0, 0, 3 }, { "on tile 3", "simulator.turnLimit" } },
            { { 0, 0, 0, 0 }, { NULL } },
        };
        for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
            test_ok(tw_engine_write(e, "x", rows[i].x, sizeof rows[i].x));
            tw_status status = tw_engine_run(e, 0);
            assert_int_equal(status, rows[i].phrases[0] ? TW_E_APPLICATION : TW_OK);
            for (int k = 0; k < 6 && rows[i].phrases[k]; k++) ASSERT_MESSAGE(rows[i].phrases[k]);
        }
        close_graph(&f, e);
    }
}

/* Decision 19: where memory is real, it is not enough to say so. */
static void memory_of_the_simulator_ends(void **state)
{
    (void)state;
    for (int simulator = 0; simulator < 2; simulator++) {
        fixture f = open_graph(simulator);
        tw_tensor x = variable(&f, "x", 200000, 1), y = variable(&f, "y", 10, 1);
        add(&f, "Add", tw_tensor_slice(f.g, x, 0, 0, 10), y, 5, 1);
        tw_engine *e = tw_engine_new(f.g, tw_program_execute(f.g, f.cs), NULL);
        assert_int_equal(tw_engine_status(e), simulator ? TW_E_TILE_MEMORY : TW_OK);
        close_graph(&f, e);
    }
}

typedef struct told {
    unsigned steps, vertices, stop_at; /* the step whose function ends the run; 0: none does */
    unsigned tiles[4], contexts[4];
} told;

static tw_status told_step(void *user, tw_engine *engine, size_t step)
{
    told *t = user;
    tw_engine_step s = { .size = sizeof s };
    test_ok(tw_engine_get_step(engine, step, &s));
    assert_string_equal(s.what, "compute set");
    assert_string_equal(s.name, "set");
    assert_int_equal(s.vertices, 3);
    assert_int_equal(s.tiles, 2);
    return ++t->steps == t->stop_at ? TW_E_APPLICATION : TW_OK;
}

static tw_sim_stop told_vertex(void *user, const tw_debug_vertex *v, uint64_t turns)
{
    told *t = user;
    char *text = tw_engine_vertex_text(v->engine, v->vertex);
    bool is_all = strcmp(v->type, "All") == 0;
    assert_non_null(strstr(text, is_all ? "out          Output int[6] : out\n" : "int[2] : in\n"));
    assert_int_equal(tw_sim_get_pc(v->sim, is_all ? 0 : v->context),
                     tw_object_get_symbol(v->image, (size_t)tw_object_find_symbol(
                                                        v->image, is_all ? "__runCodelet_All" : "__runCodelet_Add"))
                         ->value);
    free(text);
    if (t->vertices < 4) t->tiles[t->vertices] = v->tile, t->contexts[t->vertices] = v->context;
    t->vertices++;
    return tw_sim_run(v->sim, turns);
}

/* Steps and vertices in their order; the values are those of a run that nobody looks at, and can be asked for. */
static void told_to_a_debugger(void **state)
{
    (void)state;
    if (tw_world_size() > 1) skip(); /* a rank tells of its own tiles */
    told seen = { 0 };
    tw_debugger debugger = { .size = sizeof debugger, .user = &seen, .step = told_step, .vertex = told_vertex };
    assert_int_equal(tw_debugger_set(&(tw_debugger){ 0 }), TW_E_INVALID_ARGUMENT);
    test_ok(tw_debugger_set(&debugger));
    fixture f = open_graph(true);
    tw_tensor in = variable(&f, "in", 2, 1), a = variable(&f, "a", 2, 2), b = variable(&f, "b", 2, 1);
    tw_tensor out = variable(&f, "out", 6, 1);
    add(&f, "Add", in, a, 5, 2);
    add(&f, "Add", in, b, 7, 1);
    tw_graph_connect(f.g, tw_graph_add_vertex(f.g, f.cs, "All", 1), "out", out);
    tw_program once = tw_program_execute(f.g, f.cs);
    tw_engine *e = load(&f, tw_program_sequence_of(f.g, 2, (tw_program[]){ once, once }), NULL);
    test_ok(tw_debugger_set(NULL)); /* the engine keeps its own */
    test_ok(tw_engine_write(e, "in", (int[]){ 1, 2 }, 8));
    seen.stop_at = 2;
    assert_int_equal(tw_engine_run(e, 0), TW_E_APPLICATION);
    assert_int_equal(seen.steps, 2);
    assert_int_equal(seen.vertices, 3);
    static const unsigned tiles[] = { 1, 1, 2 }, contexts[] = { 0, TW_SIM_CONTEXTS, 0 };
    assert_memory_equal(seen.tiles, tiles, sizeof tiles);
    assert_memory_equal(seen.contexts, contexts, sizeof contexts);
    static const struct {
        const char *text, *value; /* value NULL: an error */
        tw_status status;
    } values[] = { { "a", "a = int[2] [6 7]\n", TW_OK },
                   { "b[1]", "b[1] = int 9\n", TW_OK },
                   { "out[1..3]", "out[1..3] = int[2] [101 102]\n", TW_OK },
                   { "out[2..2]", "out[2..2] = int[0] []\n", TW_OK },
                   { "nothing", NULL, TW_E_SYMBOL },
                   { "out[3..7]", NULL, TW_E_INDEX },
                   { "out[18446744073709551615]", NULL, TW_E_INVALID_ARGUMENT },
                   { "out[1]x", NULL, TW_E_INVALID_ARGUMENT } };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *text = tw_engine_value_text(e, values[i].text);
        if (values[i].value)
            assert_string_equal(text, values[i].value);
        else
            assert_null(text), assert_int_equal(tw_error_status(), values[i].status);
        free(text);
    }
    assert_string_equal(tw_engine_variable(e, 1), "a");
    assert_non_null(tw_engine_code(e, 1));
    assert_null(tw_engine_code(e, 2));
    assert_int_equal(tw_engine_get_step(e, 1000, &(tw_engine_step){ .size = sizeof(tw_engine_step) }), TW_E_INDEX);
    close_graph(&f, e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_between_tiles),
        cmocka_unit_test(workers_and_their_stacks),
        cmocka_unit_test(multi_vertices),
        cmocka_unit_test(exit_status),
        cmocka_unit_test(plain_state),
        cmocka_unit_test(cycles_are_exact),
        cmocka_unit_test(long_instructions),
        cmocka_unit_test(floating_point_exceptions),
        cmocka_unit_test(with_compiled_vertices),
        cmocka_unit_test(archives_of_both),
        cmocka_unit_test(loops_on_results),
        cmocka_unit_test(code_by_type),
        cmocka_unit_test(declared_in_c),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(memory_of_the_simulator_ends),
        cmocka_unit_test(told_to_a_debugger),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
