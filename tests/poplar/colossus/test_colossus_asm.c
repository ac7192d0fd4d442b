/* SPDX-License-Identifier: MIT */
/* Assembler: instructions, bundles, aliases, limits, rules of bundles and of rpt (guide 7.1, 7.5; Colossus ISA,
 * bundles, rpt and assembler). */
#include "asm_test.h"

/* --- words ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint32_t words[4]; /* up to the first 0 */
} rows[] = {
    { "nop", { 0x19E00000 } },
    { "fnop", { 0x1AD00000 } },
    { "add $m1, $m2, $m3", { 0x44203011 } },
    { "  Add $m1,$m2 , $m3 // text", { 0x44203011 } },
    { "add $m1, $m0, 1", { 0x22010001 } },
    { "addz $m1, $m0, 1", { 0x20010001 } },
    { "add $m1, $m0, 0x8000", { 0x20018000 } },
    { "add $m1, $m0, -1", { 0x2201FFFF } },
    { "add $sp, $sp, -32", { 0x22BBFFE0 } },
    { "sub $m1, $m0, 1", { 0x2201FFFF } }, /* add of the negative */
    { "sub $m1, 1, $m0", { 0x39010001 } },
    { "cmpeq $m4, $m4, 0", { 0x28440000 } },
    { "f32v2add $a0:1, $a14:15, $azeros", { 0x58E0E003 } },
    { "f32v2add $a6:7, $a2:B, $a4:5", { 0x58284063 | 8 << 16 } },
    { "f32v2add $a6:7, $a2:BL, $a4:5", { 0x58284063 | 8 << 16 } }, /* :B and :BL are the same part */
    { "ld128 $a0:3, $m0, $m0, $m0", { 0x4D000805 } },
    { "ld2xst64pace $a0:3, $a0:1, $m2:3+=, $m4, 0", { 0x56402800 } },
    { "ld2xst64pace $a0:3, $a0:1, $m2:3 += $m4, 0b110110", { 0x56402800 | 6 | 3 << 8 } },
    { "trap 0", { 0x41801000 } },
    { "put 0x70, $m0", { 0x43008070 } },
    { "put $DBG_DATA, $m0", { 0x43008070 } },
    { "put 112, $a0", { 0x51008070 } },
    { "run $m0, $m0, 4096", { 0x14010000 } },
    { "sync 3", { 0x41800003 } },
    { "delay 32", { 0x40A00020 } },
    { "sans 32", { 0x40C00020 } },
    { "send 1, 6, 3", { 0x78200033 } },
    { "bri 0x13000", { 0x40813000 } },
    { "get $m0, $WSR", { 0x41000001 } },
    { "uget $a1, $FP_CTL", { 0x51010802 } },
    { "uput 258 & 7, $a1", { 0x51108002 } },
    /* the offset form of a load may leave its delta out */
    { "ld32 $m1, $m2, 3", { 0x0121F003 } },
    { "ld32 $m1, $m2, $mzero, 3", { 0x0121F003 } },
    { "ld32 $m1, $m2, $m3", { 0x4D23F010 } },
    { "st32 $a1, $m2, $mzero, 0xABC", { 0x5E20F000 | 0xA00 | 0xB << 16 | 0xC | 1 << 4 } },
    { "ld64step $a0:1, $mzero, $m3+=, -1", { 0x1EF032FF } },
    { "ld64step $a0:1, $mzero, $m3+=, $m4", { 0x47F43201 } },
    /* other names */
    { "mov $m1, $m2", { 0x42219000 } },
    { "mov $a1, $a2", { 0x52219000 } },
    { "mov $a0:1, $a2:3", { 0x5820EE01 } },
    { "mov $m1, $a2", { 0x5D010020 } },
    { "zero $m3", { 0x44F0F331 } },
    { "zero $a2:3", { 0x58E0EE21 } },
    { "swap16 $m1, $m2", { 0x44202312 } },
    { "movnz $m1, $m2, $m3", { 0x47231A00 } },
    { "strap", { 0x43F080FF } },
    { "or $a1, $azero, 0x12300000", { 0x52F1D123 } },
    { "or $m1, $mzero, 0xFFF00000", { 0x42F1CFFF } },
    { "or $m1, $mzero, ~0xFFFFF", { 0x42F1CFFF } },
    { "setzi $a0, 1.0h", { 0x1A003C00 } },
    { "setzi $a0, -2.0h", { 0x1A00C000 } },
    { "setzi $a0, infh", { 0x1A007C00 } },
    { "ldconst $m1, 0x12345", { 0x19112345 } },
    { "ldconst $m1, 0x12345678", { 0x19145678, 0x4211C123 } },
    { "ldconst $a1, -1", { 0x1A1FFFFF, 0x5211DFFF } },
    /* bundles */
    { "{ ld32 $m1, $m2, 3; fnop }", { 0x8121F003, 0x9AD00000 } },
    { "{\n  nop // main\n  fnop /* aux */\n}", { 0x99E00000, 0x9AD00000 } },
    { "{ bri 4; nop }", { 0xC0800004, 0x9AD00000 } }, /* as the guide writes it */
    { "{nop;fnop}; nop", { 0x99E00000, 0x9AD00000, 0x19E00000 } },
    { "{ bri 4 ; fnop }", { 0xC0800004, 0x9AD00000 } },
    /* a guide's line: blanks between $ and name come from the preprocessor */
    { "add $ m1, $ m2, $ m3", { 0x44203011 } },
    { "ld64 $a0: 1, $m7, $mzero, (12/2)", { 0x0970F006 } },
    { "ldd16a64 $a0:1, $m1++, $m2, $m3@", { 0x45231B00 } },
    { "ldb16b16 $a0:1, $m1, $m2++, $m3>>", { 0x45123900 } },
    { ".half 1.0h, 2", { 0x00023C00 } },
};

