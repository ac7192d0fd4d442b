/* SPDX-License-Identifier: MIT */
/* engine: from a graph to a flat plan, and the executor that runs it.
 *
 *   tw_graph --lower--> tw__plan (vertex groups, copy blocks, transfers, instructions, steps) --exec--> memory
 *
 * One process holds all tiles: a variable is a flat row-major array of device elements in one reserved address
 * range, and exchange is elided to pointers. A vertex field points straight into its variable where the elements
 * are contiguous and aligned; otherwise a message buffer behind the variables is gathered before and scattered
 * after the compute set. The race rule (docs/decisions.md, G1) makes both give the same result.
 *
 * Folders, each standing on those before it (docs/hacking.md, floors):
 *   edges/    what vertices touch: exchange.c pieces from tile to tile, elements.c formats, estimate.c cycles
 *   place/    addresses in tile memory (place.h)
 *   plan/     control_flow.c   programs to instructions    leaves.c           copies, streams, prints
 *             vertex_groups.c  compute sets to groups      copy_blocks.c      copies to blocks
 *             address_space.c  the address range           element_spans.c    which elements two copies touch
 *             owners.c         tiles of ranks              links.c            what crosses between ranks
 *   native/   vertices as code of the host (native.h)
 *   tiles/    code of the chip, images of tile memories (tiles.h)
 *   account/  memory, lives, cycles, profile (account.h)
 *   run/      interpreter.c    the instructions            copy_blocks.c      blocks to memory
 *             streams.c        host streams                callbacks.c        threads that call who they are
 *             remote_buffers.c remote buffers              connected to
 *             host_access.c    handles, initial values     print_tensor.c     PrintTensor
 *             ranks.c          messages between ranks    replicas.c         replicas with programs of their own
 *   .         engine.c life, load, run; options.c table of options; late_values.c values that need addresses;
 *             same_ranks.c whether all ranks have made the same */
#ifndef TW_ENGINE_ENGINE_H
#define TW_ENGINE_ENGINE_H

#include <assert.h>

#include "core/base/list.h"
#include "core/wire/wire.h"
#include "poplar/codelet/codelet.h"
#include "poplar/graph/graph.h"
#include <tilewright/poplar/engine.h>

/* --- plan/address_space.c ------------------------------------------------------------------------------------- */

#define TW__STORAGE_MARGIN 64 /* bytes readable past the last object: codelets may over-read by 32 */

/* place/tile_map.c: the storage as memories of tiles. */
typedef struct tw__tile_map tw__tile_map;
uint64_t tw__tile_map_bytes(const tw__tile_map *map); /* of the whole storage, a multiple of 64 */
uint64_t tw__tile_map_at(const tw__tile_map *map, uint32_t var, uint64_t element); /* byte of the storage */
/* Elements [*begin, *end) around this one lie side by side. */
void tw__tile_map_span(const tw__tile_map *map, uint32_t var, uint64_t element, uint64_t *begin, uint64_t *end);
/* Where the data of an edge lies; false: in a buffer that has to be filled and emptied. */
struct tw__edge;
bool tw__tile_map_edge(const tw__tile_map *map, const struct tw__edge *edge, uint64_t *at);

/* [base, base + bytes): variables in the order of the graph, then message buffers shared by all compute sets.
 * Reserved when the plan is made, usable (and all zero) after tw__storage_commit(). */
typedef struct tw__storage {
    char *base;
    size_t bytes;     /* of variables and buffers */
    size_t reserved;  /* whole pages incl. margin */
    uint64_t *offset; /* [variables] byte offset of element 0 */
    uint8_t *size;    /* [variables] bytes of a device element */
    size_t variables;
    size_t buffers;          /* offset of the message buffers */
    const tw__tile_map *map; /* memories of tiles instead of variables; NULL = none */
    bool committed;
} tw__storage;

/* --- copies --------------------------------------------------------------------------------------------------- */

/* n[0] x n[1] x n[2] elements, outer first: byte k of element (i, j, l) goes from src + i*ss[0] + j*ss[1] + l*ss[2]
 * to the same expression in ds. Offsets are relative to the bases given when the copy is run. */
