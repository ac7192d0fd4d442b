/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Objects as text and as files, whole: each table to the letter, symbols, notes and lines through text and ELF, and
 * every refusal of a file that is damaged in one field (docs/colossus.md, objects and linking). */
#include "asm_test.h"

#include <elf.h>
#include <stdlib.h>
#include <tilewright/poplar/colossus/link.h>

static const char sample[] =
    ".globl f\n.type f, @function\nf: call $lr, far + 8\n  setzi $m0, table\n  { nop; fnop }\n1: bri 1b\n  br $lr\n"
    ".size f, . - f\n.byte 1, 2\n.data\n.align 8\n.type table, @object\n.hidden table\ntable: .long f - 4, far, 9\n"
    ".size table, 12\n.byte 5\n.bss\nroom: .space 6\n.comm c, 8, 4\n.weak w\n.set seven, 7\n.globl seven\n"
    ".stack_own f, 16\n.stack_total table, 4\n.stack_calls f, g, h\n.section notes\n.long 1\n";

static void check_text(const tw_object *o, unsigned parts, const char *expected)
{
    char *text = tw_object_dump(o, parts);
    if (strcmp(text, expected) != 0) {
        size_t at = 0;
        while (text[at] == expected[at]) at++;
        fail_msg("%s\ndiffers from what is expected behind: %.40s", text, expected + (at > 20 ? at - 20 : 0));
    }
    free(text);
}

static void tables_to_the_letter(void **state)
{
    (void)state;
    tw_object *o = assemble(sample);
    check_text(o, TW_DUMP_SECTIONS,
               "section                                         size    align  address  flags\n"
               ".text                                             26        1        0  alloc code \n"
               ".data                                             13        8        0  alloc write \n"
               ".bss                                               6        1        0  alloc write empty\n"
               "notes                                              4        1        0  \n");
    check_text(o, TW_DUMP_SYMBOLS,
               "   value     size  binding  type      section              name\n"
               "       0       24  global   function  .text                f\n"
               "       0        0  global             *undefined*          far\n"
               "       0       12  local    object    .data                table\n"
               "       0        0  local              .bss                 room\n"
               "       4        8  global   object    *common*             c\n"
               "       0        0  weak               *undefined*          w\n"
               "       7        0  global             *absolute*           seven\n"
               "       0        0  local    section   .data                \n"
               "       0        0  local    section   .text                \n");
    check_text(o, TW_DUMP_RELOCATIONS,
               "  offset  type                          section              symbol\n"
               "       0  R_COLOSSUS_19_S2              .text                far + 0x8\n"
               "       4  R_COLOSSUS_20                 .text                .data\n"
               "      10  R_COLOSSUS_19_S2              .text                .text + 0x10\n"
               "       0  R_COLOSSUS_32                 .data                f - 0x4\n"
               "       4  R_COLOSSUS_32                 .data                far\n");
    check_text(o, TW_DUMP_STACK,
               "stated    bytes  name\n"
               "calls         -  f: g,h\n"
               "own          16  f\n"
               "total         4  table\n");
    tw_object_free(o);
}

static void code_to_the_letter(void **state)
{
    (void)state;
    tw_object *o = assemble(sample);
    check_text(
        o, TW_DUMP_CODE,
        "// ipu2, relocatable\n.allow_invalid_operands\n.allow_invalid_repeat\n.warn_on_invalid_bundles\n"
        ".globl f\n.type f, @function\n.size f, 24\n.globl far\n.hidden table\n.type table, @object\n.size "
        "table, 12\n"
        ".comm c, 8, 4\n.globl c\n.weak w\n.set seven, 0x7\n.globl seven\n"
        ".stack_calls \"f\", g,h\n.stack_own \"f\", 16\n.stack_total \"table\", 4\n"
        "\n.section \".text\", \"ax\"\nf:\n"
        "  call $m10, far + 8                                 // 0: 18a00000\n"
        "  setzi $m0, .L1_0                                   // 4: 19000000\n"
        "  { nop                                              // 8: 99e00000\n"
        "    fnop                                           } // c: 9ad00000\n"
        ".L0_10:\n"
        "  bri .L0_10                                         // 10: 40800000\n"
        "  br $m10                                            // 14: 43a00000\n"
        "  .byte 0x01, 0x02\n"
        "\n.section \".data\", \"aw\"\n.align 8\n.L1_0:\ntable:\n  .long f - 4\n  .long far\n  .long 0x00000009\n  "
        ".byte 0x05\n"
        "\n.section \".bss\", \"aw\", @nobits\nroom:\n  .space 6\n"
        "\n.section \"notes\", \"\"\n  .long 0x00000001\n");
    tw_object_free(o);
}

