/* SPDX-License-Identifier: MIT */
/* place: where everything that the engine keeps in tile memory lies. Collected while the account is made, placed by
 * tile/place.h when somebody needs addresses, read by the memory report and by whoever encodes vertex states.
 *
 *   objects.c      life of a placement; variables        tables.c         tables behind the fields of vertices
 *   edges.c        what edges point to; buffers          constraints.c    constraints
 *   addresses.c    addresses of variables and vertices   tile_map.c       bytes of the storage at these addresses
 *   print.c        what engine.h tells of addresses
 *
 * What is to be placed, and when it is alive, the account says (account/vertex_states.c, lives.c, memory_report.c).
 *
 * Objects: each mapped interval of a variable or constant; for each compute set, tile and vertex type the states side
 * by side, and each table behind a field; the buffers of edges that cannot point into their variable; for each tile
 * the stacks, each kind of code, copy descriptors, packet headers, results of instrumentation. */
#ifndef TW_ENGINE_PLACE_H
#define TW_ENGINE_PLACE_H

#include "poplar/codelet/state/state.h"
#include "poplar/engine/engine.h"
#include "core/profile/profile.h"
#include "core/tile/place.h"

/* Time within a step: data of other tiles is gathered, vertices compute, results are sent. A variable that a compute
 * set only reads from elsewhere ends with the first, one that gets its results from a buffer begins with the last. */
enum { TW__PHASE_GATHER, TW__PHASE_COMPUTE, TW__PHASE_SEND, TW__PHASES };

typedef struct tw__state_group { /* vertices of one type on one tile in one compute set, in creation order */
    uint32_t tile, type, count;
    uint32_t item; /* of the states; the tables of its fields follow, in the order of the fields */
    const tw__device_vertex *device; /* NULL: the chip's layout is unknown */
    uint32_t stride;                 /* bytes from one state to the next */
} tw__state_group;

typedef struct tw__buffer_place { /* where the data of an edge lies that does not lie in its variable */
    uint32_t item;
    uint32_t offset; /* bytes */
} tw__buffer_place;

/* Buffers: of data that comes from other tiles, that goes to them, that is only put together. */
enum { TW__BUFFER_KINDS = 3 };
extern const tw_storage tw__buffer_storage[TW__BUFFER_KINDS];

struct tw__buffer_request; /* edges.c */
typedef TW__LIST(struct tw__buffer_request) tw__requests;

typedef struct tw__placement {
    tw__core *core; /* of the engine, which outlives this */
    const tw_target *target;
    unsigned tiles;
    TW__LIST(tw__place_item) items;
    TW__LIST(tw__place_pair) pairs;
    uint32_t
        *var_first; /* [var_count + 1] items of a variable: [first[v], first[v + 1]), in the order of elements */
    size_t var_count;
    uint8_t *esize; /* [var_count] bytes of an element */
    struct {        /* found last: walks over vertices stay with an interval for long */
        uint32_t var, item;
    } hint[8];
    uint64_t *begin;      /* [var_first[var_count]] first element of each of these items */
    uint32_t *edge_place; /* [edge_count] 0 = in the variable, else index + 1 in `buffers` */
    size_t edge_count;
    TW__LIST(tw__buffer_place) buffers;
    tw__requests requests[2]; /* of the compute set at hand: data read, data written only */
    TW__LIST(tw__state_group) groups;
    uint32_t *exec_group; /* [execs] its first group, as many as in the plan; UINT32_MAX: no step reaches it */
    uint32_t *exec_item, *exec_item_end;      /* [execs] its buffers: items [item, end) */
    uint64_t (*exec_bytes)[TW__BUFFER_KINDS]; /* [execs] bytes of its buffers, by tw__buffer_storage */
    size_t execs;
    tw__place_tile *by_tile; /* [tiles] after placing */
    uint32_t *worker_stack;  /* [tiles] bytes of one worker's stack, without scratch space */
    uint32_t *stack_item;    /* [tiles] of all stacks: workers in order, then the supervisor's; 0 = none */
    tw_fidelity state_fidelity, stack_fidelity, code_fidelity;
    char *conflict; /* a constraint that cannot hold, whatever the addresses; NULL = none */
    bool placed, failed;
    tw_status status; /* of placing */
} tw__placement;

