/* SPDX-License-Identifier: MIT */
/* The name of <adf.h> in its first releases. */
#ifndef TILEWRIGHT_AIE_CARDANO_H
#define TILEWRIGHT_AIE_CARDANO_H
#include <adf.h>
namespace cardano = adf;
#endif
