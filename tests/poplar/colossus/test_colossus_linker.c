/* SPDX-License-Identifier: MIT */
/* The linker's rules one by one: messages, limits of the memory, which definition wins, what is left out, names and
 * notes of the image, bounds of functions in the stack analysis (guide 7.2, 7.3.1, 7.5.1; Colossus ISA, ELF). */
#include "asm_test.h"

#include <elf.h>
#include <stdlib.h>
#include <tilewright/poplar/colossus/link.h>

/* Objects of the texts: a.s, b.s, ... */
static tw_status link_for(tw_isa_arch arch, const char *const *texts, size_t count, const tw_link_options *options,
                          tw_diags *diags, tw_object **image)
{
    static const char *const names[] = { "a.s", "b.s", "c.s", "d.s" };
    tw_link_options own = options ? *options : (tw_link_options){ .entry = NULL };
    own.size = sizeof own;
    tw_object *objects[4];
    for (size_t i = 0; i < count; i++) {
        objects[i] = assemble_for(arch, texts[i]);
        assert_int_equal(tw_object_set_name(objects[i], names[i]), TW_OK);
    }
    tw_status status = tw_status_of(*image = tw_link((const tw_object *const *)objects, count, &own, diags));
    for (size_t i = 0; i < count; i++) tw_object_free(objects[i]);
    return status;
}

static tw_object *image_of(const char *text, const tw_link_options *options)
{
    tw_object *image;
    if (link_for(TW_ISA_IPU2, &text, 1, options, NULL, &image) != TW_OK)
        fail_msg("%s\n%s", tw_error_message(), text);
    return image;
}

static const tw_symbol *symbol_of(const tw_object *image, const char *name)
{
    int symbol = tw_object_find_symbol(image, name);
    if (symbol < 0) fail_msg("no symbol %s", name);
    return tw_object_get_symbol(image, (size_t)symbol);
}

