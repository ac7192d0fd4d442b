/* SPDX-License-Identifier: MIT */
/* Elementwise, scalar, compare and select, conversion against scalar references written here: every type that a row
 * of the table names, on all three profiles, with partial valid regions; what is outside the valid region stays. */
#define COUNT_ROWS
#include "pto/support/check.h"

#include <fenv.h>

typedef double reference(double a, double b, double c); /* a, b, c: sources in order; c is also the old dst */

static double r_add(double a, double b, double c)
{
    return (void)c, a + b;
}
static double r_sub(double a, double b, double c)
{
    return (void)c, a - b;
}
static double r_mul(double a, double b, double c)
{
    return (void)c, a * b;
}
static double r_div(double a, double b, double c)
{
    return (void)c, a / b;
}
static double r_max(double a, double b, double c)
{
    return (void)c, a < b ? b : a;
}
static double r_min(double a, double b, double c)
{
    return (void)c, b < a ? b : a;
}
static double r_rem(double a, double b, double c)
{
    return (void)c, fmod(a, b) != 0 && (fmod(a, b) < 0) != (b < 0) ? fmod(a, b) + b : fmod(a, b);
}
static double r_fmod(double a, double b, double c)
{
    return (void)c, fmod(a, b);
}
static double r_and(double a, double b, double c)
{
    return (void)c, (double)((int64_t)a & (int64_t)b);
}
static double r_or(double a, double b, double c)
{
    return (void)c, (double)((int64_t)a | (int64_t)b);
}
static double r_xor(double a, double b, double c)
{
    return (void)c, (double)((int64_t)a ^ (int64_t)b);
}
static double r_shl(double a, double b, double c)
{
    return (void)c, (double)((int64_t)a * ((int64_t)1 << (int64_t)b));
}
static double r_shr(double a, double b, double c)
{
    return (void)c, (double)((int64_t)a >> (int64_t)b);
}
static double r_prelu(double a, double b, double c)
{
    return (void)c, a > 0 ? a : a * b;
}
static double r_addc(double a, double b, double c)
{
    return a + b + c;
}
static double r_subc(double a, double b, double c)
{
    return a - b + c;
}
static double r_subrelu(double a, double b, double c)
{
    return (void)c, a - b < 0 ? 0 : a - b;
}
static double r_muladd(double a, double b, double c)
{
    return a * b + c;
}
static double r_fused(double a, double b, double c)
{
    return a * c + b;
}
static double r_fusedrelu(double a, double b, double c)
{
    return a * c + b < 0 ? 0 : a * c + b;
}
static double r_abs(double a, double b, double c)
{
    return (void)b, (void)c, fabs(a);
}
static double r_neg(double a, double b, double c)
{
    return (void)b, (void)c, -a;
}
static double r_not(double a, double b, double c)
{
    return (void)b, (void)c, (double)~(int64_t)a;
}
static double r_exp(double a, double b, double c)
{
    return (void)b, (void)c, exp(a);
}
static double r_log(double a, double b, double c)
{
    return (void)b, (void)c, log(a);
}
static double r_sqrt(double a, double b, double c)
{
    return (void)b, (void)c, sqrt(a);
}
static double r_rsqrt(double a, double b, double c)
{
    return (void)b, (void)c, 1 / sqrt(a);
}
static double r_recip(double a, double b, double c)
{
    return (void)b, (void)c, 1 / a;
}
static double r_relu(double a, double b, double c)
{
    return (void)b, (void)c, a < 0 ? 0 : a;
}
static double r_divs(double a, double b, double c)
{
    return (void)c, b / a;
}
static double r_pow(double a, double b, double c)
{
    return (void)c, pow(a, b);
}

/* Where values come from: any, not zero, small shift counts, positive. */
enum domain { ANY, NONZERO, COUNT, POSITIVE, SMALL };

