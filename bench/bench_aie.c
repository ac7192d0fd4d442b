/* SPDX-License-Identifier: MIT */
/* AI Engine kernels on this machine against (a) a plain loop of the same arithmetic that the compiler may vectorise
 * and (b) the same results in AVX2 by hand, with as few instructions as we know: sums modulo 2^32, of which a shift
 * of 16 at most needs no more. Same flags and data for all; plain loops have sums of 64 bits, because the shift is
 * known at run time alone; loops with sums of 32 bits are shown beside them. Limits, for kernels with constant
 * offsets: 1.0 of (a), and 0.5 of (b). */
#include <tilewright/aie.h>

#include "bench.h"

#include <immintrin.h>

enum { N = 4096, TAPS = 8, ROWS = 64, COLUMNS = 64, DEPTH = 64 };
/* Clang makes the same instructions of the float product and its peers: the ratios are 1 plus or minus this. */
#define NOISE    0.03
#define AIM      0.5 /* of the AVX2 peer */
#define NOINLINE __attribute__((noinline))

static int16_t in16[N + 64] __attribute__((aligned(64))), out16[3][N] __attribute__((aligned(64))), taps16[16];
static cint16 inc[N + 64] __attribute__((aligned(64))), outc[3][N] __attribute__((aligned(64))), tapsc[8];
static int8_t a8[ROWS * DEPTH] __attribute__((aligned(64))), b8[DEPTH * COLUMNS] __attribute__((aligned(64)));
static int8_t at[ROWS * DEPTH] __attribute__((aligned(64))), bt[DEPTH * COLUMNS] __attribute__((aligned(64)));
static int32_t c32[3][ROWS * COLUMNS] __attribute__((aligned(64)));
static float mf[DEPTH * ROWS] __attribute__((aligned(64))), vf[DEPTH] __attribute__((aligned(64)));
static float yf[3][ROWS] __attribute__((aligned(64)));

/* --- int16 FIR, 16 lanes -------------------------------------------------------------------------------------- */

