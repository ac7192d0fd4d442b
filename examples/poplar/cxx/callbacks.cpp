// SPDX-License-Identifier: MIT
/* Streams with callbacks in C++: the host makes the data when the device asks for it, and takes results as they come.
 *
 *     g++ -std=c++11 callbacks.cpp $(pkg-config --cflags --libs poplar) && ./a.out
 *
 * prints: 1 2 took
 * prints: 3 4 took
 * prints: 5 6 took
 */
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <memory>

using namespace poplar;
using namespace poplar::program;

/* Two numbers more at each transfer; nothing is ready early. */
struct Source : StreamCallback {
    int next = 1;
    Result prefetch(void *) override { return Result::NotAvailable; }
    void fetch(void *buffer) override
    {
        for (int i = 0; i < 2; i++) static_cast<int *>(buffer)[i] = next++;
    }
    void complete() override {}
};

int main()
{
    auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1); /* tilewright run --device */
    Device device = ipus.empty() ? IPUModel().createDevice() : std::move(ipus[0]);
    Graph graph(device);
    Tensor x = graph.addVariable(INT, { 2 }, "x"), far = graph.addVariable(INT, { 2 }, "far");
    graph.setTileMapping(x, 0);
    graph.setTileMapping(far, graph.getTarget().getNumTiles() - 1);
    DataStream in = graph.addHostToDeviceFIFO("in", INT, 2), out = graph.addDeviceToHostFIFO("out", INT, 2);

    Engine engine(graph, Repeat(3, Sequence{ Copy(in, x), Copy(x, far), Copy(far, out) }));
    engine.connectStreamToCallback("in", std::unique_ptr<StreamCallback>(new Source));
    engine.connectStreamToCallback("out", [](void *data) {
        const int *values = static_cast<const int *>(data);
        std::cout << values[0] << ' ' << values[1] << " took\n";
    });
    engine.load(device);
    engine.run();
}
