/* SPDX-License-Identifier: MIT */
/* profile, private side: how a machine writes a profile, and how its parts are stored.
 *
 *     p = tw__profile_new(&target);                       // graph part, while compiling
 *     tw__profile_set_memory(p, memory, TW_FIDELITY_MODELLED);
 *     id = tw__profile_add_step(p, &(tw__step_desc){...});  // plan steps in plan order: ids count from 0
 *     tw__profile_run_begin(p, "");                       // execution part, while running
 *     tw__profile_step(p, id);                            // about a nanosecond
 *     tw__profile_run_end(p, microseconds);
 *
 * The writer is sticky: the first failure (out of memory, an id out of range) is kept, later calls do nothing, and
 * tw__profile_status() returns it. Figures that depend on the tile belong to the plan step and are stored once, as
 * packed rows; what was executed is a compressed trace of step ids. Nothing is expanded before somebody reads. */
#ifndef TW_PROFILE_PROFILE_H
#define TW_PROFILE_PROFILE_H

#include <tilewright/profile.h>
#include "core/base/list.h"
#include "core/tile/tile.h"

#define TW__NONE UINT32_MAX /* no program, compute set, exchange, ... */

/* --- rows.c: strings and rows of one value per tile, each distinct one stored once ---------------------------- */

typedef uint32_t tw__name; /* index into tw_profile.names; 0 = "" */
typedef uint32_t tw__row;  /* index into tw_profile.rows; 0 = not recorded */

typedef struct tw__row_info {
    size_t at; /* first byte of the packed form (rows.c) */
    uint32_t bytes;
    uint32_t tiles;
    uint32_t active; /* tiles with a value other than 0 */
    uint64_t sum, max;
} tw__row_info;

/* Hash of interned things: open addressing on ids; `id` counts from 1, 0 = free. */
typedef struct tw__slot {
    uint32_t hash, id;
} tw__slot;
typedef struct tw__index {
    tw__slot *slots;
    size_t room, count;
} tw__index;

tw__name tw__profile_name(tw_profile *p, const char *text); /* NULL = "" */
tw__name tw__profile_name_n(tw_profile *p, const char *text, size_t length);
tw__row tw__profile_row(tw_profile *p, const uint64_t *by_tile, uint32_t tiles);
/* A row from runs of equal tiles, in tile order; tiles left out at the end are 0. One row at a time. */
void tw__profile_row_begin(tw_profile *p);
void tw__profile_row_add(tw_profile *p, uint32_t tiles, uint64_t value);
tw__row tw__profile_row_end(tw_profile *p);
/* Unpacks into out[tiles], padding with 0. False when the row is 0 (not recorded): out is all 0 then. */
bool tw__profile_row_read(const tw_profile *p, tw__row row, uint64_t *out, uint32_t tiles);
/* The runs of equal tiles in a row, in tile order: costs what the row is packed in, not its tiles. */
typedef struct tw__row_cursor {
    const uint8_t *at, *end;
    uint64_t value;
} tw__row_cursor;
tw__row_cursor tw__profile_row_cursor(const tw_profile *p, tw__row row);
bool tw__profile_row_next(tw__row_cursor *cursor, uint32_t *tiles, uint64_t *value); /* false: no more */

/* --- leave.c: programs that are run for their profile ----------------------------------------------------------- */

/* Whether TILEWRIGHT_PROFILE names a file: whoever frees an engine or an array then calls tw__profile_leave(). */
bool tw__profile_wanted(void);
/* From the birth of such an owner to its end: at the end of the process `leave` is called for those that are left. */
typedef void tw__leave_func(void *owner);
void tw__profile_expect(void *owner, tw__leave_func *leave);
void tw__profile_forget(void *owner);
/* Writes the profile to that file, unless one of this process with more cycles was written before; says why not. */
void tw__profile_leave(tw_profile *p);
/* Its fact "program" from TILEWRIGHT_PROGRAM, by which commands that run programs say which one it is. */
void tw__profile_set_program(tw_profile *p);

/* --- write.c: the graph part ---------------------------------------------------------------------------------- */

typedef struct tw__profile_target {
    const char *type;                       /* "IPU_MODEL", "IPU", "CPU", or another machine's name */
    const char *arch;                       /* "ipu2"; may be NULL */
    const char *chip, *model;               /* of tw_band; NULL = arch, the machine's only model */
    uint32_t ipus, tiles_per_ipu, replicas; /* replicas: at least 1 */
    uint32_t copies; /* replicas that are alike, of which the profile has one; 0: it has all */
    uint64_t bytes_per_tile;
    double clock_hz;
    uint32_t min_sync_delay;
} tw__profile_target;

