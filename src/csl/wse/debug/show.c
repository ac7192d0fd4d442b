/* SPDX-License-Identifier: MIT */
/* show: the state of a PE in lines - tasks, operations, queues, routes, wavelets on their way, DSRs, FIFOs. */
#include "csl/wse/debug/value.h"

#include <stdlib.h>
#include <string.h>

typedef struct show {
    tw__wse *w;
    uint32_t number;
    unsigned frame;
    const tw__pe *pe;
    const tw__csl_program *p; /* NULL: no code */
    GString *out;
} show;

static const char *const ports[] = { "west", "east", "south", "north", "ramp" };

static void show_at(show *s, uint32_t file, uint32_t line)
{
    if (line) g_string_append_printf(s->out, " at %s:%u", tw__csl_file_name(s->w->image, file), line);
}

static void put_code_place(show *s, uint32_t at)
{
    tw__csl_line l;
    if (s->p && tw__csl_program_line(s->p, at, &l)) show_at(s, l.file, l.line);
}

/* --- the PE and its tasks -------------------------------------------------------------------------------------- */

static unsigned task_row(const tw__pe *pe)
{
    const tw__decoded *d = pe->program;
    unsigned id = pe->task_id & 63u;
    return d->local[id] ? d->local[id] : d->data[id] ? d->data[id] : d->control[id];
}

static void show_pe(show *s)
{
    static const char *const states[] = { "idle",
                                          "runs",
                                          "waits in an operation",
                                          "waits in @map",
                                          "waits to begin an operation",
                                          "stopped by a fault" };
    const tw__pe *pe = s->pe;
    if (!s->p) {
        g_string_append(s->out, "no code: it only routes\n");
        return;
    }
    g_string_append_printf(s->out, "%s, %s", s->p->name, states[pe->main_state]);
    if (pe->main_state != TW__MAIN_IDLE) {
        uint32_t at;
        unsigned row = pe->task_id == TW__WSE_HOST_TASK ? 0 : task_row(pe);
        if (pe->task_id == TW__WSE_HOST_TASK)
            g_string_append(s->out, ", the host's command");
        else
            g_string_append_printf(s->out, ", task %u%s%s%s", pe->task_id, row ? " '" : "",
                                   row ? s->p->functions[s->p->tasks[row - 1].function].name : "", row ? "'" : "");
        if (tw__wse_pc(s->w, s->number, &at)) put_code_place(s, at);
    }
    if (pe->main_state == TW__MAIN_RUN && pe->main_busy > s->w->now + 2)
        g_string_append_printf(s->out, ", done up to cycle %llu", (unsigned long long)pe->main_busy);
    if (pe->op_active)
        g_string_append_printf(s->out, ", %d operation(s) in microthreads", __builtin_popcount(pe->op_active));
    g_string_append_c(s->out, '\n');
}

static void show_tasks(show *s)
{
    static const char *const kinds[] = { "local", "data", "control" };
    for (size_t k = 0; s->p && k < s->p->task_count; k++) {
        const tw__csl_task *t = &s->p->tasks[k];
        const tw__csl_function_code *f = &s->p->functions[t->function];
        bool blocked = s->pe->blocked >> t->id & 1, counts = t->kind != TW__CSL_TASK_CONTROL;
        bool runs = s->pe->main_state != TW__MAIN_IDLE && s->pe->task_id == t->id && task_row(s->pe) == k + 1;
        g_string_append_printf(s->out, "%-7s %2u  %s%s%s%s", kinds[t->kind], t->id, f->name, runs ? ", runs" : "",
                               t->kind == TW__CSL_TASK_LOCAL && s->pe->active >> t->id & 1 ? ", active" : "",
                               counts && blocked ? ", blocked" : "");
        show_at(s, f->file, f->line);
        g_string_append_c(s->out, '\n');
    }
    unsigned commands = tw__wse_commands(s->w, s->number % s->w->width, s->number / s->w->width);
    if (commands) g_string_append_printf(s->out, "%u command(s) of the host are not over\n", commands);
}

/* --- queues ---------------------------------------------------------------------------------------------------- */

