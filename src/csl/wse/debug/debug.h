/* SPDX-License-Identifier: MIT */
/* What a debugger is shown of a wafer that stands still: places in code, frames, values, and the state of a PE. */
#ifndef TW_CSL_WSE_DEBUG_DEBUG_H
#define TW_CSL_WSE_DEBUG_DEBUG_H

#include "csl/wse/wse.h"
#include <glib.h>

/* --- code.c --------------------------------------------------------------------------------------------------- */

/* Code of one frame of the backtrace: of a function, or of one that went into its caller. */
typedef struct tw__wse_frame {
    const char *function;
    tw__csl_line source;  /* line 0 = unknown; its frame is the one that `function` is */
    uint32_t at;          /* the instruction: that comes next, or the call */
    uint32_t base, stack; /* first register, and address of the stack area, of the function that the code is in */
    bool inlined;
    bool left_out; /* between it and the frame it was called in there were others, which ended in calls */
} tw__wse_frame;
/* Frame n, 0 is the innermost; false = there are not so many, or the PE is in no task. */
bool tw__wse_frame_at(const tw__wse *w, uint32_t pe, unsigned n, tw__wse_frame *out);
/* The instruction that the PE stands at, or waits in; false: it is in no task. */
bool tw__wse_pc(const tw__wse *w, uint32_t pe, uint32_t *at);
/* What the instruction `at` comes from, as the innermost frame would show it. */
void tw__wse_frame_of_code(const tw__csl_program *p, uint32_t at, tw__wse_frame *out);

typedef struct tw__wse_code {
    uint32_t program, at;
} tw__wse_code;
/* The first instructions of a place in all programs: "pe.csl:12", a function or task by name. Added to `codes`
 * (tw__wse_code). False with tw_error_message(): no such place. */
bool tw__wse_find_code(const tw__wse *w, const char *place, GArray *codes);

/* Whether the PE may go on at another instruction, of the function that it stands in; true: it will. */
bool tw__wse_jump(tw__wse *w, uint32_t pe, uint32_t at);

/* --- value.c -------------------------------------------------------------------------------------------------- */

/* The value of an expression over the variables of a PE in a frame, as text to be freed with g_free(); NULL with
 * tw_error_message(). format: 0, one of gdb's x d u t c f, or b: the bytes of all of it; "" = optimised out. */
char *tw__wse_print_value(const tw__wse *w, uint32_t pe, unsigned frame, const char *text, char format);
/* The type of its value, for g_free(); NULL with the same errors. */
char *tw__wse_print_type(const tw__wse *w, uint32_t pe, unsigned frame, const char *text);
/* Puts the number `value` where the place is: a variable, element or pointer in memory, a local in its register, $r4.
 * TW_E_PARSE, TW_E_SYMBOL, TW_E_TYPE, TW_E_INDEX, TW_E_OVERFLOW where its type has no such number. */
tw_status tw__wse_assign(tw__wse *w, uint32_t pe, unsigned frame, const char *place, const char *value);
/* Whether it is true. TW_E_PARSE, TW_E_SYMBOL, TW_E_TYPE. */
tw_status tw__wse_condition(const tw__wse *w, uint32_t pe, unsigned frame, const char *text, bool *holds);
char *tw__wse_locals(const tw__wse *w, uint32_t pe, unsigned frame); /* "name = value" lines */

/* --- operand.c: what a DSD reaches ---------------------------------------------------------------------------- */

void tw__wse_put_dsd(GString *out, const tw__wse *w, uint32_t pe, const tw__csl_dsd *dsd);
void tw__wse_put_number(GString *out, tw_type type, uint64_t bits, char format);

/* --- show.c --------------------------------------------------------------------------------------------------- */

typedef enum tw__wse_view {
    TW__WSE_VIEW_PE,
    TW__WSE_VIEW_TASKS,
    TW__WSE_VIEW_QUEUES,
    TW__WSE_VIEW_OPERATIONS,
    TW__WSE_VIEW_ROUTES,
    TW__WSE_VIEW_FLIGHT,
    TW__WSE_VIEW_DSRS,
    TW__WSE_VIEW_FIFOS,
    TW__WSE_VIEW_WHY,
    TW__WSE_VIEW_LOCALS,
    TW__WSE_VIEW_VARIABLES,
    TW__WSE_VIEW_REGISTERS,
    TW__WSE_VIEWS
} tw__wse_view;
/* Lines; g_free(). "" when there is nothing to show. */
char *tw__wse_show(tw__wse *w, uint32_t pe, unsigned frame, tw__wse_view view);

#endif
