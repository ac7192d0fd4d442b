/* Element types of all four systems, one table; scalar conversions with explicit rounding and saturation.
 *
 *     tw_type t = tw_type_by_name("float16");           // TW_F16, whatever the system calls it
 *     uint16_t h = tw_f32_to_f16(0.1f, TW_ROUND_NEAREST_EVEN);
 */
#ifndef TILEWRIGHT_TYPE_H
#define TILEWRIGHT_TYPE_H

#include <tilewright/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_type_kind {
    TW_KIND_NONE,
    TW_KIND_BOOL,
    TW_KIND_INT,     /* two's complement */
    TW_KIND_UINT,
    TW_KIND_FLOAT,
    TW_KIND_CINT,    /* complex, real part first */
    TW_KIND_CFLOAT,
    TW_KIND_ACC,     /* AI Engine accumulator lanes, two's complement, held in the next power of two of bytes */
    TW_KIND_CACC
} tw_type_kind;

/* X(NAME, bits of the value, bytes in memory, alignment in bytes, kind, name here, Poplar, CSL, AI Engine, PTO).
 * "" = the system has no such type. Sub-byte types take 1 byte as a scalar and are packed low nibble first in
 * vectors (bits tells). Sources: guide tables 2.1 and 2.2, aie-data-types, pto-tci, spec csl.md, pto.md, aie.md. */
#define TW_TYPE_LIST(X)                                                                                        \
    X(BOOL, 1, 1, 1, BOOL, "bool", "bool", "bool", "", "")                                                     \
    X(I4, 4, 1, 1, INT, "i4", "", "", "", "int4")                                                              \
    X(I8, 8, 1, 1, INT, "i8", "char", "i8", "int8", "int8")                                                    \
    X(I16, 16, 2, 2, INT, "i16", "short", "i16", "int16", "int16")                                             \
    X(I32, 32, 4, 4, INT, "i32", "int", "i32", "int32", "int32")                                               \
    X(I64, 64, 8, 8, INT, "i64", "long long", "i64", "int64", "int64")                                         \
    X(U4, 4, 1, 1, UINT, "u4", "", "", "", "uint4")                                                            \
    X(U8, 8, 1, 1, UINT, "u8", "unsigned char", "u8", "uint8", "uint8")                                        \
    X(U16, 16, 2, 2, UINT, "u16", "unsigned short", "u16", "uint16", "uint16")                                 \
    X(U32, 32, 4, 4, UINT, "u32", "unsigned int", "u32", "uint32", "uint32")                                   \
    X(U64, 64, 8, 8, UINT, "u64", "unsigned long long", "u64", "uint64", "uint64")                             \
    X(F16, 16, 2, 2, FLOAT, "f16", "half", "f16", "", "half")                                                  \
    X(BF16, 16, 2, 2, FLOAT, "bf16", "", "bf16", "bfloat16", "bfloat16")                                       \
    X(F32, 32, 4, 4, FLOAT, "f32", "float", "f32", "float", "float")                                           \
    X(F64, 64, 8, 8, FLOAT, "f64", "double", "", "double", "")                                                 \
    X(F8E4M3, 8, 1, 1, FLOAT, "f8e4m3", "", "", "", "float8_e4m3")                                             \
    X(F8E5M2, 8, 1, 1, FLOAT, "f8e5m2", "", "", "", "float8_e5m2")                                             \
    X(F8E8M0, 8, 1, 1, FLOAT, "f8e8m0", "", "", "", "float8_e8m0")                                             \
    X(HIF8, 8, 1, 1, FLOAT, "hif8", "", "", "", "hifloat8")                                                    \
    X(F4E2M1, 4, 1, 1, FLOAT, "f4e2m1", "", "", "", "float4_e2m1")                                             \
    X(F4E1M2, 4, 1, 1, FLOAT, "f4e1m2", "", "", "", "float4_e1m2")                                             \
    X(QUARTER, 8, 1, 1, FLOAT, "quarter", "quarter", "", "", "")                                               \
    X(CB16, 32, 4, 4, CFLOAT, "cb16", "", "cb16", "", "")                                                      \
    X(CI8, 16, 2, 2, CINT, "ci8", "", "", "cint8", "")                                                         \
    X(CI16, 32, 4, 4, CINT, "ci16", "", "", "cint16", "")                                                      \
    X(CI32, 64, 8, 8, CINT, "ci32", "", "", "cint32", "")                                                      \
    X(CI64, 128, 16, 8, CINT, "ci64", "", "", "cint64", "")                                                    \
    X(CF16, 32, 4, 4, CFLOAT, "cf16", "", "complex_f16", "", "")                                               \
    X(CF32, 64, 8, 8, CFLOAT, "cf32", "", "complex_f32", "cfloat", "")                                         \
    X(ACC48, 48, 8, 8, ACC, "acc48", "", "", "acc48", "")                                                      \
    X(ACC80, 80, 16, 16, ACC, "acc80", "", "", "acc80", "")                                                    \
    X(CACC48, 96, 16, 8, CACC, "cacc48", "", "", "cacc48", "")                                                 \
    X(CACC80, 160, 32, 16, CACC, "cacc80", "", "", "cacc80", "")

