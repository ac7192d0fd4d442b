/* SPDX-License-Identifier: MIT */
/* Reductions, planned: elements are dealt out in chunks of 64 * 2^k of their numbers, partial results join in
 * groups of 64. The mapping says who works, never in which order elements join. */
#include "poplar/libs/popops/reduce.h"

#include <stdlib.h>
#include <string.h>

typedef struct reduction {
    tw_graph *graph;
    tw_reduce_params params;
    tw_type from, to, accumulator;
    tw__extents kept; /* shape of the result */
    size_t results, elements;
    tw_tensor given;
    tw_tensor view; /* [results][elements], or [elements][results] with `across` */
    bool across;    /* neighbours in storage are of different results */
    tw_program sequence;
    const char *name;
    GArray *sets; /* of tw_compute_set, to which the steps go in this order; NULL: to the sequence */
    guint step;
} reduction;

/* --- checks --------------------------------------------------------------------------------------------------- */

static bool reduce_check_scale(const reduction *r, const char *call)
{
    tw_graph *g = r->graph;
    tw_reduce_op op = r->params.op;
    bool sum = op == TW_REDUCE_ADD || op == TW_REDUCE_SQUARE_ADD || op == TW_REDUCE_LOG_ADD;
    if (!sum && (r->params.update || r->params.scale.id)) {
        tw_graph_fail(g, TW_E_POPLIBS, call, "'%s' has no scale and no update", tw__reduce_name(op));
        return false;
    }
    if (!r->params.scale.id) return true;
    uint64_t n = tw_tensor_elements(g, r->params.scale);
    tw_type type = tw_tensor_type(g, r->params.scale);
    if (tw__libs_ready(g) && (n != 1 || type != TW_FLOAT))
        tw_graph_fail(g, TW_E_POPLIBS, call, "the scale is one float, not %s",
                      tw__libs_describe(g, r->params.scale).text);
    return tw__libs_ready(g);
}

/* Fills in shapes; `order` gets kept dimensions, then reduced ones. */
static bool reduce_check_dims(reduction *r, const char *call, tw_tensor tensor, unsigned count, const size_t *dims,
                              unsigned *order)
{
    tw__extents own = tw__libs_shape(r->graph, tensor);
    bool reduced[TW__LIBS_RANK] = { false };
    if (!tw__libs_list(r->graph, call, "dims", count, dims)) return false;
    for (unsigned i = 0; i < count; i++) {
        if (dims[i] >= own.rank || reduced[dims[i]]) {
            tw_graph_fail(r->graph, TW_E_POPLIBS, call,
                          dims[i] >= own.rank ? "%s has no dimension %zu" : "%s: dimension %zu is named twice",
                          tw__libs_describe(r->graph, tensor).text, dims[i]);
            return false;
        }
        reduced[dims[i]] = true;
    }
    r->kept.rank = 0;
    r->results = r->elements = 1;
    for (unsigned d = 0, behind = own.rank - count; d < own.rank; d++) {
        if (reduced[d]) {
            order[behind++] = d, r->elements *= own.dim[d];
        } else {
            order[r->kept.rank] = d, r->kept.dim[r->kept.rank++] = own.dim[d];
            r->results *= own.dim[d];
        }
    }
    return true;
}

