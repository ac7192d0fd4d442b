/* SPDX-License-Identifier: MIT */
/* Softmax along the rows of a matrix of blocks, and its gradient: a vertex has all blocks of one row of blocks, its
 * workers share the rows within them. */
#include "poplar/libs/popsparse/codes.h"
#include "poplar/libs/popops/code.h"
#include "poplar/libs/popsparse/block.h"

/* [block][row][column]; rows of halves that are no whole words are one worker's. */
#define SOFTMAX_ROWS                                \
    "static size_t %ID%workers(const %ID% *v)\n{\n" \
    "    return v->width * sizeof(%T%) % 4 ? 1 : tw_num_workers();\n}\n"

const tw__libs_code tw__sparse_softmax_codes[TW__SPARSE_SOFTMAX_CODES] = {
    { "popsparse::BlockSoftmax", "fh",
      "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
      "    TW_INOUT(TW_VECTOR(%T%, ONE_PTR, 4)) x;\n    TW_STATE_VECTOR(unsigned) columns; /* of blocks, the first "
      "*/\n"
      "    unsigned height, width, row, triangle;\n};\n" SOFTMAX_ROWS
      "/* Columns of block b that count in a row of the matrix. */\n"
      "static void %ID%range(const %ID% *v, size_t b, size_t row, size_t *from, size_t *to)\n{\n"
      "    size_t first = *tw_at(v->columns, b), left = row < first ? 0 : row - first, own = row + 1 < first ? 0 : "
      "row "
      "+ 1 - first;\n"
      "    *from = v->triangle == 2 ? left : 0, *to = v->triangle == 1 ? own : v->width;\n"
      "    if (*from > v->width) *from = v->width;\n"
      "    if (*to > v->width) *to = v->width;\n}\n"
      "static void %ID%row(%ID% *v, size_t r)\n{\n"
      "    float most = -__builtin_inff(), sum = 0;\n    size_t from, to;\n"
      "    for (size_t b = 0; b < tw_size(v->columns); b++) {\n"
      "        const %T% *x = tw_begin(v->x) + (b * v->height + r) * v->width;\n"
      "        %ID%range(v, b, v->row + r, &from, &to);\n"
      "        for (size_t c = from; c < to; c++)\n"
      "            if ((float)x[c] > most) most = (float)x[c];\n    }\n"
      "    for (int pass = 0; pass < 2; pass++)\n" /* the sum; then what is kept, from floats again */
      "        for (size_t b = 0; b < tw_size(v->columns); b++) {\n"
      "            %T% *x = tw_begin(v->x) + (b * v->height + r) * v->width;\n"
      "            %ID%range(v, b, v->row + r, &from, &to);\n"
      "            for (size_t c = 0; c < v->width; c++) {\n"
      "                float e = 0;\n"
      "                if (c >= from && c < to) e = (float)x[c] - most, tw_map_exp(1, &e, &e);\n"
      "                if (pass)\n                    x[c] = (%T%)(c >= from && c < to ? e / sum : 0);\n"
      "                else\n                    sum += e;\n            }\n        }\n}\n"
      "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"
      "    size_t workers = %ID%workers(v);\n"
      "    for (size_t r = worker; worker < workers && r < v->height; r += workers) %ID%row(v, r);\n"
      "    return true;\n}\n" },
    { "popsparse::BlockSoftmaxGradient", "fh",
      "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
      "    TW_INOUT(TW_VECTOR(%T%, ONE_PTR, 4)) x; /* the gradient, of what came out and then of what went in */\n"
      "    TW_INPUT(TW_VECTOR(%T%, ONE_PTR, 4)) y;\n    unsigned blocks, height, width;\n};\n" SOFTMAX_ROWS
      "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"
      "    size_t workers = %ID%workers(v), width = v->width;\n"
      "    for (size_t r = worker; worker < workers && r < v->height; r += workers) {\n"
      "        float sum = 0;\n"
      "        for (size_t b = 0; b < v->blocks; b++) {\n"
      "            size_t at = (b * v->height + r) * width;\n"
      "            for (size_t c = at; c < at + width; c++) sum += (float)*tw_at(v->x, c) * (float)*tw_at(v->y, "
      "c);\n"
      "        }\n"
      "        for (size_t b = 0; b < v->blocks; b++) {\n"
      "            size_t at = (b * v->height + r) * width;\n"
      "            for (size_t c = at; c < at + width; c++)\n"
      "                *tw_at(v->x, c) = (%T%)((float)*tw_at(v->y, c) * ((float)*tw_at(v->x, c) - sum));\n"
      "        }\n    }\n    return true;\n}\n" },
};

