// SPDX-License-Identifier: MIT
/* Softmax of rows of 64 numbers on AI Engine tiles, four rows in a window. The vector unit has no exp: 2 to the power
 * of a number is a power of two, made of bits, times a polynomial of the rest.
 *
 * run: tilewright aie run aie.cpp --target hw -DPARTS={p} -DBLOCKS={m/4} -i {folder} -o {folder} --profile {profile} -- {x:n,64} {out:n,64} {folder}
 * parts: 64 4
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { ROWS = 4, COLUMNS = 64, LANES = 8 };

static v8float all_lanes(float x)
{
    return v8float{ x, x, x, x, x, x, x, x };
}

/* Of numbers from -87 to 0; lower ones as -87. */
static v8float exponential(v8float x)
{
    const v8float half = all_lanes(0.5f);
    x = fpmax(x, all_lanes(-87.0f), 0, 0x76543210);
    v8float power = fpmul(x, all_lanes(1.44269504f));
    v8int32 whole = float2fix(power, 0);
    v8float rounded = fix2float(whole, 0);
    v8float rest = fpmsc(x, rounded, all_lanes(0.693359375f)); /* ln 2 in two parts: the first one has few bits */
    rest = fpmac(rest, rounded, all_lanes(2.12194440e-4f));
    v8float sum = fpmac(all_lanes(1.0f / 120), rest, all_lanes(1.0f / 720));
    sum = fpmac(all_lanes(1.0f / 24), sum, rest);
    sum = fpmac(all_lanes(1.0f / 6), sum, rest);
    sum = fpmac(half, sum, rest);
    sum = fpmac(all_lanes(1), sum, rest);
    sum = fpmac(all_lanes(1), sum, rest);
    v8int32 exponent = float2fix(fpadd(rounded, all_lanes(127)), 0);
    return fpmul(sum, as_v8float(lsrs(ups(exponent, 23), 0)));
}

static void softmax(input_window<float> *in, output_window<float> *out)
{
    for (int row = 0; row < ROWS; row++) {
        v8float most = window_readincr_v8(in), sum = null_v8float(), own[COLUMNS / LANES];
        for (int j = LANES; j < COLUMNS; j += LANES) most = fpmax(most, window_readincr_v8(in), 0, 0x76543210);
        window_decr_v8(in, COLUMNS / LANES);
        most = fpmax(most, most, 0, 0x32107654);
        most = fpmax(most, most, 0, 0x54761032);
        most = fpmax(most, most, 0, 0x67452301);
        for (int j = 0; j < COLUMNS; j += LANES) {
            v8float e = exponential(fpsub(window_readincr_v8(in), most));
            sum = fpadd(sum, e), own[j / LANES] = e;
        }
        sum = fpadd(sum, sum, 0, 0x32107654);
        sum = fpadd(sum, sum, 0, 0x54761032);
        sum = fpadd(sum, sum, 0, 0x67452301);
        v8float factor = all_lanes(inv(ext_elem(sum, 0)));
        for (int j = 0; j < COLUMNS / LANES; j++) window_writeincr(out, fpmul(own[j], factor));
    }
}

class softmax_graph : public graph {
    kernel k[PARTS];

  public:
    input_plio x[PARTS];
    output_plio out[PARTS];
    softmax_graph()
    {
        for (int i = 0; i < PARTS; i++) {
            std::string n = "_" + std::to_string(i);
            k[i] = kernel::create(softmax);
            source(k[i]) = "aie.cpp";
            runtime<ratio>(k[i]) = 0.9;
            x[i] = input_plio::create("x" + n, plio_64_bits, "x" + n + ".txt");
            out[i] = output_plio::create("out" + n, plio_64_bits, "out" + n + ".txt");
            connect<window<ROWS * COLUMNS * 4>>(x[i].out[0], k[i].in[0]);
            connect<window<ROWS * COLUMNS * 4>>(k[i].out[0], out[i].in[0]);
        }
    }
};

softmax_graph g;

int main(int argc, char **argv)
{
    if (argc != 4) return std::fprintf(stderr, "usage: aie x.npy out.npy FOLDER\n"), 2;
    tw_npy *x = read_array(argv[1]);
    write_parts(argv[3], "x", x, PARTS);
    size_t count = x->count;
    tw_npy_free(x);
    if (g.init() != ok || g.run(BLOCKS) != ok || g.end() != ok) return 1;
    return !join_parts(argv[3], "out", PARTS, count, 0, argv[2]);
}
