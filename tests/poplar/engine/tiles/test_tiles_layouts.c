/* SPDX-License-Identifier: MIT */
/* Vertex states that code of the chip reads (guide 4.2, table 4.1): for every layout a vertex in assembly that
 * unpacks its field by the guide's figures and adds up what it points to. The host compares with plain sums. */
#include "tiles_test.h"

/* What all begin with: the result's pointer, then the field. */
#define HEAD                                                                                       \
    "#include <poplar/Vertex.hpp>\nusing namespace poplar;\nclass Sum : public Vertex { public:\n" \
    "  Output<int> sum; static const bool isExternalCodelet = true;\n  "
#define FIELD(type)   HEAD type " data; };\n"
#define COUNTED(type) HEAD "unsigned count; " type " data; };\n"

/* $m0: first element, $m1: elements; adds to $m2. */
#define ADD_UP                                                                                       \
    "  brz $m1, 9f\n  add $m1, $m1, -1\n8:\n  ld32step $m3, $mzero, $m0+=, 1\n  add $m2, $m2, $m3\n" \
    "  brnzdec $m1, 8b\n9:\n"
#define STORE     "  ld32 $m0, $mvertex_base, $mzero, 0\n  st32 $m2, $m0, $mzero, 0\n  exitz $mzero\n"
#define SUM(load) "  setzi $m2, 0\n" load ADD_UP STORE
/* $m4: the next row, $m5: rows. `load` makes $m0 and $m1 of one row and moves $m4 on. */
#define ROWS(open, load) \
    "  setzi $m2, 0\n" open "  brz $m5, 7f\n  add $m5, $m5, -1\n6:\n" load ADD_UP "  brnzdec $m5, 6b\n7:\n" STORE

#define LD32(register, word)  "  ld32 $" register ", $mvertex_base, $mzero, " word "\n"
#define LDZ16(register, half) "  ldz16 $" register ", $mvertex_base, $mzero, " half "\n"

enum { MK1 = 1, MK2 = 2, BOTH = 3, POPLIBS = 4 }; /* POPLIBS: with simulator.popLibsLayouts */

