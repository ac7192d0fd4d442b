/* router: one cycle of one router. Wavelets wait apart by input port and color; each output link takes one wavelet a
 * cycle; a wavelet leaves when every direction it goes to has room, all copies at once. */
#include "csl/wse/pe/pe.h"

#include <string.h>

tw__channel *tw__wse_make_channel(tw__part *part, uint32_t pe, unsigned color)
{
    tw__router *router = &part->w->router[pe];
    tw__channel *grown = tw__realloc(router->channel, (router->channel_count + 1u) * sizeof *grown);
    if (!grown) {
        part->no_memory = true;
        return NULL;
    }
    router->channel = grown;
    tw__channel *c = &grown[router->channel_count++];
    memset(c, 0, sizeof *c);
    c->color = (uint8_t)color;
    memset(c->credit, TW__WSE_DEPTH, sizeof c->credit);
    router->channel_of[color] = router->channel_count;
    return c;
}

static void into_lane(tw__router *router, tw__channel *c, unsigned port, uint32_t payload, unsigned flags)
{
    tw__lane *lane = &c->lane[port];
    unsigned at = (lane->head + lane->count++) & (TW__WSE_LANE - 1);
    lane->payload[at] = payload;
    lane->flags[at] = (uint8_t)flags;
    c->waiting |= (uint8_t)(1u << port);
    uint32_t bit = 1u << (router->channel_of[c->color] - 1);
    router->busy |= bit;
    router->ready |= bit;
}

/* WSE-2 color swap: a wavelet of color k goes to the partner when the partner's configuration asks for it. */
static unsigned swapped(const tw__router *router, unsigned color, unsigned port)
{
    unsigned partner = color ^ 1;
    if (port == TW__WSE_R || !router->channel_of[partner]) return color;
    const tw__channel *c = &router->channel[router->channel_of[partner] - 1];
    return (port <= TW__WSE_E ? c->swap_x : c->swap_y) ? partner : color;
}

static void arrive(tw__part *part, uint32_t pe, unsigned port, tw__wave wave)
{
    tw__router *router = &part->w->router[pe];
    unsigned color = swapped(router, wave.color, port);
    tw__channel *c = tw__wse_channel_of(part, pe, color);
    if (!c) return;
    unsigned flags = wave.flags | (color != wave.color ? TW__WSE_SWAPPED : 0);
    into_lane(router, c, port, wave.payload, flags);
    if (c->rx == 0 && c->tx == 0 && !c->suspended && !c->complained) {
        c->complained = 1;
        tw__wse_complain(part, pe, TW_WARNING, "wse.unrouted",
                         "a wavelet arrives on color %u, which has no route here", color);
    }
}

static void take_arrivals(tw__part *part, uint32_t pe, tw__router *router, unsigned slot)
{
    for (unsigned port = 0; port < 4; port++) {
        unsigned come = router->come[slot][port];
        if (come & 1) arrive(part, pe, port, router->in[slot][port]);
        if (!(come & 2)) continue;
        for (uint32_t colors = router->credit[slot][port]; colors; colors &= colors - 1) {
            unsigned number = router->channel_of[__builtin_ctz(colors)] - 1u;
            router->channel[number].credit[port]++;
            router->ready |= 1u << number;
        }
        router->credit[slot][port] = 0;
    }
    router->any[slot] = 0;
}

/* One wavelet from the compute engine's output queues, in turn; colors that the host listens to go there. */
static void take_outgoing(tw__part *part, uint32_t pe, tw__router *router, tw__pe *engine)
{
    unsigned turn = router->out_turn;
    uint32_t queues = engine->out_busy & ~router->stuck;
    uint32_t rest = turn ? queues >> turn | queues << (32 - turn) : queues;
    for (; rest; rest &= rest - 1) {
        unsigned queue = ((unsigned)__builtin_ctz(rest) + turn) & 31;
        tw__queue *q = engine->out_queue[queue];
        tw__wave wave = q->ring[q->head];
        tw__port *host = engine->ports ? tw__wse_port_of(engine, TW__WSE_R, wave.color, true) : NULL;
        tw__channel *c = host ? NULL : tw__wse_channel_of(part, pe, wave.color);
        if (!host && (!c || c->lane[TW__WSE_R].count >= TW__WSE_DEPTH)) {
            router->stuck |= 1u << queue;
            continue;
        }
        if (host) {
            if (!tw__wse_port_put(host, wave.payload, wave.flags & TW__WSE_CONTROL)) part->no_memory = true;
        } else {
            into_lane(router, c, TW__WSE_R, wave.payload, wave.flags);
            if (c->rx == 0 && c->tx == 0 && !c->suspended && !c->complained) {
                c->complained = 1;
                tw__wse_complain(part, pe, TW_WARNING, "wse.unrouted",
                                 "the PE sends on color %u, which has no route here", wave.color);
            }
        }
        q->head = (q->head + 1) & 7;
        if (--q->count == 0) engine->out_busy &= ~(1u << queue);
        router->out_turn = (uint8_t)((queue + 1) & 31);
        if (engine->op_active || engine->main_state != TW__MAIN_IDLE || engine->flush_pending[1])
            tw__wse_wake_engine(part, pe, part->now + 1);
        if (engine->out_busy) tw__wse_wake(part, pe, part->now + 1);
        return;
    }
}

