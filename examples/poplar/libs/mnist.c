/* SPDX-License-Identifier: MIT */
/* Handwritten digits told apart by logistic regression, ten weights for each point of a picture, from the files that
 * MNIST comes in. mnist_data.py draws pictures for those who have not got it.
 *
 *     python3 mnist_data.py digits
 *     cc mnist.c $(pkg-config --cflags --libs tilewright_poplibs)
 *     ./a.out digits [EPOCHS]
 *
 * prints: more than nine in ten were told: yes
 */
#include <stdlib.h>
#include <tilewright/poplibs.h>
#include <tilewright/tilewright.h>

enum { BATCH = 50, POINTS = 28 * 28, CLASSES = 10, EPOCHS = 12 };

/* --- files ---------------------------------------------------------------------------------------------------- */

typedef struct digits {
    unsigned count;
    float *points;    /* [count][POINTS], from 0 to 1 */
    unsigned *labels; /* [count] */
} digits;

static unsigned big_endian(const unsigned char *b)
{
    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

/* Content of FOLDER/NAME, `item` bytes for each of *count, behind a header of `header` bytes; NULL with a message. */
static unsigned char *read_file(const char *folder, const char *name, unsigned magic, size_t header, size_t item,
                                unsigned *count)
{
    char path[4096];
    unsigned char head[16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = NULL;
    if (f && fread(head, 1, header, f) == header && big_endian(head) == magic) {
        *count = big_endian(head + 4);
        bytes = *count > 0 && *count < 1u << 20 ? malloc(*count * item) : NULL;
        if (bytes && fread(bytes, item, *count, f) != *count) free(bytes), bytes = NULL;
    }
    if (f) fclose(f);
    if (!bytes) fprintf(stderr, "mnist: %s is not there, or no file of MNIST\n", path);
    return bytes;
}

static int read_digits(const char *folder, const char *set, digits *into)
{
    char name[64];
    unsigned labels = 0;
    snprintf(name, sizeof name, "%s-images-idx3-ubyte", set);
    unsigned char *points = read_file(folder, name, 2051, 16, POINTS, &into->count);
    snprintf(name, sizeof name, "%s-labels-idx1-ubyte", set);
    unsigned char *said = points ? read_file(folder, name, 2049, 8, 1, &labels) : NULL;
    int fine = said && labels == into->count;
    if (fine) {
        into->points = malloc(into->count * POINTS * sizeof *into->points);
        into->labels = malloc(into->count * sizeof *into->labels);
        fine = into->points && into->labels;
    }
    for (size_t i = 0; fine && i < (size_t)into->count * POINTS; i++) into->points[i] = (float)points[i] / 255;
    for (size_t i = 0; fine && i < into->count; i++) into->labels[i] = said[i] % CLASSES;
    free(points);
    free(said);
    return fine;
}

/* --- the model ------------------------------------------------------------------------------------------------ */

typedef struct model {
    tw_graph *g;
    tw_tensor points, labels, weights, guess, correct;
} model;

static void model_guess(model *m, tw_program p)
{
    tw_tensor scores = tw_poplin_matmul(m->g, m->points, m->weights, TW_TYPE_NONE, p, "scores", NULL);
    m->guess = tw_popnn_non_linearity(m->g, TW_NL_SOFTMAX_STABLE, scores, p, "guess");
}

/* weights -= rate * points' (guess - expected) */
static void model_learn(model *m, tw_program p)
{
    tw_graph *g = m->g;
    tw_tensor loss = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ BATCH }, "loss");
    tw_tensor slope = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ BATCH, CLASSES }, "slope");
    tw_poputil_map_linearly(g, loss);
    tw_poputil_map_linearly(g, slope);
    model_guess(m, p);
    tw_popnn_loss(g, m->guess, m->labels, loss, slope, TW_LOSS_CROSS_ENTROPY, NULL, p, "loss");
    tw_poplin_matmul_accumulate(g, m->weights, (tw_scale){ .number = -0.25 / BATCH },
                                tw_tensor_transpose(g, m->points), slope, p, "learn", NULL);
}

static void model_build(model *m, tw_program programs[2])
{
    tw_graph *g = m->g;
    size_t pictures[] = { BATCH, POINTS }, weights[] = { POINTS, CLASSES };
    m->points = tw_poplin_create_matmul_lhs(g, TW_FLOAT, 2, pictures, weights, "points", NULL);
    m->weights = tw_poplin_create_matmul_rhs(g, TW_FLOAT, 2, pictures, weights, "weights", NULL);
    m->labels = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, pictures, "labels");
    m->correct = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "correct");
    tw_poputil_map_linearly(g, m->labels);
    tw_graph_map(g, m->correct, 0);
    programs[0] = tw_program_sequence(g, "learn");
    model_learn(m, programs[0]);
    programs[1] = tw_program_sequence(g, "test");
    model_guess(m, programs[1]);
    tw_popnn_accuracy(g, m->guess, m->labels, m->correct, programs[1], "accuracy");
    tw_graph_create_host_write(g, "points", m->points);
    tw_graph_create_host_write(g, "labels", m->labels);
    tw_graph_create_host_write(g, "weights", m->weights);
    tw_graph_create_host_write(g, "none", m->correct);
    tw_graph_create_host_read(g, "correct", m->correct);
}

/* Whole batches of a set through one of the programs. */
static tw_status model_run(tw_engine *e, const digits *set, unsigned program)
{
    tw_status status = TW_OK;
    for (unsigned at = 0; at + BATCH <= set->count && status == TW_OK; at += BATCH) {
        tw_engine_write(e, "points", set->points + (size_t)at * POINTS, BATCH * POINTS * sizeof(float));
        tw_engine_write(e, "labels", set->labels + at, BATCH * sizeof(unsigned));
        status = tw_engine_run(e, program);
    }
    return status;
}

int main(int argc, char **argv)
{
    static float weights[POINTS * CLASSES]; /* zeros to begin with */
    digits train = { 0 }, test = { 0 };
    if (argc < 2) return fprintf(stderr, "mnist FOLDER [EPOCHS]\n"), 2;
    if (!read_digits(argv[1], "train", &train) || !read_digits(argv[1], "t10k", &test)) return 1;
    int epochs = argc > 2 ? atoi(argv[2]) : EPOCHS;
    unsigned correct = 0, tested = test.count / BATCH * BATCH;
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    model m = { .g = tw_graph_new(tw_device_target(dev)) };
    tw_program programs[2];
    model_build(&m, programs);
    tw_engine *e = tw_engine_new_programs(m.g, 2, programs, NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_write(e, "weights", weights, sizeof weights);
    tw_engine_write(e, "none", &correct, sizeof correct);
    tw_status status = TW_OK;
    for (int i = 0; i < epochs && status == TW_OK; i++) status = model_run(e, &train, 0);
    if (status == TW_OK) status = model_run(e, &test, 1);
    if (status != TW_OK) return tw_engine_report_error(stderr, e), 1;
    tw_engine_read(e, "correct", &correct, sizeof correct);
    printf("%u of %u new digits after %d epochs\n", correct, tested, epochs);
    printf("more than nine in ten were told: %s\n", correct * 10 > tested * 9 ? "yes" : "no");
    tw_engine_free(e);
    tw_graph_free(m.g);
    tw_device_free(dev);
    free(train.points), free(train.labels), free(test.points), free(test.labels);
    return correct * 10 <= tested * 9;
}
