/* SPDX-License-Identifier: MIT */
/* fiber: coroutines over ucontext. The sanitizers are told about the change of stacks.
 *
 * One that is freed while it waits has its stack unwound, as a thread that is cancelled: resumed for the last time,
 * it goes up frame by frame to fiber_body(), and destructors of C++ frames run on the way. What would stop that
 * leaves the rest of the stack as it is: a catch (...) that does not throw on, a frame that is noexcept, a destructor
 * that waits. */
#include "core/base/fiber.h"
#include "core/base/base.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

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
#include <sanitizer/asan_interface.h>
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
    bool started, ended, running;
    bool stopped; /* it is being freed: unwinds */
    bool cut;     /* and left frames that were not unwound */
    struct _Unwind_Exception exception;
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

/* Back to whoever resumed it, for ever, from wherever on its stack. */
static _Noreturn void leave(tw__fiber *f)
{
    f->ended = true;
    leave_announced(f, NULL);
    setcontext(&f->caller);
    abort();
}

static void fiber_body(void)
{
    tw__fiber *f = current;
    entered(f, NULL);
    f->fn(f->user);
    leave(f);
}

/* --- unwinding -------------------------------------------------------------------------------------------------- */

/* Of the C++ ABI, where the program has C++: its handler of std::terminate(), and what it has caught in a thread. */
typedef void (*terminate_handler)(void);
extern terminate_handler _ZSt13set_terminatePFvvE(terminate_handler handler) __attribute__((weak));
struct cxx_globals {
    void *caught;
    unsigned uncaught;
};
extern struct cxx_globals *__cxa_get_globals(void) __attribute__((weak));

static _Atomic(terminate_handler) users_handler;

static _Noreturn void cut_short(tw__fiber *f)
{
    f->cut = true;
    leave(f);
}

/* Called instead of std::terminate(), which a frame that is noexcept asks for. */
static void on_terminate(void)
{
    terminate_handler handler = users_handler;
    if (current && current->stopped) cut_short(current);
    if (handler) handler();
    abort();
}

/* A catch (...) ends without throwing on. */
static void on_caught(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
    (void)reason, (void)exception;
    cut_short(current);
}

static _Unwind_Reason_Code at_frame(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                    struct _Unwind_Exception *exception, struct _Unwind_Context *context,
                                    void *fiber)
{
    (void)version, (void)class, (void)exception;
    if (actions & _UA_END_OF_STACK || _Unwind_GetRegionStart(context) == (uintptr_t)fiber_body) leave(fiber);
    return _URC_NO_REASON;
}

static _Noreturn void unwind(tw__fiber *f)
{
#ifdef ASAN
    __asan_handle_no_return(); /* frames go without taking back what they have marked */
#endif
    f->exception.exception_cleanup = on_caught;
    _Unwind_ForcedUnwind(&f->exception, at_frame, f);
    cut_short(f);
}

static void stop(tw__fiber *f)
{
    terminate_handler handler = _ZSt13set_terminatePFvvE ? _ZSt13set_terminatePFvvE(on_terminate) : NULL;
    struct cxx_globals *globals = __cxa_get_globals ? __cxa_get_globals() : NULL;
    struct cxx_globals kept = globals ? *globals : (struct cxx_globals){ 0 };
    bool nested = handler == on_terminate; /* another fiber is being unwound, here or in another thread */
    if (!nested) users_handler = handler;
    f->stopped = true;
    tw__fiber_resume(f);
    if (!nested && handler) _ZSt13set_terminatePFvvE(handler);
    if (globals) globals->uncaught = kept.uncaught; /* a catch (...) that throws on counts one that never arrives */
    if (globals && f->cut) globals->caught = kept.caught;
}

/* --- what others call ------------------------------------------------------------------------------------------- */

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
    if (!f || f->running) return; /* exit() on a fiber frees what it runs on */
    if (f->started && !f->ended) stop(f);
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
        makecontext(&f->context, fiber_body, 0);
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
    f->running = true;
    swapcontext(&f->caller, &f->context);
    f->running = false;
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
    if (f->stopped) cut_short(f); /* in a destructor: nobody would wake it up */
    leave_announced(f, &fake);
    swapcontext(&f->context, &f->caller);
    entered(f, fake);
    if (f->stopped) unwind(f);
}

tw__fiber *tw__fiber_current(void)
{
    return current;
}
