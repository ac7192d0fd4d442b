/* SPDX-License-Identifier: MIT */
/* Labels to rows of classes and back, histograms, sums along a dimension. */
#include "poplar/libs/popops/encode.h"

#include <math.h>
#include <string.h>

/* A run of elements of rows of `classes`: element 0 is that of class `begin` in the row of indices[0]. */
#define ROWS(body)                                                                            \
    "    const size_t n = tw_size(v->out), classes = v->classes;\n"                           \
    "    %T% *restrict out = tw_begin(v->out);\n"                                             \
    "    for (size_t i = 0, c = v->begin, row = 0, take; i < n; i += take, c = 0, row++) {\n" \
    "        const size_t hot = *tw_at(v->indices, row);\n"                                   \
    "        take = classes - c < n - i ? classes - c : n - i;\n" body "    }\n    return true;\n}\n"
#define ROW_FIELDS "    TW_INPUT(TW_VECTOR(unsigned)) indices;\n    unsigned begin, classes;\n"

static const char hot_text[] =
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n    TW_OUTPUT(TW_VECTOR(%T%)) out;\n" ROW_FIELDS
    "    TW_INPUT(%T%) on;\n    TW_INPUT(%T%) off;\n};\n"
    "bool %ID%_compute(%ID% *v)\n{\n    const %T% on = *v->on, off = *v->off;\n" ROWS(
        "        for (size_t j = 0; j < take; j++) out[i + j] = c + j == hot ? on : off;\n");

static const char minus_one_text[] =
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n    TW_INOUT(TW_VECTOR(%T%)) out;\n" ROW_FIELDS
    "};\nbool %ID%_compute(%ID% *v)\n{\n" ROWS(
        "        if (hot == 0xffffffffu) continue;\n"
        "        if (hot >= c && hot < c + take) out[i + hot - c] = (%T%)((float)out[i + hot - c] - 1.0f);\n"
        "        for (size_t j = 0; hot >= classes && j < take; j++) out[i + j] = (%T%)__builtin_nanf(\"\");\n");

/* Bins of one worker's elements: how many levels are not above each. */
static const char histogram_text[] =
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n    TW_INPUT(TW_VECTOR(%T%)) in;\n    TW_INPUT(TW_VECTOR(%T%)) levels;\n"
    "    TW_OUTPUT(TW_VECTOR(unsigned)) out;\n    bool absolute;\n};\n"
    "bool %ID%_compute(%ID% *v)\n{\n"
    "    const size_t bins = tw_size(v->out);\n"
    "    for (size_t b = 0; b < bins; b++) *tw_at(v->out, b) = 0;\n"
    "    for (size_t i = 0, n = tw_size(v->in); i < n; i++) {\n"
    "        float x = (float)*tw_at(v->in, i);\n"
    "        size_t low = 0, high = bins - 1;\n"
    "        if (v->absolute && x < 0) x = -x;\n"
    "        while (low < high) {\n"
    "            size_t middle = low + (high - low) / 2;\n"
    "            if (x >= (float)*tw_at(v->levels, middle))\n"
    "                low = middle + 1;\n"
    "            else\n"
    "                high = middle;\n"
    "        }\n"
    "        ++*tw_at(v->out, low);\n"
    "    }\n    return true;\n}\n";

/* Sums of halves are floats, those of integers modulo 2^32. */
static const char scan_text[] =
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n    TW_INPUT(TW_VECTORS(%T%)) in;\n    TW_OUTPUT(TW_VECTORS(%T%)) out;\n"
    "    bool exclusive;\n};\n"
    "bool %ID%_compute(%ID% *v)\n{\n"
    "    for (size_t r = 0; r < tw_rows(v->in); r++) {\n"
    "        const %T% *in = tw_begin(tw_sub(v->in, r));\n        %T% *out = tw_begin(tw_sub(v->out, r));\n"
    "        __typeof__(_Generic((%T%)0, int: 0u, unsigned: 0u, default: 0.0f)) sum = 0;\n"
    "        for (size_t i = 0, n = tw_size(tw_sub(v->in, r)); i < n; i++) {\n"
    "            if (v->exclusive) out[i] = (%T%)sum;\n"
    "            sum += (__typeof__(sum))in[i];\n"
    "            if (!v->exclusive) out[i] = (%T%)sum;\n"
    "        }\n"
    "    }\n    return true;\n}\n";

