/* SPDX-License-Identifier: MIT */
/* Programs of replicated graphs: what one call comes down to (replicas.h). */
#include "poplar/graph/replicas.h"

#include <stdlib.h>

#define NIL ((tw_program){ 0 })

tw_program tw__replica_copy(tw_graph *graph, tw_tensor source, tw_tensor destination)
{
    tw_tensor from = tw__replica_stacked(graph, source, "the source");
    tw_tensor to = from.id ? tw__replica_stacked(graph, destination, "the destination") : TW__NIL_TENSOR;
    tw_program copy = NIL;
    if (to.id && tw__replica_next(graph, 0)) copy = tw_program_copy(graph->replica[0], from, to);
    tw__tensor_drop(graph->core, from);
    tw__tensor_drop(graph->core, to);
    return copy;
}

/* Copies the tensor of replica 0 to the others; an empty sequence when there is nothing to copy. */
static tw_program spread(tw_graph *graph, tw_tensor tensor)
{
    tw__core *core = graph->core;
    const tw__node *t = tw__node_get(core, tensor, "the tensor");
    tw_program copy = NIL;
    if (!t || !tw__node_regions(core, t) || !tw__replica_next(graph, 0)) return NIL;
    if (tw__tensor_replicas(core, tensor) != graph->replicas) return tw_program_sequence(graph->replica[0], "");
    tw_tensor rest = tw__replica_parts(core, t, 1, graph->replicas, true), one = TW__NIL_TENSOR,
              all = TW__NIL_TENSOR;
    if (rest.id) one = tw__replica_parts(core, t, 0, 1, true);
    if (one.id) all = tw_tensor_broadcast(graph->replica[0], one, graph->replicas - 1, 0);
    if (all.id) copy = tw_program_copy(graph->replica[0], all, rest);
    tw__tensor_drop(core, rest);
    tw__tensor_drop(core, one);
    tw__tensor_drop(core, all);
    return copy;
}

static tw_program both(tw_graph *graph, tw_program first, tw_program second)
{
    return first.id && second.id ? tw_program_sequence_of(graph->replica[0], 2, (tw_program[]){ first, second })
                                 : NIL;
}

tw_program tw__replica_after(tw_graph *graph, tw_program program, tw_tensor tensor)
{
    return program.id ? both(graph, program, spread(graph, tensor)) : NIL;
}

tw_program tw__replica_before(tw_graph *graph, tw_tensor tensor, tw_program program)
{
    return program.id ? both(graph, spread(graph, tensor), program) : NIL;
}

tw_program tw__replica_write_undef(tw_graph *graph, tw_tensor tensor)
{
    tw_tensor all = tw__replica_stacked(graph, tensor, "the tensor");
    tw_program program = NIL;
    if (all.id && tw__replica_next(graph, 0)) program = tw_program_write_undef(graph->replica[0], all);
    tw__tensor_drop(graph->core, all);
    return program;
}

/* A sequence of the programs that `add` makes for each replica. */
typedef tw_program (*make_fn)(tw_graph *one, unsigned i, tw_tensor part, void *user);

static tw_program for_each(tw_graph *graph, tw_tensor tensor, make_fn make, void *user)
{
    tw_graph *any = graph->replica[0];
    tw_program sequence = tw_program_sequence(any, "");
    for (unsigned i = 0; tw__replica_next(graph, i); i++) {
        tw_tensor part = tw__replica_tensor(graph, tensor, i);
        tw_program one = tw__graph_usable(graph) ? make(graph->replica[i], i, part, user) : NIL;
        if (one.id) tw_program_sequence_add(any, sequence, one);
        tw__replica_drop(graph, tensor, part);
    }
    return tw__graph_usable(graph) ? sequence : NIL;
}

typedef struct host_copy {
    uint32_t id;    /* stream or remote buffer of replica 0 */
    bool in, apart; /* apart: one stream or buffer for each replica */
    const tw_graph *graph;
    tw_tensor offsets;
} host_copy;

static tw_program stream_of(tw_graph *one, unsigned i, tw_tensor part, void *user)
{
    const host_copy *c = user;
    tw_stream stream = { c->id + (c->apart ? i : 0) };
    return c->in ? tw_program_copy_from_stream(one, stream, part) : tw_program_copy_to_stream(one, part, stream);
}

tw_program tw__replica_stream_copy(tw_graph *graph, tw_stream stream, tw_tensor tensor, bool to_device)
{
    tw__core *core = graph->core;
    unsigned n = stream.id && stream.id < core->stream_count ? core->streams[stream.id].replicas : 0;
    if (n == graph->replicas)
        return for_each(graph, tensor, stream_of, &(host_copy){ .id = stream.id, .in = to_device, .apart = true });
    if (n > 1 || (stream.id && !to_device)) {
        tw__graph_fail(core, TW_E_REPLICATION, "stream '%s' has %u replicas, the graph has %u",
                       stream.id < core->stream_count ? core->streams[stream.id].handle : "", n ? n : 1,
                       graph->replicas);
        return NIL;
    }
    /* Broadcast: the data arrives once and is spread over the replicas. */
    if (!tw__replica_next(graph, 0)) return NIL;
    return tw__replica_after(graph, tw_program_copy_from_stream(graph->replica[0], stream, tensor), tensor);
}