/* A vertex for each row of blocks, of `x`, of which elements become what they should, and `y`, or nil. */
static void softmax_vertices(const tw__blocks *b, tw_tensor x, tw_tensor y, tw_sparse_triangle triangle,
                             const char *vertex, tw_program sequence, const char *name)
{
    tw_graph *g = b->graph;
    unsigned tiles = tw_target_tiles(tw_graph_target(g));
    size_t lines = b->m.groups * b->grid_rows;
    g_autofree unsigned *columns = g_new(unsigned, b->grid_columns);
    tw_compute_set cs = tw_graph_add_compute_set(g, tw__libs_path(name, "bsSoftmax").text);
    for (size_t line = 0, first = 0; line < lines; line++) {
        size_t n = 0;
        for (size_t j = 0; j < b->grid_columns; j++)
            if (b->number[line * b->grid_columns + j] != SIZE_MAX)
                columns[n++] = (unsigned)(j * b->m.block_columns);
        if (!n) continue;
        tw_graph_push_scope(g);
        tw_vertex v = tw_graph_add_vertex(g, cs, vertex, (unsigned)(lines < tiles ? line : line * tiles / lines));
        tw_graph_connect(g, v, "x", tw_tensor_flatten(g, tw_tensor_slice(g, x, 0, first, first + n)));
        if (y.id) {
            tw_graph_connect(g, v, "y", tw_tensor_flatten(g, tw_tensor_slice(g, y, 0, first, first + n)));
            tw_graph_set_field_int(g, v, "blocks", (int64_t)n);
        } else {
            tw_graph_set_field_values(g, v, "columns", TW_UNSIGNED_INT, n, columns);
            tw_graph_set_field_int(g, v, "row", (int64_t)(line % b->grid_rows * b->m.block_rows));
            tw_graph_set_field_int(g, v, "triangle", (int64_t)triangle);
        }
        tw_graph_set_field_int(g, v, "height", (int64_t)b->m.block_rows);
        tw_graph_set_field_int(g, v, "width", (int64_t)b->m.block_columns);
        tw_graph_pop_scope(g);
        first += n;
    }
    tw_program_sequence_add(g, sequence, tw_program_execute(g, cs));
}

static bool softmax_in_place(const tw__blocks *b, tw_tensor x, tw_tensor y, tw_sparse_triangle triangle,
                             tw_program sequence, const char *name)
{
    int which = y.id ? TW__SPARSE_SOFTMAX_GRADIENT : TW__SPARSE_SOFTMAX;
    const char *vertex =
        tw__libs_code_vertex(b->graph, &tw__sparse_softmax_codes[which], tw_tensor_type(b->graph, x));
    if (!vertex) return false;
    softmax_vertices(b, x, y, triangle, vertex, sequence, name);
    return tw__libs_ready(b->graph);
}

/* What went in, or the gradient, is copied first. */
static tw_tensor softmax_call(const tw__blocks *b, tw_tensor x, tw_tensor y, tw_sparse_triangle triangle,
                              tw_program sequence, const char *name)
{
    tw_tensor made = tw_poputil_duplicate(b->graph, x, sequence, name, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    return softmax_in_place(b, made, y, triangle, sequence, name) ? made : TW__LIBS_NIL;
}

tw_tensor tw_popsparse_block_softmax(tw_graph *graph, tw_tensor blocks, const tw_block_sparse *matrix,
                                     tw_sparse_triangle triangle, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__blocks b;
    tw_tensor made = TW__LIBS_NIL;
    if (tw__blocks_check(&b, graph, __func__, matrix) && tw__blocks_tensor(&b, blocks) &&
        tw__blocks_triangle(&b, triangle))
        made = softmax_call(&b, blocks, TW__LIBS_NIL, triangle, sequence, name);
    tw__blocks_free(&b);
    return made;
}

void tw_popsparse_block_softmax_in_place(tw_graph *graph, tw_tensor blocks, const tw_block_sparse *matrix,
                                         tw_sparse_triangle triangle, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw__blocks b;
    if (tw__blocks_check(&b, graph, __func__, matrix) && tw__blocks_tensor(&b, blocks) &&
        tw__blocks_triangle(&b, triangle) && tw__libs_writeable(graph, __func__, blocks)) {
        if (tw_tensor_is_parallel_writeable(graph, blocks))
            softmax_in_place(&b, blocks, TW__LIBS_NIL, triangle, sequence, name);
        else
            TW__LIBS_REFUSE(graph, "%s has elements twice", tw__libs_describe(graph, blocks).text);
    }
    tw__blocks_free(&b);
}

tw_tensor tw_popsparse_block_softmax_gradient(tw_graph *graph, tw_tensor out, tw_tensor gradient,
                                              const tw_block_sparse *matrix, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__blocks b;
    tw_tensor made = TW__LIBS_NIL;
    if (tw__blocks_check(&b, graph, __func__, matrix) && tw__blocks_tensor(&b, out) &&
        tw__blocks_tensor(&b, gradient)) {
        if (tw_tensor_type(graph, out) != tw_tensor_type(graph, gradient))
            TW__LIBS_REFUSE(graph, "%s and its gradient %s", tw__libs_describe(graph, out).text,
                            tw__libs_describe(graph, gradient).text);
        else
            made = softmax_call(&b, gradient, out, TW_SPARSE_WHOLE, sequence, name);
    }
    tw__blocks_free(&b);
    return made;
}
