/* SPDX-License-Identifier: MIT */
/* TMATMUL_MX and TGEMV_MX against sums in double: each value times the power of two of its group of 32 along k
 *.
 * All mixes of formats, scales that are NaN or at the ends of their range, valid regions around the edges of boxes.
 * */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/reference/ref_cube.h"

enum { GROUP = 32 };

static uint64_t state = 21;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}

static const struct form {
    const char *name, *operands; /* x, y: scales of a and b */
} forms[] = {
    { "TMATMUL_MX", "daxby" }, { "TMATMUL_MX_ACC", "dcaxby" }, { "TMATMUL_MX_BIAS", "daxbyf" },
    { "TGEMV_MX", "daxby" },   { "TGEMV_MX_ACC", "dcaxby" },   { "TGEMV_MX_BIAS", "daxbyf" },
};

static const tw_type pairs[][2] = {
    { TW_F8E4M3, TW_F8E4M3 }, { TW_F8E4M3, TW_F8E5M2 }, { TW_F8E5M2, TW_F8E4M3 }, { TW_F8E5M2, TW_F8E5M2 },
    { TW_F4E2M1, TW_F4E2M1 }, { TW_F4E2M1, TW_F4E1M2 }, { TW_F4E1M2, TW_F4E2M1 }, { TW_F4E1M2, TW_F4E1M2 },
};

/* What the scales of a case are. */
typedef enum scales { NEAR_ONE, WITH_NAN, FAR, SCALES } scales;

static uint64_t near_one(tw_type type, uint64_t random)
{
    (void)type;
    return 124 + random % 7;
}
static uint64_t with_nan(tw_type type, uint64_t random)
{
    return random % 96 ? near_one(type, random / 96) : 255;
}

typedef struct operand {
    tw_pto_tile tile;
    ref_image image;
} operand;

typedef struct product {
    tw_pto *core;
    tw_pto_target target;
    uint32_t m, k, n;
    operand a, b, c, d, x, y, f;
} product;

static operand *by_letter(product *p, char letter)
{
    return letter == 'a'   ? &p->a
           : letter == 'b' ? &p->b
           : letter == 'c' ? &p->c
           : letter == 'd' ? &p->d
           : letter == 'x' ? &p->x
           : letter == 'y' ? &p->y
                           : &p->f;
}

static uint32_t extent(uint32_t most)
{
    const uint32_t list[] = { 1, 15, 16, 17, most, most - 1, 1 + pick(most) };
    uint32_t n = list[pick(7)];
    return n > most ? most : n;
}

static void shape(product *p, const tw_type *types, bool gemv)
{
    uint32_t M = 16 * (1 + pick(3)), K = 64 * (1 + pick(3)), N = 64 * (1 + pick(2));
    p->a.tile = ref_cube_tile(TW_PTO_LEFT, types[0], M, K, p->target);
    p->b.tile = ref_cube_tile(TW_PTO_RIGHT, types[1], K, N, p->target);
    p->d.tile = ref_cube_tile(TW_PTO_ACC, TW_F32, M, N, p->target);
    p->x.tile = ref_cube_tile(TW_PTO_SCALE_LEFT, TW_F8E8M0, M, K / GROUP, p->target);
    p->y.tile = ref_cube_tile(TW_PTO_SCALE_RIGHT, TW_F8E8M0, K / GROUP, N, p->target);
    p->f.tile = tw_pto_tile_of(TW_PTO_BIAS, TW_F32, 1, N);
    if (p->target == TW_PTO_CPU) { /* 4-bit left tiles in rows, columns or boxes; scales in rows of 32 bytes */
        ref_layout_of(&p->b.tile, 3 * pick(2));
        if (pick(2)) p->x.tile = tw_pto_tile_of(TW_PTO_SCALE_LEFT, TW_F8E8M0, M, 32);
        if (pick(2)) p->y.tile = tw_pto_tile_of(TW_PTO_SCALE_RIGHT, TW_F8E8M0, K / GROUP, N);
    }
    p->m = gemv ? 1 : extent(M);
    p->k = 64 * (1 + pick(K / 64));
    p->n = extent(N);
    p->a.tile.valid_rows = p->d.tile.valid_rows = p->m;
    p->a.tile.valid_cols = p->b.tile.valid_rows = p->k;
    p->b.tile.valid_cols = p->d.tile.valid_cols = p->n;
    p->c.tile = p->d.tile;
}

/* Values times their scales; real arithmetic, so no scale is too large. */
static ref_values scaled(const product *p, bool right)
{
    const ref_image *v = right ? &p->b.image : &p->a.image, *s = right ? &p->y.image : &p->x.image;
    ref_values out = ref_decoded(v, right ? p->k : p->m, right ? p->n : p->k);
    for (uint32_t r = 0; r < out.rows; r++)
        for (uint32_t c = 0; c < out.cols; c++)
            out.at[(size_t)r * out.cols + c] *= right ? ref_value(s, r / GROUP, c) : ref_value(s, r, c / GROUP);
    return out;
}

