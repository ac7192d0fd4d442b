/* SPDX-License-Identifier: MIT */
/* Overloads that layered C++ calls beyond those of the user guide: conjugation chosen at run time, conversions of
 * complex scalars and of 16 lanes. What they compute follows from what the library computes with them (an FFT, a
 * conversion). */
#ifndef TILEWRIGHT_AIE_VENDOR_CALLS_H
#define TILEWRIGHT_AIE_VENDOR_CALLS_H

#include <tilewright/aie/scalar.h>

// clang-format off
#define TW__VENDOR_NOT_MODELLED(X) \
    X(mul8_cfr, tw__not_modelled) X(mac8_cfr, tw__not_modelled) X(dpd_ipol, tw__not_modelled)
// clang-format on
struct tw__not_modelled { /* whatever the caller wants, so that the message stands alone */
    template <class TwT> operator TwT() const;
};
#define TW__VENDOR_REFUSED(name, type)                                                            \
    template <class... TwA> TW__AIE type name(TwA &&...)                                          \
    {                                                                                             \
        static_assert(sizeof...(TwA) == 9999, #name " (CFR, DPD) is not modelled by Tilewright"); \
        return type();                                                                            \
    }
TW__VENDOR_NOT_MODELLED(TW__VENDOR_REFUSED)
#undef TW__VENDOR_REFUSED

/* Whole-vector products as functions: kernels take a layered library's mul() in by a using directive, and a template
 * here would be as good a match. */
#define TW__WHOLE_TYPES(X, name, cls, flags) \
    X(name, cls, flags, v16int16, v16acc48)  \
    X(name, cls, flags, v8int32, v8acc80)    \
    X(name, cls, flags, v8cint16, v8cacc48)  \
    X(name, cls, flags, v4cint32, v4cacc80)
#define TW__WHOLE_PRODUCT(name, cls, flags, vec, acct) \
    TW__AIE acct name(vec x, vec z)                    \
    {                                                  \
        return TW__N(cls, )(flags, x, z);              \
    }
#define TW__WHOLE_SUM(name, cls, flags, vec, acct) \
    TW__AIE acct name(acct acc, vec x, vec z)      \
    {                                              \
        return TW__N(cls, )(flags, acc, x, z);     \
    }
#define TW__WHOLE_tw__whole0             TW__WHOLE_PRODUCT
#define TW__WHOLE_tw__whole              TW__WHOLE_SUM
#define TW__WHOLE_NAME(name, cls, flags) TW__WHOLE_TYPES(TW__WHOLE_##cls, name, cls, flags)
TW__WHOLE_NAMES(TW__WHOLE_NAME)
#undef TW__WHOLE_NAME

/* Older spellings of the interleaving forms. */
template <class TwA> TW__AIE auto srsI(TwA acc, int shift) -> decltype(srs_ilv(acc, shift))
{
    return srs_ilv(acc, shift);
}
template <class TwA> TW__AIE auto lsrsI(TwA acc, int shift) -> decltype(lsrs_ilv(acc, shift))
{
    return lsrs_ilv(acc, shift);
}

/* A flag behind the offsets of a complex operand conjugates it: mac8(acc, x, xstart, xoffs, conj, z, zstart, zoffs,
 * conj), and behind ystart in the _sym forms. X(class of names, accumulator, x, z), one column each. */
// clang-format off
#define TW__DYNAMIC_LIST(X) \
    X(tw_mul8_mac8_, v8cacc48, v16cint16, v8cint16) X(tw_mul8_mac8_, v8cacc48, v32cint16, v8cint16) \
    X(tw_mul4_mac4_, v4cacc48, v16cint16, v4cint32) X(tw_mul4_mac4_, v4cacc48, v32cint16, v4cint32) \
    X(tw_mul4_mac4_, v4cacc48, v8cint32, v8cint16) X(tw_mul4_mac4_, v4cacc48, v16cint32, v8cint16) \
    X(tw_lmul4_lmac4_, v4cacc80, v16cint16, v4cint32) X(tw_lmul4_lmac4_, v4cacc80, v32cint16, v4cint32) \
    X(tw_lmul4_lmac4_, v4cacc80, v8cint32, v8cint16) X(tw_lmul4_lmac4_, v4cacc80, v16cint32, v8cint16) \
    X(tw_lmul2_lmac2_, v2cacc80, v8cint32, v4cint32) X(tw_lmul2_lmac2_, v2cacc80, v16cint32, v4cint32)
// clang-format on
TW__AIE unsigned tw__conjugate(bool x, bool z)
{
    return (x ? static_cast<unsigned>(TW__CONJ_X) : 0u) | (z ? static_cast<unsigned>(TW__CONJ_Z) : 0u);
}
#define TW__DYNAMIC(cls, acct, xt, zt)                                                                             \
    TW__AIE acct TW__N(cls##p, )(unsigned f, xt x, int xs, int xo, bool cx, zt z, int zs, int zo, bool cz)         \
    {                                                                                                              \
        return TW__N(cls##p, )(f | tw__conjugate(cx, cz), x, xs, xo, z, zs, zo);                                   \
    }                                                                                                              \
    TW__AIE acct TW__N(cls##pa, )(unsigned f, acct acc, xt x, int xs, int xo, bool cx, zt z, int zs, int zo,       \
                                  bool cz)                                                                         \
    {                                                                                                              \
        return TW__N(cls##pa, )(f | tw__conjugate(cx, cz), acc, x, xs, xo, z, zs, zo);                             \
    }                                                                                                              \
    TW__AIE acct TW__N(cls##s, )(unsigned f, xt x, int xs, int xo, int ys, bool cx, zt z, int zs, int zo, bool cz) \
    {                                                                                                              \
        return TW__N(cls##s, )(f | tw__conjugate(cx, cz), x, xs, xo, ys, z, zs, zo);                               \
    }                                                                                                              \
    TW__AIE acct TW__N(cls##sa, )(unsigned f, acct acc, xt x, int xs, int xo, int ys, bool cx, zt z, int zs,       \
                                  int zo, bool cz)                                                                 \
    {                                                                                                              \
        return TW__N(cls##sa, )(f | tw__conjugate(cx, cz), acc, x, xs, xo, ys, z, zs, zo);                         \
    }
TW__DYNAMIC_LIST(TW__DYNAMIC)
#undef TW__DYNAMIC
/* Complex by real, two columns: x alone has a flag. A name of its own: no other overload has as many arguments. */
TW__AIE v4cacc48 msc4(v4cacc48 acc, v8cint32 x, int xs, int xo, int xt, bool cx, v16int16 z, int zs, int zo, int zt)
{
    return TW__N(tw_mul4_mac4_pa, )(TW__SUBTRACT | tw__conjugate(cx, false), acc, x, xs, xo, xt, z, zs, zo, zt);
}
/* acc - (z x(l) + conj(z) y(l)), y being x from ystart on; the flags conjugate x and y, z. Radix 3 and 5 stages. */
TW__AIE v4cacc48 msc4_conj_sym(v4cacc48 acc, v8cint32 x, int xs, int xo, int ys, bool cx, v8cint16 z, int zs,
                               int zo, bool cz)
{
    acc = TW__N(tw_mul4_mac4_pa, )(TW__SUBTRACT | tw__conjugate(cx, cz), acc, x, xs, xo, z, zs, zo);
    return TW__N(tw_mul4_mac4_pa, )(TW__SUBTRACT | tw__conjugate(cx, !cz), acc, x, ys, xo, z, zs, zo);
}

/* Vectors plus and minus vectors, lane by lane; integers wrap. */
template <class TwT, bool integer = std::is_integral<TwT>::value> struct tw__lane {
    static TwT sum(TwT a, TwT b) { return a + b; }
    static TwT difference(TwT a, TwT b) { return a - b; }
};
template <class TwT> struct tw__lane<TwT, true> {
    static TwT sum(TwT a, TwT b) { return static_cast<TwT>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); }
    static TwT difference(TwT a, TwT b)
    {
        return static_cast<TwT>(static_cast<unsigned>(a) - static_cast<unsigned>(b));
    }
};
#define TW__VECTOR_OP(T, lanes, op, f)                                          \
    TW__AIE v##lanes##T operator op(v##lanes##T a, v##lanes##T b)               \
    {                                                                           \
        v##lanes##T r;                                                          \
        for (unsigned i = 0; i < lanes; i++) r[i] = tw__lane<T>::f(a[i], b[i]); \
        return r;                                                               \
    }
#define TW__VECTOR_OPS_(T, lanes) TW__VECTOR_OP(T, lanes, +, sum) TW__VECTOR_OP(T, lanes, -, difference)
#define TW__VECTOR_OPS(T, V, W, X, Y) \
    TW__VECTOR_OPS_(T, V) TW__VECTOR_OPS_(T, W) TW__VECTOR_OPS_(T, X) TW__VECTOR_OPS_(T, Y)
TW__ELEMENTS(TW__VECTOR_OPS)
#undef TW__VECTOR_OPS
#undef TW__VECTOR_OPS_
#undef TW__VECTOR_OP

/* Complex with real scalars. */
#define TW__REAL_OPS(type, part)                    \
    TW__AIE type operator*(type a, part b)          \
    {                                               \
        return tw_##type##_mul(a, tw_##type(b, 0)); \
    }                                               \
    TW__AIE type operator*(part a, type b)          \
    {                                               \
        return b * a;                               \
    }                                               \
    TW__AIE type operator+(type a, part b)          \
    {                                               \
        return tw_##type##_add(a, tw_##type(b, 0)); \
    }                                               \
    TW__AIE type operator+(part a, type b)          \
    {                                               \
        return b + a;                               \
    }                                               \
    TW__AIE type operator-(type a, part b)          \
    {                                               \
        return tw_##type##_sub(a, tw_##type(b, 0)); \
    }                                               \
    TW__AIE type operator-(part a, type b)          \
    {                                               \
        return tw_##type##_sub(tw_##type(a, 0), b); \
    }                                               \
    TW__AIE type &operator+=(type &a, part b)       \
    {                                               \
        return a = a + b;                           \
    }                                               \
    TW__AIE type &operator-=(type &a, part b)       \
    {                                               \
        return a = a - b;                           \
    }                                               \
    TW__AIE type &operator*=(type &a, part b)       \
    {                                               \
        return a = a * b;                           \
    }
TW__REAL_OPS(cint16, int16)
TW__REAL_OPS(cint32, int32)
TW__REAL_OPS(cfloat, float)
#undef TW__REAL_OPS
typedef cint16 cint16_t;
typedef cint32 cint32_t;
typedef cint64 cint64_t;

TW__AIE cint16 as_cint16(int32 bits)
{
    cint16 r;
    __builtin_memcpy(&r, &bits, sizeof r);
    return r;
}
TW__AIE cint32 as_cint32(int64 bits)
{
    cint32 r;
    __builtin_memcpy(&r, &bits, sizeof r);
    return r;
}
/* The bits as they are; not in the guide, which has the complex ones: published kernels call it. */
TW__AIE float as_float(int bits)
{
    float r;
    __builtin_memcpy(&r, &bits, sizeof r);
    return r;
}
TW__AIE cfloat fix2float(cint16 n, int shift = 0)
{
    return tw_cfloat(tw_fix2float_int(n.real, shift), tw_fix2float_int(n.imag, shift));
}
TW__AIE cfloat fix2float(cint32 n, int shift = 0)
{
    return tw_cfloat(tw_fix2float_int(n.real, shift), tw_fix2float_int(n.imag, shift));
}
TW__AIE cint32 float2fix(cfloat v, int shift = 0)
{
    return tw_cint32(tw_aie_float2fix(v.real, shift), tw_aie_float2fix(v.imag, shift));
}
/* 16 lanes of int16 at once. */
TW__AIE v16float fix2float_vectorized(v16int16 v, int shift = 0)
{
    return concat(fix2float(ext_v(v, 0), shift), fix2float(ext_v(v, 1), shift));
}
TW__AIE v16int16 float2fix_vectorized(v16float v, int shift = 0)
{
    return concat(float2fix16(ext_w(v, 0), shift), float2fix16(ext_w(v, 1), shift));
}
/* On the hardware these differ in exceptional values alone. */
template <class TwT> TW__AIE auto float2fix16_safe(TwT v, int shift = 0) -> decltype(float2fix16(v, shift))
{
    return float2fix16(v, shift);
}
template <class TwT> TW__AIE auto float2fix16_fast(TwT v, int shift = 0) -> decltype(float2fix16(v, shift))
{
    return float2fix16(v, shift);
}

#endif
