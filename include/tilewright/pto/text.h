/* SPDX-License-Identifier: MIT */
/* pto/text: PTO-AS programs from C: read, verify for a target, bind arguments, run, print.
 *
 *     tw_pto_text *text = tw_pto_text_load("add.pto", report, NULL);
 *     if (!text || tw_pto_text_verify(text, TW_PTO_A5) != TW_OK) ...;         // `report` has been told what is wrong
 *     tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
 *     tw_pto_run *run = tw_pto_run_new(text, "add", core);
 *     tw_pto_run_memory(run, "x", x, TW_F32, 1, (size_t[]){ 512 });          // stays yours, is read and written in
 * place
 *     tw_pto_run_number(run, "n", "512");
 *     if (tw_pto_run_start(run, NULL) != TW_OK) puts(tw_error_message());
 *     tw_pto_run_free(run);
 *     tw_pto_free(core);
 *     tw_pto_text_free(text);
 *
 * Text is untrusted: a program touches nothing but its core and the memory of its arguments, whatever it says, and
 * ends after max_steps operations. Diagnostics name file, line and column; tw_error_message() has the first of a
 * failing call.
 *
 * Threads: a text and its runs belong to one at a time. */
#ifndef TILEWRIGHT_PTO_TEXT_H
#define TILEWRIGHT_PTO_TEXT_H

#include <tilewright/index.h>
#include <tilewright/pto/grid.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_pto_text tw_pto_text; /* a program as it was read */

/* Called for each diagnostic when it arises; `diag` is valid during the call. */
typedef void (*tw_pto_report)(void *user, const tw_diag *diag);

/* Reads a program. `name` stands for the file in diagnostics; name and source are copied. `report` may be NULL.
 * Returns NULL, with a message, when out of memory or (load) when the file cannot be read; a program with errors is
 * returned all the same: verification refuses it. Free with tw_pto_text_free. */
TW_API tw_pto_text *tw_pto_text_parse(const char *name, const char *source, size_t size, tw_pto_report report,
                                      void *user);
TW_API tw_pto_text *tw_pto_text_load(const char *path, tw_pto_report report, void *user);
TW_API void tw_pto_text_free(tw_pto_text *text); /* NULL is fine; its runs must be gone */

/* All diagnostics so far, owned by the text. */
TW_API const tw_diags *tw_pto_text_diags(const tw_pto_text *text);
/* Canonical text, malloc'ed: two blanks a level, one statement a line, compact types, comments kept; printing what
 * was printed changes nothing. NULL with a message: the program has syntax errors, or there is no memory. */
TW_API char *tw_pto_text_print(const tw_pto_text *text);
/* The module's pto.target_arch; false when it has none (*target unchanged) or names none that exists (a message). */
TW_API bool tw_pto_text_target(const tw_pto_text *text, tw_pto_target *target);
/* Checks names, types and every instruction for a target, as far as extents are known. TW_E_PARSE: diagnostics were
 * reported. May be called for several targets; asking again for one costs nothing. */
TW_API tw_status tw_pto_text_verify(tw_pto_text *text, tw_pto_target target);

/* Values and functions: where they are defined and used, of a program with errors too; their types once some target
 * has been verified. Names begin with % and @. Free with tw_index_free(). NULL: no memory. */
TW_API tw_index *tw_pto_text_index(const tw_pto_text *text);

/* --- functions, of a text that some target has been verified for ------------------------------------------------ */

/* Names in the order of the text; "" is what stands outside functions. NULL past the end, or before verification. */
TW_API const char *tw_pto_text_function(const tw_pto_text *text, size_t index);

/* Vector cores beside the cube core that a program is written for: 2, or 1 when a FIFO says nosplit, when it has
 * functions of both kinds of cores (pto.kernel_kind), or sections of both with FIFOs or flags between them; 0 = one
 * core that does both will do. */
TW_API unsigned tw_pto_text_vectors(const tw_pto_text *text);
/* What a core runs: `function`; or (NULL) the first function, if that is for any core, else the first of the core's
 * own kind.
 * NULL with an empty message: it is for the other kind of core, this one has nothing to do. NULL with a message:
 * there is none, or a core that is both would have to choose. */
TW_API const char *tw_pto_text_function_of(const tw_pto_text *text, const char *function, const tw_pto *core);

typedef enum tw_pto_param_kind {
    TW_PTO_PARAM_NUMBER = 0, /* integer, index or float */
    TW_PTO_PARAM_MEMORY = 1, /* pointer or memref */
    TW_PTO_PARAM_TILE = 2,
    TW_PTO_PARAM_OTHER = 3 /* cannot be bound */
} tw_pto_param_kind;

