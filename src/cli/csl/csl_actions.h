/* SPDX-License-Identifier: MIT */
/* csl: the options of `tilewright csl run` that happen in the order given. */
#ifndef TW_CLI_CSL_ACTIONS_H
#define TW_CLI_CSL_ACTIONS_H

#include "cli/csl/csl.h"

#include <tilewright/csl/wse.h>

typedef struct tw__csl_run {
    const tw_csl_program *program;
    tw_csl_info info;
    tw_wse *w;
    bool nowait;
    GPtrArray *late; /* results of --receive, which are written after the end; freed by tw__csl_free_late */
} tw__csl_run;

/* The message of the failed call, behind what the program printed. */
int tw__csl_failed(void);
/* The same of what all ranks refuse, which is told once. */
int tw__csl_refused(void);
int tw__csl_misused(const char *format, ...) __attribute__((format(printf, 1, 2))); /* tw__cli_usage_error() */
/* One action: its option, and its value. */
int tw__csl_act(tw__csl_run *r, const char *option, const char *value);
int tw__csl_write_late(tw__csl_run *r);
void tw__csl_free_late(gpointer late);
/* Before the work: the program exports what the actions (pairs: option, value) name. */
int tw__csl_check_names(const tw_csl_program *program, const GPtrArray *actions);

#endif
