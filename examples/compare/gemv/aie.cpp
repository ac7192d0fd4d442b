// SPDX-License-Identifier: MIT
/* y = A x on eight AI Engine tiles: eight rows at a time, a lane each, so that A arrives column by column; x is a
 * parameter of every tile. Two sums, of even and odd columns, so that none waits for the one before.
 *
 * run: tilewright aie run aie.cpp --target hw -DSIDE={n} -i {folder} -o {folder} --profile {profile} -- {a:n,n} {x:n} {out:n} {folder}
 */
#include "../aie.h"

#include <adf.h>

using namespace adf;
enum { PARTS = 8, LANES = 8, COLUMNS = 64, GROUPS = SIDE / PARTS / LANES }; /* COLUMNS of a window */

/* A class, as each tile has sums of its own. */
class rows {
    v8float even = null_v8float(), odd = null_v8float();
    int column = 0;

  public:
    void gemv(input_window<float> *a, output_stream<float> *y, const float (&x)[SIDE])
    {
        v8float own_even = even, own_odd = odd; /* in registers, whatever the window's memory is */
        for (int j = 0; j < COLUMNS; j += 2) {
            v8float factors = *reinterpret_cast<const v8float *>(&x[column + (j & ~7)]);
            v16float two = window_readincr_v16(a);
            own_even = fpmac(own_even, two, 0, 0x76543210, factors, j & 7, 0);
            own_odd = fpmac(own_odd, two, 8, 0x76543210, factors, (j & 7) + 1, 0);
        }
        even = own_even, odd = own_odd, column += COLUMNS;
        if (column < SIDE) return;
        v8float sum = fpadd(even, odd);
        for (int i = 0; i < LANES; i++) writeincr(y, ext_elem(sum, i));
        even = odd = null_v8float(), column = 0;
    }
    static void registerKernelClass() { REGISTER_FUNCTION(rows::gemv); }
};

class gemv_graph : public graph {
    kernel k[PARTS];

  public:
    input_plio a[PARTS];
    output_plio y[PARTS];
    port<input> x[PARTS];
    gemv_graph()
    {
        for (int i = 0; i < PARTS; i++) {
            std::string n = "_" + std::to_string(i);
            k[i] = kernel::create_object<rows>();
            source(k[i]) = "aie.cpp";
            runtime<ratio>(k[i]) = 0.9;
            a[i] = input_plio::create("a" + n, plio_64_bits, "a" + n + ".txt");
            y[i] = output_plio::create("y" + n, plio_32_bits, "y" + n + ".txt");
            connect<window<COLUMNS * LANES * 4>>(a[i].out[0], k[i].in[0]);
            connect<stream>(k[i].out[0], y[i].in[0]);
            connect<parameter>(x[i], async(k[i].in[1]));
        }
    }
};

gemv_graph g;

/* Eight rows after the other, each group by columns. */
static void by_columns(tw_npy *a)
{
    float *from = static_cast<float *>(a->data), *to = new float[a->count];
    for (size_t i = 0; i < a->count; i++)
        to[i / SIDE / LANES * LANES * SIDE + i % SIDE * LANES + i / SIDE % LANES] = from[i];
    for (size_t i = 0; i < a->count; i++) from[i] = to[i];
    delete[] to;
}

int main(int argc, char **argv)
{
    if (argc != 5) return std::fprintf(stderr, "usage: aie a.npy x.npy out.npy FOLDER\n"), 2;
    tw_npy *a = read_array(argv[1]), *x = read_array(argv[2]);
    by_columns(a);
    write_parts(argv[4], "a", a, PARTS);
    if (g.init() != ok) return 1;
    for (int i = 0; i < PARTS; i++)
        if (g.update(g.x[i], static_cast<const float *>(x->data), SIDE) != ok) return 1;
    tw_npy_free(a), tw_npy_free(x);
    if (g.run(GROUPS * SIDE / COLUMNS) != ok || g.end() != ok) return 1;
    return !join_parts(argv[4], "y", PARTS, SIDE, 0, argv[3]);
}