static const struct {
    const char *name, *classes, *body;
    int chips;
    int rank;     /* 1: one vector; 2: rows; 3: rows of four; 0: single elements */
    bool counted; /* its layout has no count: the host sets it */
} layouts[] = {
    { "SPAN", FIELD("Input<Vector<int>>"), SUM(LD32("m0", "1") LD32("m1", "2")), BOTH, 1, false },
    { "ONE_PTR", COUNTED("Input<Vector<int, VectorLayout::ONE_PTR>>"), SUM(LD32("m0", "2") LD32("m1", "1")), BOTH,
      1, true },
    { "SHORT_SPAN", FIELD("Input<Vector<int, VectorLayout::SHORT_SPAN>>"),
      SUM(LD32("m0", "1") "  shr $m1, $m0, 21\n  shl $m0, $m0, 12\n  shr $m0, $m0, 12\n"), BOTH, 1, false },
    { "SCALED_PTR32", COUNTED("Input<Vector<int, VectorLayout::SCALED_PTR32>>"),
      SUM(LDZ16("m0", "4") "  shl $m0, $m0, 2\n  setzi $m3, 0x40000\n  add $m0, $m0, $m3\n" LD32("m1", "1")), MK1,
      1, true },
    { "SCALED_PTR64", COUNTED("Input<Vector<int, VectorLayout::SCALED_PTR64, 8>>"),
      SUM(LDZ16("m0", "4") "  shl $m0, $m0, 3\n" LD32("m1", "1")), MK1, 1, true },
    { "SCALED_PTR128", COUNTED("Input<Vector<int, VectorLayout::SCALED_PTR128, 16>>"),
      SUM(LDZ16("m0", "4") "  shl $m0, $m0, 4\n" LD32("m1", "1")), BOTH, 1, true },
    { "COMPACT_PTR of 16", COUNTED("Input<Vector<int, VectorLayout::COMPACT_PTR, 16>>"),
      SUM(LDZ16("m0", "4") "  shl $m0, $m0, 4\n" LD32("m1", "1")), BOTH, 1, true },
    { "COMPACT_PTR of 4, Mk1", COUNTED("Input<Vector<int, VectorLayout::COMPACT_PTR, 4>>"),
      SUM(LDZ16("m0", "4") "  shl $m0, $m0, 2\n  setzi $m3, 0x40000\n  add $m0, $m0, $m3\n" LD32("m1", "1")), MK1,
      1, true },
    { "COMPACT_PTR of 4, Mk2", COUNTED("Input<Vector<int, VectorLayout::COMPACT_PTR, 4>>"),
      SUM(LD32("m0", "2") LD32("m1", "1")), MK2, 1, true },
    { "chosen by the chip",
      COUNTED("\n#ifdef VECTOR_AVAIL_SCALED_PTR64\n  Input<Vector<int, VectorLayout::SCALED_PTR64, 8>>\n#else\n"
              "  Input<Vector<int, VectorLayout::ONE_PTR, 8>>\n#endif\n"),
      SUM("#if __IPU_ARCH_VERSION__ == 1\n" LDZ16("m0", "4") "  shl $m0, $m0, 3\n#else\n" LD32(
          "m0", "2") "#endif\n" LD32("m1", "1")),
      BOTH, 1, true },
    { "SPAN of SPAN", FIELD("Vector<Input<Vector<int>>>"),
      ROWS(LD32("m4", "1") LD32("m5", "2"), "  ld32step $m0, $mzero, $m4+=, 1\n  ld32step $m1, $mzero, $m4+=, 1\n"),
      BOTH, 2, false },
    { "SPAN of SHORT_SPAN", FIELD("Vector<Input<Vector<int, VectorLayout::SHORT_SPAN>>>"),
      ROWS(LD32("m4", "1") LD32("m5", "2"),
           "  ld32step $m0, $mzero, $m4+=, 1\n  shr $m1, $m0, 21\n  shl $m0, $m0, 12\n  shr $m0, $m0, 12\n"),
      BOTH, 2, false },
    { "SHORT_SPAN of SPAN", FIELD("Vector<Input<Vector<int>>, VectorLayout::SHORT_SPAN>"),
      ROWS(LD32("m4", "1") "  shr $m5, $m4, 21\n  shl $m4, $m4, 12\n  shr $m4, $m4, 12\n",
           "  ld32step $m0, $mzero, $m4+=, 1\n  ld32step $m1, $mzero, $m4+=, 1\n"),
      BOTH, 2, false },
    { "DELTANELEMENTS", FIELD("Input<VectorList<int, VectorListLayout::DELTANELEMENTS>>"),
      ROWS(LD32("m6", "1") LD32("m4", "2") "  shr $m5, $m6, 24\n  shr $m0, $m4, 24\n  shl $m0, $m0, 8\n"
                                           "  or $m5, $m5, $m0\n  shl $m6, $m6, 11\n  shr $m6, $m6, 11\n"
                                           "  shl $m4, $m4, 11\n  shr $m4, $m4, 11\n",
           "  ld32step $m0, $mzero, $m4+=, 1\n  shr $m1, $m0, 19\n  shl $m0, $m0, 13\n  shr $m0, $m0, 11\n"
           "  add $m0, $m0, $m6\n"),
      BOTH, 2, false },
    { "DELTAN", FIELD("Input<VectorList<int, VectorListLayout::DELTAN>>"),
      ROWS(LD32("m6", "1") "  shr $m5, $m6, 20\n  shl $m6, $m6, 12\n  shr $m6, $m6, 12\n" LDZ16(
               "m4", "4") "  shl $m4, $m4, 2\n  setzi $m3, 0x40000\n  add $m4, $m4, $m3\n",
           "  ld32step $m0, $mzero, $m4+=, 1\n  shr $m1, $m0, 18\n  shl $m0, $m0, 14\n  shr $m0, $m0, 14\n"
           "  add $m0, $m0, $m6\n"),
      MK1, 2, false },
    { "single elements", FIELD("Vector<Input<int>>"),
      ROWS(LD32("m4", "1") LD32("m5", "2"), "  ld32step $m0, $mzero, $m4+=, 1\n  setzi $m1, 1\n"), BOTH, 0, false },
    /* as PopLibs reads them: word >> 20, and word 0 with the high byte of the number of rows */
    { "SHORT_SPAN of PopLibs", FIELD("Input<Vector<int, VectorLayout::SHORT_SPAN>>"),
      SUM(LD32("m0", "1") "  shr $m1, $m0, 20\n  shl $m0, $m0, 12\n  shr $m0, $m0, 12\n"), BOTH | POPLIBS, 1,
      false },
    { "SPAN of SHORT_SPAN of PopLibs", FIELD("Vector<Input<Vector<int, VectorLayout::SHORT_SPAN>>>"),
      ROWS(LD32("m4", "1") LD32("m5", "2"),
           "  ld32step $m0, $mzero, $m4+=, 1\n  shr $m1, $m0, 20\n  shl $m0, $m0, 12\n  shr $m0, $m0, 12\n"),
      BOTH | POPLIBS, 2, false },
    { "DELTANELEMENTS of PopLibs", FIELD("Input<VectorList<int, VectorListLayout::DELTANELEMENTS>>"),
      ROWS(LD32("m6", "1") LD32("m4", "2") "  shr $m5, $m4, 24\n  shr $m0, $m6, 24\n  shl $m0, $m0, 8\n"
                                           "  or $m5, $m5, $m0\n  shl $m6, $m6, 11\n  shr $m6, $m6, 11\n"
                                           "  shl $m4, $m4, 11\n  shr $m4, $m4, 11\n",
           "  ld32step $m0, $mzero, $m4+=, 1\n  shr $m1, $m0, 19\n  shl $m0, $m0, 13\n  shr $m0, $m0, 11\n"
           "  add $m0, $m0, $m6\n"),
      BOTH | POPLIBS, 2, false },
    /* COMPACT_PTR of any alignment as of 8: 32 bits on Mk2, so that what stands behind moves; the tables too */
    { "COMPACT_PTR of 16 of PopLibs",
      HEAD "Input<Vector<int, VectorLayout::COMPACT_PTR, 16>> data; unsigned short count; };\n",
      SUM("#if __IPU_ARCH_VERSION__ == 1\n" LDZ16("m0", "2") "  shl $m0, $m0, 3\n" LDZ16("m1", "3") "#else\n" LD32(
          "m0", "1") LDZ16("m1", "4") "#endif\n"),
      BOTH | POPLIBS, 1, true },
    { "COMPACT_PTR of COMPACT_PTR of 16 of PopLibs",
      HEAD "Vector<Input<Vector<int, VectorLayout::COMPACT_PTR, 16, true>>, VectorLayout::COMPACT_PTR, 4> data;\n"
           "char rows; };\n",
      ROWS("#if __IPU_ARCH_VERSION__ == 1\n" LDZ16(
               "m4", "2") "  shl $m4, $m4, 2\n  setzi $m3, 0x40000\n  add $m4, $m4, $m3\n"
                          "  ldz8 $m5, $mvertex_base, $mzero, 6\n#else\n" LD32(
                              "m4", "1") "  ldz8 $m5, $mvertex_base, $mzero, 8\n#endif\n",
           "#if __IPU_ARCH_VERSION__ == 1\n  ldz16step $m0, $mzero, $m4+=, 1\n  shl $m0, $m0, 3\n#else\n"
           "  ld32step $m0, $mzero, $m4+=, 1\n#endif\n  setzi $m1, 4\n"),
      BOTH | POPLIBS, 3, false },
};

