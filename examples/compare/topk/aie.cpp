// SPDX-License-Identifier: MIT
/* The 16 largest on AI Engine tiles, a part on each: eight elements at a time are compared with the last of its list,
 * and only larger ones are put where they belong; then lists go from tile to tile, each of which merges
 * its own into what comes.
 *
 * run: tilewright aie run aie.cpp --target hw -DPARTS={p} -DBLOCKS={m/256} -i {folder} -o {folder} --profile {profile} -- {x:n} {out:16} {folder}
 * parts: 16 512
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { BLOCK = 256, LANES = 8, BEST = 16 };

class best {
    float list[BEST];
    int blocks = 0;

    void put(float x)
    {
        if (!(x > list[BEST - 1])) return;
        int at = BEST - 1;
        for (; at && list[at - 1] < x; at--) list[at] = list[at - 1];
        list[at] = x;
    }

  protected:
    best()
    {
        for (float &x : list) x = -3e38f;
    }
    bool is_over(input_window<float> *in)
    {
        for (int i = 0; i < BLOCK; i += LANES) {
            const float least = list[BEST - 1];
            v8float x = window_readincr_v8(in);
            unsigned larger = fpgt(x, v8float{ least, least, least, least, least, least, least, least });
            if (!larger) continue;
            for (int lane = 0; lane < LANES; lane++) put(ext_elem(x, lane));
        }
        return ++blocks == BLOCKS;
    }
    /* The best of two lists in order. */
    void pass(input_stream<float> *from, output_stream<float> *to)
    {
        float in = readincr(from);
        int own = 0, came = 1;
        for (int i = 0; i < BEST; i++) {
            const bool is_own = list[own] >= in;
            writeincr(to, is_own ? list[own] : in);
            if (is_own)
                own++;
            else
                in = came++ < BEST ? readincr(from) : -3e38f;
        }
        for (; came < BEST; came++) readincr(from);
    }
    void give(output_stream<float> *to)
    {
        for (int i = 0; i < BEST; i++) writeincr(to, list[i]);
    }
};
class first_best : public best {
  public:
    void find(input_window<float> *x, output_stream<float> *to)
    {
        if (is_over(x)) give(to);
    }
    static void registerKernelClass() { REGISTER_FUNCTION(first_best::find); }
};
class next_best : public best {
  public:
    void find(input_window<float> *x, input_stream<float> *from, output_stream<float> *to)
    {
        if (is_over(x)) pass(from, to);
    }
    static void registerKernelClass() { REGISTER_FUNCTION(next_best::find); }
};

class topk_graph : public graph {
    kernel k[PARTS];

  public:
    input_plio x[PARTS];
    output_plio out;
    topk_graph()
    {
        for (int i = 0; i < PARTS; i++) {
            std::string n = "_" + std::to_string(i);
            k[i] = i ? kernel::create_object<next_best>() : kernel::create_object<first_best>();
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

topk_graph g;

int main(int argc, char **argv)
{
    if (argc != 4) return std::fprintf(stderr, "usage: aie x.npy out.npy FOLDER\n"), 2;
    tw_npy *x = read_array(argv[1]);
    write_parts(argv[3], "x", x, PARTS);
    tw_npy_free(x);
    if (g.init() != ok || g.run(BLOCKS) != ok || g.end() != ok) return 1;
    return !join_parts(argv[3], "out", 1, BEST, 0, argv[2]);
}
