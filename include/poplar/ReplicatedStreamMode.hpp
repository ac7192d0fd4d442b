// SPDX-License-Identifier: MIT
/* Whether each replica gets its own data of a stream, or all the same. */
#ifndef POPLAR_REPLICATED_STREAM_MODE_HPP
#define POPLAR_REPLICATED_STREAM_MODE_HPP

namespace poplar {

enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

} // namespace poplar
#endif
