/* SPDX-License-Identifier: MIT */
/* The runtime library in images: only where it is called, only what is called, behind the program's own
 * definitions. */
#include "poplar/colossus/object/object.h"
#include "poplar/colossus/sim_test.h"

static tw_object *linked(tw_isa_arch arch, const char *text, const char *entry)
{
    tw_object *object = assemble_for(arch, text);
    const tw_object *objects[] = { object };
    tw_link_options options = { .size = sizeof options, .entry = entry };
    tw_object *image = tw_link(objects, 1, &options, NULL);
    tw_object_free(object);
    return image;
}

static const char divides[] = ".worker\n.globl main\nmain: setzi $m0, 1000\nsetzi $m1, 7\ncall $lr, __udivsi3\n"
                              "st32 $m0, $mvertex_base, $mzero, 0\nexitz $mzero\n.stack_own main, 16\n";

static void a_call_is_enough(void **state)
{
    (void)state;
    for (tw_isa_arch arch = TW_ISA_IPU1; arch <= TW_ISA_IPU21; arch <<= 1)
        for (unsigned all = 0; all < 2; all++) {
            tw_object *image = linked(arch, divides, all ? NULL : "main");
            assert_non_null(image);
            assert_true(tw_object_find_symbol(image, "__udivsi3") >= 0);
            assert_true(tw_object_find_symbol(image, "memcpy") < 0);
            uint32_t code, bytes;
            tw_link_sizes(image, &code, NULL);
            assert_in_range(code, 100, 200);
            assert_int_equal(tw_stack_need(image, "main", &bytes), TW_OK);
            assert_int_equal(bytes, 16);
            tw_object_free(image);
        }
}

static void nothing_else_changes(void **state)
{
    (void)state;
    tw_object *image = linked(TW_ISA_IPU2, ".globl main\nmain: bri main\n", NULL);
    uint32_t code;
    tw_link_sizes(image, &code, NULL);
    assert_int_equal(code, 4);
    tw_object_free(image);
    assert_null(linked(TW_ISA_IPU2, ".globl main\nmain: call $lr, __udivsi4\n", NULL));
    assert_non_null(strstr(tw_error_message(), "'__udivsi4' is not defined"));
}

static void the_program_has_its_own(void **state)
{
    (void)state;
    tw_object *image = linked(TW_ISA_IPU2,
                              ".globl main\nmain: call $lr, memmove\ncall $lr, memcpy\n"
                              ".section .text.memcpy, \"ax\"\n.globl memcpy\nmemcpy: br $lr\n",
                              NULL);
    assert_non_null(image);
    uint32_t code;
    tw_link_sizes(image, &code, NULL);
    assert_in_range(code, 200, 500);
    int own = tw_object_find_symbol(image, "memcpy");
    assert_true(own >= 0);
    assert_int_equal(image->symbols[own].binding, TW_SYMBOL_GLOBAL);
    tw_object_free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_call_is_enough), cmocka_unit_test(nothing_else_changes),
                                        cmocka_unit_test(the_program_has_its_own) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
