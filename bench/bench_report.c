/* SPDX-License-Identifier: MIT */
/* A report of 16 chips x 1,472 tiles with 100,000 distinct steps and 100,000 variables: time to write, bytes of
 * the file and of its trace, and where Node.js and Chromium are, first paint and the slowest interaction
 * (web/bench.mjs). */
#include "report/report.h"
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHIPS = 16, EACH = 1472, TILES = CHIPS * EACH, STEPS = 100000, VARIABLES = 100000, TYPES = 300, RUNS = 64 };

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t next(uint32_t *seed)
{
    return *seed = *seed * 1664525u + 1013904223u;
}

/* Steps whose tiles differ in some tens of stretches, no two alike. */
static tw__row random_row(tw_profile *p, uint32_t *seed)
{
    tw__profile_row_begin(p);
    uint32_t left = TILES;
    for (int i = 0; i < RUNS - 1; i++) {
        uint32_t n = 1 + (next(seed) >> 8) % (2 * TILES / RUNS - 1);
        if (n >= left) break;
        tw__profile_row_add(p, n, 200 + (next(seed) >> 8) % 800);
        left -= n;
    }
    tw__profile_row_add(p, left, 500);
    return tw__profile_row_end(p);
}

static tw_profile *make(void)
{
    uint32_t seed = 1;
    char name[128];
    tw_profile *p = tw__profile_new(&(tw__profile_target){ .type = "IPU_MODEL",
                                                           .arch = "ipu2",
                                                           .ipus = CHIPS,
                                                           .tiles_per_ipu = EACH,
                                                           .replicas = 1,
                                                           .bytes_per_tile = 638976,
                                                           .clock_hz = 1.33e9 });
    for (uint32_t t = 0; t < TYPES; t++) {
        snprintf(name, sizeof name, "popops::Kernel%u<float,%u>", t, t % 7);
        tw__profile_add_vertex_type(p, name, 16);
    }
    for (uint32_t i = 0; i < VARIABLES; i++) {
        snprintf(name, sizeof name, "model/layer%u/block%u/weights/%u", i / 1000, i / 50 % 20, i);
        uint64_t elements = 64 + next(&seed) % 4096;
        tw__profile_add_variable(
            p, &(tw__variable_desc){ name, "float", 4 * elements, elements, 1 + i % TILES, i % TILES, i % 3 == 0 });
    }
    for (int s = 0; s < 11; s++)
        tw__profile_add_memory(p, tw_storage_key((tw_storage)s), NULL, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED,
                               random_row(p, &seed), TW_FIDELITY_MODELLED);
    uint32_t root = tw__profile_add_program(p, TW_PROGRAM_SEQUENCE, "main", TW__NONE, TW__NONE, 0), parent = root;
    tw__profile_run_begin(p, "");
    for (uint32_t i = 0; i < STEPS; i++) {
        bool exchange = i % 3 == 1, sync = i % 3 == 0;
        snprintf(name, sizeof name, "model/layer%u/step%u", i / 300, i);
        if (i % 300 == 0) parent = tw__profile_add_program(p, TW_PROGRAM_SEQUENCE, name, root, TW__NONE, 0);
        tw_program_type type = sync       ? TW_PROGRAM_SYNC
                               : exchange ? TW_PROGRAM_DO_EXCHANGE
                                          : TW_PROGRAM_ON_TILE_EXECUTE;
        tw__step_desc d = { .type = type,
                            .name = sync ? "" : name,
                            .no_program = sync,
                            .index = TW__NONE,
                            .fidelity = TW_FIDELITY_ESTIMATED };
        tw__type_cycles part = { .vertex_type = i % TYPES,
                                 .instances = TILES,
                                 .cycles = 400 * TILES,
                                 .worst = 900,
                                 .worst_tile = i % TILES };
        if (sync)
            d.sync = TW_PROFILE_SYNC_INTERNAL, d.cycles = 118;
        else
            d.active = random_row(p, &seed),
            d.program = tw__profile_add_program(p, type, name, parent, TW__NONE, 0);
        if (exchange)
            d.total_data = 4096 * (uint64_t)(1 + i % 50);
        else if (!sync)
            d.types = &part, d.type_count = 1;
        tw__profile_step(p, tw__profile_add_step(p, &d));
    }
    tw__profile_run_end(p, 0);
    if (tw__profile_status(p)) exit(1);
    return p;
}

static bool write_trace(const tw_profile *p)
{
    FILE *out = fopen(TW_BINARY_DIR "/bench_report.trace.json", "w");
    if (!out || tw_profile_write_trace(p, out, NULL)) {
        printf("no trace: %s\n", tw_error_message());
        if (out) fclose(out);
        return false;
    }
    long bytes = ftell(out);
    fclose(out);
    printf("trace       %8.2f MB  (limit 100)\n", (double)bytes / 1e6);
    return bench_row("its trace", (double)bytes / 1e6, "MB", BENCH_AT_MOST, 100);
}

int main(void)
{
    const char *path = TW_BINARY_DIR "/bench_report.html";
    tw_profile *p = make();
    double elapsed = 1e9, busy = 1e9; /* what else runs on the machine hardly changes the processor time */
    long bytes = 0;
    for (int i = 0; i < 3; i++) {
        FILE *out = fopen(path, "w");
        double begin = now(CLOCK_MONOTONIC), busy_begin = now(CLOCK_PROCESS_CPUTIME_ID);
        tw_status status = out ? tw_profile_write_report(p, out, NULL) : TW_E_IO;
        if (status) {
            printf("no report: %s\n", out ? tw_error_message() : path);
            if (out) fclose(out);
            tw_profile_free(p);
            return status == TW_E_NO_ENVIRONMENT ? 0 : 1;
        }
        bytes = ftell(out);
        fclose(out);
        double took = now(CLOCK_MONOTONIC) - begin, busy_took = now(CLOCK_PROCESS_CPUTIME_ID) - busy_begin;
        if (took < elapsed) elapsed = took;
        if (busy_took < busy) busy = busy_took;
    }
    printf("%u tiles, %u distinct steps, %u variables\n", TILES, STEPS, VARIABLES);
    printf("write       %8.2f s   (limit 1), %.2f s elapsed\n", busy, elapsed);
    printf("file        %8.2f MB  (limit 15)\n", (double)bytes / 1e6);
    fflush(stdout);
    bool good = bench_row("write a report", busy, "s", BENCH_AT_MOST, 1);
    good &= bench_row("its file", (double)bytes / 1e6, "MB", BENCH_AT_MOST, 15);
    good &= write_trace(p);
    tw_profile_free(p);
    int status = system(
        "cd " TW_SOURCE_DIR
        "/web && [ -d node_modules/puppeteer-core ] && command -v node >/dev/null && node bench.mjs " TW_BINARY_DIR
        "/bench_report.html");
    return good && status == 0 ? 0 : 1;
}
