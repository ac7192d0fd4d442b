/* SPDX-License-Identifier: MIT */
/* reference: every elementwise operation on one element, written to be read. The kernels are tested against it, bit
 * by bit. Integers are calculated in 128 bits and brought to their type at the end; floats in double, which rounds to
 * f32, f16 and bf16 afterwards as one rounding would (53 >= 2 * 24 + 2), except where the operation itself is defined
 * by more than one rounding. Elementary functions are not here: tests/core/vec/test_vec_math.c has their bounds. */
#include "core/vec/vec.h"
#include "core/vec/reference.h"

#include <math.h>
#include <string.h>

typedef __int128 wide;

/* --- integers ------------------------------------------------------------------------------------------------- */

static wide floor_of(wide a, wide b)
{
    wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static wide shift_left(wide a, wide count, int bits)
{
    if (count < 0 || count >= bits) return a == 0 ? 0 : a > 0 ? (wide)1 << 126 : -((wide)1 << 126);
    return (wide)((unsigned __int128)a << count);
}

static uint64_t low(wide x, int bits)
{
    return (uint64_t)x & (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1);
}

static wide sign_extended(uint64_t x, int bits)
{
    return (wide)((int64_t)(x << (64 - bits)) >> (64 - bits));
}

static wide power(wide a, wide b, int bits)
{
    if (b < 0) return a == 1 ? 1 : a == -1 ? ((b & 1) ? -1 : 1) : 0;
    uint64_t result = 1, square = (uint64_t)a;
    for (; b; b >>= 1, square *= square)
        if (b & 1) result *= square;
    return (wide)low((wide)result, bits);
}

/* The mathematical result; wrapping or clamping comes after. */
static bool reference_integer(tw_vec_op op, int bits, wide a, wide b, wide c, wide *r)
{
    bool count_fits = low(b, bits) < (uint64_t)bits;
    switch ((int)op) {
    case TW_VEC_NEG: *r = -a; return true;
    case TW_VEC_ABS: *r = a < 0 ? -a : a; return true;
    case TW_VEC_NOT: *r = ~a; return true;
    case TW_VEC_LNOT: *r = a == 0; return true;
    case TW_VEC_RELU: *r = a > 0 ? a : 0; return true;
    case TW_VEC_SIGN: *r = a > 0 ? 1 : a < 0 ? -1 : 0; return true;
    case TW_VEC_SQUARE: *r = (wide)((unsigned __int128)a * (unsigned __int128)a); return true;
    case TW_VEC_POPCOUNT: *r = __builtin_popcountll(low(a, bits)); return true;
    case TW_VEC_CLZ: *r = low(a, bits) ? __builtin_clzll(low(a, bits)) - (64 - bits) : bits; return true;
    case TW_VEC_CTZ: *r = low(a, bits) ? __builtin_ctzll(low(a, bits)) : bits; return true;
    case TW_VEC_ADD: *r = a + b; return true;
    case TW_VEC_SUB: *r = a - b; return true;
    case TW_VEC_MUL: *r = (wide)((unsigned __int128)a * (unsigned __int128)b); return true;
    case TW_VEC_DIV: *r = b == 0 ? 0 : a / b; return true;
    case TW_VEC_REM: *r = b == 0 ? a : a % b; return true;
    case TW_VEC_MOD: *r = b == 0 ? a : a - floor_of(a, b) * b; return true;
    case TW_VEC_MIN: *r = a < b ? a : b; return true;
    case TW_VEC_MAX: *r = a > b ? a : b; return true;
    case TW_VEC_ABSDIFF: *r = a > b ? a - b : b - a; return true;
    case TW_VEC_PRELU: *r = a > 0 ? a : a * b; return true;
    case TW_VEC_AND: *r = a & b; return true;
    case TW_VEC_OR: *r = a | b; return true;
    case TW_VEC_XOR: *r = a ^ b; return true;
    case TW_VEC_XNOR: *r = ~(a ^ b); return true;
    case TW_VEC_ANDNOT: *r = a & ~b; return true;
    case TW_VEC_LAND: *r = a && b; return true;
    case TW_VEC_LOR: *r = a || b; return true;
    case TW_VEC_SHL: *r = shift_left(a, (wide)low(b, bits), bits); return true;
    case TW_VEC_SHR: *r = count_fits ? (wide)(low(a, bits) >> low(b, bits)) : 0; return true;
    case TW_VEC_SAR:
        *r = sign_extended(low(a, bits), bits) >> (count_fits ? (int)low(b, bits) : bits - 1);
        return true;
    case TW_VEC_POW: *r = power(a, b, bits); return true;
    case TW_VEC_EQ: *r = a == b; return true;
    case TW_VEC_NE: *r = a != b; return true;
    case TW_VEC_LT: *r = a < b; return true;
    case TW_VEC_LE: *r = a <= b; return true;
    case TW_VEC_GT: *r = a > b; return true;
    case TW_VEC_GE: *r = a >= b; return true;
    case TW_VEC_FMA:
    case TW_VEC_MULADD:
        *r = (wide)((unsigned __int128)a * (unsigned __int128)b + (unsigned __int128)c);
        return true;
    case TW_VEC_MULSUB:
        *r = (wide)((unsigned __int128)a * (unsigned __int128)b - (unsigned __int128)c);
        return true;
    case TW_VEC_ADD3: *r = a + b + c; return true;
    case TW_VEC_SUBADD: *r = a - b + c; return true;
    case TW_VEC_CLAMP: *r = a < b ? b : a > c ? c : a; return true;
    }
    return false;
}

static bool may_saturate(tw_vec_op op)
{
    return op == TW_VEC_ADD || op == TW_VEC_SUB || op == TW_VEC_MUL || op == TW_VEC_NEG || op == TW_VEC_ABS ||
           op == TW_VEC_SHL;
}

static bool integer_element(tw_vec_op op, const tw_vec_mode *mode, tw_type type, void *dst, const void *const *src)
{
    const tw_type_info *info = tw_type_get(type);
    int bits = (int)(8 * info->size);
    wide x[3] = { 0 }, r;
    for (unsigned i = 0; i < tw_vec_op_sources(op); i++) {
        uint64_t raw = 0;
        memcpy(&raw, src[i], info->size);
        x[i] = info->is_signed ? sign_extended(raw, bits) : (wide)raw;
    }
    if (!reference_integer(op, bits, x[0], x[1], x[2], &r)) return false;
    if (mode->saturation != TW_SAT_NONE && may_saturate(op)) {
        wide max = ((wide)1 << (bits - info->is_signed)) - 1, min = info->is_signed ? -max - 1 : 0;
        /* The product of two u64 can pass the signed 128 bits. */
        if (op == TW_VEC_MUL && !info->is_signed && r < 0) r = max;
        r = r < min ? min : r > max ? max : r;
    } else if (op == TW_VEC_SHL && low(x[1], bits) >= (uint64_t)bits) {
        r = 0;
    }
    uint64_t out = (uint64_t)r;
    memcpy(dst, &out, info->size);
    return true;
}

/* --- floats --------------------------------------------------------------------------------------------------- */

static double reference_number(double x)
{
    return isnan(x) ? (double)NAN : x;
}

/* Of two numbers, -0 below +0; NaN by the rule. `lower`: the minimum. */
static double extreme(double a, double b, bool lower, tw_nan_rule rule)
{
    if (rule == TW_NAN_FIRST) return lower ? (b < a ? b : a) : (a < b ? b : a);
    if (isnan(a) || isnan(b))
        return rule == TW_NAN_PROPAGATE || isnan(a) == isnan(b) ? (double)NAN : isnan(a) ? b : a;
    if (a == b) return (signbit(a) != 0) == lower ? a : b;
    return (a < b) == lower ? a : b;
}

/* What the operation's first result becomes before its second one: a value of `type`. */
static double rounded(double x, tw_type type)
{
    char bits[8];
    tw_convert_mode even = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE };
    tw_convert(type, bits, TW_F64, &x, even, 0);
    tw_convert(TW_F64, &x, type, bits, even, 0);
    return x;
}

