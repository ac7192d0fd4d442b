/* SPDX-License-Identifier: MIT */
/* Reductions that give places, products, and one value per row or column as an operand, against loops written here.
 * Every type of the table on every profile, partial valid regions, ties, NaN and infinities. */
#define COUNT_ROWS
#include "pto/support/check.h"

enum { ROWS = 6, COLS = 80, VR = 5, VC = 71 };

/* Small whole numbers with many ties; `special` puts NaN and infinities into floats. */
static void fill(tw_pto *core, tw_pto_tile *t, bool special)
{
    bool is_signed = tw_type_get(t->type)->is_signed;
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++)
            set(core, t, r, c, (double)(random_bits() % 5) - (is_signed ? 2 : 0));
    if (!special || !tw__is_float(t->type)) return;
    set(core, t, 1, 3, INFINITY);
    set(core, t, 2, 4, -INFINITY);
    set(core, t, 3, 0, NAN); /* first of its row and column: every comparison with it is false */
}

/* Of `n` values from get(core, t, r + i dr, c + i dc): index of the first extreme, by strict comparison. */
static uint32_t extreme(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c, bool down, uint32_t n, bool largest)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++) {
        double v = get(core, t, r + (down ? i : 0), c + (down ? 0 : i)),
               w = get(core, t, r + (down ? best : 0), c + (down ? 0 : best));
        if (largest ? v > w : v < w) best = i;
    }
    return best;
}

static bool has_type(const char *row, int target, int type)
{
    tw_pto_info info;
    assert_true(tw_pto_info_get((size_t)tw_pto_op_by_name(row), &info));
    return info.types[target] >> type & 1;
}

#define EXEC(core, name, ...)                                                     \
    tw_pto_exec(core, tw_pto_op_by_name(name), (tw_pto_operand[]){ __VA_ARGS__ }, \
                sizeof((tw_pto_operand[]){ __VA_ARGS__ }) / sizeof(tw_pto_operand), NULL)

static void row_places(tw_pto_target target, tw_type type, bool largest)
{
    tw_pto *core = tw_pto_new(target, 0);
    tw_pto_tile a = vec_tile(type, ROWS, COLS), v = vec_tile(type, 32, 1), x = vec_tile(TW_I32, 32, 1),
                tmp = vec_tile(type, ROWS, COLS);
    const char *one = largest ? "TROWARGMAX" : "TROWARGMIN", *both = largest ? "TROWARGMAX_V" : "TROWARGMIN_V";
    v.blayout = x.blayout = TW_PTO_COL_MAJOR;
    a.valid_rows = v.valid_rows = x.valid_rows = VR;
    a.valid_cols = VC;
    fill(core, &a, false);
    OK(EXEC(core, one, TILE(&x), TILE(&a), TILE(&tmp)));
    for (uint32_t r = 0; r < VR; r++)
        assert_true(get(core, &x, r, 0) == extreme(core, &a, r, 0, false, VC, largest));
    for (uint32_t r = 0; r < VR; r++) set(core, &x, r, 0, 99);
    OK(EXEC(core, both, TILE(&v), TILE(&x), TILE(&a), TILE(&tmp)));
    for (uint32_t r = 0; r < VR; r++) {
        uint32_t at = extreme(core, &a, r, 0, false, VC, largest);
        assert_true(get(core, &x, r, 0) == at);
        assert_true(get(core, &v, r, 0) == get(core, &a, r, at));
    }
    assert_true(get(core, &x, VR, 0) == 0); /* outside */
    tw_pto_free(core);
}

static void col_places(tw_pto_target target, tw_type type, bool largest)
{
    tw_pto *core = tw_pto_new(target, 0);
    size_t size = tw_type_size(type);
    tw_pto_tile a = vec_tile(type, ROWS, 96), v = vec_tile(type, 1, 96), x = vec_tile(TW_U32, 1, 96),
                narrow = vec_tile(size == 2 ? TW_U16 : TW_U32, 1, 96), tmp = vec_tile(TW_F32, 3, 96);
    const char *one = largest ? "TCOLARGMAX" : "TCOLARGMIN", *both = largest ? "TCOLARGMAX_V" : "TCOLARGMIN_V";
    a.valid_rows = VR;
    a.valid_cols = v.valid_cols = x.valid_cols = narrow.valid_cols = VC;
    fill(core, &a, false);
    OK(EXEC(core, one, TILE(&x), TILE(&a), TILE(&tmp)));
    for (uint32_t c = 0; c < VC; c++)
        assert_true(get(core, &x, 0, c) == extreme(core, &a, 0, c, true, VR, largest));
    assert_true(get(core, &x, 0, VC) == 0);
    if (!has_type(both, (int)target, (int)type)) {
        tw_pto_free(core);
        return;
    }
    OK(EXEC(core, both, TILE(&v), TILE(&narrow), TILE(&a), TILE(&tmp)));
    for (uint32_t c = 0; c < VC; c++) {
        uint32_t at = extreme(core, &a, 0, c, true, VR, largest);
        assert_true(get(core, &narrow, 0, c) == at);
        assert_true(get(core, &v, 0, c) == get(core, &a, at, c));
    }
    tw_pto_free(core);
}

