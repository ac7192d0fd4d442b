/* SPDX-License-Identifier: MIT */
/* Breakpoints of `run --debug`: at vertices, at steps, at places of code, at tensors that change. A place is looked
 * up again in the code of each tile, which is another one where other vertices stand. */
#include "cli/debugger/debugger.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- what they match ------------------------------------------------------------------------------------------- */

/* "Add" is also "Add<float>" and "ns::Add". */
static bool is_type(const char *wanted, const char *type)
{
    size_t length = strlen(wanted), stem = strcspn(type, "<");
    if (!wanted[strcspn(wanted, "<")] && stem >= length && strncmp(type + stem - length, wanted, length) == 0)
        return stem == length || type[stem - length - 1] == ':';
    return strcmp(wanted, type) == 0;
}

static bool is_vertex(const breakpoint *b, const tw_debug_vertex *v)
{
    return (!b->type || is_type(b->type, v->type)) && (b->tile < 0 || b->tile == (gint64)v->tile) &&
           (!b->step || strcmp(b->step, v->compute_set) == 0);
}

/* The hit counts, unless hits of it are still to be ignored. */
static bool counts(breakpoint *b)
{
    b->hits++;
    if (!b->ignored) return true;
    b->ignored--;
    return false;
}

static bool condition_holds(graph *g, const breakpoint *b)
{
    tw__sim_value value;
    char *error = NULL;
    if (!b->condition) return true;
    if (tw__sim_evaluate(&g->session, g->d.context, b->condition, &value, &error)) return value.words[0] != 0;
    tw__debug_complain(&g->d, "condition of breakpoint %u: %s", b->id, error);
    g_free(error);
    return true;
}

breakpoint *tw__graph_vertex_breakpoint(graph *g, const tw_debug_vertex *v)
{
    for (guint i = 0; i < g->d.breakpoints->len; i++) {
        breakpoint *b = &g_array_index(g->d.breakpoints, breakpoint, i);
        if (b->enabled && b->kind == AT_VERTEX && is_vertex(b, v) && condition_holds(g, b) && counts(b)) return b;
    }
    return NULL;
}

breakpoint *tw__graph_step_breakpoint(graph *g, const tw_engine_step *step)
{
    for (guint i = 0; i < g->d.breakpoints->len; i++) {
        breakpoint *b = &g_array_index(g->d.breakpoints, breakpoint, i);
        if (b->enabled && b->kind == AT_STEP && g_strcmp0(b->step, step->name) == 0 && counts(b)) return b;
    }
    return NULL;
}

void tw__graph_hit(graph *g, breakpoint *b)
{
    g->d.hit_id = b->id;
    printf("%s %u, ", b->temporary ? "Temporary breakpoint" : "Breakpoint", b->id);
    if (b->temporary) tw__debug_remove(&g->d, b->id);
}

bool tw__graph_resolve(graph *g)
{
    bool any = false;
    for (guint i = 0; i < g->d.breakpoints->len; i++) {
        breakpoint *b = &g_array_index(g->d.breakpoints, breakpoint, i);
        if (!b->places) continue;
        g_array_set_size(b->places, 0);
        tw__sim_image_places(&g->session, b->text, b->places);
        any |= b->enabled && b->places->len;
    }
    return any;
}

/* Watched registers and memory, and places that were set by address, are those of one tile while one vertex runs. */
void tw__graph_leave_vertex(graph *g)
{
    for (guint i = g->d.breakpoints->len; i--;) {
        breakpoint *b = &g_array_index(g->d.breakpoints, breakpoint, i);
        if (b->kind != AT_PLACE || b->places) continue;
        if (b->value) printf("Watchpoint %u: its vertex has ended.\n", b->id), g->d.watches--;
        g_array_remove_index(g->d.breakpoints, i);
    }
}

/* --- tensors that are watched ---------------------------------------------------------------------------------- */

void tw__graph_watch(debugger *d, char *args)
{
    graph *g = graph_of(d);
    char *error = NULL;
    char *value = g->vertex && *args ? tw__debug_value(d, d->context, args, &error) : NULL;
    bool is_tensor = !value;
    g_free(value), g_free(error);
    char *text = is_tensor && *args ? tw_engine_value_text(g->engine, args) : NULL;
    if (!text) { /* of the vertex, or nothing */
        if (g->vertex)
            tw__debug_watch(d, args);
        else
            tw__debug_complain(d, "%s.", *args ? tw_error_message() : "watch TENSOR, such as watch x[0..4]");
        return;
    }
    breakpoint b = { .id = d->next_id++, .kind = AT_TENSOR, .address = UINT32_MAX, .enabled = true };
    b.text = g_strdup(args), b.before = g_strdup(text);
    g_array_append_val(d->breakpoints, b);
    printf("Watchpoint %u, before each step: %s", b.id, text);
    free(text);
}