static void texts_give_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_object *object = assemble(rows[i].text);
        const tw_section *text = section_of(object, ".text");
        uint32_t n = 0;
        for (; n < 4 && rows[i].words[n]; n++) {
            if (4 * n >= text->size) fail_msg("row %zu: %s: %u bytes only", i, rows[i].text, text->size);
            if (word_of(text, n) != rows[i].words[n])
                fail_msg("row %zu: %s: word %u is %08x, not %08x", i, rows[i].text, n, word_of(text, n),
                         rows[i].words[n]);
        }
        assert_int_equal(text->size, 4 * n);
        tw_object_free(object);
    }
}

/* Each row's text, with random operands, gives the row's word again; a bundle's half as well. */
static void every_row_assembles(void **state)
{
    (void)state;
    GRand *rand = g_rand_new_with_seed(2);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GArray) words = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (size_t i = 0; i < 20 * tw_isa_count(); i++) {
        const tw_isa_row *row = tw_isa_get(i % tw_isa_count());
        tw_insn insn = { .row = (uint16_t)(i % tw_isa_count()) };
        for (int k = 0; k < row->count; k++) {
            const tw_isa_operand *kind = row->operands[k];
            uint32_t number = g_rand_int(rand) & (uint32_t)((UINT64_C(1) << kind->bits) - 1);
            if (kind->registers) number = number / kind->registers * kind->registers;
            if (kind->registers > 1 && kind->file == TW_ISA_MRF && number > 10) number = 10;
            uint32_t sign = kind->is_signed ? 1u << (kind->bits - 1) : 0;
            insn.operands[k] = kind->is_signed ? (number ^ sign) - sign : number << kind->shift;
        }
        uint64_t word;
        assert_int_equal(tw_insn_encode(TW_ISA_IPU21, &insn, &word), TW_OK);
        char line[TW_INSN_TEXT];
        g_string_append_printf(text, "%s\n", tw_insn_format(&insn, line));
        uint32_t halves[2] = { (uint32_t)word, (uint32_t)(word >> 32) };
        g_array_append_vals(words, halves, row->flags & TW_ISA_TWO_WORDS ? 2 : 1);
    }
    /* Registers that one instruction would write twice are refused; here they may come up by chance. */
    g_string_prepend(text, ".allow_invalid_operands\n.allow_invalid_repeat\n");
    tw_object *object = assemble_for(TW_ISA_IPU21, text->str);
    const tw_section *made = section_of(object, ".text");
    assert_int_equal(made->size, 4 * words->len);
    for (guint i = 0; i < words->len; i++)
        if (word_of(made, i) != g_array_index(words, uint32_t, i))
            fail_msg("word %u is %08x, not %08x", i, word_of(made, i), g_array_index(words, uint32_t, i));
    tw_object_free(object);
    g_rand_free(rand);
}

