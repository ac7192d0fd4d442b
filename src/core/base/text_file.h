/* SPDX-License-Identifier: MIT */
/* A file whose text is kept in memory, in place of open_memstream(): with glibc's, what follows a piece that there
 * was no memory for is written all the same, and neither ferror() nor fclose() tells of the hole. Here both do.
 * Threads: one at a time for each file. */
#ifndef TW_BASE_TEXT_FILE_H
#define TW_BASE_TEXT_FILE_H

#include <stddef.h>
#include <stdio.h>

typedef struct tw__text_file {
    FILE *out; /* what is written to; NULL: not open */
    struct tw__text_kept *kept;
} tw__text_file;

/* NULL: no memory; no error is set. */
FILE *tw__text_open(tw__text_file *file);
/* Closes the file; nothing is done to one that is not open. The text, ended by a NUL behind *size bytes (NULL: not
 * asked for), is the caller's (free()). NULL: it was not open, or there was no memory for some of it; no error is
 * set. */
char *tw__text_close(tw__text_file *file, size_t *size);

#endif
