/* SPDX-License-Identifier: MIT */
/* Estimated cycles: the published tables by instruction, type, columns and target; pipes that overlap, wait for flags
 * and for tiles; the common profile. Expected figures are worked out from the tables by hand. */
#include "core/profile/profile.h"
#include "pto/support/check.h"

#include <jansson.h>
#include <stdio.h>
#include <tilewright/pto/grid.h>

static uint64_t cycles_of(tw_pto_target target, const char *op, const tw_pto_attrs *attrs, tw_pto_operand *operands,
                          unsigned count)
{
    tw_pto *core = tw_pto_new(target, TW_PTO_PROFILE);
    OK(tw_pto_call(core, op, operands, count, attrs));
    uint64_t cycles = tw_pto_cycles(core);
    tw_pto_free(core);
    return cycles;
}

/* One instruction alone: head + slope x repeats + tail, or a fit. */
static void pto_cycles_vector(void **state)
{
    static const struct {
        tw_pto_target target;
        const char *op;
        unsigned sources; /* tiles; 9 = a tile and a scalar */
        tw_type type;
        uint32_t rows, cols, valid_cols;
        uint64_t cycles;
    } rows[] = {
        /* A2/A3, 5.2: add 10, 2, 14; max the same; exp f16 13, 2, 18 (the fit has f32 only); relu 10, 1, 13 */
        { TW_PTO_A2A3, "tadd", 2, TW_F32, 64, 64, 64, 10 + 2 * 64 + 14 },
        { TW_PTO_A2A3, "tadd", 2, TW_F16, 64, 64, 64, 10 + 2 * 32 + 14 },
        { TW_PTO_A2A3, "tadd", 2, TW_I16, 1, 16, 16, 10 + 2 * 1 + 14 },
        { TW_PTO_A2A3, "tmax", 2, TW_F32, 4, 64, 64, 10 + 2 * 4 + 14 },
        { TW_PTO_A2A3, "tdiv", 2, TW_F32, 4, 64, 64, 11 + 4 * 4 + 19 },
        { TW_PTO_A2A3, "texp", 1, TW_F16, 4, 128, 128, 13 + 2 * 4 + 18 },
        { TW_PTO_A2A3, "tlog", 1, TW_F32, 4, 64, 64, 13 + 2 * 4 + 20 },
        { TW_PTO_A2A3, "trsqrt", 1, TW_F32, 4, 64, 64, 10 + 4 + 14 },
        { TW_PTO_A2A3, "tabs", 1, TW_F32, 4, 64, 64, 13 + 4 + 16 },
        { TW_PTO_A2A3, "trelu", 1, TW_F32, 4, 64, 64, 10 + 4 + 13 },
        { TW_PTO_CPU, "tadd", 2, TW_F32, 64, 64, 64, 10 + 2 * 64 + 14 },
        /* A2/A3, 5.3: round(slope rows cols + bias); narrower rows cost what the next column count does */
        { TW_PTO_A2A3, "tmul", 2, TW_F32, 64, 64, 64, 154 }, /* 0.0313 x 4096 + 26 = 154.2 */
        { TW_PTO_A2A3, "tmul", 2, TW_F32, 64, 32, 32, 171 }, /* 0.0625 x 2048 + 43 = 171 */
        { TW_PTO_A2A3, "tmul", 2, TW_F32, 64, 48, 48, 154 }, /* as 64 columns */
        { TW_PTO_A2A3, "tmul", 2, TW_F32, 64, 64, 48, 154 },
        { TW_PTO_A2A3, "tmul", 2, TW_F32, 4, 1024, 1024, 171 }, /* 0.0312 x 4096 + 43 = 170.8 */
        { TW_PTO_A2A3, "tmul", 2, TW_F16, 64, 128, 128, 154 },  /* 0.0156 x 8192 + 26 = 153.8 */
        { TW_PTO_A2A3, "tsub", 2, TW_F32, 64, 128, 128, 283 },  /* 0.0325 x 8192 + 16.5 = 282.7 */
        { TW_PTO_A2A3, "tadds", 9, TW_F32, 64, 64, 64, 89 },    /* 0.0156 x 4096 + 25 = 88.9 */
        { TW_PTO_A2A3, "tdivs", 9, TW_F16, 64, 64, 64, 333 },   /* 0.0703 x 4096 + 45 = 332.9 */
        { TW_PTO_A2A3, "texp", 1, TW_F32, 10, 40, 40, 43 },     /* 0.0314 x 400 + 30.1 = 42.7, any columns */
        { TW_PTO_A2A3, "tsqrt", 1, TW_F32, 64, 64, 64, 160 },   /* 0.0314 x 4096 + 31.1 = 159.7 */
        /* A5, 5.4: one run, or row by row when the rows have a gap */
        { TW_PTO_A5, "tadd", 2, TW_F32, 64, 64, 64, 135 },   /* 1.247 x 64 + 55.07 = 134.9 */
        { TW_PTO_A5, "tadd", 2, TW_F32, 64, 64, 63, 348 },   /* (1.875 + 2.876) x 64 + 44.34 = 348.4 */
        { TW_PTO_A5, "tadd", 2, TW_F16, 64, 64, 64, 95 },    /* 1.247 x 32 + 55.07 = 95.0 */
        { TW_PTO_A5, "texp", 1, TW_F16, 64, 128, 128, 307 }, /* 3.762 x 64 + 65.93 = 306.7 */
        { TW_PTO_A5, "texp", 1, TW_F32, 64, 64, 40, 342 },   /* (1.855 + 2.544) x 64 + 60.6 = 342.1 */
        { TW_PTO_A5, "tmins", 9, TW_F32, 64, 64, 64, 121 },  /* 1.059 x 64 + 53.14 = 120.9 */
        { TW_PTO_A5, "trecip", 1, TW_F32, 1, 64, 64, 66 },   /* 1.908 + 64.52 = 66.4 */
        /* A5 without a fit: start-up 6, interval x repeats, drain = latency - 2 */
        { TW_PTO_A5, "tadd", 2, TW_I32, 64, 64, 64, 6 + 2 * 64 + 5 },
        { TW_PTO_A5, "tdiv", 2, TW_F16, 2, 128, 128, 6 + 4 * 2 + 20 },
        { TW_PTO_A5, "tdiv", 2, TW_F32, 2, 64, 64, 6 + 4 * 2 + 15 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_tile t[3];
        for (int k = 0; k < 3; k++) {
            t[k] = vec_tile(rows[i].type, rows[i].rows, rows[i].cols);
            t[k].valid_cols = rows[i].valid_cols;
        }
        tw_pto_operand operands[] = { TILE(&t[0]), TILE(&t[1]),
                                      rows[i].sources == 9 ? SCALAR(tw_pto_scalar_of(rows[i].type, 1))
                                                           : TILE(&t[2]) };
        if (!strcmp(rows[i].op, "tdiv")) operands[2] = operands[1]; /* zeros: x / 0 is no error for floats */
        uint64_t got = cycles_of(rows[i].target, rows[i].op, NULL, operands, rows[i].sources == 1 ? 2 : 3);
        if (got != rows[i].cycles)
            fail_msg("row %zu (%s): %llu instead of %llu", i, rows[i].op, (unsigned long long)got,
                     (unsigned long long)rows[i].cycles);
    }
}

static void pto_cycles_others(void **state)
{
    (void)state;
    tw_pto_tile f32 = vec_tile(TW_F32, 64, 64), f16 = vec_tile(TW_F16, 64, 64), row = vec_tile(TW_F32, 1, 64),
                column = vec_tile(TW_F32, 64, 1), tmp = vec_tile(TW_F32, 64, 64), i32 = vec_tile(TW_I32, 1, 256),
                ci = vec_tile(TW_F32, 1, 512);
    tw_pto_attrs precise = { .precise = 1 }, down = { .descending = 1 };
    column.blayout = TW_PTO_COL_MAJOR;
    const struct {
        tw_pto_target target;
        const char *op;
        const tw_pto_attrs *attrs;
        tw_pto_operand operands[3];
        unsigned count;
        uint64_t cycles;
    } rows[] = {
        { TW_PTO_A2A3, "trowsum", NULL, { TILE(&column), TILE(&f32), TILE(&tmp) }, 3, 490 }, /* .109 x 4096 + 44 */
        { TW_PTO_A2A3, "tcolmax", NULL, { TILE(&row), TILE(&f32) }, 2, 1135 },               /* .273 x 4096 + 17 */
        { TW_PTO_A2A3, "tcvt", NULL, { TILE(&f16), TILE(&f32) }, 2, 14 + 2 * 64 + 18 },
        { TW_PTO_A5, "tcvt", NULL, { TILE(&f16), TILE(&f32) }, 2, 137 }, /* 1.32 x 64 + 52.3 = 136.8 */
        { TW_PTO_A5, "tcvt", NULL, { TILE(&f32), TILE(&f16) }, 2, 1 },   /* -1.77 x 64 + 82.44 < 0: at least one */
        { TW_PTO_A5, "trecip", &precise, { TILE(&row), TILE(&row) }, 2, 394 },       /* 345.2 + 48.72 = 393.9 */
        { TW_PTO_A2A3, "tci", NULL, { TILE(&i32), SCALAR(tw_pto_i32(0)) }, 2, 256 }, /* scalar: one an element */
        { TW_PTO_A2A3, "tci", NULL, { TILE(&i32), SCALAR(tw_pto_i32(0)), TILE(&ci) }, 3, 150 + 4 },
        { TW_PTO_A2A3, "tci", &down, { TILE(&i32), SCALAR(tw_pto_i32(0)), TILE(&ci) }, 3, 150 + 8 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_operand operands[3];
        tw_pto_tile copies[3];
        for (unsigned k = 0; k < rows[i].count; k++) {
            operands[k] = rows[i].operands[k];
            if (operands[k].kind != TW_PTO_TILE) continue;
            copies[k] = *operands[k].tile; /* each core places its own */
            operands[k].tile = &copies[k];
        }
        uint64_t got = cycles_of(rows[i].target, rows[i].op, rows[i].attrs, operands, rows[i].count);
        if (got != rows[i].cycles)
            fail_msg("row %zu (%s): %llu instead of %llu", i, rows[i].op, (unsigned long long)got,
                     (unsigned long long)rows[i].cycles);
    }
}

/* 6 + t ceil(M/16) ceil(N/16) ceil(K size/32), t = 2 for f32; transfers by bandwidth at 1.85 GHz. */
static void pto_cycles_cube(void **state)
{
    static const struct {
        tw_type type;
        uint32_t m, k, n;
        uint64_t cycles;
    } rows[] = { { TW_F16, 64, 64, 64, 6 + 4 * 4 * 4 },
                 { TW_F16, 32, 48, 16, 6 + 2 * 1 * 3 },
                 { TW_F32, 64, 64, 64, 6 + 2 * 4 * 4 * 8 },
                 { TW_I8, 64, 64, 64, 6 + 4 * 4 * 2 } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_PROFILE);
        tw_pto_tile a = tw_pto_tile_of(TW_PTO_LEFT, rows[i].type, rows[i].m, rows[i].k),
                    b = tw_pto_tile_of(TW_PTO_RIGHT, rows[i].type, rows[i].k, rows[i].n),
                    c = tw_pto_tile_of(TW_PTO_ACC, rows[i].type == TW_I8 ? TW_I32 : TW_F32, rows[i].m, rows[i].n);
        a.slayout = TW_PTO_BOX_ROW;
        b.slayout = TW_PTO_BOX_COL;
        c.blayout = TW_PTO_COL_MAJOR;
        c.slayout = TW_PTO_BOX_ROW;
        c.fractal = 1024;
        OK(CALL(core, "tmatmul", NULL, TILE(&c), TILE(&a), TILE(&b)));
        assert_int_equal(tw_pto_pipe_cycles(core, TW_PTO_PIPE_M), rows[i].cycles);
        tw_pto_free(core);
    }
}

/* bytes / 2^30 / GiB/s x 1.85 GHz, rounded down, and 1: the manual's table of one core of A2/A3; A5 has no other. */
static void pto_cycles_transfers(void **state)
{
    static const struct {
        tw_pto_location from, to; /* TW_PTO_LOCATIONS = global memory */
        tw_type type;
        double rate;
    } rows[] = {
        { TW_PTO_LOCATIONS, TW_PTO_VEC, TW_F32, 100.9 },  { TW_PTO_LOCATIONS, TW_PTO_MAT, TW_F16, 135 },
        { TW_PTO_VEC, TW_PTO_LOCATIONS, TW_F32, 188.46 }, { TW_PTO_ACC, TW_PTO_LOCATIONS, TW_F32, 70 },
        { TW_PTO_MAT, TW_PTO_LEFT, TW_F16, 441 },         { TW_PTO_MAT, TW_PTO_RIGHT, TW_F16, 220.5 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int t = TW_PTO_A2A3; t <= TW_PTO_A5; t++) {
            static unsigned char memory[64 * 64 * 4];
            tw_pto *core = tw_pto_new((tw_pto_target)t, TW_PTO_PROFILE);
            tw_pto_tensor tensor = tw_pto_tensor_of(memory, rows[i].type, 64, 64, TW_PTO_ND);
            tw_pto_tile tile[2];
            tw_pto_location at[] = { rows[i].from, rows[i].to };
            for (int k = 0; k < 2; k++) {
                if (at[k] == TW_PTO_LOCATIONS) continue;
                tile[k] = tw_pto_tile_of(at[k], rows[i].type, 64, 64);
                if (at[k] == TW_PTO_VEC) continue;
                tile[k].slayout = at[k] == TW_PTO_RIGHT ? TW_PTO_BOX_COL : TW_PTO_BOX_ROW;
                bool rows_of_boxes = at[k] == TW_PTO_RIGHT || (at[k] == TW_PTO_LEFT && t == TW_PTO_A2A3);
                if (!rows_of_boxes) tile[k].blayout = TW_PTO_COL_MAJOR;
                if (at[k] == TW_PTO_ACC) tile[k].fractal = 1024;
            }
            if (at[0] == TW_PTO_LOCATIONS)
                OK(tw_pto_load(core, &tile[1], &tensor));
            else if (at[1] == TW_PTO_LOCATIONS)
                OK(tw_pto_store(core, &tensor, &tile[0]));
            else
                OK(CALL(core, "tmov", NULL, TILE(&tile[1]), TILE(&tile[0])));
            double bytes = 64.0 * 64 * (double)tw_type_size(rows[i].type);
            assert_int_equal(tw_pto_cycles(core), (uint64_t)(bytes / (1 << 30) / rows[i].rate * 1.85e9) + 1);
            tw_pto_free(core);
        }
}

/* --- pipes ------------------------------------------------------------------------------------------------------ */

/* On a busy pipe there is no head, and the tail is paid once, when it drains. */
static void pto_cycles_pipe(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_PROFILE | TW_PTO_MANUAL);
    tw_pto_tile t[4];
    for (int i = 0; i < 4; i++) {
        t[i] = vec_tile(TW_F32, 4, 64);
        OK(tw_pto_assign(core, &t[i], (uint64_t)i * 1024));
    }
    for (int i = 0; i < 3; i++) OK(CALL(core, "tadd", NULL, TILE(&t[i]), TILE(&t[3]), TILE(&t[3])));
    assert_int_equal(tw_pto_pipe_cycles(core, TW_PTO_PIPE_V), 10 + 3 * 8);
    assert_int_equal(tw_pto_cycles(core), 10 + 3 * 8 + 14);
    OK(tw_pto_barrier(core, TW_PTO_PIPE_V));
    OK(CALL(core, "tadd", NULL, TILE(&t[0]), TILE(&t[3]), TILE(&t[3])));
    assert_int_equal(tw_pto_cycles(core), (10 + 24 + 14) + (10 + 8 + 14));
    tw_pto_free(core);
    /* By flags as by tiles: V has nothing to do until MTE3 has what it waits for, so it starts from empty again. */
    core = tw_pto_new(TW_PTO_A2A3, TW_PTO_PROFILE | TW_PTO_MANUAL);
    for (int i = 0; i < 4; i++) {
        t[i] = vec_tile(TW_F32, 4, 64);
        OK(tw_pto_assign(core, &t[i], (uint64_t)i * 1024));
    }
    OK(CALL(core, "tadd", NULL, TILE(&t[0]), TILE(&t[3]), TILE(&t[3])));
    OK(tw_pto_set_flag(core, TW_PTO_PIPE_V, TW_PTO_PIPE_S, 0));
    OK(tw_pto_wait_flag(core, TW_PTO_PIPE_V, TW_PTO_PIPE_S, 0));
    OK(tw_pto_set_flag(core, TW_PTO_PIPE_S, TW_PTO_PIPE_V, 0));
    OK(tw_pto_wait_flag(core, TW_PTO_PIPE_S, TW_PTO_PIPE_V, 0));
    OK(CALL(core, "tadd", NULL, TILE(&t[1]), TILE(&t[0]), TILE(&t[3])));
    assert_int_equal(tw_pto_cycles(core), 2 * (10 + 8 + 14));
    assert_int_equal(tw_pto_pipe_cycles(core, TW_PTO_PIPE_V), 2 * (10 + 8));
    tw_pto_free(core);
    /* placed automatically: an instruction that needs a result waits for it, tail and all */
    core = tw_pto_new(TW_PTO_A2A3, TW_PTO_PROFILE);
    for (int i = 0; i < 4; i++) t[i] = vec_tile(TW_F32, 4, 64);
    OK(CALL(core, "tadd", NULL, TILE(&t[0]), TILE(&t[3]), TILE(&t[3])));
    OK(CALL(core, "tadd", NULL, TILE(&t[1]), TILE(&t[0]), TILE(&t[3])));
    assert_int_equal(tw_pto_cycles(core), 2 * (10 + 8 + 14));
    tw_pto_free(core);
}

/* Loads and sums of two buffers overlap as far as flags and tiles let them. */
static void pto_cycles_overlap(void **state)
{
    static float memory[64 * 64];
    (void)state;
    uint64_t cycles[2];
    for (int flags = 0; flags <= 1; flags++) { /* 0: manual without flags, 1: flags after each load */
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_PROFILE | TW_PTO_MANUAL);
        tw_pto_tensor g = tw_pto_tensor_of(memory, TW_F32, 64, 64, TW_PTO_ND);
        tw_pto_tile t = vec_tile(TW_F32, 64, 64), sum = t;
        OK(tw_pto_assign(core, &t, 0));
        OK(tw_pto_assign(core, &sum, 16384));
        OK(tw_pto_load(core, &t, &g));
        if (flags) OK(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 0));
        if (flags) OK(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 0));
        OK(CALL(core, "tadd", NULL, TILE(&sum), TILE(&sum), TILE(&t)));
        uint64_t load = tw_pto_pipe_cycles(core, TW_PTO_PIPE_MTE2);
        assert_in_range(load, 279, 281); /* 16 KiB at 100.9 GiB/s: 279.8 cycles of 1.85 GHz */
        cycles[flags] = tw_pto_cycles(core);
        assert_int_equal(cycles[flags], flags ? load + 10 + 128 + 14 : load); /* the sum takes 152 */
        tw_pto_free(core);
    }
}

