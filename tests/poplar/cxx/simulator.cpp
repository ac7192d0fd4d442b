// SPDX-License-Identifier: MIT
/* Simulated IPUs in C++: the device, a MultiVertex in assembly from the examples, executables of it. */
#include "expect.hpp"

#include <poplar/Engine.hpp>

#include <cstdlib>
#include <poplar/DeviceManager.hpp>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

enum { COUNT = 25 };

static const std::string folder = TW_SOURCE_DIR "/examples/poplar/colossus/";

static Graph squares(const Target &target, Program &run, const char *type)
{
    Graph g(target);
    g.addCodelets(folder + "split.cpp");
    g.addCodelets(folder + "split.S");
    Tensor x = g.addVariable(INT, { COUNT }, "x"), y = g.addVariable(INT, { COUNT }, "y");
    g.setTileMapping(x, 0), g.setTileMapping(y, 1); // over the exchange
    ComputeSet cs = g.addComputeSet("squares");
    VertexRef v = g.addVertex(cs, type, { { "in", x }, { "out", y } });
    g.setTileMapping(v, 1);
    g.createHostWrite("x", x), g.createHostRead("y", y);
    run = Execute(cs);
    return g;
}

static bool right(Engine &engine, const Device &device)
{
    std::vector<int> x(COUNT), y(COUNT);
    for (int i = 0; i < COUNT; i++) x[i] = 3 * i - 20;
    engine.load(device);
    engine.writeTensor("x", x.data(), x.data() + COUNT);
    engine.run(0);
    engine.readTensor("y", y.data(), y.data() + COUNT);
    bool same = true;
    for (int i = 0; i < COUNT; i++) { /* 25 = 6 * 4 + 1: worker 0 has five elements, the others four */
        int worker = i < 5 ? 0 : (i - 1) / 4;
        same = same && y[i] == x[i] * x[i] + worker;
    }
    return same;
}

int main()
{
    Device device = Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2"));
    EXPECT(device.getTarget().getTargetType() == TargetType::IPU);
    EXPECT(device.getTarget().getNumTiles() == 4);
    EXPECT(device.getTarget().getTypeSize(HALF) == 2);

    Program run;
    Graph g = squares(device.getTarget(), run, "SquareByTile");
    Engine engine(g, run);
    EXPECT(right(engine, device));

    std::stringstream file; // the assembly goes with it
    compileGraph(g, { run }).serialize(file);
    Engine again(Executable::deserialize(file));
    EXPECT(right(again, device));

    bool unknown = false; // the options of the simulator are known by name
    try {
        Device::createSimulatorDevice(device.getTarget(), { { "frob", "1" } });
    } catch (const invalid_option &e) {
        unknown = std::string(e.what()).find("denormals") != std::string::npos;
    }
    EXPECT(unknown);
    EXPECT(
        right(engine, Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2"), { { "seed", "5" } })));

    Graph native = squares(device.getTarget(), run, "Square");
    Engine compiled(native, run); // the class has no assembly: its C++ becomes code of the chip
    EXPECT(right(compiled, device));
    Engine asked(native, run, { { "simulator.runNativeVertices", "true" } });
    EXPECT(right(asked, device));

    DeviceManager manager = DeviceManager::createDeviceManager();
    EXPECT(manager.getDevices(TargetType::IPU, 1).empty());
    setenv("TILEWRIGHT_DEVICES", "sim", 1);
    EXPECT(manager.getDevices(TargetType::IPU, 1).size() == 1);
    EXPECT(manager.getDevices(TargetType::IPU, 1)[0].getTarget().getTargetType() == TargetType::IPU);
    return failures != 0;
}