static bool reduce_check(reduction *r, const char *call, tw_tensor tensor, tw_type type, unsigned count,
                         const size_t *dims, const tw_reduce_params *params, const char *const *options,
                         unsigned *order)
{
    static const tw__libs_option table[] = { { "accumType.interTile", TW__LIBS_TYPE, 0, NULL },
                                             { "accumType.inVertex", TW__LIBS_TYPE, 0, NULL } };
    tw_type ignored;
    if (!tw__libs_ready(r->graph) ||
        !tw__libs_options(r->graph, call, options, table, G_N_ELEMENTS(table), &ignored))
        return false;
    if (params) r->params = *params;
    r->from = tw_tensor_type(r->graph, tensor);
    if (!tw__libs_ready(r->graph)) return false;
    r->to = type == TW_TYPE_NONE ? r->from : type;
    r->accumulator = tw__reduce_accumulator(r->params.op, r->from);
    bool mixed = r->accumulator == TW_FLOAT && (r->to == TW_FLOAT || r->to == TW_HALF);
    bool same_only = r->params.op == TW_REDUCE_MIN || r->params.op == TW_REDUCE_MAX;
    if (r->accumulator == TW_TYPE_NONE || !(r->to == r->from || (mixed && !same_only))) {
        const char *name = tw__reduce_name(r->params.op);
        tw_graph_fail(r->graph, TW_E_POPLIBS, call, "'%s' of %s cannot be %s", name ? name : "an unknown operation",
                      tw__libs_describe(r->graph, tensor).text, tw__expr_type_name(r->to));
        return false;
    }
    if (!reduce_check_scale(r, call) || !reduce_check_dims(r, call, tensor, count, dims, order)) return false;
    if (r->params.op == TW_REDUCE_LOG_ADD && !r->elements) {
        tw_graph_fail(r->graph, TW_E_POPLIBS, call, "'log_add' of no elements");
        return false;
    }
    return true;
}

/* --- who works ------------------------------------------------------------------------------------------------ */

/* A piece of work: the elements [begin, end) of result `result` of a view [results][elements]. With columns it is
 * of `width` results. */
typedef struct reduce_piece {
    size_t result, width, begin, end;
    unsigned tile;
} reduce_piece;

