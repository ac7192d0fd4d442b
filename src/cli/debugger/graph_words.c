/* SPDX-License-Identifier: MIT */
/* Commands of `run --debug`: its own, then those of `sim --interactive`, which need a vertex to stand in. */
#include "cli/debugger/debugger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- running --------------------------------------------------------------------------------------------------- */

static void leave_commands(graph *g, graph_going how)
{
    g->going = how, g->d.reader.go = true, g->d.hit_id = 0;
}

/* A command of `sim` within a vertex; where that ends, its steps end at what comes next. */
static void within(debugger *d, char *args, void (*run)(debugger *, char *), graph_going behind)
{
    graph *g = graph_of(d);
    if (!g->vertex) {
        leave_commands(g, behind);
        return;
    }
    run(d, args);
    if (d->reader.go) g->going = behind;
}

static void do_continue(debugger *d, char *args)
{
    within(d, args, tw__debug_continue, TO_BREAKPOINT);
}
static void do_step(debugger *d, char *args)
{
    within(d, args, tw__debug_step, INTO_STEP);
}
static void do_stepi(debugger *d, char *args)
{
    within(d, args, tw__debug_stepi, INTO_STEP);
}
static void do_next(debugger *d, char *args)
{
    within(d, args, tw__debug_next, graph_of(d)->vertex ? INTO_STEP : TO_STEP);
}
static void do_nexti(debugger *d, char *args)
{
    within(d, args, tw__debug_nexti, INTO_STEP);
}

/* To the end of the vertex where it stands in its outermost function; of a step: behind it. */
static void do_finish(debugger *d, char *args)
{
    graph *g = graph_of(d);
    bool is_outermost = g->vertex && !d->frames[d->context]->len &&
                        tw__source_depth(d->s, tw_sim_get_pc(d->s->sim, d->context)) < 2;
    within(d, args, is_outermost ? tw__debug_continue : tw__debug_finish, TO_STEP);
}

/* --- looking --------------------------------------------------------------------------------------------------- */

bool tw__graph_tensor(debugger *d, const char *text)
{
    char *value = tw_engine_value_text(graph_of(d)->engine, text);
    if (value) fputs(value, stdout);
    free(value);
    return value != NULL;
}

static void do_tensor(debugger *d, char *args)
{
    if (!tw__graph_tensor(d, args)) tw__debug_complain(d, "%s.", tw_error_message());
}

static void info_vertex(debugger *d, char *args)
{
    graph *g = graph_of(d);
    char *end = NULL;
    guint64 id = *args ? g_ascii_strtoull(args, &end, 10) : g->vertex ? g->vertex->vertex.id : 0;
    if ((*args && (*end || id > UINT32_MAX)) || !id) {
        tw__debug_complain(d, "info vertex [N]");
        return;
    }
    char *text = tw_engine_vertex_text(g->engine, (tw_vertex){ (uint32_t)id });
    if (text)
        fputs(text, stdout);
    else
        tw__debug_complain(d, "%s.", tw_error_message());
    free(text);
    if (!text || *args) return;
    unsigned context = g->vertex->context;
    printf("on %s\n", context == TW_SIM_CONTEXTS ? "all workers" : tw__sim_context_name(context));
}

enum { AROUND = 20 }; /* steps that are listed before and behind the present one */

static void info_steps(debugger *d, char *args)
{
    graph *g = graph_of(d);
    size_t here = tw__graph_step_number(g, g->step), number = 0;
    bool all = strcmp(args, "all") == 0;
    tw_engine_step s = { .size = sizeof s };
    for (size_t i = 0; tw_engine_get_step(g->engine, i, &s) == TW_OK; i++) {
        if (!s.what) continue;
        number++;
        if (!all && (number + AROUND < here || number > here + AROUND)) continue;
        g_autofree char *text = tw__graph_step_text(g, i, number);
        printf("%c %s\n", i == g->step ? '*' : ' ', text);
    }
    if (!all && number > 2 * AROUND + 1) printf("%zu steps: 'info steps all' lists them.\n", number);
}

static void info_tensors(debugger *d, char *args)
{
    enum { MOST = 100 };
    graph *g = graph_of(d);
    const char *name;
    size_t shown = 0, more = 0;
    for (size_t i = 0; (name = tw_engine_variable(g->engine, i)); i++) {
        if (!*name || !strstr(name, args)) continue;
        if (shown < MOST)
            shown++, puts(name);
        else
            more++;
    }
    if (more) printf("... and %zu more: 'info tensors TEXT' lists those with TEXT in their names.\n", more);
    if (!shown) puts("No variable has such a name.");
}

static void do_graph_info(debugger *d, char *args);
static void do_frame(debugger *d, char *args)
{
    (void)args;
    graph *g = graph_of(d);
    tw__graph_show_place(g);
    if (g->vertex) tw__sim_show_place(&g->session, d->context);
}

