/* SPDX-License-Identifier: MIT */
/* cc, loops of one block whose rounds are counted, in SSA: what loop.c finds, modulo.c puts in turns, and pipeline.c
 * makes code of. */
#ifndef TW_COLOSSUS_CC_LOOP_H
#define TW_COLOSSUS_CC_LOOP_H

#include "poplar/colossus/cc/ra/ra.h"

enum { LOOP_ITEMS = 60, LOOP_NONE = UINT32_MAX };

/* Where an access of a loop goes: first address `root` + offset, `stride` further each round. Roots that differ
 * cannot be compared. */
typedef struct loop_access {
    tw__mir_reg root;  /* 0: not known */
    tw__mir_reg index; /* root + index * scale, or 0 */
    unsigned scale;
    int64_t offset, stride;
    unsigned size;
} loop_access;

typedef struct loop_item { /* an instruction of the body */
    tw__mir_insn *insn;
    bool is_aux;
    loop_access access;
    int time; /* modulo.c: turn in which it is issued, of its round */
} loop_item;

typedef struct loop_phi {
    tw__mir_reg reg, first, next; /* next: of the round before */
    unsigned words;
    /* of a pointer that loop.c makes: the base it comes from, or 0; it is base + index * size + offset */
    tw__mir_reg base, index;
    unsigned size;
    int64_t offset;
} loop_phi;

typedef struct loop {
    tw__mir *mir;
    tw__mir_function *f;
    uint32_t block, before, behind; /* body, the block that enters it, the one it goes to */
    tw__mir_reg rounds;             /* less one, on entry */
    loop_item items[LOOP_ITEMS];
    unsigned count;
    loop_phi phis[LOOP_ITEMS];
    unsigned phi_count;
    uint32_t *definer; /* by virtual register: 1 + item; 0: not of the body */
    uint32_t *phi_of;  /* by virtual register: 1 + phi */
    uint32_t vregs;    /* length of these */
    bool is_simple;    /* rows only: may be pipelined */
    unsigned turns;    /* of a round: modulo.c */
    unsigned stages;
} loop;

unsigned tw__loop_definer(const loop *l, tw__mir_reg reg); /* 1 + item, 0 */
const loop_phi *tw__loop_phi(const loop *l, tw__mir_reg reg);
tw__mir_reg tw__loop_read(const tw__mir_operand *o); /* the virtual register that it reads, or 0 */
const tw__mir_insn *tw__loop_definition(const tw__mir_function *f, tw__mir_reg reg); /* NULL: none */
bool tw__loop_schedule(loop *l, GRand *random); /* modulo.c: false: no order was found */
void tw__loop_repeat(loop *l);                  /* pipeline.c: as rpt, round after round */
void tw__loop_pipeline(loop *l);                /* pipeline.c: as scheduled */

#endif
