/* SPDX-License-Identifier: MIT */
/* FIFOs between the cores of a block: values by split and direction, order, back-pressure, slots as tensors, every
 * rule, deadlocks, times. */
#include "pto/support/check.h"
#include <tilewright/pto/grid.h>
#include "core/profile/profile.h"

enum { ROWS = 32, COLS = 64 };

/* What a case of the value test is about; the reference is a plain array. */
typedef struct scene {
    tw_pto_direction direction;
    tw_pto_split split;
    unsigned vectors, slots, rounds;
    bool first_only, tensors; /* tensors: slots as tensors (TALLOC) */
    tw_pto_target target;
} scene;

static tw_pto_fifo fifo_of(const scene *s)
{
    return (tw_pto_fifo){ .id = 3,
                          .direction = s->direction,
                          .slot_bytes = ROWS * COLS * 4,
                          .slots = s->slots,
                          .first_vector_only = s->first_only };
}

static float value(unsigned round, unsigned r, unsigned c)
{
    return (float)(round * 100000 + r * 1000 + c);
}

static tw_pto_tile tile_of(tw_pto_location location, unsigned rows, unsigned cols)
{
    tw_pto_tile t = tw_pto_tile_of(location, TW_F32, rows, cols);
    if (location == TW_PTO_VEC) return t;
    t.blayout = TW_PTO_COL_MAJOR; /* NZ, as the cube has it */
    t.slayout = TW_PTO_BOX_ROW;
    t.fractal = location == TW_PTO_ACC ? 1024 : 512;
    return t;
}

static void check_tile(tw_pto *core, tw_pto_tile *t, unsigned round, unsigned row, unsigned col)
{
    for (unsigned r = 0; r < t->valid_rows; r++)
        for (unsigned c = 0; c < t->valid_cols; c++)
            if (get(core, t, r, c) != (double)value(round, row + r, col + c))
                fail_msg("round %u (%u, %u): %g", round, r, c, get(core, t, r, c));
}

/* This core's part of the whole tile. */
static void part_of(const scene *s, tw_pto_identity me, unsigned *rows, unsigned *cols, unsigned *row,
                    unsigned *col)
{
    unsigned parts = me.kind == TW_PTO_VECTOR && !s->first_only ? me.sub_blocks : 1;
    *rows = s->split == TW_PTO_SPLIT_UP_DOWN ? ROWS / parts : ROWS;
    *cols = s->split == TW_PTO_SPLIT_LEFT_RIGHT ? COLS / parts : COLS;
    *row = s->split == TW_PTO_SPLIT_UP_DOWN ? me.sub_block * *rows : 0;
    *col = s->split == TW_PTO_SPLIT_LEFT_RIGHT ? me.sub_block * *cols : 0;
}

static tw_pto_tensor slot_view(const scene *s, unsigned rows, unsigned cols)
{
    tw_pto_tensor g = tw_pto_tensor_of(NULL, TW_F32, rows, cols, TW_PTO_ND);
    for (int d = 0; d < 4; d++) g.stride[d] = COLS;
    (void)s;
    return g;
}

