/* SPDX-License-Identifier: MIT */
/* The interactive mode of `tilewright sim`: values that are watched, shown at each stop, or shown as arrays. */
#include "cli/colossus/sim_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- values as text ------------------------------------------------------------------------------------------- */

/* A variable as the source knows it, else words. */
char *tw__debug_value(debugger *d, unsigned context, const char *text, char **error)
{
    tw__sim_value value;
    *error = NULL;
    char *printed = tw__source_print(d->s, context, text, error);
    if (printed) {
        char *copy = g_strdup(printed);
        free(printed);
        return copy;
    }
    g_clear_pointer(error, g_free);
    if (!tw__sim_evaluate(d->s, context, text, &value, error)) return NULL;
    GString *words = g_string_new(NULL);
    for (unsigned i = 0; i < value.count; i++) {
        float f;
        memcpy(&f, &value.words[i], sizeof f);
        g_string_append(words, i ? ", " : "");
        if (value.is_float)
            g_string_append_printf(words, "0x%08x (%.9g)", value.words[i], (double)f);
        else
            g_string_append_printf(words, "%d (0x%x)", (int)value.words[i], value.words[i]);
    }
    return g_string_free(words, FALSE);
}

/* --- watch ---------------------------------------------------------------------------------------------------- */

/* Whose name the text begins with: a local's value ends with its function. */
static bool is_local(debugger *d, const char *text)
{
    const char *first = text + strspn(text, " \t*&(");
    g_autofree char *name = g_strndup(first, strspn(first, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_"));
    uint32_t word;
    if (!*name || !tw__source_word(d->s, d->context, text, &word)) return false;
    const tw_symbol *s;
    for (size_t i = 0; (s = tw_object_get_symbol(d->s->image, i)); i++)
        if (g_strcmp0(s->name, name) == 0) return false;
    return true;
}

void tw__debug_watch(debugger *d, char *args)
{
    char *error;
    char *value = *args ? tw__debug_value(d, d->context, args, &error) : NULL;
    if (!value) {
        tw__debug_complain(d, "%s.", *args ? error : "watch VALUE, such as watch $m0 or watch *0x82000");
        if (*args) g_free(error);
        return;
    }
    breakpoint b = { .id = d->next_id++, .address = UINT32_MAX, .enabled = true, .text = g_strdup(args) };
    b.value = value, b.context = d->context, b.depth = d->frames[d->context]->len;
    b.is_local = is_local(d, args);
    d->watches++;
    g_array_append_val(d->breakpoints, b);
    printf("Watchpoint %u: %s = %s\n", b.id, args, value);
}

/* Has an instruction of this context changed what is watched? Registers and locals are of the context that watches
 * them. A local that is no more is known to be so when its function has returned. */
static bool has_changed(debugger *d, breakpoint *b, unsigned context)
{
    char *error;
    guint depth = d->frames[b->context]->len;
    if (b->is_local && depth < b->depth) {
        b->gone = true;
        return true;
    }
    if ((b->is_local && (depth != b->depth || context != b->context))) return false;
    char *now = tw__debug_value(d, b->context, b->text, &error);
    if (!now) g_free(error);
    if (!now || strcmp(now, b->value) == 0) {
        g_free(now);
        return false;
    }
    g_free(b->before);
    b->before = b->value, b->value = now;
    return true;
}

/* Values as they are now: what the user has set, and a new start, are no changes. */
void tw__debug_look_afresh(debugger *d)
{
    for (guint i = 0; d->watches && i < d->breakpoints->len; i++) {
        breakpoint *b = &g_array_index(d->breakpoints, breakpoint, i);
        char *error, *now = NULL;
        bool there = b->value && (!b->is_local || d->frames[b->context]->len == b->depth);
        if (!there || !(now = tw__debug_value(d, b->context, b->text, &error))) continue;
        g_free(b->value);
        b->value = now;
    }
}

bool tw__debug_look(debugger *d, unsigned context)
{
    bool changed = false;
    for (guint i = 0; d->watches && i < d->breakpoints->len; i++) {
        breakpoint *b = &g_array_index(d->breakpoints, breakpoint, i);
        if (!b->value || !b->enabled || !has_changed(d, b, context)) continue;
        b->hits++, b->changed = changed = true;
        d->writer = context;
    }
    return changed;
}

void tw__debug_tell_changes(debugger *d)
{
    for (guint i = d->breakpoints->len; i--;) {
        breakpoint *b = &g_array_index(d->breakpoints, breakpoint, i);
        if (b->changed && !b->gone)
            printf("Watchpoint %u: %s\nOld value = %s\nNew value = %s\n", b->id, b->text, b->before, b->value);
        if (b->gone) printf("Watchpoint %u: its function has returned, '%s' is no more.\n", b->id, b->text);
        b->changed = false;
        if (b->gone) g_array_remove_index(d->breakpoints, i);
    }
}

/* --- display -------------------------------------------------------------------------------------------------- */

typedef struct display {
    unsigned id;
    char *text; /* "/x $m0" */
} display;

static void free_display(void *data)
{
    g_free(((display *)data)->text);
}

/* "/i $pc" is instructions from there on; all else is printed. */
static bool shows_code(const char *text)
{
    return g_str_has_prefix(text, "/i ");
}

/* False after a message. */
static bool put_display(debugger *d, unsigned id, const char *words)
{
    char *error = NULL;
    g_autofree char *text = g_strdup(words);
    tw__sim_value value;
    bool failed_before = d->reader.failed;
    if (shows_code(text) && !d->s->sim) return true; /* while no vertex runs there is none */
    d->reader.failed = false;
    printf("%u: ", id);
    if (!shows_code(text)) {
        tw__debug_print(d, text);
    } else if (tw__sim_evaluate(d->s, d->context, text + 3, &value, &error)) {
        uint32_t at = value.words[0];
        puts(text + 3);
        tw__sim_show_memory(d->s, d->context, 1, 'i', 'w', &at, &error);
    }
    if (error) tw__debug_complain(d, "%s.", error);
    g_free(error);
    bool good = !d->reader.failed;
    if (!good) putchar('\n');
    d->reader.failed |= failed_before;
    return good;
}

void tw__debug_show_displays(debugger *d)
{
    for (guint i = 0; d->displays && i < d->displays->len; i++) {
        const display *one = &g_array_index(d->displays, display, i);
        put_display(d, one->id, one->text);
    }
}

void tw__debug_display(debugger *d, char *args)
{
    if (!*args) {
        tw__debug_show_displays(d);
        return;
    }
    if (!put_display(d, d->next_display + 1, args)) return;
    if (!d->displays) {
        d->displays = g_array_new(FALSE, TRUE, sizeof(display));
        g_array_set_clear_func(d->displays, free_display);
    }
    display one = { ++d->next_display, g_strdup(args) };
    g_array_append_val(d->displays, one);
}

void tw__debug_undisplay(debugger *d, char *args)
{
    char *end;
    guint64 id = g_ascii_strtoull(args, &end, 10);
    if (*args && !*end)
        for (guint i = 0; d->displays && i < d->displays->len; i++)
            if (g_array_index(d->displays, display, i).id == id) {
                g_array_remove_index(d->displays, i);
                return;
            }
    if (*args)
        tw__debug_complain(d, "There is no display number %s.", args);
    else if (d->displays)
        g_array_set_size(d->displays, 0);
}

/* --- jump ----------------------------------------------------------------------------------------------------- */

/* The one place that a text means: of several the one in the function that runs. False after a list of them. */
static bool jump_target(debugger *d, const char *text, uint32_t *address)
{
    char *error;
    g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    if (!tw__sim_locations(d->s, d->context, text, places, &error)) {
        tw__debug_complain(d, "%s.", error);
        g_free(error);
        return false;
    }
    int here = tw__debug_section(d, tw_sim_get_pc(d->s->sim, d->context));
    guint own = 0;
    for (guint i = 0; i < places->len; i++) {
        uint32_t place = g_array_index(places, uint32_t, i);
        bool is_own = tw__debug_section(d, place) == here;
        if (is_own || places->len == 1) *address = place;
        own += is_own;
    }
    if (own == 1 || places->len == 1) return true;
    tw__debug_complain(d, "'%s' stands in %u places, and jump *ADDRESS takes one of them:", text, places->len);
    for (guint i = 0; i < places->len; i++) {
        printf("  ");
        tw__debug_tell_address(d, g_array_index(places, uint32_t, i));
        putchar('\n');
    }
    return false;
}

void tw__debug_jump(debugger *d, char *args)
{
    uint32_t address = 0;
    char text[2 * TW_INSN_TEXT];
    if (!*args) {
        tw__debug_complain(d, "jump LOCATION");
        return;
    }
    if (!jump_target(d, args, &address)) return;
    if (address >= d->s->region1 || !*tw_sim_text_at(d->s->sim, address, text)) {
        tw__debug_complain(d, "There is no code at 0x%x.", address);
        return;
    }
    if (tw_sim_set_pc(d->s->sim, d->context, address) != TW_OK) {
        tw__debug_complain(d, "%s.", tw_error_message());
        return;
    }
    printf("Continuing at ");
    tw__debug_tell_address(d, address);
    putchar('\n');
    tw__debug_continue(d, (char[]){ "" });
}

/* --- arrays: VALUE@COUNT -------------------------------------------------------------------------------------- */

/* Element `i` of what "*p", "a[k]" or "*0x82000" begins, as text. */
static char *array_element(const char *text, guint64 i)
{
    const char *bracket = strrchr(text, '[');
    size_t length = strlen(text);
    if (*text == '*' && (g_ascii_isalpha(text[1]) || text[1] == '_'))
        return g_strdup_printf("%s[%" G_GUINT64_FORMAT "]", text + 1, i);
    if (*text == '*') return g_strdup_printf("*(%s + %" G_GUINT64_FORMAT ")", text + 1, 4 * i);
    if (bracket && text[length - 1] == ']')
        return g_strdup_printf("%.*s[(%.*s) + %" G_GUINT64_FORMAT "]", (int)(bracket - text), text,
                               (int)(text + length - 2 - bracket), bracket + 1, i);
    return NULL;
}

enum { MOST_ELEMENTS = 200 };

bool tw__debug_print_array(debugger *d, const char *args)
{
    const char *at = strrchr(args, '@');
    char *end, *error = NULL;
    if (!at) return false;
    guint64 count = g_ascii_strtoull(at + 1, &end, 0);
    g_autofree char *text = g_strstrip(g_strndup(args, (gsize)(at - args)));
    g_autofree char *first = array_element(text, 0);
    if (!first || *end || !count || count > MOST_ELEMENTS) {
        tw__debug_complain(d, "print *a@n or a[i]@n, n from 1 to %d.", (int)MOST_ELEMENTS);
        return true;
    }
    GString *shown = g_string_new("{");
    for (guint64 i = 0; i < count && !error; i++) {
        g_autofree char *one = array_element(text, i), *value = tw__debug_value(d, d->context, one, &error);
        if (value) g_string_append_printf(shown, "%s%s", i ? ", " : "", value);
    }
    if (error)
        tw__debug_complain(d, "%s.", error);
    else
        printf("%s = %s}\n", args, shown->str);
    g_free(error);
    g_string_free(shown, TRUE);
    return true;
}
