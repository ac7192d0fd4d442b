/* SPDX-License-Identifier: MIT */
/* popc, the codelet compiler, as a library: compile vertex sources to a .gp file that tw_graph_add_codelets()
 * loads.  tw_diags *diags = tw_diags_new(); tw_popc_options options = { .size = sizeof options, .output =
 * "codelets.gp", .flags = "-O3 -DN=4" }; if (tw_popc_compile("codelets.cpp", &options, diags) != TW_OK)
 * tw_diags_print(diags, stderr, true); tw_diags_free(diags);  A .gp file holds native code for the host, with half
 * as a float and as a 16-bit half, and for each chip code and the layout of every vertex's state.  Threads: calls
 * are independent, also those of several processes that share a cache. `diags` is used by one thread at a time. */
#ifndef TILEWRIGHT_POPLAR_POPC_H
#define TILEWRIGHT_POPLAR_POPC_H

#include <tilewright/poplar/colossus/object.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All else zero: flags none, every target. */
typedef struct tw_popc_options {
    size_t size;         /* sizeof(tw_popc_options) */
    const char *output;  /* file to write; required */
    const char *flags;   /* for the compiler, as a shell would split them: -D -I -U -g -O0..3 -std -W... -f... */
    const char *targets; /* "cpu,ipu1,ipu2,ipu21" or a JSON list (`popc --help`); NULL = all */
    const char
        *depfile; /* a rule for make is written there: the output depends on the inputs and on what they include,
                          * but for headers of the system and of this toolkit; NULL = none. tw_popc_build() alone */
    const char *rule; /* what that rule names; NULL = the output */
} tw_popc_options;

/* Compiles one C or C++ source. Messages about it go to `diags` (may be NULL). Nothing is written on failure, nor
 * over an input:
 * TW_E_FILE_LOAD, TW_E_COMPILATION, TW_E_NO_ENVIRONMENT (no compiler), TW_E_INVALID_ARGUMENT, TW_E_IO. */
TW_API tw_status tw_popc_compile(const char *source, const tw_popc_options *options, tw_diags *diags);

/* The same for several sources, ELF objects of chips (.o) and .gp files, into one. */
TW_API tw_status tw_popc_build(const char *const *inputs, size_t count, const tw_popc_options *options,
                               tw_diags *diags);

/* The preprocessed source, or the host's assembly, of a source as text, which the caller frees, or to the file
 * options->output. TW_E_COMPILATION: the message holds those of the compiler. */
TW_API char *tw_popc_translate(const char *source, bool assembly, const tw_popc_options *options);
TW_API tw_status tw_popc_translate_file(const char *source, bool assembly, const tw_popc_options *options);

/* Code of one chip (options->targets: ipu1, ipu2 or ipu21; NULL: ipu2) for a source in C, C++ or assembly: text of
 * the assembler, or an ELF object. *size bytes in memory that the caller frees, with a zero behind them. Errors as
 * those of tw_popc_compile(). */
TW_API char *tw_popc_code(const char *source, bool assembly, const tw_popc_options *options, size_t *size,
                          tw_diags *diags);

/* Merges .gp files into one. TW_E_OBJECT_LOAD names a file that is not one, TW_E_OBJECT_CREATION a vertex that two
 * of them define for the same target. */
TW_API tw_status tw_popc_merge(const char *const *files, size_t count, const char *output);

/* Code of a chip in a .gp archive or ELF object: an object of each source that went into it, with the names of those
 * files. chip: "ipu2", "mk2" ...; NULL: the only one that the file has code for, else ipu2. The caller frees:
 * tw_object_free() each, free() the list. TW_E_OBJECT_LOAD also when there is no code for the chip. */
TW_API tw_object **tw_popc_objects(const char *path, const char *chip, size_t *count);

/* "cpu,ipu1,ipu2,ipu21"; static. */
TW_API const char *tw_popc_targets(void);

/* Symbol of the entry of a vertex (guide 3.5): "ns::Foo<float, 2>" -> "__runCodelet_ns__Foo___float_2". Returns the
 * length; writes at most `size` bytes with the terminating zero, like snprintf. */
TW_API size_t tw_popc_mangle(const char *vertex_name, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
