/* SPDX-License-Identifier: MIT */
/* `tilewright sim --interactive`: the commands, and those that only look. */
#include "cli/colossus/sim_debug.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- looking ---------------------------------------------------------------------------------------------------- */

/* "/4xw rest": the part behind the slash to *count, *format and *size; returns the rest. */
static char *read_format(char *args, unsigned *count, char *format, char *size)
{
    if (*args != '/') return args;
    char *end;
    args++;
    if (isdigit((unsigned char)*args)) {
        guint64 n = g_ascii_strtoull(args, &end, 10);
        *count = n < 10000 ? (unsigned)n : 10000, args = end;
    }
    for (; *args && !isspace((unsigned char)*args); args++)
        if (strchr("bhwg", *args) && size)
            *size = *args;
        else
            *format = *args;
    return g_strchug(args);
}

void tw__debug_print(debugger *d, char *args)
{
    char format = 0, *error;
    unsigned count = 1;
    tw__sim_value value;
    args = read_format(args, &count, &format, NULL);
    if (!d->s->sim) { /* in graphs, between vertices */
        if (!d->tensor(d, args)) tw__debug_complain(d, "%s.", tw_error_message());
        return;
    }
    if (!format && tw__debug_print_array(d, args)) return;
    g_autofree char *wrong = NULL;
    char *text = format ? NULL : tw__source_print(d->s, d->context, args, &wrong);
    if (text) {
        printf("%s = %s\n", args, text);
        free(text);
        return;
    }
    bool is_part = tw_error_status() == TW_E_TYPE;
    if (!format && d->tensor && d->tensor(d, args)) return;
    if (wrong && is_part) { /* it is a variable, and no symbol either */
        tw__debug_complain(d, "%s.", wrong);
        return;
    }
    if (format && !strchr("xduotacfh", format))
        tw__debug_complain(d, "There is no format '%c': x d u o t a c f, and h for two halves.", format);
    else if (!tw__sim_evaluate(d->s, d->context, args, &value, &error))
        tw__debug_complain(d, "%s.", wrong ? wrong : error), g_free(error);
    else
        printf("%s = ", args), tw__sim_show_value(d->s, &value, format);
}

static void do_x(debugger *d, char *args)
{
    unsigned count = 1;
    char *error = NULL;
    tw__sim_value value;
    args = read_format(args, &count, &d->x_format, &d->x_size);
    if (!strchr("xduotacfsi", d->x_format)) {
        tw__debug_complain(d, "There is no format '%c': x d u o t a c f s i, sizes b h w g.", d->x_format);
        d->x_format = 'x';
        return;
    }
    if (*args && !tw__sim_evaluate(d->s, d->context, args, &value, &error)) {
        tw__debug_complain(d, "%s.", error), g_free(error);
        return;
    }
    if (*args) d->x_next = value.words[0];
    if (!tw__sim_show_memory(d->s, d->context, count, d->x_format, d->x_size, &d->x_next, &error))
        tw__debug_complain(d, "%s.", error), g_free(error);
}

static void do_set(debugger *d, char *args)
{
    char *error;
    if (g_str_has_prefix(args, "var ")) args = g_strchug(args + 4);
    if (tw__sim_assign(d->s, d->context, args, &error)) return;
    tw__debug_complain(d, "%s.", error);
    g_free(error);
}

static void do_backtrace(debugger *d, char *args)
{
    uint32_t at;
    unsigned shown = 0;
    (void)args;
    for (guint i = 0; tw__debug_frame(d, i, &at); i++) shown += tw__source_backtrace(d, shown, at);
}

/* Frame `n` of the backtrace: the function of one call, and how far out of what was inlined into it. */
static bool find_frame(const debugger *d, guint64 n, guint *call, unsigned *inlined, uint32_t *at)
{
    for (*call = 0; tw__debug_frame(d, *call, at); ++*call) {
        unsigned depth = MAX(tw__source_depth(d->s, *at), 1);
        *inlined = (unsigned)MIN(n, G_MAXUINT);
        if (n < depth) return true;
        n -= depth;
    }
    return false;
}

static bool choose_frame(debugger *d, guint64 n, unsigned *inlined, uint32_t *at)
{
    guint call;
    if (!find_frame(d, n, &call, inlined, at)) return false;
    d->s->inlined = *inlined, d->s->frame = (unsigned)n, d->s->calls = call, d->s->back = tw__debug_back(d, call);
    return true;
}

