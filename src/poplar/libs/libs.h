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

#endif
