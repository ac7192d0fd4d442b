/* SPDX-License-Identifier: MIT */
/* TPUSH and TPOP against dense matrices: every message is made beforehand, cut into parts, converted and laid out by
 * the references. Both directions, all splits, one or two vector cores or a whole core, rows, columns and boxes in
 * the slot, types with and without scales (given or set before), relu, clip, channel split, one vector core alone,
 * addition to what the slot holds. What a pop does not write keeps its bytes. */
#include "pto/support/check.h"
#include "pto/reference/ref_cube.h"
#include "pto/reference/ref_quant.h"
#include <tilewright/pto/grid.h>

static uint64_t state = 27;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}
static uint64_t any(tw_type type, uint64_t random)
{
    return ref_any(type, random);
}

enum { MESSAGES = 4, MOST_ROWS = 64, MOST_COLS = 128 };
enum { LAYOUT_ROWS, LAYOUT_BOXES, LAYOUT_COLS };
typedef enum scaling { PLAIN, ONE, PER_COLUMN } scaling;

typedef struct scene {
    tw_pto_launch launch;
    tw_pto_fifo fifo;
    tw_type from;
    scaling scaling;
    bool set_before; /* scales by SET_QUANT_SCALAR, SET_QUANT_VECTOR */
    tw_pto_attrs attrs;
    double clip;
    uint32_t rows, cols; /* of the whole tile */
    unsigned parts;
    double scale, scales[MOST_COLS];
    uint64_t sent[MESSAGES][MOST_ROWS * MOST_COLS], want[MESSAGES][MOST_ROWS * MOST_COLS];
    uint64_t poison;
} scene;

static uint64_t *at(uint64_t matrix[MOST_ROWS * MOST_COLS], uint32_t r, uint32_t c)
{
    return &matrix[r * MOST_COLS + c];
}

static uint32_t up(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

/* This core's part of the whole: extents and corner. */
static void part_of(const scene *s, tw_pto_identity me, uint32_t *rows, uint32_t *cols, uint32_t *row,
                    uint32_t *col)
{
    unsigned parts = me.kind == TW_PTO_VECTOR ? s->parts : 1;
    *rows = s->rows / (s->attrs.split == TW_PTO_SPLIT_UP_DOWN ? parts : 1);
    *cols = s->cols / (s->attrs.split == TW_PTO_SPLIT_LEFT_RIGHT ? parts : 1);
    *row = s->attrs.split == TW_PTO_SPLIT_UP_DOWN ? me.sub_block * *rows : 0;
    *col = s->attrs.split == TW_PTO_SPLIT_LEFT_RIGHT ? me.sub_block * *cols : 0;
}

static tw_type slot_type(const scene *s)
{
    return s->fifo.type ? s->fifo.type : s->from;
}

/* The tile that a push takes, full of other values but for its part. */
static tw_pto_tile filled(tw_pto *core, const scene *s, uint64_t sent[MOST_ROWS * MOST_COLS], bool cube,
                          uint64_t *poison)
{
    uint32_t rows, cols, row, col;
    part_of(s, tw_pto_identity_of(core), &rows, &cols, &row, &col);
    tw_pto_tile t = cube ? ref_cube_tile(TW_PTO_ACC, s->from, up(rows, 16), up(cols, 16), s->launch.target)
                         : vec_tile(s->from, rows, up(cols, 64));
    t.valid_rows = rows, t.valid_cols = cols;
    ref_image image = ref_fill(core, &t, any, poison);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < cols; c++) ref_set(&image, r, c, *at(sent, row + r, col + c));
    memcpy(tw_pto_data(core, &t), image.bytes, image.size);
    ref_drop(&image);
    return t;
}

