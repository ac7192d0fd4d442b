/* SPDX-License-Identifier: MIT */
/* Cycle estimates of small kernels against figures worked out by hand from docs/aie.md: the busiest of vector
 * operations, 256-bit window loads in pairs, stores with srs, stream words and cascade words, and 38 cycles a firing;
 * by kernel and by tile, in the calls of the profile, its JSON and the text of `tilewright profile`. */
#define TW_AIE_PROFILE
#include <tilewright/aie.h>
#include "aie/aie_cases.h"

#include <unistd.h>

enum { FILL = 38 }; /* latencies, entry and exit */

/* 16 taps on 16 lanes, twice a firing: 2 loads, 8 products of two columns, an srs and a store for 16 results. */
static void fir(void *user)
{
    (void)user;
    input_window_int16 *in = window_in(int16, 0);
    output_window_int16 *out = window_out(int16, 0);
    const v16int16 taps = { 1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1 };
    for (int i = 0; i < 2; i++) {
        v16int16 a, b;
        window_readincr(in, a);
        window_readincr(in, b);
        v32int16 x = null_v32int16();
        memcpy(&x, &a, sizeof a), memcpy((char *)&x + sizeof a, &b, sizeof b); /* as plain loads: not counted */
        v16acc48 acc = mul16(x, 0, 0x03020100, 0x07060504, 0x2110, taps, 0, 0, 0, 1);
        acc = mac16(acc, x, 2, 0x03020100, 0x07060504, 0x2110, taps, 2, 0, 0, 1);
        acc = mac16(acc, x, 4, 0x03020100, 0x07060504, 0x2110, taps, 4, 0, 0, 1);
        acc = mac16(acc, x, 6, 0x03020100, 0x07060504, 0x2110, taps, 6, 0, 0, 1);
        acc = mac16(acc, x, 8, 0x03020100, 0x07060504, 0x2110, taps, 8, 0, 0, 1);
        acc = mac16(acc, x, 10, 0x03020100, 0x07060504, 0x2110, taps, 10, 0, 0, 1);
        acc = mac16(acc, x, 12, 0x03020100, 0x07060504, 0x2110, taps, 12, 0, 0, 1);
        acc = mac16(acc, x, 14, 0x03020100, 0x07060504, 0x2110, taps, 14, 0, 0, 1);
        window_writeincr(out, srs(acc, 4));
    }
}
/* 4 by 8 by 4 of int8: 1024 bits of x are 4 loads, z is one; one product of 128 MACs; srs and store: stores
 * decide. */
static void matmul(void *user)
{
    (void)user;
    v128int8 x;
    v32int8 z;
    window_readincr(window_in(int8, 0), x);
    window_readincr(window_in(int8, 1), z);
    v16acc48 acc = mul16(x, 0, 0x33323130, 32, 0x3120, z, 0, 0, 2, 0x3210);
    v16int8 r = bsrs(acc, 2);
    window_writeincr(window_out(int8, 0), r);
    window_writeincr(window_out(int8, 0), r);
}
/* 8 rows, 8 columns: 8 products, 9 loads, one store. */
static void gemv(void *user)
{
    (void)user;
    v8float acc = null_v8float(), x, column;
    window_readincr(window_in(float, 1), x);
    for (int i = 0; i < 8; i++) {
        window_readincr(window_in(float, 0), column);
        acc = fpmac(acc, concat(column, column), 0, 0x76543210, x, i, 0);
    }
    window_writeincr(window_out(float, 0), acc);
}
/* 14 loads, 3 sums: pairs of loads decide. */
static void sums(void *user)
{
    (void)user;
    v16int32 a, b;
    window_readincr(window_in(int32, 0), a);
    for (int i = 0; i < 6; i++) {
        window_readincr(window_in(int32, 0), b);
        if (i % 2) a = add16(a, b);
    }
    v8int32 r;
    memcpy(&r, &a, sizeof r);
    window_writeincr(window_out(int32, 0), r);
}
/* 24 words through one stream, 8 more through the other. */
static void copy(void *user)
{
    (void)user;
    for (int i = 0; i < 6; i++) {
        v4int32 v = readincr_v4(stream_in(int32, 0));
        writeincr_v4(stream_out(int32, 0), v);
    }
    for (int i = 0; i < 8; i++) {
        int32 word = readincr(stream_in(int32, 1));
        writeincr(stream_out(int32, 1), word);
    }
}
/* A product handed on, 5 times: what cascades is one word of 384 bits. */
static void head(void *user)
{
    (void)user;
    const v8int16 v = { 1, 2, 3, 4, 5, 6, 7, 8 };
    for (int i = 0; i < 5; i++) put_mcd(ups(v, 0));
}
static void tail(void *user)
{
    (void)user;
    v8int16 r = srs(get_scd(), 0);
    for (int i = 1; i < 5; i++) r = srs(get_scd(), 0);
    window_writeincr(window_out(int16, 0), r);
}
/* Complex products are two operations each: 6 of 3; 2 loads and a store. */
static void cfloats(void *user)
{
    (void)user;
    v4cfloat x, acc = null_v4cfloat();
    window_readincr(window_in(cfloat, 0), x);
    for (int i = 0; i < 3; i++) acc = fpmac(acc, x, x);
    window_writeincr(window_out(cfloat, 0), acc);
}