static NOINLINE void fir_aie(int shift)
{
    v16int16 z;
    memcpy(&z, taps16, sizeof z);
    for (int n = 0; n < N; n += 16) {
        v32int16 x = *(const v32int16 *)(in16 + n);
        v16acc48 acc = mul16(x, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
        acc = mac16(acc, x, 2, 0x03020100, 0x07060504, 0x2110, z, 2, 0, 0, 1);
        acc = mac16(acc, x, 4, 0x03020100, 0x07060504, 0x2110, z, 4, 0, 0, 1);
        acc = mac16(acc, x, 6, 0x03020100, 0x07060504, 0x2110, z, 6, 0, 0, 1);
        *(v16int16 *)(out16[0] + n) = srs(acc, shift);
    }
}
static NOINLINE void fir_plain(int shift)
{
    for (int n = 0; n < N; n++) {
        int64_t acc = 0;
        for (int k = 0; k < TAPS; k++) acc += (int32_t)in16[n + k] * taps16[k];
        out16[1][n] = (int16_t)(acc >> shift);
    }
}
static NOINLINE void fir_plain32(int shift)
{
    for (int n = 0; n < N; n++) {
        uint32_t acc = 0;
        for (int k = 0; k < TAPS; k++) acc += (uint32_t)((int32_t)in16[n + k] * taps16[k]);
        out16[1][n] = (int16_t)((int32_t)acc >> shift);
    }
}
/* Bits 0 to 15 of sums modulo 2^32, shifted right: all that a shift of 16 at most leaves of a sum. */
static inline __m256i interleaved(__m256i even, __m256i odd, int shift)
{
    const __m128i s = _mm_cvtsi32_si128(shift);
    return _mm256_blend_epi16(_mm256_srl_epi32(even, s), _mm256_sll_epi32(odd, _mm_cvtsi32_si128(16 - shift)),
                              0xaa);
}
/* Pairs of taps by multiply-add of neighbours; products of four -32768 are right modulo 2^32, too. */
static NOINLINE void fir_avx2(int shift)
{
    for (int n = 0; n < N; n += 16) {
        __m256i even = _mm256_setzero_si256(), odd = even;
        for (int k = 0; k < TAPS; k += 2) {
            int32_t pair;
            memcpy(&pair, taps16 + k, 4);
            __m256i t = _mm256_set1_epi32(pair);
            const __m256i *x = (const __m256i *)(in16 + n + k), *next = (const __m256i *)(in16 + n + k + 1);
            even = _mm256_add_epi32(even, _mm256_madd_epi16(_mm256_loadu_si256(x), t));
            odd = _mm256_add_epi32(odd, _mm256_madd_epi16(_mm256_loadu_si256(next), t));
        }
        _mm256_store_si256((__m256i *)(out16[2] + n), interleaved(even, odd, shift));
    }
}

/* --- cint16 FIR, 8 lanes -------------------------------------------------------------------------------------- */

static NOINLINE void cfir_aie(int shift)
{
    v8cint16 z;
    memcpy(&z, tapsc, sizeof z);
    for (int n = 0; n < N; n += 8) {
        v16cint16 x = *(const v16cint16 *)(inc + n);
        v8cacc48 acc = mul8(x, 0, 0x76543210, z, 0, 0);
        acc = mac8(acc, x, 1, 0x76543210, z, 1, 0);
        acc = mac8(acc, x, 2, 0x76543210, z, 2, 0);
        acc = mac8(acc, x, 3, 0x76543210, z, 3, 0);
        acc = mac8(acc, x, 4, 0x76543210, z, 4, 0);
        acc = mac8(acc, x, 5, 0x76543210, z, 5, 0);
        acc = mac8(acc, x, 6, 0x76543210, z, 6, 0);
        acc = mac8(acc, x, 7, 0x76543210, z, 7, 0);
        *(v8cint16 *)(outc[0] + n) = srs(acc, shift);
    }
}
static NOINLINE void cfir_plain(int shift)
{
    for (int n = 0; n < N; n++) {
        int64_t re = 0, im = 0;
        for (int k = 0; k < TAPS; k++) {
            cint16 x = inc[n + k], t = tapsc[k];
            re += (int64_t)x.real * t.real - (int64_t)x.imag * t.imag;
            im += (int64_t)x.real * t.imag + (int64_t)x.imag * t.real;
        }
        outc[1][n] = (cint16){ (int16_t)(re >> shift), (int16_t)(im >> shift) };
    }
}
static NOINLINE void cfir_plain32(int shift)
{
    for (int n = 0; n < N; n++) {
        uint32_t re = 0, im = 0;
        for (int k = 0; k < TAPS; k++) {
            cint16 x = inc[n + k], t = tapsc[k];
            re += (uint32_t)((int32_t)x.real * t.real) - (uint32_t)((int32_t)x.imag * t.imag);
            im += (uint32_t)((int32_t)x.real * t.imag) + (uint32_t)((int32_t)x.imag * t.real);
        }
        outc[1][n] = (cint16){ (int16_t)((int32_t)re >> shift), (int16_t)((int32_t)im >> shift) };
    }
}
static NOINLINE void cfir_avx2(int shift)
{
    for (int n = 0; n < N; n += 8) {
        __m256i re = _mm256_setzero_si256(), im = re;
        for (int k = 0; k < TAPS; k++) {
            __m256i x = _mm256_loadu_si256((const __m256i *)(inc + n + k));
            __m256i tr =
                _mm256_set1_epi32((uint16_t)tapsc[k].real | (int)((uint32_t)(uint16_t)-tapsc[k].imag << 16));
            __m256i ti =
                _mm256_set1_epi32((uint16_t)tapsc[k].imag | (int)((uint32_t)(uint16_t)tapsc[k].real << 16));
            re = _mm256_add_epi32(re, _mm256_madd_epi16(x, tr));
            im = _mm256_add_epi32(im, _mm256_madd_epi16(x, ti));
        }
        _mm256_store_si256((__m256i *)(outc[2] + n), interleaved(re, im, shift));
    }
}

/* --- int8 matrix product: tiles of 4 x 8 by 8 x 4 ----------------------------------------------------------------
 * b is stored as the x scheme reads it: two columns of the tile at a time, two elements of either in turn. */

static NOINLINE void matmul_aie(int shift)
{
    for (int i = 0; i < ROWS / 4; i++)
        for (int j = 0; j < COLUMNS / 4; j++) {
            v16acc48 acc = null_v16acc48();
            for (int k = 0; k < DEPTH / 8; k += 2) {
                v64int8 b = *(const v64int8 *)(bt + (j * DEPTH / 8 + k) * 32);
                v32int8 a = *(const v32int8 *)(at + (i * DEPTH / 8 + k) * 32);
                acc = mac16(acc, b, 0, 0, 8, 0x3210, a, 0, 0x0c080400, 2, 0x1010);
                a = *(const v32int8 *)(at + (i * DEPTH / 8 + k + 1) * 32);
                acc = mac16(acc, b, 32, 0, 8, 0x3210, a, 0, 0x0c080400, 2, 0x1010);
            }
            v16int32 c = lsrs(acc, shift);
            for (int r = 0; r < 4; r++)
                memcpy(&c32[0][(4 * i + r) * COLUMNS + 4 * j], (const char *)&c + 16 * r, 16);
        }
}
static NOINLINE void matmul_plain(int shift)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int64_t acc = 0;
            for (int k = 0; k < DEPTH; k++) acc += (int64_t)a8[i * DEPTH + k] * b8[j * DEPTH + k];
            c32[1][i * COLUMNS + j] = (int32_t)(acc >> shift);
        }
}
static NOINLINE void matmul_plain32(int shift)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int32_t acc = 0;
            for (int k = 0; k < DEPTH; k++) acc += a8[i * DEPTH + k] * b8[j * DEPTH + k];
            c32[1][i * COLUMNS + j] = acc >> shift;
        }
}
/* Four columns at a time; sums of 64 products of 8 bits are exact in 32 bits. */
static NOINLINE void matmul_avx2(int shift)
{
    const __m128i s = _mm_cvtsi32_si128(shift);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j += 4) {
            __m256i acc[4] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                               _mm256_setzero_si256() };
            for (int k = 0; k < DEPTH; k += 32) {
                const __m128i *ap = (const __m128i *)(a8 + i * DEPTH + k);
                __m256i a0 = _mm256_cvtepi8_epi16(ap[0]), a1 = _mm256_cvtepi8_epi16(ap[1]);
                for (int c = 0; c < 4; c++) {
                    const __m128i *bp = (const __m128i *)(b8 + (j + c) * DEPTH + k);
                    __m256i p = _mm256_add_epi32(_mm256_madd_epi16(a0, _mm256_cvtepi8_epi16(bp[0])),
                                                 _mm256_madd_epi16(a1, _mm256_cvtepi8_epi16(bp[1])));
                    acc[c] = _mm256_add_epi32(acc[c], p);
                }
            }
            __m256i sums = _mm256_hadd_epi32(_mm256_hadd_epi32(acc[0], acc[1]), _mm256_hadd_epi32(acc[2], acc[3]));
            __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
            _mm_store_si128((__m128i *)&c32[2][i * COLUMNS + j], _mm_sra_epi32(four, s));
        }
}

