/* SPDX-License-Identifier: MIT */
/* A small transformer in C that learns a text by heart, letter by letter, and writes it: one block of attention and
 * one of two dense layers, trained on the device with Adam. Each of 16 samples of a step is a window of 32 letters;
 * the letter behind each of them is what is to be said.
 *
 *     cc transformer.c $(pkg-config --cflags --libs tilewright_poplibs) -lm
 *
 * prints: what a program does is known before it runs, and a graph of small steps becomes a machine of its
 */
#include <tilewright/poplibs.h>
#include <tilewright/tilewright.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "a tile has its own memory and its own code. tiles compute, then they exchange what "
                           "they have made, then they wait "
                           "for one another. nothing is shared, so nothing has to be locked: a letter that leaves "
                           "a tile arrives when its clock "
                           "says so. what a program does is known before it runs, and a graph of small steps "
                           "becomes a machine of its own. ";
enum {
    BATCH = 16,
    WINDOW = 32,
    ROWS = BATCH * WINDOW,
    WIDTH = 32,
    INNER = 64,
    LETTERS = 32,
    STEPS = 700,
    WRITTEN = 140
};
enum { EMBED, PLACES, QKV, OUT, FIRST, SECOND, READ, WEIGHTS };
static const size_t shapes[WEIGHTS][2] = { { LETTERS, WIDTH }, { WINDOW, WIDTH }, { WIDTH, 3 * WIDTH },
                                           { WIDTH, WIDTH },   { WIDTH, INNER },  { INNER, WIDTH },
                                           { WIDTH, LETTERS } };

static tw_graph *g;
static tw_tensor w[WEIGHTS], dw[WEIGHTS];
#define SHAPE(...)                                                             \
    (unsigned)(sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t)), (size_t[]) \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define MAP(p, expression, ...)                                                            \
    tw_popops_map(g, expression, sizeof((tw_tensor[]){ __VA_ARGS__ }) / sizeof(tw_tensor), \
                  (tw_tensor[]){ __VA_ARGS__ }, p, NULL, NULL)

static tw_tensor product(tw_tensor a, tw_tensor b, tw_program p)
{
    return tw_poplin_matmul(g, a, b, TW_TYPE_NONE, p, NULL, NULL);
}
static tw_tensor turned(tw_tensor t)
{
    return tw_tensor_rank(g, t) == 2 ? tw_tensor_transpose(g, t)
                                     : tw_tensor_dim_shuffle(g, t, (unsigned[]){ 0, 2, 1 });
}
/* Rows of all samples as a matrix for each sample, and back. */
static tw_tensor by_sample(tw_tensor t)
{
    return tw_tensor_reshape(g, t, SHAPE(BATCH, WINDOW, tw_tensor_dim(g, t, 1)));
}
static tw_tensor as_rows(tw_tensor t)
{
    return tw_tensor_reshape(g, t, SHAPE(ROWS, tw_tensor_dim(g, t, 2)));
}
static tw_tensor variable(tw_type type, size_t rows, size_t columns, const char *name)
{
    tw_tensor t = tw_graph_add_variable(g, type, SHAPE(rows, columns), name);
    tw_poputil_map_linearly(g, t);
    return t;
}
static tw_tensor columns(tw_tensor t, size_t part)
{
    return tw_tensor_slice(g, t, 1, part * WIDTH, (part + 1) * WIDTH);
}

/* --- forward, with all that the way back needs ------------------------------------------------------------------ */

typedef struct pass {
    tw_tensor hot, normal_in, deviation_in, heads, scores, mixed, normal, deviation, inner, last, letters;
} pass;

static tw_tensor normalised(tw_tensor x, tw_tensor *deviation, tw_program p)
{
    tw_pair of = tw_popnn_group_statistics(g, x, 1, 1e-5, false, true, p, NULL, NULL);
    *deviation = of.second;
    return tw_popnn_group_whiten(g, x, 1, of.first, of.second, p, NULL, NULL);
}

/* Nothing after a letter counts for it. */
static tw_tensor mask(void)
{
    static float later[WINDOW][WINDOW];
    for (int i = 0; i < WINDOW; i++)
        for (int j = i + 1; j < WINDOW; j++) later[i][j] = -1e4f;
    tw_tensor t = tw_graph_add_constant(g, TW_FLOAT, SHAPE(WINDOW, WINDOW), later, false, "mask");
    tw_graph_map(g, t, 0);
    return t;
}

