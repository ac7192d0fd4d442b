/* SPDX-License-Identifier: MIT */
/* Cost of a profile: appending an executed step, and memory for 10,000 steps on 1,472 tiles.
 * Limits: a few ns per step, 5 MB. The peer of the append is a counter increment through a pointer. */
#include "core/profile/profile.h"
#include "rows.h"

#include <stdlib.h>
#include <time.h>

enum { STEPS = 10000, TILES = 1472, ROUNDS = 21 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t held(const tw_profile *p)
{
    return sizeof *p + tw__arena_bytes(p->arena) + p->names.room * sizeof *p->names.items +
           p->rows.room * sizeof *p->rows.items + p->packed.room + p->steps.room * sizeof *p->steps.items +
           p->type_cycles.room * sizeof *p->type_cycles.items + p->rules.room * sizeof *p->rules.items +
           p->items.room * sizeof *p->items.items + p->open.room * sizeof *p->open.items +
           p->runs.room * sizeof *p->runs.items + p->programs.room * sizeof *p->programs.items +
           (p->name_index.room + p->row_index.room + p->rule_index.room) * sizeof *p->name_index.slots;
}

/* Rows as a balanced mapping gives them: `runs` runs of equal tiles, different in every step, and `live` live
 * variables of which one changes from step to step. */
static tw_profile *build(uint32_t runs, uint32_t live)
{
    tw_profile *p = tw__profile_new(&(tw__profile_target){
        .type = "IPU_MODEL", .arch = "ipu2", .ipus = 1, .tiles_per_ipu = TILES, .clock_hz = 1.33e9 });
    uint32_t type = tw__profile_add_vertex_type(p, "popops::BinaryOp1D", 16);
    for (uint32_t i = 0; i < STEPS; i++) {
        char name[64];
        snprintf(name, sizeof name, "layer%u/Fwd/Convolve/step%u", i / 20, i);
        tw__live_var vars[64];
        for (uint32_t v = 0; v < live; v++) vars[v] = (tw__live_var){ v + 1 + (v == i % live), 4096 + v * 64 };
        uint32_t program = tw__profile_add_program(p, TW_PROGRAM_ON_TILE_EXECUTE, name, TW__NONE, i, 0);
        if (live) tw__profile_set_live(p, program, vars, live);
        tw__profile_row_begin(p);
        for (uint32_t r = 0; r < runs; r++) tw__profile_row_add(p, TILES / runs, 1000 + i + (r * 7919) % 997);
        tw__row active = tw__profile_row_end(p);
        tw__type_cycles cycles = { .vertex_type = type, .instances = 6 * TILES, .cycles = 900 * TILES };
        tw_program_type kind = i % 3 == 0   ? TW_PROGRAM_SYNC
                               : i % 3 == 1 ? TW_PROGRAM_DO_EXCHANGE
                                            : TW_PROGRAM_ON_TILE_EXECUTE;
        tw__profile_add_step(p, &(tw__step_desc){ .type = kind,
                                                  .name = name,
                                                  .active = active,
                                                  .data = kind == TW_PROGRAM_DO_EXCHANGE ? active : 0,
                                                  .types = &cycles,
                                                  .type_count = kind == TW_PROGRAM_ON_TILE_EXECUTE });
    }
    return p;
}

/* Median ns per executed step of a loop over [0, length), ten million steps. */
static double append_cost(tw_profile *p, uint32_t length)
{
    double rounds[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t loops = 10000000 / length / 10;
        tw__profile_reset_execution(p);
        double start = now_ns();
        tw__profile_run_begin(p, "");
        for (uint32_t n = 0; n < loops; n++)
            for (uint32_t s = 0; s < length; s++) {
                tw__profile_step(p, s);
                __asm__ volatile("" ::: "memory"); /* as between two real steps */
            }
        tw__profile_run_end(p, 0);
        rounds[r] = (now_ns() - start) / ((double)loops * length);
    }
    qsort(rounds, ROUNDS, sizeof *rounds, by_value);
    return rounds[ROUNDS / 2];
}

static double counter_cost(void)
{
    static uint64_t counter;
    uint64_t *at = &counter;
    double start = now_ns();
    for (uint32_t n = 0; n < 10000000; n++) {
        ++*at;
        __asm__ volatile("" : "+r"(at)::"memory");
    }
    return (now_ns() - start) / 1e7;
}

int main(void)
{
    printf("profile: %d plan steps x %d tiles, executed once (limit 5 MB)\n", STEPS, TILES);
    printf("%-34s %12s %10s\n", "per-tile cycles", "bytes", "of 5 MB");
    static const struct {
        uint32_t runs, live;
    } rows[] = { { 1, 0 }, { 2, 0 }, { 8, 0 }, { 8, 50 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_profile *p = build(rows[i].runs, rows[i].live);
        for (uint32_t s = 0; s < STEPS; s++) tw__profile_step(p, s);
        tw__profile_run_end(p, 0);
        char label[64];
        snprintf(label, sizeof label, "%u runs, %u live variables", rows[i].runs, rows[i].live);
        printf("%-34s %12zu %9.2f%s\n", label, held(p), (double)held(p) / 5e6,
               tw__profile_status(p) ? " FAILED" : "");
        bench_row(label, (double)held(p) / 1e6, "MB", BENCH_AT_MOST, 5);
        tw_profile_free(p);
    }
    tw_profile *p = build(2, 0);
    double peer = counter_cost();
    printf("\n%-34s %12s %10s\n", "append an executed step", "ns", "ratio");
    printf("%-34s %12.2f %10s\n", "counter increment (peer)", peer, "1.0");
    static const uint32_t lengths[] = { 10000, 100, 10, 2 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double ns = append_cost(p, lengths[i]);
        char label[64];
        snprintf(label, sizeof label, "loop over %u steps", lengths[i]);
        printf("%-34s %12.2f %10.1f\n", label, ns, ns / peer);
        snprintf(label, sizeof label, "append a step, loop of %u", lengths[i]);
        bench_row(label, ns, "ns", BENCH_NO_LIMIT, 0);
    }
    tw_profile_free(p);
    return 0;
}
