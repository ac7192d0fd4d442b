/* SPDX-License-Identifier: MIT */
/* What the interactive mode knows of sources: functions, inlined calls and variables of code from C and C++. */
#include "cli/colossus/sim_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/type.h>

enum { MOST_FRAMES = 64, MOST_PLACES = 256 };

/* --- state of a context ----------------------------------------------------------------------------------------- */

typedef struct source_context {
    const tw__sim_session *s;
    unsigned context;
    bool is_caller; /* else registers are those of the context */
    tw_debug_caller caller;
} source_context;

static bool source_register(void *user, unsigned number, uint32_t *value)
{
    const source_context *c = user;
    if (number >= 32) return false;
    if (c->is_caller)
        *value = c->caller.values[number];
    else
        *value = number < 16 ? tw_sim_get_m(c->s->sim, c->context, number)
                             : tw_sim_get_a(c->s->sim, c->context, number - 16);
    return !c->is_caller || c->caller.known >> number & 1;
}

static bool source_read(void *user, uint32_t address, void *bytes, size_t count)
{
    const source_context *c = user;
    return tw_sim_read(c->s->sim, address, bytes, count) == TW_OK;
}

/* The state of the frame that was chosen; false with an error: its registers are not known. Frame rules that lead to
 * another caller than the one that was seen to call are not believed. */
static bool source_state(source_context *c, tw_debug_state *state)
{
    *state = (tw_debug_state){ .size = sizeof(tw_debug_state),
                               .pc = tw_sim_get_pc(c->s->sim, c->context),
                               .get_register = source_register,
                               .read = source_read,
                               .user = c };
    for (unsigned n = 0; n < c->s->calls; n++) {
        tw_debug_caller caller;
        if (tw_debug_unwind(c->s->debug, state, &caller) != TW_OK) return false;
        c->caller = caller, c->is_caller = true;
        state->pc = caller.pc - 1;
    }
    state->frame = c->s->inlined;
    return !c->is_caller || c->caller.pc == c->s->back;
}

void tw__source_find_calls(const tw__sim_session *s, unsigned context, GArray *frames)
{
    enum { MOST_CALLS = 1 << 16 };
    source_context c = { .s = s, .context = context };
    tw_debug_state state;
    source_state(&c, &state);
    g_array_set_size(frames, 0);
    tw_debug_caller caller;
    while (frames->len < MOST_CALLS && tw_debug_unwind(s->debug, &state, &caller) == TW_OK) {
        frame f = { caller.pc - 4, caller.pc };
        g_array_append_val(frames, f);
        c.caller = caller, c.is_caller = true;
        state.pc = caller.pc - 1;
    }
    for (guint i = 0; i < frames->len / 2; i++) { /* the innermost is the last */
        frame *one = &g_array_index(frames, frame, i), *other = &g_array_index(frames, frame, frames->len - 1 - i);
        frame kept = *one;
        *one = *other, *other = kept;
    }
}

/* --- values ----------------------------------------------------------------------------------------------------- */

/* A name that is no variable may be a member: "left" is this->left, "*left" *this->left. */
static char *print_member(const tw__sim_session *s, const tw_debug_state *state, const char *text,
                          const char *first)
{
    g_autofree char *why = g_strdup(tw_error_message());
    tw_status status = tw_error_status();
    g_autofree char *member = g_strdup_printf("%.*sthis->%s", (int)(first - text), text, first);
    char *printed = tw_debug_print(s->debug, state, member);
    if (!printed) tw_error_set(status, "%s", why); /* the first error says what is wrong */
    return printed;
}

char *tw__source_print(const tw__sim_session *s, unsigned context, const char *text, char **error)
{
    const char *first = text + strspn(text, " \t*&(");
    *error = NULL;
    if (!s->debug || (!g_ascii_isalpha(*first) && *first != '_')) return NULL;
    source_context c = { .s = s, .context = context };
    tw_debug_state state;
    if (!source_state(&c, &state)) return NULL;
    char *printed = tw_debug_print(s->debug, &state, text);
    if (!printed) printed = print_member(s, &state, text, first);
    if (!printed) *error = g_strdup(tw_error_message());
    return printed;
}

/* A name, and what selects a part behind it. */
size_t tw__source_length(const char *text)
{
    size_t n = 0;
    unsigned open = 0;
    for (; text[n]; n++) {
        if (text[n] == '[') open++;
        bool is_inside = open || g_ascii_isalnum(text[n]) || text[n] == '_' || text[n] == '.';
        if (text[n] == '-' && text[n + 1] == '>')
            n++;
        else if (!is_inside)
            break;
        if (text[n] == ']' && open) open--;
    }
    return n;
}

