/* SPDX-License-Identifier: MIT */
/* Host streams, remote buffers, named tensors that the host may read and write. */
#include "poplar/graph/replicas.h"

#include <stdlib.h>
#include <string.h>

/* --- handles -------------------------------------------------------------------------------------------------- */

/* Streams and remote buffers share one name space (Poplar API, Graph.hpp: handles are unique per graph). */
static bool check_handle(const tw__core *core, const char *handle, const char *what)
{
    const char *other = NULL;
    if (!handle || !*handle) return tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "a %s needs a handle", what);
    for (size_t i = 1; i < core->stream_count; i++)
        if (!strcmp(core->streams[i].handle, handle)) other = "stream";
    for (size_t i = 1; i < core->remote_count; i++)
        if (!strcmp(core->remotes[i].handle, handle)) other = "remote buffer";
    return !other || tw__graph_fail(core, TW_E_STREAM_CONNECTION,
                                    "the handle '%s' of a %s is taken: there is already a %s of that name", handle,
                                    what, other);
}

/* --- stream options ------------------------------------------------------------------------------------------- */

static const tw__option_desc stream_options[] = {
    { "bufferingDepth", TW__OPT_INT, "1", NULL, true, "transfers that may be prepared ahead" },
    { "splitLimit", TW__OPT_INT, "0", NULL, true, "bytes of one transfer; 0 = default, -1 = never split" },
    { "priority", TW__OPT_INT, "0", NULL, false, "order among merged transfers" },
};

static bool stream_setting(tw__core *core, tw__options *options, const char *pair, const char *handle)
{
    char **parts = g_strsplit(pair, "=", 2);
    bool done = true;
    if (!parts[0] || !parts[1])
        done = tw__graph_fail(core, TW_E_INVALID_OPTION, "option '%s' of stream '%s': key=value is expected", pair,
                              handle);
    else if (tw__options_set(options, g_strstrip(parts[0]), g_strstrip(parts[1])) != TW_OK)
        done = tw__graph_fail(core, TW_E_INVALID_OPTION, "stream '%s': %s", handle, tw_error_message());
    g_strfreev(parts);
    return done;
}

static bool stream_settings(tw__core *core, tw__stream *stream, const char *text)
{
    tw__options *options = tw__options_new(stream_options, G_N_ELEMENTS(stream_options), TW__LOG_GRAPH);
    if (!options) return tw__graph_no_memory(core);
    char **pairs = g_strsplit(text ? text : "", ",", -1);
    bool done = true;
    for (char **p = pairs; *p && done; p++)
        if (**p) done = stream_setting(core, options, *p, stream->handle);
    g_strfreev(pairs);
    int64_t depth = tw__options_int(options, "bufferingDepth"), limit = tw__options_int(options, "splitLimit");
    tw__options_free(options);
    if (done && (depth < 0 || depth > 1024 || limit < -1))
        done =
            tw__graph_fail(core, TW_E_INVALID_OPTION,
                           "stream '%s': bufferingDepth must be 0 to 1024, splitLimit at least -1", stream->handle);
    stream->buffering_depth = (unsigned)depth;
    stream->split_disabled = limit < 0;
    stream->split_limit = limit < 0 ? 0 : (uint64_t)limit;
    return done;
}

/* --- public calls --------------------------------------------------------------------------------------------- */

/* "in[2]": the handle of replica 2. NULL when out of memory. */
static char *handle_of(tw__core *core, const char *handle, unsigned replica)
{
    return tw__arena_printf(core->arena, "%s[%u]", handle, replica);
}

static tw_stream add_stream(tw_graph *graph, tw__stream stream, const char *options);

/* A stream for each replica, under handle[0], handle[1] ...; `add_stream` takes the graph of a replica. */
static tw_stream add_streams(tw_graph *graph, tw__stream stream, const char *options)
{
    tw__core *core = graph->core;
    const char *handle = stream.handle;
    tw_stream first = { 0 };
    for (unsigned i = 0; i < graph->replicas && tw__graph_usable(graph); i++) {
        if (handle && *handle && !(stream.handle = handle_of(core, handle, i))) {
            tw__graph_no_memory(core);
            break;
        }
        tw_stream one = add_stream(graph->replica[i], stream, options);
        if (i == 0) first = one;
    }
    if (!tw__graph_usable(graph)) return (tw_stream){ 0 };
    core->streams[first.id].replicas = graph->replicas;
    return first;
}

static tw_stream add_stream(tw_graph *graph, tw__stream stream, const char *options)
{
    if (graph->replicas && !(stream.to_device && stream.mode == TW_STREAM_BROADCAST))
        return add_streams(graph, stream, options);
    tw_stream nil = { 0 };
    tw__core *core = graph->core;
    if (!check_handle(core, stream.handle, "stream") || !tw__type_check(core, stream.type) ||
        !stream_settings(core, &stream, options))
        return nil;
    if (stream.count > (uint64_t)INT64_MAX / 64) {
        tw__graph_fail(core, TW_E_STREAM_MEMORY, "stream '%s' of %llu elements is too large", stream.handle,
                       (unsigned long long)stream.count);
        return nil;
    }
    stream.handle = tw__arena_strdup(core->arena, stream.handle);
    if (!stream.handle ||
        !tw__grow(&core->streams, &core->stream_room, core->stream_count, sizeof *core->streams)) {
        tw__graph_no_memory(core);
        return nil;
    }
    core->streams[core->stream_count] = stream;
    return (tw_stream){ (uint32_t)core->stream_count++ };
}

