/* SPDX-License-Identifier: MIT */
/* switch: switch positions, control commands, filters. Fact sheet 5.2 to 5.4. */
#include "csl/wse/fabric/fabric.h"

#include <string.h>

void tw__wse_switch_advance(tw__channel *c)
{
    if (!c->has_switches) return;
    if (c->position < 3 && c->valid >> c->position & 1)
        c->position++;
    else if (c->ring)
        c->position = 0;
    tw__wse_channel_effect(c);
}

/* The eight 3-bit commands of a control wavelet: opcode, and bit 2 = the compute engine ignores it (fact sheet
 * 4.5). */
static void get_commands(uint32_t payload, uint8_t command[8])
{
    command[0] = payload >> 22 & 7;
    command[1] = payload >> 25 & 7;
    command[2] = (uint8_t)((payload >> 28 & 3) | (payload & 1) << 2);
    for (unsigned k = 3; k < 8; k++) command[k] = payload >> (3 * k - 8) & 7;
}

static uint32_t put_commands(uint32_t payload, const uint8_t command[8])
{
    uint32_t out = payload & 0xc03f0000u; /* entry point and the two unused bits */
    out |= (uint32_t)command[0] << 22 | (uint32_t)command[1] << 25 | (uint32_t)(command[2] & 3) << 28 |
           command[2] >> 2;
    for (unsigned k = 3; k < 8; k++) out |= (uint32_t)command[k] << (3 * k - 8);
    return out;
}

/* Executes the first command at this router and returns the payload that goes on. Routing was done before, by the
 * position that was in force. Places left free by a pop become NOP for the compute engine, too (assumed). */
uint32_t tw__wse_switch_command(tw__part *part, uint32_t pe, tw__channel *c, uint32_t payload)
{
    enum { NOP, ADVANCE, RESET, TEARDOWN };
    uint8_t command[8];
    get_commands(payload, command);
    unsigned opcode = command[0] & 3, before = c->position;
    if (opcode == ADVANCE) tw__wse_switch_advance(c);
    if (opcode == RESET && c->has_switches) {
        c->position = 0;
        tw__wse_channel_effect(c);
    }
    if (opcode == TEARDOWN) {
        c->suspended = 1;
        tw__pe *engine = &part->w->pe[pe];
        if (engine->program && engine->program->teardown[c->color]) {
            engine->teardown_pending |= 1u << c->color;
            tw__wse_wake_engine(part, pe, part->now + 1);
        } else if (engine->program && engine->program->local[29]) { /* a task of the program's own on the id */
            tw__wse_activate(part, engine, 29);
        }
    }
    bool changed = c->position != before;
    bool pop = c->pop == TW__CSL_POP_ALWAYS || (c->pop == TW__CSL_POP_ON_ADVANCE && changed) ||
               (c->pop == TW__CSL_POP_ON_ADVANCE_NOP && (changed || opcode == NOP));
    if (!pop) return payload;
    memmove(command, command + 1, 7);
    command[7] = NOP;
    return put_commands(payload, command);
}

/* --- filters, at delivery to the compute engine only ---------------------------------------------------------- */

bool tw__wse_filter_passes(const tw__channel *c, uint32_t payload, bool control)
{
    const tw__csl_filter *f = &c->filter;
    if (f->kind == TW__CSL_FILTER_RANGE) {
        uint32_t index = payload >> 16;
        return control || (index >= f->min_index && index <= f->max_index);
    }
    if (c->filter_off) return true;
    if (control) {
        if (f->filter_control) return c->counter == f->max_counter;
        if (!f->count_control) return true;
    } else if (!f->count_data) {
        return true;
    }
    return c->counter <= f->max_counter;
}

/* Every wavelet that is on its way to the compute engine counts, passed or not. */
void tw__wse_filter_count(tw__channel *c, bool control)
{
    const tw__csl_filter *f = &c->filter;
    if (f->kind == TW__CSL_FILTER_RANGE || c->filter_off) return;
    if (control ? !f->count_control : !f->count_data) return;
    if (f->kind == TW__CSL_FILTER_COUNTER) {
        c->counter = c->counter == f->limit1 ? 0 : (uint16_t)(c->counter + 1);
        return;
    }
    if (f->has_limit1 && c->counter != c->limit) {
        c->counter++;
        return;
    }
    c->counter = 0; /* sparse: the first limit may be followed by a second one, then the filter is off */
    if (f->has_limit1 && f->has_limit2 && !c->swapped_limit) {
        c->limit = f->limit2;
        c->swapped_limit = 1;
    } else {
        c->filter_off = 1;
    }
}
