/* SPDX-License-Identifier: MIT */
/* Triangular systems and Cholesky's factors, by blocks of rows: vertices solve or factor a block, matrix products do
 * the rest. All is done for lower triangles on the left, in floats; others are views of these. */
#include "poplar/libs/poplin/codes.h"
#include "poplar/libs/poplin/plan.h"

#include <tilewright/poplibs/solve.h>

#include <stdlib.h>
#include <string.h>

const tw__libs_code tw__solve_codes[TW__SOLVE_CODES] = {
    /* l x = b, in place of b: each worker has columns of its own */
    [TW__SOLVE_SUBSTITUTE] = { "poplin::Substitute", "f",
                               "TW_MULTIVERTEX_AS(%ID%, \"%NAME%\")\n{\n"
                               "    TW_INPUT(TW_VECTOR(%T%)) l; /* [n][n] */\n"
                               "    TW_INOUT(TW_VECTOR(%T%)) x; /* [n][columns] */\n"
                               "    unsigned n, columns;\n    bool unit;\n};\n"
                               "bool %ID%_compute(%ID% *v, unsigned worker)\n{\n"
                               "    size_t n = v->n, columns = v->columns, workers = tw_num_workers();\n"
                               "    size_t begin = columns * worker / workers, end = columns * (worker + 1) / "
                               "workers;\n"
                               "    const %T% *l = tw_begin(v->l);\n"
                               "    %T% *x = tw_begin(v->x);\n"
                               "    for (size_t i = 0; i < n; i++) {\n"
                               "        for (size_t k = 0; k < i; k++)\n"
                               "            for (size_t c = begin; c < end; c++)\n"
                               "                x[i * columns + c] -= l[i * n + k] * x[k * columns + c];\n"
                               "        for (size_t c = begin; c < end && !v->unit; c++)\n"
                               "            x[i * columns + c] /= l[i * n + i];\n"
                               "    }\n    return true;\n}\n" },
    /* a = l l', in place of a */
    [TW__SOLVE_FACTOR] = { "poplin::Factor", "f",
                           "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
                           "    TW_INOUT(TW_VECTOR(%T%)) a; /* [n][n] */\n    unsigned n;\n};\n"
                           "bool %ID%_compute(%ID% *v)\n{\n"
                           "    size_t n = v->n;\n"
                           "    %T% *a = tw_begin(v->a);\n"
                           "    for (size_t k = 0; k < n; k++) {\n"
                           "        for (size_t j = 0; j < k; j++)\n"
                           "            for (size_t i = k; i < n; i++) a[i * n + k] -= a[i * n + j] * a[k * n + "
                           "j];\n"
                           "        %T% root = __builtin_sqrtf(a[k * n + k]);\n"
                           "        a[k * n + k] = root;\n"
                           "        for (size_t i = k + 1; i < n; i++) a[i * n + k] /= root, a[k * n + i] = 0;\n"
                           "    }\n    return true;\n}\n" },
};

/* A call that has been checked. */
typedef struct solver {
    tw_graph *graph;
    const char *call;
    tw_type type;
    size_t batches, n, columns, block;
    bool unit;
    tw_program sequence;
    const char *name;
    const char *products[16]; /* options of matrix products */
    const char *vertex[TW__SOLVE_CODES];
} solver;

/* --- checks --------------------------------------------------------------------------------------------------- */

static bool solver_block(solver *s, const char *value)
{
    char *end;
    unsigned long block = strtoul(value, &end, 10);
    if (g_ascii_isdigit(*value) && !*end && block && block < UINT32_MAX) {
        s->block = block;
        return true;
    }
    tw_graph_fail(s->graph, TW_E_INVALID_OPTION, s->call,
                  "option 'blockSize' cannot be '%s'; it can be: numbers from 1 on", value);
    return false;
}

/* Sorts options into this file's and those of products, and checks both. */
static bool solver_options(solver *s, const char *const *options)
{
    tw__matmul_options ignored;
    size_t count = 0;
    s->block = 64;
    for (; options && *options; options++) {
        if (g_str_has_prefix(*options, "blockSize=")) {
            if (!solver_block(s, *options + strlen("blockSize="))) return false;
        } else if (count + 1 < G_N_ELEMENTS(s->products)) {
            s->products[count++] = *options;
        }
    }
    return tw__matmul_read_options(s->graph, s->call, s->products, &ignored);
}

