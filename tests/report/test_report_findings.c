/* SPDX-License-Identifier: MIT */
/* Findings on profiles whose figures are made up for the purpose, and on the guide's sample (guide 8.2.3): the values
 * that rules give there were worked out by hand from the sample's text. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <unistd.h>

#include "report/report.h"

static const tw_finding *find(const tw_findings *list, const char *rule)
{
    for (size_t i = 0; i < tw_findings_count(list); i++)
        if (!strcmp(tw_findings_at(list, i)->rule, rule)) return tw_findings_at(list, i);
    return NULL;
}

static void assert_says(const tw_findings *list, const char *rule, const char *part)
{
    const tw_finding *f = find(list, rule);
    if (!f) fail_msg("%s says nothing", rule);
    if (!strstr(f->text, part)) fail_msg("%s: '%s' is not in '%s'", rule, part, f->text);
}

static tw_profile *sample(void)
{
    tw_profile *p;
    assert_int_equal(tw_status_of(p = tw_profile_load_files(TW_SOURCE_DIR "/tests/golden/profile_graph.json",
                                                            TW_SOURCE_DIR "/tests/golden/profile_execution.json")),
                     TW_OK);
    return p;
}

/* R9: copying types are 598,109 of 1,769,242 cycles in the sample's table by type, plus Memset and Transpose. R1, R2,
 * R4, R6, R7 and R17 stay silent: tile 0 is half full, the one host copy is 19.7 % of the time, no type has half. */
static void test_guide_sample(void **state)
{
    (void)state;
    tw_profile *p = sample();
    tw_findings *list = tw_profile_findings(p);
    assert_says(list, "R9", "% of all vertex cycles only move data");
    assert_says(list, "R12", "824 of 1,216 tiles never compute");
    assert_says(list, "R3", "89 % of the time of all tiles");
    static const char *const silent[] = { "R1", "R2", "R4", "R6", "R7", "R8", "R17" };
    for (size_t i = 0; i < G_N_ELEMENTS(silent); i++) assert_null(find(list, silent[i]));
    tw_findings_free(list);
    tw_profile_free(p);
}

/* The sample without its steps: the totals that it states are over all 1,216 tiles. R9's share of the cycles, weighed
 * with 1,933,324 cycles of compute in 54,202 cycles of each. */
static void test_totals_only(void **state)
{
    (void)state;
    g_autofree char *text = NULL, *file = g_strdup("./totals-XXXXXX");
    assert_true(g_file_get_contents(TW_SOURCE_DIR "/tests/golden/profile_execution.json", &text, NULL, NULL));
    char *steps = strstr(text, "\"steps\":[");
    assert_non_null(steps);
    strcpy(steps, "\"steps\":[]}}");
    close(g_mkstemp(file));
    assert_true(g_file_set_contents(file, text, -1, NULL));
    tw_profile *p = tw_profile_load_files(TW_SOURCE_DIR "/tests/golden/profile_graph.json", file);
    remove(file);
    assert_non_null(p);
    tw_findings *list = tw_profile_findings(p);
    assert_says(list, "R9", "% of all vertex cycles only move data");
    double moving = find(list, "R9")->severity * 54202 * 1216 / 1933324;
    assert_true(moving > 598109.0 / 1769242 && moving < 0.4); /* Memset and Transpose beside them */
    tw_findings_free(list);
    tw_profile_free(p);
}

enum { TILES = 8 };

typedef struct made {
    tw_profile *p;
    uint32_t set;
} made;

static made begin(uint64_t bytes_per_tile)
{
    made m = { .p = tw__profile_new(&(tw__profile_target){ .type = "IPU_MODEL",
                                                           .ipus = 1,
                                                           .tiles_per_ipu = TILES,
                                                           .replicas = 1,
                                                           .bytes_per_tile = bytes_per_tile,
                                                           .clock_hz = 1e9 }) };
    m.set = tw__profile_add_compute_set(m.p, "work");
    return m;
}

static void add_step(made *m, tw_program_type type, const char *name, const uint64_t *by_tile, uint64_t times)
{
    uint32_t id = tw__profile_add_step(m->p, &(tw__step_desc){ .type = type,
                                                               .name = name,
                                                               .no_program = true,
                                                               .index = m->set,
                                                               .active = tw__profile_row(m->p, by_tile, TILES) });
    tw__profile_run_begin(m->p, "");
    tw__profile_range(m->p, id, 1, times);
    tw__profile_run_end(m->p, 0);
}

static tw_findings *end(made *m)
{
    assert_int_equal(tw__profile_status(m->p), TW_OK);
    tw_findings *list = tw_profile_findings(m->p);
    assert_non_null(list);
    return list;
}

static void add_bytes(made *m, const uint64_t *by_tile)
{
    tw__profile_add_memory(m->p, "variable", NULL, TW__NON_INTERLEAVED, TW__NOT_OVERLAPPED,
                           tw__profile_row(m->p, by_tile, TILES), TW_FIDELITY_EXACT);
}

