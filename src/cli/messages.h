/* SPDX-License-Identifier: MIT */
/* messages: JSON as the protocols of editors send it (LSP, DAP): "Content-Length: N", an empty line, N bytes. */
#ifndef TW_CLI_MESSAGES_H
#define TW_CLI_MESSAGES_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

typedef struct tw__messages {
    GByteArray *in;
    GQueue *list; /* json_t *, or NULL for one that was no JSON */
    size_t skip;  /* bytes of a message that is too long */
    bool ended;   /* nothing comes any more */
    int file;     /* the standard input, unless somebody says another */
} tw__messages;

void tw__messages_open(tw__messages *m);
void tw__messages_close(tw__messages *m);
/* Takes what has come on the standard input; with `wait` it waits until there is a message, or the end. */
void tw__messages_receive(tw__messages *m, bool wait);
void tw__messages_send(int file, json_t *message); /* takes it */

#endif
