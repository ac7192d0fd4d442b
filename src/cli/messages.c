/* SPDX-License-Identifier: MIT */
/* messages: see the header. What is no header is left out up to the next one. */
#include "cli/messages.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 64 << 20, MOST_HEADER = 8192 }; /* of one message: more is no text that somebody wrote */

static const char length_field[] = "Content-Length:";

/* Up to the next header that may be one. */
static void drop_garbage(GByteArray *in, guint from)
{
    guint at = from;
    while (at < in->len && g_ascii_strncasecmp((const char *)in->data + at, length_field,
                                               MIN(in->len - at, sizeof length_field - 1)) != 0)
        at++;
    g_byte_array_remove_range(in, 0, at);
}

/* Length of the header with its empty line, 0: it is not all there. *body: -1 when no field says it. */
static guint read_header(const GByteArray *in, long long *body)
{
    const char *text = (const char *)in->data;
    *body = -1;
    for (guint at = 0; at < in->len;) {
        const char *end = memchr(text + at, '\n', in->len - at);
        if (!end) return 0;
        guint length = (guint)(end - text) - at;
        if (length && end[-1] == '\r') length--;
        if (!length) return (guint)(end - text) + 1;
        if (length > sizeof length_field - 1 &&
            !g_ascii_strncasecmp(text + at, length_field, sizeof length_field - 1)) {
            g_autofree char *number =
                g_strndup(text + at + sizeof length_field - 1, length - sizeof length_field + 1);
            char *rest;
            g_strstrip(number);
            *body = g_ascii_isdigit(*number) ? g_ascii_strtoll(number, &rest, 10) : -1;
            if (*body >= 0 && *rest) *body = -1;
        }
        at = (guint)(end - text) + 1;
    }
    return 0;
}

/* The messages that are all there. */
static void take_messages(tw__messages *m)
{
    for (;;) {
        guint skipped = (guint)MIN(m->skip, m->in->len);
        if (skipped) g_byte_array_remove_range(m->in, 0, skipped);
        m->skip -= skipped;
        long long body;
        guint header = m->skip ? 0 : read_header(m->in, &body);
        if (!header) {
            if (m->skip || m->in->len < MOST_HEADER) return;
            g_queue_push_tail(m->list, NULL);
            drop_garbage(m->in, 1);
            continue;
        }
        if (body < 0) { /* a header without a length */
            g_queue_push_tail(m->list, NULL);
            drop_garbage(m->in, 1);
        } else if (body > MOST_BYTES) {
            g_queue_push_tail(m->list, NULL);
            g_byte_array_remove_range(m->in, 0, header);
            m->skip = (size_t)body;
        } else if (m->in->len - header >= (guint)body) {
            const char *text = (const char *)m->in->data + header;
            g_queue_push_tail(m->list, json_loadb(text, (size_t)body, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL));
            g_byte_array_remove_range(m->in, 0, header + (guint)body);
        } else {
            return;
        }
    }
}

void tw__messages_receive(tw__messages *m, bool wait)
{
    for (;;) {
        struct pollfd in = { .fd = m->file, .events = POLLIN };
        bool waits = wait && g_queue_is_empty(m->list);
        if (m->ended || (poll(&in, 1, waits ? -1 : 0) <= 0 && !waits)) return;
        guint8 block[65536];
        ssize_t n = read(m->file, block, sizeof block);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) {
            m->ended = true;
            return;
        }
        g_byte_array_append(m->in, block, (guint)n);
        take_messages(m);
    }
}

static bool messages_write(int file, const char *text, size_t size)
{
    while (size) {
        ssize_t n = write(file, text, size);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) text += n, size -= (size_t)n;
    }
    return true;
}

void tw__messages_send(int file, json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    if (!text) return;
    g_autofree char *header = g_strdup_printf("Content-Length: %zu\r\n\r\n", strlen(text));
    (void)(messages_write(file, header, strlen(header)) && messages_write(file, text, strlen(text)));
    free(text);
}

void tw__messages_open(tw__messages *m)
{
    *m = (tw__messages){ .in = g_byte_array_new(), .list = g_queue_new(), .file = STDIN_FILENO };
}

void tw__messages_close(tw__messages *m)
{
    g_byte_array_free(m->in, TRUE);
    g_queue_free_full(m->list, (GDestroyNotify)json_decref);
}
