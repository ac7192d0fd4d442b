/* SPDX-License-Identifier: MIT */
/* tw_wse: a simulated wafer that runs a compiled CSL program, and the host's link to it.
 *
 *     tw_wse *w = tw_wse_new(program, NULL);
 *     tw_wse_copy a = { .symbol = tw_csl_find_export(program, "A"), .width = 1, .height = 1, .elements = 24 };
 *     tw_wse_h2d(w, &a, words, 24, NULL);
 *     tw_wse_launch(w, "compute", NULL, 0, NULL);
 *     tw_wse_d2h(w, &y, result, 4, NULL);
 *     tw_wse_stop(w);
 *     tw_wse_free(w);
 * Commands run in the order they are given. With a task handle (last argument) a call only queues its command and
 * returns; without one it returns when the command is done. Time passes on the wafer only inside calls that wait.
 * Threads: a tw_wse is used by one thread at a time; inside it runs on all cores (OpenMP), with the same result
 * for any number.
 * Processes: started as several ranks (docs/mpi.md) a wafer is shared, and all of them make the same calls in the
 * same order; each gets all that is read, and tw_world_rank() tells which one writes files. */
#ifndef TILEWRIGHT_CSL_WSE_H
#define TILEWRIGHT_CSL_WSE_H

#include <tilewright/csl.h>
#include <tilewright/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What happens when a program does what the hardware leaves undefined (docs/csl.md): by default one report per place,
 * and the operations are serialised. */
typedef enum tw_wse_check { TW_WSE_REPORT = 0, TW_WSE_ERROR = 1, TW_WSE_STRICT = 2, TW_WSE_OFF = 3 } tw_wse_check;

/* All else zero = the defaults. */
typedef struct tw_wse_options {
    size_t size;              /* sizeof(tw_wse_options) */
    uint64_t max_cycles;      /* of the whole run; 0 = 2^40 */
    uint64_t max_idle_cycles; /* that tw_wse_stop() waits for tasks which run on for ever; 0 = 10 million */
    unsigned threads;         /* 0 = all */
    tw_wse_check check;
    uint64_t task_order_seed; /* 0: ready tasks of equal priority take turns by their ids; else a random order */
    FILE *out;                /* what programs print; NULL = nowhere */
    FILE *reports;            /* warnings of the checks; NULL = stderr */
    bool profile;             /* count for tw_wse_profile() */
    bool trace;               /* record for tw_wse_write_trace() */
    /* Operations and tasks that wait for ever at the end of a run are a warning under TW_WSE_REPORT, as host scripts
     * written for the vendor's runtime expect; else tw_wse_stop() fails. */
    bool may_wait;
    double max_seconds; /* wall clock of the whole run; 0 = no limit */
    /* With `profile`: what moved over links and who waited, over time, for the view "Motion" of reports. Stretches of
     * time get longer until all fits into some megabytes. */
    bool motion;
} tw_wse_options;

typedef struct tw_wse tw_wse;
typedef uint64_t tw_wse_task; /* handle of a queued command; counts from 1 */

/* A wafer with the program loaded; tasks that it activates at compile time are ready at cycle 0. The program must
 * outlive it. */
TW_API tw_wse *tw_wse_new(const tw_csl_program *program, const tw_wse_options *options);
TW_API void tw_wse_free(tw_wse *w); /* NULL is fine; what is queued is dropped */

/* --- copies: l elements of each PE of a rectangle ------------------------------------------------------------- */

typedef enum tw_wse_order {
    TW_WSE_ROW_MAJOR = 0, /* ((y * width) + x) * elements + k */
    TW_WSE_COL_MAJOR = 1  /* (k * width + x) * height + y */
} tw_wse_order;
typedef enum tw_wse_spread {
    TW_WSE_EACH = 0,   /* every PE has its own elements */
    TW_WSE_ROWS = 1,   /* one block a row, for all PEs of the row */
    TW_WSE_COLUMNS = 2 /* one block a column */
} tw_wse_spread;

typedef struct tw_wse_copy {
    int symbol;     /* index of an exported pointer; or, streaming, a colour */
    bool streaming; /* wavelets on a colour instead of memory */
    bool half;      /* 16-bit elements, each in the low half of a word */
    tw_wse_order order;
    tw_wse_spread spread;               /* h2d only */
    unsigned x, y, width, height;       /* PEs, relative to the program's rectangle */
    unsigned elements;                  /* of one PE */
    unsigned row_stride, column_stride; /* h2d: only PEs whose distance from x, y is a multiple; 0 = 1 */
} tw_wse_copy;

/* Words that src or dst of the copy has; 0 when the copy makes no sense. */
TW_API size_t tw_wse_copy_words(const tw_wse_copy *copy);
/* src[words] is copied at the call. dst[words] must stay until the command is done. TW_E_INVALID_ARGUMENT: the
 * rectangle is not inside the program's, words differ, the symbol is a function or not mutable; TW_E_APPLICATION: the
 * program stopped (failed assertion, fault); TW_E_SYSTEM: nothing moves any more (deadlock), the message says who
 * waits. */
TW_API tw_status tw_wse_h2d(tw_wse *w, const tw_wse_copy *copy, const uint32_t *src, size_t words,
                            tw_wse_task *task);
TW_API tw_status tw_wse_d2h(tw_wse *w, const tw_wse_copy *copy, uint32_t *dst, size_t words, tw_wse_task *task);

/* Calls an exported function on every PE that has it. args[count]: the bits of each argument, in the low part. */
TW_API tw_status tw_wse_launch(tw_wse *w, const char *name, const uint32_t *args, size_t count, tw_wse_task *task);

