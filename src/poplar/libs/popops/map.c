/* SPDX-License-Identifier: MIT */
/* Expressions on tensors: checked as a whole, then one compute set, with a vertex for each worker that has
 * elements of the result. */
#include "poplar/libs/popops/popops.h"

#include <stdlib.h>
#include <string.h>

typedef struct map_options {
    bool generate, force, ignored;
} map_options;

static const tw__libs_option map_table[] = {
    { "enableGenerateCodelet", TW__LIBS_BOOL, offsetof(map_options, generate), NULL },
    { "forceGenerateCodelet", TW__LIBS_BOOL, offsetof(map_options, force), NULL },
    { "enableVectorBroadcastOptimisations", TW__LIBS_BOOL, offsetof(map_options, ignored), NULL },
    { "enableExpressionOptimizations", TW__LIBS_BOOL, offsetof(map_options, ignored), NULL },
};

/* A call that has been checked: nothing is refused from here on. */
typedef struct mapping_call {
    tw_graph *graph;
    tw__expr expr;
    tw_type type; /* of the result */
    tw__extents shape;
    tw_tensor tensor[TW__EXPR_TENSORS];  /* those that the expression reads */
    tw_tensor operand[TW__EXPR_TENSORS]; /* of the result's shape, or of one element */
    tw__expr_form form;
    tw_program sequence;
    const char *name;
    map_options options;
    bool in_set; /* vertices go to `cs`, which somebody else executes */
    tw_compute_set cs;
} mapping_call;

/* --- checks --------------------------------------------------------------------------------------------------- */

/* Leaves out tensors that nothing reads, but for the first where it is the target. */
static void keep_used(mapping_call *m, const tw_tensor *tensors, bool in_place)
{
    tw__expr *e = &m->expr;
    int place[TW__EXPR_TENSORS] = { 0 };
    for (int i = 0; i < e->count; i++)
        if (e->node[i].kind == TW__EXPR_TENSOR) place[e->node[i].tensor] = 1;
    if (in_place) place[0] = 1, e->tensors = MAX(e->tensors, 1);
    unsigned kept = 0;
    for (unsigned i = 0; i < e->tensors; i++) {
        if (!place[i]) continue;
        m->tensor[kept] = tensors[i];
        m->form.type[kept] = tw_tensor_type(m->graph, tensors[i]);
        place[i] = (int)kept++;
    }
    e->tensors = kept;
    for (int i = 0; i < e->count; i++)
        if (e->node[i].kind == TW__EXPR_TENSOR) e->node[i].tensor = (unsigned)place[e->node[i].tensor];
}

static bool fit_shapes(mapping_call *m, const char *call)
{
    m->shape.rank = 0;
    for (unsigned i = 0; i < m->expr.tensors; i++) {
        tw__extents own = tw__libs_shape(m->graph, m->tensor[i]), both;
        if (!tw_poputil_broadcast_shape(m->shape.rank, m->shape.dim, own.rank, own.dim, &both.rank, both.dim)) {
            tw_graph_fail(m->graph, TW_E_POPLIBS, call, "%s does not fit the shape %s of the tensors before it",
                          tw__libs_describe(m->graph, m->tensor[i]).text,
                          tw__libs_shape_text(m->shape.rank, m->shape.dim).text);
            return false;
        }
        m->shape = both;
    }
    return true;
}

/* Fills in *m; the result has the shape and type there. */
static bool map_check(mapping_call *m, tw_graph *graph, const char *call, const char *expression, unsigned count,
                      const tw_tensor *tensors, bool in_place, const char *const *options)
{
    if (!tw__libs_ready(graph)) return false;
    m->graph = graph;
    m->options = (map_options){ .generate = true };
    if (!tw__libs_options(graph, call, options, map_table, G_N_ELEMENTS(map_table), &m->options)) return false;
    tw_type types[TW__EXPR_TENSORS];
    if (!tw__libs_list(graph, call, "tensors", count, tensors)) return false;
    for (unsigned i = 0; i < count && i < TW__EXPR_TENSORS; i++) types[i] = tw_tensor_type(graph, tensors[i]);
    if (!tw__libs_ready(graph)) return false;
    if (!tw__expr_parse(&m->expr, expression) || !tw__expr_infer(&m->expr, types, count)) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "%s", m->expr.problem);
        return false;
    }
    m->type = m->expr.node[m->expr.count - 1].type;
    keep_used(m, tensors, in_place);
    return fit_shapes(m, call);
}

