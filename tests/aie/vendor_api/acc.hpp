// SPDX-License-Identifier: MIT
/* Accumulators of the vendor's layered library: every bit of each lane, seen through two or three shifts. */
#ifndef TILEWRIGHT_TESTS_VENDOR_API_ACC_HPP
#define TILEWRIGHT_TESTS_VENDOR_API_ACC_HPP

#include "api.hpp"

namespace vendor {

inline wide wrap(wide v, unsigned bits)
{
    unsigned up = 128 - bits;
    return static_cast<wide>(static_cast<unsigned __int128>(v) << up) >> up;
}

/* `acc`, lane by lane, is want(lane) modulo 2^48 or 2^80. */
template <class Acc, class F> void accumulated(const char *op, const Acc &acc, F want)
{
    constexpr unsigned bits = Acc::accum_bits(), half = Acc::size() / 2;
    if constexpr (Acc::size() * (Acc::is_complex() ? 8 : 4) > 128) { /* more than a vector holds */
        accumulated(op, acc.template extract<half>(0), want);
        accumulated(op, acc.template extract<half>(1), [&](unsigned i) { return want(half + i); });
    } else if constexpr (Acc::is_floating_point()) {
        typedef std::conditional_t<Acc::is_complex(), cfloat, float> T;
        auto got = acc.template to_vector<T>();
        lanes(op, got, [&](unsigned i) { return narrow<T>(want(i)); });
    } else {
        typedef std::conditional_t<Acc::is_complex(), cint32, int32> T;
        for (unsigned shift : { 0u, 20u, 48u }) {
            if (shift >= bits) continue;
            auto got = acc.template to_vector<T>(shift);
            lanes(op, got, [&](unsigned i) {
                number w = want(i);
                return narrow<T>({ wrap(w.re, bits) >> shift, wrap(w.im, bits) >> shift });
            });
        }
    }
}

} // namespace vendor

#endif