typedef struct tw__block {
    int64_t src, dst;
    uint32_t n[3];
    uint16_t esize; /* bytes of an element */
    uint16_t form;  /* tw__block_form: chosen when the block is complete */
    int64_t ss[3], ds[3];
} tw__block;
static_assert(sizeof(tw__block) == 80, "at most 100 bytes for each strided run of a copy");

typedef enum tw__block_form {
    TW__BLOCK_BYTES,     /* contiguous on both sides */
    TW__BLOCK_ROWS,      /* innermost dimension contiguous on both sides */
    TW__BLOCK_FILL,      /* every source stride is 0 */
    TW__BLOCK_TRANSPOSE, /* contiguous on each side, along different dimensions */
    TW__BLOCK_STRIDED
} tw__block_form;

typedef struct tw__copy {
    tw__block *blocks;
    size_t count, room;
    uint64_t bytes;          /* moved */
    struct tw__links *links; /* messages of ranks; NULL: nothing crosses between any two of them */
} tw__copy;

/* What this rank and a peer exchange in a copy: gathered from the source into a message, scattered out of one. */
typedef struct tw__link {
    unsigned peer;
    tw__copy out, in; /* without links of their own */
    uint64_t out_bytes, in_bytes;
} tw__link;
typedef struct tw__links {
    tw__link *items;
    size_t count, room;
    tw__wire_part *out, *in;
    size_t outs, ins;
} tw__links;

/* One side of a copy: a region list over the storage, or memory that is contiguous from offset 0. */
typedef struct tw__side {
    const tw__regions *regions; /* NULL = contiguous */
    uint64_t first;             /* element of the flattened side where the copy starts */
    bool repeat;                /* without regions: one element, read again and again */
} tw__side;

/* Appends the blocks that move `count` elements of `esize` bytes. TW_E_NO_MEMORY. */
tw_status tw__copy_add(tw__copy *copy, const tw__storage *storage, tw__side src, tw__side dst, uint64_t count,
                       size_t esize);
/* The same for the tiles of this rank, with messages for what other ranks own; contiguous memory is rank 0's. */
tw_status tw__copy_between(struct tw_engine *engine, tw__copy *copy, tw__side src, tw__side dst, uint64_t count,
                           size_t size);
tw_status tw__links_finish(tw__links *links); /* plan/links.c */
void tw__links_free(tw__links *links);
/* A copy is complete: chooses forms, splits large blocks so that threads share them. */
tw_status tw__copy_finish(tw__copy *copy);
void tw__copy_free(tw__copy *copy);
void tw__copy_run(const tw__copy *copy, char *dst_base,
                  const char *src_base); /* run/copy_blocks.c; parallel when it pays */
/* run/ranks.c: with what crosses between ranks, which all of them call alike: `what` and `value` say what it is. */
tw_status tw__copy_move(const tw__copy *copy, char *dst_base, const char *src_base, const char *what,
                        uint64_t value);

/* --- compute sets --------------------------------------------------------------------------------------------- */

/* Vertices of one type on one tile, in creation order; states lie side by side with absolute pointers in them. */
typedef struct tw__group {
    tw__entry run;
    char *states;
    char *begin; /* the same as they were made; NULL = they have pointers only */
    uint32_t stride, count;
    uint32_t tile, type; /* type: index in core->types */
    uint32_t workers;    /* calls per vertex: 1, or numWorkers() of a MultiVertex */
    uint32_t reserved;
} tw__group;

typedef struct tw__exec {
    uint32_t cs;       /* compute set of the graph */
    tw__group *groups; /* sorted by tile, then type */
    size_t group_count;
    uint32_t *tile_first; /* [tile_count + 1] first group of each active tile */
    size_t tile_count;
    size_t own_first, own_end; /* active tiles of this rank */
    uint64_t vertices;
    tw__copy before, after;         /* gathers and scatters of message buffers; both bases are the storage */
    tw__copy fetch, bring;          /* of other ranks to their home addresses, and back what was written */
    struct tw__tile_exec *on_tiles; /* tiles/: some of its vertices are simulated; NULL = none */
    uint8_t parallel; /* 0 not known yet, 1 serial, 2 parallel: decided by the time of the first run */
} tw__exec;

/* --- streams and remote buffers ------------------------------------------------------------------------------- */

