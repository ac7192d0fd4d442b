/* SPDX-License-Identifier: MIT */
/* GMOV: four blocks bring a tile each and take one another's. Values by the formal model: the destination of a
 * selected processor is the source of its peer as it was before anyone wrote; the others keep what they have. */
#include "pto/support/check.h"

#include <tilewright/pto/grid.h>
#include <tilewright/pto/text.h>
#include "core/profile/profile.h"

enum { BLOCKS = 8, ROUNDS = 3, ROWS = 3, COLS = 16 };

typedef struct plan {
    int peer[4], mask; /* -1 = the form without a mask */
    tw_type type;
    bool in_place; /* destination = source */
    unsigned vectors;
} plan;

static double value(unsigned block, unsigned round, uint32_t r, uint32_t c)
{
    return (block * 31 + round * 7 + r * COLS + c) % 13;
}

static tw_status exchange(tw_pto *core, void *user)
{
    const plan *p = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    unsigned pe = me.block % 4, first = me.block - pe;
    if (me.kind == TW_PTO_CUBE) return TW_OK; /* vector cores meet vector cores */
    for (unsigned round = 0; round < ROUNDS; round++) {
        tw_pto_tile src = tw_pto_tile_of(TW_PTO_VEC, p->type, ROWS, 32), dst = src;
        src.valid_cols = dst.valid_cols = COLS;
        for (uint32_t r = 0; r < ROWS; r++)
            for (uint32_t c = 0; c < COLS; c++) {
                set(core, &src, r, c, value(me.block, round, r, c) + me.sub_block);
                set(core, &dst, r, c, 15);
            }
        tw_pto_tile *to = p->in_place ? &src : &dst;
        tw_pto_operand o[] = { tw_pto_tile_operand(to), tw_pto_tile_operand(&src),
                               tw_pto_scalar_operand(tw_pto_i32((p->peer[pe] + (int)round) % 4)),
                               tw_pto_scalar_operand(tw_pto_i32(p->mask)) };
        if (tw_pto_call(core, "gmov", o, p->mask < 0 ? 3 : 4, NULL)) fail_msg("%s", tw_error_message());
        bool written = p->mask < 0 || p->mask >> pe & 1;
        unsigned from = first + (unsigned)(p->peer[pe] + (int)round) % 4;
        for (uint32_t r = 0; r < ROWS; r++)
            for (uint32_t c = 0; c < COLS; c++) {
                double was = p->in_place ? value(me.block, round, r, c) + me.sub_block : 15;
                double want = written ? value(from, round, r, c) + me.sub_block : was;
                if (get(core, to, r, c) != want)
                    fail_msg("block %u round %u (%u, %u): %g, not %g", me.block, round, r, c, get(core, to, r, c),
                             want);
            }
        tw_pto_tile_free(core, &src);
        if (!p->in_place) tw_pto_tile_free(core, &dst);
    }
    return TW_OK;
}

static void pto_gmov_values(void **state)
{
    static const plan plans[] = {
        { { 1, 2, 3, 0 }, -1, TW_F32, false, 0 },   { { 3, 3, 3, 3 }, -1, TW_I8, true, 0 },
        { { 0, 1, 2, 3 }, 5, TW_F16, false, 0 },    { { 2, 0, 1, 1 }, 8, TW_I32, true, 0 },
        { { 1, 0, 3, 2 }, 15, TW_U16, false, 2 },   { { 1, 0, 3, 2 }, 0, TW_I32, false, 0 },
        { { 3, 2, 1, 0 }, -1, TW_F8E4M3, true, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){
            .size = sizeof(tw_pto_launch), .target = TW_PTO_CPU, .blocks = BLOCKS, .vectors = plans[i].vectors });
        OK(tw_pto_grid_run(g, exchange, (void *)(uintptr_t)&plans[i]));
        tw_pto_grid_free(g);
    }
}

/* --- rules ------------------------------------------------------------------------------------------------------ */

typedef struct wrong {
    tw_pto_target target;
    unsigned blocks, who; /* the block that does otherwise */
    int peer, mask;       /* of that block */
    tw_type type;
    bool absent;
    const char *rule, *text;
} wrong;

static bool wrote[8];

