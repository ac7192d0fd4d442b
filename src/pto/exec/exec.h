/* SPDX-License-Identifier: MIT */
/* exec: what joins the floors: the functions of the rows, one instruction from its operands to its effect, cores and
 * grids from their making to their end. */
#ifndef TW_PTO_EXEC_H
#define TW_PTO_EXEC_H

#include "pto/pto.h"

typedef struct tw__pto_family {
    tw_status (*check)(tw__pto_call *call); /* rules beside those of core/check.c */
    tw_status (*run)(tw__pto_call *call);
} tw__pto_family;
extern const tw__pto_family tw__pto_families[]; /* by family_number of a row */

static inline tw_status tw__pto_run_call(tw__pto_call *call)
{
    return tw__pto_families[call->row->family_number].run(call);
}
tw_status tw__pto_check_call(tw__pto_call *call);
/* The form of a mnemonic that operands mean: the first whose kinds fit and whose checks pass, else the first whose
 * kinds fit; NULL when none does. `core` NULL while checking text. */
const tw__pto_row *tw__pto_form_of(tw_pto *core, tw_pto_target target, const tw__pto_row *first,
                                   const tw_pto_operand *operands, unsigned count, const tw_pto_attrs *attrs);
tw_status tw__pto_exec_row(tw_pto *core, const tw__pto_row *row, const tw_pto_operand *operands, unsigned count,
                           const tw_pto_attrs *attrs);
void tw__pto_print_tile(FILE *out, const tw_pto *core, const tw_pto_tile *tile, unsigned max_rows,
                        unsigned max_cols);
void tw__pto_free_core(tw_pto *core); /* tw_pto_free of a core that is one of several */

#endif
