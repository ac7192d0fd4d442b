// SPDX-License-Identifier: MIT
/* Calls that build several steps: one that is refused has added nothing to the program, and nothing to the graph. */
#include "../../cxx/expect.hpp"

#include <cstdlib>
#include <memory>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popops/CircBuf.hpp>
#include <popops/Collectives.hpp>
#include <popops/Gather.hpp>
#include <popops/Loop.hpp>
#include <string>

using namespace poplar;
using namespace poplar::program;
typedef std::vector<std::size_t> Shape;

static Graph made()
{
    IPUModel model;
    model.tilesPerIPU = 4;
    return Graph(model.createDevice().getTarget());
}
static Graph graph = made();
static Sequence prog;

static Tensor on(const Type &type, const Shape &shape, const char *name)
{
    return graph.addVariable(type, shape, VariableMappingMethod::LINEAR, name);
}

/* All that there is of the graph. */
static std::string everything()
{
    char *bytes = nullptr;
    std::size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    handles::call(graph, "serialize", [&](tw_graph *g) { tw_graph_serialize(g, out); });
    std::fclose(out);
    const std::string all(bytes, size);
    std::free(bytes);
    return all;
}

#define REFUSED(...)                                                      \
    do {                                                                  \
        const std::string before_ = everything();                         \
        EXPECT_THROWS(poputil::poplibs_error, __VA_ARGS__);               \
        if (!prog.isEmpty() || everything() != before_) {                 \
            std::printf("%s:%d: is not as it was\n", __FILE__, __LINE__); \
            failures++;                                                   \
            prog = Sequence();                                            \
        }                                                                 \
    } while (0)

static void norms()
{
    const Tensor x = on(FLOAT, { 2, 4, 3 }, "x"), up = on(FLOAT, { 2, 4, 3 }, "up"),
                 few = on(FLOAT, { 2, 4 }, "few"), c = on(FLOAT, { 4 }, "c"), half = on(HALF, { 4 }, "half"),
                 three = on(FLOAT, { 3 }, "three"), groups = on(FLOAT, { 4 }, "groups"),
                 each = on(FLOAT, { 8 }, "each"), one = on(FLOAT, { 2 }, "one"), whole = on(INT, { 2, 4 }, "whole"),
                 fixed = graph.addConstant(FLOAT, { 4 }, 1.0f);
    graph.setTileMapping(fixed, 0);
    Tensor gamma = c, beta = on(FLOAT, { 4 }, "beta"), constant = fixed, other = half;
    namespace bn = popnn::bn;
    namespace gn = popnn::gn;
    REFUSED(bn::batchNormalise(graph, x, c, three, c, c, prog));
    REFUSED(bn::batchNormGradients(graph, x, up, three, c, prog));
    REFUSED(bn::batchNormGradients(graph, x, few, c, c, c, prog));
    REFUSED(bn::batchNormGradients(graph, x, up, c, c, half, prog));
    REFUSED(bn::batchNormParamGradients(graph, x, few, c, c, prog));
    const poplin::DistributedNormReduceCallback sum = [](Graph &, const std::vector<Tensor> &parts, Sequence &,
                                                         unsigned, const DebugContext &,
                                                         const OptionFlags &) { return parts; };
    REFUSED(bn::distributedBatchNormGradients(graph, x, up, c, c, prog, sum, 3));
    REFUSED(bn::distributedBatchNormGradients(graph, x, up, three, c, prog, sum, 4));
    REFUSED(bn::distributedBatchNormGradients(graph, x, up, c, c, three, prog, sum, 4));
    REFUSED(bn::distributedBatchNormStatistics(graph, whole, 1e-3f, prog, false, sum, 4));
    REFUSED(gn::groupNormalise(graph, x, c, three, groups, groups, prog));
    REFUSED(gn::groupNormGradients(graph, x, up, three, c, prog));
    REFUSED(gn::groupNormGradients(graph, x, few, groups, groups, c, prog));
    REFUSED(gn::groupNormParamGradients(graph, x, few, groups, groups, prog));
    REFUSED(popnn::in::instanceNormalise(graph, x, three, c, each, each, prog));
    REFUSED(popnn::in::instanceNormParamGradients(graph, x, few, each, each, prog));
    REFUSED(popnn::ln::layerNormalise(graph, x, c, three, one, one, prog));
    REFUSED(popnn::ln::layerNormGradients(graph, x, up, one, one, three, prog));
    REFUSED(bn::batchNormParamUpdate(graph, c, three, 0.5f, gamma, beta, prog));
    REFUSED(gn::groupNormParamUpdate(graph, c, c, 0.5f, gamma, constant, prog));
    REFUSED(popnn::in::instanceNormParamUpdate(graph, c, c, 0.5f, gamma, other, prog));
    REFUSED(popnn::ln::layerNormParamUpdate(graph, c, c, three, gamma, beta, prog));
    const std::string before = everything();
    EXPECT_THROWS(invalid_option,
                  gn::groupNormGradients(graph, x, up, groups, c, prog, FLOAT, {}, { { "no", "1" } }));
    EXPECT(prog.isEmpty() && everything() == before);
}

static void others()
{
    const Tensor n = on(INT, { 1 }, "n"), u = on(UNSIGNED_INT, { 1 }, "u"), pair = on(INT, { 2 }, "pair"),
                 f = on(FLOAT, { 1 }, "f"), row = on(FLOAT, { 3 }, "row"), whole = on(INT, { 3 }, "whole"),
                 fields = on(INT, { 1, 2, 2 }, "fields"), bytes = on(UNSIGNED_CHAR, { 3 }, "bytes"),
                 fixed = graph.addConstant(INT, {}, 3);
    const Sequence body;
    REFUSED(popops::add(graph, row, pair, prog));
    REFUSED(popops::addForLoopCounterVertex(graph, n, u, 1, 0, prog, {}));
    REFUSED(popops::addForLoopCounterVertex(graph, n, n, 1, 4, prog, {}));
    REFUSED(popops::addForLoopCounterVertex(graph, f, f, 1, 0, prog, {}));
    REFUSED(popops::countedForLoop(graph, n, 0, u, 1, body));
    REFUSED(popops::countedForLoop(graph, pair, 0, pair, 1, body));
    REFUSED(popops::countedForLoop(graph, fixed, 0, n, 1, body));
    popops::CircBuf buffer(graph, FLOAT, 4, { 3 }), eights(graph, QUARTER, 4, { 3 });
    REFUSED(buffer.add(whole, prog));
    REFUSED(eights.add(bytes.reinterpret(QUARTER), prog));
    REFUSED(popnn::spatialSoftMax2D(graph, prog, fields, 1));
    REFUSED(popops::createGatherInput(graph, FLOAT, Shape{ 4, 3 }, Shape{ 1 }, { 1 }));
    popops::Chunks chunks;
    chunks.originalInput = row.expand({ 0 });
    chunks.chunks.emplace_back(row, 1u, 0u);
    REFUSED(popops::allGather(graph, chunks, prog));
    ComputeSet cs = graph.addComputeSet("fill");
    const std::string before = everything();
    const std::vector<std::vector<Interval>> beyond = { { { 0, 2 } }, { { 2, 4 } } };
    EXPECT_THROWS(poplar_error, popops::fill(graph, row, beyond, cs, 1.0f));
    EXPECT(everything() == before);
}

int main()
{
    norms();
    others();
    return failures;
}
