// SPDX-License-Identifier: MIT
/* Regions of interest, sampled to fields of one size (of later versions): declared, and refused. */
#ifndef POPNN_EXPERIMENTAL_ROI_ALIGN_HPP
#define POPNN_EXPERIMENTAL_ROI_ALIGN_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {
namespace experimental {

struct roiAlignParams {
    unsigned long samplingRatio_, alignedHeight_, alignedWidth_;
    bool aligned_;
    float spatialScale_;
    roiAlignParams(unsigned long ratio, unsigned long height, unsigned long width, bool aligned, float scale)
        : samplingRatio_(ratio), alignedHeight_(height), alignedWidth_(width), aligned_(aligned),
          spatialScale_(scale)
    {
    }
};

inline poplar::Tensor roiAlignFwd(poplar::Graph &, poplar::program::Sequence &, poplar::Tensor &, poplar::Tensor &,
                                  poplar::Tensor &, const roiAlignParams &, const poplar::DebugContext & = {})
{
    poputil::detail::notHere("popnn::experimental::roiAlignFwd");
}
inline poplar::Tensor roiAlignInputGradient(poplar::Graph &, poplar::program::Sequence &, poplar::Tensor &,
                                            poplar::Tensor &, poplar::Tensor &, poplar::Tensor &,
                                            const roiAlignParams &, const poplar::DebugContext & = {})
{
    poputil::detail::notHere("popnn::experimental::roiAlignInputGradient");
}

} // namespace experimental
} // namespace popnn
#endif