enum { ROW_COUNT = 5, ELEMENTS = 60 };

/* Rows of different lengths, an empty one among them, from different parts of a variable that is on two tiles. */
static const struct {
    unsigned begin, end;
} rows[ROW_COUNT] = { { 40, 44 }, { 0, 7 }, { 20, 20 }, { 24, 25 }, { 28, 37 } };

static int connect_rows(tw_graph *g, tw_vertex v, tw_tensor x, int rank)
{
    int sum = 0;
    if (rank == 0) {
        tw_graph_connect(g, v, "data", tw_tensor_slice(g, x, 0, 8, 19));
        for (int i = 8; i < 19; i++) sum += 1000 + i * i;
    }
    if (rank >= 2) tw_graph_set_field_size(g, v, "data", ROW_COUNT);
    if (rank == 3) tw_graph_set_field_int(g, v, "rows", ROW_COUNT);
    for (unsigned r = 0; r < ROW_COUNT && rank >= 2; r++) {
        unsigned begin = rank == 3 ? 8 * r : rows[r].begin, end = rank == 3 ? begin + 4 : rows[r].end;
        g_autofree char *field = g_strdup_printf("data[%u]", r);
        tw_graph_connect(g, v, field, tw_tensor_slice(g, x, 0, begin, end));
        for (unsigned i = begin; i < end; i++) sum += 1000 + (int)(i * i);
    }
    return sum;
}

