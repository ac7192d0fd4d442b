/* SPDX-License-Identifier: MIT */
/* Sorts. Rows, or pieces of long rows, go to workers, which keep the first k of theirs in a heap whose root is the
 * last of these, and sort it; then sorted pieces merge in pairs. Elements that are alike stay in the order of their
 * places, so that the result is one for all plans and mappings. */
#include "poplar/libs/popops/sort.h"

#include <string.h>

#define KEY "static inline unsigned %ID%key(%T% e, unsigned flip) { return %ID%order(e) ^ flip; }\n"
#define ORDER                                                                                  \
    "static inline unsigned %ID%order(%T% e) { %KEY% }\n" KEY                                  \
    "static inline bool %ID%before(unsigned a, unsigned at_a, unsigned b, unsigned at_b)\n{\n" \
    "    return a != b ? a < b : at_a < at_b;\n}\n"

static const char first_text[] =
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTORS(%T%)) in;\n"
    "    TW_OUTPUT(TW_VECTOR(%T%)) keys; /* [rows][k] */\n    TW_OUTPUT(TW_VECTOR(unsigned)) places;\n"
    "    unsigned k, begin, flip; /* place of the first element; ~0: greatest first */\n};\n" ORDER
    "/* What is at i goes down until nothing below it comes later. */\n"
    "static void %ID%sift(%T% *keys, unsigned *places, size_t i, size_t n, unsigned flip)\n{\n"
    "    %T% e = keys[i];\n    unsigned at = places[i], key = %ID%key(e, flip);\n"
    "    for (size_t child; (child = 2 * i + 1) < n; i = child) {\n"
    "        unsigned own = %ID%key(keys[child], flip);\n"
    "        if (child + 1 < n) {\n"
    "            unsigned next = %ID%key(keys[child + 1], flip);\n"
    "            if (%ID%before(own, places[child], next, places[child + 1])) child++, own = next;\n"
    "        }\n"
    "        if (!%ID%before(key, at, own, places[child])) break;\n"
    "        keys[i] = keys[child], places[i] = places[child];\n"
    "    }\n"
    "    keys[i] = e, places[i] = at;\n}\n"
    "bool %ID%_compute(%ID% *v)\n{\n"
    "    const size_t k = v->k;\n    const unsigned flip = v->flip;\n"
    "    for (size_t r = 0; r < tw_rows(v->in); r++) {\n"
    "        const %T% *in = tw_begin(tw_sub(v->in, r));\n"
    "        size_t n = tw_size(tw_sub(v->in, r));\n"
    "        %T% *keys = tw_begin(v->keys) + r * k;\n        unsigned *places = tw_begin(v->places) + r * k;\n"
    "        for (size_t i = 0; i < k; i++) keys[i] = in[i], places[i] = v->begin + (unsigned)i;\n"
    "        for (size_t i = k / 2; i-- > 0;) %ID%sift(keys, places, i, k, flip);\n"
    "        for (size_t i = k; i < n; i++) { /* behind all that are alike: only a smaller key comes before */\n"
    "            if (%ID%key(in[i], flip) >= %ID%key(keys[0], flip)) continue;\n"
    "            keys[0] = in[i], places[0] = v->begin + (unsigned)i;\n"
    "            %ID%sift(keys, places, 0, k, flip);\n"
    "        }\n"
    "        for (size_t end = k; end-- > 1;) {\n"
    "            %T% e = keys[end];\n            unsigned at = places[end];\n"
    "            keys[end] = keys[0], places[end] = places[0], keys[0] = e, places[0] = at;\n"
    "            %ID%sift(keys, places, 0, end, flip);\n"
    "        }\n"
    "    }\n    return true;\n}\n";