/* objects.c. NULL: out of memory. The plan must be complete. */
tw__placement *tw__placement_new(const tw_engine *engine);
void tw__placement_free(tw__placement *p); /* NULL is fine */
/* Appends an object; its number, or 0 with `failed` set (object 0 is a variable or never asked for). */
uint32_t tw__placement_add(tw__placement *p, const tw__place_item *item);
/* Item of a variable that holds `element`, TW__NO_PLACE when it is not mapped. */
#define TW__NO_PLACE UINT32_MAX
uint32_t tw__placement_item_of(tw__placement *p, uint32_t var, uint64_t element);

/* edges.c. The edge's elements lie side by side on `tile`, aligned as the field asks: it points into its variable,
 * whose alignment and memory follow the field. False: it needs a buffer. */
bool tw__placement_direct(tw__placement *p, const tw__edge *edge, const tw__field *field, uint32_t tile);
/* A buffer for an edge of a vertex of `type` that is not direct; `alone`: it shares none; `remote`: some of it
 * belongs to other tiles. */
void tw__placement_want(tw__placement *p, uint32_t edge, uint32_t type, uint32_t tile, bool alone, bool remote);
void tw__placement_buffers(tw__placement *p, uint32_t exec,
                           const char *name); /* after the last request of an exec */
unsigned tw__placement_align(const tw__field *field);

/* tables.c. Bytes and alignment of the table behind a field of a vertex with `rows` rows; 0 bytes: it has none. */
size_t tw__placement_table(const tw__placement *p, const tw__field *field, const tw__device_field *device,
                           uint32_t rows, unsigned *align);
bool tw__placement_has_table(const tw__field *field);
/* Rows of each field of a vertex into rows[num_fields]. */
void tw__placement_rows(const tw__core *core, const tw__vertex *v, uint32_t *rows);

/* constraints.c: cut elements of a variable where constrained edges begin and end, and pairs of objects of an
 * exec. */
typedef struct tw__cut {
    uint32_t var;
    uint64_t element;
} tw__cut;
typedef struct tw__cuts {
    tw__cut *items;
    size_t count, room;
    bool failed;
} tw__cuts;
tw__cuts tw__placement_cuts(const tw_engine *engine); /* sorted; items are the caller's */
void tw__placement_pairs(tw_engine *engine, tw__placement *p, uint32_t exec);

/* objects.c: places what has not been placed. TW_E_NO_MEMORY. */
tw_status tw__placement_run(tw__placement *p);

/* addresses.c. Addresses exist once the placement has been run, which these calls do. */

typedef struct tw__placed_vertex {
    uint32_t tile;
    uint64_t address; /* of its state */
    const tw__vertex_type *type;
    const tw__device_vertex *device;
    tw__state_value *values; /* [type->num_fields], with rows and tables, for tw__state_image() */
    void *memory;            /* what the values point to */
} tw__placed_vertex;
/* The engine's placement, with addresses. TW_E_PROFILING_DISABLED on the CPU device, or the engine's error. */
tw_status tw__placed(tw_engine *engine, tw__placement **out);
/* Address of an element of a variable and its tile. TW_E_TILE_MAPPING when it is not mapped, TW_E_INDEX. */
tw_status tw__placed_element(tw_engine *engine, uint32_t var, uint64_t element, uint32_t *tile, uint64_t *address);
/* Everything that the state of a vertex holds. TW_E_INDEX: no such vertex in what the engine executes. The graph must
 * be as it was when the engine was made. Release with tw__placed_vertex_clear(). */
tw_status tw__placed_vertex_get(tw_engine *engine, uint32_t vertex, tw__placed_vertex *out);
void tw__placed_vertex_clear(tw__placed_vertex *vertex);
/* The same for all vertices of an exec whose type is in types[], in creation order; `visit` may fail. */
typedef tw_status tw__placed_visit(void *user, uint32_t vertex, const tw__placed_vertex *placed);
tw_status tw__placed_each(tw_engine *engine, uint32_t exec, const bool *types, tw__placed_visit *visit, void *user);
/* The bytes of a field that is plain state, as on the chip, into out[bytes]. */
void tw__placed_plain(const tw__field *field, const tw__field_value *value, uint32_t bytes, uint8_t *out);

/* tile_map.c: the storage of an engine as memories of tiles, one after the other (tiles/images.c makes it). */
struct tw__tile_map {
    tw__placement *placement; /* of the account */
    uint64_t base, stride;    /* first address of a tile; bytes of storage from one tile to the next */
    uint64_t unmapped, bytes; /* elements on no tile; end of all */
    const uint64_t *flat;     /* [variables] their place from `unmapped` on */
};
/* Byte of the storage of an address of a tile. */
uint64_t tw__tile_map_address(const tw__tile_map *map, uint32_t tile, uint64_t address);

#endif
