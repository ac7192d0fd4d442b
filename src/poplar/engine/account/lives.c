/* SPDX-License-Identifier: MIT */
/* Lives of objects for the placement, in times of live.h: a variable's part on a tile is alive when one of its units
 * is, a buffer while its compute set runs. Between two lives the addresses are anybody's. */
#include "poplar/engine/account/live.h"

#include <stdlib.h>
#include <string.h>

/* Lives of one object; the shortest holes of one with more are closed. */
enum { MAX_LIVES = 64 };

static int lives_by_time(const void *x, const void *y)
{
    const tw__place_life *a = x, *b = y;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return (a->last > b->last) - (a->last < b->last);
}

/* Sorts, and joins lives with at most `hole` times between them; returns how many are left. */
static uint32_t join_lives(tw__place_life *lives, uint32_t count, uint32_t hole)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept && lives[i].first <= lives[kept - 1].last + (uint64_t)hole + 1) {
            if (lives[i].last > lives[kept - 1].last) lives[kept - 1].last = lives[i].last;
        } else {
            lives[kept++] = lives[i];
        }
    }
    return kept;
}

typedef TW__LIST(tw__place_life) life_list;

static void set_lives(tw__place_item *item, const tw__place_life *lives, uint32_t count)
{
    item->first = lives[0].first, item->last = lives[count - 1].last;
    item->lives = count > 1 ? lives : NULL, item->life_count = count > 1 ? count : 0;
}

/* A copy of the list in order, for as long as the engine lives; NULL: out of memory. */
static const tw__place_life *settle(tw__liveness *l, life_list *list, uint32_t *count)
{
    if (list->count > 1) qsort(list->items, list->count, sizeof *list->items, lives_by_time);
    *count = join_lives(list->items, (uint32_t)list->count, 0);
    for (uint32_t hole = 1; *count > MAX_LIVES; hole *= 2) *count = join_lives(list->items, *count, hole);
    tw__place_life *kept = TW__NEW_N(l->a->engine->arena, tw__place_life, *count);
    if (kept) memcpy(kept, list->items, *count * sizeof *kept);
    if (!kept) l->failed = true;
    return kept;
}

static void add_life(tw__liveness *l, life_list *list, uint32_t first, uint32_t last)
{
    TW__APPEND(*list, l->failed = true, (tw__place_life){ first, last });
}

/* Runs by unit: of unit u `order[start[u]]` to `order[start[u + 1]]`. */
static bool sort_runs(const tw__liveness *l, uint32_t **start, uint32_t **order)
{
    *start = tw__calloc(l->unit_count + 2, sizeof **start);
    *order = tw__calloc(l->runs.count + 1, sizeof **order);
    if (!*start || !*order) return false;
    for (size_t i = 0; i < l->runs.count; i++) (*start)[l->runs.items[i].unit + 2]++;
    for (size_t u = 0; u < l->unit_count; u++) (*start)[u + 2] += (*start)[u + 1];
    for (size_t i = 0; i < l->runs.count; i++) (*order)[(*start)[l->runs.items[i].unit + 1]++] = (uint32_t)i;
    return true;
}

/* Objects of a variable that stands on many tiles mostly have the same units, and then share their lives. */
static void set_variable(tw__liveness *l, uint32_t var, const uint32_t *start, const uint32_t *order,
                         life_list *list)
{
    tw__placement *p = l->a->placement;
    uint32_t known = UINT32_MAX, known_end = 0, count = 0, end;
    const tw__place_life *lives = NULL;
    uint32_t unit = l->first_unit[var];
    for (uint32_t i = p->var_first[var]; i < p->var_first[var + 1] && !l->failed; i++) {
        tw__place_item *item = &p->items.items[i];
        uint64_t item_end = p->begin[i] + item->bytes / p->esize[var];
        while (unit + 1 < l->first_unit[var + 1] && l->units[unit].end <= p->begin[i]) unit++;
        for (end = unit + 1; end < l->first_unit[var + 1] && l->units[end].begin < item_end;) end++;
        if (unit != known || end != known_end) {
            list->count = 0;
            for (uint32_t k = start[unit]; k < start[end]; k++)
                add_life(l, list, l->runs.items[order[k]].lo, l->runs.items[order[k]].hi);
            lives = list->count && !l->failed ? settle(l, list, &count) : NULL;
            known = unit, known_end = end;
        }
        if (lives) set_lives(item, lives, count); /* else no step needs it, and it keeps its place */
    }
}

