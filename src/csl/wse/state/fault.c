/* SPDX-License-Identifier: MIT */
/* fault: messages of the running machine, with PE, source line and stack trace; and the lines that programs print.
 * Each partition collects its own; between windows they are sorted by cycle and PE and shown. */
#include "csl/wse/state/state.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_KIND = 100, MOST_LINE = 4096, MOST_FAULTS = 20 };

static tw__message *fault_add(tw__part *part, uint32_t pe, unsigned kind, const char *code, char *text)
{
    if (!text || !tw__grow(&part->message, &part->message_room, part->message_count, sizeof *part->message)) {
        part->no_memory = true;
        g_free(text);
        return NULL;
    }
    tw__message *m = &part->message[part->message_count++];
    *m = (tw__message){ .cycle = part->now, .pe = pe, .kind = kind, .code = code, .text = text };
    return m;
}

static void put_place(tw__message *m, const tw__wse *w, uint32_t file, uint32_t line, uint32_t column)
{
    m->file = tw__csl_file_name(w->image, file);
    m->line = (int)line;
    m->column = (int)column;
}

static void place(tw__message *m, const tw__wse *w, const tw__pe *pe, uint32_t at)
{
    tw__csl_line line;
    if (m && pe->program && tw__csl_program_line(pe->program->program, at, &line))
        put_place(m, w, line.file, line.line, line.column);
}

static char *task_name(const tw__pe *pe)
{
    if (pe->task_id == TW__WSE_HOST_TASK) return g_strdup("host command");
    return g_strdup_printf("task %u", pe->task_id);
}

static bool in_code(const tw__pe *pe)
{
    return pe->program && pe->main_state != TW__MAIN_IDLE && pe->pc < pe->program->program->code_count;
}

static tw__message *blame(tw__part *part, const tw__pe *pe, tw_severity severity, const char *code,
                          const char *text)
{
    uint32_t number = (uint32_t)(pe - part->w->pe);
    char *task = in_code(pe) ? task_name(pe) : g_strdup("start of the program");
    char *full = g_strdup_printf("%s (PE %u,%u, cycle %llu, %s)", text, number % part->w->width,
                                 number / part->w->width, (unsigned long long)part->now, task);
    g_free(task);
    tw__message *m = fault_add(part, number, (unsigned)severity, code, full);
    if (in_code(pe)) place(m, part->w, pe, pe->pc);
    return m;
}

static void trace_line(tw__part *part, uint32_t pe, const char *function, const char *insn,
                       const tw__csl_line *line)
{
    tw__message *m = fault_add(part, pe, TW_NOTE, "wse.trace",
                               g_strdup_printf("in '%s'%s%s", function, *insn ? ": " : "", insn));
    if (m && line) put_place(m, part->w, line->file, line->line, line->column);
}

static void stack_trace(tw__part *part, const tw__pe *pe)
{
    const tw__csl_program *p = pe->program->program;
    uint32_t at = pe->pc, number = (uint32_t)(pe - part->w->pe);
    for (uint32_t depth = pe->depth + 1; depth-- > 0;) {
        int function = tw__csl_program_function_at(p, at);
        char text[TW__CSL_INSN_TEXT] = "";
        if (depth == pe->depth && at < p->code_count) tw__csl_insn_text(text, p->code[at]);
        tw__csl_line line;
        bool known = tw__csl_program_line(p, at, &line);
        while (known && line.frame) { /* a call that the optimiser took out: shown as if it were there */
            const tw__csl_frame *frame = &p->frames[line.frame - 1];
            trace_line(part, number, frame->name, text, &line);
            line = (tw__csl_line){ at, frame->file, frame->line, frame->column, frame->outer };
            *text = 0;
        }
        trace_line(part, number, function < 0 ? "?" : p->functions[function].name, text, known ? &line : NULL);
        if (depth ? tw__csl_program_left_out(p, pe->frames[depth - 1].pc - 1, at)
                  : function >= 0 && (uint32_t)function != pe->entered)
            fault_add(part, number, TW_NOTE, "wse.trace",
                      g_strdup("functions in between ended in a call and left no frame (-O0 keeps it)"));
        if (depth && pe->depth + 1 - depth >= 16) break; /* deep recursion says the same again */
        if (depth) at = pe->frames[depth - 1].pc - 1;
    }
}

