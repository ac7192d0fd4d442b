// SPDX-License-Identifier: MIT
/* IPUModel: every field reaches the target; options of targets, from the program and from the environment. */
#include "expect.hpp"

#include <cstdlib>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>
#include <tilewright/poplar/target.h>

using namespace poplar;

static void figures()
{
    IPUModel m;
    m.numIPUs = 2, m.tilesPerIPU = 4;
    m.memcpyBytesPerCycle = 16, m.instructionBytes = 8, m.tilesPerSuperTile = 4, m.dataPathWidth = 128;
    m.supportsSuperTileSendReceive = false;
    m.fp16ConvUnitMaxPipelineDepth = 5, m.fp32ConvUnitMaxPipelineDepth = 6;
    m.fp16ConvUnitInputLoadElemsPerCycle = 8, m.fp32ConvUnitInputLoadElemsPerCycle = 3;
    m.fp16InFp16OutConvUnitsPerTile = 2, m.fp16InFp32OutConvUnitsPerTile = 7, m.fp32InFp32OutConvUnitsPerTile = 9;
    m.convUnitCoeffLoadBytesPerCycle = 32, m.rptCountMax = 100, m.atomicStoreGranularity = 8, m.numStrideBits = 11;
    IPUModel same = m;
    EXPECT(same == m);
    same.numStrideBits = 12;
    EXPECT(same != m);
    Target t = m.createDevice().getTarget();
    EXPECT(t.getMemcpyBytesPerCycle() == 16 && t.getTilesPerSharedExchangeBus() == 4);
    EXPECT(t.getDataPathWidth() == 128 && t.getFloatVectorWidth() == 4 && t.getHalfVectorWidth() == 8);
    EXPECT(!t.supportsExchangeBusSharing());
    EXPECT(t.getFp16ConvUnitMaxPipelineDepth() == 5 && t.getFp32ConvUnitMaxPipelineDepth() == 6);
    EXPECT(t.getFp16ConvUnitInputLoadElemsPerCycle() == 8 && t.getFp32ConvUnitInputLoadElemsPerCycle() == 3);
    EXPECT(t.getFp16InFp16OutConvUnitsPerTile() == 2 && t.getFp16InFp32OutConvUnitsPerTile() == 7 &&
           t.getFp32InFp32OutConvUnitsPerTile() == 9);
    EXPECT(t.getConvUnitCoeffLoadBytesPerCycle() == 32 && t.getRptCountMax() == 100);
    EXPECT(t.getAtomicStoreGranularity() == 8 && t.getNumStrideBits() == 11);
    EXPECT(!(t == IPUModel().createDevice().getTarget()));
    m.numStrideBits = 0;
    EXPECT_THROWS(invalid_machine_model, m.createDevice());
}

static void syncDelays()
{
    using Delay = IPUModel::RelativeSyncDelayType;
    const struct {
        unsigned least;
        Delay relative;
        unsigned min, max;
    } rows[] = { { 106, Delay::AUTO, 106, 126 },
                 { 50, Delay::AUTO, 50, 70 },
                 { 0, Delay::AUTO, 0, 20 },
                 { 106, Delay::NO_DELAY, 106, 106 },
                 { 0, Delay::NO_DELAY, 0, 0 } };
    for (const auto &row : rows) {
        IPUModel m;
        m.minIPUSyncDelay = row.least, m.relativeSyncDelay = row.relative;
        Target t = m.createDevice().getTarget();
        EXPECT(t.getMinIPUSyncDelay() == row.min && t.getMaxIPUSyncDelay() == row.max);
    }
}

static void memory()
{
    IPUModel m;
    m.memoryBytesPerTile = 96 << 10;
    m.memoryElementOffsets = { 0, 16 << 10, 32 << 10, 64 << 10 };
    m.interleavedMemoryElementIndex = 2;
    Target t = m.createDevice().getTarget();
    EXPECT(t.getMemoryElementOffsets() == std::vector<unsigned>{ 0, 16 << 10, 32 << 10, 64 << 10 });
    EXPECT(t.getInterleavedMemoryElementIndex() == 2 && t.getBytesPerTile() == 96 << 10);
    m.interleavedMemoryElementIndex = 4;                    /* none */
    EXPECT_THROWS(invalid_machine_model, m.createDevice()); /* then they differ in size */
    m.memoryElementOffsets = { 0, 32 << 10, 64 << 10 };
    EXPECT(m.createDevice().getTarget().getInterleavedMemoryElementIndex() == 4);
    m.memoryElementOffsets = { 0, 64 << 10, 32 << 10 };
    EXPECT_THROWS(invalid_machine_model, m.createDevice());
}

static void limits()
{
    IPUModel m;
    m.numIPUs = 4, m.tilesPerIPU = 2;
    std::vector<GlobalExchangeFlow> flows{ { 0, 1 }, { 2, 3 } };
    m.globalExchangeConstraints.emplace_back(1e12, flows);
    Target t = m.createDevice().getTarget();
    EXPECT(t.getGlobalExchangeConstraints() == m.globalExchangeConstraints);
    EXPECT(t.createVirtualTarget(4, 1).getGlobalExchangeConstraints() == m.globalExchangeConstraints);
    Target none = t.createVirtualTarget(4, 0); /* PopLibs' planner asks what is left, and then refuses by itself */
    EXPECT(none.getTilesPerIPU() == 0 && none.getNumTiles() == 0 && !(none == t));
    EXPECT_THROWS(invalid_machine_model, Graph(none).addVariable(FLOAT, { 1 }));
    EXPECT_THROWS(invalid_machine_model, Device::createSimulatorDevice(none));
    EXPECT_THROWS(invalid_machine_model, t.createVirtualTarget(5, 0));
    m.globalExchangeConstraints.emplace_back(1e12, std::vector<GlobalExchangeFlow>{ { 0, 4 } });
    EXPECT_THROWS(invalid_machine_model, m.createDevice());
}

