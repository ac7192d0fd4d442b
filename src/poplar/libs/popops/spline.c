/* SPDX-License-Identifier: MIT */
/* Continuous kernels of B-splines, for graphs whose edges have coordinates: which weights an edge meets and how much
 * of each, and sums of them. */
#include "poplar/libs/popops/spline.h"

#include <string.h>

/* Element i is spline i mod splines of edge i / splines: digits of its number, base degree + 1, are those of the
 * pieces that it has in each dimension. */
static const char basis_text[] =
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_OUTPUT(TW_VECTOR(%T%)) basis;\n    TW_OUTPUT(TW_VECTOR(int)) index;\n"
    "    TW_INPUT(TW_VECTOR(%T%)) pseudo; /* [edges][dims] */\n"
    "    TW_INPUT(TW_VECTOR(int)) size;\n    TW_INPUT(TW_VECTOR(unsigned char)) open;\n"
    "    unsigned begin, splines, degree;\n};\n"
    "static inline float %ID%piece(float v, size_t k, unsigned degree)\n{\n"
    "    if (degree == 1) return k ? v : 1 - v;\n"
    "    if (degree == 2) return k == 0 ? 0.5f * (1 - v) * (1 - v) : k == 1 ? v - v * v + 0.5f : 0.5f * v * v;\n"
    "    if (k == 0) return (1 - v) * (1 - v) * (1 - v) / 6;\n"
    "    if (k == 1) return (3 * v * v * v - 6 * v * v + 4) / 6;\n"
    "    return k == 2 ? (3 * (v * v + v - v * v * v) + 1) / 6 : v * v * v / 6;\n}\n"
    "bool %ID%_compute(%ID% *x)\n{\n"
    "    const size_t dims = tw_size(x->size), pieces = x->degree + 1;\n"
    "    for (size_t i = 0; i < tw_size(x->basis); i++) {\n"
    "        size_t edge = (x->begin + i) / x->splines, k = (x->begin + i) % x->splines, place = 0, step = 1;\n"
    "        float all = 1;\n"
    "        for (size_t d = 0; d < dims; d++) {\n"
    "            size_t size = *tw_at(x->size, d) > 0 ? (size_t)*tw_at(x->size, d) : 1;\n"
    "            float v = (float)*tw_at(x->pseudo, edge * dims + d) *\n"
    "                      (float)((int)size - (int)x->degree * *tw_at(x->open, d));\n"
    "            v = v > 0 ? v < 1e6f ? v : 1e6f : 0;\n"
    "            float whole = __builtin_floorf(v);\n"
    "            place += ((size_t)(int)whole + k % pieces) % size * step;\n"
    "            step *= size, all *= %ID%piece(v - whole, k % pieces, x->degree), k /= pieces;\n"
    "        }\n"
    "        *tw_at(x->basis, i) = (%T%)all, *tw_at(x->index, i) = (int)place;\n"
    "    }\n    return true;\n}\n";

/* Columns of the output, for all edges: a weight's columns are on the one tile that needs them. Workers take edges in
 * turn; where rows are no whole words, one does all. An index that is out of range counts for nothing. */
static const char weighting_text[] =
    "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_OUTPUT(TW_VECTOR(%T%, SPAN, 4)) out; /* [edges][columns] */\n"
    "    TW_INPUT(TW_VECTOR(%T%)) in;            /* [edges][channels] */\n"
    "    TW_INPUT(TW_VECTOR(%T%)) weight;        /* [kernel][channels][columns] */\n"
    "    TW_INPUT(TW_VECTOR(%T%)) basis;\n    TW_INPUT(TW_VECTOR(int)) index; /* [edges][splines] */\n"
    "    unsigned columns, channels, splines, kernel;\n};\n"
    "bool %ID%_compute(%ID% *x, unsigned worker)\n{\n"
    "    const size_t columns = x->columns, channels = x->channels, edges = tw_size(x->out) / columns;\n"
    "    const size_t workers = columns * sizeof(%T%) % 4 == 0 ? tw_num_workers() : 1;\n"
    "    if (worker >= workers) return true;\n"
    "    for (size_t e = edges * worker / workers; e < edges * (worker + 1) / workers; e++)\n"
    "        for (size_t c = 0; c < columns; c++) {\n"
    "            float sum = 0;\n"
    "            for (size_t s = 0; s < x->splines; s++) {\n"
    "                const unsigned at = (unsigned)*tw_at(x->index, e * x->splines + s);\n"
    "                float own = 0;\n"
    "                if (at >= x->kernel) continue;\n"
    "                for (size_t k = 0; k < channels; k++)\n"
    "                    own += (float)*tw_at(x->in, e * channels + k) *\n"
    "                           (float)*tw_at(x->weight, (at * channels + k) * columns + c);\n"
    "                sum += own * (float)*tw_at(x->basis, e * x->splines + s);\n"
    "            }\n"
    "            *tw_at(x->out, e * columns + c) = (%T%)sum;\n"
    "        }\n"
    "    return true;\n}\n";

