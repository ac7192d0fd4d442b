// SPDX-License-Identifier: MIT
/* Operations on all elements: expressions, and a function for each operation. */
#ifndef POPOPS_ELEMENT_WISE_HPP
#define POPOPS_ELEMENT_WISE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOp.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>
#include <vector>

namespace popops {

inline poplar::Tensor map(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {})
{
    const std::vector<tw_tensor> list = poplar::handles::of(ts);
    return poplar::handles::step(
        graph, prog, debugContext, options, "popops::map", [&](const poplar::handles::Call &c) {
            return tw_popops_map(c.graph, expr.text().c_str(), static_cast<unsigned>(list.size()), list.data(),
                                 c.sequence, c.path, c.options);
        });
}
inline void mapInPlace(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {})
{
    const std::vector<tw_tensor> list = poplar::handles::of(ts);
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::mapInPlace", [&](const poplar::handles::Call &c) {
            tw_popops_map_in_place(c.graph, expr.text().c_str(), static_cast<unsigned>(list.size()), list.data(),
                                   c.sequence, c.path, c.options);
        });
}
inline void mapWithOutput(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                          const poplar::Tensor &out, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    const std::vector<tw_tensor> list = poplar::handles::of(ts);
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::mapWithOutput", [&](const poplar::handles::Call &c) {
            tw_popops_map_with_output(c.graph, expr.text().c_str(), static_cast<unsigned>(list.size()), list.data(),
                                      poplar::handles::of(out), c.sequence, c.path, c.options);
        });
}

namespace detail {
/* Maps of the same tensors, built once each is known to be one that goes to its output, where there are some. */
inline std::vector<poplar::Tensor> maps(const char *call, poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                                        const std::vector<poplar::Tensor> &ts,
                                        const std::vector<poplar::Tensor> &outs, poplar::program::Sequence &prog,
                                        const poplar::DebugContext &debugContext,
                                        const poplar::OptionFlags &options)
{
    const std::vector<tw_tensor> list = poplar::handles::of(ts), to = poplar::handles::of(outs);
    const poplar::handles::OptionList flags(options);
    for (std::size_t i = 0; i < exprs.size(); i++)
        poplar::handles::call(graph, call, [&](tw_graph *g) {
            tw_popops_map_fits(g, exprs[i].text().c_str(), static_cast<unsigned>(list.size()), list.data(),
                               to.empty() ? tw_tensor{} : to[i], flags.data());
        });
    std::vector<poplar::Tensor> made;
    for (const expr::Any &e : exprs) made.push_back(map(graph, e, ts, prog, debugContext, options));
    return made;
}
} // namespace detail

/* Several expressions of the same tensors, all computed before one is written. */
inline std::vector<poplar::Tensor> map(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                                       const std::vector<poplar::Tensor> &ts, poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext = {},
                                       const poplar::OptionFlags &options = {})
{
    return detail::maps("popops::map", graph, exprs, ts, {}, prog, debugContext, options);
}
/* The codelet of an expression, whose text has the vendor's names. */
inline void outputGeneratedCodelet(const poplar::Target &, const expr::Expr &, const std::vector<poplar::Tensor> &,
                                   const poplar::OptionFlags &, std::ostream &)
{
    poputil::detail::notHere("popops::outputGeneratedCodelet");
}
inline void mapWithOutput(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                          const std::vector<poplar::Tensor> &ts, const std::vector<poplar::Tensor> &outs,
                          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {})
{
    if (exprs.size() != outs.size())
        throw poputil::poplibs_error("popops::mapWithOutput: " + std::to_string(exprs.size()) +
                                     " expressions and " + std::to_string(outs.size()) + " tensors");
    const std::vector<poplar::Tensor> made =
        detail::maps("popops::mapWithOutput", graph, exprs, ts, outs, prog, debugContext, options);
    for (std::size_t i = 0; i < outs.size(); i++)
        prog.add(poplar::program::Copy(made[i], outs[i], false, debugContext));
}
/* Expression i into tensor i. */
inline void mapInPlace(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                       const std::vector<poplar::Tensor> &ts, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    if (exprs.size() > ts.size())
        throw poputil::poplibs_error("popops::mapInPlace: " + std::to_string(exprs.size()) + " expressions and " +
                                     std::to_string(ts.size()) + " tensors");
    const std::vector<poplar::Tensor> outs(ts.begin(), ts.begin() + static_cast<std::ptrdiff_t>(exprs.size()));
    mapWithOutput(graph, exprs, ts, outs, prog, debugContext, options);
}

