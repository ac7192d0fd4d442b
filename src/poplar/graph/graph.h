/* SPDX-License-Identifier: MIT */
/* graph: the data behind tw_graph as the engine reads it. Nothing here runs.
 *
 * A tw_graph handle is a view (the tiles of a virtual graph, or all) on one shared, reference counted tw__core.
 * Everything in the core uses top-level tile numbers. Sizes that grow with the user's graph are kept flat: a
 * graph of a million vertices with two edges each must stay below 400 bytes a vertex with its plan.
 *
 *   virtual_graphs.c  graphs, virtual graphs     checks.c     what must hold before lowering
 *   replicas.c        replicated graphs          stored.c     a graph as bytes
 *   build.h           what these files share     log.c        what logs say of it
 *   core/     errors.c     sticky error, call sites         targets.c    targets and devices
 *             lock.c       for threads that share a graph   models.c     machine models
 *
 *   tensor/   handles.c    handles and scopes    regions.c    region lists
 *             affine.c     lists cut into boxes of the index space, and back
 *             box_sets.c   tensors of many boxes              storage_order.c  these, run after run
 *             shapes.c     shapes, reshape, shuffles          views.c      slices, concat, repetition
 *             queries.c    what a tensor says  variables.c  variables, constants, load-time values
 *             clones.c     clones              mapping.c    intervals on tiles, linear mapping
 *             replicas.c   tensors of replicas
 *             overlap.c    who touches the same element
 *   vertex/   vertices.c   compute sets and vertices          edges.c      connections
 *             fields.c     sizes and values of fields         estimates.c  performance estimates
 *   program/  programs.c   control programs    copies.c     copies and operands
 *             streams.c    streams, remote buffers            print.c      programs as text
 *             replicas.c   programs of replicated graphs */
#ifndef TW_GRAPH_GRAPH_H
#define TW_GRAPH_GRAPH_H

#include "core/base/base.h"
#include "poplar/codelet/codelet.h"
#include "core/tile/tile.h"
#include "core/type/type.h"
#include <assert.h>
#include <glib.h>
#include <stdatomic.h>
#include <tilewright/poplar/colossus/sim.h>
#include <tilewright/poplar/graph.h>

typedef struct tw__core tw__core;

/* --- core/targets.c --------------------------------------------------------------------------------------------- */

struct tw_target {
    int refs;
    tw_target_kind kind;
    tw_chip chip; /* meaningless on CPU */
    unsigned ipus, tiles_per_ipu, tiles;
    bool accurate_half; /* CPU: half is 2 bytes; model: intermediates rounded too */
    bool compile_ipu_code, no_sync_delay;
    tw_link_topology link_topology;
    tw_link_configuration link_configuration;
    tw_sync_configuration sync_configuration;
    unsigned link_domain_size, instance_size; /* 0: all IPUs */
    bool gateway_mode;
    bool takes_replicas;                            /* graphs of replicas only (guide 2.5.2) */
    tw_tile_arch arch;                              /* the chip's row with the model's overrides */
    uint64_t element_offsets[TW_TILE_MAX_ELEMENTS]; /* of memory, from its start; arch.element_count */
    bool own_elements;                              /* not the chip's */
    tw_global_exchange_constraint *constraints;     /* reference counted by GLib; NULL = none */
    size_t constraint_count;
    tw_sim_options simulator; /* of tiles that run the chip's instructions */
};
/* core/models.c. TW_E_MACHINE_MODEL when a field makes no sense; then the target stays half changed. */
tw_status tw__target_override(tw_target *target, const tw_ipu_model *model);
tw_status tw__target_set_elements(tw_target *target, const uint64_t *offsets, size_t count, unsigned interleaved);
tw_status tw__target_set_constraints(tw_target *target, const tw_global_exchange_constraint *from, size_t count);
bool tw__constraints_equal(const tw_target *a, const tw_target *b);
/* Fills `target` with one reference to a part of `from`, or all of it. */
void tw__target_cut(tw_target *target, const tw_target *from, unsigned num_ipus, unsigned tiles_per_ipu);
/* virtual_graphs.c: what one of `factor` replicas has of it: whole IPUs, or a part of one. NULL when that does not
 * work out, TW_E_REPLICATION. */
