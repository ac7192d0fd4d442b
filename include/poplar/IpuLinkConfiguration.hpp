// SPDX-License-Identifier: MIT
/* How their links are used. */
#ifndef POPLAR_IPU_LINK_CONFIGURATION_HPP
#define POPLAR_IPU_LINK_CONFIGURATION_HPP

namespace poplar {

enum class IpuLinkConfiguration { Default, SlidingWindow, BarleyTwist };

} // namespace poplar
#endif
