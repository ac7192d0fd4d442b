/* SPDX-License-Identifier: MIT */
/* What the profile of a run on the wafer has beside sums: examples/csl/fifo, of which what happens is known: PE 0
 * sends 100 numbers to PE 1, which passes them on to PE 2, where a data task adds up one after the other. */
#include "csl/wse/host/host.h"
#include "core/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NUMBERS = 100 };

static const char *text_of(const tw_profile *p, tw__name name)
{
    return p->names.items[name];
}

static tw_csl_program *example(const char *layout)
{
    tw_diags *diags = tw_diags_new();
    tw_csl_program *program = tw_csl_compile(layout, NULL, diags);
    if (!program) {
        tw_diags_print(diags, stderr, false);
        fail();
    }
    tw_diags_free(diags);
    return program;
}

static tw_csl_program *fifo_example(void)
{
    return example(TW_SOURCE_DIR "/examples/csl/fifo/layout.csl");
}

static uint64_t pair(const tw_profile *p, uint32_t from, uint32_t to, uint64_t *messages)
{
    for (size_t i = 0; i < p->pairs.count; i++)
        if (p->pairs.items[i].from == from && p->pairs.items[i].to == to)
            return *messages = p->pairs.items[i].messages, p->pairs.items[i].bytes;
    return *messages = 0;
}

static uint64_t wait_of(const tw_profile *p, uint32_t tile, const char *cause)
{
    for (size_t i = 0; i < p->waits.count; i++)
        if (p->waits.items[i].tile == tile && !strcmp(text_of(p, p->waits.items[i].cause), cause))
            return p->waits.items[i].cycles;
    return 0;
}

static const tw__profile_block *block(const tw_profile *p, uint32_t tile, const char *name)
{
    for (size_t t = 0; t < p->tile_maps.count; t++) {
        if (p->tile_maps.items[t].tile != tile) continue;
        const tw__profile_map *map = &p->maps.items[p->tile_maps.items[t].map];
        for (uint32_t i = 0; i < map->count; i++)
            if (!strcmp(text_of(p, p->blocks.items[map->first + i].name), name))
                return &p->blocks.items[map->first + i];
    }
    return NULL;
}

