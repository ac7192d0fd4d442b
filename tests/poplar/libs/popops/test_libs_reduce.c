/* SPDX-License-Identifier: MIT */
/* Reductions against loops in double; the same bits wherever the elements lie, on any device, and however they are
 * stored. */
#include "poplar/libs/libs_run.h"

enum { REDUCE_MOST = 1 << 16 };

static double join(tw_reduce_op op, double a, double b)
{
    switch (op) {
    case TW_REDUCE_ADD: return a + b;
    case TW_REDUCE_MUL: return a * b;
    case TW_REDUCE_MIN: return fmin(a, b);
    case TW_REDUCE_MAX: return fmax(a, b);
    case TW_REDUCE_LOGICAL_AND: return a != 0 && b != 0;
    case TW_REDUCE_LOGICAL_OR: return a != 0 || b != 0;
    case TW_REDUCE_SQUARE_ADD: return a + b * b;
    case TW_REDUCE_LOG_ADD: return a + exp(b);
    }
    return 0;
}

static double start(tw_reduce_op op)
{
    static const double values[] = { 0, 1, INFINITY, -INFINITY, 1, 0, 0, 0 };
    return values[op];
}

typedef struct reduce_case {
    tw_reduce_op op;
    tw_type from, to;
    unsigned rank, count;
    size_t shape[4], dims[4];
    bool turned; /* stored with its dimensions in reverse */
} reduce_case;

static size_t product(const reduce_case *c, bool kept)
{
    size_t n = 1;
    for (unsigned d = 0; d < c->rank; d++) {
        bool reduced = false;
        for (unsigned i = 0; i < c->count; i++) reduced |= c->dims[i] == d;
        if (!kept || !reduced) n *= c->shape[d];
    }
    return n;
}

/* The result, and the sum of magnitudes for the tolerance. */
static void reference(const reduce_case *c, const double *x, double *want, double *size)
{
    size_t results = product(c, true), n = product(c, false);
    for (size_t i = 0; i < results; i++) want[i] = start(c->op), size[i] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t rest = i, to = 0, step = 1;
        for (unsigned d = c->rank; d-- > 0; rest /= c->shape[d]) {
            bool reduced = false;
            for (unsigned k = 0; k < c->count; k++) reduced |= c->dims[k] == d;
            if (!reduced) to += rest % c->shape[d] * step, step *= c->shape[d];
        }
        want[to] = join(c->op, want[to], x[i]);
        size[to] += c->op == TW_REDUCE_SQUARE_ADD ? x[i] * x[i] : fabs(x[i]);
    }
    for (size_t i = 0; i < results && c->op == TW_REDUCE_LOG_ADD; i++) want[i] = log(want[i]);
}

/* A variable of the shape, or of the reversed one with a view that has it. */
static tw_tensor add_case(tw_graph *g, const reduce_case *c, int way, lcg *r)
{
    size_t shape[4];
    unsigned order[4];
    for (unsigned d = 0; d < c->rank; d++) {
        order[d] = c->rank - 1 - d;
        shape[d] = c->shape[c->turned ? order[d] : d];
    }
    tw_tensor t = tw_graph_add_variable(g, c->from, c->rank, shape, "t");
    map_somehow(g, t, way, r);
    return c->turned ? tw_tensor_dim_shuffle(g, t, order) : t;
}

static void run_case(tw_device *dev, const reduce_case *c, int way, const char *bytes, char *out)
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    lcg r = { 31 + (uint64_t)way };
    tw_tensor t = add_case(g, c, way, &r);
    tw_program p = tw_program_sequence(g, NULL);
    tw_reduce_params params = { .op = c->op };
    tw_tensor y = tw_popops_reduce(g, t, c->to, c->count, c->dims, &params, p, "y", NULL);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    assert_int_equal(tw_tensor_rank(g, y), c->rank - c->count);
    run_once(g, dev, p, 2, (io[]){ { t, (void *)(uintptr_t)bytes, false }, { y, out, true } });
    tw_graph_free(g);
}

