/* SPDX-License-Identifier: MIT */
/* TQUANT (8-bit symmetric and asymmetric, MX by both rules, HiF4) and TDEQUANT against one value or group at a time:
 * all types, profiles and directions, boxed and plain exponents, partial valid regions, ties, NaN, infinities,
 * denormals.  */
#define COUNT_ROWS
#include "pto/support/check.h"
#include "pto/reference/ref_cube.h"
#include "pto/reference/ref_quant.h"

static uint64_t state = 24;

static uint32_t pick(uint32_t n)
{
    return (uint32_t)(ref_next(&state) % n);
}
static uint64_t any(tw_type type, uint64_t random)
{
    return ref_any(type, random);
}

/* Values that land in and around the range of 8 bits, quarters so that ties are common, some of any kind. */
static uint64_t around(tw_type type, uint64_t random)
{
    if (random % 8 == 0) return ref_any(type, random / 8);
    return ref_encode(type, ((double)(random / 8 % 4096) - 2048) / 4, REF_EVEN, true);
}
static uint64_t factor(tw_type type, uint64_t random)
{
    static const double values[] = { 1, 0.5, 2, 0.25, 1.0 / 3, 0.1, -1, 0, 3 };
    return ref_encode(type, values[random % 9], REF_EVEN, true);
}
static uint64_t shift(tw_type type, uint64_t random)
{
    static const double values[] = { 0, 128, 1, -7, 127.5, 0.25, 300 };
    return ref_encode(type, values[random % 7], REF_EVEN, true);
}

/* Sources and destinations in any layout of their shape on profile cpu. */
static void lay_out(tw_pto_target target, tw_pto_tile *a, tw_pto_tile *b)
{
    if (target != TW_PTO_CPU) return;
    ref_any_layout(a, ref_next(&state));
    ref_any_layout(b, ref_next(&state));
}

/* One parameter per row: column 0 of rows, or a column. */
static tw_pto_tile parameters(uint32_t rows)
{
    tw_pto_tile t = vec_tile(TW_F32, rows, 8);
    if (pick(2)) {
        t = tw_pto_tile_of(TW_PTO_VEC, TW_F32, (rows + 7) / 8 * 8, 1);
        t.blayout = TW_PTO_COL_MAJOR;
    }
    return t;
}

static void cut(tw_pto_tile *t, uint32_t edge)
{
    const uint32_t cols[] = { 1, edge - 1, edge, edge + 1, t->cols, 1 + pick(t->cols) };
    uint32_t n = cols[pick(6)];
    t->valid_rows = pick(2) ? t->rows : 1 + pick(t->rows);
    t->valid_cols = n > t->cols ? t->cols : n;
}

static void one_int8(tw_pto_target target, bool asymmetric, bool with_tmp)
{
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t rows = 1 + pick(6), cols = 32 * (1 + pick(4));
    tw_type to = asymmetric ? TW_U8 : TW_I8;
    tw_pto_tile a = vec_tile(TW_F32, rows, cols), p = parameters(rows), z = parameters(rows), tmp = a,
                d = vec_tile(to, rows, cols + 32 * pick(2));
    cut(&a, 32);
    d.valid_rows = a.valid_rows, d.valid_cols = a.valid_cols;
    lay_out(target, &a, &d);
    ref_image va = ref_fill(core, &a, around, &state), vp = ref_fill(core, &p, factor, &state),
              vz = ref_fill(core, &z, shift, &state), want = ref_fill(core, &d, any, &state);
    tw_pto_operand o[5] = { TILE(&d), TILE(&a), TILE(&p) };
    unsigned n = 3;
    if (with_tmp) o[n++] = TILE(&tmp);
    if (asymmetric) o[n++] = TILE(&z);
    OK(tw_pto_call(core, "tquant", o, n, &(tw_pto_attrs){ .quant = asymmetric }));
    for (uint32_t r = 0; r < a.valid_rows; r++)
        for (uint32_t c = 0; c < a.valid_cols; c++) {
            double x = ref_f32(ref_value(&va, r, c) * ref_value(&vp, r, 0));
            if (asymmetric) x = ref_f32(x + ref_value(&vz, r, 0));
            ref_set(&want, r, c, ref_encode(to, x, REF_EVEN, true));
        }
    if (!ref_equal(core, &d, &want, "tquant"))
        fail_msg("%s, asymmetric %d, tmp %d", tw_pto_target_name(target), asymmetric, with_tmp);
    ref_image *images[] = { &va, &vp, &vz, &want };
    for (int i = 0; i < 4; i++) ref_drop(images[i]);
    tw_pto_free(core);
}

