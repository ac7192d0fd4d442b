// SPDX-License-Identifier: MIT
/* Several convolutions by one call, made one after the other: results are those of single calls. */
#ifndef POPLIN_MULTI_CONVOLUTION_HPP
#define POPLIN_MULTI_CONVOLUTION_HPP

#include <poplin/Convolution.hpp>
#include <poputil/OptionParsing.hpp>
#include <string>
#include <vector>

namespace poplin {
namespace multiconv {

struct CreateTensorArgs {
    ConvParams params;
    poplar::OptionFlags options;
    std::string name;
};
struct ConvolutionArgs {
    poplar::Tensor inputs, weights;
    ConvParams params;
    poplar::OptionFlags options;
};
struct CalculateWeightDeltasArgs {
    poplar::Tensor zDeltas, activations;
    ConvParams params;
    poplar::OptionFlags options;
};
struct ConvWeightUpdateArgs {
    poplar::Tensor zDeltas, weights, activations, scale;
    ConvParams params;
    poplar::OptionFlags options;
};
struct ConvWeightUpdateArgsScalar {
    poplar::Tensor zDeltas, weights, activations;
    float scale;
    ConvParams params;
    poplar::OptionFlags options;
};

namespace detail {
/* planType, perConvReservedTiles and cycleBackOff are checked; there is no plan of several. */
inline void checkOptions(const poplar::OptionFlags &options)
{
    enum Kind { PARALLEL, SERIAL } kind;
    unsigned tiles;
    double backOff;
    poplibs::OptionSpec spec{
        { "planType",
          poplibs::OptionHandler::createWithEnum(kind, { { "parallel", PARALLEL }, { "serial", SERIAL } }) },
        { "perConvReservedTiles", poplibs::OptionHandler::createWithInteger(tiles) },
        { "cycleBackOff", poplibs::OptionHandler::createWithDouble(backOff) },
    };
    for (const auto &option : options) spec.parse(option.first, option.second);
}
template <class Args> const Args &at(const char *call, const std::vector<Args> &args, unsigned index)
{
    if (index < args.size()) return args[index];
    throw poputil::poplibs_error(std::string("poplin::multiconv::") + call + ": there are " +
                                 std::to_string(args.size()) + " convolutions, and none with the number " +
                                 std::to_string(index));
}
/* Either all count cycles of their transforms, or none. */
template <class Args> void checkCycleCounts(const std::vector<Args> &args)
{
    bool counts[2] = { false, false };
    for (const Args &a : args) {
        bool one = false;
        for (const auto &o : a.options)
            one = o.first == "insertTransformsCycleCountProgs" ? o.second == "true" : one;
        counts[one] = true;
    }
    if (counts[0] && counts[1])
        throw poputil::poplibs_error(
            "poplin::multiconv::convolution: insertTransformsCycleCountProgs is set for some "
            "of the convolutions only");
}
} // namespace detail

inline poplar::Tensor createWeights(poplar::Graph &graph, const std::vector<CreateTensorArgs> &args,
                                    unsigned weightsIndex, const poplar::OptionFlags &options = {},
                                    PlanningCache *cache = nullptr)
{
    detail::checkOptions(options);
    const CreateTensorArgs &a = detail::at("createWeights", args, weightsIndex);
    return poplin::createWeights(graph, a.params, a.name, a.options, cache);
}
inline poplar::Tensor createInput(poplar::Graph &graph, const std::vector<CreateTensorArgs> &args,
                                  unsigned inputIndex, const poplar::OptionFlags &options = {},
                                  PlanningCache *cache = nullptr)
{
    detail::checkOptions(options);
    const CreateTensorArgs &a = detail::at("createInput", args, inputIndex);
    return poplin::createInput(graph, a.params, a.name, a.options, cache);
}
inline void weightsTransposeChansFlipXY(poplar::Graph &graph, std::vector<ConvolutionArgs> &args,
                                        const std::vector<poplar::Tensor> &weightsIn,
                                        poplar::program::Sequence &prog, const poplar::OptionFlags &options,
                                        const poplar::DebugContext &debugContext, PlanningCache *)
{
    detail::checkOptions(options);
    for (unsigned i = 0; i < args.size(); i++)
        poplin::weightsTransposeChansFlipXY(graph, detail::at("weightsTransposeChansFlipXY", weightsIn, i),
                                            args[i].weights, prog, debugContext);
}
inline std::vector<poplar::Tensor> convolution(poplar::Graph &graph, const std::vector<ConvolutionArgs> &args,
                                               bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {},
                                               PlanningCache *cache = nullptr)
{
    detail::checkOptions(options);
    detail::checkCycleCounts(args);
    std::vector<poplar::Tensor> out;
    for (const ConvolutionArgs &a : args)
        out.push_back(poplin::convolution(graph, a.inputs, a.weights, a.params, transposeAndFlipWeights, prog,
                                          debugContext, a.options, cache));
    return out;
}
inline std::vector<poplar::Tensor>
calculateWeightDeltas(poplar::Graph &graph, const std::vector<CalculateWeightDeltasArgs> &args,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr)
{
    detail::checkOptions(options);
    std::vector<poplar::Tensor> out;
    for (const CalculateWeightDeltasArgs &a : args)
        out.push_back(poplin::calculateWeightDeltas(graph, a.zDeltas, a.activations, a.params, prog, debugContext,
                                                    a.options, cache));
    return out;
}
template <class Args>
void convolutionWeightUpdate(poplar::Graph &graph, const std::vector<Args> &args, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr)
{
    detail::checkOptions(options);
    for (const Args &a : args)
        poplin::convolutionWeightUpdate(graph, a.zDeltas, a.weights, a.activations, a.params, a.scale, prog,
                                        debugContext, a.options, cache);
}

} // namespace multiconv
} // namespace poplin
#endif