static void a_program_to_the_letter(void **state)
{
    (void)state;
    tw_object *o = assemble(
                  ".globl f\n.type f, @function\nf: call $lr, g\nbr $lr\n.size f, . - f\n.type g, @function\n"
                  "g: br $lr\n.size g, . - g\n.type h, @function\nh: br $lr\n.stack_own f, 8\n.stack_own g, 4\n"),
              *image;
    const tw_object *one[] = { o };
    assert_int_equal(tw_status_of(image = tw_link(one, 1, NULL, NULL)), TW_OK);
    check_text(image, TW_DUMP_SECTIONS,
               "section                                         size    align  address  flags\n"
               ".text                                             16        1    4c000  alloc code \n");
    check_text(
        image, TW_DUMP_STACK,
        "stated    bytes  name\n"
        "own           8  f\n"
        "own           4  g\n"
        "\nneed in bytes, with all it calls\n"
        "      12  f\n"
        "       4  g\n"
        " unknown  h: test.S:10: the stack of 'h' is not stated: write \"DEF_STACK_USAGE <bytes> h\" (0 for none), "
        "or DEF_STACK_SIZE_OWN when it calls functions that state theirs (poplar/StackSizeDefs.hpp)\n");
    check_text(image, TW_DUMP_CODE,
               "// ipu2, linked\n.allow_invalid_operands\n.allow_invalid_repeat\n.warn_on_invalid_bundles\n"
               ".globl f\n.type f, @function\n.size f, 8\n.type g, @function\n.size g, 4\n.type h, @function\n"
               ".stack_own \"f\", 8\n.stack_own \"g\", 4\n\n.section \".text\", \"ax\"\n// at 0x4c000\nf:\n"
               "  call $m10, 0x13002                                 // 0: 18a13002\n"
               "  br $m10                                            // 4: 43a00000\ng:\n"
               "  br $m10                                            // 8: 43a00000\nh:\n"
               "  br $m10                                            // c: 43a00000\n");
    tw_object_free(image), tw_object_free(o);
}

/* Relocations and labels that lie between words, and names that text cannot hold. */
static void data_to_the_letter(void **state)
{
    (void)state;
    tw_object *o = assemble(".data\n.byte 1\n.long f\n.byte 2, 3\nl: .byte 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "
                            "15, 16, 17, 18, 19, 20, 21\n"
                            ".short l\n.long 1\nm:\n");
    check_text(o, TW_DUMP_CODE,
               "// ipu2, relocatable\n.allow_invalid_operands\n.allow_invalid_repeat\n.warn_on_invalid_bundles\n"
               ".globl f\n\n.section \".data\", \"aw\"\n  .byte 0x01\n  .long f\n  .byte 0x02, 0x03\n.L1_7:\nl:\n"
               "  .byte 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, "
               "0x13\n  .byte 0x14, 0x15\n"
               "  .short .L1_7\n  .byte 0x01, 0x00, 0x00, 0x00\nm:\n");
    tw_object_free(o);
    o = tw_object_new(TW_ISA_IPU2);
    int text = tw_object_section(o, ".text", TW_SECTION_CODE);
    static const char *const odd[] = { "1x", "a b", ".", "a-b", "ok" };
    tw_insn insn = { .row = TW__OP_bri };
    for (size_t i = 0; i < G_N_ELEMENTS(odd); i++) {
        int symbol = tw_object_symbol(o, odd[i]);
        assert_int_equal(tw_object_define(o, symbol, text, 4 * (uint32_t)i, TW_SYMBOL_NOTYPE), TW_OK);
        assert_int_equal(tw_object_emit(o, text, &insn), TW_OK);
        assert_int_equal(tw_object_relocate(o, text, 4 * (uint32_t)i, TW_R_COLOSSUS_19_S2, symbol, 0), TW_OK);
    }
    check_text(o, TW_DUMP_CODE,
               "// ipu2, relocatable\n.allow_invalid_operands\n.allow_invalid_repeat\n.warn_on_invalid_bundles\n"
               "\n.section \".text\", \"ax\"\n"
               ".L0_0:\n  bri .L0_0                                          // 0: 40800000\n"
               ".L0_4:\n  bri .L0_4                                          // 4: 40800000\n"
               ".L0_8:\n  bri .L0_8                                          // 8: 40800000\n"
               ".L0_c:\n  bri .L0_c                                          // c: 40800000\n"
               "ok:\n  bri ok                                             // 10: 40800000\n");
    tw_object_free(o);
    assert_null(tw_relocation_name(TW_R_COLOSSUS_END));
    assert_non_null(tw_relocation_name(TW_R_COLOSSUS_END - 1));
}

