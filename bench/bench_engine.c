/* SPDX-License-Identifier: MIT */
/* The engine against its limits and peers. Every time is a median of interleaved runs.
 *
 *   add        1,472 tiles x 6 vertices add two tensors of 10^7 f32 on the IPU Model, against the same loop in
 *              plain OpenMP C; ratio of run times, at most 1.3. Profiling on: at most 10 % more than off; off: at
 *              most 1 % more than an engine without any account (medians of the ratios of 21 neighbouring runs)
 *   overhead   one thread, empty body, one input and one output: ns per vertex and run, at most 30
 *   build      10^6 vertices with two edges: building and lowering at most 3 s, 400 bytes a vertex of memory; 10^7 at
 *              most 5 s and 150 bytes
 *   lives      100,000 variables, each alive in at most 20 of as many steps: engine, placing and profile at most 2 s,
 *              2,000 bytes a variable
 *   transpose  a copy of a transposed 4096 x 4096 f32 tensor over 1,472 tiles: at most 1 s to build and lower
 *
 *     bench_engine [add|overhead|build|lives|transpose ...] */
#include <malloc.h>
#include <omp.h>

#include "bench.h"
#include "poplar/engine/engine.h"

static const char codelets[] = "#include <poplar/Vertex.hpp>\n"
                               "using namespace poplar;\n"
                               "class Add : public Vertex {\n"
                               "public:\n"
                               "    Input<Vector<float>> a;\n"
                               "    Input<Vector<float>> b;\n"
                               "    Output<Vector<float>> c;\n"
                               "    bool compute() {\n"
                               "        for (unsigned i = 0; i < c.size(); i++) c[i] = a[i] + b[i];\n"
                               "        return true;\n"
                               "    }\n"
                               "};\n"
                               "class Empty : public Vertex {\n"
                               "public:\n"
                               "    Input<float> in;\n"
                               "    Output<float> out;\n"
                               "    bool compute() { return true; }\n"
                               "};\n";

/* Forgets the peak of what ran before; what is resident now. */
static double peak_from_here(void)
{
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) fputs("5", f);
    if (!f || fclose(f) != 0) printf("the peak cannot be reset: figures of memory are too small\n");
    return bench_peak();
}

static bool missed;

static void report(const char *what, double value, const char *unit, double limit)
{
    missed |= !bench_row(what, value, unit, BENCH_AT_MOST, limit);
    printf("%-58s %10.3f %-9s limit %8.3f  %s\n", what, value, unit, limit, value <= limit ? "ok" : "OVER");
}

static void must(tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_message());
    exit(1);
}

static tw_graph *new_graph(tw_device **device)
{
    *device = tw_device_ipu_model(TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(*device));
    tw_graph_add_codelets_source(g, codelets, "c++", "bench.cpp", "-O3");
    return g;
}

/* --- add ------------------------------------------------------------------------------------------------------ */

static __attribute__((noinline)) void plain_add(float *c, const float *a, const float *b, size_t n)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
}

typedef enum profiling { WITHOUT, OFF, ON } profiling; /* WITHOUT: the engine has nowhere to report to */

static double time_run(tw_engine *e, profiling how)
{
    struct tw__account *account = e->account;
    tw_engine_enable_execution_profiling(e, how == ON);
    if (how == WITHOUT) e->account = NULL;
    double start = bench_now();
    must(tw_engine_run(e, 0));
    double seconds = bench_now() - start;
    e->account = account;
    return seconds;
}