/* Views of the operands with the shape of the result. */
static void map_operands(mapping_call *m)
{
    for (unsigned i = 0; i < m->expr.tensors; i++) {
        tw_tensor t = m->tensor[i];
        tw__extents own = tw__libs_shape(m->graph, t);
        bool same = own.rank == m->shape.rank && !memcmp(own.dim, m->shape.dim, own.rank * sizeof *own.dim);
        m->form.scalar[i] = tw_tensor_elements(m->graph, t) == 1 && !same;
        m->operand[i] = m->form.scalar[i] ? tw_tensor_reshape(m->graph, t, 0, NULL)
                        : same            ? t
                                          : tw_poputil_broadcast_to(m->graph, t, m->shape.rank, m->shape.dim);
    }
}

/* --- vertices ------------------------------------------------------------------------------------------------- */

/* Turns for each element: loads, the store, operations. */
static double map_turns(const mapping_call *m)
{
    double turns = tw_type_size(m->type) < 4 ? 10 : 1; /* parts of words are joined to them */
    for (unsigned i = 0; i < m->expr.tensors; i++) turns += m->form.scalar[i] ? 0 : 0.8;
    for (int i = 0; i < m->expr.count; i++) {
        const tw__expr_node *n = &m->expr.node[i];
        if (n->kind == TW__EXPR_OP) turns += tw__libs_op_turns(n->op->name, m->expr.node[n->child[0]].type);
        if (n->kind == TW__EXPR_CAST) turns += 2;
    }
    return turns;
}

static bool map_code(const mapping_call *m, const char *vertex)
{
    if (!tw__libs_has_vertex(m->graph, vertex, NULL) && tw__libs_ready(m->graph)) {
        g_autofree char *code = tw__expr_code(&m->expr, &m->form, true);
        tw_graph_add_codelets_source(m->graph, code, "c", vertex, NULL);
    }
    if (!tw__libs_ready(m->graph)) return false;
    tw__libs_estimate_map(m->graph, vertex, map_turns(m));
    return true;
}

typedef struct map_vertices {
    mapping_call *m;
    const char *vertex;
    tw_compute_set cs;
    tw_tensor out, in[TW__EXPR_TENSORS]; /* flattened */
    char field[TW__EXPR_TENSORS][16];    /* names of the inputs' fields */
} map_vertices;

static void map_part(void *user, unsigned tile, size_t count, const tw_interval *intervals)
{
    map_vertices *v = user;
    tw_graph *g = v->m->graph;
    tw_graph_push_scope(g);
    tw_vertex made = tw_graph_add_vertex(g, v->cs, v->vertex, tile);
    tw_graph_connect(g, made, "out", tw__libs_pick(g, v->out, count, intervals));
    for (unsigned i = v->m->form.in_place; i < v->m->expr.tensors; i++) {
        tw_graph_connect(g, made, v->field[i],
                         v->m->form.scalar[i] ? v->in[i] : tw__libs_pick(g, v->in[i], count, intervals));
    }
    tw_graph_pop_scope(g);
}

/* Result and operands flattened in the order in which the result lies in storage: a worker's part is a run then,
 * whatever view of it this is. */
static void map_in_order(map_vertices *v)
{
    const mapping_call *m = v->m;
    tw_tensor other[TW__EXPR_TENSORS];
    unsigned count = 0;
    for (unsigned i = m->form.in_place; i < m->expr.tensors; i++) {
        v->in[i] = m->operand[i];
        if (!m->form.scalar[i]) other[count++] = m->operand[i];
    }
    if (!tw_tensor_reorder_to_simplify(m->graph, &v->out, count, other)) return;
    count = 0;
    for (unsigned i = m->form.in_place; i < m->expr.tensors; i++)
        if (!m->form.scalar[i]) v->in[i] = other[count++];
}

