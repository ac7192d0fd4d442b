// SPDX-License-Identifier: MIT
/* How often each of 64 numbers occurs, on AI Engine tiles, a part on each: scalar code counts, as a table cannot be
 * changed by lanes; then the counts go from tile to tile, each of which adds its own.
 *
 * run: tilewright aie run aie.cpp --target hw -DPARTS={p} -DBLOCKS={m/256} -i {folder} -o {folder} --profile {profile} -- {x:n} {out:64} {folder}
 * parts: 32 256
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { BLOCK = 256, BINS = 64 };

class counter {
    int32 counts[BINS] = {};
    int blocks = 0;

  protected:
    bool is_over(input_window<int32> *x)
    {
        for (int i = 0; i < BLOCK; i++) counts[window_readincr(x)]++;
        return ++blocks == BLOCKS;
    }
    int32 of(int bin) const { return counts[bin]; }
};
class first_counter : public counter {
  public:
    void count(input_window<int32> *x, output_stream<int32> *to)
    {
        if (!is_over(x)) return;
        for (int i = 0; i < BINS; i++) writeincr(to, of(i));
    }
    static void registerKernelClass() { REGISTER_FUNCTION(first_counter::count); }
};
class next_counter : public counter {
  public:
    void count(input_window<int32> *x, input_stream<int32> *from, output_stream<int32> *to)
    {
        if (!is_over(x)) return;
        for (int i = 0; i < BINS; i++) writeincr(to, of(i) + readincr(from));
    }
    static void registerKernelClass() { REGISTER_FUNCTION(next_counter::count); }
};

class histogram_graph : public graph {
    kernel k[PARTS];

  public:
    input_plio x[PARTS];
    output_plio out;
    histogram_graph()
    {
        for (int i = 0; i < PARTS; i++) {
            std::string n = "_" + std::to_string(i);
            k[i] = i ? kernel::create_object<next_counter>() : kernel::create_object<first_counter>();
            source(k[i]) = "aie.cpp";
            runtime<ratio>(k[i]) = 0.9;
            x[i] = input_plio::create("x" + n, plio_64_bits, "x" + n + ".txt");
            connect<window<BLOCK * 4>>(x[i].out[0], k[i].in[0]);
            if (i) connect<stream>(k[i - 1].out[0], k[i].in[1]);
        }
        out = output_plio::create("out", plio_32_bits, "out_0.txt");
        connect<stream>(k[PARTS - 1].out[0], out.in[0]);
    }
};

histogram_graph g;

int main(int argc, char **argv)
{
    if (argc != 4) return std::fprintf(stderr, "usage: aie x.npy out.npy FOLDER\n"), 2;
    tw_npy *x = read_array(argv[1]);
    const int32_t *from = static_cast<const int32_t *>(x->data);
    float *to = static_cast<float *>(x->data); /* write_parts() knows floats */
    for (size_t i = 0; i < x->count; i++) to[i] = static_cast<float>(from[i]);
    write_parts(argv[3], "x", x, PARTS);
    tw_npy_free(x);
    if (g.init() != ok || g.run(BLOCKS) != ok || g.end() != ok) return 1;
    return !join_parts(argv[3], "out", 1, BINS, 0, argv[2]);
}
