/* SPDX-License-Identifier: MIT */
/* Liveness over the control flow, in two passes. The first finds the effect of every bracket and body: which units
 * it needs from before, which it overwrites before it reads them. With these a loop is walked once: what its next
 * round needs is known before. The second walks backwards and writes down from where to where each unit is live. */
#include "poplar/engine/account/live.h"

#include <stdlib.h>
#include <string.h>

typedef struct span {
    size_t first, count; /* in `effects` */
} span;

typedef struct flow {
    tw__liveness *l;
    const tw__shape *shape;
    uint32_t entries;
    uint32_t *end_of; /* [entries] END of an opening bracket */
    span *effect,
        *test;  /* [entries] at an END: of a round or all of a choice, of a WHILE's test; at an ARM: of it */
    span *body; /* [bodies] */
    bool *known, *body_known;   /* [entries] of the bracket that ends there, [bodies] */
    TW__LIST(uint32_t) effects; /* unit * 2, + 1 = overwritten */
    uint32_t *stamp, stamps;    /* [units] == stamps: is in the span at hand */
    uint32_t *kills;            /* [units] arms that overwrite it; zero between choices */
    uint64_t *live;             /* [words] at the entry at hand */
    uint32_t *open;             /* [units] last time of the run that it is in, while live */
    uint64_t **context;         /* [bodies] what is live after one of the calls; NULL: not called */
} flow;

static void spend(flow *f, uint64_t amount)
{
    f->l->spent += amount;
    if (f->l->spent > TW__LIVE_BUDGET) f->l->failed = f->l->too_large = true;
}

/* --- effects: what happens to a unit first decides ------------------------------------------------------------ */

static void add_effect(flow *f, uint32_t effect)
{
    uint32_t unit = effect / 2;
    if (f->stamp[unit] == f->stamps) return;
    f->stamp[unit] = f->stamps;
    TW__APPEND(f->effects, f->l->failed = true, effect);
}

enum { NEEDED = 1, OVERWRITTEN = 2 };

static void add_span(flow *f, span from, unsigned which)
{
    spend(f, from.count);
    for (size_t i = from.first; i < from.first + from.count && !f->l->failed; i++)
        if (which & (f->effects.items[i] % 2 ? OVERWRITTEN : NEEDED)) add_effect(f, f->effects.items[i]);
}

static void add_step(flow *f, uint32_t s)
{
    const tw__liveness *l = f->l;
    for (size_t i = l->first_use[s]; i < l->first_use[s + 1]; i++) add_effect(f, 2 * l->use[i].unit);
    for (size_t i = l->first_kill[s]; i < l->first_kill[s + 1]; i++) add_effect(f, 2 * l->kill[i].unit + 1);
    spend(f, 1);
}

static bool is_open(tw__shape_kind kind)
{
    return kind == TW__SHAPE_LOOP || kind == TW__SHAPE_WHILE || kind == TW__SHAPE_CHOICE;
}

/* Copies that were merged into one step have an entry each, side by side: one of them is enough, their number is
 * not. */
static bool same_step(const flow *f, uint32_t a, uint32_t b)
{
    return f->shape[a].kind == TW__SHAPE_STEP && f->shape[b].kind == TW__SHAPE_STEP &&
           f->shape[a].value == f->shape[b].value;
}

static uint32_t next_of(const flow *f, uint32_t at)
{
    return is_open(f->shape[at].kind) ? f->end_of[at] + 1 : at + 1;
}

static span begin_span(flow *f)
{
    f->stamps++;
    return (span){ .first = f->effects.count };
}

static void know(flow *f, uint32_t at);

static span scan(flow *f, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end && !f->l->failed; i = next_of(f, i)) know(f, i);
    span s = begin_span(f);
    for (uint32_t i = begin; i < end && !f->l->failed; i = next_of(f, i)) {
        const tw__shape *at = &f->shape[i];
        switch (at->kind) {
        case TW__SHAPE_STEP:
            if (i == begin || !same_step(f, i - 1, i)) add_step(f, at->value);
            break;
        case TW__SHAPE_CALL: add_span(f, f->body[at->value], NEEDED | OVERWRITTEN); break;
        case TW__SHAPE_LOOP:
        case TW__SHAPE_CHOICE: add_span(f, f->effect[f->end_of[i]], NEEDED | OVERWRITTEN); break;
        case TW__SHAPE_WHILE: /* the test runs, the rest may */
            add_span(f, f->test[f->end_of[i]], NEEDED | OVERWRITTEN);
            add_span(f, f->effect[f->end_of[i]], NEEDED);
            break;
        default: break;
        }
    }
    s.count = f->effects.count - s.first;
    return s;
}

