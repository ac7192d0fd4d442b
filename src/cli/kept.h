/* SPDX-License-Identifier: MIT */
/* kept: files that compilers make, in the user's cache, made again only when what they were made from changes. */
#ifndef TW_CLI_KEPT_H
#define TW_CLI_KEPT_H

#include "cli/cli.h"

#include <glib.h>

typedef struct tw__kept {
    const char *command;    /* of tilewright, for messages: "run" */
    const GPtrArray *words; /* the compiler and its arguments, but for -o and -MMD */
    const GPtrArray
        *key;         /* what the place goes by, where words name files that are not known yet; NULL: the words */
    const char *name; /* of the file that it makes */
    const char *tools[2]; /* files that it goes by too and that change by installing alone: archives; or NULL */
    const GPtrArray
        *parts;      /* paths of kept files that it is made of; NULL: the compiler says by -MMD what it read */
    char **messages; /* what the compiler says goes there (g_free), not to the standard error; NULL: there */
    bool is_verbose; /* print the command */
    bool is_shared;  /* by all working folders: the words name no file by where it lies from one */
} tw__kept;

/* Where the file lies: below the folder `command` of the cache, by the words, the tools, the compiler and the working
 * folder (unless it is shared). NULL after a message: the cache cannot be used. g_free. */
char *tw__kept_path(const tw__kept *kept);
/* Whether it is there, whole, and all that it was made from is as it was then. */
bool tw__kept_is_fresh(const char *path);
/* Runs the command. False when it failed, which it or this has said; what lay at `path` is still there then. */
bool tw__kept_make(const tw__kept *kept, const char *path);

#endif
