/* SPDX-License-Identifier: MIT */
/* Random numbers: the generator's words against Philox written anew, with its published answers; distributions by
 * Kolmogorov and Smirnov's test and by moments, with fixed seeds; the same bits wherever elements lie. */
#include "poplar/libs/libs_run.h"

enum { N = 20000 };

/* Philox4x32-10 as its paper has it. */
static void philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
    uint32_t k[2] = { key[0], key[1] };
    memcpy(out, counter, 16);
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * out[0], p1 = (uint64_t)0xCD9E8D57u * out[2];
        uint32_t next[4] = { (uint32_t)(p1 >> 32) ^ out[1] ^ k[0], (uint32_t)p1,
                             (uint32_t)(p0 >> 32) ^ out[3] ^ k[1], (uint32_t)p0 };
        memcpy(out, next, 16);
        k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
    }
}

enum { UNIFORM, LOG_UNIFORM, NORMAL, TRUNCATED, BERNOULLI, DROPOUT };
typedef struct rand_case {
    int kind;
    tw_type type;
    size_t n;
    uint32_t seed[2], modifier;
    double a, b, c;
} rand_case;

static void rand_run(const rand_case *c, tw_device *dev, int way, void *out)
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    lcg r = { 9 };
    tw_tensor s = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ 2 }, "seed"),
              like = tw_graph_add_variable(g, TW_FLOAT, 1, &c->n, "like");
    map_somehow(g, s, way, &r), map_somehow(g, like, way, &r);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y = { 0, 0 };
    if (c->kind == UNIFORM) y = tw_poprand_uniform(g, s, c->modifier, like, c->type, c->a, c->b, p, "y");
    if (c->kind == LOG_UNIFORM) y = tw_poprand_log_uniform(g, s, c->modifier, like, c->type, c->a, c->b, p, "y");
    if (c->kind == NORMAL) y = tw_poprand_normal(g, s, c->modifier, like, c->type, c->a, c->b, p, "y");
    if (c->kind == TRUNCATED)
        y = tw_poprand_truncated_normal(g, s, c->modifier, like, c->type, c->a, c->b, c->c, p, "y");
    if (c->kind == BERNOULLI) y = tw_poprand_bernoulli(g, s, c->modifier, like, c->type, c->a, p, "y");
    if (tw_graph_status(g)) fail_msg("%s: %s", tw_graph_error(g)->function, tw_graph_error(g)->message);
    run_once(g, dev, p, 2, (io[]){ { s, (void *)(uintptr_t)c->seed, false }, { y, out, true } });
    tw_graph_free(g);
}

/* On a CPU and on a model, one mapping each. */
static void rand_numbers(const rand_case *c, unsigned k, char *out)
{
    static char other[N * 4];
    tw_device *cpu = tw_device_cpu_accurate_half(), *model = model_device(5, 1);
    rand_run(c, cpu, (int)k % 2, out);
    rand_run(c, model, (int)(k + 1) % MAPPINGS, other);
    assert_memory_equal(out, other, c->n * tw_type_size(c->type));
    tw_device_free(cpu), tw_device_free(model);
}

static void libs_poprand_words(void **state)
{
    (void)state;
    static const uint32_t zero[4], ones[4] = { ~0u, ~0u, ~0u, ~0u };
    static const uint32_t of_zero[4] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 };
    static const uint32_t of_ones[4] = { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd };
    uint32_t words[4];
    philox(zero, zero, words);
    assert_memory_equal(words, of_zero, 16);
    philox(ones, ones, words);
    assert_memory_equal(words, of_ones, 16);
    rand_case c = { UNIFORM, TW_INT, 1003, { 12345, 678 }, 0x55aa, -2147483648.0, 2147483647.0, 0 };
    static int32_t out[N];
    rand_numbers(&c, 0, (char *)out);
    for (uint32_t i = 0; i < 1003; i++) { /* 2^32 values from the least on */
        philox((uint32_t[]){ 12345 ^ 0x55aa, 678 }, (uint32_t[]){ i / 4, 0, 0, 0 }, words);
        assert_int_equal((uint32_t)out[i], words[i % 4] + 0x80000000u);
    }
    c.a = -3, c.b = 5.5; /* nine values */
    rand_numbers(&c, 1, (char *)out);
    for (uint32_t i = 0; i < 1003; i++) {
        philox((uint32_t[]){ 12345 ^ 0x55aa, 678 }, (uint32_t[]){ i / 4, 0, 0, 0 }, words);
        assert_int_equal(out[i], (int32_t)((uint64_t)words[i % 4] * 9 >> 32) - 3);
    }
}