static const struct row {
    const char *name;
    void (*kernel)(void *);
    int column, tile_row;
    unsigned in, in2, out; /* bytes of windows */
    uint64_t firing;       /* cycles of one firing without those of the pipeline */
} rows[] = {
    { "fir", fir, 0, 0, 128, 0, 64, 16 },       { "matmul", matmul, 1, 0, 128, 32, 32, 3 },
    { "gemv", gemv, 2, 0, 256, 32, 32, 8 },     { "sums", sums, 3, 0, 448, 0, 32, 7 },
    { "cfloats", cfloats, 3, 0, 32, 0, 32, 6 }, /* on the tile of sums */
};
enum { ROWS = sizeof rows / sizeof *rows, FIRINGS = 4 };

static void feed(tw_aie_array *a, int port, unsigned bytes)
{
    static const uint8_t zeros[512];
    for (int i = 0; i < FIRINGS; i++) assert_int_equal(tw_aie_array_send(a, port, zeros, bytes), TW_OK);
}
static __attribute__((noinline)) char *text_of(const tw_profile *p)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(tw_profile_print_summary(p, out, NULL), TW_OK);
    fclose(out);
    return text;
}
/* The line of the summary for a kernel ends in its cycles. */
static void lists(const char *text, const char *kernel, uint64_t cycles)
{
    const char *line = strstr(text, "Cycles by kernel:");
    assert_null(strstr(text, "IPU")); /* no words of another machine */
    while (line && strncmp(line, kernel, strlen(kernel)) != 0) {
        line = strchr(line, '\n');
        if (line) line += strspn(line, "\n ");
    }
    if (!line) fail_msg("%s is not in:\n%s", kernel, text);
    const char *number = strstr(line, "(4 instances):"); /* FIRINGS */
    if (!number || strtoull(number + strlen("(4 instances):"), NULL, 10) != cycles)
        fail_msg("%s without %llu cycles in:\n%s", kernel, (unsigned long long)cycles, text);
}
/* What JSON brings back is the profile it was written from: the same cycles on each tile, the same summary, which
 * `tilewright profile` prints. */
static void survives_json(const tw_profile *p, const uint64_t *by_tile)
{
    char *graph = tw_profile_graph_json(p, false), *execution = tw_profile_execution_json(p, true);
    tw_profile *back = NULL;
    assert_int_equal(tw_status_of(back = tw_profile_load(graph, strlen(graph), execution, strlen(execution))),
                     TW_OK);
    uint64_t *again = (uint64_t *)calloc(tw_profile_tiles(p), sizeof *again);
    assert_true(tw_profile_step_cycles(back, 0, again));
    assert_memory_equal(again, by_tile, tw_profile_tiles(p) * sizeof *again);
    char *before = text_of(p), *after = text_of(back);
    assert_string_equal(before, after);
    assert_non_null(strstr(execution, "estimated"));
    free(graph), free(execution), free(again), free(before), free(after);
    tw_profile_free(back);
}

