/* SPDX-License-Identifier: MIT */
/* `tilewright csl debug --dap`: what a client of the Debug Adapter Protocol asks of a wafer. Its threads are PEs. */
#include "cli/csl/csl_debug.h"

#include <stdlib.h>
#include <string.h>
#include <tilewright/tile.h>

/* --- PEs as threads -------------------------------------------------------------------------------------------- */

enum { MOST_THREADS = 256, AROUND = 16 };

static unsigned thread_of(const debugger *d, unsigned x, unsigned y)
{
    return y * d->info.width + x + 1;
}

static bool csl_dap_has_thread(debugger *d, unsigned thread)
{
    return thread && thread <= d->info.width * d->info.height;
}

static void pe_of(const debugger *d, unsigned thread, unsigned *x, unsigned *y)
{
    *x = (thread - 1) % d->info.width, *y = (thread - 1) / d->info.width;
}

static void add_pe(debugger *d, json_t *list, unsigned x, unsigned y)
{
    g_autofree char *name = g_strdup_printf("PE %u,%u", x, y);
    tw__dap_add_thread(list, thread_of(d, x, y), name);
}

/* The first of `shown` places of `length` that lie around `at`. */
static unsigned first_around(unsigned at, unsigned shown, unsigned length)
{
    unsigned before = MIN(at, shown / 2);
    return MIN(at - before, length - shown);
}

/* PEs with code; of many those around the one looked at, since to look at all would give each a memory. */
static void csl_dap_threads(debugger *d, json_t *list)
{
    bool all = (uint64_t)d->info.width * d->info.height <= MOST_THREADS;
    unsigned width = all ? d->info.width : MIN(AROUND, d->info.width),
             height = all ? d->info.height : MIN(AROUND, d->info.height);
    unsigned left = first_around(d->x, width, d->info.width), top = first_around(d->y, height, d->info.height);
    for (unsigned y = top; y < top + height; y++)
        for (unsigned x = left; x < left + width; x++)
            if ((x == d->x && y == d->y) || tw_wse_program_of(d->w, x, y) >= 0) add_pe(d, list, x, y);
}

/* A PE in no task has one frame that says what it does: its memory can be looked at by that. */
static bool csl_dap_frame(debugger *d, unsigned thread, unsigned n, tw__dap_frame *frame)
{
    unsigned x, y;
    tw_wse_frame f;
    pe_of(d, thread, &x, &y);
    if (tw_wse_get_frame(d->w, x, y, n, &f)) {
        *frame = (tw__dap_frame){ .name = g_strdup_printf("%s%s", f.code.function,
                                                          f.inlined    ? " (inlined)"
                                                          : f.left_out ? " (frames left out)"
                                                                       : ""),
                                  .place = { f.code.file, f.code.line, f.code.column },
                                  .has_address = true,
                                  .address = (uint64_t)f.code.program << 32 | f.code.at };
        return true;
    }
    char *text = n ? NULL : tw_wse_show(d->w, x, y, 0, TW_WSE_VIEW_PE);
    if (text) frame->name = g_strchomp(g_strdup(text));
    free(text);
    return frame->name;
}

/* --- variables ------------------------------------------------------------------------------------------------- */

enum { LOCAL_SCOPE, MEMORY_SCOPE, REGISTER_SCOPE, PE_SCOPE };
static const char *const scopes[] = {
    [LOCAL_SCOPE] = "Locals", [MEMORY_SCOPE] = "Memory", [REGISTER_SCOPE] = "Registers", [PE_SCOPE] = "PE", NULL
};

typedef struct csl_scope {
    debugger *d;
    unsigned x, y, frame;
    json_t *list;
} csl_scope;

static void csl_dap_add_value(const csl_scope *s, const char *name)
{
    char *value = tw_wse_print(s->d->w, s->x, s->y, s->frame, name, 0);
    tw__dap_add(s->list, name, value ? value : tw_error_message(), name);
    free(value);
}

/* "0x0004  data: [4]f32 at left.csl:8" */
static void add_variable(const csl_scope *s, const char *line)
{
    const char *name = strstr(line, "  "), *colon = name ? strchr(name, ':') : NULL;
    g_autofree char *text = colon ? g_strndup(name + 2, (gsize)(colon - name - 2)) : NULL;
    if (text) csl_dap_add_value(s, text);
}

