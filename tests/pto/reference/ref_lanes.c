/* SPDX-License-Identifier: MIT */
/* ref_lanes: elementwise instructions, those that pair, join and part streams, and the generated ones, as plain loops
 * over matrices of codes. */
#include "pto/reference/ref_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- formulas --------------------------------------------------------------------------------------------------- */

#define NOT     0
#define FR(x)   ref_real(v->to, ref_code(v->to, x))     /* rounded to dst's type */
#define FROM(x) ref_real(v->type, ref_code(v->type, x)) /* to the sources' */

static double clipped(double x)
{
    return x < 0 ? 0 : x;
}

static double floor_remainder(double a, double b)
{
    double m = fmod(a, b);
    return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}

/* product + b as if rounded once to fewer bits later: the sum in double, made odd where it is not exact. The product
 * of two values of 24 bits is exact. */
static double fused(double product, double b)
{
    double sum = product + b;
    if (!isfinite(sum)) return sum;
    double part = sum - product, lost = (product - (sum - part)) + (b - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return lost != 0 && !(bits & 1) ? nextafter(sum, lost > 0 ? INFINITY : -INFINITY) : sum;
}

/* IEEE 754 pow: anything^0 and 1^anything are 1; a negative base with an exponent that is not whole is NaN. */
static double power(double base, double exponent)
{
    return pow(base, exponent);
}

static bool less(const ref_wholes *v, uint64_t a, uint64_t b)
{
    return ref_is_signed(v->type) ? (int64_t)a < (int64_t)b : a < b;
}
static uint64_t quotient(const ref_wholes *v, uint64_t a, uint64_t b)
{
    if (!ref_is_signed(v->type)) return a / b;
    return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}
static uint64_t truncated(const ref_wholes *v, uint64_t a, uint64_t b)
{
    return a - quotient(v, a, b) * b;
}
static uint64_t floored(const ref_wholes *v, uint64_t a, uint64_t b)
{
    uint64_t m = truncated(v, a, b);
    return m && ref_is_signed(v->type) && (int64_t)(m ^ b) < 0 ? m + b : m;
}
static uint64_t right(const ref_wholes *v, uint64_t a, uint64_t count)
{
    uint64_t kept = a >> count;
    return ref_is_signed(v->type) && (int64_t)a < 0 && count ? kept | ~(UINT64_MAX >> count) : kept;
}
static uint64_t whole_power(const ref_wholes *v, uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    if (ref_is_signed(v->type) && (int64_t)exponent < 0)
        return base == 1 ? 1 : base == UINT64_MAX ? (exponent & 1 ? UINT64_MAX : 1) : 0;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

/* To f16 or i8, nearest even, saturating; the lane's own rounding keeps what is a value of the type already. */
static double narrowed(const ref_reals *v, double x)
{
    return ref_decode(v->to, ref_encode(v->to, x, REF_EVEN, true));
}
static uint64_t relu_to_i8(uint64_t sum)
{
    int16_t x = (int16_t)(uint16_t)sum;
    return x < 0 ? 0 : x > 127 ? 127 : (uint64_t)x;
}

#define X(row, a2a3, a5, plan, prepare, variants, ulps, real, whole) \
    static double real_##row(const ref_reals *v)                     \
    {                                                                \
        return (void)v, real;                                        \
    }                                                                \
    static uint64_t whole_##row(const ref_wholes *v)                 \
    {                                                                \
        return (void)v, whole;                                       \
    }
#include "pto/reference/ref_lanes.def"
#undef X

/* --- plans and values ------------------------------------------------------------------------------------------- */

/* A code of an integer type that is zero becomes 5. */
static void no_zero(ref_matrix *m)
{
    if (ref_is_float(m->type)) return;
    for (size_t i = 0; i < (size_t)m->rows * m->cols; i++)
        if (m->at[i] == 0) m->at[i] = 5;
}
static void no_zero_a(ref_call *call)
{
    no_zero(ref_of(call, 'a'));
}
static void no_zero_b(ref_call *call)
{
    no_zero(ref_of(call, 's') ? ref_of(call, 's') : ref_of(call, 'b'));
}
static void counts_b(ref_call *call)
{
    ref_matrix *m = ref_of(call, 's') ? ref_of(call, 's') : ref_of(call, 'b');
    for (size_t i = 0; i < (size_t)m->rows * m->cols; i++) m->at[i] %= ref_bits(m->type);
}

static void plan_bytes(ref_call *call)
{
    ref_of(call, 't')->type = TW_U8;
}
static void plan_relu_convert(ref_call *call)
{
    ref_of(call, 'd')->type = call->type == TW_F32 ? TW_F16 : TW_I8;
}
/* The second variant: dst of f32 with a source of f16; the other way round there is none. */
static void plan_axpy(ref_call *call)
{
    if (call->variant == 0) return;
    ref_of(call, 'D')->type = call->type == TW_F32 ? TW_F16 : TW_F32;
    call->illegal = call->type == TW_F32;
}

/* --- where reference and formula differ in shape ---------------------------------------------------------------- */

/* TADDDEQRELU: f16(max(0, (a + b) scale)), in f32 by way of 2^-17. */
static void plan_dequant(ref_call *call)
{
    ref_of(call, 'd')->type = TW_F16;
    ref_of(call, 's')->type = TW_F32;
}
static void dequant_relu(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *b = ref_of(call, 'b');
    double scale = ref_real(TW_F32, *ref_of(call, 's')->at);
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) {
            int32_t sum = (int32_t)((uint32_t)REF_AT(a, r, c) + (uint32_t)REF_AT(b, r, c));
            double x = ref_f32(ref_f32(ref_f32(ref_f32(sum) * 0x1p-17) * scale) * 0x1p17);
            REF_AT(d, r, c) = ref_encode(TW_F16, clipped(x), REF_EVEN, true);
        }
}

/* TPAIRREDUCESUM: neighbours of a row; an odd last one with 0. */
static void plan_pairs(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd');
    d->valid_cols = (d->valid_cols + 1) / 2;
}
static void pair_sums(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (uint32_t r = 0; r < a->valid_rows; r++)
        for (uint32_t k = 0; 2 * k < a->valid_cols; k++) {
            double x = ref_real(a->type, REF_AT(a, r, 2 * k));
            if (2 * k + 1 < a->valid_cols) x += ref_real(a->type, REF_AT(a, r, 2 * k + 1));
            REF_AT(d, r, k) = ref_code(d->type, x);
        }
}

/* TPART*: variants 0 all full, 1 a smaller, 2 b smaller, 3 a empty, 4 neither full, 5 one larger than dst,
 * 6 a with all rows and fewer columns, 7 with one row, 8 with all columns and fewer rows. */
static void plan_part(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *d = ref_of(call, 'd'), *x = ref_of(call, 'x'),
               *y = ref_of(call, 'y'), *e = ref_of(call, 'e');
    ref_matrix *small = call->variant == 2 ? b : a;
    uint32_t rows = d->valid_rows, cols = d->valid_cols;
    if (call->variant == 1 || call->variant == 2 || call->variant == 4)
        small->valid_rows = rows / 2, small->valid_cols = cols > 3 ? cols - 3 : cols;
    if (call->variant == 3) a->valid_rows = a->valid_cols = 0;
    if (call->variant == 6 || call->variant == 7) a->valid_cols = cols / 2;
    if (call->variant == 7) a->valid_rows = rows ? 1 : 0;
    if (call->variant == 8) a->valid_rows = rows / 2;
    if (call->variant == 4) b->valid_cols = cols / 2, b->valid_rows = rows;
    if (call->variant == 5) {
        d->valid_rows = rows / 2, a->valid_rows = rows / 2;
        call->illegal = rows / 2 < rows;
    }
    if (call->variant == 4)
        call->illegal = !(small->valid_rows == rows && small->valid_cols == cols) && b->valid_cols != cols;
    if (!x) return;
    x->type = y->type = e->type = call->type == TW_F32 ? TW_I32 : TW_U16;
    e->valid_rows = d->valid_rows, e->valid_cols = d->valid_cols;
    x->valid_rows = a->valid_rows, x->valid_cols = a->valid_cols;
    y->valid_rows = b->valid_rows, y->valid_cols = b->valid_cols;
}

static bool inside(const ref_matrix *m, uint32_t r, uint32_t c)
{
    return r < m->valid_rows && c < m->valid_cols;
}

static uint64_t part_op(const ref_call *call, uint64_t a, uint64_t b)
{
    ref_reals x = { call->type, call->type, ref_real(call->type, a), ref_real(call->type, b), 0, 0 };
    ref_wholes w = { call->type, (uint64_t)ref_integer(call->type, a), (uint64_t)ref_integer(call->type, b), 0, 0 };
    uint64_t code;
    if (ref_is_float(call->type)) return ref_code(call->type, call->row->real(&x));
    ref_put_whole(call->type, &code, call->row->whole(&w));
    return code;
}

static void part(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *b = ref_of(call, 'b');
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) {
            bool in_a = inside(a, r, c), in_b = inside(b, r, c);
            uint64_t x = in_a ? REF_AT(a, r, c) : 0, y = in_b ? REF_AT(b, r, c) : 0;
            REF_AT(d, r, c) = in_a && in_b ? part_op(call, x, y) : in_a ? x : y;
        }
}