/* --- relocations that no symbol in a statement can ask for ------------------------------------------------------ */

static void same_bytes_and_relocations(const tw_object *a, const tw_object *b)
{
    const tw_section *s, *t;
    for (size_t i = 0; (s = tw_object_get_section(a, i)); i++) {
        assert_non_null(t = tw_object_get_section(b, i));
        assert_int_equal(s->size, t->size);
        if (memcmp(s->data, t->data, s->size) != 0) fail_msg("the bytes of %s are others", s->name);
    }
    assert_int_equal(tw_object_relocation_count(a), tw_object_relocation_count(b));
    for (size_t i = 0; i < tw_object_relocation_count(a); i++) {
        const tw_relocation *x = tw_object_get_relocation(a, i), *y = NULL;
        for (size_t k = 0; k < tw_object_relocation_count(b); k++) {
            const tw_relocation *z = tw_object_get_relocation(b, k);
            if (z->section != x->section || z->offset != x->offset || z->type != x->type) continue;
            const tw_symbol *p = tw_object_get_symbol(a, (size_t)x->symbol),
                            *q = tw_object_get_symbol(b, (size_t)z->symbol);
            bool same = *p->name && *q->name ? strcmp(p->name, q->name) == 0 && x->addend == z->addend
                                             : p->section == q->section &&
                                                   (int64_t)p->value + x->addend == (int64_t)q->value + z->addend;
            if (same) y = z;
        }
        if (!y) fail_msg("%s at 0x%x is lost", tw_relocation_name(x->type), x->offset);
    }
}

/* Objects of other tools may hold anything in a field that the linker fills (ELF: with an addend beside it, what is
 * there does not count), have several relocations at one place, or one that reaches over a label. */
static void fields_that_hold_something(void **state)
{
    (void)state;
    tw_object *o = assemble(".globl f\n.globl far\nf: call $m10, 5\n setzi $m0, 0x12345\n { setzi $m1, 3; fnop }\n"
                            " { bri 7; setzi $a2, 9 }\n br $lr\n"
                            ".data\n.long 0x89abcdef, 0\n.short 0x1234\n.byte 7, 0\nl: .byte 0, 0\n.quad 0\n");
    static const struct {
        int section;
        uint32_t offset;
        tw_relocation_type type;
        int32_t addend;
    } rows[] = {
        { 0, 0, TW_R_COLOSSUS_19_S2, 8 },  /* a branch with a target of its own */
        { 0, 4, TW_R_COLOSSUS_20, 0 },     /* setzi */
        { 0, 8, TW_R_COLOSSUS_20, -4 },    /* the first half of a bundle */
        { 0, 16, TW_R_COLOSSUS_19_S2, 0 }, /* both halves */
        { 0, 20, TW_R_COLOSSUS_20, 16 },   /* */
        { 0, 24, TW_R_COLOSSUS_21, 0 },    /* an instruction without such a field */
        { 1, 0, TW_R_COLOSSUS_32, 12 },    /* data that hold something */
        { 1, 4, TW_R_COLOSSUS_RUN, 0 },    /* data with a field of an instruction */
        { 1, 8, TW_R_COLOSSUS_16_S3, 8 },  /* */
        { 1, 10, TW_R_COLOSSUS_8, 0 },     /* */
        { 1, 11, TW_R_COLOSSUS_16, 0 },    /* its field goes over a label */
        { 1, 14, TW_R_COLOSSUS_64, 0 },    /* plain */
        { 1, 14, TW_R_COLOSSUS_32, 4 },    /* and a second one at the same place */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        int symbol = tw_object_symbol(o, i % 2 ? "far" : "f");
        assert_int_equal(
            tw_object_relocate(o, rows[i].section, rows[i].offset, rows[i].type, symbol, rows[i].addend), TW_OK);
    }
    char *text = tw_object_dump(o, TW_DUMP_CODE);
    assert_non_null(strstr(text, "  .reloc ., R_COLOSSUS_19_S2, f + 8\n  call $m10, 0x5 "));
    assert_non_null(strstr(text, "  .reloc ., R_COLOSSUS_20, far\n  setzi $m0, 0x12345 "));
    assert_non_null(
        strstr(text, "  .reloc ., R_COLOSSUS_19_S2, far\n  .reloc . + 4, R_COLOSSUS_20, f + 16\n  { bri"));
    tw_object *back = assemble(text);
    same_bytes_and_relocations(o, back);
    char *again = tw_object_dump(back, TW_DUMP_CODE);
    assert_string_equal(again, text);
    free(again), free(text);

    tw_object_free(back), tw_object_free(o);
}

