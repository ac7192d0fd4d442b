/* SPDX-License-Identifier: MIT */
/* Where an execution is: one for an engine, one for each replica of a graph that exists as replicas only. */
#ifndef TW_ENGINE_MACHINE_H
#define TW_ENGINE_MACHINE_H

#include "poplar/engine/engine.h"

typedef struct tw__machine {
    tw_engine *engine;
    const tw__instr *code;
    char *base;
    uint32_t pc;    /* next instruction; behind the one at which it waits or ended */
    uint32_t depth; /* of calls */
    bool trace;     /* steps are reported; off inside a straight loop, which is reported as a whole */
    bool log;       /* each instruction at TRACE */
    bool ranks;     /* others run the same instructions */
    bool ended;
    uint32_t loop;   /* LOOP instruction of the straight loop being executed */
    uint32_t outer;  /* that of the outermost loop of known length, whose rounds are the progress */
    uint64_t rounds; /* of `loop`, from where it is reported as a whole */
    uint64_t done;   /* instructions */
} tw__machine;

/* At the first instruction of a program. */
tw_status tw__machine_start(tw__machine *machine, tw_engine *engine, unsigned program);
/* Goes on to the end of the program (ended), or to where a replica waits for all others, which is the instruction
 * before pc: what it does is done by who has all of them. */
tw_status tw__machine_go(tw__machine *machine);
/* Reports what has run of a straight loop, up to instruction `stop`; from there on each step is reported. */
void tw__machine_settle(tw__machine *machine, uint32_t stop);

#endif