bool tw__debug_choose_frame(debugger *d, unsigned n)
{
    unsigned inlined;
    uint32_t at;
    return choose_frame(d, n, &inlined, &at);
}

static void do_frame(debugger *d, char *args)
{
    char *end;
    guint64 n = g_ascii_strtoull(args, &end, 10);
    uint32_t at;
    unsigned inlined;
    if (*end || !choose_frame(d, n, &inlined, &at)) {
        tw__debug_complain(d, "There is no frame '%s': backtrace shows them.", args);
        return;
    }
    if (n && tw__source_show_frame(d, (unsigned)n, inlined, at)) return;
    if (n) printf("#%u ", (guint)n);
    tw__sim_show_address(d->s, d->context, at);
}

static void frame_beside(debugger *d, char *args, bool outwards)
{
    char *end;
    guint64 n = *args ? g_ascii_strtoull(args, &end, 10) : 1;
    if (*args && (*end || !n || n > G_MAXINT)) {
        tw__debug_complain(d, "'%s' is no number of frames.", args);
        return;
    }
    if (!outwards && n > d->s->frame) {
        tw__debug_complain(d, "Frame %u is %s.", d->s->frame, d->s->frame ? "not so far out" : "the innermost");
        return;
    }
    g_autofree char *to = g_strdup_printf("%u", (unsigned)(outwards ? d->s->frame + n : d->s->frame - n));
    do_frame(d, to);
}

static void do_up(debugger *d, char *args)
{
    frame_beside(d, args, true);
}

static void do_down(debugger *d, char *args)
{
    frame_beside(d, args, false);
}

enum { LISTED = 10 };

static void do_list(debugger *d, char *args)
{
    const char *file, *text;
    uint32_t at = tw_sim_get_pc(d->s->sim, d->context), line;
    if (*args && !tw__debug_locate(d, args, &at)) return;
    if (*args || !d->list_file) {
        if (!tw_sim_line_at(d->s->sim, at, &file, &line)) {
            tw__debug_complain(d, "The source of 0x%x is not known.", at);
            return;
        }
        d->list_file = file, d->list_line = line > LISTED / 2 ? line - LISTED / 2 : 1;
    }
    unsigned shown = 0;
    for (; shown < LISTED && (text = tw__sim_source_line(d->s, d->list_file, d->list_line)); shown++)
        printf("%u\t%s\n", d->list_line++, text);
    if (!shown) tw__debug_complain(d, "%s has no line %u that can be read.", d->list_file, d->list_line);
}

static void do_disassemble(debugger *d, char *args)
{
    uint32_t pc = tw_sim_get_pc(d->s->sim, d->context), at = pc, end = 0, offset;
    char *comma = strchr(args, ',');
    const char *name = NULL, *other;
    if (comma) *comma = 0, g_strstrip(args);
    if (*args && !tw__debug_locate(d, args, &at)) return;
    if (comma && !tw__debug_locate(d, g_strstrip(comma + 1), &end)) return;
    if (!comma && tw_sim_symbol_at(d->s->sim, at, &name, &offset)) {
        at -= offset;
        for (end = at + 4; tw_sim_symbol_at(d->s->sim, end, &other, NULL) && strcmp(other, name) == 0;) end += 4;
    }
    if (!end) end = at + 32;
    if (end > at && end - at > 0x10000) end = at + 0x10000;
    tw__sim_show_code(d->s, at, end, pc);
}

/* --- info ------------------------------------------------------------------------------------------------------- */

static void info_registers(debugger *d, char *args)
{
    if (!*args) tw__sim_show_registers(d->s, d->context);
    g_auto(GStrv) words = g_strsplit_set(args, " \t", -1);
    for (char **word = words; *word; word++) {
        if (!**word) continue;
        g_autofree char *name = g_strconcat(**word == '$' ? "" : "$", *word, NULL);
        tw__debug_print(d, name);
    }
}

