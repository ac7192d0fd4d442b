/* SPDX-License-Identifier: MIT */
/* Objects, ELF files, linking, stack analysis and text (guide 7.2, 7.3.1, 7.5.1, 2.8.1; Colossus ISA, ELF and tile
 * memory). */
#include "asm_test.h"

#include <stdlib.h>
#include <tilewright/poplar/colossus/link.h>

/* --- relocations: value, field, limits ------------------------------------------------------------------------ */

static const struct {
    tw_relocation_type type;
    uint64_t address;
    uint32_t before, after;
} applied[] = {
    { TW_R_COLOSSUS_NONE, 5, 0x12345678, 0x12345678 },
    { TW_R_COLOSSUS_8, 0xAB, 0x12345678, 0x123456AB },
    { TW_R_COLOSSUS_16, 0xABCD, 0x12345678, 0x1234ABCD },
    { TW_R_COLOSSUS_32, 0xCAFEBABE, 0, 0xCAFEBABE },
    { TW_R_COLOSSUS_32, (uint64_t)-2, 0, 0xFFFFFFFE },
    { TW_R_COLOSSUS_20, 0xFFFFF, 0x19000000, 0x190FFFFF },
    { TW_R_COLOSSUS_18_S2, 0xFFFFC, 0xFFF00000, 0xFFF3FFFF },
    { TW_R_COLOSSUS_19_S2, 0x1FFFFC, 0x40800000, 0x4087FFFF },
    { TW_R_COLOSSUS_19_S2, 0x4C000, 0x40800000, 0x40813000 },
    { TW_R_COLOSSUS_RELATIVE_16_S2, 0x4C008, 0xAAAA0000, 0xAAAA0002 },
    { TW_R_COLOSSUS_RUN, 0x4C000 + 4 * 0xABCD, 0x14000000, 0x140A0BCD },
    { TW_R_COLOSSUS_16_S3, 0x7FFF8, 0, 0xFFFF },
    { TW_R_COLOSSUS_16_S4, 0x4C010, 0, 0x4C01 },
    { TW_R_COLOSSUS_16_S5, 0x1FFFE0, 0, 0xFFFF },
    { TW_R_COLOSSUS_21, 0x1FFFFF, 0xFFE00000, 0xFFFFFFFF },
};
static const struct {
    tw_relocation_type type;
    uint64_t address;
} unfit[] = { { TW_R_COLOSSUS_8, 256 },          { TW_R_COLOSSUS_16, 0x10000 },  { TW_R_COLOSSUS_20, 0x100000 },
              { TW_R_COLOSSUS_18_S2, 0x100000 }, { TW_R_COLOSSUS_18_S2, 2 },     { TW_R_COLOSSUS_19_S2, 0x200000 },
              { TW_R_COLOSSUS_19_S2, 0x4C002 },  { TW_R_COLOSSUS_RUN, 0x4C001 }, { TW_R_COLOSSUS_RUN, 0x4BFFC },
              { TW_R_COLOSSUS_RUN, 0x8C000 },    { TW_R_COLOSSUS_16_S3, 4 },     { TW_R_COLOSSUS_16_S3, 0x80000 },
              { TW_R_COLOSSUS_16_S4, 8 },        { TW_R_COLOSSUS_16_S5, 16 },    { TW_R_COLOSSUS_21, 0x200000 },
              { TW_R_COLOSSUS_32, 0x100000000 } };

