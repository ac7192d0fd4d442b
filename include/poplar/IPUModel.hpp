// SPDX-License-Identifier: MIT
/* The IPU Model: a chip that counts cycles and memory while native code computes. */
#ifndef POPLAR_IPU_MODEL_HPP
#define POPLAR_IPU_MODEL_HPP

#include <cstdint>
#include <limits>
#include <poplar/Device.hpp>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <string>
#include <vector>

namespace poplar {

/* All fields start as the chip has them. */
struct IPUModel {
    enum class RelativeSyncDelayType { AUTO, NO_DELAY };

    explicit IPUModel(char const *IPUVersion = "ipu2"); /* "ipu1", "ipu2", "ipu21"; invalid_machine_model */

    std::string IPUVersion;
    unsigned numIPUs, tilesPerIPU, numWorkerContexts;
    std::uint64_t memoryBytesPerTile;
    unsigned exchangeBytesPerCycle, memcpyBytesPerCycle;
    unsigned minIPUSyncDelay; /* cycles */
    RelativeSyncDelayType relativeSyncDelay;
    unsigned globalSyncCycles; /* 0: from the number of IPUs */
    double tileClockFrequency; /* Hz */
    std::vector<GlobalExchangeConstraint> globalExchangeConstraints;
    bool compileIPUCode; /* codelets are compiled for the chip, too, and their code counts in the memory of tiles
                            and in cycles */
    unsigned instructionBytes, tilesPerSuperTile;
    bool supportsSuperTileSendReceive;
    std::vector<std::uint64_t> memoryElementOffsets;
    unsigned interleavedMemoryElementIndex, dataPathWidth;
    unsigned fp16ConvUnitMaxPipelineDepth, fp32ConvUnitMaxPipelineDepth;
    unsigned fp16ConvUnitInputLoadElemsPerCycle, fp32ConvUnitInputLoadElemsPerCycle;
    unsigned fp16InFp16OutConvUnitsPerTile, fp16InFp32OutConvUnitsPerTile, fp32InFp32OutConvUnitsPerTile;
    unsigned convUnitCoeffLoadBytesPerCycle, rptCountMax, atomicStoreGranularity, numStrideBits;

    bool operator==(const IPUModel &other) const;
    bool operator!=(const IPUModel &other) const { return !(*this == other); }

    Device createDevice(OptionFlags options = {}, bool accurateHalf = false,
                        unsigned deviceManagerId = std::numeric_limits<unsigned>::max()) const;
};

} // namespace poplar
#endif