const tw__libs_code tw__spline_codes[TW__SPLINE_CODES] = {
    [TW__SPLINE_BASIS] = { "popops::SplineBasis", "fh", basis_text },
    [TW__SPLINE_WEIGHTING] = { "popops::SplineWeighting", "fh", weighting_text },
};

/* --- checks --------------------------------------------------------------------------------------------------- */

/* One tensor of a call: of a type, on tiles, of a shape in which 0 is any extent. */
static bool spline_fits(tw_graph *graph, const char *call, const char *what, tw_tensor t, tw_type type,
                        unsigned rank, const size_t *shape)
{
    if (!tw__libs_ready(graph)) return false;
    tw_type own = tw_tensor_type(graph, t);
    tw__extents is = tw__libs_shape(graph, t);
    if (!tw__libs_ready(graph)) return false;
    bool fits = own == type && is.rank == rank && tw_graph_mapping_complete(graph, t);
    for (unsigned d = 0; fits && d < rank; d++) fits = !shape[d] || shape[d] == is.dim[d];
    if (!fits)
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s: %s%s (0: any) on tiles, not %s", what,
                      tw_type_name(type, TW_SYSTEM_POPLAR), tw__libs_shape_text(rank, shape).text,
                      tw__libs_describe(graph, t).text);
    return fits;
}

/* float or half, of which all others have the type. */
static bool spline_type(tw_graph *graph, const char *call, const char *what, tw_tensor t, tw_type *type)
{
    if (!tw__libs_ready(graph)) return false;
    *type = tw_tensor_type(graph, t);
    if (!tw__libs_ready(graph)) return false;
    if (*type != TW_FLOAT && *type != TW_HALF)
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s: %s is not float or half", what,
                      tw__libs_describe(graph, t).text);
    return tw__libs_ready(graph);
}

/* --- which weights -------------------------------------------------------------------------------------------- */

typedef struct spline_call {
    tw_graph *graph;
    const char *vertex;
    tw_compute_set cs;
    tw_tensor basis, index, pseudo, size, open;
    size_t splines, dims;
    unsigned degree;
} spline_call;

static void spline_part(void *user, unsigned tile, size_t count, const tw_interval *intervals)
{
    const spline_call *c = user;
    tw_graph *g = c->graph;
    tw_graph_push_scope(g);
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = intervals[i].begin, end = intervals[i].end;
        size_t first = (size_t)begin / c->splines, last = (size_t)(end - 1) / c->splines + 1;
        tw_vertex v = tw_graph_add_vertex(g, c->cs, c->vertex, tile);
        tw_graph_connect(g, v, "basis", tw_tensor_slice(g, c->basis, 0, begin, end));
        tw_graph_connect(g, v, "index", tw_tensor_slice(g, c->index, 0, begin, end));
        tw_graph_connect(g, v, "pseudo", tw_tensor_slice(g, c->pseudo, 0, first * c->dims, last * c->dims));
        tw_graph_connect(g, v, "size", c->size), tw_graph_connect(g, v, "open", c->open);
        tw_graph_set_field_int(g, v, "begin", (int64_t)(begin % c->splines));
        tw_graph_set_field_int(g, v, "splines", (int64_t)c->splines);
        tw_graph_set_field_int(g, v, "degree", c->degree);
    }
    tw_graph_pop_scope(g);
}

