/* SPDX-License-Identifier: MIT */
/* Matrix product of int8 in tiles of 4 x 8 by 8 x 4: one mac16 is 128 products. b is stored as the x scheme reads it:
 * two rows of the tile at a time, two elements of either in turn.
 *
 * prints: matmul_int8: 32 x 32 products of depth 64
 */
#include <stdio.h>
#include <string.h>
#include <tilewright/aie.h>

enum { M = 32, N = 32, K = 64 };
static int8 a[M][K], b[K][N], at[M / 4][K / 8][32] __attribute__((aligned(16))),
    bt[N / 4][K / 8][32] __attribute__((aligned(16)));

static v16int32 tile(int i, int j)
{
    v16acc48 acc = null_v16acc48();
    for (int k = 0; k < K / 8; k += 2) {
        v64int8 x = *(const v64int8 *)bt[j][k]; /* two tiles */
        acc = mac16(acc, x, 0, 0, 8, 0x3210, *(const v32int8 *)at[i][k], 0, 0x0c080400, 2, 0x1010);
        acc = mac16(acc, x, 32, 0, 8, 0x3210, *(const v32int8 *)at[i][k + 1], 0, 0x0c080400, 2, 0x1010);
    }
    return lsrs(acc, 0);
}

int main(void)
{
    set_rnd(rnd_floor);
    for (int i = 0; i < M * K; i++) a[i / K][i % K] = (int8)(i * 37 + i / 7);
    for (int i = 0; i < K * N; i++) b[i / N][i % N] = (int8)(i * 29 - i / 5);
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) at[i / 4][k / 8][(i % 4) * 8 + k % 8] = a[i][k];
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++)
            bt[j / 4][k / 8][(k % 8 / 2) * 8 + (j % 4 / 2) * 4 + (k % 2) * 2 + j % 2] = b[k][j];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0, got = tile(i / 4, j / 4)[4 * (i % 4) + j % 4];
            for (int k = 0; k < K; k++) sum += a[i][k] * b[k][j];
            if (sum != got) return fprintf(stderr, "c[%d][%d] is %d, not %d\n", i, j, got, sum), 1;
        }
    printf("matmul_int8: %d x %d products of depth %d\n", M, N, K);
    return 0;
}
