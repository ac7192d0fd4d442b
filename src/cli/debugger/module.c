/* SPDX-License-Identifier: MIT */
/* The module: the engine loads it, calls it before each step and for each vertex, and waits while it reads commands.
 * */
#define _GNU_SOURCE /* on_exit */
#include "cli/debugger/debugger.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what is told ---------------------------------------------------------------------------------------------- */

static bool get_step(graph *g, size_t index, tw_engine_step *step)
{
    *step = (tw_engine_step){ .size = sizeof *step };
    return tw_engine_get_step(g->engine, index, step) == TW_OK && step->what;
}

size_t tw__graph_step_number(graph *g, size_t step)
{
    tw_engine_step s;
    size_t number = 0;
    for (size_t i = 0; i <= step; i++) number += get_step(g, i, &s);
    return number;
}

char *tw__graph_step_text(graph *g, size_t step, size_t number)
{
    tw_engine_step s;
    GString *text = g_string_new(NULL);
    get_step(g, step, &s);
    g_string_append_printf(text, "step %zu: %s", number, s.what ? s.what : "?");
    if (s.name && *s.name) g_string_append_printf(text, " '%s'", s.name);
    if (s.vertices)
        g_string_append_printf(text, ", %" PRIu64 " %s on %u tile%s", s.vertices,
                               s.vertices == 1 ? "vertex" : "vertices", s.tiles, s.tiles == 1 ? "" : "s");
    if (s.replicas) g_string_append_printf(text, ", replica %u of %u", s.replica, s.replicas);
    return g_string_free(text, FALSE);
}

bool tw__graph_simulates(const graph *g)
{
    return g->engine && tw_engine_code(g->engine, 0);
}

static void show_vertex(const tw_debug_vertex *v)
{
    printf("vertex %u of type '%s' in compute set '%s' on tile %u, ", v->vertex.id, v->type, v->compute_set,
           v->tile);
    puts(v->context == TW_SIM_CONTEXTS ? "all workers" : tw__sim_context_name(v->context));
}

void tw__graph_show_place(graph *g)
{
    if (g->vertex) {
        show_vertex(g->vertex);
        return;
    }
    g_autofree char *text = tw__graph_step_text(g, g->step, tw__graph_step_number(g, g->step));
    puts(text);
}

/* --- commands -------------------------------------------------------------------------------------------------- */

static int result_of(const graph *g)
{
    return g->d.reader.failed && !g->d.reader.terminal ? TW__EXIT_FAILURE : TW__EXIT_OK;
}

/* A script that got a command wrong says so, whatever the program's own status is. */
static void at_end(int status, void *user)
{
    graph *g = user;
    if (g->d.dap) {
        tw__graph_end(g, status);
        return;
    }
    tw__reader_close(&g->d.reader);
    if (result_of(g) == TW__EXIT_OK) return;
    fflush(NULL);
    _exit(TW__EXIT_FAILURE);
}

/* The client may have gone, or asks for a pause. */
static void poll_client(graph *g)
{
    if (!g->d.dap || !tw__dap_poll(g->d.dap)) return;
    if (tw__dap_is_over(g->d.dap)) exit(TW__EXIT_OK);
    tw__debug_interrupt(true);
}

static void read_commands(graph *g)
{
    if (g->d.dap) {
        tw__graph_serve(g);
        if (tw__dap_is_over(g->d.dap)) exit(TW__EXIT_OK);
        return;
    }
    tw__reader_run(&g->d.reader);
    if (!g->d.reader.ended) return;
    fflush(NULL);
    exit(result_of(g)); /* the program is over: the user has said so */
}

/* --- steps ----------------------------------------------------------------------------------------------------- */

static void free_debug(void *debug)
{
    tw_debug_free(debug);
}

