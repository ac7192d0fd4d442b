/* SPDX-License-Identifier: MIT */
/* A DSD operation while it is analysed: shared by op.c and op_rules.c. */
#ifndef TW_CSL_DSD_OP_H
#define TW_CSL_DSD_OP_H

#include "csl/lang/dsd/local.h"

typedef struct {
    sema *s;
    const node *call;
    const tw__csl_dsd_op_row *row;
    const char *name; /* "@add16" */
    uint32_t count;   /* operands, without the configuration */
    const char *form; /* "DSV" */
    operand o[4];     /* as given */
    operand from[4];  /* the place in memory that o[i] was read from, of kind NOTHING when it was in none */
    const node *at[4];
    uint8_t slot[4]; /* operand i is arg[slot[i]] */
    tw__dsd_config config;
    tw__csl_dsd_use use;
} op;

/* --- op_rules.c: false after an error --- */
bool tw__dsd_check_filter(op *p);   /* as written */
bool tw__dsd_check_operands(op *p); /* when each operand stands in the row */
bool tw__dsd_is_fabric(const type *t);
const char *tw__dsd_elem_text(uint8_t elem); /* "i16 or u16" */

#endif
