/* SPDX-License-Identifier: MIT */
/* tw_wse for debuggers: stops a wafer, looks into it while it stands still, lets it go on.
 *
 *     bool halted(void *user, const tw_wse_halt *halt) { ... tw_wse_print(w, halt->x, halt->y, 0, "steps", 0) ... }
 *     tw_wse_debug(w, halted, NULL);
 *     size_t count = tw_wse_find_code(w, "pe.csl:12", codes, 16);       // or a function, a task
 *     for (size_t i = 0; i < count && i < 16; i++) tw_wse_mark(w, codes[i].program, codes[i].at, true);
 *     tw_wse_launch(w, "compute", NULL, 0, NULL);                       // calls halted() before those instructions
 *
 * A run with a debugger has the cycles, results and messages of one without: the wafer waits inside the instruction.
 * PEs are named by their place in the program's rectangle, as reports do. All PEs are in the same window of two
 * cycles, except that scalar code runs ahead of the wafer's clock where nothing else can happen on its PE:
 * tw_wse_halt.cycle is then the PE's own.
 *
 * Threads: as tw_wse; windows are run by one thread while there is a debugger. The hook may call what is in this
 * header, and read memory; it must not run or free the wafer. */
#ifndef TILEWRIGHT_CSL_DEBUG_H
#define TILEWRIGHT_CSL_DEBUG_H

#include <tilewright/csl/wse.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_wse_reason {
    TW_WSE_AT_CODE = 0,     /* before an instruction that is marked, or any of a PE that is followed */
    TW_WSE_AT_CYCLE = 1,    /* all before that cycle is done */
    TW_WSE_AT_FAULT = 2,    /* a program stopped; the run is over behind this */
    TW_WSE_AT_DEADLOCK = 3, /* nothing can happen any more, and something waits; the run is over behind this */
    TW_WSE_AT_INTERRUPT = 4 /* tw_wse_interrupt() */
} tw_wse_reason;

typedef struct tw_wse_halt {
    tw_wse_reason reason;
    bool has_pe; /* x, y, program and at are known */
    unsigned x, y, program, at;
    uint64_t cycle;
} tw_wse_halt;

/* False ends the run: the call that waits fails with TW_E_SYSTEM, and so do later ones. */
typedef bool tw_wse_hook(void *user, const tw_wse_halt *halt);
/* TW_E_NO_MEMORY. Before the first command, or later; a NULL hook lets everything pass. */
TW_API tw_status tw_wse_debug(tw_wse *w, tw_wse_hook *hook, void *user);

/* Code of one place: an instruction of a tile program, and where it comes from. */
typedef struct tw_wse_code {
    unsigned program, at;
    const char *function, *file; /* "" = unknown; owned by the program */
    unsigned line, column;       /* 0 = unknown */
} tw_wse_code;
/* The first instructions of a place, in all tile programs, calls that the optimiser took out included: "pe.csl:12"
 * (or the next line that has code), a function or task "f", "m.f"; "@" = where tasks and the host's functions begin,
 * "*" = where each line begins. The number, of which as many as fit are in codes[room]; 0 with a message. */
TW_API size_t tw_wse_find_code(const tw_wse *w, const char *place, tw_wse_code *codes, size_t room);
/* The tile program of a PE; -1: it has none, or there is no such PE. */
TW_API int tw_wse_program_of(const tw_wse *w, unsigned x, unsigned y);
TW_API tw_status tw_wse_mark(tw_wse *w, unsigned program, unsigned at, bool on); /* TW_E_INDEX */
/* Every instruction of this PE halts; of one PE at a time. */
TW_API tw_status tw_wse_follow(tw_wse *w, unsigned x, unsigned y, bool on);
TW_API tw_status tw_wse_halt_at(tw_wse *w, uint64_t cycle); /* once; UINT64_MAX = not at all */
TW_API void tw_wse_interrupt(tw_wse *w);                    /* soon; also from a signal handler or another thread */