/* --- float matrix by vector, columns in order, product rounded before the sum --------------------------------- */

static NOINLINE void gemv_aie(int shift)
{
    (void)shift;
    v8float sum[8] = { 0 };
    for (int k = 0; k < DEPTH; k += 8) {
        const v8float x = *(const v8float *)(vf + k);
#define STEP(i)                                                      \
    {                                                                \
        const v32float *m = (const v32float *)(mf + (k + i) * ROWS); \
        const v32float low = m[0], high = m[1];                      \
        sum[0] = fpmac(sum[0], low, 0, 0x76543210, x, i, 0);         \
        sum[1] = fpmac(sum[1], low, 8, 0x76543210, x, i, 0);         \
        sum[2] = fpmac(sum[2], low, 16, 0x76543210, x, i, 0);        \
        sum[3] = fpmac(sum[3], low, 24, 0x76543210, x, i, 0);        \
        sum[4] = fpmac(sum[4], high, 0, 0x76543210, x, i, 0);        \
        sum[5] = fpmac(sum[5], high, 8, 0x76543210, x, i, 0);        \
        sum[6] = fpmac(sum[6], high, 16, 0x76543210, x, i, 0);       \
        sum[7] = fpmac(sum[7], high, 24, 0x76543210, x, i, 0);       \
    }
        STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
    }
    memcpy(yf[0], sum, sizeof sum);
}
static NOINLINE void gemv_plain(int shift)
{
    (void)shift;
    for (int r = 0; r < ROWS; r++) yf[1][r] = 0;
    for (int k = 0; k < DEPTH; k++)
        for (int r = 0; r < ROWS; r++) yf[1][r] += mf[k * ROWS + r] * vf[k];
}
static NOINLINE void gemv_avx2(int shift)
{
    (void)shift;
    __m256 y[ROWS / 8] = { 0 };
    for (int k = 0; k < DEPTH; k++) {
        const __m256 x = _mm256_set1_ps(vf[k]);
#pragma GCC unroll 8
        for (int i = 0; i < ROWS / 8; i++)
            y[i] = _mm256_add_ps(y[i], _mm256_mul_ps(_mm256_load_ps(mf + k * ROWS + 8 * i), x));
    }
#pragma GCC unroll 8
    for (int i = 0; i < ROWS / 8; i++) _mm256_store_ps(yf[2] + 8 * i, y[i]);
}

/* --- timing --------------------------------------------------------------------------------------------------- */

typedef struct job {
    void (*kernel)(int shift);
    int shift, repeats;
} job;
static void run(void *data)
{
    const job *j = data;
    for (int i = 0; i < j->repeats; i++) j->kernel(j->shift);
}

typedef struct row {
    const char *name;
    void (*kernels[3])(int shift); /* ours, plain, AVX2 */
    int shift, repeats;
    double limit; /* of the AVX2 peer; 0: none of either */
    const void *results[3];
    size_t bytes;
} row;