/* Elements [begin, begin + n) of two sorted lists, all of a's places before those of b. */
static const char merge_text[] =
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTOR(%T%)) a;\n    TW_INPUT(TW_VECTOR(unsigned)) places_a;\n"
    "    TW_INPUT(TW_VECTOR(%T%)) b;\n    TW_INPUT(TW_VECTOR(unsigned)) places_b;\n"
    "    TW_OUTPUT(TW_VECTOR(%T%)) keys;\n    TW_OUTPUT(TW_VECTOR(unsigned)) places;\n"
    "    unsigned begin, flip;\n};\n" ORDER "bool %ID%_compute(%ID% *v)\n{\n"
    "    const %T% *a = tw_begin(v->a), *b = tw_begin(v->b);\n"
    "    const size_t size_a = tw_size(v->a), size_b = tw_size(v->b), begin = v->begin, n = tw_size(v->keys);\n"
    "    const unsigned flip = v->flip;\n"
    "    size_t low = begin > size_b ? begin - size_b : 0, high = begin < size_a ? begin : size_a;\n"
    "    while (low < high) { /* how many of the first `begin` are a's */\n"
    "        size_t i = low + (high - low) / 2;\n"
    "        if (%ID%before(%ID%key(a[i], flip), 0, %ID%key(b[begin - 1 - i], flip), 1))\n"
    "            low = i + 1;\n"
    "        else\n"
    "            high = i;\n"
    "    }\n"
    "    size_t i = low, j = begin - low;\n"
    "    for (size_t o = 0; o < n; o++) {\n"
    "        bool first = i < size_a &&\n"
    "                     (j >= size_b || %ID%before(%ID%key(a[i], flip), 0, %ID%key(b[j], flip), 1));\n"
    "        *tw_at(v->keys, o) = first ? a[i] : b[j];\n"
    "        *tw_at(v->places, o) = first ? *tw_at(v->places_a, i++) : *tw_at(v->places_b, j++);\n"
    "    }\n    return true;\n}\n";

static const char take_text[] =
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INPUT(TW_VECTORS(%T%)) in;\n    TW_INPUT(TW_VECTOR(unsigned)) places; /* [rows][k] */\n"
    "    TW_OUTPUT(TW_VECTOR(%T%)) out;\n    unsigned k;\n};\n"
    "bool %ID%_compute(%ID% *v)\n{\n"
    "    const size_t k = v->k;\n"
    "    for (size_t r = 0; r < tw_rows(v->in); r++) {\n"
    "        const %T% *in = tw_begin(tw_sub(v->in, r));\n        const unsigned *at = tw_begin(v->places) + r * "
    "k;\n"
    "        %T% *out = tw_begin(v->out) + r * k;\n"
    "        for (size_t i = 0; i < k; i++) out[i] = in[at[i]];\n"
    "    }\n    return true;\n}\n";

const tw__libs_code tw__sort_codes[TW__SORT_CODES] = {
    [TW__SORT_FIRST] = { "popops::First", "fhiu", first_text },
    [TW__SORT_MERGE] = { "popops::Merge", "fhiu", merge_text },
    [TW__SORT_TAKE] = { "popops::Take", "12u", take_text },
};

bool tw__sort_takes(tw_type type)
{
    return tw__libs_code_takes(&tw__sort_codes[TW__SORT_FIRST], type);
}

/* --- rows and pieces of rows ---------------------------------------------------------------------------------- */

enum { SORT_PIECE = 512, SORT_MERGED = 1024 }; /* elements of a piece, at least; of a merge for one worker */

typedef struct sorting {
    tw_graph *graph;
    size_t rows, n, k;
    bool down;
    unsigned tiles, workers; /* workers of all tiles */
    tw_program sequence;
    const char *name;
} sorting;

/* Whole rows, several for each worker if there are as many. `vertex` is that of TW__SORT_FIRST or TW__SORT_TAKE,
 * whose fields for results are keys and places, or out. */
