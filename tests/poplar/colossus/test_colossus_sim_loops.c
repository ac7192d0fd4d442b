/* SPDX-License-Identifier: MIT */
/* The loops of the user guide, chapter 7.4, on the simulator: a value is added to N pairs of floats. Lengths 0 to 17,
 * words around the array that must not change, turns counted by hand, and the memory clashes of 7.4.1. */
#include "sim_test.h"

enum { ARRAY = 0x82000, GUARD = 0x5a5a5a5a, LONGEST = 17, GUARDS = 8 };

/* $m0 acts, $m1 N in words of 64 bits, $a6:7 the addend. */
static const char plain[] = ".worker\n.align 8\n"
                            "f: mov $m5, $m0\n"
                            "  rpt $m1, (2f - 1f)/8 - 1\n"
                            "1:\n"
                            "{ ld64 $a0:1, $mzero, $m5, 0\n fnop }\n"
                            "{ nop\n f32v2add $a0:1, $a0:1, $a6:7 }\n"
                            "{ st64step $a0:1, $mzero, $m5+=, 1\n fnop }\n"
                            "2: exitz $mzero\n";

/* 7.4.2 with three values in flight: the store is 24 bytes behind the load. Before and behind the loop the pipeline
 * is filled and drained one word at a time; N is at least 3 for it, smaller ones take the plain loop. */
static const char paced[] = ".worker\n.align 8\n"
                            "f: mov $m5, $m0\n"
                            "  cmpult $m2, $m1, 6\n"
                            "  brnz $m2, 5f\n"
                            "  ld64step $a0:1, $mzero, $m5+=, 1\n"
                            "  ld64step $a2:3, $mzero, $m5+=, 1\n"
                            "  ld64step $a4:5, $mzero, $m5+=, 1\n"
                            "  f32v2add $a0:1, $a0:1, $a6:7\n"
                            "  f32v2add $a2:3, $a2:3, $a6:7\n"
                            "  tapack $m6:7, $m5, $mzero, $m0\n"
                            "  sub $m8, $m1, 3\n"
                            "  setzi $m2, 0xaaab\n" /* rounds of three: (N - 3) / 3 */
                            "  mul $m3, $m8, $m2\n"
                            "  shr $m3, $m3, 17\n"
                            "  mul $m4, $m3, 3\n"
                            "  sub $m8, $m8, $m4\n" /* words left over */
                            "  rpt $m3, (2f - 1f)/8 - 1\n"
                            "1:\n"
                            "{ ldst64pace $a0:1, $a0:1, $m6:7+=, $mzero, 0\n f32v2add $a4:5, $a4:5, $a6:7 }\n"
                            "{ ldst64pace $a2:3, $a2:3, $m6:7+=, $mzero, 0\n f32v2add $a0:1, $a0:1, $a6:7 }\n"
                            "{ ldst64pace $a4:5, $a4:5, $m6:7+=, $mzero, 0\n f32v2add $a2:3, $a2:3, $a6:7 }\n"
                            "2:\n"
                            "{ st64pace $a0:1, $m6:7+=, $mzero, 0\n f32v2add $a4:5, $a4:5, $a6:7 }\n"
                            "  st64pace $a2:3, $m6:7+=, $mzero, 0\n"
                            "  st64pace $a4:5, $m6:7+=, $mzero, 0\n"
                            "  mul $m4, $m4, 8\n"
                            "  add $m5, $m0, $m4\n"
                            "  add $m5, $m5, 24\n"
                            "  bri 6f\n"
                            "5: mov $m8, $m1\n"
                            "6: brz $m8, 8f\n"
                            "7: ld64 $a0:1, $mzero, $m5, 0\n"
                            "  f32v2add $a0:1, $a0:1, $a6:7\n"
                            "  st64step $a0:1, $mzero, $m5+=, 1\n"
                            "  add $m8, $m8, -1\n"
                            "  brnz $m8, 7b\n"
                            "8: exitz $mzero\n";

/* 7.4.3: f32v2axpy holds one value; the loop runs (N - 2) / 2 times (as printed it would write two words too many),
 * fewer than three words go one by one. */
