/* SPDX-License-Identifier: MIT */
/* Flags between the cube core and one vector core of a block: who goes on when, ids, counts, deadlocks, targets,
 * text. */
#include "pto/support/check.h"
#include <tilewright/pto/grid.h>
#include <tilewright/pto/text.h>

enum { READY = 0, FREE = 1, OF_VECTOR_1 = 16 };

static tw_pto_grid *grid_of(tw_pto_target target, unsigned blocks, unsigned vectors)
{
    tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch),
                                                       .target = target,
                                                       .blocks = blocks,
                                                       .vectors = vectors,
                                                       .flags = TW_PTO_PROFILE });
    assert_non_null(g);
    return g;
}

/* As published kernels do it: the vector cores fill a slot, the cube core waits for both, takes it and frees it. Each
 * block has three integers: rounds of vector core 0, of vector core 1, taken by the cube. */
static tw_status rounds(tw_pto *core, void *user)
{
    enum { ROUNDS = 25 };
    tw_pto_identity me = tw_pto_identity_of(core);
    int *slot = (int *)user + 3 * me.block;
    for (int round = 1; round <= ROUNDS; round++) {
        if (me.kind == TW_PTO_CUBE) {
            OK(tw_pto_intra_wait(core, TW_PTO_PIPE_MTE1, READY));
            OK(tw_pto_intra_wait(core, TW_PTO_PIPE_MTE1, READY + OF_VECTOR_1));
            assert_int_equal(slot[0], round);
            assert_int_equal(slot[1], round);
            slot[2] = round;
            OK(tw_pto_intra_set(core, TW_PTO_PIPE_MTE1, FREE));
            OK(tw_pto_intra_set(core, TW_PTO_PIPE_MTE1, FREE + OF_VECTOR_1));
        } else {
            if (round > 1) OK(tw_pto_intra_wait(core, TW_PTO_PIPE_MTE3, FREE));
            assert_int_equal(slot[2], round - 1);
            slot[me.sub_block] = round;
            OK(tw_pto_intra_set(core, TW_PTO_PIPE_MTE3, READY));
        }
    }
    return me.kind == TW_PTO_VECTOR ? tw_pto_intra_wait(core, TW_PTO_PIPE_MTE3, FREE) : TW_OK;
}

static void pto_intra_rounds(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++) {
        int slots[3 * 4] = { 0 };
        tw_pto_grid *g = grid_of((tw_pto_target)target, 4, 2);
        if (target == TW_PTO_A2A3) {
            tw_pto_grid_free(g);
            continue;
        }
        for (int again = 0; again < 2; again++) { /* flags do not outlive a run */
            memset(slots, 0, sizeof slots);
            OK(tw_pto_grid_run(g, rounds, slots));
            for (int b = 0; b < 4; b++) assert_int_equal(slots[3 * b + 2], 25);
        }
        tw_pto_grid_free(g);
    }
}

/* One number in each direction at the same time: they are two flags. And a flag of one vector core is not the
 * other's. */
static tw_status directions(tw_pto *core, void *user)
{
    tw_pto_identity me = tw_pto_identity_of(core);
    int *order = user;
    if (me.kind == TW_PTO_CUBE) {
        OK(tw_pto_intra_set(core, TW_PTO_PIPE_FIX, 5 + OF_VECTOR_1));
        OK(tw_pto_intra_wait(core, TW_PTO_PIPE_FIX, 5 + OF_VECTOR_1)); /* not the one it has just set itself */
        assert_int_equal(*order, 1);
        *order = 2;
        OK(tw_pto_intra_set(core, TW_PTO_PIPE_FIX, 5));
    } else if (me.sub_block == 1) {
        OK(tw_pto_intra_wait(core, TW_PTO_PIPE_V, 5));
        assert_int_equal(*order, 0);
        *order = 1;
        OK(tw_pto_intra_set(core, TW_PTO_PIPE_V, 5));
    } else {
        OK(tw_pto_intra_wait(core, TW_PTO_PIPE_V, 5));
        assert_int_equal(*order, 2);
    }
    return TW_OK;
}

static void pto_intra_directions(void **state)
{
    int order = 0;
    (void)state;
    tw_pto_grid *g = grid_of(TW_PTO_A5, 1, 2);
    OK(tw_pto_grid_run(g, directions, &order));
    assert_int_equal(order, 2);
    tw_pto_grid_free(g);
}

typedef struct bad {
    tw_pto_target target;
    unsigned vectors;
    tw_pto_core_kind kind; /* that calls */
    bool waits;
    int pipe;
    unsigned id;
    int times; /* set before */
    const char *rule, *part;
} bad;

