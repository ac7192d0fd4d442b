/* SPDX-License-Identifier: MIT */
/* Edges: what connects the fields of a vertex with elements of tensors (Poplar API, VertexRef.hpp). */
#include "poplar/graph/replicas.h"

#include <string.h>

const tw__field *tw__field_get(tw__core *core, uint32_t vertex, const char *name, unsigned *field, int64_t *index)
{
    const tw__vertex_type *info = tw__vertex_info(core, &core->vertices[vertex]);
    if (!name) name = "";
    *index = -1;
    size_t length = strlen(name);
    if (length && name[length - 1] == ']') {
        const char *open = strchr(name, '[');
        char *end = NULL;
        if (open && open[1] >= '0' && open[1] <= '9') {
            *index = (int64_t)g_ascii_strtoull(open + 1, &end, 10);
            length = (size_t)(open - name);
        }
        if (!open || end != open + strlen(open) - 1 || *index > UINT32_MAX) *index = -2;
    }
    for (unsigned i = 0; i < info->num_fields && *index != -2; i++)
        if (!strncmp(info->fields[i].name, name, length) && !info->fields[i].name[length]) {
            *field = i;
            return &info->fields[i];
        }
    char text[TW__TEXT_BYTES];
    char *base = g_strndup(name, length);
    char hint[TW__HINT_BYTES];
    const char *near = tw__vertex_suggest_field(info, base);
    g_free(base);
    tw__graph_fail(core, TW_E_UNKNOWN_FIELD, "unknown field '%s' of %s%s", name,
                   tw__vertex_text(core, vertex, text, sizeof text), tw__did_you_mean(hint, near));
    return NULL;
}

/* What a call connects: the tensor elements [begin, begin + count) as sub-vector `index`. */
typedef struct link {
    tw__core *core;
    uint32_t vertex;
    unsigned field;
    const tw__field *f;
    const char *name; /* as the user wrote it */
} link_to;

static char *vertex_text(const link_to *l, char buf[TW__TEXT_BYTES])
{
    return tw__vertex_text(l->core, l->vertex, buf, TW__TEXT_BYTES);
}

static bool check_tensor(const link_to *l, const tw__node *t)
{
    const tw__field *f = l->f;
    if (t->t.type != f->type) {
        char text[TW__TEXT_BYTES], tensor_text[TW__TEXT_BYTES];
        return tw__graph_fail(
            l->core, TW_E_CONNECTION, "element type mismatch: field '%s' of %s is %s, tensor %s is %s", l->name,
            vertex_text(l, text), tw_type_name(f->type, TW_SYSTEM_POPLAR),
            tw__node_text(l->core, t, tensor_text, sizeof tensor_text), tw_type_name(t->t.type, TW_SYSTEM_POPLAR));
    }
    if (f->direction == TW__INPUT) return true;
    uint32_t var;
    uint64_t offset, count;
    const char *what = NULL;
    if (tw__node_run(t, &var, &offset, &count)) {
        if (count && l->core->vars[var].is_constant) what = "holds constants";
    } else {
        const tw__regions *list = tw__node_regions(l->core, t);
        if (!list) return false;
        for (uint32_t i = 0; i < list->n && !what; i++)
            if (l->core->vars[list->region[i].var].is_constant) what = "holds constants";
        if (!what) {
            tw__overlap overlap = tw__list_aliases(list);
            if (overlap == TW__OVERLAP_NO_MEMORY) return tw__graph_no_memory(l->core);
            if (overlap == TW__OVERLAP_FOUND) what = "names an element twice";
        }
    }
    if (!what) return true;
    char text[TW__TEXT_BYTES], tensor_text[TW__TEXT_BYTES];
    return tw__graph_fail(l->core, TW_E_CONNECTION, "%s field '%s' of %s cannot be connected to %s, which %s",
                          f->direction == TW__OUTPUT ? "output" : "in-out", l->name, vertex_text(l, text),
                          tw__node_text(l->core, t, tensor_text, sizeof tensor_text), what);
}

