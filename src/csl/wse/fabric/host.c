/* SPDX-License-Identifier: MIT */
/* host: streams between the host and PEs, commands, memory. */
#include "csl/wse/fabric/fabric.h"

#include <stdlib.h>
#include <string.h>

static unsigned port_number(unsigned direction)
{
    return direction == TW__CSL_WEST    ? TW__WSE_W
           : direction == TW__CSL_EAST  ? TW__WSE_E
           : direction == TW__CSL_SOUTH ? TW__WSE_S
           : direction == TW__CSL_NORTH ? TW__WSE_N
                                        : TW__WSE_R;
}

static tw__pe *pe_at(const tw__wse *w, unsigned x, unsigned y)
{
    return x < w->width && y < w->height ? &w->pe[(size_t)y * w->width + x] : NULL;
}

tw__port *tw__wse_port_of(const tw__pe *pe, unsigned side, unsigned color, bool out)
{
    for (tw__port *p = pe->ports; p; p = p->next)
        if (p->side == side && p->color == color && p->out == out) return p;
    return NULL;
}

static bool lives_elsewhere(const tw__wse *w, const tw__pe *pe)
{
    return pe && !tw__wse_lives_here(w, (uint32_t)(pe - w->pe));
}

bool tw__wse_is_here(const tw__wse *w, unsigned x, unsigned y)
{
    const tw__pe *pe = pe_at(w, x, y);
    return pe && !lives_elsewhere(w, pe);
}

static tw__port *make_port(tw__wse *w, tw__pe *pe, unsigned side, unsigned color, bool out)
{
    tw__port *port = tw__wse_port_of(pe, side, color, out);
    if (port || color >= TW__CSL_COLORS) return port;
    port = tw__calloc(1, sizeof *port);
    if (!port) return NULL;
    *port = (tw__port){ .next = pe->ports, .side = (uint8_t)side, .color = (uint8_t)color, .out = out };
    pe->ports = port;
    w->router[pe - w->pe].has_ports = 1;
    return port;
}

bool tw__wse_port_put(tw__port *port, uint32_t payload, bool control)
{
    if (port->head == port->count) port->head = port->count = 0;
    if (!tw__grow(&port->words, &port->room, port->count, sizeof *port->words)) return false;
    port->words[port->count++] = payload | (uint64_t)control << 32;
    return true;
}

bool tw__wse_port_get(tw__port *port, uint32_t *payload, bool *control)
{
    if (port->head == port->count) return false;
    uint64_t word = port->words[port->head++];
    *payload = (uint32_t)word;
    *control = word >> 32 & 1;
    return true;
}

bool tw__wse_send(tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color, const uint32_t *words,
                  size_t count, bool control)
{
    tw__pe *pe = pe_at(w, x, y);
    if (lives_elsewhere(w, pe)) return true;
    tw__port *p = pe ? make_port(w, pe, port_number(port), color, false) : NULL;
    if (!p) return false;
    for (size_t k = 0; k < count; k++)
        if (!tw__wse_port_put(p, words[k], control)) return false;
    uint32_t number = (uint32_t)(pe - w->pe);
    tw__wse_wake(tw__wse_part_of(w, number), number, w->now);
    return true;
}

size_t tw__wse_unsent(const tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color)
{
    const tw__pe *pe = pe_at(w, x, y);
    const tw__port *p = pe ? tw__wse_port_of(pe, port_number(port), color, false) : NULL;
    return p ? p->count - p->head : 0;
}

bool tw__wse_listen(tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color)
{
    tw__pe *pe = pe_at(w, x, y);
    if (lives_elsewhere(w, pe)) return true;
    if (!pe || !make_port(w, pe, port_number(port), color, true)) return false;
    uint32_t number = (uint32_t)(pe - w->pe);
    w->router[number].stuck = 0; /* what found no room on its route has a way out now */
    tw__wse_wake(tw__wse_part_of(w, number), number, w->now);
    return true;
}

