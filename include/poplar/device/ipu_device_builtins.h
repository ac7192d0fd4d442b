/* SPDX-License-Identifier: MIT */
/* __builtin_ipu_* on a chip: instructions that no operator of C gives, one each unless the comment says otherwise. A
 * control register is a constant; those of uget and uput are the lower eight bits of the indices in
 * <poplar/TileConstants.hpp>. C++ codelets have them from their first line on, C codelets with
 * <tilewright/codelet.h>. */
#ifndef TW_IPU_DEVICE_BUILTINS_H
#define TW_IPU_DEVICE_BUILTINS_H

#include <poplar/TileConstants.hpp>
#include <poplar/device/ipudef.h>

// clang-format off
#define TW__BUILTIN static inline __attribute__((always_inline, overloadable, unused))

/* --- control registers ------------------------------------------------------------------------------------------ */

#define __builtin_ipu_get(csr)                                                                                 \
    __extension__({                                                                                            \
        unsigned tw__csr;                                                                                      \
        __asm__ volatile("get %0, %1" : "=r"(tw__csr) : "i"(csr));                                             \
        tw__csr;                                                                                               \
    })
#define __builtin_ipu_put(value, csr) \
    __extension__({ __asm__ volatile("put %1, %0" ::"r"((unsigned)(value)), "i"(csr) : "memory"); })
#define __builtin_ipu_uget(csr)                                                                                \
    __extension__({                                                                                            \
        float tw__csr;                                                                                         \
        __asm__ volatile("uget %0, %1" : "=r"(tw__csr) : "i"(csr));                                            \
        __builtin_bit_cast(unsigned, tw__csr);                                                                 \
    })
/* A float is put as it is, an integer as its bits. */
TW__BUILTIN float tw__aux_bits(float x) { return x; }
TW__BUILTIN float tw__aux_bits(unsigned x) { union { unsigned u; float f; } b = { x }; return b.f; }
TW__BUILTIN float tw__aux_bits(int x) { return tw__aux_bits((unsigned)x); }
#define __builtin_ipu_uput(value, csr) \
    __extension__({ __asm__ volatile("uput %1, %0" ::"r"(tw__aux_bits(value)), "i"(csr) : "memory"); })

static inline __attribute__((unused)) unsigned __builtin_ipu_get_scount_l(void) { return __builtin_ipu_get(CSR_W_COUNT_L__INDEX); }
static inline __attribute__((unused)) unsigned __builtin_ipu_get_scount_u(void) { return __builtin_ipu_get(CSR_W_COUNT_U__INDEX); }

/* --- addresses and weights -------------------------------------------------------------------------------------- */

#define __builtin_ipu_tapack(a, b, c)                                                                          \
    __extension__({                                                                                            \
        uint2 tw__packed;                                                                                      \
        __asm__("tapack %0, %1, %2, %3"                                                                        \
                : "=r"(tw__packed) : "r"((unsigned)(a)), "r"((unsigned)(b)), "r"((unsigned)(c)));              \
        tw__packed;                                                                                            \
    })
#define __builtin_ipu_ld64putcs(n)  __extension__({ __asm__ volatile("ld64putcs %0" ::"i"(n) : "memory"); })
#define __builtin_ipu_ld128putcs(n) __extension__({ __asm__ volatile("ld128putcs %0" ::"i"(n) : "memory"); })

/* --- one result, one or two operands ---------------------------------------------------------------------------- */

#define TW__ASM_1(name, insn, R, A) TW__BUILTIN R name(A x) { R r; __asm__(insn " %0, %1" : "=r"(r) : "r"(x)); return r; }
#define TW__ASM_2(name, insn, R, A, B) \
    TW__BUILTIN R name(A x, B y) { R r; __asm__(insn " %0, %1, %2" : "=r"(r) : "r"(x), "r"(y)); return r; }

