// SPDX-License-Identifier: MIT
/* By the vendor's names: several convolutions in one call, caches of plans, the loss of labels that are not aligned,
 * the search for them, spatial softmax, records of calls, data of tensors, tables of estimators. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvPreplan.hpp>
#include <poplin/MultiConvolution.hpp>
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TensorMetaData.hpp>
#include <poputil/cyclesTables.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static Tensor variable(Graph &graph, const Type &type, std::vector<std::size_t> shape, const char *name)
{
    Tensor t = graph.addVariable(type, shape, name);
    poputil::mapTensorLinearly(graph, t);
    return t;
}

static void convolutions(Device &device)
{
    Graph graph(device.getTarget());
    Sequence prog;
    poplin::ConvParams p(FLOAT, 1, { 6, 6 }, { 3, 3 }, 2, 3, 1);
    poplin::PlanningCache cache;
    std::vector<poplin::multiconv::CreateTensorArgs> create = { { p, {}, "a" }, { p, {}, "b" } };
    Tensor x = poplin::multiconv::createInput(graph, create, 0, {}, &cache);
    Tensor w = poplin::multiconv::createWeights(graph, create, 1, {}, &cache);
    EXPECT(cache.size() == 1);
    EXPECT_THROWS(poputil::poplibs_error, poplin::multiconv::createInput(graph, create, 2));
    EXPECT_THROWS(invalid_option, poplin::multiconv::createInput(graph, create, 0, { { "planType", "both" } }));
    std::vector<poplin::multiconv::ConvolutionArgs> args = { { x, w, p, {} }, { x, w, p, {} } };
    std::vector<Tensor> many =
        poplin::multiconv::convolution(graph, args, false, prog, "many", { { "planType", "serial" } }, &cache);
    Tensor one = poplin::convolution(graph, x, w, p, false, prog, "one", {}, &cache);
    args[1].options = { { "insertTransformsCycleCountProgs", "true" } };
    EXPECT_THROWS(poputil::poplibs_error, poplin::multiconv::convolution(graph, args, false, prog));
    EXPECT(many.size() == 2 && cache.size() == 1);
    std::vector<Tensor> deltas = poplin::multiconv::calculateWeightDeltas(
        graph, std::vector<poplin::multiconv::CalculateWeightDeltasArgs>{ { one, x, p, {} } }, prog);
    EXPECT(deltas.at(0).shape() == w.shape());
    graph.createHostWrite("x", x);
    graph.createHostWrite("w", w);
    graph.createHostRead("many", many[1]);
    graph.createHostRead("one", one);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> vx(x.numElements()), vw(w.numElements()), a(one.numElements()), b(one.numElements(), 1);
    for (std::size_t i = 0; i < vx.size(); i++) vx[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < vw.size(); i++) vw[i] = static_cast<float>(i % 5) - 2;
    engine.writeTensor("x", vx.data(), vx.data() + vx.size());
    engine.writeTensor("w", vw.data(), vw.data() + vw.size());
    engine.run();
    engine.readTensor("one", a.data(), a.data() + a.size());
    engine.readTensor("many", b.data(), b.data() + b.size());
    EXPECT(a == b);
}

static void plans(Device &device)
{
    const Target &target = device.getTarget();
    const OptionFlags none, less{ { "availableMemoryProportion", "0.3" } };
    poplin::PlanningCache cache;
    poplin::ConvParams p(FLOAT, 1, { 6, 6 }, { 3, 3 }, 2, 3, 1);
    const poplin::MatMulParams m{ FLOAT, FLOAT, { 4, 5 }, { 5, 6 } };
    poplin::preplan({ std::make_tuple(&target, p, &none), std::make_tuple(&target, p, &less) },
                    { std::make_tuple(&target, m, &none) }, cache);
    EXPECT(cache.size() == 3);
    poplin::preplanConvolutions({ std::make_tuple(&target, p, &none) }, cache);
    EXPECT(cache.size() == 3);
    const OptionFlags wrong{ { "availableMemory", "0.3" } };
    EXPECT_THROWS(invalid_option, poplin::preplanConvolutions({ std::make_tuple(&target, p, &wrong) }, cache));
    EXPECT(cache.size() == 3);
}

/* Three of nine ways to fill two steps with three classes that are alike say "1". */
static void labels(Device &device)
{
    Graph graph(device.getTarget());
    Sequence prog;
    popnn::ctc::Plan plan = popnn::ctc::plan(graph, FLOAT, FLOAT, 1, 2, 1, 3);
    Tensor logits = popnn::ctc::createDataInput(graph, FLOAT, 1, 2, 3, plan, "logits");
    Tensor said = popnn::ctc::createLabelsInput(graph, UNSIGNED_INT, 1, 1, plan, "said");
    Tensor steps = variable(graph, UNSIGNED_INT, { 1 }, "steps"),
           length = variable(graph, UNSIGNED_INT, { 1 }, "length");
    std::pair<Tensor, Tensor> made =
        popnn::ctc::calcLossAndGradientLogits(graph, FLOAT, logits, said, steps, length, prog, 0, plan, "ctc");
    EXPECT(made.second.shape() == logits.shape());
    EXPECT_THROWS(poputil::poplibs_error,
                  popnn::ctc::calcLossAndGradientLogits(graph, FLOAT, logits, said, steps, length, prog, 3, plan));
    std::ostringstream text;
    text << plan;
    EXPECT(text.str().find("classes 3") != std::string::npos);
    for (const auto &t :
         { std::make_pair("said", said), std::make_pair("steps", steps), std::make_pair("length", length) })
        graph.createHostWrite(t.first, t.second);
    graph.createHostWrite("logits", logits);
    graph.createHostRead("loss", made.first);
    graph.createHostRead("gradient", made.second);
    Engine engine(graph, prog);
    engine.load(device);
    const unsigned one = 1, two = 2;
    std::vector<float> zeros(6), gradient(6);
    float loss = 0;
    engine.writeTensor("said", &one, &one + 1);
    engine.writeTensor("length", &one, &one + 1);
    engine.writeTensor("steps", &two, &two + 1);
    engine.writeTensor("logits", zeros.data(), zeros.data() + 6);
    engine.run();
    engine.readTensor("loss", &loss, &loss + 1);
    engine.readTensor("gradient", gradient.data(), gradient.data() + 6);
    EXPECT(std::fabs(loss - std::log(3.0)) < 1e-5);
    EXPECT(std::fabs(gradient[0]) < 1e-5 && std::fabs(gradient[1] + 1.0 / 3) < 1e-5);
}