static void test_memory_over(void **state)
{
    (void)state;
    made m = begin(1000);
    add_bytes(&m, (uint64_t[TILES]){ 100, 100, 100, 1120, 100, 100, 100, 100 });
    tw_findings *list = end(&m);
    assert_says(list, "R1", "Tile 3 needs 1.1 KiB of 1000 B, 12 % over");
    assert_true(find(list, "R1")->is_error);
    assert_string_equal(find(list, "R1")->link, "#view=memory&tile=3");
    assert_ptr_equal(tw_findings_at(list, 0), find(list, "R1")); /* errors come first */
    assert_says(list, "R2", "Tile 3 holds 4.9 times the mean");
    tw_findings_free(list);
    tw_profile_free(m.p);
}

/* Limits are inclusive: 899 of 1,000 says nothing, 900 does. */
static void test_memory_threshold(void **state)
{
    (void)state;
    for (uint64_t bytes = 899; bytes <= 900; bytes++) {
        made m = begin(1000);
        uint64_t row[TILES];
        for (int t = 0; t < TILES; t++) row[t] = bytes;
        add_bytes(&m, row);
        tw_findings *list = end(&m);
        assert_int_equal(find(list, "R1") != NULL, bytes >= 900);
        assert_null(find(list, "R2"));
        tw_findings_free(list);
        tw_profile_free(m.p);
    }
}

/* One tile is three times as slow as all others in a step of 300 cycles, executed ten times: without it the step
 * would end 200 cycles sooner, 2,000 of 3,000. */
static void test_one_slow_tile(void **state)
{
    (void)state;
    made m = begin(1000);
    add_step(&m, TW_PROGRAM_ON_TILE_EXECUTE, "uneven", (uint64_t[TILES]){ 100, 100, 300, 100, 100, 100, 100, 100 },
             10);
    tw_findings *list = end(&m);
    assert_says(list, "R4",
                "All others wait for tile 2 in 1 step: without it they would end 2,000 cycles sooner, 67 %");
    assert_string_equal(find(list, "R4")->link, "#view=time&tile=2");
    assert_null(find(list, "R3")); /* the same cause is not told twice */
    tw_findings_free(list);
    tw_profile_free(m.p);
}

/* On a grid a tile is said by column and row, as everywhere in the page; a link goes by its number. */
static void test_slow_tile_of_grid(void **state)
{
    (void)state;
    for (int down = 0; down < 2; down++) {
        made m = begin(1000);
        tw__profile_set_grid(m.p, 4, 2, down);
        add_step(&m, TW_PROGRAM_ON_TILE_EXECUTE, "uneven",
                 (uint64_t[TILES]){ 100, 100, 100, 100, 100, 100, 300, 100 }, 10);
        tw_findings *list = end(&m);
        assert_says(list, "R4", down ? "wait for tile 3,0 in 1 step" : "wait for tile 2,1 in 1 step");
        assert_string_equal(find(list, "R4")->link, "#view=time&tile=6");
        tw_findings_free(list);
        tw_profile_free(m.p);
    }
}

/* Half the tiles take half as long: a quarter of the time is waiting, and no single tile is to blame. */
static void test_waiting(void **state)
{
    (void)state;
    made m = begin(1000);
    add_step(&m, TW_PROGRAM_ON_TILE_EXECUTE, "halves", (uint64_t[TILES]){ 50, 50, 50, 50, 100, 100, 100, 100 }, 4);
    tw_findings *list = end(&m);
    assert_null(find(list, "R4"));
    assert_says(list, "R3", "25 % of the time of all tiles is waiting for slower ones; 100 % of that in 'halves'");
    tw_findings_free(list);
    tw_profile_free(m.p);
}

/* While one tile copies with the host the others wait for the host: no even work would help. */
static void test_host_copy_is_no_waiting(void **state)
{
    (void)state;
    made m = begin(1000);
    add_step(&m, TW_PROGRAM_STREAM_COPY, "print x", (uint64_t[TILES]){ 100 }, 4);
    add_step(&m, TW_PROGRAM_ON_TILE_EXECUTE, "even", (uint64_t[TILES]){ 50, 50, 50, 50, 50, 50, 50, 50 }, 4);
    tw_findings *list = end(&m);
    assert_null(find(list, "R3"));
    assert_null(find(list, "R4"));
    assert_says(list, "R7", "Host copies take 67 % of the time");
    tw_findings_free(list);
    tw_profile_free(m.p);
}

static void test_even_work_is_silent(void **state)
{
    (void)state;
    made m = begin(1000);
    add_step(&m, TW_PROGRAM_ON_TILE_EXECUTE, "even", (uint64_t[TILES]){ 100, 100, 100, 100, 100, 100, 100, 100 },
             4);
    tw_findings *list = end(&m);
    assert_int_equal(tw_findings_count(list), 0);
    assert_null(tw_findings_at(list, 0));
    tw_findings_free(list);
    tw_profile_free(m.p);
}

