// SPDX-License-Identifier: MIT
/* Operation modifiers of the vendor's layered library and products of all lanes against plain arithmetic. See
 * test.sh. */
#include "api.hpp"

#include "acc.hpp"

using namespace vendor;

/* |x|, min and max in front of a product; accumulators added, subtracted, or left out at run time. */
template <class A, class B, unsigned N> static void modified()
{
    data<A, N> a, c;
    data<B, N> b;
    auto v = a.load();
    auto u = c.load();
    auto w = b.load();
    auto product = [&](unsigned i) { return of(a[i]) * of(b[i]); };
    auto larger = [&](unsigned i) { return of(a[i] > c[i] ? a[i] : c[i]) * of(b[i]); };
    auto smaller = [&](unsigned i) { return of(a[i] < c[i] ? a[i] : c[i]) * of(b[i]); };
    auto absolute = [&](unsigned i) { return of(a[i]) * number{ of(a[i]).re < 0 ? -1 : 1, 0 } * of(b[i]); };
    accumulated("mul op_abs", aie::mul(aie::op_abs(v), w), absolute);
    accumulated("mul op_max", aie::mul(aie::op_max(v, u), w), larger);
    accumulated("mul op_min", aie::mul(aie::op_min(v, u), w), smaller);
    auto acc = aie::mul(v, w);
    accumulated("mac op_abs", aie::mac(acc, aie::op_abs(v), w),
                [&](unsigned i) { return product(i) + absolute(i); });
    accumulated("msc op_max", aie::msc(acc, aie::op_max(v, u), w),
                [&](unsigned i) { return product(i) - larger(i); });
    accumulated("mac op_min", aie::mac(acc, aie::op_min(v, u), w),
                [&](unsigned i) { return product(i) + smaller(i); });
    accumulated("mac op_add", aie::mac(aie::op_add(acc), v, w),
                [&](unsigned i) { return product(i) + product(i); });
    for (bool zero : { false, true })
        accumulated("mac op_zero", aie::mac(aie::op_zero(acc, zero), v, w),
                    [&](unsigned i) { return zero ? product(i) : product(i) + product(i); });
}

/* Small factors: products of all lanes stay exact. */
template <class T, unsigned N> static void all_lanes()
{
    data<T, N> a(1);
    for (unsigned i = 0; i < N; i++) a.v[i] = T(i == 2 ? 3 : i == N - 1 ? 5 : 1);
    check("reduce_mul", name_of<T>(), 0, aie::reduce_mul(a.load()) == T(15));
}

int main()
{
    for (int round = 0; round < 20; round++) {
        modified<int16, int16, 16>(), modified<int16, int16, 32>();
        modified<int32, int32, 8>(), modified<int32, int16, 8>(), modified<int16, int32, 8>();
        all_lanes<float, 8>(), all_lanes<float, 16>();
    }
    return report();
}
