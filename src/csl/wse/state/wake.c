/* SPDX-License-Identifier: MIT */
/* wake: the part of a wake-up that is not in everyone's way. */
#include "csl/wse/state/state.h"

void tw__wse_cell_wakes(tw__wse *w, tw__cell *cell, uint64_t at)
{
    uint32_t row = cell->row;
    cell->next = at;
    if (at >= w->row_next[row]) return;
    if (w->row_next[row] == TW__WSE_NEVER)
        atomic_fetch_or_explicit(&w->awake[row / 64], 1ull << (row & 63), memory_order_relaxed);
    w->row_next[row] = at;
}
