/* SPDX-License-Identifier: MIT */
/* The loss of labels that are not aligned, against the sum over every sequence of classes that collapses to them;
 * gradients against differences of that. */
#include "poplar/libs/libs_run.h"

enum { STEPS = 5, BATCH = 4, CLASSES = 4, LABELS = 3, ALL = STEPS * BATCH * CLASSES };

typedef struct sample_set {
    double x[ALL]; /* [steps][batch][classes]: what a softmax is made of, or logarithms */
    uint32_t labels[BATCH * LABELS], steps[BATCH], lengths[BATCH], blank;
    bool softmax, finite;
} sample_set;

static double log_of(const sample_set *s, size_t t, size_t b, size_t c)
{
    const double *row = s->x + (t * BATCH + b) * CLASSES;
    double sum = 0;
    for (size_t i = 0; i < CLASSES; i++) sum += exp(row[i]);
    return s->softmax ? row[c] - log(sum) : row[c];
}

/* Does this sequence, without repeats and then without blanks, say the labels of sample b? */
static bool collapses(const sample_set *s, size_t b, const uint32_t *classes)
{
    uint32_t n = 0, last = UINT32_MAX;
    for (size_t t = 0; t < s->steps[b]; t++) {
        if (classes[t] != last && classes[t] != s->blank) {
            if (n >= s->lengths[b] || s->labels[b * LABELS + n] != classes[t]) return false;
            n++;
        }
        last = classes[t];
    }
    return n == s->lengths[b];
}

static double reference_loss(const sample_set *s, size_t b)
{
    size_t sequences = 1;
    double sum = 0;
    for (size_t t = 0; t < s->steps[b]; t++) sequences *= CLASSES;
    for (size_t i = 0; i < sequences; i++) {
        uint32_t classes[STEPS] = { 0 };
        double log_all = 0;
        for (size_t t = 0, rest = i; t < s->steps[b]; t++, rest /= CLASSES) {
            classes[t] = (uint32_t)(rest % CLASSES);
            log_all += log_of(s, t, b, classes[t]);
        }
        if (collapses(s, b, classes)) sum += exp(log_all);
    }
    return -log(sum);
}

static void draw_samples(sample_set *s, lcg *r)
{
    s->blank = draw(r, CLASSES);
    for (size_t i = 0; i < ALL; i++) s->x[i] = draw_real(r, -2, 0);
    for (size_t b = 0; b < BATCH; b++) {
        s->lengths[b] = draw(r, LABELS + 1);
        s->steps[b] = 1 + draw(r, STEPS);
        for (size_t i = 0; i < LABELS; i++)
            s->labels[b * LABELS + i] = (s->blank + 1 + draw(r, CLASSES - 1)) % CLASSES;
    }
}

/* Runs one set: loss and gradient. */
static void ctc_run(const sample_set *s, tw_type type, tw_device *dev, int way, lcg *r, char *loss, char *gradient)
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor logs = tw_graph_add_variable(g, type, 3, (size_t[]){ STEPS, BATCH, CLASSES }, "logs");
    tw_tensor labels = tw_graph_add_variable(g, TW_UNSIGNED_INT, 2, (size_t[]){ BATCH, LABELS }, "labels");
    tw_tensor steps = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ BATCH }, "steps");
    tw_tensor lengths = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ BATCH }, "lengths");
    map_somehow(g, logs, way, r), map_somehow(g, labels, 0, r), map_somehow(g, steps, 1, r),
        map_somehow(g, lengths, 0, r);
    tw_program p = tw_program_sequence(g, NULL);
    const char *const options[] = { s->softmax ? "includeSoftmaxGradient=true" : "includeSoftmaxGradient=false",
                                    s->finite ? "zeroInfinity=true" : NULL, "zeroInfinityRelTolerance=0.1",
                                    "enableReducedClassesInLabel=true", NULL };
    tw_pair made = tw_popnn_ctc_loss(g, logs, labels, steps, lengths, s->blank, TW_TYPE_NONE, p, "ctc", options);
    if (tw_graph_status(g)) fail_msg("%s", tw_graph_error(g)->message);
    char in[ALL * 4];
    for (size_t i = 0; i < ALL; i++)
        tw_type_store(type, in + i * tw_type_size(type),
                      log_of(s, i / CLASSES / BATCH, i / CLASSES % BATCH, i % CLASSES));
    run_once(g, dev, p, 6,
             (io[]){ { logs, in, false },
                     { labels, (void *)(uintptr_t)s->labels, false },
                     { steps, (void *)(uintptr_t)s->steps, false },
                     { lengths, (void *)(uintptr_t)s->lengths, false },
                     { made.first, loss, true },
                     { made.second, gradient, true } });
    tw_graph_free(g);
}