static void bench_add(void)
{
    enum { N = 10000000, ROUNDS = 21 };
    tw_device *device;
    tw_graph *g = new_graph(&device);
    tw_tensor t[3];
    static const char *names[] = { "a", "b", "c" };
    unsigned tiles = tw_target_tiles(tw_graph_target(g)), parts = tiles * 6;
    for (int i = 0; i < 3; i++) {
        t[i] = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ N }, names[i]);
        tw_graph_create_host_access(g, names[i], t[i]);
    }
    tw_compute_set cs = tw_graph_add_compute_set(g, "add");
    for (unsigned i = 0; i < parts; i++) {
        size_t begin = (size_t)N * i / parts, end = (size_t)N * (i + 1) / parts;
        tw_vertex v = tw_graph_add_vertex(g, cs, "Add", i / 6);
        for (int k = 0; k < 3; k++) {
            tw_graph_map_range(g, t[k], begin, end - begin, i / 6);
            tw_graph_connect(g, v, names[k], tw_tensor_slice(g, t[k], 0, begin, end));
        }
    }
    tw_engine *e = tw_engine_new(g, tw_program_execute(g, cs), NULL);
    must(tw_engine_load(e, device));
    float *x[3];
    for (int i = 0; i < 3; i++) x[i] = aligned_alloc(64, N * sizeof(float));
    for (int i = 0; i < N; i++) x[0][i] = (float)i, x[1][i] = 0.5f, x[2][i] = 0;
    for (int i = 0; i < 2; i++) must(tw_engine_write(e, names[i], x[i], N * sizeof(float)));
    double seconds[4][ROUNDS], off_ratio[ROUNDS], on_ratio[ROUNDS], ratio[ROUNDS];
    for (int i = -2; i < ROUNDS; i++) {
        double now[4], t0 = bench_now();
        plain_add(x[2], x[0], x[1], N);
        now[3] = bench_now() - t0;
        for (int k = 0; k < 3; k++) { /* each goes first, second and last equally often */
            profiling how = (profiling)((k + i + 3) % 3);
            now[how] = time_run(e, how);
        }
        if (i < 0) continue;
        for (int k = 0; k < 4; k++) seconds[k][i] = now[k];
        ratio[i] = now[OFF] / now[3], off_ratio[i] = now[OFF] / now[WITHOUT], on_ratio[i] = now[ON] / now[OFF];
    }
    double ms[4];
    for (int k = 0; k < 4; k++) ms[k] = 1e3 * bench_median(seconds[k], ROUNDS);
    printf("add of 10^7 f32: plain OpenMP %.3f ms, engine %.3f ms, profile off %.3f ms, on %.3f ms, %d threads\n",
           ms[3], ms[WITHOUT], ms[OFF], ms[ON], omp_get_max_threads());
    report("add: engine / plain loop", bench_median(ratio, ROUNDS), "", 1.3);
    report("add: profile off / no account at all", bench_median(off_ratio, ROUNDS), "", 1.01);
    report("add: profile on / off", bench_median(on_ratio, ROUNDS), "", 1.1);
    float *c = malloc(N * sizeof(float));
    must(tw_engine_read(e, "c", c, N * sizeof(float)));
    if (memcmp(c, x[2], N * sizeof(float)) != 0) printf("WRONG RESULT\n");
    free(c);
    for (int i = 0; i < 3; i++) free(x[i]);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

/* --- overhead and build --------------------------------------------------------------------------------------- */

static tw_program many_vertices(tw_graph *g, unsigned count)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(g));
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ count }, "x");
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ count }, "y");
    tw_graph_map_linearly(g, x);
    tw_graph_map_linearly(g, y);
    tw_compute_set cs = tw_graph_add_compute_set(g, "empty");
    for (unsigned i = 0; i < count; i++) {
        tw_graph_push_scope(g);
        tw_vertex v = tw_graph_add_vertex(g, cs, "Empty", (unsigned)((uint64_t)i * tiles / count));
        tw_graph_connect(g, v, "in", tw_tensor_index(g, x, i));
        tw_graph_connect(g, v, "out", tw_tensor_index(g, y, i));
        tw_graph_pop_scope(g);
    }
    return tw_program_execute(g, cs);
}

