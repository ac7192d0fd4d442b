/* SPDX-License-Identifier: MIT */
/* Control and status registers (ISA, chapter 2): which there are, for every index, chip and kind of context, and what
 * each of those does that do more than keep a word. */
#include "sim_test.h"

enum { W = 1, S = 2, B = 3, READ_ONLY = 4, IPU21_ONLY = 8, INDICES = 512 };

/* From chapter 2, not from the table of the sources. Only `put` of a row without READ_ONLY changes anything. */
static const struct {
    unsigned first, last, how;
} documented[] = {
    { 0x00, 0x00, B | READ_ONLY },
    { 0x70, 0x70, B },
    { 0x71, 0x71, B | READ_ONLY },
    { 0x01, 0x01, S | READ_ONLY },
    { 0x02, 0x02, S },
    { 0x03, 0x03, S | READ_ONLY },
    { 0x20, 0x20, S },
    { 0x21, 0x26, S },
    { 0x31, 0x31, S | IPU21_ONLY },
    { 0x33, 0x33, S | IPU21_ONLY },
    { 0x50, 0x50, S },
    { 0x60, 0x61, S | READ_ONLY },
    { 0x72, 0x72, S | READ_ONLY },
    { 0x73, 0x75, S },
    { 0x80, 0x82, S },
    { 0x90, 0x92, S },
    { 0xa0, 0xab, S },
    { 0x01, 0x06, W | READ_ONLY },
    { 0x60, 0x61, W | READ_ONLY },
    { 0x100, 0x108, W },
    { 0x109, 0x10a, W | IPU21_ONLY },
};

static unsigned how_of(tw_isa_arch arch, unsigned context, unsigned index)
{
    unsigned kind = context == TW_SIM_SUPERVISOR ? S : W;
    for (size_t i = 0; i < G_N_ELEMENTS(documented); i++)
        if (index >= documented[i].first && index <= documented[i].last && (documented[i].how & kind) &&
            (!(documented[i].how & IPU21_ONLY) || arch == TW_ISA_IPU21))
            return documented[i].how;
    return 0;
}