tw_profile *tw__profile_new(const tw__profile_target *target); /* NULL when out of memory; strings are copied */
tw_status tw__profile_status(const tw_profile *p);             /* the first failure of the writer */
/* What whoever reads a profile asks first: nothing was lost while it was written, and the parts are there. `verb`:
 * there is no graph profile to <verb>. */
/* Guide 8.2.3: the environment, then the option; else a terminal that has colours. */
static inline bool tw__profile_use_colours(FILE *out, tw_colours colours)
{
    return tw__use_colours(out, colours == TW_COLOURS_AUTO ? -1 : colours == TW_COLOURS_ON);
}
tw_status tw__profile_has(const tw_profile *p, bool graph, bool execution, const char *verb);
/* Threads of a tile whose cycles add up in tw__type_cycles.cycles, each up to the tile's own; 1 unless set. */
void tw__profile_set_threads(tw_profile *p, uint32_t threads);
void tw__profile_set_sync_delays(tw_profile *p, tw__row by_tile_of_one_ipu); /* relative to the minimum */
void tw__profile_set_counts(tw_profile *p, uint64_t vertices, uint64_t edges, uint64_t variables,
                            uint64_t compute_sets);
void tw__profile_add_optimization(tw_profile *p, const char *name, double value); /* compiler statistic */
/* The name of one: what cores loaded from the memory that they share, and stored there. */
#define TW__SHARED_MEMORY_BYTES "bytes to and from global memory"

uint32_t tw__profile_add_vertex_type(tw_profile *p, const char *name, uint64_t state_bytes); /* once per name */
uint32_t tw__profile_add_compute_set(tw_profile *p, const char *name);
void tw__profile_add_vertices(tw_profile *p, uint32_t compute_set, uint32_t vertex_type, uint64_t count);

typedef enum tw__exchange_kind {
    TW__EXCHANGE_INTERNAL,
    TW__EXCHANGE_GLOBAL,
    TW__EXCHANGE_HOST,
    TW__EXCHANGE_KINDS
} tw__exchange_kind;
typedef struct tw__exchange {
    tw__row sent, received, cycles, code;
    /* Stands for the data that it moves, from where to where, and for the moment it was last written: two exchanges
     * of one number move the same twice. 0 = not known. */
    uint64_t content;
} tw__exchange;
enum { TW__CONTENT_BITS = 53 }; /* of a content: what JSON's numbers hold */
/* Numbered from 0 within its kind. */
uint32_t tw__profile_add_exchange(tw_profile *p, tw__exchange_kind kind, tw__exchange exchange);

/* The program tree: a parent before its children; TW__NONE = a root. `index`: compute set of OnTileExecute, exchange
 * of the exchanges, else TW__NONE. `count`: of Repeat, else 0. */
uint32_t tw__profile_add_program(tw_profile *p, tw_program_type type, const char *name, uint32_t parent,
                                 uint32_t index, uint64_t count);

/* All categories of a machine's sums. Gaps and sharing of addresses stay absent until tw__profile_set_placement(). */
void tw__profile_set_memory(tw_profile *p, const tw__memory *memory, tw_fidelity fidelity);
/* One category, also one of a machine's own (key "routes", label "Routing tables"); label NULL = the key. */
void tw__profile_add_memory(tw_profile *p, const char *key, const char *label, tw__memory_region region,
                            tw__memory_overlap overlap, tw__row by_tile, tw_fidelity fidelity);
void tw__profile_set_category_fidelity(tw_profile *p, const char *key,
                                       tw_fidelity fidelity); /* ABSENT: not counted */
/* After placement: bytes used with and without gaps, and by region (addresses shared in time counted once). */
void tw__profile_set_placement(tw_profile *p, tw__row total, tw__row total_with_gaps,
                               const tw__row by_region[TW__MEMORY_REGIONS]);

