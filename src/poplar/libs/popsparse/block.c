/* SPDX-License-Identifier: MIT */
/* Products with blocks that are known. All blocks of a column are one matrix product with the columns of the dense
 * matrix that they meet; each block of a sparse result is one of a row strip and a column strip. */
#include "poplar/libs/popsparse/block.h"

#include "poplar/libs/poplin/plan.h"

#include <string.h>

/* --- matrices ------------------------------------------------------------------------------------------------- */

static const char *block_problem(const tw_block_sparse *m)
{
    if (!m) return "there is none";
    if (!m->rows || !m->columns || !m->block_rows || !m->block_columns) return "an extent is 0";
    if (m->rows % m->block_rows || m->columns % m->block_columns) return "it has no whole number of blocks";
    if (m->rows > UINT32_MAX / m->columns || m->groups > UINT32_MAX / m->rows / m->columns)
        return "it has too many elements";
    return m->mask ? NULL : "it has no mask";
}

bool tw__blocks_check(tw__blocks *b, tw_graph *graph, const char *call, const tw_block_sparse *matrix)
{
    *b = (tw__blocks){ .graph = graph, .call = call };
    if (!tw__libs_ready(graph)) return false;
    const char *problem = block_problem(matrix);
    if (problem) {
        tw_block_sparse none = { 0 }, m = matrix ? *matrix : none;
        tw_graph_fail(graph, TW_E_POPLIBS, call, "a matrix %zu x %zu of blocks %zu x %zu: %s", m.rows, m.columns,
                      m.block_rows, m.block_columns, problem);
        return false;
    }
    b->m = *matrix;
    b->m.groups = MAX(matrix->groups, 1);
    b->grid_rows = matrix->rows / matrix->block_rows, b->grid_columns = matrix->columns / matrix->block_columns;
    b->area = matrix->block_rows * matrix->block_columns;
    size_t all = b->m.groups * b->grid_rows * b->grid_columns;
    b->number = g_new(size_t, all);
    for (size_t i = 0; i < all; i++) b->number[i] = matrix->mask[i] ? b->count++ : SIZE_MAX;
    return true;
}

bool tw__blocks_triangle(const tw__blocks *b, tw_sparse_triangle triangle)
{
    if ((unsigned)triangle <= TW_SPARSE_ZERO_LOWER) return true;
    tw_graph_fail(b->graph, TW_E_POPLIBS, b->call, "there is no triangle %u", (unsigned)triangle);
    return false;
}

void tw__blocks_free(tw__blocks *b)
{
    g_free(b->number);
}

static bool block_type(const tw__blocks *b, tw_type type)
{
    if (type == TW_FLOAT || type == TW_HALF) return true;
    tw_graph_fail(b->graph, TW_E_POPLIBS, b->call, "blocks of %s; they are of float or half",
                  tw_type_name(type, TW_SYSTEM_POPLAR));
    return false;
}

static bool block_wants(const tw__blocks *b, const char *what, tw_tensor t, size_t rows, size_t columns)
{
    tw_graph *g = b->graph;
    tw__extents own = tw__libs_shape(g, t);
    tw_type type = tw_tensor_type(g, t);
    if (!tw__libs_ready(g) || !block_type(b, type)) return false;
    if (own.rank == 2 && own.dim[0] == rows && own.dim[1] == columns && tw_graph_mapping_complete(g, t))
        return true;
    tw_graph_fail(g, TW_E_POPLIBS, b->call, "%s: [%zu, %zu] on tiles, not %s", what, rows, columns,
                  tw__libs_describe(g, t).text);
    return false;
}

bool tw__blocks_tensor(const tw__blocks *b, tw_tensor tensor)
{
    return block_wants(b, "blocks", tensor, b->count, b->area);
}

tw_tensor tw_popsparse_create_blocks(tw_graph *graph, tw_type type, const tw_block_sparse *matrix, const char *name)
{
    tw__blocks b;
    tw_tensor made = TW__LIBS_NIL;
    if (tw__blocks_check(&b, graph, __func__, matrix) && block_type(&b, type)) {
        made = tw_graph_add_variable(graph, type, 2, (size_t[]){ b.count, b.area }, name);
        tw_poputil_map_linearly_with(graph, made, (unsigned)b.area, (unsigned)b.area, 0);
    }
    tw__blocks_free(&b);
    return made;
}

/* --- products ------------------------------------------------------------------------------------------------- */

