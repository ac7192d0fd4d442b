/* SPDX-License-Identifier: MIT */
/* What ranks pay: latency and bandwidth of messages, broadcasts and reductions of the wire, with a message in front
 * and checks behind as the engine has them. Starts itself as two ranks where MPI is; alone it measures what a call
 * costs without ranks, which is its limit. */
#include "core/wire/wire.h"
#include "rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *data;

static void pack(void *user, uint32_t index, char *room)
{
    (void)index;
    memcpy(room, data, *(size_t *)user);
}

static void unpack(void *user, uint32_t index, const char *bytes)
{
    (void)index;
    memcpy(data, bytes, *(size_t *)user);
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

typedef tw_status call(size_t bytes);

static tw_status swap(size_t bytes)
{
    unsigned peer = 1 - tw__wire_rank();
    tw__wire_part part = { .peer = peer, .bytes = bytes };
    size_t count = tw__wire_size() == 2;
    return tw__wire_exchange(TW__WIRE_HERE("swap"), bytes, &part, count, &part, count, pack, unpack, &bytes);
}

static tw_status broadcast(size_t bytes)
{
    return tw__wire_broadcast(TW__WIRE_HERE("broadcast"), 0, data, bytes);
}

static tw_status all_and(size_t bytes)
{
    bool value = bytes > 0;
    return tw__wire_all_and(TW__WIRE_HERE("and"), &value);
}

static tw_status barrier(size_t bytes)
{
    (void)bytes;
    return tw__wire_barrier(TW__WIRE_HERE("barrier"));
}

/* Median of 7, in microseconds. */
static double measure(call *what, size_t bytes)
{
    double times[7];
    unsigned rounds = bytes > (1u << 20) ? 5 : bytes > (1u << 14) ? 100 : 2000;
    for (int i = 0; i < 7; i++) {
        double start = tw__seconds();
        for (unsigned k = 0; k < rounds; k++)
            if (what(bytes) != TW_OK) {
                fprintf(stderr, "%s\n", tw_error_message());
                exit(1);
            }
        times[i] = (tw__seconds() - start) / rounds * 1e6;
    }
    qsort(times, 7, sizeof *times, by_value);
    return times[3];
}

static double copy_time(size_t bytes)
{
    char *to = malloc(bytes + 1);
    double start = tw__seconds();
    for (int k = 0; k < 20; k++) {
        memcpy(to, data, bytes);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    double time = (tw__seconds() - start) / 20 * 1e6;
    free(to);
    return time;
}

static int alone(void)
{
    double time = measure(all_and, 1);
    printf("one process: a call of all ranks takes %.1f ns (limit 20)\n", time * 1e3);
    return !bench_row("one process: a call of all ranks", time * 1e3, "ns", BENCH_AT_MOST, 20);
}

static int two_ranks(void)
{
    static const size_t sizes[] = { 0, 64, 1024, 16 << 10, 256 << 10, 1 << 20, 16 << 20 };
    bool prints = tw__wire_rank() == 0;
    double small = 0, large = 0;
    if (prints) printf("two ranks, both ways at once\n%12s %12s %12s %10s\n", "bytes", "us", "memcpy us", "MB/s");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double time = measure(swap, sizes[i]);
        if (i == 0) small = time;
        large = time;
        if (prints)
            printf("%12zu %12.2f %12.2f %10.0f\n", sizes[i], time, copy_time(sizes[i]), (double)sizes[i] / time);
    }
    double scalar = measure(broadcast, 8), both = measure(all_and, 1), meet = measure(barrier, 0);
    if (!prints) return 0;
    printf("broadcast of 8 bytes %.2f us, reduction of a boolean %.2f us, barrier %.2f us\n", scalar, both, meet);
    printf("constants: latency %.2f us, bandwidth %.0f MB/s each way\n", small, (16 << 20) / (large - small));
    printf("limit: a small exchange takes 4 us at most: %.2f\n", small / 4);
    bench_row("two ranks: a small exchange", small, "us", BENCH_AT_MOST, 4);
    bench_row("two ranks: bandwidth each way", (16 << 20) / (large - small), "MB/s", BENCH_NO_LIMIT, 0);
    return 0;
}

int main(int argc, char **argv)
{
    data = calloc(1, 16 << 20);
    if (!data || tw__wire_start() != TW_OK) return fprintf(stderr, "%s\n", tw_error_message()), 1;
    if (tw__wire_size() == 2) return two_ranks();
    int missed = alone();
    if (argc > 1) return missed;
    fflush(stdout);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1), setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    execlp("mpirun", "mpirun", "-n", "2", "--oversubscribe", argv[0], "2", (char *)NULL);
    puts("no mpirun is there: two ranks are not measured");
    return missed;
}
