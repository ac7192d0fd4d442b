/* SPDX-License-Identifier: MIT */
/* report: who waits for what. The text of a deadlock, one line per thing that waits. */
#include "csl/wse/fabric/fabric.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* PEs that wait for the same at the same line share one line of the report. */
typedef struct group {
    char *text;
    uint32_t first, last, pes;
} group;

typedef struct report {
    tw__wse *w;
    GHashTable *seen; /* text -> group */
    GPtrArray *order; /* groups as they were met */
    unsigned left;
    uint32_t pe;
    GByteArray *told; /* lines of this rank, for the others; NULL = they want none */
} report;

static void report_add_line(report *r, char *text);
static void line(report *r, const char *format, ...) TW_PRINTF(2, 3);
static void line(report *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_add_line(r, g_strdup_vprintf(format, args));
    va_end(args);
}

/* Takes the text over. */
static void report_add_line(report *r, char *text)
{
    if (r->told) {
        g_byte_array_append(r->told, (const guint8 *)&r->pe, sizeof r->pe);
        g_byte_array_append(r->told, (const guint8 *)text, (guint)strlen(text) + 1);
        g_free(text);
        return;
    }
    group *g = g_hash_table_lookup(r->seen, text);
    if (g) {
        g->pes += g->last != r->pe;
        g->last = r->pe;
    } else if (r->left) {
        r->left--;
        g = g_new(group, 1);
        *g = (group){ text, r->pe, r->pe, 1 };
        g_hash_table_insert(r->seen, text, g);
        g_ptr_array_add(r->order, g);
        return;
    }
    g_free(text);
}

/* "PE 3,4: ..." or "PE 3,4 and 17 more: ...", and frees the groups. */
static GString *lines(report *r)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < r->order->len; i++) {
        group *g = r->order->pdata[i];
        g_string_append_printf(out, "PE %u,%u", g->first % r->w->width, g->first / r->w->width);
        if (g->pes > 1) g_string_append_printf(out, " and %u more", g->pes - 1);
        g_string_append_printf(out, ": %s\n", g->text);
        g_free(g->text);
        g_free(g);
    }
    g_ptr_array_free(r->order, TRUE);
    g_hash_table_destroy(r->seen);
    return out;
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

/* "; 3 of 4 elements done, in microthread 2": how far an operation came. */
static const char *so_far(const tw__op *op, char out[80])
{
    int n = op->length == TW__CSL_UNBOUNDED ? g_snprintf(out, 80, "; %u elements done", op->done)
                                            : g_snprintf(out, 80, "; %u of %u elements done", op->done, op->length);
    if (op->slot < TW__WSE_MAIN) g_snprintf(out + n, 80 - (gulong)n, ", in microthread %u", op->slot);
    return out;
}

/* Says what one operand waits for; false = for nothing. `what`: the operation and its place. */
static bool operand(report *r, const tw__pe *pe, const tw__opnd *o, const char *what, const char *done)
{
    char name[64];
    if (o->kind == TW__O_IN && pe->in_queue[o->queue]->count == 0) {
        queue_name(name, true, pe->in_queue[o->queue], o->queue);
        line(r, "%s waits for wavelets on %s%s", what, name, done);
    } else if (o->kind == TW__O_OUT && tw__wse_queue_room(pe->out_queue[o->queue]) == 0) {
        queue_name(name, false, pe->out_queue[o->queue], o->queue);
        line(r, "%s cannot send on %s, which is full%s", what, name, done);
    } else {
        return false;
    }
    return true;
}

/* The same for a FIFO, and for an input that has fewer wavelets than SIMD mode takes together. */
static bool too_few(report *r, const tw__pe *pe, const tw__op *op, unsigned k, const char *what, const char *done)
{
    const tw__opnd *o = &op->arg[k];
    char name[64];
    if (o->kind == TW__O_FIFO && tw__wse_fifo_ready(pe, op, k) == 0) {
        const char *fifo = pe->program->program->fifos[o->fifo].name;
        line(r, "%s waits for FIFO '%s', which is %s%s", what, fifo ? fifo : "?", k == 0 ? "full" : "empty", done);
    } else if (o->kind == TW__O_IN && o->simd == TW__CSL_SIMD_64 && pe->in_queue[o->queue]->count == 1) {
        queue_name(name, true, pe->in_queue[o->queue], o->queue);
        line(r, "%s waits for a second wavelet on %s, as simd_64 takes two together%s", what, name, done);
    } else {
        return false;
    }
    return true;
}

