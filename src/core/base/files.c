/* SPDX-License-Identifier: MIT */
/* files: whole files in, whole files out.
 *
 * An output appears in one step: it is written beside its place and renamed when it is complete, so that a failure
 * leaves what was there. What is not a regular file (/dev/null, a FIFO) is written to and never replaced; of a link
 * the target is replaced, and the link stays; a file with several names, or in a folder that cannot be written, is
 * written in place. */
#define _GNU_SOURCE
#include "core/base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

struct tw_output {
    FILE *file;
    char *name;      /* as the user gave it, for messages */
    char *place;     /* the file that is replaced, links resolved */
    char *temporary; /* what is renamed to it; NULL: written in place */
};

static tw_status cannot(tw_status status, const char *what, const char *path)
{
    return tw__fail(status, "cannot %s %s: %s", what, path, strerror(errno));
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* --- what tw_protect_inputs() protects ------------------------------------------------------------------------ */

static struct {
    pthread_mutex_t lock;
    bool on, lost; /* lost: there was no memory for one */
    struct stat *file;
    size_t count, room;
} inputs_read = { .lock = PTHREAD_MUTEX_INITIALIZER };

void tw_protect_inputs(bool on)
{
    pthread_mutex_lock(&inputs_read.lock);
    inputs_read.on = on;
    inputs_read.lost = false;
    free(inputs_read.file);
    inputs_read.file = NULL;
    inputs_read.count = inputs_read.room = 0;
    pthread_mutex_unlock(&inputs_read.lock);
}

void tw__note_input(FILE *in)
{
    struct stat st;
    pthread_mutex_lock(&inputs_read.lock);
    if (inputs_read.on && fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode)) {
        if (tw__grow(&inputs_read.file, &inputs_read.room, inputs_read.count, sizeof st))
            inputs_read.file[inputs_read.count++] = st;
        else
            inputs_read.lost = true;
    }
    pthread_mutex_unlock(&inputs_read.lock);
}

/* Where that is not known any more it may have been. */
static bool was_read(const struct stat *there)
{
    pthread_mutex_lock(&inputs_read.lock);
    bool found = inputs_read.lost;
    for (size_t i = 0; i < inputs_read.count && !found; i++) found = same_file(there, &inputs_read.file[i]);
    pthread_mutex_unlock(&inputs_read.lock);
    return found;
}

/* --- input ---------------------------------------------------------------------------------------------------- */

static tw_status too_large(const char *name, size_t most)
{
    char limit[32];
    snprintf(limit, sizeof limit, most >> 20 ? "%zu MiB" : "%zu bytes", most >> 20 ? most >> 20 : most);
    return tw__fail(TW_E_FILE_LOAD, "%s is larger than the %s that are read of such a file", name, limit);
}

/* Until the end, whatever the size says: devices and pipes have none. */
static tw_status read_all(FILE *in, const char *name, size_t most, size_t expected, char **data, size_t *size)
{
    char *text = NULL;
    size_t room = 0, used = 0, n = 1;
    for (; n > 0 && used <= most; used += n) {
        if (used + 2 > room) {
            size_t wanted = room ? 2 * room : expected + 2 > 1 << 12 ? expected + 2 : 1 << 12;
            room = wanted > most + 2 ? most + 2 : wanted;
            char *grown = tw__realloc(text, room);
            if (!grown) return free(text), tw__fail(TW_E_NO_MEMORY, "no memory for %s", name);
            text = grown;
        }
        n = fread(text + used, 1, room - used - 1, in);
    }
    if (used > most) return free(text), too_large(name, most);
    if (ferror(in)) return free(text), cannot(TW_E_FILE_LOAD, "read", name);
    text[used] = 0;
    *data = text;
    if (size) *size = used;
    return TW_OK;
}

/* Reads and closes. */
static tw_status read_open(FILE *in, const char *path, bool only_regular, size_t most, char **data, size_t *size)
{
    struct stat st;
    tw_status status;
    bool known = fstat(fileno(in), &st) == 0, regular = known && S_ISREG(st.st_mode);
    tw__note_input(in);
    if (known && S_ISDIR(st.st_mode))
        status = tw__fail(TW_E_FILE_LOAD, "%s is a folder", path);
    else if (only_regular && !regular)
        status = tw__fail(TW_E_FILE_LOAD, "%s is no regular file but a %s", path,
                          known && S_ISFIFO(st.st_mode) ? "FIFO" : "device");
    else if (regular && (uintmax_t)st.st_size > most)
        status = too_large(path, most);
    else
        status = read_all(in, path, most, regular ? (size_t)st.st_size : 0, data, size);
    fclose(in);
    return status;
}

