/* SPDX-License-Identifier: MIT */
/* account: what a plan costs on the target: bytes by tile and category, cycles by step, liveness; fills the profile.
 *
 *   account.c   life, hooks of the executor, reports     traffic.c      bytes between tiles, exchange cycles
 *   cycles.c    vertices and copies to cycles            memory.c       sizes of vertices, stacks, instrumentation
 *   steps.c     steps of the profile                     live_report.c  what is live when
 *   tree.c      its program tree                         live_flow.c, live_touches.c  how that is found out (live.h)
 *   links.c     links between IPUs                       syncs.c        who waits for whom, and how long
 *   pairs.c     sums for each pair of tiles              work.c         what the workers of a tile do in a step
 *   lines.c     what lines of codelets cost             blocks.c       programs whose times are asked for
 *   vertex_states.c, lives.c, memory_report.c            what ../place has to place, when it is alive, the report
 *
 * Nothing here changes results: with the account switched off a program computes the same values. Every rule is a
 * model of Poplar API section 5 and is written down in docs/model.md with its source. */
#ifndef TW_ENGINE_ACCOUNT_H
#define TW_ENGINE_ACCOUNT_H

#include "poplar/engine/engine.h"
#include "poplar/engine/place/place.h"
#include "core/profile/profile.h"

/* Cycles that a compute set was once seen to take: a step of its own unless it is the plan's. */
typedef struct tw__outcome {
    uint32_t plan_step, step;
} tw__outcome;

typedef struct tw__account {
    tw_engine *engine; /* that it is of */
    tw_profile *profile;
    uint32_t *first_step;   /* [plan steps] first profile step of a plan step */
    uint32_t *step_count;   /* [plan steps] its number of profile steps, at least 1 unless never reached */
    uint32_t *compute_step; /* [plan steps] the one in which its vertices compute */
    uint32_t *type_ids;     /* [core->type_count] types of vertices in the profile */
    TW__LIST(tw__outcome) outcomes;
    struct _GHashTable *outcome_index; /* plan step and row of cycles -> index + 1 in `outcomes`; NULL: none yet */
    bool enabled;                      /* tw_engine_enable_execution_profiling() */
    uint64_t clock;                    /* cycles of the steps executed so far; only while a plan has stamps */
    bool stream_each_run;              /* autoReport.streamAtEachRun */
    char *execution_file;              /* autoReport: written after runs; NULL = not wanted */
    bool dirty;                        /* runs not yet written to it */
    tw__placement *placement;
    uint32_t *entry_node; /* [entries] profile node at an entry of the control flow, or the next one behind it */
    size_t entries;
    bool reported; /* the memory block of the profile is there */
} tw__account;

/* --- lines.c --- */
void tw__account_lines(tw_engine *engine); /* into the profile, all of them */

/* --- pairs.c -------------------------------------------------------------------------------------------------- */

typedef struct tw__pair_sum {
    uint32_t from, to; /* tiles */
    uint64_t bytes, messages;
} tw__pair_sum;
typedef struct tw__pairs { /* of one exchange; all zero = none yet */
    TW__LIST(tw__pair_sum) sums;
    uint32_t *seen; /* hash of the sums: index + 1 */
    size_t room;
    uint64_t left_out; /* pieces of pairs that found no room */
    uint64_t content;  /* sum of hashes of the pieces */
    bool unknown;      /* data without a variable, or of which it is not known when it was written */
    bool failed;
} tw__pairs;
void tw__pairs_add(tw__pairs *pairs, uint32_t from, uint32_t to, uint64_t bytes, uint64_t messages);
void tw__pairs_reset(tw__pairs *pairs);
void tw__pairs_free(tw__pairs *pairs);
void tw__pairs_record(tw__pairs *pairs, tw_profile *profile, tw__exchange_kind kind, uint32_t exchange);

/* When variables were written last, as far as a straight stretch of the program tells: numbers that grow. Where
 * loops, branches or calls lie between two moments, `stretch` differs and nothing is said. */
