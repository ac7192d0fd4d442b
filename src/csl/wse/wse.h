/* SPDX-License-Identifier: MIT */
/* The wafer: runs a compiled image, PE by PE and wavelet by wavelet.
 *
 *     tw__wse *w = tw__wse_new(image, NULL, diags);         // verifies the image
 *     tw__wse_launch(w, 0, 0, function, args, 1);
 *     tw__wse_run(w, 1000000, NULL, NULL);                  // until nothing can happen any more
 *     memcpy(y, tw__wse_memory(w, 0, 0) + address, bytes);
 *     tw__wse_free(w);
 * PEs are named by their place in the rectangle, x to the east, y to the south. Time is in cycles; every figure
 * behind it is one row of state/model.h. The result does not depend on the number of threads, nor on that of the
 * processes (ranks) that share the wafer: each has rows of PEs, and makes the same calls in the same order. Those
 * that are marked "all ranks" exchange messages; of PEs that live elsewhere the others do nothing and know
 * nothing. */
#ifndef TW_CSL_WSE_WSE_H
#define TW_CSL_WSE_WSE_H

#include "core/base/checkpoint.h"
#include "csl/lang/code/image.h"

typedef struct tw__wse tw__wse;

typedef enum tw__wse_check { /* misuse that the language leaves to the programmer (queues, microthreads, indices) */
                             TW__WSE_CHECK_REPORT, /* a warning once per place, then the operations wait in turn */
                             TW__WSE_CHECK_ERROR,  /* stops the run */
                             TW__WSE_CHECK_OFF,
                             TW__WSE_CHECK_STRICT /* ERROR, and memory DSDs must stay inside their array */
} tw__wse_check;

typedef struct tw__wse_options { /* all zero = defaults */
    unsigned threads;            /* 0 = OpenMP's choice */
    tw__wse_check check;
    bool random_order; /* among ready tasks of a PE, seeded; else in turns by their ids */
    uint64_t seed;
    bool trace, profile; /* keep events; keep counters */
    bool motion;         /* with `profile`: what moves and who waits over time, for tw__wse_motion() */
    unsigned spans; /* with `profile`: so many tasks and operations of a PE as events, the first ones; 0 = none */
    bool may_wait;  /* what waits for ever at the end of a run is a warning, unless check says that misuse stops */
    double max_seconds; /* wall clock of all runs together; 0 = no limit */
    bool alone;         /* every rank runs the whole wafer by itself; for tests */
    bool reference;     /* slow: every PE is looked at in every cycle, and nothing goes a short way; for tests */
} tw__wse_options;

/* All ranks, before the first wafer of an image: starts what joins them; they have the same image and options, and
 * a wafer that they can share. TW_E_INVALID_ARGUMENT, TW_E_NOT_SUPPORTED, TW_E_SYSTEM and what tw__wire_start()
 * says. */
tw_status tw__wse_ranks_meet(const tw__csl_image *image, const tw__wse_options *options);
/* NULL when the image is faulty or memory ran out (diags says). The image must outlive the wafer; later diagnostics
 * go to the same list. */
tw__wse *tw__wse_new(const tw__csl_image *image, const tw__wse_options *options, tw_diags *diags);
void tw__wse_free(tw__wse *w); /* NULL is fine */

/* All ranks. Runs until `done` says so (on all of them alike; asked between windows of a few cycles; may be NULL),
 * nothing can happen any more, or `max_cycles` more cycles have passed (0 = no limit). TW_OK when done, or quiet
 * with done == NULL; TW_E_SYSTEM when quiet and not done, a deadlock (a report of who waits for what is in the
 * diagnostics); TW_E_OVERFLOW past max_cycles, and TW_E_SYSTEM past options.max_seconds (notes say which tasks
 * run); TW_E_APPLICATION after a fault in a program (in the diagnostics; the wafer stays stopped). */
tw_status tw__wse_run(tw__wse *w, uint64_t max_cycles, bool (*done)(void *user), void *user);
uint64_t tw__wse_cycle(const tw__wse *w);
/* What tells progress counts towards, where the end is known: words of a stream, or the cycles that there may be at
 * most. All zero: nobody knows. */
