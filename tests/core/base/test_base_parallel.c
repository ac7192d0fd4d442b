/* SPDX-License-Identifier: MIT */
/* Loops shared between threads: every element once, whatever the sizes; loops inside of loops, from several
 * threads at once, and in a child process; and the caller does not wait for threads that have not begun. Nor do
 * threads that record calls wait for the one that looks lines of calls up. */
#include "core/base/base.h"
#include "core/base/callers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5000 };

typedef struct marks {
    unsigned char mark[MOST]; /* elements are one thread's at a time */
    atomic_size_t pieces;
    size_t most;
} marks;

static void mark(void *arg, size_t begin, size_t end)
{
    marks *m = arg;
    for (size_t i = begin; i < end; i++) m->mark[i]++;
    atomic_fetch_add(&m->pieces, 1);
}

static void check_loop(unsigned threads, size_t count, size_t chunk)
{
    marks *m = calloc(1, sizeof *m);
    tw__parallel(threads, count, chunk, mark, m);
    for (size_t i = 0; i < MOST; i++)
        if (m->mark[i] != (i < count)) fail_msg("element %zu of %zu: %u times", i, count, m->mark[i]);
    free(m);
}

static void base_parallel_every_element_once(void **state)
{
    (void)state;
    static const size_t counts[] = { 0, 1, 2, 3, 7, 64, 1000, MOST };
    for (unsigned threads = 1; threads < 9; threads++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t chunk = 0; chunk < 70; chunk += 23) check_loop(threads, counts[c], chunk);
    for (int i = 0; i < 20000; i++) { /* one after the other, without a pause */
        marks m = { .most = 0 };
        tw__parallel(4, 16, 1, mark, &m);
        for (size_t k = 0; k < 16; k++) assert_int_equal(m.mark[k], 1);
        assert_int_equal(atomic_load(&m.pieces), 16);
    }
}

static void nested(void *arg, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) check_loop(4, 100 + i, 3);
    atomic_fetch_add((atomic_size_t *)arg, end - begin);
}

static void *several(void *unused)
{
    for (int i = 0; i < 200; i++) check_loop(3, 300, 7);
    return unused;
}

static void base_parallel_nested_and_at_once(void **state)
{
    (void)state;
    atomic_size_t done = 0;
    tw__parallel(4, 50, 1, nested, &done);
    assert_int_equal(atomic_load(&done), 50);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, several, NULL), 0);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void base_parallel_in_a_child(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* it allows no threads in a child */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
    skip();
#endif
#endif
    check_loop(4, 1000, 1); /* threads exist here, and not in the child */
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a loop that hangs ends with the test */
        check_loop(4, 1000, 1);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* A program of that name in the folder that is PATH. */
static void write_tool(const char *folder, const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
}

static void *find_caller(void *number)
{
    static tw__caller_place place;
    place = tw__caller_find(*(const uint32_t *)number);
    return &place;
}

static void check_place(tw__caller_place place, const char *file, unsigned line)
{
    if (!place.file || strcmp(place.file, file) != 0 || place.line != line)
        fail_msg("%s:%u where %s:%u is", place.file ? place.file : "nowhere", (unsigned)place.line, file, line);
}

/* A tool that does not end before this thread has recorded a call; files whose names begin as addresses do; and a
 * tool that cannot read the program. */
static void base_callers_look_up(void **state)
{
    (void)state;
    char folder[] = "/tmp/tilewright-callers-XXXXXX", begun[100], go[100], command[200];
    assert_non_null(mkdtemp(folder));
    snprintf(begun, sizeof begun, "%s/begun", folder), snprintf(go, sizeof go, "%s/go", folder);
    assert_int_equal(mkfifo(begun, 0600) | mkfifo(go, 0600), 0);
    char *before = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    write_tool(folder, "addr2line",
               "#!/bin/sh\necho >${0%/*}/begun\nread x <${0%/*}/go\nshift 3\nn=0\n"
               "for a; do n=$((n + 1)); echo 0x000${a#0x}; echo 0x$n.c:$n; echo outer.c:9; done\n");
    alarm(100); /* a lookup that holds everybody up ends with the test */
    uint32_t first = tw__caller_function((const void *)&mark), // NOLINT
        second = tw__caller_function((const void *)&check_loop), third;
    pthread_t thread;
    void *place;
    pthread_create(&thread, NULL, find_caller, &first);
    char end;
    int in = open(begun, O_RDONLY), out;
    assert_int_equal(read(in, &end, 1), 1);
    close(in);
    third = tw__caller_function((const void *)&find_caller);
    out = open(go, O_WRONLY);
    assert_int_equal(write(out, &end, 1), 1);
    close(out);
    pthread_join(thread, &place);
    alarm(0);
    check_place(*(tw__caller_place *)place, "0x1.c", 1);
    check_place(tw__caller_find(second), "0x2.c", 2);
    write_tool(folder, "addr2line", "#!/bin/sh\nexit 1\n");
    write_tool(folder, "llvm-addr2line", "#!/bin/sh\necho $4\necho llvm.c:5\n");
    check_place(tw__caller_find(third), "llvm.c", 5);
    setenv("PATH", before, 1);
    free(before);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(base_parallel_every_element_once),
                                        cmocka_unit_test(base_parallel_nested_and_at_once),
                                        cmocka_unit_test(base_parallel_in_a_child),
                                        cmocka_unit_test(base_callers_look_up) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
