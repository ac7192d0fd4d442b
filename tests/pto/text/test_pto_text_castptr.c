/* SPDX-License-Identifier: MIT */
/* pto.castptr between pointers and integers: where a pointer made from an integer reaches, what is refused, and that
 * the integers are the same on every core. */
#include "pto/support/check.h"
#include "pto/support/text.h"
#include <tilewright/pto/text.h>

/* %p : 16 x i32 with memory 0, 1, ..., %q : 8 x f32 with 0.5, 1.5, ...; %r gets results. */
#define HEAD                                                                                                  \
    "func.func @f(%p : !pto.ptr<i32>, %q : !pto.ptr<f32>, %r : !pto.ptr<i64>) {\n%c0 = arith.constant 0 : "   \
    "index %c1 = arith.constant 1 : index %c4 = arith.constant 4 : index %b8 = arith.constant 8 : i64 %m4 = " \
    "arith.constant -4 : i64 %kb = arith.constant 4096 : i64\n"
enum { HEAD_LINES = 2 };

static void pto_castptr_values(void **state)
{
    static const struct {
        const char *body;
        int64_t want; /* what %r[0] is */
    } rows[] = {
        /* there and back */
        { "%i = pto.castptr %p : !pto.ptr<i32> -> i64\n%s = pto.castptr %i : i64 -> !pto.ptr<i32>\n"
          "%v = pto.load_scalar %s[%c4] : !pto.ptr<i32> -> i32\n%w = arith.extsi %v : i32 to i64\n",
          4 },
        /* bytes are added; the position in the memory counts */
        { "%a = pto.addptr %p, %c4 : !pto.ptr<i32> -> !pto.ptr<i32>\n%i = pto.castptr %a : !pto.ptr<i32> -> i64\n"
          "%j = arith.addi %i, %b8 : i64\n%s = pto.castptr %j : i64 -> !pto.ptr<i32>\n"
          "%v = pto.load_scalar %s[%c0] : !pto.ptr<i32> -> i32\n%w = arith.extsi %v : i32 to i64\n",
          6 },
        { "%a = pto.addptr %p, %c4 : !pto.ptr<i32> -> !pto.ptr<i32>\n%i = pto.castptr %a : !pto.ptr<i32> -> i64\n"
          "%k = pto.castptr %p : !pto.ptr<i32> -> i64\n%w = arith.subi %i, %k : i64\n",
          16 },
        /* as index and as ui64 */
        { "%i = pto.castptr %p : !pto.ptr<i32> -> index\n%s = pto.castptr %i : index -> !pto.ptr<i32>\n"
          "%v = pto.load_scalar %s[%c1] : !pto.ptr<i32> -> i32\n%w = arith.extsi %v : i32 to i64\n",
          1 },
        { "%i = pto.castptr %p : !pto.ptr<i32> -> ui64\n%s = pto.castptr %i : ui64 -> !pto.ptr<i32>\n"
          "%v = pto.load_scalar %s[%c1] : !pto.ptr<i32> -> i32\n%w = arith.extsi %v : i32 to i64\n",
          1 },
        /* another element type: halves of the second element of %q, 1.5 = 0x3fc00000 */
        { "%i = pto.castptr %q : !pto.ptr<f32> -> i64\n%s = pto.castptr %i : i64 -> !pto.ptr<i32>\n"
          "%v = pto.load_scalar %s[%c1] : !pto.ptr<i32> -> i32\n%w = arith.extsi %v : i32 to i64\n",
          0x3fc00000 },
        { "%s = pto.castptr %q : !pto.ptr<f32> -> !pto.ptr<i32>\n"
          "%v = pto.load_scalar %s[%c1] : !pto.ptr<i32> -> i32\n%w = arith.extsi %v : i32 to i64\n",
          0x3fc00000 },
        /* two memories lie apart: one cannot be reached from the other, and what they are is documented */
        { "%z = arith.constant 0 : i64\n%i = pto.castptr %p : !pto.ptr<i32> -> i64\n%w = arith.addi %i, %z : i64\n",
          INT64_C(1) << 32 },
        { "%i = pto.castptr %p : !pto.ptr<i32> -> i64\n%j = pto.castptr %q : !pto.ptr<f32> -> i64\n%w = arith.subi "
          "%j, "
          "%i : i64\n",
          8192 },
        /* a number in the text is an address like any other: the second element of %p */
        { "%s = pto.castptr 4294967300 : i64 -> !pto.ptr<i32>\n%v = pto.load_scalar %s[%c0] : !pto.ptr<i32> -> "
          "i32\n"
          "%w = arith.extsi %v : i32 to i64\n",
          1 },
        /* just past the end is an address, as of any array; elements before it can be reached */
        { "%a = pto.addptr %q, %c4 : !pto.ptr<f32> -> !pto.ptr<f32>\n%a2 = pto.addptr %a, %c4 : !pto.ptr<f32> -> "
          "!pto.ptr<f32>\n%i = pto.castptr %a2 : !pto.ptr<f32> -> i64\n%s = pto.castptr %i : i64 -> !pto.ptr<i32>\n"
          "%m1 = arith.constant -1 : index\n%v = pto.load_scalar %s[%m1] : !pto.ptr<i32> -> i32\n"
          "%w = arith.extsi %v : i32 to i64\n",
          0x40f00000 }, /* 7.5 */
        /* a store through it */
        { "%i = pto.castptr %r : !pto.ptr<i64> -> i64\n%s = pto.castptr %i : i64 -> !pto.ptr<i64>\n"
          "pto.store_scalar %b8, %s[%c1] : !pto.ptr<i64>, i64\n%w = pto.load_scalar %r[%c1] : !pto.ptr<i64> -> "
          "i64\n",
          8 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[2048];
        int32_t p[16];
        float q[8];
        int64_t r[4] = { -99 };
        for (int k = 0; k < 16; k++) p[k] = k;
        for (int k = 0; k < 8; k++) q[k] = (float)k + 0.5f;
        snprintf(source, sizeof source, "%s%s  pto.store_scalar %%w, %%r[%%c0] : !pto.ptr<i64>, i64\n  return\n}\n",
                 HEAD, rows[i].body);
        stable(i, source);
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
        tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
        if (tw_pto_text_verify(text, TW_PTO_A2A3) != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        tw_pto_run *run = tw_pto_run_new(text, "f", core);
        OK(tw_pto_run_memory(run, "p", p, TW_I32, 1, (size_t[]){ 16 }));
        OK(tw_pto_run_memory(run, "q", q, TW_F32, 1, (size_t[]){ 8 }));
        OK(tw_pto_run_memory(run, "r", r, TW_I64, 1, (size_t[]){ 4 }));
        if (tw_pto_run_start(run, NULL) != TW_OK) fail_msg("row %zu: %s", i, tw_error_message());
        if (r[0] != rows[i].want) fail_msg("row %zu: %lld", i, (long long)r[0]);
        tw_pto_run_free(run);
        tw_pto_text_free(text);
        tw_pto_free(core);
    }
}

static void pto_castptr_refused(void **state)
{
    static const struct {
        const char *body, *message;
        int line, column;
    } rows[] = {
        { "%s = pto.castptr %b8 : i64 -> !pto.ptr<i32>\n",
          "0x8 is no address of a memory of this program; there are "
          "0x100000000 to 0x100000040, 0x100002000 to 0x100002020",
          1, 18 },
        { "%i = pto.castptr %p : !pto.ptr<i32> -> i64\n%j = arith.addi %i, %m4 : i64\n%s = pto.castptr %j : i64 -> "
          "!pto.ptr<i32>\n",
          "0xfffffffc is no address", 3, 18 },
        { "%i = pto.castptr %p : !pto.ptr<i32> -> i64\n%j = arith.addi %i, %kb : i64\n%s = pto.castptr %j : i64 -> "
          "!pto.ptr<i32>\n",
          "0x100001000 is no address", 3, 18 },
        { "%i = pto.castptr %q : !pto.ptr<f32> -> i64\n%s = pto.castptr %i : i64 -> !pto.ptr<f32>\n"
          "%e = arith.constant 8 : index\n%v = pto.load_scalar %s[%e] : !pto.ptr<f32> -> f32\n",
          "outside the 32 bytes", 4, 6 },
        { "%i = pto.castptr %q : !pto.ptr<f32> -> i64\n%j = arith.addi %i, %b8 : i64\n%s = pto.castptr %j : i64 -> "
          "!pto.ptr<f32>\n%t = pto.make_tensor_view %s, shape = [%c4, %c4], strides = [%c4, %c1] : "
          "!pto.tensor_view<4x4xf32>\n%d = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32, valid=4x4>\n"
          "pto.tload ins(%t : !pto.tensor_view<4x4xf32>) outs(%d : !pto.tile_buf<vec, 4x8xf32, valid=4x4>)\n",
          "global.bounds", 6, 15 },
        { "%i = pto.castptr %p : !pto.ptr<i32> -> i32\n", "a pointer, i64 or index is wanted here, not i32", 1, 6 },
        { "%i = pto.castptr %b8 : i64 -> index\n", "neither i64 nor index is a pointer", 1, 6 },
        { "%i = pto.castptr %p : !pto.ptr<i32> -> !pto.ptr<i32, ub>\n", "below the tile level", 1, 6 },
        { "%f = arith.constant 1.0 : f32\n%i = pto.castptr %f : f32 -> !pto.ptr<i32>\n", "not f32", 2, 18 },
        { "%i = pto.castptr %nothing : i64 -> !pto.ptr<i32>\n", "not defined", 1, 18 },
        { "%i = pto.castptr %p, %q : !pto.ptr<i32>, !pto.ptr<f32> -> i64\n", "takes 1 operand", 1, 6 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[2048];
        int32_t p[16] = { 0 };
        float q[8] = { 0 };
        int64_t r[4] = { 0 };
        snprintf(source, sizeof source, "%s%s  return\n}\n", HEAD, rows[i].body);
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
        tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
        if (tw_pto_text_verify(text, TW_PTO_A2A3) == TW_OK) {
            tw_pto_run *run = tw_pto_run_new(text, "f", core);
            OK(tw_pto_run_memory(run, "p", p, TW_I32, 1, (size_t[]){ 16 }));
            OK(tw_pto_run_memory(run, "q", q, TW_F32, 1, (size_t[]){ 8 }));
            OK(tw_pto_run_memory(run, "r", r, TW_I64, 1, (size_t[]){ 4 }));
            if (tw_pto_run_start(run, NULL) == TW_OK) fail_msg("row %zu succeeded", i);
            tw_pto_run_free(run);
        }
        const tw_diag *d = tw_diags_get(tw_pto_text_diags(text), 0);
        if (d->line != rows[i].line + HEAD_LINES || d->column != rows[i].column ||
            !strstr(d->message, rows[i].message))
            fail_msg("row %zu: %d:%d: %s", i, d->line, d->column, d->message);
        tw_pto_text_free(text);
        tw_pto_free(core);
    }
}

/* Block 0 leaves the integer of a place in memory, block 1 goes there: the same on both, and as the same name of one
 * memory bound twice. */
static tw_status pass_on(tw_pto *core, void *user)
{
    static int64_t r[4];
    static int32_t p[16];
    tw_pto_identity me = tw_pto_identity_of(core);
    if (me.block == 0) memset(r, 0, sizeof r), memset(p, 0, sizeof p);
    tw_pto_run *run = tw_pto_run_new(user, "f", core);
    OK(tw_pto_run_memory(run, "p", p, TW_I32, 1, (size_t[]){ 16 }));
    OK(tw_pto_run_memory(run, "q", p, TW_I32, 1, (size_t[]){ 16 }));
    OK(tw_pto_run_memory(run, "r", r, TW_I64, 1, (size_t[]){ 4 }));
    tw_status status = tw_pto_run_start(
        run, &(tw_pto_run_options){ .size = sizeof(tw_pto_run_options), .block = me.block, .blocks = me.blocks });
    tw_pto_run_free(run);
    if (me.block == 1) {
        assert_int_equal(p[5], 7);
        assert_int_equal(r[1], 0); /* the two names are one memory */
    }
    return status;
}

static void pto_castptr_cores(void **state)
{
    static const char source[] =
        "func.func @f(%p : !pto.ptr<i32>, %q : !pto.ptr<i32>, %r : !pto.ptr<i64>) {\n%c0 = arith.constant 0 : "
        "index\n"
        "%c1 = arith.constant 1 : index\n%c5 = arith.constant 5 : index\n%z = arith.constant 0 : i64\n%b = "
        "pto.get_block_idx\n%first = arith.cmpi eq, %b, %z : i64\nscf.if %first {\n%a = pto.addptr %p, %c5 : "
        "!pto.ptr<i32> -> !pto.ptr<i32>\n%i = pto.castptr %a : !pto.ptr<i32> -> i64\npto.store_scalar %i, %r[%c0] "
        ": "
        "!pto.ptr<i64>, i64\n}\npto.syncall {cores = mix}\nscf.if %first {\n} else {\n%j = pto.load_scalar %r[%c0] "
        ": "
        "!pto.ptr<i64> -> i64\n%s = pto.castptr %j : i64 -> !pto.ptr<i32>\n%v = arith.constant 7 : i32\n"
        "pto.store_scalar %v, %s[%c0] : !pto.ptr<i32>, i32\n%k = pto.castptr %p : !pto.ptr<i32> -> i64\n%l = "
        "pto.castptr %q : !pto.ptr<i32> -> i64\n%d = arith.subi %k, %l : i64\npto.store_scalar %d, %r[%c1] : "
        "!pto.ptr<i64>, i64\n}\nreturn\n}\n";
    (void)state;
    tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
    if (tw_pto_text_verify(text, TW_PTO_A5) != TW_OK) fail_msg("%s", tw_error_message());
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A5, .blocks = 2 });
    OK(tw_pto_grid_run(g, pass_on, text));
    tw_pto_grid_free(g);
    tw_pto_text_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_castptr_values), cmocka_unit_test(pto_castptr_refused),
                                        cmocka_unit_test(pto_castptr_cores) };
    return cmocka_run_group_tests_name("pto_feat_address", tests, NULL, NULL);
}
