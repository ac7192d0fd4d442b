/* SPDX-License-Identifier: MIT */
/* Spans of several workers, a part of rows.c: repeat loops in which no worker touches what another one stores.
 *
 * Side by side they take turns bundle by bundle. Where the addresses of all are known beforehand and do not meet, one
 * behind the other comes to the same, but for exceptions: then all is taken back and the caller goes step by step. */
#ifndef TW_COLOSSUS_SIM_ROWS_LANES_H
#define TW_COLOSSUS_SIM_ROWS_LANES_H

#include "poplar/colossus/sim/rows_span.h"

enum { LANES_LEAST = 32, LANES_UNDO = 256 }; /* rounds: fewer are not worth it; most that can be taken back */

typedef struct lanes_range { /* bytes that a worker touches, from the lowest to behind the highest */
    uint32_t low, high;
} lanes_range;

typedef struct lanes {
    span spans[TW_SIM_WORKERS];
    lanes_range all[TW_SIM_WORKERS], stores[TW_SIM_WORKERS];
    uint64_t iterations[TW_SIM_WORKERS];
    unsigned count;
} lanes;

static void lanes_extend(lanes_range *r, uint32_t start, int64_t step, uint64_t count)
{
    uint32_t last = start + (uint32_t)(step * (int64_t)(count - 1));
    r->low = MIN(r->low, MIN(start, last)), r->high = MAX(r->high, MAX(start, last) + 8);
}

static void lanes_ranges(lanes *l, unsigned n, uint64_t count)
{
    l->all[n] = l->stores[n] = (lanes_range){ UINT32_MAX, 0 };
    for (uint32_t j = 0; j < l->spans[n].size; j++) {
        const slot *s = &l->spans[n].slots[j];
        for (unsigned k = 0; k < s->count; k++) {
            lanes_extend(&l->all[n], s->start[k], s->step[k], count);
            if (s->stores >> k & 1) lanes_extend(&l->stores[n], s->start[k], s->step[k], count);
        }
    }
}

static uint64_t lanes_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* Can access k of s hit access n of t in some iteration? Both are of eight bytes on eight bytes. */
static bool lanes_hit(const slot *s, unsigned k, const slot *t, unsigned n)
{
    int64_t a = s->step[k], b = t->step[n], apart = (int64_t)s->start[k] - (int64_t)t->start[n];
    uint64_t grid = lanes_gcd((uint64_t)(a < 0 ? -a : a), (uint64_t)(b < 0 ? -b : b));
    return grid ? !((uint64_t)(apart < 0 ? -apart : apart) % grid) : !apart;
}

/* Does a store of p hit anything of q? */
static bool lanes_store_hits(const span *p, const span *q)
{
    for (uint32_t i = 0; i < p->size; i++)
        for (unsigned k = 0; k < p->slots[i].count; k++)
            for (uint32_t j = 0; (p->slots[i].stores >> k & 1) && j < q->size; j++)
                for (unsigned n = 0; n < q->slots[j].count; n++)
                    if (lanes_hit(&p->slots[i], k, &q->slots[j], n)) return true;
    return false;
}

static bool lanes_meet(const lanes *l)
{
    for (unsigned i = 0; i < l->count; i++)
        for (unsigned j = 0; j < l->count; j++)
            if (i != j && l->stores[i].low < l->all[j].high && l->all[j].low < l->stores[i].high &&
                lanes_store_hits(&l->spans[i], &l->spans[j]))
                return true;
    return false;
}

/* Spans of all from where they are, and for how many rounds they hold; 0: not at once. An iteration may end within a
 * body: the one that has begun is part of the span too. */
