/* SPDX-License-Identifier: MIT */
/* Cycles of instructions, as far as the code alone decides them: sums of straight code, dependent operations and
 * descriptors included. A jump that is taken, the elements of an operation, calls of the machine come on top, when
 * the program runs (wse/state/model.h). */
#ifndef TW_CSL_CODE_COST_H
#define TW_CSL_CODE_COST_H

#include "csl/lang/code/image.h"

enum {
#define X(name, wse2, wse3, fidelity, source) TW__CSL_COST_##name,
#include "csl/lang/code/cost.def"
#undef X
    TW__CSL_FIGURES
};
typedef struct tw__csl_figure {
    const char *name;
    uint8_t value[2]; /* WSE-2, WSE-3 */
    const char *fidelity, *source;
} tw__csl_figure;
extern const tw__csl_figure tw__csl_figures[TW__CSL_FIGURES];

#define TW__CSL_INSN_BYTES 4u /* of an instruction of the core (code) */
typedef struct tw__csl_cost {
    uint16_t cycles;
    uint16_t halves; /* halves of an instruction of 32 bits that it takes in the PE's memory, estimated */
    uint8_t leads;   /* a basic block begins here */
} tw__csl_cost;
/* One for each instruction of a verified program; false when out of memory. */
bool tw__csl_costs(const tw__csl_program *p, bool wse3, tw__csl_cost *out);

#endif
