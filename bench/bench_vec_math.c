/* SPDX-License-Identifier: MIT */
/* Elementary functions on arrays of f32 against glibc's libmvec at the same instruction set: the functions a compiler
 * calls from a loop over expf() under -O3 -ffast-math (up to 4 ulp and other bits at every width; ours: 1 ulp and one
 * bit pattern). Prints ns per element and the ratio libmvec / ours, so 1 is equal speed and 2 is twice as fast.
 * 4096 elements, in cache; our call and the peer's in turn, each a few microseconds, so that what else the machine
 * does falls between them: the median of ratios of neighbours, and the median of our times.
 *
 *     bench_vec_math [function ...] */
#include <immintrin.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bench.h"
#include "core/vec/math.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { N = 4096, ROUNDS = 301 };
static const char *const levels[TW__MATH_LEVELS] = { "baseline", "avx2", "avx512" };
static float in[N], out[N];

/* libmvec's names by the vector ABI: b, d, e = SSE, AVX2, AVX-512; N = unmasked; lanes; v = one vector argument. */
#define PEER(op, isa, lanes, vector, target_isa, prefix)                                                    \
    vector _ZGV##isa##N##lanes##v_##op##f(vector);                                                          \
    __attribute__((target(target_isa))) static void op##_peer_##isa(size_t n, float *dst, const float *src) \
    {                                                                                                       \
        for (size_t i = 0; i < n; i += lanes)                                                               \
            prefix##storeu_ps(dst + i, _ZGV##isa##N##lanes##v_##op##f(prefix##loadu_ps(src + i)));          \
    }
#define PEERS(op, low, high)                \
    PEER(op, b, 4, __m128, "sse2", _mm_)    \
    PEER(op, d, 8, __m256, "avx2", _mm256_) \
    PEER(op, e, 16, __m512, "avx512f", _mm512_)

/* X(op, least, greatest input): a range in which programs use the function */
// clang-format off
#define WITH_PEER(X)                                                                                           \
    X(exp, -20, 20) X(exp2, -20, 20) X(exp10, -20, 20) X(expm1, -5, 5) X(log, 0.01f, 100)                      \
    X(log2, 0.01f, 100) X(log10, 0.01f, 100) X(log1p, -0.9f, 100) X(sin, -10, 10) X(cos, -10, 10)              \
    X(tan, -10, 10) X(asin, -1, 1) X(acos, -1, 1) X(atan, -10, 10) X(sinh, -5, 5) X(cosh, -5, 5)               \
    X(tanh, -5, 5) X(asinh, -10, 10) X(acosh, 1, 100) X(atanh, -0.9f, 0.9f) X(erf, -4, 4) X(erfc, -4, 4)       \
    X(cbrt, -100, 100)
#define WITHOUT_PEER(X)                                                                                        \
    X(sigmoid, -10, 10) X(silu, -10, 10) X(gelu_erf, -5, 5) X(gelu_tanh, -5, 5) X(softplus, -10, 10)
// clang-format on
WITH_PEER(PEERS)

static const struct bench {
    const char *name;
    size_t ours; /* offset in tw__math_table */
    tw__math_unary_f32 *peers[TW__MATH_LEVELS];
    float low, high;
} benches[] = {
#define ROW(op, low, high) \
    { #op, offsetof(tw__math_table, op##_f32), { op##_peer_b, op##_peer_d, op##_peer_e }, low, high },
    WITH_PEER(ROW)
#undef ROW
#define ROW(op, low, high) { #op, offsetof(tw__math_table, op##_f32), { NULL, NULL, NULL }, low, high },
        WITHOUT_PEER(ROW)
#undef ROW
};

static double ns_per_element(tw__math_unary_f32 *f)
{
    double begin = bench_now();
    f(N, out, in);
    return (bench_now() - begin) * 1e9 / N;
}

/* Which of the functions miss the limit of their level: the exit status, and what docs/performance.md counts. */
static const double limits[TW__MATH_LEVELS] = { 0.5, 0.6, 0.6 };
static double reached[TW__MATH_LEVELS][COUNT(benches)];
static size_t compared[TW__MATH_LEVELS];

static void run(const struct bench *b)
{
    for (int i = 0; i < N; i++) in[i] = b->low + (b->high - b->low) * (float)((i * 2654435761u) >> 8) * 0x1p-24f;
    printf("%-10s", b->name);
    for (int level = 0; level < TW__MATH_LEVELS; level++) {
        const tw__math_table *table = tw__math_table_of((tw__math_level)level);
        if (!table) continue;
        tw__math_unary_f32 *f = *(tw__math_unary_f32 *const *)(const void *)((const char *)table + b->ours);
        double ours[ROUNDS], ratio[ROUNDS];
        for (int i = -1; i < ROUNDS; i++) {
            double mine = ns_per_element(f), peer = b->peers[level] ? ns_per_element(b->peers[level]) : 0;
            if (i >= 0) ours[i] = mine, ratio[i] = peer / mine;
        }
        double reaches = bench_median(ratio, ROUNDS);
        printf("  %s %7.3f", levels[level], bench_median(ours, ROUNDS));
        if (!b->peers[level]) continue;
        char row[80];
        snprintf(row, sizeof row, "%s, %s: libmvec / ours", b->name, levels[level]);
        bench_row(row, reaches, "", BENCH_AT_LEAST, limits[level]);
        printf(" %5.2f%s", reaches, reaches < limits[level] ? "*" : " ");
        reached[level][compared[level]++] = reaches;
    }
    printf("\n");
}

static int summary(void)
{
    int missed = 0;
    for (int level = 0; level < TW__MATH_LEVELS; level++) {
        size_t count = compared[level], below = 0;
        if (!count) continue;
        for (size_t i = 0; i < count; i++) below += reached[level][i] < limits[level];
        printf("%s: median %.2f, %zu of %zu below %.1f (*)\n", levels[level], bench_median(reached[level], count),
               below, count, limits[level]);
        missed |= below > 0;
    }
    return missed;
}

int main(int argc, char **argv)
{
    bench_machine("-O3");
    printf("f32: ns per element, then libmvec's time / ours; %d elements, medians of %d\n", N, ROUNDS);
    for (size_t i = 0; i < COUNT(benches); i++) {
        int chosen = argc < 2;
        for (int k = 1; k < argc; k++) chosen |= strcmp(argv[k], benches[i].name) == 0;
        if (chosen) run(&benches[i]);
    }
    return summary();
}