/* One stream copy, or a piece of one that is above the limit (docs/decisions.md, G2). */
typedef struct tw__part {
    uint32_t stream;       /* in core->streams */
    uint32_t program;      /* in core->programs */
    uint64_t first, count; /* elements of the stream */
    bool begins, ends;     /* first and last piece of the copy: fetch before, complete after */
    tw__copy copy;         /* between a contiguous device-format buffer and the storage */
} tw__part;

/* Stream copies of one direction that share a host sync. */
typedef struct tw__transfer {
    bool to_device;
    tw__part *parts;
    size_t count, room;
    uint64_t bytes; /* device format */
    bool meets;     /* replicas wait for each other */
} tw__transfer;

typedef struct tw__remote_copy {
    uint32_t remote, program;
    bool to_device;
    tw__copy *rows;        /* [row_count] between the memory of a row and the storage */
    uint32_t row_count;    /* one for each offset; 1 without offsets */
    tw__copy offsets;      /* to contiguous uint32 */
    uint32_t offset_count; /* 0: row 0 */
} tw__remote_copy;

typedef struct tw__remote_state {
    const char *handle;
    tw_type type;
    uint64_t count; /* elements of a row */
    char *rows;     /* repeats x row_bytes, device format, reserved and committed lazily */
    size_t row_bytes, reserved;
    uint64_t repeats;
    bool used; /* by one of the programs */
} tw__remote_state;

struct tw__stream_state; /* run/streams.c */

/* A copy between replicas that exist as such only: out of the storage of each into a message, and out of one into the
 * storage of another. */
typedef struct tw__cross {
    tw__copy out, in;
    uint64_t bytes;
    const tw__case *to; /* [core->created] */
} tw__cross;

/* --- instructions --------------------------------------------------------------------------------------------- */

/* X(name, operands). a = index of the payload; to = instruction to jump to; at = byte offset in the storage. */
#define TW__OPCODES(X)                                                       \
    X(END, "end of a program")                                               \
    X(EXECUTE, "execs[a]")                                                   \
    X(EXECUTE_ALL, "execs[a]; AND of the results to the scalar at")          \
    X(COPY, "copies[a]")                                                     \
    X(CROSS, "crosses[a]: between replicas that wait for each other")        \
    X(TRANSFER, "transfers[a]: streams")                                     \
    X(REMOTE, "remote_copies[a]")                                            \
    X(SYNC, "nothing to do in one process; a step")                          \
    X(LOOP, "slot[a] = imm; to when it is 0")                                \
    X(NEXT, "--slot[a]; to when it is not 0")                                \
    X(JUMP, "to")                                                            \
    X(JUMP_TRUE, "to when the scalar at is not 0")                           \
    X(JUMP_FALSE, "to when the scalar at is 0")                              \
    X(SWITCH, "switches[a] on the scalar at")                                \
    X(CALL, "push the next instruction, to")                                 \
    X(RETURN, "pop")                                                         \
    X(FOR_SET, "scalar at = imm")                                            \
    X(FOR_ADD, "scalar at += imm")                                           \
    X(FOR_TEST, "to unless scalar at < scalar fors[a].limit_at")             \
    X(PRINT, "prints[a]")                                                    \
    X(ABORT, "texts[a]")                                                     \
    X(ABORT_IF, "texts[a] when the scalar at is not 0")                      \
    X(ERROR, "texts[a] and prints[imm]")                                     \
    X(NOTHING, "a step without work: WriteUndef, AssumeEqualAcrossReplicas") \
    X(STAMP, "the clock to words at and imm; a: less what they hold")

typedef enum tw__opcode {
#define TW__OPCODE_ENUM(name, text) TW__I_##name,
    TW__OPCODES(TW__OPCODE_ENUM)
#undef TW__OPCODE_ENUM
        TW__I_COUNT
} tw__opcode;

typedef struct tw__instr {
    uint8_t op;       /* tw__opcode */
    uint8_t type;     /* tw_type of the scalar at */
    uint8_t straight; /* LOOP: the body is straight line, no branch on data */
    uint8_t pad;
    uint32_t a;
    uint32_t to;
    uint32_t step; /* plan step, TW__NO_STEP for control without one */
    union {
        uint64_t at;
        int64_t imm;
    } u;
    int64_t imm;
    uint32_t owner; /* rank that has the scalar at */
} tw__instr;
#define TW__NO_STEP UINT32_MAX

