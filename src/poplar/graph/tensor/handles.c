/* SPDX-License-Identifier: MIT */
/* Tensor handles: slot + generation, scopes, and the nodes behind them.
 *
 * A handle costs a slot of 24 bytes and a node of 56 bytes plus 16 a dimension. Both are reused as soon as the handle
 * goes, so that loops which make millions of views in a scope need no more memory than one round of them. */
#include "poplar/graph/build.h"

#include <stdlib.h>
#include <string.h>

typedef struct slot {
    tw__node *node; /* NULL when free */
    uint32_t generation;
    uint32_t next, previous; /* of the scope's handles; next free slot */
    uint32_t scope;          /* 0 = none */
} slot;
static_assert(sizeof(slot) == 24, "one of these for each handle");

struct tw__handles {
    slot *slots; /* [0] unused */
    size_t slot_count, slot_room;
    uint32_t free_slot; /* 0 = none */
    uint32_t *scopes;   /* first handle of each open scope; [0] = outside of all */
    size_t scope_count, scope_room;
    uint32_t first_generation;              /* differs from graph to graph, so that foreign handles are found out */
    tw__arena *arena;                       /* of the nodes */
    void *free_nodes[2 * TW__MAX_RANK + 1]; /* by number of size_t in dims */
};

struct tw__handles *tw__handles_new(void)
{
    static uint32_t serial;
    struct tw__handles *h = tw__realloc(NULL, sizeof *h);
    if (!h) return NULL;
    *h = (struct tw__handles){ .scope_count = 1, .slot_count = 1 };
    h->first_generation = (__atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED) * 0x9e3779b1u) | 1;
    h->arena = tw__arena_new(0);
    if (!h->arena || !tw__grow(&h->scopes, &h->scope_room, 1, sizeof *h->scopes) ||
        !tw__grow(&h->slots, &h->slot_room, 1, sizeof *h->slots)) {
        tw__handles_free(h);
        return NULL;
    }
    h->scopes[0] = 0;
    h->slots[0] = (slot){ 0 };
    return h;
}

void tw__handles_free(struct tw__handles *h)
{
    if (!h) return;
    for (size_t i = 1; h->slots && i < h->slot_count; i++)
        if (h->slots[i].node) {
            tw__regions_unref(h->slots[i].node->t.regions);
            tw__box_set_unref(h->slots[i].node->set);
        }
    free(h->slots);
    free(h->scopes);
    tw__arena_free(h->arena);
    free(h);
}

/* --- nodes ---------------------------------------------------------------------------------------------------- */

static unsigned node_words(const tw__node *node)
{
    return node->affine ? 2 * node->t.rank : node->t.rank;
}

tw__node *tw__node_make(tw__core *core, tw_type type, unsigned rank, bool affine)
{
    struct tw__handles *h = core->handles;
    unsigned words = affine ? 2 * rank : rank;
    tw__node *node = h->free_nodes[words];
    if (node)
        memcpy(&h->free_nodes[words], node, sizeof(void *));
    else
        node = tw__arena_alloc(h->arena, sizeof *node + words * sizeof(size_t), _Alignof(tw__node));
    if (!node) {
        tw__graph_no_memory(core);
        return NULL;
    }
    *node = (tw__node){ .t = { .type = type, .rank = rank }, .affine = affine };
    node->t.shape = node->dims;
    return node;
}

void tw__node_drop(tw__core *core, tw__node *node)
{
    if (!node) return;
    tw__regions_unref(node->t.regions);
    tw__box_set_unref(node->set);
    void **list = &core->handles->free_nodes[node_words(node)];
    memcpy(node, list, sizeof(void *));
    *list = node;
}

uint64_t tw__node_count(const tw__node *node)
{
    uint64_t count = 1;
    for (unsigned i = 0; i < node->t.rank; i++) count *= node->dims[i];
    return count;
}

bool tw__node_run(const tw__node *node, uint32_t *var, uint64_t *offset, uint64_t *count)
{
    if (!node->affine) {
        const tw__regions *list = node->t.regions;
        if (!list) return false; /* of boxes */
        const tw__region *r = list->region;
        if (list->n != 1 || r->rank != 1 || (r->count > 1 && r->dim[0].stride != 1)) return false;
        *var = r->var;
        *offset = r->offset;
        *count = r->count;
        return true;
    }
    const int64_t *stride = tw__strides(node);
    int64_t step = 1;
    *count = tw__node_count(node);
    *var = node->var;
    *offset = node->offset;
    if (*count == 0) return true;
    for (unsigned i = node->t.rank; i--;) {
        if (node->dims[i] == 1) continue;
        if (stride[i] != step) return false;
        step *= (int64_t)node->dims[i];
    }
    return true;
}

