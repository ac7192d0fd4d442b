/* SPDX-License-Identifier: MIT */
/* The debugger of `tilewright run --debug`, a module that works in the user's process: module.c where a run stands,
 * graph_break.c breakpoints, graph_words.c commands, graph_dap.c a client of `--dap`. In a vertex all is the
 * interactive mode of `tilewright sim`. */
#ifndef TW_CLI_DEBUGGER_H
#define TW_CLI_DEBUGGER_H

#include "cli/colossus/sim_debug.h"

#include <tilewright/poplar/debugger.h>

/* How far a run is to go. */
typedef enum graph_going { TO_BREAKPOINT, TO_STEP, INTO_STEP } graph_going;

typedef struct graph {
    debugger d; /* comes first: what commands get */
    tw__sim_session session;
    tw__sim_request request;
    GMutex lock;
    tw_engine *engine;             /* NULL: nothing has run yet */
    size_t step;                   /* where it stands, a place in the engine's programs */
    const tw_debug_vertex *vertex; /* NULL: before the step */
    GHashTable *debugs;            /* image -> tw_debug *, of the step */
    graph_going going;
    GArray *words, *infos; /* tw__word */
    bool has_stopped;      /* or could have: a step has come */
    bool changed;          /* the last stop was for a tensor that is watched */
    bool at_entry;         /* ... is at the start, for a client */
} graph;

static inline graph *graph_of(debugger *d)
{
    return (graph *)(void *)d;
}

/* --- module.c -------------------------------------------------------------------------------------------------- */

/* "step 3: compute set 'add', 4 vertices on 2 tiles"; `number`: tw__graph_step_number(); g_free(). */
char *tw__graph_step_text(graph *g, size_t step, size_t number);
size_t tw__graph_step_number(graph *g, size_t step); /* of those that do something, from 1 */
void tw__graph_show_place(graph *g);                 /* of the step or the vertex */
/* Whether vertices of this engine are simulated at all. */
bool tw__graph_simulates(const graph *g);

/* --- graph_break.c --------------------------------------------------------------------------------------------- */

void tw__graph_break(debugger *d, char *args);
void tw__graph_tbreak(debugger *d, char *args);
void tw__graph_info_breakpoints(debugger *d, char *args);
void tw__graph_watch(debugger *d, char *args);
breakpoint *tw__graph_step_breakpoint(graph *g, const tw_engine_step *step); /* that stops here; NULL: none */
breakpoint *tw__graph_vertex_breakpoint(graph *g, const tw_debug_vertex *v);
void tw__graph_hit(graph *g, breakpoint *b); /* tells it; a temporary one goes */
/* Looks at the tensors that are watched; true after telling those that have changed. */
bool tw__graph_look(graph *g);
/* Places of the breakpoints in the image that runs; false: there are none. */
bool tw__graph_resolve(graph *g);
void tw__graph_leave_vertex(graph *g); /* what was of that vertex alone is no more */

bool tw__graph_knows(graph *g, const char *text); /* a place in the code of some tile */

/* --- graph_dap.c ----------------------------------------------------------------------------------------------- */

tw__dap *tw__graph_client(const char *wish); /* of "dap IN OUT"; NULL after a message */
void tw__graph_begin(graph *g);              /* from `initialize` to the start */
void tw__graph_serve(graph *g);              /* tells the stop, and answers until it goes on */
void tw__graph_end(graph *g, int status);    /* of the program */

/* --- graph_words.c --------------------------------------------------------------------------------------------- */

void tw__graph_open_words(graph *g);
bool tw__graph_tensor(debugger *d, const char *text);

#endif