static void greet(graph *g)
{
    size_t last = 0;
    tw_engine_step s = { .size = sizeof s };
    while (tw_engine_get_step(g->engine, last, &s) == TW_OK) last++;
    size_t steps = last ? tw__graph_step_number(g, last - 1) : 0;
    printf("An engine with %zu step%s%s; 'continue' goes on, 'help' lists the commands.\n", steps,
           steps == 1 ? "" : "s", tw__graph_simulates(g) ? "" : ", whose vertices are code of the host");
}

static void stop_at_step(graph *g, tw_engine *engine, size_t step)
{
    tw_engine_step s;
    bool is_first = !g->has_stopped;
    g->engine = engine, g->step = step;
    if (!get_step(g, step, &s)) return;
    g->has_stopped = true;
    g_hash_table_remove_all(g->debugs); /* images are this engine's, which may be gone when the next one runs */
    fflush(stdout);
    if (is_first && g->d.dap) tw__graph_begin(g);
    poll_client(g);
    bool changed = tw__graph_look(g);
    breakpoint *b = tw__graph_step_breakpoint(g, &s);
    if (b && g->d.dap && tw__dap_logs(g->d.dap, b->id, 1)) b = NULL;
    if (g->d.dap) is_first = false; /* the client says whether it stops at the start */
    if (!b && !changed && !is_first && g->going == TO_BREAKPOINT && !tw__debug_interrupted()) return;
    if (is_first) greet(g);
    if (tw__debug_interrupted() && !g->d.dap) puts("Interrupted."), tw__debug_interrupt(false);
    if (!b && !changed) g->d.hit_id = 0;
    if (b) tw__graph_hit(g, b);
    tw__graph_show_place(g);
    tw__debug_show_displays(&g->d);
    g->changed = changed, g->going = TO_BREAKPOINT;
    read_commands(g);
    tw__graph_look(g); /* as they are now */
}

/* Engines of several threads take turns. */
static tw_status on_step(void *user, tw_engine *engine, size_t step)
{
    graph *g = user;
    g_mutex_lock(&g->lock);
    stop_at_step(g, engine, step);
    g_mutex_unlock(&g->lock);
    return TW_OK;
}

/* --- vertices -------------------------------------------------------------------------------------------------- */

static tw_debug *debug_of(graph *g, const tw_object *image)
{
    tw_debug *debug = NULL;
    if (g_hash_table_lookup_extended(g->debugs, image, NULL, (void **)&debug)) return debug;
    debug = tw_debug_new(image); /* NULL: there is none */
    g_hash_table_insert(g->debugs, (void *)(uintptr_t)image, debug);
    return debug;
}

static void enter_vertex(graph *g, const tw_debug_vertex *v, uint64_t turns)
{
    tw__sim_session *s = &g->session;
    g->vertex = v;
    s->sim = v->sim, s->image = (tw_object *)(uintptr_t)v->image, s->limit = turns;
    s->region1 = tw_tile_arch_by_name(tw_isa_arch_name(tw_object_arch(v->image)))->regions[1].start;
    s->debug = debug_of(g, v->image);
    tw__debug_forget_frames(&g->d);
    g->d.context = v->context == TW_SIM_CONTEXTS ? 0 : v->context;
    g->d.ended = TW_SIM_BREAK;
}

static void leave_vertex(graph *g)
{
    tw_sim_set_hook(g->session.sim, NULL, NULL);
    tw__graph_leave_vertex(g);
    g->vertex = NULL;
    g->session.sim = NULL, g->session.image = NULL, g->session.debug = NULL;
}

/* Stands before its first instruction, or runs to a breakpoint within. */
static void begin_vertex(graph *g, breakpoint *b, bool stop)
{
    if (!stop) {
        tw__debug_begin(&g->d);
        if (g->d.ended == TW_SIM_BREAK || g->d.ended == TW_SIM_FAULT) show_vertex(g->vertex);
        return;
    }
    g->d.hit_id = 0;
    if (tw__debug_interrupted() && !g->d.dap) puts("Interrupted."), tw__debug_interrupt(false);
    if (b) tw__graph_hit(g, b);
    show_vertex(g->vertex);
    tw__sim_show_place(&g->session, g->d.context);
    tw__debug_show_displays(&g->d);
}