typedef enum tw_type {
    TW_TYPE_NONE,
#define TW_TYPE_ENUM(name, bits, bytes, align, kind, tw, poplar, csl, aie, pto) TW_##name,
    TW_TYPE_LIST(TW_TYPE_ENUM)
#undef TW_TYPE_ENUM
    TW_TYPE_COUNT,
    /* Poplar's constants (spec poplar.md 1.1); long is int on the IPU (guide 2.3.1). */
    TW_CHAR = TW_I8, TW_SIGNED_CHAR = TW_I8, TW_UNSIGNED_CHAR = TW_U8,
    TW_SHORT = TW_I16, TW_SIGNED_SHORT = TW_I16, TW_UNSIGNED_SHORT = TW_U16,
    TW_INT = TW_I32, TW_SIGNED = TW_I32, TW_SIGNED_INT = TW_I32, TW_UNSIGNED_INT = TW_U32, TW_UNSIGNED = TW_U32,
    TW_LONGLONG = TW_I64, TW_UNSIGNED_LONGLONG = TW_U64,
    TW_HALF = TW_F16, TW_FLOAT = TW_F32, TW_DOUBLE = TW_F64
} tw_type;

typedef enum tw_system { TW_SYSTEM_TILEWRIGHT, TW_SYSTEM_POPLAR, TW_SYSTEM_CSL, TW_SYSTEM_AIE, TW_SYSTEM_PTO } tw_system;

typedef struct tw_type_info {
    tw_type type;
    tw_type_kind kind;
    unsigned bits;      /* of the value */
    unsigned size;      /* bytes in memory */
    unsigned align;     /* bytes */
    bool is_signed;
    bool is_complex;
    tw_type part;       /* of a complex type: the type of its real part, else the type itself */
    const char *names[5]; /* by tw_system; "" = not a type of that system */
} tw_type_info;

/* Static row of the table; the row of TW_TYPE_NONE (size 0, name "none") for anything else. */
TW_API const tw_type_info *tw_type_get(tw_type type);
TW_API size_t tw_type_size(tw_type type);        /* bytes in memory, 0 for none */
TW_API const char *tw_type_name(tw_type type, tw_system system); /* falls back on our own name */
/* Any system's spelling, and C's (int8_t, "unsigned", "signed char", "uint"...); TW_TYPE_NONE when unknown. */
TW_API tw_type tw_type_by_name(const char *name);

typedef enum tw_rounding {
    TW_ROUND_NEAREST_EVEN,
    TW_ROUND_ZERO,
    TW_ROUND_UP,              /* towards +inf */
    TW_ROUND_DOWN,            /* towards -inf */
    TW_ROUND_NEAREST_AWAY,    /* ties away from zero */
    TW_ROUND_NEAREST_ZERO,    /* ties towards zero */
    TW_ROUND_NEAREST_UP,      /* ties towards +inf */
    TW_ROUND_NEAREST_DOWN,    /* ties towards -inf */
    TW_ROUND_NEAREST_ODD,     /* ties to odd */
    TW_ROUND_TO_ODD,          /* inexact results get an odd last bit (von Neumann) */
    TW_ROUND_STOCHASTIC,      /* with random bits given by the caller */
    TW_ROUND_COUNT
} tw_rounding;

typedef enum tw_saturation {
    TW_SAT_NONE,       /* integers wrap; floats overflow to infinity as IEEE says */
    TW_SAT_ON,         /* clamp to the range of the destination; NaN becomes 0 in integers */
    TW_SAT_SYMMETRIC,  /* as ON, but signed minimum is -maximum (AI Engine) */
    TW_SAT_COUNT
} tw_saturation;

/* How to convert. All zero: nearest even, wrap. `random`: bits for TW_ROUND_STOCHASTIC, used from the low end. */
typedef struct tw_convert_mode {
    tw_rounding rounding;
    tw_saturation saturation;
} tw_convert_mode;

/* Convert one real value between any two real types of the table. src and dst may be unaligned, not overlapping.
 * `random` is used by TW_ROUND_STOCHASTIC only. Float NaN to integer: 0 when saturating, else the minimum of the
 * type (as x86). Returns false, dst untouched, when either type is complex, an accumulator or none. */
TW_API bool tw_convert(tw_type to, void *dst, tw_type from, const void *src, tw_convert_mode mode, uint32_t random);

/* Bits of an IEEE half, bfloat16 and back. NaN payloads keep their top bits and stay quiet NaNs. */
TW_API uint16_t tw_f32_to_f16(float value, tw_rounding rounding, uint32_t random);
TW_API float tw_f16_to_f32(uint16_t bits);
TW_API uint16_t tw_f64_to_f16(double value, tw_rounding rounding, uint32_t random); /* one rounding */
TW_API uint16_t tw_f32_to_bf16(float value, tw_rounding rounding, uint32_t random);
TW_API float tw_bf16_to_f32(uint16_t bits);

/* AI Engine shift-round-saturate of the 128-bit value high:low: value / 2^shift rounded to an integer, then brought to `bits` bits (spec aie.md). */
TW_API int64_t tw_srs(long long high, unsigned long long low, unsigned shift, unsigned bits, bool is_signed, tw_rounding rounding,
                      tw_saturation saturation);

/* Read element as double (exact up to f64 and 53-bit integers) and write a double (nearest even, saturating):
 * for printing and tests. Complex types give their real part. */
TW_API double tw_type_load(tw_type type, const void *src);
TW_API void tw_type_store(tw_type type, void *dst, double value);

#ifdef __cplusplus
}
#endif
#endif
