/* SPDX-License-Identifier: MIT */
/* Functions that vertices in assembly call by the ABI of guide 10.3 and 10.4: where arguments and results lie, what a
 * function keeps, frames; recursion and calls through pointers (2.8.1). Each vertex gets eight words and gives four,
 * which a function of the host works out again; the stack of its tile is what its functions state. */
#include "tiles_test.h"

enum { WORDS_IN = 8, WORDS_OUT = 4, ROUNDS = 20, SCRATCH = 48, WORKERS = 6 };

#define FN(name, stack, body)                                                                               \
    ".section .text." name "\n.align 4\n.globl " name "\n.type " name ", @function\n" stack name ":\n" body \
    ".size " name ", . - " name "\n"
#define OWN(name, bytes)   "DEF_STACK_SIZE_OWN " bytes " " name "\n"
#define TOTAL(name, bytes) "DEF_STACK_USAGE " bytes " " name "\n"

/* A vertex with `frame` bytes; the pointers to its words in registers that functions keep. */
#define VERTEX(name, frame, body)                                                     \
    FN("__runCodelet_" name, OWN("__runCodelet_" name, frame),                        \
       "  add $sp, $mworker_base, -" frame "\n  ld32 $m7, $mvertex_base, $mzero, 0\n" \
       "  ld32 $m8, $mvertex_base, $mzero, 1\n  setzi $m9, 0x77777\n" body "  exitz $mzero\n")
#define IN(reg, n)  "  ld32 $" reg ", $m7, $mzero, " #n "\n"
#define OUT(reg, n) "  st32 $" reg ", $m8, $mzero, " #n "\n"
#define CALL(name)  "  call $lr, " name "\n"

/* At the end of functions: what a caller may not rely on, from $m2 and $a2 on. */
#define SPOIL                                                                                                   \
    "  setzi $m2, 0xbad2\n  setzi $m3, 0xbad3\n  setzi $m4, 0xbad4\n  setzi $m5, 0xbad5\n  setzi $m6, 0xbad6\n" \
    "  setzi $a2, 0xbad2\n  setzi $a3, 0xbad3\n  setzi $a4, 0xbad4\n  setzi $a5, 0xbad5\n"
#define RETURN SPOIL "  br $lr\n"

static float real(int word)
{
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}
static int bits(float f)
{
    int word;
    memcpy(&word, &f, sizeof word);
    return word;
}

/* --- 10.3.1: arguments ---------------------------------------------------------------------------------------- */

/* Four integers in registers, more on the stack, the earlier one lower (10.4). */
static const char six[] =
    FN("six", OWN("six", "0"),
       "  shl $m1, $m1, 1\n  add $m0, $m0, $m1\n  mul $m2, $m2, 3\n  add $m0, $m0, $m2\n  shl $m3, $m3, 2\n"
       "  add $m0, $m0, $m3\n  ld32 $m4, $sp, $mzero, 0\n  mul $m4, $m4, 5\n  add $m0, $m0, $m4\n"
       "  ld32 $m4, $sp, $mzero, 1\n  mul $m4, $m4, 6\n  add $m0, $m0, $m4\n" RETURN)
        VERTEX("Six", "16",
               IN("m0", 4) "  st32 $m0, $sp, $mzero, 0\n" IN("m0", 5) "  st32 $m0, $sp, $mzero, 1\n" IN("m0", 0)
                   IN("m1", 1) IN("m2", 2) IN("m3", 3) CALL("six") OUT("m0", 0) OUT("m9", 1));
static void host_six(const int *in, int *out)
{
    out[0] = in[0] + 2 * in[1] + 3 * in[2] + 4 * in[3] + 5 * in[4] + 6 * in[5];
    out[1] = 0x77777;
}

/* 64 bits in an aligned pair; the register that was skipped is not used again, so that the next one is on the stack;
 * 64 bits come back in a pair. */
static const char wide[] =
    FN("wide", OWN("wide", "0"),
       "  ld32 $m4, $sp, $mzero, 0\n  add $m0, $m0, $m2\n  add $m0, $m0, $m4\n  sub $m1, $m3, $m4\n" RETURN)
        VERTEX("Wide", "8",
               IN("m0", 3) "  st32 $m0, $sp, $mzero, 0\n" IN("m0", 0) "  setzi $m1, 0xbad1\n" IN("m2", 1)
                   IN("m3", 2) CALL("wide") OUT("m0", 0) OUT("m1", 1));
static void host_wide(const int *in, int *out)
{
    out[0] = in[0] + in[1] + in[3];
    out[1] = in[2] - in[3];
}