void tw_popops_spline_basis(tw_graph *graph, tw_tensor pseudo, tw_tensor kernel_size, tw_tensor is_open,
                            tw_tensor basis, tw_tensor weight_index, unsigned degree, tw_program sequence,
                            const char *name)
{
    spline_call c = { .graph = graph, .splines = 1, .degree = degree };
    tw_type type;
    if (!tw__libs_takes(graph, __func__, sequence) || !spline_type(graph, __func__, "pseudo", pseudo, &type) ||
        !spline_fits(graph, __func__, "pseudo", pseudo, type, 2, (size_t[]){ 0, 0 }))
        return;
    size_t edges = tw_tensor_dim(graph, pseudo, 0);
    c.dims = tw_tensor_dim(graph, pseudo, 1);
    for (size_t d = 0; d < c.dims && d < 16; d++) c.splines *= degree + 1;
    if (degree < 1 || degree > 3 || c.dims > 8 || !c.dims) {
        TW__LIBS_REFUSE(graph, "splines of degree %u in %zu dimensions: degrees are 1 to 3, dimensions 1 to 8",
                        degree, c.dims);
        return;
    }
    const size_t all[] = { edges, c.splines };
    if (!edges || !spline_fits(graph, __func__, "kernelSize", kernel_size, TW_INT, 1, &c.dims) ||
        !spline_fits(graph, __func__, "isOpenSpline", is_open, TW_U8, 1, &c.dims) ||
        !spline_fits(graph, __func__, "basis", basis, type, 2, all) ||
        !spline_fits(graph, __func__, "weightIndex", weight_index, TW_INT, 2, all) ||
        !tw__libs_writeable(graph, __func__, basis) || !tw__libs_writeable(graph, __func__, weight_index))
        return;
    c.vertex = tw__libs_code_vertex(graph, &tw__spline_codes[TW__SPLINE_BASIS], type);
    if (!c.vertex) return;
    tw_graph_push_scope(graph);
    c.cs = tw_graph_add_compute_set(graph, name && *name ? name : "splineBasis");
    c.basis = tw_tensor_flatten(graph, basis), c.index = tw_tensor_flatten(graph, weight_index);
    c.pseudo = tw_tensor_flatten(graph, pseudo), c.size = kernel_size, c.open = is_open;
    tw__libs_deal(graph, c.basis, 4, spline_part, &c);
    tw_program_sequence_add(graph, sequence, tw_program_execute(graph, c.cs));
    tw_graph_pop_scope(graph);
}

/* --- sums of them --------------------------------------------------------------------------------------------- */

tw_tensor tw_popops_spline_weighting(tw_graph *graph, tw_tensor input, tw_tensor weight, tw_tensor basis,
                                     tw_tensor weight_index, tw_program sequence, const char *name)
{
    tw_type type;
    if (!tw__libs_takes(graph, __func__, sequence) || !spline_type(graph, __func__, "input", input, &type) ||
        !spline_fits(graph, __func__, "input", input, type, 2, (size_t[]){ 0, 0 }))
        return TW__LIBS_NIL;
    size_t edges = tw_tensor_dim(graph, input, 0), channels = tw_tensor_dim(graph, input, 1);
    if (!spline_fits(graph, __func__, "weight", weight, type, 3, (size_t[]){ 0, channels, 0 }) ||
        !spline_fits(graph, __func__, "basis", basis, type, 2, (size_t[]){ edges, 0 }))
        return TW__LIBS_NIL;
    size_t kernel = tw_tensor_dim(graph, weight, 0), columns = tw_tensor_dim(graph, weight, 2),
           splines = tw_tensor_dim(graph, basis, 1);
    if (!spline_fits(graph, __func__, "weightIndex", weight_index, TW_INT, 2, (size_t[]){ edges, splines }))
        return TW__LIBS_NIL;
    if (!edges || !channels || !kernel || !columns || !splines) {
        TW__LIBS_REFUSE(graph, "%s: an extent is 0", tw__libs_describe(graph, weight).text);
        return TW__LIBS_NIL;
    }
    const char *vertex = tw__libs_code_vertex(graph, &tw__spline_codes[TW__SPLINE_WEIGHTING], type);
    if (!vertex) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    g_autoptr(GArray) blocks = tw__libs_linear_columns(graph, type, columns, 1);
    tw_tensor out = tw__libs_add_columns(graph, type, edges, columns, blocks, name);
    tw_compute_set cs = tw_graph_add_compute_set(graph, name && *name ? name : "splineWeighting");
    for (guint i = 0; i < blocks->len; i++) {
        const tw_mapped_interval *m = &g_array_index(blocks, tw_mapped_interval, i);
        size_t begin = (size_t)m->interval.begin, end = (size_t)m->interval.end;
        tw_vertex v = tw_graph_add_vertex(graph, cs, vertex, m->tile);
        tw_graph_connect(graph, v, "out", tw_tensor_flatten(graph, tw_tensor_slice(graph, out, 1, begin, end)));
        tw_graph_connect(graph, v, "weight",
                         tw_tensor_flatten(graph, tw_tensor_slice(graph, weight, 2, begin, end)));
        tw_graph_connect(graph, v, "in", tw_tensor_flatten(graph, input));
        tw_graph_connect(graph, v, "basis", tw_tensor_flatten(graph, basis));
        tw_graph_connect(graph, v, "index", tw_tensor_flatten(graph, weight_index));
        tw_graph_set_field_int(graph, v, "columns", (int64_t)(end - begin));
        tw_graph_set_field_int(graph, v, "channels", (int64_t)channels);
        tw_graph_set_field_int(graph, v, "splines", (int64_t)splines);
        tw_graph_set_field_int(graph, v, "kernel", (int64_t)kernel);
    }
    tw_program_sequence_add(graph, sequence, tw_program_execute(graph, cs));
    out = tw_tensor_keep(graph, out);
    tw_graph_pop_scope(graph);
    return out;
}
