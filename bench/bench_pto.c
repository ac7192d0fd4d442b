/* SPDX-License-Identifier: MIT */
/* PTO: tile instructions against named peers on the same contiguous data, with the instructions of the same
 * dispatch level: plain loops, memcpy, F16C, expf of libmvec, sgemm of OpenBLAS and oneDNN (found with dlopen; a
 * line says when one is not installed). One thread. Each line: medians of interleaved rounds, the ratio peer /
 * instruction, the limit. Exit status 1 when a limit is missed. */
#include "bench.h"
#include "peers/pto_peers.h"
#include "pto/text/as.h"

#include <dlfcn.h>
#include <omp.h>

enum { MOST = 1 << 18 }; /* floats per array */

extern const pto_peers pto_peers_baseline, pto_peers_avx2, pto_peers_avx512;

/* What a peer works on; `n` elements, as `rows` rows. */
static struct {
    const pto_peers *loops;
    float *x, *y, *z;
    size_t n, rows;
    void (*expf_vector)(void);
    void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                  const float *b, int ldb, float beta, float *c, int ldc);
    int (*dnnl_sgemm)(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
                      const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
} peer;

static struct {
    tw_pto *core;
    int op;
    unsigned count;
    tw_pto_operand operands[3];
    tw__as_run run; /* the same from text */
    const tw__as_code *code;
} mine;

/* A body repeated so that one measurement takes long enough for the clock. */
typedef struct repeated {
    void (*body)(void);
    long times;
} repeated;

static void repeat(void *data)
{
    const repeated *r = data;
    for (long i = 0; i < r->times; i++) r->body();
}

static void calibrate(repeated *r)
{
    const double enough = 100e-6; /* seconds */
    r->times = 1;
    for (;; r->times *= 2) {
        double start = bench_now();
        repeat(r);
        if (bench_now() - start >= enough) return;
    }
}

static void from_c(void)
{
    if (tw_pto_exec(mine.core, mine.op, mine.operands, mine.count, NULL) != TW_OK) abort();
}
static void from_text(void)
{
    if (mine.code->fn(&mine.run, mine.code) != TW_OK) abort();
}
static void by_add(void)
{
    peer.loops->add(peer.n, peer.z, peer.x, peer.y);
}
static void by_row_sums(void)
{
    peer.loops->row_sums(peer.rows, peer.n / peer.rows, peer.z, peer.x);
}
static void by_iota(void)
{
    peer.loops->iota(peer.n, (int32_t *)(void *)peer.z, 5);
}
static void by_narrow(void)
{
    peer.loops->narrow(peer.n, (uint16_t *)(void *)peer.z, peer.x);
}
static void by_memcpy(void)
{
    memcpy(peer.z, peer.x, peer.n * sizeof *peer.x);
    __asm__ volatile("" ::: "memory");
}
static void by_expf(void)
{
    peer.loops->exp_loop(peer.n, peer.z, peer.x, peer.expf_vector);
}
static void by_sgemm(void)
{
    enum { ROW_MAJOR = 101, AS_IT_LIES = 111 };
    int side = (int)peer.rows;
    peer.sgemm(ROW_MAJOR, AS_IT_LIES, AS_IT_LIES, side, side, side, 1, peer.x, side, peer.y, side, 0, peer.z, side);
}
static void by_dnnl(void)
{
    int64_t side = (int64_t)peer.rows;
    if (peer.dnnl_sgemm('N', 'N', side, side, side, 1, peer.x, side, peer.y, side, 0, peer.z, side) != 0) abort();
}
static void by_nothing(void)
{
    __asm__ volatile("" ::: "memory");
}

/* One line; limit 0 = none is asked for. */
static bool compare(const char *what, void (*body)(void), const char *peer_name, double limit)
{
    repeated ours = { .body = from_c }, theirs = { .body = body };
    calibrate(&ours);
    calibrate(&theirs);
    bench_case cases[] = { { .name = what, .run = repeat, .data = &ours },
                           { .name = peer_name, .run = repeat, .data = &theirs } };
    bench_interleaved(cases, 2);
    double scale = (double)ours.times / (double)theirs.times,
           ratio = bench_time_ratio(&cases[1], &cases[0]) * scale;
    char row[160];
    snprintf(row, sizeof row, "%s / %s", what, peer_name);
    bool met = bench_row(row, ratio, "", limit > 0 ? BENCH_AT_LEAST : BENCH_NO_LIMIT, limit);
    printf("%-26s %10.1f ns   %-22s %10.1f ns   ratio %6.2f", what, cases[0].median * 1e9 / (double)ours.times,
           peer_name, cases[1].median * 1e9 / (double)theirs.times, ratio);
    if (limit > 0) printf("   (at least %.2f: %s)", limit, met ? "met" : "MISSED");
    printf("\n");
    return met;
}

