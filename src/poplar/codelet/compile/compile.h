/* SPDX-License-Identifier: MIT */
/* codelet, private side: from a source text to a vertex table and native code.
 *
 *   sources.c          one source for one target
 *   flags.c            what a source is, and the flags it may be compiled with
 *   rewrite.c          poplar::constraint attributes -> annotations, columns kept
 *   stack_sizes.c      DEF_STACK_USAGE and its relatives
 *   entry_functions.c  entry functions appended to a source
 *   chip_code.c        C and C++ to code of a chip, through the compiler of colossus
 *   assembly.c         .S files, through the assembler of the chip
 *   toolchain.c        clang: where it is, its flags per target, precompiled headers, running it
 *   messages.c         messages of clang and of the module -> diagnostics of the user's file
 *   cache.c            keys, dependencies, files that appear atomically
 *   clang_module.c     the libclang module (clang/), loaded on first use
 *   constraints.c      texts of poplar::constraint -> pairs of fields
 *   vertex_table.c     JSON vertex tables <-> tw__vertex_type
 *   names.c            names of vertices, symbols, fields
 *
 * and beside it gp/: .gp archives, popc. */
#ifndef TW_CODELET_COMPILE_H
#define TW_CODELET_COMPILE_H

#include "poplar/codelet/codelet.h"
#include "poplar/codelet/clang/scan.h"

#include <glib.h>
#include <jansson.h>
#include <tilewright/poplar/colossus/asm.h>

/* What a source is compiled for. The first two make native code, the others a vertex table only. */
typedef enum tw__build_target {
    TW__BUILD_FLOAT = TW__HALF_FLOAT,
    TW__BUILD_F16 = TW__HALF_F16,
    TW__BUILD_IPU1,
    TW__BUILD_IPU2,
    TW__BUILD_IPU21,
    TW__BUILD_TARGETS
} tw__build_target;
const char *tw__build_target_name(tw__build_target target); /* "cpu-float", "cpu-f16", "ipu1"... */
static inline bool tw__build_is_host(tw__build_target target)
{
    return target <= TW__BUILD_F16;
}

/* One source text. Strings are the caller's. */
typedef struct tw__source {
    const char *path; /* as the user named it; names the text in messages */
    const char *text;
    bool is_c;
    const char *const *flags; /* of the user, NULL-terminated; NULL = none */
} tw__source;

typedef struct tw__built {
    char *table;    /* JSON, g_free */
    char *object;   /* path of the relocatable object in the cache, NULL when there is none */
    char *shared;   /* path of the shared object, when it was asked for */
    char **headers; /* files of the user that the source includes */
} tw__built;
void tw__built_clear(tw__built *built);

/* --- sources.c -------------------------------------------------------------------------------------------------- */

typedef enum tw__build_options {
    TW__BUILD_SHARED = 1,   /* link a shared object */
    TW__BUILD_PORTABLE = 2, /* code for any CPU of this architecture, not for this one */
    TW__BUILD_CODE = 4,     /* of a chip: its object too (ELF), not the table alone */
    TW__BUILD_TEXT = 8,     /* ... with CODE: its assembly in the place of the object */
} tw__build_options;
tw_status tw__build(const tw__source *source, tw__build_target target, unsigned options, tw__built *built,
                    tw_diags *diags);
/* Links relocatable objects into the shared object `out` (in the cache). `options`: PORTABLE for objects that were
 * compiled so. */
tw_status tw__link(char *const *objects, unsigned options, const char *out, tw_diags *diags);

/* --- flags.c ---------------------------------------------------------------------------------------------------- */

/* By the name of a file; AUTO when it says nothing. is_assembly: .S, .s, .asm. */
tw__codelet_type tw__codelet_type_of(const char *path, bool *is_assembly);
/* Flags as a shell would split them, checked: TW_E_INVALID_ARGUMENT for those that are not a codelet's business (-o,
 * -c,
 * -x...). *out is NULL-terminated, g_strfreev; NULL flags give an empty list. */
tw_status tw__split_flags(const char *flags, char ***out);
tw_status tw__check_flag(const char *flag);
tw_status tw__read_file(const char *path, char **data, size_t *size); /* TW_E_FILE_LOAD; free() */

/* Names the lines that follow in `text` after the file; quotes and backslashes in its name are escaped. */
void tw__add_line_marker(GString *text, const char *path);
tw_status tw__check_source_name(const char *path); /* TW_E_FILE_LOAD: a newline or the like is in it */

/* --- rewrite.c -------------------------------------------------------------------------------------------------- */

/* malloc'ed text of the same length in which attributes poplar::constraint(...) are TW__constraint____(...); NULL
 * when there are none (or no memory). Lines and columns stay. */
char *tw__rewrite_constraints(const char *text, size_t length);

/* --- clang_module.c --------------------------------------------------------------------------------------------- */

