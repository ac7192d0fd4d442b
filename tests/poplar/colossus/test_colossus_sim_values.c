/* SPDX-License-Identifier: MIT */
/* Every row of the table that calculates, moves or reads memory, with random operands in random states, against
 * ref_sim.c. Rows that change the flow or the machine are in test_colossus_sim_flow. */
#include "sim_test.h"

#include "ref_sim.h"

#include <math.h>

enum { CODE = 0x4c000, TRIALS = 300 };

static uint64_t seed = 12345;
static uint32_t random32(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}
static bool one_in(unsigned n)
{
    return random32() % n == 0;
}

static const uint32_t floats[] = { 0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                   0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001,
                                   0x3f800000, 0xbf000000, 0x4b800001, 0x34000000 };
static const uint16_t halves[] = { 0,      0x8000, 1,      0x83ff, 0x400,  0x7bff,
                                   0x7c00, 0xfc00, 0x7e00, 0x7d01, 0x3c00, 0xb800 };

static bool near_border; /* words near 2^-63, whose products are near the smallest normal number */

/* Bits of any kind, or numbers near one another in either format. */
static uint32_t random_word(void)
{
    if (near_border) return (random32() & 0x80000000) + 0x20000000 + random32() % 5 - 2;
    switch (random32() % 8) {
    case 0: return floats[random32() % G_N_ELEMENTS(floats)];
    case 1:
        return halves[random32() % G_N_ELEMENTS(halves)] | (uint32_t)halves[random32() % G_N_ELEMENTS(halves)]
                                                               << 16;
    case 2: return random32() % 64;
    case 3: return 0x3f000000 + (random32() & 0x80ffffff);
    case 4: return 0x38003800 + (random32() & 0x87ff87ff);
    case 5: return 0x00400000 + (random32() & 0x80ffffff);
    default: return random32();
    }
}

/* What rows leave in accumulators, and subnormal numbers, which only raw words bring there. */
static float random_sum(void)
{
    if (near_border || one_in(8)) return ref_float(random32() & 0x807fffff);
    return ldexpf((float)(int32_t)random32(), (int)(random32() % 40) - 50);
}

static void random_state(ref_state *s, uint32_t fp_ctl)
{
    *s = (ref_state){ .fp_ctl = fp_ctl };
    near_border = one_in(4);
    for (unsigned i = 0; i < 12; i++) s->m[i] = random_word();
    for (unsigned i = 0; i < 8; i++) s->a[i] = random_word();
    for (unsigned i = 0; i < 16; i++) {
        s->e[i] = random_sum(), s->o[i] = random_sum();
    }
    for (unsigned i = 0; i < 64; i++) s->weights[i] = random_word() | (uint64_t)random_word() << 32;
    s->prng[0] = random32() | (uint64_t)random32() << 32, s->prng[1] = random32() | (uint64_t)random32() << 32;
    s->tas = random_word();
    s->nfmt = random32() & 1, s->scl = random32() & 63, s->infmt = random32() & 3, s->iscl = random32() & 63;
    s->m[12] = SCRATCH, s->m[13] = VERTEX;
    for (unsigned i = 0; i < REF_WINDOW_BYTES; i++) s->memory[i] = (uint8_t)random32();
}

/* Pointers of a memory instruction go into the middle of the window, aligned; false when operands share registers in
 * a way that spoils one. */
static bool set_pointers(ref_state *s, tw_insn *insn, const tw_isa_row *row)
{
    uint32_t middle = REF_WINDOW + REF_WINDOW_BYTES / 2;
    uint32_t used = 0;
    unsigned size = row->accesses[0] & 31;
    if (!size) return true;
    bool pace = strstr(row->name, "pace"), pointers = pace || row->accesses[1];
    for (unsigned k = 0; k < row->count; k++) {
        const tw_isa_operand *kind = row->operands[k];
        if (kind->file != TW_ISA_MRF) {
            if (!kind->registers && row->operands[k]->bits >= 8 && !pace)
                insn->operands[k] &= kind->is_signed ? ~0u : 15;
            continue;
        }
        for (unsigned i = 0; i < kind->registers; i++) {
            uint32_t bit = 1u << (insn->operands[k] + i);
            if (used & bit) return false;
            used |= bit;
        }
        if (insn->operands[k] > 11) return false;
        uint32_t *r = &s->m[insn->operands[k]], offset = (random32() % 16) * 16;
        if (pace && kind->registers == 2) {
            uint32_t p[3] = { middle, middle + 8, middle + 24 };
            if (!strcmp(row->name, "ld2xst64pace")) p[2] = 0xa0000; /* two words of an element clash with a third */
            r[0] = p[0] | p[2] << 21, r[1] = p[1] | (p[2] >> 11) << 21;
        } else if (!strcmp(kind->name, "Mbase") || !strcmp(row->name, "stm32step")) {
            r[0] = !strcmp(kind->name, "Mstride") ? random32() % 16 : middle + (pointers ? 8 : offset);
        } else if (pointers && !strcmp(kind->name, "Mpp")) {
            r[0] = strcmp(row->name, "ldb16b16") ? middle : 16 | 40u << 16;
        } else if (pointers) {
            r[0] = strcmp(row->name, "ldb16b16") ? 16 | 16u << 16 : random32();
        } else if (strcmp(kind->name, "M") && strcmp(kind->name, "Md")) {
            r[0] = !strcmp(kind->name, "Mdelta") || !strcmp(kind->name, "Minc") ? offset : random32() % 16;
        }
        if (pace && !strcmp(kind->name, "Mstride")) r[0] = random32();
    }
    return true;
}

