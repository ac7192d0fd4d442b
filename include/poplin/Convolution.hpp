// SPDX-License-Identifier: MIT
/* Convolutions with gradients and updates. A cache notes what was planned with it; planning itself takes
 * milliseconds. */
#ifndef POPLIN_CONVOLUTION_HPP
#define POPLIN_CONVOLUTION_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ScaledAdd.hpp>
#include <set>
#include <sstream>

namespace poplin {

struct PlanCosts {
    std::size_t cycles, memory;
};

namespace detail {
using ConvCreate = tw_tensor (*)(tw_graph *, const tw_conv_params *, const char *, const char *const *);
inline poplar::Tensor convCreate(const char *call, ConvCreate create, poplar::Graph &graph,
                                 const ConvParams &params, const poplar::DebugContext &debugContext,
                                 const poplar::OptionFlags &options)
{
    tw_conv_params p = params.handle();
    p.input_type = poplar::handles::of(params.inputType); /* of FP8 too */
    const poplar::handles::OptionList list(options);
    const std::string path = debugContext.getPathName();
    const poplar::Tensor made =
        poplar::handles::make(graph, call, [&](tw_graph *g) { return create(g, &p, path.c_str(), list.data()); });
    graph.setMetadata(made, poplar::Tensor());
    return made;
}
inline void convPlan(const char *call, std::ostream &out, const poplar::Graph &graph, const ConvParams &params,
                     const poplar::OptionFlags &options)
{
    const tw_conv_params p = params.handle();
    const poplar::handles::OptionList list(options);
    std::unique_ptr<char, void (*)(void *)> text(nullptr, std::free);
    poplar::handles::call(graph, call, [&](tw_graph *g) { text.reset(tw_poplin_conv_plan(g, &p, list.data())); });
    if (text) out << text.get();
}
inline PlanCosts convCosts(const char *call, const poplar::Graph &graph, const ConvParams &params,
                           const poplar::OptionFlags &options)
{
    const tw_conv_params p = params.handle();
    const poplar::handles::OptionList list(options);
    tw_conv_costs costs = { 0, 0 };
    poplar::handles::call(graph, call, [&](tw_graph *g) { costs = tw_poplin_conv_costs(g, &p, list.data()); });
    return PlanCosts{ static_cast<std::size_t>(costs.cycles), static_cast<std::size_t>(costs.bytes) };
}
/* Before anything is built of FP8: both are, and they fit, as all that is computed with floats then. */
inline void wantConvolution(const char *call, const poplar::Graph &graph, const poplar::Tensor &in,
                            const poplar::Tensor &weights, const ConvParams &params, bool exchanged,
                            const poplar::OptionFlags &options)
{
    std::vector<std::size_t> field = { params.batchSize, params.getNumInputChans() },
                             kernel = { params.numConvGroups, params.outputChannelsPerConvGroup,
                                        params.inputChannelsPerConvGroup };
    if (exchanged) std::swap(kernel[1], kernel[2]);
    field.insert(field.end(), params.inputFieldShape.begin(), params.inputFieldShape.end());
    kernel.insert(kernel.end(), params.kernelShape.begin(), params.kernelShape.end());
    const std::pair<const poplar::Tensor *, const std::vector<std::size_t> *> both[] = { { &in, &field },
                                                                                         { &weights, &kernel } };
    for (const auto &b : both)
        if (b.first->elementType() != poplar::QUARTER || b.first->shape() != *b.second) {
            std::ostringstream wanted;
            for (std::size_t n : *b.second) wanted << (wanted.tellp() ? "," : "") << n;
            throw poputil::poplibs_error(std::string(call) + ": " + (b.first == &in ? "the input" : "the weights") +
                                         ": quarter{" + wanted.str() + "}, not " +
                                         poplar::handles::describe(*b.first));
        }
    for (const poplar::Tensor &t : { in, weights }) popops::quarters::wantUsable(call, graph, t);
    convCosts(call, graph, params, options);
}
} // namespace detail

#define TW__END                                                                             \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               PlanningCache * = nullptr
#define TW__CACHED                                                                          \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               PlanningCache *cache = nullptr

/* --- tensors -------------------------------------------------------------------------------------------------- */

inline poplar::Tensor createInput(poplar::Graph &graph, const ConvParams &params, TW__CACHED)
{
    if (cache) cache->note(graph.getTarget(), params, options);
    return detail::convCreate("poplin::createInput", tw_poplin_create_conv_input, graph, params, debugContext,
                              options);
}
inline poplar::Tensor createWeights(poplar::Graph &graph, const ConvParams &params, TW__CACHED)
{
    if (cache) cache->note(graph.getTarget(), params, options);
    return detail::convCreate("poplin::createWeights", tw_poplin_create_conv_weights, graph, params, debugContext,
                              options);
}
inline poplar::Tensor createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
                                   const poplar::DebugContext &debugContext = { "biases" })
{
    const std::string path = debugContext.getPathName();
    return poplar::handles::make(graph, "poplin::createBiases", [&](tw_graph *g) {
        return tw_poplin_create_biases(g, poplar::handles::of(activations), path.c_str());
    });
}

