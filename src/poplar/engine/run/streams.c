/* SPDX-License-Identifier: MIT */
/* Host streams (guide 2.6.1, 2.6.4; Poplar API, DataStream.hpp). A stream is connected to a buffer, read or written
 * in turn and circularly, or to a callback, which gets a ring of bufferingDepth buffers of the engine. A
 * prefetching stream fills the ring as soon as a buffer is free; what was not available then is fetched at
 * transfer time (docs/decisions.md, G10). */
#include "poplar/engine/run/checkpoint.h"

#include <glib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "unlimited" or a number of buffers. */
static tw_status lookahead_of(const tw_engine *engine, unsigned *buffers)
{
    const char *text = tw__options_get(engine->options, "streamCallbacks.maxLookahead");
    char *end;
    long n = strtol(text, &end, 0);
    *buffers = UINT_MAX;
    if (strcasecmp(text, "unlimited") == 0) return TW_OK;
    if (!*text || *end || n < 0 || n > INT_MAX)
        return tw__fail(TW_E_INVALID_OPTION, "streamCallbacks.maxLookahead is 'unlimited' or a number, not '%s'",
                        text);
    *buffers = (unsigned)n;
    return TW_OK;
}

/* In blocks: those of replica 0, of replica 1 ... Entry 0 of a block is none. */
static size_t states_of(const tw_engine *engine)
{
    return engine->stream_count * tw__replica_count(engine);
}

tw_status tw__streams_new(tw_engine *engine)
{
    const tw__core *core = engine->core;
    unsigned lookahead;
    tw_status s = lookahead_of(engine, &lookahead);
    if (!s) s = tw__callbacks_new(engine, &engine->callbacks);
    if (s) return s;
    engine->stream_count = core->stream_count;
    size_t all = states_of(engine), named = 0;
    engine->streams = tw__calloc(all + 1, sizeof *engine->streams);
    engine->stream_names = tw__calloc(all + 1, sizeof *engine->stream_names);
    if (!engine->streams || !engine->stream_names) return tw__fail(TW_E_NO_MEMORY, "no memory for streams");
    for (size_t i = 1; i < all; i++) {
        if (i % core->stream_count == 0) continue;
        const tw__stream *stream = &core->streams[i % core->stream_count];
        tw__stream_state *st = &engine->streams[i];
        unsigned replica = (unsigned)(i / core->stream_count);
        if (replica && tw__stream_shared(stream)) continue; /* that of replica 0 is for all */
        *st = (tw__stream_state){ .type = stream->type,
                                  .count = stream->count,
                                  .to_device = stream->to_device,
                                  .depth = stream->buffering_depth ? stream->buffering_depth : 1 };
        st->lookahead = lookahead < st->depth ? lookahead : st->depth;
        st->handle = core->created && !tw__stream_shared(stream)
                         ? tw__arena_printf(engine->arena, "%s[%u]", stream->handle, replica)
                         : tw__arena_strdup(engine->arena, stream->handle);
        engine->stream_names[named++] = st->handle;
        if (!st->handle || !tw__mul_size(stream->count, tw__transfer_size(engine, stream->type), &st->bytes))
            return tw__fail(TW_E_NO_MEMORY, "stream '%s' of %llu elements is too large", stream->handle,
                            (unsigned long long)stream->count);
    }
    return TW_OK;
}

void tw_engine_set_stored_halves(tw_engine *engine, bool stored)
{
    if (!engine || !engine->core) return;
    engine->stored_halves = stored;
    for (size_t i = 0; engine->replicas && i < engine->core->created; i++)
        engine->replicas[i].stored_halves = stored;
    for (size_t i = 1; i < states_of(engine); i++)
        engine->streams[i].bytes = engine->streams[i].count * tw__transfer_size(engine, engine->streams[i].type);
}

/* Guide 2.6.4: with "any" every buffer may share its addresses with others; with "hostRearrangeOnly" those do whose
 * data the host has to rearrange. Data that shares its buffer cannot be fetched early. Public programs ask for
 * "none" alone and expect to be asked for data early: so it stands for both when enablePrefetch was not set. */