/* --- messages ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *texts[2];
    tw_link_options options;
    const char *messages[2];
} broken[] = {
    { { "nop\ncall $lr, f" }, { 0 }, { "'f' is not defined; a.s uses it in .text" } },
    { { "nop", ".section .data.t, \"aw\"\n.long f, g" },
      { 0 },
      { "'f' is not defined; b.s uses it in .data.t", "'g' is not defined; b.s uses it in .data.t" } },
    { { ".globl f\nf: nop", ".globl f\nf: nop" }, { 0 }, { "'f' is defined in a.s and in b.s" } },
    { { "nop" }, { .entry = "main" }, { "'main' is not defined" } },
    { { "nop" },
      { .keep = (const char *const[]){ "one", "two", NULL } },
      { "'one' is not defined", "'two' is not defined" } },
    { {
          "nop\nf: nop\n.stack_own f, 8\n.stack_calls f, ghost",
      },
      { 0 },
      { "'ghost' is not defined" } },
    { { ".space 0x34004" },
      { 0 },
      { "code needs 212996 bytes, and region 0 has no room for it: it ends at 0x80000" } },
    { { ".section .text.a\n.space 0x34000\n.section .text.b, \"ax\"\nnop" },
      { 0 },
      { "code needs 212996 bytes, and region 0 has no room for it: it ends at 0x80000" } },
    { { ".data\n.space 0x68001" }, { 0 }, { "data needs 425985 bytes, and the tile's memory has no room for it" } },
    { { "nop" }, { .code_address = 0x4bffc }, { "code cannot lie at 0x4bffc: region 0 begins at 0x4c000" } },
    { { "nop" },
      { .code_address = 0x80000 },
      { "code needs 4 bytes, and region 0 has no room for it: it ends at 0x80000" } },
    { { "nop\n.data\n.long 1" },
      { .data_address = 0x4bffc },
      { "data cannot lie at 0x4bffc: the memory begins at 0x4c000" } },
    { { "nop\n.data\n.long 1, 2" },
      { .data_address = 0xe7ffc },
      { "data needs 8 bytes, and the tile's memory has no room for it" } },
    { { ".section .interleaved.t, \"ax\"\nnop" },
      { 0 },
      { "'.interleaved.t' is code, which cannot run in region 1" } },
    { { ".section .interleaved.t, \"aw\"\n.space 0x68001" },
      { 0 },
      { "interleaved data needs 425985 bytes, and region 1 has no room for it" } },
    { { ".data\n.byte 0, f\n.text\n.globl f\nf: nop" },
      { 0 },
      { "a.s: .data + 0x1, symbol f: 0x4c000 does not fit the 8 bits of R_COLOSSUS_8" } },
    { { "f: nop\nbri f + 2" }, { 0 }, { "a.s: .text + 0x4: R_COLOSSUS_19_S2 needs a multiple of 4, not 0x4c002" } },
    { { "bri far", ".globl far\nfar = 0x200000" },
      { 0 },
      { "a.s: .text + 0x0, symbol far: 0x200000 does not fit the 19 bits of R_COLOSSUS_19_S2" } },
    { { ".long t\n.section notes\nt: .long 5" }, { 0 }, { "'' is in section 'notes', which takes no memory" } },
};

static void messages_of_the_linker(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(broken); i++) {
        tw_object *image;
        tw_diags *diags = tw_diags_new();
        tw_status status =
            link_for(TW_ISA_IPU2, broken[i].texts, broken[i].texts[1] ? 2 : 1, &broken[i].options, diags, &image);
        if (status != TW_E_LINK) fail_msg("row %zu: %d", i, status);
        assert_null(image);
        size_t expected = broken[i].messages[1] ? 2 : 1;
        for (size_t k = 0; k < expected; k++) {
            const tw_diag *d = tw_diags_get(diags, k);
            if (!d || strcmp(d->message, broken[i].messages[k]) != 0)
                fail_msg("row %zu: %s\nnot %s", i, d ? d->message : "none", broken[i].messages[k]);
            assert_int_equal(d->severity, TW_ERROR);
        }
        assert_null(tw_diags_get(diags, expected));
        assert_string_equal(tw_error_message(), broken[i].messages[0]);
        tw_diags_free(diags);
    }
}

/* Names: those of the options, else of the objects, else numbers. */
static void names_in_messages(void **state)
{
    (void)state;
    tw_object *a = assemble(".globl f\nf: nop"), *b = assemble(".globl f\nf: nop"), *image;
    const tw_object *both[] = { a, b };
    const char *const names[] = { "x.o", "lib.gp(y.S)" };
    tw_link_options options = { .size = sizeof options, .names = names };
    assert_string_equal(tw_object_name(a), "test.S");
    assert_int_equal(tw_object_set_name(b, "b.o"), TW_OK);
    assert_int_equal(tw_status_of(image = tw_link(both, 2, &options, NULL)), TW_E_LINK);
    assert_string_equal(tw_error_message(), "'f' is defined in x.o and in lib.gp(y.S)");
    assert_int_equal(tw_status_of(image = tw_link(both, 2, NULL, NULL)), TW_E_LINK);
    assert_string_equal(tw_error_message(), "'f' is defined in test.S and in b.o");
    assert_int_equal(tw_object_set_name(a, ""), TW_OK);
    assert_int_equal(tw_object_set_name(b, ""), TW_OK);
    assert_int_equal(tw_status_of(image = tw_link(both, 2, NULL, NULL)), TW_E_LINK);
    assert_string_equal(tw_error_message(), "'f' is defined in object 1 and in object 2");
    assert_int_equal(tw_status_of(image = tw_link(both, 0, NULL, NULL)), TW_E_INVALID_ARGUMENT);
    assert_string_equal(tw_error_message(), "there is nothing to link");
    tw_object_free(b);
    both[1] = b = assemble_for(TW_ISA_IPU21, "nop");
    assert_int_equal(tw_status_of(image = tw_link(both, 2, NULL, NULL)), TW_E_INVALID_ARGUMENT);
    assert_string_equal(tw_error_message(), "the objects are for different chips");
    tw_object_free(a), tw_object_free(b);
}

/* --- places --------------------------------------------------------------------------------------------------- */