static void fields_of_relocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(applied); i++) {
        uint32_t word = applied[i].before;
        assert_int_equal(tw_relocation_apply(TW_ISA_IPU2, applied[i].type, applied[i].address, (uint8_t *)&word),
                         TW_OK);
        if (word != applied[i].after) fail_msg("row %zu: %08x, not %08x", i, word, applied[i].after);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(unfit); i++) {
        uint32_t words[2] = { 0 };
        if (tw_relocation_apply(TW_ISA_IPU2, unfit[i].type, unfit[i].address, (uint8_t *)words) != TW_E_OVERFLOW)
            fail_msg("row %zu fits", i);
        assert_int_equal(words[0], 0);
    }
    uint64_t wide = 0;
    assert_int_equal(tw_relocation_apply(TW_ISA_IPU1, TW_R_COLOSSUS_64, 0x123456789ABCDEF0, (uint8_t *)&wide),
                     TW_OK);
    assert_int_equal(wide, 0x123456789ABCDEF0);
    assert_int_equal(tw_relocation_apply(TW_ISA_IPU2, 10, 0, (uint8_t *)&wide), TW_E_INVALID_ARGUMENT);
    assert_string_equal(tw_relocation_name(8), "R_COLOSSUS_19_S2");
    assert_null(tw_relocation_name(10));
    uint32_t word = 0x14000000; /* region 0 of ipu1 begins at 0x40000 */
    assert_int_equal(tw_relocation_apply(TW_ISA_IPU1, TW_R_COLOSSUS_RUN, 0x40004, (uint8_t *)&word), TW_OK);
    assert_int_equal(word, 0x14000001);
}

/* --- ELF ------------------------------------------------------------------------------------------------------ */

static const char sample[] =
    ".section .text.f, \"ax\"\n.align 8\n.globl f\n.type f, @function\nf: call $lr, g\n"
    "  setzi $m0, table + 4\n  bri .Lend\n  {nop; fnop}\n.Lend: br $lr\n.size f, . - f\n"
    ".section .data.table\n.align 8\n.type table, @object\ntable: .long 1, f, 3\n.bss\nroom: .space 12\n"
    ".comm c, 8, 4\n.stack_own f, 16\n.stack_calls f, g, h\nN = 7\n.globl N\n";

static tw_object *through_elf(const tw_object *object)
{
    uint8_t *bytes;
    size_t size;
    tw_object *back;
    assert_int_equal(tw_status_of(bytes = tw_object_to_elf(object, &size)), TW_OK);
    tw_status status = tw_status_of(back = tw_object_from_elf(bytes, size, "test.o"));
    if (status != TW_OK) fail_msg("%s", tw_error_message());
    free(bytes);
    return back;
}

static void same_sections(const tw_object *a, const tw_object *b)
{
    assert_int_equal(tw_object_section_count(a), tw_object_section_count(b));
    for (size_t i = 0; i < tw_object_section_count(a); i++) {
        const tw_section *x = tw_object_get_section(a, i), *y = tw_object_get_section(b, i);
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->flags, y->flags);
        assert_int_equal(x->align, y->align);
        assert_int_equal(x->size, y->size);
        assert_int_equal(x->address, y->address);
        if (x->data && x->size) assert_memory_equal(x->data, y->data, x->size);
    }
}

/* Same places, types, and (name or section plus offset) of the targets; order within the object is free. */
static void same_relocations(const tw_object *a, const tw_object *b)
{
    assert_int_equal(tw_object_relocation_count(a), tw_object_relocation_count(b));
    for (size_t i = 0; i < tw_object_relocation_count(a); i++) {
        const tw_relocation *x = tw_object_get_relocation(a, i), *y = NULL;
        for (size_t k = 0; k < tw_object_relocation_count(b); k++) {
            const tw_relocation *other = tw_object_get_relocation(b, k);
            if (other->section == x->section && other->offset == x->offset) y = other;
        }
        assert_non_null(y);
        assert_int_equal(x->type, y->type);
        const tw_symbol *s = tw_object_get_symbol(a, (size_t)x->symbol),
                        *t = tw_object_get_symbol(b, (size_t)y->symbol);
        assert_int_equal(s->section, t->section);
        if (s->section >= 0)
            assert_int_equal(s->value + (uint32_t)x->addend, t->value + (uint32_t)y->addend);
        else
            assert_string_equal(s->name, t->name);
    }
}