typedef enum tw__vertex_bytes {
    TW__VERTEX_BYTES_STATE,
    TW__VERTEX_BYTES_EDGE,
    TW__VERTEX_BYTES_COPY,
    TW__VERTEX_BYTES_PADDING,
    TW__VERTEX_BYTES_DESCRIPTOR,
    TW__VERTEX_BYTES_CODE,
    TW__VERTEX_BYTES_KINDS
} tw__vertex_bytes;
void tw__profile_set_vertex_bytes(tw_profile *p, uint32_t vertex_type, tw__vertex_bytes kind, tw__row by_tile);

/* Liveness. Variables of one name are added up. `always_live_by_tile` and `max_by_tile` may be 0. */
void tw__profile_add_always_live(tw_profile *p, const char *variable, uint64_t bytes);
void tw__profile_set_liveness(tw_profile *p, tw__row always_live_by_tile, tw__row max_by_tile,
                              uint64_t max_bytes /* not always live, over all tiles at the worst program */);
/* What is live, beside the always-live variables, while a leaf program runs. Any order; stored packed (about 4 bytes
 * per variable), equal lists once. */
typedef struct tw__live_var {
    tw__name name;
    uint64_t bytes;
} tw__live_var;
void tw__profile_set_live(tw_profile *p, uint32_t program, const tw__live_var *vars, size_t count);
/* The bytes of each tile in that list, with what the program itself needs. */
void tw__profile_set_live_tiles(tw_profile *p, uint32_t program, tw__row by_tile);
/* Fidelity of the placed totals, and of liveness; EXACT unless set. */
void tw__profile_set_memory_fidelity(tw_profile *p, tw_fidelity totals, tw_fidelity liveness);

/* --- learn.c: where things are, what ran when, who waited for whom ---------------------------------------------- */

/* A fact about the program or the run, in words: "program" = "heat", "arguments", "options", ... */
void tw__profile_set_fact(tw_profile *p, const char *key, const char *value);
/* Tiles of a chip on a grid: tile t of the chip lies in row t / columns and column t % columns, or the other way
 * round. */
void tw__profile_set_grid(tw_profile *p, uint32_t columns, uint32_t rows, bool column_major);
/* A memory of each tile that has a limit of its own. `category`: key of the category whose bytes lie in it. */
void tw__profile_add_memory_limit(tw_profile *p, const char *category, uint64_t bytes);

/* Lanes are what is drawn under each other: a pipe of a core, the kernel of a tile, a worker. */
uint32_t tw__profile_add_lane(tw_profile *p, uint32_t tile, const char *name);
typedef struct tw__interval_desc {
    uint32_t lane;
    uint64_t from, to; /* cycles */
    const char *name;  /* what ran; of a wait, what would have run */
    const char *cause; /* NULL = it worked; else what it waited for: "lock", "stream", "flag", "exchange" */
    uint32_t partner;  /* lane that was waited for, or TW__NONE */
    const char *file;  /* where the source has it; NULL = not known */
    uint32_t line;
} tw__interval_desc;
enum { TW__MOST_INTERVALS = 1 << 20 }; /* what comes later is counted, not kept */
void tw__profile_add_interval(tw_profile *p, const tw__interval_desc *desc);
void tw__profile_omit_intervals(tw_profile *p, uint64_t count);
/* Cycles that a tile waited in all, by cause; for machines that count waits without a timeline. */
void tw__profile_add_wait(tw_profile *p, uint32_t tile, const char *cause, uint32_t partner_tile, uint64_t cycles);

/* --- what moves through a grid of tiles ------------------------------------------------------------------------- */

/* Sides of a tile, as bits of tw__profile_add_route(). Rows count to the south. */
enum { TW__SIDE_WEST = 1, TW__SIDE_EAST = 2, TW__SIDE_SOUTH = 4, TW__SIDE_NORTH = 8, TW__SIDE_TILE = 16 };
enum { TW__MOST_ROUTES = 1 << 18, TW__MOST_STUCK = 1 << 12 };
/* Data of a color that comes to a tile from these sides goes on to those. */
void tw__profile_add_route(tw_profile *p, uint32_t tile, uint32_t color, uint32_t from, uint32_t to);

