/* SPDX-License-Identifier: MIT */
/* A small convolutional net that tells shapes apart, trained by gradient descent on pictures that it draws itself:
 * convolution, rectifier, pooling, a dense layer, cross entropy, and all of it backwards.
 *
 *     cc conv_net.c $(pkg-config --cflags --libs tilewright_poplibs)
 *
 * prints: of 64 new pictures more than nine in ten were told: yes
 */
#include <tilewright/poplibs.h>
#include <tilewright/tilewright.h>

enum {
    BATCH = 64,
    SIZE = 12,
    CHANNELS = 8,
    POOLED = 3,
    CLASSES = 3,
    STEPS = 100,
    FEATURES = CHANNELS * POOLED * POOLED
};

static float noise(unsigned *state) /* from 0 to 1 */
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 24);
}

/* A frame, a cross or a diagonal of 5 x 5 points somewhere, on a noisy ground. */
static void draw(float picture[SIZE][SIZE], unsigned shape, unsigned *state)
{
    int top = (int)(noise(state) * (SIZE - 5)), left = (int)(noise(state) * (SIZE - 5));
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) picture[y][x] = 0.4f * noise(state);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            int frame = i == 0 || i == 4 || j == 0 || j == 4, cross = i == 2 || j == 2, diagonal = i == j;
            if (shape == 0 ? frame : shape == 1 ? cross : diagonal) picture[top + i][left + j] += 0.8f;
        }
}

static void draw_all(float pictures[BATCH][SIZE][SIZE], unsigned labels[BATCH], unsigned *state)
{
    for (unsigned i = 0; i < BATCH; i++) draw(pictures[i], labels[i] = i % CLASSES, state);
}

/* --- the net -------------------------------------------------------------------------------------------------- */

typedef struct net {
    tw_graph *g;
    tw_conv_params conv;
    tw_pool_params pool;
    tw_tensor pictures, labels, kernels, biases, dense;       /* what it reads and learns */
    tw_tensor sums, active, pooled, features, guess, correct; /* what it computes */
} net;

static void forward(net *n, tw_program p)
{
    tw_graph *g = n->g;
    n->sums = tw_poplin_convolution(g, n->pictures, n->kernels, &n->conv, false, p, "conv", NULL);
    if (!n->biases.id) n->biases = tw_poplin_create_biases(g, n->sums, "biases");
    tw_poplin_add_bias(g, n->sums, n->biases, p, "bias");
    n->active = tw_popnn_non_linearity(g, TW_NL_RELU, n->sums, p, "relu");
    n->pooled = tw_popnn_pool(g, &n->pool, n->active, p, "pool", NULL);
    n->features = tw_tensor_reshape(g, n->pooled, 2, (size_t[]){ BATCH, FEATURES });
    tw_tensor scores = tw_poplin_matmul(g, n->features, n->dense, TW_TYPE_NONE, p, "scores", NULL);
    n->guess = tw_popnn_non_linearity(g, TW_NL_SOFTMAX_STABLE, scores, p, "guess");
}

/* What is left is the way back, with each parameter moved by -rate times its gradient. */
static void train(net *n, tw_program p)
{
    tw_graph *g = n->g;
    const tw_scale rate = { .number = -0.2 / BATCH };
    tw_tensor loss = tw_graph_add_variable(g, TW_FLOAT, 1, (size_t[]){ BATCH }, "loss");
    tw_tensor slope = tw_graph_add_variable(g, TW_FLOAT, 2, (size_t[]){ BATCH, CLASSES }, "slope");
    tw_poputil_map_linearly(g, loss);
    tw_poputil_map_linearly(g, slope);
    forward(n, p);
    tw_popnn_loss(g, n->guess, n->labels, loss, slope, TW_LOSS_CROSS_ENTROPY, NULL, p, "loss");
    tw_tensor back = tw_poplin_matmul(g, slope, tw_tensor_transpose(g, n->dense), TW_TYPE_NONE, p, "back", NULL);
    tw_poplin_matmul_accumulate(g, n->dense, rate, tw_tensor_transpose(g, n->features), slope, p, "dense", NULL);
    back = tw_tensor_reshape(g, back, 4, (size_t[]){ BATCH, CHANNELS, POOLED, POOLED });
    back = tw_popnn_pool_max_gradient(g, &n->pool, n->active, n->pooled, back, true, p, "unpool", NULL);
    back = tw_popnn_non_linearity_gradient(g, TW_NL_RELU, n->active, back, p, "unrelu");
    tw_poplin_conv_weight_update(g, back, n->kernels, n->pictures, &n->conv, rate, p, "kernels", NULL);
    tw_poplin_conv_bias_update(g, back, n->biases, rate, p, "biases", NULL);
}

