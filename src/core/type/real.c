/* SPDX-License-Identifier: MIT */
/* Exact conversion between any two element types: take the source apart into sign, integer and power of two, round
 * once, put the destination together. Slow and plain: kernels use type/convert.h or vec, and are tested against this.
 *
 * A float format is described by how its codes are ordered: the codes of one binade (values 2^e .. 2^(e+1)) follow
 * each other, so code = code_of_binade(e) + rounded mantissa, and a carry out of the mantissa lands on the first code
 * of the next binade by itself. HiFloat8 has 3, 2, 1 or 0 mantissa bits depending on e and an order of its own. */
#include "core/type/convert.h"
#include "core/type/type.h"

#include <assert.h>
#include <string.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

/* --- float formats -------------------------------------------------------------------------------------------- */

typedef enum special {
    IEEE,   /* exponent all ones: infinity, NaN */
    FN,     /* all ones is NaN, no infinity */
    FNUZ,   /* minus zero is NaN, no infinity */
    FINITE, /* neither */
    SCALE,  /* unsigned powers of two, no zero, 255 is NaN */
    TAPERED /* HiFloat8 */
} special;

typedef struct float_format {
    unsigned bits, mantissa; /* of the code; mantissa bits stored */
    int bias;
    special special;
} float_format;

static const float_format formats[TW_TYPE_COUNT] = {
    [TW_F16] = { 16, 10, 15, IEEE },  [TW_BF16] = { 16, 7, 127, IEEE },   [TW_CB16] = { 16, 9, 42, IEEE },
    [TW_F32] = { 32, 23, 127, IEEE }, [TW_F64] = { 64, 52, 1023, IEEE },  [TW_F8E4M3] = { 8, 3, 7, FN },
    [TW_F8E5M2] = { 8, 2, 15, IEEE }, [TW_F8E8M0] = { 8, 0, 127, SCALE }, [TW_HIF8] = { 8, 3, 0, TAPERED },
    [TW_QUARTER] = { 8, 3, 8, FNUZ }, [TW_F4E2M1] = { 4, 1, 1, FINITE },  [TW_F4E1M2] = { 4, 2, 1, FINITE },
    [TW_HIF4] = { 4, 2, 1, FINITE },
};

