// SPDX-License-Identifier: MIT
/* Transforms out of the vendor's stages (fft_dit_r2_stage and the like) against a discrete Fourier transform by its
 * sum: all radices, types, orders of stages and both directions. See vendor_api_test.sh. */
#include "api.hpp"

#include <cmath>
#include <complex>
#include <vector>

typedef std::complex<double> point;
static int failed, checked;

static point of_element(cint16 v)
{
    return { double(v.real), double(v.imag) };
}
static point of_element(cint32 v)
{
    return { double(v.real), double(v.imag) };
}
static point of_element(cfloat v)
{
    return { double(v.real), double(v.imag) };
}
template <class T> static T element(point p, double scale)
{
    T v;
    v.real = decltype(v.real)(std::is_same<T, cfloat>::value ? p.real() * scale : std::lround(p.real() * scale));
    v.imag = decltype(v.imag)(std::is_same<T, cfloat>::value ? p.imag() * scale : std::lround(p.imag() * scale));
    return v;
}

/* The k-th power of the block's root for each block of a stage that has so many. */
template <class T> static std::vector<T> twiddles(int blocks, int radix, int power, int shift, bool fixed)
{
    std::vector<T> list(std::size_t(blocks) + 8);
    for (int b = 0; b < blocks; b++) {
        /* Decimation in time: block b of a stage with `blocks` blocks. */
        double angle = -2 * M_PI * b * power / (double(radix) * blocks);
        point p = std::polar(1.0, angle);
        if (fixed) p = { std::min(p.real(), 1 - std::ldexp(1.0, -shift)), p.imag() };
        list[std::size_t(b)] = element<T>(p, fixed ? std::ldexp(1.0, shift) : 1);
    }
    return list;
}

template <class T> struct alignas(32) buffer {
    std::vector<T> raw;
    T *at;
    explicit buffer(std::size_t n) : raw(n + 64)
    {
        std::uintptr_t a = reinterpret_cast<std::uintptr_t>(raw.data());
        at = raw.data() + ((32 - a % 32) % 32) / sizeof(T);
    }
};
template <class T> static T *aligned(buffer<T> &b, const std::vector<T> &from)
{
    for (std::size_t i = 0; i < from.size(); i++) b.at[i] = from[i];
    return b.at;
}

/* One stage with a vectorization known at run time; twiddles of power 1 to radix - 1. */
template <int Radix, class In, class Out, class W>
static void stage(In *x, W *const tw[4], int n, int v, int shift_tw, int shift, bool inv, Out *y)
{
    if constexpr (std::is_same<W, cfloat>::value) {
        if constexpr (Radix == 2) aie::fft_dit_r2_stage(x, tw[0], n, v, inv, y);
        if constexpr (Radix == 3) aie::fft_dit_r3_stage(x, tw[0], tw[1], n, v, inv, y);
        if constexpr (Radix == 5) aie::fft_dit_r5_stage(x, tw[0], tw[1], tw[2], tw[3], n, v, inv, y);
    } else {
        if constexpr (Radix == 2) aie::fft_dit_r2_stage(x, tw[0], n, v, shift_tw, shift, inv, y);
        if constexpr (Radix == 3) aie::fft_dit_r3_stage(x, tw[0], tw[1], n, v, shift_tw, shift, inv, y);
        /* The first operand turns pairs, the second one what they make. */
        if constexpr (Radix == 4) aie::fft_dit_r4_stage(x, tw[1], tw[0], tw[2], n, v, shift_tw, shift, inv, y);
        if constexpr (Radix == 5)
            aie::fft_dit_r5_stage(x, tw[0], tw[1], tw[2], tw[3], n, v, shift_tw, shift, inv, y);
    }
}

