/* SPDX-License-Identifier: MIT */
/* wire: the processes (ranks) of one run, and what they say to each other. Every rank makes the same calls in the
 * same order; each call is counted and its fingerprint travels with every message, so that ranks that do different
 * things are told which call was the first to differ, instead of waiting for each other for ever.
 *
 * Bytes are moved by a row of functions: "self" (one process: nothing to move), or that of a module which is the only
 * code linked with MPI and is loaded when a launcher started this process (docs/mpi.md). One rank never gets past the
 * inline tests of tw__wire_size(), so that nothing here costs time without a launcher.
 *
 * One thread makes all calls: the one that started the wire. */
#ifndef TW_WIRE_WIRE_H
#define TW_WIRE_WIRE_H

#include "core/base/base.h"

/* --- the table: what a module has to offer -------------------------------------------------------------------- */

#define TW__WIRE_VERSION 2
#define TW__WIRE_SYMBOL  "tw__wire_module"

typedef struct tw__wire_row {
    uint32_t version; /* TW__WIRE_VERSION */
    const char *name;
    /* NULL, or why not; *rank and *size are those of the run. `end` is called when MPI is about to end, which the
     * program may do itself. */
    const char *(*start)(int *rank, int *size, void (*end)(void));
    /* Begin to move `size` bytes, which stay where they are until done() says 1. NULL: no memory, or MPI failed. */
    void *(*send)(int peer, int tag, const void *bytes, size_t size);
    void *(*receive)(int peer, int tag, void *bytes, size_t size);
    int (*done)(void *request);  /* 1: over, the request is gone; 0: not yet; -1: MPI failed, the request is gone */
    void (*drop)(void *request); /* nobody waits for it any more */
    /* A message with that tag from anybody, of at most `room` bytes: its size; 0: none is there. */
    size_t (*poll)(int tag, int *peer, void *bytes, size_t room);
    const char *(*problem)(void); /* what the last failure was */
    void (*abort)(int code);      /* ends all ranks */
    void (*finish)(void);
} tw__wire_row;

/* --- start.c --------------------------------------------------------------------------------------------------- */

typedef struct tw__wire_state {
    unsigned rank, size; /* 0 of 1 without a launcher */
    const tw__wire_row *row;
} tw__wire_state;
extern tw__wire_state tw__wire;

/* What started this process, from its environment; rows are looked at in order. */
typedef struct tw__wire_launcher {
    const char *size, *rank;      /* variables */
    const char *name, *module;    /* "Open MPI", "wire-openmpi" */
    const char *package, *needed; /* Debian's: of the launcher; to build the module */
} tw__wire_launcher;
/* NULL: none, or TILEWRIGHT_MPI=off. *rank and *size: what the variables say, size 0 when there is none. */
const tw__wire_launcher *tw__wire_detect(unsigned *rank, unsigned *size);
extern const tw__wire_launcher tw__wire_launchers[];
extern const size_t tw__wire_launcher_count;

/* Starts what moves bytes, once, if a launcher started several ranks; otherwise nothing happens. Fails when there is
 * no module for that launcher, or when ranks are of different builds. */
tw_status tw__wire_start(void);
static inline unsigned tw__wire_rank(void)
{
    return tw__wire.rank;
}
static inline unsigned tw__wire_size(void)
{
    return tw__wire.size;
}

/* --- calls.c: what ranks have to do alike ---------------------------------------------------------------------- */

/* Where a call stands in the sources, and what it is: "tw_engine_read 'x'". `file` may be NULL. */
typedef struct tw__wire_site {
    const char *what, *file;
    int line;
} tw__wire_site;
#define TW__WIRE_HERE(text) ((tw__wire_site){ (text), __FILE__, __LINE__ })

/* Counts a call that says nothing to others: the next message tells whether they made it too. `value` is any number
 * that has to be equal (bytes, a program's number). */
void tw__wire_mark(tw__wire_site site, uint64_t value);

/* --- messages.c ------------------------------------------------------------------------------------------------ */

/* One direction of an exchange with one peer: `index` is what pack and unpack get. */
typedef struct tw__wire_part {
    unsigned peer;
    uint32_t index;
    size_t bytes;
} tw__wire_part;
typedef void tw__wire_pack(void *user, uint32_t index, char *room);
typedef void tw__wire_unpack(void *user, uint32_t index, const char *bytes);
/* Messages to and from some peers, which make the same call. Receives are posted, then each message is packed and
 * sent, then what came is unpacked in the order of `in`. A rank without parts returns at once. `value` as above. */
tw_status tw__wire_exchange(tw__wire_site site, uint64_t value, const tw__wire_part *out, size_t outs,
                            const tw__wire_part *in, size_t ins, tw__wire_pack *pack, tw__wire_unpack *unpack,
                            void *user);
tw_status tw__wire_broadcast(tw__wire_site site, unsigned root, void *bytes, size_t size);
/* Everybody's value becomes what holds for all. */
tw_status tw__wire_all_and(tw__wire_site site, bool *value);
tw_status tw__wire_all_min(tw__wire_site site, uint64_t *value);
/* The same with any value: `combine` takes in that of another rank. */
tw_status tw__wire_combine(tw__wire_site site, void *bytes, size_t size,
                           void (*combine)(void *mine, const void *theirs));
tw_status tw__wire_barrier(tw__wire_site site);

/* --- failures.c ------------------------------------------------------------------------------------------------ */

/* Where this rank is on a path that all ranks take: a failure counts from its position on. */
void tw__wire_at(uint64_t position);
/* This rank cannot go on (the failure is tw_error_message()): others that wait for it at this position or later are
 * told, by the same failure. */
void tw__wire_failed(tw_status status);
/* Whether somebody has failed at this position or before; looks for news now and then. */
bool tw__wire_stopped(void);
/* Looks for news; fails as another rank did at this position or before, or when ranks turn out to differ. */
tw_status tw__wire_notices(void);
/* The end of what can fail, called by all ranks: all get the failure of the first position (of the lowest rank
 * there), with its message. Ranks are in step again afterwards. */
tw_status tw__wire_agree(tw_status mine);
/* Ranks are found to differ: no call does anything any more, and the end of the program ends all ranks. */
void tw__wire_break(void);
/* Seconds after which a rank that waits gives up and ends the run; 0 = never. */
void tw__wire_timeout(double seconds);

#endif