/* No edge for this field and sub-vector yet? index -1: none at all. */
static bool check_free(const link_to *l, int64_t index)
{
    tw__core *core = l->core;
    if (index >= 0 && tw__field_index_new(core, l->vertex, l->field, (uint64_t)index, false)) return true;
    for (uint32_t e = core->vertices[l->vertex].first_edge; e; e = core->edges[e].next) {
        const tw__edge *edge = &core->edges[e];
        if (edge->field != l->field || (index >= 0 && edge->index != (uint32_t)index)) continue;
        char text[TW__TEXT_BYTES];
        return tw__graph_fail(core, TW_E_CONNECTION, "field '%s' of %s is already connected", l->name,
                              vertex_text(l, text));
    }
    return true;
}

/* Elements of a list from `begin` on, as many as the edge has, when they are one run. */
static bool edge_run(tw__edge *edge, const tw__regions *list, uint64_t begin)
{
    uint32_t var;
    uint64_t offset;
    tw__dim dims[4];
    unsigned rank;
    if (!tw__regions_box(list, begin, begin + edge->count, &var, &offset, dims, &rank) || rank > 1 ||
        (rank && dims[0].stride != 1))
        return false;
    edge->var = var;
    edge->offset = offset;
    return true;
}

static bool fill_edge(const link_to *l, tw__edge *edge, const tw__node *t, uint64_t begin, uint64_t count,
                      uint32_t index)
{
    uint64_t offset, all;
    *edge = (tw__edge){ .field = (uint16_t)l->field, .index = index, .count = count };
    if (!count) return true;
    if (tw__node_run(t, &edge->var, &offset, &all)) {
        edge->offset = offset + begin;
        return true;
    }
    tw__regions *list = tw__node_regions(l->core, t);
    if (!list) return false;
    if (edge_run(edge, list, begin)) return true;
    if (count == list->count) {
        edge->regions = tw__regions_ref(list);
    } else {
        tw__builder b = { 0 };
        tw__builder_range(&b, list, begin, begin + count);
        if (!(edge->regions = tw__builder_finish(&b))) return tw__graph_no_memory(l->core);
    }
    edge->var = edge->regions->region->var;
    if (!edge_run(edge, edge->regions, 0)) return true;
    tw__regions_unref(edge->regions); /* pieces that continued each other */
    edge->regions = NULL;
    return true;
}

/* Appends edges first .. edge_count - 1, just filled, to the vertex's chain. */
static void chain(tw__core *core, uint32_t vertex, size_t first)
{
    tw__vertex *v = &core->vertices[vertex];
    for (size_t e = first; e < core->edge_count; e++) {
        if (v->last_edge)
            core->edges[v->last_edge].next = (uint32_t)e;
        else
            v->first_edge = (uint32_t)e;
        v->last_edge = (uint32_t)e;
    }
}

static bool add_edge(const link_to *l, const tw__node *t, uint64_t begin, uint64_t count, uint32_t index)
{
    tw__core *core = l->core;
    if (core->edge_count >= UINT32_MAX ||
        !tw__grow(&core->edges, &core->edge_room, core->edge_count, sizeof *core->edges))
        return tw__graph_no_memory(core);
    if (!fill_edge(l, &core->edges[core->edge_count], t, begin, count, index)) return false;
    core->edge_count++;
    return true;
}

static void undo_edges(tw__core *core, size_t first)
{
    while (core->edge_count > first) tw__regions_unref(core->edges[--core->edge_count].regions);
}

static bool wrong_size(const link_to *l, const tw__node *t, uint64_t got, const char *unit, uint64_t want,
                       const char *why)
{
    char text[TW__TEXT_BYTES], tensor_text[TW__TEXT_BYTES];
    return tw__graph_fail(
        l->core, TW_E_CONNECTION, "wrong size: field '%s' of %s takes %llu %s%s, tensor %s has %llu", l->name,
        vertex_text(l, text), (unsigned long long)want, unit, why,
        t ? tw__node_text(l->core, t, tensor_text, sizeof tensor_text) : "list", (unsigned long long)got);
}

