/* SPDX-License-Identifier: MIT */
/* Flash attention from C and from text on the same data: 16 queries, 128 keys, depth 32. Scores are made block by
 * block on the cube, the vector core keeps largest score, sum of exponentials and result up to date (online softmax).
 * Both results are compared with the plain formula in double precision.
 *   ./flash_attention flash_attention.pto
 * prints: from C: 512 values right
 * prints: from text: 512 values right
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <tilewright/pto/text.h>

enum { ROWS = 16, DEPTH = 32, KEYS = 128, BLOCK = 32 };

static uint16_t q[ROWS][DEPTH], kt[DEPTH][KEYS], v[KEYS][DEPTH]; /* f16 */
static float o[ROWS][DEPTH];

typedef struct kernel {
    tw_pto *core;
    tw_pto_tile mat_q, left, mat, right, acc, s, tmp, half, sum, m, new_m, alpha, l, part;
} kernel;

static tw_pto_tile boxed(tw_pto_location location, tw_type type, uint32_t rows)
{
    tw_pto_tile t = tw_pto_tile_of(location, type, rows, 32);
    t.blayout = location == TW_PTO_RIGHT ? TW_PTO_ROW_MAJOR : TW_PTO_COL_MAJOR;
    t.slayout = location == TW_PTO_RIGHT ? TW_PTO_BOX_COL : TW_PTO_BOX_ROW;
    t.fractal = location == TW_PTO_ACC ? 1024 : 512;
    return t;
}

static bool run(const kernel *k, const char *name, tw_pto_tile *d, tw_pto_tile *a, tw_pto_tile *b)
{
    tw_pto_operand operands[] = { tw_pto_tile_operand(d), tw_pto_tile_operand(a), tw_pto_tile_operand(b ? b : a) };
    if (tw_pto_call(k->core, name, operands, b ? 3 : 2, NULL) == TW_OK) return true;
    printf("%s\n", tw_error_message());
    return false;
}

static bool scalar(const kernel *k, const char *name, tw_pto_tile *d, tw_pto_tile *a, float s)
{
    tw_pto_operand value = tw_pto_scalar_operand(tw_pto_f32(s)), tile = tw_pto_tile_operand(d);
    tw_pto_operand operands[] = { tile, a ? tw_pto_tile_operand(a) : value, value };
    if (tw_pto_call(k->core, name, operands, a ? 3 : 2, NULL) == TW_OK) return true;
    printf("%s\n", tw_error_message());
    return false;
}

/* 32 x 32 elements of global memory to the right operand of the cube. */
static bool to_right(kernel *k, uint16_t *at, ptrdiff_t stride)
{
    tw_pto_tensor t = tw_pto_tensor_of(at, TW_F16, 32, 32, TW_PTO_ND);
    t.stride[3] = stride;
    return tw_pto_load(k->core, &k->mat, &t) == TW_OK && run(k, "tmov", &k->right, &k->mat, NULL);
}

static bool step(kernel *k, int key)
{
    /* s = q kt[:, key ...] / sqrt(DEPTH); q waits in `mat_q`, the left operand serves both products */
    return run(k, "tmov", &k->left, &k->mat_q, NULL) && to_right(k, &kt[0][key], KEYS) &&
           run(k, "tmatmul", &k->acc, &k->left, &k->right) && run(k, "tmov", &k->s, &k->acc, NULL) &&
           scalar(k, "tmuls", &k->s, &k->s, 1 / sqrtf(DEPTH)) &&
           /* new_m = max(m, rows of s); alpha = exp(m - new_m); s = exp(s - new_m) */
           run(k, "trowmax", &k->new_m, &k->s, &k->tmp) && run(k, "tmax", &k->new_m, &k->m, &k->new_m) &&
           run(k, "tsub", &k->alpha, &k->m, &k->new_m) && run(k, "texp", &k->alpha, &k->alpha, NULL) &&
           run(k, "trowexpandexpdif", &k->s, &k->s, &k->new_m) && run(k, "tmov", &k->m, &k->new_m, NULL) &&
           /* l = l alpha + sum of s */
           run(k, "trowsum", &k->part, &k->s, &k->tmp) && run(k, "tmul", &k->l, &k->l, &k->alpha) &&
           run(k, "tadd", &k->l, &k->l, &k->part);
}

static bool add_values(kernel *k, tw_pto_tile *mat_p, int key)
{
    /* sum = sum alpha + s v[key ..., :] */
    return run(k, "tcvt", &k->half, &k->s, NULL) && run(k, "tmov", mat_p, &k->half, NULL) &&
           run(k, "tmov", &k->left, mat_p, NULL) && to_right(k, &v[key][0], DEPTH) &&
           run(k, "tmatmul", &k->acc, &k->left, &k->right) && run(k, "tmov", &k->s, &k->acc, NULL) &&
           run(k, "trowexpandmul", &k->sum, &k->sum, &k->alpha) && run(k, "tadd", &k->sum, &k->sum, &k->s);
}

