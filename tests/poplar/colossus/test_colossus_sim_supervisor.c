/* SPDX-License-Identifier: MIT */
/* The supervisor: starting workers, weights, instructions between tiles, and all the exceptions that its instructions
 * and clashes raise. With the causes of test_colossus_sim_flow every cause is raised. */
#include "sim_test.h"

static tw_sim_stop run_supervisor(machine *m, uint32_t state)
{
    tw_sim_launch launch = { .entry = m->entry, .vertex_base = state };
    assert_int_equal(tw_sim_start(m->sim, TW_SIM_SUPERVISOR, &launch), TW_OK);
    return tw_sim_run(m->sim, TURN_LIMIT);
}

/* ISA, 4: `run` takes the lowest inactive worker; its vertex base counts from region 0, in words. */
static void run_starts_one_worker(void **state)
{
    (void)state;
    machine m = machine_of(".supervisor\nf: setzi $m1, w\nsetzi $m2, 0x35000\nrun $m1, $m2, 0\nrun $m1, $m2, 3\n"
                           "run $m1, $m2, 0xfff\nsync 2\nbr $lr\n"
                           ".worker\nw: get $m0, $WSR\nand $m0, $m0, 7\nadd $m0, $m0, 1\n"
                           "st32 $m0, $mvertex_base, $mzero, 0\nexitz $mzero\n");
    tw_sim_stop stop = run_supervisor(&m, VERTEX);
    if (stop == TW_SIM_FAULT) fail_msg("%s", tw_sim_get_exception(m.sim)->message);
    assert_int_equal(stop, TW_SIM_DONE);
    assert_int_equal(peek(&m, 0x4c000 + 0x35000), 1);
    assert_int_equal(peek(&m, 0x4c000 + 0x35000 + 12), 2);
    assert_int_equal(peek(&m, 0x4c000 + 0x35000 + 4 * 0xfff), 3);
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++) assert_int_equal(tw_sim_turns(m.sim, w), w < 3 ? 5 : 0);
    machine_free(&m);
}

/* A worker that has ended can be started again and finds its registers as it left them. */
static void workers_keep_their_registers(void **state)
{
    (void)state;
    machine m = machine_of(".supervisor\nf: setzi $m1, w\nrunall $m1, $m0, 0\nsync 2\nrunall $m1, $m0, 0\nsync 2\n"
                           "br $lr\n.worker\nw: add $m5, $m5, 3\nexitz $mzero\n");
    assert_int_equal(run_supervisor(&m, VERTEX), TW_SIM_DONE);
    for (unsigned w = 0; w < TW_SIM_WORKERS; w++) assert_int_equal(tw_sim_get_m(m.sim, w, 5), 6);
    machine_free(&m);
}

static const struct {
    const char *text; /* behind .supervisor */
    tw_sim_cause cause;
    uint32_t offset; /* of the pc from the start */
} faults[] = {
    { "f: setzi $m1, 2\nrun $m1, $m0, 0\n", TW_SIM_CAUSE_INVALID_WORKER_PC, 4 },
    { "f: setzi $m1, 0x80000\nrunall $m1, $m0, 0\n", TW_SIM_CAUSE_INVALID_WORKER_PC, 4 },
    { "f: setzi $m1, f\nsetzi $m0, 2\nrun $m1, $m0, 0\n", TW_SIM_CAUSE_INVALID_WORKER_VERTEX_BASE, 8 },
    { "f: setzi $m1, f\nsetzi $m0, 1\nrunall $m1, $m0, 4\n", TW_SIM_CAUSE_INVALID_WORKER_VERTEX_BASE, 8 },
    { "f: setzi $m1, w\nrun $m1, $m0, 0\nrunall $m1, $m0, 0\n", TW_SIM_CAUSE_WORKER_ACTIVE, 8 },
    { "f: put $CCCSLOAD, $m0\nld64putcs 64\n", TW_SIM_CAUSE_INVALID_WEIGHT, 4 },
    { "f: put $CCCSLOAD, $m0\nld128putcs 63\n", TW_SIM_CAUSE_INVALID_WEIGHT, 4 },
    { "f: put $CCCSLOAD, $mzero\nld64putcs 0\n", TW_SIM_CAUSE_INVALID_ADDRESS, 4 },
    { "f: setzi $m1, 0x81004\nput $CCCSLOAD, $m1\nld64putcs 0\n", TW_SIM_CAUSE_MISALIGNED, 8 },
    { "f: setzi $m1, 0x60000\nput $CCCSLOAD, $m1\nld128putcs 0\n", TW_SIM_CAUSE_INVALID_REGION, 8 },
    { "f: get $m1, 255\n", TW_SIM_CAUSE_INVALID_CSR, 0 },
    { "f: trap 1\n", TW_SIM_CAUSE_TRAP1, 0 },
    { ".allow_invalid_execution_mode\nf: ld64 $a0:1, $m0, 0\n", TW_SIM_CAUSE_ILLEGAL_CONTEXT, 0 },
    { ".allow_invalid_execution_mode\nf: f32add $a0, $a1, $a2\n", TW_SIM_CAUSE_ILLEGAL_CONTEXT, 0 },
    { ".allow_invalid_execution_mode\nf: { add $m1, $m1, 1\n fnop }\n", TW_SIM_CAUSE_ILLEGAL_CONTEXT, 0 },
    { ".allow_invalid_execution_mode\nf: exitz $mzero\n", TW_SIM_CAUSE_ILLEGAL_CONTEXT, 0 },
    { "f: .int 0x3f000000\n", TW_SIM_CAUSE_ILLEGAL_INSTRUCTION, 0 },
    { "f: ld32 $m1, $mzero, $mzero, 0\n", TW_SIM_CAUSE_INVALID_ADDRESS, 0 },
    { "f: br $mzero\n", TW_SIM_CAUSE_PC_NOT_VALID, 0 },
};