/* Value and index; ties, and what does not compare, take b. */
static void part_places(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd'), *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *e = ref_of(call, 'e'),
               *x = ref_of(call, 'x'), *y = ref_of(call, 'y');
    bool largest = strcmp(call->row->name, "TPARTARGMAX") == 0;
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) {
            bool take_a = inside(a, r, c);
            if (take_a && inside(b, r, c)) {
                double v = ref_real(a->type, REF_AT(a, r, c)), w = ref_real(b->type, REF_AT(b, r, c));
                take_a = largest ? v > w : v < w;
            }
            REF_AT(d, r, c) = take_a ? REF_AT(a, r, c) : REF_AT(b, r, c);
            REF_AT(e, r, c) = take_a ? REF_AT(x, r, c) : REF_AT(y, r, c);
        }
}

static double real_TPARTADD(const ref_reals *v)
{
    return v->a + v->b;
}
static uint64_t whole_TPARTADD(const ref_wholes *v)
{
    return v->a + v->b;
}

/* --- columns side by side, streams ------------------------------------------------------------------------------ */

/* Variants: 0 fits exactly, 1 narrower than dst (A5: an error), 2 too wide, 3 rows differ. */
static void plan_concat(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *d = ref_of(call, 'd');
    uint32_t cols = d->valid_cols, rows = d->valid_rows;
    a->valid_cols = cols / 3;
    b->valid_cols = cols - cols / 3;
    if (call->variant == 1 && cols) {
        b->valid_cols -= 1;
        call->illegal = call->target == TW_PTO_A5;
    }
    if (call->variant == 2) {
        a->valid_cols = b->valid_cols = d->cols - 5;
        call->illegal = true;
    }
    if (call->variant == 3 && rows) {
        b->valid_rows = rows - 1;
        call->illegal = true;
    }
}
static void concat(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *d = ref_of(call, 'd');
    for (uint32_t r = 0; r < a->valid_rows; r++) {
        for (uint32_t c = 0; c < a->valid_cols; c++) REF_AT(d, r, c) = REF_AT(a, r, c);
        for (uint32_t c = 0; c < b->valid_cols; c++) REF_AT(d, r, a->valid_cols + c) = REF_AT(b, r, c);
    }
}