/* Each instruction with its begin and end, on the track of its pipe: two loads and the sum of the first, which begins
 * when its tile is there, while the second is still on its way. */
static void pto_cycles_timeline(void **state)
{
    static float memory[64 * 64];
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_TIMELINE);
    tw_pto_tensor g = tw_pto_tensor_of(memory, TW_F32, 64, 64, TW_PTO_ND);
    tw_pto_tile t = vec_tile(TW_F32, 64, 64), u = t, sum = t;
    OK(tw_pto_load(core, &t, &g));
    OK(tw_pto_load(core, &u, &g));
    OK(CALL(core, "tadd", NULL, TILE(&sum), TILE(&t), TILE(&t)));
    uint64_t load = tw_pto_pipe_cycles(core, TW_PTO_PIPE_MTE2) / 2;
    char *text = NULL, wanted[160];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    OK(tw_pto_write_timeline(core, out));
    fclose(out);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    assert_int_equal(json_integer_value(json_object_get(json, "instructionsLeftOut")), 0);
    const uint64_t spans[][3] = { { TW_PTO_PIPE_MTE2, 0, load },
                                  { TW_PTO_PIPE_MTE2, load, 2 * load },
                                  { TW_PTO_PIPE_V, load, load + 10 + 128 } };
    size_t found = 0, i;
    json_t *event;
    json_array_foreach(json_object_get(json, "traceEvents"), i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0) continue;
        json_t *args = json_object_get(event, "args");
        assert_int_equal(json_integer_value(json_object_get(event, "tid")), 1 + spans[found][0]);
        assert_int_equal(json_integer_value(json_object_get(args, "begin")), spans[found][1]);
        assert_int_equal(json_integer_value(json_object_get(args, "end")), spans[found][2]);
        double dur = json_number_value(json_object_get(event, "dur"));
        assert_true(fabs(dur * 1850 - (double)(spans[found][2] - spans[found][1])) < 0.01); /* 1.85 GHz */
        found++;
    }
    assert_int_equal(found, 3);
    snprintf(wanted, sizeof wanted, "\"name\":\"PIPE_MTE2\"");
    assert_non_null(strstr(text, wanted));
    json_decref(json);
    free(text);
    tw_pto_free(core);
    core = tw_pto_new(TW_PTO_A2A3, TW_PTO_PROFILE);
    REFUSED(tw_pto_write_timeline(core, stdout), "TW_PTO_TIMELINE", "");
    tw_pto_free(core);
}

