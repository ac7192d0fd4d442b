/* SPDX-License-Identifier: MIT */
/* Repeat loops run at once and instruction by instruction: random bodies on random pointers, in random pieces.
 * Whatever the simulator does to be fast, registers, memory, turns and exceptions are those of single steps. */
#include "sim_test.h"

enum { CODE = 0x4c000, BODY = CODE + 8, TRIALS = 4000, LONGEST_BODY = 5 };

static uint64_t seed = 20240607;
static uint32_t random32(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}
static bool one_in(unsigned n)
{
    return random32() % n == 0;
}

static uint32_t random_float(void)
{
    static const uint32_t special[] = { 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001, 0x7f7fffff, 1 };
    return one_in(400) ? special[random32() % G_N_ELEMENTS(special)] : 0x3e000000 + (random32() & 0x83ffffff);
}

/* --- bodies ----------------------------------------------------------------------------------------------------- */

static const char *const mains[] = { "ldst64pace",   "ldst64pace", "ldst64pace", "ld2x64pace",
                                     "ld2xst64pace", "st64pace",   "ld64step",   "st64step",
                                     "setzi",        "ld32step",   "st32step",   "add" };
static const char *const auxes[] = { "f32v2axpy", "f32v2axpy",    "f32v2axpy",  "f32v2add",
                                     "f32v2mul",  "f32v2mac",     "f16v4add",   "setzi",
                                     "f32v4acc",  "f16v4sisoamp", "or64",       "f32v2gina",
                                     "f16v2exp",  "urand64",      "f32v2class", "f16v4hihoamp" };

/* One of the rows with this name and pipeline. */
static const tw_isa_row *row_named(const char *name, tw_isa_pipe pipe)
{
    const tw_isa_row *found[8], *row = NULL;
    unsigned n = 0;
    while ((row = tw_isa_find(name, row)) && n < G_N_ELEMENTS(found))
        if (row->pipe == pipe && (row->context & TW_ISA_WORKER) && (row->archs & TW_ISA_IPU2)) found[n++] = row;
    assert_true(n > 0);
    return found[random32() % n];
}

static unsigned index_of(const tw_isa_row *row)
{
    for (size_t i = 0;; i++)
        if (tw_isa_get(i) == row) return (unsigned)i;
}

static uint32_t random_operand(const tw_isa_operand *kind)
{
    static const uint8_t singles[] = { 1, 3, 5, 8, 8, 15, 15 };
    if (!kind->registers) return one_in(3) ? 0 : random32() & ((1u << MIN(kind->bits, 3)) - 1) << kind->shift;
    if (kind->file == TW_ISA_MRF)
        return kind->registers == 2 ? random32() % 3 * 2 : singles[random32() % G_N_ELEMENTS(singles)];
    return kind->registers == 4   ? (one_in(6) ? 12 : random32() % 2 * 4)
           : kind->registers == 2 ? (one_in(6) ? 14 : random32() % 4 * 2)
                                  : random32() % (one_in(6) ? 16 : 8);
}

static uint32_t half(const char *name, tw_isa_pipe pipe)
{
    for (;;) {
        const tw_isa_row *row = row_named(name, pipe);
        tw_insn insn = { .row = (uint16_t)index_of(row), .bundled = true };
        for (unsigned k = 0; k < row->count; k++) insn.operands[k] = random_operand(row->operands[k]);
        if (strcmp(name, "setzi") == 0) insn.operands[0] = pipe == TW_ISA_MAIN ? 14 : 13; /* nop, fnop */
        uint64_t word;
        if (tw_insn_encode(TW_ISA_IPU2, &insn, &word) == TW_OK) return (uint32_t)word;
    }
}

static uint32_t alone(const char *text)
{
    tw_object *o = assemble_for(TW_ISA_IPU2, text);
    uint32_t word;
    memcpy(&word, tw_object_get_section(o, 0)->data, 4);
    tw_object_free(o);
    return GUINT32_FROM_LE(word);
}

typedef struct program {
    uint32_t words[4 + 2 * LONGEST_BODY], count, size;
} program;

