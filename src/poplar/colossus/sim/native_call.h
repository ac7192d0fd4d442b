/* SPDX-License-Identifier: MIT */
/* What the simulator and translated code both know; the text of this file stands in front of each translation. */
#ifndef TW_COLOSSUS_SIM_NATIVE_CALL_H
#define TW_COLOSSUS_SIM_NATIVE_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tw__sim_op tw__sim_op;
typedef struct tw__sim_context tw__sim_context;

/* Runs an instruction or bundle: the next one; NULL when the context has stopped (exit, exception), or in a repeat
 * loop when what is left of the piece is too little for an iteration. */
typedef const tw__sim_op *tw__sim_run_op(tw__sim_context *w, const tw__sim_op *op);
/* Runs an instruction of the aux pipeline, all of it or nothing: false and an exception. */
typedef bool tw__sim_run_aux(tw__sim_context *w, const tw__sim_op *op);

enum { TW__SIM_MAIN_OPERANDS = 4, TW__SIM_AUX_OPERANDS = 3 };
struct tw__sim_op {
    tw__sim_run_op *run;      /* for a worker */
    tw__sim_run_aux *aux;     /* the other half of a bundle */
    const tw__sim_op *next;   /* behind it in memory */
    const tw__sim_op *target; /* of a branch once it is known; of rpt: the body, once it has been checked */
    uint32_t address;
    uint32_t imm, aux_imm;            /* the constant of the main and of the aux instruction */
    uint16_t row, aux_row;            /* of the table; TW__OP_COUNT: none */
    uint8_t r[TW__SIM_MAIN_OPERANDS]; /* register that operand k reads, or its second constant */
    uint8_t d[TW__SIM_MAIN_OPERANDS]; /* register that operand k writes: SINK for the read-only ones */
    uint8_t ar[TW__SIM_AUX_OPERANDS], ad;
};

enum {
    TW__SIM_SINK = 16, /* registers that nobody reads, four in a row */
    TW__SIM_REGISTERS = 20,
    TW__SIM_WEIGHTS = 64,
    TW__SIM_UNITS = 16,
    TW__SIM_INV = 1,
    TW__SIM_DIV0 = 2,
    TW__SIM_OFLO = 4
};

/* Eight bytes at most that a store will overwrite: translated code, and steps that can be taken back, note them. */
typedef struct tw__sim_undo {
    uint32_t at, bytes;
    uint64_t old;
} tw__sim_undo;

/* A call of translated code. `real` is the context, of which it knows nothing but what is here. */
typedef struct tw__sim_native_call {
    void *real;
    uint32_t *m, *a, *tas; /* of the context: taken over at the start, written back when the call ends well */
    float *e, *o;          /* used where they are */
    uint8_t *memory;
    const uint8_t *code_map;
    /* An instruction of the aux pipeline that has not been translated; it finds and leaves its registers in `a`. */
    bool (*aux)(struct tw__sim_native_call *call, unsigned row, const tw__sim_op *op);
    uint32_t extra;     /* turns beside its own that it took */
    uint32_t load_step; /* 1: loads are noted; 0: nobody wants to know */
    uint32_t *loads;    /* address | bytes << 24 */
    tw__sim_undo *stores;
    uint32_t pc;                                     /* where it begins: an entry; where the next one would */
    uint32_t repeat_count, repeat_first, repeat_end; /* the same for the repeat loop that it is in */
    int64_t left; /* turns it may take, and what is left of them; an instruction of
                                                       several turns may take more */
} tw__sim_native_call;

/* False: something that only the interpreter does - an exception, a flag, a store into code. Nothing but memory (as
 * noted) and what `aux` changed has been touched then. */
typedef bool tw__sim_native_code(tw__sim_native_call *call);

#endif
