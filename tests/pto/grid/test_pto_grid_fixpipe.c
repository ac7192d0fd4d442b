/* SPDX-License-Identifier: MIT */
/* What the fixed pipe does to accumulators on their way into a FIFO: layout, scale, relu, clip, channels, one vector
 * core alone; 8-bit and 4-bit elements. Values and places against plain arithmetic. */
#include "pto/support/check.h"
#include <tilewright/pto/grid.h>

static tw_pto_tile tile_of(tw_pto_location location, unsigned rows, unsigned cols)
{
    tw_pto_tile t = tw_pto_tile_of(location, TW_F32, rows, cols);
    t.blayout = TW_PTO_COL_MAJOR; /* NZ, as the cube has it */
    t.slayout = TW_PTO_BOX_ROW;
    t.fractal = location == TW_PTO_ACC ? 1024 : 512;
    return t;
}

/* --- settings of the fixed pipe: where an element lies in a slot, what becomes of its value --------------------- */

/* One push of an accumulator of R x C with (r - 20) * 8 + c, and how it comes out. */
typedef struct pipe_case {
    const char *name;
    tw_pto_attrs attrs;
    tw_type from, to; /* accumulator; slot */
    unsigned split;
    float scale, clip; /* 0 = none */
    unsigned char blayout, slayout;
    unsigned fractal;
    unsigned box; /* columns of a box in the slot; 0 = rows, 1 = columns */
    tw_pto_target target;
} pipe_case;

enum { FIX_R = 32, FIX_C = 64 };

static double accumulated(unsigned r, unsigned c)
{
    return ((double)r - 20) * 8 + c;
}

static double result_of(const pipe_case *p, double x)
{
    if (p->attrs.relu || p->clip > 0) x = x > 0 ? x : 0;
    if (p->scale > 0) x *= (double)p->scale;
    if (p->to == TW_I8) x = nearbyint(x); /* ties to even */
    if (p->to == TW_I8) x = x > 127 ? 127 : x < -128 ? -128 : x;
    if (p->to == TW_F8E4M3) { /* through the type itself: its values are tested elsewhere */
        unsigned char byte[8];
        tw_type_store(p->to, byte, x);
        x = tw_type_load(p->to, byte);
    }
    return p->clip > 0 && x > (double)p->clip ? (double)p->clip : x;
}

/* Element number of (r, c) in the slot. */
static size_t place_of(const pipe_case *p, unsigned r, unsigned c)
{
    if (p->box == 0) return (size_t)r * FIX_C + c;
    if (p->box == 1) return (size_t)c * FIX_R + r;
    return (size_t)(c / p->box) * FIX_R * p->box + r * p->box + c % p->box;
}

static unsigned char slot_bytes[FIX_R * FIX_C * 4];

static tw_status fixed_pipe(tw_pto *core, void *user)
{
    const pipe_case *p = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_fifo fifo = { .direction = TW_PTO_CUBE_TO_VECTOR,
                         .slot_bytes = sizeof slot_bytes,
                         .slots = 1,
                         .type = p->to,
                         .memory = slot_bytes };
    if (me.kind == TW_PTO_CUBE) {
        tw_pto_tile acc = tile_of(TW_PTO_ACC, FIX_R, FIX_C);
        tw_pto_attrs attrs = p->attrs;
        uint32_t bits;
        acc.type = p->from;
        attrs.split = (int32_t)p->split;
        if (p->clip > 0) memcpy(&attrs.clip, &p->clip, 4);
        memcpy(&bits, &p->scale, 4);
        if (p->scale > 0) OK(CALL(core, "set_quant_scalar", NULL, SCALAR(tw_pto_bits(TW_I64, bits))));
        for (unsigned r = 0; r < FIX_R; r++)
            for (unsigned c = 0; c < FIX_C; c++) set(core, &acc, r, c, accumulated(r, c));
        return tw_pto_push_with(core, &fifo, &acc, &attrs);
    }
    unsigned rows = p->split == 1 ? FIX_R / me.sub_blocks : FIX_R,
             cols = p->split == 2 ? FIX_C / me.sub_blocks : FIX_C, row = p->split == 1 ? me.sub_block * rows : 0,
             col = p->split == 2 ? me.sub_block * cols : 0;
    tw_pto_tile t = tw_pto_tile_of(TW_PTO_VEC, p->to, rows, cols);
    t.blayout = p->blayout;
    t.slayout = p->slayout;
    t.fractal = p->fractal ? p->fractal : 512;
    OK(tw_pto_pop(core, &fifo, &t, (tw_pto_split)p->split));
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < cols; c++) {
            double want = result_of(p, accumulated(row + r, col + c));
            double lies = tw_type_load(p->to, slot_bytes + place_of(p, row + r, col + c) * tw_type_size(p->to));
            if (get(core, &t, r, c) != want || lies != want)
                fail_msg("%s (%u, %u): tile %g, slot %g, not %g", p->name, r, c, get(core, &t, r, c), lies, want);
        }
    return tw_pto_free_slot(core, &fifo);
}

