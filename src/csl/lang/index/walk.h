/* SPDX-License-Identifier: MIT */
/* The walk over the trees: what its files share. */
#ifndef TW_CSL_INDEX_WALK_H
#define TW_CSL_INDEX_WALK_H

#include "csl/lang/index/index.h"

typedef tw__csl_node node;

typedef struct indexed_file {
    tw__csl_source source;
    uint32_t number;   /* in the index */
    GHashTable *names; /* tw__csl_name -> symbol + 1, of what is declared at the top */
} indexed_file;

typedef struct local_name {
    tw__csl_name name;
    uint32_t symbol;
} local_name;

typedef struct walk {
    tw_index *index;
    const tw__csl_ctx *ctx;
    const tw__csl_facts *facts;
    GArray *files;           /* indexed_file */
    GHashTable *definitions; /* tw__csl_loc of a name, or of the word struct -> symbol + 1 */
    GHashTable *by_path;     /* canonical path -> number of the file + 1 */
    /* of the file that is walked now */
    const indexed_file *file;
    GArray *locals; /* local_name, the innermost last */
    uint32_t parent, until;
} walk;

/* extent.c: offsets in the file, found in its tokens. */
uint32_t tw__csl_extent_first(const indexed_file *file, tw__csl_loc name); /* of the words before a declared name */
uint32_t tw__csl_extent_end(const indexed_file *file, tw__csl_loc from);   /* behind its ';', '}' or before a ',' */
uint32_t tw__csl_extent_close(const indexed_file *file, tw__csl_loc open); /* of the bracket that closes this one */
/* modules.c */
uint32_t tw__csl_walk_find(const walk *w, tw__csl_loc loc); /* symbol whose name stands there, TW_INDEX_NONE */
/* The file that a call of @import_module or @set_tile_code names; NULL: it cannot be seen, or was not read. */
const indexed_file *tw__csl_walk_named_file(const walk *w, const node *call);
const indexed_file *tw__csl_walk_file(const walk *w, const char *path);
void tw__csl_walk_add_path(walk *w, const char *path, uint32_t number);
/* Fields of the struct that such a call gives are params of that file. */
void tw__csl_walk_given(walk *w, const node *call, const indexed_file *target);

#endif