/* The tile that has most of elements [begin, end) of a mapping in order. */
static unsigned reduce_tile_of(const GArray *mapping, uint64_t begin, uint64_t end)
{
    const tw_mapped_interval *m = (const tw_mapped_interval *)(const void *)mapping->data;
    guint low = 0, high = mapping->len;
    while (low < high) { /* the first that ends behind begin */
        guint middle = low + (high - low) / 2;
        if (m[middle].interval.end <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t most = 0;
    unsigned tile = 0;
    for (; low < mapping->len && m[low].interval.begin < end; low++) {
        uint64_t n = MIN(m[low].interval.end, end) - MAX(m[low].interval.begin, begin);
        if (n > most) most = n, tile = m[low].tile;
    }
    return tile;
}

/* Pieces on a tile that has more than four times its share go round. */
static void even_out(reduce_piece *pieces, size_t count, unsigned tiles)
{
    g_autofree size_t *load = g_new0(size_t, tiles);
    size_t share = 4 * (count / tiles + 1);
    for (size_t i = 0, next = 0; i < count; i++) {
        if (load[pieces[i].tile]++ < share) continue;
        while (load[next % tiles] >= share) next++;
        pieces[i].tile = (unsigned)(next++ % tiles);
        load[pieces[i].tile]++;
    }
}

static int piece_by_tile(const void *a, const void *b)
{
    const reduce_piece *x = a, *y = b;
    if (x->tile != y->tile) return x->tile < y->tile ? -1 : 1;
    if (x->result != y->result) return x->result < y->result ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool reduce_has_code(tw_graph *graph, const char *vertex, tw_reduce_op op, tw_type type,
                            tw__reduce_form form)
{
    if (!tw__libs_has_vertex(graph, vertex, NULL)) {
        g_autofree char *code = tw__reduce_code(op, type, form);
        tw_graph_add_codelets_source(graph, code, "c", vertex, NULL);
    }
    tw__libs_estimate(graph, vertex);
    return tw__libs_ready(graph);
}

/* One vertex for pieces of one tile. In rows each piece is a row; of columns there is one piece, whose rows are
 * elements of all its results. `out` is [results][chunks]. */
static void reduce_vertex(const reduction *r, tw_compute_set cs, const char *type, tw__reduce_form form,
                          tw_tensor view, tw_tensor out, size_t chunk, const reduce_piece *pieces, size_t count)
{
    tw_graph *g = r->graph;
    tw_graph_push_scope(g);
    tw_vertex v = tw_graph_add_vertex(g, cs, type, pieces->tile);
    bool columns = form == TW__REDUCE_COLUMNS;
    g_autofree tw_tensor *row = g_new(tw_tensor, count);
    g_autofree tw_tensor *result = g_new(tw_tensor, count);
    for (size_t i = 0; i < count; i++) {
        const reduce_piece *p = &pieces[i];
        size_t begin[] = { p->result, p->begin / chunk }, end[] = { p->result + p->width, p->begin / chunk + 1 };
        result[i] = tw_tensor_flatten(g, tw_tensor_slice_nd(g, out, begin, end));
        begin[!columns] = p->begin, end[!columns] = p->end;
        begin[columns] = p->result, end[columns] = p->result + p->width;
        row[i] = tw_tensor_slice_nd(g, view, begin, end);
        if (!columns) row[i] = tw_tensor_flatten(g, row[i]);
    }
    if (columns)
        tw_graph_connect(g, v, "in", row[0]);
    else
        tw_graph_connect_list(g, v, "in", count, row);
    tw_graph_connect(g, v, "out", tw_tensor_concat(g, (unsigned)count, result, 0));
    tw_graph_pop_scope(g);
}

/* --- one step ------------------------------------------------------------------------------------------------- */

/* How one step deals out a view [results][elements] in chunks: its pieces, tiles chosen. */
static GArray *reduce_pieces(const reduction *r, tw_tensor view, size_t elements, size_t chunk, bool columns)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(r->graph));
    GArray *pieces = g_array_new(FALSE, FALSE, sizeof(reduce_piece));
    size_t chunks = (elements + chunk - 1) / chunk, width = 1;
    if (columns) { /* as wide as the workers allow, whole blocks of 16 */
        size_t parts = MAX(1, 6 * (size_t)tiles / chunks);
        width = MAX(16, ((r->results + parts - 1) / parts + 15) / 16 * 16);
    }
    g_autoptr(GArray) mapping = tw__libs_mapping(r->graph, view);
    for (size_t result = 0; result < r->results; result += width)
        for (size_t begin = 0; begin < elements; begin += chunk) {
            reduce_piece p = { result, MIN(width, r->results - result), begin, MIN(begin + chunk, elements), 0 };
            uint64_t first = columns ? begin * r->results + result : result * elements + begin;
            p.tile = reduce_tile_of(mapping, first, first + (columns ? p.width : p.end - p.begin));
            g_array_append_val(pieces, p);
        }
    reduce_piece *list = (reduce_piece *)(void *)pieces->data;
    even_out(list, pieces->len, tiles);
    if (pieces->len) qsort(list, pieces->len, sizeof *list, piece_by_tile);
    return pieces;
}

/* The set of the next step, and its end. */
static tw_compute_set next_set(reduction *r, const char *name)
{
    if (r->sets && r->step < r->sets->len) return g_array_index(r->sets, tw_compute_set, r->step++);
    tw_compute_set made = tw_graph_add_compute_set(r->graph, tw__libs_path(r->name, name).text);
    if (r->sets) g_array_append_val(r->sets, made), r->step++;
    return made;
}

static void end_set(reduction *r, tw_compute_set cs)
{
    if (!r->sets) tw_program_sequence_add(r->graph, r->sequence, tw_program_execute(r->graph, cs));
}

/* A map as the next step; `output` nil: a new tensor like the first operand, of float. */
static tw_tensor reduce_map(reduction *r, const char *call, const char *text, unsigned count,
                            const tw_tensor *operands, tw_tensor output)
{
    tw_graph *g = r->graph;
    if (!r->sets) return tw__popops_map(g, call, text, count, operands, output, r->sequence, r->name, NULL);
    bool shared = false;
    for (unsigned i = 0; output.id && i < count; i++) shared |= tw_tensor_intersects(g, output, operands[i]);
    tw_tensor made = output;
    if (!output.id || shared) made = tw_popops_create_output(g, 1, operands, output.id ? r->to : TW_FLOAT, r->name);
    tw__popops_map_set(g, call, text, count, operands, made, next_set(r, "Map"));
    if (!shared) return made;
    tw__popops_map_set(g, call, "_1", 1, &made, output, next_set(r, "Copy"));
    return output;
}

/* The chunks of `view` to `out`, [results][chunks]; out is mapped to where the pieces are when it is not. */
static void reduce_step(reduction *r, tw_reduce_op op, tw_tensor view, size_t elements, size_t chunk,
                        tw__reduce_form form, tw_tensor out)
{
    tw_graph *g = r->graph;
    tw_type type = tw_tensor_type(g, view);
    g_autofree char *vertex = tw__reduce_vertex(op, type, form);
    if (!reduce_has_code(g, vertex, op, type, form)) return;
    bool columns = form == TW__REDUCE_COLUMNS, map = !tw_graph_mapping_complete(g, out);
    size_t chunks = (elements + chunk - 1) / chunk;
    g_autoptr(GArray) pieces = reduce_pieces(r, view, elements, chunk, columns);
    const reduce_piece *p = (const reduce_piece *)(const void *)pieces->data;
    unsigned workers = tw_target_worker_contexts(tw_graph_target(g));
    tw_compute_set cs = next_set(r, "Reduce");
    for (guint i = 0, end; i < pieces->len; i = end) {
        for (end = i; end < pieces->len && p[end].tile == p[i].tile;) end++;
        guint per = columns ? 1 : (end - i + workers - 1) / workers;
        for (guint k = i; map && k < end; k++)
            for (size_t w = 0; w < p[k].width; w++)
                tw_graph_map_range(g, out, (p[k].result + w) * chunks + p[k].begin / chunk, 1, p[k].tile);
        for (guint k = i; k < end; k += per)
            reduce_vertex(r, cs, vertex, form, view, out, chunk, p + k, MIN(per, end - k));
    }
    end_set(r, cs);
}

/* Everything joined to `out`, [results], of the type that sums are made in. */
static void reduce_tree(reduction *r, tw_tensor out)
{
    tw_graph *g = r->graph;
    tw_tensor view = r->view;
    size_t elements = r->elements, workers = 6 * (size_t)tw_target_tiles(tw_graph_target(g)), chunk = 64;
    while (chunk < elements && (elements + chunk - 1) / chunk * r->results > workers) chunk *= 2;
    tw__reduce_form form = r->across ? TW__REDUCE_COLUMNS : TW__REDUCE_ROWS;
    for (bool first = true; first || elements > 1; first = false, form = TW__REDUCE_JOIN, chunk = 64) {
        size_t chunks = (elements + chunk - 1) / chunk;
        tw_tensor to = tw_tensor_reshape(g, out, 2, (size_t[]){ r->results, 1 });
        if (chunks > 1)
            to = tw_graph_add_variable(g, r->accumulator, 2, (size_t[]){ r->results, chunks },
                                       tw__libs_path(r->name, "partials").text);
        reduce_step(r, r->params.op, view, elements, chunk, form, to);
        view = to, elements = chunks;
    }
}

/* --- the whole ------------------------------------------------------------------------------------------------ */

static void fill_identity(reduction *r, tw_tensor out)
{
    double v = tw__reduce_identity(r->params.op, r->to);
    tw_graph *g = r->graph;
    if (!tw_graph_mapping_complete(g, out)) tw_poputil_map_linearly(g, out);
    if (!r->sets) {
        tw_popops_fill(g, out, v, r->sequence, r->name);
        return;
    }
    tw_tensor value = tw_poputil_broadcast_to(g, tw__popops_number(g, r->to, v), 1, &r->results);
    tw__popops_map_set(g, "tw_popops_reduce", "_1", 1, &value, out, next_set(r, "Fill"));
}

/* log(sum exp x) = m + log(sum exp(x - m)), m the maximum, or 0 where it is not finite. */
static tw_tensor log_add(reduction *r)
{
    tw_graph *g = r->graph;
    tw_tensor most = tw_graph_add_variable(g, TW_FLOAT, 1, &r->results, tw__libs_path(r->name, "max").text);
    reduction part = *r;
    part.params.op = TW_REDUCE_MAX;
    reduce_tree(&part, most);
    r->step = part.step;
    tw_tensor base = reduce_map(r, "tw_popops_reduce", "select(_1, 0f, is_finite(_1))", 1, &most, TW__LIBS_NIL);
    tw_tensor column =
        tw_tensor_reshape(g, base, 2, r->across ? (size_t[]){ 1, r->results } : (size_t[]){ r->results, 1 });
    part.params.op = TW_REDUCE_ADD, part.from = TW_FLOAT;
    part.view =
        reduce_map(r, "tw_popops_reduce", r->from == TW_FLOAT ? "exp(_1 - _2)" : "exp(cast(_1, float) - _2)", 2,
                   (tw_tensor[]){ r->view, column }, TW__LIBS_NIL);
    part.step = r->step;
    tw_tensor sum = tw_graph_add_variable(g, TW_FLOAT, 1, &r->results, tw__libs_path(r->name, "sum").text);
    reduce_tree(&part, sum);
    r->step = part.step;
    return reduce_map(r, "tw_popops_reduce", "_1 + log(_2)", 2, (tw_tensor[]){ base, sum }, TW__LIBS_NIL);
}

/* What is left to do with the sums: scale, the old value, the type. The text of it in terms of sum, scale and
 * output. */
static void finish_text(const reduction *r, GString *text)
{
    bool logs = r->params.op == TW_REDUCE_LOG_ADD, scaled = r->params.scale.id;
    const char *old = r->to == TW_HALF ? "cast(_2, float)" : "_2";
    const char *scale = r->params.update ? "_3" : "_2";
    g_autoptr(GString) sum = g_string_new("_1");
    if (scaled) {
        g_autofree char *factor = r->accumulator == TW_FLOAT
                                      ? g_strdup_printf("%s", scale)
                                      : g_strdup_printf("cast(%s, %s)", scale, tw__expr_type_name(r->accumulator));
        g_string_append_printf(sum, logs ? " + %s" : " * %s", factor);
    }
    if (r->params.update && logs)
        g_string_printf(text, "max(%s, %s) + log1p(exp(min(%s, %s) - max(%s, %s)))", sum->str, old, sum->str, old,
                        sum->str, old);
    else if (r->params.update)
        g_string_printf(text, "%s + %s", old, sum->str);
    else
        g_string_assign(text, sum->str);
    if (r->to == r->accumulator) return;
    g_string_prepend(text, "cast(");
    g_string_append_printf(text, ", %s)", tw__expr_type_name(r->to));
}

static void reduce_build(reduction *r, const char *call, tw_tensor out)
{
    tw_graph *g = r->graph;
    tw_tensor flat = tw_tensor_flatten(g, out);
    bool plain = r->params.op != TW_REDUCE_LOG_ADD && !r->params.update && !r->params.scale.id;
    if (!r->results) return;
    if (!r->elements && !r->params.update) {
        fill_identity(r, flat);
        return;
    }
    if (!r->elements) return; /* + 0 */
    if (r->elements == 1 && plain && r->params.op != TW_REDUCE_SQUARE_ADD && r->to == r->from) {
        if (!tw_graph_mapping_complete(g, flat)) tw_poputil_map_linearly(g, flat);
        tw_tensor from = tw_tensor_flatten(g, r->view);
        if (r->sets && !r->sequence.id) /* nothing but the caller's sets */
            reduce_map(r, call, "_1", 1, &from, flat);
        else
            tw_program_sequence_add(g, r->sequence, tw_program_copy(g, from, flat));
        return;
    }
    if (plain && r->to == r->accumulator && !tw_tensor_intersects(g, flat, r->given)) {
        reduce_tree(r, flat);
        return;
    }
    tw_tensor sum = TW__LIBS_NIL;
    if (r->params.op == TW_REDUCE_LOG_ADD) {
        sum = log_add(r);
    } else {
        sum = tw_graph_add_variable(g, r->accumulator, 1, &r->results, tw__libs_path(r->name, "sum").text);
        reduce_tree(r, sum);
    }
    if (!tw_graph_mapping_complete(g, flat)) tw_poputil_map_linearly(g, flat);
    g_autoptr(GString) text = g_string_new(NULL);
    finish_text(r, text);
    tw_tensor operand[3] = { sum, flat, r->params.scale };
    unsigned count = 1;
    if (r->params.update) count++;
    if (r->params.scale.id) operand[count++] = r->params.scale;
    reduce_map(r, call, text->str, count, operand, flat);
}

/* The tensor as a matrix of results and elements; with `across` elements first. */
static tw_tensor reduce_view(const reduction *r, tw_tensor tensor, const unsigned *order, bool across)
{
    tw__extents own = tw__libs_shape(r->graph, tensor);
    unsigned turned[TW__LIBS_RANK], kept = r->kept.rank;
    size_t shape[2] = { 1, 1 };
    for (unsigned d = 0; d < own.rank; d++) {
        shape[(d >= kept) != across] *= own.dim[order[d]];
        turned[across ? (d + own.rank - kept) % own.rank : d] = order[d];
    }
    return tw_tensor_reshape(r->graph, tw_tensor_dim_shuffle(r->graph, tensor, turned), 2, shape);
}

/* Neighbours in storage along the results rather than along the elements? A corner tells: the form of vertices is a
 * matter of speed. */
static bool runs_across(const reduction *r, tw_tensor tensor, const unsigned *order)
{
    tw__extents own = tw__libs_shape(r->graph, tensor);
    size_t begin[TW__LIBS_RANK] = { 0 };
    if (r->results <= 1 || !r->elements) return false;
    for (unsigned d = 0; d < own.rank; d++) own.dim[d] = MIN(own.dim[d], 8);
    tw_tensor corner = tw_tensor_slice_nd(r->graph, tensor, begin, own.dim);
    return tw_poputil_innermost_grouping(r->graph, reduce_view(r, corner, order, true)) >
           tw_poputil_innermost_grouping(r->graph, reduce_view(r, corner, order, false));
}

static tw_tensor reduce_call(reduction *r, const char *call, tw_tensor tensor, tw_tensor out, const unsigned *order)
{
    tw_graph *g = r->graph;
    tw_graph_push_scope(g);
    r->given = tensor;
    r->across = runs_across(r, tensor, order);
    r->view = reduce_view(r, tensor, order, r->across);
    bool fresh = !out.id;
    if (fresh) out = tw_graph_add_variable(g, r->to, r->kept.rank, r->kept.dim, r->name);
    reduce_build(r, call, out);
    if (fresh) out = tw_tensor_keep(g, out);
    tw_graph_pop_scope(g);
    return out;
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

/* Checks one reduction and its output, nil for a new one. */
static bool reduce_prepare(reduction *r, const char *call, const tw_reduce_one *one, tw_tensor output,
                           const char *const *options, unsigned *order)
{
    tw_graph *g = r->graph;
    if (!tw__libs_ready(g)) return false;
    tw_type type = output.id ? tw_tensor_type(g, output) : one->type;
    if (!tw__libs_ready(g) ||
        !reduce_check(r, call, one->tensor, type, one->count, one->dims, one->params, options, order))
        return false;
    if (!output.id && r->params.update) {
        tw_graph_fail(g, TW_E_POPLIBS, call, "an update needs an output");
        return false;
    }
    if (!output.id) return true;
    tw__extents own = tw__libs_shape(g, output);
    if (own.rank != r->kept.rank || memcmp(own.dim, r->kept.dim, own.rank * sizeof *own.dim) ||
        !tw_tensor_is_parallel_writeable(g, output)) {
        tw_graph_fail(g, TW_E_POPLIBS, call, "%s reduced is %s, each element once, not %s",
                      tw__libs_describe(g, one->tensor).text, tw__libs_shape_text(r->kept.rank, r->kept.dim).text,
                      tw__libs_describe(g, output).text);
        return false;
    }
    return true;
}

tw_tensor tw_popops_reduce(tw_graph *graph, tw_tensor tensor, tw_type type, unsigned count, const size_t *dims,
                           const tw_reduce_params *params, tw_program sequence, const char *name,
                           const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    reduction r = { .graph = graph, .sequence = sequence, .name = name };
    const tw_reduce_one one = { tensor, type, count, dims, params };
    unsigned order[TW__LIBS_RANK];
    if (!reduce_prepare(&r, __func__, &one, TW__LIBS_NIL, options, order)) return TW__LIBS_NIL;
    return reduce_call(&r, __func__, tensor, TW__LIBS_NIL, order);
}

void tw_popops_reduce_with_output(tw_graph *graph, tw_tensor tensor, tw_tensor output, unsigned count,
                                  const size_t *dims, const tw_reduce_params *params, tw_program sequence,
                                  const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    reduction r = { .graph = graph, .sequence = sequence, .name = name };
    const tw_reduce_one one = { tensor, TW_TYPE_NONE, count, dims, params };
    unsigned order[TW__LIBS_RANK];
    if (!tw__libs_ready(graph)) return;
    tw_tensor_type(graph, output); /* which is there */
    if (reduce_prepare(&r, __func__, &one, output, options, order))
        reduce_call(&r, __func__, tensor, output, order);
}

/* Trivial ones are copies, before the sums of all others: what one writes must be no other one's. */
static bool are_apart(tw_graph *graph, const char *call, size_t count, const tw_reduce_one *reductions,
                      const tw_tensor *outputs)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count && outputs[i].id; j++) {
            bool reads = i != j && tw_tensor_intersects(graph, outputs[i], reductions[j].tensor);
            if (!reads && (i >= j || !outputs[j].id || !tw_tensor_intersects(graph, outputs[i], outputs[j])))
                continue;
            tw_graph_fail(graph, TW_E_POPLIBS, call, "output %zu, %s, shares elements with %s of reduction %zu, %s",
                          i, tw__libs_describe(graph, outputs[i]).text, reads ? "the tensor" : "the output", j,
                          tw__libs_describe(graph, reads ? reductions[j].tensor : outputs[j]).text);
            return false;
        }
    return true;
}

