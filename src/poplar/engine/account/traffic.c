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
 * copies move every element once anyway. */
#define MAX_PARCELS (1u << 18)

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
    if (t->ipus > 1) t->flow = tw__calloc((size_t)t->ipus * t->ipus, sizeof *t->flow);
    return t->sent && t->received && t->runs && t->reach && (t->ipus == 1 || t->flow);
}

void tw__traffic_free(tw__traffic *t)
{
    free(t->sent), free(t->received), free(t->runs), free(t->reach), free(t->flow), free(t->parcels.items);
    memset(t, 0, sizeof *t);
}

void tw__traffic_reset(tw__traffic *t)
{
    memset(t->sent, 0, t->tiles * sizeof *t->sent);
    memset(t->received, 0, t->tiles * sizeof *t->received);
    memset(t->runs, 0, t->tiles * sizeof *t->runs);
    memset(t->reach, 0, t->tiles * sizeof *t->reach);
    if (t->flow) memset(t->flow, 0, (size_t)t->ipus * t->ipus * sizeof *t->flow);
    t->internal = t->global = 0;
    t->parcels.count = 0;
    t->piecewise = false;
}

/* Who talks to whom: distances within an IPU, flows between IPUs. */
static void note_pair(tw__traffic *t, uint32_t src, uint32_t dst, uint64_t bytes)
{
    unsigned from = src / t->tiles_per_ipu, to = dst / t->tiles_per_ipu;
    if (from != to) {
        t->flow[(size_t)from * t->ipus + to] += bytes;
        t->global += bytes;
        return;
    }
    uint32_t distance = src < dst ? dst - src : src - dst;
    if (distance > t->reach[src]) t->reach[src] = distance;
    if (distance > t->reach[dst]) t->reach[dst] = distance;
    t->internal += bytes;
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

void tw__traffic_add(tw__traffic *t, const tw__piece *piece, unsigned esize)
{
    uint64_t bytes = piece->count * esize;
    if (t->parcels.count == MAX_PARCELS) count_parcels(t), t->piecewise = true;
    if (t->piecewise) {
        t->received[piece->dst_tile] += bytes, t->sent[piece->src_tile] += bytes;
        t->runs[piece->dst_tile]++, t->runs[piece->src_tile]++;
        note_pair(t, piece->src_tile, piece->dst_tile, bytes);
        return;
    }
    if (!tw__grow(&t->parcels.items, &t->parcels.room, t->parcels.count, sizeof *t->parcels.items)) {
        t->failed = true;
        return;
    }
    bool by_source = piece->src_var != UINT32_MAX;
    t->parcels.items[t->parcels.count++] =
        parcel_of(piece->src_tile, piece->dst_tile, by_source ? piece->src_var : piece->dst_var,
                  by_source ? piece->src : piece->dst, by_source ? piece->src_stride : piece->dst_stride,
                  piece->count, esize);
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

/* Adds up the union of the sorted parcels of each tile. */
static void count_side(tw__traffic *t, bool receive)
{
    tw__parcel *p = t->parcels.items;
    for (size_t i = 0, j; i < t->parcels.count; i = j) {
        uint32_t tile = receive ? p[i].dst : p[i].src;
        uint64_t begin = p[i].begin, end = begin;
        for (j = i; j < t->parcels.count && (receive ? p[j].dst : p[j].src) == tile && p[j].var == p[i].var &&
                    p[j].stride == p[i].stride && p[j].comb == p[i].comb && p[j].begin <= end;
             j++) {
            uint64_t before = end;
            if (p[j].end > end) end = p[j].end;
            if (receive && end > before) note_pair(t, p[j].src, tile, end - before);
        }
        (receive ? t->received : t->sent)[tile] += end - begin;
        t->runs[tile]++;
    }
}

static void count_parcels(tw__traffic *t)
{
    qsort(t->parcels.items, t->parcels.count, sizeof *t->parcels.items, by_receiver);
    count_side(t, true);
    qsort(t->parcels.items, t->parcels.count, sizeof *t->parcels.items, by_sender);
    count_side(t, false);
    t->parcels.count = 0;
}

void tw__traffic_finish(tw__traffic *t)
{
    if (t->parcels.count) count_parcels(t);
}

void tw__traffic_cycles(const tw__traffic *t, const tw_target *target, uint64_t *out)
{
    double rate = tw_target_exchange_bytes_per_cycle(target);
    unsigned span = t->tiles_per_ipu > 1 ? t->tiles_per_ipu - 1 : 1;
    for (unsigned tile = 0; tile < t->tiles; tile++) {
        uint64_t bytes = t->sent[tile] > t->received[tile] ? t->sent[tile] : t->received[tile];
        out[tile] = 0;
        if (bytes && t->reach[tile])
            out[tile] = (uint64_t)ceil((double)bytes / rate) + LATENCY_NEAR +
                        (uint64_t)LATENCY_SPREAD * t->reach[tile] / span;
    }
}

/* Links of a ladder (Poplar API, link models): 4 within a pair of IPUs (2 when only crossing over), 2 up and 2 down
 * on each side. A flow crosses its own rung first, then climbs; a constraint's time is the sum of its flows. */
uint64_t tw__traffic_link_cycles(const tw__traffic *t, const tw_target *target)
{
    if (!t->flow || !t->global) return 0;
    const tw_tile_arch *arch = &target->arch;
    double bytes_per_cycle = arch->link_bits_per_second * arch->link_efficiency / 8 / arch->clock_hz;
    unsigned pairs = (t->ipus + 1) / 2;
    /* [pair][0] rung 0 -> 1, [1] rung 1 -> 0, [2 + side] up to the next pair, [4 + side] down from it */
    double(*busy)[6] = tw__calloc(pairs, sizeof *busy);
    if (!busy) return 0;
    for (unsigned src = 0; src < t->ipus; src++)
        for (unsigned dst = 0; dst < t->ipus; dst++) {
            double bytes = (double)t->flow[(size_t)src * t->ipus + dst];
            if (src == dst || !bytes) continue;
            unsigned side = dst & 1, from = src / 2, to = dst / 2;
            if ((src & 1) != side) busy[from][src & 1] += bytes / (bytes_per_cycle * (from == to ? 4 : 2));
            for (unsigned k = from; k < to; k++) busy[k][2 + side] += bytes / (bytes_per_cycle * 2);
            for (unsigned k = to; k < from; k++) busy[k][4 + side] += bytes / (bytes_per_cycle * 2);
        }
    double worst = 0;
    for (unsigned pair = 0; pair < pairs; pair++)
        for (unsigned i = 0; i < 6; i++) worst = busy[pair][i] > worst ? busy[pair][i] : worst;
    free(busy);
    return (uint64_t)ceil(worst);
}
