/* SPDX-License-Identifier: MIT */
/* What the other value tests leave: special values of elementwise instructions (NaN, infinities, signed zeros, wrap),
 * forms with a destination that is read, parts, low bits, streams, counts, sorting, masks from a tile, storage in
 * place. The last test asks that every row of ops.def is promised to a program (rows.def). */
#define COUNT_ROWS
#include "pto/support/check.h"

/* --- special values --------------------------------------------------------------------------------------------- */

static double s_add(double a, double b)
{
    return a + b;
}
static double s_sub(double a, double b)
{
    return a - b;
}
static double s_mul(double a, double b)
{
    return a * b;
}
static double s_div(double a, double b)
{
    return a / b;
}
static double s_max(double a, double b)
{
    return a < b ? b : a;
}
static double s_min(double a, double b)
{
    return b < a ? b : a;
}
static double s_relu(double a, double b)
{
    return (void)b, a < 0 ? 0 : a;
}
static double s_abs(double a, double b)
{
    return (void)b, fabs(a);
}
static double s_neg(double a, double b)
{
    return (void)b, -a;
}
static double s_sqrt(double a, double b)
{
    return (void)b, sqrt(a);
}
static double s_recip(double a, double b)
{
    return (void)b, 1 / a;
}
static double s_exp(double a, double b)
{
    return (void)b, exp(a);
}
static double s_log(double a, double b)
{
    return (void)b, log(a);
}
static double s_prelu(double a, double b)
{
    return a > 0 ? a : a * b;
}