/* A count of columns per row; variants: types of the counts. */
static void plan_concat_counts(ref_call *call)
{
    static const tw_type types[] = { TW_I32, TW_U32, TW_I16, TW_U16 };
    for (const char *l = "exy"; *l; l++) {
        ref_matrix *m = ref_of(call, *l);
        if (!m) continue;
        m->type = types[call->variant];
        m->cols = 16, m->valid_cols = 1;
    }
}
static void counts_that_fit(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *d = ref_of(call, 'd'), *x = ref_of(call, 'x'),
               *y = ref_of(call, 'y');
    uint64_t state = call->random;
    for (uint32_t r = 0; r < x->rows; r++) {
        uint64_t n = ref_next(&state) % (a->valid_cols + 1u), room = d->cols - n;
        REF_AT(x, r, 0) = n;
        REF_AT(y, r, 0) = ref_next(&state) % ((b->valid_cols < room ? b->valid_cols : room) + 1u);
    }
}
static void concat_counts(ref_call *call)
{
    ref_matrix *a = ref_of(call, 'a'), *b = ref_of(call, 'b'), *d = ref_of(call, 'd'), *e = ref_of(call, 'e');
    for (uint32_t r = 0; r < a->valid_rows; r++) {
        uint32_t n = (uint32_t)REF_AT(ref_of(call, 'x'), r, 0), m = (uint32_t)REF_AT(ref_of(call, 'y'), r, 0);
        for (uint32_t c = 0; c < n; c++) REF_AT(d, r, c) = REF_AT(a, r, c);
        for (uint32_t c = 0; c < m; c++) REF_AT(d, r, n + c) = REF_AT(b, r, c);
        if (e) REF_AT(e, r, 0) = n + m;
    }
}

