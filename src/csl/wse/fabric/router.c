/* router: one cycle of one router. Wavelets wait apart by input port and color; each output link takes one wavelet a
 * cycle; a wavelet leaves when every direction it goes to has room, all copies at once. */
#include "csl/wse/pe/pe.h"

#include <string.h>

tw__channel *tw__wse_channel_begin(tw__router *router, unsigned color)
{
    unsigned number = router->channel_count++;
    tw__channel *c = &router->channel[number];
    memset(c, 0, sizeof *c);
    c->color = (uint8_t)color;
    c->number = (uint8_t)number;
    c->home = TW__WSE_NO_PORT;
    c->credit = TW__WSE_DEPTH * 0x01010101u;
    router->channel_of[color] = (uint8_t)(number + 1);
    return c;
}

tw__channel *tw__wse_make_channel(tw__part *part, uint32_t pe, unsigned color)
{
    tw__router *router = &part->w->router[pe];
    if (router->channel_count == router->channel_room) { /* rare, and pieces are not given back: some at a time */
        unsigned room = router->channel_count + 4u;
        tw__channel *grown = tw__wse_piece(part, room * sizeof *grown);
        if (!grown) return NULL;
        if (router->channel_count) memcpy(grown, router->channel, router->channel_count * sizeof *grown);
        router->channel = grown;
        router->channel_room = (uint8_t)room;
    }
    return tw__wse_channel_begin(router, color);
}

static tw__lane *another_lane(tw__part *part, tw__channel *c, unsigned port)
{
    if (c->home == TW__WSE_NO_PORT) {
        c->home = (uint8_t)port;
        return &c->lane;
    }
    if (!c->more) c->more = tw__wse_piece(part, TW__WSE_PORTS * sizeof *c->more);
    return c->more ? &c->more[port] : NULL;
}

/* What the hardware leaves undefined: two directions that the color takes wavelets from, both at once. Here they take
 * turns. */
static void collision(tw__part *part, uint32_t pe, tw__channel *c, unsigned port)
{
    static const char *const from[] = { "WEST", "EAST", "SOUTH", "NORTH", "RAMP" };
    if (c->collided || !(c->rx >> c->came_port & c->rx >> port & 1)) return;
    c->collided = 1;
    tw__wse_complain(
        part, pe, TW_WARNING, "wse.collision",
        "wavelets of color %u arrived from %s and %s in one cycle, and its route takes both: which one "
        "goes first is undefined on hardware",
        c->color, from[c->came_port], from[port]);
}

static void into_lane(tw__part *part, uint32_t pe, tw__router *router, tw__channel *c, unsigned port,
                      uint32_t payload, unsigned flags)
{
    uint32_t now = (uint32_t)part->now;
    if (c->came == now && now && c->came_port != port) collision(part, pe, c, port);
    c->came = now;
    c->came_port = (uint8_t)port;
    tw__lane *lane = c->home == port ? &c->lane : another_lane(part, c, port);
    if (!lane) return;
    unsigned at = (lane->head + lane->count++) & (TW__WSE_LANE - 1);
    lane->payload[at] = payload;
    lane->flags[at] = (uint8_t)flags;
    c->waiting |= (uint8_t)(1u << port);
    router->busy |= 1u << c->number;
    router->ready |= 1u << c->number;
}

/* A wavelet that no route leads on: it waits for one, which is worth a word. */
static void unrouted(tw__part *part, uint32_t pe, tw__channel *c, const char *text)
{
    if (c->suspended || c->complained) return;
    c->complained = 1;
    tw__wse_complain(part, pe, TW_WARNING, "wse.unrouted", text, c->color);
}

/* WSE-2 color swap: a wavelet of color k goes to the partner when the partner's configuration asks for it. */
static unsigned swapped(const tw__router *router, unsigned color, unsigned port)
{
    unsigned partner = color ^ 1;
    if (!router->channel_of[partner]) return color;
    const tw__channel *c = &router->channel[router->channel_of[partner] - 1];
    return (port <= TW__WSE_E ? c->swap_x : c->swap_y) ? partner : color;
}