static bool solver_check_square(solver *s, const tw__extents *shape, const char *what)
{
    unsigned rank = shape->rank;
    if (rank >= 2 && shape->dim[rank - 1] == shape->dim[rank - 2] && shape->dim[rank - 1] <= UINT32_MAX) {
        s->n = shape->dim[rank - 1], s->batches = 1;
        for (unsigned d = 0; d + 2 < rank; d++) s->batches *= shape->dim[d];
        return true;
    }
    tw_graph_fail(s->graph, TW_E_POPLIBS, s->call, "%s is no square matrix (or batch of them)", what);
    return false;
}

static bool solver_check(solver *s, tw_graph *graph, const char *call, tw_tensor a, tw_program sequence,
                         const char *name, const char *const *options)
{
    *s = (solver){ .graph = graph, .call = call, .sequence = sequence, .name = name };
    if (!tw__real_check(graph, call, a, 2) || !solver_options(s, options)) return false;
    tw__extents shape = tw__libs_shape(graph, a);
    s->type = tw_tensor_type(graph, a);
    return solver_check_square(s, &shape, tw__libs_describe(graph, a).text);
}

static bool solver_check_sides(solver *s, tw_tensor a, tw_tensor b, bool left)
{
    tw_graph *g = s->graph;
    if (!tw__real_check(g, s->call, b, 2)) return false;
    tw__extents x = tw__libs_shape(g, a), y = tw__libs_shape(g, b);
    unsigned rank = x.rank;
    bool fits = rank == y.rank && !memcmp(x.dim, y.dim, (rank - 2) * sizeof *x.dim) &&
                y.dim[rank - (left ? 2 : 1)] == s->n && tw_tensor_type(g, b) == s->type;
    s->columns = y.dim[rank - (left ? 1 : 2)];
    if (!fits)
        tw_graph_fail(g, TW_E_POPLIBS, s->call, left ? "%s times x cannot be %s" : "x times %s cannot be %s",
                      tw__libs_describe(g, a).text, tw__libs_describe(g, b).text);
    return fits;
}

/* --- views and blocks ----------------------------------------------------------------------------------------- */

static tw_tensor solver_transpose(const solver *s, tw_tensor t)
{
    return tw_tensor_dim_shuffle(s->graph, t, (unsigned[]){ 0, 2, 1 });
}

/* [batches][rows][columns] of floats. */
static tw_tensor solver_floats(const solver *s, tw_tensor t, size_t rows, size_t columns)
{
    tw_tensor flat = tw_tensor_reshape(s->graph, t, 3, (size_t[]){ s->batches, rows, columns });
    if (s->type == TW_FLOAT) return flat;
    return tw_popops_cast(s->graph, flat, TW_FLOAT, s->sequence, s->name);
}

/* Rows and columns from the last to the first. */
static tw_tensor solver_reverse(const solver *s, tw_tensor t, bool columns)
{
    t = tw_tensor_reverse(s->graph, t, 1);
    return columns ? tw_tensor_reverse(s->graph, t, 2) : t;
}

static tw_tensor solver_part(const solver *s, tw_tensor t, size_t row, size_t rows_end, size_t column,
                             size_t columns_end)
{
    size_t begin[] = { 0, row, column }, end[] = { s->batches, rows_end, columns_end };
    return tw_tensor_slice_nd(s->graph, t, begin, end);
}

static tw_tensor solver_concat(const solver *s, tw_tensor a, tw_tensor b, unsigned dim)
{
    return tw_tensor_concat(s->graph, 2, (tw_tensor[]){ a, b }, dim);
}

/* [batches][rows][columns] of floats, in sets of columns that are one run each, dealt out to tiles; *width is that of
 * a set. */
