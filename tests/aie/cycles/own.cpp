// SPDX-License-Identifier: MIT
/* Kernels whose cycles cycles_test.sh knows. */
#include <adf.h>

using namespace adf;

/* Eight taps on eight lanes, a window of 64 samples. */
static void fir(input_window<int16> *__restrict in, output_window<int16> *__restrict out)
{
    const v16int16 taps = { 1, 3, 6, 8, 8, 6, 3, 1 };
    for (int n = 0; n < 256; n += 8) {
        v32int16 x = undef_v32int16();
        x = upd_v(x, 0, window_readincr_v8(in));
        x = upd_v(x, 1, window_read_v8(in));
        v8acc48 acc = mul8(x, 0, 0x03020100, 2, 0x2110, taps, 0, 0, 1);
        acc = mac8(acc, x, 4, 0x03020100, 2, 0x2110, taps, 4, 0, 1);
        window_writeincr(out, srs(acc, 5));
    }
}

/* Words in and out, one at a time. */
static void words(input_stream<int32> *in, output_stream<int32> *out)
{
    for (int i = 0; i < 64; i++) writeincr(out, readincr(in) + 1);
}

/* A word chooses what is done with the next: branches, as many as the compiler takes to find the case. */
static void choose(input_stream<int32> *in, output_stream<int32> *out)
{
    for (int i = 0; i < 32; i++) {
        int what = readincr(in), value = readincr(in);
        switch (what & 7) {
        case 0: value = value * value; break;
        case 1: value = value - what; break;
        case 3: value = value ^ 0x55; break;
        case 4: value = value << (what & 3); break;
        case 6: value = 1000 / (value + 1); break;
        default: break;
        }
        writeincr(out, value);
    }
}

/* A division for each element: a call. */
static void divide(input_window<int32> *__restrict in, output_window<int32> *__restrict out)
{
    for (int i = 0; i < 128; i++) window_writeincr(out, 1000000 / (window_readincr(in) + 1));
}

/* A part of the graph, with ports of its own, within another one. */
class inner : public graph {
  public:
    kernel b;
    port<input> in;
    port<output> out;
    inner()
    {
        b = kernel::create(words), source(b) = "words.cc", runtime<ratio>(b) = 0.9;
        connect<stream>(in, b.in[0]);
        connect<stream>(b.out[0], out);
    }
};
class outer : public graph {
  public:
    inner part;
    port<input> in;
    port<output> out;
    kernel c;
    outer()
    {
        c = kernel::create(divide), source(c) = "divide.cc", runtime<ratio>(c) = 0.9;
        connect<stream>(in, part.in);
        connect<stream>(part.out, out);
    }
};

class own : public graph {
  public:
    outer within;
    kernel a, d;
    input_plio x, y, z, s;
    output_plio u, v, w, t;
    own()
    {
        a = kernel::create(fir), source(a) = "fir.cc"; /* its name */
        d = kernel::create(choose), source(d) = "choose.cc", runtime<ratio>(d) = 0.9;
        s = input_plio::create("s", plio_32_bits, "y.txt"), t = output_plio::create("t", plio_32_bits, "t.txt");
        connect<stream>(s.out[0], d.in[0]);
        connect<stream>(d.out[0], t.in[0]);
        runtime<ratio>(a) = 0.9;
        x = input_plio::create("x", plio_32_bits, "x.txt"), y = input_plio::create("y", plio_32_bits, "y.txt");
        z = input_plio::create("z", plio_32_bits, "y.txt");
        u = output_plio::create("u", plio_32_bits, "u.txt"), v = output_plio::create("v", plio_32_bits, "v.txt");
        w = output_plio::create("w", plio_32_bits, "w.txt");
        connect<window<528>>(x.out[0], a.in[0]);
        connect<window<512>>(a.out[0], u.in[0]);
        connect<stream>(y.out[0], within.in);
        connect<stream>(within.out, v.in[0]);
        connect<window<512>>(z.out[0], within.c.in[0]);
        connect<window<512>>(within.c.out[0], w.in[0]);
    }
};

int main()
{
    own g;
    g.init();
    g.run(1);
    g.end();
    return 0;
}