/* One wavelet from the compute engine's output queues, in turn; colors that the host listens to go there. */
static void take_outgoing(tw__part *part, uint32_t pe, tw__router *router, tw__pe *engine)
{
    unsigned turn = router->out_turn;
    uint32_t queues = router->out_busy & ~router->stuck;
    uint32_t rest = turn ? queues >> turn | queues << (32 - turn) : queues;
    for (; rest; rest &= rest - 1) {
        unsigned queue = ((unsigned)__builtin_ctz(rest) + turn) & 31;
        tw__queue *q = engine->out_queue[queue];
        tw__wave wave = q->ring[q->head];
        tw__port *host = engine->ports ? tw__wse_port_of(engine, TW__WSE_R, wave.color, true) : NULL;
        tw__channel *c = host ? NULL : tw__wse_channel_of(part, pe, wave.color);
        if (!host && (!c || tw__wse_lane_count(c, TW__WSE_R) >= TW__WSE_DEPTH)) {
            router->stuck |= 1u << queue;
            continue;
        }
        if (host) {
            if (!tw__wse_port_put(host, wave.payload, wave.flags & TW__WSE_CONTROL)) part->no_memory = true;
        } else {
            into_lane(part, pe, router, c, TW__WSE_R, wave.payload, wave.flags);
            if (!(c->rx | c->tx)) unrouted(part, pe, c, "the PE sends on color %u, which has no route here");
        }
        q->head = (q->head + 1) & 7;
        engine->out_full &= ~(1u << queue);
        if (--q->count == 0) router->out_busy &= ~(1u << queue);
        router->out_turn = (uint8_t)((queue + 1) & 31);
        if (engine->op_active || engine->main_state != TW__MAIN_IDLE || engine->flush_pending[1])
            tw__wse_wake_engine(part, pe, part->now + 1);
        if (router->out_busy) tw__wse_wake(part, pe, part->now + 1);
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
            int queue = tw__wse_engine_accepts(part, engine, port->color);
            if (queue < 0) continue;
            tw__wse_port_get(port, &payload, &control);
            tw__wse_engine_takes(part, pe, (unsigned)queue,
                                 (tw__wave){ payload, port->color, control ? TW__WSE_CONTROL : 0, 0 }, part->now);
        } else {
            tw__channel *c = tw__wse_channel_of(part, pe, port->color);
            if (!c || tw__wse_lane_count(c, port->side) >= TW__WSE_DEPTH) continue;
            tw__wse_port_get(port, &payload, &control);
            into_lane(part, pe, router, c, port->side, payload, control ? TW__WSE_CONTROL : 0);
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

/* Of these links, those whose wavelets go to the host: at the edge of the rectangle, or where it listens. */
static unsigned outside(tw__part *part, uint32_t pe, const tw__router *router, const tw__channel *c, unsigned links)
{
    unsigned out = links & router->edges;
    for (unsigned rest = router->has_ports ? links & ~out : 0; rest; rest &= rest - 1) {
        unsigned d = (unsigned)__builtin_ctz(rest);
        if (tw__wse_port_of(&part->w->pe[pe], d, c->color, true)) out |= 1u << d;
    }
    return out;
}

/* The router behind `port` gets a place back, unless there is none or the host stands there: it asks instead. */
static inline void give_back(tw__part *part, uint32_t pe, const tw__router *router, const tw__channel *c,
                             unsigned port, unsigned flags)
{
    tw__wse *w = part->w;
    if (port == TW__WSE_R || router->edges >> port & 1) return;
    if (router->has_ports && tw__wse_port_of(&w->pe[pe], port, c->color, false)) return;
    unsigned color = flags & TW__WSE_SWAPPED ? c->color ^ 1u : c->color;
    uint64_t at = part->now + 2;
    w->router[(int32_t)pe + w->pe_step[port]].slot[at & 3].word[port ^ 1] |= 1u << color;
    tw__wse_wake_place(w, router->place + (uint32_t)w->place_step[port], at);
}

static void note_hop(tw__part *part, uint32_t pe, const tw__channel *c, unsigned d, uint32_t payload, bool control)
{
    if (part->w->options.trace)
        tw__wse_note(part, pe, part->now, TW__WSE_WAVELET, d | (unsigned)c->color << 8 | (control ? 1u << 16 : 0),
                     payload);
    if (part->w->counters) part->w->counters[pe].sent[d]++;
}

/* A wavelet of channel c leaves through link d and is at the next router in two cycles. */
static inline void send_over(tw__part *part, uint32_t pe, const tw__router *router, tw__channel *c, unsigned d,
                             uint32_t payload, bool control)
{
    tw__wse *w = part->w;
    c->credit -= 1u << 8 * d;
    uint64_t at = part->now + 2;
    tw__slot *slot = &w->router[(int32_t)pe + w->pe_step[d]].slot[at & 3];
    slot->payload[d ^ 1] = payload;
    slot->word[d ^ 1] |=
        TW__WSE_WAVE_HERE | (control ? TW__WSE_WAVE_CONTROL : 0) | (uint32_t)c->color << TW__WSE_WAVE_COLOR;
    tw__wse_wake_place(w, router->place + (uint32_t)w->place_step[d], at);
    part->totals.hops++;
    if (w->watched) note_hop(part, pe, c, d, payload, control);
}

/* Sends a wavelet of channel c that came through `port` on; false when something is in its way. *again: a link was
 * taken by another color, next cycle may do. */
static inline __attribute__((always_inline)) bool forward(tw__part *part, uint32_t pe, tw__router *router,
                                                          tw__channel *c, unsigned port, uint32_t payload,
                                                          unsigned flags, unsigned *used, bool *again)
{
    unsigned tx = c->tx, links = tx & 15;
    if (tx == 0) return false;
    if (links & *used) {
        *again = true;
        return false;
    }
    unsigned out = links & router->edges || router->has_ports ? outside(part, pe, router, c, links) : 0;
    for (unsigned rest = links & ~out; rest; rest &= rest - 1)
        if (!(c->credit >> 8 * __builtin_ctz(rest) & 0xff)) return false;
    bool control = flags & TW__WSE_CONTROL, deliver = tx & TW__CSL_RAMP && !(control && payload >> 24 & 1);
    int queue = -1; /* that takes it */
    if (deliver && (!c->filtered || tw__wse_filter_passes(c, payload, control)) &&
        (queue = tw__wse_engine_accepts(part, &part->w->pe[pe], c->color)) < 0)
        return false;

    *used |= links;
    if (port == TW__WSE_R) router->stuck = 0;
    if (deliver && c->filtered) tw__wse_filter_count(c, control);
    if (queue >= 0)
        tw__wse_engine_takes(part, pe, (unsigned)queue,
                             (tw__wave){ payload, c->color, (uint8_t)(flags & TW__WSE_CONTROL), 0 }, part->now);
    give_back(part, pe, router, c, port, flags);
    uint32_t next = control ? tw__wse_switch_command(part, pe, c, payload) : payload;
    for (unsigned rest = links & ~out; rest; rest &= rest - 1)
        send_over(part, pe, router, c, (unsigned)__builtin_ctz(rest), next, control);
    for (; out; out &= out - 1) over_the_edge(part, pe, c, (unsigned)__builtin_ctz(out), next, control);
    if (flags & TW__WSE_ADVANCE && port == TW__WSE_R) tw__wse_switch_advance(c);
    return true;
}

/* A wavelet that finds nothing waiting here goes on in the cycle in which it comes, and needs no place in between. */
static bool passes_on(tw__part *part, uint32_t pe, tw__router *router, unsigned port, uint32_t word,
                      uint32_t payload)
{
    unsigned number = router->channel_of[word >> TW__WSE_WAVE_COLOR & 31];
    if (number == 0 || router->swaps | router->has_ports || router->out_busy || router->busy & router->ready)
        return false;
    tw__channel *c = &router->channel[number - 1];
    if (c->waiting || !(c->rx >> port & 1) || c->suspended) return false;
    unsigned used = 0;
    bool again = false;
    if (!forward(part, pe, router, c, port, payload, word & TW__WSE_WAVE_CONTROL ? TW__WSE_CONTROL : 0, &used,
                 &again))
        return false;
    router->turn = number == 24 ? 0 : (uint8_t)number;
    if (router->busy & router->ready || router->out_busy) tw__wse_wake_place(part->w, router->place, part->now + 1);
    return true;
}

static void arrive(tw__part *part, uint32_t pe, tw__router *router, unsigned port, uint32_t word, uint32_t payload)
{
    unsigned sent = word >> TW__WSE_WAVE_COLOR & 31, color = router->swaps ? swapped(router, sent, port) : sent;
    tw__channel *c = tw__wse_channel_of(part, pe, color);
    if (!c) return;
    unsigned flags = (word & TW__WSE_WAVE_CONTROL ? TW__WSE_CONTROL : 0) | (color != sent ? TW__WSE_SWAPPED : 0);
    into_lane(part, pe, router, c, port, payload, flags);
    if (!(c->rx | c->tx)) unrouted(part, pe, c, "a wavelet arrives on color %u, which has no route here");
}

static inline void take_credits(tw__router *router, unsigned port, uint32_t colors)
{
    for (; colors; colors &= colors - 1) {
        unsigned number = router->channel_of[__builtin_ctz(colors)] - 1u;
        router->channel[number].credit += 1u << 8 * port;
        router->ready |= 1u << number;
    }
}

/* What the neighbours sent two cycles ago. */
static void take_arrivals(tw__part *part, uint32_t pe, tw__router *router, tw__slot *slot)
{
    static const tw__slot nothing;
    if (memcmp(slot->word, nothing.word, sizeof slot->word) == 0) return;
    unsigned waves = 0, from = 0;
    for (unsigned port = 0; port < 4; port++) {
        uint32_t word = slot->word[port];
        if (word == 0) continue;
        take_credits(router, port, word & 0xffffff);
        if (word & TW__WSE_WAVE_HERE)
            waves++, from = port;
        else
            slot->word[port] = 0;
    }
    if (waves == 1 && passes_on(part, pe, router, from, slot->word[from], slot->payload[from])) {
        slot->word[from] = 0;
        return;
    }
    for (unsigned port = 0; port < 4 && waves; port++) {
        if (!(slot->word[port] & TW__WSE_WAVE_HERE)) continue;
        arrive(part, pe, router, port, slot->word[port], slot->payload[port]);
        slot->word[port] = 0;
    }
}

/* Of the ports with a wavelet the one whose turn it is in this cycle: so that none starves. */
static unsigned port_in_turn(unsigned ports, uint64_t now)
{
    unsigned later = ports & ~((2u << (now % TW__WSE_PORTS)) - 1);
    return (unsigned)__builtin_ctz(later ? later : ports);
}

/* Channel k sends what it can. *again: next cycle may do better. */
static inline __attribute__((always_inline)) bool
channel_turn(tw__part *part, uint32_t pe, tw__router *router, unsigned k, uint64_t now, unsigned *used, bool *again)
{
    tw__channel *c = &router->channel[k];
    unsigned ports = c->waiting & c->rx;
    bool busy_link = false;
    if (ports && !c->suspended) {
        bool several = ports & (ports - 1);
        unsigned port = several ? port_in_turn(ports, now) : (unsigned)__builtin_ctz(ports);
        tw__lane *lane = c->home == port ? &c->lane : &c->more[port];
        unsigned head = lane->head;
        if (forward(part, pe, router, c, port, lane->payload[head], lane->flags[head], used, &busy_link)) {
            lane->head = (head + 1) & (TW__WSE_LANE - 1);
            if (--lane->count) return true;
            c->waiting &= (uint8_t)~(1u << port);
            if (c->waiting == 0) router->busy &= ~(1u << k);
            return true;
        }
        busy_link |= several; /* another may have its way next cycle */
    }
    if (busy_link)
        *again = true;
    else
        router->ready &= ~(1u << k);
    return false;
}

/* Colors take turns at the links: the round starts after the one that went first last time. */
static bool channels_turn(tw__part *part, uint32_t pe, tw__router *router, uint32_t todo, uint64_t now, bool *again)
{
    unsigned used = 0;
    bool moved = false;
    uint32_t first = todo & ~((1u << router->turn) - 1), order[2] = { first, todo & ~first };
    for (unsigned half = 0; half < 2; half++)
        for (uint32_t rest = order[half]; rest; rest &= rest - 1) {
            unsigned k = (unsigned)__builtin_ctz(rest);
            if (!channel_turn(part, pe, router, k, now, &used, again)) continue;
            if (!moved) router->turn = (uint8_t)((k + 1) % 24);
            moved = true;
        }
    return moved;
}

void tw__wse_router_turn(tw__part *part, uint32_t pe, uint64_t now)
{
    tw__router *router = &part->w->router[pe];
    take_arrivals(part, pe, router, &router->slot[now & 3]);
    if (router->out_busy) take_outgoing(part, pe, router, &part->w->pe[pe]);
    if (router->has_ports) take_from_host(part, pe, router, &part->w->pe[pe]);
    uint32_t todo = router->busy & router->ready;
    if (!todo) return;
    bool again = false, moved;
    if (todo & (todo - 1)) {
        moved = channels_turn(part, pe, router, todo, now, &again);
    } else { /* most often there is one */
        unsigned k = (unsigned)__builtin_ctz(todo), used = 0;
        moved = channel_turn(part, pe, router, k, now, &used, &again);
        if (moved) router->turn = k == 23 ? 0 : (uint8_t)(k + 1);
    }
    if (again || (moved && ((router->busy & router->ready) || router->out_busy || router->has_ports)))
        tw__wse_wake_place(part->w, router->place, now + 1);
}