static tw_status exchange(tw_pto *core, void *user)
{
    const scene *s = user;
    tw_pto_fifo fifo = fifo_of(s);
    tw_pto_identity me = tw_pto_identity_of(core);
    bool cube = me.kind != TW_PTO_VECTOR, down = s->direction == TW_PTO_CUBE_TO_VECTOR;
    tw_pto_attrs attrs = { .split = (int32_t)s->split };
    unsigned rows, cols, row, col;
    if (s->first_only && me.sub_block) return TW_OK;
    part_of(s, me, &rows, &cols, &row, &col);
    tw_pto_tile out = tile_of(cube ? TW_PTO_ACC : TW_PTO_VEC, rows, cols),
                in = tile_of(cube ? TW_PTO_MAT : TW_PTO_VEC, rows, cols);
    tw_pto_tensor g = slot_view(s, rows, cols);
    for (unsigned round = 0; round < s->rounds; round++) {
        if (cube == down) {
            for (unsigned r = 0; r < rows; r++)
                for (unsigned c = 0; c < cols; c++) set(core, &out, r, c, value(round, row + r, col + c));
            if (s->tensors) {
                OK(CALL(core, "talloc", &attrs, tw_pto_fifo_operand(&fifo), TENSOR(&g)));
                OK(tw_pto_store(core, &g, &out));
                OK(CALL(core, "tpush", &attrs, tw_pto_fifo_operand(&fifo), TENSOR(&g)));
            } else {
                OK(tw_pto_push(core, &fifo, &out, s->split));
            }
        } else {
            if (s->tensors) {
                OK(CALL(core, "tpop", &attrs, tw_pto_fifo_operand(&fifo), TENSOR(&g)));
                OK(tw_pto_load(core, &in, &g));
                OK(CALL(core, "tfree", &attrs, tw_pto_fifo_operand(&fifo), TENSOR(&g)));
            } else {
                OK(tw_pto_pop(core, &fifo, &in, s->split));
                OK(tw_pto_free_slot(core, &fifo));
            }
            check_tile(core, &in, round, row, col);
        }
    }
    return TW_OK;
}

/* What the profile says came from whom: all consumers of a block have their parts, from all who pushed one. */
static void check_pairs(const tw_pto_grid *g, const scene *s)
{
    tw_profile *p = tw_pto_grid_profile(g);
    bool down = s->direction == TW_PTO_CUBE_TO_VECTOR, split = s->split != TW_PTO_SPLIT_NONE;
    unsigned per_block = s->vectors + 1, vectors = s->first_only ? 1 : s->vectors;
    uint64_t whole = (uint64_t)s->rounds * ROWS * COLS * 4;
    assert_non_null(p);
    assert_int_equal(p->pairs.count, 2 * (down ? vectors : split ? vectors : 1));
    for (size_t i = 0; i < p->pairs.count; i++) {
        const tw__profile_pair *pair = &p->pairs.items[i];
        unsigned cube = down ? pair->from : pair->to, vector = down ? pair->to : pair->from;
        assert_int_equal(cube % per_block, 0);
        assert_true(vector > cube && vector <= cube + vectors);
        assert_int_equal(pair->bytes, split ? whole / vectors : whole);
        assert_int_equal(pair->messages, s->rounds);
        assert_string_equal(p->names.items[pair->name], "FIFO 3");
    }
    tw_profile_free(p);
}

static void pto_fifo_values(void **state)
{
    static const unsigned slots[] = { 1, 2, 3, 4, 8 };
    unsigned cases = 0;
    (void)state;
    for (int target = TW_PTO_CPU; target <= TW_PTO_A5; target++)
        for (int direction = 1; direction <= 2; direction++)
            for (int split = 0; split <= 2; split++)
                for (unsigned vectors = 1; vectors <= 2; vectors++)
                    for (unsigned k = 0; k < 5; k++)
                        for (int tensors = 0; tensors <= 1; tensors++)
                            for (int first = 0; first <= (split == 0 && vectors == 2); first++) {
                                scene s = { .direction = (tw_pto_direction)direction,
                                            .split = (tw_pto_split)split,
                                            .vectors = vectors,
                                            .slots = slots[k],
                                            .rounds = 5,
                                            .first_only = first != 0,
                                            .tensors = tensors != 0,
                                            .target = (tw_pto_target)target };
                                tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch),
                                                                                   .target = s.target,
                                                                                   .flags = TW_PTO_PROFILE,
                                                                                   .blocks = 2,
                                                                                   .vectors = vectors });
                                if (tw_pto_grid_run(g, exchange, &s) != TW_OK) fail_msg("%s", tw_error_message());
                                check_pairs(g, &s);
                                tw_pto_grid_free(g);
                                cases++;
                            }
    assert_int_equal(cases, 3 * 2 * (6 + 1) * 5 * 2);
}

