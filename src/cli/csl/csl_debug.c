/* SPDX-License-Identifier: MIT */
/* `tilewright csl debug`: the words of `tilewright sim --interactive` on a simulated wafer. The run calls a hook
 * where it stops; the hook reads commands until one of them lets the run go on. */
#include "cli/csl/csl_debug.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tw_wse *interruptible;              /* of the run under way; NULL while commands are read */
static volatile sig_atomic_t has_been_hit; /* Ctrl-C, since the last prompt */

static void on_interrupt(int number)
{
    (void)number;
    if (tw__lines_interrupt()) return;
    has_been_hit = 1;
    tw_wse_interrupt(interruptible);
}

/* The wafer runs from now on: a Ctrl-C that came before it stops it at once. NULL: it stands. */
static void let_interrupt(tw_wse *w)
{
    interruptible = w;
    if (w && has_been_hit) tw_wse_interrupt(w);
}

static void calm(debugger *d)
{
    (void)d;
    has_been_hit = 0;
}

/* --- where it is ---------------------------------------------------------------------------------------------- */

unsigned tw__csl_depth(const debugger *d, unsigned x, unsigned y)
{
    tw_wse_frame f;
    unsigned n = 0;
    while (tw_wse_get_frame(d->w, x, y, n, &f)) n++;
    return n;
}

bool tw__csl_read_pe(const char **text, unsigned *x, unsigned *y)
{
    char *end;
    if (!g_ascii_isdigit(**text)) return false;
    uint64_t first = g_ascii_strtoull(*text, &end, 10);
    if (*end != ',' || !g_ascii_isdigit(end[1])) return false;
    uint64_t second = g_ascii_strtoull(end + 1, &end, 10);
    if (first > UINT32_MAX || second > UINT32_MAX || (*end && !g_ascii_isspace(*end))) return false;
    *x = (unsigned)first, *y = (unsigned)second;
    while (g_ascii_isspace(*end)) end++;
    *text = end;
    return true;
}

bool tw__csl_choose_pe(debugger *d, unsigned x, unsigned y)
{
    if (x >= d->info.width || y >= d->info.height) {
        complain(d, "There is no PE %u,%u: the rectangle has %u x %u PEs.", x, y, d->info.width, d->info.height);
        return false;
    }
    d->x = x, d->y = y, d->frame = 0;
    g_clear_pointer(&d->list_file, g_free);
    return true;
}

/* --- stepping ------------------------------------------------------------------------------------------------- */

/* Notes where the next step begins. */
static void anchor(debugger *d)
{
    tw_wse_frame f = { 0 };
    d->depth = tw__csl_depth(d, d->x, d->y);
    d->line = d->at = 0, d->file = d->function = NULL;
    if (!tw_wse_get_frame(d->w, d->x, d->y, 0, &f)) return;
    d->line = f.code.line, d->file = f.code.file, d->function = f.code.function, d->at = f.code.at;
}

/* Has the PE gone as far as the user wanted? */
static bool far_enough(debugger *d, const tw_wse_halt *halt)
{
    tw_wse_frame f;
    if (d->mode == FREELY || halt->x != d->x || halt->y != d->y) return false;
    unsigned depth = tw__csl_depth(d, d->x, d->y);
    if (d->over && depth > d->depth) return false;
    if (d->mode == STEP_INSTRUCTION) return true;
    if (d->mode == STEP_OUT) return depth < d->depth;
    if (!tw_wse_get_frame(d->w, d->x, d->y, 0, &f) || !f.code.line) return false;
    return f.code.line != d->line || g_strcmp0(f.code.file, d->file) != 0 ||
           g_strcmp0(f.code.function, d->function) != 0 || depth != d->depth || f.code.at <= d->at;
}

void tw__csl_go(debugger *d)
{
    d->reader.go = true;
    tw_wse_follow(d->w, d->x, d->y, d->mode != FREELY);
    if (d->dap) tw__csl_dap_tick(d);
}

static bool is_running(debugger *d)
{
    if (d->running) return true;
    complain(d, "Nothing is running: 'run' starts%s.", d->fresh ? "" : " again");
    return false;
}

