/* SPDX-License-Identifier: MIT */
/* c = a b, 64 x 128 by 128 x 48 in f16, through the memories of the cube: blocks of 32 x 64 and 64 x 16 go from
 * global memory to L1 (Mat), to L0A and L0B (Left, Right), are multiplied and accumulated in L0C (Acc) and stored. On
 * both chips, whose left operands lie differently. Compared with double precision.
 * prints: a2a3: 3072 products right
 * prints: a5: 3072 products right
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <tilewright/pto.h>

enum { M = 64, K = 128, N = 48, BM = 32, BK = 64, BN = 16 };

static uint16_t a[M][K], b[K][N];
static float c[M][N];

static tw_pto_tile boxed(tw_pto_location location, tw_type type, uint32_t rows, uint32_t cols, int blayout,
                         int slayout)
{
    tw_pto_tile t = tw_pto_tile_of(location, type, rows, cols);
    t.blayout = (unsigned char)blayout;
    t.slayout = (unsigned char)slayout;
    t.fractal = location == TW_PTO_ACC ? 1024 : 512;
    return t;
}

static tw_pto_tensor block(void *data, tw_type type, size_t rows, size_t cols, ptrdiff_t stride)
{
    tw_pto_tensor t = tw_pto_tensor_of(data, type, rows, cols, TW_PTO_ND);
    t.stride[3] = stride; /* rows of the whole matrix */
    return t;
}

#define TRY(call)                                                              \
    do {                                                                       \
        if ((call) != TW_OK) return printf("%s\n", tw_error_message()), false; \
    } while (0)

static bool multiply(tw_pto *core)
{
    int left_layout = tw_pto_get_target(core) == TW_PTO_A2A3 ? TW_PTO_ROW_MAJOR : TW_PTO_COL_MAJOR;
    tw_pto_tile ma = boxed(TW_PTO_MAT, TW_F16, BM, BK, TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW);
    tw_pto_tile mb = boxed(TW_PTO_MAT, TW_F16, BK, BN, TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW);
    tw_pto_tile left = boxed(TW_PTO_LEFT, TW_F16, BM, BK, left_layout, TW_PTO_BOX_ROW);
    tw_pto_tile right = boxed(TW_PTO_RIGHT, TW_F16, BK, BN, TW_PTO_ROW_MAJOR, TW_PTO_BOX_COL);
    tw_pto_tile acc = boxed(TW_PTO_ACC, TW_F32, BM, BN, TW_PTO_COL_MAJOR, TW_PTO_BOX_ROW);
    tw_pto_operand to_left[] = { tw_pto_tile_operand(&left), tw_pto_tile_operand(&ma) };
    tw_pto_operand to_right[] = { tw_pto_tile_operand(&right), tw_pto_tile_operand(&mb) };
    tw_pto_operand product[] = { tw_pto_tile_operand(&acc), tw_pto_tile_operand(&left),
                                 tw_pto_tile_operand(&right) };
    for (int m = 0; m < M; m += BM)
        for (int n = 0; n < N; n += BN) {
            for (int k = 0; k < K; k += BK) {
                tw_pto_tensor av = block(&a[m][k], TW_F16, BM, BK, K), bv = block(&b[k][n], TW_F16, BK, BN, N);
                TRY(tw_pto_load(core, &ma, &av));
                TRY(tw_pto_load(core, &mb, &bv));
                TRY(tw_pto_call(core, "tmov", to_left, 2, NULL));
                TRY(tw_pto_call(core, "tmov", to_right, 2, NULL));
                TRY(tw_pto_call(core, k ? "tmatmul.acc" : "tmatmul", product, 3, NULL));
            }
            tw_pto_tensor cv = block(&c[m][n], TW_F32, BM, BN, N);
            TRY(tw_pto_store(core, &cv, &acc));
        }
    return true;
}

int main(void)
{
    static const tw_pto_target targets[] = { TW_PTO_A2A3, TW_PTO_A5 };
    static double x[M][K], y[K][N];
    for (int i = 0; i < M * K; i++) {
        x[i / K][i % K] = (double)(i * 29 % 129 - 64) / 32; /* exact in f16 */
        a[i / K][i % K] = (uint16_t)tw_pto_scalar_of(TW_F16, x[i / K][i % K]).bits;
    }
    for (int i = 0; i < K * N; i++) {
        y[i / N][i % N] = (double)(i * 53 % 129 - 64) / 64;
        b[i / N][i % N] = (uint16_t)tw_pto_scalar_of(TW_F16, y[i / N][i % N]).bits;
    }
    for (int t = 0; t < 2; t++) {
        tw_pto *core = tw_pto_new(targets[t], 0);
        int right = 0;
        for (int i = 0; i < M * N; i++) c[i / N][i % N] = NAN;
        if (!core || !multiply(core)) return 1;
        for (int i = 0; i < M * N; i++) {
            double want = 0;
            for (int k = 0; k < K; k++) want += x[i / N][k] * y[k][i % N];
            right += fabs(c[i / N][i % N] - want) <= 1e-3 * fmax(1, fabs(want));
        }
        printf("%s: %d products right\n", tw_pto_target_name(targets[t]), right);
        tw_pto_free(core);
        if (right != M * N) return 1;
    }
    return 0;
}