tw_status tw__module_load(tw__scan_function *scan); /* TW_E_NO_ENVIRONMENT names what is missing */
char *tw__module_identity(void);                    /* changes when the module's file does */

/* --- assembly.c ------------------------------------------------------------------------------------------------- */

/* One assembly file for a chip. Of the flags those for the preprocessor count (-I, -D, -U). */
tw_status tw__assemble(const char *path, const char *const *flags, tw__arch arch, tw_object **object,
                       tw_diags *diags);
/* Appends the stack notes of an object. */
void tw__stack_read_object(const tw_object *object, GArray *notes);

/* --- toolchain.c ------------------------------------------------------------------------------------------------ */

typedef struct tw__toolchain {
    char *clang;    /* path */
    char *identity; /* changes when the compiler does */
    char *resource_dir;
    char **include_dirs; /* of the host's C++ and C headers */
    bool has_lld;
} tw__toolchain;
/* TW_E_NO_ENVIRONMENT when clang is not installed. Owned by the library, found once per process. */
tw_status tw__toolchain_get(const tw__toolchain **toolchain);
/* Compiler arguments for a source and a target, without input, output and precompiled header. g_free each and the
 * array (GPtrArray with a free function, NULL-terminated). */
GPtrArray *tw__toolchain_args(const tw__toolchain *toolchain, const tw__source *source, tw__build_target target,
                              unsigned options);
/* Path of the precompiled header that fits `source`, made when missing; NULL when there is none to use. */
char *tw__toolchain_pch(const tw__toolchain *toolchain, const tw__source *source, tw__build_target target,
                        unsigned options);
/* Runs argv with `input` on its stdin; *messages receives its stderr (g_free), *exit_status its status. `output`,
 * when not NULL, receives stdout. */
tw_status tw__run(char *const *argv, const char *input, size_t length, char **output, char **messages,
                  int *exit_status);

/* --- messages.c ------------------------------------------------------------------------------------------------- */

typedef struct tw__reporter {
    tw_diags *diags; /* may be NULL */
    const tw__source *source;
    GHashTable *seen;     /* messages already given */
    GString *first_error; /* "file:line:col: text" */
    GString *own;         /* what the compiler or linker says of itself: it has no place in any file */
    unsigned errors;
    bool abroad; /* the first error lies in a header, and no note has led back to the source yet */
} tw__reporter;
void tw__reporter_init(tw__reporter *reporter, const tw__source *source, tw_diags *diags);
void tw__reporter_clear(tw__reporter *reporter);
void tw__report(tw__reporter *reporter, const tw__scan_diag *diag);
void tw__report_text(tw__reporter *reporter, const char *messages); /* stderr of clang */
/* After a failure: when no message was about a file, the compiler's own become the error. */
void tw__report_own(tw__reporter *reporter);

/* --- entry_functions.c ------------------------------------------------------------------------------------------ */

/* Text of the entry functions for a table of the module, to follow the source. */
char *tw__wrappers(const json_t *table, bool is_c);
char *tw__device_wrappers(const json_t *table, bool is_c); /* the same for a chip */

/* --- chip_code.c ------------------------------------------------------------------------------------------------ */

/* Compiles `text`, the source with its entries, for a chip; the ELF object (or with TW__BUILD_TEXT the assembly) into
 * *code. False: messages are in the reporter. */
bool tw__chip_code_make(const tw__toolchain *toolchain, const tw__source *source, const GString *text,
                        tw__build_target target, unsigned options, GByteArray *code, char ***headers,
                        tw__reporter *reporter);

/* The same through the cache: all of a source's code as an object. On failure `diags` has an error. */
tw_status tw__chip_object(const tw__source *source, tw__arch arch, tw_object **object, tw_diags *diags);
/* ... or its bytes, g_free: an ELF object, or assembly. */
tw_status tw__chip_bytes(const tw__source *source, tw__arch arch, bool assembly, char **bytes, size_t *size,
                         tw_diags *diags);

/* --- cache.c ---------------------------------------------------------------------------------------------------- */

/* Folder of this box in the cache, NULL when it cannot be made. */
char *tw__cache_folder(void);
char *tw__cache_path(const char *key, const char *suffix);
/* Digest of our headers for codelets: a new version of them makes new keys. NULL when they are missing. */
char *tw__cache_headers_digest(void);
/* Key of a result: base key plus the present contents of the files it depends on. NULL when one is gone. */
char *tw__cache_result_key(const char *base, char *const *dependencies);
char **tw__cache_read_list(const char *path); /* lines of an entry, NULL when there is none */
/* Entries carry a checksum of their name and contents behind these. Contents into *data (g_free; NULL: only look) and
 * *size (may be NULL). False: there is none, or it was damaged and is gone now. */