/* .reloc (GNU as and LLVM): the place, the relocation, a symbol; the bytes are somebody else's. */
static void relocations_by_name(void **state)
{
    (void)state;
    tw_object *o = assemble(".globl f\n.globl later\nf: .long 1, 2\nhere: .long 3\n.reloc 8, R_COLOSSUS_32, f + 4\n"
                            ".reloc here - 4, R_COLOSSUS_19_S2, later\n.reloc . - 12, R_COLOSSUS_8, far - 1\n"
                            " .reloc ., R_COLOSSUS_NONE, f\nlater: .long 4\n"),
              *image;
    check_text(o, TW_DUMP_RELOCATIONS,
               "  offset  type                          section              symbol\n"
               "       8  R_COLOSSUS_32                 .text                f + 0x4\n"
               "       4  R_COLOSSUS_19_S2              .text                later\n"
               "       0  R_COLOSSUS_8                  .text                far - 0x1\n"
               "       c  R_COLOSSUS_NONE               .text                f\n");
    assert_int_equal(word_of(section_of(o, ".text"), 2), 3);
    tw_object *far = assemble(".globl far\n.set far, 0x43\n");
    const tw_object *both[] = { o, far };
    tw_link_options options = { .size = sizeof options, .entry = "f" };
    if (!(image = tw_link(both, 2, &options, NULL))) fail_msg("%s", tw_error_message());
    const tw_section *text = section_of(image, ".text");
    assert_int_equal(word_of(text, 0), 0x42);                     /* 8 bits of 1, the other 24 are kept */
    assert_int_equal(word_of(text, 1), (text->address + 12) / 4); /* 19 bits of 2 */
    assert_int_equal(word_of(text, 2), text->address + 4);
    assert_int_equal(word_of(text, 3), 4);
    tw_object_free(image), tw_object_free(o), tw_object_free(far);

    static const struct {
        const char *text, *phrase;
        int column;
    } refused[] = {
        { ".reloc 0, R_COLOSSUS_33, f\n.long 0",
          "there is no relocation 'R_COLOSSUS_33'; did you mean 'R_COLOSSUS_3", 11 },
        { ".reloc 0, , f\n.long 0", "there is no relocation ''", 11 },
        { ".reloc 0 R_COLOSSUS_32, f\n.long 0", "expected ',' behind the place", 10 },
        { ".reloc 0, R_COLOSSUS_32\n.long 0", "expected ',' behind the relocation", 24 },
        { ".reloc 0, R_COLOSSUS_32, 5\n.long 0", "a relocation needs a symbol, not a number", 26 },
        { ".reloc 0, R_COLOSSUS_32, f", "R_COLOSSUS_32 at 0x0 lies behind the end of the section", 26 },
        { ".reloc 1, R_COLOSSUS_32, f\n.long 0", "R_COLOSSUS_32 at 0x1 lies behind the end of the section", 26 },
        { ".reloc 9, R_COLOSSUS_8, f\n.long 0", "R_COLOSSUS_8 at 0x9 lies behind the end of the section", 25 },
        { ".reloc -1, R_COLOSSUS_8, f\n.long 0", "the place has to be in this section, and known here", 8 },
        { ".reloc f, R_COLOSSUS_8, f\n.long 0", "the place has to be in this section, and known here", 8 },
        { ".reloc 1.0, R_COLOSSUS_8, f\n.long 0", "the place has to be in this section, and known here", 8 },
        { ".bss; .reloc 0, R_COLOSSUS_8, f\n.space 4", "section '.bss' takes room only", 7 },
        { "{ .reloc 0, R_COLOSSUS_8, f", "only instructions can stand in a bundle", 3 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
        check_refused(TW_ISA_IPU2, refused[i].text, refused[i].phrase, 1, refused[i].column);
}

/* --- symbols, notes and lines stay what they are -------------------------------------------------------------- */

static void same_symbols(const tw_object *a, const tw_object *b)
{
    const tw_symbol *s;
    unsigned compared = 0;
    for (size_t i = 0; (s = tw_object_get_symbol(a, i)); i++) {
        if (!*s->name || s->type == TW_SYMBOL_SECTION || strncmp(s->name, ".L", 2) == 0) continue;
        int index = tw_object_find_symbol(b, s->name);
        if (index < 0) fail_msg("%s is missing", s->name);
        const tw_symbol *t = tw_object_get_symbol(b, (size_t)index);
        if (s->section != t->section || s->value != t->value || s->size != t->size || s->type != t->type ||
            s->binding != t->binding || s->visibility != t->visibility)
            fail_msg("%s: section %d, %u, size %u, type %d, binding %d, visibility %d", s->name, t->section,
                     t->value, t->size, t->type, t->binding, t->visibility);
        compared++;
    }
    assert_int_equal(compared, 7);
    assert_int_equal(tw_object_stack_note_count(b), tw_object_stack_note_count(a));
    for (size_t i = 0; i < tw_object_stack_note_count(a); i++) {
        const tw_stack_note *x = tw_object_get_stack_note(a, i), *y = tw_object_get_stack_note(b, i);
        assert_int_equal(x->kind, y->kind);
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->bytes, y->bytes);
        assert_string_equal(x->targets, y->targets);
    }
}

static void through_text_and_file(void **state)
{
    (void)state;
    tw_object *o = assemble(sample), *back, *elf;
    char *text = tw_object_dump(o, TW_DUMP_CODE);
    back = assemble(text);
    same_symbols(o, back);
    free(text);
    uint8_t *bytes;
    size_t size;
    assert_int_equal(tw_status_of(bytes = tw_object_to_elf(o, &size)), TW_OK);
    assert_int_equal(tw_status_of(elf = tw_object_from_elf(bytes, size, "there.o")), TW_OK);
    same_symbols(o, elf);
    assert_string_equal(tw_object_name(elf), "there.o");
    for (uint32_t at = 0; at < 24; at += 4) {
        const tw_object_line *x = tw_object_line_at(o, 0, at), *y = tw_object_line_at(elf, 0, at);
        assert_int_equal(x->line, y->line);
        assert_int_equal(x->offset, y->offset);
        assert_string_equal(x->file, y->file);
    }
    assert_null(tw_object_line_at(elf, 1, 0));
    free(bytes);
    tw_object_free(o), tw_object_free(back), tw_object_free(elf);
}

/* Two locals of one name and lines of several files and sections survive a file; a repeated line is kept once. */
static void names_that_repeat(void **state)
{
    (void)state;
    tw_object *o = tw_object_new(TW_ISA_IPU2), *back;
    assert_string_equal(tw_object_name(o), "");
    int text = tw_object_section(o, ".text", TW_SECTION_CODE),
        data = tw_object_section(o, ".data.x", TW_SECTION_DATA);
    assert_int_equal(tw_object_append(o, text, NULL, 32), TW_OK);
    assert_int_equal(tw_object_append(o, data, NULL, 0x30000), TW_OK);
    static const struct {
        uint32_t offset, line;
        const char *file;
    } lines[] = { { 0, 1, "a" }, { 4, 1, "a" }, { 8, 2, "a" }, { 12, 2, "b" }, { 16, 3, "b" }, { 20, 1, "a" } };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        assert_int_equal(tw_object_add_line(o, text, lines[i].offset, lines[i].file, lines[i].line), TW_OK);
    assert_int_equal(tw_object_add_line(o, data, 4, "c", 9), TW_OK);
    assert_int_equal(tw_object_add_line(o, data, 0x21234, "c", 0x12345), TW_OK);
    uint8_t *bytes;
    size_t size;
    assert_int_equal(tw_status_of(bytes = tw_object_to_elf(o, &size)), TW_OK);
    assert_int_equal(tw_status_of(back = tw_object_from_elf(bytes, size, "x.o")), TW_OK);
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        const tw_object_line *l = tw_object_line_at(back, text, lines[i].offset + 3);
        assert_int_equal(l->line, lines[i].line);
        assert_int_equal(l->offset, i == 1 ? 0 : lines[i].offset);
        assert_string_equal(l->file, lines[i].file);
    }
    assert_null(tw_object_line_at(back, data, 3));
    assert_int_equal(tw_object_line_at(back, data, 4)->line, 9);
    assert_int_equal(tw_object_line_at(back, data, 0x21233)->line, 9);
    assert_int_equal(tw_object_line_at(back, data, 0x21234)->line, 0x12345);
    free(bytes);
    tw_object_free(o), tw_object_free(back);
}