/* What a tile did in a stretch of time. Of the links: words that left; else cycles. */
typedef enum tw__flow_kind {
    TW__FLOW_WEST,
    TW__FLOW_EAST,
    TW__FLOW_SOUTH,
    TW__FLOW_NORTH,
    TW__FLOW_CODE,   /* instructions of its own */
    TW__FLOW_DATA,   /* operations on vectors; color: of their words, TW__NO_COLOR = in memory */
    TW__FLOW_WANTS,  /* an operation waited for words of a color */
    TW__FLOW_FULL,   /* ... for room for words of a color */
    TW__FLOW_BUFFER, /* ... for a buffer within the tile */
    TW__FLOW_KINDS
} tw__flow_kind;
enum { TW__NO_COLOR = 255 };
typedef struct tw__profile_flow {
    uint64_t window; /* number of the stretch, from 0 */
    uint32_t tile;   /* the first of its block */
    uint32_t amount;
    uint8_t kind, color;
} tw__profile_flow;
/* Stretches are `window` cycles long; `block` x `block` tiles count as one. */
void tw__profile_set_flow(tw_profile *p, uint64_t window, uint32_t block);
enum { TW__MOST_FLOWS = 1 << 21 };
void tw__profile_add_flow(tw_profile *p, const tw__profile_flow *flow);
/* What a tile still waited for when the run ended early. */
void tw__profile_add_stuck(tw_profile *p, uint32_t tile, const char *text);

/* --- a graph of kernels and what joins them ------------------------------------------------------------------- */

/* Kernels, the ports where data comes and goes, parameters; then wires between them, by number. */
typedef struct tw__node_desc {
    const char *name, *kind, *group; /* group: the sub-graph, "outer/inner"; NULL = none */
    uint32_t tile;                   /* TW__NONE = none */
    uint64_t runs, cycles, waits;
} tw__node_desc;
uint32_t tw__profile_add_node(tw_profile *p, const tw__node_desc *desc); /* TW__NONE: it was not kept */
typedef struct tw__wire_desc {
    uint32_t from, to; /* nodes; TW__NONE: it is left out */
    const char *kind;
    uint64_t bytes, messages, holds, blocks, reader_waits, writer_waits;
} tw__wire_desc;
void tw__profile_add_wire(tw_profile *p, const tw__wire_desc *desc);
enum { TW__MOST_NODES = 1 << 14 };

/* --- lines of sources ------------------------------------------------------------------------------------------- */

typedef struct tw__line_desc {
    const char *file;
    uint32_t line;
    const char *what; /* "@fmacs", "task main", "TADD" */
    uint64_t runs, cycles, waits;
} tw__line_desc;
enum { TW__MOST_LINES = 1 << 14 };
void tw__profile_add_line(tw_profile *p, const tw__line_desc *desc); /* what equals another adds to it */
void tw__profile_forget_lines(tw_profile *p);                        /* for who adds up all of them anew */
/* The text of a file whose lines have none yet, for readers to see beside the figures. */
void tw__profile_set_source(tw_profile *p, const char *file, const char *text, size_t bytes);
void tw__profile_read_sources(tw_profile *p); /* the same from files that are there */

/* What lies where on one tile: begin, blocks in any order, end. Tiles with equal maps share one. `from` and `to`: the
 * leaf programs between which a block is in use, TW__NONE = always; with tw__profile_map_in_cycles(), the cycles.
 * `used`: likewise, when it was read or written last; TW__NONE = not known. */
typedef struct tw__block_desc {
    uint64_t address, bytes;
    const char *name, *category; /* category: key as in tw__profile_add_memory() */
    uint32_t from, to, used;
} tw__block_desc;
void tw__profile_map_in_cycles(tw_profile *p);
/* A stretch of addresses that has a name of its own on every tile: a bank, a buffer of a core, registers. Categories
 * that are memories of their own (tw__profile_add_memory_limit) have regions of their own: `category`, else "". */
void tw__profile_add_region(tw_profile *p, const char *name, const char *category, uint64_t address,
                            uint64_t bytes);
enum { TW__MOST_BLOCKS = 1 << 20 }; /* of all maps; maps that do not fit are counted, not kept */
void tw__profile_map_begin(tw_profile *p, uint32_t tile);
void tw__profile_map_add(tw_profile *p, const tw__block_desc *block);
uint32_t tw__profile_map_end(tw_profile *p); /* number of the map, TW__NONE = it was not kept */
void tw__profile_map_share(tw_profile *p, uint32_t tile, uint32_t map); /* `tile` has that map as well */

