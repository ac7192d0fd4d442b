/* SPDX-License-Identifier: MIT */
/* grid: a grid of cores that run as fibers and wait for one another. grid/cores.c runs them; grid/flags.c and
 * grid/flags_intra.c have flags and barriers, grid/fifo.c and grid/fifo_queue.c the queues of a block,
 * grid/collectives.c, grid/signals.c and grid/async_transfers.c what devices do to each other. */
#ifndef TW_PTO_BLOCKS_H
#define TW_PTO_BLOCKS_H

#include "core/base/fiber.h"
#include "pto/cost/cost.h"

#include <glib.h>

enum {
    TW__BLOCK_CORES = 3, /* cube, vector 0, vector 1; a whole core is number 0 */
    TW__INTRA_CORES = 2, /* vector cores that have flags of their own with the cube core */
    TW__SYNC_IDS = 16,
    TW__SYNC_COUNT = 15, /* sets of a flag that nobody has waited for */
    TW__CORE_SETS = 3
};

/* Why a core does not go on. `ready` is asked again and again, so it is cheap; `tell` ends "block 0, cube core waits
 * ". */
typedef struct tw__wait {
    bool (*ready)(const tw_pto *core, const void *what);
    void (*tell)(const tw_pto *core, const void *what, GString *text);
    const void *what;
} tw__wait;

/* One queue of a block: counters of what each core of the block has done, from the start. Slot n lies at n modulo
 * slots. */
typedef struct tw__queue_slot {
    tw_type type;
    tw_pto_layout layout;               /* nd, dn, nz */
    uint32_t rows, cols, box;           /* of the whole tile; columns of a box of layout nz */
    unsigned split, skipped;            /* mask of consumers that have no part in it */
    uint64_t number, ready_at, free_at; /* cycles */
} tw__queue_slot;
typedef struct tw__queue {
    tw_pto_fifo as; /* what the first user said */
    unsigned char *memory;
    bool own_memory;
    unsigned producers, consumers; /* masks of cores of the block */
    uint64_t pushed[TW__BLOCK_CORES], popped[TW__BLOCK_CORES], freed[TW__BLOCK_CORES];
    bool allocated[TW__BLOCK_CORES]; /* TALLOC, not yet TPUSH */
    tw__queue_slot *slot;
    struct tw__queue *next;
} tw__queue;

typedef struct tw__sync {
    uint64_t sent, waited;
    uint64_t at[TW__SYNC_COUNT + 1]; /* cycle of set n, at n modulo the size */
} tw__sync;

typedef struct tw__block {
    tw__queue *queues;
    tw__sync *intra; /* [to cube][vector core][id]; NULL = none has been used (grid/flags_intra.c) */
} tw__block;

typedef struct tw__barrier {
    unsigned arrived, expected; /* expected 0 = not counted yet */
    uint64_t turn, latest; /* turns completed; cycle of the last core to come, of this and of the completed turn */
    uint64_t completed_at;
} tw__barrier;

/* A core's place in its grid. */
typedef struct tw__seat {
    struct tw_pto_grid *grid;
    tw__block *block;
    unsigned number; /* in its block */
    tw__fiber *fiber;
    tw__wait wait; /* ready NULL = runs */
    bool started, ended, stopped;
    uint64_t polls; /* in a row, with nobody else moving */
    tw__sync sync[TW_PTO_SYNC_MODES][TW__SYNC_IDS];
    bool tested;       /* what the last TTEST found */
    struct tw__offer { /* what GMOV brings to the other blocks of the group */
        unsigned char *bytes;
        size_t size;
        tw_pto_tile tile;
        int64_t mask;
        uint64_t given, taken, at; /* how often; cycle of the last one */
    } offer;
    struct tw__transfer {
        tw_pto_tensor dst, src;
        uint64_t done_at; /* cycle */
    } *transfers;         /* asynchronous ones; event n is number n - 1 */
    size_t transfer_count, transfer_room, transfers_done;
    struct tw__flow { /* what came from another core */
        const struct tw_pto *from;
        unsigned char fifo; /* TW__NO_ID = by GMOV */
        uint64_t bytes, messages;
    } *flows; /* with TW_PTO_PROFILE (grid/flows.c) */
    size_t flow_count, flow_room;
} tw__seat;

struct tw_pto_grid {
    tw_pto_launch launch;
    tw_pto **cores; /* by device, block, number */
    unsigned count, per_block;
    tw__block *blocks;
    tw__barrier *barriers; /* [device][core set] */
    tw_pto_kernel kernel;
    void *user;
    bool running, stopping, deadlock;
    bool polled; /* some core's `polls` is not zero */
    tw_status status;
    char *message;
};

/* The seat of a core; one of tw_pto_new gets a grid of one for its queues and flags when it first needs one. NULL
 * with a message when out of memory. */