typedef struct block_product {
    tw__blocks b;
    tw_type own, type;
    tw_program sequence;
    const char *name, *vertex;
    tw_compute_set cs;
} block_product;

/* Options, types and the vertex. */
static bool product_begin(block_product *p, tw_tensor a, tw_tensor b, tw_type type, const char *const *options)
{
    typedef struct block_options {
        double ignored;
    } block_options;
    static const tw__libs_option table[] = {
        { "numberOfPass", TW__LIBS_FRACTION, offsetof(block_options, ignored), NULL },
        { "memoryCycleRatio", TW__LIBS_FRACTION, offsetof(block_options, ignored), NULL },
        { "partitionMethod", TW__LIBS_WORD, 0, "block block-naive strip" },
        { "availableMemoryProportion", TW__LIBS_FRACTION, offsetof(block_options, ignored), NULL },
        { "numBands", TW__LIBS_FRACTION, offsetof(block_options, ignored), NULL },
        { "nSplit", TW__LIBS_FRACTION, offsetof(block_options, ignored), NULL },
        { "verboseLogging", TW__LIBS_WORD, 0, "true false" },
        { "enablePreprocessing", TW__LIBS_WORD, 0, "true false" },
    };
    tw_graph *g = p->b.graph;
    block_options ignored;
    if (!tw__libs_options(g, p->b.call, options, table, G_N_ELEMENTS(table), &ignored)) return false;
    p->own = tw_tensor_type(g, a);
    p->type = type == TW_TYPE_NONE ? p->own : type;
    if (p->own != tw_tensor_type(g, b)) {
        tw_graph_fail(g, TW_E_POPLIBS, p->b.call, "%s times %s", tw__libs_describe(g, a).text,
                      tw__libs_describe(g, b).text);
        return false;
    }
    return block_type(&p->b, p->type) && (p->vertex = tw__matmul_vertex(g, p->own));
}

/* [m][k] times [k][n]. */
static void product_add(block_product *p, tw_tensor a, tw_tensor b, tw_tensor out, size_t m, size_t n, size_t k,
                        unsigned tile)
{
    tw_graph *g = p->b.graph;
    tw_vertex v = tw_graph_add_vertex(g, p->cs, p->vertex, tile);
    tw_graph_connect(g, v, "a", tw_tensor_flatten(g, a));
    tw_graph_connect(g, v, "b", tw_tensor_flatten(g, b));
    tw_graph_connect(g, v, "out", tw_tensor_flatten(g, out));
    tw_graph_set_field_int(g, v, "m", (int64_t)m);
    tw_graph_set_field_int(g, v, "n", (int64_t)n);
    tw_graph_set_field_int(g, v, "k", (int64_t)k);
    tw_graph_set_field_int(g, v, "first", 1);
}

/* Strips of a dense result: one for each column of blocks and part of the rows, on the tile with the least to do. */
typedef struct strip {
    size_t group, part, column, blocks;
    unsigned tile;
} strip;
typedef struct strips {
    bool transposed;
    size_t m, rows, parts; /* rows of a group, of a part */
    size_t columns, width, sum,
        depth; /* columns of blocks and their width; blocks that a sum may meet, their width */
    strip *list;
    size_t count;
} strips;

static size_t strip_block(const tw__blocks *b, const strips *s, size_t group, size_t column, size_t i)
{
    return s->transposed ? tw__blocks_at(b, group, column, i) : tw__blocks_at(b, group, i, column);
}

static int strip_more_first(const void *x, const void *y)
{
    const strip *a = x, *b = y;
    return a->blocks != b->blocks ? (a->blocks < b->blocks ? 1 : -1)
           : a->group != b->group ? (a->group < b->group ? -1 : 1)
           : a->part != b->part   ? (a->part < b->part ? -1 : 1)
                                  : (a->column > b->column) - (a->column < b->column);
}

