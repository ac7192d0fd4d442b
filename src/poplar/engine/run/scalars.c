/* SPDX-License-Identifier: MIT */
/* One element of memory as a number: predicates, switch values, loop counters and their limits. */
#include "poplar/engine/engine.h"

#include <string.h>

int64_t tw__scalar_get(tw_type type, const void *at)
{
    const tw_type_info *info = tw_type_get(type);
    uint64_t bits = 0;
    memcpy(&bits, at, info->size); /* little endian */
    if (!info->is_signed || info->size >= 8) return (int64_t)bits;
    unsigned shift = 64 - 8 * info->size;
    return (int64_t)(bits << shift) >> shift;
}

void tw__scalar_set(tw_type type, void *at, int64_t value)
{
    memcpy(at, &value, tw_type_get(type)->size);
}
