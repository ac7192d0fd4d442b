/* SPDX-License-Identifier: MIT */
/* Cycles of the libraries' vertices on the IPU Model: numbers from runs of their code on simulated tiles, which
 * test_libs_tiles compares. Worker cycles of a vertex, tile cycles of one that all workers share. */
#include "poplar/libs/libs.h"

#include <math.h>
#include <string.h>

/* each * product of what is named: a field's elements ("in": of all rows), the value of plain state ("=n"), the
 * logarithm of one more than that ("lg k"), whole units of a field's elements ("128 out"), turns of loops
 * ("lu cells": estimate_turns()), how many turns one worker takes for all ("alone"). */
typedef struct estimate_term {
    double each;
    const char *of[4];
} estimate_term;
typedef struct estimate_row {
    const char *prefix; /* of the vertex's name */
    double start;
    estimate_term term[3];
} estimate_row;

static const estimate_row estimate_rows[] = {
    { "poplin::Factor<", 60, { { 12, { "=n", "=n" } }, { 1.2, { "=n", "=n", "=n" } } } },
    { "poplin::Lu<", 150, { { 0.2, { "q" } }, { 40, { "lu rows" } }, { 4, { "lu cells" } } } },
    { "poplin::Qr<", 400, { { 0.2, { "q" } }, { 20, { "qr rows" } }, { 11.6, { "qr cells" } } } },
    { "poplin::Substitute<", 700, { { 13, { "=n", "=n", "=columns" } }, { 50, { "=n", "=columns" } } } },
    { "popops::Fill<", 15, { { 0.8, { "out" } } } },
    { "popops::First<", 60, { { 40, { "in", "lg k" } } } },
    { "popops::Histogram<", 40, { { 15, { "in", "lg bins" } } } },
    { "popops::Iota<", 20, { { 2, { "out" } } } },
    { "popops::Merge<", 100, { { 30, { "keys" } } } },
    { "popops::MinusOne<", 40, { { 6, { "out" } } } },
    { "popops::OneHot<half", 40, { { 22, { "out" } } } },
    { "popops::OneHot<", 40, { { 11, { "out" } } } },
    { "popops::ReduceColumns<add", 500, { { 7, { "in" } } } },
    { "popops::ReduceColumns<max", 100, { { 16.5, { "in" } } } },
    { "popops::ReduceColumns<min", 100, { { 16.5, { "in" } } } },
    { "popops::ReduceColumns<", 100, { { 8, { "in" } } } },
    { "popops::ReduceJoin<logical", 40, { { 45, { "in" } } } },
    { "popops::ReduceJoin<", 30, { { 14, { "in" } } } },
    { "popops::ReduceRows<add", 120, { { 13, { "in" } } } },
    { "popops::ReduceRows<logical", 40, { { 20, { "in" } } } },
    { "popops::ReduceRows<max", 40, { { 25, { "in" } } } },
    { "popops::ReduceRows<min", 40, { { 25, { "in" } } } },
    { "popops::ReduceRows<", 40, { { 14.5, { "in" } } } },
    { "popops::Scan<half", 30, { { 16, { "in" } } } },
    { "popops::Scan<", 30, { { 7, { "in" } } } },
    { "popops::Slice<unsigned_short", 1500, { { 250, { "=lookups", "=rows" } }, { 12, { "s" } } } },
    { "popops::Slice<", 700, { { 150, { "=lookups", "=rows" } }, { 4, { "s" } } } },
    { "popops::SplineBasis<", 60, { { 160, { "basis", "size" } } } },
    { "popops::SplineWeighting<half",
      200,
      { { 62, { "out", "=splines", "alone" } }, { 11.3, { "out", "=splines", "=channels", "alone" } } } },
    { "popops::SplineWeighting<",
      200,
      { { 60, { "out", "=splines" } }, { 11.3, { "out", "=splines", "=channels" } } } },
    { "popops::Take<", 40, { { 6, { "out" } } } },
    { "popops::Update", 700, { { 700, { "=lookups", "=rows" } }, { 4, { "s" } } } },
    { "poprand::Bernoulli<", 60, { { 25100, { "128 out" } } } },
    { "poprand::Normal<", 60, { { 42400, { "128 out" } } } },
    { "poprand::Truncated<", 60, { { 50300, { "32 out" } } } },
    { "poprand::", 60, { { 26300, { "128 out" } } } },
    { "popsparse::BlockSoftmaxGradient<", 200, { { 38, { "x" } } } },
    { "popsparse::BlockSoftmax<", 200, { { 115, { "x" } } } },
    { "popsparse::Gradient<", 200, { { 8, { "sums", "=batch" } }, { 11, { "meta" } } } },
    { "popsparse::Product<", 200, { { 10.5, { "values", "=batch" } }, { 45, { "meta" } } } },
    { "popsparse::Rows<", 200, { { 12.5, { "indices", "meta" } } } },
    { "popsparse::Steps<", 10, { { 0, { NULL } } } },
    { "popsparse::Update<", 200, { { 8, { "indices", "meta" } } } },
};

