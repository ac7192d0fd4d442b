/* SPDX-License-Identifier: MIT */
/* cc, register allocation: from SSA to rows with physical registers, one function at a time.
 *
 *     lower.c     phis, tied operands and joins become copies (`moves`); what nobody reads goes
 *     live.c      where each word of each register is alive
 *     coalesce.c  registers that copies join become one
 *     assign.c    physical registers, by weight; what gets none goes to the stack (spill.c), then all over again
 *     moves.c     copies in an order that works
 *     frame.c     places on the stack, entry and end of the function
 *     flow.c      order of blocks, branches to branches
 *     bundle.c    pairs of instructions for the two pipelines
 *     track.c     where values are in the end, for debuggers
 *
 * and before all that, in SSA: loop.c, modulo.c, pipeline.c (loop.h) for loops whose rounds are counted. */
#ifndef TW_COLOSSUS_CC_RA_H
#define TW_COLOSSUS_CC_RA_H

#include "poplar/colossus/cc/mir.h"

typedef struct tw__ra_options {
    uint32_t seed;   /* not 0: ties are broken at random, under tests */
    bool no_bundles; /* one instruction after the other */
    bool no_loops;   /* neither rpt nor pipelining */
} tw__ra_options;

/* The whole of it. The function then holds rows and `call`, `ret`, `text` with physical registers, without frame
 * operands. NULL, or why it cannot be (in the arena). */
const char *tw__ra_function(tw__mir *mir, tw__mir_function *f, const tw__ra_options *options);

/* --- what the files share --------------------------------------------------------------------------------------- */

/* Registers as units: $m0 to $m15 are 0 to 15, $a0 to $a15 are 16 to 31; a physical tw__mir_reg less one. The
 * first 32 lanes are units, then come the words of virtual registers. */
enum { RA_UNITS = 32, RA_M = 0, RA_A = 16, RA_LR = 10, RA_SP = 11, RA_FP = 9, RA_WORKER_BASE = 12, RA_ZERO = 15 };
/* Caller saves: $m0 to $m6, $m10, $a0 to $a5. */
#define RA_CALLER_SAVES (0x47fu | 0x3fu << RA_A)
#define RA_CALLEE_SAVES (0x380u | 0xc0u << RA_A)
/* Groups of memory that only ra knows. */
enum { RA_GROUP_STACK = 0xffff, RA_GROUP_SCRATCH = 0xfffe };

typedef struct ra_segment {
    uint32_t from, to; /* without to */
} ra_segment;

/* Where one word of a register is alive, in ascending order. An instruction, or a bundle, at place p reads at p, and
 * writes at p + 2. */
typedef struct ra_lane {
    ra_segment *segments;
    uint32_t count, room;
} ra_lane;

/* A register, or a word of a frame object (unit < 0), holds a word of a value of SSA. */
typedef struct ra_hold {
    struct ra_hold *next;
    int unit;
    uint32_t object, offset;
    tw__mir_reg reg;
    uint8_t sub;
} ra_hold;

typedef struct ra_node { /* a virtual register */
    uint32_t lane;       /* its first; 0: not in use */
    uint8_t words, file;
    bool is_short;
    const tw__mir_insn *remake; /* the `value` or `place` that is its only definition */
    float weight;               /* what a word of its life is worth */
    float use;                  /* how often it is used */
    uint32_t length;
    int unit;      /* -1: none */
    uint32_t slot; /* 1 + frame object; 0: none */
} ra_node;

typedef struct ra {
    tw__mir *mir;
    tw__mir_function *f;
    const tw__ra_options *options;
    tw__arena *arena; /* of one round */
    GRand *random;    /* NULL: none */
    const char *problem;
    uint32_t allocatable; /* units */
    bool has_calls, has_frame;
    /* live.c */
    ra_node *nodes; /* f->vreg_count */
    ra_lane *lanes;
    uint32_t lane_count;
    uint32_t *starts, *ends;                  /* places of blocks */
    uint32_t **live_out;                      /* bits of lanes, by block; words of 32 */
    uint32_t *lane_bit, *bit_lane, bit_count; /* lanes that live across blocks: 1 + bit; the reverse */
    /* assign.c */
    uint32_t used;         /* units, over all rounds */
    GArray *spilled;       /* uint32_t: nodes without a unit */
    uint32_t *frequencies; /* of blocks */
} ra;

