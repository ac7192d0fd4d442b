/* SPDX-License-Identifier: MIT */
/* ref_format: the formats by their fields (IEEE 754 halves and floats, OCP 8-bit and MX formats, HiFloat8
 * as published: sign, a prefix that says how wide the exponent is, the exponent as sign and magnitude, mantissa). */
#include "pto/reference/ref_format.h"

#include <math.h>
#include <stdlib.h>

/* What the code with all exponent bits set means. */
typedef enum top { IEEE_TOP, ONE_NAN, NUMBERS } top;

static const struct field {
    tw_type type;
    unsigned exponent, mantissa; /* bits */
    int bias;
    top top;
} fields[] = {
    { TW_F16, 5, 10, 15, IEEE_TOP },   { TW_BF16, 8, 7, 127, IEEE_TOP }, { TW_F32, 8, 23, 127, IEEE_TOP },
    { TW_F8E5M2, 5, 2, 15, IEEE_TOP }, { TW_F8E4M3, 4, 3, 7, ONE_NAN },  { TW_F4E2M1, 2, 1, 1, NUMBERS },
    { TW_F4E1M2, 1, 2, 1, NUMBERS },   { TW_HIF4, 1, 2, 1, NUMBERS },
};

static const struct {
    tw_type type;
    unsigned bits;
    bool is_signed;
} integers[] = {
    { TW_I4, 4, true },    { TW_U4, 4, false },  { TW_I8, 8, true },    { TW_U8, 8, false },  { TW_I16, 16, true },
    { TW_U16, 16, false }, { TW_I32, 32, true }, { TW_U32, 32, false }, { TW_I64, 64, true }, { TW_U64, 64, false },
};

static const struct field *field_of(tw_type type)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].type == type) return &fields[i];
    return NULL;
}

bool ref_is_float(tw_type type)
{
    return field_of(type) || type == TW_HIF8 || type == TW_F8E8M0;
}

static int integer_of(tw_type type)
{
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (integers[i].type == type) return (int)i;
    return -1;
}

unsigned ref_bits(tw_type type)
{
    const struct field *f = field_of(type);
    int i = integer_of(type);
    if (f) return 1 + f->exponent + f->mantissa;
    return i >= 0 ? integers[i].bits : 8; /* hif8, e8m0 */
}

bool ref_is_signed(tw_type type)
{
    int i = integer_of(type);
    return i >= 0 ? integers[i].is_signed : type != TW_F8E8M0;
}

static uint64_t ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

int64_t ref_integer(tw_type type, uint64_t code)
{
    unsigned bits = ref_bits(type);
    code &= ones(bits);
    if (ref_is_signed(type) && code >> (bits - 1)) code |= ~ones(bits);
    return (int64_t)code;
}

/* --- decoding --------------------------------------------------------------------------------------------------- */

/* HiFloat8 without its sign. After the prefix 11, 10, 01, 001, 0001 come 4, 3, 2, 1, 0 bits of exponent: its sign,
 * then its magnitude without the leading one. 0000: 2^(m - 23), or zero. 2^15 times 1.5 stands for infinity. */
static double hif8_magnitude(unsigned code)
{
    unsigned wide = 4, mantissa = 1;
    if (code == 0x6f) return INFINITY;
    if (code >> 3 == 0) return code ? ldexp(1, (int)code - 23) : 0;
    if (code >> 5 == 3)
        wide = 4, mantissa = 1;
    else if (code >> 5 == 2)
        wide = 3, mantissa = 2;
    else if (code >> 5 == 1)
        wide = 2, mantissa = 3;
    else if (code >> 4 == 1)
        wide = 1, mantissa = 3;
    else
        wide = 0, mantissa = 3;
    int exponent = 0;
    if (wide) {
        unsigned part = code >> mantissa & (unsigned)ones(wide), low = part & (unsigned)ones(wide - 1);
        exponent = (int)(low + (1u << (wide - 1)));
        if (part >> (wide - 1)) exponent = -exponent;
    }
    return ldexp(1 + (double)(code & ones(mantissa)) / (double)(1u << mantissa), exponent);
}

static double ieee_magnitude(const struct field *f, uint64_t code)
{
    uint64_t e = code >> f->mantissa, m = code & ones(f->mantissa);
    if (f->top == IEEE_TOP && e == ones(f->exponent)) return m ? NAN : INFINITY;
    if (f->top == ONE_NAN && code == ones(f->exponent + f->mantissa)) return NAN;
    double fraction = ldexp((double)m, -(int)f->mantissa);
    return e ? ldexp(1 + fraction, (int)e - f->bias) : ldexp(fraction, 1 - f->bias);
}

static double magnitude(tw_type type, uint64_t code)
{
    return type == TW_HIF8 ? hif8_magnitude((unsigned)code) : ieee_magnitude(field_of(type), code);
}

