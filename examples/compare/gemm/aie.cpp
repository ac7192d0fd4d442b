// SPDX-License-Identifier: MIT
/* C = A B on AI Engine tiles: each keeps some rows of A as a parameter, and all get the same panels of B, eight
 * columns that a stream brings to all of them. Four rows at a time in eight lanes, so that no sum waits for the one
 * before.
 *
 * run: tilewright aie run aie.cpp --target hw -DSIDE={n} -DSTRIPE={m} -i {folder} -o {folder} --profile {profile} -- {a:n,n} {b:n,n} {out:n,n} {folder}
 * parts: 32 8
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { PARTS = SIDE / STRIPE, LANES = 8 };

static void panel(input_window<float> *b, output_window<float> *c, const float (&a)[STRIPE * SIDE])
{
    for (int i = 0; i < STRIPE; i += 4) {
        v8float sum0 = null_v8float(), sum1 = sum0, sum2 = sum0, sum3 = sum0;
        for (int k = 0; k < SIDE; k += 2) {
            v16float two = window_readincr_v16(b); /* rows k and k + 1 of the panel */
            const float *at = &a[i * SIDE + (k & ~7)];
            for (int side = 0; side < 2; side++) {
                sum0 = fpmac(sum0, two, 8 * side, 0x76543210, *(const v8float *)at, (k & 7) + side, 0);
                sum1 = fpmac(sum1, two, 8 * side, 0x76543210, *(const v8float *)(at + SIDE), (k & 7) + side, 0);
                sum2 = fpmac(sum2, two, 8 * side, 0x76543210, *(const v8float *)(at + 2 * SIDE), (k & 7) + side, 0);
                sum3 = fpmac(sum3, two, 8 * side, 0x76543210, *(const v8float *)(at + 3 * SIDE), (k & 7) + side, 0);
            }
        }
        window_decr_v8(b, SIDE);
        window_writeincr(c, sum0), window_writeincr(c, sum1), window_writeincr(c, sum2), window_writeincr(c, sum3);
    }
}

class gemm_graph : public graph {
    kernel k[PARTS];

  public:
    input_plio b;
    output_plio c[PARTS];
    port<input> a[PARTS];
    gemm_graph()
    {
        b = input_plio::create("b", plio_128_bits, "b_0.txt");
        for (int i = 0; i < PARTS; i++) {
            std::string n = "_" + std::to_string(i);
            k[i] = kernel::create(panel);
            source(k[i]) = "aie.cpp";
            runtime<ratio>(k[i]) = 0.9;
            c[i] = output_plio::create("c" + n, plio_64_bits, "c" + n + ".txt");
            connect<window<LANES * SIDE * 4>>(b.out[0], k[i].in[0]);
            connect<window<LANES * STRIPE * 4>>(k[i].out[0], c[i].in[0]);
            connect<parameter>(a[i], async(k[i].in[1]));
        }
    }
};

gemm_graph g;

int main(int argc, char **argv)
{
    if (argc != 5) return std::fprintf(stderr, "usage: aie a.npy b.npy out.npy FOLDER\n"), 2;
    tw_npy *a = read_array(argv[1]), *b = read_array(argv[2]);
    exchange_panels(static_cast<float *>(b->data), SIDE, SIDE, LANES, false);
    write_parts(argv[4], "b", b, 1, 4);
    if (g.init() != ok) return 1;
    for (int i = 0; i < PARTS; i++)
        if (g.update(g.a[i], static_cast<const float *>(a->data) + i * STRIPE * SIDE, STRIPE * SIDE) != ok)
            return 1;
    tw_npy_free(a), tw_npy_free(b);
    if (g.run(SIDE / LANES) != ok || g.end() != ok) return 1;
    tw_npy *c = read_parts(argv[4], "c", PARTS, SIDE * SIDE, 0);
    if (!c) return 1;
    for (int i = 0; i < PARTS; i++)
        exchange_panels(static_cast<float *>(c->data) + i * STRIPE * SIDE, STRIPE, SIDE, LANES, true);
    return write_array(argv[3], c);
}