static tw_tensor solver_columns(const solver *s, size_t rows, size_t columns, size_t *width)
{
    tw_graph *g = s->graph;
    size_t tiles = tw_target_tiles(tw_graph_target(g)), most = MAX(1, tiles / s->batches);
    *width = MAX(4, (columns + most - 1) / most);
    size_t sets = (columns + *width - 1) / *width, shape[] = { s->batches, rows, columns };
    *width = sets ? (columns + sets - 1) / sets : 1; /* as the partition has it */
    tw_tensor t =
        tw_poputil_create_partitionable(g, TW_FLOAT, 3, shape, (size_t[]){ s->batches, 1, sets }, s->name);
    for (size_t b = 0, tile = 0; b < s->batches; b++)
        for (size_t c = 0; c < columns; c += *width, tile++) {
            size_t begin[] = { b, 0, c }, end[] = { b + 1, rows, MIN(c + *width, columns) };
            tw_graph_map(g, tw_tensor_slice_nd(g, t, begin, end), (unsigned)(tile % tiles));
        }
    return t;
}

static void solver_step(const solver *s, tw_compute_set cs)
{
    tw_program_sequence_add(s->graph, s->sequence, tw_program_execute(s->graph, cs));
}

/* x := l^-1 x, for l [batches][n][n] and x from solver_columns(). */
static void solver_substitute(const solver *s, tw_tensor l, tw_tensor x, size_t width)
{
    tw_graph *g = s->graph;
    size_t n = tw_tensor_dim(g, l, 1), columns = tw_tensor_dim(g, x, 2);
    unsigned tiles = tw_target_tiles(tw_graph_target(g)), tile = 0;
    tw_compute_set cs = tw_graph_add_compute_set(g, tw__libs_path(s->name, "Substitute").text);
    for (size_t b = 0; b < s->batches; b++)
        for (size_t c = 0; c < columns; c += width, tile++) {
            tw_graph_push_scope(g);
            size_t end = MIN(c + width, columns), from[] = { b, 0, c }, to[] = { b + 1, n, end };
            tw_vertex v = tw_graph_add_vertex(g, cs, s->vertex[TW__SOLVE_SUBSTITUTE], tile % tiles);
            tw_graph_connect(g, v, "l", tw_tensor_flatten(g, tw_tensor_index(g, l, b)));
            tw_graph_connect(g, v, "x", tw_tensor_flatten(g, tw_tensor_slice_nd(g, x, from, to)));
            tw_graph_set_field_int(g, v, "n", (int64_t)n);
            tw_graph_set_field_int(g, v, "columns", (int64_t)(end - c));
            tw_graph_set_field_int(g, v, "unit", s->unit);
            tw_graph_pop_scope(g);
        }
    solver_step(s, cs);
}

/* to := from - a b, or from where there is nothing to multiply. */
static void solver_less_product(const solver *s, tw_tensor from, tw_tensor a, tw_tensor b, tw_tensor to)
{
    tw_graph *g = s->graph;
    if (!tw_tensor_dim(g, a, 2)) {
        tw_program_sequence_add(g, s->sequence, tw_program_copy(g, from, to));
        return;
    }
    tw_tensor both[] = { from, tw_poplin_matmul(g, a, b, TW_FLOAT, s->sequence, s->name, s->products) };
    tw__popops_map(g, s->call, "_1 - _2", 2, both, to, s->sequence, s->name, NULL);
}

/* x of l x = b, block after block of rows. */
static tw_tensor solver_forward(const solver *s, tw_tensor l, tw_tensor b)
{
    tw_graph *g = s->graph;
    size_t n = tw_tensor_dim(g, l, 1), columns = tw_tensor_dim(g, b, 2), width;
    tw_tensor done = solver_part(s, b, 0, 0, 0, columns);
    for (size_t row = 0; row < n; row += s->block) {
        size_t end = MIN(row + s->block, n);
        tw_tensor x = solver_columns(s, end - row, columns, &width);
        solver_less_product(s, solver_part(s, b, row, end, 0, columns), solver_part(s, l, row, end, 0, row), done,
                            x);
        solver_substitute(s, solver_part(s, l, row, end, row, end), x, width);
        done = row ? solver_concat(s, done, x, 1) : x;
    }
    return done;
}

