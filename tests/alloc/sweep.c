/* SPDX-License-Identifier: MIT */
/* sweep NAME LIMIT PRELOAD PROGRAM ARGUMENTS...: runs a command with each of its allocations failing, and with that
 * one and all after it; LIMIT bounds the runs (0 = all): the first ones, then with a stride. Runs work in a folder
 * beside the current one's files, so inputs are named ../FILE. A command whose name ends in "_errors" fails anyway.
 *
 * What a run may do: what the command does with memory; fail with a message that says what was missing, and leave no
 * file but those that the good run writes; or GLib's abort, which says that it failed to allocate. */
#define _GNU_SOURCE
#include "fail_alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN = 8 }; /* failures in full */

typedef struct server {
    char folder[64];
    int asks, answers;
    pid_t process;
} server;

static const char *name;
static char **command;
static const char *preload;

static void die(const char *what)
{
    fprintf(stderr, "%s: %s: %s\n", name, what, strerror(errno));
    exit(2);
}

/* --- files ------------------------------------------------------------------------------------------------------ */

typedef struct bytes {
    char *data;
    size_t count;
} bytes;

static bool read_whole(const char *path, bytes *to)
{
    FILE *file = fopen(path, "rb");
    *to = (bytes){ 0 };
    if (!file) return false;
    for (size_t room = 0, got = 1; got;) {
        if (to->count == room && !(to->data = realloc(to->data, (room = room * 2 + 4096) + 1))) die("memory");
        got = fread(to->data + to->count, 1, room - to->count, file);
        to->count += got;
    }
    to->data[to->count] = '\0';
    fclose(file);
    return true;
}

static bool same_file(const char *a, const char *b)
{
    bytes x, y;
    bool both = read_whole(a, &x) & read_whole(b, &y);
    bool same = both && x.count == y.count && memcmp(x.data, y.data, x.count) == 0;
    free(x.data);
    free(y.data);
    return same;
}

static bool contains(const char *path, const char *word)
{
    bytes text;
    bool found = read_whole(path, &text) && (*word ? strstr(text.data, word) != NULL : text.count > 0);
    free(text.data);
    return found;
}

static void join(char to[512], const char *folder, const char *entry)
{
    if (snprintf(to, 512, "%s/%s", folder, entry) >= 512) die("a long path");
}

static void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    char below[512];
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        join(below, path, e->d_name);
        if (unlink(below) != 0) remove_tree(below);
    }
    if (dir) closedir(dir);
    rmdir(path);
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0700) != 0) die(path);
}

/* The first file of `here` that is not the same in `there`, "" = none. Names with `besides` are not looked at. */
static void first_other(char found[512], const char *here, const char *there, const char *besides)
{
    DIR *dir = opendir(here);
    char a[512], b[512];
    struct stat info;
    for (struct dirent *e; dir && !*found && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (strcmp(e->d_name, "out") == 0 || strcmp(e->d_name, "err") == 0 || strcmp(e->d_name, "trace") == 0)
            continue;
        if (besides && strstr(e->d_name, besides)) continue;
        join(a, here, e->d_name);
        join(b, there, e->d_name);
        if (stat(a, &info) == 0 && S_ISDIR(info.st_mode))
            first_other(found, a, b, besides);
        else if (!same_file(a, b))
            strcpy(found, a);
    }
    if (dir) closedir(dir);
}

/* --- runs ------------------------------------------------------------------------------------------------------- */

static void start_program(server *s, int asks, int answers)
{
    if (dup2(asks, ASKS_FD) < 0 || dup2(answers, ANSWERS_FD) < 0 || chdir(s->folder) != 0) die(s->folder);
    close(s->asks);
    close(s->answers);
    setenv("LD_PRELOAD", preload, 1);
    execvp(*command, command);
    die(*command);
}

static void serve(server *s)
{
    int asks[2], answers[2];
    if (pipe2(asks, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) die("pipe");
    s->asks = asks[1];
    s->answers = answers[0];
    if ((s->process = fork()) == 0) start_program(s, asks[0], answers[1]);
    close(asks[0]);
    close(answers[1]);
}

/* The folder is emptied, not made anew: the server stands in it. */
static void clear(const server *s)
{
    DIR *dir = opendir(s->folder);
    char below[512];
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        join(below, s->folder, e->d_name);
        if (unlink(below) != 0) remove_tree(below);
    }
    if (dir) closedir(dir);
}

static answer run(const server *s, ask what)
{
    answer heard;
    clear(s);
    if (write(s->asks, &what, sizeof what) != sizeof what) die("the program takes no more runs");
    if (read(s->answers, &heard, sizeof heard) != sizeof heard) die("the program does not answer");
    return heard;
}

/* --- judgement -------------------------------------------------------------------------------------------------- */

static int good_status;

static bool speaks_of_memory(const char *path)
{
    return contains(path, "memory") || contains(path, "shared object"); /* the loader says so */
}

static bool glib_ended(const char *path)
{
    static const char *const words[] = { "failed to allocate", /* the other two: no memory for saying so */
                                         "GLib (gthread-posix.c): Unexpected error", "(recursed)" };
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) found |= contains(path, words[i]);
    return found;
}