static tw_sorted sort_whole_rows(const sorting *s, const char *vertex, tw_tensor matrix, tw_tensor given)
{
    tw_graph *g = s->graph;
    size_t parts = MIN(s->rows, s->workers);
    g_autofree tw_tensor *key = g_new(tw_tensor, parts), *place = g_new(tw_tensor, parts),
                         *row = g_new(tw_tensor, s->rows / parts + 1);
    tw_compute_set cs = tw_graph_add_compute_set(g, s->name && *s->name ? s->name : "sort");
    for (size_t p = 0; p < parts; p++) {
        size_t begin = s->rows * p / parts, end = s->rows * (p + 1) / parts, shape[] = { end - begin, s->k };
        unsigned tile = (unsigned)(p % s->tiles);
        tw_vertex v = tw_graph_add_vertex(g, cs, vertex, tile);
        for (size_t i = begin; i < end; i++) row[i - begin] = tw_tensor_index(g, matrix, i);
        tw_graph_connect_list(g, v, "in", end - begin, row);
        tw_graph_set_field_int(g, v, "k", (int64_t)s->k);
        key[p] = tw_graph_add_variable(g, tw_tensor_type(g, matrix), 2, shape, s->name);
        tw_graph_map(g, key[p], tile);
        place[p] = given;
        tw_graph_connect(g, v, given.id ? "out" : "keys", tw_tensor_flatten(g, key[p]));
        if (given.id) {
            tw_graph_connect(g, v, "places", tw_tensor_flatten(g, tw_tensor_slice(g, given, 0, begin, end)));
            continue;
        }
        place[p] = tw_graph_add_variable(g, TW_UNSIGNED_INT, 2, shape, tw__libs_path(s->name, "places").text);
        tw_graph_map(g, place[p], tile);
        tw_graph_connect(g, v, "places", tw_tensor_flatten(g, place[p]));
        tw_graph_set_field_int(g, v, "flip", s->down ? UINT32_MAX : 0);
    }
    tw_program_sequence_add(g, s->sequence, tw_program_execute(g, cs));
    tw_sorted made = { tw_tensor_concat(g, (unsigned)parts, key, 0), given };
    if (!given.id) made.values = tw_tensor_concat(g, (unsigned)parts, place, 0);
    return made;
}

/* A sorted list, rank 1. */
typedef struct sort_list {
    tw_sorted list;
    size_t size;
    unsigned tile;
} sort_list;

static sort_list new_list(const sorting *s, tw_type type, size_t size, unsigned tile)
{
    tw_graph *g = s->graph;
    sort_list l = { .size = MIN(size, s->k), .tile = tile };
    l.list.keys = tw_graph_add_variable(g, type, 1, &l.size, tw__libs_path(s->name, "keys").text);
    l.list.values = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &l.size, tw__libs_path(s->name, "places").text);
    tw_graph_map(g, l.list.keys, tile), tw_graph_map(g, l.list.values, tile);
    return l;
}

static sort_list merge_two(const sorting *s, tw_compute_set cs, const char *vertex, sort_list a, sort_list b)
{
    tw_graph *g = s->graph;
    sort_list out = new_list(s, tw_tensor_type(g, a.list.keys), a.size + b.size, a.tile);
    unsigned per_tile = s->workers / s->tiles;
    size_t step = MAX(SORT_MERGED, (out.size + per_tile - 1) / per_tile + 1) & ~(size_t)1;
    for (size_t begin = 0; begin < out.size; begin += step) {
        size_t end = MIN(begin + step, out.size);
        tw_vertex v = tw_graph_add_vertex(g, cs, vertex, out.tile);
        tw_graph_connect(g, v, "a", a.list.keys), tw_graph_connect(g, v, "places_a", a.list.values);
        tw_graph_connect(g, v, "b", b.list.keys), tw_graph_connect(g, v, "places_b", b.list.values);
        tw_graph_connect(g, v, "keys", tw_tensor_slice(g, out.list.keys, 0, begin, end));
        tw_graph_connect(g, v, "places", tw_tensor_slice(g, out.list.values, 0, begin, end));
        tw_graph_set_field_int(g, v, "begin", (int64_t)begin);
        tw_graph_set_field_int(g, v, "flip", s->down ? UINT32_MAX : 0);
    }
    return out;
}