typedef struct tw__variable_desc {
    const char *name, *type;
    uint64_t bytes, elements;
    uint32_t tiles, first_tile; /* on how many tiles it lies, the first of them */
    bool always_live;
} tw__variable_desc;
enum { TW__MOST_VARIABLES = 1 << 20 };
void tw__profile_add_variable(tw_profile *p, const tw__variable_desc *variable);
/* What an exchange moves from a tile to another, summed over its executions or once: as `bytesSent` counts. */
void tw__profile_add_pair(tw_profile *p, tw__exchange_kind kind, uint32_t exchange, uint32_t from, uint32_t to,
                          uint64_t bytes, uint64_t messages);
void tw__profile_name_pair(tw_profile *p, const char *name); /* what the last one went by: "FIFO 3" */
enum { TW__MOST_PAIRS = 1 << 18 };
void tw__profile_omit_pairs(tw_profile *p, uint64_t count);

/* --- write.c: plan steps -------------------------------------------------------------------------------------- */

typedef struct tw__type_cycles {
    uint32_t vertex_type;
    uint64_t instances, cycles;
    uint64_t worst;      /* cycles of the slowest instance; 0 = not recorded */
    uint32_t worst_tile; /* where it ran */
} tw__type_cycles;

/* A vertex on a worker of one tile: cycles from the begin of the step. */
typedef struct tw__work {
    uint32_t worker; /* TW__NONE = all of them together */
    uint32_t vertex_type;
    uint64_t from, to;
} tw__work;
enum { TW__MOST_WORK = 1 << 18 }; /* of all steps; what comes later is counted, not kept */

/* All zero is a step of type Sequence that takes no time. */
typedef struct tw__step_desc {
    tw_program_type type;
    const char *name;             /* NULL = "" */
    tw_profile_sync sync;         /* of TW_PROGRAM_SYNC */
    bool no_program;              /* set: `program` is not used (syncs) */
    uint32_t program;             /* node of the tree that it executes */
    uint32_t index;               /* compute set or exchange */
    uint64_t cycles;              /* slowest tile; 0 = the maximum of `active` */
    uint64_t overlapped;          /* of these, run while the previous step was still going on elsewhere */
    tw__row active;               /* cycles of each tile; 0 = all tiles, `cycles` each (sync) */
    tw__row data;                 /* bytes of each tile (exchanges) */
    uint64_t total_data;          /* 0 = the sum of `data` */
    const tw__type_cycles *types; /* vertices by type: cycles summed over all tiles, idle threads not counted */
    size_t type_count;
    const tw__work *work; /* what ran on the workers of `work_tile` */
    size_t work_count;
    uint32_t work_tile;
    tw_fidelity fidelity;
} tw__step_desc;
uint32_t tw__profile_add_step(tw_profile *p, const tw__step_desc *desc); /* TW__NONE on failure */

/* --- trace.c: what was executed ------------------------------------------------------------------------------- */

/* The trace is a grammar. An item is a rule executed `times` times in a row; a rule is a range of consecutive step
 * ids or a sequence of items. Rules are interned, and children come before their parents. */
typedef struct tw__item {
    uint32_t rule, times;
} tw__item;
typedef struct tw__rule {
    uint32_t first, count; /* steps [first, first + count), or items [first, first + count) */
    uint8_t is_range;
    uint8_t depth; /* 0 for a range */
} tw__rule;
typedef struct tw__run {
    tw__name name;
    uint32_t rule;       /* TW__NONE: nothing was executed */
    uint64_t times;      /* equal runs in a row are stored once */
    double microseconds; /* host time, summed over `times` */
} tw__run;

/* Hot path: `step` was executed. Consecutive ids cost a compare; a jump costs some tens of nanoseconds. */
static inline void tw__profile_step(tw_profile *p, uint32_t step);
/* Steps [first, first + count) executed `times` times in a row: for loops whose body is straight. */
void tw__profile_range(tw_profile *p, uint32_t first, uint32_t count, uint64_t times);
void tw__profile_run_begin(tw_profile *p, const char *name);  /* "" or the name of the program */
void tw__profile_run_end(tw_profile *p, double microseconds); /* on the host */
/* Building blocks of a trace, also for files: TW__NONE on failure. Items must name rules that exist. */
uint32_t tw__profile_range_rule(tw_profile *p, uint32_t first, uint32_t count);
uint32_t tw__profile_sequence_rule(tw_profile *p, const tw__item *items, size_t count);
void tw__profile_add_run(tw_profile *p, tw__name name, uint32_t rule, uint64_t times, double microseconds);
/* Keep only the last `runs` runs (autoReport.executionProfileProgramRunCount); 0 = all. */
void tw__profile_keep_runs(tw_profile *p, uint32_t runs);
void tw__profile_reset_execution(tw_profile *p); /* forgets the runs, keeps the plan steps */
void tw__profile_jump(tw_profile *p, uint32_t step);

