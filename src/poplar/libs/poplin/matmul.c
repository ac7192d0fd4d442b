/* SPDX-License-Identifier: MIT */
/* Matrix products: blocks of a plan, a vertex for each; parts of a sum join on the tree of reductions. */
#include "poplar/libs/poplin/codes.h"
#include "poplar/libs/poplin/matmul_code.h"
#include "poplar/libs/poplin/plan.h"

#include <string.h>

/* --- checks --------------------------------------------------------------------------------------------------- */

/* Shapes of rank 2 or 3 that can be multiplied. */
static bool matmul_fits(tw_graph *graph, const char *call, tw_type type, const tw__extents *a, const tw__extents *b,
                        tw__matmul_plan *plan)
{
    bool fits = a->rank == b->rank && (a->rank == 2 || a->rank == 3);
    unsigned d = a->rank - 2;
    fits = fits && (!d || a->dim[0] == b->dim[0]) && a->dim[d + 1] == b->dim[d];
    if (!fits) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s times %s", tw__libs_shape_text(a->rank, a->dim).text,
                      tw__libs_shape_text(b->rank, b->dim).text);
        return false;
    }
    if (type != TW_FLOAT && type != TW_HALF) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "matrices of %s; they are of float or half",
                      tw_type_name(type, TW_SYSTEM_POPLAR));
        return false;
    }
    *plan = (tw__matmul_plan){
        .groups = d ? a->dim[0] : 1, .m = a->dim[d], .k = a->dim[d + 1], .n = b->dim[d + 1], .type = type
    };
    return true;
}

/* --- layouts -------------------------------------------------------------------------------------------------- */

typedef enum matmul_side { MATMUL_LHS, MATMUL_RHS, MATMUL_OUT } matmul_side;

/* Number of blocks of a side along its two dimensions. */
static void side_splits(const tw__matmul_plan *p, matmul_side side, size_t splits[3])
{
    splits[0] = MAX(p->groups, 1);
    splits[1] = side == MATMUL_RHS ? p->k_parts * p->k_steps : p->m_parts;
    splits[2] = side == MATMUL_LHS ? p->k_parts * p->k_steps : p->n_parts;
}

static size_t side_block(const tw__matmul_plan *p, matmul_side side, int dim)
{
    if (dim == 0) return side == MATMUL_RHS ? p->k_block : p->m_block;
    return side == MATMUL_LHS ? p->k_block : p->n_block;
}

/* Block (x, y) of group `group`; false when it is empty. */
static bool side_range(const tw__matmul_plan *p, matmul_side side, size_t group, size_t x, size_t y,
                       size_t begin[3], size_t end[3])
{
    size_t extent[2] = { side == MATMUL_RHS ? p->k : p->m, side == MATMUL_LHS ? p->k : p->n }, at[2] = { x, y };
    begin[0] = group, end[0] = group + 1;
    for (int d = 0; d < 2; d++) {
        size_t block = side_block(p, side, d);
        begin[d + 1] = MIN(at[d] * block, extent[d]), end[d + 1] = MIN(begin[d + 1] + block, extent[d]);
        if (begin[d + 1] == end[d + 1]) return false;
    }
    return true;
}

/* [groups][rows][columns] of blocks that are one run each, every block on the tile that reads or writes it first. */
static tw_tensor side_create(tw_graph *graph, const tw__matmul_plan *p, matmul_side side, tw_type type,
                             const char *name)
{
    size_t splits[3], begin[3], end[3];
    size_t shape[3] = { p->groups, side == MATMUL_RHS ? p->k : p->m, side == MATMUL_LHS ? p->k : p->n };
    side_splits(p, side, splits);
    tw_tensor t = tw_poputil_create_partitionable(graph, type, 3, shape, splits, name);
    for (size_t g = 0; g < p->groups; g++)
        for (size_t x = 0; x < splits[1]; x++)
            for (size_t y = 0; y < splits[2]; y++) {
                if (!side_range(p, side, g, x, y, begin, end)) continue;
                size_t i = side == MATMUL_RHS ? 0 : x, j = side == MATMUL_LHS ? 0 : y;
                size_t l = side == MATMUL_OUT ? 0 : (side == MATMUL_LHS ? y : x) % p->k_parts;
                tw_tensor block = tw_tensor_slice_nd(graph, t, begin, end);
                tw_graph_map(graph, block, tw__matmul_tile(graph, p, g, i, j, l));
                tw_tensor_free(graph, block);
            }
    return t;
}

/* --- building ------------------------------------------------------------------------------------------------- */

typedef struct product {
    tw_graph *graph;
    tw__matmul_plan plan;
    tw_tensor a, b;  /* [groups][...][...] */
    tw_tensor *sums; /* [k_parts], each [groups][m][n] of floats */
    const char *vertex;
} product;

