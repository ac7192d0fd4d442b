/* SPDX-License-Identifier: MIT */
/* link: what connects two routers. A wavelet that leaves is at the next router two cycles later. The sender may have
 * LINK_DEPTH wavelets of a color at the other end; how many have left there it sees two cycles later, too, and looks
 * it up when it runs out: nothing has to be sent back while there is room. For router.c only. */
#ifndef TW_CSL_WSE_FABRIC_LINK_H
#define TW_CSL_WSE_FABRIC_LINK_H

#include "csl/wse/fabric/fabric.h"

static inline unsigned tw__link_number(const tw__router *router, const tw__channel *c)
{
    return (unsigned)(c - router->channel);
}

/* --- lanes ---------------------------------------------------------------------------------------------------- */

tw__lane *tw__link_another_lane(tw__part *part, tw__channel *c, unsigned port);

/* The lane of a port, made when it is missing; NULL = out of memory. */
static inline tw__lane *tw__link_lane(tw__part *part, tw__channel *c, unsigned port)
{
    return c->home == port ? &c->lane : tw__link_another_lane(part, c, port);
}

static inline void tw__lane_add(tw__lane *lane, uint32_t payload, unsigned flags)
{
    unsigned at = (lane->head + lane->count++) & (TW__WSE_LANE - 1);
    lane->payload[at] = payload;
    lane->flags = (lane->flags & ~(15u << 4 * at)) | flags << 4 * at;
}

static inline unsigned tw__lane_flags(const tw__lane *lane)
{
    return lane->flags >> 4 * lane->head & 15;
}

/* --- what has left a lane ------------------------------------------------------------------------------------- */

static inline uint64_t tw__gone_one(uint64_t gone, uint64_t now)
{
    uint64_t ago = now - (gone >> 16), recent = ago < 4 ? (gone >> 8 & 0xff) << 2 * ago & 0xff : 0;
    return now << 16 | (recent + 1) << 8 | ((gone + 1) & 0xff);
}

/* Tells the router of `slot` that a place for the color has become free behind `port`. */
static inline void tw__link_hint(tw__wse *w, tw__router *router, unsigned port, unsigned color, uint64_t at)
{
    router->slot[at & 3].word[port] |= 1u << color;
    tw__wse_wake_place(w, router->place, at);
}

/* A wavelet of channel c that came through `port`, which is no host's, leaves this router. */
static inline void tw__link_give_back(tw__part *part, tw__router *router, tw__channel *c, unsigned port,
                                      unsigned flags, uint64_t now)
{
    if (port == TW__WSE_R || router->edges >> port & 1) return;
    if (flags & TW__WSE_SWAPPED) { /* the sender knows it by another color */
        c = tw__wse_channel_of(part, (uint32_t)(router - part->w->router), c->color ^ 1u);
        if (!c) return;
    }
    tw__lane *lane = tw__link_lane(part, c, port);
    if (!lane) return;
    lane->gone = tw__gone_one(lane->gone, now);
    if (!lane->wanted) return;
    lane->wanted = 0;
    tw__link_hint(part->w, router + part->w->pe_step[port], port ^ 1u, c->color, now + 2);
}

/* --- credit --------------------------------------------------------------------------------------------------- */

/* A byte with its highest bit for each link in a mask, as the bytes of credits. */
static const uint32_t tw__each_link[16] = {
    0x00000000, 0x00000080, 0x00008000, 0x00008080, 0x00800000, 0x00800080, 0x00808000, 0x00808080,
    0x80000000, 0x80000080, 0x80008000, 0x80008080, 0x80800000, 0x80800080, 0x80808000, 0x80808080,
};
/* Is there a place left behind all these links? */
static inline bool tw__link_has_credit(const tw__channel *c, unsigned links)
{
    uint32_t all = tw__each_link[links];
    return ((c->credit + 0x7f7f7f7fu) & all) == all; /* no byte of it is above 0x80 */
}

