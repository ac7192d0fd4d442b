/* SPDX-License-Identifier: MIT */
/* Where results of elementwise operations lie. */
#include "poplar/libs/popops/popops.h"

typedef struct spread {
    uint64_t load; /* of the fullest tile */
    unsigned tiles;
} spread;

/* In the order of storage a mapping has the fewest intervals, and who has how much is the same. */
static spread spread_of(tw_graph *graph, tw_tensor tensor)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(graph));
    g_autofree uint64_t *load = g_new0(uint64_t, tiles);
    tw_graph_push_scope(graph);
    tw_tensor_reorder_to_simplify(graph, &tensor, 0, NULL);
    g_autoptr(GArray) mapping = tw__libs_mapping(graph, tensor);
    tw_graph_pop_scope(graph);
    spread s = { 0, 0 };
    for (guint i = 0; i < mapping->len; i++) {
        const tw_mapped_interval *m = &g_array_index(mapping, tw_mapped_interval, i);
        s.tiles += !load[m->tile];
        load[m->tile] += m->interval.end - m->interval.begin;
        s.load = MAX(s.load, load[m->tile]);
    }
    return s;
}

/* Is a better than b? Regions are counted when nothing else tells. */
static bool spreads_better(tw_graph *graph, tw_tensor a, const spread *x, tw_tensor b, const spread *y)
{
    if (x->load != y->load) return x->load < y->load;
    if (x->tiles != y->tiles) return x->tiles > y->tiles;
    return tw_tensor_contiguous_regions(graph, a, NULL, 0) < tw_tensor_contiguous_regions(graph, b, NULL, 0);
}

/* Both lie in storage alike, without gaps, and on the same tiles: neither is better. */
static bool lie_alike(tw_graph *graph, tw_tensor a, tw_tensor b)
{
    tw_graph_push_scope(graph);
    bool alike = tw_tensor_reorder_to_simplify(graph, &a, 1, &b) && tw_tensor_is_contiguous(graph, a) &&
                 tw_tensor_is_contiguous(graph, b);
    g_autoptr(GArray) x = alike ? tw__libs_mapping(graph, a) : NULL;
    g_autoptr(GArray) y = alike ? tw__libs_mapping(graph, b) : NULL;
    if (alike) alike = x->len == y->len;
    for (guint i = 0; alike && i < x->len; i++) {
        const tw_mapped_interval *p = &g_array_index(x, tw_mapped_interval, i);
        const tw_mapped_interval *q = &g_array_index(y, tw_mapped_interval, i);
        alike = p->tile == q->tile && p->interval.begin == q->interval.begin && p->interval.end == q->interval.end;
    }
    tw_graph_pop_scope(graph);
    return alike;
}

tw_tensor tw_popops_create_output(tw_graph *graph, unsigned count, const tw_tensor *inputs, tw_type type,
                                  const char *name)
{
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    if (!count) {
        TW__LIBS_REFUSE(graph, "there are no tensors that say how large the output is");
        return TW__LIBS_NIL;
    }
    if (!tw__libs_list(graph, __func__, "inputs", count, inputs)) return TW__LIBS_NIL;
    tw_tensor best = TW__LIBS_NIL;
    spread best_spread = { 0, 0 };
    bool compared = false;
    for (unsigned i = 0; i < count; i++) {
        if (!tw__libs_same_shape(graph, inputs[i], inputs[0]) && tw__libs_ready(graph))
            TW__LIBS_REFUSE(graph, "%s and %s are of different shapes", tw__libs_describe(graph, inputs[0]).text,
                            tw__libs_describe(graph, inputs[i]).text);
        if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
        if (!tw_tensor_is_parallel_writeable(graph, inputs[i]) || !tw_graph_mapping_complete(graph, inputs[i]))
            continue;
        if (!best.id) {
            best = inputs[i]; /* often the only one: nothing to compare */
            continue;
        }
        if (lie_alike(graph, best, inputs[i])) continue;
        if (!compared) best_spread = spread_of(graph, best), compared = true;
        spread s = spread_of(graph, inputs[i]);
        if (spreads_better(graph, inputs[i], &s, best, &best_spread)) best = inputs[i], best_spread = s;
    }
    if (type == TW_TYPE_NONE) type = tw_tensor_type(graph, inputs[0]);
    if (best.id) return tw_graph_clone(graph, type, best, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
    tw__extents shape = tw__libs_shape(graph, inputs[0]);
    tw_tensor made = tw_graph_add_variable(graph, type, shape.rank, shape.dim, name);
    tw_poputil_map_linearly_with(graph, made, 0, tw_target_vector_width(tw_graph_target(graph), type), 0);
    return made;
}

/* --- single operations ---------------------------------------------------------------------------------------- */

/* clang-format off */
#define TEXT_1(name) #name "(_1)"
#define TEXT_2(name) #name "(_1, _2)"
#define TEXT_3(name) #name "(_1, _2, _3)"
#define UNARY(name, ...) \
    tw_tensor tw_popops_##name(tw_graph *graph, tw_tensor a, tw_program sequence, const char *path, const char *const *options) \
    { \
        return tw__popops_map(graph, __func__, TEXT_1(name), 1, &a, TW__LIBS_NIL, sequence, path, options); \
    } \
    void tw_popops_##name##_in_place(tw_graph *graph, tw_tensor a, tw_program sequence, const char *path, const char *const *options) \
    { \
        tw__popops_map_in_place(graph, __func__, TEXT_1(name), 1, &a, sequence, path, options); \
    }
#define BINARY(name, ...) \
    tw_tensor tw_popops_##name(tw_graph *graph, tw_tensor a, tw_tensor b, tw_program sequence, const char *path, const char *const *options) \
    { \
        return tw__popops_map(graph, __func__, TEXT_2(name), 2, (tw_tensor[]){ a, b }, TW__LIBS_NIL, sequence, path, options); \
    } \
    void tw_popops_##name##_in_place(tw_graph *graph, tw_tensor a, tw_tensor b, tw_program sequence, const char *path, const char *const *options) \
    { \
        tw__popops_map_in_place(graph, __func__, TEXT_2(name), 2, (tw_tensor[]){ a, b }, sequence, path, options); \
    }
#define TERNARY(name, ...) \
    tw_tensor tw_popops_##name(tw_graph *graph, tw_tensor a, tw_tensor b, tw_tensor c, tw_program sequence, const char *path, const char *const *options) \
    { \
        return tw__popops_map(graph, __func__, TEXT_3(name), 3, (tw_tensor[]){ a, b, c }, TW__LIBS_NIL, sequence, path, options); \
    } \
    void tw_popops_##name##_in_place(tw_graph *graph, tw_tensor a, tw_tensor b, tw_tensor c, tw_program sequence, const char *path, const char *const *options) \
    { \
        tw__popops_map_in_place(graph, __func__, TEXT_3(name), 3, (tw_tensor[]){ a, b, c }, sequence, path, options); \
    }
TW_EXPR_UNARY(UNARY)
TW_EXPR_BINARY(BINARY)
TW_EXPR_TERNARY(TERNARY)
/* clang-format on */
