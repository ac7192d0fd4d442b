/* SPDX-License-Identifier: MIT */
/* Half precision: every value through every instruction that has one operand of it, in all rounding modes, against
 * ref_sim.c (exact numbers, functions in extended precision, one rounding); and stochastic rounding by its
 * statistics. */
#include "sim_test.h"

#include "ref_sim.h"
#include "share.h"

#include <math.h>

enum { CODE = 0x4c000, FP_ICTL = 0x20, FP_STS = 0x100, PRNG = 0x103, ESR = 1 << 19, NANOO = 1 << 20 };

typedef struct bench { /* a tile that runs one instruction again and again */
    tw_sim *sim;
    tw_insn insn;
    const tw_isa_row *row;
} bench;

static bench bench_of(const char *name, unsigned operands, const uint32_t *registers)
{
    tw_sim_options options = { .size = sizeof options, .arch = TW_ISA_IPU21 };
    bench b = { .sim = tw_sim_new(&options) };
    for (size_t i = 0; (b.row = tw_isa_get(i)); i++)
        if (strcmp(b.row->name, name) == 0 && b.row->count == operands) {
            b.insn.row = (uint16_t)i;
            break;
        }
    if (!b.row) fail_msg("there is no '%s'", name);
    for (unsigned k = 0; k < operands; k++) b.insn.operands[k] = registers[k];
    uint64_t word;
    if (tw_insn_encode(TW_ISA_IPU21, &b.insn, &word) != TW_OK) fail_msg("%s: %s", name, tw_error_message());
    tw_object *o = assemble_for(TW_ISA_IPU21, ".worker\nexitz $mzero\n");
    uint32_t code[2] = { GUINT32_TO_LE((uint32_t)word), 0 };
    memcpy(&code[1], tw_object_get_section(o, 0)->data, 4);
    tw_object_free(o);
    assert_int_equal(tw_sim_write(b.sim, CODE, code, 8), TW_OK);
    return b;
}

static void bench_run(bench *b, uint32_t control)
{
    tw_sim_launch launch = { .entry = CODE, .vertex_base = VERTEX };
    tw_sim_set_csr(b->sim, TW_SIM_SUPERVISOR, FP_ICTL, control);
    assert_int_equal(tw_sim_start(b->sim, 0, &launch), TW_OK);
    if (tw_sim_run(b->sim, 0) != TW_SIM_DONE) fail_msg("%s", tw_sim_get_exception(b->sim)->message);
}

/* --- every value ------------------------------------------------------------------------------------------------ */

static const uint32_t modes[] = { 0, 1 << 16, 2 << 16, 3 << 16, 4 << 16, NANOO };

/* $a4:5 of the operands $a0:3, held against the reference. */
static void check(bench *b, const uint32_t *a, uint32_t control, uint32_t nfmt, uint32_t scl)
{
    static ref_state s;
    uint32_t sticky;
    memset(&s, 0, offsetof(ref_state, memory));
    s.fp_ctl = control, s.nfmt = nfmt, s.scl = scl;
    for (unsigned i = 0; i < 4; i++) s.a[i] = a[i], tw_sim_set_a(b->sim, 0, i, a[i]);
    tw_sim_set_a(b->sim, 0, 4, 0), tw_sim_set_a(b->sim, 0, 5, 0);
    tw_sim_set_csr(b->sim, 0, 0x109, nfmt), tw_sim_set_csr(b->sim, 0, 0x10a, scl);
    bench_run(b, control);
    if (!ref_execute(&s, &b->insn)) fail_msg("'%s' has no reference", b->row->id);
    tw_sim_get_csr(b->sim, 0, FP_STS, &sticky);
    for (unsigned i = 4; i < 6; i++)
        if (tw_sim_get_a(b->sim, 0, i) != s.a[i])
            fail_msg("%s of %08x %08x, FP_CTL %x: $a%u is %08x, not %08x", b->row->name, a[0], a[1], control, i,
                     tw_sim_get_a(b->sim, 0, i), s.a[i]);
    if (sticky != s.fp_sts)
        fail_msg("%s of %08x, FP_CTL %x: flags %x, not %x", b->row->name, a[0], control, sticky, s.fp_sts);
}

/* The rows of the table that make something of halves in one register, pair or quad. */
static bool takes_halves(const tw_isa_row *row)
{
    return g_str_has_prefix(row->name, "f16") && row->count == 2 && row->operands[0]->writes &&
           row->operands[1]->file == TW_ISA_ARF && row->operands[1]->reads;
}