/* A call that has not returned: 0 is the innermost. */
typedef struct tw_wse_frame {
    tw_wse_code code; /* what comes next, or the call */
    bool inlined;     /* the optimiser took the call out: shown as if it were there */
    bool left_out;    /* functions between it and the next frame ended in a call, which took over their frame */
} tw_wse_frame;
/* False: there are not so many, or the PE is in no task. */
TW_API bool tw_wse_get_frame(const tw_wse *w, unsigned x, unsigned y, unsigned n, tw_wse_frame *frame);

/* An expression over the variables that a frame sees, as text to be freed with free(): "a[2] + n", "a[1, 0:4]",
 * "p.*", "*p", "&a", "a@8", "m.x", "$r4", "$cycle". format: 0, or one of gdb's x d u t c f; long arrays are shown
 * in part. 'b' gives the bytes of all of it, as hexadecimal digits, to compare. In a frame that does not exist
 * only variables of the program are seen. What the optimiser has taken out is "<optimised out>", its bytes "".
 * NULL with a message: TW_E_PARSE, TW_E_SYMBOL, TW_E_TYPE, TW_E_INDEX, TW_E_OVERFLOW for a number that 64 bits do
 * not hold. */
TW_API char *tw_wse_print(const tw_wse *w, unsigned x, unsigned y, unsigned frame, const char *text, char format);
/* The type of its value, "[2, 3]f32"; free(). Also where the value has been taken out. NULL with the same errors. */
TW_API char *tw_wse_type_text(const tw_wse *w, unsigned x, unsigned y, unsigned frame, const char *text);
/* Whether it is other than 0; the same errors. */
TW_API tw_status tw_wse_holds(const tw_wse *w, unsigned x, unsigned y, unsigned frame, const char *text,
                              bool *holds);
/* Puts the value of an expression, a number, where the place is: a number, bool or pointer in the memory of the PE
 * ("a[2]", "p.*", "$h[0x40]"), a variable in a register, "$r4". In optimised code other variables may share a
 * register. Whole numbers may be bit patterns of the type's width, 40000 or 0xffff of an i16. The same errors;
 * TW_E_TYPE also for what is no such place, TW_E_OVERFLOW for a number that its type does not have (1e6 of an f16).
 * While the wafer stands still: a run goes on with it. */
TW_API tw_status tw_wse_assign(tw_wse *w, unsigned x, unsigned y, unsigned frame, const char *place,
                               const char *value);
/* A PE that stands in scalar code goes on before instruction `at` of the same function, and its registers stay as
 * they are: those of optimised code may mean something else there. TW_E_INVALID_ARGUMENT: it stands in no code, or
 * `at` is in another function; TW_E_INDEX. */
TW_API tw_status tw_wse_jump(tw_wse *w, unsigned x, unsigned y, unsigned at);
/* Text of an instruction; free(). NULL: there is none. */
TW_API char *tw_wse_instruction(const tw_wse *w, unsigned program, unsigned at);

/* What else there is to see of a PE: lines. */
typedef enum tw_wse_view {
    TW_WSE_VIEW_PE = 0,
    TW_WSE_VIEW_TASKS = 1,
    TW_WSE_VIEW_QUEUES = 2,
    TW_WSE_VIEW_OPERATIONS = 3,
    TW_WSE_VIEW_ROUTES = 4, /* with switch positions */
    TW_WSE_VIEW_FLIGHT = 5, /* wavelets in the router and on links to it */
    TW_WSE_VIEW_DSRS = 6,
    TW_WSE_VIEW_FIFOS = 7,
    TW_WSE_VIEW_WHY = 8, /* what it waits for, as the report of a deadlock says it */
    TW_WSE_VIEW_LOCALS = 9,
    TW_WSE_VIEW_VARIABLES = 10,
    TW_WSE_VIEW_REGISTERS = 11
} tw_wse_view;
/* "" when there is nothing; free(). NULL with a message: TW_E_INDEX. */
TW_API char *tw_wse_show(tw_wse *w, unsigned x, unsigned y, unsigned frame, tw_wse_view view);

#ifdef __cplusplus
}
#endif
#endif