static bool from_c(tw_pto *core)
{
    kernel k = { .core = core,
                 .mat_q = boxed(TW_PTO_MAT, TW_F16, ROWS),
                 .left = boxed(TW_PTO_LEFT, TW_F16, ROWS),
                 .mat = boxed(TW_PTO_MAT, TW_F16, BLOCK),
                 .right = boxed(TW_PTO_RIGHT, TW_F16, BLOCK),
                 .acc = boxed(TW_PTO_ACC, TW_F32, ROWS),
                 .half = tw_pto_tile_of(TW_PTO_VEC, TW_F16, ROWS, BLOCK) };
    tw_pto_tile mat_p = k.mat_q, column = tw_pto_tile_of(TW_PTO_VEC, TW_F32, ROWS, 1);
    tw_pto_tensor queries = tw_pto_tensor_of(q, TW_F16, ROWS, DEPTH, TW_PTO_ND);
    tw_pto_tensor out = tw_pto_tensor_of(o, TW_F32, ROWS, DEPTH, TW_PTO_ND);
    column.blayout = TW_PTO_COL_MAJOR;
    k.s = k.tmp = k.sum = tw_pto_tile_of(TW_PTO_VEC, TW_F32, ROWS, BLOCK);
    k.m = k.new_m = k.alpha = k.l = k.part = column;
    bool good = scalar(&k, "texpands", &k.m, NULL, -INFINITY) && scalar(&k, "texpands", &k.l, NULL, 0) &&
                scalar(&k, "texpands", &k.sum, NULL, 0) && tw_pto_load(core, &k.mat_q, &queries) == TW_OK;
    for (int key = 0; key < KEYS && good; key += BLOCK) good = step(&k, key) && add_values(&k, &mat_p, key);
    return good && run(&k, "trowexpanddiv", &k.sum, &k.sum, &k.l) && tw_pto_store(core, &out, &k.sum) == TW_OK;
}

static void report(void *user, const tw_diag *diag)
{
    fprintf(user, "%s:%d:%d: %s\n", diag->file, diag->line, diag->column, diag->message);
}

static bool from_text(tw_pto *core, const char *path)
{
    tw_pto_text *text = tw_pto_text_load(path, report, stdout);
    tw_pto_run *r = text && tw_pto_text_verify(text, TW_PTO_A5) == TW_OK ? tw_pto_run_new(text, NULL, core) : NULL;
    bool good = r &&
                tw_pto_run_memory(r, "q", q, TW_U16, 2, (size_t[]){ ROWS, DEPTH }) == TW_E_TYPE && /* not f16 */
                tw_pto_run_memory(r, "q", q, TW_F16, 2, (size_t[]){ ROWS, DEPTH }) == TW_OK &&
                tw_pto_run_memory(r, "kt", kt, TW_F16, 2, (size_t[]){ DEPTH, KEYS }) == TW_OK &&
                tw_pto_run_memory(r, "v", v, TW_F16, 2, (size_t[]){ KEYS, DEPTH }) == TW_OK &&
                tw_pto_run_memory(r, "o", o, TW_F32, 2, (size_t[]){ ROWS, DEPTH }) == TW_OK &&
                tw_pto_run_number(r, "fill", "false") == TW_OK && tw_pto_run_start(r, NULL) == TW_OK;
    tw_pto_run_free(r);
    tw_pto_text_free(text);
    return good;
}

static double real(uint16_t half)
{
    return tw_type_load(TW_F16, &half);
}

/* softmax(q kt / sqrt(DEPTH)) v, row by row; how many values of o agree. Probabilities are rounded to f16 on the
 * way. */
static int right(void)
{
    int count = 0;
    for (int r = 0; r < ROWS; r++) {
        double weight[KEYS], total = 0;
        for (int j = 0; j < KEYS; j++) {
            double dot = 0;
            for (int d = 0; d < DEPTH; d++) dot += real(q[r][d]) * real(kt[d][j]);
            total += weight[j] = exp(dot / sqrt(DEPTH));
        }
        for (int d = 0; d < DEPTH; d++) {
            double want = 0;
            for (int j = 0; j < KEYS; j++) want += weight[j] / total * real(v[j][d]);
            count += fabs(o[r][d] - want) < 1e-3;
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    uint32_t seed = 1;
    uint16_t *const arrays[] = { &q[0][0], &kt[0][0], &v[0][0] };
    const int sizes[] = { ROWS * DEPTH, DEPTH * KEYS, KEYS * DEPTH };
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < sizes[a]; i++) {
            seed = seed * 1664525 + 1013904223;
            arrays[a][i] = (uint16_t)tw_pto_scalar_of(TW_F16, (double)(seed >> 16) / 32768 - 1).bits;
        }
    int counts[2] = { 0 };
    for (int t = 0; t < 2; t++) {
        tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
        for (int i = 0; i < ROWS * DEPTH; i++) o[i / DEPTH][i % DEPTH] = NAN;
        if (!core || (t && argc < 2) || !(t ? from_text(core, argv[1]) : from_c(core)))
            return printf("%s\n", tw_error_message()), 1;
        tw_pto_free(core);
        counts[t] = right();
        printf("from %s: %d values right\n", t ? "text" : "C", counts[t]);
    }
    return counts[0] != ROWS * DEPTH || counts[1] != ROWS * DEPTH;
}
