/* SPDX-License-Identifier: MIT */
/* What is remembered of a call must never outlive what it stands for: tiles that moved, were given back, were written
 * over in their description, other scalars, other shapes. */
#include "pto/support/check.h"

static tw_status add(tw_pto *core, tw_pto_tile *d, tw_pto_tile *a, tw_pto_tile *b)
{
    tw_pto_operand operands[] = { tw_pto_tile_operand(d), tw_pto_tile_operand(a), tw_pto_tile_operand(b) };
    return tw_pto_exec(core, tw_pto_op_by_name("TADD"), operands, 3, NULL);
}

static void fill(tw_pto *core, tw_pto_tile *t, float value)
{
    float x[64];
    for (int i = 0; i < 64; i++) x[i] = value;
    assert_int_equal(tw_pto_write(core, t, x, 4u * t->valid_rows * t->valid_cols), TW_OK);
}

static float first(tw_pto *core, tw_pto_tile *t)
{
    float x[64];
    assert_int_equal(tw_pto_read(core, t, x, 4u * t->valid_rows * t->valid_cols), TW_OK);
    return x[0];
}

static void pto_repeat_places(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile a = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, 8), b = a, d = a, other = a;
    fill(core, &a, 1);
    fill(core, &b, 2);
    for (int i = 0; i < 3; i++) assert_int_equal(add(core, &d, &a, &b), TW_OK);
    assert_true(first(core, &d) == 3);
    assert_int_equal(tw_pto_assign(core, &d, 0x1000), TW_OK); /* the destination lies elsewhere now */
    fill(core, &d, 0);
    assert_int_equal(add(core, &d, &a, &b), TW_OK);
    assert_true(first(core, &d) == 3);
    for (int i = 0; i < 3; i++) assert_int_equal(add(core, &d, &a, &b), TW_OK);
    /* a tile that was placed automatically makes room: what it holds moves, and the next call finds it */
    tw_pto_tile claim = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, 8);
    assert_int_equal(tw_pto_assign(core, &claim, (uint64_t)tw_pto_address(core, &a)), TW_OK);
    fill(core, &claim, 100);
    assert_int_equal(add(core, &d, &a, &b), TW_OK);
    assert_true(first(core, &d) == 3);
    /* other tiles of the same shape, in turn */
    fill(core, &other, 10);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(add(core, &d, &other, &b), TW_OK);
        assert_true(first(core, &d) == 12);
        assert_int_equal(add(core, &d, &a, &b), TW_OK);
        assert_true(first(core, &d) == 3);
    }
    tw_pto_tile stale = a;
    tw_pto_tile_free(core, &a);
    assert_int_equal(add(core, &d, &stale, &b), TW_E_INVALID_ARGUMENT); /* given back */
    tw_pto_free(core);
}

static void pto_repeat_descriptions(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile a = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, 16), b = a, d = a;
    float x[16];
    fill(core, &a, 1);
    fill(core, &b, 2);
    for (int i = 0; i < 2; i++) assert_int_equal(add(core, &d, &a, &b), TW_OK);
    fill(core, &d, 0);
    a.valid_cols = b.valid_cols = d.valid_cols = 5; /* only these may change */
    assert_int_equal(add(core, &d, &a, &b), TW_OK);
    d.valid_cols = 16;
    assert_int_equal(tw_pto_read(core, &d, x, sizeof x), TW_OK);
    assert_true(x[4] == 3 && x[5] == 0 && x[15] == 0);
    assert_int_equal(add(core, &d, &a, &b), TW_E_INVALID_ARGUMENT); /* valid regions differ */
    a.valid_cols = b.valid_cols = 16;
    b.type = TW_I32;
    assert_int_equal(add(core, &d, &a, &b), TW_E_INVALID_ARGUMENT); /* and types */
    b.type = TW_F32;
    assert_int_equal(add(core, &d, &a, &b), TW_OK);
    b.location = TW_PTO_MAT;
    assert_true(add(core, &d, &a, &b) != TW_OK);
    tw_pto_free(core);
}

static void pto_repeat_scalars(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile a = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 1, 8), d = a;
    fill(core, &a, 1);
    for (int i = 0; i < 5; i++) {
        tw_pto_operand operands[] = { tw_pto_tile_operand(&d), tw_pto_tile_operand(&a),
                                      tw_pto_scalar_operand(tw_pto_f32((float)i)) };
        assert_int_equal(tw_pto_exec(core, tw_pto_op_by_name("TADDS"), operands, 3, NULL), TW_OK);
        assert_true(first(core, &d) == (float)(1 + i));
        operands[2] = tw_pto_scalar_operand(tw_pto_i32(1));
        assert_int_equal(tw_pto_exec(core, tw_pto_op_by_name("TADDS"), operands, 3, NULL), TW_E_INVALID_ARGUMENT);
    }
    /* attributes are part of the call */
    tw_pto_tile h = tw_pto_tile_of(TW_PTO_VEC, TW_I32, 1, 8);
    fill(core, &a, 1.5f);
    tw_pto_attrs up = { .round = TW_PTO_ROUND_CEIL }, down = { .round = TW_PTO_ROUND_FLOOR };
    tw_pto_operand convert[] = { tw_pto_tile_operand(&h), tw_pto_tile_operand(&a) };
    for (int i = 0; i < 6; i++) {
        int32_t got[8];
        assert_int_equal(tw_pto_exec(core, tw_pto_op_by_name("TCVT"), convert, 2, i % 2 ? &up : &down), TW_OK);
        assert_int_equal(tw_pto_read(core, &h, got, sizeof got), TW_OK);
        assert_int_equal(got[0], 1 + i % 2);
    }
    tw_pto_free(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_repeat_places),
                                        cmocka_unit_test(pto_repeat_descriptions),
                                        cmocka_unit_test(pto_repeat_scalars) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
