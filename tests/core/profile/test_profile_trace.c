/* SPDX-License-Identifier: MIT */
/* Rows and the execution trace: packing against the plain array, folding against the plain list of steps. */
#include "core/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define TILES 64

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static tw_profile *new_profile(uint32_t tiles, uint32_t steps)
{
    tw_profile *p = tw__profile_new(&(tw__profile_target){
        .type = "IPU_MODEL", .arch = "ipu1", .ipus = 1, .tiles_per_ipu = tiles, .clock_hz = 1e6 });
    assert_non_null(p);
    for (uint32_t i = 0; i < steps; i++) {
        tw__profile_row_begin(p);
        tw__profile_row_add(p, tiles / 2, i + 1);
        tw__row active = tw__profile_row_end(p);
        uint32_t id =
            tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE, .active = active });
        assert_int_equal(id, i);
    }
    return p;
}

static void profile_row_packing(void **state)
{
    (void)state;
    tw_profile *p = new_profile(TILES, 0);
    uint64_t values[TILES], back[TILES + 3], sum, max;
    for (int round = 0; round < 500; round++) {
        uint32_t active = 0, tiles = draw(TILES) + 1;
        sum = max = 0;
        for (uint32_t t = 0; t < tiles; t++) {
            uint32_t kind = draw(8);
            values[t] = kind == 0       ? 0
                        : kind < 4 && t ? values[t - 1]
                        : kind == 7     ? UINT64_MAX >> draw(64) >> 7
                                        : draw(200);
            sum += values[t];
            max = values[t] > max ? values[t] : max;
            active += values[t] != 0;
        }
        tw__row row = tw__profile_row(p, values, tiles);
        assert_true(row > 0);
        assert_int_equal(tw__profile_row(p, values, tiles), row); /* interned */
        assert_true(tw__profile_row_read(p, row, back, TILES + 3));
        assert_memory_equal(values, back, tiles * sizeof *values);
        for (uint32_t t = tiles; t < TILES + 3; t++) assert_int_equal(back[t], 0);
        assert_int_equal(p->rows.items[row].sum, sum);
        assert_int_equal(p->rows.items[row].max, max);
        assert_int_equal(p->rows.items[row].active, active);
    }
    assert_false(tw__profile_row_read(p, 0, back, TILES));
    tw_profile_free(p);
}

/* A sum that would wrap stays at the top instead. */
static void profile_row_saturates(void **state)
{
    (void)state;
    tw_profile *p = new_profile(TILES, 0);
    tw__profile_row_begin(p);
    tw__profile_row_add(p, 3, UINT64_MAX / 2);
    tw__row row = tw__profile_row_end(p);
    assert_int_equal(p->rows.items[row].sum, UINT64_MAX);
    tw_profile_free(p);
}

/* --- traces: random nested programs, expanded again ----------------------------------------------------------- */

enum { STEPS = 30, ROOM = 200000 };
typedef struct recorder {
    tw_profile *p;
    uint32_t list[ROOM];
    size_t count;
} recorder;

static void execute(recorder *r, uint32_t step)
{
    if (r->count == ROOM) return;
    tw__profile_step(r->p, step);
    r->list[r->count++] = step;
}

/* A loop over [first, end): straight parts, inner loops and data-dependent inner loops. */
static void run_loop(recorder *r, uint32_t first, uint32_t end, uint32_t times, int depth)
{
    uint32_t from = draw(end - first) + first, to = from + draw(end - from) + 1;
    uint32_t inner = draw(6), kind = draw(3);
    for (uint32_t n = 0; n < times; n++) {
        for (uint32_t s = first; s < from; s++) execute(r, s);
        if (depth < 4) run_loop(r, from, to, kind ? inner : draw(4), depth + 1);
        for (uint32_t s = to; s < end; s++) execute(r, s);
    }
}

typedef struct checker {
    const recorder *r;
    size_t at;
    uint64_t now;
    bool same;
} checker;

static bool check_step(void *user, const tw_profile_step *s)
{
    checker *c = user;
    c->same = c->same && c->at < c->r->count && c->r->list[c->at] == s->plan_step && s->index == c->at &&
              s->cycles_from == c->now && s->cycles_to == c->now + s->plan_step + 1;
    c->now = s->cycles_to;
    c->at++;
    return true;
}

