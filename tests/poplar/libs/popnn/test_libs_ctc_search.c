/* SPDX-License-Identifier: MIT */
/* The search for the most probable labels: with a beam for every beginning against sums over all sequences of
 * classes, with few beams against a search in double that keeps whole texts. */
#include "poplar/libs/libs_run.h"

enum { STEPS = 5, BATCH = 3, CLASSES = 4, ALL = STEPS * BATCH * CLASSES, MOST = 2000, PATHS = 4 };

/* Labels as a text, "" and more; how probable they are as all that ends with a blank, and all that does not. */
typedef struct text_sum {
    char labels[STEPS + 1];
    double blank, other;
} text_sum;
typedef struct texts {
    text_sum text[MOST];
    size_t count;
} texts;

static text_sum *text_of(texts *t, const char *labels)
{
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->text[i].labels, labels) == 0) return &t->text[i];
    assert_true(t->count < MOST);
    t->text[t->count] = (text_sum){ .blank = 0 };
    strcpy(t->text[t->count].labels, labels);
    return &t->text[t->count++];
}

static int more_probable(const void *a, const void *b)
{
    const text_sum *x = a, *y = b;
    double p = x->blank + x->other, q = y->blank + y->other;
    return p < q ? 1 : p > q ? -1 : strcmp(x->labels, y->labels);
}

static double chance(const double *logs, size_t t, size_t b, size_t c)
{
    return exp(logs[(t * BATCH + b) * CLASSES + c]);
}

/* All sequences of classes of sample b, by what they collapse to. */
static void by_sequences(const double *logs, size_t b, size_t steps, uint32_t blank, texts *into)
{
    size_t sequences = 1;
    for (size_t t = 0; t < steps; t++) sequences *= CLASSES;
    into->count = 0;
    for (size_t i = 0; i < sequences; i++) {
        char labels[STEPS + 1] = "";
        size_t n = 0, last = SIZE_MAX;
        double product = 1;
        for (size_t t = 0, rest = i; t < steps; t++, rest /= CLASSES) {
            size_t c = rest % CLASSES;
            product *= chance(logs, t, b, c);
            if (c != last && c != blank) labels[n++] = (char)('0' + c);
            last = c;
        }
        labels[n] = 0;
        text_of(into, labels)->other += product;
    }
    qsort(into->text, into->count, sizeof *into->text, more_probable);
}

/* A search that keeps `beams` texts after each step. */
static void by_search(const double *logs, size_t b, size_t steps, uint32_t blank, size_t beams, texts *kept)
{
    static texts next;
    kept->count = 0;
    text_of(kept, "")->blank = 1;
    for (size_t t = 0; t < steps; t++) {
        next.count = 0;
        for (size_t i = 0; i < kept->count; i++) {
            const text_sum was = kept->text[i];
            size_t n = strlen(was.labels);
            for (size_t c = 0; c < CLASSES; c++) {
                double p = chance(logs, t, b, c);
                if (c == blank) {
                    text_of(&next, was.labels)->blank += (was.blank + was.other) * p;
                    continue;
                }
                bool again = n && was.labels[n - 1] == (char)('0' + c);
                char longer[STEPS + 2];
                memcpy(longer, was.labels, n), longer[n] = (char)('0' + c), longer[n + 1] = 0;
                if (again) text_of(&next, was.labels)->other += was.other * p;
                text_of(&next, longer)->other += (again ? was.blank : was.blank + was.other) * p;
            }
        }
        qsort(next.text, next.count, sizeof *next.text, more_probable);
        if (next.count > beams) next.count = beams;
        *kept = next;
    }
}

typedef struct search_case {
    tw_type type;
    unsigned beams;
    uint32_t blank, steps[BATCH];
    double logs[ALL]; /* what the device gets */
} search_case;

static void draw_case(search_case *k, lcg *r)
{
    char number[4];
    k->blank = draw(r, CLASSES);
    for (size_t b = 0; b < BATCH; b++) k->steps[b] = b ? draw(r, STEPS + 1) : STEPS;
    for (size_t i = 0; i < ALL; i += CLASSES) {
        double sum = 0;
        for (size_t c = 0; c < CLASSES; c++) k->logs[i + c] = draw_real(r, -3, 0), sum += exp(k->logs[i + c]);
        for (size_t c = 0; c < CLASSES; c++) {
            tw_type_store(k->type, number, k->logs[i + c] - log(sum));
            k->logs[i + c] = tw_type_load(k->type, number);
        }
    }
}