void tw__wse_fault(tw__part *part, tw__pe *pe, const char *code, const char *format, ...)
{
    if (pe->main_state == TW__MAIN_FAULT) return;
    va_list args;
    va_start(args, format);
    char *text = g_strdup_vprintf(format, args);
    va_end(args);
    blame(part, pe, TW_ERROR, code, text);
    if (in_code(pe)) stack_trace(part, pe);
    g_free(text);
    pe->main_state = TW__MAIN_FAULT;
    part->fault = true;
}

bool tw__wse_misuse(tw__part *part, tw__pe *pe, const char *code, const char *format, ...)
{
    tw__wse_check check = part->w->options.check;
    if (check == TW__WSE_CHECK_OFF) return true;
    va_list args;
    va_start(args, format);
    char *text = g_strdup_vprintf(format, args);
    va_end(args);
    if (check == TW__WSE_CHECK_REPORT)
        blame(part, pe, TW_WARNING, code, text);
    else
        tw__wse_fault(part, pe, code, "%s", text);
    g_free(text);
    return check == TW__WSE_CHECK_REPORT;
}

/* Each that is outside, in the order of the source. A loop that goes on past the end says so many times; the last
 * place that was said before is not said again. */
bool tw__wse_index_outside(tw__part *part, tw__pe *pe, const uint64_t *r)
{
    const tw__csl_program *p = pe->program->program;
    size_t k = pe->program->check_of[pe->pc];
    if (pe->said == pe->pc + 1) return true;
    for (; k < p->index_count && p->indices[k].at == pe->pc; k++) {
        const tw__csl_index_use *index = &p->indices[k];
        uint64_t value = r[index->reg];
        if (value < index->limit) continue;
        size_t first = part->message_count;
        bool negative = index->is_signed && (int64_t)value < 0;
        if (tw__wse_misuse(part, pe, "wse.index", "index %s%llu is outside the %u elements of this dimension",
                           negative ? "-" : "", (unsigned long long)(negative ? 0 - value : value), index->limit))
            pe->said = pe->pc + 1;
        if (first < part->message_count)
            put_place(&part->message[first], part->w, index->file, index->line, index->column);
        if (pe->main_state == TW__MAIN_FAULT) return false;
    }
    return true;
}

const tw__csl_route *tw__wse_route_of(const tw__wse *w, uint32_t pe, int color)
{
    const tw__csl_pe *from = &w->image->pes[pe];
    for (uint32_t k = 0; k < from->route_count; k++) {
        const tw__csl_route *r = &w->image->routes[from->route + k];
        if (r->color == color && r->line) return r;
    }
    return NULL;
}

/* The last operation of the PE that sends on this color; NULL = none. */
static const tw__op *sender(const tw__pe *pe, int color)
{
    for (unsigned s = 0; s <= TW__WSE_MAIN; s++) {
        const tw__op *op = pe->op[s];
        const tw__queue *q = op && op->arg[0].kind == TW__O_OUT ? pe->out_queue[op->arg[0].queue] : NULL;
        if (q && q->color == color) return op;
    }
    return NULL;
}

static void place_route(tw__message *m, const tw__wse *w, uint32_t pe, int color, unsigned port)
{
    const tw__csl_route *r = tw__wse_route_of(w, pe, color);
    const tw__op *op = r || port != TW__WSE_R ? NULL : sender(&w->pe[pe], color);
    if (!r && port < TW__WSE_R && !(w->router[pe].edges >> port & 1))
        r = tw__wse_route_of(w, pe + (uint32_t)w->pe_step[port], color);
    if (op) place(m, w, &w->pe[pe], op->pc);
    if (!m || !r) return;
    put_place(m, w, r->file, r->line, r->column);
}

void tw__wse_complain(tw__part *part, uint32_t pe, int color, unsigned port, const char *code, const char *format,
                      ...)
{
    if (part->w->options.check == TW__WSE_CHECK_OFF) return;
    va_list args;
    va_start(args, format);
    char *text = g_strdup_vprintf(format, args);
    va_end(args);
    bool strict = part->w->options.check != TW__WSE_CHECK_REPORT;
    if (strict) part->fault = true;
    tw__message *m = fault_add(part, pe, strict ? TW_ERROR : TW_WARNING, code,
                               g_strdup_printf("%s (PE %u,%u, cycle %llu)", text, pe % part->w->width,
                                               pe / part->w->width, (unsigned long long)part->now));
    place_route(m, part->w, pe, color, port);
    g_free(text);
}