/* The common profile says in JSON what the machine calls its parts; what is read back is the same profile. */
static void pto_cycles_words(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, TW_PTO_PROFILE);
    tw_pto_tile t = vec_tile(TW_F32, 4, 64);
    OK(CALL(core, "tadd", NULL, TILE(&t), TILE(&t), TILE(&t)));
    tw_profile *profile = tw_pto_profile(core);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    OK(tw_profile_write_json(profile, out, true));
    fclose(out);
    json_t *json = json_loads(text, 0, NULL), *graph = json_object_get(json, "graph"),
           *words = json_object_get(json_object_get(graph, "target"), "words");
    assert_non_null(words);
    assert_string_equal(json_string_value(json_object_get(words, "IPU")), "device");
    assert_string_equal(json_string_value(json_object_get(words, "tile")), "core");
    assert_string_equal(json_string_value(json_object_get(words, "vertex")), "instruction");
    json_decref(json);
    free(text);
    tw_profile_free(profile);
    tw_pto_free(core);
}

/* --- the common profile ----------------------------------------------------------------------------------------- */

static float numbers[4][64 * 64];

static tw_status work(tw_pto *core, void *user)
{
    tw_pto_identity me = tw_pto_identity_of(core);
    tw_pto_tensor g = tw_pto_tensor_of(numbers[me.block], TW_F32, 64, 64, TW_PTO_ND);
    tw_pto_tile t = vec_tile(TW_F32, 64, 64);
    (void)user;
    for (unsigned i = 0; i <= me.block; i++) {
        OK(tw_pto_load(core, &t, &g));
        OK(CALL(core, "tadd", NULL, TILE(&t), TILE(&t), TILE(&t)));
        OK(tw_pto_store(core, &g, &t));
    }
    return TW_OK;
}

