// SPDX-License-Identifier: MIT
/* Metadata of QUARTER tensors as tensors of one element, on tile 0. */
#ifndef POPLAR_METADATA_CREATION_HPP
#define POPLAR_METADATA_CREATION_HPP

#include <poplar/Graph.hpp>
#include <poplar/Quarter.hpp>

namespace poplar {

inline Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format fp8Format, int fp8Scale)
{
    Tensor t = graph.addConstant(QUARTER_METADATA, {}, QuarterMetadata(fp8Format, fp8Scale).getBinary());
    graph.setTileMapping(t, 0);
    return t;
}
/* With this value after each load; a program may change it. */
inline Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format fp8Format, int fp8Scale)
{
    Tensor t = graph.addVariable(QUARTER_METADATA, {}, "metadata");
    graph.setTileMapping(t, 0);
    graph.setInitialValue(t, QuarterMetadata(fp8Format, fp8Scale).getBinary());
    return t;
}

} // namespace poplar
#endif
