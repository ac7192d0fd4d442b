/* SPDX-License-Identifier: MIT */
/* The kernels of vec against the memory of the machine: f32 add and f16 <-> f32 conversion of 10^7 elements as a part
 * of the bandwidth a STREAM triad reaches in the same run. One thread and plain stores on both sides. Then what a
 * call costs beside its work, in the cache. */
#include "bench.h"

#include <tilewright/vec.h>

enum { N = 10000000, SMALL = 8, CALLS = 1000000 };

typedef struct kernel_case {
    tw_vec_kernel kernel;
    tw_run args[4];
    size_t n, calls;
} kernel_case;

static void run_kernel(void *data)
{
    const kernel_case *c = data;
    for (size_t i = 0; i < c->calls; i++) tw_vec_call(&c->kernel, c->n, c->args);
}

static void prepare(kernel_case *c, tw_vec_op op, const tw_type *types, const tw_vec_mode *mode, size_t n,
                    size_t calls)
{
    if (tw_vec_resolve(op, types, mode, &c->kernel) != TW_OK) {
        fprintf(stderr, "%s\n", tw_error_message());
        exit(1);
    }
    c->n = n;
    c->calls = calls;
}

static bool bandwidth(void)
{
    static const tw_type f32[] = { TW_F32, TW_F32, TW_F32 }, widen[] = { TW_F32, TW_F16 },
                         narrow[] = { TW_F16, TW_F32 };
    float *a = bench_alloc(N * sizeof *a), *b = bench_alloc(N * sizeof *b), *c = bench_alloc(N * sizeof *c);
    uint16_t *h = bench_alloc(N * sizeof *h);
    for (size_t i = 0; i < N; i++) {
        b[i] = (float)i;
        h[i] = (uint16_t)(i % 31744);
    }
    bench_triad triad = { N, a, b, c, 3.0f };
    kernel_case add, up, down, copy;
    prepare(&add, TW_VEC_ADD, f32, NULL, N, 1);
    prepare(&up, TW_VEC_CONVERT, widen, NULL, N, 1);
    prepare(&down, TW_VEC_CONVERT, narrow, NULL, N, 1);
    prepare(&copy, TW_VEC_COPY, f32, NULL, N, 1);
    add.args[0] = up.args[0] = copy.args[0] = tw_run_of(a, 4);
    add.args[1] = down.args[1] = copy.args[1] = tw_run_of(b, 4);
    add.args[2] = tw_run_of(c, 4);
    up.args[1] = down.args[0] = tw_run_of(h, 2);
    bench_case cases[] = { { .name = "STREAM triad, f32", .run = bench_run_triad, .data = &triad },
                           { .name = "add f32", .run = run_kernel, .data = &add },
                           { .name = "convert f16 to f32", .run = run_kernel, .data = &up },
                           { .name = "convert f32 to f16", .run = run_kernel, .data = &down },
                           { .name = "copy f32", .run = run_kernel, .data = &copy } };
    static const double bytes[] = { 12, 12, 6, 6, 8 };
    enum { CASES = sizeof cases / sizeof *cases };
    bench_interleaved(cases, CASES);
    double part[CASES]; /* of the triad's bandwidth */
    for (size_t i = 0; i < CASES; i++) {
        part[i] = bytes[i] / bytes[0] * bench_time_ratio(&cases[0], &cases[i]);
        bench_print(&cases[i]);
        printf("%-28s %9.2f GB/s\n", "", bytes[i] * N / cases[i].median * 1e-9);
    }
    bool met = bench_ratio("add f32 / triad bandwidth", part[1], 0.9, false);
    met &= bench_ratio("convert f16 to f32 / triad bandwidth", part[2], 0.7, false);
    met &= bench_ratio("convert f32 to f16 / triad bandwidth", part[3], 0.7, false);
    free(a);
    free(b);
    free(c);
    free(h);
    return met;
}

/* Nanoseconds per call on 8 elements; the limit is 10 plus the work, which for a contiguous add is next to
 * nothing. */
static bool overhead(void)
{
    static float x[64], y[64], z[64];
    static uint16_t h[64];
    static const tw_type f32[] = { TW_F32, TW_F32, TW_F32, TW_F32 }, f16[] = { TW_F16, TW_F16, TW_F16 };
    static const tw_vec_mode sequential = { .order = TW_ORDER_SEQUENTIAL };
    kernel_case add, in_order, scalar, strided, halves;
    prepare(&add, TW_VEC_ADD, f32, NULL, SMALL, CALLS);
    prepare(&in_order, TW_VEC_ADD, f32, &sequential, SMALL, CALLS);
    prepare(&scalar, TW_VEC_MULADD, f32, NULL, SMALL, CALLS);
    prepare(&strided, TW_VEC_ADD, f32, NULL, SMALL, CALLS);
    prepare(&halves, TW_VEC_ADD, f16, NULL, SMALL, CALLS);
    add.args[0] = in_order.args[0] = scalar.args[0] = strided.args[0] = tw_run_of(x, 4);
    add.args[1] = in_order.args[1] = scalar.args[1] = tw_run_of(y, 4);
    add.args[2] = in_order.args[2] = scalar.args[3] = tw_run_of(z, 4);
    scalar.args[2] = tw_run_of(z, 0);
    strided.args[1] = tw_run_of(y, 8);
    strided.args[2] = tw_run_of(z, 12);
    for (int i = 0; i < 3; i++) halves.args[i] = tw_run_of(h, 2);
    bench_case cases[] = { { .name = "add f32, contiguous", .run = run_kernel, .data = &add },
                           { .name = "the same, sequential", .run = run_kernel, .data = &in_order },
                           { .name = "muladd f32 by a scalar", .run = run_kernel, .data = &scalar },
                           { .name = "add f32, strides 2 and 3", .run = run_kernel, .data = &strided },
                           { .name = "add f16", .run = run_kernel, .data = &halves } };
    enum { CASES = sizeof cases / sizeof *cases };
    bench_interleaved(cases, CASES);
    printf("\ncalls of %d elements\n", SMALL);
    for (size_t i = 0; i < CASES; i++) printf("%-28s %9.2f ns\n", cases[i].name, cases[i].median / CALLS * 1e9);
    return bench_ratio("call of 8 contiguous f32, ns", cases[0].median / CALLS * 1e9, 10, true);
}

int main(void)
{
    bench_machine("-O3");
    printf("vec uses %s; %d elements\n", tw_vec_cpu(), N);
    bool met = bandwidth();
    met &= overhead();
    return met ? 0 : 1;
}