typedef struct tw__switch { /* cases sorted by value */
    struct tw__switch_case {
        int32_t value;
        uint32_t to;
    } *cases;
    uint32_t count, otherwise; /* otherwise: TW__NO_STEP = bounds checked, an error */
    uint32_t program;
} tw__switch;

typedef struct tw__for {
    uint64_t limit_at;
    uint8_t limit_type;
    uint32_t limit_owner;
} tw__for; /* limit from a tensor */

typedef struct tw__print {
    const char *title; /* "" = none */
    tw_type type;
    uint32_t rank;
    const size_t *shape;
    uint64_t count;
    tw__copy copy; /* storage to contiguous */
    tw_print_format format;
} tw__print;

/* --- plan steps: what account*.c gives memory and cycles to --------------------------------------------------- */

typedef enum tw__plan_kind {
    TW__S_EXECUTE,  /* execs[payload] */
    TW__S_COPY,     /* copies[payload]: one or more Copy programs, independent of each other */
    TW__S_CROSS,    /* crosses[payload] */
    TW__S_TRANSFER, /* transfers[payload] */
    TW__S_REMOTE,   /* remote_copies[payload] */
    TW__S_SYNC,     /* explicit Sync program; payload = tw_sync_type */
    TW__S_BRANCH,   /* a predicate or switch value is read and broadcast; payload = program */
    TW__S_PRINT,
    TW__S_ABORT,
    TW__S_NOTHING /* WriteUndef, AssumeEqual, stamps of the clock */
} tw__plan_kind;

typedef struct tw__plan_step {
    uint8_t kind; /* tw__plan_kind */
    uint32_t payload;
    uint32_t first_program, programs; /* plan->step_programs[first_program ..): indices into core->programs */
} tw__plan_step;

typedef struct tw__plan {
    tw__storage storage;
    TW__LIST(tw__instr) code;
    TW__LIST(uint32_t) entries; /* [programs given to the engine] first instruction */
    TW__LIST(tw__exec) execs;
    TW__LIST(tw__copy) copies;
    TW__LIST(tw__cross) crosses;
    TW__LIST(tw__transfer) transfers;
    TW__LIST(tw__remote_copy) remote_copies;
    TW__LIST(tw__switch) switches;
    TW__LIST(tw__for) fors;
    TW__LIST(tw__print) prints;
    TW__LIST(const char *) texts;
    TW__LIST(tw__plan_step) steps;
    TW__LIST(uint32_t) step_programs;
    bool stamped;   /* a program asks for the clock */
    uint32_t slots; /* loop counters */
    uint32_t call_depth;
    uint64_t *counters;              /* [slots] */
    uint32_t *calls;                 /* [call_depth] */
    uint64_t copy_blocks;            /* of copies, those of all ranks */
    uint64_t buffer_bytes;           /* message buffers: the largest compute set */
    bool *stream_used;               /* [core->stream_count] by any program */
    bool *stream_rearranged;         /* [core->stream_count] a copy of it is not one contiguous run */
    uint32_t *program_streams;       /* streams of engine program i: [first[i], first[i+1]) */
    uint32_t *program_streams_first; /* [programs + 1] */
} tw__plan;

/* --- the engine ----------------------------------------------------------------------------------------------- */

typedef struct tw__image { /* initial values of some elements */
    tw__regions *regions;  /* referenced; NULL = all of the variable */
    const void *values;    /* host format; lives as long as the core */
    uint32_t var;
    uint64_t count;          /* elements of the variable */
    bool broadcast, replica; /* replica: the value is the engine's own */
    tw_type type;
} tw__image;

typedef struct tw__handle { /* host access */
    const char *name;
    tw_type type;
    uint64_t count;
    bool write, read;
    tw__copy in, out; /* contiguous device format <-> storage */
} tw__handle;

typedef struct tw__load { /* bytes for the storage; they live as long as the engine */
    uint64_t at;
    const void *bytes;
    size_t size;
} tw__load;

/* Who owns which tiles (plan/owners.c). */
typedef struct tw__ranks {
    unsigned rank, size;  /* size 1: alone, or every rank does everything */
    uint32_t *first_tile; /* [size + 1] of each rank */
    bool verifies;        /* mpi.verify: every rank does everything and compares */
} tw__ranks;