/* A number of times, 1 when there is none; 0 after a message. */
static uint64_t times(debugger *d, const char *args)
{
    char *end;
    uint64_t count = *args ? g_ascii_strtoull(args, &end, 0) : 1;
    if (!*args || (!*end && count && *args != '-')) return count;
    complain(d, "'%s' is no number of steps.", args);
    return 0;
}

static void step_on(debugger *d, uint64_t count, mode how, bool over)
{
    d->mode = how, d->over = over, d->steps = count, d->passes = 1;
    anchor(d);
    tw__csl_go(d);
}

void tw__csl_step_by(debugger *d, mode how, bool over)
{
    step_on(d, 1, how, over);
}

static void debug_step(debugger *d, const char *args, mode how, bool over)
{
    uint64_t count = is_running(d) ? times(d, args) : 0;
    if (count) step_on(d, count, how, over);
}

static void do_step(debugger *d, char *args)
{
    debug_step(d, args, STEP_LINE, false);
}
static void do_stepi(debugger *d, char *args)
{
    debug_step(d, args, STEP_INSTRUCTION, false);
}
static void do_next(debugger *d, char *args)
{
    debug_step(d, args, STEP_LINE, true);
}
static void do_nexti(debugger *d, char *args)
{
    debug_step(d, args, STEP_INSTRUCTION, true);
}

static void do_finish(debugger *d, char *args)
{
    (void)args;
    if (!is_running(d)) return;
    if (tw__csl_depth(d, d->x, d->y) < 2) {
        complain(d, "This is the outermost function.");
        return;
    }
    debug_step(d, "", STEP_OUT, false);
}

static void go_to_cycle(debugger *d, uint64_t cycle)
{
    d->mode = FREELY, d->passes = 1, d->until = cycle;
    tw_wse_halt_at(d->w, cycle);
    tw__csl_go(d);
}

static void do_cycle(debugger *d, char *args)
{
    uint64_t count = is_running(d) ? times(d, args) : 0;
    uint64_t now = MAX(tw_wse_cycle(d->w), d->cycle);
    if (count) go_to_cycle(d, count < UINT64_MAX - now ? now + count : UINT64_MAX);
}

static void do_continue(debugger *d, char *args)
{
    if (!is_running(d)) return;
    if (g_str_has_prefix(args, "to ")) {
        char *end, *text = g_strstrip(args + 3);
        uint64_t cycle = g_ascii_strtoull(text, &end, 10);
        if (!g_ascii_isdigit(*text) || *end)
            complain(d, "'%s' is no cycle.", text);
        else if (cycle <= tw_wse_cycle(d->w))
            complain(d, "Cycle %" PRIu64 " is over: the wafer is at cycle %" PRIu64 ".", cycle, tw_wse_cycle(d->w));
        else
            go_to_cycle(d, cycle);
        return;
    }
    uint64_t count = times(d, args);
    if (!count) return;
    d->mode = FREELY, d->passes = count;
    tw__csl_go(d);
}

static void do_until(debugger *d, char *args)
{
    guint before = d->breakpoints->len;
    if (!is_running(d)) return;
    if (!*args) {
        complain(d, "until LOCATION");
        return;
    }
    tw__csl_tbreak(d, args);
    if (d->breakpoints->len > before) do_continue(d, (char[]){ "" });
}

/* From another place of the function that the PE stands in. */
static void do_jump(debugger *d, char *args)
{
    if (!is_running(d)) return;
    if (!*args) {
        complain(d, "jump LOCATION");
        return;
    }
    g_autoptr(GArray) codes = g_array_new(FALSE, FALSE, sizeof(tw_wse_code));
    if (!tw__csl_locations(d, args, codes)) return;
    int program = tw_wse_program_of(d->w, d->x, d->y);
    const tw_wse_code *to = NULL;
    unsigned own = 0; /* calls that were put in have one each */
    for (guint i = 0; i < codes->len; i++) {
        const tw_wse_code *c = &g_array_index(codes, tw_wse_code, i);
        if ((int)c->program != program) continue;
        own++;
        if (!to && tw_wse_jump(d->w, d->x, d->y, c->at) == TW_OK) to = c;
    }
    if (!to) {
        if (own)
            complain(d, "%s.", tw_error_message());
        else
            complain(d, "PE %u,%u has no code there.", d->x, d->y);
        return;
    }
    printf("Continuing ");
    tw__csl_put_code(to);
    printf(own > 1 ? ", one of %u such places\n" : "\n", own);
    do_continue(d, (char[]){ "" });
}