static void info_breakpoints(debugger *d, char *args)
{
    (void)args;
    if (!d->breakpoints->len) puts("No breakpoints.");
    for (guint i = 0; i < d->breakpoints->len; i++) {
        const breakpoint *b = &g_array_index(d->breakpoints, breakpoint, i);
        const char *kind = b->value ? "watch " : b->temporary ? "once  " : "always";
        printf("%-4u %s %s ", b->id, kind, b->enabled ? "on " : "off");
        if (b->value)
            printf("%s", b->text);
        else
            tw__debug_tell_address(d, b->address);
        if (b->condition) printf(" if %s", b->condition);
        if (b->hits) printf(", hit %" G_GUINT64_FORMAT " times", b->hits);
        putchar('\n');
    }
}

static void info_threads(debugger *d, char *args)
{
    static const char *const states[] = { "idle", "active", "stopped by an exception" };
    (void)args;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) {
        printf("%c %u  %-14s  %s, %" PRIu64 " %s, ", i == d->context ? '*' : ' ', i, tw__sim_context_name(i),
               states[tw_sim_get_state(d->s->sim, i)], tw_sim_turns(d->s->sim, i),
               i == TW_SIM_SUPERVISOR ? "cycles" : "turns");
        tw__debug_tell_address(d, tw_sim_get_pc(d->s->sim, i));
        putchar('\n');
    }
}

static void info_place(debugger *d, char *args)
{
    uint32_t at = tw_sim_get_pc(d->s->sim, d->context);
    if (*args && !tw__debug_locate(d, args, &at)) return;
    tw__debug_tell_address(d, at);
    putchar('\n');
}

static void info_cycles(debugger *d, char *args)
{
    (void)args;
    printf("%" PRIu64 " cycles; %s: %" PRIu64 "\n", tw_sim_cycles(d->s->sim), tw__sim_context_name(d->context),
           tw_sim_turns(d->s->sim, d->context));
}

/* --- the commands ----------------------------------------------------------------------------------------------- */

const tw__word tw__sim_infos[] = {
    { "registers", "r reg", "[NAME...]", "registers of the context, or some", info_registers },
    { "breakpoints", "b", "", "breakpoints", info_breakpoints },
    { "threads", "t workers", "", "contexts of the tile", info_threads },
    { "line", "", "[LOCATION]", "source line of a place", info_place },
    { "symbol", "", "[LOCATION]", "symbol at a place", info_place },
    { "cycles", "", "", "cycles of the tile and of the context", info_cycles },
    { "locals", "", "", "variables of the function, or of the frame that was chosen", tw__source_locals },
};
const size_t tw__sim_info_count = G_N_ELEMENTS(tw__sim_infos);

static void do_info(debugger *d, char *args);
static void do_thread(debugger *d, char *args);
static void do_help(debugger *d, char *args);
static void do_quit(debugger *d, char *args);

