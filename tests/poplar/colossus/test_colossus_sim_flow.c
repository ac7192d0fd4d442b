/* SPDX-License-Identifier: MIT */
/* Branches, loops, ends of workers, control registers, exceptions with their causes, and the supervisor. */
#include "sim_test.h"

/* --- exceptions ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    tw_sim_cause cause;
    uint32_t offset; /* of the pc from the start */
} faults[] = {
    { "f: nop\ntrap 0\n", TW_SIM_CAUSE_TRAP0, 4 },
    { "f: trap 3\n", TW_SIM_CAUSE_TRAP1, 0 },
    { "f: ld32 $m0, $mzero, 0\n", TW_SIM_CAUSE_INVALID_ADDRESS, 0 },
    { "f: setzi $m1, 0xe7ffc\nld32 $m0, $m1, 0\nld32 $m0, $m1, 1\n", TW_SIM_CAUSE_INVALID_ADDRESS, 8 },
    { "f: setzi $m1, 0x4bffc\nst32 $m0, $m1, 0\n", TW_SIM_CAUSE_INVALID_ADDRESS, 4 },
    { "f: setzi $m1, 0x81002\nld32 $m0, $m1, 0\n", TW_SIM_CAUSE_MISALIGNED, 4 },
    { "f: setzi $m1, 0x81001\nldz16 $m0, $m1, 0\n", TW_SIM_CAUSE_MISALIGNED, 4 },
    { "f: setzi $m1, 0x81004\nld64 $a0:1, $m1, 0\n", TW_SIM_CAUSE_MISALIGNED, 4 },
    { "f: setzi $m1, 0x81008\nld128 $a0:3, $m1, 0\n", TW_SIM_CAUSE_MISALIGNED, 4 },
    { "f: setzi $m1, 0x60000\nld128 $a0:3, $m1, 0\n", TW_SIM_CAUSE_INVALID_REGION, 4 },
    { "f: put 255, $mzero\n", TW_SIM_CAUSE_INVALID_CSR, 0 },
    { "f: uget $a0, 200\n", TW_SIM_CAUSE_INVALID_CSR, 0 },
    { "f: .int 0x3f000000\n", TW_SIM_CAUSE_ILLEGAL_INSTRUCTION, 0 },
    { "f: .int 0x99e00000, 0x19e00000\n", TW_SIM_CAUSE_ILLEGAL_BUNDLE, 0 },
    { "f: .int 0x99e00000, 0x99e00000\n", TW_SIM_CAUSE_ILLEGAL_BUNDLE, 0 },
    { ".allow_invalid_execution_mode\nf: sync 2\n", TW_SIM_CAUSE_ILLEGAL_CONTEXT, 0 },
    { ".align 8\n.allow_invalid_repeat\nf: nop\nrpt 3, 0\nnop\nfnop\n", TW_SIM_CAUSE_INSTRUCTION_IN_REPEAT, 8 },
    { ".align 8\n.allow_invalid_repeat\nf: nop\nrpt 3, 0\n{ bri f\n fnop }\n", TW_SIM_CAUSE_INSTRUCTION_IN_REPEAT,
      8 },
    { ".align 8\n.allow_invalid_repeat\nf: nop\nrpt 3, 0\n{ get $m0, $WSR\n fnop }\n",
      TW_SIM_CAUSE_INSTRUCTION_IN_REPEAT, 8 },
    { ".align 8\n.allow_invalid_repeat\nf: rpt 3, 0\n{ nop\n fnop }\n", TW_SIM_CAUSE_REPEAT_MISALIGNED, 0 },
};

static void every_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        g_autofree char *text = g_strconcat(".worker\n", faults[i].text, "exitz $mzero\n", NULL);
        machine m = machine_of(text);
        tw_sim_stop stop = run_worker_from(&m, VERTEX);
        const tw_sim_exception *e = tw_sim_get_exception(m.sim);
        if (stop != TW_SIM_FAULT || !e) fail_msg("row %zu: no exception", i);
        if (e->cause != faults[i].cause) fail_msg("row %zu: %s", i, e->message);
        if (e->pc != m.entry + faults[i].offset) fail_msg("row %zu: at 0x%x: %s", i, e->pc, e->message);
        assert_int_equal(tw_sim_get_state(m.sim, 0), TW_SIM_EXCEPTED);
        assert_int_equal(tw_sim_get_pc(m.sim, 0), e->pc);
        uint32_t wsr;
        assert_int_equal(tw_sim_get_csr(m.sim, 0, 1, &wsr), TW_OK);
        assert_int_equal(wsr >> 4 & 15, e->type);
        assert_int_equal(wsr >> 9 & 1, e->in_repeat);
        assert_int_equal(e->in_repeat, faults[i].cause == TW_SIM_CAUSE_INSTRUCTION_IN_REPEAT);
        if (!strstr(text, ".int")) assert_non_null(strstr(e->message, "test.S:")); /* data has no lines */
        machine_free(&m);
    }
}

