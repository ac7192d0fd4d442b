// SPDX-License-Identifier: MIT
/* What all normalisations share: parameters, and operations that they count as. */
#ifndef POPNN_NORMS_HPP
#define POPNN_NORMS_HPP

#include <cstdint>
#include <poplin/Norms.hpp>

namespace popnn {

/* Two operations an element to scale and shift; with statistics two for sums, two to whiten, five a statistic. */
inline std::uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements,
                                     bool computeStats = true)
{
    const std::uint64_t elements = numActsElements, statistics = statisticsSize;
    return computeStats ? 6 * elements + 5 * statistics : 2 * elements;
}
inline std::uint64_t getNormBwdFlops(std::size_t statisticsSize, std::size_t numActsElements)
{
    const std::uint64_t elements = numActsElements, statistics = statisticsSize;
    return 8 * elements + 2 * statistics;
}
inline std::uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements)
{
    const std::uint64_t elements = numActsElements, parameters = paramsSize;
    return 3 * elements + 4 * parameters;
}

using poplin::createNormBeta;
using poplin::createNormGamma;
using poplin::createNormParams;

} // namespace popnn
#endif