static void memory_to_the_last_byte(void **state)
{
    (void)state;
    static const struct {
        tw_isa_arch arch;
        const char *text;
        tw_link_options options;
        const char *symbol;
        uint32_t address;
    } rows[] = {
        { TW_ISA_IPU2, ".space 0x34000\n.globl e\ne:", { 0 }, "e", 0x80000 },
        { TW_ISA_IPU1, ".space 0x20000\n.globl e\ne:", { 0 }, "e", 0x60000 },
        { TW_ISA_IPU1, "nop\n.globl e\ne:", { 0 }, "e", 0x40004 },
        { TW_ISA_IPU21, "nop\n.globl e\ne:", { 0 }, "e", 0x4c004 },
        /* data: behind the code on 8 bytes, then at the start of region 1, then its last byte */
        { TW_ISA_IPU2, "nop\n.data\n.globl d\nd: .byte 1", { 0 }, "d", 0x4c008 },
        { TW_ISA_IPU2, "nop\nnop\n.data\n.globl d\nd: .byte 1", { 0 }, "d", 0x4c008 },
        { TW_ISA_IPU2, ".space 0x33ff8\n.data\n.globl d\nd: .space 8", { 0 }, "d", 0x7fff8 },
        { TW_ISA_IPU2, ".space 0x33ff8\n.data\n.globl d\nd: .space 9", { 0 }, "d", 0x80000 },
        { TW_ISA_IPU2,
          ".space 0x33ff8\n.data\n.byte 1\n.section .data.d\n.align 8\n.globl d\nd: .long 1",
          { 0 },
          "d",
          0x80000 },
        { TW_ISA_IPU2, ".data\n.space 0x68000\n.globl d\nd:", { 0 }, "d", 0xe8000 },
        { TW_ISA_IPU1, ".space 0x20000\n.data\n.space 0x20000\n.globl d\nd:", { 0 }, "d", 0x80000 },
        /* where the options say */
        { TW_ISA_IPU2, "nop\n.globl e\ne:", { .code_address = 0x4c000 }, "e", 0x4c004 },
        { TW_ISA_IPU2, "nop\n.globl e\ne:", { .code_address = 0x7fffc }, "e", 0x80000 },
        { TW_ISA_IPU2, "nop\n.globl e\ne:", { .code_address = 0x50002 }, "e", 0x50008 },
        { TW_ISA_IPU2, "nop\n.data\n.globl d\nd: .long 1", { .data_address = 0x4c000 }, "d", 0x4c000 },
        { TW_ISA_IPU2, "nop\n.data\n.globl d\nd: .long 1", { .data_address = 0xe7ffc }, "d", 0xe7ffc },
        { TW_ISA_IPU2, "nop\n.data\n.globl d\nd: .byte 1", { .data_address = 0x60001 }, "d", 0x60001 },
        { TW_ISA_IPU2, "nop\n.data\n.align 16\n.globl d\nd: .byte 1", { .data_address = 0x60001 }, "d", 0x60010 },
        /* what has to lie in region 1: at its start, before other data; not what is only named alike */
        { TW_ISA_IPU2,
          "nop\n.data\n.byte 1\n.section .interleaved.t, \"a\"\n.align 16\n.globl d\nd: .byte 1",
          { 0 },
          "d",
          0x80000 },
        { TW_ISA_IPU1, "nop\n.section .interleaved, \"aw\"\n.globl d\nd: .byte 1", { 0 }, "d", 0x60000 },
        { TW_ISA_IPU2,
          ".space 0x34000\n.data\n.globl d\nd: .byte 1\n.section .interleaved.t, \"aw\"\n.space 24",
          { 0 },
          "d",
          0x80018 },
        { TW_ISA_IPU2, "nop\n.section .interleavedx, \"aw\"\n.globl d\nd: .byte 1", { 0 }, "d", 0x4c008 },
        { TW_ISA_IPU2,
          ".data\n.globl d\nd: .byte 1\n.section .interleaved.t, \"aw\"\n.space 3",
          { .data_address = 0x80008 },
          "d",
          0x8000b },
        { TW_ISA_IPU2,
          ".section .interleaved.t, \"aw\"\n.globl d\nd: .byte 1\n.data\n.space 8",
          { .data_address = 0x7fffc },
          "d",
          0x80000 },
        { TW_ISA_IPU2,
          ".section .interleaved.t, \"aw\"\n.byte 1\n.data\n.globl d\nd: .space 8",
          { .data_address = 0x7fffc },
          "d",
          0x80001 },
        { TW_ISA_IPU2,
          ".section .interleaved.t, \"aw\"\n.byte 1\n.data\n.globl d\nd: .space 4",
          { .data_address = 0x7fffc },
          "d",
          0x7fffc },
        /* instructions lie on words, whatever the section says */
        { TW_ISA_IPU2, "nop\n.byte 1\n.section .text.f\n.globl f\nf: nop", { 0 }, "f", 0x4c008 },
        { TW_ISA_IPU2, "nop\n.section .text.f\n.align 32\n.globl f\nf: nop", { 0 }, "f", 0x4c020 },
        { TW_ISA_IPU2, "nop\n.data\n.byte 1\n.section .data.x\n.globl d\nd: .byte 2", { 0 }, "d", 0x4c009 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_object *image;
        if (link_for(rows[i].arch, &rows[i].text, 1, &rows[i].options, NULL, &image) != TW_OK)
            fail_msg("row %zu: %s", i, tw_error_message());
        uint32_t address = symbol_of(image, rows[i].symbol)->value;
        if (address != rows[i].address) fail_msg("row %zu: 0x%x", i, address);
        tw_object_free(image);
    }
}

static void where_it_starts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tw_link_options options;
        uint32_t entry, code, data;
    } rows[] = {
        { "nop\nnop\n.globl main\nmain: nop\n.data\n.byte 1", { .entry = "main" }, 0x4c008, 12, 1 },
        { "nop\n.globl main\nmain: nop\n.section .text.x\nnop\n.bss\n.space 8\n.section other\n.long 1",
          { 0 },
          0x4c000,
          12,
          8 },
        { ".section .text.x\nnop\n", { .code_address = 0x50000 }, 0x50000, 4, 0 },
        { ".data\n.long 1", { 0 }, 0, 0, 4 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        tw_object *image = image_of(rows[i].text, &rows[i].options);
        uint32_t code, data;
        tw_link_sizes(image, &code, &data);
        if (tw_object_entry(image) != rows[i].entry || code != rows[i].code || data != rows[i].data)
            fail_msg("row %zu: 0x%x, %u, %u", i, tw_object_entry(image), code, data);
        tw_object_free(image);
    }
}

