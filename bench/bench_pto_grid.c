/* SPDX-License-Identifier: MIT */
/* PTO on grids: what a block costs beside its kernel (peer: the same kernel on as many cores made by themselves),
 * what it takes in memory, what a FIFO adds to the store and the load that it consists of. One thread. Exit status 1
 * when a limit is missed. */
#include "bench.h"

#include <sys/resource.h>
#include <tilewright/pto/grid.h>

enum { BLOCKS = 1024, ROUNDS = 1000 };

static void check(tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "%s\n", tw_error_message());
    exit(2);
}

static tw_status kernel(tw_pto *core, void *user)
{
    tw_pto_tile t = tw_pto_tile_of(TW_PTO_VEC, TW_I32, 1, 64);
    (void)user;
    return tw_pto_tci(core, &t, tw_pto_i32((int32_t)tw_pto_identity_of(core).block), false, NULL);
}

static void in_a_grid(void *data)
{
    (void)data;
    tw_pto_grid *grid =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .blocks = BLOCKS });
    check(grid ? tw_pto_grid_run(grid, kernel, NULL) : TW_E_NO_MEMORY);
    tw_pto_grid_free(grid);
}

static void by_themselves(void *data)
{
    static tw_pto *cores[BLOCKS];
    (void)data;
    for (int i = 0; i < BLOCKS; i++) check((cores[i] = tw_pto_new(TW_PTO_A2A3, 0)) ? TW_OK : TW_E_NO_MEMORY);
    for (int i = 0; i < BLOCKS; i++) check(kernel(cores[i], NULL));
    for (int i = 0; i < BLOCKS; i++) tw_pto_free(cores[i]);
}

/* A tile of 64 x 64 f32 through a FIFO of a core that is both sides, and through memory. */
static struct {
    tw_pto *core;
    tw_pto_tile out, in;
    tw_pto_tensor memory;
} mine;

static void through_a_fifo(void *data)
{
    static const tw_pto_fifo fifo = { .direction = TW_PTO_VECTOR_TO_CUBE, .slot_bytes = 16384, .slots = 2 };
    (void)data;
    for (int i = 0; i < ROUNDS; i++) { /* freed slots are told in pairs */
        for (int k = 0; k < 2; k++) check(tw_pto_push(mine.core, &fifo, &mine.out, TW_PTO_SPLIT_NONE));
        for (int k = 0; k < 2; k++) check(tw_pto_pop(mine.core, &fifo, &mine.in, TW_PTO_SPLIT_NONE));
        for (int k = 0; k < 2; k++) check(tw_pto_free_slot(mine.core, &fifo));
    }
}

static void through_memory(void *data)
{
    (void)data;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        check(tw_pto_store(mine.core, &mine.memory, &mine.out));
        check(tw_pto_load(mine.core, &mine.in, &mine.memory));
    }
}

static bool line(const char *what, const bench_case *own, const bench_case *peer, double per, double limit)
{
    double ratio = peer->median / own->median;
    printf("%-34s %8.2f us %8.2f us   ratio %.2f   limit %.2f  %s\n", what, own->median / per * 1e6,
           peer->median / per * 1e6, ratio, limit, ratio >= limit ? "ok" : "MISSED");
    return bench_row(what, ratio, "", BENCH_AT_LEAST, limit);
}

int main(void)
{
    enum { MOST_KIB = 100 }; /* per block */
    static float memory[64 * 64];
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    in_a_grid(NULL);
    getrusage(RUSAGE_SELF, &after);
    double kib = (double)(after.ru_maxrss - before.ru_maxrss) / BLOCKS;
    bool good = bench_row("peak memory per block", kib, "KiB", BENCH_AT_MOST, MOST_KIB);
    printf("%-34s %8.1f KiB                limit %d      %s\n", "peak memory per block", kib, MOST_KIB,
           good ? "ok" : "MISSED");
    bench_case blocks[] = { { .name = "grid", .run = in_a_grid }, { .name = "cores", .run = by_themselves } };
    bench_interleaved(blocks, 2);
    good &= line("block of 1024, TCI 1x64; core alone", &blocks[0], &blocks[1], BLOCKS, 0.4);
    mine.core = tw_pto_new(TW_PTO_A2A3, 0);
    mine.out = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 64, 64);
    mine.in = tw_pto_tile_of(TW_PTO_MAT, TW_F32, 64, 64);
    mine.memory = tw_pto_tensor_of(memory, TW_F32, 64, 64, TW_PTO_ND);
    bench_case pushes[] = { { .name = "fifo", .run = through_a_fifo },
                            { .name = "memory", .run = through_memory } };
    bench_interleaved(pushes, 2);
    good &= line("push, pop, free 64x64; store, load", &pushes[0], &pushes[1], 2 * ROUNDS, 0.3);
    tw_pto_free(mine.core);
    return good ? 0 : 1;
}