bool tw__node_plain(const tw__node *node)
{
    uint32_t var;
    uint64_t offset, count;
    return tw__node_run(node, &var, &offset, &count);
}

/* The list of a node that is not affine; made of its boxes once. NULL: out of memory. */
static tw__regions *list_of(const tw__node *node)
{
    if (!node->t.regions) /* a cache: the elements are the same */
        ((tw__node *)(uintptr_t)node)->t.regions = tw__boxes_to_list(tw__box_set_boxes(node->set), node->dims);
    return node->t.regions;
}

void tw__builder_node(tw__builder *builder, const tw__node *node)
{
    tw__dim dims[TW__MAX_RANK];
    if (!node->affine) {
        const tw__regions *list = list_of(node);
        if (list)
            tw__builder_range(builder, list, 0, list->count);
        else
            builder->failed = true;
        return;
    }
    for (unsigned i = 0; i < node->t.rank; i++) dims[i] = (tw__dim){ node->dims[i], tw__strides(node)[i] };
    tw__builder_box(builder, node->var, node->offset, dims, node->t.rank);
}

tw__regions *tw__node_regions(const tw__core *core, const tw__node *node)
{
    if (node->t.regions) return node->t.regions;
    tw__builder b = { 0 };
    tw__regions *list = NULL;
    if (node->affine) {
        tw__builder_node(&b, node);
        list = tw__builder_finish(&b);
        ((tw__node *)(uintptr_t)node)->t.regions = list; /* a cache: the elements are the same */
    } else {
        list = list_of(node);
    }
    if (!list) tw__graph_no_memory(core);
    return list;
}

/* --- handles -------------------------------------------------------------------------------------------------- */

static void link_in(struct tw__handles *h, uint32_t id, uint32_t scope)
{
    slot *s = &h->slots[id];
    s->scope = scope;
    s->previous = 0;
    s->next = h->scopes[scope];
    if (s->next) h->slots[s->next].previous = id;
    h->scopes[scope] = id;
}

static void link_out(struct tw__handles *h, uint32_t id)
{
    slot *s = &h->slots[id];
    if (s->next) h->slots[s->next].previous = s->previous;
    if (s->previous)
        h->slots[s->previous].next = s->next;
    else
        h->scopes[s->scope] = s->next;
}

static void release(tw__core *core, uint32_t id)
{
    struct tw__handles *h = core->handles;
    slot *s = &h->slots[id];
    link_out(h, id);
    tw__node_drop(core, s->node);
    s->node = NULL;
    s->generation++;
    s->next = h->free_slot;
    h->free_slot = id;
}

void tw__tensor_drop(tw__core *core, tw_tensor tensor)
{
    if (tw__node_find(core, tensor)) release(core, tensor.id);
}

tw_tensor tw__node_publish(tw__core *core, tw__node *node)
{
    if (!node) return TW__NIL_TENSOR;
    if (!tw__shape_fits(node->t.rank, node->dims)) { /* repeated, joined or stretched too far */
        tw__node_drop(core, node);
        tw__graph_fail(core, TW_E_TENSOR_CREATION, "the shape has too many elements");
        return TW__NIL_TENSOR;
    }
    struct tw__handles *h = core->handles;
    uint32_t id = h->free_slot;
    if (id) {
        h->free_slot = h->slots[id].next;
    } else {
        if (h->slot_count >= UINT32_MAX || !tw__grow(&h->slots, &h->slot_room, h->slot_count, sizeof *h->slots)) {
            tw__node_drop(core, node);
            tw__graph_no_memory(core);
            return TW__NIL_TENSOR;
        }
        id = (uint32_t)h->slot_count++;
        h->slots[id] = (slot){ .generation = h->first_generation };
    }
    h->slots[id].node = node;
    link_in(h, id, (uint32_t)h->scope_count - 1);
    return (tw_tensor){ id, h->slots[id].generation };
}

const tw__node *tw__node_find(const tw__core *core, tw_tensor tensor)
{
    const struct tw__handles *h = core->handles;
    if (!h || !tensor.id || tensor.id >= h->slot_count) return NULL;
    const slot *s = &h->slots[tensor.id];
    return s->generation == tensor.generation ? s->node : NULL;
}

const tw__node *tw__node_get(const tw__core *core, tw_tensor tensor, const char *what)
{
    const tw__node *node = tw__node_find(core, tensor);
    if (!node && !tensor.id)
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT, "%s is a nil tensor", what);
    else if (!node)
        tw__graph_fail(core, TW_E_INVALID_ARGUMENT,
                       "%s is a released tensor (handle %u): its scope was closed, tw_tensor_free() was called, "
                       "or it belongs to another graph; tw_tensor_keep() makes a view outlive its scope",
                       what, tensor.id);
    return node;
}

