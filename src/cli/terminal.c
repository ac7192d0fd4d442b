/* SPDX-License-Identifier: MIT */
/* terminal: what commands print. All of it passes a stream that shows control characters instead of sending them:
 * names, texts of programs and lines of sources are what strangers wrote. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/progress.h>
#include <unistd.h>

enum { CHARACTER = 4 }; /* bytes at most, in UTF-8 */

static int shown_on = STDOUT_FILENO; /* where it goes */

/* The end of a block may be the beginning of a character. */
static struct {
    char bytes[CHARACTER];
    size_t count;
} begun;

/* Bytes at the end of `text` that begin a character and do not end it. */
static size_t unfinished(const char *text, size_t size)
{
    for (size_t back = 1; back < CHARACTER && back <= size; back++) {
        unsigned char c = (unsigned char)text[size - back];
        size_t wanted = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        if (c < 0x80 || c >= 0xc0) return wanted > back ? back : 0;
    }
    return 0;
}

static ssize_t terminal_write_all(void *user, const char *text, size_t size)
{
    (void)user;
    tw_progress_clear();
    for (size_t done = 0; done < size;) {
        ssize_t n = write(shown_on, text + done, size - done);
        if (n < 0 && errno != EINTR) return 0;
        if (n > 0) done += (size_t)n;
    }
    return (ssize_t)size;
}

static FILE *plain; /* behind the one that shows: it is made once, so that printing takes no memory */

static bool write_shown(const char *text, size_t size)
{
    tw_print_text(plain, text, size, "\n\t");
    return fflush(plain) == 0 && !ferror(plain);
}

static ssize_t terminal_take(void *user, const char *text, size_t size)
{
    (void)user;
    size_t at = 0;
    bool good = true;
    while (begun.count && at < size) {
        begun.bytes[begun.count++] = text[at++];
        size_t rest = unfinished(begun.bytes, begun.count), whole = begun.count - rest;
        if (whole) good = write_shown(begun.bytes, whole) && good;
        memmove(begun.bytes, begun.bytes + whole, begun.count = rest);
    }
    size_t rest = unfinished(text + at, size - at);
    good = write_shown(text + at, size - at - rest) && good;
    if (rest) memcpy(begun.bytes, text + size - rest, begun.count = rest);
    return good ? (ssize_t)size : 0;
}

void tw__cli_escape_output(void)
{
    static char buffers[2][BUFSIZ];
    bool terminal = isatty(STDOUT_FILENO) == 1;
    plain = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = terminal_write_all });
    FILE *shown = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = terminal_take });
    if (!plain || !shown) perror("tilewright: cannot print"), exit(TW__EXIT_FAILURE);
    setvbuf(plain, buffers[0], _IOFBF, BUFSIZ);
    setvbuf(shown, buffers[1], terminal ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = shown;
}

/* Not by fclose(): C++ libraries that came with a module keep the stream, and flush it when the process ends. */
bool tw__cli_end_output(void)
{
    bool good = fflush(stdout) == 0 && !ferror(stdout);
    if (plain) good = write_shown(begun.bytes, begun.count) && good;
    begun.count = 0;
    return close(STDOUT_FILENO) == 0 && good;
}

int tw__cli_check_outputs(const char *command, const char *const *outputs, size_t output_count,
                          const char *const *inputs, size_t input_count)
{
    if (tw_outputs_check(outputs, output_count, inputs, input_count) != TW_OK) return tw__cli_failure(command);
    for (size_t i = 0; i < output_count; i++)
        if (outputs[i] && strcmp(outputs[i], "-") == 0) fflush(stdout), shown_on = STDERR_FILENO;
    return TW__EXIT_OK;
}

bool tw__cli_has_standard_output(void)
{
    return shown_on == STDOUT_FILENO;
}

tw_status tw__cli_print_data(const char *text, size_t size)
{
    if (isatty(STDOUT_FILENO) != 1) return tw_write_file("-", text, size, NULL, 0);
    fwrite(text, 1, size, stdout);
    return TW_OK;
}

void tw__cli_tell_file(const char *what, const char *path)
{
    if (strcmp(path, "-") != 0) printf("%s%s\n", what, path);
}