static void build(net *n, tw_program programs[2])
{
    tw_graph *g = n->g;
    n->conv = (tw_conv_params){ .input_type = TW_FLOAT,
                                .batch = BATCH,
                                .in_channels = 1,
                                .out_channels = CHANNELS,
                                .dims = 2,
                                .field = { SIZE, SIZE },
                                .kernel = { 5, 5 } };
    for (int d = 0; d < 2; d++) n->conv.input[d].padding_lower = n->conv.input[d].padding_upper = 2;
    n->pool = (tw_pool_params){ .type = TW_POOL_MAX,
                                .data_type = TW_FLOAT,
                                .batch = BATCH,
                                .channels = CHANNELS,
                                .dims = 2,
                                .field = { SIZE, SIZE },
                                .kernel = { 4, 4 },
                                .stride = { 4, 4 } };
    n->pictures = tw_poplin_create_conv_input(g, &n->conv, "pictures", NULL);
    n->kernels = tw_poplin_create_conv_weights(g, &n->conv, "kernels", NULL);
    n->dense = tw_poplin_create_matmul_rhs(g, TW_FLOAT, 2, (size_t[]){ BATCH, FEATURES },
                                           (size_t[]){ FEATURES, CLASSES }, "dense", NULL);
    n->labels = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, (size_t[]){ BATCH }, "labels");
    n->correct = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "correct");
    tw_poputil_map_linearly(g, n->labels);
    tw_graph_map(g, n->correct, 0);
    programs[0] = tw_program_sequence(g, "training");
    train(n, programs[0]);
    programs[1] = tw_program_sequence(g, "test");
    tw_popops_zero(g, n->correct, programs[1], "none");
    forward(n, programs[1]);
    tw_popnn_accuracy(g, n->guess, n->labels, n->correct, programs[1], "accuracy");
}

/* --- its life ------------------------------------------------------------------------------------------------- */

int main(void)
{
    static float pictures[BATCH][SIZE][SIZE], kernels[CHANNELS * 25], biases[CHANNELS], dense[FEATURES * CLASSES];
    unsigned labels[BATCH], correct = 0, state = 1;
    tw_device *dev = tw_device_by_name(NULL, TW_MK2, 1);
    net n = { .g = tw_graph_new(tw_device_target(dev)) };
    tw_program programs[2];
    build(&n, programs);
    const struct {
        const char *name;
        tw_tensor tensor;
        void *data;
        size_t bytes;
    } io[] = { { "kernels", n.kernels, kernels, sizeof kernels },
               { "biases", n.biases, biases, sizeof biases },
               { "dense", n.dense, dense, sizeof dense },
               { "pictures", n.pictures, pictures, sizeof pictures },
               { "labels", n.labels, labels, sizeof labels } };
    for (size_t i = 0; i < sizeof io / sizeof *io; i++) tw_graph_create_host_write(n.g, io[i].name, io[i].tensor);
    tw_graph_create_host_read(n.g, "correct", n.correct);
    tw_engine *e = tw_engine_new_programs(n.g, 2, programs, NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) kernels[i] = 0.4f * noise(&state) - 0.2f;
    for (size_t i = 0; i < sizeof dense / sizeof *dense; i++) dense[i] = 0.1f * noise(&state) - 0.05f;
    for (int step = 0; step <= STEPS; step++) { /* new pictures each time; the last ones are for the test */
        draw_all(pictures, labels, &state);
        for (size_t i = step ? 3 : 0; i < 5; i++) tw_engine_write(e, io[i].name, io[i].data, io[i].bytes);
        if (tw_engine_run(e, step == STEPS) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    }
    tw_engine_read(e, "correct", &correct, sizeof correct);
    printf("of %d new pictures more than nine in ten were told: %s\n", BATCH,
           correct * 10 > BATCH * 9 ? "yes" : "no");
    tw_engine_free(e);
    tw_graph_free(n.g);
    tw_device_free(dev);
    return correct * 10 <= BATCH * 9;
}