static tw_status push(tw_pto *core, scene *s, unsigned message, uint64_t *poison)
{
    bool cube = s->fifo.direction == TW_PTO_CUBE_TO_VECTOR;
    tw_pto_tile t = filled(core, s, s->sent[message], cube, poison),
                fp = tw_pto_tile_of(TW_PTO_SCALING, TW_U64, 1, MOST_COLS);
    tw_pto_attrs attrs = s->attrs;
    if (message == 0) attrs.atomic = 0;
    tw_pto_operand o[3] = { tw_pto_fifo_operand(&s->fifo), TILE(&t) };
    unsigned n = 2;
    tw_status status = TW_OK;
    if (s->scaling == ONE) {
        tw_pto_operand scale = SCALAR(tw_pto_bits(TW_I64, ref_encode(TW_F32, s->scale, REF_EVEN, false)));
        if (s->set_before)
            status = tw_pto_call(core, "set_quant_scalar", &scale, 1, NULL);
        else
            o[n++] = scale;
    } else if (s->scaling == PER_COLUMN) {
        for (uint32_t c = 0; c < MOST_COLS; c++)
            ref_store(tw_pto_data(core, &fp), TW_U64, c,
                      ref_encode(TW_F32, s->scales[c], REF_EVEN, false) | ref_next(poison) << 32);
        tw_pto_operand scales = TILE(&fp);
        if (s->set_before)
            status = tw_pto_call(core, "set_quant_vector", &scales, 1, NULL);
        else
            o[n++] = scales;
    }
    if (status == TW_OK) status = tw_pto_call(core, "tpush", o, n, &attrs);
    tw_pto_tile_free(core, &t);
    tw_pto_tile_free(core, &fp);
    return status;
}

static tw_pto_tile receiver(const scene *s, bool cube, uint32_t rows, uint32_t cols)
{
    tw_type type = slot_type(s);
    tw_pto_tile t = tw_pto_tile_of(cube ? TW_PTO_MAT : TW_PTO_VEC, type, up(rows, 32), up(cols, 64));
    if (cube && s->poison % 2) ref_layout_of(&t, 2);
    if (s->attrs.slot_layout == LAYOUT_COLS) ref_layout_of(&t, 1);
    if (s->attrs.slot_layout == LAYOUT_BOXES) {
        ref_layout_of(&t, 2);
        if (ref_bits(type) == 32 && !s->attrs.channel_split) t.fractal = 1024;
    }
    t.valid_rows = rows, t.valid_cols = cols;
    return t;
}

static tw_status pop(tw_pto *core, scene *s, unsigned message, uint64_t *poison)
{
    bool cube = s->fifo.direction == TW_PTO_VECTOR_TO_CUBE;
    uint32_t rows, cols, row, col;
    part_of(s, tw_pto_identity_of(core), &rows, &cols, &row, &col);
    tw_pto_tile t = receiver(s, cube, rows, cols);
    ref_image want = ref_fill(core, &t, any, poison);
    tw_status status = tw_pto_pop(core, &s->fifo, &t, (tw_pto_split)s->attrs.split);
    if (status == TW_OK) status = tw_pto_free_slot(core, &s->fifo);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < cols; c++) ref_set(&want, r, c, *at(s->want[message], row + r, col + c));
    if (status == TW_OK && !ref_equal(core, &t, &want, "tpop")) status = TW_E_APPLICATION;
    ref_drop(&want);
    tw_pto_tile_free(core, &t);
    return status;
}

static tw_status kernel(tw_pto *core, void *user)
{
    scene *s = user;
    tw_pto_identity me = tw_pto_identity_of(core);
    bool vector = me.kind == TW_PTO_VECTOR, down = s->fifo.direction == TW_PTO_CUBE_TO_VECTOR;
    uint64_t poison = s->poison + me.sub_block + 17 * me.block;
    tw_status status = TW_OK;
    if (vector && s->fifo.first_vector_only && me.sub_block) return TW_OK;
    if (vector && s->attrs.sub_block && (unsigned)s->attrs.sub_block != me.sub_block + 1) return TW_OK;
    for (unsigned m = 0; m < MESSAGES && status == TW_OK; m++) {
        if (me.kind == TW_PTO_WHOLE || vector != down) status = push(core, s, m, &poison);
        if (status == TW_OK && (me.kind == TW_PTO_WHOLE || vector == down)) status = pop(core, s, m, &poison);
    }
    return status;
}

/* --- making a case ---------------------------------------------------------------------------------------------- */