/* --- stops ---------------------------------------------------------------------------------------------------- */

static void read_commands(debugger *d, const tw_wse_halt *halt)
{
    fflush(stdout);
    let_interrupt(NULL);
    if (d->dap)
        calm(d), tw__csl_dap_stop(d, halt);
    else
        tw__reader_run(&d->reader);
    let_interrupt(d->w);
    if (d->reader.ended) d->leave = true;
    if (d->leave) tw__csl_be_silent(true);
}

static void tell_cycle(const debugger *d)
{
    uint64_t wafer = tw_wse_cycle(d->w);
    printf("[cycle %" PRIu64, d->cycle);
    if (d->cycle > wafer) printf(", the wafer is at %" PRIu64, wafer);
    printf("] PE %u,%u: ", d->x, d->y);
}

/* Before an instruction: does it stop there? */
static bool stops(debugger *d, const tw_wse_halt *halt)
{
    breakpoint *b = tw__csl_hit(d, halt);
    if (b && d->dap && tw__csl_dap_logs(d, halt, b->id)) b = tw__csl_first_change(d);
    if (b && --d->passes == 0) {
        d->x = halt->x, d->y = halt->y, d->hit = b->id;
        tw__csl_tell_changes(d);
        if (!b->watched) printf("%s %u, ", b->temporary ? "Temporary breakpoint" : "Breakpoint", b->id);
        if (b->temporary) tw__csl_forget(d, b);
        return true;
    }
    if (!far_enough(d, halt)) return false;
    if (--d->steps == 0) return true;
    anchor(d);
    return false;
}

static bool halted(void *user, const tw_wse_halt *halt)
{
    debugger *d = user;
    if (d->leave) return false;
    if (d->dap && tw__csl_dap_passes(d, halt)) return true;
    uint64_t before = d->cycle;
    d->hit = 0;
    d->cycle = halt->cycle;
    d->frame = 0;
    if (halt->reason == TW_WSE_AT_CODE && !stops(d, halt)) {
        d->cycle = before;
        return true;
    }
    tw_wse_follow(d->w, d->x, d->y, false);
    tw_wse_halt_at(d->w, d->until = UINT64_MAX);
    g_clear_pointer(&d->list_file, g_free);
    if (halt->has_pe) d->x = halt->x, d->y = halt->y;
    if (halt->reason == TW_WSE_AT_INTERRUPT) puts("Interrupted.");
    if (halt->reason == TW_WSE_AT_FAULT) puts("The program stopped.");
    if (halt->reason == TW_WSE_AT_DEADLOCK)
        puts("Nothing can happen any more, and something waits: 'why X,Y' says what a PE waits for.");
    tell_cycle(d);
    tw__csl_show_place(d);
    tw__csl_show_displays(d);
    read_commands(d, halt);
    return !d->leave;
}

/* --- runs ----------------------------------------------------------------------------------------------------- */

static bool open_wafer(debugger *d)
{
    tw_wse_free(d->w);
    d->w = tw__csl_wafer(d->program, d->settings);
    if (!d->w || tw_wse_debug(d->w, halted, d) != TW_OK) {
        tw__csl_failed();
        return false;
    }
    d->fresh = true, d->cycle = tw_wse_resumed_at(d->w), d->frame = 0;
    tw__csl_mark_all(d);
    return true;
}

