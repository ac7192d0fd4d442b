// SPDX-License-Identifier: MIT
/* Names that the vendor's headers got after 2.2: results into tensors that are there, several expressions at once,
 * slices in groups, mappings with offsets, LU, operations. */
#include "../../cxx/expect.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvPreplan.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/experimental/ROIAlign.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Gather.hpp>
#include <popops/PerformanceEstimation.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Scatter.hpp>
#include <popops/TopK.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <sstream>
#include <string>

using namespace poplar;
using namespace poplar::program;
typedef std::vector<std::size_t> Shape;
typedef std::vector<float> Floats;
typedef std::vector<Interval> Intervals;

static Device model(unsigned tiles = 8)
{
    IPUModel m;
    m.tilesPerIPU = tiles;
    return m.createDevice();
}

/* A graph, its program, and what is written before and read after its only run. */
struct Run {
    Device device = model();
    Graph graph{ device.getTarget() };
    Sequence prog;
    std::map<std::string, Floats> in, out;

    Tensor floats(const Shape &shape, Floats values, const std::string &name)
    {
        Tensor t = graph.addVariable(FLOAT, shape, name);
        poputil::mapTensorLinearly(graph, t);
        graph.createHostWrite(name, t);
        in[name] = std::move(values);
        return t;
    }
    Tensor counted(const Shape &shape, const std::string &name, float first = 1)
    {
        std::size_t n = 1;
        for (std::size_t d : shape) n *= d;
        Floats values(n);
        for (float &v : values) v = first++;
        return floats(shape, values, name);
    }
    Tensor unmapped(const Shape &shape) { return graph.addVariable(FLOAT, shape, "nowhere"); }
    Tensor unset(const Shape &shape, const std::string &name)
    {
        Tensor t = graph.addVariable(FLOAT, shape, name);
        poputil::mapTensorLinearly(graph, t);
        return t;
    }
    void read(const Tensor &t, const std::string &name)
    {
        graph.createHostRead(name, t);
        out[name] = Floats(t.numElements());
    }
    void run()
    {
        Engine engine(graph, prog);
        engine.load(device);
        for (auto &i : in) engine.writeTensor(i.first, i.second.data(), i.second.data() + i.second.size());
        engine.run();
        for (auto &o : out) engine.readTensor(o.first, o.second.data(), o.second.data() + o.second.size());
    }
};

static void mappings()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor t = graph.addVariable(FLOAT, { 100 }, "t");
    auto plain = poputil::calcLinearTileMapping(graph, t);
    EXPECT(plain.size() == 3);
    auto moved = poputil::calcLinearTileMappingAndNewOffset(graph, t, 6);
    EXPECT(moved.second == 1 && moved.first.size() == 8);
    EXPECT(moved.first[6] == plain[0] && moved.first[7] == plain[1] && moved.first[0] == plain[2]);
    poputil::mapTensorLinearlyWithOffset(graph, t, 1, false);
    EXPECT(graph.getTileMapping(t)[6] == plain[0] && graph.getTileMapping(t)[4] == plain[2]);
    EXPECT(poputil::mapTensorLinearlyWithOffset(graph, t, 1, 50, 7, false) == 6);
    EXPECT(graph.getTileMapping(t)[0] == Intervals({ { 0, 50 } }) && graph.getTileMapping(t)[7].size() == 1);
    EXPECT(poputil::calcLinearTileMapping(device.getTarget(), { 100 }, FLOAT, 2)[2] == plain[0]);
    EXPECT(poputil::calcLinearTileMapping(device.getTarget(), { 8 }, 1, 2, 0, false)[7] == Intervals({ { 0, 2 } }));
    for (unsigned i = 0; i < 8; i++)
        for (bool up : { false, true })
            EXPECT(poputil::transformTileIndex(poputil::invTransformTileIndex(i, 8, 11, up), 8, 11, up) == i);
    const std::size_t a = poputil::chooseMappingOffset(1024, { 4, 64 }),
                      b = poputil::chooseMappingOffset(1024, { 256 });
    EXPECT(a < 1024 && a != b && a != poputil::chooseMappingOffset(1024, { 4, 64 }, 7));
    EXPECT(poputil::chooseMappingOffset(3, { 4, 64 }) < 3);

    Tensor v = graph.addVariable(FLOAT, { 3 }, "v");
    for (unsigned i = 0; i < 3; i++) graph.setTileMapping(v[i], i);
    Tensor twice = concat({ v.slice(0, 2), v.slice(0, 1), v.slice(2, 3) }).reshape({ 2, 2 });
    auto expanded = poputil::cloneAndExpandAliasing(graph, twice, 5);
    EXPECT(expanded.second == 6 && !expanded.first.containsAliases() && expanded.first.shape() == Shape({ 2, 2 }));
    Graph::TileToTensorMapping want = { { { 0, 1 } }, { { 1, 2 } }, { { 3, 4 } }, {}, {}, { { 2, 3 } }, {}, {} };
    EXPECT(graph.getTileMapping(expanded.first) == want);
    EXPECT(poputil::cloneAndExpandAliasing(graph, v, 5).second == 5);
}

static void helpers()
{
    EXPECT(poputil::calculateUnshufflingIntervals({ { 3, 5 }, { 0, 1 }, { 1, 3 } }) ==
           Intervals({ { 2, 3 }, { 3, 5 }, { 0, 2 } }));
    using poplibs::OptionHandler;
    double real = 0;
    const poplibs::OptionSpec spec{ { "real", OptionHandler::createWithDouble(real, 0, false, 1, true) } };
    spec.parse("real", "1");
    EXPECT(real == 1);
    for (const char *outside : { "0", "-0.5", "1.5" }) EXPECT_THROWS(invalid_option, spec.parse("real", outside));
    OptionHandler::ensureValueIsWithinBounds(0, 0, true, 0, true);
    EXPECT(poplibs::parse::asBool("true") && poplibs::parse::asEnum<int>("b", { { "a", 1 }, { "b", 2 } }) == 2);
    EXPECT_THROWS(invalid_option, poplibs::parse::asBool("yes"));
    EXPECT(QuarterMetadata(QuarterMetadata::Format::F152, -3).toString() == "F152 * 2^-3");
    const gccs::ArrayRef<double> list(&real, 1); /* of <poplar/ArrayRef.hpp> */
    EXPECT(list.size() == 1 && list[0] == 1);
    using namespace popops::expr::ostream_ext;
    std::ostringstream text;
    text << popops::expr::UnaryOpType::EXPONENT2 << ' ' << popops::expr::TernaryOpType::SELECT;
    EXPECT(text.str() == "EXPONENT2 SELECT");
    poplin::matmulValidateOptions({ { "partialsType", "half" } });
    EXPECT_THROWS(invalid_option, poplin::matmulValidateOptions({ { "partials", "half" } }));
    poplin::convolutionValidateOptions({ { "partialsType", "float" } });
    EXPECT_THROWS(invalid_option, poplin::convolutionValidateOptions({ { "partialsType", "int" } }));
}

