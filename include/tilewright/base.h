/* SPDX-License-Identifier: MIT */
/* Status codes, error details, diagnostics: what every part of Tilewright reports with.
 *
 *     tw_status s = tw_engine_load(engine, device);
 *     if (s != TW_OK) fprintf(stderr, "%s: %s\n", tw_status_name(s), tw_error_message());
 *
 * Two channels (docs/errors.md). Builders (tw_graph) keep their first error and turn later calls into no-ops.
 * Actions return a tw_status, and tw_error_message() holds the detail of the last failure in this thread.
 *
 * Threads: everything here may be called by several at once; the last failure, and what tw_include_dir() and its
 * like give, belong to the thread. A list of diagnostics and an output are used by one thread at a time. */
#ifndef TILEWRIGHT_BASE_H
#define TILEWRIGHT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(TW_API)
#define TW_API               __attribute__((visibility("default")))
#define TW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#endif

/* The version, here and nowhere else: the build, packages and tests read these lines (docs/release.md). */
#define TW_VERSION_MAJOR    0
#define TW_VERSION_MINOR    2
#define TW_VERSION_PATCH    0
#define TW__TEXT(x)         #x
#define TW__DOTTED(a, b, c) TW__TEXT(a) "." TW__TEXT(b) "." TW__TEXT(c)
#define TW_VERSION          TW__DOTTED(TW_VERSION_MAJOR, TW_VERSION_MINOR, TW_VERSION_PATCH)

/* X(name, value, exception of the Poplar API, text). One row per exception class of poplar/exceptions.hpp, so
 * that a C++ layer can rethrow what the C API returns (Poplar API, exceptions.hpp), then the codes of our own. */
// clang-format off
#define TW_STATUS_LIST(X)                                                                                      \
    X(OK, 0, "", "success")                                                                                    \
    X(ERROR, -1, "poplar_error", "error")                                                                      \
    X(NO_MEMORY, -2, "memory_allocation_error", "out of host memory")                                          \
    X(INVALID_ARGUMENT, -3, "poplar_error", "invalid argument")                                                \
    X(COMPILATION, -4, "graph_program_compilation_error", "codelet compilation failed")                        \
    X(OBJECT_CREATION, -5, "graph_object_creation_error", "cannot create a graph object")                      \
    X(OBJECT_LOAD, -6, "graph_object_load_error", "cannot load a graph object")                                \
    X(NO_ENVIRONMENT, -7, "no_environment", "the environment lacks something")                                 \
    X(UNKNOWN_VERTEX_TYPE, -8, "unknown_vertex_type", "unknown vertex type")                                   \
    X(UNKNOWN_FIELD, -9, "unknown_field", "unknown vertex field")                                              \
    X(CONTROL_PROGRAM, -10, "control_program_error", "invalid control program")                                \
    X(TYPE, -11, "type_error", "element types do not fit")                                                     \
    X(INDEX, -12, "index_error", "index out of range")                                                         \
    X(NO_SIZE, -13, "no_size_specified", "vector field without a size")                                        \
    X(CONNECTION, -14, "graph_connection_error", "invalid connection")                                         \
    X(CYCLE, -15, "graph_cycle_error", "cycle in the graph")                                                   \
    X(RECURSION, -16, "graph_recursion_error", "recursive function call")                                      \
    X(REPLICATION, -17, "graph_replication_error", "invalid use of a replicated graph")                        \
    X(PROFILING_DISABLED, -18, "profiling_disabled", "profiling is not available")                             \
    X(MISSING_PROFILE, -19, "missing_profile_data", "profile data is missing")                                 \
    X(MISSING_GRAPH_PROFILE, -20, "missing_graph_profile", "graph profile is missing")                         \
    X(MISSING_PERF_ESTIMATE, -21, "missing_perf_estimate", "performance estimate is missing")                  \
    X(TILE_MAPPING, -22, "invalid_tile_mapping", "invalid tile mapping")                                       \
    X(TENSOR_CREATION, -23, "tensor_creation_error", "cannot create a tensor")                                 \
    X(TENSOR_IO, -24, "tensor_io_state_error", "tensor is not accessible from the host")                       \
    X(STREAM_CONNECTION, -25, "stream_connection_error", "stream is not connected")                            \
    X(OVERFLOW, -26, "overflow_error", "value out of range")                                                   \
    X(ELEM_CONSTRAINTS, -27, "memory_elem_constraints_error", "memory constraints cannot be met")              \
    X(TILE_MEMORY, -28, "graph_memory_allocation_error", "out of tile memory")                                 \
    X(STREAM_MEMORY, -29, "stream_memory_allocation_error", "stream buffer too large")                         \
    X(MACHINE_MODEL, -30, "invalid_machine_model", "invalid machine model")                                    \
    X(INVALID_OPTION, -31, "invalid_option", "invalid option")                                                 \
    X(LINK, -32, "link_error", "link failed")                                                                  \
    X(SYMBOL, -33, "symbol_error", "unknown symbol")                                                           \
    X(FILE_LOAD, -34, "file_load_error", "cannot load a file")                                                 \
    X(PARSE, -35, "parse_error", "syntax error")                                                               \
    X(APPLICATION, -36, "application_runtime_error", "the program stopped itself")                             \
    X(SYSTEM, -37, "system_runtime_error", "system error")                                                     \
    X(NOT_LOADED, -38, "poplar_error", "engine is not loaded")                                                 \
    X(NOT_SUPPORTED, -39, "poplar_error", "not supported")                                                     \
    X(IO, -40, "poplar_error", "input/output error")                                                           \
    X(POPLIBS, -41, "poplibs_error", "a library refuses its arguments")
