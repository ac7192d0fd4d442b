/* SPDX-License-Identifier: MIT */
/* Memories, TASSIGN with its four checks, automatic placement, manual mode, tile rules, element addresses, flags. */
#include <tilewright/pto/text.h>

#include "pto/support/check.h"

static void pto_core_memories(void **state)
{
    static const uint32_t kib[3][TW_PTO_LOCATIONS] = {
        [TW_PTO_CPU] = { 512, 512, 64, 64, 256, 4, 4, 4, 4 },
        [TW_PTO_A2A3] = { 192, 512, 64, 64, 128, 1, 2, 0, 0 },
        [TW_PTO_A5] = { 256, 512, 64, 64, 256, 4, 4, 4, 4 },
    };
    (void)state;
    for (int t = 0; t < 3; t++)
        for (int l = 0; l < TW_PTO_LOCATIONS; l++)
            assert_int_equal(tw__pto_memory_size((tw_pto_target)t, (tw_pto_location)l), kib[t][l] << 10);
}

static void pto_core_assign(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tile t = vec_tile(TW_F32, 64, 64), scale = tw_pto_tile_of(TW_PTO_SCALE_LEFT, TW_F8E8M0, 16, 32);
    tw_pto_tile large = vec_tile(TW_F32, 1, 65536);
    REFUSED(tw_pto_assign(core, &scale, 0), "SA-0351", "a2a3");
    REFUSED(tw_pto_assign(core, &large, 0), "SA-0352", "a2a3");
    REFUSED(tw_pto_assign(core, &t, (192 << 10) - 16384 + 32), "SA-0353", "a2a3");
    REFUSED(tw_pto_assign(core, &t, UINT64_MAX - 31), "SA-0353", "a2a3");
    REFUSED(tw_pto_assign(core, &t, 16), "SA-0354", "a2a3");
    OK(tw_pto_assign(core, &t, (192 << 10) - 16384));
    assert_int_equal(tw_pto_address(core, &t), (192 << 10) - 16384);
    tw_pto_free(core);
}

/* Automatic tiles keep clear of assigned ones, and make room with their contents. */
static void pto_core_placement(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tile a = vec_tile(TW_I32, 1, 64), b = vec_tile(TW_I32, 1, 64), c = vec_tile(TW_I32, 1, 64);
    OK(tw_pto_tci(core, &a, tw_pto_i32(5), false, NULL));
    int64_t at = tw_pto_address(core, &a);
    OK(tw_pto_assign(core, &b, (uint64_t)at));
    assert_int_not_equal(tw_pto_address(core, &a), at);
    for (uint32_t k = 0; k < 64; k++) assert_true(get(core, &a, 0, k) == 5 + k);
    OK(tw_pto_assign(core, &c, (uint64_t)at)); /* two assigned tiles may share memory */
    OK(tw_pto_tci(core, &c, tw_pto_i32(9), false, NULL));
    assert_true(get(core, &b, 0, 0) == 9);
    tw_pto_tile full[200];
    int placed = 0;
    for (; placed < 200; placed++) {
        full[placed] = vec_tile(TW_F32, 8, 128);
        if (!tw_pto_data(core, &full[placed])) break;
        for (int i = 0; i < placed; i++)
            assert_true(tw_pto_address(core, &full[i]) >= tw_pto_address(core, &full[placed]) + 4096 ||
                        tw_pto_address(core, &full[placed]) >= tw_pto_address(core, &full[i]) + 4096);
    }
    assert_in_range(placed, 46, 47); /* 192 KiB less two small tiles */
    assert_non_null(strstr(tw_error_message(), "UB"));
    tw_pto_tile_free(core, &full[3]);
    assert_non_null(tw_pto_data(core, &full[placed]));
    tw_pto_free(core);
}

static void pto_core_manual(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, TW_PTO_MANUAL);
    tw_pto_tile t = vec_tile(TW_I32, 1, 16);
    REFUSED(tw_pto_tci(core, &t, tw_pto_i32(0), false, NULL), "no address", "TASSIGN");
    OK(tw_pto_assign(core, &t, 0));
    OK(tw_pto_tci(core, &t, tw_pto_i32(0), false, NULL));
    tw_pto_free(core);
}