/* Rows in `pieces` of `size` elements each. */
static tw_sorted sort_pieces(const sorting *s, const char *vertex, const char *merge, tw_tensor matrix,
                             size_t pieces, size_t size)
{
    tw_graph *g = s->graph;
    tw_type type = tw_tensor_type(g, matrix);
    g_autofree sort_list *list = g_new(sort_list, s->rows * pieces);
    tw_compute_set cs = tw_graph_add_compute_set(g, s->name && *s->name ? s->name : "sort");
    for (size_t i = 0; i < s->rows * pieces; i++) {
        size_t begin = i % pieces * size, end = MIN(begin + size, s->n);
        list[i] = new_list(s, type, end - begin, (unsigned)(i % s->tiles));
        tw_vertex v = tw_graph_add_vertex(g, cs, vertex, list[i].tile);
        tw_tensor row = tw_tensor_slice(g, tw_tensor_index(g, matrix, i / pieces), 0, begin, end);
        tw_graph_connect_list(g, v, "in", 1, &row);
        tw_graph_connect(g, v, "keys", list[i].list.keys);
        tw_graph_connect(g, v, "places", list[i].list.values);
        tw_graph_set_field_int(g, v, "k", (int64_t)list[i].size);
        tw_graph_set_field_int(g, v, "begin", (int64_t)begin);
        tw_graph_set_field_int(g, v, "flip", s->down ? UINT32_MAX : 0);
    }
    tw_program_sequence_add(g, s->sequence, tw_program_execute(g, cs));
    for (size_t left = pieces; left > 1; left = (left + 1) / 2) {
        cs = tw_graph_add_compute_set(g, tw__libs_path(s->name, "merge").text);
        for (size_t r = 0; r < s->rows; r++)
            for (size_t i = 0; i < left; i += 2) {
                sort_list *row = &list[r * pieces];
                row[i / 2] = i + 1 < left ? merge_two(s, cs, merge, row[i], row[i + 1]) : row[i];
            }
        tw_program_sequence_add(g, s->sequence, tw_program_execute(g, cs));
    }
    g_autofree tw_tensor *key = g_new(tw_tensor, s->rows), *place = g_new(tw_tensor, s->rows);
    for (size_t r = 0; r < s->rows; r++)
        key[r] = list[r * pieces].list.keys, place[r] = list[r * pieces].list.values;
    size_t shape[] = { s->rows, s->k };
    return (tw_sorted){ tw_tensor_reshape(g, tw_tensor_concat(g, (unsigned)s->rows, key, 0), 2, shape),
                        tw_tensor_reshape(g, tw_tensor_concat(g, (unsigned)s->rows, place, 0), 2, shape) };
}

static sorting sort_of(tw_graph *graph, tw_tensor matrix, size_t k, tw_program sequence, const char *name)
{
    const tw_target *target = tw_graph_target(graph);
    sorting s = { .graph = graph, .sequence = sequence, .name = name, .k = k };
    s.rows = tw_tensor_dim(graph, matrix, 0), s.n = tw_tensor_dim(graph, matrix, 1);
    s.tiles = tw_target_tiles(target), s.workers = s.tiles * tw_target_worker_contexts(target);
    return s;
}

static tw_sorted sort_keep(tw_graph *graph, tw_sorted made)
{
    if (made.keys.id) made.keys = tw_tensor_keep(graph, made.keys);
    if (made.values.id) made.values = tw_tensor_keep(graph, made.values);
    return made;
}

