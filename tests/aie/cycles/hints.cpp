// SPDX-License-Identifier: MIT
/* What the source says of its loops, with the same loop without it: hints_test.sh knows what each is worth. */
#include <adf.h>

using namespace adf;

static volatile int turns = 16; /* known at run time alone */

/* The same loop three times, whose number of turns nobody knows. */
#define SCALE(name, hint)                                                                      \
    static void name(input_window<int32> *__restrict in, output_window<int32> *__restrict out) \
    {                                                                                          \
        const int n = turns;                                                                   \
        for (int i = 0; i < n; i++) hint window_writeincr(out, window_readincr(in) * 3 + 1);   \
    }
SCALE(plain, )
SCALE(surely, chess_loop_range(1, ))
SCALE(twice, chess_prepare_for_pipelining chess_loop_range(2, 20))
SCALE(often, chess_prepare_for_pipelining chess_loop_range(16, ))

/* 64 turns, four in one. */
static void four(input_window<int32> *__restrict in, output_window<int32> *__restrict out)
{
    for (int i = 0; i < 64; i++) chess_unroll_loop(4) window_writeincr(out, window_readincr(in) * 3 + 1);
}

/* All turns: straight code. */
static void all(input_window<int32> *__restrict in, output_window<int32> *__restrict out)
{
    for (int i = 0; i < 64; i++) chess_unroll_loop(*) window_writeincr(out, window_readincr(in) * 3 + 1);
}

/* A loop around one that becomes straight code. */
#define AROUND(name, hint)                                                                     \
    static void name(input_window<int32> *__restrict in, output_window<int32> *__restrict out) \
    {                                                                                          \
        for (int i = 0; i < 32; i++) hint                                                      \
            {                                                                                  \
                int sum = 0;                                                                   \
                for (int k = 0; k < 2; k++) chess_flatten_loop sum += window_readincr(in);     \
                window_writeincr(out, sum), window_writeincr(out, sum);                        \
            }                                                                                  \
    }
AROUND(around, )
AROUND(overlapped, chess_prepare_for_pipelining)

/* Shorts side by side, as written: two of them in a word are no vector of the core. Listed only. */
void pairs(const int16 *__restrict a, int16 *__restrict b)
{
    for (int i = 0; i < 64; i++, a += 2, b += 2) b[0] = int16(a[0] & 255), b[1] = int16(a[1] & 255);
}

/* An object with a destructor around calls that may wait, and so be left by an exception. */
struct guard {
    int *count;
    explicit guard(int *c) : count(c) { ++*count; }
    ~guard() { ++*count; }
};
static int guarded;
static void lands(input_stream<int32> *in, output_stream<int32> *out)
{
    guard g(&guarded);
    for (int i = 0; i < 64; i++) writeincr(out, readincr(in) * 3 + 1);
}
#ifdef JUMPS
static void jumps(input_stream<int32> *in, output_stream<int32> *out)
{
    static void *const to[] = { &&a, &&b, &&c };
    int word = readincr(in);
    goto *to[word % 3];
a:
    writeincr(out, word);
b:
    writeincr(out, 2);
c:
    writeincr(out, 3);
}
#endif

class hints : public graph {
  public:
    kernel k[9];
    input_plio in[9];
    output_plio out[9];
    hints()
    {
        k[0] = kernel::create(plain), k[1] = kernel::create(surely), k[2] = kernel::create(twice);
        k[3] = kernel::create(often), k[4] = kernel::create(four), k[5] = kernel::create(all);
        k[6] = kernel::create(around), k[7] = kernel::create(overlapped), k[8] = kernel::create(lands);
        const char *const names[] = { "plain", "surely", "twice",      "often", "four",
                                      "all",   "around", "overlapped", "lands" };
        for (int i = 0; i < 9; i++) {
            const std::string name = names[i];
            source(k[i]) = name + ".cc", runtime<ratio>(k[i]) = 0.9;
            in[i] = input_plio::create("in" + name, plio_32_bits, "x.txt");
            out[i] = output_plio::create(name, plio_32_bits, name + ".txt");
            if (i == 8) {
                connect<stream>(in[i].out[0], k[i].in[0]);
                connect<stream>(k[i].out[0], out[i].in[0]);
            } else if (i < 4) {
                connect<window<64>>(in[i].out[0], k[i].in[0]);
                connect<window<64>>(k[i].out[0], out[i].in[0]);
            } else {
                connect<window<256>>(in[i].out[0], k[i].in[0]);
                connect<window<256>>(k[i].out[0], out[i].in[0]);
            }
        }
#ifdef JUMPS
        k[8] = kernel::create(jumps);
#endif
    }
};

int main()
{
    hints g;
    g.init();
    g.run(1);
    g.end();
    return guarded == 2 ? 0 : 1;
}