static const char *operation_name(const report *r, const tw__pe *pe, const tw__op *op, uint32_t pc, char out[224])
{
    char place[160];
    g_snprintf(out, 224, "@%s%s", tw__csl_dsd_op_rows[op->code].builtin, where(r, pe, pc, place));
    return out;
}

static void operation(report *r, const tw__pe *pe, const tw__op *op)
{
    char what[224], done[80];
    operation_name(r, pe, op, op->pc, what);
    so_far(op, done);
    bool said = false;
    for (unsigned k = 0; k < 3; k++)
        said |= operand(r, pe, &op->arg[k], what, done) || too_few(r, pe, op, k, what, done);
    if (said) return;
    bool blocked = op->slot < TW__WSE_MAIN && pe->ut_blocked >> op->slot & 1;
    line(r, "%s %s%s", what, blocked ? "stands still: its microthread is blocked" : "has not ended", done);
}

/* The operation that the main thread cannot issue yet, and the one that it waits for. */
static void stalled(report *r, const tw__pe *pe)
{
    const tw__op *op = pe->op[TW__WSE_MAIN];
    char what[224], holder[224];
    operation_name(r, pe, op, pe->pc, what);
    for (unsigned k = 0; k < 3; k++) {
        const tw__opnd *o = &op->arg[k];
        if (o->kind != TW__O_IN && o->kind != TW__O_OUT) continue;
        const tw__queue *q = (o->kind == TW__O_IN ? pe->in_queue : pe->out_queue)[o->queue];
        if (!q->op || !pe->op[q->op - 1]) continue;
        const tw__op *first = pe->op[q->op - 1];
        char name[64];
        queue_name(name, o->kind == TW__O_IN, q, o->queue);
        line(r, "%s waits for %s, which %s still uses", what, name,
             operation_name(r, pe, first, first->pc, holder));
        return;
    }
    line(r, "%s waits for a microthread that is still in use", what);
}

/* @map fetches and stores element by element. */
static void mapped(report *r, const tw__pe *pe)
{
    char place[160], what[224];
    const tw__map_state *m = pe->map;
    g_snprintf(what, sizeof what, "@map%s", where(r, pe, pe->pc, place));
    bool said = false;
    for (unsigned k = 0; m && k < m->map->input_count && !m->called; k++)
        said |= operand(r, pe, &m->input[k], what, "");
    if (m && m->called) said |= operand(r, pe, &m->output, what, "");
    if (!said) line(r, "%s waits for a fabric operand", what);
}

/* " ('take' at pe.csl:3)" of a row of the program's tasks + 1; "" for none. */
static const char *report_task_name(const report *r, const tw__pe *pe, unsigned row, char out[224])
{
    const tw__csl_program *p = pe->program->program;
    const tw__csl_image *image = r->w->image;
    out[0] = 0;
    if (!row) return out;
    const tw__csl_function_code *f = &p->functions[p->tasks[row - 1].function];
    if (f->line && f->file < image->file_count)
        g_snprintf(out, 224, " ('%s' at %s:%u)", f->name, image->files[f->file], f->line);
    else
        g_snprintf(out, 224, " ('%s')", f->name);
    return out;
}

