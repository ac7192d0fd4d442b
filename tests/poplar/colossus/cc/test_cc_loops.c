/* SPDX-License-Identifier: MIT */
/* Loops of vertices, compiled: bundles of one round against what the two pipelines need at least, and results against
 * the same C code here, for all short lengths. A figure that gets better is to be written down here as well. */
#include "program_test.h"

typedef struct vertex { /* as the tile has it: 32-bit pointers */
    uint32_t a, b, c, n;
    float k;
    int32_t step;
} vertex;

enum { A = 0x82000, B = 0x83000, C = 0x84000, WORDS = 64, STATE = 0x81000, LONGEST = 20 };

#define HEAD                                                                                                       \
    "void *__builtin_colossus_get_vertex_base(void);\n"                                                            \
    "typedef struct s { const float *a, *b; float *c; unsigned n; float k; int step; } s;\n"                       \
    "#define ENTRY(name) static inline void name##_(const float *a, const float *b, float *c, unsigned n, "        \
    "float k, int step);\\\n"                                                                                      \
    "__attribute__((used, annotate(\"tw-context worker\"))) int name(void) {\\\n"                                  \
    "s *v = __builtin_colossus_get_vertex_base(); name##_(v->a, v->b, v->c, v->n, v->k, v->step); return 1; }\\\n" \
    "static inline void name##_(const float *a, const float *b, float *c, unsigned n, float k, int step)\n"        \
    "typedef unsigned uint; typedef unsigned char uchar; typedef unsigned short ushort;\n"

typedef unsigned uint;
typedef unsigned char uchar;
typedef unsigned short ushort;

/* LOOP(name, bundles of a round, code): the code is compiled here and, as text, for the tile. In `two_steps`,
 * `stretched` and `two_ends` the sum beside a load reads what the load overwrites: the bundler, which has a turn to
 * spare, has to keep the two together. */
#define LOOPS(LOOP)                                                                                            \
    LOOP(copy, 2, for (uint i = 0; i < n; i++) c[i] = a[i];)                                                   \
    LOOP(fill, 1, for (uint i = 0; i < n; i++) c[i] = k;)                                                      \
    LOOP(add, 3, for (uint i = 0; i < n; i++) c[i] = a[i] + b[i];)                                             \
    LOOP(add_3, 3, for (uint i = 0; i < n; i++) c[i] = (a[i] + b[i]) * k + k;)                                 \
    LOOP(scale, 2, for (uint i = 0; i < n; i++) c[i] *= k;)                                                    \
    LOOP(axpy, 3, for (uint i = 0; i < n; i++) c[i] += k * a[i];)                                              \
    LOOP(dot, 2, float x = 0; for (uint i = 0; i < n; i++) x += a[i] * b[i]; c[0] = x;)                        \
    LOOP(sum, 1, float x = 0; for (uint i = 0; i < n; i++) x += a[i]; c[0] = x;)                               \
    LOOP(squares, 2, for (uint i = 0; i < n; i++) c[i] = a[i] * a[i] + k;)                                     \
    LOOP(polynomial, 6, for (uint i = 0; i < n; i++) c[i] = ((a[i] * k + b[i]) * a[i] + k) * a[i] + b[i];)     \
    LOOP(pairs, 3, for (uint i = 0; i < n; i++) c[i] = a[2 * i] - a[2 * i + 1];)                               \
    LOOP(bytes, 2, uint x = 0; const uchar *p = (const uchar *)a; for (uint i = 0; i < n; i++) x += p[i];      \
         *(uint *)c = x;)                                                                                      \
    LOOP(words, 4, const uint *p = (const uint *)a; const uint *q = (const uint *)b; uint *r = (uint *)c;      \
         for (uint i = 0; i < n; i++) r[i] = p[i] ^ q[i];)                                                     \
    LOOP(greatest, 2, int x = 0; const int *p = (const int *)a;                                                \
         for (uint i = 0; i < n; i++) x = p[i] > x ? p[i] : x; *(int *)c = x;)                                 \
    LOOP(differences, 3, for (uint i = 0; i < n; i++) c[i] = a[i + 1] - a[i];)                                 \
    LOOP(recurrence, 6, static float g[128]; for (uint i = 0; i < 64; i++) g[i] = k; float *from = g + n / 4;  \
         float *to = g + n / 4 + step; for (uint i = 0; i < n; i++) to[i] = from[i] + a[i], c[i] = to[i];)     \
    LOOP(                                                                                                      \
        inverse, 3, uint m = n & 7; for (uint i = 0, at = 0; i < m; i++, at += m) {                            \
            float d = k / a[at + i];                                                                           \
            c[at + i] = d;                                                                                     \
            for (uint j = 0, to = 0; j < i; j++, to += m) {                                                    \
                float x = 0;                                                                                   \
                for (uint l = j, from = j * m; l < i; l++, from += m) x += a[from + i] * c[to + l];            \
                c[to + i] = -d * x;                                                                            \
            }                                                                                                  \
        })                                                                                                     \
    LOOP(two_steps, 3, float x = 0; for (uint i = 0, at = 0; i < n; i++, at += (uint)step) x += b[i] + a[at];  \
         c[0] = x;)                                                                                            \
    LOOP(stretched, 3, float x = 0; for (uint i = 0; i < n; i++) x += a[i + 1] - a[(uint)step * i]; c[0] = x;) \
    LOOP(two_ends, 3, for (uint i = 0, at = 0; i < n; i++, at += 3) c[i] = k + (b[3 * i] + b[at]);)            \
    LOOP(backwards, 2, for (uint i = 0; i < n; i++) c[n - 1 - i] = a[i];)