typedef struct tw__wse_goal {
    uint64_t words, all_words;
    uint64_t most_cycles;
} tw__wse_goal;
void tw__wse_aim(tw__wse *w, tw__wse_goal goal);
/* All ranks. Nothing left to do: no task ready, no operation under way, no wavelet in flight. */
bool tw__wse_quiet(tw__wse *w);
/* All ranks. Lines naming PEs that wait, and for what; malloc'ed text, "" when none does, NULL when out of memory. */
char *tw__wse_waiting(tw__wse *w, unsigned at_most);
/* All of these, and of those below, that are about one PE. */
char *tw__wse_why(tw__wse *w, unsigned x, unsigned y);
/* All ranks. Lines naming PEs that are in the middle of a task, or have one that is ready; the same otherwise. */
char *tw__wse_running(tw__wse *w, unsigned at_most);
void tw__wse_say_running(tw__wse *w); /* the same as notes: a limit of cycles ended the run */
/* All ranks. When a run is over and nothing moves: says what is left behind. TW_E_SYSTEM where an operation has
 * not come to its end or an activated task is blocked (options.may_wait: a warning under --check=report); wavelets
 * that nobody read, and operations without end, are a warning. */
tw_status tw__wse_end(tw__wse *w);

/* Runs a function on one PE as the command task of the host: when its main thread is free, before other tasks.
 * Commands of a PE queue up; the next one starts when the function before has returned and the PE has opened the
 * stream again (tw__wse_open_stream). Up to 16 registers of arguments, canonical. False: no such PE or function, or
 * out of memory. */
bool tw__wse_launch(tw__wse *w, unsigned x, unsigned y, uint32_t function, const uint64_t *args, unsigned count);
/* Commands of this PE that have not finished: the queued ones, and one that runs or has not opened the stream. */
unsigned tw__wse_commands(const tw__wse *w, unsigned x, unsigned y);

/* Does the PE live in this process? So do all, unless ranks share the wafer. */
bool tw__wse_is_here(const tw__wse *w, unsigned x, unsigned y);
unsigned tw__wse_ranks(const tw__wse *w);             /* 1 = one process has all of it */
unsigned tw__wse_owner(const tw__wse *w, unsigned y); /* the rank that has this row */
/* All ranks: whether it holds for all of them. */
bool tw__wse_all_agree(tw__wse *w, bool mine);
/* All ranks: what each of them has to say, in their order, one's own included. One process has nothing to say. */
typedef void tw__wse_came(void *user, unsigned rank, const char *bytes, size_t size);
tw_status tw__wse_gather(tw__wse *w, const void *mine, size_t bytes, tw__wse_came *came, void *user);
/* The same, and one process hears of itself. */
tw_status tw__wse_gather_all(tw__wse *w, const void *mine, size_t bytes, tw__wse_came *came, void *user);
/* All ranks: what the one that has this row of PEs knows. */
tw_status tw__wse_from_owner(tw__wse *w, unsigned y, void *bytes, size_t size);
/* TW_OK, or why ranks cannot reach each other any more. */
tw_status tw__wse_lost(const tw__wse *w);
/* All ranks: each one learns the counters of all PEs, and with `memory` what is in theirs. */
tw_status tw__wse_fetch(tw__wse *w, bool memory);

/* The 48 KB of a PE; NULL outside the rectangle. */
uint8_t *tw__wse_memory(tw__wse *w, unsigned x, unsigned y);

/* Streams of the host. `port`: TW__CSL_RAMP = straight to and from the compute engine of the PE, else the link
 * towards that direction, which must be an edge of the rectangle or of no consequence otherwise. Words are
 * payloads. */
bool tw__wse_send(tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color, const uint32_t *words,
                  size_t count, bool control); /* queued without limit; false = out of memory or no such PE */
size_t tw__wse_unsent(const tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color);
/* From now on what the PE sends (RAMP: its compute engine; else through that link) on the color is kept for the
 * host. */
