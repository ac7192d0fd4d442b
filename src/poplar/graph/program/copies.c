/* SPDX-License-Identifier: MIT */
/* Copies: between tensors, with host streams, with remote buffers; and tensors as programs keep them. */
#include "poplar/graph/replicas.h"

#include <string.h>

#define NIL ((tw_program){ 0 })

/* --- operands ------------------------------------------------------------------------------------------------- */

void tw__operand_drop(tw__operand *operand)
{
    tw__regions_unref(operand->regions);
    operand->regions = NULL;
}

/* With the elements in another order than the tensor's: takes over `list`. */
static bool operand_of(tw__core *core, tw__operand *operand, const tw__node *node, tw__regions *list)
{
    size_t *shape = list ? TW__NEW_N(core->arena, size_t, node->t.rank) : NULL;
    if (!shape) {
        tw__regions_unref(list);
        return list ? tw__graph_no_memory(core) : false;
    }
    if (node->t.rank) memcpy(shape, node->dims, node->t.rank * sizeof *shape);
    *operand = (tw__operand){ list, node->t.type, node->t.rank, shape };
    return true;
}

bool tw__operand_set(tw__core *core, tw__operand *operand, const tw__node *node)
{
    return operand_of(core, operand, node, tw__regions_ref(tw__node_regions(core, node)));
}

char *tw__operand_text(const tw__core *core, const tw__operand *operand, char *buf, size_t size)
{
    if (!operand->regions) {
        snprintf(buf, size, "nothing");
        return buf;
    }
    /* A node for the time of the message. */
    size_t room[(sizeof(tw__node) + TW__MAX_RANK * sizeof(size_t)) / sizeof(size_t) + 1];
    tw__node *node = (tw__node *)room;
    *node = (tw__node){ .t = { operand->regions, operand->type, operand->rank, operand->shape } };
    if (operand->rank) memcpy(node->dims, operand->shape, operand->rank * sizeof *node->dims);
    return tw__node_text(core, node, buf, size);
}

/* The tensor is written by the program. */
bool tw__writable(tw__core *core, tw_tensor tensor, const char *what)
{
    char text[TW__TEXT_BYTES];
    const tw__node *t = tw__node_get(core, tensor, what);
    const tw__regions *list = t ? tw__node_elements(core, t) : NULL;
    if (!list) return false;
    for (uint32_t i = 0; i < list->n; i++)
        if (core->vars[list->region[i].var].is_constant)
            return tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s %s holds constants and cannot be written", what,
                                  tw__node_text(core, t, text, sizeof text));
    tw__overlap overlap = tw__node_plain(t) ? TW__OVERLAP_NONE : tw__list_aliases(list);
    if (overlap == TW__OVERLAP_NO_MEMORY) return tw__graph_no_memory(core);
    if (overlap == TW__OVERLAP_NONE) return true;
    return tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s %s names an element twice and cannot be written", what,
                          tw__node_text(core, t, text, sizeof text));
}

/* --- copies --------------------------------------------------------------------------------------------------- */

static bool check_copy(tw__core *core, const tw__node *s, const tw__node *d)
{
    char from[TW__TEXT_BYTES], to[TW__TEXT_BYTES], a[TW__TEXT_BYTES], b[TW__TEXT_BYTES];
    tw__node_text(core, s, from, sizeof from);
    tw__node_text(core, d, to, sizeof to);
    if (s->t.type != d->t.type)
        return tw__graph_fail(
            core, TW_E_TYPE, "copy between different element types: source %s is %s, destination %s is %s", from,
            tw_type_name(s->t.type, TW_SYSTEM_POPLAR), to, tw_type_name(d->t.type, TW_SYSTEM_POPLAR));
    const tw__regions *p = tw__node_elements(core, s), *q = tw__node_elements(core, d);
    if (!p || !q) return false;
    if (p->count != q->count)
        return tw__graph_fail(core, TW_E_CONTROL_PROGRAM,
                              "copy between different numbers of elements: source %s has %llu (%s), destination %s "
                              "has %llu (%s)",
                              from, (unsigned long long)p->count, tw__shape_text(s->t.rank, s->dims, a, sizeof a),
                              to, (unsigned long long)q->count, tw__shape_text(d->t.rank, d->dims, b, sizeof b));
    if (tw__nodes_equal(core, s, d)) return true;
    tw__overlap overlap = tw__lists_intersect(p, q);
    if (overlap == TW__OVERLAP_NO_MEMORY) return tw__graph_no_memory(core);
    return overlap == TW__OVERLAP_NONE || tw__graph_fail(core, TW_E_CONTROL_PROGRAM,
                                                         "copy of overlapping tensors: source %s and destination "
                                                         "%s share elements; copy through another variable",
                                                         from, to);
}

