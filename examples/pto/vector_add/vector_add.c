/* SPDX-License-Identifier: MIT */
/* z = x + y over 512 floats in chunks of 64, double buffered: MTE2 loads one chunk while V adds the other and MTE3
 * stores.
 * Addresses are written out and flags order the pipes, as in vector_add.pto, which runs on the same data. Every sum
 * is compared with plain C; so is the overlap: two buffers take less time than one (estimated cycles).
 *   ./vector_add vector_add.pto
 * prints: 512 sums right from C and from text
 * prints: two buffers are faster
 */
#include <stdio.h>
#include <string.h>
#include <tilewright/pto/text.h>

enum { N = 512, CHUNK = 64 };

#define TRY(call)                                                              \
    do {                                                                       \
        if ((call) != TW_OK) return printf("%s\n", tw_error_message()), false; \
    } while (0)

/* `buffers` pairs of tiles in vector memory, 512 bytes a pair. */
static bool add(tw_pto *core, const float *x, const float *y, float *z, unsigned buffers)
{
    tw_pto_tile a[2], b[2];
    for (unsigned i = 0; i < buffers; i++) {
        a[i] = b[i] = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, CHUNK);
        TRY(tw_pto_assign(core, &a[i], 512 * i));
        TRY(tw_pto_assign(core, &b[i], 512 * i + 256));
        TRY(tw_pto_set_flag(core, TW_PTO_PIPE_MTE3, TW_PTO_PIPE_MTE2, i)); /* the buffer is free */
    }
    for (unsigned chunk = 0; chunk < N / CHUNK; chunk++) {
        unsigned i = chunk % buffers;
        tw_pto_tensor in1 = tw_pto_tensor_of((void *)(x + chunk * CHUNK), TW_F32, 1, CHUNK, TW_PTO_ND);
        tw_pto_tensor in2 = tw_pto_tensor_of((void *)(y + chunk * CHUNK), TW_F32, 1, CHUNK, TW_PTO_ND);
        tw_pto_tensor out = tw_pto_tensor_of(z + chunk * CHUNK, TW_F32, 1, CHUNK, TW_PTO_ND);
        tw_pto_operand sum[] = { tw_pto_tile_operand(&a[i]), tw_pto_tile_operand(&a[i]),
                                 tw_pto_tile_operand(&b[i]) };
        TRY(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE3, TW_PTO_PIPE_MTE2, i));
        TRY(tw_pto_load(core, &a[i], &in1));
        TRY(tw_pto_load(core, &b[i], &in2));
        TRY(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, i));
        TRY(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, i));
        TRY(tw_pto_call(core, "tadd", sum, 3, NULL));
        TRY(tw_pto_set_flag(core, TW_PTO_PIPE_V, TW_PTO_PIPE_MTE3, i));
        TRY(tw_pto_wait_flag(core, TW_PTO_PIPE_V, TW_PTO_PIPE_MTE3, i));
        TRY(tw_pto_store(core, &out, &a[i]));
        TRY(tw_pto_set_flag(core, TW_PTO_PIPE_MTE3, TW_PTO_PIPE_MTE2, i));
    }
    return true;
}

static bool add_in_text(const char *path, float *x, float *y, float *z)
{
    tw_pto_text *text = tw_pto_text_load(path, NULL, NULL);
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_MANUAL);
    bool good = text && core && tw_pto_text_verify(text, TW_PTO_A2A3) == TW_OK;
    tw_pto_run *run = good ? tw_pto_run_new(text, "vector_add", core) : NULL;
    const size_t extents[] = { N };
    good = run && tw_pto_run_memory(run, "x", x, TW_F32, 1, extents) == TW_OK &&
           tw_pto_run_memory(run, "y", y, TW_F32, 1, extents) == TW_OK &&
           tw_pto_run_memory(run, "z", z, TW_F32, 1, extents) == TW_OK &&
           tw_pto_run_number(run, "fill", "false") == TW_OK && tw_pto_run_start(run, NULL) == TW_OK;
    if (!good) printf("%s\n", tw_error_message());
    tw_pto_run_free(run);
    tw_pto_free(core);
    tw_pto_text_free(text);
    return good;
}

int main(int argc, char **argv)
{
    static float x[N], y[N], z[3][N];
    uint64_t cycles[2];
    int right = 0;
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i * 37 % 1000) / 8;
        y[i] = (float)(i * 91 % 1000) / 16;
    }
    for (unsigned buffers = 1; buffers <= 2; buffers++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_MANUAL | TW_PTO_PROFILE);
        if (!core || !add(core, x, y, z[buffers - 1], buffers)) return 1;
        cycles[buffers - 1] = tw_pto_cycles(core);
        tw_pto_free(core);
    }
    if (argc < 2 || !add_in_text(argv[1], x, y, z[2])) return 1;
    for (int i = 0; i < N; i++) right += z[0][i] == x[i] + y[i] && z[1][i] == x[i] + y[i] && z[2][i] == x[i] + y[i];
    printf("%d sums right from C and from text\n", right);
    printf("%llu cycles with one buffer, %llu with two (estimated)\n", (unsigned long long)cycles[0],
           (unsigned long long)cycles[1]);
    if (cycles[1] < cycles[0]) printf("two buffers are faster\n");
    return right != N || cycles[1] >= cycles[0];
}
