/* SPDX-License-Identifier: MIT */
/* tw_engine: a graph and its control programs, compiled for a target, loaded on a device, run.
 *
 *     tw_engine *e = tw_engine_new(g, program, NULL);
 *     if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;   // one check for all calls
 *     before tw_engine_write(e, "x", host_x, sizeof host_x);
 *     tw_engine_run(e, 0);
 *     tw_engine_read(e, "x", host_x, sizeof host_x);
 *     tw_profile_print_summary(tw_engine_profile(e), stdout, NULL);
 *     tw_engine_free(e);
 *
 * Threads: an engine is used by one thread at a time, two engines by two. A run works in several threads; what it
 * calls of the caller's (streams, host functions) it calls in the thread of tw_engine_run(), callbacks of streams in
 * others where streamCallbacks.multiThreadMode says so. An engine is made by the thread that has the graph. */
#ifndef TILEWRIGHT_POPLAR_ENGINE_H
#define TILEWRIGHT_POPLAR_ENGINE_H

#include <tilewright/poplar/graph.h>
#include <tilewright/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_engine tw_engine;

/* Compiles. `options`: "key=value" strings ended by NULL, or NULL; POPLAR_ENGINE_OPTIONS (JSON) overrides them
 * (guide chapter 9.3). NULL when that fails: tw_engine_error(NULL) has why and where, and calls that get the NULL
 * give that status, so that one look at the end is enough. The graph may be freed or changed afterwards: the engine
 * holds a reference and its own plan. Program i of the list is run by tw_engine_run(e, i). */
TW_API tw_engine *tw_engine_new(tw_graph *graph, tw_program program, const char *const *options);
TW_API tw_engine *tw_engine_new_programs(tw_graph *graph, unsigned count, const tw_program *programs,
                                         const char *const *options);
typedef void (*tw_progress_func)(int step, int total, void *user);
TW_API tw_engine *tw_engine_new_with_progress(tw_graph *graph, unsigned count, const tw_program *programs,
                                              const char *const *options, tw_progress_func progress, void *user);
TW_API void tw_engine_free(tw_engine *engine); /* NULL is fine */
/* The first failure of a call that names a stream, host function, tensor or remote buffer (TW_E_NOT_LOADED and
 * questions for sizes apart), which has no effect but that: one look at the end finds a name that was spelled
 * wrongly. Of NULL: why this thread could not make the engine, until its next failure. */
TW_API tw_status tw_engine_status(const tw_engine *engine);
TW_API const tw_error *tw_engine_error(const tw_engine *engine); /* status TW_OK when none; owned by the engine */
/* The same into *error (may be NULL; its texts hold until the next failure), and forgets it. */
TW_API tw_status tw_engine_take_error(tw_engine *engine, tw_error *error);
/* Prints "error: …" with the call site to `out`; always returns the status. */
TW_API tw_status tw_engine_report_error(FILE *out, const tw_engine *engine);

/* The device must have the target of the graph. Writes initial values. load = prepare + deploy. */
TW_API tw_status tw_engine_load(tw_engine *engine, tw_device *device);
TW_API tw_status tw_engine_prepare(tw_engine *engine, tw_device *device);
TW_API tw_status tw_engine_deploy(tw_engine *engine);
/* TW_E_NOT_LOADED before load, TW_E_INDEX, TW_E_STREAM_CONNECTION, TW_E_APPLICATION (abort, checks). */
TW_API tw_status tw_engine_run(tw_engine *engine, unsigned program);
TW_API tw_status tw_engine_run_named(tw_engine *engine, unsigned program, const char *run_name);
TW_API void tw_engine_stop(tw_engine *engine); /* invalidates prefetched data */

/* Halves of host accesses, streams and remote rows as the device has them, instead of 2 bytes: 4, a float, on a CPU
 * target without accurate halves (guide 10.1.1), as Target::getTypeSize says. Before streams are connected. */
TW_API void tw_engine_set_stored_halves(tw_engine *engine, bool stored);
/* Whole tensors by handle, in tensor order, in host format (half 2 bytes, bool 1 byte); `bytes` must be the exact
 * size. */
TW_API tw_status tw_engine_write(tw_engine *engine, const char *handle, const void *data, size_t bytes);
TW_API tw_status tw_engine_read(tw_engine *engine, const char *handle, void *data, size_t bytes);
/* Bytes of the tensor of a handle; the engine is loaded. TW_E_TENSOR_IO when there is no such handle. */
TW_API tw_status tw_engine_access_bytes(tw_engine *engine, const char *handle, size_t *bytes);

/* --- streams (guide 2.6.1, 2.6.4; Poplar API, DataStream.hpp) ------------------------------------------------- */

