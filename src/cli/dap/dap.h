/* SPDX-License-Identifier: MIT */
/* dap: a debug adapter (Debug Adapter Protocol) on the standard streams, for `csl debug --dap` and `sim --dap`. It
 * knows messages; what is debugged lies behind a tw__dap_target. dap.c has the messages and their order,
 * dap_requests.c what is asked, dap_values.c variables, dap_memory.c bytes, dap_complete.c what a line of the console
 * may go on with, dap_output.c what programs and debuggers print. */
#ifndef TW_CLI_DAP_H
#define TW_CLI_DAP_H

#include "cli/messages.h"
#include "cli/words.h"

#include <stdint.h>

typedef struct tw__dap tw__dap;

typedef struct tw__dap_place {
    const char *file; /* as the program names it; NULL = unknown */
    unsigned line, column;
} tw__dap_place;

typedef struct tw__dap_frame {
    char *name; /* g_free() */
    tw__dap_place place;
    bool has_address;
    uint64_t address;
} tw__dap_frame;

typedef enum tw__dap_go { TW__DAP_CONTINUE, TW__DAP_NEXT, TW__DAP_STEP_IN, TW__DAP_STEP_OUT } tw__dap_go;

/* A thread is numbered from 1: a PE, or a context of a tile. Functions without a result may print: it is shown. */
typedef struct tw__dap_target {
    const char *command; /* of messages: "csl" */
    /* The command with a program: opens it, then calls tw__dap_session(); else it has printed why not. */
    int (*main)(tw__dap *dap, int argc, char **argv);
    void (*threads)(tw__debugger *d, json_t *list); /* by tw__dap_add_thread() */
    bool (*has_thread)(tw__debugger *d, unsigned thread);
    bool (*frame)(tw__debugger *d, unsigned thread, unsigned n, tw__dap_frame *frame); /* false: not so many */
    const char *const *scopes;                                                         /* NULL ends them */
    void (*scope)(tw__debugger *d, unsigned thread, unsigned frame, unsigned which, json_t *list);
    /* Text for free() or NULL with *error for g_free(). */
    char *(*evaluate)(tw__debugger *d, unsigned thread, unsigned frame, const char *text, char **error);
    /* A command of the interactive mode; false after a message. *goes: the program is to go on. */
    bool (*command_line)(tw__debugger *d, const char *text, bool *goes);
    tw__reader *(*reader)(tw__debugger *d);               /* of that mode */
    const char *const *clients;                           /* commands that the client has itself; NULL ends them */
    bool (*knows)(tw__debugger *d, const char *location); /* "file:12" or a function */
    /* The first number of `count` breakpoints, 0 after a message. */
    unsigned (*set)(tw__debugger *d, const char *location, const char *condition, unsigned *count,
                    tw__dap_place *place);
    /* Another value for what `expression` names, in a frame; false with *error for g_free(). NULL: none is set. */
    bool (*assign)(tw__debugger *d, unsigned thread, unsigned frame, const char *expression, const char *value,
                   char **error);
    void (*remove)(tw__debugger *d, unsigned number);
    void (*ignore)(tw__debugger *d, unsigned number, uint64_t hits); /* so many do not stop */
    /* Begins; the end is told by tw__dap_exited(), a stop by tw__dap_stopped(). */
    void (*start)(tw__debugger *d, bool stop_on_entry);
    /* Another run follows, from the start: true when the one under way ends first, by itself. NULL: by `start`. */
    bool (*again)(tw__debugger *d, bool stop_on_entry);
    char *(*source)(
        const char *file); /* a file with what is in none, for g_free(), or NULL. NULL: all is in files */
    bool only_once;        /* it cannot be started again, and is open before `launch`, which needs no program */
    void (*go)(tw__debugger *d, unsigned thread, tw__dap_go how, bool instruction);
    /* Text (g_free()) and place of an instruction; *text NULL: there is none. Where the next one is. */
    uint64_t (*instruction)(tw__debugger *d, uint64_t address, char **text, tw__dap_place *place);
    /* Where what an expression names lies, as a number that read() takes; false: in no memory. */
    bool (*locate)(tw__debugger *d, unsigned thread, unsigned frame, const char *expression, uint64_t *address);
    /* Bytes from an address on, at most `count`; how many there are. */
    size_t (*read)(tw__debugger *d, uint64_t address, uint8_t *bytes, size_t count);
    unsigned unit; /* of addresses: what the shortest instruction takes */
    bool commas;   /* an element of an array of arrays is a[1, 2] */
} tw__dap_target;

/* Serves a client until it goes. The exit status. */
int tw__dap_serve(const tw__dap_target *target);
/* For a program that runs around its debugger: the adapter on these descriptors, where the standard output already
 * is a file in memory; NULL after a message. */
tw__dap *tw__dap_open(const tw__dap_target *target, int in, int out);
void tw__dap_let_go(tw__dap *dap); /* in `start`: tw__dap_loop() returns */

/* --- for targets ----------------------------------------------------------------------------------------------- */

/* From a program that is open to the client's goodbye. */
void tw__dap_session(tw__dap *dap, tw__debugger *d);
void tw__dap_begin(tw__dap *dap, tw__debugger *d); /* the same without the messages that follow */
/* It stopped: "breakpoint", "step", "pause", "exception" or "entry". `breakpoint`: its number, or 0; text: NULL =
 * none to show. */
void tw__dap_stopped(tw__dap *dap, const char *reason, unsigned thread, unsigned breakpoint, const char *text);
/* It stopped for an exception: what kind, in a word, and what happened, in one line or several. */
void tw__dap_excepted(tw__dap *dap, unsigned thread, const char *kind, const char *text);
/* Whether breakpoint `number`, which was hit, is a log point: then its text has been shown, and nothing stops. */
bool tw__dap_logs(tw__dap *dap, unsigned number, unsigned thread);
void tw__dap_loop(tw__dap *dap); /* messages, until one lets the program go on, or the client goes */
/* While it runs, now and then: takes what has come. True: it is to stop, for a pause or for ever. */
bool tw__dap_poll(tw__dap *dap);
bool tw__dap_is_over(const tw__dap *dap);   /* the client has gone, or goes */
bool tw__dap_has_ended(const tw__dap *dap); /* the program, by itself or by `terminate`; it may be started again */
void tw__dap_exited(tw__dap *dap, int status);
/* What was printed up to here came from the program. */
void tw__dap_flush_program(tw__dap *dap);
void tw__dap_add_thread(json_t *list, unsigned thread, const char *name);
/* A variable of a scope; `expression`: for evaluate, NULL = none. */
void tw__dap_add(json_t *list, const char *name, const char *value, const char *expression);

#endif