bool tw__graph_look(graph *g)
{
    bool any = false;
    for (guint i = 0; i < g->d.breakpoints->len; i++) {
        breakpoint *b = &g_array_index(g->d.breakpoints, breakpoint, i);
        char *now = b->kind == AT_TENSOR ? tw_engine_value_text(g->engine, b->text) : NULL;
        if (now && strcmp(now, b->before) != 0) {
            if (b->enabled) {
                any = true, b->hits++, g->d.hit_id = b->id;
                printf("Watchpoint %u: %s\nOld value: %sNew value: %s", b->id, b->text, b->before, now);
            }
            g_free(b->before);
            b->before = g_strdup(now);
        }
        free(now);
    }
    return any;
}

/* --- setting them ---------------------------------------------------------------------------------------------- */

static void tell_set(debugger *d, breakpoint *b, const char *what)
{
    b->id = d->next_id++, b->enabled = true, b->address = UINT32_MAX;
    g_array_append_val(d->breakpoints, *b);
    printf("%s %u, %s\n", b->temporary ? "Temporary breakpoint" : "Breakpoint", b->id, what);
}

/* The word behind `key` in words[*at], if that is there: *at moves on. */
static const char *option(char **words, guint *at, const char *key)
{
    if (!words[*at] || strcmp(words[*at], key) != 0) return NULL;
    const char *value = words[*at + 1];
    *at += value ? 2 : 1;
    return value ? value : "";
}

static guint count_vertices(graph *g, const breakpoint *b)
{
    guint count = 0;
    tw_debug_vertex v = { .size = sizeof v };
    for (uint32_t id = 1; tw_engine_get_vertex(g->engine, (tw_vertex){ id }, &v) == TW_OK; id++)
        count += is_vertex(b, &v);
    return count;
}

/* "[TYPE] [tile T] [step NAME]" */
static void break_vertex(graph *g, const char *args, const char *condition, bool temporary)
{
    g_auto(GStrv) words = g_strsplit(args, " ", 0);
    breakpoint b = { .kind = AT_VERTEX, .temporary = temporary, .tile = -1 };
    guint at = 0;
    const char *tile = NULL, *step = NULL;
    bool is_option = !words[0] || strcmp(words[0], "tile") == 0 || strcmp(words[0], "step") == 0;
    const char *type = is_option ? NULL : words[at++];
    tile = option(words, &at, "tile"), step = option(words, &at, "step");
    char *end = NULL;
    if (tile) b.tile = (gint64)g_ascii_strtoull(tile, &end, 10);
    if (words[at] || (tile && (!*tile || *end)) || (step && !*step)) {
        tw__debug_complain(&g->d, "break vertex [TYPE] [tile T] [step NAME] [if VALUE]");
        return;
    }
    b.type = g_strdup(type), b.step = g_strdup(step);
    guint count = count_vertices(g, &b);
    if (!tw__graph_simulates(g))
        tw__debug_complain(&g->d,
                           "Vertices are code of the host here, which is not stopped at: --device ipu-sim runs "
                           "them as code of the chip, and 'break step NAME' stops before their compute set.");
    else if (!count)
        tw__debug_complain(&g->d, "There is no such vertex.");
    if (!count || !tw__graph_simulates(g)) {
        g_free(b.type), g_free(b.step);
        return;
    }
    b.text = g_strdup_printf("vertex%s%s", *args ? " " : "", args), b.condition = g_strdup(condition);
    g_autofree char *what = g_strdup_printf("at %u %s", count, count == 1 ? "vertex" : "vertices");
    tell_set(&g->d, &b, what);
}

