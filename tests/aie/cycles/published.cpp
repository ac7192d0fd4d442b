// SPDX-License-Identifier: MIT
/* Kernels of our own with the shapes of those whose cycles others have published (docs/aie.md): products of a matrix
 * and a vector, of two matrices, in the widths of the table. published_test.sh knows the figures. */
#include <adf.h>

using namespace adf;

/* y = A x, 16 x 16 of int32 by columns: a column of eight lanes an instruction. */
static void gemv32(input_window<int32> *__restrict a, input_window<int32> *__restrict x,
                   output_window<int32> *__restrict y)
{
    v8acc80 low = null_v8acc80(), high = null_v8acc80();
    v8int32 of = undef_v8int32();
    for (int c = 0; c < 16; c++) chess_flatten_loop
        {
            if (c % 8 == 0) of = window_readincr_v8(x);
            v16int32 column = undef_v16int32();
            column = upd_w(column, 0, window_readincr_v8(a));
            column = upd_w(column, 1, window_readincr_v8(a));
            low = lmac8(low, column, 0, 0x76543210, of, c % 8, 0);
            high = lmac8(high, column, 8, 0x76543210, of, c % 8, 0);
        }
    window_writeincr(y, srs(low, 0));
    window_writeincr(y, srs(high, 0));
}

/* The same of int16, two columns an instruction: pairs of columns stand lane by lane. */
static void gemv16(input_window<int16> *__restrict a, input_window<int16> *__restrict x,
                   output_window<int16> *__restrict y)
{
    v16acc48 acc = null_v16acc48();
    const v16int16 of = window_readincr_v16(x);
    for (int c = 0; c < 16; c += 2) chess_flatten_loop
        {
            const v32int16 pair = window_readincr_v32(a);
            acc = mac16(acc, pair, 0, 0x06040200, 0x0e0c0a08, 0x3210, of, c, 0, 0, 1);
        }
    window_writeincr(y, srs(acc, 0));
}

/* 16 x 32 by 32 x 16 of int32: for each column of b the product above, with 32 columns of a. */
static void gemm32(input_window<int32> *__restrict a, input_window<int32> *__restrict b,
                   output_window<int32> *__restrict c)
{
    const v8int32 *columns = (const v8int32 *)a->ptr, *of = (const v8int32 *)b->ptr;
    for (int n = 0; n < 16; n++) chess_flatten_loop
        {
            v8acc80 low = null_v8acc80(), high = null_v8acc80();
            for (int k = 0; k < 32; k++) chess_flatten_loop
                {
                    const v16int32 column = concat(columns[2 * k], columns[2 * k + 1]);
                    low = lmac8(low, column, 0, 0x76543210, of[4 * n + k / 8], k % 8, 0);
                    high = lmac8(high, column, 8, 0x76543210, of[4 * n + k / 8], k % 8, 0);
                }
            window_writeincr(c, srs(low, 0));
            window_writeincr(c, srs(high, 0));
        }
}

/* 16 x 8 by 8 x 8 of int8, in tiles of 4 x 8 and 8 x 4. */
static void gemm8(input_window<int8> *__restrict a, input_window<int8> *__restrict b,
                  output_window<int8> *__restrict c)
{
    const v32int8 left = window_readincr_v32(b), right = window_readincr_v32(b);
    for (int i = 0; i < 2; i++) chess_flatten_loop
        {
            const v64int8 rows = window_readincr_v64(a);
            for (int half = 0; half < 2; half++) chess_flatten_loop
                {
                    window_writeincr(c,
                                     bsrs(mul16(rows, 32 * half, 0, 8, 0x3210, left, 0, 0x0c080400, 2, 0x1010), 0));
                    window_writeincr(
                        c, bsrs(mul16(rows, 32 * half, 0, 8, 0x3210, right, 0, 0x0c080400, 2, 0x1010), 0));
                }
        }
}

class published : public graph {
  public:
    kernel k[4];
    input_plio in[8];
    output_plio out[4];
    template <int At, int A, int B, int C, typename Function>
    void add(Function function, const char *name, const char *file)
    {
        const char n = char('0' + At);
        k[At] = kernel::create(function);
        source(k[At]) = name;
        runtime<ratio>(k[At]) = 0.9;
        for (int i = 0; i < 2; i++)
            in[2 * At + i] = input_plio::create(std::string("in") + n + char('0' + i), plio_32_bits, file);
        out[At] = output_plio::create(std::string("out") + n, plio_32_bits, std::string("out") + n + ".txt");
        connect<window<A>>(in[2 * At].out[0], k[At].in[0]);
        connect<window<B>>(in[2 * At + 1].out[0], k[At].in[1]);
        connect<window<C>>(k[At].out[0], out[At].in[0]);
    }
    published()
    {
        add<0, 1024, 64, 64>(gemv32, "gemv32.cc", "words.txt");
        add<1, 512, 32, 32>(gemv16, "gemv16.cc", "halves.txt");
        add<2, 2048, 2048, 1024>(gemm32, "gemm32.cc", "words.txt");
        add<3, 128, 64, 128>(gemm8, "gemm8.cc", "bytes.txt");
    }
};

int main()
{
    published g;
    g.init();
    g.run(1);
    g.end();
    return 0;
}
