/* SPDX-License-Identifier: MIT */
/* lines: a line of a person at a terminal, edited, with history and completion, by libedit where the build has it. */
#ifndef TW_CLI_LINES_H
#define TW_CLI_LINES_H

#include <stdbool.h>

typedef struct tw__lines tw__lines;

/* Tells words that may stand where `before` ends: by `add`, whatever they begin with. */
typedef void tw__lines_words(void *user, const char *before, void (*add)(void *list, const char *word), void *list);

/* `name`: of the history, a file in tilewright/ of XDG_STATE_HOME. NULL: there is no editing here, since the standard
 * streams are no terminal, or the build has no libedit. */
tw__lines *tw__lines_new(const char *name, const char *prompt, tw__lines_words *words, void *user);
void tw__lines_free(tw__lines *lines); /* NULL is fine */
/* Without its end of line, until the next call; NULL: there are no more. Those that say something go to the history.
 * */
const char *tw__lines_read(tw__lines *lines);

/* Ctrl-C while a line is typed drops the line, whichever thread the signal comes to and however short it comes before
 * the wait. A reader begins before its prompt; a handler of SIGINT asks whether there is one, which it has told. The
 * handler is called again at the end for a Ctrl-C that came behind the line. */
void tw__lines_begin(void);
void tw__lines_end(void);
bool tw__lines_interrupt(void);
bool tw__lines_wait(void); /* for something to read on the standard input; false: Ctrl-C came, or had come */

#endif