/* --- what stays ----------------------------------------------------------------------------------------------- */

static void what_is_left_out(void **state)
{
    (void)state;
    static const char text[] =
        ".section .text.a\n.globl a\na: call $lr, b\nnop\n"
        ".section .text.b\n.globl b\nb: setzi $m0, table\n"
        ".section .text.c\n.globl c\nc: nop\nnop\nnop\nbri b\n.stack_calls c, e, d\n.stack_own c, 0\n.stack_own "
        ".text.c, 0\n"
        ".section .text.d\n.globl d\nd: nop\nbri d\n.stack_total d, 4\n.section .text.e\n.globl e\ne: .space 20\n"
        ".section .text.f\n.globl f\nf: nop\n.stack_total f, 4\n.stack_total nowhere, 4\n"
        ".section .data.t\ntable: .long d\n.section .data.u\n.long 1\n.section .rodata\n.long 2\n.bss\n.space 4\n"
        ".section .rodatax, \"a\"\n.long 3\n.section notes\n.long a\n";
    const struct {
        tw_link_options options;
        const char *sections;
        uint32_t bytes[3];
    } rows[] = {
        { { .entry = "a" }, ".text .text.a .text.b .text.d .data.t .rodata .bss", { 0 } },
        { { .entry = "d" }, ".text .text.d .rodata .bss", { 0 } },
        { { .entry = "c" }, ".text .text.b .text.c .text.d .text.e .data.t .rodata .bss", { 0 } },
        { { .keep = (const char *const[]){ "a", "c", NULL } },
          ".text .text.a .text.b .text.c .text.d .text.e .data.t .rodata .bss",
          { 8 + 4 + 8, 16 + 20 } },
        { { .keep = (const char *const[]){ "c", "a", "f", NULL } },
          ".text .text.a .text.b .text.c .text.d .text.e .text.f .data.t .rodata .bss",
          { 16 + 20 + 8 + 4, 8, 4 } },
        { { .entry = "f", .keep = (const char *const[]){ "f", "d", NULL } },
          ".text .text.d .text.f .rodata .bss",
          { 0, 8 } },
        { { .keep = (const char *const[]){ NULL } },
          ".text .text.a .text.b .text.c .text.d .text.e .text.f .data.t .data.u .rodata .bss .rodatax",
          { 0 } },
        { { 0 },
          ".text .text.a .text.b .text.c .text.d .text.e .text.f .data.t .data.u .rodata .bss .rodatax",
          { 0 } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint32_t bytes[3] = { 0 };
        tw_link_options options = rows[i].options;
        options.keep_bytes = bytes;
        tw_object *image = image_of(text, &options);
        g_autoptr(GString) names = g_string_new(NULL);
        const tw_section *s;
        g_auto(GStrv) wanted = g_strsplit(rows[i].sections, " ", -1);
        for (size_t k = 0; (s = tw_object_get_section(image, k)); k++) {
            g_string_append_printf(names, "%s%s", k ? " " : "", s->name);
            if (!g_strv_contains((const char *const *)wanted, s->name)) fail_msg("row %zu: %s is kept", i, s->name);
        }
        if (tw_object_section_count(image) != g_strv_length(wanted))
            fail_msg("row %zu:\n%s\nnot\n%s", i, names->str, rows[i].sections);
        for (size_t k = 0; k < 3; k++)
            if (bytes[k] != rows[i].bytes[k]) fail_msg("row %zu: %zu has %u bytes", i, k, bytes[k]);
        tw_object_free(image);
    }
    /* Notes of what stayed. */
    tw_link_options options = { .size = sizeof options, .entry = "d" };
    tw_object *image = image_of(text, &options);
    assert_int_equal(tw_object_stack_note_count(image), 1);
    assert_string_equal(tw_object_get_stack_note(image, 0)->name, "d");
    tw_object_free(image);
    options.entry = "c";
    image = image_of(text, &options);
    assert_int_equal(tw_object_stack_note_count(image), 4);
    tw_object_free(image);
}

/* --- which definition ----------------------------------------------------------------------------------------- */

/* Strong before common before weak, whichever comes first; of two of a rank the first, two strong ones are an error,
 * of two common ones the larger size and alignment. */
static void ranks_of_definitions(void **state)
{
    (void)state;
    static const char *const forms[] = { ".data\n.weak s\ns: .long 0x%x\n", ".comm s, %u, 4\n",
                                         ".data\n.globl s\ns: .long 0x%x\n" };
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            g_autofree char *first = g_strdup_printf(forms[a], 8), *second = g_strdup_printf(forms[b], 16);
            const char *texts[] = { first, second, ".section .data.p\n.long s" };
            tw_object *image;
            tw_status status = link_for(TW_ISA_IPU2, texts, 3, NULL, NULL, &image);
            if (a == 2 && b == 2) {
                assert_int_equal(status, TW_E_LINK);
                continue;
            }
            assert_int_equal(status, TW_OK);
            const tw_symbol *s = symbol_of(image, "s");
            const tw_section *home = tw_object_get_section(image, (size_t)s->section);
            assert_int_equal(word_of(section_of(image, ".data.p"), 0), s->value);
            int winner = a >= b ? a : b;
            if (winner == 1) {
                assert_string_equal(home->name, ".bss.common");
                assert_int_equal(s->size, a == 1 && b == 1 ? 16 : a == 1 ? 8 : 16);
                assert_int_equal(s->type, TW_SYMBOL_OBJECT);
            } else {
                assert_int_equal(home->data[s->value - home->address], a >= b ? 8 : 16);
                assert_int_equal(s->binding, winner ? TW_SYMBOL_GLOBAL : TW_SYMBOL_WEAK);
            }
            tw_object_free(image);
        }
    /* the alignment of commons */
    const char *texts[] = { ".comm a, 1, 1\n.comm s, 20, 4\n", ".comm s, 4, 64\n.comm z, 4, 4\n" };
    tw_object *image;
    assert_int_equal(link_for(TW_ISA_IPU2, texts, 2, NULL, NULL, &image), TW_OK);
    assert_int_equal(symbol_of(image, "s")->value % 64, 0);
    assert_int_equal(symbol_of(image, "s")->size, 20);
    assert_int_equal(symbol_of(image, "z")->value, symbol_of(image, "s")->value + 20);
    assert_int_equal(symbol_of(image, "a")->value, symbol_of(image, "s")->value - 64);
    assert_int_equal(symbol_of(image, "a")->binding, TW_SYMBOL_GLOBAL);
    tw_object_free(image);
}

