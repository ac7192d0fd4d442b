/* SPDX-License-Identifier: MIT */
/* router: one cycle of one router. Wavelets wait apart by input port and color; each output link takes one wavelet a
 * cycle; a wavelet leaves when every direction it goes to has room, all copies at once. */
#include "csl/wse/fabric/link.h"

#include <string.h>

/* Kept out of the way of what happens in every cycle; that is compiled twice, once for routers with nothing special
 * about them (`plain`: no trace, counters, messages, streams of the host, color swaps, reference). */
#define SELDOM __attribute__((noinline, cold))
#define ALWAYS static inline __attribute__((always_inline))

/* What the hardware leaves undefined: two directions that the color takes wavelets from, both at once. Here they take
 * turns. */
static SELDOM void collision(tw__part *part, uint32_t pe, tw__channel *c, unsigned port)
{
    static const char *const from[] = { "WEST", "EAST", "SOUTH", "NORTH", "RAMP" };
    if (c->collided || !(c->rx >> c->came_port & c->rx >> port & 1)) return;
    c->collided = 1;
    tw__wse_complain(
        part, pe, c->color, port, "wse.collision",
        "wavelets of color %u arrived from %s and %s in one cycle, and its route takes both: which one "
        "goes first is undefined on hardware",
        c->color, from[c->came_port], from[port]);
}

/* Keeps a wavelet for later. `stays`: nothing in this cycle can send it on. `came`: channels that got one in this
 * cycle. */
static inline void into_lane(tw__part *part, uint32_t pe, tw__router *router, tw__channel *c, unsigned port,
                             uint32_t payload, unsigned flags, bool stays, uint32_t *came)
{
    uint32_t bit = 1u << tw__link_number(router, c);
    if (*came & bit && c->came_port != port) collision(part, pe, c, port);
    *came |= bit;
    c->came_port = (uint8_t)port;
    tw__lane *lane = tw__link_lane(part, c, port);
    if (!lane) return;
    bool first = lane->count == 0;
    tw__lane_add(lane, payload, flags);
    if (!first) return; /* what goes first is still the same */
    c->waiting |= (uint8_t)(1u << port);
    c->tried = 0;
    router->busy |= bit;
    router->ready = stays ? router->ready & ~bit : router->ready | bit;
}

/* A wavelet that no route leads on: it waits for one, which is worth a word. */
static SELDOM void unrouted(tw__part *part, uint32_t pe, tw__channel *c, unsigned port)
{
    if (c->suspended || c->complained) return;
    c->complained = 1;
    tw__wse_complain(part, pe, c->color, port, "wse.unrouted", "%s on color %u, which has no route here",
                     port == TW__WSE_R ? "the PE sends" : "a wavelet arrives", c->color);
}

/* WSE-2 color swap: a wavelet of color k goes to the partner when the partner's configuration asks for it; one from
 * the PE itself when it asks for swaps in both dimensions. */
static unsigned swapped(const tw__router *router, unsigned color, unsigned port)
{
    unsigned partner = color ^ 1;
    if (!router->channel_of[partner]) return color;
    const tw__channel *c = &router->channel[router->channel_of[partner] - 1];
    bool in_x = port <= TW__WSE_E || port == TW__WSE_R, in_y = port > TW__WSE_E;
    return (!in_x || c->swap_x) && (!in_y || c->swap_y) ? partner : color;
}

/* Over the edge of the rectangle: to the host if it listens, else lost, which is worth a word. */
static SELDOM void over_the_edge(tw__part *part, uint32_t pe, tw__channel *c, unsigned port, uint32_t payload,
                                 bool control)
{
    static const char *const names[] = { "west", "east", "south", "north" };
    tw__port *host = tw__wse_port_of(&part->w->pe[pe], port, c->color, true);
    bool ignored = control && payload >> 24 & 1; /* by the core at the host's end, as by any other */
    if (host) {
        if (!ignored && !tw__wse_port_put(host, payload, control)) part->no_memory = true;
    } else if (!c->complained) {
        c->complained = 1;
        tw__wse_complain(part, pe, c->color, port, "wse.edge",
                         "wavelets of color %u leave the rectangle to the %s and are lost", c->color, names[port]);
    }
}