/* Streams of the host into this PE: one wavelet a cycle for each. */
static void take_from_host(tw__part *part, uint32_t pe, tw__router *router, tw__pe *engine)
{
    for (tw__port *port = engine->ports; port; port = port->next) {
        if (port->out || port->head == port->count) continue;
        uint32_t payload;
        bool control;
        if (port->side == TW__WSE_R) {
            if (!tw__wse_engine_accepts(part, engine, port->color)) continue;
            tw__wse_port_get(port, &payload, &control);
            tw__wse_engine_takes(part, engine, (tw__wave){ payload, port->color, control ? TW__WSE_CONTROL : 0, 0 },
                                 part->now);
        } else {
            tw__channel *c = tw__wse_channel_of(part, pe, port->color);
            if (!c || c->lane[port->side].count >= TW__WSE_DEPTH) continue;
            tw__wse_port_get(port, &payload, &control);
            into_lane(router, c, port->side, payload, control ? TW__WSE_CONTROL : 0);
        }
        if (port->head != port->count) tw__wse_wake(part, pe, part->now + 1);
    }
}

/* Over the edge of the rectangle: to the host if it listens, else lost, which is worth a word. */
static void over_the_edge(tw__part *part, uint32_t pe, tw__channel *c, unsigned port, uint32_t payload,
                          bool control)
{
    static const char *const names[] = { "west", "east", "south", "north" };
    tw__port *host = tw__wse_port_of(&part->w->pe[pe], port, c->color, true);
    bool ignored = control && payload >> 24 & 1; /* by the core at the host's end, as by any other */
    if (host) {
        if (!ignored && !tw__wse_port_put(host, payload, control)) part->no_memory = true;
    } else if (!c->complained) {
        c->complained = 1;
        tw__wse_complain(part, pe, TW_WARNING, "wse.edge",
                         "wavelets of color %u leave the rectangle to the %s and are lost", c->color, names[port]);
    }
}

/* True when wavelets that leave through link d go to the host: at the edge of the rectangle, or where it listens. */
static bool leaves(tw__part *part, uint32_t pe, const tw__router *router, const tw__channel *c, unsigned d)
{
    const tw__pe *engine = &part->w->pe[pe];
    return router->edges >> d & 1 || (engine->ports && tw__wse_port_of(engine, d, c->color, true));
}

/* Sends one wavelet of channel c from `port` on; false when something is in its way. *again: a link was taken by
 * another color, next cycle may do. */
