/* SPDX-License-Identifier: MIT */
/* Collectives between IPUs of a graph and between replicas: values against loops, the same bits on all ranks, where
 * results lie, errors. */
#include "poplar/libs/libs_run.h"

enum { MOST_RANKS = 4, MOST_NUMBERS = 60 };

static void no_error(tw_graph *g)
{
    if (tw_graph_status(g)) fail_msg("%s: %s", tw_graph_error(g)->function, tw_graph_error(g)->message);
}

/* Element e of all ranks joined; of rank `self` for what is local. */
static double joined(tw_collective op, size_t ranks, size_t n, const double *v, size_t e, size_t self)
{
    double out = op == TW_COLLECTIVE_MUL || op == TW_COLLECTIVE_LOGICAL_AND ? 1 : 0;
    if (op == TW_COLLECTIVE_MIN || op == TW_COLLECTIVE_MAX) out = v[e];
    for (size_t r = 0; r < ranks; r++) {
        double x = v[r * n + e];
        switch (op) {
        case TW_COLLECTIVE_ADD: out += x; break;
        case TW_COLLECTIVE_MEAN: out += x / (double)ranks; break;
        case TW_COLLECTIVE_MUL: out *= x; break;
        case TW_COLLECTIVE_MIN: out = fmin(out, x); break;
        case TW_COLLECTIVE_MAX: out = fmax(out, x); break;
        case TW_COLLECTIVE_LOGICAL_AND: out = out != 0 && x != 0; break;
        case TW_COLLECTIVE_LOGICAL_OR: out = out != 0 || x != 0; break;
        case TW_COLLECTIVE_SQUARE_ADD: out += x * x; break;
        case TW_COLLECTIVE_LOCAL: out = v[self * n + e]; break;
        }
    }
    return out;
}

typedef struct join_case {
    tw_collective op;
    tw_type type;
    size_t ranks, n;
} join_case;

static join_case draw_case(unsigned i, lcg *r)
{
    static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_INT, TW_UNSIGNED_INT };
    join_case c = { (tw_collective)(i % 9), types[i / 9 % 4], 1 + i % MOST_RANKS, 1 + draw(r, MOST_NUMBERS - 1) };
    if (c.op == TW_COLLECTIVE_LOGICAL_AND || c.op == TW_COLLECTIVE_LOGICAL_OR) c.type = TW_BOOL;
    if (c.op == TW_COLLECTIVE_MEAN && c.type != TW_HALF) c.type = TW_FLOAT;
    return c;
}

static void draw_values(const join_case *c, double *v, char *host, lcg *r)
{
    for (size_t i = 0; i < c->ranks * c->n; i++) {
        v[i] = c->type == TW_BOOL ? draw(r, 2) : draw(r, 8) - (c->type == TW_UNSIGNED_INT ? 0.0 : 3.0);
        if (c->type == TW_FLOAT) v[i] += draw_real(r, 0, 1);
        tw_type_store(c->type, host + i * tw_type_size(c->type), v[i]);
        v[i] = tw_type_load(c->type, host + i * tw_type_size(c->type));
    }
}

static void expect(const join_case *c, const char *what, const char *host, size_t at, double want)
{
    double seen = tw_type_load(c->type, host + at * tw_type_size(c->type));
    double room = c->type == TW_FLOAT ? 1e-5 : c->type == TW_HALF ? 2e-3 : 0;
    if (!(fabs(seen - want) <= room * (1 + fabs(want))))
        fail_msg("op %d of %zu ranks: %s[%zu] is %g, not %g", (int)c->op, c->ranks, what, at, seen, want);
}

static void libs_collectives_ranks(void **state)
{
    (void)state;
    lcg r = { 71 };
    for (unsigned i = 0; i < 36; i++) {
        join_case c = draw_case(i, &r);
        double v[MOST_RANKS * MOST_NUMBERS];
        char in[sizeof v], all[sizeof v], row[sizeof v], back[sizeof v];
        draw_values(&c, v, in, &r);
        tw_device *dev = model_device(3, 4);
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        tw_tensor t = tw_graph_add_variable(g, c.type, 2, (size_t[]){ c.ranks, c.n }, "t");
        for (size_t k = 0; k < c.ranks; k++) tw_graph_map(g, tw_tensor_index(g, t, k), (unsigned)(3 * k + k % 3));
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor sum = tw_popops_all_reduce(g, t, c.op, p, "all"),
                  part = tw_popops_reduce_scatter(g, t, c.op, p, "part"),
                  again = tw_popops_all_gather(g, part, t, p, "again");
        no_error(g);
        unsigned *own = tiles_of(g, t), *of_sum = tiles_of(g, sum), *of_part = tiles_of(g, part);
        size_t each = (c.n + c.ranks - 1) / c.ranks;
        for (size_t k = 0; k < c.ranks * c.n; k++) assert_int_equal(own[k], of_sum[k]);
        for (size_t k = 0; k < c.n; k++) assert_int_equal(of_part[k], own[k / each * c.n + k]);
        free(own), free(of_sum), free(of_part);
        run_once(g, dev, p, 4,
                 (io[]){ { t, in, false }, { sum, all, true }, { part, row, true }, { again, back, true } });
        size_t width = tw_type_size(c.type);
        for (size_t k = 0; k < c.n; k++) {
            expect(&c, "part", row, k, joined(c.op, c.ranks, c.n, v, k, k / each));
            for (size_t m = 0; m < c.ranks; m++) {
                expect(&c, "all", all, m * c.n + k, joined(c.op, c.ranks, c.n, v, k, m));
                assert_memory_equal(back + (m * c.n + k) * width, row + k * width, width);
            }
        }
        tw_graph_free(g);
        tw_device_free(dev);
    }
}