static double decode(tw_type type, uint64_t code)
{
    unsigned bits = ref_bits(type);
    if (!ref_is_float(type)) return ref_is_signed(type) ? (double)ref_integer(type, code) : (double)code;
    if (type == TW_F8E8M0) return code == 255 ? NAN : ldexp(1, (int)code - 127);
    if (type == TW_HIF8 && code == 0x80) return NAN;
    double m = magnitude(type, code & ones(bits - 1));
    return code >> (bits - 1) ? -m : m;
}

/* The codes of small types are decoded once. */
double ref_decode(tw_type type, uint64_t code)
{
    static double *known[TW_TYPE_COUNT];
    unsigned bits = ref_bits(type);
    code &= ones(bits);
    if (bits > 16) return decode(type, code);
    if (!known[type]) {
        double *values = malloc(sizeof *values << bits);
        if (!values) abort();
        for (uint64_t i = 0; i <= ones(bits); i++) values[i] = decode(type, i);
        known[type] = values;
    }
    return known[type][code];
}

bool ref_is_nan(tw_type type, uint64_t code)
{
    return ref_is_float(type) && isnan(ref_decode(type, code));
}

bool ref_same(tw_type type, uint64_t a, uint64_t b)
{
    uint64_t mask = ones(ref_bits(type));
    return (a & mask) == (b & mask) || (ref_is_nan(type, a) && ref_is_nan(type, b));
}

/* --- encoding --------------------------------------------------------------------------------------------------- */

double ref_f32(double value)
{
    return (double)(float)value;
}

double ref_to_integral(double x, ref_rounding rounding)
{
    double low = floor(x), up = ceil(x);
    if (low == up || !isfinite(x)) return x;
    bool odd = fmod(low, 2) != 0, nearer_up = x - low > 0.5, tie = x - low == 0.5, take_up = nearer_up;
    switch (rounding) {
    case REF_EVEN: take_up = tie ? odd : nearer_up; break;
    case REF_AWAY: take_up = tie ? x > 0 : nearer_up; break;
    case REF_DOWN: take_up = false; break;
    case REF_UP: take_up = true; break;
    case REF_ZERO: take_up = x < 0; break;
    case REF_ODD: take_up = !odd; break;
    }
    return copysign(take_up ? up : low, x);
}

static uint64_t encode_integer(tw_type type, double x, ref_rounding rounding, bool saturate)
{
    unsigned bits = ref_bits(type);
    double least = ref_is_signed(type) ? -ldexp(1, (int)bits - 1) : 0,
           past = ldexp(1, (int)bits - (ref_is_signed(type) ? 1 : 0)); /* the first number too large */
    uint64_t low = ref_is_signed(type) ? UINT64_C(1) << (bits - 1) : 0,
             high = ref_is_signed(type) ? ones(bits - 1) : ones(bits);
    x = ref_to_integral(x, rounding);
    if (isnan(x)) return saturate ? 0 : low;
    if (saturate && x >= past) return high;
    if (saturate && x < least) return low;
    if (!isfinite(x)) return low;
    double wrapped = fmod(x, ldexp(1, 64)); /* exact */
    uint64_t part = (uint64_t)fabs(wrapped);
    return (wrapped < 0 ? 0 - part : part) & ones(bits);
}

/* Codes of numbers without sign in order of value: their count, and the code with a place in it. */
static uint64_t numbers(tw_type type)
{
    const struct field *f = field_of(type);
    if (type == TW_HIF8) return 127; /* 0x6f is infinity */
    if (f->top == IEEE_TOP) return ones(f->exponent) << f->mantissa;
    return ones(f->exponent + f->mantissa) + (f->top == NUMBERS);
}

static uint64_t code_at(tw_type type, uint64_t place)
{
    static unsigned char order[127];
    static bool ready;
    if (type != TW_HIF8) return place;
    for (unsigned code = 0; !ready && code < 128; code++) {
        unsigned at = 0;
        if (code == 0x6f) continue;
        for (unsigned other = 0; other < 128; other++)
            at += other != 0x6f && hif8_magnitude(other) < hif8_magnitude(code);
        order[at] = (unsigned char)code;
    }
    ready = true;
    return order[place];
}

static bool take_upper(double x, double low, double up, bool low_odd, bool negative, ref_rounding rounding)
{
    switch (rounding) {
    case REF_EVEN: return x - low == up - x ? low_odd : x - low > up - x;
    case REF_AWAY: return x - low >= up - x;
    case REF_DOWN: return negative;
    case REF_UP: return !negative;
    case REF_ZERO: return false;
    case REF_ODD: return !low_odd;
    }
    return false;
}

static uint64_t overflow(tw_type type, bool saturate)
{
    const struct field *f = field_of(type);
    if (saturate || (f && f->top == NUMBERS)) return code_at(type, numbers(type) - 1);
    if (type == TW_HIF8) return 0x6f;
    return f->top == IEEE_TOP ? numbers(type) : ones(f->exponent + f->mantissa);
}

