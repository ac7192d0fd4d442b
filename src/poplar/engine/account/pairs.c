/* SPDX-License-Identifier: MIT */
/* Who sends how much to whom in one exchange, in how many stretches; and what tells an exchange from another that
 * moves the same. Sums of a pair are found by hash; beyond MOST_SUMS pairs, and in the profile beyond MOST_KEPT of
 * them, the rest is counted and left out. */
#include "poplar/engine/account/account.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SUMS = 1 << 17, /* pairs of one exchange that are added up */
    MOST_KEPT = 4096     /* those of them that a profile keeps, the largest */
};

static size_t pairs_place_of(const tw__pairs *pairs, uint32_t from, uint32_t to)
{
    uint64_t hash = ((uint64_t)from << 32 | to) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 20) & (pairs->room - 1);
    while (pairs->seen[at] &&
           (pairs->sums.items[pairs->seen[at] - 1].from != from || pairs->sums.items[pairs->seen[at] - 1].to != to))
        at = (at + 1) & (pairs->room - 1);
    return at;
}

static bool grow(tw__pairs *pairs)
{
    size_t room = pairs->room ? 4 * pairs->room : 1024;
    uint32_t *seen = tw__calloc(room, sizeof *seen);
    if (!seen) return false;
    free(pairs->seen);
    pairs->seen = seen, pairs->room = room;
    for (uint32_t i = 0; i < pairs->sums.count; i++)
        pairs->seen[pairs_place_of(pairs, pairs->sums.items[i].from, pairs->sums.items[i].to)] = i + 1;
    return true;
}

void tw__pairs_add(tw__pairs *pairs, uint32_t from, uint32_t to, uint64_t bytes, uint64_t messages)
{
    if (2 * (pairs->sums.count + 1) > pairs->room && !grow(pairs)) {
        pairs->failed = true;
        return;
    }
    size_t at = pairs_place_of(pairs, from, to);
    if (!pairs->seen[at]) {
        if (pairs->sums.count == MOST_SUMS) {
            pairs->left_out++;
            return;
        }
        if (!tw__grow(&pairs->sums.items, &pairs->sums.room, pairs->sums.count, sizeof *pairs->sums.items)) {
            pairs->failed = true;
            return;
        }
        pairs->sums.items[pairs->sums.count++] = (tw__pair_sum){ from, to, 0, 0 };
        pairs->seen[at] = (uint32_t)pairs->sums.count;
    }
    tw__pair_sum *sum = &pairs->sums.items[pairs->seen[at] - 1];
    sum->bytes += bytes;
    sum->messages += messages;
}

void tw__pairs_reset(tw__pairs *pairs)
{
    if (pairs->sums.count) memset(pairs->seen, 0, pairs->room * sizeof *pairs->seen);
    pairs->sums.count = 0;
    pairs->left_out = pairs->content = 0;
    pairs->unknown = false;
}

void tw__pairs_free(tw__pairs *pairs)
{
    free(pairs->sums.items), free(pairs->seen);
    *pairs = (tw__pairs){ 0 };
}

static int by_bytes(const void *a, const void *b)
{
    const tw__pair_sum *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

void tw__pairs_record(tw__pairs *pairs, tw_profile *p, tw__exchange_kind kind, uint32_t exchange)
{
    size_t kept = pairs->sums.count < MOST_KEPT ? pairs->sums.count : MOST_KEPT;
    if (pairs->sums.count) qsort(pairs->sums.items, pairs->sums.count, sizeof *pairs->sums.items, by_bytes);
    for (size_t i = 0; i < kept; i++) {
        const tw__pair_sum *sum = &pairs->sums.items[i];
        tw__profile_add_pair(p, kind, exchange, sum->from, sum->to, sum->bytes, sum->messages);
    }
    tw__profile_omit_pairs(p, pairs->left_out + pairs->sums.count - kept);
}

/* --- the same data once more ------------------------------------------------------------------------------------ */

static uint64_t stir(uint64_t hash, uint64_t part)
{
    hash = (hash ^ part) * UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 29;
}

/* A sum, so that the order in which pieces are met does not count. */
void tw__pairs_piece(tw__pairs *pairs, const tw__piece *piece, const tw__versions *versions)
{
    if (!versions || piece->src_var == UINT32_MAX) {
        pairs->unknown = true;
        return;
    }
    const uint64_t parts[] = { piece->src_tile,
                               piece->dst_tile,
                               piece->src_var,
                               piece->src,
                               (uint64_t)piece->src_stride,
                               piece->count,
                               versions->of[piece->src_var],
                               versions->stretch };
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) hash = stir(hash, parts[i]);
    pairs->content += hash;
}

uint64_t tw__pairs_content(const tw__pairs *pairs)
{
    uint64_t content = pairs->content & ((UINT64_C(1) << TW__CONTENT_BITS) - 1);
    return pairs->unknown || !pairs->sums.count ? 0 : content;
}

void tw__versions_touch(tw__versions *versions, const tw__regions *list)
{
    for (size_t i = 0; list && i < list->n; i++) versions->of[list->region[i].var] = ++versions->last;
}
