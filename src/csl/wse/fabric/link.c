/* SPDX-License-Identifier: MIT */
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

/* When the earliest of what left in the last `unseen` cycles will be seen; 0 = nothing did. */
static uint64_t seen_at(uint64_t gone, unsigned unseen)
{
    for (unsigned k = unseen; k-- > 0;)
        if (gone >> (8 + 2 * k) & 3) return (gone >> 16) - k + 2;
    return 0;
}

/* No place behind link d now. Comes back when something that has left shows, else when something leaves. */
void tw__link_wait(tw__part *part, tw__router *router, tw__channel *c, unsigned d, tw__lane *lane, unsigned unseen)
{
    if (part->w->options.reference) return; /* looks again in the next cycle anyway */
    uint64_t at = lane ? seen_at(lane->gone, unseen) : part->now + 1;
    if (at)
        tw__link_hint(part->w, router, d, c->color, at);
    else
        lane->wanted = 1;
}

bool tw__link_refill_all(tw__part *part, tw__router *router, tw__channel *c, unsigned links)
{
    bool all = true, always = part->w->options.reference;
    for (; links; links &= links - 1) {
        unsigned d = (unsigned)__builtin_ctz(links);
        bool known = c->credit >> 8 * d & 0xff && !always;
        if (!known && !tw__link_refill(part, router, c, d)) all = false;
    }
    return all;
}