static double stored(tw_type type, double x)
{
    unsigned char bytes[8] = { 0 };
    tw_convert(type, bytes, TW_F64, &x, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
    return tw_type_load(type, bytes);
}

static const struct special {
    const char *name;
    double (*f)(double, double);
    unsigned sources;
    double tolerance;
} specials[] = {
    { "TADD", s_add, 2, 0 },    { "TSUB", s_sub, 2, 0 },     { "TMUL", s_mul, 2, 0 },
    { "TDIV", s_div, 2, 0 },    { "TMAX", s_max, 2, 0 },     { "TMIN", s_min, 2, 0 },
    { "TRELU", s_relu, 1, 0 },  { "TABS", s_abs, 1, 0 },     { "TNEG", s_neg, 1, 0 },
    { "TSQRT", s_sqrt, 1, 0 },  { "TRECIP", s_recip, 1, 0 }, { "TEXP", s_exp, 1, 1e-6 },
    { "TLOG", s_log, 1, 1e-6 }, { "TPRELU", s_prelu, 2, 0 },
};

static void pto_values_special(void **state)
{
    static const double values[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 65504, -65504, 6.103515625e-05, 3 };
    static const tw_type types[] = { TW_F32, TW_F16, TW_BF16 };
    enum { N = sizeof values / sizeof *values };
    (void)state;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        for (int target = 0; target < TW_PTO_TARGETS; target++)
            for (int t = 0; t < 3; t++) {
                tw_pto_info info;
                int op = tw_pto_op_by_name(specials[i].name);
                assert_true(tw_pto_info_get((size_t)op, &info));
                if (!(info.types[target] >> types[t] & 1)) continue;
                tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                tw_pto_tile d = vec_tile(types[t], N, 16), a = d, b = d, tmp = vec_tile(TW_U8, N + 1, 32);
                d.valid_cols = a.valid_cols = b.valid_cols = N;
                for (uint32_t r = 0; r < N; r++)
                    for (uint32_t c = 0; c < N; c++) set(core, &a, r, c, values[r]), set(core, &b, r, c, values[c]);
                tw_pto_operand o[] = { TILE(&d), TILE(&a), TILE(&b), TILE(&tmp) };
                OK(tw_pto_exec(core, op, o, info.operands, NULL));
                for (uint32_t r = 0; r < N; r++)
                    for (uint32_t c = 0; c < N; c++) {
                        double x = get(core, &a, r, c), y = get(core, &b, r, c), got = get(core, &d, r, c),
                               want = stored(types[t], specials[i].f(x, y));
                        bool near = fabs(got - want) <=
                                    specials[i].tolerance * fabs(want) +
                                        (specials[i].tolerance && types[t] != TW_F32 ? fabs(want) / 128 : 0);
                        if (!same_value(got, want) && !near)
                            fail_msg("%s %s: f(%g, %g) = %g instead of %g", specials[i].name,
                                     tw_type_name(types[t], TW_SYSTEM_PTO), x, y, got, want);
                    }
                tw_pto_free(core);
            }
}

/* Integers wrap modulo their width. */
static void pto_values_wrap(void **state)
{
    static const char *const names[] = { "TADD", "TSUB", "TMUL", "TADDS", "TSUBS", "TMULS", "TNEG", "TABS" };
    (void)state;
    for (int n = 0; n < 8; n++)
        for (int target = 0; target < TW_PTO_TARGETS; target++)
            for (int type = 1; type < TW_TYPE_COUNT; type++) {
                tw_pto_info info;
                int op = tw_pto_op_by_name(names[n]);
                assert_true(tw_pto_info_get((size_t)op, &info));
                if (!(info.types[target] >> type & 1) || tw__is_float((tw_type)type)) continue;
                size_t size = tw_type_size((tw_type)type);
                uint64_t mask = size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
                const uint64_t values[] = {
                    0, 1, mask, mask >> 1, (mask >> 1) + 1, mask - 1, 0x5a5a5a5a5a5a5a5a & mask
                };
                tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                for (int j = 0; j < 7; j++) {
                    tw_pto_tile d = vec_tile((tw_type)type, 1, 32), a = d, b = d;
                    for (size_t i = 0; i < 32; i++) {
                        memcpy((char *)tw_pto_data(core, &a) + i * size, &values[i % 7], size);
                        memcpy((char *)tw_pto_data(core, &b) + i * size, &values[j], size);
                    }
                    tw_pto_operand o[] = { TILE(&d), TILE(&a),
                                           n < 3 ? TILE(&b) : SCALAR(tw_pto_bits((tw_type)type, values[j])) };
                    OK(tw_pto_exec(core, op, o, info.operands, NULL));
                    for (size_t i = 0; i < 32; i++) {
                        uint64_t got = 0, x = values[i % 7], y = values[j], most = (mask >> 1) + 1;
                        memcpy(&got, (char *)tw_pto_data(core, &d) + i * size, size);
                        uint64_t wants[] = { x + y, x - y, x * y, x + y, x - y, x * y, -x, x & most ? -x : x };
                        if (got != (wants[n] & mask))
                            fail_msg("%s type %d: %llx", names[n], type, (unsigned long long)got);
                    }
                    tw_pto_tile_free(core, &d);
                    tw_pto_tile_free(core, &a);
                    tw_pto_tile_free(core, &b);
                }
                tw_pto_free(core);
            }
}

/* --- from any layout to any: transposed, converted, padded ------------------------------------------------------ */

static void pto_values_between_layouts(void **state)
{
    static const tw_type types[] = { TW_U8, TW_F16, TW_F32 };
    (void)state;
    for (int y = 0; y < 3; y++)
        for (unsigned layouts = 0; layouts < 36; layouts++) {
            tw_pto *core = tw_pto_new(TW_PTO_CPU, 0);
            tw_pto_tile a = vec_tile(types[y], 64, 32), d = vec_tile(types[y], 32, 64),
                        tmp = vec_tile(types[y], 128, 128), p = a, i = vec_tile(TW_F32, 64, 32);
            unsigned from = layouts / 6, to = layouts % 6;
            a.blayout = (unsigned char)(from % 2), a.slayout = (unsigned char)(from / 2);
            d.blayout = p.blayout = i.blayout = (unsigned char)(to % 2);
            d.slayout = p.slayout = i.slayout = (unsigned char)(to / 2);
            a.valid_rows = d.valid_cols = i.valid_rows = 51, a.valid_cols = d.valid_rows = i.valid_cols = 29;
            p.pad = TW_PTO_PAD_MAX;
            for (uint32_t r = 0; r < 64; r++)
                for (uint32_t c = 0; c < 32; c++)
                    set(core, &a, r, c, (r * 7 + c * 3) % 251), set(core, &d, c, r, 252), set(core, &i, r, c, 252);
            OK(CALL(core, "ttrans", NULL, TILE(&d), TILE(&a), TILE(&tmp)));
            OK(CALL(core, "tfillpad", NULL, TILE(&p), TILE(&a)));
            if (types[y] == TW_F16) OK(CALL(core, "tcvt", NULL, TILE(&i), TILE(&a)));
            for (uint32_t r = 0; r < 64; r++)
                for (uint32_t c = 0; c < 32; c++) {
                    bool valid = r < 51 && c < 29;
                    double want = (r * 7 + c * 3) % 251, most = types[y] == TW_U8 ? 255 : INFINITY;
                    assert_true(get(core, &d, c, r) == (valid ? want : 252));
                    assert_true(get(core, &p, r, c) == (valid ? want : most));
                    if (types[y] == TW_F16) assert_true(get(core, &i, r, c) == (valid ? want : 252));
                }
            tw_pto_free(core);
        }
}

/* --- dst + a s, and the scalar between two tiles ---------------------------------------------------------------- */

static void pto_values_axpy(void **state)
{
    static const tw_type types[][2] = { { TW_F32, TW_F32 }, { TW_F16, TW_F16 }, { TW_F32, TW_F16 } };
    (void)state;
    for (int t = 0; t < 3; t++)
        for (int target = 0; target < TW_PTO_TARGETS; target++) {
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tile d = vec_tile(types[t][0], 3, 48), a = vec_tile(types[t][1], 3, 48), old = d;
            d.valid_cols = a.valid_cols = 41;
            for (uint32_t r = 0; r < 3; r++)
                for (uint32_t c = 0; c < 48; c++) {
                    double v = (double)(random_bits() % 2000) / 8 - 100;
                    set(core, &d, r, c, v), set(core, &old, r, c, v);
                    set(core, &a, r, c, (double)(random_bits() % 200) / 16 - 5);
                }
            OK(CALL(core, "taxpy", NULL, TILE(&d), TILE(&a), SCALAR(tw_pto_scalar_of(types[t][1], 1.375))));
            for (uint32_t r = 0; r < 3; r++)
                for (uint32_t c = 0; c < 48; c++) {
                    double product = stored(types[t][0], get(core, &a, r, c) * 1.375), o = get(core, &old, r, c);
                    double want = c < 41 ? stored(types[t][0], o + product) : o;
                    if (get(core, &d, r, c) != want) fail_msg("%g instead of %g", get(core, &d, r, c), want);
                }
            tw_pto_free(core);
        }
    static const tw_type all[] = { TW_I16, TW_I32, TW_F16, TW_F32 };
    for (int t = 0; t < 4; t++) {
        tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
        tw_pto_tile d = vec_tile(all[t], 2, 32), a = d, b = d, e = d;
        for (uint32_t c = 0; c < 32; c++) set(core, &a, 1, c, c * 3.0), set(core, &b, 1, c, 50.0 - c);
        tw_pto_operand s = SCALAR(tw_pto_scalar_of(all[t], 7));
        OK(CALL(core, "taddsc", NULL, TILE(&d), TILE(&a), s, TILE(&b)));
        OK(CALL(core, "tsubsc", NULL, TILE(&e), TILE(&a), s, TILE(&b)));
        for (uint32_t c = 0; c < 32; c++)
            assert_true(get(core, &d, 1, c) == c * 2.0 + 57 && get(core, &e, 1, c) == c * 2.0 + 43);
        tw_pto_free(core);
    }
}

/* --- parts ------------------------------------------------------------------------------------------------------ */

static void pto_values_parts(void **state)
{
    static const char *const names[] = { "TPARTADD", "TPARTMUL", "TPARTMAX", "TPARTMIN" };
    (void)state;
    for (int n = 0; n < 4; n++)
        for (int target = 0; target < TW_PTO_TARGETS; target++)
            for (int type = 1; type < TW_TYPE_COUNT; type++)
                for (int swap = 0; swap < 2; swap++) {
                    tw_pto_info info;
                    int op = tw_pto_op_by_name(names[n]);
                    assert_true(tw_pto_info_get((size_t)op, &info));
                    if (!(info.types[target] >> type & 1)) continue;
                    tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                    tw_pto_tile d = vec_tile((tw_type)type, 4, 32), full = d, less = d;
                    full.valid_cols = d.valid_cols = 29;
                    less.valid_rows = 2;
                    less.valid_cols = 11;
                    for (uint32_t r = 0; r < 4; r++)
                        for (uint32_t c = 0; c < 32; c++)
                            set(core, &full, r, c, (double)(random_bits() % 9)),
                                set(core, &less, r, c, (double)(random_bits() % 9));
                    tw_pto_operand o[] = { TILE(&d), TILE(swap ? &less : &full), TILE(swap ? &full : &less) };
                    OK(tw_pto_exec(core, op, o, 3, NULL));
                    for (uint32_t r = 0; r < 4; r++)
                        for (uint32_t c = 0; c < 32; c++) {
                            double x = get(core, &full, r, c), y = get(core, &less, r, c);
                            const double both[] = { x + y, x * y, x > y ? x : y, x < y ? x : y };
                            double want = c >= 29 ? 0 : r < 2 && c < 11 ? both[n] : x;
                            assert_true(get(core, &d, r, c) == want);
                        }
                    tw_pto_free(core);
                }
    for (int type = 0; type < 4; type++) { /* smaller value and its index, ties take b */
        static const tw_type index[] = { TW_I32, TW_U32, TW_I16, TW_U16 };
        tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
        tw_type value = type < 2 ? TW_F32 : TW_F16;
        tw_pto_tile d = vec_tile(value, 2, 16), a = d, b = d, x = vec_tile(index[type], 2, 16), y = x, z = x;
        b.valid_rows = z.valid_rows = 1;
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t c = 0; c < 16; c++) {
                set(core, &a, r, c, c % 4), set(core, &b, r, c, c % 3);
                set(core, &y, r, c, 100 + c), set(core, &z, r, c, 200 + c);
            }
        OK(CALL(core, "tpartargmin", NULL, TILE(&d), TILE(&a), TILE(&b), TILE(&x), TILE(&y), TILE(&z)));
        for (uint32_t r = 0; r < 2; r++)
            for (uint32_t c = 0; c < 16; c++) {
                bool second = r < 1 && c % 3 <= c % 4;
                assert_true(get(core, &d, r, c) == (second ? c % 3 : c % 4));
                assert_true(get(core, &x, r, c) == (second ? 200 + c : 100 + c));
            }
        tw_pto_free(core);
    }
}

