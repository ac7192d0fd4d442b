/* SPDX-License-Identifier: MIT */
/* csl: runs of a program by the command line, with a debugger or without. */
#ifndef TW_CLI_CSL_RUN_H
#define TW_CLI_CSL_RUN_H

#include "cli/csl/csl_actions.h"
#include "cli/launch.h"

typedef struct tw__dap tw__dap;

enum { TW__CSL_MOST_SAVES = 64 };
typedef struct tw__csl_saves { /* csl_save.c */
    const char *path, *resume; /* --save; --resume */
    uint64_t at[TW__CSL_MOST_SAVES], every, keep;
    size_t count; /* of `at` */
} tw__csl_saves;

typedef struct tw__csl_settings {
    tw__csl_request compile; /* first: tw__csl_syntax reads into it */
    tw_wse_options options;
    const char *trace, *profile, *report, *memory;
    uint64_t threads;
    bool stats, serves; /* serves: --dap was given */
    tw__dap *dap;       /* of `csl debug`: the client; NULL: commands come from the standard input */
    tw__launch launch;  /* several ranks */
    GPtrArray *actions; /* pairs: option, value; borrowed */
    tw__csl_saves saves;
} tw__csl_settings;

enum { TW__CSL_RUN_ROWS = 22 };
extern const tw__cli_option tw__csl_run_rows[TW__CSL_RUN_ROWS];

/* A program from a layout, or from a folder that cslc wrote; NULL after a message. */
tw_csl_program *tw__csl_open(tw__csl_request *r, const char *name);
/* What the options say, from the first action to the files at the end. The exit status. */
int tw__csl_drive(const tw_csl_program *program, tw_wse *w, const tw__csl_settings *s);
const char *tw__csl_output(const char *path); /* where this rank writes it: rank 0 alone does so */
void tw__csl_be_silent(bool on);              /* no messages of failures, no files: a debugger ends the run */
int tw__csl_run_main(int argc, char **argv);
int tw__csl_debug_main(int argc, char **argv);
int tw__csl_debug_with(tw__dap *dap, int argc, char **argv); /* the same for a client */

/* csl_save.c: checkpoints. */
int tw__csl_take_save_at(void *into, const tw__cli_given *g);
int tw__csl_take_save_every(void *into, const tw__cli_given *g);
int tw__csl_check_saves(const tw__csl_saves *saves, bool ranks);
void tw__csl_add_saves(const tw__csl_saves *saves, GPtrArray *in,
                       GPtrArray *out); /* files that are read, written */
/* A new one, or one from a checkpoint, that saves what is wanted; NULL with tw_error_message(). */
tw_wse *tw__csl_wafer(const tw_csl_program *program, tw__csl_settings *s);
int tw__csl_saved(const tw_wse *w); /* were all of them written? */

/* csl_debug.c. Commands from the standard input until it ends. The exit status: failure when one of a script went
 * wrong. */
int tw__csl_debug(const tw_csl_program *program, tw__csl_settings *s);

#endif
