/* SPDX-License-Identifier: MIT */
/* schedule: which PEs are looked at in a cycle, and in which order.
 *
 * A visit runs one PE through one window of two cycles. What it needs from its neighbours is there as soon as these
 * have run the window before, so PEs need not keep step: a tile of some rows and columns runs several windows while
 * its PEs are in the caches, then the next tile does. Tiles lean against time - from window to window they move one
 * PE to the west and to the north - which is just what keeps every neighbour's earlier window in a tile that comes
 * earlier. Threads have strips of rows: first each runs what does not depend on the other strips, fewer rows from
 * window to window, then the wedges left open between strips are filled. */
#include "csl/wse/fabric/fabric.h"

#include <stdlib.h>
#include <string.h>

/* Measured on 64 x 64 and 128 x 128: smaller tiles are run through too often, larger ones leave the second-level
 * cache. */
enum { WINDOW = 2, TILE = 16, MOST_SLANT = 8, NEAR_PES = 256 /* whose state stays in the second-level cache */ };

bool tw__wse_schedule_new(tw__wse *w)
{
    w->cells = (w->width + 63) / 64;
    w->cell = tw__wse_lines((size_t)w->height * w->cells * sizeof *w->cell);
    w->due = tw__calloc(w->count, sizeof *w->due);
    w->row_next = tw__calloc(w->height, sizeof *w->row_next);
    w->awake = tw__calloc((w->height + 63) / 64, sizeof *w->awake);
    if (!w->cell || !w->due || !w->row_next || !w->awake) return false;
    const int32_t pes[] = { -1, 1, (int32_t)w->width, -(int32_t)w->width };
    const int32_t places[] = { -1, 1, (int32_t)w->cells * 64, -(int32_t)w->cells * 64 };
    memcpy(w->pe_step, pes, sizeof pes);
    memcpy(w->place_step, places, sizeof places);
    for (uint32_t row = 0; row < w->height; row++) {
        w->row_next[row] = TW__WSE_NEVER;
        for (uint32_t k = 0; k < w->cells; k++)
            w->cell[row * w->cells + k] = (tw__cell){
                .far_at = TW__WSE_NEVER, .next = TW__WSE_NEVER, .first = row * w->width + k * 64, .row = row
            };
    }
    uint32_t low = w->first ? w->first - w->width : 0, high = w->end < w->count ? w->end + w->width : w->count;
    for (uint32_t pe = low; pe < high; pe++) { /* with the rows behind the borders to other ranks */
        uint32_t x = pe % w->width, y = pe / w->width;
        tw__router *router = &w->router[pe];
        w->due[pe] = TW__WSE_NEVER;
        router->place = y * w->cells * 64 + x;
        router->edges = (uint8_t)((x == 0) << TW__WSE_W | (x + 1 == w->width) << TW__WSE_E |
                                  (y + 1 == w->height) << TW__WSE_S | (y == 0) << TW__WSE_N);
    }
    return true;
}

void tw__wse_schedule_free(tw__wse *w)
{
    free(w->cell);
    free(w->due);
    free(w->row_next);
    free(w->awake);
}

/* --- visits --------------------------------------------------------------------------------------------------- */

/* One cycle of it. */
static inline void visit_cycle(tw__part *part, uint32_t pe, const tw__router *router, uint64_t *near, uint64_t mask,
                               uint64_t at)
{
    tw__wse *w = part->w;
    part->now = at;
    uint32_t queues = router->out_busy; /* what the engine adds in this cycle leaves it in the next one */
    if (w->due[pe] <= at) tw__wse_engine_turn(part, &w->pe[pe], at);
    if (tw__wse_router_stirs(router, at, queues)) tw__wse_router_turn(part, pe, at, queues);
    *near &= ~mask; /* last: what woke it for this very cycle has been heard */
}

static inline void schedule_visit(tw__part *part, tw__cell *cell, unsigned bit, uint64_t now)
{
    tw__wse *w = part->w;
    uint32_t pe = cell->first + bit;
    uint64_t mask = 1ull << bit, *first = &cell->near[now & 3], *second = &cell->near[(now + 1) & 3];
    const tw__router *router = &w->router[pe];
    if (*first & *second & mask && tw__wse_router_flows(router, now) && w->due[pe] >= now + WINDOW &&
        tw__wse_router_stream(part, pe, now)) {
        *first &= ~mask;
        *second &= ~mask;
        return;
    }
    if (*first & mask) visit_cycle(part, pe, router, first, mask, now);
    if (*second & mask) visit_cycle(part, pe, router, second, mask, now + 1);
}

