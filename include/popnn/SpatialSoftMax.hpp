// SPDX-License-Identifier: MIT
/* Where fields are greatest, softly. */
#ifndef POPNN_SPATIAL_SOFT_MAX_HPP
#define POPNN_SPATIAL_SOFT_MAX_HPP

#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>
#include <vector>

namespace popnn {

/* Of fields [F][H][W]: the expected (y, x) of each, from -1 to 1, [F][2], with softmax(temperature * field) as
 * probabilities (disableSoftmax: the fields themselves); and the temperature, a variable of one element with that
 * initial value. */
inline std::pair<poplar::Tensor, poplar::Tensor>
spatialSoftMax2D(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &fields,
                 float temperature, bool disableSoftmax = false, const poplar::DebugContext &debugContext = {})
{
    if (fields.rank() != 3)
        throw poputil::poplibs_error("popnn::spatialSoftMax2D: fields are [F][H][W], not of rank " +
                                     std::to_string(fields.rank()));
    const std::size_t height = fields.dim(1), width = fields.dim(2);
    const poplar::Type type = fields.elementType();
    if (type != poplar::FLOAT && type != poplar::HALF)
        throw poputil::poplibs_error("popnn::spatialSoftMax2D: fields are float or half, not " +
                                     poplar::handles::describe(fields));
    poplar::handles::wantMapped("popnn::spatialSoftMax2D", graph, fields);
    poplar::Tensor factor = graph.addVariable(type, {}, debugContext);
    graph.setTileMapping(factor, 0);
    graph.setInitialValue(factor, temperature);
    std::vector<float> places(2 * height * width); /* [H * W][2] */
    for (std::size_t i = 0; i < height * width; i++) {
        const std::size_t y = i / width, x = i % width;
        places[2 * i] = height > 1 ? 2.0f * static_cast<float>(y) / static_cast<float>(height - 1) - 1.0f : 0.0f;
        places[2 * i + 1] = width > 1 ? 2.0f * static_cast<float>(x) / static_cast<float>(width - 1) - 1.0f : 0.0f;
    }
    poplar::Tensor at = graph.addConstant(type, { height * width, 2 }, places.data(), debugContext);
    graph.setTileMapping(at, 0);
    poplar::Tensor likely = fields.reshape({ fields.dim(0), height * width });
    if (!disableSoftmax)
        likely = softmaxStable(graph, popops::mul(graph, likely, factor, prog, debugContext), prog, debugContext);
    const poplar::Tensor where = poplin::matMul(graph, likely, at, prog, debugContext);
    return { where, factor };
}

} // namespace popnn
#endif