static tw_tensor product_block(const product *p, tw_tensor t, matmul_side side, size_t group, size_t x, size_t y,
                               size_t extent[2])
{
    size_t begin[3] = { 0 }, end[3] = { 0 };
    side_range(&p->plan, side, group, x, y, begin, end);
    extent[0] = end[1] - begin[1], extent[1] = end[2] - begin[2];
    return tw_tensor_flatten(p->graph, tw_tensor_slice_nd(p->graph, t, begin, end));
}

static void product_vertex(const product *p, tw_compute_set cs, size_t group, size_t i, size_t j, size_t l,
                           size_t step)
{
    tw_graph *g = p->graph;
    size_t begin[3], end[3], a_size[2], b_size[2], size[2], part = step * p->plan.k_parts + l;
    if (!side_range(&p->plan, MATMUL_LHS, group, i, part, begin, end) ||
        !side_range(&p->plan, MATMUL_OUT, group, i, j, begin, end))
        return;
    tw_graph_push_scope(g);
    tw_vertex v = tw_graph_add_vertex(g, cs, p->vertex, tw__matmul_tile(g, &p->plan, group, i, j, l));
    tw_graph_connect(g, v, "a", product_block(p, p->a, MATMUL_LHS, group, i, part, a_size));
    tw_graph_connect(g, v, "b", product_block(p, p->b, MATMUL_RHS, group, part, j, b_size));
    tw_graph_connect(g, v, "out", product_block(p, p->sums[l], MATMUL_OUT, group, i, j, size));
    tw_graph_set_field_int(g, v, "m", (int64_t)size[0]);
    tw_graph_set_field_int(g, v, "n", (int64_t)size[1]);
    tw_graph_set_field_int(g, v, "k", (int64_t)a_size[1]);
    tw_graph_set_field_int(g, v, "first", step == 0);
    tw_graph_pop_scope(g);
}

static void product_steps(const product *p, tw_program sequence, const char *name)
{
    tw_graph *g = p->graph;
    const tw__matmul_plan *plan = &p->plan;
    for (size_t step = 0; step < plan->k_steps; step++) {
        tw_compute_set cs = tw_graph_add_compute_set(g, tw__libs_path(name, "MatMul").text);
        for (size_t group = 0; group < plan->groups; group++)
            for (size_t i = 0; i < plan->m_parts; i++)
                for (size_t j = 0; j < plan->n_parts; j++)
                    for (size_t l = 0; l < plan->k_parts; l++) product_vertex(p, cs, group, i, j, l, step);
        tw_program_sequence_add(g, sequence, tw_program_execute(g, cs));
    }
}

/* As the plan has it: the rate of the chip's convolution units, which our code does not use. */
static tw_perf_estimate matmul_estimator(const tw_vertex_info *v, const tw_target *target, void *user)
{
    (void)target;
    double m = tw_vertex_info_value(v, "m", 0), n = tw_vertex_info_value(v, "n", 0),
           k = tw_vertex_info_value(v, "k", 0);
    double cycles = tw__matmul_block_cycles(m, n, k, GPOINTER_TO_SIZE(user));
    return (tw_perf_estimate){ (uint64_t)cycles, (uint64_t)(2 * m * n * k) };
}

const tw__libs_code tw__matmul_code = { "poplin::MatMul", "fh", tw__matmul_text };

const char *tw__matmul_vertex(tw_graph *graph, tw_type type)
{
    const char *name = tw__libs_product_vertex(graph, &tw__matmul_code, type);
    if (name)
        tw_graph_register_perf_estimator(graph, name, matmul_estimator, GSIZE_TO_POINTER(type == TW_HALF ? 2 : 4),
                                         NULL);
    return name;
}

/* Part l of every sum: like the result, but blocks on the tile of their part. */
static tw_tensor sums_create(product *p, size_t l, const char *name)
{
    tw__matmul_plan *plan = &p->plan;
    tw_tensor t = side_create(p->graph, plan, MATMUL_OUT, TW_FLOAT, tw__libs_path(name, "partials").text);
    size_t begin[3], end[3];
    for (size_t g = 0; l && g < plan->groups; g++)
        for (size_t i = 0; i < plan->m_parts; i++)
            for (size_t j = 0; j < plan->n_parts; j++)
                if (side_range(plan, MATMUL_OUT, g, i, j, begin, end))
                    tw_graph_map(p->graph, tw_tensor_slice_nd(p->graph, t, begin, end),
                                 tw__matmul_tile(p->graph, plan, g, i, j, l));
    return t;
}

