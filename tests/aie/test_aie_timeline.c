/* SPDX-License-Identifier: MIT */
/* When kernels work and wait (src/aie/array/times/timeline.c): what a profile's intervals must be, whatever the
 * figures. Work adds up to the cycles of the kernel; intervals of a kernel follow each other without holes; nobody
 * reads before it was written; a slow kernel behind a fast one makes the fast one wait for it, and the other way
 * round. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "aie/array/model/model.h"
#include "core/profile/profile.h"

static int fast_work, slow_work; /* slots of work a firing */

static void spend(int slots)
{
    tw_aie_core.slots[TW_AIE_SLOT_VECTOR] += (uint64_t)slots;
}

static void first(void *user)
{
    (void)user;
    spend(fast_work);
    for (uint32_t i = 0; i < 4; i++) tw_aie_put_word(0, i, 0);
}

static void second(void *user)
{
    (void)user;
    for (int i = 0; i < 4; i++) (void)tw_aie_get_word(0, NULL);
    spend(slow_work);
}

static void window_first(void *user)
{
    (void)user;
    uint8_t data[64] = { 1 };
    spend(fast_work);
    tw_aie_window_write(tw_aie_window_out(0), data, sizeof data);
}

static void window_second(void *user)
{
    (void)user;
    uint8_t data[64];
    tw_aie_window_read(tw_aie_window_in(0), data, sizeof data);
    spend(slow_work);
}

typedef struct sums {
    uint64_t work[2], waits[2], end[2];
} sums;

/* Stack and heap of 2 KB on each tile, both blocks of the window on the reader's, nothing over anything else. */
static void judge_memory(const tw_profile *p, bool windows)
{
    assert_int_equal(p->tile_maps.count, 2);
    for (size_t t = 0; t < 2; t++) {
        const tw__profile_map *map = &p->maps.items[p->tile_maps.items[t].map];
        uint64_t end = 0, stacks = 0, blocks = 0;
        for (uint32_t i = 0; i < map->count; i++) {
            const tw__profile_block *b = &p->blocks.items[map->first + i];
            assert_true(b->address >= end);
            end = b->address + b->bytes;
            if (strstr(p->names.items[b->name], "stack and heap of")) stacks += b->bytes;
            if (strstr(p->names.items[b->name], "window first to second")) blocks += b->bytes;
        }
        assert_true(end <= 32 * 1024);
        assert_int_equal(stacks, 2048);
        assert_int_equal(blocks, windows && p->tile_maps.items[t].tile == 3 * 8 + 3 ? 128 : 0);
    }
    assert_int_equal(p->regions.count, 8); /* banks */
    assert_int_equal(p->variable_list.count, windows ? 1 : 0);
    if (windows) assert_int_equal(p->variable_list.items[0].bytes, 128);
}

/* Two kernels and what joins them: waits at the wire are those of the kernels. */
static void judge_graph(const tw_profile *p, const sums *s, bool windows)
{
    assert_int_equal(p->nodes.count, 2);
    assert_int_equal(p->wires.count, 1);
    const tw__profile_wire *w = &p->wires.items[0];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(p->nodes.items[i].tile, 3 * 8 + 2 + i);
        assert_int_equal(p->nodes.items[i].runs, 20);
        assert_int_equal(p->nodes.items[i].cycles, s->work[i]);
        assert_int_equal(p->nodes.items[i].waits, s->waits[i]);
    }
    assert_string_equal(p->names.items[w->kind], windows ? "window" : "stream");
    assert_int_equal(w->from, 0);
    assert_int_equal(w->to, 1);
    assert_int_equal(w->bytes, windows ? 20 * 64 : 20 * 16);
    assert_int_equal(w->holds * w->blocks, windows ? 128 : 16);
    assert_int_equal(w->writer_waits, s->waits[0]);
    assert_int_equal(w->reader_waits, s->waits[1]);
}