static void each_threads(unsigned threads, char **json)
{
    tw_csl_program *program = fifo_example();
    tw_wse *w;
    tw_wse_options options = { .size = sizeof options, .profile = true, .threads = threads };
    assert_int_equal(tw_status_of(w = tw_wse_new(program, &options)), TW_OK);
    assert_int_equal(tw_wse_stop(w), TW_OK);
    const tw_profile *p = tw_wse_profile(w);
    assert_non_null(p);
    /* links: a wavelet a number, 4 bytes */
    uint64_t messages;
    assert_int_equal(pair(p, 0, 1, &messages), 4 * NUMBERS);
    assert_int_equal(messages, NUMBERS);
    assert_int_equal(pair(p, 1, 2, &messages), 4 * NUMBERS);
    assert_int_equal(p->pairs.count, 2);
    /* the last one is slow: who sends to it waits for room, and it never waits for an operation's input */
    assert_true(wait_of(p, 1, "room in the output queue of color 5") + wait_of(p, 1, "FIFO") > 0);
    assert_true(wait_of(p, 0, "room in the output queue of color 4") > 0);
    for (unsigned color = 0; color < 32; color++) {
        char cause[64];
        snprintf(cause, sizeof cause, "wavelets of color %u", color);
        assert_int_equal(wait_of(p, 2, cause), 0);
    }
    /* variables and where they are */
    assert_int_equal(p->tile_maps.count, 3);
    assert_int_equal(block(p, 0, "data")->bytes, 4 * NUMBERS);
    assert_int_equal(block(p, 1, "buffer")->bytes, 4 * 32);
    assert_int_equal(block(p, 2, "sum")->bytes, 4);
    assert_null(block(p, 2, "data"));
    bool found = false;
    for (size_t i = 0; i < p->variable_list.count; i++) {
        const tw__profile_variable *v = &p->variable_list.items[i];
        if (strcmp(text_of(p, v->name), "buffer") != 0) continue;
        found = true;
        assert_int_equal(v->bytes, 128);
        assert_int_equal(v->elements, 32);
        assert_int_equal(v->tiles, 1);
        assert_int_equal(v->first_tile, 1);
    }
    assert_true(found);
    /* a task for each number, one after the other, of which none lasts longer than the longest */
    uint64_t tasks = 0, end = 0, worst = 0, longest = 0;
    for (size_t i = 0; i < p->intervals.count; i++) {
        const tw__profile_interval *v = &p->intervals.items[i];
        if (p->lanes.items[v->lane].tile != 2 || strcmp(text_of(p, v->name), "task add") != 0) continue;
        assert_string_equal(text_of(p, p->lanes.items[v->lane].name), "tasks");
        assert_true(v->from >= end && v->to > v->from);
        end = v->to;
        if (v->to - v->from > longest) longest = v->to - v->from;
        tasks++;
    }
    assert_int_equal(tasks, NUMBERS);
    for (size_t i = 0; i < p->type_cycles.count; i++)
        if (!strcmp(text_of(p, p->types.items[p->type_cycles.items[i].vertex_type].name), "task add")) {
            worst = p->type_cycles.items[i].worst;
            assert_int_equal(p->type_cycles.items[i].worst_tile, 2);
        }
    assert_int_equal(worst, longest);
    /* the run ends with the last thing that ran, for --stats as for the profile */
    tw_profile_totals totals;
    uint64_t last = 0;
    for (size_t i = 0; i < p->intervals.count; i++)
        if (p->intervals.items[i].to > last) last = p->intervals.items[i].to;
    assert_int_equal(tw_profile_get_totals(p, &totals), TW_OK);
    assert_int_equal(totals.cycles, last);
    assert_int_equal(tw_wse_cycle(w), last);
    /* functions by their code, which adds up to the category */
    tw_fidelity fidelity;
    uint64_t code = 0;
    bool add = false;
    for (size_t i = 0; i < p->variable_list.count; i++) {
        const tw__profile_variable *v = &p->variable_list.items[i];
        if (strcmp(text_of(p, v->type), "code (estimated)")) continue;
        code += v->bytes;
        add |= !strcmp(text_of(p, v->name), "add") && v->tiles == 1 && v->first_tile == 2 && v->bytes >= 3 * 4;
    }
    assert_true(add);
    assert_int_equal(tw_profile_memory(p, "code", &fidelity), code);
    assert_int_equal(fidelity, TW_FIDELITY_ESTIMATED);
    assert_int_equal(tw_profile_memory(p, "link", NULL), 0); /* nobody imports <memcpy/memcpy> */
    *json = tw_profile_execution_json(p, false);
    tw_wse_free(w);
    tw_csl_program_free(program);
}

static void fifo(void **state)
{
    char *json[2];
    (void)state;
    for (int i = 0; i < 2; i++) each_threads(i ? 3 : 1, &json[i]);
    assert_string_equal(json[0], json[1]); /* whatever the threads */
    free(json[0]), free(json[1]);
}

/* --- what moves over time, and lines of the source
 * --------------------------------------------------------------- */

static tw_wse *motion_run(const tw_csl_program *program, unsigned threads, bool motion)
{
    tw_wse *w = tw_wse_new(
        program,
        &(tw_wse_options){ .size = sizeof(tw_wse_options), .threads = threads, .profile = true, .motion = motion });
    assert_non_null(w);
    assert_int_equal(tw_wse_stop(w), TW_OK);
    return w;
}

static uint64_t moved(const tw_profile *p, uint32_t tile, unsigned kind, uint64_t *last)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->flows.count; i++) {
        const tw__profile_flow *flow = &p->flows.items[i];
        if (flow->tile != tile || flow->kind != kind) continue;
        sum += flow->amount;
        if (last && flow->window > *last) *last = flow->window;
    }
    return sum;
}

/* Each of the 100 numbers leaves PE 0 to the east and PE 1 to the east; nobody does more in a stretch than it has
 * cycles; what waits were counted are told, and where. */
static void motion_adds_up(void **state)
{
    (void)state;
    tw_csl_program *program = fifo_example();
    tw_wse *w = motion_run(program, 1, true);
    const tw_profile *p = tw_wse_profile(w);
    uint64_t messages, last = 0;
    for (uint32_t pe = 0; pe < 2; pe++) {
        pair(p, pe, pe + 1, &messages);
        assert_int_equal(moved(p, pe, TW__FLOW_EAST, NULL), messages);
        assert_int_equal(moved(p, pe, TW__FLOW_WEST, NULL), 0);
    }
    assert_int_equal(p->flow.block, 1);
    for (size_t i = 0; i < p->flows.count; i++)
        if (p->flows.items[i].kind >= TW__FLOW_WANTS || p->flows.items[i].kind < TW__FLOW_CODE)
            assert_in_range(p->flows.items[i].amount, 1, p->flow.window);
    assert_true(moved(p, 1, TW__FLOW_DATA, &last) >= NUMBERS); /* its queue to the FIFO, and on from there */
    assert_true(last * p->flow.window < tw_wse_cycle(w));
    assert_true(moved(p, 2, TW__FLOW_CODE, NULL) > 0);
    assert_int_equal(p->stuck.count, 0);
    assert_true(p->routes.count >= 3);
    tw_wse_free(w);
    tw_csl_program_free(program);
}