/* What has left a lane (NULL: none there yet), as it is seen at the other end in cycle `now`; *unseen: of the cycles
 * in which something left, the last so many do not show yet: the neighbour may be three cycles ahead of what is seen
 * here. No branches: whether it is ahead changes from cycle to cycle. */
static inline unsigned tw__gone_seen(const tw__lane *lane, uint64_t now, unsigned *unseen)
{
    uint64_t gone = lane ? lane->gone : 0;
    int64_t ahead = (int64_t)((gone >> 16) + 2 - now);
    *unseen = ahead > 0 ? (unsigned)ahead & 3 : 0;
    unsigned recent = (unsigned)(gone >> 8) & ((1u << 2 * *unseen) - 1);
    return ((unsigned)gone & 0xff) - ((recent & 3) + (recent >> 2 & 3) + (recent >> 4));
}

/* The lane behind link d; NULL = nothing came there yet. */
static inline tw__lane *tw__link_lane_behind(const tw__wse *w, const tw__router *router, const tw__channel *c,
                                             unsigned d)
{
    const tw__router *next = router + w->pe_step[d];
    unsigned number = next->channel_of[c->color];
    return number ? tw__wse_lane(&next->channel[number - 1], d ^ 1) : NULL;
}

void tw__link_wait(tw__part *part, tw__router *router, tw__channel *c, unsigned d, tw__lane *lane, unsigned unseen);

/* Looks up what has left behind link d; false = it still has no place: the router will be woken. */
static inline bool tw__link_refill(tw__part *part, tw__router *router, tw__channel *c, unsigned d)
{
    tw__lane *lane = tw__link_lane_behind(part->w, router, c, d);
    unsigned unseen, left = tw__gone_seen(lane, part->now, &unseen), more = (left - c->seen[d]) & 0xff;
    c->seen[d] = (uint8_t)left;
    c->credit += more << 8 * d;
    if (c->credit >> 8 * d & 0xff) return true;
    tw__link_wait(part, router, c, d, lane, unseen);
    return false;
}
bool tw__link_refill_all(tw__part *part, tw__router *router, tw__channel *c, unsigned links);

static inline bool tw__link_room(tw__part *part, tw__router *router, tw__channel *c, unsigned links, bool plain)
{
    if (tw__link_has_credit(c, links) && (plain || !part->w->options.reference)) return true;
    if (links & (links - 1)) return tw__link_refill_all(part, router, c, links);
    return tw__link_refill(part, router, c, (unsigned)__builtin_ctz(links));
}

/* A channel's credit as it will be. */
typedef struct tw__credit {
    uint32_t credit;
    uint8_t seen[4];
} tw__credit;

/* Are there places for a wavelet in this cycle and one in the next? *after: once they are taken. */
static inline bool tw__link_has_two(const tw__part *part, const tw__router *router, const tw__channel *c,
                                    unsigned links, tw__credit *after)
{
    after->credit = c->credit;
    memcpy(after->seen, c->seen, sizeof after->seen);
    for (; links; links &= links - 1) {
        unsigned d = (unsigned)__builtin_ctz(links), unseen, here = after->credit >> 8 * d & 0xff;
        if (here < 2) {
            const tw__lane *lane = tw__link_lane_behind(part->w, router, c, d);
            unsigned now = (tw__gone_seen(lane, part->now, &unseen) - c->seen[d]) & 0xff;
            unsigned next = tw__gone_seen(lane, part->now + 1, &unseen);
            unsigned more = (next - c->seen[d]) & 0xff;
            if (here + now < 1 || here + more < 2) return false;
            after->seen[d] = (uint8_t)next;
            after->credit += more << 8 * d;
        }
        after->credit -= 2u << 8 * d;
    }
    return true;
}

static inline void tw__link_take(tw__channel *c, const tw__credit *after)
{
    c->credit = after->credit;
    memcpy(c->seen, after->seen, sizeof c->seen);
}

#endif