/* --- links: wavelets at one router, for layouts with ports ---------------------------------------------------- */

typedef enum tw_wse_side {
    TW_WSE_WEST = 0,
    TW_WSE_EAST = 1,
    TW_WSE_SOUTH = 2,
    TW_WSE_NORTH = 3,
    TW_WSE_RAMP = 4
} tw_wse_side;
typedef struct tw_wse_port {
    unsigned x, y; /* PE on the fabric */
    unsigned color;
    tw_wse_side side; /* send: where the wavelets come from; receive: where they leave to */
} tw_wse_port;
/* A port that is received from must be opened before the wafer runs. */
TW_API tw_status tw_wse_open_output(tw_wse *w, const tw_wse_port *port);
TW_API tw_status tw_wse_send(tw_wse *w, const tw_wse_port *port, const uint32_t *src, size_t words,
                             tw_wse_task *task);
TW_API tw_status tw_wse_receive(tw_wse *w, const tw_wse_port *port, uint32_t *dst, size_t words, tw_wse_task *task);

/* --- time ----------------------------------------------------------------------------------------------------- */

TW_API tw_status tw_wse_wait(tw_wse *w, tw_wse_task task); /* until that command, and all before it, are done */
TW_API bool tw_wse_is_done(const tw_wse *w, tw_wse_task task);
/* Ends the run: all commands done, then until nothing moves. Later commands are errors; memory can still be read.
 * TW_E_SYSTEM when something then waits for what never comes: a report names it. */
TW_API tw_status tw_wse_stop(tw_wse *w);
TW_API uint64_t tw_wse_cycle(const tw_wse *w);
TW_API tw_status
tw_wse_status(const tw_wse *w); /* what ended the run early, which every later call returns; TW_OK */

/* --- checkpoints ---------------------------------------------------------------------------------------------- */

/* Writes a checkpoint when the run gets to that cycle: of the last pause at or before it, some tens of cycles at
 * most. Before the first command; a wafer may have many. The run stays what it is without. `path` is copied; the
 * file is written in one step. What goes wrong then ends the run (TW_E_IO, TW_E_NO_MEMORY). TW_E_INVALID_ARGUMENT:
 * commands were given before; TW_E_NOT_SUPPORTED: ranks share the wafer. */
TW_API tw_status tw_wse_save_at(tw_wse *w, uint64_t cycle, const char *path);
/* Every so many cycles, to PATH.CYCLE, of which the last `keep`, 1 to 1000, stay. Once for a wafer. A resumed
 * wafer does not write the checkpoint again that it begins with, and leaves files of the run before. */
TW_API tw_status tw_wse_save_every(tw_wse *w, uint64_t cycles, unsigned keep, const char *path);
/* The first cycle of tw_wse_save_at() that the run has not come to; UINT64_MAX = none. */
TW_API uint64_t tw_wse_unsaved(const tw_wse *w);
/* A wafer as a checkpoint has it, with the same program, build of Tilewright, check and task_order_seed. The host
 * makes the same calls with the same data as in the run that was saved: until it waits where the checkpoint was
 * taken they are answered from the file, and nothing is simulated; from there on the run goes on, and may be saved
 * again. What programs printed before is not printed again. A profile is of the whole run, and needs a checkpoint
 * of a run with one; a trace begins at the checkpoint unless that run had one. options.max_cycles counts from the
 * start of the whole run. NULL: TW_E_FILE_LOAD says what is wrong with the file, or that it is past max_cycles;
 * TW_E_NOT_SUPPORTED, TW_E_NO_MEMORY. Calls that are not the same end the run with TW_E_INVALID_ARGUMENT. */
TW_API tw_wse *tw_wse_resume(const tw_csl_program *program, const tw_wse_options *options, const char *path);
TW_API uint64_t tw_wse_resumed_at(const tw_wse *w); /* cycle of the checkpoint; 0 = of none */

/* --- memory, for debugging ------------------------------------------------------------------------------------ */

/* A variable of the PE at x, y of the fabric: name as in the source, "module.name" for one of a module, or an
 * exported name. bytes[*size] gets at most *size bytes; *size becomes the variable's size. TW_E_SYMBOL,
 * TW_E_INDEX. */
TW_API tw_status tw_wse_read_symbol(const tw_wse *w, unsigned x, unsigned y, const char *name, void *bytes,
                                    size_t *size);
TW_API tw_status tw_wse_write_symbol(tw_wse *w, unsigned x, unsigned y, const char *name, const void *bytes,
                                     size_t size);
/* Names of the variables of a PE; NULL past the end. */
TW_API const char *tw_wse_symbol_name(const tw_wse *w, unsigned x, unsigned y, size_t index);
/* 48 KB of one PE, addresses in bytes. TW_E_INDEX. */
TW_API tw_status tw_wse_read(const tw_wse *w, unsigned x, unsigned y, unsigned address, void *bytes, size_t size);
TW_API tw_status tw_wse_write(tw_wse *w, unsigned x, unsigned y, unsigned address, const void *bytes, size_t size);

/* --- figures -------------------------------------------------------------------------------------------------- */

/* Owned by w; complete after tw_wse_stop(). NULL with a message when options.profile was not set. */
TW_API const tw_profile *tw_wse_profile(tw_wse *w);
/* The same as JSON, for `tilewright profile`. TW_E_IO, TW_E_PROFILING_DISABLED. */
TW_API tw_status tw_wse_write_profile(tw_wse *w, const char *path);
/* Chrome/Perfetto trace: a track for each PE with its tasks and microthreads. TW_E_MISSING_PROFILE without
 * options.trace. */
TW_API tw_status tw_wse_write_trace(const tw_wse *w, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
