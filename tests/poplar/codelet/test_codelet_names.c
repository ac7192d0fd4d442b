/* SPDX-License-Identifier: MIT */
/* Names: mangling (guide table 3.2, docs/decisions.md, M4), canonical form, rewriting of constraints. */
#include "poplar/codelet/codelet_test.h"

#include <tilewright/poplar/popc.h>

static void test_mangle(void **state)
{
    (void)state;
    static const struct {
        const char *name, *symbol;
    } rows[] = {
        /* guide table 3.2 */
        { "popnn::NonLinearity2D<float, 2>", "__runCodelet_popnn__NonLinearity2D___float_2" },
        { "popops::UnaryOp<popops::expr::ABSOLUTE, half>",
          "__runCodelet_popops__UnaryOp___popops__expr__ABSOLUTE_half" },
        { "popconv::ConvPartial1x1<float, half, true>", "__runCodelet_popconv__ConvPartial1x1___float_half_true" },
        /* guide 3.4 and Poplar API, vertex names */
        { "MyVertex", "__runCodelet_MyVertex" },
        { "poplin::WorkerClass1x1<unsigned short,true,16>",
          "__runCodelet_poplin__WorkerClass1x1___unsigned_short_true_16" },
        /* each rule alone */
        { "a__b", "__runCodelet_a_Zb" },
        { "a___b", "__runCodelet_a_Z_b" },
        { "a::b", "__runCodelet_a__b" },
        { "A<B<int>,c>", "__runCodelet_A___B___int_c" },
        { "A<B<int,c>>", "__runCodelet_A___B___int_c" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char buffer[128];
        assert_int_equal(tw_popc_mangle(rows[i].name, buffer, sizeof buffer), strlen(rows[i].symbol));
        assert_string_equal(buffer, rows[i].symbol);
    }
    char small[8];
    assert_int_equal(tw_popc_mangle("abc", small, sizeof small), strlen("__runCodelet_abc"));
    assert_string_equal(small, "__runCo");
}

static void test_canonical(void **state)
{
    (void)state;
    static const char *const rows[][2] = { { "Foo<float, 2>", "Foo<float,2>" },
                                           { " Foo < unsigned   int , A :: B > ", "Foo<unsigned int,A::B>" },
                                           { "Foo<A<int> >", "Foo<A<int>>" },
                                           { "", "" } };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *name = tw__vertex_canonical_name(rows[i][0]);
        assert_string_equal(name, rows[i][1]);
    }
}

static void test_layouts(void **state)
{
    (void)state;
    static const struct {
        tw__vector_layout layout;
        unsigned align;
        tw__vector_layout mk1, mk2;
    } rows[] = {
        /* guide table 4.2 */
        { TW__LAYOUT_COMPACT_PTR, 1, TW__LAYOUT_ONE_PTR, TW__LAYOUT_ONE_PTR },
        { TW__LAYOUT_COMPACT_PTR, 2, TW__LAYOUT_ONE_PTR, TW__LAYOUT_ONE_PTR },
        { TW__LAYOUT_COMPACT_PTR, 4, TW__LAYOUT_SCALED_PTR32, TW__LAYOUT_ONE_PTR },
        { TW__LAYOUT_COMPACT_PTR, 8, TW__LAYOUT_SCALED_PTR64, TW__LAYOUT_ONE_PTR },
        { TW__LAYOUT_COMPACT_PTR, 16, TW__LAYOUT_SCALED_PTR128, TW__LAYOUT_SCALED_PTR128 },
        { TW__LAYOUT_COMPACT_PTR, 64, TW__LAYOUT_SCALED_PTR128, TW__LAYOUT_SCALED_PTR128 },
        /* docs/decisions.md, M1, guide 4.2.4 */
        { TW__LAYOUT_COMPACT_DELTAN, 4, TW__LAYOUT_DELTAN, TW__LAYOUT_DELTANELEMENTS },
        { TW__LAYOUT_DELTANELEMENTS, 4, TW__LAYOUT_DELTANELEMENTS, TW__LAYOUT_DELTANELEMENTS },
        { TW__LAYOUT_SPAN, 16, TW__LAYOUT_SPAN, TW__LAYOUT_SPAN },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_int_equal(tw__layout_resolve(rows[i].layout, rows[i].align, TW__ARCH_IPU1), rows[i].mk1);
        assert_int_equal(tw__layout_resolve(rows[i].layout, rows[i].align, TW__ARCH_IPU2), rows[i].mk2);
        assert_int_equal(tw__layout_resolve(rows[i].layout, rows[i].align, TW__ARCH_IPU21), rows[i].mk2);
    }
    tw__arch arch;
    assert_true(tw__arch_by_name("mk1", &arch) && arch == TW__ARCH_IPU1); /* docs/decisions.md, M6 */
    assert_true(tw__arch_by_name("ipu2", &arch) && arch == TW__ARCH_IPU2);
    assert_true(tw__arch_by_name("ipu21", &arch) && arch == TW__ARCH_IPU21);
    assert_false(tw__arch_by_name("ipu3", &arch));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mangle),
        cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_layouts),
    };
    return cmocka_run_group_tests_name("codelet_names", tests, set_up_cache, tear_down_cache);
}
