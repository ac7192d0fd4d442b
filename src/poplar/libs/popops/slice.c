/* SPDX-License-Identifier: MIT */
/* Slices at offsets that a run computes. Columns are dealt out, never rows: each tile has what it needs of every row,
 * so that an offset moves no element from tile to tile, and updates of one element come in the order of their
 * slices: the same bits for any mapping. */
#include "poplar/libs/popops/slice.h"

#include <string.h>

/* Row of slice element q in the tensor: -1 where the slice is to be left out. One slice: an offset out of range is 0;
 * many: it is left out. What runs over the end goes on at the start. */
#define PLACE                                                                             \
    "static inline long %ID%place(const %ID% *v, const unsigned *offsets, size_t q)\n"    \
    "{\n"                                                                                 \
    "    size_t row = 0, step = 1, dims = v->dims;\n"                                     \
    "    for (size_t d = dims; d-- > 0;) {\n"                                             \
    "        unsigned extent = *tw_at(v->extents, d), size = *tw_at(v->sizes, d);\n"      \
    "        size_t place = offsets[d];\n"                                                \
    "        if (place >= extent && v->many) return -1;\n"                                \
    "        if (place >= extent) place = 0;\n"                                           \
    "        place += d ? q % size : q, q = d ? q / size : 0; /* divisions are slow */\n" \
    "        row += (place >= extent ? place - extent : place) * step, step *= extent;\n" \
    "    }\n"                                                                             \
    "    return (long)row;\n"                                                             \
    "}\n"
#define FIELDS                                                                       \
    "    TW_INPUT(TW_VECTOR(unsigned)) offsets; /* [lookups][dims] */\n"             \
    "    TW_STATE_VECTOR(unsigned) extents;\n    TW_STATE_VECTOR(unsigned) sizes;\n" \
    "    unsigned dims, columns, rows, lookups; /* rows of a slice */\n    bool many;\n};\n" PLACE

/* Where the part of one worker begins, of `all` rows: no two workers write to one word. */
#define PART                                                                                       \
    "static inline size_t %ID%part(const %ID% *v, size_t all, unsigned worker)\n"                  \
    "{\n"                                                                                          \
    "    size_t bytes = v->columns * sizeof(%T%);\n"                                               \
    "    unsigned unit = bytes % 4 == 0 ? 0 : bytes % 2 == 0 ? 1 : 2; /* 2 ** unit rows */\n"      \
    "    size_t begin = ((all + (1u << unit) - 1) >> unit) * worker / tw_num_workers() << unit;\n" \
    "    return begin < all ? begin : all;\n"                                                      \
    "}\n"

/* Workers take slice elements in turn. */
static const char slice_text[] =
    "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTOR(%T%, SPAN, 4)) t;\n    TW_OUTPUT(TW_VECTOR(%T%, SPAN, 4)) s;\n" FIELDS PART
    "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"
    "    const size_t columns = v->columns, all = (size_t)v->lookups * v->rows;\n"
    "    size_t end = %ID%part(v, all, worker + 1);\n"
    "    size_t i = %ID%part(v, all, worker), lookup = v->rows == 1 || i >= end ? i : i / v->rows;\n"
    "    for (size_t q = i - lookup * v->rows; i < end; i++) {\n"
    "        long row = %ID%place(v, tw_at(v->offsets, lookup * v->dims), q);\n"
    "        if (++q == v->rows) q = 0, lookup++;\n"
    "        const %T% *from = tw_begin(v->t) + (row < 0 ? 0 : (size_t)row * columns);\n"
    "        %T% *to = tw_begin(v->s) + i * columns;\n"
    "        if (row < 0)\n"
    "            for (size_t c = 0; c < columns; c++) to[c] = 0;\n"
    "        else\n"
    "            for (size_t c = 0; c < columns; c++) to[c] = from[c];\n"
    "    }\n    return true;\n}\n";

