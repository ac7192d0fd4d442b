// SPDX-License-Identifier: MIT
/* Programs that are made once and called with different tensors. Arguments are copied to tensors of the function's
 * own and back. */
#ifndef POPUTIL_GRAPH_FUNCTION_HPP
#define POPUTIL_GRAPH_FUNCTION_HPP

#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <utility>
#include <vector>

namespace poputil {
namespace graphfn {

enum ArgType { InputArg, OutputArg, InOutArg, CreatedArg };

struct ArgSig {
    ArgType type;
    poplar::Tensor similarTensor;
    std::string debugName;
    ArgSig(ArgType t, poplar::Tensor similar, std::string name)
        : type(t), similarTensor(std::move(similar)), debugName(std::move(name))
    {
    }
};
inline ArgSig input(poplar::Tensor similar, std::string debugName = "")
{
    return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "")
{
    return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
inline ArgSig output(poplar::Tensor similar, std::string debugName = "")
{
    return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
inline ArgSig created(std::string debugName = "")
{
    return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}
using Signature = std::vector<ArgSig>;

class VoidFunction {
  public:
    using Body = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
    using NamedBody = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                         const poplar::DebugNameAndId &)>;

    VoidFunction(poplar::Graph &g, Signature s, Body body, bool isInlined = false,
                 const poplar::DebugContext &dc = {})
        : graph(g), signature(std::move(s)), inlined(isInlined)
    {
        build([&](std::vector<poplar::Tensor> &args, poplar::program::Sequence &p) { body(args, p); }, dc);
    }
    VoidFunction(poplar::Graph &g, Signature s, NamedBody body, bool isInlined = false,
                 const poplar::DebugContext &dc = {})
        : graph(g), signature(std::move(s)), inlined(isInlined)
    {
        poplar::DebugNameAndId name(dc.getPathName(), dc.getId());
        build([&](std::vector<poplar::Tensor> &args, poplar::program::Sequence &p) { body(args, p, name); }, dc);
    }
    /* Appends the call; created arguments are set to clones that get the function's results. */
    void operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &seq,
                    const poplar::DebugContext &dc = {})
    {
        if (args.size() != signature.size())
            throw poplibs_error("graphfn: " + std::to_string(args.size()) + " arguments for a signature of " +
                                std::to_string(signature.size()));
        for (std::size_t i = 0; i < args.size(); i++)
            if (signature[i].type == InputArg || signature[i].type == InOutArg)
                seq.add(poplar::program::Copy(args[i], params[i], false, dc));
        if (inlined)
            seq.add(program);
        else
            seq.add(poplar::program::Call(function, dc));
        for (std::size_t i = 0; i < args.size(); i++) {
            if (signature[i].type == InputArg) continue;
            if (signature[i].type == CreatedArg) args[i] = graph.clone(params[i], dc);
            seq.add(poplar::program::Copy(params[i], args[i], false, dc));
        }
    }

  private:
    template <class F> void build(F body, const poplar::DebugContext &dc)
    {
        for (const ArgSig &s : signature)
            params.push_back(s.type == CreatedArg ? poplar::Tensor()
                                                  : graph.clone(s.similarTensor, { dc, s.debugName }));
        body(params, program);
        if (!inlined) function = graph.addFunction(program);
    }
    poplar::Graph &graph;
    Signature signature;
    bool inlined;
    std::vector<poplar::Tensor> params;
    poplar::program::Sequence program;
    poplar::Function function;
};

/* The body gives the program. */
class ProgramFunction {
  public:
    using Body = std::function<poplar::program::Program(std::vector<poplar::Tensor> &)>;
    using NamedBody =
        std::function<poplar::program::Program(std::vector<poplar::Tensor> &, const poplar::DebugNameAndId &)>;
    ProgramFunction(poplar::Graph &g, Signature s, Body body, bool inlined = false,
                    const poplar::DebugContext &dc = {})
        : function(g, std::move(s),
                   VoidFunction::Body([body](std::vector<poplar::Tensor> &args, poplar::program::Sequence &p) {
                       p.add(body(args));
                   }),
                   inlined, dc)
    {
    }
    ProgramFunction(poplar::Graph &g, Signature s, NamedBody body, bool inlined = false,
                    const poplar::DebugContext &dc = {})
        : function(g, std::move(s),
                   VoidFunction::NamedBody([body](std::vector<poplar::Tensor> &args, poplar::program::Sequence &p,
                                                  const poplar::DebugNameAndId &id) { p.add(body(args, id)); }),
                   inlined, dc)
    {
    }
    poplar::program::Program operator()(std::vector<poplar::Tensor> &args, const poplar::DebugContext &dc = {})
    {
        poplar::program::Sequence seq;
        function(args, seq, dc);
        return std::move(seq);
    }

  private:
    VoidFunction function;
};

/* The body gives a tensor, and so does each call: a clone with its values. */
class TensorFunction {
  public:
    using Body = std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
    using NamedBody = std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                                   const poplar::DebugNameAndId &)>;
    TensorFunction(poplar::Graph &g, Signature s, Body body, bool inlined = false,
                   const poplar::DebugContext &dc = {})
        : TensorFunction(g, std::move(s),
                         NamedBody([body](std::vector<poplar::Tensor> &args, poplar::program::Sequence &p,
                                          const poplar::DebugNameAndId &) { return body(args, p); }),
                         inlined, dc)
    {
    }
    TensorFunction(poplar::Graph &g, Signature s, NamedBody body, bool inlined = false,
                   const poplar::DebugContext &dc = {})
        : function(g, withResult(std::move(s)),
                   VoidFunction::NamedBody([body](std::vector<poplar::Tensor> &args, poplar::program::Sequence &p,
                                                  const poplar::DebugNameAndId &id) {
                       std::vector<poplar::Tensor> own(args.begin(), args.end() - 1);
                       poplar::Tensor made = body(own, p, id);
                       std::copy(own.begin(), own.end(), args.begin());
                       args.back() = made;
                   }),
                   inlined, dc)
    {
    }
    poplar::Tensor operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &seq,
                              const poplar::DebugContext &dc = {})
    {
        args.emplace_back();
        function(args, seq, dc);
        poplar::Tensor result = args.back();
        args.pop_back();
        return result;
    }

  private:
    static Signature withResult(Signature s)
    {
        s.push_back(created());
        return s;
    }
    VoidFunction function;
};

} // namespace graphfn
} // namespace poputil
#endif