static const struct row {
    const char *name;
    reference *f;
    enum domain a, b;
    double tolerance; /* relative to the value; 0 = exact after rounding */
} rows[] = {
    { "TADD", r_add, ANY, ANY, 0 },
    { "TSUB", r_sub, ANY, ANY, 0 },
    { "TMUL", r_mul, ANY, ANY, 0 },
    { "TDIV", r_div, ANY, NONZERO, 0 },
    { "TMAX", r_max, ANY, ANY, 0 },
    { "TMIN", r_min, ANY, ANY, 0 },
    { "TREM", r_rem, ANY, NONZERO, 1e-3 },
    { "TFMOD", r_fmod, ANY, NONZERO, 0 },
    { "TAND", r_and, ANY, ANY, 0 },
    { "TOR", r_or, ANY, ANY, 0 },
    { "TXOR", r_xor, ANY, ANY, 0 },
    { "TSHL", r_shl, ANY, COUNT, 0 },
    { "TSHR", r_shr, ANY, COUNT, 0 },
    { "TPRELU", r_prelu, ANY, ANY, 0 },
    { "TADDC", r_addc, ANY, ANY, 2e-3 },
    { "TSUBC", r_subc, ANY, ANY, 2e-3 },
    { "TSUBRELU", r_subrelu, ANY, ANY, 0 },
    { "TMULADDDST", r_muladd, ANY, ANY, 4e-3 },
    { "TFUSEDMULADD", r_fused, ANY, ANY, 0 },
    { "TFUSEDMULADDRELU", r_fusedrelu, ANY, ANY, 0 },
    { "TABS", r_abs, ANY, ANY, 0 },
    { "TNEG", r_neg, ANY, ANY, 0 },
    { "TNOT", r_not, ANY, ANY, 0 },
    { "TEXP", r_exp, SMALL, ANY, 1e-3 },
    { "TLOG", r_log, POSITIVE, ANY, 1e-3 },
    { "TSQRT", r_sqrt, POSITIVE, ANY, 0 },
    { "TRSQRT", r_rsqrt, POSITIVE, ANY, 1e-3 },
    { "TRSQRT_TMP", r_rsqrt, POSITIVE, ANY, 1e-3 },
    { "TRECIP", r_recip, NONZERO, ANY, 0 },
    { "TRELU", r_relu, ANY, ANY, 0 },
    { "TADDS", r_add, ANY, ANY, 0 },
    { "TSUBS", r_sub, ANY, ANY, 0 },
    { "TMULS", r_mul, ANY, ANY, 0 },
    { "TDIVS", r_div, ANY, NONZERO, 0 },
    { "TDIVS_S", r_divs, NONZERO, ANY, 0 },
    { "TMAXS", r_max, ANY, ANY, 0 },
    { "TMINS", r_min, ANY, ANY, 0 },
    { "TREMS", r_rem, ANY, NONZERO, 1e-3 },
    { "TFMODS", r_fmod, ANY, NONZERO, 0 },
    { "TANDS", r_and, ANY, ANY, 0 },
    { "TORS", r_or, ANY, ANY, 0 },
    { "TXORS", r_xor, ANY, ANY, 0 },
    { "TSHLS", r_shl, ANY, COUNT, 0 },
    { "TSHRS", r_shr, ANY, COUNT, 0 },
    { "TLRELU", r_prelu, ANY, ANY, 0 },
    { "TPOW", r_pow, POSITIVE, COUNT, 2e-3 },
    { "TPOWS", r_pow, POSITIVE, COUNT, 2e-3 },
};

static double value(tw_type type, enum domain domain)
{
    int n = (int)(random_bits() % 61) - 30;
    bool is_float = tw__is_float(type), is_signed = tw_type_get(type)->is_signed;
    if (domain == COUNT) return (double)(random_bits() % 5);
    if (domain == POSITIVE) n = n < 0 ? 1 - n : n + 1;
    if (domain == POSITIVE && !is_float) n %= 4, n += n == 0;
    if (!is_signed && n < 0) n = -n;
    if (domain == NONZERO && n == 0) n = 3;
    return is_float ? domain == SMALL ? n / 8.0 : n / 4.0 : n;
}

/* To the type's values: integers modulo 2^width towards zero, floats rounded once. */
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