struct tw_engine {
    tw__ranks ranks;
    tw__core *core;          /* referenced */
    tw__codelets *codelets;  /* referenced */
    const tw_target *target; /* of the core */
    tw__arena *arena;        /* plan: states, names; until the engine is freed */
    tw__options *options;
    tw_error misuse;    /* first failure of a call that names a stream, tensor or buffer; the engine stays usable */
    char *misused;      /* its message */
    uint32_t *programs; /* core programs given */
    size_t program_count;
    tw__plan plan;
    TW__LIST(tw__image) images;
    TW__LIST(tw__handle) handles;
    struct tw__stream_state *streams; /* [core->stream_count at compile time], for each replica that is created */
    struct tw__callbacks *callbacks;  /* run/callbacks.c; NULL: no threads */
    size_t stream_count;
    tw__remote_state *remotes;
    size_t remote_count;
    bool prepared, loaded;
    bool stored_halves;        /* tw_engine_set_stored_halves() */
    FILE *print_out;           /* NULL = stderr */
    const char **stream_names; /* NULL-terminated */
    char *scratch;             /* device-format staging of host access and transfers, grown on demand */
    size_t scratch_bytes;
    tw__random *random;              /* [tiles] random number generators; NULL when no codelet draws */
    struct tw__account *account;     /* account/account.c; NULL on the CPU device */
    struct tw__placement *placement; /* the account's; NULL on the CPU device */
    TW__LIST(tw__load) loads;        /* what load writes into memories of tiles beside values */
    uint32_t *state_at;              /* [vertices] address of the state of simulated ones; while compiling */
    struct tw__tile_sims *sims;      /* simulators of tiles; NULL = none */
    tw__tile_map *tiles;             /* memories of tiles; NULL: variables are all that there is */
    struct tw__chip_code *chip;      /* tiles/code.c; NULL: no vertex has code of the chip */
    char *fault;                     /* native/faults.c: of the vertex on the lowest tile; NULL = none */
    uint32_t fault_tile;
    const struct tw_debugger *debugger; /* debugger.c; NULL: none */
    size_t debugged;                    /* the step that runs, while there is one */
    struct tw__saves *saves;            /* run/checkpoint.h; NULL: nothing is saved or resumed */
    uint64_t runs;                      /* begun since it was made */
    struct tw_engine
        *replicas;    /* [core->created] run/replicas.c; NULL: the graph does not exist as replicas only */
    unsigned replica; /* of one of those: its index */
    bool elsewhere;   /* of one of those: another rank has it */
    bool verifies;    /* debug.runtimeVerify */
    bool tracing;     /* steps are reported to the account */
    int threads;      /* OpenMP threads of a parallel step */
};

/* Neither NULL nor in error. */
static inline tw_status tw__engine_usable(const tw_engine *engine)
{
    return engine ? TW_OK : tw__missing("engine");
}
/* run/host_access.c: keeps the failure of a call that names something, for those who look once at the end; returns
 * `status`. */
tw_status tw__engine_note(tw_engine *engine, tw_status status, const char *function);

static inline tw__arch tw__chip_of(const tw_target *target)
{
    return target->chip == TW_MK1 ? TW__ARCH_IPU1 : target->chip == TW_MK21 ? TW__ARCH_IPU21 : TW__ARCH_IPU2;
}

/* options.c */
extern const tw__option_desc tw__engine_options[];
extern const size_t tw__engine_option_count;
tw_status tw__options_read(tw_engine *engine, const char *const *options); /* "key=value", then the environment */

/* plan/address_space.c */
/* Offsets, no memory yet; `map` may be NULL. */
tw_status tw__storage_plan(tw__storage *storage, const tw__core *core, const tw__tile_map *map);
tw_status tw__storage_reserve(tw__storage *storage, uint64_t buffer_bytes);
tw_status tw__storage_again(tw__storage *storage); /* one more range of that size; the old one belongs to another */
uint64_t tw__host_bytes(void);                     /* memory of this machine */
tw_status tw__storage_fits(const tw__storage *storage, uint64_t copies);
tw_status tw__storage_commit(tw__storage *storage); /* usable and all zero; again: zeroes everything */
void tw__storage_free(tw__storage *storage);
static inline uint64_t tw__storage_at(const tw__storage *s, uint32_t var, uint64_t element)
{
    return s->map ? tw__tile_map_at(s->map, var, element) : s->offset[var] + element * s->size[var];
}
/* Byte offset of the only element of an operand. */
uint64_t tw__operand_at(const tw__storage *storage, const tw__operand *operand);