static void aie_cycles_by_kernel_and_tile(void **state)
{
    (void)state;
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel kernel[ROWS];
    for (int i = 0; i < ROWS; i++) {
        kernel[i] = tw_aie_array_add(a, rows[i].name, rows[i].kernel, NULL, rows[i].column, rows[i].tile_row);
        feed(a, tw_aie_array_memory_input(a, tw_aie_in(kernel[i], 0), rows[i].in, 0), rows[i].in);
        if (rows[i].in2)
            feed(a, tw_aie_array_memory_input(a, tw_aie_in(kernel[i], 1), rows[i].in2, 0), rows[i].in2);
        tw_aie_array_memory_output(a, tw_aie_out(kernel[i], 0), rows[i].out);
    }
    if (tw_aie_array_run(a, FIRINGS) != TW_OK) fail_msg("%s", tw_error_message());
    const tw_profile *p = tw_aie_array_profile(a);
    tw_profile_totals totals;
    assert_int_equal(tw_profile_get_totals(p, &totals), TW_OK);
    assert_int_equal(totals.fidelity, TW_FIDELITY_ESTIMATED);
    uint64_t *by_tile = (uint64_t *)calloc(tw_profile_tiles(p), sizeof *by_tile), expected[8] = { 0 };
    char *text = text_of(p);
    for (int i = 0; i < ROWS; i++) {
        uint64_t want = FIRINGS * (rows[i].firing + FILL), cycles = 0, instances = 0;
        if (tw_aie_array_cycles(a, kernel[i]) != want)
            fail_msg("%s: %llu cycles, expected %llu", rows[i].name,
                     (unsigned long long)tw_aie_array_cycles(a, kernel[i]), (unsigned long long)want);
        assert_string_equal(tw_profile_vertex_type(p, (size_t)i, &cycles, &instances), rows[i].name);
        assert_int_equal(cycles, want);
        expected[rows[i].column] += want;
        lists(text, rows[i].name, want);
    }
    assert_true(tw_profile_step_cycles(p, 0, by_tile));
    for (unsigned t = 0; t < tw_profile_tiles(p); t++)
        assert_int_equal(by_tile[t], t % 8 == 0 && t / 8 < 8 ? expected[t / 8] : 0);
    assert_non_null(
        strstr(text, "cycles are estimated: a factor of 2.8 (worst a factor of 112) over 18 programs ("));
    survives_json(p, by_tile);
    free(by_tile), free(text);
    tw_aie_array_free(a);
}

/* Words wait in a queue of 32: the sender and the receiver are kernels of their own. */
static void send_words(void *user)
{
    (void)user;
    for (int i = 0; i < 24; i++) writeincr(stream_out(int32, 0), i);
    for (int i = 0; i < 8; i++) writeincr(stream_out(int32, 1), i);
}
static void take_words(void *user)
{
    (void)user;
    for (int i = 0; i < 24; i++) (void)readincr(stream_in(int32, 0));
    for (int i = 0; i < 8; i++) (void)readincr(stream_in(int32, 1));
}
static void aie_cycles_of_ports(void **state)
{
    (void)state;
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel s = tw_aie_array_add(a, "send", send_words, NULL, 1, 1),
                  c = tw_aie_array_add(a, "copy", copy, NULL, 1, 2),
                  t = tw_aie_array_add(a, "take", take_words, NULL, 1, 3),
                  h = tw_aie_array_add(a, "head", head, NULL, 4, 1),
                  l = tw_aie_array_add(a, "tail", tail, NULL, 5, 1);
    for (int i = 0; i < 2; i++) {
        tw_aie_array_stream(a, tw_aie_out(s, i), tw_aie_in(c, i), 0);
        tw_aie_array_stream(a, tw_aie_out(c, i), tw_aie_in(t, i), 0);
    }
    tw_aie_array_cascade(a, h, l);
    tw_aie_array_memory_output(a, tw_aie_out(l, 0), 32);
    if (tw_aie_array_run(a, FIRINGS) != TW_OK) fail_msg("%s", tw_error_message());
    assert_int_equal(tw_aie_array_cycles(a, c), FIRINGS * (24 + FILL)); /* the busier of two ports */
    assert_int_equal(tw_aie_array_cycles(a, s), FIRINGS * (24 + FILL));
    assert_int_equal(tw_aie_array_cycles(a, t), FIRINGS * (24 + FILL));
    assert_int_equal(tw_aie_array_cycles(a, h), FIRINGS * (5 + FILL)); /* five words of the cascade */
    assert_int_equal(tw_aie_array_cycles(a, l), FIRINGS * (6 + FILL)); /* five srs and one store */
    tw_aie_array_free(a);
}

