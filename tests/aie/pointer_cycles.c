/* SPDX-License-Identifier: MIT */
/* Loads and stores through pointers as issue slots of the profile: built by reported_test.sh with the flags for
 * checks, which call libtilewright_aie_check at each access. A unit moves 256 bits, two of them load, one stores. */
#include <tilewright/aie.h>

#include <stdio.h>

enum { FILL = 38, VECTORS = 64 };
extern v8int32 table[VECTORS];
v8int32 table[VECTORS];

/* 64 loads of a window, 64 of a table in the tile's memory, one store: 64 cycles, and none for the variable. */
static void sums(void *user)
{
    (void)user;
    const v8int32 *in = (const v8int32 *)window_in(int32, 0)->w.data;
    v8int32 *out = (v8int32 *)window_out(int32, 0)->w.data, sum = null_v8int32();
    for (int i = 0; i < VECTORS; i++) sum += in[i] + table[i];
    *out = sum;
}
/* 64 loads of 256 bits and 64 stores: the stores decide. */
static void copy(void *user)
{
    (void)user;
    const v8int32 *in = (const v8int32 *)window_in(int32, 0)->w.data;
    v8int32 *out = (v8int32 *)window_out(int32, 0)->w.data;
    for (int i = 0; i < VECTORS; i++) out[i] = in[i];
}

int main(void)
{
    static const int zeros[8 * VECTORS];
    void (*const kernels[])(void *) = { sums, copy };
    const unsigned out_bytes[] = { 32, 32 * VECTORS };
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        tw_aie_array *a = tw_aie_array_new();
        tw_aie_kernel k = tw_aie_array_add(a, "k", kernels[i], NULL, 0, 0);
        int in = tw_aie_array_memory_input(a, tw_aie_in(k, 0), sizeof zeros, 0);
        tw_aie_array_memory_output(a, tw_aie_out(k, 0), out_bytes[i]);
        tw_aie_array_send(a, in, zeros, sizeof zeros);
        if (tw_aie_array_run(a, 1) != TW_OK) puts(tw_error_message()), failed = 1;
        uint64_t cycles = tw_aie_array_cycles(a, k);
        if (cycles != VECTORS + FILL) printf("kernel %d: %d cycles\n", i, (int)cycles), failed = 1;
        tw_aie_array_free(a);
    }
    return failed;
}
