/* SPDX-License-Identifier: MIT */
/* cc: finished code as text for the assembler (docs/colossus.md). */
#ifndef TW_COLOSSUS_CC_EMIT_H
#define TW_COLOSSUS_CC_EMIT_H

#include "poplar/colossus/cc/mir.h"

/* Functions that ra is through with, and data; appended to `out`. */
void tw__mir_emit(tw__mir *mir, GString *out);
void tw__mir_emit_function(tw__mir *mir, const tw__mir_function *f, GString *out);
void tw__mir_emit_data(const tw__mir_data *data, GString *out);

/* dwarf.c: the sections .debug_*, behind all that. Labels that it names: .Lfb and .Lfe with the number of a function
 * at its beginning and end, .Lm with that of the function and of the mark in front of a marked instruction. */
void tw__mir_emit_debug(tw__mir *mir, GString *out);
/* A name for the assembler, in quotes where it needs them; a string. */
void tw__mir_emit_name(GString *out, const char *name);
void tw__mir_emit_string(GString *out, const char *text);

#endif
