/* SPDX-License-Identifier: MIT */
/* Instructions of the formal model alone (profile cpu): fused products, sorting in groups, memory by displacements in
 * bytes. Against loops over single elements written here; ends of tables, ties, NaN, places that meet. */
#define COUNT_ROWS
#include "pto/support/check.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 4, COLS = 64, VALID_ROWS = 3, VALID_COLS = 45, TABLE = 300 };

static tw_pto_tile part_of(tw_type type)
{
    tw_pto_tile t = tw_pto_tile_of(TW_PTO_VEC, type, ROWS, COLS);
    t.valid_rows = VALID_ROWS;
    t.valid_cols = VALID_COLS;
    return t;
}

/* The only product of three that tells one rounding from two: (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24 in f32. */
static void pto_formal_fma(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile d = part_of(TW_F32), a = d, b = d, c = d;
    for (uint32_t r = 0; r < VALID_ROWS; r++)
        for (uint32_t k = 0; k < VALID_COLS; k++) {
            set(core, &a, r, k, k ? 3 * k : 1 + 0x1p-12);
            set(core, &b, r, k, k ? -2.0 * r : 1 + 0x1p-12);
            set(core, &c, r, k, k ? k : -(1 + 0x1p-11));
        }
    OK(CALL(core, "tfma", NULL, TILE(&d), TILE(&a), TILE(&b), TILE(&c)));
    for (uint32_t r = 0; r < VALID_ROWS; r++)
        for (uint32_t k = 0; k < VALID_COLS; k++)
            assert_true(get(core, &d, r, k) == (k ? 3.0 * k * (-2.0 * r) + k : 0x1p-24));
    tw_pto_free(core);
    core = tw_pto_new(TW_PTO_A5, 0);
    REFUSED(CALL(core, "tfma", NULL, TILE(&d), TILE(&a), TILE(&b), TILE(&c)), "profile.absent", "TFMA");
    (tw_pto_free)(core);
}

/* In bf16, with its eight bits: the product (1 + 2^-7)(1 + 2^-7) ends in 2^-14; with -(1 + 2^-6) that is all that
 * remains. 129 * 2^-7 times 3 is 387 * 2^-7, half way between two numbers: a summand far below, of either sign,
 * decides where it goes, which two roundings would not see. */
static void pto_formal_fma_bf16(void **state)
{
    (void)state;
    static const struct {
        double a, b, c, want;
    } rows[] = { { 1 + 0x1p-7, 1 + 0x1p-7, -(1 + 0x1p-6), 0x1p-14 },
                 { 129 * 0x1p-7, 3, 0x1p-100, 388 * 0x1p-7 },
                 { 129 * 0x1p-7, 3, -0x1p-100, 386 * 0x1p-7 },
                 { 129 * 0x1p-7, 3, 0, 388 * 0x1p-7 }, /* to even: 194 * 2^-6 */
                 { 129 * 0x1p-7, -3, 0x1p-100, -386 * 0x1p-7 } };
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    tw_pto_tile d = part_of(TW_BF16), a = d, b = d, c = d;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t r = 0; r < VALID_ROWS; r++)
            for (uint32_t k = 0; k < VALID_COLS; k++)
                set(core, &a, r, k, rows[i].a), set(core, &b, r, k, rows[i].b), set(core, &c, r, k, rows[i].c);
        OK(CALL(core, "tfma", NULL, TILE(&d), TILE(&a), TILE(&b), TILE(&c)));
        for (uint32_t r = 0; r < VALID_ROWS; r++)
            for (uint32_t k = 0; k < VALID_COLS; k++)
                if (get(core, &d, r, k) != rows[i].want)
                    fail_msg("row %zu: %a, not %a", i, get(core, &d, r, k), rows[i].want);
    }
    tw_pto_free(core);
}

/* Whether element y, later than x in its group, has to stand before it. */
static bool overtakes(double y, double x, bool descending)
{
    if (isnan(y)) return false;
    return isnan(x) || (descending ? y > x : y < x);
}

static void check_groups(tw_pto *core, tw_type type, uint32_t width, bool descending, bool in_place)
{
    static const double values[] = { 3, -1, 0, -0.0, NAN, 7, 3, INFINITY, -INFINITY, 2.5, NAN, 3 };
    double from[VALID_ROWS][VALID_COLS];
    tw_pto_tile src = part_of(type), places = part_of(TW_U32), other = part_of(type),
                *dst = in_place ? &src : &other;
    for (uint32_t r = 0; r < VALID_ROWS; r++)
        for (uint32_t c = 0; c < VALID_COLS; c++) set(core, &src, r, c, values[(7 * r + 5 * c) % 12]);
    for (uint32_t r = 0; r < VALID_ROWS; r++) /* infinity is the largest f16 by now */
        for (uint32_t c = 0; c < VALID_COLS; c++) from[r][c] = get(core, &src, r, c);
    tw_pto_attrs attrs = { .width = (int32_t)width, .descending = descending };
    OK(CALL(core, "tsort", &attrs, TILE(dst), TILE(&places), TILE(&src)));
    if (!width) width = 32;
    for (uint32_t r = 0; r < VALID_ROWS; r++)
        for (uint32_t c = 0; c < VALID_COLS; c++) {
            uint32_t first = c / width * width, end = first + width < VALID_COLS ? first + width : VALID_COLS,
                     rank = 0;
            for (uint32_t o = first; o < end; o++) /* how many stand before element c */
                rank += o < c ? !overtakes(from[r][c], from[r][o], descending)
                              : o > c && overtakes(from[r][o], from[r][c], descending);
            double got = get(core, dst, r, first + rank);
            assert_true(isnan(from[r][c]) ? isnan(got) : got == from[r][c] && signbit(got) == signbit(from[r][c]));
            assert_int_equal(get(core, &places, r, first + rank), c - first);
        }
    tw_pto_tile_free(core, &src);
    tw_pto_tile_free(core, &places);
    tw_pto_tile_free(core, &other);
}

