/* SPDX-License-Identifier: MIT */
/* MGATHER and MSCATTER against loops over single elements: all types and profiles, rows and elements,
 * every rule for indexes outside the table, atomics in row-major order, partial valid regions, layouts of the cpu
 * profile.
 * Memory and tiles outside what is written keep their bytes. */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/reference/ref_cube.h"

#include <stdio.h>

static uint64_t state = 23;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}
static uint64_t any(tw_type type, uint64_t random)
{
    return ref_any(type, random);
}

static const tw_type all[] = {
    TW_I8, TW_U8, TW_I16, TW_U16, TW_I32, TW_U32, TW_F16, TW_BF16, TW_F32, TW_I64, TW_U64
};
enum { TYPES = sizeof all / sizeof *all, CHIP_TYPES = TYPES - 2 };
enum { UNDEFINED, CLAMP, WRAP, ZERO, SKIP };
enum { ROW = 1, ELEM = 2 };
enum { NONE, ADD, MAX, MIN };

/* A table in memory of its own, rows `pitch` elements apart or in Nz boxes of 16 x c0, guarded on both sides. */
typedef struct memory {
    tw_type type;
    uint32_t rows, cols, pitch, c0; /* c0: 0 = rows */
    unsigned char *bytes;
    size_t size;
} memory;
enum { GUARD = 64 };

static memory table_new(tw_type type, uint32_t rows, uint32_t cols, uint32_t pitch, ref_maker *make)
{
    memory m = { type, rows, cols, pitch, 0, NULL, (size_t)rows * pitch * ref_bits(type) / 8 + 2 * GUARD };
    m.bytes = malloc(m.size);
    assert_non_null(m.bytes);
    for (size_t i = 0; i < m.size * 8 / ref_bits(type); i++)
        ref_store(m.bytes, type, i, make(type, ref_next(&state)));
    return m;
}

static memory table_copy(const memory *from)
{
    memory m = *from;
    m.bytes = malloc(m.size);
    assert_non_null(m.bytes);
    memcpy(m.bytes, from->bytes, m.size);
    return m;
}

static tw_pto_tensor tensor_of(const memory *m)
{
    tw_pto_tensor g = tw_pto_tensor_of(m->bytes + GUARD, m->type, m->rows, m->cols, m->c0 ? TW_PTO_NZ : TW_PTO_ND);
    if (!m->c0) g.stride[3] = m->pitch;
    return g;
}

static size_t index_of(const memory *m, size_t row, size_t col)
{
    return m->c0 ? (col / m->c0 * m->rows + row) * m->c0 + col % m->c0 : row * m->pitch + col;
}
static uint64_t at(const memory *m, size_t row, size_t col)
{
    return ref_load(m->bytes + GUARD, m->type, index_of(m, row, col));
}
static void put(const memory *m, size_t row, size_t col, uint64_t code)
{
    ref_store(m->bytes + GUARD, m->type, index_of(m, row, col), code);
}

/* A row or element number under a rule; -1 = none. Negative numbers: clamped to 0, wrapped like remainders of Euclid.
 * */
static int64_t place(int64_t i, int64_t n, int rule)
{
    if (i >= 0 && i < n) return i;
    if (rule == CLAMP) return i < 0 ? 0 : n - 1;
    if (rule == WRAP) return (i % n + n) % n;
    return -1;
}

/* Numbers around the ends of a table of n, all inside when nothing says what those outside mean. */
static int64_t number(tw_type type, int64_t n, int rule)
{
    const int64_t edges[] = { 0,
                              n - 1,
                              n,
                              n + 1,
                              2 * n,
                              3 * n - 1,
                              INT32_MAX,
                              type == TW_I32 ? -1 : (int64_t)UINT32_MAX,
                              type == TW_I32 ? INT32_MIN : INT32_MIN + INT64_C(0x100000000),
                              type == TW_I32 ? -n : n };
    if (rule == UNDEFINED || pick(3)) return pick((uint32_t)n);
    return edges[pick(sizeof edges / sizeof *edges)];
}

/* A tile of vector memory in a layout of the profile. */
static tw_pto_tile tile_of(tw_pto_target target, tw_type type, uint32_t rows, uint32_t cols)
{
    tw_pto_tile t = vec_tile(type, rows, cols);
    if (target == TW_PTO_CPU) ref_any_layout(&t, ref_next(&state));
    return t;
}

