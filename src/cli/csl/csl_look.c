/* SPDX-License-Identifier: MIT */
/* `tilewright csl debug`: commands that only look. */
#include "cli/csl/csl_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values ---------------------------------------------------------------------------------------------------- */

/* "/4xw rest": the part behind the slash; returns the rest. */
static char *read_format(char *args, unsigned *count, char *format, char *size)
{
    if (*args != '/') return args;
    char *end;
    args++;
    if (g_ascii_isdigit(*args)) {
        guint64 n = g_ascii_strtoull(args, &end, 10);
        *count = n < 10000 ? (unsigned)n : 10000, args = end;
    }
    for (; *args && !g_ascii_isspace(*args); args++)
        if (size && strchr("bhw", *args))
            *size = *args;
        else
            *format = *args;
    return g_strchug(args);
}

char *tw__csl_read_format(debugger *d, char *args, char *format)
{
    unsigned count = 1;
    args = read_format(args, &count, format, NULL);
    if (!*format || strchr("xdutcf", *format)) return args;
    complain(d, "There is no format '%c': x d u t c f.", *format);
    return NULL;
}

void tw__csl_print(debugger *d, char *args)
{
    char format = 0;
    args = tw__csl_read_format(d, args, &format);
    if (!args) return;
    char *text = tw_wse_print(d->w, d->x, d->y, d->frame, args, format);
    if (text)
        printf("%s = %s\n", args, text);
    else
        complain(d, "%s.", tw_error_message());
    free(text);
}

void tw__csl_ptype(debugger *d, char *args)
{
    if (!*args) {
        complain(d, "ptype VALUE");
        return;
    }
    char *text = tw_wse_type_text(d->w, d->x, d->y, d->frame, args);
    if (text)
        printf("type = %s\n", text);
    else
        complain(d, "%s.", tw_error_message());
    free(text);
}

/* Instructions from `at` on, the one at `pc` marked. */
static void put_instructions(debugger *d, unsigned program, unsigned at, unsigned count, int64_t pc)
{
    for (; count--; at++) {
        char *text = tw_wse_instruction(d->w, program, at);
        if (!text) break;
        printf("%s %5u  %s\n", at == pc ? "=>" : "  ", at, text);
        free(text);
    }
}

/* The tile program and the instruction that the PE looked at is in; false: it is in no task. */
static bool where(const debugger *d, tw_wse_frame *f)
{
    return tw_wse_get_frame(d->w, d->x, d->y, d->frame, f);
}

static void no_task(debugger *d)
{
    complain(d, "PE %u,%u is in no task.", d->x, d->y);
}

void tw__csl_x(debugger *d, char *args)
{
    static const struct {
        char size;
        unsigned bytes;
    } sizes[] = { { 'b', 1 }, { 'h', 2 }, { 'w', 4 } };
    char format = 'x', size = 'h';
    unsigned count = 1, bytes = 2;
    args = read_format(args, &count, &format, &size);
    if (!strchr("xdutcfi", format)) {
        complain(d, "There is no format '%c': x d u t c f i, sizes b h w.", format);
        return;
    }
    tw_wse_frame f;
    if (format == 'i') {
        if (where(d, &f))
            put_instructions(d, f.code.program, f.code.at, count, f.code.at);
        else
            no_task(d);
        return;
    }
    char *text = tw_wse_print(d->w, d->x, d->y, d->frame, args, 'd'), *end = NULL;
    long address = text ? strtol(text, &end, 0) : -1;
    if (!text || *end) {
        complain(d, "%s.", text ? "This is no address" : tw_error_message());
        free(text);
        return;
    }
    free(text);
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        if (sizes[i].size == size) bytes = sizes[i].bytes;
    for (unsigned i = 0; i < count; i++, address += bytes) {
        g_autofree char *place = g_strdup_printf("$%c[%ld]", size, address);
        char *value = tw_wse_print(d->w, d->x, d->y, d->frame, place, format);
        if (!value) {
            if (i % 8) putchar('\n');
            complain(d, "%s.", tw_error_message());
            return;
        }
        if (i % 8 == 0) printf("0x%04lx:", (unsigned long)address);
        printf(" %s%s", value, i % 8 == 7 || i + 1 == count ? "\n" : "");
        free(value);
    }
}

/* "[var] PLACE = VALUE" */
void tw__csl_set(debugger *d, char *args)
{
    if (g_str_has_prefix(args, "var ")) args = g_strchug(args + 4);
    char *sign = strchr(args, '=');
    if (!sign || sign == args || sign[1] == '=') {
        complain(d, "set PLACE = VALUE.");
        return;
    }
    *sign = 0;
    if (tw_wse_assign(d->w, d->x, d->y, d->frame, g_strstrip(args), g_strstrip(sign + 1)) != TW_OK)
        complain(d, "%s.", tw_error_message());
}

