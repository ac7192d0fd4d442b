/* SPDX-License-Identifier: MIT */
/* Grids of cores: identity, memories by kind of core, flags, SYNCALL, failures, deadlocks, determinism. */
#include "pto/support/check.h"
#include <tilewright/pto/grid.h>

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

/* --- identity --------------------------------------------------------------------------------------------------- */

static char order[512];

static tw_status say_name(tw_pto *core, void *user)
{
    char name[64];
    (void)user;
    strcat(order, tw_pto_core_name(core, name));
    strcat(order, "\n");
    return TW_OK;
}

static void pto_grid_identity(void **state)
{
    static const struct {
        tw_pto_launch launch;
        const char *names;
    } rows[] = {
        { { 0 }, "block 0, core\n" },
        { { .blocks = 2 }, "block 0, core\nblock 1, core\n" },
        { { .blocks = 2, .vectors = 2 },
          "block 0, cube core\nblock 0, vector core 0\nblock 0, vector core 1\n"
          "block 1, cube core\nblock 1, vector core 0\nblock 1, vector core 1\n" },
        { { .devices = 2, .vectors = 1 },
          "device 0, block 0, cube core\ndevice 0, block 0, vector core 0\n"
          "device 1, block 0, cube core\ndevice 1, block 0, vector core 0\n" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_launch launch = rows[i].launch;
        launch.size = sizeof launch;
        tw_pto_grid *g = tw_pto_grid_new(&launch);
        order[0] = 0;
        OK(tw_pto_grid_run(g, say_name, NULL));
        assert_string_equal(order, rows[i].names);
        unsigned last = tw_pto_grid_cores(g) - 1;
        tw_pto_identity me = tw_pto_identity_of(tw_pto_grid_core(g, last));
        assert_int_equal(me.block, me.blocks - 1);
        assert_int_equal(me.device, me.devices - 1);
        assert_int_equal(me.blocks, rows[i].launch.blocks ? rows[i].launch.blocks : 1);
        assert_int_equal(me.sub_blocks, rows[i].launch.vectors ? rows[i].launch.vectors : 1);
        assert_null(tw_pto_grid_core(g, last + 1));
        tw_pto_grid_free(g);
    }
    tw_pto *alone = tw_pto_new(TW_PTO_CPU, 0);
    assert_int_equal(tw_pto_identity_of(alone).blocks, 1);
    tw_pto_free(alone);
}

static void pto_grid_limits(void **state)
{
    static const struct {
        tw_pto_launch launch;
        bool good;
    } rows[] = { { { .blocks = 4096 }, true },
                 { { .blocks = 4097 }, false },
                 { { .devices = 64 }, true },
                 { { .devices = 65 }, false },
                 { { .vectors = 2 }, true },
                 { { .vectors = 3 }, false },
                 { { .blocks = 4096, .devices = 4, .vectors = 2 }, false },
                 { { .target = TW_PTO_TARGETS }, false } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_launch launch = rows[i].launch;
        launch.size = sizeof launch;
        tw_pto_grid *g = tw_pto_grid_new(&launch);
        if (!g != !rows[i].good) fail_msg("row %zu", i);
        tw_pto_grid_free(g);
    }
    tw_pto_grid_free(NULL);
}

/* A cube core has no vector memory, a vector core nothing else. */
static tw_status use_memory(tw_pto *core, void *user)
{
    tw_pto_tile t = tw_pto_tile_of(*(tw_pto_location *)user, TW_F32, 16, 16);
    tw_pto_core_kind kind = tw_pto_identity_of(core).kind;
    bool mine = kind == TW_PTO_WHOLE || (kind == TW_PTO_VECTOR) == (t.location == TW_PTO_VEC);
    assert_int_equal(tw_pto_data(core, &t) != NULL, mine);
    if (!mine) assert_non_null(strstr(tw_error_message(), "has no memory"));
    return TW_OK;
}

static void pto_grid_memories(void **state)
{
    (void)state;
    for (unsigned vectors = 0; vectors <= 2; vectors++)
        for (int l = 0; l < TW_PTO_BIAS; l++) {
            tw_pto_location location = (tw_pto_location)l;
            tw_pto_grid *g = grid_of(TW_PTO_A5, 1, vectors);
            OK(tw_pto_grid_run(g, use_memory, &location));
            tw_pto_grid_free(g);
        }
}

/* --- failures --------------------------------------------------------------------------------------------------- */

static tw_status fail_in_block_1(tw_pto *core, void *user)
{
    tw_pto_tile t = vec_tile(TW_F32, 1, 16);
    int *ended = user;
    if (tw_pto_identity_of(core).block == 1) return tw_pto_tci(core, &t, tw_pto_f32(0), false, NULL);
    tw_status status = tw_pto_sync_all(core, TW_PTO_CORES_MIX, NULL);
    assert_int_equal(status, TW_E_APPLICATION); /* the others unwind */
    ++*ended;
    return status;
}

static void pto_grid_failure(void **state)
{
    int ended = 0;
    (void)state;
    tw_pto_grid *g = grid_of(TW_PTO_A2A3, 4, 0);
    REFUSED(tw_pto_grid_run(g, fail_in_block_1, &ended), "block 1, core: TCI", "type.set");
    assert_int_equal(ended, 1); /* block 0 waited; 2 and 3 never began */
    tw_pto_grid_free(g);
}

/* --- flags ------------------------------------------------------------------------------------------------------ */

typedef struct log {
    int count;
    char text[4096];
} log_text;

static void note(log_text *log, tw_pto *core, const char *what)
{
    char name[64];
    snprintf(log->text + strlen(log->text), sizeof log->text - strlen(log->text), "%s %s\n",
             tw_pto_core_name(core, name), what);
    log->count++;
}

/* The cube waits for both vector cores, then both for the cube. */
static tw_status ping_pong(tw_pto *core, void *user)
{
    log_text *log = user;
    bool cube = tw_pto_identity_of(core).kind == TW_PTO_CUBE;
    for (unsigned turn = 0; turn < 20; turn++) {
        if (cube) {
            OK(tw_pto_sync_wait(core, TW_PTO_PIPE_FIX, 3, TW_PTO_SYNC_CUBE_VECTOR));
            note(log, core, "went");
            OK(tw_pto_sync_set(core, TW_PTO_PIPE_FIX, 4, TW_PTO_SYNC_CUBE_VECTOR));
        } else {
            note(log, core, "set");
            OK(tw_pto_sync_set(core, TW_PTO_PIPE_MTE3, 3, TW_PTO_SYNC_CUBE_VECTOR));
            OK(tw_pto_sync_wait(core, TW_PTO_PIPE_MTE3, 4, TW_PTO_SYNC_CUBE_VECTOR));
        }
    }
    return TW_OK;
}

static void pto_grid_flags(void **state)
{
    static log_text first, again;
    (void)state;
    tw_pto_grid *g = grid_of(TW_PTO_A2A3, 3, 2);
    OK(tw_pto_grid_run(g, ping_pong, &first));
    assert_int_equal(first.count, 3 * 3 * 20);
    /* within a block nobody is a turn ahead */
    static const char *const start = "block 0, vector core 0 set\nblock 0, vector core 1 set\n";
    assert_true(strncmp(first.text, start, strlen(start)) == 0);
    OK(tw_pto_grid_run(g, ping_pong, &again));
    assert_string_equal(first.text, again.text); /* the same every time */
    tw_pto_grid_free(g);
}

static tw_status same_kind(tw_pto *core, void *user)
{
    unsigned *arrived = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    for (unsigned turn = 1; turn <= 3; turn++) {
        arrived[me.kind]++;
        OK(tw_pto_sync_set(core, TW_PTO_PIPE_MTE3, 0, TW_PTO_SYNC_SAME_KIND));
        OK(tw_pto_sync_wait(core, TW_PTO_PIPE_MTE3, 0, TW_PTO_SYNC_SAME_KIND));
        assert_true(arrived[me.kind] >= turn * me.blocks * (me.kind == TW_PTO_VECTOR ? 2 : 1));
        if (me.kind != TW_PTO_VECTOR) continue;
        OK(tw_pto_sync_set(core, TW_PTO_PIPE_V, 15, TW_PTO_SYNC_VECTORS));
        OK(tw_pto_sync_wait(core, TW_PTO_PIPE_V, 15, TW_PTO_SYNC_VECTORS));
    }
    return TW_OK;
}

static void pto_grid_flag_modes(void **state)
{
    unsigned arrived[3] = { 0 };
    (void)state;
    tw_pto_grid *g = grid_of(TW_PTO_A5, 5, 2);
    OK(tw_pto_grid_run(g, same_kind, arrived));
    assert_int_equal(arrived[TW_PTO_CUBE], 15);
    assert_int_equal(arrived[TW_PTO_VECTOR], 30);
    tw_pto_grid_free(g);
}

static tw_status bad_flags(tw_pto *core, void *user)
{
    (void)user;
    if (tw_pto_identity_of(core).kind != TW_PTO_CUBE) return TW_OK;
    REFUSED(tw_pto_sync_set(core, TW_PTO_PIPE_V, 16, TW_PTO_SYNC_CUBE_VECTOR), "sync.id", "a2a3");
    REFUSED(tw_pto_sync_wait(core, TW_PTO_PIPE_V, 16, TW_PTO_SYNC_CUBE_VECTOR), "sync.id", "16");
    REFUSED(tw_pto_sync_set(core, (tw_pto_pipe)99, 1, TW_PTO_SYNC_CUBE_VECTOR), "sync.pipe", "99");
    REFUSED(tw_pto_sync_set(core, TW_PTO_PIPE_V, 1, (tw_pto_sync_mode)3), "sync.mode", "mode 3");
    REFUSED(tw_pto_sync_set(core, TW_PTO_PIPE_V, 1, TW_PTO_SYNC_VECTORS), "sync.mode", "cube core");
    for (int i = 0; i < 15; i++) OK(tw_pto_sync_set(core, TW_PTO_PIPE_V, 1, TW_PTO_SYNC_CUBE_VECTOR));
    REFUSED(tw_pto_sync_set(core, TW_PTO_PIPE_V, 1, TW_PTO_SYNC_CUBE_VECTOR), "sync.overflow", "15 times");
    return TW_OK;
}

static void pto_grid_flag_rules(void **state)
{
    (void)state;
    tw_pto_grid *g = grid_of(TW_PTO_A2A3, 1, 2);
    OK(tw_pto_grid_run(g, bad_flags, NULL));
    tw_pto_grid_free(g);
    tw_pto *alone = tw_pto_new(TW_PTO_A2A3, 0); /* cube and vector in one: a set before the wait is enough */
    OK(tw_pto_sync_set(alone, TW_PTO_PIPE_FIX, 2, TW_PTO_SYNC_CUBE_VECTOR));
    OK(tw_pto_sync_wait(alone, TW_PTO_PIPE_MTE2, 2, TW_PTO_SYNC_CUBE_VECTOR));
    REFUSED(tw_pto_sync_wait(alone, TW_PTO_PIPE_MTE2, 2, TW_PTO_SYNC_CUBE_VECTOR), "deadlock", "flag 2");
    tw_pto_free(alone);
}

/* --- SYNCALL ---------------------------------------------------------------------------------------------------- */

static tw_status write_then_read(tw_pto *core, void *user)
{
    int32_t *shared = user; /* one row of 16 a block, then the workspace */
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_tile t = vec_tile(TW_I32, 1, 16);
    if (me.kind == TW_PTO_CUBE) return tw_pto_sync_all(core, TW_PTO_CORES_MIX, NULL);
    tw_pto_tensor own = tw_pto_tensor_of(shared + 16 * me.block, TW_I32, 1, 16, TW_PTO_ND),
                  next = tw_pto_tensor_of(shared + 16 * ((me.block + 1) % me.blocks), TW_I32, 1, 16, TW_PTO_ND),
                  workspace = tw_pto_tensor_of(shared + 16 * me.blocks, TW_I32, 1, 16, TW_PTO_ND);
    if (me.sub_block == 0) {
        OK(tw_pto_tci(core, &t, tw_pto_i32((int32_t)me.block * 1000), false, NULL));
        OK(tw_pto_store(core, &own, &t));
    }
    OK(tw_pto_sync_all(core, TW_PTO_CORES_AIV_ONLY, &workspace));
    OK(tw_pto_load(core, &t, &next));
    assert_true(get(core, &t, 0, 3) == (me.block + 1) % me.blocks * 1000 + 3);
    return tw_pto_sync_all(core, TW_PTO_CORES_MIX, NULL);
}

static void pto_grid_syncall(void **state)
{
    (void)state;
    for (unsigned vectors = 0; vectors <= 2; vectors++) {
        int32_t shared[16 * 8] = { 0 };
        tw_pto_grid *g = grid_of(TW_PTO_A2A3, 7, vectors);
        OK(tw_pto_grid_run(g, write_then_read, shared));
        uint64_t end = tw_pto_cycles(tw_pto_grid_core(g, 0)); /* all left the last barrier at once */
        assert_true(end > 0);
        for (unsigned i = 1; i < tw_pto_grid_cores(g); i++)
            assert_int_equal(tw_pto_cycles(tw_pto_grid_core(g, i)), end);
        assert_int_equal(tw_pto_grid_cycles(g), end);
        tw_pto_grid_free(g);
    }
}

static tw_status bad_syncall(tw_pto *core, void *user)
{
    int32_t words[16] = { 0 };
    tw_pto_tensor small = tw_pto_tensor_of(words, TW_I32, 1, 15, TW_PTO_ND),
                  floats = tw_pto_tensor_of(words, TW_F32, 1, 16, TW_PTO_ND);
    (void)user;
    if (tw_pto_identity_of(core).kind == TW_PTO_CUBE) {
        REFUSED(tw_pto_sync_all(core, TW_PTO_CORES_AIV_ONLY, NULL), "syncall.cores", "cube core");
        REFUSED(tw_pto_sync_all(core, TW_PTO_CORES_MIX, &small), "syncall.workspace", "16");
        REFUSED(tw_pto_sync_all(core, TW_PTO_CORES_MIX, &floats), "SYNCALL", "type");
    } else {
        REFUSED(tw_pto_sync_all(core, TW_PTO_CORES_AIC_ONLY, NULL), "syncall.cores", "vector core");
        REFUSED(tw_pto_sync_all(core, (tw_pto_core_set)5, NULL), "syncall.cores", "mix");
    }
    return TW_OK;
}

static void pto_grid_syncall_rules(void **state)
{
    (void)state;
    tw_pto_grid *g = grid_of(TW_PTO_A2A3, 1, 1);
    OK(tw_pto_grid_run(g, bad_syncall, NULL));
    tw_pto_grid_free(g);
}

/* --- deadlocks -------------------------------------------------------------------------------------------------- */

static tw_status one_stays_away(tw_pto *core, void *user)
{
    (void)user;
    return tw_pto_identity_of(core).block == 2 ? TW_OK : tw_pto_sync_all(core, TW_PTO_CORES_MIX, NULL);
}

static tw_status both_wait(tw_pto *core, void *user)
{
    bool cube = tw_pto_identity_of(core).kind == TW_PTO_CUBE;
    (void)user;
    tw_status status = tw_pto_sync_wait(core, TW_PTO_PIPE_V, cube ? 1 : 2, TW_PTO_SYNC_CUBE_VECTOR);
    assert_non_null(strstr(tw_error_message(), cube ? "cube core waits" : "vector core"));
    return status;
}

static void pto_grid_deadlock(void **state)
{
    (void)state;
    tw_pto_grid *g = grid_of(TW_PTO_A2A3, 3, 0);
    REFUSED(tw_pto_grid_run(g, one_stays_away, NULL), "block 0, core waits in SYNCALL",
            "block 2, core, which has ended");
    assert_non_null(strstr(tw_error_message(), "\n  block 1, core waits in SYNCALL"));
    OK(tw_pto_grid_run(g, say_name, NULL)); /* and the grid is good for another run */
    tw_pto_grid_free(g);
    g = grid_of(TW_PTO_A2A3, 1, 2);
    REFUSED(
        tw_pto_grid_run(g, both_wait, NULL),
        "block 0, cube core waits in sync.wait for flag 1 (mode 2), which has not been set by block 0, vector "
        "core 0; block 0, vector core 1",
        "block 0, vector core 1 waits in sync.wait for flag 2 (mode 2), which has not been set by block 0, cube "
        "core");
    tw_pto_grid_free(g);
}

static void pto_grid_no_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1;; n++) {
        tw__fail_allocation(n);
        tw_pto_grid *g =
            tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .blocks = 2, .vectors = 2 });
        order[0] = 0;
        tw_status status = g ? tw_pto_grid_run(g, say_name, NULL) : TW_E_NO_MEMORY;
        bool reached = tw__fail_allocation(0) == 0;
        tw_pto_grid_free(g);
        assert_int_equal(status, reached ? TW_E_NO_MEMORY : TW_OK);
        if (!reached) break;
    }
}

