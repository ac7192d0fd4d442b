/* SPDX-License-Identifier: MIT */
/* The pipes that the documents list and no target uses: PIPE_MTE4, PIPE_MTE5, PIPE_V2. */
#include "pto/support/check.h"
#include "pto/support/text.h"
#include <tilewright/pto/grid.h>

static const struct {
    tw_pto_pipe pipe;
    const char *name;
} idle[] = { { TW_PTO_PIPE_MTE4, "PIPE_MTE4" }, { TW_PTO_PIPE_MTE5, "PIPE_MTE5" }, { TW_PTO_PIPE_V2, "PIPE_V2" } };

static void pto_pipes_idle(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, TW_PTO_PROFILE | TW_PTO_MANUAL);
    for (size_t i = 0; i < 3; i++) {
        tw_pto_pipe p = idle[i].pipe, other = idle[(i + 1) % 3].pipe;
        assert_string_equal(tw_pto_pipe_name(p), idle[i].name);
        for (unsigned id = 0; id < 8; id++) {
            OK(tw_pto_set_flag(core, p, TW_PTO_PIPE_V, id));
            OK(tw_pto_set_flag(core, p, other, id));
            REFUSED(tw_pto_set_flag(core, p, other, id), "flag.double-set", idle[i].name);
        }
        for (unsigned id = 8; id-- > 0;) {
            OK(tw_pto_wait_flag(core, p, TW_PTO_PIPE_V, id));
            OK(tw_pto_wait_flag(core, p, other, id));
            REFUSED(tw_pto_wait_flag(core, p, other, id), "flag.deadlock", idle[i].name);
        }
        REFUSED(tw_pto_set_flag(core, p, p, 0), "flag.pipes", "two different");
        REFUSED(tw_pto_set_flag(core, p, TW_PTO_PIPE_ALL, 0), "flag.pipes", "two different");
        OK(tw_pto_barrier(core, p));
        OK(tw_pto_sync_set(core, p, 1, TW_PTO_SYNC_CUBE_VECTOR));
        OK(tw_pto_sync_wait(core, p, 1, TW_PTO_SYNC_CUBE_VECTOR));
        OK(tw_pto_intra_set(core, p, 1));
        OK(tw_pto_intra_wait(core, p, 1));
        assert_int_equal(tw_pto_pipe_cycles(core, p), 0);
    }
    tw_pto_info info;
    for (size_t row = 0; tw_pto_info_get(row, &info); row++)
        for (size_t i = 0; i < 3; i++) assert_true(info.pipe != idle[i].pipe);
    tw_pto_free(core);
}

/* An idle pipe hands on when the pipe it waited for was done: time goes through it. */
static void pto_pipes_pass_time(void **state)
{
    tw_pto_tile a = vec_tile(TW_F32, 16, 64), b = vec_tile(TW_F32, 16, 64);
    uint64_t done[2];
    (void)state;
    for (int chain = 0; chain < 2; chain++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_PROFILE | TW_PTO_MANUAL);
        OK(tw_pto_assign(core, &a, 0));
        OK(tw_pto_assign(core, &b, 4096));
        float memory[16 * 64] = { 0 };
        tw_pto_tensor g = tw_pto_tensor_of(memory, TW_F32, 16, 64, TW_PTO_ND);
        OK(tw_pto_load(core, &a, &g));
        if (chain) {
            OK(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_MTE4, 0));
            OK(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_MTE4, 0));
            OK(tw_pto_set_flag(core, TW_PTO_PIPE_MTE4, TW_PTO_PIPE_V, 0));
            OK(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE4, TW_PTO_PIPE_V, 0));
        } else {
            OK(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 0));
            OK(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 0));
        }
        OK(CALL(core, "tadd", NULL, TILE(&b), TILE(&b), TILE(&b)));
        done[chain] = tw_pto_cycles(core);
        tw_pto_free(core);
        a.place = b.place = 0;
    }
    assert_int_equal(done[0], done[1]);
}

static void pto_pipes_text(void **state)
{
    static const char form[] = "pto.set_flag[#pto.pipe<%s>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]\n"
                               "pto.wait_flag[#pto.pipe<%s>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]\n"
                               "pto.barrier #pto.pipe<%s>\n"
                               "pto.get_buf[#pto.pipe<%s>, 4]\npto.rls_buf[#pto.pipe<%s>, 4]\n"
                               "pto.sync.set #pto.pipe<%s>, 2\npto.sync.wait #pto.pipe<%s>, 2\n";
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        const char *n = idle[i].name;
        snprintf(text, sizeof text, form, n, n, n, n, n, n, n);
        stable(i, text);
        session s = start(text, TW_PTO_A2A3);
        OK(run(&s));
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_pipes_idle), cmocka_unit_test(pto_pipes_pass_time),
                                        cmocka_unit_test(pto_pipes_text) };
    return cmocka_run_group_tests_name("pto_feat_pipes", tests, NULL, NULL);
}
