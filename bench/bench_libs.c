/* SPDX-License-Identifier: MIT */
/* The libraries of graph programs against their peers and limits, one thread; graphs of what is multiplied, added or
 * reduced are made and loaded before, a run is what is timed. Plans and graphs: processor time.
 *
 *   matmul     1024 x 1024 x 1024 f32 on the CPU device, and on 1,472 tiles: OpenBLAS / ours (found with dlopen, its
 *              kernels forced to the dispatch level of ours)
 *   conv       3 x 3, 56 x 56, 64 to 64 channels, f32: a product of OpenBLAS with as many multiply-adds / ours
 *   large      10^7 f32: add, sum and softmax of rows of 1,000 on the CPU device; plain loops of the compiler / ours
 *   plan       of a convolution of ResNet-50 on 1,472 tiles: at most 50 ms, and 1 ms when asked again
 *   resnet     the graph of a training step of ResNet-50 in half, batch 1, on 1,472 tiles: convolutions, batch
 *              normalisations, relu, pooling, loss and all gradients; at most 10 s and 2 GB
 *
 *     bench_libs [matmul|conv|large|plan|resnet ...] */
#include <dlfcn.h>
#include <malloc.h>
#include <math.h>
#include <omp.h>

#include "bench.h"
#include "core/vec/vec.h"
#include "poplar/libs/libs.h"

typedef struct mine { /* a loaded engine */
    tw_device *device;
    tw_graph *graph;
    tw_program program;
    tw_engine *engine;
} mine;

static mine mine_begin(tw_device *device)
{
    mine m = { .device = device, .graph = tw_graph_new(tw_device_target(device)) };
    m.program = tw_program_sequence(m.graph, NULL);
    return m;
}
static void mine_load(mine *m)
{
    m->engine = tw_engine_new(m->graph, m->program, NULL);
    if (tw_engine_load(m->engine, m->device) == TW_OK) return;
    tw_engine_report_error(stdout, m->engine);
    exit(1);
}
static void mine_run(void *data)
{
    if (tw_engine_run(((mine *)data)->engine, 0) != TW_OK) abort();
}
static void mine_end(mine *m)
{
    tw_engine_free(m->engine);
    tw_graph_free(m->graph);
    tw_device_free(m->device);
}
static tw_device *whole_chip(void)
{
    return tw_device_ipu_model_with(
        &(tw_ipu_model){ .size = sizeof(tw_ipu_model), .tiles_per_ipu = 1472, .num_ipus = 1 });
}
static tw_tensor mapped(tw_graph *g, tw_type type, unsigned rank, const size_t *shape)
{
    tw_tensor t = tw_graph_add_variable(g, type, rank, shape, "t");
    tw_poputil_map_linearly(g, t);
    return t;
}

/* --- products --------------------------------------------------------------------------------------------------- */