/* What holds of every timeline; sums by kernel. */
static sums judge(tw_aie_array *a, const tw_aie_kernel k[2], bool windows)
{
    const tw_profile *p = tw_aie_array_profile(a);
    sums s = { { 0 }, { 0 }, { 0 } };
    uint64_t held[2] = { 0 };
    tw_profile_totals totals;
    assert_non_null(p);
    assert_in_range(p->lanes.count, 3, 4); /* kernels; the stream, or the blocks of the window */
    assert_int_equal(p->intervals_omitted, 0);
    for (size_t i = 0; i < p->intervals.count; i++) {
        const tw__profile_interval *v = &p->intervals.items[i];
        assert_true(v->to > v->from);
        if (v->lane >= 2) {
            assert_string_equal(p->names.items[v->name], windows ? "full" : "words");
            assert_int_equal(p->lanes.items[v->lane].tile, 3 * 8 + 3); /* the reader's */
            held[v->lane - 2] += v->to - v->from;
            continue;
        }
        assert_int_equal(v->from, s.end[v->lane]); /* one follows the other, without holes */
        s.end[v->lane] = v->to;
        *(v->cause ? &s.waits[v->lane] : &s.work[v->lane]) += v->to - v->from;
        if (v->cause) assert_int_equal(v->partner, 1 - v->lane);
    }
    for (int i = 0; i < 2; i++) assert_int_equal(s.work[i], tw_aie_array_cycles(a, k[i]));
    assert_int_equal(tw_profile_get_totals(p, &totals), TW_OK);
    assert_int_equal(totals.cycles, s.end[0] > s.end[1] ? s.end[0] : s.end[1]);
    /* Data lies there from when it was passed on to when its reader is done with it: at least while it is read. */
    assert_true(held[0] + held[1] > 0);
    if (windows) assert_true(held[0] + held[1] >= 20 * 10); /* slots that the reader spends with a block */
    /* 16 words in each of 20 firings, as one block or word by word */
    assert_int_equal(p->pairs.count, 1);
    assert_int_equal(p->pairs.items[0].from, 3 * 8 + 2);
    assert_int_equal(p->pairs.items[0].to, 3 * 8 + 3);
    assert_int_equal(p->pairs.items[0].bytes, windows ? 20 * 64 : 20 * 16);
    assert_int_equal(p->pairs.items[0].messages, windows ? 20 : 20 * 4);
    judge_memory(p, windows);
    judge_graph(p, &s, windows);
    /* all firings do the same work */
    for (size_t i = 0; i < 2; i++) {
        const tw__type_cycles *tc = &p->type_cycles.items[i];
        assert_true(tc->worst > 0 && tc->worst <= tc->cycles);
        assert_int_equal(tc->worst_tile, 3 * 8 + 2 + i);
    }
    return s;
}

static sums run(bool windows, int a_work, int b_work)
{
    fast_work = a_work, slow_work = b_work;
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel k[2] = { tw_aie_array_add(a, "first", windows ? window_first : first, NULL, 3, 2),
                           tw_aie_array_add(a, "second", windows ? window_second : second, NULL, 3, 3) };
    if (windows)
        tw_aie_array_window(a, tw_aie_out(k[0], 0), tw_aie_in(k[1], 0), 64, 0);
    else
        tw_aie_array_stream(a, tw_aie_out(k[0], 0), tw_aie_in(k[1], 0), 4);
    if (tw_aie_array_run(a, 20) != TW_OK) fail_msg("%s", tw_error_message());
    sums s = judge(a, k, windows);
    if (tw_aie_array_run(a, 20) != TW_OK) fail_msg("%s", tw_error_message());
    sums again = judge(a, k, windows); /* a second run starts at 0 */
    assert_memory_equal(&s, &again, sizeof s);
    tw_aie_array_free(a);
    return s;
}

/* A slow producer: the consumer waits about as long as it works longer, the producer never. */
static void test_slow_producer(void **state)
{
    (void)state;
    for (int windows = 0; windows < 2; windows++) {
        sums s = run(windows, 100, 10);
        assert_int_equal(s.waits[0], 0);
        assert_in_range(s.waits[1], 19 * 60, 20 * 140);
        assert_true(s.end[1] > s.end[0]);
    }
}

/* A slow consumer: the producer runs ahead by what lies between them, then waits. */
static void test_slow_consumer(void **state)
{
    (void)state;
    for (int windows = 0; windows < 2; windows++) {
        sums s = run(windows, 10, 100);
        assert_in_range(s.waits[0], 15 * 60, 20 * 140);
        assert_in_range(s.waits[1], 1, 100); /* for the first block only */
        assert_true(s.end[1] > s.end[0]);
    }
}

/* A firing for each word, or for each window of 16, from a file and to a file: cycles of half of the file. */
static void pass(void *user)
{
    (void)user;
    spend(1);
    tw_aie_put_word(0, tw_aie_get_word(0, NULL), 0);
}

static void pass_window(void *user)
{
    (void)user;
    uint8_t data[64];
    spend(1);
    tw_aie_window_read(tw_aie_window_in(0), data, sizeof data);
    tw_aie_window_write(tw_aie_window_out(0), data, sizeof data);
}

