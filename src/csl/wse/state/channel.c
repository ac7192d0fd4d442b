/* SPDX-License-Identifier: MIT */
/* channel: one color at one router. Fact sheet 5.2. */
#include "csl/wse/state/state.h"

#include <string.h>

tw__channel *tw__wse_channel_begin(tw__router *router, unsigned color)
{
    unsigned number = router->channel_count++;
    tw__channel *c = &router->channel[number];
    memset(c, 0, sizeof *c);
    c->color = (uint8_t)color;
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

/* Sticky: the last position up to the current one that names a side decides it. */
void tw__wse_channel_effect(tw__channel *c)
{
    c->rx = c->base_rx;
    c->tx = c->base_tx;
    for (unsigned k = 0; k < c->position && k < 3; k++) {
        if (!(c->valid >> k & 1)) continue;
        if (c->pos_rx[k]) c->rx = c->pos_rx[k];
        if (c->pos_tx[k]) c->tx = c->pos_tx[k];
    }
}

void tw__wse_channel_route(tw__channel *c, const tw__csl_route *route)
{
    c->base_rx = route->rx;
    c->base_tx = route->tx;
    c->has_switches = route->has_switches;
    c->valid = 0;
    for (unsigned k = 0; k < 3; k++) {
        c->valid |= (uint8_t)((route->valid[k] ? 1u : 0u) << k);
        c->pos_rx[k] = route->pos_rx[k];
        c->pos_tx[k] = route->pos_tx[k];
    }
    c->position = route->current & 3;
    c->ring = route->ring;
    c->pop = route->pop;
    c->suspended = route->teardown;
    c->swap_x = route->swap_x;
    c->swap_y = route->swap_y;
    c->filter = route->filter;
    c->filtered = route->filter.kind != TW__CSL_FILTER_NONE;
    c->counter = route->filter.init_counter;
    c->limit = route->filter.limit1;
    c->filter_off = 0;
    c->swapped_limit = 0;
    tw__wse_channel_effect(c);
}
