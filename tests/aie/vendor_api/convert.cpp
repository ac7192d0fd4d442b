// SPDX-License-Identifier: MIT
/* Conversions of the vendor's layered library: rounding and saturation, widening, packing, float and fixed point,
 * elementary functions; sums of accumulators and vectors; operators and iterators. See test.sh. */
#include "api.hpp"

#include "acc.hpp"

#include <cmath>
#include <utility>

using namespace vendor;

/* a / 2^s by rounding mode, then into `bits` bits: wrapped (0), clamped (1), clamped symmetrically (3). */
static wide rounded(wide a, unsigned s, aie::rounding_mode mode)
{
    wide f = a >> s, rest = a - (f << s), half = s ? wide(1) << (s - 1) : 0;
    if (!s || !rest) return f;
    switch (mode) {
    case aie::rounding_mode::floor: return f;
    case aie::rounding_mode::ceil: return f + 1;
    case aie::rounding_mode::positive_inf: return f + (rest >= half);
    case aie::rounding_mode::negative_inf: return f + (rest > half);
    case aie::rounding_mode::symmetric_inf: return a >= 0 ? f + (rest >= half) : f + (rest > half);
    case aie::rounding_mode::symmetric_zero: return a >= 0 ? f + (rest > half) : f + (rest >= half);
    case aie::rounding_mode::conv_even: return f + (rest > half || (rest == half && (f & 1)));
    default: return f + (rest > half || (rest == half && !(f & 1)));
    }
}
template <class P> static wide limited(wide v, unsigned mode)
{
    wide most = std::numeric_limits<P>::max(), least = std::numeric_limits<P>::min();
    if (mode == 0) return static_cast<P>(v);
    if (mode == 3 && least < 0) least = -most;
    return v > most ? most : v < least ? least : v;
}
template <class Tag, class From, class To, unsigned N> static void conversions()
{
    typedef typename parts<To>::type part;
    for (unsigned mode = 0; mode < 8; mode++)
        for (unsigned saturation : { 0u, 1u, 3u }) {
            aie::set_rounding(static_cast<aie::rounding_mode>(mode));
            aie::set_saturation(static_cast<aie::saturation_mode>(saturation));
            data<From, N> a;
            for (int up : { 0, 6 })
                for (int down : { 0, 2, 9 }) {
                    aie::accum<Tag, N> acc;
                    acc.from_vector(a.load(), up);
                    auto one = [&](wide v) {
                        return limited<part>(rounded(v << up, down, static_cast<aie::rounding_mode>(mode)),
                                             saturation);
                    };
                    lanes("from/to_vector", acc.template to_vector<To>(down),
                          [&](unsigned i) { return narrow<To>({ one(of(a[i]).re), one(of(a[i]).im) }); });
                }
        }
    aie::set_rounding(aie::rounding_mode::floor);
    aie::set_saturation(aie::saturation_mode::none);
}

template <class Tag, class T, unsigned N> static void sums()
{
    data<T, N> a, b;
    aie::accum<Tag, N> acc;
    acc.from_vector(a.load(), 3);
    number eight = { 8, 0 };
    auto lifted = [&](unsigned i) { return of(a[i]) * eight; };
    accumulated("add acc vector", aie::add(acc, b.load()), [&](unsigned i) { return lifted(i) + of(b[i]); });
    accumulated("sub acc vector", aie::sub(acc, b.load()), [&](unsigned i) { return lifted(i) - of(b[i]); });
    accumulated("add acc scalar", aie::add(acc, b[2]), [&](unsigned i) { return lifted(i) + of(b[2]); });
    accumulated("sub acc scalar", aie::sub(acc, b[2]), [&](unsigned i) { return lifted(i) - of(b[2]); });
    if constexpr (N * (parts<T>::complex ? 96 : 48) > 384) {
        constexpr unsigned half = N / 2;
        accumulated("extract acc", acc.template extract<half>(1), [&](unsigned i) { return lifted(half + i); });
        acc.insert(0, acc.template extract<half>(1));
        accumulated("insert acc", acc, [&](unsigned i) { return lifted(half + i % half); });
        auto whole = aie::concat(acc.template extract<half>(1), acc.template extract<half>(0));
        accumulated("concat acc", whole, [&](unsigned i) { return lifted(half + i % half); });
    }
    accumulated("zeros acc", aie::zeros<Tag, N>(), [&](unsigned) { return number{ 0, 0 }; });
}