/* Of these links, those whose wavelets go to the host: at the edge of the rectangle, or where it listens. */
static SELDOM unsigned router_outside(tw__part *part, uint32_t pe, const tw__router *router, const tw__channel *c,
                                      unsigned links)
{
    unsigned out = links & router->edges;
    for (unsigned rest = router->has_ports ? links & ~out : 0; rest; rest &= rest - 1) {
        unsigned d = (unsigned)__builtin_ctz(rest);
        if (tw__wse_port_of(&part->w->pe[pe], d, c->color, true)) out |= 1u << d;
    }
    return out;
}

static SELDOM void note_hop(tw__part *part, uint32_t pe, const tw__channel *c, unsigned d, uint32_t payload,
                            bool control)
{
    if (part->w->options.trace)
        tw__wse_note(part, pe, part->now, TW__WSE_WAVELET, d | (unsigned)c->color << 8 | (control ? 1u << 16 : 0),
                     payload);
    if (part->motion) tw__wse_did_so(part, pe, part->now, part->now + 1, d, c->color);
    if (part->w->counters) part->w->counters[pe].sent[d]++;
}

/* A wavelet of channel c leaves through these links, whose places have been taken, and is at the next routers in two
 * cycles. */
ALWAYS void send_over(tw__part *part, uint32_t pe, tw__router *router, tw__channel *c, unsigned links,
                      uint32_t payload, bool control, uint64_t now, bool plain)
{
    tw__wse *w = part->w;
    uint64_t at = now + 2;
    uint32_t word =
        TW__WSE_WAVE_HERE | (control ? TW__WSE_WAVE_CONTROL : 0) | (uint32_t)c->color << TW__WSE_WAVE_COLOR;
    for (; links; links &= links - 1) {
        unsigned d = (unsigned)__builtin_ctz(links);
        tw__slot *slot = &router[w->pe_step[d]].slot[at & 3];
        slot->payload[d ^ 1] = payload;
        slot->word[d ^ 1] |= word;
        tw__wse_wake_place(w, router->place + (uint32_t)w->place_step[d], at);
        part->totals.hops++;
        if (!plain && w->watched) note_hop(part, pe, c, d, payload, control);
    }
}

/* Not for the compute engine, or not let through by the color's filter: nothing asks for a place in its queue. */
static inline bool delivers(const tw__channel *c, uint32_t payload, bool control)
{
    if (control && payload >> 24 & 1) return false;
    return !c->filtered || tw__wse_filter_passes(c, payload, control);
}

/* What a wavelet does at the router that it leaves, besides moving. */
static __attribute__((noinline)) uint32_t side_effects(tw__part *part, uint32_t pe, tw__channel *c,
                                                       uint32_t payload, bool control)
{
    bool ignored = control && payload >> 24 & 1;
    if (c->filtered && c->tx & TW__CSL_RAMP && !ignored) tw__wse_filter_count(c, control);
    return control ? tw__wse_switch_command(part, pe, c, payload) : payload;
}

/* A wavelet of the engine has left channel c: a queue whose next one has this color finds a place now. */
ALWAYS void queue_may_go(tw__router *router, tw__channel *c, bool plain)
{
    tw__lane *lane = tw__wse_lane(c, TW__WSE_R);
    if (!plain) router->stuck = 0;
    if (!lane || !lane->held) return;
    router->stuck = lane->held == TW__WSE_SEVERAL ? 0 : router->stuck & ~(1u << (lane->held - 1));
    lane->held = 0;
}

/* What a wavelet that moved on has used: directions; `full`: the engine's queue has no room for another one. */
typedef struct passage {
    unsigned used;
    bool full;
} passage;

/* Sends a wavelet of channel c that came through `port` on, by directions that are free; false when something is in
 * its way. */
