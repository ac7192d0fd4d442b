/* SPDX-License-Identifier: MIT */
/* An LSTM in C that learns to remember: it reads one bit a step and says after each step whether it has seen an odd
 * number of ones. All of the training is one program on the device: forward, loss, gradients, update.
 *
 *     cc lstm.c $(pkg-config --cflags --libs tilewright_poplibs)
 *
 * prints: 3072 of 3072 right after training
 */
#include <tilewright/poplibs.h>
#include <tilewright/tilewright.h>

#include <stdlib.h>

enum { STEPS = 12, BATCH = 64, HIDDEN = 8, CLASSES = 2, TRAINING = 600, TESTS = 4 };

/* Random bits, and as labels whether the number of ones so far is odd. */
static void make_data(uint32_t *state, float bits[STEPS][BATCH], uint32_t labels[STEPS][BATCH])
{
    for (int b = 0; b < BATCH; b++)
        for (int t = 0, odd = 0; t < STEPS; t++) {
            *state = *state * 1664525u + 1013904223u;
            odd ^= (int)(*state >> 31);
            bits[t][b] = *state >> 31 ? 1 : -1;
            labels[t][b] = (uint32_t)odd;
        }
}

int main(void)
{
    tw_device *dev = tw_device_by_name(getenv("TILEWRIGHT_DEVICE") ? NULL : "cpu", TW_MK2, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_recurrent layer = tw_popnn_recurrent(TW_RECURRENT_LSTM, TW_FLOAT, BATCH, STEPS, 1, HIDDEN);
    layer.no_input_gradient = true;
    tw_tensor x = tw_popnn_recurrent_input(g, &layer, "x", NULL);
    tw_recurrent_weights w = tw_popnn_recurrent_weights(g, &layer, "w", NULL);
    tw_recurrent_state start = tw_popnn_recurrent_state(g, &layer, "start", NULL);
    size_t rows = (size_t)STEPS * BATCH, hidden[] = { rows, HIDDEN }, dense[] = { HIDDEN, CLASSES };
    tw_tensor v = tw_poplin_create_matmul_rhs(g, TW_FLOAT, 2, hidden, dense, "v", NULL);
    tw_tensor labels = tw_graph_add_variable(g, TW_UNSIGNED_INT, 1, &rows, "labels");
    tw_tensor loss = tw_graph_add_variable(g, TW_FLOAT, 1, &rows, "loss");
    tw_tensor right = tw_graph_add_variable(g, TW_UNSIGNED_INT, 0, NULL, "right");
    tw_poputil_map_linearly(g, labels), tw_poputil_map_linearly(g, loss), tw_graph_map(g, right, 0);

    tw_tensor seed =
        tw_graph_add_constant(g, TW_UNSIGNED_INT, 1, (size_t[]){ 2 }, (uint32_t[]){ 5, 6 }, false, "seed");
    tw_graph_map(g, seed, 0);
    tw_program begin = tw_program_sequence(g, "begin");
    tw_tensor list[] = { w.input, w.output, w.biases, v }; /* all that is learnt */
    for (unsigned i = 0; i < 4; i++) {
        tw_tensor drawn = tw_poprand_uniform(g, seed, i, list[i], TW_FLOAT, -0.8, 0.8, begin, "drawn");
        tw_program_sequence_add(g, begin, tw_program_copy(g, drawn, list[i]));
    }
    tw_popops_zero(g, start.output, begin, "start"), tw_popops_zero(g, start.cell, begin, "start");

    /* loss and its gradient from the outputs of all steps */
    tw_program step = tw_program_sequence(g, "step");
    tw_recurrent_run run = tw_popnn_recurrent_forward(g, &layer, start, w, x, true, step, "lstm", NULL);
    tw_tensor h = tw_tensor_reshape(g, run.output, 2, hidden);
    tw_tensor y = tw_popnn_non_linearity(g, TW_NL_SOFTMAX_STABLE,
                                         tw_poplin_matmul(g, h, v, TW_TYPE_NONE, step, "dense", NULL), step, "y");
    tw_tensor dy = tw_graph_clone(g, TW_TYPE_NONE, y, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "dy");
    tw_popnn_loss(g, y, labels, loss, dy, TW_LOSS_CROSS_ENTROPY, &(tw_loss_params){ .correct = right }, step,
                  "loss");
    tw_program check = tw_program_sequence(g, "check"), learn = tw_program_sequence(g, "learn");
    tw_program_sequence_add(g, check, step);
    tw_program_sequence_add(g, learn, step);

    /* gradients of all weights, and a step against them */
    tw_tensor dh = tw_poplin_matmul(g, dy, tw_tensor_transpose(g, v), TW_TYPE_NONE, learn, "dh", NULL);
    tw_tensor dv = tw_poplin_matmul(g, tw_tensor_transpose(g, h), dy, TW_TYPE_NONE, learn, "dv", NULL);
    tw_recurrent_deltas back = tw_popnn_recurrent_backward(
        g, &layer, w, run.saved, tw_tensor_reshape(g, dh, 3, (size_t[]){ STEPS, BATCH, HIDDEN }),
        (tw_tensor){ 0, 0 }, learn, "back", NULL);
    tw_recurrent_weights dw = tw_popnn_recurrent_update(g, &layer, x, run.saved, back.deltas, learn, "dw", NULL);
    tw_tensor slopes[] = { dw.input, dw.output, dw.biases, dv };
    for (int i = 0; i < 4; i++)
        tw_popops_scaled_subtract(g, list[i], (tw_scale){ .number = 1 }, slopes[i],
                                  (tw_scale){ .number = 2.0 / (STEPS * BATCH) }, learn, "update", NULL);

    tw_graph_create_host_write(g, "x", x);
    tw_graph_create_host_write(g, "labels", labels);
    tw_graph_create_host_access(g, "right", right);
    tw_engine *e = tw_engine_new_programs(g, 3, (tw_program[]){ begin, learn, check }, NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    uint32_t state = 1, correct = 0, expected[STEPS][BATCH];
    float bits[STEPS][BATCH];
    tw_engine_run(e, 0);
    for (int i = 0; i < TRAINING + TESTS; i++) {
        make_data(&state, bits, expected);
        tw_engine_write(e, "x", bits, sizeof bits);
        tw_engine_write(e, "labels", expected, sizeof expected);
        if (i == TRAINING) tw_engine_write(e, "right", &correct, sizeof correct); /* 0 */
        if (tw_engine_run(e, i < TRAINING ? 1 : 2) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    }
    tw_engine_read(e, "right", &correct, sizeof correct);
    printf("%u of %d right after training\n", correct, TESTS * STEPS * BATCH);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
