// SPDX-License-Identifier: MIT
/* Something that goes with a tensor, which only who made it knows: owned, and copied with its owner. */
#ifndef POPUTIL_TENSOR_META_DATA_HPP
#define POPUTIL_TENSOR_META_DATA_HPP

#include <memory>
#include <utility>

namespace poputil {

/* What is kept is derived from this. */
class TensorMetaDataBase {
  public:
    virtual ~TensorMetaDataBase() = default;
    virtual std::unique_ptr<TensorMetaDataBase> clone() const = 0;
};

class TensorMetaData {
    std::unique_ptr<TensorMetaDataBase> data;

  public:
    TensorMetaData() = default;
    TensorMetaData(std::unique_ptr<TensorMetaDataBase> of) : data(std::move(of)) {}
    TensorMetaData(const TensorMetaData &other) : data(other.data ? other.data->clone() : nullptr) {}
    TensorMetaData(TensorMetaData &&other) = default;
    TensorMetaData &operator=(const TensorMetaData &other)
    {
        data = other.data ? other.data->clone() : nullptr;
        return *this;
    }
    TensorMetaData &operator=(TensorMetaData &&other) = default;
    const TensorMetaDataBase *getData() const { return data.get(); }
};

} // namespace poputil
#endif
