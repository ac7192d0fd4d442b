/* SPDX-License-Identifier: MIT */
/* Reductions: what the plan and the code of vertices share. */
#ifndef TW_LIBS_POPOPS_REDUCE_H
#define TW_LIBS_POPOPS_REDUCE_H

#include "poplar/libs/popops/popops.h"

typedef enum tw__reduce_form {
    TW__REDUCE_ROWS,    /* each row of `in` is the elements of one result */
    TW__REDUCE_COLUMNS, /* row i of `in` is element i of all results */
    TW__REDUCE_JOIN,    /* rows are partial results already */
    TW__REDUCE_FORMS
} tw__reduce_form;

/* The type that sums of `type` are made in; TW_TYPE_NONE where the operation does not take it. */
tw_type tw__reduce_accumulator(tw_reduce_op op, tw_type type);
/* What an empty reduction gives. */
double tw__reduce_identity(tw_reduce_op op, tw_type type);
const char *tw__reduce_name(tw_reduce_op op);
/* Name and code of a vertex, freed by the caller. */
char *tw__reduce_vertex(tw_reduce_op op, tw_type type, tw__reduce_form form);
char *tw__reduce_code(tw_reduce_op op, tw_type type, tw__reduce_form form);

#endif
