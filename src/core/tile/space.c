/* SPDX-License-Identifier: MIT */
/* space: first fit from the end of a buffer down. */
#include "core/tile/space.h"

bool tw__space_find(const tw_tile_region *region, uint64_t bytes, uint32_t align, tw__space_taken taken,
                    const void *user, uint64_t *address)
{
    const uint64_t start = region->start, end = start + region->bytes;
    if (align < region->align) align = region->align;
    if (bytes > region->bytes || align == 0) return false;
    for (uint64_t at = (end - bytes) / align * align; at >= start;) {
        uint64_t first;
        if (!taken(user, at, bytes, &first)) return *address = at, true;
        if (first < start + bytes) return false;
        at = (first - bytes) / align * align;
    }
    return false;
}
