// SPDX-License-Identifier: MIT
/* Sums of all elements up to each on eight AI Engine tiles, blocks of 256 in turn: a tile adds up its block in eight
 * lanes (sums of 2, 4, 8 neighbours), gets what stands before it from the tile before, and passes that on with its
 * own sum; the last tile's goes to the first one for the next blocks.
 *
 * run: tilewright aie run aie.cpp --target hw -DBLOCKS={n/2048} -i {folder} -o {folder} --profile {profile} -- {x:n} {out:n} {folder}
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { BLOCK = 256, PARTS = 8, LANES = 8 };

static v8float all_lanes(float x)
{
    return v8float{ x, x, x, x, x, x, x, x };
}

/* The sums of a block; the last of them. */
static float scan(input_window<float> *x, v8float *sums)
{
    const v8float by1 = { 0, 1, 1, 1, 1, 1, 1, 1 }, by2 = { 0, 0, 1, 1, 1, 1, 1, 1 },
                  by4 = { 0, 0, 0, 0, 1, 1, 1, 1 };
    v8float before = null_v8float();
    for (int i = 0; i < BLOCK / LANES; i++) {
        v8float s = window_readincr_v8(x);
        s = fpmac(s, s, 0, 0x65432100, by1, 0, 0x76543210); /* a lane and the one before it */
        s = fpmac(s, s, 0, 0x54321000, by2, 0, 0x76543210);
        s = fpmac(s, s, 0, 0x32100000, by4, 0, 0x76543210);
        s = fpadd(s, before);
        sums[i] = s, before = fpshuffle(s, 0, 0x77777777);
    }
    return ext_elem(before, 0);
}
static void add(const v8float *sums, float before, output_window<float> *y)
{
    const v8float all = all_lanes(before);
    for (int i = 0; i < BLOCK / LANES; i++) window_writeincr(y, fpadd(sums[i], all));
}

static void middle(input_window<float> *x, input_stream<float> *from, output_window<float> *y,
                   output_stream<float> *to)
{
    v8float sums[BLOCK / LANES];
    float own = scan(x, sums), before = readincr(from);
    writeincr(to, before + own);
    add(sums, before, y);
}
/* Nothing stands before its first block. */
static void first(input_window<float> *x, input_stream<float> *from, output_window<float> *y,
                  output_stream<float> *to)
{
    static bool is_later = false;
    v8float sums[BLOCK / LANES];
    float own = scan(x, sums), before = is_later ? readincr(from) : 0;
    is_later = true;
    writeincr(to, before + own);
    add(sums, before, y);
}

class prefix_graph : public graph {
    kernel k[PARTS];

  public:
    input_plio x[PARTS];
    output_plio y[PARTS];
    prefix_graph()
    {
        for (int i = 0; i < PARTS; i++) {
            std::string n = "_" + std::to_string(i);
            k[i] = kernel::create(i ? middle : first);
            source(k[i]) = "aie.cpp";
            runtime<ratio>(k[i]) = 0.9;
            x[i] = input_plio::create("x" + n, plio_64_bits, "x" + n + ".txt");
            y[i] = output_plio::create("y" + n, plio_64_bits, "y" + n + ".txt");
            connect<window<BLOCK * 4>>(x[i].out[0], k[i].in[0]);
            connect<window<BLOCK * 4>>(k[i].out[0], y[i].in[0]);
        }
        for (int i = 0; i < PARTS; i++) connect<stream>(k[i].out[1], k[(i + 1) % PARTS].in[1]);
    }
};

prefix_graph g;

int main(int argc, char **argv)
{
    if (argc != 4) return std::fprintf(stderr, "usage: aie x.npy out.npy FOLDER\n"), 2;
    tw_npy *x = read_array(argv[1]);
    size_t n = x->count;
    /* Blocks in turn: those of a tile one behind the other, as columns of a matrix of blocks become panels. */
    exchange_panels(static_cast<float *>(x->data), BLOCKS, n / BLOCKS, BLOCK, false);
    write_parts(argv[3], "x", x, PARTS);
    tw_npy_free(x);
    if (g.init() != ok || g.run(BLOCKS) != ok || g.end() != ok) return 1;
    tw_npy *y = read_parts(argv[3], "y", PARTS, n, 0);
    if (!y) return 1;
    exchange_panels(static_cast<float *>(y->data), BLOCKS, n / BLOCKS, BLOCK, true);
    return write_array(argv[2], y);
}
