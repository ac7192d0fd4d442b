/* SPDX-License-Identifier: MIT */
/* What the interactive mode of `tilewright sim` knows: sim_debug.c runs and stops, sim_frames.c
 * knows who called whom, sim_watch.c what is watched and shown, sim_commands.c reads commands. */
#ifndef TW_CLI_SIM_DEBUG_H
#define TW_CLI_SIM_DEBUG_H

#include "cli/colossus/sim.h"
#include "cli/dap/dap.h"
#include "cli/words.h"

typedef enum breakpoint_kind {
    AT_PLACE,
    AT_VERTEX,
    AT_STEP,
    AT_TENSOR
} breakpoint_kind; /* all but the first: in graphs */

typedef struct breakpoint {
    unsigned id;
    breakpoint_kind kind;
    uint32_t address;
    GArray *places;    /* in graphs: uint32_t, of the image that runs; NULL: `address` alone */
    char *type, *step; /* in graphs: vertex type and compute set; NULL: any */
    gint64 tile;       /* ... -1: any */
    bool enabled, temporary;
    guint64 hits, ignored;  /* ignored: so many hits more do not stop */
    char *text, *condition; /* condition: NULL = always */
    char *value, *before;   /* of a watchpoint, whose address is UINT32_MAX: now, and before it changed */
    unsigned context;       /* ... who watches, and how deep in calls a local is */
    guint depth;
    bool is_local, changed, gone;
} breakpoint;

typedef struct frame {
    uint32_t call, back; /* the call, and where it returns to */
} frame;

/* How far a context is to run. */
typedef enum mode { FREELY, STEP_INSTRUCTION, STEP_LINE, STEP_OUT } mode;

typedef struct tw__debugger {
    tw__sim_session *s;
    GArray *breakpoints;             /* breakpoint */
    GArray *frames[TW_SIM_CONTEXTS]; /* frame, innermost last */
    bool linked[TW_SIM_CONTEXTS];    /* the code has put something into $lr since its last call or return */
    GArray *displays;                /* sim_watch.c; NULL: none */
    /* In graphs, else NULL: prints the tensor of that name, "x[0..4]"; false with tw_error_message(). */
    bool (*tensor)(struct tw__debugger *d, const char *text);
    unsigned next_id, next_display, context;
    unsigned watches; /* 0: nobody ever watched */
    bool changed;     /* something that is watched, by the context `writer` */
    unsigned writer;
    mode mode;
    bool over;        /* calls count as one step */
    bool moved;       /* the context has run something since it was let go */
    bool leave;       /* the stop that the context stands at does not count again */
    guint depth;      /* of its frames when it was let go */
    unsigned inlined; /* calls that were inlined there */
    uint32_t pc, line;
    const char *file;
    const breakpoint *hit;
    char *trouble;     /* of a condition */
    tw__reader reader; /* of commands */
    uint32_t list_line, x_next;
    const char *list_file;
    char x_format, x_size;
    tw__dap *dap;      /* a client of --dap; NULL: without */
    unsigned hit_id;   /* breakpoint of the last stop, 0: none */
    bool has_started;  /* for a client, once before */
    uint64_t ticks;    /* looks at instructions, now and then for messages */
    tw_sim_stop ended; /* why the tile stopped last */
} debugger;

/* --- sim_debug.c, sim_frames.c ---------------------------------------------------------------------------------- */