static void exceptions_of_the_supervisor(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        g_autofree char *text = g_strconcat(".supervisor\n", faults[i].text, "br $lr\n.worker\nw: bri w\n", NULL);
        machine m = machine_of(text);
        tw_sim_stop stop = run_supervisor(&m, VERTEX);
        const tw_sim_exception *e = tw_sim_get_exception(m.sim);
        uint32_t status, ssr;
        if (stop != TW_SIM_FAULT || !e) fail_msg("row %zu: no exception", i);
        if (e->cause != faults[i].cause || e->context != TW_SIM_SUPERVISOR) fail_msg("row %zu: %s", i, e->message);
        uint32_t pc = faults[i].cause == TW_SIM_CAUSE_PC_NOT_VALID ? 0 : m.entry + faults[i].offset;
        if (e->pc != pc) fail_msg("row %zu: at 0x%x: %s", i, e->pc, e->message);
        assert_non_null(strstr(e->message, "supervisor"));
        assert_int_equal(tw_sim_get_csr(m.sim, TW_SIM_SUPERVISOR, 0x72, &status), TW_OK);
        assert_int_equal(status & 3, faults[i].cause == TW_SIM_CAUSE_TRAP1 ? 2 : 3); /* debug exceptions are 2 */
        assert_int_equal(tw_sim_get_csr(m.sim, TW_SIM_SUPERVISOR, 1, &ssr), TW_OK);
        assert_int_equal(ssr >> 4 & 15, e->type);
        assert_int_equal(ssr >> 3 & 1, faults[i].cause == TW_SIM_CAUSE_WORKER_ACTIVE); /* RAERR */
        machine_free(&m);
    }
}

/* `run` with six active workers. */
static void no_worker_is_free(void **state)
{
    (void)state;
    machine m = machine_of(".supervisor\nf: setzi $m1, w\nrun $m1, $m0, 0\nrun $m1, $m0, 0\nrun $m1, $m0, 0\n"
                           "run $m1, $m0, 0\nrun $m1, $m0, 0\nrun $m1, $m0, 0\nrun $m1, $m0, 0\nsync 2\nbr $lr\n"
                           ".worker\nw: setzi $m1, 9\nexitz $mzero\n");
    /* The seventh waits for a slot until a worker has ended: the supervisor has none (ISA, 4). */
    assert_int_equal(run_supervisor(&m, 0x35000), TW_SIM_DONE);
    machine_free(&m);
}

/* --- clashes of every kind (guide 7.2.2 to 7.2.4; ISA, 15) ------------------------------------------------------ */