bool tw__source_word(const tw__sim_session *s, unsigned context, const char *text, uint32_t *word)
{
    source_context c = { .s = s, .context = context };
    tw_debug_state state;
    if (!s->debug || !source_state(&c, &state)) return false;
    return tw_debug_word(s->debug, &state, text, word) == TW_OK;
}

/* Types of the languages by name: bytes, and how a number becomes their bits. */
static const struct {
    const char *name;
    unsigned bytes;
    char as; /* i: whole number, f: float, h: half */
} scalars[] = { { "float", 4, 'f' },        { "half", 2, 'h' },  { "__fp16", 2, 'h' },
                { "_Float16", 2, 'h' },     { "int", 4, 'i' },   { "unsigned int", 4, 'i' },
                { "unsigned", 4, 'i' },     { "long", 4, 'i' },  { "unsigned long", 4, 'i' },
                { "long int", 4, 'i' },     { "short", 2, 'i' }, { "unsigned short", 2, 'i' },
                { "bool", 1, 'i' },         { "char", 1, 'i' },  { "signed char", 1, 'i' },
                { "unsigned char", 1, 'i' } };

/* Of "const volatile float"; G_N_ELEMENTS(scalars): it is none of them. */
static size_t scalar_of(const char *type)
{
    size_t i = 0;
    for (const char *word = "const ";; word = "volatile ") {
        if (g_str_has_prefix(type, word)) type += strlen(word);
        if (*word == 'v') break;
    }
    while (i < G_N_ELEMENTS(scalars) && strcmp(scalars[i].name, type) != 0) i++;
    return i;
}

/* The bits of a number, else of an expression; false with *error. */
static bool scalar_bits(const tw__sim_session *s, unsigned context, char as, const char *text, uint32_t *bits,
                        char **error)
{
    char *end;
    double number = g_ascii_strtod(text, &end);
    float single = (float)number;
    tw__sim_value value;
    if (*text && !*end && as == 'f') return memcpy(bits, &single, sizeof single), true;
    if (*text && !*end && as == 'h') return *bits = tw_f64_to_f16(number, TW_ROUND_NEAREST_EVEN, 0), true;
    if (!tw__sim_evaluate(s, context, text, &value, error)) return false;
    *bits = value.words[0];
    return true;
}

/* Whether there is such a value, also one that no register or memory has here. */
static bool is_known(const tw__sim_session *s, const tw_debug_state *state, const char *name)
{
    char *printed = tw_debug_print(s->debug, state, name);
    free(printed);
    return printed != NULL;
}

bool tw__source_assign(const tw__sim_session *s, unsigned context, const char *name, const char *text, char **error)
{
    source_context c = { .s = s, .context = context };
    tw_debug_state state;
    uint32_t address, bits;
    *error = NULL;
    if (!s->debug || !source_state(&c, &state)) return false;
    g_autofree char *member = g_strdup_printf("this->%s", name);
    const char *known = is_known(s, &state, name) ? name : member;
    if (known == member && !is_known(s, &state, member)) return false;
    g_autofree char *pointer = g_strdup_printf("&%s", known);
    if (tw_debug_word(s->debug, &state, pointer, &address) != TW_OK) {
        *error = g_strdup_printf("'%s' cannot be set: %s", name, tw_error_message());
        return false;
    }
    char *type = tw_debug_type(s->debug, &state, known);
    size_t scalar = scalar_of(type ? type : "");
    bool is_pointer = type && g_str_has_suffix(type, "*");
    if (scalar == G_N_ELEMENTS(scalars) && !is_pointer)
        *error = g_strdup_printf("'%s' is no number or pointer: %s", name, type ? type : tw_error_message());
    free(type);
    if (*error || !scalar_bits(s, context, is_pointer ? 'i' : scalars[scalar].as, text, &bits, error)) return false;
    bits = GUINT32_TO_LE(bits);
    if (tw_sim_write(s->sim, address, &bits, is_pointer ? 4 : scalars[scalar].bytes) == TW_OK) return true;
    *error = g_strdup(tw_error_message());
    return false;
}

char *tw__source_locals_text(debugger *d)
{
    source_context c = { .s = d->s, .context = d->context };
    tw_debug_state state;
    return d->s->debug && source_state(&c, &state) ? tw_debug_locals(d->s->debug, &state) : NULL;
}

void tw__source_locals(debugger *d, char *args)
{
    (void)args;
    char *text = tw__source_locals_text(d);
    if (text)
        fputs(*text ? text : "No locals.\n", stdout);
    else if (d->s->debug)
        tw__debug_complain(
            d,
            "Variables of frame %u are not known: nothing tells where its callees keep its registers "
            "(popc -g, .cfi_*).",
            d->s->frame);
    else
        tw__debug_complain(d, "There are no variables: popc -g makes them known.");
    free(text);
}

