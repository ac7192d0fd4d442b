// SPDX-License-Identifier: MIT
/* Ports of a kernel through the vendor's layered library: buffers by iterators, windows, streams and the cascade by
 * layered vectors and accumulators, in a graph of three kernels. See test.sh; runs in a folder of its own. */
#include "api.hpp"

#include <adf.h>
#include <aie_api/aie_adf.hpp>

using namespace vendor;

static const unsigned samples = 64;

/* x, 3x + 1 in 32 bits */
static void widen(adf::input_buffer<int16, adf::extents<samples>> &in, output_stream<int32> *out)
{
    auto at = aie::begin_vector<16>(in);
    for (unsigned i = 0; i < samples; i += 16) {
        aie::accum<acc48, 16> acc = aie::mul(*at++, int16(3));
        aie::vector<int32, 16> v = aie::add(acc.to_vector<int32>(0), 1);
        for (unsigned k = 0; k < 4; k++) writeincr(out, v.extract<4>(k));
    }
}
static void carry(input_stream<int32> *in, output_cascade<acc80> *out)
{
    for (unsigned i = 0; i < samples; i += 8) {
        aie::vector<int32, 4> low = readincr_v<4>(in), high = readincr_v<4>(in);
        writeincr(out, aie::accum<acc80, 8>(aie::concat(low, high), 2));
    }
}
static void finish(input_cascade<acc80> *in, input_window<int32> *other, output_window<int32> *out)
{
    for (unsigned i = 0; i < samples; i += 8) {
        aie::accum<acc80, 8> acc = readincr_v<8>(in);
        window_writeincr(out, aie::sub(acc.to_vector<int32>(1), window_readincr_v<8>(other)));
    }
}

class chain : public adf::graph {
  public:
    adf::kernel first, middle, last;
    adf::input_plio x, y;
    adf::output_plio z;
    chain()
    {
        first = adf::kernel::create(widen), middle = adf::kernel::create(carry), last = adf::kernel::create(finish);
        x = adf::input_plio::create("x", adf::plio_32_bits, "x.txt");
        y = adf::input_plio::create("y", adf::plio_32_bits, "y.txt");
        z = adf::output_plio::create("z", adf::plio_32_bits, "z.txt");
        adf::connect<>(x.out[0], first.in[0]);
        adf::connect<adf::stream>(first.out[0], middle.in[0]);
        adf::connect<adf::cascade>(middle.out[0], last.in[0]);
        adf::connect<adf::window<samples * 4>>(y.out[0], last.in[1]);
        adf::connect<adf::window<samples * 4>>(last.out[0], z.in[0]);
        adf::location<adf::kernel>(first) = adf::tile(3, 1);
        adf::location<adf::kernel>(middle) = adf::tile(4, 1);
        adf::location<adf::kernel>(last) = adf::tile(5, 1);
    }
};

int main()
{
    const unsigned blocks = 3;
    FILE *x = std::fopen("x.txt", "w"), *y = std::fopen("y.txt", "w");
    if (!x || !y) return 1;
    for (unsigned i = 0; i < blocks * samples; i += 2)
        std::fprintf(x, "%d %d\n", 77 * int(i) - 6000, 77 * int(i + 1) - 6000);
    for (unsigned i = 0; i < blocks * samples; i++) std::fprintf(y, "%d\n", int(i * i));
    std::fclose(x), std::fclose(y);
    chain g;
    g.init();
    g.run(blocks);
    g.end();
    FILE *z = std::fopen("z.txt", "r");
    unsigned n = 0;
    for (int v; z && std::fscanf(z, "%d", &v) == 1; n++)
        check("graph", "int32", n, v == 2 * (3 * (77 * int(n) - 6000) + 1) - int(n * n));
    check("graph", "count", n, n == blocks * samples);
    if (z) std::fclose(z);
    return report();
}