/* --- frames ---------------------------------------------------------------------------------------------------- */

void tw__csl_put_code(const tw_wse_code *code)
{
    printf("in '%s'", code->function);
    if (code->line) printf(" at %s:%u", code->file, code->line);
}

static void put_frame(unsigned n, const tw_wse_frame *f)
{
    printf("#%-2u ", n);
    tw__csl_put_code(&f->code);
    puts(f->inlined ? " (inlined)" : f->left_out ? " (frames of calls that ended in this one are left out)" : "");
}

void tw__csl_backtrace(debugger *d, char *args)
{
    tw_wse_frame f;
    unsigned n = 0;
    (void)args;
    while (tw_wse_get_frame(d->w, d->x, d->y, n, &f)) put_frame(n++, &f);
    if (!n) no_task(d);
}

/* The line that the PE stands at, or what it does. */
static void show_frame(debugger *d)
{
    tw_wse_frame f;
    if (!where(d, &f)) {
        char *text = tw_wse_show(d->w, d->x, d->y, 0, TW_WSE_VIEW_PE);
        fputs(text ? text : "\n", stdout);
        free(text);
        return;
    }
    tw__csl_put_code(&f.code);
    putchar('\n');
    const char *line = tw__csl_source_line(d, f.code.file, f.code.line);
    if (line) {
        printf("%u\t%s\n", f.code.line, line);
        return;
    }
    char *text = tw_wse_instruction(d->w, f.code.program, f.code.at);
    if (text) printf("%u\t%s\n", f.code.at, text);
    free(text);
}

void tw__csl_show_place(debugger *d)
{
    show_frame(d);
}

void tw__csl_frame(debugger *d, char *args)
{
    char *end;
    guint64 n = *args ? g_ascii_strtoull(args, &end, 10) : d->frame;
    tw_wse_frame f;
    if (*args && (*end || *args == '-' || n > UINT32_MAX || !tw_wse_get_frame(d->w, d->x, d->y, (unsigned)n, &f))) {
        complain(d, "There is no frame '%s': backtrace shows them.", args);
        return;
    }
    d->frame = (unsigned)n;
    g_clear_pointer(&d->list_file, g_free);
    printf("#%-2u ", d->frame);
    show_frame(d);
}

static void frame_beside(debugger *d, char *args, bool out)
{
    char *end;
    guint64 n = *args ? g_ascii_strtoull(args, &end, 10) : 1;
    if (*args && (*end || !n || n > G_MAXINT || *args == '-')) {
        complain(d, "'%s' is no number of frames.", args);
        return;
    }
    if (!out && n > d->frame) {
        complain(d, "Frame %u is %s.", d->frame, d->frame ? "not so far out" : "the innermost");
        return;
    }
    g_autofree char *to = g_strdup_printf("%u", (unsigned)(out ? d->frame + n : d->frame - n));
    tw__csl_frame(d, to);
}
void tw__csl_up(debugger *d, char *args)
{
    frame_beside(d, args, true);
}
void tw__csl_down(debugger *d, char *args)
{
    frame_beside(d, args, false);
}

void tw__csl_disassemble(debugger *d, char *args)
{
    enum { AROUND = 8 };
    tw_wse_frame f;
    tw_wse_code code;
    bool in_task = where(d, &f);
    int64_t pc = in_task ? (int64_t)f.code.at : -1;
    if (*args && tw_wse_find_code(d->w, args, &code, 1) == 0) {
        complain(d, "%s.", tw_error_message());
    } else if (*args) {
        put_instructions(d, code.program, code.at, 2 * AROUND, in_task && f.code.program == code.program ? pc : -1);
    } else if (in_task) {
        unsigned first = f.code.at > AROUND ? f.code.at - AROUND : 0;
        put_instructions(d, f.code.program, first, 2 * AROUND, pc);
    } else {
        no_task(d);
    }
}

/* --- the state of PEs ----------------------------------------------------------------------------------------- */

/* A view of the PE looked at, or of the one that is named. */
static void view(debugger *d, const char *args, tw_wse_view what, const char *nothing)
{
    unsigned x = d->x, y = d->y;
    if (*args && (!tw__csl_read_pe(&args, &x, &y) || *args)) {
        complain(d, "'%s' is no PE: X,Y.", args);
        return;
    }
    bool own = x == d->x && y == d->y;
    char *text = tw_wse_show(d->w, x, y, own ? d->frame : 0, what);
    if (!text)
        complain(d, "%s.", tw_error_message());
    else if (*text)
        fputs(text, stdout);
    else
        printf("PE %u,%u: %s\n", x, y, nothing);
    free(text);
}

void tw__csl_why(debugger *d, char *args)
{
    view(d, args, TW_WSE_VIEW_WHY, "it waits for nothing");
}

