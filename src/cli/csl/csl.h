/* SPDX-License-Identifier: MIT */
/* csl: options of the compiler of CSL, shared by `cslc` and `tilewright csl`. */
#ifndef TW_CLI_CSL_H
#define TW_CLI_CSL_H

#include "cli/cli.h"
#include <glib.h>
#include <tilewright/csl.h>

typedef struct tw__csl_request {
    tw_csl_options options;
    GArray *params, *colors;       /* tw_csl_binding, names owned */
    GPtrArray *paths;              /* borrowed */
    const char *output;            /* folder, default "out" */
    bool verbose, json, told_once; /* told_once: by several ranks, which all compile it */
} tw__csl_request;

void tw__csl_request_init(tw__csl_request *r);
void tw__csl_request_clear(tw__csl_request *r);
/* The options, into a struct that begins with a request; a copy may have another command and more. */
extern const tw__cli_syntax tw__csl_syntax;
const tw_csl_options *tw__csl_request_options(tw__csl_request *r); /* with its lists */
/* Compiles a file; messages go to stderr. NULL after an error. */
tw_csl_program *tw__csl_request_compile(tw__csl_request *r, const char *command, const char *file);
/* Libraries of CSL lie in the program; an editor wants a file: a copy of "<math>" in the cache, or NULL. g_free(). */
char *tw__csl_library_file(const char *name);

#endif
