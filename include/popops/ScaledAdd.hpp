// SPDX-License-Identifier: MIT
/* Scaled sums in place. */
#ifndef POPOPS_SCALED_ADD_HPP
#define POPOPS_SCALED_ADD_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWise.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops.h>

namespace popops {

enum class ScaledAddSpecialisation { DEFAULT, X_MINUS_AX_PLUS_BY };

/* A factor: a number or a tensor of one element. */
struct Scale {
    Scale(float v) : scale{ static_cast<double>(v), { 0, 0 } } {}
    Scale(const poplar::Tensor &t) : scale{ 0, poplar::handles::of(t) } {}
    tw_scale scale;
};

#define TW__END                                                                     \
    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {}, \
                                                                const poplar::OptionFlags &options = {}
#define TW__SCALED(call, c_call)                                                                               \
    inline void call##Scales(poplar::Graph &graph, const poplar::Tensor &A, const Scale &scaleA,               \
                             const poplar::Tensor &B, const Scale &scaleB, TW__END)                            \
    {                                                                                                          \
        poplar::handles::stepInPlace(                                                                          \
            graph, prog, debugContext, options, "popops::" #call, [&](const poplar::handles::Call &c) {        \
                c_call(c.graph, poplar::handles::of(A), scaleA.scale, poplar::handles::of(B), scaleB.scale,    \
                       c.sequence, c.path, c.options);                                                         \
            });                                                                                                \
    }                                                                                                          \
    inline void call(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B, float scaleB, TW__END)          \
    {                                                                                                          \
        call##Scales(graph, A, 1.0f, B, scaleB, prog, debugContext, options);                                  \
    }                                                                                                          \
    inline void call(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B, poplar::Tensor scaleB, TW__END) \
    {                                                                                                          \
        call##Scales(graph, A, 1.0f, B, scaleB, prog, debugContext, options);                                  \
    }                                                                                                          \
    inline void call(poplar::Graph &graph, poplar::Tensor A, float scaleA, poplar::Tensor B, float scaleB,     \
                     TW__END)                                                                                  \
    {                                                                                                          \
        call##Scales(graph, A, scaleA, B, scaleB, prog, debugContext, options);                                \
    }                                                                                                          \
    inline void call(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA, poplar::Tensor B,          \
                     poplar::Tensor scaleB, TW__END)                                                           \
    {                                                                                                          \
        call##Scales(graph, A, scaleA, B, scaleB, prog, debugContext, options);                                \
    }
TW__SCALED(scaledAddTo, tw_popops_scaled_add)
TW__SCALED(scaledSubtractFrom, tw_popops_scaled_subtract)
#undef TW__SCALED

/* A = A - scaleA * A + scaleB * B, where it is asked for. */
inline void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, float scaleA, poplar::Tensor B, float scaleB,
                        poplar::program::Sequence &prog, const ScaledAddSpecialisation speciality,
                        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    using namespace expr;
    if (speciality == ScaledAddSpecialisation::DEFAULT)
        scaledAddTo(graph, A, scaleA, B, scaleB, prog, debugContext, options);
    else
        mapInPlace(graph, _1 - _1 * scaleA + expr::Cast(_2, A.elementType()) * scaleB, { A, B }, prog,
                   debugContext);
}
inline void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA, poplar::Tensor B,
                        poplar::Tensor scaleB, poplar::program::Sequence &prog,
                        const ScaledAddSpecialisation speciality, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    using namespace expr;
    const poplar::Type type = A.elementType();
    if (speciality == ScaledAddSpecialisation::DEFAULT)
        scaledAddTo(graph, A, scaleA, B, scaleB, prog, debugContext, options);
    else
        mapInPlace(graph, _1 - _1 * expr::Cast(_3, type) + expr::Cast(_2, type) * expr::Cast(_4, type),
                   { A, B, scaleA, scaleB }, prog, debugContext);
}
#undef TW__END

} // namespace popops
#endif