/* CBLAS: row-major, not transposed. */
static void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                     const float *b, int ldb, float beta, float *c, int ldc);
static void find_peers(void)
{
    const char *level = tw_vec_cpu(), *core_type = "Nehalem";
#ifdef __x86_64__
    if (strcmp(level, "avx2") == 0) core_type = "Haswell";
    if (strcmp(level, "avx512") == 0) core_type = "SkylakeX";
#endif
    setenv("OPENBLAS_CORETYPE", core_type, 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    if (blas) *(void **)&sgemm = dlsym(blas, "cblas_sgemm");
    printf("dispatch level %s, OpenBLAS %s\n", level, sgemm ? core_type : "is not installed (./dev setup bench)");
}

typedef struct product {
    int m, n, k;
    float *a, *b, *c;
} product;
static product product_new(int m, int n, int k)
{
    product p = { m,
                  n,
                  k,
                  bench_alloc((size_t)m * (size_t)k * 4),
                  bench_alloc((size_t)k * (size_t)n * 4),
                  bench_alloc((size_t)m * (size_t)n * 4) };
    for (size_t i = 0; i < (size_t)m * (size_t)k; i++) p.a[i] = (float)(i % 97) * 0.01f;
    for (size_t i = 0; i < (size_t)k * (size_t)n; i++) p.b[i] = (float)(i % 89) * 0.01f;
    return p;
}
static void product_run(void *data)
{
    const product *p = data;
    sgemm(101, 111, 111, p->m, p->n, p->k, 1, p->a, p->k, p->b, p->n, 0, p->c, p->n);
}
static void product_free(product *p)
{
    free(p->a), free(p->b), free(p->c);
}

static bool against_blas(mine *m, product *p, const char *what, double limit)
{
    bench_case cases[2] = { { .name = what, .run = mine_run, .data = m },
                            { .name = "OpenBLAS", .run = product_run, .data = p } };
    bench_interleaved(cases, sgemm ? 2 : 1);
    bench_print(&cases[0]);
    if (!sgemm) return true;
    bench_print(&cases[1]);
    char row[80];
    snprintf(row, sizeof row, "%s: OpenBLAS / ours", what);
    return bench_ratio(row, bench_time_ratio(&cases[1], &cases[0]), limit, false);
}

static bool bench_matmul(void)
{
    const size_t side[2] = { 1024, 1024 };
    product p = product_new(1024, 1024, 1024);
    bool met = true;
    for (int chip = 0; chip < 2; chip++) {
        mine m = mine_begin(chip ? whole_chip() : tw_device_cpu());
        tw_tensor a = tw_poplin_create_matmul_lhs(m.graph, TW_FLOAT, 2, side, side, "a", NULL);
        tw_tensor b = tw_poplin_create_matmul_rhs(m.graph, TW_FLOAT, 2, side, side, "b", NULL);
        tw_poplin_matmul(m.graph, a, b, TW_TYPE_NONE, m.program, "c", NULL);
        mine_load(&m);
        met &= against_blas(&m, &p, chip ? "matmul f32 1024^3, 1,472 tiles" : "matmul f32 1024^3, CPU",
                            chip ? 0.5 : 0.8);
        mine_end(&m);
    }
    product_free(&p);
    return met;
}

static bool bench_conv(void)
{
    const tw_conv_transform around = { .padding_lower = 1, .padding_upper = 1 };
    const tw_conv_params c = { .input_type = TW_FLOAT,
                               .batch = 1,
                               .in_channels = 64,
                               .out_channels = 64,
                               .dims = 2,
                               .field = { 56, 56 },
                               .kernel = { 3, 3 },
                               .input = { around, around } };
    product p = product_new(56 * 56, 64, 64 * 9);
    mine m = mine_begin(tw_device_cpu());
    tw_tensor x = tw_poplin_create_conv_input(m.graph, &c, "x", NULL),
              w = tw_poplin_create_conv_weights(m.graph, &c, "w", NULL);
    tw_poplin_convolution(m.graph, x, w, &c, false, m.program, "y", NULL);
    mine_load(&m);
    bool met = against_blas(&m, &p, "convolution 3x3 56x56 64 to 64, CPU", 0.6);
    mine_end(&m);
    product_free(&p);
    return met;
}

/* --- what memory bounds ----------------------------------------------------------------------------------------- */

enum { LARGE = 10000000, ROW = 1000 };
static float *large[3];
static volatile float large_sum; /* is wanted */

static void loop_add(void *data)
{
    (void)data;
    const float *restrict a = large[0], *restrict b = large[1];
    float *restrict c = large[2];
    for (size_t i = 0; i < LARGE; i++) c[i] = a[i] + b[i];
}
static void loop_sum(void *data)
{
    (void)data;
    float lane[64] = { 0 }, sum = 0; /* so that the compiler may use vectors */
    for (size_t i = 0; i < LARGE; i += 64)
        for (size_t k = 0; k < 64; k++) lane[k] += large[0][i + k];
    for (size_t k = 0; k < 64; k++) sum += lane[k];
    large_sum = sum;
}
static void loop_softmax(void *data)
{
    (void)data;
    for (size_t row = 0; row < LARGE; row += ROW) {
        const float *restrict x = large[0] + row;
        float *restrict y = large[2] + row, most = x[0], sum = 0;
        for (size_t i = 1; i < ROW; i++) most = x[i] > most ? x[i] : most;
        for (size_t i = 0; i < ROW; i++) sum += y[i] = expf(x[i] - most);
        for (size_t i = 0; i < ROW; i++) y[i] *= 1 / sum;
    }
}

static bool bench_large(void)
{
    static const struct {
        const char *name;
        void (*loop)(void *);
        double limit;
    } rows[] = { { "add of 10^7", loop_add, 0.8 },
                 { "sum of 10^7", loop_sum, 0.8 },
                 { "softmax of 10^4 x 1000", loop_softmax, 0.8 } };
    bool met = true;
    for (int i = 0; i < 3; i++) large[i] = bench_alloc(LARGE * sizeof(float));
    for (size_t i = 0; i < LARGE; i++) large[0][i] = large[1][i] = (float)(i % 97) * 0.01f;
    for (int i = 0; i < 3; i++) {
        mine m = mine_begin(tw_device_cpu());
        const size_t shape[2] = { LARGE / ROW, ROW };
        tw_tensor a = mapped(m.graph, TW_FLOAT, 2, shape), b = i == 0 ? mapped(m.graph, TW_FLOAT, 2, shape) : a;
        if (i == 0) tw_popops_add(m.graph, a, b, m.program, "add", NULL);
        if (i == 1) tw_popops_reduce(m.graph, a, TW_TYPE_NONE, 2, (size_t[]){ 0, 1 }, NULL, m.program, "sum", NULL);
        if (i == 2) tw_popnn_non_linearity(m.graph, TW_NL_SOFTMAX, a, m.program, "softmax");
        mine_load(&m);
        bench_case cases[2] = { { .name = rows[i].name, .run = mine_run, .data = &m },
                                { .name = "plain loop", .run = rows[i].loop } };
        bench_interleaved(cases, 2);
        bench_print(&cases[0]), bench_print(&cases[1]);
        char row[80];
        snprintf(row, sizeof row, "%s, CPU: plain loop / ours", rows[i].name);
        met &= bench_ratio(row, bench_time_ratio(&cases[1], &cases[0]), rows[i].limit, false);
        mine_end(&m);
    }
    for (int i = 0; i < 3; i++) free(large[i]);
    return met;
}

/* --- plans and graphs ------------------------------------------------------------------------------------------- */

/* Seconds that this process has had a processor: nothing here waits, and other programs do not count. */
static double worked(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool limit_of(const char *what, double value, const char *unit, double limit)
{
    bool met = bench_row(what, value, unit, BENCH_AT_MOST, limit);
    printf("%-52s %8.3f %s   (at most %g: %s)\n", what, value, unit, limit, met ? "met" : "MISSED");
    return met;
}

/* A square kernel on a square field, so padded that a stride of 1 keeps the field. */
static tw_conv_params square(size_t in, size_t out, size_t field, size_t kernel, unsigned stride)
{
    const tw_conv_transform around = { .padding_lower = (unsigned)(kernel - 1) / 2,
                                       .padding_upper = (unsigned)(kernel - 1) / 2 },
                            step = { .step = stride };
    return (tw_conv_params){ .input_type = TW_HALF,
                             .batch = 1,
                             .in_channels = in,
                             .out_channels = out,
                             .dims = 2,
                             .field = { field, field },
                             .kernel = { kernel, kernel },
                             .input = { around, around },
                             .output = { step, step } };
}

static bool bench_plan(void)
{
    tw_device *device = whole_chip();
    tw_graph *g = tw_graph_new(tw_device_target(device));
    const tw_conv_params c = square(128, 128, 28, 3, 1);
    double least[2] = { HUGE_VAL, HUGE_VAL };
    for (int i = 0; i < 6; i++) { /* the first is what nobody has asked before */
        double begin = worked();
        tw_conv_costs costs = tw_poplin_conv_costs(g, &c, NULL);
        double seconds = worked() - begin;
        if (!costs.cycles) abort();
        least[i > 0] = seconds < least[i > 0] ? seconds : least[i > 0];
    }
    tw_graph_free(g);
    tw_device_free(device);
    bool met = limit_of("plan of a convolution, 1,472 tiles", least[0] * 1e3, "ms", 50);
    return limit_of("the same plan again", least[1] * 1e3, "ms", 1) && met;
}

enum { LAYERS = 64 };
typedef struct layer { /* what the way back needs */
    tw_conv_params conv;
    tw_tensor in, weights, whitened, deviation, gamma, beta, out;
    bool relu;
} layer;
typedef struct net {
    double begin;
    tw_graph *g;
    tw_program p;
    layer layers[LAYERS];
    int count;
} net;

static tw_tensor net_forward(net *n, tw_tensor x, size_t out, size_t kernel, unsigned stride, bool relu)
{
    layer *l = &n->layers[n->count++];
    *l = (layer){ .conv = square(tw_tensor_dim(n->g, x, 1), out, tw_tensor_dim(n->g, x, 2), kernel, stride),
                  .in = x,
                  .relu = relu };
    l->weights = tw_poplin_create_conv_weights(n->g, &l->conv, "weights", NULL);
    tw_tensor y = tw_poplin_convolution(n->g, x, l->weights, &l->conv, false, n->p, "conv", NULL);
    tw_pair of = tw_poplin_norm_statistics(n->g, y, 1e-5, false, false, n->p, "statistics");
    l->deviation = of.second;
    l->whitened = tw_poplin_norm_whiten(n->g, y, of.first, of.second, n->p, "whiten");
    l->gamma = tw_poplin_create_biases(n->g, y, "gamma"), l->beta = tw_poplin_create_biases(n->g, y, "beta");
    l->out = tw_poplin_normalise(n->g, l->whitened, l->gamma, l->beta, n->p, "normalise");
    if (relu) tw_popnn_non_linearity_in_place(n->g, TW_NL_RELU, l->out, n->p, "relu");
    return l->out;
}
static tw_tensor net_backward(net *n, const layer *l, tw_tensor dy, bool first)
{
    const tw_scale one = { .number = 1 }, rate = { .number = -0.01 };
    if (l->relu) dy = tw_popnn_non_linearity_gradient(n->g, TW_NL_RELU, l->out, dy, n->p, "relu");
    tw_pair of = tw_poplin_norm_param_gradients(n->g, l->whitened, dy, n->p, "parameters");
    tw_tensor dw = tw_poplin_norm_gradients(n->g, dy, l->gamma, n->p, "normalise");
    dw = tw_poplin_norm_statistics_gradients(n->g, l->whitened, dw, l->deviation, n->p, "statistics");
    tw_popops_scaled_add(n->g, l->gamma, one, of.first, rate, n->p, "gamma", NULL);
    tw_popops_scaled_add(n->g, l->beta, one, of.second, rate, n->p, "beta", NULL);
    tw_tensor dx = dw;
    tw_conv_params back = tw_poplin_conv_gradient_params(&l->conv);
    if (!first) dx = tw_poplin_convolution(n->g, dw, l->weights, &back, true, n->p, "back", NULL);
    tw_poplin_conv_weight_update(n->g, dw, l->weights, l->in, &l->conv, rate, n->p, "update", NULL);
    return dx;
}
/* Layers of a block: the way past it has one of its own where channels change. */
static tw_tensor block_forward(net *n, tw_tensor x, size_t channels, unsigned stride, bool project)
{
    tw_tensor past = project ? net_forward(n, x, channels * 4, 1, stride, false) : x;
    tw_tensor y = net_forward(n, x, channels, 1, 1, true);
    y = net_forward(n, y, channels, 3, stride, true);
    y = net_forward(n, y, channels * 4, 1, 1, false);
    tw_tensor sum = tw_popops_add(n->g, y, past, n->p, "sum", NULL);
    tw_popnn_non_linearity_in_place(n->g, TW_NL_RELU, sum, n->p, "relu");
    return sum;
}
static tw_tensor block_backward(net *n, int last, tw_tensor out, tw_tensor dy, bool project)
{
    tw_tensor d = tw_popnn_non_linearity_gradient(n->g, TW_NL_RELU, out, dy, n->p, "relu"), dx = d, past = d;
    for (int i = last; i > last - 3; i--) dx = net_backward(n, &n->layers[i], dx, false);
    if (project) past = net_backward(n, &n->layers[last - 3], d, false);
    return tw_popops_add(n->g, dx, past, n->p, "sum", NULL);
}

static void net_tell(const net *n, const char *what)
{
    printf("%-28s %9.3f s, %zu vertices\n", what, worked() - n->begin, tw_graph_vertex_count(n->g));
    fflush(stdout);
}

static void net_build(net *n)
{
    static const struct {
        int blocks;
        size_t channels;
    } stages[4] = { { 3, 64 }, { 4, 128 }, { 6, 256 }, { 3, 512 } };
    tw_tensor outs[16];
    int lasts[16], blocks = 0;
    bool projects[16];
    tw_conv_params start = square(3, 64, 224, 7, 2);
    tw_tensor x = net_forward(n, tw_poplin_create_conv_input(n->g, &start, "image", NULL), 64, 7, 2, true);
    const tw_pool_params most = { .type = TW_POOL_MAX,
                                  .dims = 2,
                                  .field = { 112, 112 },
                                  .kernel = { 3, 3 },
                                  .stride = { 2, 2 },
                                  .lower = { 1, 1 },
                                  .upper = { 1, 1 },
                                  .channels = 64,
                                  .batch = 1,
                                  .data_type = TW_HALF };
    tw_tensor before = x, pooled = tw_popnn_pool(n->g, &most, x, n->p, "pool", NULL);
    x = pooled;
    for (int s = 0; s < 4; s++)
        for (int b = 0; b < stages[s].blocks; b++, blocks++) {
            projects[blocks] = b == 0;
            x = outs[blocks] = block_forward(n, x, stages[s].channels, b == 0 && s > 0 ? 2 : 1, b == 0);
            lasts[blocks] = n->count - 1;
            if (b + 1 == stages[s].blocks) net_tell(n, "stage forward");
        }
    const tw_pool_params mean = { .type = TW_POOL_AVG,
                                  .dims = 2,
                                  .field = { 7, 7 },
                                  .kernel = { 7, 7 },
                                  .stride = { 1, 1 },
                                  .channels = 2048,
                                  .batch = 1,
                                  .data_type = TW_HALF };
    tw_tensor flat =
        tw_tensor_reshape(n->g, tw_popnn_pool(n->g, &mean, x, n->p, "mean", NULL), 2, (size_t[]){ 1, 2048 });
    const size_t rows[2] = { 1, 2048 }, matrix[2] = { 2048, 1000 };
    tw_tensor w = tw_poplin_create_matmul_rhs(n->g, TW_HALF, 2, rows, matrix, "w", NULL);
    tw_tensor y = tw_popnn_non_linearity(
        n->g, TW_NL_SOFTMAX, tw_poplin_matmul(n->g, flat, w, TW_TYPE_NONE, n->p, "dense", NULL), n->p, "softmax");
    tw_tensor wanted = mapped(n->g, TW_UNSIGNED_INT, 1, (size_t[]){ 1 }),
              slope = tw_graph_clone(n->g, TW_TYPE_NONE, y, TW_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "slope"),
              loss = mapped(n->g, TW_HALF, 1, (size_t[]){ 1 });
    tw_popnn_loss(n->g, y, wanted, loss, slope, TW_LOSS_CROSS_ENTROPY, NULL, n->p, "loss");
    tw_tensor dx = tw_poplin_matmul(n->g, slope, tw_tensor_transpose(n->g, w), TW_TYPE_NONE, n->p, "back", NULL);
    tw_poplin_matmul_accumulate(n->g, w, (tw_scale){ .number = -0.01 }, tw_tensor_transpose(n->g, flat), slope,
                                n->p, "update", NULL);
    dx = tw_popnn_pool_gradient(n->g, &mean, tw_tensor_reshape(n->g, dx, 4, (size_t[]){ 1, 2048, 1, 1 }), n->p,
                                "mean", NULL);
    for (int b = blocks - 1; b >= 0; b--) {
        dx = block_backward(n, lasts[b], outs[b], dx, projects[b]);
        if (projects[b]) net_tell(n, "stage backward");
    }
    dx = tw_popnn_pool_max_gradient(n->g, &most, before, pooled, dx, false, n->p, "pool", NULL);
    net_backward(n, &n->layers[0], dx, true);
}

static bool bench_resnet(void)
{
    tw_device *device = whole_chip();
    double begin = worked();
    net *n = calloc(1, sizeof *n);
    if (!n) abort();
    n->g = tw_graph_new(tw_device_target(device));
    n->p = tw_program_sequence(n->g, NULL);
    n->begin = begin;
    net_build(n);
    double seconds = worked() - begin;
    if (tw_graph_status(n->g)) {
        printf("%s: %s\n", tw_graph_error(n->g)->function, tw_graph_error(n->g)->message);
        exit(1);
    }
    printf("ResNet-50: %d convolutions, %zu vertices\n", n->count, tw_graph_vertex_count(n->g));
    bool met = limit_of("graph of a training step of ResNet-50", seconds, "s", 10);
    met &= limit_of("memory of the process with it", bench_peak() / 1e9, "GB", 2);
    tw_graph_free(n->g);
    tw_device_free(device);
    free(n);
    return met;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bool (*run)(void);
    } parts[] = { { "resnet", bench_resnet }, /* first: its memory is the process's */
                  { "plan", bench_plan },
                  { "matmul", bench_matmul },
                  { "conv", bench_conv },
                  { "large", bench_large } };
    bool met = true;
    bench_machine("-O3");
    find_peers();
    omp_set_num_threads(1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool chosen = argc < 2;
        for (int k = 1; k < argc; k++) chosen |= strcmp(argv[k], parts[i].name) == 0;
        if (chosen) met &= parts[i].run();
    }
    return met ? 0 : 1;
}
