/* SPDX-License-Identifier: MIT */
/* Conversions, elementary functions, small integer names, complex scalars and whole-vector products (the simple
 * forms, 2.7) against exact arithmetic: 128-bit integers, and sums of products that 113 bits hold, so that a result
 * is correctly rounded when the exact value lies between the middles to its neighbours. */
#define TW__AIE static __attribute__((noinline, unused))
#include <tilewright/aie/address.h>
#include "aie/aie_cases.h"

#include <float.h>
#include <math.h>

#if LDBL_MANT_DIG == 113
typedef long double exact;
#else
__extension__ typedef __float128 exact;
#endif
__extension__ typedef __int128 i128;
typedef unsigned __int128 u128;

/* Any float: random bits, near 1, small and large integers and halves of them, special values. */
static float draw_float(void)
{
    static const float extreme[] = { 0.0f,           -0.0f,          1.0f,          -1.0f,
                                     3.4028235e38f,  -3.4028235e38f, INFINITY,      -INFINITY,
                                     1.1754944e-38f, 1e-45f,         16777217.0f,   NAN,
                                     4.0f,           0.25f,          2147483648.0f, -2147483648.0f };
    uint32_t bits = rnd();
    float f;
    if (rnd() % 8 == 0) return extreme[rnd() % 16];
    if (rnd() % 4 == 0) return (float)((int)rnd() >> (rnd() % 31)) / 2;
    if (rnd() % 2) bits = (bits & 0x80ffffffu) | 0x3f000000u;
    memcpy(&f, &bits, 4);
    return f;
}

/* --- conversions ---------------------------------------------------------------------------------------------- */

/* round(v * 2^shift) to nearest even, within so many bits. */
static int fixed(float v, int shift, int bits)
{
    const int64_t most = ((int64_t)1 << (bits - 1)) - 1;
    if (isnan(v)) return 0;
    if (fabsf(v) >= 0x1p70f) return (int)(v > 0 ? most : -most - 1);
    int exponent;
    int64_t mantissa = (int64_t)ldexp(frexp((double)v, &exponent), 24); /* v = mantissa * 2^(exponent - 24) */
    int right = 24 - exponent - shift;
    i128 n = 0;
    if (right <= 0)
        n = (i128)mantissa * ((i128)1 << (-right > 100 ? 100 : -right));
    else if (right < 60) {
        i128 unit = (i128)1 << right, rest = ((mantissa % unit) + unit) % unit;
        n = (mantissa - rest) / unit;
        if (2 * rest > unit || (2 * rest == unit && n % 2 != 0)) n++;
    }
    return (int)(n > most ? most : n < -most - 1 ? -most - 1 : n);
}
static float floating(int n, int shift)
{
    return (float)ldexp((double)n, -shift); /* a double holds all of n, the scale moves nothing out */
}