/* Scales that no element has may be anything. */
static void spoil(product *p, operand *o, uint32_t rows, uint32_t cols)
{
    for (uint32_t r = 0; r < o->tile.rows; r++)
        for (uint32_t c = 0; c < o->tile.cols; c++)
            if (r >= rows || c >= cols) ref_set(&o->image, r, c, ref_any(TW_F8E8M0, ref_next(&state)));
    memcpy(tw_pto_data(p->core, &o->tile), o->image.bytes, o->image.size);
}

static void set_scales(product *p, scales kind)
{
    ref_maker *make = kind == WITH_NAN ? with_nan : near_one;
    p->x.image = ref_fill(p->core, &p->x.tile, make, &state);
    p->y.image = ref_fill(p->core, &p->y.tile, make, &state);
    /* One side as small as the other is large: products stay in range though one factor alone may not. */
    uint64_t far = pick(2) ? 0 : 254;
    operand *sides[] = { &p->x, &p->y };
    for (int i = 0; i < 2 && kind == FAR; i++)
        for (uint32_t r = 0; r < sides[i]->tile.rows; r++)
            for (uint32_t c = 0; c < sides[i]->tile.cols; c++) ref_set(&sides[i]->image, r, c, i ? 254 - far : far);
    spoil(p, &p->x, p->m, p->k / GROUP);
    spoil(p, &p->y, p->k / GROUP, p->n);
}

static void one_product(tw_pto_target target, const tw_type *types, const struct form *form, bool exact,
                        scales kind)
{
    product p = { .core = tw_pto_new(target, 0), .target = target };
    tw_pto_operand operands[6];
    unsigned count = 0;
    bool reads = strchr(form->operands, 'c'), biased = strchr(form->operands, 'f');
    ref_maker *make = exact ? ref_small : ref_tame;
    shape(&p, types, strncmp(form->name, "TGEMV", 5) == 0);
    set_scales(&p, kind);
    for (const char *o = "abcdf"; *o; o++)
        by_letter(&p, *o)->image = ref_fill(p.core, &by_letter(&p, *o)->tile, make, &state);
    for (const char *o = form->operands; *o; o++) operands[count++] = TILE(&by_letter(&p, *o)->tile);
    OK(tw_pto_exec(p.core, tw_pto_op_by_name(form->name), operands, count, NULL));

    ref_values a = scaled(&p, false), b = scaled(&p, true), sum = ref_values_new(p.m, p.n),
               bound = ref_values_new(p.m, p.n);
    for (uint32_t i = 0; i < p.m; i++)
        for (uint32_t j = 0; j < p.n; j++)
            sum.at[(size_t)i * p.n + j] = reads    ? ref_value(&p.c.image, i, j)
                                          : biased ? ref_value(&p.f.image, 0, j)
                                                   : 0;
    ref_multiply(&sum, &bound, &a, &b);
    bool sums_exact = exact && kind != FAR;
    if (!ref_near(p.core, &p.d.tile, &p.d.image, &sum, sums_exact ? NULL : &bound, form->name))
        fail_msg("%s on %s: %s x %s, %u x %u x %u, scales %d", form->name, tw_pto_target_name(target),
                 tw_type_name(types[0], TW_SYSTEM_PTO), tw_type_name(types[1], TW_SYSTEM_PTO), p.m, p.k, p.n, kind);
    for (const char *o = form->operands + 1; *o; o++)
        assert_true(ref_equal(p.core, &by_letter(&p, *o)->tile, &by_letter(&p, *o)->image, "source"));
    for (const char *o = "abcdfxy"; *o; o++) ref_drop(&by_letter(&p, *o)->image);
    ref_values *values[] = { &a, &b, &sum, &bound };
    for (int i = 0; i < 4; i++) ref_values_drop(values[i]);
    tw_pto_free(p.core);
}

static void pto_ref_mx_products(void **unused)
{
    enum { CASES = 4 };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t t = 0; t < sizeof pairs / sizeof *pairs; t++)
            for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
                for (int i = 0; i < CASES * SCALES && target != TW_PTO_A2A3; i++)
                    one_product((tw_pto_target)target, pairs[t], &forms[f], i & 1, (scales)(i % SCALES));
}