/* All estimates use the clock of A2/A3, 1.85 GHz, whatever the target. */
static void pto_cycles_clock(void **state)
{
    (void)state;
    for (int t = 0; t < TW_PTO_TARGETS; t++) {
        tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){
            .size = sizeof(tw_pto_launch), .target = (tw_pto_target)t, .blocks = 1, .flags = TW_PTO_PROFILE });
        OK(tw_pto_grid_run(g, work, NULL));
        tw_profile *p = tw_pto_grid_profile(g);
        tw_profile_totals totals;
        OK(tw_profile_get_totals(p, &totals));
        assert_true(totals.cycles > 0 && fabs(totals.seconds * 1.85e9 - (double)totals.cycles) < 1e-3);
        tw_profile_free(p);
        tw_pto_grid_free(g);
    }
}

static void pto_cycles_profile(void **state)
{
    (void)state;
    tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){ .size = sizeof(tw_pto_launch),
                                                       .target = TW_PTO_A2A3,
                                                       .blocks = 4,
                                                       .flags = TW_PTO_PROFILE | TW_PTO_TIMELINE });
    OK(tw_pto_grid_run(g, work, NULL));
    tw_profile *p = tw_pto_grid_profile(g);
    assert_non_null(p);
    tw_profile_totals totals;
    OK(tw_profile_get_totals(p, &totals));
    assert_int_equal(tw_profile_tiles(p), 4);
    assert_int_equal(totals.cycles, tw_pto_grid_cycles(g));
    assert_int_equal(totals.fidelity, TW_FIDELITY_ESTIMATED);
    uint64_t busy = 0, cycles, calls, memory[4];
    for (unsigned i = 0; i < 4; i++)
        for (int pipe = 0; pipe < TW_PTO_PIPES; pipe++)
            busy += tw_pto_pipe_cycles(tw_pto_grid_core(g, i), (tw_pto_pipe)pipe);
    assert_int_equal(totals.compute_active, busy);
    /* pipes run side by side: a core is never active for longer than the run */
    assert_true(totals.tile_balance > 0.5 && totals.tile_balance <= 1 && totals.thread_balance <= 1);
    bool found = false;
    for (size_t i = 0; tw_profile_vertex_type(p, i, &cycles, &calls); i++)
        if (!strcmp(tw_profile_vertex_type(p, i, &cycles, &calls), "TADD")) {
            found = true;
            assert_int_equal(calls, 1 + 2 + 3 + 4);
            assert_int_equal(cycles, (10 + 128) * 10); /* each waits for its load, so each has a head */
        }
    assert_true(found);
    assert_true(tw_profile_memory_by_tile(p, memory));
    for (int i = 0; i < 4; i++) assert_int_equal(memory[i], 16384);
    /* through JSON and back */
    char path[] = "/tmp/tw-pto-XXXXXX";
    FILE *out = fdopen(mkstemp(path), "w");
    OK(tw_profile_write_json(p, out, false));
    fclose(out);
    tw_profile *again;
    OK(tw_status_of(again = tw_profile_load_file(path)));
    remove(path);
    char *a = tw_profile_execution_json(p, false), *b = tw_profile_execution_json(again, false);
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "PIPE_MTE2"));
    free(a);
    free(b);
    tw_profile_free(p);
    tw_profile_free(again);
    tw_pto_grid_free(g);
}