/* plan/owners.c */
tw_status tw__owners_new(tw_engine *engine);                /* starts the wire when a launcher is there */
unsigned tw__owner(const tw_engine *engine, uint32_t tile); /* rank; 0 for what is not mapped */
unsigned tw__owner_of_element(const tw_engine *engine, uint32_t var, uint64_t element);
unsigned tw__owner_of_scalar(const tw_engine *engine, const tw__operand *scalar);
void tw__own_tiles(const tw_engine *engine, tw__exec *exec); /* own_first and own_end */
/* plan/links.c: fetch and bring of a compute set */
tw_status tw__link_compute_set(tw_engine *engine, uint32_t cs, tw__exec *exec);

/* same_ranks.c, run/ranks.c: calls of all ranks; alone they do nothing */
tw_status tw__ranks_same_graph(const tw_engine *engine); /* fails with the first object that differs */
uint64_t tw__graph_hash(const tw_engine *engine);        /* of the graph, and of what its variables lie at */
tw_status tw__ranks_share(const tw_engine *engine, const char *what, void *bytes, size_t size); /* from rank 0 */
tw_status tw__ranks_scalar(const tw_engine *engine, unsigned owner, int64_t *value);
tw_status tw__ranks_measured(tw_engine *engine, const tw__exec *exec);
tw_status tw__ranks_verify(const tw_engine *engine); /* after a run */

/* plan/control_flow.c, plan/vertex_groups.c */
tw_status tw__lower(tw_engine *engine);
/* Message buffers that a compute set needs, at most; then its groups, once the storage has been reserved. */
uint64_t tw__compute_set_buffer_bytes(const tw_engine *engine, uint32_t cs);
tw_status tw__lower_compute_set(tw_engine *engine, uint32_t cs, tw__exec *exec);
/* The groups of `from`, whose storage begins at `base`, over the storage of this engine; copies are shared. No state
 * has been changed yet. */
tw_status tw__exec_again(tw_engine *engine, const tw__exec *from, const char *base, tw__exec *exec);
/* What vertices of the host have kept in their states since the engine was made is gone. */
void tw__states_begin(const tw_engine *engine);
tw_status tw__late_values(tw_engine *engine);        /* late_values.c */
tw_status tw__engine_lower_again(tw_engine *engine); /* engine.c: the same plan, of what the graph holds now */
tw_status tw__bind_entries(tw_engine *engine);       /* tiles/vertices.c: native code of every group */
void tw__offer_math(void);                           /* tiles/math.c: functions for codelets loaded from now on */
void tw__plan_free(tw__plan *plan);

/* tiles/run.c: vertices of active tile `index` of an exec whose on_tiles is set; whether all returned true. Several
 * threads at once, each for its tile. Faults are kept: the first, by tile, is what tw__tile_fault() fails with. */
bool tw__tile_run(tw_engine *engine, const tw__exec *exec, size_t index);
tw_status tw__tile_fault(tw_engine *engine);
void tw__tile_load(tw_engine *engine); /* code and states into the storage, simulators as at first */
void tw__tile_sims_free(struct tw__tile_sims *sims);

/* native/faults.c: native vertices of a tile, in groups [group, end); whether all returned true. Those that fault are
 * kept for tw__vertex_fault(), which fails with the first of them, by tile. */
bool tw__guarded_run(tw_engine *engine, uint32_t cs, const tw__group *group, const tw__group *end);
/* Likewise the one vertex of the group whose state that is. */
bool tw__guarded_one(tw_engine *engine, uint32_t cs, const tw__group *group, const char *state);
tw_status tw__vertex_fault(tw_engine *engine);
void tw__faults_begin(void); /* before a run */

/* debugger.c: the debugger of engines that are made now, which the engine keeps. The first call loads the one that
 * `tilewright run --debug` asks for. */
tw_status tw__take_debugger(tw_engine *engine);

/* checkpoint.c: what the environment asks of the first engine; then, before run number `runs`. */
tw_status tw__saves_asked(tw_engine *engine);

/* run/interpreter.c */
extern const char *const tw__opcode_names[];
tw_status tw__execute(tw_engine *engine, unsigned program);

