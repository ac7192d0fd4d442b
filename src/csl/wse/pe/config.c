/* SPDX-License-Identifier: MIT */
/* config: configuration registers of a PE, by word address. Routes and switches lie where WSE-2 has them (fact sheet
 * 5.7) on both architectures; the rest of the map is ours and is reached by the library <tile_config> only:
 *   0x7e80 + id     priority of a task: 1 = high
 *   0x7ec0 + 8 f    filter of the f-th color with a filter, in order of color: counter, limit1, limit2, max, min
 *   index,
 *                   max index, kind, off
 *   0x7f00, 0x7f01  colors in teardown, low and high; writing ends nothing
 *   0x7f02          main thread priority: 0 medium-low, 1 medium, 2 medium-high, 3 high
 *   0x7f03          mask of the control transform
 *   0x7f04          mask of exceptions: a 0 lets one stop the PE
 *   0x7f05, 0x7f06  input and output queues that @queue_flush found empty; writing ones clears them
 *   0x7f08 ... 0x7f0b  three words of the clock, lowest first; 0 stops it, other values let it run
 *   0x7e40 + q      color of input queue q           0x7e48 + q   of output queue q
 *   0x7f60 + color  outputs of switch positions that set both sides, in the fields of 0x7f40
 *   0x7f10 + q      wavelets in input queue q        0x7f18 + q   in output queue q
 *   0x7f20 + color  routes                           0x7f40 + color   switches */
#include "csl/wse/pe/pe.h"

#include <string.h>

enum {
    ROUTES = 0x7f20,
    SWITCHES = 0x7f40,
    FILTERS = 0x7ec0,
    PRIORITIES = 0x7e80,
    QUEUES_IN = 0x7f10,
    QUEUES_OUT = 0x7f18,
    OUTPUTS = 0x7f60,
    COLORS_IN = 0x7e40,
    COLORS_OUT = 0x7e48,
    EXCEPTIONS = 0x7f04,
    FLUSHED = 0x7f05,
    CLOCK = 0x7f08,
    CLOCK_CONTROL = 0x7f0b,
    FIRST = 0x7e00,
    TEARDOWN = 1 << 14
};

/* WSE-2 register of routes: outputs W E S N RAMP, inputs the same, swap N/S, swap E/W, pop mode, teardown. The bits
 * of our masks have the same order. */
static uint16_t get_routes(const tw__channel *c)
{
    return (uint16_t)(c->base_tx | c->base_rx << 5 | (c->swap_y ? 1 << 10 : 0) | (c->swap_x ? 1 << 11 : 0) |
                      c->pop << 12 | (c->suspended ? TEARDOWN : 0));
}

static void set_routes(tw__channel *c, uint16_t value)
{
    c->base_tx = value & 31;
    c->base_rx = value >> 5 & 31;
    c->swap_y = value >> 10 & 1;
    c->swap_x = value >> 11 & 1;
    c->pop = value >> 12 & 3;
    c->suspended = (value & TEARDOWN) != 0;
    tw__wse_channel_effect(c);
}

/* Register of switches: three fields of direction (0 W, 1 E, 2 S, 3 N, 4 RAMP, 5 invalid) and side (1 = input). A
 * position that sets both sides, or several outputs, reads as its input or first output; an invalid one keeps its
 * side. */
static uint16_t get_switches(const tw__channel *c)
{
    unsigned value = (unsigned)c->position << 13 | (c->ring ? 1u << 12 : 0);
    for (unsigned k = 0; k < 3; k++) {
        unsigned mask = c->pos_rx[k] ? c->pos_rx[k] : c->pos_tx[k], field = 5 | (c->sides >> k & 1) << 3;
        if (c->valid >> k & 1 && mask) field = (unsigned)__builtin_ctz(mask) | (c->pos_rx[k] ? 8u : 0);
        value |= field << 4 * k;
    }
    return (uint16_t)value;
}

static void set_switches(tw__channel *c, uint16_t value)
{
    unsigned before = get_switches(c);
    c->position = value >> 13 & 3;
    c->ring = value >> 12 & 1;
    c->has_switches = 1;
    for (unsigned k = 0; k < 3; k++) {
        unsigned field = value >> 4 * k & 15, direction = field & 7;
        if (field == (before >> 4 * k & 15)) continue; /* keeps what the register cannot show */
        c->valid &= (uint8_t)~(1u << k);
        c->sides &= (uint8_t)~(1u << k);
        c->sides |= (uint8_t)((field >> 3) << k);
        c->pos_rx[k] = c->pos_tx[k] = 0;
        if (direction > 4) continue;
        c->valid |= (uint8_t)(1u << k);
        if (field & 8)
            c->pos_rx[k] = (uint8_t)(1u << direction);
        else
            c->pos_tx[k] = (uint8_t)(1u << direction);
    }
    tw__wse_channel_effect(c);
}