/* Accumulators change type on the way: f32 to f16, relu, i32 times one scale, f32 times a scale per column. */
static tw_status scaled(tw_pto *core, void *user)
{
    tw_pto_fifo halves = { .direction = TW_PTO_CUBE_TO_VECTOR, .slot_bytes = 512, .slots = 4, .type = TW_F16 },
                bytes = { .id = 1,
                          .direction = TW_PTO_CUBE_TO_VECTOR,
                          .slot_bytes = 256,
                          .slots = 2,
                          .type = TW_I8 },
                plain = { .id = 2, .direction = TW_PTO_CUBE_TO_VECTOR, .slot_bytes = 512, .slots = 1 };
    (void)user;
    if (tw_pto_identity_of(core).kind == TW_PTO_CUBE) {
        tw_pto_tile acc = tile_of(TW_PTO_ACC, 16, 16), sums = acc,
                    fp = tw_pto_tile_of(TW_PTO_SCALING, TW_U64, 1, 16);
        tw_pto_attrs relu = { .relu = 1 };
        float half = 0.5f;
        uint32_t bits;
        memcpy(&bits, &half, 4);
        tw_pto_operand scale = SCALAR(tw_pto_bits(TW_I64, bits)), q = tw_pto_fifo_operand(&halves);
        sums.type = TW_I32;
        for (unsigned r = 0; r < 16; r++)
            for (unsigned c = 0; c < 16; c++) {
                set(core, &acc, r, c, (double)r - (double)c);
                set(core, &sums, r, c, (double)r - (double)c);
            }
        for (unsigned c = 0; c < 16; c++) {
            float by = (float)(c + 1);
            memcpy((char *)tw_pto_data(core, &fp) + tw_pto_element(&fp, 0, c), &by, 4);
        }
        OK(CALL(core, "tpush", NULL, q, TILE(&acc)));
        OK(CALL(core, "tpush", &relu, q, TILE(&acc)));
        OK(CALL(core, "set_quant_scalar", NULL, scale));
        OK(CALL(core, "tpush", NULL, q, TILE(&sums))); /* the scale that was set */
        OK(CALL(core, "tpush", NULL, q, TILE(&sums), scale));
        OK(CALL(core, "tpush", NULL, tw_pto_fifo_operand(&bytes), TILE(&acc), TILE(&fp)));
        OK(CALL(core, "set_quant_vector", NULL, TILE(&fp)));
        OK(CALL(core, "tpush", NULL, tw_pto_fifo_operand(&bytes), TILE(&acc)));
        REFUSED(CALL(core, "tpush", NULL, tw_pto_fifo_operand(&plain), TILE(&sums), scale), "fifo.type", "TPUSH");
        return TW_OK;
    }
    for (int i = 0; i < 6; i++) {
        tw_pto_tile t = tw_pto_tile_of(TW_PTO_VEC, i < 4 ? TW_F16 : TW_I8, 16, 16 * (i < 4 ? 1 : 2));
        t.valid_cols = 16;
        OK(tw_pto_pop(core, i < 4 ? &halves : &bytes, &t, TW_PTO_SPLIT_NONE));
        for (unsigned r = 0; r < 16; r++)
            for (unsigned c = 0; c < 16; c++) {
                double x = (double)r - (double)c;
                double want = i == 0 ? x : i == 1 ? (x > 0 ? x : 0) : i < 4 ? x * 0.5 : x * (c + 1);
                if (i > 3) want = want > 127 ? 127 : want < -128 ? -128 : want;
                if (get(core, &t, r, c) != want) fail_msg("%d (%u, %u): %g", i, r, c, get(core, &t, r, c));
            }
    }
    return TW_OK;
}

static void pto_fifo_scaled(void **state)
{
    (void)state;
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .vectors = 1 });
    OK(tw_pto_grid_run(g, scaled, NULL));
    tw_pto_grid_free(g);
}

