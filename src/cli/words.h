/* SPDX-License-Identifier: MIT */
/* words: the commands of an interactive mode (`sim --interactive`, `csl debug`) as a table, and who reads them. A
 * command is found by its name, an alias or the start of one name only; an empty line repeats the last one at a
 * terminal; lines that begin with '#' are comments. */
#ifndef TW_CLI_WORDS_H
#define TW_CLI_WORDS_H

#include "cli/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tw__debugger tw__debugger; /* each mode has one of its own */

typedef struct tw__word {
    const char *name, *aliases; /* aliases: separated by blanks */
    const char *arguments, *help;
    void (*run)(tw__debugger *d, char *args);
} tw__word;

typedef struct tw__reader {
    const char *prompt;
    const tw__word *words;
    size_t count;
    tw__debugger *debugger;
    bool terminal;      /* the commands come from a person */
    bool ended, failed; /* quit; a command went wrong */
    bool go;            /* a command lets the program go on: reading ends for now */
    char *last;         /* command, for an empty line; free() */
    /* Whether the command makes sense now; false after a message. NULL: all do. */
    bool (*may)(tw__debugger *d, const tw__word *word);
    /* At a terminal: words of "info", and names that the program has, for completion; NULL: none. */
    const tw__word *infos;
    size_t info_count;
    void (*names)(tw__debugger *d, void (*add)(void *list, const char *name), void *list);
    void (*calm)(tw__debugger *d); /* a Ctrl-C before this prompt was not for what comes next; NULL: nobody asks */
    tw__lines *lines;              /* while commands are read */
    bool is_plain;                 /* there is no editing */
} tw__reader;

enum { TW__WORD = 64 };

/* Tells what a command has got wrong. */
void tw__reader_complain(tw__reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* NULL after a message. */
const tw__word *tw__reader_find(tw__reader *r, const tw__word *table, size_t count, const char *word);
/* The first word of a line, up to a blank or a slash ("x/4w"); returns the rest. */
char *tw__reader_split(char *line, char word[TW__WORD]);
/* All commands of the table, or the one that is named. */
void tw__reader_help(tw__reader *r, const char *only);
/* The word's command of another table, such as that of "info"; without one the names of all. */
void tw__reader_sub(tw__reader *r, const char *what, const tw__word *table, size_t count, char *args);
/* Tells words that may stand where `before` ends: commands, or what "info" and "help" take. True: names of the
 * program may stand there. */
bool tw__reader_complete(tw__reader *r, const char *before, void (*add)(void *list, const char *word), void *list);
/* "2 5" of the command "ignore"; false after a message. */
bool tw__reader_ignore(tw__reader *r, const char *args, unsigned *id, uint64_t *count);
void tw__reader_obey(tw__reader *r, const char *line); /* one command */
/* Reads the standard input until it ends, or a command sets `ended` or `go`. */
void tw__reader_run(tw__reader *r);
void tw__reader_close(tw__reader *r);

#endif
