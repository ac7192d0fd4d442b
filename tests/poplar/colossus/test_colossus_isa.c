/* SPDX-License-Identifier: MIT */
/* The table of instructions against the specification: encodings, overlaps, both directions, limits of every operand,
 * names. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "poplar/colossus/isa/isa.h"

#define __IPU_ARCH_VERSION__ 2
#include <poplar/TileConstants.hpp>

#include <glib.h>
#include <stdlib.h>
#include <string.h>

static const tw_isa_arch chips[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };

/* --- words that are known ------------------------------------------------------------------------------------- */

static const struct {
    uint64_t word;
    tw_isa_arch arch;
    const char *text;
} known[] = {
    { 0x19E00000, TW_ISA_IPU2, "nop" },
    { 0x1AD00000, TW_ISA_IPU2, "fnop" },
    { 0x44203011, TW_ISA_IPU1, "add $m1, $m2, $m3" },
    { 0x22010001, TW_ISA_IPU1, "add $m1, $m0, 1" },
    { 0x28440000, TW_ISA_IPU1, "cmpeq $m4, $m4, 0" },
    { 0x58E0E003, TW_ISA_IPU2, "f32v2add $a0:1, $azeros, $azeros" },
    { 0x4D000805, TW_ISA_IPU2, "ld128 $a0:3, $m0, $m0, $m0" },
    { 0x56402800, TW_ISA_IPU2, "ld2xst64pace $a0:3, $a0:1, $m2:3+=, $m4, 0" },
    { 0x41801000, TW_ISA_IPU2, "trap 0" },
    { 0x43008070, TW_ISA_IPU2, "put $DBG_DATA, $m0" },
    { 0x14010000, TW_ISA_IPU2, "run $m0, $m0, 0x1000" },
    { 0x40813000, TW_ISA_IPU2, "bri 0x13000" },
    { 0x41800003, TW_ISA_IPU2, "sync 3" },
    { 0x40A00020, TW_ISA_IPU2, "delay 32" },
    { 0x40C00020, TW_ISA_IPU2, "sans 32" },
    { 0x78200033, TW_ISA_IPU2, "send 1, 0x6, 3" },
    /* guide 7.4.3, words by the rows of the specification */
    { 0x4200A000 | 3 << 16 | 2 << 20 | 5, TW_ISA_IPU2, "shl $m3, $m2, 5" },
    { 0x42009000 | 3 << 16 | 2 << 20, TW_ISA_IPU2, "mov $m3, $m2" },
    { 0x20000000 | 3 << 16 | 2 << 20 | 7, TW_ISA_IPU2, "addz $m3, $m2, 7" },
    { 0x20000000 | 3 << 16 | 2 << 20 | 0x8000, TW_ISA_IPU2, "add $m3, $m2, 0x8000" },
    { 0x58000000 | 8 << 16 | 2 << 20 | 4 << 12 | 6 << 4 | 3, TW_ISA_IPU2, "f32v2add $a6:7, $a2:B, $a4:5" },
};

static void known_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        tw_insn insn;
        char text[TW_INSN_TEXT];
        uint64_t word = 0;
        if (!tw_insn_decode(known[i].arch, known[i].word, &insn)) fail_msg("row %zu does not decode", i);
        assert_string_equal(tw_insn_format(&insn, text), known[i].text);
        assert_int_equal(tw_insn_encode(known[i].arch, &insn, &word), TW_OK);
        assert_int_equal(word, known[i].word);
    }
}

/* --- every row against the specification ---------------------------------------------------------------------- */

/* Rows by (mnemonic, fixed bits): the specification's table has them as text, c = bundle bit, - = field. */
static const tw_isa_row *row_with_bits(const char *name, const char *bits)
{
    uint32_t match = 0, mask = 0;
    for (int i = 0; i < 32; i++) {
        match = match << 1 | (bits[i] == '1');
        mask = mask << 1 | (bits[i] == '0' || bits[i] == '1');
    }
    for (const tw_isa_row *row = NULL; (row = tw_isa_find(name, row));)
        if (row->match == match && row->mask == mask) return row;
    return NULL;
}

static unsigned set_of_chips(const char *text)
{
    return (strstr(text, "ipu1;") ? TW_ISA_IPU1 : 0u) | (strstr(text, "ipu2;") ? TW_ISA_IPU2 : 0u) |
           (strstr(text, "ipu21") ? TW_ISA_IPU21 : 0u);
}

