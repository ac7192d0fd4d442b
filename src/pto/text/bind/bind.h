/* SPDX-License-Identifier: MIT */
/* bind, private side: the pass that turns the tree into code.
 *   functions.c     modules and functions
 *   bind.c          lines and blocks
 *   instructions.c  tile instructions: rows of the instruction table, their operands in text order, static checks
 *   known_views.c   extents and strides that are known before a run
 *   op_table.c      all other operations: the list of their tables, one binder for all of them
 *   op_forms.c      lists and named parts that they have
 *   control_flow.c  loops, branches, sections; calls.c: calls */
#ifndef TW_PTO_AS_BIND_H
#define TW_PTO_AS_BIND_H

#include "pto/text/ops/ops.h"

/* One operation; when it fails, its results exist without a type: uses of them are not errors of their own. */
void tw__as_bind_line(tw__as_binder *b, const tw__as_line *line);
tw__as_code *tw__as_bind_block(tw__as_binder *b, const tw__as_block *block, tw__as_code *owner);
void tw__as_bind_row(tw__as_binder *b, const tw__as_op *op, const tw__pto_row *row);
const tw__as_host *tw__as_host_of(const char *name); /* NULL when there is none */
const tw__as_host *tw__as_host_at(size_t index);     /* NULL past the end */
void tw__as_bind_host(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host);

/* --- known_views.c ---------------------------------------------------------------------------------------------- */

/* Extents and strides of a view, when all extents and the strides that matter are known; else all zero. */
tw_pto_tensor tw__as_known_view(const tw__as_binder *b, uint32_t slot);

/* --- op_forms.c ------------------------------------------------------------------------------------------------- */

/* Lists, named parts and attributes that the operation has, after its form. */
bool tw__as_check_form(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host);
/* Types written against those of the operands that they are of, and the rules of the operation; `type`: the result's.
 * */
bool tw__as_check_written(tw__as_binder *b, const tw__as_op *op, const tw__as_host *host, const tw__as_parts *p,
                          const uint32_t *slots, tw__as_item *const *where, const tw__as_code *code,
                          const tw__as_type *type);

/* --- control_flow.c, calls.c ------------------------------------------------------------------------------------ */

typedef struct tw__as_flow {
    const char *name;
    void (*bind)(tw__as_binder *b, const tw__as_op *op);
} tw__as_flow;
const tw__as_item *tw__as_item_of(const tw__as_op *op,
                                  tw__as_item_kind kind); /* the first; NULL when there is none */
/* The value of slots[i], written at where[i], has to be of types[i]. */
bool tw__as_check_types(tw__as_binder *b, const tw__as_op *op, const uint32_t *slots, tw__as_item *const *where,
                        const tw__as_type *types, unsigned count);
void tw__as_bind_call(tw__as_binder *b, const tw__as_op *op);
const tw__as_flow *tw__as_flow_of(const char *name); /* NULL when there is none */
const tw__as_flow *tw__as_flow_at(size_t index);     /* NULL past the end */

#endif