const tw__libs_code tw__encode_codes[TW__ENCODE_CODES] = {
    [TW__ENCODE_HOT] = { "popops::OneHot", "fhiub", hot_text },
    [TW__ENCODE_MINUS_ONE] = { "popops::MinusOne", "fh", minus_one_text },
    [TW__ENCODE_HISTOGRAM] = { "popops::Histogram", "fh", histogram_text },
    [TW__ENCODE_SCAN] = { "popops::Scan", "fhiu", scan_text },
};

/* --- rows of classes ------------------------------------------------------------------------------------------ */

typedef struct encode_call {
    tw_graph *graph;
    const char *vertex;
    tw_compute_set cs;
    tw_tensor out, indices, on, off; /* flattened; on and off nil where the vertex has none */
    size_t classes;
} encode_call;

static void encode_part(void *user, unsigned tile, size_t count, const tw_interval *intervals)
{
    const encode_call *e = user;
    tw_graph *g = e->graph;
    tw_graph_push_scope(g);
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = intervals[i].begin, end = intervals[i].end;
        tw_vertex v = tw_graph_add_vertex(g, e->cs, e->vertex, tile);
        tw_graph_connect(g, v, "out", tw_tensor_slice(g, e->out, 0, begin, end));
        tw_graph_connect(g, v, "indices",
                         tw_tensor_slice(g, e->indices, 0, begin / e->classes, (end - 1) / e->classes + 1));
        tw_graph_set_field_int(g, v, "begin", (int64_t)(begin % e->classes));
        tw_graph_set_field_int(g, v, "classes", (int64_t)e->classes);
        if (e->on.id) tw_graph_connect(g, v, "on", e->on), tw_graph_connect(g, v, "off", e->off);
    }
    tw_graph_pop_scope(g);
}

static void encode_rows(encode_call *e, int code, tw_tensor indices, tw_tensor rows, tw_program sequence,
                        const char *name)
{
    tw_graph *g = e->graph;
    if (!tw_tensor_elements(g, rows)) return;
    e->vertex = tw__libs_code_vertex(g, &tw__encode_codes[code], tw_tensor_type(g, rows));
    if (!e->vertex) return;
    e->classes = tw_tensor_dim(g, rows, tw_tensor_rank(g, rows) - 1);
    e->cs = tw_graph_add_compute_set(g, name && *name ? name : "encode");
    e->out = tw_tensor_flatten(g, rows);
    e->indices = tw_tensor_flatten(g, tw__libs_bits(g, indices));
    tw__libs_deal(g, e->out, 16, encode_part, e);
    tw_program_sequence_add(g, sequence, tw_program_execute(g, e->cs));
}

void tw__encode_hot(tw_graph *graph, tw_tensor indices, tw_tensor encoded, tw_tensor on, tw_tensor off,
                    tw_program sequence, const char *name)
{
    encode_call e = { .graph = graph };
    tw_graph_push_scope(graph);
    e.on = tw_tensor_reshape(graph, on, 0, NULL), e.off = tw_tensor_reshape(graph, off, 0, NULL);
    encode_rows(&e, TW__ENCODE_HOT, indices, encoded, sequence, name);
    tw_graph_pop_scope(graph);
}

