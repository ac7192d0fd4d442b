/* SPDX-License-Identifier: MIT */
/* Host streams (guide 2.6.1, 2.6.4; Poplar API, DataStream.hpp). A stream is connected to a buffer, read or written
 * in turn and circularly, or to a callback, which gets a ring of bufferingDepth buffers of the engine. A
 * prefetching stream fills the ring as soon as a buffer is free; what was not available then is fetched at
 * transfer time (docs/decisions.md, G10). */
#include "poplar/engine/engine.h"

#include <glib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum connection { UNCONNECTED, BUFFER, CALLBACK } connection;

typedef struct tw__stream_state {
    const char *handle;
    tw_type type;
    uint64_t count; /* elements of one transfer */
    size_t bytes;   /* of one transfer in host format */
    bool to_device, prefetches;
    connection how;
    char *buffer;                  /* the user's, or our ring */
    size_t buffer_bytes, position; /* of the user's: next transfer */
    unsigned depth, head, ready;   /* ring: buffers, next to transfer, prefetched */
    unsigned lookahead;            /* buffers prefetched at most: streamCallbacks.maxLookahead */
    tw_stream_callback callback;
} tw__stream_state;

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

/* One for all replicas of a graph that exists as replicas only. */
static bool is_shared(const tw__stream *stream)
{
    return stream->to_device && stream->mode == TW_STREAM_BROADCAST;
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
        if (replica && is_shared(stream)) continue; /* that of replica 0 is for all */
        *st = (tw__stream_state){ .type = stream->type,
                                  .count = stream->count,
                                  .to_device = stream->to_device,
                                  .depth = stream->buffering_depth ? stream->buffering_depth : 1 };
        st->lookahead = lookahead < st->depth ? lookahead : st->depth;
        st->handle = core->created && !is_shared(stream)
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
    if (st->how == CALLBACK && st->prefetches && st->callback.invalidate_prefetched)
        st->callback.invalidate_prefetched(st->callback.user);
    st->ready = 0;
}

static void disconnect(tw__stream_state *st)
{
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
    for (size_t i = 1; engine->streams && i < states_of(engine); i++) disconnect(&engine->streams[i]);
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
        disconnect(st);
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
    disconnect(st);
    st->how = BUFFER;
    st->buffer = buffer;
    st->buffer_bytes = bytes;
    return TW_OK;
}

tw_status tw_engine_connect_stream(tw_engine *engine, const char *handle, void *buffer, size_t bytes)
{
    return tw__engine_note(engine, connect_buffer(engine, handle, buffer, bytes), __func__);
}

static tw_status connect_callback(tw_engine *engine, const char *handle, const tw_stream_callback *callback)
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
    disconnect(st);
    memset(ring, 0, bytes);
    st->how = CALLBACK;
    st->buffer = ring;
    st->callback = *callback;
    st->prefetches =
        st->to_device && callback->prefetch &&
        tw__stream_prefetches(engine, (uint32_t)((size_t)(st - engine->streams) % engine->stream_count));
    return TW_OK;
}

tw_status tw_engine_connect_stream_to_callback(tw_engine *engine, const char *handle,
                                               const tw_stream_callback *callback)
{
    return tw__engine_note(engine, connect_callback(engine, handle, callback), __func__);
}

void tw_engine_stop(tw_engine *engine)
{
    for (size_t i = 1; engine && engine->streams && i < states_of(engine); i++) invalidate(&engine->streams[i]);
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
    bool shared = is_shared(&engine->core->streams[stream]);
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
        if (st->how != UNCONNECTED || (k >= count && is_shared(&engine->core->streams[list[k % count]]))) continue;
        if (!names) names = g_string_new(NULL);
        if (missing++ < 8) g_string_append_printf(names, "%s'%s'", names->len ? ", " : "", st->handle);
    }
    if (!missing) return TW_OK;
    if (missing > 8) g_string_append_printf(names, " and %zu more", missing - 8);
    tw__fail(TW_E_STREAM_CONNECTION, "program %u uses streams that are not connected: %s", program, names->str);
    g_string_free(names, TRUE);
    return TW_E_STREAM_CONNECTION;
}

static char *slot(const tw__stream_state *st, unsigned index)
{
    return st->buffer + (size_t)((st->head + index) % st->depth) * st->bytes;
}