static void registers_that_exist(void **state)
{
    (void)state;
    static const tw_isa_arch chips[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
    for (size_t c = 0; c < 3; c++)
        for (unsigned context = 0; context < TW_SIM_CONTEXTS; context += 2)
            for (unsigned index = 0; index < INDICES + 2; index++) {
                tw_sim_options options = { .size = sizeof options, .arch = chips[c] };
                tw_sim *sim = tw_sim_new(&options);
                unsigned how = index < INDICES ? how_of(chips[c], context, index) : 0;
                uint32_t value;
                tw_status got = tw_sim_get_csr(sim, context, index, &value);
                tw_status put = tw_sim_set_csr(sim, context, index, 0);
                if (got != (how ? TW_OK : TW_E_INDEX) || put != (!how              ? TW_E_INDEX
                                                                 : how & READ_ONLY ? TW_E_INVALID_ARGUMENT
                                                                                   : TW_OK))
                    fail_msg("context %u of %s, 0x%x: %d %d", context, tw_isa_arch_name(chips[c]), index, got, put);
                tw_sim_free(sim);
            }
}

/* Those without a meaning of their own give back what was written, and each has its own place. */
static void registers_that_keep(void **state)
{
    (void)state;
    static const unsigned acting[] = { 0x02, 0x100, 0x101, 0x102, 0x107 };
    tw_sim_options options = { .size = sizeof options, .arch = TW_ISA_IPU21 };
    tw_sim *sim = tw_sim_new(&options);
    for (unsigned context = 0; context < TW_SIM_CONTEXTS; context++)
        for (int check = 0; check < 2; check++)
            for (unsigned index = 0; index < INDICES; index++) {
                unsigned how = how_of(TW_ISA_IPU21, context, index);
                bool skipped = !how || (how & READ_ONLY);
                for (size_t i = 0; i < G_N_ELEMENTS(acting); i++) skipped |= index == acting[i];
                uint32_t want = 0x10101000 * (context + 1) + index, value;
                if (skipped) continue;
                if (check)
                    assert_int_equal(tw_sim_get_csr(sim, context, index, &value), TW_OK);
                else
                    assert_int_equal(tw_sim_set_csr(sim, context, index, want), TW_OK);
                if (check && value != want) fail_msg("context %u, 0x%x: 0x%x", context, index, value);
            }
    tw_sim_free(sim);
}

/* --- by instructions -------------------------------------------------------------------------------------------- */

static uint32_t csr(machine *m, unsigned context, unsigned index)
{
    uint32_t value = 0;
    assert_int_equal(tw_sim_get_csr(m->sim, context, index, &value), TW_OK);
    return value;
}

static void run_supervisor(machine *m)
{
    tw_sim_launch launch = { .entry = m->entry, .vertex_base = VERTEX };
    assert_int_equal(tw_sim_start(m->sim, TW_SIM_SUPERVISOR, &launch), TW_OK);
    tw_sim_stop stop = tw_sim_run(m->sim, TURN_LIMIT);
    if (stop == TW_SIM_FAULT) fail_msg("%s", tw_sim_get_exception(m->sim)->message);
    assert_int_equal(stop, TW_SIM_DONE);
}

/* `put` of a read-only register changes nothing and is no exception; FP_STS, FP_CLR, FP_CTL, PRNG_SEED act. */
static void actions_of_workers(void **state)
{
    (void)state;
    machine m = machine_of(
        ".worker\nf: setzi $m1, 0xfffff\nput $WSR, $m1\nput $VERTEX_BASE, $m1\nput $WORKER_BASE, $m1\nput "
        "$COUNT_L, $m1\n"
        "get $m2, $WSR\nget $m3, $VERTEX_BASE\nget $m4, $WORKER_BASE\n"
        "setzi $a0, 7\nuput $FP_STS, $a0\nsetzi $a1, 5\nuput $FP_CLR, $a1\nuget $a2, $FP_STS\nuget $a3, $FP_CLR\n"
        "ldconst $a0, -1\nuput $FP_CTL, $a0\nuget $a4, $FP_CTL\nuput $FP_CTL, $azero\n"
        "ldconst $a0, 0x89abcdef\nuput $PRNG_SEED, $a0\nuget $a5, $PRNG_SEED\nexitz $mzero\n");
    for (unsigned k = 0; k < 32; k++) tw_sim_set_accumulator(m.sim, 0, k, 0x3f800000 + k);
    run_to_exit(&m);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 2), 0);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 3), VERTEX);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 4), SCRATCH);
    assert_int_equal(tw_sim_get_a(m.sim, 0, 2), 2); /* DIV0 alone is left */
    assert_int_equal(tw_sim_get_a(m.sim, 0, 3), 0);
    assert_int_equal(tw_sim_get_a(m.sim, 0, 4), 0x1f0007); /* the fields that there are */
    assert_int_equal(tw_sim_get_a(m.sim, 0, 5), 0);
    static const uint32_t seeded[] = { 0x89abcdef, 0x76543210, 0x89abcdef >> 19, 0x76543210 >> 19 };
    for (unsigned k = 0; k < 4; k++) assert_int_equal(csr(&m, 0, 0x103 + k), seeded[k]);
    for (unsigned k = 0; k < 32; k++) assert_int_equal(tw_sim_get_accumulator(m.sim, 0, k), 0x3f800000 + k);
    assert_int_equal(tw_sim_set_csr(m.sim, 0, 0x101, 8), TW_OK); /* ZAACC */
    for (unsigned k = 0; k < 32; k++) assert_int_equal(tw_sim_get_accumulator(m.sim, 0, k), 0);
    assert_int_equal(csr(&m, 0, 0x100), 2);
    machine_free(&m);
}