bool tw__csl_start(debugger *d)
{
    bool good = true;
    do {
        d->again = d->leave = false;
        if (!d->fresh && !open_wafer(d)) {
            d->reader.failed = d->reader.ended = true;
            return false;
        }
        d->running = true, d->fresh = false, d->mode = FREELY, d->passes = 1, d->until = UINT64_MAX;
        if (d->dap) tw__csl_dap_tick(d);
        fflush(stdout);
        let_interrupt(d->w);
        good = tw__csl_drive(d->program, d->w, d->settings) == TW__EXIT_OK;
        let_interrupt(NULL);
        tw__csl_be_silent(false);
        d->running = false, d->reader.go = false, d->frame = 0, d->cycle = tw_wse_cycle(d->w);
    } while (d->again && !d->reader.ended);
    if (!d->leave)
        printf("[the run %s, at cycle %" PRIu64 "]\n", good ? "is over" : "has failed", tw_wse_cycle(d->w));
    return good;
}

static void do_run(debugger *d, char *args)
{
    (void)args;
    if (d->running) /* the one under way ends first */
        d->again = d->leave = d->reader.go = true;
    else if (d->dap)
        complain(d, "The client starts it.");
    else
        tw__csl_start(d);
}

static void do_pe(debugger *d, char *args)
{
    const char *text = args;
    unsigned x, y;
    if (*args && (!tw__csl_read_pe(&text, &x, &y) || *text)) {
        complain(d, "'%s' is no PE: X,Y.", args);
        return;
    }
    if (*args && !tw__csl_choose_pe(d, x, y)) return;
    printf("PE %u,%u: ", d->x, d->y);
    tw__csl_show_place(d);
}

static void do_info(debugger *d, char *args)
{
    tw__reader_sub(&d->reader, "info", tw__csl_infos, tw__csl_info_count, args);
}

static void do_help(debugger *d, char *args)
{
    tw__reader_help(&d->reader, args);
}

static void do_quit(debugger *d, char *args)
{
    (void)args;
    d->reader.ended = true;
}

static const tw__word words[] = {
    { "run", "r start", "", "start, or start again with a fresh wafer: the command line's actions", do_run },
    { "step", "s", "[N]", "the PE to another source line, into calls", do_step },
    { "stepi", "si", "[N]", "the PE by one instruction", do_stepi },
    { "next", "n", "[N]", "the PE to another source line, over calls", do_next },
    { "nexti", "ni", "[N]", "the PE by one instruction, over calls", do_nexti },
    { "cycle", "stepc", "[N]", "the wafer by a cycle", do_cycle },
    { "continue", "c fg", "[N | to CYCLE]", "to a breakpoint (the Nth), a cycle, a fault or the end", do_continue },
    { "finish", "fin", "", "until the function has returned", do_finish },
    { "until", "u advance", "LOCATION", "continue to a place", do_until },
    { "jump", "j", "LOCATION", "continue from another place of the function; registers stay", do_jump },
    { "break", "b br", "[LOCATION] [at X,Y] [if VALUE]",
      "pe.csl:12, 12, a function or task; a PE's tasks; a condition", tw__csl_break },
    { "tbreak", "tb", "[LOCATION] [at X,Y] [if VALUE]", "a breakpoint for one stop", tw__csl_tbreak },
    { "watch", "", "VALUE [at X,Y]", "a PE stops at the line behind the one that has changed it", tw__csl_watch },
    { "delete", "d", "[N...]", "remove breakpoints, or all", tw__csl_delete },
    { "enable", "", "[N...]", "breakpoints that were disabled", tw__csl_enable },
    { "disable", "dis", "[N...]", "keep breakpoints without effect", tw__csl_disable },
    { "ignore", "", "N COUNT", "so many hits of breakpoint N do not stop", tw__csl_ignore },
    { "print", "p inspect", "[/FORMAT] VALUE", "x, a[2, 0:4], a@8, p.*, *p@8, m.x, &a, $r4; x d u t c f",
      tw__csl_print },
    { "ptype", "whatis", "VALUE", "type of a value: ptype a, ptype p.*", tw__csl_ptype },
    { "display", "", "[[/FORMAT] VALUE]", "print it at each stop; without VALUE: now", tw__csl_display },
    { "undisplay", "", "[N]", "no longer print number N, or any", tw__csl_undisplay },
    { "x", "", "[/COUNT FORMAT SIZE] ADDRESS", "memory: x d u t c f, sizes b h w; i instructions", tw__csl_x },
    { "set", "", "PLACE = VALUE", "a variable, a[2], p.*, $h[0x40], $r4, of the PE looked at", tw__csl_set },
    { "backtrace", "bt where", "", "calls that have not returned", tw__csl_backtrace },
    { "frame", "f", "[N]", "look at frame N of the backtrace", tw__csl_frame },
    { "up", "", "[N]", "the frame that called this one, or N frames out", tw__csl_up },
    { "down", "", "[N]", "the frame that this one called, or N frames in", tw__csl_down },
    { "list", "l", "[LOCATION]", "ten source lines, then the next ten", tw__csl_list },
    { "disassemble", "disas", "[LOCATION]", "instructions around a place", tw__csl_disassemble },
    { "info", "i", "WHAT", "pes, tasks, queues, break, routes, ...: 'info' lists them", do_info },
    { "why", "", "[X,Y]", "what a PE waits for", tw__csl_why },
    { "pe", "t thread", "[X,Y]", "look at another PE", do_pe },
    { "directory", "dir", "FOLDER", "look for sources there, too", tw__csl_directory },
    { "help", "h", "[COMMAND]", "this list", do_help },
    { "quit", "q exit", "", "end", do_quit },
};