ALWAYS bool forward(tw__part *part, uint32_t pe, tw__router *router, tw__channel *c, unsigned port,
                    uint32_t payload, unsigned flags, passage *way, uint64_t now, bool plain)
{
    unsigned tx = c->tx, links = tx & 15, out = 0;
    if (tx == 0) return false;
    if (links & router->edges || (!plain && router->has_ports)) out = router_outside(part, pe, router, c, links);
    if (links & ~out && !tw__link_room(part, router, c, links & ~out, plain)) return false;
    bool control = flags & TW__WSE_CONTROL;
    int queue = -1; /* that takes it */
    if (tx & TW__CSL_RAMP && delivers(c, payload, control) &&
        (queue = tw__wse_engine_accepts(part, &part->w->pe[pe], c->color)) < 0)
        return false;

    way->used = queue >= 0 ? tx : links;
    way->full = false;
    uint32_t next = payload;
    if (queue >= 0) {
        tw__wse_engine_takes(part, pe, (unsigned)queue, payload, flags & TW__WSE_CONTROL, now);
        const tw__queue *q = part->w->pe[pe].in_queue[queue];
        way->full = q->count == q->depth;
    }
    if (port == TW__WSE_R)
        queue_may_go(router, c, plain);
    else if (plain || !router->has_ports || !tw__wse_port_of(&part->w->pe[pe], port, c->color, false))
        tw__link_give_back(part, router, c, port, plain ? 0 : flags, now);
    if (control | c->filtered) next = side_effects(part, pe, c, payload, control);
    if (links & ~out) {
        c->credit -= tw__each_link[links & ~out] >> 7;
        send_over(part, pe, router, c, links & ~out, next, control, now, plain);
    }
    for (; out; out &= out - 1) over_the_edge(part, pe, c, (unsigned)__builtin_ctz(out), next, control);
    if (flags & TW__WSE_ADVANCE && port == TW__WSE_R) tw__wse_switch_advance(c);
    return true;
}

/* --- what comes ------------------------------------------------------------------------------------------------- */

/* A wavelet that came in this cycle and that nothing of its own color keeps from moving on in it. */
typedef struct arrival {
    uint32_t payload;
    uint8_t port, flags, number;
} arrival;
typedef struct arrivals {
    unsigned count;
    uint32_t came; /* channels that got one into a lane */
    arrival of[TW__WSE_PORTS];
} arrivals;

/* Channels that something has happened to, or several of whose ports take turns at trying. */
static inline uint32_t channels_with_waves(const tw__router *router)
{
    return router->busy & (router->ready | router->retry);
}

static inline bool is_free(const tw__channel *c, unsigned port)
{
    return c->rx >> port & 1 && !(c->waiting | c->suspended);
}

/* The color by which a wavelet goes on; both colors' channels are there afterwards. */
static SELDOM unsigned color_here(tw__part *part, uint32_t pe, const tw__router *router, unsigned sent,
                                  unsigned port)
{
    unsigned color = swapped(router, sent, port);
    if (color != sent) tw__wse_channel_of(part, pe, sent);
    return color;
}

/* From the neighbour behind `port`. */
ALWAYS void arrive(tw__part *part, uint32_t pe, tw__router *router, unsigned port, uint32_t word, uint32_t payload,
                   arrivals *a, bool plain)
{
    unsigned sent = word >> TW__WSE_WAVE_COLOR & 31, color = sent;
    unsigned flags = word & TW__WSE_WAVE_CONTROL ? TW__WSE_CONTROL : 0;
    if (!plain && router->swaps && (color = color_here(part, pe, router, sent, port)) != sent)
        flags |= TW__WSE_SWAPPED;
    tw__channel *c = tw__wse_channel_of(part, pe, color);
    if (!c) return;
    if (is_free(c, port) && (plain || !part->w->options.reference)) {
        a->of[a->count++] =
            (arrival){ payload, (uint8_t)port, (uint8_t)flags, (uint8_t)tw__link_number(router, c) };
        return;
    }
    into_lane(part, pe, router, c, port, payload, flags, false, &a->came);
    if (!(c->rx | c->tx)) unrouted(part, pe, c, port);
}

static void take_hints(tw__router *router, uint32_t colors)
{
    for (; colors; colors &= colors - 1) router->ready |= 1u << (router->channel_of[__builtin_ctz(colors)] - 1u);
}

