/* SPDX-License-Identifier: MIT */
/* A client of `run --dap`: in a vertex what `sim --dap` says, between them the step, and the tensors in both. */
#include "cli/debugger/debugger.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const tw__dap_target *const of_tile = &tw__sim_dap_target;

/* --- threads and frames ---------------------------------------------------------------------------------------- */

static bool graph_has_thread(debugger *d, unsigned thread)
{
    return graph_of(d)->vertex ? of_tile->has_thread(d, thread) : thread == 1;
}

static void graph_threads(debugger *d, json_t *list)
{
    if (graph_of(d)->vertex)
        of_tile->threads(d, list);
    else
        tw__dap_add_thread(list, 1, "the program");
}

/* Outside of a vertex's frames stands its step. */
static bool graph_frame(debugger *d, unsigned thread, unsigned n, tw__dap_frame *shown)
{
    graph *g = graph_of(d);
    tw__dap_frame inner = { 0 };
    if (g->vertex && of_tile->frame(d, thread, n, shown)) return true;
    bool is_outer = n == 0 || (g->vertex && of_tile->frame(d, thread, n - 1, &inner));
    g_free(inner.name);
    if (is_outer) shown->name = tw__graph_step_text(g, g->step, tw__graph_step_number(g, g->step));
    return is_outer;
}

/* --- values ---------------------------------------------------------------------------------------------------- */

enum { LOCAL_SCOPE, REGISTER_SCOPE, TENSOR_SCOPE, VERTEX_SCOPE, MOST_TENSORS = 200 };
static const char *const scopes[] = { [LOCAL_SCOPE] = "Locals",
                                      [REGISTER_SCOPE] = "Registers",
                                      [TENSOR_SCOPE] = "Tensors",
                                      [VERTEX_SCOPE] = "Vertex",
                                      NULL };

/* Without the "x = " in front; free(). */
static char *tensor_value(graph *g, const char *name)
{
    char *text = tw_engine_value_text(g->engine, name), *equals = text ? strstr(text, " = ") : NULL;
    char *value = text ? strdup(equals ? equals + 3 : text) : NULL;
    free(text);
    return value ? g_strchomp(value) : NULL;
}

static void add_tensors(graph *g, json_t *list)
{
    const char *name;
    unsigned shown = 0;
    for (size_t i = 0; (name = tw_engine_variable(g->engine, i)) && shown < MOST_TENSORS; i++) {
        char *value = *name ? tensor_value(g, name) : NULL;
        if (value) shown++, tw__dap_add(list, name, value, name);
        free(value);
    }
}

static void add_vertex(graph *g, json_t *list)
{
    char *text = tw_engine_vertex_text(g->engine, g->vertex->vertex);
    if (text) tw__dap_add(list, "vertex", g_strchomp(text), NULL);
    free(text);
}

static void graph_scope(debugger *d, unsigned thread, unsigned number, unsigned which, json_t *list)
{
    graph *g = graph_of(d);
    if (which == TENSOR_SCOPE)
        add_tensors(g, list);
    else if (g->vertex && which == VERTEX_SCOPE)
        add_vertex(g, list);
    else if (g->vertex)
        of_tile->scope(d, thread, number, which, list);
}

static char *graph_evaluate(debugger *d, unsigned thread, unsigned number, const char *text, char **error)
{
    graph *g = graph_of(d);
    char *value = g->vertex ? of_tile->evaluate(d, thread, number, text, error) : NULL;
    if (value || (value = tensor_value(g, text))) {
        g_clear_pointer(error, g_free);
        return value;
    }
    if (!*error) *error = g_strdup(tw_error_message());
    return NULL;
}

static bool graph_assign(debugger *d, unsigned thread, unsigned number, const char *expression, const char *value,
                         char **error)
{
    if (graph_of(d)->vertex) return of_tile->assign(d, thread, number, expression, value, error);
    *error = g_strdup("values are set in a vertex");
    return false;
}

static uint64_t graph_instruction(debugger *d, uint64_t address, char **text, tw__dap_place *place)
{
    return graph_of(d)->vertex ? of_tile->instruction(d, address, text, place) : address + 4;
}

/* Memory is that of the tile that the vertex is on. */
static bool graph_locate(debugger *d, unsigned thread, unsigned number, const char *expression, uint64_t *address)
{
    return graph_of(d)->vertex && of_tile->locate(d, thread, number, expression, address);
}

static size_t graph_read(debugger *d, uint64_t address, uint8_t *bytes, size_t count)
{
    return graph_of(d)->vertex ? of_tile->read(d, address, bytes, count) : 0;
}

/* --- breakpoints ----------------------------------------------------------------------------------------------- */

static bool graph_knows(debugger *d, const char *location)
{
    return tw__graph_knows(graph_of(d), location);
}