static void store_value(tw_type type, char *to, double v)
{
    float f = (float)v;
    uint16_t h = tw_f64_to_f16(v, TW_ROUND_NEAREST_EVEN, 0);
    if (type == TW_FLOAT)
        memcpy(to, &f, 4);
    else if (type == TW_HALF)
        memcpy(to, &h, 2);
    else
        tw_type_store(type, to, v);
}

static void compare_case(const reduce_case *c, const char *out, const double *want, const double *size)
{
    bool real = c->to == TW_FLOAT || c->to == TW_HALF;
    bool exact = !real || c->op == TW_REDUCE_MIN || c->op == TW_REDUCE_MAX;
    for (size_t i = 0; i < product(c, true); i++) {
        double seen = tw_type_load(c->to, out + i * tw_type_size(c->to));
        double unit = c->to == TW_HALF ? 0x1p-10 : 0x1p-20;
        double room = exact ? 0
                            : unit * (c->op == TW_REDUCE_LOG_ADD ? 4 + fabs(want[i])
                                      : c->op == TW_REDUCE_MUL   ? 4 * fabs(want[i]) + 1e-30
                                                                 : size[i]);
        if (!(fabs(seen - want[i]) <= room) && seen != want[i])
            fail_msg("op %d, type %d, result %zu: %.9g, not %.9g", (int)c->op, (int)c->from, i, seen, want[i]);
    }
}

static double value_for(lcg *r, const reduce_case *c)
{
    if (c->from == TW_BOOL)
        return draw(r, 8) != (c->op == TW_REDUCE_LOGICAL_AND ? 0u : 1u) ? c->op == TW_REDUCE_LOGICAL_AND
                                                                        : draw(r, 2);
    if (c->from == TW_INT) return (double)draw(r, 7) - 3;
    if (c->from == TW_UNSIGNED_INT) return draw(r, 5);
    if (c->op == TW_REDUCE_MUL) return draw_real(r, 0.98, 1.02);
    return (double)(float)draw_real(r, -2, 2);
}

static void check_case(const reduce_case *given, lcg *r)
{
    static double x[REDUCE_MOST], want[REDUCE_MOST], size[REDUCE_MOST];
    static char bytes[REDUCE_MOST * 4], first[REDUCE_MOST * 4], out[REDUCE_MOST * 4];
    reduce_case c = *given;
    size_t n = product(&c, false), width = tw_type_size(c.from);
    for (size_t i = 0; i < n; i++) {
        store_value(c.from, bytes + i * width, value_for(r, &c));
        x[i] = tw_type_load(c.from, bytes + i * width);
    }
    reference(&c, x, want, size);
    if (c.to == TW_INT) /* modulo 2^32 */
        for (size_t i = 0; i < product(&c, true); i++)
            if (c.op <= TW_REDUCE_MUL || c.op == TW_REDUCE_SQUARE_ADD)
                want[i] = fabs(want[i]) < 9e15 ? (double)(int32_t)(uint32_t)(int64_t)want[i] : NAN;
    tw_device *dev[] = { tw_device_cpu_accurate_half(), model_device(7, 1), model_device(40, 1) };
    size_t made = product(&c, true) * tw_type_size(c.to);
    for (int k = 0; k < 6; k++) {
        c.turned = k % 2;
        run_case(dev[k % 3], &c, k % 3 ? k % MAPPINGS : 0, bytes, k ? out : first);
        if (k == 0 && !(c.to == TW_INT && isnan(want[0]))) compare_case(&c, first, want, size);
        if (k && memcmp(first, out, made) != 0) fail_msg("op %d: other bits in run %d", (int)c.op, k);
    }
    for (int k = 0; k < 3; k++) tw_device_free(dev[k]);
}