/* Floating point from $a0 to $a5, a pair aligned, integers beside them from $m0 on; the seventh on the stack. */
static const char mixed[] =
    FN("mixed", OWN("mixed", "0"),
       "  f32mul $a2, $a2, $a3\n  f32add $a0, $a0, $a2\n  f32sub $a4, $a4, $a5\n  f32add $a0, $a0, $a4\n"
       "  ld32 $a1, $sp, $mzero, 0\n  add $m0, $m0, $m1\n" RETURN)
        VERTEX("Mixed", "8",
               IN("a0", 5) "  st32 $a0, $sp, $mzero, 0\n" IN("a0", 0) "  setzi $a1, 0xbad1\n" IN("a2", 1)
                   IN("a3", 2) IN("a4", 3) IN("a5", 4) IN("m0", 6) IN("m1", 7) CALL("mixed") OUT("a0", 0)
                       OUT("a1", 1) OUT("m0", 2));
static void host_mixed(const int *in, int *out)
{
    float product = real(in[1]) * real(in[2]), difference = real(in[3]) - real(in[4]), sum = real(in[0]) + product;
    out[0] = bits(sum + difference);
    out[1] = in[5];
    out[2] = in[6] + in[7];
}

/* 128 bits in an aligned quad: first, behind it $a4; second, when only $a1 to $a5 are left, on the stack. */
static const char quads[] = FN("first", OWN("first", "0"),
                               "  f32v2add $a0:1, $a0:1, $a2:3\n  f32mul $a0, $a0, $a4\n" RETURN)
    FN("second", OWN("second", "0"),
       "  ld64 $a2:3, $sp, $mzero, 0\n  ld64 $a4:5, $sp, $mzero, 1\n"
       "  f32v2mul $a2:3, $a2:B, $a4:5\n  f32add $a0, $a0, $a2\n  mov $a1, $a3\n" RETURN)
        VERTEX(
            "Quads", "16",
            IN("a0", 0) IN("a1", 1) IN("a2", 2) IN("a3", 3) IN("a4", 4) CALL("first") OUT("a0", 0) OUT("a1", 1)
                IN("a0", 0) "  st32 $a0, $sp, $mzero, 0\n" IN("a0", 1) "  st32 $a0, $sp, $mzero, 1\n" IN(
                    "a0", 2) "  st32 $a0, $sp, $mzero, 2\n" IN("a0", 3) "  st32 $a0, $sp, $mzero, 3\n" IN("a0", 4)
                    CALL("second") OUT("a0", 2) OUT("a1", 3));
static void host_quads(const int *in, int *out)
{
    float low = real(in[0]) + real(in[2]), product = real(in[0]) * real(in[2]);
    out[0] = bits(low * real(in[4]));
    out[1] = bits(real(in[1]) + real(in[3]));
    out[2] = bits(real(in[4]) + product);
    out[3] = bits(real(in[0]) * real(in[3]));
}

/* What is behind the named parameter is on the stack, although registers are free. */
static const char variadic[] = FN(
    "sum", OWN("sum", "0"),
    "  mov $m1, $sp\n  setzi $m2, 0\n  brz $m0, 2f\n  add $m0, $m0, -1\n"
    "1: ld32step $m3, $mzero, $m1+=, 1\n  add $m2, $m2, $m3\n  brnzdec $m0, 1b\n2: mov $m0, $m2\n" RETURN)
    VERTEX(
        "Variadic", "24",
        IN("m0", 1) "  st32 $m0, $sp, $mzero, 0\n" IN("m0", 2) "  st32 $m0, $sp, $mzero, 1\n" IN(
            "m0",
            3) "  st32 $m0, $sp, $mzero, 2\n" IN("m0",
                                                 4) "  st32 $m0, $sp, $mzero, 3\n" IN("m0",
                                                                                      5) "  st32 $m0, $sp, $mzero, "
                                                                                         "4\n" IN(
                                                                                             "m0",
                                                                                             0) "  and $m0, "
                                                                                                "$m0, 3\n  "
                                                                                                "add $m0, "
                                                                                                "$m0, 1\n"
                                                                                                "  setzi $m1, "
                                                                                                "0xbad1\n  "
                                                                                                "setzi $m2, "
                                                                                                "0xbad2\n  "
                                                                                                "setzi $m3, "
                                                                                                "0xbad3"
                                                                                                "\n" CALL("sum")
                                                                                                    OUT("m0", 0));
static void host_variadic(const int *in, int *out)
{
    for (int i = 0; i <= (in[0] & 3); i++) out[0] += in[1 + i];
}

