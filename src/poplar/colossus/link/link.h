/* SPDX-License-Identifier: MIT */
/* colossus, the linker: what its files share. */
#ifndef TW_COLOSSUS_LINK_H
#define TW_COLOSSUS_LINK_H

#include "poplar/colossus/object/object.h"

#include <glib.h>
#include <tilewright/poplar/colossus/link.h>

/* One input section. */
typedef struct tw__link_section {
    const tw_object *object;
    uint32_t file;   /* index of the object */
    int section;     /* in its object */
    bool kept, seen; /* seen: its relocations were followed */
    int out;         /* section of the image; -1 = none */
    uint32_t at;     /* in it: tables of several objects lie one behind the other */
} tw__link_section;

/* The definition that a name stands for. */
typedef struct tw__link_symbol {
    const char *name;
    uint32_t file;
    int symbol; /* in its object */
    bool weak, common;
    uint32_t value, size; /* of a common one: largest alignment and size */
    int out;              /* symbol of the image */
} tw__link_symbol;

typedef struct tw__link {
    const tw_object *const *objects;
    size_t count;
    size_t own; /* of the caller; what follows are the runtime library's and the commons */
    const tw_link_options *options;
    tw_diags *diags;
    unsigned errors;
    tw_status status;                    /* of the first failure that is none of the program's */
    tw_object *image, *commons;          /* commons: an object of our own, the last one */
    GArray *sections;                    /* tw__link_section, by object */
    guint *first;                        /* of each object's sections */
    tw__by_section *relocations, *calls; /* of each object: relocations, notes of kind CALLS */
    GArray *symbols;                     /* tw__link_symbol */
    GHashTable *names;                   /* name -> 1 + index of symbols */
} tw__link;

/* link.c */
void tw__link_error(tw__link *link, const char *format, ...) TW_PRINTF(2, 3);
const char *tw__link_file(const tw__link *link, uint32_t file, char buf[32]);
/* symbols.c: collects definitions; finds that of a symbol of an object: index, -1 = undefined. */
void tw__link_collect(tw__link *link);
int tw__link_resolve(const tw__link *link, uint32_t file, int symbol);
/* layout.c: marks what is needed, gives addresses, makes the image's sections. */
void tw__link_mark(tw__link *link);
void tw__link_place(tw__link *link);
bool tw__link_is_debug(const tw_section *section); /* a table for debuggers, outside of memory */

/* library.c: objects of the runtime library, when one of these needs them; they live as long as the program. */
enum { TW__LINK_LIBRARY = 3 };
size_t tw__link_library(const tw_object *const *objects, size_t count, const tw_object *out[TW__LINK_LIBRARY]);

/* tables.c: the parts that are tables. dump.c: does a symbol give its name in text? The first definition does, as
 * names of locals may come twice. */
void tw__dump_tables(const tw_object *object, unsigned parts, GString *out);
bool tw__dump_is_named(const tw_object *object, size_t symbol);

/* stack.c: the same question about many functions of one image. `bytes` as in tw_stack_need(). */
typedef struct tw__stack tw__stack;
tw__stack *tw__stack_new(const tw_object *image);
tw_status tw__stack_need(tw__stack *stack, const char *function, uint32_t *bytes);
void tw__stack_free(tw__stack *stack);

#endif
