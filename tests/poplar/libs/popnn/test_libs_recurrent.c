/* SPDX-License-Identifier: MIT */
/* Recurrent layers against loops in double, their gradients against differences of these loops; options, errors. */
#include "poplar/libs/libs_run.h"

enum { MOST_NUMBERS = 1200, MOST_SET = 400 };

static void no_error(tw_graph *g)
{
    if (tw_graph_status(g)) fail_msg("%s: %s", tw_graph_error(g)->function, tw_graph_error(g)->message);
}

/* --- the reference -------------------------------------------------------------------------------------------- */

/* Everything a layer reads, in double; sets that gradients exist of. */
enum { SET_X, SET_H, SET_C, SET_W, SET_U, SET_B, SET_A, SETS };
typedef struct numbers {
    double set[SETS][MOST_SET];
    size_t count[SETS];
    double out_gradient[MOST_SET], cell_gradient[MOST_SET];
    uint32_t real[8];
} numbers;

static double act(tw_non_linearity type, double x)
{
    switch ((int)type) {
    case TW_NL_SIGMOID: return 1 / (1 + exp(-x));
    case TW_NL_HARD_SIGMOID: return fmax(0, fmin(1, 0.2 * x + 0.5));
    case TW_NL_RELU: return fmax(0, x);
    default: return tanh(x);
    }
}

static size_t gates_of(tw_recurrent_kind kind)
{
    return kind == TW_RECURRENT_PLAIN ? 1 : kind == TW_RECURRENT_LSTM ? 4 : 3;
}

/* Where the weights of a gate stand. */
static size_t place(const tw_recurrent *l, unsigned gate)
{
    size_t at = 0, gates = gates_of(l->kind);
    bool given = false;
    for (size_t i = 0; i < gates; i++) given |= l->order[i] != 0;
    if (!given) return gate;
    while (l->order[at] != gate) at++;
    return at;
}

/* W x, U h and biases of one gate and output. */
static double from_x(const tw_recurrent *l, const numbers *v, unsigned gate, size_t t, size_t b, size_t o)
{
    double sum = 0;
    for (size_t i = 0; i < l->input; i++)
        sum += v->set[SET_X][(t * l->batch + b) * l->input + i] *
               v->set[SET_W][(place(l, gate) * l->input + i) * l->output + o];
    return sum;
}
static double from_h(const tw_recurrent *l, const numbers *v, unsigned gate, const double *h, size_t o)
{
    double sum = 0;
    for (size_t i = 0; i < l->output; i++)
        sum += h[i] * v->set[SET_U][(place(l, gate) * l->output + i) * l->output + o];
    return sum;
}
static double bias(const tw_recurrent *l, const numbers *v, unsigned gate, size_t which, size_t o)
{
    bool two = l->kind == TW_RECURRENT_GRU_RESET_AFTER;
    return v->set[SET_B][(place(l, gate) * (two ? 2 : 1) + which) * l->output + o];
}

