/* SPDX-License-Identifier: MIT */
/* Code of the compiler (mir.h) as it should behave: an interpreter of SSA for the rows that tests make, written from
 * the specification of the instructions, and the simulator's answer to the text that comes out. */
#ifndef MIR_RUN_H
#define MIR_RUN_H

#include "../sim_test.h"

#include "poplar/colossus/cc/emit/emit.h"
#include "poplar/colossus/cc/mir.h"
#include "poplar/colossus/cc/ra/ra.h"

enum { MIR_OUT = 0x82000, MIR_WORDS = 256, MIR_STEPS = 200000, MIR_TABLE = 0x50000000 };

typedef struct mir_state {
    const tw__mir_function *f;
    uint32_t (*values)[4];      /* of virtual registers */
    uint32_t physical[33];      /* by register number */
    uint32_t memory[MIR_WORDS]; /* from MIR_OUT on */
    uint32_t *frame;            /* 64 words for each frame object */
} mir_state;

__attribute__((unused)) static uint32_t mir_word(const mir_state *s, const tw__mir_operand *o, unsigned word)
{
    tw__mir_reg reg = o->use & TW__MIR_WRITE ? o->tied : o->reg;
    return reg >= TW__MIR_VIRTUAL ? s->values[reg - TW__MIR_VIRTUAL][o->sub + word] : s->physical[reg + word];
}

__attribute__((unused)) static void mir_set(mir_state *s, const tw__mir_operand *o, unsigned word, uint32_t value)
{
    if (o->reg >= TW__MIR_VIRTUAL)
        s->values[o->reg - TW__MIR_VIRTUAL][word] = value;
    else if (o->reg != 16 && o->reg != 32)
        s->physical[o->reg + word] = value;
}

static uint32_t *mir_cell(mir_state *s, const tw__mir_insn *insn)
{
    const tw__mir_operand *o = insn->operands;
    if (o[3].kind == TW__MIR_FRAME) return &s->frame[64 * o[3].index + (uint32_t)o[3].value / 4];
    unsigned size = tw__mir_row(insn)->accesses[0] & 0x7f;
    uint32_t offset = o[3].kind == TW__MIR_CONST ? (uint32_t)o[3].value : mir_word(s, &o[3], 0);
    uint32_t address = mir_word(s, &o[1], 0) + mir_word(s, &o[2], 0) + offset * size;
    if (address >= 0x40000000) return &s->frame[(address - 0x40000000) / 4]; /* of `place` */
    assert_in_range(address, MIR_OUT, MIR_OUT + 4 * MIR_WORDS - size);
    return &s->memory[(address - MIR_OUT) / 4];
}

/* One instruction that neither branches nor is a phi. */
static void mir_step(mir_state *s, const tw__mir_insn *insn)
{
    const tw__mir_operand *o = insn->operands;
    unsigned at = 0;
    uint32_t x[4], y[4];
    for (unsigned w = 0; w < 4; w++) {
        x[w] = insn->count > 1 && o[1].kind == TW__MIR_REG && w < o[1].words ? mir_word(s, &o[1], w) : 0;
        y[w] = insn->count > 2 && o[2].kind == TW__MIR_REG && w < o[2].words ? mir_word(s, &o[2], w) : 0;
    }
    if (insn->count > 2 && o[2].kind == TW__MIR_CONST) y[0] = (uint32_t)o[2].value;
    switch (insn->op) {
    case TW__OP_add_m:
    case TW__OP_add_s: mir_set(s, o, 0, x[0] + y[0]); break;
    case TW__OP_sub_m: mir_set(s, o, 0, x[0] - y[0]); break;
    case TW__OP_mul_m: mir_set(s, o, 0, x[0] * y[0]); break;
    case TW__OP_xor: mir_set(s, o, 0, x[0] ^ y[0]); break;
    case TW__OP_and_a:
    case TW__OP_and_m: mir_set(s, o, 0, x[0] & y[0]); break;
    case TW__OP_or_a:
    case TW__OP_or_m: mir_set(s, o, 0, x[0] | y[0]); break;
    case TW__OP_andc_a: mir_set(s, o, 0, x[0] & ~y[0]); break;
    case TW__OP_not: mir_set(s, o, 0, ~x[0]); break;
    case TW__OP_cmpult_m: mir_set(s, o, 0, x[0] < y[0]); break;
    case TW__OP_roll16_a: mir_set(s, o, 0, x[0] >> 16 | y[0] << 16); break;
    case TW__OP_and64:
    case TW__OP_andc64:
    case TW__OP_or64:
        for (unsigned w = 0; w < 2; w++)
            mir_set(s, o, w,
                    insn->op == TW__OP_or64    ? x[w] | y[w]
                    : insn->op == TW__OP_and64 ? x[w] & y[w]
                                               : x[w] & ~y[w]);
        break;
    case TW__OP_not64: mir_set(s, o, 0, ~x[0]), mir_set(s, o, 1, ~x[1]); break;
    case TW__OP_roll32: mir_set(s, o, 0, x[1]), mir_set(s, o, 1, y[0]); break;
    case TW__OP_sort4x32lo: mir_set(s, o, 0, x[0]), mir_set(s, o, 1, y[0]); break;
    case TW__OP_movz: {
        uint32_t kept = mir_word(s, &o[0], 0);
        mir_set(s, o, 0, x[0] ? y[0] : kept);
        break;
    }
    case TW__MIR_copy:
        for (unsigned w = 0; w < o[0].words; w++) mir_set(s, o, w, x[w]);
        break;
    case TW__MIR_value: mir_set(s, o, 0, o[1].kind == TW__MIR_SYMBOL ? MIR_TABLE : (uint32_t)o[1].value); break;
    case TW__MIR_place: mir_set(s, o, 0, 0x40000000 + 256 * o[1].index + (uint32_t)o[1].value); break;
    case TW__MIR_join:
        for (unsigned k = 1; k < insn->count; k++)
            for (unsigned w = 0; w < o[k].words; w++) mir_set(s, o, at++, mir_word(s, &o[k], w));
        break;
    case TW__OP_ld32_m: /* an entry of a table is its number */
        mir_set(s, o, 0, x[0] == MIR_TABLE ? mir_word(s, &o[3], 0) : *mir_cell(s, insn));
        break;
    case TW__OP_ld32_mz:
    case TW__OP_ld32_az: mir_set(s, o, 0, *mir_cell(s, insn)); break;
    case TW__OP_ld64_z: mir_set(s, o, 0, mir_cell(s, insn)[0]), mir_set(s, o, 1, mir_cell(s, insn)[1]); break;
    case TW__OP_st32_mz:
    case TW__OP_st32_az: *mir_cell(s, insn) = mir_word(s, &o[0], 0); break;
    case TW__OP_st64_z:
        mir_cell(s, insn)[1] = mir_word(s, &o[0], 1), mir_cell(s, insn)[0] = mir_word(s, &o[0], 0);
        break;
    case TW__OP_ld32step_ms:
    case TW__OP_ld32step_as: {
        uint32_t delta = mir_word(s, &o[2], 0), address = x[0] + delta;
        assert_in_range(address, MIR_OUT, MIR_OUT + 4 * MIR_WORDS - 4);
        mir_set(s, o, 0, s->memory[(address - MIR_OUT) / 4]);
        mir_set(s, &o[2], 0, delta + 4 * (uint32_t)o[3].value);
        break;
    }
    case TW__MIR_call: /* `helper`: $m0 += 7 * $m1, $a0 = ~$a1 */
        s->physical[1] += 7 * s->physical[2];
        s->physical[17] = ~s->physical[18];
        break;
    case TW__MIR_text: /* "add %0, %1, 5" */ mir_set(s, o, 0, x[0] + 5); break;
    default: fail_msg("the interpreter does not know row %u", insn->op);
    }
}

