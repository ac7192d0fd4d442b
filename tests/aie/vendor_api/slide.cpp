// SPDX-License-Identifier: MIT
/* Sliding products of the vendor's layered library against plain sums. See test.sh. */
#include "api.hpp"

#include "acc.hpp"

using namespace vendor;

template <unsigned Lanes, unsigned Points, int CS, int DSX, int DSY, class C, class D> static void slide()
{
    constexpr unsigned nc = 32 / sizeof(C), nd = 128 / sizeof(D);
    data<C, nc> c;
    data<D, nd> d;
    typedef aie::sliding_mul_ops<Lanes, Points, CS, DSX, DSY, C, D> ops;
    auto coeff = c.load();
    auto x = d.load();
    for (unsigned start : { 0u, 1u, 2u, 7u, nd - 3 }) {
        unsigned cs = start % 3 == 1 && nc > Points * CS ? 1 : 0;
        auto sum = [&](unsigned l) {
            number s = { 0, 0 };
            for (unsigned p = 0; p < Points; p++)
                s = s + of(c[(cs + p * CS) % nc]) * of(d[(start + p * DSX + l * DSY) % nd]);
            return s;
        };
        auto acc = cs ? ops::mul(coeff, 1, x, start) : ops::mul(coeff, 0, x, start);
        accumulated("sliding_mul", acc, sum);
        accumulated("sliding_mac", ops::mac(acc, coeff, 0, x, start), [&](unsigned l) {
            number s = sum(l);
            for (unsigned p = 0; p < Points; p++)
                s = s + of(c[p * CS % nc]) * of(d[(start + p * DSX + l * DSY) % nd]);
            return s;
        });
    }
}
template <unsigned Lanes, unsigned Points, class C, class D> static void steps()
{
    slide<Lanes, Points, 1, 1, 1, C, D>(), slide<Lanes, 2 * Points, 1, 1, 1, C, D>();
    slide<2 * Lanes, 2 * Points, 1, 1, 1, C, D>();
}
template <unsigned Lanes, unsigned Points, class C, class D> static void wide_steps()
{
    slide<Lanes, Points, 2, 1, 1, C, D>(), slide<Lanes, Points, 1, 2, 1, C, D>(),
        slide<Lanes, Points, 1, 1, 2, C, D>();
}

template <unsigned Lanes, unsigned Points, int DSX, int DSY, class C, class D> static void symmetric()
{
    constexpr unsigned nc = 32 / sizeof(C), nd = 64 / sizeof(D), nx = 2 * nd;
    data<C, nc> c;
    data<D, nx> d;
    typedef aie::sliding_mul_sym_ops<Lanes, Points, 1, DSX, DSY, C, D> ops;
    auto coeff = c.load();
    auto x = d.load();
    for (unsigned start : { 0u, 1u, 4u, nx - 2 }) {
        auto at = [&](unsigned l, unsigned p) { return of(d[(start + p * DSX + l * DSY) % nx]); };
        auto pairs = [&](unsigned l, bool anti) {
            number s = { 0, 0 };
            for (unsigned p = 0; p < Points / 2; p++) {
                number y = at(l, Points - 1 - p);
                s = s + of(c[p]) * (at(l, p) + (anti ? -y : y));
            }
            if (Points % 2) s = s + of(c[Points / 2]) * at(l, Points / 2);
            return s;
        };
        auto sym = [&](unsigned l) { return pairs(l, false); };
        auto acc = ops::mul_sym(coeff, 0, x, start);
        accumulated("sliding_mul_sym", acc, sym);
        accumulated("sliding_mac_sym", ops::mac_sym(acc, coeff, 0, x, start),
                    [&](unsigned l) { return sym(l) + sym(l); });
        if constexpr (ops::accum_bits == 48)
            accumulated("sliding_mul_antisym", ops::mul_antisym(coeff, 0, x, start),
                        [&](unsigned l) { return pairs(l, true); });
    }
    /* Two buffers: the right operands run backwards from their start. */
    data<D, nd> left, right;
    auto acc = ops::mul_sym(coeff, 0, left.load(), 1, right.load(), 9 % nd);
    accumulated("sliding_mul_sym 2 buffers", acc, [&](unsigned l) {
        number s = { 0, 0 };
        for (unsigned p = 0; p < Points / 2; p++)
            s = s + of(c[p]) *
                        (of(left[(1 + p * DSX + l * DSY) % nd]) + of(right[(9 + nd * 8 - p * DSX + l * DSY) % nd]));
        if (Points % 2) s = s + of(c[Points / 2]) * of(left[(1 + Points / 2 * DSX + l * DSY) % nd]);
        return s;
    });
}
template <unsigned Lanes, unsigned Points, class C, class D> static void centre()
{
    constexpr unsigned nc = 32 / sizeof(C), nx = 128 / sizeof(D);
    data<C, nc> c(20);
    data<D, nx> d(20);
    typedef aie::sliding_mul_sym_uct_ops<Lanes, Points, 1, 1, C, D> ops;
    accumulated("sliding_mul_sym_uct", ops::mul_sym_uct(c.load(), 0, d.load(), 2, 3), [&](unsigned l) {
        if (l >= Lanes / 2) return of(d[(2 + Points / 2 + l - Lanes / 2) % nx]) * number{ 8, 0 };
        number s = { 0, 0 };
        for (unsigned p = 0; p < Points / 2; p++)
            s = s + of(c[p]) * (of(d[2 + p + l]) + of(d[2 + Points - 1 - p + l]));
        return s;
    });
}