static inline bool ra_is_virtual(tw__mir_reg reg)
{
    return reg >= TW__MIR_VIRTUAL;
}

/* A constant, or an address that is one while the function runs: that of the stack's end moves. */
static inline bool ra_is_constant(const tw__mir_function *f, const tw__mir_insn *insn)
{
    if (insn->op != TW__MIR_place) return insn->op == TW__MIR_value;
    return f->objects[insn->operands[1].index].kind != TW__MIR_DYNAMIC;
}

static inline ra_node *ra_node_of(const ra *r, tw__mir_reg reg)
{
    return &r->nodes[reg - TW__MIR_VIRTUAL];
}

/* First lane of an operand's register. */
static inline uint32_t ra_lane_of(const ra *r, const tw__mir_operand *o)
{
    return ra_is_virtual(o->reg) ? ra_node_of(r, o->reg)->lane + o->sub : o->reg - 1 + o->sub;
}

static inline tw__mir_insn *ra_group_end(tw__mir_insn *insn) /* last instruction of a bundle */
{
    return insn->next && insn->next->is_aux_partner ? insn->next : insn;
}

void *tw__ra_zalloc(tw__arena *arena, size_t count, size_t size); /* never NULL */
#define RA_NEW_N(arena, type, n) ((type *)tw__ra_zalloc((arena), (n), sizeof(type)))
/* A load or store of one word, or of an aux pair, of a frame object. */
void tw__ra_frame_access(ra *r, tw__mir_block *block, tw__mir_insn *before, bool store, tw__mir_operand reg,
                         uint32_t object, uint32_t offset);

bool tw__ra_has_state(const tw__mir_insn *insn);      /* flow.c: accumulators, CSRs, flow, no row at all */
void tw__ra_clean(tw__mir *mir, tw__mir_function *f); /* flow.c: unreachable blocks, unused values (SSA) */
void tw__ra_loops(tw__mir *mir, tw__mir_function *f, uint32_t *frequencies);
void tw__ra_flow(tw__mir *mir, tw__mir_function *f);    /* order of blocks, branches, at the end */
void tw__ra_repeats(tw__mir *mir, tw__mir_function *f); /* bundle.c: bodies of rpt, when all else is done */
/* Where instructions at the end of a block go: in front of its branches; NULL: it has none. */
tw__mir_insn *tw__ra_first_branch(const tw__mir_block *block);
/* What led from the block to `from` leads to `to`; what its phis had by `from` comes by `to`. */
void tw__ra_lead(tw__mir_block *block, uint32_t from, uint32_t to);
void tw__ra_come_from(tw__mir_block *block, uint32_t from, uint32_t to);
/* A new instruction there. */
tw__mir_insn *tw__ra_at_end(tw__mir *mir, tw__mir_block *block, unsigned op, unsigned count);
void tw__ra_groups(tw__mir_function *f);                                               /* groups.c */
void tw__ra_counted(tw__mir *mir, tw__mir_function *f, const tw__ra_options *options); /* loop.c */
void tw__ra_far_objects(ra *r);                                                        /* frame.c */
void tw__ra_lower(ra *r);
/* track.c: what debuggers need; `hold` is what a copy that needs no instruction means, of a register that holds its
 * value already (from_unit) or at the beginning of the block. */
void tw__ra_track_arguments(ra *r);
void tw__ra_track_begin(ra *r);
void tw__ra_track_hold(ra *r, uint32_t block, tw__mir_insn *copy, const ra_hold *hold, bool from_unit);
void tw__ra_track_end(ra *r);
void tw__ra_live(ra *r);
void tw__ra_coalesce(ra *r);
void tw__ra_assign(ra *r);
void tw__ra_spill(ra *r);
void tw__ra_rewrite(ra *r); /* moves.c: physical registers, copies one by one */
void tw__ra_frame(ra *r);
void tw__ra_expand(ra *r); /* constants and places */
void tw__ra_bundle(tw__mir *mir, tw__mir_function *f, const tw__ra_options *options);

#endif
