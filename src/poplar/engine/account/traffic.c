/* SPDX-License-Identifier: MIT */
/* Bytes between tiles and what moving them costs.
 *
 * Model (Poplar API, cycles of exchanges; estimates, docs/model.md): a tile sends and receives
 * exchange_bytes_per_cycle; a step begins with a latency that grows with the distance to the farthest partner. Both
 * constants come from the guide's sample: a one-word broadcast over 1,216 tiles takes 120 cycles on the last tile and
 * 104 on average. */
#include "poplar/engine/account/account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LATENCY_NEAR   87 /* cycles before the first word of the nearest tile */
#define LATENCY_SPREAD 32 /* more from one end of the IPU to the other */

/* After this many parcels the rest of an exchange is counted piece by piece, without a search for equal data: large
 * copies move every element once anyway. What crosses links is still searched for, up to MAX_CROSSINGS. */
#define MAX_PARCELS   (1u << 18)
#define MAX_CROSSINGS (1u << 20)

bool tw__traffic_init(tw__traffic *t, const tw_target *target)
{
    memset(t, 0, sizeof *t);
    t->tiles = tw_target_tiles(target);
    t->tiles_per_ipu = tw_target_tiles_per_ipu(target);
    t->ipus = tw_target_ipus(target);
    t->sent = tw__calloc(t->tiles, sizeof *t->sent);
    t->received = tw__calloc(t->tiles, sizeof *t->received);
    t->runs = tw__calloc(t->tiles, sizeof *t->runs);
    t->reach = tw__calloc(t->tiles, sizeof *t->reach);
    bool ok = t->sent && t->received && t->runs && t->reach;
    if (t->ipus == 1) return ok;
    t->outward = tw__calloc(t->tiles, sizeof *t->outward);
    t->inward = tw__calloc(t->tiles, sizeof *t->inward);
    t->flow = tw__calloc((size_t)t->ipus * t->ipus, sizeof *t->flow);
    return ok && t->outward && t->inward && t->flow;
}

void tw__traffic_free(tw__traffic *t)
{
    free(t->sent), free(t->received), free(t->outward), free(t->inward), free(t->runs), free(t->reach);
    free(t->flow), free(t->inner.items), free(t->outer.items), free(t->crossings.items), free(t->seen);
    tw__pairs_free(&t->inner_pairs), tw__pairs_free(&t->outer_pairs);
    memset(t, 0, sizeof *t);
}

void tw__traffic_reset(tw__traffic *t)
{
    memset(t->sent, 0, t->tiles * sizeof *t->sent);
    memset(t->received, 0, t->tiles * sizeof *t->received);
    memset(t->runs, 0, t->tiles * sizeof *t->runs);
    memset(t->reach, 0, t->tiles * sizeof *t->reach);
    if (t->flow && (t->global || t->crossings.count)) {
        memset(t->outward, 0, t->tiles * sizeof *t->outward);
        memset(t->inward, 0, t->tiles * sizeof *t->inward);
        memset(t->flow, 0, (size_t)t->ipus * t->ipus * sizeof *t->flow);
    }
    if (t->crossings.count) memset(t->seen, 0, t->seen_room * sizeof *t->seen);
    t->internal = t->global = t->spread = 0;
    t->inner.count = t->outer.count = t->crossings.count = 0;
    t->piecewise = false;
    tw__pairs_reset(&t->inner_pairs), tw__pairs_reset(&t->outer_pairs);
}

/* Distances within an IPU. */
static void note_pair(tw__traffic *t, uint32_t src, uint32_t dst, uint64_t bytes)
{
    uint32_t distance = src < dst ? dst - src : src - dst;
    if (distance > t->reach[src]) t->reach[src] = distance;
    if (distance > t->reach[dst]) t->reach[dst] = distance;
    t->internal += bytes;
}

static void note_flow(tw__traffic *t, uint32_t src, uint32_t ipu, uint64_t bytes)
{
    t->flow[(size_t)(src / t->tiles_per_ipu) * t->ipus + ipu] += bytes;
    t->global += bytes;
}

static void count_parcels(tw__traffic *t);

/* Elements first, first + stride, ... as an interval that can be joined with others: those of one stride and one
 * residue lie on a comb of their own, so that columns side by side are not taken for each other. */
