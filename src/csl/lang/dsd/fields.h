/* SPDX-License-Identifier: MIT */
/* Arguments of builtins, and the structs that many of them take: fields by name, each checked as it is read. */
#ifndef TW_CSL_DSD_FIELDS_H
#define TW_CSL_DSD_FIELDS_H

#include "csl/lang/sema/sema.h"

#include <string.h>

typedef tw__csl_sema sema;
typedef tw__csl_node node;
typedef tw__csl_value value;
typedef tw__csl_operand operand;
typedef tw__csl_type type;

#define TYPE_TEXT(t) tw__csl_type_text((char[TW__CSL_TYPE_TEXT]){ 0 }, (t))

const char *tw__dsd_builtin_name(const sema *s, const node *call);       /* "@mov16" in the arena */
const char *tw__dsd_argument(sema *s, const node *call, uint32_t index); /* "argument 2 of @mov16"; index from 0 */
bool tw__dsd_in_phase(sema *s, const node *call, unsigned phases);       /* bits 1 << TW__CSL_PHASE_... */
#define TW__DSD_IN_COMPTIME (1u << TW__CSL_PHASE_COMPTIME)
#define TW__DSD_IN_RUNTIME  (1u << TW__CSL_PHASE_RUNTIME)

typedef struct tw__dsd_fields {
    sema *s;
    const node *at;
    const char *what; /* "the properties of a fabin_dsd" */
    operand object;
} tw__dsd_fields;

/* Evaluates `at` and checks that it is a struct with no fields but `known` (NULL-terminated). */
bool tw__dsd_open(tw__dsd_fields *f, sema *s, const node *at, const char *what, const char *const *known);
bool tw__dsd_open_operand(tw__dsd_fields *f, sema *s, const node *at, operand object, const char *what,
                          const char *const *known);
bool tw__dsd_field(const tw__dsd_fields *f, const char *name,
                   operand *out); /* rvalue; false: not given, or in error */
bool tw__dsd_has(const tw__dsd_fields *f, const char *name);
const node *tw__dsd_field_node(const tw__dsd_fields *f, const char *name); /* what to blame: its value */
/* Typed reading: `out` stays as it is when the field is not given; false after an error. */
bool tw__dsd_bool(const tw__dsd_fields *f, const char *name, bool *out);
bool tw__dsd_int(const tw__dsd_fields *f, const char *name, int64_t min, int64_t max, int64_t *out);
/* The one field of nested struct `name` that is true, as its index in `choices` (NULL-terminated); -1 = not given. */
bool tw__dsd_choice(const tw__dsd_fields *f, const char *name, const char *const *choices, int *out);
/* Integer of a known operand within limits. */
bool tw__dsd_known_int(sema *s, const node *at, const operand *o, const char *what, int64_t min, int64_t max,
                       int64_t *out);

#endif