/* --- distributions -------------------------------------------------------------------------------------------- */

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}
static double cdf(const rand_case *c, double x)
{
    if (c->kind == UNIFORM) return (x - c->a) / (c->b - c->a);
    if (c->kind == LOG_UNIFORM) return (log(x) - log(c->a)) / (log(c->b) - log(c->a));
    double z = (x - c->a) / c->b;
    if (c->kind == NORMAL) return normal_cdf(z);
    return (normal_cdf(z) - normal_cdf(-c->c)) / (normal_cdf(c->c) - normal_cdf(-c->c));
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The distance of the two distribution functions stays below what one sample in a thousand exceeds; halves are steps,
 * which add to it. */
static void libs_poprand_distributions(void **state)
{
    (void)state;
    static const rand_case rows[] = {
        { UNIFORM, TW_FLOAT, N, { 1, 2 }, 0, -3, 5, 0 },       { UNIFORM, TW_HALF, N, { 3, 4 }, 7, 0, 1, 0 },
        { LOG_UNIFORM, TW_FLOAT, N, { 5, 6 }, 1, 1, 1000, 0 }, { NORMAL, TW_FLOAT, N, { 7, 8 }, 0, 2, 3, 0 },
        { NORMAL, TW_HALF, N, { 9, 1 }, 2, 0, 1, 0 },          { TRUNCATED, TW_FLOAT, N, { 2, 3 }, 3, 1, 2, 1.5 },
        { TRUNCATED, TW_FLOAT, N, { 4, 5 }, 0, -1, 2, 0.5 },   { TRUNCATED, TW_HALF, N, { 6, 7 }, 0, 0, 1, 2.5 },
        { LOG_UNIFORM, TW_HALF, N, { 8, 9 }, 1, 2, 50, 0 },
    };
    static char out[N * 4];
    static double x[N];
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        const rand_case *c = &rows[k];
        double sum = 0, squares = 0, products = 0, distance = 0, most = -INFINITY, least = INFINITY;
        rand_numbers(c, k, out);
        for (size_t i = 0; i < N; i++) {
            x[i] = tw_type_load(c->type, out + i * tw_type_size(c->type));
            sum += cdf(c, x[i]) - 0.5, squares += pow(cdf(c, x[i]) - 0.5, 2);
            if (i) products += (cdf(c, x[i]) - 0.5) * (cdf(c, x[i - 1]) - 0.5);
            most = fmax(most, x[i]), least = fmin(least, x[i]);
        }
        /* of the probabilities: mean 1/2, variance 1/12, neighbours independent; four standard deviations */
        double unit = c->type == TW_HALF ? 0.002 : 0;
        if (fabs(sum / N) > 4 * sqrt(1.0 / 12 / N) + unit) fail_msg("row %u: mean %g", k, sum / N);
        if (fabs(squares / N - 1.0 / 12) > 4 * sqrt(1.0 / 180 / N) + unit) fail_msg("row %u: variance", k);
        if (fabs(products / N) > 4.0 / 12 / sqrt(N) + unit) fail_msg("row %u: neighbours %g", k, products / N);
        qsort(x, N, sizeof *x, by_value);
        for (size_t i = 0; i < N; i++)
            distance = fmax(distance, fmax(fabs(cdf(c, x[i]) - (double)i / N), fabs(cdf(c, x[i]) - (i + 1.0) / N)));
        if (distance > 1.95 / sqrt(N) + 2 * unit) fail_msg("row %u: distance %g", k, distance);
        if (c->kind <= LOG_UNIFORM) assert_true(least >= c->a && most <= c->b);
        if (c->kind == TRUNCATED) assert_true(least >= c->a - c->b * c->c && most <= c->a + c->b * c->c);
    }
}

