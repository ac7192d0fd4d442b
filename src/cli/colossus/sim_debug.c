/* SPDX-License-Identifier: MIT */
/* `tilewright sim --interactive`: the words of gdb on a simulated tile. A hook of the simulator looks at every
 * instruction before it runs; what the user asked for is a mode that the hook compares with. */
#include "cli/colossus/sim_debug.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tilewright/progress.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    if (!tw__lines_interrupt()) interrupted = 1;
}

static void free_breakpoint(void *data)
{
    breakpoint *b = data;
    g_free(b->text);
    g_free(b->condition);
    g_free(b->value);
    g_free(b->before);
    g_free(b->type);
    g_free(b->step);
    if (b->places) g_array_unref(b->places);
}

/* --- watching --------------------------------------------------------------------------------------------------- */

static bool sim_debug_holds(debugger *d, const breakpoint *b, unsigned context)
{
    tw__sim_value value;
    char *error;
    if (!b->condition) return true;
    if (tw__sim_evaluate(d->s, context, b->condition, &value, &error)) return value.words[0] != 0;
    g_free(d->trouble);
    d->trouble = error;
    return true;
}

static bool is_there(const breakpoint *b, uint32_t pc)
{
    for (guint i = 0; b->places && i < b->places->len; i++)
        if (g_array_index(b->places, uint32_t, i) == pc) return true;
    return b->address == pc;
}

static breakpoint *breakpoint_at(debugger *d, uint32_t pc, unsigned context)
{
    for (guint i = 0; i < d->breakpoints->len; i++) {
        breakpoint *b = &g_array_index(d->breakpoints, breakpoint, i);
        if (!b->enabled || !is_there(b, pc) || !sim_debug_holds(d, b, context)) continue;
        if (!b->ignored) return b;
        b->ignored--, b->hits++;
    }
    return NULL;
}

/* Has the context gone as far as the user wanted? */
static bool far_enough(debugger *d, uint32_t pc)
{
    const char *file = NULL;
    uint32_t line = 0;
    guint depth = d->frames[d->context]->len;
    if (!d->moved || (d->over && depth > d->depth)) return false;
    bool is_inside = d->mode == STEP_LINE && d->over && depth == d->depth;
    if (is_inside && tw__source_depth(d->s, pc) > d->inlined) return false;
    switch (d->mode) {
    case FREELY: return false;
    case STEP_INSTRUCTION: return true;
    case STEP_OUT: /* also of a call that was inlined */
        return depth < d->depth || (depth == d->depth && d->inlined > 1 && tw__source_depth(d->s, pc) < d->inlined);
    case STEP_LINE: break;
    }
    tw_sim_line_at(d->s->sim, pc, &file, &line);
    return !file || line != d->line || g_strcmp0(file, d->file) != 0 || pc <= d->pc;
}

/* A log point of a client: what it says may look at another context. */
static bool logs(debugger *d, breakpoint *b, unsigned context)
{
    tw__sim_session *s = d->s;
    unsigned chosen = d->context, inlined = s->inlined, shown = s->frame, calls = s->calls;
    uint32_t back = s->back;
    bool logged = tw__dap_logs(d->dap, b->id, context + 1);
    d->context = chosen, s->inlined = inlined, s->frame = shown, s->calls = calls, s->back = back;
    if (logged) b->hits++;
    return logged;
}

enum { TICK = 4096 }; /* instructions between looks for a client's messages */

static bool watch(void *user, tw_sim *sim, const tw_sim_event *event)
{
    debugger *d = user;
    bool mine = event->context == d->context;
    (void)sim;
    if (event->done) {
        tw__debug_follow(d, event);
        d->changed = d->changed || (d->watches && tw__debug_look(d, event->context));
        return false;
    }
    bool standing = mine && d->leave;
    if (mine) d->leave = false;
    if (d->dap && ++d->ticks % TICK == 0 && tw__dap_poll(d->dap)) interrupted = 1;
    if (d->changed) d->context = d->writer;
    if (interrupted || d->changed) return true;
    breakpoint *b = standing ? NULL : breakpoint_at(d, event->pc, event->context);
    if (b && d->dap && logs(d, b, event->context)) b = NULL;
    if (b) {
        d->hit = b, d->hit_id = b->id, d->context = event->context, b->hits++;
        return true;
    }
    if (mine && far_enough(d, event->pc)) return true;
    d->moved |= mine;
    return false;
}