static void pto_core_tile_rules(void **state)
{
    static const struct {
        tw_pto_tile tile;
        const char *error; /* NULL = good */
    } rows[] = {
        { { .type = TW_F32, .rows = 1, .cols = 8, .valid_rows = 1, .valid_cols = 8 }, NULL },
        { { .type = TW_F32, .rows = 1, .cols = 4, .valid_rows = 1, .valid_cols = 4 }, "multiple of 32" },
        { { .type = TW_F32, .rows = 4, .cols = 8, .blayout = 1, .valid_rows = 1 }, "multiple of 32" },
        { { .type = TW_F16, .rows = 16, .cols = 1, .blayout = 1, .valid_rows = 1 }, NULL },
        { { .type = TW_F32, .rows = 0, .cols = 8 }, "extents" },
        { { .type = TW_F32, .rows = 2, .cols = 8, .valid_rows = 3 }, "exceeds" },
        { { .type = TW_F32, .rows = 2, .cols = 8, .valid_rows = TW_PTO_DYNAMIC, .valid_cols = 8 }, NULL },
        { { .type = TW_F32, .rows = 2, .cols = 8, .fractal = 64 }, "fractal" },
        { { .type = TW_F64, .rows = 2, .cols = 8 }, "element type" },
        { { .location = 1, .type = TW_F16, .rows = 16, .cols = 24, .slayout = 1 }, "columns" },
        { { .location = 1, .type = TW_F16, .rows = 24, .cols = 32, .slayout = 1 }, "rows" },
        { { .location = 0, .type = TW_F16, .rows = 24, .cols = 32, .slayout = 1 }, NULL },
        { { .location = 2, .type = TW_F16, .rows = 1, .cols = 32, .slayout = 1 }, NULL },
        { { .location = 77, .type = TW_F16, .rows = 16, .cols = 16 }, "location" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_status status = tw_pto_tile_check(&rows[i].tile);
        if ((status == TW_OK) != !rows[i].error)
            fail_msg("row %zu: %s", i, status == TW_OK ? "accepted" : tw_error_message());
        if (rows[i].error && !strstr(tw_error_message(), rows[i].error))
            fail_msg("row %zu: %s", i, tw_error_message());
    }
}

/* The four box layouts against the formulas of the specification, and a round trip through them. */
static void pto_core_boxes(void **state)
{
    static const struct {
        unsigned char blayout, slayout;
        uint32_t fractal;
    } rows[] = { { 1, 1, 512 },  { 0, 2, 512 }, { 0, 1, 512 }, { 1, 2, 512 },
                 { 1, 1, 1024 }, { 0, 1, 32 },  { 1, 2, 32 } };
    static const tw_type types[] = { TW_F16, TW_F32, TW_I8 };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < 3; k++) {
            tw_pto_tile t = tw_pto_tile_of(TW_PTO_MAT, types[k], 64, 96);
            t.blayout = rows[i].blayout;
            t.slayout = rows[i].slayout;
            t.fractal = rows[i].fractal;
            uint32_t size = (uint32_t)tw_type_size(t.type), minor = t.fractal == 1024 ? 16
                                                                    : t.fractal == 32 ? 2
                                                                                      : 32 / size;
            uint32_t ir = t.slayout == 1 ? 16 : minor, ic = t.slayout == 1 ? minor : 16;
            bool seen[64 * 96] = { false };
            for (uint32_t r = 0; r < 64; r++)
                for (uint32_t c = 0; c < 96; c++) {
                    uint32_t br = r / ir, bc = c / ic, nr = 64 / ir, nc = 96 / ic, s = ir * ic;
                    uint32_t box = t.blayout ? bc * nr + br : br * nc + bc;
                    uint32_t inner = t.slayout == 1 ? r % ir * ic + c % ic : c % ic * ir + r % ir;
                    assert_int_equal(tw_pto_element(&t, r, c), (box * s + inner) * size);
                    assert_false(seen[box * s + inner]);
                    seen[box * s + inner] = true;
                }
            tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
            unsigned char in[64 * 96 * 4], out[sizeof in];
            for (size_t b = 0; b < sizeof in; b++) in[b] = (unsigned char)random_bits();
            t.valid_rows = 61;
            t.valid_cols = 83;
            OK(tw_pto_write(core, &t, in, (size_t)61 * 83 * size));
            OK(tw_pto_read(core, &t, out, (size_t)61 * 83 * size));
            assert_memory_equal(in, out, (size_t)61 * 83 * size);
            assert_memory_equal((char *)tw_pto_data(core, &t) + tw_pto_element(&t, 60, 82),
                                in + (60 * 83 + 82) * size, size);
            tw_pto_free(core);
        }
}