/* "v = 1.5" */
static void add_local(const csl_scope *s, const char *line)
{
    const char *equals = strstr(line, " = ");
    g_autofree char *name = equals ? g_strndup(line, (gsize)(equals - line)) : NULL;
    if (name) tw__dap_add(s->list, name, equals + 3, name);
}

/* "r0   0x0000000000000004 r1 ..." */
static void add_registers(const csl_scope *s, const char *line)
{
    g_auto(GStrv) words = g_strsplit_set(line, " \n", -1);
    const char *name = NULL;
    for (char **w = words; *w; w++) {
        g_autofree char *expression = name ? g_strdup_printf("$%s", name) : NULL;
        if (!**w) continue;
        if (name) tw__dap_add(s->list, name, *w, expression);
        name = name ? NULL : *w;
    }
}

static void add_by_line(const csl_scope *s, tw_wse_view view, void (*add)(const csl_scope *, const char *))
{
    char *text = tw_wse_show(s->d->w, s->x, s->y, s->frame, view);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (char **line = lines; *line; line++)
        if (**line) add(s, *line);
    free(text);
}

static void add_views(const csl_scope *s)
{
    static const struct {
        const char *name;
        tw_wse_view view;
    } views[] = { { "state", TW_WSE_VIEW_PE },
                  { "waits for", TW_WSE_VIEW_WHY },
                  { "tasks", TW_WSE_VIEW_TASKS },
                  { "operations", TW_WSE_VIEW_OPERATIONS },
                  { "queues", TW_WSE_VIEW_QUEUES },
                  { "routes", TW_WSE_VIEW_ROUTES },
                  { "wavelets here", TW_WSE_VIEW_FLIGHT },
                  { "DSRs", TW_WSE_VIEW_DSRS },
                  { "FIFOs", TW_WSE_VIEW_FIFOS } };
    for (size_t i = 0; i < G_N_ELEMENTS(views); i++) {
        char *text = tw_wse_show(s->d->w, s->x, s->y, s->frame, views[i].view);
        if (text && *text) tw__dap_add(s->list, views[i].name, g_strchomp(text), NULL);
        free(text);
    }
}

static void csl_dap_scope(debugger *d, unsigned thread, unsigned frame, unsigned which, json_t *list)
{
    csl_scope s = { .d = d, .frame = frame, .list = list };
    pe_of(d, thread, &s.x, &s.y);
    switch (which) {
    case LOCAL_SCOPE: add_by_line(&s, TW_WSE_VIEW_LOCALS, add_local); break;
    case MEMORY_SCOPE: add_by_line(&s, TW_WSE_VIEW_VARIABLES, add_variable); break;
    case REGISTER_SCOPE: add_by_line(&s, TW_WSE_VIEW_REGISTERS, add_registers); break;
    default: add_views(&s);
    }
}

static char *csl_dap_evaluate(debugger *d, unsigned thread, unsigned frame, const char *text, char **error)
{
    unsigned x = d->x, y = d->y;
    if (thread) pe_of(d, thread, &x, &y);
    char *value = tw_wse_print(d->w, x, y, frame, text, 0);
    if (!value) *error = g_strdup(tw_error_message());
    return value;
}

static bool csl_dap_assign(debugger *d, unsigned thread, unsigned frame, const char *expression, const char *value,
                           char **error)
{
    unsigned x = d->x, y = d->y;
    if (thread) pe_of(d, thread, &x, &y);
    if (tw_wse_assign(d->w, x, y, frame, expression, value) == TW_OK) return true;
    *error = g_strdup(tw_error_message());
    return false;
}

static const char *const clients[] = { "run", "quit", NULL };

static bool csl_dap_command(debugger *d, const char *text, bool *goes)
{
    d->reader.failed = false;
    tw__reader_obey(&d->reader, text);
    *goes = d->reader.go;
    d->reader.go = false;
    if (*goes && tw__dap_has_ended(d->dap)) d->again = d->leave = false; /* it stays where it stands */
    if (d->reader.ended) complain(d, "The client ends it."), d->reader.ended = false;
    return !d->reader.failed;
}

static tw__reader *csl_dap_reader(debugger *d)
{
    return &d->reader;
}

