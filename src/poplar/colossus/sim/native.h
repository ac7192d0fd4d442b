/* SPDX-License-Identifier: MIT */
/* colossus, translated code of the simulator.
 *
 *   native_region.c   which instructions are translated together
 *   native_text.c     from them to C: the functions of the interpreter's own rows, with constant operands
 *   native.c          what has been translated, by content; hot places; who fits which tile
 *   native_run.c      running it: always so that all can be taken back and done again by the interpreter
 *
 * The compiler is above this box: tw__sim_set_compiler(). */
#ifndef TW_COLOSSUS_SIM_NATIVE_H
#define TW_COLOSSUS_SIM_NATIVE_H

#include "poplar/colossus/sim/sim.h"

/* --- native_region.c -------------------------------------------------------------------------------------------- */

typedef enum tw__region_flags {
    TW__REGION_SEEN = 1,   /* an instruction or bundle of the region begins here */
    TW__REGION_LEADER = 2, /* a branch may lead here */
    TW__REGION_ENTRY = 4,  /* code may be entered here */
    TW__REGION_LEFT = 8,   /* the interpreter goes on here */
    TW__REGION_BODY = 16,  /* the body of a repeat loop begins here: may be entered within the loop */
} tw__region_flags;

typedef struct tw__region {
    tw_sim *sim;
    uint8_t *flags; /* of each word of region 0 */
    uint32_t words, count;
    uint32_t low, high; /* what it depends on lies in [low, high) */
} tw__region;

typedef enum tw__native_kind {
    TW__NATIVE_PLAIN,
    TW__NATIVE_BRANCH, /* to its target or on */
    TW__NATIVE_JUMP,   /* always to its target */
    TW__NATIVE_CALL,
    TW__NATIVE_DYNAMIC, /* to a register */
    TW__NATIVE_REPEAT,
    TW__NATIVE_STEP, /* for the interpreter, which goes on behind it */
    TW__NATIVE_END   /* for the interpreter */
} tw__native_kind;

tw__region *tw__region_new(tw_sim *sim, uint32_t start);
void tw__region_free(tw__region *r);
static inline uint8_t *tw__region_at(const tw__region *r, uint32_t address)
{
    return &r->flags[(address - r->sim->base) / 4];
}
/* The record, decoded; NULL: no code there. */
const tw__sim_op *tw__region_op(const tw__region *r, uint32_t address);
static inline uint32_t tw__region_next(const tw__sim_op *op)
{
    return op->address + 4 * (uint32_t)(op->next - op);
}
/* First and last + 1 address of a repeat loop's body. */
uint32_t tw__region_body(const tw__sim_op *rpt, uint32_t *end);

/* --- native_text.c ---------------------------------------------------------------------------------------------- */

tw__native_kind tw__native_kind_of(const tw__sim_op *op);
/* C for it, which defines tw__native_code(). */
char *tw__native_text(const tw__region *r);

/* --- native.c --------------------------------------------------------------------------------------------------- */

typedef struct tw__native {
    tw__sim_native_code *code;
    tw_isa_arch arch;
    bool clashes, denormals;
    uint32_t low, high; /* the code it has been made from: these bytes have to be the same in a tile */
    uint32_t *words;    /* ... those of them that `counts` says */
    uint8_t *counts;
    GArray *entries; /* addresses */
} tw__native;

/* Compiles C text that defines tw__native_code; NULL: it cannot. May be called from any thread. */
typedef tw__sim_native_code *tw__sim_compiler(const char *text);
void tw__sim_set_compiler(tw__sim_compiler *compiler);
bool tw__sim_has_compiler(void);

/* Is there code to be run, now? Looks for new translations that fit this tile. */
bool tw__native_ready(tw_sim *sim);
/* May code of this tile be translated at all? Before it runs? */
bool tw__native_wanted(const tw_sim *sim);
bool tw__native_at_once(const tw_sim *sim);
/* For tests: from now on HOT means AT_ONCE. */
void tw__sim_translate_all(void);
/* So many turns have just been interpreted around this address. */
void tw__native_hot(tw_sim *sim, uint32_t address, uint64_t turns);
/* The code of this tile has changed. */
void tw__native_detach(tw_sim *sim);
/* Turns of this tile that were not interpreted, those that were taken back included. */
uint64_t tw__sim_native_turns(const tw_sim *sim);
/* Waits for what is being compiled; how many translations there are. */
unsigned tw__sim_native_wait(void);

/* --- native_run.c ----------------------------------------------------------------------------------------------- */

/* Can translated code begin where this worker is? */
bool tw__native_at(tw__sim_context *w);
/* A worker alone, which is at an entry, for at most so many turns. False: it has not come far; where that is no use,
 * nothing is tried for a while (sim->native_wait). */
bool tw__native_alone(tw__sim_context *w, uint64_t turns);
/* Workers in rotation: all to the same round, `rounds` further on at most; ahead: rounds that one has taken already.
 * False: nothing was done. */
bool tw__native_together(tw__sim_context *const *workers, const uint64_t *ahead, unsigned count, uint64_t rounds);

#endif
