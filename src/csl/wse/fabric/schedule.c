/* schedule: PEs to look at. The next four cycles are lists, one bit per PE and cycle keeps them free of doubles; what
 * lies further ahead is a heap. */
#include "csl/wse/pe/pe.h"

#include <string.h>

void tw__wse_more_room(tw__part *part, tw__list *list)
{
    if (!tw__grow(&list->items, &list->room, list->count, sizeof *list->items)) part->no_memory = true;
}

void tw__wse_wake_far(tw__part *part, uint32_t pe, uint64_t at)
{
    if (!tw__wse_timer_push(part, at, pe)) part->no_memory = true;
}

void tw__wse_wake_mail(tw__part *part, uint32_t pe, uint64_t at)
{
    const tw__wse *w = part->w;
    unsigned target = pe < part->first ? part->number - 1 : part->number + 1; /* partitions are strips of rows */
    while (pe < w->part[target].first) target--;
    while (pe >= w->part[target].end) target++;
    tw__list *mail = &part->mail[target * 4 + (at & 3)];
    if (mail->count == mail->room) tw__wse_more_room(part, mail);
    if (mail->count < mail->room) mail->items[mail->count++] = pe;
}

/* --- heap by time, then PE ------------------------------------------------------------------------------------ */

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
