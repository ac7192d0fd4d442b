/* SPDX-License-Identifier: MIT */
/* `tilewright csl debug` in parts: csl_debug.c runs and stops, csl_break.c has the breakpoints, csl_look.c what is
 * shown, csl_source.c lines of sources, csl_dap.c what `--dap` asks. */
#ifndef TW_CLI_CSL_DEBUG_H
#define TW_CLI_CSL_DEBUG_H

#include "cli/csl/csl_run.h"
#include "cli/dap/dap.h"
#include "cli/words.h"

#include <tilewright/csl/debug.h>

typedef struct breakpoint {
    unsigned id, hits;
    uint64_t ignored; /* so many hits more do not stop */
    bool enabled, temporary, has_pe;
    unsigned x, y;
    char *place, *condition; /* NULL: anywhere; always */
    char *watched;           /* a value of that PE, which stops it when it changes; NULL: it is none of these */
    char *before, *now;      /* what it was, and is; of long arrays a part */
    char *bytes;             /* all that it is */
    char *function, *file;   /* whose frame it is read in; NULL: in none, for all its names are the program's */
    bool changed;            /* at the halt under way, and that stops it */
    bool away;               /* since it was looked at last that function has ended */
    GArray *codes;           /* tw_wse_code */
    GHashTable *held;        /* without a place: PEs where the condition was true when it was last looked at */
} breakpoint;

/* How far the PE looked at is to run. */
typedef enum mode { FREELY, STEP_INSTRUCTION, STEP_LINE, STEP_OUT } mode;

typedef struct tw__debugger {
    tw__reader reader;
    const tw_csl_program *program;
    tw__csl_settings *settings;
    tw_csl_info info;
    tw_wse *w;
    bool running, fresh;  /* in a run; the wafer has not run yet */
    bool leave, again;    /* the run is to end; another one follows */
    unsigned x, y, frame; /* looked at */
    uint64_t cycle;       /* of the last stop */
    GPtrArray *breakpoints;
    GArray *displays; /* csl_watch.c; NULL: none */
    unsigned next_id, next_display;
    mode mode;
    bool over;
    uint64_t steps, passes;          /* that are left; breakpoints to pass by */
    unsigned depth, line, at, calls; /* where the step began; calls: frames of functions that were not inlined */
    const char *file, *function;
    GHashTable *sources; /* path -> char ** of its lines; NULL: it cannot be read */
    GPtrArray *folders;  /* where sources are looked for */
    char *list_file;
    unsigned list_line;
    /* With a client of --dap; dap NULL: without. */
    tw__dap *dap;
    uint64_t until; /* the cycle that the user wants; it halts before, to look for messages */
    bool entry;     /* the next halt is that at the start */
    unsigned hit;   /* breakpoint that it stopped at; 0: none */
} debugger;

#define complain(d, ...) tw__reader_complain(&(d)->reader, __VA_ARGS__)

/* --- csl_debug.c ------------------------------------------------------------------------------------------------ */
unsigned tw__csl_depth(const debugger *d, unsigned x, unsigned y); /* frames of a PE */
/* "3,4" at the start of *text, which moves behind it. False: it is none. */
bool tw__csl_read_pe(const char **text, unsigned *x, unsigned *y);
bool tw__csl_choose_pe(debugger *d, unsigned x, unsigned y); /* false after a message */
bool tw__csl_start(debugger *d);                             /* a run, to its end; true: it went well */
void tw__csl_go(debugger *d);                                /* on, in the mode that was set */
void tw__csl_step_by(debugger *d, mode how, bool over);      /* once */
/* csl_dap.c: the client is told of a stop and asked how to go on. */
void tw__csl_dap_stop(debugger *d, const tw_wse_halt *halt);
bool tw__csl_dap_passes(debugger *d, const tw_wse_halt *halt);                /* the halt was for messages only */
bool tw__csl_dap_logs(debugger *d, const tw_wse_halt *halt, unsigned number); /* a log point: nothing stops */
void tw__csl_dap_tick(debugger *d);                                           /* halts soon, for messages */
extern const tw__dap_target tw__csl_dap_target;

/* --- csl_break.c ------------------------------------------------------------------------------------------------ */
void tw__csl_break(debugger *d, char *args);
void tw__csl_tbreak(debugger *d, char *args);
void tw__csl_delete(debugger *d, char *args);
/* The places (tw_wse_code) of "LOCATION", "12" in the file looked at; false after a message. */
bool tw__csl_locations(debugger *d, const char *place, GArray *codes);
void tw__csl_enable(debugger *d, char *args);
void tw__csl_disable(debugger *d, char *args);
void tw__csl_ignore(debugger *d, char *args);
void tw__csl_ignore_hits(debugger *d, unsigned id, uint64_t count);
void tw__csl_remove(debugger *d, unsigned id); /* nothing when there is no such breakpoint */
void tw__csl_info_break(debugger *d, char *args);
breakpoint *tw__csl_hit(debugger *d, const tw_wse_halt *halt); /* that stops here; NULL = none does */
void tw__csl_mark_all(debugger *d);                            /* in a new wafer, or after a change */
void tw__csl_forget(debugger *d, breakpoint *b);
void tw__csl_free_breakpoint(void *b);

/* --- csl_watch.c ------------------------------------------------------------------------------------------------ */
void tw__csl_display(debugger *d, char *args);
void tw__csl_undisplay(debugger *d, char *args);
void tw__csl_show_displays(debugger *d);
bool tw__csl_changed(debugger *d, breakpoint *b); /* a watchpoint's value, since it was looked at last */
breakpoint *tw__csl_first_change(debugger *d);    /* of the halt under way; NULL: none */
void tw__csl_tell_changes(debugger *d);
bool tw__csl_watch_parse(debugger *d, const char *value, breakpoint *b);
void tw__csl_watch(debugger *d, char *args); /* csl_break.c */

/* --- csl_look.c, csl_source.c ----------------------------------------------------------------------------------- */
extern const tw__word tw__csl_infos[];
extern const size_t tw__csl_info_count;
void tw__csl_print(debugger *d, char *args);
/* "/x " at the start of args; what stands behind it, or NULL after a message. */
char *tw__csl_read_format(debugger *d, char *args, char *format);
void tw__csl_ptype(debugger *d, char *args);
void tw__csl_x(debugger *d, char *args);
void tw__csl_set(debugger *d, char *args);
void tw__csl_backtrace(debugger *d, char *args);
void tw__csl_frame(debugger *d, char *args);
void tw__csl_up(debugger *d, char *args);
void tw__csl_down(debugger *d, char *args);
void tw__csl_list(debugger *d, char *args);
void tw__csl_disassemble(debugger *d, char *args);
void tw__csl_why(debugger *d, char *args);
void tw__csl_directory(debugger *d, char *args);
void tw__csl_put_code(const tw_wse_code *code); /* "in 'f' at pe.csl:12" */
void tw__csl_show_place(debugger *d);           /* where the PE looked at is, with its source line */
const char *tw__csl_source_line(debugger *d, const char *file, unsigned line); /* NULL: not to be read */

#endif