/* Locals of one name in two files keep both places in the program's file. */
static void locals_of_one_name(void **state)
{
    (void)state;
    tw_object *a = assemble("local: nop\n"), *b = assemble("nop\nlocal: nop\n"), *image, *back;
    const tw_object *both[] = { a, b };
    assert_int_equal(tw_status_of(image = tw_link(both, 2, NULL, NULL)), TW_OK);
    uint8_t *bytes;
    size_t size;
    assert_int_equal(tw_status_of(bytes = tw_object_to_elf(image, &size)), TW_OK);
    assert_int_equal(tw_status_of(back = tw_object_from_elf(bytes, size, "x.elf")), TW_OK);
    uint32_t places[2] = { 0 };
    unsigned found = 0;
    const tw_symbol *s;
    for (size_t i = 0; (s = tw_object_get_symbol(back, i)); i++)
        if (strcmp(s->name, "local") == 0 && found < 2) places[found++] = s->value;
    assert_int_equal(found, 2);
    assert_int_equal(places[0], 0x4c000);
    assert_int_equal(places[1], 0x4c008);
    free(bytes);
    tw_object_free(a), tw_object_free(b), tw_object_free(image), tw_object_free(back);
}

/* Indices that there are not. */
static void wrong_indices(void **state)
{
    (void)state;
    tw_object *o = tw_object_new(TW_ISA_IPU2);
    int text = tw_object_section(o, ".text", TW_SECTION_CODE), f = tw_object_symbol(o, "f");
    for (int wrong = -1; wrong <= 1; wrong += 2) {
        assert_int_equal(tw_object_define(o, wrong, text, 0, TW_SYMBOL_NOTYPE), TW_E_INDEX);
        assert_int_equal(tw_object_bind(o, wrong, TW_SYMBOL_GLOBAL), TW_E_INDEX);
        assert_int_equal(tw_object_set_visibility(o, wrong, 1), TW_E_INDEX);
        assert_int_equal(tw_object_set_size(o, wrong, 1), TW_E_INDEX);
        assert_int_equal(tw_object_set_type(o, wrong, TW_SYMBOL_OBJECT), TW_E_INDEX);
        assert_int_equal(tw_object_relocate(o, text, 0, TW_R_COLOSSUS_32, wrong, 0), TW_E_INDEX);
        assert_int_equal(tw_object_relocate(o, wrong, 0, TW_R_COLOSSUS_32, f, 0), TW_E_INDEX);
        assert_int_equal(tw_object_append(o, wrong, "a", 1), TW_E_INDEX);
        assert_int_equal(tw_object_align(o, wrong, 4), TW_E_INDEX);
        assert_int_equal(tw_object_raise_align(o, wrong, 4), TW_E_INDEX);
        assert_int_equal(tw_object_patch(o, wrong, 0, "a", 1), TW_E_INDEX);
    }
    assert_int_equal(tw_object_define(o, f, 1, 0, TW_SYMBOL_NOTYPE), TW_E_INDEX);
    assert_int_equal(tw_object_define(o, f, TW_SECTION_COMMON - 1, 0, TW_SYMBOL_NOTYPE), TW_E_INDEX);
    assert_int_equal(tw_object_define(o, f, TW_SECTION_COMMON, 4, TW_SYMBOL_NOTYPE), TW_OK);
    assert_int_equal(tw_object_set_visibility(o, f, 4), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_object_set_visibility(o, f, 3), TW_OK);
    assert_int_equal(tw_object_get_symbol(o, 0)->visibility, 3);
    assert_int_equal(tw_object_relocation_count(o), 0);
    tw_object_free(o);
}

