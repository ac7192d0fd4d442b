/* SPDX-License-Identifier: MIT */
/* compare: the kernels: what they calculate, on which numbers, and what should come out, in plain loops of
 * doubles. */
#include "cli/compare/compare.h"

#include <math.h>
#include <string.h>

/* Numbers that need no file: the same on every machine, small, and with few bits, so that sums of many are right. */
static uint32_t random_state;
static void random_start(void)
{
    random_state = 12345;
}
static uint32_t random_next(void)
{
    return random_state = random_state * 1664525u + 1013904223u;
}
static float random_float(void) /* -1 to 1 in steps of 1/128 */
{
    return (float)(int32_t)((random_next() >> 16) % 257) / 128 - 1;
}

static float *make_input(tw__compare_case *c, const char *name, unsigned rank, size_t rows, size_t columns)
{
    struct tw__compare_array *a = c->inputs;
    while (a->name) a++;
    *a = (struct tw__compare_array){ .name = name, .rank = rank, .shape = { rows, columns } };
    float *data = a->data = g_new(float, rows *columns);
    for (size_t i = 0; i < rows * columns; i++) data[i] = random_float();
    return data;
}

static double *make_output(tw__compare_case *c, unsigned rank, size_t rows, size_t columns)
{
    c->output = (struct tw__compare_array){ .name = "out", .rank = rank, .shape = { rows, columns } };
    return c->expected = g_new0(double, rows *columns);
}

static void axpy(tw__compare_case *c)
{
    const float *x = make_input(c, "x", 1, c->n, 1), *y = make_input(c, "y", 1, c->n, 1);
    double *out = make_output(c, 1, c->n, 1);
    for (size_t i = 0; i < c->n; i++) out[i] = 2.5 * (double)x[i] + (double)y[i];
    c->operations = 2.0 * (double)c->n, c->bytes = 12.0 * (double)c->n, c->tolerance = 1e-6;
}

static void dot(tw__compare_case *c)
{
    const float *x = make_input(c, "x", 1, c->n, 1), *y = make_input(c, "y", 1, c->n, 1);
    double *out = make_output(c, 1, 1, 1), most = 0;
    for (size_t i = 0; i < c->n; i++)
        *out += (double)x[i] * (double)y[i], most += fabs((double)x[i] * (double)y[i]);
    c->operations = 2.0 * (double)c->n, c->bytes = 8.0 * (double)c->n, c->tolerance = most * 1e-6;
}

static void gemv(tw__compare_case *c)
{
    size_t n = c->n;
    const float *a = make_input(c, "a", 2, n, n), *x = make_input(c, "x", 1, n, 1);
    double *out = make_output(c, 1, n, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) out[i] += (double)a[i * n + j] * (double)x[j];
    c->operations = 2.0 * (double)n * (double)n, c->bytes = 4.0 * (double)n * (double)(n + 2);
    c->tolerance = (double)n * 1e-6;
}

static void gemm(tw__compare_case *c)
{
    size_t n = c->n;
    const float *a = make_input(c, "a", 2, n, n), *b = make_input(c, "b", 2, n, n);
    double *out = make_output(c, 2, n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++) out[i * n + j] += (double)a[i * n + k] * (double)b[k * n + j];
    c->operations = 2.0 * (double)n * (double)n * (double)n, c->bytes = 12.0 * (double)n * (double)n;
    c->tolerance = (double)n * 1e-6;
}

/* Ten steps of heat on a square: an inner cell becomes the mean of its four neighbours; the rim stays as it is. */
static void stencil(tw__compare_case *c)
{
    enum { STEPS = 10 };
    size_t n = c->n;
    const float *u = make_input(c, "u", 2, n, n);
    double *out = make_output(c, 2, n, n), *old = g_new(double, n *n);
    for (size_t i = 0; i < n * n; i++) out[i] = (double)u[i];
    for (int step = 0; step < STEPS; step++) {
        memcpy(old, out, n * n * sizeof *out);
        for (size_t i = 1; i + 1 < n; i++)
            for (size_t j = 1; j + 1 < n; j++)
                out[i * n + j] =
                    (old[(i - 1) * n + j] + old[(i + 1) * n + j] + old[i * n + j - 1] + old[i * n + j + 1]) / 4;
    }
    g_free(old);
    c->operations = 4.0 * STEPS * (double)n * (double)n, c->bytes = 8.0 * (double)n * (double)n,
    c->tolerance = 1e-5;
}

/* A filter of 16 taps: y[i] is the sum of h[k] x[i - k], with zeros before the first sample. `padded` has these
 * zeros, for programs that load pieces which overlap. */
static void fir(tw__compare_case *c)
{
    enum { TAPS = 16 };
    size_t n = c->n;
    const float *x = make_input(c, "x", 1, n, 1), *h = make_input(c, "h", 1, TAPS, 1);
    float *padded = make_input(c, "padded", 1, n + TAPS, 1);
    double *out = make_output(c, 1, n, 1);
    memset(padded, 0, TAPS * sizeof *padded), memcpy(padded + TAPS, x, n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < TAPS && k <= i; k++) out[i] += (double)h[k] * (double)x[i - k];
    c->operations = 2.0 * TAPS * (double)n, c->bytes = 8.0 * (double)n, c->tolerance = 2e-5;
}

