/* SPDX-License-Identifier: MIT */
/* Threads that call the callbacks of streams (engine options streamCallbacks.multiThreadMode and numWorkerThreads).
 *
 * Each stream has one call at a time, so that its calls come in the order that they have without threads; calls of
 * different streams may be at the same time. The thread of the run waits where it needs what a call did: for data
 * before it is copied, for everything but prefetching before the program goes on. */
#include "poplar/engine/run/streams.h"

#include <pthread.h>
#include <stdlib.h>
#include <strings.h>
#include <tilewright/progress.h>
#include <unistd.h>

typedef struct tw__callbacks {
    pthread_mutex_t lock;
    pthread_cond_t work, over;
    tw__stream_state *first, **end; /* queue of calls that nobody has begun, and where the next one goes */
    pthread_t *threads;
    unsigned count;
    bool helps; /* the thread of the run calls, too, instead of waiting */
    bool stop;
} tw__callbacks;

enum { MOST_THREADS = 256 };

/* Whose call this thread makes: a callback that stops its engine cannot wait for itself. */
static _Thread_local const tw__callbacks *calling;

static void call_now(tw__stream_state *st)
{
    const tw_stream_callback *c = &st->callback;
    tw_progress_clear(); /* it may print */
    switch (st->call) {
    case TW__CALL_FETCH:
        c->fetch(tw__stream_slot(st, 0), c->user);
        st->ready = st->to_device && !st->in_order; /* if its transfer fails, the next run has it */
        break;
    case TW__CALL_TAKE: c->fetch(tw__stream_slot(st, 0), c->user); /* fall through */
    case TW__CALL_COMPLETE:
        if (st->to_device) {
            st->head = (st->head + 1) % st->depth;
            if (st->ready) st->ready--;
        }
        if (c->complete) c->complete(c->user);
        break;
    case TW__CALL_PREFETCH:
        while (st->ready < st->lookahead) {
            if (c->prefetch(tw__stream_slot(st, st->ready), c->user) != TW_STREAM_SUCCESS) break;
            st->ready++;
        }
        break;
    }
}

/* Where the first call is that a thread may make which waits for `st`, NULL: for nothing. Prefetching for others may
 * take long, and nothing waits for it yet. */
static tw__stream_state **call_for(tw__callbacks *t, const tw__stream_state *st)
{
    tw__stream_state **at = &t->first;
    while (st && *at && *at != st && (*at)->call == TW__CALL_PREFETCH) at = &(*at)->next;
    return at;
}

/* Takes this call from the queue and makes it; the lock is held before and after. */
static void call_next(tw__callbacks *t, tw__stream_state **at)
{
    tw__stream_state *st = *at;
    *at = st->next;
    if (!st->next) t->end = at;
    pthread_mutex_unlock(&t->lock);
    calling = t;
    call_now(st);
    calling = NULL;
    pthread_mutex_lock(&t->lock);
    st->busy = false;
    pthread_cond_broadcast(&t->over);
}

static void *worker(void *arg)
{
    tw__callbacks *t = arg;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (!t->first && !t->stop) pthread_cond_wait(&t->work, &t->lock);
        if (!t->first) break;
        call_next(t, call_for(t, NULL));
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void wait_for(tw__callbacks *t, const tw__stream_state *st)
{
    while (st->busy) {
        tw__stream_state **at = call_for(t, st);
        if (t->helps && *at)
            call_next(t, at);
        else
            pthread_cond_wait(&t->over, &t->lock);
    }
}

void tw__callbacks_wait(tw__callbacks *t, const tw__stream_state *st)
{
    if (!t || st->how != CALLBACK || calling == t) return;
    pthread_mutex_lock(&t->lock);
    wait_for(t, st);
    pthread_mutex_unlock(&t->lock);
}

void tw__callbacks_begin(tw__callbacks *t, tw__stream_state *st, tw__call call)
{
    if (!t || st->in_order) {
        st->call = call;
        call_now(st);
        return;
    }
    pthread_mutex_lock(&t->lock);
    wait_for(t, st);
    st->call = call, st->busy = true, st->next = NULL;
    *t->end = st;
    t->end = &st->next;
    pthread_cond_signal(&t->work);
    pthread_mutex_unlock(&t->lock);
}

/* --- life ----------------------------------------------------------------------------------------------------- */

/* Threads that the options ask for; 0: none. */
static tw_status count_of_threads(const tw_engine *engine, unsigned *count)
{
    const char *text = tw__options_get(engine->options, "streamCallbacks.numWorkerThreads"), *key = text;
    char *end;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), n = strcasecmp(key, "auto") ? strtol(text, &end, 10) : cores;
    bool number = !strcasecmp(key, "auto") || (*text && !*end && n >= 0 && n <= MOST_THREADS);
    if (!number)
        return tw__fail(TW_E_INVALID_OPTION,
                        "streamCallbacks.numWorkerThreads is 'auto' or a number of at most %d, not '%s'",
                        MOST_THREADS, text);
    bool single = !strcasecmp(tw__options_get(engine->options, "streamCallbacks.multiThreadMode"), "singleThread");
    *count = single ? 0 : (unsigned)(n < MOST_THREADS ? n : MOST_THREADS);
    return TW_OK;
}

tw_status tw__callbacks_new(tw_engine *engine, tw__callbacks **out)
{
    unsigned count = 0;
    tw_status s = count_of_threads(engine, &count);
    *out = NULL;
    if (s || !count) return s;
    tw__callbacks *t = tw__calloc(1, sizeof *t);
    if (t) t->threads = tw__calloc(count, sizeof *t->threads);
    if (!t || !t->threads) {
        free(t);
        return tw__fail(TW_E_NO_MEMORY, "no memory for threads of callbacks");
    }
    t->end = &t->first;
    t->helps = !strcasecmp(tw__options_get(engine->options, "streamCallbacks.multiThreadMode"), "collaborative");
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->work, NULL);
    pthread_cond_init(&t->over, NULL);
    while (t->count < count && pthread_create(&t->threads[t->count], NULL, worker, t) == 0) t->count++;
    *out = t;
    if (t->count == count) return TW_OK;
    tw__callbacks_free(t);
    *out = NULL;
    return tw__fail(TW_E_SYSTEM, "streamCallbacks.numWorkerThreads: %u threads cannot be started", count);
}

void tw__callbacks_free(tw__callbacks *t)
{
    if (!t) return;
    pthread_mutex_lock(&t->lock);
    t->stop = true;
    pthread_cond_broadcast(&t->work);
    pthread_mutex_unlock(&t->lock);
    for (unsigned i = 0; i < t->count; i++) pthread_join(t->threads[i], NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->work);
    pthread_cond_destroy(&t->over);
    free(t->threads);
    free(t);
}
