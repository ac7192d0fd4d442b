/* SPDX-License-Identifier: MIT */
/* Scalars, conversions, elementary functions, addressing, whole-vector products, and the names that say they are not
 * modelled.
 *
 * Threads: no state but that of the thread: what -DTW_AIE_PROFILE counts, and the control registers. */
#ifndef TILEWRIGHT_AIE_SCALAR_H
#define TILEWRIGHT_AIE_SCALAR_H

#include <math.h> /* sqrt and sincos have namesakes there */
#include <tilewright/aie/complex.h>
#include <tilewright/aie/float.h>
#include <tilewright/aie/integer.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Correctly rounded; the hardware's tables are not public (assumed to be within one unit in the last place). */
TW_API float tw_aie_inv(float x);
TW_API float tw_aie_sqrt(float x);
TW_API float tw_aie_invsqrt(float x);
/* angle / pi in Q1.31, of which the upper 20 bits count; cosine and sine in Q15, saturated. */
TW_API cint16 tw_aie_sincos(uint32_t angle);
TW_API int32 tw_aie_float2fix(float x, int shift); /* round(x * 2^shift), ties to even, saturated; NaN gives 0 */
#ifdef __cplusplus
}
#endif

/* --- conversions ---------------------------------------------------------------------------------------------- */

/* n * 2^-shift, rounded once. */
TW__AIE float tw_fix2float_int(int n, int shift)
{
    uint32_t bits = (uint32_t)(127 - shift) << 23;
    float scale;
    TW__CHECK(shift >= -32 && shift <= 31, "fix2float", "shift %d is not -32 to 31", shift);
    __builtin_memcpy(&scale, &bits, sizeof scale);
    TW__COUNT(SCALAR, 1);
    return (float)n * scale;
}
/* X(source, result, lanes as components, component of source) */
// clang-format off
#define TW__FIX2FLOAT_LIST(X) \
    X(v8int32, v8float, 8, int32) X(v8int16, v8float, 8, int16) X(v4cint16, v4cfloat, 8, int16) \
    X(v4cint32, v4cfloat, 8, int32)
// clang-format on
#define TW__FIX2FLOAT(from, to, n, part)                                     \
    TW__AIE to tw_fix2float_##from(from v, int shift)                        \
    {                                                                        \
        TW__DEFINED("fix2float", &v, sizeof v);                              \
        part in[n];                                                          \
        float out[n];                                                        \
        to r;                                                                \
        __builtin_memcpy(in, &v, sizeof in);                                 \
        for (int i = 0; i < n; i++) out[i] = tw_fix2float_int(in[i], shift); \
        __builtin_memcpy(&r, out, sizeof r);                                 \
        return r;                                                            \
    }
TW__FIX2FLOAT_LIST(TW__FIX2FLOAT)
// clang-format off
#define TW__FLOAT2FIX_LIST(X) \
    X(float2fix, v8float, v8int32, int32) X(float2fix, v4cfloat, v4cint32, int32) \
    X(float2fix16, v8float, v8int16, int16) X(float2fix16, v4cfloat, v4cint16, int16)