/* Engines that come due by cycle `last`, of the PEs `inside`, join those that are looked at soon. */
static void draw_near(const tw__wse *w, tw__cell *cell, uint64_t inside, uint64_t last)
{
    uint64_t next = TW__WSE_NEVER;
    for (uint64_t rest = cell->far; rest; rest &= rest - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(rest);
        uint64_t mask = 1ull << bit, due = w->due[cell->first + bit];
        if (inside & mask && due <= last) cell->near[due & 3] |= mask;
        if (inside & mask && (due <= last || due == TW__WSE_NEVER))
            cell->far &= ~mask;
        else if (due < next)
            next = due;
    }
    cell->far_at = next;
}

/* State of PEs comes from the second or third level of the cache, by pointers from line to line: the third visit from
 * now is fetched by its first lines, the second by those that they lead to, the next one by the elements that its
 * operations move. Loops over what is there would end at another number each time, which costs more than a few lines
 * too many: each fetches a fixed number, the last one again where there are fewer.
 * Always inline: gcc 12 takes a function that only fetches for one without effect, and drops it. */
#define FETCH static inline __attribute__((always_inline)) void
FETCH fetch_first(const tw__wse *w, uint32_t pe)
{
    const char *router = (const char *)&w->router[pe], *engine = (const char *)&w->pe[pe];
    for (unsigned line = 0; line < 3; line++) __builtin_prefetch(router + 64 * line, 1);
    __builtin_prefetch(engine, 1);
    __builtin_prefetch(engine + 64);
    __builtin_prefetch(&w->pe[pe].op);
    __builtin_prefetch(&w->pe[pe].ut_in);
    __builtin_prefetch(&w->pe[pe].in_queue);
    __builtin_prefetch(&w->pe[pe].out_queue);
    __builtin_prefetch(&w->due[pe], 1);
}

/* The lowest of the bits, none of which is left out unless it is the only one. */
static inline unsigned next_bit(uint32_t *bits)
{
    uint32_t now = *bits, rest = now & (now - 1);
    *bits = rest ? rest : now;
    return (unsigned)__builtin_ctz(now);
}

FETCH fetch_rest(const tw__wse *w, uint32_t pe)
{
    const tw__router *router = &w->router[pe];
    const tw__pe *engine = &w->pe[pe];
    uint32_t out = router->out_busy & 0xff, in = engine->in_taken & 0xff, ops = engine->op_active;
    for (unsigned k = 0; k < 4; k++) __builtin_prefetch(&router->channel[k], 1);
    for (unsigned k = 4; router->channel_count > 4 && k < 8; k++) __builtin_prefetch(&router->channel[k], 1);
    for (unsigned k = 0; out && k < 2; k++) __builtin_prefetch(engine->out_queue[next_bit(&out)], 1);
    for (unsigned k = 0; in && k < 4; k++) __builtin_prefetch(engine->in_queue[next_bit(&in)], 1);
    for (unsigned k = 0; ops && k < 8; k++) __builtin_prefetch(engine->op[next_bit(&ops)], 1);
}

FETCH fetch_elements(const tw__wse *w, uint32_t pe)
{
    const tw__pe *engine = &w->pe[pe];
    uint32_t able = engine->op_active & engine->ut_ready;
    for (unsigned k = 0; able && k < 2; k++) {
        const tw__op *op = engine->op[next_bit(&able)];
        __builtin_prefetch(engine->memory + (op->straight ? op->at : 0), 1);
    }
}