static tw__parcel parcel_of(uint32_t src, uint32_t dst, uint32_t var, uint64_t first, int64_t stride,
                            uint64_t count, unsigned esize)
{
    tw__parcel p = { .src = src, .dst = dst, .var = var };
    if (stride < 0) first += (uint64_t)stride * (count - 1); /* from its lowest element upwards */
    p.stride = count == 1 ? 1 : (uint64_t)(stride < 0 ? -stride : stride);
    p.comb = p.stride ? first % p.stride : first; /* stride 0: one element, several times */
    p.begin = p.stride ? first / p.stride * esize : 0;
    p.end = p.begin + count * esize;
    return p;
}

static void push(tw__traffic *t, tw__parcels *list, const tw__parcel *parcel)
{
    TW__APPEND(*list, t->failed = true, *parcel);
}

static bool same_crossing(const tw__parcel *a, const tw__parcel *b)
{
    return a->dst == b->dst && a->var == b->var && a->begin == b->begin && a->end == b->end &&
           a->stride == b->stride && a->comb == b->comb;
}

/* Twice as many places as crossings, so that a search ends soon. */
static bool grow_seen(tw__traffic *t)
{
    size_t room = t->seen_room ? 2 * t->seen_room : 1024;
    uint32_t *seen = tw__calloc(room, sizeof *seen);
    if (!seen) return false;
    free(t->seen);
    t->seen = seen, t->seen_room = room;
    return true;
}

static size_t hash_of(const tw__parcel *p)
{
    const uint64_t parts[] = { p->dst, p->var, p->begin, p->end, p->stride, p->comb };
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) hash = (hash ^ parts[i]) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

static void traffic_enter(tw__traffic *t, uint32_t index)
{
    size_t at = hash_of(&t->crossings.items[index]) & (t->seen_room - 1);
    while (t->seen[at]) at = (at + 1) & (t->seen_room - 1);
    t->seen[at] = index + 1;
}

/* A piece that crosses links, once for each IPU it goes to. */
static void add_crossing(tw__traffic *t, tw__parcel parcel)
{
    uint32_t ipu = parcel.dst / t->tiles_per_ipu;
    parcel.dst = ipu;
    if (t->crossings.count == MAX_CROSSINGS) {
        note_flow(t, parcel.src, ipu, parcel.end - parcel.begin);
        return;
    }
    if (2 * (t->crossings.count + 1) > t->seen_room) {
        if (!grow_seen(t)) {
            t->failed = true;
            return;
        }
        for (uint32_t i = 0; i < t->crossings.count; i++) traffic_enter(t, i);
    }
    for (size_t at = hash_of(&parcel) & (t->seen_room - 1); t->seen[at]; at = (at + 1) & (t->seen_room - 1))
        if (same_crossing(&t->crossings.items[t->seen[at] - 1], &parcel)) return;
    size_t before = t->crossings.count;
    push(t, &t->crossings, &parcel);
    if (t->crossings.count > before) traffic_enter(t, (uint32_t)before);
}

void tw__traffic_add(tw__traffic *t, const tw__piece *piece, unsigned esize)
{
    uint64_t bytes = piece->count * esize;
    uint32_t src = piece->src_tile, dst = piece->dst_tile;
    bool by_source = piece->src_var != UINT32_MAX, crosses = src / t->tiles_per_ipu != dst / t->tiles_per_ipu;
    tw__parcel parcel =
        parcel_of(src, dst, by_source ? piece->src_var : piece->dst_var, by_source ? piece->src : piece->dst,
                  by_source ? piece->src_stride : piece->dst_stride, piece->count, esize);
    tw__pairs *pairs = crosses ? &t->outer_pairs : &t->inner_pairs;
    tw__pairs_piece(pairs, piece, t->versions);
    if (crosses) add_crossing(t, parcel);
    if (t->inner.count + t->outer.count == MAX_PARCELS) count_parcels(t), t->piecewise = true;
    if (!t->piecewise) {
        push(t, crosses ? &t->outer : &t->inner, &parcel);
        return;
    }
    (crosses ? t->inward : t->received)[dst] += bytes;
    (crosses ? t->outward : t->sent)[src] += bytes;
    t->runs[dst]++, t->runs[src]++;
    tw__pairs_add(pairs, src, dst, bytes, 1);
    if (!crosses) note_pair(t, src, dst, bytes);
}

#define ORDER(x, y) ((x) < (y) ? -1 : (x) > (y))