typedef struct tw__versions {
    uint32_t *of; /* [variables] */
    uint32_t last, stretch;
} tw__versions;
void tw__versions_touch(tw__versions *versions, const tw__regions *list);
void tw__pairs_piece(tw__pairs *pairs, const tw__piece *piece, const tw__versions *versions); /* NULL: not known */
uint64_t tw__pairs_content(const tw__pairs *pairs); /* for tw__exchange.content */

/* --- traffic.c ------------------------------------------------------------------------------------------------ */

typedef struct tw__parcel { /* bytes of a variable that one tile sends to another */
    uint32_t src, dst, var;
    uint64_t stride, comb; /* every stride-th element from `comb` on; 1 and 0: contiguous */
    uint64_t begin, end;   /* bytes, counted along these elements only */
} tw__parcel;

typedef TW__LIST(tw__parcel) tw__parcels;

/* What one exchange moves. Equal data needed twice by a tile is received once; data for several tiles is sent
 * once. Data for several tiles of another IPU crosses the links once and is spread there. */
typedef struct tw__traffic {
    unsigned tiles, tiles_per_ipu, ipus;
    uint64_t *sent, *received;  /* [tiles] bytes within the IPU */
    uint64_t *outward, *inward; /* [tiles] bytes to and from other IPUs; NULL with one IPU, like `flow` */
    uint32_t *runs;             /* [tiles] contiguous runs sent or received: instructions of exchange code */
    uint32_t *reach;            /* [tiles] distance in tiles of the farthest partner on the same IPU */
    uint64_t *flow;             /* [ipus * ipus] bytes from IPU to IPU */
    uint64_t internal, global;  /* bytes within IPUs and over the links */
    uint64_t spread;            /* bytes that tiles get of what came over the links, when several get the same */
    tw__parcels inner, outer;   /* within an IPU, and from tile to tile of different IPUs */
    tw__parcels crossings;      /* likewise, with the IPU in place of the receiving tile */
    uint32_t *seen;             /* hash of the crossings: index + 1 */
    size_t seen_room;
    tw__pairs inner_pairs, outer_pairs; /* from tile to tile, within an IPU and over the links */
    const tw__versions *versions;       /* NULL: what is sent was written just now */
    bool piecewise;                     /* too many parcels: the rest is added up at once */
    bool failed;
} tw__traffic;
bool tw__traffic_init(tw__traffic *traffic, const tw_target *target);
void tw__traffic_free(tw__traffic *traffic);
void tw__traffic_reset(tw__traffic *traffic);
/* One piece between two different tiles; esize in bytes. */
void tw__traffic_add(tw__traffic *traffic, const tw__piece *piece, unsigned esize);
void tw__traffic_finish(tw__traffic *traffic); /* after the last piece */
/* Cycles of each tile in the internal part into out[tiles]. */
void tw__traffic_cycles(const tw__traffic *traffic, const tw_target *target, uint64_t *out);
/* Cycles of each tile for what it gets of data that came over the links for several tiles. */
void tw__traffic_spread_cycles(const tw__traffic *traffic, const tw_target *target, uint64_t *out);

/* --- links.c -------------------------------------------------------------------------------------------------- */

/* Cycles that the links between IPUs need for flow[from * ipus + to] bytes. */
uint64_t tw__link_cycles(const tw_target *target, const uint64_t *flow, bool *failed);

/* --- syncs.c -------------------------------------------------------------------------------------------------- */

typedef enum tw__sync_purpose {
    TW__SYNC_IN_IPU,           /* tiles of an IPU wait for one another */
    TW__SYNC_BETWEEN_IPUS,     /* before an exchange between IPUs of a replica */
    TW__SYNC_BETWEEN_REPLICAS, /* before an exchange between replicas */
    TW__SYNC_HOST,             /* before and after a host exchange */
    TW__SYNC_REMOTE,           /* before and after access to a remote buffer */
    TW__SYNC_ALL               /* all IPUs */
} tw__sync_purpose;
typedef struct tw__sync_cost {
    uint64_t cycles;
    const char *group; /* "GS1, 2 IPUs of each replica"; "" with one IPU and within IPUs */
} tw__sync_cost;
/* Who takes part in a sync and what it costs (guide 2.7.2, docs/model.md). `side`: the IPUs that have something to do
 * are all on side 0 or 1 of the ladder, -1 = on both. `after`: behind a host exchange, where software syncs count. */
