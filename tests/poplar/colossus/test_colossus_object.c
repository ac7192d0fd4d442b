/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* The interface of objects, misused: each wrong argument of each function is refused with its status and leaves the
 * object as it was; whatever calls made of an object, it can be shown, written, read back and linked; and files
 * whose addresses lie are refused (<tilewright/poplar/colossus/object.h>, link.h). */
#include "asm_test.h"

#include <elf.h>
#include <stdlib.h>
#include <tilewright/poplar/colossus/link.h>

/* --- one wrong argument --------------------------------------------------------------------------------------- */

enum { TEXT, BSS, NO_SECTION };                           /* sections of the object below */
enum { F, UNDEFINED, COMMON, SECTION_SYMBOL, NO_SYMBOL }; /* its symbols */

static const tw_insn branch = { .row = TW__OP_br, .operands = { 10 } };
static const tw_insn add = { .row = TW__OP_add_s, .operands = { 1, 2, 3 } };            /* $m1 */
static const tw_insn load = { .row = TW__OP_ld32_az, .operands = { 3, 1, 15, 0 } };     /* $a3 */
static const tw_insn sum = { .row = TW__OP_f32add, .operands = { 3, 1, 2 } };           /* $a3 */
static const tw_insn product = { .row = TW__OP_f32add, .operands = { 4, 1, 2 } };       /* $a4 */
static const tw_insn twice = { .row = TW__OP_ld32step_ms, .operands = { 1, 2, 1, 1 } }; /* $m1, and $m1 += 4 */
static const tw_insn nowhere = { .row = TW__OP_f32add, .operands = { 16, 1, 2 } };
static const tw_insn wide = { .row = TW__OP_add_s, .operands = { 1, 2, 1 << 20 } };

/* Eight bytes of code with `f` and a relocation, eight bytes of room. */
static tw_object *small_object(void)
{
    tw_object *o = tw_object_new(TW_ISA_IPU2);
    assert_int_equal(tw_object_section(o, ".text", TW_SECTION_CODE), TEXT);
    assert_int_equal(tw_object_section(o, ".bss", TW_SECTION_DATA | TW_SECTION_EMPTY), BSS);
    assert_int_equal(tw_object_emit(o, TEXT, &branch), TW_OK);
    assert_int_equal(tw_object_emit(o, TEXT, &branch), TW_OK);
    assert_int_equal(tw_object_append(o, BSS, NULL, 8), TW_OK);
    assert_int_equal(tw_object_symbol(o, "f"), F);
    assert_int_equal(tw_object_symbol(o, "u"), UNDEFINED);
    assert_int_equal(tw_object_symbol(o, "c"), COMMON);
    assert_int_equal(tw_object_section_symbol(o, TEXT), SECTION_SYMBOL);
    assert_int_equal(tw_object_define(o, F, TEXT, 4, TW_SYMBOL_FUNCTION), TW_OK);
    assert_int_equal(tw_object_define(o, COMMON, TW_SECTION_COMMON, 8, TW_SYMBOL_OBJECT), TW_OK);
    assert_int_equal(tw_object_relocate(o, TEXT, 0, TW_R_COLOSSUS_19_S2, SECTION_SYMBOL, 4), TW_OK);
    assert_int_equal(tw_object_add_line(o, TEXT, 0, "f.S", 1), TW_OK);
    return o;
}

#define NOTE(...)             (&(tw_stack_note){ __VA_ARGS__ })
#define BAD_ENUM(type, value) ((type)(value))