#define HERE(name, bundles, ...)                                                                 \
    static void here_##name(const float *a, const float *b, float *c, uint n, float k, int step) \
    {                                                                                            \
        (void)a, (void)b, (void)c, (void)n, (void)k, (void)step;                                 \
        __VA_ARGS__                                                                              \
    }
LOOPS(HERE)
#define TEXT(name, bundles, ...) "ENTRY(" #name ") { " #__VA_ARGS__ " }\n"
#define ROW(name, bundles, ...)  { #name, bundles, here_##name },
static const struct {
    const char *name;
    unsigned bundles;
    void (*here)(const float *a, const float *b, float *c, uint n, float k, int step);
} rows[] = { LOOPS(ROW) };
static const char source[] = HEAD LOOPS(TEXT);

/* --- bundles ---------------------------------------------------------------------------------------------------- */

/* Lines of the function from its last rpt on: the body. Bundles, and of them those with work for either pipeline. */
static unsigned count_body(const char *assembly, const char *name, unsigned work[2])
{
    g_autofree char *label = g_strdup_printf("\n%s:\n", name), *end = g_strdup_printf("\t.size %s,", name);
    const char *from = strstr(assembly, label);
    assert_non_null(from);
    const char *to = strstr(from, end), *rpt = NULL;
    for (const char *at = from; (at = strstr(at, "\trpt ")) && at < to; at++) rpt = at;
    if (!rpt) return 0;
    const char *line = strchr(strchr(rpt, '\n') + 1, '\n') + 1; /* behind rpt and the label of the body */
    unsigned bundles = 0;
    work[0] = work[1] = 0;
    for (; *line != '.'; line = strchr(line, '\n') + 1) {
        if (line[1] != '{') continue; /* .loc */
        bundles++;
        const char *half = strstr(line, " ; ");
        work[0] += strncmp(line, "\t{ setzi $m14,", 14) != 0;
        work[1] += strncmp(half, " ; setzi $a13,", 14) != 0;
    }
    return bundles;
}

static char *compile_all(void)
{
    g_autoptr(GString) problems = g_string_new(NULL);
    static const char *const args[] = { "-O2", NULL };
    char *assembly = program_compile("loops.c", source, TW__CC_C, args, problems);
    if (!assembly) fail_msg("%s", problems->str);
    return assembly;
}

static void bundles_of_a_round(void **state)
{
    (void)state;
    g_autofree char *assembly = compile_all();
    unsigned wrong = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        unsigned work[2] = { 0 }, bundles = count_body(assembly, rows[i].name, work), least = MAX(work[0], work[1]);
        print_message("%-12s %u bundles, at least %u (main %u, aux %u)\n", rows[i].name, bundles, least, work[0],
                      work[1]);
        bool good = bundles == rows[i].bundles && bundles && 4 * bundles <= 5 * least + 3;
        if (!good) print_message("  expected %u\n", rows[i].bundles), wrong++;
    }
    if (wrong) fail_msg("%u loops are not as they were", wrong);
}

/* --- results ---------------------------------------------------------------------------------------------------- */

static float value_at(unsigned array, unsigned i)
{
    return (float)(int)((i * 7 + array * 5) % 23) - 9.0f; /* whole numbers: sums are exact in any order */
}

