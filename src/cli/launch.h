/* SPDX-License-Identifier: MIT */
/* launch: a command as several ranks, by the launcher of an MPI library that this build has a module for. */
#ifndef TW_CLI_LAUNCH_H
#define TW_CLI_LAUNCH_H

#include "cli/cli.h"

typedef struct tw__launch {
    const char *ranks; /* as the user wrote it; NULL: one process, no launcher */
    const char *hosts; /* "a,b"; NULL: this machine */
    bool all_output;   /* of all ranks; else only the first one's standard output is seen */
} tw__launch;

enum { TW__LAUNCH_ROWS = 3 };
extern const tw__cli_option
    tw__launch_rows[TW__LAUNCH_ROWS]; /* into a tw__launch; helps tell of them in their text */

/* The options, in front of something that has words of its own: *at goes behind them. The exit status. */
int tw__launch_read(const char *command, tw__launch *launch, char ***at);
/* How many words the option *word takes: 0 = it is none of these. */
unsigned tw__launch_words_of(const char *word);
/* Words in front of a command: the launcher and its options, ended by NULL; g_strfreev. NULL after a message, for
 * `command`: the number is none, or there is no MPI, and which package has it. */
char **tw__launch_words(const char *command, const tw__launch *launch);
/* Becomes the launcher that these words begin with. Where no terminal shows their output it stays beside it instead,
 * and notices what cannot be written. Comes back with the exit status, after a message where something went wrong
 * here. */
int tw__launch_become(const char *command, char **words);
/* The same with the launcher of this program with these words, ended by NULL. */
int tw__launch_self(const char *command, const tw__launch *launch, const char *const *words);

#endif