template <unsigned N> static void packing()
{
    data<int8, N> s;
    data<uint8, N> u;
    data<int16, N> w;
    lanes("unpack", s.load().unpack(), [&](unsigned i) { return int16(s[i]); });
    lanes("unpack", u.load().unpack(), [&](unsigned i) { return int16(u[i]); });
    for (unsigned saturation : { 0u, 1u, 3u }) {
        aie::set_saturation(static_cast<aie::saturation_mode>(saturation));
        lanes("pack", w.load().pack(), [&](unsigned i) { return int8(limited<int8>(w[i], saturation)); });
        lanes("pack", w.load().template pack<uint8>(),
              [&](unsigned i) { return uint8(limited<uint8>(w[i], saturation)); });
    }
    aie::set_saturation(aie::saturation_mode::none);
}

static bool near(float got, double want, double ulps)
{
    double ulp = std::ldexp(1.0, std::ilogb(want == 0 ? 1.0 : want) - 23);
    return std::fabs(got - want) <= ulps * ulp;
}
template <unsigned N> static void floats()
{
    data<int32, N> n(24);
    data<int16, N> h;
    lanes("to_float", aie::to_float(n.load(), 5), [&](unsigned i) { return float(n[i]) / 32; });
    lanes("to_float", aie::to_float(h.load(), 3), [&](unsigned i) { return float(h[i]) / 8; });
    data<float, N> f;
    lanes("to_fixed", aie::to_fixed<int32>(f.load(), 4), [&](unsigned i) { return int32(f[i] * 16); });
    lanes("to_fixed", aie::to_fixed<int16>(f.load(), 2), [&](unsigned i) { return int16(f[i] * 4); });
    for (float &v : f.v) v = 0.25f + static_cast<float>(random_bits() % 100000) / 1000;
    auto in = f.load();
    auto inv = aie::inv(in), root = aie::sqrt(in), both = aie::invsqrt(in), sin = aie::sin(in), cos = aie::cos(in);
    auto [s2, c2] = aie::sincos(in);
    for (unsigned i = 0; i < N; i++) {
        check("inv", "float", i, near(inv[i], 1.0 / f[i], 1));
        check("sqrt", "float", i, near(root[i], std::sqrt(double(f[i])), 1));
        check("invsqrt", "float", i, near(both[i], 1 / std::sqrt(double(f[i])), 1));
    }
    /* 20 bits of angle in a turn, 16 bits of result. */
    for (unsigned i = 0; i < N; i++) f.v[i] = static_cast<float>(random_bits() % 3000) / 1000;
    in = f.load();
    sin = aie::sin(in), cos = aie::cos(in), std::tie(s2, c2) = aie::sincos(in);
    for (unsigned i = 0; i < N; i++) {
        check("sin", "float", i, std::fabs(sin[i] - std::sin(f[i])) < 1e-4);
        check("cos", "float", i, std::fabs(cos[i] - std::cos(f[i])) < 1e-4);
        check("sincos", "float", i,
              std::fabs(s2[i] - std::sin(f[i])) < 1e-4 && std::fabs(c2[i] - std::cos(f[i])) < 1e-4);
    }
}
static void scalars()
{
    for (int round = 0; round < 100; round++) {
        int32 n = static_cast<int32>(random_bits() % 100000) - 50000;
        float f = static_cast<float>(n) / 8, p = std::fabs(f) + 1;
        check("to_float scalar", "int32", 0, aie::to_float(n, 3) == f);
        check("to_fixed scalar", "float", 0, aie::to_fixed<int32>(f, 3) == n);
        check("inv scalar", "float", 0, near(aie::inv(p), 1.0 / p, 1));
        check("sqrt scalar", "float", 0, near(aie::sqrt(p), std::sqrt(double(p)), 1));
        check("invsqrt scalar", "float", 0, near(aie::invsqrt(p), 1 / std::sqrt(double(p)), 1));
        float angle = static_cast<float>(round) / 40;
        check("sin scalar", "float", 0, std::fabs(aie::sin(angle) - std::sin(angle)) < 1e-4);
        auto [s, c] = aie::sincos(angle);
        check("sincos scalar", "float", 0,
              std::fabs(s - std::sin(angle)) < 1e-4 && std::fabs(c - std::cos(angle)) < 1e-4);
        cfloat e = aie::sincos_complex(angle);
        check("sincos_complex", "float", 0,
              std::fabs(e.real - std::cos(angle)) < 1e-4 && std::fabs(e.imag - std::sin(angle)) < 1e-4);
        cint16 z = aie::sincos_complex(static_cast<int32>(round << 20)); /* 2^31 is pi */
        check("sincos_complex", "int32", 0,
              std::fabs(z.real / 32768.0 - std::cos(std::ldexp(round, 20 - 31) * M_PI)) < 1e-3);
    }
}