/* A cube core with vector cores beside it has no vector memory: of all instructions TMOV alone names a tile there, as
 * the destination of an accumulator, and TASSIGN has to have placed it. */
static tw_status no_vector_memory(tw_pto *core, void *user)
{
    (void)user;
    if (tw_pto_identity_of(core).kind != TW_PTO_CUBE) return TW_OK;
    tw_pto_tile acc = tw_pto_tile_of(TW_PTO_ACC, TW_F32, 16, 16), t = tw_pto_tile_of(TW_PTO_VEC, TW_F32, 16, 16),
                placed = t;
    acc.blayout = TW_PTO_COL_MAJOR;
    acc.slayout = TW_PTO_BOX_ROW;
    acc.fractal = 1024;
    OK(tw_pto_assign(core, &placed, 0));
    float memory[256];
    tw_pto_tensor g = tw_pto_tensor_of(memory, TW_F32, 16, 16, TW_PTO_ND);
    REFUSED(CALL(core, "tadd", NULL, TILE(&t), TILE(&t), TILE(&t)), "core.vector", "TADD");
    REFUSED(CALL(core, "tadd", NULL, TILE(&placed), TILE(&placed), TILE(&placed)), "core.vector", "TADD");
    REFUSED(CALL(core, "tload", NULL, TILE(&placed), TENSOR(&g)), "core.vector", "TLOAD");
    REFUSED(CALL(core, "tstore", NULL, TENSOR(&g), TILE(&placed)), "core.vector", "TSTORE");
    REFUSED(CALL(core, "tmov", NULL, TILE(&t), TILE(&acc)), "core.vector", "TASSIGN has placed");
    REFUSED(CALL(core, "tmov", NULL, TILE(&placed), TILE(&placed)), "core.vector", "TMOV");
    OK(CALL(core, "tmov", NULL, TILE(&placed), TILE(&acc)));
    return TW_OK;
}

static void pto_grid_core_vector(void **state)
{
    (void)state;
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A5, .vectors = 2 });
    OK(tw_pto_grid_run(g, no_vector_memory, NULL));
    tw_pto_grid_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_grid_identity),      cmocka_unit_test(pto_grid_limits),
        cmocka_unit_test(pto_grid_memories),      cmocka_unit_test(pto_grid_failure),
        cmocka_unit_test(pto_grid_flags),         cmocka_unit_test(pto_grid_flag_modes),
        cmocka_unit_test(pto_grid_flag_rules),    cmocka_unit_test(pto_grid_syncall),
        cmocka_unit_test(pto_grid_syncall_rules), cmocka_unit_test(pto_grid_deadlock),
        cmocka_unit_test(pto_grid_no_memory),     cmocka_unit_test(pto_grid_core_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