static void run_row(tw_sim *sim, uint32_t entry, size_t row, unsigned n)
{
    float here[3][WORDS], there[WORDS];
    for (unsigned array = 0; array < 3; array++)
        for (unsigned i = 0; i < WORDS; i++) here[array][i] = value_at(array, i);
    static const uint32_t places[] = { A, B, C };
    for (unsigned array = 0; array < 3; array++) tw_sim_write(sim, places[array], here[array], sizeof here[0]);
    vertex s = { A, B, C, n, 3.0f, 2 };
    tw_sim_write(sim, STATE, &s, sizeof s);
    tw_sim_launch launch = { .entry = entry, .vertex_base = STATE, .worker_base = 0xd0000 };
    assert_int_equal(tw_sim_start(sim, 0, &launch), TW_OK);
    if (tw_sim_run(sim, 100000) != TW_SIM_DONE)
        fail_msg("%s of %u: %s", rows[row].name, n,
                 tw_sim_get_exception(sim) ? tw_sim_get_exception(sim)->message : "does not end");
    rows[row].here(here[0], here[1], here[2], n, s.k, s.step);
    tw_sim_read(sim, C, there, sizeof there);
    for (unsigned i = 0; i < WORDS; i++)
        if (memcmp(&there[i], &here[2][i], 4) != 0)
            fail_msg("%s of %u: element %u is %g, not %g", rows[row].name, n, i, (double)there[i],
                     (double)here[2][i]);
}

static void results(void **state)
{
    (void)state;
    g_autofree char *assembly = compile_all();
    g_autoptr(GString) problems = g_string_new(NULL);
    tw_object *object = program_assemble(assembly, "loops.s", problems);
    if (!object) fail_msg("%s", problems->str);
    const tw_object *objects[] = { object };
    tw_object *image = tw_link(objects, 1, NULL, NULL);
    if (!image) fail_msg("%s", tw_error_message());
    tw_sim *sim = tw_sim_new(NULL);
    assert_int_equal(tw_sim_load(sim, image), TW_OK);
    for (size_t row = 0; row < G_N_ELEMENTS(rows); row++)
        for (unsigned n = 0; n <= LONGEST; n++)
            run_row(sim, image->symbols[tw_object_find_symbol(image, rows[row].name)].value, row, n);
    tw_sim_free(sim);
    tw_object_free(image);
    tw_object_free(object);
}

/* More rounds than the counter of rpt holds, and just as many. */
static void many_rounds(void **state)
{
    (void)state;
    static const uint32_t lengths[] = { 65534, 65535, 65536, 65537, 131070, 131071, 140000 };
    g_autofree char *assembly = compile_all();
    g_autoptr(GString) problems = g_string_new(NULL);
    tw_object *object = program_assemble(assembly, "loops.s", problems);
    if (!object) fail_msg("%s", problems->str);
    const tw_object *objects[] = { object };
    tw_object *image = tw_link(objects, 1, NULL, NULL);
    tw_sim *sim = tw_sim_new(NULL);
    assert_int_equal(tw_sim_load(sim, image), TW_OK);
    enum { MOST = 140000, SUM = 0xc0000 };
    g_autofree uint8_t *bytes = g_malloc(MOST);
    for (uint32_t i = 0; i < MOST; i++) bytes[i] = (uint8_t)(i * 31 + i / 251);
    assert_int_equal(tw_sim_write(sim, A, bytes, MOST), TW_OK);
    for (size_t k = 0; k < G_N_ELEMENTS(lengths); k++) {
        uint32_t sum = 0, there = 0;
        for (uint32_t i = 0; i < lengths[k]; i++) sum += bytes[i];
        vertex s = { A, B, SUM, lengths[k], 0, 0 };
        tw_sim_write(sim, STATE, &s, sizeof s);
        tw_sim_launch launch = { .entry = image->symbols[tw_object_find_symbol(image, "bytes")].value,
                                 .vertex_base = STATE,
                                 .worker_base = 0xd0000 };
        assert_int_equal(tw_sim_start(sim, 0, &launch), TW_OK);
        assert_int_equal(tw_sim_run(sim, 1000000), TW_SIM_DONE);
        tw_sim_read(sim, SUM, &there, 4);
        if (there != sum) fail_msg("%u bytes: 0x%x, not 0x%x", lengths[k], there, sum);
    }
    tw_sim_free(sim);
    tw_object_free(image);
    tw_object_free(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundles_of_a_round),
        cmocka_unit_test(results),
        cmocka_unit_test(many_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