static void elf_keeps_everything(void **state)
{
    (void)state;
    static const tw_isa_arch chips[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
    for (size_t c = 0; c < 3; c++) {
        tw_object *a = assemble_for(chips[c], sample), *b = through_elf(a);
        assert_int_equal(tw_object_arch(b), chips[c]);
        same_sections(a, b);
        same_relocations(a, b);
        assert_int_equal(tw_object_stack_note_count(b), 2);
        assert_string_equal(tw_object_get_stack_note(b, 0)->targets, "g,h");
        assert_int_equal(tw_object_line_at(b, 1, 16)->line, 8);
        const tw_symbol *f = tw_object_get_symbol(b, (size_t)tw_object_find_symbol(b, "f"));
        assert_int_equal(f->size, 24);
        assert_int_equal(tw_object_get_symbol(b, (size_t)tw_object_find_symbol(b, "N"))->section,
                         TW_SECTION_ABSOLUTE);
        assert_int_equal(tw_object_find_symbol(b, ".Lend"), -1);
        tw_object_free(a), tw_object_free(b);
    }
}

/* The header's numbers, byte by byte: Colossus ISA, ELF. */
static void elf_header(void **state)
{
    (void)state;
    tw_object *o = assemble_for(TW_ISA_IPU21, "nop");
    uint8_t *bytes;
    size_t size;
    assert_int_equal(tw_status_of(bytes = tw_object_to_elf(o, &size)), TW_OK);
    static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 1, 1, 1, 255 };
    assert_memory_equal(bytes, ident, sizeof ident);
    assert_int_equal(bytes[16], 1);   /* relocatable */
    assert_int_equal(bytes[18], 248); /* machine */
    assert_int_equal(bytes[36], 0x21);
    free(bytes);
    tw_object_free(o);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    tw_object *o = assemble(sample), *back;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(tw_status_of(bytes = tw_object_to_elf(o, &size)), TW_OK);
    for (size_t n = 0; n < size; n += n < 64 ? 1 : 37) { /* cut off */
        if ((back = tw_object_from_elf(bytes, n, "cut.o")) != NULL)
            tw_object_free(back);
        else
            assert_non_null(strstr(tw_error_message(), "cut.o"));
    }
    GRand *rand = g_rand_new_with_seed(3);
    for (int i = 0; i < 3000; i++) { /* one byte changed: refused or read, never worse */
        size_t at = (size_t)g_rand_int_range(rand, 0, (int)size);
        uint8_t old = bytes[at];
        bytes[at] = (uint8_t)g_rand_int(rand);
        if ((back = tw_object_from_elf(bytes, size, "changed.o")) != NULL) {
            free(tw_object_dump(back, 31));
            tw_object_free(back);
        }
        bytes[at] = old;
    }
    g_rand_free(rand);
    static const struct {
        size_t at;
        uint8_t value;
        const char *phrase;
    } changes[] = { { 0, 0, "not an ELF" },   { 4, 2, "" },           { 5, 2, "" },
                    { 18, 62, "machine 62" }, { 36, 3, "flags 0x3" }, { 16, 3, "neither relocatable" } };
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        uint8_t old = bytes[changes[i].at];
        bytes[changes[i].at] = changes[i].value;
        assert_int_equal(tw_status_of(back = tw_object_from_elf(bytes, size, "x.o")), TW_E_OBJECT_LOAD);
        if (!strstr(tw_error_message(), changes[i].phrase)) fail_msg("%s", tw_error_message());
        bytes[changes[i].at] = old;
    }
    free(bytes);
    tw_object_free(o);
    assert_int_equal(tw_status_of(back = tw_object_read("/nowhere/at/all.o")), TW_E_FILE_LOAD);
}

/* --- text that gives the same bytes --------------------------------------------------------------------------- */

static void check_text_of(const tw_object *object, tw_isa_arch arch)
{
    char *text = tw_object_dump(object, TW_DUMP_CODE);
    tw_asm_options options = { .size = sizeof options, .arch = arch };
    tw_diags *diags = tw_diags_new();
    tw_object *back = tw_asm_text(text, strlen(text), "dump.S", &options, diags);
    tw_status status = tw_status_of(back);
    if (status != TW_OK) tw_diags_print(diags, stderr, false);
    if (status != TW_OK) fail_msg("%s", text);
    for (size_t i = 0; i < tw_object_section_count(object); i++) {
        const tw_section *x = tw_object_get_section(object, i);
        if (!x->size) continue;
        const tw_section *y = section_of(back, x->name);
        assert_int_equal(x->size, y->size);
        assert_int_equal(x->flags, y->flags);
        if (x->data && memcmp(x->data, y->data, x->size) != 0) fail_msg("%s differs:\n%s", x->name, text);
    }
    assert_int_equal(tw_object_relocation_count(back), tw_object_relocation_count(object));
    assert_int_equal(tw_object_stack_note_count(back), tw_object_stack_note_count(object));
    tw_diags_free(diags);
    tw_object_free(back);
    free(text);
}

