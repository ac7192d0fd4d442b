/* SPDX-License-Identifier: MIT */
/* Traces: what each instruction that stores has stored, what has changed, warnings; when $sp counts as set (guide
 * 7.3). */
#include "sim_test.h"

#include <stdlib.h>

enum { AT = 0x82000 };

/* Runs worker 0 with a trace, which the caller frees. */
static char *trace_of(machine *m)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tw_sim_set_trace(m->sim, out);
    run_to_exit(m);
    tw_sim_set_trace(m->sim, NULL);
    fclose(out);
    return text;
}

/* Each row that stores: base, delta and offset in $m0 to $m2, packed pointers in $m4:5, values in $m3 and $a0:1. */
static const struct {
    const char *insn;
    const char *shown;
} stores[] = {
    { "st32 $m3, $m0, $m1, 3", "[0x8201c]=33333333" },
    { "st32 $a0, $m0, $m1, 3", "[0x8201c]=11111111" },
    { "st32 $a0, $m0, $m1, $m2", "[0x82018]=11111111" },
    { "stm32 $m3, $m0, $m2", "[0x82008]=33333333" },
    { "st32step $m3, $m0, $m1+=, 5", "[0x82010]=33333333" },
    { "st32step $a0, $m0, $m1+=, 5", "[0x82010]=11111111" },
    { "st32step $a0, $m0, $m1+=, $m2", "[0x82010]=11111111" },
    { "stm32step $m3, $m0+=, $m2", "[0x82000]=33333333" },
    { "st64 $a0:1, $m0, $m1, 1", "[0x82018]=11111111:22222222" },
    { "st64 $a0:1, $m0, $m1, $m2", "[0x82020]=11111111:22222222" },
    { "st64step $a0:1, $m0, $m1+=, -1", "[0x82010]=11111111:22222222" },
    { "st64step $a0:1, $m0, $m1+=, $m2", "[0x82010]=11111111:22222222" },
    { "st64pace $a0:1, $m4:5+=, $mzero, 0", "[0x92ff8]=11111111:22222222" },
    { "ldst64pace $a2:3, $a0:1, $m4:5+=, $mzero, 0", "[0x92ff8]=11111111:22222222" },
    { "ld2xst64pace $a4:7, $a0:1, $m4:5+=, $mzero, 0", "[0x92ff8]=11111111:22222222" },
};

static void stores_of_every_row(void **state)
{
    (void)state;
    unsigned rows = 0;
    const tw_isa_row *row;
    for (size_t i = 0; (row = tw_isa_get(i)); i++)
        for (int k = 0; k < TW_ISA_ACCESSES && row->accesses[k]; k++) rows += row->accesses[k] >= TW_ISA_STORE;
    assert_int_equal(rows, G_N_ELEMENTS(stores));
    for (size_t i = 0; i < G_N_ELEMENTS(stores); i++) {
        g_autofree char *code = g_strconcat(".worker\nf: ", stores[i].insn, "\nexitz $mzero\n", NULL);
        machine m = machine_of(code);
        static const uint32_t before[] = { AT, 16, 2, 0x33333333 };
        uint32_t p0 = 0x84000, p1 = 0x86008, p2 = 0x92ff8;
        for (unsigned k = 0; k < 4; k++) tw_sim_set_m(m.sim, 0, k, before[k]);
        tw_sim_set_m(m.sim, 0, 4, p0 | p2 << 21), tw_sim_set_m(m.sim, 0, 5, p1 | p2 >> 11 << 21);
        tw_sim_set_a(m.sim, 0, 0, 0x11111111), tw_sim_set_a(m.sim, 0, 1, 0x22222222);
        char *text = trace_of(&m);
        if (!strstr(text, stores[i].shown)) fail_msg("%s: no %s in %s", stores[i].insn, stores[i].shown, text);
        uint32_t at = (uint32_t)strtoul(stores[i].shown + 1, NULL, 16);
        assert_int_equal(peek(&m, at), (uint32_t)strtoul(strchr(stores[i].shown, '=') + 1, NULL, 16));
        if (strchr(stores[i].shown, ':')) assert_int_equal(peek(&m, at + 4), 0x22222222);
        free(text);
        machine_free(&m);
    }
}

/* A line for each turn: its cycle, context, address, text, and only what has changed. */
static void lines_of_a_trace(void **state)
{
    (void)state;
    machine m =
        machine_of(".worker\nf: setzi $m0, 5\nsetzi $m0, 5\n{ add $m1, $m0, 2 ; setzi $a3, 9 }\nbrz $mzero, g\n"
                   "g: exitz $mzero\n");
    char *text = trace_of(&m);
    assert_string_equal(text, "       0 w0 4c000  setzi $m0, 5  $m0=5\n"
                              "       6 w0 4c004  setzi $m0, 5\n"
                              "      12 w0 4c008  { add $m1, $m0, 2 ; setzi $a3, 9 }  $m1=7  $a3=9\n"
                              "      18 w0 4c010  brz $mzero, 0x4c014 <g>\n"
                              "      24 w0 4c014  exitz $mzero\n");
    free(text);
    machine_free(&m);
}