static uint64_t cycles_with(bool windows, unsigned bits, double in_mhz, double out_mhz)
{
    enum { WORDS = 256 };
    const char *const from = "timeline_in.txt", *const to = "timeline_out.txt";
    FILE *text = fopen(from, "w");
    assert_non_null(text);
    for (unsigned i = 0; i < WORDS; i++) fprintf(text, (i + 1) % (bits / 32) ? "%u " : "%u\n", i);
    fclose(text);
    const tw_aie_file x = { from, TW_AIE_INT32, bits, windows ? 64 : 0, 0 },
                      y = { to, TW_AIE_INT32, bits, x.window_bytes, 0 };
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel k = tw_aie_array_add(a, "pass", windows ? pass_window : pass, NULL, 3, 2);
    tw_aie_array_input(a, &x, tw_aie_in(k, 0));
    tw_aie_array_output(a, tw_aie_out(k, 0), &y);
    if (in_mhz > 0) tw_aie_array_file_clock(a, tw_aie_in(k, 0), in_mhz);
    if (out_mhz > 0) tw_aie_array_file_clock(a, tw_aie_out(k, 0), out_mhz);
    uint64_t cycles[2];
    for (int run = 0; run < 2; run++) { /* the second one goes on in the file with half of the words */
        if (tw_aie_array_run(a, windows ? WORDS / 32 : WORDS / 2) != TW_OK) fail_msg("%s", tw_error_message());
        tw_profile_totals totals;
        assert_int_equal(tw_profile_get_totals(tw_aie_array_profile(a), &totals), TW_OK);
        cycles[run] = totals.cycles;
    }
    assert_in_range(cycles[0] + 8 - cycles[1], 0, 8 + 34 * 4); /* less what had come before */
    tw_aie_array_free(a);
    remove(from), remove(to);
    return cycles[0];
}

/* 128 words at 1.25 GHz: a port of 32 bits at 312.5 MHz brings one in four cycles, one of 64 bits one in two, and
 * no port more than one a cycle. */
static void test_file_clocks(void **state)
{
    (void)state;
    for (int windows = 0; windows < 2; windows++) {
        const uint64_t at_once = cycles_with(windows, 32, 0, 0);
        assert_in_range(cycles_with(windows, 32, 312.5, 0), 4 * 128, 4 * 128 + at_once);
        assert_in_range(cycles_with(windows, 64, 312.5, 0), 2 * 128, 2 * 128 + at_once);
        assert_in_range(cycles_with(windows, 128, 312.5, 0), 128, 128 + at_once);
        assert_in_range(cycles_with(windows, 128, 625, 0), 128, 128 + at_once);
        /* what goes out may wait on its way: 16 words of a stream, two windows of 16 */
        assert_in_range(cycles_with(windows, 32, 0, 312.5), 4 * (128 - 34), 4 * 128 + at_once);
    }
}

/* 16 blocks of 16 words, a word in four cycles: the kernel keeps up, so that no word is held up, and what it makes
 * leaves at a word a cycle, a block every 64 cycles. */
