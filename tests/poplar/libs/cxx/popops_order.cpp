// SPDX-License-Identifier: MIT
/* Sorts, labels, counts, padding by the vendor's names: values of small cases, errors. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/AllTrue.hpp>
#include <popops/CollectiveTypes.hpp>
#include <popops/Encoding.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/NaN.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/OperationDefUtil.hpp>
#include <popops/Pad.hpp>
#include <popops/Rearrange.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static Tensor constant(Graph &graph, const Type &type, std::vector<std::size_t> shape, std::vector<float> values)
{
    Tensor t = graph.addConstant(type, shape, values.data());
    graph.setTileMapping(t, 1);
    return t;
}

template <class T> static std::vector<T> read(Engine &engine, const char *name, std::size_t n)
{
    std::vector<T> out(n);
    engine.readTensor(name, out.data(), out.data() + n);
    return out;
}

static Device model()
{
    IPUModel m;
    m.tilesPerIPU = 8;
    return m.createDevice();
}

typedef std::vector<float> Floats;
typedef std::vector<unsigned> Unsigneds;

static void orders()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor x = constant(graph, FLOAT, { 2, 4 }, { 3, -1, 2, 0, 7, 7, -8, 5 });
    Tensor own = graph.clone(x), keys = graph.clone(x);
    Sequence prog;
    prog.add(Copy(x, own));
    prog.add(Copy(x, keys));
    popops::TopKParams best(2, true, popops::SortOrder::ASCENDING);
    std::ostringstream text;
    text << best;
    EXPECT(text.str() == "{k=2,largest=true,sortOrder=ascending}");
    graph.createHostRead("sorted", popops::sort(graph, x, 1, prog, "sorted"));
    popops::sortInPlace(graph, own, 0, prog);
    graph.createHostRead("own", own);
    graph.createHostRead(
        "values", popops::sortKeyValue(graph, x, popops::createTopKInput(graph, FLOAT, { 2, 4 }, best), 1, prog));
    std::pair<Tensor, Tensor> two = popops::topKWithPermutation(graph, prog, x, best, "two");
    graph.createHostRead("two", two.first);
    graph.createHostRead("places", two.second);
    graph.createHostRead("top",
                         popops::topK(graph, prog, x, popops::TopKParams(1, false, popops::SortOrder::NONE)));
    graph.createHostRead("kv", popops::topKKeyValue(graph, prog, x, keys, best).second);
    popops::sortKeyValueInPlace(graph, keys, own, 1, prog);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run();
    EXPECT(read<float>(engine, "sorted", 8) == Floats({ -1, 0, 2, 3, -8, 5, 7, 7 }));
    EXPECT(read<float>(engine, "two", 4) == Floats({ 2, 3, 7, 7 }));
    EXPECT(read<unsigned>(engine, "places", 4) == Unsigneds({ 2, 0, 0, 1 }));
    EXPECT(read<float>(engine, "top", 2) == Floats({ -1, -8 }));
    EXPECT(read<float>(engine, "kv", 4) == Floats({ 2, 3, 7, 7 }));
    /* columns in order {3 -1 -8 0, 7 7 2 5}, then each row as the row of x sorts */
    EXPECT(read<float>(engine, "own", 8) == Floats({ -1, 0, -8, 3, 2, 5, 7, 7 }));
}

