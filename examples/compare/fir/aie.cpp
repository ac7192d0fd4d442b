// SPDX-License-Identifier: MIT
/* A filter of 16 taps on AI Engine tiles: each works on blocks of 256 samples of its part, which come with the 16
 * before them; eight sums in eight lanes, the taps one after the other, two sums in turn.
 *
 * run: tilewright aie run aie.cpp --target hw -DPARTS={p} -DBLOCKS={m/256} -i {folder} -o {folder} --profile {profile} -- {padded:n+16} {h:16} {out:n} {folder}
 * parts: 64 256
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { BLOCK = 256, TAPS = 16, MORE = 32 }; /* the samples before, and as many that fill the last vector */

static void fir(input_window<float> *x, output_window<float> *y, const float (&h)[TAPS])
{
    const v8float low = *(const v8float *)h, high = *(const v8float *)(h + 8);
    for (int i = 0; i < BLOCK; i += 8) {
        v32float near = undef_v32float();
        near = upd_w(near, 0, window_readincr_v8(x));
        near = upd_w(near, 1, window_readincr_v8(x));
        near = upd_w(near, 2, window_readincr_v8(x));
        window_decr_v8(x, 2);
        v8float even = fpmul(near, 16, 0x76543210, low, 0, 0), odd = fpmul(near, 15, 0x76543210, low, 1, 0);
        for (int k = 2; k < 8; k += 2) {
            even = fpmac(even, near, 16 - k, 0x76543210, low, k, 0);
            odd = fpmac(odd, near, 15 - k, 0x76543210, low, k + 1, 0);
        }
        for (int k = 0; k < 8; k += 2) {
            even = fpmac(even, near, 8 - k, 0x76543210, high, k, 0);
            odd = fpmac(odd, near, 7 - k, 0x76543210, high, k + 1, 0);
        }
        window_writeincr(y, fpadd(even, odd));
    }
}

class fir_graph : public graph {
    kernel k[PARTS];

  public:
    input_plio x[PARTS];
    output_plio y[PARTS];
    port<input> h[PARTS];
    fir_graph()
    {
        for (int i = 0; i < PARTS; i++) {
            std::string n = "_" + std::to_string(i);
            k[i] = kernel::create(fir);
            source(k[i]) = "aie.cpp";
            runtime<ratio>(k[i]) = 0.9;
            x[i] = input_plio::create("x" + n, plio_64_bits, "x" + n + ".txt");
            y[i] = output_plio::create("y" + n, plio_64_bits, "y" + n + ".txt");
            connect<window<(BLOCK + MORE) * 4>>(x[i].out[0], k[i].in[0]);
            connect<window<BLOCK * 4>>(k[i].out[0], y[i].in[0]);
            connect<parameter>(h[i], async(k[i].in[1]));
        }
    }
};

fir_graph g;

int main(int argc, char **argv)
{
    if (argc != 5) return std::fprintf(stderr, "usage: aie padded.npy h.npy out.npy FOLDER\n"), 2;
    tw_npy *x = read_array(argv[1]), *h = read_array(argv[2]);
    size_t n = x->count - TAPS, blocks = n / BLOCK;
    float *overlapped = new float[blocks * (BLOCK + MORE)]();
    for (size_t i = 0; i < blocks * (BLOCK + MORE); i++) {
        size_t at = i / (BLOCK + MORE) * BLOCK + i % (BLOCK + MORE);
        if (at < x->count) overlapped[i] = static_cast<const float *>(x->data)[at];
    }
    tw_npy all = *x;
    all.data = overlapped, all.count = blocks * (BLOCK + MORE);
    write_parts(argv[4], "x", &all, PARTS);
    delete[] overlapped;
    if (g.init() != ok) return 1;
    for (int i = 0; i < PARTS; i++)
        if (g.update(g.h[i], static_cast<const float *>(h->data), TAPS) != ok) return 1;
    tw_npy_free(x), tw_npy_free(h);
    if (g.run(BLOCKS) != ok || g.end() != ok) return 1;
    return !join_parts(argv[4], "y", PARTS, n, 0, argv[3]);
}
