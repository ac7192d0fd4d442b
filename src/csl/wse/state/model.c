/* SPDX-License-Identifier: MIT */
/* model: the tables of model.h. */
#include "csl/wse/state/model.h"

#define ROW(name, wse2, wse3, fidelity, source) { #name, { wse2, wse3 }, fidelity, source },
const tw__wse_model_row tw__wse_model[TW__WSE_MODEL_ROWS] = { TW__WSE_MODEL(ROW) };
#undef ROW

const unsigned char tw__wse_queue_depth[2][2][8] = {
    { { 6, 6, 4, 4, 2, 2, 2, 2 }, { 2, 2, 6, 6, 2, 2, 0, 0 } },
    { { 8, 8, 4, 4, 4, 4, 4, 4 }, { 8, 8, 8, 8, 8, 8, 8, 8 } },
};