static void symbols_of_the_image(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "nop\nlocal: nop\n.Lhidden: nop\n1: bri 1b\n.globl g\n.hidden g\n.type g, @function\ng: nop\n.size g, 4\n"
        ".set seven, 7\n.weak gone\n.long gone\n.section other\nno: .long 1\n",
        "nop\nlocal: nop\n.set seven, 9\n.globl h\n.type h, @object\nh = local\n.data\n.long local, seven, g - 4\n"
    };
    tw_object *image;
    assert_int_equal(link_for(TW_ISA_IPU2, texts, 2, NULL, NULL, &image), TW_OK);
    const tw_symbol *g = symbol_of(image, "g"), *s;
    assert_int_equal(g->value, 0x4c010);
    assert_int_equal(g->size, 4);
    assert_int_equal(g->type, TW_SYMBOL_FUNCTION);
    assert_int_equal(g->binding, TW_SYMBOL_GLOBAL);
    assert_int_equal(g->visibility, 2);
    assert_int_equal(symbol_of(image, "h")->value, 0x4c01c + 0);
    assert_int_equal(tw_object_find_symbol(image, ".Lhidden"), -1);
    assert_int_equal(tw_object_find_symbol(image, "gone"), -1);
    assert_int_equal(tw_object_find_symbol(image, "no"), -1);
    unsigned locals = 0, sevens = 0;
    for (size_t i = 0; (s = tw_object_get_symbol(image, i)); i++) {
        if (strcmp(s->name, "local") == 0) assert_int_equal(s->value, locals++ ? 0x4c01c : 0x4c004);
        if (strcmp(s->name, "seven") == 0) {
            assert_int_equal(s->section, TW_SECTION_ABSOLUTE);
            assert_int_equal(s->value, sevens++ ? 9 : 7);
        }
    }
    assert_int_equal(locals, 2);
    assert_int_equal(sevens, 2);
    const tw_section *data = section_of(image, ".data");
    assert_int_equal(word_of(data, 0), 0x4c01c);
    assert_int_equal(word_of(data, 1), 9);
    assert_int_equal(word_of(data, 2), 0x4c00c);
    /* sections of one name stay apart, with their lines */
    assert_int_equal(section_of(image, ".text#2")->address, 0x4c018);
    assert_int_equal(tw_object_line_at(image, 0, 0)->line, 1);
    tw_object_free(image);
}