/* "op0=7-4;op1=23-20": does each operand's field move exactly these bits? */
static void check_fields(const tw_isa_row *row, const char *fields)
{
    const tw__isa_field *made = tw__isa_fields(row);
    g_auto(GStrv) parts = g_strsplit(fields, ";", -1);
    for (char **part = parts; *part; part++) {
        unsigned k, to_high = 99, to_low = 0, high, low;
        const char *equals = strchr(*part, '=');
        sscanf(*part, "op%u{%u-%u}", &k, &to_high, &to_low);
        int n = sscanf(equals, "=%u-%u", &high, &low);
        if (n == 1) low = high;
        for (unsigned b = low; b <= high; b++) {
            uint32_t number = tw__isa_extract(&made[k], UINT64_C(1) << b);
            if (number != 1u << (b - low + to_low))
                fail_msg("%s: bit %u of the word gives 0x%x", row->id, b, number);
        }
    }
}

/* Splits a line of the table at commas outside quotes, in place. */
static size_t split(char *line, char **cells, size_t room)
{
    size_t n = 0;
    bool quoted = false;
    for (char *p = cells[n++] = line; *p && n <= room; p++) {
        if (*p == '"') quoted = !quoted;
        if (*p == ',' && !quoted) *p = 0, cells[n++] = p + 1;
    }
    return n;
}

static void check_line(char *line, size_t *rows)
{
    char *c[16];
    if (split(line, c, 12) != 12) fail_msg("the table has another form: %s", line);
    const tw_isa_row *row = row_with_bits(c[0], c[6]);
    if (!row) fail_msg("no row for %s %s %s", c[0], c[1], c[6]);
    ++*rows;
    assert_int_equal(row->pipe, strcmp(c[2], "aux") == 0 ? TW_ISA_AUX : TW_ISA_MAIN);
    assert_int_equal(row->context, *c[3] == 'b' ? TW_ISA_BOTH : *c[3] == 'w' ? TW_ISA_WORKER : TW_ISA_SUPERVISOR);
    assert_int_equal(row->archs, set_of_chips(c[4]));
    assert_int_equal(!!(row->flags & TW_ISA_CONTROL), *c[8] == '1');
    assert_int_equal(!!(row->flags & TW_ISA_SYSTEM), *c[9] == '1');
    assert_int_equal(!(row->flags & TW_ISA_ALONE), *c[10] == '1');
    check_fields(row, c[7]);
    g_autoptr(GString) accesses = g_string_new(NULL);
    for (int i = 0; i < TW_ISA_ACCESSES && row->accesses[i]; i++)
        g_string_append_printf(accesses, "%s%c%d", i ? "+" : "", row->accesses[i] & TW_ISA_STORE ? 'S' : 'L',
                               row->accesses[i] & 0x7f);
    assert_string_equal(accesses->str, g_strstrip(c[11]));
}

static void table_of_the_specification(void **state)
{
    (void)state;
    g_autofree char *text = NULL;
    if (!g_file_get_contents(TW_SOURCE_DIR "/../shared/spec/colossus-isa.csv", &text, NULL, NULL) &&
        !g_file_get_contents(TW_SOURCE_DIR "/../../shared/spec/colossus-isa.csv", &text, NULL, NULL))
        skip();
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    size_t rows = 0;
    for (char **line = lines + 1; *line && **line; line++) check_line(*line, &rows);
    assert_int_equal(rows, tw_isa_count());
}

/* --- properties ----------------------------------------------------------------------------------------------- */

static void no_two_rows_share_a_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < tw_isa_count(); i++)
        for (size_t j = 0; j < i; j++) {
            const tw_isa_row *a = tw_isa_get(i), *b = tw_isa_get(j);
            uint32_t common = a->mask & b->mask;
            if (!((a->match ^ b->match) & common) && (a->archs & b->archs)) fail_msg("%s and %s", a->id, b->id);
        }
}

static uint32_t random_value(GRand *rand, const tw_isa_operand *kind)
{
    for (;;) {
        uint32_t number = g_rand_int(rand);
        if (kind->registers && tw__isa_register_fits(kind, number & 15)) return number & 15;
        if (kind->registers) continue;
        number &= (uint32_t)((UINT64_C(1) << kind->bits) - 1);
        if (kind->is_signed) return (uint32_t)((int32_t)(number << (32 - kind->bits)) >> (32 - kind->bits));
        return number << kind->shift;
    }
}

