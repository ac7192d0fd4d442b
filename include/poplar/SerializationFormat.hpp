// SPDX-License-Identifier: MIT
/* How tensors are written. */
#ifndef POPLAR_SERIALIZATION_FORMAT_HPP
#define POPLAR_SERIALIZATION_FORMAT_HPP

namespace poplar {

enum class SerializationFormat { Binary, JSON };

} // namespace poplar
#endif