/* --- low bits, streams, counts ---------------------------------------------------------------------------------- */

static void pto_values_pack(void **state)
{
    static const tw_type pairs[][2] = {
        { TW_U32, TW_U16 }, { TW_I32, TW_I8 }, { TW_F32, TW_U16 }, { TW_U16, TW_U8 }, { TW_F16, TW_I8 }
    };
    (void)state;
    for (int t = 0; t < 5; t++) {
        tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
        size_t from = tw_type_size(pairs[t][0]), to = tw_type_size(pairs[t][1]);
        tw_pto_tile a = vec_tile(pairs[t][0], 3, 64), d = vec_tile(pairs[t][1], 3, 64);
        a.valid_cols = d.valid_cols = 51;
        for (size_t i = 0; i < 3 * 64 * from; i++)
            ((unsigned char *)tw_pto_data(core, &a))[i] = (unsigned char)random_bits();
        OK(CALL(core, "tpack", NULL, TILE(&d), TILE(&a)));
        const unsigned char *in = tw_pto_data(core, &a), *out = tw_pto_data(core, &d);
        for (uint32_t r = 0; r < 3; r++)
            for (uint32_t c = 0; c < 64; c++)
                for (size_t b = 0; b < to; b++)
                    assert_int_equal(out[(r * 64 + c) * to + b], c < 51 ? in[(r * 64 + c) * from + b] : 0);
        tw_pto_free(core);
    }
}