static void rows_make_round_trips(void **state)
{
    (void)state;
    GRand *rand = g_rand_new_with_seed(1);
    for (size_t i = 0; i < 100 * tw_isa_count(); i++) {
        const tw_isa_row *row = tw_isa_get(i % tw_isa_count());
        tw_insn insn = { .row = (uint16_t)(i % tw_isa_count()) }, back;
        insn.bundled = !(row->flags & TW_ISA_ALONE) && g_rand_boolean(rand);
        for (int k = 0; k < row->count; k++) insn.operands[k] = random_value(rand, row->operands[k]);
        for (size_t c = 0; c < G_N_ELEMENTS(chips); c++) {
            uint64_t word = 0;
            tw_status status = tw_insn_encode(chips[c], &insn, &word);
            assert_int_equal(status == TW_OK, !!(row->archs & chips[c]));
            if (status != TW_OK) continue;
            if (!tw_insn_decode(chips[c], word, &back)) fail_msg("%s: 0x%llx", row->id, (unsigned long long)word);
            assert_memory_equal(&back, &insn, sizeof back);
        }
    }
    g_rand_free(rand);
}

static tw_status encode_with(const tw_isa_row *row, int k, uint32_t value)
{
    tw_insn insn = { .row = (uint16_t)tw__isa_index(row) };
    insn.operands[k] = value;
    uint64_t word;
    return tw_insn_encode(TW_ISA_IPU21, &insn, &word);
}

/* The first and last legal value of every operand encode, the values beside them do not. */
static void limits_of_every_operand(void **state)
{
    (void)state;
    for (size_t i = 0; i < tw_isa_count(); i++) {
        const tw_isa_row *row = tw_isa_get(i);
        for (int k = 0; k < row->count; k++) {
            const tw_isa_operand *kind = row->operands[k];
            if (kind->registers) {
                unsigned top = kind->file == TW_ISA_MRF && kind->registers > 1 ? 10u : 16u - kind->registers;
                assert_int_equal(encode_with(row, k, top), TW_OK);
                assert_int_equal(encode_with(row, k, top + kind->registers), TW_E_INDEX);
                if (kind->registers > 1) assert_int_equal(encode_with(row, k, 1), TW_E_INDEX);
                if (kind->registers == 4) assert_int_equal(encode_with(row, k, 2), TW_E_INDEX);
                continue;
            }
            int64_t top = kind->is_signed ? (INT64_C(1) << (kind->bits - 1)) - 1 : (INT64_C(1) << kind->bits) - 1;
            int64_t low = kind->is_signed ? -top - 1 : 0, unit = INT64_C(1) << kind->shift;
            assert_int_equal(encode_with(row, k, (uint32_t)(top * unit)), TW_OK);
            assert_int_equal(encode_with(row, k, (uint32_t)(low * unit)), TW_OK);
            if ((top + 1) * unit <= UINT32_MAX)
                assert_int_equal(encode_with(row, k, (uint32_t)((top + 1) * unit)), TW_E_OVERFLOW);
            if (kind->bits + kind->shift < 32) /* else -1 unit is the top one */
                assert_int_equal(encode_with(row, k, (uint32_t)((low - 1) * unit)), TW_E_OVERFLOW);
            if (unit > 1) assert_int_equal(encode_with(row, k, (uint32_t)(unit / 2)), TW_E_OVERFLOW);
        }
    }
}

static const uint64_t undefined[] = { 0xFFFFFFFE00000000 | 0x17000000,      0x60000000, 0x1700FFFF, 0x43005000,
                                      0x44FFFFFF /* no ALU operation 15 */, 0x58103003 /* odd pair */ };

static void undefined_words(void **state)
{
    (void)state;
    tw_insn insn;
    for (size_t i = 0; i < G_N_ELEMENTS(undefined); i++)
        if (tw_insn_decode(TW_ISA_IPU1, undefined[i], &insn))
            fail_msg("row %zu is %s", i, tw_isa_get(insn.row)->id);
    assert_false(tw_insn_decode(TW_ISA_IPU1, 0x5B000740, &insn)); /* f16v4hihov4amp came with ipu2 */
    assert_true(tw_insn_decode(TW_ISA_IPU2, 0x5B000740, &insn));
    assert_false(tw_insn_decode(TW_ISA_IPU2, 0x02000000, &insn)); /* ldb8 came with ipu21 */
    assert_true(tw_insn_decode(TW_ISA_IPU21, 0x02000000, &insn));
    assert_false(tw_insn_decode(TW_ISA_IPU2, 0xC3001000, &insn)); /* an exit in a bundle */
}

