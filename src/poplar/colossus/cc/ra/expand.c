/* SPDX-License-Identifier: MIT */
/* Constants and addresses as instructions: one where one is enough. */
#include "poplar/colossus/cc/ra/ra.h"

enum { LOW = 0xfffff }; /* what setzi holds */

/* D = from OP constant */
static void add_insn(ra *r, tw__mir_block *block, tw__mir_insn *value, unsigned op, tw__mir_reg from,
                     int64_t constant)
{
    tw__mir_insn *insn = tw__mir_insert(r->mir, block, value, op, 3);
    insn->operands[0] = value->operands[0];
    insn->operands[1] = tw__mir_read(from, 1);
    insn->operands[2] = tw__mir_const(constant);
}

static void expand_value(ra *r, tw__mir_block *block, tw__mir_insn *value)
{
    tw__mir_insn *behind = value->previous;
    tw__mir_reg to = value->operands[0].reg;
    bool aux = to >= TW__MIR_A0;
    tw__mir_reg zero = aux ? TW__MIR_A0 + 15 : TW__MIR_M0 + RA_ZERO;
    uint32_t n = (uint32_t)value->operands[1].value;
    bool symbol = value->operands[1].kind == TW__MIR_SYMBOL;
    if (!symbol && n && !(n & LOW)) {
        add_insn(r, block, value, aux ? TW__OP_or_ai : TW__OP_or_mi, zero, n);
    } else if (!symbol && !aux && n >= (uint32_t)-32768) {
        add_insn(r, block, value, TW__OP_add_s, zero, (int32_t)n);
    } else if (!symbol && aux && n == UINT32_MAX) {
        tw__mir_insn *insn = tw__mir_insert(r->mir, block, value, TW__OP_not, 2);
        insn->operands[0] = value->operands[0];
        insn->operands[1] = tw__mir_read(zero, 1);
    } else {
        tw__mir_insn *set = tw__mir_insert(r->mir, block, value, aux ? TW__OP_setzi_a : TW__OP_setzi_m, 2);
        set->operands[0] = value->operands[0];
        set->operands[1] = symbol ? value->operands[1] : tw__mir_const(n & LOW);
        if (!symbol && n > LOW)
            add_insn(r, block, value, aux ? TW__OP_or_ai : TW__OP_or_mi, to, n & ~(uint32_t)LOW);
    }
    tw__mir_replace(block, behind, value);
}

void tw__ra_expand(ra *r)
{
    for (uint32_t b = 0; b < r->f->block_count; b++)
        for (tw__mir_insn *insn = r->f->blocks[b].first, *next; insn; insn = next) {
            next = insn->next;
            if (insn->op == TW__MIR_value) expand_value(r, &r->f->blocks[b], insn);
        }
}