static void pto_fold_places(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int type = 1; type < TW_TYPE_COUNT; type++)
            for (int largest = 0; largest < 2; largest++) {
                if (has_type("TROWARGMAX", target, type)) row_places((tw_pto_target)target, (tw_type)type, largest);
                if (has_type("TCOLARGMAX", target, type)) col_places((tw_pto_target)target, (tw_type)type, largest);
            }
}

/* TCOLPROD of all types (integers wrap), TCOLMAX and TCOLMIN with NaN and infinities: the earlier value stays unless
 * the later one compares. */
static void pto_fold_columns(void **state)
{
    static const char *const names[] = { "TCOLPROD", "TCOLMAX", "TCOLMIN" };
    (void)state;
    for (int n = 0; n < 3; n++)
        for (int target = 0; target < TW_PTO_TARGETS; target++)
            for (int type = 1; type < TW_TYPE_COUNT; type++) {
                if (!has_type(names[n], target, type)) continue;
                tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                tw_pto_tile a = vec_tile((tw_type)type, ROWS, 96), d = vec_tile((tw_type)type, 1, 96);
                a.valid_rows = VR;
                a.valid_cols = d.valid_cols = VC;
                fill(core, &a, n > 0);
                OK(EXEC(core, names[n], TILE(&d), TILE(&a)));
                for (uint32_t c = 0; c < VC; c++) {
                    double want = get(core, &a, 0, c);
                    for (uint32_t r = 1; r < VR; r++) {
                        double v = get(core, &a, r, c);
                        want = n == 0 ? want * v : n == 1 ? (want < v ? v : want) : (v < want ? v : want);
                    }
                    if (tw_type_get((tw_type)type)->kind == TW_KIND_UINT) want = fmod(want, 18446744073709551616.0);
                    if (!same_value(get(core, &d, 0, c), want))
                        fail_msg("%s %d: %g instead of %g", names[n], type, get(core, &d, 0, c), want);
                }
                assert_true(get(core, &d, 0, VC) == 0);
                tw_pto_free(core);
            }
    tw_pto *core =
        tw_pto_new(TW_PTO_A2A3, 0); /* wrap: 300 * 300 * 2 modulo 2^16, signed; a zero region does nothing */
    tw_pto_tile a = vec_tile(TW_I16, 3, 16), d = vec_tile(TW_I16, 1, 16);
    for (uint32_t c = 0; c < 16; c++) set(core, &a, 0, c, 300), set(core, &a, 1, c, 300), set(core, &a, 2, c, 2);
    OK(EXEC(core, "TCOLPROD", TILE(&d), TILE(&a)));
    assert_true(get(core, &d, 0, 5) == (int16_t)(uint16_t)180000u);
    a.valid_rows = 0;
    set(core, &d, 0, 5, 7);
    OK(EXEC(core, "TCOLPROD", TILE(&d), TILE(&a)));
    assert_true(get(core, &d, 0, 5) == 7);
    tw_pto_free(core);
}

/* --- a value per row or column as an operand -------------------------------------------------------------------- */

static double combine(int op, double a, double b)
{
    const double results[] = { a + b, a - b, a * b, a / b, a < b ? b : a, b < a ? b : a, exp(a - b) };
    return results[op];
}
static const char *const ops[] = { "ADD", "SUB", "MUL", "DIV", "MAX", "MIN", "EXPDIF" };