static void random_operands(tw_insn *insn, const tw_isa_row *row)
{
    for (unsigned k = 0; k < row->count; k++) {
        const tw_isa_operand *kind = row->operands[k];
        if (kind->registers) {
            do insn->operands[k] = random32() % 16 / kind->registers * kind->registers;
            while (!tw__isa_register_fits(kind, insn->operands[k]));
        } else {
            uint32_t n = random32() & (uint32_t)((UINT64_C(1) << kind->bits) - 1);
            if (one_in(2)) n &= 31;
            insn->operands[k] = kind->is_signed ? (uint32_t)((int32_t)(n << (32 - kind->bits)) >> (32 - kind->bits))
                                                : n << kind->shift;
            if (!strcmp(kind->name, "Cwei")) insn->operands[k] = n % 60;
        }
    }
}

static void into_tile(tw_sim *sim, const ref_state *s)
{
    for (unsigned i = 0; i < 12; i++) tw_sim_set_m(sim, 0, i, s->m[i]);
    for (unsigned i = 0; i < 8; i++) tw_sim_set_a(sim, 0, i, s->a[i]);
    for (unsigned i = 0; i < 16; i++) {
        tw_sim_set_accumulator(sim, 0, 2 * i, bits_of(s->e[i]));
        tw_sim_set_accumulator(sim, 0, 2 * i + 1, bits_of(s->o[i]));
    }
    for (unsigned i = 0; i < 64; i++) tw_sim_set_weight(sim, i, s->weights[i]);
    for (unsigned i = 0; i < 4; i++) tw_sim_set_csr(sim, 0, 0x103 + i, (uint32_t)(s->prng[i / 2] >> 32 * (i & 1)));
    tw_sim_set_csr(sim, 0, 0x108, s->tas);
    tw_sim_set_csr(sim, 0, 0x102, s->fp_ctl);
    tw_sim_set_csr(sim, 0, 0x109, s->nfmt), tw_sim_set_csr(sim, 0, 0x10a, s->scl);
    tw_sim_set_csr(sim, TW_SIM_SUPERVISOR, 0x31, s->infmt), tw_sim_set_csr(sim, TW_SIM_SUPERVISOR, 0x33, s->iscl);
    assert_int_equal(tw_sim_write(sim, REF_WINDOW, s->memory, REF_WINDOW_BYTES), TW_OK);
}

/* Compares everything; what differs goes to `out`. */
static void compare(tw_sim *sim, const ref_state *want, GString *out)
{
    uint32_t got;
    for (unsigned i = 0; i < 16; i++) {
        got = tw_sim_get_m(sim, 0, i);
        if (got != want->m[i]) g_string_append_printf(out, " $m%u %08x not %08x", i, got, want->m[i]);
        got = tw_sim_get_a(sim, 0, i);
        if (got != want->a[i]) g_string_append_printf(out, " $a%u %08x not %08x", i, got, want->a[i]);
        got = tw_sim_get_accumulator(sim, 0, 2 * i);
        if (got != bits_of(want->e[i]))
            g_string_append_printf(out, " E%u %08x not %08x", i, got, bits_of(want->e[i]));
        got = tw_sim_get_accumulator(sim, 0, 2 * i + 1);
        if (got != bits_of(want->o[i]))
            g_string_append_printf(out, " O%u %08x not %08x", i, got, bits_of(want->o[i]));
    }
    tw_sim_get_csr(sim, 0, 0x100, &got);
    if (got != want->fp_sts) g_string_append_printf(out, " FP_STS %x not %x", got, want->fp_sts);
    tw_sim_get_csr(sim, 0, 0x108, &got);
    if (got != want->tas) g_string_append_printf(out, " TAS %08x not %08x", got, want->tas);
    for (unsigned i = 0; i < 4; i++) {
        tw_sim_get_csr(sim, 0, 0x103 + i, &got);
        if (got != (uint32_t)(want->prng[i / 2] >> 32 * (i & 1))) g_string_append_printf(out, " PRNG");
    }
    uint8_t memory[REF_WINDOW_BYTES];
    tw_sim_read(sim, REF_WINDOW, memory, sizeof memory);
    for (unsigned i = 0; i < REF_WINDOW_BYTES; i++)
        if (memory[i] != want->memory[i])
            g_string_append_printf(out, " [%x] %02x not %02x", REF_WINDOW + i, memory[i], want->memory[i]);
}