/* run/replicas.c: graphs that exist as replicas only. The engine is the plan; each replica is an engine of its own
 * beside it that shares the plan and has states, storage, streams and buffers of its own. */
tw_status tw__replicas_new(tw_engine *engine); /* nothing to do for other graphs; so for those below */
void tw__replicas_free(tw_engine *engine);
tw_status tw__replicas_prepare(tw_engine *engine);
tw_status tw__replicas_load(tw_engine *engine);
tw_status tw__replicas_execute(tw_engine *engine, unsigned program);
unsigned tw__replica_rank(const tw_engine *engine, unsigned replica); /* the rank that has it */
/* [*begin, *end): replicas of this rank, all that there are where each rank has everything. */
void tw__replicas_own(const tw_engine *engine, unsigned *begin, unsigned *end);
/* How often a handle of the graph exists: 1, or once for each replica. */
static inline unsigned tw__replica_count(const tw_engine *engine)
{
    return engine->core->created ? engine->core->created : 1;
}
/* Bytes that the replica's rank has, to all ranks. */
tw_status tw__replica_share(const tw_engine *engine, unsigned replica, const char *what, void *bytes, size_t size);

/* run/streams.c */
tw_status tw__streams_new(tw_engine *engine);
void tw__streams_free(tw_engine *engine);
tw_status tw__streams_check(tw_engine *engine, unsigned program); /* all used are connected */
void tw__streams_begin(tw_engine *engine, unsigned program);      /* prefetch what may be prefetched */
void tw__streams_end(tw_engine *engine);                          /* nothing is under way any more */
/* A callback that threads do not call: what it does has to do with other streams. */
tw_status tw__connect_in_order(tw_engine *engine, const char *handle, const tw_stream_callback *callback);
tw_status tw__transfer_run(tw_engine *engine, tw__transfer *transfer);
/* The same for all replicas, which wait for each other; `engine` is what they share. */
tw_status tw__transfer_run_all(tw_engine *engine, tw__transfer *transfer);
/* One for all replicas of a graph that exists as replicas only. */
static inline bool tw__stream_shared(const tw__stream *stream)
{
    return stream->to_device && stream->mode == TW_STREAM_BROADCAST;
}
struct tw__stream_state *tw__streams_of(const tw_engine *engine, unsigned replica); /* [stream_count] */
bool tw__stream_prefetches(const tw_engine *engine, uint32_t stream);
/* Bytes of one transfer; false when there is no such stream. */
bool tw__stream_bytes(const tw_engine *engine, const char *handle, size_t *bytes);

/* run/remote_buffers.c */
tw_status tw__remotes_new(tw_engine *engine);
tw_status tw__remotes_reset(tw_engine *engine); /* at load: memory, all zero */
void tw__remotes_free(tw_engine *engine);
tw_status tw__remote_run(tw_engine *engine, tw__remote_copy *copy);

/* run/host_access.c */
tw_status tw__host_access_new(tw_engine *engine);
tw_status tw__images_new(tw_engine *engine);
tw_status tw__images_write(tw_engine *engine);
char *tw__scratch(tw_engine *engine, size_t bytes); /* NULL: out of memory */

/* run/print_tensor.c */
tw_status tw__print_run(tw_engine *engine, const tw__print *print);
/* Formats `values` (host format, row-major) as Poplar API, PrintTensor says. */
void tw__print_values(FILE *out, const char *title, tw_type type, uint32_t rank, const size_t *shape,
                      const void *values, const tw_print_format *format);

/* run/scalars.c: predicates, counters */
int64_t tw__scalar_get(tw_type type, const void *at);
void tw__scalar_set(tw_type type, void *at, int64_t value);

/* --- edges/exchange.c: who sends what to whom, streamed, never stored --------------------------------------- */

/* A run of elements that leaves one tile's memory for another's (or stays: src_tile == dst_tile). */
typedef struct tw__piece {
    uint32_t src_tile, dst_tile; /* TW_UNMAPPED = the host, or an unmapped element */
    uint32_t src_var, dst_var;   /* UINT32_MAX: not a variable */
    uint64_t src, dst;           /* first element in its variable */
    int64_t src_stride, dst_stride;
    uint64_t count; /* elements */
} tw__piece;

/* Walks two region lists of equal size side by side, split where either mapping changes tile. A NULL list is a
 * contiguous place on `src_tile` / `dst_tile` (host side of a stream; message buffer of a vertex: its tile). */
