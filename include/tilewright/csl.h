/* SPDX-License-Identifier: MIT */
/* tw_csl: CSL programs, compiled and kept.
 *
 *     tw_csl_options options = { .size = sizeof options, .arch = TW_WSE3, .memcpy = true, .fabric_width = 8, ... };
 *     tw_diags *diags = tw_diags_new();
 *     tw_csl_program *program = tw_csl_compile("layout.csl", &options, diags);
 *     if (!program) tw_diags_print(diags, stderr, false);
 *     tw_csl_save(program, "out");                 // what `tilewright cslc` does
 *     ...
 *     program = tw_csl_load("out");                // later, elsewhere: <tilewright/csl/wse.h> runs it
 *
 * docs/csl.md is the manual.
 *
 * Threads: a program is immutable and may be shared by several runs and threads; compilations are independent. */
#ifndef TILEWRIGHT_CSL_H
#define TILEWRIGHT_CSL_H

#include <tilewright/base.h>
#include <tilewright/index.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_wse_arch { TW_WSE2 = 0, TW_WSE3 = 1 } tw_wse_arch;

/* A parameter (--params=name:value) or colour (--colors=name:id) of the top file. */
typedef struct tw_csl_binding {
    const char *name;
    int64_t value;
} tw_csl_binding;

/* 16-bit type that @fp16() names. */
typedef enum tw_csl_fp16 { TW_CSL_F16 = 0, TW_CSL_BF16 = 1, TW_CSL_CB16 = 2 } tw_csl_fp16;

/* How code is made: as the vendor's compiler does, or statement by statement as it is written. */
typedef enum tw_csl_level {
    TW_CSL_O_DEFAULT = 0,
    TW_CSL_O0 = 1,
    TW_CSL_O2 = 2
} tw_csl_level; /* the default is O2 */

/* All else zero: WSE-2, no host link, a fabric just large enough. */
typedef struct tw_csl_options {
    size_t size; /* sizeof(tw_csl_options) */
    tw_wse_arch arch;
    bool memcpy;       /* host link: a frame of 4 columns west, 3 east, one row above and below is asked for */
    unsigned channels; /* 1 to 16; 0 = 1 */
    unsigned fabric_width, fabric_height; /* PEs */
    unsigned offset_x, offset_y;          /* of the program's rectangle */
    unsigned west_buffer, east_buffer;    /* columns; without effect here */
    const tw_csl_binding *params;
    size_t param_count;
    const tw_csl_binding *colors;
    size_t color_count;
    const char *const *import_paths; /* folders searched for <name> before the project's own libraries */
    size_t import_path_count;
    uint64_t max_comptime_steps; /* 0 = 200 million */
    size_t max_memory;           /* bytes that the compiler may take; 0 = 4 GiB */
    unsigned max_inlined;        /* iterations of one inline loop; 0 = 100,000 */
    tw_csl_fp16 fp16;
    bool warnings_are_errors;
    double max_seconds; /* of evaluation at compile time, by the wall clock; 0 = 600 */
    tw_csl_level level;
} tw_csl_options;

typedef struct tw_csl_program tw_csl_program;

/* Compiles a layout file with all it imports and places; relative imports start at the file's folder. Messages and
 * warnings go to `diags`. TW_E_PARSE: the program has errors; TW_E_FILE_LOAD, TW_E_INVALID_ARGUMENT, TW_E_NO_MEMORY.
 * Free with tw_csl_program_free(). */
TW_API tw_csl_program *tw_csl_compile(const char *file, const tw_csl_options *options, tw_diags *diags);
TW_API void tw_csl_program_free(tw_csl_program *program); /* NULL is fine */

/* Writes the folder (made when missing): program.twcsl with everything, and what host scripts read: out.json with the
 * parameters, bin/out_rpc.json with the exported names. Earlier files of these names are replaced. TW_E_IO. */
