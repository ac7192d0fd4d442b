// SPDX-License-Identifier: MIT
/* Reductions. The forms that fill compute sets are not here: a reduction may need several, one after the other. */
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
/* One after the other. `outputs` is empty and filled, or has one for each reduction. */
inline void reduceMany(poplar::Graph &graph, const std::vector<SingleReduceOp> &reductions,
                       std::vector<poplar::Tensor> &outputs, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    bool made = outputs.empty();
    if (!made && outputs.size() != reductions.size())
        throw poputil::poplibs_error("popops::reduceMany: " + std::to_string(outputs.size()) + " outputs for " +
                                     std::to_string(reductions.size()) + " reductions");
    for (const SingleReduceOp &r : reductions)
        if (made && r.params.update) throw poputil::poplibs_error("popops::reduceMany: an update needs an output");
    for (std::size_t i = 0; i < reductions.size(); i++) {
        const SingleReduceOp &r = reductions[i];
        const poplar::DebugContext name(debugContext, r.debugName);
        if (made)
            outputs.push_back(reduce(graph, r.in, r.outType, r.dims, r.params, prog, name, options));
        else
            reduceWithOutput(graph, r.in, outputs[i], r.dims, r.params, prog, name, options);
    }
}

} // namespace popops
#endif