/* --- refusals ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text, *phrase;
    int line, column;
} refused[] = {
    { "f32v2add $a0:1, $a3:4, $a4:5", "an even register", 1, 17 },
    { "f32v2add $a0:1, $a2:3, $m4", "pair of registers of the ARF", 1, 24 },
    { "nop\n ld128 $a2:5, $m0, $m0, $m0", "divisible by four", 2, 8 },
    { "add $m1, $m2, $a3", "a register of the MRF", 1, 15 },
    { "add $m1, $m2, 65536", "cannot be 65536", 1, 15 },
    { "add $m1, $m2, -32769", "cannot be -32769", 1, 15 },
    { "shl $m1, $m2, 4096", "legal: 0 to 4095", 1, 15 },
    { "and $m1, $m2, ~3", "cannot be -4", 1, 15 },
    { "setzi $m1, 0x100000", "legal: 0 to 1048575", 1, 12 },
    { "setzi $m1, 1.5", "half-precision", 1, 12 },
    { "setzi $a0, 65520.0h", "too large for half", 1, 12 },
    { "ld64step $a0:1, $mzero, $m1, 1", "such as $m2+=", 1, 25 },
    { "add $m1, $m2", "takes 3 operands, not 2", 1, 1 },
    { "frobnicate $m1", "no instruction or macro", 1, 1 },
    { "ret", "here it is br $lr", 1, 1 },
    { "st16 $m0, $m1, 0", "stores have 32 or 64 bits", 1, 1 },
    { "f32v2ad $a0:1, $a0:1, $a0:1", "did you mean 'f32v2add'", 1, 1 },
    { "add $m1, $m2, $q7", "no register '$q7'", 1, 15 },
    { "get $m0, $wsr", "did you mean 'WSR'", 1, 10 },
    { "add $m1, $m16, 0", "no register '$m16'", 1, 10 },
    { "rpt 4096, 1", "legal: 0 to 4095", 1, 5 },
    { "ldd16a64 $a0:1, $m1, $m2, $m3@", "such as $m2++", 1, 17 },
    { "ld2x64pace $a0:1, $a0:1, $m2:3+=, $m4, 0", "write the same register", 1, 19 },
    { "ld32step $m1, $m2, $m1+=, 1", "write the same register", 1, 20 },
    { "add $m1, $m2 $m3", "expected ','", 1, 14 },
    { "add $m1,, $m3", "expected a number", 1, 9 },
    { "{ nop; add $m0, $m1, 1 }", "both instructions of the bundle are for the main", 1, 8 },
    { "{ fnop; nop }", "comes first", 1, 3 },
    { "{ nop }", "two instructions", 1, 1 },
    { "{ nop; fnop; fnop }", "the third", 1, 14 },
    { "{ exitz $m0; fnop }", "cannot be in a bundle", 1, 3 },
    { "{ sync 2; fnop }", "cannot be in a bundle", 1, 3 },
    { "{ ld32 $a1, $m0, 0; setzi $a1, 0 }", "both instructions of the bundle write $a1", 1, 21 },
    { "{ ld32 $a15, $m0, 0; setzi $a15, 0 }", "both instructions of the bundle write $a15", 1, 22 },
    { "{ ld64 $a2:3, $m0, 0; f32add $a3, $a0, $a0 }", "write $a3", 1, 23 },
    { "{ nop\nfnop", "no closing brace", 1, 1 },
    { "nop }", "no bundle", 1, 5 },
    { "{ 1: nop; fnop }", "label cannot stand in a bundle", 1, 3 },
    { ".supervisor\nf32add $a0, $a1, $a2", "for the workers only", 2, 1 },
    { ".supervisor\nexitz $mzero", "for the workers only", 2, 1 },
    { ".worker\nrunall $m0, $m1, 0", "for the supervisor only", 2, 1 },
    { ".worker\nget $m0, $TILE_ID", "belongs to the supervisor", 2, 10 },
    { ".supervisor\nget $m0, $WSR", "belongs to the workers", 2, 10 },
    { "get $m0, $FP_NFMT", "ipu2 has no control register", 1, 10 },
    { "ldb8 $a0, $m0, 0", "ipu2 has no 'ldb8'", 1, 1 },
    { "rpt $m0, 0\n{nop;fnop}", "lie on 8 bytes, and it is at offset 0x4", 1, 1 },
    { ".align 8\nrpt $m0, 0\n{nop;fnop}", "lie on 8 bytes, and it is at offset 0x4", 2, 1 },
    { ".align 8\nnop\nnop\nrpt $m0, 0\n{nop;fnop}", "lie on 8 bytes, and it is at offset 0xc", 4, 1 },
    { "nop\nrpt $m0, 0\n{nop;fnop}", "needs .align 8", 2, 1 },
    { ".align 8\nnop\nrpt $m0, 0\nnop\nnop", "is none", 3, 1 },
    { ".align 8\nnop\nrpt $m0, 1\n{nop;fnop}\n{bri 0;fnop}", "'bri' cannot be in the body", 3, 1 },
    { ".align 8\nnop\nrpt $m0, 0\n{get $m0,$WSR;fnop}", "'get' cannot be in the body", 3, 1 },
    { ".align 8\nnop\nrpt $m0, 0\n{nop; uput $TAS,$a0}", "'uput' cannot be in the body", 3, 1 },
    { ".align 8\nnop\nrpt $m0, 1\n{nop;fnop}", "longer than what is left", 3, 1 },
    { ".byte 1\nnop", "no multiple of 4", 2, 1 },
    { ".data\nnop", "does not hold code", 2, 1 },
    { "ldconst $m0, 0x100000000", "does not fit 32 bits", 1, 14 },
    { "{ ldconst $m0, 1; fnop }", "cannot stand in a bundle", 1, 3 },
};

static void wrong_texts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
        check_refused(TW_ISA_IPU2, refused[i].text, refused[i].phrase, refused[i].line, refused[i].column);
    check_refused(TW_ISA_IPU1, "f16v4hihov4amp $a0:1, $a0:1, $a0:1, 0", "ipu1 has no", 1, 1);
}

/* Notes behind an error: what was probably meant. */
static void errors_with_notes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
    } noted[] = {
        { "mov $m0, 5", "setzi loads a constant of 20 bits, ldconst one of 32" },
        { "setzi $m0, 0x12345678", "ldconst loads all 32 bits" },
        { "add m0, $m1, $m2", "registers begin with a dollar: $m0" },
        { "get $m0, WSR", "the control register is $WSR" },
        { "add $m1, $m2", "add $mD, $mS, $mS or add $mD, $mS, simm16 or add $mD, $mS, imm16" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(noted); i++) {
        tw_diags *diags = tw_diags_new();
        tw_object *object;
        assert_int_equal(tw_status_of(object = tw_asm_text(noted[i].text, strlen(noted[i].text), "x", NULL, diags)),
                         TW_E_PARSE);
        assert_int_equal(tw_diags_get(diags, 0)->severity, TW_ERROR);
        assert_non_null(tw_diags_get(diags, 1));
        assert_int_equal(tw_diags_get(diags, 1)->severity, TW_NOTE);
        assert_string_equal(tw_diags_get(diags, 1)->message, noted[i].note);
        assert_null(tw_diags_get(diags, 2));
        tw_diags_free(diags);
    }
}