static void libs_reduce_random(void **state)
{
    (void)state;
    static const struct {
        tw_reduce_op op;
        tw_type from, to;
    } rows[] = {
        { TW_REDUCE_ADD, TW_FLOAT, TW_FLOAT },
        { TW_REDUCE_ADD, TW_HALF, TW_HALF },
        { TW_REDUCE_ADD, TW_HALF, TW_FLOAT },
        { TW_REDUCE_ADD, TW_INT, TW_INT },
        { TW_REDUCE_ADD, TW_FLOAT, TW_HALF },
        { TW_REDUCE_MUL, TW_FLOAT, TW_FLOAT },
        { TW_REDUCE_MAX, TW_FLOAT, TW_FLOAT },
        { TW_REDUCE_MIN, TW_HALF, TW_HALF },
        { TW_REDUCE_MAX, TW_INT, TW_INT },
        { TW_REDUCE_MIN, TW_UNSIGNED_INT, TW_UNSIGNED_INT },
        { TW_REDUCE_LOGICAL_AND, TW_BOOL, TW_BOOL },
        { TW_REDUCE_LOGICAL_OR, TW_BOOL, TW_BOOL },
        { TW_REDUCE_SQUARE_ADD, TW_FLOAT, TW_FLOAT },
        { TW_REDUCE_SQUARE_ADD, TW_INT, TW_INT },
        { TW_REDUCE_LOG_ADD, TW_FLOAT, TW_FLOAT },
        { TW_REDUCE_LOG_ADD, TW_HALF, TW_FLOAT },
    };
    lcg r = { 8 };
    for (size_t k = 0; k < 3 * sizeof rows / sizeof *rows; k++) {
        size_t row = k % (sizeof rows / sizeof *rows);
        reduce_case c = { .op = rows[row].op, .from = rows[row].from, .to = rows[row].to, .rank = 1 + draw(&r, 3) };
        static const unsigned most[] = { 0, 9000, 120, 22 };
        for (unsigned d = 0; d < c.rank; d++) {
            c.shape[d] = 1 + draw(&r, most[c.rank]);
            if (draw(&r, 3) || (d + 1 == c.rank && !c.count)) c.dims[c.count++] = d;
        }
        if (c.count == 2 && draw(&r, 2)) { /* in any order: the elements are numbered all the same */
            size_t swap = c.dims[0];
            c.dims[0] = c.dims[1], c.dims[1] = swap;
        }
        check_case(&c, &r);
    }
}

/* Sizes around leaves, chunks and groups of 64 partial results. */
static void libs_reduce_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = {
        1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 64 * 240 + 1, 50000
    };
    lcg r = { 12 };
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        reduce_case c = { TW_REDUCE_ADD, TW_FLOAT, TW_FLOAT, 1, 1, { sizes[k] }, { 0 }, false };
        check_case(&c, &r);
    }
    reduce_case columns = { TW_REDUCE_ADD, TW_FLOAT, TW_FLOAT, 2, 1, { 700, 90 }, { 0 }, false };
    check_case(&columns, &r);
}