static void text_gives_the_same_bytes(void **state)
{
    (void)state;
    tw_object *o = assemble(sample), *elf = through_elf(o);
    check_text_of(o, TW_ISA_IPU2);
    check_text_of(elf, TW_ISA_IPU2);
    tw_object_free(o), tw_object_free(elf);
    o = assemble(".allow_invalid_repeat\nf: .short f@abs16@s3, 0\n bri f + 8\n run $m0, $m1, f\n rpt $m0, n\n.byte "
                 "1\n.byte 2,3,4\n.long f@abs21 + 4\n"
                 "send 1, f, 3\nx = 5\n.data\n.byte 7\n.long f\n.quad f\n.short 1");
    check_text_of(o, TW_ISA_IPU2);
    tw_object_free(o);
    GRand *rand = g_rand_new_with_seed(4);
    for (int i = 0; i < 20; i++) { /* arbitrary words, a third of them with the bundle bit */
        static const tw_isa_arch chips[] = { TW_ISA_IPU1, TW_ISA_IPU2, TW_ISA_IPU21 };
        tw_isa_arch arch = chips[i % 3];
        o = tw_object_new(arch);
        int text = tw_object_section(o, ".text", TW_SECTION_CODE);
        for (int k = 0; k < 1000; k++) {
            const tw_isa_row *row = tw_isa_get((size_t)g_rand_int_range(rand, 0, (int)tw_isa_count()));
            uint32_t word = g_rand_int(rand);
            if (k % 3) word = row->match | (word & ~row->mask);
            tw_object_append(o, text, &word, 4);
        }
        tw_object_append(o, text, "abc", (size_t)i % 4);
        check_text_of(o, arch);
        tw_object_free(o);
    }
    g_rand_free(rand);
}

static void tables_tell_everything(void **state)
{
    (void)state;
    tw_object *o = assemble(sample);
    char *text = tw_object_dump(o, TW_DUMP_SECTIONS | TW_DUMP_SYMBOLS | TW_DUMP_RELOCATIONS | TW_DUMP_STACK);
    static const char *const phrases[] = { ".text.f",       ".data.table",        "R_COLOSSUS_19_S2",
                                           "R_COLOSSUS_20", "*undefined*",        "function",
                                           "*common*",      "own          16  f", "f: g,h" };
    for (size_t i = 0; i < G_N_ELEMENTS(phrases); i++)
        if (!strstr(text, phrases[i])) fail_msg("no '%s' in\n%s", phrases[i], text);
    free(text);
    tw_object_free(o);
}

/* --- linking -------------------------------------------------------------------------------------------------- */

static tw_status link_texts(const char *const *texts, size_t count, const tw_link_options *options,
                            tw_object **image)
{
    tw_link_options own = options ? *options : (tw_link_options){ .entry = NULL };
    own.size = sizeof own;
    tw_object *objects[4];
    for (size_t i = 0; i < count; i++) {
        objects[i] = assemble(texts[i]);
        assert_int_equal(tw_object_set_name(objects[i], ""), TW_OK);
    }
    tw_status status = tw_status_of(*image = tw_link((const tw_object *const *)objects, count, &own, NULL));
    for (size_t i = 0; i < count; i++) tw_object_free(objects[i]);
    return status;
}

static uint32_t address_of(const tw_object *image, const char *name)
{
    int symbol = tw_object_find_symbol(image, name);
    if (symbol < 0) fail_msg("no symbol %s", name);
    return tw_object_get_symbol(image, (size_t)symbol)->value;
}