/* ISA, 4: at launch FP_CTL is FP_ICTL and FP_STS 0; random state, $TAS and accumulators stay. */
static void launch_of_a_worker(void **state)
{
    (void)state;
    machine m = machine_of(".worker\nf: exitz $mzero\n");
    tw_sim_set_csr(m.sim, 0, 0x100, 7), tw_sim_set_csr(m.sim, 0, 0x102, 0x40000);
    tw_sim_set_csr(m.sim, 0, 0x108, 1234), tw_sim_set_csr(m.sim, 0, 0x105, 99);
    tw_sim_set_accumulator(m.sim, 0, 3, 77);
    tw_sim_set_csr(m.sim, TW_SIM_SUPERVISOR, 0x20, 0x110003);
    run_to_exit(&m);
    assert_int_equal(csr(&m, 0, 0x100), 0);
    assert_int_equal(csr(&m, 0, 0x102), 0x110003);
    assert_int_equal(csr(&m, 0, 0x108), 1234);
    assert_int_equal(csr(&m, 0, 0x105), 99);
    assert_int_equal(tw_sim_get_accumulator(m.sim, 0, 3), 77);
    machine_free(&m);
}

/* CR: consensus and weights; TILE_ID; bases of the workers, which these find in $mworker_base. */
static void actions_of_the_supervisor(void **state)
{
    (void)state;
    tw_sim_options options = { .size = sizeof options, .tile = 777 };
    machine m =
        machine_with(&options, ".supervisor\nf: get $m4, $TILE_ID\nsetzi $m1, 1\nput $CR, $m1\nget $m5, $SSR\n"
                               "setzi $m1, 2\nput $CR, $m1\nget $m6, $SSR\nget $m7, $CR\n"
                               "setzi $m2, 0x90400\nput $WORKER3_BASE, $m2\nget $m8, $WORKER3_BASE\n"
                               "put $SSR, $mzero\nsetzi $m1, 4\nput $CR, $m1\nbr $lr\n");
    for (unsigned k = 0; k < 64; k++) tw_sim_set_weight(m.sim, k, k + 1);
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++) tw_sim_set_csr(m.sim, TW_SIM_SUPERVISOR, 0x21 + w, 0x90000 + w);
    run_supervisor(&m);
    assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 4), 777);
    assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 5) & 1, 0);
    assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 6) & 1, 1);
    assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 7), 0);
    assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 8), 0x90400);
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++) {
        uint32_t base = w == 3 ? 0x90400 : 0x90000 + w;
        assert_int_equal(csr(&m, TW_SIM_SUPERVISOR, 0x21 + w), base);
        assert_int_equal(csr(&m, w, 3), base);
        assert_int_equal(tw_sim_get_m(m.sim, w, 12), base);
    }
    for (unsigned k = 0; k < 64; k++) assert_true(tw_sim_get_weight(m.sim, k) == 0);
    machine_free(&m);
}

/* CCCSLOAD moves on by what was loaded; the weights come from there. */
static void loads_of_weights(void **state)
{
    (void)state;
    machine m = machine_of(".supervisor\nf: put $CCCSLOAD, $m0\nld64putcs 0\nget $m4, $CCCSLOAD\nld64putcs 63\n"
                           "ld128putcs 10\nget $m5, $CCCSLOAD\nbr $lr\n");
    for (uint32_t i = 0; i < 8; i++) poke(&m, VERTEX + 4 * i, 0x1000 + i);
    run_supervisor(&m);
    assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 4), VERTEX + 8);
    assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 5), VERTEX + 32);
    static const struct {
        unsigned index;
        uint64_t value;
    } want[] = { { 0, UINT64_C(0x100100001000) },
                 { 63, UINT64_C(0x100300001002) },
                 { 10, UINT64_C(0x100500001004) },
                 { 11, UINT64_C(0x100700001006) },
                 { 1, 0 },
                 { 12, 0 } };
    for (size_t i = 0; i < G_N_ELEMENTS(want); i++)
        assert_true(tw_sim_get_weight(m.sim, want[i].index) == want[i].value);
    machine_free(&m);
}