static void reference_step(const tw_recurrent *l, const numbers *v, size_t t, size_t b, double *h, double *c)
{
    double next[16], gate[4][16], reset[16];
    size_t n = l->output;
    tw_non_linearity R = l->recurrent_activation, A = l->activation;
    for (size_t o = 0; o < n && l->kind == TW_RECURRENT_PLAIN; o++)
        next[o] = act(A, from_x(l, v, 0, t, b, o) + from_h(l, v, 0, h, o) + bias(l, v, 0, 0, o));
    for (size_t o = 0; o < n && l->kind == TW_RECURRENT_LSTM; o++) {
        for (unsigned k = 0; k < 4; k++)
            gate[k][o] = act(k == TW_LSTM_CANDIDATE ? A : R,
                             from_x(l, v, k, t, b, o) + from_h(l, v, k, h, o) + bias(l, v, k, 0, o));
        c[o] = gate[TW_LSTM_FORGET][o] * c[o] + gate[TW_LSTM_INPUT][o] * gate[TW_LSTM_CANDIDATE][o];
        next[o] = gate[TW_LSTM_OUTPUT][o] * act(A, c[o]);
    }
    if (l->kind >= TW_RECURRENT_GRU) {
        bool after = l->kind == TW_RECURRENT_GRU_RESET_AFTER;
        for (size_t o = 0; o < n; o++) {
            for (unsigned k = 0; k < 2; k++)
                gate[k][o] = act(R, from_x(l, v, k, t, b, o) + from_h(l, v, k, h, o) + bias(l, v, k, 0, o) +
                                        (after ? bias(l, v, k, 1, o) : 0));
            reset[o] = gate[TW_GRU_RESET][o] * h[o];
        }
        for (size_t o = 0; o < n; o++) {
            double x = from_x(l, v, 2, t, b, o) + bias(l, v, 2, 0, o);
            double z = after ? gate[TW_GRU_RESET][o] * (from_h(l, v, 2, h, o) + bias(l, v, 2, 1, o))
                             : from_h(l, v, 2, reset, o);
            double u = gate[TW_GRU_UPDATE][o];
            if (v->count[SET_A]) u *= 1 - v->set[SET_A][t * l->batch + b];
            next[o] = u * h[o] + (1 - u) * act(A, x + z);
        }
    }
    memcpy(h, next, n * sizeof *h);
}

/* Outputs [steps][batch][output] (or the last), and what is left of the cells. Returns the sum of gradients times
 * results, whose gradients are those of the passes. */
static double reference(const tw_recurrent *l, const numbers *v, bool masks, double *out, double *cell)
{
    double loss = 0;
    size_t n = l->output;
    for (size_t b = 0; b < l->batch; b++) {
        double h[16], c[16] = { 0 };
        for (size_t o = 0; o < n; o++) h[o] = v->set[SET_H][b * n + o];
        for (size_t o = 0; o < n && l->kind == TW_RECURRENT_LSTM; o++) c[o] = v->set[SET_C][b * n + o];
        for (size_t t = 0; t < l->steps; t++) {
            bool counts = !masks || t < v->real[b];
            if (counts) reference_step(l, v, t, b, h, c);
            for (size_t o = 0; o < n && !l->last_only; o++) {
                size_t at = (t * l->batch + b) * n + o;
                out[at] = counts ? h[o] : 0;
                loss += out[at] * v->out_gradient[at];
            }
        }
        for (size_t o = 0; o < n; o++) {
            if (l->last_only) out[b * n + o] = h[o], loss += h[o] * v->out_gradient[b * n + o];
            cell[b * n + o] = c[o], loss += c[o] * v->cell_gradient[b * n + o];
        }
    }
    return loss;
}

/* --- runs ----------------------------------------------------------------------------------------------------- */

typedef struct layer_case {
    tw_recurrent layer;
    bool masks, cell_gradient, attention;
    int way; /* of mapping; MAPPINGS: variables of the layer's own */
} layer_case;

/* Results by name. */
typedef struct results {
    char out[MOST_SET * 4], cell[MOST_SET * 4], back[SETS][MOST_SET * 4];
} results;

static tw_tensor mapped(tw_graph *g, tw_type type, unsigned rank, const size_t *shape, int way, lcg *r)
{
    tw_tensor t = tw_graph_add_variable(g, type, rank, shape, "t");
    map_somehow(g, t, way, r);
    return t;
}