const tw__tensor *tw__tensor_get(const tw__core *core, tw_tensor tensor)
{
    const tw__node *node = tw__node_find(core, tensor);
    return node && tw__node_regions(core, node) ? &node->t : NULL;
}

bool tw_tensor_valid(const tw_graph *graph, tw_tensor tensor)
{
    return graph && tw__node_find(graph->core, tensor);
}

void tw_tensor_free(tw_graph *graph, tw_tensor tensor)
{
    /* Also on a graph in error: clean-up code need not look at the status. */
    TW__ENTER_GETTER(graph, );
    if (tw__node_find(graph->core, tensor))
        release(graph->core, tensor.id);
    else if (tensor.id)
        tw__node_get(graph->core, tensor, "the argument");
}

void tw_graph_push_scope(tw_graph *graph)
{
    TW__ENTER_GETTER(graph, ); /* pairs stay pairs on a graph in error */
    struct tw__handles *h = graph->core->handles;
    if (!h) return;
    if (!tw__grow(&h->scopes, &h->scope_room, h->scope_count, sizeof *h->scopes)) {
        tw__graph_no_memory(graph->core);
        return;
    }
    h->scopes[h->scope_count++] = 0;
}

void tw_graph_pop_scope(tw_graph *graph)
{
    TW__ENTER_GETTER(graph, );
    struct tw__handles *h = graph->core->handles;
    if (!h) return;
    if (h->scope_count == 1) {
        tw__graph_fail(graph->core, TW_E_ERROR, "tw_graph_pop_scope() without a tw_graph_push_scope() before it");
        return;
    }
    while (h->scopes[h->scope_count - 1]) release(graph->core, h->scopes[h->scope_count - 1]);
    h->scope_count--;
}

tw_tensor tw_tensor_keep(tw_graph *graph, tw_tensor tensor)
{
    TW__ENTER(graph, TW__NIL_TENSOR);
    if (!tw__node_get(graph->core, tensor, "the argument")) return TW__NIL_TENSOR;
    struct tw__handles *h = graph->core->handles;
    uint32_t scope = h->slots[tensor.id].scope;
    if (scope) {
        link_out(h, tensor.id);
        link_in(h, tensor.id, scope - 1);
    }
    return tensor;
}

/* --- names for messages --------------------------------------------------------------------------------------- */

char *tw__shape_text(unsigned rank, const size_t *shape, char *buf, size_t size)
{
    size_t used = 0;
    if (size) buf[0] = 0;
    for (unsigned i = 0; i < rank && used < size; i++) {
        int n = snprintf(buf + used, size - used, "[%zu]", shape[i]);
        if (n > 0) used += (size_t)n;
    }
    if (rank == 0) snprintf(buf, size, "[]");
    return buf;
}

char *tw__variable_text(const tw__core *core, uint32_t var, char *buf, size_t size)
{
    const tw__variable *v = &core->vars[var];
    char shape[TW__TEXT_BYTES];
    if (v->rank)
        tw__shape_text(v->rank, v->shape, shape, sizeof shape);
    else
        shape[0] = 0;
    if (v->name[0])
        snprintf(buf, size, "%.160s%.80s", v->name, shape);
    else
        snprintf(buf, size, "unnamed %s %u%.80s", v->is_constant ? "constant" : "variable", var, shape);
    return buf;
}

char *tw__node_text(const tw__core *core, const tw__node *node, char *buf, size_t size)
{
    char name[TW__TEXT_BYTES], shape[TW__TEXT_BYTES];
    const tw__regions *list = node->t.regions;
    const tw__boxes *boxes = node->set ? tw__box_set_boxes(node->set) : NULL;
    uint32_t var = node->affine ? node->var
                   : boxes      ? tw__boxes_at(boxes, 0)->var
                   : list->n    ? list->region[0].var
                                : 0,
             others = 0;
    tw__shape_text(node->t.rank, node->dims, shape, sizeof shape);
    if (boxes)
        for (size_t i = 0; i < boxes->n; i++) others += tw__boxes_at(boxes, i)->var != var;
    else if (!node->affine)
        for (uint32_t i = 0; i < list->n; i++) others += list->region[i].var != var;
    tw__variable_text(core, var, name, sizeof name);
    const tw__variable *v = &core->vars[var];
    if (tw__node_count(node) == 0 && !node->affine)
        snprintf(buf, size, "an empty tensor %.80s", shape);
    else if (others)
        snprintf(buf, size, "tensor %.60s of %.120s and other variables", shape, name);
    else if (tw__node_count(node) != v->count)
        snprintf(buf, size, "slice of %s", name);
    else if (node->t.rank == v->rank && !memcmp(node->dims, v->shape, v->rank * sizeof *v->shape))
        snprintf(buf, size, "%s", name);
    else
        snprintf(buf, size, "view %.60s of %.180s", shape, name);
    return buf;
}
