/* SPDX-License-Identifier: MIT */
/* A matrix as a square one times an upper triangular one, each by one vertex: orthogonal, by Householder's
 * reflections; lower triangular, by elimination. */
#include "poplar/libs/poplin/codes.h"

#include <tilewright/poplibs/solve.h>

#include <string.h>

/* r := q' a and q, one reflection for each column. A reflection takes 2 v v' / v'v from what it meets. */
const tw__libs_code tw__qr_code = {
    "poplin::Qr",
    "f",
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INOUT(TW_VECTOR(%T%)) r;  /* [m][n] */\n    TW_OUTPUT(TW_VECTOR(%T%)) q; /* [m][m] */\n"
    "    TW_OUTPUT(TW_VECTOR(%T%)) v; /* [m] */\n    unsigned n;\n};\n"
    "bool %ID%_compute(%ID% *x)\n{\n"
    "    const size_t m = tw_size(x->v), n = x->n;\n"
    "    float *r = tw_begin(x->r), *q = tw_begin(x->q), *v = tw_begin(x->v);\n"
    "    for (size_t i = 0; i < m * m; i++) q[i] = 0;\n"
    "    for (size_t i = 0; i < m; i++) q[i * (m + 1)] = 1;\n"
    "    for (size_t k = 0; k < n && k + 1 < m; k++) {\n"
    "        float most = 0, norm = 0, square = 0;\n"
    "        for (size_t i = k; i < m; i++)\n"
    "            most = __builtin_fabsf(r[i * n + k]) > most ? __builtin_fabsf(r[i * n + k]) : most;\n"
    "        if (most == 0) continue;\n"
    "        for (size_t i = k; i < m; i++) v[i] = r[i * n + k] / most, norm += v[i] * v[i];\n"
    "        norm = __builtin_sqrtf(norm);\n"
    "        v[k] += v[k] < 0 ? -norm : norm;\n"
    "        for (size_t i = k; i < m; i++) square += v[i] * v[i];\n"
    "        for (size_t j = k; j < n; j++) {\n"
    "            float dot = 0;\n"
    "            for (size_t i = k; i < m; i++) dot += v[i] * r[i * n + j];\n"
    "            dot *= 2 / square;\n"
    "            for (size_t i = k; i < m; i++) r[i * n + j] -= dot * v[i];\n"
    "        }\n"
    "        for (size_t i = k + 1; i < m; i++) r[i * n + k] = 0;\n"
    "        for (size_t i = 0; i < m; i++) {\n"
    "            float dot = 0;\n"
    "            for (size_t j = k; j < m; j++) dot += q[i * m + j] * v[j];\n"
    "            dot *= 2 / square;\n"
    "            for (size_t j = k; j < m; j++) q[i * m + j] -= dot * v[j];\n"
    "        }\n"
    "    }\n    return true;\n}\n",
};

/* A row is taken from those below it as often as makes their elements in its column 0. */
const tw__libs_code tw__lu_code = {
    "poplin::Lu",
    "f",
    "TW_VERTEX_AS(%ID%, \"%NAME%\")\n{\n"
    "    TW_INOUT(TW_VECTOR(%T%)) r;  /* [m][n] */\n    TW_OUTPUT(TW_VECTOR(%T%)) q; /* [m][m] */\n"
    "    unsigned m, n;\n};\n"
    "bool %ID%_compute(%ID% *x)\n{\n"
    "    const size_t m = x->m, n = x->n;\n"
    "    float *u = tw_begin(x->r), *l = tw_begin(x->q);\n"
    "    for (size_t i = 0; i < m * m; i++) l[i] = 0;\n"
    "    for (size_t i = 0; i < m; i++) l[i * (m + 1)] = 1;\n"
    "    for (size_t k = 0; k < n && k + 1 < m; k++)\n"
    "        for (size_t i = k + 1; i < m; i++) {\n"
    "            const float times = u[i * n + k] / u[k * n + k];\n"
    "            l[i * m + k] = times, u[i * n + k] = 0;\n"
    "            for (size_t j = k + 1; j < n; j++) u[i * n + j] -= times * u[k * n + j];\n"
    "        }\n"
    "    return true;\n}\n",
};

/* [m][m] or [m][n] of all matrices, each on the tile that factors it. */
static tw_tensor qr_variable(tw_graph *graph, size_t batches, size_t elements, const char *name)
{
    unsigned tiles = tw_target_tiles(tw_graph_target(graph));
    tw_tensor t = tw_graph_add_variable(graph, TW_FLOAT, 2, (size_t[]){ batches, elements }, name);
    for (size_t b = 0; b < batches; b++) tw_graph_map(graph, tw_tensor_index(graph, t, b), (unsigned)(b % tiles));
    return t;
}

