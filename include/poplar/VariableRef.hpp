// SPDX-License-Identifier: MIT
/* Variables of a graph, and intervals of their elements. */
#ifndef POPLAR_VARIABLE_REF_HPP
#define POPLAR_VARIABLE_REF_HPP

#include <cstddef>
#include <functional>
#include <ostream>
#include <poplar/Interval.hpp>

namespace poplar {

struct VariableRef {
    unsigned id;
    explicit VariableRef(unsigned i = 0) : id(i) {}
    std::size_t hash() const { return id; }
};
inline bool operator==(VariableRef a, VariableRef b)
{
    return a.id == b.id;
}
inline bool operator!=(VariableRef a, VariableRef b)
{
    return a.id != b.id;
}
inline bool operator<(VariableRef a, VariableRef b)
{
    return a.id < b.id;
}

struct VariableInterval {
    VariableRef var;
    Interval interval;
    VariableInterval() = default;
    VariableInterval(VariableRef v, Interval i) : var(v), interval(i) {}
    VariableInterval(VariableRef v, std::size_t begin, std::size_t end) : var(v), interval(begin, end) {}
};
inline bool operator==(const VariableInterval &a, const VariableInterval &b)
{
    return a.var == b.var && a.interval == b.interval;
}
inline bool operator<(const VariableInterval &a, const VariableInterval &b)
{
    return a.var < b.var || (a.var == b.var && a.interval < b.interval);
}
inline std::ostream &operator<<(std::ostream &out, const VariableInterval &v)
{
    return out << "variable " << v.var.id << ' ' << v.interval;
}

} // namespace poplar

namespace std {
template <> struct hash<poplar::VariableRef> {
    size_t operator()(poplar::VariableRef v) const { return v.hash(); }
};
} // namespace std
#endif