/* When cores wait for one another the pipes together are busy for less than the run takes: the rest is a step too. */
static tw_status in_turns(tw_pto *core, void *user)
{
    unsigned block = tw_pto_identity_of(core).block;
    (void)user;
    for (unsigned turn = 0; turn < 4; turn++) {
        if (turn == block) OK(work(core, NULL));
        OK(tw_pto_sync_all(core, TW_PTO_CORES_MIX, NULL));
    }
    return TW_OK;
}

static void pto_cycles_profile_waits(void **state)
{
    (void)state;
    tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){
        .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .blocks = 4, .flags = TW_PTO_PROFILE });
    OK(tw_pto_grid_run(g, in_turns, NULL));
    tw_profile *p = tw_pto_grid_profile(g);
    tw_profile_totals totals;
    OK(tw_profile_get_totals(p, &totals));
    assert_int_equal(totals.cycles, tw_pto_grid_cycles(g));
    assert_true(totals.by_bucket[TW_CYCLES_SYNC] > 0);
    tw_profile_free(p);
    tw_pto_grid_free(g);
    tw_pto *core = tw_pto_new(TW_PTO_A5, TW_PTO_PROFILE), *plain = tw_pto_new(TW_PTO_A5, 0);
    OK(work(core, NULL));
    p = tw_pto_profile(core);
    OK(tw_profile_get_totals(p, &totals));
    assert_int_equal(totals.cycles, tw_pto_cycles(core));
    tw_profile_free(p);
    assert_null(tw_pto_profile(plain));
    assert_non_null(strstr(tw_error_message(), "TW_PTO_PROFILE"));
    tw_pto_free(core);
    tw_pto_free(plain);
}