/* X(call, status): o is the object above. */
#define MISUSES(X)                                                                                          \
    X(tw_object_set_name(NULL, "x"), TW_E_INVALID_ARGUMENT)                                                 \
    X(tw_object_set_name(o, NULL), TW_E_INVALID_ARGUMENT)                                                   \
    X(tw_object_section(NULL, ".a", 0), TW_E_INVALID_ARGUMENT)                                              \
    X(tw_object_section(o, NULL, 0), TW_E_INVALID_ARGUMENT)                                                 \
    X(tw_object_section(o, ".a", 16), TW_E_INVALID_ARGUMENT)                                                \
    X(tw_object_section(o, ".stack_sizes_ipu", 0), TW_E_INVALID_ARGUMENT)                                   \
    X(tw_object_section(o, ".tw_lines", 0), TW_E_INVALID_ARGUMENT)                                          \
    X(tw_object_append(NULL, TEXT, "a", 1), TW_E_INVALID_ARGUMENT)                                          \
    X(tw_object_append(o, -1, "a", 1), TW_E_INDEX)                                                          \
    X(tw_object_append(o, NO_SECTION, "a", 1), TW_E_INDEX)                                                  \
    X(tw_object_append(o, TEXT, NULL, (1 << 21) - 7), TW_E_OVERFLOW)                                        \
    X(tw_object_append(o, TEXT, NULL, SIZE_MAX), TW_E_OVERFLOW)                                             \
    X(tw_object_append(o, BSS, "a", 1), TW_E_INVALID_ARGUMENT)                                              \
    X(tw_object_align(NULL, TEXT, 4), TW_E_INVALID_ARGUMENT)                                                \
    X(tw_object_align(o, NO_SECTION, 4), TW_E_INDEX)                                                        \
    X(tw_object_align(o, TEXT, 0), TW_E_INVALID_ARGUMENT)                                                   \
    X(tw_object_align(o, TEXT, 6), TW_E_INVALID_ARGUMENT)                                                   \
    X(tw_object_align(o, TEXT, 1u << 22), TW_E_INVALID_ARGUMENT)                                            \
    X(tw_object_raise_align(o, TEXT, 1u << 31), TW_E_INVALID_ARGUMENT)                                      \
    X(tw_object_raise_align(o, -2, 4), TW_E_INDEX)                                                          \
    X(tw_object_emit(NULL, TEXT, &branch), TW_E_INVALID_ARGUMENT)                                           \
    X(tw_object_emit(o, TEXT, NULL), TW_E_INVALID_ARGUMENT)                                                 \
    X(tw_object_emit(o, NO_SECTION, &branch), TW_E_INDEX)                                                   \
    X(tw_object_emit(o, BSS, &branch), TW_E_INVALID_ARGUMENT)                                               \
    X(tw_object_emit(o, TEXT, (&(tw_insn){ .row = UINT16_MAX })), TW_E_INDEX)                               \
    X(tw_object_emit_bundle(NULL, TEXT, &add, &product), TW_E_INVALID_ARGUMENT)                             \
    X(tw_object_emit_bundle(o, NO_SECTION, &add, &product), TW_E_INDEX)                                     \
    X(tw_object_emit_bundle(o, BSS, &add, &product), TW_E_INVALID_ARGUMENT)                                 \
    X(tw_object_emit_bundle(o, TEXT, NULL, &product), TW_E_INVALID_ARGUMENT)                                \
    X(tw_object_emit_bundle(o, TEXT, &add, NULL), TW_E_INVALID_ARGUMENT)                                    \
    X(tw_object_emit_bundle(o, TEXT, &product, &add), TW_E_INVALID_ARGUMENT)                                \
    X(tw_object_emit_bundle(o, TEXT, &add, &add), TW_E_INVALID_ARGUMENT)                                    \
    X(tw_object_emit_bundle(o, TEXT, &product, &sum), TW_E_INVALID_ARGUMENT)                                \
    X(tw_object_emit_bundle(o, TEXT, &load, &sum), TW_E_INVALID_ARGUMENT)                                   \
    X(tw_object_emit_bundle(o, TEXT, &twice, &product), TW_E_INVALID_ARGUMENT)                              \
    X(tw_object_emit_bundle(o, TEXT, &add, &nowhere), TW_E_INDEX)                                           \
    X(tw_object_emit_bundle(o, TEXT, &wide, &product), TW_E_OVERFLOW)                                       \
    X(tw_object_emit_bundle(o, TEXT, (&(tw_insn){ .row = UINT16_MAX }), &product), TW_E_INDEX)              \
    X(tw_object_check_repeats(NULL, TEXT), TW_E_INVALID_ARGUMENT)                                           \
    X(tw_object_check_repeats(o, NO_SECTION), TW_E_INDEX)                                                   \
    X(tw_object_check_repeats(o, BSS), TW_E_INVALID_ARGUMENT)                                               \
    X(tw_object_relocate_operand(NULL, TEXT, 0, 0, F, 0), TW_E_INVALID_ARGUMENT)                            \
    X(tw_object_relocate_operand(o, BSS, 0, 0, F, 0), TW_E_INVALID_ARGUMENT)                                \
    X(tw_object_relocate_operand(o, TEXT, 2, 0, F, 0), TW_E_INDEX)                                          \
    X(tw_object_relocate_operand(o, TEXT, 8, 0, F, 0), TW_E_INDEX)                                          \
    X(tw_object_relocate_operand(o, TEXT, UINT32_MAX - 3, 0, F, 0), TW_E_INDEX)                             \
    X(tw_object_relocate_operand(o, TEXT, 4, 0, F, 0), TW_E_INVALID_ARGUMENT)                               \
    X(tw_object_relocate_operand(o, TEXT, 4, 1, F, 0), TW_E_INDEX)                                          \
    X(tw_object_patch(NULL, TEXT, 0, "a", 1), TW_E_INVALID_ARGUMENT)                                        \
    X(tw_object_patch(o, TEXT, 8, "a", 1), TW_E_INDEX)                                                      \
    X(tw_object_patch(o, TEXT, 7, "ab", 2), TW_E_INDEX)                                                     \
    X(tw_object_patch(o, TEXT, 9, "a", 0), TW_E_INDEX)                                                      \
    X(tw_object_patch(o, TEXT, 4, "a", SIZE_MAX), TW_E_INDEX)                                               \
    X(tw_object_patch(o, TEXT, UINT32_MAX, "a", 1), TW_E_INDEX)                                             \
    X(tw_object_patch(o, TEXT, 0, NULL, 1), TW_E_INVALID_ARGUMENT)                                          \
    X(tw_object_patch(o, BSS, 0, "a", 1), TW_E_INDEX)                                                       \
    X(tw_object_symbol(NULL, "f"), TW_E_INVALID_ARGUMENT)                                                   \
    X(tw_object_symbol(o, NULL), TW_E_INVALID_ARGUMENT)                                                     \
    X(tw_object_find_symbol(NULL, "f"), -1)                                                                 \
    X(tw_object_find_symbol(o, NULL), -1)                                                                   \
    X(tw_object_section_symbol(NULL, TEXT), TW_E_INVALID_ARGUMENT)                                          \
    X(tw_object_section_symbol(o, NO_SECTION), TW_E_INDEX)                                                  \
    X(tw_object_define(NULL, F, TEXT, 0, TW_SYMBOL_NOTYPE), TW_E_INVALID_ARGUMENT)                          \
    X(tw_object_define(o, NO_SYMBOL, TEXT, 0, TW_SYMBOL_NOTYPE), TW_E_INDEX)                                \
    X(tw_object_define(o, UNDEFINED, NO_SECTION, 0, TW_SYMBOL_NOTYPE), TW_E_INDEX)                          \
    X(tw_object_define(o, UNDEFINED, TW_SECTION_COMMON - 1, 0, TW_SYMBOL_NOTYPE), TW_E_INDEX)               \
    X(tw_object_define(o, UNDEFINED, TEXT, 9, TW_SYMBOL_NOTYPE), TW_E_INDEX)                                \
    X(tw_object_define(o, UNDEFINED, BSS, UINT32_MAX, TW_SYMBOL_NOTYPE), TW_E_INDEX)                        \
    X(tw_object_define(o, UNDEFINED, TEXT, 0, BAD_ENUM(tw_symbol_type, 5)), TW_E_INVALID_ARGUMENT)          \
    X(tw_object_define(o, UNDEFINED, TEXT, 0, BAD_ENUM(tw_symbol_type, -1)), TW_E_INVALID_ARGUMENT)         \
    X(tw_object_define(o, UNDEFINED, TEXT, 0, TW_SYMBOL_SECTION), TW_E_INVALID_ARGUMENT)                    \
    X(tw_object_define(o, UNDEFINED, TW_SECTION_COMMON, 0, TW_SYMBOL_OBJECT), TW_E_INVALID_ARGUMENT)        \
    X(tw_object_define(o, UNDEFINED, TW_SECTION_COMMON, 12, TW_SYMBOL_OBJECT), TW_E_INVALID_ARGUMENT)       \
    X(tw_object_define(o, UNDEFINED, TW_SECTION_COMMON, 1u << 22, TW_SYMBOL_OBJECT), TW_E_INVALID_ARGUMENT) \
    X(tw_object_define(o, F, TEXT, 0, TW_SYMBOL_FUNCTION), TW_E_INVALID_ARGUMENT)                           \
    X(tw_object_define(o, F, BSS, 4, TW_SYMBOL_FUNCTION), TW_E_INVALID_ARGUMENT)                            \
    X(tw_object_define(o, COMMON, TEXT, 0, TW_SYMBOL_OBJECT), TW_E_INVALID_ARGUMENT)                        \
    X(tw_object_define(o, SECTION_SYMBOL, TEXT, 0, TW_SYMBOL_NOTYPE), TW_E_INVALID_ARGUMENT)                \
    X(tw_object_bind(NULL, F, TW_SYMBOL_GLOBAL), TW_E_INVALID_ARGUMENT)                                     \
    X(tw_object_bind(o, -1, TW_SYMBOL_GLOBAL), TW_E_INDEX)                                                  \
    X(tw_object_bind(o, F, BAD_ENUM(tw_symbol_binding, 3)), TW_E_INVALID_ARGUMENT)                          \
    X(tw_object_bind(o, SECTION_SYMBOL, TW_SYMBOL_GLOBAL), TW_E_INVALID_ARGUMENT)                           \
    X(tw_object_set_visibility(o, NO_SYMBOL, 0), TW_E_INDEX)                                                \
    X(tw_object_set_visibility(o, F, 4), TW_E_INVALID_ARGUMENT)                                             \
    X(tw_object_set_visibility(o, F, 256), TW_E_INVALID_ARGUMENT)                                           \
    X(tw_object_set_size(o, NO_SYMBOL, 0), TW_E_INDEX)                                                      \
    X(tw_object_set_size(o, COMMON, (1 << 21) + 1), TW_E_INVALID_ARGUMENT)                                  \
    X(tw_object_set_type(o, NO_SYMBOL, TW_SYMBOL_OBJECT), TW_E_INDEX)                                       \
    X(tw_object_set_type(o, F, BAD_ENUM(tw_symbol_type, 7)), TW_E_INVALID_ARGUMENT)                         \
    X(tw_object_set_type(o, F, TW_SYMBOL_SECTION), TW_E_INVALID_ARGUMENT)                                   \
    X(tw_object_relocate(NULL, TEXT, 0, TW_R_COLOSSUS_32, F, 0), TW_E_INVALID_ARGUMENT)                     \
    X(tw_object_relocate(o, NO_SECTION, 0, TW_R_COLOSSUS_32, F, 0), TW_E_INDEX)                             \
    X(tw_object_relocate(o, TEXT, 5, TW_R_COLOSSUS_32, F, 0), TW_E_INDEX)                                   \
    X(tw_object_relocate(o, TEXT, 1, TW_R_COLOSSUS_64, F, 0), TW_E_INDEX)                                   \
    X(tw_object_relocate(o, TEXT, 8, TW_R_COLOSSUS_NONE, F, 0), TW_E_INDEX)                                 \
    X(tw_object_relocate(o, TEXT, 1 << 20, TW_R_COLOSSUS_8, F, 0), TW_E_INDEX)                              \
    X(tw_object_relocate(o, TEXT, UINT32_MAX, TW_R_COLOSSUS_32, F, 0), TW_E_INDEX)                          \
    X(tw_object_relocate(o, BSS, 0, TW_R_COLOSSUS_32, F, 0), TW_E_INVALID_ARGUMENT)                         \
    X(tw_object_relocate(o, TEXT, 0, BAD_ENUM(tw_relocation_type, 10), F, 0), TW_E_INVALID_ARGUMENT)        \
    X(tw_object_relocate(o, TEXT, 0, BAD_ENUM(tw_relocation_type, 18), F, 0), TW_E_INVALID_ARGUMENT)        \
    X(tw_object_relocate(o, TEXT, 0, TW_R_COLOSSUS_32, -1, 0), TW_E_INDEX)                                  \
    X(tw_object_relocate(o, TEXT, 0, TW_R_COLOSSUS_32, NO_SYMBOL, 0), TW_E_INDEX)                           \
    X(tw_relocation_apply(TW_ISA_ALL, TW_R_COLOSSUS_RUN, 0, (uint8_t[4]){ 0 }), TW_E_INVALID_ARGUMENT)      \
    X(tw_relocation_apply(TW_ISA_IPU2, TW_R_COLOSSUS_32, 0, NULL), TW_E_INVALID_ARGUMENT)                   \
    X(tw_object_add_stack_note(NULL, NOTE(TW_STACK_OWN, "f", 4, NULL)), TW_E_INVALID_ARGUMENT)              \
    X(tw_object_add_stack_note(o, NULL), TW_E_INVALID_ARGUMENT)                                             \
    X(tw_object_add_stack_note(o, NOTE(TW_STACK_OWN, NULL, 4, NULL)), TW_E_INVALID_ARGUMENT)                \
    X(tw_object_add_stack_note(o, NOTE(TW_STACK_OWN, "", 4, NULL)), TW_E_INVALID_ARGUMENT)                  \
    X(tw_object_add_stack_note(o, NOTE(TW_STACK_OWN, "f g", 4, NULL)), TW_E_INVALID_ARGUMENT)               \
    X(tw_object_add_stack_note(o, NOTE(TW_STACK_TOTAL, "f", (1 << 21) + 1, NULL)), TW_E_INVALID_ARGUMENT)   \
    X(tw_object_add_stack_note(o, NOTE(BAD_ENUM(tw_stack_kind, 3), "f", 4, NULL)), TW_E_INVALID_ARGUMENT)   \
    X(tw_object_add_line(NULL, TEXT, 0, "a", 1), TW_E_INVALID_ARGUMENT)                                     \
    X(tw_object_add_line(o, NO_SECTION, 0, "a", 1), TW_E_INDEX)                                             \
    X(tw_object_add_line(o, TEXT, 0, NULL, 1), TW_E_INVALID_ARGUMENT)                                       \
    X(tw_object_add_line(o, TEXT, 9, "a", 1), TW_E_INDEX)                                                   \
    X(tw_object_write(NULL, "/tmp/x"), TW_E_INVALID_ARGUMENT)                                               \
    X(tw_object_write(o, NULL), TW_E_INVALID_ARGUMENT)                                                      \
    X(tw_status_of(bytes = tw_object_to_elf(NULL, &size)), TW_E_INVALID_ARGUMENT)                           \
    X(tw_status_of(bytes = tw_object_to_elf(o, NULL)), TW_E_INVALID_ARGUMENT)                               \
    X(tw_status_of(other = tw_object_read(NULL)), TW_E_INVALID_ARGUMENT)                                    \
    X(tw_status_of(other = tw_object_from_elf(NULL, 1, "x")), TW_E_INVALID_ARGUMENT)                        \
    X(tw_status_of(other = tw_object_from_elf((const uint8_t *)"", 0, NULL)), TW_E_INVALID_ARGUMENT)        \
    X(tw_status_of(other = tw_link(NULL, 1, NULL, NULL)), TW_E_INVALID_ARGUMENT)                            \
    X(tw_status_of(other = tw_link(&none, 1, NULL, NULL)), TW_E_INVALID_ARGUMENT)                           \
    X(tw_status_of(other = tw_link(&one, 0, NULL, NULL)), TW_E_INVALID_ARGUMENT)                            \
    X(tw_stack_need(NULL, "f", &need), TW_E_INVALID_ARGUMENT)                                               \
    X(tw_stack_need(o, "f", &need), TW_E_INVALID_ARGUMENT)

