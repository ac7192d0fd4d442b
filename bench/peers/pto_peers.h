/* SPDX-License-Identifier: MIT */
/* pto_peers: the loops of pto_peers.c at one dispatch level. */
#ifndef TW_BENCH_PTO_PEERS_H
#define TW_BENCH_PTO_PEERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct pto_peers {
    void (*add)(size_t n, float *z, const float *x, const float *y);
    void (*row_sums)(size_t rows, size_t columns, float *z, const float *x); /* in index order */
    void (*iota)(size_t n, int32_t *z, int32_t start);
    void (*narrow)(size_t n, uint16_t *z, const float *x); /* f32 to f16 by F16C; NULL without; n a multiple of 8 */
    /* n a multiple of 16; `vector` is the function of libmvec that exp_symbol names (NULL: there is none). */
    void (*exp_loop)(size_t n, float *z, const float *x, void (*vector)(void));
    const char *exp_symbol;
} pto_peers;

#endif