static void pto_fifo_fixpipe(void **state)
{
    static const pipe_case cases[] = {
        { "nz2nd", { 0 }, TW_F32, TW_F32, 0, 0, 0, 0, 0, 0, 0, TW_PTO_A2A3 },
        { "nz2nd, phase", { .phase = 3 }, TW_F32, TW_F16, 1, 0, 0, 0, 0, 0, 0, TW_PTO_A2A3 },
        { "nz2nz f32", { .slot_layout = 1 }, TW_F32, TW_F32, 0, 0, 0, 1, 1, 1024, 16, TW_PTO_A2A3 },
        { "nz2nz f32, rows", { .slot_layout = 1 }, TW_F32, TW_F32, 1, 0, 0, 1, 1, 1024, 16, TW_PTO_A2A3 },
        { "nz2nz f32, columns", { .slot_layout = 1 }, TW_F32, TW_F32, 2, 0, 0, 1, 1, 1024, 16, TW_PTO_A5 },
        { "nz2nz split channels",
          { .slot_layout = 1, .channel_split = 1 },
          TW_F32,
          TW_F32,
          0,
          0,
          0,
          1,
          1,
          512,
          8,
          TW_PTO_A2A3 },
        { "nz2nz split channels, columns",
          { .slot_layout = 1, .channel_split = 1 },
          TW_F32,
          TW_F32,
          2,
          0,
          0,
          1,
          1,
          512,
          8,
          TW_PTO_A2A3 },
        { "nz2nz f16", { .slot_layout = 1, .relu = 1 }, TW_F32, TW_F16, 1, 0, 0, 1, 1, 512, 16, TW_PTO_A2A3 },
        { "nz2nz i8", { .slot_layout = 1 }, TW_I32, TW_I8, 2, 0.5f, 0, 1, 1, 512, 32, TW_PTO_A2A3 },
        { "nz2dn f32", { .slot_layout = 2 }, TW_F32, TW_F32, 0, 0, 0, 1, 0, 0, 1, TW_PTO_A2A3 },
        { "nz2dn f16, rows", { .slot_layout = 2 }, TW_F32, TW_F16, 1, 0, 0, 1, 0, 0, 1, TW_PTO_A5 },
        { "nz2dn i32, columns", { .slot_layout = 2 }, TW_I32, TW_I32, 2, 0, 0, 1, 0, 0, 1, TW_PTO_CPU },
        { "clip f16", { 0 }, TW_F32, TW_F16, 0, 0, 6.5f, 0, 0, 0, 0, TW_PTO_A2A3 },
        { "clip f32 in boxes", { .slot_layout = 1 }, TW_F32, TW_F32, 1, 0, 6.25f, 1, 1, 1024, 16, TW_PTO_A2A3 },
        { "clip i8 after the scale", { 0 }, TW_I32, TW_I8, 1, 0.5f, 20, 0, 0, 0, 0, TW_PTO_A2A3 },
        { "f8e4m3", { 0 }, TW_F32, TW_F8E4M3, 1, 0.25f, 0, 0, 0, 0, 0, TW_PTO_A5 },
        { "f8e4m3 in boxes", { .slot_layout = 1 }, TW_F32, TW_F8E4M3, 0, 0.25f, 0, 1, 1, 512, 32, TW_PTO_A5 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned vectors = 1; vectors <= 2; vectors++) {
            memset(slot_bytes, 0x5a, sizeof slot_bytes);
            tw_pto_grid *g = tw_pto_grid_new(
                &(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = cases[i].target, .vectors = vectors });
            pipe_case p = cases[i];
            if (tw_pto_grid_run(g, fixed_pipe, &p) != TW_OK) fail_msg("%s: %s", p.name, tw_error_message());
            tw_pto_grid_free(g);
        }
}

/* Pushes for one vector core alone, in turn with pushes for both: each gets its own, and the other one's slots are
 * free. */
static tw_status one_of_two(tw_pto *core, void *user)
{
    static const int32_t whose[] = { 1, 2, 0, 2, 2, 1, 1, 0 };
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_fifo fifo = { .direction = TW_PTO_CUBE_TO_VECTOR, .slot_bytes = 1024, .slots = *(unsigned *)user };
    tw_pto_tile acc = tile_of(TW_PTO_ACC, 16, 16), t = vec_tile(TW_F32, 16, 16);
    for (unsigned i = 0; i < 8; i++) {
        if (me.kind == TW_PTO_CUBE) {
            tw_pto_attrs how = { .sub_block = whose[i] };
            set(core, &acc, 3, 4, i + 1);
            OK(tw_pto_push_with(core, &fifo, &acc, &how));
        } else if (whose[i] == 0 || whose[i] == (int32_t)me.sub_block + 1) {
            OK(tw_pto_pop(core, &fifo, &t, TW_PTO_SPLIT_NONE));
            assert_true(get(core, &t, 3, 4) == i + 1);
            OK(tw_pto_free_slot(core, &fifo));
        }
    }
    if (me.kind == TW_PTO_VECTOR) REFUSED(tw_pto_free_slot(core, &fifo), "fifo.free", "freed");
    return TW_OK;
}

static void pto_fifo_sub_block(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots <= 8; slots++) {
        tw_pto_grid *g =
            tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .vectors = 2 });
        OK(tw_pto_grid_run(g, one_of_two, &slots));
        tw_pto_grid_free(g);
    }
}