size_t tw__wse_received(const tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color)
{
    const tw__pe *pe = pe_at(w, x, y);
    const tw__port *p = pe ? tw__wse_port_of(pe, port_number(port), color, true) : NULL;
    return p ? p->count - p->head : 0;
}

size_t tw__wse_take(tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color, uint32_t *words, size_t max)
{
    tw__pe *pe = pe_at(w, x, y);
    tw__port *p = pe ? tw__wse_port_of(pe, port_number(port), color, true) : NULL;
    size_t n = 0;
    bool control;
    while (p && n < max && tw__wse_port_get(p, &words[n], &control)) n++;
    return n;
}

bool tw__wse_launch(tw__wse *w, unsigned x, unsigned y, uint32_t function, const uint64_t *args, unsigned count)
{
    tw__pe *pe = pe_at(w, x, y);
    if (lives_elsewhere(w, pe)) return true;
    if (!pe || !pe->program || function >= pe->program->program->function_count || count > 16) return false;
    if (count != pe->program->program->functions[function].params) return false;
    tw__command *command = tw__calloc(1, sizeof *command);
    if (!command) return false;
    command->function = function;
    command->count = count;
    if (count) memcpy(command->args, args, count * sizeof *args);
    if (pe->commands_end)
        pe->commands_end->next = command;
    else
        pe->commands = command;
    pe->commands_end = command;
    uint32_t number = (uint32_t)(pe - w->pe);
    tw__wse_wake_engine(tw__wse_part_of(w, number), number, w->now);
    return true;
}

unsigned tw__wse_commands(const tw__wse *w, unsigned x, unsigned y)
{
    const tw__pe *pe = pe_at(w, x, y);
    if (!pe || lives_elsewhere(w, pe)) return 0;
    unsigned n = pe->host_running || !pe->stream_open ? 1 : 0;
    for (const tw__command *c = pe->commands; c; c = c->next) n++;
    return n;
}

uint8_t *tw__wse_memory(tw__wse *w, unsigned x, unsigned y)
{
    tw__pe *pe = pe_at(w, x, y);
    if (!pe) return NULL;
    if (lives_elsewhere(w, pe))
        return w->memory + (size_t)(pe - w->pe) * TW__CSL_PE_BYTES; /* as it was last fetched */
    tw__wse_pe_load(pe);
    return pe->memory;
}

uint64_t tw__wse_cycle(const tw__wse *w)
{
    return w->now;
}

void tw__wse_on_print(tw__wse *w, tw__wse_print *print, void *user)
{
    w->print = print;
    w->print_user = user;
}

const tw__wse_counters *tw__wse_profile(const tw__wse *w, unsigned x, unsigned y)
{
    return w->counters && x < w->width && y < w->height ? &w->counters[(size_t)y * w->width + x] : NULL;
}

void tw__wse_add_totals(tw__wse_totals *sum, const tw__wse_totals *t)
{
    sum->hops += t->hops;
    sum->wavelets += t->wavelets;
    sum->scalar_cycles += t->scalar_cycles;
    sum->beats += t->beats;
    sum->tasks += t->tasks;
}

static void hear_totals(void *user, unsigned rank, const char *bytes, size_t size)
{
    tw__wse_totals theirs;
    (void)rank, (void)size;
    memcpy(&theirs, bytes, sizeof theirs);
    tw__wse_add_totals(user, &theirs);
}

tw__wse_totals tw__wse_total(tw__wse *w)
{
    tw__wse_totals sum = { 0 };
    for (unsigned k = 0; k < w->part_count; k++) tw__wse_add_totals(&sum, &w->part[k].totals);
    const tw__wse_totals mine = sum;
    sum = (tw__wse_totals){ 0 };
    tw__wse_gather_all(w, &mine, sizeof mine, hear_totals, &sum);
    return sum;
}
