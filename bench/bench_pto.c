/* PTO: tile instructions against plain loops over the same contiguous data, built with the same flags. One thread. */
#include "pto/as.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void body(void *user);

/* Median of seven, each long enough to measure; nanoseconds per call. */
static double measure(body *f, void *user)
{
    double best[7];
    long n = 1;
    for (double t = 0; t < 2e-3; n *= 2) {
        double start = now();
        for (long i = 0; i < n; i++) f(user);
        t = now() - start;
    }
    for (int k = 0; k < 7; k++) {
        double start = now();
        for (long i = 0; i < n; i++) f(user);
        best[k] = (now() - start) / (double)n * 1e9;
        for (int j = k; j > 0 && best[j] < best[j - 1]; j--) {
            double swap = best[j];
            best[j] = best[j - 1];
            best[j - 1] = swap;
        }
    }
    return best[3];
}

static tw_pto *core;
static int op;
static unsigned count;
static tw_pto_operand operands[6];
static float *x, *y, *z;
static size_t n, rows;
static tw__as_run text;
static const tw__as_code *text_code;

static void ours(void *user)
{
    (void)user;
    if (tw_pto_exec(core, op, operands, count, NULL) != TW_OK) abort();
}
static void from_text(void *user)
{
    (void)user;
    if (text_code->fn(&text, text_code) != TW_OK) abort();
}
static void loop_add(void *user)
{
    (void)user;
    for (size_t i = 0; i < n; i++) z[i] = x[i] + y[i];
    __asm__ volatile("" ::: "memory");
}
static void loop_rows(void *user)
{
    (void)user;
    for (size_t r = 0; r < rows; r++) {
        float sum = 0;
        for (size_t i = 0; i < n / rows; i++) sum += x[r * (n / rows) + i];
        z[r] = sum;
    }
    __asm__ volatile("" ::: "memory");
}
static void loop_iota(void *user)
{
    (void)user;
    for (size_t i = 0; i < n; i++) ((int32_t *)(void *)z)[i] = 5 + (int32_t)i;
    __asm__ volatile("" ::: "memory");
}
static void loop_convert(void *user)
{
    (void)user;
    for (size_t i = 0; i < n; i++) ((_Float16 *)(void *)z)[i] = (_Float16)x[i];
    __asm__ volatile("" ::: "memory");
}
static void loop_copy(void *user)
{
    (void)user;
    memcpy(z, x, n * sizeof *x);
    __asm__ volatile("" ::: "memory");
}
static void loop_exp(void *user)
{
    (void)user;
    for (size_t i = 0; i < n; i++) z[i] = expf(x[i]);
    __asm__ volatile("" ::: "memory");
}

static void line(const char *what, body *peer, const char *peer_name)
{
    double mine = measure(ours, NULL), theirs = measure(peer, NULL);
    printf("%-28s %10.1f ns   %-22s %10.1f ns   ratio %.2f\n", what, mine, peer_name, theirs, theirs / mine);
}