/* A slot of the caller's memory that is added to; bytes and nibbles of vector cores. */
static tw_status adds_and_small_types(tw_pto *core, void *user)
{
    static float memory[256];
    tw_pto_fifo sums = { .direction = TW_PTO_CUBE_TO_VECTOR, .slot_bytes = 1024, .slots = 1, .memory = memory };
    tw_pto_attrs add = { .atomic = 1 };
    tw_pto_tile acc = tile_of(TW_PTO_ACC, 16, 16), t = vec_tile(TW_F32, 16, 16);
    (void)user;
    for (unsigned i = 0; i < 256; i++) {
        memory[i] = (float)i;
        set(core, &acc, i / 16, i % 16, 0.5 * i);
    }
    OK(tw_pto_push_with(core, &sums, &acc, &add));
    OK(tw_pto_pop(core, &sums, &t, TW_PTO_SPLIT_NONE));
    for (unsigned i = 0; i < 256; i++) assert_true(get(core, &t, i / 16, i % 16) == 1.5 * i);
    OK(tw_pto_free_slot(core, &sums));

    static const struct {
        tw_type type;
        unsigned cols;
    } small[] = { { TW_F8E4M3, 32 }, { TW_F8E5M2, 32 }, { TW_HIF8, 32 }, { TW_F4E2M1, 64 }, { TW_F4E1M2, 64 } };
    for (unsigned k = 0; k < sizeof small / sizeof *small; k++) {
        tw_pto_fifo up = { .id = k + 1, .direction = TW_PTO_VECTOR_TO_CUBE, .slot_bytes = 512, .slots = 2 };
        tw_pto_tile out = vec_tile(small[k].type, 16, small[k].cols),
                    in = tw_pto_tile_of(TW_PTO_MAT, small[k].type, 16, small[k].cols);
        unsigned char bytes[512], back[512];
        for (unsigned i = 0; i < 512; i++) bytes[i] = (unsigned char)(i * 7 + k);
        OK(tw_pto_write(core, &out, bytes, sizeof bytes));
        OK(tw_pto_push(core, &up, &out, TW_PTO_SPLIT_NONE));
        OK(tw_pto_pop(core, &up, &in, TW_PTO_SPLIT_NONE));
        OK(tw_pto_read(core, &in, back, sizeof back));
        assert_memory_equal(bytes, back, sizeof bytes);
        OK(tw_pto_free_slot(core, &up));
    }
    return TW_OK;
}

static void pto_fifo_small_types(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    OK(adds_and_small_types(core, NULL));
    tw_pto_free(core);
}

