/* SPDX-License-Identifier: MIT */
/* Codelets: how long a graph waits for one C++ file of 20 lines. Limits: 400 ms for a file never seen before, 5 ms
 * for one in the cache. Each cold run has a source of its own; the very first also makes the precompiled header. */
#include "poplar/codelet/codelet.h"
#include "rows.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>

enum { RUNS = 7 };

static const char text[] = "// %d\n"
                           "#include <poplar/Vertex.hpp>\n"
                           "#include <cmath>\n"
                           "using namespace poplar;\n"
                           "\n"
                           "template <typename T> class Softplus : public Vertex {\n"
                           "public:\n"
                           "    Input<Vector<T, VectorLayout::SPAN, 8>> in;\n"
                           "    Output<Vector<T, VectorLayout::ONE_PTR, 8>> out;\n"
                           "    const float scale;\n"
                           "\n"
                           "    bool compute() {\n"
                           "        for (unsigned i = 0; i < in.size(); ++i)\n"
                           "            out[i] = std::log1p(std::exp(float(in[i]))) * scale;\n"
                           "        return true;\n"
                           "    }\n"
                           "};\n"
                           "\n"
                           "template class Softplus<float>;\n"
                           "template class Softplus<half>;\n";

static double load(const char *path, bool entry)
{
    gint64 start = g_get_monotonic_time();
    tw__codelets *set = tw__codelets_new(TW__HALF_FLOAT);
    if (tw__codelets_add_file(set, path, TW__CODELET_AUTO, NULL, NULL) != TW_OK) {
        fprintf(stderr, "%s\n", tw_error_message());
        exit(1);
    }
    if (entry && !tw__codelets_entry(set, tw__codelets_find(set, "Softplus<float>"))) exit(1);
    double seconds = (double)(g_get_monotonic_time() - start) * 1e-6;
    tw__codelets_free(set);
    return seconds;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool missed;

static void print(const char *what, double *seconds, size_t count, double limit)
{
    qsort(seconds, count, sizeof *seconds, compare);
    double median = seconds[count / 2];
    missed |= !bench_row(what, median * 1e3, "ms", limit > 0 ? BENCH_AT_MOST : BENCH_NO_LIMIT, limit * 1e3);
    printf("%-34s %9.2f ms %9.2f .. %.2f ms", what, median * 1e3, seconds[0] * 1e3, seconds[count - 1] * 1e3);
    if (limit > 0)
        printf("   limit %.0f ms, ratio %.3f  %s\n", limit * 1e3, median / limit, median <= limit ? "ok" : "OVER");
    else
        printf("\n");
}

static void write_source(const char *path, int number)
{
    g_autofree char *source = g_strdup_printf(text, number);
    g_file_set_contents(path, source, -1, NULL);
}

int main(void)
{
    char folder[] = "/tmp/tilewright-bench-XXXXXX";
    if (!g_mkdtemp(folder)) return 1;
    g_setenv("XDG_CACHE_HOME", folder, TRUE);
    g_autofree char *path = g_build_filename(folder, "softplus.cpp", NULL);
    double first, cold[RUNS], cached[RUNS * 3];
    write_source(path, -1);
    first = load(path, true);
    for (int i = 0; i < RUNS; i++) {
        write_source(path, i);
        cold[i] = load(path, true);
        for (int k = 0; k < 3; k++) cached[i * 3 + k] = load(path, true);
    }
    printf("%-34s %12s %23s\n", "one C++ file, 20 lines", "median", "lowest .. highest");
    print("empty cache, first file ever", &first, 1, 0);
    print("cold: new file", cold, RUNS, 0.4);
    print("cached", cached, RUNS * 3, 0.005);
    g_autofree char *command = g_strdup_printf("rm -r '%s'", folder);
    return system(command) == 0 && !missed ? 0 : 1;
}