/* What the neighbours sent two cycles ago. */
ALWAYS void take_arrivals(tw__part *part, uint32_t pe, tw__router *router, tw__slot *slot, arrivals *a, bool plain)
{
    uint64_t pair[2], both;
    memcpy(pair, slot->word, sizeof pair);
    both = pair[0] | pair[1];
    if (!both) return;
    uint32_t hints = (uint32_t)(both | both >> 32) & 0xffffff;
    if (hints) take_hints(router, hints);
    unsigned waves = (unsigned)(pair[0] >> 31 & 1) | (unsigned)(pair[0] >> 62 & 2) | (unsigned)(pair[1] >> 29 & 4) |
                     (unsigned)(pair[1] >> 60 & 8);
    for (; waves; waves &= waves - 1) {
        unsigned port = (unsigned)__builtin_ctz(waves);
        arrive(part, pe, router, port, slot->word[port], slot->payload[port], a, plain);
    }
    memset(slot->word, 0, sizeof slot->word);
}

/* A wavelet has left output queue `queue`: somebody may have waited for that. */
ALWAYS void drop_outgoing(tw__part *part, uint32_t pe, tw__router *router, tw__pe *engine, unsigned queue,
                          uint64_t now)
{
    tw__queue *q = engine->out_queue[queue];
    tw__wse_queue_drop(q, 1);
    if (q->count == 0) router->out_busy &= ~(1u << queue);
    router->out_turn = (uint8_t)((queue + 1) & 31);
    if (engine->out_full >> queue & 1) {
        engine->out_full &= ~(1u << queue);
        tw__wse_queue_changed(engine, q);
        tw__wse_queue_wakes(part, pe, q, now + 1);
    }
    if (engine->flush_pending[1]) tw__wse_wake_engine(part, pe, now + 1);
    if (router->out_busy) tw__wse_wake_place(part->w, router->place, now + 1);
}

/* The first wavelet of an output queue goes to the host or over the network of messages, if that is its way; -1 =
 * it is not, 0 = it is, and not now. */
static SELDOM int goes_elsewhere(tw__part *part, uint32_t pe, tw__router *router, tw__pe *engine, unsigned queue)
{
    tw__wave wave = tw__wse_queue_head(engine->out_queue[queue]);
    if (part->w->has_mail && engine->mail && tw__wse_mail_owns(engine, queue)) {
        if (!tw__wse_mail_sends(part, engine, queue)) return 0;
        drop_outgoing(part, pe, router, engine, queue, part->now);
        tw__wse_mail_send(part, engine, wave.payload);
        return 1;
    }
    tw__port *host = engine->ports ? tw__wse_port_of(engine, TW__WSE_R, wave.color, true) : NULL;
    if (!host) return -1;
    drop_outgoing(part, pe, router, engine, queue, part->now);
    if (!tw__wse_port_put(host, wave.payload, wave.flags & TW__WSE_CONTROL)) part->no_memory = true;
    return 1;
}

/* No room for the first wavelet of a queue: it is looked at again when one of the engine's leaves the channel. */
ALWAYS void hold_queue(tw__router *router, tw__channel *c, unsigned queue)
{
    tw__lane *lane = c ? tw__wse_lane(c, TW__WSE_R) : NULL;
    router->stuck |= 1u << queue;
    if (lane) lane->held = (uint8_t)(lane->held && lane->held != queue + 1 ? TW__WSE_SEVERAL : queue + 1);
}

