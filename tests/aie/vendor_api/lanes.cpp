// SPDX-License-Identifier: MIT
/* Lane operations of the vendor's layered library against plain arithmetic. Run by test.sh. */
#include "api.hpp"

using namespace vendor;

template <class T, unsigned N> static void memory()
{
    data<T, 2 * N> a;
    aie::vector<T, N> v = aie::load_v<N>(a.v);
    lanes("load_v", v, [&](unsigned i) { return a[i]; });
    alignas(128) T out[2 * N];
    aie::store_v(out, v);
    for (unsigned i = 0; i < N; i++) check("store_v", name_of<T>(), i, same(out[i], a[i]));
    aie::vector<T, N> w = aie::load_unaligned_v<N>(a.v + 3);
    lanes("load_unaligned_v", w, [&](unsigned i) { return a[i + 3]; });
    for (T &e : out) e = T{};
    aie::store_unaligned_v(out + 5, v);
    for (unsigned i = 0; i < N; i++) check("store_unaligned_v", name_of<T>(), i, same(out[i + 5], a[i]));
    lanes("load_floor_v", aie::load_floor_v<N>(a.v + 16 / sizeof(T) + 1, 16 / sizeof(T)),
          [&](unsigned i) { return a[i + 16 / sizeof(T)]; });
    aie::vector<T, N> set;
    for (unsigned i = 0; i < N; i++) set[i] = a[N - 1 - i];
    lanes("elements", set, [&](unsigned i) { return a[N - 1 - i]; });
    T x = any<T>();
    set.push(x);
    lanes("push", set, [&](unsigned i) { return i ? a[N - i] : x; });
    auto it = aie::begin_vector<N>(a.v);
    lanes("begin_vector", *it++, [&](unsigned i) { return a[i]; });
    lanes("begin_vector", *it, [&](unsigned i) { return a[N + i]; });
    auto round = aie::begin_vector_circular<N, 2 * N>(a.v);
    ++round, ++round, ++round;
    lanes("begin_vector_circular", *round, [&](unsigned i) { return a[N + i]; });
    if constexpr (N * sizeof(T) < 128) {
        aie::vector<T, 2 * N> both = aie::concat(v, aie::load_v<N>(a.v + N));
        lanes("concat", both, [&](unsigned i) { return a[i]; });
        lanes("extract", both.template extract<N>(1), [&](unsigned i) { return a[N + i]; });
        both.insert(0, both.template extract<N>(1));
        lanes("insert", both, [&](unsigned i) { return a[i % N + N]; });
        aie::vector<T, 2 * N> grown = v.template grow<2 * N>();
        lanes("grow", grown.template extract<N>(0), [&](unsigned i) { return a[i]; });
        lanes("grow_replicate", v.template grow_replicate<2 * N>(), [&](unsigned i) { return a[i % N]; });
    }
    if constexpr (N * sizeof(T) > 16) {
        lanes("split", std::get<1>(v.template split<N / 2>()), [&](unsigned i) { return a[N / 2 + i]; });
    }
    lanes("cast_to", v.template cast_to<int16>().template cast_to<T>(), [&](unsigned i) { return a[i]; });
}