typedef struct indexed {
    tw_pto *core;
    tw_pto_target target;
    int mode, rule, atomic;
    tw_pto_tile tile, index;
    int64_t numbers[64 * 64];
    memory table;
} indexed;

/* A tile, its indexes and a table that fits them; rows may come from a table in Nz boxes, but not on A5. */
static void make_indexed(indexed *c, tw_type type, ref_maker *make, bool boxes)
{
    uint32_t rows = 32 * (1 + pick(2)), cols = 32 * (1 + pick(2)), extra = pick(3) * 8;
    uint32_t lines = 1 + pick(40), c0 = 256 / ref_bits(type);
    boxes = boxes && c->mode == ROW && c->target != TW_PTO_A5 && pick(2);
    if (boxes) lines = (lines + 15) / 16 * 16;
    c->tile = tile_of(c->target, type, rows, cols);
    c->tile.valid_rows = pick(2) ? rows : 1 + pick(rows);
    c->tile.valid_cols = pick(2) ? cols : 1 + pick(cols);
    if (boxes) c->tile.valid_cols = (c->tile.valid_cols + c0 - 1) / c0 * c0;
    tw_type x = pick(2) ? TW_I32 : TW_U32;
    bool column = c->mode == ROW && c->target != TW_PTO_A2A3 && pick(2);
    if (c->mode == ELEM) {
        c->index = tile_of(c->target, x, rows, cols);
        c->index.valid_rows = c->tile.valid_rows;
        c->index.valid_cols = c->tile.valid_cols;
    } else if (column) {
        c->index = tw_pto_tile_of(TW_PTO_VEC, x, rows, 1);
        c->index.blayout = TW_PTO_COL_MAJOR;
        c->index.valid_rows = c->tile.valid_rows;
    } else {
        c->index = vec_tile(x, 1, rows);
        c->index.valid_cols = c->tile.valid_rows;
    }
    uint32_t width = c->mode == ROW ? c->tile.valid_cols : 1 + pick(40);
    c->table = table_new(type, lines, width, c->mode == ROW ? width + extra : width, make);
    c->table.c0 = boxes ? c0 : 0;
    ref_image image = ref_fill(c->core, &c->index, any, &state);
    int64_t n = c->mode == ROW ? lines : (int64_t)lines * width;
    uint32_t count = c->mode == ROW ? c->tile.valid_rows : c->tile.valid_rows * c->tile.valid_cols;
    for (uint32_t i = 0; i < count; i++) {
        c->numbers[i] = number(x, n, c->rule);
        if (c->mode == ELEM)
            ref_set(&image, i / c->tile.valid_cols, i % c->tile.valid_cols, (uint64_t)c->numbers[i]);
        else
            ref_set(&image, column ? i : 0, column ? 0 : i, (uint64_t)c->numbers[i]);
    }
    memcpy(tw_pto_data(c->core, &c->index), image.bytes, image.size);
    ref_drop(&image);
}

static void describe(const indexed *c, const char *what)
{
    fail_msg("%s on %s: %s, mode %d, rule %d, atomic %d, valid %u x %u, table %u x %u", what,
             tw_pto_target_name(c->target), tw_type_name(c->tile.type, TW_SYSTEM_PTO), c->mode, c->rule, c->atomic,
             c->tile.valid_rows, c->tile.valid_cols, c->table.rows, c->table.cols);
}

/* Element (r, c) of the tile in the table: its row and column there, or false. */
static bool where(const indexed *c, uint32_t r, uint32_t col, size_t *row, size_t *column)
{
    size_t i = c->mode == ROW ? r : (size_t)r * c->tile.valid_cols + col;
    int64_t n = c->mode == ROW ? c->table.rows : (int64_t)c->table.rows * c->table.cols;
    int64_t p = place(c->numbers[i], n, c->rule);
    if (p < 0) return false;
    *row = (size_t)(c->mode == ROW ? p : p / c->table.cols);
    *column = c->mode == ROW ? col : (size_t)(p % c->table.cols);
    return true;
}