static int same_data(const tw__parcel *a, const tw__parcel *b)
{
    int c = ORDER(a->var, b->var);
    if (!c) c = ORDER(a->stride, b->stride);
    if (!c) c = ORDER(a->comb, b->comb);
    return c ? c : ORDER(a->begin, b->begin);
}

static int by_receiver(const void *x, const void *y)
{
    const tw__parcel *a = x, *b = y;
    int c = ORDER(a->dst, b->dst);
    return c ? c : same_data(a, b);
}

static int by_sender(const void *x, const void *y)
{
    const tw__parcel *a = x, *b = y;
    int c = ORDER(a->src, b->src);
    return c ? c : same_data(a, b);
}

/* Adds up the union of the sorted parcels of each tile, or, for crossings, of each IPU. */
static void count_side(tw__traffic *t, const tw__parcels *list, bool receive, uint64_t *sums)
{
    const tw__parcel *p = list->items;
    for (size_t i = 0, j; i < list->count; i = j) {
        uint32_t tile = receive ? p[i].dst : p[i].src;
        uint64_t begin = p[i].begin, end = begin;
        for (j = i; j < list->count && (receive ? p[j].dst : p[j].src) == tile && p[j].var == p[i].var &&
                    p[j].stride == p[i].stride && p[j].comb == p[i].comb && p[j].begin <= end;
             j++) {
            uint64_t before = end;
            if (p[j].end > end) end = p[j].end;
            if (end == before || !receive) continue;
            if (list == &t->inner) note_pair(t, p[j].src, tile, end - before);
            if (list == &t->crossings)
                note_flow(t, p[j].src, tile, end - before);
            else /* what one tile sends in a row is one message */
                tw__pairs_add(list == &t->inner ? &t->inner_pairs : &t->outer_pairs, p[j].src, tile, end - before,
                              j == i || p[j].src != p[j - 1].src);
        }
        if (!sums) continue;
        sums[tile] += end - begin;
        t->runs[tile]++;
    }
}

static void count_list(tw__traffic *t, tw__parcels *list, uint64_t *received, uint64_t *sent)
{
    qsort(list->items, list->count, sizeof *list->items, by_receiver);
    count_side(t, list, true, received);
    if (sent) {
        qsort(list->items, list->count, sizeof *list->items, by_sender);
        count_side(t, list, false, sent);
        list->count = 0;
    }
}

static void count_parcels(tw__traffic *t)
{
    if (t->inner.count) count_list(t, &t->inner, t->received, t->sent);
    if (t->outer.count) count_list(t, &t->outer, t->inward, t->outward);
}

void tw__traffic_finish(tw__traffic *t)
{
    count_parcels(t);
    t->failed |= t->inner_pairs.failed || t->outer_pairs.failed;
    if (!t->crossings.count) return;
    count_list(t, &t->crossings, NULL, NULL);
    uint64_t arrived = 0;
    for (unsigned tile = 0; tile < t->tiles; tile++) arrived += t->inward[tile];
    t->spread = arrived > t->global ? arrived : 0;
}

static void traffic_cycles_of(const tw__traffic *t, const tw_target *target, const uint64_t *bytes,
                              const uint64_t *more, bool inside, uint64_t *out)
{
    double rate = tw_target_exchange_bytes_per_cycle(target);
    unsigned span = t->tiles_per_ipu > 1 ? t->tiles_per_ipu - 1 : 1;
    for (unsigned tile = 0; tile < t->tiles; tile++) {
        uint64_t most = more && more[tile] > bytes[tile] ? more[tile] : bytes[tile];
        uint32_t reach =
            inside ? t->reach[tile] : tile % t->tiles_per_ipu; /* links are at the first tile: a guess */
        out[tile] = 0;
        if (most && (reach || !inside))
            out[tile] =
                (uint64_t)ceil((double)most / rate) + LATENCY_NEAR + (uint64_t)LATENCY_SPREAD * reach / span;
    }
}

void tw__traffic_cycles(const tw__traffic *t, const tw_target *target, uint64_t *out)
{
    traffic_cycles_of(t, target, t->sent, t->received, true, out);
}

void tw__traffic_spread_cycles(const tw__traffic *t, const tw_target *target, uint64_t *out)
{
    traffic_cycles_of(t, target, t->inward, NULL, false, out);
}