static void set_variables(tw__liveness *l, life_list *list)
{
    uint32_t *start, *order;
    if (!sort_runs(l, &start, &order)) l->failed = true;
    for (uint32_t var = 0; var < l->a->core->var_count && !l->failed; var++)
        if (!tw__live_has(l->always, l->first_unit[var])) set_variable(l, var, start, order, list);
    free(start), free(order);
}

/* Until here `first` and `last` of a buffer are its phases. */
static void set_exec_buffers(tw__liveness *l, uint32_t exec, const uint32_t *entries, uint32_t count,
                             life_list *list)
{
    tw__placement *p = l->a->placement;
    struct {
        const tw__place_life *lives;
        uint32_t count;
    } known[TW__PHASES][TW__PHASES] = { 0 };
    for (uint32_t i = p->exec_item[exec]; i < p->exec_item_end[exec] && !l->failed; i++) {
        tw__place_item *item = &p->items.items[i];
        uint32_t from = item->first, to = item->last;
        if (!known[from][to].lives) {
            list->count = 0;
            for (uint32_t e = 0; e < count; e++)
                add_life(l, list, tw__live_time(entries[e], from), tw__live_time(entries[e], to));
            if (!l->failed) known[from][to].lives = settle(l, list, &known[from][to].count);
        }
        if (known[from][to].lives) set_lives(item, known[from][to].lives, known[from][to].count);
    }
}

static bool executes(const tw__accounting *a, uint32_t entry, uint32_t *exec)
{
    if (a->shape.items[entry].kind != TW__SHAPE_STEP) return false;
    const tw__plan_step *step = &a->engine->plan.steps.items[a->shape.items[entry].value];
    *exec = step->payload;
    return step->kind == TW__S_EXECUTE;
}

static void set_buffers(tw__liveness *l, life_list *list)
{
    const tw__accounting *a = l->a;
    size_t execs = a->placement->execs;
    uint32_t *start = tw__calloc(execs + 2, sizeof *start),
             *entries = tw__calloc(a->shape.count + 1, sizeof *entries), x;
    if (!start || !entries) l->failed = true;
    for (uint32_t e = 0; e < a->shape.count && !l->failed; e++)
        if (executes(a, e, &x)) start[x + 2]++;
    for (size_t i = 0; i < execs && !l->failed; i++) start[i + 2] += start[i + 1];
    for (uint32_t e = 0; e < a->shape.count && !l->failed; e++)
        if (executes(a, e, &x)) entries[start[x + 1]++] = e;
    for (uint32_t i = 0; i < execs && !l->failed; i++)
        if (start[i + 1] > start[i]) set_exec_buffers(l, i, entries + start[i], start[i + 1] - start[i], list);
    free(start), free(entries);
}

/* Without an analysis everything keeps its place for the whole run. */
static void keep_all(tw__placement *p)
{
    for (size_t x = 0; x < p->execs; x++)
        for (uint32_t i = p->exec_item[x]; i < p->exec_item_end[x]; i++)
            p->items.items[i].first = 0, p->items.items[i].last = TW__PLACE_ALWAYS,
            p->items.items[i].life_count = 0;
    for (uint32_t i = 0; i < p->var_first[p->var_count]; i++)
        p->items.items[i].first = 0, p->items.items[i].last = TW__PLACE_ALWAYS, p->items.items[i].life_count = 0;
}

tw_status tw__account_liveness(tw__accounting *a)
{
    tw__liveness l = { .a = a, .too_large = a->shape.count >= UINT32_MAX / TW__PHASES };
    l.failed = l.too_large;
    life_list list = { 0 };
    if (!l.failed) tw__live_touches(&l);
    if (!l.failed) tw__live_flow(&l);
    if (!l.failed) tw__live_report(&l);
    if (!l.failed) set_buffers(&l, &list);
    if (!l.failed) set_variables(&l, &list);
    if (l.too_large) {
        keep_all(a->placement);
        TW__LOG(
            PROFILER, WARN,
            "liveness left out: the control flow is too large; all variables keep their memory for the whole run");
    }
    free(list.items), free(l.units), free(l.first_unit), free(l.always), free(l.runs.items), free(l.use),
        free(l.kill);
    free(l.first_use), free(l.first_kill);
    return l.failed && !l.too_large ? tw__fail(TW_E_NO_MEMORY, "out of memory for the profile") : TW_OK;
}
