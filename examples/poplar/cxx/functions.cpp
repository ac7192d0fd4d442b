// SPDX-License-Identifier: MIT
/* Functions in C++: one body, called twice with copies around it, so that its code exists once.
 *
 *     g++ -std=c++11 functions.cpp $(pkg-config --cflags --libs poplar) && ./a.out
 *
 * prints: a = 2 4 6 8, b = 20 40 60 80
 */
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static const char codelets[] = R"(
#include <poplar/Vertex.hpp>
class Double : public poplar::Vertex {
  public:
    poplar::InOut<poplar::Vector<float>> x;
    bool compute() { for (auto &v : x) v *= 2; return true; }
};
)";

int main()
{
    auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1); /* tilewright run --device */
    Device device = ipus.empty() ? IPUModel().createDevice() : std::move(ipus[0]);
    Graph graph(device);
    std::stringstream source(codelets);
    graph.addCodelets(source);
    Tensor work = graph.addVariable(FLOAT, { 4 }, "work");
    graph.setTileMapping(work, 0);
    ComputeSet cs = graph.addComputeSet("double");
    VertexRef v = graph.addVertex(cs, "Double", { { "x", work } });
    graph.setTileMapping(v, 0);
    graph.setPerfEstimate(v, 20);
    Function twice = graph.addFunction(Execute(cs));

    Tensor a = graph.clone(work, "a"), b = graph.clone(work, "b");
    graph.setInitialValue<float>(a, { 1, 2, 3, 4 });
    graph.setInitialValue<float>(b, { 10, 20, 30, 40 });
    Sequence program;
    for (const Tensor &t : { a, b }) {
        program.add(Copy(t, work));
        program.add(Call(twice));
        program.add(Copy(work, t));
    }
    graph.createHostRead("both", concat(a, b));

    Engine engine(graph, program);
    engine.load(device);
    engine.run();
    float all[8];
    engine.readTensor("both", all, all + 8);
    for (int i = 0; i < 8; i++) std::cout << (i == 0 ? "a =" : i == 4 ? ", b =" : "") << ' ' << all[i];
    std::cout << '\n';
}
