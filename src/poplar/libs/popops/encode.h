/* SPDX-License-Identifier: MIT */
/* Labels: what encode.c and the losses share. */
#ifndef TW_LIBS_POPOPS_ENCODE_H
#define TW_LIBS_POPOPS_ENCODE_H

#include "poplar/libs/popops/code.h"

enum { TW__ENCODE_HOT, TW__ENCODE_MINUS_ONE, TW__ENCODE_HISTOGRAM, TW__ENCODE_SCAN, TW__ENCODE_CODES };
extern const tw__libs_code tw__encode_codes[TW__ENCODE_CODES];

/* Checked already: `encoded` is [...][classes], indices are [...]; on and off are of its type, one element each. */
void tw__encode_hot(tw_graph *graph, tw_tensor indices, tw_tensor encoded, tw_tensor on, tw_tensor off,
                    tw_program sequence, const char *name);

#endif
