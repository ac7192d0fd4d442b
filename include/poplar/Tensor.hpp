// SPDX-License-Identifier: MIT
/* A view of elements of variables: shape, type, and which element is where. Copies are shallow; no view copies
 * elements.
 * A default-constructed tensor is invalid: it may be assigned and asked valid(). Several threads may ask and make
 * views of one graph's tensors at the same time. */
#ifndef POPLAR_TENSOR_HPP
#define POPLAR_TENSOR_HPP

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <map>
#include <memory>
#include <numeric>
#include <ostream>
#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableRef.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

namespace poplar {

namespace core {
struct View; /* a tensor of the C API with the graph it belongs to */
}

enum class UpsampleMethod { REPEAT };

class Tensor {
  public:
    Tensor() = default;
    explicit Tensor(std::shared_ptr<const core::View> v) : view(std::move(v)) {}

    bool valid() const { return view != nullptr; }
    Type elementType() const;
    std::vector<std::size_t> shape() const;
    std::size_t dim(unsigned i) const; /* index_error */
    unsigned rank() const;
    std::size_t numElements() const;
    bool isContiguous() const;
    bool containsAliases() const;
    bool containsConstant() const;
    bool isParallelWriteable() const; /* neither aliases nor constants */
    /* True and the value when all elements are one known constant. */
    template <class V> bool getConstantValue(V *value) const
    {
        double number;
        if (!constantValue(&number)) return false;
        *value = static_cast<V>(number);
        return true;
    }
    bool intersectsWith(const Tensor &other) const;
    bool intersectsWith(ArrayRef<Tensor> others) const;
    /* Intervals of the flattened tensor, in order, each next to each other and rising in one variable. */
    std::vector<Interval> getContiguousRegions() const;
    /* The same cut, as intervals of the variables. */
    std::vector<VariableInterval> getVarRegions() const;
    std::string shapeToString() const; /* "{2,3}" */
    std::string getDebugStr() const;
    std::string getVarStr() const;
    void output(std::ostream &out) const;
    void outputRegions(std::ostream &out) const;
    void dump() const;
    void dumpRegions() const;

    Tensor operator[](std::size_t i) const;
    Tensor index(ArrayRef<std::size_t> indices) const;

    Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
    Tensor slice(std::size_t begin, std::size_t end) const { return slice(begin, end, 0); }
    Tensor slice(const Interval &region, unsigned dimension = 0) const
    {
        return slice(region.begin(), region.end(), dimension);
    }
    /* One pair for each dimension from the first on; dimensions after the last pair stay whole. */
    Tensor slice(ArrayRef<std::size_t> begins, ArrayRef<std::size_t> ends) const;
    std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0) const;
    std::vector<Tensor> slices(const std::vector<Interval> &intervals, unsigned dimension = 0) const
    {
        return slices(ArrayRef<Interval>(intervals), dimension);
    }
    /* Each entry: the concatenation of its intervals. */
    std::vector<Tensor> slices(const std::vector<std::vector<Interval>> &intervals, unsigned dimension = 0) const;
    std::vector<Tensor> slices(const ArrayRef<unsigned> &indices, unsigned dimension = 0) const;

    Tensor flatten() const;
    Tensor flatten(unsigned dimBegin, unsigned dimEnd) const; /* half-open range of dimensions */
    Tensor reshape(ArrayRef<std::size_t> shape) const;
    Tensor reshapePartial(unsigned beginIndex, unsigned endIndex, ArrayRef<std::size_t> newDims) const;
    Tensor dimShuffle(ArrayRef<unsigned> permutation) const; /* dimension i of the result is permutation[i] */
    Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
    Tensor dimRoll(unsigned dimension, unsigned newIndex = 0) const;
    Tensor transpose() const; /* rank 2 */
    Tensor expand(ArrayRef<std::size_t> indices) const;
    Tensor squeeze(ArrayRef<std::size_t> indices) const;
    Tensor broadcast(unsigned n, unsigned dimension) const;
    Tensor subSample(unsigned stride, unsigned dimension) const;
    Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod method) const;
    Tensor reverse(unsigned dimension) const;
    Tensor reinterpret(const Type &type) const;
    /* Of a QUARTER tensor, all of whose views share it: a QUARTER_METADATA scalar, which a Copy may write. Of other
     * tensors an invalid tensor. poplar_error: parts of a concatenation have different metadata. */
    bool hasMetadata() const;
    Tensor getMetadata() const;

    const core::View &get() const; /* poplar_error when invalid */

  private:
    bool constantValue(double *number) const;
    std::shared_ptr<const core::View> view;
};

bool operator==(const Tensor &a, const Tensor &b); /* type, shape and elements */
inline bool operator!=(const Tensor &a, const Tensor &b)
{
    return !(a == b);
}
inline std::ostream &operator<<(std::ostream &out, const Tensor &t)
{
    t.output(out);
    return out;
}

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension = 0);
Tensor append(const Tensor &first, const Tensor &second, unsigned dimension);
Tensor append(const Tensor &first, const Tensor &second);

} // namespace poplar
#endif
