/* SPDX-License-Identifier: MIT */
/* TMATMUL and TGEMV with their forms against sums in double: all types, profiles and layouts, valid regions around
 * the edges of boxes, TF32, special values. Integers and sums of small integers are exact; other sums stay within
 * what f32 additions in any order may lose. Bytes outside the product keep their values. */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/reference/ref_cube.h"

#include <stdio.h>

/* The types of the manual by profile: c; a, b. */
static const struct combination {
    tw_type c, a, b;
    bool a2a3;
} combinations[] = {
    { TW_I32, TW_I8, TW_I8, true },          { TW_F32, TW_F16, TW_F16, true },
    { TW_F32, TW_BF16, TW_BF16, true },      { TW_F32, TW_F32, TW_F32, true },
    { TW_F32, TW_F8E4M3, TW_F8E4M3, false }, { TW_F32, TW_F8E4M3, TW_F8E5M2, false },
    { TW_F32, TW_F8E5M2, TW_F8E4M3, false }, { TW_F32, TW_F8E5M2, TW_F8E5M2, false },
    { TW_F32, TW_HIF8, TW_HIF8, false },
};

static const struct form {
    const char *name, *operands; /* letters: d, a, b, c accumulator read, f bias */
    bool gemv;
} forms[] = {
    { "TMATMUL", "dab", false },       { "TMATMUL_ACC", "dcab", false }, { "TMATMUL_ACC_D", "dab", false },
    { "TMATMUL_BIAS", "dabf", false }, { "TGEMV", "dab", true },         { "TGEMV_ACC", "dcab", true },
    { "TGEMV_ACC_D", "dab", true },    { "TGEMV_BIAS", "dabf", true },
};

static uint64_t state = 20;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}

/* An extent around the edges of boxes of `box`, at most `most`. */
static uint32_t extent(uint32_t most, uint32_t box)
{
    const uint32_t list[] = { 1, box - 1, box, box + 1, most, most - 1, 1 + pick(most) };
    uint32_t n = list[pick(7)];
    return n < 1 ? 1 : n > most ? most : n;
}

typedef struct product {
    tw_pto *core;
    tw_pto_target target;
    const struct combination *types;
    const struct form *form;
    tw_pto_tile a, b, c, d, bias;
    uint32_t m, k, n;
} product;

static void shape(product *p)
{
    uint32_t M = 16 * (1 + pick(3)), K = 64 * (1 + pick(2)), N = 32 * (1 + pick(2));
    bool cpu = p->target == TW_PTO_CPU;
    if (cpu) M = 64;
    if (p->form->gemv && !cpu && pick(3) == 0) M = 1;
    p->a = ref_cube_tile(TW_PTO_LEFT, p->types->a, M, K, p->target);
    p->b = ref_cube_tile(TW_PTO_RIGHT, p->types->b, K, N, p->target);
    if (p->target == TW_PTO_A5 && pick(2)) ref_layout_of(&p->a, 4); /* Zz is taken too */
    p->d =
        ref_cube_tile(TW_PTO_ACC, p->types->c, cpu ? M + 16 * pick(2) : M, cpu ? N + 32 * pick(2) : N, p->target);
    if (cpu) {
        ref_layout_of(&p->a, pick(6));
        ref_layout_of(&p->b, pick(6));
        ref_layout_of(&p->d, pick(6));
        if (p->d.rows % 32) p->d.slayout = TW_PTO_BOX_ROW, p->d.blayout = TW_PTO_COL_MAJOR;
    }
    p->bias = tw_pto_tile_of(TW_PTO_BIAS, p->types->c, 1, p->d.cols);
    p->m = p->form->gemv ? 1 : extent(M, 16);
    p->k = extent(K, 256 / ref_bits(p->types->a));
    p->n = extent(N, 16);
    p->a.valid_rows = p->d.valid_rows = p->m;
    p->a.valid_cols = p->b.valid_rows = p->k;
    p->b.valid_cols = p->d.valid_cols = p->n;
    p->c = p->d;
    if (p->types->a == TW_F32) p->a.tf32 = pick(3), p->b.tf32 = pick(3);
}