#define TW__MAPS(Type, PARAMETERS, EXPR, TENSORS)                                                                  \
    inline poplar::Tensor map(poplar::Graph &graph, expr::Type op, PARAMETERS, poplar::program::Sequence &prog,    \
                              const poplar::DebugContext &debugContext = {},                                       \
                              const poplar::OptionFlags &options = {})                                             \
    {                                                                                                              \
        return map(graph, EXPR, TENSORS, prog, debugContext, options);                                             \
    }                                                                                                              \
    inline void mapInPlace(poplar::Graph &graph, expr::Type op, PARAMETERS, poplar::program::Sequence &prog,       \
                           const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}) \
    {                                                                                                              \
        mapInPlace(graph, EXPR, TENSORS, prog, debugContext, options);                                             \
    }                                                                                                              \
    inline void mapWithOutput(poplar::Graph &graph, expr::Type op, PARAMETERS, const poplar::Tensor &out,          \
                              poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},      \
                              const poplar::OptionFlags &options = {})                                             \
    {                                                                                                              \
        mapWithOutput(graph, EXPR, TENSORS, out, prog, debugContext, options);                                     \
    }
#define TW__LIST(...) __VA_ARGS__
TW__MAPS(UnaryOpType, TW__LIST(const poplar::Tensor &a), TW__LIST(expr::UnaryOp(op, expr::_1)),
         TW__LIST(std::vector<poplar::Tensor>{ a }))
TW__MAPS(BinaryOpType, TW__LIST(const poplar::Tensor &a, const poplar::Tensor &b),
         TW__LIST(expr::BinaryOp(op, expr::_1, expr::_2)), TW__LIST(std::vector<poplar::Tensor>{ a, b }))
TW__MAPS(TernaryOpType, TW__LIST(const poplar::Tensor &a, const poplar::Tensor &b, const poplar::Tensor &c),
         TW__LIST(expr::TernaryOp(op, expr::_1, expr::_2, expr::_3)),
         TW__LIST(std::vector<poplar::Tensor>{ a, b, c }))
#undef TW__LIST
#undef TW__MAPS

/* A number that a tensor's elements can be. */
template <class T> expr::Const constantFor(const poplar::Tensor &t, T value, const char *call)
{
    const poplar::Type type = t.elementType();
    if (std::is_floating_point<T>::value && type != poplar::FLOAT && type != poplar::HALF)
        throw poputil::poplibs_error(std::string("popops::") + call +
                                     ": a number with a point and elements of type " + type.toString());
    return expr::Const(value);
}

/* --- f(graph, a, prog), fInPlace(graph, a, prog), fWithOutput(graph, a, out, prog) ... ----------------- */

#define TW__END                                                                     \
    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {}, \
                                                                const poplar::OptionFlags &options = {}
#define TW__ROW(name, number, call, Class, ENUM, symbol, types, result, real, integer)                     \
    inline poplar::Tensor call(poplar::Graph &graph, const poplar::Tensor &A, TW__END)                     \
    {                                                                                                      \
        return map(graph, expr::UnaryOpType::ENUM, A, prog, debugContext, options);                        \
    }                                                                                                      \
    inline void call##InPlace(poplar::Graph &graph, const poplar::Tensor &A, TW__END)                      \
    {                                                                                                      \
        mapInPlace(graph, expr::UnaryOpType::ENUM, A, prog, debugContext, options);                        \
    }                                                                                                      \
    inline void call##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &out, \
                                 TW__END)                                                                  \
    {                                                                                                      \
        mapWithOutput(graph, expr::UnaryOpType::ENUM, A, out, prog, debugContext, options);                \
    }
