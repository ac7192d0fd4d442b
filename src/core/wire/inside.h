/* SPDX-License-Identifier: MIT */
/* What the files of wire share. */
#ifndef TW_WIRE_INSIDE_H
#define TW_WIRE_INSIDE_H

#include "core/wire/wire.h"

enum {
    TW__WIRE_TAG_CONTROL = 0, /* notices */
    TW__WIRE_TAG_AGREE = 1,   /* ends of runs: counts of calls may differ there */
    TW__WIRE_TAG_DATA = 2,    /* + epoch: what is left of a run that failed is never taken for the next one's */
    TW__WIRE_EPOCHS = 16384,
    TW__WIRE_HISTORY = 64,     /* calls that are remembered */
    TW__WIRE_MOST_KNOWN = 4096 /* ranks: of more nobody asks whether they are there */
};

/* A call as it travels: text by value, since ranks have different addresses. */
typedef struct tw__wire_call {
    uint64_t number; /* calls made, this one included */
    uint64_t hash;   /* of all calls up to this one */
    uint64_t value;
    int32_t line;
    char file[28];
    char what[72];
} tw__wire_call;

/* calls.c */
void tw__wire_count(tw__wire_site site, uint64_t value); /* the call in progress is this one */
const tw__wire_call *tw__wire_now(void);                 /* that call */
void tw__wire_calls_reset(void);                         /* all ranks start to count anew */
/* The calls a peer remembers, oldest first: fails when one of them is not what this rank did. */
tw_status tw__wire_compare(unsigned peer, const tw__wire_call *theirs, size_t count);
size_t tw__wire_remembered(tw__wire_call calls[TW__WIRE_HISTORY]);

/* failures.c */
int tw__wire_data_tag(void);
/* This rank waits for `peer` and would like to know what it does. */
void tw__wire_ask(unsigned peer);
/* At the end, all ranks: MPI ends where nothing is left that somebody has not received. */
tw_status tw__wire_last_notices(void);
bool tw__wire_broken(void); /* ranks did different things, or one is gone: no more talk */
/* Does not come back when all ranks are ended. */
tw_status tw__wire_gives_up(unsigned peer, double seconds);
double tw__wire_patience(void); /* seconds, 0 = no end */

/* This rank's program has ended: a failure of another one has nothing to wait for any more. */
void tw__wire_at_end(void);

/* lines.c: whether ranks of other machines are still there, as far as rank 0 and they see each other. All ranks;
 * `far`: by rank, whether it is on another machine than rank 0. Only messages fail, not lines. */
tw_status tw__wire_make_lines(const bool *far);
bool tw__wire_line_ended(unsigned rank);

/* alive.c */
tw_status tw__wire_introduce(void); /* all ranks, at the start */
enum { TW__WIRE_NONE_MISSING = INT32_MAX };
/* Now and then, by a rank that waits: fails when the process of another one is no more, for the second time in one
 * wait. *missing: TW__WIRE_NONE_MISSING when the wait begins, then who was missing at the last look. */
tw_status tw__wire_look_for_others(unsigned *missing);

/* messages.c */
tw_status tw__wire_wait(void *request, unsigned peer);
/* The same for messages without a call: sends and receives `size` bytes with that tag. */
tw_status tw__wire_send_plain(unsigned peer, int tag, const void *bytes, size_t size);
tw_status tw__wire_receive_plain(unsigned peer, int tag, void *bytes, size_t size);
tw_status tw__wire_usable(void); /* the thread that started it, and nothing is broken */

#endif
