/* SPDX-License-Identifier: MIT */
/* convert: finds the loops that bring elements from one type to another; packs fields smaller than a byte; flushes
 * subnormals. */
#include "core/vec/vec.h"

#include <string.h>

/* The way for every pair and mode without a loop of its own: the exact scalar conversion of the type box. */
static void convert_any(size_t n, void *d, const void *s, const tw__how *how)
{
    size_t to_size = tw_type_size(how->to), from_size = tw_type_size(how->from);
    for (size_t i = 0; i < n; i++)
        tw_convert(how->to, (char *)d + i * to_size, how->from, (const char *)s + i * from_size, how->mode,
                   how->random ? how->random[i] : 0);
}

static bool is_real(tw_type type)
{
    tw_type_kind kind = tw_type_get(type)->kind;
    return kind >= TW_KIND_BOOL && kind <= TW_KIND_FLOAT;
}

static tw__cvt *find_loop(int level, tw_type to, tw_type from, tw_convert_mode mode)
{
    /* How many random bits count depends on the source's fraction: only the narrowing loops agree with tw_convert. */
    if (mode.rounding == TW_ROUND_STOCHASTIC && tw_type_get(to)->kind != TW_KIND_FLOAT) return NULL;
    for (const tw__conversion *row = tw__level_of(level)->conversions; row->cvt; row++) {
        if (row->from != from || row->to != to) continue;
        if (row->rounding >= 0 && row->rounding != (int)mode.rounding) continue;
        if (row->saturation >= 0 && row->saturation != (int)mode.saturation) continue;
        return row->cvt;
    }
    return NULL;
}

/* Types whose every value is an f32: going through it loses nothing. */
static bool fits_f32(tw_type type)
{
    return type == TW_F16 || type == TW_BF16 || type == TW_I8 || type == TW_U8 || type == TW_I16 || type == TW_U16;
}

bool tw__find_conversion(int level, tw_type to, tw_type from, tw_convert_mode mode, void (*steps[2])(void))
{
    steps[0] = steps[1] = NULL;
    if (!is_real(to) || !is_real(from)) return false;
    if (to == from && !(mode.saturation == TW_SAT_SYMMETRIC && tw_type_get(to)->kind == TW_KIND_INT)) return true;
    tw__cvt *direct = find_loop(level, to, from, mode);
    if (direct) {
        steps[0] = (void (*)(void))direct;
        return true;
    }
    /* Stochastic rounding counts its random bits from the fraction of the type it starts from. */
    if (fits_f32(from) && to != TW_F32 && mode.rounding != TW_ROUND_STOCHASTIC) {
        tw__cvt *first = find_loop(level, TW_F32, from, mode), *second = find_loop(level, to, TW_F32, mode);
        if (first && second) {
            steps[0] = (void (*)(void))first;
            steps[1] = (void (*)(void))second;
            return true;
        }
    }
    steps[0] = (void (*)(void))convert_any;
    return true;
}

void tw__convert_steps(size_t n, void *dst, const void *src, void *tmp, void (*const steps[2])(void),
                       const tw__how *how)
{
    if (!steps[1]) {
        ((tw__cvt *)steps[0])(n, dst, src, how);
        return;
    }
    ((tw__cvt *)steps[0])(n, tmp, src, how);
    ((tw__cvt *)steps[1])(n, dst, tmp, how);
}

/* --- packed fields -------------------------------------------------------------------------------------------- */

static void pack_bits(size_t n, uint8_t *bits, const uint8_t *bytes)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        /* The product brings the low bit of byte k to bit 56 + k: every other partial product falls elsewhere. */
        uint64_t eight = 0;
        for (int k = 0; k < 8; k++) eight |= (uint64_t)(bytes[i + (size_t)k] & 1) << (8 * k);
        bits[i / 8] = (uint8_t)(eight * UINT64_C(0x0102040810204080) >> 56);
    }
    if (i == n) return;
    unsigned last = 0, mask = (1u << (n - i)) - 1;
    for (unsigned k = 0; i + k < n; k++) last |= (bytes[i + k] & 1u) << k;
    bits[i / 8] = (uint8_t)((bits[i / 8] & ~mask) | last);
}

void tw__pack_fields(size_t n, void *fields, const void *bytes, unsigned bits)
{
    uint8_t *to = fields;
    const uint8_t *from = bytes;
    if (bits == 1) {
        pack_bits(n, to, from);
        return;
    }
    for (size_t i = 0; i + 2 <= n; i += 2) to[i / 2] = (uint8_t)((from[i] & 15) | from[i + 1] << 4);
    if (n & 1) to[n / 2] = (uint8_t)((to[n / 2] & 0xf0) | (from[n - 1] & 15));
}

void tw__unpack_fields(size_t n, void *bytes, const void *fields, unsigned bits, bool is_signed)
{
    uint8_t *to = bytes;
    const uint8_t *from = fields;
    if (bits == 1) {
        for (size_t i = 0; i < n; i++) to[i] = from[i / 8] >> (i % 8) & 1;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned field = from[i / 2] >> (i % 2 * 4) & 15;
        to[i] = (uint8_t)(is_signed && field > 7 ? field | 0xf0 : field);
    }
}

/* --- subnormals ----------------------------------------------------------------------------------------------- */

#define FLUSH(name, U, magnitude, least_normal)                                             \
    static void flush_##name(size_t n, void *xv)                                            \
    {                                                                                       \
        typedef U __attribute__((aligned(1), may_alias)) memory;                            \
        memory *x = xv;                                                                     \
        for (size_t i = 0; i < n; i++) {                                                    \
            U bits = x[i];                                                                  \
            x[i] = (bits & (magnitude)) < (least_normal) ? (U)(bits & ~(magnitude)) : bits; \
        }                                                                                   \
    }
FLUSH(f16, uint16_t, 0x7fffu, 0x0400u)
FLUSH(bf16, uint16_t, 0x7fffu, 0x0080u)
FLUSH(f32, uint32_t, 0x7fffffffu, 0x00800000u)
FLUSH(f64, uint64_t, UINT64_C(0x7fffffffffffffff), UINT64_C(0x0010000000000000))

void tw__flush(size_t n, void *x, tw_type type)
{
    if (type == TW_F16) flush_f16(n, x);
    if (type == TW_BF16) flush_bf16(n, x);
    if (type == TW_F32) flush_f32(n, x);
    if (type == TW_F64) flush_f64(n, x);
}