/* Each worker has rows of the tensor and looks at all slices. */
#define UPDATE(fields, locals, join)                                                                          \
    "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"                                                                \
    "    TW_INOUT(TW_VECTOR(%T%, SPAN, 4)) t;\n    TW_INPUT(TW_VECTOR(%T%, SPAN, 4)) s;\n" fields FIELDS PART \
    "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n" locals                                                 \
    "    const size_t columns = v->columns, all = (size_t)v->lookups * v->rows;\n"                            \
    "    size_t own = columns ? tw_size(v->t) / columns : 0;\n"                                               \
    "    long begin = (long)%ID%part(v, own, worker), end = (long)%ID%part(v, own, worker + 1);\n"            \
    "    for (size_t i = 0, lookup = 0, q = 0; i < all; i++) {\n"                                             \
    "        long row = %ID%place(v, tw_at(v->offsets, lookup * v->dims), q);\n"                              \
    "        if (++q == v->rows) q = 0, lookup++;\n"                                                          \
    "        if (row < begin || row >= end) continue;\n"                                                      \
    "        %T% *restrict to = tw_begin(v->t) + (size_t)row * columns;\n"                                    \
    "        const %T% *restrict from = tw_begin(v->s) + i * columns;\n"                                      \
    "        for (size_t c = 0; c < columns; c++) to[c] = (%T%)(" join ");\n"                                 \
    "    }\n    return true;\n}\n"

const tw__libs_code tw__slice_codes[TW__SLICE_CODES] = {
    [TW__SLICE] = { "popops::Slice", "12u", slice_text },
    [TW__SLICE_UPDATE] = { "popops::Update", "12u", UPDATE("", "", "from[c]") },
    [TW__SLICE_ADD] = { "popops::UpdateAdd", "fh",
                        UPDATE("    TW_INPUT(float) scale;\n", "    const float scale = *v->scale;\n",
                               "(float)to[c] + scale * (float)from[c]") },
    [TW__SLICE_ADD_INTEGERS] = { "popops::UpdateAddIntegers", "iu",
                                 UPDATE("    TW_INPUT(%T%) scale;\n",
                                        "    const unsigned scale = (unsigned)*v->scale;\n",
                                        "(unsigned)to[c] + scale * (unsigned)from[c]") },
    [TW__SLICE_MAX] = { "popops::UpdateMax", "fhiu", UPDATE("", "", "from[c] > to[c] ? from[c] : to[c]") },
    [TW__SLICE_MUL] = { "popops::UpdateMul", "fh", UPDATE("", "", "(float)to[c] * (float)from[c]") },
};

/* --- checks and views ----------------------------------------------------------------------------------------- */

bool tw__slice_check_shape(tw__slicing *s, const char *what, unsigned count, const size_t *dims,
                           const size_t *sizes)
{
    bool sliced[TW__LIBS_RANK] = { false };
    if (!tw__libs_list(s->graph, s->call, "dims", count, dims) ||
        !tw__libs_list(s->graph, s->call, "sizes", count, sizes))
        return false;
    s->count = count, s->rows = s->columns = s->slice_rows = 1;
    for (unsigned i = 0; i < count; i++) {
        bool known = dims[i] < s->shape.rank, twice = known && sliced[dims[i]];
        size_t extent = known ? s->shape.dim[dims[i]] : 0;
        if (!known || twice || sizes[i] > extent || extent > UINT32_MAX) {
            tw_graph_fail(s->graph, TW_E_POPLIBS, s->call,
                          !known  ? "%s has no dimension %zu"
                          : twice ? "%s: dimension %zu is named twice"
                                  : "%s: dimension %zu has no slice of %zu elements",
                          what, dims[i], sizes[i]);
            return false;
        }
        sliced[dims[i]] = true;
        s->order[i] = (unsigned)dims[i];
        s->extents[i] = (unsigned)extent, s->sizes[i] = (unsigned)sizes[i];
        s->rows *= extent, s->slice_rows *= sizes[i];
    }
    for (unsigned d = 0, at = count; d < s->shape.rank; d++)
        if (!sliced[d]) s->order[at++] = d, s->columns *= s->shape.dim[d];
    return true;
}

