// SPDX-License-Identifier: MIT
// Part of <pto/pto-inst.hpp>: what programs expect of the vendor's compiler itself. Qualifiers of functions and
// memories, which
// mean nothing on a host, and the element types that C++ lacks.
#ifndef PTO_PTO_TYPES_HPP
#define PTO_PTO_TYPES_HPP

#include <algorithm>
#include <cstdint>

#ifndef AICORE
#define AICORE
#endif
#ifndef PTO_INST
#define PTO_INST inline
#endif
#ifndef PTO_INLINE
#define PTO_INLINE inline
#endif
#ifndef PTO_INTERNAL
#define PTO_INTERNAL inline
#endif
#ifndef __aicore__
#define __aicore__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __gm__
#define __gm__
#endif
#ifndef __ubuf__
#define __ubuf__
#endif
#ifndef __cbuf__
#define __cbuf__
#endif
#ifndef __ca__
#define __ca__
#endif
#ifndef __cb__
#define __cb__
#endif
#ifndef __cc__
#define __cc__
#endif
#ifndef __fbuf__
#define __fbuf__
#endif
#ifndef __tf__
#define __tf__
#endif
#ifndef __in__
#define __in__
#endif
#ifndef __out__
#define __out__
#endif

// Kernels call these without a namespace.
using std::max;
using std::min;

// 16-bit floats as storage with conversions, to nearest with ties to even; arithmetic goes through float.
struct half {
#ifdef __aarch64__ // there g++ has _Float16 from version 13 on
    using float16 = __fp16;
#else
    using float16 = _Float16;
#endif
    uint16_t bits = 0;
    half() = default;
    constexpr half(float value) : bits(__builtin_bit_cast(uint16_t, static_cast<float16>(value))) {}
    constexpr operator float() const { return static_cast<float>(__builtin_bit_cast(float16, bits)); }
};
struct bfloat16_t {
    uint16_t bits = 0;
    bfloat16_t() = default;
    constexpr bfloat16_t(float value) : bits(upper(__builtin_bit_cast(uint32_t, value))) {}
    constexpr operator float() const { return __builtin_bit_cast(float, uint32_t(bits) << 16); }

  private:
    static constexpr uint16_t upper(uint32_t f)
    {
        return uint16_t((f & 0x7fffffff) > 0x7f800000 ? f >> 16 | 0x40 : (f + 0x7fff + (f >> 16 & 1)) >> 16);
    }
};
using float16_t = half;
using float32_t = float;
struct float8_e4m3_t {
    uint8_t bits;
};
struct float8_e5m2_t {
    uint8_t bits;
};
struct float8_e8m0_t {
    uint8_t bits;
};
struct hifloat8_t {
    uint8_t bits;
};
// Two elements, the first in the low half.
struct float4_e1m2x2_t {
    uint8_t bits;
};
struct float4_e2m1x2_t {
    uint8_t bits;
};
struct hifloat4x2_t {
    uint8_t bits;
};
struct int4b_t {
    uint8_t bits;
};
#endif