static void check_row(const struct row *row, tw_pto_target target, tw_type type)
{
    enum { ROWS = 5, COLS = 64 };
    tw_pto *core = tw_pto_new(target, 0);
    int op = tw_pto_op_by_name(row->name);
    tw_pto_info info;
    tw_pto_tile t[6];
    tw_pto_operand operands[6];
    double in[6][ROWS][COLS] = { { { 0 } } }, scalar = value(type, row->b);
    uint32_t valid_rows = 4, valid_cols = 61;
    assert_true(tw_pto_info_get((size_t)op, &info));
    for (unsigned i = 0; i < info.operands; i++) {
        char c = info.form[i];
        t[i] = vec_tile(c == 't' && strcmp(row->name, "TPRELU") == 0 ? TW_U8 : type, c == 't' ? 2 * ROWS : ROWS,
                        c == 't' ? 2 * COLS : COLS);
        if (c != 't') t[i].valid_rows = valid_rows, t[i].valid_cols = valid_cols;
        operands[i] = c == 's' ? SCALAR(tw_pto_scalar_of(type, scalar)) : TILE(&t[i]);
        if (c == 's' || c == 't') continue;
        enum domain domain = c == 'a' ? row->a : c == 'b' ? row->b : ANY;
        for (uint32_t r = 0; r < ROWS; r++)
            for (uint32_t k = 0; k < COLS; k++) {
                set(core, &t[i], r, k, value(type, domain));
                in[c == 'a' ? 1 : c == 'b' ? 2 : c == 'c' ? 3 : 0][r][k] = get(core, &t[i], r, k);
            }
    }
    OK(tw_pto_exec(core, op, operands, info.operands, NULL));
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t k = 0; k < COLS; k++) {
            double old = in[0][r][k], b = strchr(info.form, 's') ? scalar : in[2][r][k];
            double want = stored(type, row->f(in[1][r][k], b, strchr(info.form, 'c') ? in[3][r][k] : old)),
                   got = get(core, &t[0], r, k);
            if (r >= valid_rows || k >= valid_cols) want = old;
            double allowed = r >= valid_rows || k >= valid_cols
                                 ? 0
                                 : row->tolerance * (fabs(want) + 1) * (type == TW_BF16 ? 8 : 1);
            if (tw__is_float(type) ? !same_value(got, want) && !(fabs(got - want) <= allowed) : got != want)
                fail_msg("%s %s %s (%u, %u): f(%g, %g, %g) = %g instead of %g", row->name,
                         tw_pto_target_name(target), tw_type_name(type, TW_SYSTEM_PTO), r, k, in[1][r][k], b, old,
                         got, want);
        }
    tw_pto_free(core);
}

static void pto_lanes_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_info info;
        assert_true(tw_pto_info_get((size_t)tw_pto_op_by_name(rows[i].name), &info));
        for (int target = 0; target < TW_PTO_TARGETS; target++)
            for (int type = 1; type < TW_TYPE_COUNT; type++)
                if (info.types[target] >> type & 1) check_row(&rows[i], (tw_pto_target)target, (tw_type)type);
    }
}

/* A type outside the row's set, operands of two types, other valid regions, other memories, chips' layouts. */
static void pto_lanes_refusals(void **state)
{
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++) {
        tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
        const char *profile = tw_pto_target_name((tw_pto_target)target);
        tw_pto_tile f = vec_tile(TW_F32, 4, 64), h = vec_tile(TW_F16, 4, 64), small = f, mat = f, col = f,
                    e = vec_tile(TW_F8E4M3, 4, 64);
        small.valid_cols = 60;
        mat.location = TW_PTO_MAT;
        col.blayout = TW_PTO_COL_MAJOR;
        col.rows = col.valid_rows = 8;
        tw_pto_tile other = vec_tile(TW_F32, 8, 64);
        REFUSED(CALL(core, "tadd", NULL, TILE(&f), TILE(&f), TILE(&h)), "type.same", profile);
        REFUSED(CALL(core, "tadd", NULL, TILE(&e), TILE(&e), TILE(&e)), "type.set", profile);
        REFUSED(CALL(core, "tand", NULL, TILE(&f), TILE(&f), TILE(&f)), "type.set", profile);
        REFUSED(CALL(core, "tadd", NULL, TILE(&f), TILE(&f), TILE(&small)), "valid.same", profile);
        REFUSED(CALL(core, "tadd", NULL, TILE(&f), TILE(&f), TILE(&mat)), "location.vec", profile);
        REFUSED(CALL(core, "tadds", NULL, TILE(&f), TILE(&f), SCALAR(tw_pto_i32(1))), "type.same", profile);
        REFUSED(CALL(core, "tadd", NULL, TILE(&f), TILE(&f)), "operands", profile);
        if (target == TW_PTO_CPU)
            OK(CALL(core, "tadd", NULL, TILE(&other), TILE(&other), TILE(&col)));
        else
            REFUSED(CALL(core, "tadd", NULL, TILE(&other), TILE(&other), TILE(&col)), "layout.row-major", profile);
        tw_pto_tile i = vec_tile(TW_I32, 1, 8), z = i;
        set(core, &i, 0, 3, 40);
        REFUSED(CALL(core, "tshl", NULL, TILE(&z), TILE(&z), TILE(&i)), "shift.count", profile);
        if (target == TW_PTO_A5) {
            tw_pto_tile zero = i;
            zero.place = 0;
            REFUSED(CALL(core, "tdiv", NULL, TILE(&z), TILE(&i), TILE(&zero)), "division by zero", profile);
        }
        tw_pto_free(core);
    }
}