static tw_status read_file(const char *path, size_t most, char **data, size_t *size)
{
    if (strcmp(path, "-") == 0) return read_all(stdin, "the standard input", most, 0, data, size);
    FILE *in = fopen(path, "rb");
    if (!in) return cannot(errno == ENOMEM ? TW_E_NO_MEMORY : TW_E_FILE_LOAD, "open", path);
    return read_open(in, path, false, most, data, size);
}

char *tw_read_file(const char *path, size_t most, size_t *size)
{
    char *data = NULL;
    tw_status status = read_file(path, most, &data, size);
    return tw__made(status, data);
}

tw_status tw__read_regular_file(const char *path, size_t most, char **data, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* a FIFO would wait for a writer */
    FILE *in = fd < 0 ? NULL : fdopen(fd, "rb");
    if (in) return read_open(in, path, true, most, data, size);
    tw_status status = cannot(errno == ENOMEM ? TW_E_NO_MEMORY : TW_E_FILE_LOAD, "open", path);
    if (fd >= 0) close(fd);
    return status;
}

/* --- output --------------------------------------------------------------------------------------------------- */

/* A file of its own beside o->place, open; false when there can be none. With `mode` 0 as the umask says. */
static bool open_beside(tw_output *o, mode_t mode)
{
    const char *slash = strrchr(o->place, '/');
    int folder = slash ? (int)(slash - o->place) + 1 : 0, fd = -1;
    for (int attempt = 0; attempt < 100 && fd < 0; attempt++) {
        uint64_t number;
        free(o->temporary);
        o->temporary = NULL;
        if (getrandom(&number, sizeof number, 0) != sizeof number) return false;
        if (asprintf(&o->temporary, "%.*s.tw-%016" PRIx64, folder, o->place, number) < 0) {
            o->temporary = NULL;
            return false;
        }
        fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd >= 0 && (!mode || fchmod(fd, mode) == 0) && (o->file = fdopen(fd, "wb"))) return true;
    if (fd >= 0) close(fd), unlink(o->temporary);
    free(o->temporary);
    o->temporary = NULL;
    return false;
}

/* Whether a file can be written at the path, as far as can be told without writing; errno says why not. */
static bool is_writable(const char *path)
{
    struct stat link;
    if (access(path, F_OK) == 0) return access(path, W_OK) == 0;
    if (lstat(path, &link) == 0) return true; /* a link to what is not there yet */
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool writable = !folder || access(folder, W_OK | X_OK) == 0;
    free(folder);
    return writable;
}

static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Where a file that is not there yet will be: links followed, whole; to be freed. */
static char *place_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."), *place = NULL;
    char *whole = folder ? realpath(folder, NULL) : NULL;
    if (whole && asprintf(&place, "%s/%s", whole, slash ? slash + 1 : path) < 0) place = NULL;
    free(folder), free(whole);
    return place;
}

tw_status tw_output_check(const char *path, const char *const *inputs, size_t input_count)
{
    struct stat there, input;
    if (is_standard(path)) return TW_OK;
    bool exists = stat(path, &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) return tw__fail(TW_E_IO, "cannot write %s: it is a folder", path);
    if (!is_writable(path)) return cannot(TW_E_IO, "write", path);
    if (!exists || !S_ISREG(there.st_mode)) return TW_OK;
    for (size_t i = 0; i < input_count; i++)
        if (inputs[i] && stat(inputs[i], &input) == 0 && same_file(&there, &input))
            return tw__fail(TW_E_INVALID_ARGUMENT, "the output %s is also an input (%s)", path, inputs[i]);
    if (was_read(&there)) return tw__fail(TW_E_INVALID_ARGUMENT, "the output %s is also an input", path);
    return TW_OK;
}

/* Its own stream: what is written is data, whatever the process makes of its `stdout`. */
static tw_status open_standard(tw_output *o)
{
    fflush(stdout);
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd >= 0 && !(o->file = fdopen(fd, "wb"))) close(fd);
    return o->file ? TW_OK : cannot(TW_E_IO, "write", "the standard output");
}

