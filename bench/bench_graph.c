/* SPDX-License-Identifier: MIT */
/* Building and checking large graphs: time, and resident memory for each vertex. Limits are those of the project:
 * a million vertices with two edges each build and lower in 3 s and 400 bytes a vertex, of which the graph may take
 * half; a transposed 4096 x 4096 tensor stays one region; a million temporaries leave memory flat. */
#include "../tests/poplar/graph/fake_codelets.h"
#include "poplar/graph/graph.h"
#include "rows.h"

#include <malloc.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Resident bytes of this process. */
static double resident(void)
{
    long pages = 0, ignored;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &ignored, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static bool missed;

static void report(const char *what, double value, const char *unit, double limit)
{
    missed |= !bench_row(what, value, unit, BENCH_AT_MOST, limit);
    printf("%-52s %10.3f %-10s limit %8.3f  ratio %.2f  %s\n", what, value, unit, limit, value / limit,
           value <= limit ? "ok" : "OVER");
}

static tw_graph *new_graph(void)
{
    tw_target *target = tw_target_new_ipu_model(NULL);
    tw_graph *g = tw_graph_new(target);
    tw_target_free(target);
    return g;
}

static void vertices(void)
{
    enum { N = 1000000, EACH = 8 };
    double start_memory = resident(), start = now();
    tw_graph *g = new_graph();
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ (size_t)N * EACH }, "x");
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ (size_t)N * EACH }, "y");
    tw_graph_map_linearly(g, x);
    tw_graph_map_linearly(g, y);
    tw_compute_set cs = tw_graph_add_compute_set(g, "copy");
    for (unsigned i = 0; i < N; i++) {
        tw_graph_push_scope(g);
        tw_vertex v = tw_graph_add_vertex(g, cs, "Copy<float>", i % 1472);
        tw_graph_connect(g, v, "in", tw_tensor_slice(g, x, 0, (size_t)i * EACH, (size_t)(i + 1) * EACH));
        tw_graph_connect(g, v, "out", tw_tensor_slice(g, y, 0, (size_t)i * EACH, (size_t)(i + 1) * EACH));
        tw_graph_pop_scope(g);
    }
    tw_program p = tw_program_execute(g, cs);
    double built = now(), built_memory = resident();
    tw_status status = tw__graph_check(tw__graph_core(g), &p.id, 1);
    double checked = now();
    if (status != TW_OK || tw_graph_status(g) != TW_OK) printf("failed: %s\n", tw_error_message());
    report("10^6 vertices, 2 edges: build", built - start, "s", 1.0);
    report("10^6 vertices, 2 edges: check", checked - built, "s", 0.5);
    report("10^6 vertices, 2 edges: memory", (built_memory - start_memory) / N, "B/vertex", 250);
    report("10^6 vertices, 2 edges: memory after check", (resident() - start_memory) / N, "B/vertex", 250);
    tw_graph_free(g);
    malloc_trim(0);
}

static void transposed(void)
{
    tw_graph *g = new_graph();
    double start = now();
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4096, 4096 }, "x");
    tw_tensor y = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4096, 4096 }, "y");
    tw_graph_map_linearly(g, x);
    tw_graph_map_linearly(g, y);
    tw_tensor t = tw_tensor_transpose(g, x);
    tw_program p = tw_program_copy(g, t, y);
    tw_status status = tw__graph_check(tw__graph_core(g), &p.id, 1);
    report("transposed 4096^2 over 1,472 tiles: copy, check", now() - start, "s", 0.1);
    report("regions of the transposed tensor", tw__tensor_get(tw__graph_core(g), t)->regions->n, "", 1);
    start = now();
    size_t n = tw_graph_get_mapping(g, t, NULL, 0);
    report("mapping query of the transposed tensor", now() - start, "s", 1.0);
    printf("%-52s %10zu\n", "  intervals", n);
    if (status != TW_OK) printf("failed: %s\n", tw_error_message());
    start = now();
    tw_tensor z = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 4096, 4096 }, "z");
    tw_graph_map_linearly(g, tw_tensor_transpose(g, z));
    n = tw_graph_get_mapping(g, z, NULL, 0);
    report("mapping by columns, and query", now() - start, "s", 2.0);
    printf("%-52s %10zu\n", "  intervals", n);
    tw_graph_free(g);
    malloc_trim(0);
}

static void temporaries(void)
{
    enum { N = 1000000 };
    tw_graph *g = new_graph();
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 1472, 512 }, "x");
    double memory = 0, start = now();
    for (unsigned i = 0; i < N; i++) {
        tw_graph_push_scope(g);
        tw_tensor a = tw_tensor_slice(g, x, 0, i % 1000, i % 1000 + 8),
                  b = tw_tensor_slice(g, x, 0, i % 999 + 10, i % 999 + 12);
        tw_tensor_concat(g, 2, (tw_tensor[]){ a, b }, 0);
        tw_graph_pop_scope(g);
        if (i == 1000) memory = resident();
    }
    report("10^6 rounds of 2 slices, 1 concat: time", (now() - start) * 1e9 / N, "ns/round", 1000);
    report("10^6 rounds of 2 slices, 1 concat: memory growth", (resident() - memory) / 1024, "KiB", 64);
    start = now();
    double before = resident();
    for (unsigned i = 0; i < N; i++) tw_tensor_slice(g, x, 0, i % 1000, i % 1000 + 8);
    report("10^6 slices that are kept: time", (now() - start) * 1e9 / N, "ns", 100);
    report("10^6 slices that are kept: memory", (resident() - before) / N, "B", 110);
    if (tw_graph_status(g) != TW_OK) printf("failed: %s\n", tw_error_message());
    tw_graph_free(g);
}

int main(void)
{
    vertices();
    transposed();
    temporaries();
    return missed ? 1 : 0;
}