tw_target *tw__replica_target(const tw_target *from, unsigned factor);
struct tw_device {
    tw_target *target;
    bool attached;
};

/* --- region lists ----------------------------------------------------------------------------------------------- */

/* Elements of one variable: for each index of dim[0..rank) (row-major) the element offset + sum(i_k * stride_k).
 * Strides in elements, may be zero (broadcast) or negative (reverse). rank 1..4; a contiguous run is {1, stride
 * 1}. */
typedef struct tw__dim {
    uint64_t count;
    int64_t stride;
} tw__dim;
typedef struct tw__region {
    uint32_t var;
    uint32_t rank;
    uint64_t offset; /* element of the variable */
    uint64_t count;  /* elements = product of dim[].count */
    tw__dim dim[4];
} tw__region;

/* Immutable, reference counted; `first[i]` = elements before region i, so that a slice starts in O(log n). */
typedef struct tw__regions {
    uint32_t refs;
    uint32_t n;
    uint64_t count;           /* elements */
    const uint64_t *first;    /* [n + 1] */
    const tw__region *region; /* [n], coalesced */
} tw__regions;

/* A run of elements: var[offset + i * stride], i < count. */
typedef struct tw__elems {
    uint32_t var;
    uint64_t offset;
    int64_t stride;
    uint64_t count;
} tw__elems;

/* Walks elements [begin, end) of a region list in order as maximal runs. Stack object, no allocation. */
typedef struct tw__region_walk {
    const tw__regions *list;
    uint64_t pos, end; /* elements of the flattened list */
    uint32_t index;    /* region that holds pos */
} tw__region_walk;
tw__region_walk tw__region_walk_begin(const tw__regions *list, uint64_t begin, uint64_t end);
bool tw__region_walk_next(tw__region_walk *walk, tw__elems *out); /* false at the end */
/* Reference counting; regions made by tw__regions_* start with one reference. */
tw__regions *tw__regions_ref(tw__regions *list);
void tw__regions_unref(tw__regions *list);

typedef struct tw__tensor { /* what a handle names */
    tw__regions *regions;
    tw_type type;
    uint32_t rank;
    const size_t *shape;
} tw__tensor;
/* NULL (no error set) when the handle is nil or stale. */
const tw__tensor *tw__tensor_get(const tw__core *core, tw_tensor tensor);

/* --- variables -------------------------------------------------------------------------------------------------- */

typedef struct tw__mapped {
    uint64_t begin, end;
    uint32_t tile;
} tw__mapped; /* elements of the variable */

typedef struct tw__mapped_rows { /* `rows` runs of `width` elements, the next `stride` elements after the last */
    uint64_t begin, width, stride, rows;
    uint32_t tile;
} tw__mapped_rows;

typedef struct tw__initial { /* list of load-time values, applied in order */
    struct tw__initial *next;
    tw__regions *regions; /* which elements */
    const void *values;   /* in host format, `broadcast` = one element */
    bool broadcast;
    bool replica; /* the element is the index of the replica, for one that is loaded (core->created) */
    tw_type type; /* of the values (reinterpreted views may differ from the variable) */
} tw__initial;

typedef struct tw__variable {
    const char *name; /* "" when anonymous */
    tw_type type;
    bool is_constant;
    bool is_anonymous_const; /* made by connect_constant */
    uint64_t count;          /* elements */
    uint32_t rank;
    const size_t *shape; /* as declared, for messages */
    tw__mapped *mapped;  /* sorted, disjoint, neighbours on one tile merged; gaps are unmapped */
    size_t mapped_count, mapped_room;
    tw__mapped_rows *pending; /* what came out of order, oldest first; merged before anything is read */
    size_t pending_count, pending_room, pending_intervals; /* all of their rows */
    tw__initial *initial;
    uint32_t first_sister, sisters; /* the same variable in the other replicas of a replicated graph; 0 = none */
} tw__variable;
/* Merges `pending` into `mapped` (tw__graph_check() has done it for every variable an engine meets). False: no
 * memory, nothing changed. */