static bool forward(tw__part *part, uint32_t pe, tw__router *router, tw__channel *c, unsigned port, unsigned *used,
                    bool *again)
{
    tw__lane *lane = &c->lane[port];
    uint32_t payload = lane->payload[lane->head];
    unsigned flags = lane->flags[lane->head], tx = c->tx, links = tx & 15;
    bool control = flags & TW__WSE_CONTROL;
    if (tx == 0) return false;
    if (links & *used) {
        *again = true;
        return false;
    }
    for (unsigned rest = links; rest; rest &= rest - 1) {
        unsigned d = (unsigned)__builtin_ctz(rest);
        if (c->credit[d] == 0 && !leaves(part, pe, router, c, d)) return false;
    }
    bool ignored = control && payload >> 24 & 1;
    bool deliver = tx & TW__CSL_RAMP && !ignored;
    bool passes = deliver && (c->filter.kind == TW__CSL_FILTER_NONE || tw__wse_filter_passes(c, payload, control));
    tw__pe *engine = &part->w->pe[pe];
    if (passes && !tw__wse_engine_accepts(part, engine, c->color)) return false;

    *used |= links;
    if (port == TW__WSE_R) router->stuck = 0;
    lane->head = (lane->head + 1) & (TW__WSE_LANE - 1);
    if (--lane->count == 0) {
        c->waiting &= (uint8_t)~(1u << port);
        if (c->waiting == 0) router->busy &= ~(1u << (router->channel_of[c->color] - 1));
    }
    if (deliver && c->filter.kind != TW__CSL_FILTER_NONE) tw__wse_filter_count(c, control);
    if (passes)
        tw__wse_engine_takes(part, engine, (tw__wave){ payload, c->color, (uint8_t)(flags & TW__WSE_CONTROL), 0 },
                             part->now);
    bool from_host =
        engine->ports && tw__wse_port_of(engine, port, c->color, false); /* it asks, and gets no credits */
    if (port != TW__WSE_R && !(router->edges >> port & 1) && !from_host) {
        uint32_t from = tw__wse_neighbour(part->w, pe, port);
        unsigned color = flags & TW__WSE_SWAPPED ? c->color ^ 1u : c->color;
        tw__router *back = &part->w->router[from];
        back->credit[(part->now + 2) & 3][port ^ 1] |= 1u << color;
        back->come[(part->now + 2) & 3][port ^ 1] |= 2;
        tw__wse_wake_neighbour(part, router, port);
    }
    uint32_t out = control ? tw__wse_switch_command(part, pe, c, payload) : payload;
    for (unsigned rest = links; rest; rest &= rest - 1) {
        unsigned d = (unsigned)__builtin_ctz(rest);
        if (leaves(part, pe, router, c, d)) {
            over_the_edge(part, pe, c, d, out, control);
            continue;
        }
        c->credit[d]--;
        tw__router *next = &part->w->router[tw__wse_neighbour(part->w, pe, d)];
        next->come[(part->now + 2) & 3][d ^ 1] |= 1;
        next->in[(part->now + 2) & 3][d ^ 1] =
            (tw__wave){ out, c->color, (uint8_t)(TW__WSE_VALID | (flags & TW__WSE_CONTROL)), 0 };
        tw__wse_wake_neighbour(part, router, d);
        part->totals.hops++;
        if (part->w->options.trace)
            tw__wse_note(part, pe, part->now, TW__WSE_WAVELET,
                         d | (unsigned)c->color << 8 | (control ? 1u << 16 : 0), out);
        if (part->w->counters) part->w->counters[pe].sent[d]++;
    }
    if (flags & TW__WSE_ADVANCE && port == TW__WSE_R) tw__wse_switch_advance(c);
    return true;
}

void tw__wse_router_turn(tw__part *part, uint32_t pe, uint64_t now)
{
    tw__router *router = &part->w->router[pe];
    tw__pe *engine = &part->w->pe[pe];
    if (router->any[now & 3]) take_arrivals(part, pe, router, now & 3);
    if (engine->out_busy) take_outgoing(part, pe, router, engine);
    if (engine->ports) take_from_host(part, pe, router, engine);
    uint32_t todo = router->busy & router->ready;
    if (!todo) return;
    unsigned used = 0;
    bool again = false, moved = false;
    /* Colors take turns at the links: start after the one that went first last time. */
    uint32_t first = todo & ~((1u << router->turn) - 1), order[2] = { first, todo & ~first };
    for (unsigned half = 0; half < 2; half++) {
        for (uint32_t rest = order[half]; rest; rest &= rest - 1) {
            unsigned k = (unsigned)__builtin_ctz(rest);
            tw__channel *c = &router->channel[k];
            unsigned ports = c->waiting & c->rx;
            bool busy_link = false;
            if (ports && !c->suspended) {
                unsigned port = (unsigned)__builtin_ctz(ports);
                if (ports & (ports - 1)) { /* several sources: in turn, so that none starves */
                    unsigned later = ports & ~((2u << (now % TW__WSE_PORTS)) - 1);
                    if (later) port = (unsigned)__builtin_ctz(later);
                }
                if (forward(part, pe, router, c, port, &used, &busy_link)) {
                    if (!moved) router->turn = (uint8_t)((k + 1) % 24);
                    moved = true;
                    continue;
                }
                /* of several sources another may have its way next cycle */
                busy_link = busy_link || (ports & (ports - 1));
            }
            again = again || busy_link;
            if (!busy_link) router->ready &= ~(1u << k);
        }
    }
    if (again || (moved && ((router->busy & router->ready) || engine->out_busy || engine->ports)))
        tw__wse_wake(part, pe, now + 1);
}