static void one_gather(tw_pto_target target, tw_type type, int mode, int rule)
{
    indexed c = { .core = tw_pto_new(target, 0), .target = target, .mode = mode, .rule = rule };
    make_indexed(&c, type, any, true);
    ref_image want = ref_fill(c.core, &c.tile, any, &state);
    memory kept = table_copy(&c.table);
    tw_pto_tensor g = tensor_of(&c.table);
    tw_pto_attrs attrs = { .coalesce = mode == ROW && pick(2) ? 0 : mode, .bounds = rule };
    OK(CALL(c.core, "mgather", &attrs, TILE(&c.tile), TENSOR(&g), TILE(&c.index)));
    for (uint32_t r = 0; r < c.tile.valid_rows; r++)
        for (uint32_t col = 0; col < c.tile.valid_cols; col++) {
            size_t row, column;
            bool there = where(&c, r, col, &row, &column);
            ref_set(&want, r, col, there ? at(&c.table, row, column) : 0);
        }
    if (!ref_equal(c.core, &c.tile, &want, "mgather")) describe(&c, "mgather");
    assert_memory_equal(kept.bytes, c.table.bytes, kept.size);
    free(kept.bytes);
    free(c.table.bytes);
    ref_drop(&want);
    tw_pto_free(c.core);
}

static void pto_ref_table_gather(void **unused)
{
    enum { CASES = 6 };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < (target == TW_PTO_A2A3 ? CHIP_TYPES : TYPES); t++)
            for (int rule = UNDEFINED; rule <= ZERO; rule++)
                for (int mode = ROW; mode <= ELEM; mode++)
                    for (int i = 0; i < CASES; i++) one_gather((tw_pto_target)target, all[t], mode, rule);
}

/* --- to L1 ------------------------------------------------------------------------------------------------------ */

static void one_l1(tw_pto_target target, tw_type type, int mode, int rule)
{
    indexed c = { .core = tw_pto_new(target, 0), .target = target, .mode = mode, .rule = rule };
    uint32_t rows = 16 * (1 + pick(3)), cols = 32 * (1 + pick(2));
    c.tile = tw_pto_tile_of(TW_PTO_MAT, type, rows, cols);
    ref_layout_of(&c.tile, 2);
    c.tile.valid_rows = pick(2) ? rows : 1 + pick(rows);
    c.tile.valid_cols = pick(2) ? cols : 1 + pick(cols);
    uint32_t c0 = 256 / ref_bits(type);
    bool boxes = mode == ROW && target != TW_PTO_A5 && pick(2);
    if (boxes) c.tile.valid_cols = (c.tile.valid_cols + c0 - 1) / c0 * c0;
    uint32_t width = mode == ROW ? c.tile.valid_cols : 1 + pick(30),
             lines = boxes ? 16 * (1 + pick(2)) : 1 + pick(30);
    tw_type x = pick(2) ? TW_I32 : TW_U32;
    c.table = table_new(type, lines, width, mode == ROW ? width + pick(9) : width, any);
    uint32_t down = mode == ROW ? 1 : c.tile.valid_rows,
             across = mode == ROW ? c.tile.valid_rows : c.tile.valid_cols;
    memory indexes = table_new(x, down, across, across + pick(3), any);
    for (uint32_t i = 0; i < down * across; i++) {
        c.numbers[i] = number(x, mode == ROW ? lines : (int64_t)lines * width, rule);
        put(&indexes, i / across, i % across, (uint64_t)c.numbers[i]);
    }
    memory scratch = table_new(type, rows, cols, cols, any);
    tw_pto_tensor g = tensor_of(&c.table), gx = tensor_of(&indexes), gs = tensor_of(&scratch);
    tw_pto_attrs attrs = { .coalesce = mode, .bounds = rule };
    ref_image want = ref_fill(c.core, &c.tile, any, &state);
    tw_pto_operand o[] = { TILE(&c.tile), TENSOR(&g), TENSOR(&gx), TENSOR(&gs) };
    OK(tw_pto_call(c.core, "mgather", o, mode == ROW && pick(2) ? 3 : 4, &attrs));
    for (uint32_t r = 0; r < c.tile.valid_rows; r++)
        for (uint32_t col = 0; col < c.tile.valid_cols; col++) {
            size_t row, column;
            bool there = where(&c, r, col, &row, &column);
            ref_set(&want, r, col, there ? at(&c.table, row, column) : 0);
        }
    if (!ref_equal(c.core, &c.tile, &want, "mgather to L1")) describe(&c, "mgather to L1");
    free(c.table.bytes);
    free(indexes.bytes);
    free(scratch.bytes);
    ref_drop(&want);
    tw_pto_free(c.core);
}