/* A host buffer of exactly one transfer when bytes == 0 or one transfer's size, circular when it is a multiple of it.
 * The buffer stays the caller's and must live while the engine may run. For the streams "handle[0]", "handle[1]" ...
 * of a replicated graph, `handle` alone takes one buffer for all: a transfer of each, replica after replica. */
TW_API tw_status tw_engine_connect_stream(tw_engine *engine, const char *handle, void *buffer, size_t bytes);

typedef enum tw_stream_result { TW_STREAM_SUCCESS = 0, TW_STREAM_NOT_AVAILABLE = 1 } tw_stream_result;
typedef struct tw_stream_callback {
    tw_stream_result (*prefetch)(void *buffer, void *user); /* NULL: NotAvailable */
    void (*fetch)(void *buffer, void *user);   /* required: fill (or, device to host, take) the buffer */
    void (*complete)(void *user);              /* may be NULL */
    void (*invalidate_prefetched)(void *user); /* may be NULL */
    void (*destroy)(void *user);               /* called once when disconnected; may be NULL */
    void *user;
} tw_stream_callback;
/* Called by the thread of the run, or as engine options streamCallbacks.* say by others: one call of a stream at a
 * time, in the same order, those of several streams at once (docs/engine.md). */
TW_API tw_status tw_engine_connect_stream_to_callback(tw_engine *engine, const char *handle,
                                                      const tw_stream_callback *callback); /* copied */

/* Code of a host function: its inputs as the device had them, room for its outputs, in host format. `replica` is 0
 * without replicas. TW_E_STREAM_CONNECTION: no such function, or replica. */
typedef struct tw_host_callback {
    void (*call)(const void *const *inputs, size_t input_count, void *const *outputs, size_t output_count,
                 void *user);
    void (*destroy)(void *user); /* called once when disconnected; may be NULL */
    void *user;
} tw_host_callback;
TW_API tw_status tw_engine_connect_host_function(tw_engine *engine, const char *handle, unsigned replica,
                                                 const tw_host_callback *callback); /* copied */

/* Bytes of one row of a remote buffer: elements x size. */
TW_API tw_status tw_engine_remote_row_bytes(tw_engine *engine, const char *handle, size_t *bytes);
/* Row `repeat_index` of a remote buffer: elements × size bytes. */
TW_API tw_status tw_engine_copy_to_remote_buffer(tw_engine *engine, const char *handle, uint64_t repeat_index,
                                                 const void *source, size_t bytes);
TW_API tw_status tw_engine_copy_from_remote_buffer(tw_engine *engine, const char *handle, uint64_t repeat_index,
                                                   void *destination, size_t bytes);

/* --- checkpoints (docs/debugging.md) ---------------------------------------------------------------------------- */

/* Writes what the device of a loaded engine holds between two runs, in one step: variables, memories and
 * simulators of tiles, remote buffers, places in the buffers of streams. What callbacks have prefetched is theirs:
 * an engine that resumes asks for it again. Of one process: TW_E_NOT_SUPPORTED with several ranks, when a tile has
 * an exception, or before a run that the engine has resumed has gone on; TW_E_NOT_LOADED, TW_E_IO, TW_E_NO_MEMORY.
 * No run at the same time, for these three. */
TW_API tw_status tw_engine_save(tw_engine *engine, const char *path);
/* From now on a run writes a checkpoint before step `step`, and with `every` before each so many after it, which
 * replaces the one before; steps (compute sets, copies, transfers and others of programs) count over all runs,
 * from the load, or from the first of these three calls where runs lie between. A run fails with what went wrong.
 * TW_E_NOT_SUPPORTED also for graphs that exist as replicas only. */
TW_API tw_status tw_engine_save_at(tw_engine *engine, uint64_t step, uint64_t every, const char *path);
/* Makes a loaded engine of the same graph, its streams connected, what it was then. Of a checkpoint within a run
 * the next run, which must be of the same program, goes on there: what transfers before it gave to the host, and
 * asked of it, they do once more, without the device. The profile has what runs from then on. TW_E_FILE_LOAD: cut
 * off, damaged, of another graph, build or size of a stream's buffer; the engine has to be loaded again then. The
 * code of codelets that run natively is not compared. */
TW_API tw_status tw_engine_resume(tw_engine *engine, const char *path);

/* --- executables (Poplar API, Executable.hpp) ------------------------------------------------------------------ */

/* Writes what the engine was made of: options, programs, and the graph with compiled codelets, so that another
 * process makes the same engine without the sources. docs/poplar-cpp.md has the format. Two engines made in the same
 * way give the same bytes. TW_E_IO; TW_E_INVALID_ARGUMENT when the graph has got vertices in a compute set of the
 * engine since. */
TW_API tw_status tw_engine_serialize(tw_engine *engine, FILE *out);
/* An engine from the bytes of such a file; `options` as for tw_engine_new(), on top of those in the file. NULL with
 * tw_error_message() when the file cannot be read (TW_E_FILE_LOAD) or compiling fails. */