/* --- running ---------------------------------------------------------------------------------------------------- */

/* What the code prints, if it does; the session knows whether its last line has an end. */
static bool serve_code(tw__sim_session *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool served = tw_sim_serve(s->sim, out);
    if (out) fclose(out);
    if (size) fwrite(text, 1, size, stdout), s->in_line = text[size - 1] != '\n';
    free(text);
    return served;
}

tw_sim_stop tw__sim_pieces(tw__sim_session *s, guint64 limit)
{
    const guint64 piece = 1 << 21;
    uint64_t before[TW_SIM_CONTEXTS], most = 0;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) before[i] = tw_sim_turns(s->sim, i);
    tw_sim_stop stop;
    do {
        if (s->r->limit && limit == s->limit)
            tw_progress_tell("tile", "turns at most", most, limit);
        else
            tw_progress_tell("tile", "cycles", tw_sim_cycles(s->sim), 0);
        stop = tw_sim_run(s->sim, limit ? MIN(limit - most, piece) : piece);
        if (stop == TW_SIM_FAULT && serve_code(s)) stop = TW_SIM_LIMIT;
        for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) most = MAX(most, tw_sim_turns(s->sim, i) - before[i]);
        s->looked = stop == TW_SIM_LIMIT && s->look && s->look(s->look_user);
    } while (stop == TW_SIM_LIMIT && !s->looked && (!limit || most < limit));
    s->took = most;
    tw_progress_end();
    return stop;
}

tw_sim_stop tw__sim_go(tw__sim_session *s)
{
    tw_sim_stop stop;
    bool failed = false;
    while ((stop = tw__sim_run(s, &failed)) == TW_SIM_WAIT) {
        char text[TW_INSN_TEXT];
        tw_insn insn;
        if (tw_sim_pending(s->sim, &insn))
            fprintf(stderr, "tilewright sim: note: '%s' is between tiles: it ends at once here\n",
                    tw_insn_format(&insn, text));
    }
    return failed ? TW_SIM_BREAK : stop;
}

static bool is_active(debugger *d)
{
    if (tw_sim_get_state(d->s->sim, d->context) == TW_SIM_ACTIVE) return true;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        if (tw_sim_get_state(d->s->sim, i) == TW_SIM_ACTIVE) {
            d->context = i;
            return true;
        }
    return false;
}

static void tell_end(debugger *d)
{
    tw_sim *sim = d->s->sim;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        if (tw_sim_turns(sim, i))
            printf("[%s ended with status %d after %" PRIu64 " %s]\n", tw__sim_context_name(i),
                   tw_sim_exit_status(sim, i), tw_sim_turns(sim, i), i == TW_SIM_SUPERVISOR ? "cycles" : "turns");
}

void tw__debug_tell_break(debugger *d)
{
    breakpoint *b = (breakpoint *)d->hit;
    if (interrupted) puts("Interrupted.");
    tw__debug_tell_changes(d);
    if (b) printf("%s %u, ", b->temporary ? "Temporary breakpoint" : "Breakpoint", b->id);
    tw__sim_show_place(d->s, d->context);
    tw__debug_show_displays(d);
    if (d->trouble) tw__debug_complain(d, "condition of breakpoint %u: %s", b ? b->id : 0, d->trouble);
    g_clear_pointer(&d->trouble, g_free);
    if (b && b->temporary)
        g_array_remove_index(d->breakpoints, (guint)(b - (breakpoint *)(void *)d->breakpoints->data));
}