static tw_status misuse(tw_pto *core, void *user)
{
    const wrong *w = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    bool odd = me.block == w->who;
    if (odd && w->absent) return TW_OK;
    tw_pto_tile src = tw_pto_tile_of(TW_PTO_VEC, odd ? w->type : TW_I32, 1, 16), dst = src;
    set(core, &src, 0, 0, 5);
    set(core, &dst, 0, 0, 9);
    tw_pto_operand o[] = { tw_pto_tile_operand(&dst), tw_pto_tile_operand(&src),
                           tw_pto_scalar_operand(tw_pto_i32(odd ? w->peer : 0)),
                           tw_pto_scalar_operand(tw_pto_i32(odd ? w->mask : 15)) };
    tw_status status = tw_pto_call(core, "gmov", o, 4, NULL);
    wrote[me.block] = get(core, &dst, 0, 0) != 9;
    return status;
}

/* A mask of 0 does nothing: the others need not come. */
static tw_status nobody(tw_pto *core, void *user)
{
    (void)user;
    tw_pto_tile src = tw_pto_tile_of(TW_PTO_VEC, TW_I32, 1, 16), dst = src;
    set(core, &src, 0, 3, 7), set(core, &dst, 0, 3, 9);
    if (tw_pto_identity_of(core).block == 2)
        OK(CALL(core, "gmov", NULL, TILE(&dst), TILE(&src), SCALAR(tw_pto_i32(0)), SCALAR(tw_pto_i32(0))));
    assert_true(get(core, &dst, 0, 3) == 9);
    return TW_OK;
}

static void pto_gmov_nobody(void **state)
{
    (void)state;
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_CPU, .blocks = 4 });
    OK(tw_pto_grid_run(g, nobody, NULL));
    tw_pto_grid_free(g);
}