static void map_run(mapping_call *m, tw_tensor output)
{
    tw_graph *g = m->graph;
    g_autofree char *vertex = tw__expr_vertex_name(&m->expr, &m->form);
    if (!tw_tensor_elements(g, output) || !map_code(m, vertex)) return;
    map_vertices v = { .m = m, .vertex = vertex, .out = output };
    for (unsigned i = 0; i < m->expr.tensors; i++) snprintf(v.field[i], sizeof v.field[i], "in%u", i + 1);
    map_in_order(&v);
    v.cs = m->in_set ? m->cs : tw_graph_add_compute_set(g, m->name && *m->name ? m->name : "map");
    tw__libs_deal(g, v.out, 4 * tw_target_vector_width(tw_graph_target(g), m->type), map_part, &v);
    if (!m->in_set) tw_program_sequence_add(g, m->sequence, tw_program_execute(g, v.cs));
}

tw_tensor tw__popops_number(tw_graph *graph, tw_type type, double value)
{
    tw_tensor number = tw_graph_add_constant_double(graph, type, 0, NULL, value, NULL);
    tw_graph_map(graph, number, 0);
    return number;
}

/* Numbers of a single operation become tensors of one element, so that all numbers share one vertex. */
static void numbers_to_tensors(mapping_call *m)
{
    for (int i = 0; i < m->expr.count; i++) {
        tw__expr_node *n = &m->expr.node[i];
        if (n->kind != TW__EXPR_NUMBER) continue;
        unsigned at = m->expr.tensors++;
        m->operand[at] = tw__popops_number(m->graph, n->type, n->value);
        m->form.type[at] = n->type, m->form.scalar[at] = true;
        *n = (tw__expr_node){ .kind = TW__EXPR_TENSOR, .tensor = at, .type = n->type };
    }
}

/* _1 becomes the first operand of a single operation, and so on: sub(_2, _1) is the vertex that sub(_1, _2) is. */
static void operands_in_order(mapping_call *m)
{
    tw__expr *e = &m->expr;
    const tw__expr_node *root = &e->node[e->count - 1];
    if (m->form.in_place || root->kind != TW__EXPR_OP) return;
    g_autofree mapping_call *old = g_memdup2(m, sizeof *m);
    for (unsigned i = 0; i < root->op->arity; i++) {
        unsigned from = old->expr.node[root->child[i]].tensor;
        e->node[root->child[i]].tensor = i, m->operand[i] = old->operand[from];
        m->form.type[i] = old->form.type[from], m->form.scalar[i] = old->form.scalar[from];
    }
    e->tensors = root->op->arity;
}

/* --- node by node --------------------------------------------------------------------------------------------- */

static tw_tensor map_node(mapping_call *m, int at)
{
    const tw__expr_node *n = &m->expr.node[at];
    if (n->kind == TW__EXPR_TENSOR) return m->operand[n->tensor];
    if (n->kind == TW__EXPR_NUMBER) return tw__popops_number(m->graph, n->type, n->value);
    tw_tensor child[3] = { 0 };
    g_autoptr(GString) text = g_string_new(n->op ? n->op->name : "cast");
    unsigned arity = n->op ? n->op->arity : 1;
    for (unsigned i = 0; i < arity; i++) {
        child[i] = map_node(m, n->child[i]);
        g_string_append_printf(text, "%s_%u", i ? "," : "(", i + 1);
    }
    if (!n->op) g_string_append_printf(text, ",%s", tw__expr_type_name(n->stated));
    g_string_append_c(text, ')');
    return tw__popops_map(m->graph, "tw_popops_map", text->str, arity, child, TW__LIBS_NIL, m->sequence, m->name,
                          NULL);
}

/* --- calls ---------------------------------------------------------------------------------------------------- */