/* Whoever looks into an exception may let the context go on elsewhere, behind a trap for instance. */
static void gone_on(void **state)
{
    (void)state;
    machine m = machine_of(".worker\nf: setzi $m1, 3\n  trap 1\n  add $m1, $m1, 4\n  exitnz $m1\n");
    assert_int_equal(run_worker_from(&m, VERTEX), TW_SIM_FAULT);
    uint32_t pc = tw_sim_get_exception(m.sim)->pc, wsr;
    assert_int_equal(tw_sim_set_pc(m.sim, 0, pc + 4), TW_OK);
    assert_int_equal(tw_sim_get_state(m.sim, 0), TW_SIM_ACTIVE);
    assert_int_equal(tw_sim_get_csr(m.sim, 0, 1, &wsr), TW_OK);
    assert_int_equal(wsr >> 4 & 15, 0);
    assert_int_equal(tw_sim_run(m.sim, 100), TW_SIM_DONE);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 1), 7);
    assert_int_equal(tw_sim_set_pc(m.sim, 0, pc), TW_E_INVALID_ARGUMENT); /* it has ended */
    machine_free(&m);
}

/* Where instructions cannot be fetched. */
static void wrong_addresses_of_code(void **state)
{
    (void)state;
    static const struct {
        uint32_t pc;
        tw_sim_cause cause;
    } rows[] = { { 0x4c002, TW_SIM_CAUSE_PC_MISALIGNED },
                 { 0x80000, TW_SIM_CAUSE_PC_NOT_EXECUTABLE },
                 { 0xe7ffc, TW_SIM_CAUSE_PC_NOT_EXECUTABLE },
                 { 0x4bffc, TW_SIM_CAUSE_PC_NOT_VALID },
                 { 0xe8000, TW_SIM_CAUSE_PC_NOT_VALID } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        machine m = machine_of(".worker\nf: br $m0\nexitz $mzero\n");
        tw_sim_set_m(m.sim, 0, 0, rows[i].pc);
        assert_int_equal(run_worker_from(&m, VERTEX), TW_SIM_FAULT);
        assert_int_equal(tw_sim_get_exception(m.sim)->cause, rows[i].cause);
        assert_int_equal(tw_sim_get_exception(m.sim)->pc, rows[i].pc);
        machine_free(&m);
    }
}

/* A floating-point exception retires nothing, not even the other half of its bundle; masked, only the flag stays. */
static void floating_point_exceptions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t x, y, flag, result;
    } rows[] = { { "f32add", 0x7f800000, 0xff800000, 1, 0x7fffffff },
                 { "f32mul", 0x7f7fffff, 0x7f7fffff, 4, 0x7f800000 },
                 { "f32div", 0x3f800000, 0, 2, 0x7f800000 } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (uint32_t enabled = 0; enabled < 2; enabled++) {
            g_autofree char *text =
                g_strdup_printf(".worker\nf: { add $m1, $m1, 1\n %s $a2, $a0, $a1 }\nexitz $mzero\n", rows[i].name);
            machine m = machine_of(text);
            tw_sim_set_a(m.sim, 0, 0, rows[i].x), tw_sim_set_a(m.sim, 0, 1, rows[i].y);
            tw_sim_set_csr(m.sim, TW_SIM_SUPERVISOR, 0x20, enabled ? rows[i].flag : 7 & ~rows[i].flag);
            tw_sim_stop stop = run_worker_from(&m, VERTEX);
            assert_int_equal(stop, enabled ? TW_SIM_FAULT : TW_SIM_DONE);
            assert_int_equal(tw_sim_get_m(m.sim, 0, 1), enabled ? 0 : 1);
            assert_int_equal(tw_sim_get_a(m.sim, 0, 2), enabled ? 0 : rows[i].result);
            if (enabled) assert_int_equal(tw_sim_get_exception(m.sim)->flags, rows[i].flag);
            uint32_t sticky;
            tw_sim_get_csr(m.sim, 0, 0x100, &sticky);
            assert_int_equal(sticky, rows[i].flag);
            machine_free(&m);
        }
}