/* More than a layout can count (guide 4.2: 2,047 elements in a SHORT_SPAN) is refused where there is a chip to hold
 * it; on a CPU every vector is a pointer and a 32-bit count. */
static bool fits_layout(const link_to *l, uint64_t count, unsigned dim)
{
    if (l->core->target->kind == TW_TARGET_CPU) return true;
    uint64_t most = tw__field_limit(l->core, l->f, dim);
    if (count <= most) return true;
    char text[TW__TEXT_BYTES];
    return tw__graph_fail(
        l->core, TW_E_CONNECTION,
        "wrong size: %llu %s of field '%s' of %s are more than its vector layout can count: at most "
        "%llu",
        (unsigned long long)count, l->f->form == TW__EDGE_VECTORS && dim == 0 ? "sub-vectors" : "elements", l->name,
        vertex_text(l, text), (unsigned long long)most);
}

static bool open_link(tw_graph *graph, link_to *l, tw_vertex vertex, const char *field, int64_t *index)
{
    tw__core *core = graph->core;
    if (!tw__vertex_get(core, vertex)) return false;
    *l = (link_to){ .core = core, .vertex = vertex.id, .name = field };
    l->f = tw__field_get(core, vertex.id, field, &l->field, index);
    if (!l->f) return false;
    if (l->f->direction == TW__STATE) {
        char text[TW__TEXT_BYTES];
        return tw__graph_fail(core, TW_E_CONNECTION,
                              "field '%s' of %s is state, not an edge: give it a value with tw_graph_set_field()",
                              field, vertex_text(l, text));
    }
    return true;
}

/* Elements of a list that is connected before its size is known. */
#define MOST_ELEMENTS (UINT64_C(1) << 24)

/* "rows[3]": the field must be a list. Its size may be set later (PopLibs' pooling does), which checks the index. */
static bool check_index(const link_to *l, int64_t index)
{
    char text[TW__TEXT_BYTES];
    uint64_t size;
    if (l->f->form != TW__EDGE_VECTORS && l->f->form != TW__EDGE_SCALARS)
        return tw__graph_fail(l->core, TW_E_CONNECTION,
                              "field '%s' of %s is not a list and has no elements to connect one by one", l->name,
                              vertex_text(l, text));
    if (!tw__field_size_find(l->core, l->vertex, l->field, &size)) size = MOST_ELEMENTS;
    if ((uint64_t)index >= size)
        return tw__graph_fail(l->core, TW_E_INDEX, "field '%s' of %s is out of range: the field has %llu elements",
                              l->name, vertex_text(l, text), (unsigned long long)size);
    return true;
}

static bool connect_node(link_to *l, const tw__node *t, int64_t index)
{
    uint64_t count = tw__node_count(t), size;
    bool sized = tw__field_size_find(l->core, l->vertex, l->field, &size);
    if (index >= 0) {
        if (l->f->form == TW__EDGE_SCALARS && count != 1) return wrong_size(l, t, count, "element", 1, "");
        if (l->f->form == TW__EDGE_VECTORS && !fits_layout(l, count, 1)) return false;
        return add_edge(l, t, 0, count, (uint32_t)index);
    }
    switch (l->f->form) {
    case TW__EDGE_SCALAR:
        if (count != 1) return wrong_size(l, t, count, "element", 1, "");
        return add_edge(l, t, 0, 1, 0);
    case TW__EDGE_VECTOR:
    case TW__EDGE_SCALARS:
        if (sized && size != count)
            return wrong_size(l, t, count, "elements", size, " as set by tw_graph_set_field_size()");
        if (!fits_layout(l, count, 0)) return false;
        return add_edge(l, t, 0, count, 0);
    case TW__EDGE_VECTORS: {
        if (t->t.rank != 2) {
            char text[TW__TEXT_BYTES], tensor_text[TW__TEXT_BYTES];
            return tw__graph_fail(
                l->core, TW_E_CONNECTION,
                "field '%s' of %s is a list of vectors: connect a tensor of rank 2 (one row each) or a "
                "list of tensors, not %s of rank %u",
                l->name, vertex_text(l, text), tw__node_text(l->core, t, tensor_text, sizeof tensor_text),
                t->t.rank);
        }
        size_t rows = t->dims[0], row = t->dims[1];
        if (sized && size != rows)
            return wrong_size(l, t, rows, "sub-vectors", size, " as set by tw_graph_set_field_size()");
        if (!fits_layout(l, rows, 0) || (rows && !fits_layout(l, row, 1))) return false;
        if (rows == 0) return tw__field_size_set(l->core, l->vertex, l->field, 0); /* connected to nothing */
        for (size_t i = 0; i < rows; i++)
            if (!add_edge(l, t, i * row, row, (uint32_t)i)) return false;
        return true;
    }
    case TW__STATE_PLAIN:
    case TW__STATE_OPAQUE:
    case TW__STATE_VECTOR: break; /* open_link() has refused these */
    }
    return false;
}