/* Finds out what is at the path; TW_OK with o->file open. */
static tw_status open_output(tw_output *o, const char *const *inputs, size_t count)
{
    struct stat there, link;
    if (is_standard(o->name)) return open_standard(o);
    bool exists = stat(o->name, &there) == 0, is_link = lstat(o->name, &link) == 0 && S_ISLNK(link.st_mode);
    tw_status status = tw_output_check(o->name, inputs, count);
    if (status != TW_OK) return status;
    /* /dev/stdout and its like name an open file, which is written to as it is. */
    bool open_file = strncmp(o->name, "/dev/", 5) == 0 || strncmp(o->name, "/proc/", 6) == 0;
    bool replace = exists ? S_ISREG(there.st_mode) && there.st_nlink == 1 && access(o->name, W_OK) == 0 : !is_link;
    if (replace && !open_file) {
        o->place = exists ? realpath(o->name, NULL) : strdup(o->name);
        if (o->place && open_beside(o, exists ? there.st_mode & 07777 : 0)) return TW_OK;
        if (errno == ENOMEM) return cannot(TW_E_NO_MEMORY, "write", o->name);
    }
    int fd = open(o->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd >= 0 && !(o->file = fdopen(fd, "wb"))) {
        close(fd);
        if (!exists) unlink(o->name);
        errno = ENOMEM;
    }
    return o->file ? TW_OK : cannot(TW_E_IO, "write", o->name);
}

/* Whether two paths are one file: the same file, or the same name in the same folder. */
static bool same_place(const char *a, const char *b)
{
    struct stat x, y;
    bool there = stat(a, &x) == 0;
    if (is_standard(a) || is_standard(b)) return is_standard(a) && is_standard(b);
    if (there != (stat(b, &y) == 0)) return false;
    if (there) return S_ISREG(x.st_mode) && same_file(&x, &y);
    char *place_a = place_of(a), *place_b = place_of(b);
    bool same = place_a && place_b && strcmp(place_a, place_b) == 0;
    free(place_a), free(place_b);
    return same;
}

tw_status tw_outputs_check(const char *const *outputs, size_t output_count, const char *const *inputs,
                           size_t input_count)
{
    for (size_t i = 0; i < output_count; i++) {
        if (!outputs[i]) continue;
        tw_status status = tw_output_check(outputs[i], inputs, input_count);
        if (status != TW_OK) return status;
        for (size_t k = 0; k < i; k++)
            if (outputs[k] && same_place(outputs[i], outputs[k]))
                return tw__fail(TW_E_INVALID_ARGUMENT, "two outputs are the same file: %s and %s", outputs[k],
                                outputs[i]);
    }
    return TW_OK;
}

static void drop(tw_output *o)
{
    free(o->name), free(o->place), free(o->temporary);
    free(o);
}

tw_output *tw_output_open(const char *path, const char *const *inputs, size_t input_count)
{
    tw_output *o = tw__calloc(1, sizeof *o);
    if (!o || !(o->name = strdup(path))) {
        if (o) drop(o);
        return tw__made(tw__fail(TW_E_NO_MEMORY, "no memory to write %s", path), NULL);
    }
    tw_status status = open_output(o, inputs, input_count);
    if (status != TW_OK) drop(o);
    return tw__made(status, o);
}

FILE *tw_output_file(tw_output *output)
{
    return output ? output->file : NULL;
}

tw_status tw_output_commit(tw_output *o)
{
    if (!o) return tw__missing("output");
    if (!o->file) return tw__fail(TW_E_INVALID_ARGUMENT, "%s has been committed before", o->name);
    bool failed = ferror(o->file);
    errno = 0;
    failed = fclose(o->file) != 0 || failed;
    o->file = NULL;
    if (failed && errno) return cannot(TW_E_IO, "write", o->name);
    if (failed) /* an earlier write failed: nobody kept why */
        return tw__fail(TW_E_IO, "cannot write all of %s: is there space left?", o->name);
    if (o->temporary && rename(o->temporary, o->place) != 0) return cannot(TW_E_IO, "write", o->name);
    free(o->temporary);
    o->temporary = NULL;
    return TW_OK;
}

void tw_output_free(tw_output *o)
{
    if (!o) return;
    if (o->file) fclose(o->file);
    if (o->temporary) unlink(o->temporary);
    drop(o);
}

tw_status tw_write_file(const char *path, const void *data, size_t size, const char *const *inputs,
                        size_t input_count)
{
    tw_output *o = tw_output_open(path, inputs, input_count);
    if (!o) return tw_error_status();
    if (size) fwrite(data, 1, size, o->file); /* a failure stays with the file */
    tw_status status = tw_output_commit(o);
    tw_output_free(o);
    return status;
}
