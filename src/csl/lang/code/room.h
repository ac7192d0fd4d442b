/* SPDX-License-Identifier: MIT */
/* What takes the memory of a PE. Our code does not lie there; how much the vendor's would take is estimated from
 * ours, function by function. */
#ifndef TW_CSL_CODE_ROOM_H
#define TW_CSL_CODE_ROOM_H

#include "csl/lang/code/image.h"

/* The code that <memcpy> brings along: published for the smallest program that imports it. */
#define TW__CSL_LINK_BYTES 4176u

typedef struct tw__csl_pe_room {
    uint32_t data;           /* arrays and variables */
    uint32_t stack;          /* locals with addresses */
    uint32_t code, imported; /* of the program; of library modules, which ours make larger than the vendor's */
    uint32_t link;           /* TW__CSL_LINK_BYTES or 0 */
} tw__csl_pe_room;

/* by_function: bytes of code of each function of a verified program; false when out of memory. */
bool tw__csl_pe_room_of(const tw__csl_image *image, const tw__csl_program *p, uint32_t *by_function,
                        tw__csl_pe_room *room);
static inline uint32_t tw__csl_pe_room_sum(const tw__csl_pe_room *r)
{
    return r->data + r->stack + r->code + r->imported + r->link;
}
/* "'big' 49,000 bytes ([24500]u16), 'f' about 60 (code), ...": the `most` largest of both; g_free() it. */
char *tw__csl_pe_room_largest(const tw__csl_program *p, const uint32_t *by_function, const tw__csl_pe_room *room,
                              unsigned most);

#endif