/* One window of the PEs of a row from column `from` on up to `to`. */
static void visit_row(tw__part *part, uint32_t row, uint32_t from, uint32_t to, uint64_t now)
{
    tw__wse *w = part->w;
    if (w->row_next[row] > now + WINDOW - 1) return;
    const bool fetches = w->count > NEAR_PES;
    for (uint32_t k = from / 64; k * 64 < to; k++) {
        tw__cell *cell = &w->cell[row * w->cells + k];
        if (cell->next >= now + WINDOW) continue;
        uint64_t inside = UINT64_MAX;
        if (from > k * 64) inside &= UINT64_MAX << (from - k * 64);
        if (to - k * 64 < 64) inside &= ~(UINT64_MAX << (to - k * 64));
        if (cell->far_at <= now + WINDOW - 1) draw_near(w, cell, inside, now + WINDOW - 1);
        uint64_t due = (cell->near[now & 3] | cell->near[(now + 1) & 3]) & inside;
        for (; due; due &= due - 1) {
            uint64_t next = due & (due - 1), second = next & (next - 1), third = second & (second - 1);
            if (third && fetches) fetch_first(w, cell->first + (uint32_t)__builtin_ctzll(third));
            if (second && fetches) fetch_rest(w, cell->first + (uint32_t)__builtin_ctzll(second));
            if (next && fetches) fetch_elements(w, cell->first + (uint32_t)__builtin_ctzll(next));
            schedule_visit(part, cell, (unsigned)__builtin_ctzll(due), now);
        }
    }
}

/* --- what comes next ------------------------------------------------------------------------------------------ */

/* When the first PE of the row has something to do, from `now` on; counts those of the window from there on. */
static uint64_t look_over(const tw__wse *w, uint32_t row, uint64_t now, size_t *busy)
{
    uint64_t next = TW__WSE_NEVER;
    for (uint32_t k = 0; k < w->cells; k++) {
        tw__cell *cell = &w->cell[row * w->cells + k];
        if (cell->next == TW__WSE_NEVER) continue;
        cell->next = cell->far_at;
        for (unsigned ahead = 0; ahead < 4; ahead++)
            if (cell->near[(now + ahead) & 3] && now + ahead < cell->next) cell->next = now + ahead;
        if (cell->next < next) next = cell->next;
        uint64_t first = cell->near[now & 3], second = cell->near[(now + 1) & 3];
        if (first | second) *busy += (size_t)__builtin_popcountll(first) + (size_t)__builtin_popcountll(second);
    }
    return next;
}

uint64_t tw__wse_next_time(tw__wse *w, size_t *busy)
{
    uint64_t next = TW__WSE_NEVER;
    *busy = 0;
    for (uint32_t word = 0; word < (w->height + 63) / 64; word++) {
        uint64_t rows = atomic_load_explicit(&w->awake[word], memory_order_relaxed), asleep = 0;
        for (uint64_t rest = rows; rest; rest &= rest - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(rest);
            uint64_t first = look_over(w, row, w->now, busy);
            w->row_next[row] = first;
            if (first == TW__WSE_NEVER) asleep |= rest & -rest;
            if (first < next) next = first;
        }
        if (asleep) atomic_fetch_and_explicit(&w->awake[word], ~asleep, memory_order_relaxed);
    }
    return next;
}

/* --- windows -------------------------------------------------------------------------------------------------- */

/* Every PE in both cycles, whether anything woke it or not. */
static void window_of_all(tw__wse *w)
{
    for (uint32_t pe = w->first; pe < w->end; pe++) {
        tw__part *part = tw__wse_part_of(w, pe);
        tw__router *router = &w->router[pe];
        tw__cell *cell = &w->cell[router->place / 64];
        for (uint64_t at = w->now; at < w->now + WINDOW; at++) {
            part->now = at;
            uint32_t queues = router->out_busy;
            tw__wse_engine_turn(part, &w->pe[pe], at);
            tw__wse_router_turn(part, pe, at, queues);
            cell->near[at & 3] &= ~(1ull << (router->place & 63));
        }
        draw_near(w, cell, UINT64_MAX, w->now + WINDOW - 1);
    }
}

void tw__wse_window(tw__wse *w)
{
    if (w->options.reference) {
        window_of_all(w);
        return;
    }
    for (uint32_t word = 0; word < (w->height + 63) / 64; word++) {
        uint64_t rows = atomic_load_explicit(&w->awake[word], memory_order_relaxed);
        for (; rows; rows &= rows - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(rows);
            if (w->row_next[row] < w->now + WINDOW)
                visit_row(tw__wse_part_of(w, row * w->width), row, 0, w->width, w->now);
        }
    }
}