static uint64_t value(const scene *s)
{
    bool special = s->fifo.direction == TW_PTO_VECTOR_TO_CUBE || (!s->clip && !s->attrs.atomic);
    if (special && pick(8) == 0) return ref_any(s->from, ref_next(&state));
    return ref_encode(s->from, ((double)pick(2048) - 1024) / (ref_is_float(s->from) ? 4 : 1), REF_EVEN, true);
}

/* What the slot holds after a push, element by element. */
static void expect(scene *s)
{
    tw_type to = slot_type(s);
    bool down = s->fifo.direction == TW_PTO_CUBE_TO_VECTOR;
    for (unsigned m = 0; m < MESSAGES; m++)
        for (uint32_t r = 0; r < s->rows; r++)
            for (uint32_t c = 0; c < s->cols; c++) {
                uint64_t code = *at(s->sent[m], r, c) = value(s), *out = at(s->want[m], r, c);
                double by = s->scaling == PER_COLUMN ? s->scales[c] : s->scale;
                *out = code;
                if (!down) continue;
                *out = ref_leave(s->from, code, s->attrs.relu || s->clip > 0, s->scaling != PLAIN, by, to);
                if (s->clip > 0) {
                    uint64_t limit = ref_encode(to, s->clip, REF_EVEN, true);
                    if (ref_decode(to, limit) < ref_decode(to, *out)) *out = limit;
                }
                if (!s->attrs.atomic || m == 0) continue;
                uint64_t old = *at(s->want[m - 1], r, c);
                *out = ref_is_float(to)
                           ? ref_encode(to, ref_decode(to, old) + ref_decode(to, *out), REF_EVEN, false)
                           : old + *out;
            }
}

static void choose_types(scene *s)
{
    static const struct {
        tw_type from, to;
        bool scaled, a2a3, a5;
    } rows[] = {
        { TW_F32, TW_F32, false, true, true },    { TW_F32, TW_F16, false, true, true },
        { TW_F32, TW_BF16, false, true, true },   { TW_I32, TW_I32, false, true, true },
        { TW_F32, TW_I8, true, true, true },      { TW_F32, TW_U8, true, true, true },
        { TW_I32, TW_I8, true, true, true },      { TW_I32, TW_U8, true, true, true },
        { TW_I32, TW_F16, true, true, true },     { TW_F32, TW_F16, true, false, true },
        { TW_F32, TW_BF16, true, false, true },   { TW_F32, TW_HIF8, true, false, true },
        { TW_F32, TW_F8E4M3, true, false, true }, { TW_I32, TW_BF16, true, false, true },
    };
    static const double scales[] = { 1, 0.5, 0.25, 2, 1.0 / 3 };
    size_t i;
    do i = pick(sizeof rows / sizeof *rows);
    while (!(s->launch.target == TW_PTO_A2A3 ? rows[i].a2a3 : rows[i].a5));
    s->from = rows[i].from;
    s->fifo.type = rows[i].to;
    s->scaling = rows[i].scaled ? (scaling)(1 + pick(2)) : PLAIN;
    bool by_cast = rows[i].scaled && rows[i].from == TW_F32 && (rows[i].to == TW_F16 || rows[i].to == TW_BF16);
    s->set_before = pick(2) && !by_cast; /* a scale that was set is for changes of type that need one */
    s->scale = ref_f32(scales[pick(5)]);
    for (uint32_t c = 0; c < MOST_COLS; c++) s->scales[c] = ref_f32(scales[pick(5)]);
}

/* Settings of the fixed pipe that go together. */
static void choose_settings(scene *s)
{
    tw_type to = s->fifo.type;
    s->attrs.relu = (int32_t)pick(2);
    s->attrs.slot_layout = (int32_t)pick(3);
    s->attrs.channel_split = s->attrs.slot_layout == LAYOUT_BOXES && to == TW_F32 && pick(2);
    bool small_float = to == TW_HIF8 || to == TW_F8E4M3;
    if (pick(3) == 0 && !small_float) s->clip = 3.5 + pick(60);
    if (!s->clip && s->fifo.slots == 1 && pick(3) == 0 && !small_float) s->attrs.atomic = 1;
    if (!s->attrs.split && s->launch.vectors == 2 && !s->fifo.first_vector_only && pick(3) == 0)
        s->attrs.sub_block = (int32_t)(1 + pick(2));
    float limit = (float)s->clip;
    memcpy(&s->attrs.clip, &limit, sizeof limit);
}