/* Parts of sums that hold something: the last ones of a k that does not divide do not. */
static size_t parts_used(const tw__matmul_plan *p)
{
    size_t begin[3], end[3], used = 0;
    while (used < p->k_parts && side_range(p, MATMUL_LHS, 0, 0, used, begin, end)) used++;
    return used;
}

static tw_tensor product_build(product *p, tw_type type, tw_program sequence, const char *name)
{
    tw_graph *g = p->graph;
    tw__matmul_plan *plan = &p->plan;
    size_t shape[3] = { plan->groups, plan->m, plan->n };
    if (!plan->k || !plan->m || !plan->n || !plan->groups) {
        tw_tensor zeros = tw_graph_add_variable(g, type, 3, shape, name);
        tw_poputil_map_linearly(g, zeros);
        tw_popops_zero(g, zeros, sequence, name);
        return zeros;
    }
    p->vertex = tw__matmul_vertex(g, plan->type);
    if (!p->vertex) return TW__LIBS_NIL;
    plan->k_parts = parts_used(plan);
    g_autofree tw_tensor *sums = g_new(tw_tensor, plan->k_parts);
    p->sums = sums;
    for (size_t l = 0; l < plan->k_parts; l++) sums[l] = sums_create(p, l, name);
    product_steps(p, sequence, name);
    tw_tensor sum = sums[0];
    if (plan->k_parts > 1) {
        for (size_t l = 0; l < plan->k_parts; l++) sums[l] = tw_tensor_expand(g, sums[l], 1, (size_t[]){ 0 });
        tw_tensor all = tw_tensor_concat(g, (unsigned)plan->k_parts, sums, 0);
        sum = side_create(g, plan, MATMUL_OUT, TW_FLOAT, name);
        tw_popops_reduce_with_output(g, all, sum, 1, (size_t[]){ 0 }, NULL, sequence, name, NULL);
    }
    if (type == TW_FLOAT) return sum;
    tw_tensor cast = side_create(g, plan, MATMUL_OUT, type, name);
    tw_popops_cast_to(g, sum, cast, sequence, tw__libs_path(name, "Cast").text);
    return cast;
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

static tw_tensor as_groups(tw_graph *graph, tw_tensor t, unsigned rank)
{
    return rank == 3 ? t : tw_tensor_expand(graph, t, 1, (size_t[]){ 0 });
}

static tw_tensor matmul_call(tw_graph *graph, const char *call, tw_tensor a, tw_tensor b, tw_type type,
                             tw_program sequence, const char *name, const char *const *options)
{
    product p = { .graph = graph };
    tw__matmul_options read;
    if (!tw__libs_ready(graph) || !tw__matmul_read_options(graph, call, options, &read)) return TW__LIBS_NIL;
    tw__extents x = tw__libs_shape(graph, a), y = tw__libs_shape(graph, b);
    tw_type own = tw_tensor_type(graph, a), other = tw_tensor_type(graph, b);
    if (!tw__libs_ready(graph) || !matmul_fits(graph, call, own, &x, &y, &p.plan)) return TW__LIBS_NIL;
    if (type == TW_TYPE_NONE) type = own;
    if (own != other || (type != TW_FLOAT && type != TW_HALF)) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s times %s as %s: both are float or half, and so is the result",
                      tw__libs_describe(graph, a).text, tw__libs_describe(graph, b).text,
                      tw_type_name(type, TW_SYSTEM_POPLAR));
        return TW__LIBS_NIL;
    }
    tw__matmul_make_plan(graph, &p.plan, &read);
    tw_graph_push_scope(graph);
    p.a = as_groups(graph, a, x.rank), p.b = as_groups(graph, b, x.rank);
    tw_tensor made = product_build(&p, type, sequence, name);
    if (x.rank == 2) made = tw_tensor_squeeze(graph, made, 1, (size_t[]){ 0 });
    made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_poplin_matmul(tw_graph *graph, tw_tensor a, tw_tensor b, tw_type type, tw_program sequence,
                           const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return TW__LIBS_NIL;
    return matmul_call(graph, __func__, a, b, type, sequence, name, options);
}