bool tw__wse_listen(tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color);
size_t tw__wse_received(const tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color);
size_t tw__wse_take(tw__wse *w, unsigned x, unsigned y, unsigned port, unsigned color, uint32_t *words, size_t max);

/* Lines that programs printed (service put_char), in order of cycle, then PE; the callback may be NULL. */
typedef void tw__wse_print(void *user, unsigned x, unsigned y, uint64_t cycle, const char *line);
void tw__wse_on_print(tw__wse *w, tw__wse_print *print, void *user);

/* --- for debuggers -------------------------------------------------------------------------------------------- */

typedef enum tw__wse_stop_kind {
    TW__WSE_STOP_CODE,     /* before an instruction that is marked, or of the PE that is followed */
    TW__WSE_STOP_CYCLE,    /* everything before that cycle is done */
    TW__WSE_STOP_FAULT,    /* of the program; the run is over */
    TW__WSE_STOP_DEADLOCK, /* nothing can happen any more, and something waits; the run is over */
    TW__WSE_STOP_INTERRUPT
} tw__wse_stop_kind;
typedef struct tw__wse_stop {
    tw__wse_stop_kind kind;
    uint32_t pe, at; /* CODE: the instruction; FAULT: the PE */
    uint64_t cycle;  /* CODE: of the PE's own clock, which may be ahead of the wafer's while it runs scalar code */
} tw__wse_stop;
/* False: the run ends here. The wafer stands still meanwhile, in the middle of a window. */
typedef bool tw__wse_stop_hook(void *user, const tw__wse_stop *stop);

/* From now on the hook is asked. Results, cycles and questions of the host stay what they are without, since the
 * wafer waits inside the instruction; windows are run by one thread. False = out of memory. */
bool tw__wse_debug(tw__wse *w, tw__wse_stop_hook *hook, void *user);
void tw__wse_mark(tw__wse *w, uint32_t program, uint32_t at, bool on); /* of all PEs with that program */
void tw__wse_follow(tw__wse *w, uint32_t pe);                          /* UINT32_MAX = none */
void tw__wse_stop_at(tw__wse *w, uint64_t cycle);                      /* UINT64_MAX = never */
void tw__wse_interrupt(tw__wse *w);                                    /* also from a signal handler */
bool tw__wse_left(const tw__wse *w);                                   /* the hook has ended the run */

/* --- what happened -------------------------------------------------------------------------------------------- */

typedef enum tw__wse_event_kind {
    TW__WSE_TASK_BEGIN,
    TW__WSE_TASK_END, /* a = task id (64 = host command), b = function */
    TW__WSE_OP_BEGIN,
    TW__WSE_OP_END,  /* a = microthread (8 = main thread), b = tw__csl_dsd_op | instruction << 8 */
    TW__WSE_WAVELET, /* a = direction left by | color << 8 | control << 16, b = payload */
    TW__WSE_LANDING  /* at the compute engine: a = color | control << 16, b = payload */
} tw__wse_event_kind;
typedef struct tw__wse_event {
    uint64_t cycle;
    uint32_t pe; /* y * width + x */
    uint32_t kind, a, b;
} tw__wse_event;
/* All ranks. Events since the last call, sorted by cycle and PE (options.trace); owned by the wafer until the next
 * call. */
const tw__wse_event *tw__wse_events(tw__wse *w, size_t *count);

/* --- checkpoints, of a wafer of one process --------------------------------------------------------------------- */

/* Called inside tw__wse_run(), between two windows; what comes next are cycles before `end`. *next is the cycle at
 * which, or before which, it wants to be called again. Results and cycles stay what they are without. False, after a
 * message, ends the run there with its status. */
