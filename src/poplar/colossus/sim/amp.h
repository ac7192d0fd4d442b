/* SPDX-License-Identifier: MIT */
/* The AMP units: matrix-vector and sliding convolution steps (Colossus ISA 10.6). */
#ifndef TW_COLOSSUS_SIM_AMP_H
#define TW_COLOSSUS_SIM_AMP_H

#include "poplar/colossus/sim/sim.h"

/* One function for each row: bits of a partial sum that comes in, bits of one that goes out, sets of units. False: an
 * exception. */
#define TW__SIM_AMP_LIST(X) \
    X(amp16_16_16_1)        \
    X(amp16_16_16_2)        \
    X(amp16_32_16_1)        \
    X(amp16_32_32_1)        \
    X(amp32_1)              \
    X(amp32_2)              \
    X(amp8)                 \
    X(slic16_16_16_1)       \
    X(slic16_16_16_2)       \
    X(slic16_32_16_1)       \
    X(slic16_32_32_1)       \
    X(slic32_1)             \
    X(slic32_2)             \
    X(slic8)
#define TW__SIM_AMP(name) tw__sim_run_aux tw__sim_##name;
TW__SIM_AMP_LIST(TW__SIM_AMP)
#undef TW__SIM_AMP

#endif