static char *whole(const tw_object *o)
{
    char *text = tw_object_dump(o, 31);
    assert_non_null(text);
    return text;
}

static void wrong_arguments(void **state)
{
    (void)state;
    tw_object *o = small_object(), *other = NULL;
    const tw_object *none = NULL, *one = o;
    uint8_t *bytes = NULL;
    size_t size = 0;
    uint32_t need = 0;
    char *before = whole(o);
#define REFUSED(call, expected)                                                               \
    do {                                                                                      \
        int got = (int)(call);                                                                \
        if (got != (expected)) fail_msg("%s gives %d: %s", #call, got, tw_error_message());   \
        if (!*tw_error_message()) fail_msg("%s says nothing", #call);                         \
        char *after = whole(o);                                                               \
        if (strcmp(before, after) != 0) fail_msg("%s changed the object:\n%s", #call, after); \
        free(after);                                                                          \
    } while (0);
    MISUSES(REFUSED)
#undef REFUSED
    free(before);
    tw_object_free(o);
}

/* A loop and a call made by calls are those that the assembler makes of the text. */
static const tw_insn repeat = { .row = TW__OP_rpt_m, .operands = { 2, 1 } };
static const tw_insn nop = { .row = TW__OP_setzi_m, .operands = { 14, 0 } };
static const tw_insn call = { .row = TW__OP_call, .operands = { 10, 0 } };

static tw_object *code_by_calls(const tw_insn *first, const tw_insn *body, bool in_bundle)
{
    tw_object *o = tw_object_new(TW_ISA_IPU2);
    assert_int_equal(tw_object_section(o, ".text", TW_SECTION_CODE), TEXT);
    assert_int_equal(tw_object_raise_align(o, TEXT, 8), TW_OK);
    if (first) assert_int_equal(tw_object_emit(o, TEXT, first), TW_OK);
    assert_int_equal(tw_object_emit(o, TEXT, &repeat), TW_OK);
    assert_int_equal(tw_object_emit_bundle(o, TEXT, &add, &product), TW_OK);
    if (in_bundle)
        assert_int_equal(tw_object_emit_bundle(o, TEXT, body, &sum), TW_OK);
    else
        assert_int_equal(tw_object_emit(o, TEXT, body), TW_OK);
    return o;
}

static void code_as_assembled(void **state)
{
    (void)state;
    tw_object *o = code_by_calls(&nop, &add, true);
    assert_int_equal(tw_object_check_repeats(o, TEXT), TW_OK);
    assert_int_equal(tw_object_emit(o, TEXT, &call), TW_OK);
    int f = tw_object_symbol(o, "f");
    assert_int_equal(tw_object_bind(o, f, TW_SYMBOL_GLOBAL), TW_OK);
    assert_int_equal(tw_object_relocate_operand(o, TEXT, 24, 1, f, 8), TW_OK);
    assert_int_equal(tw_object_relocate_operand(o, TEXT, 24, 0, f, 8), TW_E_INVALID_ARGUMENT);
    tw_object *text = assemble(".align 8\nnop\nrpt $m2, 1\n{ add $m1, $m2, 3; f32add $a4, $a1, $a2 }\n"
                               "{ add $m1, $m2, 3; f32add $a3, $a1, $a2 }\ncall $m10, f + 8\n");
    g_autofree char *here = hex_of(section_of(o, ".text")), *there = hex_of(section_of(text, ".text"));
    assert_string_equal(here, there);
    assert_int_equal(tw_object_relocation_count(o), 1);
    assert_int_equal(tw_object_relocation_count(text), 1);
    const tw_relocation *a = tw_object_get_relocation(o, 0), *b = tw_object_get_relocation(text, 0);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->addend, b->addend);
    tw_object_free(o), tw_object_free(text);
}

static void bodies_of_rpt(void **state)
{
    (void)state;
    static const tw_insn put = { .row = TW__OP_put, .operands = { 0x70, 1 } };
    const struct {
        const tw_insn *first, *body;
        bool in_bundle;
        const char *says;
    } wrong[] = {
        { NULL, &add, true, "has to lie on 8 bytes, and it is at offset 0x4" },
        { &nop, &add, false, "is longer than what is left" },
        { &nop, &branch, true, "'br' cannot be in the body of rpt" },
        { &nop, &put, true, "'put' cannot be in the body of rpt" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        tw_object *o = code_by_calls(wrong[i].first, wrong[i].body, wrong[i].in_bundle);
        assert_int_equal(tw_object_check_repeats(o, TEXT), TW_E_INVALID_ARGUMENT);
        if (!strstr(tw_error_message(), wrong[i].says)) fail_msg("row %zu: %s", i, tw_error_message());
        tw_object_free(o);
    }
    tw_object *o = code_by_calls(&nop, &add, false);
    assert_int_equal(tw_object_emit(o, TEXT, &nop), TW_OK);
    assert_int_equal(tw_object_check_repeats(o, TEXT), TW_E_INVALID_ARGUMENT);
    assert_non_null(strstr(tw_error_message(), "number 2 of it is none"));
    tw_object_free(o);
}

/* What the limits above leave out is taken: the last legal value of each. */
static void right_arguments(void **state)
{
    (void)state;
    tw_object *o = small_object();
    assert_int_equal(tw_object_append(o, BSS, "\0", 1), TW_OK);
    assert_int_equal(tw_object_append(o, BSS, NULL, (1 << 21) - 9), TW_OK);
    assert_int_equal(tw_object_append(o, TEXT, NULL, 0), TW_OK);
    assert_int_equal(tw_object_patch(o, TEXT, 8, NULL, 0), TW_OK);
    assert_int_equal(tw_object_patch(o, TEXT, 7, "", 1), TW_OK);
    assert_int_equal(tw_object_define(o, UNDEFINED, TEXT, 8, TW_SYMBOL_NOTYPE), TW_OK);
    assert_int_equal(tw_object_define(o, UNDEFINED, TEXT, 8, TW_SYMBOL_OBJECT), TW_OK); /* the same once more */
    assert_int_equal(tw_object_set_size(o, COMMON, 1 << 21), TW_OK);
    assert_int_equal(tw_object_set_size(o, F, UINT32_MAX), TW_OK); /* as files may say: nobody relies on it */
    assert_int_equal(tw_object_relocate(o, TEXT, 0, TW_R_COLOSSUS_64, UNDEFINED, INT32_MIN), TW_OK);
    assert_int_equal(tw_object_relocate(o, TEXT, 7, TW_R_COLOSSUS_8, UNDEFINED, INT32_MAX), TW_OK);
    assert_int_equal(tw_object_add_line(o, TEXT, 8, "a", 0), TW_OK);
    assert_int_equal(tw_object_add_stack_note(o, NOTE(TW_STACK_TOTAL, "f", 1 << 21, NULL)), TW_OK);
    assert_int_equal(tw_object_raise_align(o, TEXT, 1 << 21), TW_OK);
    free(whole(o));
    tw_object_free(o);
}

static void without_an_object(void **state)
{
    (void)state;
    assert_null(tw_object_new((tw_isa_arch)0));
    assert_null(tw_object_new(TW_ISA_ALL));
    assert_null(tw_object_new((tw_isa_arch)8));
    assert_int_equal(tw_object_arch(NULL), 0);
    assert_string_equal(tw_object_name(NULL), "");
    assert_int_equal(tw_object_section_count(NULL) + tw_object_symbol_count(NULL), 0);
    assert_int_equal(tw_object_relocation_count(NULL) + tw_object_stack_note_count(NULL), 0);
    assert_null(tw_object_get_section(NULL, 0));
    assert_null(tw_object_get_symbol(NULL, 0));
    assert_null(tw_object_get_relocation(NULL, 0));
    assert_null(tw_object_get_stack_note(NULL, 0));
    assert_null(tw_object_line_at(NULL, 0, 0));
    assert_null(tw_object_dump(NULL, 31));
    assert_int_equal(tw_object_entry(NULL), 0);
    uint32_t code = 1, data = 1;
    tw_link_sizes(NULL, &code, &data);
    assert_int_equal(code + data, 0);
    tw_object *o = small_object();
    assert_null(tw_object_dump(o, 32));
    assert_null(tw_object_line_at(o, -1, 0));
    assert_null(tw_object_line_at(o, NO_SECTION, 0));
    tw_link_sizes(o, NULL, NULL);
    tw_object_free(o);
}

/* An image is not an input of the linker. */
static void linked_already(void **state)
{
    (void)state;
    tw_object *o = assemble("f: br $lr\n"), *image, *again;
    const tw_object *one = o;
    assert_int_equal(tw_status_of(image = tw_link(&one, 1, NULL, NULL)), TW_OK);
    one = image;
    assert_int_equal(tw_status_of(again = tw_link(&one, 1, NULL, NULL)), TW_E_INVALID_ARGUMENT);
    assert_null(again);
    assert_non_null(strstr(tw_error_message(), "linked already"));
    tw_object_free(o), tw_object_free(image);
}

/* --- names ---------------------------------------------------------------------------------------------------- */

/* As many sections as a file can hold, and not one more; twins of one name cost no search. */
static void many_sections(void **state)
{
    (void)state;
    tw_object *o = tw_object_new(TW_ISA_IPU2), *back, *image;
    for (int i = 0; i < 32000; i++) {
        g_autofree char *name = g_strdup_printf(".data.%d", i);
        assert_int_equal(tw_object_section(o, name, TW_SECTION_DATA), i);
        assert_int_equal(tw_object_append(o, i, "abcd", 4), TW_OK);
        assert_int_equal(tw_object_relocate(o, i, 0, TW_R_COLOSSUS_32, tw_object_section_symbol(o, i / 2), 0),
                         TW_OK);
    }
    assert_int_equal(tw_object_section(o, ".data.7", TW_SECTION_DATA), 7);
    assert_int_equal(tw_object_section(o, "more", TW_SECTION_DATA), TW_E_OVERFLOW);
    uint8_t *bytes;
    size_t size;
    assert_int_equal(tw_status_of(bytes = tw_object_to_elf(o, &size)), TW_OK);
    assert_int_equal(tw_status_of(back = tw_object_from_elf(bytes, size, "x.o")), TW_OK);
    assert_int_equal(tw_object_section_count(back), 32000);
    const tw_object *one = back;
    assert_int_equal(tw_status_of(image = tw_link(&one, 1, NULL, NULL)), TW_OK);
    free(bytes);
    tw_object_free(o), tw_object_free(back), tw_object_free(image);
}

/* A local and a global symbol of one name stay two, whichever comes first, in files and in images. */
static void a_local_and_a_global_of_one_name(void **state)
{
    (void)state;
    tw_object *a = assemble(".data\nx: .long 1, x\n"), *b = assemble(".data\n.globl x\nx: .long 2, x\n");
    for (int order = 0; order < 2; order++) {
        const tw_object *both[] = { order ? a : b, order ? b : a };
        tw_object *image, *back;
        uint8_t *bytes;
        size_t size;
        assert_int_equal(tw_status_of(image = tw_link(both, 2, NULL, NULL)), TW_OK);
        assert_int_equal(tw_status_of(bytes = tw_object_to_elf(image, &size)), TW_OK);
        assert_int_equal(tw_status_of(back = tw_object_from_elf(bytes, size, "image")), TW_OK);
        for (int which = 0; which < 2; which++) {
            const tw_object *o = which ? back : image;
            const tw_symbol *global = tw_object_get_symbol(o, (size_t)tw_object_find_symbol(o, "x")), *s;
            assert_int_equal(global->binding, TW_SYMBOL_GLOBAL);
            unsigned found = 0;
            for (size_t i = 0; (s = tw_object_get_symbol(o, i)); i++) found += strcmp(s->name, "x") == 0;
            assert_int_equal(found, 2);
            const tw_section *section = tw_object_get_section(o, (size_t)global->section);
            assert_int_equal(word_of(section, 0), 2);
            assert_int_equal(word_of(section, 1), section->address);
        }
        free(bytes);
        tw_object_free(image), tw_object_free(back);
    }
    tw_object_free(a), tw_object_free(b);
}

/* --- files whose addresses lie -------------------------------------------------------------------------------- */

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

/* What is changed in a linked file; the message, "" = it is read. */
static const char *lie(uint8_t *b, unsigned which)
{
    uint32_t address = header_of(b, ".text")->sh_addr;
    switch (which) {
    case 0: return header_of(b, ".text")->sh_addr += 0x800, "symbol 'f' lies before the start of its section";
    case 1: return header_of(b, ".text")->sh_addr -= 0x800, "symbol 'f' lies behind the end of its section";
    case 2:
        return header_of(b, ".text")->sh_addr = 0xfffffff8, "section '.text' of 12 bytes at 0xfffffff8 ends behind";
    case 3: return symbol_of(b, "f")->st_value = address - 1, "symbol 'f' lies before the start of its section";
    case 4: return symbol_of(b, "f")->st_value = address + 13, "symbol 'f' lies behind the end of its section";
    case 5: return symbol_of(b, "f")->st_value = address + 12, "";
    case 6: return symbol_of(b, "f")->st_value = address, "";
    case 7: return symbol_of(b, "f")->st_size = UINT32_MAX, "";
    case 8: return symbol_of(b, "g")->st_size = UINT32_MAX - 7, "";
    case 9: return symbol_of(b, "g")->st_size = 5, "";
    case 10: return symbol_of(b, "g")->st_name = symbol_of(b, "f")->st_name, "symbol 'f' is defined twice";
    case 11:
        return symbol_of(b, "g")->st_info = ELF32_ST_INFO(1, 3), "symbol 'g' is that of a section, and not local";
    case 12:
        return symbol_of(b, "g")->st_info = ELF32_ST_INFO(0, 3), "the symbol of section '.text' does not stand for";
    default: return NULL;
    }
}

static void addresses_that_lie(void **state)
{
    (void)state;
    tw_object *o =
                  assemble(".globl f, g\n.type f, @function\n.type g, @function\nf: call $lr, g\ng: nop\n  br $lr\n"
                           ".stack_own f, 8\n.stack_own g, 8\n"),
              *image, *back;
    const tw_object *one = o;
    assert_int_equal(tw_status_of(image = tw_link(&one, 1, NULL, NULL)), TW_OK);
    uint8_t *good;
    size_t size;
    assert_int_equal(tw_status_of(good = tw_object_to_elf(image, &size)), TW_OK);
    for (unsigned which = 0;; which++) {
        g_autofree uint8_t *bytes = g_memdup2(good, size);
        const char *message = lie(bytes, which);
        if (!message) break;
        tw_status status = tw_status_of(back = tw_object_from_elf(bytes, size, "x"));
        if (status != (*message ? TW_E_OBJECT_LOAD : TW_OK) || (*message && !strstr(tw_error_message(), message)))
            fail_msg("lie %u: %d %s", which, status, tw_error_message());
        if (status == TW_OK) free(whole(back));
        tw_object_free(back);
    }
    free(good);
    tw_object_free(o), tw_object_free(image);
}

/* Three names of one place end where the next function begins: a call of that one is no call of theirs. */
static void names_of_one_place(void **state)
{
    (void)state;
    tw_object *o = assemble(".globl a, b, c, d\na: b: c: br $lr\nd: br $lr\n.globl f\nf: call $lr, d\n  br $lr\n"
                            ".stack_own f, 8\n.stack_own b, 100\n.stack_own d, 4\n"),
              *image;
    const tw_object *one = o;
    uint32_t bytes = 0;
    assert_int_equal(tw_status_of(image = tw_link(&one, 1, NULL, NULL)), TW_OK);
    assert_int_equal(tw_stack_need(image, "f", &bytes), TW_OK);
    assert_int_equal(bytes, 12);
    static const char *const names[] = { "a", "b", "c" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(tw_stack_need(image, names[i], &bytes), TW_OK);
        assert_int_equal(bytes, 100);
    }
    tw_object_free(o), tw_object_free(image);
}

/* Names that a terminal or the assembler would take for something else. */
static void strange_names(void **state)
{
    (void)state;
    tw_object *o = small_object();
    int s = tw_object_section(o, "a\"b\\\033[31m", TW_SECTION_DATA), f = tw_object_symbol(o, "\033]0;title\a");
    assert_int_equal(tw_object_append(o, s, "abcd", 4), TW_OK);
    assert_int_equal(tw_object_define(o, f, s, 0, TW_SYMBOL_OBJECT), TW_OK);
    assert_int_equal(tw_object_add_stack_note(o, NOTE(TW_STACK_CALLS, "f", 0, "g,\"h\",i\nj")), TW_OK);
    char *text = whole(o), *code = tw_object_dump(o, TW_DUMP_CODE);
    assert_null(strchr(text, '\033'));
    assert_null(strchr(text, '\a'));
    tw_object *back = assemble(code);
    assert_string_equal(section_of(back, "a\"b\\\033[31m")->name, "a\"b\\\033[31m");
    assert_string_equal(tw_object_get_stack_note(back, 0)->targets, "g,\"h\",i\nj");
    free(text), free(code);
    tw_object_free(o), tw_object_free(back);
}

/* --- any calls ------------------------------------------------------------------------------------------------ */

static const char *const section_names[] = { ".text", ".text.f", ".data", ".bss", ".rodata.x", "a b", "", "x#2" };
static const char *const symbol_names[] = { "f", "g", "h", ".Lx", "", "two words", "\"", "_start" };

static uint32_t any_number(GRand *rand)
{
    static const uint32_t numbers[] = { 0,  1,   2,   3,   4,    7,       8,         12,
                                        16, 100, 255, 256, 4096, 1 << 21, INT32_MAX, UINT32_MAX };
    return numbers[g_rand_int_range(rand, 0, G_N_ELEMENTS(numbers))];
}

/* An index that is mostly one of `count`. */
static int any_index(GRand *rand, size_t count)
{
    return g_rand_int_range(rand, 0, 20) ? g_rand_int_range(rand, 0, (gint32)MAX(count, 1))
                                         : g_rand_int_range(rand, -5, (gint32)count + 5);
}

static void any_call(GRand *rand, tw_object *o)
{
    int section = any_index(rand, tw_object_section_count(o)), symbol = any_index(rand, tw_object_symbol_count(o));
    uint32_t small = (uint32_t)g_rand_int_range(rand, 0, 40),
             number = g_rand_boolean(rand) ? small : any_number(rand);
    const char *name = symbol_names[g_rand_int_range(rand, 0, G_N_ELEMENTS(symbol_names))];
    tw_insn insn = { .row = (uint16_t)g_rand_int_range(rand, 0, TW__OP_COUNT), .operands = { small, small / 2 } };
    tw_stack_note note = { (tw_stack_kind)(small % 4), name, number, "f, g" };
    switch (g_rand_int_range(rand, 0, 16)) {
    case 0:
        tw_object_section(o, section_names[small % G_N_ELEMENTS(section_names)],
                          (unsigned)g_rand_int_range(rand, 0, 17));
        return;
    case 1:
        tw_object_append(o, section, g_rand_boolean(rand) ? "0123456789012345678901234567890123456789" : NULL,
                         small);
        return;
    case 2: tw_object_align(o, section, 1u << small % 5); return;
    case 3: tw_object_raise_align(o, section, any_number(rand)); return;
    case 4:
    case 5: tw_object_emit(o, section, &insn); return;
    case 6: tw_object_patch(o, section, number, "0123", 4); return;
    case 7:
    case 8: tw_object_symbol(o, name); return;
    case 9: tw_object_section_symbol(o, section); return;
    case 10: tw_object_define(o, symbol, section - 3 * (small == 0), number, (tw_symbol_type)(small % 6)); return;
    case 11: tw_object_bind(o, symbol, (tw_symbol_binding)(small % 4)); return;
    case 12:
        tw_object_set_size(o, symbol, number), tw_object_set_visibility(o, symbol, small % 5);
        tw_object_set_type(o, symbol, (tw_symbol_type)(small % 6));
        return;
    case 13:
        tw_object_relocate(o, section, number, (tw_relocation_type)(small % 19), symbol, (int32_t)any_number(rand));
        return;
    case 14: tw_object_add_stack_note(o, &note); return;
    default: tw_object_add_line(o, section, number, name, number); return;
    }
}

static void check_file(const tw_object *o)
{
    uint8_t *bytes;
    size_t size;
    tw_object *back;
    assert_int_equal(tw_status_of(bytes = tw_object_to_elf(o, &size)), TW_OK);
    if (!(back = tw_object_from_elf(bytes, size, "x.o"))) fail_msg("%s", tw_error_message());
    assert_int_equal(tw_object_section_count(back), tw_object_section_count(o));
    assert_int_equal(tw_object_relocation_count(back), tw_object_relocation_count(o));
    assert_int_equal(tw_object_stack_note_count(back), tw_object_stack_note_count(o));
    for (size_t i = 0; i < tw_object_section_count(o); i++) {
        const tw_section *x = tw_object_get_section(o, i), *y = tw_object_get_section(back, i);
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->size, y->size);
        if (x->data && memcmp(x->data, y->data, x->size) != 0) fail_msg("%s differs", x->name);
    }
    free(bytes);
    tw_object_free(back);
}

static void any_calls(void **state)
{
    (void)state;
    GRand *rand = g_rand_new_with_seed(23);
    unsigned linked = 0;
    for (int round = 0; round < 400; round++) {
        tw_object *a = tw_object_new(TW_ISA_IPU2), *b = tw_object_new(TW_ISA_IPU2), *image;
        int calls = g_rand_int_range(rand, 5, 120);
        for (int i = 0; i < calls; i++) any_call(rand, i % 3 ? a : b);
        check_file(a);
        free(whole(a));
        const tw_object *both[] = { a, b };
        if ((image = tw_link(both, g_rand_boolean(rand) ? 2 : 1, NULL, NULL)) != NULL) {
            free(whole(image));
            check_file(image);
            tw_object_free(image);
            linked++;
        }
        tw_object_free(a), tw_object_free(b);
    }
    g_rand_free(rand);
    assert_true(linked > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments),    cmocka_unit_test(right_arguments),
        cmocka_unit_test(code_as_assembled),  cmocka_unit_test(bodies_of_rpt),
        cmocka_unit_test(without_an_object),  cmocka_unit_test(linked_already),
        cmocka_unit_test(many_sections),      cmocka_unit_test(a_local_and_a_global_of_one_name),
        cmocka_unit_test(addresses_that_lie), cmocka_unit_test(names_of_one_place),
        cmocka_unit_test(strange_names),      cmocka_unit_test(any_calls),
    };
    return cmocka_run_group_tests_name("colossus_object", tests, NULL, NULL);
}