bool tw__slice_check(tw__slicing *s, tw_graph *graph, const char *call, tw_tensor tensor, unsigned count,
                     const size_t *dims, const size_t *sizes)
{
    *s = (tw__slicing){ .graph = graph, .call = call };
    if (!tw__libs_ready(graph)) return false;
    s->shape = tw__libs_shape(graph, tensor);
    if (!tw__libs_ready(graph)) return false;
    if (!tw_graph_mapping_complete(graph, tensor)) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has elements that are on no tile",
                      tw__libs_describe(graph, tensor).text);
        return false;
    }
    return tw__slice_check_shape(s, tw__libs_describe(graph, tensor).text, count, dims, sizes);
}

/* Offsets are unsigned int: [count], or [lookups][count] of many slices. */
static bool slice_check_offsets(const tw__slicing *s, tw_tensor offsets, bool many)
{
    tw__extents own = tw__libs_shape(s->graph, offsets);
    if (!tw__libs_ready(s->graph)) return false;
    bool fits =
        tw_tensor_type(s->graph, offsets) == TW_UNSIGNED_INT && own.rank == 1u + many && own.dim[many] == s->count;
    if (!fits)
        tw_graph_fail(s->graph, TW_E_POPLIBS, s->call, "offsets are unsigned int[%s%u], not %s", many ? "n, " : "",
                      s->count, tw__libs_describe(s->graph, offsets).text);
    return fits;
}

/* [lookups if many], then the shape of a slice. */
tw__extents tw__slice_shape(const tw__slicing *s, bool many, size_t lookups)
{
    tw__extents out = { .rank = s->shape.rank + many, .dim = { lookups } };
    memcpy(out.dim + many, s->shape.dim, s->shape.rank * sizeof *out.dim);
    for (unsigned i = 0; i < s->count; i++) out.dim[many + s->order[i]] = s->sizes[i];
    return out;
}

/* The tensor, or slices in a first dimension, as a matrix: sliced dimensions are rows. */
tw_tensor tw__slice_matrix(const tw__slicing *s, tw_tensor tensor, bool many, size_t rows)
{
    unsigned order[TW__LIBS_RANK + 1] = { 0 };
    for (unsigned d = 0; d < s->shape.rank; d++) order[d + many] = s->order[d] + many;
    tw_tensor turned = tw_tensor_dim_shuffle(s->graph, tensor, order);
    return tw_tensor_reshape(s->graph, turned, 2, (size_t[]){ rows, s->columns });
}

/* And back. */
tw_tensor tw__slice_from_matrix(const tw__slicing *s, tw_tensor matrix, tw__extents shape, bool many)
{
    size_t dim[TW__LIBS_RANK + 1] = { shape.dim[0] };
    unsigned order[TW__LIBS_RANK + 1] = { 0 };
    for (unsigned d = 0; d < s->shape.rank; d++) {
        dim[d + many] = shape.dim[s->order[d] + many];
        order[s->order[d] + many] = d + many;
    }
    return tw_tensor_dim_shuffle(s->graph, tw_tensor_reshape(s->graph, matrix, shape.rank, dim), order);
}

/* --- vertices ------------------------------------------------------------------------------------------------- */

typedef struct slice_call {
    const tw__slicing *s;
    const char *vertex;
    tw_tensor tensor, slices, offsets, scale; /* matrices; flattened; a float or nil */
    bool many;
} slice_call;