/* Each pair of types on each profile, and the accumulator's. */
static void pto_ref_mx_types(void **unused)
{
    static const tw_type all[] = { TW_I8,     TW_U8,   TW_F16,    TW_BF16,   TW_F32,    TW_F8E4M3,
                                   TW_F8E5M2, TW_HIF8, TW_F4E2M1, TW_F4E1M2, TW_F8E8M0, TW_I32 };
    enum { TYPES = sizeof all / sizeof *all };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t i = 0; i < (size_t)TYPES * TYPES * TYPES; i++) {
            tw_type ta = all[i % TYPES], tb = all[i / TYPES % TYPES], tc = all[i / TYPES / TYPES];
            bool taken = false;
            for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++)
                taken |= target != TW_PTO_A2A3 && tc == TW_F32 && pairs[n][0] == ta && pairs[n][1] == tb;
            product p = { .target = (tw_pto_target)target };
            p.a.tile = ref_cube_tile(TW_PTO_LEFT, ta, 16, 64, p.target);
            p.b.tile = ref_cube_tile(TW_PTO_RIGHT, tb, 64, 64, p.target);
            p.d.tile = ref_cube_tile(TW_PTO_ACC, tc, 16, 64, p.target);
            p.x.tile = ref_cube_tile(TW_PTO_SCALE_LEFT, TW_F8E8M0, 16, 2, p.target);
            p.y.tile = ref_cube_tile(TW_PTO_SCALE_RIGHT, TW_F8E8M0, 2, 64, p.target);
            tw_pto_operand o[] = { TILE(&p.d.tile), TILE(&p.a.tile), TILE(&p.x.tile), TILE(&p.b.tile),
                                   TILE(&p.y.tile) };
            bool got = tw_pto_check(p.target, tw_pto_op_by_name("TMATMUL_MX"), o, 5, NULL, NULL) == TW_OK;
            if (got != taken)
                fail_msg("%s: %s = %s x %s is %s", tw_pto_target_name(p.target), tw_type_name(tc, TW_SYSTEM_PTO),
                         tw_type_name(ta, TW_SYSTEM_PTO), tw_type_name(tb, TW_SYSTEM_PTO),
                         got ? "taken" : tw_error_message());
        }
}

/* --- what is refused -------------------------------------------------------------------------------------------- */

static void nothing(product *p)
{
    (void)p;
}
static void k_96(product *p)
{
    p->a.tile.valid_cols = p->b.tile.valid_rows = 96;
}
static void k_64(product *p)
{
    p->a.tile.valid_cols = p->b.tile.valid_rows = 64;
}
static void scale_type(product *p)
{
    p->x.tile.type = TW_U8;
}
static void scale_type_b(product *p)
{
    p->y.tile.type = TW_U8;
}
static void scale_place(product *p)
{
    p->x.tile.location = TW_PTO_MAT;
}
static void scale_place_b(product *p)
{
    p->y.tile.location = TW_PTO_SCALE_LEFT;
}
static void few_groups(product *p)
{
    p->x.tile.cols = p->x.tile.valid_cols = 2;
}
static void few_rows(product *p)
{
    p->x.tile.rows = p->x.tile.valid_rows = 16;
}
static void few_groups_b(product *p)
{
    p->y.tile.rows = p->y.tile.valid_rows = 2;
}
static void few_cols_b(product *p)
{
    p->y.tile.cols = p->y.tile.valid_cols = 48;
}
static void acc_type(product *p)
{
    p->d.tile.type = TW_I32;
}
static void bias_type(product *p)
{
    p->f.tile = tw_pto_tile_of(TW_PTO_BIAS, TW_I32, 1, 64);
}

static void pto_ref_mx_constraints(void **unused)
{
    static const struct {
        void (*change)(product *);
        const char *rule; /* NULL = taken */
    } rows[] = {
        { nothing, NULL },
        { k_64, NULL },
        { k_96, "mx.k" },
        { scale_type, "mx.scale" },
        { scale_type_b, "mx.scale" },
        { scale_place, "mx.scale" },
        { scale_place_b, "mx.scale" },
        { few_groups, "mx.scale" },
        { few_rows, "mx.scale" },
        { few_groups_b, "mx.scale" },
        { few_cols_b, "mx.scale" },
        { acc_type, "matmul.types" },
        { bias_type, "matmul.bias" },
    };
    static const tw_pto_target targets[] = { TW_PTO_CPU, TW_PTO_A5 };
    (void)unused;
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            product p = { .target = targets[t] };
            p.a.tile = ref_cube_tile(TW_PTO_LEFT, TW_F8E4M3, 32, 128, p.target);
            p.b.tile = ref_cube_tile(TW_PTO_RIGHT, TW_F8E4M3, 128, 64, p.target);
            p.d.tile = ref_cube_tile(TW_PTO_ACC, TW_F32, 32, 64, p.target);
            p.x.tile = ref_cube_tile(TW_PTO_SCALE_LEFT, TW_F8E8M0, 32, 4, p.target);
            p.y.tile = ref_cube_tile(TW_PTO_SCALE_RIGHT, TW_F8E8M0, 4, 64, p.target);
            p.f.tile = tw_pto_tile_of(TW_PTO_BIAS, TW_F32, 1, 64);
            rows[i].change(&p);
            tw_pto_operand o[] = { TILE(&p.d.tile), TILE(&p.a.tile), TILE(&p.x.tile),
                                   TILE(&p.b.tile), TILE(&p.y.tile), TILE(&p.f.tile) };
            bool got = tw_pto_check(p.target, tw_pto_op_by_name("TMATMUL_MX_BIAS"), o, 6, NULL, NULL) == TW_OK;
            if (got != !rows[i].rule || (!got && !strstr(tw_error_message(), rows[i].rule)))
                fail_msg("row %zu on %s: %s", i, tw_pto_target_name(p.target), got ? "taken" : tw_error_message());
        }
}

static void every_row(void **unused)
{
    (void)unused;
    check_rows_reached("ref_mx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_mx_products),
        cmocka_unit_test(pto_ref_mx_types),
        cmocka_unit_test(pto_ref_mx_constraints),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests_name("pto_ref_mx", tests, NULL, NULL);
}