static const char axpy[] = ".worker\n.align 8\n"
                           "f: mov $m5, $m0\n"
                           "  setzi $a0, 0\n"
                           "  or $a0, $a0, 0x3f800000\n" /* 1.0f */
                           "  uput $TAS, $a0\n"
                           "  cmpult $m2, $m1, 3\n"
                           "  brnz $m2, 5f\n"
                           "  mov $m4, $m0\n"
                           "  ld64step $a0:1, $mzero, $m4+=, 1\n"
                           "{ ld64step $a2:3, $mzero, $m4+=, 1\n f32v2axpy $azeros, $a6:7, $a0:1 }\n"
                           "{ ld64step $a0:1, $mzero, $m4+=, 1\n f32v2axpy $a2:3, $a6:7, $a2:3 }\n"
                           "  tapack $m6:7, $m4, $mzero, $m0\n"
                           "  sub $m8, $m1, 2\n"
                           "  shr $m8, $m8, 1\n"
                           "  rpt $m8, (2f - 1f)/8 - 1\n"
                           "1:\n"
                           "{ ldst64pace $a2:3, $a2:3, $m6:7+=, $mzero, 0\n f32v2axpy $a0:1, $a6:7, $a0:1 }\n"
                           "{ ldst64pace $a0:1, $a0:1, $m6:7+=, $mzero, 0\n f32v2axpy $a2:3, $a6:7, $a2:3 }\n"
                           "2:\n"
                           "  and $m4, $m1, 1\n"
                           "  brnz $m4, 3f\n"
                           "{ st64pace $a2:3, $m6:7+=, $mzero, 0\n f32v2axpy $a0:1, $azeros, $azeros }\n"
                           "  st64pace $a0:1, $m6:7+=, $mzero, 0\n"
                           "  bri 4f\n"
                           "3:\n"
                           "{ st64pace $a2:3, $m6:7+=, $mzero, 0\n f32v2axpy $a0:1, $a6:7, $a0:1 }\n"
                           "{ st64pace $a0:1, $m6:7+=, $mzero, 0\n f32v2axpy $a2:3, $azeros, $azeros }\n"
                           "  st64pace $a2:3, $m6:7+=, $mzero, 0\n"
                           "4: exitz $mzero\n"
                           "5: brz $m1, 4b\n"
                           "6: ld64 $a0:1, $mzero, $m5, 0\n"
                           "  f32v2add $a0:1, $a0:1, $a6:7\n"
                           "  st64step $a0:1, $mzero, $m5+=, 1\n"
                           "  add $m1, $m1, -1\n"
                           "  brnz $m1, 6b\n"
                           "  bri 4b\n";

static void add_to(const char *text, uint32_t array, unsigned n)
{
    machine m = machine_of(text);
    for (unsigned i = 0; i < GUARDS; i++)
        poke(&m, array - 4 * (i + 1), GUARD), poke(&m, array + 8 * n + 4 * i, GUARD);
    for (unsigned i = 0; i < 2 * n; i++) poke(&m, array + 4 * i, bits_of((float)i + 0.25f));
    tw_sim_set_m(m.sim, 0, 0, array);
    tw_sim_set_m(m.sim, 0, 1, n);
    tw_sim_set_a(m.sim, 0, 6, bits_of(10.5f));
    tw_sim_set_a(m.sim, 0, 7, bits_of(-3.0f));
    run_to_exit(&m);
    for (unsigned i = 0; i < 2 * n; i++) {
        float want = (float)i + 0.25f + (i & 1 ? -3.0f : 10.5f);
        if (peek(&m, array + 4 * i) != bits_of(want)) fail_msg("length %u, element %u", n, i);
    }
    for (unsigned i = 0; i < GUARDS; i++)
        if (peek(&m, array - 4 * (i + 1)) != GUARD || peek(&m, array + 8 * n + 4 * i) != GUARD)
            fail_msg("length %u: guard word %u", n, i);
    machine_free(&m);
}

static void all_lengths(void **state)
{
    (void)state;
    for (unsigned n = 0; n <= LONGEST; n++) {
        add_to(plain, ARRAY, n);
        add_to(plain, 0x60000, n); /* region 0: no instruction has two accesses */
        add_to(paced, ARRAY, n);
        add_to(axpy, ARRAY, n);
    }
}

/* mov, rpt, three bundles for each word, exit. */
static void turns_of_the_plain_loop(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= LONGEST; n++) {
        machine m = machine_of(plain);
        tw_sim_set_m(m.sim, 0, 0, ARRAY);
        tw_sim_set_m(m.sim, 0, 1, n);
        run_to_exit(&m);
        assert_int_equal(tw_sim_turns(m.sim, 0), 3 + 3 * n);
        assert_int_equal(tw_sim_cycles(m.sim), 6 * (3 + 3 * n));
        machine_free(&m);
    }
}

/* One ldst64pace whose load is `distance` bytes before its store. */
static tw_sim_cause pair_of_accesses(uint32_t load, uint32_t distance)
{
    machine m = machine_of(".worker\nf: tapack $m6:7, $m0, $mzero, $m1\n"
                           "ldst64pace $a0:1, $a2:3, $m6:7+=, $mzero, 0\nexitz $mzero\n");
    tw_sim_set_m(m.sim, 0, 0, load);
    tw_sim_set_m(m.sim, 0, 1, load + distance);
    tw_sim_cause cause = TW_SIM_CAUSE_NONE;
    if (run_worker_from(&m, VERTEX) == TW_SIM_FAULT) {
        const tw_sim_exception *e = tw_sim_get_exception(m.sim);
        cause = e->cause;
        assert_int_equal(e->address_count, 2);
        assert_int_equal(e->addresses[0], load);
        assert_int_equal(e->addresses[1], load + distance);
        assert_int_equal(e->pc, m.entry + 4);
        assert_int_equal(e->type, 6);
        assert_int_equal(tw_sim_get_m(m.sim, 0, 6) & 0x1fffff, load); /* nothing has moved */
        assert_int_equal(tw_sim_turns(m.sim, 0), 1);
    }
    machine_free(&m);
    return cause;
}