/* All four box layouts and column-major tiles give what row-major ones do (profile cpu). */
static void pto_lanes_layouts(void **state)
{
    (void)state;
    for (unsigned layout = 0; layout < 6; layout++) {
        tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
        tw_pto_tile a = vec_tile(TW_F16, 32, 48), b = a, d = a;
        a.blayout = (unsigned char)(layout & 1);
        a.slayout = d.slayout = (unsigned char)(layout / 2);
        d.blayout = (unsigned char)(~layout & 1);
        a.valid_rows = b.valid_rows = d.valid_rows = 27;
        a.valid_cols = b.valid_cols = d.valid_cols = 37;
        for (uint32_t r = 0; r < 32; r++)
            for (uint32_t c = 0; c < 48; c++) {
                set(core, &a, r, c, r * 3.0 - c);
                set(core, &b, r, c, c * 0.5);
                set(core, &d, r, c, -7);
            }
        OK(CALL(core, "tadd", NULL, TILE(&d), TILE(&a), TILE(&b)));
        for (uint32_t r = 0; r < 32; r++)
            for (uint32_t c = 0; c < 48; c++)
                assert_true(get(core, &d, r, c) == (r < 27 && c < 37 ? r * 3.0 - c * 0.5 : -7));
        tw_pto_free(core);
    }
}

static bool holds(int mode, double a, double b)
{
    const bool results[] = { a == b, a != b, a<b, a <= b, a> b, a >= b };
    return results[mode];
}

static void pto_lanes_compare_select(void **state)
{
    static const tw_type types[] = { TW_F32, TW_F16, TW_I32 };
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (size_t t = 0; t < 3; t++)
            for (int mode = 0; mode < 6; mode++) {
                tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                tw_pto_tile a = vec_tile(types[t], 3, 64), b = a, d = a, tmp = vec_tile(TW_U32, 3, 8);
                tw_pto_tile mask = target == TW_PTO_A5 ? vec_tile(TW_U32, 3, 8) : vec_tile(TW_U8, 3, 32);
                tw_pto_attrs attrs = { .cmp = mode };
                a.valid_cols = b.valid_cols = d.valid_cols = 45;
                for (uint32_t r = 0; r < 3; r++)
                    for (uint32_t c = 0; c < 64; c++) {
                        set(core, &a, r, c, (double)(random_bits() % 3));
                        set(core, &b, r, c, (double)(random_bits() % 3));
                        set(core, &d, r, c, 99);
                    }
                if (t == 0) set(core, &a, 0, 5, NAN);
                tw_status status = CALL(core, "tcmp", &attrs, TILE(&mask), TILE(&a), TILE(&b));
                if (target == TW_PTO_A2A3 && types[t] == TW_I32 && mode != TW_PTO_CMP_EQ) {
                    REFUSED(status, "cmp.i32", "a2a3");
                    tw_pto_free(core);
                    continue;
                }
                OK(status);
                OK(CALL(core, "tsel", NULL, TILE(&d), TILE(&mask), TILE(&a), TILE(&b), TILE(&tmp)));
                const unsigned char *bits = tw_pto_data(core, &mask);
                for (uint32_t r = 0; r < 3; r++)
                    for (uint32_t c = 0; c < 64; c++) {
                        double x = get(core, &a, r, c), y = get(core, &b, r, c);
                        bool want = c < 45 && holds(mode, x, y);
                        assert_int_equal(bits[r * 32 + c / 8] >> c % 8 & 1, want);
                        assert_true(same_value(get(core, &d, r, c), c < 45 ? want ? x : y : 99));
                    }
                for (uint32_t c = 8; c < 32; c++) assert_int_equal(bits[c], 0); /* the tile is cleared first */
                OK(CALL(core, "tcmps", &attrs, TILE(&mask), TILE(&a), SCALAR(tw_pto_scalar_of(types[t], 1))));
                tw_pto_tile one = vec_tile(types[t], 1, 64); /* of the source's type */
                OK(CALL(core, "tsels", NULL, TILE(&d), TILE(&mask), TILE(&a), TILE(&one),
                        SCALAR(tw_pto_scalar_of(types[t], 7))));
                for (uint32_t c = 0; c < 45; c++)
                    assert_true(same_value(get(core, &d, 1, c),
                                           holds(mode, get(core, &a, 1, c), 1) ? get(core, &a, 1, c) : 7));
                tw_pto_free(core);
            }
}

