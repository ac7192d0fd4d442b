/* SPDX-License-Identifier: MIT */
/* cost: how long an instruction takes. cost/pipes.c has transfers, the cube, pipes and flags; cost/fit.c vector
 * instructions; cost/timeline.c keeps when each ran. */
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

void tw__pto_charge(tw__pto_call *call); /* advances the clock of the instruction's pipe */
tw_pto_pipe tw__pto_pipe_of(const tw__pto_call *call);
uint64_t tw__pto_done(const tw_pto *core, tw_pto_pipe pipe); /* cycle at which all its results are there */
/* The pipe does nothing before `until`, because of `hold`. */
void tw__pto_hold(tw_pto *core, tw_pto_pipe pipe, uint64_t until, tw__hold hold);

/* --- timelines ------------------------------------------------------------------------------------------------- */

enum {
    TW__MOST_SPANS =
        1 << 20,         /* per core, of instructions and of waits each; what comes later is counted, not kept */
    TW__MOST_USES = 4096 /* of memory, per core */
};

typedef struct tw__span {
    uint64_t begin, end, there; /* cycles; `there`: its results can be used */
    uint32_t line; /* of the program's text, or TW__OF_CALL and a number of core/base/callers.h; 0 = not known */
    uint16_t row;
    uint8_t pipe;
} tw__span;
#define TW__OF_CALL (UINT32_C(1) << 31)

typedef struct tw__wait_span {
    uint64_t begin, end;
    uint32_t line;
    uint16_t row; /* what would have run */
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
    char *file;                   /* of the program's text; NULL = none ran */
    bool other;                   /* several ran: which line is of which is not known */
    uint32_t lanes[TW_PTO_PIPES]; /* of the profile at hand */
};

bool tw__timeline_new(tw_pto *core);
void tw__timeline_source(tw_pto *core, const char *file); /* what runs from now on, line by line, is of this text */
void tw__timeline_free(tw_pto *core);
/* An instruction begins, ends, and has its results. */
void tw__timeline_add(tw_pto *core, const tw__pto_row *row, tw_pto_pipe pipe, uint64_t begin, uint64_t end,
                      uint64_t there);
/* A tile is read or written from `begin` to `end`; a pipe waits from `begin` to `end`. */
void tw__timeline_use(tw_pto *core, const tw_pto_tile *tile, uint64_t begin, uint64_t end);
void tw__timeline_wait(tw_pto *core, const tw__pto_row *row, tw_pto_pipe pipe, uint64_t begin, uint64_t end,
                       tw__hold hold);

#endif
