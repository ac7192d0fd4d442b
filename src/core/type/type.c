/* SPDX-License-Identifier: MIT */
/* The table of element types, their names in all four systems and in C, and the short vectors of the Poplar guide. */
#include "core/type/type.h"

#include <ctype.h>
#include <string.h>

/* Type of the real part, by kind and name. */
#define PART_BOOL(name)   TW_##name
#define PART_INT(name)    TW_##name
#define PART_UINT(name)   TW_##name
#define PART_FLOAT(name)  TW_##name
#define PART_ACC(name)    TW_##name
#define PART_CINT(name)   PART_OF_##name
#define PART_CFLOAT(name) PART_OF_##name
#define PART_CACC(name)   PART_OF_##name
#define PART_OF_CI8       TW_I8
#define PART_OF_CI16      TW_I16
#define PART_OF_CI32      TW_I32
#define PART_OF_CI64      TW_I64
#define PART_OF_CI128     TW_I128
#define PART_OF_CF16      TW_F16
#define PART_OF_CF32      TW_F32
#define PART_OF_CACC48    TW_ACC48
#define PART_OF_CACC80    TW_ACC80

static const tw_type_info types[TW_TYPE_COUNT] = {
    [TW_TYPE_NONE] = { .align = 1, .names = { "none", "", "", "", "" } },
#define ROW(name, number, bits_, bytes, align_, kind_, tw, poplar, csl, aie, pto)                     \
    [TW_##name] = { .type = TW_##name,                                                                \
                    .kind = TW_KIND_##kind_,                                                          \
                    .bits = bits_,                                                                    \
                    .size = bytes,                                                                    \
                    .align = align_,                                                                  \
                    .is_signed = TW_KIND_##kind_ >= TW_KIND_INT && TW_KIND_##kind_ != TW_KIND_UINT && \
                                 TW_##name != TW_F8E8M0,                                              \
                    .is_complex = PART_##kind_(name) != TW_##name,                                    \
                    .part = PART_##kind_(name),                                                       \
                    .names = { tw, poplar, csl, aie, pto } },
    TW_TYPE_LIST(ROW)
#undef ROW
};

/* Spellings beside those of the table: C and C++, the C++ names of PTO, MLIR, numpy, older CSL. `long` is 32 bits and
 * `long double` is double on the IPU (guide 2.3.1). One blank between words. */
static const struct {
    const char *name;
    tw_type type;
} spellings[] = {
    // clang-format off
    {"_Bool", TW_BOOL}, {"i1", TW_BOOL},
    {"signed char", TW_I8}, {"int8_t", TW_I8}, {"si8", TW_I8},
    {"short int", TW_I16}, {"signed short", TW_I16}, {"signed short int", TW_I16}, {"int16_t", TW_I16}, {"si16", TW_I16},
    {"signed", TW_I32}, {"signed int", TW_I32}, {"int32_t", TW_I32}, {"si32", TW_I32}, {"long", TW_I32},
    {"long int", TW_I32}, {"signed long", TW_I32}, {"signed long int", TW_I32},
    {"longlong", TW_I64}, {"long long int", TW_I64}, {"signed long long", TW_I64}, {"signed long long int", TW_I64},
    {"int64_t", TW_I64}, {"si64", TW_I64}, {"__int128", TW_I128}, {"int128_t", TW_I128},
    {"uchar", TW_U8}, {"uint8_t", TW_U8}, {"ui8", TW_U8},
    {"ushort", TW_U16}, {"unsigned short int", TW_U16}, {"uint16_t", TW_U16}, {"ui16", TW_U16},
    {"uint", TW_U32}, {"unsigned", TW_U32}, {"uint32_t", TW_U32}, {"ui32", TW_U32}, {"unsigned long", TW_U32},
    {"unsigned long int", TW_U32}, {"ulong", TW_U32},
    {"ulonglong", TW_U64}, {"unsigned long long int", TW_U64}, {"uint64_t", TW_U64}, {"ui64", TW_U64},
    {"int4", TW_I4}, {"int4b_t", TW_I4}, {"si4", TW_I4}, {"uint4", TW_U4}, {"ui4", TW_U4},
    {"float16", TW_F16}, {"float16_t", TW_F16}, {"fp16", TW_F16}, {"_Float16", TW_F16}, {"__fp16", TW_F16},
    {"bfloat16", TW_BF16}, {"bfloat16_t", TW_BF16}, {"__bf16", TW_BF16},
    {"float32", TW_F32}, {"float32_t", TW_F32}, {"fp32", TW_F32},
    {"float64", TW_F64}, {"float64_t", TW_F64}, {"fp64", TW_F64}, {"long double", TW_F64},
    {"float8_e4m3", TW_F8E4M3}, {"float8_e4m3_t", TW_F8E4M3}, {"f8E4M3FN", TW_F8E4M3},
    {"float8_e5m2", TW_F8E5M2}, {"float8_e5m2_t", TW_F8E5M2}, {"f8E5M2", TW_F8E5M2},
    {"float8_e8m0", TW_F8E8M0}, {"float8_e8m0_t", TW_F8E8M0}, {"f8E8M0FNU", TW_F8E8M0},
    {"hifloat8", TW_HIF8}, {"hifloat8_t", TW_HIF8},
    {"float4_e2m1", TW_F4E2M1}, {"float4_e2m1x2_t", TW_F4E2M1}, {"f4e2m1x2", TW_F4E2M1}, {"f4E2M1FN", TW_F4E2M1},
    {"float4_e1m2", TW_F4E1M2}, {"float4_e1m2x2_t", TW_F4E1M2}, {"f4e1m2x2", TW_F4E1M2},
    {"hifloat4", TW_HIF4}, {"hifloat4x2_t", TW_HIF4}, {"HiF4", TW_HIF4},
    {"complex_f16", TW_CF16}, {"complex_f32", TW_CF32}, {"complex64", TW_CF32},
    // clang-format on
};