/* Wavelets in an input queue that no operation uses. */
static void left_in_queue(report *r, const tw__pe *pe, unsigned number)
{
    const tw__queue *q = pe->in_queue[number];
    unsigned channel = r->w->arch == 0 ? q->color : number;
    tw__wave head = tw__wse_queue_head(q);
    char name[64], task[224];
    queue_name(name, true, q, number);
    if (head.flags & TW__WSE_CONTROL) {
        unsigned entry = (head.payload >> 16 & 63) + q->control_base;
        unsigned row = entry < TW__CSL_TASK_IDS ? pe->program->control[entry] : 0;
        line(r, "%u wavelet(s) wait on %s: the first is for control task %u%s, and the %s is blocked", q->count,
             name, entry, report_task_name(r, pe, row, task), r->w->arch == 0 ? "color" : "queue");
    } else if (pe->program->data[channel]) {
        line(r, "%u wavelet(s) wait on %s: its data task is blocked%s", q->count, name,
             report_task_name(r, pe, pe->program->data[channel], task));
    } else {
        line(r, "%u wavelet(s) wait on %s: no operation and no task takes them", q->count, name);
    }
}

static void engine(report *r, const tw__pe *pe)
{
    char task[224];
    for (unsigned s = 0; s <= TW__WSE_MAIN; s++) {
        bool active = s == TW__WSE_MAIN ? pe->main_state == TW__MAIN_OP : pe->op_active >> s & 1;
        if (active && pe->op[s]) operation(r, pe, pe->op[s]);
    }
    if (pe->main_state == TW__MAIN_STALL) stalled(r, pe);
    if (pe->main_state == TW__MAIN_MAP) mapped(r, pe);
    for (uint64_t waiting = pe->active & pe->blocked; waiting; waiting &= waiting - 1) {
        int id = __builtin_ctzll(waiting);
        line(r, "local task %d is active but blocked%s", id, report_task_name(r, pe, pe->program->local[id], task));
    }
    for (uint32_t rest = pe->in_busy; rest; rest &= rest - 1) {
        unsigned q = (unsigned)__builtin_ctz(rest);
        if (!pe->in_queue[q]->op) left_in_queue(r, pe, q);
    }
    if (pe->host_running || !pe->stream_open)
        line(r, "the host's command %s",
             pe->host_running ? "has not returned" : "has not unblocked the command stream");
    else if (pe->commands)
        line(r, "a command of the host waits for the main thread");
}

static const char *const directions[] = { "west", "east", "south", "north", "the PE" };

/* " (switch position 1: from west to east, south)": what the route is now, where switches can change it. */
static const char *position(const tw__channel *c, char out[160])
{
    out[0] = 0;
    if (!c->has_switches) return out;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, " (switch position %u: from ", c->position);
    for (unsigned side = 0; side < 2; side++) {
        unsigned ports = side ? c->tx : c->rx;
        if (side) g_string_append(text, " to ");
        if (!ports) g_string_append(text, "nowhere");
        for (unsigned port = 0, n = 0; port < TW__WSE_PORTS; port++)
            if (ports >> port & 1) g_string_append_printf(text, "%s%s", n++ ? ", " : "", directions[port]);
    }
    g_snprintf(out, 160, "%s)", text->str);
    g_string_free(text, TRUE);
    return out;
}

/* "; its route is set at layout.csl:12" or "". */
static const char *route_place(const report *r, unsigned color, char out[160])
{
    const tw__csl_route *route = tw__wse_route_of(r->w, r->pe, (int)color);
    out[0] = 0;
    if (route && route->file < r->w->image->file_count)
        g_snprintf(out, 160, "; its route is set at %s:%u", r->w->image->files[route->file], route->line);
    return out;
}

static void router(report *r, const tw__router *router_)
{
    char switched[160], place[160];
    for (unsigned k = 0; k < router_->channel_count; k++) {
        const tw__channel *c = &router_->channel[k];
        for (unsigned port = 0; port < TW__WSE_PORTS; port++) {
            if (!(c->waiting >> port & 1)) continue;
            const char *why = c->suspended           ? "the color is in teardown"
                              : !(c->rx >> port & 1) ? "the route does not take that direction now"
                              : c->tx == 0           ? "the route leads nowhere"
                                                     : "the next router or the PE does not take them";
            line(r, "%u wavelet(s) of color %u from %s wait in the router: %s%s%s", tw__wse_lane_count(c, port),
                 c->color, directions[port], why, position(c, switched), route_place(r, c->color, place));
        }
    }
}

