// SPDX-License-Identifier: MIT
/* Products of the vendor's layered library against plain arithmetic: vectors, squares, matrices. See test.sh. */
#include "api.hpp"

#include "acc.hpp"

using namespace vendor;

/* Lane by lane: every form, conjugates where there are any. */
template <class A, class B, unsigned N> static void vectors()
{
    data<A, N> a;
    data<B, N> b;
    auto v = a.load();
    auto w = b.load();
    A s = any<A>();
    B t = any<B>();
    auto product = [&](unsigned i) { return of(a[i]) * of(b[i]); };
    accumulated("mul", aie::mul(v, w), product);
    accumulated("negmul", aie::negmul(v, w), [&](unsigned i) { return -product(i); });
    accumulated("mac", aie::mac(aie::mul(v, w), v, w), [&](unsigned i) { return product(i) + product(i); });
    accumulated("msc", aie::msc(aie::mul(v, w), v, w), [&](unsigned) { return number{ 0, 0 }; });
    accumulated("mul scalar", aie::mul(v, t), [&](unsigned i) { return of(a[i]) * of(t); });
    accumulated("mul scalar", aie::mul(s, w), [&](unsigned i) { return of(s) * of(b[i]); });
    accumulated("mac scalar", aie::mac(aie::mul(v, w), v, t),
                [&](unsigned i) { return product(i) + of(a[i]) * of(t); });
    accumulated("msc scalar", aie::msc(aie::mul(v, w), s, w),
                [&](unsigned i) { return product(i) - of(s) * of(b[i]); });
    accumulated("negmul scalar", aie::negmul(v, t), [&](unsigned i) { return -(of(a[i]) * of(t)); });
    if constexpr (N * std::max(sizeof(A), sizeof(B)) <= 32) { /* coefficients have 256 bits */
        accumulated("mul element", aie::mul(v, w[1]), [&](unsigned i) { return of(a[i]) * of(b[1]); });
        accumulated("mul element", aie::mul(v[N - 1], w), [&](unsigned i) { return of(a[N - 1]) * of(b[i]); });
    }
    if constexpr (parts<A>::complex)
        accumulated("mul conj", aie::mul(aie::op_conj(v), w),
                    [&](unsigned i) { return conj(of(a[i])) * of(b[i]); });
    if constexpr (parts<B>::complex)
        accumulated("mac conj", aie::mac(aie::mul(v, w), v, aie::op_conj(w)),
                    [&](unsigned i) { return product(i) + of(a[i]) * conj(of(b[i])); });
    if constexpr (parts<A>::complex && parts<B>::complex)
        accumulated("negmul conj", aie::negmul(aie::op_conj(v), aie::op_conj(w)),
                    [&](unsigned i) { return -(conj(of(a[i])) * conj(of(b[i]))); });
}
template <class T, unsigned N> static void squares()
{
    data<T, N> a;
    auto v = a.load();
    accumulated("mul_square", aie::mul_square(v), [&](unsigned i) { return of(a[i]) * of(a[i]); });
    accumulated("mac_square", aie::mac_square(aie::mul(v, v), v), [&](unsigned i) {
        number p = of(a[i]) * of(a[i]);
        return p + p;
    });
    accumulated("msc_square", aie::msc_square(aie::mul(v, v), v), [&](unsigned) { return number{ 0, 0 }; });
    if constexpr (parts<T>::complex && !std::is_same_v<T, cfloat>) {
        data<T, N> small(12);
        lanes("abs_square", aie::abs_square<int32>(small.load()), [&](unsigned i) {
            return static_cast<int32>(of(small[i]).re * of(small[i]).re + of(small[i]).im * of(small[i]).im);
        });
    }
}

/* C += A B, A of M rows and K columns, row-major. */
template <unsigned M, unsigned K, unsigned N, class A, class B> static void matrix()
{
    data<A, M * K> a, a2;
    data<B, K * N> b, b2;
    aie::mmul<M, K, N, A, B> m;
    m.mul(a.load(), b.load());
    m.mac(a2.load(), b2.load());
    accumulated("mmul", m.to_accum(), [&](unsigned i) {
        number sum = { 0, 0 };
        for (unsigned k = 0; k < K; k++)
            sum = sum + of(a[i / N * K + k]) * of(b[k * N + i % N]) + of(a2[i / N * K + k]) * of(b2[k * N + i % N]);
        return sum;
    });
}
template <class A, class B> static void bytes_by_bytes()
{
    vectors<A, B, 32>(), vectors<A, B, 64>();
    matrix<4, 8, 4, A, B>(), matrix<8, 8, 4, A, B>(), matrix<4, 8, 8, A, B>(), matrix<2, 8, 8, A, B>();
    matrix<1, 16, 8, A, B>(), matrix<2, 16, 8, A, B>(), matrix<4, 16, 4, A, B>(), matrix<4, 16, 8, A, B>();
}
template <class B> static void shorts_by_bytes()
{
    vectors<int16, B, 32>(), vectors<int16, B, 64>(), vectors<B, int16, 32>(), vectors<B, int16, 64>();
    matrix<4, 4, 4, int16, B>(), matrix<4, 8, 4, int16, B>(), matrix<4, 4, 8, int16, B>(),
        matrix<8, 4, 4, int16, B>();
    matrix<4, 4, 4, B, int16>(), matrix<4, 4, 8, B, int16>(), matrix<8, 8, 1, B, int16>();
}
template <class A> static void words_by_shorts()
{
    matrix<2, 2, 4, A, int16>(), matrix<2, 4, 4, A, int16>(), matrix<4, 2, 4, A, int16>(),
        matrix<4, 4, 2, A, int16>();
    matrix<4, 4, 4, A, int16>(), matrix<2, 2, 8, A, int16>(), matrix<2, 4, 8, A, int16>();
}
template <class A, class B> static void words_by_words()
{
    vectors<A, B, 8>(), vectors<A, B, 16>(), vectors<A, B, 32>();
    matrix<2, 2, 2, A, B>(), matrix<2, 4, 2, A, B>(), matrix<2, 8, 2, A, B>(), matrix<4, 2, 2, A, B>();
    matrix<4, 4, 2, A, B>(), matrix<4, 2, 4, A, B>(), matrix<2, 4, 4, A, B>(), matrix<4, 4, 1, A, B>();
}

