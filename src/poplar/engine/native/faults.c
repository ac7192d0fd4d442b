/* SPDX-License-Identifier: MIT */
/* Codelets that fault: signals of the thread that runs a vertex become an error of the run, which names vertex,
 * field, tile and compute set.
 *
 * The handlers are installed when an engine runs, over what a program may have put in their place since, and hand on
 * every signal that is not raised inside a vertex. They
 * run on a stack of their own, since a fault may be a stack that overflowed. */
#define _GNU_SOURCE /* registers in a signal's context, bounds of a thread's stack */
#include "poplar/engine/engine.h"
#include "poplar/engine/native/native.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { HANDLER_STACK = 128 << 10, NULL_PAGES = 64 << 10, NEAR_STACK = 64 << 10 };

typedef struct attempt { /* vertices being run by this thread */
    sigjmp_buf back;
    const tw__group *group; /* the vertex at hand: number `index` of the group */
    uint32_t index;
    struct tw__verify_work *verified; /* debug.runtimeVerify: the copies it works on */
    int signal, code;
    uintptr_t address, stack; /* what was touched; the stack pointer, 0 = not known */
    uintptr_t landing;        /* below the frame that goes on after a fault */
    const char *how;          /* ... it was touched */
} attempt;

static __thread attempt *volatile current;
static __thread struct {
    bool ready;
    uintptr_t low, high; /* of the thread's stack; 0 = not known */
} thread;
static struct sigaction before_us[NSIG];
static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
static pthread_key_t handler_stacks;

/* --- signals -------------------------------------------------------------------------------------------------- */

static void hand_on(int number, siginfo_t *info, void *context)
{
    static __thread bool handing; /* whoever was there before may in turn hand on to us */
    const struct sigaction *old = &before_us[number];
    bool first = !handing;
    handing = true;
    if (first && (old->sa_flags & SA_SIGINFO)) {
        old->sa_sigaction(number, info, context);
    } else if (first && old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(number);
    } else {
        signal(number, SIG_DFL); /* a fault is raised again by the instruction that is returned to */
        if (info->si_code <= 0) raise(number);
    }
    handing = false;
}

static _Noreturn void land(void)
{
    attempt *a = current;
    current = NULL;
    siglongjmp(a->back, 1);
}

/* What the processor says of a fault; and the thread goes on in land(), in its ordinary state, when the handler
 * returns. False: this processor's context is not known here. */
#if defined(__x86_64__)
static bool take_over(attempt *a, mcontext_t *machine)
{
    a->stack = (uintptr_t)machine->gregs[REG_RSP];
    a->how = machine->gregs[REG_ERR] & 2 ? "writes to" : "reads";
    machine->gregs[REG_RIP] = (greg_t)(uintptr_t)land;
    machine->gregs[REG_RSP] = (greg_t)(a->landing - 8); /* as after a call */
    machine->gregs[REG_EFL] &= ~(greg_t)0x400;          /* strings go upwards, as functions expect */
    return true;
}
#elif defined(__aarch64__)
static bool take_over(attempt *a, mcontext_t *machine)
{
    enum { DATA_ABORT = 0x24, WRITE = 1 << 6 }; /* class and one bit of the syndrome register */
    struct _aarch64_ctx record = { .magic = 1 };
    a->stack = (uintptr_t)machine->sp;
    for (size_t at = 0; at + sizeof(struct esr_context) <= sizeof machine->__reserved; at += record.size) {
        memcpy(&record, machine->__reserved + at, sizeof record);
        if (!record.magic || !record.size) break;
        if (record.magic != ESR_MAGIC) continue;
        struct esr_context syndrome;
        memcpy(&syndrome, machine->__reserved + at, sizeof syndrome);
        if (syndrome.esr >> 26 == DATA_ABORT) a->how = syndrome.esr & WRITE ? "writes to" : "reads";
    }
    machine->pc = (uintptr_t)land;
    machine->sp = a->landing;
    return true;
}
#else
static bool take_over(attempt *a, mcontext_t *machine)
{
    (void)a, (void)machine;
    return false;
}
#endif

/* Does not jump away itself where it can be helped: checkers of threads lose track of a handler that does not
 * return. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    attempt *a = current;
    if (!a || info->si_code <= 0) { /* not of a vertex, or sent by somebody */
        hand_on(number, info, context);
        return;
    }
    a->signal = number, a->code = info->si_code, a->address = (uintptr_t)info->si_addr, a->how = "touches";
    if (!take_over(a, &((ucontext_t *)context)->uc_mcontext)) land();
}

