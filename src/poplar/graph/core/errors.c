/* SPDX-License-Identifier: MIT */
/* The sticky error of a graph and the call sites it names.
 *
 * Call sites form a small stack per thread: in tw_program_repeat(g, 10, tw_program_execute(g, cs)) the macro of the
 * outer call runs before its arguments are evaluated, so the inner call finds its own site on top and leaves the
 * outer one below. */
#include "poplar/graph/build.h"

#include <string.h>

enum { SITES = 16 }; /* nested calls that are remembered; deeper ones overwrite the oldest */

typedef struct site {
    const char *file;
    int line;
} site;

static _Thread_local struct {
    site sites[SITES];
    unsigned top, depth;  /* next slot of the ring, valid entries */
    const char *function; /* the public call in progress */
    site at;
} calls;

void tw_graph_call_site(const char *file, int line)
{
    calls.sites[calls.top] = (site){ file, line };
    calls.top = (calls.top + 1) % SITES;
    if (calls.depth < SITES) calls.depth++;
}

void tw__call_site_take(const char *function, const char **file, int *line)
{
    calls.function = function;
    calls.at = (site){ NULL, 0 };
    if (calls.depth) {
        calls.depth--;
        calls.top = (calls.top + SITES - 1) % SITES;
        calls.at = calls.sites[calls.top];
    }
    *file = calls.at.file;
    *line = calls.at.line;
}

void tw__call_site_again(void)
{
    tw_graph_call_site(calls.at.file, calls.at.line);
}

const char *tw__call_site_file(void)
{
    return calls.at.file;
}

void tw__enter_maker(const char *function)
{
    const char *file;
    int line;
    tw__call_site_take(function, &file, &line);
}

bool tw__enter_getter(const tw_graph *graph, const char *function)
{
    tw__enter_maker(function);
    if (graph) return true;
    tw__missing("graph");
    return false;
}

bool tw__enter(const tw_graph *graph, const char *function)
{
    return tw__enter_getter(graph, function) && graph->core->error->error.status == TW_OK;
}

/* Of the last call of this thread that made no graph or engine. */
static _Thread_local tw__error_state nothing;

static void errors_keep(tw__error_state *state, const tw_error *error)
{
    snprintf(state->message, sizeof state->message, "%s", error->message ? error->message : "");
    snprintf(state->function, sizeof state->function, "%s", error->function ? error->function : "");
    snprintf(state->file, sizeof state->file, "%s", error->file ? error->file : "");
    state->error = (tw_error){ .status = error->status,
                               .message = state->message,
                               .function = state->function,
                               .file = error->file ? state->file : NULL,
                               .line = error->line };
}

bool tw__graph_fail(const tw__core *core, tw_status status, const char *format, ...)
{
    tw__error_state *state = core->error;
    if (state->error.status != TW_OK) return false;
    va_list args;
    va_start(args, format);
    tw__vfail(status, format, args); /* also the detail text of this thread */
    va_end(args);
    errors_keep(state, &(tw_error){ status, tw_error_message(), calls.function, calls.at.file, calls.at.line });
    TW__LOG(GRAPH, ERR, "%s: %s", state->function, state->message);
    return false;
}

tw_status tw_graph_fail(tw_graph *graph, tw_status status, const char *function, const char *format, ...)
{
    if (!tw__enter(graph, function)) return tw_graph_status(graph);
    va_list args;
    va_start(args, format);
    tw_status failed = tw__vfail(status == TW_OK ? TW_E_ERROR : status, format, args);
    va_end(args);
    tw__graph_fail(graph->core, failed, "%s", tw_error_message());
    return failed;
}

void *tw__nothing_made(const tw_error *error)
{
    errors_keep(&nothing, error);
    tw__set_error(error->status, nothing.message);
    return tw__made(error->status, NULL);
}

void *tw__no_graph(tw_status status)
{
    TW__LOG(GRAPH, ERR, "%s: %s", calls.function, tw_error_message());
    return tw__nothing_made(
        &(tw_error){ status, tw_error_message(), calls.function, calls.at.file, calls.at.line });
}

const tw_error *tw__why_null(const char *what)
{
    static _Thread_local tw_error other;
    tw_status status = tw__missing(what);
    if (nothing.error.status == status && strcmp(nothing.message, tw_error_message()) == 0) return &nothing.error;
    other = (tw_error){ status, tw_error_message(), "", NULL, 0 };
    return &other;
}

bool tw__graph_no_memory(const tw__core *core)
{
    return tw__graph_fail(core, TW_E_NO_MEMORY, "out of host memory");
}

tw_status tw_graph_status(const tw_graph *graph)
{
    return tw_graph_error(graph)->status;
}

const tw_error *tw_graph_error(const tw_graph *graph)
{
    static const tw_error none = { TW_OK, "", "", NULL, 0 };
    if (!graph) return tw__why_null("graph");
    const tw_error *error = &graph->core->error->error;
    return error->status == TW_OK ? &none : error;
}

tw_status tw_graph_take_error(tw_graph *graph, tw_error *error)
{
    const tw_error *kept = tw_graph_error(graph);
    tw_status status = kept->status;
    if (error) *error = *kept;
    if (graph) graph->core->error->error.status = TW_OK;
    return status;
}

bool tw__tile_to_top(const tw_graph *graph, unsigned tile, const char *what, uint32_t *top)
{
    unsigned tiles = graph->target->tiles;
    if (tile < tiles) {
        *top = graph->to_top ? graph->to_top[tile] : tile;
        return true;
    }
    return tw__graph_fail(graph->core, TW_E_TILE_MAPPING, "%s cannot be on tile %u: the %s has %u tile%s, 0 to %u",
                          what, tile,
                          graph->top                             ? "virtual graph"
                          : graph->target->kind == TW_TARGET_CPU ? "CPU target"
                                                                 : "target",
                          tiles, tiles == 1 ? "" : "s", tiles - 1);
}