static void round_to_tf32(ref_values *v, uint32_t mode)
{
    if (mode) ref_tf32(v, mode == TW_PTO_TF32_ROUND ? REF_AWAY : REF_EVEN);
}

/* i32 in modular arithmetic. */
static void expect_integers(const product *p, const ref_image *a, const ref_image *b, const ref_image *start,
                            const ref_image *bias, ref_image *want)
{
    for (uint32_t i = 0; i < p->m; i++)
        for (uint32_t j = 0; j < p->n; j++) {
            uint32_t sum = start ? (uint32_t)ref_get(start, i, j) : bias ? (uint32_t)ref_get(bias, 0, j) : 0;
            for (uint32_t k = 0; k < p->k; k++)
                sum += (uint32_t)(ref_integer(TW_I8, ref_get(a, i, k)) * ref_integer(TW_I8, ref_get(b, k, j)));
            ref_set(want, i, j, sum);
        }
}

static bool compare(product *p, const ref_image *a, const ref_image *b, const ref_image *start,
                    const ref_image *bias, ref_image *before, bool exact)
{
    if (p->types->c == TW_I32) {
        expect_integers(p, a, b, start, bias, before);
        return ref_equal(p->core, &p->d, before, p->form->name);
    }
    ref_values va = ref_decoded(a, p->m, p->k), vb = ref_decoded(b, p->k, p->n), sum = ref_values_new(p->m, p->n),
               bound = ref_values_new(p->m, p->n);
    round_to_tf32(&va, p->a.tf32);
    round_to_tf32(&vb, p->b.tf32);
    for (uint32_t i = 0; i < p->m; i++)
        for (uint32_t j = 0; j < p->n; j++)
            sum.at[(size_t)i * p->n + j] = start ? ref_value(start, i, j) : bias ? ref_value(bias, 0, j) : 0;
    ref_multiply(&sum, &bound, &va, &vb);
    bool good = ref_near(p->core, &p->d, before, &sum, exact ? NULL : &bound, p->form->name);
    ref_values_drop(&va);
    ref_values_drop(&vb);
    ref_values_drop(&sum);
    ref_values_drop(&bound);
    return good;
}

static void one_product(tw_pto_target target, const struct combination *types, const struct form *form, bool exact)
{
    product p = { .core = tw_pto_new(target, 0), .target = target, .types = types, .form = form };
    ref_maker *make = exact ? ref_small : ref_tame;
    shape(&p);
    ref_image a = ref_fill(p.core, &p.a, make, &state), b = ref_fill(p.core, &p.b, make, &state),
              d = ref_fill(p.core, &p.d, make, &state), bias = ref_fill(p.core, &p.bias, make, &state), c = { 0 };
    tw_pto_operand operands[4];
    unsigned count = 0;
    bool reads = strchr(form->operands, 'c') != NULL, biased = strchr(form->operands, 'f') != NULL;
    if (reads) c = ref_fill(p.core, &p.c, make, &state);
    for (const char *o = form->operands; *o; o++) {
        tw_pto_tile *t = *o == 'd' ? &p.d : *o == 'a' ? &p.a : *o == 'b' ? &p.b : *o == 'c' ? &p.c : &p.bias;
        operands[count++] = TILE(t);
    }
    OK(tw_pto_exec(p.core, tw_pto_op_by_name(form->name), operands, count, NULL));
    const ref_image *start = reads ? &c : strstr(form->name, "ACC_D") ? &d : NULL;
    ref_image before = ref_take(p.core, &p.d); /* of its size; what it held follows */
    memcpy(before.bytes, d.bytes, d.size);
    if (!compare(&p, &a, &b, start, biased ? &bias : NULL, &before, exact))
        fail_msg("%s on %s: %u x %u x %u, layouts %u%u %u%u %u%u, tf32 %u %u", form->name,
                 tw_pto_target_name(target), p.m, p.k, p.n, p.a.blayout, p.a.slayout, p.b.blayout, p.b.slayout,
                 p.d.blayout, p.d.slayout, p.a.tf32, p.b.tf32);
    assert_true(ref_equal(p.core, &p.a, &a, "left") && ref_equal(p.core, &p.b, &b, "right"));
    if (reads) assert_true(ref_equal(p.core, &p.c, &c, "accumulator read"));
    ref_image *images[] = { &a, &b, &c, &d, &bias, &before };
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) ref_drop(images[i]);
    tw_pto_free(p.core);
}

