/* SPDX-License-Identifier: MIT */
/* Products with a sparse matrix whose pattern is data, its transpose, and the gradient of its values. */
#include "poplar/libs/popsparse/codes.h"
#include "poplar/libs/popsparse/sparse.h"

#include <string.h>

/* Lines of a part, [..][batch]. A worker has the blocks that go to lines of its own; words that name none are
 * skipped. */
const tw__libs_code tw__sparse_product_code = {
    "popsparse::Product",
    "fh",
    "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTOR(unsigned short)) meta;\n    TW_INPUT(TW_VECTOR(%T%)) values;\n"
    "    TW_INPUT(TW_VECTOR(%T%)) in;\n    TW_INOUT(TW_VECTOR(float)) out;\n"
    "    unsigned region, height, width, batch;\n    bool transposed;\n};\n"
    "static void %ID%block(%ID% *v, const %T% *value, size_t to, size_t from)\n{\n"
    "    size_t batch = v->batch, height = v->height, width = v->width;\n"
    "    for (size_t r = 0; r < height; r++)\n"
    "        for (size_t c = 0; c < width; c++) {\n"
    "            float x = (float)value[r * width + c];\n"
    "            const %T% *restrict in = tw_begin(v->in) + (from + (v->transposed ? r : c)) * batch;\n"
    "            float *restrict out = tw_begin(v->out) + (to + (v->transposed ? c : r)) * batch;\n"
    "            for (size_t b = 0; b < batch; b++) out[b] += x * (float)in[b];\n"
    "        }\n}\n"
    "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"
    "    const unsigned short *meta = tw_begin(v->meta);\n"
    "    size_t workers = tw_num_workers(), area = v->height * v->width, n = meta[0];\n"
    "    size_t own = v->transposed ? v->width : v->height, other = v->transposed ? v->height : v->width;\n"
    "    if (n > tw_size(v->values) / area) n = tw_size(v->values) / area;\n"
    "    for (size_t i = 0; i < n; i++) {\n"
    "        const unsigned short *m = meta + 1 + 3 * i;\n"
    "        size_t to = m[v->transposed ? 2 : 1], from = m[v->transposed ? 1 : 2];\n"
    "        if (m[0] != v->region || to % workers != worker) continue;\n"
    "        to *= own, from *= other;\n"
    "        if ((to + own) * v->batch > tw_size(v->out) || (from + other) * v->batch > tw_size(v->in)) continue;\n"
    "        %ID%block(v, tw_begin(v->values) + i * area, to, from);\n"
    "    }\n    return true;\n}\n",
};

/* Worker w has blocks w, w + workers ... */
const tw__libs_code tw__sparse_gradient_code = {
    "popsparse::Gradient",
    "fh",
    "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTOR(unsigned short)) meta;\n    TW_INOUT(TW_VECTOR(float)) sums;\n"
    "    TW_INPUT(TW_VECTOR(%T%)) rows;\n    TW_INPUT(TW_VECTOR(%T%)) columns;\n"
    "    unsigned region, height, width, batch;\n};\n"
    "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"
    "    const unsigned short *meta = tw_begin(v->meta);\n"
    "    size_t height = v->height, width = v->width, batch = v->batch, area = height * width, n = meta[0];\n"
    "    if (n > tw_size(v->sums) / area) n = tw_size(v->sums) / area;\n"
    "    for (size_t i = worker; i < n; i += tw_num_workers()) {\n"
    "        const unsigned short *m = meta + 1 + 3 * i;\n"
    "        size_t row = m[1] * height, column = m[2] * width;\n"
    "        if (m[0] != v->region || (row + height) * batch > tw_size(v->rows) ||\n"
    "            (column + width) * batch > tw_size(v->columns))\n            continue;\n"
    "        for (size_t k = 0; k < area; k++) {\n"
    "            const %T% *a = tw_begin(v->rows) + (row + k / width) * batch;\n"
    "            const %T% *x = tw_begin(v->columns) + (column + k % width) * batch;\n"
    "            float sum = 0;\n"
    "            for (size_t b = 0; b < batch; b++) sum += (float)a[b] * (float)x[b];\n"
    "            *tw_at(v->sums, i * area + k) += sum;\n"
    "        }\n    }\n    return true;\n}\n",
};