/* Instrumentation, Poplar API, execution profile. `mode` is profilerMode: "IPU_MODEL", "COMPUTE_SETS", "VERTICES",
 * ... With VERTICES the cycles of the last execution of every vertex are given (arrays are copied). */
void tw__profile_set_mode(tw_profile *p, const char *mode);
void tw__profile_set_vertex_cycles(tw_profile *p, const uint32_t *cycles, const uint32_t *compute_set,
                                   const uint32_t *vertex_type, size_t count);

/* --- the object ----------------------------------------------------------------------------------------------- */

typedef struct tw__type {
    tw__name name;
    uint64_t state_bytes;
    tw__row bytes[TW__VERTEX_BYTES_KINDS];
} tw__type;
typedef struct tw__set_count {
    uint32_t compute_set, vertex_type;
    uint64_t count;
} tw__set_count;
typedef struct tw__profile_program {
    tw_program_type type;
    tw__name type_name, name;
    uint32_t parent, first_child, last_child, next; /* TW__NONE = none; next: sibling */
    uint32_t above;                                 /* the parent or an ancestor of it: a short way to the root */
    uint32_t index;
    uint8_t profiled; /* 1: when it ran is asked for by itself */
    uint64_t count;
    tw__row live_names, live_bytes; /* rows with one value per live variable: names ascending; 0 = not recorded */
    tw__row live_tiles;             /* their bytes by tile; 0 = not recorded */
} tw__profile_program;
typedef struct tw__category {
    tw__name key, label;
    tw_fidelity fidelity;
    tw__row bytes[TW__MEMORY_REGIONS][TW__MEMORY_OVERLAPS];
} tw__category;
typedef struct tw__named {
    tw__name name;
    double value;
} tw__named;

/* A plan step as stored. `gap` and `span` carry the explicit times of loaded files: a step starts `gap` after the end
 * of the previous one and ends `span` later; span = cycles - overlapped and gap = 0 in what a machine writes. */
typedef struct tw__step {
    tw_program_type type;
    tw__name type_name, name;
    uint8_t sync, fidelity;
    uint32_t program, index;
    uint32_t types_first, types_count;          /* slice of type_cycles[] */
    uint32_t work_first, work_count, work_tile; /* slice of work[] */
    tw__row active, data;
    uint64_t cycles, overlapped, span, total_data;
    int64_t gap;
    uint64_t thread_cycles; /* sum over its types */
    uint32_t given;         /* explicit figures of a loaded file: index + 1 into given[] */
} tw__step;

/* Figures that a loaded step states instead of the rows they follow from, in the order of their columns; negative =
 * not stated. */
enum { TW__GIVEN_FIGURES = 5 };
typedef struct tw__given {
    double figure[TW__GIVEN_FIGURES];
} tw__given;

/* --- learned (learn.c) */
typedef struct tw__profile_fact {
    tw__name key, value;
} tw__profile_fact;
typedef struct tw__profile_memory_limit {
    tw__name category;
    uint64_t bytes;
} tw__profile_memory_limit;
typedef struct tw__profile_lane {
    uint32_t tile;
    tw__name name;
} tw__profile_lane;
typedef struct tw__profile_interval {
    uint64_t from, to;
    uint32_t lane, partner;
    tw__name name, cause, file;
    uint32_t line;
} tw__profile_interval;
typedef struct tw__profile_route {
    uint32_t tile, color, from, to;
} tw__profile_route;
typedef struct tw__profile_stuck {
    uint32_t tile;
    tw__name text;
} tw__profile_stuck;
typedef struct tw__profile_line {
    tw__name file, what, text; /* text: 0 = not known */
    uint32_t line;
    uint64_t runs, cycles, waits;
} tw__profile_line;
typedef struct tw__profile_node {
    tw__name name, kind, group;
    uint32_t tile;
    uint64_t runs, cycles, waits;
} tw__profile_node;
typedef struct tw__profile_wire {
    uint32_t from, to;
    tw__name kind;
    uint64_t bytes, messages, holds, blocks, reader_waits, writer_waits;
} tw__profile_wire;
typedef struct tw__profile_wait {
    uint32_t tile, partner;
    tw__name cause;
    uint64_t cycles;
} tw__profile_wait;
typedef struct tw__profile_block {
    uint64_t address, bytes;
    tw__name name, category;
    uint32_t from, to, used, unused; /* unused: 0, blocks are compared as bytes */
} tw__profile_block;
typedef struct tw__profile_area {
    tw__name name, category;
    uint64_t address, bytes;
} tw__profile_area;
typedef struct tw__profile_map {
    uint32_t first, count; /* of blocks[] */
} tw__profile_map;
typedef struct tw__profile_tile_map {
    uint32_t tile, map;
} tw__profile_tile_map;
typedef struct tw__profile_variable {
    tw__name name, type;
    uint64_t bytes, elements;
    uint32_t tiles, first_tile;
    bool always_live;
} tw__profile_variable;
typedef struct tw__profile_pair {
    uint32_t kind, exchange, from, to;
    tw__name name; /* what it goes by; 0 = the exchange */
    uint64_t bytes, messages;
} tw__profile_pair;