static void strips_plan(const tw__blocks *b, strips *s)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(b->graph));
    size_t parts = MAX(1, MIN(s->m, tiles / MAX(1, b->m.groups * s->columns)));
    s->rows = (s->m + parts - 1) / MAX(parts, 1), s->parts = s->rows ? (s->m + s->rows - 1) / s->rows : 0;
    s->count = b->m.groups * s->columns * s->parts;
    s->list = g_new0(strip, s->count);
    g_autofree size_t *load = g_new0(size_t, tiles);
    for (size_t i = 0; i < s->count; i++) {
        strip *one = &s->list[i];
        *one = (strip){ .group = i / s->columns / s->parts,
                        .part = i / s->columns % s->parts,
                        .column = i % s->columns };
        for (size_t k = 0; k < s->sum; k++)
            one->blocks += strip_block(b, s, one->group, one->column, k) != SIZE_MAX;
    }
    if (s->count) qsort(s->list, s->count, sizeof *s->list, strip_more_first);
    for (size_t i = 0; i < s->count; i++) {
        unsigned least = 0;
        for (unsigned t = 1; t < tiles; t++)
            if (load[t] < load[least]) least = t;
        s->list[i].tile = least;
        load[least] += s->list[i].blocks + 1;
    }
}

/* Of the result, or of what is like it. */
static tw_tensor strip_view(const tw__blocks *b, const strips *s, const strip *one, tw_tensor t)
{
    size_t begin[3] = { one->group, one->part * s->rows, one->column * s->width };
    size_t end[3] = { one->group + 1, MIN(begin[1] + s->rows, s->m), begin[2] + s->width };
    return tw_tensor_slice_nd(b->graph, t, begin, end);
}

static tw_tensor strips_create(const block_product *p, const strips *s, tw_type type)
{
    const tw__blocks *b = &p->b;
    size_t shape[3] = { b->m.groups, s->m, s->columns * s->width },
           splits[3] = { b->m.groups, s->parts, s->columns };
    tw_tensor t = tw_poputil_create_partitionable(b->graph, type, 3, shape, splits, p->name);
    for (size_t i = 0; i < s->count; i++) tw_graph_map(b->graph, strip_view(b, s, &s->list[i], t), s->list[i].tile);
    return t;
}

static void strip_product(block_product *p, const strips *s, const strip *one, tw_tensor dense, tw_tensor blocks,
                          tw_tensor out)
{
    tw__blocks *b = &p->b;
    tw_graph *g = b->graph;
    size_t rows = MIN(s->rows, s->m - one->part * s->rows), from = one->group * s->m + one->part * s->rows, n = 0;
    g_autofree tw_tensor *left = g_new(tw_tensor, one->blocks), *right = g_new(tw_tensor, one->blocks);
    tw_graph_push_scope(g);
    tw_tensor own = tw_tensor_slice(g, dense, 0, from, from + rows);
    for (size_t k = 0; k < s->sum; k++) {
        size_t at = strip_block(b, s, one->group, one->column, k);
        if (at == SIZE_MAX) continue;
        left[n] = tw_tensor_slice(g, own, 1, k * s->depth, (k + 1) * s->depth);
        tw_tensor block = tw_tensor_reshape(g, tw_tensor_index(g, blocks, at), 2,
                                            (size_t[]){ b->m.block_rows, b->m.block_columns });
        right[n++] = s->transposed ? tw_tensor_transpose(g, block) : block;
    }
    product_add(p, tw_tensor_concat(g, (unsigned)n, left, 1), tw_tensor_concat(g, (unsigned)n, right, 0),
                strip_view(b, s, one, out), rows, s->width, n * s->depth, one->tile);
    tw_graph_pop_scope(g);
}

static tw_tensor strips_build(block_product *p, const strips *s, tw_tensor dense, tw_tensor blocks)
{
    tw_graph *g = p->b.graph;
    tw_tensor out = strips_create(p, s, TW_FLOAT);
    g_autofree tw_tensor *empty = g_new(tw_tensor, s->count + 1);
    unsigned empties = 0;
    p->cs = tw_graph_add_compute_set(g, tw__libs_path(p->name, "bsMatMul").text);
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].blocks)
            strip_product(p, s, &s->list[i], dense, blocks, out);
        else
            empty[empties++] = tw_tensor_flatten(g, strip_view(&p->b, s, &s->list[i], out));
    tw_program_sequence_add(g, p->sequence, tw_program_execute(g, p->cs));
    if (empties) tw_popops_zero(g, tw_tensor_concat(g, empties, empty, 0), p->sequence, p->name);
    if (p->type == TW_FLOAT) return out;
    tw_tensor cast = strips_create(p, s, p->type);
    tw_popops_cast_to(g, out, cast, p->sequence, tw__libs_path(p->name, "Cast").text);
    return cast;
}