#define TW__TRANSCENDENTAL(name)                                                                               \
    TW__ASM_1(__builtin_ipu_##name, "f32" #name, float, float)                                                 \
    TW__ASM_1(__builtin_ipu_##name, "f16v2" #name, half2, half2)
TW__TRANSCENDENTAL(exp) TW__TRANSCENDENTAL(exp2) TW__TRANSCENDENTAL(ln) TW__TRANSCENDENTAL(log2)
TW__TRANSCENDENTAL(tanh) TW__TRANSCENDENTAL(sigm)
TW__ASM_1(__builtin_ipu_oox, "f32oox", float, float)
TW__ASM_1(__builtin_ipu_oorx, "f32oorx", float, float)
TW__ASM_1(__builtin_ipu_sqrt, "f32sqrt", float, float)
TW__ASM_1(__builtin_ipu_sum, "f16v2sum", float, half2)
TW__ASM_1(__builtin_ipu_sum, "f16v4sum", float2, half4)

/* Masks as values of the type compared: all bits of a lane, or none. */
#define TW__LANES(name)                                                                                        \
    TW__ASM_2(__builtin_ipu_##name, "f32" #name, float, float, float)                                          \
    TW__ASM_2(__builtin_ipu_##name, "f32v2" #name, float2, float2, float2)                                     \
    TW__ASM_2(__builtin_ipu_##name, "f16v2" #name, half2, half2, half2)                                        \
    TW__ASM_2(__builtin_ipu_##name, "f16v4" #name, half4, half4, half4)
TW__LANES(cmpeq) TW__LANES(cmpne) TW__LANES(cmplt) TW__LANES(cmple) TW__LANES(cmpgt) TW__LANES(cmpge)
TW__LANES(min) TW__LANES(max) TW__LANES(absadd) TW__LANES(absmax)

/* Bits of floats. */
TW__ASM_2(__builtin_ipu_and_f32, "and", float, float, float)
TW__ASM_2(__builtin_ipu_andc_f32, "andc", float, float, float)
TW__ASM_2(__builtin_ipu_or_f32, "or", float, float, float)
TW__ASM_1(__builtin_ipu_not_f32, "not", float, float)
TW__ASM_2(__builtin_ipu_and_f32, "and64", float2, float2, float2)
TW__ASM_2(__builtin_ipu_andc_f32, "andc64", float2, float2, float2)
TW__ASM_2(__builtin_ipu_or_f32, "or64", float2, float2, float2)
TW__ASM_1(__builtin_ipu_not_f32, "not64", float2, float2)

/* Of words in the main file; four bytes or two shorts count as their word. */
#define TW__WORDS_1(name) \
    TW__ASM_1(__builtin_ipu_##name, #name, unsigned, unsigned) TW__ASM_1(__builtin_ipu_##name, #name, uchar4, uchar4)
#define TW__WORDS_2(name)                                                                                      \
    TW__ASM_2(__builtin_ipu_##name, #name, unsigned, unsigned, unsigned)                                       \
    TW__ASM_2(__builtin_ipu_##name, #name, uchar4, uchar4, uchar4)                                             \
    TW__ASM_2(__builtin_ipu_##name, #name, char4, char4, char4)
TW__WORDS_1(bitrev8) TW__WORDS_1(swap8) TW__WORDS_1(cms)
TW__WORDS_2(shuf8x8lo) TW__WORDS_2(shuf8x8hi) TW__WORDS_2(sort8x8lo) TW__WORDS_2(sort8x8hi)
TW__WORDS_2(roll8l) TW__WORDS_2(roll8r) TW__WORDS_2(roll16) TW__WORDS_2(sort4x16lo) TW__WORDS_2(sort4x16hi)

/* --- accumulators ----------------------------------------------------------------------------------------------- */

/* Builtins of instructions on them have the instruction's name and its order of operands, but for f32v2axpy, whose
 * addend comes first as in programs for the vendor's compiler: accumulators = $TAS * x + addend, result what they
 * held. The last operand of f32v2aop has no effect; n of gina says which accumulators, a constant of 0 to 3. */
TW__BUILTIN float2 __builtin_ipu_f32v2axpy(float2 addend, float2 x)
{
    float2 r;
    __asm__ volatile("f32v2axpy %0, %1, %2" : "=r"(r) : "r"(x), "r"(addend));
    return r;
}
TW__BUILTIN half4 __builtin_ipu_f16v4mix(half4 x, half4 y)
{
    half4 r;
    __asm__ volatile("f16v4mix %0, %1, %2" : "=r"(r) : "r"(x), "r"(y));
    return r;
}
#define TW__ACC_1(insn, A) TW__BUILTIN void __builtin_ipu_##insn(A x) { __asm__ volatile(#insn " %0" ::"r"(x)); }
#define TW__ACC_2(insn, A) \
    TW__BUILTIN void __builtin_ipu_##insn(A x, A y) { __asm__ volatile(#insn " %0, %1" ::"r"(x), "r"(y)); }
TW__ACC_1(f16v4acc, half4) TW__ACC_1(f16v4absacc, half4) TW__ACC_1(f32v4acc, float4) TW__ACC_1(f32v4absacc, float4)
TW__ACC_1(f32v4sqacc, float4)
TW__ACC_2(f16v2cmac, half2) TW__ACC_2(f16v4cmac, half4) TW__ACC_2(f32mac, float) TW__ACC_2(f32v2mac, float2)
TW__BUILTIN void __builtin_ipu_f32v2aop(float2 x, float2 y, unsigned n)
{
    (void)n;
    __asm__ volatile("f32v2aop %0, %1, 0" ::"r"(x), "r"(y));
}
#define TW__GINA(insn, T)                                                                                      \
    TW__BUILTIN T __builtin_ipu_gina(T x, unsigned n)                                                          \
    {                                                                                                          \
        T r;                                                                                                   \
        switch (n & 3) {                                                                                       \
        case 0: __asm__ volatile(insn " %0, %1, 0" : "=r"(r) : "r"(x)); break;                                 \
        case 1: __asm__ volatile(insn " %0, %1, 1" : "=r"(r) : "r"(x)); break;                                 \
        case 2: __asm__ volatile(insn " %0, %1, 2" : "=r"(r) : "r"(x)); break;                                 \
        default: __asm__ volatile(insn " %0, %1, 3" : "=r"(r) : "r"(x));                                       \
        }                                                                                                      \
        return r;                                                                                              \
    }
TW__GINA("f32v2gina", float2) TW__GINA("f16v2gina", half2)
static inline __attribute__((always_inline, unused)) float2 __builtin_ipu_f32v2gina(float2 x, unsigned n) { return __builtin_ipu_gina(x, n); }
static inline __attribute__((always_inline, unused)) half2 __builtin_ipu_f16v2gina(half2 x, unsigned n) { return __builtin_ipu_gina(x, n); }
TW__BUILTIN half4 __builtin_ipu_f16v4gacc(void)
{
    half4 r;
    __asm__ volatile("f16v4gacc %0" : "=r"(r));
    return r;
}
#undef TW__ACC_1
#undef TW__ACC_2
#undef TW__GINA

/* --- classes of numbers (some instructions) --------------------------------------------------------------------- */

#define TW__CLASS(T, R)                                                                                        \
    TW__BUILTIN R __builtin_ipu_isnan(T x) { return x != x; }                                                  \
    TW__BUILTIN R __builtin_ipu_isinf(T x) { return x == x && x - x != x - x; }                                \
    TW__BUILTIN R __builtin_ipu_isfinite(T x) { return x - x == x - x; }
TW__CLASS(float, int) TW__CLASS(half, int)
#undef TW__CLASS
#define TW__CLASS(T, R)                                                                                        \
    TW__BUILTIN R __builtin_ipu_isnan(T x) { return (R)(x != x); }                                             \
    TW__BUILTIN R __builtin_ipu_isinf(T x) { T z = x - x; return (R)((x == x) & (z != z)); }                   \
    TW__BUILTIN R __builtin_ipu_isfinite(T x) { T z = x - x; return (R)(z == z); }
TW__CLASS(float2, int2) TW__CLASS(float4, int4) TW__CLASS(half2, short2) TW__CLASS(half4, short4)
#undef TW__CLASS

/* --- random numbers --------------------------------------------------------------------------------------------- */

#define TW__RANDOM(name, insn, R) \
    static inline __attribute__((unused)) R name(void) { R r; __asm__ volatile(insn " %0" : "=r"(r)); return r; }
TW__RANDOM(tw__urand32, "urand32", float)
TW__RANDOM(tw__urand64, "urand64", float2)
TW__RANDOM(__builtin_ipu_f16v2grand, "f16v2grand", half2)
TW__RANDOM(__builtin_ipu_f32v2grand, "f32v2grand", float2)
static inline __attribute__((unused)) unsigned __builtin_ipu_urand32(void)
{
    union { float f; unsigned u; } b = { tw__urand32() };
    return b.u;
}
static inline __attribute__((unused)) unsigned long long __builtin_ipu_urand64(void)
{
    union { float2 f; unsigned long long u; } b = { tw__urand64() };
    return b.u;
}
#define TW__RMASK(name, insn, T)                                                                               \
    TW__BUILTIN T name(T x, float p) { T r; __asm__ volatile(insn " %0, %1, %2" : "=r"(r) : "r"(x), "r"(p)); return r; }
TW__RMASK(__builtin_ipu_rmask, "f32v2rmask", float2)
TW__RMASK(__builtin_ipu_rmask, "f16v4rmask", half4)

#undef TW__ASM_1
#undef TW__ASM_2
#undef TW__TRANSCENDENTAL
#undef TW__LANES
#undef TW__WORDS_1
#undef TW__WORDS_2
#undef TW__RANDOM
#undef TW__RMASK
#undef TW__BUILTIN
// clang-format on
#endif