/* Rows low .. high - 1 in the first window; both ends move by a row, or none, from window to window. */
typedef struct strip {
    int32_t low, low_step, high, high_step;
} strip;

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}
static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Nothing to do in rows low .. high - 1 before `end`: the row to the south of them cannot wake them from outside. */
static bool asleep(const tw__wse *w, int32_t low, int32_t high, uint64_t end)
{
    for (int32_t row = low; row < high; row++)
        if (w->row_next[row] < end) return false;
    return true;
}

static void sweep(tw__part *part, strip s, unsigned windows, uint64_t start)
{
    const tw__wse *w = part->w;
    int32_t n = (int32_t)windows, width = (int32_t)w->width;
    int32_t top = s.high + (n - 1) * (s.high_step + 1), right = width + n - 1;
    for (int32_t v = s.low; v < top; v += TILE) {
        int32_t last = n - 1, first_row = larger(smaller(s.low, s.low + last * s.low_step), v - last);
        int32_t end_row = smaller(larger(s.high, s.high + last * s.high_step), v + TILE);
        if (asleep(w, first_row, end_row, start + windows * WINDOW)) continue;
        for (int32_t u = 0; u < right; u += TILE)
            for (int32_t k = 0; k < n; k++) {
                int32_t from = larger(0, u - k), to = smaller(width, u + TILE - k);
                if (from >= to) continue;
                int32_t row = larger(s.low + k * s.low_step, v - k);
                int32_t end = smaller(s.high + k * s.high_step, v + TILE - k);
                for (; row < end; row++)
                    visit_row(part, (uint32_t)row, (uint32_t)from, (uint32_t)to, start + (uint64_t)k * WINDOW);
            }
    }
}

/* What partition k can run without its neighbours. */
static strip inner(const tw__wse *w, unsigned k)
{
    int32_t low = (int32_t)(w->part[k].first / w->width), high = (int32_t)(w->part[k].end / w->width);
    bool is_first = k == 0, is_last = k + 1 == w->part_count;
    return (strip){ low + !is_first, !is_first, high - !is_last, -!is_last };
}

/* The wedge between partitions k - 1 and k. */
static strip seam(const tw__wse *w, unsigned k)
{
    int32_t low = (int32_t)(w->part[k].first / w->width);
    return (strip){ low - 1, -1, low + 1, 1 };
}

/* Seams must not touch: of the rows of a partition, `slant` and one that is written to belong to each. */
static unsigned slant(const tw__wse *w)
{
    unsigned most = MOST_SLANT;
    for (unsigned k = 0; k < w->part_count; k++) {
        unsigned rows = (w->part[k].end - w->part[k].first) / w->width;
        unsigned seams = (k > 0) + (k + 1 < w->part_count);
        if ((rows - seams) / seams < most) most = (rows - seams) / seams;
    }
    return most;
}

typedef struct sweeps {
    tw__wse *w;
    uint64_t start;
    unsigned windows;
} sweeps;

static void sweep_strips(void *arg, size_t begin, size_t end)
{
    const sweeps *s = arg;
    for (size_t k = begin; k < end; k++) sweep(&s->w->part[k], inner(s->w, (unsigned)k), s->windows, s->start);
}

static void sweep_seams(void *arg, size_t begin, size_t end)
{
    const sweeps *s = arg;
    for (size_t k = begin + 1; k < end + 1; k++)
        sweep(&s->w->part[k], seam(s->w, (unsigned)k), s->windows, s->start);
}

void tw__wse_windows(tw__wse *w, unsigned count)
{
    if (w->part_count == 1) {
        sweep(&w->part[0], (strip){ (int32_t)(w->first / w->width), 0, (int32_t)(w->end / w->width), 0 }, count,
              w->now);
        return;
    }
    unsigned most = slant(w);
    for (unsigned done = 0; done < count; done += most) {
        unsigned windows = count - done < most ? count - done : most;
        sweeps s = { w, w->now + (uint64_t)done * WINDOW, windows };
        tw__parallel(w->threads, w->part_count, 1, sweep_strips, &s);
        tw__parallel(w->threads, w->part_count - 1, 1, sweep_seams, &s);
    }
}
