/* link: the part of link.h that is not in every wavelet's way. */
#include "csl/wse/fabric/link.h"

tw__lane *tw__link_another_lane(tw__part *part, tw__channel *c, unsigned port)
{
    if (c->home == TW__WSE_NO_PORT) {
        c->home = (uint8_t)port;
        return &c->lane;
    }
    if (!c->more) c->more = tw__wse_piece(part, TW__WSE_PORTS * sizeof *c->more);
    return c->more ? &c->more[port] : NULL;
}

/* No place behind link d now. Something has left, and shows in cycle `at` (0: nothing has): comes back then, else
 * when something does. */
static void wait_for_place(tw__part *part, tw__router *router, tw__channel *c, unsigned d, tw__lane *lane,
                           uint64_t at)
{
    if (part->w->options.reference) return; /* looks again in the next cycle anyway */
    if (at || !lane)
        tw__link_hint(part->w, router, d, c->color, at ? at : part->now + 1);
    else
        lane->wanted = 1;
}

static bool refill(tw__part *part, tw__router *router, tw__channel *c, unsigned d)
{
    tw__router *next = router + part->w->pe_step[d];
    unsigned number = next->channel_of[c->color];
    tw__lane *lane = number ? tw__wse_lane(&next->channel[number - 1], d ^ 1) : NULL;
    uint64_t gone = lane ? lane->gone : 0, last = gone >> 16, at = 0;
    unsigned left = (unsigned)gone & 0xff;
    if (last + 2 > part->now && gone) { /* the neighbour may be three cycles ahead of what is seen here */
        unsigned unseen = (unsigned)(last + 2 - part->now);
        left -= tw__gone_lately(gone, unseen);
        for (unsigned k = unseen; k-- > 0 && !at;) /* the earliest of those that will be seen */
            if (gone >> (8 + 2 * k) & 3) at = last - k + 2;
    }
    unsigned more = (left - c->seen[d]) & 0xff;
    c->seen[d] = (uint8_t)left;
    c->credit += more << 8 * d;
    if (c->credit >> 8 * d & 0xff) return true;
    wait_for_place(part, router, c, d, lane, at);
    return false;
}

bool tw__link_refill(tw__part *part, tw__router *router, tw__channel *c, unsigned links)
{
    bool all = true;
    for (; links; links &= links - 1) {
        unsigned d = (unsigned)__builtin_ctz(links);
        bool known = c->credit >> 8 * d & 0xff && !part->w->options.reference;
        if (!known && !refill(part, router, c, d)) all = false;
    }
    return all;
}