static void pto_ref_quant_int8(void **unused)
{
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int i = 0; i < 120; i++) one_int8((tw_pto_target)target, i & 1, i & 2);
}

static void one_dequant(tw_pto_target target, tw_type from)
{
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t rows = 1 + pick(6), cols = 32 * (1 + pick(4));
    tw_pto_tile a = vec_tile(from, rows, cols), p = parameters(rows), z = parameters(rows),
                d = vec_tile(TW_F32, rows, cols + 8 * pick(2));
    cut(&a, 32);
    d.valid_rows = a.valid_rows, d.valid_cols = a.valid_cols;
    lay_out(target, &a, &d);
    ref_image va = ref_fill(core, &a, any, &state), vp = ref_fill(core, &p, pick(2) ? factor : any, &state),
              vz = ref_fill(core, &z, shift, &state), want = ref_fill(core, &d, any, &state);
    OK(CALL(core, "tdequant", NULL, TILE(&d), TILE(&a), TILE(&p), TILE(&z)));
    for (uint32_t r = 0; r < a.valid_rows; r++)
        for (uint32_t c = 0; c < a.valid_cols; c++) {
            double x = ref_f32(ref_value(&va, r, c) - ref_value(&vz, r, 0)) * ref_value(&vp, r, 0);
            ref_set(&want, r, c, ref_encode(TW_F32, x, REF_EVEN, false));
        }
    if (!ref_equal(core, &d, &want, "tdequant")) fail_msg("%s", tw_pto_target_name(target));
    ref_image *images[] = { &va, &vp, &vz, &want };
    for (int i = 0; i < 4; i++) ref_drop(images[i]);
    tw_pto_free(core);
}

static void pto_ref_quant_dequant(void **unused)
{
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int i = 0; i < 80; i++) one_dequant((tw_pto_target)target, i & 1 ? TW_I8 : TW_I16);
}

/* --- MX --------------------------------------------------------------------------------------------------------- */

static int reach; /* largest exponent of the values of a case, either way */

/* Values of one magnitude with some zeros, denormals, infinities; NaN is rare, since it takes its whole group. */
static uint64_t grouped(tw_type type, uint64_t random)
{
    if (random % 32 == 0) {
        uint64_t code = ref_any(type, random / 32);
        return ref_is_nan(type, code) && random % 96 ? 0 : code;
    }
    double fraction = (double)(random >> 32 & 255) / 64 - 2;
    return ref_encode(type, ldexp(fraction, reach + (int)(random >> 40 & 3)), REF_EVEN, true);
}

static const struct {
    tw_type to, from;
} pairs[] = { { TW_F8E4M3, TW_F32 },
              { TW_F8E4M3, TW_BF16 },
              { TW_F8E4M3, TW_F16 },
              { TW_F4E2M1, TW_BF16 },
              { TW_F4E2M1, TW_F16 } };