/* Hundreds of names and long ones: each keeps its index. */
static void many_symbols(void **state)
{
    (void)state;
    tw_object *o = tw_object_new(TW_ISA_IPU2);
    int text = tw_object_section(o, ".text", TW_SECTION_CODE);
    for (int i = 0; i < 3000; i++) {
        g_autofree char *name = g_strdup_printf("s%d", i);
        assert_int_equal(tw_object_symbol(o, name), i);
        assert_int_equal(tw_object_append(o, text, &i, 4), TW_OK);
    }
    for (int i = 0; i < 3000; i++) {
        g_autofree char *name = g_strdup_printf("s%d", i);
        assert_int_equal(tw_object_find_symbol(o, name), i);
        assert_int_equal(word_of(tw_object_get_section(o, 0), (uint32_t)i), i);
    }
    assert_int_equal(tw_object_find_symbol(o, "s3000"), -1);
    assert_int_equal(tw_object_find_symbol(o, ""), -1);
    assert_int_equal(tw_object_symbol_count(o), 3000);
    assert_null(tw_object_get_symbol(o, 3000));
    assert_null(tw_object_get_section(o, 1));
    int section = tw_object_section_symbol(o, 0);
    assert_int_equal(section, 3000);
    assert_int_equal(tw_object_section_symbol(o, 0), section);
    assert_int_equal(tw_object_section_symbol(o, 1), TW_E_INDEX);
    tw_object_free(o);
    o = tw_object_new(TW_ISA_IPU2);
    assert_int_equal(tw_object_section(o, ".text", TW_SECTION_CODE), 0);
    assert_int_equal(tw_object_section_symbol(o, 0), 0);
    assert_int_equal(tw_object_section_symbol(o, 0), 0);
    tw_object_free(o);
}