static void labels()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor rows = graph.addVariable(FLOAT, { 3, 2 }, "rows"),
           label = graph.addVariable(UNSIGNED_INT, { 3 }, "label");
    poputil::mapTensorLinearly(graph, rows);
    poputil::mapTensorLinearly(graph, label);
    Sequence prog;
    popops::encodeOneHot(graph, label, rows, prog, constant(graph, FLOAT, {}, { 5 }),
                         constant(graph, FLOAT, {}, { 1 }));
    Tensor picked = popops::selectScalarFromRows(graph, rows, label, prog, "picked");
    popops::updateScalarInRows(graph, rows, label, prog, "less");
    graph.createHostRead("rows", rows);
    graph.createHostRead("picked", picked);
    Tensor hot = graph.clone(INT, rows);
    popops::encodeOneHot(graph, label, hot, prog);
    graph.createHostRead("hot", hot);
    Tensor counts = graph.addVariable(UNSIGNED_INT, { 3 }, "counts");
    graph.setTileMapping(counts, 0);
    Tensor levels = constant(graph, FLOAT, { 2 }, { 1, 4 });
    popops::histogram(graph, rows, counts, false, levels, false, prog);
    popops::histogram(graph, rows, counts, true, levels, true, prog);
    graph.createHostRead("counts", counts);
    graph.createHostRead("floats", popops::histogram(graph, rows, levels, false, prog, "floats",
                                                     { { "useFloatArithmetic", "true" } }));
    graph.createHostRead("nan", popops::hasNaN(graph, rows, prog).flatten());
    graph.createHostRead("inf", popops::hasNaNOrInf(graph, rows, prog).flatten());
    graph.createHostRead("all", popops::allTrue(graph, popops::eq(graph, rows, rows, prog), prog).flatten());
    graph.createHostWrite("label", label);
    Engine engine(graph, prog);
    engine.load(device);
    Unsigneds in = { 1, MASKED_LABEL_CODE, 0 };
    engine.writeTensor("label", in.data(), in.data() + 3);
    engine.run();
    EXPECT(read<float>(engine, "rows", 6) == Floats({ 1, 4, 1, 1, 4, 1 }));
    EXPECT(read<float>(engine, "picked", 3) == Floats({ 5, 0, 5 }));
    EXPECT(read<int>(engine, "hot", 6) == std::vector<int>({ 0, 1, 0, 0, 1, 0 }));
    EXPECT(read<unsigned>(engine, "counts", 3) == Unsigneds({ 0, 8, 4 }));
    EXPECT(read<float>(engine, "floats", 3) == Floats({ 0, 4, 2 }));
    EXPECT(!read<char>(engine, "nan", 1)[0] && !read<char>(engine, "inf", 1)[0] && read<char>(engine, "all", 1)[0]);
}

