/* SPDX-License-Identifier: MIT */
/* dap: what its files share. */
#ifndef TW_CLI_DAP_INNER_H
#define TW_CLI_DAP_INNER_H

#include "cli/dap/dap.h"

/* What a variablesReference stands for: a scope of a frame, or the text of a value that has parts. */
typedef struct tw__dap_reference {
    unsigned thread, frame, scope;
    char *value, *expression; /* value NULL: a scope */
} tw__dap_reference;

typedef struct tw__dap_location { /* a frame that the client knows by its place in the list, from 1 */
    unsigned thread, frame;
} tw__dap_location;

struct tw__dap {
    const tw__dap_target *target;
    tw__debugger *debugger; /* NULL: there is no program yet */
    tw__messages stream;
    int out, err;    /* the client's end of the standard output, the standard error as it was */
    int captured[2]; /* what was printed on the standard output and the standard error */
    json_int_t seq;
    json_int_t request; /* that is under way */
    bool initialized, configured, started, running, exited;
    bool gone;                  /* the program's process ends: there is nothing left to look at */
    bool go, pause, over, left; /* left: the client said so */
    bool restart;               /* as soon as it stands */
    bool ending;                /* ... it counts as ended */
    bool opened;                /* there is, or was, a program */
    bool stop_on_entry, no_debug;
    bool lines_from_0, columns_from_0;
    char *folder;            /* of the program */
    unsigned excepted;       /* the thread that stopped for an exception; 0: none */
    char *kind, *what;       /* ... of it; NULL: none yet */
    GArray *references;      /* tw__dap_reference; number 1 is the first */
    GArray *frames;          /* tw__dap_location */
    GHashTable *breakpoints; /* path of a source, "" for functions -> GArray of tw__dap_range */
    void (*after)(tw__dap *dap);
    /* for `after`: */
    unsigned thread;
    tw__dap_go how;
    bool instruction;
};

typedef struct tw__dap_range { /* numbers of one breakpoint of the client, which may be several places */
    unsigned first, count;
    char *log; /* a log point's text; NULL: it stops */
} tw__dap_range;
/* Of the breakpoint that has this number; NULL: it is none of the client's. */
const tw__dap_range *tw__dap_find_range(const tw__dap *dap, unsigned number);

/* A request: its body, which may be empty; NULL: it has answered itself, or *error says why not (g_free()). */
typedef json_t *tw__dap_handler(tw__dap *dap, const json_t *arguments, char **error);
typedef struct tw__dap_request {
    const char *name;
    tw__dap_handler *handle;
    enum { TW__DAP_ALWAYS, TW__DAP_OPEN, TW__DAP_STANDS } when; /* once there is a program; while it stands */
} tw__dap_request;
extern const tw__dap_request tw__dap_requests[];
extern const size_t tw__dap_request_count;

void tw__dap_event(tw__dap *dap, const char *name, json_t *body); /* takes the body, NULL = none */
void tw__dap_respond(tw__dap *dap, json_int_t request, const char *command, json_t *body, const char *error);
void tw__dap_end(tw__dap *dap);    /* as the client wished; it stands, and may be started again */
void tw__dap_forget(tw__dap *dap); /* frames and values: the program goes on */

/* dap_values.c */
tw__dap_handler tw__dap_scopes, tw__dap_variables, tw__dap_set_variable;
/* 0: it has no parts. `at`: the frame in which the expression counts. */
json_int_t tw__dap_refer(tw__dap *dap, tw__dap_location at, const char *value, const char *expression);

/* dap_memory.c, dap_complete.c */
tw__dap_handler tw__dap_read_memory, tw__dap_completions;
/* The reference of the memory in which the value of an expression lies, into a variable or a result. */
void tw__dap_put_memory(tw__dap *dap, tw__dap_location at, json_t *into, const char *expression);

/* dap_output.c */
bool tw__dap_capture(tw__dap *dap);
void tw__dap_release(tw__dap *dap);
void tw__dap_flush(tw__dap *dap, const char *category); /* of the standard output: "stdout" or "console" */
char *tw__dap_take(tw__dap *dap);                       /* what was printed, instead of sending it; g_free() */

#endif