/* Fills free buffers ahead of their transfers, until one is not available. */
static void prefetch(tw__stream_state *st)
{
    if (st->how != CALLBACK || !st->prefetches) return;
    while (st->ready < st->lookahead) {
        if (st->callback.prefetch(slot(st, st->ready), st->callback.user) != TW_STREAM_SUCCESS) return;
        st->ready++;
    }
}

void tw__streams_begin(tw_engine *engine, unsigned program)
{
    size_t count;
    const uint32_t *list = streams_of(engine, program, &count);
    for (unsigned replica = 0; replica < tw__replica_count(engine); replica++)
        for (size_t i = 0; i < count; i++) prefetch(state_in(engine, replica, list[i]));
}

static void complete(tw__stream_state *st)
{
    if (st->how == BUFFER) {
        st->position = st->position + st->bytes >= st->buffer_bytes ? 0 : st->position + st->bytes;
        return;
    }
    if (st->callback.complete) st->callback.complete(st->callback.user);
    if (!st->to_device) return;
    st->head = (st->head + 1) % st->depth;
    if (st->ready) st->ready--;
    prefetch(st);
}

/* One piece. Of replicas that wait for each other (`met`) every rank has the data of all, as of a graph without
 * replicas; what another rank has takes no part but on the host. */
static tw_status run_part(tw_engine *engine, tw__part *part, bool to_device, bool met)
{
    const tw__core *core = engine->core;
    bool shared = core->created && is_shared(&core->streams[part->stream]);
    tw__stream_state *st = engine->streams + part->stream;
    if (shared) st -= engine->replica * engine->stream_count;
    bool begins = part->begins && (!shared || engine->replica == 0),
         ends = part->ends && (!shared || engine->replica + 1 == core->created), connected = st->how != UNCONNECTED;
    if (!connected && to_device) return TW_OK;
    char *base = engine->plan.storage.base;
    char *host = st->how == BUFFER ? st->buffer + st->position : connected ? slot(st, 0) : NULL, *device = host;
    size_t host_size = tw__transfer_size(engine, st->type), device_size = tw__device_size(engine, st->type);
    if (host_size != device_size || !connected) {
        device = tw__scratch(engine, (size_t)st->count * device_size);
        if (!device) return TW_E_NO_MEMORY;
    }
    tw_status s = TW_OK;
    char *device_part = device + part->first * device_size;
    if (to_device) {
        if (begins && st->how == CALLBACK && st->ready == 0) st->callback.fetch(host, st->callback.user);
        char *host_part = host + part->first * host_size;
        if (device != host) tw__host_to_device(engine, st->type, device_part, host_part, part->count);
        if (!engine->elsewhere) s = tw__copy_move(&part->copy, base, device, st->handle, part->count);
    } else {
        if (!engine->elsewhere) s = tw__copy_move(&part->copy, device, base, st->handle, part->count);
        size_t bytes = part->count * device_size;
        if (!s && !core->created) s = tw__ranks_share(engine, st->handle, device_part, bytes);
        if (!s && met) s = tw__replica_share(engine, engine->replica, st->handle, device_part, bytes);
        if (s || !connected) return s;
        if (device != host)
            tw__device_to_host(engine, st->type, host + part->first * host_size, device_part, part->count);
        if (ends && st->how == CALLBACK) st->callback.fetch(host, st->callback.user);
    }
    if (ends) complete(st);
    return s;
}

tw_status tw__transfer_run(tw_engine *engine, tw__transfer *transfer)
{
    for (size_t i = 0; i < transfer->count; i++) {
        tw_status s = run_part(engine, &transfer->parts[i], transfer->to_device, false);
        if (s) return s;
    }
    return TW_OK;
}

bool tw__transfer_meets(const tw_engine *engine, const tw__transfer *transfer)
{
    if (!engine->core->created) return false;
    if (!tw__options_bool(engine->options, "target.syncReplicasIndependently")) return true;
    for (size_t i = 0; i < transfer->count; i++)
        if (is_shared(&engine->core->streams[transfer->parts[i].stream])) return true;
    return false;
}

tw_status tw__transfer_run_all(tw_engine *engine, tw__transfer *transfer)
{
    for (size_t i = 0; i < transfer->count; i++)
        for (unsigned replica = 0; replica < engine->core->created; replica++) {
            tw_status s = run_part(&engine->replicas[replica], &transfer->parts[i], transfer->to_device, true);
            if (s) return s;
        }
    return TW_OK;
}