static void pto_values_streams(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
    tw_pto_tile src = vec_tile(TW_I16, 3, 256), even = vec_tile(TW_I16, 3, 128), odd = even;
    src.valid_cols = 250;
    even.valid_cols = odd.valid_cols = 125;
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t c = 0; c < 256; c++) set(core, &src, r, c, r * 1000 + c);
    OK(CALL(core, "tdeinterleave", NULL, TILE(&odd), TILE(&even), TILE(&src)));
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t c = 0; c < 128; c++) {
            assert_true(get(core, &even, r, c) == (c < 125 ? r * 1000 + 2 * c : 0));
            assert_true(get(core, &odd, r, c) == (c < 125 ? r * 1000 + 2 * c + 1 : 0));
        }
    tw_pto_free(core);
}

static void pto_values_concat(void **state)
{
    static const uint32_t counts[4][2] = { { 3, 5 }, { 0, 8 }, { 8, 0 }, { 8, 7 } };
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int sums = 0; sums < 2; sums++) {
            tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
            tw_pto_tile a = vec_tile(TW_F16, 4, 16), b = a, d = vec_tile(TW_F16, 4, 16), x = vec_tile(TW_I32, 4, 8),
                        y = x, n = x;
            a.valid_cols = b.valid_cols = 8;
            for (uint32_t r = 0; r < 4; r++) {
                for (uint32_t c = 0; c < 16; c++)
                    set(core, &a, r, c, 100 + c), set(core, &b, r, c, 200 + c), set(core, &d, r, c, -1);
                set(core, &x, r, 0, counts[r][0]), set(core, &y, r, 0, counts[r][1]);
            }
            OK(sums ? CALL(core, "tconcat", NULL, TILE(&d), TILE(&a), TILE(&b), TILE(&n), TILE(&x), TILE(&y))
                    : CALL(core, "tconcat", NULL, TILE(&d), TILE(&a), TILE(&b), TILE(&x), TILE(&y)));
            for (uint32_t r = 0; r < 4; r++) {
                uint32_t p = counts[r][0], q = counts[r][1];
                for (uint32_t c = 0; c < 16; c++)
                    assert_true(get(core, &d, r, c) == (c < p ? 100 + c : c < p + q ? 200 + c - p : -1.0));
                assert_true(get(core, &n, r, 0) == (sums ? p + q : 0));
            }
            set(core, &x, 2, 0, 9);
            REFUSED(CALL(core, "tconcat", NULL, TILE(&d), TILE(&a), TILE(&b), TILE(&x), TILE(&y)), "concat.count",
                    "row 2");
            tw_pto_free(core);
        }
}