/* All are checked before the first is built. */
static bool reduce_all(tw_graph *graph, const char *call, size_t count, const tw_reduce_one *reductions,
                       tw_tensor *outputs, GArray *sets, tw_program copies, const char *name,
                       const char *const *options)
{
    if (!tw__libs_list(graph, call, "reductions", count, reductions) ||
        !tw__libs_list(graph, call, "outputs", count, outputs))
        return false;
    g_autofree reduction *r = g_new0(reduction, count);
    g_autofree unsigned *order = g_new(unsigned, count *TW__LIBS_RANK);
    for (size_t i = 0; i < count; i++) {
        r[i] = (reduction){ .graph = graph, .name = name, .sets = sets, .sequence = copies };
        if (!reduce_prepare(&r[i], call, &reductions[i], outputs[i], options, &order[i * TW__LIBS_RANK]))
            return false;
    }
    if (copies.id && !are_apart(graph, call, count, reductions, outputs)) return false;
    for (size_t i = 0; i < count; i++)
        outputs[i] = reduce_call(&r[i], call, reductions[i].tensor, outputs[i], &order[i * TW__LIBS_RANK]);
    return tw__libs_ready(graph);
}

void tw_popops_reduce_many(tw_graph *graph, size_t count, const tw_reduce_one *reductions, tw_tensor *outputs,
                           tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    g_autoptr(GArray) sets = g_array_new(FALSE, FALSE, sizeof(tw_compute_set));
    if (!reduce_all(graph, __func__, count, reductions, outputs, sets, sequence, name, options)) return;
    for (guint i = 0; i < sets->len; i++)
        tw_program_sequence_add(graph, sequence, tw_program_execute(graph, g_array_index(sets, tw_compute_set, i)));
}

size_t tw_popops_reduce_sets(tw_graph *graph, size_t count, const tw_reduce_one *reductions, tw_tensor *outputs,
                             size_t sets, tw_compute_set *set, size_t room, const char *name,
                             const char *const *options)
{
    if (!tw__libs_ready(graph)) return sets;
    if (!tw__libs_list(graph, __func__, "compute sets", room, set)) return sets;
    if (sets > room || room - sets < TW_REDUCE_SETS) {
        TW__LIBS_REFUSE(graph, "there is room for %zu compute sets: %zu are there, and as many as %d come", room,
                        sets, TW_REDUCE_SETS);
        return sets;
    }
    for (size_t i = 0; i < sets; i++)
        if (!tw__libs_takes_set(graph, __func__, set[i])) return sets;
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(tw_compute_set));
    if (sets) g_array_append_vals(list, set, (guint)sets);
    reduce_all(graph, __func__, count, reductions, outputs, list, (tw_program){ 0 }, name, options);
    for (size_t i = sets; i < list->len && i < room; i++) set[i] = g_array_index(list, tw_compute_set, (guint)i);
    return MIN(list->len, room);
}