static const tw__profile_interval *wait_on(const tw_profile *p, const char *lane)
{
    for (size_t i = 0; i < p->intervals.count; i++) {
        const tw__profile_interval *v = &p->intervals.items[i];
        if (v->cause && !strcmp(p->names.items[p->lanes.items[v->lane].name], lane)) return v;
    }
    return NULL;
}

/* The program of pto_cycles_overlap: the vector pipe waits for the flag until the load ends, then the blocks of its
 * tiles are used until it ends. */
static void pto_cycles_waits_and_blocks(void **state)
{
    static float memory[64 * 64];
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, TW_PTO_TIMELINE | TW_PTO_MANUAL);
    tw_pto_tensor g = tw_pto_tensor_of(memory, TW_F32, 64, 64, TW_PTO_ND);
    tw_pto_tile t = vec_tile(TW_F32, 64, 64), sum = t;
    OK(tw_pto_assign(core, &t, 0));
    OK(tw_pto_assign(core, &sum, 16384));
    OK(tw_pto_load(core, &t, &g));
    OK(tw_pto_set_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 3));
    OK(tw_pto_wait_flag(core, TW_PTO_PIPE_MTE2, TW_PTO_PIPE_V, 3));
    OK(CALL(core, "tadd", NULL, TILE(&sum), TILE(&sum), TILE(&t)));
    uint64_t load = tw_pto_pipe_cycles(core, TW_PTO_PIPE_MTE2), add = load + 10 + 128;
    tw_profile *p = tw_pto_profile(core);
    assert_non_null(p);
    const tw__profile_interval *wait = wait_on(p, "PIPE_V");
    assert_non_null(wait);
    assert_int_equal(wait->from, 0);
    assert_int_equal(wait->to, load);
    assert_string_equal(p->names.items[wait->cause], "flag EVENT_ID3");
    assert_string_equal(p->names.items[wait->name], "TADD");
    assert_string_equal(p->names.items[p->lanes.items[wait->partner].name], "PIPE_MTE2");
    assert_int_equal(p->waits.count, 1);
    assert_int_equal(p->waits.items[0].cycles, load);
    assert_string_equal(p->names.items[p->waits.items[0].cause], "PIPE_V: flag of PIPE_MTE2");
    assert_true(p->map_in_cycles);
    assert_int_equal(p->maps.count, 1);
    const tw__profile_block *blocks = p->blocks.items;
    assert_int_equal(blocks[0].address, 0);
    assert_int_equal(blocks[0].bytes, 16384);
    assert_int_equal(blocks[0].from, 0); /* the load begins */
    assert_string_equal(p->names.items[blocks[0].category], "UB");
    assert_string_equal(p->names.items[blocks[0].name], "64 x 64 f32");
    assert_int_equal(blocks[1].address, 16384);
    assert_int_equal(blocks[1].from, load);
    assert_int_equal(blocks[1].used, add + 14);
    assert_int_equal(p->type_cycles.count, 2);
    for (size_t i = 0; i < 2; i++) assert_int_equal(p->type_cycles.items[i].worst, p->type_cycles.items[i].cycles);
    tw_profile_free(p);
    tw_pto_free(core);
}