static bool overhead(const char *what, void (*body)(void), double limit)
{
    repeated r = { .body = body }, empty = { .body = by_nothing };
    calibrate(&r);
    calibrate(&empty);
    bench_case cases[] = { { .name = what, .run = repeat, .data = &r },
                           { .name = "an empty call", .run = repeat, .data = &empty } };
    bench_interleaved(cases, 2);
    double ns = cases[0].median * 1e9 / (double)r.times;
    printf("%-26s %10.1f ns   %-22s %10.1f ns   (at most %.0f: %s)\n", what, ns, cases[1].name,
           cases[1].median * 1e9 / (double)empty.times, limit, ns <= limit ? "met" : "MISSED");
    return bench_row(what, ns, "ns", BENCH_AT_MOST, limit);
}

static void set(const char *name, tw_pto_tile *d, tw_pto_tile *a, tw_pto_tile *b)
{
    mine.op = tw_pto_op_by_name(name);
    mine.count = b ? 3 : 2;
    mine.operands[0] = tw_pto_tile_operand(d);
    mine.operands[1] = tw_pto_tile_operand(a);
    if (b) mine.operands[2] = tw_pto_tile_operand(b);
}

static void fill(tw_pto_tile *tile, const float *x)
{
    if (tw_pto_write(mine.core, tile, x, (size_t)tile->rows * tile->cols * 4) != TW_OK) abort();
}

static bool lanes(uint32_t side)
{
    tw_pto_tile a = tw_pto_tile_of(TW_PTO_VEC, TW_F32, side, side), b = a, d = a;
    tw_pto_tile sums = tw_pto_tile_of(TW_PTO_VEC, TW_F32, side, 1);
    tw_pto_tile half = tw_pto_tile_of(TW_PTO_VEC, TW_F16, side, side);
    bool met = true;
    char what[64];
    sums.blayout = TW_PTO_COL_MAJOR;
    peer.n = (size_t)side * side;
    peer.rows = side;
    fill(&a, peer.x);
    fill(&b, peer.y);
#define WHAT(name) (snprintf(what, sizeof what, name " %ux%u", side, side), what)
    set("TADD", &d, &a, &b);
    met &= compare(WHAT("TADD f32"), by_add, "loop", 0.85);
    set("TROWSUM", &sums, &a, &b);
    met &= compare(WHAT("TROWSUM f32"), by_row_sums, "loop in order", 1.0);
    set("TTRANS", &d, &a, &b);
    met &= compare(WHAT("TTRANS f32"), by_memcpy, "memcpy", 0.3);
    tw_pto_tile_free(mine.core, &b);
    set("TEXP", &d, &a, NULL);
    if (peer.expf_vector)
        met &= compare(WHAT("TEXP f32"), by_expf, "expf of libmvec", 0.5);
    else
        printf("TEXP: no libmvec with %s to compare with\n",
               peer.loops->exp_symbol ? peer.loops->exp_symbol : "expf");
    set("TCVT", &half, &a, NULL);
    if (peer.loops->narrow)
        met &= compare(WHAT("TCVT f32 to f16"), by_narrow, "F16C loop", 0.8);
    else
        printf("TCVT: no F16C at this dispatch level to compare with\n");
#undef WHAT
    tw_pto_tile_free(mine.core, &a);
    tw_pto_tile_free(mine.core, &d);
    tw_pto_tile_free(mine.core, &sums);
    tw_pto_tile_free(mine.core, &half);
    return met;
}

static bool iota(uint32_t cols)
{
    tw_pto_tile d = tw_pto_tile_of(TW_PTO_VEC, TW_I32, 1, cols);
    char what[64];
    peer.n = cols;
    set("TCI", &d, &d, NULL);
    mine.operands[1] = tw_pto_scalar_operand(tw_pto_i32(5));
    snprintf(what, sizeof what, "TCI i32 1x%u", cols);
    bool met = compare(what, by_iota, "loop", 0);
    tw_pto_tile_free(mine.core, &d);
    return met;
}

