/* SPDX-License-Identifier: MIT */
/* The lock that callers take around calls on a graph they share (tw_graph_lock). A layer above takes it for each
 * view, so that taking it when nobody else does has to be one exchange, and a plain store in a program of one thread;
 * waiting threads sleep. The state is that of a mutex on a futex: 0 free, 1 held, 2 held and somebody may wait. */
#include "poplar/graph/build.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

static void sleep_while_held(tw__lock *lock)
{
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire))
        syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

void tw_graph_lock(const tw_graph *graph)
{
    if (!graph) return;
    tw__lock *lock = &graph->core->lock;
    uintptr_t self = (uintptr_t)pthread_self();
    int free_now = 0;
    if (atomic_load_explicit(&lock->owner, memory_order_relaxed) == self) {
        lock->depth++;
        return;
    }
    if (__libc_single_threaded)
        atomic_store_explicit(&lock->state, 1, memory_order_relaxed);
    else if (!atomic_compare_exchange_strong_explicit(&lock->state, &free_now, 1, memory_order_acquire,
                                                      memory_order_relaxed))
        sleep_while_held(lock);
    atomic_store_explicit(&lock->owner, self, memory_order_relaxed);
    lock->depth = 1;
}

void tw_graph_unlock(const tw_graph *graph)
{
    if (!graph) return;
    tw__lock *lock = &graph->core->lock;
    if (--lock->depth) return;
    atomic_store_explicit(&lock->owner, 0, memory_order_relaxed);
    if (__libc_single_threaded)
        atomic_store_explicit(&lock->state, 0, memory_order_relaxed);
    else if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
