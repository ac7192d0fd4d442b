/* SPDX-License-Identifier: MIT */
/* tile, private side of the vector layouts: what layout.c and layout_list.c share. */
#ifndef TW_TILE_LAYOUT_H
#define TW_TILE_LAYOUT_H

#include <tilewright/tile/layout.h>
#include "core/base/base.h"

/* Largest value of a field of `bits` bits, 0 to 32. */
static inline uint32_t tw__low_bits(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
}

/* The pointer of a layout: bits [shift .. shift + stored) of an address. */
uint32_t tw__layout_pack_pointer(tw_layout layout, uint32_t address);
uint32_t tw__layout_unpack_pointer(const tw_tile_arch *arch, tw_layout layout, uint32_t stored);

/* Is [address, address + bytes) aligned, inside the chip's memory and, if asked, in interleaved memory? `what` names
 * it in the message: "2,047 elements of 4 bytes". */
tw_status tw__layout_check_range(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t address,
                                 uint64_t bytes, unsigned align, const char *what);
/* The same for `count` elements of a resolved form; nothing at address 0 is fine. */
tw_status tw__layout_check_data(const tw_tile_arch *arch, const tw_vector_form *form, uint32_t address,
                                uint32_t count);
tw_status tw__layout_check_count(const tw_vector_form *form, const char *what, uint32_t count, uint32_t limit,
                                 unsigned bits);
/* Resolves, and refuses lists (or, with want_list, all others). */
tw_status tw__layout_prepare(const tw_tile_arch *arch, const tw_vector_form *form, bool want_list,
                             tw_vector_form *out);

#endif