/* Needed when one arm needs it, overwritten when all of them overwrite it. */
static span scan_choice(flow *f, uint32_t end)
{
    uint32_t arms = 0;
    for (uint32_t arm = f->shape[end].value; f->shape[arm].kind == TW__SHAPE_ARM && !f->l->failed;
         arm = f->shape[arm].value, arms++)
        f->effect[arm] = scan(f, f->shape[arm].value + 1, arm);
    span s = begin_span(f);
    for (uint32_t arm = f->shape[end].value; f->shape[arm].kind == TW__SHAPE_ARM; arm = f->shape[arm].value)
        add_span(f, f->effect[arm], NEEDED);
    for (int count = 1; count >= 0; count--) /* count, then clear */
        for (uint32_t arm = f->shape[end].value; f->shape[arm].kind == TW__SHAPE_ARM; arm = f->shape[arm].value)
            for (size_t i = 0; i < f->effect[arm].count && !f->l->failed; i++) {
                uint32_t effect = f->effects.items[f->effect[arm].first + i];
                if (!count)
                    f->kills[effect / 2] = 0;
                else if (effect % 2 && ++f->kills[effect / 2] == arms)
                    add_effect(f, effect);
            }
    s.count = f->effects.count - s.first;
    return s;
}

static uint32_t leave_of(const flow *f, uint32_t open)
{
    uint32_t leave = f->shape[open].value, end = f->end_of[open];
    return f->shape[open].kind == TW__SHAPE_WHILE && leave > open && leave < end ? leave : end;
}

/* The effects that a scan over entry `at` asks for. */
static void know(flow *f, uint32_t at)
{
    uint32_t end = is_open(f->shape[at].kind) ? f->end_of[at] : 0, body = f->shape[at].value, leave;
    if (end && f->known[end]) return;
    f->known[end] = true;
    switch (f->shape[at].kind) {
    case TW__SHAPE_CALL:
        if (f->body_known[body]) return;
        f->body_known[body] = true;
        f->body[body] = scan(f, f->l->a->bodies.items[body].begin, f->l->a->bodies.items[body].end);
        break;
    case TW__SHAPE_LOOP: f->effect[end] = scan(f, at + 1, end); break;
    case TW__SHAPE_WHILE:
        leave = leave_of(f, at);
        f->test[end] = scan(f, at + 1, leave);
        if (leave < end) f->effect[end] = scan(f, leave + 1, end);
        break;
    case TW__SHAPE_CHOICE: f->effect[end] = scan_choice(f, end); break;
    default: break;
    }
}

/* --- backwards ------------------------------------------------------------------------------------------------ */

/* In times. */
static void record(flow *f, uint32_t unit, uint32_t lo, uint32_t hi)
{
    tw__liveness *l = f->l;
    if (lo > hi) return;
    TW__APPEND(l->runs, l->failed = true, (tw__live_run){ unit, lo, hi });
    spend(f, 1);
}

static void begin_run_at(flow *f, uint32_t unit, uint32_t time)
{
    if (tw__live_has(f->live, unit)) return;
    tw__live_put(f->live, unit);
    f->open[unit] = time;
}

static void end_run_at(flow *f, uint32_t unit, uint32_t time)
{
    record(f, unit, time, f->open[unit]);
    tw__live_drop(f->live, unit);
}

/* Live at the end of entry `at`. */
static void begin_run(flow *f, uint32_t unit, uint32_t at)
{
    begin_run_at(f, unit, tw__live_time(at, TW__PHASES - 1));
}

/* Live from the beginning of entry `at` on. */
static void end_run(flow *f, uint32_t unit, uint32_t at)
{
    end_run_at(f, unit, tw__live_time(at, 0));
}

