// SPDX-License-Identifier: MIT
/* What a library notes about a tensor that it made: the calls that get the tensor later know what is in it. */
#ifndef POPUTIL_TENSOR_META_DATA_HPP
#define POPUTIL_TENSOR_META_DATA_HPP

#include <memory>

namespace poputil {

class TensorMetaDataBase {
  public:
    virtual ~TensorMetaDataBase() = default;
};

/* Never changed after it was made, so copies share it. */
class TensorMetaData {
    std::shared_ptr<const TensorMetaDataBase> data;

  public:
    TensorMetaData() = default;
    TensorMetaData(std::unique_ptr<TensorMetaDataBase> made) : data(std::move(made)) {}
    const TensorMetaDataBase *getData() const { return data.get(); }
};

} // namespace poputil
#endif
