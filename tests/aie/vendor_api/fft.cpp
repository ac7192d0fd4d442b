// SPDX-License-Identifier: MIT
/* Transforms out of the vendor's stages (fft_dit_r2_stage and the like) against a discrete Fourier transform by its
 * sum: all radices, types, orders of stages and both directions. See vendor_api_test.sh. */
#include "api.hpp"

#include <cmath>
#include <complex>
#include <cstring>
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

/* n points by stages: the first one makes Mid of In, the last one Out of Mid with roots of type Last; the first stage
 * has the largest vectorization. */
template <class In, class Mid, class Out, class W, class Last> struct chain {
    const char *name;
    std::vector<int> radices;
    bool inv;
    int n = 1, blocks = 1;
    std::vector<point> x;

    /* Stages from one width to the other: the library has first ones, where v is 16 here, and last ones that
     * narrow. */
    template <class Root, class A, class B> void widths(int r, int v, A *from, Root *const tw[4], int shift, B *to)
    {
        constexpr bool same = std::is_same<A, B>::value, last = same || std::is_same<A, cint32>::value,
                       has_odd = std::is_same<Root, cint16>::value;
        constexpr int only = last ? 1 : 16;
        if (r == 2 && v == only) aie::fft_dit_r2_stage<only>(from, tw[0], n, shift, shift, inv, to);
        if constexpr (!same)
            if (r == 4 && v == only)
                aie::fft_dit_r4_stage<only>(from, tw[1], tw[0], tw[2], n, shift, shift, inv, to);
        if constexpr (has_odd) {
            if (r == 3 && v == 16) aie::fft_dit_r3_stage<16>(from, tw[0], tw[1], n, shift, shift, inv, to);
            if (r == 5 && v == 16)
                aie::fft_dit_r5_stage<16>(from, tw[0], tw[1], tw[2], tw[3], n, shift, shift, inv, to);
        }
    }
    template <class Root, class A, class B> void step(int r, A *from, B *to)
    {
        const bool fixed = !std::is_same<Root, cfloat>::value;
        const int shift = std::is_same<Root, cint16>::value ? 15 : std::is_same<Root, cint32>::value ? 31 : 0;
        std::vector<buffer<Root>> store;
        Root *tw[4] = {};
        store.reserve(4);
        for (int p = 1; p < r; p++) {
            store.emplace_back(std::size_t(blocks) + 16);
            tw[p - 1] = aligned(store.back(), twiddles<Root>(blocks, r, p, shift, fixed));
        }
        const int v = n / blocks / r;
        if constexpr (std::is_same<A, B>::value && !(std::is_same<A, cint16>::value && sizeof(Root) == 8)) {
            if (r == 2) stage<2>(from, tw, n, v, shift, shift, inv, to);
            if (r == 3) stage<3>(from, tw, n, v, shift, shift, inv, to);
            if (r == 4) stage<4>(from, tw, n, v, shift, shift, inv, to);
            if (r == 5) stage<5>(from, tw, n, v, shift, shift, inv, to);
        } else {
            widths<Root, A, B>(r, v, from, tw, shift, to);
        }
        blocks *= r;
    }
    void compare(const Out *result) const
    {
        const bool fixed = !std::is_same<Out, cfloat>::value;
        double worst = 0, most = 0;
        for (int k = 0; k < n; k++) {
            point sum = 0;
            for (int i = 0; i < n; i++)
                sum += x[std::size_t(i)] * std::polar(1.0, (inv ? 2 : -2) * M_PI * double((long)i * k % n) / n);
            worst = std::max(worst, std::abs(sum - of_element(result[k])));
            most = std::max(most, std::abs(sum));
        }
        /* Roots with 15 or 31 bits, results rounded after each stage; the library's constants of radix 5 in float are
         * short. */
        const int bits = std::is_same<W, cint32>::value ? 31 : 15;
        const double allowed = fixed ? 4.0 * double(radices.size()) + most * std::ldexp(4.0, -bits) : most * 4e-5;
        checked++;
        if (worst <= allowed) return;
        failed++;
        std::printf("%s, %d points, radices", name, n);
        for (int r : radices) std::printf(" %d", r);
        std::printf("%s: off by %g of %g, allowed %g\n", inv ? ", inverse" : "", worst, most, allowed);
    }
    void run()
    {
        const bool is_short = std::is_same<In, cint16>::value || std::is_same<Out, cint16>::value;
        for (int r : radices) n *= r;
        buffer<In> first{ std::size_t(n) };
        buffer<Mid> a{ std::size_t(n) }, b{ std::size_t(n) };
        buffer<Out> last{ std::size_t(n) };
        const double top = std::is_same<In, cfloat>::value ? 1 : is_short ? 48000.0 / n : 1 << 20;
        for (int i = 0; i < n; i++) {
            first.at[i] = element<In>({ std::sin(i * 1.7 + i * i * 0.01), std::cos(i * 0.9 + 1) }, top);
            x.push_back(of_element(first.at[i]));
        }
        step<W>(radices.front(), first.at, a.at);
        Mid *from = a.at, *to = b.at;
        for (std::size_t i = 1; i + 1 < radices.size(); i++, std::swap(from, to)) step<W>(radices[i], from, to);
        step<Last>(radices.back(), from, last.at);
        compare(last.at);
    }
};

