// SPDX-License-Identifier: MIT
/* What collectives do, and parts of what they reduce. */
#ifndef POPOPS_COLLECTIVE_TYPES_HPP
#define POPOPS_COLLECTIVE_TYPES_HPP

#include <istream>
#include <ostream>
#include <poplar/Tensor.hpp>
#include <popops/OperationDef.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <vector>

namespace popops {

enum class CollectiveOperator { ADD, MEAN, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, SQUARE_ADD, LOCAL };

/* Part `index` of a reduced row, which lies where rank `index` is. */
struct Chunk {
    poplar::Tensor tensor;
    unsigned index = 0;
    unsigned offset = 0;
    Chunk() = default;
    Chunk(poplar::Tensor t, unsigned i, unsigned o) : tensor(t), index(i), offset(o) {}
};
struct Chunks {
    poplar::Tensor originalInput;
    std::vector<Chunk> chunks;
    Chunks() = default;
    explicit Chunks(unsigned size) : chunks(size) {}
};

namespace detail {
inline const char *const *collectiveNames()
{
    static const char *const names[] = { "ADD",         "MEAN",       "MUL",        "MIN",  "MAX",
                                         "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOCAL" };
    return names;
}
} // namespace detail
inline std::ostream &operator<<(std::ostream &out, const CollectiveOperator &op)
{
    return out << detail::collectiveNames()[static_cast<int>(op)];
}
inline std::istream &operator>>(std::istream &in, CollectiveOperator &op)
{
    std::string word;
    in >> word;
    for (int i = 0; i <= static_cast<int>(CollectiveOperator::LOCAL); i++)
        if (word == detail::collectiveNames()[i]) {
            op = static_cast<CollectiveOperator>(i);
            return in;
        }
    throw poputil::poplibs_error("there is no collective operator '" + word + "'");
}
/* That which reduces in the same way; Operation::LOG_ADD has none. */
inline CollectiveOperator operationToCollectiveOperator(const Operation &op)
{
    switch (op) {
    case Operation::ADD: return CollectiveOperator::ADD;
    case Operation::MUL: return CollectiveOperator::MUL;
    case Operation::MIN: return CollectiveOperator::MIN;
    case Operation::MAX: return CollectiveOperator::MAX;
    case Operation::LOGICAL_AND: return CollectiveOperator::LOGICAL_AND;
    case Operation::LOGICAL_OR: return CollectiveOperator::LOGICAL_OR;
    case Operation::SQUARE_ADD: return CollectiveOperator::SQUARE_ADD;
    case Operation::LOG_ADD: break;
    }
    throw poputil::poplibs_error("no collective reduces as LOG_ADD");
}

} // namespace popops
#endif