/* Bounds that are no halves are not passed. */
static void libs_poprand_bounds(void **state)
{
    (void)state;
    static char out[N * 4];
    rand_case c = { UNIFORM, TW_HALF, N, { 1, 1 }, 0, 0.10001, 0.10021, 0 };
    rand_numbers(&c, 0, out);
    for (size_t i = 0; i < N; i++) {
        double v = tw_type_load(TW_HALF, out + 2 * i);
        assert_true(v >= c.a && v <= c.b);
    }
    c = (rand_case){ UNIFORM, TW_FLOAT, N, { 1, 1 }, 0, -16777217.3, -16777215.9, 0 };
    rand_numbers(&c, 1, out);
    for (size_t i = 0; i < N; i++) {
        double v = tw_type_load(TW_FLOAT, out + 4 * i);
        assert_true(v >= c.a && v <= c.b);
    }
}

static void libs_poprand_bernoulli(void **state)
{
    (void)state;
    static const tw_type types[] = { TW_FLOAT, TW_HALF, TW_INT };
    static const double p[] = { 0, 1, 0.5, 0.1, 0.93 };
    static char out[N * 4];
    for (unsigned k = 0; k < 15; k++) {
        rand_case c = { BERNOULLI, types[k % 3], N, { k, 5 }, k, p[k % 5], 0, 0 };
        double sum = 0;
        rand_numbers(&c, k, out);
        for (size_t i = 0; i < N; i++) {
            double v = tw_type_load(c.type, out + i * tw_type_size(c.type));
            assert_true(v == 0 || v == 1);
            sum += v;
        }
        assert_true(fabs(sum / N - c.a) <= 4 * sqrt(c.a * (1 - c.a) / N));
    }
}

/* Seeds and modifiers give other numbers. */
static void libs_poprand_seeds(void **state)
{
    (void)state;
    static char out[4][N * 4];
    rand_case c = { UNIFORM, TW_FLOAT, N, { 1, 2 }, 0, -1, 1, 0 };
    for (int k = 0; k < 4; k++) {
        c.seed[0] = k == 1 ? 7 : 1, c.seed[1] = k == 2 ? 7 : 2, c.modifier = k == 3;
        rand_numbers(&c, 0, out[k]);
        for (int other = 0; other < k; other++) {
            double product = 0;
            for (size_t i = 0; i < N; i++)
                product += tw_type_load(TW_FLOAT, out[k] + 4 * i) * tw_type_load(TW_FLOAT, out[other] + 4 * i);
            assert_true(fabs(product / N) < 4 * (1.0 / 3) / sqrt(N));
        }
    }
}

/* Without a seed each run goes on; setting it starts again. */
static void libs_poprand_own_seed(void **state)
{
    (void)state;
    enum { M = 100 };
    size_t n = M, two = 2;
    tw_device *dev = model_device(5, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor like = tw_graph_add_variable(g, TW_FLOAT, 1, &n, "like"),
              seed = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &two, "seed"), none = { 0, 0 };
    tw_poputil_map_linearly(g, like), tw_graph_map(g, seed, 1);
    tw_program p = tw_program_sequence(g, NULL);
    tw_tensor y[6];
    for (int k = 0; k < 6; k++) {
        if (k % 2 == 0) tw_poprand_set_seed(g, seed, k == 4, p, "set");
        y[k] = tw_poprand_uniform(g, none, 9, like, TW_FLOAT, 0, 1, p, "y");
    }
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    float out[6][M];
    run_once(g, dev, p, 7,
             (io[]){ { seed, (uint32_t[]){ 3, 4 }, false },
                     { y[0], out[0], true },
                     { y[1], out[1], true },
                     { y[2], out[2], true },
                     { y[3], out[3], true },
                     { y[4], out[4], true },
                     { y[5], out[5], true } });
    assert_memory_equal(out[0], out[2], sizeof out[0]);
    assert_memory_equal(out[1], out[3], sizeof out[0]);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < k; i++)
            if (i != k - 2 || k >= 4) assert_true(memcmp(out[i], out[k], sizeof out[0]) != 0);
    tw_graph_free(g);
    tw_device_free(dev);
}