/* --- masks, sorting, storage in place --------------------------------------------------------------------------- */

static void pto_values_compare_tile(void **state)
{
    static const tw_type types[] = { TW_F32, TW_F16, TW_I32, TW_I16, TW_U16 };
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < 5; t++)
            for (int mode = 0; mode < 6; mode++) {
                if (target == TW_PTO_A2A3 && types[t] == TW_I32 && mode != TW_PTO_CMP_EQ) continue;
                tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                tw_pto_tile a = vec_tile(types[t], 3, 64), b = vec_tile(types[t], 1, 16),
                            mask = target == TW_PTO_A5 ? vec_tile(TW_U32, 3, 8) : vec_tile(TW_U8, 3, 32);
                a.valid_cols = 45;
                for (uint32_t r = 0; r < 3; r++)
                    for (uint32_t c = 0; c < 64; c++) set(core, &a, r, c, (double)(random_bits() % 3));
                set(core, &b, 0, 0, 1), set(core, &b, 0, 1, 2);
                if (t < 2) set(core, &a, 1, 7, NAN);
                OK(CALL(core, "tcmps", (&(tw_pto_attrs){ .cmp = mode }), TILE(&mask), TILE(&a), TILE(&b)));
                for (uint32_t r = 0; r < 3; r++)
                    for (uint32_t c = 0; c < 64; c++) {
                        double x = get(core, &a, r, c);
                        const bool holds[] = { x == 1, x != 1, x < 1, x <= 1, x > 1, x >= 1 };
                        const unsigned char *bits = (unsigned char *)tw_pto_data(core, &mask) + r * 32;
                        assert_int_equal(bits[c / 8] >> c % 8 & 1, c < 45 && holds[mode]);
                    }
                tw_pto_free(core);
            }
}

