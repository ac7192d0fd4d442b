/* SPDX-License-Identifier: MIT */
/* Rows of a sparse matrix at indices that are data: taken out, and added to. */
#include "poplar/libs/popsparse/codes.h"
#include "poplar/libs/popsparse/sparse.h"

/* Worker w has indices w, w + workers ... Lines of `out` are a region's columns. */
const tw__libs_code tw__sparse_rows_code = {
    "popsparse::Rows",
    "fh",
    "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTOR(unsigned short)) meta;\n    TW_INPUT(TW_VECTOR(%T%)) values;\n"
    "    TW_INPUT(TW_VECTOR(unsigned)) indices;\n    TW_INOUT(TW_VECTOR(float)) out;\n"
    "    unsigned region, height, width, first, lines;\n};\n"
    "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"
    "    const unsigned short *meta = tw_begin(v->meta);\n"
    "    size_t height = v->height, width = v->width, area = height * width, n = meta[0];\n"
    "    size_t across = tw_size(v->out) / tw_size(v->indices);\n"
    "    if (n > tw_size(v->values) / area) n = tw_size(v->values) / area;\n"
    "    for (size_t k = worker; k < tw_size(v->indices); k += tw_num_workers()) {\n"
    "        size_t row = *tw_at(v->indices, k) - v->first; /* huge when it is less */\n"
    "        for (size_t i = 0; row < v->lines && i < n; i++) {\n"
    "            const unsigned short *m = meta + 1 + 3 * i;\n"
    "            if (m[0] != v->region || m[1] != row / height || (m[2] + 1u) * width > across) continue;\n"
    "            for (size_t c = 0; c < width; c++)\n"
    "                *tw_at(v->out, k * across + m[2] * width + c) =\n"
    "                    (float)*tw_at(v->values, i * area + row % height * width + c);\n"
    "        }\n    }\n    return true;\n}\n",
};

/* Worker w has blocks w, w + workers ...; slices are added in their order. */
const tw__libs_code tw__sparse_update_code = {
    "popsparse::Update",
    "fh",
    "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTOR(unsigned short)) meta;\n    TW_INOUT(TW_VECTOR(float)) sums;\n"
    "    TW_INPUT(TW_VECTOR(unsigned)) indices;\n    TW_INPUT(TW_VECTOR(%T%)) slices;\n"
    "    unsigned region, height, width, first, lines;\n};\n"
    "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"
    "    const unsigned short *meta = tw_begin(v->meta);\n"
    "    size_t height = v->height, width = v->width, area = height * width, n = meta[0];\n"
    "    size_t across = tw_size(v->slices) / tw_size(v->indices);\n"
    "    if (n > tw_size(v->sums) / area) n = tw_size(v->sums) / area;\n"
    "    for (size_t i = worker; i < n; i += tw_num_workers()) {\n"
    "        const unsigned short *m = meta + 1 + 3 * i;\n"
    "        if (m[0] != v->region || (m[2] + 1u) * width > across) continue;\n"
    "        for (size_t k = 0; k < tw_size(v->indices); k++) {\n"
    "            size_t row = *tw_at(v->indices, k) - v->first;\n"
    "            if (row >= v->lines || row / height != m[1]) continue;\n"
    "            for (size_t c = 0; c < width; c++)\n"
    "                *tw_at(v->sums, i * area + row % height * width + c) +=\n"
    "                    (float)*tw_at(v->slices, k * across + m[2] * width + c);\n"
    "        }\n    }\n    return true;\n}\n",
};

typedef struct sparse_rows {
    tw_tensor indices, slices, *out; /* slices nil, or out [parts of rows], each [indices][columns] */
} sparse_rows;

/* [first, end) of the columns of a region. */
static tw_tensor rows_columns(tw_graph *g, const tw__sparse_plan *p, tw_tensor t, size_t region)
{
    size_t part = p->y_block * p->p.block_columns, begin = region % p->y_parts * part;
    return tw_tensor_flatten(g, tw_tensor_slice(g, t, 1, begin, MIN(begin + part, p->p.columns)));
}