static void test_passages(void **state)
{
    (void)state;
    enum { WORDS = 256 };
    const char *const from = "passages_in.txt", *const to = "passages_out.txt";
    FILE *text = fopen(from, "w");
    assert_non_null(text);
    for (unsigned i = 0; i < WORDS; i++) fprintf(text, "%u\n", i);
    fclose(text);
    const tw_aie_file x = { from, TW_AIE_INT32, 32, 64, 0 }, y = { to, TW_AIE_INT32, 32, 64, 0 };
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel k = tw_aie_array_add(a, "pass", pass_window, NULL, 3, 2);
    tw_aie_array_input(a, &x, tw_aie_in(k, 0));
    tw_aie_array_output(a, tw_aie_out(k, 0), &y);
    tw_aie_array_file_clock(a, tw_aie_in(k, 0), 312.5);
    const int in = tw_aie_array_watch(a, tw_aie_in(k, 0), 256), out = tw_aie_array_watch(a, tw_aie_out(k, 0), 256),
              late = tw_aie_array_watch(a, tw_aie_out(k, 0), 4 * WORDS + 4);
    assert_true(in >= 0 && out >= 0 && late >= 0 && in != out && out != late);
    for (int run = 0; run < 2; run++) { /* the second one begins anew */
        tw_aie_passage p;
        if (tw_aie_array_run(a, WORDS / 16) != TW_OK) fail_msg("%s", tw_error_message());
        assert_int_equal(tw_aie_array_watched(a, in, &p), TW_OK);
        assert_int_equal(p.words, WORDS);
        assert_int_equal(p.first, 0);
        assert_int_equal(p.last, 4 * (WORDS - 1) + 1);
        assert_int_equal(p.busy, WORDS);
        assert_int_equal(p.marked, 4 * 63 + 1);
        assert_int_equal(tw_aie_array_watched(a, out, &p), TW_OK);
        assert_int_equal(p.words, WORDS);
        assert_in_range(p.first, 64, 128);
        assert_int_equal(p.last - p.first, 15 * 64 + 16);
        assert_int_equal(p.busy, WORDS);
        assert_int_equal(p.marked - p.first, 3 * 64 + 16);
        assert_int_equal(tw_aie_array_watched(a, late, &p), TW_OK);
        assert_int_equal(p.marked, 0);
    }
    tw_aie_passage p;
    tw_aie_array_unwatch(a, out);
    assert_int_equal(tw_aie_array_watched(a, out, &p), TW_E_INDEX);
    assert_int_equal(tw_aie_array_watched(a, late, &p), TW_OK);
    tw_aie_array_unwatch(a, out), tw_aie_array_unwatch(a, -1), tw_aie_array_unwatch(NULL, 0);
    assert_int_equal(tw_aie_array_watch(a, tw_aie_in(k, 1), 0), -1);
    assert_string_equal(tw_error_message(), "watch: input 1 of 'pass' has no file or memory");
    tw_aie_array_free(a);
    remove(from), remove(to);
}

static void test_file_clock_errors(void **state)
{
    (void)state;
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel k = tw_aie_array_add(a, "pass", pass, NULL, 3, 2);
    tw_aie_array_file_clock(a, tw_aie_in(k, 0), 250);
    assert_int_equal(tw_aie_array_run(a, 1), TW_E_CONNECTION);
    assert_string_equal(tw_error_message(), "file_clock: input 0 of 'pass' has no file");
    tw_aie_array_free(a);
}

/* What reports are told: names of ends, groups, parameters; and what is refused. */
static void test_report_names(void **state)
{
    (void)state;
    tw_aie_array *a = tw_aie_array_new();
    const tw_aie_kernel none = { 0 };
    tw_aie_kernel k[2] = { tw_aie_array_add(a, "first", first, NULL, 3, 2),
                           tw_aie_array_add(a, "second", second, NULL, 3, 3) };
    tw_aie_array_stream(a, tw_aie_out(k[0], 0), tw_aie_in(k[1], 0), 4);
    tw_aie_array_memory_output(a, tw_aie_out(k[1], 0), 0);
    tw_aie_array_name_end(a, tw_aie_out(k[1], 0), "results");
    tw_aie_array_group(a, k[1], "outer/inner");
    tw_aie_array_parameter(a, none, k[0], "gain", 4);
    tw_aie_array_parameter(a, k[0], k[1], "state", 8);
    if (tw_aie_array_run(a, 2) != TW_OK) fail_msg("%s", tw_error_message());
    const tw_profile *p = tw_aie_array_profile(a);
    assert_int_equal(p->nodes.count, 4);
    static const char *const names[] = { "first", "second", "results", "gain" }, *const kinds[] = {
        "kernel", "kernel", "GMIO", "parameter"
    };
    for (int i = 0; i < 4; i++) {
        assert_string_equal(p->names.items[p->nodes.items[i].name], names[i]);
        assert_string_equal(p->names.items[p->nodes.items[i].kind], kinds[i]);
        assert_string_equal(p->names.items[p->nodes.items[i].group], i == 1 ? "outer/inner" : "");
    }
    assert_int_equal(p->wires.count, 4);
    assert_int_equal(p->wires.items[2].from, 3);
    assert_int_equal(p->wires.items[2].holds, 4);
    assert_int_equal(p->wires.items[3].from, 0);
    assert_int_equal(p->wires.items[3].to, 1);
    tw_aie_array_parameter(a, none, none, "lost", 4);
    assert_int_equal(tw_aie_array_run(a, 1), TW_E_CONNECTION);
    assert_string_equal(tw_error_message(), "parameter 'lost' is of no kernel");
    tw_aie_array_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_producer),     cmocka_unit_test(test_slow_consumer),
        cmocka_unit_test(test_file_clocks),       cmocka_unit_test(test_passages),
        cmocka_unit_test(test_file_clock_errors), cmocka_unit_test(test_report_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