static void checks_can_be_turned_off(void **state)
{
    (void)state;
    tw_object_free(assemble(".allow_invalid_execution_mode\n.supervisor\nf32add $a0, $a1, $a2"));
    tw_object_free(assemble(".warn_on_invalid_bundles\n{ ld32 $a1, $m0, 0; setzi $a1, 0 }"));
    tw_object_free(assemble(".allow_invalid_operands\nld32step $m1, $m2, $m1+=, 1"));
    tw_object_free(assemble(".allow_invalid_repeat\nrpt $m0, 0\nnop"));
}

/* --- rpt ------------------------------------------------------------------------------------------------------ */

static void bodies_of_rpt(void **state)
{
    (void)state;
    tw_object *object = assemble(".align 8\nnop\nrpt $m0, (2f-1f)/8-1\n1:\n{nop;fnop}\n{nop;fnop}\n2:\n");
    assert_int_equal(word_of(section_of(object, ".text"), 1), 0x4300A001);
    tw_object_free(object);
    /* .allow_optimizations: fnop comes and goes */
    object = assemble(".allow_optimizations\nrpt $m0, 0\n{nop;fnop}\nnop\n{rpt $m0, 0; fnop}\n{fnop;nop}");
    const tw_section *text = section_of(object, ".text");
    static const uint32_t words[] = { 0xC300A000, 0x9AD00000, 0x99E00000, 0x9AD00000,
                                      0x19E00000, 0x4300A000, 0x99E00000, 0x9AD00000 };
    assert_int_equal(text->align, 8);
    assert_int_equal(text->size, sizeof words);
    for (uint32_t i = 0; i < G_N_ELEMENTS(words); i++) assert_int_equal(word_of(text, i), words[i]);
    tw_object_free(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_give_words),        cmocka_unit_test(every_row_assembles),
        cmocka_unit_test(wrong_texts_are_refused), cmocka_unit_test(checks_can_be_turned_off),
        cmocka_unit_test(errors_with_notes),       cmocka_unit_test(bodies_of_rpt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
