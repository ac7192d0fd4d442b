// SPDX-License-Identifier: MIT
/* A matrix times a vector in C++: one vertex for each row, on two halves of a chip as virtual graphs; data comes and
 * goes through streams, and a function doubles the result.
 *
 *     g++ -std=c++11 matvec.cpp $(pkg-config --cflags --libs poplar) && ./a.out
 *
 * prints: y = 12 30 48 66
 */
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

/* Codelets may be files too: graph.addCodelets("dot.cpp"). */
static const char codelets[] = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;

class Dot : public Vertex {
public:
    Input<Vector<float>> row, x;
    Output<float> y;
    bool compute()
    {
        float sum = 0;
        for (unsigned i = 0; i < row.size(); i++) sum += row[i] * x[i];
        *y = sum;
        return true;
    }
};

class Double : public Vertex {
public:
    InOut<Vector<float>> y;
    bool compute()
    {
        for (auto &v : y) v *= 2;
        return true;
    }
};
)";

int main()
{
    const std::size_t rows = 4, columns = 3;
    IPUModel model;
    model.tilesPerIPU = 8;
    auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1); /* tilewright run --device */
    Device device = ipus.empty() ? model.createDevice() : ipus[0].createVirtualDevice(8);
    Graph graph(device);
    std::stringstream source(codelets);
    graph.addCodelets(source);

    Tensor a = graph.addVariable(FLOAT, { rows, columns }, "a");
    Tensor x = graph.addVariable(FLOAT, { columns }, "x");
    Tensor y = graph.addVariable(FLOAT, { rows }, "y");
    graph.setTileMapping(x, 0);

    /* The upper rows on tiles 0 to 3, the lower ones on tiles 4 to 7: each half counts its tiles from 0. */
    ComputeSet multiply = graph.addComputeSet("multiply"), twice = graph.addComputeSet("twice");
    for (unsigned half = 0; half < 2; half++) {
        Graph part = graph.createVirtualGraph(4 * half, 4 * half + 4);
        for (unsigned i = 0; i < rows / 2; i++) {
            std::size_t row = half * rows / 2 + i;
            VertexRef v = part.addVertex(multiply, "Dot", { { "row", a[row] }, { "x", x }, { "y", y[row] } });
            part.setPerfEstimate(v, 10 + 3 * columns);
            part.setTileMapping(v, i);
            part.setTileMapping(a[row], i), part.setTileMapping(y[row], i);
        }
    }
    VertexRef last = graph.addVertex(twice, "Double", { { "y", y } });
    graph.setTileMapping(last, 0);
    Function doubled = graph.addFunction(Execute(twice));

    DataStream toA = graph.addHostToDeviceFIFO("a", FLOAT, rows * columns);
    DataStream toX = graph.addHostToDeviceFIFO("x", FLOAT, columns);
    DataStream fromY = graph.addDeviceToHostFIFO("y", FLOAT, rows);
    Engine engine(graph, Sequence{ Copy(toA, a), Copy(toX, x), Execute(multiply), Call(doubled), Copy(y, fromY) });

    std::vector<float> hostA(rows * columns), hostX(columns, 1), hostY(rows);
    for (std::size_t i = 0; i < hostA.size(); i++) hostA[i] = static_cast<float>(i + 1);
    engine.connectStream("a", hostA.data());
    engine.connectStream("x", hostX.data());
    engine.connectStream("y", hostY.data());
    engine.loadAndRun(device);

    std::cout << "y =";
    for (float v : hostY) std::cout << ' ' << v;
    std::cout << "\n\n";
    engine.printProfileSummary(std::cout);
}