static void bench_overhead(void)
{
    enum { N = 8832, RUNS = 200, ROUNDS = 9 };
    tw_device *device;
    tw_graph *g = new_graph(&device);
    tw_engine *e = tw_engine_new(g, many_vertices(g, N), NULL);
    must(tw_engine_load(e, device));
    tw_engine_enable_execution_profiling(e, false);
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    double t[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_now();
        for (int k = 0; k < RUNS; k++) must(tw_engine_run(e, 0));
        t[i] = (bench_now() - start) / RUNS / N * 1e9;
    }
    omp_set_num_threads(threads);
    report("overhead: 8,832 vertices, one thread", bench_median(t, ROUNDS), "ns", 30);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

/* `count` vertices with two edges; the names of the rows begin with `row`. */
static void build(unsigned count, const char *row, double seconds, double bytes, const char *overhead)
{
    tw_device *device;
    tw_graph *g = new_graph(&device);
    char name[80];
    malloc_trim(0);
    double memory = peak_from_here(), start = bench_now();
    tw_program p = many_vertices(g, count);
    double built = bench_now(), built_memory = bench_peak();
    tw_engine *e = tw_engine_new(g, p, NULL);
    double lowered = bench_now();
    must(tw_engine_load(e, device));
    printf("build %.0e vertices: graph %.3f s and %.0f B/vertex, engine %.3f s, peak %.0f B/vertex more\n",
           (double)count, built - start, (built_memory - memory) / count, lowered - built,
           (bench_peak() - built_memory) / count);
    report(row, lowered - start, "s", seconds);
    snprintf(name, sizeof name, "%s: memory", row);
    report(name, (bench_peak() - memory) / count, "B/vertex", bytes);
    tw_engine_enable_execution_profiling(e, false);
    double t[5];
    omp_set_num_threads(1);
    for (int i = 0; i < 5 && overhead; i++) {
        double t0 = bench_now();
        must(tw_engine_run(e, 0));
        t[i] = (bench_now() - t0) / count * 1e9;
    }
    omp_set_num_threads(omp_get_num_procs());
    if (overhead) report(overhead, bench_median(t, 5), "ns", 30);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
    malloc_trim(0);
}

static void bench_build(void)
{
    build(1000000, "graph and engine of 10^6 vertices", 3, 400, "overhead: 10^6 vertices, one thread");
    build(10000000, "graph and engine of 10^7 vertices", 5, 150, NULL);
}

/* --- lives ----------------------------------------------------------------------------------------------------- */

/* Each variable is written from one of the nineteen steps before it, so that it is alive in at most 20. */
static void bench_lives(void)
{
    enum { VARIABLES = 100000, EACH = 10, BACK = 19 };
    tw_device *device;
    tw_graph *g = new_graph(&device);
    tw_tensor *v = malloc(VARIABLES * sizeof *v);
    tw_program *copies = malloc(VARIABLES * sizeof *copies);
    uint32_t seed = 1;
    for (unsigned i = 0; i < VARIABLES; i++) {
        seed = seed * 1664525 + 1013904223;
        size_t elements = 1 + (seed >> 24) % 64, from = i - EACH * (1 + (seed >> 16) % BACK);
        v[i] = tw_graph_add_variable(g, TW_FLOAT, 1, &elements, "v");
        tw_graph_map(g, v[i], i % 1472);
        if (i < EACH * BACK) from = 0;
        if (i)
            copies[i - 1] = tw_program_copy(
                g, tw_tensor_broadcast(g, tw_tensor_slice(g, v[from], 0, 0, 1), (unsigned)elements, 0), v[i]);
    }
    tw_program p = tw_program_sequence_of(g, VARIABLES - 1, copies);
    double memory = peak_from_here(), start = bench_now();
    tw_engine *e = tw_engine_new(g, p, NULL);
    must(tw_engine_load(e, device));
    if (!tw_engine_profile(e)) must(TW_E_ERROR);
    report("lives: 100,000 variables and steps, engine and profile", bench_now() - start, "s", 2);
    report("lives: peak memory", (bench_peak() - memory) / VARIABLES, "B/variable", 2000);
    free(v), free(copies);
    tw_engine_free(e), tw_graph_free(g), tw_device_free(device);
    malloc_trim(0);
}

/* --- transpose ------------------------------------------------------------------------------------------------ */

static void bench_transpose(void)
{
    enum { N = 4096, ROUNDS = 9 };
    tw_device *device;
    tw_graph *g = new_graph(&device);
    double start = bench_now();
    tw_tensor a = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ N, N }, "a");
    tw_tensor b = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ N, N }, "b");
    tw_graph_map_linearly(g, a);
    tw_graph_map_linearly(g, b);
    tw_graph_create_host_access(g, "a", a);
    tw_program p = tw_program_copy(g, tw_tensor_transpose(g, a), b);
    double memory = bench_peak();
    tw_engine *e = tw_engine_new(g, p, NULL);
    double lowered = bench_now();
    must(tw_engine_load(e, device));
    tw_engine_enable_execution_profiling(e, false);
    report("transpose 4096 x 4096: build and lower", lowered - start, "s", 1);
    size_t blocks = e->plan.copies.items[0].count;
    printf("transpose: %zu blocks, %zu bytes of copy plan, peak memory %.1f MB more\n", blocks,
           blocks * sizeof(tw__block), (bench_peak() - memory) / 1e6);
    float *x = malloc((size_t)N * N * sizeof(float));
    for (int i = 0; i < N * N; i++) x[i] = (float)i;
    must(tw_engine_write(e, "a", x, (size_t)N * N * sizeof(float)));
    float *y = calloc((size_t)N * N, sizeof(float));
    double t[ROUNDS], c[ROUNDS], ratio[ROUNDS];
    for (int i = -1; i < ROUNDS; i++) {
        double t0 = bench_now();
        must(tw_engine_run(e, 0));
        double t1 = bench_now();
        memcpy(y, x, (size_t)N * N * sizeof(float));
        double t2 = bench_now();
        if (i >= 0) t[i] = t1 - t0, c[i] = t2 - t1, ratio[i] = c[i] / t[i];
    }
    double bytes = 2.0 * N * N * sizeof(float);
    printf("transpose: %.2f GB/s read and written, memcpy of the same size %.2f GB/s\n",
           bytes / bench_median(t, ROUNDS) / 1e9, bytes / bench_median(c, ROUNDS) / 1e9);
    bench_row("transpose 4096 x 4096: run / memcpy of the same size", bench_median(ratio, ROUNDS), "",
              BENCH_NO_LIMIT, 0);
    free(x);
    free(y);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(device);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } rows[] = { { "build", bench_build },
                 { "add", bench_add },
                 { "lives", bench_lives },
                 { "overhead", bench_overhead },
                 { "transpose", bench_transpose } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool wanted = argc == 1;
        for (int k = 1; k < argc; k++) wanted = wanted || strcmp(argv[k], rows[i].name) == 0;
        if (wanted) rows[i].run();
    }
    return missed ? 1 : 0;
}
