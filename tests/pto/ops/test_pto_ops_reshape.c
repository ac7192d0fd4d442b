/* SPDX-License-Identifier: MIT */
/* TRESHAPE. The manual: on A2/A3 dst is another name for the storage of the source, the simulation on a CPU copies
 * bytes. A5 is taken to be like A2/A3. */
#include "pto/support/check.h"
#include "pto/support/text.h"

enum { R = 4, C = 64, N = R * C };

static tw_pto *new_core(int target, bool manual, tw_pto_tile *source)
{
    tw_pto *core = tw_pto_new((tw_pto_target)target, manual ? TW_PTO_MANUAL : 0);
    *source = vec_tile(TW_F32, R, C);
    if (manual) OK(tw_pto_assign(core, source, 1024));
    for (uint32_t k = 0; k < N; k++) set(core, source, k / C, k % C, k);
    return core;
}

static void pto_reshape_names(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int manual = 0; manual < 2; manual++) {
            bool chip = target != TW_PTO_CPU;
            tw_pto_tile a, d = vec_tile(TW_F32, 8, 32), again = vec_tile(TW_F32, 2, 128);
            tw_pto *core = new_core(target, manual, &a);
            if (manual && !chip) { /* a copy needs a place, another name does not */
                assert_int_equal(CALL(core, "treshape", NULL, TILE(&d), TILE(&a)), TW_E_TILE_MEMORY);
                OK(tw_pto_assign(core, &d, 8192));
                OK(tw_pto_assign(core, &again, 16384));
            }
            for (int turn = 0; turn < 2; turn++) OK(CALL(core, "treshape", NULL, TILE(&d), TILE(&a)));
            OK(CALL(core, "treshape", NULL, TILE(&again), TILE(&d)));
            assert_int_equal(tw_pto_address(core, &d) == tw_pto_address(core, &a), chip);
            assert_int_equal(tw_pto_address(core, &again) == tw_pto_address(core, &a), chip);
            set(core, &d, 7, 31, -1), set(core, &a, 0, 1, -2);
            assert_true(get(core, &a, 3, 63) == (chip ? -1 : N - 1));
            assert_true(get(core, &d, 0, 1) == (chip ? -2 : 1));
            assert_true(get(core, &again, 1, 127) == (chip ? -1 : N - 1));
            tw_pto_free(core);
        }
}

/* Memory goes back with the last of its names; a name that gets another place leaves the others theirs. */
static void pto_reshape_memory(void **state)
{
    (void)state;
    tw_pto_tile a, d = vec_tile(TW_F32, 8, 32), other = vec_tile(TW_F32, 8, 32), large;
    tw_pto *core = new_core(TW_PTO_A2A3, false, &a);
    OK(CALL(core, "treshape", NULL, TILE(&d), TILE(&a)));
    OK(CALL(core, "treshape", NULL, TILE(&other), TILE(&a)));
    int64_t at = tw_pto_address(core, &a);
    tw_pto_tile window = vec_tile(TW_F32, 1, 32);
    OK(tw_pto_window(core, &window, &d, 1, 0));
    tw_pto_tile_free(core, &window); /* a part keeps nothing */
    tw_pto_tile_free(core, &a);
    assert_true(get(core, &d, 7, 31) == N - 1);
    a = vec_tile(TW_F32, R, C);
    set(core, &a, 0, 0, 0); /* elsewhere: two names are left */
    assert_true(tw_pto_address(core, &a) != at);
    OK(tw_pto_assign(core, &other, 0)); /* one */
    assert_true(tw_pto_address(core, &d) == at && get(core, &d, 7, 30) == N - 2);
    tw_pto_tile_free(core, &other), tw_pto_tile_free(core, &a);
    OK(CALL(core, "treshape", NULL, TILE(&other), TILE(&d)));
    tw_pto_tile_free(core, &d), tw_pto_tile_free(core, &other); /* none: all of the memory is free */
    large = vec_tile(TW_F32, 1, 192 * 1024 / 4);
    OK(CALL(core, "texpands", NULL, TILE(&large), SCALAR(tw_pto_f32(1))));

    /* A TASSIGN that needs the place moves it under all its names. */
    tw_pto_tile_free(core, &large);
    a = vec_tile(TW_F32, R, C), d = vec_tile(TW_F32, 8, 32), other = d;
    for (uint32_t k = 0; k < N; k++) set(core, &a, k / C, k % C, k);
    OK(CALL(core, "treshape", NULL, TILE(&d), TILE(&a)));
    OK(tw_pto_assign(core, &other, (uint64_t)tw_pto_address(core, &a)));
    assert_true(tw_pto_address(core, &d) == tw_pto_address(core, &a));
    assert_true(tw_pto_address(core, &d) != tw_pto_address(core, &other));
    assert_true(get(core, &d, 7, 31) == N - 1);
    tw_pto_free(core);
}

/* A column of sums worked on as a row, as kernels do that normalise rows: y = x / sqrt(sum of x x). */
#define COLUMN "!pto.tile_buf<vec, 8x1xf32, blayout=col_major>"
#define ROW    "!pto.tile_buf<vec, 1x8xf32>"
static void pto_reshape_text(void **state)
{
    static const char *const forms[] = {
        "%r = pto.treshape %s : " COLUMN " -> " ROW "\n",
        "%r = pto.alloc_tile : " ROW "\npto.treshape ins(%s : " COLUMN ") outs(%r : " ROW ")\n",
        "%r = scf.for %i = %c0 to %c2 step %c1 iter_args(%u = %z) -> (" ROW ") {\n" /* under its other name, too */
        "pto.treshape ins(%s : " COLUMN ") outs(%u : " ROW ")\nscf.yield %z : " ROW "\n}\n",
    };
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
            char text[2000];
            snprintf(text, sizeof text,
                     "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
                     "%%c2 = arith.constant 2 : index\n%%c5 = arith.constant 5 : index\n"
                     "%%nine = arith.constant 9.0 : f32\n%%z = pto.alloc_tile : " ROW
                     "\n%%s = pto.alloc_tile : " COLUMN
                     "\npto.tsetval ins(%%c5, %%nine : index, f32) outs(%%s : " COLUMN ")\n%s"
                     "pto.tsqrt ins(%%r : " ROW ") outs(%%r : " ROW ")\n"
                     "%%v = pto.tgetval ins(%%s, %%c5 : " COLUMN ", index) outs : f32\n"
                     "%%answer = arith.fptosi %%v : f32 to i64\n",
                     forms[i]);
            session s = start(text, (tw_pto_target)target);
            if (run(&s) != TW_OK) fail_msg("form %zu: %s", i, tw_error_message());
            assert_int_equal(tw__as_integer(cell(&s, "answer")), target == TW_PTO_CPU ? 9 : 3);
            end(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_reshape_names),
        cmocka_unit_test(pto_reshape_memory),
        cmocka_unit_test(pto_reshape_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
