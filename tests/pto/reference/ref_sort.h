/* SPDX-License-Identifier: MIT */
/* ref_sort: sorted pairs of value and index, for the references of TSORT32 and TMRGSORT. */
#ifndef TW_TESTS_PTO_REF_SORT_H
#define TW_TESTS_PTO_REF_SORT_H

#include "pto/reference/ref_format.h"

/* A sorted element takes 8 bytes: f32 value and u32 index, or f16 value, zero, u32 index. */
typedef struct ref_pair {
    uint64_t code; /* of the value */
    uint32_t index;
} ref_pair;
uint64_t ref_pair_bits(ref_pair p);
ref_pair ref_pair_of(tw_type type, uint64_t bits);
/* Whether a may stand before b in descending order: NaN after every number, in their order; zeros are equal. */
bool ref_before(tw_type type, uint64_t a, uint64_t b);
void ref_sort(tw_type type, ref_pair *pairs, size_t count); /* stable */
/* Merges up to four sorted lists, ties from the lower list; stops when a list ends if `exhausted`. Returns how many
 * pairs were merged and in used[] how many of each list. */
size_t ref_merge(tw_type type, unsigned lists, const ref_pair *const *from, const size_t *counts, bool exhausted,
                 ref_pair *to, size_t *used);

#endif