static void elements()
{
    Run r;
    Tensor a = r.floats({ 4 }, { -1.5f, 0.25f, 2.5f, 3.0f }, "a"), b = r.counted({ 4 }, "b"), out[8];
    for (int i = 0; i < 8; i++)
        out[i] = r.unset({ 4 }, "out" + std::to_string(i)), r.read(out[i], "r" + std::to_string(i));
    popops::absWithOutput(r.graph, a, out[0], r.prog);
    popops::subWithOutput(r.graph, a, b, out[1], r.prog);
    popops::subWithOutput(r.graph, 1.0f, a, out[2], r.prog);
    popops::mulWithOutput(r.graph, a, 2.0f, out[3], r.prog);
    popops::clampWithOutput(r.graph, a, out[0], b, out[4], r.prog);
    popops::varianceToInvStdDevWithOutput(r.graph, b, 0.0f, out[5], r.prog);
    popops::mapWithOutput(r.graph, popops::expr::BinaryOpType::ADD, a, b, out[6], r.prog);
    r.prog.add(Copy(b, out[7]));
    popops::varianceToInvStdDevInPlace(r.graph, out[7], a, r.prog);
    r.read(popops::exp2(r.graph, a, r.prog), "exp2"), r.read(popops::geluErf(r.graph, a, r.prog), "gelu");
    r.read(popnn::geluErf(r.graph, a, r.prog), "act");
    r.read(popops::nearbyint(r.graph, a, r.prog), "nearby"), r.read(popops::trunc(r.graph, a, r.prog), "trunc");
    r.run();
    for (std::size_t i = 0; i < 4; i++) {
        const float x = r.in["a"][i], y = r.in["b"][i];
        EXPECT(r.out["r0"][i] == std::fabs(x) && r.out["r1"][i] == x - y && r.out["r2"][i] == 1 - x);
        EXPECT(r.out["r3"][i] == 2 * x && r.out["r4"][i] == std::fmin(std::fabs(x), y) && r.out["r6"][i] == x + y);
        EXPECT(std::fabs(r.out["r5"][i] - 1 / std::sqrt(y)) < 1e-6 &&
               (y + x < 0 || std::fabs(r.out["r7"][i] - 1 / std::sqrt(y + x)) < 1e-5));
        EXPECT(std::fabs(r.out["exp2"][i] - std::exp2(x)) < 1e-5 && r.out["nearby"][i] == std::nearbyint(x));
        EXPECT(std::fabs(r.out["gelu"][i] - 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)))) < 1e-6);
        EXPECT(r.out["trunc"][i] == std::trunc(x) && r.out["act"][i] == r.out["gelu"][i]);
    }
}

/* Several expressions: those in place see what was there before. */
static void several()
{
    using namespace popops::expr;
    Run r;
    Tensor a = r.counted({ 10 }, "a"), b = r.counted({ 10 }, "b", 5), to = r.unset({ 10 }, "to");
    std::vector<Tensor> made = popops::map(r.graph, { _1 + _2, _1 * _2, _2 - _1 }, { a, b }, r.prog, "made");
    EXPECT(made.size() == 3);
    r.read(made[1], "product");
    popops::mapInPlace(r.graph, { _1 + _2, _1 * _2 }, { a, b }, r.prog, "place");
    popops::mapWithOutput(r.graph, { _1 - _2, _2 }, { a, b }, { to, a }, r.prog, "to");
    r.read(a, "A"), r.read(b, "B"), r.read(to, "TO");
    EXPECT_THROWS(poputil::poplibs_error, popops::mapInPlace(r.graph, { _1, _1 }, { a }, r.prog));
    EXPECT_THROWS(poputil::poplibs_error, popops::mapWithOutput(r.graph, { _1, _1 }, { a }, { to }, r.prog));
    r.run();
    for (std::size_t i = 0; i < 10; i++) {
        const float x = static_cast<float>(i + 1), y = x + 4;
        EXPECT(r.out["product"][i] == x * y && r.out["B"][i] == x * y && r.out["A"][i] == x * y);
        EXPECT(r.out["TO"][i] == x + y - x * y);
    }
}

static void products()
{
    Run r;
    poplin::PlanningCache cache;
    Tensor a = r.counted({ 2, 3, 4 }, "a"), b = r.counted({ 2, 4, 5 }, "b");
    Tensor c = poplin::createMatMulOutput(r.graph, FLOAT, { 3, 4 }, { 4, 5 }, "c", {}, &cache);
    Tensor d = poplin::createMatMulGroupedOutput(r.graph, FLOAT, FLOAT, a.shape(), b.shape(), "d");
    EXPECT(c.shape() == Shape({ 3, 5 }) && d.shape() == Shape({ 2, 3, 5 }));
    poplin::matMulWithOutput(r.graph, a[1], b[1], c, r.prog, "c", {}, &cache);
    poplin::matMulGroupedWithOutput(r.graph, a, b, d, r.prog);
    r.read(c, "c"), r.read(d, "d");
    Tensor wrong = r.unset({ 5, 3 }, "wrong");
    EXPECT_THROWS(poputil::poplibs_error, poplin::matMulWithOutput(r.graph, a[0], b[0], wrong, r.prog));
    const poplin::ConvParams p(FLOAT, 2, { 3, 4 }, { 1, 2 }, 2, 3, 1);
    Tensor x = poplin::createInput(r.graph, p, "x"), w = poplin::createWeights(r.graph, p, "w");
    Tensor y = poplin::createConvOutput(r.graph, p, "y", {}, &cache);
    EXPECT(y.shape() == Shape({ 2, 3, 3, 3 }) && cache.size() == 1);
    r.graph.createHostWrite("x", x), r.graph.createHostWrite("w", w);
    for (std::size_t i = 0; i < x.numElements(); i++) r.in["x"].push_back(static_cast<float>(i % 7));
    for (std::size_t i = 0; i < w.numElements(); i++) r.in["w"].push_back(static_cast<float>(i % 5));
    poplin::convolutionWithOutput(r.graph, x, w, y, p, false, r.prog);
    r.read(y, "y"), r.read(poplin::convolution(r.graph, x, w, p, false, r.prog), "same");
    EXPECT_THROWS(poputil::poplibs_error, poplin::convolutionWithOutput(r.graph, x, w, c, p, false, r.prog));
    r.run();
    for (std::size_t i = 0; i < 30; i++) {
        float sum = 0;
        for (std::size_t k = 0; k < 4; k++)
            sum += r.in["a"][i / 5 * 4 + k] * r.in["b"][i / 15 * 20 + k * 5 + i % 5];
        EXPECT(r.out["d"][i] == sum && (i < 15 || r.out["c"][i - 15] == sum));
    }
    EXPECT(r.out["y"] == r.out["same"] && *std::max_element(r.out["y"].begin(), r.out["y"].end()) > 0);
}

