/* SPDX-License-Identifier: MIT */
/* `tilewright sim --dap`: what a client of the Debug Adapter Protocol asks of a tile. Its threads are contexts. */
#include "cli/colossus/sim_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- contexts as threads --------------------------------------------------------------------------------------- */

static bool sim_dap_has_thread(debugger *d, unsigned thread)
{
    (void)d;
    return thread && thread <= TW_SIM_CONTEXTS;
}

/* Those that run or have run, and the one looked at. */
static void sim_dap_threads(debugger *d, json_t *list)
{
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        if (i == d->context || tw_sim_turns(d->s->sim, i) || tw_sim_get_state(d->s->sim, i) != TW_SIM_IDLE)
            tw__dap_add_thread(list, i + 1, tw__sim_context_name(i));
}

static void look_at_context(debugger *d, unsigned thread)
{
    if (d->context == thread - 1) return;
    d->context = thread - 1;
    d->s->inlined = d->s->frame = d->s->calls = 0;
}

static bool sim_dap_frame(debugger *d, unsigned thread, unsigned n, tw__dap_frame *f)
{
    uint32_t at;
    look_at_context(d, thread);
    for (guint call = 0; tw__debug_frame(d, call, &at); call++) {
        unsigned depth = MAX(tw__source_depth(d->s, at), 1);
        if (n >= depth) {
            n -= depth;
            continue;
        }
        f->has_address = true, f->address = at;
        if (tw__source_frame(d, at, n, f)) return true;
        const char *name;
        uint32_t offset = 0;
        const tw_object_line *l = tw_sim_place_at(d->s->sim, at);
        bool known = tw_sim_symbol_at(d->s->sim, at, &name, &offset);
        f->name = known ? g_strdup_printf("%s+%u", name, offset) : g_strdup_printf("0x%05x", at);
        if (l) f->place = (tw__dap_place){ l->file, l->line, l->column };
        return true;
    }
    return false;
}

/* --- variables ------------------------------------------------------------------------------------------------- */

enum { LOCAL_SCOPE, REGISTER_SCOPE };
static const char *const scopes[] = { [LOCAL_SCOPE] = "Locals", [REGISTER_SCOPE] = "Registers", NULL };

/* "name = value" in each line. */
static void add_locals(debugger *d, json_t *list)
{
    char *text = tw__source_locals_text(d);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (char **line = lines; *line; line++) {
        char *equals = strstr(*line, " = ");
        if (!equals) continue;
        *equals = 0;
        tw__dap_add(list, *line, equals + 3, *line);
    }
    free(text);
}

/* Registers are those of the context, in every frame. */
static void add_register(debugger *d, json_t *list, char file, unsigned number)
{
    char *error = NULL;
    g_autofree char *name = g_strdup_printf("$%c%u", file, number);
    g_autofree char *value = tw__debug_value(d, d->context, name, &error);
    if (value) tw__dap_add(list, name, value, name);
    g_free(error);
}

static void sim_dap_scope(debugger *d, unsigned thread, unsigned number, unsigned which, json_t *list)
{
    look_at_context(d, thread);
    if (which == LOCAL_SCOPE) {
        if (tw__debug_choose_frame(d, number)) add_locals(d, list);
        return;
    }
    for (unsigned i = 0; i < 14; i++) add_register(d, list, 'm', i);
    for (unsigned i = 0; i < 8 && d->context != TW_SIM_SUPERVISOR; i++) add_register(d, list, 'a', i);
}

static char *sim_dap_evaluate(debugger *d, unsigned thread, unsigned number, const char *text, char **error)
{
    if (thread) look_at_context(d, thread), tw__debug_choose_frame(d, number);
    g_autofree char *value = tw__debug_value(d, d->context, text, error);
    return value ? strdup(value) : NULL;
}

/* Words that let the tile run are the client's own; the others do what they do for a person. */
static const char *const clients[] = { "run",    "step",  "stepi", "next", "nexti", "continue",
                                       "finish", "until", "jump",  "quit", NULL };