static void rows_connect(const tw__sparse_work *w, tw_vertex v, size_t region, size_t z)
{
    (void)z; /* the batch is not one of parts here */
    const sparse_rows *s = w->user;
    tw_graph *g = w->graph;
    const tw__sparse_plan *p = &w->plan;
    size_t x = region / p->y_parts, first = x * p->x_block * p->p.block_rows;
    tw_graph_connect(g, v, "indices", s->indices);
    if (s->slices.id)
        tw_graph_connect(g, v, "slices", rows_columns(g, p, s->slices, region));
    else
        tw_graph_connect(g, v, "out", rows_columns(g, p, s->out[x], region));
    tw_graph_set_field_int(g, v, "first", (int64_t)first);
    tw_graph_set_field_int(g, v, "lines", (int64_t)(MIN(first + p->x_block * p->p.block_rows, p->p.rows) - first));
}

static bool rows_check(const tw__sparse_work *w, tw_tensor indices)
{
    tw_graph *g = w->graph;
    tw_type type = tw_tensor_type(g, indices);
    unsigned rank = tw_tensor_rank(g, indices);
    if (!tw__libs_ready(g)) return false;
    const char *problem = w->plan.p.groups != 1                    ? "of several groups have no rows"
                          : type != TW_UNSIGNED_INT || rank != 1   ? "want indices of unsigned int[n]"
                          : !tw_tensor_elements(g, indices)        ? "want indices"
                          : !tw_graph_mapping_complete(g, indices) ? "want indices on tiles"
                                                                   : NULL;
    if (problem)
        tw_graph_fail(g, TW_E_POPLIBS, w->call, "sparse matrices %s, not %s", problem,
                      tw__libs_describe(g, indices).text);
    return !problem;
}

/* The plan of rows: as that of products, but for the batch. */
static bool rows_begin(tw__sparse_work *w, const tw_sparse_params *params, tw_tensor indices,
                       const char *const *options)
{
    if (!tw__libs_ready(w->graph)) return false;
    tw_type type = tw_tensor_type(w->graph, w->values);
    return tw__libs_ready(w->graph) && tw__sparse_make_plan(&w->plan, w->graph, w->call, type, params, options) &&
           tw__sparse_check(w) && rows_check(w, indices);
}

/* Partial results of a part of rows: columns on the tiles of its regions. */
static tw_tensor rows_create(const tw__sparse_work *w, size_t n, size_t x)
{
    tw_graph *g = w->graph;
    const tw__sparse_plan *p = &w->plan;
    size_t shape[2] = { n, p->p.columns };
    tw_tensor t = tw_graph_add_variable(g, TW_FLOAT, 2, shape, tw__libs_path(w->name, "partials").text);
    for (size_t y = 0; y < p->y_parts; y++) {
        size_t region = tw__sparse_region(p, 0, x, y);
        tw_graph_map(g, rows_columns(g, p, t, region), tw__sparse_tile(p, region, 0));
    }
    tw_popops_zero(g, t, w->sequence, w->name);
    return t;
}

static tw_tensor rows_make(tw__sparse_work *w, sparse_rows *s)
{
    tw_graph *g = w->graph;
    size_t parts = w->plan.x_parts, n = tw_tensor_elements(g, s->indices);
    g_autofree tw_tensor *out = g_new(tw_tensor, parts);
    for (size_t x = 0; x < parts; x++) out[x] = rows_create(w, n, x);
    s->out = out, w->user = s;
    tw__sparse_rounds(w);
    tw_tensor sum = out[0];
    if (parts > 1) {
        for (size_t x = 0; x < parts; x++) out[x] = tw_tensor_expand(g, out[x], 1, (size_t[]){ 0 });
        tw_tensor all = tw_tensor_concat(g, (unsigned)parts, out, 0);
        sum = tw_popops_reduce(g, all, TW_FLOAT, 1, (size_t[]){ 0 }, NULL, w->sequence, w->name, NULL);
    }
    if (w->plan.type == TW_FLOAT) return sum;
    return tw_popops_cast(g, sum, TW_HALF, w->sequence, tw__libs_path(w->name, "Cast").text);
}

