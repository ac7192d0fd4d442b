/* SPDX-License-Identifier: MIT */
/* bench: what the benchmarks share. A clock, medians of interleaved runs, and the yardstick of the machine: a triad
 * a[i] = b[i] + s * c[i] as STREAM has it, bytes counted as STREAM counts them (two reads and one write). */
#ifndef TW_BENCH_H
#define TW_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rows.h"

/* Seconds, monotonic. */
static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Largest resident set of the process so far, or since the kernel was told to forget it, in bytes. */
static inline double bench_peak(void)
{
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lf", &kib) == 1) break;
    if (f) fclose(f);
    return kib * 1024;
}

static int bench_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts in place. */
static inline double bench_median(double *seconds, size_t count)
{
    qsort(seconds, count, sizeof *seconds, bench_ascending);
    return count % 2 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
}

enum { BENCH_RUNS = 21 };

/* One thing to time. `run` does the work once. */
typedef struct bench_case {
    const char *name;
    void (*run)(void *data);
    void *data;
    double median, least, most; /* seconds, set by bench_interleaved */
    double seconds[BENCH_RUNS]; /* by round */
} bench_case;

/* All cases once to warm up, then BENCH_RUNS rounds of all of them in turn, so that what disturbs the machine meets
 * every case alike. */
static inline void bench_interleaved(bench_case *cases, size_t count)
{
    for (int round = -1; round < BENCH_RUNS; round++)
        for (size_t i = 0; i < count; i++) {
            double start = bench_now();
            cases[i].run(cases[i].data);
            if (round >= 0) cases[i].seconds[round] = bench_now() - start;
        }
    for (size_t i = 0; i < count; i++) {
        double sorted[BENCH_RUNS];
        memcpy(sorted, cases[i].seconds, sizeof sorted);
        cases[i].median = bench_median(sorted, BENCH_RUNS);
        cases[i].least = sorted[0];
        cases[i].most = sorted[BENCH_RUNS - 1];
    }
}

/* Median over the rounds of time of a / time of b: neighbours in time suffer alike from what else the machine
 * does. */
static inline double bench_time_ratio(const bench_case *a, const bench_case *b)
{
    double ratio[BENCH_RUNS];
    for (int round = 0; round < BENCH_RUNS; round++) ratio[round] = a->seconds[round] / b->seconds[round];
    return bench_median(ratio, BENCH_RUNS);
}

/* "name  median ms  (least .. most)". */
static inline void bench_print(const bench_case *c)
{
    printf("%-28s %9.3f ms   (%.3f .. %.3f)\n", c->name, c->median * 1e3, c->least * 1e3, c->most * 1e3);
}

/* One line per requirement: what was reached, what is asked for. `ratio` >= limit (or <= when `at_most`) passes. */
static inline bool bench_ratio(const char *what, double ratio, double limit, bool at_most)
{
    bool met = bench_row(what, ratio, "", at_most ? BENCH_AT_MOST : BENCH_AT_LEAST, limit);
    printf("%-52s %8.3f   (%s %.3f: %s)\n", what, ratio, at_most ? "at most" : "at least", limit,
           met ? "met" : "MISSED");
    return met;
}

/* Compiler and flags of this program; machine.c says on what it runs. */
static inline void bench_machine(const char *flags)
{
#ifdef __clang__
    printf("clang %s, %s, medians of interleaved runs\n", __clang_version__, flags);
#else
    printf("gcc %s, %s, medians of interleaved runs\n", __VERSION__, flags);
#endif
}

typedef struct bench_triad {
    size_t n;
    float *a;
    const float *b, *c;
    float s;
} bench_triad;

/* The loop of STREAM; plain stores, as STREAM's source has them. */
static inline void bench_run_triad(void *data)
{
    const bench_triad *t = data;
    float *restrict a = t->a;
    const float *restrict b = t->b, *restrict c = t->c;
    for (size_t i = 0; i < t->n; i++) a[i] = b[i] + t->s * c[i];
}

/* Pages touched and distinct; never returns NULL. */
static inline void *bench_alloc(size_t bytes)
{
    void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!p) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    memset(p, 1, bytes);
    return p;
}

#endif