static void one_mx(tw_pto_target target, size_t pair, bool down, bool nv)
{
    tw_pto *core = tw_pto_new(target, 0);
    tw_type to = pairs[pair].to, from = pairs[pair].from;
    bool boxed = pick(2);
    uint32_t across = (boxed ? 2 : 1) * REF_MX_GROUP, rows = down ? across * (1 + pick(2)) : 16 * (1 + pick(2)),
             cols = down ? 64 * (1 + pick(2)) : across * (1 + pick(3));
    if (to == TW_F4E2M1 || cols % 64) cols = (cols + 63) / 64 * 64;
    reach = from == TW_F16 ? (int)pick(20) - 10 : (int)pick(240) - 130;
    tw_pto_tile a = vec_tile(from, rows, cols), d = vec_tile(to, rows, cols);
    a.valid_rows = down ? across * (1 + pick(rows / across)) : 16 * (1 + pick(rows / 16));
    a.valid_cols = down ? 1 + pick(cols) : across * (1 + pick(cols / across));
    d.valid_rows = a.valid_rows, d.valid_cols = a.valid_cols;
    uint32_t groups_down = down ? a.valid_rows / REF_MX_GROUP : a.valid_rows,
             groups_across = down ? a.valid_cols : a.valid_cols / REF_MX_GROUP;
    tw_type out = pick(2) ? TW_F32 : from;
    tw_pto_tile e = vec_tile(pick(2) ? TW_U8 : TW_F8E8M0, down ? rows / 32 : rows, down ? cols : 32),
                v = vec_tile(out, down ? rows / 32 : rows, down ? cols : 32), w = v;
    if (boxed) { /* Zz, as the scale memories want it; along rows Nn */
        e.fractal = 32;
        e.slayout = down ? TW_PTO_BOX_COL : TW_PTO_BOX_ROW;
        e.blayout = down ? TW_PTO_COL_MAJOR : TW_PTO_ROW_MAJOR;
        if (down && e.rows % 2) e.rows++;
    }
    e.valid_rows = v.valid_rows = w.valid_rows = groups_down;
    e.valid_cols = v.valid_cols = w.valid_cols = groups_across;
    lay_out(target, &a, &d);
    ref_image va = ref_fill(core, &a, grouped, &state), data = ref_fill(core, &d, any, &state),
              exponents = ref_fill(core, &e, any, &state), largest = ref_fill(core, &v, any, &state),
              factors = ref_fill(core, &w, any, &state);
    tw_pto_attrs attrs = { .axis = down, .scale_rule = nv };
    OK(CALL(core, "tquant.mx", &attrs, TILE(&d), TILE(&a), TILE(&e), TILE(&v), TILE(&w)));
    for (uint32_t r = 0; r < groups_down; r++)
        for (uint32_t c = 0; c < groups_across; c++) {
            double values[REF_MX_GROUP];
            ref_group g;
            for (uint32_t i = 0; i < REF_MX_GROUP; i++)
                values[i] =
                    down ? ref_value(&va, r * REF_MX_GROUP + i, c) : ref_value(&va, r, c * REF_MX_GROUP + i);
            ref_mx_group(to, nv, values, &g);
            for (uint32_t i = 0; i < REF_MX_GROUP; i++)
                ref_set(&data, down ? r * REF_MX_GROUP + i : r, down ? c : c * REF_MX_GROUP + i,
                        ref_encode(to, g.scaled[i], REF_EVEN, true));
            ref_set(&exponents, r, c, g.exponent);
            ref_set(&largest, r, c, ref_encode(out, g.largest, REF_EVEN, false));
            ref_set(&factors, r, c, ref_encode(out, g.factor, REF_EVEN, false));
        }
    if (!ref_equal(core, &e, &exponents, "exponents") || !ref_equal(core, &v, &largest, "largest") ||
        !ref_equal(core, &w, &factors, "factors") || !ref_equal(core, &d, &data, "data"))
        fail_msg("%s: %s from %s, %s, %s, %u x %u, boxed %d", tw_pto_target_name(target),
                 tw_type_name(to, TW_SYSTEM_PTO), tw_type_name(from, TW_SYSTEM_PTO), down ? "down" : "across",
                 nv ? "nv" : "ocp", a.valid_rows, a.valid_cols, boxed);
    assert_true(ref_equal(core, &a, &va, "source"));
    ref_image *images[] = { &va, &data, &exponents, &largest, &factors };
    for (int i = 0; i < 5; i++) ref_drop(images[i]);
    tw_pto_free(core);
}

