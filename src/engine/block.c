/* Runs copy blocks. Rows go to memcpy, everything else to the strided copy kernels of vec. */
#include "engine.h"

#include <omp.h>
#include <string.h>
#include <tilewright/vec.h>

#define SERIAL_BYTES ((uint64_t)256 << 10) /* below, waking threads costs more than it saves */

/* Kernels that move elements of 1, 2, 4, 8 and 16 bytes, by log2 of the size. Resolved once: read-only afterwards. */
static tw_vec_kernel movers[5];

__attribute__((constructor)) static void resolve_movers(void)
{
    static const tw_type by_size[5] = { TW_U8, TW_U16, TW_U32, TW_U64, TW_CI64 };
    for (unsigned i = 0; i < 5; i++) {
        tw_type types[2] = { by_size[i], by_size[i] };
        tw_vec_resolve(TW_VEC_COPY, types, NULL, &movers[i]);
    }
}

static void move_run(const tw_vec_kernel *mover, char *dst, int64_t ds, const char *src, int64_t ss, size_t n)
{
    tw_run args[2] = { tw_run_of(dst, ds), tw_run_of(src, ss) };
    tw_vec_call(mover, n, args);
}

/* Tiles of 16 source elements by 64 destination elements, so that every cache line of the source is used whole. */
static void run_transpose(const tw__block *b, const tw_vec_kernel *mover, char *dst, const char *src)
{
    for (uint32_t j = 0; j < b->n[1]; j += 16) {
        uint32_t rows = b->n[1] - j < 16 ? b->n[1] - j : 16;
        for (uint32_t k = 0; k < b->n[2]; k += 64) {
            uint32_t columns = b->n[2] - k < 64 ? b->n[2] - k : 64;
            for (uint32_t r = j; r < j + rows; r++)
                move_run(mover, dst + r * b->ds[1] + k * b->ds[2], b->ds[2], src + r * b->ss[1] + k * b->ss[2],
                         b->ss[2], columns);
        }
    }
}

static void run_block(const tw__block *b, char *dst_base, const char *src_base)
{
    const tw_vec_kernel *mover = &movers[__builtin_ctz(b->esize)];
    for (uint32_t i = 0; i < b->n[0]; i++) {
        char *dst = dst_base + b->dst + i * b->ds[0];
        const char *src = src_base + b->src + i * b->ss[0];
        switch ((tw__block_form)b->form) {
        case TW__BLOCK_BYTES:
        case TW__BLOCK_ROWS: /* memmove: a copy onto itself is allowed */
            for (uint32_t j = 0; j < b->n[1]; j++)
                memmove(dst + j * b->ds[1], src + j * b->ss[1], (size_t)b->n[2] * b->esize);
            break;
        case TW__BLOCK_TRANSPOSE: run_transpose(b, mover, dst, src); break;
        case TW__BLOCK_FILL:
        case TW__BLOCK_STRIDED:
            for (uint32_t j = 0; j < b->n[1]; j++)
                move_run(mover, dst + j * b->ds[1], b->ds[2], src + j * b->ss[1], b->ss[2], b->n[2]);
            break;
        }
    }
}

void tw__copy_run(const tw__copy *copy, char *dst_base, const char *src_base)
{
    if (copy->bytes < SERIAL_BYTES || copy->count == 1 || omp_in_parallel()) {
        for (size_t i = 0; i < copy->count; i++) run_block(&copy->blocks[i], dst_base, src_base);
        return;
    }
    size_t share = copy->count / ((size_t)omp_get_max_threads() * 8);
    int chunk = (int)(share < 1 ? 1 : share > 4096 ? 4096 : share);
#pragma omp parallel for schedule(dynamic, chunk)
    for (size_t i = 0; i < copy->count; i++) run_block(&copy->blocks[i], dst_base, src_base);
}