static int32_t float_bits(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void pto_fifo_fixpipe_rules(void **state)
{
    tw_pto_fifo down = { .direction = TW_PTO_CUBE_TO_VECTOR, .slot_bytes = 4096, .slots = 8 }, up = down,
                halves = down;
    tw_pto_tile acc = tile_of(TW_PTO_ACC, 16, 16), part = acc, vec = vec_tile(TW_F32, 16, 16),
                boxes = vec_tile(TW_F32, 16, 16), odd = vec_tile(TW_F4E2M1, 4, 64);
    const struct {
        tw_pto_attrs attrs;
        const tw_pto_fifo *fifo;
        tw_pto_tile *tile;
        const char *rule;
    } rows[] = {
        { { .slot_layout = 3 }, &down, &acc, "fifo.fixpipe" },
        { { .slot_layout = -1 }, &down, &acc, "fifo.fixpipe" },
        { { .sub_block = 3 }, &down, &acc, "fifo.fixpipe" },
        { { .phase = 4 }, &down, &acc, "fifo.fixpipe" },
        { { .channel_split = 2 }, &down, &acc, "fifo.fixpipe" },
        { { .slot_layout = 1 }, &up, &vec, "fifo.fixpipe" },
        { { .clip = float_bits(1) }, &up, &vec, "fifo.fixpipe" },
        { { .phase = 2 }, &up, &vec, "fifo.fixpipe" },
        { { .channel_split = 1 }, &down, &acc, "fifo.channel-split" },
        { { .channel_split = 1, .slot_layout = 2 }, &down, &acc, "fifo.channel-split" },
        { { .channel_split = 1, .slot_layout = 1 }, &halves, &acc, "fifo.channel-split" },
        { { .clip = float_bits(-1) }, &down, &acc, "fifo.clip" },
        { { .clip = float_bits(INFINITY) }, &down, &acc, "fifo.clip" },
        { { .clip = float_bits(NAN) }, &down, &acc, "fifo.clip" },
        { { .clip = float_bits(1), .atomic = 1 }, &down, &acc, "fifo.clip" },
        { { .sub_block = 1, .split = 1 }, &down, &acc, "fifo.sub-block" },
        { { .sub_block = 2 }, &down, &acc, "fifo.sub-block" }, /* a whole core has no vector core 1 */
        { { .atomic = 2 }, &down, &acc, "store.atomic" },
        { { .slot_layout = 1 }, &down, &part, "fifo.boxes" },
    };
    (void)state;
    up.direction = TW_PTO_VECTOR_TO_CUBE;
    halves.type = TW_F16;
    part.valid_rows = 10;
    boxes.blayout = TW_PTO_COL_MAJOR;
    boxes.slayout = TW_PTO_BOX_ROW;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_status status = tw_pto_push_with(core, rows[i].fifo, rows[i].tile, &rows[i].attrs);
        if (status == TW_OK || !strstr(tw_error_message(), rows[i].rule))
            fail_msg("row %zu (%s): %s", i, rows[i].rule, status == TW_OK ? "accepted" : tw_error_message());
    }
    OK(tw_pto_push_with(core, &down, &acc, &(tw_pto_attrs){ .slot_layout = TW_PTO_SLOT_LAYOUT_NZ2NZ }));
    REFUSED(tw_pto_pop(core, &down, &vec, TW_PTO_SPLIT_NONE), "fifo.layout", "boxes of 16 x 16");
    REFUSED(tw_pto_pop(core, &down, &boxes, TW_PTO_SPLIT_NONE), "fifo.layout", "boxes of 16 x 16"); /* of 16 x 8 */
    boxes.fractal = 1024;
    OK(tw_pto_pop(core, &down, &boxes, TW_PTO_SPLIT_NONE));
    OK(tw_pto_free_slot(core, &down));
    OK(tw_pto_push_with(core, &down, &acc, &(tw_pto_attrs){ .slot_layout = TW_PTO_SLOT_LAYOUT_NZ2DN }));
    REFUSED(tw_pto_pop(core, &down, &vec, TW_PTO_SPLIT_NONE), "fifo.layout", "columns");
    tw_pto_free(core);
    core = tw_pto_new(TW_PTO_A5, 0);
    odd.valid_cols = 63;
    REFUSED(tw_pto_push(core, &up, &odd, TW_PTO_SPLIT_NONE), "fifo.nibbles", "whole bytes");
    tw_pto_free(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_fifo_fixpipe),
        cmocka_unit_test(pto_fifo_sub_block),
        cmocka_unit_test(pto_fifo_small_types),
        cmocka_unit_test(pto_fifo_fixpipe_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
