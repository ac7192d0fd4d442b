/* SPDX-License-Identifier: MIT */
/* Special values of every elementwise row, in every type and on every profile: NaN, infinities, zeros of both signs,
 * the smallest and the largest, denormals, extremes of integers; each with each, compared bit by bit (NaN with NaN).
 * The references are written from the formulas: floats in double, rounded once per step; integers in 64 bits, cut
 * off. Denormals are kept, as by the peer's simulator; the chips flush them unless told otherwise. */
#define COUNT_ROWS
#include "pto/support/check.h"

/* Operands by letter: a, b (or the scalar), c, what dst held. */
typedef struct operands {
    tw_type type;
    double a, b, c, d;
} operands;
typedef struct integers {
    tw_type type;
    uint64_t a, b, c; /* extended to 64 bits by their sign */
} integers;

static double rounded(tw_type type, double x)
{
    unsigned char bytes[8] = { 0 };
    tw_convert(type, bytes, TW_F64, &x, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
    return tw_type_load(type, bytes);
}
static double clipped(double x)
{
    return x < 0 ? 0 : x;
}
static double fused(const operands *v)
{
    return v->type == TW_F32 ? (double)fmaf((float)v->a, (float)v->d, (float)v->b) : fma(v->a, v->d, v->b);
}
static double floor_remainder(double a, double b)
{
    double m = fmod(a, b);
    return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}

static bool less(const integers *v, uint64_t a, uint64_t b)
{
    return tw_type_get(v->type)->is_signed ? (int64_t)a < (int64_t)b : a < b;
}
static uint64_t quotient(const integers *v, uint64_t a, uint64_t b)
{
    if (!tw_type_get(v->type)->is_signed) return a / b;
    return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}
static uint64_t truncated(const integers *v, uint64_t a, uint64_t b)
{
    return a - quotient(v, a, b) * b;
}
static uint64_t floored(const integers *v, uint64_t a, uint64_t b)
{
    uint64_t m = truncated(v, a, b);
    return m && tw_type_get(v->type)->is_signed && (int64_t)(m ^ b) < 0 ? m + b : m;
}

/* X(row, largest error in units of the last place, float formula, integer formula). Rounding of the result is
 * implied; FR marks a step that is rounded by itself. */
#define FR(x)       rounded(v->type, x)
#define FLOATS_ONLY 0
// clang-format off
#define ROWS(X)                                                                                                \
    X(TADD, 0, v->a + v->b, v->a + v->b)                                                                       \
    X(TSUB, 0, v->a - v->b, v->a - v->b)                                                                       \
    X(TMUL, 0, v->a * v->b, v->a * v->b)                                                                       \
    X(TDIV, 0, v->a / v->b, quotient(v, v->a, v->b))                                                           \
    X(TMAX, 0, v->a < v->b ? v->b : v->a, less(v, v->a, v->b) ? v->b : v->a)                                   \
    X(TMIN, 0, v->b < v->a ? v->b : v->a, less(v, v->b, v->a) ? v->b : v->a)                                   \
    X(TREM, 1, floor_remainder(v->a, v->b), floored(v, v->a, v->b))                                            \
    X(TFMOD, 0, fmod(v->a, v->b), truncated(v, v->a, v->b))                                                    \
    X(TAND, 0, 0, v->a & v->b)                                                                                 \
    X(TOR, 0, 0, v->a | v->b)                                                                                  \
    X(TXOR, 0, 0, v->a ^ v->b)                                                                                 \
    X(TPRELU, 0, v->a > 0 ? v->a : v->a * v->b, FLOATS_ONLY)                                                   \
    X(TADDC, 0, FR(v->a + v->b) + v->c, v->a + v->b + v->c)                                                    \
    X(TSUBC, 0, FR(v->a - v->b) + v->c, v->a - v->b + v->c)                                                    \
    X(TSUBRELU, 0, clipped(FR(v->a - v->b)), FLOATS_ONLY)                                                      \
    X(TMULADDDST, 0, FR(v->a * v->b) + v->d, FLOATS_ONLY)                                                      \
    X(TFUSEDMULADD, 0, fused(v), FLOATS_ONLY)                                                                  \
    X(TFUSEDMULADDRELU, 0, clipped(FR(fused(v))), FLOATS_ONLY)                                                 \
    X(TABS, 0, fabs(v->a), less(v, v->a, 0) ? 0 - v->a : v->a)                                                 \
    X(TNEG, 0, -v->a, 0 - v->a)                                                                                \
    X(TNOT, 0, 0, ~v->a)                                                                                       \
    X(TEXP, 1, exp(v->a), FLOATS_ONLY)                                                                         \
    X(TLOG, 1, log(v->a), FLOATS_ONLY)                                                                         \
    X(TSQRT, 0, sqrt(v->a), FLOATS_ONLY)                                                                       \
    X(TRSQRT, 1, 1 / sqrt(v->a), FLOATS_ONLY)                                                                  \
    X(TRSQRT_TMP, 1, 1 / sqrt(v->a), FLOATS_ONLY)                                                              \
    X(TRECIP, 0, 1 / v->a, quotient(v, 1, v->a))                                                               \
    X(TRELU, 0, clipped(v->a), less(v, v->a, 0) ? 0 : v->a)                                                    \
    X(TADDS, 0, v->a + v->b, v->a + v->b)                                                                      \
    X(TSUBS, 0, v->a - v->b, v->a - v->b)                                                                      \
    X(TMULS, 0, v->a * v->b, v->a * v->b)                                                                      \
    X(TDIVS, 0, v->a / v->b, quotient(v, v->a, v->b))                                                          \
    X(TDIVS_S, 0, v->b / v->a, quotient(v, v->b, v->a))                                                        \
    X(TMAXS, 0, v->a < v->b ? v->b : v->a, less(v, v->a, v->b) ? v->b : v->a)                                  \
    X(TMINS, 0, v->b < v->a ? v->b : v->a, less(v, v->b, v->a) ? v->b : v->a)                                  \
    X(TREMS, 1, floor_remainder(v->a, v->b), floored(v, v->a, v->b))                                           \
    X(TFMODS, 0, fmod(v->a, v->b), truncated(v, v->a, v->b))                                                   \
    X(TANDS, 0, 0, v->a & v->b)                                                                                \
    X(TORS, 0, 0, v->a | v->b)                                                                                 \
    X(TXORS, 0, 0, v->a ^ v->b)                                                                                \
    X(TLRELU, 0, v->a > 0 ? v->a : v->a * v->b, FLOATS_ONLY)                                                   \
    X(TADDSC, 0, FR(v->a + v->c) + v->b, v->a + v->c + v->b)                                                   \
    X(TSUBSC, 0, FR(v->a - v->c) + v->b, v->a - v->c + v->b)                                                   \
    X(TAXPY, 0, FR(v->a * v->b) + v->d, FLOATS_ONLY)                                                           \
    X(TPARTADD, 0, v->a + v->b, v->a + v->b)                                                                   \
    X(TPARTMUL, 0, v->a * v->b, v->a * v->b)                                                                   \
    X(TPARTMAX, 0, v->a < v->b ? v->b : v->a, less(v, v->a, v->b) ? v->b : v->a)                               \
    X(TPARTMIN, 0, v->b < v->a ? v->b : v->a, less(v, v->b, v->a) ? v->b : v->a)
// clang-format on

#define FORMULAS(row, ulps, real, integer)           \
    static double real_##row(const operands *v)      \
    {                                                \
        (void)v;                                     \
        return real;                                 \
    }                                                \
    static uint64_t integer_##row(const integers *v) \
    {                                                \
        (void)v;                                     \
        return integer;                              \
    }
ROWS(FORMULAS)

static const struct row {
    const char *name;
    unsigned ulps;
    double (*real)(const operands *);
    uint64_t (*integer)(const integers *);
} rows[] = {
#define ROW(row, ulps, real, integer) { #row, ulps, real_##row, integer_##row },
    ROWS(ROW)
};

/* --- values ----------------------------------------------------------------------------------------------------- */

enum { N = 16 };

/* The i-th special value's bits. */
static uint64_t special(tw_type type, unsigned i)
{
    static const double reals[] = { 0, -0.0, 1, -1, 3, -2.5, 0.1, -1e30, NAN, INFINITY, -INFINITY };
    size_t width = 8 * tw_type_size(type), n = sizeof reals / sizeof *reals;
    uint64_t sign = UINT64_C(1) << (width - 1), bits = 0;
    if (!tw__is_float(type)) {
        const uint64_t numbers[N] = {
            0,        1,        2,        3,         7,   0 - UINT64_C(1),   0 - UINT64_C(2), 0 - UINT64_C(7), sign,
            sign + 1, sign - 1, sign - 2, sign >> 1, 100, 0 - UINT64_C(100), sign | 5
        };
        return numbers[i];
    }
    if (i < n) {
        tw_convert(type, &bits, TW_F64, &reals[i], (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
        return bits;
    }
    double infinity = INFINITY;
    tw_convert(type, &bits, TW_F64, &infinity, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
    const uint64_t edges[] = { 1, sign | 7, bits - 1, sign | (bits - 1),
                               (bits & ~(bits << 1)) }; /* largest, smallest normal */
    return edges[i - n];
}

static uint64_t bits_at(tw_pto *core, tw_pto_tile *t, uint32_t r, uint32_t c)
{
    uint64_t bits = 0;
    memcpy(&bits, (char *)tw_pto_data(core, t) + tw_pto_element(t, r, c), tw_type_size(t->type));
    return bits;
}
static uint64_t extended(tw_type type, uint64_t bits)
{
    unsigned drop = 64 - 8 * (unsigned)tw_type_size(type);
    bits <<= drop;
    return tw_type_get(type)->is_signed ? (uint64_t)((int64_t)bits >> drop) : bits >> drop;
}
static double real_of(tw_type type, uint64_t bits)
{
    return tw_type_load(type, &bits);
}

/* Places in the order of the type's values. */
static int64_t ranked(tw_type type, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (8 * tw_type_size(type) - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static bool float_agrees(const struct row *row, tw_type type, const uint64_t v[4], uint64_t got, double *want)
{
    operands o = { type, real_of(type, v[0]), real_of(type, v[1]), real_of(type, v[2]), real_of(type, v[3]) };
    bool remainder = strncmp(row->name, "TREM", 4) == 0;
    uint64_t bits = 0;
    *want = row->real(&o);
    if (remainder && isinf(o.b) && isfinite(o.a))
        return true; /* a - floor(a / b) b has no value of its own there */
    tw_convert(type, &bits, TW_F64, want, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
    if (isnan(*want)) return isnan(real_of(type, got));
    if (remainder && *want == 0) return real_of(type, got) == 0;
    return got == bits ||
           (row->ulps && !isnan(real_of(type, got)) && llabs(ranked(type, got) - ranked(type, bits)) <= row->ulps);
}

static void agree(const struct row *row, tw_type type, const uint64_t v[4], uint64_t got)
{
    double real = 0;
    uint64_t mask = UINT64_MAX >> (64 - 8 * tw_type_size(type));
    integers i = { type, extended(type, v[0]), extended(type, v[1]), extended(type, v[2]) };
    if (tw__is_float(type) ? float_agrees(row, type, v, got, &real) : got == (row->integer(&i) & mask)) return;
    fail_msg("%s %s of %llx, %llx, %llx, %llx is %llx (%g) instead of %llx (%g)", row->name,
             tw_type_name(type, TW_SYSTEM_PTO), (unsigned long long)v[0], (unsigned long long)v[1],
             (unsigned long long)v[2], (unsigned long long)v[3], (unsigned long long)got, real_of(type, got),
             tw__is_float(type) ? 0 : (unsigned long long)(row->integer(&i) & mask), real);
}

/* Integer divisors and what is divided by: never zero. */
static uint64_t value_for(const struct row *row, tw_type type, char letter, unsigned i)
{
    bool reciprocal = strcmp(row->name, "TRECIP") == 0 || strcmp(row->name, "TDIVS_S") == 0;
    bool divides = strstr(row->name, "DIV") || strstr(row->name, "REM") || strstr(row->name, "FMOD") || reciprocal;
    bool divisor = divides && letter == (reciprocal ? 'a' : 'b');
    uint64_t bits = special(type, i);
    return divisor && !tw__is_float(type) && (bits << (64 - 8 * tw_type_size(type))) == 0 ? 5 : bits;
}

/* a differs by row, b by column (a scalar: by `turn`), c and dst by both. */
static void check_turn(const struct row *row, const tw_pto_info *info, tw_pto_target target, tw_type type,
                       unsigned turn)
{
    tw_pto *core = tw_pto_new(target, 0);
    tw_pto_tile t[6];
    tw_pto_operand o[6];
    uint64_t in[4][N][N] = { 0 };
    bool between = strcmp(row->name, "TADDSC") == 0 || strcmp(row->name, "TSUBSC") == 0;
    for (unsigned i = 0; i < info->operands; i++) {
        char letter = info->form[i];
        if (letter == 's') {
            uint64_t s = value_for(row, type, 'b', turn);
            o[i] = SCALAR(tw_pto_bits(type, s));
            for (unsigned k = 0; k < N * N; k++) in[between ? 2 : 1][k / N][k % N] = s;
            continue;
        }
        bool tmp = letter == 't';
        t[i] = tmp ? vec_tile(strcmp(row->name, "TPRELU") == 0 ? TW_U8 : type,
                              strncmp(row->name, "TXOR", 4) == 0 ? N : 2 * N,
                              strncmp(row->name, "TXOR", 4) == 0 ? 32 : 128)
                   : vec_tile(type, N, 32);
        if (tmp && strcmp(row->name, "TRSQRT_TMP") == 0)
            t[i] = vec_tile(type, 1, (uint32_t)(32 / tw_type_size(type)));
        if (!tmp) t[i].valid_cols = N;
        o[i] = TILE(&t[i]);
        for (uint32_t r = 0; !tmp && r < N; r++)
            for (uint32_t c = 0; c < N; c++) {
                unsigned which = letter == 'a' ? 0 : letter == 'b' ? 1 : letter == 'c' ? 2 : 3;
                unsigned pick = which == 0 ? r : which == 1 ? c : (r * 3 + c * 5 + turn + which) % N;
                in[which][r][c] = value_for(row, type, which == 0 ? 'a' : which == 1 ? 'b' : 'c', pick);
                memcpy((char *)tw_pto_data(core, &t[i]) + tw_pto_element(&t[i], r, c), &in[which][r][c],
                       tw_type_size(type));
            }
    }
    OK(tw_pto_exec(core, tw_pto_op_by_name(row->name), o, info->operands, NULL));
    for (uint32_t r = 0; r < N; r++)
        for (uint32_t c = 0; c < N; c++)
            agree(row, type, (uint64_t[]){ in[0][r][c], in[1][r][c], in[2][r][c], in[3][r][c] },
                  bits_at(core, &t[0], r, c));
    tw_pto_free(core);
}

static void pto_special_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tw_pto_info info;
        assert_true(tw_pto_info_get((size_t)tw_pto_op_by_name(rows[i].name), &info));
        for (int target = 0; target < TW_PTO_TARGETS; target++)
            for (int type = 1; type < TW_TYPE_COUNT; type++)
                for (unsigned turn = 0; info.types[target] >> type & 1 && turn < (strchr(info.form, 's') ? N : 2);
                     turn++)
                    check_turn(&rows[i], &info, (tw_pto_target)target, (tw_type)type, turn);
    }
}

/* Every elementwise row of the table is above, but for shifts (counts have their own rule) and powers. */
static void pto_special_complete(void **state)
{
    unsigned missing = 0;
    (void)state;
    for (size_t i = 0; i < tw__pto_row_count(); i++) {
        const tw__pto_row *row = tw__pto_row_at(i);
        bool known = strncmp(row->name, "TSH", 3) == 0 || strncmp(row->name, "TPOW", 4) == 0 ||
                     row->rules & TW__CPU_ONLY; /* test_pto_ops_formal_model.c */
        if (strcmp(row->family, "lanes") != 0 && strcmp(row->family, "lanes_relu") != 0 &&
            strcmp(row->family, "part") != 0)
            continue;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            known = known || strcmp(rows[k].name, row->name) == 0;
        if (!known) print_error("%s has no special values\n", row->name), missing++;
    }
    assert_int_equal(missing, 0);
}

static void pto_special_rows(void **state)
{
    (void)state;
    check_rows_reached("special");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pto_special_values),
                                        cmocka_unit_test(pto_special_complete),
                                        cmocka_unit_test(pto_special_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