/* Cycles of Colossus ISA, cycles: all rows not listed take one turn. */
static void cycles_of_slow_instructions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int cycles;
    } slow[] = { { "f32exp", 3 },   { "f32exp2", 3 },   { "f32ln", 6 },   { "f32log2", 6 },   { "f32tanh", 5 },
                 { "f32sigm", 5 },  { "f32div", 3 },    { "f32oox", 3 },  { "f32oorx", 4 },   { "f32sqrt", 5 },
                 { "f16v2exp", 2 }, { "f16v2exp2", 2 }, { "f16v2ln", 2 }, { "f16v2log2", 2 }, { "f16v2sigm", 2 } };
    size_t found = 0;
    for (size_t i = 0; i < tw_isa_count(); i++) {
        int expected = 1;
        for (size_t j = 0; j < G_N_ELEMENTS(slow); j++)
            if (strcmp(slow[j].name, tw_isa_get(i)->name) == 0) expected = slow[j].cycles, found++;
        assert_int_equal(tw_isa_get(i)->cycles, expected);
    }
    assert_int_equal(found, G_N_ELEMENTS(slow));
}

static void registers_and_headers_agree(void **state)
{
    (void)state;
#define SAME(context, name) assert_int_equal(tw_isa_csr_by_name(#name)->index, CSR_##context##_##name##__INDEX)
    SAME(W, WSR), SAME(W, VERTEX_BASE), SAME(W, WORKER_BASE), SAME(W, REPEAT_COUNT), SAME(W, FP_STS),
        SAME(W, FP_CLR);
    SAME(W, FP_CTL), SAME(W, PRNG_0_0), SAME(W, PRNG_1_1), SAME(W, PRNG_SEED), SAME(W, TAS), SAME(W, FP_NFMT);
    SAME(W, FP_SCL), SAME(S, TILE_ID), SAME(S, FP_ICTL), SAME(S, FP_INFMT), SAME(S, FP_ISCL), SAME(S, CCCSLOAD);
    SAME(S, SSR), SAME(S, CR), SAME(S, SCOUNT_L), SAME(S, CTXT_STS), SAME(C, DBG_DATA), SAME(C, PC);
#undef SAME
    assert_int_equal(tw_isa_csr_at(TW_ISA_WORKER, 1) == tw_isa_csr_by_name("WSR"), true);
    assert_int_equal(tw_isa_csr_at(TW_ISA_SUPERVISOR, 1) == tw_isa_csr_by_name("SSR"), true);
    assert_null(tw_isa_csr_at(TW_ISA_WORKER, 0x20));
}

static void names_and_chips(void **state)
{
    (void)state;
    assert_int_equal(tw_isa_arch_by_name("mk1"), TW_ISA_IPU1);
    assert_int_equal(tw_isa_arch_by_name("Mk2"), TW_ISA_IPU2);
    assert_int_equal(tw_isa_arch_by_name("ipu1"), TW_ISA_IPU1);
    assert_int_equal(tw_isa_arch_by_name("ipu2"), TW_ISA_IPU2);
    assert_int_equal(tw_isa_arch_by_name("ipu21"), TW_ISA_IPU21);
    assert_int_equal(tw_isa_arch_by_name("ipu3"), 0);
    assert_non_null(strstr(tw_error_message(), "ipu3"));
    assert_string_equal(tw__isa_nearest("f32v2ad"), "f32v2add");
    assert_null(tw_isa_find("frobnicate", NULL));
    int adds = 0;
    for (const tw_isa_row *row = NULL; (row = tw_isa_find("ADD", row)); adds++)
        assert_string_equal(row->name, "add");
    assert_int_equal(adds, 3);
    char text[TW_INSN_TEXT];
    assert_string_equal(tw_isa_syntax(tw_isa_find("ldst64pace", NULL), text),
                        "ldst64pace $aD:pair, $aS:pair, $mAddr:pair+=, $mStride, select2");
    assert_string_equal(tw_isa_alias_get(0)->name, "nop");
}