/* One wavelet from the compute engine's output queues, in turn; colors that the host listens to go there. */
ALWAYS void take_outgoing(tw__part *part, uint32_t pe, tw__router *router, tw__pe *engine, uint32_t queues,
                          arrivals *a, uint64_t now, bool plain)
{
    unsigned turn = router->out_turn;
    uint32_t rest = queues >> turn | queues << (-turn & 31);
    for (; rest; rest &= rest - 1) {
        unsigned queue = ((unsigned)__builtin_ctz(rest) + turn) & 31;
        if (!plain && (part->w->has_mail || engine->ports)) {
            int gone = goes_elsewhere(part, pe, router, engine, queue);
            if (gone > 0) return;
            if (gone == 0) {
                router->stuck |= 1u << queue;
                continue;
            }
        }
        const tw__queue *q = engine->out_queue[queue];
        unsigned head = q->head, color = q->colors[head];
        if (!plain && router->swaps) color = swapped(router, color, TW__WSE_R);
        tw__channel *c = tw__wse_channel_of(part, pe, color);
        if (!c || tw__wse_lane_count(c, TW__WSE_R) >= TW__WSE_DEPTH) {
            hold_queue(router, c, queue);
            continue;
        }
        uint32_t payload = q->payload[head];
        uint8_t flags = q->flags[head];
        drop_outgoing(part, pe, router, engine, queue, now);
        if (is_free(c, TW__WSE_R) && (plain || !part->w->options.reference)) {
            a->of[a->count++] = (arrival){ payload, TW__WSE_R, flags, (uint8_t)tw__link_number(router, c) };
        } else {
            into_lane(part, pe, router, c, TW__WSE_R, payload, flags, false, &a->came);
            if (!(c->rx | c->tx)) unrouted(part, pe, c, TW__WSE_R);
        }
        return;
    }
}

/* Streams of the host into this PE: one wavelet a cycle for each. */
static SELDOM void take_from_host(tw__part *part, uint32_t pe, tw__router *router, tw__pe *engine, uint32_t *came)
{
    for (tw__port *port = engine->ports; port; port = port->next) {
        if (port->out || port->head == port->count) continue;
        uint32_t payload;
        bool control;
        if (port->side == TW__WSE_R) {
            int queue = tw__wse_engine_accepts(part, engine, port->color);
            if (queue < 0) continue;
            tw__wse_port_get(port, &payload, &control);
            tw__wse_engine_takes(part, pe, (unsigned)queue, payload, control ? TW__WSE_CONTROL : 0, part->now);
        } else {
            tw__channel *c = tw__wse_channel_of(part, pe, port->color);
            if (!c || tw__wse_lane_count(c, port->side) >= TW__WSE_DEPTH) continue;
            tw__wse_port_get(port, &payload, &control);
            into_lane(part, pe, router, c, port->side, payload, control ? TW__WSE_CONTROL : 0, false, came);
        }
        if (port->head != port->count) tw__wse_wake(part, pe, part->now + 1);
    }
}

/* Directions that more than one of those that want to move asks for: there the colors have to take turns. */
static unsigned contested(const tw__router *router, const arrivals *a)
{
    unsigned asked = 0, twice = 0;
    for (uint32_t rest = channels_with_waves(router); rest; rest &= rest - 1)
        asked |= router->channel[__builtin_ctz(rest)].tx;
    for (unsigned k = 0; k < a->count; k++) {
        unsigned tx = router->channel[a->of[k].number].tx;
        twice |= asked & tx;
        asked |= tx;
    }
    return twice;
}

/* Most of what comes moves on in the same cycle and needs no place in between: whatever shares no link with anything
 * else. The rest joins those that wait. Returns the channels that moved. */
ALWAYS uint32_t pass_on(tw__part *part, uint32_t pe, tw__router *router, arrivals *a, uint64_t now, bool plain)
{
    bool alone = a->count == 1 && !channels_with_waves(router);
    unsigned shared = alone ? 0 : contested(router, a);
    uint32_t moved = 0;
    for (unsigned k = 0; k < a->count; k++) {
        arrival w = a->of[k];
        tw__channel *c = &router->channel[w.number];
        passage way;
        bool waits = c->tx & shared;
        if (!waits && forward(part, pe, router, c, w.port, w.payload, w.flags, &way, now, plain))
            moved |= 1u << w.number;
        else
            into_lane(part, pe, router, c, w.port, w.payload, w.flags, !waits, &a->came);
    }
    return moved;
}

/* --- what waits ------------------------------------------------------------------------------------------------- */