/* The class with a compute() in the place of what calls it external. */
static void add_compiled(tw_graph *g, size_t row)
{
    static const char external[] = "static const bool isExternalCodelet = true;";
    static const char *const sums[] = { "for (unsigned i = 0; i < data.size(); i++) s += *data[i];",
                                        "for (unsigned i = 0; i < data.size(); i++) s += data[i];",
                                        ("for (unsigned r = 0; r < data.size(); r++)\n"
                                         "for (unsigned i = 0; i < data[r].size(); i++) s += data[r][i];") };
    const char *body =
        layouts[row].counted ? "for (unsigned i = 0; i < count; i++) s += data[i];" : sums[layouts[row].rank];
    const char *at = strstr(layouts[row].classes, external);
    assert_non_null(at);
    g_autofree char *text =
        g_strdup_printf("%.*sbool compute() { int s = 0; %s *sum = s; return true; }%s",
                        (int)(at - layouts[row].classes), layouts[row].classes, body, at + strlen(external));
    add_file(g, "compiled.cpp", text);
}

static void add_assembled(tw_graph *g, size_t row)
{
    g_autofree char *code = g_strconcat(WORKER("Sum", STACK("Sum", "0"), "/**/"), "  nop\n", NULL), *text;
    char **parts = g_strsplit(code, "/**/", 2);
    text = g_strconcat(parts[0], layouts[row].body, parts[1], NULL);
    g_strfreev(parts);
    add_file(g, "classes.cpp", layouts[row].classes);
    add_file(g, "code.S", text);
}

static void check(size_t row, tw_chip chip, bool simulator, bool compiled)
{
    tw_device *device = tile_device(simulator, chip);
    tw_graph *g = tw_graph_new(tw_device_target(device));
    (compiled ? add_compiled : add_assembled)(g, row);
    int values[ELEMENTS], want[3], got[3] = { 0 };
    for (int i = 0; i < ELEMENTS; i++) values[i] = 1000 + i * i;
    tw_tensor x = tw_graph_add_constant(g, TW_INT, SHAPE(ELEMENTS), values, false, "x"),
              sums = tw_graph_add_variable(g, TW_INT, SHAPE(3), "sums");
    tw_graph_map_range(g, x, 0, 32, 1),
        tw_graph_map_range(g, x, 32, ELEMENTS - 32, 0); /* rows come from elsewhere too */
    tw_graph_map(g, sums, 1);
    tw_graph_create_host_access(g, "sums", sums);
    tw_compute_set cs = tw_graph_add_compute_set(g, "sum");
    for (unsigned n = 0; n < 3; n++) { /* three of a type: their states and tables lie side by side */
        tw_vertex v = tw_graph_add_vertex(g, cs, "Sum", 1);
        tw_graph_connect(g, v, "sum", tw_tensor_index(g, sums, n));
        want[n] = connect_rows(g, v, x, layouts[row].rank);
        if (layouts[row].rank == 1) {
            tw_graph_connect(g, v, "data", tw_tensor_slice(g, x, 0, 16 * n, 16 * n + 5 * n + 3));
            for (unsigned i = 16 * n; i < 16 * n + 5 * n + 3; i++) want[n] += values[i];
            if (layouts[row].counted) tw_graph_set_field_int(g, v, "count", 5 * n + 3);
        }
    }
    static const char *const poplibs[] = { "simulator.popLibsLayouts=true", NULL };
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), layouts[row].chips & POPLIBS ? poplibs : NULL);
    if (tw_engine_load(e, device) != TW_OK) fail_msg("%s: %s", layouts[row].name, tw_error_message());
    if (tw_engine_run(e, 0) != TW_OK) fail_msg("%s: %s", layouts[row].name, tw_error_message());
    test_ok(tw_engine_read(e, "sums", got, sizeof got));
    for (int n = 0; n < 3; n++)
        if (got[n] != want[n]) fail_msg("%s, vertex %d: %d, not %d", layouts[row].name, n, got[n], want[n]);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

static void every_layout(void **state)
{
    (void)state;
    for (size_t row = 0; row < G_N_ELEMENTS(layouts); row++)
        for (int simulator = 0; simulator < 2; simulator++) {
            if (layouts[row].chips & MK1) check(row, TW_MK1, simulator, false);
            if (layouts[row].chips & MK2) check(row, TW_MK2, simulator, false);
        }
}

/* The same classes in C++: what <poplar/VectorTypes.hpp> reads is what load wrote, beside PopLibs' assembly too. */
static void every_layout_compiled(void **state)
{
    (void)state;
    for (size_t row = 0; row < G_N_ELEMENTS(layouts); row++) {
        if (layouts[row].rank > 2) continue; /* its rows have no size that C++ could ask for */
        if (layouts[row].chips & MK1) check(row, TW_MK1, true, true);
        if (layouts[row].chips & MK2) check(row, TW_MK2, true, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_layout), cmocka_unit_test(every_layout_compiled) };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