static bool wants_a_stop(void *user)
{
    graph *g = user;
    poll_client(g);
    return tw__debug_interrupted() || tw__graph_resolve(g);
}

/* As fast as without a debugger, but for looks at what the user wants. True: now the vertex is to be followed, its
 * calls until now are read from its stacks; what is left of its turns is in the session. */
static bool runs_freely(graph *g, tw_sim_stop *end)
{
    tw__sim_session *s = &g->session;
    s->look = wants_a_stop, s->look_user = g;
    *end = tw__sim_pieces(s, s->limit);
    s->look = NULL;
    if (!s->looked || (s->limit && s->took >= s->limit)) return false;
    if (s->limit) s->limit -= s->took;
    unsigned last = TW_SIM_CONTEXTS - 1;
    while (g->d.context < last && tw_sim_get_state(s->sim, g->d.context) != TW_SIM_ACTIVE) g->d.context++;
    for (unsigned i = 0; i < TW_SIM_CONTEXTS; i++)
        if (tw_sim_get_state(s->sim, i) == TW_SIM_ACTIVE) tw__source_find_calls(s, i, g->d.frames[i]);
    return true;
}

static tw_sim_stop debug_vertex(graph *g, const tw_debug_vertex *v, uint64_t turns)
{
    poll_client(g);
    g->engine = v->engine, g->step = v->step;
    enter_vertex(g, v, turns);
    breakpoint *b = tw__graph_vertex_breakpoint(g, v);
    if (b && g->d.dap && tw__dap_logs(g->d.dap, b->id, g->d.context + 1)) b = NULL;
    bool stop = b || g->going == INTO_STEP || tw__debug_interrupted();
    if (!tw__graph_resolve(g) && !stop) {
        tw_sim_stop end;
        if (!runs_freely(g, &end)) {
            leave_vertex(g);
            return end;
        }
        stop = tw__debug_interrupted();
    }
    tw__debug_hook(&g->d);
    fflush(stdout);
    g->going = TO_BREAKPOINT, g->d.reader.go = false, g->changed = false;
    begin_vertex(g, b, stop);
    while (g->d.ended == TW_SIM_BREAK || (g->d.ended == TW_SIM_FAULT && !g->d.reader.go)) read_commands(g);
    leave_vertex(g);
    return g->d.ended;
}

static tw_sim_stop on_vertex(void *user, const tw_debug_vertex *v, uint64_t turns)
{
    graph *g = user;
    g_mutex_lock(&g->lock);
    tw_sim_stop end = debug_vertex(g, v, turns);
    g_mutex_unlock(&g->lock);
    return end;
}

/* --- life ------------------------------------------------------------------------------------------------------ */

static void free_lines(void *lines)
{
    g_strfreev(lines);
}

/* What the engine looks up. `wish`: TILEWRIGHT_DEBUG, "1" or, with a client, "dap IN OUT": descriptors. */
TW_API bool tw_debugger_open(const char *wish);
bool tw_debugger_open(const char *wish)
{
    graph *g = g_new0(graph, 1); /* until the process ends */
    tw_debugger mine = { .size = sizeof mine, .user = g, .step = on_step, .vertex = on_vertex };
    g->session.r = &g->request;
    g->session.sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_lines);
    g->debugs = g_hash_table_new_full(NULL, NULL, NULL, free_debug);
    tw__debug_open(&g->d, &g->session);
    tw__graph_open_words(g);
    if (g_str_has_prefix(wish, "dap ")) g->d.dap = tw__graph_client(wish);
    on_exit(at_end, g);
    return tw_debugger_set(&mine) == TW_OK;
}
