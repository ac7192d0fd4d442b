// SPDX-License-Identifier: MIT
/* The smallest program in C++ with a codelet: z = x + y on one tile, written and read by the host.
 *
 *     g++ -std=c++11 adder.cpp $(pkg-config --cflags --libs poplar) && ./a.out
 *
 * prints: 2 + 3 = 5
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
class Add : public poplar::Vertex {
  public:
    poplar::Input<float> x, y;
    poplar::Output<float> z;
    bool compute() { *z = *x + *y; return true; }
};
)";

int main()
{
    auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1); /* tilewright run --device */
    Device device = ipus.empty() ? IPUModel().createDevice() : std::move(ipus[0]);
    Graph graph(device);
    std::stringstream source(codelets);
    graph.addCodelets(source);

    Tensor data = graph.addVariable(FLOAT, { 3 }, "data");
    graph.setTileMapping(data, 0);
    ComputeSet cs = graph.addComputeSet("add");
    VertexRef v = graph.addVertex(cs, "Add", { { "x", data[0] }, { "y", data[1] }, { "z", data[2] } });
    graph.setTileMapping(v, 0);
    graph.setPerfEstimate(v, 10);
    graph.createHostWrite("in", data.slice(0, 2));
    graph.createHostRead("out", data[2]);

    Engine engine(graph, Execute(cs));
    engine.load(device);
    float in[] = { 2, 3 }, out;
    engine.writeTensor("in", in, in + 2);
    engine.run();
    engine.readTensor("out", &out, &out + 1);
    std::cout << in[0] << " + " << in[1] << " = " << out << '\n';
}
