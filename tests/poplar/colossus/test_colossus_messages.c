/* SPDX-License-Identifier: MIT */
/* Every message of the assembler, whole: its words, its line, what the caret marks, and the note below it
 * (docs/colossus.md: what is checked; Colossus ISA, checks the assembler must make). */
#include "asm_test.h"

typedef struct row {
    const char *text, *message;
    int line;
    const char *marked; /* below the caret; "" = the end of the line */
    const char *note;   /* the first; NULL = none */
} row;

/* What the caret marks: the part of the line, cut at its end. */
static char *marked_of(const tw_diag *d)
{
    size_t all = strlen(d->source), from = (size_t)d->column - 1;
    if (d->column < 1 || from > all) fail_msg("column %d of '%s'", d->column, d->source);
    return g_strndup(d->source + from, MIN((size_t)d->length, all - from));
}

static void check_row(tw_isa_arch arch, const row *r)
{
    tw_asm_options options = { .size = sizeof options, .arch = arch };
    tw_diags *diags = tw_diags_new();
    tw_object *object = tw_asm_text(r->text, strlen(r->text), "test.s", &options, diags);
    tw_status status = tw_status_of(object);
    const tw_diag *d = NULL, *note = NULL;
    size_t i = 0;
    while ((d = tw_diags_get(diags, i)) && d->severity != TW_ERROR) i++;
    if (!d || status != TW_E_PARSE) fail_msg("no error: %s", r->text);
    g_autofree char *marked = marked_of(d);
    if (strcmp(d->message, r->message) != 0) fail_msg("%s\nis:    %s\nnot:   %s", r->text, d->message, r->message);
    if (d->line != r->line || strcmp(marked, r->marked) != 0)
        fail_msg("%s\n%s\nmarks '%s' of line %d, not '%s' of %d", r->text, d->message, marked, d->line, r->marked,
                 r->line);
    note = tw_diags_get(diags, i + 1);
    if (note && note->severity != TW_NOTE) note = NULL;
    if (g_strcmp0(note ? note->message : NULL, r->note) != 0)
        fail_msg("%s\nnote: %s\nnot:  %s", r->text, note ? note->message : "none", r->note ? r->note : "none");
    if (tw_diags_count(diags, TW_ERROR) != 1) fail_msg("%s\n%zu errors", r->text, tw_diags_count(diags, TW_ERROR));
    assert_null(object);
    tw_diags_free(diags);
}

#define CHECK(rows) \
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_row(TW_ISA_IPU2, &(rows)[i])

/* --- frames ----------------------------------------------------------------------------------------------- */

static const row frame_rows[] = {
    { ".cfi_endproc", ".cfi_endproc has to stand between .cfi_startproc and .cfi_endproc", 1, ".cfi_endproc",
      NULL },
    { ".cfi_startproc\n.cfi_startproc",
      "a .cfi_startproc stands here already: .cfi_endproc ends the function before", 2, ".cfi_startproc", NULL },
    { "nop\n.cfi_startproc", "the function that begins here has no .cfi_endproc", 2, ".cfi_startproc", NULL },
    { ".cfi_startproc\n.data\n.cfi_undefined 3", ".cfi_undefined is in another section than its .cfi_startproc", 3,
      ".cfi_undefined", NULL },
    { ".cfi_startproc\n.cfi_offset $m2:3, -8\n.cfi_endproc",
      "a register is expected: $m0 to $m15, $a0 to $a15, or its number from 0 to 31", 2, "$m2:3", NULL },
    { ".cfi_startproc\n.cfi_same_value 32\n.cfi_endproc",
      "a register is expected: $m0 to $m15, $a0 to $a15, or its number from 0 to 31", 2, "32", NULL },
    { ".cfi_startproc\n.cfi_offset $m7, -6\n.cfi_endproc",
      "a distance of -6 bytes: a multiple of 4 from -1048576 to 1048576 is expected", 2, "-6", NULL },
    { ".cfi_startproc\n.cfi_def_cfa_offset -8\n.cfi_endproc",
      "a distance of -8 bytes: a multiple of 4 from 0 to 1048576 is expected", 2, "-8", NULL },
    { ".cfi_startproc\n.cfi_def_cfa_offset 8\n.cfi_adjust_cfa_offset -16\n.cfi_endproc",
      "the CFA would lie 8 bytes below its register", 3, ".cfi_adjust_cfa_offset", NULL },
    { ".cfi_startproc\n.cfi_restore_state\n.cfi_endproc", "there is no state that was remembered", 2,
      ".cfi_restore_state", NULL },
    { ".cfi_startproc\n.cfi_offset $m7\n.cfi_endproc", "expected ',' behind the register", 2, "", NULL },
    { ".cfi_start", "unknown directive '.cfi_start'", 1, ".cfi_start", NULL },
};

static void messages_of_frames(void **state)
{
    (void)state;
    CHECK(frame_rows);
}

/* --- operands ------------------------------------------------------------------------------------------------- */