/* Which element goes where does not depend on their order, in which blocks are fewer regions. */
static bool in_storage_order(const tw__node *source, const tw__node *destination, tw__regions *lists[2])
{
    const tw__node *s = source, *d = destination;
    bool alike = s->t.rank == d->t.rank && (!d->t.rank || !memcmp(s->dims, d->dims, d->t.rank * sizeof *d->dims));
    return d->set && alike && tw__storage_order(d, 1, &s, lists);
}

tw_program tw_program_copy(tw_graph *graph, tw_tensor source, tw_tensor destination)
{
    TW__ENTER(graph, NIL);
    if (graph->replicas) return tw__replica_copy(graph, source, destination);
    tw__core *core = graph->core;
    const tw__node *s = tw__node_get(core, source, "the source"),
                   *d = s ? tw__node_get(core, destination, "the destination") : NULL;
    tw__program p = { .kind = TW__P_COPY };
    tw__regions *lists[2];
    if (!d || !check_copy(core, s, d) || !tw__writable(core, destination, "the destination")) return NIL;
    if (!in_storage_order(s, d, lists)) { /* as the tensors have them */
        lists[0] = tw__regions_ref(tw__node_regions(core, s));
        lists[1] = tw__regions_ref(tw__node_regions(core, d));
    }
    if (!operand_of(core, &p.a, s, lists[0])) {
        tw__regions_unref(lists[1]);
        return NIL;
    }
    if (operand_of(core, &p.b, d, lists[1])) return tw__program_add(core, p);
    tw__operand_drop(&p.a);
    return NIL;
}

static tw_program stream_copy(tw_graph *graph, tw_stream stream, tw_tensor tensor, bool to_device)
{
    tw__core *core = graph->core;
    char text[TW__TEXT_BYTES];
    if (!stream.id || stream.id >= core->stream_count) {
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s",
                       stream.id ? "the stream is not one of this graph" : "the stream is nil");
        return NIL;
    }
    const tw__stream *s = &core->streams[stream.id];
    const tw__node *t = tw__node_get(core, tensor, to_device ? "the destination" : "the source");
    if (!t) return NIL;
    tw__node_text(core, t, text, sizeof text);
    tw__program p = { .kind = to_device ? TW__P_STREAM_IN : TW__P_STREAM_OUT, .id = stream.id };
    if (s->to_device != to_device)
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "stream '%s' goes from %s and cannot be copied %s %s", s->handle,
                       s->to_device ? "host to device" : "device to host", to_device ? "to" : "from", text);
    else if (s->type != t->t.type)
        tw__graph_fail(core, TW_E_TYPE, "copy between different element types: stream '%s' is %s, %s is %s",
                       s->handle, tw_type_name(s->type, TW_SYSTEM_POPLAR), text,
                       tw_type_name(t->t.type, TW_SYSTEM_POPLAR));
    else if (s->count != tw__node_count(t))
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "stream '%s' moves %llu elements at a time, %s has %llu",
                       s->handle, (unsigned long long)s->count, text, (unsigned long long)tw__node_count(t));
    else if ((!to_device || tw__writable(core, tensor, "the destination")) && tw__operand_set(core, &p.a, t))
        return tw__program_add(core, p);
    return NIL;
}