static void memory_clashes(void **state)
{
    (void)state;
    static const struct {
        uint32_t load, distance;
        bool clash;
    } rows[] = {
        { 0x82000, 8, false },      { 0x82000, 16, true },      { 0x82000, 24, false }, { 0x82008, 16, true },
        { 0x82008, 24, false },     { 0x60000, 8, true },       { 0x60000, 16, true },  { 0x60000, 24, true },
        { 0x60000, 0x3ff8, true },  { 0x60000, 0x4000, false }, { 0x63ff8, 8, false },  { 0x80000, 0x7ff0, true },
        { 0x80000, 0x7ff8, false }, { 0x80000, 0x8000, false }, { 0x82000, 0, true },   { 0x7fff8, 8, false },
        { 0xe7fe8, 8, false },      { 0xe7fe8, 16, true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_sim_cause cause = pair_of_accesses(rows[i].load, rows[i].distance);
        if (cause != (rows[i].clash ? TW_SIM_CAUSE_CONFLICT : TW_SIM_CAUSE_NONE))
            fail_msg("0x%x and %u bytes behind: %s", rows[i].load, rows[i].distance, tw_sim_cause_name(cause));
    }
}

/* --- division by six (guide 7.5.3) ------------------------------------------------------------------------------ */

/* On the tile, for every number below 98,304; the next one is wrong. */
static void quotients_on_the_tile(void **state)
{
    (void)state;
    machine m = machine_of(".worker\nf: setzi $m2, 0xaaab\n1: mul $m6, $m0, $m2\nshr $m6, $m6, 18\n"
                           "cmpne $m7, $m6, $m3\nadd $m5, $m5, $m7\nadd $m0, $m0, 1\nadd $m4, $m4, 1\n"
                           "cmpeq $m7, $m4, 6\nbrz $m7, 2f\nsetzi $m4, 0\nadd $m3, $m3, 1\n"
                           "2: brnzdec $m1, 1b\nmul $m6, $m0, $m2\nshr $m6, $m6, 18\nexitz $mzero\n");
    tw_sim_set_m(m.sim, 0, 1, 98303);
    tw_sim_launch launch = { .entry = m.entry, .vertex_base = VERTEX };
    assert_int_equal(tw_sim_start(m.sim, 0, &launch), TW_OK);
    assert_int_equal(tw_sim_run(m.sim, 2 * TURN_LIMIT), TW_SIM_DONE);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 0), 98304);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 3), 98304 / 6);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 5), 0);
    assert_true(tw_sim_get_m(m.sim, 0, 6) != 98304 / 6);
    machine_free(&m);
}

/* On the host, quotient and remainder in 16 bits: the parts of the six workers lie one behind the other and make the
 * whole, for all numbers that fit (decision 28). */
static void shares_from_the_host(void **state)
{
    (void)state;
    machine m = machine_of(".worker\nf: ldz16 $m0, $mvertex_base, $mzero, 1\nget $m4, $WSR\nand $m4, $m4, 7\n"
                           "and $m1, $m0, 7\nshr $m0, $m0, 3\nmul $m2, $m4, $m0\nmin $m3, $m1, $m4\n"
                           "add $m2, $m2, $m3\ncmpult $m3, $m4, $m1\nadd $m3, $m3, $m0\nexitz $mzero\n");
    for (uint32_t n = 0; n <= 49151; n++) {
        tw_sim_launch launch = { .entry = m.entry, .vertex_base = VERTEX };
        uint32_t behind = 0;
        poke(&m, VERTEX, (n / 6 << 3 | n % 6) << 16);
        assert_int_equal(tw_sim_start_all(m.sim, &launch, 0, 0), TW_OK);
        assert_int_equal(tw_sim_run(m.sim, TURN_LIMIT), TW_SIM_DONE);
        for (unsigned w = 0; w < TW_SIM_WORKERS; w++) {
            if (tw_sim_get_m(m.sim, w, 2) != behind) fail_msg("%u, worker %u begins elsewhere", n, w);
            behind += tw_sim_get_m(m.sim, w, 3);
            if (tw_sim_get_m(m.sim, w, 3) - n / 6 > 1) fail_msg("%u, worker %u has another share", n, w);
        }
        if (behind != n) fail_msg("%u become %u", n, behind);
    }
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lengths),          cmocka_unit_test(turns_of_the_plain_loop),
        cmocka_unit_test(memory_clashes),       cmocka_unit_test(quotients_on_the_tile),
        cmocka_unit_test(shares_from_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