template <class T, unsigned N> static void reshape()
{
    data<T, N> a, b;
    auto v = a.load(), w = b.load();
    lanes("reverse", aie::reverse(v), [&](unsigned i) { return a[N - 1 - i]; });
    for (unsigned n = 1; n < N; n = n < 4 ? n + 1 : n * 2 - 1) {
        lanes("shuffle_up_rotate", aie::shuffle_up_rotate(v, n), [&](unsigned i) { return a[(i + N - n) % N]; });
        lanes("shuffle_down_rotate", aie::shuffle_down_rotate(v, n), [&](unsigned i) { return a[(i + n) % N]; });
        lanes("shuffle_up", aie::shuffle_up(v, n),
              [&](unsigned i) { return i < n ? T(aie::shuffle_up(v, n)[i]) : a[i - n]; });
        lanes("shuffle_down", aie::shuffle_down(v, n),
              [&](unsigned i) { return i + n < N ? a[i + n] : T(aie::shuffle_down(v, n)[i]); });
        lanes("shuffle_up_fill", aie::shuffle_up_fill(v, w, n),
              [&](unsigned i) { return i < n ? b[i + N - n] : a[i - n]; });
        lanes("shuffle_down_fill", aie::shuffle_down_fill(v, w, n),
              [&](unsigned i) { return i + n < N ? a[i + n] : b[i + n - N]; });
        lanes("shuffle_up_replicate", aie::shuffle_up_replicate(v, n),
              [&](unsigned i) { return a[i < n ? 0 : i - n]; });
        lanes("shuffle_down_replicate", aie::shuffle_down_replicate(v, n),
              [&](unsigned i) { return a[i + n < N ? i + n : N - 1]; });
    }
    for (unsigned s = 1; s <= N / 2; s *= 2) {
        auto [zl, zh] = aie::interleave_zip(v, w, s);
        auto zipped = [&](unsigned i) {
            return (i / s) % 2 ? b[i / (2 * s) * s + i % s] : a[i / (2 * s) * s + i % s];
        };
        lanes("interleave_zip", zl, zipped);
        lanes("interleave_zip", zh, [&](unsigned i) { return zipped(N + i); });
        auto [ul, uh] = aie::interleave_unzip(v, w, s);
        auto from = [&](unsigned i, unsigned odd) {
            unsigned at = (i / s * 2 + odd) * s + i % s;
            return at < N ? a[at] : b[at - N];
        };
        lanes("interleave_unzip", ul, [&](unsigned i) { return from(i, 0); });
        lanes("interleave_unzip", uh, [&](unsigned i) { return from(i, 1); });
        if constexpr (N * sizeof(T) > 16) {
            lanes("filter_even", aie::filter_even(v, s), [&](unsigned i) { return a[i / s * 2 * s + i % s]; });
            lanes("filter_odd", aie::filter_odd(v, s), [&](unsigned i) { return a[i / s * 2 * s + s + i % s]; });
        }
    }
    for (unsigned rows = 1; rows <= N; rows *= 2) {
        unsigned cols = N / rows;
        lanes("transpose", aie::transpose(v, rows, cols),
              [&](unsigned i) { return a[i % rows * cols + i / rows]; });
    }
    lanes("broadcast", aie::broadcast<T, N>(a[1]), [&](unsigned) { return a[1]; });
    lanes("zeros", aie::zeros<T, N>(), [&](unsigned) { return T{}; });
    uint64_t bits[2] = { random_bits(), random_bits() };
    auto m = aie::mask<N>();
    for (unsigned i = 0; i < N; i++)
        if (bits[i / 64] >> (i % 64) & 1) m.set(i);
    lanes("select", aie::select(v, w, m), [&](unsigned i) { return bits[i / 64] >> (i % 64) & 1 ? b[i] : a[i]; });
    lanes("select scalar", aie::select(a[0], w, m),
          [&](unsigned i) { return bits[i / 64] >> (i % 64) & 1 ? b[i] : a[0]; });
}