static void pto_core_flags(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_MANUAL);
    OK(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 0));
    REFUSED(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 0), "flag.double-set", "a2a3");
    OK(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 1));
    OK(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 0));
    REFUSED(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 0), "deadlock", "a2a3");
    REFUSED(tw_pto_set_flag(core, TW_PTO_PIPE_V, TW_PTO_PIPE_MTE3, 8), "flag.id", "8");
    REFUSED(tw_pto_set_flag(core, TW_PTO_PIPE_V, TW_PTO_PIPE_V, 0), "flag.pipes", "a2a3");
    tw_pto_free(core);
}

static void pto_core_windows(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile t = vec_tile(TW_I32, 8, 32), w = vec_tile(TW_I32, 2, 8), far = vec_tile(TW_I32, 2, 8);
    for (uint32_t r = 0; r < 8; r++)
        for (uint32_t c = 0; c < 32; c++) set(core, &t, r, c, r * 100 + c);
    OK(tw_pto_window(core, &w, &t, 3, 16));
    assert_true(get(core, &w, 1, 5) == 421);
    OK(CALL(core, "tadds", NULL, TILE(&w), TILE(&w), SCALAR(tw_pto_i32(1000))));
    assert_true(get(core, &t, 4, 21) == 1421);
    assert_true(get(core, &t, 4, 24) == 424);
    REFUSED(tw_pto_window(core, &far, &t, 7, 0), "outside", "8 x 32");
    tw_pto_free(core);
}

/* What is missing is refused by name, and has no effect. */
static void pto_core_missing(void **state)
{
    (void)state;
    float memory[8] = { 0 };
    tw_pto_target target;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile t = vec_tile(TW_F32, 1, 8);
    REFUSED(tw_pto_assign(NULL, &t, 0), "core", "NULL");
    REFUSED(tw_pto_assign(core, NULL, 0), "tile", "NULL");
    REFUSED(tw_pto_window(core, NULL, &t, 0, 0), "window", "NULL");
    REFUSED(tw_pto_window(core, &t, NULL, 0, 0), "tile", "NULL");
    REFUSED(tw_pto_call(NULL, "tabs", NULL, 0, NULL), "core", "NULL");
    REFUSED(tw_pto_call(core, NULL, NULL, 0, NULL), "mnemonic", "NULL");
    REFUSED(tw_pto_call(core, "tabs", NULL, 2, NULL), "operands", "NULL");
    REFUSED(tw_pto_exec(core, 0, NULL, 2, NULL), "operands", "NULL");
    REFUSED(CALL(core, "tabs", NULL, TILE(NULL), TILE(&t)), "operands", "operand 1");
    REFUSED(tw_pto_read(core, &t, NULL, 32), "memory", "NULL");
    REFUSED(tw_pto_write(core, NULL, memory, 32), "tile", "NULL");
    REFUSED(tw_pto_set_flag(NULL, TW_PTO_PIPE_V, TW_PTO_PIPE_S, 0), "core", "NULL");
    REFUSED(tw_pto_barrier(NULL, TW_PTO_PIPE_V), "core", "NULL");
    REFUSED(tw_pto_conv_output(NULL, NULL, NULL), "description", "NULL");
    REFUSED(tw_pto_grid_run(NULL, NULL, NULL), "grid", "NULL");
    REFUSED(tw_pto_sync_all(NULL, TW_PTO_CORES_MIX, NULL), "core", "NULL");
    REFUSED(tw_pto_async_wait(NULL, 1), "core", "NULL");
    assert_null(tw_pto_profile(NULL));
    assert_null(tw_pto_grid_profile(NULL));
    assert_null(tw_pto_text_parse("x", NULL, 0, NULL, NULL));
    assert_null(tw_pto_text_load(NULL, NULL, NULL));
    assert_null(tw_pto_run_new(NULL, NULL, core));
    REFUSED(tw_pto_run_number(NULL, "n", "1"), "source", "NULL"); /* why there is no run */
    assert_null(tw_pto_grid_new(NULL));
    assert_null(tw_pto_data(core, NULL));
    assert_int_equal(tw_pto_address(core, NULL), -1);
    assert_false(tw_pto_target_by_name(NULL, &target));
    assert_int_equal(tw_pto_op_by_name(NULL), -1);
    tw_pto_tile none = tw_pto_conv_tile(TW_PTO_MAT, TW_F16, NULL, 64);
    assert_true(tw_pto_tile_check(&none) != TW_OK);
    tw_pto_tile_free(core, NULL);
    tw_pto_tile_free(NULL, &t);
    tw_pto_free(core);
}