tw__sync_cost tw__sync_cost_of(const struct tw_engine *engine, tw__sync_purpose purpose, int side, bool after);

/* --- cycles.c ------------------------------------------------------------------------------------------------- */

/* Copies inside one tile become vertices of the run-time library (guide 8.2.3 names them). */
typedef enum tw__copy_type {
    TW__COPY_MEMCPY64,
    TW__COPY_SHORT,
    TW__COPY_STRIDED,
    TW__COPY_FILL,
    TW__COPY_TYPES
} tw__copy_type;
extern const char *const tw__copy_type_names[TW__COPY_TYPES];

typedef struct tw__local {            /* copies inside tiles, by tile and type */
    unsigned tiles, memcpy_bytes;     /* bytes of a cycle of Memcpy64Bit */
    uint64_t *cycles[TW__COPY_TYPES]; /* [tiles]; 0 = none */
    uint32_t *pieces[TW__COPY_TYPES];
    uint64_t total; /* bytes */
} tw__local;
bool tw__local_init(tw__local *local, const tw_target *target);
void tw__local_free(tw__local *local);
void tw__local_reset(tw__local *local);
/* src_tile == dst_tile. */
void tw__local_add(tw__local *local, const tw__piece *piece, unsigned esize);

/* Places the vertices of one compute set on workers and gives tile cycles: 6 x the busiest worker, plus
 * MultiVertices. */
typedef struct tw__workers {
    unsigned tiles, contexts;
    uint64_t *load;  /* [tiles * contexts] worker cycles */
    uint64_t *multi; /* [tiles] tile cycles */
} tw__workers;
bool tw__workers_init(tw__workers *workers, const tw_target *target);
void tw__workers_free(tw__workers *workers);
void tw__workers_reset(tw__workers *workers);
void tw__workers_add(tw__workers *workers, unsigned tile, bool multi, uint64_t cycles);
void tw__workers_cycles(const tw__workers *workers, uint64_t *out);
/* On which worker the next vertex of a tile goes: the least loaded one, the first of equals. */
unsigned tw__workers_next(const tw__workers *workers, unsigned tile);

/* Control flow as a flat list: leaves, bracketed loops and choices, calls. */
typedef enum tw__shape_kind {
    TW__SHAPE_STEP,  /* value = plan step */
    TW__SHAPE_LOOP,  /* once or more, left at its END */
    TW__SHAPE_WHILE, /* value = entry of its TEST, where it is left */
    TW__SHAPE_TEST,
    TW__SHAPE_CHOICE, /* one of its ARMs */
    TW__SHAPE_ARM,    /* value = entry of the ARM before it, or of the CHOICE; ends an arm */
    TW__SHAPE_CALL,   /* value = body: a function, or a program met before */
    TW__SHAPE_END     /* value = entry of the opening bracket */
} tw__shape_kind;
typedef struct tw__shape {
    tw__shape_kind kind;
    uint32_t value;
} tw__shape;
typedef struct tw__body {
    uint32_t begin, end;
} tw__body; /* entries of the shape */
typedef struct tw__leaf_node {
    uint32_t step, node;
} tw__leaf_node;

/* --- the run over a plan -------------------------------------------------------------------------------------- */

typedef struct tw__type_cost {               /* one vertex type on the target */
    uint32_t id;                             /* in the profile; TW__NONE until a vertex of it is met */
    const tw__device_vertex *device;         /* NULL: sizes of the host stand in */
    uint32_t state, edges, padding;          /* bytes of one instance: plain state, pointers, holes */
    uint64_t *bytes[TW__VERTEX_BYTES_KINDS]; /* [tiles] each */
} tw__type_cost;