#define A50 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
static const row operands[] = {
    { "add $m1, $m2, 65536", "operand 3 of 'add' cannot be 65536; legal: -32768 to 32767 or 0 to 65535", 1, "65536",
      NULL },
    { "shl $m1, $m2, -1", "operand 3 of 'shl' cannot be -1; legal: 0 to 4095", 1, "-1", NULL },
    { "setzi $m1, 1048576", "operand 2 of 'setzi' cannot be 1048576; legal: 0 to 1048575", 1, "1048576",
      "ldconst loads all 32 bits" },
    { "shl $m1, $m2, 0x10000000000", "operand 3 of 'shl' cannot be 1099511627776; legal: 0 to 4095", 1,
      "0x10000000000", NULL },
    { "shl $m1, $m2, 0x10000000001", "operand 3 of 'shl' cannot be 1099511627777; legal: 0 to 4095", 1,
      "0x10000000001", NULL },
    { "setzi $m1, 1.5", "operand 2 of 'setzi' cannot be a real number; 1.5h is its half-precision pattern", 1,
      "1.5", NULL },
    { "add $m1, $a2, 0", "operand 2 of 'add' has to be a register of the MRF such as $m2, not '$a2'", 1, "$a2",
      NULL },
    { "f32add $m1, $a2, $a3", "operand 1 of 'f32add' has to be a register of the ARF such as $a2, not '$m1'", 1,
      "$m1", NULL },
    { "f32v2add $a0, $a2:3, $a4:5",
      "operand 1 of 'f32v2add' has to be a pair of registers of the ARF such as $a2:3, not '$a0'", 1, "$a0", NULL },
    { "ld128 $a0:1, $m0, $m0, $m0",
      "operand 1 of 'ld128' has to be a quad of registers of the ARF such as $a4:7, not '$a0:1'", 1, "$a0:1",
      NULL },
    { "tapack $m0, $m1, $m2, $m3",
      "operand 1 of 'tapack' has to be a pair of registers of the MRF such as $m2:3, not '$m0'", 1, "$m0", NULL },
    { "ld32step $m1, $m2, $m3, 1",
      "operand 3 of 'ld32step' has to be a register of the MRF such as $m2+=, not '$m3'", 1, "$m3", NULL },
    { "get $m0, $m1", "operand 2 of 'get' has to be a control register such as $WSR, not '$m1'", 1, "$m1", NULL },
    { "uget $a0, $m1",
      "operand 2 of 'uget' has to be a control register of the upper half such as $FP_CTL, not '$m1'", 1, "$m1",
      NULL },
    { "bri 0x4000000000000000",
      "operand 1 of 'bri' cannot be 4611686018427387904; legal: multiples of 0x4 up to 0x1ffffc", 1,
      "0x4000000000000000", NULL },
    { "f32v2add $a0:1, $a2:B+=, $a4:5", "expected ',' or the end of the instruction", 1, "+", NULL },
    { "f32v2add $a0:1, $a2:BU, $a4:5",
      "operand 2 of 'f32v2add' has to be a register of the ARF such as $a2:B, not '$a2:BU'", 1, "$a2:BU", NULL },
    { A50 A50 A50 " $m0", "there is no instruction or macro '" A50 "aaaaaaaaaaaaa'", 1, A50 A50 A50, NULL },
    { ".macro m\n.endm\n" A50 A50 A50 A50 A50 A50 " $m0", "there is no instruction or macro '" A50 "aaaaaaaaaaaaa'",
      3, A50 A50 A50 A50 A50 A50, NULL },
    { "bri $m0", "operand 1 of 'bri' has to be an address, not '$m0'", 1, "$m0", NULL },
    { "shl $m0, $m1, $WSR", "operand 3 of 'shl' has to be a register of the MRF such as $m2, not '$WSR'", 1, "$WSR",
      NULL },
    { "add m0, $m1, $m2", "operand 1 of 'add' has to be a register of the MRF such as $m2, not 'm0'", 1, "m0",
      "registers begin with a dollar: $m0" },
    { "add mm, $m1, $m2", "operand 1 of 'add' has to be a register of the MRF such as $m2, not 'mm'", 1, "mm",
      NULL },
    { "add 5, $m1, $m2", "operand 1 of 'add' has to be a register of the MRF such as $m2, not '5'", 1, "5", NULL },
    { "add $m1, mworker_base, 0",
      "operand 2 of 'add' has to be a register of the MRF such as $m2, not 'mworker_base'", 1, "mworker_base",
      "registers begin with a dollar: $mworker_base" },
    { "mov $m0, 5", "operand 2 of 'mov' has to be a register of the MRF such as $m2, not '5'", 1, "5",
      "setzi loads a constant of 20 bits, ldconst one of 32" },
    { "nop\n add $m1, $m2", "'add' takes 3 operands, not 2", 2, "add",
      "add $mD, $mS, $mS or add $mD, $mS, simm16 or add $mD, $mS, imm16" },
    { "bri", "'bri' takes 1 operand, not 0", 1, "bri", "bri target" },
    { "zero", "'zero' takes 1 operand, not 0", 1, "zero", NULL },
    { "sub $m0, $m1, $m2, $m3", "'sub' takes 3 operands, not 4", 1, "sub",
      "sub $mD, $mS, $mS or sub $mD, simm16, $mS or sub $mD, imm16, $mS" },
    { "add 1,2,3,4,5,6,7,8", "'add' takes 3 operands, not 8", 1, "add",
      "add $mD, $mS, $mS or add $mD, $mS, simm16 or add $mD, $mS, imm16" },
    { "add 1,2,3,4,5,6,7,8,9", "too many operands", 1, "add", NULL },
    { "add $m1, $m2 $m3", "expected ',' or the end of the instruction", 1, "$", NULL },
    { "add $m1, $m2, ", "an operand is missing behind the comma", 1, "", NULL },
    { "frob $m1 $m2", "there is no instruction or macro 'frob'; did you mean 'fnop'?", 1, "frob", NULL },
    { "qqqqqq $m1", "there is no instruction or macro 'qqqqqq'", 1, "qqqqqq", NULL },
    { "ret", "there is no instruction or macro 'ret': here it is br $lr", 1, "ret", NULL },
    { "f32ad $a0, $a0, $a0", "there is no instruction or macro 'f32ad'; did you mean 'f32add'?", 1, "f32ad", NULL },
    { "ldb8 $a0, $m0, 0", "ipu2 has no 'ldb8'", 1, "ldb8", NULL },
    { "{ ldconst $m0, 1; fnop }", "'ldconst' may take two instructions and cannot stand in a bundle", 1, "ldconst",
      NULL },
    { "ldconst $m0", "'ldconst' takes a register and a 32-bit constant", 1, "ldconst", NULL },
    { "ldconst $m0, 1, 2", "'ldconst' takes a register and a 32-bit constant", 1, "ldconst", NULL },
    { "ldconst 1, 1", "'ldconst' takes a register and a 32-bit constant", 1, "ldconst", NULL },
    { "ldconst $a0:1, 1", "'ldconst' takes a register and a 32-bit constant", 1, "ldconst", NULL },
    { "ldconst $m0+=, 1", "'ldconst' takes a register and a 32-bit constant", 1, "ldconst", NULL },
    { "ldconst $m0, $m1", "'ldconst' takes a register and a 32-bit constant", 1, "ldconst", NULL },
    { "ldconst $m0, 1.5", "'ldconst' takes a register and a 32-bit constant", 1, "ldconst", NULL },
    { "ldconst $m0, 0x100000000", "4294967296 does not fit 32 bits", 1, "0x100000000", NULL },
    { "ldconst $m0, -0x80000001", "-2147483649 does not fit 32 bits", 1, "-0x80000001", NULL },
};

