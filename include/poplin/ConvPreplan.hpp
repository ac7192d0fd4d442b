// SPDX-License-Identifier: MIT
/* Plans of convolutions and matrix products before graphs are built: caches note what was planned. */
#ifndef POPLIN_CONV_PREPLAN_HPP
#define POPLIN_CONV_PREPLAN_HPP

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

namespace poplin {

inline void preplan(const std::set<ConvPlanParams> &convs, const std::set<MatMulPlanParams> &matmuls,
                    PlanningCache &cache)
{
    preplanConvolutions(convs, cache);
    preplanMatMuls(matmuls, cache);
}

} // namespace poplin
#endif
