/* cost: how long an instruction takes. cost/pipes.c has transfers, the cube, pipes and flags; cost/fit.c vector
 * instructions. */
#ifndef TW_PTO_COST_H
#define TW_PTO_COST_H

#include "pto/pto.h"

/* Cycles: `head` when the pipe was idle, `body` in any case; `tail` until the result is there, while the pipe goes
 * on. */
typedef struct tw__pto_cycles {
    uint64_t head, body, tail;
} tw__pto_cycles;

tw__pto_cycles tw__pto_vector_cycles(const tw__pto_call *call);
/* Bytes between memories at so many GiB/s. */
uint64_t tw__pto_transfer_cycles(tw_pto_target target, uint64_t bytes, double rate);
#define TW__UB_TO_GM 188.46
unsigned tw__pto_cost_head(const tw__pto_row *row);

#endif