/* Of rows of 64 numbers. Five operations a number: largest, difference, exp, sum, quotient. */
static void softmax(tw__compare_case *c)
{
    enum { COLUMNS = 64 };
    size_t n = c->n;
    float *x = make_input(c, "x", 2, n, COLUMNS);
    double *out = make_output(c, 2, n, COLUMNS);
    for (size_t i = 0; i < n * COLUMNS; i++) x[i] *= 8;
    for (size_t i = 0; i < n; i++) {
        const float *row = x + i * COLUMNS;
        double largest = -INFINITY, sum = 0;
        for (size_t j = 0; j < COLUMNS; j++) largest = fmax(largest, (double)row[j]);
        for (size_t j = 0; j < COLUMNS; j++) sum += exp((double)row[j] - largest);
        for (size_t j = 0; j < COLUMNS; j++) out[i * COLUMNS + j] = exp((double)row[j] - largest) / sum;
    }
    c->operations = 5.0 * COLUMNS * (double)n, c->bytes = 8.0 * COLUMNS * (double)n, c->tolerance = 2e-6;
}

static void prefix(tw__compare_case *c)
{
    const float *x = make_input(c, "x", 1, c->n, 1);
    double *out = make_output(c, 1, c->n, 1), sum = 0;
    for (size_t i = 0; i < c->n; i++) out[i] = sum += (double)x[i];
    c->operations = (double)c->n, c->bytes = 8.0 * (double)c->n, c->tolerance = 1e-4;
}

/* How often each of 64 values occurs; small ones more often than large ones. */
static void histogram(tw__compare_case *c)
{
    enum { BINS = 64 };
    float *x = make_input(c, "x", 1, c->n, 1);
    double *out = make_output(c, 1, BINS, 1);
    for (size_t i = 0; i < c->n; i++) {
        int32_t value = (int32_t)(fabsf(x[i] * x[i]) * (BINS - 1));
        memcpy(&x[i], &value, sizeof value), out[value]++;
    }
    c->inputs[0].is_integer = true;
    c->operations = (double)c->n, c->bytes = 4.0 * (double)c->n + 4 * BINS, c->tolerance = 1e-3;
}

/* The 16 largest, the largest first. One comparison a number. */
static void topk(tw__compare_case *c)
{
    enum { BEST = 16 };
    float *x = make_input(c, "x", 1, c->n, 1);
    double *out = make_output(c, 1, BEST, 1);
    for (size_t i = 0; i < BEST; i++) out[i] = -INFINITY;
    for (size_t i = 0; i < c->n; i++) {
        x[i] = (float)(random_next() >> 8); /* 24 bits: few occur twice */
        size_t at = BEST;
        while (at && out[at - 1] < (double)x[i]) at--;
        if (at == BEST) continue;
        memmove(out + at + 1, out + at, (BEST - 1 - at) * sizeof *out);
        out[at] = (double)x[i];
    }
    c->operations = (double)c->n, c->bytes = 4.0 * (double)c->n + 4 * BEST, c->tolerance = 1e-3;
}

const tw__compare_kernel tw__compare_kernels[] = {
    { "axpy", "y = 2.5 x + y", "elements", 4096, 65536, 2048, 67108864, axpy },
    { "dot", "the sum of x y", "elements", 4096, 65536, 2048, 67108864, dot },
    { "gemv", "a matrix times a vector", "rows and columns", 64, 512, 64, 8192, gemv },
    { "gemm", "a matrix times a matrix", "rows and columns", 64, 128, 64, 2048, gemm },
    { "stencil", "ten steps of heat on a square: the mean of four neighbours", "rows and columns", 32, 128, 32,
      4096, stencil },
    { "fir", "a filter of 16 taps", "samples", 4096, 65536, 2048, 16777216, fir },
    { "softmax", "of rows of 64 numbers", "rows", 64, 1024, 64, 262144, softmax },
    { "prefix", "the sums of all elements up to each", "elements", 4096, 65536, 4096, 67108864, prefix },
    { "histogram", "how often each of 64 numbers occurs", "elements", 4096, 65536, 4096, 67108864, histogram },
    { "topk", "the 16 largest, in order", "elements", 4096, 65536, 4096, 67108864, topk },
};
const size_t tw__compare_kernel_count = G_N_ELEMENTS(tw__compare_kernels);

const tw__compare_kernel *tw__compare_find_kernel(const char *name)
{
    for (size_t i = 0; i < tw__compare_kernel_count; i++)
        if (strcmp(tw__compare_kernels[i].name, name) == 0) return &tw__compare_kernels[i];
    return NULL;
}

void tw__compare_fill(const tw__compare_kernel *kernel, size_t n, tw__compare_case *c)
{
    *c = (tw__compare_case){ .n = n };
    random_start();
    kernel->fill(c);
}

void tw__compare_clear(tw__compare_case *c)
{
    for (int i = 0; i < TW__COMPARE_ARRAYS; i++) g_free(c->inputs[i].data);
    g_free(c->expected);
    *c = (tw__compare_case){ 0 };
}