/* Of the ports with a wavelet the one whose turn it is in this cycle: so that none starves. */
static __attribute__((noinline)) unsigned port_in_turn(unsigned ports, uint64_t now)
{
    unsigned later = ports & ~((2u << (now % TW__WSE_PORTS)) - 1);
    return (unsigned)__builtin_ctz(later ? later : ports);
}

/* Bits from number `turn` on come first, then those below it. */
static inline uint32_t in_turn(uint32_t bits, unsigned turn)
{
    return bits >> turn | bits << (-turn & 31);
}

/* Which channels have wavelets, of which of them something has happened to, and which have a port whose turn has not
 * been: the router's words, kept in registers while channels have their turns. */
typedef struct waits {
    uint32_t busy, ready, retry;
} waits;

/* The next wavelet of this port's lane asks for room in the engine's queue, and no other port's could go instead; the
 * one that has just gone may have turned the color's switch. */
static inline bool surely_waits(const tw__channel *c, const tw__lane *lane, unsigned port)
{
    return c->tx & TW__CSL_RAMP && (c->waiting & c->rx) == 1u << port && !c->filtered &&
           !(tw__lane_flags(lane) & TW__WSE_CONTROL);
}

/* Channel k sends what it can. *again: next cycle may do better. */
ALWAYS bool channel_turn(tw__part *part, uint32_t pe, tw__router *router, unsigned k, uint64_t now, unsigned *used,
                         bool *again, waits *w, bool plain)
{
    tw__channel *c = &router->channel[k];
    uint32_t bit = 1u << k;
    if (c->tx & *used) { /* a direction was taken by another color, next cycle may do */
        *again = true;
        return false;
    }
    unsigned ports = c->suspended ? 0 : c->waiting & c->rx;
    if (w->ready & bit) c->tried = 0;
    if (ports) {
        unsigned port = (unsigned)__builtin_ctz(ports);
        if (ports & (ports - 1)) port = port_in_turn(ports, now);
        tw__lane *lane = c->home == port ? &c->lane : &c->more[port];
        passage way;
        if (forward(part, pe, router, c, port, lane->payload[lane->head], tw__lane_flags(lane), &way, now, plain)) {
            *used |= way.used;
            lane->head = (lane->head + 1) & (TW__WSE_LANE - 1);
            w->ready |= bit;
            if (--lane->count == 0) {
                c->waiting &= (uint8_t)~(1u << port);
                if (c->waiting == 0) w->busy &= ~bit;
            } else if (way.full && surely_waits(c, lane, port)) { /* until the engine's queue has room */
                c->tried = (uint8_t)(1u << port);
                w->ready &= ~bit;
                w->retry &= ~bit;
            }
            return true;
        }
        c->tried |= (uint8_t)(1u << port);
    }
    w->ready &= ~bit;
    w->retry &= ~bit;
    if (ports & ~c->tried) { /* until each port has had its turn */
        w->retry |= bit;
        *again = true;
    }
    return false;
}

/* Colors take turns at the links: the round starts after the one that went first last time. */
ALWAYS uint32_t channels_turn(tw__part *part, uint32_t pe, tw__router *router, uint64_t now, bool *again,
                              bool plain)
{
    unsigned used = 0, turn = router->turn;
    uint32_t moved = 0;
    waits w = { router->busy, router->ready, router->retry };
    for (uint32_t rest = in_turn(w.busy & (w.ready | w.retry), turn); rest; rest &= rest - 1) {
        unsigned k = ((unsigned)__builtin_ctz(rest) + turn) & 31;
        if (channel_turn(part, pe, router, k, now, &used, again, &w, plain)) moved |= 1u << k;
    }
    router->busy = w.busy;
    router->ready = w.ready;
    router->retry = w.retry;
    return moved;
}

/* Channels have moved in this cycle. */
static inline void note_moved(tw__part *part, tw__router *router, uint32_t moved, uint64_t now)
{
    if (part->last < now + 1) part->last = now + 1;
    unsigned k = ((unsigned)__builtin_ctz(in_turn(moved, router->turn)) + router->turn) & 31;
    router->turn = k == TW__CSL_COLORS - 1 ? 0 : (uint8_t)(k + 1);
}

