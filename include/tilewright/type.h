/* SPDX-License-Identifier: MIT */
/* Element types of all four systems, one table; scalar conversions with explicit rounding and saturation.
 *
 *     tw_type t = tw_type_by_name("float16");           // TW_F16, whatever the system calls it
 *     uint16_t h = tw_f32_to_f16(0.1f, TW_ROUND_NEAREST_EVEN, 0);
 *
 * Threads: tables and pure functions, for any number at once. */
#ifndef TILEWRIGHT_TYPE_H
#define TILEWRIGHT_TYPE_H

#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_type_kind {
    TW_KIND_NONE = 0,
    TW_KIND_BOOL = 1,
    TW_KIND_INT = 2, /* two's complement */
    TW_KIND_UINT = 3,
    TW_KIND_FLOAT = 4,
    TW_KIND_CINT = 5, /* complex, real part first */
    TW_KIND_CFLOAT = 6,
    TW_KIND_ACC = 7, /* AI Engine accumulator lanes, two's complement, held in the next power of two of bytes */
    TW_KIND_CACC = 8
} tw_type_kind;

/* X(NAME, number, bits of the value, bytes in memory, alignment in bytes, kind, names here and in Poplar, CSL, AI
 * Engine, PTO). A new row goes where it belongs and takes the next free number. "" = the system has no such
 * type. Sub-byte types take 1 byte as a scalar (value in the low bits, signed integers extended over the byte) and
 * are packed low nibble first in vectors (bits tells). Sources: guide tables 2.1 and 2.2, aie-data-types, csl-dsds,
 * pto-tci; Poplar API, Type.hpp, csl.md 1.5, aie.md 1.2-1.4, pto.md 1.2.
 *   CB16      CSL: 6 exponent bits with bias 42, 9 mantissa bits (assumed: infinity and NaN as IEEE)
 *   F8E4M3    OCP: bias 7, no infinity, largest 448; F8E5M2: as IEEE, largest 57344
 *   F8E8M0    scale of a group: 2^(code - 127), neither sign nor zero, 255 is NaN
 *   HIF8      HiFloat8, tapered precision: 3 mantissa bits near 1, 1 at 2^15 (assumed: published description)
 *   QUARTER   IPU format F143 at scale 0: bias 8, no infinity, largest 240, code 0x80 is NaN (metadata lies
 *   elsewhere)
 *   HIF4      elements of HiF4 groups: the values of F4E1M2 */
// clang-format off
#define TW_TYPE_LIST(X)                                                                                        \
    X(BOOL, 1, 1, 1, 1, BOOL, "bool", "bool", "bool", "", "")                                                     \
    X(I4, 2, 4, 1, 1, INT, "i4", "", "", "", "i4")                                                                \
    X(I8, 3, 8, 1, 1, INT, "i8", "char", "i8", "int8", "i8")                                                      \
    X(I16, 4, 16, 2, 2, INT, "i16", "short", "i16", "int16", "i16")                                               \
    X(I32, 5, 32, 4, 4, INT, "i32", "int", "i32", "int32", "i32")                                                 \
    X(I64, 6, 64, 8, 8, INT, "i64", "long long", "i64", "int64", "i64")                                           \
    X(I128, 7, 128, 16, 16, INT, "i128", "", "", "int128", "")                                                    \
    X(U4, 8, 4, 1, 1, UINT, "u4", "", "", "", "")                                                                 \
    X(U8, 9, 8, 1, 1, UINT, "u8", "unsigned char", "u8", "uint8", "u8")                                           \
    X(U16, 10, 16, 2, 2, UINT, "u16", "unsigned short", "u16", "uint16", "u16")                                    \
    X(U32, 11, 32, 4, 4, UINT, "u32", "unsigned int", "u32", "uint32", "u32")                                      \
    X(U64, 12, 64, 8, 8, UINT, "u64", "unsigned long long", "u64", "uint64", "u64")                                \
    X(F16, 13, 16, 2, 2, FLOAT, "f16", "half", "f16", "", "f16")                                                   \
    X(BF16, 14, 16, 2, 2, FLOAT, "bf16", "", "bf16", "", "bf16")                                                   \
    X(CB16, 15, 16, 2, 2, FLOAT, "cb16", "", "cb16", "", "")                                                       \
    X(F32, 16, 32, 4, 4, FLOAT, "f32", "float", "f32", "float", "f32")                                             \
    X(F64, 17, 64, 8, 8, FLOAT, "f64", "double", "", "", "")                                                       \
    X(F8E4M3, 18, 8, 1, 1, FLOAT, "f8e4m3", "", "", "", "f8e4m3")                                                  \
    X(F8E5M2, 19, 8, 1, 1, FLOAT, "f8e5m2", "", "", "", "f8e5m2")                                                  \
    X(F8E8M0, 20, 8, 1, 1, FLOAT, "f8e8m0", "", "", "", "f8e8m0")                                                  \
    X(HIF8, 21, 8, 1, 1, FLOAT, "hif8", "", "", "", "hif8")                                                        \
    X(QUARTER, 22, 8, 1, 1, FLOAT, "quarter", "quarter", "", "", "")                                               \
    X(F4E2M1, 23, 4, 1, 1, FLOAT, "f4e2m1", "", "", "", "f4e2m1")                                                  \
    X(F4E1M2, 24, 4, 1, 1, FLOAT, "f4e1m2", "", "", "", "f4e1m2")                                                  \
    X(HIF4, 25, 4, 1, 1, FLOAT, "hif4", "", "", "", "hif4")                                                        \
    X(CI8, 26, 16, 2, 2, CINT, "ci8", "", "", "cint8", "")                                                         \
    X(CI16, 27, 32, 4, 4, CINT, "ci16", "", "", "cint16", "")                                                      \
    X(CI32, 28, 64, 8, 8, CINT, "ci32", "", "", "cint32", "")                                                      \
    X(CI64, 29, 128, 16, 8, CINT, "ci64", "", "", "cint64", "")                                                    \
    X(CI128, 30, 256, 32, 16, CINT, "ci128", "", "", "cint128", "")                                                \
    X(CF16, 31, 32, 4, 4, CFLOAT, "cf16", "", "complex_32", "", "")                                                \
    X(CF32, 32, 64, 8, 8, CFLOAT, "cf32", "", "complex_64", "cfloat", "")                                          \
    X(ACC48, 33, 48, 8, 8, ACC, "acc48", "", "", "acc48", "")                                                      \
    X(ACC80, 34, 80, 16, 16, ACC, "acc80", "", "", "acc80", "")                                                    \
    X(CACC48, 35, 96, 16, 8, CACC, "cacc48", "", "", "cacc48", "")                                                 \
    X(CACC80, 36, 160, 32, 16, CACC, "cacc80", "", "", "cacc80", "")