/* --- memory: an address is that in a PE, with its thread above, and a bit that those of code do not have -------- */

enum { ADDRESS_BITS = 32 };
#define OF_DATA (UINT64_C(1) << 63)

static bool csl_dap_locate(debugger *d, unsigned thread, unsigned frame, const char *expression, uint64_t *address)
{
    unsigned x = d->x, y = d->y;
    if (thread) pe_of(d, thread, &x, &y);
    g_autofree char *place = g_strdup_printf("&(%s)", expression);
    char *text = tw_wse_print(d->w, x, y, frame, place, 'u');
    if (text) *address = OF_DATA | (uint64_t)thread_of(d, x, y) << ADDRESS_BITS | strtoul(text, NULL, 10);
    free(text);
    return text;
}

/* As digits, of all bytes that lie in the PE. */
static size_t csl_dap_read(debugger *d, uint64_t address, uint8_t *bytes, size_t count)
{
    const tw_tile_arch *arch = tw_tile_arch_by_name(d->info.arch == TW_WSE3 ? "wse3" : "wse2");
    unsigned thread = (unsigned)((address & ~OF_DATA) >> ADDRESS_BITS), at = (unsigned)address, x, y;
    if (!(address & OF_DATA) || !csl_dap_has_thread(d, thread) || at >= arch->bytes_per_tile || !count) return 0;
    pe_of(d, thread, &x, &y);
    count = MIN(count, arch->bytes_per_tile - at);
    g_autofree char *place = g_strdup_printf("$b[%u]@%zu", at, count);
    char *digits = tw_wse_print(d->w, x, y, 0, place, 'b');
    size_t there = digits ? MIN(count, strlen(digits) / 2) : 0;
    for (size_t i = 0; i < there; i++)
        bytes[i] = (uint8_t)(g_ascii_xdigit_value(digits[2 * i]) << 4 | g_ascii_xdigit_value(digits[2 * i + 1]));
    free(digits);
    return there;
}

/* --- breakpoints ----------------------------------------------------------------------------------------------- */

static bool csl_dap_knows(debugger *d, const char *location)
{
    return tw_wse_find_code(d->w, location, NULL, 0) > 0;
}

static unsigned csl_dap_set(debugger *d, const char *location, const char *condition, unsigned *count,
                            tw__dap_place *place)
{
    tw_wse_code code = { 0 };
    unsigned before = d->next_id;
    g_autofree char *words = condition ? g_strdup_printf("%s if %s", location, condition) : g_strdup(location);
    tw__csl_break(d, words);
    if (d->next_id == before) return 0;
    tw_wse_find_code(d->w, location, &code, 1);
    *place = (tw__dap_place){ code.file, code.line, code.column };
    *count = 1;
    return before;
}

/* --- runs ------------------------------------------------------------------------------------------------------ */

enum { TICK = 1024 }; /* cycles between looks for messages */

bool tw__csl_dap_logs(debugger *d, const tw_wse_halt *halt, unsigned number)
{
    return tw__dap_logs(d->dap, number, thread_of(d, halt->x, halt->y));
}

/* Another run with a fresh wafer: the one under way ends first, and its end is not told. */
static bool csl_dap_again(debugger *d, bool stop_on_entry)
{
    if (!d->running) return false;
    d->again = d->leave = true, d->entry = stop_on_entry;
    return true;
}

void tw__csl_dap_tick(debugger *d)
{
    uint64_t now = tw_wse_cycle(d->w), soon = d->entry ? now : now + TICK;
    tw_wse_halt_at(d->w, MIN(soon, d->until));
}

bool tw__csl_dap_passes(debugger *d, const tw_wse_halt *halt)
{
    if (halt->reason != TW_WSE_AT_CYCLE || d->entry || halt->cycle >= d->until) {
        if (halt->reason != TW_WSE_AT_CODE) tw__dap_flush_program(d->dap);
        return false;
    }
    if (tw__dap_poll(d->dap)) return false;
    tw__csl_dap_tick(d);
    return true;
}