static void drop_stack(void *stack)
{
    stack_t none = { .ss_flags = SS_DISABLE };
    sigaltstack(&none, NULL);
    munmap(stack, HANDLER_STACK);
}

static void make_key(void)
{
    pthread_key_create(&handler_stacks, drop_stack);
}

void tw__faults_begin(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct sigaction now;
    if (sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal) return;
    pthread_mutex_lock(&lock);
    struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        if (sigaction(signals[i], &action, &now) != 0) continue;
        bool ours = (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal;
        if (!ours) before_us[signals[i]] = now;
    }
    pthread_mutex_unlock(&lock);
}

/* Once for each thread. A thread without memory for the handler's stack runs vertices all the same. */
static void prepare_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    thread.ready = true;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *low = NULL;
        size_t size = 0;
        if (pthread_attr_getstack(&attributes, &low, &size) == 0)
            thread.low = (uintptr_t)low, thread.high = (uintptr_t)low + size;
        pthread_attr_destroy(&attributes);
    }
    stack_t now;
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    void *stack = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return;
    stack_t ours = { .ss_sp = stack, .ss_size = HANDLER_STACK };
    if (sigaltstack(&ours, NULL) != 0 || pthread_setspecific(handler_stacks, stack) != 0)
        munmap(stack, HANDLER_STACK);
}

/* --- what happened -------------------------------------------------------------------------------------------- */

static bool is_stack(const attempt *a)
{
    uintptr_t low = thread.low;
    if (a->signal != SIGSEGV && a->signal != SIGBUS) return false;
    if (a->stack && a->stack < low) low = a->stack;
    return thread.high && a->address < thread.high && a->address + NEAR_STACK >= low;
}

typedef struct nearest {
    uintptr_t address;
    uint64_t distance;
    const tw__field *field, *empty; /* nearest with data; one without */
    bool behind;
    uint64_t bytes;
} nearest;

static void see(void *user, const tw__slot *slot)
{
    nearest *n = user;
    uintptr_t begin = (uintptr_t)*slot->pointer, end = begin + slot->bytes;
    if (!slot->bytes) {
        if (!begin) n->empty = slot->field;
        return;
    }
    bool behind = n->address >= end;
    uint64_t distance = behind ? n->address - end : n->address < begin ? begin - n->address : 0;
    if (n->field && distance >= n->distance) return;
    n->field = slot->field, n->distance = distance, n->behind = behind, n->bytes = slot->bytes;
}

static void describe_address(GString *text, const tw_engine *engine, uint32_t vertex, const attempt *a, char *state)
{
    nearest n = { .address = a->address };
    g_string_append_printf(text, "%s address 0x%llx", a->how, (unsigned long long)a->address);
    tw__vertex_slots(engine, vertex, state, see, &n);
    const tw__vertex_type *type = engine->core->types[engine->core->vertices[vertex].type].info;
    if (a->address < NULL_PAGES) {
        for (unsigned f = 0; f < type->num_fields && !n.empty; f++)
            if (type->fields[f].form == TW__STATE_VECTOR &&
                !((tw_host_span *)(void *)(state + type->fields[f].host_offset))->data)
                n.empty = &type->fields[f];
        g_string_append(text, ", through a null pointer");
        if (n.empty)
            g_string_append_printf(text, "; its field '%s' has no data", n.empty->name);
        else if (n.field)
            g_string_append_printf(text, "; its first field with data is '%s'", n.field->name);
    } else if (n.field) {
        g_string_append_printf(text, ", %llu bytes %s its field '%s' of %llu bytes, the nearest",
                               (unsigned long long)n.distance, n.behind ? "behind the end of" : "before",
                               n.field->name, (unsigned long long)n.bytes);
    }
}

/* What the signal means, after "vertex ...: ". */
static void faults_describe(GString *text, const tw_engine *engine, uint32_t vertex, const attempt *a, char *state)
{
    bool divides = a->signal == SIGFPE && (a->code == FPE_INTDIV || a->code == FPE_INTOVF);
    if (is_stack(a))
        g_string_append(text, "its stack overflows (recursion without end, or very large local variables)");
    else if (divides)
        g_string_append(text, "it divides an integer by zero, or the least integer by -1");
    else if (a->signal == SIGFPE)
        g_string_append(text, "a floating point exception");
    else if (a->signal == SIGILL)
        g_string_append(text, "it reaches an instruction that does not exist: a trap of the compiler, behind code "
                              "that cannot go on");
    else if (a->signal == SIGSEGV && a->code == SI_KERNEL) /* the processor does not say which */
        g_string_append(text, "it touches an address that no machine of this kind has");
    else
        describe_address(text, engine, vertex, a, state);
}

