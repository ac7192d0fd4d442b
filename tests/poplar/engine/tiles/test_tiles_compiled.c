/* SPDX-License-Identifier: MIT */
/* Vertices in C and C++ as code of simulated tiles (guide 3.3, 3.4, 10): each kind of class, values against the
 * host's own run of the same source. */
#include "tiles_test.h"

static const char cpp[] =
    "#include <poplar/Vertex.hpp>\n#include <cmath>\nusing namespace poplar;\n"
    "class Halves : public Vertex { public: Input<Vector<int>> in; Output<Vector<int>> out; half factor;\n"
    "  bool compute() { for (unsigned i = 0; i < in.size(); i++) out[i] = int(half(in[i]) * factor); return true; "
    "} };\n"
    "class Deep : public Vertex { public: Input<Vector<int>> in; Output<Vector<int>> out;\n"
    "  static double mean(const int *p, unsigned n) { double s = 0; for (unsigned i = 0; i < n; i++) s += p[i];\n"
    "    return s / n; }\n"
    "  bool compute() { for (unsigned i = 0; i < in.size(); i++)\n"
    "      out[i] = int(mean(&in[0], i + 1) * 1000) + in[i] / 7 - in[i] % 5 + int(std::sqrt(float(in[i] < 0 ? "
    "-in[i] : in[i])));\n"
    "    return true; } };\n"
    "class Wide : public Vertex { public: Input<Vector<int>> in; Output<Vector<int>> out; int start;\n"
    "  bool compute() { unsigned long long x = start; for (unsigned i = 0; i < in.size(); i++) {\n"
    "      x = x * 6364136223846793005ull + (unsigned long long)(long long)in[i]; out[i] = int(x >> 33) + int(x % "
    "1000003); }\n"
    "    return true; } };\n"
    "class Bytes : public Vertex { public: Input<Vector<int>> in; Output<Vector<int>> out; unsigned char "
    "table[12];\n"
    "  bool compute() { signed char c[16]; short s[16]; for (unsigned i = 0; i < 16; i++) c[i] = s[i] = 0;\n"
    "    for (unsigned i = 0; i < in.size(); i++) { c[i % 16] += in[i]; s[(i * 5) % 16] -= in[i] * 3; }\n"
    "    for (unsigned i = 0; i < out.size(); i++) out[i] = c[i % 16] * 1000 + s[i % 16] + table[i % 12]; return "
    "true; } };\n"
    "class Share : public MultiVertex { public: Input<Vector<int>> in; Output<Vector<int>> out;\n"
    "  bool compute(unsigned worker) { for (unsigned i = worker; i < in.size(); i += numWorkers()) out[i] = in[i] "
    "* 3;\n"
    "    return true; } };\n"
    "struct Kept { int v; Kept(int x) : v(x) {} ~Kept() { *(volatile int *)&v = 0; } };\n"
    "class Once : public Vertex { public: Input<Vector<int>> in; Output<Vector<int>> out;\n"
    "  bool compute() { for (unsigned i = 0; i < in.size(); i++) { static Kept k(in[3]); out[i] = in[i] * k.v; }\n"
    "    return true; } };\n"
    "class Boss : public SupervisorVertex { public: Input<Vector<int>> in; Output<Vector<int>> out;\n"
    "  bool compute() { int s = 0; for (unsigned i = 0; i < in.size(); i++) out[i] = s += in[i]; return true; } "
    "};\n";
static const char c[] =
    "#include <tilewright/codelet.h>\n"
    "TW_VERTEX(InC) { TW_INPUT(TW_VECTOR(int)) in; TW_OUTPUT(TW_VECTOR(int)) out; float factor; };\n"
    "static int pick(int k, int a, int b) { switch (k & 7) { case 0: return a; case 1: return b; case 2: return a "
    "+ b;\n"
    "  case 3: return a - b; case 4: return a * b; case 5: return a << (b & 15); default: return -1; } }\n"
    "bool InC_compute(InC *v) { for (unsigned i = 0; i < tw_size(v->in); i++)\n"
    "    *tw_at(v->out, i) = pick((int)i, *tw_at(v->in, i), (int)i) + (int)(v->factor * (float)i);\n  return true; "
    "}\n"
    "TW_MULTIVERTEX(EachInC) { TW_INPUT(TW_VECTOR(int)) in; TW_OUTPUT(TW_VECTOR(int)) out; };\n"
    "bool EachInC_compute(EachInC *v, unsigned worker) {\n"
    "  for (unsigned i = worker; i < tw_size(v->in); i += tw_num_workers()) *tw_at(v->out, i) = ~*tw_at(v->in, "
    "i);\n"
    "  return true; }\n";