/* Three kernels of KastnerRG/aie-intrinsics-nn by their shape, beside the cycles that its comments give as measured:
 * GEMV of 16 by 16 in int32, eight lanes at a time; in int16; product of 16 by 32 by 16 in int32, timed from
 * inside. */
static void gemv_int32(void *user)
{
    static v16int32 matrix[16];
    (void)user;
    v8acc80 low = null_v8acc80(), high = null_v8acc80();
    for (int i = 0; i < 2; i++) {
        v8int32 x;
        window_readincr(window_in(int32, 0), x);
        for (int j = 0; j < 8; j++) {
            low = lmac8(low, matrix[8 * i + j], 0, 0x76543210, x, j, 0);
            high = lmac8(high, matrix[8 * i + j], 8, 0x76543210, x, j, 0);
        }
    }
    window_writeincr(window_out(int32, 0), srs(low, 0));
    window_writeincr(window_out(int32, 0), srs(high, 0));
}
static void gemv_int16(void *user)
{
    static v16int16 matrix[16];
    (void)user;
    v16acc48 acc = null_v16acc48();
    v16int16 x;
    window_readincr(window_in(int16, 0), x);
    for (int i = 0; i < 16; i += 2)
        acc = mac16(acc, concat(matrix[i], matrix[i + 1]), 0, 0x73727170, 0x77767574, 0x3120, x, i, 0, 0, 1);
    window_writeincr(window_out(int16, 0), srs(acc, 0));
}
static void gemm_int32(void *user)
{
    static v16int32 columns[8];
    uint64_t *taken = (uint64_t *)user;
    v8acc80 acc = null_v8acc80();
    v8int32 x;
    window_readincr(window_in(int32, 0), x);
    uint64_t before = get_cycles();
    for (int i = 0; i < 1024; i++) acc = lmac8(acc, columns[i % 8], 0, 0x76543210, x, i % 8, 0);
    *taken = get_cycles() - before;
    assert_int_equal(get_cycles() - before, *taken); /* reading takes nothing */
    window_writeincr(window_out(int32, 0), srs(acc, 0));
}
static void within_a_fifth(const char *what, uint64_t cycles, uint64_t measured)
{
    if (5 * cycles < 4 * measured || 5 * cycles > 6 * measured)
        fail_msg("%s: %llu cycles, measured are %llu", what, (unsigned long long)cycles,
                 (unsigned long long)measured);
}
static void aie_cycles_of_measured_kernels(void **state)
{
    (void)state;
    uint64_t gemm = 0;
    tw_aie_array *a = tw_aie_array_new();
    const struct {
        const char *name;
        void (*kernel)(void *);
        void *user;
        unsigned in, out, measured;
    } measured_ones[] = { { "gemv_int32", gemv_int32, NULL, 64, 64, 79 },
                          { "gemv_int16", gemv_int16, NULL, 32, 32, 42 },
                          { "gemm_int32", gemm_int32, &gemm, 32, 32, 1071 } };
    tw_aie_kernel kernels[3];
    for (int i = 0; i < 3; i++) {
        kernels[i] =
            tw_aie_array_add(a, measured_ones[i].name, measured_ones[i].kernel, measured_ones[i].user, 2 * i, 0);
        feed(a, tw_aie_array_memory_input(a, tw_aie_in(kernels[i], 0), measured_ones[i].in, 0),
             measured_ones[i].in);
        tw_aie_array_memory_output(a, tw_aie_out(kernels[i], 0), measured_ones[i].out);
    }
    if (tw_aie_array_run(a, 1) != TW_OK) fail_msg("%s", tw_error_message());
    for (int i = 0; i < 3; i++)
        within_a_fifth(measured_ones[i].name, tw_aie_array_cycles(a, kernels[i]), measured_ones[i].measured);
    within_a_fifth("gemm_int32 from inside", gemm, 1071);
    tw_aie_array_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_cycles_by_kernel_and_tile),
        cmocka_unit_test(aie_cycles_of_ports),
        cmocka_unit_test(aie_cycles_of_measured_kernels),
    };
    return cmocka_run_group_tests_name("aie.cycles", tests, NULL, NULL);
}
