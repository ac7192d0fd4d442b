/* SPDX-License-Identifier: MIT */
/* Functions of <tilewright/codelet_math.h>, whole arrays at a time, and the activations among them. What the chip has
 * an instruction for is that; the rest calls this library's functions of one number. */
#include "float.h"

#if defined(TW_RT_HOST)
INLINE float chip_sigmoid(float x)
{
    return 1.0f / (1.0f + __builtin_expf(-x));
}
INLINE float chip_tanh(float x)
{
    return __builtin_tanhf(x);
}
#else
#define CHIP(name, instruction)                            \
    INLINE float chip_##name(float x)                      \
    {                                                      \
        float y;                                           \
        __asm__(instruction " %0, %1" : "=r"(y) : "r"(x)); \
        return y;                                          \
    }
CHIP(sigmoid, "f32sigm")
CHIP(tanh, "f32tanh")
#undef CHIP
#endif

/* --- activations ------------------------------------------------------------------------------------------------ */

/* e^x of a sum of two, times 2^60 where x is below -40, so that its lower part is no subnormal number. x >= -100 */
INLINE two exponential_scaled(two x, bool *deep)
{
    *deep = x.high < -40.0f;
    two e = exponential(x.high, *deep ? 60 : 0);
    e.low += e.high * x.low;
    return e;
}
/* scale / (1 + e^-x) */
INLINE float logistic(two x, float scale)
{
    if (!(x.high < 0.0f)) return scale / (1.0f + __builtin_expf(-x.high));
    if (x.high < -100.0f) return scale * 0.0f;
    bool deep;
    two e = exponential_scaled(x, &deep);
    float y = scale * (e.high + e.low);
    return deep ? y * 0x1p-60f : y / (1.0f + e.high);
}
INLINE float at_least(float x, float low)
{
    return x < low ? low : x;
}

/* Factors stop where the other one is 0, so that -infinity gives -0. */
INLINE float map_silu(float x)
{
    return logistic((two){ x, 0.0f }, at_least(x, -200.0f));
}
/* (1 + tanh u) / 2 = 1 / (1 + e^-2u), 2 u = 2 sqrt(2 / pi) (x + 0.044715 x^3) */
INLINE float map_gelu_tanh(float x)
{
    if (is_nanf(x)) return NANF;
    if (x > 20.0f) return x;
    if (x < -20.0f) return -0.0f;
    two line = times(product_of(x, x), (two){ 0x1.2444f2p-4f, 0x1.49b16ap-29f });
    two factor = plus((two){ 0x1.988454p0f, -0x1.857936p-25f }, line);
    return logistic(times(factor, (two){ x, 0.0f }), x);
}
/* x (1 + erf(x / sqrt 2)) / 2 */
INLINE float map_gelu_erf(float x)
{
    float z = float_from(magnitude_of(x)) * 0x1.6a09e6p-1f;
    if (is_nanf(x)) return NANF;
    if (!(x < 0.0f)) return x * (0.5f + 0.5f * RT_NAME(erff)(z));
    if (z < 0.84f) return 0.5f * x * RT_NAME(erfcf)(z);
    if (z > 9.4f) return -0.0f;
    bool deep;
    two square = product_of(x, -0.5f * x), e = exponential_scaled(square, &deep);
    float y = (e.high + e.low) * error_tail_scaled(z) * (0.5f * x);
    return deep ? y * 0x1p-60f : y;
}
INLINE float map_softplus(float x)
{
    float more = RT_NAME(log1pf)(__builtin_expf(-float_from(magnitude_of(x))));
    return x > 0.0f ? x + more : more;
}

/* --- arrays ----------------------------------------------------------------------------------------------------- */

#define MAP_1(name, function)                                                \
    RT void RT_NAME(tw_map_##name)(uint32_t n, float *dst, const float *src) \
    {                                                                        \
        for (uint32_t i = 0; i < n; i++) dst[i] = function(src[i]);          \
    }
#define MAP_2(name, function)                                                              \
    RT void RT_NAME(tw_map_##name)(uint32_t n, float *dst, const float *a, const float *b) \
    {                                                                                      \
        for (uint32_t i = 0; i < n; i++) dst[i] = function(a[i], b[i]);                    \
    }
MAP_1(exp, __builtin_expf)
MAP_1(exp2, __builtin_exp2f)
MAP_1(expm1, RT_NAME(expm1f))
MAP_1(log, __builtin_logf)
MAP_1(log2, __builtin_log2f)
MAP_1(log10, RT_NAME(log10f))
MAP_1(log1p, RT_NAME(log1pf))
MAP_1(sin, RT_NAME(sinf))
MAP_1(cos, RT_NAME(cosf))
MAP_1(tan, RT_NAME(tanf))
MAP_1(asin, RT_NAME(asinf))
MAP_1(acos, RT_NAME(acosf))
MAP_1(atan, RT_NAME(atanf))
MAP_1(sinh, RT_NAME(sinhf))
MAP_1(cosh, RT_NAME(coshf))
MAP_1(tanh, chip_tanh)
MAP_1(asinh, RT_NAME(asinhf))
MAP_1(acosh, RT_NAME(acoshf))
MAP_1(atanh, RT_NAME(atanhf))
MAP_1(erf, RT_NAME(erff))
MAP_1(erfc, RT_NAME(erfcf))
MAP_1(cbrt, RT_NAME(cbrtf))
MAP_1(sigmoid, chip_sigmoid)
MAP_1(silu, map_silu)
MAP_1(gelu_erf, map_gelu_erf)
MAP_1(gelu_tanh, map_gelu_tanh)
MAP_1(softplus, map_softplus)
MAP_2(pow, RT_NAME(powf))
MAP_2(atan2, RT_NAME(atan2f))
MAP_2(fmod, RT_NAME(fmodf))
MAP_2(hypot, RT_NAME(hypotf))