static const struct {
    const char *insn;
    uint32_t one, two, three;
    bool clash;
} clashes[] = {
    { "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x58000, 0x5bff8, 0, true },  /* one bank of 16 KB */
    { "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x58000, 0x5c000, 0, false }, /* the next one */
    { "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x80000, 0x80010, 0, true },  /* interleaved: the same bit 3 */
    { "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x80000, 0x87ff0, 0, true },
    { "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x80000, 0x80018, 0, false },
    { "ld2x64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x80000, 0x88000, 0, false },  /* another element */
    { "ld2x64pace $a0:1, $azeros, $m0:1+=, $mzero, 0", 0x80000, 0x80000, 0, true }, /* discarding loads too */
    { "ldst64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x80000, 0, 0x80020, true },
    { "ldst64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x80000, 0, 0x80028, false },
    { "ldst64pace $a0:1, $a2:3, $m0:1+=, $mzero, 0", 0x60000, 0, 0x60008, true },
    { "ld2xst64pace $a0:3, $a4:5, $m0:1+=, $mzero, 0", 0x80000, 0x80008, 0x80010, true },
    { "ld2xst64pace $a0:3, $a4:5, $m0:1+=, $mzero, 0", 0x80000, 0x80008, 0x90018, false },
    { "ld2xst64pace $a0:3, $a4:5, $m0:1+=, $mzero, 0", 0x80000, 0x90000, 0x90010, true },
    { "ld2xst64pace $a0:3, $a4:5, $m0:1+=, $mzero, 0", 0x58000, 0x80008, 0x5a000, true },
    { "ld64a32pace $a0:1, $a2, $m0:1+=, $mzero, 0", 0x80000, 0x80014, 0, true },
    { "ld64a32pace $a0:1, $a2, $m0:1+=, $mzero, 0", 0x80000, 0x8000c, 0, false },
    { "ld64b16pace $a0:1, $a2, $m0:1+=, $mzero, 0", 0x80000, 0x80012, 0, true },
    { "ld64b16pace $a0:1, $a2, $m0:1+=, $mzero, 0", 0x58000, 0x5c002, 0, false },
    { "ld64a32 $a0:3, $m0++, $m1, $mzero", 0x80000, 0x80014, 0, true },
    { "ld64a32 $a0:3, $m0++, $m1, $mzero", 0x80000, 0x8000c, 0, false },
    { "ldd16a32 $a0, $m0++, $m1, $m2@", 0x80000, 0x80014, 0, true },
    { "ldd16a32 $a0, $m0++, $m1, $m2@", 0x80000, 0x8000c, 0, false },
    { "ldd16a64 $a0:1, $m0++, $m1, $m2@", 0x80000, 0x80010, 0, true },
    { "ldd16b16 $a0, $m0++, $m1, $m2@", 0x80000, 0x80010, 0, true },
    { "ldd16v2a32 $a0, $m0++, $m1, $m2@", 0x80000, 0x80010, 0, true },
    { "ldb16b16 $a0:1, $m1, $m2++, $m3>>", 0, 0x80000, 0, true }, /* both deltas 0: the same half twice */
};

static void clashes_of_every_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(clashes); i++) {
        g_autofree char *text = g_strconcat(".worker\nf: ", clashes[i].insn, "\nexitz $mzero\n", NULL);
        machine m = machine_of(text);
        tw_sim_set_m(m.sim, 0, 0, clashes[i].one | clashes[i].three << 21);
        tw_sim_set_m(m.sim, 0, 1, clashes[i].two | (clashes[i].three >> 11) << 21);
        tw_sim_stop stop = run_worker_from(&m, VERTEX);
        const tw_sim_exception *e = tw_sim_get_exception(m.sim);
        if (stop != (clashes[i].clash ? TW_SIM_FAULT : TW_SIM_DONE))
            fail_msg("%s, 0x%x 0x%x 0x%x: %s", clashes[i].insn, clashes[i].one, clashes[i].two, clashes[i].three,
                     e ? e->message : "no clash");
        if (e) assert_int_equal(e->cause, TW_SIM_CAUSE_CONFLICT);
        if (e) assert_int_equal(e->type, 6);
        machine_free(&m);
    }
}

/* Two loads into one register: documented for the paced forms (ISA, 3). */
static void one_destination_for_two_loads(void **state)
{
    (void)state;
    static const char *const texts[] = { "ld2x64pace $a0:1, $a0:1, $m0:1+=, $mzero, 0",
                                         "ld64a32pace $a0:1, $a1, $m0:1+=, $mzero, 0",
                                         "ld64b16pace $a2:3, $a2, $m0:1+=, $mzero, 0" };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *text =
            g_strconcat(".worker\n.allow_invalid_operands\nf: ", texts[i], "\nexitz $mzero\n", NULL);
        machine m = machine_of(text);
        tw_sim_set_m(m.sim, 0, 0, 0x80000), tw_sim_set_m(m.sim, 0, 1, 0x90008);
        assert_int_equal(run_worker_from(&m, VERTEX), TW_SIM_FAULT);
        assert_int_equal(tw_sim_get_exception(m.sim)->cause, TW_SIM_CAUSE_SAME_DESTINATION);
        machine_free(&m);
    }
}

/* --- between tiles ---------------------------------------------------------------------------------------------- */

/* Every instruction of the exchange stops the run, names itself, and is over when the run goes on. */
static void instructions_between_tiles(void **state)
{
    (void)state;
    static const char *const names[] = { "send",     "sendoff",   "sendpic", "sendpicp", "delay",
                                         "delaypic", "delayxpic", "sans",    "sync" };
    unsigned seen = 0;
    for (size_t i = 0; i < tw_isa_count(); i++) {
        const tw_isa_row *row = tw_isa_get(i);
        bool wanted = false;
        for (size_t n = 0; n < G_N_ELEMENTS(names); n++) wanted |= strcmp(row->name, names[n]) == 0;
        if (!wanted || !(row->archs & TW_ISA_IPU21)) continue;
        seen++;
        for (uint32_t value = 0; value < 16; value++) {
            tw_insn insn = { .row = (uint16_t)i }, pending = { 0 };
            for (unsigned k = 0; k < row->count; k++)
                insn.operands[k] = (value & ((1u << MIN(row->operands[k]->bits, 4)) - 1))
                                   << row->operands[k]->shift;
            uint64_t word;
            if (tw_insn_encode(TW_ISA_IPU21, &insn, &word) != TW_OK)
                fail_msg("%s: %s", row->id, tw_error_message());
            if (strcmp(row->name, "sync") == 0 && value == 2) continue; /* of this tile's workers */
            tw_sim_options options = { .size = sizeof options, .arch = TW_ISA_IPU21 };
            machine m = machine_with(&options, ".supervisor\nf: nop\nnop\nadd $m4, $m4, 1\nbr $lr\n");
            uint32_t words[2] = { GUINT32_TO_LE((uint32_t)word), GUINT32_TO_LE((uint32_t)(word >> 32)) };
            assert_int_equal(tw_sim_write(m.sim, m.entry, words, row->flags & TW_ISA_TWO_WORDS ? 8 : 4), TW_OK);
            if (run_supervisor(&m, VERTEX) != TW_SIM_WAIT) fail_msg("%s does not wait", row->id);
            assert_true(tw_sim_pending(m.sim, &pending));
            assert_int_equal(pending.row, i);
            assert_memory_equal(pending.operands, insn.operands, row->count * sizeof *insn.operands);
            assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 4), 0);
            uint64_t before = tw_sim_cycles(m.sim);
            assert_int_equal(tw_sim_run(m.sim, TURN_LIMIT), TW_SIM_DONE);
            assert_false(tw_sim_pending(m.sim, NULL));
            assert_int_equal(tw_sim_get_m(m.sim, TW_SIM_SUPERVISOR, 4), 1);
            assert_true(tw_sim_cycles(m.sim) > before);
            machine_free(&m);
        }
    }
    assert_in_range(seen, G_N_ELEMENTS(names), 64);
}

/* --- which figures are estimates -------------------------------------------------------------------------------- */

static void figures_that_are_modelled(void **state)
{
    (void)state;
    static const struct {
        const char *insn;
        bool modelled;
    } rows[] = { { "f32add $a0, $a0, $a1", false },
                 { "f32exp $a0, $a0", true },
                 { "f32div $a0, $a0, $a1", true },
                 { "f16v2tanh $a0, $a0", false },
                 { "{ ld32 $m0, $mvertex_base, 0\n f32ln $a0, $a1 }", true } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strconcat(".worker\nf: ", rows[i].insn, "\nexitz $mzero\n", NULL);
        machine m = machine_of(text);
        run_to_exit(&m);
        assert_int_equal(tw_sim_modelled(m.sim, 0), rows[i].modelled);
        assert_false(tw_sim_modelled(m.sim, 1));
        assert_int_equal(tw_sim_modelled(m.sim, TW_SIM_CONTEXTS), rows[i].modelled);
        machine_free(&m);
    }
    machine m = machine_of(".supervisor\nf: br $lr\n");
    assert_int_equal(run_supervisor(&m, VERTEX), TW_SIM_DONE);
    assert_true(tw_sim_modelled(m.sim, TW_SIM_SUPERVISOR));
    assert_true(tw_sim_modelled(m.sim, TW_SIM_CONTEXTS));
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_starts_one_worker),        cmocka_unit_test(workers_keep_their_registers),
        cmocka_unit_test(exceptions_of_the_supervisor), cmocka_unit_test(no_worker_is_free),
        cmocka_unit_test(clashes_of_every_kind),        cmocka_unit_test(one_destination_for_two_loads),
        cmocka_unit_test(instructions_between_tiles),   cmocka_unit_test(figures_that_are_modelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