/* a b + c with a sticky last bit: rounding it to f16 or bf16 rounds the true value. The product is exact in f64, and
 * so is the error of the sum: terms far apart lose all of one, so the larger one comes first (Dekker). */
static double half_fma(double a, double b, double c)
{
    double p = a * b, near = p + c;
    double error = fabs(p) >= fabs(c) ? c - (near - p) : p - (near - c);
    uint64_t bits;
    memcpy(&bits, &near, sizeof bits);
    if (error != 0 && !(bits & 1) && isfinite(near)) {
        bool outward = (error > 0) == (near > 0);
        bits = outward ? bits + 1 : bits - 1;
        memcpy(&near, &bits, sizeof near);
    }
    return near;
}

static double fused(tw_type type, double a, double b, double c)
{
    if (type == TW_F64) return fma(a, b, c);
    if (type == TW_F16 || type == TW_BF16) return half_fma(a, b, c);
    return fmaf((float)a, (float)b, (float)c);
}

/* round() and its like have no rounding error; `type` matters where the definition has two roundings. */
static bool floating(tw_vec_op op, tw_nan_rule rule, tw_type type, const double x[3], double *r)
{
    double a = x[0], b = x[1], c = x[2];
    tw_type compute = type == TW_F64 ? TW_F64 : TW_F32;
    switch ((int)op) {
    case TW_VEC_SQUARE: *r = a * a; return true;
    case TW_VEC_SQRT: *r = sqrt(a); return true;
    case TW_VEC_RSQRT: *r = 1 / rounded(sqrt(a), compute); return true;
    case TW_VEC_RECIP: *r = 1 / a; return true;
    case TW_VEC_SIGN: *r = a > 0 ? 1 : a < 0 ? -1 : a; return true;
    case TW_VEC_RELU: *r = rule == TW_NAN_FIRST ? (a < 0 ? 0 : a) : extreme(a, 0, false, rule); return true;
    case TW_VEC_CEIL: *r = ceil(a); return true;
    case TW_VEC_FLOOR: *r = floor(a); return true;
    case TW_VEC_TRUNC: *r = trunc(a); return true;
    case TW_VEC_ROUND: *r = round(a); return true;
    case TW_VEC_RINT: *r = rint(a); return true;
    case TW_VEC_ADD: *r = a + b; return true;
    case TW_VEC_SUB: *r = a - b; return true;
    case TW_VEC_MUL: *r = a * b; return true;
    case TW_VEC_DIV: *r = a / b; return true;
    case TW_VEC_REM: *r = fmod(a, b); return true;
    case TW_VEC_MOD:
        *r = fmod(a, b), *r = *r != 0 && (*r < 0) != (b < 0) ? rounded(*r + b, compute) : *r;
        return true;
    case TW_VEC_MIN: *r = extreme(a, b, true, rule); return true;
    case TW_VEC_MAX: *r = extreme(a, b, false, rule); return true;
    case TW_VEC_ABSDIFF: *r = fabs(a - b); return true;
    case TW_VEC_PRELU: *r = a > 0 ? a : a * b; return true;
    case TW_VEC_SCALB: *r = isnan(b) ? b : scalbn(a, b > 4000 ? 4000 : b < -4000 ? -4000 : (int)b); return true;
    case TW_VEC_FMA: *r = fused(type, a, b, c); return true;
    case TW_VEC_MULADD: *r = rounded(a * b, type) + c; return true;
    case TW_VEC_MULSUB: *r = rounded(a * b, type) - c; return true;
    case TW_VEC_ADD3: *r = rounded(a + b, type) + c; return true;
    case TW_VEC_SUBADD: *r = rounded(a - b, type) + c; return true;
    case TW_VEC_CLAMP:
        if (rule == TW_NAN_FIRST)
            *r = a < b ? b : c < a ? c : a;
        else
            *r = extreme(extreme(a, b, false, rule), c, true, rule);
        return true;
    }
    return false;
}

