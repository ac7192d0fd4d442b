/* SPDX-License-Identifier: MIT */
/* Preloaded into a program: a server that runs its main() again and again, a fork each time, and lets an allocation
 * fail. All of malloc's family and anonymous mappings pass here, whoever asks for them: GLib, libelf, jansson, the C
 * library.
 *
 * Each run works in the current folder, with the files `out` and `err` as its outputs. The programs that it starts
 * are not counted: they see no LD_PRELOAD. */
#undef _FORTIFY_SOURCE /* which has a vasprintf of its own */
#define _GNU_SOURCE
#include "fail_alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC visibility push(default) /* what takes the place of the C library's functions is seen outside */

/* The C library's own, under the names by which it lets others replace malloc. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

enum { SECONDS = 60 }; /* of a run, after which it counts as endless */

static _Atomic uint64_t *asked; /* shared with the server; NULL = main does not run yet */
static ask now;

/* GLib's abort first makes its message with this, and when that fails it would report that, for ever. */
static _Thread_local bool spared;

int vasprintf(char **text, const char *format, va_list args)
{
    static int (*next)(char **, const char *, va_list);
    if (!next) next = (int (*)(char **, const char *, va_list))dlsym(RTLD_NEXT, "vasprintf");
    spared = now.onward;
    int length = next(text, format, args);
    spared = false;
    return length;
}

int __vasprintf_chk(char **text, int checked, const char *format, va_list args)
{
    (void)checked;
    return vasprintf(text, format, args);
}

static void write_trace(const char *what, size_t length)
{
    int fd = open("trace", O_WRONLY | O_CREAT | O_APPEND, 0600);
    void *frames[64];
    if (fd < 0 || write(fd, what, length) < 0) return;
    backtrace_symbols_fd(frames, backtrace(frames, 64), fd);
    close(fd);
}

static bool fails(void)
{
    if (!asked || spared) return false;
    uint64_t nth = atomic_fetch_add_explicit(asked, 1, memory_order_relaxed) + 1;
    if (!now.nth || nth < now.nth || (nth > now.nth && !now.onward)) return false;
    if (now.traced && nth == now.nth) write_trace("no memory:\n", 11);
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t bytes)
{
    return (!old || bytes) && fails() ? NULL : __libc_realloc(old, bytes);
}

void *memalign(size_t align, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    return memalign(align, bytes);
}

int posix_memalign(void **to, size_t align, size_t bytes)
{
    void *memory = memalign(align, bytes);
    if (!memory) return ENOMEM;
    *to = memory;
    return 0;
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (!next) next = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    if ((flags & MAP_ANONYMOUS) && fails()) return MAP_FAILED;
    return next(at, bytes, protection, flags, fd, offset);
}

static void crashed(int number)
{
    write_trace("signal:\n", 8);
    raise(number);
}

static void catch_signals(void)
{
    static char stack[64 * 1024];
    sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof stack }, NULL);
    struct sigaction action = { .sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER };
    for (size_t i = 0; i < 4; i++) sigaction((int[]){ SIGSEGV, SIGBUS, SIGFPE, SIGABRT }[i], &action, NULL);
}

static void redirect(const char *path, int flags, int to)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, to) < 0) _exit(125);
    close(fd);
}

static void become_run(void)
{
    redirect("/dev/null", O_RDONLY, 0);
    redirect("out", O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect("err", O_WRONLY | O_CREAT | O_TRUNC, 2);
    close(ASKS_FD);
    close(ANSWERS_FD);
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
    alarm(SECONDS);
    if (now.traced) catch_signals();
}

static int (*program)(int, char **, char **);

static int serve(int argc, char **argv, char **environment)
{
    _Atomic uint64_t *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    void *frames[1];
    backtrace(frames, 1); /* loads what it needs */
    unsetenv("LD_PRELOAD");
    while (read(ASKS_FD, &now, sizeof now) == sizeof now) {
        atomic_store(count, 0);
        pid_t child = fork();
        if (child == 0) {
            become_run();
            asked = count;
            return program(argc, argv, environment);
        }
        answer heard = { 0 };
        if (child < 0 || waitpid(child, &heard.status, 0) < 0) _exit(125);
        heard.allocations = atomic_load(count);
        if (write(ANSWERS_FD, &heard, sizeof heard) != sizeof heard) _exit(125);
    }
    _exit(0);
}

typedef int (*entry)(int, char **, char **);

/* What the program's first instructions call. */
int __libc_start_main(entry main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*last)(void),
                      void *stack_end)
{
    int (*start)(entry, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    start = (int (*)(entry, int, char **, void (*)(void), void (*)(void), void (*)(void), void *))dlsym(
        RTLD_NEXT, "__libc_start_main");
    program = main;
    return start(fcntl(ASKS_FD, F_GETFD) < 0 ? main : serve, argc, argv, init, fini, last, stack_end);
}
