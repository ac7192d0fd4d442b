/* SPDX-License-Identifier: MIT */
/* Debuggers of graph programs: functions that an engine calls before each step, and for each vertex that runs as code
 * of the chip. `tilewright run --debug` is one (docs/debugging.md).
 *
 *     static tw_status before(void *user, tw_engine *engine, size_t step)
 *     {
 *         tw_engine_step s = { .size = sizeof s };
 *         if (tw_engine_get_step(engine, step, &s) == TW_OK) printf("%s '%s'\n", s.what, s.name);
 *         return TW_OK;
 *     }
 *     tw_debugger debugger = { .size = sizeof debugger, .step = before };
 *     tw_debugger_set(&debugger);                                 // before the engine is made
 *
 * Threads: tw_debugger_set() before other threads make engines. The functions are called in the thread of
 * tw_engine_run(), and tiles then run one after the other; what is below may be called from them. */
#ifndef TILEWRIGHT_POPLAR_DEBUGGER_H
#define TILEWRIGHT_POPLAR_DEBUGGER_H

#include <tilewright/poplar/colossus/sim.h>
#include <tilewright/poplar/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A vertex that has been started on the simulator of its tile and has run nothing yet. */
typedef struct tw_debug_vertex {
    size_t size; /* sizeof(tw_debug_vertex) of the library */
    tw_engine *engine;
    size_t step;
    tw_vertex vertex;
    const char *type, *compute_set;
    unsigned tile;
    unsigned context;       /* worker, TW_SIM_SUPERVISOR, or TW_SIM_CONTEXTS: all workers run it */
    tw_sim *sim;            /* registers and memory of the tile; hooks that are set are to be taken away again */
    const tw_object *image; /* the tile's code, with debug information of what was compiled (popc -g) */
} tw_debug_vertex;

typedef struct tw_debugger {
    size_t size; /* sizeof(tw_debugger) */
    void *user;  /* handed to the functions */
    /* Before a step of a run (tw_engine_get_step()); another status than TW_OK ends the run with it. NULL: none. */
    tw_status (*step)(void *user, tw_engine *engine, size_t step);
    /* Runs a vertex to its end, instead of tw_sim_run(v->sim, turns), whose result it gives; after a fault
     * tw_sim_serve() prints what the vertex does. NULL: none. */
    tw_sim_stop (*vertex)(void *user, const tw_debug_vertex *v, uint64_t turns);
} tw_debugger;

/* For engines that are made from now on; NULL: none. Their code of the chip is compiled with debug information, which
 * changes no instruction. TW_E_INVALID_ARGUMENT: the size is not set. */
TW_API tw_status tw_debugger_set(const tw_debugger *debugger);

/* What stands at a place of an engine's programs. */
typedef struct tw_engine_step {
    size_t size; /* sizeof(tw_engine_step) */
    /* "compute set", "copy", "copy between replicas", "stream", "remote buffer", "print", "sync", "clock", "abort",
     * "error", "decision" (what a branch or a loop depends on), "nothing to do"; NULL: control, no step */
    const char *what;
    const char *name;  /* of the compute set, the first stream ...; "" = none. The engine's */
    uint64_t vertices; /* of a compute set */
    unsigned tiles;    /* ... on so many tiles */
    bool simulated;    /* ... some of them run as code of the chip */
    unsigned replica,
        replicas; /* which engine it is of a graph that exists as so many replicas only; 0: it does not */
} tw_engine_step;
/* Into *step. TW_E_INDEX: behind the last place; they are numbered from 0. */
TW_API tw_status tw_engine_get_step(tw_engine *engine, size_t index, tw_engine_step *step);
/* The linked code of the chip of some tile, each once; NULL behind the last one. The engine's. */
TW_API const tw_object *tw_engine_code(const tw_engine *engine, size_t index);
/* Name of a variable, "" when it has none; NULL behind the last one. The engine's. */
TW_API const char *tw_engine_variable(const tw_engine *engine, size_t index);
/* Type, compute set and tile of a vertex into *v (of the rest the engine and its number). TW_E_INDEX: behind the last
 * one; they are numbered from 1. */
TW_API tw_status tw_engine_get_vertex(tw_engine *engine, tw_vertex vertex, tw_debug_vertex *v);
/* A vertex as text, a line each for its type, its place and its fields with the elements of variables that they are
 * connected to, "  left  Input  float[4]  x[0..4]" (from, behind the last). For free(). NULL with an error:
 * TW_E_INDEX, no such vertex. */
TW_API char *tw_engine_vertex_text(tw_engine *engine, tw_vertex vertex);
/* "x", "x[2]", "x[0..4]", "x[1, 0..4]": elements of the variables, or the tensor with host access, of that name as
 * the device has them now, with type and shape. For free(). NULL with an error: TW_E_NOT_LOADED; TW_E_SYMBOL,
 * nothing has that name; TW_E_INDEX, TW_E_INVALID_ARGUMENT, a slice outside of it or that makes no sense. */
TW_API char *tw_engine_value_text(tw_engine *engine, const char *text);

#ifdef __cplusplus
}
#endif
#endif
