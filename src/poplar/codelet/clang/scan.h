/* SPDX-License-Identifier: MIT */
/* The boundary between libtilewright and the module that holds libclang (src/popc): one function, found with dlsym,
 * that turns a codelet source into a vertex table. Nothing of libclang or LLVM is linked with the library itself. */
#ifndef TW_CODELET_SCAN_H
#define TW_CODELET_SCAN_H

#include <stddef.h>

#define TW__SCAN_SYMBOL  "tw__scan_codelets"
#define TW__SCAN_VERSION 1

typedef struct tw__scan_diag {
    const char *file; /* "" unknown */
    unsigned line, column, length;
    int severity;     /* 0 note, 1 warning, 2 error */
    const char *code; /* "popc.field-type", "-Wunused", "" */
    const char *message;
} tw__scan_diag;

typedef struct tw__scan {
    unsigned version; /* TW__SCAN_VERSION */
    const char *path; /* of the source, as messages name it; need not exist */
    const char *text; /* its contents, constraints rewritten (rewrite.c) */
    size_t length;
    int is_c;
    int is_device;           /* a chip: no check of compute() */
    const char *const *args; /* clang arguments without the input file */
    int num_args;
    /* Rewrites constraints of an included file; the result is freed with free(). NULL = nothing to rewrite. */
    char *(*rewrite)(const char *text, size_t length);
    void (*report)(void *user, const tw__scan_diag *diag);
    void *user;
} tw__scan;

/* Vertex table as JSON (vertex_table.c says how it looks), to be freed with free(). NULL when the source has errors,
 * which were reported. */
typedef char *(*tw__scan_function)(const tw__scan *scan);

#endif