/* Class 1 of three is more probable in both steps: "1" is said in three ways. */
static void search(Device &device)
{
    Graph graph(device.getTarget());
    Sequence prog;
    popnn::ctc::Plan plan = popnn::ctc_infer::plan(graph, FLOAT, 1, 2, 3, 6);
    EXPECT(plan != popnn::ctc::plan(graph, FLOAT, FLOAT, 1, 2, 3, 6));
    EXPECT_THROWS(poputil::poplibs_error, popnn::ctc::createDataInput(graph, FLOAT, 1, 2, 3, plan));
    EXPECT_THROWS(poputil::poplibs_error, popnn::ctc_infer::createDataInput(graph, FLOAT, 1, 2, 3, {}));
    EXPECT_THROWS(invalid_option, popnn::ctc_infer::plan(graph, FLOAT, 1, 2, 3, 6, { { "beams", "2" } }));
    const auto planned = [&](const char *name, const char *value) {
        return popnn::ctc::plan(graph, FLOAT, FLOAT, 1, 2, 3, 6, { { name, value } });
    };
    EXPECT(planned("availableMemoryProportion", "0.9") == planned("partialsType", "half"));
    EXPECT(planned("planConstraints", "{\"parallel\": {\"time\": 1, \"batch\": 12}}") != plan);
    EXPECT_THROWS(poputil::poplibs_error, planned("availableMemoryProportion", "0.0"));
    EXPECT_THROWS(poputil::poplibs_error, planned("planConstraints", "{\"parallel\": {\"batch\": 0}}"));
    EXPECT_THROWS(poputil::poplibs_error, planned("planConstraints", "{\"parallel\": {\"xyz\": 1}}"));
    EXPECT_THROWS(poputil::poplibs_error, planned("planConstraints", "{\"serial\": {\"time\": -1}}"));
    EXPECT_THROWS(poputil::poplibs_error, planned("availableMemoryProportion", "-1"));
    EXPECT_THROWS(invalid_option, planned("partialsType", "int"));
    for (const char *text : { "garbage", "{", "{\"parallel\"", "{\"parallel\": {\"batch\": 1}", "{\"batch\": x}",
                              "{\"batch\": 1} 2", "{\"batch\": 0.5}", "{\"batch\": }", "{\"batch\" 1}",
                              "{\"parallel\": {\"serial\": {}}}", "{\"batch\": 1 \"time\": 1}", "{\"batch\": 1,}" })
        EXPECT_THROWS(invalid_option, planned("planConstraints", text));
    for (const char *text : { "", " { } ", "{\"serial\": {}, \"parallel\": {\"sliceIntoOutput\": true}}" })
        planned("planConstraints", text);
    for (const char *text : { "abc", "0.5x", "nan", "inf", "1e400", " 1", "" })
        EXPECT_THROWS(invalid_option, planned("availableMemoryProportion", text));
    EXPECT_THROWS(invalid_option,
                  popnn::ctc_infer::plan(graph, FLOAT, 1, 2, 3, 6, { { "sortStageGroups", "zzz" } }));
    popnn::ctc_infer::plan(graph, FLOAT, 1, 2, 3, 6, { { "sortStageGroups", "2" } });
    Tensor logits = popnn::ctc_infer::createDataInput(graph, FLOAT, 1, 2, 3, plan, "logits");
    Tensor steps = variable(graph, UNSIGNED_INT, { 1 }, "steps"), loss, lengths, said;
    std::tie(loss, lengths, said) =
        popnn::ctc_infer::beamSearchDecoderLogits(graph, logits, steps, prog, 0, 6, 2, plan, "search");
    EXPECT(said.shape() == (std::vector<std::size_t>{ 1, 2, 2 }) && lengths.dim(1) == 2);
    EXPECT_THROWS(poputil::poplibs_error,
                  popnn::ctc_infer::beamSearchDecoderLogits(graph, logits, steps, prog, 0, 2, 3, plan));
    graph.createHostWrite("steps", steps);
    graph.createHostWrite("logits", logits);
    graph.createHostRead("loss", loss[0]);
    graph.createHostRead("lengths", lengths[0]);
    graph.createHostRead("said", said[0][0]);
    Engine engine(graph, prog);
    engine.load(device);
    const unsigned two = 2;
    const std::vector<float> in = { 0, 1, 0, 0, 1, 0 };
    std::vector<float> found(2);
    std::vector<unsigned> n(2), labels(2);
    engine.writeTensor("steps", &two, &two + 1);
    engine.writeTensor("logits", in.data(), in.data() + 6);
    engine.run();
    engine.readTensor("loss", found.data(), found.data() + 2);
    engine.readTensor("lengths", n.data(), n.data() + 2);
    engine.readTensor("said", labels.data(), labels.data() + 2);
    const double one = std::exp(1.0) / (std::exp(1.0) + 2), other = 1 / (std::exp(1.0) + 2);
    EXPECT(std::fabs(found[0] - std::log(one * (one + 2 * other))) < 1e-5 && found[1] < found[0]);
    EXPECT(n[0] == 1 && labels[0] == 1 && labels[1] == 0);
}