tw_sorted tw__sort_rows(tw_graph *graph, tw_tensor matrix, size_t k, bool down, tw_program sequence,
                        const char *name)
{
    sorting s = sort_of(graph, matrix, k, sequence, name);
    tw_type type = tw_tensor_type(graph, matrix);
    size_t shape[] = { s.rows, k };
    s.down = down;
    if (!s.rows || !k)
        return (tw_sorted){ tw_graph_add_variable(graph, type, 2, shape, name),
                            tw_graph_add_variable(graph, TW_UNSIGNED_INT, 2, shape, name) };
    size_t pieces = MAX(1, MIN(s.workers / s.rows, s.n / SORT_PIECE)), size = (s.n + pieces - 1) / pieces;
    pieces = (s.n + size - 1) / size;
    tw_graph_push_scope(graph);
    const char *vertex = tw__libs_code_vertex(graph, &tw__sort_codes[TW__SORT_FIRST], type);
    const char *merge = pieces > 1 ? tw__libs_code_vertex(graph, &tw__sort_codes[TW__SORT_MERGE], type) : vertex;
    tw_sorted made = { TW__LIBS_NIL, TW__LIBS_NIL };
    if (vertex && merge)
        made = pieces > 1 ? sort_pieces(&s, vertex, merge, matrix, pieces, size)
                          : sort_whole_rows(&s, vertex, matrix, TW__LIBS_NIL);
    made = sort_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw__sort_take(tw_graph *graph, tw_tensor matrix, tw_tensor places, tw_program sequence, const char *name)
{
    sorting s = sort_of(graph, matrix, tw_tensor_dim(graph, places, 1), sequence, name);
    tw_type type = tw_tensor_type(graph, matrix);
    if (!s.rows || !s.k) return tw_graph_add_variable(graph, type, 2, (size_t[]){ s.rows, s.k }, name);
    tw_graph_push_scope(graph);
    tw_tensor bits = tw__libs_bits(graph, matrix), made = TW__LIBS_NIL;
    const char *vertex = tw__libs_code_vertex(graph, &tw__sort_codes[TW__SORT_TAKE], tw_tensor_type(graph, bits));
    if (vertex) made = tw_tensor_reinterpret(graph, sort_whole_rows(&s, vertex, bits, places).keys, type);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

/* Keys, and values of the same shape or nil, are sorted along `dim`, the first k of them. */
static bool sort_check(tw_graph *graph, const char *call, tw_tensor keys, tw_tensor values, unsigned dim, size_t k)
{
    if (!tw__libs_ready(graph)) return false;
    tw__extents own = tw__libs_shape(graph, keys);
    tw_type type = tw_tensor_type(graph, keys);
    if (!tw__libs_ready(graph)) return false;
    if (dim >= own.rank || !tw__sort_takes(type) || k > own.dim[dim])
        tw_graph_fail(graph, TW_E_POPLIBS, call,
                      dim >= own.rank         ? "%s has no dimension %u"
                      : !tw__sort_takes(type) ? "%s cannot be sorted"
                                              : "%s has fewer elements along dimension %u than the %zu asked for",
                      tw__libs_describe(graph, keys).text, dim, k);
    else if (values.id && !tw__libs_same_shape(graph, keys, values))
        tw_graph_fail(graph, TW_E_POPLIBS, call, "keys %s and values %s are of different shapes",
                      tw__libs_describe(graph, keys).text, tw__libs_describe(graph, values).text);
    else if (!tw_graph_mapping_complete(graph, keys) || (values.id && !tw_graph_mapping_complete(graph, values)))
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has elements that are on no tile",
                      tw__libs_describe(graph, tw_graph_mapping_complete(graph, keys) ? values : keys).text);
    return tw__libs_ready(graph);
}

/* [rows][n], dimension `dim` last; and back, of a matrix [rows][k]. */
static tw_tensor sort_matrix(tw_graph *graph, tw_tensor tensor, unsigned dim)
{
    unsigned rank = tw_tensor_rank(graph, tensor);
    size_t n = tw_tensor_dim(graph, tensor, dim), rows = 1;
    const size_t *shape = tw_tensor_shape(graph, tensor);
    for (unsigned d = 0; d < rank; d++) rows *= d == dim ? 1 : shape[d];
    return tw_tensor_reshape(graph, tw_tensor_dim_roll(graph, tensor, dim, rank - 1), 2, (size_t[]){ rows, n });
}

static tw_tensor sort_from_matrix(tw_graph *graph, tw_tensor matrix, tw_tensor like, unsigned dim)
{
    tw__extents own = tw__libs_shape(graph, like), turned = { .rank = own.rank };
    for (unsigned d = 0, at = 0; d < own.rank; d++)
        if (d != dim) turned.dim[at++] = own.dim[d];
    turned.dim[own.rank - 1] = tw_tensor_dim(graph, matrix, 1);
    return tw_tensor_dim_roll(graph, tw_tensor_reshape(graph, matrix, own.rank, turned.dim), own.rank - 1, dim);
}

/* `values` nil: places. */
static tw_sorted sort_run(tw_graph *graph, tw_tensor keys, tw_tensor values, unsigned dim, size_t k, bool down,
                          tw_program sequence, const char *name)
{
    tw_graph_push_scope(graph);
    tw_sorted made = tw__sort_rows(graph, sort_matrix(graph, keys, dim), k, down, sequence, name);
    if (values.id) made.values = tw__sort_take(graph, sort_matrix(graph, values, dim), made.values, sequence, name);
    made.keys = sort_from_matrix(graph, made.keys, keys, dim);
    made.values = sort_from_matrix(graph, made.values, keys, dim);
    made = sort_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_popops_sort(tw_graph *graph, tw_tensor tensor, unsigned dim, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    if (!sort_check(graph, __func__, tensor, TW__LIBS_NIL, dim, 0)) return TW__LIBS_NIL;
    size_t n = tw_tensor_dim(graph, tensor, dim);
    tw_sorted made = sort_run(graph, tensor, TW__LIBS_NIL, dim, n, false, sequence, name);
    tw_tensor_free(graph, made.values);
    return made.keys;
}

tw_sorted tw_popops_sort_key_value(tw_graph *graph, tw_tensor keys, tw_tensor values, unsigned dim,
                                   tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_sorted){ 0 };
    if (!sort_check(graph, __func__, keys, values, dim, 0)) return (tw_sorted){ TW__LIBS_NIL, TW__LIBS_NIL };
    return sort_run(graph, keys, values, dim, tw_tensor_dim(graph, keys, dim), false, sequence, name);
}

static bool sort_writeable(tw_graph *graph, const char *call, tw_tensor tensor)
{
    if (tw_tensor_is_parallel_writeable(graph, tensor)) return true;
    tw_graph_fail(graph, TW_E_POPLIBS, call, "%s cannot be written: it has constants, or elements twice",
                  tw__libs_describe(graph, tensor).text);
    return false;
}

void tw_popops_sort_in_place(tw_graph *graph, tw_tensor tensor, unsigned dim, tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    if (!sort_check(graph, __func__, tensor, TW__LIBS_NIL, dim, 0) || !sort_writeable(graph, __func__, tensor))
        return;
    size_t n = tw_tensor_dim(graph, tensor, dim);
    tw_sorted made = sort_run(graph, tensor, TW__LIBS_NIL, dim, n, false, sequence, name);
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, made.keys, tensor));
    tw_tensor_free(graph, made.keys), tw_tensor_free(graph, made.values);
}