static void slices()
{
    Run r;
    const std::size_t groups = 2, rows = 6, width = 3, n = 2;
    auto plan = popops::embedding::plan(r.graph, FLOAT, groups, rows, width, { n }, {});
    EXPECT(plan == popops::embedding::plan(r.graph, FLOAT, groups, rows, width, { n },
                                           { { "usedForSlice", "false" },
                                             { "operationForUpdate", "mul" },
                                             { "partialType", "float" },
                                             { "indicesAreSorted", "true" },
                                             { "paddingIndexUsed", "true" },
                                             { "validateIndices", "false" } }));
    for (const char *name : { "validateIndices", "remapOutOfBoundIndices" })
        EXPECT_THROWS(invalid_option,
                      popops::embedding::plan(r.graph, FLOAT, rows, width, { n }, { { name, "true" } }));
    EXPECT_THROWS(invalid_option,
                  popops::embedding::plan(r.graph, FLOAT, rows, width, { n },
                                          { { "usedForSlice", "false" }, { "usedForUpdate", "false" } }));
    std::vector<popops::embedding::SlicePlanningParameters> what;
    what.emplace_back(r.graph, FLOAT, groups, rows, width, Shape{ n }, OptionFlags());
    what.emplace_back(r.graph, HALF, rows, width, Shape{ n }, OptionFlags());
    auto plans = popops::embedding::planMultiple(what);
    EXPECT(plans.size() == 2 && plans[0] == plan && plans[1] != plan);
    Tensor t =
        popops::createGroupedSliceableTensor(r.graph, FLOAT, groups, { rows, width }, { 0 }, { 1 }, plan, {});
    Tensor s = popops::createGroupedSliceTensor(r.graph, FLOAT, groups, { rows, width }, { 0 }, { 1 }, n, plan, {});
    Tensor o = popops::createGroupedIndicesTensor(r.graph, groups, { 0 }, n, plan, {});
    EXPECT(t.shape() == Shape({ groups, rows, width }) && s.shape() == Shape({ groups, n, 1, width }));
    EXPECT(o.shape() == Shape({ groups, n, 1 }));
    const unsigned at[groups * n] = { 4, 1, 0, 5 };
    for (std::size_t i = 0; i < groups * n; i++) r.graph.setInitialValue(o.flatten()[i], at[i]);
    r.graph.createHostWrite("t", t), r.graph.createHostWrite("s", s);
    for (std::size_t i = 0; i < t.numElements(); i++) r.in["t"].push_back(static_cast<float>(i));
    for (std::size_t i = 0; i < s.numElements(); i++) r.in["s"].push_back(static_cast<float>(i % 5) + 1);
    Tensor scale = r.graph.addConstant(FLOAT, {}, 2.0f);
    r.graph.setTileMapping(scale, 0);
    r.read(popops::groupedMultiSlice(r.graph, t, o, { 0 }, { 1 }, r.prog, plan, {}), "before");
    popops::groupedMultiUpdateAdd(r.graph, t, s, o, scale, { 0 }, { 1 }, r.prog, plan, {});
    popops::groupedMultiUpdateMul(r.graph, t, s, o, { 0 }, { 1 }, r.prog, plan, {});
    popops::groupedMultiUpdateMax(r.graph, t, s, o, { 0 }, { 1 }, r.prog, plan, {});
    r.read(popops::groupedMultiSlice(r.graph, t, o, { 0 }, { 1 }, r.prog, plan, {}), "after");
    popops::groupedMultiUpdate(r.graph, t, s, o, { 0 }, { 1 }, r.prog, plan, {});
    r.read(popops::groupedMultiSlice(r.graph, t, o, { 0 }, { 1 }, r.prog, plan, {}), "put");
    EXPECT_THROWS(poputil::poplibs_error,
                  popops::groupedMultiSlice(r.graph, t, o[0], { 0 }, { 1 }, r.prog, plan, {}));
    Tensor row = popops::createDynamicSliceOutput(r.graph, t[0], o[0][0], { 0 }, { 1 });
    popops::dynamicSliceWithOutput(r.graph, row, t[0], o[0][0], { 0 }, { 1 }, r.prog);
    EXPECT_THROWS(poputil::poplibs_error,
                  popops::dynamicSliceWithOutput(r.graph, t[0], t[0], o[0][0], { 0 }, { 1 }, r.prog));
    EXPECT_THROWS(invalid_option,
                  popops::dynamicSlice(r.graph, t[0], o[0][0], { 0 }, { 1 }, r.prog, {}, { { "nonsense", "1" } }));
    r.read(row, "row");
    r.run();
    for (std::size_t i = 0; i < groups * n * width; i++) {
        const float old = static_cast<float>((i / width / n * rows + at[i / width]) * width + i % width);
        const float with = r.in["s"][i];
        EXPECT(r.out["before"][i] == old && r.out["put"][i] == with);
        EXPECT(r.out["after"][i] == std::fmax((old + 2 * with) * with, with));
    }
    for (std::size_t i = 0; i < width; i++) EXPECT(r.out["row"][i] == r.in["s"][i]);
}

/* An offset that is the extent: 0, or padding, which reads zeros and updates nothing. */
static void padding()
{
    Run r;
    Tensor t = r.counted({ 4, 3 }, "t"), s = r.counted({ 1, 3 }, "s", 20);
    Tensor at = r.graph.addConstant<unsigned>(UNSIGNED_INT, { 2 }, { 4, 2 });
    r.graph.setTileMapping(at, 0);
    const Tensor out = at.slice(0, 1), in = at.slice(1, 2);
    const OptionFlags pad{ { "paddingIndexUsed", "true" } }, remap{ { "remapOutOfBoundIndices", "true" } };
    r.read(popops::dynamicSlice(r.graph, t, out, { 0 }, { 1 }, r.prog, {}, pad), "zeros");
    r.read(popops::dynamicSlice(r.graph, t, in, { 0 }, { 1 }, r.prog, {}, pad), "two");
    r.read(popops::dynamicSlice(r.graph, t, out, { 0 }, { 1 }, r.prog, {}, { { "paddingIndexUsed", "false" } }),
           "first");
    popops::dynamicUpdate(r.graph, t, s, out, { 0 }, { 1 }, r.prog, {}, pad);
    r.read(popops::dynamicSlice(r.graph, t, out, { 0 }, { 1 }, r.prog, {}, remap), "same");
    popops::dynamicUpdate(r.graph, t, s, in, { 0 }, { 1 }, r.prog, {}, pad);
    Tensor whole = popops::dynamicSlice(r.graph, t, at.slice(0, 0), {}, {}, r.prog);
    r.read(whole, "whole");
    popops::dynamicUpdate(r.graph, t, s, out, { 0 }, { 1 }, r.prog, {}, remap);
    r.read(t, "T");
    EXPECT_THROWS(invalid_option, popops::dynamicSlice(r.graph, t, in, { 0 }, { 1 }, r.prog, {},
                                                       { { "paddingIndexUsed", "yes" } }));
    EXPECT_THROWS(invalid_option,
                  popops::dynamicSlice(r.graph, t, in, { 0 }, { 1 }, r.prog, {},
                                       { { "paddingIndexUsed", "true" }, { "remapOutOfBoundIndices", "true" } }));
    r.run();
    EXPECT(r.out["zeros"] == Floats({ 0, 0, 0 }) && r.out["two"] == Floats({ 7, 8, 9 }));
    EXPECT(r.out["first"] == Floats({ 1, 2, 3 }) && r.out["same"] == Floats({ 1, 2, 3 }));
    EXPECT(r.out["whole"] == Floats({ 1, 2, 3, 4, 5, 6, 20, 21, 22, 10, 11, 12 }));
    EXPECT(r.out["T"] == Floats({ 20, 21, 22, 4, 5, 6, 20, 21, 22, 10, 11, 12 }));
}