bool tw__stream_prefetches(const tw_engine *engine, uint32_t stream)
{
    const char *overlap = tw__options_get(engine->options, "exchange.streamBufferOverlap");
    bool none = strcasecmp(overlap, "none") == 0;
    if (none && !tw__options_is_set(engine->options, "exchange.enablePrefetch")) return true;
    if (!tw__options_bool(engine->options, "exchange.enablePrefetch")) return false;
    if (none) return true;
    return strcasecmp(overlap, "hostRearrangeOnly") == 0 && !engine->plan.stream_rearranged[stream];
}

/* --- connecting ----------------------------------------------------------------------------------------------- */

static void invalidate(tw__stream_state *st)
{
    if (st->how != CALLBACK || !st->prefetches) return; /* what a failed transfer has fetched stays */
    if (st->callback.invalidate_prefetched) st->callback.invalidate_prefetched(st->callback.user);
    st->ready = 0;
}

static void disconnect(tw_engine *engine, tw__stream_state *st)
{
    tw__callbacks_wait(engine->callbacks, st);
    if (st->how == CALLBACK) {
        invalidate(st);
        if (st->callback.destroy) st->callback.destroy(st->callback.user);
        free(st->buffer);
    }
    st->how = UNCONNECTED;
    st->buffer = NULL;
    st->position = 0;
    st->head = st->ready = 0;
    st->callback = (tw_stream_callback){ 0 };
}

void tw__streams_free(tw_engine *engine)
{
    tw__callbacks_free(engine->callbacks);
    engine->callbacks = NULL;
    for (size_t i = 1; engine->streams && i < states_of(engine); i++) disconnect(engine, &engine->streams[i]);
    free(engine->streams);
    free(engine->stream_names);
    engine->streams = NULL;
    engine->stream_names = NULL;
}

static tw__stream_state *named(const tw_engine *engine, const char *handle)
{
    for (size_t i = 1; i < states_of(engine); i++)
        if (engine->streams[i].handle && strcmp(engine->streams[i].handle, handle) == 0) return &engine->streams[i];
    return NULL;
}

bool tw__stream_bytes(const tw_engine *engine, const char *handle, size_t *bytes)
{
    const tw__stream_state *st = named(engine, handle);
    if (st) *bytes = st->bytes;
    return st != NULL;
}

static tw_status streams_find(tw_engine *engine, const char *handle, tw__stream_state **out)
{
    tw_status s = tw__engine_usable(engine);
    if (s) return s;
    if (!handle) return tw__fail(TW_E_INVALID_ARGUMENT, "the stream handle is NULL");
    if ((*out = named(engine, handle))) return TW_OK;
    char hint[TW__HINT_BYTES];
    size_t known = 0;
    while (engine->stream_names[known]) known++;
    const char *near = known ? tw__nearest(handle, engine->stream_names, known) : NULL;
    return tw__fail(TW_E_STREAM_CONNECTION, "no stream '%s' in this graph%s", handle, tw__did_you_mean(hint, near));
}

/* The stream of one replica, NULL when there is none. */
static tw__stream_state *of_replica(tw_engine *engine, const char *handle, unsigned replica)
{
    g_autofree char *own = g_strdup_printf("%s[%u]", handle, replica);
    return named(engine, own);
}

/* One buffer for the streams of all replicas: their transfers one after the other. */
static tw_status connect_replicas(tw_engine *engine, const char *handle, char *buffer, size_t bytes)
{
    size_t each = of_replica(engine, handle, 0)->bytes, n = 0;
    while (of_replica(engine, handle, (unsigned)n)) n++;
    if (!buffer && each) return tw__fail(TW_E_INVALID_ARGUMENT, "the buffer of stream '%s' is NULL", handle);
    if (bytes && bytes != n * each)
        return tw__fail(TW_E_STREAM_CONNECTION,
                        "the buffer of stream '%s' has %zu bytes: %zu replicas have transfers of %zu bytes each",
                        handle, bytes, n, each);
    for (unsigned i = 0; i < n; i++) {
        tw__stream_state *st = of_replica(engine, handle, i);
        disconnect(engine, st);
        st->how = BUFFER;
        st->buffer = buffer + i * each;
        st->buffer_bytes = each;
    }
    return TW_OK;
}