static void messages_of_operands(void **state)
{
    (void)state;
    CHECK(operands);
    static const row early[] = { { "f16v4hihov4amp $a0:1, $a0:1, $a0:1, 0", "ipu1 has no 'f16v4hihov4amp'", 1,
                                   "f16v4hihov4amp", NULL } };
    check_row(TW_ISA_IPU1, &early[0]);
}

/* --- registers ------------------------------------------------------------------------------------------------ */

static const row registers[] = {
    { "add $, $m1, $m2", "the name of a register is missing behind '$'", 1, "$", NULL },
    { "add $m16, $m1, 1", "there is no register '$m16'", 1, "$m16", NULL },
    { "add $m01, $m1, 1", "there is no register '$m01'", 1, "$m01", NULL },
    { "add $m001, $m1, 1", "there is no register '$m001'", 1, "$m001", NULL },
    { "add $m1x, $m1, 1", "there is no register '$m1x'", 1, "$m1x", NULL },
    { "add $m123, $m1, 1", "there is no register '$m123'", 1, "$m123", NULL },
    { "get $m0, $wsr", "there is no register '$wsr'; did you mean 'WSR'?", 1, "$wsr", NULL },
    { "get $m0, $FP_NFMT", "ipu2 has no control register '$FP_NFMT'", 1, "$FP_NFMT", NULL },
    { ".worker\nget $m0, $TILE_ID", "'$TILE_ID' belongs to the supervisor, and this is code of the workers", 2,
      "$TILE_ID", NULL },
    { ".supervisor\nget $m0, $WSR", "'$WSR' belongs to the workers, and this is code of the supervisor", 2, "$WSR",
      NULL },
    { "f32v2add $a0:1, $a2:x, $a4:5", "expected the last register of a pair or quad, or B, BL, BU behind ':'", 1,
      "$a2:x", NULL },
    { "f32v2add $a0:1, $a2:, $a4:5", "expected the last register of a pair or quad, or B, BL, BU behind ':'", 1,
      "$a2:", NULL },
    { "f32v2add $a0:1, $a2:16, $a4:5", "expected the last register of a pair or quad, or B, BL, BU behind ':'", 1,
      "$a2:16", NULL },
    { "f32v2add $a0:1, $a0:0, $a4:5", "'$a0:0' is neither a pair nor a quad of registers", 1, "$a0:0", NULL },
    { "f32v2add $a0:1, $a2:4, $a4:5", "'$a2:4' is neither a pair nor a quad of registers", 1, "$a2:4", NULL },
    { "f32v2add $a0:1, $a2:2, $a4:5", "'$a2:2' is neither a pair nor a quad of registers", 1, "$a2:2", NULL },
    { "f32v2add $a0:1, $a3:2, $a4:5", "'$a3:2' is neither a pair nor a quad of registers", 1, "$a3:2", NULL },
    { "f32v2add $a0:1, $a3:4, $a4:5", "a pair has to start at an even register, not '$a3:4'", 1, "$a3:4",
      "such as $a2:3 or $a4:5" },
    { "ld128 $a2:5, $m0, $m0, $m0", "a quad has to start at a register divisible by four, not '$a2:5'", 1, "$a2:5",
      "$a0:3 or $a4:7" },
};

