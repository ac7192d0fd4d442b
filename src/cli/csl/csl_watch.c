/* SPDX-License-Identifier: MIT */
/* `tilewright csl debug`: values that are shown at each stop, and values that stop a PE when they change. */
#include "cli/csl/csl_debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- display -------------------------------------------------------------------------------------------------- */

typedef struct shown {
    unsigned id;
    char format;
    char *value; /* an expression */
} shown;

static void free_shown(void *data)
{
    g_free(((shown *)data)->value);
}

/* On the PE looked at, which may not have it. */
static bool show_one(debugger *d, const shown *one)
{
    char *text = tw_wse_print(d->w, d->x, d->y, d->frame, one->value, one->format);
    printf("%u: %s = %s\n", one->id, one->value, text ? text : tw_error_message());
    free(text);
    return text != NULL;
}

void tw__csl_show_displays(debugger *d)
{
    for (guint i = 0; d->displays && i < d->displays->len; i++) show_one(d, &g_array_index(d->displays, shown, i));
}

void tw__csl_display(debugger *d, char *args)
{
    char format = 0;
    if (!*args) {
        tw__csl_show_displays(d);
        return;
    }
    args = tw__csl_read_format(d, args, &format);
    char *text = args ? tw_wse_print(d->w, d->x, d->y, d->frame, args, format) : NULL;
    if (!text) {
        if (args) complain(d, "%s.", tw_error_message());
        return;
    }
    free(text);
    if (!d->displays) {
        d->displays = g_array_new(FALSE, TRUE, sizeof(shown));
        g_array_set_clear_func(d->displays, free_shown);
    }
    shown one = { ++d->next_display, format, g_strdup(args) };
    g_array_append_val(d->displays, one);
    show_one(d, &one);
}

void tw__csl_undisplay(debugger *d, char *args)
{
    char *end;
    guint64 id = g_ascii_strtoull(args, &end, 10);
    for (guint i = 0; *args && !*end && d->displays && i < d->displays->len; i++)
        if (g_array_index(d->displays, shown, i).id == id) {
            g_array_remove_index(d->displays, i);
            return;
        }
    if (*args)
        complain(d, "There is no display number %s.", args);
    else if (d->displays)
        g_array_set_size(d->displays, 0);
}

/* --- watch ---------------------------------------------------------------------------------------------------- */

/* The value as text, or its bytes: NULL where it is not in sight. */
static char *watch_read(const debugger *d, const breakpoint *b, unsigned frame, char format)
{
    char *text = tw_wse_print(d->w, b->x, b->y, frame, b->watched, format);
    char *copy = text && strcmp(text, format ? "" : "<optimised out>") != 0 ? g_strdup(text) : NULL;
    free(text);
    return copy;
}

enum { NO_FRAME = UINT_MAX };

/* The innermost frame of the function that the names are of. */
static bool frame_of_watch(const debugger *d, const breakpoint *b, unsigned *n)
{
    tw_wse_frame f;
    if (!b->function) return *n = NO_FRAME, true;
    for (*n = 0; tw_wse_get_frame(d->w, b->x, b->y, *n, &f); ++*n)
        if (!strcmp(f.code.function, b->function) && !strcmp(f.code.file, b->file)) return true;
    return false;
}

/* Bytes are compared, for the text of a long array is a part of it; and the text, for that of a DSD is also what it
 * reaches. A variable of a new call of its function is another one. */
bool tw__csl_changed(debugger *d, breakpoint *b)
{
    unsigned n;
    if (!frame_of_watch(d, b, &n)) return b->away = true, false;
    g_autofree char *now = watch_read(d, b, n, 0), *bytes = watch_read(d, b, n, 'b');
    if (!now || !bytes) return false;
    bool other = !b->away && (strcmp(bytes, b->bytes) != 0 || strcmp(now, b->now) != 0);
    g_free(b->before), g_free(b->bytes);
    b->before = b->now, b->now = g_steal_pointer(&now), b->bytes = g_steal_pointer(&bytes);
    b->away = false;
    return other;
}