/* The first PE that waits, where the one looked at does not. A PE that is idle is not asked, to make it no memory. */
static char *find_waiting(debugger *d)
{
    char *why = tw_wse_show(d->w, d->x, d->y, 0, TW_WSE_VIEW_WHY);
    for (unsigned i = 0; (!why || !*why) && i < d->info.width * d->info.height; i++) {
        unsigned x = i % d->info.width, y = i / d->info.width;
        char *state = tw_wse_show(d->w, x, y, 0, TW_WSE_VIEW_PE);
        bool asks = state && !g_str_has_suffix(state, ", idle\n") && !g_str_has_prefix(state, "no code");
        free(state);
        if (!asks) continue;
        free(why);
        why = tw_wse_show(d->w, x, y, 0, TW_WSE_VIEW_WHY);
        if (why && *why) tw__csl_choose_pe(d, x, y);
    }
    return why;
}

static void tell_exception(debugger *d, tw_wse_reason reason)
{
    bool waits = reason == TW_WSE_AT_DEADLOCK;
    const char *text = waits ? "nothing can happen any more, and something waits" : "the program stopped";
    char *why = waits ? find_waiting(d) : tw_wse_show(d->w, d->x, d->y, 0, TW_WSE_VIEW_WHY);
    g_autofree char *all = why && *why ? g_strdup_printf("%s\n%s", text, g_strchomp(why)) : g_strdup(text);
    tw__dap_excepted(d->dap, thread_of(d, d->x, d->y), waits ? "deadlock" : "fault", all);
    free(why);
}

void tw__csl_dap_stop(debugger *d, const tw_wse_halt *halt)
{
    const char *reason = d->hit ? "breakpoint" : d->entry ? "entry" : "pause";
    if (halt->reason == TW_WSE_AT_CODE && !d->hit) reason = "step";
    d->entry = false;
    if (halt->reason == TW_WSE_AT_FAULT || halt->reason == TW_WSE_AT_DEADLOCK)
        tell_exception(d, halt->reason);
    else
        tw__dap_stopped(d->dap, reason, thread_of(d, d->x, d->y), d->hit, NULL);
    tw__dap_loop(d->dap);
    d->leave = d->leave || tw__dap_is_over(d->dap);
}

static void csl_dap_start(debugger *d, bool stop_on_entry)
{
    d->entry = stop_on_entry;
    bool good = tw__csl_start(d);
    tw__dap_exited(d->dap, good ? 0 : 1);
}

static void csl_dap_go(debugger *d, unsigned thread, tw__dap_go how, bool instruction)
{
    unsigned x, y;
    pe_of(d, thread, &x, &y);
    tw__csl_choose_pe(d, x, y);
    if (how == TW__DAP_STEP_OUT && tw__csl_depth(d, x, y) < 2) how = TW__DAP_CONTINUE;
    mode modes[] = { FREELY, instruction ? STEP_INSTRUCTION : STEP_LINE, instruction ? STEP_INSTRUCTION : STEP_LINE,
                     STEP_OUT };
    tw__csl_step_by(d, modes[how], how == TW__DAP_NEXT);
    d->reader.go = false;
}

static uint64_t csl_dap_instruction(debugger *d, uint64_t address, char **text, tw__dap_place *place)
{
    unsigned program = (unsigned)(address >> 32), at = (unsigned)address;
    bool is_code = !(address & OF_DATA) && program < d->info.programs;
    char *shown = is_code ? tw_wse_instruction(d->w, program, at) : NULL;
    (void)place;
    *text = g_strdup(shown);
    free(shown);
    return address + 1;
}

const tw__dap_target tw__csl_dap_target = {
    .command = "csl debug",
    .main = tw__csl_debug_with,
    .threads = csl_dap_threads,
    .has_thread = csl_dap_has_thread,
    .frame = csl_dap_frame,
    .scopes = scopes,
    .scope = csl_dap_scope,
    .evaluate = csl_dap_evaluate,
    .command_line = csl_dap_command,
    .reader = csl_dap_reader,
    .clients = clients,
    .knows = csl_dap_knows,
    .set = csl_dap_set,
    .assign = csl_dap_assign,
    .remove = tw__csl_remove,
    .ignore = tw__csl_ignore_hits,
    .start = csl_dap_start,
    .again = csl_dap_again,
    .source = tw__csl_library_file,
    .go = csl_dap_go,
    .instruction = csl_dap_instruction,
    .locate = csl_dap_locate,
    .read = csl_dap_read,
    .unit = 1,
    .commas = true,
};
