// SPDX-License-Identifier: MIT
/* How many elements are between levels. */
#ifndef POPOPS_GATHER_STATISTICS_HPP
#define POPOPS_GATHER_STATISTICS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_order.h>
#include <popops/ElementWise.hpp>

namespace popops {

inline poplar::Tensor histogram(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &levels,
                                bool absoluteOfInput, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, options, "popops::histogram", [&](const poplar::handles::Call &c) {
            return tw_popops_histogram(c.graph, poplar::handles::of(input), poplar::handles::of(levels),
                                       absoluteOfInput, c.sequence, c.path, c.options);
        });
}
/* `output`, unsigned int or float, gets the counts, or with `updateOutput` so many more. */
inline void histogram(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &output, bool updateOutput,
                      const poplar::Tensor &levels, bool absoluteOfInput, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {})
{
    poplar::OptionFlags options;
    const bool real = output.elementType() == poplar::FLOAT;
    poplar::handles::wantOutput("popops::histogram", output, real ? poplar::FLOAT : poplar::UNSIGNED_INT,
                                { levels.numElements() + 1 });
    if (real) options.set("useFloatArithmetic", "true");
    poplar::Tensor made = histogram(graph, input, levels, absoluteOfInput, prog, debugContext, options);
    if (updateOutput)
        addInPlace(graph, output, made, prog, debugContext);
    else
        prog.add(poplar::program::Copy(made, output));
}

} // namespace popops
#endif