static void libs_reduce_parameters(void **state)
{
    (void)state;
    tw_device *dev = model_device(5, 1);
    for (int half = 0; half < 2; half++)
        for (int update = 0; update < 2; update++)
            for (int scaled = 0; scaled < 2; scaled++)
                for (int op = 0; op < 3; op++) {
                    static const tw_reduce_op ops[] = { TW_REDUCE_ADD, TW_REDUCE_SQUARE_ADD, TW_REDUCE_LOG_ADD };
                    tw_graph *g = tw_graph_new(tw_device_target(dev));
                    tw_type type = half ? TW_HALF : TW_FLOAT;
                    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 30, 4 }, "x"),
                              y = tw_graph_add_variable(g, type, 1, (size_t[]){ 4 }, "y"),
                              s = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 1 }, "s");
                    tw_poputil_map_linearly(g, x), tw_graph_map(g, y, 2), tw_graph_map(g, s, 1);
                    tw_program p = tw_program_sequence(g, NULL);
                    tw_reduce_params params = { ops[op], update, scaled ? s : (tw_tensor){ 0, 0 } };
                    tw_popops_reduce_with_output(g, x, y, 1, (size_t[]){ 0 }, &params, p, "r",
                                                 (const char *const[]){ "accumType.inVertex=float", NULL });
                    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
                    float in[120], scale = 0.75f;
                    char old[16], out[16];
                    lcg r = { 3 };
                    for (int i = 0; i < 120; i++) in[i] = (float)draw_real(&r, -1, 1);
                    for (int i = 0; i < 4; i++) store_value(type, old + (size_t)i * tw_type_size(type), i + 0.5);
                    run_once(g, dev, p, 4,
                             (io[]){ { x, in, false }, { s, &scale, false }, { y, old, false }, { y, out, true } });
                    for (int j = 0; j < 4; j++) {
                        double sum = 0, was = j + 0.5;
                        for (int i = 0; i < 30; i++) sum = join(ops[op], sum, in[i * 4 + j]);
                        double want = op == 2 ? log(sum) + (scaled ? scale : 0) : sum * (scaled ? scale : 1);
                        if (update) want = op == 2 ? log(exp(want) + exp(was)) : was + want;
                        double seen = tw_type_load(type, out + (size_t)j * tw_type_size(type));
                        if (fabs(seen - want) > (half ? 0x1p-9 : 4e-6) * (1 + fabs(want)))
                            fail_msg("%g, not %g", seen, want);
                    }
                    tw_graph_free(g);
                }
    tw_device_free(dev);
}