const tw_type_info *tw_type_get(tw_type type)
{
    return &types[(unsigned)type < TW_TYPE_COUNT ? type : TW_TYPE_NONE];
}

size_t tw_type_size(tw_type type)
{
    return tw_type_get(type)->size;
}

const char *tw_type_name(tw_type type, tw_system system)
{
    const tw_type_info *info = tw_type_get(type);
    const char *name = (unsigned)system <= TW_SYSTEM_PTO ? info->names[system] : "";
    return *name ? name : info->names[TW_SYSTEM_TILEWRIGHT];
}

tw_type tw_type_by_name(const char *name)
{
    enum { LONGEST = 31 };
    char words[LONGEST + 1]; /* name with one blank between words */
    size_t n = 0;
    for (; name && *name; name++) {
        bool blank = isspace((unsigned char)*name);
        if (blank && (n == 0 || words[n - 1] == ' ')) continue;
        if (n == LONGEST) return TW_TYPE_NONE;
        words[n++] = blank ? ' ' : *name;
    }
    if (n && words[n - 1] == ' ') n--;
    words[n] = 0;
    if (!n) return TW_TYPE_NONE;
    for (unsigned type = TW_TYPE_NONE + 1; type < TW_TYPE_COUNT; type++)
        for (unsigned system = TW_SYSTEM_TILEWRIGHT; system <= TW_SYSTEM_PTO; system++)
            if (strcmp(types[type].names[system], words) == 0) return (tw_type)type;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strcmp(spellings[i].name, words) == 0) return spellings[i].type;
    return TW_TYPE_NONE;
}

/* Guide table 2.2, in its order. size and align in bytes, printed ones in bits. */
static const tw_vector_type vectors[] = {
    // clang-format off
    /* name        element               type   lanes size align printed  iset */
    {"char2",     "char",               TW_I8,  2,  2,  2,  16,  16, false},
    {"uchar2",    "unsigned char",      TW_U8,  2,  2,  2,  16,  16, false},
    {"char4",     "char",               TW_I8,  4,  4,  4,  32,  32, false},
    {"uchar4",    "unsigned char",      TW_U8,  4,  4,  4,  32,  32, false},
    {"int2",      "int",                TW_I32, 2,  8,  8,  64,  64, false},
    {"uint2",     "unsigned int",       TW_U32, 2,  8,  8,  64,  64, false},
    {"int4",      "int",                TW_I32, 4, 16, 16, 128, 128, false},
    {"uint4",     "unsigned int",       TW_U32, 4, 16, 16, 128, 128, false},
    {"long2",     "long",               TW_I32, 2,  8,  8,  64,  64, false},
    {"long4",     "long",               TW_I32, 4, 16, 16, 128, 128, false},
    {"longlong2", "long long",          TW_I64, 2, 16, 16, 128, 128, false},
    {"longlong4", "long long",          TW_I64, 4, 32, 32, 256, 256, false},
    {"short2",    "short",              TW_I16, 2,  4,  4,  32,  32, false},
    {"ushort2",   "unsigned short",     TW_U16, 2,  4,  4,  32,  32, false},
    {"short4",    "short",              TW_I16, 4,  8,  8,  64,  64, false},
    {"ushort4",   "unsigned short",     TW_U16, 4,  8,  8,  64,  64, false},
    {"float2",    "float",              TW_F32, 2,  8,  8,  32,  32, true},  /* printed size holds one float */
    {"float4",    "float",              TW_F32, 4, 16,  8,  64,  64, true},  /* printed size holds two */
    {"half2",     "half",               TW_F16, 2,  4,  4,  32,  32, true},
    {"half4",     "half",               TW_F16, 4,  8,  8,  64,  64, true},
    // clang-format on
};

const tw_vector_type *tw_vector_type_get(size_t index)
{
    return index < sizeof vectors / sizeof *vectors ? &vectors[index] : NULL;
}

const tw_vector_type *tw_vector_type_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (strcmp(vectors[i].name, name) == 0) return &vectors[i];
    return NULL;
}
