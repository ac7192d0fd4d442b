// SPDX-License-Identifier: MIT
/* Remote buffers in C++: rows in the host's memory that a program reads and writes by index.
 *
 *     g++ -std=c++11 remote.cpp $(pkg-config --cflags --libs poplar) && ./a.out
 *
 * prints: row 0: 5 6
 * prints: row 2: 5 6
 */
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main()
{
    auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1); /* tilewright run --device */
    Device device = ipus.empty() ? IPUModel().createDevice() : std::move(ipus[0]);
    Graph graph(device);
    RemoteBuffer rows = graph.addRemoteBuffer("rows", INT, 2, 3);
    Tensor row = graph.addVariable(INT, { 2 }, "row"), index = graph.addVariable(UNSIGNED_INT, { 1 }, "index");
    Tensor last = graph.addConstant(UNSIGNED_INT, { 1 }, 2u);
    for (const Tensor &t : { row, index, last }) graph.setTileMapping(t, 1);
    graph.setInitialValue(index, 0u);

    /* Row 0 becomes row 2. */
    Engine engine(graph, Sequence{ Copy(rows, row, index), Copy(last, index), Copy(row, rows, index) });
    engine.load(device);
    int values[] = { 5, 6 };
    engine.copyToRemoteBuffer(values, "rows", 0);
    engine.run();
    for (unsigned i : { 0, 2 }) {
        engine.copyFromRemoteBuffer("rows", values, i);
        std::cout << "row " << i << ": " << values[0] << ' ' << values[1] << '\n';
    }
}