struct Noted : poputil::TensorMetaDataBase {
    int number;
    explicit Noted(int n) : number(n) {}
    std::unique_ptr<poputil::TensorMetaDataBase> clone() const override
    {
        return std::unique_ptr<poputil::TensorMetaDataBase>(new Noted(number));
    }
};

/* Copies are their own; what was moved from is empty. */
static void metaData()
{
    poputil::TensorMetaData a, b(std::unique_ptr<poputil::TensorMetaDataBase>(new Noted(7)));
    EXPECT(!a.getData() && b.getData());
    a = b;
    EXPECT(a.getData() != b.getData() && static_cast<const Noted *>(a.getData())->number == 7);
    poputil::TensorMetaData c(std::move(b)), d(a);
    EXPECT(static_cast<const Noted *>(c.getData())->number == 7 && d.getData() != a.getData());
    a = poputil::TensorMetaData();
    EXPECT(!a.getData());
}

static void places(Device &device)
{
    Graph graph(device.getTarget());
    Sequence prog;
    Tensor fields = variable(graph, FLOAT, { 2, 3, 5 }, "fields");
    std::pair<Tensor, Tensor> made = popnn::spatialSoftMax2D(graph, prog, fields, 40.0f);
    EXPECT(made.second.numElements() == 1);
    EXPECT_THROWS(poputil::poplibs_error, popnn::spatialSoftMax2D(graph, prog, fields[0], 1.0f));
    graph.createHostWrite("fields", fields);
    graph.createHostRead("where", made.first);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<float> values(30), where(4);
    values[0 * 5 + 4] = 1, values[15 + 2 * 5 + 2] = 1; /* (0, 4) and (2, 2) */
    engine.writeTensor("fields", values.data(), values.data() + 30);
    engine.run();
    engine.readTensor("where", where.data(), where.data() + 4);
    const double want[] = { -1, 1, 1, 0 };
    for (std::size_t i = 0; i < 4; i++) EXPECT(std::fabs(where[i] - want[i]) < 1e-5);
}

static VertexPerfEstimate getPerfEstimateForNothing(const VertexIntrospector &, const Target &, const Type &)
{
    return VertexPerfEstimate(7, 0);
}

static void records(Device &device)
{
    Graph graph(device.getTarget());
    Tensor t = variable(graph, FLOAT, { 2, 3 }, "t");
    const std::vector<std::size_t> dims = { 1, 0 };
    const bool flag = true;
    const Tensor *none = nullptr;
    poputil::PoplibsOpDebugInfo di("records", DI_ARGS(t, dims, flag, none));
    di.addOutput(t);
    EXPECT(di.getPathName() == "records");
    EXPECT(poputil::toProfileValue(t).asMap().count("shape") == 1);
    const auto row = CYCLE_ESTIMATOR_ENTRY(test, Nothing, FLOAT);
    EXPECT(row.first == "test::Nothing<float>");
    poputil::internal::PerfEstimatorTable table = { row };
    EXPECT(table.size() == 1);
}

int main()
{
    IPUModel model;
    model.tilesPerIPU = 4;
    Device device = model.createDevice();
    convolutions(device);
    plans(device);
    labels(device);
    search(device);
    metaData();
    places(device);
    records(device);
    return failures;
}
