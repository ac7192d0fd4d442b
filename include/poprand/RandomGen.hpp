// SPDX-License-Identifier: MIT
/* Random numbers: the same for one seed and modifier on any mapping. Without a seed the graph has one. */
#ifndef POPRAND_RANDOM_GEN_HPP
#define POPRAND_RANDOM_GEN_HPP

#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/poprand.h>

namespace poprand {

inline tw_tensor seedOf(const poplar::Tensor *seed)
{
    return seed ? poplar::handles::of(*seed) : tw_tensor{ 0, 0 };
}

inline poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                              const poplar::Tensor &reference, const poplar::Type &outType, double minVal,
                              double maxVal, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "poprand::uniform", [&](const poplar::handles::Call &c) {
            return tw_poprand_uniform(c.graph, seedOf(seed), seedModifier, poplar::handles::of(reference),
                                      poplar::handles::of(outType), minVal, maxVal, c.sequence, c.path);
        });
}
inline poplar::Tensor logUniform(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                                 const poplar::Tensor &reference, const poplar::Type &outType, double minVal,
                                 double maxVal, poplar::program::Sequence &prog,
                                 double = 2.718281828459045 /* the base: the numbers are the same for all */,
                                 const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "poprand::logUniform", [&](const poplar::handles::Call &c) {
            return tw_poprand_log_uniform(c.graph, seedOf(seed), seedModifier, poplar::handles::of(reference),
                                          poplar::handles::of(outType), minVal, maxVal, c.sequence, c.path);
        });
}
inline poplar::Tensor normal(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                             const poplar::Tensor &reference, const poplar::Type &outType, double mean,
                             double stdDev, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "poprand::normal", [&](const poplar::handles::Call &c) {
            return tw_poprand_normal(c.graph, seedOf(seed), seedModifier, poplar::handles::of(reference),
                                     poplar::handles::of(outType), mean, stdDev, c.sequence, c.path);
        });
}
inline poplar::Tensor truncatedNormal(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                                      const poplar::Tensor &reference, const poplar::Type &outType, double mean,
                                      double stdDev, double alpha, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "poprand::truncatedNormal", [&](const poplar::handles::Call &c) {
            return tw_poprand_truncated_normal(c.graph, seedOf(seed), seedModifier, poplar::handles::of(reference),
                                               poplar::handles::of(outType), mean, stdDev, alpha, c.sequence,
                                               c.path);
        });
}
inline poplar::Tensor bernoulli(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                                const poplar::Tensor &reference, const poplar::Type &outType, double prob,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "poprand::bernoulli", [&](const poplar::handles::Call &c) {
            return tw_poprand_bernoulli(c.graph, seedOf(seed), seedModifier, poplar::handles::of(reference),
                                        poplar::handles::of(outType), prob, c.sequence, c.path);
        });
}

inline poplar::Tensor dropoutOf(poplar::Graph &graph, const poplar::Tensor *seed, std::uint32_t seedModifier,
                                const poplar::Tensor &in, const poplar::Tensor &reference, double keepProbability,
                                double scale, poplar::program::Sequence &prog, const char *call,
                                const poplar::DebugContext &debugContext)
{
    return poplar::handles::step(graph, prog, debugContext, {}, call, [&](const poplar::handles::Call &c) {
        return tw_poprand_dropout(c.graph, seedOf(seed), seedModifier, poplar::handles::of(in),
                                  poplar::handles::of(reference), keepProbability, scale, c.sequence, c.path);
    });
}
/* `reference` has the shape of `in`; the result lies where `in` does. */
inline poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed, const std::uint32_t seedModifier,
                              const poplar::Tensor &in, const poplar::Tensor &reference, double keepProbability,
                              double scale, bool, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    if (in.shape() != reference.shape())
        throw poputil::poplibs_error("poprand::dropout: the reference has another shape");
    return dropoutOf(graph, seed, seedModifier, in, reference, keepProbability, scale, prog, "poprand::dropout",
                     debugContext);
}
inline poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *seed, const std::uint32_t seedModifier,
                              const poplar::Tensor &in, const poplar::Tensor &reference, double keepProbability,
                              double scale, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    return dropout(graph, seed, seedModifier, in, reference, keepProbability, scale, false, prog, debugContext);
}
inline poplar::Tensor shapedDropout(poplar::Graph &graph, const poplar::Tensor *seed,
                                    const std::uint32_t seedModifier, const poplar::Tensor &in,
                                    const poplar::Tensor &reference, double keepProbability, double scale,
                                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return dropoutOf(graph, seed, seedModifier, in, reference, keepProbability, scale, prog,
                     "poprand::shapedDropout", debugContext);
}
inline void setSeed(poplar::Graph &graph, const poplar::Tensor &masterSeed, std::uint32_t seedModifier,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "poprand::setSeed", [&](const poplar::handles::Call &c) {
            tw_poprand_set_seed(c.graph, poplar::handles::of(masterSeed), seedModifier, c.sequence, c.path);
        });
}

} // namespace poprand
#endif