breakpoint *tw__csl_first_change(debugger *d)
{
    for (guint i = 0; i < d->breakpoints->len; i++) {
        breakpoint *b = d->breakpoints->pdata[i];
        if (b->changed) return b;
    }
    return NULL;
}

void tw__csl_tell_changes(debugger *d)
{
    for (guint i = 0; i < d->breakpoints->len; i++) {
        const breakpoint *b = d->breakpoints->pdata[i];
        if (!b->changed) continue;
        printf("Watchpoint %u: %s\nOld value = %s\nNew value = %s\n", b->id, b->watched, b->before, b->now);
        if (strcmp(b->before, b->now) == 0) puts("(It has changed where it is not shown.)");
    }
}

/* What a name is in a frame: another thing than for the program as a whole? Something that can change? */
typedef struct named {
    bool local, variable;
} named;

static void look_at_name(const debugger *d, const breakpoint *b, unsigned frame, const char *name, named *is)
{
    g_autofree char *address = g_strdup_printf("&%s", name), *own = g_strdup_printf("\n%s = ", name);
    char *here = tw_wse_print(d->w, b->x, b->y, frame, address, 0),
         *global = tw_wse_print(d->w, b->x, b->y, NO_FRAME, address, 0),
         *locals = tw_wse_show(d->w, b->x, b->y, frame, TW_WSE_VIEW_LOCALS);
    g_autofree char *list = g_strdup_printf("\n%s", locals ? locals : "");
    bool is_local = strstr(list, own) != NULL;
    is->local |= is_local || g_strcmp0(here, global) != 0;
    is->variable |= is_local || here;
    free(here), free(global), free(locals);
}

/* All names of an expression: "m.x" whole, and as the field or what it points to of "m". */
static named look_at_names(const debugger *d, const breakpoint *b, unsigned frame)
{
    named is = { 0 };
    for (const char *at = b->watched; *at;) {
        if (*at == '$') is.variable = true;
        size_t word = strspn(at, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_"), whole = word;
        while (at[whole] == '.' && (g_ascii_isalpha(at[whole + 1]) || at[whole + 1] == '_'))
            whole += 1 + strspn(at + whole + 1, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");
        g_autofree char *name = g_strndup(at, word), *path = g_strndup(at, whole);
        bool is_name = word && !g_ascii_isdigit(*at) && (at == b->watched || at[-1] != '$');
        if (is_name) look_at_name(d, b, frame, name, &is);
        if (is_name && whole > word) look_at_name(d, b, frame, path, &is);
        at += MAX(whole, 1);
    }
    return is;
}

/* The PE is the breakpoint's, or the one looked at; false after a message. */
bool tw__csl_watch_parse(debugger *d, const char *value, breakpoint *b)
{
    tw_wse_frame f;
    if (!b->has_pe) b->x = d->x, b->y = d->y, b->has_pe = true;
    unsigned frame = b->x == d->x && b->y == d->y ? d->frame : 0;
    char *text = *value ? tw_wse_print(d->w, b->x, b->y, frame, value, 0) : NULL;
    if (!text) {
        complain(d, *value ? "%s." : "watch VALUE, such as watch total or watch data[2] at 1,0",
                 tw_error_message());
        return false;
    }
    free(text);
    b->watched = g_strdup(value);
    b->now = watch_read(d, b, frame, 0), b->bytes = watch_read(d, b, frame, 'b');
    named is = look_at_names(d, b, frame);
    if (!b->now || !b->bytes || !is.variable) {
        complain(d, b->now ? "'%s' cannot change." : "'%s' is <optimised out>.", value);
        return false;
    }
    g_autofree char *alone = watch_read(d, b, NO_FRAME, 0);
    if ((is.local || !alone) && tw_wse_get_frame(d->w, b->x, b->y, frame, &f))
        b->function = g_strdup(f.code.function), b->file = g_strdup(f.code.file);
    return true;
}