static void pto_ref_cube_products(void **unused)
{
    enum { CASES = 8 };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t t = 0; t < sizeof combinations / sizeof *combinations; t++)
            for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
                for (int i = 0; i < CASES && (combinations[t].a2a3 || target != TW_PTO_A2A3); i++)
                    one_product((tw_pto_target)target, &combinations[t], &forms[f], i & 1);
}

/* --- windows of larger tiles ------------------------------------------------------------------------------------ */

/* A tile with 32 more rows and 64 more columns, of which `t` becomes the window that begins at (row, col). */
typedef struct framed {
    tw_pto_tile base, alone; /* alone: as the window, without a base */
    ref_image image, part;
    uint32_t row, col;
} framed;

static void frame(tw_pto *core, tw_pto_tile *t, ref_maker *make, framed *f)
{
    f->base = f->alone = *t;
    f->base.rows += 32, f->base.cols += 64;
    f->base.valid_rows = f->base.rows, f->base.valid_cols = f->base.cols;
    f->row = 32 * pick(2), f->col = 64 * pick(2);
    f->image = ref_fill(core, &f->base, make, &state);
    f->part = ref_cut(&f->image, &f->alone, f->row, f->col);
    OK(tw_pto_window(core, t, &f->base, f->row, f->col));
}

static void one_windowed(tw_pto_target target, const struct combination *types)
{
    enum { M = 32, K = 64, N = 64 };
    product p = { .core = tw_pto_new(target, 0),
                  .target = target,
                  .types = types,
                  .form = &forms[2],
                  .m = 1 + pick(M),
                  .k = 1 + pick(K),
                  .n = 1 + pick(N) };
    framed a, b, d;
    p.a = ref_cube_tile(TW_PTO_LEFT, types->a, M, K, target);
    p.b = ref_cube_tile(TW_PTO_RIGHT, types->b, K, N, target);
    p.d = ref_cube_tile(TW_PTO_ACC, types->c, M, N, target);
    if (target == TW_PTO_CPU) {
        ref_any_layout(&p.a, ref_next(&state));
        ref_any_layout(&p.b, ref_next(&state));
        ref_any_layout(&p.d, ref_next(&state));
    }
    p.a.valid_rows = p.d.valid_rows = p.m;
    p.a.valid_cols = p.b.valid_rows = p.k;
    p.b.valid_cols = p.d.valid_cols = p.n;
    frame(p.core, &p.a, ref_small, &a);
    frame(p.core, &p.b, ref_small, &b);
    frame(p.core, &p.d, ref_small, &d);
    OK(CALL(p.core, "tmatmul.acc", NULL, TILE(&p.d), TILE(&p.a), TILE(&p.b)));
    for (uint32_t i = 0; i < p.m; i++)
        for (uint32_t j = 0; j < p.n; j++) { /* small integers: exact */
            double sum = ref_value(&d.part, i, j);
            for (uint32_t k = 0; k < p.k; k++) sum += ref_value(&a.part, i, k) * ref_value(&b.part, k, j);
            ref_set(&d.part, i, j, ref_encode(types->c, sum, REF_EVEN, false));
        }
    ref_paste(&d.image, &d.part, d.row, d.col);
    if (!ref_equal(p.core, &d.base, &d.image, "window"))
        fail_msg("%s: %u x %u x %u, layouts %u%u %u%u %u%u", tw_pto_target_name(target), p.m, p.k, p.n, p.a.blayout,
                 p.a.slayout, p.b.blayout, p.b.slayout, p.d.blayout, p.d.slayout);
    assert_true(ref_equal(p.core, &a.base, &a.image, "left") && ref_equal(p.core, &b.base, &b.image, "right"));
    framed *all[] = { &a, &b, &d };
    for (int i = 0; i < 3; i++) ref_drop(&all[i]->image), ref_drop(&all[i]->part);
    tw_pto_free(p.core);
}

