/* SPDX-License-Identifier: MIT */
/* dap_output: the standard output belongs to the protocol. What programs, commands and messages print goes to two
 * files in memory instead, and from there to the client as events. */
#define _GNU_SOURCE
#include "cli/dap/dap_inner.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

bool tw__dap_capture(tw__dap *dap)
{
    fflush(stdout), fflush(stderr);
    bool is_caught = dap->out >= 0; /* the standard output is a file already, with what came before */
    if (!is_caught) dap->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dap->err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3); /* may be closed */
    for (int i = 0; i < 2; i++) {
        dap->captured[i] = i == 0 && is_caught ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                               : memfd_create("tilewright", MFD_CLOEXEC);
        if (dap->out < 0 || dap->captured[i] < 0) return false;
    }
    return dup2(dap->captured[0], STDOUT_FILENO) >= 0 && dup2(dap->captured[1], STDERR_FILENO) >= 0;
}

/* All that has been printed on one of them, which is empty then. NULL: nothing. The position in the file is that of
 * the descriptor that is printed to, since one is the other's copy. */
static char *take_printed(tw__dap *dap, int which)
{
    int file = dap->captured[which];
    fflush(which ? stderr : stdout);
    off_t size = lseek(file, 0, SEEK_END);
    if (size <= 0) return NULL;
    GString *text = g_string_sized_new((gsize)size);
    while ((off_t)text->len < size) {
        char block[4096];
        ssize_t n = pread(file, block, sizeof block, (off_t)text->len);
        if (n <= 0) break;
        g_string_append_len(text, block, n);
    }
    if (ftruncate(file, 0) == 0) lseek(file, 0, SEEK_SET);
    char *valid = g_utf8_make_valid(text->str, (gssize)text->len);
    g_string_free(text, TRUE);
    return valid;
}

static void send_output(tw__dap *dap, const char *category, char *text)
{
    if (text) tw__dap_event(dap, "output", json_pack("{ssss}", "category", category, "output", text));
    g_free(text);
}

void tw__dap_flush(tw__dap *dap, const char *category)
{
    send_output(dap, category, take_printed(dap, 0));
    send_output(dap, "stderr", take_printed(dap, 1));
}

void tw__dap_flush_program(tw__dap *dap)
{
    tw__dap_flush(dap, "stdout");
}

char *tw__dap_take(tw__dap *dap)
{
    g_autofree char *out = take_printed(dap, 0), *errors = take_printed(dap, 1);
    return g_strchomp(g_strconcat(out ? out : "", errors ? errors : "", NULL));
}

void tw__dap_release(tw__dap *dap)
{
    fflush(stdout), fflush(stderr);
    if (dap->out >= 0) dup2(dap->out, STDOUT_FILENO), close(dap->out);
    if (dap->err >= 0) dup2(dap->err, STDERR_FILENO), close(dap->err);
    for (int i = 0; i < 2; i++)
        if (dap->captured[i] >= 0) close(dap->captured[i]);
}