static tw_status call_bad(tw_pto *core, void *user)
{
    const bad *b = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    if (me.kind != b->kind || me.sub_block) return TW_OK;
    for (int i = 0; i < b->times; i++) OK(tw_pto_intra_set(core, TW_PTO_PIPE_FIX, b->id));
    return b->waits ? tw_pto_intra_wait(core, (tw_pto_pipe)b->pipe, b->id)
                    : tw_pto_intra_set(core, (tw_pto_pipe)b->pipe, b->id);
}

static void pto_intra_rules(void **state)
{
    static const bad rows[] = {
        { TW_PTO_A5, 2, TW_PTO_CUBE, false, TW_PTO_PIPE_FIX, 31, 0, NULL, NULL },
        { TW_PTO_A5, 2, TW_PTO_CUBE, false, TW_PTO_PIPE_FIX, 32, 0, "intra.id", "0 to 15 with vector core 0" },
        { TW_PTO_A5, 2, TW_PTO_VECTOR, false, TW_PTO_PIPE_V, 15, 0, NULL, NULL },
        { TW_PTO_A5, 2, TW_PTO_VECTOR, false, TW_PTO_PIPE_V, 16, 0, "intra.id", "vector core has 0 to 15" },
        { TW_PTO_A5, 2, TW_PTO_VECTOR, true, TW_PTO_PIPE_V, 16, 0, "intra.id", "wait_intra_block" },
        { TW_PTO_A5, 1, TW_PTO_CUBE, false, TW_PTO_PIPE_FIX, 15, 0, NULL, NULL },
        { TW_PTO_A5, 1, TW_PTO_CUBE, false, TW_PTO_PIPE_FIX, 16, 0, "intra.core", "does not have" },
        { TW_PTO_A5, 2, TW_PTO_CUBE, false, TW_PTO_PIPES, 1, 0, "intra.pipe", "unknown pipe" },
        { TW_PTO_A5, 2, TW_PTO_CUBE, false, TW_PTO_PIPE_ALL, 1, 14, NULL, NULL },
        { TW_PTO_A5, 2, TW_PTO_CUBE, false, TW_PTO_PIPE_ALL, 1, 15, "intra.overflow", "15 times" },
        { TW_PTO_A2A3, 2, TW_PTO_CUBE, false, TW_PTO_PIPE_FIX, 1, 0, "intra.target", "A5 alone" },
        { TW_PTO_A2A3, 2, TW_PTO_VECTOR, true, TW_PTO_PIPE_V, 1, 0, "intra.target", "A5 alone" },
        { TW_PTO_CPU, 0, TW_PTO_WHOLE, true, TW_PTO_PIPE_V, 3, 1, NULL, NULL },
        { TW_PTO_CPU, 0, TW_PTO_WHOLE, true, TW_PTO_PIPE_V, 3, 0, "deadlock", "flag 3" },
        { TW_PTO_CPU, 0, TW_PTO_WHOLE, false, TW_PTO_PIPE_V, 16, 0, "intra.core", "does not have" },
        { TW_PTO_A5, 2, TW_PTO_CUBE, true, TW_PTO_PIPE_FIX, 20, 0, "deadlock",
          "cube core waits in wait_intra_block for flag 4, which has not been set by block 0, vector core 1, which "
          "has ended" },
        { TW_PTO_A5, 2, TW_PTO_VECTOR, true, TW_PTO_PIPE_V, 4, 0, "deadlock",
          "vector core 0 waits in wait_intra_block for flag 4, which has not been set by block 0, cube core" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bad row = rows[i];
        tw_pto_grid *g = grid_of(row.target, 1, row.vectors);
        tw_status status = tw_pto_grid_run(g, call_bad, &row);
        if ((status == TW_OK) != !row.rule) fail_msg("row %zu: %s", i, tw_error_message());
        if (row.rule && (!strstr(tw_error_message(), row.rule) || !strstr(tw_error_message(), row.part)))
            fail_msg("row %zu: \"%s\" lacks \"%s\" or \"%s\"", i, tw_error_message(), row.rule, row.part);
        tw_pto_grid_free(g);
    }
    tw_pto *alone = tw_pto_new(TW_PTO_A5, 0);
    OK(tw_pto_intra_set(alone, TW_PTO_PIPE_FIX, 2));
    OK(tw_pto_intra_wait(alone, TW_PTO_PIPE_V, 2));
    REFUSED(tw_pto_intra_wait(alone, TW_PTO_PIPE_V, 2), "deadlock", "flag 2");
    tw_pto_free(alone);
}

/* Whoever waits starts no earlier than the flag was set. */
static tw_status timed(tw_pto *core, void *user)
{
    uint64_t *at = user;
    tw_pto_tile t = vec_tile(TW_F32, 64, 64);
    if (tw_pto_identity_of(core).kind == TW_PTO_CUBE) {
        OK(tw_pto_intra_wait(core, TW_PTO_PIPE_MTE1, 0));
        at[1] = tw_pto_cycles(core);
    } else if (tw_pto_identity_of(core).sub_block == 0) {
        for (int i = 0; i < 5; i++) OK(CALL(core, "tadd", NULL, TILE(&t), TILE(&t), TILE(&t)));
        at[0] = tw_pto_cycles(core);
        OK(tw_pto_intra_set(core, TW_PTO_PIPE_V, 0));
    }
    return TW_OK;
}

static void pto_intra_time(void **state)
{
    uint64_t at[2] = { 0 };
    (void)state;
    tw_pto_grid *g = grid_of(TW_PTO_A5, 1, 2);
    OK(tw_pto_grid_run(g, timed, at));
    assert_true(at[0] > 0);
    assert_int_equal(at[1], at[0]);
    tw_pto_grid_free(g);
}

/* --- vector cores fill L1 of the cube core, which goes on when both have ---------------------------------------- */

enum { SLOT_AT = 512, HALF = 16, COLS = 32 };

static tw_pto_tile nz(tw_pto_location location, uint32_t rows)
{
    tw_pto_tile t = tw_pto_tile_of(location, TW_F16, rows, COLS);
    t.blayout = TW_PTO_COL_MAJOR;
    t.slayout = TW_PTO_BOX_ROW;
    return t;
}

static tw_status fill_l1(tw_pto *core, void *user)
{
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_tile slot = nz(TW_PTO_MAT, 2 * HALF), own = nz(TW_PTO_VEC, HALF), loose = nz(TW_PTO_MAT, 2 * HALF);
    bool moves = *(bool *)user; /* TMOV of vector core 1 alone, over all of the slot */
    OK(tw_pto_assign(core, &slot, SLOT_AT));
    if (me.kind == TW_PTO_CUBE) {
        for (uint32_t r = 0; r < 2 * HALF; r++)
            for (uint32_t c = 0; c < COLS; c++) set(core, &slot, r, c, -1);
        for (unsigned v = 0; v < 2; v++) OK(tw_pto_intra_set(core, TW_PTO_PIPE_MTE1, FREE + v * OF_VECTOR_1));
        for (unsigned v = 0; v < 2; v++) OK(tw_pto_intra_wait(core, TW_PTO_PIPE_MTE1, READY + v * OF_VECTOR_1));
        for (uint32_t r = 0; r < 2 * HALF; r++)
            for (uint32_t c = 0; c < COLS; c++) {
                bool second = c >= 30; /* what the valid regions leave out */
                double part = r / HALF * 1000.0 + r % HALF * 40.0 + c, want = moves    ? r * 40.0 + c
                                                                              : second ? -1
                                                                                       : part;
                if (get(core, &slot, r, c) != want) fail_msg("(%u, %u): %g", r, c, get(core, &slot, r, c));
            }
        return TW_OK;
    }
    OK(tw_pto_intra_wait(core, TW_PTO_PIPE_MTE3, FREE));
    if (moves) own = nz(TW_PTO_VEC, 2 * HALF);
    for (uint32_t r = 0; r < own.rows; r++)
        for (uint32_t c = 0; c < COLS; c++) set(core, &own, r, c, (moves ? 0 : 1000.0 * me.sub_block) + r * 40 + c);
    REFUSED(CALL(core, "tinsert", NULL, TILE(&loose), TILE(&own), SCALAR(tw_pto_i32(0)), SCALAR(tw_pto_i32(0))),
            "memory", "L1");
    REFUSED(
        CALL(core, "tinsert", NULL, TILE(&slot), TILE(&own), SCALAR(tw_pto_i32(HALF + 1)), SCALAR(tw_pto_i32(0))),
        "window.bounds", "a5");
    REFUSED(CALL(core, "textract", NULL, TILE(&own), TILE(&slot), SCALAR(tw_pto_i32(0)), SCALAR(tw_pto_i32(0))),
            "core.cube", "a5");
    tw_pto_tile small = tw_pto_tile_of(TW_PTO_VEC, TW_F4E2M1, 16, 64), there = small;
    there.location = TW_PTO_MAT;
    OK(tw_pto_assign(core, &there, 8192));
    REFUSED(CALL(core, "tmov", NULL, TILE(&there), TILE(&small)), "move.nibbles", "a5");
    if (moves && me.sub_block == 1) {
        tw_pto_tile rows = tw_pto_tile_of(TW_PTO_VEC, TW_F16, 1, 64), l1 = rows; /* not boxed, more than once */
        l1.location = TW_PTO_MAT;
        OK(tw_pto_assign(core, &l1, 16384));
        for (int again = 0; again < 3; again++) {
            OK(CALL(core, "tmov", NULL, TILE(&slot), TILE(&own)));
            OK(CALL(core, "tmov", NULL, TILE(&l1), TILE(&rows)));
        }
    } else if (!moves) {
        own.valid_cols = 30;
        OK(CALL(core, "tinsert", NULL, TILE(&slot), TILE(&own), SCALAR(tw_pto_i32((int)(me.sub_block * HALF))),
                SCALAR(tw_pto_i32(0))));
    }
    return tw_pto_intra_set(core, TW_PTO_PIPE_MTE3, READY);
}

static void pto_intra_fills_l1(void **state)
{
    (void)state;
    for (int moves = 0; moves < 2; moves++) {
        bool how = moves != 0;
        tw_pto_grid *g = grid_of(TW_PTO_A5, 2, 2);
        OK(tw_pto_grid_run(g, fill_l1, &how));
        tw_pto_grid_free(g);
    }
}

static tw_status run_core(tw_pto *core, void *user)
{
    tw_pto_run *run = tw_pto_run_new(user, NULL, core);
    tw_status status = tw_pto_run_start(run, NULL);
    tw_pto_run_free(run);
    return status;
}

static void pto_intra_text(void **state)
{
    static const struct {
        const char *body;
        unsigned vectors; /* that the program asks for */
        int line;         /* of the first diagnostic; 0 = good */
        const char *part;
    } rows[] = {
        { "pto.section.cube {\npto.set_intra_block #pto.pipe<PIPE_FIX>, 3\npto.set_intra_block "
          "#pto.pipe<PIPE_FIX>, 19\n}\n"
          "pto.section.vector {\npto.wait_intra_block #pto.pipe<PIPE_V>, 3\n}\n",
          2, 0, NULL },
        { "pto.section.cube {\npto.wait_intra_block #pto.pipe<PIPE_FIX>, 19\n}\npto.section.vector {\n"
          "pto.set_intra_block #pto.pipe<PIPE_V>, 4\n}\n",
          2, 3, "flag 3, which has not been set by block 0, vector core 1" },
        { "pto.section.cube {\n%i = arith.constant 35 : index\npto.set_intra_block #pto.pipe<PIPE_FIX>, %i\n}\n"
          "pto.section.vector {\n}\n",
          2, 4, "intra.id" },
        { "pto.set_intra_block #pto.pipe<PIPE_FIX>\n", 0, 2, "takes a pipe and a flag" },
        { "pto.set_intra_block 3\n", 0, 2, "takes a pipe and a flag" },
        { "pto.set_intra_block #pto.pipe<PIPE_FIX>, 3 {mode = 1}\n", 0, 2, "no attribute 'mode'" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[1024];
        snprintf(source, sizeof source, "func.func @f() {\n%s  return\n}\n", rows[i].body);
        tw_pto_text *text = tw_pto_text_parse("f.pto", source, strlen(source), NULL, NULL);
        tw_status status = tw_pto_text_verify(text, TW_PTO_A5);
        if (status == TW_OK) {
            assert_int_equal(tw_pto_text_vectors(text), rows[i].vectors);
            tw_pto_grid *g = grid_of(TW_PTO_A5, 1, 2);
            status = tw_pto_grid_run(g, run_core, text);
            tw_pto_grid_free(g);
        }
        const tw_diags *diags = tw_pto_text_diags(text);
        if ((status == TW_OK) != !rows[i].line) fail_msg("row %zu: %s", i, tw_error_message());
        if (rows[i].line) {
            const tw_diag *d = tw_diags_get(diags, 0);
            if (d->line != rows[i].line || !strstr(d->message, rows[i].part))
                fail_msg("row %zu: line %d: %s", i, d->line, d->message);
        }
        tw_pto_text_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_intra_rounds),   cmocka_unit_test(pto_intra_directions),
        cmocka_unit_test(pto_intra_rules),    cmocka_unit_test(pto_intra_time),
        cmocka_unit_test(pto_intra_fills_l1), cmocka_unit_test(pto_intra_text)
    };
    return cmocka_run_group_tests_name("pto_feat_intra", tests, NULL, NULL);
}