#define TO_FLOAT(from, to, part, count)                                                             \
    {                                                                                               \
        part in[count];                                                                             \
        float out[count];                                                                           \
        from v;                                                                                     \
        fill(in, sizeof in, 8 * sizeof(part)), memcpy(&v, in, sizeof v);                            \
        to r = fix2float(v, shift), zero = fix2float(v), other = fix2float_vectorized(v, shift);    \
        assert_memory_equal(&r, &other, sizeof r);                                                  \
        memcpy(out, &r, sizeof r);                                                                  \
        for (int i = 0; i < count; i++)                                                             \
            if (out[i] != floating(in[i], shift))                                                   \
                fail_msg("fix2float of " #from ": %d, shift %d: %a", in[i], shift, (double)out[i]); \
        memcpy(out, &zero, sizeof r);                                                               \
        for (int i = 0; i < count; i++) assert_true(out[i] == floating(in[i], 0));                  \
    }
#define TO_FIXED(name, from, to, part)                                                                            \
    {                                                                                                             \
        float in[8];                                                                                              \
        part out[8], plain[8];                                                                                    \
        from v;                                                                                                   \
        for (int i = 0; i < 8; i++) in[i] = draw_float();                                                         \
        memcpy(&v, in, sizeof v);                                                                                 \
        to r = name(v, shift), zero = name(v);                                                                    \
        memcpy(out, &r, sizeof r), memcpy(plain, &zero, sizeof zero);                                             \
        for (int i = 0; i < 8; i++)                                                                               \
            if (out[i] != fixed(in[i], shift, 8 * sizeof(part)) || plain[i] != fixed(in[i], 0, 8 * sizeof(part))) \
                fail_msg(#name " of " #from ": %a, shift %d: %d and %d", (double)in[i], shift, out[i], plain[i]); \
    }

static void aie_scalar_conversions(void **state)
{
    (void)state;
    for (unsigned n = case_count(10000); n > 0; n--) {
        int shift = (int)(rnd() % 64) - 32, value = (int)rnd() >> (rnd() % 31);
        if (rnd() % 8 == 0) value = rnd() % 2 ? INT32_MIN : INT32_MAX;
        if (fix2float(value, shift) != floating(value, shift)) fail_msg("fix2float(%d, %d)", value, shift);
        assert_true(fix2float(value) == floating(value, 0));
        float f = draw_float();
        if (float2fix(f, shift) != fixed(f, shift, 32))
            fail_msg("float2fix(%a, %d): %d, expected %d", (double)f, shift, float2fix(f, shift),
                     fixed(f, shift, 32));
        assert_int_equal(float2fix(f), fixed(f, 0, 32));
        TO_FLOAT(v8int32, v8float, int32, 8)
        TO_FLOAT(v8int16, v8float, int16, 8)
        TO_FLOAT(v4cint16, v4cfloat, int16, 8)
        TO_FLOAT(v4cint32, v4cfloat, int32, 8)
        TO_FIXED(float2fix, v8float, v8int32, int32)
        TO_FIXED(float2fix, v4cfloat, v4cint32, int32)
        TO_FIXED(float2fix_vectorized, v8float, v8int32, int32)
        TO_FIXED(float2fix_vectorized, v4cfloat, v4cint32, int32)
        TO_FIXED(float2fix16, v8float, v8int16, int16)
        TO_FIXED(float2fix16, v4cfloat, v4cint16, int16)
    }
    static const struct {
        float in;
        int out;
    } rows[] = { { 2.5f, 2 },
                 { 3.5f, 4 },
                 { -2.5f, -2 },
                 { -0.5f, 0 },
                 { 0.5f, 0 },
                 { 1.5f, 2 },
                 { NAN, 0 },
                 { INFINITY, INT32_MAX },
                 { -INFINITY, INT32_MIN },
                 { 2147483520.0f, 2147483520 },
                 { 2147483648.0f, INT32_MAX },
                 { -2147483648.0f, INT32_MIN },
                 { -2147483904.0f, INT32_MIN } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_int_equal(float2fix(rows[i].in), rows[i].out);
    v8float big = { 1e9f, -1e9f, 40000.0f, 2.5f, -2.5f, 0.4f, NAN, 32767.5f };
    v8int16 h = float2fix16(big, 0);
    static const int expected[] = { 32767, -32768, 32767, 2, -2, 0, 0, 32767 };
    for (int i = 0; i < 8; i++) assert_int_equal(h[i], expected[i]);
}

/* --- elementary functions ------------------------------------------------------------------------------------- */

/* The middles between r > 0 and its neighbours. */
static exact below(float r)
{
    return ((exact)r + (exact)nextafterf(r, 0)) / 2;
}
static exact above(float r)
{
    return r == FLT_MAX ? (exact)0x1.ffffffp127 : ((exact)r + (exact)nextafterf(r, INFINITY)) / 2;
}
/* f(x), x positive and finite, rounds to r: the middles, taken through the reverse of f, stand on both sides of x. */
static bool is_inverse(float x, float r)
{
    if (isinf(r)) return (exact)0x1.ffffffp127 * x <= 1;
    return below(r) * x <= 1 && above(r) * x >= 1;
}
static bool is_root(float x, float r)
{
    return below(r) * below(r) <= x && above(r) * above(r) >= x;
}
static bool is_inverse_root(float x, float r)
{
    return below(r) * below(r) * x <= 1 && above(r) * above(r) * x >= 1;
}
static void same(const char *what, float got, float want)
{
    if (isnan(got) && isnan(want)) return;
    if (memcmp(&got, &want, 4) != 0) fail_msg("%s: %a, expected %a", what, (double)got, (double)want);
}

static void aie_scalar_elementary(void **state)
{
    (void)state;
    for (unsigned n = case_count(10000); n > 0; n--) {
        float x = fabsf(draw_float());
        if (isfinite(x) && x > 0) {
            if (!is_inverse(x, inv(x)) || inv(-x) != -inv(x)) fail_msg("inv(%a) is %a", (double)x, (double)inv(x));
            if (!is_root(x, _sqrtf(x))) fail_msg("_sqrtf(%a) is %a", (double)x, (double)_sqrtf(x));
            if (!is_inverse_root(x, invsqrt(x))) fail_msg("invsqrt(%a) is %a", (double)x, (double)invsqrt(x));
        }
        int a = (int)rnd() >> (rnd() % 31), s = (int)(rnd() % 64) - 32, t = (int)(rnd() % 64) - 32;
        assert_int_equal(inv(a, s, t), fixed(inv(floating(a, s)), t, 32));
        assert_int_equal(invsqrt(a, s, t), fixed(invsqrt(floating(a, s)), t, 32));
        assert_int_equal(tw_sqrt_fixed(a, s, t), fixed(_sqrtf(floating(a, s)), t, 32));
        float e = draw_float();
        if (fabsf(e) < 80) assert_true(fabs((double)_expf(e) / exp((double)e) - 1) < 1.2e-7);
        if (x > 0 && isfinite(x)) {
            double log_x = log((double)x);
            assert_true(fabs((double)_logf(x) - log_x) <= 1.2e-7 * fabs(log_x));
        }
    }
    same("inv(0)", inv(0.0f), INFINITY), same("inv(-0)", inv(-0.0f), -INFINITY), same("inv(inf)", inv(INFINITY), 0);
    same("inv(nan)", inv(NAN), NAN), same("inv(4)", inv(4.0f), 0.25f);
    same("sqrt(0)", _sqrtf(0.0f), 0), same("sqrt(-0)", _sqrtf(-0.0f), -0.0f), same("sqrt(-1)", _sqrtf(-1.0f), NAN);
    same("sqrt(inf)", _sqrtf(INFINITY), INFINITY), same("sqrt(9)", _sqrtf(9.0f), 3.0f);
    same("invsqrt(0)", invsqrt(0.0f), INFINITY), same("invsqrt(-1)", invsqrt(-1.0f), NAN);
    same("invsqrt(inf)", invsqrt(INFINITY), 0), same("invsqrt(16)", invsqrt(16.0f), 0.25f);
    assert_int_equal(inv(1 << 16, 16, 8), 1 << 8);
    assert_int_equal(invsqrt(4 << 16, 16, 16), 1 << 15);
    assert_int_equal(tw_sqrt_fixed(9 << 16, 16, 16), 3 << 16);
}

/* Every float between 1 and 4: all that the mantissas of invsqrt can be. With ./dev nightly only. */
static void aie_scalar_every_inverse_root(void **state)
{
    (void)state;
    if (case_count(1) < 100) return;
    for (uint32_t bits = 0x3f800000u; bits < 0x40800000u; bits++) {
        float x;
        memcpy(&x, &bits, 4);
        if (!is_inverse_root(x, invsqrt(x))) fail_msg("invsqrt(%a) is %a", (double)x, (double)invsqrt(x));
    }
}

/* angle / pi in Q1.31, of which the upper 20 bits count. Nightly: all of those. */
static void aie_scalar_sincos(void **state)
{
    (void)state;
    const unsigned count = case_count(10000);
    for (unsigned n = 0; n < (count < 1u << 20 ? count : 1u << 20); n++) {
        uint32_t angle = (count < 1u << 20 ? rnd() : n << 12) | (rnd() & 0xfff);
        long double radians = (long double)((int32_t)angle >> 12) / 524288 * 3.141592653589793238462643383279503L;
        cint16 r = sincos(angle);
        long double want[] = { 32768 * cosl(radians), 32768 * sinl(radians) };
        int got[] = { r.real, r.imag };
        for (int i = 0; i < 2; i++)
            if (fabsl((want[i] > 32767 ? 32767 : want[i]) - got[i]) > 0.5L + 1e-10L)
                fail_msg("sincos(%08x), part %d: %d, expected %Lf", angle, i, got[i], want[i]);
    }
    static const struct {
        uint32_t angle;
        int cosine, sine;
    } rows[] = { { 0, 32767, 0 },
                 { 0x40000000u, 0, 32767 },
                 { 0x80000000u, -32768, 0 },
                 { 0xc0000000u, 0, -32768 },
                 { 0x20000000u, 23170, 23170 },
                 { 0x2aaaaaaau, 16384, 28378 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cint16 r = sincos(rows[i].angle);
        if (r.real != rows[i].cosine || r.imag != rows[i].sine)
            fail_msg("sincos(%08x): %d, %d", rows[i].angle, r.real, r.imag);
    }
}

/* --- bits, complex scalars ------------------------------------------------------------------------------------ */

static void aie_scalar_bits(void **state)
{
    (void)state;
    for (unsigned n = case_count(10000); n > 0; n--) {
        uint32_t bits = rnd() >> (rnd() % 32);
        unsigned position = rnd() % 32;
        int v = (int)(rnd() % 2 ? bits : ~bits), bit = (int)(rnd() % 2);
        int leading = 0, redundant = 0;
        while (leading < 32 && !((uint32_t)v >> (31 - leading) & 1)) leading++;
        while (redundant < 31 && ((uint32_t)v >> (30 - redundant) & 1) == (uint32_t)v >> 31) redundant++;
        assert_int_equal(clz((unsigned)v), leading);
        assert_int_equal(clb(v), redundant + 1); /* the sign bit counts */
        assert_int_equal(clb((unsigned)v), leading);
        uint32_t reversed = 0;
        for (int i = 0; i < 32; i++) reversed |= ((uint32_t)v >> i & 1) << (31 - i);
        assert_int_equal(tw_aie_bit_reverse((unsigned)v), reversed);
        assert_int_equal(scalar_abs(v), v < 0 ? (int)(0u - (unsigned)v) : v);
        int w = (int)rnd();
        assert_int_equal(min(v, w), v < w ? v : w), assert_int_equal(max(v, w), v < w ? w : v);
        unsigned got = bitget((unsigned)v, position);
        assert_int_equal(got, (uint32_t)v >> position & 1);
        int64_t set = (int64_t)(uint32_t)v + ((int64_t)1 << position) * (bit - (int)got);
        assert_int_equal(bitset((unsigned)v, (unsigned)bit, position), (uint32_t)set);
    }
    assert_int_equal(clb(0), 32), assert_int_equal(clb(-1), 32), assert_int_equal(clb(1), 31);
    assert_int_equal(clb(INT32_MIN), 1), assert_int_equal(clz(0), 32), assert_int_equal(clz(0xffffffffu), 0);
}

#define COMPLEX_SCALARS(type, part)                                                                    \
    {                                                                                                  \
        type a, b;                                                                                     \
        fill(&a, sizeof a, 8 * sizeof(part)), fill(&b, sizeof b, 8 * sizeof(part));                    \
        if (rnd() % 4 == 0) b = a;                                                                     \
        const i128 ar = a.real, ai = a.imag, br = b.real, bi = b.imag;                                 \
        type s = tw_##type##_add(a, b), d = tw_##type##_sub(a, b), m = tw_##type##_mul(a, b);          \
        assert_true(s.real == (part)(ar + br) && s.imag == (part)(ai + bi));                           \
        assert_true(d.real == (part)(ar - br) && d.imag == (part)(ai - bi));                           \
        assert_true(m.real == (part)(ar * br - ai * bi) && m.imag == (part)(ar * bi + ai * br));       \
        assert_true(tw_##type##_neg(a).real == (part) - ar && tw_##type##_neg(a).imag == (part) - ai); \
        assert_true(tw_##type##_conj(a).real == a.real && tw_##type##_conj(a).imag == (part) - ai);    \
        assert_int_equal(tw_##type##_equal(a, b), ar == br && ai == bi);                               \
    }
static void aie_scalar_complex(void **state)
{
    (void)state;
    for (unsigned n = case_count(10000); n > 0; n--) {
        COMPLEX_SCALARS(cint16, int16)
        COMPLEX_SCALARS(cint32, int32)
        cfloat a, b;
        a.real = draw_float(), a.imag = draw_float(), b.real = draw_float(), b.imag = draw_float();
        volatile float rr = a.real * b.real, ii = a.imag * b.imag, ri = a.real * b.imag, ir = a.imag * b.real;
        cfloat s = tw_cfloat_add(a, b), d = tw_cfloat_sub(a, b), m = tw_cfloat_mul(a, b);
        same("real of a sum", s.real, a.real + b.real), same("imag of a sum", s.imag, a.imag + b.imag);
        same("real of a difference", d.real, a.real - b.real),
            same("imag of a difference", d.imag, a.imag - b.imag);
        same("real of a product", m.real, rr - ii), same("imag of a product", m.imag, ri + ir);
        same("conj", tw_cfloat_conj(a).imag, -a.imag), same("neg", tw_cfloat_neg(a).real, -a.real);
    }
}

/* --- whole-vector products ------------------------------------------------------------------------------------ */

static i128 wrapped(i128 v, unsigned bits)
{
    return (i128)((u128)v << (128 - bits)) >> (128 - bits);
}
/* Component i of a product of two vectors. */
#define WHOLE_PART(a, b, i, cplx)                                                         \
    (!(cplx)        ? (i128)(a)[i] * (b)[i]                                               \
     : (i) % 2 == 0 ? (i128)(a)[i] * (b)[i] - (i128)(a)[(i) + (cplx)] * (b)[(i) + (cplx)] \
                    : (i128)(a)[(i) - (cplx)] * (b)[i] + (i128)(a)[i] * (b)[(i) - (cplx)])
#define WHOLE_IS(call, times, base)                                                                  \
    {                                                                                                \
        acct_ r = call;                                                                              \
        for (int i = 0; i < words_; i++) {                                                           \
            const i128 want = (base) + (times) * WHOLE_PART(a, b, i, cplx_);                         \
            if (wrapped(r.word[i], width_) != wrapped(want, width_)) fail_msg(#call ": word %d", i); \
        }                                                                                            \
    }
#define WHOLE(vec, acct, part, words, cplx, width)                                \
    {                                                                             \
        typedef acct acct_;                                                       \
        enum { words_ = words, cplx_ = cplx, width_ = width };                    \
        part a[words], b[words];                                                  \
        vec x, y;                                                                 \
        acct acc;                                                                 \
        fill(a, sizeof a, 8 * sizeof(part)), fill(b, sizeof b, 8 * sizeof(part)); \
        memcpy(&x, a, sizeof x), memcpy(&y, b, sizeof y);                         \
        fill(&acc, sizeof acc, 32);                                               \
        WHOLE_IS(mul(x, y), 1, 0)                                                 \
        WHOLE_IS(negmul(x, y), -1, 0)                                             \
        WHOLE_IS(mac(acc, x, y), 1, wrapped(acc.word[i], width_))                 \
        WHOLE_IS(msc(acc, x, y), -1, wrapped(acc.word[i], width_))                \
        WHOLE_IS(lmul(x, y), 1, 0)                                                \
        WHOLE_IS(lnegmul(x, y), -1, 0)                                            \
        WHOLE_IS(lmac(acc, x, y), 1, wrapped(acc.word[i], width_))                \
        WHOLE_IS(lmsc(acc, x, y), -1, wrapped(acc.word[i], width_))               \
    }
static void aie_scalar_whole_vectors(void **state)
{
    (void)state;
    for (unsigned n = case_count(10000); n > 0; n--) {
        WHOLE(v16int16, v16acc48, int16, 16, 0, 48)
        WHOLE(v8int32, v8acc80, int32, 8, 0, 80)
        WHOLE(v8cint16, v8cacc48, int16, 16, 1, 48)
        WHOLE(v4cint32, v4cacc80, int32, 8, 1, 80)
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aie_scalar_conversions),
        cmocka_unit_test(aie_scalar_elementary),
        cmocka_unit_test(aie_scalar_every_inverse_root),
        cmocka_unit_test(aie_scalar_sincos),
        cmocka_unit_test(aie_scalar_bits),
        cmocka_unit_test(aie_scalar_complex),
        cmocka_unit_test(aie_scalar_whole_vectors),
    };
    return cmocka_run_group_tests_name("aie.scalar", tests, NULL, NULL);
}
