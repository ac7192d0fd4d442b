/* SPDX-License-Identifier: MIT */
/* What a tensor says about itself. */
#include "poplar/graph/build.h"

#define GETTER(name, tensor, result)                                          \
    TW__ENTER_GETTER(graph, result);                                          \
    const tw__node *name = tw__node_get(graph->core, tensor, "the argument"); \
    if (!name) return result

tw_type tw_tensor_type(const tw_graph *graph, tw_tensor tensor)
{
    GETTER(t, tensor, TW_TYPE_NONE);
    return t->t.type;
}

unsigned tw_tensor_rank(const tw_graph *graph, tw_tensor tensor)
{
    GETTER(t, tensor, 0);
    return t->t.rank;
}

size_t tw_tensor_dim(tw_graph *graph, tw_tensor tensor, unsigned dim)
{
    GETTER(t, tensor, 0);
    char text[TW__TEXT_BYTES];
    if (dim < t->t.rank) return t->dims[dim];
    tw__graph_fail(graph->core, TW_E_INDEX, "dimension %u is out of range: %s has %u", dim,
                   tw__node_text(graph->core, t, text, sizeof text), t->t.rank);
    return 0;
}

const size_t *tw_tensor_shape(const tw_graph *graph, tw_tensor tensor)
{
    GETTER(t, tensor, NULL);
    return t->dims;
}

uint64_t tw_tensor_elements(const tw_graph *graph, tw_tensor tensor)
{
    GETTER(t, tensor, 0);
    return tw__node_count(t);
}

bool tw_tensor_is_contiguous(const tw_graph *graph, tw_tensor tensor)
{
    GETTER(t, tensor, false);
    uint32_t var;
    uint64_t offset, count;
    if (t->set && !tw__node_regions(graph->core, t)) return false; /* they may be one run */
    return tw__node_count(t) == 0 || tw__node_run(t, &var, &offset, &count);
}

/* Out of memory counts as yes: the safe answer, and the error is kept. */
static bool found(const tw_graph *graph, tw__overlap overlap)
{
    if (overlap == TW__OVERLAP_NO_MEMORY) tw__graph_no_memory(graph->core);
    return overlap != TW__OVERLAP_NONE;
}

static bool aliases(const tw_graph *graph, const tw__node *t)
{
    uint32_t var;
    uint64_t offset, count;
    if (tw__node_run(t, &var, &offset, &count)) return false;
    const tw__regions *list = tw__node_elements(graph->core, t);
    return !list || found(graph, tw__list_aliases(list));
}

static bool has_constant(const tw_graph *graph, const tw__node *t)
{
    if (tw__node_count(t) == 0) return false;
    if (t->affine) return graph->core->vars[t->var].is_constant;
    const tw__regions *list = tw__node_elements(graph->core, t);
    for (uint32_t i = 0; list && i < list->n; i++)
        if (graph->core->vars[list->region[i].var].is_constant) return true;
    return false;
}

bool tw_tensor_contains_aliases(const tw_graph *graph, tw_tensor tensor)
{
    GETTER(t, tensor, false);
    return aliases(graph, t);
}

bool tw_tensor_contains_constant(const tw_graph *graph, tw_tensor tensor)
{
    GETTER(t, tensor, false);
    return has_constant(graph, t);
}

bool tw_tensor_is_parallel_writeable(const tw_graph *graph, tw_tensor tensor)
{
    GETTER(t, tensor, false);
    return !has_constant(graph, t) && !aliases(graph, t);
}

bool tw_tensor_intersects(const tw_graph *graph, tw_tensor a, tw_tensor b)
{
    GETTER(x, a, false);
    const tw__node *y = tw__node_get(graph->core, b, "the second argument");
    if (!y) return false;
    const tw__regions *p = tw__node_elements(graph->core, x), *q = tw__node_elements(graph->core, y);
    return p && q && found(graph, tw__lists_intersect(p, q));
}

bool tw_tensor_equal(const tw_graph *graph, tw_tensor a, tw_tensor b)
{
    GETTER(x, a, false);
    const tw__node *y = tw__node_get(graph->core, b, "the second argument");
    if (!y || x->t.type != y->t.type || x->t.rank != y->t.rank) return false;
    for (unsigned k = 0; k < x->t.rank; k++)
        if (x->dims[k] != y->dims[k]) return false;
    return tw__nodes_equal(graph->core, x, y);
}

bool tw__nodes_equal(const tw__core *core, const tw__node *x, const tw__node *y)
{
    uint32_t var[2];
    uint64_t at[2];
    if (x->set && y->set && tw__box_sets_equal(x->set, y->set)) return true;
    if ((x->set || y->set) && tw__node_corner(x, &var[0], &at[0]) && tw__node_corner(y, &var[1], &at[1]) &&
        (var[0] != var[1] || at[0] != at[1]))
        return false;
    const tw__regions *p = tw__node_regions(core, x), *q = tw__node_regions(core, y);
    return p && q && tw__lists_equal(p, q);
}

void tw_tensor_print(const tw_graph *graph, tw_tensor tensor, FILE *out)
{
    GETTER(t, tensor, );
    tw__core *core = graph->core;
    char text[TW__TEXT_BYTES];
    const tw__regions *list = tw__node_regions(core, t);
    if (!list) return;
    fprintf(out, "%s%s: %u region%s\n", tw_type_name(t->t.type, TW_SYSTEM_POPLAR),
            tw__shape_text(t->t.rank, t->dims, text, sizeof text), list->n, list->n == 1 ? "" : "s");
    for (uint32_t i = 0; i < list->n; i++) {
        const tw__region *r = &list->region[i];
        fprintf(out, "  [%llu, %llu) = %s from %llu", (unsigned long long)list->first[i],
                (unsigned long long)list->first[i + 1], tw__variable_text(core, r->var, text, sizeof text),
                (unsigned long long)r->offset);
        for (unsigned k = 0; k < r->rank; k++)
            fprintf(out, "%s%llu step %lld", k ? " x " : ": ", (unsigned long long)r->dim[k].count,
                    (long long)r->dim[k].stride);
        fputc('\n', out);
    }
}