/* Slots in memory of the caller: number n lies at n modulo slots. */
static tw_status into_memory(tw_pto *core, void *user)
{
    tw_pto_fifo fifo = { .direction = TW_PTO_VECTOR_TO_CUBE, .slot_bytes = 64, .slots = 2, .memory = user };
    tw_pto_tile t = vec_tile(TW_I32, 1, 16), in = tw_pto_tile_of(TW_PTO_MAT, TW_I32, 1, 16);
    for (int i = 0; i < 4; i++) {
        OK(tw_pto_tci(core, &t, tw_pto_i32(100 * i), false, NULL));
        OK(tw_pto_push(core, &fifo, &t, TW_PTO_SPLIT_NONE));
        if (i % 2 == 0) continue;
        for (int k = 0; k < 2; k++) { /* a whole core is both sides; freed slots are told in pairs */
            OK(tw_pto_pop(core, &fifo, &in, TW_PTO_SPLIT_NONE));
            assert_true(get(core, &in, 0, 5) == 100 * (i - 1 + k) + 5);
            OK(tw_pto_free_slot(core, &fifo));
        }
    }
    return TW_OK;
}

static void pto_fifo_memory(void **state)
{
    int32_t memory[32] = { 0 };
    (void)state;
    tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_CPU });
    OK(tw_pto_grid_run(g, into_memory, memory));
    assert_int_equal(memory[0], 200);
    assert_int_equal(memory[16 + 7], 307);
    tw_pto_grid_free(g);
    tw_pto *alone = tw_pto_new(TW_PTO_CPU, 0); /* and without a grid */
    OK(into_memory(alone, memory));
    tw_pto_free(alone);
}

/* --- back-pressure: the producer is told of freed slots once in `period` of them -------------------------------- */

typedef struct pressure {
    unsigned slots, frees, pushed, period;
} pressure;

static tw_status push_until_full(tw_pto *core, void *user)
{
    pressure *p = user;
    tw_pto_fifo fifo = { .direction = TW_PTO_VECTOR_TO_CUBE, .slot_bytes = 64, .slots = p->slots };
    tw_pto_tile t = vec_tile(TW_I32, 1, 16), in = tw_pto_tile_of(TW_PTO_MAT, TW_I32, 1, 16);
    tw_status status = TW_OK;
    if (tw_pto_identity_of(core).kind == TW_PTO_CUBE) {
        for (unsigned i = 0; i < p->frees; i++) {
            OK(tw_pto_pop(core, &fifo, &in, TW_PTO_SPLIT_NONE));
            OK(tw_pto_free_slot(core, &fifo));
        }
        return TW_OK;
    }
    while (status == TW_OK && p->pushed < 1000) {
        status = tw_pto_push(core, &fifo, &t, TW_PTO_SPLIT_NONE);
        p->pushed += status == TW_OK;
    }
    return status;
}

static void pto_fifo_pressure(void **state)
{
    static const unsigned slots[] = { 1, 2, 3, 4, 5, 8, 64 };
    (void)state;
    for (unsigned k = 0; k < 7; k++)
        for (unsigned frees = 0; frees <= 9; frees++) {
            pressure p = { .slots = slots[k], .frees = frees };
            p.period = p.slots <= 2 ? p.slots : p.slots / 2;
            tw_pto_grid *g = tw_pto_grid_new(
                &(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .vectors = 1 });
            REFUSED(tw_pto_grid_run(g, push_until_full, &p), "vector core 0 waits for a free slot",
                    "block 0, cube core has popped");
            assert_int_equal(p.pushed, p.slots + frees / p.period * p.period);
            tw_pto_grid_free(g);
        }
}

/* --- rules ------------------------------------------------------------------------------------------------------ */

