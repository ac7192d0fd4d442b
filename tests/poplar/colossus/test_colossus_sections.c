/* SPDX-License-Identifier: MIT */
/* What an assembled object says: sections, symbols, relocations, lines; and the files that texts name (guide 7.5.1;
 * Colossus ISA, assembler). */
#include "asm_test.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- sections, symbols, relocations --------------------------------------------------------------------------- */

static void symbols_and_relocations(void **state)
{
    (void)state;
    tw_object *o = assemble(
        ".section .text.f, \"ax\", @progbits\n.globl f\n.type f, @function\nf:\n  call $lr, g\n  bri .Lend\n"
        "  setzi $m0, table + 8\n  runall $m0, $m1, state\n.Lend:\n  br $lr\n  { setzi $m1, f; setzi $a1, table }\n"
        ".size f, . - f\n"
        ".section .data.table\ntable: .long f, 1, table\n.short table@abs16@s4\n.weak w\n.hidden h\n"
        ".comm c, 12, 8\n");
    const tw_symbol *f = tw_object_get_symbol(o, (size_t)tw_object_find_symbol(o, "f"));
    assert_int_equal(f->binding, TW_SYMBOL_GLOBAL);
    assert_int_equal(f->type, TW_SYMBOL_FUNCTION);
    assert_int_equal(f->size, 28);
    assert_int_equal(section_of(o, ".text.f")->align, 1);
    static const struct {
        tw_relocation_type type;
        uint32_t offset;
        const char *symbol; /* "" = of a section */
        int32_t addend;
    } expected[] = { { TW_R_COLOSSUS_19_S2, 0, "g", 0 }, { TW_R_COLOSSUS_19_S2, 4, "", 16 },
                     { TW_R_COLOSSUS_20, 8, "", 8 },     { TW_R_COLOSSUS_RUN, 12, "state", 0 },
                     { TW_R_COLOSSUS_20, 20, "f", 0 },   { TW_R_COLOSSUS_20, 24, "", 0 },
                     { TW_R_COLOSSUS_32, 0, "f", 0 },    { TW_R_COLOSSUS_32, 8, "", 0 },
                     { TW_R_COLOSSUS_16_S4, 12, "", 0 } };
    assert_int_equal(tw_object_relocation_count(o), G_N_ELEMENTS(expected));
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        const tw_relocation *r = tw_object_get_relocation(o, i);
        assert_int_equal(r->type, expected[i].type);
        assert_int_equal(r->offset, expected[i].offset);
        assert_int_equal(r->addend, expected[i].addend);
        assert_string_equal(tw_object_get_symbol(o, (size_t)r->symbol)->name, expected[i].symbol);
    }
    const tw_symbol *c = tw_object_get_symbol(o, (size_t)tw_object_find_symbol(o, "c"));
    assert_int_equal(c->section, TW_SECTION_COMMON);
    assert_int_equal(c->value, 8);
    assert_int_equal(c->size, 12);
    assert_int_equal(tw_object_get_symbol(o, (size_t)tw_object_find_symbol(o, "h"))->visibility, 2);
    assert_int_equal(tw_object_get_symbol(o, (size_t)tw_object_find_symbol(o, "w"))->binding, TW_SYMBOL_WEAK);
    tw_object_free(o);
}

static void padding_of_code(void **state)
{
    (void)state;
    tw_object *o = assemble("nop\n.byte 1\n.align 8\nfnop\n");
    g_autofree char *hex = hex_of(section_of(o, ".text"));
    assert_string_equal(hex, "0000e01901000000"
                             "0000d01a");
    assert_int_equal(section_of(o, ".text")->align, 8);
    tw_object_free(o);
    o = assemble("nop\n.align 16\nfnop\n");
    g_autofree char *nops = hex_of(section_of(o, ".text"));
    assert_string_equal(nops, "0000e0190000e0190000e0190000e0190000d01a");
    tw_object_free(o);
}