static void two_files_become_one(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ".section .text.main\n.align 4\n.globl main\n.type main,@function\nmain: call $lr, f\nsetzi $m0, t\nexitz "
        "$mzero\n.size main,.-main\n"
        ".section .text.unused\n.globl unused\nunused: call $lr, nowhere\n",
        ".section .text.f\n.align 8\n.globl f\nf: br $lr\n.section .data.t\n.align 8\n.globl t\nt: .long f, 5\n"
        ".section .data.unused\n.globl u\nu: .long 1\n.weak w\n.long w\n.text\n.globl plain\nplain: nop\n.comm c, "
        "12, 8\n"
    };
    tw_link_options options = { .size = sizeof options, .entry = "main" };
    tw_object *image;
    assert_int_equal(link_texts(texts, 2, &options, &image), TW_OK);
    assert_int_equal(tw_object_find_symbol(image, "unused"), -1);
    assert_int_equal(tw_object_find_symbol(image, "u"), -1);
    assert_int_equal(tw_object_relocation_count(image), 0);
    uint32_t main_at = address_of(image, "main"), f = address_of(image, "f"), t = address_of(image, "t");
    assert_int_equal(main_at, 0x4C000);
    assert_int_equal(tw_object_entry(image), main_at);
    assert_int_equal(f % 8, 0);
    assert_int_equal(t % 8, 0);
    const tw_section *text = section_of(image, ".text.main"), *data = section_of(image, ".data.t");
    assert_int_equal(word_of(text, 0), 0x18A00000 | f >> 2);
    assert_int_equal(word_of(text, 1), 0x19000000 | t);
    assert_int_equal(word_of(data, 0), f);
    assert_int_equal(data->address, t);
    assert_true(address_of(image, "plain") < 0x80000); /* .text stays */
    uint32_t code, bytes;
    tw_link_sizes(image, &code, &bytes);
    assert_int_equal(code, 12 + 4 + 4);
    tw_object *back = through_elf(image);
    same_sections(image, back);
    assert_int_equal(tw_object_entry(back), main_at);
    char *dump = tw_object_dump(back, 31);
    assert_non_null(strstr(dump, "main:"));
    free(dump);
    tw_object_free(back);
    tw_object_free(image);
}

static const struct {
    const char *texts[2];
    tw_link_options options;
    const char *phrase;
} broken[] = {
    { { "call $lr, f\n.if 0\n.endif" }, { 0 }, "'f' is not defined" },
    { { ".globl f\nf: nop", ".globl f\nf: nop" }, { 0 }, "'f' is defined in object 1 and in object 2" },
    { { "nop" }, { .entry = "main" }, "'main' is not defined" },
    { { ".text\n.space 0x34004" }, { 0 }, "region 0 has no room" },
    { { "nop\n.data\n.space 0x70000" }, { 0 }, "no room" },
    { { "nop" }, { .code_address = 0x1000 }, "region 0 begins at 0x4c000" },
    { { ".data\n.byte f\n.text\n.globl f\nf: nop" }, { 0 }, "does not fit the 8 bits" },
    { { "f: nop\nbri f + 2" }, { 0 }, "multiple of 4" },
};

static void programs_that_cannot_be_linked(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(broken); i++) {
        tw_object *image;
        tw_status status = link_texts(broken[i].texts, broken[i].texts[1] ? 2 : 1, &broken[i].options, &image);
        if (status != TW_E_LINK || !strstr(tw_error_message(), broken[i].phrase))
            fail_msg("row %zu: %d %s", i, status, tw_error_message());
        assert_null(image);
    }
    tw_object *a = assemble("nop"), *b = assemble_for(TW_ISA_IPU1, "nop"), *image;
    const tw_object *both[] = { a, b };
    assert_int_equal(tw_status_of(image = tw_link(both, 2, NULL, NULL)), TW_E_INVALID_ARGUMENT);
    tw_object_free(a), tw_object_free(b);
}

