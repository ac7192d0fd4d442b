/* SPDX-License-Identifier: MIT */
/* The CSL compiler: source file and options in, image and diagnostics out. */
#ifndef TW_CSL_LANG_COMPILE_H
#define TW_CSL_LANG_COMPILE_H

#include "core/base/base.h"
#include <tilewright/type.h>

struct tw__csl_image;   /* code/image.h */
struct tw__csl_node;    /* syntax/ast.h */
struct tw__csl_operand; /* sema/value.h */
struct tw__csl_ctx;

/* Somebody who looks on, such as an editor. Nothing is made then: tw__csl_compile() returns NULL, and the messages
 * count. */
typedef struct tw__csl_watch {
    void *user;
    /* Text of a file that is being written, malloc'ed; NULL: as it is on disk. */
    char *(*open)(void *user, const char *path, size_t *size);
    bool (*cancelled)(void *user); /* asked now and then; may be NULL */
    /* A name, field or declaration was analysed as `o`, and means what `definition` declares (NULL: unknown). */
    void (*met)(void *user, const struct tw__csl_node *at, const struct tw__csl_operand *o,
                const struct tw__csl_node *definition);
    /* What stands at `call` gave a param its value. */
    void (*bound)(void *user, const struct tw__csl_node *call, const struct tw__csl_node *param);
    void (*end)(void *user, const struct tw__csl_ctx *ctx); /* all is done, names and trees are still there */
    bool first_only;  /* of programs of one file the first alone, and nothing of what all have together */
    bool syntax_only; /* the top file is parsed, and that is all */
} tw__csl_watch;

typedef struct tw__csl_binding { /* --params=name:value, --colors=name:id */
    const char *name;
    int64_t value;
} tw__csl_binding;

/* All zero is a compilation for WSE-2 without host support. */
typedef struct tw__csl_compile_options {
    const char *file; /* the top file; its folder is where relative imports start */
    bool wse3;
    bool memcpy;       /* host copies and launches: checks the room around the rectangle */
    unsigned channels; /* 1 .. 16; 0 = 1 */
    unsigned fabric_width, fabric_height, offset_x, offset_y; /* PEs; width 0 = just large enough */
    const tw__csl_binding *params, *colors;
    size_t param_count, color_count;
    const char *const *import_paths; /* searched for <name> before the environment's and our own libraries */
    size_t import_path_count;
    uint64_t max_comptime_steps; /* statements, calls and iterations of all worlds together; 0 = 200 million */
    double max_seconds;          /* of evaluation at compile time, by the wall clock; 0 = 600 */
    size_t max_memory;           /* bytes the compiler may take; 0 = 4 GiB */
    unsigned max_inlined;        /* iterations of one inline loop; 0 = 100,000 */
    bool optimize;               /* -O2: lang/opt works on the code; tests that look at code go without */
    tw_type fp16;                /* TW_F16, TW_BF16, TW_CB16: what @fp16() is; none = f16 */
    /* Reads a file instead of the file system: malloc'ed text, NULL when there is none. Tests and fuzzers. */
    char *(*read)(void *user, const char *path, size_t *size);
    void *read_user;
    const tw__csl_watch *watch;                  /* NULL = nobody */
    void (*print)(void *user, const char *line); /* @comptime_print; NULL = stderr */
    void *print_user;
} tw__csl_compile_options;

/* Compiles the top file with everything that it imports and places. A file without a layout block is the program of a
 * 1x1 rectangle. NULL when there are errors (all in `diags`) or memory ran out; else free with tw__csl_image_free().
 * Diagnostics come in the order of analysis and at most TW__CSL_MAX_ERRORS of them are errors. */
struct tw__csl_image *tw__csl_compile(const tw__csl_compile_options *options, tw_diags *diags);

/* All builtins of the language, in tables (sema/sema.h); ends with NULL. */
extern const struct tw__csl_builtin_table *const tw__csl_builtins[];

/* Text of our own library `name` ("memcpy/memcpy"), NULL when there is none; static. */
const char *tw__csl_library(const char *name, size_t *size);
const char *tw__csl_library_name(size_t index);        /* NULL past the last */
const char *tw__csl_library_nearest(const char *name); /* the one that is spelled most alike; NULL = none */

#endif
