// SPDX-License-Identifier: MIT
/* What waits at a synchronisation. */
#ifndef POPLAR_SYNC_TYPE_HPP
#define POPLAR_SYNC_TYPE_HPP

namespace poplar {

enum class SyncType { INTERNAL, EXTERNAL, GLOBAL };

} // namespace poplar
#endif