/* --- flow ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint32_t m0; /* at the start and ... */
    uint32_t result, turns;
    bool status;
} flows[] = {
    { "f: brz $m0, 1f\nsetzi $m0, 7\n1: exitz $mzero\n", 0, 0, 2, true },
    { "f: brz $m0, 1f\nsetzi $m0, 7\n1: exitz $mzero\n", 1, 7, 3, true },
    { "f: brnz $m0, 1f\nsetzi $m0, 7\n1: exitnz $m0\n", 5, 5, 2, true },
    { "f: brneg $m0, 1f\nsetzi $m0, 7\n1: exitneg $m0\n", 0x80000000, 0x80000000, 2, true },
    { "f: brneg $m0, 1f\nsetzi $m0, 7\n1: exitneg $m0\n", 0, 7, 3, false },
    { "f: brpos $m0, 1f\nsetzi $m0, 7\n1: exitpos $m0\n", 0, 0, 2, true },
    { "f: brpos $m0, 1f\nsetzi $m0, 7\n1: exitz $m0\n", 0xffffffff, 7, 3, false },
    { "f: setzi $m1, 4\n1: add $m0, $m0, 2\nbrnzdec $m1, 1b\nexitz $mzero\n", 1, 11, 12, true },
    { "f: bri 1f\nsetzi $m0, 7\n1: exitz $mzero\n", 3, 3, 2, true },
    { "f: call $lr, g\nadd $m0, $m0, 100\nexitz $mzero\ng: add $m0, $m0, 1\nbr $lr\n", 1, 102, 5, true },
    { "f: { call $lr, g\n fnop }\nadd $m0, $m0, 100\nexitz $mzero\ng: add $m0, $m0, 1\nbr $lr\n", 1, 102, 5, true },
    { ".align 8\nf: nop\nrpt 5, 0\n{ add $m0, $m0, 1\n fnop }\nexitz $mzero\n", 0, 5, 8, true },
    { ".align 8\nf: nop\nrpt $m0, 1\n{ add $m1, $m1, 3\n fnop }\n{ add $m0, $m0, 1\n fnop }\nexitz $mzero\n", 4, 8,
      11, true },
    { ".align 8\nf: nop\nrpt $m0, 0\n{ add $m0, $m0, 1\n fnop }\nexitz $mzero\n", 0, 0, 3, true },
    { ".align 8\nf: nop\nrpt $m0, 0\n{ add $m1, $m1, 1\n fnop }\nmov $m0, $m1\nexitz $mzero\n", 0x10003, 3, 7,
      true },
    { "f: f32exp $a0, $a0\nexitz $mzero\n", 0, 0, 4, true },
    { "f: f32ln $a0, $a0\nexitz $mzero\n", 0, 0, 7, true },
    { "f: f16v2exp $a0, $azero\nexitz $mzero\n", 0, 0, 2, true },
    { "f: get $m0, $COUNT_L\nget $m0, $COUNT_L\nexitz $mzero\n", 0, 6, 3, true },
    { "f: get $m0, $PC\nget $m0, $VERTEX_BASE\nexitz $mzero\n", 0, VERTEX, 3, true },
    { "f: get $m0, $WORKER_BASE\nexitz $mzero\n", 0, SCRATCH, 2, true },
    { "f: mov $m0, $mvertex_base\nexitz $mzero\n", 0, VERTEX, 2, true },
};

static void branches_loops_turns(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(flows); i++)
        for (unsigned stepwise = 0; stepwise < 2; stepwise++) {
            g_autofree char *text = g_strconcat(".worker\n", flows[i].text, NULL);
            machine m = machine_of(text);
            tw_sim_set_m(m.sim, 0, 0, flows[i].m0);
            tw_sim_launch launch = { .entry = m.entry, .vertex_base = VERTEX, .worker_base = SCRATCH };
            assert_int_equal(tw_sim_start(m.sim, 0, &launch), TW_OK);
            if (stepwise)
                while (tw_sim_step(m.sim, 0) == TW_SIM_LIMIT) {
                }
            else
                assert_int_equal(tw_sim_run(m.sim, TURN_LIMIT), TW_SIM_DONE);
            if (tw_sim_get_m(m.sim, 0, 0) != flows[i].result || tw_sim_turns(m.sim, 0) != flows[i].turns ||
                tw_sim_exit_status(m.sim, 0) != flows[i].status)
                fail_msg("row %zu: $m0 0x%x, %u turns, status %d", i, tw_sim_get_m(m.sim, 0, 0),
                         (unsigned)tw_sim_turns(m.sim, 0), tw_sim_exit_status(m.sim, 0));
            machine_free(&m);
        }
}

