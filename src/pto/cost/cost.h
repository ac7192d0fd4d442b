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
/* GiB/s between memories (TW_PTO_LOCATIONS = global memory); cost/bandwidth.def. */
double tw__pto_bandwidth(unsigned from, unsigned to);
unsigned tw__pto_cost_head(const tw__pto_row *row);

/* --- timelines ------------------------------------------------------------------------------------------------- */

enum {
    TW__MOST_SPANS =
        1 << 20,         /* per core, of instructions and of waits each; what comes later is counted, not kept */
    TW__MOST_USES = 4096 /* of memory, per core */
};

typedef struct tw__span {
    uint64_t begin, end, there; /* cycles; `there`: its results can be used */
    uint32_t row;
    uint8_t pipe;
} tw__span;

typedef struct tw__wait_span {
    uint64_t begin, end;
    uint32_t row; /* what would have run */
    uint8_t pipe;
    tw__hold hold;
} tw__wait_span;

/* A range of a memory as tiles of one shape used it. */
typedef struct tw__use {
    unsigned char location;
    tw_type type;
    uint32_t address, bytes, rows, cols;
    uint64_t from, used; /* cycles: the first use began, the last one ended */
} tw__use;

struct tw__timeline {
    tw__span *spans;
    size_t count, room;
    tw__wait_span *waits;
    size_t wait_count, wait_room;
    tw__use *uses;
    size_t use_count, use_room;
    uint64_t left_out;
    uint32_t lanes[TW_PTO_PIPES]; /* of the profile at hand */
};

/* uses.c */
void tw__timeline_add_waits(tw_pto *const *cores, unsigned count, unsigned number, tw_profile *profile);
void tw__timeline_add_map(const tw_pto *core, tw_profile *profile, uint32_t tile);

#endif