/* --- dense matrices [groups][lines of blocks][lines of one][batch] ---------------------------------------------- */

typedef enum dense_side { DENSE_ROWS, DENSE_COLUMNS } dense_side; /* lines are rows, columns of the sparse matrix */

static size_t dense_lines(const tw__sparse_plan *p, dense_side side)
{
    return side == DENSE_ROWS ? p->p.rows : p->p.columns;
}
static void dense_shape(const tw__sparse_plan *p, dense_side side, size_t shape[4], size_t splits[4])
{
    bool rows = side == DENSE_ROWS;
    size_t of[4] = { p->p.groups, rows ? p->grid_rows : p->grid_columns,
                     rows ? p->p.block_rows : p->p.block_columns, p->p.batch };
    size_t into[4] = { p->p.groups, rows ? p->x_parts : p->y_parts, 1, p->z_parts };
    memcpy(shape, of, sizeof of), memcpy(splits, into, sizeof into);
}

/* The part that a region and a part of the batch read or write. */
static tw_tensor dense_part(tw_graph *g, const tw__sparse_plan *p, dense_side side, tw_tensor t, size_t region,
                            size_t z)
{
    size_t shape[4], splits[4], part = side == DENSE_ROWS ? p->x_block : p->y_block;
    size_t at = side == DENSE_ROWS ? region / p->y_parts % p->x_parts : region % p->y_parts;
    dense_shape(p, side, shape, splits);
    size_t begin[4] = { region / p->y_parts / p->x_parts, at * part, 0, z * p->z_block };
    size_t end[4] = { begin[0] + 1, MIN(begin[1] + part, shape[1]), shape[2],
                      MIN(begin[3] + p->z_block, shape[3]) };
    return tw_tensor_flatten(g, tw_tensor_slice_nd(g, t, begin, end));
}
static size_t dense_batch(const tw__sparse_plan *p, size_t z)
{
    return MIN((z + 1) * p->z_block, p->p.batch) - z * p->z_block;
}

/* Parts are one run each. `across`: which of the regions that share a part has it; SIZE_MAX: they take turns. */
static tw_tensor dense_create(tw_graph *g, const tw__sparse_plan *p, dense_side side, tw_type type, size_t across,
                              const char *name)
{
    size_t shape[4], splits[4];
    dense_shape(p, side, shape, splits);
    tw_tensor t = tw_poputil_create_partitionable(g, type, 4, shape, splits, name);
    size_t others = side == DENSE_ROWS ? p->y_parts : p->x_parts;
    for (size_t group = 0; group < p->p.groups; group++)
        for (size_t i = 0; i < splits[1]; i++) {
            size_t turn = across == SIZE_MAX ? i % others : across;
            size_t region =
                side == DENSE_ROWS ? tw__sparse_region(p, group, i, turn) : tw__sparse_region(p, group, turn, i);
            for (size_t z = 0; z < p->z_parts; z++)
                tw_graph_map(g, dense_part(g, p, side, t, region, z), tw__sparse_tile(p, region, z));
        }
    return t;
}

static tw_tensor dense_blocked(tw_graph *g, const tw__sparse_plan *p, dense_side side, tw_tensor t)
{
    size_t shape[4], splits[4];
    dense_shape(p, side, shape, splits);
    return tw_tensor_reshape(g, t, 4, shape);
}

static bool dense_check(const tw__sparse_work *w, dense_side side, tw_tensor t)
{
    tw_graph *g = w->graph;
    tw__extents own = tw__libs_shape(g, t);
    tw_type type = tw_tensor_type(g, t);
    size_t want[3] = { w->plan.p.groups, dense_lines(&w->plan, side), w->plan.p.batch };
    if (!tw__libs_ready(g)) return false;
    if (own.rank == 3 && !memcmp(own.dim, want, sizeof want) && type == w->plan.type &&
        tw_graph_mapping_complete(g, t))
        return true;
    tw_graph_fail(g, TW_E_POPLIBS, w->call, "the dense matrix: %s%s on tiles, not %s",
                  tw_type_name(w->plan.type, TW_SYSTEM_POPLAR), tw__libs_shape_text(3, want).text,
                  tw__libs_describe(g, t).text);
    return false;
}

