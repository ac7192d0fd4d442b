/* fiber: coroutines over ucontext. The sanitizers are told about the change of stacks. */
#include "core/base/fiber.h"
#include "core/base/base.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#endif
#ifdef ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum { STACK_BYTES = 512 << 10 };

struct tw__fiber {
    ucontext_t context, caller;
    void (*fn)(void *user);
    void *user;
    tw__fiber *outer; /* fiber that resumed this one */
    unsigned char *stack;
    size_t bytes, guard;
    bool started, ended;
    const void *caller_stack; /* for the address sanitizer */
    size_t caller_bytes;
    void *own, *other; /* for the thread sanitizer */
};

static _Thread_local tw__fiber *current;

static void leave_announced(tw__fiber *f, void **fake)
{
#ifdef ASAN
    __sanitizer_start_switch_fiber(fake, f->caller_stack, f->caller_bytes);
#endif
#ifdef TSAN
    __tsan_switch_to_fiber(f->other, 0);
#endif
    (void)f, (void)fake;
}

static void entered(tw__fiber *f, void *fake)
{
#ifdef ASAN
    __sanitizer_finish_switch_fiber(fake, &f->caller_stack, &f->caller_bytes);
#endif
    (void)f, (void)fake;
}

static void body(void)
{
    tw__fiber *f = current;
    entered(f, NULL);
    f->fn(f->user);
    f->ended = true;
    leave_announced(f, NULL);
    setcontext(&f->caller);
}

tw__fiber *tw__fiber_new(void (*fn)(void *user), void *user, size_t stack_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = ((stack_bytes ? stack_bytes : STACK_BYTES) + page - 1) / page * page;
    tw__fiber *f = tw__calloc(1, sizeof *f);
    if (f) {
        f->fn = fn;
        f->user = user;
        f->bytes = bytes;
        f->guard = page;
        f->stack =
            mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (f->stack != MAP_FAILED && mprotect(f->stack, page, PROT_NONE) == 0) {
#ifdef TSAN
            f->own = __tsan_create_fiber(0);
#endif
            return f;
        }
        if (f->stack != MAP_FAILED) munmap(f->stack, bytes + page);
        free(f);
    }
    tw__fail(TW_E_NO_MEMORY, "no memory for a stack of %zu bytes", bytes);
    return NULL;
}

void tw__fiber_free(tw__fiber *f)
{
    if (!f) return;
#ifdef TSAN
    __tsan_destroy_fiber(f->own);
#endif
    munmap(f->stack, f->bytes + f->guard);
    free(f);
}

bool tw__fiber_resume(tw__fiber *f)
{
    void *fake = NULL;
    if (f->ended) return false;
    if (!f->started) {
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = f->stack + f->guard;
        f->context.uc_stack.ss_size = f->bytes;
        f->context.uc_link = NULL;
        makecontext(&f->context, body, 0);
        f->started = true;
    }
    f->outer = current;
    current = f;
#ifdef ASAN
    __sanitizer_start_switch_fiber(&fake, f->stack + f->guard, f->bytes);
#endif
#ifdef TSAN
    f->other = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->own, 0);
#endif
    swapcontext(&f->caller, &f->context);
#ifdef ASAN
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#endif
    (void)fake;
    current = f->outer;
    return !f->ended;
}

void tw__fiber_yield(void)
{
    tw__fiber *f = current;
    void *fake = NULL;
    if (!f) return;
    leave_announced(f, &fake);
    swapcontext(&f->context, &f->caller);
    entered(f, fake);
}

tw__fiber *tw__fiber_current(void)
{
    return current;
}