/* Guide 7.5.1: .L and numbers are labels without symbols, and belong to their own file. */
static void labels_without_symbols(void **state)
{
    (void)state;
    tw_object *o =
        assemble("f: nop\n.Lloop: bri .Lloop\n1: bri 1b\n bri 1f\n1: brz $m0, 2f\n setzi $m0, 5\n2: nop\n");
    const tw_symbol *s;
    tw_object *file;
    uint8_t *elf;
    size_t size;
    unsigned named = 0;
    assert_int_equal(tw_status_of(elf = tw_object_to_elf(o, &size)), TW_OK);
    assert_int_equal(tw_status_of(file = tw_object_from_elf(elf, size, "test.o")), TW_OK);
    for (size_t i = 0; (s = tw_object_get_symbol(file, i)); i++)
        if (s->type != TW_SYMBOL_SECTION && s->type != TW_SYMBOL_FILE && *s->name) {
            assert_string_equal(s->name, "f");
            named++;
        }
    assert_int_equal(named, 1);
    free(elf);
    tw_object_free(o), tw_object_free(file);
}

static void stack_notes(void **state)
{
    (void)state;
    tw_object *o = assemble("N = 8\n.stack_total f, N * 4 + 16\n.stack_own .text.g, 0\n.stack_calls g, a, b\n");
    assert_int_equal(tw_object_stack_note_count(o), 3);
    const tw_stack_note *calls = tw_object_get_stack_note(o, 0), *total = tw_object_get_stack_note(o, 1);
    assert_string_equal(calls->targets, "a,b");
    assert_string_equal(total->name, "f");
    assert_int_equal(total->bytes, 48);
    assert_int_equal(tw_object_get_stack_note(o, 2)->kind, TW_STACK_OWN);
    tw_object_free(o);
}

static void lines_of_code(void **state)
{
    (void)state;
    tw_object *o =
        assemble("nop\n\n{nop\nfnop}\n# 7 \"a.inc\"\nnop\n#line 30 \"b.inc\"\nnop\n#  line 2 \"b.inc\" 2\nnop\n"
                 "# 3 text\n # 9 \"c.inc\"\nnop\n");
    static const struct {
        const char *file;
        uint32_t line;
    } behind[] = { { "b.inc", 30 }, { "b.inc", 2 }, { "b.inc", 5 } };
    for (uint32_t i = 0; i < G_N_ELEMENTS(behind); i++) {
        assert_int_equal(tw_object_line_at(o, 0, 16 + 4 * i)->line, behind[i].line);
        assert_string_equal(tw_object_line_at(o, 0, 16 + 4 * i)->file, behind[i].file);
    }
    assert_int_equal(tw_object_line_at(o, 0, 0)->line, 1);
    assert_int_equal(tw_object_line_at(o, 0, 8)->line, 3);
    assert_int_equal(tw_object_line_at(o, 0, 12)->line, 7);
    assert_string_equal(tw_object_line_at(o, 0, 12)->file, "a.inc");
    assert_null(tw_object_line_at(o, 1, 0));
    tw_object_free(o);
}

/* .loc: lines of the source that a compiler made the text from, until .loc 0 or a file without a name. */
static void lines_of_a_compiler(void **state)
{
    (void)state;
    tw_object *o =
        assemble(".file \"text.s\"\n.file 1 \"/src\" \"a.c\"\n.file 2 \"b.h\"\nnop\n.loc 1 7 3\nnop\nnop\n"
                 ".loc 2 40\nnop\n.loc 0\nnop\n.loc 1 8 1\nnop\n.loc 9 5\nnop\n.loc 2 0\nnop\n");
    static const struct {
        uint32_t offset, line;
        const char *file;
    } rows[] = { { 0, 4, "test.S" },   { 4, 7, "/src/a.c" },  { 8, 7, "/src/a.c" }, { 12, 40, "b.h" },
                 { 16, 11, "test.S" }, { 20, 8, "/src/a.c" }, { 24, 15, "test.S" }, { 28, 17, "test.S" } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_int_equal(tw_object_line_at(o, 0, rows[i].offset)->line, rows[i].line);
        assert_string_equal(tw_object_line_at(o, 0, rows[i].offset)->file, rows[i].file);
    }
    tw_object_free(o);
    check_refused(TW_ISA_IPU2, ".file 70000 \"x\"", "0 to 65535", 1, 1);
}