TW_EXPR_UNARY(TW__ROW)
#undef TW__ROW
#define TW__IF_NUMBER(T, Result) typename std::enable_if<std::is_arithmetic<T>::value, Result>::type
#define TW__ROW(name, number, call, Class, ENUM, symbol, types, result, real, integer)                             \
    inline poplar::Tensor call(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B, TW__END)    \
    {                                                                                                              \
        return map(graph, expr::BinaryOpType::ENUM, A, B, prog, debugContext, options);                            \
    }                                                                                                              \
    template <class T>                                                                                             \
    TW__IF_NUMBER(T, poplar::Tensor)                                                                               \
    call(poplar::Graph &graph, const poplar::Tensor &A, const T B, TW__END)                                        \
    {                                                                                                              \
        return map(graph, expr::Class(expr::_1, constantFor(A, B, #call)), { A }, prog, debugContext, options);    \
    }                                                                                                              \
    template <class T>                                                                                             \
    TW__IF_NUMBER(T, poplar::Tensor)                                                                               \
    call(poplar::Graph &graph, const T A, const poplar::Tensor &B, TW__END)                                        \
    {                                                                                                              \
        return map(graph, expr::Class(constantFor(B, A, #call), expr::_1), { B }, prog, debugContext, options);    \
    }                                                                                                              \
    inline void call##InPlace(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B, TW__END)     \
    {                                                                                                              \
        mapInPlace(graph, expr::BinaryOpType::ENUM, A, B, prog, debugContext, options);                            \
    }                                                                                                              \
    template <class T>                                                                                             \
    TW__IF_NUMBER(T, void)                                                                                         \
    call##InPlace(poplar::Graph &graph, const poplar::Tensor &A, const T B, TW__END)                               \
    {                                                                                                              \
        mapInPlace(graph, expr::Class(expr::_1, constantFor(A, B, #call)), { A }, prog, debugContext, options);    \
    }                                                                                                              \
    inline void call##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,           \
                                 const poplar::Tensor &out, TW__END)                                               \
    {                                                                                                              \
        mapWithOutput(graph, expr::BinaryOpType::ENUM, A, B, out, prog, debugContext, options);                    \
    }                                                                                                              \
    template <class T>                                                                                             \
    TW__IF_NUMBER(T, void)                                                                                         \
    call##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const T B, const poplar::Tensor &out, TW__END) \
    {                                                                                                              \
        mapWithOutput(graph, expr::Class(expr::_1, constantFor(A, B, #call)), { A }, out, prog, debugContext,      \
                      options);                                                                                    \
    }                                                                                                              \
    template <class T>                                                                                             \
    TW__IF_NUMBER(T, void)                                                                                         \
    call##WithOutput(poplar::Graph &graph, const T A, const poplar::Tensor &B, const poplar::Tensor &out, TW__END) \
    {                                                                                                              \
        mapWithOutput(graph, expr::Class(constantFor(B, A, #call), expr::_1), { B }, out, prog, debugContext,      \
                      options);                                                                                    \
    }
TW_EXPR_BINARY(TW__ROW)
#undef TW__ROW
#define TW__ROW(name, number, call, Class, ENUM, symbol, types, result, real, integer)                   \
    inline poplar::Tensor call(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,   \
                               const poplar::Tensor &C, TW__END)                                         \
    {                                                                                                    \
        return map(graph, expr::TernaryOpType::ENUM, A, B, C, prog, debugContext, options);              \
    }                                                                                                    \
    inline void call##InPlace(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,    \
                              const poplar::Tensor &C, TW__END)                                          \
    {                                                                                                    \
        mapInPlace(graph, expr::TernaryOpType::ENUM, A, B, C, prog, debugContext, options);              \
    }                                                                                                    \
    inline void call##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B, \
                                 const poplar::Tensor &C, const poplar::Tensor &out, TW__END)            \
    {                                                                                                    \
        mapWithOutput(graph, expr::TernaryOpType::ENUM, A, B, C, out, prog, debugContext, options);      \
    }
TW_EXPR_TERNARY(TW__ROW)
#undef TW__ROW
#undef TW__IF_NUMBER
#undef TW__END

/* 1 / sqrt(src + epsilon) and 1 / src^2 - epsilon, computed as floats, in a type of their own. */
inline poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src,
                                          const poplar::Tensor &epsilon, poplar::program::Sequence &prog,
                                          const poplar::Type dstType = poplar::HALF,
                                          const poplar::DebugContext &debugContext = {})
{
    using namespace expr;
    return map(
        graph,
        expr::Cast(VarianceToInvStdDev(expr::Cast(_1, poplar::FLOAT), expr::Cast(_2, poplar::FLOAT)), dstType),
        { src, epsilon }, prog, debugContext);
}
inline poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src, const float epsilon,
                                          poplar::program::Sequence &prog,
                                          const poplar::Type dstType = poplar::HALF,
                                          const poplar::DebugContext &debugContext = {})
{
    using namespace expr;
    return map(graph, expr::Cast(VarianceToInvStdDev(expr::Cast(_1, poplar::FLOAT), Const(epsilon)), dstType),
               { src }, prog, debugContext);
}
inline poplar::Tensor invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src,
                                          const poplar::Tensor &epsilon, poplar::program::Sequence &prog,
                                          const poplar::Type dstType = poplar::FLOAT,
                                          const poplar::DebugContext &debugContext = {})
{
    using namespace expr;
    return map(
        graph,
        expr::Cast(InvStdDevToVariance(expr::Cast(_1, poplar::FLOAT), expr::Cast(_2, poplar::FLOAT)), dstType),
        { src, epsilon }, prog, debugContext);
}
inline poplar::Tensor invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src, const float epsilon,
                                          poplar::program::Sequence &prog,
                                          const poplar::Type dstType = poplar::FLOAT,
                                          const poplar::DebugContext &debugContext = {})
{
    using namespace expr;
    return map(graph, expr::Cast(InvStdDevToVariance(expr::Cast(_1, poplar::FLOAT), Const(epsilon)), dstType),
               { src }, prog, debugContext);
}

/* In the type of the first, `epsilon` a tensor or a number. */
#define TW__STD(call)                                                                                     \
    template <class E>                                                                                    \
    void call##InPlace(poplar::Graph &graph, const poplar::Tensor &A, const E &epsilon,                   \
                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},    \
                       const poplar::OptionFlags &options = {})                                           \
    {                                                                                                     \
        call##SameInPlace(graph, A, epsilon, prog, debugContext, options);                                \
    }                                                                                                     \
    template <class A, class E>                                                                           \
    void call##WithOutput(poplar::Graph &graph, const A &a, const E &epsilon, const poplar::Tensor &out,  \
                          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {}, \
                          const poplar::OptionFlags &options = {})                                        \
    {                                                                                                     \
        call##SameWithOutput(graph, a, epsilon, out, prog, debugContext, options);                        \
    }
TW__STD(varianceToInvStdDev)
TW__STD(invStdDevToVariance)
#undef TW__STD

inline poplar::Tensor createOutputForElementWiseOp(poplar::Graph &graph, const std::vector<poplar::Tensor> &inputs,
                                                   const poplar::Type &outputType,
                                                   const poplar::DebugContext &debugContext = {})
{
    const std::vector<tw_tensor> list = poplar::handles::of(inputs);
    std::string path = debugContext.getPathName();
    return poplar::handles::make(graph, "popops::createOutputForElementWiseOp", [&](tw_graph *g) {
        return tw_popops_create_output(g, static_cast<unsigned>(list.size()), list.data(),
                                       poplar::handles::of(outputType), path.c_str());
    });
}

} // namespace popops
#endif