bool tw__cache_read(const char *path, char **data, size_t *size);
tw_status tw__cache_lost(const char *path); /* the error when what was just found or made cannot be read */
/* Makes an entry, which other processes see whole or not at all. */
tw_status tw__cache_write(const char *path, const char *data, size_t length);
/* The same from a file that a tool wrote; it is gone afterwards, whatever happens. */
tw_status tw__cache_publish(const char *temporary, const char *path);
/* A new empty file in the cache folder that no other process has; its path (g_free), NULL with an error. */
char *tw__cache_temporary(const char *suffix);
char **tw__cache_read_depfile(const char *path, const char *skip); /* of a compiler's -MD; `skip` left out */

char *tw__identity_of_bytes(const char *path, const char *data, size_t size); /* of an archive; g_free */

/* --- vertex_table.c --------------------------------------------------------------------------------------------- */

/* Vertex types of a table, in `arena`, appended to `types` (GPtrArray of tw__vertex_type *). The table may be
 * hostile: TW_E_OBJECT_LOAD says what is wrong with it, and no field reaches beyond its vertex. */
tw_status tw__table_read(tw__arena *arena, const json_t *table, tw__half_variant variant, const char *origin,
                         GPtrArray *types);
/* The vertex of that name alone, into *vt, which has a name and a symbol already; it should be the table's k-th. */
tw_status tw__table_read_one(tw__arena *arena, const json_t *table, size_t k, tw__half_variant variant,
                             tw__vertex_type *vt);
/* Layout of `vt` in the table of a chip; NULL with tw_error_message() when it is not there. */
tw__device_vertex *tw__table_read_device(tw__arena *arena, const json_t *table, const tw__vertex_type *vt,
                                         tw__arch arch);
tw__vector_layout tw__layout_resolve(tw__vector_layout layout, unsigned align, tw__arch arch); /* guide table 4.2 */

/* --- constraints.c ---------------------------------------------------------------------------------------------- */

typedef struct tw__constraint_problem {
    size_t offset, length; /* bytes of the text, counted from 0 */
    char message[320];
} tw__constraint_problem;
/* One constraint text against the fields of `vt` (name, form, interleaved are read). False: *problem says what is
 * wrong, where, and what would be right. out->text is `text`. */
bool tw__constraint_parse(const tw__vertex_type *vt, const char *text, tw__constraint *out,
                          tw__constraint_problem *problem);
/* All constraints of a table that the module has made; bad ones are reported at their place in the source. */
bool tw__constraints_check(const json_t *table, tw__reporter *reporter);

/* --- stack_sizes.c: stack sizes that codelets state ------------------------------------------------------------- */

typedef enum tw__stack_kind { TW__STACK_TOTAL, TW__STACK_OWN, TW__STACK_CALLS } tw__stack_kind;
typedef struct tw__stack_note {
    tw__stack_kind kind;
    int64_t bytes;            /* -1: no plain number */
    char *function, *targets; /* targets: of CALLS, apart by commas or blanks */
    unsigned line;            /* of assembly */
} tw__stack_note;
GArray *tw__stack_notes_new(void); /* of tw__stack_note; g_array_free() */
void tw__stack_note_clear(gpointer note);
/* Appends the notes of a C or C++ source that was preprocessed with TW__STACK_SCAN. */
void tw__stack_read_preprocessed(const char *text, GArray *notes);
/* Appends those of an assembly file. TW_E_COMPILATION, with a diagnostic, when a function is stated twice. */
tw_status tw__stack_read_assembly(const char *path, const char *text, GArray *notes, tw_diags *diags);
int64_t tw__stack_bytes_of(const GArray *notes, const char *symbol); /* -1: unknown */
json_t *tw__stack_notes_json(const GArray *notes);                   /* "stacks" of a vertex table */
GArray *tw__stack_notes_of(const json_t *table); /* the same read back; the table may be hostile */

/* --- gp/archive.c: the archive ---------------------------------------------------------------------------------- */

typedef struct tw__gp_member {
    char *name;
    char *data; /* a part of the archive's `bytes`, or a piece of memory of its own, which ends in a zero */
    size_t size;
    bool is_part;
    int64_t
        place; /* in an archive that is open: where the data is, which is read when it is asked for (NULL till then) */
} tw__gp_member;

/* The manifest: {"tilewright_gp": 1, "units": [unit...]}, unit = {"source": path, "language": "c" | "c++" |
 * "assembly", "flags": [...], "text": member, "headers": [{"path": path, "member": member}...], "tables": {target:
 * member...}, "objects": {"cpu-float": member, "cpu-f16": member}}; assembly has an ELF object for each chip. A
 * target is "cpu-float", "cpu-f16", a chip, or a variant like "ipu2:cpp". What popc writes has an index too, so that
 * little of a large archive has to be read: "names" of units, {target: member} with the vertices of the table, one a
 * line, and "digest" of the whole, the SHA-256 of all other members. */