static void pto_values_sort(void **state)
{
    (void)state;
    for (int lists = 3; lists <= 4; lists++)
        for (int exhausted = 0; exhausted < 2; exhausted++) {
            tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
            tw_pto_tile in[4], out = vec_tile(TW_F32, 1, 64), counts = vec_tile(TW_U16, 1, 16), tmp = out;
            tw_pto_operand o[7] = { TILE(&out), TILE(&counts), TILE(&tmp) };
            uint32_t used[4] = { 0 }, length[] = { 6, 4, 8, 5 };
            double value[4][8];
            for (int l = 0; l < lists; l++) {
                in[l] = vec_tile(TW_F32, 1, 16);
                in[l].valid_cols = 2 * length[l];
                for (uint32_t i = 0; i < length[l]; i++) {
                    value[l][i] = 50.0 - 3 * (double)i - l % 3; /* lists 0 and 3 tie */
                    set(core, &in[l], 0, 2 * i, value[l][i]);
                    set(core, &in[l], 0, 2 * i + 1, l * 10 + i);
                }
                o[3 + l] = TILE(&in[l]);
            }
            OK(tw_pto_call(core, "tmrgsort", o, (unsigned)lists + 3, &(tw_pto_attrs){ .exhausted = exhausted }));
            for (uint32_t n = 0;; n++) {
                int best = -1;
                bool ended = false, all = true;
                for (int l = 0; l < lists; l++) {
                    ended = ended || used[l] == length[l];
                    if (used[l] == length[l]) continue;
                    all = false;
                    if (best < 0 || value[l][used[l]] > value[best][used[best]]) best = l;
                }
                if (all || (exhausted && ended)) break;
                assert_true(get(core, &out, 0, 2 * n) == value[best][used[best]]);
                assert_true(get(core, &out, 0, 2 * n + 1) == best * 10 + used[best]);
                used[best]++;
            }
            for (int l = 0; l < lists; l++) assert_true(get(core, &counts, 0, (uint32_t)l) == used[l]);
            tw_pto_free(core);
        }
    for (int t = 0; t < 2; t++) { /* whole blocks need no tmp; NaN comes last, ties by index */
        tw_pto *core = tw_pto_new(TW_PTO_A5, 0);
        tw_type type = t ? TW_F16 : TW_F32;
        uint32_t wide = t ? 4 : 2;
        tw_pto_tile a = vec_tile(type, 1, 64), x = vec_tile(TW_U32, 1, 64), d = vec_tile(type, 1, 64 * wide);
        for (uint32_t c = 0; c < 64; c++)
            set(core, &a, 0, c, c % 7 == 3 ? -INFINITY : (double)(random_bits() % 10)), set(core, &x, 0, c, c);
        OK(CALL(core, "tsort32", NULL, TILE(&d), TILE(&a), TILE(&x)));
        bool seen[64] = { false };
        for (uint32_t c = 0; c < 64; c++) {
            uint32_t i, before;
            memcpy(&i, (char *)tw_pto_data(core, &d) + 8 * c + 4, 4);
            assert_true(i / 32 == c / 32 && !seen[i]);
            seen[i] = true;
            double v = get(core, &d, 0, c * wide), u = get(core, &d, 0, (c ? c - 1 : 0) * wide);
            assert_true(v == get(core, &a, 0, i));
            if (c % 32 == 0) continue;
            memcpy(&before, (char *)tw_pto_data(core, &d) + 8 * (c - 1) + 4, 4);
            assert_true(u > v || (u == v && before < i));
        }
        tw_pto_free(core);
    }
}

static void pto_values_in_place(void **state)
{
    (void)state;
    tw_pto *core = tw_pto_new(TW_PTO_A2A3, 0);
    tw_pto_tile a = vec_tile(TW_I16, 4, 32);
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 32; c++) set(core, &a, r, c, r * 50 + c);
    a.valid_rows = 3;
    a.valid_cols = 20;
    tw_pto_tile same = a; /* a second name for the same memory */
    same.pad = TW_PTO_PAD_MIN;
    OK(CALL(core, "tfillpad_inplace", NULL, TILE(&same), TILE(&a)));
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t c = 0; c < 32; c++)
            assert_true(get(core, &a, r, c) == (r < 3 && c < 20 ? r * 50.0 + c : -32768));
    tw_pto_tile h = vec_tile(TW_I8, 2, 32), f = vec_tile(TW_F16, 2, 32), g = f;
    for (uint32_t c = 0; c < 32; c++) set(core, &f, 1, c, c * 10.5), set(core, &g, 1, c, c % 2 ? 3 : 200);
    OK(CALL(core, "tsubreluconv", NULL, TILE(&h), TILE(&f), TILE(&g)));
    for (uint32_t c = 0; c < 32; c++) {
        double v = c * 10.5 - (c % 2 ? 3 : 200), want = v < 0 ? 0 : nearbyint(v) > 127 ? 127 : nearbyint(v);
        assert_true(get(core, &h, 1, c) == want);
    }
    float memory[64] = { 0 };
    tw_pto_tensor t = tw_pto_tensor_of(memory, TW_F32, 4, 16, TW_PTO_ND);
    tw_pto_tile p = vec_tile(TW_F32, 4, 16);
    set(core, &p, 1, 1, 5);
    memory[17] = 6;
    OK(CALL(core, "tprefetch", NULL, TILE(&p), TENSOR(&t)));
    OK(CALL(core, "tprefetch_async", NULL, TENSOR(&t)));
    assert_true(get(core, &p, 1, 1) == 5); /* a hint: neither side changes */
    assert_true(memory[17] == 6);
    tw_pto_free(core);
}

