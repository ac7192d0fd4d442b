// SPDX-License-Identifier: MIT
/* popnn's header of pooling: results, gradients, parameters, errors. tests/poplar/libs/popnn has the rules. */
#include "../../cxx/expect.hpp"

#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;
using namespace popnn;

template <class E, class F> static bool throws(F f, const char *words)
{
    try {
        f();
    } catch (const E &e) {
        if (std::strstr(e.what(), words)) return true;
        std::printf("'%s' lacks '%s'\n", e.what(), words);
    }
    return false;
}

int main()
{
    IPUModel m;
    m.tilesPerIPU = 8;
    Device device = m.createDevice();
    Graph graph(device.getTarget());
    popnn::addCodelets(graph);
    pooling::PoolParams max(PoolingType::MAX, { 4, 4 }, { 2, 2 }, { 2, 2 }, { 0, 0 }, { 0, 0 }, 1, 1, FLOAT);
    pooling::PoolParams avg = pooling::substPoolingParams(max, PoolingType::AVG);
    pooling::PoolParams padded(PoolingType::AVG, { 4, 4 }, { 3, 3 }, { 1, 2 }, { 1, -1 }, { 1, 1 }, 1, 1, FLOAT);
    EXPECT(padded.getOutputFieldShape() == (std::vector<std::size_t>{ 4, 1 }));
    EXPECT(std::strcmp(pooling::asString(PoolingType::SUM), "sum") == 0);
    EXPECT(pooling::getFwdFlops(max) == 16 && pooling::getFwdPerfectCycleCount(graph, max) == 1);
    Tensor x = graph.addVariable(FLOAT, { 1, 1, 4, 4 }, "x"), dy = graph.addVariable(FLOAT, { 1, 1, 2, 2 }, "dy");
    poputil::mapTensorLinearly(graph, x), poputil::mapTensorLinearly(graph, dy);
    graph.setInitialValue(x, ArrayRef<float>({ 1, 2, 3, 4, 5, 5, 7, 0, 1, 1, 2, 6, 1, 1, 4, 5 }));
    graph.setInitialValue(dy, ArrayRef<float>({ 2, 4, 8, 16 }));
    Sequence prog;
    Tensor y = pooling::pool(graph, max, x, prog, "y", { { "optimizeForSpeed", "true" } });
    Tensor dx = pooling::poolInputGradient(graph, max, x, y, dy, false, prog);
    Tensor shared = pooling::poolInputGradient(graph, max, x, y, dy, true, prog);
    Tensor mean = pooling::pool(graph, avg, x, prog);
    Tensor spread = pooling::poolInputGradient(graph, avg, 1, dy, prog);
    Tensor edge = pooling::pool(graph, padded, x, prog);
    Tensor all =
        concat({ y.flatten(), dx.flatten(), shared.flatten(), mean.flatten(), spread.flatten(), edge.flatten() });
    graph.createHostRead("all", all);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    const std::vector<float> want = {
        5,         7,         1,         6,                                                   /* y */
        0,         0,         0,         0,        2,    2,    4, 0, 8, 8, 0, 16, 8, 8, 0, 0, /* dx */
        0,         0,         0,         0,        1,    1,    4, 0, 2, 2, 0, 16, 2, 2, 0, 0, /* shared */
        3.25f,     3.5f,      1,         4.25f,                                               /* mean */
        0.5f,      0.5f,      1,         1,        0.5f, 0.5f, 1, 1, 2, 2, 4, 4,  2, 2, 4, 4, /* spread */
        21.0f / 6, 30.0f / 9, 31.0f / 9, 19.0f / 6 /* edge: columns 1 to 3 */
    };
    std::vector<float> seen(want.size());
    engine.readTensor("all", seen.data(), seen.data() + seen.size());
    for (std::size_t i = 0; i < want.size(); i++) EXPECT(seen[i] - want[i] < 1e-6f && want[i] - seen[i] < 1e-6f);
    using poputil::poplibs_error;
    EXPECT(
        (throws<poplibs_error>([&] { pooling::pool(graph, max, dy, prog); }, "popnn::pooling::pool: the input")));
    EXPECT((throws<poplibs_error>(
        [&] {
            max.stride = { 0, 1 };
            pooling::pool(graph, max, x, prog);
        },
        "a stride of 0")));
    EXPECT((throws<poplibs_error>(
        [&] {
            max.stride = { 1 };
            pooling::pool(graph, max, x, prog);
        },
        "one entry for each")));
    EXPECT((throws<invalid_option>([&] { pooling::pool(graph, avg, x, prog, {}, { { "speed", "true" } }); },
                                   "no option 'speed'")));
    return failures;
}