static const char *const types[] = { "Halves", "Deep", "Wide", "Bytes", "Share", "Boss", "InC", "EachInC", "Once" };
enum { TYPES = G_N_ELEMENTS(types), ELEMENTS = 37 };

/* What a run took, by vertex type, and how exact that is. */
typedef struct spent {
    uint64_t cycles[TYPES];
    tw_fidelity fidelity;
} spent;

static bool note_step(void *user, const tw_profile_step *step)
{
    spent *s = user;
    if (step->type == TW_PROGRAM_ON_TILE_EXECUTE) s->fidelity = step->fidelity;
    return true;
}

static spent spent_of(tw_engine *e)
{
    spent s = { .fidelity = TW_FIDELITY_ABSENT };
    const tw_profile *p = tw_engine_profile(e);
    uint64_t cycles, instances;
    const char *name;
    for (size_t i = 0; p && (name = tw_profile_vertex_type(p, i, &cycles, &instances)); i++)
        for (size_t t = 0; t < TYPES; t++)
            if (strcmp(types[t], name) == 0) s.cycles[t] = cycles;
    if (p) tw_profile_each_step(p, note_step, &s);
    return s;
}

static void run(tw_device *device, int32_t out[TYPES][ELEMENTS], spent *took)
{
    tw_graph *g = tw_graph_new(tw_device_target(device));
    add_file(g, "compiled.cpp", cpp), add_file(g, "compiled.c", c);
    int32_t values[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) values[i] = (i * 7919 + 13) % 2001 - 1000;
    tw_tensor x = tw_graph_add_constant(g, TW_INT, SHAPE(ELEMENTS), values, false, "x"),
              y = tw_graph_add_variable(g, TW_INT, SHAPE(TYPES, ELEMENTS), "y");
    tw_graph_map(g, x, 0), tw_graph_map(g, y, 1);
    tw_graph_create_host_access(g, "y", y);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    for (unsigned t = 0; t < TYPES; t++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, types[t], 1);
        tw_graph_connect(g, v, "in", x);
        tw_graph_connect(g, v, "out", tw_tensor_index(g, y, t));
        if (t == 0 || t == 6) tw_graph_set_field(g, v, "factor", 1.5f);
        if (t == 2) tw_graph_set_field_int(g, v, "start", 12345);
        static const uint8_t table[12] = { 0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220 };
        if (t == 3) tw_graph_set_field_values(g, v, "table", TW_UNSIGNED_CHAR, G_N_ELEMENTS(table), table);
    }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    if (tw_engine_load(e, device) != TW_OK) fail_msg("%s", tw_error_message());
    test_ok(tw_engine_run(e, 0));
    test_ok(tw_engine_read(e, "y", out, sizeof(int32_t) * TYPES * ELEMENTS));
    if (took) *took = spent_of(e);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

static void like_the_host(void **state)
{
    (void)state;
    static int32_t want[TYPES][ELEMENTS], got[TYPES][ELEMENTS];
    run(tile_device(false, TW_MK2), want, NULL);
    for (int chip = 0; chip < 2; chip++) {
        run(tile_device(true, chip ? TW_MK1 : TW_MK2), got, NULL);
        for (int t = 0; t < (int)TYPES; t++)
            for (int i = 0; i < ELEMENTS; i++)
                if (got[t][i] != want[t][i])
                    fail_msg("%s, element %d on chip %d: %d, and %d on the host", types[t], i, chip, got[t][i],
                             want[t][i]);
    }
}