/* --- stack ---------------------------------------------------------------------------------------------------- */

#define HEAD(name) ".section .text." name "\n.globl " name "\n.type " name ",@function\n" name ":\n"

static const struct {
    const char *text, *message; /* whole; NULL: there is none */
    uint32_t bytes;
} stacks[] = {
    /* where a function ends: at its size, at the next function, at the end of the section */
    { HEAD("f") "nop\n.size f, 4\nbri g\n" HEAD("g") "nop\n.stack_own f, 8\n.stack_total g, 100", NULL, 8 },
    { HEAD("f") "nop\nbri g\n.size f, 8\n" HEAD("g") "nop\n.stack_own f, 8\n.stack_total g, 100", NULL, 108 },
    { HEAD("f") "nop\nbri g\n.size f, 400\n" HEAD("g") "nop\n.stack_own f, 8\n.stack_total g, 100", NULL, 108 },
    { ".globl f\nf: nop\n.globl h\nh: bri g\n" HEAD("g") "nop\n.stack_own f, 8\n.stack_total g, 100", NULL, 8 },
    { ".globl f\nf: nop\nh: bri g\n" HEAD("g") "nop\n.stack_own f, 8\n.stack_total g, 100", NULL, 108 },
    { ".globl f\nf: nop\nh: bri g\n" HEAD("g") "nop\n.stack_own f, 8\n.stack_total g, 100\n.stack_own h, 1", NULL,
      8 },
    /* two names of one place */
    { ".globl f\n.globl other\nf: other: br $lr\n.stack_own other, 12", NULL, 12 },
    /* into the middle of another function */
    { HEAD("f") "bri g + 4\n" HEAD("g") "nop\nnop\n.stack_own f, 8\n.stack_total g, 100", NULL, 108 },
    { HEAD("f") "brnzdec $m0, g\n" HEAD("g") "nop\n.stack_own f, 8\n.stack_own g, 4", NULL, 12 },
    { HEAD("f") "bri f\n.stack_own f, 8", NULL, 8 },
    { HEAD("f") "bri 0x14000\n.stack_own f, 8", NULL, 8 },
    { HEAD("f") "br $m3\n.stack_own f, 8\n.stack_calls f, g\n" HEAD("g") "nop\n.stack_own g, 4", NULL, 12 },
    { HEAD("f") "br $lr\n.stack_own f, 0", NULL, 0 },
    /* the messages */
    { HEAD("f") "nop\n",
      "test.S:5: the stack of 'f' is not stated: write \"DEF_STACK_USAGE <bytes> f\" (0 for none), or "
      "DEF_STACK_SIZE_OWN "
      "when it calls functions that state theirs (poplar/StackSizeDefs.hpp)",
      0 },
    { HEAD("f") "call $lr, g\n" HEAD("g") "call $lr, h\n" HEAD(
          "h") "call $lr, f\n"
               ".stack_own f, 8\n.stack_own g, 8\n.stack_own h, 8",
      "test.S:5: 'f' calls itself: DEF_STACK_USAGE has to state what all its calls together need; called by f -> g "
      "-> h",
      0 },
    { HEAD("f") "call $lr, g\n" HEAD("g") "nop\nbr $m2\n.stack_own f, 8\n.stack_own g, 8",
      "test.S:10: 'g' jumps through a register: DEF_FUNC_CALL_PTRS has to list where it may go; called by f", 0 },
    { HEAD("f") "br $m2\n.stack_own f, 8\n.stack_calls f, table\n.data\n.globl table\ntable: .long 1",
      "DEF_FUNC_CALL_PTRS names 'table', which is not in the program", 0 },
    { HEAD("f") "nop\n.stack_own f, 8\n.stack_total .text.f, 8",
      "test.S:5: the stack of 'f' is stated more than once", 0 },
};

