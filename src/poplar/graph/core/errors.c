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

bool tw__enter_getter(const tw_graph *graph, const char *function)
{
    const char *file;
    int line;
    tw__call_site_take(function, &file, &line);
    if (graph) return true;
    tw__fail(TW_E_INVALID_ARGUMENT, "%s: the graph is NULL", function);
    return false;
}

bool tw__enter(const tw_graph *graph, const char *function)
{
    return tw__enter_getter(graph, function) && graph->core->error->error.status == TW_OK;
}

bool tw__graph_fail(const tw__core *core, tw_status status, const char *format, ...)
{
    tw__error_state *state = core->error;
    if (state->error.status != TW_OK) return false;
    va_list args;
    va_start(args, format);
    tw__vfail(status, format, args); /* also the detail text of this thread */
    va_end(args);
    const char *function = calls.function ? calls.function : "";
    snprintf(state->message, sizeof state->message, "%s", tw_error_message());
    snprintf(state->function, sizeof state->function, "%s", function);
    snprintf(state->file, sizeof state->file, "%s", calls.at.file ? calls.at.file : "");
    state->error = (tw_error){ .status = status,
                               .message = state->message,
                               .function = state->function,
                               .file = calls.at.file ? state->file : NULL,
                               .line = calls.at.line };
    TW__LOG(GRAPH, ERR, "%s: %s", function, state->message);
    return false;
}

bool tw__graph_no_memory(const tw__core *core)
{
    return tw__graph_fail(core, TW_E_NO_MEMORY, "out of host memory");
}

tw_status tw_graph_status(const tw_graph *graph)
{
    return graph ? graph->core->error->error.status : TW_E_INVALID_ARGUMENT;
}

const tw_error *tw_graph_error(const tw_graph *graph)
{
    static const tw_error none = { TW_OK, "", "", NULL, 0 };
    static const tw_error null = { TW_E_INVALID_ARGUMENT, "the graph is NULL", "", NULL, 0 };
    if (!graph) return &null;
    const tw_error *error = &graph->core->error->error;
    return error->status == TW_OK ? &none : error;
}

tw_status tw_graph_take_error(tw_graph *graph, tw_error *error)
{
    const tw_error *kept = tw_graph_error(graph);
    tw_status status = kept->status;
    if (error) *error = *kept;
    /* A graph that could not be made stays in error; its core has no arena. */
    if (graph && graph->core->arena) graph->core->error->error.status = TW_OK;
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
