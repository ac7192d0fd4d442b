/* SPDX-License-Identifier: MIT */
/* `tilewright sim` in parts: sim.c the command, sim_call.c arguments of calls, sim_expr.c values and places as a user
 * writes them, sim_show.c what is shown of a tile, sim_debug.c and sim_commands.c the interactive mode, sim_dap.c
 * what `--dap` asks. */
#ifndef TW_CLI_SIM_H
#define TW_CLI_SIM_H

#include "cli/cli.h"

#include <glib.h>
#include <tilewright/poplar/colossus/debug.h>
#include <tilewright/poplar/colossus/sim.h>

typedef struct tw__dap tw__dap;

typedef struct tw__sim_request {
    const char *entry, *arch, *registers, *memory, *call, *limit, *show, *options;
    const char *save_at, *save, *resume;                      /* checkpoints */
    bool trace, cycles, all, supervisor, interactive, serves; /* serves: --dap was given */
    tw__dap *dap;                                             /* the client; NULL: none */
} tw__sim_request;

/* Behind the start of region 1. */
enum { TW__SIM_VERTEX = 0x10000, TW__SIM_ARGUMENTS = 0x4000, TW__SIM_SCRATCH = 0x1000, TW__SIM_KEPT = 6 };

typedef struct tw__sim_session {
    tw_sim *sim; /* NULL: none stands, in graphs */
    tw_object *image;
    const tw__sim_request *r;
    uint32_t region1;
    uint32_t room;               /* for stacks, arguments and the vertex: behind the image's data in region 1 */
    uint32_t next;               /* where the next aggregate goes */
    uint32_t kept[TW__SIM_KEPT]; /* registers that a function has to keep, at its entry */
    guint64 limit;               /* turns of a run; 0: no limit */
    /* Looks, between pieces of a run, whether it is to stop there. NULL: nobody does. */
    bool (*look)(void *user);
    void *look_user;
    bool looked;  /* the last run stopped for that ... */
    guint64 took; /* ... after so many turns of the context with the most */
    /* Memory, registers and arguments as at the start, and the contexts started: the exit status. NULL: they are. */
    int (*prepare)(struct tw__sim_session *s);
    bool in_line;            /* the code has printed something without a line's end */
    const char *next_save;   /* of the cycles of --save-at those that are left; NULL: none */
    const char *trace_file;  /* simulator option traceFile; "" = none */
    tw_debug *debug;         /* NULL: the image has none */
    unsigned inlined, frame; /* whose variables are meant: of the innermost function, and in the backtrace */
    unsigned calls;          /* ... how many calls out of it */
    uint32_t back;           /* ... where the last of these returns to */
    GHashTable *lines;       /* "file:line" -> turns */
    GHashTable *sources;     /* path -> char ** of its lines; NULL: it cannot be read */
} tw__sim_session;

int tw__sim_with(tw__dap *dap, int argc, char **argv); /* sim.c: the command for a client */

/* --- sim_debug.c ------------------------------------------------------------------------------------------------ */

/* Lets the tile run and tells faults and limits; syncs with other tiles are answered at once. */
tw_sim_stop tw__sim_go(tw__sim_session *s);
/* tw_sim_run() in pieces, between which it tells how far it is and prints what the code does. `limit`: turns, of the
 * context with the most; 0: none. TW_SIM_LIMIT also where the session's look() stopped it. */
tw_sim_stop tw__sim_pieces(tw__sim_session *s, guint64 limit);

/* --- sim_save.c: checkpoints ------------------------------------------------------------------------------------ */

bool tw__sim_are_cycles(const char *list); /* of --save-at, lowest first; NULL: none */
/* tw_sim_run() with the checkpoints that come due meanwhile; *failed when one could not be written,
 * which it tells. */
tw_sim_stop tw__sim_run(tw__sim_session *s, bool *failed);
void tw__sim_add_saves(const tw__sim_request *r, GPtrArray *out); /* names of the files of --save-at, g_free each */
int tw__sim_saved(const tw__sim_session *s);                      /* were all of them written? */

/* --- sim_call.c ------------------------------------------------------------------------------------------------- */

/* Places arguments by the ABI of guide 10.3.1: "1, 2.5, 1:2, {4,5}, ..., 9". The exit status. */
int tw__sim_pass(tw__sim_session *s, const char *args);
/* Notes the registers that the function has to keep; tells those that it has changed. */
void tw__sim_note_kept(tw__sim_session *s);
void tw__sim_check_kept(const tw__sim_session *s);