static tw_program remote_of(tw_graph *one, unsigned i, tw_tensor part, void *user)
{
    const host_copy *c = user;
    tw_remote_buffer buffer = { c->id + i };
    tw_tensor offsets = c->offsets.id ? tw__replica_tensor(c->graph, c->offsets, i) : c->offsets;
    tw_program program = c->in ? tw_program_copy_from_remote(one, buffer, part, offsets)
                               : tw_program_copy_to_remote(one, part, buffer, offsets);
    if (c->offsets.id) tw__replica_drop(c->graph, c->offsets, offsets);
    return program;
}

tw_program tw__replica_remote_copy(tw_graph *graph, tw_remote_buffer buffer, tw_tensor tensor, tw_tensor offsets,
                                   bool in)
{
    tw__core *core = graph->core;
    unsigned n = buffer.id && buffer.id < core->remote_count ? core->remotes[buffer.id].replicas : 0;
    if (n == graph->replicas)
        return for_each(graph, tensor, remote_of,
                        &(host_copy){ .id = buffer.id, .in = in, .graph = graph, .offsets = offsets });
    tw__graph_fail(core, TW_E_REPLICATION, "the remote buffer has %u replicas, the graph has %u", n ? n : 1,
                   graph->replicas);
    return NIL;
}

typedef struct printing {
    const char *title;
    const tw_print_format *format;
} printing;

static tw_program print_of(tw_graph *one, unsigned i, tw_tensor part, void *user)
{
    const printing *p = user;
    g_autofree char *title = p->title ? g_strdup_printf("%s (replica %u)", p->title, i) : NULL;
    return tw_program_print_tensor(one, title, part, p->format);
}

tw_program tw__replica_print(tw_graph *graph, const char *title, tw_tensor tensor, const tw_print_format *format)
{
    return for_each(graph, tensor, print_of, &(printing){ title, format });
}

static tw_program stamp_of(tw_graph *one, unsigned i, tw_tensor part, void *since)
{
    (void)i;
    return since ? tw_program_cycles_since(one, part) : tw_program_cycle_stamp(one, part);
}

tw_program tw__replica_stamp(tw_graph *graph, tw_tensor tensor, bool since)
{
    return for_each(graph, tensor, stamp_of, since ? &since : NULL);
}

/* Whether `to` says for each of the n replicas where it sends to, at most one to each. */
static bool check_map(const tw__core *core, unsigned n, const unsigned *to)
{
    if (!to) return tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the map of replicas is NULL");
    g_autofree bool *taken = g_new0(bool, n);
    for (unsigned i = 0; i < n; i++) {
        if (to[i] == TW_UNMAPPED) continue;
        if (to[i] >= n || taken[to[i]])
            return tw__graph_fail(core, TW_E_REPLICATION,
                                  to[i] >= n
                                      ? "replica %u cannot send to replica %u: there are %u"
                                      : "replica %u sends to replica %u, which another one of the %u sends to",
                                  i, to[i], n);
        taken[to[i]] = true;
    }
    return true;
}

/* In a graph of replicas only: a copy that knows where each replica sends to. */
static tw_program created_cross_copy(tw_graph *graph, tw_tensor source, tw_tensor destination, const unsigned *to)
{
    tw__core *core = graph->core;
    tw__case *map = TW__NEW_N(core->arena, tw__case, core->created);
    if (!map) return tw__graph_no_memory(core), NIL;
    for (unsigned i = 0; i < core->created; i++)
        map[i] = (tw__case){ to[i] == TW_UNMAPPED ? TW__TO_NOBODY : (int32_t)to[i], 0 };
    tw__call_site_again();
    tw_program copy = tw_program_copy(graph, source, destination);
    if (!copy.id) return NIL;
    core->programs[copy.id].cases = map;
    core->programs[copy.id].case_count = core->created;
    return copy;
}

tw_program tw_program_cross_replica_copy(tw_graph *graph, tw_tensor source, tw_tensor destination,
                                         const unsigned *to)
{
    TW__ENTER(graph, NIL);
    tw__core *core = graph->core;
    unsigned n = core->created ? core->created : graph->replicas, senders = 0;
    if (!n) tw__graph_fail(core, TW_E_REPLICATION, "a cross-replica copy needs a replicated graph");
    if (!n || !check_map(core, n, to)) return NIL;
    if (core->created) return created_cross_copy(graph, source, destination, to);
    tw_tensor from = tw__replica_stacked(graph, source, "the source"), all = TW__NIL_TENSOR;
    if (from.id) all = tw__replica_stacked(graph, destination, "the destination");
    g_autofree tw_tensor *out = g_new0(tw_tensor, n), *in = g_new0(tw_tensor, n);
    bool done = all.id != 0;
    for (unsigned i = 0; i < n && done; i++) {
        if (to[i] == TW_UNMAPPED) continue;
        out[senders] = tw_tensor_slice(graph->replica[0], from, 0, i, i + 1);
        in[senders] = tw_tensor_slice(graph->replica[0], all, 0, to[i], to[i] + 1);
        done = out[senders].id && in[senders].id;
        senders++;
    }
    tw_program copy = NIL;
    if (done && !senders) copy = tw_program_sequence(graph->replica[0], "");
    if (done && senders) {
        tw_tensor sent = tw_tensor_concat(graph->replica[0], senders, out, 0),
                  got = tw_tensor_concat(graph->replica[0], senders, in, 0);
        if (got.id && tw__replica_next(graph, 0)) copy = tw_program_copy(graph->replica[0], sent, got);
        tw__tensor_drop(core, sent);
        tw__tensor_drop(core, got);
    }
    for (unsigned i = 0; i < senders; i++) tw__tensor_drop(core, out[i]), tw__tensor_drop(core, in[i]);
    tw__tensor_drop(core, from);
    tw__tensor_drop(core, all);
    return copy;
}