/* Guide 8, 8.1.1: a model that compiles for the chip has the values of the host and the cycles of the chip. */
static void cycles_of_the_chip(void **state)
{
    (void)state;
    static int32_t plain[TYPES][ELEMENTS], model[TYPES][ELEMENTS], chip[TYPES][ELEMENTS];
    spent by_estimate, by_code, on_chip;
    tw_ipu_model with = { .size = sizeof with, .chip = TW_MK2, .tiles_per_ipu = 4, .compile_ipu_code = true };
    run(tile_device(false, TW_MK2), plain, &by_estimate);
    run(tw_device_ipu_model_with(&with), model, &by_code);
    run(tile_device(true, TW_MK2), chip, &on_chip);
    assert_memory_equal(plain, model, sizeof model);
    for (size_t t = 0; t < TYPES; t++) {
        if (by_code.cycles[t] != on_chip.cycles[t])
            fail_msg("%s: %llu cycles, and %llu on the chip", types[t], (unsigned long long)by_code.cycles[t],
                     (unsigned long long)on_chip.cycles[t]);
        assert_true(by_code.cycles[t] > 0);
    }
    assert_memory_not_equal(by_estimate.cycles, by_code.cycles, sizeof by_code.cycles);
    assert_int_equal(by_estimate.fidelity, TW_FIDELITY_ESTIMATED);
    assert_int_equal(by_code.fidelity, on_chip.fidelity);
}

static tw_perf_estimate ninety(const tw_vertex_info *info, const tw_target *target, void *user)
{
    (void)info, (void)target, (void)user;
    return (tw_perf_estimate){ 90, 0 };
}

/* An estimator, and an estimate of one vertex, say what they say; code that does not end well is estimated. */
static void estimates_come_first(void **state)
{
    (void)state;
    static const char text[] =
        "#include <poplar/Vertex.hpp>\n#define V(name) class name : public poplar::Vertex { public: "
        "poplar::InOut<int> x; bool compute() { *x = *x * 3 + 1; return true; } };\nV(Told) V(Set) V(Measured)\n"
        "class Fails : public poplar::Vertex { public: poplar::InOut<int> x; bool compute() {\n"
        "#ifdef __IPU__\n  asm volatile(\"trap 0\");\n#endif\n  *x = 7; return true; } };\n"
        "#include <print.h>\nclass Prints : public poplar::Vertex { public: poplar::InOut<int> x; bool compute() "
        "{\n"
        "int s = 0; for (int i = 0; i < 1000; i++) s = s * 3 + (*x ^ i);\n"
        "#ifdef __IPU__\n  printf(\"nobody reads this\\n\");\n#endif\n  *x = s; return true; } };\n";
    static const char *const names[] = { "Told", "Set", "Measured", "Fails", "Prints" };
    tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .tiles_per_ipu = 4, .compile_ipu_code = true };
    tw_device *device = tw_device_ipu_model_with(&model);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    add_file(g, "estimates.cpp", text);
    tw_graph_register_perf_estimator(g, "Told", ninety, NULL, NULL);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    const int32_t start[5] = { 1, 2, 3, 4, 5 };
    tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(5), "x");
    tw_graph_map(g, x, 2);
    tw_graph_create_host_access(g, "x", x);
    for (unsigned i = 0; i < 5; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, names[i], 2);
        tw_graph_connect(g, v, "x", tw_tensor_index(g, x, i));
        if (i == 1) tw_graph_set_perf_estimate(g, v, 60, 0);
    }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    test_ok(tw_engine_load(e, device));
    test_ok(tw_engine_write(e, "x", start, sizeof start));
    test_ok(tw_engine_run(e, 0));
    int32_t values[5];
    test_ok(tw_engine_read(e, "x", values, sizeof values));
    assert_int_equal(values[0], 4), assert_int_equal(values[1], 7), assert_int_equal(values[2], 10);
    assert_int_equal(values[3], 7);
    const tw_profile *p = tw_engine_profile(e);
    uint64_t cycles, instances, told = 0, set = 0, measured = 0, prints = 0;
    const char *name;
    for (size_t i = 0; (name = tw_profile_vertex_type(p, i, &cycles, &instances)); i++) {
        if (strcmp(name, "Told") == 0) told = cycles;
        if (strcmp(name, "Set") == 0) set = cycles;
        if (strcmp(name, "Measured") == 0) measured = cycles;
        if (strcmp(name, "Prints") == 0) prints = cycles;
    }
    assert_int_equal(told, 90), assert_int_equal(set, 60);
    assert_in_range(prints, 3000, 9000); /* of its thousand rounds, none of the host's work */
    assert_in_range(measured, 4,
                    12); /* two loads, three operations, a store, the end: whatever is beside another */
    spent s = { .fidelity = TW_FIDELITY_ABSENT };
    tw_profile_each_step(p, note_step, &s);
    assert_int_equal(s.fidelity, TW_FIDELITY_ESTIMATED);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