static void slice_vertices(const slice_call *c, const GArray *blocks, tw_program sequence, const char *name)
{
    const tw__slicing *s = c->s;
    tw_graph *g = s->graph;
    tw_compute_set cs = tw_graph_add_compute_set(g, name && *name ? name : "slice");
    size_t lookups = s->count ? (size_t)tw_tensor_elements(g, c->offsets) / s->count : 1;
    for (guint i = 0; i < blocks->len; i++) {
        const tw_mapped_interval *m = &g_array_index(blocks, tw_mapped_interval, i);
        size_t begin = (size_t)m->interval.begin, end = (size_t)m->interval.end;
        tw_graph_push_scope(g);
        tw_vertex v = tw_graph_add_vertex(g, cs, c->vertex, m->tile);
        tw_graph_connect(g, v, "t", tw_tensor_flatten(g, tw_tensor_slice(g, c->tensor, 1, begin, end)));
        tw_graph_connect(g, v, "s", tw_tensor_flatten(g, tw_tensor_slice(g, c->slices, 1, begin, end)));
        tw_graph_connect(g, v, "offsets", c->offsets);
        if (c->scale.id) tw_graph_connect(g, v, "scale", c->scale);
        tw_graph_set_field_values(g, v, "extents", TW_UNSIGNED_INT, s->count, s->extents);
        tw_graph_set_field_values(g, v, "sizes", TW_UNSIGNED_INT, s->count, s->sizes);
        tw_graph_set_field_int(g, v, "dims", s->count);
        tw_graph_set_field_int(g, v, "columns", (int64_t)(end - begin));
        tw_graph_set_field_int(g, v, "rows", (int64_t)s->slice_rows);
        tw_graph_set_field_int(g, v, "lookups", (int64_t)lookups);
        tw_graph_set_field_int(g, v, "many", c->many);
        tw_graph_pop_scope(g);
    }
    tw_program_sequence_add(g, sequence, tw_program_execute(g, cs));
}

static tw_tensor slice_read(const tw__slicing *s, tw_tensor tensor, tw_tensor offsets, bool many,
                            tw_program sequence, const char *name)
{
    tw_graph *g = s->graph;
    size_t lookups = many ? tw_tensor_dim(g, offsets, 0) : 1;
    tw__extents shape = tw__slice_shape(s, many, lookups);
    tw_type type = tw_tensor_type(g, tensor);
    bool empty = !tw__libs_count(&shape) || !s->rows;
    tw_tensor bits = tw__libs_bits(g, tensor);
    slice_call c = { .s = s, .many = many, .offsets = tw_tensor_flatten(g, offsets) };
    c.vertex = empty ? NULL : tw__libs_code_vertex(g, &tw__slice_codes[TW__SLICE], tw_tensor_type(g, bits));
    if (!tw__libs_ready(g)) return TW__LIBS_NIL;
    c.tensor = tw__slice_matrix(s, bits, false, s->rows);
    g_autoptr(GArray) blocks = tw__libs_columns(g, c.tensor);
    tw_tensor made = tw__libs_add_columns(g, type, lookups * s->slice_rows, s->columns, blocks, name);
    c.slices = tw__libs_bits(g, made);
    if (!empty) slice_vertices(&c, blocks, sequence, name);
    return tw__slice_from_matrix(s, made, shape, many);
}

tw_tensor tw__slice_many(const tw__slicing *s, tw_tensor tensor, tw_tensor offsets, tw_program sequence,
                         const char *name)
{
    tw_graph_push_scope(s->graph);
    tw_tensor made = slice_read(s, tensor, offsets, true, sequence, name);
    if (made.id) made = tw_tensor_keep(s->graph, made);
    tw_graph_pop_scope(s->graph);
    return made;
}