static void one_round()
{
#if PART == 0
    slide<16, 2, 1, 1, 1, int16, int16>(), slide<16, 4, 1, 1, 1, int16, int16>(),
        slide<8, 4, 1, 1, 1, int16, int16>();
    slide<8, 8, 1, 1, 1, int16, int16>(), slide<8, 4, 2, 1, 1, int16, int16>(), wide_steps<8, 4, int16, int32>();
    steps<16, 1, int16, int32>(), steps<8, 2, int16, int32>(), steps<8, 2, int32, int16>(),
        steps<8, 1, int32, int32>();
    steps<8, 2, int16, cint16>(), steps<4, 4, int16, cint16>(), wide_steps<4, 4, int16, cint16>();
    steps<8, 2, cint16, int16>(), steps<4, 4, cint16, int16>();
    steps<8, 1, cint16, cint16>(), steps<4, 2, cint16, cint16>(), wide_steps<4, 2, cint16, cint16>();
    steps<4, 2, int32, cint16>(), steps<4, 2, cint16, int32>(), wide_steps<4, 2, int32, cint16>();
    slide<8, 1, 1, 1, 1, float, float>(), slide<8, 5, 1, 1, 1, float, float>(),
        slide<8, 4, 1, 1, 2, float, float>();
#else
    slide<4, 4, 1, 1, 1, int16, cint32>(), slide<4, 2, 1, 1, 1, cint32, int16>(),
        slide<4, 4, 1, 1, 1, cint32, int16>();
    slide<4, 2, 1, 1, 1, cint16, cint32>(), slide<4, 2, 1, 1, 1, cint32, cint16>(),
        slide<4, 2, 1, 1, 1, int32, cint32>();
    slide<2, 4, 1, 1, 1, int32, cint32>(), slide<2, 2, 1, 1, 1, cint32, int32>(),
        slide<2, 2, 1, 1, 1, cint32, cint32>();
    slide<4, 2, 1, 1, 1, cfloat, cfloat>(), slide<4, 2, 1, 1, 1, float, cfloat>(),
        slide<4, 3, 1, 1, 1, cfloat, float>();
    symmetric<8, 8, 1, 1, int16, int16>(), symmetric<8, 16, 1, 1, int16, int16>(),
        symmetric<16, 8, 1, 1, int16, int16>();
    symmetric<8, 4, 1, 1, int16, int32>(), symmetric<8, 4, 1, 1, int32, int16>(),
        symmetric<8, 8, 2, 1, int16, int32>();
    symmetric<4, 8, 1, 1, int16, cint16>(), symmetric<4, 7, 1, 1, int16, cint16>(),
        symmetric<4, 8, 2, 2, int16, cint16>();
    symmetric<8, 4, 1, 1, int16, cint16>(), symmetric<4, 4, 1, 1, cint16, cint16>(),
        symmetric<8, 2, 1, 1, cint16, cint16>();
    symmetric<4, 8, 1, 1, cint16, int16>(), symmetric<4, 4, 1, 1, cint16, int32>(),
        symmetric<4, 4, 1, 1, int32, cint16>();
    symmetric<4, 4, 1, 1, int16, cint32>(), symmetric<4, 4, 1, 1, cint32, int16>(),
        symmetric<4, 2, 1, 1, cint32, cint16>();
    symmetric<4, 2, 1, 1, cint16, cint32>(), symmetric<4, 4, 1, 1, int32, int32>(),
        symmetric<2, 4, 1, 1, int32, cint32>();
    symmetric<2, 2, 1, 1, cint32, cint32>();
    centre<8, 4, cint16, cint16>(), centre<8, 8, cint16, cint16>(), centre<8, 4, int32, cint16>();
    centre<8, 8, int16, cint16>();
#endif
}

int main()
{
    for (int round = 0; round < 10; round++) one_round();
    return report();
}