/* Phis read before any of them writes. */
static const tw__mir_insn *mir_phis(mir_state *s, const tw__mir_block *block, uint32_t from)
{
    const tw__mir_insn *insn;
    for (insn = block->first; insn && insn->op == TW__MIR_phi; insn = insn->next) continue;
    uint32_t kept[64][4];
    unsigned n = 0;
    for (const tw__mir_insn *phi = block->first; phi != insn; phi = phi->next, n++)
        for (unsigned k = 1; k < phi->count; k += 2)
            for (unsigned w = 0; phi->operands[k].index == from && w < phi->operands[0].words; w++)
                kept[n][w] = mir_word(s, &phi->operands[k + 1], w);
    n = 0;
    for (const tw__mir_insn *phi = block->first; phi != insn; phi = phi->next, n++)
        for (unsigned w = 0; w < phi->operands[0].words; w++) mir_set(s, &phi->operands[0], w, kept[n][w]);
    return insn;
}

/* Where a branch goes; UINT32_MAX: on behind it; UINT32_MAX - 1: out of the function. */
static uint32_t mir_branch(mir_state *s, const tw__mir_insn *insn)
{
    const tw__mir_operand *o = insn->operands;
    uint32_t value;
    switch (insn->op) {
    case TW__OP_bri: return o[0].index;
    case TW__MIR_jump: return o[1 + mir_word(s, &o[0], 0)].index;
    case TW__OP_brz: return mir_word(s, &o[0], 0) ? UINT32_MAX : o[1].index;
    case TW__OP_brnz: return mir_word(s, &o[0], 0) ? o[1].index : UINT32_MAX;
    case TW__OP_brneg: return mir_word(s, &o[0], 0) >> 31 ? o[1].index : UINT32_MAX;
    case TW__OP_brnzdec:
        value = mir_word(s, &o[0], 0);
        mir_set(s, &o[0], 0, value ? value - 1 : 0);
        return value ? o[1].index : UINT32_MAX;
    default: return UINT32_MAX - 1;
    }
}

__attribute__((unused)) static void mir_interpret(mir_state *s)
{
    uint32_t block = 0, from = 0;
    for (unsigned steps = 0;; steps++) {
        if (steps > MIR_STEPS) fail_msg("the interpreter runs for ever");
        uint32_t to = UINT32_MAX;
        for (const tw__mir_insn *insn = mir_phis(s, &s->f->blocks[block], from); insn; insn = insn->next) {
            if (!tw__mir_is_branch(insn)) {
                mir_step(s, insn);
                continue;
            }
            if ((to = mir_branch(s, insn)) != UINT32_MAX) break;
        }
        if (to == UINT32_MAX - 1) return;
        from = block, block = to;
    }
}

#endif