static program random_program(uint32_t nop, uint32_t rpt, uint32_t exit)
{
    program p = { .size = one_in(2) ? 1 + random32() % 2 : 1 + random32() % LONGEST_BODY };
    const char *main = mains[random32() % G_N_ELEMENTS(mains)], *aux = auxes[random32() % G_N_ELEMENTS(auxes)];
    bool alike = one_in(2); /* as inner loops are */
    p.words[p.count++] = nop, p.words[p.count++] = rpt + p.size - 1;
    for (uint32_t i = 0; i < p.size; i++) {
        p.words[p.count++] = half(alike ? main : mains[random32() % G_N_ELEMENTS(mains)], TW_ISA_MAIN);
        p.words[p.count++] = half(alike ? aux : auxes[random32() % G_N_ELEMENTS(auxes)], TW_ISA_AUX);
    }
    p.words[p.count++] = exit;
    return p;
}

/* Somewhere in memory, often at the end of a block; sometimes wrong, sometimes in the code. */
static uint32_t random_address(void)
{
    uint32_t block = 0x58000 + random32() % 36 * 0x4000;
    if (one_in(60)) return CODE + random32() % 64 * 8;
    if (one_in(60)) return random32();
    uint32_t at = one_in(3) ? block + 0x4000 - 8 * (random32() % 40) : block + 8 * (random32() % 2048);
    return at + (one_in(40) ? random32() % 8 : 0);
}

static void random_state(tw_sim *a, tw_sim *b)
{
    uint32_t fp = one_in(3) ? random32() % 8 : 0, control = fp | (one_in(10) ? (random32() % 5) << 16 : 0);
    for (unsigned i = 0; i < 12; i++) {
        uint32_t v = random_address() & 0x1fffff;
        if (i == 0 || i == 2 || i == 4 || one_in(4)) v |= random32() & 0xffe00000;
        if (i == 8) v = one_in(2) ? 0 : (random32() % 5 - 2) & 0x3ff;
        if (i == 10) v = random32() & 0x3fffffff;
        if (i == 9) v = one_in(4) ? random32() % 10 : random32() % 400;
        tw_sim_set_m(a, 0, i, v), tw_sim_set_m(b, 0, i, v);
    }
    for (unsigned pair = 0; pair < 6; pair += 2) { /* three addresses each */
        uint32_t one = random_address() & 0x1fffff, two = random_address() & 0x1fffff,
                 three = random_address() & 0x1fffff;
        uint32_t low = one | three << 21, high = two | (three >> 11) << 21;
        if (one_in(2)) three = one - 24, low = one | three << 21, high = two | (three >> 11 & 0x3ff) << 21;
        tw_sim_set_m(a, 0, pair, low), tw_sim_set_m(b, 0, pair, low);
        tw_sim_set_m(a, 0, pair + 1, high), tw_sim_set_m(b, 0, pair + 1, high);
    }
    for (unsigned i = 0; i < 8; i++) {
        uint32_t v = random_float();
        tw_sim_set_a(a, 0, i, v), tw_sim_set_a(b, 0, i, v);
    }
    for (unsigned i = 0; i < 32; i++) {
        uint32_t v = random_float();
        tw_sim_set_accumulator(a, 0, i, v), tw_sim_set_accumulator(b, 0, i, v);
    }
    uint32_t tas = random_float();
    tw_sim *both[] = { a, b };
    for (int i = 0; i < 2; i++) {
        tw_sim_set_csr(both[i], TW_SIM_SUPERVISOR, 0x20, control);
        tw_sim_set_csr(both[i], 0, 0x108, tas);
        tw_sim_launch launch = { .entry = CODE, .vertex_base = VERTEX, .worker_base = SCRATCH };
        assert_int_equal(tw_sim_start(both[i], 0, &launch), TW_OK);
    }
}

/* --- comparing -------------------------------------------------------------------------------------------------- */

static tw_sim *shown; /* whose code a failure shows */

