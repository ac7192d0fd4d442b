/* SPDX-License-Identifier: MIT */
/* Shapes and names of tensors, for checks and for what they say; where steps and vertices go. */
#include "poplar/libs/libs.h"

#include <string.h>

bool tw__libs_takes(tw_graph *graph, const char *call, tw_program sequence)
{
    if (!tw__libs_ready(graph)) return false;
    if (tw_program_is_sequence(graph, sequence)) return true;
    tw_graph_fail(graph, TW_E_CONTROL_PROGRAM, call, "steps go to a sequence of this graph, not %s",
                  sequence.id ? "another program" : "a nil program");
    return false;
}

bool tw__libs_takes_set(tw_graph *graph, const char *call, tw_compute_set set)
{
    if (!tw__libs_ready(graph)) return false;
    if (tw_compute_set_valid(graph, set)) return true;
    tw_graph_fail(graph, TW_E_INVALID_ARGUMENT, call, "vertices go to a compute set of this graph, not %s",
                  set.id ? "another one" : "a nil one");
    return false;
}

bool tw__libs_list(tw_graph *graph, const char *call, const char *what, size_t count, const void *list)
{
    if (list || !count) return true;
    tw_graph_fail(graph, TW_E_POPLIBS, call, "%s: a list of %zu that is NULL", what, count);
    return false;
}

tw__extents tw__libs_shape(const tw_graph *graph, tw_tensor tensor)
{
    tw__extents s = { .rank = tw_tensor_rank(graph, tensor) };
    const size_t *dims = tw_tensor_shape(graph, tensor);
    if (dims && s.rank <= TW__LIBS_RANK) memcpy(s.dim, dims, s.rank * sizeof *dims);
    return s;
}

bool tw__libs_same_shape(const tw_graph *graph, tw_tensor a, tw_tensor b)
{
    tw__extents x = tw__libs_shape(graph, a), y = tw__libs_shape(graph, b);
    return x.rank == y.rank && memcmp(x.dim, y.dim, x.rank * sizeof *x.dim) == 0;
}

uint64_t tw__libs_count(const tw__extents *shape)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < shape->rank; d++) n *= shape->dim[d];
    return n;
}

tw__libs_text tw__libs_shape_text(unsigned rank, const size_t *shape)
{
    tw__libs_text out = { "[" };
    size_t at = 1;
    for (unsigned d = 0; d < rank && at < sizeof out.text - 32; d++)
        at += (size_t)snprintf(out.text + at, sizeof out.text - at, "%s%zu", d ? ", " : "", shape[d]);
    snprintf(out.text + at, sizeof out.text - at, "]");
    return out;
}

tw__libs_text tw__libs_describe(const tw_graph *graph, tw_tensor tensor)
{
    tw__libs_text out;
    tw__extents s = tw__libs_shape(graph, tensor);
    g_autoptr(GArray) regions = tw__libs_variable_regions(graph, tensor);
    const char *name =
        regions->len ? tw_graph_variable_name(graph, g_array_index(regions, tw_variable_region, 0).variable) : "";
    bool named = name && *name;
    snprintf(out.text, sizeof out.text, "%s%.64s%s%s%.150s", named ? "'" : "", named ? name : "", named ? "' " : "",
             tw_type_name(tw_tensor_type(graph, tensor), TW_SYSTEM_POPLAR),
             tw__libs_shape_text(s.rank, s.dim).text);
    return out;
}

tw__libs_text tw__libs_path(const char *path, const char *name)
{
    tw__libs_text out;
    snprintf(out.text, sizeof out.text, "%.200s%s%.50s", path ? path : "", path && *path ? "/" : "", name);
    return out;
}

GArray *tw__libs_mapping(const tw_graph *graph, tw_tensor tensor)
{
    enum { MOST_HAVE = 1 << 12 }; /* fewer than these, which are read at once */
    GArray *list = g_array_new(FALSE, FALSE, sizeof(tw_mapped_interval));
    for (size_t room = 0, n = MOST_HAVE; room < n;) {
        g_array_set_size(list, (guint)n);
        room = n, n = tw_graph_get_mapping(graph, tensor, (tw_mapped_interval *)(void *)list->data, room);
        if (n <= room) g_array_set_size(list, (guint)n);
    }
    return list;
}

GArray *tw__libs_variable_regions(const tw_graph *graph, tw_tensor tensor)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(tw_variable_region));
    size_t n = tw_tensor_variable_regions(graph, tensor, NULL, 0);
    g_array_set_size(list, (guint)n);
    if (n) tw_tensor_variable_regions(graph, tensor, (tw_variable_region *)(void *)list->data, n);
    return list;
}
