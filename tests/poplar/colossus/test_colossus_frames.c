/* SPDX-License-Identifier: MIT */
/* .cfi_* and tw_debug_unwind(): from each place of a function to its caller's registers, by rules written down here
 * from DWARF 4, chapter 6.4. Registers hold 0x1000 + number, words of memory their address + 0x70000000. */
#include "asm_test.h"

#include <stdlib.h>
#include <tilewright/poplar/colossus/debug.h>
#include <tilewright/poplar/colossus/link.h>

enum { SP = 11, LINK = 10, CODE = 0x4c000 };

static bool get_register(void *user, unsigned number, uint32_t *value)
{
    *value = 0x1000 + number;
    return number != *(unsigned *)user;
}

static bool read_memory(void *user, uint32_t address, void *bytes, size_t count)
{
    uint32_t word = address + 0x70000000;
    (void)user;
    if (count != 4) return false;
    memcpy(bytes, &word, 4);
    return true;
}

static uint32_t reg(unsigned number)
{
    return 0x1000 + number;
}

static uint32_t memory(uint32_t address)
{
    return address + 0x70000000;
}

/* Each line of the text is one rule behind one instruction. */
#define TEXT                                                                                             \
    ".worker\n.globl f\n.cfi_startproc\nf: nop\n"                             /* 0 */                    \
    "nop\n.cfi_def_cfa_offset 32\n"                                           /* behind 4 */             \
    "nop\n.cfi_offset $lr, -4\n"                                              /* 8 */                    \
    "nop\n.cfi_rel_offset $m7, 8\n"                                           /* 12: 24 below the CFA */ \
    "nop\n.cfi_offset 22, -16\n"                                              /* 16: $a6 */              \
    "nop\n.cfi_remember_state\n.cfi_def_cfa_register $m9\n"                   /* 20 */                   \
    "nop\n.cfi_adjust_cfa_offset 8\n.cfi_register $m8, $m3\n"                 /* 24 */                   \
    "nop\n.cfi_restore_state\n"                                               /* 28 */                   \
    ".fill 64, 4, 0x19e00000\n.cfi_undefined $m7\n.cfi_val_offset $m6, -12\n" /* 288: far; as 20 else */ \
    "nop\n.cfi_restore $m7\n.cfi_restore $m10\n.cfi_def_cfa $sp, 0\n"         /* 292: as at the entry */ \
    "br $m10\n.cfi_endproc\n"                                                                            \
    "g: .cfi_startproc\n.cfi_undefined $m10\n nop\n exitz $mzero\n.cfi_endproc\nnop\n"

typedef struct row {
    uint32_t at, cfa, back, m7, m8, a6;
} row;

static const row rows[] = {
    { 0, 0x1000 + SP, 0x1000 + LINK, 0x1007, 0x1008, 0x1016 },
    { 4, 0x1000 + SP, 0x1000 + LINK, 0x1007, 0x1008, 0x1016 },
    { 8, 0x1000 + SP + 32, 0x1000 + LINK, 0x1007, 0x1008, 0x1016 },
    { 12, 0x1000 + SP + 32, 0x70001000 + SP + 28, 0x1007, 0x1008, 0x1016 },
    { 16, 0x1000 + SP + 32, 0x70001000 + SP + 28, 0x70001000 + SP + 8, 0x1008, 0x1016 },
    { 20, 0x1000 + SP + 32, 0x70001000 + SP + 28, 0x70001000 + SP + 8, 0x1008, 0x70001000 + SP + 16 },
    { 24, 0x1000 + 9 + 32, 0x70001000 + 9 + 28, 0x70001000 + 9 + 8, 0x1008, 0x70001000 + 9 + 16 },
    { 28, 0x1000 + 9 + 40, 0x70001000 + 9 + 36, 0x70001000 + 9 + 16, 0x1003, 0x70001000 + 9 + 24 },
    { 32, 0x1000 + SP + 32, 0x70001000 + SP + 28, 0x70001000 + SP + 8, 0x1008, 0x70001000 + SP + 16 },
    { 284, 0x1000 + SP + 32, 0x70001000 + SP + 28, 0x70001000 + SP + 8, 0x1008, 0x70001000 + SP + 16 },
    { 288, 0x1000 + SP + 32, 0x70001000 + SP + 28, 0, 0x1008, 0x70001000 + SP + 16 },
    { 292, 0x1000 + SP, 0x1000 + LINK, 0x1007, 0x1008, 0x70001000 + SP - 16 },
};

static tw_object *linked(const char *text)
{
    tw_object *object = assemble(text);
    tw_link_options options = { .size = sizeof options, .code_address = CODE };
    const tw_object *objects[] = { object };
    tw_object *image = tw_link(objects, 1, &options, NULL);
    if (!image) fail_msg("%s", tw_error_message());
    tw_object_free(object);
    return image;
}