static void layer_run(const layer_case *k, tw_device *dev, const numbers *v, results *to)
{
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_recurrent l = k->layer;
    lcg r = { 5 };
    bool lstm = l.kind == TW_RECURRENT_LSTM, two = l.kind == TW_RECURRENT_GRU_RESET_AFTER;
    size_t gates = gates_of(l.kind), x_shape[] = { l.steps, l.batch, l.input };
    size_t state[] = { l.steps, l.batch, l.output };
    if (k->attention) l.attention = mapped(g, l.type, 2, x_shape, (k->way + 2) % MAPPINGS, &r);
    if (k->masks) l.real_steps = mapped(g, TW_UNSIGNED_INT, 1, &l.batch, 0, &r);
    tw_tensor x;
    tw_recurrent_state start;
    tw_recurrent_weights w;
    if (k->way == MAPPINGS) {
        x = tw_popnn_recurrent_input(g, &l, "x", NULL);
        start = tw_popnn_recurrent_state(g, &l, "start", NULL);
        w = tw_popnn_recurrent_weights(g, &l, "w", NULL);
    } else {
        x = mapped(g, l.type, 3, x_shape, k->way, &r);
        start.output = mapped(g, l.type, 2, state + 1, (k->way + 1) % MAPPINGS, &r);
        start.cell = lstm ? mapped(g, l.type, 2, state + 1, k->way, &r) : (tw_tensor){ 0, 0 };
        w.input = mapped(g, l.type, 3, (size_t[]){ gates, l.input, l.output }, (k->way + 1) % MAPPINGS, &r);
        w.output = mapped(g, l.type, 3, (size_t[]){ gates, l.output, l.output }, k->way, &r);
        w.biases = two ? mapped(g, l.type, 3, (size_t[]){ gates, 2, l.output }, k->way, &r)
                       : mapped(g, l.type, 2, (size_t[]){ gates, l.output }, k->way, &r);
    }
    tw_tensor slope = mapped(g, l.type, l.last_only ? 2 : 3, state + l.last_only, 0, &r), last = { 0, 0 };
    if (k->cell_gradient) last = mapped(g, l.type, 2, state + 1, 1, &r);
    tw_program p = tw_program_sequence(g, NULL);
    tw_recurrent_run run = tw_popnn_recurrent_forward(g, &l, start, w, x, true, p, "run", NULL);
    tw_recurrent_deltas d = tw_popnn_recurrent_backward(g, &l, w, run.saved, slope, last, p, "back", NULL);
    tw_tensor scores = l.attention;
    if (k->way) l.attention = (tw_tensor){ 0, 0 }; /* it is not needed any more */
    tw_recurrent_weights dw = tw_popnn_recurrent_update(g, &l, x, run.saved, d.deltas, p, "dw", NULL);
    no_error(g);
    assert_int_equal(d.input.id != 0, !l.no_input_gradient);
    tw_tensor in[] = { x, start.output, start.cell, w.input, w.output, w.biases, scores };
    tw_tensor back[] = { d.input, d.start.output, d.start.cell, dw.input, dw.output, dw.biases, d.attention };
    static char data[SETS + 2][MOST_SET * 4];
    io list[IO_MOST];
    size_t n = 0, width = tw_type_size(l.type);
    for (int s = 0; s < SETS; s++) {
        if (!in[s].id) continue;
        assert_int_equal(tw_tensor_elements(g, in[s]), v->count[s]);
        for (size_t i = 0; i < v->count[s]; i++) tw_type_store(l.type, data[s] + i * width, v->set[s][i]);
        list[n++] = (io){ in[s], data[s], false };
        if (!back[s].id) continue;
        assert_memory_equal(tw_tensor_shape(g, back[s]), tw_tensor_shape(g, in[s]),
                            tw_tensor_rank(g, in[s]) * sizeof(size_t));
        list[n++] = (io){ back[s], to->back[s], true };
    }
    for (size_t i = 0; i < tw_tensor_elements(g, slope); i++)
        tw_type_store(l.type, data[SETS] + i * width, v->out_gradient[i]);
    list[n++] = (io){ slope, data[SETS], false };
    for (size_t i = 0; last.id && i < l.batch * l.output; i++)
        tw_type_store(l.type, data[SETS + 1] + i * width, v->cell_gradient[i]);
    if (last.id) list[n++] = (io){ last, data[SETS + 1], false };
    if (k->masks) list[n++] = (io){ l.real_steps, (void *)(uintptr_t)v->real, false };
    list[n++] = (io){ run.output, to->out, true };
    if (lstm) list[n++] = (io){ run.last.cell, to->cell, true };
    run_once(g, dev, p, n, list);
    tw_graph_free(g);
}

/* --- comparisons ---------------------------------------------------------------------------------------------- */