static void put_wavelets(GString *out, const tw__queue *q)
{
    for (unsigned k = 0; k < q->count; k++) {
        unsigned at = (q->head + k) & (TW__WSE_RING - 1u);
        g_string_append_printf(out, "%s0x%08x%s", k ? " " : ": ", q->payload[at],
                               q->flags[at] & TW__WSE_CONTROL ? " (control)" : "");
    }
}

static void show_queues(show *s)
{
    for (unsigned side = 0; side < 2; side++)
        for (unsigned k = 0; k < TW__WSE_DIRECT + TW__CSL_COLORS; k++) {
            const tw__queue *q = (side ? s->pe->out_queue : s->pe->in_queue)[k];
            if (!q) continue;
            if (k < TW__WSE_DIRECT)
                g_string_append_printf(s->out, "%s queue %u: color %u", side ? "output" : "input", k, q->color);
            else
                g_string_append_printf(s->out, "color %u without a queue, %s", q->color, side ? "out" : "in");
            g_string_append_printf(s->out, ", %u of %u wavelet(s)", q->count, q->depth);
            put_wavelets(s->out, q);
            if (q->op)
                g_string_append_printf(s->out, ", used by %s",
                                       q->op - 1u == TW__WSE_MAIN ? "the main thread" : "microthread ");
            if (q->op && q->op - 1u < TW__WSE_MAIN) g_string_append_printf(s->out, "%u", q->op - 1u);
            g_string_append_c(s->out, '\n');
        }
}

/* --- operations ------------------------------------------------------------------------------------------------ */

static void show_operand(show *s, const tw__op *op, unsigned k)
{
    static const char *const names[] = { "to", "from", "from", "from" };
    const tw__opnd *o = &op->arg[k];
    const tw__queue *q = o->kind == TW__O_IN    ? s->pe->in_queue[o->queue]
                         : o->kind == TW__O_OUT ? s->pe->out_queue[o->queue]
                                                : NULL;
    uint32_t at = op->straight && o->kind == TW__O_MEM ? op->at : o->at;
    switch (o->kind) {
    case TW__O_MEM: g_string_append_printf(s->out, ", %s 0x%04x on", names[k], at); break;
    case TW__O_WALK: g_string_append_printf(s->out, ", %s memory in several dimensions", names[k]); break;
    case TW__O_IN:
    case TW__O_OUT:
        g_string_append_printf(s->out, ", %s color %u", names[k], q->color);
        if (o->queue < TW__WSE_DIRECT) g_string_append_printf(s->out, " (queue %u)", o->queue);
        break;
    case TW__O_FIFO: g_string_append_printf(s->out, ", %s FIFO '%s'", names[k], s->p->fifos[o->fifo].name); break;
    default: break;
    }
}

static void show_operations(show *s)
{
    for (unsigned slot = 0; slot <= TW__WSE_MAIN; slot++) {
        const tw__op *op = s->pe->op[slot];
        bool active = slot == TW__WSE_MAIN ? s->pe->main_state == TW__MAIN_OP : s->pe->op_active >> slot & 1;
        if (!active || !op) continue;
        if (slot == TW__WSE_MAIN)
            g_string_append(s->out, "main thread: ");
        else
            g_string_append_printf(s->out, "microthread %u: ", slot);
        g_string_append_printf(s->out, "@%s", tw__csl_dsd_op_rows[op->code].builtin);
        put_code_place(s, op->pc);
        if (op->length == TW__CSL_UNBOUNDED)
            g_string_append_printf(s->out, ", %u elements done", op->done);
        else
            g_string_append_printf(s->out, ", %u of %u elements done", op->done, op->length);
        for (unsigned k = 0; k < 4; k++) show_operand(s, op, k);
        if (slot < TW__WSE_MAIN && s->pe->ut_blocked >> slot & 1) g_string_append(s->out, ", blocked");
        g_string_append_c(s->out, '\n');
    }
}

/* --- routes and wavelets --------------------------------------------------------------------------------------- */

static void put_ports(GString *out, unsigned mask)
{
    if (!mask) g_string_append(out, "nowhere");
    for (unsigned port = 0, n = 0; port < TW__WSE_PORTS; port++)
        if (mask >> port & 1) g_string_append_printf(out, "%s%s", n++ ? ", " : "", ports[port]);
}