/* A program that does not end stops at the limit, also within a repeat loop, and goes on from there. */
static void limits(void **state)
{
    (void)state;
    machine m = machine_of(".worker\n.align 8\nf: nop\nrpt 1000, 0\n{ add $m0, $m0, 1\n fnop }\n1: bri 1b\n");
    tw_sim_launch launch = { .entry = m.entry };
    assert_int_equal(tw_sim_start(m.sim, 0, &launch), TW_OK);
    assert_int_equal(tw_sim_run(m.sim, 102), TW_SIM_LIMIT);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 0), 100);
    assert_int_equal(tw_sim_run(m.sim, 2000), TW_SIM_LIMIT);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 0), 1000);
    assert_int_equal(tw_sim_turns(m.sim, 0), 2102);
    machine_free(&m);
}

/* Code that a program writes over runs as it is then. */
static void changed_code(void **state)
{
    (void)state;
    machine m = machine_of(".worker\nf: setzi $m1, f\nld32 $m2, $m1, 6\n1: add $m0, $m0, 1\nst32 $m2, $m1, 2\n"
                           "brnzdec $m3, 1b\nexitz $mzero\nadd $m0, $m0, 16\n");
    tw_sim_set_m(m.sim, 0, 3, 2);
    run_to_exit(&m);
    assert_int_equal(tw_sim_get_m(m.sim, 0, 0), 1 + 16 + 16);
    machine_free(&m);
}

/* --- supervisor ------------------------------------------------------------------------------------------------- */

/* Six workers write their number; the supervisor waits for them and loads weights. */
static void supervisor_and_workers(void **state)
{
    (void)state;
    machine m = machine_of(".supervisor\nf: setzi $m1, w\nrunall $m1, $m0, 1\nsync 2\nld32 $m4, $m0, $mzero, 5\n"
                           "put $CCCSLOAD, $m0\nld64putcs 3\nbr $lr\n"
                           ".worker\nw: get $m0, $WSR\nand $m0, $m0, 7\nadd $m0, $m0, 40\n"
                           "st32 $m0, $mvertex_base, $mzero, 0\nexitz $mzero\n");
    tw_sim_launch launch = { .entry = m.entry, .vertex_base = VERTEX };
    assert_int_equal(tw_sim_start(m.sim, TW_SIM_SUPERVISOR, &launch), TW_OK);
    tw_sim_stop stop = tw_sim_run(m.sim, TURN_LIMIT);
    if (stop == TW_SIM_FAULT) fail_msg("%s", tw_sim_get_exception(m.sim)->message);
    assert_int_equal(stop, TW_SIM_DONE);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(peek(&m, VERTEX + 4 * i), 40 + i);
        assert_int_equal(tw_sim_turns(m.sim, i), 5);
        assert_true(tw_sim_exit_status(m.sim, i));
    }
    assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 4), 45);
    assert_true(tw_sim_get_weight(m.sim, 3) == (UINT64_C(41) << 32 | 40));
    assert_true(tw_sim_turns(m.sim, TW_SIM_SUPERVISOR) > 30); /* not before the workers' ends */
    machine_free(&m);
}

/* The false status of one worker clears the consensus of all. */
static void consensus(void **state)
{
    (void)state;
    machine m = machine_of(".worker\nf: get $m0, $WSR\nand $m0, $m0, 7\ncmpeq $m1, $m0, 4\nexitz $m1\n");
    tw_sim_launch launch = { .entry = m.entry };
    assert_int_equal(tw_sim_start_all(m.sim, &launch, 0, 0), TW_OK);
    assert_int_equal(tw_sim_run(m.sim, TURN_LIMIT), TW_SIM_DONE);
    uint32_t ssr;
    assert_int_equal(tw_sim_get_csr(m.sim, TW_SIM_SUPERVISOR, 1, &ssr), TW_OK);
    assert_int_equal(ssr & 1, 0);
    for (unsigned i = 0; i < 6; i++) assert_int_equal(tw_sim_exit_status(m.sim, i), i != 4);
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cause),
        cmocka_unit_test(gone_on),
        cmocka_unit_test(wrong_addresses_of_code),
        cmocka_unit_test(floating_point_exceptions),
        cmocka_unit_test(branches_loops_turns),
        cmocka_unit_test(limits),
        cmocka_unit_test(changed_code),
        cmocka_unit_test(supervisor_and_workers),
        cmocka_unit_test(consensus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