struct tw_profile {
    uint64_t next;  /* hot: the id that continues the open range; UINT64_MAX = no open range */
    uint32_t first; /* first id of the open range */
    tw_status status;
    char *detail; /* message of the first failure */
    bool has_graph, has_execution;
    tw__arena *arena; /* texts */
    TW__LIST(const char *) names;
    TW__LIST(tw__row_info) rows;
    TW__LIST(uint8_t) packed;
    tw__index name_index, row_index, rule_index;
    TW__LIST(uint8_t) open_row; /* row being packed */
    tw__row_info open_info;
    uint64_t open_value, open_previous; /* run not yet packed, value before it */
    uint32_t open_run;

    struct {
        tw__name type, arch, band, compared;
        uint32_t ipus, tiles_per_ipu, replicas, copies, tiles, min_sync_delay, threads; /* threads: 0 counts as 1 */
        uint64_t bytes_per_tile;
        double clock_hz;
        tw__row sync_delays;
    } target;
    uint64_t vertices, edges, variables, compute_set_count;
    TW__LIST(tw__named) optimizations;
    TW__LIST(tw__type) types;
    TW__LIST(tw__name) compute_sets;
    TW__LIST(tw__set_count) set_counts; /* sorted by compute set */
    TW__LIST(tw__exchange) exchanges[TW__EXCHANGE_KINDS];
    TW__LIST(tw__profile_program) programs;
    TW__LIST(tw__category) categories;
    tw__row total, total_with_gaps, by_region[TW__MEMORY_REGIONS];
    TW__LIST(tw__live_var) always_live, live_scratch;
    tw__row always_live_by_tile, max_live_by_tile;
    uint64_t max_live; /* beside the always-live bytes */
    bool has_liveness;
    tw_fidelity totals_fidelity, liveness_fidelity;

    struct {
        uint32_t columns, rows; /* 0 = not known */
        bool column_major;
    } grid;
    TW__LIST(tw__profile_fact) facts;
    TW__LIST(tw__profile_memory_limit) limits;
    TW__LIST(tw__profile_lane) lanes;
    TW__LIST(tw__profile_interval) intervals;
    TW__LIST(tw__profile_wait) waits;
    TW__LIST(tw__profile_route) routes;
    TW__LIST(tw__profile_flow) flows;
    TW__LIST(tw__profile_stuck) stuck;
    TW__LIST(tw__profile_line) lines;
    TW__LIST(tw__profile_node) nodes;
    TW__LIST(tw__profile_wire) wires;
    struct {
        uint64_t window;
        uint32_t block;
    } flow;
    tw__index line_index;
    TW__LIST(tw__profile_block) blocks;
    TW__LIST(tw__profile_map) maps;
    TW__LIST(tw__profile_tile_map) tile_maps; /* ascending tiles */
    TW__LIST(tw__profile_area) regions;
    bool map_in_cycles;
    TW__LIST(tw__profile_variable) variable_list;
    TW__LIST(tw__profile_pair) pairs;
    uint64_t routes_omitted, flows_omitted, stuck_omitted, lines_omitted, nodes_omitted;
    uint64_t intervals_omitted, maps_omitted, variables_omitted, pairs_omitted, work_omitted;
    uint32_t open_map_tile, open_map_first;
    tw__index map_index;