static void choose_extents(scene *s)
{
    bool boxes = s->attrs.slot_layout == LAYOUT_BOXES;
    uint32_t box = ref_bits(slot_type(s)) == 8 ? 32 : 16;
    uint32_t rows = boxes ? 16 * (1 + pick(2)) : 1 + pick(32), cols = boxes ? box * (1 + pick(2)) : 1 + pick(64);
    s->rows = rows * (s->attrs.split == TW_PTO_SPLIT_UP_DOWN ? s->parts : 1);
    s->cols = cols * (s->attrs.split == TW_PTO_SPLIT_LEFT_RIGHT ? s->parts : 1);
    s->fifo.slot_bytes = up(s->rows * s->cols * ref_bits(slot_type(s)) / 8, 32) + 32 * pick(3);
}

static void one_exchange(tw_pto_target target, tw_pto_direction direction, unsigned vectors, tw_pto_split split)
{
    static const tw_type all[] = { TW_I8,  TW_U8,   TW_I16, TW_U16,    TW_I32,    TW_U32,
                                   TW_F16, TW_BF16, TW_F32, TW_F8E4M3, TW_F8E5M2, TW_HIF8 };
    static scene s;
    memset(&s, 0, sizeof s);
    s.launch = (tw_pto_launch){
        .size = sizeof(tw_pto_launch), .target = target, .blocks = 1 + pick(2), .vectors = vectors
    };
    s.fifo = (tw_pto_fifo){ .id = pick(16), .direction = direction, .slots = 1 + pick(4) };
    s.fifo.first_vector_only = vectors == 2 && pick(4) == 0;
    s.parts = vectors == 2 && !s.fifo.first_vector_only ? 2 : 1;
    s.attrs.split = (int32_t)split;
    s.poison = ref_next(&state);
    if (direction == TW_PTO_CUBE_TO_VECTOR) {
        choose_types(&s);
        choose_settings(&s);
    } else {
        s.from = all[pick(target == TW_PTO_A2A3 ? 9 : 12)];
    }
    choose_extents(&s);
    expect(&s);
    tw_pto_grid *g = tw_pto_grid_new(&s.launch);
    assert_non_null(g);
    if (tw_pto_grid_run(g, kernel, &s) != TW_OK)
        fail_msg("%s, direction %d, %u vectors, split %d, %s to %s, scaling %d (set %d), layout %d, channels %d, "
                 "clip %g, atomic "
                 "%d, sub-block %d, %u x %u: %s",
                 tw_pto_target_name(target), direction, vectors, split, tw_type_name(s.from, TW_SYSTEM_PTO),
                 tw_type_name(slot_type(&s), TW_SYSTEM_PTO), s.scaling, s.set_before, s.attrs.slot_layout,
                 s.attrs.channel_split, s.clip, s.attrs.atomic, s.attrs.sub_block, s.rows, s.cols,
                 tw_error_message());
    tw_pto_grid_free(g);
}

static void exchanges(tw_pto_direction direction, int cases)
{
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (unsigned vectors = 0; vectors <= 2; vectors++)
            for (int split = TW_PTO_SPLIT_NONE; split <= TW_PTO_SPLIT_LEFT_RIGHT; split++)
                for (int i = 0; i < cases; i++)
                    one_exchange((tw_pto_target)target, direction, vectors, (tw_pto_split)split);
}

static void pto_ref_fifo_down(void **unused)
{
    (void)unused;
    exchanges(TW_PTO_CUBE_TO_VECTOR, 14);
}

static void pto_ref_fifo_up(void **unused)
{
    (void)unused;
    exchanges(TW_PTO_VECTOR_TO_CUBE, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_fifo_down),
        cmocka_unit_test(pto_ref_fifo_up),
    };
    return cmocka_run_group_tests_name("pto_ref_fifo", tests, NULL, NULL);
}