static void messages_of_registers(void **state)
{
    (void)state;
    CHECK(registers);
}

/* --- bundles, modes, rpt -------------------------------------------------------------------------------------- */

#define AT(offset)                                                       \
    "the body of rpt has to lie on 8 bytes, and it is at offset " offset \
    ": pair rpt with an fnop, or move it by a nop"
static const row bundles[] = {
    { "{ nop; add $m0, $m1, 1 }", "both instructions of the bundle are for the main pipeline", 1, "add", NULL },
    { "{ fnop; f32add $a0, $a0, $a0 }", "both instructions of the bundle are for the aux pipeline", 1, "f32add",
      NULL },
    { "{ fnop; nop }", "the main instruction of a bundle comes first, and 'setzi' is for the aux pipeline", 1,
      "fnop", NULL },
    { "{ exitz $m0; fnop }", "'exitz' cannot be in a bundle", 1, "exitz", NULL },
    { "{ fnop; sync 2 }", "'sync' cannot be in a bundle", 1, "sync", NULL },
    { "{ ld32 $a1, $m0, 0; setzi $a1, 0 }", "both instructions of the bundle write $a1", 1, "setzi", NULL },
    { "{ ld64 $a2:3, $m0, 0; f32add $a3, $a0, $a0 }", "both instructions of the bundle write $a3", 1, "f32add",
      NULL },
    { "{ ld32 $a3, $m0, 0; f32v2add $a2:3, $a0:1, $a0:1 }", "both instructions of the bundle write $a3", 1,
      "f32v2add", NULL },
    { "{ ld64 $a14:15, $m0, 0; f32v2add $a14:15, $a0:1, $a0:1 }", "both instructions of the bundle write $a14", 1,
      "f32v2add", NULL },
    { "{ ld128 $a4:7, $m0, $m0, $m0; setzi $a7, 0 }", "both instructions of the bundle write $a7", 1, "setzi",
      NULL },
    { "{ ld2x64pace $a0:1, $a2:3, $m2:3+=, $m4, 0; setzi $a3, 0 }", "both instructions of the bundle write $a3", 1,
      "setzi", NULL },
    { "{ nop; fnop; fnop }", "a bundle holds two instructions, and this is the third", 1, "fnop", NULL },
    { "{ nop }", "a bundle holds two instructions, one for each pipeline, not 1", 1, "{", NULL },
    { "{ }", "a bundle holds two instructions, one for each pipeline, not 0", 1, "{", NULL },
    { "nop\n{ nop\nfnop", "the bundle has no closing brace", 2, "{", NULL },
    { "{ nop; setzi $m14, 5 }", "both instructions of the bundle are for the main pipeline", 1, "setzi", NULL },
    { "{ nop; setzi $m3, 0 }", "both instructions of the bundle are for the main pipeline", 1, "setzi", NULL },
    { ".allow_optimizations\nnop\n{ rpt $m0, 0; setzi $a5, 0 }\n{ nop; fnop }", AT("0xc"), 3, "rpt", NULL },
    { ".allow_optimizations\nnop\n{ rpt 5, 0; setzi $a13, 1 }\n{ nop; fnop }", AT("0xc"), 3, "rpt", NULL },
    { "100000: nop", "expected a label, an instruction or a directive", 1, "1", NULL },
    { "nop } // text", "there is no bundle that '}' could close", 1, "}", NULL },
    { "nop }", "there is no bundle that '}' could close", 1, "}", NULL },
    { "{ { nop; fnop }", "a bundle is open already", 1, "{", "it begins here" },
    { "{ 1: nop; fnop }", "a label cannot stand in a bundle: write it before the brace", 1, "1", NULL },
    { "{ lab: nop; fnop }", "a label cannot stand in a bundle: write it before the brace", 1, "lab", NULL },
    { "{ .long 1; fnop }", "only instructions can stand in a bundle", 1, ".long", NULL },
    { "{ .float 1; fnop }", "only instructions can stand in a bundle", 1, ".float", NULL },
    { ".supervisor\nf32add $a0, $a1, $a2",
      "'f32add' of the aux pipeline is for the workers only, and this is code of the supervisor", 2, "f32add",
      NULL },
    { ".supervisor\nexitz $mzero", "'exitz' is for the workers only, and this is code of the supervisor", 2,
      "exitz", NULL },
    { ".worker\nrunall $m0, $m1, 0", "'runall' is for the supervisor only, and this is code of the workers", 2,
      "runall", NULL },
    { "ld2x64pace $a0:1, $a0:1, $m2:3+=, $m4, 0", "operands 1 and 2 of 'ld2x64pace' write the same register", 1,
      "$a0:1", NULL },
    { "ld32step $m1, $m2, $m1+=, 1", "operands 1 and 3 of 'ld32step' write the same register", 1, "$m1+=", NULL },
    { ".byte 1\nnop", "an instruction at offset 1, which is no multiple of 4: write .align 4 before", 2, "nop",
      NULL },
    { ".data\nnop", "section '.data' does not hold code", 2, "nop", NULL },
    { "rpt $m0, 0\n{nop;fnop}", AT("0x4"), 1, "rpt", NULL },
    { "nop\nrpt $m0, 0\n{nop;fnop}", "the body of rpt has to lie on 8 bytes: section '.text' needs .align 8", 2,
      "rpt", NULL },
    { ".align 8\nnop\nrpt $m0, 1\n{nop;fnop}\nnop\nnop",
      "the body of rpt has to consist of bundles, and number 2 of it is none", 3, "rpt",
      "the instruction of test.s:5" },
    { ".align 8\nnop\nrpt $m0, 0\n{nop;fnop}\nrpt 3, 1\n{nop;fnop}", AT("0x14"), 5, "rpt", NULL },
    { ".align 8\nnop\nrpt $m0, 1\n{nop;fnop}\n{bri 0;fnop}", "'bri' cannot be in the body of rpt", 3, "rpt",
      "the instruction of test.s:5" },
    { ".align 8\nnop\nrpt $m0, 0\n{nop; uput $TAS,$a0}", "'uput' cannot be in the body of rpt", 3, "rpt",
      "the instruction of test.s:4" },
    { ".align 8\nnop\nrpt $m0, 1\n{nop;fnop}",
      "the body of rpt, 2 bundles, is longer than what is left of section '.text'", 3, "rpt", NULL },
    { ".align 8\nnop\nrpt $m0, 0\nnop", "the body of rpt, 1 bundle, is longer than what is left of section '.text'",
      3, "rpt", NULL },
};

