/* SPDX-License-Identifier: MIT */
/* program, private side: what program.c and arguments.c share. */
#ifndef TW_PTO_TEXT_H
#define TW_PTO_TEXT_H

#include "pto/text/as.h"

#include <tilewright/pto/text.h>

struct tw_pto_text {
    tw_diags *diags;
    tw_pto_report report;
    void *user;
    size_t reported; /* diagnostics that `report` has seen */
    tw__as_module *module;
    tw__as_program *program[TW_PTO_TARGETS]; /* NULL = not verified, or refused */
    bool syntax_errors;
};

/* Tells the user what is new; the message of the thread is the first error of it. Returns `status`, TW_OK without
 * errors. */
tw_status tw__text_tell(tw_pto_text *text, tw_status status);
/* `name` NULL = the first that has a body; NULL when there is none. */
const tw__as_function *tw__text_function(const tw__as_program *program, const char *name);
/* Parameters, then names that plain assembly leaves open. */
unsigned tw__text_param_count(const tw__as_function *f);
uint32_t tw__text_param_slot(const tw__as_function *f, size_t index);
const char *tw__text_param_name(const tw__as_function *f, size_t index);
const tw__as_type *tw__text_param_type(const tw__as_function *f, size_t index);
tw_pto_param_kind tw__text_param_kind(const tw__as_type *t);

#endif
