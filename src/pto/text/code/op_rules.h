/* SPDX-License-Identifier: MIT */
/* op_rules, private side: rules for the rows of operations (text/ops). Each refuses at the operand and says false. */
#ifndef TW_PTO_AS_RULES_H
#define TW_PTO_AS_RULES_H

#include "pto/text/code/binder.h"

struct tw__as_site { /* an operation whose operands are known */
    tw__as_binder *b;
    const tw__as_op *op;
    const uint32_t *slots; /* [count]: operands, then those of lists */
    tw__as_item *const *where;
    unsigned count;
    const uint32_t *parts;   /* how many operands stand outside lists and in each list */
    const tw__as_type *type; /* of the result */
};

bool tw__as_same_element(tw_type a, tw_type b); /* signless integers go by their width */

bool tw__as_rule_same(const tw__as_site *c);        /* the result has the operand's type */
bool tw__as_rule_load(const tw__as_site *c);        /* the result is an element of operand 0 */
bool tw__as_rule_store(const tw__as_site *c);       /* operand 0 is an element of operand 1 */
bool tw__as_rule_set_element(const tw__as_site *c); /* operand 1 is an element of operand 2 */
bool tw__as_rule_view(const tw__as_site *c);
bool tw__as_rule_part(const tw__as_site *c);
bool tw__as_rule_dimension(const tw__as_site *c);
bool tw__as_rule_integer(const tw__as_site *c); /* the result is one */
bool tw__as_rule_indexes(const tw__as_site *c); /* of a memref, one per extent */
bool tw__as_rule_condition(const tw__as_site *c);
bool tw__as_rule_valid(const tw__as_site *c);
bool tw__as_rule_alloc(const tw__as_site *c);
bool tw__as_rule_window(const tw__as_site *c);
/* Casts. */
bool tw__as_rule_widen(const tw__as_site *c);
bool tw__as_rule_narrow(const tw__as_site *c);
bool tw__as_rule_same_width(const tw__as_site *c);
bool tw__as_rule_to_float(const tw__as_site *c);
bool tw__as_rule_to_integer(const tw__as_site *c);
bool tw__as_rule_index(const tw__as_site *c);

#endif