static void messages_of_bundles(void **state)
{
    (void)state;
    CHECK(bundles);
}

/* --- expressions, numbers, symbols ---------------------------------------------------------------------------- */

static const row expressions[] = {
    { ".byte 1 / 0", "division by zero", 1, "/", NULL },
    { ".byte 1 % 0", "division by zero", 1, "%", NULL },
    { "x = 1 / y\ny = 0", "division by zero", 1, "x", NULL },
    { "x = 1 % y\ny = 0", "division by zero", 1, "x", NULL },
    { ".byte 1.5 + 1", "real numbers cannot be calculated with here", 1, "+", NULL },
    { ".byte 1 + 1.5", "real numbers cannot be calculated with here", 1, "+", NULL },
    { ".byte (1", "expected ')' to close the expression", 1, "", NULL },
    { ".byte 1 +", "an expression is missing", 1, "", NULL },
    { ".byte ,", "expected a number, a symbol or '('", 1, ",", NULL },
    { ".byte 0x", "not a number: '0x'", 1, "0x", NULL },
    { ".byte 0b2", "not a number: '0b2'", 1, "0b2", NULL },
    { ".byte 09", "not a number: '09'", 1, "09", NULL },
    { ".byte 1_0", "not a number: '1_0'", 1, "1_0", NULL },
    { ".byte 0x1ffffffffffffffff", "the number does not fit 64 bits: '0x1ffffffffffffffff'", 1,
      "0x1ffffffffffffffff", NULL },
    { ".quad 18446744073709551616", "the number does not fit 64 bits: '18446744073709551616'", 1,
      "18446744073709551616", NULL },
    { ".byte '", "a character is missing after the quote", 1, "'", NULL },
    { ".half 65520.0h", "65520.0 is too large for half precision; the largest is 65504h", 1, "65520.0h", NULL },
    { ".float x", "expected a real number", 1, "x", NULL },
    { "setzi $m0, f@abs99",
      "unknown modifier; known: @relative@16@s2, @abs18@s2, @abs19@s2, @abs16@s3, @abs16@s4, @abs16@s5, @abs20, "
      "@abs21",
      1, "@abs99", NULL },
    { "setzi $m0, a - b",
      "the expression has no value here: only a symbol plus a constant, or the distance of two labels of one "
      "section "
      "can be used (symbol 'b')",
      1, "a - b", NULL },
    { "setzi $m0, a * 2",
      "the expression has no value here: only a symbol plus a constant, or the distance of two labels of one "
      "section "
      "can be used (symbol 'a')",
      1, "a * 2", NULL },
    { ".set x, x + 1\nsetzi $m0, x", "the expression goes round in circles, or on for too long", 1, ".set", NULL },
    { ".space foo", "the amount has to be a constant that is known here", 1, "foo", NULL },
    { ".space 1.5", "the amount has to be a constant that is known here", 1, "1.5", NULL },
    { "l: nop\nl: nop", "'l' is defined already", 2, "l", "here" },
    { "a = 1\na: nop", "'a' is defined already", 2, "a", "here" },
    { "a: nop\na = 1", "'a' is defined already", 2, "a", "here" },
    { ".equiv a, 1\n.set a, 2", "'a' is defined already", 2, ".set", "here" },
    { ".set a, 1\n.equiv a, 2", "'a' is defined already", 2, ".equiv", "here" },
    { ".comm c, 4\nc = 1", "'c' is defined already", 2, "c", NULL },
    { "bri 12b", "there is no label '12:' before", 1, "12b", NULL },
    { "bri 12f\nbri 12f", "there is no label '12:' behind", 1, "12f", NULL },
    { "bri .Lno", "label '.Lno' is not defined", 1, ".Lno", NULL },
    { ".set x, y", "'x' stands for 'y', which is not defined in this file", 1, ".set", NULL },
    { "shl $m0, $m1, foo", "operand 3 of 'shl' has to be a constant; an address such as 'foo' cannot stand there",
      1, "foo", NULL },
    { "get $m0, WSR", "operand 2 of 'get' has to be a constant; an address such as 'WSR' cannot stand there", 1,
      "WSR", "the control register is $WSR" },
    { "shl $m0, $m1, n\nn = 4096", "operand 3 of 'shl' cannot be 4096; legal: 0 to 4095", 1, "n", NULL },
    { ".long foo + 0x80000000", "'foo' plus 2147483648 is out of range", 1, "foo + 0x80000000", NULL },
    { ".long foo - 0x80000001", "'foo' plus -2147483649 is out of range", 1, "foo - 0x80000001", NULL },
};