static double estimate_elements(const tw_vertex_info *v, const char *field)
{
    const char *inner = tw_vertex_info_layout(v, field, 1);
    size_t rows = tw_vertex_info_field_size(v, field), n = 0;
    if (!inner || !*inner) return (double)rows;
    for (size_t r = 0; r < rows; r++) n += tw_vertex_info_sub_size(v, field, r);
    return (double)n;
}

/* Of the loops over columns that LU and QR take one after the other: rows that one is taken from, or columns of both
 * matrices that one is reflected in; with "cells", the elements of these that are changed. */
static double estimate_turns(const tw_vertex_info *v, const char *what)
{
    double n = tw_vertex_info_value(v, "n", 0), m = sqrt(estimate_elements(v, "q")), turns = 0;
    bool qr = *what == 'q', cells = g_str_has_suffix(what, "cells");
    for (unsigned column = 0; column < n && column + 1.0 < m; column++) {
        double k = column, rows = qr ? n - k + m : m - 1 - k, each = qr ? m - k : n - 1 - k;
        turns += cells ? rows * each : rows;
    }
    return turns;
}

static double estimate_factor(const tw_vertex_info *v, const char *what)
{
    if (*what == '=') return tw_vertex_info_value(v, what + 1, 0);
    if (g_str_has_prefix(what, "lu ") || g_str_has_prefix(what, "qr ")) return estimate_turns(v, what);
    if (strcmp(what, "alone") == 0) return (size_t)tw_vertex_info_value(v, "columns", 0) % 2 ? 6 : 1;
    if (strcmp(what, "lg bins") == 0) return log2(1 + estimate_elements(v, "out"));
    if (g_str_has_prefix(what, "lg ")) return log2(1 + tw_vertex_info_value(v, what + 3, 0));
    char *field;
    double unit = (double)g_ascii_strtoull(what, &field, 10);
    return unit > 0 ? ceil(estimate_elements(v, field + 1) / unit) : estimate_elements(v, what);
}

static tw_perf_estimate estimate_vertex(const tw_vertex_info *v, const tw_target *target, void *user)
{
    (void)target;
    const estimate_row *row = user;
    double cycles = row->start;
    for (size_t t = 0; t < G_N_ELEMENTS(row->term); t++) {
        double work = row->term[t].each;
        for (size_t i = 0; i < G_N_ELEMENTS(row->term[t].of) && row->term[t].of[i]; i++)
            work *= estimate_factor(v, row->term[t].of[i]);
        cycles += work;
    }
    return (tw_perf_estimate){ (uint64_t)cycles, 0 };
}

void tw__libs_estimate(tw_graph *graph, const char *vertex)
{
    for (size_t i = 0; i < G_N_ELEMENTS(estimate_rows); i++)
        if (g_str_has_prefix(vertex, estimate_rows[i].prefix)) {
            tw_graph_register_perf_estimator(graph, vertex, estimate_vertex, (void *)(uintptr_t)&estimate_rows[i],
                                             NULL);
            return;
        }
}

/* --- expressions ------------------------------------------------------------------------------------------------ */

/* Turns for each element, beside one for each operand and one for the result. */
static double estimate_op(const char *name)
{
    static const struct {
        const char *name;
        double turns;
    } slow[] = { { "asin", 90 },      { "atan2", 222 }, { "cbrt", 175 }, { "clamp", 8 },   { "cos", 136 },
                 { "div", 3 },        { "erf", 162 },   { "exp", 20 },   { "exp2", 20 },   { "expm1", 120 },
                 { "gelu_erf", 170 }, { "inv", 3 },     { "log", 23 },   { "log1p", 128 }, { "max", 6 },
                 { "min", 6 },        { "pow", 380 },   { "rem", 106 },  { "rsqrt", 8 },   { "select", 4 },
                 { "sigmoid", 20 },   { "sin", 136 },   { "signum", 6 }, { "sqrt", 5 },    { "tan", 147 },
                 { "tanh", 17 },      { "gt", 2 },      { "lt", 2 },     { "gteq", 2 },    { "lteq", 2 },
                 { "is_nan", 2 },     { "neq", 2 } };
    for (size_t i = 0; i < G_N_ELEMENTS(slow); i++)
        if (strcmp(name, slow[i].name) == 0) return slow[i].turns;
    return 0.5;
}

/* Of integers: quotients and remainders are functions. */
double tw__libs_op_turns(const char *name, tw_type operands)
{
    bool real = operands == TW_FLOAT || operands == TW_HALF;
    return !real && (strcmp(name, "div") == 0 || strcmp(name, "rem") == 0) ? 50 : estimate_op(name);
}

static tw_perf_estimate estimate_map(const tw_vertex_info *v, const tw_target *target, void *user)
{
    (void)target;
    double tenths = (double)GPOINTER_TO_SIZE(user), n = (double)tw_vertex_info_field_size(v, "out");
    return (tw_perf_estimate){ (uint64_t)(24 + n * tenths / 10), 0 };
}

void tw__libs_estimate_map(tw_graph *graph, const char *vertex, double turns)
{
    tw_graph_register_perf_estimator(graph, vertex, estimate_map, GSIZE_TO_POINTER((size_t)(10 * turns + 0.5)),
                                     NULL);
}