static tw_tensor map_output(mapping_call *m)
{
    tw_tensor candidates[TW__EXPR_TENSORS];
    unsigned count = 0;
    for (unsigned i = 0; i < m->expr.tensors; i++)
        if (!m->form.scalar[i] && tw__libs_same_shape(m->graph, m->operand[i], m->operand[0]))
            candidates[count++] = m->operand[i];
    for (unsigned i = 0; i < count; i++) {
        tw__extents own = tw__libs_shape(m->graph, candidates[i]);
        if (own.rank != m->shape.rank || memcmp(own.dim, m->shape.dim, own.rank * sizeof *own.dim))
            candidates[i--] = candidates[--count];
    }
    if (count) return tw_popops_create_output(m->graph, count, candidates, m->type, m->name);
    tw_tensor made = tw_graph_add_variable(m->graph, m->type, m->shape.rank, m->shape.dim, m->name);
    tw_poputil_map_linearly(m->graph, made);
    return made;
}

/* The result in a tensor of its own; `output` nil: a new one. */
static tw_tensor map_build(mapping_call *m, tw_tensor output)
{
    tw_graph *g = m->graph;
    tw_graph_push_scope(g);
    map_operands(m);
    bool fresh = !output.id;
    if (fresh) output = map_output(m);
    if (m->options.generate || m->options.force || m->expr.ops <= 1) {
        if (m->expr.ops == 1) numbers_to_tensors(m), operands_in_order(m);
        map_run(m, output);
    } else {
        tw_tensor last = map_node(m, m->expr.count - 1);
        tw_program_sequence_add(g, m->sequence, tw_program_copy(g, last, output));
    }
    if (fresh) output = tw_tensor_keep(g, output);
    tw_graph_pop_scope(g);
    return output;
}

static bool check_target(mapping_call *m, const char *call, tw_tensor target)
{
    tw__extents own = tw__libs_shape(m->graph, target);
    bool same = own.rank == m->shape.rank && !memcmp(own.dim, m->shape.dim, own.rank * sizeof *own.dim);
    if (tw__libs_ready(m->graph) && (!same || tw_tensor_type(m->graph, target) != m->type))
        tw_graph_fail(m->graph, TW_E_POPLIBS, call, "the result is %s%s, which cannot go to %s",
                      tw__expr_type_name(m->type), tw__libs_shape_text(m->shape.rank, m->shape.dim).text,
                      tw__libs_describe(m->graph, target).text);
    return tw__libs_ready(m->graph) && tw__libs_writeable(m->graph, call, target);
}

static bool touches(mapping_call *m, tw_tensor target, unsigned from)
{
    for (unsigned i = from; i < m->expr.tensors; i++)
        if (tw_tensor_intersects(m->graph, target, m->tensor[i])) return true;
    return false;
}

static void through_temporary(mapping_call *m, tw_tensor target)
{
    tw_tensor made = map_build(m, TW__LIBS_NIL);
    tw_program_sequence_add(m->graph, m->sequence, tw_program_copy(m->graph, made, target));
    tw_tensor_free(m->graph, made);
}

bool tw__popops_each_once(tw_graph *graph, const char *call, tw_tensor tensor)
{
    if (!tw_tensor_contains_aliases(graph, tensor)) return tw__libs_ready(graph);
    tw_graph_fail(graph, TW_E_POPLIBS, call, "%s has an element more than once, and cannot be written",
                  tw__libs_describe(graph, tensor).text);
    return false;
}

static bool map_fits(mapping_call *m, tw_graph *graph, const char *call, const char *expression, unsigned count,
                     const tw_tensor *tensors, tw_tensor output, const char *const *options)
{
    return map_check(m, graph, call, expression, count, tensors, false, options) &&
           (!output.id || (check_target(m, call, output) && tw__popops_each_once(graph, call, output)));
}

bool tw_popops_map_fits(tw_graph *graph, const char *expression, unsigned count, const tw_tensor *tensors,
                        tw_tensor output, const char *const *options)
{
    g_autofree mapping_call *m = g_new0(mapping_call, 1);
    return tw__libs_ready(graph) && map_fits(m, graph, __func__, expression, count, tensors, output, options);
}

