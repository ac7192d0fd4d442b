/* SPDX-License-Identifier: MIT */
/* Runs copy blocks: rows go to memmove, strided runs to the move kernels of vec, transposes to its copy of
 * views. */
#include "poplar/engine/engine.h"

#include <omp.h>
#include <string.h>
#include <tilewright/vec.h>

#define SERIAL_BYTES ((uint64_t)256 << 10) /* below, waking threads costs more than it saves */

/* Types that vec moves by size alone, and their kernels, by log2 of the size. Resolved once: read-only
 * afterwards. */
static const tw_type types_by_size[5] = { TW_U8, TW_U16, TW_U32, TW_U64, TW_CI64 };
static tw_vec_kernel movers[5];

__attribute__((constructor)) static void resolve_movers(void)
{
    for (unsigned i = 0; i < 5; i++) {
        tw_type types[2] = { types_by_size[i], types_by_size[i] };
        tw_vec_resolve(TW_VEC_COPY, types, NULL, &movers[i]);
    }
}

/* memmove: a copy onto itself is allowed. */
static void run_rows(const tw__block *b, char *dst, const char *src)
{
    size_t bytes = (size_t)b->n[2] * b->esize;
    for (uint32_t i = 0; i < b->n[0]; i++)
        for (uint32_t j = 0; j < b->n[1]; j++)
            memmove(dst + i * b->ds[0] + j * b->ds[1], src + i * b->ss[0] + j * b->ss[1], bytes);
}

static void run_strided(const tw__block *b, char *dst, const char *src)
{
    const tw_vec_kernel *mover = &movers[__builtin_ctz(b->esize)];
    for (uint32_t i = 0; i < b->n[0]; i++)
        for (uint32_t j = 0; j < b->n[1]; j++) {
            tw_run args[2] = { tw_run_of(dst + i * b->ds[0] + j * b->ds[1], b->ds[2]),
                               tw_run_of(src + i * b->ss[0] + j * b->ss[1], b->ss[2]) };
            tw_vec_call(mover, b->n[2], args);
        }
}

static tw_view view_of(const tw__block *b, char *base, const int64_t *stride)
{
    tw_view v = { .base = base, .type = types_by_size[__builtin_ctz(b->esize)], .rank = 3 };
    for (unsigned k = 0; k < 3; k++) {
        v.extent[k] = b->n[k];
        v.stride[k] = b->n[k] > 1 ? (ptrdiff_t)stride[k] : b->esize;
    }
    return v;
}

static void run_transpose(const tw__block *b, char *dst, const char *src)
{
    tw_view to = view_of(b, dst, b->ds), from = view_of(b, (char *)(uintptr_t)src, b->ss);
    tw_vec_copy_view(&to, &from, (tw_window){ NULL, SIZE_MAX });
}

static void run_block(const tw__block *b, char *dst_base, const char *src_base)
{
    typedef void (*run_func)(const tw__block *b, char *dst, const char *src);
    static const run_func by_form[] = { [TW__BLOCK_BYTES] = run_rows,
                                        [TW__BLOCK_ROWS] = run_rows,
                                        [TW__BLOCK_FILL] = run_strided,
                                        [TW__BLOCK_TRANSPOSE] = run_transpose,
                                        [TW__BLOCK_STRIDED] = run_strided };
    by_form[b->form](b, dst_base + b->dst, src_base + b->src);
}

typedef struct blocks {
    const tw__block *blocks;
    char *dst_base;
    const char *src_base;
} blocks;

static void run_blocks(void *arg, size_t begin, size_t end)
{
    const blocks *list = arg;
    for (size_t i = begin; i < end; i++) run_block(&list->blocks[i], list->dst_base, list->src_base);
}

void tw__copy_run(const tw__copy *copy, char *dst_base, const char *src_base)
{
    if (copy->bytes < SERIAL_BYTES || copy->count == 1 || omp_in_parallel()) {
        for (size_t i = 0; i < copy->count; i++) run_block(&copy->blocks[i], dst_base, src_base);
        return;
    }
    unsigned threads = (unsigned)omp_get_max_threads();
    size_t share = copy->count / ((size_t)threads * 8);
    blocks list = { copy->blocks, dst_base, src_base };
    tw__parallel(threads, copy->count, share > 4096 ? 4096 : share, run_blocks, &list);
}