int main(void)
{
    core = tw_pto_new(TW_PTO_A5, 0);
    x = aligned_alloc(64, 1 << 20);
    y = aligned_alloc(64, 1 << 20);
    z = aligned_alloc(64, 1 << 20);
    for (int i = 0; i < 1 << 18; i++) x[i] = y[i] = (float)(i % 97) * 0.01f;
    printf("dispatch level %s\n", tw_vec_cpu());
    for (uint32_t side = 64; side <= 128; side *= 2) {
        tw_pto_tile a = tw_pto_tile_of(TW_PTO_VEC, TW_F32, side, side), b = a, d = a;
        char what[64];
        n = (size_t)side * side;
        rows = side;
        operands[0] = tw_pto_tile_operand(&d);
        operands[1] = tw_pto_tile_operand(&a);
        operands[2] = tw_pto_tile_operand(&b);
        count = 3;
        op = tw_pto_op_by_name("TADD");
        snprintf(what, sizeof what, "TADD f32 %ux%u", side, side);
        line(what, loop_add, "loop -O3");
        tw_pto_tile s = tw_pto_tile_of(TW_PTO_VEC, TW_F32, side, 1);
        s.blayout = TW_PTO_COL_MAJOR;
        operands[0] = tw_pto_tile_operand(&s);
        op = tw_pto_op_by_name("TROWSUM");
        snprintf(what, sizeof what, "TROWSUM f32 %ux%u", side, side);
        line(what, loop_rows, "in-order loop");
        operands[0] = tw_pto_tile_operand(&d);
        op = tw_pto_op_by_name("TTRANS");
        snprintf(what, sizeof what, "TTRANS f32 %ux%u", side, side);
        line(what, loop_copy, "memcpy");
        count = 2;
        op = tw_pto_op_by_name("TEXP");
        snprintf(what, sizeof what, "TEXP f32 %ux%u", side, side);
        line(what, loop_exp, "expf loop (libm)");
        tw_pto_tile h = tw_pto_tile_of(TW_PTO_VEC, TW_F16, side, side);
        tw_pto_release(core, &b);
        operands[0] = tw_pto_tile_operand(&h);
        op = tw_pto_op_by_name("TCVT");
        snprintf(what, sizeof what, "TCVT f32 to f16 %ux%u", side, side);
        line(what, loop_convert, "_Float16 loop -O3");
        tw_pto_release(core, &a);
        tw_pto_release(core, &d);
        tw_pto_release(core, &s);
        tw_pto_release(core, &h);
    }
    for (uint32_t cols = 64; cols <= 4096; cols *= 8) {
        tw_pto_tile d = tw_pto_tile_of(TW_PTO_VEC, TW_I32, 1, cols);
        char what[64];
        n = cols;
        operands[0] = tw_pto_tile_operand(&d);
        operands[1] = tw_pto_scalar_operand(tw_pto_i32(5));
        count = 2;
        op = tw_pto_op_by_name("TCI");
        snprintf(what, sizeof what, "TCI i32 1x%u", cols);
        line(what, loop_iota, "loop -O3");
        tw_pto_release(core, &d);
    }
    for (uint32_t side = 64; side <= 128; side *= 2) {
        tw_pto_tile a = tw_pto_tile_of(TW_PTO_LEFT, TW_F16, side, side), b = a,
                    c = tw_pto_tile_of(TW_PTO_ACC, TW_F32, side, side);
        a.blayout = c.blayout = TW_PTO_COL_MAJOR;
        a.slayout = c.slayout = TW_PTO_BOX_ROW;
        b.location = TW_PTO_RIGHT;
        b.slayout = TW_PTO_BOX_COL;
        c.fractal = 1024;
        operands[0] = tw_pto_tile_operand(&c);
        operands[1] = tw_pto_tile_operand(&a);
        operands[2] = tw_pto_tile_operand(&b);
        count = 3;
        op = tw_pto_op_by_name("TMATMUL");
        double t = measure(ours, NULL);
        printf("TMATMUL f16 %u^3              %10.1f ns   %.1f Gflop/s\n", side, t, 2.0 * side * side * side / t);
        tw_pto_release(core, &a);
        tw_pto_release(core, &b);
        tw_pto_release(core, &c);
    }
    tw_pto_tile a = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, 8), b = a, d = a;
    operands[0] = tw_pto_tile_operand(&d);
    operands[1] = tw_pto_tile_operand(&a);
    operands[2] = tw_pto_tile_operand(&b);
    op = tw_pto_op_by_name("TADD");
    count = 3;
    printf("TADD f32 1x8 from C          %10.1f ns   (limit 30)\n", measure(ours, NULL));
    const char program[] = "%a = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>\n"
                           "pto.tadd ins(%a, %a : !pto.tile_buf<vec, 1x8xf32>, !pto.tile_buf<vec, 1x8xf32>) "
                           "outs(%a : !pto.tile_buf<vec, 1x8xf32>)\n";
    tw_diags *diags = tw_diags_new();
    tw__as_module *m = tw__as_parse("bench", program, sizeof program - 1, diags);
    const tw__as_program *p = tw__as_bind(m, TW_PTO_A5);
    text = (tw__as_run){ .core = core,
                         .program = p,
                         .cell = calloc(p->functions->slots + 1, sizeof *text.cell),
                         .max_steps = UINT64_MAX,
                         .blocks = 1 };
    if (tw__as_execute(&text, p->functions) != TW_OK) abort();
    text_code = p->functions->body->next;
    printf("TADD f32 1x8 from text       %10.1f ns   (limit 60)\n", measure(from_text, NULL));
    free(text.cell);
    tw__as_free(m);
    tw_diags_free(diags);
    tw_pto_free(core);
    return 0;
}