static bool sim_dap_command(debugger *d, const char *text, bool *goes)
{
    char word[TW__WORD];
    g_autofree char *line = g_strdup(text);
    tw__reader_split(line, word);
    d->reader.failed = *goes = false;
    const tw__word *command = tw__reader_find(&d->reader, d->reader.words, d->reader.count, word);
    for (size_t i = 0; command && clients[i]; i++)
        if (strcmp(command->name, clients[i]) == 0) {
            tw__debug_complain(d, "The client has this.");
            return false;
        }
    if (command) tw__reader_obey(&d->reader, text);
    return !d->reader.failed;
}

static tw__reader *sim_dap_reader(debugger *d)
{
    return &d->reader;
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

/* A variable that lies in memory, by its address; else a symbol, by its own. What is neither is a value. */
static bool sim_dap_address(debugger *d, unsigned thread, unsigned number, const char *expression,
                            uint64_t *address)
{
    g_autofree char *place = g_strdup_printf("&(%s)", expression), *why = NULL, *why_not = NULL;
    if (thread) look_at_context(d, thread), tw__debug_choose_frame(d, number);
    char *text = tw__source_print(d->s, d->context, place, &why), *end = text;
    bool good = text;
    if (text) {
        *address = g_ascii_strtoull(text, &end, 0);
        good = end > text;
    } else if (!(text = tw__source_print(d->s, d->context, expression, &why_not))) { /* it is no variable */
        int index = tw_object_find_symbol(d->s->image, expression);
        const tw_symbol *symbol = index < 0 ? NULL : tw_object_get_symbol(d->s->image, (size_t)index);
        good = symbol && symbol->section >= 0;
        if (good) *address = symbol->value;
    }
    free(text);
    return good;
}

static size_t sim_dap_read(debugger *d, uint64_t address, uint8_t *bytes, size_t count)
{
    tw_isa_arch arch = tw_object_arch(d->s->image);
    uint64_t base = tw_sim_memory_base(arch), end = base + tw_sim_memory_bytes(arch);
    if (address < base || address >= end) return 0;
    count = MIN(count, end - address);
    return tw_sim_read(d->s->sim, (uint32_t)address, bytes, (uint32_t)count) == TW_OK ? count : 0;
}

/* --- breakpoints ----------------------------------------------------------------------------------------------- */

static bool sim_dap_locate(debugger *d, const char *location, uint32_t *address)
{
    char *error = NULL;
    g_autoptr(GArray) addresses = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    bool good = tw__sim_locations(d->s, d->context, location, addresses, &error) && addresses->len;
    if (good) *address = g_array_index(addresses, uint32_t, 0);
    g_free(error);
    return good;
}

static bool sim_dap_assign(debugger *d, unsigned thread, unsigned number, const char *expression, const char *value,
                           char **error)
{
    if (thread) look_at_context(d, thread), tw__debug_choose_frame(d, number);
    g_autofree char *text = g_strdup_printf("%s = %s", expression, value);
    return tw__sim_assign(d->s, d->context, text, error);
}

static bool sim_dap_knows(debugger *d, const char *location)
{
    uint32_t address;
    return sim_dap_locate(d, location, &address);
}

static unsigned sim_dap_set(debugger *d, const char *location, const char *condition, unsigned *count,
                            tw__dap_place *place)
{
    unsigned first = d->next_id;
    uint32_t address;
    g_autofree char *words = condition ? g_strdup_printf("%s if %s", location, condition) : g_strdup(location);
    tw__debug_break(d, words);
    if (d->next_id == first) return 0;
    *count = d->next_id - first;
    const tw_object_line *l = sim_dap_locate(d, location, &address) ? tw_sim_place_at(d->s->sim, address) : NULL;
    if (l) *place = (tw__dap_place){ l->file, l->line, l->column };
    return first;
}

/* --- runs ------------------------------------------------------------------------------------------------------ */

static bool has_failed(const debugger *d)
{
    bool failed = false;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++) failed |= tw_sim_get_state(d->s->sim, i) == TW_SIM_EXCEPTED;
    return failed;
}

