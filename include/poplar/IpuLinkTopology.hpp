// SPDX-License-Identifier: MIT
/* How the IPUs of a system are joined. */
#ifndef POPLAR_IPU_LINK_TOPOLOGY_HPP
#define POPLAR_IPU_LINK_TOPOLOGY_HPP

namespace poplar {

enum class IpuLinkTopology { Mesh, Torus, Line };

} // namespace poplar
#endif