const tw__word tw__sim_words[] = {
    { "run", "r start", "", "start again, with memory and registers as at first", tw__debug_run },
    { "step", "s", "[N]", "to another source line, into calls", tw__debug_step },
    { "stepi", "si", "[N]", "one instruction or bundle", tw__debug_stepi },
    { "next", "n", "[N]", "to another source line, over calls", tw__debug_next },
    { "nexti", "ni", "[N]", "one instruction or bundle, over calls", tw__debug_nexti },
    { "continue", "c fg", "[N]", "to a breakpoint (the Nth), an exception or the end", tw__debug_continue },
    { "finish", "fin", "", "until the function has returned", tw__debug_finish },
    { "until", "u advance", "LOCATION", "continue to a place", tw__debug_until },
    { "jump", "j", "LOCATION", "continue from another place; registers stay: jump loop", tw__debug_jump },
    { "break", "b br", "[LOCATION] [if VALUE]", "f, f + 8, 12, file.s:12 (lines), 0x4c000, *$m0", tw__debug_break },
    { "tbreak", "tb", "[LOCATION] [if VALUE]", "a breakpoint for one stop", tw__debug_tbreak },
    { "watch", "w", "VALUE", "stop behind what changes it: watch $m0, watch *0x82000, watch sum", tw__debug_watch },
    { "delete", "d", "[N...]", "remove breakpoints, or all", tw__debug_delete },
    { "enable", "", "[N...]", "breakpoints that were disabled", tw__debug_enable },
    { "disable", "dis", "[N...]", "keep breakpoints without effect", tw__debug_disable },
    { "ignore", "", "N COUNT", "so many hits of breakpoint N do not stop", tw__debug_ignore },
    { "print", "p inspect", "[/FORMAT] VALUE",
      "$m0, $a0:1, $FP_STS, f + 4, *0x82000; x, p->y, a[3], *p@4; x d u o t a c f h", tw__debug_print },
    { "ptype", "whatis", "VALUE", "type of a variable, or of that name: ptype *p, ptype Point", tw__source_ptype },
    { "display", "", "[[/FORMAT] VALUE]", "print it at each stop: display $m0, display/i $pc; without VALUE: now",
      tw__debug_display },
    { "undisplay", "", "[N]", "no longer print number N, or any", tw__debug_undisplay },
    { "x", "", "[/COUNT FORMAT SIZE] ADDRESS", "memory: x d u o t a c f s i, sizes b h w g", do_x },
    { "set", "", "PLACE = VALUE", "a register ($m0), a word of memory (*0x82000), a variable (p.y)", do_set },
    { "backtrace", "bt where", "", "calls that have not returned", do_backtrace },
    { "frame", "f", "[N]", "where the context stands, or the call that frame N of the backtrace is in", do_frame },
    { "up", "", "[N]", "the frame that called this one, or N frames out", do_up },
    { "down", "", "[N]", "the frame that this one called, or N frames in", do_down },
    { "list", "l", "[LOCATION]", "ten source lines, then the next ten", do_list },
    { "disassemble", "disas", "[LOCATION[, END]]", "the function, or from a place to another", do_disassemble },
    { "info", "i", "WHAT", "registers, breakpoints, threads, line, symbol, cycles, locals", do_info },
    { "thread", "t worker", "[N]", "look at another context: 0 to 5, 6 the supervisor", do_thread },
    { "help", "h", "[COMMAND]", "this list", do_help },
    { "quit", "q exit", "", "end", do_quit },
};
const size_t tw__sim_word_count = G_N_ELEMENTS(tw__sim_words);

static void do_info(debugger *d, char *args)
{
    tw__reader_sub(&d->reader, "info", tw__sim_infos, tw__sim_info_count, args);
}

static void do_thread(debugger *d, char *args)
{
    char *end;
    guint64 n = g_ascii_strtoull(args, &end, 10);
    if (*args && (*end || n >= TW_SIM_CONTEXTS)) {
        tw__debug_complain(d, "There is no context %s: 0 to 5 are workers, 6 is the supervisor.", args);
        return;
    }
    if (*args) d->context = (unsigned)n, d->list_file = NULL, d->s->inlined = d->s->frame = d->s->calls = 0;
    printf("%s: ", tw__sim_context_name(d->context));
    tw__sim_show_place(d->s, d->context);
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

/* Functions and labels, and registers that have names. */
void tw__sim_names(debugger *d, void (*add)(void *list, const char *name), void *list)
{
    static const char *const registers[] = { "$pc", "$sp", "$lr", "$bp", "$fp", "$mvertex_base", "$mworker_base" };
    const tw_symbol *s;
    for (size_t i = 0; d->s->image && (s = tw_object_get_symbol(d->s->image, i)); i++)
        if (s->type != TW_SYMBOL_SECTION && s->name && *s->name) add(list, s->name);
    for (size_t i = 0; d->s->image && i < G_N_ELEMENTS(registers); i++) add(list, registers[i]);
}

int tw__sim_debug(tw__sim_session *s)
{
    debugger d;
    tw__debug_open(&d, s);
    d.reader = (tw__reader){ .prompt = "(sim) ",
                             .words = tw__sim_words,
                             .count = tw__sim_word_count,
                             .debugger = &d,
                             .infos = tw__sim_infos,
                             .info_count = tw__sim_info_count,
                             .names = tw__sim_names,
                             .calm = tw__debug_calm,
                             .terminal = isatty(STDIN_FILENO) };
    d.dap = s->r->dap;
    if (d.dap) {
        tw__dap_session(d.dap, &d);
    } else {
        tw__sim_show_place(s, d.context);
        tw__reader_run(&d.reader);
    }
    int result = d.reader.failed && !d.reader.terminal ? TW__EXIT_FAILURE : TW__EXIT_OK;
    tw__debug_close(&d);
    return result;
}
