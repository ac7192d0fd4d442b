// SPDX-License-Identifier: MIT
/* What the vendor's vertices take, for the vendor's own planners: declared, and refused. Ours have estimators that a
 * profile shows, and others in number. */
#ifndef POPOPS_PERFORMANCE_ESTIMATION_HPP
#define POPOPS_PERFORMANCE_ESTIMATION_HPP

#include <cstdint>
#include <poplar/PerfEstimateFunc.hpp>
#include <poputil/exceptions.hpp>

namespace popops {
namespace internal {

/* Of any arguments: they differ between versions. */
#define TW__REFUSED(Result, call)                                   \
    template <class... Arguments> Result call(const Arguments &...) \
    {                                                               \
        poputil::detail::notHere("popops::internal::" #call);       \
    }
#define TW__REFUSED_STRUCT(Struct)                                                          \
    struct Struct {                                                                         \
        template <class... Arguments> explicit Struct(const poplar::Target &, Arguments...) \
        {                                                                                   \
            poputil::detail::notHere("popops::internal::" #Struct);                         \
        }                                                                                   \
    };
TW__REFUSED(std::uint64_t, basicOpSupervisorOverhead)
TW__REFUSED(std::uint64_t, basicOpLoopCycles)
TW__REFUSED(std::uint64_t, binaryOpInnerLoopCycles)
TW__REFUSED(std::uint64_t, getDynamicSlice1DEstimate)
TW__REFUSED(std::uint64_t, getBinaryOp1DInPlaceEstimate)
TW__REFUSED(std::uint64_t, getBinaryOp1DInPlaceSupervisorEstimate)
TW__REFUSED(std::uint64_t, getMultiSliceCycleEstimate)
TW__REFUSED(std::uint64_t, getMultiUpdateOpCycleEstimate)
TW__REFUSED(std::uint64_t, getCast2DCycleEstimate)
TW__REFUSED(std::uint64_t, getCast1DSingleWorkerCycleEstimate)
TW__REFUSED(std::uint64_t, getCast1DCycleEstimate)
TW__REFUSED(std::uint64_t, getFill1DCycleEstimate)
TW__REFUSED(std::uint64_t, getFill2DCycleEstimate)
TW__REFUSED(std::uint64_t, getScaledArithmeticSupervisorCycleEstimate)
TW__REFUSED(poplar::VertexPerfEstimate, broadcastArithmetic1DCycleEstimate)
TW__REFUSED(poplar::VertexPerfEstimate, broadcastArithmeticCycleEstimate)
TW__REFUSED_STRUCT(MultiSliceTargetParameters)
TW__REFUSED_STRUCT(MultiUpdateOpTargetParameters)
TW__REFUSED_STRUCT(CastTargetParameters)
TW__REFUSED_STRUCT(FillTargetParameters)
TW__REFUSED_STRUCT(ScaledArithmeticTargetParameters)
enum class ScaledArithmeticOp { ADD, SUBTRACT, AXPLUSBY, AXMINUSBY };
#undef TW__REFUSED
#undef TW__REFUSED_STRUCT

} // namespace internal
} // namespace popops
#endif
