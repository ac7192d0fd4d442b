/* SPDX-License-Identifier: MIT */
/* tiles: code of the chip in graphs, and the memory of tiles as it is (guide 3.4.1, 7.2, 7.3, 10.2).
 *
 *   code.c     which vertices have code of the chip; what each tile needs of it; links
 *   images.c   tile memories as the storage of an engine (place/tile_map.c reads them)
 *   states.c   what load writes into the images: code, vertex states, tables
 *   vertices.c which vertices run where
 *   run.c      the simulator at work in a compute set
 *   lines.c    which lines of the sources its cycles go to
 *
 * A graph has images of its tiles when it is for `ipu-sim`, or when some of its vertices exist in assembly only. The
 * images then are the storage: copies between tiles are copies between images, vertices that run natively get
 * pointers into them, and code of the chip sees the addresses that the placement gave. */
#ifndef TW_ENGINE_TILES_H
#define TW_ENGINE_TILES_H

#include "poplar/engine/engine.h"
#include "poplar/engine/place/place.h"

#include <glib.h>
#include <stdio.h>
#include <tilewright/poplar/colossus/link.h>

/* --- code.c --------------------------------------------------------------------------------------------------- */

typedef struct tw__tile_link { /* the code of tiles with the same vertex types */
    GArray *types;             /* uint32_t, ascending: those with code of the chip */
    GArray *type_bytes;        /* uint32_t: code that each of them needs and none before it */
    uint32_t code_bytes, data_bytes, code_align, data_align;
    uint32_t stack, supervisor_stack; /* bytes that the deepest worker and supervisor vertex need */
    bool modelled;                    /* has instructions of several turns, whose time is modelled */
    bool interleaved;                 /* its data has to lie in region 1 */
} tw__tile_link;

typedef struct tw__placed_link { /* the same at the addresses of a tile */
    uint32_t link, code_address, data_address;
    tw_object *image;
} tw__placed_link;

typedef struct tw__chip_code {
    tw_object **objects;
    size_t object_count;
    char *problem;              /* the first error of sources that gave no code; NULL */
    bool *has_code;             /* [types] an object defines the entry */
    bool *simulated;            /* [types] vertices run as that code */
    bool *measured;             /* [types] and those that run natively, too: only how long they take is used */
    bool *compiled;             /* [types] it is the compiler's, which reads states as the headers say */
    GArray *links;              /* tw__tile_link */
    uint32_t *link_of;          /* [tiles] index + 1; 0 = no code of the chip */
    uint32_t *item, *data_item; /* [tiles] items of the placement, where link_of is not 0 */
    GArray *placed;             /* tw__placed_link, once there are addresses */
    uint32_t *placed_of;        /* [tiles] index + 1 */
    size_t tiles;
    bool debugged; /* debug information is kept, of what is compiled here made */
} tw__chip_code;

/* Finds out which of the vertex types that the plan executes have code of the chip, assembles it, links it for every
 * set of types that stands on a tile, and checks the stacks (guide 7.3.1). *out stays NULL when there is none.
 * TW_E_COMPILATION, TW_E_LINK: messages name file and line; TW_E_NOT_SUPPORTED: on `ipu-sim`, a vertex without code
 * of the chip. */
tw_status tw__chip_code_new(tw_engine *engine, tw__chip_code **out);
void tw__chip_code_free(tw__chip_code *code); /* NULL is fine */
/* Adds code and data of every tile to the placement. */
void tw__chip_code_place(tw__chip_code *code, tw__placement *placement);
/* Bytes of stack that the deepest worker vertex of a tile needs; -1 when the type has no code of the chip. `code` may
 * be NULL here and below. */
int64_t tw__chip_code_stack(const tw__chip_code *code, uint32_t tile, uint32_t type);
uint32_t tw__chip_code_supervisor_stack(const tw__chip_code *code, uint32_t tile);
/* Bytes of code of a vertex type on a tile, 0 when there is none. What several types of the tile need counts for the
 * first of them, so that the sum is the code of the tile but for gaps and for plain .text sections. */