/* Outputs of positions: 5 = none, or the position sets one side only. */
static uint16_t get_outputs(const tw__channel *c)
{
    unsigned value = 0;
    for (unsigned k = 0; k < 3; k++)
        value |= (c->pos_rx[k] && c->pos_tx[k] ? (unsigned)__builtin_ctz(c->pos_tx[k]) : 5u) << 4 * k;
    return (uint16_t)value;
}

static void set_outputs(tw__channel *c, uint16_t value)
{
    for (unsigned k = 0; k < 3; k++) {
        unsigned direction = value >> 4 * k & 7;
        if (c->pos_rx[k]) c->pos_tx[k] = direction <= 4 ? (uint8_t)(1u << direction) : 0;
    }
    tw__wse_channel_effect(c);
}

static tw__channel *filtered(tw__part *part, uint32_t pe, unsigned number)
{
    tw__router *router = &part->w->router[pe];
    for (unsigned color = 0; color < TW__CSL_COLORS; color++) {
        if (!router->channel_of[color]) continue;
        tw__channel *c = &router->channel[router->channel_of[color] - 1];
        if (c->filter.kind != TW__CSL_FILTER_NONE && number-- == 0) return c;
    }
    return NULL;
}

static uint16_t *filter_word(tw__channel *c, unsigned word)
{
    uint16_t *words[8] = { &c->counter,
                           &c->limit,
                           &c->filter.limit2,
                           &c->filter.max_counter,
                           &c->filter.min_index,
                           &c->filter.max_index,
                           NULL,
                           NULL };
    return words[word];
}

static uint16_t get_filter(tw__part *part, uint32_t pe, unsigned at)
{
    tw__channel *c = filtered(part, pe, at / 8);
    if (!c) return 0;
    if (at % 8 == 6) return c->filter.kind;
    return at % 8 == 7 ? c->filter_off : *filter_word(c, at % 8);
}

static void set_filter(tw__part *part, uint32_t pe, unsigned at, uint16_t value)
{
    tw__channel *c = filtered(part, pe, at / 8);
    if (!c || at % 8 == 6) return;
    if (at % 8 == 7)
        c->filter_off = value != 0;
    else
        *filter_word(c, at % 8) = value;
    if (at % 8 == 1) c->filter.limit1 = value;
}

static uint32_t torn_down(const tw__router *router)
{
    uint32_t mask = 0;
    for (unsigned k = 0; k < router->channel_count; k++)
        if (router->channel[k].suspended) mask |= 1u << router->channel[k].color;
    return mask;
}

/* The counter: cycles since it was reset, standing still while disabled; 48 bits. */
uint64_t tw__wse_tsc(const tw__pe *pe, uint64_t clock)
{
    return (pe->tsc_on ? clock - pe->tsc_base : pe->tsc_base) & 0xffffffffffffull;
}

void tw__wse_tsc_set(tw__pe *pe, uint64_t clock, uint64_t value)
{
    pe->tsc_base = pe->tsc_on ? clock - value : value;
}

void tw__wse_tsc_switch(tw__pe *pe, uint64_t clock, bool on)
{
    uint64_t value = tw__wse_tsc(pe, clock);
    pe->tsc_on = on;
    tw__wse_tsc_set(pe, clock, value);
}

static void set_clock(tw__part *part, tw__pe *pe, unsigned word, uint16_t value)
{
    unsigned shift = 16 * (word - CLOCK);
    uint64_t now = tw__wse_tsc(pe, part->now);
    if (word == CLOCK_CONTROL)
        tw__wse_tsc_switch(pe, part->now, value != 0);
    else
        tw__wse_tsc_set(pe, part->now, (now & ~(0xffffull << shift)) | (uint64_t)value << shift);
}