/* Runs, and tells why it stopped unless the hook did it; TW_SIM_DONE also when nothing is active. */
static tw_sim_stop let_go(debugger *d, mode how, bool over)
{
    if (!is_active(d) && d->tensor) { /* in graphs: the vertex has ended */
        d->reader.go = true;
        return d->ended;
    }
    if (!is_active(d)) {
        tw__debug_complain(d, "Nothing is running: 'run' starts again.");
        return d->ended = TW_SIM_DONE;
    }
    d->mode = how, d->over = over, d->moved = false, d->leave = true, d->hit = NULL, d->hit_id = 0,
    d->list_file = NULL, d->changed = false;
    d->depth = d->frames[d->context]->len, d->pc = tw_sim_get_pc(d->s->sim, d->context);
    d->inlined = tw__source_depth(d->s, d->pc);
    d->s->inlined = d->s->frame = d->s->calls = 0;
    d->file = NULL;
    tw_sim_line_at(d->s->sim, d->pc, &d->file, &d->line);
    if (d->dap) interrupted = 0; /* else at each prompt: a Ctrl-C since then is for this run */
    tw__debug_look_afresh(d);
    tw_sim_stop stop = d->ended = tw__sim_go(d->s);
    fflush(stdout);
    if (d->dap) tw__dap_flush_program(d->dap);
    if (stop == TW_SIM_FAULT) {
        d->context = tw_sim_get_exception(d->s->sim)->context;
        printf("Exception: %s\n", tw_sim_get_exception(d->s->sim)->message);
        tw__debug_show_displays(d);
    } else if (stop == TW_SIM_DONE) {
        tw__debug_tell_changes(d);
        if (d->tensor)
            d->reader.go = true;
        else
            tell_end(d);
    } else if (stop == TW_SIM_LIMIT) {
        printf("Stopped after %" G_GUINT64_FORMAT " turns (--limit).\n", d->s->limit);
        tw__sim_show_place(d->s, d->context);
        d->reader.go = d->tensor != NULL;
    }
    return stop;
}

static void steps(debugger *d, const char *args, mode how, bool over)
{
    char *end;
    guint64 count = *args ? g_ascii_strtoull(args, &end, 0) : 1;
    if (*args && (*end || !count)) {
        tw__debug_complain(d, "'%s' is no number of steps.", args);
        return;
    }
    tw_sim_stop stop = TW_SIM_BREAK;
    while (count-- && stop == TW_SIM_BREAK) {
        stop = let_go(d, how, over);
        if (interrupted || d->changed || d->trouble || (d->hit && how != FREELY)) break;
    }
    if (stop == TW_SIM_BREAK) tw__debug_tell_break(d);
}
void tw__debug_step(debugger *d, char *args)
{
    steps(d, args, STEP_LINE, false);
}
void tw__debug_stepi(debugger *d, char *args)
{
    steps(d, args, STEP_INSTRUCTION, false);
}
void tw__debug_next(debugger *d, char *args)
{
    steps(d, args, STEP_LINE, true);
}
void tw__debug_nexti(debugger *d, char *args)
{
    steps(d, args, STEP_INSTRUCTION, true);
}
void tw__debug_continue(debugger *d, char *args)
{
    steps(d, args, FREELY, false);
}

/* Where results lie: guide 10.3.2. */
static void tell_result(debugger *d)
{
    tw__sim_value m = { .words = { tw_sim_get_m(d->s->sim, d->context, 0) }, .count = 1 };
    tw__sim_value a = { .words = { tw_sim_get_a(d->s->sim, d->context, 0) }, .count = 1, .is_float = true };
    printf("Returned with $m0 = ");
    tw__sim_show_value(d->s, &m, 0);
    if (d->context == TW_SIM_SUPERVISOR) return;
    printf("          and $a0 = ");
    tw__sim_show_value(d->s, &a, 0);
}
void tw__debug_finish(debugger *d, char *args)
{
    guint depth = d->frames[d->context]->len;
    unsigned context = d->context;
    if (!depth && tw__source_depth(d->s, tw_sim_get_pc(d->s->sim, context)) < 2) {
        tw__debug_complain(d, "This is the outermost function.");
        return;
    }
    steps(d, args, STEP_OUT, false);
    if (d->context == context && !d->hit && !interrupted && !d->changed && d->frames[context]->len < depth)
        tell_result(d);
}