uint32_t tw__chip_code_bytes(const tw__chip_code *code, uint32_t tile, uint32_t type);
/* EXACT when every vertex that the plan executes has code of the chip, else ABSENT: what is known is not all. */
tw_fidelity tw__chip_code_fidelity(const tw_engine *engine);
/* The code of this type reads states as PopLibs' assembly does (option simulator.popLibsLayouts). */
bool tw__chip_reads_as_poplibs(const tw_engine *engine, uint32_t type);
/* Some code of the tile takes a time that is modelled (docs/decisions.md, G7). */
bool tw__chip_code_modelled(const tw__chip_code *code, uint32_t tile);
/* Links at the addresses that the placement gave. */
tw_status tw__chip_code_link(tw__chip_code *code, const tw__core *core, const tw__placement *placement);

/* --- images.c ------------------------------------------------------------------------------------------------- */

/* The graph is for `ipu-sim`, or has vertices that exist in assembly only. */
bool tw__tiles_wanted(const tw_engine *engine);
/* In the engine's arena; places what has not been placed. */
tw_status tw__tile_map_new(tw_engine *engine, tw__tile_map **out);

/* --- states.c ------------------------------------------------------------------------------------------------- */

/* Everything that load writes: code and its data, states of vertices, what stands behind their fields. Kept in
 * engine->loads. A message names the field that its layout cannot hold. */
tw_status tw__tile_states_new(tw_engine *engine);

/* --- vertices.c ----------------------------------------------------------------------------------------------- */

/* A vertex of a compute set that has simulated ones, in creation order. */
typedef struct tw__tile_vertex {
    uint32_t vertex, type, group; /* group: of the exec */
    uint32_t entry, address;      /* code and state on the tile; entry 0: it has none that is run */
    bool is_native, is_measured;  /* is_measured: its code is run for the time that it takes */
    char *state;                  /* of the host */
    uint64_t cycles;              /* estimate; of a simulated one what it took last */
} tw__tile_vertex;

struct tw__tile_exec {
    tw__tile_vertex *vertices; /* by tile, in creation order within */
    uint32_t *first;           /* [exec->tile_count + 1] */
    uint64_t *cycles;          /* [tiles of the target] of the last run */
    tw_fidelity fidelity;
    size_t count;
};
/* For every exec with simulated vertices; states have been made. */
tw_status tw__tile_vertices_new(tw_engine *engine);

/* --- run.c ---------------------------------------------------------------------------------------------------- */

struct tw_sim;
typedef struct tw__tile_used { /* what the placement has put into each region of a tile: offsets in its image */
    uint64_t from[2], to[2];
} tw__tile_used;

/* --- lines.c --------------------------------------------------------------------------------------------------- */

typedef struct tw__tile_lines tw__tile_lines;                /* NULL below: nobody counts them */
tw__tile_lines *tw__tile_lines_new(const tw_engine *engine); /* NULL: not wanted (option profiler.lines) */
void tw__tile_lines_free(tw__tile_lines *lines);
void tw__tile_lines_reset(tw__tile_lines *lines);
/* Vertices of one tile in one compute set: a hook of its simulator, which then goes step by step. */
typedef struct tw__line_turn tw__line_turn;
tw__line_turn *tw__line_turn_new(tw__tile_lines *lines, const tw_engine *engine, uint32_t tile, struct tw_sim *sim);
void tw__line_turn_begin(tw__line_turn *turn); /* a vertex starts */
/* ... and has ended: so many cycles go to the lines that it ran. */
void tw__line_turn_end(tw__line_turn *turn, uint32_t type, uint64_t cycles);
void tw__line_turn_free(tw__line_turn *turn);
/* What was counted, line by line of each vertex type. */
typedef struct tw__tile_line {
    uint32_t type, line;
    const char *file;
    uint64_t runs, cycles;
} tw__tile_line;
GArray *tw__tile_lines_all(const tw__tile_lines *lines); /* of tw__tile_line */

struct tw__tile_sims {
    struct tw_sim **by_tile; /* [tiles], made when the tile first runs */
    size_t tiles;
    tw__tile_used *used; /* [tiles]; NULL = no vertex is measured */
    char **traces;       /* [tiles] of the compute set that runs */
    GString **printed;   /* [tiles] and what its vertices print; NULL = nothing */
    FILE *trace_file;    /* simulator option traceFile */
    tw__tile_lines *lines;
    GMutex lock;
    char *fault; /* of the lowest tile; NULL = none */
    uint32_t fault_tile;
};
tw_status tw__tile_sims_new(tw_engine *engine);
/* run.c: of a tile with code of the chip, with that code in its memory; made when it is wanted first. NULL: an
 * error. */
struct tw_sim *tw__tile_sim(tw_engine *engine, uint32_t tile);

#endif
