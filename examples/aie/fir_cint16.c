/* SPDX-License-Identifier: MIT */
/* FIR filter, 8 taps of cint16, 8 outputs at a time, and the same with conjugated taps.
 *
 * prints: fir_cint16: 128 outputs, 128 with conjugated taps
 */
#include <stdio.h>
#include <tilewright/aie.h>

enum { N = 128 };
static cint16 x[N + 16] __attribute__((aligned(16))), y[2][N] __attribute__((aligned(16)));

#define STEP(k)                                     \
    acc = mac8(acc, in, k, 0x76543210, taps, k, 0); \
    conj = mac8_nc(conj, in, k, 0x76543210, taps, k, 0)

static void fir(v8cint16 taps)
{
    set_rnd(rnd_floor);
    for (int n = 0; n < N; n += 8) {
        v16cint16 in = *(const v16cint16 *)(x + n);
        v8cacc48 acc = null_v8cacc48(), conj = null_v8cacc48();
        STEP(0), STEP(1), STEP(2), STEP(3), STEP(4), STEP(5), STEP(6), STEP(7);
        *(v8cint16 *)(y[0] + n) = srs(acc, 15);
        *(v8cint16 *)(y[1] + n) = srs(conj, 15);
    }
}

int main(void)
{
    v8cint16 taps;
    for (int k = 0; k < 8; k++) taps.lane[k] = tw_cint16((int16)(900 * k - 2000), (int16)(700 - 300 * k));
    for (int n = 0; n < N + 16; n++) x[n] = tw_cint16((int16)(n * 40503u), (int16)(n * 30011u + 7));
    fir(taps);
    for (int n = 0; n < 2 * N; n++) {
        int64 re = 0, im = 0, sign = n < N ? 1 : -1;
        for (int k = 0; k < 8; k++) {
            cint16 a = x[n % N + k], t = taps.lane[k];
            re += (int64)a.real * t.real - sign * a.imag * t.imag;
            im += sign * a.real * t.imag + (int64)a.imag * t.real;
        }
        cint16 got = y[n / N][n % N], expected = tw_cint16((int16)(re >> 15), (int16)(im >> 15));
        if (!tw_cint16_equal(got, expected)) return fprintf(stderr, "y[%d] is wrong\n", n), 1;
    }
    printf("fir_cint16: %d outputs, %d with conjugated taps\n", N, N);
    return 0;
}