void tw__slice_write(const tw__slicing *s, int code, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                     tw_tensor scale, bool many, tw_program sequence, const char *name)
{
    tw_graph *g = s->graph;
    size_t lookups = many ? tw_tensor_dim(g, offsets, 0) : 1;
    if (!tw_tensor_elements(g, tensor) || !tw_tensor_elements(g, slices)) return;
    tw_graph_push_scope(g);
    if (tw_tensor_intersects(g, tensor, slices))
        slices = tw_poputil_duplicate(g, slices, sequence, name, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES);
    if (code == TW__SLICE_UPDATE) tensor = tw__libs_bits(g, tensor), slices = tw__libs_bits(g, slices);
    slice_call c = { .s = s, .many = many, .offsets = tw_tensor_flatten(g, offsets), .scale = scale };
    if (scale.id && tw_tensor_type(g, scale) == TW_HALF)
        c.scale = tw_popops_cast(g, scale, TW_FLOAT, sequence, tw__libs_path(name, "scale").text);
    if (c.scale.id) c.scale = tw_tensor_reshape(g, c.scale, 0, NULL);
    c.vertex = tw__libs_code_vertex(g, &tw__slice_codes[code], tw_tensor_type(g, tensor));
    c.tensor = tw__slice_matrix(s, tensor, false, s->rows);
    c.slices = tw__slice_matrix(s, slices, many, lookups * s->slice_rows);
    g_autoptr(GArray) blocks = tw__libs_columns(g, c.tensor);
    if (c.vertex) slice_vertices(&c, blocks, sequence, name);
    tw_graph_pop_scope(g);
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

tw_tensor tw_popops_dynamic_slice(tw_graph *graph, tw_tensor tensor, tw_tensor offset, unsigned count,
                                  const size_t *dims, const size_t *sizes, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__slicing s;
    if (!tw__slice_check(&s, graph, __func__, tensor, count, dims, sizes) ||
        !slice_check_offsets(&s, offset, false))
        return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor made = slice_read(&s, tensor, offset, false, sequence, name);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_popops_multi_slice(tw_graph *graph, tw_tensor tensor, tw_tensor offsets, unsigned count,
                                const size_t *dims, const size_t *sizes, tw_program sequence, const char *name,
                                const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    tw__slicing s;
    if (!tw__slice_check(&s, graph, __func__, tensor, count, dims, sizes) ||
        !slice_check_offsets(&s, offsets, true) || !tw__slice_options(graph, __func__, options))
        return TW__LIBS_NIL;
    return tw__slice_many(&s, tensor, offsets, sequence, name);
}

/* What all updates ask of the slices and the tensor. */
static bool slice_check_update(const tw__slicing *s, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                               bool many)
{
    tw_graph *g = s->graph;
    if (!slice_check_offsets(s, offsets, many)) return false;
    tw__extents own = tw__libs_shape(g, slices);
    tw_type type = tw_tensor_type(g, slices);
    if (!tw__libs_ready(g)) return false;
    tw__extents want = tw__slice_shape(s, many, many ? tw_tensor_dim(g, offsets, 0) : 1);
    if (own.rank != want.rank || memcmp(own.dim, want.dim, own.rank * sizeof *own.dim) ||
        type != tw_tensor_type(g, tensor)) {
        tw_graph_fail(g, TW_E_POPLIBS, s->call, "slices of %s are %s, not %s", tw__libs_describe(g, tensor).text,
                      tw__libs_shape_text(want.rank, want.dim).text, tw__libs_describe(g, slices).text);
        return false;
    }
    if (!tw_tensor_is_parallel_writeable(g, tensor)) {
        tw_graph_fail(g, TW_E_POPLIBS, s->call, "%s cannot be written: it has constants, or elements twice",
                      tw__libs_describe(g, tensor).text);
        return false;
    }
    return true;
}

static bool slice_update_fits(tw__slicing *s, tw_graph *graph, const char *call, tw_tensor tensor, tw_tensor slices,
                              tw_tensor offsets, bool many, unsigned count, const size_t *dims, const size_t *sizes,
                              const char *const *options)
{
    return tw__slice_check(s, graph, call, tensor, count, dims, sizes) &&
           slice_check_update(s, tensor, slices, offsets, many) && tw__slice_options(graph, call, options);
}

bool tw_popops_update_fits(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets, bool many,
                           unsigned count, const size_t *dims, const size_t *sizes, const char *const *options)
{
    tw__slicing s;
    return slice_update_fits(&s, graph, __func__, tensor, slices, offsets, many, count, dims, sizes, options);
}

void tw_popops_dynamic_update(tw_graph *graph, tw_tensor tensor, tw_tensor slice, tw_tensor offset, unsigned count,
                              const size_t *dims, const size_t *sizes, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw__slicing s;
    if (slice_update_fits(&s, graph, __func__, tensor, slice, offset, false, count, dims, sizes, NULL))
        tw__slice_write(&s, TW__SLICE_UPDATE, tensor, slice, offset, TW__LIBS_NIL, false, sequence, name);
}

void tw_popops_multi_update(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets, unsigned count,
                            const size_t *dims, const size_t *sizes, tw_program sequence, const char *name,
                            const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw__slicing s;
    if (slice_update_fits(&s, graph, __func__, tensor, slices, offsets, true, count, dims, sizes, options))
        tw__slice_write(&s, TW__SLICE_UPDATE, tensor, slices, offsets, TW__LIBS_NIL, true, sequence, name);
}

static bool slice_type_fits(const tw__slicing *s, int code, tw_tensor tensor)
{
    bool fits = tw__libs_code_takes(&tw__slice_codes[code], tw_tensor_type(s->graph, tensor));
    if (!fits)
        tw_graph_fail(s->graph, TW_E_POPLIBS, s->call, "%s cannot be updated so",
                      tw__libs_describe(s->graph, tensor).text);
    return fits;
}

void tw_popops_multi_update_add(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                                tw_tensor scale, unsigned count, const size_t *dims, const size_t *sizes,
                                tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw__slicing s;
    if (!slice_update_fits(&s, graph, __func__, tensor, slices, offsets, true, count, dims, sizes, options)) return;
    tw_type own = tw_tensor_type(graph, tensor);
    int code = own == TW_INT || own == TW_UNSIGNED_INT ? TW__SLICE_ADD_INTEGERS : TW__SLICE_ADD;
    if (!slice_type_fits(&s, code, tensor)) return;
    tw_type type = tw_tensor_type(graph, scale);
    uint64_t n = tw_tensor_elements(graph, scale);
    if (!tw__libs_ready(graph)) return;
    if (n != 1 || (type != own && (type != TW_FLOAT || code != TW__SLICE_ADD))) {
        TW__LIBS_REFUSE(graph, "the scale is one number of its type, or a float for half, not %s",
                        tw__libs_describe(graph, scale).text);
        return;
    }
    tw__slice_write(&s, code, tensor, slices, offsets, scale, true, sequence, name);
}

/* An update that has no scale. */
static void slice_update_with(tw_graph *graph, const char *call, int code, tw_tensor tensor, tw_tensor slices,
                              tw_tensor offsets, unsigned count, const size_t *dims, const size_t *sizes,
                              tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, call, sequence)) return;
    tw__slicing s;
    if (slice_update_fits(&s, graph, call, tensor, slices, offsets, true, count, dims, sizes, options) &&
        slice_type_fits(&s, code, tensor))
        tw__slice_write(&s, code, tensor, slices, offsets, TW__LIBS_NIL, true, sequence, name);
}

void tw_popops_multi_update_max(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                                unsigned count, const size_t *dims, const size_t *sizes, tw_program sequence,
                                const char *name, const char *const *options)
{
    slice_update_with(graph, __func__, TW__SLICE_MAX, tensor, slices, offsets, count, dims, sizes, sequence, name,
                      options);
}

void tw_popops_multi_update_mul(tw_graph *graph, tw_tensor tensor, tw_tensor slices, tw_tensor offsets,
                                unsigned count, const size_t *dims, const size_t *sizes, tw_program sequence,
                                const char *name, const char *const *options)
{
    slice_update_with(graph, __func__, TW__SLICE_MUL, tensor, slices, offsets, count, dims, sizes, sequence, name,
                      options);
}