/* $sp is set by what writes it, alone or as a half of a pair; the first read before that is told, once. */
static void stack_pointer(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        bool set, warned;
    } rows[] = {
        { "nop\n", false, false },
        { "setzi $m10, 1\nsetzi $m9, 1\n", false, false },
        { "setzi $m11, 1\nadd $m0, $sp, 1\n", true, false },
        { "add $sp, $mworker_base, -16\nst32 $m0, $sp, $mzero, 0\n", true, false },
        { "tapack $m10:11, $m0, $m1, $m2\nmov $m0, $sp\n", true, false },
        { "tapack $m8:9, $m0, $m1, $m2\nmov $m0, $sp\nmov $m1, $sp\n", false, true },
        { "ld32 $sp, $mvertex_base, $mzero, 0\n", true, false },
        { "setzi $a7, 1\nadd $sp, $sp, -8\nadd $sp, $sp, 8\n", true, true },
        { "ld32step $m0, $mvertex_base, $m1+=, 1\n", false, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *code = g_strconcat(".worker\nf: ", rows[i].code, "exitz $mzero\n", NULL);
        machine m = machine_of(code);
        char *text = trace_of(&m), *first = strstr(text, "reads $sp");
        if (tw_sim_stack_pointer_set(m.sim, 0) != rows[i].set) fail_msg("row %zu: %s", i, text);
        if (!first != !rows[i].warned || (first && strstr(first + 1, "reads $sp")))
            fail_msg("row %zu: %s", i, text);
        free(text);
        machine_free(&m);
    }
}

/* Values that the documents leave open; the limit of the repeat counter is the chip's. */
static void warnings(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        uint32_t m0;
        const char *mk1, *mk2; /* NULL: none */
    } rows[] = {
        { "shl $m1, $m2, $m0\n", 31, NULL, NULL },
        { "shl $m1, $m2, $m0\n", 32, "shifts by 32", "shifts by 32" },
        { "shr $m1, $m2, $m0\n", 40, "shifts by 40", "shifts by 40" },
        { "shrs $m1, $m2, $m0\n", 33, "shifts by 33", "shifts by 33" },
        { "shuf8x8lo $m1, $m2, $m0\n", 33, NULL, NULL },
        { "nop\nrpt $m0, 0\n{ nop ; fnop }\n", 4095, NULL, NULL },
        { "nop\nrpt $m0, 0\n{ nop ; fnop }\n", 4096, "repeats 4096 times: the counter has 12 bits", NULL },
        { "nop\nrpt $m0, 0\n{ nop ; fnop }\n", 65535, "the counter has 12 bits", NULL },
        { "nop\nrpt $m0, 0\n{ nop ; fnop }\n", 65536, "the counter has 12 bits", "repeats 65536 times" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (int chip = 0; chip < 2; chip++) {
            tw_sim_options options = { .size = sizeof options, .arch = chip ? TW_ISA_IPU2 : TW_ISA_IPU1 };
            g_autofree char *code = g_strconcat(".worker\n.align 8\nf: ", rows[i].code, "exitz $mzero\n", NULL);
            machine m = machine_with(&options, code);
            tw_sim_set_m(m.sim, 0, 0, rows[i].m0);
            char *text = trace_of(&m);
            const char *want = chip ? rows[i].mk2 : rows[i].mk1;
            if (want ? !strstr(text, want) : strstr(text, "warning") != NULL)
                fail_msg("row %zu on %s: %.300s", i, chip ? "Mk2" : "Mk1", text);
            free(text);
            machine_free(&m);
        }
}

/* Text of an address: nothing where no instruction can be; long names of targets are cut, not the text. */
static void text_of_addresses(void **state)
{
    (void)state;
    machine m = machine_of(
        ".globl a_name_that_is_longer_than_the_fifty_characters_which_are_shown\nf: bri target\n"
        "a_name_that_is_longer_than_the_fifty_characters_which_are_shown: nop\ntarget: nop\n{ nop ; fnop }\n");
    char text[2 * TW_INSN_TEXT];
    assert_string_equal(tw_sim_text_at(m.sim, m.entry, text), "bri 0x4c008 <target>");
    assert_string_equal(tw_sim_text_at(m.sim, m.entry + 12, text), "{ nop ; fnop }");
    assert_string_equal(tw_sim_text_at(m.sim, m.entry + 2, text), "");
    assert_string_equal(tw_sim_text_at(m.sim, 0x1000, text), "");
    machine_free(&m);
    m = machine_of("f: bri g + 4\n.globl g\ng: nop\nnop\n");
    assert_string_equal(tw_sim_text_at(m.sim, m.entry, text), "bri 0x4c008 <g+4>");
    machine_free(&m);
    m = machine_of(".globl a_name_that_is_longer_than_the_fifty_characters_which_are_shown\nf: bri . + 8\n"
                   "a_name_that_is_longer_than_the_fifty_characters_which_are_shown: nop\nnop\n");
    assert_string_equal(tw_sim_text_at(m.sim, m.entry, text),
                        "bri 0x4c008 <a_name_that_is_longer_than_the_fifty_characters_wh+4>");
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_addresses), cmocka_unit_test(stores_of_every_row),
        cmocka_unit_test(lines_of_a_trace),  cmocka_unit_test(stack_pointer),
        cmocka_unit_test(warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