/* x > 0, finite. */
static uint64_t encode_magnitude(tw_type type, double x, bool negative, ref_rounding rounding, bool saturate)
{
    uint64_t low = 0, past = numbers(type); /* value at low <= x < value at past */
    while (past - low > 1) {
        uint64_t middle = low + (past - low) / 2;
        if (magnitude(type, code_at(type, middle)) <= x)
            low = middle;
        else
            past = middle;
    }
    double at = magnitude(type, code_at(type, low));
    if (at == x) return code_at(type, low);
    bool last = past == numbers(type);
    double up = last ? 2 * at - magnitude(type, code_at(type, low - 1)) : magnitude(type, code_at(type, past));
    if (type == TW_HIF8 && last) up = 1.5 * at; /* one bit of mantissa: 2^15 times 1.5 comes next */
    if (last && x >= up && (rounding == REF_EVEN || rounding == REF_AWAY)) return overflow(type, saturate);
    if (!take_upper(x, at, up, low & 1, negative, rounding)) return code_at(type, low);
    return last ? overflow(type, saturate) : code_at(type, past);
}

static uint64_t encode_scale(double x, ref_rounding rounding, bool saturate)
{
    if (isnan(x) || x < 0) return 255;
    if (isinf(x)) return saturate ? 254 : 255;
    if (x <= ldexp(1, -127)) return 0;
    int e;
    double fraction = frexp(x, &e); /* [0.5, 1) */
    int code = e - 1 + 127;
    if (fraction != 0.5 && take_upper(2 * fraction, 1, 2, code & 1, false, rounding)) code++;
    bool stays = saturate || rounding == REF_DOWN || rounding == REF_ZERO;
    return code <= 254 ? (uint64_t)code : stays ? 254 : 255;
}

uint64_t ref_encode(tw_type type, double x, ref_rounding rounding, bool saturate)
{
    if (!ref_is_float(type)) return encode_integer(type, x, rounding, saturate);
    if (type == TW_F8E8M0) return encode_scale(x, rounding, saturate);
    const struct field *f = field_of(type);
    uint64_t sign = signbit(x) ? UINT64_C(1) << (ref_bits(type) - 1) : 0;
    if (isnan(x)) {
        if (type == TW_HIF8) return 0x80;
        if (f->top == NUMBERS) return 0;
        return sign | (f->top == ONE_NAN ? ones(7) : numbers(type) | UINT64_C(1) << (f->mantissa - 1));
    }
    if (isinf(x)) return sign | overflow(type, saturate);
    if (x == 0) return type == TW_HIF8 ? 0 : sign; /* HiFloat8 has no negative zero */
    uint64_t code = encode_magnitude(type, fabs(x), sign != 0, rounding, saturate);
    return type == TW_HIF8 && code == 0 ? 0 : sign | code;
}

/* --- codes to try ----------------------------------------------------------------------------------------------- */

const uint64_t *ref_specials(tw_type type, size_t *count)
{
    enum { MOST = 24 };
    static struct {
        size_t count;
        uint64_t list[MOST];
    } known[TW_TYPE_COUNT];
    uint64_t *list = known[type].list;
    unsigned bits = ref_bits(type);
    size_t n = 0;
    *count = known[type].count;
    if (*count) return list;
    list[n++] = 0;
    list[n++] = 1;
    list[n++] = ones(bits);
    if (type == TW_F8E8M0) {
        list[n++] = 127; /* 1 */
        list[n++] = 254;
    } else if (!ref_is_float(type)) {
        list[n++] = ones(bits - 1);
        list[n++] = UINT64_C(1) << (bits - 1);
        list[n++] = ones(bits) - 1;
        list[n++] = 2;
    } else {
        static const double values[] = { 1, -1, 2, -2, 0.5, 1.5, 2.5, -3.5 };
        uint64_t sign = UINT64_C(1) << (bits - 1), largest = code_at(type, numbers(type) - 1);
        const struct field *f = field_of(type);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            list[n++] = ref_encode(type, values[i], REF_EVEN, true);
        list[n++] = sign; /* minus zero; NaN of HiFloat8 */
        list[n++] = largest;
        list[n++] = sign | largest;
        if (f) list[n++] = ones(f->mantissa), list[n++] = sign | 1; /* denormals */
        list[n++] = overflow(type, false);
        list[n++] = sign | overflow(type, false);
        list[n++] = ref_encode(type, NAN, REF_EVEN, false);
    }
    *count = known[type].count = n;
    return list;
}

uint64_t ref_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint64_t ref_any(tw_type type, uint64_t random)
{
    size_t count;
    const uint64_t *list = ref_specials(type, &count);
    uint64_t mixed = random;
    if (random % 8 == 0) return list[random / 8 % count];
    return ref_next(&mixed) & ones(ref_bits(type));
}

uint64_t ref_small(tw_type type, uint64_t random)
{
    if (ref_bits(type) == 4) return random & ones(4);
    if (type == TW_F8E8M0) return 124 + random % 7;
    static struct {
        bool ready;
        uint64_t codes[9];
    } known[TW_TYPE_COUNT];
    for (int i = 0; i < 9 && !known[type].ready; i++)
        known[type].codes[i] = ref_encode(type, i - (ref_is_signed(type) ? 4 : 0), REF_EVEN, true);
    known[type].ready = true;
    return known[type].codes[random % 9];
}
