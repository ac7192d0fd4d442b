/* SPDX-License-Identifier: MIT */
/* ops: operations other than tile instructions, a table of each family, and what the families share. */
#ifndef TW_PTO_AS_OPS_H
#define TW_PTO_AS_OPS_H

#include "pto/text/code/op_rules.h"

extern const tw__as_host tw__as_arith_ops[], tw__as_view_ops[], tw__as_tile_ops[], tw__as_sync_ops[],
    tw__as_output_ops[], tw__as_memref_ops[], tw__as_core_ops[], tw__as_comm_ops[], tw__as_address_ops[],
    tw__as_fifo_ops[];
/* pto.tassign %tile, @tile(0x1000) of plain assembly before the tile is defined (tiles.c): true = it was
 * one. */
bool tw__as_bind_early_assign(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p);
/* TLOAD with padding (padded_load.c): true = it was one. */
bool tw__as_bind_padded_load(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p);

/* core_flags.c: a member of the operation's dictionaries: its value, or the member itself when it has none.
 * NULL = absent. */
const tw__as_item *tw__as_member(const tw__as_parts *p, const char *name);
/* A number of a dictionary within [0, most], else *value stays; false when it is there and is none. */
bool tw__as_number_member(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, const char *name,
                          int64_t most, int64_t *value);
/* That the dictionaries have no other members than these. */
bool tw__as_known_members(tw__as_binder *b, const tw__as_op *op, const tw__as_parts *p, const char *const *names,
                          size_t count);

tw_status tw__as_alloc_tile(tw__as_run *run, const tw__as_code *code);               /* tiles.c */
tw_status tw__as_need_tile(tw__as_run *run, const tw__as_code *code, unsigned i);    /* operand i; tiles.c */
tw_status tw__as_need_pointer(tw__as_run *run, const tw__as_code *code, unsigned i); /* with memory; views.c */

#endif