static void pto_gmov_rules(void **state)
{
    static const wrong rows[] = {
        { TW_PTO_CPU, 4, 2, 4, 15, TW_I32, false, "gmov.peer", "peer 4" },
        { TW_PTO_CPU, 4, 2, -1, 15, TW_I32, false, "gmov.peer", "peer -1" },
        { TW_PTO_CPU, 4, 0, 0, 16, TW_I32, false, "gmov.mask", "mask 16" },
        { TW_PTO_CPU, 4, 1, 0, 3, TW_I32, false, "gmov.mask", "of the group has mask" },
        { TW_PTO_CPU, 4, 3, 0, 15, TW_F32, false, "gmov.same", "another kind of tile" },
        { TW_PTO_CPU, 6, 9, 0, 15, TW_I32, false, "gmov.group", "6 blocks" },
        { TW_PTO_CPU, 8, 6, 0, 15, TW_I32, true, "in GMOV for", "block 6, core, which has ended" },
        { TW_PTO_A5, 4, 9, 0, 15, TW_I32, false, "profile.absent", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_grid *g = tw_pto_grid_new(
            &(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = rows[i].target, .blocks = rows[i].blocks });
        memset(wrote, 0, sizeof wrote);
        tw_status status = tw_pto_grid_run(g, misuse, (void *)(uintptr_t)&rows[i]);
        if (status == TW_OK || !strstr(tw_error_message(), rows[i].rule) ||
            !strstr(tw_error_message(), rows[i].text))
            fail_msg("row %zu: %d %s", i, status, tw_error_message());
        unsigned group = rows[i].who / 4 * 4;
        for (unsigned b = group; b < group + 4 && b < rows[i].blocks; b++) assert_false(wrote[b]);
        tw_pto_grid_free(g);
    }
    tw_pto *alone = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile a = tw_pto_tile_of(TW_PTO_VEC, TW_I32, 1, 16), b = a, c = tw_pto_tile_of(TW_PTO_VEC, TW_I32, 2, 8);
    REFUSED(CALL(alone, "gmov", NULL, TILE(&a), TILE(&b), tw_pto_scalar_operand(tw_pto_i32(0))), "gmov.group",
            "1 block");
    REFUSED(CALL(alone, "gmov", NULL, TILE(&a), TILE(&c), tw_pto_scalar_operand(tw_pto_i32(0))), "gmov.same", "");
    tw_pto_free(alone);
}

/* --- text ------------------------------------------------------------------------------------------------------- */

static const char ring[] = "func.func @f(%p : !pto.ptr<i32>) {\n"
                           "  %b = pto.get_block_idx\n  %v = arith.trunci %b : i64 to i32\n"
                           "  %one = arith.constant 1 : i32\n  %four = arith.constant 4 : i32\n"
                           "  %s = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>\n"
                           "  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>\n"
                           "  pto.tci ins(%v : i32) outs(%s : !pto.tile_buf<vec, 1x8xi32>)\n"
                           "  %n = arith.addi %v, %one : i32\n  %peer = arith.remsi %n, %four : i32\n"
                           "  pto.gmov ins(%s, %peer : !pto.tile_buf<vec, 1x8xi32>, i32) outs(%d : "
                           "!pto.tile_buf<vec, 1x8xi32>)\n"
                           "  %c3 = arith.constant 3 : index\n  %i = arith.index_cast %b : i64 to index\n"
                           "  %e = pto.tgetval ins(%d, %c3 : !pto.tile_buf<vec, 1x8xi32>, index) outs : i32\n"
                           "  pto.store_scalar %e, %p[%i] : !pto.ptr<i32>, i32\n  return\n}\n";

typedef struct text_job {
    tw_pto_text *text;
    int32_t memory[8];
} text_job;

static tw_status run_ring(tw_pto *core, void *user)
{
    text_job *j = user;
    size_t extent = 8;
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_run *run = tw_pto_run_new(j->text, NULL, core);
    tw_status status = run ? tw_pto_run_memory(run, "p", j->memory, TW_I32, 1, &extent) : TW_E_SYMBOL;
    if (status == TW_OK)
        status = tw_pto_run_start(
            run,
            &(tw_pto_run_options){ .size = sizeof(tw_pto_run_options), .block = me.block, .blocks = me.blocks });
    tw_pto_run_free(run);
    return status;
}

/* What the profile says came from whom: a tile for each value written by another block, none for its own. */
static void pto_gmov_pairs(void **state)
{
    plan p = { { 1, 1, 1, 1 }, 0xb, TW_F32, false, 0 }; /* rounds: from block 1, 2, 3; block 2 writes nothing */
    tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){
        .size = sizeof(tw_pto_launch), .target = TW_PTO_CPU, .flags = TW_PTO_PROFILE, .blocks = 4 });
    (void)state;
    if (tw_pto_grid_run(g, exchange, &p) != TW_OK) fail_msg("%s", tw_error_message());
    tw_profile *profile = tw_pto_grid_profile(g);
    bool seen[4][4] = { { false } };
    for (size_t i = 0; i < profile->pairs.count; i++) {
        const tw__profile_pair *pair = &profile->pairs.items[i];
        assert_true(pair->from >= 1 && pair->to != 2 && pair->from != pair->to);
        assert_false(seen[pair->from][pair->to]);
        seen[pair->from][pair->to] = true;
        assert_int_equal(pair->bytes, ROWS * 32 * 4);
        assert_int_equal(pair->messages, 1);
        assert_string_equal(profile->names.items[pair->name], "GMOV");
    }
    assert_int_equal(profile->pairs.count, 3 + 2 + 2); /* blocks 1 and 3 are their own source once */
    tw_profile_free(profile);
    tw_pto_grid_free(g);
}

static void pto_gmov_text(void **state)
{
    text_job j = { tw_pto_text_parse("ring.pto", ring, sizeof ring - 1, NULL, NULL), { 0 } };
    (void)state;
    if (tw_pto_text_verify(j.text, TW_PTO_CPU) != TW_OK) fail_msg("%s", tw_error_message());
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_CPU, .blocks = 8 });
    if (tw_pto_grid_run(g, run_ring, &j) != TW_OK) fail_msg("%s", tw_error_message());
    for (int b = 0; b < 8; b++) assert_int_equal(j.memory[b], b / 4 * 4 + (b + 1) % 4 + 3);
    tw_pto_grid_free(g);
    assert_int_not_equal(tw_pto_text_verify(j.text, TW_PTO_A2A3), TW_OK);
    tw_pto_text_free(j.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_gmov_values), cmocka_unit_test(pto_gmov_rules),
                                        cmocka_unit_test(pto_gmov_nobody), cmocka_unit_test(pto_gmov_text),
                                        cmocka_unit_test(pto_gmov_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