static tw_status unwind(const tw_debug *debug, uint32_t pc, unsigned unknown, tw_debug_caller *caller)
{
    tw_debug_state state = {
        .size = sizeof state, .pc = pc, .get_register = get_register, .read = read_memory, .user = &unknown
    };
    return tw_debug_unwind(debug, &state, caller);
}

static void rules_of_each_place(void **state)
{
    (void)state;
    tw_object *image = linked(TEXT);
    tw_debug *debug = tw_debug_new(image);
    assert_non_null(debug);
    assert_int_equal(reg(7), 0x1007);
    assert_int_equal(memory(4), 0x70000004);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const row *r = &rows[i];
        tw_debug_caller c;
        if (unwind(debug, CODE + r->at, 99, &c) != TW_OK) fail_msg("at %u: %s", r->at, tw_error_message());
        const struct {
            unsigned number;
            uint32_t value;
        } is[] = { { SP, r->cfa }, { LINK, r->back }, { 7, r->m7 }, { 8, r->m8 }, { 16 + 6, r->a6 } };
        assert_int_equal(c.pc, r->back);
        for (size_t k = 0; k < G_N_ELEMENTS(is); k++) {
            if (!is[k].value && c.known >> is[k].number & 1) fail_msg("at %u: %u is known", r->at, is[k].number);
            if (is[k].value && (!(c.known >> is[k].number & 1) || c.values[is[k].number] != is[k].value))
                fail_msg("at %u: register %u is 0x%x, not 0x%x", r->at, is[k].number, c.values[is[k].number],
                         is[k].value);
        }
        bool computed = c.known >> 6 & 1;
        assert_int_equal(computed, r->at == 288 || r->at == 292);
        if (computed) assert_int_equal(c.values[6], r->cfa - 12);
        assert_int_equal(c.known & 0x3f, 0); /* what callees may overwrite */
    }
    tw_debug_free(debug);
    tw_object_free(image);
}

static void what_cannot_be_unwound(void **state)
{
    (void)state;
    tw_object *image = linked(TEXT);
    tw_debug *debug = tw_debug_new(image);
    tw_debug_caller c;
    assert_int_equal(unwind(debug, CODE + 300, 99, &c), TW_E_INDEX); /* g: an entry */
    assert_int_equal(unwind(debug, CODE + 308, 99, &c), TW_E_SYMBOL);
    assert_int_equal(unwind(debug, CODE - 4, 99, &c), TW_E_SYMBOL);
    assert_int_equal(unwind(debug, CODE, SP, &c), TW_E_TYPE); /* $sp is not known */
    assert_int_equal(unwind(debug, CODE, LINK, &c), TW_E_INDEX);
    assert_int_equal(unwind(debug, CODE, 7, &c), TW_OK);
    assert_int_equal(c.known >> 7 & 1, 0);
    assert_int_equal(tw_debug_unwind(NULL, NULL, &c), TW_E_INVALID_ARGUMENT);
    assert_int_equal(unwind(debug, CODE, 99, NULL), TW_E_INVALID_ARGUMENT);
    tw_debug_free(debug);
    tw_object_free(image);
}

/* Functions that are not in the image have no frames; those of two objects come together. */
static void frames_of_several_objects(void **state)
{
    (void)state;
    tw_object *a =
        assemble(".worker\n.section .text.f, \"ax\"\n.globl f\n.cfi_startproc\nf: call $m10, g\nbr $m10\n"
                 ".cfi_endproc\n.section .text.gone, \"ax\"\n.globl gone\n.cfi_startproc\ngone: nop\n"
                 ".cfi_def_cfa_offset 64\nnop\n.cfi_endproc\n");
    tw_object *b = assemble(".worker\n.section .text.g, \"ax\"\n.globl g\n.cfi_startproc\ng: nop\n"
                            ".cfi_def_cfa_offset 16\nbr $m10\n.cfi_endproc\n");
    tw_link_options options = { .size = sizeof options, .code_address = CODE, .entry = "f" };
    const tw_object *objects[] = { a, b };
    tw_object *image = tw_link(objects, 2, &options, NULL);
    if (!image) fail_msg("%s", tw_error_message());
    tw_debug *debug = tw_debug_new(image);
    assert_non_null(debug);
    tw_debug_caller c;
    assert_int_equal(unwind(debug, CODE + 4, 99, &c), TW_OK);
    assert_int_equal(c.values[SP], 0x1000 + SP);
    assert_int_equal(unwind(debug, CODE + 12, 99, &c), TW_OK);
    assert_int_equal(c.values[SP], 0x1000 + SP + 16);
    assert_int_equal(unwind(debug, CODE + 16, 99, &c), TW_E_SYMBOL);
    tw_debug_free(debug);
    tw_object_free(image), tw_object_free(a), tw_object_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_each_place),
        cmocka_unit_test(what_cannot_be_unwound),
        cmocka_unit_test(frames_of_several_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