tw_tensor tw_popsparse_slice(tw_graph *graph, const tw_sparse_params *params, tw_sparse_tensor sparse,
                             tw_tensor indices, tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__sparse_work w = { .graph = graph,
                          .call = __func__,
                          .batches = 1,
                          .name = name,
                          .sequence = sequence,
                          .meta = sparse.meta,
                          .values = sparse.values,
                          .connect = rows_connect };
    if (!rows_begin(&w, params, indices, options)) return TW__LIBS_NIL;
    w.vertex = tw__libs_code_vertex(graph, &tw__sparse_rows_code, w.plan.type);
    if (!w.vertex) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    sparse_rows s = { .indices = indices };
    tw_tensor made = tw_tensor_keep(graph, rows_make(&w, &s));
    tw_graph_pop_scope(graph);
    return made;
}

/* Sums and scale are floats until all has been added. */
static void add_scaled_sums(const tw__sparse_work *w, tw_tensor values, tw_tensor scale)
{
    tw_tensor sums = tw_tensor_index(w->graph, w->sums, 0), by = tw_tensor_reshape(w->graph, scale, 0, NULL);
    const tw_tensor all[] = { values, sums, by };
    g_autofree char *text = tw__real_text(w->graph, "$1 + $2 * $3", w->plan.type, 3, all);
    tw__popops_map_in_place(w->graph, w->call, text, 3, all, w->sequence, w->name, NULL);
}

void tw_popsparse_update_add(tw_graph *graph, const tw_sparse_params *params, tw_sparse_tensor sparse,
                             tw_tensor slices, tw_tensor indices, tw_tensor scale, tw_program sequence,
                             const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw__sparse_work w = { .graph = graph,
                          .call = __func__,
                          .batches = 1,
                          .name = name,
                          .sequence = sequence,
                          .meta = sparse.meta,
                          .values = sparse.values,
                          .connect = rows_connect };
    if (!rows_begin(&w, params, indices, options)) return;
    tw__extents own = tw__libs_shape(graph, slices);
    tw_type type = tw_tensor_type(graph, slices), by = tw_tensor_type(graph, scale);
    uint64_t one = tw_tensor_elements(graph, scale);
    if (!tw__libs_ready(graph)) return;
    bool fits = own.rank == 2 && own.dim[0] == tw_tensor_elements(graph, indices) &&
                own.dim[1] == w.plan.p.columns && type == w.plan.type && one == 1 && (by == TW_FLOAT || by == type);
    if (!fits || !tw_graph_mapping_complete(graph, slices) || !tw_graph_mapping_complete(graph, scale)) {
        TW__LIBS_REFUSE(graph, "rows at %s of a matrix with %zu columns of %s += %s * slices %s",
                        tw__libs_describe(graph, indices).text, w.plan.p.columns,
                        tw_type_name(w.plan.type, TW_SYSTEM_POPLAR), tw__libs_describe(graph, scale).text,
                        tw__libs_describe(graph, slices).text);
        return;
    }
    if (!tw__libs_writeable(graph, __func__, sparse.values)) return;
    w.vertex = tw__libs_code_vertex(graph, &tw__sparse_update_code, type);
    if (!w.vertex) return;
    tw_graph_push_scope(graph);
    sparse_rows s = { .indices = indices, .slices = slices };
    w.user = &s, w.values = TW__LIBS_NIL;
    tw__sparse_add_sums(&w);
    tw__sparse_rounds(&w);
    add_scaled_sums(&w, sparse.values, scale);
    tw_graph_pop_scope(graph);
}