/* What does not encode, and why. */
static void messages_of_encoding(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int form; /* of the rows of this name */
        tw_isa_arch arch;
        bool bundled;
        uint32_t operands[3];
        tw_status status;
        const char *message;
    } rows[] = {
        { "f16v4hihov4amp", 0, TW_ISA_IPU1, false, { 0 }, TW_E_NOT_SUPPORTED, "ipu1 has no 'f16v4hihov4amp'" },
        { "exitz", 0, TW_ISA_IPU2, true, { 0 }, TW_E_INVALID_ARGUMENT, "'exitz' cannot be in a bundle" },
        { "add",
          0,
          TW_ISA_IPU2,
          false,
          { 1, 2, 16 },
          TW_E_INDEX,
          "operand 3 of 'add' ($mS) cannot be register 16" },
        { "add",
          1,
          TW_ISA_IPU2,
          false,
          { 1, 2, 0x8000 },
          TW_E_OVERFLOW,
          "operand 3 of 'add' (simm16) cannot be 0x8000; legal: -32768 to 32767" },
        { "add",
          2,
          TW_ISA_IPU2,
          false,
          { 1, 2, 0x10000 },
          TW_E_OVERFLOW,
          "operand 3 of 'add' (imm16) cannot be 0x10000; legal: 0 to 65535" },
        { "bri",
          0,
          TW_ISA_IPU2,
          false,
          { 2 },
          TW_E_OVERFLOW,
          "operand 1 of 'bri' (target) cannot be 0x2; legal: multiples of 0x4 up to 0x1ffffc" },
    };
    uint64_t word = 77;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const tw_isa_row *row = NULL;
        for (int k = 0; k <= rows[i].form; k++) row = tw_isa_find(rows[i].name, row);
        tw_insn insn = { .row = (uint16_t)tw__isa_index(row), .bundled = rows[i].bundled };
        memcpy(insn.operands, rows[i].operands, sizeof rows[i].operands);
        assert_int_equal(tw_insn_encode(rows[i].arch, &insn, &word), rows[i].status);
        assert_string_equal(tw_error_message(), rows[i].message);
    }
    tw_insn none = { .row = 60000 };
    char text[TW_INSN_TEXT];
    assert_int_equal(tw_insn_encode(TW_ISA_IPU2, &none, &word), TW_E_INDEX);
    assert_string_equal(tw_error_message(), "there is no instruction number 60000");
    assert_string_equal(tw_insn_format(&none, text), "?");
    assert_int_equal(word, 77);
}

/* Disassembly to the letter: names that force a form, other names, registers with a meaning, control registers. */
static void words_as_text(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        const char *text;
    } rows[] = {
        { 0x19E00000, "nop" },
        { 0x1AD00000, "fnop" },
        { 0x1AD00001, "setzi $a13, 1" },
        { 0x20010001, "addz $m1, $m0, 1" }, /* the assembler would take the other form for "add" */
        { 0x22010001, "add $m1, $m0, 1" },
        { 0x20018000, "add $m1, $m0, 0x8000" },
        { 0x2201FFFF, "add $m1, $m0, -1" },
        { 0x42219000, "mov $m1, $m2" },
        { 0x5D010020, "atom $m1, $a2" },
        { 0x44F0F331, "or $m3, $mzero, $mzero" },
        { 0x43A00000, "br $m10" },
        { 0x40813000, "bri 0x13000" },
        { 0x41000001, "get $m0, $WSR" },
        { 0x410000FE, "get $m0, 254" },
        { 0x51010802, "uget $a1, $FP_CTL" },
        { 0x58E0E003, "f32v2add $a0:1, $azeros, $azeros" },
        { 0x0121F003, "ld32 $m1, $m2, $mzero, 3" },
        { 0x1EF032FF, "ld64step $a0:1, $mzero, $m3+=, -1" },
        { 0x14010000, "run $m0, $m0, 0x1000" },
        { 0x56402800, "ld2xst64pace $a0:3, $a0:1, $m2:3+=, $m4, 0" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_insn insn;
        char text[TW_INSN_TEXT];
        assert_true(tw_insn_decode(TW_ISA_IPU2, rows[i].word, &insn));
        if (strcmp(tw_insn_format(&insn, text), rows[i].text) != 0)
            fail_msg("%08x: %s, not %s", rows[i].word, text, rows[i].text);
    }
}

static void page_of_the_manual_is_current(void **state)
{
    (void)state;
    g_autofree char *page = NULL;
    assert_true(g_file_get_contents(TW_SOURCE_DIR "/docs/colossus-instructions.md", &page, NULL, NULL));
    char *made = tw_isa_reference();
    if (strcmp(made, page) != 0) fail_msg("run `tilewright info insn --markdown > docs/colossus-instructions.md`");
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_words),
        cmocka_unit_test(table_of_the_specification),
        cmocka_unit_test(no_two_rows_share_a_word),
        cmocka_unit_test(rows_make_round_trips),
        cmocka_unit_test(limits_of_every_operand),
        cmocka_unit_test(undefined_words),
        cmocka_unit_test(cycles_of_slow_instructions),
        cmocka_unit_test(registers_and_headers_agree),
        cmocka_unit_test(names_and_chips),
        cmocka_unit_test(messages_of_encoding),
        cmocka_unit_test(words_as_text),
        cmocka_unit_test(page_of_the_manual_is_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