/* [groups * m][rows] times the matrix; nil, with an error, where arguments do not fit. */
static tw_tensor blocks_after(block_product *p, tw_tensor dense, tw_tensor blocks, bool transposed, tw_type type,
                              const char *const *options)
{
    tw__blocks *b = &p->b;
    tw_graph *graph = b->graph;
    tw_tensor made = TW__LIBS_NIL;
    strips s = { .transposed = transposed,
                 .columns = transposed ? b->grid_rows : b->grid_columns,
                 .width = transposed ? b->m.block_rows : b->m.block_columns,
                 .sum = transposed ? b->grid_columns : b->grid_rows,
                 .depth = transposed ? b->m.block_columns : b->m.block_rows };
    tw__extents own = tw__libs_shape(graph, dense);
    s.m = own.rank == 2 ? own.dim[0] / b->m.groups : 0;
    if (block_wants(b, "the dense matrix", dense, MAX(s.m, 1) * b->m.groups, s.sum * s.depth) &&
        tw__blocks_tensor(b, blocks) && product_begin(p, dense, blocks, type, options)) {
        strips_plan(b, &s);
        size_t shape[2] = { s.m * b->m.groups, s.columns * s.width };
        made = tw_tensor_reshape(graph, strips_build(p, &s, dense, blocks), 2, shape);
        g_free(s.list);
    }
    return made;
}

tw_tensor tw_popsparse_dense_sparse(tw_graph *graph, tw_tensor dense, const tw_block_sparse *matrix,
                                    tw_tensor blocks, bool transposed, tw_type type, tw_program sequence,
                                    const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    block_product p = { .sequence = sequence, .name = name };
    tw_tensor made = TW__LIBS_NIL;
    if (!tw__blocks_check(&p.b, graph, __func__, matrix)) return made;
    tw_graph_push_scope(graph);
    made = tw_tensor_keep(graph, blocks_after(&p, dense, blocks, transposed, type, options));
    tw_graph_pop_scope(graph);
    tw__blocks_free(&p.b);
    return made;
}

/* [groups * rows][columns] as [groups * columns][rows], each group transposed. */
static tw_tensor blocks_turned(const tw__blocks *b, tw_tensor t)
{
    tw_graph *g = b->graph;
    tw__extents own = tw__libs_shape(g, t);
    size_t shape[3] = { b->m.groups, own.dim[0] / b->m.groups, own.dim[1] };
    tw_tensor turned = tw_tensor_dim_shuffle(g, tw_tensor_reshape(g, t, 3, shape), (unsigned[]){ 0, 2, 1 });
    return tw_tensor_flatten_dims(g, turned, 0, 2);
}

/* S D is the transpose of D' S'. */
tw_tensor tw_popsparse_sparse_dense(tw_graph *graph, const tw_block_sparse *matrix, tw_tensor blocks,
                                    tw_tensor dense, bool transposed, tw_type type, tw_program sequence,
                                    const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    block_product p = { .sequence = sequence, .name = name };
    tw_tensor made = TW__LIBS_NIL;
    if (!tw__blocks_check(&p.b, graph, __func__, matrix)) return made;
    tw__extents own = tw__libs_shape(graph, dense);
    size_t rows = p.b.m.groups * (transposed ? p.b.m.rows : p.b.m.columns);
    size_t n = own.rank == 2 && own.dim[1] ? own.dim[1] : 1;
    tw_graph_push_scope(graph);
    if (block_wants(&p.b, "the dense matrix", dense, rows, n)) {
        tw_tensor out = blocks_after(&p, blocks_turned(&p.b, dense), blocks, !transposed, type, options);
        if (tw__libs_ready(graph)) made = tw_tensor_keep(graph, blocks_turned(&p.b, out));
    }
    tw_graph_pop_scope(graph);
    tw__blocks_free(&p.b);
    return made;
}

/* --- sparse results ------------------------------------------------------------------------------------------- */

/* Elements of the tensor of blocks that the triangle takes away. */
static GArray *triangle_elements(const tw__blocks *b, tw_sparse_triangle triangle)
{
    GArray *out = g_array_new(FALSE, FALSE, sizeof(tw_interval));
    size_t wide = b->m.block_columns;
    for (size_t at = 0; triangle != TW_SPARSE_WHOLE && at < b->m.groups * b->grid_rows * b->grid_columns; at++) {
        size_t row0 = at / b->grid_columns % b->grid_rows * b->m.block_rows, column0 = at % b->grid_columns * wide;
        for (size_t r = 0; b->number[at] != SIZE_MAX && r < b->m.block_rows; r++) {
            size_t row = row0 + r, first = b->number[at] * b->area + r * wide;
            size_t diagonal = row < column0 ? 0 : MIN(row - column0, wide); /* elements left of it */
            size_t upper = row + 1 < column0 ? 0 : MIN(row + 1 - column0, wide);
            tw_interval part = triangle == TW_SPARSE_ZERO_UPPER ? (tw_interval){ first + upper, first + wide }
                                                                : (tw_interval){ first, first + diagonal };
            if (part.begin < part.end) g_array_append_val(out, part);
        }
    }
    return out;
}

