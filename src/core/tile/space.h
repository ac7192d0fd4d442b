/* SPDX-License-Identifier: MIT */
/* space: places in a buffer in which objects come and go while a program runs. What is known beforehand, with the
 * steps in which it is alive, is placed better, all at once, by place.h. */
#ifndef TW_TILE_SPACE_H
#define TW_TILE_SPACE_H

#include "core/tile/tile.h"

/* Whether something lies in [address, address + bytes); then *first is where one of them begins. */
typedef bool (*tw__space_taken)(const void *user, uint64_t address, uint64_t bytes, uint64_t *first);

/* The highest free place of `bytes` in the region, at a multiple of its alignment and of `align` (a power of two):
 * programs that name addresses name low ones. False when there is none. */
bool tw__space_find(const tw_tile_region *region, uint64_t bytes, uint32_t align, tw__space_taken taken,
                    const void *user, uint64_t *address);

#endif