    TW__LIST(tw__step) steps;
    TW__LIST(tw__type_cycles) type_cycles;
    TW__LIST(tw__work) work;
    TW__LIST(tw__given) given;
    tw_profile_totals given_totals;       /* that a loaded file states; all ones: they follow from the steps */
    TW__LIST(uint64_t) given_type_cycles; /* by vertex type; empty = from the steps */

    TW__LIST(tw__rule) rules;
    TW__LIST(tw__item) items; /* of the rules */
    TW__LIST(tw__item) open;  /* of the run being recorded */
    TW__LIST(tw__run) runs;
    uint32_t keep_runs;
    bool in_run;
    tw__name run_name, mode;
    struct {
        uint32_t *cycles, *compute_set, *vertex_type;
        size_t count;
    } vertices_run;
};

static inline void tw__profile_step(tw_profile *p, uint32_t step)
{
    if (step == p->next) {
        p->next++;
        return;
    }
    tw__profile_jump(p, step);
}

#define TW__PROFILE_PUSH(p, list) \
    TW__PUSH(list, tw__profile_fail((p), TW_E_NO_MEMORY, "out of memory for the profile"))
bool tw__profile_fail(tw_profile *p, tw_status status, const char *format, ...) TW_PRINTF(3, 4); /* false */

/* --- index.c -------------------------------------------------------------------------------------------------- */

typedef bool (*tw__index_same)(const tw_profile *p, uint32_t id, const void *key);
/* The id whose key equals `key`, else TW__NONE. */
uint32_t tw__index_find(const tw_profile *p, const tw__index *index, uint32_t hash, tw__index_same same,
                        const void *key);
bool tw__index_add(tw__index *index, uint32_t hash, uint32_t id); /* false when out of memory */
uint32_t tw__hash_bytes(const void *data, size_t size, uint32_t seed);

/* Live variables of a program into *out (malloc'ed, to be freed), NULL when not recorded. */
tw_status tw__profile_live(const tw_profile *p, uint32_t program, tw__live_var **out, size_t *count);

/* --- programs of the tree, in the order of execution: first = TW__NONE starts, TW__NONE ends ------------------ */

bool tw__profile_adopt(tw_profile *p, uint32_t parent,
                       uint32_t child); /* false: it has a parent, or is its ancestor */
uint32_t tw__profile_next_program(const tw_profile *p, uint32_t at, unsigned *depth);

/* --- timeline.c: from the trace back to what happened --------------------------------------------------------- */

/* Executions of each plan step into counts[steps]; false when out of memory. */
bool tw__profile_step_counts(const tw_profile *p, uint64_t *counts);
/* Tiles that computed or exchanged something in a step that ran; copies with the host are not their work. False: out
 * of memory, and there are none. */
bool tw__profile_tiles_in_use(const tw_profile *p, uint32_t *used);
/* The balance of these alone: tiles that no program is on only dilute that of all. 0: not known. */
double tw__profile_used_balance(const tw_profile *p, const tw_profile_totals *totals, uint32_t used);
/* Cycles and instances of all vertex types, malloc'ed, to be freed; NULL when out of memory. */
tw__type_cycles *tw__profile_type_totals(const tw_profile *p);
void tw__profile_step_info(const tw_profile *p, uint32_t step, tw_profile_step *info); /* all but index and times */
/* As tw_profile_each_step(), but of what repeats itself without a change the first four executions and the last one
 * alone are visited: `fold` stands for those between, from one cycle to another. TW_E_NO_MEMORY. */
typedef struct tw__profile_fold {
    uint64_t times, steps; /* executions; steps of all of them */
    uint64_t from, to;     /* cycles */
} tw__profile_fold;
tw_status tw__profile_each_folded(const tw_profile *p, tw_profile_visit visit,
                                  bool (*fold)(void *user, const tw__profile_fold *fold), void *user);
/* Bytes of each tile in one region; by_tile and the scratch `row` have target.tiles values. */
void tw__profile_region(const tw_profile *p, tw__memory_region region, uint64_t *by_tile, uint64_t *row);
uint64_t tw__profile_always_live_bytes(const tw_profile *p);

/* What times in a trace are, for its "otherData": of every machine the same unit. clock_hz: 0 = not known. */
enum { TW__TRACE_UNIT = 96 };
char *tw__trace_unit(double clock_hz, char buf[TW__TRACE_UNIT]);

#endif