ALWAYS void turn_of(tw__part *part, uint32_t pe, tw__router *router, uint64_t now, uint32_t queues, bool plain)
{
    tw__wse *w = part->w;
    arrivals a;
    a.count = 0;
    a.came = 0;
    bool again = false;
    uint32_t moved = 0;
    take_arrivals(part, pe, router, &router->slot[now & 3], &a, plain);
    if (!plain && w->options.reference) router->ready = UINT32_MAX, router->stuck = 0;
    if (!plain && w->has_mail && w->pe[pe].mail) tw__wse_mail_turn(part, &w->pe[pe]);
    queues &= ~router->stuck;
    if (queues) take_outgoing(part, pe, router, &w->pe[pe], queues, &a, now, plain);
    if (a.count) moved = pass_on(part, pe, router, &a, now, plain);
    if (!plain && router->has_ports) take_from_host(part, pe, router, &w->pe[pe], &a.came);
    if (channels_with_waves(router)) moved |= channels_turn(part, pe, router, now, &again, plain);
    if (moved) note_moved(part, router, moved, now);
    if (!plain && w->options.reference)
        again = false; /* the next turn comes anyway; only what moves keeps a run going */
    if (again || (moved && (channels_with_waves(router) || router->out_busy || (!plain && router->has_ports))))
        tw__wse_wake_place(w, router->place, now + 1);
}

static __attribute__((noinline)) void special_turn(tw__part *part, uint32_t pe, tw__router *router, uint64_t now,
                                                   uint32_t queues)
{
    turn_of(part, pe, router, now, queues, false);
}

void tw__wse_router_turn(tw__part *part, uint32_t pe, uint64_t now, uint32_t queues)
{
    tw__router *router = &part->w->router[pe];
    if (part->w->plain && !(router->has_ports | router->swaps))
        turn_of(part, pe, router, now, queues, true);
    else
        special_turn(part, pe, router, now, queues);
}

/* --- trains ----------------------------------------------------------------------------------------------------- */

/* The port through which a wavelet comes that is no control wavelet, and nothing else; -1 = it is not so. */
static inline int only_port(const tw__slot *slot)
{
    uint32_t any = slot->word[0] | slot->word[1] | slot->word[2] | slot->word[3];
    unsigned ports =
        slot->word[0] >> 31 | slot->word[1] >> 31 << 1 | slot->word[2] >> 31 << 2 | slot->word[3] >> 31 << 3;
    return any & (TW__WSE_WAVE_CONTROL | 0xffffff) || !ports || ports & (ports - 1) ? -1 : __builtin_ctz(ports);
}

bool tw__wse_router_stream(tw__part *part, uint32_t pe, uint64_t now)
{
    tw__wse *w = part->w;
    tw__router *router = &w->router[pe];
    tw__slot *slot[2] = { &router->slot[now & 3], &router->slot[(now + 1) & 3] };
    int from = only_port(slot[0]);
    if (from < 0 || !w->plain || router->has_ports || router->swaps) return false;
    unsigned port = (unsigned)from, color = slot[0]->word[port] >> TW__WSE_WAVE_COLOR & 31;
    if (!router->channel_of[color]) return false;
    tw__channel *c = &router->channel[router->channel_of[color] - 1];
    unsigned links = c->tx & 15;
    if (!c->tx || !is_free(c, port) || c->filtered || links & router->edges) return false;

    part->now = now;
    tw__credit after;
    if (!tw__link_has_two(part, router, c, links, &after)) return false;
    uint32_t payload[2] = { slot[0]->payload[port], slot[1]->payload[port] };
    if (c->tx & TW__CSL_RAMP && !tw__wse_engine_takes_two(part, pe, color, payload, now)) return false;
    tw__link_take(c, &after);
    for (unsigned k = 0; k < 2; k++) {
        part->now = now + k;
        memset(slot[k]->word, 0, sizeof slot[k]->word);
        tw__link_give_back(part, router, c, port, 0, now + k);
        send_over(part, pe, router, c, links, payload[k], false, now + k, true);
    }
    note_moved(part, router, 1u << tw__link_number(router, c), now + 1);
    return true;
}