static double stored(tw_type type, double x)
{
    unsigned char bytes[8] = { 0 };
    if (tw__is_float(type)) {
        tw_convert(type, bytes, TW_F64, &x, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
    } else {
        int64_t i = (int64_t)x;
        memcpy(bytes, &i, tw_type_size(type));
    }
    return tw_type_load(type, bytes);
}

static void compare(tw_pto *core, tw_pto_tile *d, int op, const char *name, uint32_t r, uint32_t c, double a,
                    double b)
{
    double want = stored(d->type, combine(op, a, b)), got = get(core, d, r, c);
    double allowed = op == 6 ? (d->type == TW_F32 ? 1e-6 : 2e-3) * fabs(want) : 0;
    if (!same_value(got, want) && !(fabs(got - want) <= allowed))
        fail_msg("%s %s (%u, %u): %g op %g = %g instead of %g", name, tw_type_name(d->type, TW_SYSTEM_PTO), r, c, a,
                 b, got, want);
}

static void nonzero(tw_pto *core, tw_pto_tile *t)
{
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t c = 0; c < t->cols; c++)
            if (get(core, t, r, c) == 0) set(core, t, r, c, 3);
}

/* One form, op and type; the per-row source first or second, one value (mode 1) or a block of 32 bytes (mode 2). */
static void row_operand(tw_pto_target target, tw_type type, int op, bool first, int mode, bool with_tmp)
{
    char name[40];
    snprintf(name, sizeof name, "TROWEXPAND%s%s", ops[op], with_tmp ? "_TMP" : "");
    if (!has_type(name, (int)target, (int)type)) return;
    tw_pto *core = tw_pto_new(target, 0);
    uint32_t block = (uint32_t)(32 / tw_type_size(type));
    tw_pto_tile a = vec_tile(type, 32, 96), d = a, s = vec_tile(type, 32, mode == 1 ? 1 : block),
                tmp = vec_tile(TW_F32, 8, 512);
    if (mode == 1) s.blayout = TW_PTO_COL_MAJOR;
    a.valid_rows = d.valid_rows = s.valid_rows = VR;
    a.valid_cols = d.valid_cols = VC;
    fill(core, &a, op == 4 || op == 5);
    fill(core, &s, false);
    nonzero(core, &s);
    nonzero(core, &a);
    tw_pto_tile *left = first ? &s : &a, *right = first ? &a : &s;
    if (with_tmp)
        OK(EXEC(core, name, TILE(&d), TILE(left), TILE(right), TILE(&tmp)));
    else
        OK(EXEC(core, name, TILE(&d), TILE(left), TILE(right)));
    for (uint32_t r = 0; r < VR; r++)
        for (uint32_t c = 0; c < VC; c++) {
            double v = get(core, &a, r, c), w = get(core, &s, r, mode == 1 ? 0 : c % block);
            compare(core, &d, op, name, r, c, first ? w : v, first ? v : w);
        }
    assert_true(get(core, &d, VR, 0) == 0 && get(core, &d, 0, VC) == 0);
    tw_pto_free(core);
}

static void pto_fold_row_operand(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int type = 1; type < TW_TYPE_COUNT; type++)
            for (int op = 0; op < 7; op++)
                for (int form = 0; form < 6; form++) {
                    bool with_tmp = form / 2 == 2, first = form % 2;
                    if ((op == 0 && with_tmp)) continue; /* there is no such form */
                    row_operand((tw_pto_target)target, (tw_type)type, op, first, form / 2 == 1 ? 2 : 1, with_tmp);
                }
}

static void pto_fold_col_operand(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int type = 1; type < TW_TYPE_COUNT; type++)
            for (int op = 0; op < 7; op++) {
                char name[40];
                snprintf(name, sizeof name, "TCOLEXPAND%s", ops[op]);
                if (!has_type(name, target, type)) continue;
                tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                tw_pto_tile a = vec_tile((tw_type)type, ROWS, 96), d = a, s = vec_tile((tw_type)type, 1, 96);
                a.valid_rows = d.valid_rows = VR;
                a.valid_cols = d.valid_cols = s.valid_cols = VC;
                fill(core, &a, op == 4 || op == 5);
                fill(core, &s, false);
                nonzero(core, &s);
                OK(EXEC(core, name, TILE(&d), TILE(&a), TILE(&s)));
                for (uint32_t r = 0; r < VR; r++)
                    for (uint32_t c = 0; c < VC; c++)
                        compare(core, &d, op, name, r, c, get(core, &a, r, c), get(core, &s, 0, c));
                assert_true(get(core, &d, VR, 0) == 0 && get(core, &d, 0, VC) == 0);
                tw_pto_free(core);
            }
}

static void pto_fold_rows(void **state)
{
    (void)state;
    check_rows_reached("fold");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_fold_places),      cmocka_unit_test(pto_fold_columns),
        cmocka_unit_test(pto_fold_row_operand), cmocka_unit_test(pto_fold_col_operand),
        cmocka_unit_test(pto_fold_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