static void bounds_of_functions(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(stacks); i++) {
        tw_object *image = image_of(stacks[i].text, NULL);
        uint32_t bytes = 12345;
        tw_status status = tw_stack_need(image, "f", &bytes);
        if (status != (stacks[i].message ? TW_E_LINK : TW_OK))
            fail_msg("row %zu: %d %s", i, status, tw_error_message());
        if (stacks[i].message && strcmp(tw_error_message(), stacks[i].message) != 0)
            fail_msg("row %zu:\n%s\nnot\n%s", i, tw_error_message(), stacks[i].message);
        if (!stacks[i].message && bytes != stacks[i].bytes) fail_msg("row %zu: %u bytes", i, bytes);
        tw_object_free(image);
    }
    /* Code that was not assembled has no lines. */
    tw_object *o = tw_object_new(TW_ISA_IPU2), *image;
    const tw_object *one[] = { o };
    uint32_t bytes;
    int text = tw_object_section(o, ".text", TW_SECTION_CODE), f = tw_object_symbol(o, "f");
    assert_int_equal(tw_object_define(o, f, text, 0, TW_SYMBOL_FUNCTION), TW_OK);
    assert_int_equal(tw_object_align(o, text, 32), TW_OK);
    assert_int_equal(tw_object_append(o, text, NULL, 4), TW_OK);
    assert_int_equal(tw_status_of(image = tw_link(one, 1, NULL, NULL)), TW_OK);
    assert_int_equal(section_of(image, ".text")->align, 32);
    assert_int_equal(tw_stack_need(image, "f", &bytes), TW_E_LINK);
    assert_true(g_str_has_prefix(tw_error_message(), "the stack of 'f' is not stated"));
    tw_object_free(o), tw_object_free(image);
    o = assemble("f: nop");
    assert_int_equal(tw_stack_need(o, "f", &bytes), TW_E_INVALID_ARGUMENT);
    tw_object_free(o);
    o = image_of("f: nop", NULL);
    assert_int_equal(tw_stack_need(o, "ff", &bytes), TW_E_SYMBOL);
    assert_string_equal(tw_error_message(), "there is no function 'ff'");
    tw_object_free(o);
}

/* A chain of calls as long as one likes, up to a limit that is told. */
static void long_chains(void **state)
{
    (void)state;
    for (int n = 200; n <= 201; n++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (int i = 0; i < n; i++)
            g_string_append_printf(
                text, ".section .text.f%d\n.globl f%d\n.type f%d,@function\nf%d: %s%.0d\n.stack_own f%d, 4\n", i, i,
                i, i, i + 1 < n ? "nop" : "br $lr", 0, i);
        for (int i = 0; i + 1 < n; i++)
            g_string_append_printf(text, ".section .text.f%d\ncall $lr, f%d\nbr $lr\n", i, i + 1);
        tw_object *image = image_of(text->str, NULL);
        uint32_t bytes = 0;
        tw_status status = tw_stack_need(image, "f0", &bytes);
        assert_int_equal(status, n == 200 ? TW_OK : TW_E_LINK);
        if (n == 200) assert_int_equal(bytes, 800);
        if (n > 200) assert_non_null(strstr(tw_error_message(), "calls are nested too deep at 'f200'"));
        tw_object_free(image);
    }
}