/* Element k of the streams of one row: of two tiles alternating, or of one behind the other. */
static void plan_even(ref_call *call)
{
    call->illegal = ref_of(call, 'd')->valid_cols % 2 != 0;
}
static void interleave(ref_call *call) /* (second half, first half, s1, s0) */
{
    ref_matrix *high = ref_of(call, 'e'), *low = ref_of(call, 'd'), *s1 = ref_of(call, 'a'),
               *s0 = ref_of(call, 'b');
    for (uint32_t r = 0; r < low->valid_rows; r++)
        for (uint32_t k = 0; k < 2 * low->valid_cols; k++) {
            uint64_t code = k % 2 ? REF_AT(s1, r, k / 2) : REF_AT(s0, r, k / 2);
            if (k < low->valid_cols)
                REF_AT(low, r, k) = code;
            else
                REF_AT(high, r, k - low->valid_cols) = code;
        }
}
static void deinterleave(ref_call *call) /* (odd, even, s1, s0): the stream is s0, then s1 */
{
    ref_matrix *odd = ref_of(call, 'e'), *even = ref_of(call, 'd'), *s1 = ref_of(call, 'a'),
               *s0 = ref_of(call, 'b');
    for (uint32_t r = 0; r < even->valid_rows; r++)
        for (uint32_t k = 0; k < 2 * even->valid_cols; k++) {
            uint64_t code = k < even->valid_cols ? REF_AT(s0, r, k) : REF_AT(s1, r, k - even->valid_cols);
            REF_AT(k % 2 ? odd : even, r, k / 2) = code;
        }
}
/* One source, rows of at least 512 bytes on A5. Variants: 0 wide, 1 narrow, 2 dst not half as wide. */
static void plan_deinterleave1(ref_call *call)
{
    ref_matrix *odd = ref_of(call, 'e'), *even = ref_of(call, 'd'), *a = ref_of(call, 'a');
    uint32_t whole = 512 * 8 / ref_bits(call->type), cols = a->valid_cols;
    if (call->variant != 1) a->cols = whole;
    bool full = cols == even->cols;
    if (full) a->valid_cols = cols = a->cols < 2 * even->cols ? a->cols : 2 * even->cols;
    odd->valid_cols = even->valid_cols = cols / 2;
    call->illegal = cols % 2 != 0 || (call->variant == 1 && call->target == TW_PTO_A5);
    if (call->variant == 2) even->valid_cols += even->valid_cols < even->cols ? 1 : -1u, call->illegal = true;
}
static void deinterleave1(ref_call *call)
{
    ref_matrix *odd = ref_of(call, 'e'), *even = ref_of(call, 'd'), *a = ref_of(call, 'a');
    for (uint32_t r = 0; r < a->valid_rows; r++)
        for (uint32_t k = 0; k < a->valid_cols; k++) REF_AT(k % 2 ? odd : even, r, k / 2) = REF_AT(a, r, k);
}

/* --- generated -------------------------------------------------------------------------------------------------- */

static void spread_scalar(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd');
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) REF_AT(d, r, c) = *ref_of(call, 's')->at;
}

/* Lower, or (second variant) upper. */
static void plan_triangle(ref_call *call)
{
    call->attrs.upper = (int32_t)call->variant;
}
static void diagonal(ref_call *call)
{
    static const int32_t edges[] = { 0, 1, -1, 5, -5, 100, -100, INT32_MAX, INT32_MIN };
    *ref_of(call, 'i')->at = (uint32_t)edges[call->random % 9];
}
static void triangle(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd');
    int64_t shift = (int32_t)(uint32_t)*ref_of(call, 'i')->at;
    for (uint32_t r = 0; r < d->valid_rows; r++)
        for (uint32_t c = 0; c < d->valid_cols; c++) {
            bool one = call->attrs.upper ? !(c < r + shift) : c <= r + shift;
            REF_AT(d, r, c) = ref_code(d->type, one);
        }
}

