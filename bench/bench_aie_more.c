/* SPDX-License-Identifier: MIT */
/* AI Engine intrinsics beside those of bench_aie.c, against plain loops of the same arithmetic: pre-adders, 32-bit
 * data in 80-bit lanes, srs with rounding and saturation, lane schemes known at run time alone, buffers put together
 * by upd_w. No limits; a row far below 1 is a place to mend. */
#include <tilewright/aie.h>

#include "bench.h"

enum { N = 2048, TAPS = 8, REPEATS = 50 };
#define NOINLINE __attribute__((noinline))
#define ALIGNED  __attribute__((aligned(64)))

static int16_t in16[N + 64] ALIGNED, out16[2][N] ALIGNED, taps16[16] ALIGNED;
static int32_t in32[N + 64] ALIGNED, out32[2][N] ALIGNED, taps32[8] ALIGNED;
static cint16 inc[N + 64] ALIGNED, outc[2][N] ALIGNED, tapsc[8] ALIGNED;
/* Read where a kernel starts, so that no compiler knows them. */
static volatile int offsets[2] = { 0x03020100, 0x07060504 }, start = 0, shift = 15;

#define X16(n) (*(const v32int16 *)(in16 + (n)))
#define XC(n)  (*(const v16cint16 *)(inc + (n)))

/* --- symmetric FIR, int16, 8 lanes: 8 taps as 4 pairs --------------------------------------------------------- */

static NOINLINE void sym_aie(void)
{
    const v16int16 z = *(const v16int16 *)taps16;
    const int s = shift;
    for (int n = 0; n < N; n += 8) {
        v8acc48 acc = mul8_sym(X16(n), 0, 0x03020100, 2, 0x2110, 6, 0x1201, z, 0, 0, 1);
        *(v8int16 *)(out16[0] + n) = srs(acc, s);
    }
}
static NOINLINE void sym_plain(void)
{
    const int s = shift;
    for (int n = 0; n < N; n++) {
        int64_t acc = 0;
        for (int k = 0; k < 4; k++) acc += ((int64_t)in16[n + k] + in16[n + 7 - k]) * taps16[k];
        out16[1][n] = (int16_t)(acc >> s);
    }
}

/* --- symmetric FIR, cint16, 4 lanes: 8 taps as 4 pairs -------------------------------------------------------- */

static NOINLINE void csym_aie(void)
{
    const v8cint16 z = *(const v8cint16 *)tapsc;
    const int s = shift;
    for (int n = 0; n < N; n += 4) {
        v4cacc48 acc = mul4_sym(XC(n), 0, 0x3210, 1, 7, z, 0, 0, 1);
        acc = mac4_sym(acc, XC(n), 2, 0x3210, 1, 5, z, 2, 0, 1);
        *(v4cint16 *)(outc[0] + n) = srs(acc, s);
    }
}
static NOINLINE void csym_plain(void)
{
    const int s = shift;
    for (int n = 0; n < N; n++) {
        int64_t re = 0, im = 0;
        for (int k = 0; k < 4; k++) {
            const int64_t xr = inc[n + k].real + inc[n + 7 - k].real, xi = inc[n + k].imag + inc[n + 7 - k].imag;
            re += xr * tapsc[k].real - xi * tapsc[k].imag;
            im += xr * tapsc[k].imag + xi * tapsc[k].real;
        }
        outc[1][n] = (cint16){ (int16_t)(re >> s), (int16_t)(im >> s) };
    }
}

/* --- int32 FIR, 8 lanes of 80 bits ---------------------------------------------------------------------------- */

