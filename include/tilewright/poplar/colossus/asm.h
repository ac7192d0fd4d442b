/* SPDX-License-Identifier: MIT */
/* The assembler: text to tw_object.
 *
 *     tw_asm_options options = { .size = sizeof options, .arch = TW_ISA_IPU2 };
 *     tw_diags *diags = tw_diags_new();
 *     tw_object *object = tw_asm_file("axpy.S", &options, diags);
 *     if (!object) tw_diags_print(diags, stderr, true);
 *
 * The language is that of docs/colossus.md: GNU syntax, bundles in braces, the instructions of
 * <tilewright/poplar/colossus/isa.h>.
 *
 * Threads: calls are independent. `diags` is used by one thread at a time. */
#ifndef TILEWRIGHT_POPLAR_COLOSSUS_ASM_H
#define TILEWRIGHT_POPLAR_COLOSSUS_ASM_H

#include <tilewright/index.h>
#include <tilewright/poplar/colossus/object.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_asm_options {
    size_t size;                  /* sizeof(tw_asm_options) */
    tw_isa_arch arch;             /* 0: ipu2 */
    const char *const *cpp_flags; /* for the C preprocessor: "-I...", "-D..."; NULL-terminated, NULL = none */
    bool preprocessed;            /* tw_asm_file: do not run the preprocessor, whatever the name */
    unsigned max_errors;          /* gives up after so many; 0: 20 */
    size_t max_expanded;          /* bytes of text that macros, repetitions and .include may make; 0: 64 MiB */
} tw_asm_options;

/* Code of the error that an instruction of other chips gets. */
#define TW_ASM_NO_SUCH_INSTRUCTION "asm.chip"

/* Assembles text that is ready for the assembler: no preprocessor. `file` is the name in messages. TW_E_PARSE: errors
 * are in `diags` (which may be NULL). Free the object with tw_object_free(). */
TW_API tw_object *tw_asm_text(const char *text, size_t length, const char *file, const tw_asm_options *options,
                              tw_diags *diags);
/* Assembles a file; one whose name ends in .S goes through the C preprocessor first (clang, with __IPU__,
 * __IPU_ARCH_VERSION__, __ASSEMBLER__ and __POPC__ defined and the headers of codelets found). */
TW_API tw_object *tw_asm_file(const char *path, const tw_asm_options *options, tw_diags *diags);

/* Labels, symbols and macros that a text defines, and where it names them; a text with errors, or one that is not
 * preprocessed yet, will do. Free with tw_index_free(). NULL: no memory. */
TW_API tw_index *tw_asm_index(const char *text, size_t length, const char *file);

#ifdef __cplusplus
}
#endif
#endif
