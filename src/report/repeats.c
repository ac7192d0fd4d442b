/* SPDX-License-Identifier: MIT */
/* repeats: two rules that need more than sums: data that is exchanged again though nothing wrote it, and memory that
 * is held at the fullest moment though nobody uses it any more. */
#include "report/report.h"

#include <stdlib.h>

/* --- exchanges (R13) -------------------------------------------------------------------------------- */

typedef struct exchange_step {
    uint64_t content;
    uint32_t step, kind;
} exchange_step;

static int by_content(const void *a, const void *b)
{
    const exchange_step *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->content != y->content) return x->content < y->content ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

tw__repeat tw__repeat_of(const tw__stats *s)
{
    const tw_profile *p = s->p;
    tw__repeat out = { .first = TW__NONE, .second = TW__NONE };
    exchange_step *list = g_new(exchange_step, p->steps.count + 1);
    size_t count = 0;
    double most = 0;
    for (uint32_t i = 0; i < p->steps.count; i++) {
        const tw__step *step = &p->steps.items[i];
        unsigned kind = step->type == TW_PROGRAM_GLOBAL_EXCHANGE ? TW__EXCHANGE_GLOBAL : TW__EXCHANGE_INTERNAL;
        bool exchange = step->type == TW_PROGRAM_DO_EXCHANGE || step->type == TW_PROGRAM_GLOBAL_EXCHANGE;
        if (!exchange || !s->counts[i]) continue;
        out.all_bytes += (double)s->counts[i] * (double)step->total_data;
        if (step->index >= p->exchanges[kind].count || !p->exchanges[kind].items[step->index].content) continue;
        list[count++] = (exchange_step){ p->exchanges[kind].items[step->index].content, i, kind };
    }
    qsort(list, count, sizeof *list, by_content);
    for (size_t i = 1; i < count; i++) {
        if (list[i].content != list[i - 1].content || list[i].kind != list[i - 1].kind) continue;
        uint32_t step = list[i].step;
        double bytes = (double)s->counts[step] * (double)p->steps.items[step].total_data;
        out.bytes += bytes;
        out.cycles += tw__stats_step_cycles(s, step);
        out.exchanges++;
        if (bytes > most) most = bytes, out.first = list[i - 1].step, out.second = step;
    }
    g_free(list);
    return out;
}

/* --- memory (R14) -------------------------------------------------------------------------------- */

typedef struct edge {
    uint32_t at;
    bool begins;
    uint64_t bytes;
} edge;

static int by_time(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->begins < y->begins ? -1 : x->begins > y->begins; /* what ends makes room first */
}

/* Memories with limits of their own are full on their own; what has none counts together. */
static size_t memory_of(const tw_profile *p, const tw__profile_block *block)
{
    size_t k = 0;
    while (k < p->limits.count && p->limits.items[k].category != block->category) k++;
    return k;
}

/* Times run from..to, both included: what ends makes room one later. */
static uint32_t peak_of(const tw_profile *p, const tw__profile_block *blocks, uint32_t count, size_t memory,
                        edge *edges, uint64_t *peak)
{
    size_t n = 0;
    uint64_t now = 0;
    uint32_t at = 0;
    *peak = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool always = blocks[i].from == TW__NONE;
        if (memory_of(p, &blocks[i]) != memory) continue;
        edges[n++] = (edge){ always ? 0 : blocks[i].from, true, blocks[i].bytes };
        if (!always && blocks[i].to < TW__NONE - 1) edges[n++] = (edge){ blocks[i].to + 1, false, blocks[i].bytes };
    }
    qsort(edges, n, sizeof *edges, by_time);
    for (size_t i = 0; i < n; i++) {
        if (edges[i].begins)
            now += edges[i].bytes;
        else
            now -= edges[i].bytes;
        if (now > *peak) *peak = now, at = edges[i].at;
    }
    return at;
}

static tw__held held_in(const tw_profile *p, const tw__profile_map *map, size_t memory, edge *edges)
{
    const tw__profile_block *blocks = p->blocks.items + map->first;
    tw__held out = { .block = TW__NONE };
    uint64_t largest = 0;
    out.peak_at = peak_of(p, blocks, map->count, memory, edges, &out.peak);
    for (uint32_t i = 0; i < map->count; i++) {
        const tw__profile_block *b = &blocks[i];
        bool there = b->from == TW__NONE || (b->from <= out.peak_at && b->to >= out.peak_at);
        if (b->used == TW__NONE || !there || b->used >= out.peak_at || memory_of(p, b) != memory) continue;
        out.bytes += b->bytes;
        if (b->bytes > largest) largest = b->bytes, out.block = map->first + i;
    }
    return out;
}

tw__held tw__held_of(const tw__stats *s)
{
    const tw_profile *p = s->p;
    tw__held out = { .block = TW__NONE };
    double worst = 0;
    bool used = false;
    for (size_t i = 0; i < p->blocks.count; i++) used |= p->blocks.items[i].used != TW__NONE;
    if (!used) return out;
    edge *edges = g_new(edge, 2 * p->blocks.count + 1);
    for (size_t m = 0; m < p->maps.count; m++)
        for (size_t memory = 0; memory <= p->limits.count; memory++) {
            tw__held here = held_in(p, &p->maps.items[m], memory, edges);
            double share = here.peak ? (double)here.bytes / (double)here.peak : 0;
            if (here.block == TW__NONE || share <= worst) continue;
            worst = share;
            out = here;
            for (size_t t = p->tile_maps.count; t-- > 0;)
                if (p->tile_maps.items[t].map == m) out.tile = p->tile_maps.items[t].tile;
        }
    g_free(edges);
    return out;
}
