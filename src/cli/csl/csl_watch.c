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

/* Where it is not in sight it has not changed. */
bool tw__csl_changed(debugger *d, breakpoint *b)
{
    char *now = tw_wse_print(d->w, b->x, b->y, 0, b->watched, 0);
    bool other = now && strcmp(now, b->now) != 0;
    if (other) {
        g_free(b->before);
        b->before = b->now, b->now = g_strdup(now);
    }
    free(now);
    return other;
}

/* The PE is the breakpoint's, or the one looked at; false after a message. */
bool tw__csl_watch_parse(debugger *d, const char *value, breakpoint *b)
{
    if (!b->has_pe) b->x = d->x, b->y = d->y, b->has_pe = true;
    char *text = *value ? tw_wse_print(d->w, b->x, b->y, d->frame, value, 0) : NULL;
    if (!text) {
        complain(d, *value ? "%s." : "watch VALUE, such as watch total or watch data[2] at 1,0",
                 tw_error_message());
        return false;
    }
    b->watched = g_strdup(value), b->now = g_strdup(text);
    free(text);
    return true;
}
