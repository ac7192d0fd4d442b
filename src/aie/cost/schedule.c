/* SPDX-License-Identifier: MIT */
/* schedule: when the instructions of a block issue, each as early as its operands and its unit allow, those first
 * on which most is waiting; and how close the turns of a loop may follow one another. */
#include "aie/cost/cost.h"

#include <string.h>

/* Edges within a turn, by where they begin: out[first[i]] to out[first[i + 1] - 1] are indices of edges. */
typedef struct fan {
    uint32_t *first, *out;
} fan;

static fan fan_of(uint32_t count, const GArray *edges)
{
    fan f = { g_new0(uint32_t, count + 2), g_new(uint32_t, edges->len + 1) };
    const tw__aie_edge *e = (const tw__aie_edge *)(const void *)edges->data;
    for (guint i = 0; i < edges->len; i++) f.first[e[i].from + 1] += e[i].distance == 0;
    for (uint32_t i = 0; i < count; i++) f.first[i + 1] += f.first[i];
    g_autofree uint32_t *next = g_memdup2(f.first, (count + 1) * sizeof *f.first);
    for (guint i = 0; i < edges->len; i++)
        if (e[i].distance == 0) f.out[next[e[i].from]++] = i;
    return f;
}

/* How much comes after each instruction. Edges within a turn go forward, so one pass from the end is enough. */
static unsigned *heights(const tw__aie_cost *costs, uint32_t count, const GArray *edges, const fan *f)
{
    unsigned *height = g_new0(unsigned, count + 1);
    for (uint32_t i = count; i-- > 0;) {
        height[i] = costs[i].issues;
        for (uint32_t k = f->first[i]; k < f->first[i + 1]; k++) {
            const tw__aie_edge *e = &g_array_index(edges, tw__aie_edge, f->out[k]);
            if (height[e->to] + (unsigned)e->latency > height[i]) height[i] = height[e->to] + (unsigned)e->latency;
        }
    }
    return height;
}

/* Instructions whose operands are placed, the one with the most behind it on top (a heap). */
typedef struct ready {
    uint32_t *items, count;
    const unsigned *height;
} ready;

static bool comes_first(const ready *r, uint32_t a, uint32_t b)
{
    return r->height[a] != r->height[b] ? r->height[a] > r->height[b] : a < b;
}

static void schedule_push(ready *r, uint32_t item)
{
    uint32_t at = r->count++;
    for (; at && comes_first(r, item, r->items[(at - 1) / 2]); at = (at - 1) / 2)
        r->items[at] = r->items[(at - 1) / 2];
    r->items[at] = item;
}

static uint32_t pop(ready *r)
{
    uint32_t top = r->items[0], last = r->items[--r->count], at = 0;
    for (uint32_t child = 1; child < r->count; child = 2 * at + 1) {
        if (child + 1 < r->count && comes_first(r, r->items[child + 1], r->items[child])) child++;
        if (!comes_first(r, r->items[child], last)) break;
        r->items[at] = r->items[child], at = child;
    }
    r->items[at] = last;
    return top;
}

/* Cycle by cycle, how much of each unit is taken. */
typedef struct table {
    GArray *rows; /* of unsigned char[TW__AIE_UNITS] */
} table;

static unsigned char *schedule_row(table *t, unsigned cycle)
{
    if (cycle >= t->rows->len) g_array_set_size(t->rows, cycle + 1);
    return (unsigned char *)t->rows->data + (size_t)cycle * TW__AIE_UNITS;
}

/* Loads for the operands of an instruction, in the latest cycles that are early enough; false: there is no room. */
static bool place_loads(table *t, const tw__aie_cost *c, unsigned cycle, bool takes)
{
    unsigned left = c->loads;
    for (unsigned at = cycle - TW__AIE_LOAD_CYCLES + 1; left && at-- > 0;) {
        unsigned char *used = &schedule_row(t, at)[TW__AIE_LOAD];
        unsigned room = tw__aie_widths[TW__AIE_LOAD] - *used, now = room < left ? room : left;
        left -= now;
        if (takes) *used = (unsigned char)(*used + now);
    }
    return left == 0;
}

