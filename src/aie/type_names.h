/* SPDX-License-Identifier: MIT */
/* aie, private side: the table of type names. Public: include/tilewright/aie*.h. */
#ifndef TW_AIE_TYPE_NAMES_H
#define TW_AIE_TYPE_NAMES_H

#include "core/base/base.h"
#include <tilewright/aie/type_names.h>

/* --- types.c ------------------------------------------------------------------------------------------------ */

/* "4, 8, 16 or 32" lanes that `element` has, e.g. for "cint16"; "" when there is no such element. */
void tw__aie_lanes_of(const char *element, bool extra, char *buf, size_t size);

#endif