static void step_back(flow *f, uint32_t at)
{
    const tw__liveness *l = f->l;
    uint32_t s = f->shape[at].value;
    for (size_t i = l->first_kill[s]; i < l->first_kill[s + 1]; i++) {
        const tw__live_touch *t = &l->kill[i];
        uint32_t from = tw__live_time(at, t->from), to = tw__live_time(at, t->to);
        tw__live_has(f->live, t->unit) ? end_run_at(f, t->unit, from) : record(f, t->unit, from, to);
    }
    for (size_t i = l->first_use[s]; i < l->first_use[s + 1]; i++)
        begin_run_at(f, l->use[i].unit, tw__live_time(at, l->use[i].to));
    spend(f, 1);
}

/* live = (live - overwritten) | needed, between entries `at` and at + 1. */
static void apply(flow *f, span effects, unsigned which, uint32_t at)
{
    spend(f, effects.count);
    for (size_t i = effects.first; i < effects.first + effects.count && !f->l->failed; i++) {
        uint32_t unit = f->effects.items[i] / 2;
        bool overwritten = f->effects.items[i] % 2;
        if (!(which & (overwritten ? OVERWRITTEN : NEEDED))) continue;
        if (!overwritten)
            begin_run(f, unit, at);
        else if (tw__live_has(f->live, unit))
            end_run(f, unit, at + 1);
    }
}

/* Makes `set` what is live at the entry `at` and before it. */
static void become(flow *f, const uint64_t *set, uint32_t at)
{
    spend(f, f->l->words);
    for (size_t w = 0; w < f->l->words; w++)
        for (uint64_t diff = f->live[w] ^ set[w]; diff && !f->l->failed; diff &= diff - 1) {
            uint32_t unit = (uint32_t)(w * 64 + (unsigned)__builtin_ctzll(diff));
            tw__live_has(set, unit) ? begin_run(f, unit, at) : end_run(f, unit, at + 1);
        }
}

static void merge(flow *f, uint64_t *into, const uint64_t *from)
{
    for (size_t w = 0; w < f->l->words; w++) into[w] |= from[w];
    spend(f, f->l->words);
}

static uint64_t *new_set(flow *f, const uint64_t *from)
{
    uint64_t *set = tw__calloc(f->l->words + 1, sizeof *set);
    if (set && from) memcpy(set, from, f->l->words * sizeof *set);
    if (!set) f->l->failed = true;
    spend(f, f->l->words);
    return set;
}

static void walk(flow *f, uint32_t begin, uint32_t end);

static void while_back(flow *f, uint32_t open, uint32_t end)
{
    uint32_t leave = leave_of(f, open);
    uint64_t *after = leave < end ? new_set(f, f->live) : NULL;
    if (after) { /* at the end of a round: what the next test needs, or what lies behind it */
        apply(f, f->effect[end], NEEDED, end);
        apply(f, f->test[end], NEEDED | OVERWRITTEN, end);
        walk(f, leave + 1, end);
        merge(f, after, f->live);
        become(f, after, leave);
        free(after);
    } else {
        apply(f, f->test[end], NEEDED, end);
    }
    walk(f, open + 1, leave);
}

static void choice_back(flow *f, uint32_t end)
{
    uint64_t *after = new_set(f, f->live), *before = new_set(f, NULL);
    uint32_t arm = f->shape[end].value;
    for (bool any = false; after && before && !f->l->failed; any = true, arm = f->shape[arm].value) {
        if (f->shape[arm].kind != TW__SHAPE_ARM) {
            if (any) become(f, before, arm);
            break;
        }
        become(f, after, arm);
        walk(f, f->shape[arm].value + 1, arm);
        merge(f, before, f->live);
    }
    free(after), free(before);
}

static void call_back(flow *f, uint32_t at)
{
    uint32_t body = f->shape[at].value;
    if (!f->context[body]) f->context[body] = new_set(f, NULL);
    if (!f->context[body]) return;
    merge(f, f->context[body], f->live);
    apply(f, f->body[body], NEEDED | OVERWRITTEN, at);
}

static uint32_t open_of(const flow *f, uint32_t end)
{
    uint32_t open = f->shape[end].value;
    while (f->shape[open].kind == TW__SHAPE_ARM) open = f->shape[open].value;
    return open;
}