tw__seat *tw__pto_seat(tw_pto *core);
/* Returns when wait.ready(); a failure when that can never be. The message is the description of the wait. */
tw_status tw__pto_wait(tw_pto *core, tw__wait wait);
void tw__pto_tell_progress(const tw_pto_grid *grid); /* cores that have ended */
/* A test that failed: lets the others go on. A failure when they cannot and this core has polled for a long time. */
tw_status tw__pto_poll(tw_pto *core, tw__wait wait);
/* The pipe does nothing before that cycle; TW_PTO_PIPE_ALL: no pipe does. `cause`, `other` (NULL = not one core) and
 * `id` (TW__NO_ID = none): what it waits for, in timelines. */
void tw__pto_delay(tw_pto *core, tw_pto_pipe pipe, uint64_t until, const char *cause, const tw_pto *other,
                   unsigned id);
/* grid/flows.c: bytes that came from another core, through a FIFO (TW__NO_ID: by GMOV); those of a pop of so many
 * elements; all of them as pairs of a profile. */
void tw__flow_add(tw_pto *core, const tw_pto *from, unsigned fifo, uint64_t bytes);
void tw__flow_popped(tw__pto_call *call, const tw__queue *q, const tw__queue_slot *slot, uint64_t elements);
void tw__flow_record(tw_pto *const *cores, unsigned count, tw_profile *p);
const char *tw__pto_kind_name(tw_pto_core_kind kind);

void tw__pto_free_seat(tw_pto *core);
void tw__pto_free_grid(tw_pto_grid *grid); /* all but its cores */
void tw__pto_leave_seat(tw_pto *core); /* a core made by itself gives back the grid of one that holds its queues */
/* --- grid/fifo_queue.c: `call->operand[0]` is the FIFO ---------------------------------------------------------- */

void tw__pto_free_queues(tw__block *block); /* and its flags */
/* The queue, made by whoever comes first; `producing` is the side that the caller acts on. Refuses another
 * description of the same number and cores that have no part in it. */
tw_status tw__queue_of(tw__pto_call *call, bool producing, tw__queue **out);
tw__queue_slot *tw__queue_at(const tw__queue *q, uint64_t n); /* slot of push number n */
/* Wait for the slot of this core's next push or pop; `pipe` starts no earlier than it is free, or has its data. */
tw_status tw__queue_wait_room(tw__pto_call *call, tw__queue *q, tw_pto_pipe pipe);
tw_status tw__queue_wait_data(tw__pto_call *call, tw__queue *q, tw_pto_pipe pipe);

/* A pop of slot n - 1, a free, or a push has happened: cores that have no part in the next slots pass over them. */
void tw__queue_pass(tw__queue *q);

/* --- grid/fifo_slot.c ------------------------------------------------------------------------------------------- */

/* Rows and columns of the whole tile that a core's part of some rows x cols belongs to, and where the part begins. */
typedef struct tw__part {
    uint64_t rows, cols, row, col;
} tw__part;
tw__part tw__pto_part_of(const tw__pto_call *call, const tw__queue *q, bool is_cube_side, uint64_t rows,
                         uint64_t cols);
/* A part of rows x cols of slot n, as it is described. */
tw_pto_tensor tw__slot_tensor(const tw__queue *q, uint64_t n, const tw__queue_slot *slot, const tw__part *p,
                              uint64_t rows, uint64_t cols);
/* What this core's next push, of a part of rows x cols, says about its slot. */
tw_status tw__slot_describe(tw__pto_call *call, tw__queue *q, tw_type type, const tw__part *p, uint64_t rows,
                            uint64_t cols);
tw_status tw__slot_agrees(tw__pto_call *call, const tw__queue_slot *slot, const tw_pto_tile *t, const tw__part *p);
tw_status tw__slot_clip(tw__pto_call *call, const tw_pto_tensor *g, float limit);
/* The tensor becomes a view of this core's part of slot n. */
tw_status tw__slot_lend(tw__pto_call *call, tw__queue *q, uint64_t n, bool cube);

/* --- grid/async_transfers.c ------------------------------------------------------------------------------------- */

/* Transfers up to event `count` take place, in order. */
tw_status tw__pto_transfer(tw_pto *core, uint64_t count);
void tw__pto_drop_transfers(tw__seat *seat);
/* Transfers of this core that were not waited for take place, or (not `good`) never will. */
tw_status tw__pto_end_transfers(tw_pto *core, bool good);
/* An instruction that is part of this one: its time counts as this one's, its complaints carry this one's name and
 * `rule`. */
tw_status tw__pto_run_inner(tw__pto_call *call, const char *name, const tw_pto_operand *operands, unsigned count,
                            const tw_pto_attrs *attrs, unsigned blame, const char *rule);

#endif