static void pto_ref_table_gather_l1(void **unused)
{
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < (target == TW_PTO_A2A3 ? CHIP_TYPES : TYPES); t++)
            for (int rule = UNDEFINED; rule <= ZERO; rule++)
                for (int mode = ROW; mode <= ELEM; mode++)
                    for (int i = 0; i < 3; i++) one_l1((tw_pto_target)target, all[t], mode, rule);
}

/* --- MSCATTER --------------------------------------------------------------------------------------------------- */

/* The atomics of the manual; cpu has what either chip has. */
static bool has_atomic(tw_pto_target target, tw_type type, int atomic)
{
    static const tw_type a2a3[] = { TW_I8, TW_I16, TW_I32, TW_F16, TW_BF16, TW_F32 };
    static const tw_type a5[] = { TW_I32, TW_U32, TW_F32, TW_F16, TW_BF16 };
    bool found = atomic == NONE;
    if (atomic == ADD && target != TW_PTO_A5)
        for (size_t i = 0; i < sizeof a2a3 / sizeof *a2a3; i++) found |= a2a3[i] == type;
    if (atomic == ADD && target != TW_PTO_A2A3)
        for (size_t i = 0; i < sizeof a5 / sizeof *a5; i++) found |= a5[i] == type;
    if (atomic > ADD && target != TW_PTO_A2A3)
        for (size_t i = 0; i < 3; i++) found |= a5[i] == type;
    return found;
}

static uint64_t combined(tw_type type, uint64_t old, uint64_t new, int atomic)
{
    double a = ref_decode(type, old), b = ref_decode(type, new);
    switch (atomic) {
    case ADD: return ref_is_float(type) ? ref_encode(type, a + b, REF_EVEN, false) : old + new;
    case MAX: return b > a ? new : old;
    case MIN: return b < a ? new : old;
    default: return new;
    }
}

static void one_scatter(tw_pto_target target, tw_type type, int mode, int rule, int atomic)
{
    indexed c = { .core = tw_pto_new(target, 0), .target = target, .mode = mode, .rule = rule, .atomic = atomic };
    ref_maker *make = atomic > ADD ? ref_small : any;
    make_indexed(&c, type, make, false);
    ref_image source = ref_fill(c.core, &c.tile, make, &state);
    memory want = table_copy(&c.table);
    tw_pto_tensor g = tensor_of(&c.table);
    tw_pto_attrs attrs = { .coalesce = mode, .bounds = rule, .atomic = atomic };
    OK(CALL(c.core, "mscatter", &attrs, TENSOR(&g), TILE(&c.tile), TILE(&c.index)));
    for (uint32_t r = 0; r < c.tile.valid_rows; r++)
        for (uint32_t col = 0; col < c.tile.valid_cols; col++) {
            size_t row, column;
            if (!where(&c, r, col, &row, &column)) continue;
            put(&want, row, column, combined(type, at(&want, row, column), ref_get(&source, r, col), atomic));
        }
    for (size_t i = 0; i < want.size * 8 / ref_bits(type); i++)
        if (!ref_same(type, ref_load(want.bytes, type, i), ref_load(c.table.bytes, type, i))) {
            print_error("element %zu: %g, not %g\n", i, ref_decode(type, ref_load(c.table.bytes, type, i)),
                        ref_decode(type, ref_load(want.bytes, type, i)));
            describe(&c, "mscatter");
        }
    assert_true(ref_equal(c.core, &c.tile, &source, "source"));
    free(want.bytes);
    free(c.table.bytes);
    ref_drop(&source);
    tw_pto_free(c.core);
}

static void pto_ref_table_scatter(void **unused)
{
    static const int rules[] = { UNDEFINED, CLAMP, WRAP, SKIP };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < (target == TW_PTO_A2A3 ? CHIP_TYPES : TYPES); t++)
            for (int rule = 0; rule < 4; rule++)
                for (int atomic = NONE; atomic <= MIN; atomic++)
                    for (int mode = ROW; mode <= ELEM && has_atomic((tw_pto_target)target, all[t], atomic); mode++)
                        for (int i = 0; i < 4; i++)
                            one_scatter((tw_pto_target)target, all[t], mode, rules[rule], atomic);
}

