// SPDX-License-Identifier: MIT
/* The sum of x y on eight AI Engine tiles: each multiplies a window of 256 numbers of its part in eight lanes and
 * hands the sum, with what its neighbour handed on, to the next tile by cascade; the last one keeps the sum of all
 * windows.
 *
 * run: tilewright aie run aie.cpp --target hw -DBLOCKS={n/2048} -i {folder} -o {folder} --profile {profile} -- {x:n} {y:n} {out:1} {folder}
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { BLOCK = 256, PARTS = 8 };

static v8float products(input_window<float> *x, input_window<float> *y)
{
    v8float sum = null_v8float();
    for (int i = 0; i < BLOCK; i += 8) {
        v8float a = window_readincr_v8(x), b = window_readincr_v8(y);
        sum = fpmac(sum, a, b);
    }
    return sum;
}
static void first(input_window<float> *x, input_window<float> *y, output_stream_accfloat *next)
{
    writeincr_v8(next, products(x, y));
}
static void middle(input_window<float> *x, input_window<float> *y, input_stream_accfloat *before,
                   output_stream_accfloat *next)
{
    v8float own = products(x, y); /* before it waits */
    writeincr_v8(next, fpadd(own, readincr_v8(before)));
}
static void last(input_window<float> *x, input_window<float> *y, input_stream_accfloat *before,
                 output_stream<float> *out)
{
    static v8float all = null_v8float();
    all = fpadd(all, products(x, y));
    all = fpadd(all, readincr_v8(before));
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += ext_elem(all, i);
    writeincr(out, sum);
}

class dot_graph : public graph {
    kernel k[PARTS];

  public:
    input_plio x[PARTS], y[PARTS];
    output_plio out;
    dot_graph()
    {
        k[0] = kernel::create(first), k[PARTS - 1] = kernel::create(last);
        for (int i = 1; i < PARTS - 1; i++) k[i] = kernel::create(middle);
        for (int i = 0; i < PARTS; i++) {
            std::string n = "_" + std::to_string(i);
            source(k[i]) = "aie.cpp";
            runtime<ratio>(k[i]) = 0.9;
            x[i] = input_plio::create("x" + n, plio_64_bits, "x" + n + ".txt");
            y[i] = input_plio::create("y" + n, plio_64_bits, "y" + n + ".txt");
            connect<window<BLOCK * 4>>(x[i].out[0], k[i].in[0]);
            connect<window<BLOCK * 4>>(y[i].out[0], k[i].in[1]);
            if (i) connect<cascade>(k[i - 1].out[0], k[i].in[2]);
        }
        out = output_plio::create("out", plio_32_bits, "out_0.txt");
        connect<stream>(k[PARTS - 1].out[0], out.in[0]);
    }
};

dot_graph g;

int main(int argc, char **argv)
{
    if (argc != 5) return std::fprintf(stderr, "usage: aie x.npy y.npy out.npy FOLDER\n"), 2;
    tw_npy *x = read_array(argv[1]), *y = read_array(argv[2]);
    write_parts(argv[4], "x", x, PARTS), write_parts(argv[4], "y", y, PARTS);
    tw_npy_free(x), tw_npy_free(y);
    if (g.init() != ok || g.run(BLOCKS) != ok || g.end() != ok) return 1;
    return !join_parts(argv[4], "out", 1, 1, BLOCKS - 1, argv[3]);
}