/* --- sim_expr.c ------------------------------------------------------------------------------------------------- */

/* "7", "-1", "0x10", "1.5", "1.5f" (single), "1.5h" (half): the bits. */
bool tw__sim_number(const char *text, uint32_t *bits, bool *is_float);
/* Words of a register, pair or quad; one of everything else. */
typedef struct tw__sim_value {
    uint32_t words[4];
    unsigned count;
    bool is_float; /* of the $a file */
} tw__sim_value;

/* "$m0 + 4 * (f - 1)", "*0x82000 == $a0", "$a0:1", "$FP_STS". False: *error says why; the caller frees it. */
bool tw__sim_evaluate(const tw__sim_session *s, unsigned context, const char *text, tw__sim_value *value,
                      char **error);
/* "$m0 = 1.5", "*0x82000 = $m1". */
bool tw__sim_assign(tw__sim_session *s, unsigned context, const char *text, char **error);
/* A place in code: "f", "f + 8", "12" and "file.s:12" (lines), "0x4c000", "*$m0". */
bool tw__sim_locate(const tw__sim_session *s, unsigned context, const char *text, uint32_t *address, char **error);
/* All of them: a function that was inlined, and a line, may have several. False: *error. */
bool tw__sim_locations(const tw__sim_session *s, unsigned context, const char *text, GArray *addresses,
                       char **error);
/* Those of functions, symbols and lines ("file.cpp:12") by the session's image alone; none: it has no such place. */
void tw__sim_image_places(const tw__sim_session *s, const char *text, GArray *addresses);
/* Address of the first code of a line, or of the next line that has code; false when there is none. */
bool tw__sim_line_address(const tw__sim_session *s, const char *file, uint32_t line, uint32_t *address);

/* --- sim_source.c: code from C and C++ with debug information --------------------------------------------------- */

/* A variable as text; NULL, and *error unless it cannot be one. */
char *tw__source_print(const tw__sim_session *s, unsigned context, const char *text, char **error);
size_t tw__source_length(const char *text); /* of "a.b[c]->d" at its start */
/* A variable that lies in memory gets another value: "1.5" or an expression. False: *error, or NULL: it is none. */
bool tw__source_assign(const tw__sim_session *s, unsigned context, const char *name, const char *value,
                       char **error);
bool tw__source_word(const tw__sim_session *s, unsigned context, const char *text, uint32_t *word);
/* Name of the function at an address, of the innermost inlined one; NULL = not known. */
const char *tw__source_function(const tw__sim_session *s, uint32_t address, char *name, size_t size);
unsigned tw__source_depth(const tw__sim_session *s, uint32_t address); /* how many inlined calls and functions */
void tw__source_places(const tw__sim_session *s, const char *function, GArray *addresses);

/* --- sim_show.c ------------------------------------------------------------------------------------------------- */

const char *tw__sim_context_name(unsigned context); /* "worker 0"; valid until the next call */
/* Line of a source, NULL when it cannot be read. */
const char *tw__sim_source_line(tw__sim_session *s, const char *file, uint32_t line);
/* "f+4 () at lib.s:5", the line and the instruction. */
void tw__sim_show_place(tw__sim_session *s, unsigned context);
void tw__sim_show_address(tw__sim_session *s, unsigned context, uint32_t at);
void tw__sim_show_registers(const tw__sim_session *s, unsigned context);
/* One value in gdb's formats x d u o t a c f, h two halves; 0: as fits. */
void tw__sim_show_value(const tw__sim_session *s, const tw__sim_value *value, char format);
/* gdb's x/COUNT FORMAT SIZE; *at becomes the place behind. Of instructions that of the context is marked. False:
 * *error. */
bool tw__sim_show_memory(tw__sim_session *s, unsigned context, unsigned count, char format, char size, uint32_t *at,
                         char **error);
/* Instructions from `at` to `end`, the one at `pc` marked. */
void tw__sim_show_code(tw__sim_session *s, uint32_t at, uint32_t end, uint32_t pc);

/* --- sim_commands.c --------------------------------------------------------------------------------------------- */

/* Commands from the standard input until it ends. The exit status: failure when one of a script went wrong. */
int tw__sim_debug(tw__sim_session *s);

#endif