/* A parameter of a function, or a name that plain assembly uses and never defines. */
typedef struct tw_pto_param {
    const char *name, *type; /* without %; canonical; owned by the text */
    tw_pto_param_kind kind;
    tw_type element;
    unsigned rank; /* extents that the type gives: 2 for tiles, 1 to 5 for memrefs, 0 for pointers and numbers */
    int64_t extents[5]; /* -1 = any */
} tw_pto_param;
/* false past the end, or when there is no such function. `function` NULL = the first. */
TW_API bool tw_pto_text_param(const tw_pto_text *text, const char *function, size_t index, tw_pto_param *param);

/* Whether a run of `function` (NULL: of any, since cores of two kinds run two) can have memory or a tile of that
 * name at its end: asked before the run. TW_E_SYMBOL: it cannot; the message names the nearest. */
TW_API tw_status tw_pto_text_find_output(const tw_pto_text *text, const char *function, const char *name);

/* --- a run ------------------------------------------------------------------------------------------------------ */

typedef struct tw_pto_run tw_pto_run; /* one run of one function on one core, with its arguments and values */

/* The text must have been verified for the core's target. `function` NULL = the first. NULL with a message:
 * TW_E_SYMBOL no such function, TW_E_NO_MEMORY. The text and the core must outlive the run. Free with
 * tw_pto_run_free. */
TW_API tw_pto_run *tw_pto_run_new(tw_pto_text *text, const char *function, tw_pto *core);
TW_API const tw_pto_text *tw_pto_run_text(const tw_pto_run *run);
TW_API void tw_pto_run_free(tw_pto_run *run); /* NULL is fine; releases the run's tiles */

/* Value of a number, as text ("0x10", "-1", "2.5", "true") or as bits of the parameter's type (TW_E_TYPE: another
 * one).
 * TW_E_SYMBOL: no such parameter; the message suggests one. */
TW_API tw_status tw_pto_run_number(tw_pto_run *run, const char *name, const char *value);
TW_API tw_status tw_pto_run_scalar(tw_pto_run *run, const char *name, tw_pto_scalar value);
/* Memory of a pointer or memref: extents[rank] elements of `type`, row-major, contiguous. It stays the caller's until
 * the run is freed, and is read and written in place. For a tile it is copied in. TW_E_TYPE: the element type differs
 * (integers match by width; types that C lacks match unsigned integers of their width); TW_E_INVALID_ARGUMENT:
 * extents differ.  */
TW_API tw_status tw_pto_run_memory(tw_pto_run *run, const char *name, void *data, tw_type type, unsigned rank,
                                   const size_t *extents);

/* `bytes` at `data` are on `device` what the memory of the pointer or memref `name`, bound before, is here:
 * pto.remote_ptr gives them. They stay the caller's until the run is freed. TW_E_SYMBOL: no such parameter;
 * TW_E_TYPE: it is neither. */
TW_API tw_status tw_pto_run_peer(tw_pto_run *run, const char *name, unsigned device, void *data, size_t bytes);

/* What a run may do by default. Numbers alone end within a minute on an ordinary machine; tiles take longer a step,
 * so a program for people sets max_seconds too, as `tilewright pto run` does. */
#define TW_PTO_DEFAULT_STEPS (UINT64_C(1) << 30)

/* All else zero = the defaults. */
typedef struct tw_pto_run_options {
    size_t size;            /* sizeof(tw_pto_run_options) */
    uint64_t max_steps;     /* operations; 0 = TW_PTO_DEFAULT_STEPS */
    FILE *out;              /* of pto.print and pto.tprint; NULL = nowhere */
    uint32_t block, blocks; /* what get_block_idx and get_block_num give; blocks 0 = 1 */
    double max_seconds;     /* of processor time of this thread, from here on; 0 = no limit */
} tw_pto_run_options;
/* Runs the function once. TW_E_INVALID_ARGUMENT: a parameter is not bound (the diagnostic says where it stands).
 * TW_E_APPLICATION and others: the program
 * failed, the diagnostic says where. */
TW_API tw_status tw_pto_run_start(tw_pto_run *run, const tw_pto_run_options *options);
/* A tile of the function by name, after a run: the last with that name whose block has not ended. Read it with
 * tw_pto_read; owned by the run. NULL with a message. */
TW_API tw_pto_tile *tw_pto_run_tile(tw_pto_run *run, const char *name);

#ifdef __cplusplus
}
#endif
#endif