static const char *verdict(const server *s, const server *good, int status, char other[512])
{
    char out[512], good_out[512], err[512], good_err[512];
    join(out, s->folder, "out"), join(good_out, good->folder, "out");
    join(err, s->folder, "err"), join(good_err, good->folder, "err");
    *other = '\0';
    bool aborted = WIFSIGNALED(status);
    first_other(other, s->folder, good->folder, aborted ? ".tw-" : NULL);
    if (aborted) {
        int number = WTERMSIG(status);
        if ((number != SIGTRAP && number != SIGABRT) || !glib_ended(err)) return strsignal(number);
        return *other ? "an abort leaves a file behind" : NULL;
    }
    if (status && !same_file(err, good_err)) {
        if (!speaks_of_memory(err) && !speaks_of_memory(out)) return "a failure that is not said to be of memory";
        return *other ? "a failed run leaves a file behind" : NULL;
    }
    if (status != good_status) return "another status without a message";
    if (!*other) first_other(other, good->folder, s->folder, NULL);
    if (*other) return "success, but a file is another";
    if (!same_file(err, good_err)) return "success, but the messages are others";
    return same_file(out, good_out) || (status && contains(out, "memory")) ? NULL
                                                                           : "success, but the output is another";
}

static void show(const char *folder, const char *file)
{
    char path[512];
    bytes text;
    join(path, folder, file);
    if (read_whole(path, &text) && text.count) printf("  %s:\n%.20000s\n", file, text.data);
    free(text.data);
}

static bool fails(const server *s, const server *good, ask what, bool shown)
{
    char other[512];
    answer heard = run(s, what);
    const char *wrong = verdict(s, good, heard.status, other);
    if (!wrong) return false;
    printf("FAILED: %s: allocation %lu%s: %s (status %#x)%s%s\n", name, (unsigned long)what.nth,
           what.onward ? " and all after it" : "", wrong, (unsigned)heard.status, *other ? ": " : "", other);
    if (shown) {
        what.traced = 1;
        run(s, what);
        show(s->folder, "err");
        show(s->folder, "trace");
    }
    return true;
}

/* --- the sweep -------------------------------------------------------------------------------------------------- */

static ask nth_ask(uint64_t i, uint64_t dense, uint64_t stride)
{
    uint64_t half = i / 2;
    return (ask){ .nth = half < dense ? half + 1 : dense + (half - dense) * stride + 1, .onward = i % 2 };
}

static bool sweep(const server *s, const server *good, uint64_t allocations, uint64_t limit)
{
    const char *wanted = getenv("TW_ALLOC_SHOWN");
    unsigned bad = 0, runs = 0, shown = wanted ? (unsigned)atoi(wanted) : SHOWN;
    bool all = limit < 4 || limit / 2 >= allocations;
    uint64_t dense = all ? allocations : limit / 4; /* each is failed in two ways */
    uint64_t stride = all ? 1 : (allocations - dense) / (limit / 2 - dense) + 1;
    for (ask what; what = nth_ask(runs, dense, stride), what.nth <= allocations; runs++) {
        bad += fails(s, good, what, bad < shown);
        fflush(stdout);
    }
    printf("%s: %lu allocations, %u runs, %u failed\n", name, (unsigned long)allocations, runs, bad);
    return !bad;
}

/* In the folder of the others, as what is cached may depend on it; then it goes aside with what it wrote. */
static answer run_good(server *good, const char *folder)
{
    snprintf(good->folder, sizeof good->folder, "%s", folder);
    make_folder(good->folder);
    serve(good);
    run(good, (ask){ 0 }); /* fills caches on the disk */
    answer heard = run(good, (ask){ 0 });
    close(good->asks);
    snprintf(good->folder, sizeof good->folder, "%s.good", name);
    if (rename(folder, good->folder) != 0) die(good->folder);
    good_status = heard.status;
    return heard;
}

int main(int argc, char **argv)
{
    if (argc < 5) return fprintf(stderr, "usage: sweep NAME LIMIT PRELOAD PROGRAM ARGUMENTS...\n"), 2;
    name = argv[1];
    preload = argv[3];
    command = argv + 4;
    server good = { 0 }, s = { 0 };
    snprintf(s.folder, sizeof s.folder, "%s.run", name);
    answer first = run_good(&good, s.folder);
    make_folder(s.folder);
    serve(&s);
    answer second = run(&s, (ask){ 0 });
    char other[512];
    const char *wrong = verdict(&s, &good, second.status, other);
    bool fails_anyway = strstr(name, "_errors") != NULL;
    if (WIFSIGNALED(first.status) || fails_anyway != (first.status != 0) || wrong ||
        first.allocations != second.allocations) {
        printf("FAILED: %s: status %#x, %lu allocations, then %lu: %s %s\n", name, (unsigned)first.status,
               (unsigned long)first.allocations, (unsigned long)second.allocations, wrong ? wrong : "", other);
        show(good.folder, "err");
        return 1;
    }
    return sweep(&s, &good, first.allocations, strtoull(argv[2], NULL, 10)) ? 0 : 1;
}