static tw_tensor qr_result(tw_graph *graph, tw_tensor made, tw_type type, const tw__extents *shape,
                           tw_program sequence, const char *name)
{
    made = tw_tensor_reshape(graph, made, shape->rank, shape->dim);
    return tw_tensor_keep(graph, type == TW_FLOAT ? made : tw_popops_cast(graph, made, type, sequence, name));
}

/* First q and second r of a = q r, of `type`; a is checked, of `shape`. */
static tw_pair qr_factors(tw_graph *graph, const tw__libs_code *code, tw_tensor a, tw_type type,
                          const tw__extents *shape, tw_program sequence, const char *name)
{
    tw_pair made = { TW__LIBS_NIL, TW__LIBS_NIL };
    const char *vertex = tw__libs_code_vertex(graph, code, TW_FLOAT);
    if (!vertex) return made;
    tw__extents square = *shape;
    size_t m = shape->dim[shape->rank - 2], n = shape->dim[shape->rank - 1];
    size_t batches = tw__libs_count(shape) / (m * n);
    square.dim[shape->rank - 1] = m;
    unsigned tiles = tw_target_tiles(tw_graph_target(graph));
    tw_graph_push_scope(graph);
    tw_tensor r = qr_variable(graph, batches, m * n, name), q = qr_variable(graph, batches, m * m, name);
    tw_tensor v = code == &tw__qr_code ? qr_variable(graph, batches, m, name) : TW__LIBS_NIL;
    tw_tensor floats =
        tw_tensor_type(graph, a) == TW_FLOAT ? a : tw_popops_cast(graph, a, TW_FLOAT, sequence, name);
    tw_tensor from = tw_tensor_reshape(graph, floats, 2, (size_t[]){ batches, m * n });
    tw_program_sequence_add(graph, sequence, tw_program_copy(graph, from, r));
    tw_compute_set cs =
        tw_graph_add_compute_set(graph, tw__libs_path(name, code == &tw__qr_code ? "Qr" : "Lu").text);
    for (size_t b = 0; b < batches; b++) {
        tw_vertex x = tw_graph_add_vertex(graph, cs, vertex, (unsigned)(b % tiles));
        tw_graph_connect(graph, x, "r", tw_tensor_index(graph, r, b));
        tw_graph_connect(graph, x, "q", tw_tensor_index(graph, q, b));
        if (v.id)
            tw_graph_connect(graph, x, "v", tw_tensor_index(graph, v, b));
        else
            tw_graph_set_field_int(graph, x, "m", (int64_t)m);
        tw_graph_set_field_int(graph, x, "n", (int64_t)n);
    }
    tw_program_sequence_add(graph, sequence, tw_program_execute(graph, cs));
    made.first = qr_result(graph, q, type, &square, sequence, name);
    made.second = qr_result(graph, r, type, shape, sequence, name);
    tw_graph_pop_scope(graph);
    return made;
}

static tw_pair qr_of(tw_graph *graph, const char *call, const tw__libs_code *code, tw_tensor a, tw_program sequence,
                     const char *name)
{
    tw_pair none = { TW__LIBS_NIL, TW__LIBS_NIL };
    if (!tw__libs_takes(graph, call, sequence) || !tw__real_check(graph, call, a, 2)) return none;
    tw__extents shape = tw__libs_shape(graph, a);
    bool qr = code == &tw__qr_code;
    if (tw__libs_count(&shape) && (!qr || shape.dim[shape.rank - 2] >= shape.dim[shape.rank - 1]))
        return qr_factors(graph, code, a, qr ? tw_tensor_type(graph, a) : TW_FLOAT, &shape, sequence, name);
    tw_graph_fail(graph, TW_E_POPLIBS, call, "%s is no matrix (or batch of them)%s",
                  tw__libs_describe(graph, a).text, qr ? " with as many rows as columns, or more" : "");
    return none;
}

tw_pair tw_poplin_qr(tw_graph *graph, tw_tensor a, tw_program sequence, const char *name)
{
    return qr_of(graph, __func__, &tw__qr_code, a, sequence, name);
}

tw_pair tw_poplin_lu(tw_graph *graph, tw_tensor a, tw_program sequence, const char *name)
{
    return qr_of(graph, __func__, &tw__lu_code, a, sequence, name);
}