static void pto_fifo_rules(void **state)
{
    static const struct {
        const char *op;
        tw_pto_fifo fifo;
        tw_pto_location location;
        tw_pto_attrs attrs;
        const char *rule; /* NULL = good */
    } rows[] = {
        { "tpush", { .direction = 2, .slots = 1, .slot_bytes = 64 }, TW_PTO_VEC, { 0 }, NULL },
        { "tpush", { .direction = 2, .slots = 64, .slot_bytes = 64, .id = 15 }, TW_PTO_VEC, { 0 }, NULL },
        { "tpush", { .direction = 2, .slots = 1, .slot_bytes = 64, .id = 16 }, TW_PTO_VEC, { 0 }, "fifo.id" },
        { "tpush", { .direction = 0, .slots = 1, .slot_bytes = 64 }, TW_PTO_VEC, { 0 }, "fifo.direction" },
        { "tpush", { .direction = 3, .slots = 1, .slot_bytes = 64 }, TW_PTO_VEC, { 0 }, "fifo.direction" },
        { "tpush", { .direction = 2, .slots = 0, .slot_bytes = 64 }, TW_PTO_VEC, { 0 }, "fifo.slots" },
        { "tpush", { .direction = 2, .slots = 65, .slot_bytes = 64 }, TW_PTO_VEC, { 0 }, "fifo.slots" },
        { "tpush", { .direction = 2, .slots = 1, .slot_bytes = 0 }, TW_PTO_VEC, { 0 }, "fifo.slot-bytes" },
        { "tpush", { .direction = 2, .slots = 1, .slot_bytes = 1 << 20 }, TW_PTO_VEC, { 0 }, NULL },
        { "tpush",
          { .direction = 2, .slots = 1, .slot_bytes = (1 << 20) + 32 },
          TW_PTO_VEC,
          { 0 },
          "fifo.slot-bytes" },
        { "tpush", { .direction = 2, .slots = 1, .slot_bytes = 48 }, TW_PTO_VEC, { 0 }, "fifo.slot-bytes" },
        { "tpush", { .direction = 2, .slots = 1, .slot_bytes = 64 }, TW_PTO_VEC, { .split = 3 }, "fifo.split" },
        { "tpush", { .direction = 2, .slots = 1, .slot_bytes = 64 }, TW_PTO_VEC, { .relu = 1 }, "store.relu" },
        { "tpush", { .direction = 1, .slots = 1, .slot_bytes = 64 }, TW_PTO_VEC, { 0 }, "fifo.location" },
        { "tpush", { .direction = 2, .slots = 1, .slot_bytes = 64 }, TW_PTO_MAT, { 0 }, "fifo.location" },
        { "tpop", { .direction = 1, .slots = 1, .slot_bytes = 64 }, TW_PTO_VEC, { 0 }, NULL },
        { "tpop", { .direction = 2, .slots = 1, .slot_bytes = 64 }, TW_PTO_VEC, { 0 }, "fifo.location" },
        { "tpop", { .direction = 1, .slots = 1, .slot_bytes = 64 }, TW_PTO_MAT, { 0 }, "fifo.location" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_tile t = tw_pto_tile_of(rows[i].location, TW_I32, 1, 16);
        tw_pto_operand operands[] = { tw_pto_fifo_operand(&rows[i].fifo), TILE(&t) };
        int op = tw_pto_op_by_name(rows[i].op);
        tw_status status = tw_pto_check(TW_PTO_A2A3, op, operands, 2, &rows[i].attrs, NULL);
        if ((status == TW_OK) != !rows[i].rule || (rows[i].rule && !strstr(tw_error_message(), rows[i].rule)))
            fail_msg("row %zu: %s", i, status == TW_OK ? "accepted" : tw_error_message());
    }
}

/* Rules that the state of the queue decides, on a core that is both sides. */
static void pto_fifo_state_rules(void **state)
{
    tw_pto_fifo f = { .direction = TW_PTO_VECTOR_TO_CUBE, .slot_bytes = 64, .slots = 2 }, other = f;
    tw_pto_tile t = vec_tile(TW_I32, 1, 16), in = tw_pto_tile_of(TW_PTO_MAT, TW_I32, 1, 16),
                wide = vec_tile(TW_I32, 1, 24), narrow = tw_pto_tile_of(TW_PTO_MAT, TW_I32, 1, 8),
                floats = tw_pto_tile_of(TW_PTO_MAT, TW_F32, 1, 16);
    tw_pto_tensor g = tw_pto_tensor_of(NULL, TW_I32, 1, 16, TW_PTO_ND),
                  long_g = tw_pto_tensor_of(NULL, TW_I32, 1, 17, TW_PTO_ND),
                  nz = tw_pto_tensor_of(NULL, TW_I32, 16, 8, TW_PTO_NZ);
    tw_pto_attrs split = { .split = 1 };
    tw_pto_operand q = tw_pto_fifo_operand(&f);
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    REFUSED(tw_pto_free_slot(core, &f), "TFREE", "fifo.free");
    REFUSED(tw_pto_pop(core, &f, &in, TW_PTO_SPLIT_NONE), "waits for data number 1", "sync.deadlock");
    REFUSED(CALL(core, "tpush", NULL, q, TENSOR(&g)), "TPUSH", "fifo.talloc");
    REFUSED(CALL(core, "talloc", NULL, q, TENSOR(&long_g)), "fifo.slot-size", "64");
    REFUSED(CALL(core, "talloc", &split, q, TENSOR(&nz)), "fifo.layout", "nd");
    OK(CALL(core, "talloc", NULL, q, TENSOR(&g)));
    REFUSED(CALL(core, "talloc", NULL, q, TENSOR(&g)), "TALLOC", "fifo.talloc");
    REFUSED(tw_pto_push(core, &f, &t, TW_PTO_SPLIT_NONE), "TPUSH", "fifo.talloc");
    OK(CALL(core, "tpush", NULL, q, TENSOR(&g)));
    REFUSED(tw_pto_push(core, &f, &wide, TW_PTO_SPLIT_NONE), "fifo.slot-size", "96 bytes");
    OK(tw_pto_push(core, &f, &t, TW_PTO_SPLIT_UP_DOWN));
    REFUSED(tw_pto_push(core, &f, &t, TW_PTO_SPLIT_NONE), "waits for a free slot to push number 3", "deadlock");
    other.slots = 4;
    REFUSED(tw_pto_push(core, &other, &t, TW_PTO_SPLIT_NONE), "fifo.same", "4 slots");
    REFUSED(tw_pto_pop(core, &f, &narrow, TW_PTO_SPLIT_NONE), "fifo.tile", "1 x 16 i32");
    REFUSED(tw_pto_pop(core, &f, &floats, TW_PTO_SPLIT_NONE), "fifo.tile", "f32");
    REFUSED(tw_pto_pop(core, &f, &in, TW_PTO_SPLIT_UP_DOWN), "fifo.split", "pushed with split 0");
    OK(tw_pto_pop(core, &f, &in, TW_PTO_SPLIT_NONE));
    REFUSED(CALL(core, "tpop", NULL, q, TENSOR(&g)), "fifo.split", "pushed with split 1");
    OK(tw_pto_free_slot(core, &f));
    REFUSED(tw_pto_free_slot(core, &f), "fifo.free", "already");
    REFUSED(CALL(core, "tpush", NULL, q), "operands", "TPUSH");
    REFUSED(CALL(core, "tpush", NULL, TILE(&t), TILE(&t)), "operands", "FIFO");
    tw_pto_free(core);
}

/* Which core may do what, and two vector cores that do not fit together. */
static tw_status wrong_core(tw_pto *core, void *user)
{
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_fifo up = { .direction = TW_PTO_VECTOR_TO_CUBE, .slot_bytes = 4096, .slots = 2 }, only = {
        .id = 1, .direction = TW_PTO_VECTOR_TO_CUBE, .slot_bytes = 4096, .slots = 2, .first_vector_only = true
    };
    (void)user;
    if (me.kind == TW_PTO_CUBE) {
        tw_pto_tensor g = tw_pto_tensor_of(NULL, TW_I32, 1, 16, TW_PTO_ND);
        REFUSED(CALL(core, "talloc", NULL, tw_pto_fifo_operand(&up), TENSOR(&g)), "fifo.core", "cube core");
        return TW_OK;
    }
    tw_pto_tile t = vec_tile(TW_F32, me.sub_block ? 4 : 8, 8);
    REFUSED(tw_pto_free_slot(core, &up), "fifo.core", "vector core");
    if (me.sub_block) {
        REFUSED(tw_pto_push(core, &only, &t, TW_PTO_SPLIT_NONE), "fifo.core", "first vector core's alone");
        REFUSED(tw_pto_push(core, &up, &t, TW_PTO_SPLIT_UP_DOWN), "fifo.parts", "16 x 8");
    } else {
        OK(tw_pto_push(core, &up, &t, TW_PTO_SPLIT_UP_DOWN));
    }
    return TW_OK;
}

static void pto_fifo_cores(void **state)
{
    (void)state;
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .vectors = 2 });
    OK(tw_pto_grid_run(g, wrong_core, NULL));
    tw_pto_grid_free(g);
}

