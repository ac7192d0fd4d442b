// SPDX-License-Identifier: MIT
/* How much data may pass between IPUs. */
#ifndef POPLAR_GLOBAL_EXCHANGE_CONSTRAINTS_HPP
#define POPLAR_GLOBAL_EXCHANGE_CONSTRAINTS_HPP

#include <initializer_list>
#include <poplar/ArrayRef.hpp>
#include <vector>

namespace poplar {

struct GlobalExchangeFlow {
    unsigned src, dst; /* IPUs */
    GlobalExchangeFlow(unsigned s, unsigned d) : src(s), dst(d) {}
};
inline bool operator==(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b)
{
    return a.src == b.src && a.dst == b.dst;
}

/* The flows share `bandwidth`, in bit/s. */
struct GlobalExchangeConstraint {
    double bandwidth;
    std::vector<GlobalExchangeFlow> flows;
    GlobalExchangeConstraint(double b, std::vector<GlobalExchangeFlow> f) : bandwidth(b), flows(std::move(f)) {}
    GlobalExchangeConstraint(double b, ArrayRef<GlobalExchangeFlow> f) : bandwidth(b), flows(f.cloneAsVector()) {}
    GlobalExchangeConstraint(double b, std::initializer_list<GlobalExchangeFlow> f) : bandwidth(b), flows(f) {}
};
inline bool operator==(const GlobalExchangeConstraint &a, const GlobalExchangeConstraint &b)
{
    return a.bandwidth == b.bandwidth && a.flows == b.flows;
}

} // namespace poplar
#endif
