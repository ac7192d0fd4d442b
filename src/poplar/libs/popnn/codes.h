/* SPDX-License-Identifier: MIT */
/* The vertices of popnn, for the archive and the calls that use them. */
#ifndef TW_LIBS_POPNN_CODES_H
#define TW_LIBS_POPNN_CODES_H

#include "poplar/libs/popops/code.h"

enum { TW__POOL_CODES = 4 };
extern const tw__libs_code tw__pool_codes[TW__POOL_CODES], tw__ctc_code, tw__ctc_search_code;

#endif