/* Extents that have no value pass a check beforehand and nothing else. */
static void pto_core_dynamic(void **state)
{
    (void)state;
    float memory[64];
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    for (int which = 0; which < 2; which++) {
        tw_pto_tile t = vec_tile(TW_F32, 8, 8), whole = t;
        *(which ? &t.valid_rows : &t.valid_cols) = TW_PTO_DYNAMIC;
        tw_pto_operand operands[] = { TILE(&t), TILE(&t) };
        OK(tw_pto_check(TW_PTO_CPU, tw_pto_op_by_name("TABS"), operands, 2, NULL, NULL));
        OK(CALL(core, "tabs", NULL, TILE(&whole), TILE(&whole)));
        REFUSED(CALL(core, "tabs", NULL, TILE(&t), TILE(&t)), "tile.shape", "no values");
        REFUSED(tw_pto_read(core, &t, memory, sizeof memory), "valid extents", "no values");
        REFUSED(tw_pto_write(core, &t, memory, sizeof memory), "valid extents", "no values");
    }
    tw_pto_free(core);
}

/* Windows up to the last row and column, of tiles and of windows; one more is outside. */
static void pto_core_window_ends(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile t = vec_tile(TW_I32, 8, 32), w = vec_tile(TW_I32, 2, 8), inner = vec_tile(TW_I32, 1, 8), all = t;
    set(core, &t, 7, 31, 99);
    OK(tw_pto_window(core, &w, &t, 6, 24));
    assert_true(get(core, &w, 1, 7) == 99);
    OK(tw_pto_window(core, &inner, &w, 1, 0));
    assert_true(get(core, &inner, 0, 7) == 99);
    REFUSED(tw_pto_window(core, &inner, &w, 2, 0), "at (2, 0)", "outside");
    REFUSED(tw_pto_window(core, &inner, &w, 1, 1), "at (1, 1)", "outside");
    OK(tw_pto_window(core, &all, &t, 0, 0));
    REFUSED(tw_pto_window(core, &w, &t, 7, 24), "at (7, 24)", "outside");
    REFUSED(tw_pto_window(core, &w, &t, 6, 25), "at (6, 25)", "outside");
    REFUSED(tw_pto_window(core, &w, &t, 9, 0), "at (9, 0)", "outside");
    REFUSED(tw_pto_window(core, &w, &t, UINT32_MAX, 0), "outside", "8 x 32");
    REFUSED(tw_pto_window(core, &w, &t, 0, UINT32_MAX), "outside", "8 x 32");
    tw_pto_tile boxed = tw_pto_tile_of(TW_PTO_MAT, TW_F16, 64, 64), box = boxed; /* boxes of 16 x 16 */
    boxed.slayout = box.slayout = TW_PTO_BOX_ROW;
    boxed.blayout = box.blayout = TW_PTO_COL_MAJOR;
    box.rows = box.cols = box.valid_rows = box.valid_cols = 16;
    OK(tw_pto_window(core, &box, &boxed, 48, 48));
    REFUSED(tw_pto_window(core, &box, &boxed, 47, 48), "whole boxes", "16 x 16");
    REFUSED(tw_pto_window(core, &box, &boxed, 48, 47), "whole boxes", "16 x 16");
    box.rows = 15;
    REFUSED(tw_pto_window(core, &box, &boxed, 48, 48), "whole boxes", "16 x 16");
    box.rows = 16, box.cols = 17;
    REFUSED(tw_pto_window(core, &box, &boxed, 16, 16), "whole boxes", "16 x 16");
    tw_pto_tile_free(core, &t);
    tw_pto_tile *const gone[] = { &w, &all };
    for (int i = 0; i < 2; i++) REFUSED(tw_pto_read(core, gone[i], &boxed, 4), "given back", "memory");
    tw_pto_free(core);
}