static void profile_trace_lossless(void **state)
{
    (void)state;
    recorder *r = calloc(1, sizeof *r);
    for (int round = 0; round < 300; round++) {
        r->p = new_profile(4, STEPS);
        r->count = 0;
        int runs = (int)draw(3) + 1;
        for (int n = 0; n < runs; n++) {
            tw__profile_run_begin(r->p, "");
            run_loop(r, 0, STEPS, draw(8) + 1, 0);
            tw__profile_run_end(r->p, 1);
        }
        assert_int_equal(tw__profile_status(r->p), TW_OK);
        checker c = { r, 0, 0, true };
        tw_profile_each_step(r->p, check_step, &c);
        assert_true(c.same);
        assert_int_equal(c.at, r->count);
        uint64_t counts[STEPS], want[STEPS] = { 0 };
        for (size_t i = 0; i < r->count; i++) want[r->list[i]]++;
        assert_true(tw__profile_step_counts(r->p, counts));
        assert_memory_equal(counts, want, sizeof want);
        tw_profile_totals t;
        assert_int_equal(tw_profile_get_totals(r->p, &t), TW_OK);
        assert_int_equal(t.cycles, c.now);
        assert_int_equal(t.steps, r->count);
        assert_int_equal(t.runs, runs);
        assert_int_equal(t.by_bucket[TW_CYCLES_COMPUTE], c.now * 2); /* 2 of 4 tiles, `cycles` each */
        tw_profile_free(r->p);
    }
    free(r);
}

/* Counted loops become a handful of rules whatever their trip count. */
static void profile_trace_compresses(void **state)
{
    (void)state;
    tw_profile *p = new_profile(4, STEPS);
    tw__profile_run_begin(p, "nested");
    for (int outer = 0; outer < 1000; outer++) {
        for (uint32_t s = 0; s < 5; s++) tw__profile_step(p, s);
        for (int inner = 0; inner < 20; inner++)
            for (uint32_t s = 5; s < 9; s++) tw__profile_step(p, s);
        tw__profile_step(p, 20);
        tw__profile_range(p, 22, 3, 50);
    }
    tw__profile_run_end(p, 3.5);
    assert_true(p->rules.count < 12);
    assert_true(p->items.count < 24);
    uint64_t counts[STEPS];
    assert_true(tw__profile_step_counts(p, counts));
    assert_int_equal(counts[4], 1000);
    assert_int_equal(counts[8], 20000);
    assert_int_equal(counts[9], 0);
    assert_int_equal(counts[20], 1000);
    assert_int_equal(counts[24], 50000);
    tw_profile_free(p);
}

static void profile_trace_runs(void **state)
{
    (void)state;
    tw_profile *p = new_profile(4, STEPS);
    tw_profile_totals t;
    assert_int_equal(tw_profile_get_totals(p, &t), TW_E_MISSING_PROFILE);
    for (int i = 0; i < 5; i++) {
        tw__profile_run_begin(p, "a");
        tw__profile_step(p, 3);
        tw__profile_run_end(p, 2);
    }
    assert_int_equal(p->runs.count, 1); /* equal runs are one entry */
    tw__profile_run_begin(p, "b");
    tw__profile_run_end(p, 1); /* an empty run */
    assert_int_equal(tw_profile_get_totals(p, &t), TW_OK);
    assert_int_equal(t.runs, 6);
    assert_int_equal(t.cycles, 5 * 4);
    assert_true(p->runs.items[0].microseconds == 10);
    tw__profile_keep_runs(p, 2);
    assert_int_equal(tw_profile_get_totals(p, &t), TW_OK);
    assert_int_equal(t.runs, 2);
    assert_int_equal(t.cycles, 4);
    tw__profile_keep_runs(p, 0);
    tw__profile_range(p, 0, 2, UINT64_C(10000000000)); /* more than one item holds */
    tw__profile_run_end(p, 0);
    assert_int_equal(tw_profile_get_totals(p, &t), TW_OK);
    assert_int_equal(t.cycles, 4 + UINT64_C(30000000000));
    tw__profile_reset_execution(p);
    assert_int_equal(tw_profile_get_totals(p, &t), TW_E_MISSING_PROFILE);
    tw__profile_step(p, 1);
    tw__profile_run_end(p, 0);
    assert_int_equal(tw_profile_get_totals(p, &t), TW_OK);
    assert_int_equal(t.cycles, 2);
    tw_profile_free(p);
}

static void profile_trace_bad_ids(void **state)
{
    (void)state;
    tw_profile *p = new_profile(4, 3);
    tw__profile_run_begin(p, "");
    tw__profile_step(p, 2);
    tw__profile_step(p, 3); /* runs off the end of the plan */
    tw__profile_run_end(p, 0);
    assert_int_equal(tw__profile_status(p), TW_E_INDEX);
    assert_non_null(strstr(tw_error_message(), "plan of 3 steps"));
    assert_int_equal(tw__profile_add_step(p, &(tw__step_desc){ 0 }), TW__NONE); /* sticky */
    tw_profile_free(p);
    p = new_profile(4, 3);
    tw__profile_step(p, TW__NONE); /* the id of a step that could not be added */
    tw__profile_step(p, 0);
    assert_int_equal(tw__profile_status(p), TW_E_INDEX);
    tw_profile_free(p);
}

