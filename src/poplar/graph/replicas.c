/* Replicated graphs: making them, and what their calls come down to (replicas.h). */
#include "poplar/graph/replicas.h"

#include <stdlib.h>
#include <string.h>

#define NIL ((tw_program){ 0 })

/* --- tensors -------------------------------------------------------------------------------------------------- */

/* Replicas of a variable: 1 when it is not replicated. */
static unsigned replicas_of(const tw__core *core, uint32_t var)
{
    return core->vars[var].sisters + 1;
}

/* Replicas of a tensor: the same for all its replicated variables, 1 when it has none. 0 with an error. */
static unsigned replicas_in(const tw__core *core, const tw__regions *list)
{
    unsigned found = 1;
    for (uint32_t k = 0; k < list->n; k++) {
        unsigned n = replicas_of(core, list->region[k].var);
        if (n == 1 || n == found) continue;
        if (found != 1) {
            tw__graph_fail(core, TW_E_REPLICATION, "a tensor holds variables of %u and of %u replicas", found, n);
            return 0;
        }
        found = n;
    }
    return found;
}

/* Appends the tensor as replica `i` has it. */
static void build_part(tw__builder *builder, const tw__core *core, const tw__regions *list, unsigned i)
{
    for (uint32_t k = 0; k < list->n; k++) {
        const tw__region *r = &list->region[k];
        const tw__variable *v = &core->vars[r->var];
        tw__builder_box(builder, v->sisters && i ? v->first_sister + i - 1 : r->var, r->offset, r->dim, r->rank);
    }
}

/* The tensor over the variables of replicas [begin, end): of its own shape for one replica, else with a first
 * dimension for them. */
static tw_tensor parts(tw__core *core, const tw__node *t, unsigned begin, unsigned end, bool stacked)
{
    const tw__regions *list = tw__node_regions(core, t);
    size_t shape[TW__MAX_RANK + 1] = { end - begin };
    if (!list || (stacked && !tw__check_rank(core, t->t.rank + 1))) return TW__NIL_TENSOR;
    tw__builder b = { 0 };
    for (unsigned i = begin; i < end; i++) build_part(&b, core, list, i);
    tw__regions *all = tw__builder_finish(&b);
    if (!all) {
        tw__graph_no_memory(core);
        return TW__NIL_TENSOR;
    }
    if (t->t.rank) memcpy(shape + stacked, t->dims, t->t.rank * sizeof *shape);
    return tw__tensor_from_list(core, t->t.type, t->t.rank + stacked, shape, all);
}

tw_tensor tw__replica_tensor(const tw_graph *graph, tw_tensor tensor, unsigned i)
{
    tw__core *core = graph->core;
    const tw__node *t = tw__node_find(core, tensor);
    const tw__regions *list = t ? tw__node_regions(core, t) : NULL;
    if (!list) return tensor; /* nil or stale: the call itself says so */
    unsigned n = replicas_in(core, list);
    if (n <= 1) return tensor;
    if (n == graph->replicas) return i ? parts(core, t, i, i + 1, false) : tensor;
    char text[TW__TEXT_BYTES];
    tw__graph_fail(core, TW_E_REPLICATION, "%s has %u replicas, the graph has %u",
                   tw__node_text(core, t, text, sizeof text), n, graph->replicas);
    return TW__NIL_TENSOR;
}

unsigned tw__tensor_replicas(const tw__core *core, tw_tensor tensor)
{
    const tw__node *t = tw__node_find(core, tensor);
    if (!t) return 1; /* whoever uses the tensor says so */
    const tw__regions *list = tw__node_regions(core, t);
    return list ? replicas_in(core, list) : 0;
}

tw_tensor tw__tensor_of_replica(tw__core *core, tw_tensor tensor, unsigned i)
{
    return i ? parts(core, tw__node_find(core, tensor), i, i + 1, false) : tensor;
}

void tw__replica_drop(const tw_graph *graph, tw_tensor tensor, tw_tensor part)
{
    if (part.id != tensor.id || part.generation != tensor.generation) tw__tensor_drop(graph->core, part);
}

tw_tensor tw__replica_stacked(const tw_graph *graph, tw_tensor tensor, const char *what)
{
    const tw__node *t = tw__node_get(graph->core, tensor, what);
    tw_tensor probe = t ? tw__replica_tensor(graph, tensor, 0) : TW__NIL_TENSOR; /* checks the number */
    return probe.id ? parts(graph->core, t, 0, graph->replicas, true) : TW__NIL_TENSOR;
}