/* All halves in the lowest lane, others in the others. */
static void every_half(void **state)
{
    (void)state;
    const tw_isa_row *row;
    unsigned rows = 0, share = share_of_cases();
    for (size_t i = 0; (row = tw_isa_get(i)); i++) {
        if (!takes_halves(row)) continue;
        bench b = bench_of(row->name, 2, (const uint32_t[]){ 4, 0 });
        rows++;
        for (size_t m = 0; m < G_N_ELEMENTS(modes); m++)
            for (uint32_t h = 0; h < 0x10000; h += share) {
                uint32_t other = (h * 40503) & 0xffff, third = h ^ 0x8001, fourth = (h * 4660 + 13) & 0xffff;
                check(&b, (const uint32_t[]){ h | other << 16, third | fourth << 16, other, third << 16 }, modes[m],
                      0, 0);
            }
        tw_sim_free(b.sim);
    }
    assert_int_equal(rows, 18);
}

/* Functions of singles are rounded once from a value that is right to twice as many bits: wherever the function is
 * interesting, and anywhere, in all rounding modes. */
static void functions_of_singles(void **state)
{
    (void)state;
    enum { VALUES = 4000 };
    static const struct {
        const char *name;
        float low, high;
    } rows[] = { { "f32exp", -104, 89 }, { "f32exp2", -150, 128 }, { "f32ln", 0, 4 },
                 { "f32log2", 0, 4 },    { "f32tanh", -10, 10 },   { "f32sigm", -104, 20 },
                 { "f32sqrt", 0, 100 },  { "f32oox", -4, 4 },      { "f32oorx", 0, 100 } };
    GRand *rand = g_rand_new_with_seed(11);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        bench b = bench_of(rows[i].name, 2, (const uint32_t[]){ 4, 0 });
        for (size_t m = 0; m < G_N_ELEMENTS(modes); m++)
            for (unsigned k = 0; k < VALUES; k++) {
                float near = (float)g_rand_double_range(rand, (double)rows[i].low, (double)rows[i].high);
                uint32_t any = g_rand_int(rand), x = k % 4 == 0 ? any : bits_of(near);
                if (k % 4 == 1) x = (x & 0x807fffff) | (100 + any % 28) << 23; /* near to 0, and to 1 */
                if (k % 4 == 2 && rows[i].low == 0) x = 0x3f800000 + any % 4096 - 2048;
                check(&b, (const uint32_t[]){ x, 0, 0, 0 }, modes[m], 0, 0);
            }
        tw_sim_free(b.sim);
    }
    g_rand_free(rand);
}

/* Every half, the middle to the next one, and the singles on both sides of each: where rounding decides. */
static void narrowing_at_every_half(void **state)
{
    (void)state;
    bench b = bench_of("f32v2tof16", 2, (const uint32_t[]){ 4, 0 });
    for (size_t m = 0; m < G_N_ELEMENTS(modes); m++)
        for (uint32_t h = 0; h < 0x7c00; h++) {
            float low = (float)ref_half(h), high = h == 0x7bff ? 65536.0f : (float)ref_half(h + 1);
            uint32_t x = bits_of(low), y = bits_of((low + high) / 2);
            for (uint32_t d = 0; d < 3; d++) {
                uint32_t sign = (h + d) % 2 ? 0x80000000 : 0;
                check(&b, (const uint32_t[]){ (x ? x + d - 1 : d) | sign, (y + d - 1) | sign, 0, 0 }, modes[m], 0,
                      0);
            }
        }
    tw_sim_free(b.sim);
}

static void every_quarter(void **state)
{
    (void)state;
    bench to = bench_of("f16v2tof8", 2, (const uint32_t[]){ 4, 0 }),
          from = bench_of("f8v4tof16", 2, (const uint32_t[]){ 4, 0 });
    const unsigned share = share_of_cases();
    for (uint32_t nfmt = 0; nfmt < 2; nfmt++)
        for (size_t m = 0; m < G_N_ELEMENTS(modes); m++)
            for (uint32_t scl = 0; scl < 64; scl += 9) {
                for (uint32_t v = 0; v < 256; v += 4)
                    check(&from, (const uint32_t[]){ v | (v + 1) << 8 | (v + 2) << 16 | (v + 3) << 24, 0, 0, 0 },
                          modes[m], nfmt, scl);
                for (uint32_t h = scl / 9; h < 0x10000; h += 22 * share)
                    check(&to, (const uint32_t[]){ h | (0xffff - h) << 16, 0, 0, 0 }, modes[m], nfmt, scl);
            }
    tw_sim_free(to.sim), tw_sim_free(from.sim);
}

