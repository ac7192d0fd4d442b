// SPDX-License-Identifier: MIT
/* Names of the parts of an LSTM. */
#ifndef POPNN_LSTM_DEF_HPP
#define POPNN_LSTM_DEF_HPP

#include <cstddef>

enum BasicLstmCellUnit {
    BASIC_LSTM_CELL_FORGET_GATE = 0,
    BASIC_LSTM_CELL_INPUT_GATE = 1,
    BASIC_LSTM_CELL_CANDIDATE = 2,
    BASIC_LSTM_CELL_OUTPUT_GATE = 3,
    BASIC_LSTM_CELL_NUM_UNITS = 4
};

#endif