void tw_poplin_matmul_accumulate(tw_graph *graph, tw_tensor c, tw_scale scale, tw_tensor a, tw_tensor b,
                                 tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    tw__matmul_options read;
    tw__matmul_plan plan;
    if (!tw__libs_ready(graph) || !tw__matmul_read_options(graph, __func__, options, &read)) return;
    tw__extents x = tw__libs_shape(graph, a), y = tw__libs_shape(graph, b), z = tw__libs_shape(graph, c);
    tw_type type = tw_tensor_type(graph, c), own = tw_tensor_type(graph, a);
    if (!tw__libs_ready(graph) || !matmul_fits(graph, __func__, own, &x, &y, &plan)) return;
    bool fits = z.rank == x.rank && z.dim[z.rank - 2] == plan.m && z.dim[z.rank - 1] == plan.n &&
                (z.rank == 2 || z.dim[0] == plan.groups) && (type == TW_FLOAT || type == TW_HALF) &&
                own == tw_tensor_type(graph, b);
    if (!fits) {
        TW__LIBS_REFUSE(graph, "%s += scale * %s times %s", tw__libs_describe(graph, c).text,
                        tw__libs_describe(graph, a).text, tw__libs_describe(graph, b).text);
        return;
    }
    if (!tw__libs_writeable(graph, __func__, c) || !tw__popops_each_once(graph, __func__, c) ||
        !tw__popops_scale_fits(graph, __func__, &scale))
        return;
    tw_graph_push_scope(graph);
    tw_tensor made = matmul_call(graph, __func__, a, b, TW_FLOAT, sequence, name, options);
    tw_popops_scaled_add(graph, c, (tw_scale){ 1, TW__LIBS_NIL }, made, scale, sequence, name, NULL);
    tw_graph_pop_scope(graph);
}

static bool plan_of_shapes(tw_graph *graph, const char *call, tw_type type, unsigned rank, const size_t *a,
                           const size_t *b, const char *const *options, tw__matmul_plan *plan)
{
    tw__matmul_options read;
    if (!tw__libs_ready(graph) || !tw__matmul_read_options(graph, call, options, &read)) return false;
    tw__extents x = { .rank = rank }, y = { .rank = rank };
    if (!tw__libs_list(graph, call, "a", rank, a) || !tw__libs_list(graph, call, "b", rank, b)) return false;
    if (rank == 2 || rank == 3) memcpy(x.dim, a, rank * sizeof *a), memcpy(y.dim, b, rank * sizeof *b);
    if (!matmul_fits(graph, call, type, &x, &y, plan)) return false;
    tw__matmul_make_plan(graph, plan, &read);
    return true;
}

static tw_tensor create_side(tw_graph *graph, const char *call, matmul_side side, tw_type type, unsigned rank,
                             const size_t *a, const size_t *b, const char *name, const char *const *options)
{
    tw__matmul_plan plan;
    tw_type planned = type == TW_QUARTER ? TW_FLOAT : type; /* they are multiplied as floats */
    if (!plan_of_shapes(graph, call, planned, rank, a, b, options, &plan)) return TW__LIBS_NIL;
    tw_graph_push_scope(graph);
    tw_tensor made = side_create(graph, &plan, side, type, name);
    if (rank == 2) made = tw_tensor_squeeze(graph, made, 1, (size_t[]){ 0 });
    made = tw_tensor_keep(graph, made);
    tw_graph_pop_scope(graph);
    return made;
}

tw_tensor tw_poplin_create_matmul_lhs(tw_graph *graph, tw_type type, unsigned rank, const size_t *a,
                                      const size_t *b, const char *name, const char *const *options)
{
    return create_side(graph, __func__, MATMUL_LHS, type, rank, a, b, name, options);
}

tw_tensor tw_poplin_create_matmul_rhs(tw_graph *graph, tw_type type, unsigned rank, const size_t *a,
                                      const size_t *b, const char *name, const char *const *options)
{
    return create_side(graph, __func__, MATMUL_RHS, type, rank, a, b, name, options);
}

char *tw_poplin_matmul_plan(tw_graph *graph, tw_type type, unsigned rank, const size_t *a, const size_t *b,
                            const char *const *options)
{
    tw__matmul_plan p;
    if (!plan_of_shapes(graph, __func__, type, rank, a, b, options, &p)) return NULL;
    g_autofree char *text =
        g_strdup_printf("product     %zu x [%zu, %zu] x [%zu, %zu] of %s\n"
                        "split       m %zu, n %zu, k %zu; %zu serial step%s\n"
                        "blocks      %zu x %zu and %zu x %zu, %llu bytes a tile\n"
                        "cycles      %.0f (estimated): product %.0f, exchange %.0f, joining %.0f\n",
                        p.groups, p.m, p.k, p.k, p.n, tw_type_name(type, TW_SYSTEM_POPLAR), p.m_parts, p.n_parts,
                        p.k_parts, p.k_steps, p.k_steps == 1 ? "" : "s", p.m_block, p.k_block, p.k_block, p.n_block,
                        (unsigned long long)p.bytes, p.cycles, p.product, p.exchange, p.joining);
    char *copy = strdup(text);
    if (!copy) tw_graph_fail(graph, TW_E_NO_MEMORY, __func__, "out of host memory");
    return copy;
}
