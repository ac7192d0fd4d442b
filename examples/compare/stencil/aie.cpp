// SPDX-License-Identifier: MIT
/* Ten steps of heat on ten AI Engine tiles, a step on each: rows go through all of them one after the other, and each
 * tile keeps the last three that it has got. A row leaves a tile when the one below has come, so ten more rows than
 * the square has push the last ones out. Eight cells at a time; left and right neighbours by where a product's lanes
 * begin.
 *
 * run: tilewright aie run aie.cpp --target hw -DSIDE={n} -i {folder} -o {folder} --profile {profile} -- {u:n,n} {out:n,n} {folder}
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { STEPS = 10, LANES = 8, ROW = SIDE + 4 * LANES }; /* vectors on either side that no cell looks at */

class heat {
    alignas(32) float rows[3][ROW] = {};
    int row, newest = 0; /* the row that leaves next; where the last one lies */

  public:
    explicit heat(int step) : row(-1 - step) {} /* those before 0 are of no use to anybody */
    void step(input_window<float> *in, output_window<float> *out)
    {
        newest = newest == 2 ? 0 : newest + 1;
        const int middle = newest == 0 ? 2 : newest - 1, above = middle == 0 ? 2 : middle - 1;
        for (int j = 0; j < SIDE; j += LANES) *(v8float *)&rows[newest][LANES + j] = window_readincr_v8(in);
        const float *a = &rows[above][LANES], *m = &rows[middle][LANES], *b = &rows[newest][LANES];
        const bool is_rim = row == 0 || row == SIDE - 1;
        row++;
        if (is_rim) {
            for (int j = 0; j < SIDE; j += LANES) window_writeincr(out, *(const v8float *)(m + j));
            return;
        }
        const v8float quarter = { 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f };
        const float first = m[0], last = m[SIDE - 1];
        for (int j = 0; j < SIDE; j += LANES) {
            v32float around = concat(*(const v16float *)(m + j - LANES), *(const v16float *)(m + j + LANES));
            v8float sum = fpadd(*(const v8float *)(a + j), *(const v8float *)(b + j));
            v8float sides = fpmul(around, 7, 0x76543210, quarter, 0, 0);
            sides = fpmac(sides, around, 9, 0x76543210, quarter, 0, 0);
            window_writeincr(out, fpmac(sides, sum, quarter));
        }
        window_decr(out, SIDE), window_write(out, first);
        window_incr(out, SIDE - 1), window_write(out, last);
    }
    static void registerKernelClass() { REGISTER_FUNCTION(heat::step); }
};

class heat_graph : public graph {
    kernel k[STEPS];

  public:
    input_plio in;
    output_plio out;
    heat_graph()
    {
        in = input_plio::create("u", plio_128_bits, "u_0.txt");
        out = output_plio::create("out", plio_128_bits, "out_0.txt");
        for (int i = 0; i < STEPS; i++) {
            k[i] = kernel::create_object<heat>(i);
            source(k[i]) = "aie.cpp";
            runtime<ratio>(k[i]) = 0.9;
            if (i) connect<window<SIDE * 4>>(k[i - 1].out[0], k[i].in[0]);
        }
        connect<window<SIDE * 4>>(in.out[0], k[0].in[0]);
        connect<window<SIDE * 4>>(k[STEPS - 1].out[0], out.in[0]);
    }
};

heat_graph g;

int main(int argc, char **argv)
{
    if (argc != 4) return std::fprintf(stderr, "usage: aie u.npy out.npy FOLDER\n"), 2;
    tw_npy *u = read_array(argv[1]);
    write_parts(argv[3], "u", u, 1, 4);
    {
        std::ofstream more(argv[3] + std::string("/u_0.txt"), std::ios::app);
        for (int i = 0; i < STEPS * SIDE / 4; i++) more << "0 0 0 0\n";
    }
    tw_npy_free(u);
    if (g.init() != ok || g.run(SIDE + STEPS) != ok || g.end() != ok) return 1;
    return !join_parts(argv[3], "out", 1, SIDE * SIDE, STEPS * SIDE, argv[2]);
}
