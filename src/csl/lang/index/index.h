/* SPDX-License-Identifier: MIT */
/* What a compilation said of names, and the index that is made of it and of the trees. */
#ifndef TW_CSL_INDEX_INDEX_H
#define TW_CSL_INDEX_INDEX_H

#include "core/base/index.h"
#include "csl/lang/sema/value.h"

#include <glib.h>

/* What was met at one place; up to so many different types and values of it are told. */
enum { TW__CSL_FACTS = 3 };
typedef struct tw__csl_fact {
    const char *types[TW__CSL_FACTS], *values[TW__CSL_FACTS];
    unsigned meetings;
    bool unknown;           /* once without a value */
    tw__csl_loc definition; /* of its name; 0 = unknown */
    tw__csl_loc site;       /* of the definition of its type, behind pointers; 0 = none */
    const char *fields, *path;
} tw__csl_fact;

typedef struct tw__csl_facts {
    tw__arena *arena;
    GHashTable *at;   /* tw__csl_loc -> tw__csl_fact */
    GArray *bindings; /* tw__csl_loc of a call, tw__csl_loc of a param */
} tw__csl_facts;

void tw__csl_facts_met(tw__csl_facts *facts, const tw__csl_node *at, const tw__csl_operand *o,
                       const tw__csl_node *definition);
const tw__csl_fact *tw__csl_fact_at(const tw__csl_facts *facts, tw__csl_loc loc); /* NULL: nothing was met there */
/* "a | b" of what was met; "" for nothing. */
const char *tw__csl_fact_text(const tw__csl_facts *facts, const char *const texts[TW__CSL_FACTS]);

/* All files that were parsed. */
void tw__csl_index_trees(tw_index *index, const tw__csl_ctx *ctx, const tw__csl_facts *facts);

#endif