/* Types below 32 bits come and return extended to a word: a short with its sign, an unsigned char with zeros. */
static const char narrow[] =
    FN("narrow", OWN("narrow", "0"), "  add $m0, $m0, $m1\n  shl $m0, $m0, 24\n  shr $m0, $m0, 24\n" RETURN)
        FN("less", OWN("less", "0"), "  cmpslt $m0, $m0, $m1\n" RETURN)
            VERTEX("Narrow", "0",
                   "  lds16 $m0, $m7, $mzero, 0\n  ldz8 $m1, $m7, $mzero, 4\n" CALL("narrow")
                       OUT("m0", 0) "  lds16 $m0, $m7, $mzero, 0\n  ldz8 $m1, $m7, $mzero, 4\n" CALL("less")
                           OUT("m0", 1));
static void host_narrow(const int *in, int *out)
{
    short x = (short)in[0];
    unsigned char y = (unsigned char)in[1];
    out[0] = (unsigned char)(x + y);
    out[1] = x < y;
}

/* Aggregates go by pointer, to a copy in the caller's frame which the function writes over; one with a single member
 * goes as that member. */
static const char aggregates[] = FN("third", OWN("third", "0"),
                                    "  ld32 $m1, $m0, $mzero, 2\n  st32 $mzero, $m0, $mzero, 0\n  st32 $m1, $m0, "
                                    "$mzero, 1\n  mov $m0, $m1\n" RETURN) FN("member", OWN("member", "0"),
                                                                             "  f32add $a0, $a0, $a0\n" RETURN)
    VERTEX("Aggregates", "16",
           IN("m0", 0) "  st32 $m0, $sp, $mzero, 0\n" IN("m0", 1) "  st32 $m0, $sp, $mzero, 1\n" IN(
               "m0", 2) "  st32 $m0, $sp, $mzero, 2\n  mov $m0, $sp\n" CALL("third")
               OUT("m0", 0) "  ld32 $m0, $sp, $mzero, 0\n" OUT("m0", 1) "  ld32 $m0, $sp, $mzero, 1\n" OUT("m0", 2)
                   IN("a0", 3) CALL("member") OUT("a0", 3));
static void host_aggregates(const int *in, int *out)
{
    out[0] = in[2];
    out[2] = in[2];
    out[3] = bits(real(in[3]) + real(in[3]));
}

/* --- 10.3.2 to 10.3.4, 10.4 ------------------------------------------------------------------------------------ */

/* A result that is an aggregate goes where the hidden first argument says: the others begin at $m1. */
static const char results[] =
    FN("order", OWN("order", "0"),
       "  cmpslt $m3, $m2, $m1\n  brz $m3, 1f\n  mov $m3, $m1\n  mov $m1, $m2\n  mov $m2, $m3\n"
       "1: st32 $m1, $m0, $mzero, 0\n  st32 $m2, $m0, $mzero, 1\n  setzi $m0, 0xbad0\n  setzi $m1, 0xbad1\n" RETURN)
        VERTEX("Results", "8",
               "  mov $m0, $sp\n" IN("m1", 0) IN("m2", 1) CALL("order") "  ld32 $m0, $sp, $mzero, 0\n" OUT(
                   "m0", 0) "  ld32 $m0, $sp, $mzero, 1\n" OUT("m0", 1));
static void host_results(const int *in, int *out)
{
    out[0] = in[0] < in[1] ? in[0] : in[1];
    out[1] = in[0] < in[1] ? in[1] : in[0];
}

/* A function that uses what it has to keep, and calls another one: its frame has the registers, $lr and what it hands
 * on below them; $sp is a multiple of 8 at every entry and as before at every end. */