static void test_exchange(void **state)
{
    (void)state;
    made m = begin(1000);
    const uint64_t even[TILES] = { 100, 100, 100, 100, 100, 100, 100, 100 };
    add_step(&m, TW_PROGRAM_ON_TILE_EXECUTE, "work", even, 2);
    add_step(&m, TW_PROGRAM_DO_EXCHANGE, "moving", even, 2);
    tw_findings *list = end(&m);
    assert_says(list, "R6", "Exchange takes 50 % of the time, compute 50 %; 'moving' alone 50 %");
    tw_findings_free(list);
    tw_profile_free(m.p);
}

/* Names may hold anything, our separator included: parts of a finding stay what they are. */
static void test_hostile_names(void **state)
{
    (void)state;
    made m = begin(1000);
    char *name = g_strnfill(10000, 'x');
    memcpy(name, "\x1f#view=evil\x1f</script>", 21);
    add_step(&m, TW_PROGRAM_ON_TILE_EXECUTE, name, (uint64_t[TILES]){ 50, 50, 50, 50, 100, 100, 100, 100 }, 4);
    tw_findings *list = end(&m);
    const tw_finding *f = find(list, "R3");
    assert_non_null(f);
    assert_string_equal(f->link, "#view=time&step=0");
    assert_null(strchr(f->text, '\x1f'));
    assert_in_range(strlen(f->text), 100, 300);
    tw_findings_free(list);
    tw_profile_free(m.p);
    g_free(name);
}

/* Two of three exchanges move the same: 2 x 800 of 2,400 + 900 bytes, the second of them 3 x 100 of 900 cycles. */
static void test_repeated_exchange(void **state)
{
    (void)state;
    made m = begin(0);
    static const uint64_t cycles[TILES] = { 100, 100 }, data[TILES] = { 0, 800 }, more[TILES] = { 0, 300 };
    static const struct {
        const char *name;
        uint64_t content;
        const uint64_t *data;
    } rows[] = { { "a", 7, data }, { "b", 9, more }, { "c", 7, data }, { "d", 0, data }, { "e", 0, data } };
    tw__profile_run_begin(m.p, "");
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw__row row = tw__profile_row(m.p, rows[i].data, TILES);
        uint32_t x = tw__profile_add_exchange(m.p, TW__EXCHANGE_INTERNAL,
                                              (tw__exchange){ .received = row, .content = rows[i].content });
        tw__profile_add_step(m.p, &(tw__step_desc){ .type = TW_PROGRAM_DO_EXCHANGE,
                                                    .name = rows[i].name,
                                                    .no_program = true,
                                                    .index = x,
                                                    .active = tw__profile_row(m.p, cycles, TILES),
                                                    .data = row });
    }
    tw__profile_range(m.p, 0, 3, 3);
    tw__profile_run_end(m.p, 0);
    tw_findings *list = end(&m);
    assert_says(list, "R13", "'a' and 'c' move the same 800 B each time");
    assert_float_equal(find(list, "R13")->severity, 1.0 / 3, 1e-9);
    tw_findings_free(list);
    /* Contents that are not known say nothing. */
    for (size_t i = 0; i < m.p->exchanges[0].count; i++) m.p->exchanges[0].items[i].content = 0;
    list = end(&m);
    assert_null(find(list, "R13"));
    tw_findings_free(list);
    tw_profile_free(m.p);
}

/* Fullest at cycle 50: a (300, used until 20), b and c; d ended before it. Of 1,000 bytes there a holds 30 %. */
static void test_held_too_long(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        made m = begin(4000);
        tw__profile_map_in_cycles(m.p);
        tw__profile_map_begin(m.p, 3);
        const tw__block_desc blocks[] = { { 0, 300, "a", "variable", 0, 90, late ? 20 : 60 },
                                          { 300, 200, "b", "variable", 10, 90, 80 },
                                          { 500, 400, "d", "variable", 10, 49, 12 },
                                          { 500, 500, "c", "variable", 50, 60, 60 },
                                          { 9000, 7, "no use known", "variable", 50, 60, TW__NONE } };
        for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) tw__profile_map_add(m.p, &blocks[i]);
        tw__profile_map_end(m.p);
        tw_findings *list = end(&m);
        if (late) {
            assert_says(list, "R14", "'a' (300 B) is not used after cycle 20 but held at cycle 50, when tile 3 is");
            assert_says(list, "R14", "so is 30 %");
            assert_float_equal(find(list, "R14")->severity, 300.0 / 4000, 1e-9);
        } else {
            assert_null(find(list, "R14"));
        }
        tw_findings_free(list);
        tw_profile_free(m.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guide_sample),
        cmocka_unit_test(test_memory_over),
        cmocka_unit_test(test_memory_threshold),
        cmocka_unit_test(test_one_slow_tile),
        cmocka_unit_test(test_slow_tile_of_grid),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_host_copy_is_no_waiting),
        cmocka_unit_test(test_even_work_is_silent),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_repeated_exchange),
        cmocka_unit_test(test_held_too_long),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_totals_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