static void pto_ref_quant_mx(void **unused)
{
    static const tw_pto_target targets[] = { TW_PTO_CPU, TW_PTO_A5 };
    (void)unused;
    for (int t = 0; t < 2; t++)
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
            for (int i = 0; i < 60; i++) one_mx(targets[t], p, i & 1, i & 2);
}

/* --- HiF4 ------------------------------------------------------------------------------------------------------- */

static void pto_ref_quant_hif4(void **unused)
{
    static const tw_type types[] = { TW_F32, TW_BF16, TW_F16 };
    (void)unused;
    for (int n = 0; n < 90; n++) {
        tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
        tw_type from = types[n % 3];
        uint32_t rows = 1 + pick(5), cols = 64 * (1 + pick(3));
        tw_pto_tile a = vec_tile(from, rows, cols), d = vec_tile(TW_HIF4, rows, cols),
                    s = vec_tile(TW_U32, rows, 8);
        a.valid_rows = d.valid_rows = s.valid_rows = 1 + pick(rows);
        a.valid_cols = d.valid_cols = 64 * (1 + pick(cols / 64));
        s.valid_cols = a.valid_cols / 64;
        reach = from == TW_F16 ? (int)pick(20) - 10 : (int)pick(120) - 60;
        lay_out(TW_PTO_CPU, &a, &d);
        ref_any_layout(&s, ref_next(&state));
        ref_image va = ref_fill(core, &a, grouped, &state), data = ref_fill(core, &d, any, &state),
                  scales = ref_fill(core, &s, any, &state);
        OK(CALL(core, "tquant.hif4", NULL, TILE(&d), TILE(&a), TILE(&s)));
        for (uint32_t r = 0; r < s.valid_rows; r++)
            for (uint32_t g = 0; g < s.valid_cols; g++) {
                double values[REF_HIF4_GROUP], scaled[REF_HIF4_GROUP];
                for (uint32_t i = 0; i < REF_HIF4_GROUP; i++) values[i] = ref_value(&va, r, g * 64 + i);
                ref_set(&scales, r, g, ref_hif4_group(values, scaled));
                for (uint32_t i = 0; i < REF_HIF4_GROUP; i++)
                    ref_set(&data, r, g * 64 + i, ref_encode(TW_HIF4, scaled[i], REF_EVEN, true));
            }
        if (!ref_equal(core, &s, &scales, "scales") || !ref_equal(core, &d, &data, "hif4"))
            fail_msg("case %d: %s, %u x %u", n, tw_type_name(from, TW_SYSTEM_PTO), a.valid_rows, a.valid_cols);
        ref_drop(&va);
        ref_drop(&data);
        ref_drop(&scales);
        tw_pto_free(core);
    }
}

/* --- what is refused -------------------------------------------------------------------------------------------- */