static void weak_and_common(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ".weak f\nf: nop\n.comm c, 4, 4\n.data\n.globl p\np: .long f, c, gone\n.weak gone\n",
        ".globl f\n nop\nf: nop\n.comm c, 16, 8\n"
    };
    tw_object *image;
    assert_int_equal(link_texts(texts, 2, NULL, &image), TW_OK);
    assert_int_equal(address_of(image, "f"), 0x4C008);
    assert_int_equal(address_of(image, "c") % 8, 0);
    const tw_section *data = section_of(image, ".data");
    assert_int_equal(word_of(data, 0), address_of(image, "f"));
    assert_int_equal(word_of(data, 1), address_of(image, "c"));
    assert_int_equal(word_of(data, 2), 0);
    tw_object_free(image);
}

static void data_goes_on_in_region_1(void **state)
{
    (void)state;
    static const char *const text[] = {
        "nop\n.data\n.globl a\na: .space 0x33000\n.section .data.b\n.globl b\nb: .space 0x2000\n"
    };
    tw_object *image;
    assert_int_equal(link_texts(text, 1, NULL, &image), TW_OK);
    assert_int_equal(address_of(image, "a"), 0x4C008);
    assert_int_equal(address_of(image, "b"), 0x80000);
    tw_object_free(image);
}

/* --- stack ---------------------------------------------------------------------------------------------------- */

#define FN(name, body)                                                                               \
    ".section .text." name "\n.align 4\n.globl " name "\n.type " name ",@function\n" name ":\n" body \
    "\n.size " name ",.-" name "\n"

static const struct {
    const char *text;
    int bytes; /* negative: an error with the phrase */
    const char *phrase;
} stacks[] = {
    { FN("f", "br $lr") ".stack_total f, 40", 40, NULL },
    { FN("f", "br $lr") ".stack_total .text.f, 24", 24, NULL },
    /* a section with two functions: the size, the largest of both, holds for each (guide 7.3.1) */
    { ".section .text.two\n.align 4\n.globl f, g\n.type f,@function\nf: call $lr, g\nbr $lr\n.size f,.-f\n"
      ".type g,@function\ng: br $lr\n.size g,.-g\n.stack_own .text.two, 24",
      48, NULL },
    { ".section .text.two\n.align 4\n.globl f, g\n.type f,@function\nf: call $lr, g\nbr $lr\n.size f,.-f\n"
      ".type g,@function\ng: br $lr\n.size g,.-g\n.stack_own .text.two, 24\n.stack_own g, 8",
      -1, "stated more than once" },
    { FN("f", "call $lr, g\ncall $lr, h\nbr $lr") FN("g", "br $lr")
          FN("h", "br $lr") ".stack_own f, 8\n.stack_own g, 16\n.stack_own h, 32",
      40, NULL },
    { FN("f", "call $lr, g\nbr $lr") FN("g", "call $lr, h\nbr $lr")
          FN("h", "br $lr") ".stack_own f, 8\n.stack_own g, 16\n.stack_own h, 32",
      56, NULL },
    { FN("f", "call $lr, g\nbr $lr") FN("g", "call $lr, h\nbr $lr")
          FN("h", "br $lr") /* a total is not looked into */
      ".stack_own f, 8\n.stack_total g, 16",
      24, NULL },
    { FN("f", "bri g") FN("g", "br $lr") ".stack_own f, 8\n.stack_own g, 4", 12, NULL }, /* jumped to */
    { FN("f", "brz $m0, g\nbr $lr") FN("g", "br $lr") ".stack_own f, 8\n.stack_own g, 4", 12, NULL },
    { FN("f", "1: brnz $m0, 1b\nbr $lr") ".stack_own f, 8", 8, NULL },
    { FN("f", "br $m1") FN("a", "br $lr")
          FN("b", "br $lr") ".stack_own f, 8\n.stack_calls f, a, b\n.stack_own a, 4\n.stack_total b, 100",
      108, NULL },
    { FN("f", "call $lr, f\nbr $lr") ".stack_total f, 800", 800, NULL },
    { FN("f", "br $lr"), -1, "the stack of 'f' is not stated" },
    { FN("f", "call $lr, g\nbr $lr") FN("g", "br $lr") ".stack_own f, 8", -1, "the stack of 'g' is not stated" },
    { FN("f", "call $lr, g\nbr $lr") FN("g", "br $lr") ".stack_own f, 8", -1, "called by f" },
    { FN("f", "br $lr") ".stack_total f, 8\n.stack_own .text.f, 8", -1, "stated more than once" },
    { FN("f", "call $lr, f\nbr $lr") ".stack_own f, 8", -1, "'f' calls itself" },
    { FN("f", "call $lr, g\nbr $lr") FN("g", "call $lr, f\nbr $lr") ".stack_own f, 8\n.stack_own g, 8", -1,
      "calls itself" },
    { FN("f", "br $m1") ".stack_own f, 8", -1, "jumps through a register" },
    { FN("f", "br $m1") ".stack_total f, 8", 8, NULL },
    { FN("g", "br $lr") ".stack_total g, 8", -1, "no function 'f'" },
};

