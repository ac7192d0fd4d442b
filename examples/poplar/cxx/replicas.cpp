// SPDX-License-Identifier: MIT
/* Replicas in C++: one graph for two IPUs, made twice on four, each copy with data of its own; then each sends its
 * data to the other and adds, as a ring does with gradients.
 *
 *     g++ -std=c++11 replicas.cpp $(pkg-config --cflags --libs poplar) && ./a.out
 *
 * prints: replica 0: 1 2 3, from replica 1: 100 200 300, sum 101 202 303
 * prints: replica 1: 100 200 300, from replica 0: 1 2 3, sum 101 202 303
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
    poplar::Input<poplar::Vector<int>> a, b;
    poplar::Output<poplar::Vector<int>> sum;
    bool compute()
    {
        for (unsigned i = 0; i < sum.size(); i++) sum[i] = a[i] + b[i];
        return true;
    }
};
)";

static void print(const int *values)
{
    for (int i = 0; i < 3; i++) std::cout << ' ' << values[i];
}

int main()
{
    IPUModel model;
    model.numIPUs = 4;
    model.tilesPerIPU = 4;
    auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 4); /* tilewright run --device */
    Device device = ipus.empty() ? model.createDevice() : ipus[0].createVirtualDevice(4);
    Graph whole(device);
    Graph graph = whole.createReplicatedGraph(2); /* two IPUs of four tiles each */
    std::stringstream source(codelets);
    graph.addCodelets(source);

    Tensor own = graph.addVariable(INT, { 3 }, "own"), other = graph.addVariable(INT, { 3 }, "other");
    Tensor sum = graph.addVariable(INT, { 3 }, "sum");
    for (const Tensor &t : { own, other, sum }) graph.setTileMapping(t, 5); /* a tile of the second IPU */
    ComputeSet cs = graph.addComputeSet("add");
    VertexRef v = graph.addVertex(cs, "Add", { { "a", own }, { "b", other }, { "sum", sum } });
    graph.setTileMapping(v, 5);
    graph.setPerfEstimate(v, 20);

    /* One stream for each replica; what is read has a first dimension for them. */
    DataStream in = graph.addHostToDeviceFIFO("in", INT, 3);
    whole.createHostRead("other", whole.getNonReplicatedTensor(other));
    whole.createHostRead("sum", whole.getNonReplicatedTensor(sum));
    Engine engine(graph,
                  Sequence{ Copy(in, own), CrossReplicaCopy(own, other, { { 0, 1 }, { 1, 0 } }), Execute(cs) });
    engine.load(device);
    int data[2][3] = { { 1, 2, 3 }, { 100, 200, 300 } }, others[2][3], sums[2][3];
    for (unsigned r = 0; r < 2; r++) engine.connectStream("in[" + std::to_string(r) + "]", data[r], data[r] + 3);
    engine.run();
    engine.readTensor("other", others, others + 2);
    engine.readTensor("sum", sums, sums + 2);
    for (int r = 0; r < 2; r++) {
        std::cout << "replica " << r << ':', print(data[r]);
        std::cout << ", from replica " << 1 - r << ':', print(others[r]);
        std::cout << ", sum", print(sums[r]);
        std::cout << '\n';
    }
}