/* As many sizes as dimensions; what stands behind a list that is too short is no size. */
static void sizes()
{
    Run r;
    Tensor t = r.counted({ 4, 3 }, "t"), s = r.counted({ 1, 1, 1 }, "s");
    Tensor at = r.graph.addConstant<unsigned>(UNSIGNED_INT, { 1, 2 }, { 0, 0 });
    Tensor scale = r.graph.addConstant(FLOAT, {}, 2.0f);
    r.graph.setTileMapping(at, 0), r.graph.setTileMapping(scale, 0);
    const popops::SlicePlan plan;
    const Shape dims{ 0, 1 };
    Shape few{ 1, 1 };
    few.pop_back();
    const std::size_t vertices = r.graph.getNumVertices();
    using poputil::poplibs_error;
    EXPECT_THROWS(poplibs_error, popops::createSliceableTensor(r.graph, FLOAT, { 4, 3 }, dims, few));
    EXPECT_THROWS(poplibs_error, popops::createSliceTensor(r.graph, t, dims, few, 1));
    EXPECT_THROWS(poplibs_error,
                  popops::createSliceTensor(r.graph, FLOAT, { 4, 3 }, dims, few, 1, plan, OptionFlags()));
    EXPECT_THROWS(poplibs_error, popops::createSliceableTensorFromSlice(r.graph, s[0], dims, few));
    EXPECT_THROWS(poplibs_error, popops::dynamicSlice(r.graph, t, at[0], dims, few, r.prog));
    EXPECT_THROWS(poplibs_error, popops::dynamicSliceWithOutput(r.graph, s[0], t, at[0], dims, few, r.prog));
    EXPECT_THROWS(poplibs_error, popops::dynamicUpdate(r.graph, t, s[0], at[0], dims, few, r.prog));
    EXPECT_THROWS(poplibs_error, popops::multiSlice(r.graph, t, at, dims, few, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error, popops::multiUpdate(r.graph, t, s, at, dims, few, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error, popops::multiUpdateAdd(r.graph, t, s, at, scale, dims, few, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error, popops::multiUpdateMax(r.graph, t, s, at, dims, few, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error, popops::multiUpdateMul(r.graph, t, s, at, dims, few, r.prog, plan, {}));
    EXPECT(r.prog.isEmpty() && r.graph.getNumVertices() == vertices);
}

static std::size_t variablesOf(const Graph &graph)
{
    std::size_t n = 0;
    handles::call(graph, "count", [&](tw_graph *g) { n = tw_graph_variable_count(g); });
    return n;
}

/* No group is read or updated where the last of them cannot be. */
static void groups()
{
    Run r;
    Tensor t = r.counted({ 1, 4, 3 }, "t"), s = r.counted({ 2, 1, 1, 3 }, "s");
    Tensor fixed = r.graph.addConstant(FLOAT, { 1, 4, 3 }, 1.0f), scale = r.graph.addConstant(FLOAT, {}, 2.0f);
    Tensor at = r.graph.addConstant<unsigned>(UNSIGNED_INT, { 2, 1, 1 }, { 0, 0 });
    r.graph.setTileMapping(fixed, 0), r.graph.setTileMapping(at, 0), r.graph.setTileMapping(scale, 0);
    const Tensor both = concat(t, fixed);
    const popops::SlicePlan plan;
    using poputil::poplibs_error;
    EXPECT_THROWS(poplibs_error, popops::groupedMultiUpdate(r.graph, both, s, at, { 0 }, { 1 }, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error,
                  popops::groupedMultiUpdateAdd(r.graph, both, s, at, scale, { 0 }, { 1 }, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error,
                  popops::groupedMultiUpdateMax(r.graph, both, s, at, { 0 }, { 1 }, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error,
                  popops::groupedMultiUpdateMul(r.graph, both, s, at, { 0 }, { 1 }, r.prog, plan, {}));
    EXPECT(r.prog.isEmpty() && r.graph.getNumVertices() == 0);
    const Tensor nowhere = concat(t, r.unmapped({ 1, 4, 3 }));
    const std::size_t before = variablesOf(r.graph);
    EXPECT_THROWS(poplibs_error, popops::groupedMultiSlice(r.graph, nowhere, at, { 0 }, { 1 }, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error,
                  popops::groupedMultiUpdate(r.graph, nowhere, s, at, { 0 }, { 1 }, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error,
                  popops::groupedMultiUpdateAdd(r.graph, nowhere, s, at, scale, { 0 }, { 1 }, r.prog, plan, {}));
    EXPECT_THROWS(poplibs_error,
                  popops::groupedMultiUpdateMax(r.graph, nowhere, s, at, { 0 }, { 1 }, r.prog, plan, {}));
    EXPECT(r.prog.isEmpty() && r.graph.getNumVertices() == 0 && variablesOf(r.graph) == before);
    popops::groupedMultiSlice(r.graph, both, at, { 0 }, { 1 }, r.prog, plan, {});
    EXPECT(!r.prog.isEmpty());
    for (std::size_t n : { 1, 3 }) { /* the tables, and metadata together */
        const std::size_t made = variablesOf(r.graph);
        popops::createGroupedSliceableTensor(r.graph, QUARTER, n, { 6, 8 }, { 0 }, { 1 }, plan, {});
        EXPECT(variablesOf(r.graph) == made + n + 1);
        popops::createGroupedSliceTensor(r.graph, QUARTER, n, { 6, 8 }, { 0 }, { 1 }, 2, plan, {});
        EXPECT(variablesOf(r.graph) == made + 2 * (n + 1));
    }
}

/* Keys that are alike stay in the order of their places, whichever comes first. */
static void stable()
{
    Run r;
    Tensor keys = r.floats({ 8 }, { 5, 7, 5, 7, 1, 1, 5, 7 }, "keys");
    const struct {
        bool largest;
        popops::SortOrder order;
        Floats keys, places;
    } cases[] = { { true, popops::SortOrder::ASCENDING, { 5, 5, 7, 7, 7 }, { 0, 2, 1, 3, 7 } },
                  { true, popops::SortOrder::DESCENDING, { 7, 7, 7, 5, 5 }, { 1, 3, 7, 0, 2 } },
                  { false, popops::SortOrder::ASCENDING, { 1, 1, 5, 5, 5 }, { 4, 5, 0, 2, 6 } },
                  { false, popops::SortOrder::DESCENDING, { 5, 5, 5, 1, 1 }, { 0, 2, 6, 4, 5 } } };
    for (const auto &c : cases) {
        const popops::TopKParams params(5, c.largest, c.order, true);
        auto made = popops::topKWithPermutation(r.graph, r.prog, keys, params);
        const std::string name = std::to_string(&c - cases);
        r.read(made.first, "k" + name);
        r.read(popops::cast(r.graph, made.second, FLOAT, r.prog), "p" + name);
    }
    Tensor nans = r.floats({ 4 }, { 2, NAN, 1, 3 }, "nans"); /* beyond infinity */
    r.read(popops::topK(r.graph, r.prog, nans, { 2, true, popops::SortOrder::ASCENDING }), "nan");
    r.run();
    for (const auto &c : cases) {
        const std::string name = std::to_string(&c - cases);
        EXPECT(r.out["k" + name] == c.keys && r.out["p" + name] == c.places);
    }
    EXPECT(r.out["nan"][0] == 3 && std::isnan(r.out["nan"][1]));
}

/* Nothing is written where one of the results does not fit. */
static void refused()
{
    using namespace popops::expr;
    Run r;
    Tensor a = r.counted({ 10 }, "a"), to = r.counted({ 10 }, "to", 30), wrong = r.unset({ 9 }, "wrong");
    Tensor fixed = r.graph.addConstant(FLOAT, { 10 }, 1.0f);
    r.graph.setTileMapping(fixed, 0);
    using poputil::poplibs_error;
    const std::size_t before = variablesOf(r.graph), vertices = r.graph.getNumVertices();
    EXPECT_THROWS(poplibs_error, popops::mapWithOutput(r.graph, { _1 + _1, _1 }, { a }, { to, wrong }, r.prog));
    EXPECT_THROWS(poplibs_error, popops::mapWithOutput(r.graph, { _1 + _1, _1 }, { a }, { to, fixed }, r.prog));
    EXPECT_THROWS(poplibs_error, popops::mapInPlace(r.graph, { _1 + _2, _1 < _2 }, { to, a }, r.prog));
    EXPECT_THROWS(poplibs_error, popops::map(r.graph, { _1 + _1, _1 + _2 }, { a, wrong }, r.prog));
    EXPECT(variablesOf(r.graph) == before && r.graph.getNumVertices() == vertices);
    r.read(to, "TO");
    r.run();
    EXPECT(r.out["TO"] == r.in["to"]);
}

/* Slices of FP8, and what is regrouped, have the metadata that their elements were made with. */
static void quarters()
{
    Run r;
    const auto format = QuarterMetadata::Format::F143;
    Tensor two = createConstantMetadataTensor(r.graph, format, 2),
           zero = createConstantMetadataTensor(r.graph, format, 0);
    Floats values(32 * 16);
    for (std::size_t i = 0; i < values.size(); i++) values[i] = static_cast<float>((i + i / 16) % 8) * 4;
    Tensor q = popops::cast(r.graph, r.floats({ 32, 16 }, values, "t"), QUARTER, two, r.prog);
    Tensor at = r.graph.addConstant<unsigned>(UNSIGNED_INT, { 1 }, 3);
    r.graph.setTileMapping(at, 0);
    const auto quarter = [&](const Tensor &metadata) {
        Tensor t = r.graph.addVariable(QUARTER, metadata, { 1, 16 }, "out");
        r.graph.setTileMapping(t, 1);
        return t;
    };
    const auto slice = [&](const Tensor &to) {
        popops::dynamicSliceWithOutput(r.graph, to, q, at, { 0 }, { 1 }, r.prog);
        return to;
    };
    Tensor bytes = r.graph.addVariable(UNSIGNED_CHAR, { 1, 16 }, "bytes"), other = quarter(zero);
    r.graph.setTileMapping(bytes, 1);
    const std::size_t vertices = r.graph.getNumVertices();
    EXPECT_THROWS(poputil::poplibs_error, slice(bytes.reinterpret(QUARTER))); /* none */
    EXPECT_THROWS(poputil::poplibs_error, slice(other));                      /* constant metadata */
    EXPECT(r.graph.getNumVertices() == vertices);
    std::vector<Tensor> made = { popops::rearrange::regroupIfPossible(r.graph, q, r.prog, { 0, 16 }),
                                 slice(quarter(Tensor())),
                                 slice(quarter(two)),
                                 slice(quarter(createConstantMetadataTensor(r.graph, format, 2))),
                                 slice(popops::createDynamicSliceOutput(r.graph, q, at, { 0 }, { 1 })),
                                 popops::dynamicSlice(r.graph, q, at, { 0 }, { 1 }, r.prog),
                                 popops::multiSlice(r.graph, q, at.expand({ 0 }), { 0 }, { 1 }, r.prog, {}, {}) };
    EXPECT(poputil::detectDimGroupings(r.graph, made[0])[0] == poputil::GroupingInfo(0, 16));
    EXPECT(popops::createSliceableTensorFromSlice(r.graph, made[5], { 0 }, { 4 }).getMetadata() == two);
    for (std::size_t i = 0; i < made.size(); i++)
        r.read(popops::cast(r.graph, made[i], FLOAT, r.prog), std::to_string(i));
    r.run();
    EXPECT(r.out["0"] == values);
    for (std::size_t i = 1; i < made.size(); i++)
        EXPECT(r.out[std::to_string(i)] == Floats(values.begin() + 3 * 16, values.begin() + 4 * 16));
}

/* A slice of FP8 is converted where elements beside the output have its metadata. */
static void shared()
{
    Run r;
    const auto format = QuarterMetadata::Format::F143;
    Graph part = r.graph.createVirtualGraph(0, 4);
    const Tensor q = popops::cast(r.graph, r.counted({ 3, 4 }, "t"), QUARTER,
                                  createConstantMetadataTensor(r.graph, format, 2), r.prog),
                 at = r.graph.addConstant<unsigned>(UNSIGNED_INT, { 1 }, 1);
    r.graph.setTileMapping(at, 0);
    const Tensor metadata = createVariableMetadataTensor(r.graph, format, 0);
    Tensor out[2], beside[2];
    for (int i = 0; i < 2; i++) { /* the other one is of a part of the tiles */
        out[i] = r.graph.addVariable(QUARTER, i ? createVariableMetadataTensor(r.graph, format, 0) : metadata,
                                     { 1, 4 }, "out");
        beside[i] = i ? part.clone(out[i]) : r.graph.addVariable(QUARTER, metadata, { 1, 4 }, "beside");
        r.graph.setTileMapping(out[i], 1), r.graph.setTileMapping(beside[i], 2);
        EXPECT(concat(out[i], beside[i]).hasMetadata());
        popops::castWithOutput(r.graph, r.counted({ 1, 4 }, "b" + std::to_string(i), 0.5f), beside[i], r.prog);
        popops::dynamicSliceWithOutput(r.graph, out[i], q, at, { 0 }, { 1 }, r.prog);
        r.read(popops::cast(r.graph, beside[i], FLOAT, r.prog), "B" + std::to_string(i));
        r.read(popops::cast(r.graph, out[i], FLOAT, r.prog), "O" + std::to_string(i));
    }
    r.run();
    for (const char *i : { "0", "1" })
        EXPECT(r.out[std::string("B") + i] == Floats({ 0.5f, 1.5f, 2.5f, 3.5f }) &&
               r.out[std::string("O") + i] == Floats({ 5, 6, 7, 8 }));
}

/* What is put into a table of FP8 has its format then; bytes are moved where they mean the same. */
static void tables()
{
    Run r;
    const auto format = QuarterMetadata::Format::F143;
    const Shape dims{ 0 }, one{ 1 };
    const popops::SlicePlan plan;
    Tensor table = popops::createSliceableTensor(r.graph, QUARTER, { 6, 8 }, dims, one, 0, "table"),
           rows = popops::createSliceTensor(r.graph, QUARTER, { 6, 8 }, dims, one, 2, plan, {}, "rows"),
           fixed = r.graph.addConstant(QUARTER, { 6, 8 }, 1.0f, "fixed"),
           bare = r.graph.addVariable(UNSIGNED_CHAR, { 2, 1, 8 }, VariableMappingMethod::LINEAR, "bare"),
           at = r.graph.addConstant<unsigned>(UNSIGNED_INT, { 2, 1 }, { 4, 1 }),
           scale = r.graph.addConstant(FLOAT, {}, 1.0f), first = r.graph.addConstant(UNSIGNED_INT, { 1 }, 0u);
    for (const Tensor &t : { fixed, at, scale, first }) r.graph.setTileMapping(t, 0);
    EXPECT(table.hasMetadata() && rows.hasMetadata() && table.getMetadata() != rows.getMetadata());
    const Tensor both = popops::createGroupedSliceableTensor(r.graph, QUARTER, 2, { 6, 8 }, dims, one, plan, {});
    EXPECT(both.hasMetadata()); /* one for all groups */
    Floats numbers(48), given(16);
    for (std::size_t i = 0; i < 48; i++) numbers[i] = static_cast<float>(i % 16) / 8;
    for (std::size_t i = 0; i < 16; i++) given[i] = static_cast<float>(i) - 7;
    Tensor as[2]; /* the same numbers with a scale of 2, and as the table has them */
    const Tensor floats = r.floats({ 2, 1, 8 }, given, "given");
    for (int i = 0; i < 2; i++)
        as[i] = popops::cast(r.graph, floats, QUARTER, createConstantMetadataTensor(r.graph, format, 2 - 2 * i),
                             r.prog);
    const Tensor base = r.floats({ 6, 8 }, numbers, "numbers");
    std::vector<Tensor> tables;
    const auto fresh = [&] {
        tables.push_back(
            popops::cast(r.graph, base, QUARTER, createConstantMetadataTensor(r.graph, format, 0), r.prog));
        return tables.back();
    };
    for (const Tensor &s : as) {
        popops::multiUpdate(r.graph, fresh(), s, at, dims, one, r.prog, plan, {});
        popops::dynamicUpdate(r.graph, fresh(), s[0], at[0], dims, one, r.prog);
        popops::dynamicUpdate(r.graph, fresh(), s[0], at[0], dims, one, r.prog, {},
                              { { "paddingIndexUsed", "true" } });
        popops::scatter(r.graph, fresh(), at, s, 1, { 1, 2 }, {}, { 0 }, r.prog);
    }
    popops::UpdateComputationFunc put = [&](Graph &, Tensor &, Tensor &update, Sequence &) { return update; };
    popops::scatter(r.graph, fresh(), at, as[1], 1, { 1, 2 }, {}, { 0 }, put, r.prog);
    popops::dynamicSliceWithOutput(r.graph, fresh().slice(4, 5), as[0].dimShuffle({ 1, 0, 2 })[0].slice(0, 2),
                                   first, dims, one, r.prog); /* the other rows stay what they are */
    r.read(popops::cast(r.graph, popops::gather(r.graph, as[0], at[1], 0, r.prog, {}), FLOAT, r.prog), "gathered");
    for (std::size_t i = 0; i < tables.size(); i++)
        r.read(popops::cast(r.graph, tables[i], FLOAT, r.prog), std::to_string(i));
    const std::size_t vertices = r.graph.getNumVertices();
    const Tensor unmarked = bare.reinterpret(QUARTER), no = as[0].slice(0, 0), nowhere = at.slice(0, 0);
    using poputil::poplibs_error;
    Sequence none;
    popops::multiUpdate(r.graph, table, no, nowhere, dims, one, r.prog, plan, {}); /* no elements, no metadata */
    popops::scatter(r.graph, table, nowhere, no, 1, { 1, 2 }, {}, { 0 }, r.prog);
    popops::UpdateComputationFunc keep = [&](Graph &, Tensor &old, Tensor &, Sequence &) { return old; };
    EXPECT_THROWS(poplibs_error, popops::scatter(r.graph, table, at, unmarked, 1, { 1, 2 }, {}, { 0 }, keep, none));
    EXPECT_THROWS(poplibs_error, popops::multiUpdate(r.graph, table, unmarked, at, dims, one, none, plan, {}));
    EXPECT_THROWS(poplibs_error, popops::dynamicUpdate(r.graph, table, unmarked[0], at[0], dims, one, none));
    EXPECT_THROWS(poplibs_error, popops::scatter(r.graph, table, at, unmarked, 1, { 1, 2 }, {}, { 0 }, none));
    EXPECT_THROWS(poplibs_error, popops::multiUpdate(r.graph, fixed, rows, at, dims, one, none, plan, {}));
    EXPECT_THROWS(poplibs_error, popops::multiUpdate(r.graph, table, rows[0], at, dims, one, none, plan, {}));
    EXPECT_THROWS(poplibs_error, popops::dynamicUpdate(r.graph, table, rows[0], at, dims, one, none));
    EXPECT_THROWS(poplibs_error, popops::scatter(r.graph, fixed, at, rows, 1, { 1, 2 }, {}, { 0 }, none));
    EXPECT_THROWS(poplibs_error, popops::scatter(r.graph, table, at, rows, 1, { 1, 2 }, {}, { 0 }, put, none));
    EXPECT_THROWS(invalid_option,
                  popops::multiUpdate(r.graph, table, rows, at, dims, one, none, plan, { { "nonsense", "1" } }));
    EXPECT_THROWS(poplibs_error,
                  popops::multiUpdateAdd(r.graph, table, rows, at, scale, dims, one, none, plan, {}));
    EXPECT_THROWS(poplibs_error, popops::multiUpdateMax(r.graph, table, rows, at, dims, one, none, plan, {}));
    const Tensor half =
        concat(both[0].expand({ 0 }), r.graph.addVariable(UNSIGNED_CHAR, { 1, 6, 8 }, "half").reinterpret(QUARTER));
    EXPECT_THROWS(poplibs_error,
                  popops::groupedMultiUpdate(r.graph, half, concat(rows, rows).reshape({ 2, 2, 1, 8 }),
                                             concat(at, at).reshape({ 2, 2, 1 }), dims, one, none, plan, {}));
    EXPECT_THROWS(poplibs_error, popops::castWithOutput(r.graph, base, fixed, none));
    EXPECT_THROWS(poplibs_error, popops::dynamicSliceWithOutput(r.graph, fixed[0], table[0], at[0], {}, {}, none));
    EXPECT(none.isEmpty() && r.graph.getNumVertices() == vertices);
    popops::UpdateComputationFunc other = [&](Graph &g, Tensor &old, Tensor &, Sequence &p) {
        return popops::cast(g, old, QUARTER, createConstantMetadataTensor(g, format, 5), p);
    };
    EXPECT_THROWS(poplibs_error, popops::scatter(r.graph, table, at, as[1], 1, { 1, 2 }, {}, { 0 }, other, none));
    r.run();
    for (std::size_t i = 0; i < tables.size(); i++) {
        Floats want = numbers;
        std::copy(given.begin(), given.begin() + 8, want.begin() + 4 * 8);
        if (i < 9 && (i % 4 == 0 || i % 4 == 3)) std::copy(given.begin() + 8, given.end(), want.begin() + 8);
        EXPECT(r.out[std::to_string(i)] == want);
    }
    EXPECT(r.out["gathered"] == Floats(given.begin() + 8, given.end()));
}

/* Constants are mapped when the program is made; numbers of 8 bytes are refused before anything is built. */
static void casts()
{
    Run r;
    const Tensor metadata = createConstantMetadataTensor(r.graph, QuarterMetadata::Format::F143, 0),
                 q = r.graph.addConstant(QUARTER, { 2 }, 1.5f), f = r.graph.addConstant(FLOAT, { 2 }, 2.5f),
                 wide = r.graph.addVariable(UNSIGNED_LONGLONG, { 2 }, VariableMappingMethod::LINEAR, "wide"),
                 to = r.graph.addVariable(QUARTER, { 2 }, VariableMappingMethod::LINEAR, "to");
    r.read(popops::cast(r.graph, q, FLOAT, r.prog), "q");
    r.read(popops::cast(r.graph, popops::cast(r.graph, f, QUARTER, metadata, r.prog), FLOAT, r.prog), "f");
    popops::castWithOutput(r.graph, f, to, r.prog);
    r.read(popops::cast(r.graph, to, FLOAT, r.prog), "to");
    for (const Tensor &t : { q, f }) r.graph.setTileMapping(t, 1);
    const std::size_t vertices = r.graph.getNumVertices();
    Sequence none;
    using poputil::poplibs_error;
    EXPECT_THROWS(poplibs_error, popops::castWithOutput(r.graph, to, wide, none));
    EXPECT_THROWS(poplibs_error, popops::castWithOutput(r.graph, wide, to, none));
    EXPECT_THROWS(poplibs_error, popops::cast(r.graph, to, UNSIGNED_LONGLONG, none));
    EXPECT(none.isEmpty() && r.graph.getNumVertices() == vertices);
    const Tensor nothing = q.expand({ 0 }).slice(0, 0);
    EXPECT(popops::cast(r.graph, nothing, HALF, r.prog).shape() == Shape({ 0, 2 }));
    EXPECT(popops::cast(r.graph, nothing, QUARTER, metadata, r.prog).shape() == Shape({ 0, 2 }));
    const Tensor zeros = poplin::matMul(r.graph, nothing.transpose(), nothing, r.prog, FLOAT); /* of no products */
    r.read(zeros, "zeros");
    r.run();
    EXPECT(r.out["zeros"] == Floats(4, 0));
    EXPECT(r.out["q"] == Floats({ 1.5f, 1.5f }) && r.out["f"] == Floats({ 2.5f, 2.5f }) &&
           r.out["to"] == r.out["f"]);
}

static void others()
{
    Run r;
    Tensor t = r.counted({ 32, 16 }, "t");
    auto grouping = [&](const Tensor &x) { return poputil::detectDimGroupings(r.graph, x)[0]; };
    Tensor y = popops::rearrange::regroupIfPossible(r.graph, t, r.prog, { 0, 16 });
    EXPECT(grouping(t) == poputil::GroupingInfo(1, 16) && grouping(y) == poputil::GroupingInfo(0, 16));
    EXPECT(popops::rearrange::regroupIfPossible(r.graph, t, r.prog, { 0, 7 }) == t);
    EXPECT(popops::rearrange::regroupIfPossible(r.graph, t, r.prog, { 1, 8 }) == t);
    r.read(y, "y");
    const popops::TopKParams best(2, true, popops::SortOrder::DESCENDING, true);
    EXPECT(best.stableSort && !popops::TopKParams(2, true, popops::SortOrder::NONE).stableSort);
    r.read(popops::topK(r.graph, r.prog, r.floats({ 4 }, { 1, 4, 3, 4 }, "keys"), best), "best");
    Tensor a = r.floats({ 3, 2 }, { 2, 1, 4, 5, -2, 8 }, "a");
    auto lu = poplin::experimental::LUFactorization(r.graph, a, r.prog, "lu");
    r.read(lu.first, "l"), r.read(lu.second, "u");
    auto plan = popnn::ctc::plan(r.graph, FLOAT, FLOAT, 1, 4, 2, 3);
    Tensor data = r.floats({ 4, 1, 3 }, { 1, 2, 3, 3, 1, 2, 1, 1, 1, 2, 0, 1 }, "data"), numbers[3];
    for (Tensor &n : numbers)
        n = r.graph.addVariable(UNSIGNED_INT, &n == numbers ? Shape{ 1, 2 } : Shape{ 1 }),
        r.graph.setTileMapping(n, 0);
    r.graph.setInitialValue<unsigned>(numbers[0], { 1, 2 });
    r.graph.setInitialValue(numbers[1], 4u), r.graph.setInitialValue(numbers[2], 2u);
    r.read(popnn::ctc::calcCTCLossLogits(r.graph, FLOAT, data, numbers[0], numbers[1], numbers[2], r.prog, 0, plan),
           "loss");
    r.read(popnn::ctc::calcLossAndGradientLogits(r.graph, FLOAT, data, numbers[0], numbers[1], numbers[2], r.prog,
                                                 0, plan)
               .first,
           "same");
    r.run();
    EXPECT(r.out["y"] == r.in["t"] && r.out["loss"] == r.out["same"] && r.out["loss"][0] > 0);
    EXPECT(r.out["best"] == Floats({ 4, 4 }));
    EXPECT(r.out["l"] == Floats({ 1, 0, 0, 2, 1, 0, -1, 3, 1 }) && r.out["u"] == Floats({ 2, 1, 0, 3, 0, 0 }));
}

struct Absent { /* as std::optional, which is of C++17 */
    typedef int value_type;
    int value = 0;
    bool there = false;
    Absent() = default;
    Absent(int v) : value(v), there(true) {}
};

static_assert(!std::is_copy_assignable<handles::OptionList>::value, "it points into its own strings");

/* Names that are declared and refused, and what the rest of the later headers has. */
static void names()
{
    Run r;
    Tensor t = r.counted({ 2, 3 }, "t");
    poplar::OptionFlags none;
    using poputil::poplibs_error;
    popnn::experimental::roiAlignParams roi(2, 3, 4, true, 0.5f);
    EXPECT_THROWS(poplibs_error, popnn::experimental::roiAlignFwd(r.graph, r.prog, t, t, t, roi));
    EXPECT_THROWS(poplibs_error, popnn::experimental::roiAlignInputGradient(r.graph, r.prog, t, t, t, t, roi));
    const Target target = r.graph.getTarget();
    const poplin::ConvParams conv(FLOAT, 1, { 4 }, { 2 }, 1, 1, 1);
    std::ostringstream text;
    EXPECT_THROWS(poplibs_error, popops::outputGeneratedCodelet(target, popops::expr::_1, { t }, none, text));
    EXPECT_THROWS(poplibs_error, poplin::internal::reportDetailedPlanEstimatedCosts(r.graph, conv));
    EXPECT_THROWS(poplibs_error, popops::internal::basicOpSupervisorOverhead());
    EXPECT_THROWS(poplibs_error, popops::internal::CastTargetParameters(target, FLOAT, HALF));
    try {
        popnn::experimental::roiAlignFwd(r.graph, r.prog, t, t, t, roi);
    } catch (const poplibs_error &e) {
        EXPECT(std::string(e.what()) == "popnn::experimental::roiAlignFwd is not in these libraries; "
                                        "'./dev poplibs DIR' builds the vendor's");
    }
    EXPECT(r.prog.isEmpty());
    poplin::ConvParams::InputTransform a, b;
    b.dilation = { 2 };
    poplin::ConvParams::OutputTransform c, d;
    d.stride = { 2 };
    EXPECT(hash_value(b) != hash_value(a) && hash_value(c) != hash_value(d));
    Absent number, word;
    const poplibs::OptionSpec spec = { { "number", poplibs::createOptionalDoubleHandler(number, 0, false, 4) },
                                       { "word", poplibs::createOptionalEnumHandler(
                                                     word, { { "one", 1 }, { "two", 2 } }) } };
    spec.parse("number", "3"), spec.parse("word", "two");
    EXPECT(number.there && number.value == 3 && word.there && word.value == 2);
    spec.parse("word", "none");
    EXPECT(!word.there);
    EXPECT_THROWS(invalid_option, spec.parse("number", "5"));
    EXPECT_THROWS(invalid_option, spec.parse("word", "three"));
}

/* Products as convolutions, which are planned as such. */
static void planned()
{
    Run r;
    const Target target = r.graph.getTarget();
    const OptionFlags plain, first = { { "fullyConnectedPass", "TRAINING_FWD" },
                                       { "gatherOutput", "true" },
                                       { "inputRHSIsPreArranged", "true" },
                                       { "availableMemoryProportion", "0.3" },
                                       { "disableSRForAMPVertices", "true" } };
    std::set<poplin::MatMulPlanParams> products;
    products.emplace(&target, poplin::MatMulParams{ FLOAT, FLOAT, { 5, 7 }, { 7, 3 } }, &plain);
    products.emplace(&target, poplin::MatMulParams{ HALF, FLOAT, { 4, 5, 7 }, { 4, 7, 3 } }, &first);
    poplin::MatMulToConvOptions options;
    const std::set<poplin::ConvPlanParams> convs = poplin::matMulGetConvPlanParams(products, options);
    EXPECT(convs.size() == 2 && options.size() == 2 && options.at(&plain).empty());
    EXPECT(options.at(&first) == OptionFlags({ { "pass", "FC_TRAINING_FWD" },
                                               { "gatherConvOutput", "true" },
                                               { "availableMemoryProportion", "0.3" },
                                               { "disableSRForAMPVertices", "true" } }));
    for (const poplin::ConvPlanParams &conv : convs) {
        const poplin::ConvParams &p = std::get<1>(conv);
        const bool grouped = p.numConvGroups == 4;
        EXPECT(std::get<2>(conv) == &options.at(grouped ? &first : &plain) && std::get<0>(conv) == &target);
        EXPECT(p.getNumInputChans() == (grouped ? 28u : 7u) && p.getNumOutputChans() == (grouped ? 12u : 3u));
        EXPECT(p.getOutputFieldShape() == Shape({ 5 }) && p.inputType == (grouped ? HALF : FLOAT));
        EXPECT(poplin::getFwdFlops(p) == 2u * 5 * 7 * 3 * (grouped ? 4 : 1));
    }
    poplin::PlanningCache cache;
    std::set<poplin::MatMulPlanParams> wrong;
    wrong.emplace(&target, poplin::MatMulParams{ FLOAT, FLOAT, { 5, 7 }, { 8, 3 } }, &plain);
    EXPECT_THROWS(poputil::poplibs_error, poplin::matMulGetConvPlanParams(wrong, options));
    poplin::preplanConvolutions(convs, cache);
    EXPECT(cache.size() == 2);
    std::set<poplin::MatMulPlanParams> eights;
    eights.emplace(&target, poplin::MatMulParams{ QUARTER, HALF, { 5, 7 }, { 7, 3 } }, &plain);
    poplin::preplanMatMuls(eights, cache);
    std::ostringstream plan, floats;
    poplin::matMulReportPlan(plan, r.graph, QUARTER, HALF, { 5, 7 }, { 7, 3 });
    poplin::matMulReportPlan(floats, r.graph, FLOAT, FLOAT, { 5, 7 }, { 7, 3 });
    EXPECT(cache.size() == 3 && plan.str() == floats.str());
    poplin::convolutionValidateOptions({ { "enableTileLevelExpandDims", "true" } });
    poplin::matmulValidateOptions({ { "disableSRForAMPVertices", "false" } });
    EXPECT_THROWS(invalid_option, poplin::matmulValidateOptions({ { "disableSRForAMPVertices", "1" } }));
}

int main()
{
    names();
    planned();
    mappings();
    helpers();
    elements();
    several();
    products();
    slices();
    padding();
    sizes();
    groups();
    stable();
    refused();
    quarters();
    shared();
    tables();
    casts();
    others();
    return failures;
}