/* --- one field of a file changed ------------------------------------------------------------------------------ */

static Elf32_Shdr *header_of(uint8_t *bytes, const char *name)
{
    Elf32_Ehdr *h = (Elf32_Ehdr *)(void *)bytes;
    Elf32_Shdr *table = (Elf32_Shdr *)(void *)(bytes + h->e_shoff);
    for (unsigned i = 1; i < h->e_shnum; i++)
        if (strcmp((const char *)bytes + table[h->e_shstrndx].sh_offset + table[i].sh_name, name) == 0)
            return &table[i];
    fail_msg("no section %s", name);
    return NULL;
}

static Elf32_Sym *symbol_of(uint8_t *bytes, const char *name)
{
    const Elf32_Shdr *table = header_of(bytes, ".symtab"), *names = header_of(bytes, ".strtab");
    for (size_t i = 0; i < table->sh_size / sizeof(Elf32_Sym); i++) {
        Elf32_Sym *s = (Elf32_Sym *)(void *)(bytes + table->sh_offset) + i;
        if (strcmp((const char *)bytes + names->sh_offset + s->st_name, name) == 0) return s;
    }
    fail_msg("no symbol %s", name);
    return NULL;
}

static Elf32_Rela *relocation_of(uint8_t *bytes, unsigned index)
{
    return (Elf32_Rela *)(void *)(bytes + header_of(bytes, ".rela.text")->sh_offset) + index;
}

static uint8_t *content_of(uint8_t *bytes, const char *name)
{
    return bytes + header_of(bytes, name)->sh_offset;
}

/* What is changed, by number; the message behind "is no object for the IPU, or a damaged one: ", "" = it is read. */
static const char *change(uint8_t *b, unsigned which)
{
    Elf32_Ehdr *h = (Elf32_Ehdr *)(void *)b;
    switch (which) {
    case 0: return h->e_ident[EI_CLASS] = 2, "not a 32-bit ELF file";
    case 1: return h->e_ident[EI_DATA] = 2, "not ";
    case 2: return h->e_machine = 247, "made for machine 247, not 248";
    case 3: return h->e_type = ET_DYN, "neither relocatable nor linked";
    case 4: return h->e_flags = 3, "flags 0x3 name no known chip";
    case 5: return h->e_flags = 0x121, "";
    case 6: return header_of(b, ".data")->sh_addralign = 3, "section '.data' is aligned to 3";
    case 7: return header_of(b, ".data")->sh_addralign = 1 << 22, "section '.data' is aligned to 4194304";
    case 8: return header_of(b, ".data")->sh_addralign = 0, "";
    case 9: return header_of(b, ".data")->sh_addralign = 1 << 21, "";
    case 10: return header_of(b, ".bss")->sh_size = (1 << 21) + 1, "section '.bss' is larger than 2 MB";
    case 11: return header_of(b, ".bss")->sh_size = 1 << 21, "";
    case 12: return header_of(b, ".data")->sh_size = 1 << 20, "section '.data' lies outside of the file";
    case 13: return symbol_of(b, "f")->st_info = ELF32_ST_INFO(3, 2), "symbol 'f' has an unknown type or binding";
    case 14: return symbol_of(b, "f")->st_info = ELF32_ST_INFO(1, 5), "symbol 'f' has an unknown type or binding";
    case 15: return symbol_of(b, "f")->st_info = ELF32_ST_INFO(2, 4), "";
    case 16: return symbol_of(b, "f")->st_shndx = 200, "symbol 'f' is in section 200 of 12";
    case 17: return symbol_of(b, "f")->st_shndx = 12, "symbol 'f' is in section 12 of 12";
    case 18: return symbol_of(b, "f")->st_value = 27, "symbol 'f' lies behind the end of its section";
    case 19: return symbol_of(b, "f")->st_value = 26, "";
    case 20: return symbol_of(b, "c")->st_value = 0, "common symbol 'c' has alignment 0 and size 8";
    case 21: return symbol_of(b, "c")->st_value = 6, "common symbol 'c' has alignment 6 and size 8";
    case 22: return symbol_of(b, "c")->st_value = 1 << 22, "common symbol 'c' has alignment 4194304 and size 8";
    case 23:
        return symbol_of(b, "c")->st_size = (1 << 21) + 1, "common symbol 'c' has alignment 4 and size 2097153";
    case 24: return symbol_of(b, "c")->st_size = symbol_of(b, "c")->st_value = 1 << 21, "";
    case 25: return symbol_of(b, "f")->st_name = 0xffffff, "symbol ";
    case 26: return relocation_of(b, 0)->r_info = ELF32_R_INFO(1, 10), "there is no relocation 10";
    case 27:
        return relocation_of(b, 1)->r_info = ELF32_R_INFO(9999, 8), "relocation 1 of '.text' names symbol 9999";
    case 28: return relocation_of(b, 2)->r_offset = 23, "a relocation of 4 bytes of '.text' lies at 0x17,";
    case 29: return relocation_of(b, 2)->r_offset = 22, "";
    case 30: return relocation_of(b, 2)->r_offset = 26, "a relocation of 4 bytes of '.text' lies at 0x1a,";
    case 31: return header_of(b, ".rela.text")->sh_info = 99, "relocations of section 99, which holds nothing";
    case 32: return header_of(b, ".rela.text")->sh_info = h->e_shstrndx, "relocations of section ";
    case 33: return content_of(b, ".tw_lines")[0] = 200, "the table of lines is cut off";
    case 34: return content_of(b, ".tw_lines")[4] = 200, "line 0 of the table of lines";
    case 35: return content_of(b, ".tw_lines")[12] = 200, "line 0 of the table of lines";
    case 36: return h->e_shoff += 1, "its table of sections is not aligned";
    case 37:
        return content_of(b, ".tw_lines")[12] = 20,
                             "line 0 of the table of lines"; /* in the file, not in the section */
    case 38:
        return header_of(b, ".rela.text")->sh_type = SHT_REL,
                            "section 7 has relocations without addends (SHT_REL); this format has SHT_RELA";
    default: return NULL;
    }
}