template <class In, class Mid, class Out, class W, class Last = W>
static void all(const char *name, std::initializer_list<std::vector<int>> lists)
{
    for (const std::vector<int> &radices : lists)
        for (bool inv : { false, true }) chain<In, Mid, Out, W, Last>{ name, radices, inv }.run();
}
template <class T, class W> static void all(const char *name, std::initializer_list<std::vector<int>> lists)
{
    all<T, T, T, W>(name, lists);
}

/* A stage as a kernel writes it that takes the class: an iterator over operands, a butterfly for each. */
template <unsigned Vectorization, class T, class W>
static void by_class(const T *x, const W *tw, int n, int shift, bool inv, T *y)
{
    using FFT = aie::fft_dit<Vectorization, 2, T, T, W>;
    FFT fft(shift, shift, inv);
    auto operands = fft.begin_stage(x, tw);
    for (int i = 0; i < FFT::block_size(n); i++) {
        const auto out = fft.dit(*operands++);
        aie::store_v(y + i * int(FFT::out_vector_size), out[0]);
        aie::store_v(y + n / 2 + i * int(FFT::out_vector_size), out[1]);
    }
}

/* Sixteen points by the class; vectorizations at compile time give what those at run time give, bit by bit. */
template <class T, class W> static void class_and_constants(const char *name, int shift, double top)
{
    const int n = 16;
    chain<T, T, T, W, W> c{ name, { 2, 2, 2, 2 }, false, n };
    buffer<T> a{ n }, b{ n }, again{ n };
    for (int i = 0; i < n; i++) {
        a.at[i] = element<T>({ std::sin(i * 1.7), std::cos(i * 0.9 + 1) }, top);
        c.x.push_back(of_element(a.at[i]));
    }
    std::vector<buffer<W>> roots;
    for (int blocks = 1; blocks < n; blocks *= 2) {
        roots.emplace_back(std::size_t(blocks) + 16);
        aligned(roots.back(), twiddles<W>(blocks, 2, 1, shift, shift != 0));
    }
    by_class<8>(a.at, roots[0].at, n, shift, false, b.at);
    by_class<4>(b.at, roots[1].at, n, shift, false, a.at);
    by_class<2>(a.at, roots[2].at, n, shift, false, b.at);
    by_class<1>(b.at, roots[3].at, n, shift, false, a.at);
    c.compare(a.at);
    if constexpr (std::is_same<T, cfloat>::value)
        aie::fft_dit_r2_stage<1>(b.at, roots[3].at, n, false, again.at);
    else
        aie::fft_dit_r2_stage<1>(b.at, roots[3].at, n, shift, shift, false, again.at);
    checked++;
    if (!std::memcmp(a.at, again.at, n * sizeof(T))) return;
    failed++;
    std::printf("%s: the stage with a constant vectorization differs from the class\n", name);
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
    all<cfloat, cfloat>("cfloat, more points", { std::vector<int>(10, 2) });
    all<cint32, cint16>("cint32, more points", { { 4, 4, 4, 4, 4 }, { 2, 4, 4, 4, 4, 4 } });
    all<cint16, cint32, cint32, cint16>("cint16 to cint32",
                                        { { 2, 2, 2, 2, 2 }, { 3, 2, 2, 2, 2 }, { 5, 2, 2, 2, 2 }, { 4, 4, 4 } });
    all<cint32, cint32, cint16, cint16>("cint32 to cint16", { { 2, 2, 2, 2, 2, 2 }, { 4, 4, 4 } });
    all<cint32, cint16, cint16, cint16>("cint32 to cint16 at first", { { 3, 2, 2, 2, 2 }, { 5, 2, 2, 2, 2 } });
    all<cint16, cint32, cint32, cint32>("cint16 to cint32, twiddles of 32 bits",
                                        { { 2, 2, 2, 2, 2 }, { 4, 4, 4 } });
    all<cint32, cint32, cint16, cint32>("cint32 to cint16, twiddles of 32 bits",
                                        { { 2, 2, 2, 2, 2, 2 }, { 4, 4, 4 } });
    all<cint16, cint16, cint16, cint16, cint32>("cint16, last twiddles of 32 bits", { { 2, 2, 2, 2, 2, 2 } });
    class_and_constants<cint16, cint16>("cint16, class", 15, 1000);
    class_and_constants<cint32, cint16>("cint32, class", 15, 1 << 20);
    class_and_constants<cint32, cint32>("cint32, class, twiddles of 32 bits", 31, 1 << 20);
    class_and_constants<cfloat, cfloat>("cfloat, class", 0, 1);
    std::printf("%d transforms, %d wrong\n", checked, failed);
    return failed != 0;
}