static void near_enough(const char *what, const tw_recurrent *l, size_t at, double seen, double want, double room)
{
    if (!(fabs(seen - want) <= room * (1 + fabs(want))))
        fail_msg("kind %d, %s[%zu]: %.9g, not %.9g", (int)l->kind, what, at, seen, want);
}

static void layer_compare(const layer_case *k, numbers *v, const results *r)
{
    static const char *const names[] = { "input", "start", "start cell", "W", "U", "biases", "attention" };
    const tw_recurrent *l = &k->layer;
    static double out[MOST_SET], cell[MOST_SET], ignored[MOST_SET];
    size_t width = tw_type_size(l->type);
    double room = l->type == TW_HALF ? 4e-3 : 3e-6;
    reference(l, v, k->masks, out, cell);
    for (size_t i = 0; i < (l->last_only ? 1 : l->steps) * l->batch * l->output; i++)
        near_enough("output", l, i, tw_type_load(l->type, r->out + i * width), out[i], room);
    for (size_t i = 0; l->kind == TW_RECURRENT_LSTM && i < l->batch * l->output; i++)
        near_enough("cell", l, i, tw_type_load(l->type, r->cell + i * width), cell[i], room);
    for (int s = 0; s < SETS; s++)
        for (size_t i = 0; i < v->count[s] && !(s == SET_X && l->no_input_gradient); i++) {
            const double step = 1e-5, was = v->set[s][i];
            v->set[s][i] = was + step;
            double up = reference(l, v, k->masks, out, ignored);
            v->set[s][i] = was - step;
            double down = reference(l, v, k->masks, out, ignored);
            v->set[s][i] = was;
            near_enough(names[s], l, i, tw_type_load(l->type, r->back[s] + i * width), (up - down) / (2 * step),
                        l->type == TW_HALF ? 0.02 : 2e-5);
        }
}

static void draw_numbers(const layer_case *k, numbers *v, lcg *r)
{
    const tw_recurrent *l = &k->layer;
    size_t gates = gates_of(l->kind), state = l->batch * l->output;
    size_t counts[SETS] = { l->steps * l->batch * l->input,
                            state,
                            l->kind == TW_RECURRENT_LSTM ? state : 0,
                            gates * l->input * l->output,
                            gates * l->output * l->output,
                            gates * l->output * (l->kind == TW_RECURRENT_GRU_RESET_AFTER ? 2 : 1),
                            k->attention ? l->steps * l->batch : 0 };
    memset(v, 0, sizeof *v);
    for (int s = 0; s < SETS; s++) {
        v->count[s] = counts[s];
        assert_true(counts[s] <= MOST_SET);
        for (size_t i = 0; i < counts[s]; i++) v->set[s][i] = draw_real(r, -0.8, 0.8);
    }
    for (size_t i = 0; i < MOST_SET; i++) v->out_gradient[i] = draw_real(r, -1, 1);
    for (size_t i = 0; i < MOST_SET && k->cell_gradient; i++) v->cell_gradient[i] = draw_real(r, -1, 1);
    for (size_t b = 0; b < l->batch; b++) v->real[b] = draw(r, (uint32_t)l->steps + 1);
    char half[2];
    for (int s = 0; s < SETS && l->type == TW_HALF; s++) /* what the device gets */
        for (size_t i = 0; i < v->count[s]; i++)
            tw_type_store(TW_HALF, half, v->set[s][i]), v->set[s][i] = tw_type_load(TW_HALF, half);
    for (size_t i = 0; i < MOST_SET && l->type == TW_HALF; i++) {
        tw_type_store(TW_HALF, half, v->out_gradient[i]), v->out_gradient[i] = tw_type_load(TW_HALF, half);
        tw_type_store(TW_HALF, half, v->cell_gradient[i]), v->cell_gradient[i] = tw_type_load(TW_HALF, half);
    }
}

static void shuffle(unsigned *order, unsigned n, lcg *r)
{
    for (unsigned i = 0; i < n; i++) order[i] = i;
    for (unsigned i = n; i-- > 1;) {
        unsigned k = draw(r, i + 1), was = order[i];
        order[i] = order[k], order[k] = was;
    }
}