void tw__debug_forget_frames(debugger *d)
{
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) g_array_set_size(d->frames[i], 0), d->linked[i] = false;
    d->s->inlined = d->s->frame = d->s->calls = 0;
    d->list_file = NULL, d->hit = NULL;
}

void tw__debug_run(debugger *d, char *args)
{
    (void)args;
    tw__debug_forget_frames(d);
    d->context = d->s->r->supervisor ? TW_SIM_SUPERVISOR : 0;
    if (d->s->prepare(d->s) != TW__EXIT_OK) {
        d->reader.failed = true;
        return;
    }
    tw__debug_begin(d);
}

void tw__debug_begin(debugger *d)
{
    d->hit = breakpoint_at(d, tw_sim_get_pc(d->s->sim, d->context), d->context);
    if (d->hit && d->dap && logs(d, (breakpoint *)(uintptr_t)d->hit, d->context)) d->hit = NULL;
    if (d->dap) interrupted = 0;
    d->changed = false, d->ended = TW_SIM_BREAK, d->hit_id = d->hit ? d->hit->id : 0;
    if (d->hit)
        ((breakpoint *)d->hit)->hits++, tw__debug_tell_break(d);
    else
        tw__debug_continue(d, (char[]){ "" });
}

/* --- breakpoints ------------------------------------------------------------------------------------------------ */

bool tw__debug_locate(debugger *d, const char *text, uint32_t *address)
{
    char *error;
    if (tw__sim_locate(d->s, d->context, text, address, &error)) return true;
    tw__debug_complain(d, "%s.", error);
    g_free(error);
    return false;
}

void tw__debug_tell_address(debugger *d, uint32_t address)
{
    const char *name;
    uint32_t offset;
    const tw_object_line *l = tw_sim_place_at(d->s->sim, address);
    printf("0x%05x", address);
    if (tw_sim_symbol_at(d->s->sim, address, &name, &offset)) printf(" <%s+%u>", name, offset);
    if (l) printf(" at %s:%u", l->file, l->line);
    if (l && l->column) printf(":%u", l->column);
}

static void set_breakpoint_at(debugger *d, const char *args, const char *condition, bool temporary,
                              uint32_t address)
{
    breakpoint b = { .enabled = true, .temporary = temporary, .address = address };
    char text[2 * TW_INSN_TEXT];
    if (b.address >= d->s->region1 || !*tw_sim_text_at(d->s->sim, b.address, text)) {
        tw__debug_complain(d, "There is no code at 0x%x.", b.address);
        return;
    }
    b.id = d->next_id++, b.text = g_strdup(args), b.condition = g_strdup(condition);
    g_array_append_val(d->breakpoints, b);
    printf("%s %u, ", temporary ? "Temporary breakpoint" : "Breakpoint", b.id);
    tw__debug_tell_address(d, b.address);
    if (condition) printf(" if %s", condition);
    putchar('\n');
}

static void set_breakpoint(debugger *d, char *args, bool temporary)
{
    char *condition = strstr(args, "if "), *error = NULL;
    uint32_t here = tw_sim_get_pc(d->s->sim, d->context);
    if (condition && condition != args && !isspace((unsigned char)condition[-1])) condition = NULL;
    if (condition) *condition = 0, condition = g_strstrip(condition + 3);
    g_strstrip(args);
    g_autoptr(GArray) addresses = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    if (!*args) {
        g_array_append_val(addresses, here);
    } else if (!tw__sim_locations(d->s, d->context, args, addresses, &error)) {
        tw__debug_complain(d, "%s.", error);
        g_free(error);
    }
    for (guint i = 0; i < addresses->len; i++)
        set_breakpoint_at(d, args, condition, temporary, g_array_index(addresses, uint32_t, i));
}
void tw__debug_break(debugger *d, char *args)
{
    set_breakpoint(d, args, false);
}
void tw__debug_tbreak(debugger *d, char *args)
{
    set_breakpoint(d, args, true);
}
void tw__debug_until(debugger *d, char *args)
{
    guint before = d->breakpoints->len;
    if (!*args) {
        tw__debug_complain(d, "until LOCATION");
        return;
    }
    set_breakpoint(d, args, true);
    if (d->breakpoints->len > before) tw__debug_continue(d, (char[]){ "" });
}

