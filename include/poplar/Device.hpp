// SPDX-License-Identifier: MIT
/* Where engines run. Movable, not copyable. */
#ifndef POPLAR_DEVICE_HPP
#define POPLAR_DEVICE_HPP

#include <map>
#include <memory>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <string>
#include <vector>

struct tw_device;

namespace poplar {

class Device {
  public:
    Device() = default;
    Device(Device &&) = default;
    Device &operator=(Device &&) = default;
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    static Device createCPUDevice(unsigned numIPUs = 1);
    /* Runs codelets as Colossus code; the engine's option simulator.runNativeVertices=true is for codelets that have
     * none. */
    static Device createSimulatorDevice(const Target &target, const OptionFlags &options = {});
    Device createVirtualDevice(unsigned tilesPerIPU);

    const Target &getTarget() const { return target; }
    unsigned getId() const { return id; }
    bool attach() const; /* there is no hardware to wait for: true */
    void detach() const;
    bool isAttached() const { return attached && *attached; }
    void reset() const {}
    bool supportsRemoteBuffers() const { return true; }
    bool hasGateway() const { return false; }
    void getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const;
    std::vector<int> getDriverIDs() const { return { static_cast<int>(id) }; }
    const std::vector<int> getNumaTopology() const { return { 0 }; }
    std::vector<unsigned> getNumaNodesUsedForIPUs() const { return {}; }
    std::map<std::string, std::string> getAttributes() const;
    std::string getAttribute(StringRef name) const;
    OptionFlags getOptions() const { return options; } /* those that it was made with */

    Device(::tw_device *device, unsigned id, OptionFlags options = {}); /* takes the C device over */
    ::tw_device *get() const { return device.get(); }

  private:
    std::shared_ptr<::tw_device> device;
    std::shared_ptr<bool> attached;
    Target target;
    unsigned id = 0;
    OptionFlags options;
};

} // namespace poplar
#endif
