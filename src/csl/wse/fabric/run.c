/* SPDX-License-Identifier: MIT */
/* run: the wafer as a whole - made, stepped, taken apart. */
#include "csl/wse/fabric/fabric.h"
#include "core/base/interrupt.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tilewright/progress.h>

/* At least so many PEs to look at in a window: several windows in one go. The number decides alone, so that the
 * host is asked at the same cycles for any number of threads. Where mailboxes are, ranks hear later of what is
 * under way than one process does, so that a window in which nothing happens may be another one: there the host is
 * asked after each, and all begin at a multiple of two from the last stop. */
enum { WINDOW = 2, WORTH_SEVERAL = 384, ASK_EVERY = 16, MOST_WINDOWS = 32 };
enum { ASK_TIME = 64 }; /* turns between two looks at the clock */

tw__part *tw__wse_part_of(tw__wse *w, uint32_t pe)
{
    unsigned k = 0;
    while (pe >= w->part[k].end) k++;
    return &w->part[k];
}

static bool make_parts(tw__wse *w)
{
    unsigned threads = w->options.threads ? w->options.threads : (unsigned)omp_get_max_threads();
    uint32_t low = w->first / w->width, rows = w->end / w->width - low, row = 0;
    if (threads > rows / TW__WSE_LEAST_ROWS) threads = rows / TW__WSE_LEAST_ROWS;
    if (threads == 0) threads = 1;
    if (threads > 256) threads = 256;
    w->threads = threads < (unsigned)omp_get_max_threads() ? threads : (unsigned)omp_get_max_threads();
    /* The first and the last strip have half as many rows as the others: so there is a seam for every thread, and one
     * of them does both halves while the others do a whole strip each. */
    w->part_count = threads > 1 ? threads + 1 : 1;
    w->part = tw__calloc(w->part_count, sizeof *w->part);
    if (!w->part) return false;
    for (unsigned k = 0; k < w->part_count; k++) {
        tw__part *part = &w->part[k];
        part->w = w;
        part->number = k;
        part->first = (low + row) * w->width;
        row = k + 1 == w->part_count ? rows : (uint32_t)((2 * k + 1) * (uint64_t)rows / (2 * threads));
        part->end = (low + row) * w->width;
    }
    return true;
}

static bool make_pes(tw__wse *w)
{
    w->router = tw__wse_each(w, sizeof *w->router);
    w->pe = tw__wse_each(w, sizeof *w->pe);
    if (w->options.profile) w->counters = tw__calloc(w->count, sizeof *w->counters);
    w->memory_bytes = (size_t)w->count * TW__CSL_PE_BYTES;
    void *memory =
        mmap(NULL, w->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) w->memory = memory;
    if (!w->router || !w->pe || !w->memory || (w->options.profile && !w->counters)) return false;
    for (unsigned k = 0; k < w->part_count && w->counters; k++)
        if (!tw__wse_motion_new(&w->part[k], w)) return false;
    if (!tw__wse_schedule_new(w)) return false;
    for (uint32_t pe = w->first; pe < w->end; pe++)
        if (!tw__wse_pe_start(tw__wse_part_of(w, pe), &w->pe[pe]) && !w->part->fault) return false;
    return true;
}

tw__wse *tw__wse_new(const tw__csl_image *image, const tw__wse_options *options, tw_diags *diags)
{
    if (tw__csl_verify(image, diags) != TW_OK) return NULL;
    tw__wse *w = tw__calloc(1, sizeof *w);
    if (!w) return NULL;
    w->image = image;
    w->diags = diags;
    w->save_at = TW__WSE_NEVER;
    if (options) w->options = *options;
    if (w->options.max_seconds > 0) w->deadline = tw__seconds() + w->options.max_seconds;
    w->watched = w->options.trace || w->options.profile;
    w->spans = w->options.trace || (w->options.profile && w->options.spans);
    w->arch = image->wse3 ? 1 : 0;
    w->width = image->width;
    w->height = image->height;
    w->count = w->width * w->height;
    w->said = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool ok = tw__wse_ranks_begin(w) && tw__wse_kernels(w) == TW_OK && tw__wse_decode(w) == TW_OK &&
              make_parts(w) && make_pes(w);
    if (!tw__wse_all_agree(w, ok)) {
        tw_diag diag = { .file = "",
                         .severity = TW_ERROR,
                         .code = "wse.memory",
                         .length = 1,
                         .message = "out of host memory for the PEs of the rectangle" };
        tw_diags_add(diags, &diag);
        tw__wse_free(w);
        return NULL;
    }
    tw__wse_gather_messages(w);
    tw__wse_ranks_mailboxes(w);
    return w;
}