/* --- what other tools write ------------------------------------------------------------------------------------ */

/* An object's file in which the section of this name has another type (System V ABI, chapter 4). */
static tw_object *with_type(const char *text, const char *name, uint32_t type)
{
    tw_object *o = assemble_for(TW_ISA_IPU2, text);
    size_t size;
    uint8_t *bytes = tw_object_to_elf(o, &size);
    Elf32_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    Elf32_Shdr *rows = (Elf32_Shdr *)(void *)(bytes + header.e_shoff);
    const char *names = (const char *)bytes + rows[header.e_shstrndx].sh_offset;
    for (unsigned i = 0; i < header.e_shnum; i++)
        if (strcmp(names + rows[i].sh_name, name) == 0) rows[i].sh_type = type;
    tw_object *back = tw_object_from_elf(bytes, size, "other.o");
    free(bytes), tw_object_free(o);
    return back;
}

/* A function that several files have in a group of their own (COMDAT): the first one is taken. Of a group without
 * that mark each file has its own. */
static void groups_of_one_function(void **state)
{
    (void)state;
    static const char *const marks[] = { "1", "0" };
    for (int plain = 0; plain < 2; plain++) {
        tw_object *objects[2], *image;
        for (int i = 0; i < 2; i++) {
            g_autofree char *text =
                g_strdup_printf(".section .text.f, \"ax\"\n.globl f\n.align 4\nf: setzi $m0, %d\n"
                                "br $lr\n.section group, \"\"\n.align 4\n.long %s, 2\n",
                                i + 5, marks[plain]);
            objects[i] = with_type(text, "group", SHT_GROUP);
            if (!objects[i]) fail_msg("%s", tw_error_message());
        }
        image = tw_link((const tw_object *const *)objects, 2, NULL, NULL);
        if (plain) {
            assert_null(image);
            assert_non_null(strstr(tw_error_message(), "'f' is defined in"));
        } else {
            if (!image) fail_msg("%s", tw_error_message());
            const tw_symbol *f = symbol_of(image, "f");
            const tw_section *s = tw_object_get_section(image, (size_t)f->section);
            assert_int_equal(s->data[f->value - s->address] | s->data[f->value - s->address + 1] << 8, 5);
        }
        tw_object_free(image), tw_object_free(objects[0]), tw_object_free(objects[1]);
    }
    assert_null(with_type(".section .text.f, \"ax\"\nnop\n.section group, \"\"\n.align 4\n.long 1, 77\n", "group",
                          SHT_GROUP));
    assert_non_null(strstr(tw_error_message(), "names section 77"));
}

/* Functions that would run before the program do not: files, texts and calls that ask for them are refused. */
static void nothing_runs_before(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t type;
    } tables[] = { { "a", SHT_INIT_ARRAY }, { "a", SHT_FINI_ARRAY }, { "a", SHT_PREINIT_ARRAY } };
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        assert_null(with_type(".section a, \"aw\"\n.align 4\n.long 0\n", tables[i].name, tables[i].type));
        assert_int_equal(tw_error_status(), TW_E_OBJECT_LOAD);
        assert_non_null(strstr(tw_error_message(), "nothing on a tile runs them"));
    }
    static const char *const names[] = { ".init_array", ".init_array.5", ".ctors", ".fini_array", ".dtors.1" };
    tw_object *o = tw_object_new(TW_ISA_IPU2);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        assert_int_equal(tw_object_section(o, names[i], TW_SECTION_DATA), TW_E_INVALID_ARGUMENT);
        assert_non_null(strstr(tw_error_message(), "nothing on a tile runs them"));
    }
    assert_true(tw_object_section(o, ".init_arrays", TW_SECTION_DATA) >= 0);
    tw_object_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_the_linker),
        cmocka_unit_test(names_in_messages),
        cmocka_unit_test(memory_to_the_last_byte),
        cmocka_unit_test(where_it_starts),
        cmocka_unit_test(what_is_left_out),
        cmocka_unit_test(ranks_of_definitions),
        cmocka_unit_test(symbols_of_the_image),
        cmocka_unit_test(bounds_of_functions),
        cmocka_unit_test(long_chains),
        cmocka_unit_test(groups_of_one_function),
        cmocka_unit_test(nothing_runs_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