TW_API tw_status tw_csl_save(const tw_csl_program *program, const char *folder);
/* Reads it back. The file is not trusted: version, checksum, sizes and every index are checked. TW_E_FILE_LOAD. */
TW_API tw_csl_program *tw_csl_load(const char *folder);
/* The same on memory. tw_csl_encode: malloc'ed, the caller frees it. `origin` names the bytes in messages. */
TW_API unsigned char *tw_csl_encode(const tw_csl_program *program, size_t *size);
TW_API tw_csl_program *tw_csl_decode(const unsigned char *bytes, size_t size, const char *origin);

typedef struct tw_csl_info {
    tw_wse_arch arch;
    unsigned fabric_width, fabric_height;
    unsigned x, y, width, height; /* of the rectangle on the fabric */
    unsigned programs;            /* distinct tile programs */
    bool memcpy;
    unsigned channels;
} tw_csl_info;
TW_API void tw_csl_get_info(const tw_csl_program *program, tw_csl_info *info);

/* A parameter or colour as given to the compiler; false past the end. */
TW_API bool tw_csl_param(const tw_csl_program *program, size_t index, tw_csl_binding *binding);

/* A name that @export_name made visible to the host. */
typedef struct tw_csl_export {
    const char *name;
    const char *type; /* "[*]f32", "fn(i16)void"; owned by the program */
    bool function, mutable_;
    unsigned argument_count; /* of a function */
    unsigned element_bytes;  /* of what a pointer points at, 2 or 4; 0 for functions */
} tw_csl_export;
TW_API bool tw_csl_get_export(const tw_csl_program *program, size_t index, tw_csl_export *out);
/* Index of an exported name, -1 when there is none. */
TW_API int tw_csl_find_export(const tw_csl_program *program, const char *name);

/* --- for editors -------------------------------------------------------------------------------------------- */

/* All else zero: everything is analysed, from the files on disk. */
typedef struct tw_csl_index_options {
    size_t size; /* sizeof(tw_csl_index_options) */
    /* Text of a file that is being written, malloc'ed; NULL: as it is on disk. */
    char *(*open)(void *user, const char *path, size_t *size);
    bool (*cancelled)(void *user); /* asked now and then: true ends the analysis */
    void *user;
    bool first_only;  /* of tile programs of one file the first alone: soon done, and most of what can be said */
    bool syntax_only; /* the file alone, names and no types; it need not be a program */
} tw_csl_index_options;
/* Analyses a program as tw_csl_compile() does, with programs that have errors too, and tells what it met. Messages go
 * to `diags`; NULL when memory is out. Free with tw_index_free(). */
TW_API tw_index *tw_csl_index(const char *file, const tw_csl_options *options, const tw_csl_index_options *how,
                              tw_diags *diags);

/* A builtin of the language. */
typedef struct tw_csl_builtin {
    const char *name;      /* with @ */
    const char *signature; /* "@as(T: type, value) T" */
    const char *doc;       /* a sentence or two */
} tw_csl_builtin;
TW_API bool tw_csl_get_builtin(size_t index, tw_csl_builtin *builtin); /* in no order; false past the end */
TW_API const char *tw_csl_keyword(size_t index); /* reserved words, names of types too; NULL past the end */
TW_API const char *
tw_csl_library_name(size_t index); /* "memcpy/memcpy", for "<memcpy/memcpy>"; NULL past the end */
TW_API const char *tw_csl_library_text(const char *name); /* its source; NULL: there is no such library */
/* A source in its canonical layout: the same tokens and comments, other blanks and line ends. Messages call it
 * `name`. malloc'ed, the caller frees it; a NUL stands behind its *length bytes. TW_E_PARSE: it has errors, which
 * are in diags; TW_E_NO_MEMORY. */
TW_API char *tw_csl_format(const char *name, const char *text, size_t size, size_t *length, tw_diags *diags);

/* Bytecode and tables in readable form, for people. */
TW_API tw_status tw_csl_dump(const tw_csl_program *program, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