typedef struct tw__gp {
    GPtrArray *members;  /* tw__gp_member *, in the order of the file */
    GHashTable *by_name; /* the same; of equal names the first */
    json_t *manifest;
    char *bytes;      /* what was read; NULL */
    int file;         /* of an archive that is open; -1 */
    unsigned counter; /* of member names */
} tw__gp;
tw__gp *tw__gp_new(void);
void tw__gp_free(tw__gp *gp);
/* Reads an archive; the data may be hostile. NULL with tw_error_message() when it is not one (TW_E_OBJECT_LOAD). */
tw__gp *tw__gp_read(const char *data, size_t size);
/* The same without a copy: takes over the data (malloc'ed), on failure too. */
tw__gp *tw__gp_take(char *data, size_t size);
/* The same of what a file holds: an archive, or an ELF object of a chip as one (gp/objects.c). */
tw__gp *tw__gp_take_file(const char *path, char *data, size_t size);
/* Opens an archive that has an index; members are read as they are asked for. NULL, without an error, when it is no
 * such archive: then it has to be read as a whole, which says what is wrong with it. */
tw__gp *tw__gp_open(const char *path);
/* The manifest's text; NULL when it has no digest. */
const tw__gp_member *tw__gp_identity(const tw__gp *gp);
GString *tw__gp_write(const tw__gp *gp);
/* Vertices of a unit for a target by the index; NULL when it has none. */
char **tw__gp_names(const tw__gp *gp, const json_t *unit, const char *target);
/* Adds the index. */
void tw__gp_make_index(tw__gp *gp);
/* Takes over name and data (malloc'ed by GLib; one more byte than size, zero). */
void tw__gp_member_add(tw__gp *gp, char *name, char *data, size_t size);
/* NULL when there is none, or when it cannot be read. */
const tw__gp_member *tw__gp_member_get(const tw__gp *gp, const char *name);
json_t *tw__gp_units(const tw__gp *gp);
/* Table of a unit for a target, a new reference; NULL when it has none. */
json_t *tw__gp_table(const tw__gp *gp, const json_t *unit, const char *target);
bool tw__gp_is_assembly(const json_t *unit);
/* Source of a unit in C or C++, with its flags; both to be freed. NULL: it is none. */
char *tw__gp_text(const tw__gp *gp, const json_t *unit, char ***flags, bool *is_c);
/* Object of a unit for a chip; NULL without an error when it has none. */
tw_status tw__gp_object(const tw__gp *gp, const json_t *unit, const char *chip, tw_object **object);
/* Stack notes of an assembly unit: those of the first chip it is made for, as they are part of the source. */
tw_status tw__gp_stacks(const tw__gp *gp, const json_t *unit, GArray *notes);

/* --- gp/fill.c: what popc does with it -------------------------------------------------------------------------- */

typedef struct tw__gp_target {
    char *name;   /* "cpu", "ipu2", "ipu2:cpp" */
    char *arch;   /* "cpu", "ipu1", "ipu2", "ipu21" */
    char **flags; /* added to the source's; may be NULL */
} tw__gp_target;
/* Compiles a source for the targets and adds it as a unit. */
tw_status tw__gp_compile(tw__gp *gp, const tw__source *source, const tw__gp_target *targets, size_t count,
                         tw_diags *diags);
/* Assembles a file for those targets that are chips and adds it as a unit of language "assembly", without tables.
 * TW_E_INVALID_ARGUMENT: none of them is a chip. */
tw_status tw__gp_assemble(tw__gp *gp, const tw__source *source, const tw__gp_target *targets, size_t count,
                          tw_diags *diags);
/* Adds a member under a new name, which is returned and owned by the archive: a file from elsewhere may have used
 * one. */
const char *tw__gp_new_member(tw__gp *gp, const char *extension, const char *data, size_t size);
/* Appends the units of `from`; TW_E_OBJECT_CREATION when both define a vertex for the same target. */
tw_status tw__gp_merge(tw__gp *into, const tw__gp *from, const char *from_name);

/* --- store.c, loaded.c: the units of a set as archives ---------------------------------------------------------- */

tw_status tw__codelets_add_archive(tw__codelets *set, const char *name, const char *data, size_t size);
size_t tw__codelets_units(const tw__codelets *set);
/* Unit `index` as the bytes of an archive (g_string_free), compiled for `targets` when it is a source. *name: what
 * messages call it, as long as the set lives. */
tw_status tw__codelets_unit(const tw__codelets *set, size_t index, const tw__gp_target *targets, size_t count,
                            GString **data, const char **name);

/* --- native_sim.c ----------------------------------------------------------------------------------------------- */

/* From now on simulators of tiles have a compiler. The shared library says so by itself. */
void tw__native_sim_offer(void);

#endif