static void messages_of_expressions(void **state)
{
    (void)state;
    CHECK(expressions);
}

/* --- data ----------------------------------------------------------------------------------------------------- */

static const row data[] = {
    { ".byte 256", "256 does not fit 1 byte", 1, "256", NULL },
    { ".byte 0, -129", "-129 does not fit 1 byte", 1, "-129", NULL },
    { ".short 65536", "65536 does not fit 2 bytes", 1, "65536", NULL },
    { ".short -32769", "-32769 does not fit 2 bytes", 1, "-32769", NULL },
    { ".long 0x100000000", "4294967296 does not fit 4 bytes", 1, "0x100000000", NULL },
    { ".long -0x80000001", "-2147483649 does not fit 4 bytes", 1, "-0x80000001", NULL },
    { ".byte n\nn = 256", "256 does not fit 1 byte", 1, "n", NULL },
    { ".byte n\nn = -129", "-129 does not fit 1 byte", 1, "n", NULL },
    { ".short n\nn = 65536", "65536 does not fit 2 bytes", 1, "n", NULL },
    { ".int 1.5", "a real number cannot stand here; .float takes it, and 1.5h is its half-precision pattern", 1,
      "1.5", NULL },
    { ".int n\nn = 1.5", "a real number cannot stand here", 1, "n", NULL },
    { ".bss\n.long 7", "section '.bss' takes room only and cannot hold anything but zeros", 2, "7", NULL },
    { ".space -1", "-1 bytes: the amount has to be between 0 and 2 MB", 1, ".space", NULL },
    { ".space 0x200001", "2097153 bytes: the amount has to be between 0 and 2 MB", 1, ".space", NULL },
    { ".fill 1, 9", "the size of .fill has to be 0 to 8 bytes", 1, ".fill", NULL },
    { ".fill 1, -1", "the size of .fill has to be 0 to 8 bytes", 1, ".fill", NULL },
    { ".fill -1, 1", "-1 bytes: the amount has to be between 0 and 2 MB", 1, ".fill", NULL },
    { ".fill 0x40001, 8", "2097160 bytes: the amount has to be between 0 and 2 MB", 1, ".fill", NULL },
    { ".align 3", "an alignment has to be a power of two of bytes, at most 2 MB", 1, ".align", NULL },
    { ".align -1", "an alignment has to be a power of two of bytes, at most 2 MB", 1, ".align", NULL },
    { ".align 0x400000", "an alignment has to be a power of two of bytes, at most 2 MB", 1, ".align", NULL },
    { ".p2align 22", "an alignment has to be a power of two of bytes, at most 2 MB", 1, ".p2align", NULL },
    { ".p2align -1", "an alignment has to be a power of two of bytes, at most 2 MB", 1, ".p2align", NULL },
    { ".byte 1, 2\n.org 1", ".org cannot go back, from 2 to 1", 2, ".org", NULL },
    { ".org foo", ".org needs an offset that is known here", 1, ".org", NULL },
    { ".org 0x200001", "2097153 bytes: the amount has to be between 0 and 2 MB", 1, ".org", NULL },
    { "a: .data\n.org a", ".org needs an offset that is known here", 2, ".org", NULL },
    { ".ascii \"abc", "the string has no closing quote", 1, "\"abc", NULL },
    { ".ascii abc", "expected a string in quotes", 1, "a", NULL },
};

static void messages_of_data(void **state)
{
    (void)state;
    CHECK(data);
}

/* --- directives ----------------------------------------------------------------------------------------------- */