void tw__debug_open(debugger *d, tw__sim_session *s);
void tw__debug_close(debugger *d);
/* Tells what a command has got wrong. */
#define tw__debug_complain(d, ...) tw__reader_complain(&(d)->reader, __VA_ARGS__)
void tw__debug_step(debugger *d, char *args);
void tw__debug_stepi(debugger *d, char *args);
void tw__debug_next(debugger *d, char *args);
void tw__debug_nexti(debugger *d, char *args);
void tw__debug_continue(debugger *d, char *args);
void tw__debug_finish(debugger *d, char *args);
void tw__debug_run(debugger *d, char *args);
void tw__debug_begin(debugger *d);         /* what has been started: to its first stop, which d->ended is */
void tw__debug_forget_frames(debugger *d); /* before something else is started */
void tw__debug_hook(debugger *d);          /* looks at each instruction of the session's simulator */
void tw__debug_tell_break(debugger *d);
/* Calls and returns of a context, from what it has just done. */
void tw__debug_follow(debugger *d, const tw_sim_event *event);
/* Where frame `n` of the context looked at stands: 0 is its pc. False: there are not so many. */
bool tw__debug_frame(const debugger *d, guint n, uint32_t *address);
uint32_t tw__debug_back(const debugger *d, guint n);        /* where frame `n` goes on; 0: it is the innermost */
int tw__debug_section(const debugger *d, uint32_t address); /* of code: a function where C was compiled; -1: none */
bool tw__debug_locate(debugger *d, const char *text, uint32_t *address);
void tw__debug_tell_address(debugger *d, uint32_t address);
void tw__debug_print(debugger *d, char *args); /* sim_commands.c */
extern const tw__word tw__sim_words[], tw__sim_infos[];
extern const size_t tw__sim_word_count, tw__sim_info_count;
void tw__sim_names(debugger *d, void (*add)(void *list, const char *name), void *list); /* for completion */
void tw__debug_watch(debugger *d, char *args);                                          /* sim_watch.c */
/* Whether an instruction of the context changed something that is watched; what, is told at the stop. */
bool tw__debug_look(debugger *d, unsigned context);
void tw__debug_look_afresh(debugger *d);
void tw__debug_tell_changes(debugger *d);
void tw__debug_jump(debugger *d, char *args);
void tw__debug_show_displays(debugger *d);
void tw__debug_display(debugger *d, char *args);
void tw__debug_undisplay(debugger *d, char *args);
bool tw__debug_print_array(debugger *d, const char *args); /* false: it is none */
void tw__source_locals(debugger *d, char *args);           /* sim_source.c */
void tw__source_ptype(debugger *d, char *args);
unsigned tw__source_backtrace(debugger *d, unsigned first, uint32_t address);
/* The calls of a context, whose instructions nobody has followed, by the rules of .debug_frame; without any: none. */
void tw__source_find_calls(const tw__sim_session *s, unsigned context, GArray *frames);
/* A frame of the backtrace with its source line; false: nothing is known of it. */
bool tw__source_show_frame(debugger *d, unsigned number, unsigned inlined, uint32_t address);
void tw__debug_break(debugger *d, char *args);
void tw__debug_tbreak(debugger *d, char *args);
void tw__debug_until(debugger *d, char *args);
void tw__debug_delete(debugger *d, char *args);
void tw__debug_enable(debugger *d, char *args);
void tw__debug_disable(debugger *d, char *args);
void tw__debug_ignore(debugger *d, char *args);
void tw__debug_ignore_hits(debugger *d, unsigned id, uint64_t count);
void tw__debug_remove(debugger *d, unsigned id); /* nothing when there is no such breakpoint */
bool tw__debug_interrupted(void);                /* the last stop was for that */
void tw__debug_interrupt(bool on);
void tw__debug_calm(debugger *d); /* of a reader: before each prompt */
/* A value as text, g_free(); NULL with *error. */
char *tw__debug_value(debugger *d, unsigned context, const char *text, char **error);
bool tw__debug_choose_frame(debugger *d, unsigned n); /* false: there are not so many */
char *tw__source_locals_text(debugger *d);            /* of the frame that was chosen, free(); NULL: not known */
/* The innermost place of frame `inlined` of those at an address; name for g_free(). False: it has no names. */
bool tw__source_frame(debugger *d, uint32_t address, unsigned inlined, tw__dap_frame *shown);
void tw__sim_dap_exception(debugger *d, unsigned thread); /* tells the client that it stopped for one */
extern const tw__dap_target tw__sim_dap_target;           /* sim_dap.c; without `main` */

#endif