static tw_status connect_buffer(tw_engine *engine, const char *handle, void *buffer, size_t bytes)
{
    bool usable = handle && tw__engine_usable(engine) == TW_OK;
    if (usable && !named(engine, handle) && of_replica(engine, handle, 0))
        return connect_replicas(engine, handle, buffer, bytes);
    tw__stream_state *st = NULL;
    tw_status s = streams_find(engine, handle, &st);
    if (s) return s;
    if (bytes == 0) bytes = st->bytes;
    if (!buffer && st->bytes) return tw__fail(TW_E_INVALID_ARGUMENT, "the buffer of stream '%s' is NULL", handle);
    if (bytes < st->bytes || (st->bytes && bytes % st->bytes != 0))
        return tw__fail(
            TW_E_STREAM_CONNECTION,
            "the buffer of stream '%s' has %zu bytes, which is not a multiple of one transfer, %zu bytes", handle,
            bytes, st->bytes);
    disconnect(engine, st);
    st->how = BUFFER;
    st->buffer = buffer;
    st->buffer_bytes = bytes;
    return TW_OK;
}

tw_status tw_engine_connect_stream(tw_engine *engine, const char *handle, void *buffer, size_t bytes)
{
    return tw__engine_note(engine, connect_buffer(engine, handle, buffer, bytes), __func__);
}

static tw_status connect_callback(tw_engine *engine, const char *handle, const tw_stream_callback *callback,
                                  bool in_order)
{
    tw__stream_state *st = NULL;
    tw_status s = streams_find(engine, handle, &st);
    if (s) return s;
    if (!callback || !callback->fetch)
        return tw__fail(TW_E_INVALID_ARGUMENT, "the callback of stream '%s' has no fetch function", handle);
    size_t bytes;
    unsigned depth = st->to_device ? st->depth : 1;
    char *ring = tw__mul_size(st->bytes, depth, &bytes) ? tw__realloc(NULL, bytes ? bytes : 1) : NULL;
    if (!ring)
        return tw__fail(TW_E_NO_MEMORY, "no memory for %u buffers of %zu bytes for stream '%s'", depth, st->bytes,
                        handle);
    disconnect(engine, st);
    memset(ring, 0, bytes);
    st->how = CALLBACK;
    st->buffer = ring;
    st->callback = *callback;
    st->in_order = in_order;
    st->prefetches =
        st->to_device && callback->prefetch &&
        tw__stream_prefetches(engine, (uint32_t)((size_t)(st - engine->streams) % engine->stream_count));
    return TW_OK;
}

tw_status tw_engine_connect_stream_to_callback(tw_engine *engine, const char *handle,
                                               const tw_stream_callback *callback)
{
    return tw__engine_note(engine, connect_callback(engine, handle, callback, false), __func__);
}

tw_status tw__connect_in_order(tw_engine *engine, const char *handle, const tw_stream_callback *callback)
{
    return connect_callback(engine, handle, callback, true);
}

void tw_engine_stop(tw_engine *engine)
{
    for (size_t i = 1; engine && engine->streams && i < states_of(engine); i++) {
        tw__callbacks_wait(engine->callbacks, &engine->streams[i]);
        invalidate(&engine->streams[i]);
    }
}

const char *const *tw_engine_list_streams(tw_engine *engine)
{
    static const char *const none[] = { NULL };
    return engine && engine->stream_names ? (const char *const *)engine->stream_names : none;
}

/* --- running -------------------------------------------------------------------------------------------------- */

static const uint32_t *streams_of(const tw_engine *engine, unsigned program, size_t *count)
{
    const uint32_t *first = engine->plan.program_streams_first;
    *count = first[program + 1] - first[program];
    return *count ? engine->plan.program_streams + first[program] : NULL; /* no list at all without streams */
}

tw__stream_state *tw__streams_of(const tw_engine *engine, unsigned replica)
{
    return engine->streams + replica * engine->stream_count;
}

/* The stream as a replica has it. */
static tw__stream_state *state_in(const tw_engine *engine, unsigned replica, uint32_t stream)
{
    bool shared = tw__stream_shared(&engine->core->streams[stream]);
    return &engine->streams[(shared ? 0 : replica) * engine->stream_count + stream];
}

