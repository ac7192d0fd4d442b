/* SPDX-License-Identifier: MIT */
/* cc: C and C++ for the chip's tile, compiled to text of the project's assembler.
 *
 * What knows clang and LLVM is a module, cc.so, that load.c loads when the first source is compiled: programs that
 * compile none never map LLVM. Any number of threads may compile at the same time. */
#ifndef TW_COLOSSUS_CC_H
#define TW_COLOSSUS_CC_H

#include "core/base/base.h"
#include "poplar/colossus/isa/isa.h"

#include <glib.h>

typedef enum tw__cc_language { TW__CC_C, TW__CC_CPP, TW__CC_IR } tw__cc_language; /* IR: text of LLVM, for tests */

typedef enum tw__cc_result {
    TW__CC_ASSEMBLY,
    TW__CC_SOURCE_IR,   /* what clang makes of the source, before any pass */
    TW__CC_OPTIMISED_IR /* what instructions are selected from */
} tw__cc_result;

typedef struct tw__cc_request {
    unsigned version; /* TW__CC_VERSION */
    const char *path; /* names the text in messages; need not exist */
    const char *text; /* `length` bytes, and a zero behind them */
    size_t length;
    tw__cc_language language;
    tw__cc_result result;
    tw_isa_arch arch;
    const char *const *args; /* as for clang's driver, without input and output; of IR none count */
    size_t arg_count;
    void (*report)(void *user, const tw_diag *diag); /* a problem, at its place; strings are of the call alone */
    void *user;
} tw__cc_request;

typedef struct tw__cc_output {
    char *text;     /* g_free; NULL when there were errors, which were reported */
    char **headers; /* files that the source included, in order; g_strfreev */
} tw__cc_output;

/* TW_E_COMPILATION: errors were reported, the first is in the message. TW_E_NO_ENVIRONMENT: no module is there. */
tw_status tw__cc_compile(const tw__cc_request *request, tw__cc_output *output);
void tw__cc_output_clear(tw__cc_output *output);
/* Changes when the module does; g_free. NULL: it is not there. */
char *tw__cc_identity(void);

/* --- what the module exports ------------------------------------------------------------------------------------ */

#define TW__CC_VERSION 1
#define TW__CC_SYMBOL  "tw__cc_module"

typedef struct tw__cc_calls {
    unsigned version;
    void (*compile)(const tw__cc_request *request, tw__cc_output *output);
} tw__cc_calls;

/* --- between its parts ------------------------------------------------------------------------------------------ */

/* Marks of functions in IR, as attributes that are strings: "tw-context" says who runs it. Functions without it are
 * called. */
#define TW__CC_CONTEXT            "tw-context"
#define TW__CC_CONTEXT_WORKER     "worker"     /* an entry: no arguments; its result is the exit status */
#define TW__CC_CONTEXT_SUPERVISOR "supervisor" /* an entry that gets the vertex state as its argument */
/* Named metadata: a node for each record type whose code does not tell how it is passed, !{!"struct.S",
 * !"pointer"} or !{!"struct.S", !"empty"}. All others: one scalar leaf and no padding is that scalar, else a
 * pointer. */
#define TW__CC_RECORDS "tw.records"

#endif