static uint64_t low_bits(unsigned bits)
{
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* Codes without sign: the largest finite one. */
static uint64_t largest_code(const float_format *f)
{
    uint64_t all = low_bits(f->bits - 1), infinity = all - low_bits(f->mantissa);
    switch (f->special) {
    case IEEE: return infinity - 1;
    case FN: return all - 1;
    case FNUZ:
    case FINITE: return all;
    case SCALE: return 0xfe;
    case TAPERED: return 0x7e; /* in order of value; 0x7f is infinity */
    }
    return 0;
}

/* HiFloat8: sign, then a prefix that says how many exponent bits follow (11: 4, 10: 3, 01: 2, 001: 1, 0001: 0;
 * 0000: a power of two from 2^-22), then the exponent as sign and magnitude without its leading one, then mantissa.
 * In order of value: zero, 7 powers of two, and binades from 2^-15 to 2^15. */
enum { HIF8_LEAST = -22, HIF8_NORMAL = -15 };

static unsigned hif8_mantissa(int e)
{
    int size = e < 0 ? -e : e;
    return e < HIF8_NORMAL ? 0 : size >= 8 ? 1 : size >= 4 ? 2 : 3;
}

/* Position in order of value of the first code of binade e. */
static unsigned hif8_first(int e)
{
    static const unsigned char first[] = { 1,   2,   3,   4,   5,   6,   7, /* 2^-22 .. 2^-16 */
                                           8,   10,  12,  14,  16,  18,  20,
                                           22,  24,  28,  32,  36,           /* 2^-15 .. 2^-4 */
                                           40,  48,  56,  64,  72,  80,  88, /* 2^-3 .. 2^3 */
                                           96,  100, 104, 108, 112, 114, 116,
                                           118, 120, 122, 124, 126 };
    static_assert(sizeof first == 15 - HIF8_LEAST + 1, "one per binade");
    return first[e - HIF8_LEAST];
}

/* Binade of the value at a position above zero. */
static int hif8_binade(unsigned position)
{
    int e = HIF8_LEAST;
    while (e < 15 && hif8_first(e + 1) <= position) e++;
    return e;
}

static const unsigned hif8_prefix[] = { 0x08, 0x10, 0x20, 0x40, 0x60 }; /* by number of exponent bits */

static unsigned hif8_code(unsigned position)
{
    if (position < 8) return position; /* zero and the powers of two up to 2^-16 */
    int e = hif8_binade(position);
    unsigned size = (unsigned)(e < 0 ? -e : e), mantissa = position - hif8_first(e);
    unsigned exponent_bits = size >= 8   ? 4
                             : size >= 4 ? 3
                             : size >= 2 ? 2
                                         : size,
             leading = 1u << exponent_bits >> 1;
    unsigned exponent = (e < 0 ? leading : 0) | (size - leading);
    return hif8_prefix[exponent_bits] | exponent << hif8_mantissa(e) | mantissa;
}

static unsigned hif8_position(unsigned code)
{
    if (code < 8) return code;
    unsigned exponent_bits = 4;
    while (code < hif8_prefix[exponent_bits]) exponent_bits--;
    unsigned mantissa_bits = exponent_bits == 4   ? 1
                             : exponent_bits == 3 ? 2
                                                  : 3,
             leading = 1u << exponent_bits >> 1;
    unsigned exponent = (code - hif8_prefix[exponent_bits]) >> mantissa_bits;
    int size = (int)(exponent_bits ? (exponent & (leading - 1)) | leading : 0);
    return hif8_first(exponent & leading ? -size : size) + (code & ((1u << mantissa_bits) - 1));
}

/* Exponent of the least binade, its first code, and the mantissa bits of binade e. */
static int least_binade(const float_format *f)
{
    return f->special == TAPERED ? HIF8_LEAST : f->special == SCALE ? -f->bias : 1 - f->bias;
}

static unsigned mantissa_bits(const float_format *f, int e)
{
    return f->special == TAPERED ? hif8_mantissa(e) : f->mantissa;
}

/* Code of the value 2^e less its leading one, so that adding the mantissa with its leading one gives the code. */
static uint64_t code_base(const float_format *f, int e)
{
    if (f->special == TAPERED) return hif8_first(e) - (UINT64_C(1) << hif8_mantissa(e));
    return (uint64_t)(e - least_binade(f)) << f->mantissa;
}

static tw__real load_float(const float_format *f, uint64_t code)
{
    uint64_t magnitude = code & low_bits(f->bits - (f->special != SCALE));
    tw__real r = { .negative = f->special != SCALE && code >> (f->bits - 1) & 1 };
    if ((f->special == FNUZ || f->special == TAPERED) && r.negative && !magnitude) {
        r.kind = TW__REAL_NAN;
        r.payload = UINT64_C(1) << 62;
        return r;
    }
    if (f->special == TAPERED) magnitude = hif8_position((unsigned)magnitude);
    uint64_t largest = largest_code(f);
    if (magnitude > largest) {
        bool infinite = (f->special == IEEE || f->special == TAPERED) && magnitude == largest + 1;
        r.kind = infinite ? TW__REAL_INFINITY : TW__REAL_NAN;
        r.payload = f->special == IEEE ? (magnitude & low_bits(f->mantissa)) << (63 - f->mantissa) : 0;
        r.payload |= UINT64_C(1) << 62;
        return r;
    }
    int e = least_binade(f);
    if (f->special == TAPERED) {
        if (!magnitude) return r;
        e = hif8_binade((unsigned)magnitude);
    } else if (f->special == SCALE) {
        e += (int)magnitude;
    } else if (magnitude >> f->mantissa) {
        e += (int)(magnitude >> f->mantissa) - 1; /* else subnormal: the least binade without a leading one */
    }
    r.magnitude = magnitude - code_base(f, e) + (f->special == SCALE);
    r.exponent = e - (int)mantissa_bits(f, e);
    return r;
}

/* --- rounding ------------------------------------------------------------------------------------------------- */

static int bit_length(u128 value)
{
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

/* value / 2^shift and whether it rounds up; odd_base: low bit of what the result will be added to. */
static u128 shift_round(u128 value, unsigned shift, unsigned odd_base, bool negative, tw_convert_mode mode,
                        uint32_t random)
{
    if (!shift) return value;
    u128 kept = shift < 128 ? value >> shift : 0, fraction = shift < 128 ? value - (kept << shift) : value;
    if (shift > 31) { /* the first 31 bits, the last one set when more follows */
        unsigned extra = shift - 31;
        u128 first = extra < 128 ? fraction >> extra : 0;
        fraction = first | (extra < 128 ? fraction != first << extra : fraction != 0);
        shift = 31;
    }
    uint32_t odd = ((unsigned)kept ^ odd_base) & 1;
    return kept + tw__round_up(odd, (uint32_t)fraction, 1u << (shift - 1), negative, mode.rounding, random);
}

/* --- storing -------------------------------------------------------------------------------------------------- */

static uint64_t nan_code(const float_format *f, const tw__real *value)
{
    uint64_t sign = value->negative ? UINT64_C(1) << (f->bits - 1) : 0;
    switch (f->special) {
    case IEEE: return sign | (largest_code(f) + 1) | (value->payload | UINT64_C(1) << 62) >> (63 - f->mantissa);
    case FN: return sign | low_bits(f->bits - 1);
    case FNUZ:
    case TAPERED: return UINT64_C(1) << (f->bits - 1);
    case FINITE: return 0;
    case SCALE: return 0xff;
    }
    return 0;
}

/* Code without sign of what lies past the largest finite value. */
static uint64_t overflow_code(const float_format *f, bool infinite, bool *nan)
{
    uint64_t largest = largest_code(f);
    *nan = infinite && (f->special == FN || f->special == FNUZ || f->special == SCALE);
    return infinite && (f->special == IEEE || f->special == TAPERED) ? largest + 1 : largest;
}

/* Code without sign of a finite value that is not zero. */
static uint64_t round_to_format(const float_format *f, const tw__real *value, tw_convert_mode mode, uint32_t random,
                                bool *nan)
{
    int least = least_binade(f), e = value->exponent + bit_length(value->magnitude) - 1;
    uint64_t largest = largest_code(f), code, truncated;
    if (e > 2000) return overflow_code(f, tw__overflows(value->negative, mode.rounding), nan);
    if (e < least) e = least;
    if (f->special == TAPERED && e > 15)
        return overflow_code(f, tw__overflows(value->negative, mode.rounding), nan);
    uint64_t base = code_base(f, e);
    int shift = e - (int)mantissa_bits(f, e) - value->exponent;
    if (shift <= 0) {
        code = truncated = base + (uint64_t)(value->magnitude << -shift);
    } else {
        truncated = base + (shift < 128 ? (uint64_t)(value->magnitude >> shift) : 0);
        unsigned odd_base = (unsigned)base ^ (f->special == SCALE); /* its codes are one lower, see below */
        code = base +
               (uint64_t)shift_round(value->magnitude, (unsigned)shift, odd_base, value->negative, mode, random);
    }
    if (f->special == SCALE) { /* codes start at the least power of two, not at zero */
        code = code ? code - 1 : 0;
        truncated = truncated ? truncated - 1 : 0;
    }
    if (truncated > largest) return overflow_code(f, tw__overflows(value->negative, mode.rounding), nan);
    return code > largest ? overflow_code(f, true, nan) : code;
}

static uint64_t store_float(const float_format *f, const tw__real *value, tw_convert_mode mode, uint32_t random)
{
    bool saturate = mode.saturation != TW_SAT_NONE || f->special == FINITE, nan = false;
    if (value->kind == TW__REAL_NAN) return nan_code(f, value);
    uint64_t code = 0;
    if (value->kind == TW__REAL_INFINITY)
        code = overflow_code(f, true, &nan);
    else if (value->magnitude)
        code = round_to_format(f, value, mode, random, &nan);
    if (f->special == SCALE && value->negative && (value->magnitude || value->kind == TW__REAL_INFINITY))
        return nan_code(f, value);
    if (saturate && (nan || code > largest_code(f)))
        code = largest_code(f);
    else if (nan)
        return nan_code(f, value);
    if (f->special == SCALE || (f->special == FNUZ && !code)) return code; /* no minus zero */
    if (f->special == TAPERED) {
        code = hif8_code((unsigned)code);
        if (!code) return 0;
    }
    return code | (value->negative ? UINT64_C(1) << (f->bits - 1) : 0);
}

static i128 saturate_int(u128 magnitude, bool negative, unsigned bits, bool is_signed, tw_saturation saturation)
{
    unsigned value_bits = bits - is_signed;
    u128 max = value_bits ? ~(u128)0 >> (128 - value_bits) : 0;
    u128 least = !is_signed ? 0 : saturation == TW_SAT_SYMMETRIC ? max : max + 1;
    u128 limit = negative ? least : max;
    if (magnitude > limit) magnitude = limit;
    return (i128)(negative ? -magnitude : magnitude);
}

/* The low bits, extended over the rest as the type says. */
static i128 wrap_int(u128 value, unsigned bits, bool is_signed)
{
    unsigned unused = 128 - bits;
    return is_signed ? (i128)(value << unused) >> unused : (i128)(value << unused >> unused);
}

static i128 store_int(const tw__real *value, unsigned bits, bool is_signed, tw_convert_mode mode, uint32_t random)
{
    u128 least = is_signed ? (u128)1 << (bits - 1) : 0;
    bool saturate = mode.saturation != TW_SAT_NONE;
    if (value->kind == TW__REAL_NAN) return saturate ? 0 : wrap_int(least, bits, is_signed);
    if (value->kind == TW__REAL_INFINITY)
        return saturate ? saturate_int(~(u128)0, value->negative, bits, is_signed, mode.saturation)
                        : wrap_int(least, bits, is_signed);
    u128 magnitude = value->magnitude;
    bool huge = false;
    if (value->exponent < 0) {
        magnitude = shift_round(magnitude, (unsigned)-value->exponent, 0, value->negative, mode, random);
    } else if (magnitude) {
        huge = value->exponent + bit_length(magnitude) > 128;
        magnitude = value->exponent < 128 ? magnitude << value->exponent : 0;
    }
    if (saturate)
        return saturate_int(huge ? ~(u128)0 : magnitude, value->negative, bits, is_signed, mode.saturation);
    return wrap_int(value->negative ? -magnitude : magnitude, bits, is_signed);
}

/* --- the types ------------------------------------------------------------------------------------------------ */

tw__real tw__real_load(tw_type type, const void *src)
{
    const tw_type_info *info = tw_type_get(type);
    u128 raw = 0;
    if (info->is_complex || !info->size) return (tw__real){ .kind = TW__REAL_FINITE };
    memcpy(&raw, src, info->size); /* little-endian host */
    switch (info->kind) {
    case TW_KIND_BOOL: return (tw__real){ .magnitude = raw != 0 };
    case TW_KIND_FLOAT: return load_float(&formats[type], (uint64_t)raw & low_bits(info->bits));
    case TW_KIND_UINT: return (tw__real){ .magnitude = (u128)wrap_int(raw, info->bits, false) };
    case TW_KIND_INT:
    case TW_KIND_ACC: {
        i128 value = wrap_int(raw, info->bits, true);
        return (tw__real){ .negative = value < 0, .magnitude = value < 0 ? -(u128)value : (u128)value };
    }
    case TW_KIND_NONE:
    case TW_KIND_CINT:
    case TW_KIND_CFLOAT:
    case TW_KIND_CACC: break;
    }
    return (tw__real){ .kind = TW__REAL_FINITE };
}

void tw__real_store(tw_type type, void *dst, const tw__real *value, tw_convert_mode mode, uint32_t random)
{
    const tw_type_info *info = tw_type_get(type);
    u128 raw = 0;
    switch (info->kind) {
    case TW_KIND_BOOL: raw = value->kind != TW__REAL_FINITE || value->magnitude != 0; break;
    case TW_KIND_FLOAT: raw = store_float(&formats[type], value, mode, random); break;
    case TW_KIND_INT:
    case TW_KIND_UINT:
    case TW_KIND_ACC: raw = (u128)store_int(value, info->bits, info->is_signed, mode, random); break;
    case TW_KIND_NONE:
    case TW_KIND_CINT:
    case TW_KIND_CFLOAT:
    case TW_KIND_CACC: return;
    }
    memcpy(dst, &raw, info->size);
}

static bool is_real(tw_type type)
{
    tw_type_kind kind = tw_type_get(type)->kind;
    return kind >= TW_KIND_BOOL && kind <= TW_KIND_FLOAT;
}

bool tw_convert(tw_type to, void *dst, tw_type from, const void *src, tw_convert_mode mode, uint32_t random)
{
    if (!is_real(to) || !is_real(from)) return false;
    tw__real value = tw__real_load(from, src);
    tw__real_store(to, dst, &value, mode, random);
    return true;
}

uint16_t tw_f32_to_f16(float value, tw_rounding rounding, uint32_t random)
{
    return tw__f32_to_f16(value, rounding, TW_SAT_NONE, random);
}

float tw_f16_to_f32(uint16_t bits)
{
    return tw__f16_to_f32(bits);
}

uint16_t tw_f64_to_f16(double value, tw_rounding rounding, uint32_t random)
{
    if (rounding != TW_ROUND_STOCHASTIC) return tw__f64_to_f16(value, rounding, TW_SAT_NONE);
    uint16_t half;
    tw_convert(TW_F16, &half, TW_F64, &value, (tw_convert_mode){ rounding, TW_SAT_NONE }, random);
    return half;
}

uint16_t tw_f32_to_bf16(float value, tw_rounding rounding, uint32_t random)
{
    return tw__f32_to_bf16(value, rounding, TW_SAT_NONE, random);
}

float tw_bf16_to_f32(uint16_t bits)
{
    return tw__bf16_to_f32(bits);
}

int64_t tw_srs(int64_t high, uint64_t low, unsigned shift, unsigned bits, bool is_signed, tw_rounding rounding,
               tw_saturation saturation)
{
    i128 value = (i128)((u128)(uint64_t)high << 64 | low);
    tw__real real = { .negative = value < 0,
                      .magnitude = value < 0 ? -(u128)value : (u128)value,
                      .exponent = shift < 1024 ? -(int)shift : -1024 };
    if (bits < 1) bits = 1;
    if (bits > 64) bits = 64;
    return (int64_t)store_int(&real, bits, is_signed, (tw_convert_mode){ rounding, saturation }, 0);
}

double tw_type_load(tw_type type, const void *src)
{
    tw__real real = tw__real_load(tw_type_get(type)->part, src);
    double value;
    tw__real_store(TW_F64, &value, &real, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_NONE }, 0);
    return value;
}

void tw_type_store(tw_type type, void *dst, double value)
{
    const tw_type_info *info = tw_type_get(type);
    tw__real real = tw__real_load(TW_F64, &value);
    if (info->is_complex) memset(dst, 0, info->size);
    tw__real_store(info->part, dst, &real, (tw_convert_mode){ TW_ROUND_NEAREST_EVEN, TW_SAT_ON }, 0);
}