/* Rounding modes by their definition on f64, saturation and wrap by arithmetic. */
static double rounded(double x, int mode)
{
    switch (mode) {
    case TW_PTO_ROUND_AWAY: return round(x);
    case TW_PTO_ROUND_FLOOR: return floor(x);
    case TW_PTO_ROUND_CEIL: return ceil(x);
    case TW_PTO_ROUND_TRUNC: return trunc(x);
    default: return nearbyint(x);
    }
}

static void pto_lanes_convert(void **state)
{
    static const double values[] = { 0,   0.5, 1.5,  2.5,   -0.5,   -1.5,  1.25, -1.75, 127.5,
                                     200, 300, -129, 40000, -40000, 65504, 1e9,  -3e9,  5e9 };
    static const struct {
        tw_type from, to;
        bool a2a3, a5, wraps;
    } pairs[] = {
        { TW_F32, TW_I16, true, true, true },    { TW_F32, TW_I32, true, true, false },
        { TW_F16, TW_I8, true, true, true },     { TW_F16, TW_U8, true, true, true },
        { TW_F16, TW_I16, true, true, true },    { TW_F32, TW_I64, true, true, false },
        { TW_I32, TW_I16, true, true, true },    { TW_I64, TW_I32, true, true, true },
        { TW_I32, TW_U8, false, true, false },   { TW_U32, TW_U8, false, true, false },
        { TW_I16, TW_F32, true, true, false },   { TW_F16, TW_F32, true, true, false },
        { TW_BF16, TW_F16, false, true, false }, { TW_F32, TW_F32, true, true, false },
        { TW_I8, TW_F16, true, true, false },
    };
    (void)state;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        for (int target = 0; target < TW_PTO_TARGETS; target++)
            for (int mode = TW_PTO_ROUND_RINT; mode <= TW_PTO_ROUND_TRUNC; mode++)
                for (int sat = 0; sat < 3; sat++) {
                    tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                    tw_pto_tile a = vec_tile(pairs[p].from, 1, 32), d = vec_tile(pairs[p].to, 1, 32);
                    tw_pto_attrs attrs = { .round = mode, .saturate = sat };
                    bool exists = target == TW_PTO_CPU || (target == TW_PTO_A2A3 ? pairs[p].a2a3 : pairs[p].a5);
                    for (uint32_t c = 0; c < sizeof values / sizeof *values; c++) set(core, &a, 0, c, values[c]);
                    tw_status status = CALL(core, "tcvt", &attrs, TILE(&d), TILE(&a));
                    if (!exists) {
                        REFUSED(status, "tcvt.pair", tw_pto_target_name((tw_pto_target)target));
                        tw_pto_free(core);
                        continue;
                    }
                    OK(status);
                    bool clamp = sat == TW_PTO_SATURATE_ON || (sat == TW_PTO_SATURATE_DEFAULT && !pairs[p].wraps);
                    /* without tmp A2/A3 saturate where wrapping needs it */
                    if (target == TW_PTO_A2A3 && pairs[p].to != TW_U8 && tw__is_float(pairs[p].from) &&
                        pairs[p].wraps)
                        clamp = true;
                    for (uint32_t c = 0; c < 32; c++) {
                        double x = get(core, &a, 0, c), want = x;
                        if (pairs[p].from == pairs[p].to) {
                            want = rounded(x, mode);
                        } else if (!tw__is_float(pairs[p].to)) {
                            unsigned bits = tw_type_get(pairs[p].to)->bits;
                            bool is_signed = tw_type_get(pairs[p].to)->is_signed;
                            double low = is_signed ? -ldexp(1, (int)bits - 1) : 0,
                                   high = ldexp(1, (int)bits - is_signed) - 1;
                            want = rounded(x, mode);
                            if (clamp)
                                want = want < low ? low : want > high ? high : want;
                            else if (bits < 64) {
                                want = fmod(want, ldexp(1, (int)bits));
                                if (want < low) want += ldexp(1, (int)bits);
                                if (want > high) want -= ldexp(1, (int)bits);
                            }
                        } else if (pairs[p].to == TW_F16 && fabs(x) > 65504) {
                            continue; /* bf16 beyond f16: infinity or the largest, by the rounding mode */
                        }
                        if (get(core, &d, 0, c) != want)
                            fail_msg("%s to %s mode %d sat %d %s: %g gives %g instead of %g",
                                     tw_type_name(pairs[p].from, TW_SYSTEM_PTO),
                                     tw_type_name(pairs[p].to, TW_SYSTEM_PTO), mode, sat,
                                     tw_pto_target_name((tw_pto_target)target), x, get(core, &d, 0, c), want);
                    }
                    tw_pto_free(core);
                }
}