#define VIEW(name, what, nothing)                    \
    static void info_##name(debugger *d, char *args) \
    {                                                \
        view(d, args, TW_WSE_VIEW_##what, nothing);  \
    }
VIEW(tasks, TASKS, "no tasks")
VIEW(queues, QUEUES, "no queues")
VIEW(operations, OPERATIONS, "no operation under way")
VIEW(routes, ROUTES, "no routes")
VIEW(flight, FLIGHT, "no wavelet in its router or on its links")
VIEW(dsrs, DSRS, "no DSR is loaded")
VIEW(fifos, FIFOS, "no FIFOs")
VIEW(locals, LOCALS, "no local variables")
VIEW(variables, VARIABLES, "no variables")
VIEW(registers, REGISTERS, "it is in no task")

/* PEs that do the same stand in one line. */
typedef struct same_pes { /* PEs that do the same */
    char *text;
    unsigned x, y, count; /* the first of them */
    bool is_quiet;        /* idle, or without code */
} same_pes;

static void free_same_pes(void *data)
{
    free(((same_pes *)data)->text);
}

/* In the order of the first PE of each. */
static GArray *group_pes(debugger *d)
{
    GArray *groups = g_array_new(FALSE, TRUE, sizeof(same_pes));
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal); /* text -> index + 1 */
    g_array_set_clear_func(groups, free_same_pes);
    for (unsigned y = 0; y < d->info.height; y++)
        for (unsigned x = 0; x < d->info.width; x++) {
            char *text = tw_wse_show(d->w, x, y, 0, TW_WSE_VIEW_PE);
            if (!text) continue;
            guint at = GPOINTER_TO_UINT(g_hash_table_lookup(known, text));
            if (at) {
                g_array_index(groups, same_pes, at - 1).count++;
                free(text);
                continue;
            }
            same_pes one = { text, x, y, 1,
                             g_str_has_suffix(text, ", idle\n") || g_str_has_prefix(text, "no code") };
            g_array_append_val(groups, one);
            g_hash_table_insert(known, text, GUINT_TO_POINTER(groups->len));
        }
    return groups;
}

/* Those that do something first; "all": every line. */
static void info_pes(debugger *d, char *args)
{
    enum { MOST = 40 };
    g_autoptr(GArray) groups = group_pes(d);
    guint shown = 0, most = strcmp(args, "all") == 0 ? G_MAXUINT : MOST;
    for (unsigned quiet = 0; quiet < 2; quiet++)
        for (guint i = 0; i < groups->len && shown < most; i++) {
            const same_pes *one = &g_array_index(groups, same_pes, i);
            if (one->is_quiet != quiet) continue;
            printf("PE %u,%u", one->x, one->y);
            if (one->count > 1) printf(" and %u more", one->count - 1);
            printf(": %s", one->text);
            shown++;
        }
    if (shown < groups->len) printf("... and %u more lines: 'info pes all'\n", groups->len - shown);
}

static void info_cycles(debugger *d, char *args)
{
    (void)args;
    printf("cycle %llu; the wafer is at %llu\n", (unsigned long long)d->cycle,
           (unsigned long long)tw_wse_cycle(d->w));
}

static void info_line(debugger *d, char *args)
{
    tw_wse_frame f;
    tw_wse_code code;
    if (*args ? tw_wse_find_code(d->w, args, &code, 1) == 0 : !where(d, &f)) {
        complain(d, "%s.", *args ? tw_error_message() : "The PE is in no task");
        return;
    }
    if (!*args) code = f.code;
    printf("instruction %u of program %u, ", code.at, code.program);
    tw__csl_put_code(&code);
    putchar('\n');
}

const tw__word tw__csl_infos[] = {
    { "pes", "", "[all]", "what PEs do, those that do the same in one line", info_pes },
    { "tasks", "", "[X,Y]", "tasks of a PE, active and blocked", info_tasks },
    { "queues", "q", "[X,Y]", "queues and the wavelets in them", info_queues },
    { "breakpoints", "b", "", "breakpoints", tw__csl_info_break },
    { "operations", "ops", "[X,Y]", "DSD operations under way", info_operations },
    { "routes", "", "[X,Y]", "routes and switch positions", info_routes },
    { "flight", "wavelets", "[X,Y]", "wavelets in the router and on links to it", info_flight },
    { "dsrs", "", "[X,Y]", "DSRs that are loaded", info_dsrs },
    { "fifos", "", "[X,Y]", "FIFOs and what is in them", info_fifos },
    { "locals", "", "", "variables of the frame", info_locals },
    { "variables", "symbols", "[X,Y]", "variables in memory", info_variables },
    { "registers", "r reg", "", "registers of the frame", info_registers },
    { "line", "", "[LOCATION]", "source line of a place", info_line },
    { "cycles", "", "", "cycles of the PE and of the wafer", info_cycles },
};
const size_t tw__csl_info_count = G_N_ELEMENTS(tw__csl_infos);