static void fields_of_files(void **state)
{
    (void)state;
    tw_object *o = assemble(sample), *back;
    uint8_t *good;
    size_t size;
    assert_int_equal(tw_status_of(good = tw_object_to_elf(o, &size)), TW_OK);
    for (unsigned which = 0;; which++) {
        g_autofree uint8_t *bytes = g_memdup2(good, size);
        const char *message = change(bytes, which);
        if (!message) break;
        tw_status status = tw_status_of(back = tw_object_from_elf(bytes, size, "x.o"));
        if (!*message && status != TW_OK) fail_msg("change %u: %s", which, tw_error_message());
        if (status == TW_OK) tw_object_free(back);
        g_autofree char *whole = g_strdup_printf("'x.o' is no object for the IPU, or a damaged one: %s", message);
        if (*message && (status != TW_E_OBJECT_LOAD || !g_str_has_prefix(tw_error_message(), whole)))
            fail_msg("change %u: %d %s\nnot %s", which, status, tw_error_message(), whole);
    }
    free(good);
    tw_object_free(o);
}

static void notes_of_files(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } rows[] = {
        { "own f 16", "our f 16", "'our f 16' is no stack note" },
        { "own f 16", "own f -6", "stack note of 'f' without a number of bytes" },
        { "own f 16", "own ffff", "stack note of 'ffff' without a number of bytes" },
        { "own f 16", "own f 2e", "stack note of 'f' without a number of bytes" },
    };
    tw_object *o = assemble(sample), *back;
    uint8_t *good;
    size_t size;
    assert_int_equal(tw_status_of(good = tw_object_to_elf(o, &size)), TW_OK);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree uint8_t *bytes = g_memdup2(good, size);
        uint8_t *at = memmem(bytes, size, rows[i].from, strlen(rows[i].from));
        memcpy(at, rows[i].to, strlen(rows[i].to));
        assert_int_equal(tw_status_of(back = tw_object_from_elf(bytes, size, "x.o")), TW_E_OBJECT_LOAD);
        assert_string_equal(tw_error_message(), rows[i].message);
    }
    /* 2 MB and a note that the section's end cuts off */
    g_autofree uint8_t *bytes = g_memdup2(good, size);
    header_of(bytes, ".stack_sizes_ipu")->sh_size--;
    assert_int_equal(tw_status_of(back = tw_object_from_elf(bytes, size, "x.o")), TW_E_OBJECT_LOAD);
    assert_string_equal(tw_error_message(), "the last stack note is cut off");
    free(good);
    tw_object_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_to_the_letter),
        cmocka_unit_test(code_to_the_letter),
        cmocka_unit_test(data_to_the_letter),
        cmocka_unit_test(a_program_to_the_letter),
        cmocka_unit_test(through_text_and_file),
        cmocka_unit_test(names_that_repeat),
        cmocka_unit_test(fields_that_hold_something),
        cmocka_unit_test(relocations_by_name),
        cmocka_unit_test(locals_of_one_name),
        cmocka_unit_test(wrong_indices),
        cmocka_unit_test(many_symbols),
        cmocka_unit_test(fields_of_files),
        cmocka_unit_test(notes_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