static const char keeps[] = FN(
    "inner", OWN("inner", "8"),
    "  add $sp, $sp, -8\n  st32 $a6, $sp, $mzero, 0\n  st32 $m9, $sp, $mzero, 1\n  mov $m9, $sp\n"
    "  or $a6, $azero, 0x40000000\n  f32mul $a0, $a0, $a6\n  and $m0, $m9, 7\n  ld32 $m1, $sp, $mzero, 2\n"
    "  add $m0, $m0, $m1\n  ld32 $a6, $sp, $mzero, 0\n  ld32 $m9, $sp, $mzero, 1\n  add $sp, $sp, 8\n" RETURN)
    FN("keeper", OWN("keeper", "40"),
       "  add $sp, $sp, -40\n  st32 $lr, $sp, $mzero, 2\n  st32 $m7, $sp, $mzero, 3\n  st32 $m8, $sp, $mzero, 4\n"
       "  st32 $m9, $sp, $mzero, 5\n  st32 $a6, $sp, $mzero, 6\n  st32 $a7, $sp, $mzero, 7\n"
       "  mov $m7, $m0\n  setzi $m8, 3\n  mul $m9, $m7, $m8\n  mov $a6, $a0\n  mov $a7, $a0\n"
       "  st32 $m9, $sp, $mzero, 0\n" CALL(
           "inner") "  add $m0, $m0, $m7\n  f32add $a0, $a0, $a6\n  f32add $a0, $a0, $a7\n"
                    "  ld32 $lr, $sp, $mzero, 2\n  ld32 $m7, $sp, $mzero, 3\n  ld32 $m8, $sp, $mzero, 4\n"
                    "  ld32 $m9, $sp, $mzero, 5\n  ld32 $a6, $sp, $mzero, 6\n  ld32 $a7, $sp, $mzero, 7\n"
                    "  add $sp, $sp, 40\n" RETURN)
        VERTEX("Keeps", "8",
               "  mov $m6, $sp\n  st32 $m6, $sp, $mzero, 0\n" IN("a6", 2) IN("a7", 3) IN("m0", 0) IN("a0", 1)
                   CALL("keeper") OUT("m0", 0)
                       OUT("a0", 1) "  ld32 $m0, $sp, $mzero, 0\n  sub $m0, $m0, $sp\n"
                                    "  add $m0, $m0, $m9\n" OUT("m0", 2) "  f32add $a6, $a6, $a7\n" OUT("a6", 3));
static void host_keeps(const int *in, int *out)
{
    float twice = real(in[1]) * 2, once = twice + real(in[1]);
    out[0] = (int)(4U * (unsigned)in[0]); /* wraps, as `add` and `mul` do */
    out[1] = bits(once + real(in[1]));
    out[2] = 0x77777;
    out[3] = bits(real(in[2]) + real(in[3]));
}

/* --- 2.8.1, 3.4.2 ----------------------------------------------------------------------------------------------- */

/* A recursion states its total: eight calls deep at most. */
static const char recursion[] =
    FN("triangle", TOTAL("triangle", "128"),
       "  brz $m0, 1f\n  add $sp, $sp, -16\n  st32 $lr, $sp, $mzero, 0\n  st32 $m0, $sp, $mzero, 1\n"
       "  add $m0, $m0, -1\n" CALL("triangle") "  ld32 $m1, $sp, $mzero, 1\n  add $m0, $m0, $m1\n"
                                               "  ld32 $lr, $sp, $mzero, 0\n  add $sp, $sp, 16\n1:\n" RETURN)
        VERTEX("Recursion", "0", IN("m0", 0) "  and $m0, $m0, 7\n" CALL("triangle") OUT("m0", 0));
static void host_recursion(const int *in, int *out)
{
    int n = in[0] & 7;
    out[0] = n * (n + 1) / 2;
}

/* Calls through pointers: the functions are listed, the deepest one counts. */
static const char pointers[] = FN("plus", OWN("plus", "0"), "  add $m0, $m0, $m1\n" RETURN)
    FN("times", OWN("times", "24"),
       "  mul $m0, $m0, $m1\n" RETURN) ".section .data.table\n.align 4\n"
                                       "table: .long plus, times\n"
                                       "DEF_FUNC_CALL_PTRS __runCodelet_Pointers plus,times\n" VERTEX(
                                           "Pointers", "0",
                                           "  setzi $m2, table\n" IN(
                                               "m3", 2) "  and $m3, $m3, 1\n  ld32 $m2, $m2, $m3\n" IN("m0", 0)
                                               IN("m1", 1) "  setzi $lr, 1f\n  br $m2\n1:\n" OUT("m0", 0));
static void host_pointers(const int *in, int *out)
{
    out[0] = in[2] & 1 ? (int)((unsigned)in[0] * (unsigned)in[1]) : in[0] + in[1];
}

/* --- the whole ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *code;
    void (*host)(const int *in, int *out);
    uint32_t stack; /* of a worker */
    bool real;      /* small numbers in floating point; the last two words stay integers */
} rows[] = {
    { "Six", six, host_six, 16, false },
    { "Wide", wide, host_wide, 8, false },
    { "Mixed", mixed, host_mixed, 8, true },
    { "Quads", quads, host_quads, 16, true },
    { "Variadic", variadic, host_variadic, 24, false },
    { "Narrow", narrow, host_narrow, 0, false },
    { "Aggregates", aggregates, host_aggregates, 16, true },
    { "Results", results, host_results, 8, false },
    { "Keeps", keeps, host_keeps, 8 + 40 + 8, true },
    { "Recursion", recursion, host_recursion, 128, false },
    { "Pointers", pointers, host_pointers, 24, false },
};
enum { ROWS = G_N_ELEMENTS(rows) };

