/* cli: the program `tilewright`, a client of the public headers like any user's. One table (main.c) holds the
 * commands; dispatch, --help, the nearest name after a typing error and shell completion read it.
 *
 * Exit codes: 0 success, 1 the job failed, 2 the command line was wrong; `run` ends with the status of the program. */
#ifndef TW_CLI_CLI_H
#define TW_CLI_CLI_H

#include <stdbool.h>
#include <tilewright/base.h>

enum { TW__EXIT_OK, TW__EXIT_FAILURE, TW__EXIT_USAGE };

typedef struct tw__command {
    const char *name;
    const char *installed_as;           /* the name its users already type, "" when there is none */
    const char *arguments;              /* after the name, for usage lines */
    const char *summary;                /* one line */
    const char *help;                   /* text below the usage line; NULL: the command has a --help of its own */
    const char *words;                  /* offered by completion, separated by blanks */
    const char *files;                  /* suffixes offered by completion, separated by blanks; "" = none */
    int (*main)(int argc, char **argv); /* argv[0] is the name it was called by */
    bool has_verbs;                     /* its first argument is a word of its own: --help may follow that too */
} tw__command;

/* Prints "tilewright <command>: <message>" and the usage line; returns TW__EXIT_USAGE. */
int tw__cli_usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

int tw__cli_run(int argc, char **argv);    /* run.c */
int tw__cli_aie(int argc, char **argv);    /* aie.c */
int tw__cli_info(int argc, char **argv);   /* info.c */
int tw__cli_layout(int argc, char **argv); /* layout.c */

#endif