static void options()
{
    IPUModel m;
    m.numIPUs = 4, m.tilesPerIPU = 2;
    Target plain = m.createDevice().getTarget();
    Target t = m.createDevice({ { "ipuLinkTopology", "torus" }, { "syncConfiguration", "ipuAndAll" } }).getTarget();
    EXPECT(tw_target_ipu_link_topology(t.get()) == TW_LINK_TORUS && !(t == plain));
    EXPECT(tw_target_sync_configuration(t.get()) == TW_SYNC_IPU_AND_ALL);
    EXPECT(tw_target_ipu_link_topology(plain.get()) == TW_LINK_MESH);
    t = Target::createIPUTarget(2, "ipu2", { { "ipuLinkConfiguration", "barleytwist" } });
    EXPECT(tw_target_ipu_link_configuration(t.get()) == TW_LINK_BARLEY_TWIST);
    EXPECT(t.getIpuLinkConfiguration() == IpuLinkConfiguration::BarleyTwist);
    EXPECT(plain.getIpuLinkTopology() == IpuLinkTopology::Mesh);
    EXPECT(plain.getIpuLinkDomainSize() == 4 && plain.getInstanceSize() == 4 && !plain.getGatewayMode());
    t = m.createDevice({ { "ipuLinkDomainSize", "64" }, { "instanceSize", "16" }, { "gatewayMode", "true" } })
            .getTarget();
    EXPECT(t.getIpuLinkDomainSize() == 64 && t.getInstanceSize() == 16 && t.getGatewayMode() && !(t == plain));
    EXPECT(m.createDevice({ { "gatewayMode", "true" } }).getTarget() != plain);
    EXPECT(m.createDevice({ { "instanceSize", "16" } }).getTarget() != plain);
    EXPECT(m.createDevice({ { "ipuLinkDomainSize", "16" } }).getTarget() != plain);
    EXPECT(m.createDevice({ { "gatewayMode", "false" } }).getTarget() == plain);
    EXPECT_THROWS(invalid_option, m.createDevice({ { "gatewayMode", "maybe" } }));
    EXPECT_THROWS(invalid_option, m.createDevice({ { "instanceSize", "0" } }));
    EXPECT_THROWS(invalid_option, m.createDevice({ { "ipuLinkDomainSize", "all" } }));
    EXPECT_THROWS(invalid_option, m.createDevice({ { "ipuLinkTopology", "star" } }));
    EXPECT_THROWS(invalid_option, Target::createIPUTarget(2, "ipu2", { { "ipuLinks", "8" } }));
    setenv("POPLAR_TARGET_OPTIONS", "{\"ipuLinkTopology\": \"torus\"}", 1);
    t = m.createDevice({ { "ipuLinkTopology", "mesh" } }).getTarget(); /* the environment wins */
    EXPECT(tw_target_ipu_link_topology(t.get()) == TW_LINK_TORUS);
    unsetenv("POPLAR_TARGET_OPTIONS");
}

/* A target of hardware without a device: graphs of it run on simulators of it. */
static void hardware()
{
    Target t = Target::createIPUTarget(2, 4, "ipu2", { { "ipuLinkTopology", "torus" } });
    EXPECT(t.getTargetType() == TargetType::IPU && t.getNumTiles() == 8);
    Device d = Device::createSimulatorDevice(t);
    EXPECT(d.getTarget() == t);
    Graph g(t);
    Tensor x = g.addVariable(INT, { 8 }, VariableMappingMethod::LINEAR);
    g.setInitialValue(x, 7);
    g.createHostRead("x", x);
    Engine e(g, program::Copy(x, x));
    e.load(d);
    e.run();
    int values[8] = { 0 };
    e.readTensor("x", values, values + 8);
    EXPECT(values[0] == 7 && values[7] == 7);
}

/* Programs for hardware take the first device that they can attach to. */
static void listed()
{
    DeviceManager manager;
    EXPECT(manager.getNumDevices() == 1 && manager.getDevice(0).getTarget().getTargetType() == TargetType::CPU);
    setenv("TILEWRIGHT_DEVICES", "model", 1);
    std::vector<Device> all = manager.getDevices();
    EXPECT(all.size() == 2 && manager.getNumDevices() == 2);
    EXPECT(all[0].getTarget().getTargetType() == TargetType::IPU_MODEL && all[0].getId() == 0);
    EXPECT(all[1].getTarget().getTargetType() == TargetType::CPU && all[1].getId() == 1);
    std::vector<Device> torus = manager.getDevices(TargetType::IPU, 2, { { "ipuLinkTopology", "torus" } });
    EXPECT(torus.size() == 1 && torus[0].getTarget().getIpuLinkTopology() == IpuLinkTopology::Torus);
    unsetenv("TILEWRIGHT_DEVICES");
}

int main()
{
    figures();
    syncDelays();
    memory();
    limits();
    options();
    hardware();
    listed();
    return failures != 0;
}