static uint64_t lanes_look(lanes *l, tw__sim_context *const *workers, const uint64_t *ahead, uint64_t rounds)
{
    for (unsigned i = 0; i < l->count; i++) {
        tw__sim_context *w = workers[i];
        uint32_t size = (w->repeat_end - w->repeat_first) / 8, at = (w->pc - w->repeat_first) / 8;
        uint64_t count = w->repeat_count - (at != 0);
        if (count < SPAN_LEAST || !span_of_body(&l->spans[i], w, w->repeat_first, size, at)) return 0;
        count = span_length(&l->spans[i], count);
        if (w->fp_ctl & 7) rounds = MIN(rounds, LANES_UNDO);
        rounds = MIN(rounds, ahead[i] + count * size);
        lanes_ranges(l, i, count);
    }
    for (unsigned i = 0; i < l->count; i++)
        if (rounds < ahead[i] + LANES_LEAST) return 0;
    return lanes_meet(l) ? 0 : rounds;
}

/* --- taking back ------------------------------------------------------------------------------------------------ */

typedef struct lanes_undo { /* where an exception may come: everything as it was */
    tw__sim_context contexts[TW_SIM_WORKERS];
    uint64_t words[TW_SIM_WORKERS][LANES_UNDO]; /* what stores will overwrite: at most one of each bundle */
    tw_sim_exception exception;
    bool has_exception;
} lanes_undo;

static void lanes_words(const lanes *l, unsigned n, uint64_t *kept, bool put)
{
    for (uint64_t i = 0; i < l->iterations[n]; i++)
        for (uint32_t j = 0; j < l->spans[n].size; j++) {
            const slot *s = &l->spans[n].slots[j];
            for (unsigned k = 0; k < s->count; k++) {
                if (!(s->stores >> k & 1)) continue;
                uint8_t *at = span_at(s, k, (ptrdiff_t)i);
                put ? memcpy(at, kept, 8) : memcpy(kept, at, 8);
                kept++;
            }
        }
}

static void lanes_save(const lanes *l, lanes_undo *u, tw_sim *sim)
{
    for (unsigned i = 0; i < l->count; i++) u->contexts[i] = *l->spans[i].w, lanes_words(l, i, u->words[i], false);
    u->exception = sim->exception, u->has_exception = sim->has_exception;
}

static void lanes_take_back(const lanes *l, lanes_undo *u, tw_sim *sim)
{
    for (unsigned i = 0; i < l->count; i++) *l->spans[i].w = u->contexts[i], lanes_words(l, i, u->words[i], true);
    sim->exception = u->exception, sim->has_exception = u->has_exception;
}

/* --- running ---------------------------------------------------------------------------------------------------- */

static bool lanes_go(lanes *l)
{
    bool fault = false;
    for (unsigned i = 0; i < l->count && !fault; i++) {
        tw__sim_context *w = l->spans[i].w;
        unsigned bundles;
        span_go(&l->spans[i], (ptrdiff_t)l->iterations[i], &bundles, &fault);
        w->turns += l->iterations[i] * l->spans[i].size;
        w->repeat_count -= (uint32_t)l->iterations[i];
        if (!w->repeat_count) w->pc = w->repeat_end;
    }
    return !fault;
}

static __attribute__((noinline)) bool lanes_go_or_not(lanes *l, tw_sim *sim)
{
    lanes_undo undo;
    lanes_save(l, &undo, sim);
    bool good = lanes_go(l);
    if (!good) lanes_take_back(l, &undo, sim);
    return good;
}

bool tw__sim_run_spans(tw__sim_context *const *workers, const uint64_t *ahead, unsigned count, uint64_t rounds)
{
    lanes l;
    bool careful = false;
    l.count = count;
    rounds = lanes_look(&l, workers, ahead, rounds);
    if (!rounds) return false;
    for (unsigned i = 0; i < count; i++) {
        l.iterations[i] = (rounds - ahead[i]) / l.spans[i].size;
        careful |= workers[i]->fp_ctl & 7;
    }
    return careful ? lanes_go_or_not(&l, workers[0]->sim) : lanes_go(&l);
}

#endif
