/* SPDX-License-Identifier: MIT */
/* libs: what the libraries share. They are clients of the public headers: everything that a graph becomes goes
 * through tw_graph_...(). A call checks all of its arguments first and builds afterwards, so that one that fails
 * has changed nothing; only memory can run out later. */
#ifndef TW_LIBS_H
#define TW_LIBS_H

#define TW_NO_CALL_SITES /* the site that an error names is the user's */
#include <tilewright/poplar.h>
#include <tilewright/poplibs.h>

#include <glib.h>

enum { TW__LIBS_RANK = 32 }; /* dimensions: graphs have no more */

/* --- common.c ------------------------------------------------------------------------------------------------- */

#define TW__LIBS_NIL ((tw_tensor){ 0, 0 })

/* First line of a call: false when the graph is NULL or in error, whose message stays. */
static inline bool tw__libs_ready(const tw_graph *graph)
{
    return tw_graph_status(graph) == TW_OK;
}
/* The same of a call that appends to a sequence or a compute set of the graph: false when it is none. */
bool tw__libs_takes(tw_graph *graph, const char *call, tw_program sequence);
bool tw__libs_takes_set(tw_graph *graph, const char *call, tw_compute_set set);
/* A list of the caller's: false when it is NULL and counts elements. */
bool tw__libs_list(tw_graph *graph, const char *call, const char *what, size_t count, const void *list);
/* What a call says that refuses its arguments. */
#define TW__LIBS_REFUSE(graph, ...) tw_graph_fail((graph), TW_E_POPLIBS, __func__, __VA_ARGS__)

typedef struct tw__extents {
    unsigned rank;
    size_t dim[TW__LIBS_RANK];
} tw__extents;
tw__extents tw__libs_shape(const tw_graph *graph, tw_tensor tensor);
bool tw__libs_same_shape(const tw_graph *graph, tw_tensor a, tw_tensor b);
uint64_t tw__libs_count(const tw__extents *shape); /* of elements */

/* For messages: "'x' float[2, 3]" and "[2, 3]". Valid until the end of the expression that it stands in. */
typedef struct tw__libs_text {
    char text[256];
} tw__libs_text;
tw__libs_text tw__libs_describe(const tw_graph *graph, tw_tensor tensor);
tw__libs_text tw__libs_shape_text(unsigned rank, const size_t *shape);
/* path, "/", name; path may be NULL. */
tw__libs_text tw__libs_path(const char *path, const char *name);

/* Mapping and regions as arrays of their own, freed with g_array_unref(). */
GArray *tw__libs_mapping(const tw_graph *graph, tw_tensor tensor);          /* of tw_mapped_interval */
GArray *tw__libs_variable_regions(const tw_graph *graph, tw_tensor tensor); /* of tw_variable_region */

/* --- poputil/mapping.c ---------------------------------------------------------------------------------------- */

/* Where part i of `parts` begins, parts of whole grains as even as they get; for i = parts: `elements`. */
uint64_t tw__libs_part_begin(uint64_t i, uint64_t parts, uint64_t elements, unsigned grain);

/* --- popops/deal.c: the elements of a tensor to the workers of the tiles that have them ----------------------- */

/* Intervals of the flattened tensor that one worker of `tile` gets. */
typedef void (*tw__libs_part)(void *user, unsigned tile, size_t count, const tw_interval *intervals);
/* Calls back for each worker that gets something: whole vectors of the target, at least `least` elements where the
 * tile has that many. */
void tw__libs_deal(tw_graph *graph, tw_tensor flat, unsigned least, tw__libs_part part, void *user);
/* The elements of those intervals of a flattened tensor. */
tw_tensor tw__libs_pick(tw_graph *graph, tw_tensor flat, size_t count, const tw_interval *intervals);
/* Whether the tensor can be written: mapped, without constants. Else an error of `call`. */
bool tw__libs_writeable(tw_graph *graph, const char *call, tw_tensor tensor);
/* Adds the library's codelets once to each graph: the archive beside the library, or that of a level of CPUs
 * (tw_vec_cpu()). False when the graph does not know the vertex afterwards. */
bool tw__libs_has_vertex(tw_graph *graph, const char *vertex, const char *level);

/* --- estimate.c: cycles on the IPU Model ---------------------------------------------------------------------- */

/* Registers the estimator of a vertex that is not one of expressions. */
void tw__libs_estimate(tw_graph *graph, const char *vertex);
/* Of an expression: turns for each element, tw__libs_op_turns() for each operation among them. */
double tw__libs_op_turns(const char *name, tw_type operands);
void tw__libs_estimate_map(tw_graph *graph, const char *vertex, double turns);

/* --- options.c ------------------------------------------------------------------------------------------------ */

typedef enum tw__libs_option_kind {
    TW__LIBS_BOOL,     /* bool */
    TW__LIBS_FRACTION, /* double, from 0 on */
    TW__LIBS_TYPE,     /* tw_type: half, float */
    TW__LIBS_WORD,     /* one of `words`; not kept */
    TW__LIBS_TEXT      /* anything; not kept */
} tw__libs_option_kind;
typedef struct tw__libs_option {
    const char *name;
    tw__libs_option_kind kind;
    size_t offset;     /* into the struct that is filled */
    const char *words; /* with blanks between them */
} tw__libs_option;
/* Fills `into` from "name=value" strings. False, with an error of `call`: unknown names, values that are none. */
bool tw__libs_options(tw_graph *graph, const char *call, const char *const *options, const tw__libs_option *table,
                      size_t count, void *into);

#endif