tw_tensor tw__popops_map(tw_graph *graph, const char *call, const char *expression, unsigned count,
                         const tw_tensor *tensors, tw_tensor output, tw_program sequence, const char *name,
                         const char *const *options)
{
    g_autofree mapping_call *m = g_new0(mapping_call, 1);
    m->sequence = sequence, m->name = name;
    if (!tw__libs_takes(graph, call, sequence)) return TW__LIBS_NIL;
    if (!map_fits(m, graph, call, expression, count, tensors, output, options)) return TW__LIBS_NIL;
    if (!output.id) return map_build(m, output);
    if (touches(m, output, 0))
        through_temporary(m, output);
    else
        map_build(m, output);
    return output;
}

void tw__popops_map_set(tw_graph *graph, const char *call, const char *expression, unsigned count,
                        const tw_tensor *tensors, tw_tensor output, tw_compute_set cs)
{
    g_autofree mapping_call *m = g_new0(mapping_call, 1);
    m->in_set = true, m->cs = cs;
    if (map_check(m, graph, call, expression, count, tensors, false, NULL) && check_target(m, call, output))
        map_build(m, output);
}

void tw__popops_map_set_in_place(tw_graph *graph, const char *call, const char *expression, tw_tensor tensor,
                                 tw_compute_set cs)
{
    g_autofree mapping_call *m = g_new0(mapping_call, 1);
    m->in_set = m->form.in_place = true, m->cs = cs;
    if (map_check(m, graph, call, expression, 1, &tensor, true, NULL) && check_target(m, call, tensor))
        map_build(m, tensor);
}

void tw__popops_map_in_place(tw_graph *graph, const char *call, const char *expression, unsigned count,
                             const tw_tensor *tensors, tw_program sequence, const char *name,
                             const char *const *options)
{
    g_autofree mapping_call *m = g_new0(mapping_call, 1);
    m->sequence = sequence, m->name = name;
    if (!tw__libs_takes(graph, call, sequence)) return;
    if (!count) {
        tw_graph_fail(graph, TW_E_POPLIBS, call, "there is no tensor that the result could go to");
        return;
    }
    if (!map_check(m, graph, call, expression, count, tensors, true, options)) return;
    if (!check_target(m, call, tensors[0])) return;
    for (int i = 0; i < m->expr.count; i++) { /* other names of the target */
        tw__expr_node *n = &m->expr.node[i];
        if (n->kind == TW__EXPR_TENSOR && tw_tensor_equal(graph, m->tensor[n->tensor], tensors[0])) n->tensor = 0;
    }
    keep_used(m, memcpy(m->operand, m->tensor, sizeof m->tensor), true);
    bool here = (m->options.generate || m->options.force || m->expr.ops <= 1) &&
                tw_tensor_is_parallel_writeable(graph, tensors[0]) && !touches(m, tensors[0], 1);
    if (!here) {
        if (tw__popops_each_once(graph, call, tensors[0])) through_temporary(m, tensors[0]);
        return;
    }
    m->form.in_place = true;
    map_build(m, tensors[0]);
}

tw_tensor tw_popops_map(tw_graph *graph, const char *expression, unsigned count, const tw_tensor *tensors,
                        tw_program sequence, const char *name, const char *const *options)
{
    return tw__popops_map(graph, __func__, expression, count, tensors, TW__LIBS_NIL, sequence, name, options);
}

void tw_popops_map_in_place(tw_graph *graph, const char *expression, unsigned count, const tw_tensor *tensors,
                            tw_program sequence, const char *name, const char *const *options)
{
    tw__popops_map_in_place(graph, __func__, expression, count, tensors, sequence, name, options);
}

void tw_popops_map_with_output(tw_graph *graph, const char *expression, unsigned count, const tw_tensor *tensors,
                               tw_tensor output, tw_program sequence, const char *name, const char *const *options)
{
    if (!tw__libs_takes(graph, __func__, sequence)) return;
    if (!tw_tensor_valid(graph, output))
        TW__LIBS_REFUSE(graph, "the output is not a tensor of this graph");
    else
        tw__popops_map(graph, __func__, expression, count, tensors, output, sequence, name, options);
}