// clang-format on

typedef enum tw_type {
    TW_TYPE_NONE = 0,
#define TW_TYPE_ENUM(name, number, bits, bytes, align, kind, tw, poplar, csl, aie, pto) TW_##name = number,
    TW_TYPE_LIST(TW_TYPE_ENUM)
#undef TW_TYPE_ENUM
        TW_TYPE_COUNT = 37,
    // clang-format off
    /* Poplar's constants (Poplar API, Type.hpp); long is int on the IPU (guide 2.3.1). */
    TW_CHAR = TW_I8, TW_SIGNED_CHAR = TW_I8, TW_UNSIGNED_CHAR = TW_U8,
    TW_SHORT = TW_I16, TW_SIGNED_SHORT = TW_I16, TW_UNSIGNED_SHORT = TW_U16,
    TW_INT = TW_I32, TW_SIGNED = TW_I32, TW_SIGNED_INT = TW_I32, TW_UNSIGNED_INT = TW_U32, TW_UNSIGNED = TW_U32,
    TW_LONGLONG = TW_I64, TW_UNSIGNED_LONGLONG = TW_U64,
    TW_HALF = TW_F16, TW_FLOAT = TW_F32, TW_DOUBLE = TW_F64
    // clang-format on
} tw_type;

typedef enum tw_system {
    TW_SYSTEM_TILEWRIGHT = 0,
    TW_SYSTEM_POPLAR = 1,
    TW_SYSTEM_CSL = 2,
    TW_SYSTEM_AIE = 3,
    TW_SYSTEM_PTO = 4
} tw_system;

typedef struct tw_type_info {
    tw_type type;
    tw_type_kind kind;
    unsigned bits;  /* of the value */
    unsigned size;  /* bytes in memory */
    unsigned align; /* bytes */
    bool is_signed;
    bool is_complex;
    tw_type part;         /* of a complex type: the type of its real part, else the type itself */
    const char *names[5]; /* by tw_system; "" = not a type of that system */
} tw_type_info;

/* Static row of the table; the row of TW_TYPE_NONE (size 0, name "none") for anything else. */
TW_API const tw_type_info *tw_type_get(tw_type type);
TW_API size_t tw_type_size(tw_type type);                        /* bytes in memory, 0 for none */
TW_API const char *tw_type_name(tw_type type, tw_system system); /* falls back on our own name */
/* Any system's spelling, and C's (int8_t, "unsigned", "signed char", "uint"...); TW_TYPE_NONE when unknown. */
TW_API tw_type tw_type_by_name(const char *name);

