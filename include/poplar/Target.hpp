// SPDX-License-Identifier: MIT
/* What a graph is built for. A value; two targets are equal when all their figures are. */
#ifndef POPLAR_TARGET_HPP
#define POPLAR_TARGET_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/IpuLinkConfiguration.hpp>
#include <poplar/IpuLinkTopology.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <string>
#include <vector>

struct tw_target;

namespace poplar {

class Target {
  public:
    Target();                                   /* none: only assignment and comparison are of use */
    explicit Target(const ::tw_target *target); /* shares it */

    static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);
    /* systemType: "ipu1", "ipu2", "ipu21". No device of that kind is needed. invalid_machine_model. */
    static Target createIPUTarget(unsigned numIPUs, StringRef systemType, const OptionFlags &options = {});
    static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                                  const OptionFlags &options = {});
    static Target createIPUTarget(StringRef systemType, const OptionFlags &options = {});
    Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

    TargetType getTargetType() const;
    StringRef getTargetArchString() const; /* "ipu2" */
    StringRef getTargetSystemString() const;
    unsigned getNumTiles() const;
    unsigned getNumIPUs() const;
    unsigned getTilesPerIPU() const;
    unsigned getNumWorkerContexts() const;
    std::uint64_t getBytesPerTile() const;
    std::uint64_t getMemoryBytes() const;
    unsigned getExchangeBytesPerCycle() const;
    unsigned getMemcpyBytesPerCycle() const;
    unsigned getMinIPUSyncDelay() const; /* cycles */
    unsigned getMaxIPUSyncDelay() const;
    unsigned getGlobalSyncCycles() const;
    double getTileClockFrequency() const; /* Hz */
    unsigned getNumTilesPerXBContext() const;
    unsigned getNumContextXBs() const;
    const std::vector<GlobalExchangeConstraint> &getGlobalExchangeConstraints() const;
    const std::vector<unsigned> &getMemoryElementOffsets() const; /* bytes from the start of memory */
    unsigned getInterleavedMemoryElementIndex() const;
    bool supportsExchangeBusSharing() const;
    unsigned getTilesPerSharedExchangeBus() const;
    unsigned getDataPathWidth() const;             /* bits */
    std::size_t getAtomicStoreGranularity() const; /* bytes */
    unsigned getNumStrideBits() const;
    unsigned getRptCountMax() const;
    std::size_t getTypeSize(const Type &type) const; /* bytes; half is 4 on a CPU target without accurate halves */
    unsigned getVectorWidth(const Type &type) const; /* elements */
    unsigned getFloatVectorWidth() const;
    unsigned getHalfVectorWidth() const;
    unsigned getWeightsPerConvUnit(bool floatActivations) const;
    unsigned getConvUnitInputLoadElemsPerCycle(bool floatActivations) const;
    /* Of these types, as later versions have it: 0 where the units do not take them. */
    unsigned getNumConvUnits(const Type &input, const Type &partial) const;
    unsigned getConvUnitMaxPipelineDepth(const Type &partial) const;
    unsigned getWeightsPerConvUnit(const Type &input) const;
    unsigned getConvUnitInputLoadElemsPerCycle(const Type &input) const;
    template <class V> V getTypeLimitsMaxAs(const Type &type) const; /* type_error: it has no largest value */
    unsigned getConvUnitCoeffLoadBytesPerCycle() const;
    unsigned getFp16ConvUnitMaxPipelineDepth() const;
    unsigned getFp32ConvUnitMaxPipelineDepth() const;
    unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
    unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;
    unsigned getFp16InFp16OutConvUnitsPerTile() const;
    unsigned getFp16InFp32OutConvUnitsPerTile() const;
    unsigned getFp32InFp32OutConvUnitsPerTile() const;
    bool hasAccurateHalf() const;
    /* What the target's options say. Nothing in the model depends on the configuration and on the last three. */
    IpuLinkTopology getIpuLinkTopology() const;
    IpuLinkConfiguration getIpuLinkConfiguration() const;
    unsigned getIpuLinkDomainSize() const; /* IPUs */
    unsigned getInstanceSize() const;      /* IPUs */
    bool getGatewayMode() const;
    std::size_t hash() const;

    const ::tw_target *get() const { return target.get(); } /* nullptr: none */

  private:
    void typeLimitsMax(const Type &type, void *value, const TypeTraits &traits) const;
    std::shared_ptr<const ::tw_target> target;
};
template <class V> V Target::getTypeLimitsMaxAs(const Type &type) const
{
    V value = V();
    typeLimitsMax(type, &value, TypeTraits::make<V>());
    return value;
}
bool operator==(const Target &a, const Target &b);
inline bool operator!=(const Target &a, const Target &b)
{
    return !(a == b);
}
bool operator<(const Target &a, const Target &b);

/* Between host numbers and half elements as a device of this target has them: getTypeSize(HALF) bytes each, rounded
 * once to nearest even. */
void copyFloatToDeviceHalf(const Target &target, const float *src, void *dst, std::size_t numElements);
void copyDoubleToDeviceHalf(const Target &target, const double *src, void *dst, std::size_t numElements);
void copyDeviceHalfToFloat(const Target &target, const void *src, float *dst, std::size_t numElements);
void copyDeviceHalfToDouble(const Target &target, const void *src, double *dst, std::size_t numElements);

} // namespace poplar
#endif
