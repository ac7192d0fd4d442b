/* SPDX-License-Identifier: MIT */
/* types, private side: what text/types/types.c and text/types/tile_types.c share. */
#ifndef TW_PTO_AS_TYPE_H
#define TW_PTO_AS_TYPE_H

#include "pto/text/as.h"

#include <glib.h>

bool tw__type_bad(const char *format, ...) TW_PRINTF(1, 2); /* false, with tw_error_message() */
/* Element types: ours, unsigned ones as ui8, MLIR's names of the 8-bit floats. TW_TYPE_NONE when it is none. */
tw_type tw__type_element(const char *name);
/* Says that `text` is none; "dtype" is how manuals write that one stands here. */
bool tw__type_no_element(const char *text, const char *what);
const char *tw__type_element_text(tw_type type);         /* signless integers are spelled i32, unsigned ones ui32 */
bool tw__type_extent(const char *text, int64_t *extent); /* "?" and "-1" are -1 */
/* "16x?xf32": extents, then an element type. Changes `text`. */
bool tw__type_shaped(char *text, unsigned max_rank, int64_t *dims, unsigned *rank, tw_type *element);
/* What stands between the outer < and >. */
bool tw__type_inside(const char *text, char *buf, size_t size);
/* "!pto.tile<...>" and "!pto.tile_buf<...>"; the canonical spelling goes to `s`. */
bool tw__type_tile(const char *text, tw__as_type *type, GString *s);
/* "!pto.conv_tile<...>" (text/types/conv_types.c); what the tile's `conv` points to lies in the arena. */
bool tw__type_conv(tw__arena *arena, const char *text, tw__as_type *type, GString *s);
const char *tw__type_location_text(tw_pto_location location);
bool tw__type_location(const char *word, tw_pto_location *location);
const char *tw__type_near_location(const char *word); /* NULL when none is near */

#endif