static void same(int trial, const char *what, uint64_t a, uint64_t b)
{
    char text[2 * TW_INSN_TEXT];
    for (uint32_t at = CODE; a != b && at < CODE + 8 + 8 * LONGEST_BODY; at += at < BODY ? 4 : 8)
        print_error("%x: %s\n", at, tw_sim_text_at(shown, at, text));
    if (a != b)
        fail_msg("trial %d: %s is 0x%llx at once, 0x%llx step by step", trial, what, (unsigned long long)a,
                 (unsigned long long)b);
}

static void compare_states(int trial, tw_sim *a, tw_sim *b)
{
    static const unsigned csrs[] = { 0x001, 0x004, 0x005, 0x006, 0x100, 0x102, 0x103, 0x104, 0x105, 0x106, 0x108 };
    char name[30];
    shown = b;
    for (unsigned i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "$m%u", i);
        same(trial, name, tw_sim_get_m(a, 0, i), tw_sim_get_m(b, 0, i));
        snprintf(name, sizeof name, "$a%u", i);
        same(trial, name, tw_sim_get_a(a, 0, i), tw_sim_get_a(b, 0, i));
        snprintf(name, sizeof name, "accumulator %u or 16 more", i);
        same(trial, name, tw_sim_get_accumulator(a, 0, i), tw_sim_get_accumulator(b, 0, i));
        same(trial, name, tw_sim_get_accumulator(a, 0, 16 + i), tw_sim_get_accumulator(b, 0, 16 + i));
    }
    for (size_t i = 0; i < G_N_ELEMENTS(csrs); i++) {
        uint32_t x, y;
        assert_int_equal(tw_sim_get_csr(a, 0, csrs[i], &x), TW_OK);
        assert_int_equal(tw_sim_get_csr(b, 0, csrs[i], &y), TW_OK);
        snprintf(name, sizeof name, "control register 0x%x", csrs[i]);
        same(trial, name, x, y);
    }
    same(trial, "turns", tw_sim_turns(a, 0), tw_sim_turns(b, 0));
    same(trial, "pc", tw_sim_get_pc(a, 0), tw_sim_get_pc(b, 0));
    same(trial, "state", tw_sim_get_state(a, 0), tw_sim_get_state(b, 0));
    if (memcmp(tw_sim_memory(a), tw_sim_memory(b), tw_sim_memory_bytes(TW_ISA_IPU2)) != 0)
        fail_msg("trial %d: memory differs", trial);
    if (tw_sim_get_state(a, 0) != TW_SIM_EXCEPTED) return;
    const tw_sim_exception *x = tw_sim_get_exception(a), *y = tw_sim_get_exception(b);
    same(trial, "cause", x->cause, y->cause);
    same(trial, "flags", x->flags, y->flags);
    same(trial, "address", x->addresses[0], y->addresses[0]);
    same(trial, "addresses", x->address_count, y->address_count);
    same(trial, "in a loop", x->in_repeat, y->in_repeat);
}