tw_stream tw_graph_add_host_to_device_fifo(tw_graph *graph, const char *handle, tw_type type, uint64_t elements,
                                           tw_replicated_stream_mode mode, const char *options)
{
    TW__ENTER(graph, (tw_stream){ 0 });
    return add_stream(
        graph, (tw__stream){ .handle = handle, .type = type, .count = elements, .to_device = true, .mode = mode },
        options);
}

tw_stream tw_graph_add_device_to_host_fifo(tw_graph *graph, const char *handle, tw_type type, uint64_t elements,
                                           const char *options)
{
    TW__ENTER(graph, (tw_stream){ 0 });
    return add_stream(graph, (tw__stream){ .handle = handle, .type = type, .count = elements }, options);
}

tw_remote_buffer tw_graph_add_remote_buffer(tw_graph *graph, const char *handle, tw_type type, uint64_t elements,
                                            uint64_t repeats, bool rearrange_on_host, bool optimise_memory)
{
    tw_remote_buffer nil = { 0 };
    TW__ENTER(graph, nil);
    tw__core *core = graph->core;
    uint64_t all;
    if (graph->replicas && handle && *handle) {
        for (unsigned i = 0; tw__replica_next(graph, i); i++) {
            char *own = handle_of(core, handle, i);
            tw_remote_buffer one = { 0 };
            if (own)
                one = tw_graph_add_remote_buffer(graph->replica[i], own, type, elements, repeats, rearrange_on_host,
                                                 optimise_memory);
            else
                tw__graph_no_memory(core);
            if (i == 0) nil = one;
        }
        if (!tw__graph_usable(graph)) return (tw_remote_buffer){ 0 };
        core->remotes[nil.id].replicas = graph->replicas;
        return nil;
    }
    if (!check_handle(core, handle, "remote buffer") || !tw__type_check(core, type)) return nil;
    if (__builtin_mul_overflow(elements, repeats, &all) || all > (uint64_t)INT64_MAX / 64) {
        tw__graph_fail(core, TW_E_STREAM_MEMORY, "remote buffer '%s' of %llu rows of %llu elements is too large",
                       handle, (unsigned long long)repeats, (unsigned long long)elements);
        return nil;
    }
    const char *copy = tw__arena_strdup(core->arena, handle);
    if (!copy || !tw__grow(&core->remotes, &core->remote_room, core->remote_count, sizeof *core->remotes)) {
        tw__graph_no_memory(core);
        return nil;
    }
    core->remotes[core->remote_count] = (tw__remote){ .handle = copy,
                                                      .type = type,
                                                      .count = elements,
                                                      .repeats = repeats,
                                                      .rearrange = rearrange_on_host,
                                                      .optimise = optimise_memory };
    return (tw_remote_buffer){ (uint32_t)core->remote_count++ };
}

static void host_access(tw_graph *graph, const char *handle, tw_tensor tensor, bool write, bool read)
{
    tw__core *core = graph->core;
    char text[TW__TEXT_BYTES];
    const tw__node *t = tw__node_get(core, tensor, "the tensor");
    if (!t) return;
    tw__node_text(core, t, text, sizeof text);
    if (graph->replicas) { /* all replicas, in a first dimension */
        tw_tensor all = tw__replica_stacked(graph, tensor, "the tensor");
        if (all.id) host_access(graph->replica[0], handle, all, write, read);
        tw__tensor_drop(core, all);
        return;
    }
    if (!handle || !*handle) {
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "host access to %s needs a handle", text);
        return;
    }
    for (size_t i = 0; i < core->access_count; i++) {
        const tw__host_access *a = &core->accesses[i];
        if (strcmp(a->handle, handle) || !((a->write && write) || (a->read && read))) continue;
        tw__graph_fail(core, TW_E_TENSOR_IO, "the handle '%s' is taken: host %s of that name exists already",
                       handle, a->write ? "write" : "read");
        return;
    }
    const tw__regions *list = tw__node_regions(core, t);
    if (!list) return;
    for (uint32_t i = 0; i < list->n && write; i++)
        if (core->vars[list->region[i].var].is_constant) {
            tw__graph_fail(core, TW_E_TENSOR_IO, "host write to %s, which holds constants", text);
            return;
        }
    tw__host_access access = { .handle = tw__arena_strdup(core->arena, handle), .write = write, .read = read };
    if (!access.handle ||
        !tw__grow(&core->accesses, &core->access_room, core->access_count, sizeof *core->accesses))
        tw__graph_no_memory(core);
    else if (tw__operand_set(core, &access.tensor, t))
        core->accesses[core->access_count++] = access;
}

void tw_graph_create_host_write(tw_graph *graph, const char *handle, tw_tensor tensor)
{
    TW__ENTER(graph, );
    host_access(graph, handle, tensor, true, false);
}

void tw_graph_create_host_read(tw_graph *graph, const char *handle, tw_tensor tensor)
{
    TW__ENTER(graph, );
    host_access(graph, handle, tensor, false, true);
}

void tw_graph_create_host_access(tw_graph *graph, const char *handle, tw_tensor tensor)
{
    TW__ENTER(graph, );
    host_access(graph, handle, tensor, true, true);
}