typedef struct tw__exchange_walk {
    const tw__core *core;
    bool has_src, has_dst;
    tw__region_walk src, dst;
    tw__elems s, d;        /* what is left of the current runs */
    size_t s_hint, d_hint; /* mapped intervals found last */
    uint32_t src_tile, dst_tile;
    uint64_t src_pos, dst_pos; /* elements done, for contiguous sides */
    uint64_t left;
} tw__exchange_walk;
tw__exchange_walk tw__exchange_begin(const tw__core *core, const tw__regions *src, uint32_t src_tile,
                                     const tw__regions *dst, uint32_t dst_tile, uint64_t first, uint64_t count);
bool tw__exchange_next(tw__exchange_walk *walk, tw__piece *piece);

/* Region list of an edge: its own, or `room` filled from the inline form. room must live as long as the result. */
typedef struct tw__edge_list {
    tw__regions list;
    tw__region region;
    uint64_t first[2];
} tw__edge_list;
const tw__regions *tw__edge_regions(const tw__edge *edge, tw__edge_list *room);

/* --- edges/estimate.c ----------------------------------------------------------------------------------------- */

/* Estimate of a vertex: set on it, by its type's estimator, or modelled (then *modelled = true). docs/decisions.md,
 * G7. */
tw_perf_estimate tw__vertex_cycles(const tw__core *core, uint32_t vertex, bool *modelled);

/* --- edges/elements.c ----------------------------------------------------------------------------------------- */

size_t tw__host_size(tw_type type); /* bytes of an element in host format */
size_t tw__device_size(const tw_engine *engine, tw_type type);
/* Contiguous elements between host format and device format: half may take 2 and 4 bytes (docs/decisions.md, G3). */
void tw__host_to_device(const tw_engine *engine, tw_type type, void *device, const void *host, uint64_t count);
void tw__device_to_host(const tw_engine *engine, tw_type type, void *host, const void *device, uint64_t count);
/* The same for host accesses, streams and remote rows, whose halves may be as the device has them
 * (tw_engine_set_stored_halves). */
size_t tw__transfer_size(const tw_engine *engine, tw_type type);
void tw__transfer_in(const tw_engine *engine, tw_type type, void *device, const void *host, uint64_t count);
void tw__transfer_out(const tw_engine *engine, tw_type type, void *host, const void *device, uint64_t count);

/* --- account/: memory, cycles and profile ------------------------------- */

/* After lowering, before storage is reserved; only for targets with tiles. May log and may fail:
 * TW_E_TILE_MEMORY names the tile, what fills it and the excess (docs/decisions.md, G4). Everything needed later is
 * copied: the graph may change. */
tw_status tw__account_new(tw_engine *engine);
tw_status tw__syncs_check(const tw_engine *engine); /* opt.enableSwSyncs and what excludes it (guide 2.7.3) */
void tw__account_free(struct tw__account *account); /* NULL is fine */
/* A run begins and ends; `name` "" when not given. engine->tracing is set by begin when steps are wanted. */
void tw__account_run_begin(tw_engine *engine, const char *name);
void tw__account_run_end(tw_engine *engine, double microseconds);
/* Cycles of all steps that were executed since the engine was made; only plans with stamps count them. */
uint64_t tw__account_clock(const tw_engine *engine);
/* Plan step was executed. Called only when engine->tracing. */
void tw__account_step(tw_engine *engine, uint32_t step);
/* The same for a step whose exec has measured cycles, once it has run. */
void tw__account_measured(tw_engine *engine, uint32_t step, const tw__exec *exec);
/* A straight-line loop: the instructions [first, last) with their nested loops were executed `times` times in a
 * row. The executor reports nothing from inside. */
void tw__account_loop(tw_engine *engine, uint32_t first, uint32_t last, uint64_t times);
/* The same for the last `rounds` rounds of the straight loop at instruction `loop`, as far as a run has come that
 * stands within them, before instruction `stop`. */
void tw__account_cut(tw_engine *engine, uint32_t loop, uint64_t rounds, uint32_t stop);
const tw_profile *tw__account_profile(tw_engine *engine);
void tw__account_reset(tw_engine *engine);
void tw__account_enable(tw_engine *engine, bool on);

#endif
