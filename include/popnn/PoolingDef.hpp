// SPDX-License-Identifier: MIT
/* Kinds of pooling. */
#ifndef POPNN_POOLING_DEF_HPP
#define POPNN_POOLING_DEF_HPP

namespace popnn {

enum class PoolingType { MAX, AVG, SUM };

} // namespace popnn
#endif