// clang-format on
#define TW__FLOAT2FIX(name, from, to, part)                                   \
    TW__AIE to tw_##name##_##from(from v, int shift)                          \
    {                                                                         \
        TW__DEFINED(#name, &v, sizeof v);                                     \
        float in[8];                                                          \
        part out[8];                                                          \
        to r;                                                                 \
        const int32 most = (int32)((1u << (8 * sizeof(part) - 1)) - 1);       \
        __builtin_memcpy(in, &v, sizeof in);                                  \
        TW__COUNT(VECTOR, 1);                                                 \
        for (int i = 0; i < 8; i++) {                                         \
            int32 n = tw_aie_float2fix(in[i], shift);                         \
            out[i] = (part)(n > most ? most : n < -most - 1 ? -most - 1 : n); \
        }                                                                     \
        __builtin_memcpy(&r, out, sizeof r);                                  \
        return r;                                                             \
    }
TW__FLOAT2FIX_LIST(TW__FLOAT2FIX)

/* Fixed point: float2fix(f(fix2float(a, shift1)), shift2). */
#define TW__FIXED(name, f)                                               \
    TW__AIE int tw_##name##_fixed(int a, int shift1, int shift2)         \
    {                                                                    \
        return tw_aie_float2fix(f(tw_fix2float_int(a, shift1)), shift2); \
    }
// clang-format off
TW__FIXED(inv, tw_aie_inv)
TW__FIXED(sqrt, tw_aie_sqrt)
TW__FIXED(invsqrt, tw_aie_invsqrt)
// clang-format on

/* --- addressing ----------------------------------------------------------------------------------------------- */

/* One wrap: |offs| at most len (assumed). */
TW__AIE int64_t tw__cyclic(int64_t at, int64_t offs, int64_t len)
{
    int64_t k = at + offs;
    TW__CHECK(offs <= len && -offs <= len, "cyclic_add", "offset %lld is beyond the length %lld", (long long)offs,
              (long long)len);
    TW__COUNT(SCALAR, 1);
    return k >= len ? k - len : k < 0 ? k + len : k;
}

TW__AIE void *tw__byte_incr(const void *p, int bytes, unsigned width)
{
    (void)width;
    TW__CHECK(width < 16 || ((uintptr_t)p + (uintptr_t)bytes) % 16 == 0, "byte_incr",
              "%d bytes leave a pointer to vectors off its 16-byte alignment; the hardware drops the low 4 bits",
              bytes);
    return (char *)(uintptr_t)p + bytes;
}

/* --- whole-vector products ---------------------------------------------------------------------------------------
 * Lane by lane. X(name suffix in C, vector, accumulator, component, words, complex) */
// clang-format off
#define TW__WHOLE_LIST(X) \
    X(v16int16, v16acc48, int16, 16, 0, uint64) X(v8int32, v8acc80, int32, 8, 0, tw__u128) \
    X(v8cint16, v8cacc48, int16, 16, 1, uint64) X(v4cint32, v4cacc80, int32, 8, 1, tw__u128)
// clang-format on
#define TW__WHOLE(vec, acct, part, words, complex, wide)                                                        \
    TW__AIE acct TW__N(tw__whole, tw__whole_##vec)(unsigned flags, acct acc, vec x, vec z)                      \
    {                                                                                                           \
        TW__DEFINED("mul", &x, sizeof x);                                                                       \
        TW__DEFINED("mul", &z, sizeof z);                                                                       \
        TW__DEFINED("mac", &acc, sizeof acc);                                                                   \
        part a[words], b[words];                                                                                \
        const wide sign = flags & TW__SUBTRACT ? (wide)0 - 1 : 1;                                               \
        __builtin_memcpy(a, &x, sizeof a);                                                                      \
        __builtin_memcpy(b, &z, sizeof b);                                                                      \
        TW__COUNT(VECTOR, 1);                                                                                   \
        for (int i = 0; i < words; i += 1 + complex) {                                                          \
            wide re = (wide)a[i] * (wide)b[i], im = 0;                                                          \
            if (complex) {                                                                                      \
                im = (wide)a[i] * (wide)b[i + complex] + (wide)a[i + complex] * (wide)b[i];                     \
                re -= (wide)a[i + complex] * (wide)b[i + complex];                                              \
                acc.word[i + complex] = (__typeof__(acc.word[0] + 0))((wide)acc.word[i + complex] + sign * im); \
            }                                                                                                   \
            acc.word[i] = (__typeof__(acc.word[0] + 0))((wide)acc.word[i] + sign * re);                         \
        }                                                                                                       \
        return acc;                                                                                             \
    }                                                                                                           \
    TW__AIE acct TW__N(tw__whole0, tw__whole0_##vec)(unsigned flags, vec x, vec z)                              \
    {                                                                                                           \
        acct acc = { { { 0 } } };                                                                               \
        return TW__N(tw__whole, tw__whole_##vec)(flags, acc, x, z);                                             \
    }
TW__WHOLE_LIST(TW__WHOLE)
// clang-format off
#define TW__WHOLE_NAMES(X) \
    X(mul, tw__whole0, 0) X(negmul, tw__whole0, TW__SUBTRACT) X(mac, tw__whole, 0) \
    X(msc, tw__whole, TW__SUBTRACT) X(lmul, tw__whole0, 0) X(lnegmul, tw__whole0, TW__SUBTRACT) \
    X(lmac, tw__whole, 0) X(lmsc, tw__whole, TW__SUBTRACT)
// clang-format on

/* --- names ---------------------------------------------------------------------------------------------------- */

// clang-format off
#define TW__NOT_MODELLED_LIST(X) \
    X(butterfly_dit) X(butterfly_dit_minj) X(half_butterfly_dit) X(fft_data_incr) X(fft_twiddle_incr) \
    X(fft_zoffs) X(fft_mod_delay) X(msc4_conj_sym) X(mul8_cfr) X(mac8_cfr) X(dpd_ipol)
// clang-format on
#ifdef __cplusplus
#ifndef TILEWRIGHT_AIE_VENDOR_TYPES_H /* aie/vendor.hpp: functions, which a layered mul() of its own templates outranks */
TW__WHOLE_NAMES(TW__NAME)
#endif
/* Pointers come by reference: clang warns where one to a 16-byte aligned vector turns into a plain T *. */
template <class TwT> struct tw__same {
    typedef TwT type;
};
template <class TwT>
TW__AIE TwT *cyclic_add(TwT *const &a, int offs, typename tw__same<TwT>::type *const &start, int len TW__AT)
{
    TW__HERE;
    return start + tw__cyclic(a - start, offs, len);
}
template <class TwT, decltype(sizeof 0) TwN>
TW__AIE TwT *cyclic_add(TwT (&a)[TwN], int offs, typename tw__same<TwT>::type *const &start, int len TW__AT)
{
    TW__HERE;
    return start + tw__cyclic(a - start, offs, len);
}
template <class TwT> struct tw__width {
    enum { bytes = sizeof(TwT) };
};
template <> struct tw__width<void> {
    enum { bytes = 1 };
};
template <class TwT> TW__AIE TwT *byte_incr(TwT *const &p, int bytes TW__AT)
{
    TW__HERE;
    return (TwT *)tw__byte_incr(p, bytes, tw__width<TwT>::bytes);
}
template <class TwT, decltype(sizeof 0) TwN> TW__AIE TwT *byte_incr(TwT (&p)[TwN], int bytes TW__AT)
{
    TW__HERE;
    return (TwT *)tw__byte_incr(p, bytes, tw__width<TwT>::bytes);
}
TW__AIE float fix2float(int n, int shift = 0 TW__AT)
{
    TW__HERE;
    return tw_fix2float_int(n, shift);
}
TW__AIE int float2fix(float v, int shift = 0)
{
    return tw_aie_float2fix(v, shift);
}
#define TW__CXX_FIX2FLOAT(from, to, n, part)               \
    TW__AIE to fix2float(from v, int shift = 0)            \
    {                                                      \
        return tw_fix2float_##from(v, shift);              \
    }                                                      \
    TW__AIE to fix2float_vectorized(from v, int shift = 0) \
    {                                                      \
        return tw_fix2float_##from(v, shift);              \
    }
TW__FIX2FLOAT_LIST(TW__CXX_FIX2FLOAT)
#define TW__CXX_FLOAT2FIX(name, from, to, part) \
    TW__AIE to name(from v, int shift = 0)      \
    {                                           \
        return tw_##name##_##from(v, shift);    \
    }
TW__FLOAT2FIX_LIST(TW__CXX_FLOAT2FIX)
TW__AIE v8int32 float2fix_vectorized(v8float v, int shift = 0)
{
    return tw_float2fix_v8float(v, shift);
}
TW__AIE v4cint32 float2fix_vectorized(v4cfloat v, int shift = 0)
{
    return tw_float2fix_v4cfloat(v, shift);
}
TW__AIE float inv(float x)
{
    return tw_aie_inv(x);
}
TW__AIE int inv(int a, int shift1, int shift2)
{
    return tw_inv_fixed(a, shift1, shift2);
}
TW__AIE float invsqrt(float x)
{
    return tw_aie_invsqrt(x);
}
TW__AIE int invsqrt(int a, int shift1, int shift2)
{
    return tw_invsqrt_fixed(a, shift1, shift2);
}
TW__AIE float _sqrtf(float x)
{
    return tw_aie_sqrt(x);
}
TW__AIE int sqrt(int a, int shift1, int shift2)
{
    return tw_sqrt_fixed(a, shift1, shift2);
}
TW__AIE cint16 sincos(unsigned angle)
{
    return tw_aie_sincos(angle);
}
#define TW__CXX_NOT_MODELLED(name)                                                                     \
    template <class... TwA> TW__AIE int name(TwA &&...)                                                \
    {                                                                                                  \
        static_assert(sizeof...(TwA) == 9999, #name " (FFT, CFR, DPD) is not modelled by Tilewright"); \
        return 0;                                                                                      \
    }
#ifndef TILEWRIGHT_AIE_VENDOR_TYPES_H /* aie/vendor.hpp has its own list */
TW__NOT_MODELLED_LIST(TW__CXX_NOT_MODELLED)
#endif
#else
#define tw_mac_lmac_3(f, acc, x, z)   \
    _Generic((x),                     \
        v16int16: tw__whole_v16int16, \
        v8int32: tw__whole_v8int32,   \
        v8cint16: tw__whole_v8cint16, \
        v4cint32: tw__whole_v4cint32)(f, acc, x, z)
#define tw_mul_lmul_2(f, x, z)         \
    _Generic((x),                      \
        v16int16: tw__whole0_v16int16, \
        v8int32: tw__whole0_v8int32,   \
        v8cint16: tw__whole0_v8cint16, \
        v4cint32: tw__whole0_v4cint32)(f, x, z)
#define mul(...)                        TW__CALL(tw_mul_lmul, 0, __VA_ARGS__)
#define negmul(...)                     TW__CALL(tw_mul_lmul, TW__SUBTRACT, __VA_ARGS__)
#define mac(...)                        TW__CALL(tw_mac_lmac, 0, __VA_ARGS__)
#define msc(...)                        TW__CALL(tw_mac_lmac, TW__SUBTRACT, __VA_ARGS__)
#define lmul(...)                       TW__CALL(tw_mul_lmul, 0, __VA_ARGS__)
#define lnegmul(...)                    TW__CALL(tw_mul_lmul, TW__SUBTRACT, __VA_ARGS__)
#define lmac(...)                       TW__CALL(tw_mac_lmac, 0, __VA_ARGS__)
#define lmsc(...)                       TW__CALL(tw_mac_lmac, TW__SUBTRACT, __VA_ARGS__)
#define cyclic_add(a, offs, start, len) TW__CALLED((start) + tw__cyclic((a) - (start), offs, len))
#define byte_incr(p, bytes)             TW__CALLED((__typeof__((p) + 0))tw__byte_incr(p, bytes, sizeof *(p)))
/* fix2float(n), fix2float(n, shift): scalars and vectors. */
#define fix2float(...)                  TW__SHIFTED(tw__fix2float, __VA_ARGS__, 0, 0)
#define fix2float_vectorized            fix2float
#define TW__SHIFTED(f, v, s, ...)       TW__CALLED(f(v, s))
#define tw__fix2float(v, s)              \
    _Generic((v),                        \
        default: tw_fix2float_int,       \
        v8int32: tw_fix2float_v8int32,   \
        v8int16: tw_fix2float_v8int16,   \
        v4cint16: tw_fix2float_v4cint16, \
        v4cint32: tw_fix2float_v4cint32)(v, s)
#define float2fix(...)       TW__SHIFTED(tw__float2fix, __VA_ARGS__, 0, 0)
#define float2fix_vectorized float2fix
#define tw__float2fix(v, s) \
    _Generic((v), default: tw_aie_float2fix, v8float: tw_float2fix_v8float, v4cfloat: tw_float2fix_v4cfloat)(v, s)
#define float2fix16(...) TW__SHIFTED(tw__float2fix16, __VA_ARGS__, 0, 0)
#define tw__float2fix16(v, s) \
    _Generic((v), v8float: tw_float2fix16_v8float, v4cfloat: tw_float2fix16_v4cfloat)(v, s)
#define TW__BY_COUNT(f, ...)      TW__BY_COUNT_(f, TW__NARGS(__VA_ARGS__), __VA_ARGS__)
#define TW__BY_COUNT_(f, n, ...)  TW__BY_COUNT__(f, n, __VA_ARGS__)
#define TW__BY_COUNT__(f, n, ...) f##_##n(__VA_ARGS__)
#define inv(...)                  TW__BY_COUNT(tw_inv, __VA_ARGS__)
#define tw_inv_1(x)               tw_aie_inv(x)
#define tw_inv_3(a, s, t)         tw_inv_fixed(a, s, t)
#define invsqrt(...)              TW__BY_COUNT(tw_invsqrt, __VA_ARGS__)
#define tw_invsqrt_1(x)           tw_aie_invsqrt(x)
#define tw_invsqrt_3(a, s, t)     tw_invsqrt_fixed(a, s, t)
#ifndef sqrt /* <tgmath.h> has one */
#define sqrt(...) TW__BY_COUNT(tw_sqrt, __VA_ARGS__)
#endif
#define tw_sqrt_1(x)       sqrt(x)
#define tw_sqrt_3(a, s, t) tw_sqrt_fixed(a, s, t)
#define _sqrtf(x)          tw_aie_sqrt(x)
#define sincos(angle)      tw_aie_sincos(angle)
#define TW__NOT_MODELLED(name)                                                    \
    __extension__({                                                               \
        _Static_assert(0, name " (FFT, CFR, DPD) is not modelled by Tilewright"); \
        0;                                                                        \
    })
#define butterfly_dit(...)      TW__NOT_MODELLED("butterfly_dit")
#define butterfly_dit_minj(...) TW__NOT_MODELLED("butterfly_dit_minj")
#define half_butterfly_dit(...) TW__NOT_MODELLED("half_butterfly_dit")
#define fft_data_incr(...)      TW__NOT_MODELLED("fft_data_incr")
#define fft_twiddle_incr(...)   TW__NOT_MODELLED("fft_twiddle_incr")
#define fft_zoffs(...)          TW__NOT_MODELLED("fft_zoffs")
#define fft_mod_delay(...)      TW__NOT_MODELLED("fft_mod_delay")
#define msc4_conj_sym(...)      TW__NOT_MODELLED("msc4_conj_sym")
#define mul8_cfr(...)           TW__NOT_MODELLED("mul8_cfr")
#define mac8_cfr(...)           TW__NOT_MODELLED("mac8_cfr")
#define dpd_ipol(...)           TW__NOT_MODELLED("dpd_ipol")
#endif

#endif
