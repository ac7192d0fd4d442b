// SPDX-License-Identifier: MIT
/* How often a graph exists. */
#ifndef POPLAR_REPLICATION_FACTOR_HPP
#define POPLAR_REPLICATION_FACTOR_HPP

namespace poplar {

struct replication_factor {
    unsigned value;
    explicit replication_factor(unsigned v) : value(v) {}
};

} // namespace poplar
#endif