bool tw__mapping_settle(tw__variable *variable);
/* Index of the first mapped interval that ends after `element` (binary search); mapped_count when none. */
size_t tw__mapped_find(const tw__variable *variable, uint64_t element);

/* --- vertices --------------------------------------------------------------------------------------------------- */

/* One connection: sub-vector `index` of field `field` of a vertex. Edges of a vertex are a chain in connection
 * order; checks.c has seen to it that each edge field is complete before an engine reads it. Contiguous data of
 * one variable (the common case) is stored inline: regions == NULL, var/offset/count. */
typedef struct tw__edge {
    uint32_t next;  /* index of the vertex's next edge, 0 = none */
    uint16_t field; /* index in the vertex type */
    uint16_t pad;
    uint32_t index; /* sub-vector, 0 for rank 0 and 1 */
    uint32_t var;
    uint64_t offset, count; /* elements of var; with a region list: count = list->count */
    tw__regions *regions;
} tw__edge;
static_assert(sizeof(tw__edge) == 40, "a million vertices have two million of these");

/* Initial value of plain state: bytes in the host layout of the field, ready to copy into a vertex state. */
typedef struct tw__field_value {
    uint32_t next; /* 0 = none */
    uint16_t field;
    uint16_t pad;
    uint32_t count; /* elements (state vectors), else 1 */
    uint32_t bytes;
    union {
        uint8_t inline_bytes[8];
        const void *data;
    } u; /* data when bytes > 8; arena of the core */
} tw__field_value;

typedef struct tw__vertex {
    uint32_t type;       /* index in core->types */
    uint32_t cs;         /* compute set index */
    uint32_t tile;       /* TW_UNMAPPED until mapped */
    uint32_t first_edge; /* 0 = none */
    uint32_t last_edge;
    uint32_t first_value; /* 0 = none */
} tw__vertex;

typedef struct tw__vertex_type_entry { /* a codelet used by this graph */
    const tw__vertex_type *info;
    tw_perf_estimator estimator;
    void *user;
    void (*destroy)(void *user);
    uint64_t vertices;
} tw__vertex_type_entry;

/* What an estimator asks about; made on the stack by whoever calls it. */
struct tw_vertex_info {
    const tw__core *core;
    uint32_t vertex;
};

typedef struct tw__compute_set {
    const char *name;
    uint64_t vertices;
} tw__compute_set;

/* Estimate set on a vertex, sorted by vertex when an engine reads it (few vertices have one). */
typedef struct tw__vertex_estimate {
    uint32_t vertex;
    uint64_t cycles, flops;
} tw__vertex_estimate;

/* --- programs --------------------------------------------------------------------------------------------------- */

typedef enum tw__program_kind {
    TW__P_SEQUENCE,
    TW__P_EXECUTE,
    TW__P_COPY,
    TW__P_STREAM_IN,
    TW__P_STREAM_OUT,
    TW__P_REMOTE_IN,
    TW__P_REMOTE_OUT,
    TW__P_REPEAT,
    TW__P_WHILE_TRUE,
    TW__P_WHILE_FALSE,
    TW__P_IF,
    TW__P_SWITCH,
    TW__P_CALL,
    TW__P_SYNC,
    TW__P_WRITE_UNDEF,
    TW__P_ABORT,
    TW__P_ABORT_IF,
    TW__P_ASSUME_EQUAL,
    TW__P_ERROR,
    TW__P_PRINT,
    TW__P_COUNTED_FOR,
    TW__P_CYCLE_STAMP,
    TW__P_CYCLES_SINCE
} tw__program_kind;
#define TW__PROGRAM_KINDS (TW__P_CYCLES_SINCE + 1)

typedef struct tw__case {
    int32_t value;
    uint32_t body;
} tw__case;

/* A tensor as a program keeps it: alive with the graph, whatever happens to the user's handle. */
typedef struct tw__operand {
    tw__regions *regions;
    tw_type type;
    uint32_t rank;
    const size_t *shape;
} tw__operand;