/* The cycle counter has 64 bits, the same for all contexts. */
static void counters(void **state)
{
    (void)state;
    static const char *const names[] = { "COUNT_L", "COUNT_U", "SCOUNT_L", "SCOUNT_U" };
    for (unsigned k = 0; k < 4; k++) {
        bool supervisor = k > 1;
        g_autofree char *text =
            g_strdup_printf("%s\nf: nop\nget $m4, $%s\n%s\n", supervisor ? ".supervisor" : ".worker", names[k],
                            supervisor ? "br $lr" : "exitz $mzero");
        machine m = machine_of(text);
        tw_sim_advance(m.sim, UINT64_C(0x500000010));
        tw_sim_launch launch = { .entry = m.entry, .vertex_base = VERTEX };
        unsigned context = supervisor ? TW_SIM_SUPERVISOR : 2;
        assert_int_equal(tw_sim_start(m.sim, context, &launch), TW_OK);
        assert_int_equal(tw_sim_run(m.sim, TURN_LIMIT), TW_SIM_DONE);
        uint32_t got = tw_sim_get_m(m.sim, context, 4);
        if (k & 1)
            assert_int_equal(got, 5);
        else if (supervisor)
            assert_in_range(got, 0x11, 0x16);
        else
            assert_int_equal(got, 0x16); /* one turn of six cycles */
        machine_free(&m);
    }
}

/* REPEAT_COUNT, _FIRST and _END while a loop runs, by steps from outside: no instruction may read them there. */
static void repeat_registers(void **state)
{
    (void)state;
    machine m = machine_of(".worker\n.align 8\nf: nop\nrpt 3, 1\n{ nop ; fnop }\n{ add $m0, $m0, 1 ; fnop }\n"
                           "get $m1, $REPEAT_COUNT\nexitz $mzero\n");
    tw_sim_launch launch = { .entry = m.entry, .vertex_base = VERTEX };
    assert_int_equal(tw_sim_start(m.sim, 0, &launch), TW_OK);
    for (unsigned step = 0; step < 2; step++) assert_int_equal(tw_sim_step(m.sim, 0), TW_SIM_LIMIT);
    for (uint32_t left = 3; left; left--)
        for (uint32_t bundle = 0; bundle < 2; bundle++) {
            assert_int_equal(csr(&m, 0, 4), left);
            assert_int_equal(csr(&m, 0, 5), m.entry + 8);
            assert_int_equal(csr(&m, 0, 6), m.entry + 24);
            assert_int_equal(csr(&m, 0, 0), m.entry + 8 + 8 * bundle);
            assert_int_equal(tw_sim_step(m.sim, 0), TW_SIM_LIMIT);
        }
    assert_int_equal(csr(&m, 0, 4), 0);
    assert_int_equal(tw_sim_run(m.sim, TURN_LIMIT), TW_SIM_DONE);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 0), 3);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 1), 0);
    machine_free(&m);
}

/* CTXT_STS: two bits of each context, the supervisor's lowest: 0 idle, 1 active, 2 and 3 exceptions, of the debugger
 * and others. */
static void states_of_contexts(void **state)
{
    (void)state;
    machine m =
        machine_of(".worker\nf: get $m0, $WSR\ncmpeq $m1, $m0, 1\nbrnz $m1, 1f\ncmpeq $m1, $m0, 4\nbrnz $m1, 2f\n"
                   "exitz $mzero\n1: trap 0\n2: ld32 $m0, $mzero, 0\n");
    tw_sim_launch launch = { .entry = m.entry, .vertex_base = VERTEX };
    assert_int_equal(csr(&m, TW_SIM_SUPERVISOR, 0x72), 0);
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++) {
        assert_int_equal(tw_sim_start(m.sim, w, &launch), TW_OK);
        assert_int_equal(csr(&m, TW_SIM_SUPERVISOR, 0x72) >> (2 + 2 * w), 1);
    }
    while (tw_sim_run(m.sim, TURN_LIMIT) != TW_SIM_DONE) {
    }
    assert_int_equal(csr(&m, TW_SIM_SUPERVISOR, 0x72), 2 << (2 + 2 * 1) | 3 << (2 + 2 * 4));
    assert_int_equal(tw_sim_start(m.sim, TW_SIM_SUPERVISOR, &launch), TW_OK);
    assert_int_equal(csr(&m, TW_SIM_SUPERVISOR, 0x72) & 3, 1);
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_that_exist),
        cmocka_unit_test(registers_that_keep),
        cmocka_unit_test(actions_of_workers),
        cmocka_unit_test(launch_of_a_worker),
        cmocka_unit_test(actions_of_the_supervisor),
        cmocka_unit_test(loads_of_weights),
        cmocka_unit_test(counters),
        cmocka_unit_test(repeat_registers),
        cmocka_unit_test(states_of_contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