static void pto_formal_sort(void **state)
{
    static const tw_type types[] = { TW_F16, TW_BF16, TW_F32 };
    static const uint32_t widths[] = { 0, 1, 2, 7, 16, 32, 44, 45, 46, 64 };
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    for (size_t t = 0; t < 3; t++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int how = 0; how < 4; how++) check_groups(core, types[t], widths[w], how & 1, how & 2);
    tw_pto_free(core);
}

/* --- memory --------------------------------------------------------------------------------------------------- */

typedef struct lanes { /* of one call: what stands where, as bytes */
    tw_pto_tile tile, index, mask, expected, replacement;
    tw_pto_tensor table;
    unsigned char memory[TABLE], before[TABLE];
    bool enabled[VALID_ROWS][VALID_COLS];
    size_t at[VALID_ROWS][VALID_COLS];
} lanes;

static uint32_t next(uint32_t *state_of)
{
    return *state_of = *state_of * 1664525 + 1013904223, *state_of >> 8;
}

static void fill(tw_pto *core, lanes *l, tw_type type, tw_type index, uint32_t *state_of)
{
    const size_t size = tw_type_size(type);
    *l = (lanes){ .tile = part_of(type),
                  .index = part_of(index),
                  .mask = tw_pto_tile_of(TW_PTO_VEC, TW_U8, ROWS, 32),
                  .expected = part_of(type),
                  .replacement = part_of(type) };
    for (size_t i = 0; i < TABLE; i++) l->memory[i] = l->before[i] = (unsigned char)(next(state_of) % 3);
    l->table = tw_pto_tensor_of(l->memory, type, 1, TABLE / size, TW_PTO_ND);
    unsigned char *bits = tw_pto_data(core, &l->mask);
    for (uint32_t r = 0; r < VALID_ROWS; r++)
        for (uint32_t c = 0; c < VALID_COLS; c++) {
            size_t last = TABLE / size * size - size;
            l->at[r][c] = c == 0   ? last
                          : c == 1 ? 0
                                   : next(state_of) % (last + 1); /* any byte: not only whole elements */
            l->enabled[r][c] = c < 2 || next(state_of) % 2;
            if (l->enabled[r][c]) bits[32 * r + c / 8] |= (unsigned char)(1u << c % 8);
            set(core, &l->index, r, c, (double)l->at[r][c]);
            unsigned char *tile = tw_pto_data(core, &l->tile), *e = tw_pto_data(core, &l->expected),
                          *n = tw_pto_data(core, &l->replacement);
            size_t place = tw_pto_element(&l->tile, r, c);
            for (size_t b = 0; b < size; b++) {
                tile[place + b] = (unsigned char)next(state_of);
                e[place + b] = (unsigned char)(next(state_of) % 3);
                n[place + b] = (unsigned char)next(state_of);
            }
        }
}

static void drop(tw_pto *core, lanes *l)
{
    tw_pto_tile_free(core, &l->tile);
    tw_pto_tile_free(core, &l->index);
    tw_pto_tile_free(core, &l->mask);
    tw_pto_tile_free(core, &l->expected);
    tw_pto_tile_free(core, &l->replacement);
}

static const tw_type index_types[] = { TW_I32, TW_U32, TW_I64, TW_U64 },
                     moved[] = { TW_U8, TW_F16, TW_I32, TW_F32, TW_I64 };

static void pto_formal_gather(void **state)
{
    uint32_t state_of = 1;
    lanes l;
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    for (size_t t = 0; t < 5; t++)
        for (size_t x = 0; x < 4; x++)
            for (unsigned pad = 0; pad < 4; pad++) {
                fill(core, &l, moved[t], index_types[x], &state_of);
                const size_t size = tw_type_size(moved[t]);
                l.tile.pad = pad;
                OK(CALL(core, "mgather.mask", NULL, TILE(&l.tile), TENSOR(&l.table), TILE(&l.index),
                        TILE(&l.mask)));
                const uint64_t bits = tw__pad_bits(moved[t], pad);
                const unsigned char *tile = tw_pto_data(core, &l.tile);
                for (uint32_t r = 0; r < VALID_ROWS; r++)
                    for (uint32_t c = 0; c < VALID_COLS; c++)
                        assert_memory_equal(tile + tw_pto_element(&l.tile, r, c),
                                            l.enabled[r][c] ? (const void *)&l.memory[l.at[r][c]] : &bits, size);
                if (pad) assert_memory_equal(tile + tw_pto_element(&l.tile, ROWS - 1, COLS - 1), &bits, size);
                drop(core, &l);
            }
    tw_pto_free(core);
}