typedef struct tw__accounting { /* everything needed while the account is made */
    tw_engine *engine;
    tw__core *core;
    const tw_target *target;
    tw__account *account;
    tw_profile *profile;
    tw__memory *memory; /* what is summed by tile and category; the rest is in the placement */
    tw__placement *placement;
    unsigned tiles;
    tw__traffic before, after; /* of the step at hand */
    tw__local local_before, local_after;
    tw__workers workers;
    uint64_t *row;        /* [tiles] */
    tw__type_cost *types; /* [core->type_count] */
    tw__type_cost copies[TW__COPY_TYPES];
    uint32_t *sets;              /* [core->compute_set_count] compute set of the profile */
    bool *set_counted;           /* [core->compute_set_count] memory of its vertices is counted */
    uint64_t *type_cycles;       /* [core->type_count] of the compute set at hand */
    uint64_t *type_count;        /* likewise */
    uint64_t *type_worst;        /* likewise: cycles of the slowest vertex */
    uint32_t *type_worst_tile;   /* its tile */
    tw__type_cycles *used_types; /* [core->type_count + TW__COPY_TYPES] scratch */
    tw__versions versions;
    TW__LIST(tw__work) work;        /* scratch of work.c */
    uint32_t *step_of;              /* [core->program_count] next plan step of a program, TW__NONE = no more */
    uint32_t *next_of;              /* [plan.step_programs] the one after it */
    TW__LIST(tw__shape) shape;      /* control flow in the order of the tree, for liveness */
    TW__LIST(tw__leaf_node) leaves; /* profile nodes of plan steps */
    TW__LIST(tw__body) bodies;      /* [0] the programs, [f] function f, then programs shared by several places */
    uint32_t *body_of;              /* [core->program_count] body of a shared program, 0 = not met yet */
    uint32_t *first_leaf;           /* [core->program_count] first leaf below a program, 0 = none */
    uint32_t *last_of;              /* [core->program_count] plan step taken last */
    tw_fidelity state_fidelity;     /* EXACT when every vertex type could be read for the chip */
    uint32_t broadcasts;            /* control broadcasts so far: they are numbered in names */
    bool strict;                    /* profiler.strictEstimates */
    tw_status status;               /* an error of the user's; failed: out of memory */
    bool failed;
} tw__accounting;

/* account.c: debug.instrumentCompute, debug.instrumentExternalExchange; unless set they follow debug.instrument,
 * which follows autoReport.all. */
bool tw__account_instruments(const tw_engine *engine, const char *key);
/* work.c: the workers of `tile` in a compute set into a->work, from a->row (cycles of tiles); nothing when its
 * vertices are too many to be shown. Takes the tile's place in a->workers. */
void tw__account_work(tw__accounting *a, const uint32_t *vertices, size_t count, unsigned tile);
/* blocks.c: a block was met while the tree is made; which nodes of the whole tree the options choose. */
void tw__blocks_found(tw__accounting *a, uint32_t node);
tw_status tw__blocks_choose(tw__accounting *a);
/* tree.c: the program tree, with the steps below it. */
tw_status tw__account_tree(tw__accounting *a);
/* steps.c: one or more profile steps for plan step `step`, below node `parent`. */
void tw__account_emit(tw__accounting *a, uint32_t step, uint32_t parent);
/* memory.c. Profile id of a vertex type; its layout on the chip is read on first use. */
uint32_t tw__account_type(tw__accounting *a, uint32_t type);
uint32_t tw__account_copy_type(tw__accounting *a, tw__copy_type type);
void tw__account_local(tw__accounting *a, const tw__local *local); /* bytes of copy vertices */
/* Stacks, control code, instrumentation; bytes of vertex types. Then everything that is kept for the whole run is
 * known. */
tw_status tw__account_memory(tw__accounting *a);
/* lives.c: the profile's liveness block, and the lives of variables and buffers. */
tw_status tw__account_liveness(tw__accounting *a);
/* vertex_states.c: states and tables of the vertices of an exec to the placement; counts bytes by type. */
void tw__account_states(tw__accounting *a, uint32_t exec);
/* memory_report.c: what lies on each tile beside variables and vertices, then the verdict (docs/decisions.md, G4):
 * TW_OK, a warning in the log, TW_E_TILE_MEMORY or TW_E_ELEM_CONSTRAINTS. Places only when it is not plain that
 * everything fits. */
tw_status tw__account_judge(tw__accounting *a);
/* The memory block of the profile. Adds the bytes of all items by region, overlap and overflow. `node`: the program
 * at each of `entries` entries of the control flow, which lives are counted in. */
tw_status tw__account_memory_report(tw__placement *p, tw_profile *profile, const uint32_t *node, size_t entries);

#endif