TW_API tw_engine *tw_engine_deserialize(const void *bytes, size_t size, const char *const *options);
/* What the engine was compiled for; owned by it. */
TW_API const tw_target *tw_engine_target(const tw_engine *engine);

/* --- ranks (docs/mpi.md) --------------------------------------------------------------------------------------- */

/* Processes of this run, which a launcher of MPI has started: 1 without one. All of them make the same calls; what
 * has effects outside of the library (a file, a line of output) is for rank 0. The first of these calls, or of an
 * engine, starts MPI if the program has not; when that fails the program is alone, and engines say why. */
TW_API unsigned tw_world_rank(void);
TW_API unsigned tw_world_size(void);
/* Called by all ranks with what they have to say, as why they cannot begin: tw_world_size() when all say this text,
 * so that rank 0 may tell it for them; else 1. Leaves tw_error_message() as it is. */
TW_API unsigned tw_world_alike(const char *text);

/* --- profile ------------------------------------------------------------------------------------------------- */

/* Owned by the engine, valid until it is freed. On the CPU device, or when an engine is in error: NULL, with
 * TW_E_PROFILING_DISABLED and a message in tw_error_message(). The first call on the IPU Model gives the program's
 * data their addresses and makes the memory report; NULL with a message too when the host's memory does not
 * suffice. */
TW_API const tw_profile *tw_engine_profile(tw_engine *engine);
TW_API void tw_engine_reset_execution_profile(tw_engine *engine);
TW_API void tw_engine_enable_execution_profiling(tw_engine *engine, bool on);

/* --- addresses (docs/poplar-memory.md) ------------------------------------------------------------------------ */

/* These need the IPU Model: TW_E_PROFILING_DISABLED on the CPU. Tiles are those of the whole target. The first such
 * call, or the first for the profile, gives addresses. The graph must not have been changed since the engine was
 * made. */

typedef struct
    tw_placed_object { /* a variable's part on a tile, vertex states, tables, buffers, stacks, code, ... */
    const char *name;  /* of the variable, compute set or the like; "" = none */
    tw_storage storage;
    uint64_t address, bytes;
    unsigned align;   /* bytes */
    bool always_live; /* nothing else ever has its addresses */
    bool overlapped;  /* shares addresses with an object that is alive at other times */
    bool overflowed;  /* found no room: part of it lies past the end of the memory */
} tw_placed_object;
typedef bool (*tw_placed_visit)(void *user, const tw_placed_object *object);
/* Calls visit for each object of a tile, in the order of addresses, until it returns false. TW_E_INDEX: no such
 * tile. */
TW_API tw_status tw_engine_each_object(tw_engine *engine, unsigned tile, tw_placed_visit visit, void *user);
/* The same as a table. */
TW_API tw_status tw_engine_print_tile(tw_engine *engine, unsigned tile, FILE *out);
/* Where element `element` (row-major) of a tensor lies. TW_E_INVALID_ARGUMENT: no tensor of the engine's graph;
 * TW_E_INDEX; TW_E_TILE_MAPPING: on no tile. */
TW_API tw_status tw_engine_address(tw_engine *engine, tw_tensor tensor, uint64_t element, unsigned *tile,
                                   uint64_t *address);
/* State of a vertex, as `tilewright layout vertex` describes it. *size: room at `bytes` in, bytes of the state out;
 * with `bytes` NULL nothing is copied. TW_E_INDEX: no vertex that the engine executes; TW_E_INVALID_ARGUMENT: too
 * little room. */
TW_API tw_status tw_engine_vertex_state(tw_engine *engine, tw_vertex vertex, unsigned *tile, uint64_t *address,
                                        void *bytes, size_t *size);

/* Where PrintTensor and error programs write; default stderr. Not owned. */
TW_API void tw_engine_set_print_tensor_stream(tw_engine *engine, FILE *out);
/* Handles of all streams, NULL-terminated; owned by the engine. */
TW_API const char *const *tw_engine_list_streams(tw_engine *engine);
/* Value of an option after environment overrides; NULL for an unknown key. */
TW_API const char *tw_engine_option(const tw_engine *engine, const char *key);
/* Prints the table of engine options with state (implemented / accepted): `tilewright info options`. */
TW_API void tw_engine_print_options(FILE *out, bool json);

#ifdef __cplusplus
}
#endif

#if !defined(TW_NO_CALL_SITES) && !defined(TW_BUILD) /* errors name the line, as in detail/call_sites.h */
#define tw_engine_new(...)          (tw_graph_call_site(__FILE__, __LINE__), tw_engine_new(__VA_ARGS__))
#define tw_engine_new_programs(...) (tw_graph_call_site(__FILE__, __LINE__), tw_engine_new_programs(__VA_ARGS__))
#endif
#endif
