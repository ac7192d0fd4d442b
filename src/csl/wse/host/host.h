/* SPDX-License-Identifier: MIT */
/* host: the host's end of the link. Commands are issued to the wafer in the order they were given; copies take place
 * when every PE concerned has finished the functions launched before; streams run beside whatever follows them.
 *
 * Files: host.c life and time, command.c the queue, copy.c which element belongs to which PE, symbol.c names and
 * memory, save.c checkpoints, profile.c, learned.c and trace.c what happened. */
#ifndef TW_CSL_WSE_HOST_HOST_H
#define TW_CSL_WSE_HOST_HOST_H

#include "csl/lang/program/program.h"
#include "csl/wse/wse.h"
#include <glib.h>
#include <tilewright/csl/debug.h>

/* Spec 6: the clock that host scripts use to turn cycles into seconds. */
#define TW__WSE_CLOCK_HZ 850e6

typedef enum tw__command_kind {
    TW__COMMAND_WRITE, /* memory of PEs from words */
    TW__COMMAND_READ,
    TW__COMMAND_SEND, /* wavelets from words */
    TW__COMMAND_RECEIVE,
    TW__COMMAND_LAUNCH
} tw__command_kind;

/* One PE of a command and where its words lie: word k is at first + k * step. */
typedef struct tw__share {
    unsigned x, y;
    size_t first, step;
} tw__share;

typedef struct tw__command {
    tw_wse_task task;
    tw__command_kind kind;
    bool issued, done;
    tw_wse_copy copy;     /* kinds but LAUNCH */
    unsigned port, color; /* SEND, RECEIVE */
    bool single;          /* of one PE at copy.x, copy.y: a port */
    uint32_t *words;      /* WRITE, SEND: owned; READ, RECEIVE: the caller's */
    int export;           /* LAUNCH */
    uint64_t args[15];
    uint32_t *row;  /* RECEIVE: what one PE gives */
    size_t cursor;  /* PEs before this one (in order of shares) are finished */
    uint64_t *ends; /* by share: SEND, words pushed until its end; LAUNCH, by PE: commands issued until its end */
} tw__command;

struct tw_wse {
    const tw_csl_program *program;
    const tw__csl_image *image;
    tw__wse *fabric;
    tw_diags *diags;
    size_t reported; /* diagnostics printed so far */
    tw_wse_options options;
    GPtrArray *queue; /* tw__command, those not done yet, in order */
    tw_wse_task last_task;
    uint32_t *launched; /* by PE: functions launched so far */
    uint64_t settled;   /* cycle from which the next command reaches the PEs */
    GHashTable *pushed; /* (PE, port, color) -> uint64_t: words sent so far */
    bool stopped;
    tw_status failed; /* of the fabric: no command works after it */
    tw_profile *profile;
    GArray *events;    /* tw__wse_event, options.trace */
    tw_wse_hook *hook; /* of a debugger; NULL = none */
    void *hook_user;
    struct tw__journal *journal; /* save.c; NULL: no checkpoints */
};

/* copy.c. The number of PEs that a copy reaches, the k-th of them, and the words of each. */
size_t tw__copy_shares(const tw_wse_copy *copy);
tw__share tw__copy_share(const tw_wse_copy *copy, size_t k);

/* command.c. Takes the command over; with `task` NULL waits for it. */
tw_status tw__host_enqueue(tw_wse *w, tw__command *command, tw_wse_task *task);
bool tw__host_advance(tw_wse *w); /* issues and finishes what can be; true when the queue is empty */
/* Words that a stream has moved, of all: estimated from some of the PEs. *all = 0: the command moves none, or has not
 * begun. */
void tw__host_moved(const tw_wse *w, const tw__command *command, uint64_t *words, uint64_t *all);
void tw__command_free(void *command);

/* host.c. The standard streams are rank 0's; to a file that the program gave, each rank writes. */
bool tw__host_prints(const FILE *out);
void tw__host_report(tw_wse *w); /* host.c: prints what the checks found since the last call */

/* host.c. Runs until a command is done (0: all of them). */
tw_status tw__host_wait(tw_wse *w, tw_wse_task task);

/* symbol.c. Where the target of an exported variable lies in a PE; false when the PE's program does not export it. */
bool tw__host_target(const tw_wse *w, unsigned x, unsigned y, int export, uint32_t *address, uint32_t *room);

/* host.c. TW_E_NOT_SUPPORTED where ranks share the wafer: `what` is for one process. */
tw_status tw__host_one_process(const char *what);

/* learned.c: maps, variables, links, waits, intervals into the profile; `links`: its exchange of the links. */
void tw__host_add_learned(const tw_wse *w, tw_profile *p, uint32_t links);
uint64_t tw__host_end(const tw_wse *w); /* cycle at which the last thing that is known of was over */

/* symbol.c: what events and figures are of. Operations: `number` = its code | instruction << 8. */
const char *tw__host_operation(uint32_t number);
const char *tw__host_operation_at(const tw__csl_program *p, uint32_t at); /* an instruction */
/* Where the source has a task's function, or an operation; *line = 0: that is not known. */
const char *tw__host_place_in(const tw_wse *w, const tw__csl_program *p, bool task, uint32_t number,
                              uint32_t *line);
const char *tw__host_place(const tw_wse *w, uint32_t pe, bool task, uint32_t number, uint32_t *line);

/* save.c. A resumed wafer answers the host from a journal until the place of the checkpoint: tw__host_replays(). */
bool tw__host_replays(const tw_wse *w);
void tw__host_journal_free(tw_wse *w);
uint64_t tw__host_mark(uint64_t mark, const uint64_t *numbers, size_t count); /* FNV-1a */
uint64_t tw__host_command_mark(const tw__command *c, size_t words);
tw_status tw__host_call(tw_wse *w,
                        uint64_t mark); /* that changes something: notes it, or looks whether it is the same */
/* What the host read: notes it, or is the answer. */
tw_status tw__host_answer(tw_wse *w, uint64_t mark, void *bytes, size_t size);
void tw__host_note_done(tw_wse *w, const tw__command *c);
bool tw__host_replay_wait(tw_wse *w,
                          tw_wse_task task); /* true: that is all, or w->failed; false: the run goes on */
tw_status tw__host_replay_idle(tw_wse *w);
void tw__host_waits(tw_wse *w, tw_wse_task task, bool idle);
void tw__host_waited(tw_wse *w);
tw_status tw__host_load(tw_wse *w, const char *path); /* into a new wafer */
uint64_t tw__host_cycle(const tw_wse *w);             /* as the host knows it */

/* trace.c, profile.c */
void tw__host_collect(tw_wse *w);

#endif