tw_program tw_program_copy_from_stream(tw_graph *graph, tw_stream stream, tw_tensor destination)
{
    TW__ENTER(graph, NIL);
    if (graph->replicas) return tw__replica_stream_copy(graph, stream, destination, true);
    return stream_copy(graph, stream, destination, true);
}

tw_program tw_program_copy_to_stream(tw_graph *graph, tw_tensor source, tw_stream stream)
{
    TW__ENTER(graph, NIL);
    if (graph->replicas) return tw__replica_stream_copy(graph, stream, source, false);
    return stream_copy(graph, stream, source, false);
}

static tw_program remote_copy(tw_graph *graph, tw_remote_buffer buffer, tw_tensor tensor, tw_tensor offsets,
                              bool in)
{
    tw__core *core = graph->core;
    char text[TW__TEXT_BYTES], offset_text[TW__TEXT_BYTES];
    if (!buffer.id || buffer.id >= core->remote_count) {
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM, "%s",
                       buffer.id ? "the remote buffer is not one of this graph" : "the remote buffer is nil");
        return NIL;
    }
    const tw__remote *r = &core->remotes[buffer.id];
    const tw__node *t = tw__node_get(core, tensor, in ? "the destination" : "the source"), *o = NULL;
    if (!t || (offsets.id && !(o = tw__node_get(core, offsets, "the offsets")))) return NIL;
    tw__node_text(core, t, text, sizeof text);
    if (o) tw__node_text(core, o, offset_text, sizeof offset_text);
    uint64_t rows = o ? tw__node_count(o) : 1;
    tw__program p = { .kind = in ? TW__P_REMOTE_IN : TW__P_REMOTE_OUT, .id = buffer.id };
    if (r->type != t->t.type)
        tw__graph_fail(core, TW_E_TYPE, "copy between different element types: remote buffer '%s' is %s, %s is %s",
                       r->handle, tw_type_name(r->type, TW_SYSTEM_POPLAR), text,
                       tw_type_name(t->t.type, TW_SYSTEM_POPLAR));
    else if (o && ((o->t.type != TW_UNSIGNED_INT && o->t.type != TW_INT) || o->t.rank > 1))
        tw__graph_fail(core, TW_E_CONTROL_PROGRAM,
                       "the offsets %s of remote buffer '%s' must be a vector of unsigned int or int", offset_text,
                       r->handle);
    else if (tw__node_count(t) != rows * r->count)
        tw__graph_fail(
            core, TW_E_CONTROL_PROGRAM,
            "remote buffer '%s' has rows of %llu elements; for %llu offset%s %s must have %llu, not %llu",
            r->handle, (unsigned long long)r->count, (unsigned long long)rows, rows == 1 ? "" : "s", text,
            (unsigned long long)(rows * r->count), (unsigned long long)tw__node_count(t));
    else if ((!in || tw__writable(core, tensor, "the destination")) && tw__operand_set(core, &p.a, t)) {
        if (!o || tw__operand_set(core, &p.b, o)) return tw__program_add(core, p);
        tw__operand_drop(&p.a);
    }
    return NIL;
}

tw_program tw_program_copy_from_remote(tw_graph *graph, tw_remote_buffer buffer, tw_tensor destination,
                                       tw_tensor offsets)
{
    TW__ENTER(graph, NIL);
    if (graph->replicas) return tw__replica_remote_copy(graph, buffer, destination, offsets, true);
    return remote_copy(graph, buffer, destination, offsets, true);
}

tw_program tw_program_copy_to_remote(tw_graph *graph, tw_tensor source, tw_remote_buffer buffer, tw_tensor offsets)
{
    TW__ENTER(graph, NIL);
    if (graph->replicas) return tw__replica_remote_copy(graph, buffer, source, offsets, false);
    return remote_copy(graph, buffer, source, offsets, false);
}