static void libs_collectives_replicas(void **state)
{
    (void)state;
    lcg r = { 72 };
    for (unsigned i = 0; i < 36; i++) {
        join_case c = draw_case(i, &r);
        if (c.ranks == 3) c.ranks = 4;
        double v[MOST_RANKS * MOST_NUMBERS];
        static char in[sizeof v], all[sizeof v], part[2 * sizeof v], rows[MOST_RANKS * sizeof v];
        draw_values(&c, v, in, &r);
        tw_device *dev = model_device(3, 4);
        tw_graph *top = tw_graph_new(tw_device_target(dev)), *g = tw_graph_replicated(top, (unsigned)c.ranks);
        tw_tensor t = tw_graph_add_variable(g, c.type, 1, &c.n, "t");
        map_somehow(g, t, (int)i % MAPPINGS, &r);
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor sum = tw_gcl_all_reduce_cross_replica(g, t, c.op, p, "all"),
                  own = tw_gcl_reduce_scatter_cross_replica(g, t, c.op, p, "part"),
                  each = tw_gcl_all_gather_cross_replica(g, t, p, "rows");
        no_error(g);
        assert_int_equal(tw_tensor_rank(g, each), 2);
        tw_tensor list[] = { t, sum, own, each };
        for (int k = 0; k < 4 && c.ranks > 1; k++) list[k] = tw_graph_get_non_replicated_tensor(top, list[k]);
        no_error(top);
        run_once(
            top, dev, p, 4,
            (io[]){
                { list[0], in, false }, { list[1], all, true }, { list[2], part, true }, { list[3], rows, true } });
        size_t width = tw_type_size(c.type), size = (c.n + c.ranks - 1) / c.ranks;
        for (size_t m = 0; m < c.ranks; m++) {
            for (size_t k = 0; k < c.n; k++) {
                expect(&c, "all", all, m * c.n + k, joined(c.op, c.ranks, c.n, v, k, m));
                if (c.op != TW_COLLECTIVE_LOCAL)
                    assert_memory_equal(all + (m * c.n + k) * width, all + k * width, width);
            }
            for (size_t k = 0; k < size && m * size + k < c.n; k++)
                expect(&c, "part", part, m * size + k, joined(c.op, c.ranks, c.n, v, m * size + k, m));
            assert_memory_equal(rows + m * c.ranks * c.n * width, in, c.ranks * c.n * width);
        }
        tw_graph_free(g);
        tw_graph_free(top);
        tw_device_free(dev);
    }
}

static void libs_collectives_refused(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor t = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 2, 4 }, "t"),
              loose = tw_graph_add_variable(g, TW_INT, 2, (size_t[]){ 2, 4 }, "loose"),
              one = tw_graph_add_variable(g, TW_FLOAT, 0, NULL, "one");
    tw_graph_map(g, t, 0), tw_graph_map(g, one, 0);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    tw_popops_all_reduce(g, t, TW_COLLECTIVE_MEAN, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_all_reduce", "collective 1", "'t' int[2, 4]", NULL);
    tw_popops_reduce_scatter(g, t, TW_COLLECTIVE_LOGICAL_OR, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_reduce_scatter", "collective 6", "'t' int[2, 4]", NULL);
    tw_popops_all_reduce(g, one, TW_COLLECTIVE_ADD, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_all_reduce", "'one' float[]", "dimension of ranks", NULL);
    tw_popops_all_gather(g, t, t, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popops_all_gather", "a row of 't' int[2, 4]", NULL);
    tw_gcl_all_reduce_cross_replica(g, loose, TW_COLLECTIVE_ADD, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_gcl_all_reduce_cross_replica", "'loose' int[2, 4]", "no tile", NULL);
    tw_gcl_reduce_scatter_cross_replica(g, t, (tw_collective)9, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_gcl_reduce_scatter_cross_replica", "collective 9", NULL);
    tw_gcl_all_gather_cross_replica(g, loose, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_gcl_all_gather_cross_replica", "'loose' int[2, 4]", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_collectives_ranks),
        cmocka_unit_test(libs_collectives_replicas),
        cmocka_unit_test(libs_collectives_refused),
    };
    return cmocka_run_group_tests_name("libs_collectives", tests, NULL, NULL);
}