/* `rows` [...][classes] of a type that the vertex takes, indices [...] of int or unsigned int. */
static bool encode_check(tw_graph *graph, const char *call, int code, tw_tensor indices, tw_tensor rows)
{
    if (!tw__libs_ready(graph)) return false;
    tw_type type = tw_tensor_type(graph, rows), of = tw_tensor_type(graph, indices);
    if (!tw__libs_ready(graph)) return false;
    tw__extents a = tw__libs_shape(graph, indices), b = tw__libs_shape(graph, rows);
    bool fits = (of == TW_INT || of == TW_UNSIGNED_INT) && tw__libs_code_takes(&tw__encode_codes[code], type) &&
                b.rank == a.rank + 1 && !memcmp(a.dim, b.dim, a.rank * sizeof *a.dim);
    if (!fits)
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has no rows of classes for the indices %s",
                      tw__libs_describe(graph, rows).text, tw__libs_describe(graph, indices).text);
    else if (!tw_graph_mapping_complete(graph, indices))
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has elements that are on no tile",
                      tw__libs_describe(graph, indices).text);
    return tw__libs_ready(graph);
}

static bool encode_writeable(tw_graph *graph, const char *call, tw_tensor rows)
{
    if (!tw__libs_writeable(graph, call, rows)) return false;
    if (!tw_tensor_contains_aliases(graph, rows)) return true;
    tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has elements twice", tw__libs_describe(graph, rows).text);
    return false;
}

void tw_popops_one_hot(tw_graph *graph, tw_tensor indices, tw_tensor encoded, tw_tensor on, tw_tensor off,
                       tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    if (!encode_check(graph, __func__, TW__ENCODE_HOT, indices, encoded) ||
        !encode_writeable(graph, __func__, encoded))
        return;
    tw_type type = tw_tensor_type(graph, encoded);
    for (int i = 0; i < 2; i++) {
        tw_tensor t = i ? off : on;
        if (!t.id) continue;
        tw_type own = tw_tensor_type(graph, t);
        uint64_t n = tw_tensor_elements(graph, t);
        if (tw__libs_ready(graph) && (n != 1 || own != type))
            TW__LIBS_REFUSE(graph, "%s is no value of %s", tw__libs_describe(graph, t).text,
                            tw__libs_describe(graph, encoded).text);
        if (!tw__libs_ready(graph)) return;
    }
    tw_graph_push_scope(graph);
    tw__encode_hot(graph, indices, encoded, on.id ? on : tw__popops_number(graph, type, 1),
                   off.id ? off : tw__popops_number(graph, type, 0), sequence, name);
    tw_graph_pop_scope(graph);
}

/* --- scalars of rows ------------------------------------------------------------------------------------------ */

