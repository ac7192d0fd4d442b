/* SPDX-License-Identifier: MIT */
/* An index of source texts: what is defined where, what its type and value are, and where it is used. The front ends
 * make one (tw_csl_index(), tw_pto_text_index(), tw_asm_index()); editors ask it.
 *
 *     tw_index *index = tw_csl_index("layout.csl", &options, NULL, diags);
 *     for (size_t i = 0; tw_index_symbol_get(index, i); i++) puts(tw_index_symbol_get(index, i)->name);
 *     tw_index_free(index);
 *
 * Places are bytes of a file's text, from 0.
 *
 * Threads: an index does not change; any number may read it. */
#ifndef TILEWRIGHT_INDEX_H
#define TILEWRIGHT_INDEX_H

#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_index tw_index;

typedef enum tw_index_kind {
    TW_INDEX_CONSTANT = 0,
    TW_INDEX_VARIABLE = 1,
    TW_INDEX_PARAM = 2,    /* of a file, bound from outside */
    TW_INDEX_ARGUMENT = 3, /* of a function */
    TW_INDEX_FUNCTION = 4,
    TW_INDEX_TASK = 5,
    TW_INDEX_MODULE = 6,
    TW_INDEX_TYPE = 7,
    TW_INDEX_FIELD = 8,
    TW_INDEX_ENUMERATOR = 9,
    TW_INDEX_LABEL = 10
} tw_index_kind;

#define TW_INDEX_NONE UINT32_MAX /* number of no symbol, no file */

/* Something that is defined. Texts are "" where nothing is known, and the index owns them. */
typedef struct tw_index_symbol {
    const char *name;
    tw_index_kind kind;
    uint32_t file;
    uint32_t at, length;  /* of the name */
    uint32_t first, end;  /* of the whole definition */
    uint32_t from, until; /* where the name alone means this */
    uint32_t parent;      /* symbol that it is a part of */
    const char *type;     /* "u16", "fn(x: u16) void"; where several are possible: "u16 | f32" */
    const char *value;    /* known before the program runs: "4", "4 | 8" */
    const char *fields;   /* of a value whose type has no definition: "name type", a line each */
    const char *path;     /* MODULE: the file behind it */
    uint32_t members;     /* symbol whose parts are the parts of such a value */
    bool inferred;        /* the text does not say the type */
    bool bound_elsewhere; /* PARAM: also by a struct that the index cannot follow; a new name would break that */
} tw_index_symbol;

/* A place where a name stands that was defined elsewhere. */
typedef struct tw_index_use {
    uint32_t file, at, length;
    uint32_t symbol;          /* TW_INDEX_NONE: only its type is known */
    bool writes;              /* an assignment to it */
    const char *type, *value; /* there, where they are known */
} tw_index_use;

/* The files that were read, as they were named; NULL past the end. */
TW_API const char *tw_index_file(const tw_index *index, size_t file);
/* In the order of the text, file by file; NULL past the end. Parents come before their parts. */
TW_API const tw_index_symbol *tw_index_symbol_get(const tw_index *index, size_t symbol);
TW_API const tw_index_use *tw_index_use_get(const tw_index *index, size_t use);
TW_API void tw_index_free(tw_index *index); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