// clang-format on

typedef enum tw_status {
#define TW_STATUS_ENUM(name, value, exception, text) TW_E_##name = value,
    TW_STATUS_LIST(TW_STATUS_ENUM)
#undef TW_STATUS_ENUM
        TW_OK = TW_E_OK
} tw_status;

/* "TW_E_TYPE", "type_error", "element types do not fit"; static strings. Unknown codes give "unknown". */
TW_API const char *tw_status_name(tw_status status);
TW_API const char *tw_status_exception(tw_status status);
TW_API const char *tw_status_text(tw_status status);

/* The last failure in this thread: what it was (TW_OK before the first), and its detail (""; valid until the next
 * failing call). */
TW_API tw_status tw_error_status(void);
TW_API const char *tw_error_message(void);

/* What became of a call that makes an object: TW_OK, or after NULL why not.
 *     tw_status s = tw_status_of(wafer = tw_wse_new(program, NULL)); */
static inline tw_status tw_status_of(const void *made)
{
    return made ? TW_OK : tw_error_status();
}

/* For functions of a user's that the library calls and that fail (kernels, estimators, streams): sets the message and
 * returns `status`. */
TW_API tw_status tw_error_set(tw_status status, const char *format, ...) TW_PRINTF(2, 3);

/* TW_VERSION of the library at run time, as "0.2.0". */
TW_API const char *tw_version(void);

/* Where the pieces lie (TILEWRIGHT_ROOT, else beside the library, else its build tree): folder of the headers for
 * host programs and codelets, folder of the library, folder of the user's cache (made on demand; NULL with
 * tw_error_message()). Each is valid until this thread asks again. */
TW_API const char *tw_include_dir(void);
TW_API const char *tw_lib_dir(void);
TW_API const char *tw_cache_dir(void);
/* Makes a folder whose files nobody else can have written, its parents too where they are missing. TW_E_IO with the
 * reason when it, a folder above it or a link on the way belongs to another user than this one and root, or when it
 * can be written by others (a folder above it: unless only owners may rename there, as in /tmp). What lies in such a
 * folder and is run, such as compiled codelets, is this user's own. */
TW_API tw_status tw_private_folder(const char *path);

/* Nearest of `names` by edit distance, NULL when nothing is close: for "did you mean". */
TW_API const char *tw_nearest(const char *name, const char *const *names, size_t count);

/* --- options ----------------------------------------------------------------------------------------------- */

/* Structs of options begin with their size, so that programs and libraries of different versions understand one
 * another: `tw_wse_options options = { .size = sizeof options, .max_cycles = 1000 };` in C, in C++ `options.size =
 * sizeof options` after `tw_wse_options options = {}`. All else may be zero, which is the default. A shorter struct
 * is one of an older header, and what it lacks is zero; TW_E_INVALID_ARGUMENT: no size, or a longer one that sets
 * what this library does not know. */

/* --- files ------------------------------------------------------------------------------------------------- */

/* A whole file ("-": the standard input) of at most `most` bytes, which the caller frees; a zero byte follows it.
 * `size` may be NULL. TW_E_FILE_LOAD says why not: missing, a folder, too large. Devices end at the limit too. */
