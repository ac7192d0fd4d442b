// SPDX-License-Identifier: MIT
/* <poplar/...> against the C API below it: views, sorted regions, graphs of a million vertices. Limits are those of
 * the project; the two sides of a ratio take turns in one process. */
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <poplar/Graph.hpp>
#include <sstream>
#include <tilewright/poplar.h>
#include <vector>

#include "rows.h"

using namespace poplar;

static bool missed;

/* Seconds of processor time: other programs on the machine do not count. */
static double now()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

static double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

static void limit(const char *what, double value, const char *unit, double most)
{
    std::printf("%-62s %9.3f %-6s (at most %.3f: %s)\n", what, value, unit, most, value <= most ? "met" : "MISSED");
    missed |= !bench_row(what, value, unit, BENCH_AT_MOST, most);
}

static const char codelet[] = "#include <poplar/Vertex.hpp>\n"
                              "class Pass : public poplar::Vertex {\n"
                              "public:\n"
                              "  poplar::Input<poplar::Vector<float>> in;\n"
                              "  poplar::Output<poplar::Vector<float>> out;\n"
                              "  bool compute() { return true; }\n"
                              "};\n";

/* --- views ---------------------------------------------------------------------------------------------------- */

enum { VIEWS = 1000000 };

static void views()
{
    Graph g(Target::createIPUTarget(1, "ipu2"));
    Tensor x = g.addVariable(FLOAT, { 1472, 512 }, "x");
    std::vector<double> seconds;
    for (int round = 0; round < 5; round++) {
        double start = now();
        for (unsigned i = 0; i < VIEWS / 3; i++)
            concat(x.slice(i % 1000, i % 1000 + 8), x.slice(i % 999 + 10, i % 999 + 12));
        seconds.push_back(now() - start);
    }
    limit("10^6 views (2 slices to 1 concat)", median(seconds) * 1e6 / VIEWS, "us", 0.5);
}

/* --- sorted regions ------------------------------------------------------------------------------------------- */

/* A tensor of 10^6 regions, spread over all tiles: every tile's elements in the order of storage. */
static void regions()
{
    enum { ROWS = 1472, COLUMNS = 680 };
    Graph g(Target::createIPUTarget(1, "ipu2"));
    Tensor x = g.addVariable(FLOAT, { ROWS, COLUMNS }, "x"), t = x.transpose();
    for (unsigned i = 0; i < ROWS; i++) g.setTileMapping(x[i], i);
    Graph::TileToTensorMapping m = g.getTileMapping(t);
    std::size_t parts = 0, runs = 0;
    double start = now();
    for (const auto &tile : m) runs += g.getSortedContiguousRegions(t, tile).size(), parts += tile.size();
    limit("getSortedContiguousRegions, 10^6 regions over 1,472 tiles", now() - start, "s", 1);
    std::printf("  %zu intervals on tiles, %zu runs\n", parts, runs);
    std::vector<Interval> all(1, Interval(0, t.numElements()));
    start = now();
    runs = g.getSortedContiguousRegions(t, all).size();
    limit("the same for the whole tensor at once", now() - start, "s", 1);
    Tensor other = t;
    start = now();
    g.reorderToSimplify(&t, { &other });
    limit("reorderToSimplify of it, and of another tensor with it", now() - start, "s", 1);
    std::printf("  %zu region(s) after it\n", t.getContiguousRegions().size());
}

/* --- vertices ------------------------------------------------------------------------------------------------- */

enum { VERTICES = 1000000, EACH = 8, TILES = 1472 };

static double inCxx()
{
    Graph g(Target::createIPUTarget(1, "ipu2"));
    std::stringstream source(codelet);
    g.addCodelets(source);
    double start = now();
    std::size_t n = std::size_t(VERTICES) * EACH;
    Tensor x = g.addVariable(FLOAT, { n }, VariableMappingMethod::LINEAR, "x"),
           y = g.addVariable(FLOAT, { n }, VariableMappingMethod::LINEAR, "y");
    ComputeSet cs = g.addComputeSet("pass");
    for (std::size_t i = 0; i < VERTICES; i++) {
        VertexRef v = g.addVertex(cs, "Pass");
        g.connect(v["in"], x.slice(i * EACH, (i + 1) * EACH));
        g.connect(v["out"], y.slice(i * EACH, (i + 1) * EACH));
        g.setTileMapping(v, static_cast<unsigned>(i % TILES));
    }
    return now() - start;
}

static double inC(bool &failed)
{
    tw_target *target = tw_target_new_ipu_model(nullptr);
    tw_graph *g = tw_graph_new(target);
    tw_target_free(target);
    tw_graph_add_codelets_source(g, codelet, "c++", nullptr, nullptr);
    double start = now();
    std::size_t n = std::size_t(VERTICES) * EACH;
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, &n, "x"),
              y = tw_graph_add_variable(g, TW_FLOAT, 1, &n, "y");
    tw_graph_map_linearly(g, x);
    tw_graph_map_linearly(g, y);
    tw_compute_set cs = tw_graph_add_compute_set(g, "pass");
    for (std::size_t i = 0; i < VERTICES; i++) {
        tw_vertex v = tw_graph_add_vertex(g, cs, "Pass", TW_UNMAPPED);
        tw_tensor in = tw_tensor_slice(g, x, 0, i * EACH, (i + 1) * EACH);
        tw_tensor out = tw_tensor_slice(g, y, 0, i * EACH, (i + 1) * EACH);
        tw_graph_connect(g, v, "in", in);
        tw_graph_connect(g, v, "out", out);
        tw_graph_map_vertex(g, v, static_cast<unsigned>(i % TILES));
        tw_tensor_free(g, in);
        tw_tensor_free(g, out);
    }
    double seconds = now() - start;
    failed = tw_graph_status(g) != TW_OK;
    tw_graph_free(g);
    return seconds;
}

static void vertices()
{
    std::vector<double> ratios, cxx;
    bool failed = false;
    for (int round = 0; round < 5; round++) {
        double c = inC(failed);
        cxx.push_back(inCxx());
        ratios.push_back(cxx.back() / c);
    }
    if (failed) std::printf("the C graph is in error\n");
    missed |= failed;
    limit("10^6 vertices with 2 edges from C++ / from C", median(ratios), "", 1.3);
    std::printf("  %.3f s from C++\n", median(cxx));
}

int main()
{
    views();
    regions();
    vertices();
    return missed ? 1 : 0;
}
