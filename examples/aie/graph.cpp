// SPDX-License-Identifier: MIT
/* A graph as the vendor's tools take it, with <adf.h>: a low-pass filter of 8 taps on windows of 64 samples, and a
 * peak meter that reads the same samples as a stream. The gain is a run-time parameter, changed between two runs.
 *
 * prints: graph: 8 blocks, quiet peak 2245, loud peak 8980
 */
#include <adf.h>

#include <cstdio>
#include <fstream>

using namespace adf;

static void low_pass(input_window<int16> *in, output_window<int16> *out, int gain)
{
    const v16int16 taps = { 1, 3, 6, 8, 8, 6, 3, 1 };
    set_rnd(rnd_floor);
    window_incr(in, 8); /* the margin holds 16 samples of the block before */
    for (int n = 0; n < 64; n += 8) {
        v32int16 x = undef_v32int16();
        x = upd_v(x, 0, window_readincr_v8(in));
        x = upd_v(x, 1, window_read_v8(in));
        v8acc48 acc = mul8(x, 0, 0x03020100, 2, 0x2110, taps, 0, 0, 1);
        acc = mac8(acc, x, 4, 0x03020100, 2, 0x2110, taps, 4, 0, 1);
        v8int16 y = srs(acc, 5);
        for (int i = 0; i < 8; i++) y[i] = static_cast<int16>(y[i] * gain);
        window_writeincr(out, y);
    }
}
static void samples(input_window<int16> *in, output_stream<int16> *out)
{
    for (int n = 0; n < 8; n++) writeincr_v8(out, window_readincr_v8(in));
}
static void peak(input_stream<int16> *in, int &most)
{
    for (int n = 0; n < 8; n++) {
        v8int16 x = readincr_v8(in);
        for (int i = 0; i < 8; i++) most = x[i] > most ? x[i] : most;
    }
}

class meter_graph : public graph {
  private:
    kernel filter, reader, meter;

  public:
    input_plio in;
    output_plio out;
    port<input> gain;
    port<output> most;
    meter_graph()
    {
        filter = kernel::create(low_pass), reader = kernel::create(samples), meter = kernel::create(peak);
        in = input_plio::create("DataIn", plio_64_bits, "graph_in.txt");
        out = output_plio::create("DataOut", plio_64_bits, "graph_out.txt");
        connect<window<128, 32>>(in.out[0], filter.in[0]);
        connect<window<128>>(filter.out[0], reader.in[0]); /* one block, two readers */
        connect<window<128>>(filter.out[0], out.in[0]);
        connect<stream>(reader.out[0], meter.in[0]);
        connect<parameter>(gain, async(filter.in[1]));
        connect<parameter>(meter.inout[0], most);
        source(filter) = "low_pass.cc", source(reader) = "samples.cc", source(meter) = "peak.cc";
        runtime<ratio>(filter) = 0.9, runtime<ratio>(reader) = 0.5, runtime<ratio>(meter) = 0.5;
        location<kernel>(filter) = tile(25, 0);
    }
};

meter_graph g;

int main()
{
    std::ofstream x("graph_in.txt");
    for (int i = 0; i < 512; i++) x << (i % 128 < 64 ? 2000 - 16 : -1000) + i % 16 << (i % 4 == 3 ? '\n' : ' ');
    x.close();
    int quiet = 0, loud = 0;
    if (g.init() != ok || g.update(g.gain, 1) != ok || g.run(4) != ok || g.read(g.most, quiet) != ok) return 1;
    if (g.update(g.gain, 4) != ok || g.run(4) != ok || g.read(g.most, loud) != ok) return 1;
    std::printf("graph: 8 blocks, quiet peak %d, loud peak %d\n", quiet, loud);
    return g.end();
}