static NOINLINE void wide_aie(void)
{
    const v8int32 z = *(const v8int32 *)taps32;
    const int s = shift;
    for (int n = 0; n < N; n += 8) {
        const v16int32 x = *(const v16int32 *)(in32 + n);
        v8acc80 acc = lmul8(x, 0, 0x76543210, z, 0, 0);
        acc = lmac8(acc, x, 1, 0x76543210, z, 1, 0);
        acc = lmac8(acc, x, 2, 0x76543210, z, 2, 0);
        acc = lmac8(acc, x, 3, 0x76543210, z, 3, 0);
        *(v8int32 *)(out32[0] + n) = srs(acc, s);
    }
}
static NOINLINE void wide_plain(void)
{
    const int s = shift;
    for (int n = 0; n < N; n++) {
        int128 acc = 0;
        for (int k = 0; k < 4; k++) acc += (int128)((int64_t)in32[n + k] * taps32[k]);
        out32[1][n] = (int32_t)(acc >> s);
    }
}

/* --- int32 by int16, 8 lanes of 48 bits ----------------------------------------------------------------------- */

static NOINLINE void mixed_aie(void)
{
    const v16int16 z = *(const v16int16 *)taps16;
    const int s = shift;
    for (int n = 0; n < N; n += 8) {
        const v16int32 x = *(const v16int32 *)(in32 + n);
        v8acc48 acc = mul8(x, 0, 0x76543210, 1, z, 0, 0, 1);
        acc = mac8(acc, x, 2, 0x76543210, 1, z, 2, 0, 1);
        *(v8int32 *)(out32[0] + n) = lsrs(acc, s);
    }
}
static NOINLINE void mixed_plain(void)
{
    const int s = shift;
    for (int n = 0; n < N; n++) {
        int64_t acc = 0;
        for (int k = 0; k < 4; k++) acc += (int64_t)in32[n + k] * taps16[k];
        out32[1][n] = (int32_t)(acc >> s);
    }
}

/* --- srs, rounded to even, saturated -------------------------------------------------------------------------- */

static NOINLINE void round_aie(void)
{
    const int s = shift;
    for (int n = 0; n < N; n += 16) *(v16int16 *)(out16[0] + n) = srs(ups(*(const v16int16 *)(in16 + n), s + 1), s);
}
static NOINLINE void round_plain(void)
{
    const int s = shift;
    for (int n = 0; n < N; n++) {
        const int64_t a = (int64_t)in16[n] * ((int64_t)1 << (s + 1)), half = (int64_t)1 << (s - 1);
        const int64_t r = (a + half - 1 + (a >> s & 1)) >> s;
        out16[1][n] = (int16_t)(r > INT16_MAX ? INT16_MAX : r < INT16_MIN ? INT16_MIN : r);
    }
}

/* --- lane schemes --------------------------------------------------------------------------------------------- */