void tw__source_ptype(debugger *d, char *args)
{
    source_context c = { .s = d->s, .context = d->context };
    tw_debug_state state;
    if (!*args || !d->s->debug) {
        tw__debug_complain(d, *args ? "There are no types: popc -g makes them known."
                                    : "ptype VALUE, or a type's name");
        return;
    }
    source_state(&c, &state); /* types are known where values are not */
    char *text = tw_debug_type(d->s->debug, &state, args);
    if (text)
        printf("type = %s\n", text);
    else
        tw__debug_complain(d, "%s.", tw_error_message());
    free(text);
}

/* --- places ----------------------------------------------------------------------------------------------------- */

/* "Adder::compute" of a frame. */
static void frame_name(const tw_debug_frame *f, char *name, size_t size)
{
    snprintf(name, size, "%s%s%s", f->record ? f->record : "", f->record ? "::" : "", f->function);
}

const char *tw__source_function(const tw__sim_session *s, uint32_t address, char *name, size_t size)
{
    tw_debug_frame inner;
    if (!s->debug || !tw_debug_frames(s->debug, address, &inner, 1)) return NULL;
    frame_name(&inner, name, size);
    return name;
}

unsigned tw__source_depth(const tw__sim_session *s, uint32_t address)
{
    return s->debug ? (unsigned)tw_debug_frames(s->debug, address, NULL, 0) : 0;
}

bool tw__source_frame(debugger *d, uint32_t address, unsigned inlined, tw__dap_frame *shown)
{
    tw_debug_frame frames[MOST_FRAMES];
    size_t count = d->s->debug ? tw_debug_frames(d->s->debug, address, frames, MOST_FRAMES) : 0;
    if (inlined >= MIN(count, MOST_FRAMES)) return false;
    const tw_debug_frame *f = &frames[inlined];
    const tw_object_line *l = f->file ? NULL : tw_sim_place_at(d->s->sim, address);
    char name[200];
    frame_name(f, name, sizeof name);
    shown->name = g_strconcat(name, f->is_inlined ? " (inlined)" : "", NULL);
    shown->place =
        l ? (tw__dap_place){ l->file, l->line, l->column } : (tw__dap_place){ f->file, f->line, f->column };
    return true;
}

/* "#1  0x4c054 in helper () at a.cpp:14:16", frame `i` of those at an address; its source line with `line`. */
static void show_frame(debugger *d, unsigned number, uint32_t address, const tw_debug_frame *f, bool with_line)
{
    const tw_object_line *l = f->file ? NULL : tw_sim_place_at(d->s->sim, address);
    const char *file = l ? l->file : f->file, *text;
    uint32_t line = l ? l->line : f->line, column = l ? l->column : f->column;
    char name[200];
    frame_name(f, name, sizeof name);
    printf("#%-2u 0x%05x in %s ()", number, address, name);
    if (file) printf(" at %s:%u", file, line);
    if (file && column) printf(":%u", column);
    puts(f->is_inlined ? ", inlined" : "");
    if (with_line && file && (text = tw__sim_source_line(d->s, file, line))) printf("%u\t%s\n", line, text);
}

bool tw__source_show_frame(debugger *d, unsigned number, unsigned inlined, uint32_t address)
{
    tw_debug_frame frames[MOST_FRAMES];
    size_t count = d->s->debug ? tw_debug_frames(d->s->debug, address, frames, MOST_FRAMES) : 0;
    if (inlined >= MIN(count, MOST_FRAMES)) return false;
    show_frame(d, number, address, &frames[inlined], true);
    return true;
}

/* The frames of one function and what was inlined into it there; how many lines. */
unsigned tw__source_backtrace(debugger *d, unsigned first, uint32_t address)
{
    tw_debug_frame frames[MOST_FRAMES];
    size_t count = d->s->debug ? tw_debug_frames(d->s->debug, address, frames, MOST_FRAMES) : 0;
    if (!count) {
        printf("#%-2u ", first);
        tw__debug_tell_address(d, address);
        putchar('\n');
        return 1;
    }
    for (size_t i = 0; i < count && i < MOST_FRAMES; i++)
        show_frame(d, first + (unsigned)i, address, &frames[i], false);
    return (unsigned)count;
}

/* Entries of a function, or the first code of a line in each function. */
void tw__source_places(const tw__sim_session *s, const char *text, GArray *addresses)
{
    uint32_t found[MOST_PLACES];
    size_t count = s->debug ? tw_debug_entries(s->debug, text, found, MOST_PLACES) : 0;
    if (count) g_array_append_vals(addresses, found, (guint)MIN(count, MOST_PLACES));
}
