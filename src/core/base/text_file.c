/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* fopencookie */
#include "core/base/text_file.h"

#include "core/base/base.h"

#include <stdlib.h>
#include <string.h>

struct tw__text_kept {
    char *text;
    size_t size, room;
    bool failed;
};

/* As fopencookie() wants it: 0 is an error. */
static ssize_t keep_text(void *cookie, const char *bytes, size_t n)
{
    struct tw__text_kept *k = cookie;
    if (!k->failed && k->room - k->size <= n) {
        size_t room = (k->size + n + 1) * 2;
        char *more = tw__realloc(k->text, room);
        if (more)
            k->text = more, k->room = room;
        else
            k->failed = true;
    }
    if (k->failed) return 0;
    memcpy(k->text + k->size, bytes, n);
    k->size += n;
    return (ssize_t)n;
}

FILE *tw__text_open(tw__text_file *file)
{
    *file = (tw__text_file){ .kept = tw__calloc(1, sizeof *file->kept) };
    if (file->kept) file->out = fopencookie(file->kept, "w", (cookie_io_functions_t){ .write = keep_text });
    if (!file->out) free(file->kept), file->kept = NULL;
    return file->out;
}

char *tw__text_close(tw__text_file *file, size_t *size)
{
    struct tw__text_kept *k = file->kept;
    if (!k) return NULL;
    bool whole = !ferror(file->out);
    whole &= fclose(file->out) == 0 && !k->failed;
    if (whole && !k->text) k->text = tw__calloc(1, 1); /* nothing was written */
    char *text = whole ? k->text : NULL;
    if (text)
        text[k->size] = 0;
    else
        free(k->text);
    if (size) *size = text ? k->size : 0;
    free(k);
    *file = (tw__text_file){ 0 };
    return text;
}