/* Case i of a kind: shapes at random, each choice in turn. */
static void check_kind(tw_recurrent_kind kind, bool attention)
{
    static const tw_non_linearity pairs[][2] = { { TW_NL_TANH, TW_NL_SIGMOID },
                                                 { TW_NL_TANH, TW_NL_HARD_SIGMOID },
                                                 { TW_NL_SIGMOID, TW_NL_TANH } };
    lcg r = { 100 + (uint64_t)kind };
    static numbers v;
    static results seen;
    for (int i = 0; i < 8; i++) {
        layer_case k = { .layer = tw_popnn_recurrent(kind, i % 4 == 3 ? TW_HALF : TW_FLOAT, 1 + draw(&r, 3),
                                                     1 + draw(&r, 4), 1 + draw(&r, 5), 1 + draw(&r, 6)),
                         .masks = i % 3 == 2,
                         .cell_gradient = kind == TW_RECURRENT_LSTM && i % 2,
                         .attention = attention,
                         .way = i % (MAPPINGS + 1) };
        k.layer.activation = pairs[i % 3][0], k.layer.recurrent_activation = pairs[i % 3][1];
        k.layer.last_only = i % 5 == 1, k.layer.no_input_gradient = i == 6;
        if (i % 2) shuffle(k.layer.order, (unsigned)gates_of(kind), &r);
        draw_numbers(&k, &v, &r);
        tw_device *dev = i % 2 ? model_device(7, 1) : tw_device_cpu_accurate_half();
        layer_run(&k, dev, &v, &seen);
        layer_compare(&k, &v, &seen);
        tw_device_free(dev);
    }
}

static void libs_recurrent_plain(void **state)
{
    (void)state;
    check_kind(TW_RECURRENT_PLAIN, false);
}
static void libs_recurrent_lstm(void **state)
{
    (void)state;
    check_kind(TW_RECURRENT_LSTM, false);
}
static void libs_recurrent_gru(void **state)
{
    (void)state;
    check_kind(TW_RECURRENT_GRU, false);
}
static void libs_recurrent_gru_after(void **state)
{
    (void)state;
    check_kind(TW_RECURRENT_GRU_RESET_AFTER, false);
}
static void libs_recurrent_attention(void **state)
{
    (void)state;
    check_kind(TW_RECURRENT_GRU, true);
    check_kind(TW_RECURRENT_GRU_RESET_AFTER, true);
}

/* relu: where derivatives do not jump. */
static void libs_recurrent_relu(void **state)
{
    (void)state;
    lcg r = { 9 };
    static numbers v;
    static results seen;
    layer_case k = { .layer = tw_popnn_recurrent(TW_RECURRENT_PLAIN, TW_FLOAT, 2, 3, 3, 4) };
    k.layer.activation = TW_NL_RELU;
    draw_numbers(&k, &v, &r);
    tw_device *dev = model_device(4, 1);
    layer_run(&k, dev, &v, &seen);
    layer_compare(&k, &v, &seen);
    tw_device_free(dev);
}

/* Two per multiply-add, and the operations of the equations. */
static void libs_recurrent_flops(void **state)
{
    (void)state;
    tw_recurrent l = tw_popnn_recurrent(TW_RECURRENT_LSTM, TW_FLOAT, 2, 5, 3, 4);
    uint64_t rows = 10, products = 2 * rows * 4 * 4 * (3 + 4);
    assert_int_equal(tw_popnn_recurrent_flops(&l, TW_RECURRENT_FORWARD), products + rows * 4 * (4 * 3 + 5));
    assert_int_equal(tw_popnn_recurrent_flops(&l, TW_RECURRENT_UPDATE), products + rows * 4 * 4);
    assert_true(tw_popnn_recurrent_flops(&l, TW_RECURRENT_BACKWARD) > products);
    l.no_input_gradient = true;
    assert_true(tw_popnn_recurrent_flops(&l, TW_RECURRENT_BACKWARD) < products);
    assert_int_equal(tw_popnn_recurrent_flops(NULL, TW_RECURRENT_FORWARD), 0);
}

