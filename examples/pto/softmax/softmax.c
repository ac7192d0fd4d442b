/* SPDX-License-Identifier: MIT */
/* Softmax of 16 rows of 64 numbers: largest of a row, exponentials, their sum, quotient. Compared with double
 * precision.
 * prints: 1024 values, largest error below 1e-6
 * prints: rows sum to 1
 */
#include <math.h>
#include <stdio.h>
#include <tilewright/pto.h>

enum { ROWS = 16, COLS = 64 };

/* One instruction on tiles, destination first. */
static bool run(tw_pto *core, const char *name, unsigned count, tw_pto_tile *d, tw_pto_tile *a, tw_pto_tile *b)
{
    tw_pto_tile *tiles[] = { d, a, b };
    tw_pto_operand operands[3];
    for (unsigned i = 0; i < count; i++) operands[i] = tw_pto_tile_operand(tiles[i]);
    if (tw_pto_call(core, name, operands, count, NULL) == TW_OK) return true;
    printf("%s\n", tw_error_message());
    return false;
}

int main(void)
{
    static float x[ROWS][COLS], got[ROWS][COLS];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) x[r][c] = (float)((r * 131 + c * 71) % 257) / 16 - 8;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tile t = tw_pto_tile_of(TW_PTO_VEC, TW_F32, ROWS, COLS), tmp = t;
    tw_pto_tile column = tw_pto_tile_of(TW_PTO_VEC, TW_F32, ROWS, 1);
    column.blayout = TW_PTO_COL_MAJOR; /* one value per row */
    tw_pto_tensor in = tw_pto_tensor_of(x, TW_F32, ROWS, COLS, TW_PTO_ND);
    tw_pto_tensor out = tw_pto_tensor_of(got, TW_F32, ROWS, COLS, TW_PTO_ND);
    bool good = core && tw_pto_load(core, &t, &in) == TW_OK && run(core, "trowmax", 3, &column, &t, &tmp) &&
                run(core, "trowexpandexpdif", 3, &t, &t, &column) && run(core, "trowsum", 3, &column, &t, &tmp) &&
                run(core, "trowexpanddiv", 3, &t, &t, &column) && tw_pto_store(core, &out, &t) == TW_OK;
    tw_pto_free(core);
    if (!good) return printf("%s\n", tw_error_message()), 1;

    double worst = 0, uneven = 0;
    for (int r = 0; r < ROWS; r++) {
        double sum = 0, total = 0;
        for (int c = 0; c < COLS; c++) sum += exp(x[r][c]);
        for (int c = 0; c < COLS; c++) {
            worst = fmax(worst, fabs(got[r][c] - exp(x[r][c]) / sum));
            total += got[r][c];
        }
        uneven = fmax(uneven, fabs(total - 1));
    }
    if (worst < 1e-6) printf("%d values, largest error below 1e-6\n", ROWS * COLS);
    if (uneven < 1e-6) printf("rows sum to 1\n");
    return !(worst < 1e-6 && uneven < 1e-6);
}
