/* SPDX-License-Identifier: MIT */
/* Half-band interpolator: the taps are symmetric, every second one is zero but for the centre. The even phase is a
 * sum of pairs, mul4_sym; mul4_sym_ct adds the centre tap, which has no partner, in its last column.
 *
 * prints: halfband: 64 symmetric sums, 64 with a centre tap
 */
#include <stdio.h>
#include <tilewright/aie.h>

enum { N = 64 };

int main(void)
{
    v32cint16 x;
    v16int16 taps = { 120, -700, 2900, -9000, 500, 300, -200, 16384 };
    unsigned checked = 0;
    set_rnd(rnd_floor);
    for (int i = 0; i < 32; i++) x.lane[i] = tw_cint16((int16)(i * 1103 - 9000), (int16)(5000 - i * 733));
    for (int n = 0; n < N / 4; n++) {
        /* Four columns: taps[c] * (x[n + l + c] + x[n + l + 7 - c]), and with the centre x[n + l + 3 + ...] in column
         * 3. */
        v4cint32 sum = lsrs(mul4_sym(x, n, 0x3210, 1, n + 7, taps, 0, 0, 1), 0);
        v4cint32 centre = lsrs(mul4_sym_ct(x, n, 0x3210, 1, n + 6, 3, taps, 4, 0, 1), 0);
        for (int l = 0; l < 4; l++) {
            int re = 0, ct = 0;
            for (int c = 0; c < 4; c++)
                re += taps[c] * (x.lane[(n + l + c) % 32].real + x.lane[(n + l + 7 - c) % 32].real);
            for (int c = 0; c < 3; c++)
                ct += taps[4 + c] * (x.lane[(n + l + c) % 32].imag + x.lane[(n + l + 6 - c) % 32].imag);
            ct += taps[7] * x.lane[(n + l + 3) % 32].imag;
            if (sum.lane[l].real != re || centre.lane[l].imag != ct)
                return fprintf(stderr, "output %d, lane %d\n", n, l), 1;
            checked++;
        }
    }
    printf("halfband: %u symmetric sums, %u with a centre tap\n", checked, checked);
    return 0;
}