/* In turns of pto_cycles_profile_waits, what a core waits for is named as well. */
static void pto_cycles_meeting(void **state)
{
    (void)state;
    tw_pto_grid *g = tw_pto_grid_new(&(tw_pto_launch){
        .size = sizeof(tw_pto_launch), .target = TW_PTO_A2A3, .blocks = 4, .flags = TW_PTO_TIMELINE });
    OK(tw_pto_grid_run(g, in_turns, NULL));
    tw_profile *p = tw_pto_grid_profile(g);
    assert_non_null(p);
    uint64_t between_cores = 0;
    for (size_t i = 0; i < p->waits.count; i++)
        if (strstr(p->names.items[p->waits.items[i].cause], "flag of a core") ||
            strstr(p->names.items[p->waits.items[i].cause], "all cores"))
            between_cores += p->waits.items[i].cycles;
    assert_true(between_cores > 0);
    assert_int_equal(p->tile_maps.count, 4);
    tw_profile_free(p);
    tw_pto_grid_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_cycles_vector),        cmocka_unit_test(pto_cycles_others),
        cmocka_unit_test(pto_cycles_cube),          cmocka_unit_test(pto_cycles_transfers),
        cmocka_unit_test(pto_cycles_pipe),          cmocka_unit_test(pto_cycles_overlap),
        cmocka_unit_test(pto_cycles_timeline),      cmocka_unit_test(pto_cycles_words),
        cmocka_unit_test(pto_cycles_clock),         cmocka_unit_test(pto_cycles_profile),
        cmocka_unit_test(pto_cycles_profile_waits), cmocka_unit_test(pto_cycles_waits_and_blocks),
        cmocka_unit_test(pto_cycles_meeting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