static void random_bodies(void **state)
{
    (void)state;
    uint32_t nop = alone(".worker\nnop\n"), rpt = alone(".worker\n.align 8\nnop\nrpt $m9, 0\n{nop\nfnop}\n"),
             leave = alone(".worker\nexitz $mzero\n"), faults = 0, bytes = tw_sim_memory_bytes(TW_ISA_IPU2);
    tw_object *o = assemble_for(TW_ISA_IPU2, ".worker\n.align 8\nnop\nrpt $m9, 0\n{nop\nfnop}\n");
    memcpy(&rpt, tw_object_get_section(o, 0)->data + 4, 4);
    tw_object_free(o);
    rpt = GUINT32_FROM_LE(rpt);
    uint8_t *memory = g_malloc(bytes);
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t v = GUINT32_TO_LE(random_float());
        memcpy(memory + i, &v, 4);
    }
    tw_sim *a = tw_sim_new(NULL), *b = tw_sim_new(NULL);
    for (int trial = 0; trial < TRIALS; trial++) {
        program p = random_program(nop, rpt, leave);
        for (uint32_t i = 0; i < p.count; i++) p.words[i] = GUINT32_TO_LE(p.words[i]);
        tw_sim *both[] = { a, b };
        for (int i = 0; i < 2; i++) {
            memcpy(tw_sim_memory(both[i]), memory, bytes);
            tw_sim_reset(both[i]);
            tw_sim_code_changed(both[i], CODE, bytes);
            assert_int_equal(tw_sim_write(both[i], CODE, p.words, 4 * p.count), TW_OK);
        }
        random_state(a, b);
        uint64_t piece = one_in(3) ? 1 + random32() % 100 : 100000;
        tw_sim_stop stop;
        while ((stop = tw_sim_run(a, piece)) == TW_SIM_LIMIT && tw_sim_turns(a, 0) < 20000) {
        }
        while (tw_sim_step(b, 0) == TW_SIM_LIMIT && tw_sim_turns(b, 0) < tw_sim_turns(a, 0) + 1000) {
        }
        faults += stop == TW_SIM_FAULT;
        compare_states(trial, a, b);
    }
    assert_in_range(faults, TRIALS / 10, TRIALS * 9 / 10); /* both kinds of ends occur */
    tw_sim_free(a), tw_sim_free(b);
    g_free(memory);
}

/* Whatever the turns of a run are, it ends where single pieces would: at the ends of iterations. */
static void pieces(void **state)
{
    (void)state;
    static const char loop[] =
        ".worker\n.align 8\nf: nop\n  rpt 1000, 1\n"
        "{ ldst64pace $a0:1, $a0:1, $m0:1+=, $m8, 0\n f32v2axpy $a2:3, $a0:1, $a2:3 }\n"
        "{ ld64step $a4:5, $mzero, $m4+=, 1\n f32v2add $a6:7, $a4:5, $a6:7 }\n  exitz $mzero\n";
    for (uint64_t turns = 1; turns < 200; turns += 7) {
        machine m = machine_of(loop);
        uint64_t before = 0;
        tw_sim_set_m(m.sim, 0, 0, 0x80018 | 0x80000u << 21), tw_sim_set_m(m.sim, 0, 1, (0x80000u >> 11) << 21);
        tw_sim_set_m(m.sim, 0, 4, 0x84000);
        tw_sim_launch launch = { .entry = m.entry, .vertex_base = VERTEX, .worker_base = SCRATCH };
        assert_int_equal(tw_sim_start(m.sim, 0, &launch), TW_OK);
        while (tw_sim_run(m.sim, turns) == TW_SIM_LIMIT) {
            assert_in_range(tw_sim_turns(m.sim, 0) - before, turns, turns + 2);
            before = tw_sim_turns(m.sim, 0);
        }
        assert_int_equal(tw_sim_turns(m.sim, 0), 2003);
        machine_free(&m);
    }
}

/* A store into the body's own bundles takes effect, a bundle that may not stand there is an exception (ISA, 6). */
static void bodies_that_change_themselves(void **state)
{
    (void)state;
    machine m = machine_of(".worker\n.align 8\nf: .rept 9\n  nop\n.endr\n  rpt 20, 0\n"
                           "1: { st32step $a0, $m1, $m0+=, 2\n f32add $a1, $a1, $a2 }\n  exitz $mzero\n");
    tw_sim_set_m(m.sim, 0, 1, 0), tw_sim_set_m(m.sim, 0, 0, m.entry + 8);
    tw_sim_set_a(m.sim, 0, 0, 0x19e00000); /* nop, alone */
    assert_int_equal(run_worker_from(&m, VERTEX), TW_SIM_FAULT);
    assert_int_equal(tw_sim_get_exception(m.sim)->cause, TW_SIM_CAUSE_INSTRUCTION_IN_REPEAT);
    assert_int_equal(tw_sim_get_exception(m.sim)->pc, m.entry + 40);
    assert_int_equal(tw_sim_turns(m.sim, 0), 10 + 5); /* the fifth store hits the body */
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_bodies), cmocka_unit_test(pieces),
                                        cmocka_unit_test(bodies_that_change_themselves) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