static void padding()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor x = constant(graph, FLOAT, { 2, 2 }, { 1, 2, 3, 4 });
    graph.createHostRead("zeros", popops::pad(graph, x, { 0, 1 }, { 1, -1 }));
    graph.createHostRead("value", popops::pad(graph, x, 1, 0, 0, 9, popops::padding::MappingMethod::EDGE));
    graph.createHostRead("edge", popops::pad(x, { 1, 0 }, { 0, 2 }, popops::padding::Type::EDGE));
    graph.createHostRead("reflect", popops::pad(x, 1, 1, 1, popops::padding::Type::REFLECT));
    Tensor seven = constant(graph, FLOAT, {}, { 7 });
    graph.createHostRead("tensor", popops::pad(graph, x, { 0, 1 }, { 1, -1 }, seven));
    graph.createHostRead("column", popops::pad(graph, x, 0, 1, 1, seven));
    EXPECT_THROWS(poputil::poplibs_error, popops::pad(graph, x, 0, 1, 1, x));
    EXPECT_THROWS(poputil::poplibs_error, popops::pad(graph, x, -2, -1, 1, seven));
    Tensor image = popops::createNormaliseImageInput(graph, FLOAT, { 1, 2, 3 });
    Sequence prog;
    Tensor three = constant(graph, FLOAT, { 3 }, { 1, 2, 3 });
    graph.createHostRead("image", popops::normaliseImage(graph, prog, image, 1.0f, three, three));
    Engine engine(graph, prog);
    engine.load(device);
    engine.run();
    EXPECT(read<float>(engine, "zeros", 6) == Floats({ 0, 1, 0, 3, 0, 0 }));
    EXPECT(read<float>(engine, "tensor", 6) == Floats({ 7, 1, 7, 3, 7, 7 }));
    EXPECT(read<float>(engine, "column", 6) == Floats({ 1, 2, 7, 3, 4, 7 }));
    EXPECT(read<float>(engine, "value", 6) == Floats({ 9, 9, 1, 2, 3, 4 }));
    EXPECT(read<float>(engine, "edge", 12) == Floats({ 1, 2, 2, 2, 1, 2, 2, 2, 3, 4, 4, 4 }));
    EXPECT(read<float>(engine, "reflect", 8) == Floats({ 2, 1, 2, 1, 4, 3, 4, 3 }));
    EXPECT(read<float>(engine, "image", 8) == Floats({ -1, -4, -9, 0, -1, -4, -9, 0 }));
    EXPECT(popops::rearrange::regroupIfBeneficial(graph, x, x.transpose(), prog) == x);
    EXPECT(popops::rearrange::regroupIfBeneficial(graph, x, 2, prog) == x);
    EXPECT(popops::rearrange::getMinimumRegroupGrainSize(HALF) == 4);
    EXPECT_THROWS(poputil::poplibs_error, popops::rearrange::regroupIfBeneficial(graph, x, 3, prog));
    std::vector<Copy> copies;
    ComputeSet turn = graph.addComputeSet("turn");
    const std::vector<std::size_t> turned = { x.dim(1), x.dim(0) };
    EXPECT(popops::rearrange::regroupIfBeneficial(graph, x, x, copies, turn) == x);
    EXPECT(popops::rearrange::regroupTensor(graph, x, prog, turn, { 1, 2 }, { 0, 2 }) == x);
    EXPECT(popops::rearrange::partialTranspose(graph, x, turn).shape() == turned);
    EXPECT(!popops::rearrange::canUseFastTranspose(graph.getTarget(), HALF, 8, 8, 1));
    EXPECT(popops::operationToCollectiveOperator(popops::Operation::MAX) == popops::CollectiveOperator::MAX);
    EXPECT_THROWS(poputil::poplibs_error,
                  popops::rearrange::regroupTensor(graph, x, copies, turn, { 1, 2 }, { 2, 2 }));
    EXPECT(std::string(poputil::asString(popops::Operation::SQUARE_ADD)) == "Square Add");
    EXPECT_THROWS(poputil::poplibs_error, popops::pad(x, 2, 0, 1, popops::padding::Type::REFLECT));
    EXPECT_THROWS(poputil::poplibs_error, popops::pad(graph, x, 1, 0, 2));
    EXPECT_THROWS(poputil::poplibs_error, popops::sort(graph, x, 2, prog));
}

/* Two matrices of 2 x 3 elements, one of them named by two tiles. */
static void transposes(Device &device)
{
    Graph graph(device.getTarget());
    Tensor from = constant(graph, INT, { 2, 6 }, { 1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16 });
    Tensor to = graph.addVariable(INT, { 2, 6 }, "to");
    poputil::mapTensorLinearly(graph, to);
    ComputeSet cs = graph.addComputeSet("transposes");
    const Graph::TileToTensorMapping where = { { { 0, 1 } }, { { 0, 2 } } };
    popops::rearrange::addTransposeVertices(graph, cs, INT, 2, 3, where,
                                            [&](std::size_t i) { return std::make_pair(from[i], to[i]); });
    EXPECT_THROWS(poputil::poplibs_error,
                  popops::rearrange::addTransposeVertices(
                      graph, cs, HALF, 2, 3, where, [&](std::size_t i) { return std::make_pair(from[i], to[i]); }));
    graph.createHostRead("to", to);
    Engine engine(graph, Execute(cs));
    engine.load(device);
    engine.run();
    EXPECT(read<int>(engine, "to", 12) == std::vector<int>({ 1, 4, 2, 5, 3, 6, 11, 14, 12, 15, 13, 16 }));
}

int main()
{
    orders();
    labels();
    padding();
    Device device = model();
    transposes(device);
    return failures;
}