static void libs_poprand_dropout(void **state)
{
    (void)state;
    enum { R = 50, C = 200 };
    static float in[R * C], out[R * C], rows[R * C], all[R * C];
    size_t two = 2;
    tw_device *dev = model_device(5, 1);
    for (int way = 0; way < MAPPINGS; way++) {
        tw_graph *g = tw_graph_new(tw_device_target(dev));
        lcg r = { 4 };
        tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ R, C }, "x"),
                  like = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ R, 1 }, "like"),
                  seed = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &two, "seed");
        map_somehow(g, x, way, &r), map_somehow(g, like, way, &r), tw_graph_map(g, seed, 0);
        tw_program p = tw_program_sequence(g, NULL);
        tw_tensor y = tw_poprand_dropout(g, seed, 1, x, x, 0.7, 2, p, "y");
        tw_tensor z = tw_poprand_dropout(g, seed, 1, x, like, 0.5, 3, p, "z");
        tw_tensor whole = tw_poprand_dropout(g, seed, 1, x, x, 1, 3, p, "whole");
        if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
        for (int i = 0; i < R * C; i++) in[i] = (float)(i + 1);
        run_once(g, dev, p, 5,
                 (io[]){ { x, in, false },
                         { seed, (uint32_t[]){ 8, 8 }, false },
                         { y, out, true },
                         { z, rows, true },
                         { whole, all, true } });
        int kept = 0, kept_rows = 0;
        for (int i = 0; i < R * C; i++) {
            assert_true(out[i] == 0 || out[i] == 2 * in[i]);
            assert_true(rows[i] == (rows[i / C * C] != 0 ? 3 * in[i] : 0));
            kept += out[i] != 0, kept_rows += rows[i] != 0;
        }
        assert_memory_equal(all, in, sizeof in);
        assert_true(fabs(kept / (double)(R * C) - 0.7) < 4 * sqrt(0.21 / (R * C)));
        assert_true(fabs(kept_rows / (double)(R * C) - 0.5) < 4 * sqrt(0.25 / R));
        tw_graph_free(g);
    }
    tw_device_free(dev);
}

static void libs_poprand_refused(void **state)
{
    (void)state;
    size_t three = 3;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor x = tw_graph_add_variable(g, TW_FLOAT, 1, &three, "x"), none = { 0, 0 },
              bad = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &three, "bad");
    tw_graph_map(g, x, 0), tw_graph_map(g, bad, 0);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    tw_poprand_uniform(g, bad, 0, x, TW_FLOAT, 0, 1, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_uniform", "two unsigned int", "'bad' unsigned int[3]", NULL);
    tw_poprand_set_seed(g, x, 0, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_set_seed", "'x' float[3]", NULL);
    tw_poprand_uniform(g, none, 0, x, TW_BOOL, 0, 1, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_uniform", "bool", "'x' float[3]", NULL);
    tw_poprand_uniform(g, none, 0, x, TW_FLOAT, 1, 0, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_uniform", "from 1 to 0", NULL);
    tw_poprand_uniform(g, none, 0, x, TW_INT, 0.25, 0.75, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_uniform", "no int from 0.25 to 0.75", NULL);
    tw_poprand_log_uniform(g, none, 0, x, TW_FLOAT, 0.5, 2, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_log_uniform", "from 0.5 to 2", NULL);
    tw_poprand_normal(g, none, 0, x, TW_FLOAT, 0, -1, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_normal", "deviation -1", NULL);
    tw_poprand_truncated_normal(g, none, 0, x, TW_FLOAT, 0, 1, 0, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_truncated_normal", "alpha", NULL);
    tw_poprand_bernoulli(g, none, 0, x, TW_FLOAT, 1.5, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_bernoulli", "1.5", NULL);
    tw_poprand_dropout(g, none, 0, x, tw_tensor_broadcast(g, x, 2, 0), 0.5, 1, p, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_poprand_dropout", "'x' float[3]", "'x' float[6]", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_poprand_words),   cmocka_unit_test(libs_poprand_distributions),
        cmocka_unit_test(libs_poprand_bounds),  cmocka_unit_test(libs_poprand_bernoulli),
        cmocka_unit_test(libs_poprand_seeds),   cmocka_unit_test(libs_poprand_own_seed),
        cmocka_unit_test(libs_poprand_dropout), cmocka_unit_test(libs_poprand_refused),
    };
    return cmocka_run_group_tests_name("libs_poprand", tests, NULL, NULL);
}