/* --- stochastic rounding ---------------------------------------------------------------------------------------- */

enum { DRAWS = 20000 };

/* Six standard deviations of a share of so many draws. */
static double spread(double p, double n)
{
    return 6 * sqrt(p * (1 - p) / n) + 1e-4;
}

/* A number between two halves becomes the upper one as often as it is near to it, in every lane, also when negative
 * or subnormal; lanes and draws do not depend on one another; a half stays itself. */
static void shares_of_stochastic_rounding(void **state)
{
    (void)state;
    static const double shares[] = { 0, 1 / 1024.0, 0.25, 0.5, 0.75, 1023 / 1024.0 };
    static const uint32_t halves[] = { 0x3c00, 0xbc00, 0x7bfe, 0x0001, 0x8200, 0x5555 };
    bench b = bench_of("f32v4tof16", 2, (const uint32_t[]){ 4, 0 });
    for (size_t i = 0; i < G_N_ELEMENTS(halves); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(shares); k++) {
            double low = ref_half(halves[i]), step = ref_half(halves[i] + 1) - low;
            unsigned up[4] = { 0 }, both = 0, twice = 0, last = 0;
            for (unsigned lane = 0; lane < 4; lane++)
                tw_sim_set_a(b.sim, 0, lane, bits_of((float)(low + shares[k] * step)));
            for (int n = 0; n < DRAWS; n++) {
                bench_run(&b, ESR);
                unsigned now[4];
                for (unsigned lane = 0; lane < 4; lane++) {
                    uint32_t h = tw_sim_get_a(b.sim, 0, 4 + lane / 2) >> 16 * (lane & 1) & 0xffff;
                    if (h != halves[i] && h != halves[i] + 1) fail_msg("%04x became %04x", halves[i], h);
                    up[lane] += now[lane] = h != halves[i];
                }
                both += now[0] & now[1], twice += now[0] & last, last = now[0];
            }
            for (unsigned lane = 0; lane < 4; lane++)
                if (fabs((double)up[lane] / DRAWS - shares[k]) > spread(shares[k], DRAWS))
                    fail_msg("%04x + %g: %u of %d in lane %u", halves[i], shares[k], up[lane], (int)DRAWS, lane);
            double product = shares[k] * shares[k];
            assert_true(fabs((double)both / DRAWS - product) <= spread(product, DRAWS));
            assert_true(fabs((double)twice / DRAWS - product) <= spread(product, DRAWS));
        }
    tw_sim_free(b.sim);
}

