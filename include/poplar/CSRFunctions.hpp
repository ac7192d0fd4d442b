// SPDX-License-Identifier: MIT
/* Floating point behaviour of all tiles as part of a program. */
#ifndef POPLAR_CSR_FUNCTIONS_HPP
#define POPLAR_CSR_FUNCTIONS_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

struct FloatingPointBehaviour {
    bool inv = true;   /* exceptions of invalid operations, */
    bool div0 = true;  /* divisions by zero, */
    bool oflo = true;  /* overflows */
    bool esr = true;   /* stochastic rounding */
    bool nanoo = true; /* half: NaN on overflow */
    FloatingPointBehaviour(bool invalid = true, bool divisionByZero = true, bool overflow = true,
                           bool stochastic = true, bool nan = true)
        : inv(invalid), div0(divisionByZero), oflo(overflow), esr(stochastic), nanoo(nan)
    {
    }
    FloatingPointBehaviour operator!() const { return { !inv, !div0, !oflo, !esr, !nanoo }; }
};

/* These append to `prog`. The state they set and return is kept and can be restored, but has no effect: the CPU and
 * the IPU Model raise no floating point exceptions and round to nearest. */
void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog, const FloatingPointBehaviour &behaviour,
                               const DebugContext &debugContext = {});
/* `behaviour`: what getAndModifyFloatingPointBehaviour() returned. */
void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog, const Tensor &behaviour,
                               const DebugContext &debugContext = {});
/* Clears what is true in `clear`, then sets what is true in `set`; the state before as a tensor. */
Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                          const FloatingPointBehaviour &clear, const FloatingPointBehaviour &set,
                                          const DebugContext &debugContext = {});
void setStochasticRounding(Graph &graph, program::Sequence &prog, bool enable,
                           const DebugContext &debugContext = {});

} // namespace poplar
#endif