tw_tensor tw_graph_get_non_replicated_tensor(tw_graph *graph, tw_tensor tensor)
{
    TW__GET(t, tensor, "the tensor");
    if (core->only_replicas) {
        tw__graph_fail(core, TW_E_REPLICATION,
                       "a graph that exists as replicas only has no tensors of all of them");
        return TW__NIL_TENSOR;
    }
    const tw__regions *list = tw__node_regions(core, t);
    unsigned n = list ? replicas_in(core, list) : 0;
    return n ? parts(core, t, 0, n, true) : TW__NIL_TENSOR;
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

bool tw__replica_next(const tw_graph *graph, unsigned i)
{
    if (i >= graph->replicas || !tw__graph_usable(graph)) return false;
    tw__call_site_again();
    return true;
}

bool tw__replica_link(const tw_graph *graph, size_t first_var, unsigned replicas)
{
    tw__core *core = graph->core;
    if (!tw__graph_usable(graph) || core->var_count != first_var + replicas) return false;
    core->vars[first_var].first_sister = (uint32_t)first_var + 1;
    core->vars[first_var].sisters = replicas - 1;
    return true;
}

tw_vertex tw__replica_vertex(const tw_graph *graph, tw_vertex vertex, unsigned i)
{
    const tw__core *core = graph->core;
    size_t low = 0, high = core->replicated_count;
    while (low < high) { /* ascending, since vertices are appended */
        size_t middle = (low + high) / 2;
        if (core->replicated[middle].first < vertex.id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < core->replicated_count && core->replicated[low].first == vertex.id &&
        core->replicated[low].count == graph->replicas)
        return (tw_vertex){ vertex.id + i };
    if (vertex.id)
        tw__graph_fail(core, TW_E_REPLICATION, "vertex %u was not added through a graph of %u replicas", vertex.id,
                       graph->replicas);
    else
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "the vertex is nil");
    return (tw_vertex){ 0 };
}

/* --- programs ------------------------------------------------------------------------------------------------- */

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
    const tw__regions *list = t ? tw__node_regions(core, t) : NULL;
    tw_program copy = NIL;
    if (!list || !tw__replica_next(graph, 0)) return NIL;
    if (replicas_in(core, list) != graph->replicas) return tw_program_sequence(graph->replica[0], "");
    tw_tensor rest = parts(core, t, 1, graph->replicas, true), one = TW__NIL_TENSOR, all = TW__NIL_TENSOR;
    if (rest.id) one = parts(core, t, 0, 1, true);
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

tw_program tw_program_cross_replica_copy(tw_graph *graph, tw_tensor source, tw_tensor destination,
                                         const unsigned *to)
{
    TW__ENTER(graph, NIL);
    tw__core *core = graph->core;
    unsigned n = graph->replicas;
    if (!n || !to) {
        tw__graph_fail(core, n ? TW_E_INVALID_ARGUMENT : TW_E_REPLICATION, "%s",
                       n ? "the map of replicas is NULL" : "a cross-replica copy needs a replicated graph");
        return NIL;
    }
    g_autofree bool *taken = g_new0(bool, n);
    for (unsigned i = 0; i < n; i++) {
        if (to[i] >= n || taken[to[i]]) {
            tw__graph_fail(core, TW_E_REPLICATION,
                           to[i] >= n ? "replica %u cannot send to replica %u: there are %u"
                                      : "replica %u sends to replica %u, which another one of the %u sends to",
                           i, to[i], n);
            return NIL;
        }
        taken[to[i]] = true;
    }
    tw_tensor from = tw__replica_stacked(graph, source, "the source"), all = TW__NIL_TENSOR,
              picked = TW__NIL_TENSOR;
    if (from.id) all = tw__replica_stacked(graph, destination, "the destination");
    g_autofree tw_tensor *rows = g_new0(tw_tensor, n);
    bool done = all.id != 0;
    for (unsigned i = 0; i < n && done; i++)
        done = (rows[i] = tw_tensor_slice(graph->replica[0], all, 0, to[i], to[i] + 1)).id;
    if (done) picked = tw_tensor_concat(graph->replica[0], n, rows, 0);
    tw_program copy = NIL;
    if (picked.id && tw__replica_next(graph, 0)) copy = tw_program_copy(graph->replica[0], from, picked);
    for (unsigned i = 0; i < n; i++) tw__tensor_drop(core, rows[i]);
    tw__tensor_drop(core, from);
    tw__tensor_drop(core, all);
    tw__tensor_drop(core, picked);
    return copy;
}

/* --- the handle ----------------------------------------------------------------------------------------------- */

unsigned tw_graph_replication_factor(const tw_graph *graph)
{
    return graph && graph->replicas ? graph->replicas : 1;
}

tw_tensor tw_graph_add_replication_index_constant(tw_graph *graph, const char *name)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    TW__REPLICA_VARIABLE(graph, tw_graph_add_constant(one, TW_UNSIGNED_INT, 0, NULL, &i, true, name));
    return tw_graph_add_constant(graph, TW_UNSIGNED_INT, 0, NULL, &(unsigned){ 0 }, true, name);
}

tw_graph *tw_graph_replicated(tw_graph *graph, unsigned factor)
{
    TW__ENTER(graph, tw__graph_refused(graph));
    const tw_target *t = graph->target;
    unsigned tiles = t->tiles, each = factor ? tiles / factor : 0;
    if (factor == 1) return tw__graph_refused(graph); /* the same graph once more */
    if (graph->replicas) {
        tw__graph_fail(graph->core, TW_E_REPLICATION, "a replicated graph cannot be replicated again");
        return tw__graph_refused(graph);
    }
    if (!factor || tiles % factor || (t->ipus > 1 && t->ipus % factor && factor % t->ipus)) {
        tw__graph_fail(graph->core, TW_E_REPLICATION,
                       "replication factor %u does not divide the %u tile%s of %u IPU%s into equal parts", factor,
                       tiles, tiles == 1 ? "" : "s", t->ipus, t->ipus == 1 ? "" : "s");
        return tw__graph_refused(graph);
    }
    tw_graph **replica = tw__realloc(NULL, factor * sizeof *replica);
    unsigned made = 0;
    for (; replica && made < factor && tw__graph_usable(graph); made++)
        replica[made] = tw_graph_virtual_range(graph, made * each, (made + 1) * each);
    tw_graph *whole = replica && tw__graph_usable(graph) ? tw_graph_virtual_range(graph, 0, each) : NULL;
    if (whole && tw__graph_usable(graph)) {
        tw__core *core = graph->core;
        if (tiles == core->target->tiles) core->replicas = core->replicas && core->replicas != factor ? 1 : factor;
        whole->replica = replica;
        whole->replicas = factor;
        return whole;
    }
    tw__graph_no_memory(graph->core);
    while (made) tw_graph_free(replica[--made]);
    free(replica);
    tw_graph_free(whole);
    return tw__graph_refused(graph);
}
