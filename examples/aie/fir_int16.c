/* SPDX-License-Identifier: MIT */
/* FIR filter, 8 taps of int16, 16 outputs at a time: mac16 slides over the input. Two columns a call: lane l takes
 * x[start + l] and x[start + l + 1].
 *
 * prints: fir_int16: 256 outputs as the plain sum gives them
 */
#include <stdio.h>
#include <tilewright/aie.h>

enum { N = 256 };
static int16 x[N + 32] __attribute__((aligned(16))), y[N] __attribute__((aligned(16)));

/* Two taps from `k` on: offsets count pairs, the square gives x[l], x[l + 1] to even and odd lanes alike. */
#define TAPS(call, k) call(x_, k, 0x03020100, 0x07060504, 0x2110, taps, k, 0, 0, 1)
#define MORE(acc, k)  mac16(acc, x_, k, 0x03020100, 0x07060504, 0x2110, taps, k, 0, 0, 1)

static void fir(v16int16 taps, int shift)
{
    for (int n = 0; n < N; n += 16) {
        v32int16 x_ = *(const v32int16 *)(x + n);
        v16acc48 acc = TAPS(mul16, 0);
        acc = MORE(acc, 2);
        acc = MORE(acc, 4);
        acc = MORE(acc, 6);
        *(v16int16 *)(y + n) = srs(acc, shift);
    }
}

int main(void)
{
    const v16int16 taps = { -120, 340, -900, 16384, 16384, -900, 340, -120 };
    for (int n = 0; n < N + 32; n++) x[n] = (int16)((n * 2654435761u) >> 17);
    set_rnd(rnd_conv_even);
    set_sat();
    fir(taps, 15);
    for (int n = 0; n < N; n++) {
        int64 sum = 0;
        for (int k = 0; k < 8; k++) sum += (int64)x[n + k] * taps[k];
        int64 rest = sum & 32767, value = sum >> 15;
        value += rest > 16384 || (rest == 16384 && (value & 1));
        value = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
        if (value != y[n]) return fprintf(stderr, "y[%d] is %d, not %lld\n", n, y[n], value), 1;
    }
    printf("fir_int16: %d outputs as the plain sum gives them\n", N);
    return 0;
}