static pass forward(tw_tensor input, tw_program p)
{
    pass f;
    f.hot = variable(TW_FLOAT, ROWS, LETTERS, "hot");
    tw_popops_one_hot(g, input, f.hot, (tw_tensor){ 0, 0 }, (tw_tensor){ 0, 0 }, p, NULL);
    tw_tensor x = as_rows(MAP(p, "_1 + _2", by_sample(product(f.hot, w[EMBED], p)), w[PLACES]));
    f.normal_in = normalised(x, &f.deviation_in, p);
    f.heads = product(f.normal_in, w[QKV], p);
    tw_tensor q = by_sample(columns(f.heads, 0)), k = by_sample(columns(f.heads, 1)),
              v = by_sample(columns(f.heads, 2));
    tw_tensor scores = MAP(p, "_1 * 0.176776695 + _2", product(q, turned(k), p), mask());
    f.scores = tw_popnn_non_linearity(g, TW_NL_SOFTMAX_STABLE, as_rows(scores), p, NULL);
    f.mixed = as_rows(product(by_sample(f.scores), v, p));
    tw_tensor attended = MAP(p, "_1 + _2", x, product(f.mixed, w[OUT], p));
    f.normal = normalised(attended, &f.deviation, p);
    f.inner = tw_popnn_non_linearity(g, TW_NL_RELU, product(f.normal, w[FIRST], p), p, NULL);
    f.last = MAP(p, "_1 + _2", attended, product(f.inner, w[SECOND], p));
    f.letters = tw_popnn_non_linearity(g, TW_NL_SOFTMAX_STABLE, product(f.last, w[READ], p), p, NULL);
    return f;
}

/* --- back: gradients of all weights ----------------------------------------------------------------------------- */

/* Of a product a w[i]: that of the weights is kept, that of a returned. */
static tw_tensor product_back(tw_tensor a, int i, tw_tensor gradient, tw_program p)
{
    dw[i] = product(turned(a), gradient, p);
    return product(gradient, turned(w[i]), p);
}
static tw_tensor normalised_back(tw_tensor normal, tw_tensor deviation, tw_tensor gradient, tw_program p)
{
    return tw_popnn_group_statistics_gradients(g, normal, gradient, 1, deviation, p, NULL, NULL);
}

/* The gradient of queries, keys and values from that of what attention mixes of the values. */
static tw_tensor attention_back(const pass *f, tw_tensor gradient, tw_program p)
{
    tw_tensor q = by_sample(columns(f->heads, 0)), k = by_sample(columns(f->heads, 1)),
              v = by_sample(columns(f->heads, 2));
    tw_tensor of_scores = as_rows(product(by_sample(gradient), turned(v), p));
    tw_tensor raw = tw_popnn_non_linearity_gradient(g, TW_NL_SOFTMAX_STABLE, f->scores, of_scores, p, NULL);
    tw_tensor d = by_sample(MAP(p, "_1 * 0.176776695", raw));
    tw_tensor dq = as_rows(product(d, k, p)), dk = as_rows(product(turned(d), q, p));
    tw_tensor dv = as_rows(product(turned(by_sample(f->scores)), by_sample(gradient), p));
    return tw_tensor_concat(g, 3, (tw_tensor[]){ dq, dk, dv }, 1);
}

static void backward(const pass *f, tw_tensor gradient, tw_program p)
{
    tw_tensor d = product_back(f->last, READ, gradient, p);
    tw_tensor inner = product_back(f->inner, SECOND, d, p);
    inner = tw_popnn_non_linearity_gradient(g, TW_NL_RELU, f->inner, inner, p, NULL);
    tw_tensor dense = normalised_back(f->normal, f->deviation, product_back(f->normal, FIRST, inner, p), p);
    d = MAP(p, "_1 + _2", d, dense);
    tw_tensor heads = attention_back(f, product_back(f->mixed, OUT, d, p), p);
    tw_tensor attention =
        normalised_back(f->normal_in, f->deviation_in, product_back(f->normal_in, QKV, heads, p), p);
    d = MAP(p, "_1 + _2", d, attention);
    dw[EMBED] = product(turned(f->hot), d, p);
    dw[PLACES] = tw_popops_reduce(g, by_sample(d), TW_TYPE_NONE, 1, (size_t[]){ 0 }, NULL, p, NULL, NULL);
}

/* --- weights ---------------------------------------------------------------------------------------------------- */

static void begin(tw_program p)
{
    tw_tensor seed = tw_graph_add_constant(g, TW_UNSIGNED_INT, SHAPE(2), (uint32_t[]){ 3, 4 }, false, "seed");
    tw_graph_map(g, seed, 0);
    for (int i = 0; i < WEIGHTS; i++) {
        w[i] = variable(TW_FLOAT, shapes[i][0], shapes[i][1], "w");
        double spread = i <= PLACES ? 0.5 : 1 / sqrt((double)shapes[i][0]);
        tw_tensor drawn = tw_poprand_normal(g, seed, (uint32_t)i, w[i], TW_FLOAT, 0, spread, p, NULL);
        tw_program_sequence_add(g, p, tw_program_copy(g, drawn, w[i]));
    }
}