/* --- variables -------------------------------------------------------------------------------------------------- */

tw_sparse_tensor tw_popsparse_create_weights(tw_graph *graph, tw_type type, const tw_sparse_params *params,
                                             const char *name, const char *const *options)
{
    tw__sparse_plan p;
    tw_sparse_tensor made = { TW__LIBS_NIL, TW__LIBS_NIL };
    if (!tw__sparse_make_plan(&p, graph, __func__, type, params, options)) return made;
    size_t meta = p.regions * p.words + 1, values = p.regions * p.capacity * p.area;
    made.meta = tw_graph_add_variable(graph, TW_U16, 1, &meta, tw__libs_path(name, "metaInfo").text);
    made.values = tw_graph_add_variable(graph, type, 1, &values, tw__libs_path(name, "nzValues").text);
    for (size_t r = 0; r < p.regions; r++)
        tw_graph_map_range(graph, made.meta, r * p.words, p.words, tw__sparse_tile(&p, r, 0));
    tw_graph_map_range(graph, made.meta, meta - 1, 1, 0);
    tw__sparse_map_values(graph, &p, made.values, 0);
    return made;
}

tw_tensor tw_popsparse_create_input(tw_graph *graph, tw_type type, const tw_sparse_params *params, const char *name,
                                    const char *const *options)
{
    tw__sparse_plan p;
    if (!tw__sparse_make_plan(&p, graph, __func__, type, params, options)) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor t = dense_create(graph, &p, DENSE_COLUMNS, type, SIZE_MAX, name);
    t = tw_tensor_keep(graph, tw_tensor_flatten_dims(graph, t, 1, 3));
    tw_graph_pop_scope(graph);
    return t;
}

/* --- products --------------------------------------------------------------------------------------------------- */

typedef struct sparse_product {
    dense_side in_side, out_side;
    tw_tensor in, *sums; /* sums [regions that share a part of the result], each like it */
} sparse_product;

static void product_connect(const tw__sparse_work *w, tw_vertex v, size_t region, size_t z)
{
    const sparse_product *s = w->user;
    tw_graph *g = w->graph;
    const tw__sparse_plan *p = &w->plan;
    size_t across = s->out_side == DENSE_ROWS ? region % p->y_parts : region / p->y_parts % p->x_parts;
    tw_graph_connect(g, v, "in", dense_part(g, p, s->in_side, s->in, region, z));
    tw_graph_connect(g, v, "out", dense_part(g, p, s->out_side, s->sums[across], region, z));
    tw_graph_set_field_int(g, v, "batch", (int64_t)dense_batch(p, z));
    tw_graph_set_field_int(g, v, "transposed", s->out_side == DENSE_COLUMNS);
}

static tw_tensor product_make(tw__sparse_work *w, sparse_product *s)
{
    tw_graph *g = w->graph;
    const tw__sparse_plan *p = &w->plan;
    size_t parts = s->out_side == DENSE_ROWS ? p->y_parts : p->x_parts;
    g_autofree tw_tensor *sums = g_new(tw_tensor, parts);
    for (size_t i = 0; i < parts; i++)
        sums[i] = dense_create(g, p, s->out_side, TW_FLOAT, i, tw__libs_path(w->name, "partials").text);
    s->sums = sums, w->user = s;
    for (size_t i = 0; i < parts; i++) tw_popops_zero(g, sums[i], w->sequence, w->name);
    tw__sparse_rounds(w);
    tw_tensor sum = sums[0];
    if (parts > 1) {
        for (size_t i = 0; i < parts; i++) sums[i] = tw_tensor_expand(g, sums[i], 1, (size_t[]){ 0 });
        tw_tensor all = tw_tensor_concat(g, (unsigned)parts, sums, 0);
        sum = tw_popops_reduce(g, all, TW_FLOAT, 1, (size_t[]){ 0 }, NULL, w->sequence, w->name, NULL);
    }
    if (p->type == TW_HALF) sum = tw_popops_cast(g, sum, TW_HALF, w->sequence, tw__libs_path(w->name, "Cast").text);
    size_t shape[3] = { p->p.groups, dense_lines(p, s->out_side), p->p.batch };
    return tw_tensor_reshape(g, sum, 3, shape);
}