void tw__sim_dap_exception(debugger *d, unsigned thread)
{
    const tw_sim_exception *e = tw_sim_get_exception(d->s->sim);
    tw__dap_excepted(d->dap, thread, tw_sim_cause_name(e->cause), e->message);
}

/* Tells the client why the tile has stopped. */
static void tell_stop(debugger *d, const char *otherwise)
{
    unsigned thread = d->context + 1;
    switch (d->ended) {
    case TW_SIM_DONE: tw__dap_exited(d->dap, has_failed(d)); return;
    case TW_SIM_FAULT: tw__sim_dap_exception(d, thread); return;
    case TW_SIM_LIMIT: tw__dap_stopped(d->dap, "pause", thread, 0, "it has taken as many turns as --limit"); return;
    default: break;
    }
    const char *reason = d->hit_id                 ? "breakpoint"
                         : d->changed              ? "data breakpoint"
                         : tw__debug_interrupted() ? "pause"
                                                   : otherwise;
    tw__dap_stopped(d->dap, reason, thread, d->hit_id, NULL);
}

static void sim_dap_start(debugger *d, bool stop_on_entry)
{
    bool again = d->has_started;
    d->has_started = true;
    if (!stop_on_entry) {
        tw__debug_run(d, (char[]){ "" });
        tell_stop(d, "entry");
        return;
    }
    if (again) tw__debug_forget_frames(d), d->s->prepare(d->s);
    d->ended = TW_SIM_BREAK, d->hit_id = 0, d->changed = false;
    tw__dap_stopped(d->dap, "entry", d->context + 1, 0, NULL);
}

static void sim_dap_go(debugger *d, unsigned thread, tw__dap_go how, bool instruction)
{
    char none[] = "";
    look_at_context(d, thread);
    bool is_outermost =
        !d->frames[d->context]->len && tw__source_depth(d->s, tw_sim_get_pc(d->s->sim, d->context)) < 2;
    if (how == TW__DAP_STEP_OUT && is_outermost) how = TW__DAP_CONTINUE;
    switch (how) {
    case TW__DAP_CONTINUE: tw__debug_continue(d, none); break;
    case TW__DAP_NEXT: (instruction ? tw__debug_nexti : tw__debug_next)(d, none); break;
    case TW__DAP_STEP_IN: (instruction ? tw__debug_stepi : tw__debug_step)(d, none); break;
    case TW__DAP_STEP_OUT: tw__debug_finish(d, none); break;
    }
    tell_stop(d, "step");
}

static uint64_t sim_dap_instruction(debugger *d, uint64_t address, char **text, tw__dap_place *place)
{
    char buf[2 * TW_INSN_TEXT];
    if (address > UINT32_MAX) return address + 4;
    tw_sim_text_at(d->s->sim, (uint32_t)address, buf);
    if (!*buf) return address + 4;
    const tw_object_line *l = tw_sim_place_at(d->s->sim, (uint32_t)address);
    if (l) *place = (tw__dap_place){ l->file, l->line, l->column };
    *text = g_strdup(buf);
    return address + (*buf == '{' ? 8 : 4);
}

const tw__dap_target tw__sim_dap_target = {
    .command = "sim",
    .threads = sim_dap_threads,
    .has_thread = sim_dap_has_thread,
    .frame = sim_dap_frame,
    .scopes = scopes,
    .scope = sim_dap_scope,
    .evaluate = sim_dap_evaluate,
    .command_line = sim_dap_command,
    .reader = sim_dap_reader,
    .clients = clients,
    .knows = sim_dap_knows,
    .set = sim_dap_set,
    .assign = sim_dap_assign,
    .remove = tw__debug_remove,
    .ignore = tw__debug_ignore_hits,
    .start = sim_dap_start,
    .go = sim_dap_go,
    .instruction = sim_dap_instruction,
    .locate = sim_dap_address,
    .read = sim_dap_read,
    .unit = 4,
};
