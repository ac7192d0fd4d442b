// SPDX-License-Identifier: MIT
/* Names of the parts of a GRU. */
#ifndef POPNN_GRU_DEF_HPP
#define POPNN_GRU_DEF_HPP

#include <cstddef>

enum BasicGruCellUnit {
    BASIC_GRU_CELL_RESET_GATE = 0,
    BASIC_GRU_CELL_UPDATE_GATE = 1,
    BASIC_GRU_CELL_CANDIDATE = 2,
    BASIC_GRU_CELL_NUM_UNITS = 3
};

#endif