typedef enum tw_rounding {
    TW_ROUND_NEAREST_EVEN = 0,
    TW_ROUND_ZERO = 1,
    TW_ROUND_UP = 2,           /* towards +inf */
    TW_ROUND_DOWN = 3,         /* towards -inf */
    TW_ROUND_NEAREST_AWAY = 4, /* ties away from zero */
    TW_ROUND_NEAREST_ZERO = 5, /* ties towards zero */
    TW_ROUND_NEAREST_UP = 6,   /* ties towards +inf */
    TW_ROUND_NEAREST_DOWN = 7, /* ties towards -inf */
    TW_ROUND_NEAREST_ODD = 8,  /* ties to odd */
    TW_ROUND_TO_ODD = 9,       /* inexact results get an odd last bit (von Neumann) */
    TW_ROUND_STOCHASTIC = 10,  /* with random bits given by the caller */
    TW_ROUND_COUNT = 11
} tw_rounding;

typedef enum tw_saturation {
    TW_SAT_NONE = 0,      /* integers wrap; floats overflow to infinity as IEEE says */
    TW_SAT_ON = 1,        /* clamp to the range of the destination; NaN becomes 0 in integers */
    TW_SAT_SYMMETRIC = 2, /* as ON, but signed minimum is -maximum (AI Engine) */
    TW_SAT_COUNT = 3
} tw_saturation;

/* How to convert. All zero: nearest even, wrap. */
typedef struct tw_convert_mode {
    tw_rounding rounding;
    tw_saturation saturation;
} tw_convert_mode;

/* Convert one real value between any two real types of the table. src and dst may be unaligned, not overlapping.
 * Returns false, dst untouched, when either type is complex, an accumulator or none.
 *   random      used by TW_ROUND_STOCHASTIC only: its low n bits are added to the n dropped bits, and a carry rounds
 *               away from zero. Exact values stay. More than 31 dropped bits count as their first 31.
 *   to bool     any value but zero gives 1, NaN too
 *   to integer  wrap: the low bits of the rounded value; NaN and infinity give the minimum. Saturating: NaN gives 0.
 *   to float    overflow gives infinity (the largest value in directed rounding towards zero), or NaN where the
 *   format
 *               has no infinity; saturating, overflow and infinity give the largest value. NaN stays NaN and keeps
 *               its sign and the top of its payload, quiet. 4-bit formats always saturate and turn NaN into 0.
 *               F8E8M0 takes zero as its least value and negative values as NaN. */
TW_API bool tw_convert(tw_type to, void *dst, tw_type from, const void *src, tw_convert_mode mode, uint32_t random);

/* Bits of an IEEE half, bfloat16 and back; overflow goes to infinity. NaN payloads keep their top bits and stay
 * quiet NaNs. Bulk conversion is the business of the vec box. */
TW_API uint16_t tw_f32_to_f16(float value, tw_rounding rounding, uint32_t random);
TW_API float tw_f16_to_f32(uint16_t bits);
TW_API uint16_t tw_f64_to_f16(double value, tw_rounding rounding, uint32_t random); /* one rounding */
TW_API uint16_t tw_f32_to_bf16(float value, tw_rounding rounding, uint32_t random);
TW_API float tw_bf16_to_f32(uint16_t bits);

/* AI Engine shift-round-saturate of the 128-bit value high:low: value / 2^shift rounded to an integer, then saturated
 * or wrapped to `bits` (1 .. 64) bits; unsigned results of 64 bits come back in two's complement. Spec aie.md 2.4:
 * set_rnd 0 .. 7 are TW_ROUND_DOWN, UP, NEAREST_UP, NEAREST_DOWN, NEAREST_AWAY, NEAREST_ZERO, NEAREST_EVEN,
 * NEAREST_ODD. */
TW_API int64_t tw_srs(int64_t high, uint64_t low, unsigned shift, unsigned bits, bool is_signed,
                      tw_rounding rounding, tw_saturation saturation);

/* Read an element as double (exact for all formats up to f64 and integers of 53 bits; wider ones nearest even) and
 * write a double (nearest even, saturating): for printing and tests. Complex types: their real part, and a store
 * clears the imaginary part. Type none: 0, and a store does nothing. */
TW_API double tw_type_load(tw_type type, const void *src);
TW_API void tw_type_store(tw_type type, void *dst, double value);

/* The short vectors of guide tables 2.1 and 2.2, for codelets and `tilewright info types`. */
typedef struct tw_vector_type {
    const char *name;      /* "half4" */
    const char *c_element; /* "half", "unsigned char": the name codelets use */
    tw_type element;
    unsigned lanes;
    unsigned size, align;                 /* bytes, on the IPU */
    unsigned printed_size, printed_align; /* bits, as table 2.2 prints them */
    bool in_instruction_set;              /* column "iset" */
} tw_vector_type;

/* Row `index` of table 2.2, NULL past the last. The table prints float2 as 32 and float4 as 64 bits, which cannot
 * hold 2 and 4 floats: size and align follow table 10.2 there (64 bits aligned 64, 128 bits aligned 64). */
TW_API const tw_vector_type *tw_vector_type_get(size_t index);
TW_API const tw_vector_type *tw_vector_type_by_name(const char *name); /* NULL when unknown */

#ifdef __cplusplus
}
#endif
#endif