uint16_t tw__wse_config_get(tw__part *part, tw__pe *pe, uint16_t word)
{
    uint32_t number = tw__wse_pe_number(part, pe);
    const tw__router *router = &part->w->router[number];
    if (word >= ROUTES && word < ROUTES + TW__CSL_COLORS) {
        tw__channel *c = tw__wse_channel_of(part, number, word - ROUTES);
        return c ? get_routes(c) : 0;
    }
    if (word >= SWITCHES && word < SWITCHES + TW__CSL_COLORS) {
        tw__channel *c = tw__wse_channel_of(part, number, word - SWITCHES);
        return c ? get_switches(c) : 0;
    }
    if (word >= OUTPUTS && word < OUTPUTS + TW__CSL_COLORS) {
        tw__channel *c = tw__wse_channel_of(part, number, word - OUTPUTS);
        return c ? get_outputs(c) : 0;
    }
    if (word >= FILTERS && word < FILTERS + 64) return get_filter(part, number, word - FILTERS);
    if (word >= PRIORITIES && word < PRIORITIES + 64) return pe->high_priority >> (word - PRIORITIES) & 1;
    if (word >= QUEUES_IN && word < QUEUES_IN + 8)
        return pe->in_queue[word - QUEUES_IN] ? pe->in_queue[word - QUEUES_IN]->count : 0;
    if (word >= QUEUES_OUT && word < QUEUES_OUT + 8)
        return pe->out_queue[word - QUEUES_OUT] ? pe->out_queue[word - QUEUES_OUT]->count : 0;
    if (word == 0x7f00) return (uint16_t)torn_down(router);
    if (word == 0x7f01) return (uint16_t)(torn_down(router) >> 16);
    if (word == 0x7f02) return pe->main_priority;
    if (word == 0x7f03) return pe->transform_mask;
    if (word == EXCEPTIONS) return (uint16_t)(~0u ^ pe->unmasked);
    if (word == FLUSHED || word == FLUSHED + 1) return pe->flushed[word - FLUSHED];
    if (word >= CLOCK && word < CLOCK_CONTROL) return (uint16_t)(tw__wse_tsc(pe, part->now) >> 16 * (word - CLOCK));
    if (word == CLOCK_CONTROL) return pe->tsc_on;
    if (word >= COLORS_IN && word < COLORS_OUT + 8) {
        const tw__queue *q = (word < COLORS_OUT ? pe->in_queue : pe->out_queue)[word & 7];
        return q ? q->color : TW__CSL_NO_ID;
    }
    return pe->config && word >= FIRST && word < FIRST + 512 ? pe->config[word - FIRST] : 0;
}

static void bind_queue(tw__part *part, tw__pe *pe, unsigned queue, unsigned color, bool output)
{
    if (color >= TW__CSL_COLORS)
        tw__wse_misuse(part, pe, "wse.config", "queue %u cannot be bound to color %u", queue, color);
    else if (tw__wse_queue_bind(part, pe, queue, color, output))
        (output ? pe->out_queue : pe->in_queue)[queue]->initialised = 1;
}

void tw__wse_config_set(tw__part *part, tw__pe *pe, uint16_t word, uint16_t value)
{
    uint32_t number = tw__wse_pe_number(part, pe);
    static void (*const banks[])(tw__channel *c, uint16_t value) = { set_routes, set_switches, set_outputs };
    unsigned bank = (word - ROUTES) / 32u, color = (word - ROUTES) % 32u;
    if (word >= ROUTES && bank < sizeof banks / sizeof *banks && color < TW__CSL_COLORS) {
        tw__channel *c = tw__wse_channel_of(part, number, color);
        if (!c) return;
        banks[bank](c, value);
        part->w->router[number].swaps |= c->swap_x | c->swap_y;
        part->w->router[number].ready = UINT32_MAX; /* wavelets that waited for this route */
        tw__wse_wake(part, number, part->now + 1);
    } else if (word >= FILTERS && word < FILTERS + 64) {
        set_filter(part, number, word - FILTERS, value);
        part->w->router[number].ready = UINT32_MAX; /* what was held back may be filtered out now */
        tw__wse_wake(part, number, part->now + 1);
    } else if (word >= PRIORITIES && word < PRIORITIES + 64) {
        uint64_t bit = 1ull << (word - PRIORITIES);
        pe->high_priority = value ? pe->high_priority | bit : pe->high_priority & ~bit;
    } else if (word == 0x7f02) {
        pe->main_priority = value & 3;
    } else if (word == 0x7f03) {
        pe->transform_mask = value & 63;
    } else if (word == EXCEPTIONS) {
        pe->unmasked = (uint8_t)~value;
        tw__wse_exceptions_clear(); /* what was raised before does not count */
    } else if (word == FLUSHED || word == FLUSHED + 1) {
        pe->flushed[word - FLUSHED] &= (uint8_t)~value;
        pe->flush_pending[word - FLUSHED] &= (uint8_t)~value;
    } else if (word >= CLOCK && word <= CLOCK_CONTROL) {
        set_clock(part, pe, word, value);
    } else if (word >= COLORS_IN && word < COLORS_OUT + 8) {
        bind_queue(part, pe, word & 7, value, word >= COLORS_OUT);
    } else if (word >= FIRST && word < FIRST + 512) {
        tw__wse_misuse(part, pe, "wse.config", "configuration register 0x%04x has no model: it is plain storage",
                       word);
        if (!pe->config) pe->config = tw__calloc(512, sizeof *pe->config);
        if (pe->config)
            pe->config[word - FIRST] = value;
        else
            part->no_memory = true;
    } else {
        tw__wse_misuse(part, pe, "wse.config", "word address 0x%04x is no configuration register", word);
    }
}