static unsigned wrong_rows;

/* One instruction in one state. False: its operands cannot be used. */
static bool try_row(tw_sim *sim, size_t index, uint32_t fp_ctl)
{
    const tw_isa_row *row = tw_isa_get(index);
    tw_insn insn = { .row = (uint16_t)index };
    ref_state s;
    uint64_t word;
    random_state(&s, fp_ctl);
    s.denormals = false;
    random_operands(&insn, row);
    if (!set_pointers(&s, &insn, row)) return false;
    if (tw_insn_encode(TW_ISA_IPU21, &insn, &word) != TW_OK) return false;
    uint32_t low = GUINT32_TO_LE((uint32_t)word);
    tw_sim_reset(sim);
    into_tile(sim, &s);
    assert_int_equal(tw_sim_write(sim, CODE, &low, 4), TW_OK);
    tw_sim_launch launch = { .entry = CODE, .vertex_base = VERTEX, .worker_base = SCRATCH };
    tw_sim_set_csr(sim, TW_SIM_SUPERVISOR, 0x20, fp_ctl);
    assert_int_equal(tw_sim_start(sim, 0, &launch), TW_OK);
    ref_state before = s;
    char text[TW_INSN_TEXT];
    if (!ref_execute(&s, &insn)) fail_msg("'%s' has no reference", row->id);
    tw_sim_stop stop = tw_sim_step(sim, 0);
    if (stop == TW_SIM_FAULT) {
        if (tw_sim_get_exception(sim)->cause == TW_SIM_CAUSE_SAME_DESTINATION) return false;
        fail_msg("%s: %s", row->id, tw_sim_get_exception(sim)->message);
    }
    GString *out = g_string_new(NULL);
    compare(sim, &s, out);
    if (out->len) {
        for (unsigned k = 0; k < row->count; k++)
            for (unsigned i = 0; i < row->operands[k]->registers; i++)
                g_string_append_printf(out, "\n  operand %u: %08x", k,
                                       row->operands[k]->file == TW_ISA_MRF ? before.m[insn.operands[k] + i]
                                                                            : before.a[insn.operands[k] + i]);
        print_error("%s: %s, FP_CTL %x:%s\n", row->id, tw_insn_format(&insn, text), fp_ctl, out->str);
        wrong_rows++;
    }
    g_string_free(out, TRUE);
    return true;
}

static bool calculates(const tw_isa_row *row)
{
    return !(row->flags & (TW_ISA_CONTROL | TW_ISA_SYSTEM)) && row->context != TW_ISA_SUPERVISOR;
}

static void every_row(uint32_t fp_ctl, unsigned trials)
{
    tw_sim_options options = { .size = sizeof options, .arch = TW_ISA_IPU21 };
    tw_sim *sim = tw_sim_new(&options);
    for (size_t i = 0; i < tw_isa_count(); i++) {
        if (!calculates(tw_isa_get(i))) continue;
        unsigned done = 0;
        unsigned wrong = wrong_rows;
        for (unsigned t = 0; t < 20 * trials && done < trials && wrong == wrong_rows; t++)
            done += try_row(sim, i, fp_ctl);
        if (done < trials && wrong == wrong_rows) fail_msg("%s: only %u usable operands", tw_isa_get(i)->id, done);
    }
    tw_sim_free(sim);
    assert_int_equal(wrong_rows, 0);
}

static void rows_round_to_nearest(void **state)
{
    (void)state;
    every_row(0, TRIALS);
}

static void rows_with_other_roundings(void **state)
{
    (void)state;
    for (uint32_t mode = 1; mode <= 4; mode++) every_row(mode << 16, TRIALS / 10);
    every_row(1u << 20, TRIALS / 10); /* NANOO */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_round_to_nearest),
        cmocka_unit_test(rows_with_other_roundings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