void tw_graph_connect(tw_graph *graph, tw_vertex vertex, const char *field, tw_tensor tensor)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA_TENSOR(graph, i, one, tensor, part,
                            tw_graph_connect(one, tw__replica_vertex(graph, vertex, i), field, part));
    link_to l;
    int64_t index;
    if (!open_link(graph, &l, vertex, field, &index) || (index >= 0 && !check_index(&l, index))) return;
    const tw__node *t = tw__node_get(graph->core, tensor, "the tensor to connect");
    if (!t || !check_tensor(&l, t) || !check_free(&l, index)) return;
    size_t first = graph->core->edge_count;
    if (!connect_node(&l, t, index)) {
        undo_edges(graph->core, first);
        return;
    }
    chain(graph->core, vertex.id, first);
    if (index >= 0) tw__field_index_new(graph->core, vertex.id, l.field, (uint64_t)index, true);
}

/* An output list must not name an element twice over all its parts. */
static bool check_list_aliases(const link_to *l, size_t count, const tw_tensor *tensors)
{
    if (l->f->direction == TW__INPUT || count < 2) return true;
    tw__builder b = { 0 };
    for (size_t i = 0; i < count; i++) tw__builder_node(&b, tw__node_find(l->core, tensors[i]));
    tw__regions *list = tw__builder_finish(&b);
    tw__overlap overlap = list ? tw__list_aliases(list) : TW__OVERLAP_NO_MEMORY;
    tw__regions_unref(list);
    if (overlap == TW__OVERLAP_NO_MEMORY) return tw__graph_no_memory(l->core);
    if (overlap == TW__OVERLAP_NONE) return true;
    char text[TW__TEXT_BYTES];
    return tw__graph_fail(l->core, TW_E_CONNECTION,
                          "output field '%s' of %s cannot be connected to tensors that name an element twice",
                          l->name, vertex_text(l, text));
}

/* The list of replica `i` of a replicated graph, on its graph `one`. */
static void connect_list_part(tw_graph *graph, unsigned i, tw_graph *one, tw_vertex vertex, const char *field,
                              size_t count, const tw_tensor *tensors)
{
    tw_tensor *part = tw__realloc(NULL, (count + 1) * sizeof *part);
    if (!part) {
        tw__graph_no_memory(graph->core);
        return;
    }
    size_t n = 0;
    for (; n < count && tw__graph_usable(graph); n++) part[n] = tw__replica_tensor(graph, tensors[n], i);
    tw_vertex v = tw__replica_vertex(graph, vertex, i);
    if (tw__graph_usable(graph)) tw_graph_connect_list(one, v, field, count, part);
    while (n--) tw__replica_drop(graph, tensors[n], part[n]);
    free(part);
}