static void libs_reduce_edges(void **state)
{
    (void)state;
    tw_device *dev = model_device(5, 1);
    static const struct {
        tw_reduce_op op;
        tw_type type;
        double want;
    } rows[] = { { TW_REDUCE_ADD, TW_FLOAT, 0 },           { TW_REDUCE_MUL, TW_INT, 1 },
                 { TW_REDUCE_MIN, TW_FLOAT, INFINITY },    { TW_REDUCE_MAX, TW_FLOAT, -INFINITY },
                 { TW_REDUCE_LOGICAL_AND, TW_BOOL, 1 },    { TW_REDUCE_LOGICAL_OR, TW_BOOL, 0 },
                 { TW_REDUCE_MAX, TW_INT, -2147483648.0 }, { TW_REDUCE_MIN, TW_UNSIGNED_INT, 4294967295.0 } };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor x = tw_graph_add_variable(g, rows[k].type, 2, (size_t[]){ 3, 0 }, "x");
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor y = tw_popops_reduce(g, x, TW_TYPE_NONE, 1, (size_t[]){ 1 },
                                       &(tw_reduce_params){ .op = rows[k].op }, p, "y", NULL);
        char out[12];
        run_once(g, dev, p, 1, &(io){ y, out, true });
        float f;
        memcpy(&f, out, 4);
        double seen = rows[k].type == TW_FLOAT ? (double)f : tw_type_load(rows[k].type, out);
        assert_true(seen == rows[k].want);
        tw_graph_free(g);
    }
    /* one element for each result: a copy, no vertex */
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 3, (size_t[]){ 4, 1, 5 }, "x");
    tw_poputil_map_linearly(g, x);
    tw_program p = tw_program_sequence(g, NULL);
    tw_popops_reduce(g, x, TW_TYPE_NONE, 1, (size_t[]){ 1 }, NULL, p, "y", NULL);
    assert_int_equal(tw_graph_status(g), TW_OK);
    assert_int_equal(tw_graph_vertex_count(g), 0);
    uint64_t before = graph_hash(g);
    tw_tensor i = tw_graph_add_variable(g, TW_INT, 1, (size_t[]){ 4 }, "i"),
              y = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 4 }, "y");
    tw_graph_map(g, i, 0), tw_graph_map(g, y, 0);
    before = graph_hash(g);
    tw_popops_reduce(g, x, TW_TYPE_NONE, 2, (size_t[]){ 0, 3 }, NULL, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce", "'x' float[4, 1, 5]", "no dimension 3", NULL);
    tw_popops_reduce(g, x, TW_TYPE_NONE, 2, (size_t[]){ 1, 1 }, NULL, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce", "dimension 1 is named twice", NULL);
    tw_popops_reduce(g, x, TW_INT, 1, (size_t[]){ 1 }, NULL, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce", "'add' of 'x' float[4, 1, 5] cannot be int", NULL);
    tw_popops_reduce(g, i, TW_TYPE_NONE, 1, (size_t[]){ 0 }, &(tw_reduce_params){ .op = TW_REDUCE_LOG_ADD }, p,
                     NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce", "'log_add' of 'i' int[4]", NULL);
    tw_popops_reduce(g, x, TW_TYPE_NONE, 1, (size_t[]){ 0 }, &(tw_reduce_params){ .update = true }, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce", "an update needs an output", NULL);
    tw_popops_reduce(g, x, TW_TYPE_NONE, 1, (size_t[]){ 0 }, &(tw_reduce_params){ .op = TW_REDUCE_MAX, .scale = y },
                     p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce", "'max' has no scale", NULL);
    tw_popops_reduce(g, x, TW_TYPE_NONE, 1, (size_t[]){ 0 }, &(tw_reduce_params){ .scale = y }, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce", "one float", "'y' float[4]", NULL);
    tw_popops_reduce_with_output(g, x, y, 1, (size_t[]){ 0 }, NULL, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce_with_output", "[1, 5]", "'y' float[4]", NULL);
    tw_popops_reduce(g, x, TW_TYPE_NONE, 1, (size_t[]){ 0 }, NULL, p, NULL,
                     (const char *const[]){ "accumType.interTile=int", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_popops_reduce", "half, float", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

/* Several reductions in the same compute sets, and into sets of the caller's: each gives the bits that it gives
 * alone, and the sets are as many as the longest of them needs. */
static void libs_reduce_together(void **state)
{
    (void)state;
    enum { KINDS = 8 };
    static const size_t zero = 0, both[] = { 1, 0 };
    static const tw_reduce_params log_add = { .op = TW_REDUCE_LOG_ADD }, most = { .op = TW_REDUCE_MAX },
                                  squares = { .op = TW_REDUCE_SQUARE_ADD };
    for (int way = 0; way < MAPPINGS; way++)
        for (int sets = 0; sets < 2; sets++) {
            tw_device *dev = model_device(5, 1);
            tw_graph *g = tw_graph_new(tw_device_target(dev));
            lcg r = { 3 };
            tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ 300, 7 }, "x"),
                      sum = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 7 }, "sum"),
                      two = tw_graph_add_constant_double(g, TW_FLOAT, 0, NULL, 2, "two");
            map_somehow(g, x, way, &r), tw_graph_map(g, sum, 1), tw_graph_map(g, two, 0);
            tw_tensor old = tw_graph_clone(g, TW_TYPE_NONE, sum, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "old");
            tw_reduce_params update = { .op = TW_REDUCE_ADD, .update = true, .scale = two };
            tw_tensor none = tw_tensor_slice(g, x, 0, 5, 5), row = tw_tensor_slice(g, x, 0, 5, 6);
            tw_reduce_one all[KINDS] = {
                { x, TW_TYPE_NONE, 1, &zero, NULL },     { x, TW_TYPE_NONE, 2, both, &log_add },
                { x, TW_HALF, 1, &zero, &squares },      { x, TW_TYPE_NONE, 1, &zero, &update },
                { none, TW_TYPE_NONE, 1, &zero, &most }, { row, TW_TYPE_NONE, 1, &zero, &most },
                { x, TW_TYPE_NONE, 2, both, NULL },      { x, TW_TYPE_NONE, 0, NULL, NULL },
            };
            tw_tensor out[KINDS] = { [3] = sum }, alone[KINDS];
            tw_program p = tw_program_sequence(g, NULL);
            for (int k = 0; k < KINDS; k++) {
                if (k == 3)
                    tw_popops_reduce_with_output(g, x, alone[k] = old, 1, &zero, &update, p, "y", NULL);
                else
                    alone[k] = tw_popops_reduce(g, all[k].tensor, all[k].type, all[k].count, all[k].dims,
                                                all[k].params, p, "y", NULL);
            }
            tw_compute_set set[2 * TW_REDUCE_SETS] = { tw_graph_add_compute_set(g, "first") };
            size_t count = 1, before = count;
            if (sets) {
                count = tw_popops_reduce_sets(g, 4, all, out, count, set, 2 * TW_REDUCE_SETS, "s", NULL);
                before = count;
                count = tw_popops_reduce_sets(g, 4, all + 4, out + 4, count, set, 2 * TW_REDUCE_SETS, "s", NULL);
                for (size_t i = 0; i < count; i++) tw_program_sequence_add(g, p, tw_program_execute(g, set[i]));
            } else {
                tw_popops_reduce_many(g, KINDS, all, out, p, "many", NULL);
            }
            if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
            assert_int_equal(count, before); /* the second four needed no more */
            static float in[2100], seen[2][KINDS][2100];
            float start[7] = { 1, 2, 3, 4, 5, 6, 7 };
            memset(seen, 0, sizeof seen);
            for (int i = 0; i < 2100; i++) in[i] = (float)draw_real(&r, -2, 2);
            io list[3 + 2 * KINDS] = { { x, in, false }, { sum, start, false }, { old, start, false } };
            for (int k = 0; k < KINDS; k++) {
                list[3 + k] = (io){ alone[k], seen[0][k], true };
                list[3 + KINDS + k] = (io){ out[k], seen[1][k], true };
            }
            run_once(g, dev, p, 3 + 2 * KINDS, list);
            for (int k = 0; k < KINDS; k++)
                if (memcmp(seen[0][k], seen[1][k], sizeof seen[0][k]) != 0)
                    fail_msg("reduction %d, sets %d", k, sets);
            tw_graph_free(g);
            tw_device_free(dev);
        }
}

static void libs_reduce_together_refused(void **state)
{
    (void)state;
    static const size_t zero = 0, two = 2;
    tw_device *dev = model_device(5, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ 30 }, "x"), out[2] = { { 0, 0 }, { 0, 0 } };
    tw_graph_map(g, x, 0);
    tw_program p = tw_program_sequence(g, NULL);
    tw_reduce_one all[] = { { x, TW_TYPE_NONE, 1, &zero, NULL }, { x, TW_TYPE_NONE, 1, &two, NULL } };
    tw_compute_set set[4];
    uint64_t before = graph_hash(g);
    tw_popops_reduce_many(g, 2, all, out, p, "many", NULL); /* the second is wrong: nothing is built */
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce_many", "'x' float[30]", "no dimension 2", NULL);
    all[1] = (tw_reduce_one){ tw_tensor_slice(g, x, 0, 4, 5), TW_TYPE_NONE, 1, &zero, NULL }; /* a copy */
    out[1] = tw_tensor_reshape(g, tw_tensor_slice(g, x, 0, 7, 8), 0, NULL);
    tw_popops_reduce_many(g, 2, all, out, p, "many", NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce_many", "output 1",
                 "shares elements with the tensor of reduction 0", NULL);
    out[0] = out[1] = (tw_tensor){ 0, 0 };
    assert_int_equal(tw_popops_reduce_sets(g, 1, all, out, 0, set, 4, "s", NULL), 0);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce_sets", "4 compute sets: 0 are there, and as many as 48", NULL);
    assert_int_equal(tw_popops_reduce_sets(g, 1, all, out, SIZE_MAX, set, 1, "s", NULL), SIZE_MAX);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce_sets", "1 compute sets: 18446744073709551615 are there", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_reduce_random),           cmocka_unit_test(libs_reduce_sizes),
        cmocka_unit_test(libs_reduce_parameters),       cmocka_unit_test(libs_reduce_together),
        cmocka_unit_test(libs_reduce_together_refused), cmocka_unit_test(libs_reduce_edges)
    };
    return cmocka_run_group_tests_name("libs_reduce", tests, NULL, NULL);
}