static void stack_of_programs(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(stacks); i++) {
        tw_object *image;
        uint32_t bytes = 0;
        if (link_texts(&stacks[i].text, 1, NULL, &image) != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        tw_status status = tw_stack_need(image, "f", &bytes);
        if (stacks[i].bytes >= 0) {
            if (status != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
            if ((int)bytes != stacks[i].bytes) fail_msg("row %zu: %u bytes", i, bytes);
        } else if (status == TW_OK || !strstr(tw_error_message(), stacks[i].phrase)) {
            fail_msg("row %zu: %d %s", i, status, tw_error_message());
        }
        tw_object_free(image);
    }
}

/* Stated in two files: both are kept, so that the graph that uses the function cannot be built. */
static void stack_stated_in_two_files(void **state)
{
    (void)state;
    static const char *const texts[] = { FN("f", "br $lr") ".stack_total f, 8",
                                         FN("x", "bri f") ".stack_total f, 16" };
    tw_object *image;
    uint32_t bytes;
    assert_int_equal(link_texts(texts, 2, NULL, &image), TW_OK);
    assert_int_equal(tw_stack_need(image, "f", &bytes), TW_E_LINK);
    assert_non_null(strstr(tw_error_message(), "more than once"));
    tw_object_free(image);
}

/* Of two definitions of a function, the one that the name stands for says what stack it takes. */
static void stack_of_the_definition_that_won(void **state)
{
    (void)state;
    static const char weak[] =
        FN("f", "call $lr, g\nbr $lr") ".stack_own f, 8\n" FN("g", "br $lr") ".stack_own g, 16\n.weak g\n";
    static const struct {
        const char *other;
        uint32_t bytes;
    } rows[] = {
        { FN("g", "br $lr") ".stack_own g, 24\n.weak g\n", 24 }, /* of two weak ones the first */
        { FN("g", "br $lr") ".stack_own g, 40", 48 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *texts[] = { weak, rows[i].other };
        tw_object *image;
        uint32_t bytes;
        assert_int_equal(link_texts(texts, 2, NULL, &image), TW_OK);
        if (tw_stack_need(image, "f", &bytes) != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        assert_int_equal(bytes, rows[i].bytes);
        tw_object_free(image);
    }
}

/* --- the interface by hand ------------------------------------------------------------------------------------ */

static void code_without_text(void **state)
{
    (void)state;
    tw_object *o = tw_object_new(TW_ISA_IPU2);
    int text = tw_object_section(o, ".text.f", TW_SECTION_CODE), f = tw_object_symbol(o, "f"),
        g = tw_object_symbol(o, "g");
    assert_int_equal(tw_object_define(o, f, text, 0, TW_SYMBOL_FUNCTION), TW_OK);
    assert_int_equal(tw_object_bind(o, f, TW_SYMBOL_GLOBAL), TW_OK);
    tw_insn insn = { .row = TW__OP_call, .operands = { 10, 0 } };
    assert_int_equal(tw_object_emit(o, text, &insn), TW_OK);
    assert_int_equal(tw_object_relocate(o, text, 0, TW_R_COLOSSUS_19_S2, g, 4), TW_OK);
    insn = (tw_insn){ .row = TW__OP_br, .operands = { 10 } };
    assert_int_equal(tw_object_emit(o, text, &insn), TW_OK);
    assert_int_equal(tw_object_align(o, text, 16), TW_OK);
    const tw_section *s = tw_object_get_section(o, (size_t)text);
    assert_int_equal(s->size, 16);
    assert_int_equal(word_of(s, 1), 0x43A00000);
    assert_int_equal(word_of(s, 3), 0x19E00000);
    insn = (tw_insn){ .row = TW__OP_ldb8_r };
    assert_int_equal(tw_object_emit(o, text, &insn), TW_E_NOT_SUPPORTED);
    assert_int_equal(tw_object_append(o, 7, NULL, 1), TW_E_INDEX);
    assert_int_equal(tw_object_append(o, text, NULL, 3 << 20), TW_E_OVERFLOW);
    assert_int_equal(tw_object_align(o, text, 3), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_object_patch(o, text, 15, "ab", 2), TW_E_INDEX);
    assert_int_equal(tw_object_relocate(o, text, 0, (tw_relocation_type)10, g, 0), TW_E_INVALID_ARGUMENT);
    assert_int_equal(tw_object_define(o, 99, text, 0, TW_SYMBOL_NOTYPE), TW_E_INDEX);
    assert_int_equal(tw_object_symbol(o, "f"), f);
    tw_object_free(o);
    tw_object_free(NULL);
}

/* One allocation after the other fails: an ordinary error each time, nothing lost, and success when none fails. */
static tw_status make_all(char **dump)
{
    static const char other[] = ".globl g, h\ng: h: br $lr\n.stack_total g, 8\n";
    static const char more[] =
        ".macro m a\n.long \\a\n.endm\n.data\nm 1\nm 2f - 1f\n1: .rept 2\n.byte 1\n.endr\n2:\n";
    g_autofree char *text = g_strconcat(sample, more, NULL);
    tw_object *object = NULL, *back = NULL, *image = NULL, *g = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    uint32_t stack;
    tw_status status = tw_status_of(object = tw_asm_text(text, strlen(text), "test.S", NULL, NULL));
    if (status == TW_OK) status = tw_status_of(g = tw_asm_text(other, sizeof other - 1, "g.S", NULL, NULL));
    if (status == TW_OK) status = tw_status_of(bytes = tw_object_to_elf(object, &size));
    if (status == TW_OK) status = tw_status_of(back = tw_object_from_elf(bytes, size, "test.o"));
    const tw_object *both[] = { back, g };
    if (status == TW_OK) status = tw_status_of(image = tw_link(both, 2, NULL, NULL));
    if (status == TW_OK) status = tw_stack_need(image, "f", &stack);
    *dump = status == TW_OK ? tw_object_dump(image, 31) : NULL;
    if (status == TW_OK && !*dump) status = TW_E_NO_MEMORY;
    free(bytes);
    tw_object_free(object), tw_object_free(back), tw_object_free(image), tw_object_free(g);
    return status;
}

static void out_of_memory(void **state)
{
    (void)state;
    char *good, *dump;
    unsigned long failed = 0;
    if (make_all(&good) != TW_OK) fail_msg("%s", tw_error_message());
    for (unsigned long nth = 1, left = 0; !left; nth++) {
        tw__fail_allocation(nth);
        tw_status status = make_all(&dump);
        left = tw__fail_allocation(0);
        if (status == TW_OK)
            assert_string_equal(dump, good); /* what failed was not needed, such as room for messages */
        else if (status != TW_E_NO_MEMORY)
            fail_msg("allocation %lu: %d %s", nth, status, tw_error_message());
        failed += status != TW_OK;
        free(dump);
    }
    assert_true(failed > 20);
    free(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_relocations),
        cmocka_unit_test(elf_keeps_everything),
        cmocka_unit_test(elf_header),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(text_gives_the_same_bytes),
        cmocka_unit_test(tables_tell_everything),
        cmocka_unit_test(two_files_become_one),
        cmocka_unit_test(programs_that_cannot_be_linked),
        cmocka_unit_test(weak_and_common),
        cmocka_unit_test(data_goes_on_in_region_1),
        cmocka_unit_test(stack_of_programs),
        cmocka_unit_test(stack_stated_in_two_files),
        cmocka_unit_test(stack_of_the_definition_that_won),
        cmocka_unit_test(code_without_text),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