/* --- forward and backward ------------------------------------------------------------------------------------- */

inline poplar::Tensor convolution(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &weights,
                                  const ConvParams &params, bool transposeAndFlipWeights,
                                  poplar::program::Sequence &prog, TW__CACHED)
{
    if (cache) cache->note(graph.getTarget(), params, options);
    if (params.inputType == poplar::QUARTER) {
        ConvParams real = params;
        detail::wantConvolution("poplin::convolution", graph, in, weights, params, transposeAndFlipWeights,
                                options);
        real.inputType = poplar::FLOAT;
        real.outputType = detail::resultType(params.outputType);
        return convolution(graph, popops::detail::withoutQuarters(graph, in, prog, debugContext),
                           popops::detail::withoutQuarters(graph, weights, prog, debugContext), real,
                           transposeAndFlipWeights, prog, debugContext, options);
    }
    const tw_conv_params p = params.handle();
    return poplar::handles::step(
        graph, prog, debugContext, options, "poplin::convolution", [&](const poplar::handles::Call &c) {
            return tw_poplin_convolution(c.graph, poplar::handles::of(in), poplar::handles::of(weights), &p,
                                         transposeAndFlipWeights, c.sequence, c.path, c.options);
        });
}
/* A variable for the result; where the convolution leaves it elsewhere, it is copied there. */
inline poplar::Tensor createConvOutput(poplar::Graph &graph, const ConvParams &params, TW__CACHED)
{
    if (cache) cache->note(graph.getTarget(), params, options);
    detail::convCosts("poplin::createConvOutput", graph, params, options);
    std::vector<std::size_t> shape = { params.batchSize, params.getNumOutputChans() };
    const std::vector<std::size_t> field = params.getOutputFieldShape();
    shape.insert(shape.end(), field.begin(), field.end());
    poplar::Tensor made = graph.addVariable(detail::resultType(params.outputType), shape, debugContext);
    poputil::mapTensorLinearly(graph, made);
    return made;
}
inline void convolutionWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &weights,
                                  const poplar::Tensor &out, const ConvParams &params, bool transposeAndFlipWeights,
                                  poplar::program::Sequence &prog, TW__CACHED)
{
    const std::vector<std::size_t> field = params.getOutputFieldShape();
    std::vector<std::size_t> shape = { params.batchSize, params.getNumOutputChans() };
    shape.insert(shape.end(), field.begin(), field.end());
    poplar::handles::wantOutput("poplin::convolutionWithOutput", out, detail::resultType(params.outputType), shape);
    detail::copied(
        convolution(graph, in, weights, params, transposeAndFlipWeights, prog, debugContext, options, cache), out,
        prog, debugContext);
}
/* Into a tensor whose kernels are flipped and whose channels are exchanged. */
inline void weightsTransposeChansFlipXY(poplar::Graph &graph, const poplar::Tensor &weightsIn,
                                        const poplar::Tensor &weightsOut, poplar::program::Sequence &prog,
                                        const poplar::DebugContext &debugContext = {},
                                        const poplar::OptionFlags & = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "poplin::weightsTransposeChansFlipXY", [&](const poplar::handles::Call &c) {
            tw_poplin_weights_transpose_flip(c.graph, poplar::handles::of(weightsIn),
                                             poplar::handles::of(weightsOut), c.sequence, c.path);
        });
}
inline poplar::Tensor calculateWeightDeltas(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                                            const poplar::Tensor &activations, const ConvParams &params,
                                            poplar::program::Sequence &prog, TW__END)
{
    const tw_conv_params p = params.handle();
    return poplar::handles::step(graph, prog, debugContext, options, "poplin::calculateWeightDeltas",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_poplin_conv_weight_deltas(c.graph, poplar::handles::of(zDeltas),
                                                                         poplar::handles::of(activations), &p,
                                                                         c.sequence, c.path, c.options);
                                 });
}
/* weights += scale * deltas; a scale is a float or a tensor of one element. */
inline void convolutionWeightUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                                    const poplar::Tensor &weights, const poplar::Tensor &activations,
                                    const ConvParams &params, const popops::Scale &scale,
                                    poplar::program::Sequence &prog, TW__END)
{
    const tw_conv_params p = params.handle();
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "poplin::convolutionWeightUpdate", [&](const poplar::handles::Call &c) {
            tw_poplin_conv_weight_update(c.graph, poplar::handles::of(zDeltas), poplar::handles::of(weights),
                                         poplar::handles::of(activations), &p, scale.scale, c.sequence, c.path,
                                         c.options);
        });
}
/* biases += scale * sum of the deltas over batch and field. */
inline void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas, const poplar::Tensor &biases,
                                  const popops::Scale &scale, const poplar::OptionFlags &options,
                                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "poplin::convolutionBiasUpdate", [&](const poplar::handles::Call &c) {
            tw_poplin_conv_bias_update(c.graph, poplar::handles::of(zDeltas), poplar::handles::of(biases),
                                       scale.scale, c.sequence, c.path, c.options);
        });
}
inline void addBias(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &biases,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "poplin::addBias", [&](const poplar::handles::Call &c) {
            tw_poplin_add_bias(c.graph, poplar::handles::of(in), poplar::handles::of(biases), c.sequence, c.path);
        });
}
inline poplar::Tensor fullyConnectedWeightTranspose(poplar::Graph &graph, const poplar::Tensor &weights,
                                                    const ConvParams &params, poplar::program::Sequence &prog,
                                                    TW__END)
{
    const tw_conv_params p = params.handle();
    return poplar::handles::step(graph, prog, debugContext, options, "poplin::fullyConnectedWeightTranspose",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_poplin_fully_connected_weight_transpose(
                                         c.graph, poplar::handles::of(weights), &p, c.sequence, c.path, c.options);
                                 });
}
#undef TW__END
#undef TW__CACHED