static tw_graph *graph_of_rows(const tw_device *device, tw_program *program)
{
    g_autoptr(GString) classes = g_string_new("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n");
    g_autoptr(GString) code = g_string_new("#include \"poplar/StackSizeDefs.hpp\"\n.worker\n");
    tw_graph *g = tw_graph_new(tw_device_target(device));
    tw_compute_set cs = tw_graph_add_compute_set(g, "calls");
    *program = tw_program_execute(g, cs);
    for (unsigned i = 0; i < ROWS; i++) {
        g_string_append_printf(classes,
                               "class %s : public Vertex { public: Input<Vector<int, VectorLayout::ONE_PTR>> in;\n"
                               "  InOut<Vector<int, VectorLayout::ONE_PTR>> out;\n"
                               "  static const bool isExternalCodelet = true; };\n",
                               rows[i].name);
        g_string_append(code, rows[i].code);
    }
    add_file(g, "classes.cpp", classes->str);
    add_file(g, "code.S", code->str);
    tw_tensor in = tw_graph_add_variable(g, TW_INT, SHAPE(ROWS, WORDS_IN), "in"),
              out = tw_graph_add_variable(g, TW_INT, SHAPE(ROWS, WORDS_OUT), "out");
    tw_graph_map_linearly_with(g, in, WORDS_IN, WORDS_IN, 0);
    tw_graph_map_linearly_with(g, out, WORDS_OUT, WORDS_OUT, 0);
    tw_graph_create_host_access(g, "in", in), tw_graph_create_host_access(g, "out", out);
    for (unsigned i = 0; i < ROWS; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, rows[i].name, i);
        tw_graph_connect(g, v, "in", tw_tensor_index(g, in, i));
        tw_graph_connect(g, v, "out", tw_tensor_index(g, out, i));
    }
    return g;
}

static void fill(int in[ROWS][WORDS_IN], GRand *rand)
{
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned k = 0; k < WORDS_IN; k++)
            in[i][k] = rows[i].real && k < 6 ? bits((float)g_rand_double_range(rand, -8, 8))
                                             : g_rand_int_range(rand, -(1 << 24), 1 << 24);
}

static bool note_stack(void *user, const tw_placed_object *object)
{
    if (object->storage == TW_STORAGE_STACK) *(uint32_t *)user = (uint32_t)object->bytes;
    return true;
}

static void calls_of_every_kind(void **state)
{
    (void)state;
    GRand *rand = g_rand_new_with_seed(10);
    for (int simulator = 0; simulator < 2; simulator++) {
        tw_ipu_model model = { .size = sizeof model, .chip = TW_MK2, .tiles_per_ipu = ROWS };
        tw_device *device = simulator ? tw_device_ipu_sim_with(&model) : tw_device_ipu_model_with(&model);
        tw_program program;
        tw_graph *g = graph_of_rows(device, &program);
        tw_engine *e = tw_engine_new(g, program, NULL);
        test_ok(tw_engine_load(e, device));
        for (unsigned i = 0; i < ROWS; i++) {
            uint32_t stack = 0;
            test_ok(tw_engine_each_object(e, i, note_stack, &stack));
            if (stack != WORKERS * (rows[i].stack + SCRATCH)) fail_msg("%s: %u bytes", rows[i].name, stack);
        }
        for (unsigned round = 0; round < ROUNDS; round++) {
            int in[ROWS][WORDS_IN], out[ROWS][WORDS_OUT] = { 0 }, want[ROWS][WORDS_OUT] = { 0 };
            fill(in, rand);
            test_ok(tw_engine_write(e, "in", in, sizeof in));
            test_ok(tw_engine_write(e, "out", out, sizeof out));
            test_ok(tw_engine_run(e, 0));
            test_ok(tw_engine_read(e, "out", out, sizeof out));
            for (unsigned i = 0; i < ROWS; i++) {
                rows[i].host(in[i], want[i]);
                for (unsigned k = 0; k < WORDS_OUT; k++)
                    if (out[i][k] != want[i][k])
                        fail_msg("%s, word %u: 0x%x, not 0x%x", rows[i].name, k, out[i][k], want[i][k]);
            }
        }
        tw_engine_free(e);
        tw_graph_free(g);
        tw_device_free(device);
    }
    g_rand_free(rand);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(calls_of_every_kind) };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