/* n points by stages of one type; the first stage has the largest vectorization. */
template <class T, class W> static void transform(const char *name, const std::vector<int> &radices, bool inv)
{
    const bool fixed = !std::is_same<T, cfloat>::value;
    const int shift_tw = std::is_same<W, cint16>::value ? 15 : std::is_same<W, cint32>::value ? 31 : 0;
    int n = 1;
    for (int r : radices) n *= r;
    buffer<T> a{ std::size_t(n) }, b{ std::size_t(n) };
    std::vector<point> x(static_cast<std::size_t>(n));
    const double top = std::is_same<T, cint16>::value   ? 12000.0 / n * 4
                       : std::is_same<T, cint32>::value ? 1 << 20
                                                        : 1;
    for (int i = 0; i < n; i++) {
        a.at[i] = element<T>({ std::sin(i * 1.7 + i * i * 0.01), std::cos(i * 0.9 + 1) }, top);
        x[std::size_t(i)] = of_element(a.at[i]);
    }
    int blocks = 1, v = n;
    T *from = a.at, *to = b.at;
    for (int r : radices) {
        v /= r;
        std::vector<buffer<W>> store;
        W *tw[4] = {};
        store.reserve(4);
        for (int p = 1; p < r; p++) {
            store.emplace_back(std::size_t(blocks) + 16);
            tw[p - 1] = aligned(store.back(), twiddles<W>(blocks, r, p, shift_tw, fixed));
        }
        if (r == 2) stage<2>(from, tw, n, v, shift_tw, shift_tw, inv, to);
        if (r == 3) stage<3>(from, tw, n, v, shift_tw, shift_tw, inv, to);
        if (r == 4) stage<4>(from, tw, n, v, shift_tw, shift_tw, inv, to);
        if (r == 5) stage<5>(from, tw, n, v, shift_tw, shift_tw, inv, to);
        blocks *= r;
        std::swap(from, to);
    }
    double worst = 0, most = 0;
    for (int k = 0; k < n; k++) {
        point sum = 0;
        for (int i = 0; i < n; i++)
            sum += x[std::size_t(i)] * std::polar(1.0, (inv ? 2 : -2) * M_PI * double(i) * k / n);
        worst = std::max(worst, std::abs(sum - of_element(from[k])));
        most = std::max(most, std::abs(sum));
    }
    /* Roots with 15 bits, results rounded after each stage; the library's constants of radix 5 in float are short. */
    const double allowed = fixed ? 4.0 * double(radices.size()) + most * std::ldexp(4.0, -15) : most * 4e-5;
    checked++;
    if (worst <= allowed) return;
    failed++;
    std::printf("%s, %d points, radices", name, n);
    for (int r : radices) std::printf(" %d", r);
    std::printf("%s: off by %g of %g, allowed %g\n", inv ? ", inverse" : "", worst, most, allowed);
}

template <class T, class W> static void all(const char *name, std::initializer_list<std::vector<int>> lists)
{
    for (const std::vector<int> &radices : lists)
        for (bool inv : { false, true }) transform<T, W>(name, radices, inv);
}

int main()
{
    set_rnd(rnd_conv_even);
    set_sat();
    all<cint16, cint16>("cint16",
                        { { 2, 2, 2, 2, 2, 2 }, { 2, 2, 2, 2, 2, 2, 2, 2 }, { 3, 2, 2, 2, 2 }, { 5, 2, 2, 2, 2 } });
    all<cint16, cint16>("cint16, radix 4", { { 4, 4, 4 }, { 2, 4, 4, 4 } });
    all<cint32, cint16>("cint32",
                        { { 2, 2, 2, 2, 2, 2 }, { 3, 2, 2, 2, 2 }, { 5, 2, 2, 2, 2 }, { 2, 3, 2, 2, 2, 2 } });
    all<cint32, cint16>("cint32, radix 4", { { 4, 4, 4 }, { 2, 4, 4, 4 } });
    all<cint32, cint32>("cint32, twiddles of 32 bits",
                        { { 2, 2, 2, 2, 2, 2 }, { 3, 2, 2, 2, 2 }, { 5, 2, 2, 2, 2 }, { 4, 4, 4 } });
    all<cfloat, cfloat>("cfloat",
                        { { 2, 2, 2, 2, 2, 2 }, { 3, 2, 2, 2, 2 }, { 5, 2, 2, 2, 2 }, { 3, 5, 2, 2, 2 } });
    std::printf("%d transforms, %d wrong\n", checked, failed);
    return failed != 0;
}
