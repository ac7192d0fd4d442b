// SPDX-License-Identifier: MIT
/* Reductions. */
#ifndef POPOPS_REDUCE_HPP
#define POPOPS_REDUCE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>
#include <vector>

namespace popops {

struct ReduceParams {
    ReduceParams() = default;
    ReduceParams(Operation o, bool u = false) : op(o), update(u) {}
    ReduceParams(Operation o, bool u, poplar::Tensor s) : op(o), update(u), useScale(true), scale(s) {}
    ReduceParams(Operation, float, bool = false) = delete; /* a scale is a tensor */
    Operation op = Operation::ADD;
    bool update = false, useScale = false;
    poplar::Tensor scale;
    tw_reduce_params handles() const
    {
        return tw_reduce_params{ static_cast<tw_reduce_op>(op), update,
                                 useScale ? poplar::handles::of(scale) : tw_tensor{ 0, 0 } };
    }
};

inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                             const std::vector<std::size_t> &dims, ReduceParams params,
                             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {})
{
    const tw_reduce_params p = params.handles();
    return poplar::handles::step(
        graph, prog, debugContext, options, "popops::reduce", [&](const poplar::handles::Call &c) {
            return tw_popops_reduce(c.graph, poplar::handles::of(in), poplar::handles::of(outType),
                                    static_cast<unsigned>(dims.size()), dims.data(), &p, c.sequence, c.path,
                                    c.options);
        });
}
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const std::vector<std::size_t> &dims,
                             ReduceParams params, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return reduce(graph, in, in.elementType(), dims, params, prog, debugContext, options);
}
inline void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                             const std::vector<std::size_t> &dims, ReduceParams params,
                             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {})
{
    const tw_reduce_params p = params.handles();
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::reduceWithOutput", [&](const poplar::handles::Call &c) {
            tw_popops_reduce_with_output(c.graph, poplar::handles::of(in), poplar::handles::of(out),
                                         static_cast<unsigned>(dims.size()), dims.data(), &p, c.sequence, c.path,
                                         c.options);
        });
}

struct SingleReduceOp {
    poplar::Tensor in;
    std::vector<std::size_t> dims;
    ReduceParams params;
    bool useOutType;
    poplar::Type outType;
    std::string debugName;
    SingleReduceOp(poplar::Tensor i, std::vector<std::size_t> d, ReduceParams p, poplar::Type out,
                   std::string name = "")
        : in(i), dims(std::move(d)), params(p), useOutType(true), outType(out), debugName(std::move(name))
    {
    }
    SingleReduceOp(poplar::Tensor i, std::vector<std::size_t> d, ReduceParams p, std::string name = "")
        : in(i), dims(std::move(d)), params(p), useOutType(false), outType(i.elementType()),
          debugName(std::move(name))
    {
    }
};
/* Reductions as the C calls take them; they stay the caller's. */
struct ReduceList {
    std::vector<tw_reduce_params> params;
    std::vector<tw_reduce_one> list;
    explicit ReduceList(const std::vector<SingleReduceOp> &reductions) : params(reductions.size())
    {
        for (std::size_t i = 0; i < reductions.size(); i++) {
            const SingleReduceOp &r = reductions[i];
            params[i] = r.params.handles();
            list.push_back(tw_reduce_one{ poplar::handles::of(r.in), poplar::handles::of(r.outType),
                                          static_cast<unsigned>(r.dims.size()), r.dims.data(), &params[i] });
        }
    }
};

/* In the same compute sets. `outputs` is empty and filled, or has one for each reduction. */
inline void reduceMany(poplar::Graph &graph, const std::vector<SingleReduceOp> &reductions,
                       std::vector<poplar::Tensor> &outputs, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    if (!outputs.empty() && outputs.size() != reductions.size())
        throw poputil::poplibs_error("popops::reduceMany: " + std::to_string(outputs.size()) + " outputs for " +
                                     std::to_string(reductions.size()) + " reductions");
    const ReduceList all(reductions);
    std::vector<tw_tensor> made = poplar::handles::of(outputs);
    const bool fresh = outputs.empty();
    made.resize(reductions.size());
    poplar::handles::stepInPlace(graph, prog, debugContext, options, "popops::reduceMany",
                                 [&](const poplar::handles::Call &c) {
                                     tw_popops_reduce_many(c.graph, all.list.size(), all.list.data(), made.data(),
                                                           c.sequence, c.path, c.options);
                                 });
    for (std::size_t i = 0; fresh && i < made.size(); i++)
        outputs.push_back(poplar::handles::make(graph, "popops::reduceMany", [&](tw_graph *) { return made[i]; }));
}

/* Into compute sets that the caller executes in their order: step i goes to css[i], which is added where there is
 * none. Reductions with the same list share its sets. */
inline tw_tensor reduceToSets(poplar::Graph &graph, const SingleReduceOp &reduction, tw_tensor output,
                              std::vector<poplar::ComputeSet> &css, const poplar::DebugContext &debugContext,
                              const poplar::OptionFlags &options)
{
    const std::vector<SingleReduceOp> list = { reduction }; /* whose dimensions the call reads */
    const ReduceList one(list);
    const poplar::handles::OptionList flags(options);
    std::vector<tw_compute_set> sets;
    for (const poplar::ComputeSet &cs : css) sets.push_back(tw_compute_set{ cs.getId() });
    sets.resize(css.size() + TW_REDUCE_SETS);
    std::size_t count = css.size();
    poplar::handles::call(graph, "popops::reduce", [&](tw_graph *g) {
        count = tw_popops_reduce_sets(g, 1, one.list.data(), &output, css.size(), sets.data(), sets.size(),
                                      debugContext.getPathName().c_str(), flags.data());
    });
    for (std::size_t i = css.size(); i < count; i++) css.push_back(poplar::ComputeSet(sets[i].id));
    return output;
}
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                             const std::vector<std::size_t> &dims, ReduceParams params,
                             std::vector<poplar::ComputeSet> &css, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {})
{
    const tw_tensor made = reduceToSets(graph, SingleReduceOp(in, dims, params, outType), tw_tensor{ 0, 0 }, css,
                                        debugContext, options);
    return poplar::handles::make(graph, "popops::reduce", [&](tw_graph *) { return made; });
}
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const std::vector<std::size_t> &dims,
                             ReduceParams params, std::vector<poplar::ComputeSet> &css,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return reduce(graph, in, in.elementType(), dims, params, css, debugContext, options);
}
inline void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                             const std::vector<std::size_t> &dims, ReduceParams params,
                             std::vector<poplar::ComputeSet> &css, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {})
{
    reduceToSets(graph, SingleReduceOp(in, dims, params), poplar::handles::of(out), css, debugContext, options);
}

} // namespace popops
#endif
