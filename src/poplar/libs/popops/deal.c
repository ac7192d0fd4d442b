/* SPDX-License-Identifier: MIT */
/* Work for vertices: elements by tile and worker; the archive of vertices. */
#include "poplar/libs/libs.h"

#include <stdlib.h>

static int deal_by_tile(const void *a, const void *b)
{
    const tw_mapped_interval *x = a, *y = b;
    if (x->tile != y->tile) return x->tile < y->tile ? -1 : 1;
    return x->interval.begin < y->interval.begin ? -1 : x->interval.begin > y->interval.begin;
}

void tw__libs_deal(tw_graph *graph, tw_tensor flat, unsigned least, tw__libs_part part, void *user)
{
    const tw_target *target = tw_graph_target(graph);
    unsigned width = tw_target_vector_width(target, tw_tensor_type(graph, flat));
    tw_split_limits limits = { .grain = width ? width : 1,
                               .parts = tw_target_worker_contexts(target),
                               .min_elements = least };
    g_autoptr(GArray) mapping = tw__libs_mapping(graph, flat);
    tw_mapped_interval *m = (tw_mapped_interval *)(void *)mapping->data;
    if (mapping->len) qsort(m, mapping->len, sizeof *m, deal_by_tile);
    GArray *mine = g_array_new(FALSE, FALSE, sizeof(tw_interval));
    for (guint i = 0, end; i < mapping->len; i = end) {
        g_array_set_size(mine, 0);
        for (end = i; end < mapping->len && m[end].tile == m[i].tile; end++)
            g_array_append_val(mine, m[end].interval);
        tw_sorted_regions *parts =
            tw_poputil_split_regions(mine->len, (const tw_interval *)(void *)mine->data, &limits);
        for (size_t p = 0; parts && p < parts->run_count; p++)
            part(user, m[i].tile, parts->first[p + 1] - parts->first[p], parts->intervals + parts->first[p]);
        tw_sorted_regions_free(parts);
    }
    g_array_unref(mine);
}

tw_tensor tw__libs_pick(tw_graph *graph, tw_tensor flat, size_t count, const tw_interval *intervals)
{
    if (count == 1) return tw_tensor_slice(graph, flat, 0, intervals->begin, intervals->end);
    return tw_tensor_pick(graph, flat, count, intervals);
}

bool tw__libs_writeable(tw_graph *graph, const char *call, tw_tensor tensor)
{
    const char *why = !tw_tensor_elements(graph, tensor)           ? NULL
                      : tw_tensor_contains_constant(graph, tensor) ? "has constants, which cannot be written"
                      : !tw_graph_mapping_complete(graph, tensor)  ? "has elements that are on no tile"
                                                                   : NULL;
    if (!tw__libs_ready(graph)) return false;
    if (why) tw_graph_fail(graph, TW_E_POPLIBS, call, "%s %s", tw__libs_describe(graph, tensor).text, why);
    return !why;
}

bool tw__libs_has_vertex(tw_graph *graph, const char *vertex, const char *level)
{
    static const char there[] = "popops::map<abs,float,false>"; /* is in the archive, and it is read once */
    if (tw_graph_has_codelet(graph, vertex)) return true;
    if (!level && tw_graph_has_codelet(graph, there)) return false;
    const char *folder = tw_lib_dir();
    g_autofree char *name = g_strdup_printf("libs%s%s.gp", level ? "-" : "", level ? level : "");
    g_autofree char *archive = folder ? g_build_filename(folder, "tilewright", name, NULL) : NULL;
    if (!archive || !g_file_test(archive, G_FILE_TEST_IS_REGULAR)) return false;
    tw_graph_add_codelets(graph, archive, NULL);
    return tw_graph_has_codelet(graph, vertex);
}
