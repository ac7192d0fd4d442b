/* SPDX-License-Identifier: MIT */
/* ref_sort: insertion and merging, one element at a time. */
#include "pto/reference/ref_sort.h"

#include <math.h>

uint64_t ref_pair_bits(ref_pair p)
{
    return (uint64_t)p.index << 32 | p.code;
}

ref_pair ref_pair_of(tw_type type, uint64_t bits)
{
    uint64_t mask = type == TW_F16 ? 0xffff : 0xffffffff;
    return (ref_pair){ bits & mask, (uint32_t)(bits >> 32) };
}

bool ref_before(tw_type type, uint64_t a, uint64_t b)
{
    double x = ref_decode(type, a), y = ref_decode(type, b);
    if (isnan(x)) return isnan(y);
    return isnan(y) || x >= y;
}

void ref_sort(tw_type type, ref_pair *pairs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        ref_pair p = pairs[i];
        size_t at = i;
        for (; at > 0 && !ref_before(type, pairs[at - 1].code, p.code); at--) pairs[at] = pairs[at - 1];
        pairs[at] = p;
    }
}

size_t ref_merge(tw_type type, unsigned lists, const ref_pair *const *from, const size_t *counts, bool exhausted,
                 ref_pair *to, size_t *used)
{
    size_t n = 0;
    for (unsigned l = 0; l < lists; l++) used[l] = 0;
    for (;;) {
        unsigned best = lists;
        for (unsigned l = 0; l < lists; l++) {
            if (used[l] == counts[l]) {
                if (exhausted) return n;
                continue;
            }
            if (best == lists || !ref_before(type, from[best][used[best]].code, from[l][used[l]].code)) best = l;
        }
        if (best == lists) return n;
        to[n++] = from[best][used[best]++];
    }
}