typedef struct tw__program {
    tw__program_kind kind;
    const char *name;   /* "" when unnamed */
    uint32_t *children; /* SEQUENCE: bodies in order; others: see below */
    uint32_t child_count, child_room;
    tw__operand a, b; /* COPY: a -> b. STREAM/REMOTE: a = the tensor, b = offsets. predicates, control, printed: a.
                                * EXECUTE: a = result of the AND form. COUNTED_FOR: a = counter, b = limit (or
                                * none) */
    uint32_t id;      /* EXECUTE: compute set; STREAM: stream; REMOTE: buffer; CALL: function */
    uint32_t count;   /* REPEAT */
    int64_t begin, limit, step; /* COUNTED_FOR */
    tw__case *cases;            /* SWITCH; children[0] = default (0 = nothing). COPY: see tw__is_cross_copy() */
    uint32_t case_count, case_room;
    bool flag; /* SWITCH: bounds are checked. SEQUENCE: a block of profiles */
    tw_sync_type sync;
    const char *text; /* message, print title */
    tw_print_format format;
    uint32_t depth;    /* levels of programs inside, calls included; limited, so that recursion over it is safe */
    uint32_t snapshot; /* SEQUENCE, SWITCH while building: id of a copy of the present contents, 0 = none */
} tw__program;
/* children: REPEAT body; WHILE condition, body; IF then, else; SWITCH default; COUNTED_FOR body. 0 = nothing. */

/* A copy from each replica to another one, in a graph of replicas only: the value of case i says where replica i
 * sends to, TW__TO_NOBODY: nowhere. */
#define TW__TO_NOBODY (-1)
static inline bool tw__is_cross_copy(const tw__program *program)
{
    return program->kind == TW__P_COPY && program->case_count;
}

typedef struct tw__function {
    const char *name;
    uint32_t body;
} tw__function;

typedef struct tw__stream {
    const char *handle;
    tw_type type;
    uint64_t count; /* elements of one transfer */
    bool to_device;
    tw_replicated_stream_mode mode;
    unsigned buffering_depth;
    uint64_t split_limit; /* bytes; 0 = default */
    bool split_disabled;  /* docs/decisions.md, G2 */
    unsigned replicas;    /* streams of the other replicas follow; 0 = not replicated */
} tw__stream;
typedef struct tw__remote {
    const char *handle;
    tw_type type;
    uint64_t count, repeats;
    bool rearrange, optimise;
    unsigned replicas; /* buffers of the other replicas follow; 0 = not replicated */
} tw__remote;
typedef struct tw__host_access {
    const char *handle;
    tw__operand tensor;
    bool write, read;
} tw__host_access;

/* --- core/lock.c ------------------------------------------------------------------------------------------------ */

typedef struct tw__lock { /* zero: free */
    atomic_int state;
    atomic_uintptr_t owner; /* thread; 0: nobody */
    unsigned depth;         /* times the owner has taken it */
} tw__lock;

/* Handles of the streams of a host function: handle, "in" or "out", index. */
#define TW__HOST_ARGUMENT "%s/%s%u"
#define TW__HOST_CALL     "%s/call"

/* What a call of a host function is made of: a stream for each argument. In executables these are all that is
 * left. */
typedef struct tw__host_function {
    const char *handle;
    uint32_t *in, *out; /* streams */
    uint32_t in_count, out_count;
    tw_tensor nothing; /* the argument of a function without any */
} tw__host_function;

/* --- the core --------------------------------------------------------------------------------------------------- */

/* Arrays are indexed from 1 where an id of 0 means nil (vertices, compute sets, programs, functions, streams,
 * remotes, edges, values); variables and types from 0. `*_count` counts the used entries incl. entry 0. */