tw_tensor tw_popops_select_scalar_from_rows(tw_graph *graph, tw_tensor rows, tw_tensor indices, tw_program sequence,
                                            const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    if (!encode_check(graph, __func__, TW__ENCODE_MINUS_ONE, indices, rows) ||
        !tw__libs_writeable(graph, __func__, rows))
        return TW__LIBS_NIL;
    unsigned rank = tw_tensor_rank(graph, rows);
    size_t last = rank - 1, classes = tw_tensor_dim(graph, rows, rank - 1);
    char text[96];
    tw_graph_push_scope(graph);
    tw_tensor hot = tw_popops_create_output(graph, 1, &rows, TW_BOOL, tw__libs_path(name, "hot").text);
    tw__encode_hot(graph, indices, hot, tw__popops_number(graph, TW_BOOL, 1), tw__popops_number(graph, TW_BOOL, 0),
                   sequence, name);
    tw_tensor alone =
        tw_popops_map(graph, "select(_1, 0, _2)", 2, (tw_tensor[]){ rows, hot }, sequence, name, NULL);
    tw_tensor sum = tw_popops_reduce(graph, alone, TW_TYPE_NONE, 1, &last, NULL, sequence, name, NULL);
    snprintf(text, sizeof text, "select(nan, _1, _2 >= %zuu && _2 != 4294967295u)", classes);
    tw_tensor made =
        tw_popops_map(graph, text, 2, (tw_tensor[]){ sum, tw__libs_bits(graph, indices) }, sequence, name, NULL);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

void tw_popops_update_scalar_in_rows(tw_graph *graph, tw_tensor rows, tw_tensor indices, tw_program sequence,
                                     const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    if (!encode_check(graph, __func__, TW__ENCODE_MINUS_ONE, indices, rows) ||
        !encode_writeable(graph, __func__, rows))
        return;
    encode_call e = { .graph = graph };
    tw_graph_push_scope(graph);
    encode_rows(&e, TW__ENCODE_MINUS_ONE, indices, rows, sequence, name);
    tw_graph_pop_scope(graph);
}

/* --- histograms ----------------------------------------------------------------------------------------------- */

typedef struct histogram_call {
    tw_graph *graph;
    const char *vertex, *name;
    tw_compute_set cs;
    tw_tensor in, levels;
    size_t bins;
    bool absolute;
    GArray *parts; /* of tw_tensor [1][bins] */
} histogram_call;

static void histogram_part(void *user, unsigned tile, size_t count, const tw_interval *intervals)
{
    histogram_call *h = user;
    tw_graph *g = h->graph;
    size_t shape[] = { 1, h->bins };
    tw_vertex v = tw_graph_add_vertex(g, h->cs, h->vertex, tile);
    tw_tensor part = tw_graph_add_variable(g, TW_UNSIGNED_INT, 2, shape, tw__libs_path(h->name, "part").text);
    tw_graph_map(g, part, tile);
    tw_graph_connect(g, v, "in", tw__libs_pick(g, h->in, count, intervals));
    tw_graph_connect(g, v, "levels", h->levels);
    tw_graph_connect(g, v, "out", tw_tensor_flatten(g, part));
    tw_graph_set_field_int(g, v, "absolute", h->absolute);
    g_array_append_val(h->parts, part);
}

tw_tensor tw_popops_histogram(tw_graph *graph, tw_tensor tensor, tw_tensor levels, bool absolute,
                              tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    typedef struct histogram_options {
        bool as_float, ignored;
    } histogram_options;
    static const tw__libs_option table[] = {
        { "useFloatArithmetic", TW__LIBS_BOOL, offsetof(histogram_options, as_float), NULL },
        { "useFloatArithmeticWithUnsignedIntOutput", TW__LIBS_BOOL, offsetof(histogram_options, ignored), NULL },
    };
    histogram_options read = { false, false };
    if (!tw__libs_ready(graph) || !tw__libs_options(graph, __func__, options, table, G_N_ELEMENTS(table), &read))
        return TW__LIBS_NIL;
    tw_type type = tw_tensor_type(graph, tensor), of = tw_tensor_type(graph, levels);
    unsigned rank = tw_tensor_rank(graph, levels);
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    if (rank != 1 || type != of || !tw__libs_code_takes(&tw__encode_codes[TW__ENCODE_HISTOGRAM], type)) {
        TW__LIBS_REFUSE(graph, "%s has no levels %s: both are float or half, levels of rank 1",
                        tw__libs_describe(graph, tensor).text, tw__libs_describe(graph, levels).text);
        return TW__LIBS_NIL;
    }
    if (!tw_graph_mapping_complete(graph, tensor) || !tw_graph_mapping_complete(graph, levels)) {
        tw_tensor loose = tw_graph_mapping_complete(graph, tensor) ? levels : tensor;
        TW__LIBS_REFUSE(graph, "%s has elements that are on no tile", tw__libs_describe(graph, loose).text);
        return TW__LIBS_NIL;
    }
    size_t zero = 0;
    tw_graph_push_scope(graph);
    histogram_call h = { .graph = graph, .name = name, .levels = levels, .absolute = absolute };
    h.in = tw_tensor_flatten(graph, tensor), h.bins = tw_tensor_dim(graph, levels, 0) + 1;
    h.vertex = tw__libs_code_vertex(graph, &tw__encode_codes[TW__ENCODE_HISTOGRAM], type);
    h.parts = g_array_new(FALSE, FALSE, sizeof(tw_tensor));
    h.cs = tw_graph_add_compute_set(graph, name && *name ? name : "histogram");
    if (h.vertex) tw__libs_deal(graph, h.in, 64, histogram_part, &h);
    tw_program_sequence_add(graph, sequence, tw_program_execute(graph, h.cs));
    tw_tensor none = tw_graph_add_variable(graph, TW_UNSIGNED_INT, 2, (size_t[]){ 0, h.bins }, name);
    if (!h.parts->len) g_array_append_val(h.parts, none);
    tw_tensor all = tw_tensor_concat(graph, h.parts->len, (tw_tensor *)(void *)h.parts->data, 0);
    g_array_unref(h.parts);
    tw_tensor made = tw_popops_reduce(graph, all, TW_TYPE_NONE, 1, &zero, NULL, sequence, name, NULL);
    if (read.as_float) made = tw_popops_cast(graph, made, TW_FLOAT, sequence, name);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

/* --- sums along a dimension ----------------------------------------------------------------------------------- */

/* Rows of both matrices to workers, dealt out in turn. */
static void scan_rows(tw_graph *graph, const char *vertex, tw_tensor in, tw_tensor out, bool exclusive,
                      tw_program sequence, const char *name)
{
    const tw_target *target = tw_graph_target(graph);
    size_t rows = tw_tensor_dim(graph, in, 0), tiles = tw_target_tiles(target);
    size_t parts = MIN(rows, tiles * tw_target_worker_contexts(target));
    g_autofree tw_tensor *from = g_new(tw_tensor, rows / parts + 1), *to = g_new(tw_tensor, rows / parts + 1);
    tw_compute_set cs = tw_graph_add_compute_set(graph, name && *name ? name : "scan");
    for (size_t p = 0; p < parts; p++) {
        size_t begin = rows * p / parts, end = rows * (p + 1) / parts;
        tw_vertex v = tw_graph_add_vertex(graph, cs, vertex, (unsigned)(p * tiles / parts));
        for (size_t r = begin; r < end; r++)
            from[r - begin] = tw_tensor_index(graph, in, r), to[r - begin] = tw_tensor_index(graph, out, r);
        tw_graph_connect_list(graph, v, "in", end - begin, from);
        tw_graph_connect_list(graph, v, "out", end - begin, to);
        tw_graph_set_field_int(graph, v, "exclusive", exclusive);
    }
    tw_program_sequence_add(graph, sequence, tw_program_execute(graph, cs));
}

tw_tensor tw_popops_cumulative_sum(tw_graph *graph, tw_tensor tensor, unsigned dim, bool exclusive, bool reverse,
                                   tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    unsigned rank = tw_tensor_rank(graph, tensor);
    tw_type type = tw_tensor_type(graph, tensor);
    if (!tw__libs_ready(graph)) return TW__LIBS_NIL;
    bool takes = tw__libs_code_takes(&tw__encode_codes[TW__ENCODE_SCAN], type);
    if (dim >= rank || !takes || !tw_graph_mapping_complete(graph, tensor)) {
        TW__LIBS_REFUSE(graph,
                        dim >= rank ? "%s has no dimension %u"
                        : takes     ? "%s has elements that are on no tile"
                                    : "%s cannot be summed",
                        tw__libs_describe(graph, tensor).text, dim);
        return TW__LIBS_NIL;
    }
    tw_graph_push_scope(graph);
    tw_tensor made = tw_popops_create_output(graph, 1, &tensor, type, name), pair[] = { tensor, made };
    size_t all = (size_t)tw_tensor_elements(graph, tensor);
    const char *vertex = all ? tw__libs_code_vertex(graph, &tw__encode_codes[TW__ENCODE_SCAN], type) : NULL;
    for (int i = 0; vertex && i < 2; i++) {
        size_t n = tw_tensor_dim(graph, tensor, dim), shape[] = { all / n, n };
        pair[i] = tw_tensor_reshape(graph, tw_tensor_dim_roll(graph, pair[i], dim, rank - 1), 2, shape);
        if (reverse) pair[i] = tw_tensor_reverse(graph, pair[i], 1);
    }
    if (vertex) scan_rows(graph, vertex, pair[0], pair[1], exclusive, sequence, name);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}