static void pto_ref_cube_windows(void **unused)
{
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t t = 0; t < sizeof combinations / sizeof *combinations; t++)
            for (int i = 0; i < 8 && (combinations[t].a2a3 || target != TW_PTO_A2A3); i++)
                one_windowed((tw_pto_target)target, &combinations[t]);
}

/* Every triple of element types on every profile: taken or refused as the documents say. */
static void pto_ref_cube_types(void **unused)
{
    static const tw_type all[] = { TW_I8,  TW_U8,   TW_I16, TW_U16,    TW_I32,    TW_U32,  TW_I64,    TW_U64,
                                   TW_F16, TW_BF16, TW_F32, TW_F8E4M3, TW_F8E5M2, TW_HIF8, TW_F4E2M1, TW_F4E1M2 };
    enum { TYPES = sizeof all / sizeof *all };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t i = 0; i < (size_t)TYPES * TYPES * TYPES; i++) {
            tw_type tc = all[i % TYPES], ta = all[i / TYPES % TYPES], tb = all[i / TYPES / TYPES];
            bool taken = false;
            for (size_t n = 0; n < sizeof combinations / sizeof *combinations; n++)
                taken |= combinations[n].c == tc && combinations[n].a == ta && combinations[n].b == tb &&
                         (combinations[n].a2a3 || target != TW_PTO_A2A3);
            tw_pto_tile a = ref_cube_tile(TW_PTO_LEFT, ta, 16, 64, (tw_pto_target)target),
                        b = ref_cube_tile(TW_PTO_RIGHT, tb, 64, 64, (tw_pto_target)target),
                        c = ref_cube_tile(TW_PTO_ACC, tc, 16, 64, (tw_pto_target)target);
            tw_pto_operand operands[] = { TILE(&c), TILE(&a), TILE(&b) };
            bool got =
                tw_pto_check((tw_pto_target)target, tw_pto_op_by_name("TMATMUL"), operands, 3, NULL, NULL) == TW_OK;
            if (got != taken)
                fail_msg("%s: %s = %s x %s is %s", tw_pto_target_name((tw_pto_target)target),
                         tw_type_name(tc, TW_SYSTEM_PTO), tw_type_name(ta, TW_SYSTEM_PTO),
                         tw_type_name(tb, TW_SYSTEM_PTO), got ? "taken" : tw_error_message());
        }
}

/* --- what is refused, and what just is not ---------------------------------------------------------------------- */

typedef struct trio {
    tw_pto_tile a, b, c, bias;
} trio;

static void wrong_k(trio *t)
{
    t->a.valid_cols = 31;
}
static void wrong_rows(trio *t)
{
    t->c.rows = t->c.valid_rows = 64;
}
static void wrong_cols(trio *t)
{
    t->b.cols = t->b.valid_cols = 64;
}
static void empty_m(trio *t)
{
    t->a.valid_rows = 0;
}
static void empty_n(trio *t)
{
    t->b.valid_cols = 0;
}
static void empty_k(trio *t)
{
    t->a.valid_cols = t->b.valid_rows = 0;
}
static void long_k(trio *t)
{
    t->a.cols = t->b.rows = 4096;
    t->a.valid_cols = t->b.valid_rows = 4096;
}
static void longest_k(trio *t)
{
    long_k(t);
    t->a.valid_cols = t->b.valid_rows = 4095;
}
static void left_zn(trio *t)
{
    ref_layout_of(&t->a, 3);
}
static void left_rows(trio *t)
{
    ref_layout_of(&t->a, 0);
}
static void left_nz(trio *t)
{
    ref_layout_of(&t->a, 2);
}
static void right_nz(trio *t)
{
    ref_layout_of(&t->b, 2);
}
static void right_nn(trio *t)
{
    ref_layout_of(&t->b, 5);
}
static void acc_zz(trio *t)
{
    ref_layout_of(&t->c, 4);
}
static void acc_zn(trio *t)
{
    ref_layout_of(&t->c, 3);
}
static void left_in_mat(trio *t)
{
    t->a.location = TW_PTO_MAT;
}
static void right_in_left(trio *t)
{
    t->b.location = TW_PTO_LEFT;
}
static void acc_in_vec(trio *t)
{
    t->c.location = TW_PTO_VEC;
}
static void bias_in_vec(trio *t)
{
    t->bias.location = TW_PTO_VEC;
}
static void bias_type(trio *t)
{
    t->bias = tw_pto_tile_of(TW_PTO_BIAS, TW_F16, 1, 32);
}
static void bias_rows(trio *t)
{
    t->bias = tw_pto_tile_of(TW_PTO_BIAS, TW_F32, 2, 32);
}
static void bias_narrow(trio *t)
{
    t->bias = tw_pto_tile_of(TW_PTO_BIAS, TW_F32, 1, 16);
}
static void nothing(trio *t)
{
    (void)t;
}