template <class T, unsigned N> static void arithmetic()
{
    data<T, N> a, b;
    T s = any<T>();
    auto v = a.load(), w = b.load();
    lanes("add", aie::add(v, w), [&](unsigned i) { return narrow<T>(of(a[i]) + of(b[i])); });
    lanes("add scalar", aie::add(v, s), [&](unsigned i) { return narrow<T>(of(a[i]) + of(s)); });
    lanes("add scalar", aie::add(s, v), [&](unsigned i) { return narrow<T>(of(a[i]) + of(s)); });
    lanes("sub", aie::sub(v, w), [&](unsigned i) { return narrow<T>(of(a[i]) - of(b[i])); });
    lanes("sub scalar", aie::sub(v, s), [&](unsigned i) { return narrow<T>(of(a[i]) - of(s)); });
    lanes("sub scalar", aie::sub(s, v), [&](unsigned i) { return narrow<T>(of(s) - of(a[i])); });
    if constexpr (!std::is_same_v<T, uint8>)
        lanes("neg", aie::neg(v), [&](unsigned i) { return narrow<T>(-of(a[i])); });
    number sum = { 0, 0 };
    for (unsigned i = 0; i < N; i++) sum = sum + of(a[i]);
    check("reduce_add", name_of<T>(), 0, same(T(aie::reduce_add(v)), narrow<T>(sum)));
    if constexpr (parts<T>::complex) {
        lanes("conj", aie::conj(v), [&](unsigned i) { return narrow<T>(conj(of(a[i]))); });
        if constexpr (N * sizeof(T) > 16) {
            lanes("real", aie::real(v), [&](unsigned i) { return a[i].real; });
            lanes("imag", aie::imag(v), [&](unsigned i) { return a[i].imag; });
        }
    } else {
        T most = a[0], least = a[0];
        for (unsigned i = 0; i < N; i++) most = std::max(most, a[i]), least = std::min(least, a[i]);
        check("reduce_max", name_of<T>(), 0, T(aie::reduce_max(v)) == most);
        check("reduce_min", name_of<T>(), 0, T(aie::reduce_min(v)) == least);
        lanes("max", aie::max(v, w), [&](unsigned i) { return std::max(a[i], b[i]); });
        lanes("min", aie::min(v, w), [&](unsigned i) { return std::min(a[i], b[i]); });
        lanes("max scalar", aie::max(v, s), [&](unsigned i) { return std::max(a[i], s); });
        lanes("min scalar", aie::min(s, v), [&](unsigned i) { return std::min(a[i], s); });
        if constexpr (!std::is_same_v<T, float>)
            lanes("maxdiff", aie::maxdiff(v, w),
                  [&](unsigned i) { return a[i] > b[i] ? narrow<T>(of(a[i]) - of(b[i])) : T(0); });
        if constexpr (!std::is_same_v<T, uint8>)
            lanes("abs", aie::abs(v), [&](unsigned i) { return a[i] < 0 ? narrow<T>(-of(a[i])) : a[i]; });
        auto [mx, mc] = aie::max_cmp(v, w);
        auto [mn, nc] = aie::min_cmp(v, w);
        lanes("max_cmp", mx, [&](unsigned i) { return std::max(a[i], b[i]); });
        lanes("min_cmp", mn, [&](unsigned i) { return std::min(a[i], b[i]); });
        for (unsigned i = 0; i < N; i++) {
            check("max_cmp bits", name_of<T>(), i, a[i] == b[i] || mc.test(i) == (a[i] < b[i]));
            check("min_cmp bits", name_of<T>(), i, a[i] == b[i] || nc.test(i) == (a[i] > b[i]));
        }
        data<T, N> c(3), d(3); /* often equal */
        auto x = c.load(), y = d.load();
        for (unsigned i = 0; i < N; i++) {
            check("lt", name_of<T>(), i, aie::lt(x, y).test(i) == (c[i] < d[i]));
            check("le", name_of<T>(), i, aie::le(x, y).test(i) == (c[i] <= d[i]));
            check("gt", name_of<T>(), i, aie::gt(x, y).test(i) == (c[i] > d[i]));
            check("ge", name_of<T>(), i, aie::ge(x, y).test(i) == (c[i] >= d[i]));
            check("eq", name_of<T>(), i, aie::eq(x, y).test(i) == (c[i] == d[i]));
            check("neq", name_of<T>(), i, aie::neq(x, y).test(i) == (c[i] != d[i]));
            check("lt scalar", name_of<T>(), i, aie::lt(x, c[0]).test(i) == (c[i] < c[0]));
            check("ge scalar", name_of<T>(), i, aie::ge(c[0], x).test(i) == (c[0] >= c[i]));
        }
        if constexpr (std::is_integral_v<T>) {
            lanes("bit_and", aie::bit_and(v, w), [&](unsigned i) { return T(a[i] & b[i]); });
            lanes("bit_or", aie::bit_or(v, w), [&](unsigned i) { return T(a[i] | b[i]); });
            lanes("bit_xor", aie::bit_xor(v, w), [&](unsigned i) { return T(a[i] ^ b[i]); });
            lanes("bit_not", aie::bit_not(v), [&](unsigned i) { return T(~a[i]); });
        }
    }
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, uint8>) {
        lanes("downshift", aie::downshift(v, 3), [&](unsigned i) { return T(a[i] >> 3); });
        lanes("upshift", aie::upshift(v, 3), [&](unsigned i) { return narrow<T>({ (wide)a[i] * 8, 0 }); });
    }
}

template <class T, unsigned N> static void all()
{
    memory<T, N>();
    reshape<T, N>();
    arithmetic<T, N>();
}
template <class T> static void widths()
{
    all<T, 16 / sizeof(T)>();
    all<T, 32 / sizeof(T)>();
    all<T, 64 / sizeof(T)>();
    all<T, 128 / sizeof(T)>();
}

int main()
{
#ifdef ONLY
    for (int round = 0; round < 4; round++) widths<ONLY>();
#else
    for (int round = 0; round < 4; round++) {
        widths<int8>(), widths<uint8>(), widths<int16>(), widths<int32>();
        widths<cint16>(), widths<cint32>(), widths<float>(), widths<cfloat>();
    }
#endif
    return report();
}
