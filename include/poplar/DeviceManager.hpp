// SPDX-License-Identifier: MIT
/* Finds devices. There is no hardware here: a list of IPUs is empty, unless TILEWRIGHT_DEVICES=model offers IPU
 * Models in their place, or TILEWRIGHT_DEVICES=sim simulated IPUs, so that programs written for hardware run. */
#ifndef POPLAR_DEVICE_MANAGER_HPP
#define POPLAR_DEVICE_MANAGER_HPP

#include <poplar/Device.hpp>
#include <vector>

namespace poplar {

class DeviceManager {
  public:
    static DeviceManager createDeviceManager() { return DeviceManager(); }
    unsigned getNumDevices() const;
    std::vector<Device> getDevices(const OptionFlags &options = {}) const;
    std::vector<Device> getDevices(TargetType type, unsigned requiredNumIPUs,
                                   const OptionFlags &options = {}) const;
    Device getDevice(unsigned id, const OptionFlags &options = {}) const; /* poplar_error: no such device */
    std::vector<unsigned> getChildDeviceIds(unsigned id, unsigned numChildren = 1) const;
};

} // namespace poplar
#endif