/* The definitions of Poplar API, summary on hand-made rows. */
static void profile_step_formulas(void **state)
{
    (void)state;
    tw_profile *p = new_profile(8, 0);
    uint32_t type = tw__profile_add_vertex_type(p, "V", 8);
    static const uint64_t active[8] = { 60, 30, 0, 30, 0, 0, 0, 0 }, data[8] = { 4, 4, 0, 8, 0, 0, 0, 0 };
    tw__type_cycles cycles = { .vertex_type = type, .instances = 6, .cycles = 90 };
    uint32_t compute = tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_ON_TILE_EXECUTE,
                                                                 .active = tw__profile_row(p, active, 8),
                                                                 .types = &cycles,
                                                                 .type_count = 1,
                                                                 .fidelity = TW_FIDELITY_MODELLED });
    uint32_t exchange = tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_DO_EXCHANGE,
                                                                  .cycles = 70,
                                                                  .overlapped = 10,
                                                                  .active = tw__profile_row(p, active, 8),
                                                                  .data = tw__profile_row(p, data, 8) });
    uint32_t sync = tw__profile_add_step(
        p, &(tw__step_desc){
               .type = TW_PROGRAM_SYNC, .sync = TW_PROFILE_SYNC_EXTERNAL, .cycles = 12, .no_program = true });
    tw_profile_step s;
    tw__profile_step_info(p, compute, &s);
    assert_int_equal(s.cycles, 60);
    assert_int_equal(s.active_tiles, 3);
    assert_true(s.tile_balance == 120 / (60.0 * 8) && s.active_tile_balance == 120 / (60.0 * 3));
    assert_true(s.thread_balance == 90 / 120.0);
    assert_true(s.data_balance == -1);
    tw__profile_step_info(p, exchange, &s);
    assert_int_equal(s.cycles, 70);
    assert_int_equal(s.total_data, 16);
    assert_true(s.tile_balance == 120 / (70.0 * 8) && s.data_balance == (16 / 8.0) / 8);
    assert_true(s.thread_balance == -1);
    tw__profile_range(p, compute, 3, 10);
    tw__profile_run_end(p, 0);
    tw_profile_totals t;
    assert_int_equal(tw_profile_get_totals(p, &t), TW_OK);
    assert_int_equal(t.cycles, 10 * (60 + 60 + 12));
    assert_int_equal(t.compute_active, 900);
    assert_int_equal(t.by_bucket[TW_CYCLES_EXCHANGE], 1200);
    assert_int_equal(t.by_bucket[TW_CYCLES_SYNC], t.cycles * 8 - 2400); /* waiting included */
    assert_true(t.thread_balance == 0.75);
    assert_int_equal(t.fidelity, TW_FIDELITY_MODELLED);
    uint64_t by_tile[8], type_cycles, instances;
    assert_true(tw_profile_step_cycles(p, compute, by_tile));
    assert_memory_equal(by_tile, active, sizeof active);
    assert_false(tw_profile_step_cycles(p, sync, by_tile));
    assert_string_equal(tw_profile_vertex_type(p, type, &type_cycles, &instances), "V");
    assert_int_equal(type_cycles, 900);
    assert_null(tw_profile_vertex_type(p, 1, &type_cycles, &instances));
    tw_profile_free(p);
}

/* Every allocation fails once: the writer reports it and the profile stays usable. */
static void profile_out_of_memory(void **state)
{
    (void)state;
    int failures = 0;
    for (unsigned long n = 1; n < 200; n++) {
        tw__fail_allocation(n);
        tw_profile *p =
            tw__profile_new(&(tw__profile_target){ .type = "IPU_MODEL", .ipus = 1, .tiles_per_ipu = 300 });
        for (uint32_t i = 0; p && i < 300; i++) {
            uint64_t values[300];
            char name[16];
            for (int t = 0; t < 300; t++) values[t] = (uint64_t)(t ^ (int)i);
            snprintf(name, sizeof name, "step %u", i);
            tw__profile_add_step(p, &(tw__step_desc){ .type = TW_PROGRAM_DO_EXCHANGE,
                                                      .name = name,
                                                      .active = tw__profile_row(p, values, 300) });
            if (i % 7 == 3) tw__profile_step(p, i / 2);
        }
        if (p) tw__profile_run_end(p, 0);
        tw__fail_allocation(0);
        failures += !p || tw__profile_status(p) == TW_E_NO_MEMORY;
        if (p && tw__profile_status(p)) assert_true(tw__profile_add_step(p, &(tw__step_desc){ 0 }) == TW__NONE);
        tw_profile_free(p);
    }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_row_packing),    cmocka_unit_test(profile_row_saturates),
        cmocka_unit_test(profile_trace_lossless), cmocka_unit_test(profile_trace_compresses),
        cmocka_unit_test(profile_trace_runs),     cmocka_unit_test(profile_trace_bad_ids),
        cmocka_unit_test(profile_step_formulas),  cmocka_unit_test(profile_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