/* out[l] = sum over vectors k of coeff[start + k] * vector_k[l]. */
template <unsigned N, class C, class D> static void accumulates()
{
    data<C, 32 / sizeof(C)> c;
    data<D, N> a, b, e, f;
    auto sum = [&](unsigned l) {
        return of(c[1]) * of(a[l]) + of(c[2]) * of(b[l]) + of(c[3]) * of(e[l]) +
               of(c[4 % (32 / sizeof(C))]) * of(f[l]);
    };
    auto acc = aie::accumulate<N>(c.load(), 1, a.load(), b.load(), e.load(), f.load());
    accumulated("accumulate", acc, sum);
    accumulated("accumulate", aie::accumulate<N>(acc, c.load(), 0, a.load(), b.load()),
                [&](unsigned l) { return sum(l) + of(c[0]) * of(a[l]) + of(c[1]) * of(b[l]); });
}

static void operators()
{
    using namespace aie::operators;
    data<int16, 16> a, b;
    auto v = a.load(), w = b.load();
    lanes("operator +", v + w, [&](unsigned i) { return int16(a[i] + b[i]); });
    lanes("operator -", v - w, [&](unsigned i) { return int16(a[i] - b[i]); });
    lanes("operator -", -v, [&](unsigned i) { return int16(-a[i]); });
    auto less = v < w;
    for (unsigned i = 0; i < 16; i++) check("operator <", "int16", i, less.test(i) == (a[i] < b[i]));
    lanes("operator &", v & w, [&](unsigned i) { return int16(a[i] & b[i]); });
    lanes("operator ^", v ^ w, [&](unsigned i) { return int16(a[i] ^ b[i]); });
    lanes("operator >>", v >> 3, [&](unsigned i) { return int16(a[i] >> 3); });
    v += w;
    lanes("operator +=", v, [&](unsigned i) { return int16(a[i] + b[i]); });
}
static void reductions()
{
    data<int32, 8> a[4];
    auto sums = aie::reduce_add_v(a[0].load(), a[1].load(), a[2].load(), a[3].load());
    for (unsigned i = 0; i < 4; i++) {
        wide s = 0;
        for (int32 e : a[i].v) s += e;
        check("reduce_add_v", "int32", i, sums[i] == narrow<int32>({ s, 0 }));
    }
    data<int16, 32> b;
    auto v = b.load();
    lanes("clamp", aie::clamp(v, int16(-100), int16(500)),
          [&](unsigned i) { return std::min(std::max(b[i], int16(-100)), int16(500)); });
}
static void iterators()
{
    data<int16, 64> a;
    int sum = 0, want = 0;
    auto it = aie::begin_circular<64>(a.v);
    for (int i = 0; i < 100; i++) sum += *it++, want += a[i % 64];
    check("begin_circular", "int16", 0, sum == want);
    auto random = aie::begin_vector_random_circular<16, 64>(a.v);
    random += 5;
    lanes("begin_vector_random_circular", *random, [&](unsigned i) { return a[16 + i]; });
    auto restricted = aie::begin_restrict_vector<16>(a.v);
    lanes("begin_restrict_vector", *(restricted + 2), [&](unsigned i) { return a[32 + i]; });
    auto out = aie::begin_vector<16>(a.v);
    *out = aie::broadcast<int16, 16>(7);
    check("store through iterator", "int16", 0, a[0] == 7 && a[15] == 7);
}

int main()
{
    for (int round = 0; round < 3; round++) {
        conversions<acc48, int16, int16, 8>(), conversions<acc48, int16, int16, 16>(),
            conversions<acc48, int16, int32, 16>();
        conversions<acc48, int32, int32, 8>(), conversions<acc48, int32, int16, 8>(),
            conversions<acc48, int16, int8, 16>();
        conversions<acc48, int16, uint8, 16>(), conversions<acc48, int8, int8, 32>(),
            conversions<acc48, uint8, uint8, 16>();
        conversions<cacc48, cint16, cint16, 4>(), conversions<cacc48, cint16, cint32, 8>();
        conversions<cacc48, cint32, cint16, 4>(), conversions<cacc48, cint32, cint32, 4>();
        conversions<acc80, int32, int32, 8>(), conversions<acc80, int32, int32, 4>(),
            conversions<cacc80, cint32, cint32, 4>();
        conversions<acc80, int32, int32, 16>(), conversions<cacc80, cint32, cint32, 2>();
        sums<acc48, int16, 16>(), sums<acc48, int16, 8>(), sums<cacc48, cint16, 8>(), sums<acc80, int32, 8>();
        sums<cacc80, cint32, 4>();
        packing<16>(), packing<32>(), packing<64>();
        floats<8>(), floats<16>(), floats<32>();
        scalars();
        accumulates<16, int16, int16>(), accumulates<8, int32, int32>(), accumulates<8, int32, cint16>();
        accumulates<8, cint16, cint16>(), accumulates<8, float, float>(), accumulates<2, cint32, cint32>();
        operators(), reductions(), iterators();
    }
    return report();
}