static void show_routes(show *s)
{
    static const char *const pops[] = { "", ", pops always", ", pops on advance", ", pops on advance and nop" };
    static const char *const filters[] = { "", ", filter by range", ", filter by counter", ", sparse filter" };
    const tw__router *router = &s->w->router[s->number];
    for (unsigned k = 0; k < router->channel_count; k++) {
        const tw__channel *c = &router->channel[k];
        g_string_append_printf(s->out, "color %u: from ", c->color);
        put_ports(s->out, c->rx);
        g_string_append(s->out, " to ");
        put_ports(s->out, c->tx);
        if (c->has_switches)
            g_string_append_printf(s->out, ", switch position %u%s%s", c->position, c->ring ? " of a ring" : "",
                                   pops[c->pop & 3]);
        if (c->filtered && !c->filter_off)
            g_string_append_printf(s->out, "%s, counter %u", filters[c->filter.kind & 3], c->counter);
        if (c->suspended) g_string_append(s->out, ", in teardown");
        const tw__csl_route *route = tw__wse_route_of(s->w, s->number, c->color);
        if (route) show_at(s, route->file, route->line);
        g_string_append_c(s->out, '\n');
    }
}

static void put_lane(show *s, const tw__channel *c, unsigned port)
{
    const tw__lane *lane = c->home == port ? &c->lane : c->more ? &c->more[port] : NULL;
    if (!lane || !lane->count) return;
    g_string_append_printf(s->out, "color %u from %s, in the router:", c->color, ports[port]);
    for (unsigned k = 0; k < lane->count; k++) {
        unsigned at = (lane->head + k) & (TW__WSE_LANE - 1u);
        bool control = lane->flags >> (4 * at) & TW__WSE_CONTROL;
        g_string_append_printf(s->out, " 0x%08x%s", lane->payload[at], control ? " (control)" : "");
    }
    g_string_append_c(s->out, '\n');
}

/* What waits in the router, and what is on a link to it. */
static void show_flight(show *s)
{
    const tw__router *router = &s->w->router[s->number];
    for (unsigned k = 0; k < router->channel_count; k++)
        for (unsigned port = 0; port < TW__WSE_PORTS; port++) put_lane(s, &router->channel[k], port);
    for (uint64_t at = s->w->now; at < s->w->now + 4; at++)
        for (unsigned port = 0; port < TW__WSE_R; port++) {
            const tw__slot *slot = &router->slot[at & 3];
            if (!(slot->word[port] & TW__WSE_WAVE_HERE)) continue;
            g_string_append_printf(s->out, "color %u from %s, on the link: 0x%08x%s\n",
                                   slot->word[port] >> TW__WSE_WAVE_COLOR & 31, ports[port], slot->payload[port],
                                   slot->word[port] & TW__WSE_WAVE_CONTROL ? " (control)" : "");
        }
}

/* --- DSRs, FIFOs ----------------------------------------------------------------------------------------------- */

static void show_dsrs(show *s)
{
    static const char *const files[] = { "dest", "src0", "src1" };
    for (unsigned k = 0; s->p && s->pe->dsr && k < TW__CSL_DSR_FILES * TW__CSL_DSRS; k++) {
        const tw__dsr *d = &s->pe->dsr[k];
        if (!d->loaded) continue;
        g_string_append_printf(s->out, "%s %u: ", files[k / TW__CSL_DSRS], k % TW__CSL_DSRS);
        tw__wse_put_dsd(s->out, s->w, s->number, &d->dsd);
        if (d->async) g_string_append(s->out, ", asynchronous");
        if (d->ut != TW__CSL_NO_ID) g_string_append_printf(s->out, ", microthread %u", d->ut);
        g_string_append_c(s->out, '\n');
    }
}