static void ctc_compare(sample_set *s, tw_type type, const char *loss, const char *gradient)
{
    double room = type == TW_HALF ? 0.02 : 2e-5, want[BATCH];
    size_t width = tw_type_size(type);
    for (size_t b = 0; b < BATCH; b++) {
        double seen = tw_type_load(type, loss + b * width);
        want[b] = reference_loss(s, b);
        if (isinf(want[b]) && s->finite)
            assert_true(seen == 0);
        else if (isinf(want[b])) /* no way leads there */
            assert_true(type == TW_HALF ? isinf(seen) : seen >= 1e30);
        else if (!(fabs(seen - want[b]) < room * (1 + want[b])))
            fail_msg("loss of sample %zu: %g, not %g", b, seen, want[b]);
    }
    for (size_t i = 0; i < ALL; i++) {
        size_t b = i / CLASSES % BATCH;
        if (isinf(want[b]) && s->finite) assert_true(tw_type_load(type, gradient + i * width) == 0);
        if (isinf(want[b])) continue;
        const double step = 1e-5, was = s->x[i];
        s->x[i] = was + step;
        double up = reference_loss(s, b);
        s->x[i] = was - step;
        double down = reference_loss(s, b), seen = tw_type_load(type, gradient + i * width);
        s->x[i] = was;
        if (!(fabs(seen - (up - down) / (2 * step)) < room))
            fail_msg("slope %zu: %g, not %g", i, seen, (up - down) / (2 * step));
    }
}

static void libs_ctc_loss(void **state)
{
    (void)state;
    static char loss[BATCH * 4], gradient[ALL * 4];
    lcg r = { 5 };
    for (int i = 0; i < 12; i++) {
        sample_set s = { .softmax = i % 2, .finite = i / 2 % 2 };
        draw_samples(&s, &r);
        tw_type type = i % 5 == 4 ? TW_HALF : TW_FLOAT;
        tw_device *dev = i % 3 ? model_device(3, 1) : tw_device_cpu_accurate_half();
        ctc_run(&s, type, dev, i % MAPPINGS, &r, loss, gradient);
        ctc_compare(&s, type, loss, gradient);
        tw_device_free(dev);
    }
}

static void libs_ctc_refused(void **state)
{
    (void)state;
    tw_device *dev = model_device(3, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_tensor logs = tw_graph_add_variable(g, TW_FLOAT, 3, (size_t[]){ STEPS, BATCH, CLASSES }, "logs");
    tw_tensor labels = tw_graph_add_variable(g, TW_UNSIGNED_INT, 2, (size_t[]){ BATCH, LABELS }, "labels");
    tw_tensor count = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ BATCH }, "count");
    tw_poputil_map_linearly(g, logs), tw_poputil_map_linearly(g, labels), tw_poputil_map_linearly(g, count);
    tw_program p = tw_program_sequence(g, NULL);
    uint64_t before = graph_hash(g);
    tw_popnn_ctc_loss(g, logs, labels, count, count, CLASSES, TW_FLOAT, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_ctc_loss", "the blank is one of the classes", "'logs'", NULL);
    tw_popnn_ctc_loss(g, logs, labels, labels, count, 0, TW_FLOAT, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_ctc_loss", "numbers of steps are unsigned int[4]", "[4, 3]", NULL);
    tw_popnn_ctc_loss(g, logs, labels, count, count, 0, TW_INT, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_ctc_loss", "float or half", NULL);
    tw_popnn_ctc_loss(g, logs, labels, count, count, 0, TW_FLOAT, p, NULL,
                      (const char *const[]){ "partialType=half", NULL });
    refused_with(g, TW_E_INVALID_OPTION, "tw_popnn_ctc_loss", "partialType", "partialsType", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(libs_ctc_loss), cmocka_unit_test(libs_ctc_refused) };
    return cmocka_run_group_tests_name("libs_ctc", tests, NULL, NULL);
}
