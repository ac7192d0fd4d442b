/* terminal: what commands print. All of it passes a stream that shows control characters instead of sending them:
 * names, texts of programs and lines of sources are what strangers wrote. */
#define _GNU_SOURCE
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

static bool write_all(const char *text, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(shown_on, text + done, size - done);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) done += (size_t)n;
    }
    return true;
}

static bool write_shown(const char *text, size_t size)
{
    char *shown = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&shown, &bytes);
    if (!memory) return false;
    tw_print_text(memory, text, size, "\n\t");
    bool good = fclose(memory) == 0 && write_all(shown, bytes);
    int problem = errno;
    free(shown);
    errno = problem;
    return good;
}

static ssize_t take(void *user, const char *text, size_t size)
{
    (void)user;
    char *all = malloc(begun.count + size);
    if (!all) return 0;
    memcpy(all, begun.bytes, begun.count);
    memcpy(all + begun.count, text, size);
    size_t whole = begun.count + size, rest = unfinished(all, whole);
    bool good = write_shown(all, whole - rest);
    memcpy(begun.bytes, all + whole - rest, rest);
    begun.count = rest;
    int problem = errno;
    free(all);
    errno = problem;
    return good ? (ssize_t)size : 0;
}

static int end(void *user)
{
    (void)user;
    bool good = write_shown(begun.bytes, begun.count);
    begun.count = 0;
    return close(STDOUT_FILENO) == 0 && good ? 0 : -1;
}

void tw__cli_escape_output(void)
{
    bool terminal = isatty(STDOUT_FILENO) == 1;
    FILE *shown = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = take, .close = end });
    if (!shown) return;
    setvbuf(shown, NULL, terminal ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = shown;
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