static void free_lines(void *lines)
{
    g_strfreev(lines);
}

/* Functions and tasks of all programs, for completion. */
static void csl_names(debugger *d, void (*add)(void *list, const char *name), void *list)
{
    enum { MOST = 4096 };
    g_autofree tw_wse_code *codes = g_new(tw_wse_code, MOST);
    size_t count = tw_wse_find_code(d->w, "*", codes, MOST);
    for (size_t i = 0; i < MIN(count, MOST); i++)
        if (*codes[i].function) add(list, codes[i].function);
}

int tw__csl_debug(const tw_csl_program *program, tw__csl_settings *s)
{
    debugger d = { .program = program, .settings = s, .next_id = 1 };
    struct sigaction action = { .sa_handler = on_interrupt }, before;
    tw_csl_get_info(program, &d.info);
    d.breakpoints = g_ptr_array_new_with_free_func(tw__csl_free_breakpoint);
    d.sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_lines);
    d.folders = g_ptr_array_new_with_free_func(g_free);
    d.reader = (tw__reader){ .prompt = "(csl) ",
                             .words = words,
                             .count = G_N_ELEMENTS(words),
                             .debugger = &d,
                             .infos = tw__csl_infos,
                             .info_count = tw__csl_info_count,
                             .names = csl_names,
                             .calm = calm,
                             .terminal = isatty(STDIN_FILENO) };
    d.dap = s->dap;
    sigaction(SIGINT, &action, &before);
    int result = open_wafer(&d) ? TW__EXIT_OK : TW__EXIT_FAILURE;
    if (result == TW__EXIT_OK && d.dap) {
        tw__dap_session(d.dap, &d);
    } else if (result == TW__EXIT_OK) {
        printf("%u x %u PEs, %u tile program%s", d.info.width, d.info.height, d.info.programs,
               d.info.programs == 1 ? "" : "s");
        if (d.cycle) printf(", from a checkpoint at cycle %" PRIu64, d.cycle);
        puts("; 'run' starts, 'help' lists the commands.");
        tw__reader_run(&d.reader);
        result = d.reader.failed && !d.reader.terminal ? TW__EXIT_FAILURE : TW__EXIT_OK;
    }
    sigaction(SIGINT, &before, NULL);
    tw_wse_free(d.w);
    g_ptr_array_free(d.breakpoints, TRUE);
    if (d.displays) g_array_free(d.displays, TRUE);
    g_hash_table_destroy(d.sources);
    g_ptr_array_free(d.folders, TRUE);
    g_free(d.list_file);
    tw__reader_close(&d.reader);
    return result;
}