static void one_round()
{
#if PART == 0
    bytes_by_bytes<int8, int8>(), bytes_by_bytes<int8, uint8>(), bytes_by_bytes<uint8, int8>(),
        bytes_by_bytes<uint8, uint8>();
    shorts_by_bytes<int8>(), shorts_by_bytes<uint8>();
    vectors<int16, int16, 16>(), vectors<int16, int16, 32>(), vectors<int16, int16, 64>();
    matrix<4, 4, 4, int16, int16>(), matrix<2, 4, 8, int16, int16>(), matrix<4, 4, 8, int16, int16>();
    matrix<4, 2, 8, int16, int16>(), matrix<8, 8, 1, int16, int16>();
    squares<int16, 16>(), squares<int16, 32>(), squares<int16, 64>(), squares<int32, 8>(), squares<int32, 16>();
    squares<cint16, 8>(), squares<cint16, 16>(), squares<cint32, 4>(), squares<float, 8>(), squares<float, 16>();
#elif PART == 1
    vectors<int16, int32, 8>(), vectors<int16, int32, 16>(), vectors<int32, int16, 8>(),
        vectors<int32, int16, 16>();
    vectors<int16, cint16, 8>(), vectors<int16, cint16, 16>(), vectors<cint16, int16, 8>(),
        vectors<cint16, int16, 16>();
    matrix<4, 4, 4, int16, int32>(), matrix<2, 4, 8, int16, int32>(), matrix<4, 2, 2, int16, int32>();
    matrix<4, 4, 4, int16, cint16>(), matrix<4, 2, 2, int16, cint16>(), matrix<4, 4, 1, int16, cint16>();
    words_by_shorts<int32>(), words_by_shorts<cint16>();
    words_by_words<int32, int32>(), words_by_words<cint16, cint16>(), words_by_words<int32, cint16>();
    words_by_words<cint16, int32>(), words_by_words<float, float>();
#else
    vectors<int16, cint32, 8>(), vectors<cint32, int16, 8>(), vectors<int32, cint32, 4>(),
        vectors<cint32, int32, 4>();
    vectors<cint16, cint32, 4>(), vectors<cint32, cint16, 4>(), vectors<cint32, cint32, 4>(),
        vectors<cint32, cint32, 8>();
    vectors<cfloat, cfloat, 4>(), vectors<cfloat, cfloat, 8>(), vectors<float, cfloat, 4>(),
        vectors<cfloat, float, 8>();
    matrix<2, 4, 2, int16, cint32>(), matrix<2, 8, 2, int16, cint32>(), matrix<4, 4, 2, int16, cint32>();
    matrix<2, 4, 4, int16, cint32>(), matrix<4, 4, 1, int16, cint32>();
    matrix<2, 4, 2, cint32, int16>(), matrix<2, 8, 2, cint32, int16>(), matrix<4, 4, 2, cint32, int16>();
    matrix<2, 4, 4, cint32, int16>();
    matrix<2, 2, 2, int32, cint32>(), matrix<2, 4, 2, int32, cint32>(), matrix<2, 2, 2, cint16, cint32>();
    matrix<2, 4, 2, cint16, cint32>(), matrix<4, 2, 1, cint16, cint32>();
    matrix<2, 2, 2, cint32, int32>(), matrix<2, 4, 2, cint32, int32>(), matrix<4, 4, 1, cint32, int32>();
    matrix<2, 2, 2, cint32, cint16>(), matrix<2, 4, 2, cint32, cint16>(), matrix<4, 4, 1, cint32, cint16>();
    matrix<2, 2, 1, cint32, cint32>(), matrix<1, 2, 2, cint32, cint32>(), matrix<2, 2, 2, cint32, cint32>();
    matrix<2, 2, 2, cfloat, cfloat>(), matrix<2, 4, 2, cfloat, cfloat>(), matrix<2, 2, 4, cfloat, cfloat>();
    matrix<4, 2, 2, cfloat, cfloat>(), matrix<4, 2, 1, cfloat, cfloat>();
    matrix<2, 4, 2, float, cfloat>(), matrix<2, 2, 2, cfloat, float>(), matrix<2, 4, 2, cfloat, float>();
#endif
}

int main()
{
    for (int round = 0; round < 20; round++) one_round();
    return report();
}
