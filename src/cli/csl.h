/* csl: options of the compiler of CSL, shared by `cslc` and `tilewright csl`. */
#ifndef TW_CLI_CSL_H
#define TW_CLI_CSL_H

#include "cli.h"
#include <glib.h>
#include <tilewright/csl.h>

typedef struct tw__csl_request {
    tw_csl_options options;
    GArray *params, *colors; /* tw_csl_binding, names owned */
    GPtrArray *paths;        /* borrowed */
    GPtrArray *files;        /* what is no option; borrowed */
    const char *output;      /* folder, default "out" */
    bool verbose, json, only_words;
} tw__csl_request;

void tw__csl_request_init(tw__csl_request *r);
void tw__csl_request_clear(tw__csl_request *r);
/* Takes one option of the compiler, with its value, or a file from argv[*at]; *at ends at its last word. EXIT_OK, or
 * EXIT_USAGE after a message. `command` names the program in messages; `others`, NULL or ended by NULL, are options
 * that it takes itself, for these messages. */
int tw__csl_request_take(tw__csl_request *r, const char *command, const char *const *others, int argc, char **argv,
                         int *at);
/* Compiles r's only file; messages go to stderr. NULL after an error. */
tw_csl_program *tw__csl_request_compile(tw__csl_request *r, const char *command, const char *file);
/* The value of `--name=value`, `--name value`, `-o=value` or `-o value`; NULL: argv[*at] is not that option, or (*at
 * = argc) lacks its value. */
const char *tw__csl_option_value(const char *name, int argc, char **argv, int *at);

#endif
