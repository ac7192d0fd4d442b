/* SPDX-License-Identifier: MIT */
/* parallel: a loop whose pieces are shared between threads.
 *
 * Not OpenMP's loop: its threads wait for each other at the end of every loop, spinning, so that on a machine with
 * other work each step lasts as long as the scheduler leaves one of them out. Here the caller does pieces itself
 * until there are none, and then waits only for threads that are in the middle of one; waiting spins for some
 * microseconds, then sleeps. */
#include "core/base/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

typedef struct loop {
    tw__parallel_body *body;
    void *arg;
    size_t count, chunk;
    atomic_size_t next;
} loop;

static struct {
    pthread_mutex_t user; /* held by the thread whose loop it is */
    pthread_mutex_t lock;
    pthread_cond_t begun, left;
    loop *loop; /* NULL: nobody may begin with it any more */
    unsigned threads, wanted, inside, asleep;
    atomic_uint number; /* of the loop */
} pool = { .user = PTHREAD_MUTEX_INITIALIZER,
           .lock = PTHREAD_MUTEX_INITIALIZER,
           .begun = PTHREAD_COND_INITIALIZER,
           .left = PTHREAD_COND_INITIALIZER };

enum { SPINS = 2000 }; /* 20 to 60 microseconds */

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void work(loop *l)
{
    for (;;) {
        size_t begin = atomic_fetch_add_explicit(&l->next, l->chunk, memory_order_relaxed);
        if (begin >= l->count) return;
        l->body(l->arg, begin, l->count - begin < l->chunk ? l->count : begin + l->chunk);
    }
}

static void *thread_main(void *unused)
{
    (void)unused;
    for (unsigned seen = 0;;) {
        for (int i = 0; i < SPINS && atomic_load_explicit(&pool.number, memory_order_relaxed) == seen; i++) relax();
        pthread_mutex_lock(&pool.lock);
        pool.asleep++;
        while (!pool.loop || atomic_load(&pool.number) == seen || pool.inside >= pool.wanted) {
            seen = atomic_load(&pool.number);
            pthread_cond_wait(&pool.begun, &pool.lock);
        }
        pool.asleep--;
        loop *l = pool.loop;
        seen = atomic_load(&pool.number);
        pool.inside++;
        pthread_mutex_unlock(&pool.lock);
        work(l);
        pthread_mutex_lock(&pool.lock);
        if (--pool.inside == 0 && !pool.loop) pthread_cond_signal(&pool.left);
        pthread_mutex_unlock(&pool.lock);
    }
    return NULL;
}

/* The threads of a process do not exist in its child. */
static void in_child(void)
{
    pool.threads = pool.inside = pool.asleep = 0;
    pool.loop = NULL;
    pthread_mutex_init(&pool.user, NULL), pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.begun, NULL), pthread_cond_init(&pool.left, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

/* As many as can be made; called with the lock. */
static void make_threads(unsigned wanted)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    for (; pool.threads < wanted; pool.threads++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_main, NULL) != 0) return;
        pthread_detach(thread);
    }
}

void tw__parallel(unsigned threads, size_t count, size_t chunk, tw__parallel_body *body, void *arg)
{
    if (!chunk) chunk = 1;
    if (threads < 2 || count <= chunk || pthread_mutex_trylock(&pool.user) != 0) {
        body(arg, 0, count);
        return;
    }
    loop l = { .body = body, .arg = arg, .count = count, .chunk = chunk };
    pthread_mutex_lock(&pool.lock);
    make_threads(threads - 1);
    pool.loop = &l, pool.wanted = threads - 1;
    atomic_fetch_add(&pool.number, 1);
    if (pool.asleep) pthread_cond_broadcast(&pool.begun);
    pthread_mutex_unlock(&pool.lock);
    work(&l);
    pthread_mutex_lock(&pool.lock);
    pool.loop = NULL;
    while (pool.inside) pthread_cond_wait(&pool.left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool.user);
}