/* a := the lower factor of a, one vertex for each matrix [n][n]. */
static void solver_factor(const solver *s, tw_tensor a)
{
    tw_graph *g = s->graph;
    unsigned tiles = tw_target_tiles(tw_graph_target(g));
    tw_compute_set cs = tw_graph_add_compute_set(g, tw__libs_path(s->name, "Factor").text);
    for (size_t b = 0; b < s->batches; b++) {
        tw_tensor own = tw_tensor_flatten(g, tw_tensor_index(g, a, b));
        tw_vertex v = tw_graph_add_vertex(g, cs, s->vertex[TW__SOLVE_FACTOR], (unsigned)(b % tiles));
        tw_graph_map(g, own, (unsigned)(b % tiles));
        tw_graph_connect(g, v, "a", own);
        tw_graph_set_field_int(g, v, "n", (int64_t)tw_tensor_dim(g, a, 1));
    }
    solver_step(s, cs);
}

/* The lower factor of a, block after block of columns: what is on the left of a block is taken from it, its square is
 * factored, and what is below solved with that. */
static tw_tensor solver_cholesky(const solver *s, tw_tensor a)
{
    tw_graph *g = s->graph;
    size_t n = s->n, width;
    tw_tensor zeros = tw_graph_add_constant_double(g, TW_FLOAT, 3, (size_t[]){ s->batches, n, n }, 0, NULL);
    tw_poputil_map_linearly(g, zeros);
    tw_tensor done = solver_part(s, a, 0, n, 0, 0);
    for (size_t at = 0; at < n; at += s->block) {
        size_t end = MIN(at + s->block, n), shape[] = { s->batches, end - at, end - at };
        tw_tensor across = solver_transpose(s, solver_part(s, done, at, end, 0, at));
        tw_tensor square = tw_graph_add_variable(g, TW_FLOAT, 3, shape, s->name);
        tw_poputil_map_linearly(g, square);
        solver_less_product(s, solver_part(s, a, at, end, at, end), solver_part(s, done, at, end, 0, at), across,
                            square);
        solver_factor(s, square);
        tw_tensor column = solver_concat(s, solver_part(s, zeros, 0, at, 0, end - at), square, 1);
        if (end < n) {
            tw_tensor below = solver_columns(s, end - at, n - end, &width);
            solver_less_product(s, solver_part(s, a, end, n, at, end), solver_part(s, done, end, n, 0, at), across,
                                solver_transpose(s, below));
            solver_substitute(s, square, below, width);
            column = solver_concat(s, column, solver_transpose(s, below), 1);
        }
        done = solver_concat(s, done, column, 2);
    }
    return done;
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

/* Before anything is built: vertices of this file. */
static bool solver_ready(solver *s)
{
    for (int i = 0; i < TW__SOLVE_CODES && tw__libs_ready(s->graph); i++)
        s->vertex[i] = tw__libs_code_vertex(s->graph, &tw__solve_codes[i], TW_FLOAT);
    return tw__libs_ready(s->graph);
}

/* A tensor of the call's type with the shape of `like` from floats [batches][...][...]. */
static tw_tensor solver_result(const solver *s, tw_tensor made, tw_tensor like)
{
    tw_graph *g = s->graph;
    tw__extents shape = tw__libs_shape(g, like);
    tw_tensor t = tw_graph_add_variable(g, s->type, shape.rank, shape.dim, s->name);
    tw_poputil_map_linearly(g, t);
    made = tw_tensor_reshape(g, made, shape.rank, shape.dim);
    if (s->type == TW_FLOAT)
        tw_program_sequence_add(g, s->sequence, tw_program_copy(g, made, t));
    else
        tw_popops_cast_to(g, made, t, s->sequence, s->name);
    return t;
}

tw_tensor tw_poplin_create_solver_input(tw_graph *graph, tw_type type, unsigned rank, const size_t *shape,
                                        const char *name, const char *const *options)
{
    solver s = { .graph = graph, .call = __func__ };
    if (!tw__libs_ready(graph) || !solver_options(&s, options) ||
        !tw__libs_list(graph, __func__, "shape", rank, shape))
        return TW__LIBS_NIL;
    if (rank < 2 || rank > TW__LIBS_RANK || (type != TW_FLOAT && type != TW_HALF)) {
        TW__LIBS_REFUSE(graph, "%s%s is no matrix of float or half", tw__expr_type_name(type),
                        tw__libs_shape_text(rank, shape).text);
        return TW__LIBS_NIL;
    }
    tw_tensor t = tw_graph_add_variable(graph, type, rank, shape, name);
    tw_poputil_map_linearly(graph, t);
    return t;
}

tw_tensor tw_poplin_triangular_solve(tw_graph *graph, tw_tensor a, tw_tensor b, bool left, bool lower, bool unit,
                                     tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    solver s;
    if (!solver_check(&s, graph, __func__, a, sequence, name, options) || !solver_check_sides(&s, a, b, left) ||
        !solver_ready(&s))
        return TW__LIBS_NIL;
    s.unit = unit;
    tw_graph_push_scope(graph);
    tw_tensor made = b;
    if (s.batches && s.n && s.columns) {
        tw_tensor l = solver_floats(&s, a, s.n, s.n);
        tw_tensor x = solver_floats(&s, b, left ? s.n : s.columns, left ? s.columns : s.n);
        if (!left) l = solver_transpose(&s, l), x = solver_transpose(&s, x), lower = !lower;
        if (!lower) l = solver_reverse(&s, l, true), x = solver_reverse(&s, x, false);
        made = solver_forward(&s, l, x);
        if (!lower) made = solver_reverse(&s, made, false);
        if (!left) made = solver_transpose(&s, made);
    }
    made = tw_tensor_keep(graph, solver_result(&s, made, b));
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_poplin_triangular_mask(tw_graph *graph, tw_tensor a, bool lower, bool unit, tw_program sequence,
                                    const char *name)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    solver s;
    if (!solver_check(&s, graph, __func__, a, sequence, name, NULL)) return TW__LIBS_NIL;
    g_autofree int32_t *numbers = g_new(int32_t, s.n + 1);
    for (size_t i = 0; i < s.n; i++) numbers[i] = (int32_t)i;
    tw_graph_push_scope(graph);
    tw_tensor column = tw_graph_add_constant(graph, TW_INT, 1, &s.n, numbers, false, "index");
    tw_poputil_map_linearly(graph, column);
    tw_tensor three[] = { a, tw_tensor_expand(graph, column, 1, (size_t[]){ 1 }), column };
    const char *text =
        unit ? lower ? "select(1, select($1, 0, _2 > _3), _2 == _3)" : "select(1, select($1, 0, _2 < _3), _2 == _3)"
        : lower ? "select($1, 0, _2 >= _3)"
                : "select($1, 0, _2 <= _3)";
    tw_tensor made = tw__real_map(graph, __func__, text, s.type, 3, three, TW__LIBS_NIL, sequence, name);
    if (made.id) made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

static tw_tensor solver_factored(solver *s, tw_tensor a, bool lower)
{
    if (!s->batches || !s->n) return a;
    tw_tensor l = solver_floats(s, a, s->n, s->n);
    l = solver_cholesky(s, lower ? l : solver_transpose(s, l));
    return lower ? l : solver_transpose(s, l);
}

tw_tensor tw_poplin_cholesky(tw_graph *graph, tw_tensor a, bool lower, tw_program sequence, const char *name,
                             const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    solver s;
    if (!solver_check(&s, graph, __func__, a, sequence, name, options) || !solver_ready(&s)) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor made = tw_tensor_keep(graph, solver_result(&s, solver_factored(&s, a, lower), a));
    tw_graph_pop_scope(graph);
    return made;
}

void tw_poplin_cholesky_in_place(tw_graph *graph, tw_tensor a, bool lower, tw_program sequence, const char *name,
                                 const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    solver s;
    if (!solver_check(&s, graph, __func__, a, sequence, name, options) || !tw__libs_writeable(graph, __func__, a) ||
        !tw__popops_each_once(graph, __func__, a) || !solver_ready(&s))
        return;
    tw_graph_push_scope(graph);
    tw_tensor made = solver_result(&s, solver_factored(&s, a, lower), a);
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, made, a));
    tw_graph_pop_scope(graph);
}
