// SPDX-License-Identifier: MIT
/* y = 2.5 x + y on AI Engine tiles: each works on windows of 256 numbers of its part, eight lanes at a time;
 * arrays come and go through PLIO of 64 bits.
 *
 * run: tilewright aie run aie.cpp --target hw -DPARTS={p} -DBLOCKS={m/256} -i {folder} -o {folder} --profile {profile} -- {x:n} {y:n} {out:n} {folder}
 * parts: 8 512
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { BLOCK = 256 };

static void axpy(input_window<float> *x, input_window<float> *y, output_window<float> *out)
{
    const v8float factor = { 2.5f, 2.5f, 2.5f, 2.5f, 2.5f, 2.5f, 2.5f, 2.5f };
    for (int i = 0; i < BLOCK; i += 8) {
        v8float a = window_readincr_v8(x), b = window_readincr_v8(y);
        window_writeincr(out, fpmac(b, a, factor));
    }
}

class axpy_graph : public graph {
    kernel k[PARTS];

  public:
    input_plio x[PARTS], y[PARTS];
    output_plio out[PARTS];
    axpy_graph()
    {
        for (int i = 0; i < PARTS; i++) {
            std::string n = "_" + std::to_string(i);
            k[i] = kernel::create(axpy);
            source(k[i]) = "aie.cpp";
            runtime<ratio>(k[i]) = 0.9;
            x[i] = input_plio::create("x" + n, plio_64_bits, "x" + n + ".txt");
            y[i] = input_plio::create("y" + n, plio_64_bits, "y" + n + ".txt");
            out[i] = output_plio::create("out" + n, plio_64_bits, "out" + n + ".txt");
            connect<window<BLOCK * 4>>(x[i].out[0], k[i].in[0]);
            connect<window<BLOCK * 4>>(y[i].out[0], k[i].in[1]);
            connect<window<BLOCK * 4>>(k[i].out[0], out[i].in[0]);
        }
    }
};

axpy_graph g;

int main(int argc, char **argv)
{
    if (argc != 5) return std::fprintf(stderr, "usage: aie x.npy y.npy out.npy FOLDER\n"), 2;
    tw_npy *x = read_array(argv[1]), *y = read_array(argv[2]);
    write_parts(argv[4], "x", x, PARTS), write_parts(argv[4], "y", y, PARTS);
    size_t count = x->count;
    tw_npy_free(x), tw_npy_free(y);
    if (g.init() != ok || g.run(BLOCKS) != ok || g.end() != ok) return 1;
    return !join_parts(argv[4], "out", PARTS, count, 0, argv[3]);
}
