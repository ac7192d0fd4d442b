// SPDX-License-Identifier: MIT
/* Variables on tiles, constants, copies, and what a program prints, without a vertex.
 *
 *     g++ -std=c++11 variables.cpp $(pkg-config --cflags --libs poplar tilewright_poplibs) && ./a.out
 *
 * prints: row 1 as the host reads it: 11 22 33 44
 */
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/TileMapping.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;

int main()
{
    auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1); /* tilewright run --device */
    Device device = ipus.empty() ? IPUModel().createDevice() : std::move(ipus[0]);
    Graph graph(device.getTarget());
    Tensor table = graph.addVariable(FLOAT, { 4, 4 }, "table");
    poputil::mapTensorLinearly(graph, table);
    Tensor line = graph.addConstant<float>(FLOAT, { 4 }, { 11, 22, 33, 44 });
    graph.setTileMapping(line, 0);
    graph.createHostRead("table", table);

    Sequence prog;
    prog.add(Copy(line, table[1]));
    prog.add(PrintTensor("table", table));
    Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    float seen[16];
    engine.readTensor("table", seen, seen + 16);
    std::cout << "row 1 as the host reads it: " << seen[4] << " " << seen[5] << " " << seen[6] << " " << seen[7]
              << "\n";
    return 0;
}