static bool schedule_fits(table *t, const tw__aie_cost *c, unsigned cycle)
{
    for (unsigned i = 0; i < c->issues && c->unit != TW__AIE_NONE; i++)
        if (schedule_row(t, cycle + i)[c->unit] >= tw__aie_widths[c->unit]) return false;
    if (c->is_fed && cycle < TW__AIE_LOAD_CYCLES) return false;
    if (c->loads && !place_loads(t, c, cycle, false)) return false;
    return !(c->flags & TW__AIE_SCALAR) ||
           schedule_row(t, cycle + c->latency)[TW__AIE_RESULT] < tw__aie_widths[TW__AIE_RESULT];
}

static void schedule_take(table *t, const tw__aie_cost *c, unsigned cycle)
{
    if (c->loads) place_loads(t, c, cycle, true);
    for (unsigned i = 0; i < c->issues && c->unit != TW__AIE_NONE; i++) schedule_row(t, cycle + i)[c->unit]++;
    if (c->flags & TW__AIE_SCALAR) schedule_row(t, cycle + c->latency)[TW__AIE_RESULT]++;
}

unsigned tw__aie_schedule(const tw__aie_cost *costs, uint32_t count, const GArray *edges, unsigned *at)
{
    fan f = fan_of(count, edges);
    g_autofree unsigned *height = heights(costs, count, edges, &f), *waits = g_new0(unsigned, count + 1);
    ready r = { .items = g_new(uint32_t, count + 1), .height = height };
    table t = { g_array_new(FALSE, TRUE, TW__AIE_UNITS) };
    unsigned end = 0;
    for (guint i = 0; i < edges->len; i++)
        waits[g_array_index(edges, tw__aie_edge, i).to] += g_array_index(edges, tw__aie_edge, i).distance == 0;
    memset(at, 0, count * sizeof *at);
    for (uint32_t i = 0; i < count; i++)
        if (!waits[i]) schedule_push(&r, i);
    while (r.count) {
        uint32_t best = pop(&r);
        const tw__aie_cost *c = &costs[best];
        while (!schedule_fits(&t, c, at[best])) at[best]++;
        schedule_take(&t, c, at[best]);
        unsigned done = at[best] + (c->flags & TW__AIE_BARRIER ? c->latency : c->issues);
        if (c->unit != TW__AIE_NONE && done > end) end = done;
        for (uint32_t k = f.first[best]; k < f.first[best + 1]; k++) {
            const tw__aie_edge *e = &g_array_index(edges, tw__aie_edge, f.out[k]);
            if (at[best] + (unsigned)e->latency > at[e->to]) at[e->to] = at[best] + (unsigned)e->latency;
            if (--waits[e->to] == 0) schedule_push(&r, e->to);
        }
    }
    g_array_free(t.rows, TRUE);
    g_free(r.items), g_free(f.first), g_free(f.out);
    return end;
}

/* Whether no chain of values through the turns asks for more than `interval` a turn: no way round costs more than
 * it may (Bellman-Ford). */
static bool chains_fit(uint32_t count, const GArray *edges, unsigned interval)
{
    g_autofree long *longest = g_new0(long, count + 1);
    bool changed = true;
    for (uint32_t round = 0; changed && round <= count; round++) {
        changed = false;
        for (guint i = 0; i < edges->len; i++) {
            const tw__aie_edge *e = &g_array_index(edges, tw__aie_edge, i);
            long to = longest[e->from] + e->latency - (long)interval * e->distance;
            if (to > longest[e->to]) longest[e->to] = to, changed = true;
        }
    }
    return !changed;
}

unsigned tw__aie_interval(const tw__aie_cost *costs, uint32_t count, const GArray *edges, unsigned length)
{
    unsigned taken[TW__AIE_UNITS] = { 0 }, least = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (costs[i].unit != TW__AIE_NONE) taken[costs[i].unit] += costs[i].issues;
        if (costs[i].flags & TW__AIE_SCALAR) taken[TW__AIE_RESULT]++;
        taken[TW__AIE_LOAD] += costs[i].loads;
    }
    for (int u = TW__AIE_ALU; u < TW__AIE_UNITS; u++) {
        unsigned cycles = (taken[u] + tw__aie_widths[u] - 1) / tw__aie_widths[u];
        if (cycles > least) least = cycles;
    }
    unsigned most = length > least ? length : least;
    while (least < most) { /* the least interval that the chains allow, by halves */
        unsigned middle = (least + most) / 2;
        if (chains_fit(count, edges, middle))
            most = middle;
        else
            least = middle + 1;
    }
    return least;
}