/* --- running -------------------------------------------------------------------------------------------------- */

uint32_t tw__vertex_of(const tw_engine *engine, uint32_t cs, const tw__group *group, uint32_t index)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const tw__core *core = engine->core;
    size_t count;
    uint32_t found = 0;
    pthread_mutex_lock(&lock); /* the lists are made on demand */
    const uint32_t *list = tw__compute_set_vertices(engine->core, cs, &count);
    for (size_t i = 0; i < count && !found; i++) {
        const tw__vertex *v = &core->vertices[list[i]];
        uint32_t tile = v->tile == TW_UNMAPPED ? 0 : v->tile;
        if (tile == group->tile && v->type == group->type && index-- == 0) found = list[i];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void tw__keep_fault(tw_engine *engine, uint32_t cs, const tw__group *group, uint32_t vertex, const char *what)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const tw__core *core = engine->core;
    pthread_mutex_lock(&lock);
    if (!engine->fault || group->tile < engine->fault_tile) {
        g_free(engine->fault);
        engine->fault =
            g_strdup_printf("vertex %u of type '%s' in compute set '%s' on tile %u: %s", vertex,
                            core->types[group->type].info->name, core->compute_sets[cs].name, group->tile, what);
        engine->fault_tile = group->tile;
    }
    pthread_mutex_unlock(&lock);
}

tw_status tw__vertex_fault(tw_engine *engine)
{
    if (!engine->fault) return TW_OK;
    tw_status status = tw__fail(TW_E_APPLICATION, "%s", engine->fault);
    g_clear_pointer(&engine->fault, g_free);
    return status;
}

/* Vertices [first, last) of a group. `a` is kept in memory: `current` points there, and the codelet may not come
 * back. */
__attribute__((noinline)) static bool run_group(tw_engine *engine, attempt *a, uint32_t cs, const tw__group *group,
                                                uint32_t first, uint32_t last)
{
    int all = 1;
    char *state = group->states + (size_t)first * group->stride;
    tw__entry run = group->run;
    a->group = group;
    a->landing = ((uintptr_t)__builtin_frame_address(0) - 1024) & ~(uintptr_t)15;
    for (uint32_t i = first; i < last; i++, state += group->stride) {
        a->index = i;
        if (engine->verifies)
            all &= tw__verified_run(engine, cs, group, i, &a->verified);
        else if (group->workers == 1)
            all &= run(state, 0, 1) != 0;
        else
            for (unsigned w = 0; w < group->workers; w++) all &= run(state, w, group->workers) != 0;
    }
    return all;
}

static bool failed(tw_engine *engine, uint32_t cs, const attempt *a)
{
    uint32_t vertex = tw__vertex_of(engine, cs, a->group, a->index);
    GString *text = g_string_new(NULL);
    faults_describe(text, engine, vertex, a, a->group->states + (size_t)a->index * a->group->stride);
    tw__keep_fault(engine, cs, a->group, vertex, text->str);
    if (a->verified) tw__verified_drop(a->verified);
    g_string_free(text, TRUE);
    return false;
}

bool tw__guarded_run(tw_engine *engine, uint32_t cs, const tw__group *group, const tw__group *end)
{
    attempt a = { .group = group };
    if (!thread.ready) prepare_thread();
    if (sigsetjmp(a.back, 0)) return failed(engine, cs, &a);
    bool all = true;
    current = &a;
    for (const tw__group *g = group; g < end; g++) all = run_group(engine, &a, cs, g, 0, g->count) && all;
    current = NULL;
    return all;
}

bool tw__guarded_one(tw_engine *engine, uint32_t cs, const tw__group *group, const char *state)
{
    attempt a = { .group = group };
    uint32_t index = (uint32_t)((size_t)(state - group->states) / group->stride);
    if (!thread.ready) prepare_thread();
    if (sigsetjmp(a.back, 0)) return failed(engine, cs, &a);
    current = &a;
    bool all = run_group(engine, &a, cs, group, index, index + 1);
    current = NULL;
    return all;
}