/* A section that asks for region 1 is there (guide 7.2), though data of the same codelet would lie lower. */
static void in_region_1(void **state)
{
    (void)state;
    static const char text[] =
        "#include <poplar/Vertex.hpp>\nstatic int near[3] = { 5, 6, 7 };\n"
        "__attribute__((section(\".interleaved.t\"), aligned(16))) int table[4] = { 1, 20, 300, 4000 };\n"
        "class Reads : public poplar::Vertex { public: poplar::Output<poplar::Vector<unsigned>> out;\n"
        "  bool compute() { unsigned s = near[1]; for (int i = 0; i < 4; i++) s += table[i]; out[0] = s;\n"
        "    out[1] = unsigned((unsigned long)table); return true; } };\n";
    for (int chip = 0; chip < 2; chip++) {
        tw_device *device = tile_device(true, chip ? TW_MK1 : TW_MK2);
        tw_graph *g = tw_graph_new(tw_device_target(device));
        add_file(g, "region.cpp", text);
        tw_tensor out = tw_graph_add_variable(g, TW_UNSIGNED_INT, SHAPE(2), "out");
        tw_graph_map(g, out, 1);
        tw_graph_create_host_access(g, "out", out);
        tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
        tw_graph_connect(g, tw_graph_add_vertex(g, cs, "Reads", 1), "out", out);
        tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
        if (tw_engine_load(e, device) != TW_OK) fail_msg("%s", tw_error_message());
        test_ok(tw_engine_run(e, 0));
        uint32_t values[2];
        test_ok(tw_engine_read(e, "out", values, sizeof values));
        assert_int_equal(values[0], 4327);
        assert_in_range(values[1], chip ? 0x60000 : 0x80000, chip ? 0x7ffff : 0xe7fff);
        assert_int_equal(values[1] % 16, 0);
        tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    }
}

/* A load brings code back that a vertex has written over. */
static void loads_code_again(void **state)
{
    (void)state;
    static const char text[] =
        "#include <poplar/Vertex.hpp>\n__attribute__((noinline)) static int five(int x) { return x ^ 5; }\n"
        "class Spoils : public poplar::Vertex { public: poplar::InOut<int> x; bool compute() { *x = five(*x);\n"
        "    *(volatile unsigned *)(void *)&five = 0xffffffffu; return true; } };\n";
    tw_device *device = tile_device(true, TW_MK2);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    add_file(g, "spoils.cpp", text);
    tw_tensor x = tw_graph_add_variable(g, TW_INT, SHAPE(1), "x");
    tw_graph_map(g, x, 1);
    tw_graph_create_host_access(g, "x", x);
    tw_compute_set cs = tw_graph_add_compute_set(g, "cs");
    tw_graph_connect(g, tw_graph_add_vertex(g, cs, "Spoils", 1), "x", tw_tensor_index(g, x, 0));
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    for (int i = 0; i < 2; i++) {
        int32_t value = 16;
        if (tw_engine_load(e, device) != TW_OK) fail_msg("%s", tw_error_message());
        test_ok(tw_engine_write(e, "x", &value, sizeof value));
        test_ok(tw_engine_run(e, 0));
        test_ok(tw_engine_read(e, "x", &value, sizeof value));
        assert_int_equal(value, 21);
        assert_int_equal(tw_engine_run(e, 0), TW_E_APPLICATION);
    }
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(like_the_host), cmocka_unit_test(cycles_of_the_chip),
                                        cmocka_unit_test(estimates_come_first), cmocka_unit_test(in_region_1),
                                        cmocka_unit_test(loads_code_again) };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