static void mail(report *r)
{
    char text[TW__WSE_MAIL_LINE];
    if (!r->w->pe[r->pe].mail) return;
    for (unsigned k = 0; tw__wse_mail_waiting(r->w, r->pe, k, text); k++) line(r, "%s", text);
}

/* The task that a PE is in the middle of, and where. */
static void task_runs(report *r, const tw__pe *pe)
{
    char task[224], place[160];
    where(r, pe, pe->pc, place);
    if (pe->task_id == TW__WSE_HOST_TASK)
        line(r, "the host's command runs%s", place);
    else
        line(r, "task %u%s runs%s", pe->task_id, report_task_name(r, pe, pe->program->local[pe->task_id], task),
             place);
}

static void running(report *r, const tw__pe *pe)
{
    char task[224];
    if (pe->main_state == TW__MAIN_RUN && pe->pc < pe->program->program->code_count) task_runs(r, pe);
    for (uint64_t ready = pe->active & ~pe->blocked; ready; ready &= ready - 1) {
        int id = __builtin_ctzll(ready);
        if (pe->program->local[id])
            line(r, "task %d%s is ready to run", id, report_task_name(r, pe, pe->program->local[id], task));
    }
}

static report report_begin(tw__wse *w, unsigned at_most)
{
    return (report){
        .w = w, .seen = g_hash_table_new(g_str_hash, g_str_equal), .order = g_ptr_array_new(), .left = at_most
    };
}

static char *report_text_of(report *r)
{
    GString *out = lines(r);
    char *copy = tw__calloc(out->len + 1, 1);
    if (copy) memcpy(copy, out->str, out->len);
    g_string_free(out, TRUE);
    return copy;
}

static void waits(report *r)
{
    tw__wse *w = r->w;
    if (w->pe[r->pe].program) engine(r, &w->pe[r->pe]);
    router(r, &w->router[r->pe]);
    mail(r);
    for (const tw__port *p = w->pe[r->pe].ports; p; p = p->next)
        if (!p->out && p->head != p->count)
            line(r, "%zu word(s) of the host wait for color %u", p->count - p->head, p->color);
}

static void runs(report *r)
{
    if (r->w->pe[r->pe].program) running(r, &r->w->pe[r->pe]);
}

static void hear_lines(void *user, unsigned rank, const char *bytes, size_t size)
{
    report *r = user;
    (void)rank;
    for (const char *at = bytes; at < bytes + size; at += strlen(at) + 1) {
        memcpy(&r->pe, at, sizeof r->pe);
        at += sizeof r->pe;
        report_add_line(r, g_strdup(at));
    }
}

/* Ranks have their rows from the north on: in their order the lines are those of one process. */
static void report_of_ranks(report *r, void (*about)(report *r))
{
    tw__wse *w = r->w;
    g_autoptr(GByteArray) told = r->told = g_byte_array_new();
    for (r->pe = w->first; r->pe < w->end; r->pe++) about(r);
    r->told = NULL;
    tw__wse_gather(w, told->data, told->len, hear_lines, r);
}

/* About all PEs. */
static char *report_all(tw__wse *w, unsigned at_most, void (*about)(report *r))
{
    report r = report_begin(w, at_most);
    if (w->ranks > 1)
        report_of_ranks(&r, about);
    else
        for (r.pe = 0; r.pe < w->count; r.pe++) about(&r);
    return report_text_of(&r);
}

char *tw__wse_running(tw__wse *w, unsigned at_most)
{
    return report_all(w, at_most, runs);
}

char *tw__wse_waiting(tw__wse *w, unsigned at_most)
{
    return report_all(w, at_most, waits);
}

char *tw__wse_why(tw__wse *w, unsigned x, unsigned y)
{
    report r = report_begin(w, UINT_MAX);
    if (x >= w->width || y >= w->height) return report_text_of(&r);
    r.pe = y * w->width + x;
    waits(&r);
    if (w->pe[r.pe].program) running(&r, &w->pe[r.pe]);
    return report_text_of(&r);
}