void tw_graph_connect_list(tw_graph *graph, tw_vertex vertex, const char *field, size_t count,
                           const tw_tensor *tensors)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA(graph, i, one, connect_list_part(graph, i, one, vertex, field, count, tensors));
    tw__core *core = graph->core;
    link_to l;
    int64_t index;
    uint64_t size;
    if (!open_link(graph, &l, vertex, field, &index) || !check_free(&l, -1)) return;
    if (index >= 0 || (l.f->form != TW__EDGE_VECTORS && l.f->form != TW__EDGE_SCALARS)) {
        char text[TW__TEXT_BYTES];
        tw__graph_fail(core, TW_E_CONNECTION,
                       "field '%s' of %s is not a list: connect one tensor with tw_graph_connect()", field,
                       vertex_text(&l, text));
        return;
    }
    if (tw__field_size_find(core, vertex.id, l.field, &size) && size != count) {
        wrong_size(&l, NULL, count, "sub-vectors", size, " as set by tw_graph_set_field_size()");
        return;
    }
    if (!fits_layout(&l, count, 0)) return;
    for (size_t i = 0; i < count; i++) {
        const tw__node *t = tw__node_find(core, tensors[i]);
        if (!t) {
            char what[48];
            snprintf(what, sizeof what, "tensor %zu of the list", i);
            t = tw__node_get(core, tensors[i], what); /* says why */
        }
        if (!t || !check_tensor(&l, t)) return;
        if (l.f->form == TW__EDGE_SCALARS && tw__node_count(t) != 1) {
            wrong_size(&l, t, tw__node_count(t), "element for each edge", 1, "");
            return;
        }
        if (l.f->form == TW__EDGE_VECTORS && !fits_layout(&l, tw__node_count(t), 1)) return;
    }
    if (!check_list_aliases(&l, count, tensors)) return;
    size_t first = core->edge_count;
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        const tw__node *t = tw__node_find(core, tensors[i]);
        done = add_edge(&l, t, 0, tw__node_count(t), (uint32_t)i);
    }
    if (done && count == 0 && l.f->form == TW__EDGE_VECTORS)
        done = tw__field_size_set(core, vertex.id, l.field, 0); /* a list of no vectors is connected, too */
    if (done)
        chain(core, vertex.id, first);
    else
        undo_edges(core, first);
}

void tw_graph_connect_constant(tw_graph *graph, tw_vertex vertex, const char *field, double value)
{
    TW__ENTER(graph, );
    TW__EACH_REPLICA(graph, i, one,
                     tw_graph_connect_constant(one, tw__replica_vertex(graph, vertex, i), field, value));
    tw__core *core = graph->core;
    link_to l;
    int64_t index;
    uint32_t var;
    uint8_t bytes[16] = { 0 };
    if (!open_link(graph, &l, vertex, field, &index) || (index >= 0 && !check_index(&l, index)) ||
        !check_free(&l, index))
        return;
    char text[TW__TEXT_BYTES];
    if (l.f->direction != TW__INPUT) {
        tw__graph_fail(core, TW_E_CONNECTION, "output field '%s' of %s cannot be connected to a constant", field,
                       vertex_text(&l, text));
        return;
    }
    uint64_t size = 1;
    if (index < 0 &&
        (l.f->form == TW__EDGE_VECTORS || (tw__field_size_find(core, vertex.id, l.field, &size) && size != 1))) {
        tw__graph_fail(core, TW_E_CONNECTION, "field '%s' of %s takes more than the one element of a constant",
                       field, vertex_text(&l, text));
        return;
    }
    if (!tw__value_fits(core, l.f->type, value, field, vertex_text(&l, text))) return;
    tw__number_store(l.f->type, bytes, value);
    if (!tw__constant_add(graph, l.f->type, bytes, &var)) return;
    /* The vertex's tile, known or not, is where the constant goes: an unmapped one is mapped with the vertex. */
    tw__node node = { .t = { .type = l.f->type }, .var = var, .affine = 1 };
    size_t first = core->edge_count;
    if (!add_edge(&l, &node, 0, 1, index < 0 ? 0 : (uint32_t)index)) {
        tw__variable_drop_last(core);
        return;
    }
    chain(core, vertex.id, first);
    if (index >= 0) tw__field_index_new(core, vertex.id, l.field, (uint64_t)index, true);
}