tw_tensor tw_popsparse_matmul(tw_graph *graph, const tw_sparse_params *params, tw_sparse_tensor sparse,
                              tw_tensor dense, bool transposed, tw_program sequence, const char *name,
                              const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__sparse_work w = { .graph = graph,
                          .call = __func__,
                          .name = name,
                          .sequence = sequence,
                          .meta = sparse.meta,
                          .values = sparse.values,
                          .connect = product_connect };
    sparse_product s = { .in_side = transposed ? DENSE_ROWS : DENSE_COLUMNS,
                         .out_side = transposed ? DENSE_COLUMNS : DENSE_ROWS };
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    tw_type type = tw_tensor_type(graph, sparse.values);
    if (!tw__libs_ready(graph) || !tw__sparse_make_plan(&w.plan, graph, __func__, type, params, options) ||
        !tw__sparse_check(&w) || !dense_check(&w, s.in_side, dense))
        return TW__LIBS_NIL;
    w.vertex = tw__libs_code_vertex(graph, &tw__sparse_product_code, type);
    if (!w.vertex) return TW__LIBS_NIL;
    w.batches = w.plan.z_parts;
    tw_graph_push_scope(graph);
    s.in = dense_blocked(graph, &w.plan, s.in_side, dense);
    tw_tensor made = tw_tensor_keep(graph, product_make(&w, &s));
    tw_graph_pop_scope(graph);
    return made;
}

/* --- the gradient of values ------------------------------------------------------------------------------------- */

typedef struct sparse_gradient {
    tw_tensor rows, columns;
} sparse_gradient;

static void gradient_connect(const tw__sparse_work *w, tw_vertex v, size_t region, size_t z)
{
    const sparse_gradient *s = w->user;
    tw_graph *g = w->graph;
    tw_graph_connect(g, v, "rows", dense_part(g, &w->plan, DENSE_ROWS, s->rows, region, z));
    tw_graph_connect(g, v, "columns", dense_part(g, &w->plan, DENSE_COLUMNS, s->columns, region, z));
    tw_graph_set_field_int(g, v, "batch", (int64_t)dense_batch(&w->plan, z));
}

tw_tensor tw_popsparse_matmul_gradient(tw_graph *graph, const tw_sparse_params *params, tw_tensor meta,
                                       tw_tensor gradient, tw_tensor dense, tw_program sequence, const char *name,
                                       const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__sparse_work w = { .graph = graph,
                          .call = __func__,
                          .name = name,
                          .sequence = sequence,
                          .meta = meta,
                          .connect = gradient_connect };
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    tw_type type = tw_tensor_type(graph, dense);
    if (!tw__libs_ready(graph) || !tw__sparse_make_plan(&w.plan, graph, __func__, type, params, options) ||
        !tw__sparse_check(&w) || !dense_check(&w, DENSE_ROWS, gradient) || !dense_check(&w, DENSE_COLUMNS, dense))
        return TW__LIBS_NIL;
    w.vertex = tw__libs_code_vertex(graph, &tw__sparse_gradient_code, type);
    if (!w.vertex) return TW__LIBS_NIL;
    w.batches = w.plan.z_parts;
    tw_graph_push_scope(graph);
    sparse_gradient s = { dense_blocked(graph, &w.plan, DENSE_ROWS, gradient),
                          dense_blocked(graph, &w.plan, DENSE_COLUMNS, dense) };
    w.user = &s;
    tw__sparse_add_sums(&w);
    tw__sparse_rounds(&w);
    tw_tensor made = tw_tensor_keep(graph, tw__sparse_finish_sums(&w));
    tw_graph_pop_scope(graph);
    return made;
}
