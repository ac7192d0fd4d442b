/* SPDX-License-Identifier: MIT */
/* cc: finished code as text for the assembler (docs/colossus.md). */
#ifndef TW_COLOSSUS_CC_EMIT_H
#define TW_COLOSSUS_CC_EMIT_H

#include "poplar/colossus/cc/mir.h"

/* Functions that ra is through with, and data; appended to `out`. */
void tw__mir_emit(tw__mir *mir, GString *out);
void tw__mir_emit_function(tw__mir *mir, const tw__mir_function *f, GString *out);
void tw__mir_emit_data(const tw__mir_data *data, GString *out);

#endif