static void pto_lanes_parts(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tile a = vec_tile(TW_F32, 4, 16), b = a, d = a, e = vec_tile(TW_F32, 4, 8), x = vec_tile(TW_U32, 4, 16),
                y = x, z = x;
    b.valid_rows = z.valid_rows = 2;
    b.valid_cols = z.valid_cols = 9;
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 16; c++) {
            set(core, &a, r, c, r * 16 + c);
            set(core, &b, r, c, c % 3 ? 100 : r * 16 + c);
            set(core, &y, r, c, 1);
            set(core, &z, r, c, 2);
        }
    OK(CALL(core, "tpartadd", NULL, TILE(&d), TILE(&b), TILE(&a)));
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 16; c++)
            assert_true(get(core, &d, r, c) == r * 16 + c + (r < 2 && c < 9 ? get(core, &b, r, c) : 0));
    OK(CALL(core, "tpartargmax", NULL, TILE(&d), TILE(&a), TILE(&b), TILE(&x), TILE(&y), TILE(&z)));
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 16; c++) {
            bool other = r < 2 && c < 9 && get(core, &b, r, c) >= get(core, &a, r, c); /* ties take b */
            assert_true(get(core, &d, r, c) == get(core, other ? &b : &a, r, c));
            assert_true(get(core, &x, r, c) == (other ? 2 : 1));
        }
    a.valid_cols = 15;
    OK(CALL(core, "tpairreducesum", NULL, TILE(&e), TILE(&a)));
    for (uint32_t k = 0; k < 8; k++) assert_true(get(core, &e, 3, k) == 48 + 2 * k + (k < 7 ? 48 + 2 * k + 1 : 0));
    tw_pto_tile h = vec_tile(TW_I8, 4, 32), f = vec_tile(TW_F16, 4, 32);
    h.valid_cols = f.valid_cols = 5;
    const double in[] = { 100, 90, -3, 1.5, 2.5 };
    for (uint32_t c = 0; c < 5; c++) set(core, &f, 2, c, in[c]);
    OK(CALL(core, "taddreluconv", NULL, TILE(&h), TILE(&f), TILE(&f)));
    const double out[] = { 127, 127, 0, 3, 5 };
    for (uint32_t c = 0; c < 5; c++) assert_true(get(core, &h, 2, c) == out[c]);
    tw_pto_free(core);
}

static void pto_lanes_rows(void **state)
{
    (void)state;
    check_rows_reached("lanes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_lanes_values),  cmocka_unit_test(pto_lanes_refusals),
        cmocka_unit_test(pto_lanes_layouts), cmocka_unit_test(pto_lanes_compare_select),
        cmocka_unit_test(pto_lanes_convert), cmocka_unit_test(pto_lanes_parts),
        cmocka_unit_test(pto_lanes_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