static void search_compare(const search_case *k, size_t b, const char *loss, const uint32_t *lengths,
                           const uint32_t *labels)
{
    static texts want;
    if (k->beams > 300)
        by_sequences(k->logs, b, k->steps[b], k->blank, &want);
    else
        by_search(k->logs, b, k->steps[b], k->blank, k->beams, &want);
    double room = k->type == TW_HALF ? 2e-3 : 2e-6;
    for (size_t i = 0; i < PATHS; i++) {
        double seen = tw_type_load(k->type, loss + (b * PATHS + i) * tw_type_size(k->type));
        size_t n = lengths[b * PATHS + i];
        assert_true(n <= STEPS);
        if (i >= want.count) {
            assert_true(seen >= 1e30 && n == 0);
            continue;
        }
        const text_sum *w = &want.text[i];
        double all = -log(w->blank + w->other);
        if (!(fabs(seen - all) < room * (1 + all))) fail_msg("sample %zu, path %zu: %g, not %g", b, i, seen, all);
        for (size_t c = 0; c < STEPS; c++) {
            uint32_t is = labels[(b * PATHS + i) * STEPS + c];
            uint32_t should = c < strlen(w->labels) ? (uint32_t)(w->labels[c] - '0') : 0;
            if (is != should || n != strlen(w->labels))
                fail_msg("sample %zu, path %zu: label %zu of %zu is %u, not %u of '%s'", b, i, c, n, is, should,
                         w->labels);
        }
    }
}

static void search_run(const search_case *k, tw_device *dev, int way, lcg *r)
{
    static char in[ALL * 4], loss[BATCH * PATHS * 4];
    static uint32_t lengths[BATCH * PATHS], labels[BATCH * PATHS * STEPS];
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor logs = tw_graph_add_variable(g, k->type, 3, (size_t[]){ STEPS, BATCH, CLASSES }, "logs");
    tw_tensor steps = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ BATCH }, "steps");
    map_somehow(g, logs, way, r), map_somehow(g, steps, 0, r);
    tw_program p = tw_program_sequence(g, NULL);
    tw_ctc_paths made = tw_popnn_ctc_beam_search(g, logs, steps, k->blank, k->beams, PATHS, p, "search", NULL);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    for (size_t i = 0; i < ALL; i++) tw_type_store(k->type, in + i * tw_type_size(k->type), k->logs[i]);
    run_once(g, dev, p, 5,
             (io[]){ { logs, in, false },
                     { steps, (void *)(uintptr_t)k->steps, false },
                     { made.loss, loss, true },
                     { made.lengths, lengths, true },
                     { made.labels, labels, true } });
    for (size_t b = 0; b < BATCH; b++) search_compare(k, b, loss, lengths, labels);
    tw_graph_free(g);
}

static void libs_ctc_search(void **state)
{
    (void)state;
    static const unsigned beams[] = { 600, 4, 6, 9, 600, 20, 5 }; /* there are 364 texts */
    lcg r = { 7 };
    for (int i = 0; i < 14; i++) {
        search_case k = { .type = i % 7 == 3 ? TW_HALF : TW_FLOAT, .beams = beams[i % 7] };
        draw_case(&k, &r);
        tw_device *dev = i % 3 ? model_device(2, 1) : tw_device_cpu_accurate_half();
        search_run(&k, dev, i % MAPPINGS, &r);
        tw_device_free(dev);
    }
}

static void libs_ctc_search_refused(void **state)
{
    (void)state;
    tw_device *dev = model_device(3, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor logs = tw_graph_add_variable(g, TW_FLOAT, 3, (size_t[]){ STEPS, BATCH, CLASSES }, "logs");
    tw_tensor count = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ BATCH }, "count");
    tw_poputil_map_linearly(g, logs), tw_poputil_map_linearly(g, count);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    static const char call[] = "tw_popnn_ctc_beam_search";
    tw_popnn_ctc_beam_search(g, logs, count, CLASSES, 2, 1, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, call, "the blank is one of the classes", "'logs'", NULL);
    tw_popnn_ctc_beam_search(g, logs, logs, 0, 2, 1, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, call, "numbers of steps are unsigned int[3]", "[5, 3, 4]", NULL);
    tw_popnn_ctc_beam_search(g, logs, count, 0, 2, 3, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, call, "a beam for each", NULL);
    tw_popnn_ctc_beam_search(g, logs, count, 0, 0, 0, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, call, "a path at least", NULL);
    tw_popnn_ctc_beam_search(g, logs, count, 0, UINT32_MAX, 1, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, call, "too many steps and beams", NULL);
    tw_popnn_ctc_beam_search(g, count, count, 0, 2, 1, p, NULL, NULL);
    assert_int_not_equal(tw_graph_take_error(g, NULL), TW_OK);
    tw_popnn_ctc_beam_search(g, logs, count, 0, 2, 1, p, NULL, (const char *const[]){ "partialType=half", NULL });
    refused_with(g, TW_E_INVALID_OPTION, call, "partialType", "partialsType", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_ctc_search),
                                        cmocka_unit_test(libs_ctc_search_refused) };
    return cmocka_run_group_tests_name("libs_ctc_search", tests, NULL, NULL);
}