static const row directives[] = {
    { ".frob 1", "unknown directive '.frob'", 1, ".frob", NULL },
    { ".sectoin .text", "unknown directive '.sectoin'; did you mean 'section'?", 1, ".sectoin", NULL },
    { "nop\n!", "expected a label, an instruction or a directive", 2, "!", NULL },
    { ".byte 1 foo", "this is not expected here, at the end of the statement", 1, "foo", NULL },
    { ".byte 1 !", "this is not expected here, at the end of the statement", 1, "!", NULL },
    { ".err", ".err stands here", 1, ".err", NULL },
    { ".error", ".error stands here", 1, ".error", NULL },
    { ".error \"stop here\"", "stop here", 1, ".error", NULL },
    { ".endm", "there is nothing that .endm could end", 1, ".endm", NULL },
    { ".endr", "there is nothing that .endr could end", 1, ".endr", NULL },
    { ".endif", "there is no .if that belongs to it", 1, ".endif", NULL },
    { ".if 1\n.else\n.else\n.endif", "behind an .else only .endif may come", 3, ".else", NULL },
    { ".if 1\n.else\n.elseif 1\n.endif", "behind an .else only .endif may come", 3, ".elseif", NULL },
    { "nop\n.if 1\nnop", "there is no .endif for it", 2, ".if", NULL },
    { ".if foo\n.endif", "the condition has to be a constant that is known here", 1, "foo", NULL },
    { ".if foo\n.frob\n.endif", "the condition has to be a constant that is known here", 1, "foo", NULL },
    { ".ifc a b\n.endif", "expected ',' between the two texts", 1, "", NULL },
    { ".popsection", "there is no .pushsection that belongs to it", 1, ".popsection", NULL },
    { ".section", "expected the name of a section", 1, "", NULL },
    { ".section .x, \"awq\"", "unknown flag 'q' of a section; known: a w x", 1, "\"", NULL },
    { ".section .x, \"a\", @frob", "unknown type of a section: 'frob'; known: @progbits, @nobits, @note", 1, "f",
      NULL },
    { ".type f, @thing", "unknown type of a symbol: 'thing'; known: @function, @object, @notype", 1, "t", NULL },
    { ".type f, \"\"", "expected the type of a symbol, not an empty string", 1, "\"", NULL },
    { ".globl 5", "expected a symbol", 1, "5", NULL },
    { ".hidden 5", "expected a symbol", 1, "5", NULL },
    { ".size f 5", "expected ',' behind the symbol", 1, "5", NULL },
    { ".comm c 4", "expected ',' behind the symbol", 1, "4", NULL },
    { ".comm c, 4, 3", "size and alignment have to be at most 2 MB, the alignment a power of two", 1, ".comm",
      NULL },
    { ".comm c, 4, 0", "size and alignment have to be at most 2 MB, the alignment a power of two", 1, ".comm",
      NULL },
    { ".comm c, 4, 0x400000", "size and alignment have to be at most 2 MB, the alignment a power of two", 1,
      ".comm", NULL },
    { ".comm c, 0x200001", "size and alignment have to be at most 2 MB, the alignment a power of two", 1, ".comm",
      NULL },
    { ".lcomm c, -1", "size and alignment have to be at most 2 MB, the alignment a power of two", 1, ".lcomm",
      NULL },
    { ".set x 5", "expected ',' behind the symbol", 1, "5", NULL },
    { ".stack_total f, 8\n.stack_own f, 8", "the stack of 'f' is stated already", 2, "f", "here" },
    { ".stack_total f, -8", "the stack of 'f' has to be a number of bytes from 0 to 2 MB", 1, ".stack_total",
      NULL },
    { ".stack_own f, 0x200001", "the stack of 'f' has to be a number of bytes from 0 to 2 MB", 1, ".stack_own",
      NULL },
    { ".stack_own f, 1.5", "the stack of 'f' has to be a number of bytes from 0 to 2 MB", 1, ".stack_own", NULL },
    { ".stack_own f, g", "the stack of 'f' has to be a number of bytes from 0 to 2 MB", 1, ".stack_own", NULL },
    { ".stack_own 8", "expected a function or a section", 1, "8", NULL },
    { ".stack_calls 8", "expected a function", 1, "8", NULL },
    { "f: nop\n.size f, g", "the size of 'f' has to be a number of bytes", 2, "g", NULL },
    { "f: nop\n.size f, -1", "the size of 'f' has to be a number of bytes", 2, "-1", NULL },
    { "f: nop\n.size f, 0x100000000", "the size of 'f' has to be a number of bytes", 2, "0x100000000", NULL },
};

static void messages_of_directives(void **state)
{
    (void)state;
    CHECK(directives);
}

/* --- macros --------------------------------------------------------------------------------------------------- */

static const row macros[] = {
    { "nop\n.macro m\nnop", "the macro has no .endm", 2, ".macro", NULL },
    { "nop\n.rept 2\nnop", "the repetition has no .endr", 2, ".rept", NULL },
    { ".macro 5\n.endm", "expected the name of a macro", 1, "5", NULL },
    { ".macro m 5\n.endm", "expected the name of a parameter", 1, "5", NULL },
    { ".macro m a:opt\n.endm", "expected 'req' or 'vararg'", 1, "opt", NULL },
    { ".macro m a:\n.endm", "expected 'req' or 'vararg'", 1, "", NULL },
    { ".macro m\n.endm\n.macro m\n.endm", "macro 'm' is defined already; .purgem removes it", 3, ".macro", NULL },
    { ".purgem mm", "there is no macro 'mm'", 1, "m", NULL },
    { ".macro mac a\n.endm\nmac 1, 2", "macro 'mac' takes 1 arguments", 3, "2", NULL },
    { ".macro mac a:req\n.endm\nmac", "macro 'mac' needs its argument 'a'", 3, "", NULL },
    { ".macro mac a, b:req\n.endm\nmac 5", "macro 'mac' needs its argument 'b'", 3, "", NULL },
    { ".rept -1\nnop\n.endr", "-1 repetitions of 4 bytes are too many", 1, ".rept", NULL },
    { ".rept 4194305\nnop\n.endr", "4194305 repetitions of 4 bytes are too many", 1, ".rept", NULL },
    { ".irp 5\n.endr", "expected the name of a parameter", 1, "5", NULL },
    { ".irp x 5\n.endr", "expected ',' behind the name of the parameter", 1, "5", NULL },
    { ".exitm", ".exitm stands outside of any macro", 1, ".exitm", NULL },
    { ".macro mac\nfrob $m0\n.endm\nmac", "there is no instruction or macro 'frob'; did you mean 'fnop'?", 2,
      "frob", "in the expansion of 'mac'" },
};