static void break_step(graph *g, const char *name, const char *condition, bool temporary)
{
    if (condition) {
        tw__debug_complain(&g->d,
                           "break step NAME has no condition: variables and registers are those of a vertex.");
        return;
    }
    tw_engine_step s = { .size = sizeof s };
    guint count = 0;
    g_autofree char *here = NULL;
    if (!*name && tw_engine_get_step(g->engine, g->step, &s) == TW_OK && s.what) name = here = g_strdup(s.name);
    for (size_t i = 0; tw_engine_get_step(g->engine, i, &s) == TW_OK; i++)
        count += s.what && strcmp(s.name, name) == 0;
    if (!count || !*name) {
        tw__debug_complain(&g->d, "No step is called '%s': 'info steps' lists them.", name);
        return;
    }
    breakpoint b = { .kind = AT_STEP, .temporary = temporary, .step = g_strdup(name) };
    b.text = g_strdup_printf("step %s", name);
    g_autofree char *what = g_strdup_printf("before step '%s'", name);
    tell_set(&g->d, &b, what);
}

/* In how many of the engine's images there is such a place. */
static guint count_images(graph *g, const char *text, guint *places)
{
    tw__sim_session look = { .r = &g->request };
    guint count = 0;
    const tw_object *image;
    *places = 0;
    for (size_t i = 0; (image = tw_engine_code(g->engine, i)); i++) {
        g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        look.image = (tw_object *)(uintptr_t)image, look.debug = tw_debug_new(image);
        tw__sim_image_places(&look, text, found);
        tw_debug_free(look.debug);
        count += found->len > 0, *places = MAX(*places, found->len);
    }
    return count;
}

bool tw__graph_knows(graph *g, const char *text)
{
    guint places;
    return count_images(g, text, &places) > 0;
}

static void break_place(graph *g, const char *text, const char *condition, bool temporary)
{
    guint places, images;
    const char *file = NULL;
    g_autofree char *whole = NULL;
    if (g->vertex && *text && strspn(text, "0123456789") == strlen(text)) /* a line of the file it stands in */
        tw_sim_line_at(g->session.sim, tw_sim_get_pc(g->session.sim, g->d.context), &file, NULL);
    if (file) text = whole = g_strdup_printf("%s:%s", file, text);
    images = count_images(g, text, &places);
    if (!images) {
        tw__debug_complain(&g->d,
                           tw__graph_simulates(g)
                               ? "No tile has code at '%s': FILE:LINE of a codelet, or a function."
                               : "Vertices are code of the host here: --device ipu-sim runs them as code of the "
                                 "chip, where '%s' can be a place.",
                           text);
        return;
    }
    breakpoint b = { .temporary = temporary, .tile = -1, .places = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
    b.text = g_strdup(text), b.condition = g_strdup(condition);
    g_autofree char *what = g_strdup_printf("%s%s%s%s", text, places > 1 ? " (several places)" : "",
                                            condition ? " if " : "", condition ? condition : "");
    tell_set(&g->d, &b, what);
    if (g->vertex) tw__graph_resolve(g);
}

static void graph_set(debugger *d, char *args, bool temporary)
{
    graph *g = graph_of(d);
    char *condition = strstr(args, " if ");
    if (condition) *condition = 0, condition = g_strstrip(condition + 4);
    g_strstrip(args);
    if (strcmp(args, "vertex") == 0 || g_str_has_prefix(args, "vertex "))
        break_vertex(g, g_strstrip(args + 6), condition, temporary);
    else if ((!*args && !g->vertex) || strcmp(args, "step") == 0 || g_str_has_prefix(args, "step "))
        break_step(g, *args ? g_strstrip(args + 4) : "", condition, temporary);
    else if (*args)
        break_place(g, args, condition, temporary);
    else
        tw__debug_complain(d, "break LOCATION, break vertex [TYPE] [tile T] [step NAME] or break step NAME");
}
void tw__graph_break(debugger *d, char *args)
{
    graph_set(d, args, false);
}
void tw__graph_tbreak(debugger *d, char *args)
{
    graph_set(d, args, true);
}

void tw__graph_info_breakpoints(debugger *d, char *args)
{
    (void)args;
    if (!d->breakpoints->len) puts("No breakpoints.");
    for (guint i = 0; i < d->breakpoints->len; i++) {
        const breakpoint *b = &g_array_index(d->breakpoints, breakpoint, i);
        const char *kind = b->value || b->kind == AT_TENSOR ? "watch " : b->temporary ? "once  " : "always";
        printf("%-4u %s %s %s", b->id, kind, b->enabled ? "on " : "off", b->text);
        if (b->condition) printf(" if %s", b->condition);
        if (b->hits) printf(", hit %" G_GUINT64_FORMAT " times", b->hits);
        putchar('\n');
    }
}
