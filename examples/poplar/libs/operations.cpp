// SPDX-License-Identifier: MIT
/* Operations of the libraries: sums element by element, an expression as one vertex, a reduction, a matrix product.
 *
 *     g++ -std=c++11 operations.cpp $(pkg-config --cflags --libs poplar) -lpopops -lpoplin && ./a.out
 *
 * prints: x + y: 1.5 3 4.5 6
 * prints: max(x - 2, 0) * y: 0 0 1.5 4
 * prints: sum of both rows of products: 7.5 15 22.5 30
 */
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

static void show(Engine &engine, const char *handle, const char *title)
{
    std::vector<float> v(4);
    engine.readTensor(handle, v.data(), v.data() + 4);
    std::cout << title << ": " << v[0] << " " << v[1] << " " << v[2] << " " << v[3] << "\n";
}

int main()
{
    auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1); /* tilewright run --device */
    Device device = ipus.empty() ? IPUModel().createDevice() : std::move(ipus[0]);
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    Tensor x = graph.addVariable(FLOAT, { 4 }, "x"), y = graph.addVariable(FLOAT, { 4 }, "y");
    poputil::mapTensorLinearly(graph, x);
    poputil::mapTensorLinearly(graph, y);
    graph.setInitialValue(x, ArrayRef<float>({ 1, 2, 3, 4 }));
    graph.setInitialValue(y, ArrayRef<float>({ 0.5f, 1, 1.5f, 2 }));

    Sequence prog;
    Tensor sum = popops::add(graph, x, y, prog, "sum");
    using namespace popops::expr;
    Tensor gated = popops::map(graph, Max(_1 - 2, Const(0)) * _2, { x, y }, prog, "gated");
    /* [2][1] x [1][4], then over the rows */
    Tensor column = concat(x[0].expand({ 0 }), y[0].expand({ 0 })).expand({ 1 });
    Tensor outer = poplin::matMul(graph, column, sum.expand({ 0 }), prog, "outer");
    Tensor rows = popops::reduce(graph, outer, { 0 }, popops::Operation::ADD, prog, "rows");
    Tensor larger = popops::mul(graph, rows, 10.0f / 3.0f, prog);
    graph.createHostRead("sum", sum);
    graph.createHostRead("gated", gated);
    graph.createHostRead("larger", larger);

    Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    show(engine, "sum", "x + y");
    show(engine, "gated", "max(x - 2, 0) * y");
    show(engine, "larger", "sum of both rows of products");
    return 0;
}