/* TCI: row 0 alone, whatever the valid rows are. Variants: ascending, descending, descending by another value than 1.
 * */
static void plan_iota(ref_call *call)
{
    call->attrs.descending = (int32_t)call->variant;
    call->any_layout = true;
    if (ref_of(call, 't')) ref_of(call, 't')->type = TW_F32;
}
static void iota(ref_call *call)
{
    ref_matrix *d = ref_of(call, 'd');
    uint64_t start = *ref_of(call, 's')->at;
    for (uint32_t k = 0; k < d->valid_cols; k++)
        ref_put_whole(d->type, &REF_AT(d, 0, k), call->variant ? start - k : start + k);
}

/* --- the table -------------------------------------------------------------------------------------------------- */

#define PART(op)                                                                                         \
    .in_place = true, .variants = 9, .thin = 4, .plan = plan_part, .reference = part, .real = real_##op, \
    .whole = whole_##op
const ref_row ref_lane_rows[] = {
#define X(row, a2a3_, a5_, plan_, prepare_, variants_, ulps_, floats, integers) \
    { .name = #row,                                                             \
      .a2a3 = a2a3_,                                                            \
      .a5 = a5_,                                                                \
      .plan = plan_,                                                            \
      .prepare = prepare_,                                                      \
      .reference = ref_lane,                                                    \
      .in_place = true,                                                         \
      .variants = variants_,                                                    \
      .ulps = ulps_,                                                            \
      .real = real_##row,                                                       \
      .whole = whole_##row },
#include "pto/reference/ref_lanes.def"
#undef X
    // clang-format off
    { .name = "TADDDEQRELU", .a2a3 = T(I32), .a5 = T(I32), .plan = plan_dequant, .reference = dequant_relu },
    { .name = "TPAIRREDUCESUM", .a2a3 = F, .a5 = F, .plan = plan_pairs, .reference = pair_sums },
    { .name = "TPARTADD", .a2a3 = A3, .a5 = A5, PART(TPARTADD) },
    { .name = "TPARTMUL", .a2a3 = A3, .a5 = A5 & ~I64U64, PART(TMUL) },
    { .name = "TPARTMAX", .a2a3 = A3, .a5 = A5, PART(TMAX) },
    { .name = "TPARTMIN", .a2a3 = A3, .a5 = A5, PART(TMIN) },
    { .name = "TPARTARGMAX", .a2a3 = F, .a5 = F, .in_place = true, .variants = 9, .thin = 4, .plan = plan_part, .reference = part_places },
    { .name = "TPARTARGMIN", .a2a3 = F, .a5 = F, .in_place = true, .variants = 9, .thin = 4, .plan = plan_part, .reference = part_places },
    { .name = "TCONCAT", .a2a3 = B124, .a5 = B124, .variants = 4, .thin = 2, .in_place = true, .plan = plan_concat, .reference = concat },
    { .name = "TCONCAT_N", .a2a3 = B124, .a5 = B124, .variants = 4, .thin = 2, .plan = plan_concat_counts, .prepare = counts_that_fit, .reference = concat_counts },
    { .name = "TCONCAT_COUNTS", .a2a3 = B124, .a5 = B124, .variants = 4, .thin = 2, .plan = plan_concat_counts, .prepare = counts_that_fit, .reference = concat_counts },
    { .name = "TINTERLEAVE", .a5 = B124, .plan = plan_even, .reference = interleave },
    { .name = "TDEINTERLEAVE", .a5 = B124, .plan = plan_even, .reference = deinterleave },
    { .name = "TDEINTERLEAVE1", .a5 = B124, .variants = 3, .plan = plan_deinterleave1, .reference = deinterleave1 },
    { .name = "TEXPANDS", .a2a3 = B124, .a5 = A5, .reference = spread_scalar },
    { .name = "TTRI", .a2a3 = I24 | F, .a5 = A5, .variants = 2, .plan = plan_triangle, .prepare = diagonal, .reference = triangle },
    { .name = "TCI", .a2a3 = I24, .a5 = I24, .variants = 3, .plan = plan_iota, .reference = iota },
    { .name = "TCI_TMP", .a2a3 = I24, .a5 = I24, .variants = 3, .plan = plan_iota, .reference = iota },
    // clang-format on
};
const size_t ref_lane_count = sizeof ref_lane_rows / sizeof *ref_lane_rows;
