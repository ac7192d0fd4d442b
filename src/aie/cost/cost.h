/* SPDX-License-Identifier: MIT */
/* cost, private side: cycles of a kernel from its code (core/ir/ir.h), block by block.
 *
 *   rows.c      what an instruction takes: unit, issues, latency
 *   loops.c     hints of the source, loops that become straight code
 *   depend.c    who waits for whom in a block
 *   schedule.c  when everything issues; the initiation interval of a loop
 *   lines.c     which line of the source a block's cycles go to
 *   cost.c      functions, blocks, counters */
#ifndef TW_AIE_COST_COST_H
#define TW_AIE_COST_COST_H

#include "core/ir/ir.h"

#include <glib.h>

/* Parts of the machine that take so many operations a cycle. */
typedef enum tw__aie_unit {
    TW__AIE_NONE,
    TW__AIE_ALU,
    TW__AIE_MOVE,
    TW__AIE_MOVE_VECTOR, /* one of the moves reads the vector file */
    TW__AIE_CONVERT,     /* scalar fixed <-> float, in the moves' slot: one converter */
    TW__AIE_LOAD,
    TW__AIE_STORE,
    TW__AIE_VECTOR,
    TW__AIE_SRS,
    TW__AIE_UPS,
    TW__AIE_STREAM_IN,
    TW__AIE_STREAM_OUT,
    TW__AIE_CASCADE,
    TW__AIE_LOCK,
    TW__AIE_CALL,   /* the core does nothing beside */
    TW__AIE_RESULT, /* one scalar result a cycle, whoever brings it */
    TW__AIE_UNITS
} tw__aie_unit;
extern const unsigned tw__aie_widths[TW__AIE_UNITS];

enum {                     /* what else is true of an operation */
       TW__AIE_SCALAR = 1, /* its result is a scalar, through the one port for those */
       TW__AIE_ADDS = 2,   /* to the accumulator that is its first operand, which is needed late */
       TW__AIE_FLOAT = 4,
       TW__AIE_BY_LANE = 8,  /* a vector goes lane by lane */
       TW__AIE_ORDERED = 16, /* after all others on its port */
       TW__AIE_ENDS = 32,    /* time has to be right when it runs: the cycles before it are counted before it */
       TW__AIE_BARRIER = 64, /* nothing passes it */
};

typedef struct tw__aie_cost {
    tw__aie_unit unit;
    unsigned issues, latency, flags;
    unsigned loads; /* of 256 bits, for operands in memory: they issue TW__AIE_LOAD_CYCLES before it */
    bool is_fed;    /* has such operands, its own loads or those of another instruction */
} tw__aie_cost;
#define TW__AIE_COST(unit_, issues_, latency_, flags_) \
    ((tw__aie_cost){ .unit = (unit_), .issues = (issues_), .latency = (latency_), .flags = (flags_) })
enum { TW__AIE_LOAD_CYCLES = 8 };

/* --- rows.c --- */
#define TW__AIE_SECTION "tw_aie" /* of intrinsics, in code that is read here (aie/detail/core.h) */
bool tw__aie_is_intrinsic(const tw__ir_value *v);
/* The name that a programmer wrote, out of that of the linker; g_free. */
char *tw__aie_plain_name(const char *linkage);
tw__aie_cost tw__aie_cost_of(const tw__ir_function *f, const tw__ir_value *v);

/* --- loops.c --- */
typedef struct tw__aie_loop {                  /* what the mark in front of a turn says */
    bool is_outer, is_pipelined, is_flattened; /* is_pipelined: the source asks for it */
    uint64_t least;                            /* turns that it surely makes; 0: nobody says */
    uint32_t copies;                           /* turns in one; 0: nobody asks */
} tw__aie_loop;
void tw__aie_mark_loops(tw__ir *ir); /* before anything is optimised */
tw_status tw__aie_unroll_loops(tw__ir *ir);
void tw__aie_unmark_loops(tw__ir *ir);
tw__aie_loop tw__aie_loop_of(const tw__ir_function *f, uint32_t block); /* all zero: it has no mark */
bool tw__aie_is_self_loop(const tw__ir_function *f, uint32_t block);
/* How often a loop of one block turns, when the code says so; else 0. */
uint64_t tw__aie_trips_of(const tw__ir_function *f, uint32_t block);
uint32_t tw__aie_first_place(const tw__ir_function *f, uint32_t block); /* for a call: behind phis */

/* --- cost.c --- */
bool tw__aie_can_count(const tw__ir_function *f);

/* --- depend.c --- */
typedef struct tw__aie_edge {
    uint32_t from, to;     /* instructions of the block, counted from its first */
    int latency, distance; /* distance 1: to the next turn of the loop */
} tw__aie_edge;
/* users: for each value of the function, whether its result is more than a part of an address or a loop's counter
 * (tw__aie_find_data); g_free. */
bool *tw__aie_find_data(const tw__ir_function *f);
void tw__aie_find_arrays(tw__ir_function *f); /* sets is_array; before the functions below */
/* The costs of the block's instructions and the edges between them, of the next turn too where it is a loop. */
GArray *tw__aie_depend(const tw__ir_function *f, uint32_t block, bool is_loop, const bool *is_data,
                       tw__aie_cost *costs);

/* --- schedule.c --- */
/* Cycles until the last one is done; at[i]: when instruction i issues. */
unsigned tw__aie_schedule(const tw__aie_cost *costs, uint32_t count, const GArray *edges, unsigned *at);
/* How many cycles after a turn the next one may begin, `length` at most. */
unsigned tw__aie_interval(const tw__aie_cost *costs, uint32_t count, const GArray *edges, unsigned length);

/* --- lines.c --- */
enum { TW__AIE_LINE_UNIT = 1000 };
typedef struct tw__aie_block_times {
    const tw__ir_function *f;
    uint32_t block;
    const tw__aie_cost *costs; /* of its instructions, and when they issue */
    const unsigned *at;
    unsigned length;
    bool overlaps; /* turns do: what counts is how long instructions take a unit, not when they issue */
} tw__aie_block_times;
/* What a run of it costs by lines of the source: the function's name, then "thousandths-of-a-cycle line file" a
 * line; they add up to `cycles`. is_first_turn: "+" in front, for what a loop's first turn takes beside the block,
 * which counts the turns. NULL: there are none, or no line is known. g_free. */
char *tw__aie_lines_of(const tw__aie_block_times *times, uint64_t cycles, bool is_first_turn);

#endif
