/* SPDX-License-Identifier: MIT */
/* The state of a vertex in a tile's memory (guide 3.2, chapter 4): which field lies where and how it is encoded.
 *
 *     tw_state_map *map = tw_state_map_read("codelets.cpp", "mk2", NULL, NULL);
 *     for (size_t i = 0; i < tw_state_map_count(map); i++) puts(tw_state_map_get(map, i)->name);
 *     tw_state_map_free(map);
 *
 * Threads: calls are independent; a map is not changed once it is read and may be shared. */
#ifndef TILEWRIGHT_POPLAR_VERTEX_STATE_H
#define TILEWRIGHT_POPLAR_VERTEX_STATE_H

#include <tilewright/tile/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_state_field {
    const char *name;      /* "(padding)" for a hole */
    uint32_t offset, size; /* bytes */
    const char *direction; /* "Input", "Output", "InOut"; "" for plain state and holes */
    const char *type;      /* "Vector<float>", "VectorList<half>", "Vector<Vector<int>>", "unsigned int[4]" */
    const char *layout;    /* resolved: "SHORT_SPAN", "SPAN of ONE_PTR"; "" for what is no vector */
    const char *encoding;  /* "pointer [19:0], reserved [20], count [31:21]" */
    unsigned min_align;    /* bytes, of the data; 0 for what is no vector */
    bool interleaved;
} tw_state_field;

typedef struct tw_state_vertex {
    const char *name, *symbol;
    const char *kind; /* "Vertex", "MultiVertex", "SupervisorVertex" */
    uint32_t size, align;
    const tw_state_field *fields; /* holes included, in order of offsets */
    size_t field_count;
    const char *const *constraints; /* "elem(*a)!=elem(*b)" */
    size_t constraint_count;
} tw_state_vertex;

typedef struct tw_state_map tw_state_map;

/* Vertices of a codelet source or .gp file on a chip ("mk1", "mk2", "ipu21"). `flags` as for tw_popc_compile;
 * messages about the file go to `diags` (may be NULL). */
TW_API tw_state_map *tw_state_map_read(const char *path, const char *chip, const char *flags, tw_diags *diags);
TW_API void tw_state_map_free(tw_state_map *map); /* NULL is fine */
TW_API size_t tw_state_map_count(const tw_state_map *map);
TW_API const tw_state_vertex *tw_state_map_get(const tw_state_map *map, size_t index); /* NULL past the end */

#ifdef __cplusplus
}
#endif
#endif
