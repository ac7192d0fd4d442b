/* SPDX-License-Identifier: MIT */
/* Vertices that are texts in C, one for each element type; and columns of matrices dealt out to tiles. */
#include "poplar/libs/popops/code.h"

#include <tilewright/vec.h>

#include <string.h>

/* --- texts ---------------------------------------------------------------------------------------------------- */

/* A number in the order of the elements; NaN lie outside of the infinities, by their sign. */
static const char *code_key(tw_type type)
{
    static const char real[] =
        "union { float f; unsigned u; } x = { (float)e }; return x.u ^ (x.u >> 31 ? ~0u : 0x80000000u);";
    return type == TW_FLOAT || type == TW_HALF ? real
           : type == TW_INT                    ? "return (unsigned)e ^ 0x80000000u;"
                                               : "return (unsigned)e;";
}

char *tw__libs_code_name(const tw__libs_code *code, tw_type type)
{
    char *name = g_strdup_printf("%s<%s>", code->name, tw__expr_type_name(type));
    for (char *c = name; *c; c++)
        if (*c == ' ') *c = '_';
    return name;
}

bool tw__libs_code_takes(const tw__libs_code *code, tw_type type)
{
    static const struct {
        tw_type type;
        char letter;
    } letters[] = { { TW_FLOAT, 'f' }, { TW_HALF, 'h' }, { TW_INT, 'i' }, { TW_UNSIGNED_INT, 'u' },
                    { TW_BOOL, 'b' },  { TW_U8, '1' },   { TW_U16, '2' } };
    for (size_t i = 0; i < G_N_ELEMENTS(letters); i++)
        if (letters[i].type == type) return strchr(code->types, letters[i].letter);
    return false;
}

char *tw__libs_code_text(const tw__libs_code *code, tw_type type)
{
    g_autofree char *name = tw__libs_code_name(code, type);
    g_autofree char *id = g_strdup(name);
    for (char *c = id; *c; c++)
        if (!g_ascii_isalnum(*c)) *c = '_';
    g_autoptr(GString) out =
        g_string_new("#include <tilewright/codelet.h>\n#include <tilewright/codelet_math.h>\n");
    g_string_append(out, code->text);
    g_string_replace(out, "%KEY%", code_key(type), 0);
    g_string_replace(out, "%T%", tw__expr_c_type(type), 0);
    g_string_replace(out, "%NAME%", name, 0);
    g_string_replace(out, "%ID%", id, 0);
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static const char *code_vertex(tw_graph *graph, const tw__libs_code *code, tw_type type, const char *level)
{
    if (!tw__expr_c_type(type)) return NULL; /* of a tensor that could not be made: its error stands */
    g_autofree char *name = tw__libs_code_name(code, type);
    const char *kept = g_intern_string(name);
    if (!tw__libs_has_vertex(graph, kept, level)) {
        g_autofree char *text = tw__libs_code_text(code, type);
        tw_graph_add_codelets_source(graph, text, "c", kept, NULL);
    }
    if (!tw__libs_ready(graph)) return NULL;
    tw__libs_estimate(graph, kept);
    return kept;
}

const char *tw__libs_code_vertex(tw_graph *graph, const tw__libs_code *code, tw_type type)
{
    return code_vertex(graph, code, type, NULL);
}

const char *tw__libs_product_vertex(tw_graph *graph, const tw__libs_code *code, tw_type type)
{
    return code_vertex(graph, code, type, tw_vec_cpu());
}

tw_tensor tw__libs_bits(tw_graph *graph, tw_tensor tensor)
{
    size_t bytes = tw_target_type_size(tw_graph_target(graph), tw_tensor_type(graph, tensor));
    return tw_tensor_reinterpret(graph, tensor, bytes == 1 ? TW_U8 : bytes == 2 ? TW_U16 : TW_UNSIGNED_INT);
}

/* --- columns -------------------------------------------------------------------------------------------------- */

GArray *tw__libs_linear_columns(tw_graph *graph, tw_type type, size_t columns, size_t grain)
{
    const tw_target *target = tw_graph_target(graph);
    unsigned tiles = tw_target_tiles(target), width = tw_target_vector_width(target, type);
    unsigned g = (unsigned)MAX(grain, MAX(width, 1));
    g_autofree tw_interval *block = g_new(tw_interval, tiles);
    size_t count = tw_poputil_linear_blocks(tiles, columns, g, g, block, tiles);
    GArray *out = g_array_new(FALSE, FALSE, sizeof(tw_mapped_interval));
    for (size_t i = 0; i < count; i++) {
        tw_mapped_interval m = { block[i], (unsigned)i };
        g_array_append_val(out, m);
    }
    return out;
}

GArray *tw__libs_columns(tw_graph *graph, tw_tensor matrix)
{
    size_t columns = tw_tensor_dim(graph, matrix, 1);
    if (!tw_tensor_elements(graph, matrix)) return g_array_new(FALSE, FALSE, sizeof(tw_mapped_interval));
    if (tw_poputil_dim_is_split(graph, matrix, 0, false))
        return tw__libs_linear_columns(graph, tw_tensor_type(graph, matrix), columns, 0);
    tw_tensor row = tw_tensor_index(graph, matrix, 0);
    return tw__libs_mapping(graph, row);
}

tw_tensor tw__libs_add_columns(tw_graph *graph, tw_type type, size_t rows, size_t columns, const GArray *blocks,
                               const char *name)
{
    size_t elements = rows * columns, shape[] = { rows, columns };
    tw_tensor flat = tw_graph_add_variable(graph, type, 1, &elements, name);
    if (!elements) return tw_tensor_reshape(graph, flat, 2, shape);
    g_autofree tw_tensor *part = g_new(tw_tensor, blocks->len);
    for (size_t i = 0, at = 0; i < blocks->len; i++) {
        const tw_mapped_interval *m = &g_array_index(blocks, tw_mapped_interval, i);
        size_t width = (size_t)(m->interval.end - m->interval.begin), block[] = { rows, width };
        tw_tensor own = tw_tensor_slice(graph, flat, 0, at, at + rows * width);
        tw_graph_map(graph, own, m->tile);
        part[i] = tw_tensor_reshape(graph, own, 2, block);
        at += rows * width;
    }
    return tw_tensor_concat(graph, blocks->len, part, 1);
}
