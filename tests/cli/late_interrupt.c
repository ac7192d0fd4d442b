/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: Ctrl-C comes just behind a line that begins with "continue", "print" or "run", before the program
 * that reads it has looked at it. */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ /* getline() is a function here */
#endif
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

typedef ssize_t reads(char **line, size_t *room, int end, FILE *from);
ssize_t __getdelim(char **line, size_t *room, int end, FILE *from);

ssize_t __getdelim(char **line, size_t *room, int end, FILE *from)
{
    reads *real = (reads *)dlsym(RTLD_NEXT, "__getdelim");
    ssize_t length = real(line, room, end, from);
    static const char *const words[] = { "continue", "print", "run" };
    for (size_t i = 0; i < sizeof words / sizeof *words && length > 0 && from == stdin; i++)
        if (strncmp(*line, words[i], strlen(words[i])) == 0) raise(SIGINT);
    return length;
}

ssize_t getline(char **line, size_t *room, FILE *from)
{
    return __getdelim(line, room, '\n', from);
}
