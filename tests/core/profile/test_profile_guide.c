/* SPDX-License-Identifier: MIT */
/* The sample report of guide section 8.2.3, line by line, and the formulas behind its figures.
 *
 * tests/golden/profile_guide.txt is the guide's text as extracted from its pages. Mended before comparing, and
 * nothing else (docs/profile.md): page-break notes, table rules, code fences and dots of omission are dropped, one
 * vertex name is spelled as in the rest of the sample. Blanks are collapsed and histogram bars dropped on both
 * sides. */
#include "core/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#define GOLDEN TW_SOURCE_DIR "/tests/golden/"

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)size + 1);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    return text;
}

static const char *const dropped[] = { "(continues on next page)", "(continued from previous page)", "```", "...",
                                       "....." };

/* Collapses blanks, drops bars; false when nothing is left to compare. */
static bool normalise(char *line)
{
    char *to = line;
    bool rule = true;
    for (char *from = line; *from; from++) {
        if (*from == '*' || *from == ' ' || *from == '\t') {
            if (to > line && to[-1] != ' ') *to++ = ' ';
        } else {
            rule &= *from == '-';
            *to++ = *from;
        }
    }
    if (to > line && to[-1] == ' ') to--;
    *to = 0;
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (!strcmp(line, dropped[i])) return false;
    return *line && !rule;
}

static void mend(char *text)
{
    for (char *slip; (slip = strstr(text, "ConvPartial1x10Out"));)
        memmove(slip + strlen("ConvPartial1x1"), slip + strlen("ConvPartial1x10"),
                strlen(slip) - strlen("ConvPartial1x10") + 1);
}

static char *next_line(char **at)
{
    char *line;
    while ((line = strsep(at, "\n")) && !normalise(line)) {
    }
    return line;
}

static char *summary_of(const tw_profile *p, const tw_profile_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(tw_profile_print_summary(p, out, options), TW_OK);
    fclose(out);
    return text;
}

static tw_profile *load_sample(void)
{
    tw_profile *p = tw_profile_load_files(GOLDEN "profile_graph.json", GOLDEN "profile_execution.json");
    tw_status status = tw_status_of(p);
    if (status) fail_msg("%s", tw_error_message());
    return p;
}

static void compare_with_guide(const tw_profile *p)
{
    tw_profile_options options = {
        .size = sizeof options, .show_var_storage = true, .show_execution_steps = true, .colours = TW_COLOURS_OFF
    };
    char *expected = read_all(GOLDEN "profile_guide.txt"), *got = summary_of(p, &options);
    char *e = expected, *g = got;
    int lines = 0;
    mend(expected);
    for (;; lines++) {
        char *want = next_line(&e), *have = next_line(&g);
        if (!want || !have) {
            if (want || have)
                fail_msg("line %d: guide '%s', summary '%s'", lines, want ? want : "-", have ? have : "-");
            break;
        }
        if (strcmp(want, have)) fail_msg("line %d: guide '%s', summary '%s'", lines, want, have);
    }
    assert_true(lines > 270);
    free(expected);
    free(got);
}

static void profile_guide_sample(void **state)
{
    (void)state;
    tw_profile *p = load_sample();
    compare_with_guide(p);
    tw_profile_free(p);
}

/* What is loaded, written and loaded again prints the same report. */
static void profile_guide_round_trip(void **state)
{
    (void)state;
    tw_profile *p = load_sample(), *q = NULL;
    for (int pretty = 0; pretty < 2; pretty++) {
        char *graph = tw_profile_graph_json(p, pretty), *execution = tw_profile_execution_json(p, pretty);
        assert_non_null(graph);
        assert_non_null(execution);
        tw_status status = tw_status_of(q = tw_profile_load(graph, strlen(graph), execution, strlen(execution)));
        if (status) fail_msg("%s", tw_error_message());
        compare_with_guide(q);
        char *again = tw_profile_execution_json(q, pretty), *graph_again = tw_profile_graph_json(q, pretty);
        assert_string_equal(again, execution);
        assert_string_equal(graph_again, graph);
        free(again), free(graph_again), free(graph), free(execution);
        tw_profile_free(q);
    }
    tw_profile_free(p);
}

/* The definitions of the totals, from the sample's own figures: ratios are recomputed, not stored. */
static void profile_guide_totals(void **state)
{
    (void)state;
    tw_profile *p = load_sample();
    tw_profile_totals t;
    assert_int_equal(tw_profile_get_totals(p, &t), TW_OK);
    assert_int_equal(t.cycles, 54202);
    assert_int_equal(t.by_bucket[TW_CYCLES_COMPUTE], 1933324);
    assert_int_equal(t.compute_active, 1769242);
    assert_true(t.tile_balance > 0.0285 && t.tile_balance < 0.0295);
    assert_true(t.thread_balance > 0.9145 && t.thread_balance < 0.9155);
    assert_true(t.seconds > 33.85e-6 && t.seconds < 33.95e-6);
    assert_int_equal(t.fidelity, TW_FIDELITY_EXACT);
    uint64_t cycles, instances, all = 0, count = 0;
    for (size_t i = 0; tw_profile_vertex_type(p, i, &cycles, &instances); i++) all += cycles, count += instances;
    assert_int_equal(count, 5564);
    /* The sample counts every vertex of the graph once: two types that are never executed are in this sum. */
    assert_int_equal(all, 1769242 + 177536 + 15);
    tw_profile_free(p);
}

/* Without the totals the file states, they follow from the steps that the sample shows. */
static void profile_guide_step_sums(void **state)
{
    (void)state;
    tw_profile *p = load_sample();
    memset(&p->given_totals, 0xff, sizeof p->given_totals);
    p->given_type_cycles.count = 0;
    tw_profile_totals t;
    assert_int_equal(tw_profile_get_totals(p, &t), TW_OK);
    assert_int_equal(t.cycles, 13580); /* the last step shown ends there */
    assert_int_equal(t.by_bucket[TW_CYCLES_HOST_EXCHANGE], 7 + 9 + 7 + 392 * 10700); /* = the sample's 4,194,423 */
    assert_int_equal(t.by_bucket[TW_CYCLES_COMPUTE], 384944);
    assert_int_equal(t.by_bucket[TW_CYCLES_SYNC],
                     13580ull * 1216 - 4194423 - 384944 - t.by_bucket[TW_CYCLES_EXCHANGE]);
    assert_int_equal(t.steps, 21);
    uint64_t cycles, instances;
    assert_string_equal(tw_profile_vertex_type(p, 0, &cycles, &instances),
                        "poplin::ConvPartial1x1Out<float,float,true,false>");
    assert_int_equal(cycles, 384944);
    assert_int_equal(instances, 808);
    tw_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_guide_sample),
        cmocka_unit_test(profile_guide_round_trip),
        cmocka_unit_test(profile_guide_totals),
        cmocka_unit_test(profile_guide_step_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