static bool float_predicate(tw_vec_op op, double a, double b, bool *r)
{
    switch ((int)op) {
    case TW_VEC_EQ: *r = a == b; return true;
    case TW_VEC_NE: *r = a != b; return true;
    case TW_VEC_LT: *r = a < b; return true;
    case TW_VEC_LE: *r = a <= b; return true;
    case TW_VEC_GT: *r = a > b; return true;
    case TW_VEC_GE: *r = a >= b; return true;
    case TW_VEC_ISNAN: *r = isnan(a); return true;
    case TW_VEC_ISINF: *r = isinf(a); return true;
    case TW_VEC_ISFINITE: *r = isfinite(a); return true;
    case TW_VEC_SIGNBIT: *r = signbit(a) != 0; return true;
    }
    return false;
}

static bool float_element(tw_vec_op op, const tw_vec_mode *mode, tw_type type, void *dst, const void *const *src)
{
    size_t size = tw_type_size(type);
    double x[3] = { 0 }, r;
    bool truth;
    tw_convert_mode even = { TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, out = { mode->rounding, mode->saturation };
    for (unsigned i = 0; i < tw_vec_op_sources(op); i++) tw_convert(TW_F64, &x[i], type, src[i], even, 0);
    if (op == TW_VEC_NEG || op == TW_VEC_ABS ||
        op == TW_VEC_COPYSIGN) { /* the sign bit only: NaN stays what it is */
        memcpy(dst, src[0], size);
        unsigned char *top = (unsigned char *)dst + size - 1;
        unsigned char sign = op == TW_VEC_NEG   ? *top ^ 0x80
                             : op == TW_VEC_ABS ? 0
                                                : ((const unsigned char *)src[1])[size - 1];
        *top = (unsigned char)((*top & 0x7f) | (sign & 0x80));
        return true;
    }
    if (float_predicate(op, x[0], x[1], &truth)) {
        *(uint8_t *)dst = truth;
        return true;
    }
    if (!floating(op, mode->nan, type, x, &r)) return false;
    r = reference_number(r);
    if (type != TW_F64 && op != TW_VEC_FMA) { /* halves are calculated in f32 */
        float f = (float)r;
        tw_convert(type, dst, TW_F32, &f, out, 0);
    } else {
        tw_convert(type, dst, TW_F64, &r, out, 0);
    }
    return true;
}

bool tw__vec_reference(tw_vec_op op, const tw_vec_mode *mode, tw_type type, void *dst, const void *const *src)
{
    static const tw_vec_mode plain;
    if (!mode) mode = &plain;
    if (op == TW_VEC_COPY) {
        memcpy(dst, src[0], tw_type_size(type));
        return true;
    }
    if (tw_type_get(type)->kind == TW_KIND_FLOAT) return float_element(op, mode, type, dst, src);
    return integer_element(op, mode, type, dst, src);
}
