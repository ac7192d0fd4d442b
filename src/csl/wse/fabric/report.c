/* report: who waits for what. The text of a deadlock, one line per thing that waits. */
#include "csl/wse/pe/pe.h"

#include <stdlib.h>
#include <string.h>

typedef struct report {
    tw__wse *w;
    GString *out;
    unsigned left;
    uint32_t pe;
} report;

static void line(report *r, const char *format, ...) TW_PRINTF(2, 3);
static void line(report *r, const char *format, ...)
{
    if (r->left == 0) return;
    r->left--;
    g_string_append_printf(r->out, "PE %u,%u: ", r->pe % r->w->width, r->pe / r->w->width);
    va_list args;
    va_start(args, format);
    g_string_append_vprintf(r->out, format, args);
    va_end(args);
    g_string_append_c(r->out, '\n');
}

/* " at pe.csl:12" or "". */
static const char *where(const report *r, const tw__pe *pe, uint32_t at, char out[160])
{
    tw__csl_line source;
    out[0] = 0;
    if (tw__csl_program_line(pe->program->program, at, &source) && source.file < r->w->image->file_count)
        g_snprintf(out, 160, " at %s:%u", r->w->image->files[source.file], source.line);
    return out;
}

static void queue_name(char out[64], bool input, const tw__queue *q, unsigned number)
{
    if (number < TW__WSE_DIRECT)
        g_snprintf(out, 64, "color %u (%s queue %u)", q->color, input ? "input" : "output", number);
    else
        g_snprintf(out, 64, "color %u", q->color);
}

static void operation(report *r, const tw__pe *pe, const tw__op *op)
{
    char place[160], name[64];
    const char *builtin = tw__csl_dsd_op_rows[op->code].builtin;
    where(r, pe, op->pc, place);
    bool said = false;
    for (unsigned k = 0; k < 3; k++) {
        const tw__opnd *o = &op->arg[k];
        if (o->kind == TW__O_IN && pe->in_queue[o->queue]->count == 0) {
            queue_name(name, true, pe->in_queue[o->queue], o->queue);
            line(r, "@%s%s waits for wavelets on %s; %u of %u elements done", builtin, place, name, op->done,
                 op->length);
            said = true;
        }
        if (o->kind == TW__O_OUT && tw__wse_queue_room(pe->out_queue[o->queue]) == 0) {
            queue_name(name, false, pe->out_queue[o->queue], o->queue);
            line(r, "@%s%s cannot send on %s, which is full; %u of %u elements done", builtin, place, name,
                 op->done, op->length);
            said = true;
        }
        if (o->kind == TW__O_FIFO && tw__wse_fifo_ready(pe, o, k == 0) == 0) {
            line(r, "@%s%s waits for FIFO '%s', which is %s; %u of %u elements done", builtin, place,
                 pe->program->program->fifos[o->fifo].name ? pe->program->program->fifos[o->fifo].name : "?",
                 k == 0 ? "full" : "empty", op->done, op->length);
            said = true;
        }
    }
    if (!said) line(r, "@%s%s has not ended; %u of %u elements done", builtin, place, op->done, op->length);
}

static void engine(report *r, const tw__pe *pe)
{
    char place[160], name[64];
    for (unsigned s = 0; s <= TW__WSE_MAIN; s++) {
        bool active = s == TW__WSE_MAIN ? pe->main_state == TW__MAIN_OP : pe->op_active >> s & 1;
        if (active && pe->op[s]) operation(r, pe, pe->op[s]);
    }
    if (pe->main_state == TW__MAIN_STALL)
        line(r, "an operation%s waits for a queue or microthread that is still in use",
             where(r, pe, pe->pc, place));
    if (pe->main_state == TW__MAIN_MAP) line(r, "@map%s waits for a fabric operand", where(r, pe, pe->pc, place));
    uint64_t waiting = pe->active & pe->blocked;
    for (; waiting; waiting &= waiting - 1)
        line(r, "local task %d is active but blocked", __builtin_ctzll(waiting));
    for (uint32_t rest = pe->in_busy; rest; rest &= rest - 1) {
        unsigned q = (unsigned)__builtin_ctz(rest);
        const tw__queue *queue = pe->in_queue[q];
        if (queue->op) continue;
        unsigned channel = r->w->arch == 0 ? queue->color : q;
        queue_name(name, true, queue, q);
        line(r, "%u wavelet(s) wait on %s: %s", queue->count, name,
             !pe->program->data[channel] ? "no operation and no task takes them" : "its data task is blocked");
    }
    if (pe->host_running || !pe->stream_open)
        line(r, "the host's command %s",
             pe->host_running ? "has not returned" : "has not unblocked the command stream");
    else if (pe->commands)
        line(r, "a command of the host waits for the main thread");
}

static void router(report *r, const tw__router *router_)
{
    static const char *const names[] = { "west", "east", "south", "north", "the PE" };
    for (unsigned k = 0; k < router_->channel_count; k++) {
        const tw__channel *c = &router_->channel[k];
        for (unsigned port = 0; port < TW__WSE_PORTS; port++) {
            if (!(c->waiting >> port & 1)) continue;
            const char *why = c->suspended           ? "the color is in teardown"
                              : !(c->rx >> port & 1) ? "the route does not take that direction now"
                              : c->tx == 0           ? "the route leads nowhere"
                                                     : "the next router or the PE does not take them";
            line(r, "%u wavelet(s) of color %u from %s wait in the router: %s", tw__wse_lane_count(c, port),
                 c->color, names[port], why);
        }
    }
}

char *tw__wse_waiting(tw__wse *w, unsigned at_most)
{
    report r = { .w = w, .out = g_string_new(NULL), .left = at_most };
    for (r.pe = 0; r.pe < w->count && r.left; r.pe++) {
        if (w->pe[r.pe].program) engine(&r, &w->pe[r.pe]);
        router(&r, &w->router[r.pe]);
        for (const tw__port *p = w->pe[r.pe].ports; p; p = p->next)
            if (!p->out && p->head != p->count)
                line(&r, "%zu word(s) of the host wait for color %u", p->count - p->head, p->color);
    }
    char *copy = tw__calloc(r.out->len + 1, 1);
    if (copy) memcpy(copy, r.out->str, r.out->len);
    g_string_free(r.out, TRUE);
    return copy;
}