static void messages_of_macros(void **state)
{
    (void)state;
    CHECK(macros);
}

/* Text may be made up to the given limit, and so may expansions of little text: one for each 32 bytes of it. */
static void expansion_ends_at_its_limit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t limit;
        const char *message; /* NULL: it assembles */
    } rows[] = {
        { ".rept 256\nnop\n.endr", 1023, "256 repetitions of 4 bytes are too many" },
        { ".rept 256\nnop\n.endr", 2047, NULL },
        { ".rept 200\nnop\n.endr\n.rept 200\nnop\n.endr", 1024,
          "the text grows beyond 1 KiB by expansion: giving up" },
        { ".macro m\n\n.endm\n.rept 40\nm\n.endr", 1024,
          "there are more than 32 expansions and included files: giving up" },
        { ".macro m\n\n.endm\n.rept 40\nm\n.endr", 2048, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_asm_options options = { .size = sizeof options, .max_expanded = rows[i].limit };
        tw_diags *diags = tw_diags_new();
        tw_object *object = tw_asm_text(rows[i].text, strlen(rows[i].text), "test.s", &options, diags);
        const tw_diag *d = tw_diags_get(diags, 0);
        assert_int_equal(object == NULL, rows[i].message != NULL);
        assert_int_equal(d == NULL, rows[i].message == NULL);
        if (d) assert_string_equal(d->message, rows[i].message);
        tw_object_free(object);
        tw_diags_free(diags);
    }
}

/* --- warnings ------------------------------------------------------------------------------------------------- */

static void warnings_and_notes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tw_severity severity;
        const char *message, *marked; /* message NULL: nothing is said */
    } said[] = {
        { "shl $m0, $m1, 32", TW_WARNING, "a shift by 32: only 0 to 31 are documented", "32" },
        { "shr $m0, $m1, 33", TW_WARNING, "a shift by 33: only 0 to 31 are documented", "33" },
        { "shrs $m0, $m1, 4095", TW_WARNING, "a shift by 4095: only 0 to 31 are documented", "4095" },
        { "shl $m0, $m1, 31", TW_WARNING, NULL, NULL },
        { "add $m0, $m1, 32", TW_WARNING, NULL, NULL },
        { ".warning", TW_WARNING, ".warning stands here", ".warning" },
        { ".warning \"look\"", TW_WARNING, "look", ".warning" },
        { ".print \"seen\"", TW_NOTE, "seen", ".print" },
        { ".globl f, @function", TW_WARNING, "a type has no effect here; .type takes it", "@" },
        { ".size f, 8", TW_WARNING, "'f' is not defined here: its size has no effect", "8" },
        { ".warn_on_invalid_bundles\n{ fnop; nop }", TW_WARNING,
          "the main instruction of a bundle comes first, and 'setzi' is for the aux pipeline", "fnop" },
        { ".warn_on_invalid_bundles\n{ ld32 $a1, $m0, 0; setzi $a1, 0 }", TW_WARNING,
          "both instructions of the bundle write $a1", "setzi" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(said); i++) {
        tw_diags *diags = tw_diags_new();
        tw_object *object;
        assert_int_equal(
            tw_status_of(object = tw_asm_text(said[i].text, strlen(said[i].text), "test.s", NULL, diags)), TW_OK);
        const tw_diag *d = tw_diags_get(diags, 0);
        if (!d != !said[i].message) fail_msg("%s: %s", said[i].text, d ? d->message : "nothing");
        if (d) {
            g_autofree char *marked = marked_of(d);
            assert_int_equal(d->severity, said[i].severity);
            assert_string_equal(d->message, said[i].message);
            assert_string_equal(marked, said[i].marked);
        }
        assert_null(tw_diags_get(diags, 1));
        tw_object_free(object);
        tw_diags_free(diags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_frames),      cmocka_unit_test(messages_of_operands),
        cmocka_unit_test(messages_of_registers),   cmocka_unit_test(messages_of_bundles),
        cmocka_unit_test(messages_of_expressions), cmocka_unit_test(messages_of_data),
        cmocka_unit_test(messages_of_directives),  cmocka_unit_test(messages_of_macros),
        cmocka_unit_test(warnings_and_notes),      cmocka_unit_test(expansion_ends_at_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
