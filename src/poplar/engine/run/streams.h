/* SPDX-License-Identifier: MIT */
/* What is connected to a stream, and the threads that call it. */
#ifndef TW_ENGINE_STREAMS_H
#define TW_ENGINE_STREAMS_H

#include "poplar/engine/engine.h"

typedef enum connection { UNCONNECTED, BUFFER, CALLBACK } connection;

/* What a callback is called for. */
typedef enum tw__call {
    TW__CALL_FETCH,    /* fills the next buffer, or takes what is in it */
    TW__CALL_COMPLETE, /* a transfer is over: its buffer is free */
    TW__CALL_TAKE,     /* fetch, then complete */
    TW__CALL_PREFETCH  /* fills free buffers ahead of their transfers, until one is not available */
} tw__call;

typedef struct tw__stream_state {
    const char *handle;
    tw_type type;
    uint64_t count; /* elements of one transfer */
    size_t bytes;   /* of one transfer in host format */
    bool to_device, prefetches;
    bool in_order; /* called by the thread of the run, in the order of the program */
    connection how;
    char *buffer;                  /* the user's, or our ring */
    size_t buffer_bytes, position; /* of the user's: next transfer */
    unsigned depth, head, ready;   /* ring: buffers, next to transfer, filled */
    unsigned lookahead;            /* buffers prefetched at most: streamCallbacks.maxLookahead */
    tw_stream_callback callback;
    /* callbacks.c, guarded by its lock: the call that waits or runs */
    tw__call call;
    bool busy;
    struct tw__stream_state *next; /* in the queue */
} tw__stream_state;

static inline char *tw__stream_slot(const tw__stream_state *st, unsigned index)
{
    return st->buffer + (size_t)((st->head + index) % st->depth) * st->bytes;
}

/* --- streams.c: what a transfer did with the program's buffer or callback, once more; `host`: what it got. */
void tw__stream_again(tw_engine *engine, tw__stream_state *stream, const char *host);

/* --- callbacks.c ------------------------------------------------------------------------------------------------ */

/* NULL: the thread of the run calls everything. */
tw_status tw__callbacks_new(tw_engine *engine, struct tw__callbacks **out);
void tw__callbacks_free(struct tw__callbacks *threads); /* NULL is fine; nothing is under way any more */
/* Begins a call once those before it of the same stream are over; without threads it is over on return. */
void tw__callbacks_begin(struct tw__callbacks *threads, tw__stream_state *stream, tw__call call);
/* The stream's last call is over, and what it did can be seen. */
void tw__callbacks_wait(struct tw__callbacks *threads, const tw__stream_state *stream);

#endif
