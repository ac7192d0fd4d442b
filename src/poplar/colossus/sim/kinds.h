/* SPDX-License-Identifier: MIT */
/* Kinds of operands as constants, for the functions that are made of rows: ENUM_OPS(Md, M, S16) says what operand 0,
 * 1 and 2 are. */
#ifndef TW_COLOSSUS_SIM_KINDS_H
#define TW_COLOSSUS_SIM_KINDS_H

#include <glib.h>
#include <stdint.h>
#include <string.h>

enum {
    K_NO,
#define K(name, ...) K_##name,
#include "poplar/colossus/isa/operands.def"
#undef K
};
enum {
    FILE_NO = -1,
#define K(name, label, suffix, file, ...) FILE_##name = TW_ISA_##file,
#include "poplar/colossus/isa/operands.def"
#undef K
};

#define ENUM_OPS_(a, b, c, d, e, ...) \
    enum {                            \
        K0 = K_##a,                   \
        K1 = K_##b,                   \
        K2 = K_##c,                   \
        K3 = K_##d,                   \
        F0 = FILE_##a,                \
        F1 = FILE_##b,                \
        F2 = FILE_##c,                \
        F3 = FILE_##d                 \
    };
/* Is operand k of this kind; is it in this register file? */
#define IS_KIND(k, kind) ((int)K##k == (int)K_##kind)
#define IS_IN(k, file)   ((int)F##k == (int)TW_ISA_##file)
#define ENUM_OPS(...)    ENUM_OPS_(__VA_ARGS__, NO, NO, NO, NO, NO)

/* Two registers at once, the lower one in the low half. Whoever writes a pair does so in one piece: the host passes a
 * value on from a store to a load that is not larger. */
static inline __attribute__((unused)) uint64_t get_pair(const uint32_t *r)
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
    uint64_t v;
    memcpy(&v, r, 8);
    return v;
#else
    return r[0] | (uint64_t)r[1] << 32;
#endif
}
static inline __attribute__((unused)) void put_pair(uint32_t *r, uint64_t v)
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
    memcpy(r, &v, 8);
#else
    r[0] = (uint32_t)v, r[1] = (uint32_t)(v >> 32);
#endif
}
static inline __attribute__((unused)) uint64_t join(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* Byte `from` of a word at byte `to`. */
#define B(v, from, to) (((v) >> (8 * (from)) & 0xff) << (8 * (to)))

static inline __attribute__((unused)) uint32_t clz(uint32_t v)
{
    return v ? (uint32_t)__builtin_clz(v) : 32;
}
static inline __attribute__((unused)) uint32_t popcount(uint32_t v)
{
    return (uint32_t)__builtin_popcount(v);
}
static inline __attribute__((unused)) uint32_t bitrev8(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    return (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
}

#endif