enum { CPU = 1, A2A3 = 2, A5 = 4, CHIPS = A2A3 | A5, ALL = CHIPS | CPU };

static void pto_ref_cube_constraints(void **unused)
{
    static const struct {
        void (*change)(trio *);
        unsigned refused; /* profiles */
        const char *rule;
    } rows[] = {
        { nothing, 0, "" },
        { wrong_k, ALL, "matmul.k" },
        { wrong_rows, CHIPS, "matmul.extents" },
        { wrong_cols, ALL, "matmul.extents" },
        { empty_m, CHIPS, "matmul.range" },
        { empty_n, CHIPS, "matmul.range" },
        { empty_k, CHIPS, "matmul.range" },
        { long_k, CHIPS, "matmul.range" },
        { longest_k, 0, "" },
        { left_zn, CHIPS, "layout.cube" },
        { left_rows, CHIPS, "layout.cube" },
        { left_nz, A2A3, "layout.cube" },
        { right_nz, CHIPS, "layout.cube" },
        { right_nn, CHIPS, "layout.cube" },
        { acc_zz, CHIPS, "layout.cube" },
        { acc_zn, CHIPS, "layout.cube" },
        { left_in_mat, ALL, "location.left" },
        { right_in_left, ALL, "location.right" },
        { acc_in_vec, ALL, "location.acc" },
        { bias_in_vec, ALL, "matmul.bias" },
        { bias_type, ALL, "matmul.bias" },
        { bias_rows, ALL, "matmul.bias" },
        { bias_narrow, ALL, "matmul.bias" },
    };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            trio t = { ref_cube_tile(TW_PTO_LEFT, TW_F16, 32, 32, (tw_pto_target)target),
                       ref_cube_tile(TW_PTO_RIGHT, TW_F16, 32, 32, (tw_pto_target)target),
                       ref_cube_tile(TW_PTO_ACC, TW_F32, 32, 32, (tw_pto_target)target),
                       tw_pto_tile_of(TW_PTO_BIAS, TW_F32, 1, 32) };
            rows[i].change(&t);
            tw_pto_operand operands[] = { TILE(&t.c), TILE(&t.a), TILE(&t.b), TILE(&t.bias) };
            bool got = tw_pto_check((tw_pto_target)target, tw_pto_op_by_name("TMATMUL_BIAS"), operands, 4, NULL,
                                    NULL) != TW_OK;
            bool want = rows[i].refused >> target & 1;
            if (got != want || (want && !strstr(tw_error_message(), rows[i].rule)))
                fail_msg("row %zu on %s: %s", i, tw_pto_target_name((tw_pto_target)target),
                         got ? tw_error_message() : "taken");
        }
}

static void every_row(void **unused)
{
    (void)unused;
    check_rows_reached("ref_cube");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_cube_products),
        cmocka_unit_test(pto_ref_cube_windows),
        cmocka_unit_test(pto_ref_cube_types),
        cmocka_unit_test(pto_ref_cube_constraints),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests_name("pto_ref_cube", tests, NULL, NULL);
}