static void walk(flow *f, uint32_t begin, uint32_t end)
{
    for (uint32_t i = end; i > begin && !f->l->failed;) {
        const tw__shape *at = &f->shape[--i];
        if (at->kind == TW__SHAPE_STEP) {
            step_back(f, i);
            while (i > begin && same_step(f, i - 1, i)) i--;
        } else if (at->kind == TW__SHAPE_CALL) {
            call_back(f, i);
        } else if (at->kind == TW__SHAPE_END) {
            uint32_t open = open_of(f, i);
            if (f->shape[open].kind == TW__SHAPE_CHOICE) {
                choice_back(f, i);
            } else if (f->shape[open].kind == TW__SHAPE_WHILE) {
                while_back(f, open, i);
            } else {
                apply(f, f->effect[i], NEEDED, i);
                walk(f, open + 1, i);
            }
            i = open;
        }
    }
}

/* --- bodies --------------------------------------------------------------------------------------------------- */

/* After everything that it calls; read backwards, callers come first. */
static void order(flow *f, uint32_t body, bool *seen, uint32_t *list, size_t *count)
{
    const tw__body *b = &f->l->a->bodies.items[body];
    if (seen[body]) return;
    seen[body] = true;
    for (uint32_t i = b->begin; i < b->end; i++)
        if (f->shape[i].kind == TW__SHAPE_CALL) order(f, f->shape[i].value, seen, list, count);
    spend(f, b->end - b->begin);
    list[(*count)++] = body;
}

/* What is live after any of the calls of a body is live at its end. */
static void walk_body(flow *f, uint32_t body)
{
    const tw__body *b = &f->l->a->bodies.items[body];
    uint64_t *context = f->context[body];
    if (!context || b->begin == b->end || f->l->failed) return;
    become(f, context, b->end - 1);
    walk(f, b->begin, b->end);
    memset(context, 0, f->l->words * sizeof *context);
    become(f, context, b->begin - 1); /* closes all runs at b->begin; wraps for 0 */
    free(context);
    f->context[body] = NULL;
}

static bool flow_new(flow *f, size_t units, size_t bodies)
{
    f->end_of = tw__calloc(f->entries + (size_t)1, sizeof *f->end_of);
    f->effect = tw__calloc(f->entries + (size_t)1, sizeof *f->effect);
    f->test = tw__calloc(f->entries + (size_t)1, sizeof *f->test);
    f->body = tw__calloc(bodies + 1, sizeof *f->body);
    f->known = tw__calloc(f->entries + (size_t)1, sizeof *f->known);
    f->body_known = tw__calloc(bodies + 1, sizeof *f->body_known);
    f->stamp = tw__calloc(units + 1, sizeof *f->stamp);
    f->kills = tw__calloc(units + 1, sizeof *f->kills);
    f->live = tw__calloc(f->l->words + 1, sizeof *f->live);
    f->open = tw__calloc(units + 1, sizeof *f->open);
    f->context = tw__calloc(bodies + 1, sizeof *f->context);
    return f->end_of && f->effect && f->test && f->body && f->known && f->body_known && f->stamp && f->kills &&
           f->live && f->open && f->context;
}

static void flow_free(flow *f, size_t bodies)
{
    for (size_t b = 0; f->context && b < bodies; b++) free(f->context[b]);
    free(f->end_of), free(f->effect), free(f->test), free(f->body), free(f->known), free(f->body_known),
        free(f->effects.items);
    free(f->stamp), free(f->kills), free(f->live), free(f->open), free(f->context);
}

void tw__live_flow(tw__liveness *l)
{
    size_t bodies = l->a->bodies.count;
    flow f = { .l = l, .shape = l->a->shape.items, .entries = (uint32_t)l->a->shape.count };
    bool *seen = tw__calloc(bodies + 1, sizeof *seen);
    uint32_t *list = tw__calloc(bodies + 1, sizeof *list);
    size_t count = 0;
    l->failed |= !flow_new(&f, l->unit_count, bodies) || !seen || !list;
    if (!l->failed) {
        for (uint32_t i = 0; i < f.entries; i++)
            if (f.shape[i].kind == TW__SHAPE_END) f.end_of[open_of(&f, i)] = i;
        order(&f, 0, seen, list, &count);
        f.context[0] = new_set(&f, NULL); /* values survive from run to run: what a run needs is live after each */
        span all = scan(&f, l->a->bodies.items[0].begin, l->a->bodies.items[0].end);
        for (size_t i = all.first; i < all.first + all.count && !l->failed; i++)
            if (f.effects.items[i] % 2 == 0) tw__live_put(f.context[0], f.effects.items[i] / 2);
    }
    while (count && !l->failed) walk_body(&f, list[--count]);
    free(seen), free(list);
    flow_free(&f, bodies);
}
