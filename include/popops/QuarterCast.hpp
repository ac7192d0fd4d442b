// SPDX-License-Identifier: MIT
/* Elements of FP8 tensors as floats and back, by expressions on their bytes: popops::cast() uses them.
 *
 * A byte is a sign, an exponent and a mantissa of 3 bits (F143) or 2 (F152), its value is that of the byte times two
 * to the power of the scale; both are the tensor's metadata, which a run may change. 0x80 is NaN, there is no -0 and
 * no infinity. Numbers are rounded to the nearest, of two the even one; larger ones become the largest. */
#ifndef POPOPS_QUARTER_CAST_HPP
#define POPOPS_QUARTER_CAST_HPP

#include <cmath>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

namespace popops {
namespace quarters {

/* What the metadata say, as tensors of one element: by how many bits a byte is moved to be the upper ones of a
 * float's exponent and mantissa, and two to the power of scale less bias, or its inverse. */
struct Scale {
    poplar::Tensor bytes, moved, power;
    Scale(poplar::Graph &graph, const poplar::Tensor &t, bool inverse, poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext)
    {
        namespace pe = expr;
        bytes = t.getMetadata().reinterpret(poplar::UNSIGNED_CHAR);
        const pe::Any meta = pe::Cast(pe::_1, poplar::INT), wide = meta >= 128; /* F152 */
        moved = map(graph, pe::Select(pe::Const(21), pe::Const(20), wide), { bytes }, prog, debugContext);
        const pe::Any exponent = (((meta & 63) + 32) & 63) - pe::Select(pe::Const(48), pe::Const(40), wide);
        power =
            map(graph, pe::Const(127) + (inverse ? pe::Any(-exponent) : exponent), { bytes }, prog, debugContext);
        power = map(graph, pe::_1 << pe::Const(23), { power }, prog, debugContext).reinterpret(poplar::FLOAT);
    }
};

/* Before anything is built that reads the tensor, or writes one of QUARTER. Constants may be mapped later; where
 * there are no elements, there are no metadata. */
inline void wantUsable(const char *call, const poplar::Graph &graph, const poplar::Tensor &t)
{
    const bool bare = t.elementType() == poplar::QUARTER && t.numElements() && !t.hasMetadata();
    const char *why = bare ? " has no metadata" : nullptr;
    const bool fixed = t.containsConstant();
    poplar::handles::call(graph, call, [&](tw_graph *g) {
        if (!tw_graph_mapping_complete(g, poplar::handles::of(t)) && !fixed)
            why = " has elements that are on no tile";
    });
    if (why) throw poputil::poplibs_error(std::string(call) + ": " + poplar::handles::describe(t) + why);
}

/* Floats from a tensor of QUARTER. All numbers of FP8 are exact in them. */
inline poplar::Tensor toFloat(poplar::Graph &graph, const poplar::Tensor &src, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext)
{
    namespace pe = expr;
    if (!src.numElements()) return graph.addVariable(poplar::FLOAT, src.shape(), debugContext);
    const Scale scale(graph, src, false, prog, debugContext);
    const poplar::Tensor bytes = src.reinterpret(poplar::UNSIGNED_CHAR);
    /* (1 + mantissa) * 2^exponent; of exponent 0, which is denormal, 2 * mantissa */
    const pe::Any byte = pe::Cast(pe::_1, poplar::INT);
    const poplar::Tensor plain =
        map(graph, ((byte & 127) << pe::_2) + (127 << 23), { bytes, scale.moved }, prog, debugContext)
            .reinterpret(poplar::FLOAT);
    const pe::Any value = pe::Select(pe::_2 * 2.0f - 2.0f, pe::_2, pe::_2 < 2.0f) * pe::_3;
    const pe::Any sign = pe::Select(pe::Const(-1.0f), pe::Const(1.0f), byte >= 128);
    return map(graph, pe::Select(pe::Const(NAN), value * sign, byte == 128), { bytes, plain, scale.power }, prog,
               debugContext);
}

/* Into a tensor of QUARTER, by the metadata that it has. */
inline void fromFloat(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &dst,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext)
{
    namespace pe = expr;
    if (!dst.numElements()) return;
    const Scale scale(graph, dst, true, prog, debugContext);
    const poplar::Tensor plain = map(graph, pe::Abs(pe::_1) * pe::_2, { src, scale.power }, prog, debugContext);
    /* upper bits, rounded; where the byte is denormal a sum with 2^23 rounds to whole steps */
    const pe::Any bits = pe::_1 - (127 << 23), last = pe::Shr(bits, pe::_3) & 1;
    const pe::Any normal = pe::Shr(bits + (pe::Const(1) << (pe::_3 - 1)) - 1 + last, pe::_3);
    const pe::Any steps = pe::_2 * pe::Select(pe::Const(2.0f), pe::Const(4.0f), pe::_3 > 20);
    const pe::Any denormal = pe::Cast(steps + 8388608.0f, poplar::INT) - 8388608;
    const poplar::Tensor number = map(graph, pe::Min(pe::Select(denormal, normal, pe::_2 < 2.0f), pe::Const(127)),
                                      { plain.reinterpret(poplar::INT), plain, scale.moved }, prog, debugContext);
    const pe::Any sign = pe::Select(pe::Const(128), pe::Const(0), pe::_2 < 0.0f && pe::_1 > 0);
    mapWithOutput(graph,
                  pe::Cast(pe::Select(pe::_1 + sign, pe::Const(128), pe::_2 == pe::_2), poplar::UNSIGNED_CHAR),
                  { number, src }, dst.reinterpret(poplar::UNSIGNED_CHAR), prog, debugContext);
}

} // namespace quarters
} // namespace popops
#endif