/* Adam: a step is the mean of gradients over the root of the mean of their squares. */
static void update(tw_program first, tw_program p)
{
    for (int i = 0; i < WEIGHTS; i++) {
        tw_tensor mean = variable(TW_FLOAT, shapes[i][0], shapes[i][1], "mean");
        tw_tensor square = variable(TW_FLOAT, shapes[i][0], shapes[i][1], "square");
        tw_popops_zero(g, mean, first, NULL), tw_popops_zero(g, square, first, NULL);
        tw_popops_map_in_place(g, "_1 * 0.9 + _2 * 0.1", 2, (tw_tensor[]){ mean, dw[i] }, p, NULL, NULL);
        tw_popops_map_in_place(g, "_1 * 0.99 + _2 * _2 * 0.01", 2, (tw_tensor[]){ square, dw[i] }, p, NULL, NULL);
        tw_popops_map_in_place(g, "_1 - 0.004 * _2 / (sqrt(_3) + 1e-6)", 3, (tw_tensor[]){ w[i], mean, square }, p,
                               NULL, NULL);
    }
}

/* --- letters ---------------------------------------------------------------------------------------------------- */

static const char alphabet[] = " .,:abcdefghijklmnopqrstuvwxyz";
static uint32_t letter(char c)
{
    return (uint32_t)(strchr(alphabet, c) - alphabet);
}

static void windows(uint32_t *state, uint32_t *in, uint32_t *next)
{
    const size_t length = sizeof text - 1;
    for (size_t b = 0; b < BATCH; b++) {
        *state = *state * 1664525u + 1013904223u;
        for (size_t t = 0, at = (*state >> 8) % length; t < WINDOW; t++, at++) {
            in[b * WINDOW + t] = letter(text[at % length]);
            next[b * WINDOW + t] = letter(text[(at + 1) % length]);
        }
    }
}

/* The likeliest letter behind those that are there, again and again. */
static void write_on(tw_engine *e, char *line, size_t end)
{
    static uint32_t in[ROWS];
    static float likely[ROWS][LETTERS];
    for (size_t n = strlen(line); n < end; n++) {
        size_t first = n > WINDOW ? n - WINDOW : 0, last = n - first - 1, best = 0;
        for (size_t t = 0; t <= last; t++) in[t] = letter(line[first + t]);
        tw_engine_write(e, "in", in, sizeof in);
        tw_engine_run(e, 2);
        tw_engine_read(e, "likely", likely, sizeof likely);
        for (size_t c = 1; c < sizeof alphabet - 1; c++)
            if (likely[last][c] > likely[last][best]) best = c;
        line[n] = alphabet[best], line[n + 1] = 0;
    }
}

int main(void)
{
    tw_device *dev = tw_device_by_name(getenv("TILEWRIGHT_DEVICE") ? NULL : "cpu", TW_MK2, 1);
    g = tw_graph_new(tw_device_target(dev));
    tw_tensor in = tw_tensor_flatten(g, variable(TW_UNSIGNED_INT, BATCH, WINDOW, "in"));
    tw_tensor next = tw_tensor_flatten(g, variable(TW_UNSIGNED_INT, BATCH, WINDOW, "next"));
    tw_tensor loss = tw_tensor_flatten(g, variable(TW_FLOAT, BATCH, WINDOW, "loss"));
    tw_tensor gradient = variable(TW_FLOAT, ROWS, LETTERS, "gradient");
    tw_program start = tw_program_sequence(g, "start"), learn = tw_program_sequence(g, "learn");
    tw_program say = tw_program_sequence(g, "say");
    begin(start);
    pass f = forward(in, say);
    tw_program_sequence_add(g, learn, say);
    tw_popnn_loss(g, f.letters, next, loss, gradient, TW_LOSS_CROSS_ENTROPY, NULL, learn, "loss");
    backward(&f, gradient, learn);
    update(start, learn);
    tw_graph_create_host_write(g, "in", in);
    tw_graph_create_host_write(g, "next", next);
    tw_graph_create_host_read(g, "loss", loss);
    tw_graph_create_host_read(g, "likely", f.letters);
    tw_engine *e = tw_engine_new_programs(g, 3, (tw_program[]){ start, learn, say }, NULL);
    if (tw_engine_load(e, dev) != TW_OK) return tw_engine_report_error(stderr, e), 1;
    uint32_t state = 1, letters[2][ROWS];
    tw_engine_run(e, 0);
    for (int step = 0; step < STEPS; step++) {
        windows(&state, letters[0], letters[1]);
        tw_engine_write(e, "in", letters[0], sizeof letters[0]);
        tw_engine_write(e, "next", letters[1], sizeof letters[1]);
        if (tw_engine_run(e, 1) != TW_OK) return tw_engine_report_error(stderr, e), 1;
        if (step % 100 != 0) continue;
        float losses[ROWS], sum = 0;
        tw_engine_read(e, "loss", losses, sizeof losses);
        for (int i = 0; i < ROWS; i++) sum += losses[i];
        fprintf(stderr, "step %3d: loss %.3f\n", step, (double)sum / ROWS);
    }
    char line[sizeof "what a program does" + WRITTEN] = "what a program does";
    write_on(e, line, strlen(line) + WRITTEN);
    printf("%s\n", line);
    tw_engine_free(e);
    tw_graph_free(g);
    tw_device_free(dev);
    return 0;
}
