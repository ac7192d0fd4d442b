// SPDX-License-Identifier: MIT
/* Pooling with gradients. <tilewright/poplibs/pooling.h> says what it computes. */
#ifndef POPNN_POOLING_HPP
#define POPNN_POOLING_HPP

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/PoolingDef.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/pooling.h>
#include <vector>

namespace popnn {
namespace pooling {

/* Padding where it is positive, elements that are cut off where it is negative. */
struct PoolParams {
    PoolingType poolingType;
    std::vector<std::size_t> inputFieldShape, kernelShape;
    std::vector<unsigned> stride;
    std::vector<int> inputTruncationOrPaddingLower, inputTruncationOrPaddingUpper;
    std::size_t numChannels, batchSize;
    poplar::Type dType;

    PoolParams(PoolingType type, std::vector<std::size_t> field, std::vector<std::size_t> kernel,
               std::vector<unsigned> strides, std::vector<int> lower, std::vector<int> upper, std::size_t channels,
               std::size_t batch, poplar::Type data)
        : poolingType(type), inputFieldShape(std::move(field)), kernelShape(std::move(kernel)),
          stride(std::move(strides)), inputTruncationOrPaddingLower(std::move(lower)),
          inputTruncationOrPaddingUpper(std::move(upper)), numChannels(channels), batchSize(batch), dType(data)
    {
    }
    /* The same for C; throws when something is wrong. */
    tw_pool_params handle() const
    {
        const std::size_t dims = inputFieldShape.size();
        if (kernelShape.size() != dims || stride.size() != dims || inputTruncationOrPaddingLower.size() != dims ||
            inputTruncationOrPaddingUpper.size() != dims)
            throw poputil::poplibs_error(
                "popnn::pooling: kernel, stride and padding have not one entry for each dimension of the field");
        tw_pool_params p = tw_pool_params();
        p.type = static_cast<tw_pool_type>(poolingType), p.data_type = poplar::handles::of(dType);
        p.batch = batchSize, p.channels = numChannels, p.dims = static_cast<unsigned>(dims);
        for (std::size_t d = 0; d < dims && d < TW_CONV_DIMS; d++) {
            if (!stride[d]) throw poputil::poplibs_error("popnn::pooling: a stride of 0");
            p.field[d] = inputFieldShape[d], p.kernel[d] = kernelShape[d], p.stride[d] = stride[d];
            p.lower[d] = inputTruncationOrPaddingLower[d], p.upper[d] = inputTruncationOrPaddingUpper[d];
        }
        std::unique_ptr<char, void (*)(void *)> text(tw_popnn_pool_problem(&p), std::free);
        if (text) throw poputil::poplibs_error(std::string("popnn::pooling: ") + text.get());
        return p;
    }
    std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
    std::vector<std::size_t> getOutputFieldShape() const
    {
        const tw_pool_params p = handle();
        std::vector<std::size_t> out;
        for (unsigned d = 0; d < p.dims; d++) out.push_back(tw_popnn_pool_output_size(&p, d));
        return out;
    }
};

inline const char *asString(const PoolingType &type)
{
    return type == PoolingType::MAX ? "max" : type == PoolingType::AVG ? "avg" : "sum";
}
inline std::ostream &operator<<(std::ostream &out, const PoolingType &type)
{
    return out << asString(type);
}

/* The same with another kind of pooling. */
inline PoolParams substPoolingParams(const PoolParams &params, PoolingType type)
{
    PoolParams out = params;
    out.poolingType = type;
    return out;
}

#define TW__END                                                                     \
    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {}, \
                                                                const poplar::OptionFlags &options = {}
inline poplar::Tensor pool(poplar::Graph &graph, const PoolParams &params, const poplar::Tensor &in, TW__END)
{
    const tw_pool_params p = params.handle();
    return poplar::handles::step(
        graph, prog, debugContext, options, "popnn::pooling::pool", [&](const poplar::handles::Call &c) {
            return tw_popnn_pool(c.graph, &p, poplar::handles::of(in), c.sequence, c.path, c.options);
        });
}
/* Of MAX; `useScaledGradient`: inputs that are all the greatest share the gradient. */
inline poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params, const poplar::Tensor &in,
                                        const poplar::Tensor &pooled, const poplar::Tensor &pooledGradient,
                                        bool useScaledGradient, TW__END)
{
    const tw_pool_params p = params.handle();
    return poplar::handles::step(graph, prog, debugContext, options, "popnn::pooling::poolInputGradient",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_popnn_pool_max_gradient(
                                         c.graph, &p, poplar::handles::of(in), poplar::handles::of(pooled),
                                         poplar::handles::of(pooledGradient), useScaledGradient, c.sequence, c.path,
                                         c.options);
                                 });
}
/* Of AVG and SUM; the grouping of channels changes no result. */
inline poplar::Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params, unsigned,
                                        const poplar::Tensor &pooledGradient, TW__END)
{
    const tw_pool_params p = params.handle();
    return poplar::handles::step(graph, prog, debugContext, options, "popnn::pooling::poolInputGradient",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_popnn_pool_gradient(c.graph, &p, poplar::handles::of(pooledGradient),
                                                                   c.sequence, c.path, c.options);
                                 });
}
#undef TW__END

/* An operation for each element under a kernel. */
inline std::uint64_t getFwdFlops(const PoolParams &params)
{
    const tw_pool_params p = params.handle();
    return tw_popnn_pool_flops(&p);
}
inline std::uint64_t getBwdFlops(const PoolParams &params)
{
    return params.poolingType == PoolingType::MAX ? 0 : getFwdFlops(params);
}
/* With all tiles at a vector of 8 bytes a cycle. */
inline double getFwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params)
{
    const double lanes = params.dType == poplar::HALF ? 4 : 2;
    return static_cast<double>(getFwdFlops(params)) / lanes / graph.getTarget().getNumTiles();
}
inline double getBwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params)
{
    return getFwdPerfectCycleCount(graph, params) * 2;
}

} // namespace pooling
} // namespace popnn
#endif
