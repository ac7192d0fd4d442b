/* SPDX-License-Identifier: MIT */
/* Matrix by vector in float, columns in order: bit for bit what a loop gives that rounds each product and each sum.
 *
 * prints: gemv_float: 32 rows, equal to the last bit
 */
#include <stdio.h>
#include <string.h>
#include <tilewright/aie.h>

enum { ROWS = 32, COLUMNS = 24 };
static float m[COLUMNS][ROWS] __attribute__((aligned(16))), x[COLUMNS] __attribute__((aligned(16)));

static void gemv(float *y)
{
    for (int r = 0; r < ROWS; r += 16) {
        v8float low = null_v8float(), high = null_v8float(); /* two accumulators: the sum takes two cycles */
        for (int k = 0; k < COLUMNS; k++) {
            v16float column = *(const v16float *)&m[k][r];
            v8float factor = *(const v8float *)&x[k & ~7];
            low = fpmac(low, column, 0, 0x76543210, factor, k & 7, 0);
            high = fpmac(high, column, 8, 0x76543210, factor, k & 7, 0);
        }
        *(v8float *)(y + r) = low;
        *(v8float *)(y + r + 8) = high;
    }
}

int main(void)
{
    float y[ROWS] __attribute__((aligned(16)));
    for (int k = 0; k < COLUMNS; k++) {
        x[k] = (float)(k * 37 % 101) / 7.0f;
        for (int r = 0; r < ROWS; r++) m[k][r] = (float)((k * 131 + r * 17) % 997) / 13.0f - 30.0f;
    }
    gemv(y);
    for (int r = 0; r < ROWS; r++) {
        volatile float sum = 0, product;
        for (int k = 0; k < COLUMNS; k++) product = m[k][r] * x[k], sum = sum + product;
        if (sum != y[r]) return fprintf(stderr, "row %d: %a, not %a\n", r, (double)y[r], (double)sum), 1;
    }
    printf("gemv_float: %d rows, equal to the last bit\n", ROWS);
    return 0;
}
