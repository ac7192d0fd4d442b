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

static const char *const types[] = { "Halves", "Deep", "Wide", "Bytes", "Share", "Boss", "InC", "EachInC" };
enum { TYPES = G_N_ELEMENTS(types), ELEMENTS = 37 };

static void run(tw_device *device, int32_t out[TYPES][ELEMENTS])
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
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
}

static void like_the_host(void **state)
{
    (void)state;
    static int32_t want[TYPES][ELEMENTS], got[TYPES][ELEMENTS];
    run(tile_device(false, TW_MK2), want);
    for (int chip = 0; chip < 2; chip++) {
        run(tile_device(true, chip ? TW_MK1 : TW_MK2), got);
        for (int t = 0; t < (int)TYPES; t++)
            for (int i = 0; i < ELEMENTS; i++)
                if (got[t][i] != want[t][i])
                    fail_msg("%s, element %d on chip %d: %d, and %d on the host", types[t], i, chip, got[t][i],
                             want[t][i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(like_the_host) };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