static void free_pe(tw__wse *w, uint32_t number)
{
    tw__pe *pe = &w->pe[number];
    free(pe->regs);
    free(pe->frames);
    for (unsigned k = 0; k < 9; k++) {
        for (unsigned a = 0; pe->op[k] && a < 4; a++) free(pe->op[k]->arg[a].walk);
        if (pe->op[k]) free(pe->op[k]->zero.walk);
    }
    for (tw__map_state *m = pe->map, *outer; m; m = outer) {
        outer = m->outer;
        for (unsigned k = 0; k < TW__CSL_MAP_INPUTS; k++) free(m->input[k].walk);
        free(m->output.walk);
        free(m);
    }
    for (tw__command *c = pe->commands, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    for (tw__port *p = pe->ports, *next; p; p = next) {
        next = p->next;
        free(p->words);
        free(p);
    }
    free(pe->dsr);
    free(pe->fifo);
    free(pe->line);
    free(pe->config);
    tw__wse_mail_free(pe);
}

void tw__wse_free(tw__wse *w)
{
    if (!w) return;
    for (uint32_t pe = w->first; w->router && w->pe && pe < w->end; pe++) free_pe(w, pe);
    tw__wse_mail_end(w);
    for (unsigned k = 0; w->part && k < w->part_count; k++) {
        tw__part *part = &w->part[k];
        for (size_t m = 0; m < part->message_count; m++) g_free(part->message[m].text);
        tw__wse_pieces_free(part);
        free(part->message);
        free(part->event);
        tw__wse_motion_free(part);
    }
    free(w->part);
    tw__wse_schedule_free(w);
    if (w->decoded) tw__wse_decode_free(w);
    tw__wse_debug_free(w);
    tw__wse_each_free(w, w->router, sizeof *w->router);
    tw__wse_each_free(w, w->pe, sizeof *w->pe);
    tw__wse_ranks_free(w);
    free(w->counters);
    free(w->event);
    if (w->memory) munmap(w->memory, w->memory_bytes);
    g_hash_table_destroy(w->said);
    free(w);
}

/* --- time ----------------------------------------------------------------------------------------------------- */

/* For a debugger: all PEs are in the same window when the next one begins. */
static void run_in_step(tw__wse *w, unsigned windows)
{
    for (unsigned k = 0; k < windows && !w->debug->left; k++, w->now += WINDOW) tw__wse_window(w);
}

/* What a debugger wants to know before the cycle `next`; false = it has ended the run. */
static bool debug_clock(tw__wse *w, uint64_t next)
{
    tw__debug *d = w->debug;
    while (!d->left && (d->interrupted || next >= d->until)) {
        tw__wse_stop stop = { .kind = TW__WSE_STOP_INTERRUPT, .cycle = w->now };
        if (next >= d->until) {
            stop = (tw__wse_stop){ .kind = TW__WSE_STOP_CYCLE, .cycle = w->now > d->until ? w->now : d->until };
            d->until = TW__WSE_NEVER;
        }
        d->interrupted = 0;
        tw__wse_debug_asks(w, stop);
    }
    return !d->left;
}

static void debug_fault(tw__wse *w)
{
    tw__wse_stop stop = { .kind = TW__WSE_STOP_FAULT, .pe = UINT32_MAX, .cycle = w->now };
    for (uint32_t pe = w->count; pe-- > 0;)
        if (w->pe[pe].main_state == TW__MAIN_FAULT) stop.pe = pe, stop.at = w->pe[pe].pc;
    if (!w->debug->told && !w->debug->left) w->debug->told = true, tw__wse_debug_asks(w, stop);
}

static tw_status left_by_debugger(void)
{
    return tw__fail(TW_E_SYSTEM, "the run was ended by the debugger");
}

/* Windows in one go, at least one. */
static unsigned windows_worth(const tw__wse *w, size_t busy, unsigned most)
{
    return busy >= WORTH_SEVERAL && !w->options.reference && !w->has_mail ? most : 1;
}

static void run_step(tw__wse *w, unsigned windows)
{
    if (w->debug)
        run_in_step(w, windows);
    else if (w->ranks > 1)
        tw__wse_ranks_windows(w, windows);
    else if (windows > 1)
        tw__wse_windows(w, windows);
    else
        tw__wse_window(w);
    if (!w->debug && w->ranks == 1) w->now += (uint64_t)windows * WINDOW;
    for (unsigned k = 0; k < w->part_count && w->ranks == 1; k++) {
        w->fault |= w->part[k].fault;
        w->no_memory |= w->part[k].no_memory;
        if (w->part[k].message_count) tw__wse_flush_messages(w);
    }
    for (unsigned k = 0; k < w->part_count; k++) w->part[k].now = w->now;
}

static void say(tw__wse *w, tw_severity severity, const char *code, const char *text)
{
    tw_diag diag = { .file = "", .severity = severity, .code = code, .length = 1, .message = text };
    tw_diags_add(w->diags, &diag);
}

/* A note for each line; frees them. */
static void say_lines(tw__wse *w, const char *code, char *lines)
{
    for (char *line = lines, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        else
            end = line + strlen(line);
        say(w, TW_NOTE, code, line);
    }
    free(lines);
}

static tw_status deadlock(tw__wse *w)
{
    say(w, TW_ERROR, "wse.deadlock", "deadlock: nothing can happen any more, and the host still waits");
    say_lines(w, "wse.waiting", tw__wse_waiting(w, 40));
    return tw__fail(TW_E_SYSTEM, "deadlock at cycle %llu", (unsigned long long)w->now);
}

/* Nothing is left to do: the clock shows when the last thing was over, not when that was noticed. */
static uint64_t last_of_all(const tw__wse *w, uint64_t start)
{
    uint64_t last = start;
    for (unsigned k = 0; k < w->part_count; k++)
        if (w->part[k].last > last) last = w->part[k].last;
    return last;
}

static void run_settle(tw__wse *w, uint64_t start)
{
    w->now = last_of_all(w, start);
    for (unsigned k = 0; k < w->part_count; k++) w->part[k].now = w->now;
}

void tw__wse_say_running(tw__wse *w)
{
    say_lines(w, "wse.running", tw__wse_running(w, 12));
}

/* When the next PE has something to do; *busy: how many there are to look at. Ranks find it out together. */
static uint64_t next_of_all(tw__wse *w, size_t *busy)
{
    uint64_t next = tw__wse_next_time(w, busy);
    return w->ranks == 1 ? next : tw__wse_ranks_next(w, next, busy);
}

static tw_status too_long(uint64_t max_cycles)
{
    return tw__fail(TW_E_OVERFLOW, "more than %llu cycles", (unsigned long long)max_cycles);
}

static tw_status out_of_time(tw__wse *w)
{
    tw__wse_say_running(w);
    return tw__fail(TW_E_SYSTEM, "the run takes longer than %g seconds", w->options.max_seconds);
}

/* Checkpoints are taken where a run may stop, before what goes past their cycle. False: one failed, and the caller of
 * the run has said why. */
static bool save_before(tw__wse *w, uint64_t end, uint64_t start, unsigned turn)
{
    while (end > w->save_at && w->save) {
        w->resume = (tw__resume){ .start = start, .turn = turn };
        if (!w->save(w->save_user, end, &w->save_at)) return false;
    }
    return true;
}

void tw__wse_save_at(tw__wse *w, uint64_t cycle, tw__wse_save *save, void *user)
{
    w->save_at = cycle, w->save = save, w->save_user = user;
}

uint64_t tw__wse_start(const tw__wse *w)
{
    return w->resume.pending ? w->resume.start : w->now;
}

void tw__wse_aim(tw__wse *w, tw__wse_goal goal)
{
    w->goal = goal;
}

static void tell_progress(const tw__wse *w)
{
    const tw__wse_goal *goal = &w->goal;
    if (goal->all_words)
        tw_progress_tell("wafer", "words", goal->words, goal->all_words);
    else
        tw_progress_tell("wafer", goal->most_cycles ? "cycles at most" : "cycles", w->now, goal->most_cycles);
}

static tw_status run_until(tw__wse *w, uint64_t max_cycles, bool (*done)(void *user), void *user)
{
    uint64_t start = tw__wse_start(w);
    uint64_t limit = max_cycles && max_cycles < TW__WSE_NEVER - start ? start + max_cycles : TW__WSE_NEVER;
    unsigned asked = 0, turn = w->resume.pending ? w->resume.turn : 0;
    bool resumes = w->resume.pending; /* the host was asked before the checkpoint */
    w->resume.pending = false;
    w->plain = !(w->watched || w->options.reference || w->has_mail);
    for (;; resumes = false) {
        bool asks = done && (turn % ASK_EVERY == 0 || w->has_mail) && !resumes;
        size_t busy;
        tell_progress(w);
        if (asks && w->ranks > 1) next_of_all(w, &busy); /* what the last windows brought, before the host looks */
        if (w->lost) return w->lost;
        if (w->no_memory) return tw__fail(TW_E_NO_MEMORY, "out of host memory");
        if (w->fault && w->debug) debug_fault(w);
        if (tw__wse_left(w)) return left_by_debugger();
        if (w->fault)
            return tw__fail(TW_E_APPLICATION, "the program stopped at cycle %llu", (unsigned long long)w->now);
        if (w->ranks > 1 ? w->interrupted : tw__interrupt_flag != 0)
            return tw__fail(TW_E_SYSTEM, "interrupted"); /* the host says the cycle */
        if (asks && done(user)) return w->lost;
        uint64_t next = next_of_all(w, &busy);
        if (w->ranks > 1 && (w->lost || w->no_memory || w->fault)) continue;
        if (next == TW__WSE_NEVER) {
            if (!save_before(w, last_of_all(w, start) + 1, start, turn)) return tw_error_status();
            run_settle(w, start);
            if (w->debug && !debug_clock(w, w->now)) return left_by_debugger();
            if (w->now > limit) return too_long(max_cycles); /* PEs run ahead of the clock while they can */
            if (!done || done(user)) return w->lost;
            if (next_of_all(w, &busy) == TW__WSE_NEVER) {
                if (w->lost) return w->lost;
                const tw__wse_stop stop = { .kind = TW__WSE_STOP_DEADLOCK, .cycle = w->now };
                if (w->debug && !tw__wse_debug_asks(w, stop)) return left_by_debugger();
                return deadlock(w);
            }
            turn++;
            continue; /* the question itself gave the wafer something to do */
        }
        if (w->debug && !debug_clock(w, next < limit ? next : limit)) return left_by_debugger();
        if (next >= limit) {
            w->now = limit;
            for (unsigned k = 0; k < w->part_count; k++) w->part[k].now = limit;
            return too_long(max_cycles);
        }
        if (w->deadline && w->ranks == 1 && ++asked % ASK_TIME == 0) w->late = tw__seconds() > w->deadline;
        if (w->late) return out_of_time(w);
        uint64_t from = next > w->now && !w->options.reference ? next : w->now;
        if (w->has_mail) from -= (from - w->now) % WINDOW;
        uint64_t left = limit - from, room = left / WINDOW + (left % WINDOW != 0);
        unsigned most = done ? ASK_EVERY - turn % ASK_EVERY : MOST_WINDOWS;
        unsigned windows = windows_worth(w, busy, room < most ? (unsigned)room : most);
        if (!save_before(w, from + (uint64_t)windows * WINDOW, start, turn)) return tw_error_status();
        if (from > w->now) {
            w->now = from;
            for (unsigned k = 0; k < w->part_count; k++) w->part[k].now = from;
        }
        run_step(w, windows);
        turn += windows;
    }
}

tw_status tw__wse_run(tw__wse *w, uint64_t max_cycles, bool (*done)(void *user), void *user)
{
    tw_status status = run_until(w, max_cycles, done, user);
    tw_progress_end();
    return status;
}

bool tw__wse_quiet(tw__wse *w)
{
    size_t busy;
    return next_of_all(w, &busy) == TW__WSE_NEVER;
}

/* An operation that has an end and has not come to it, or one of the main thread, whatever its length. */
static bool operation_waits(const tw__pe *pe)
{
    if (pe->main_state != TW__MAIN_IDLE && pe->main_state != TW__MAIN_FAULT) return true;
    for (unsigned active = pe->op_active; active; active &= active - 1)
        if (pe->op[__builtin_ctz(active)]->length != TW__CSL_UNBOUNDED) return true;
    return false;
}

/* What waits for ever at the end of a run is as wrong as a deadlock, whatever --check says; wavelets that nobody read
 * are not. */
tw_status tw__wse_end(tw__wse *w)
{
    bool operations = false, tasks = false;
    for (uint32_t k = w->first; k < w->end; k++) {
        const tw__pe *pe = &w->pe[k];
        if (!pe->program) continue;
        operations |= operation_waits(pe);
        tasks |= (pe->active & pe->blocked) != 0;
    }
    operations = !tw__wse_all_agree(w, !operations);
    tasks = !tw__wse_all_agree(w, !tasks);
    bool lenient = w->options.check == TW__WSE_CHECK_REPORT || w->options.check == TW__WSE_CHECK_OFF;
    bool fails = (operations || tasks) && !(w->options.may_wait && lenient);
    if (!fails && w->options.check == TW__WSE_CHECK_OFF) return TW_OK;
    const tw__wse_stop stop = { .kind = TW__WSE_STOP_DEADLOCK, .cycle = w->now };
    if (fails && w->debug && !tw__wse_debug_asks(w, stop)) return left_by_debugger();
    char *lines = tw__wse_waiting(w, 12);
    if (!lines || !*lines) {
        free(lines);
        return TW_OK;
    }
    say(w, fails ? TW_ERROR : TW_WARNING, "wse.unfinished",
        operations ? "the run is over, but operations wait for what never comes"
        : tasks    ? "the run is over, but tasks are activated and blocked"
                   : "the run is over, but operations without end or wavelets are left");
    say_lines(w, "wse.waiting", lines);
    return fails ? tw__fail(TW_E_SYSTEM, "%s wait at the end of the run", operations ? "operations" : "tasks")
                 : TW_OK;
}