/* Every pair of types on each profile, MX and 8 bits. */
static void pto_ref_quant_types(void **unused)
{
    static const tw_type all[] = { TW_I8,  TW_U8,   TW_I16,    TW_I32,    TW_F16,    TW_BF16,
                                   TW_F32, TW_HIF8, TW_F8E4M3, TW_F8E5M2, TW_F4E2M1, TW_F4E1M2 };
    enum { TYPES = sizeof all / sizeof *all };
    (void)unused;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t i = 0; i < (size_t)TYPES * TYPES; i++) {
            tw_type to = all[i % TYPES], from = all[i / TYPES];
            tw_pto_tile d = vec_tile(to, 32, 64), a = vec_tile(from, 32, 64), e = vec_tile(TW_F8E8M0, 32, 32),
                        v = vec_tile(TW_F32, 32, 8), w = v, p = v, z = v;
            e.valid_cols = v.valid_cols = w.valid_cols = 2;
            tw_pto_operand mx[] = { TILE(&d), TILE(&a), TILE(&e), TILE(&v), TILE(&w) },
                           affine[] = { TILE(&d), TILE(&a), TILE(&p), TILE(&z) };
            bool grouping = false;
            for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++)
                grouping |= target != TW_PTO_A2A3 && pairs[n].to == to && pairs[n].from == from;
            const struct {
                const char *row;
                tw_pto_operand *operands;
                unsigned count;
                bool taken;
            } rows[] = {
                { "TQUANT_MX", mx, 5, grouping },
                { "TQUANT", affine, 3, from == TW_F32 && to == TW_I8 },
                { "TQUANT_ASYM", affine, 4, from == TW_F32 && to == TW_U8 },
                { "TDEQUANT", affine, 4, to == TW_F32 && (from == TW_I8 || from == TW_I16) },
            };
            for (size_t n = 0; n < 4; n++) {
                bool got = tw_pto_check((tw_pto_target)target, tw_pto_op_by_name(rows[n].row), rows[n].operands,
                                        rows[n].count, NULL, NULL) == TW_OK;
                if (got != rows[n].taken)
                    fail_msg("%s on %s: %s from %s is %s", rows[n].row, tw_pto_target_name((tw_pto_target)target),
                             tw_type_name(to, TW_SYSTEM_PTO), tw_type_name(from, TW_SYSTEM_PTO),
                             got ? "taken" : tw_error_message());
            }
        }
}

static void pto_ref_quant_groups(void **unused)
{
    static const struct {
        uint32_t rows, cols;
        bool down, boxed, taken;
    } rows[] = {
        { 16, 32, false, false, true },  { 16, 64, false, true, true },   { 16, 32, false, true, false },
        { 15, 32, false, false, false }, { 16, 48, false, false, false }, { 32, 17, true, false, true },
        { 48, 17, true, false, false },  { 64, 16, true, true, true },    { 32, 16, true, true, false },
        { 16, 16, true, false, false },
    };
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_tile d = vec_tile(TW_F8E4M3, 64, 64), a = vec_tile(TW_F32, 64, 64), e = vec_tile(TW_F8E8M0, 64, 64),
                    v = vec_tile(TW_F32, 64, 64);
        d.valid_rows = a.valid_rows = rows[i].rows;
        d.valid_cols = a.valid_cols = rows[i].cols;
        if (rows[i].boxed) e.fractal = 32, e.slayout = TW_PTO_BOX_ROW;
        e.valid_rows = v.valid_rows = rows[i].down ? rows[i].rows / 32 : rows[i].rows;
        e.valid_cols = v.valid_cols = rows[i].down ? rows[i].cols : rows[i].cols / 32;
        tw_pto_tile w = v;
        tw_pto_operand o[] = { TILE(&d), TILE(&a), TILE(&e), TILE(&v), TILE(&w) };
        tw_pto_attrs attrs = { .axis = rows[i].down };
        bool got = tw_pto_check(TW_PTO_A5, tw_pto_op_by_name("TQUANT_MX"), o, 5, &attrs, NULL) == TW_OK;
        if (got != rows[i].taken || (!got && !strstr(tw_error_message(), "mx.groups")))
            fail_msg("row %zu: %s", i, got ? "taken" : tw_error_message());
    }
}

static void every_row(void **unused)
{
    (void)unused;
    check_rows_reached("ref_quant");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_ref_quant_int8),  cmocka_unit_test(pto_ref_quant_dequant),
        cmocka_unit_test(pto_ref_quant_mx),    cmocka_unit_test(pto_ref_quant_hif4),
        cmocka_unit_test(pto_ref_quant_types), cmocka_unit_test(pto_ref_quant_groups),
        cmocka_unit_test(every_row),
    };
    return cmocka_run_group_tests_name("pto_ref_quant", tests, NULL, NULL);
}