void tw__wse_print_char(tw__part *part, tw__pe *pe, uint64_t cycle, char c)
{
    if (c != '\n' && pe->line_count < MOST_LINE) {
        if (!tw__grow(&pe->line, &pe->line_room, pe->line_count, 1)) {
            part->no_memory = true;
            return;
        }
        pe->line[pe->line_count++] = c;
        return;
    }
    tw__message *m = fault_add(part, (uint32_t)(pe - part->w->pe), LINE_KIND, "",
                               g_strndup(pe->line_count ? pe->line : "", pe->line_count));
    if (m) m->cycle = cycle;
    pe->line_count = 0;
    if (c != '\n') tw__wse_print_char(part, pe, cycle, c);
}

void tw__wse_add_message(tw__part *part, const tw__message *m)
{
    tw__message *mine = fault_add(part, m->pe, m->kind, m->code, m->text);
    if (!mine) return;
    mine->cycle = m->cycle;
    mine->file = m->file, mine->line = m->line, mine->column = m->column;
}

/* --- between windows ------------------------------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
    const tw__message *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    if (x->pe != y->pe) return x->pe < y->pe ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* A warning is said once per place in the source, or once per text when it has no place. */
static bool said_before(tw__wse *w, const tw__message *m)
{
    if (m->kind != TW_WARNING) return false;
    char *key = m->line ? g_strdup_printf("%s:%s:%d:%d", m->code, m->file, m->line, m->column)
                        : g_strdup_printf("%s:%s", m->code, m->text);
    return !g_hash_table_add(w->said, key);
}

void tw__wse_flush_messages(tw__wse *w)
{
    size_t count = 0;
    for (unsigned k = 0; k < w->part_count; k++) count += w->part[k].message_count;
    if (count == 0) return;
    tw__message *all = tw__calloc(count, sizeof *all);
    size_t n = 0, faults = 0;
    for (unsigned k = 0; k < w->part_count; k++) {
        tw__part *part = &w->part[k];
        for (size_t i = 0; i < part->message_count; i++) {
            part->message[i].order = i;
            if (all)
                all[n++] = part->message[i];
            else
                g_free(part->message[i].text);
        }
        part->message_count = 0;
    }
    if (!all) {
        w->no_memory = true;
        return;
    }
    qsort(all, n, sizeof *all, by_time);
    for (size_t i = 0; i < n; i++) {
        tw__message *m = &all[i];
        if (m->kind == LINE_KIND) {
            if (w->print) w->print(w->print_user, m->pe % w->width, m->pe / w->width, m->cycle, m->text);
        } else if (faults <= MOST_FAULTS && !said_before(w, m)) {
            if (m->kind == TW_ERROR) faults++;
            tw_diag diag = { .file = m->file ? m->file : "",
                             .line = m->line,
                             .column = m->column,
                             .length = 1,
                             .severity = (tw_severity)m->kind,
                             .code = m->code,
                             .message = m->text };
            tw_diags_add(w->diags, &diag);
        }
        g_free(m->text);
    }
    free(all);
}

/* --- events --------------------------------------------------------------------------------------------------- */

void tw__wse_keep_event(tw__part *part, const tw__wse_event *event)
{
    if (!tw__grow(&part->event, &part->event_room, part->event_count, sizeof *part->event)) {
        part->no_memory = true;
        return;
    }
    part->event[part->event_count++] = *event;
}

void tw__wse_note(tw__part *part, uint32_t pe, uint64_t cycle, uint32_t kind, uint32_t a, uint32_t b)
{
    tw__wse_keep_event(part, &(tw__wse_event){ cycle, pe, kind, a, b });
}

void tw__wse_note_span(tw__part *part, const tw__pe *pe, uint64_t cycle, uint32_t kind, uint32_t a, uint32_t b)
{
    uint32_t number = tw__wse_pe_number(part, pe);
    if (!part->w->options.trace) {
        tw__wse_counters *c = &part->w->counters[number];
        bool begins = kind == TW__WSE_TASK_BEGIN || kind == TW__WSE_OP_BEGIN;
        if (begins ? c->spans_begun >= part->w->options.spans : c->spans_ended >= c->spans_begun) return;
        (*(begins ? &c->spans_begun : &c->spans_ended))++;
    }
    tw__wse_note(part, number, cycle, kind, a, b);
}