static void pto_formal_scatter(void **state)
{
    uint32_t state_of = 2;
    lanes l;
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    for (size_t t = 0; t < 5; t++)
        for (size_t x = 0; x < 4; x++) {
            fill(core, &l, moved[t], index_types[x], &state_of);
            const size_t size = tw_type_size(moved[t]);
            const unsigned char *tile = tw_pto_data(core, &l.tile);
            for (uint32_t r = 0; r < VALID_ROWS; r++)
                for (uint32_t c = 0; c < VALID_COLS; c++)
                    if (l.enabled[r][c]) memcpy(&l.before[l.at[r][c]], tile + tw_pto_element(&l.tile, r, c), size);
            OK(CALL(core, "mscatter.mask", NULL, TENSOR(&l.table), TILE(&l.tile), TILE(&l.index), TILE(&l.mask)));
            assert_memory_equal(l.memory, l.before, TABLE);
            drop(core, &l);
        }
    tw_pto_free(core);
}

static void pto_formal_swap(void **state)
{
    uint32_t state_of = 3;
    unsigned swapped = 0;
    lanes l;
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
    for (size_t t = 0; t < 5; t++)
        for (size_t x = 0; x < 4; x++) {
            fill(core, &l, moved[t], index_types[x], &state_of);
            const size_t size = tw_type_size(moved[t]);
            OK(CALL(core, "mgather.cas", NULL, TILE(&l.tile), TENSOR(&l.table), TILE(&l.index), TILE(&l.expected),
                    TILE(&l.replacement)));
            const unsigned char *tile = tw_pto_data(core, &l.tile), *e = tw_pto_data(core, &l.expected),
                                *n = tw_pto_data(core, &l.replacement);
            for (uint32_t r = 0; r < VALID_ROWS; r++)
                for (uint32_t c = 0; c < VALID_COLS; c++) {
                    const size_t place = tw_pto_element(&l.tile, r, c);
                    unsigned char *old = &l.before[l.at[r][c]];
                    assert_memory_equal(tile + place, old, size);
                    if (memcmp(old, e + place, size) != 0) continue;
                    memcpy(old, n + place, size);
                    swapped++;
                }
            assert_memory_equal(l.memory, l.before, TABLE);
            drop(core, &l);
        }
    assert_true(swapped > 100);
    tw_pto_free(core);
    check_rows_reached("formal");
}

/* One lane past either end: an error, and nothing has moved. A lane that is not enabled may point anywhere. */
static void pto_formal_refused(void **state)
{
    uint32_t state_of = 4;
    lanes l;
    (void)state;
    tw_pto *core = (tw_pto_new)(TW_PTO_CPU, 0);
    for (int end = 0; end < 2; end++) {
        fill(core, &l, TW_I32, TW_I32, &state_of);
        set(core, &l.index, VALID_ROWS - 1, 1, end ? TABLE - 3 : -1);
        REFUSED(CALL(core, "mgather.cas", NULL, TILE(&l.tile), TENSOR(&l.table), TILE(&l.index), TILE(&l.expected),
                     TILE(&l.replacement)),
                "index.bytes", "element (2, 1)");
        REFUSED(CALL(core, "mscatter.mask", NULL, TENSOR(&l.table), TILE(&l.tile), TILE(&l.index), TILE(&l.mask)),
                "index.bytes", "300 bytes");
        assert_memory_equal(l.memory, l.before, TABLE);
        ((unsigned char *)tw_pto_data(core, &l.mask))[32 * (VALID_ROWS - 1)] &= 0xfd;
        OK(CALL(core, "mscatter.mask", NULL, TENSOR(&l.table), TILE(&l.tile), TILE(&l.index), TILE(&l.mask)));
        drop(core, &l);
    }
    fill(core, &l, TW_I32, TW_I32, &state_of);
    l.table.stride[4] = 2;
    REFUSED(CALL(core, "mgather.mask", NULL, TILE(&l.tile), TENSOR(&l.table), TILE(&l.index), TILE(&l.mask)),
            "global.table", "contiguous");
    l.table.stride[4] = 1;
    REFUSED(CALL(core, "mgather.mask", NULL, TILE(&l.index), TENSOR(&l.table), TILE(&l.index), TILE(&l.mask)),
            "alias", "overlaps");
    drop(core, &l);
    (tw_pto_free)(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_formal_fma),     cmocka_unit_test(pto_formal_fma_bf16),
                                        cmocka_unit_test(pto_formal_sort),    cmocka_unit_test(pto_formal_gather),
                                        cmocka_unit_test(pto_formal_scatter), cmocka_unit_test(pto_formal_swap),
                                        cmocka_unit_test(pto_formal_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