static NOINLINE void interleave_aie(void)
{
    for (int n = 0; n < N; n += 32)
        *(v32int16 *)(out16[0] + n) = shuffle32(X16(n), 0, (int)0xf3f2f1f0, (int)0xf7f6f5f4, 0x3120);
}
static NOINLINE void interleave_plain(void)
{
    for (int n = 0; n < N; n += 32)
        for (int k = 0; k < 32; k++) out16[1][n + k] = in16[n + (k / 2 + 32 * (k % 2)) % 32];
}
static NOINLINE void variable_aie(void)
{
    const v16int16 z = *(const v16int16 *)taps16;
    const int s = shift, low = offsets[0], high = offsets[1], from = start;
    for (int n = 0; n < N; n += 16) {
        v16acc48 acc = mul16(X16(n), from, low, high, 0x2110, z, 0, 0, 0, 1);
        acc = mac16(acc, X16(n), from + 2, low, high, 0x2110, z, 2, 0, 0, 1);
        *(v16int16 *)(out16[0] + n) = srs(acc, s);
    }
}
static NOINLINE void four_plain(void)
{
    const int s = shift;
    for (int n = 0; n < N; n++) {
        int64_t acc = 0;
        for (int k = 0; k < 4; k++) acc += (int32_t)in16[n + k] * taps16[k];
        out16[1][n] = (int16_t)(acc >> s);
    }
}
static NOINLINE void sliding_aie(void)
{
    const v16int16 z = *(const v16int16 *)taps16, *p = (const v16int16 *)in16;
    const int s = shift;
    v32int16 x = xset_w(0, *p++);
    for (int n = 0; n < N; n += 32) {
        x = upd_w(x, 1, *p++);
        v16acc48 acc = mul16(x, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
        acc = mac16(acc, x, 2, 0x03020100, 0x07060504, 0x2110, z, 2, 0, 0, 1);
        *(v16int16 *)(out16[0] + n) = srs(acc, s);
        x = upd_w(x, 0, *p++);
        acc = mul16(x, 16, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
        acc = mac16(acc, x, 18, 0x03020100, 0x07060504, 0x2110, z, 2, 0, 0, 1);
        *(v16int16 *)(out16[0] + n + 16) = srs(acc, s);
    }
}

/* --- timing --------------------------------------------------------------------------------------------------- */

static void run(void *data)
{
    for (int i = 0; i < REPEATS; i++) (*(void (**)(void))data)();
}

typedef struct row {
    const char *name;
    void (*kernels[2])(void); /* ours, plain */
    const void *results[2];
    size_t bytes;
} row;

static bool measure(const row *r)
{
    bench_case cases[2];
    void (*kernels[2])(void) = { r->kernels[0], r->kernels[1] };
    for (int v = 0; v < 2; v++) cases[v] = (bench_case){ .name = r->name, .run = run, .data = &kernels[v] };
    bench_interleaved(cases, 2);
    if (memcmp(r->results[0], r->results[1], r->bytes)) return printf("%-44s results differ\n", r->name), false;
    printf("%-44s", r->name);
    for (int v = 0; v < 2; v++) printf(" %8.2f", 1e6 * cases[v].median / REPEATS);
    printf("   %6.2f\n", bench_time_ratio(&cases[1], &cases[0]));
    return bench_row(r->name, bench_time_ratio(&cases[1], &cases[0]), "", BENCH_NO_LIMIT, 0);
}

int main(void)
{
    srand(1);
    for (int i = 0; i < N + 64; i++) {
        in16[i] = (int16_t)rand(), in32[i] = rand() - RAND_MAX / 2;
        inc[i] = (cint16){ (int16_t)rand(), (int16_t)rand() };
    }
    for (int i = 0; i < TAPS; i++) {
        taps16[i] = (int16_t)(rand() % 8000 - 4000), taps32[i] = rand() - RAND_MAX / 2;
        tapsc[i] = (cint16){ (int16_t)(rand() % 8000 - 4000), (int16_t)(rand() % 8000 - 4000) };
    }
#define RESULTS(a) { a[0], a[1] }, sizeof a[0]
    const row rows[] = {
        { "symmetric FIR int16, mul8_sym", { sym_aie, sym_plain }, RESULTS(out16) },
        { "symmetric FIR cint16, mac4_sym", { csym_aie, csym_plain }, RESULTS(outc) },
        { "FIR int32, lmac8, 80 bits", { wide_aie, wide_plain }, RESULTS(out32) },
        { "FIR int32 by int16, mac8", { mixed_aie, mixed_plain }, RESULTS(out32) },
        { "shuffle32, constant offsets", { interleave_aie, interleave_plain }, RESULTS(out16) },
        { "FIR int16, mac16, offsets known at run time", { variable_aie, four_plain }, RESULTS(out16) },
        { "FIR int16, mac16, buffer of upd_w", { sliding_aie, four_plain }, RESULTS(out16) },
    };
    const row rounded = { "ups, srs, rounded to even and saturated", { round_aie, round_plain }, RESULTS(out16) };
    bench_machine("-O3 -march=x86-64-v3");
    printf("microseconds, and time of the plain loop / ours: above 1 we are faster\n");
    bool equal = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) equal &= measure(&rows[i]);
    set_rnd(rnd_conv_even), set_sat();
    equal &= measure(&rounded);
    return !equal;
}