/* Also "vertex Add tile 3" and "step scale", as functions. */
static unsigned graph_set_breakpoint(debugger *d, const char *location, const char *condition, unsigned *count,
                                     tw__dap_place *place)
{
    unsigned before = d->next_id;
    const char *colon = strrchr(location, ':');
    g_autofree char *words = condition ? g_strdup_printf("%s if %s", location, condition) : g_strdup(location);
    tw__graph_break(d, words);
    if (d->next_id == before) return 0;
    *count = 1;
    if (colon && g_ascii_isdigit(colon[1])) place->line = (unsigned)g_ascii_strtoull(colon + 1, NULL, 10);
    return before;
}

/* --- runs ------------------------------------------------------------------------------------------------------ */

static void graph_start(debugger *d, bool stop_on_entry)
{
    graph *g = graph_of(d);
    g->going = stop_on_entry ? TO_STEP : TO_BREAKPOINT, g->at_entry = stop_on_entry;
    tw__dap_let_go(d->dap);
}

/* Between vertices the engine goes on when the messages have been answered; in one it runs here. */
static void graph_go(debugger *d, unsigned thread, tw__dap_go how, bool instruction)
{
    static const graph_going behind[] = { [TW__DAP_CONTINUE] = TO_BREAKPOINT,
                                          [TW__DAP_NEXT] = TO_STEP,
                                          [TW__DAP_STEP_IN] = INTO_STEP,
                                          [TW__DAP_STEP_OUT] = TO_STEP };
    graph *g = graph_of(d);
    char none[] = "";
    d->hit_id = 0, g->going = behind[how];
    if (!g->vertex) return;
    d->context = thread - 1;
    bool is_outermost =
        !d->frames[d->context]->len && tw__source_depth(d->s, tw_sim_get_pc(d->s->sim, d->context)) < 2;
    if (how == TW__DAP_CONTINUE || (how == TW__DAP_STEP_OUT && is_outermost))
        tw__debug_continue(d, none);
    else if (how == TW__DAP_STEP_OUT)
        tw__debug_finish(d, none);
    else if (how == TW__DAP_NEXT)
        (instruction ? tw__debug_nexti : tw__debug_next)(d, none);
    else
        (instruction ? tw__debug_stepi : tw__debug_step)(d, none);
    if (how == TW__DAP_NEXT) g->going = INTO_STEP; /* where the vertex has ended */
}

static int open_program(tw__dap *dap, int argc, char **argv);

static const tw__dap_target target = { .command = "run",
                                       .main = open_program,
                                       .threads = graph_threads,
                                       .has_thread = graph_has_thread,
                                       .frame = graph_frame,
                                       .scopes = scopes,
                                       .scope = graph_scope,
                                       .evaluate = graph_evaluate,
                                       .knows = graph_knows,
                                       .set = graph_set_breakpoint,
                                       .assign = graph_assign,
                                       .remove = tw__debug_remove,
                                       .ignore = tw__debug_ignore_hits,
                                       .start = graph_start,
                                       .go = graph_go,
                                       .only_once = true,
                                       .instruction = graph_instruction,
                                       .locate = graph_locate,
                                       .read = graph_read,
                                       .unit = 4 };

/* --- life ------------------------------------------------------------------------------------------------------ */

static graph *opened; /* what `launch` opens */

static int open_program(tw__dap *dap, int argc, char **argv)
{
    (void)argc, (void)argv;
    tw__dap_begin(dap, &opened->d);
    return TW__EXIT_OK;
}

tw__dap *tw__graph_client(const char *wish)
{
    static tw__dap_target own;
    char *end = NULL;
    own = target, own.command_line = of_tile->command_line, own.reader = of_tile->reader;
    own.clients = of_tile->clients;
    int in = (int)g_ascii_strtoll(wish + strlen("dap "), &end, 10), out = (int)g_ascii_strtoll(end, &end, 10);
    if (*end || in == out || fcntl(in, F_SETFD, FD_CLOEXEC) || fcntl(out, F_SETFD, FD_CLOEXEC)) {
        fprintf(stderr, "tilewright: TILEWRIGHT_DEBUG names no descriptors: '%s'\n", wish);
        return NULL;
    }
    return tw__dap_open(&own, in, out);
}

void tw__graph_begin(graph *g)
{
    opened = g;
    tw__dap_flush_program(g->d.dap);
    tw__dap_loop(g->d.dap);
}

void tw__graph_serve(graph *g)
{
    debugger *d = &g->d;
    const char *reason = d->hit_id && !g->changed   ? "breakpoint"
                         : g->changed || d->changed ? "data breakpoint"
                         : g->at_entry              ? "entry"
                         : tw__debug_interrupted()  ? "pause"
                                                    : "step";
    g->at_entry = false;
    tw__debug_interrupt(false);
    unsigned thread = g->vertex ? d->context + 1 : 1;
    if (g->vertex && d->ended == TW_SIM_FAULT)
        tw__sim_dap_exception(d, thread);
    else
        tw__dap_stopped(d->dap, reason, thread, d->hit_id, NULL);
    tw__dap_loop(d->dap);
}

void tw__graph_end(graph *g, int status)
{
    if (!tw__dap_is_over(g->d.dap)) tw__dap_exited(g->d.dap, status);
    while (g->engine && !tw__dap_is_over(g->d.dap)) tw__dap_loop(g->d.dap); /* its goodbye */
    fflush(NULL);
}
