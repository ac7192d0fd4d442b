// SPDX-License-Identifier: MIT
/* Which parts of a matrix may be there: elements or blocks of one size. */
#ifndef POPSPARSE_SPARSITY_PARAMS_HPP
#define POPSPARSE_SPARSITY_PARAMS_HPP

#include <array>
#include <cstddef>
#include <ostream>
#include <tuple>

namespace popsparse {
namespace dynamic {

enum class SparsityType { Element, Block };
enum class SparsityStructure { Unstructured };

inline std::ostream &operator<<(std::ostream &out, const SparsityType &t)
{
    return out << (t == SparsityType::Element ? "Element" : "Block");
}
inline std::ostream &operator<<(std::ostream &out, const SparsityStructure &)
{
    return out << "Unstructured";
}

struct SparsityParams {
    SparsityType type; /* follows from the size of a block, whatever the constructor is told */
    SparsityStructure structure;
    std::array<std::size_t, 2> blockDimensions; /* rows, columns */

    SparsityParams(SparsityType = SparsityType::Element,
                   SparsityStructure structure_ = SparsityStructure::Unstructured,
                   std::array<std::size_t, 2> blockDimensions_ = { { 1, 1 } })
        : type(blockDimensions_[0] * blockDimensions_[1] == 1 ? SparsityType::Element : SparsityType::Block),
          structure(structure_), blockDimensions(blockDimensions_)
    {
    }
    friend bool operator<(const SparsityParams &a, const SparsityParams &b)
    {
        return std::tie(a.type, a.structure, a.blockDimensions) < std::tie(b.type, b.structure, b.blockDimensions);
    }
    friend bool operator==(const SparsityParams &a, const SparsityParams &b) { return !(a < b) && !(b < a); }
    friend bool operator!=(const SparsityParams &a, const SparsityParams &b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, const SparsityParams &p)
    {
        return out << "{type=" << p.type << ", structure=" << p.structure << ", block={" << p.blockDimensions[0]
                   << ',' << p.blockDimensions[1] << "}}";
    }
};

} // namespace dynamic
} // namespace popsparse
#endif