tw_status tw__streams_check(tw_engine *engine, unsigned program)
{
    size_t count, missing = 0;
    const uint32_t *list = streams_of(engine, program, &count);
    GString *names = NULL;
    unsigned begin, end; /* a rank connects the streams of its own replicas; others' it may */
    tw__replicas_own(engine, &begin, &end);
    for (size_t k = 0; k < count * (end - begin); k++) {
        const tw__stream_state *st = state_in(engine, begin + (unsigned)(k / count), list[k % count]);
        if (st->how != UNCONNECTED || (k >= count && tw__stream_shared(&engine->core->streams[list[k % count]])))
            continue;
        if (!names) names = g_string_new(NULL);
        if (missing++ < 8) g_string_append_printf(names, "%s'%s'", names->len ? ", " : "", st->handle);
    }
    if (!missing) return TW_OK;
    if (missing > 8) g_string_append_printf(names, " and %zu more", missing - 8);
    tw__fail(TW_E_STREAM_CONNECTION, "program %u uses streams that are not connected: %s", program, names->str);
    g_string_free(names, TRUE);
    return TW_E_STREAM_CONNECTION;
}

static void begin_prefetch(const tw_engine *engine, tw__stream_state *st)
{
    if (st->how == CALLBACK && st->prefetches) tw__callbacks_begin(engine->callbacks, st, TW__CALL_PREFETCH);
}

void tw__streams_begin(tw_engine *engine, unsigned program)
{
    size_t count;
    const uint32_t *list = streams_of(engine, program, &count);
    for (unsigned replica = 0; replica < tw__replica_count(engine); replica++)
        for (size_t i = 0; i < count; i++) begin_prefetch(engine, state_in(engine, replica, list[i]));
}

void tw__streams_end(tw_engine *engine)
{
    for (size_t i = 1; engine->callbacks && i < states_of(engine); i++)
        tw__callbacks_wait(engine->callbacks, &engine->streams[i]);
}

/* --- transfers ------------------------------------------------------------------------------------------------- */

/* A piece of a stream copy, as one engine or replica makes it. */
typedef struct item {
    tw_engine *engine;
    tw__part *part;
    tw__stream_state *st;
    bool begins, ends; /* the first and the last that has to do with the buffer */
    bool to_device;
    bool met; /* replicas wait for each other: every rank has the data of all */
} item;

static item item_of(tw_engine *engine, tw__part *part, bool to_device, bool met)
{
    const tw__core *core = engine->core;
    bool shared = core->created && tw__stream_shared(&core->streams[part->stream]);
    tw__stream_state *st = engine->streams + part->stream;
    if (shared) st -= engine->replica * engine->stream_count;
    return (item){ .engine = engine,
                   .part = part,
                   .st = st,
                   .begins = part->begins && (!shared || engine->replica == 0),
                   .ends = part->ends && (!shared || engine->replica + 1 == core->created),
                   .to_device = to_device,
                   .met = met };
}

static void begin_fetch(const item *it)
{
    tw__stream_state *st = it->st;
    if (!it->to_device || !it->begins || st->how != CALLBACK) return;
    tw__callbacks_wait(it->engine->callbacks, st); /* prefetching */
    if (st->ready == 0) tw__callbacks_begin(it->engine->callbacks, st, TW__CALL_FETCH);
}

/* What another rank has takes no part but on the host. */
static tw_status move_in(const item *it, char *host, char *device, size_t host_size, size_t device_size)
{
    const tw__part *part = it->part;
    size_t first = (size_t)part->first;
    if (it->st->how == UNCONNECTED) return TW_OK;
    if (device != host)
        tw__host_to_device(it->engine, it->st->type, device + first * device_size, host + first * host_size,
                           part->count);
    if (it->engine->elsewhere) return TW_OK;
    return tw__copy_move(&part->copy, it->engine->plan.storage.base, device, it->st->handle, part->count);
}

static tw_status move_out(const item *it, char *host, char *device, size_t host_size, size_t device_size)
{
    tw_engine *engine = it->engine;
    const tw__part *part = it->part;
    size_t first = (size_t)part->first, bytes = (size_t)part->count * device_size;
    tw_status s = TW_OK;
    if (!engine->elsewhere)
        s = tw__copy_move(&part->copy, device, engine->plan.storage.base, it->st->handle, part->count);
    char *data = device + first * device_size;
    if (!s && !engine->core->created) s = tw__ranks_share(engine, it->st->handle, data, bytes);
    if (!s && it->met) s = tw__replica_share(engine, engine->replica, it->st->handle, data, bytes);
    if (!s && it->st->how != UNCONNECTED && device != host)
        tw__device_to_host(engine, it->st->type, host + first * host_size, data, part->count);
    return s;
}

