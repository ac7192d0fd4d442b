/* SPDX-License-Identifier: MIT */
/* Random numbers: vertices, for the generator of the archive. */
#ifndef TW_LIBS_POPRAND_RANDOM_H
#define TW_LIBS_POPRAND_RANDOM_H

#include "poplar/libs/popops/code.h"

enum {
    TW__RANDOM_UNIFORM,
    TW__RANDOM_INTEGER,
    TW__RANDOM_NORMAL,
    TW__RANDOM_TRUNCATED,
    TW__RANDOM_BERNOULLI,
    TW__RANDOM_CODES
};
extern const tw__libs_code tw__random_codes[TW__RANDOM_CODES];

#endif