/* Off unless asked for; the same with any number of threads. */
static void motion_of_threads(void **state)
{
    (void)state;
    tw_csl_program *program = fifo_example();
    tw_wse *off = motion_run(program, 1, false), *one = motion_run(program, 1, true),
           *three = motion_run(program, 3, true);
    assert_int_equal(tw_wse_profile(off)->flows.count, 0);
    assert_int_equal(tw_wse_profile(off)->flow.window, 0);
    const tw_profile *a = tw_wse_profile(one), *b = tw_wse_profile(three);
    assert_true(a->flows.count > 0 && a->flows.count == b->flows.count);
    for (size_t i = 0; i < a->flows.count; i++) {
        const tw__profile_flow *x = &a->flows.items[i], *y = &b->flows.items[i];
        assert_true(x->window == y->window && x->tile == y->tile && x->kind == y->kind && x->color == y->color &&
                    x->amount == y->amount);
    }
    tw_wse_free(off), tw_wse_free(one), tw_wse_free(three);
    tw_csl_program_free(program);
}

static const tw__profile_line *line_with(const tw_profile *p, const char *text)
{
    for (size_t i = 0; i < p->lines.count; i++)
        if (strstr(text_of(p, p->lines.items[i].text), text)) return &p->lines.items[i];
    fail_msg("no line has %s", text);
    return NULL;
}

/* Lines of operations add up to what the operations took, those of tasks to what they took. */
static void lines_add_up(void **state)
{
    (void)state;
    tw_csl_program *program = fifo_example();
    tw_wse *w = motion_run(program, 1, false);
    const tw_profile *p = tw_wse_profile(w);
    tw__type_cycles *types = tw__profile_type_totals(p);
    for (size_t t = 0; t < p->types.count; t++) {
        uint64_t runs = 0, cycles = 0;
        for (size_t i = 0; i < p->lines.count; i++)
            if (p->lines.items[i].what == p->types.items[t].name)
                runs += p->lines.items[i].runs, cycles += p->lines.items[i].cycles;
        if (!strncmp(text_of(p, p->types.items[t].name), "task launched", 13)) continue;
        assert_int_equal(runs, types[t].instances);
        assert_int_equal(cycles, types[t].cycles);
    }
    free(types);
    assert_non_null(strstr(text_of(p, line_with(p, "@fmovs(fifo, from")->file), "fifo/"));
    bool placed = false;
    for (size_t i = 0; i < p->intervals.count; i++) placed |= p->intervals.items[i].line != 0;
    assert_true(placed);
    tw_wse_free(w);
    tw_csl_program_free(program);
}

/* Operations of two dimensions, which are done at once, have their lines as those of one do: 24 products, and
 * sums. */
static void lines_of_planes(void **state)
{
    (void)state;
    tw_csl_program *program = example(TW_SOURCE_DIR "/examples/csl/gemv/layout.csl");
    tw_wse *w = tw_wse_new(program, &(tw_wse_options){ .size = sizeof(tw_wse_options), .profile = true });
    assert_non_null(w);
    assert_int_equal(tw_wse_launch(w, "rows", NULL, 0, NULL), TW_OK);
    assert_int_equal(tw_wse_stop(w), TW_OK);
    const tw_profile *p = tw_wse_profile(w);
    const tw__profile_line *product = line_with(p, "@fmuls(to, all"), *sum = line_with(p, "@fadds(y_of_row");
    assert_string_equal(text_of(p, product->what), "@fmuls");
    assert_string_equal(text_of(p, sum->what), "@fadds");
    assert_int_equal(product->runs, 1);
    assert_true(product->cycles >= 24 && sum->runs == 1 && sum->cycles > 0);
    tw_wse_free(w);
    tw_csl_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fifo), cmocka_unit_test(motion_adds_up),
                                        cmocka_unit_test(motion_of_threads), cmocka_unit_test(lines_add_up),
                                        cmocka_unit_test(lines_of_planes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