static bool measure(const row *r)
{
    job jobs[3];
    bench_case cases[3];
    for (int v = 0; v < 3; v++) {
        jobs[v] = (job){ r->kernels[v], r->shift, r->repeats };
        cases[v] = (bench_case){ .name = r->name, .run = run, .data = &jobs[v] };
    }
    bench_interleaved(cases, 3);
    if (memcmp(r->results[0], r->results[1], r->bytes) || memcmp(r->results[0], r->results[2], r->bytes)) {
        printf("%-30s results differ\n", r->name);
        return false;
    }
    const double plain = bench_time_ratio(&cases[1], &cases[0]), avx2 = bench_time_ratio(&cases[2], &cases[0]);
    const bool met = r->limit <= 0 || (plain >= 1.0 - NOISE && avx2 >= r->limit - NOISE);
    char what[80];
    snprintf(what, sizeof what, "%s / plain C", r->name);
    bench_row(what, plain, "", r->limit > 0 ? BENCH_AT_LEAST : BENCH_NO_LIMIT, 1.0 - NOISE);
    snprintf(what, sizeof what, "%s / AVX2 by hand", r->name);
    if (r->limit > 0) bench_row(what, avx2, "", BENCH_AT_LEAST, r->limit - NOISE);
    printf("%-30s", r->name);
    for (int v = 0; v < 3; v++) printf(" %8.2f", 1e6 * cases[v].median / r->repeats);
    printf("   %6.2f   %6.2f   ", plain, avx2);
    if (r->limit <= 0)
        printf("no limit\n");
    else
        printf("%s: 1.0, %.2f\n", met ? "met" : "MISSED", r->limit);
    return met;
}

static void prepare(void)
{
    srand(1);
    for (int i = 0; i < N + 64; i++)
        in16[i] = (int16_t)rand(), inc[i] = (cint16){ (int16_t)rand(), (int16_t)rand() };
    for (int i = 0; i < TAPS; i++) taps16[i] = (int16_t)(rand() % 8000 - 4000);
    for (int i = 0; i < 8; i++)
        tapsc[i] = (cint16){ (int16_t)(rand() % 8000 - 4000), (int16_t)(rand() % 8000 - 4000) };
    for (int i = 0; i < DEPTH * ROWS; i++) mf[i] = (float)(rand() % 2000 - 1000) / 997.0f;
    for (int i = 0; i < DEPTH; i++) vf[i] = (float)(rand() % 2000 - 1000) / 991.0f;
    for (int i = 0; i < ROWS * DEPTH; i++) a8[i] = (int8_t)rand();
    for (int i = 0; i < DEPTH * COLUMNS; i++) b8[i] = (int8_t)rand(); /* [column][k] */
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < DEPTH; k++)
            at[((i / 4) * DEPTH / 8 + k / 8) * 32 + (i % 4) * 8 + k % 8] = a8[i * DEPTH + k];
    for (int j = 0; j < COLUMNS; j++)
        for (int k = 0; k < DEPTH; k++) {
            int lane = j % 4, column = k % 8;
            bt[((j / 4) * DEPTH / 8 + k / 8) * 32 + (column / 2) * 8 + (lane / 2) * 4 + (column % 2) * 2 +
               lane % 2] = b8[j * DEPTH + k];
        }
}

int main(void)
{
    prepare();
#define RESULTS(a) { a[0], a[1], a[2] }, sizeof a[0]
    const row rows[] = {
        { "int16 FIR, 8 taps", { fir_aie, fir_plain, fir_avx2 }, 15, 100, AIM, RESULTS(out16) },
        { "cint16 FIR, 8 taps", { cfir_aie, cfir_plain, cfir_avx2 }, 15, 40, AIM, RESULTS(outc) },
        { "int8 matmul 64 x 64 x 64", { matmul_aie, matmul_plain, matmul_avx2 }, 0, 20, AIM, RESULTS(c32) },
        { "float GEMV 64 x 64", { gemv_aie, gemv_plain, gemv_avx2 }, 0, 2000, AIM, RESULTS(yf) },
        { "int16 FIR, plain in 32 bits", { fir_aie, fir_plain32, fir_avx2 }, 15, 100, 0, RESULTS(out16) },
        { "cint16 FIR, plain in 32 bits", { cfir_aie, cfir_plain32, cfir_avx2 }, 15, 40, 0, RESULTS(outc) },
        { "int8 matmul, plain in 32 bits", { matmul_aie, matmul_plain32, matmul_avx2 }, 0, 20, 0, RESULTS(c32) },
    };
    bench_machine("-O3 -march=x86-64-v3");
    printf("microseconds, and time of the peer / ours: above 1 we are faster\n");
    printf("%-30s %8s %8s %8s   %6s   %6s\n", "", "ours", "plain", "AVX2", "/plain", "/AVX2");
    bool met = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) met &= measure(&rows[i]);
    return !met;
}