/* f16 operands in the boxes of the cube; the peer multiplies as many f32, as they lie. */
static bool matmul(uint32_t side, double limit)
{
    tw_pto_tile a = tw_pto_tile_of(TW_PTO_LEFT, TW_F16, side, side), b = a,
                c = tw_pto_tile_of(TW_PTO_ACC, TW_F32, side, side);
    char what[64];
    bool met = true;
    a.blayout = c.blayout = TW_PTO_COL_MAJOR;
    a.slayout = c.slayout = TW_PTO_BOX_ROW;
    b.location = TW_PTO_RIGHT;
    b.slayout = TW_PTO_BOX_COL;
    c.fractal = 1024;
    set("TMATMUL", &c, &a, &b);
    peer.rows = side;
    snprintf(what, sizeof what, "TMATMUL f16 %u^3", side);
    if (peer.sgemm)
        met = compare(what, by_sgemm, "OpenBLAS sgemm", limit);
    else
        printf("%s: no libopenblas.so.0 to compare with (./dev setup bench)\n", what);
    if (peer.dnnl_sgemm)
        compare(what, by_dnnl, "oneDNN sgemm", 0);
    else
        printf("%s: no libdnnl.so.2 to compare with (./dev setup bench)\n", what);
    tw_pto_tile_free(mine.core, &a);
    tw_pto_tile_free(mine.core, &b);
    tw_pto_tile_free(mine.core, &c);
    return met;
}

static bool small(void)
{
    static const char program[] = "%a = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>\n"
                                  "pto.tadd ins(%a, %a : !pto.tile_buf<vec, 1x8xf32>, !pto.tile_buf<vec, 1x8xf32>) "
                                  "outs(%a : !pto.tile_buf<vec, 1x8xf32>)\n";
    tw_pto_tile a = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, 8), b = a, d = a;
    set("TADD", &d, &a, &b);
    bool met = overhead("TADD f32 1x8 from C", from_c, 30);
    tw_diags *diags = tw_diags_new();
    tw__as_module *m = tw__as_parse("bench", program, sizeof program - 1, diags);
    const tw__as_program *p = tw__as_bind(m, TW_PTO_A5);
    if (!p) abort();
    mine.run = (tw__as_run){ .core = mine.core,
                             .program = p,
                             .cell = tw__as_cells_new(p->functions),
                             .max_steps = UINT64_MAX,
                             .blocks = 1 };
    if (!mine.run.cell || tw__as_execute(&mine.run, p->functions) != TW_OK) abort();
    mine.code = p->functions->body->next;
    met &= overhead("TADD f32 1x8 from text", from_text, 60);
    free(mine.run.cell);
    tw__as_free(m);
    tw_diags_free(diags);
    return met;
}

/* Libraries that may be absent. OpenBLAS gets the kernel of the dispatch level and one thread. */
static void find_peers(void)
{
    const char *level = tw_vec_cpu(), *core_type = "Nehalem";
    peer.loops = &pto_peers_baseline;
#ifdef __x86_64__
    if (strcmp(level, "avx2") == 0) peer.loops = &pto_peers_avx2, core_type = "Haswell";
    if (strcmp(level, "avx512") == 0) peer.loops = &pto_peers_avx512, core_type = "SkylakeX";
#endif
    setenv("OPENBLAS_CORETYPE", core_type, 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    void *mvec = dlopen("libmvec.so.1", RTLD_NOW), *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    if (mvec && peer.loops->exp_symbol) *(void **)&peer.expf_vector = dlsym(mvec, peer.loops->exp_symbol);
    void *dnnl = dlopen("libdnnl.so.2", RTLD_NOW);
    if (blas) *(void **)&peer.sgemm = dlsym(blas, "cblas_sgemm");
    if (dnnl) *(void **)&peer.dnnl_sgemm = dlsym(dnnl, "dnnl_sgemm");
    omp_set_num_threads(1);
    char *(*blas_core)(void) = NULL;
    if (blas) *(void **)&blas_core = dlsym(blas, "openblas_get_corename");
    printf("dispatch level %s, OpenBLAS kernels %s\n", level, blas_core ? blas_core() : "not installed");
}

int main(void)
{
    bool met = true;
    bench_machine("-O3");
    find_peers();
    mine.core = tw_pto_new(TW_PTO_A5, 0);
    peer.x = bench_alloc(MOST * sizeof(float));
    peer.y = bench_alloc(MOST * sizeof(float));
    peer.z = bench_alloc(MOST * sizeof(float));
    for (int i = 0; i < MOST; i++) peer.x[i] = peer.y[i] = (float)(i % 97) * 0.01f;
    for (uint32_t side = 64; side <= 128; side *= 2) met &= lanes(side);
    for (uint32_t cols = 64; cols <= 4096; cols *= 8) met &= iota(cols);
    met &= matmul(64, 0.4);
    met &= matmul(128, 0.5);
    met &= small();
    tw_pto_free(mine.core);
    return met ? 0 : 1;
}