/* Each repetition has the lines of the body, within a macro those of the macro. */
static void lines_of_repetitions(void **state)
{
    (void)state;
    tw_object *o =
        assemble("nop\n.rept 2\n nop\n fnop\n.endr\n.macro m\n nop\n.rept 3\n nop\n\n fnop\n.endr\n nop\n"
                 ".endm\n m\n.irp x, 1, 2\n setzi $m0, \\x\n.endr\n.rept 2 ; nop ; .endr\nnop\n");
    static const uint32_t lines[] = { 1, 3, 4, 3, 4, 7, 9, 11, 9, 11, 9, 11, 13, 17, 17, 19, 19, 20 };
    assert_int_equal(section_of(o, ".text")->size, 4 * G_N_ELEMENTS(lines));
    for (uint32_t i = 0; i < G_N_ELEMENTS(lines); i++)
        assert_int_equal(tw_object_line_at(o, 0, 4 * i)->line, lines[i]);
    tw_object_free(o);
    check_refused(TW_ISA_IPU2, ".set i, 0\n.rept 3\n shl $m0, $m1, i\n .set i, i + 4000\n.endr", "cannot be 8000",
                  3, 16);
}

/* Directives about symbols and sections: what the object says afterwards. */
static void symbols_by_directives(void **state)
{
    (void)state;
    tw_object *o = assemble(".global a, b\n.local c ; .weak d\n.internal a ; .hidden b ; .protected c, d\na: "
                            "nop\nb: nop\nc: nop\nd: nop\n"
                            ".type a, %function\n.type b STT_FUNC\n.type c, STT_OBJECT ; .type d, @notype\n.size "
                            "a, 4 ; .size b, c - b\n"
                            ".size c, 0xffffffff\n.comm e, 0x200000, 0x200000\n.comm f, 0\n.lcomm g, 3, 8\n.lcomm "
                            "h, 5, 16\n.lcomm i, 1\n"
                            ".set j, b ; .set k, 7 ; l = -1 ; .equiv m, a + 4\n.globl j\n");
    static const struct {
        const char *name, *section;
        uint32_t value, size;
        tw_symbol_type type;
        tw_symbol_binding binding;
        uint8_t visibility;
    } expected[] = {
        { "a", ".text", 0, 4, TW_SYMBOL_FUNCTION, TW_SYMBOL_GLOBAL, 1 },
        { "b", ".text", 4, 4, TW_SYMBOL_FUNCTION, TW_SYMBOL_GLOBAL, 2 },
        { "c", ".text", 8, 0xffffffff, TW_SYMBOL_OBJECT, TW_SYMBOL_LOCAL, 3 },
        { "d", ".text", 12, 0, TW_SYMBOL_NOTYPE, TW_SYMBOL_WEAK, 3 },
        { "e", "common", 0x200000, 0x200000, TW_SYMBOL_OBJECT, TW_SYMBOL_GLOBAL, 0 },
        { "f", "common", 4, 0, TW_SYMBOL_OBJECT, TW_SYMBOL_GLOBAL, 0 },
        { "g", ".bss", 0, 3, TW_SYMBOL_OBJECT, TW_SYMBOL_LOCAL, 0 },
        { "h", ".bss", 16, 5, TW_SYMBOL_OBJECT, TW_SYMBOL_LOCAL, 0 },
        { "i", ".bss", 24, 1, TW_SYMBOL_OBJECT, TW_SYMBOL_LOCAL, 0 },
        { "j", ".text", 4, 0, TW_SYMBOL_FUNCTION, TW_SYMBOL_GLOBAL, 0 },
        { "k", "absolute", 7, 0, TW_SYMBOL_NOTYPE, TW_SYMBOL_LOCAL, 0 },
        { "l", "absolute", 0xffffffff, 0, TW_SYMBOL_NOTYPE, TW_SYMBOL_LOCAL, 0 },
        { "m", ".text", 4, 0, TW_SYMBOL_FUNCTION, TW_SYMBOL_LOCAL, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        const tw_symbol *s = tw_object_get_symbol(o, (size_t)tw_object_find_symbol(o, expected[i].name));
        const char *section = s->section == TW_SECTION_COMMON ? "common"
                              : s->section == TW_SECTION_ABSOLUTE
                                  ? "absolute"
                                  : tw_object_get_section(o, (size_t)s->section)->name;
        if (strcmp(section, expected[i].section) != 0 || s->value != expected[i].value ||
            s->size != expected[i].size || s->type != expected[i].type || s->binding != expected[i].binding ||
            s->visibility != expected[i].visibility)
            fail_msg("%s: %s + %u, %u bytes, type %d, binding %d, visibility %d", s->name, section, s->value,
                     s->size, s->type, s->binding, s->visibility);
    }
    assert_int_equal(section_of(o, ".bss")->align, 16);
    assert_int_equal(section_of(o, ".bss")->size, 25);
    tw_object_free(o);
}

static void flags_of_sections(void **state)
{
    (void)state;
    tw_object *o =
        assemble(".section .text.f\n.section .data.x\n.section .bss.y\n.section .rodata.z\n.section other\n"
                 ".section .textual\n.section .w, \"w\"\n.section .x, \"ax\"\n.section .n, \"aw\", @nobits\n"
                 ".section .o, \"a\", @note\n.rodata\n.bss\n.section .text.f, \"aw\"\n");
    static const struct {
        const char *name;
        unsigned flags;
    } expected[] = { { ".text.f", TW_SECTION_CODE },
                     { ".data.x", TW_SECTION_DATA },
                     { ".bss.y", TW_SECTION_DATA | TW_SECTION_EMPTY },
                     { ".rodata.z", TW_SECTION_ALLOC },
                     { "other", 0 },
                     { ".textual", 0 },
                     { ".w", TW_SECTION_WRITE },
                     { ".x", TW_SECTION_CODE },
                     { ".n", TW_SECTION_DATA | TW_SECTION_EMPTY },
                     { ".o", TW_SECTION_ALLOC },
                     { ".rodata", TW_SECTION_ALLOC },
                     { ".bss", TW_SECTION_DATA | TW_SECTION_EMPTY } };
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        if (section_of(o, expected[i].name)->flags != expected[i].flags)
            fail_msg("%s: %x", expected[i].name, section_of(o, expected[i].name)->flags);
    tw_object_free(o);
}

/* --- files ------------------------------------------------------------------------------------------------------ */

/* What the preprocessor has to say, with its places; without it a .S file cannot be read. */
static void preprocessor(void **state)
{
    (void)state;
    g_autofree char *folder = g_dir_make_tmp("tw-asm-XXXXXX", NULL), *file = g_build_filename(folder, "a.S", NULL);
    tw_diags *diags = tw_diags_new();
    tw_object *o;
    assert_true(g_file_set_contents(file, "nop\n#warning careful\n  #error no way\n", -1, NULL));
    assert_int_equal(tw_status_of(o = tw_asm_file(file, NULL, diags)), TW_E_PARSE);
    const tw_diag *warning = tw_diags_get(diags, 0), *error = tw_diags_get(diags, 1);
    assert_int_equal(warning->severity, TW_WARNING);
    assert_true(g_str_has_prefix(warning->message, "careful"));
    assert_int_equal(warning->line, 2);
    assert_int_equal(error->severity, TW_ERROR);
    assert_string_equal(error->message, "no way");
    assert_string_equal(error->file, file);
    assert_int_equal(error->line, 3);
    assert_int_equal(error->column, 4);
    assert_string_equal(error->code, "asm.cpp");
    assert_null(tw_diags_get(diags, 2));
    tw_diags_free(diags);
    /* Flags reach it; its constants are there. */
    assert_true(
        g_file_set_contents(file,
                            "#if __IPU__ != 1 || !__ASSEMBLER__ || __IPU_ARCH_VERSION__ != 21\n#error\n#endif\n"
                            "#include \"poplar/TileConstants.hpp\"\nsetzi $m0, N + CTXT_WORKERS\n",
                            -1, NULL));
    static const char *const flags[] = { "-D", "N=3", NULL };
    tw_asm_options options = { .size = sizeof options, .arch = TW_ISA_IPU21, .cpp_flags = flags };
    assert_int_equal(tw_status_of(o = tw_asm_file(file, &options, NULL)), TW_OK);
    assert_int_equal(word_of(section_of(o, ".text"), 0), 0x19000009);
    tw_object_free(o);
    g_setenv("TILEWRIGHT_CLANG", "no-such-compiler", TRUE);
    assert_int_equal(tw_status_of(o = tw_asm_file(file, &options, NULL)), TW_E_NO_ENVIRONMENT);
    g_unsetenv("TILEWRIGHT_CLANG");
    unlink(file), rmdir(folder);
}

/* .include and .incbin: beside the file that names them, else from where the program stands. */
static void other_files(void **state)
{
    (void)state;
    g_autofree char *folder = g_dir_make_tmp("tw-asm-XXXXXX", NULL);
    g_autofree char *inc = g_build_filename(folder, "a.inc", NULL), *bin = g_build_filename(folder, "b.bin", NULL),
                    *main = g_build_filename(folder, "main.s", NULL);
    assert_true(g_file_set_contents(inc, ".byte 1\nfrob:\n.byte 2 // no end of line", -1, NULL));
    assert_true(g_file_set_contents(bin, "\1\0\377", 3, NULL));
    g_autofree char *text =
        g_strdup_printf(".data\n.include \"a.inc\"\n.byte 3, frob - 1f\n1: .incbin \"%s\"\n", bin);
    tw_diags *diags = tw_diags_new();
    tw_object *o;
    assert_true(g_file_set_contents(main, text, -1, NULL));
    if (!(o = tw_asm_file(main, NULL, diags))) fail_msg("%s", tw_diags_get(diags, 0)->message);
    g_autofree char *hex = hex_of(section_of(o, ".data"));
    assert_string_equal(hex, "010203fd0100ff");
    assert_string_equal(tw_object_name(o), main);
    tw_object_free(o);
    /* A mistake in it has its name and line, and where it was included. */
    assert_true(g_file_set_contents(inc, "\n .frob", -1, NULL));
    assert_int_equal(tw_status_of(o = tw_asm_file(main, NULL, diags)), TW_E_PARSE);
    const tw_diag *d = tw_diags_get(diags, 0);
    assert_true(g_str_has_suffix(d->file, "a.inc"));
    assert_int_equal(d->line, 2);
    assert_int_equal(d->column, 2);
    assert_int_equal(tw_status_of(o = tw_asm_file(inc, NULL, NULL)), TW_E_PARSE);
    assert_null(o);
    unlink(inc), unlink(bin), unlink(main), rmdir(folder);
    assert_int_equal(tw_status_of(o = tw_asm_file(main, NULL, diags)), TW_E_FILE_LOAD);
    tw_diags_free(diags);
    /* FIFOs, devices and folders are no files to read, and nobody waits for them. */
    assert_int_equal(g_mkdir(folder, 0700), 0);
    assert_int_equal(mkfifo(inc, 0600), 0);
    for (const char *const *form = (const char *const[]){ ".include \"%s\"", ".incbin \"%s\"", NULL }; *form;
         form++)
        for (int k = 0; k < 3; k++) {
            const char *names[] = { inc, "/dev/zero", folder }, *phrases[] = { "a FIFO", "a device", "a folder" };
            g_autofree char *line = g_strdup_printf(*form, names[k]);
            check_refused(TW_ISA_IPU2, line, phrases[k], 1, 1);
        }
    unlink(inc);
    assert_true(g_file_set_contents(inc, "nop\n\0nop", 8, NULL));
    g_autofree char *zero = g_strdup_printf(".include \"%s\"", inc);
    check_refused(TW_ISA_IPU2, zero, "holds a byte 0", 1, 1);
    unlink(inc), rmdir(folder);
    /* A byte 0 ends the text, with a message. */
    assert_int_equal(tw_status_of(o = tw_asm_text("nop\0nop", 7, "zero.s", NULL, NULL)), TW_E_PARSE);
    assert_null(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_and_relocations),
        cmocka_unit_test(padding_of_code),
        cmocka_unit_test(labels_without_symbols),
        cmocka_unit_test(stack_notes),
        cmocka_unit_test(lines_of_code),
        cmocka_unit_test(lines_of_a_compiler),
        cmocka_unit_test(lines_of_repetitions),
        cmocka_unit_test(symbols_by_directives),
        cmocka_unit_test(flags_of_sections),
        cmocka_unit_test(other_files),
        cmocka_unit_test(preprocessor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