static void show_fifos(show *s)
{
    for (size_t k = 0; s->p && s->pe->fifo && k < s->p->fifo_count; k++) {
        const tw__csl_fifo *f = &s->p->fifos[k];
        const tw__fifo_state *state = &s->pe->fifo[k];
        unsigned size = f->elem_bytes ? f->elem_bytes : 2;
        uint32_t room = f->bytes, count = state->count / size;
        g_string_append_printf(s->out, "%s: %u of %u element(s)", f->name ? f->name : "?", count, f->bytes / size);
        for (uint32_t i = 0; i < count && i < 16 && room; i++) {
            uint64_t bits = 0;
            memcpy(&bits, s->pe->memory + f->address + (state->head + i * size) % room, size);
            g_string_append_printf(s->out, "%s0x%0*llx", i ? " " : ": ", (int)(2 * size), (unsigned long long)bits);
        }
        g_string_append_printf(s->out, "%s\n", count > 16 ? " ..." : "");
    }
}

/* --- variables ------------------------------------------------------------------------------------------------- */

static void show_variables(show *s)
{
    for (size_t k = 0; s->p && k < s->p->symbol_count; k++) {
        const tw__csl_symbol *v = &s->p->symbols[k];
        g_string_append_printf(s->out, "0x%04x  %s: %s", v->address, v->name, v->type_text);
        show_at(s, v->file, v->line);
        g_string_append_c(s->out, '\n');
    }
}

static void show_registers(show *s)
{
    tw__wse_frame f;
    if (!tw__wse_frame_at(s->w, s->number, s->frame, &f)) return;
    int function = tw__csl_program_function_at(s->p, f.at);
    uint32_t count = function < 0 ? 0 : s->p->functions[function].registers;
    for (uint32_t k = 0; k < count && f.base + k < s->pe->reg_room; k++)
        g_string_append_printf(s->out, "r%-3u 0x%016llx%c", k, (unsigned long long)s->pe->regs[f.base + k],
                               k % 4 == 3 || k + 1 == count ? '\n' : ' ');
}

static void show_text(show *s, char *text)
{
    if (text) g_string_append(s->out, text);
    free(text);
}

/* The last error that names this PE. */
static void show_fault(show *s, unsigned x, unsigned y)
{
    g_autofree char *name = g_strdup_printf("(PE %u,%u,", x, y);
    for (size_t i = tw_diags_count(s->w->diags, TW_NOTE); i-- > 0;) {
        const tw_diag *d = tw_diags_get(s->w->diags, i);
        if (d->severity != TW_ERROR || !strstr(d->message, name)) continue;
        g_string_append_printf(s->out, "PE %u,%u stopped", x, y);
        if (d->line) g_string_append_printf(s->out, " at %s:%u", d->file, d->line);
        g_string_append_printf(s->out, ": %s\n", d->message);
        return;
    }
}

static void show_why(show *s)
{
    unsigned x = s->number % s->w->width, y = s->number / s->w->width;
    if (s->pe->main_state == TW__MAIN_FAULT)
        show_fault(s, x, y);
    else
        show_text(s, tw__wse_why(s->w, x, y));
}

static void show_locals(show *s)
{
    char *text = tw__wse_locals(s->w, s->number, s->frame);
    g_string_append(s->out, text);
    g_free(text);
}

char *tw__wse_show(tw__wse *w, uint32_t pe, unsigned frame, tw__wse_view view)
{
    static void (*const views[TW__WSE_VIEWS])(show *) = {
        [TW__WSE_VIEW_PE] = show_pe,
        [TW__WSE_VIEW_TASKS] = show_tasks,
        [TW__WSE_VIEW_QUEUES] = show_queues,
        [TW__WSE_VIEW_OPERATIONS] = show_operations,
        [TW__WSE_VIEW_ROUTES] = show_routes,
        [TW__WSE_VIEW_FLIGHT] = show_flight,
        [TW__WSE_VIEW_DSRS] = show_dsrs,
        [TW__WSE_VIEW_FIFOS] = show_fifos,
        [TW__WSE_VIEW_WHY] = show_why,
        [TW__WSE_VIEW_LOCALS] = show_locals,
        [TW__WSE_VIEW_VARIABLES] = show_variables,
        [TW__WSE_VIEW_REGISTERS] = show_registers,
    };
    show s = { .w = w, .number = pe, .frame = frame, .pe = &w->pe[pe], .out = g_string_new(NULL) };
    if (s.pe->program) s.p = s.pe->program->program;
    if (view < TW__WSE_VIEWS) views[view](&s);
    return g_string_free(s.out, FALSE);
}