/* --- plans and figures ---------------------------------------------------------------------------------------- */

inline void reportPlanInfo(std::ostream &out, const poplar::Graph &graph, const ConvParams &params,
                           const poplar::OptionFlags &options = {}, PlanningCache * = nullptr)
{
    detail::convPlan("poplin::reportPlanInfo", out, graph, params, options);
}
inline void reportWeightUpdatePlanInfo(std::ostream &out, const poplar::Graph &graph, const ConvParams &fwdParams,
                                       const poplar::OptionFlags &options = {}, PlanningCache * = nullptr)
{
    detail::convPlan("poplin::reportWeightUpdatePlanInfo", out, graph, getWeightUpdateParams(fwdParams), options);
}
inline PlanCosts reportPlanEstimatedCosts(const poplar::Graph &graph, const ConvParams &params,
                                          const poplar::OptionFlags &options = {}, PlanningCache * = nullptr)
{
    return detail::convCosts("poplin::reportPlanEstimatedCosts", graph, params, options);
}
namespace internal {
/* Costs of the parts of the vendor's plans, which ours do not have. */
struct DetailedPlanCosts {
    std::size_t parallelSplit, serialSplit;
    PlanCosts broadcast, rearrangement, dynamicSlice, transform, exchange, tileLevelTransform, inputsCast, compute,
        reduction, dynamicUpdate, addInPlace, outputCast, total;
};
inline DetailedPlanCosts reportDetailedPlanEstimatedCosts(const poplar::Graph &, const ConvParams &,
                                                          const poplar::OptionFlags & = {},
                                                          PlanningCache * = nullptr)
{
    poputil::detail::notHere("poplin::internal::reportDetailedPlanEstimatedCosts");
}
} // namespace internal
inline PlanCosts reportWeightUpdatePlanEstimatedCosts(const poplar::Graph &graph, const ConvParams &fwdParams,
                                                      const poplar::OptionFlags &options = {},
                                                      PlanningCache * = nullptr)
{
    return detail::convCosts("poplin::reportWeightUpdatePlanEstimatedCosts", graph,
                             getWeightUpdateParams(fwdParams), options);
}

/* invalid_option where one of them is none, or has a value that is none: planning a small one reads them all. */
inline void convolutionValidateOptions(const poplar::OptionFlags &options)
{
    const poplar::Graph graph(poplar::Target::createCPUTarget());
    detail::convCosts("poplin::convolutionValidateOptions", graph,
                      ConvParams(poplar::FLOAT, 1, { 1 }, { 1 }, 1, 1, 1), options);
}

/* Plans each once, so that what is wrong with one is said here. */
inline void preplanConvolutions(poplar::Graph &graph, const std::set<ConvPlanParams> &convs, PlanningCache &cache)
{
    for (const ConvPlanParams &c : convs) {
        reportPlanEstimatedCosts(graph, std::get<1>(c), *std::get<2>(c));
        cache.note(*std::get<0>(c), std::get<1>(c), *std::get<2>(c));
    }
}
inline void preplanConvolutions(const std::set<ConvPlanParams> &convs, PlanningCache &cache)
{
    for (const ConvPlanParams &c : convs) {
        poplar::Graph graph(*std::get<0>(c));
        preplanConvolutions(graph, { c }, cache);
    }
}

inline std::uint64_t getFwdFlops(const ConvParams &params)
{
    const tw_conv_params c = params.handle();
    return tw_poplin_conv_flops(&c);
}
inline std::uint64_t getBwdFlops(const ConvParams &params)
{
    return getFwdFlops(params);
}
inline std::uint64_t getWuFlops(const ConvParams &params)
{
    return getFwdFlops(params);
}
/* With all tiles at the rate of their convolution units: 16 float or 64 half multiply-adds a cycle. */
inline double getFwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params)
{
    const double rate = params.inputType == poplar::HALF ? 64 : 16;
    return static_cast<double>(getFwdFlops(params)) / 2 / rate / graph.getTarget().getNumTiles();
}
inline double getBwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params)
{
    return getFwdPerfectCycleCount(graph, params);
}
inline double getWuPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params)
{
    return getFwdPerfectCycleCount(graph, params);
}

} // namespace poplin
#endif
