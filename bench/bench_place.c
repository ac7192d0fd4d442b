/* SPDX-License-Identifier: MIT */
/* Placement: 100,000 variables and vertex states on 1,472 tiles (limit 1 s), 8,000 objects of one tile that live for
 * a quarter to a half of all steps (limit 1 s), 70,000 constants of a library on one tile (limit 1 s), and how close
 * the peak comes to the bytes that are alive at once when 100,000 variables of one tile live up to 20 of 10,000 steps
 * (limit 1.05). The peer is the bound itself: no allocator can need less than the most bytes alive in one step. Then
 * 60 random programs with nested repeats, whose variables have holes in their lives: mean at most 1.03. Their worst
 * is 1.14, where variables that meet in pairs but never all at once need places of their own
 * (tile.test_tile_place_holes compares with that bound: 1.06). */
#include "../tests/core/tile/random_programs.h"
#include "rows.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 100000, TILES = 1472, STEPS = 10000, ROUNDS = 3, LASTING = 8000, CONSTANTS = 70000 };

static uint64_t seed = 0x2545F4914F6CDD1D;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 24) % below;
}

/* Processor time of all threads: what other programs do on the machine does not count, and threads do not help. */
static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median seconds; prints and returns false when placing fails. */
static bool measure(const char *name, unsigned tiles, tw__place_item *items, size_t count,
                    const tw__place_pair *pairs, size_t pair_count, double time_limit, double ratio_limit)
{
    static tw__place_tile by_tile[TILES];
    double rounds[ROUNDS], worst = 0;
    const tw_tile_arch *arch = tw_tile_arch_by_name("mk2");
    for (int r = 0; r < ROUNDS; r++) {
        double start = now_s();
        if (tw__place(arch, tiles, items, count, pairs, pair_count, by_tile) != TW_OK)
            return printf("%s: %s\n", name, tw_error_message()), false;
        rounds[r] = now_s() - start;
    }
    for (unsigned t = 0; t < tiles; t++)
        if (by_tile[t].max_live && (double)by_tile[t].peak / (double)by_tile[t].max_live > worst)
            worst = (double)by_tile[t].peak / (double)by_tile[t].max_live;
    qsort(rounds, ROUNDS, sizeof *rounds, by_value);
    printf("%-34s %8.3f s CPU  limit %.1f s   worst peak / alive %.4f", name, rounds[ROUNDS / 2], time_limit,
           worst);
    if (ratio_limit > 0) printf("  limit %.2f", ratio_limit);
    char row[80];
    bool ok = bench_row(name, rounds[ROUNDS / 2], "s", BENCH_AT_MOST, time_limit);
    snprintf(row, sizeof row, "%s: worst peak / alive", name);
    ok &= bench_row(row, worst, "", ratio_limit > 0 ? BENCH_AT_MOST : BENCH_NO_LIMIT, ratio_limit);
    printf("  %s\n", ok ? "ok" : "ABOVE THE LIMIT");
    return ok;
}

static void machine(tw__place_item *items, tw__place_pair *pairs, size_t *pair_count)
{
    *pair_count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        bool state = i % 4 == 0; /* vertex state is always alive */
        uint32_t first = state ? 0 : draw(STEPS - 20);
        items[i] = (tw__place_item){ .tile = i % TILES,
                                     .bytes = state ? 12 + 4 * draw(20) : 4 + 4 * draw(3000),
                                     .align = 8,
                                     .first = first,
                                     .last = state ? TW__PLACE_ALWAYS : first + draw(2000),
                                     .storage = state ? TW_STORAGE_VERTEX_STATE : TW_STORAGE_VARIABLE,
                                     .flags = TW__PLACE_OVERREAD };
        if (!state && i >= TILES && draw(8) == 0)
            pairs[(*pair_count)++] = (tw__place_pair){ i - TILES, i, TW__PLACE_ELEM, NULL };
    }
}

static void short_lives(tw__place_item *items, unsigned mean)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t first = draw(STEPS - 20);
        items[i] = (tw__place_item){
            .bytes = 4 + 4 * draw(mean / 2), .align = 4, .first = first, .last = first + draw(20)
        };
    }
}

static bool holes(void)
{
    enum { PROGRAMS = 60 };
    static random_program p;
    double sum = 0, worst = 0, start = now_s();
    for (uint64_t k = 1; k <= PROGRAMS; k++) {
        tw__place_tile tile;
        random_program_make(&p, k);
        if (tw__place(tw_tile_arch_by_name("mk2"), 1, p.items, p.vars, NULL, 0, &tile) != TW_OK)
            return printf("holes: %s\n", tw_error_message()), false;
        double ratio = (double)tile.peak / (double)tile.max_live;
        sum += ratio;
        if (ratio > worst) worst = ratio;
    }
    bool ok = bench_row("60 programs with holes: mean peak / alive", sum / PROGRAMS, "", BENCH_AT_MOST, 1.03);
    bench_row("60 programs with holes: worst peak / alive", worst, "", BENCH_NO_LIMIT, 0);
    printf("%-34s %8.3f s CPU  mean peak / alive %.4f  limit 1.03  worst %.4f  %s\n", "60 programs with holes",
           now_s() - start, sum / PROGRAMS, worst, ok ? "ok" : "ABOVE THE LIMIT");
    return ok;
}

int main(void)
{
    tw__place_item *items = calloc(COUNT, sizeof *items);
    tw__place_pair *pairs = calloc(COUNT, sizeof *pairs);
    size_t pair_count;
    bool ok = items && pairs;
    if (!ok) return 1;
    machine(items, pairs, &pair_count);
    ok = measure("100,000 objects on 1,472 tiles", TILES, items, COUNT, pairs, pair_count, 1.0, 0) && ok;
    for (uint32_t i = 0; i < LASTING; i++) {
        uint32_t first = draw(STEPS / 2);
        items[i] = (tw__place_item){
            .bytes = 4 + 4 * draw(20), .align = 4, .first = first, .last = first + STEPS / 4 + draw(STEPS / 4)
        };
    }
    ok = measure("8,000 long lives", 1, items, LASTING, NULL, 0, 1.0, 1.05) && ok;
    short_lives(items, 2048);
    ok = measure("100,000 short lives, to 2 KB", 1, items, COUNT, NULL, 0, 10.0, 1.05) && ok;
    short_lives(items, 256);
    ok = measure("100,000 short lives, to 256 bytes", 1, items, COUNT, NULL, 0, 10.0, 1.05) && ok;
    for (uint32_t i = 0; i < COUNT; i++) items[i].bytes = 1024u << draw(3), items[i].align = 8;
    ok = measure("100,000 short lives, 1, 2, 4 KB", 1, items, COUNT, NULL, 0, 10.0, 1.05) && ok;
    for (uint32_t i = 0; i < CONSTANTS;
         i++) { /* a library's constants, on the tile that it names for all of them */
        items[i] = (tw__place_item){ .bytes = draw(3) ? 4 : 8, .align = 8, .last = TW__PLACE_ALWAYS };
        if (i % 64 == 0) items[i].bytes = 2 + 2 * draw(40), items[i].align = 4;
    }
    ok = measure("70,000 constants", 1, items, CONSTANTS, NULL, 0, 1.0, 0) && ok;
    ok = holes() && ok;
    free(items), free(pairs);
    return ok ? 0 : 1;
}