struct tw__core {
    int refs;
    tw__lock lock;
    const tw_target *target;
    tw__arena *arena;
    tw__codelets *codelets;
    tw__variable *vars;
    size_t var_count, var_room;
    tw__vertex *vertices;
    size_t vertex_count, vertex_room;
    tw__edge *edges;
    size_t edge_count, edge_room;
    tw__field_value *values;
    size_t value_count, value_room;
    tw__vertex_type_entry *types;
    size_t type_count, type_room;
    tw__compute_set *compute_sets;
    size_t compute_set_count, compute_set_room;
    tw__vertex_estimate *estimates;
    size_t estimate_count, estimate_room;
    tw__program *programs;
    size_t program_count, program_room;
    tw__function *functions;
    size_t function_count, function_room;
    uint32_t *function_buffers; /* the function of each */
    size_t function_buffer_count, function_buffer_room;
    tw__host_function *host_functions;
    size_t host_function_count, host_function_room;
    tw__stream *streams;
    size_t stream_count, stream_room;
    tw__remote *remotes;
    size_t remote_count, remote_room;
    tw__host_access *accesses;
    size_t access_count, access_room;
    struct tw__handles *handles;           /* tensor/handles.c */
    struct tw__error_state *error;         /* core/errors.c */
    struct tw__vertex_lists *vertex_lists; /* vertices by compute set, built on demand */
    struct tw__replicated {                /* vertices added for several replicas, ascending */
        uint32_t first, count;
    } *replicated;
    size_t replicated_count, replicated_room;
    unsigned replicas; /* of the whole target: 0 = not replicated, 1 = in several ways */
    /* Made by tw_graph_new_replicated(): the core is one replica, of which so many are loaded on a device of so many
     * IPUs; 0 = it is not. */
    unsigned created, device_ipus;
#define TW__REPLICAS (UINT32_C(1) << 16) /* at most: of machines as large as there are, each an IPU */
    struct tw__field_size *sizes;
    size_t size_count, size_room; /* set_field_size(), sorted (fields.c) */
    GHashTable *type_index;       /* vertex type name -> index in types + 1 */
    GHashTable *late_values;      /* vertex/late_values.c; NULL: no field has one */
};
tw__core *tw__graph_core(tw_graph *graph);
tw__core *tw__core_ref(tw__core *core);
void tw__core_unref(tw__core *core);

/* Vertices of a compute set in creation order: built once for all sets by counting sort, dropped when vertices are
 * added. Returns indices into core->vertices; *count gets their number; NULL + *count == 0 when empty or no
 * memory. */
const uint32_t *tw__compute_set_vertices(tw__core *core, uint32_t cs, size_t *count);

/* vertex/late_values.c: whether callbacks give values to fields of the vertices. */
typedef struct tw__late_value {
    int refs; /* of fields: one for each replica */
    tw_late_value call;
    void *user;
    void (*destroy)(void *user);
} tw__late_value;
/* NULL when the field has none. */
const tw__late_value *tw__late_value_get(const tw__core *core, uint32_t vertex, unsigned field);
/* Plain state gets a number; TW_E_OVERFLOW when it does not fit. */
tw_status tw__late_value_set(tw__core *core, uint32_t vertex, unsigned field, const tw_field_number *number);

/* core/errors.c: place noted by tw_graph_call_site() for the public call in progress; *file = NULL when unknown. */
void tw__call_site_take(const char *function, const char **file, int *line);
/* NULL, for a call that made no graph or engine for this reason, which is kept for tw__why_null() with its place. */
void *tw__nothing_made(const tw_error *error);
/* The error of `what`, "graph" or "engine", that is NULL: of this thread, until its next failure. */
const tw_error *tw__why_null(const char *what);

/* checks.c: everything an engine relies on for the programs it is given: no sticky error; all tensors and vertices
 * used are mapped (on CPU targets unmapped ones go to tile 0, docs/decisions.md, G5); all fields connected with the
 * right sizes; no race in any used compute set (docs/decisions.md, G1); functions not recursive. Messages name
 * tensor, vertex, field, tile. */
tw_status tw__graph_check(tw__core *core, const uint32_t *programs, size_t count);

/* log.c: what GRAPH, TENSOR and TARGET log of it. */
void tw__graph_log(const tw__core *core);

#endif