typedef enum change { DELETE, ENABLE, DISABLE } change;

static void change_one(debugger *d, guint i, change how)
{
    if (how == DELETE)
        g_array_remove_index(d->breakpoints, i);
    else
        g_array_index(d->breakpoints, breakpoint, i).enabled = how == ENABLE;
}

/* Its place in the list, or the list's length. */
static guint breakpoint_index(const debugger *d, guint64 id)
{
    guint i = 0;
    while (i < d->breakpoints->len && g_array_index(d->breakpoints, breakpoint, i).id != id) i++;
    return i;
}

void tw__debug_remove(debugger *d, unsigned id)
{
    guint i = breakpoint_index(d, id);
    d->hit = NULL;
    if (i < d->breakpoints->len) change_one(d, i, DELETE);
}

void tw__debug_ignore_hits(debugger *d, unsigned id, uint64_t count)
{
    guint i = breakpoint_index(d, id);
    if (i < d->breakpoints->len) g_array_index(d->breakpoints, breakpoint, i).ignored = count;
}

void tw__debug_ignore(debugger *d, char *args)
{
    unsigned id;
    uint64_t count;
    if (!tw__reader_ignore(&d->reader, args, &id, &count)) return;
    if (breakpoint_index(d, id) < d->breakpoints->len)
        tw__debug_ignore_hits(d, id, count);
    else
        tw__debug_complain(d, "There is no breakpoint number %u.", id);
}

void tw__debug_calm(debugger *d)
{
    (void)d;
    interrupted = 0;
}

void tw__debug_interrupt(bool on)
{
    interrupted = on;
}

bool tw__debug_interrupted(void)
{
    return interrupted;
}

static void change_breakpoints(debugger *d, const char *args, change how)
{
    d->hit = NULL;
    for (guint i = d->breakpoints->len; i-- && !*args;) change_one(d, i, how);
    g_auto(GStrv) words = g_strsplit_set(args, " \t", -1);
    for (char **word = words; *word; word++) {
        if (!**word) continue;
        char *end;
        guint64 id = g_ascii_strtoull(*word, &end, 10);
        guint i = breakpoint_index(d, id);
        if (*end || i == d->breakpoints->len)
            tw__debug_complain(d, "There is no breakpoint number %s.", *word);
        else
            change_one(d, i, how);
    }
}
void tw__debug_delete(debugger *d, char *args)
{
    change_breakpoints(d, args, DELETE);
}
void tw__debug_enable(debugger *d, char *args)
{
    change_breakpoints(d, args, ENABLE);
}
void tw__debug_disable(debugger *d, char *args)
{
    change_breakpoints(d, args, DISABLE);
}

/* --- life ------------------------------------------------------------------------------------------------------- */

static struct sigaction before;

void tw__debug_hook(debugger *d)
{
    tw_sim_set_hook(d->s->sim, watch, d);
}

void tw__debug_open(debugger *d, tw__sim_session *s)
{
    struct sigaction action = { .sa_handler = on_interrupt };
    *d = (debugger){
        .s = s, .next_id = 1, .context = s->r->supervisor ? TW_SIM_SUPERVISOR : 0, .x_format = 'x', .x_size = 'w'
    };
    d->breakpoints = g_array_new(FALSE, TRUE, sizeof(breakpoint));
    g_array_set_clear_func(d->breakpoints, free_breakpoint);
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) d->frames[i] = g_array_new(FALSE, TRUE, sizeof(frame));
    if (s->sim) tw__debug_hook(d);
    sigaction(SIGINT, &action, &before);
}

void tw__debug_close(debugger *d)
{
    sigaction(SIGINT, &before, NULL);
    if (d->s->sim) tw_sim_set_hook(d->s->sim, NULL, NULL);
    g_array_free(d->breakpoints, TRUE);
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) g_array_free(d->frames[i], TRUE);
    tw__reader_close(&d->reader);
    if (d->displays) g_array_free(d->displays, TRUE);
    g_free(d->trouble);
}