static void libs_recurrent_refused(void **state)
{
    (void)state;
    tw_device *dev = model_device(4, 1);
    tw_graph *g = tw_graph_new(tw_device_target(dev));
    tw_recurrent l = tw_popnn_recurrent(TW_RECURRENT_LSTM, TW_FLOAT, 2, 5, 3, 4), bad;
    tw_tensor x = tw_popnn_recurrent_input(g, &l, "x", NULL);
    tw_recurrent_state start = tw_popnn_recurrent_state(g, &l, "start", NULL), none = { { 0, 0 }, { 0, 0 } };
    tw_recurrent_weights w = tw_popnn_recurrent_weights(g, &l, "w", NULL), wrong = w;
    tw_program p = tw_program_sequence(g, NULL);
    wrong.output = w.input;
    uint64_t before = graph_hash(g);
#define FORWARD(layer, s, weights, in, options) \
    tw_popnn_recurrent_forward(g, layer, s, weights, in, true, p, NULL, options)
    FORWARD(&l, start, wrong, x, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_forward", "weights of outputs", "[4, 4, 4]", "[4, 3, 4]",
                 "'w/inputWeights'", NULL);
    FORWARD(&l, start, w, start.output, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_forward", "inputs of the LSTM", "float[5, 2, 3]",
                 "float[2, 4]", NULL);
    FORWARD(&l, none, w, x, NULL);
    assert_int_not_equal(tw_graph_take_error(g, NULL), TW_OK);
    bad = l, bad.order[0] = 2;
    FORWARD(&bad, start, w, x, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_forward", "each of its gates once", NULL);
    bad = l, bad.activation = TW_NL_GELU;
    FORWARD(&bad, start, w, x, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_forward", "tanh as its activations", NULL);
    bad = l, bad.kind = (tw_recurrent_kind)9;
    tw_popnn_recurrent_weights(g, &bad, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_weights", "no kind", NULL);
    bad = l, bad.steps = 0;
    tw_popnn_recurrent_input(g, &bad, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_input", "0 steps", "nothing to do", NULL);
    bad = l, bad.type = TW_INT;
    tw_popnn_recurrent_state(g, &bad, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_state", "float or half", NULL);
    bad = l, bad.attention = start.output;
    FORWARD(&bad, start, w, x, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_forward", "attention, which is for GRU", NULL);
    bad.kind = TW_RECURRENT_GRU;
    FORWARD(&bad, start, w, x, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_forward", "attention are float[5, 2]", "float[2, 4]", NULL);
    bad = l, bad.real_steps = start.output;
    FORWARD(&bad, start, w, x, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_forward", "unsigned int[1] or [2]", "float[2, 4]", NULL);
    FORWARD(&l, start, w, x, ((const char *const[]){ "numShard=1", NULL }));
    refused_with(g, TW_E_INVALID_OPTION, "tw_popnn_recurrent_forward", "numShard", "numShards", NULL);
    tw_popnn_recurrent_backward(g, &l, w, x, x, start.cell, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_backward", "saved values", "[5, 7, 2, 4]", NULL);
    tw_popnn_recurrent_update(g, &l, x, x, x, p, NULL, NULL);
    refused_with(g, TW_E_POPLIBS, "tw_popnn_recurrent_update", "saved values", "[5, 7, 2, 4]", NULL);
    assert_int_equal(graph_hash(g), before);
    tw_graph_free(g);
    tw_device_free(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libs_recurrent_plain),     cmocka_unit_test(libs_recurrent_lstm),
        cmocka_unit_test(libs_recurrent_gru),       cmocka_unit_test(libs_recurrent_gru_after),
        cmocka_unit_test(libs_recurrent_attention), cmocka_unit_test(libs_recurrent_relu),
        cmocka_unit_test(libs_recurrent_flops),     cmocka_unit_test(libs_recurrent_refused),
    };
    return cmocka_run_group_tests_name("libs_recurrent", tests, NULL, NULL);
}