/* --- deadlocks and time ----------------------------------------------------------------------------------------- */

/* Both sides wait for what the other would send next. */
static tw_status cross(tw_pto *core, void *user)
{
    bool cube = tw_pto_identity_of(core).kind == TW_PTO_CUBE;
    tw_pto_fifo fifo = { .direction = cube ? TW_PTO_VECTOR_TO_CUBE : TW_PTO_CUBE_TO_VECTOR,
                         .slot_bytes = 1024,
                         .slots = 2 };
    tw_pto_tile t = tile_of(cube ? TW_PTO_MAT : TW_PTO_VEC, 16, 16);
    (void)user;
    return tw_pto_pop(core, &fifo, &t, TW_PTO_SPLIT_NONE);
}

static void pto_fifo_deadlock(void **state)
{
    (void)state;
    tw_pto_grid *g =
        tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .vectors = 2 });
    REFUSED(
        tw_pto_grid_run(g, cross, NULL),
        "block 0, cube core waits for data number 1 of FIFO 0 (vector to cube, 2 slots of 1024 bytes); block 0, "
        "vector core 0 has pushed 0; block 0, vector core 1 has pushed 0",
        "block 0, vector core 1 waits for data number 1 of FIFO 0 (cube to vector");
    tw_pto_grid_free(g);
}