/* dst[k] = S + k or S - k on row 0 alone, both forms, all four types, wrapping. */
static void pto_values_iota(void **state)
{
    static const tw_type types[] = { TW_I16, TW_U16, TW_I32, TW_U32 };
    (void)state;
    for (int target = 0; target < TW_PTO_TARGETS; target++)
        for (int t = 0; t < 4; t++)
            for (int form = 0; form < 4; form++) {
                tw_pto *core = tw_pto_new((tw_pto_target)target, 0);
                bool down = form & 1;
                size_t size = tw_type_size(types[t]);
                uint64_t mask = size == 2 ? 0xffff : 0xffffffff, start = (mask >> 1) - 20 + (down ? 40 : 0);
                tw_pto_tile d = vec_tile(types[t], 2, 64), tmp = vec_tile(TW_F32, 1, 512);
                d.valid_cols = 61;
                OK(tw_pto_tci(core, &d, tw_pto_bits(types[t], start), down, form & 2 ? &tmp : NULL));
                for (uint32_t k = 0; k < 64; k++) {
                    uint64_t got = 0;
                    memcpy(&got, (char *)tw_pto_data(core, &d) + k * size, size);
                    assert_true(got == (k < 61 ? (down ? start - k : start + k) & mask : 0));
                    assert_true(get(core, &d, 1, k) == 0);
                }
                tw_pto_free(core);
            }
}

/* --- the registry ----------------------------------------------------------------------------------------------- */

/* Queues between cores and transfers between devices have programs of their own (test_pto_grid and its kin). */
static bool elsewhere(const tw__pto_row *row)
{
    return strpbrk(row->form, "qr") || row->rules & TW__MACRO || strncmp(row->name, "SYNC", 4) == 0;
}

static void pto_values_registry(void **state)
{
    (void)state;
    unsigned missing = 0;
    for (size_t i = 0; i < tw__pto_row_count(); i++) {
        const tw__pto_row *row = tw__pto_row_at(i);
        unsigned found = 0;
        for (size_t j = 0; j < sizeof row_tests / sizeof *row_tests; j++)
            found += strcmp(row_tests[j].row, row->name) == 0;
        if (found || elsewhere(row)) continue;
        print_error("%s: no program of tests/pto/support/rows.def tests its values\n", row->name);
        missing++;
    }
    for (size_t j = 0; j < sizeof row_tests / sizeof *row_tests; j++)
        if (tw_pto_op_by_name(row_tests[j].row) < 0) print_error("%s: no such row\n", row_tests[j].row), missing++;
    for (size_t i = 0; i + 1 < tw__pto_row_count(); i++) { /* forms of a mnemonic stand together */
        const tw__pto_row *row = tw__pto_row_at(i);
        for (size_t j = i + 2; j < tw__pto_row_count(); j++)
            if (strcmp(row->mnemonic, tw__pto_row_at(j)->mnemonic) == 0 &&
                strcmp(row->mnemonic, tw__pto_row_at(j - 1)->mnemonic) != 0)
                fail_msg("%s is not next to %s", tw__pto_row_at(j)->name, row->name);
    }
    assert_int_equal(missing, 0);
}

static void pto_values_rows(void **state)
{
    (void)state;
    check_rows_reached("values");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pto_values_special),         cmocka_unit_test(pto_values_wrap),
        cmocka_unit_test(pto_values_between_layouts), cmocka_unit_test(pto_values_axpy),
        cmocka_unit_test(pto_values_parts),           cmocka_unit_test(pto_values_pack),
        cmocka_unit_test(pto_values_streams),         cmocka_unit_test(pto_values_concat),
        cmocka_unit_test(pto_values_compare_tile),    cmocka_unit_test(pto_values_sort),
        cmocka_unit_test(pto_values_in_place),        cmocka_unit_test(pto_values_iota),
        cmocka_unit_test(pto_values_registry),        cmocka_unit_test(pto_values_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