/* All instructions that round to half do so, each with one step of the generator; without ESR none of them draws. */
static void instructions_that_round_at_random(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned operands;
        uint32_t registers[4];
    } rows[] = { { "f32tof16", 2, { 4, 0 } },
                 { "f32v2tof16", 2, { 4, 0 } },
                 { "f32v4tof16", 2, { 4, 0 } },
                 { "f16v2add", 3, { 4, 0, 2 } },
                 { "f16v4add", 3, { 4, 0, 2 } },
                 { "f16v2mul", 3, { 4, 0, 2 } },
                 { "f16v4sub", 3, { 4, 0, 2 } },
                 { "f16v2exp", 2, { 4, 0 } },
                 { "f16v2tanh", 2, { 4, 0 } },
                 { "f16v4gacc", 1, { 4 } },
                 { "f16v4mix", 3, { 4, 0, 2 } },
                 { "f16v2gina", 3, { 4, 0, 0 } },
                 { "f16v2absadd", 3, { 4, 0, 2 } },
                 { "f16v4hihoamp", 4, { 4, 0, 2, 0 } },
                 { "f16v4sihoamp", 4, { 4, 0, 2, 0 } },
                 { "f16v4hihov4amp", 4, { 4, 0, 2, 0 } },
                 { "f16v4hihoslic", 4, { 4, 0, 2, 0 } },
                 { "f16v4sihoslic", 4, { 4, 0, 2, 0 } },
                 { "f16v4hihov4slic", 4, { 4, 0, 2, 0 } },
                 { "f8v8hihov4amp", 4, { 4, 0, 2, 0 } },
                 { "f8v8hihov4slic", 4, { 4, 0, 2, 0 } },
                 { "f16v4absadd", 3, { 4, 0, 2 } },
                 { "f16v2sub", 3, { 4, 0, 2 } },
                 { "f16v4mul", 3, { 4, 0, 2 } },
                 { "f16v2exp2", 2, { 4, 0 } },
                 { "f16v2ln", 2, { 4, 0 } },
                 { "f16v2log2", 2, { 4, 0 } },
                 { "f16v2sigm", 2, { 4, 0 } },
                 { "f16v2sufromui", 2, { 4, 0 } },
                 { "f16v4sufromui", 2, { 4, 0 } } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        bench b = bench_of(rows[i].name, rows[i].operands, rows[i].registers);
        bool single = strstr(rows[i].name, "tof16");
        for (uint32_t k = 0; k < 4; k++)
            tw_sim_set_a(b.sim, 0, k, single ? 0x3f801000 : k & 2 ? 0x10011001 : 0x3c013c01);
        uint64_t expected[2] = { UINT64_C(0x123456789abcdef0), UINT64_C(0x0fedcba987654321) };
        unsigned kinds = 0;
        uint32_t first = 0, again = 0;
        for (uint32_t k = 0; k < 4; k++)
            tw_sim_set_csr(b.sim, 0, PRNG + k, (uint32_t)(expected[k / 2] >> 32 * (k & 1)));
        for (int n = 0; n < 200; n++) {
            for (unsigned k = 0; k < 16; k++)
                tw_sim_set_accumulator(b.sim, 0, k, bits_of(1.00048828125f)); /* a middle */
            bench_run(&b, ESR);
            if (n == 0) first = tw_sim_get_a(b.sim, 0, 4);
            kinds |= tw_sim_get_a(b.sim, 0, 4) != first;
            ref_random(expected);
        }
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t word;
            tw_sim_get_csr(b.sim, 0, PRNG + k, &word);
            if (word != (uint32_t)(expected[k / 2] >> 32 * (k & 1)))
                fail_msg("%s: not one step each", rows[i].name);
        }
        if (!kinds) fail_msg("%s always gives the same", rows[i].name);
        bench_run(&b, 0);
        tw_sim_get_csr(b.sim, 0, PRNG, &again);
        assert_int_equal(again, (uint32_t)expected[0]);
        tw_sim_free(b.sim);
    }
}

/* Shares of a random mask and of the two Gaussian numbers: mean 0, deviation near 1 (ISA, 10.8). */
static void random_numbers(void **state)
{
    (void)state;
    bench mask = bench_of("f16v4rmask", 3, (const uint32_t[]){ 4, 0, 2 });
    tw_sim_set_a(mask.sim, 0, 0, 0x3c003c00), tw_sim_set_a(mask.sim, 0, 1, 0x3c003c00);
    for (uint32_t r = 0; r <= 0x10000; r += 0x4000) {
        double kept = 0;
        tw_sim_set_a(mask.sim, 0, 2, r);
        for (int n = 0; n < DRAWS; n++) {
            bench_run(&mask, 0);
            for (unsigned lane = 0; lane < 4; lane++)
                kept += (tw_sim_get_a(mask.sim, 0, 4 + lane / 2) >> 16 * (lane & 1) & 0xffff) != 0;
        }
        assert_true(fabs(kept / (4 * DRAWS) - r / 65536.0) <= spread(r / 65536.0, 4 * DRAWS));
    }
    tw_sim_free(mask.sim);
    bench gauss = bench_of("f32v2grand", 1, (const uint32_t[]){ 4 });
    double sum = 0, squares = 0;
    for (int n = 0; n < DRAWS; n++) {
        bench_run(&gauss, 0);
        for (unsigned k = 4; k < 6; k++) {
            double v = (double)float_of(tw_sim_get_a(gauss.sim, 0, k));
            sum += v, squares += v * v;
        }
    }
    assert_true(fabs(sum / (2 * DRAWS)) < 6 / sqrt(2 * DRAWS));
    assert_true(fabs(squares / (2 * DRAWS) - 1) < 0.05);
    tw_sim_free(gauss.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_half),
                                        cmocka_unit_test(functions_of_singles),
                                        cmocka_unit_test(narrowing_at_every_half),
                                        cmocka_unit_test(every_quarter),
                                        cmocka_unit_test(shares_of_stochastic_rounding),
                                        cmocka_unit_test(instructions_that_round_at_random),
                                        cmocka_unit_test(random_numbers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