void tw_popops_sort_key_value_in_place(tw_graph *graph, tw_tensor keys, tw_tensor values, unsigned dim,
                                       tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    if (!sort_check(graph, __func__, keys, values, dim, 0) || !sort_writeable(graph, __func__, keys) ||
        !sort_writeable(graph, __func__, values))
        return;
    size_t n = tw_tensor_dim(graph, keys, dim);
    tw_sorted made = sort_run(graph, keys, values, dim, n, false, sequence, name);
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, made.keys, keys));
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, made.values, values));
    tw_tensor_free(graph, made.keys), tw_tensor_free(graph, made.values);
}

tw_sorted tw_popops_top_k(tw_graph *graph, tw_tensor keys, tw_tensor values, const tw_top_k *params,
                          tw_program sequence, const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return (tw_sorted){ 0 };
    tw_sorted made = { TW__LIBS_NIL, TW__LIBS_NIL };
    if (!tw__libs_list(graph, __func__, "params", 1, params)) return made;
    unsigned rank = tw_tensor_rank(graph, keys);
    if (!tw__libs_ready(graph)) return made;
    unsigned dim = rank ? rank - 1 : 0;
    if (!sort_check(graph, __func__, keys, values, dim, params->k)) return made;
    made = sort_run(graph, keys, values, dim, params->k, params->largest, sequence, name);
    bool turned = params->order == (params->largest ? TW_SORT_ASCENDING : TW_SORT_DESCENDING);
    if (!turned || params->k < 2 || !tw__libs_ready(graph)) return made;
    /* sorted again, not reversed: elements that are alike stay in their order */
    tw_sorted back = sort_run(graph, made.keys, made.values, dim, params->k, !params->largest, sequence, name);
    tw_tensor_free(graph, made.keys), tw_tensor_free(graph, made.values);
    return back;
}

tw_tensor tw_popops_create_top_k_input(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                       const tw_top_k *params, const char *name)
{
    if (!tw__libs_ready(graph) || !tw__libs_list(graph, __func__, "shape", rank, shape) ||
        !tw__libs_list(graph, __func__, "params", 1, params))
        return TW__LIBS_NIL;
    if (!rank || !tw__sort_takes(type) || params->k > shape[rank - 1]) {
        TW__LIBS_REFUSE(graph, "%s of %s has no %u elements to sort along its last dimension",
                        tw__libs_shape_text(rank, shape).text, tw__expr_type_name(type), params->k);
        return TW__LIBS_NIL;
    }
    tw_tensor made = tw_graph_add_variable(graph, type, rank, shape, name);
    tw_poputil_map_linearly(graph, made);
    return made;
}