/* A tile that ends where another begins does not touch it. */
static void pto_core_neighbours(void **state)
{
    (void)state;
    enum { BYTES = 256, LINE = 32 };
    static const struct {
        int from; /* of the assigned tile, seen from the automatic one */
        bool meets;
    } rows[] = {
        { -BYTES, false }, { -BYTES + LINE, true }, { BYTES, false }, { BYTES - LINE, true }, { 0, true }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
        tw_pto_tile below = vec_tile(TW_I32, 1, 256), a = vec_tile(TW_I32, 1, 64), b = a, c = a;
        assert_non_null(tw_pto_data(core, &below)); /* room above the next one */
        OK(tw_pto_tci(core, &a, tw_pto_i32(5), false, NULL));
        tw_pto_tile_free(core, &below);
        int64_t at = tw_pto_address(core, &a);
        OK(tw_pto_assign(core, &b, (uint64_t)(at + rows[i].from)));
        assert_int_equal(tw_pto_address(core, &a) != at, rows[i].meets);
        assert_true(get(core, &a, 0, 63) == 68);
        enum { PLACE = 4096 };
        OK(tw_pto_assign(core, &c, (uint64_t)(PLACE + rows[i].from))); /* two assigned ones stay where they are */
        OK(tw_pto_assign(core, &a, PLACE));
        tw_status status = CALL(core, "tands", NULL, TILE(&c), TILE(&a),
                                SCALAR(tw_pto_i32(-1))); /* its operands share no byte there */
        if (rows[i].meets)
            REFUSED(status, "overlaps dst", "rule alias");
        else
            OK(status);
        tw_pto_free(core);
    }
}

/* Transfers take exactly the bytes of the valid region. */
static void pto_core_sizes(void **state)
{
    (void)state;
    float memory[16] = { 0 };
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile t = vec_tile(TW_F32, 1, 8);
    OK(tw_pto_write(core, &t, memory, 32));
    OK(tw_pto_read(core, &t, memory, 32));
    for (int more = -1; more <= 1; more += 2) {
        REFUSED(tw_pto_write(core, &t, memory, (size_t)(32 + more)), "has 32 bytes", more < 0 ? "31" : "33");
        REFUSED(tw_pto_read(core, &t, memory, (size_t)(32 + more)), "has 32 bytes", more < 0 ? "31" : "33");
    }
    tw_pto_free(core);
}

/* A tensor's elements lie in the window behind its pointer, to the byte, whichever way its strides go. */
static void pto_core_tensor_ends(void **state)
{
    (void)state;
    enum { ROWS = 2, COLS = 8, BYTES = ROWS * COLS * 4 };
    for (int turned = 0; turned < 2; turned++)
        for (int store = 0; store < 2; store++)
            for (int less = 0; less <= 1; less++) {
                unsigned char *memory = calloc(1, BYTES);
                tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
                tw_pto_tile t = vec_tile(TW_F32, ROWS, COLS);
                tw_pto_tensor g = tw_pto_tensor_of(memory, TW_F32, ROWS, COLS, TW_PTO_ND);
                g.window = (tw_window){ memory, (size_t)(BYTES - less) };
                if (turned) { /* from the last element back; then the window lacks its first byte */
                    g.data = memory + BYTES - 4;
                    for (int d = 0; d < 5; d++) g.stride[d] = -g.stride[d];
                    g.window.base = memory + less;
                }
                tw_status status = store ? tw_pto_store(core, &g, &t) : tw_pto_load(core, &t, &g);
                if (less)
                    REFUSED(status, "outside the 63 bytes", "global.bounds");
                else
                    OK(status);
                g.window = (tw_window){ memory, BYTES };
                g.shape[3] = 1, g.stride[3] = 0; /* over one element: no two meet */
                t.valid_rows = 1;
                OK(store ? tw_pto_store(core, &g, &t) : tw_pto_load(core, &t, &g));
                g.shape[3] = t.valid_rows = ROWS;
                status = store ? tw_pto_store(core, &g, &t) : tw_pto_load(core, &t, &g);
                if (store)
                    REFUSED(status, "stride 0 over its 2 elements", "global.overlap");
                else
                    OK(status);
                tw_pto_free(core);
                free(memory);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_core_memories),    cmocka_unit_test(pto_core_assign),
        cmocka_unit_test(pto_core_placement),   cmocka_unit_test(pto_core_manual),
        cmocka_unit_test(pto_core_tile_rules),  cmocka_unit_test(pto_core_boxes),
        cmocka_unit_test(pto_core_flags),       cmocka_unit_test(pto_core_windows),
        cmocka_unit_test(pto_core_missing),     cmocka_unit_test(pto_core_dynamic),
        cmocka_unit_test(pto_core_window_ends), cmocka_unit_test(pto_core_neighbours),
        cmocka_unit_test(pto_core_sizes),       cmocka_unit_test(pto_core_tensor_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