enum { TW_SOURCE_LIMIT = 64 << 20 }; /* bytes: more is no program that somebody wrote */
TW_API char *tw_read_file(const char *path, size_t most, size_t *size);

/* A file that is written. A regular file appears or changes in one step when it is committed, with its permissions,
 * and a link to it stays a link; anything else (/dev/null, a FIFO) is written to as it is. TW_E_INVALID_ARGUMENT when
 * the path is one of the `inputs` (paths; NULL among them is skipped): a tool must not destroy what it reads. TW_E_IO
 * else. "-" is the standard output: what is written appears there at once. */
typedef struct tw_output tw_output;
TW_API tw_output *tw_output_open(const char *path, const char *const *inputs, size_t input_count);
/* Whether tw_output_open() would refuse the path, as an input or an impossible place: asked before the work. */
TW_API tw_status tw_output_check(const char *path, const char *const *inputs, size_t input_count);
/* From now on every regular file that this process reads with tw_read_file() or tw_npy_read() counts as an input of
 * all outputs; off: none does. For tools; a program of several parts may well write what another part has read, so it
 * is off at first. Any thread. */
TW_API void tw_protect_inputs(bool on);
TW_API FILE *tw_output_file(tw_output *output); /* to write to; owned by the output */
/* All is written: puts it in its place. TW_E_IO when anything could not be written; then what was there stays. */
TW_API tw_status tw_output_commit(tw_output *output);
/* The end of it: what was not committed is dropped, and what was there stays. NULL is fine. */
TW_API void tw_output_free(tw_output *output);
/* All of it at once. */
TW_API tw_status tw_write_file(const char *path, const void *data, size_t size, const char *const *inputs,
                               size_t input_count);

/* Whether the outputs of one piece of work can all be written, each as tw_output_check() says, and no two of them
 * are the same file. NULL among them is skipped; devices and FIFOs may be named more than once. */
TW_API tw_status tw_outputs_check(const char *const *outputs, size_t output_count, const char *const *inputs,
                                  size_t input_count);

/* --- terminals --------------------------------------------------------------------------------------------- */

/* Prints text that came from a file so that a terminal obeys none of it: control characters (also those of two
 * bytes, from 0x80 to 0x9f) and bytes that are no UTF-8 appear as \x1b, but for the control characters in `kept`,
 * such as "\n". Returns the columns that it takes. */
TW_API size_t tw_print_text(FILE *out, const char *text, size_t length, const char *kept);
/* Whether `out` gets colours: CLICOLOR_FORCE (set, not 0) says yes, else NO_COLOR (set, not empty) or CLICOLOR=0 no,
 * else it gets them when it is a terminal that has them. */
TW_API bool tw_use_colours(FILE *out);

/* --- diagnostics: messages about a user's source text ------------------------------------------------------ */

typedef enum tw_severity { TW_NOTE = 0, TW_WARNING = 1, TW_ERROR = 2 } tw_severity;

typedef struct tw_diag {
    const char *file; /* as the user named it */
    int line, column; /* from 1; 0 = unknown */
    int length;       /* underlined characters, at least 1 */
    tw_severity severity;
    const char *code;    /* short stable name, e.g. "popc.field-type"; may be "" */
    const char *message; /* one line, without file and severity */
    const char *source;  /* text of the line, NULL when unknown */
} tw_diag;

typedef struct tw_diags tw_diags; /* a list of diagnostics, in order of arrival */

TW_API tw_diags *tw_diags_new(void);
TW_API void tw_diags_free(tw_diags *diags); /* NULL is fine */
/* How many were added; of TW_NOTE: how many tw_diags_get() knows. */
TW_API size_t tw_diags_count(const tw_diags *diags, tw_severity at_least);
TW_API const tw_diag *tw_diags_get(const tw_diags *diags, size_t index); /* NULL past the end; owned by the list */
/* Strings are copied. Columns are in bytes, tabs are printed as they are. A note belongs to the message before it. Of
 * warnings the first 20 are kept, with their notes: a note in the place of the others counts them. */
TW_API void tw_diags_add(tw_diags *diags, const tw_diag *diag);
/* "file:line:col: error: text [code]", the source line and a caret line; colour when `colour` is true. */
TW_API void tw_diags_print(const tw_diags *diags, FILE *out, bool colour);

#ifdef __cplusplus
}
#endif
#endif
