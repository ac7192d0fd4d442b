// SPDX-License-Identifier: MIT
/* A sparse matrix on the device: its values, and where they belong where that is data. */
#ifndef POPSPARSE_SPARSE_TENSOR_HPP
#define POPSPARSE_SPARSE_TENSOR_HPP

#include <poplar/Tensor.hpp>
#include <poputil/TensorMetaData.hpp>

namespace popsparse {
namespace dynamic {

class SparseTensor {
    poplar::Tensor metaInfo, nzValues;
    poputil::TensorMetaData opMetaData;

  public:
    SparseTensor() = default;
    SparseTensor(const poplar::Tensor &meta, const poplar::Tensor &values, const poputil::TensorMetaData &made = {})
        : metaInfo(meta), nzValues(values), opMetaData(made)
    {
    }
    const poplar::Tensor &getMetaInfoTensor() const { return metaInfo; }
    const poplar::Tensor &getNzValuesTensor() const { return nzValues; }
    const poputil::TensorMetaData &getOpMetaData() const { return opMetaData; } /* what a product needs to know */
};

} // namespace dynamic

namespace static_ {

/* The values of blocks by row and column; which are there, the graph knows. */
class SparseTensor {
    poplar::Tensor nzValues;
    poputil::TensorMetaData opMetaData;

  public:
    SparseTensor() = default;
    SparseTensor(const poplar::Tensor &values, const poputil::TensorMetaData &made = {})
        : nzValues(values), opMetaData(made)
    {
    }
    const poplar::Tensor &getNzValuesTensor() const { return nzValues; }
    const poputil::TensorMetaData &getOpMetaData() const { return opMetaData; }
};

} // namespace static_
} // namespace popsparse
#endif
