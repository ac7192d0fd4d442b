/* schedule: PEs to look at. The next four cycles are lists, one bit per PE and cycle keeps them free of doubles; what
 * lies further ahead is a heap. */
#include "csl/wse/pe/pe.h"

#include <string.h>

static void append(tw__part *part, tw__list *list, uint32_t pe)
{
    if (list->count == list->room && !tw__grow(&list->items, &list->room, list->count, sizeof *list->items)) {
        part->no_memory = true;
        return;
    }
    list->items[list->count++] = pe;
}

void tw__wse_wake(tw__part *part, uint32_t pe, uint64_t at)
{
    if (at >= part->now + 4) {
        if (!tw__wse_timer_push(part, at, pe)) part->no_memory = true;
        return;
    }
    unsigned slot = at & 3;
    tw__router *router = &part->w->router[pe];
    if (router->near >> slot & 1) return;
    router->near |= (uint8_t)(1u << slot);
    append(part, &part->near[slot], pe);
}

void tw__wse_wake_other(tw__part *part, uint32_t pe, uint64_t at)
{
    if (pe >= part->first && pe < part->end) {
        tw__wse_wake(part, pe, at);
        return;
    }
    const tw__wse *w = part->w;
    unsigned target = pe < part->first ? part->number - 1 : part->number + 1; /* partitions are strips of rows */
    while (pe < w->part[target].first) target--;
    while (pe >= w->part[target].end) target++;
    append(part, &part->mail[target * 4 + (at & 3)], pe);
}

void tw__wse_wake_engine(tw__part *part, uint32_t pe, uint64_t at)
{
    tw__pe *p = &part->w->pe[pe];
    if (at < part->now) at = part->now;
    if (at >= p->due) return;
    p->due = at;
    tw__wse_wake(part, pe, at);
}

/* --- heap by time, then PE ----------------------------------------------------------------------------------------------- */

static bool before(const tw__timer *a, const tw__timer *b)
{
    return a->at != b->at ? a->at < b->at : a->pe < b->pe;
}

bool tw__wse_timer_push(tw__part *part, uint64_t at, uint32_t pe)
{
    if (!tw__grow(&part->timer, &part->timer_room, part->timer_count, sizeof *part->timer)) return false;
    size_t k = part->timer_count++;
    tw__timer item = { at, pe };
    for (; k > 0 && before(&item, &part->timer[(k - 1) / 2]); k = (k - 1) / 2)
        part->timer[k] = part->timer[(k - 1) / 2];
    part->timer[k] = item;
    return true;
}

void tw__wse_timer_pop(tw__part *part)
{
    tw__timer last = part->timer[--part->timer_count];
    size_t k = 0, n = part->timer_count;
    for (;;) {
        size_t child = 2 * k + 1;
        if (child >= n) break;
        if (child + 1 < n && before(&part->timer[child + 1], &part->timer[child])) child++;
        if (!before(&part->timer[child], &last)) break;
        part->timer[k] = part->timer[child];
        k = child;
    }
    if (n) part->timer[k] = last;
}