/* The buffer's turn is over. */
static void transferred(const tw_engine *engine, tw__stream_state *st)
{
    if (st->how == BUFFER)
        st->position = st->position + st->bytes >= st->buffer_bytes ? 0 : st->position + st->bytes;
    if (st->how == CALLBACK)
        tw__callbacks_begin(engine->callbacks, st, st->to_device ? TW__CALL_COMPLETE : TW__CALL_TAKE);
}

void tw__stream_again(tw_engine *engine, tw__stream_state *st, const char *host)
{
    if (st->how == UNCONNECTED) return;
    tw__callbacks_wait(engine->callbacks, st);
    if (st->how == CALLBACK && st->to_device && st->ready == 0)
        tw__callbacks_begin(engine->callbacks, st, TW__CALL_FETCH);
    tw__callbacks_wait(engine->callbacks, st);
    if (!st->to_device)
        memcpy(st->how == BUFFER ? st->buffer + st->position : tw__stream_slot(st, 0), host, st->bytes);
    transferred(engine, st);
    tw__callbacks_wait(engine->callbacks, st);
    if (st->to_device) begin_prefetch(engine, st);
}

static tw_status move_item(const item *it)
{
    tw_engine *engine = it->engine;
    tw__stream_state *st = it->st;
    tw__callbacks_wait(engine->callbacks, st);
    char *host = st->how == BUFFER     ? st->buffer + st->position
                 : st->how == CALLBACK ? tw__stream_slot(st, 0)
                                       : NULL,
         *device = host;
    size_t host_size = tw__transfer_size(engine, st->type), device_size = tw__device_size(engine, st->type);
    if (host_size != device_size || !host) {
        device = tw__scratch(engine, (size_t)st->count * device_size);
        if (!device) return TW_E_NO_MEMORY;
    }
    tw_status s = it->to_device ? move_in(it, host, device, host_size, device_size)
                                : move_out(it, host, device, host_size, device_size);
    if (s || !it->ends) return s;
    if (engine->saves) tw__checkpoint_note(engine, st, host);
    transferred(engine, st);
    return s;
}

/* A program may go on when the callbacks have been told, but for what they prepare. */
static void end_item(const item *it)
{
    if (!it->ends) return;
    tw__callbacks_wait(it->engine->callbacks, it->st);
    if (it->to_device) begin_prefetch(it->engine, it->st);
}

/* Item `i` of a transfer: each piece, of replicas that meet for each of them. */
static item item_at(tw_engine *engine, const tw__transfer *transfer, size_t i, bool met)
{
    size_t n = met ? engine->core->created : 1;
    return item_of(met ? &engine->replicas[i % n] : engine, &transfer->parts[i / n], transfer->to_device, met);
}

/* Without threads one after the other; with them what one waits for may happen while others do. */
static tw_status run_items(tw_engine *engine, tw__transfer *transfer, bool met)
{
    size_t count = transfer->count * (met ? engine->core->created : 1);
    tw_status s = TW_OK;
    if (engine->callbacks)
        for (size_t i = 0; i < count; i++) {
            item it = item_at(engine, transfer, i, met);
            begin_fetch(&it);
        }
    for (size_t i = 0; i < count && !s; i++) {
        item it = item_at(engine, transfer, i, met);
        if (!engine->callbacks) begin_fetch(&it);
        s = move_item(&it);
        if (!s && !engine->callbacks) end_item(&it);
    }
    for (size_t i = 0; engine->callbacks && i < count && !s; i++) {
        item it = item_at(engine, transfer, i, met);
        end_item(&it);
    }
    return s;
}

tw_status tw__transfer_run(tw_engine *engine, tw__transfer *transfer)
{
    return run_items(engine, transfer, false);
}

tw_status tw__transfer_run_all(tw_engine *engine, tw__transfer *transfer)
{
    return run_items(engine, transfer, true);
}