typedef bool tw__wse_save(void *user, uint64_t end, uint64_t *next);
/* At the last pause at or before that cycle: pauses are some tens of cycles apart at most. UINT64_MAX = never. */
void tw__wse_save_at(tw__wse *w, uint64_t cycle, tw__wse_save *save, void *user);
uint64_t tw__wse_layout(void); /* for tw__ck_head */
typedef enum tw__wse_kept { TW__WSE_KEEPS_PROFILE = 1, TW__WSE_KEEPS_TRACE = 2 } tw__wse_kept;
tw__wse_kept tw__wse_keeps(const tw__wse *w);            /* bits of tw__wse_kept */
bool tw__wse_takes(const tw__wse *w, tw__wse_kept kept); /* are the events of such a file those of this wafer? */
/* All that the wafer is, in a tw__wse_save or into a new wafer of the same image and options, whose next run goes on
 * in the middle of that one; `kept` is what was kept when the file was written. */
bool tw__wse_walk(tw__wse *w, tw__ck *k, tw__wse_kept kept);
/* Events in an array: reading makes it, for free(). */
bool tw__wse_events_walk(tw__ck *k, const tw__wse *w, tw__wse_event **events, size_t *count);
uint64_t tw__wse_start(const tw__wse *w); /* cycle at which the next run begins, or began if it is resumed */

/* --- figures -------------------------------------------------------------------------------------------------- */

enum { TW__WSE_WAIT_COLORS = 32 };
typedef struct tw__wse_counters {            /* of one PE, options.profile */
    uint64_t task_cycles[65], task_runs[65]; /* by task id, 64 = host commands; scalar code and waits */
    uint64_t op_cycles[TW__CSL_DSD_OPS], op_runs[TW__CSL_DSD_OPS], op_elements[TW__CSL_DSD_OPS];
    uint64_t sent[5], scalar_cycles, beats;             /* wavelets by direction W E S N RAMP */
    uint32_t task_worst[65], op_worst[TW__CSL_DSD_OPS]; /* cycles of the longest run */
    /* Cycles that operations did not work for want of a wavelet of a color, of room for one, or of a FIFO; waiting
     * for a turn among others is in them. */
    uint64_t wait_in[TW__WSE_WAIT_COLORS], wait_out[TW__WSE_WAIT_COLORS], wait_fifo;
    uint32_t spans_begun, spans_ended;
} tw__wse_counters;
const tw__wse_counters *tw__wse_profile(const tw__wse *w, unsigned x, unsigned y); /* NULL: off, outside */

/* What happened over time, folded: stretches of time get longer until all that happened fits, and a rectangle of more
 * than 64 PEs a side is blocks of `block` x `block` of them. Kinds 0 to 3: wavelets that left by that direction. */
enum { TW__WSE_DID_CODE = 4, TW__WSE_DID_DATA, TW__WSE_DID_WANT, TW__WSE_DID_FILL, TW__WSE_DID_BUFFER };
enum { TW__WSE_MOST_DID = 1 << 21, TW__WSE_ANY_COLOR = 255 };
typedef struct tw__wse_did {
    uint64_t window, amount; /* wavelets, or cycles */
    uint32_t pe;             /* of the block's north-west corner */
    uint8_t kind, color;
} tw__wse_did;
typedef struct tw__wse_story {
    uint64_t window; /* cycles of a stretch */
    uint32_t block;
    size_t count;
    tw__wse_did *did; /* by PE, kind, color, window; for free(). No two are of one of each */
} tw__wse_story;
/* All ranks. False: options.motion is off, or out of memory. */
bool tw__wse_motion(tw__wse *w, tw__wse_story *story);

/* What instructions cost, of all PEs of a program; `waits`: cycles beside these. */
typedef struct tw__wse_heat {
    uint64_t runs, cycles, waits;
} tw__wse_heat;
/* By instruction, then by function (its tasks, whatever they do); all zero for programs that did nothing. `out` has
 * code_count + function_count elements. Of the PEs of this rank. */
void tw__wse_heat_of(const tw__wse *w, uint32_t program, tw__wse_heat *out);

typedef struct tw__wse_totals {                           /* always counted */
    uint64_t hops, wavelets, scalar_cycles, beats, tasks; /* beats: cycles of DSD operations */
} tw__wse_totals;
tw__wse_totals tw__wse_total(tw__wse *w); /* all ranks */

#endif