/* --- what is refused -------------------------------------------------------------------------------------------- */

static void pto_ref_table_constraints(void **unused)
{
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++) {
        for (int t = 0; t < TYPES; t++)
            for (int atomic = NONE; atomic <= MIN; atomic++) {
                memory m = table_new(all[t], 4, 32, 32, any);
                tw_pto_tensor g = tensor_of(&m);
                tw_pto_tile a = vec_tile(all[t], 4, 32), x = vec_tile(TW_I32, 1, 8);
                x.valid_cols = 4;
                tw_pto_operand o[] = { TENSOR(&g), TILE(&a), TILE(&x) };
                tw_pto_attrs attrs = { .atomic = atomic };
                bool taken =
                    tw_pto_check((tw_pto_target)target, tw_pto_op_by_name("MSCATTER"), o, 3, &attrs, NULL) == TW_OK;
                bool wide = target == TW_PTO_A2A3 && t >= CHIP_TYPES;
                if (taken != (has_atomic((tw_pto_target)target, all[t], atomic) && !wide))
                    fail_msg("%s of %s, atomic %d: %d", tw_pto_target_name((tw_pto_target)target),
                             tw_type_name(all[t], TW_SYSTEM_PTO), atomic, taken);
                free(m.bytes);
            }
        /* tables in boxes: for rows to gather, not on A5 */
        for (int mode = ROW; mode <= ELEM; mode++) {
            memory m = table_new(TW_F32, 16, 32, 32, any);
            m.c0 = 8;
            tw_pto_tensor g = tensor_of(&m);
            tw_pto_tile a = vec_tile(TW_F32, 4, 32),
                        x = mode == ROW ? vec_tile(TW_I32, 1, 8) : vec_tile(TW_I32, 4, 32);
            if (mode == ROW) x.valid_cols = 4;
            tw_pto_operand gather[] = { TILE(&a), TENSOR(&g), TILE(&x) },
                           scatter[] = { TENSOR(&g), TILE(&a), TILE(&x) };
            tw_pto_attrs attrs = { .coalesce = mode };
            bool taken =
                tw_pto_check((tw_pto_target)target, tw_pto_op_by_name("MGATHER"), gather, 3, &attrs, NULL) == TW_OK;
            assert_true(taken == (mode == ROW && target != TW_PTO_A5));
            assert_true(tw_pto_check((tw_pto_target)target, tw_pto_op_by_name("MSCATTER"), scatter, 3, &attrs,
                                     NULL) != TW_OK);
            free(m.bytes);
        }
        /* one index past the end, by each mode: nothing says what it means */
        static const int64_t wrong[] = { 4, -1, INT32_MAX, INT32_MIN };
        for (size_t i = 0; i < 4; i++)
            for (int mode = ROW; mode <= ELEM; mode++) {
                tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                memory m = table_new(TW_F32, mode == ROW ? 4 : 1, mode == ROW ? 32 : 4, mode == ROW ? 32 : 4, any);
                tw_pto_tensor g = tensor_of(&m);
                tw_pto_tile a = vec_tile(TW_F32, 4, 32),
                            x = mode == ROW ? vec_tile(TW_I32, 1, 8) : vec_tile(TW_I32, 4, 32);
                if (mode == ROW) x.valid_cols = 4;
                memset(tw_pto_data(core, &x), 0, tw_pto_tile_bytes(&x));
                set(core, &x, 0, 3, (double)wrong[i]);
                tw_pto_attrs attrs = { .coalesce = mode };
                REFUSED(CALL(core, "mgather", &attrs, TILE(&a), TENSOR(&g), TILE(&x)), "index.bounds", "outside");
                REFUSED(CALL(core, "mscatter", &attrs, TENSOR(&g), TILE(&a), TILE(&x)), "index.bounds", "outside");
                free(m.bytes);
                (tw_pto_free)(core);
            }
    }
}

static void every_row(void **unused)
{
    (void)unused;
    check_rows_reached("ref_table");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_table_gather),
        cmocka_unit_test(pto_ref_table_gather_l1),
        cmocka_unit_test(pto_ref_table_scatter),
        cmocka_unit_test(pto_ref_table_constraints),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests_name("pto_ref_table", tests, NULL, NULL);
}
