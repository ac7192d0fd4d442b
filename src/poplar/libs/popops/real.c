/* SPDX-License-Identifier: MIT */
/* Floats and halves, computed as floats. */
#include "poplar/libs/popops/popops.h"

bool tw__real_check(tw_graph *graph, const char *call, tw_tensor tensor, unsigned rank)
{
    if (!tw__libs_ready(graph)) return false;
    tw_type type = tw_tensor_type(graph, tensor);
    unsigned own = tw_tensor_rank(graph, tensor);
    if (!tw__libs_ready(graph)) return false;
    if ((type != TW_FLOAT && type != TW_HALF) || own < rank)
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s is not float or half of %u dimensions or more",
                      tw__libs_describe(graph, tensor).text, rank);
    else if (!tw_graph_mapping_complete(graph, tensor))
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has elements that are on no tile",
                      tw__libs_describe(graph, tensor).text);
    return tw__libs_ready(graph);
}

char *tw__real_text(tw_graph *graph, const char *text, tw_type result, unsigned count, const tw_tensor *tensors)
{
    GString *out = g_string_new(result == TW_HALF ? "cast(" : "");
    for (; *text; text++) {
        if (*text != '$') {
            g_string_append_c(out, *text);
            continue;
        }
        unsigned number = (unsigned)(*++text - '0');
        bool half = number <= count && tw_tensor_type(graph, tensors[number - 1]) == TW_HALF;
        g_string_append_printf(out, half ? "cast(_%u, float)" : "_%u", number);
    }
    if (result == TW_HALF) g_string_append(out, ", half)");
    return g_string_free(out, FALSE);
}

tw_tensor tw__real_map(tw_graph *graph, const char *call, const char *text, tw_type result, unsigned count,
                       const tw_tensor *tensors, tw_tensor output, tw_program sequence, const char *name)
{
    g_autofree char *real = tw__real_text(graph, text, result, count, tensors);
    return tw__popops_map(graph, call, real, count, tensors, output, sequence, name, NULL);
}