/* The consumer is no earlier than the data, the producer of number 2 no earlier than the slot's release. */
static void pto_fifo_time(void **state)
{
    (void)state;
    scene s = { .direction = TW_PTO_CUBE_TO_VECTOR, .vectors = 1, .slots = 1, .rounds = 4, .target = TW_PTO_A2A3 };
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        s.slots = i ? 8 : 1;
        tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){
            .size = sizeof(tw_pto_launch), .target = s.target, .vectors = 1, .flags = TW_PTO_PROFILE });
        OK(tw_pto_grid_run(g, exchange, &s));
        tw_pto *cube = tw_pto_grid_core(g, 0), *vector = tw_pto_grid_core(g, 1);
        uint64_t out = tw_pto_pipe_cycles(cube, TW_PTO_PIPE_FIX), in = tw_pto_pipe_cycles(vector, TW_PTO_PIPE_MTE2);
        /* 8 KiB at 70 and at 100.9 GiB/s and 1.85 GHz, four times */
        assert_in_range(out, 4 * 201, 4 * 204);
        assert_in_range(in, 4 * 139, 4 * 142);
        cycles[i] = tw_pto_grid_cycles(g);
        if (i)
            assert_int_equal(cycles[i], out + in / 4); /* both at once, the last pop behind the last push */
        else
            assert_int_equal(cycles[i], out + in); /* one slot: in turns */
        tw_pto_grid_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_fifo_values), cmocka_unit_test(pto_fifo_scaled),
        cmocka_unit_test(pto_fifo_memory), cmocka_unit_test(pto_fifo_pressure),
        cmocka_unit_test(pto_fifo_rules),  cmocka_unit_test(pto_fifo_state_rules),
        cmocka_unit_test(pto_fifo_cores),  cmocka_unit_test(pto_fifo_deadlock),
        cmocka_unit_test(pto_fifo_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