static const tw__word own_infos[] = {
    { "vertex", "v", "[N]", "type, place and fields of the vertex, or of another one", info_vertex },
    { "steps", "", "[all]", "steps around this one, or all", info_steps },
    { "tensors", "variables", "[TEXT]", "names of variables", info_tensors },
    { "breakpoints", "b", "", "breakpoints", tw__graph_info_breakpoints },
};

static const tw__word own_words[] = {
    { "continue", "c fg run r", "[N]", "to a breakpoint (the Nth), an exception or the end", do_continue },
    { "step", "s", "[N]", "into the step's vertices, to another source line, into calls", do_step },
    { "next", "n", "[N]", "to the next step; in a vertex to another source line, over calls", do_next },
    { "stepi", "si", "[N]", "one instruction or bundle", do_stepi },
    { "nexti", "ni", "[N]", "one instruction or bundle, over calls", do_nexti },
    { "finish", "fin", "", "until the function, the vertex or the step has ended", do_finish },
    { "break", "b br", "WHERE [if VALUE]",
      "vertex [TYPE] [tile T] [step NAME]; step NAME; a function or FILE:LINE of a codelet", tw__graph_break },
    { "tbreak", "tb", "WHERE [if VALUE]", "a breakpoint for one stop", tw__graph_tbreak },
    { "watch", "w", "VALUE", "in a vertex registers, memory, variables; tensors before each step",
      tw__graph_watch },
    { "tensor", "", "NAME[SLICES]", "a tensor, where a variable of the vertex has its name: tensor x[1, 0..4]",
      do_tensor },
    { "where", "", "", "the step, and the vertex", do_frame },
    { "info", "i", "WHAT", "vertex, steps, tensors, breakpoints, registers, threads, locals ...", do_graph_info },
};

static void do_graph_info(debugger *d, char *args)
{
    graph *g = graph_of(d);
    tw__reader_sub(&d->reader, "info", (const tw__word *)(void *)g->infos->data, g->infos->len, args);
}

/* --- tables ---------------------------------------------------------------------------------------------------- */

static bool may_be_said(debugger *d, const tw__word *word)
{
    static const char *const always[] = { "continue", "step",    "next",        "finish",    "break", "tbreak",
                                          "delete",   "enable",  "disable",     "ignore",    "print", "tensor",
                                          "watch",    "where",   "display",     "undisplay", "info",  "vertex",
                                          "steps",    "tensors", "breakpoints", "help",      "quit" };
    if (graph_of(d)->vertex) return true;
    for (size_t i = 0; i < G_N_ELEMENTS(always); i++)
        if (strcmp(word->name, always[i]) == 0) return true;
    if (tw__graph_simulates(graph_of(d)))
        tw__debug_complain(d, "'%s' needs a vertex to stand in: 'step' goes into one, 'break vertex' stops at one.",
                           word->name);
    else
        tw__debug_complain(d, "'%s' needs a vertex that runs as code of the chip: --device ipu-sim.", word->name);
    return false;
}

static bool has_word(const tw__word *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return true;
    return false;
}

/* Ours, then those of `sim` that mean the same here. */
static GArray *join_words(const tw__word *own, size_t count, const tw__word *sim, size_t sim_count)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(tw__word));
    g_array_append_vals(all, own, (guint)count);
    for (size_t i = 0; i < sim_count; i++)
        if (!has_word(own, count, sim[i].name) && strcmp(sim[i].name, "run") != 0) g_array_append_val(all, sim[i]);
    for (guint i = (guint)count; i < all->len; i++) {
        tw__word *w = &g_array_index(all, tw__word, i);
        if (strcmp(w->name, "backtrace") == 0) w->aliases = "bt";
    }
    return all;
}

/* Variables, and symbols of the vertex's code. */
static void graph_names(debugger *d, void (*add)(void *list, const char *name), void *list)
{
    const char *name;
    for (size_t i = 0; (name = tw_engine_variable(graph_of(d)->engine, i)); i++)
        if (*name) add(list, name);
    tw__sim_names(d, add, list);
}

void tw__graph_open_words(graph *g)
{
    g->words = join_words(own_words, G_N_ELEMENTS(own_words), tw__sim_words, tw__sim_word_count);
    g->infos = join_words(own_infos, G_N_ELEMENTS(own_infos), tw__sim_infos, tw__sim_info_count);
    g->d.tensor = tw__graph_tensor;
    g->d.reader = (tw__reader){ .prompt = "(run) ",
                                .words = (const tw__word *)(void *)g->words->data,
                                .count = g->words->len,
                                .debugger = &g->d,
                                .may = may_be_said,
                                .infos = (const tw__word *)(void *)g->infos->data,
                                .info_count = g->infos->len,
                                .names = graph_names,
                                .calm = tw__debug_calm,
                                .terminal = isatty(STDIN_FILENO) };
}