static unsigned block_tile(const tw__blocks *b, size_t number)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(b->graph));
    return (unsigned)(b->count < tiles ? number : number * tiles / b->count);
}

static tw_tensor blocks_create(const block_product *p, tw_type type)
{
    const tw__blocks *b = &p->b;
    tw_tensor t = tw_graph_add_variable(b->graph, type, 2, (size_t[]){ b->count, b->area }, p->name);
    for (size_t i = 0; i < b->count; i++) tw_graph_map_range(b->graph, t, i * b->area, b->area, block_tile(b, i));
    return t;
}

static void blocks_product(block_product *p, tw_tensor x, tw_tensor y, size_t k, tw_tensor out)
{
    tw__blocks *b = &p->b;
    tw_graph *g = b->graph;
    size_t height = b->m.block_rows, width = b->m.block_columns;
    for (size_t at = 0; at < b->m.groups * b->grid_rows * b->grid_columns; at++) {
        if (b->number[at] == SIZE_MAX) continue;
        size_t line = at / b->grid_columns * height,
               column = at % b->grid_columns * width; /* lines of all groups */
        size_t group = at / b->grid_columns / b->grid_rows;
        tw_graph_push_scope(g);
        tw_tensor below = tw_tensor_slice_nd(g, y, (size_t[]){ group * k, column },
                                             (size_t[]){ (group + 1) * k, column + width });
        product_add(p, tw_tensor_slice(g, x, 0, line, line + height), below, tw_tensor_index(g, out, b->number[at]),
                    height, width, k, block_tile(b, b->number[at]));
        tw_graph_pop_scope(g);
    }
}

static tw_tensor blocks_build(block_product *p, tw_tensor x, tw_tensor y, size_t k, tw_sparse_triangle triangle)
{
    tw_graph *g = p->b.graph;
    tw_tensor out = blocks_create(p, TW_FLOAT);
    if (k) {
        p->cs = tw_graph_add_compute_set(g, tw__libs_path(p->name, "bsMatMul").text);
        blocks_product(p, x, y, k, out);
        tw_program_sequence_add(g, p->sequence, tw_program_execute(g, p->cs));
    } else {
        tw_popops_zero(g, out, p->sequence, p->name);
    }
    g_autoptr(GArray) zeros = triangle_elements(&p->b, triangle);
    if (zeros->len) {
        tw_tensor away =
            tw_tensor_pick(g, tw_tensor_flatten(g, out), zeros->len, (const tw_interval *)(void *)zeros->data);
        tw_popops_zero(g, away, p->sequence, tw__libs_path(p->name, "mask").text);
    }
    if (p->type == TW_FLOAT) return out;
    tw_tensor cast = blocks_create(p, p->type);
    tw_popops_cast_to(g, out, cast, p->sequence, tw__libs_path(p->name, "Cast").text);
    return cast;
}

tw_tensor tw_popsparse_dense_dense(tw_graph *graph, tw_tensor a, tw_tensor b, const tw_block_sparse *result,
                                   tw_sparse_triangle triangle, tw_type type, tw_program sequence, const char *name,
                                   const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    block_product p = { .sequence = sequence, .name = name };
    tw_tensor made = TW__LIBS_NIL;
    if (!tw__blocks_check(&p.b, graph, __func__, result)) return made;
    tw__extents left = tw__libs_shape(graph, a);
    size_t k = left.rank == 2 ? left.dim[1] : 0, groups = p.b.m.groups;
    if (tw__blocks_triangle(&p.b, triangle) && block_wants(&p.b, "the left matrix", a, groups * p.b.m.rows, k) &&
        block_wants(&p.b, "the right matrix", b, groups * k, p.b.m.columns) &&
        product_begin(&p, a, b, type, options)) {
        tw_graph_push_scope(graph);
        made = tw_tensor_keep(graph, blocks_build(&p, a, b, k, triangle));
        tw_graph_pop_scope(graph);
    }
    tw__blocks_free(&p.b);
    return made;
}
