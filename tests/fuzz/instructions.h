/* SPDX-License-Identifier: MIT */
/* Instructions of a tile for the mutators, nearly always legal ones. */
#ifndef TW_FUZZ_INSTRUCTIONS_H
#define TW_FUZZ_INSTRUCTIONS_H

#include "mutate.h"

#include <tilewright/poplar/colossus/isa.h>

/* Places in the code of an address: from `base` on, a multiple of 4 below `bytes`. */
typedef struct instruction_code {
    uint32_t base, bytes;
} instruction_code;

static inline uint32_t instruction_operand(mutate_chance *c, const tw_isa_operand *kind,
                                           const instruction_code *code)
{
    if (kind->registers) return mutate_below(c, 16) / kind->registers * kind->registers;
    if (kind->file == TW_ISA_CODE && code && !mutate_one_in(c, 8))
        return code->base + mutate_below(c, code->bytes / 4 + 1) * 4;
    uint32_t mask = (uint32_t)((UINT64_C(1) << (kind->bits + kind->shift)) - 1);
    if (mutate_one_in(c, 3)) return mutate_below(c, 8) << kind->shift & mask;
    return (uint32_t)mutate_limit(c) & mask;
}

/* Of any row that the chips have (as a set). */
static inline tw_insn instruction_random(mutate_chance *c, unsigned archs, const instruction_code *code)
{
    tw_insn insn = { .row = (uint16_t)mutate_below(c, tw_isa_count()) };
    while (!(tw_isa_get(insn.row)->archs & archs)) insn.row = (uint16_t)((insn.row + 1u) % tw_isa_count());
    const tw_isa_row *row = tw_isa_get(insn.row);
    for (unsigned k = 0; k < row->count; k++) insn.operands[k] = instruction_operand(c, row->operands[k], code);
    return insn;
}

#endif
