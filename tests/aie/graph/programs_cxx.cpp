// SPDX-License-Identifier: MIT
/* Graphs as published programs write them: windows with margins through a sub-graph, buffers, streams to several
 * readers, windows to streams and back, the cascade, run-time parameters between runs, kernels with state, the older
 * platform; and what is wrong with graphs that cannot be built. */
#include <tilewright/aie/adf.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

using namespace adf;

static int failures;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(std::printf("line %d: %s\n", __LINE__, #condition), failures++))
static std::string folder;
static std::string path(const char *name)
{
    return folder + "/" + name;
}
static void write_numbers(const char *name, int from, int count, int a_line)
{
    std::ofstream f(path(name));
    for (int i = 0; i < count; i++) f << from + i << ((i + 1) % a_line ? ' ' : '\n');
}
static std::vector<int> read_numbers(const char *name)
{
    std::ifstream f(path(name));
    std::vector<int> all;
    for (std::string word; f >> word;)
        if (word != "TLAST") all.push_back(std::atoi(word.c_str()));
    return all;
}

/* --- windows, a sub-graph, ports of graphs -------------------------------------------------------------------- */

static void add_previous(input_window<int16> *in, output_window<int16> *out)
{
    v16int16 before = window_readincr_v16(in), now = window_readincr_v16(in), sum;
    for (int i = 0; i < 16; i++) sum[i] = static_cast<int16>(before[i] + now[i]);
    window_writeincr(out, sum);
}
static void twice(input_window_int16 *in, output_window_int16 *out)
{
    for (int i = 0; i < 16; i++) window_writeincr(out, 2 * window_readincr(in));
}
class inner_graph : public graph {
  private:
    kernel k;

  public:
    port<input> in;
    port<output> out;
    inner_graph()
    {
        k = kernel::create(add_previous);
        connect<window<32, 32>>(in, k.in[0]);
        connect<window<32>>(k.out[0], out);
        source(k) = "kernels/add_previous.cc";
        headers(k) = { "kernels.h" };
        runtime<ratio>(k) = 0.8;
        location<kernel>(k) = tile(20, 3);
    }
};
class outer_graph : public graph {
  public:
    inner_graph inner;
    kernel k2;
    input_plio in;
    output_plio out;
    outer_graph()
    {
        in = input_plio::create("DataIn1", plio_32_bits, path("x.txt"));
        out = output_plio::create("DataOut1", plio_64_bits, path("y.txt"));
        k2 = kernel::create(twice);
        connect<> net0(in.out[0], inner.in);
        connect<window<32>> net1(inner.out, k2.in[0]);
        connect<window<32>> net2(k2.out[0], out.in[0]);
        source(k2) = "twice.cc";
        runtime<ratio>(k2) = 0.5;
    }
};
static void windows_and_subgraphs()
{
    write_numbers("x.txt", 0, 64, 2);
    outer_graph g;
    EXPECT(g.init() == ok);
    EXPECT(g.run(2) == ok);
    EXPECT(g.wait() == ok);
    std::vector<int> y = read_numbers("y.txt");
    EXPECT(y.size() == 32);
    for (int i = 0; i < 32 && y.size() == 32; i++) EXPECT(y[i] == 2 * (i < 16 ? i : 2 * i - 16));
    EXPECT(g.run(2) == ok); /* goes on in the file, and the margin is kept */
    y = read_numbers("y.txt");
    EXPECT(y.size() == 64 && y[63] == 2 * (2 * 63 - 16));
    EXPECT(g.end() == ok);
    uint64_t cycles, instances;
    EXPECT(std::string(tw_profile_vertex_type(g.profile(), 0, &cycles, &instances)) == "add_previous");
}

/* --- streams: several readers; windows to streams and back ---------------------------------------------------- */

static void words(input_window<int32> *in, output_stream<int32> *out)
{
    for (int i = 0; i < 8; i++) writeincr(out, window_readincr(in), i == 7);
}
static void add(input_stream<int32> *a, input_stream<int32> *b, output_stream<int32> *out)
{
    for (int i = 0; i < 8; i++) {
        int x = readincr(a);
        writeincr(out, x + 10 * readincr(b));
    }
}
static void negate(input_window<int32> *in, output_window<int32> *out)
{
    for (int i = 0; i < 8; i++) window_writeincr(out, -window_readincr(in));
}
class stream_graph : public graph {
  public:
    kernel k1, k2, k3;
    input_plio in;
    output_plio sum, copy, negative, third;
    stream_graph()
    {
        k1 = kernel::create(words), k2 = kernel::create(add), k3 = kernel::create(negate);
        in = input_plio::create("in", plio_128_bits, path("x.txt"));
        sum = output_plio::create(plio_32_bits, path("sum.txt"));
        copy = output_plio::create("copy", plio_32_bits, path("copy.txt"));
        third = output_plio::create("third", plio_32_bits, path("third.txt"));
        negative = output_plio::create("negative", plio_32_bits, path("negative.txt"));
        connect<window<32>>(in.out[0], k1.in[0]);
        connect<stream> a(k1.out[0], k2.in[0]); /* one output, five readers */
        connect<stream> b(k1.out[0], k2.in[1]);
        fifo_depth(b) = 24;
        connect<stream>(k1.out[0], copy.in[0]);
        connect<stream>(k1.out[0], third.in[0]);
        connect<stream, window<32>>(k1.out[0], k3.in[0]);
        connect<stream>(k2.out[0], sum.in[0]);
        connect<window<32>>(k3.out[0], negative.in[0]);
    }
};
static void streams_to_many()
{
    write_numbers("x.txt", 1, 24, 4);
    stream_graph g;
    g.init();
    EXPECT(g.run(3) == ok);
    std::vector<int> s = read_numbers("sum.txt"), c = read_numbers("copy.txt"), n = read_numbers("negative.txt");
    EXPECT(s.size() == 24 && c.size() == 24 && n.size() == 24);
    EXPECT(c == read_numbers("third.txt"));
    for (int i = 0; i < 24 && s.size() == 24 && n.size() == 24 && c.size() == 24; i++)
        EXPECT(s[i] == 11 * (i + 1) && c[i] == i + 1 && n[i] == -(i + 1));
}

/* --- buffers, the cascade, parameters ------------------------------------------------------------------------- */

static void head(input_buffer<int16> &x, output_cascade<acc48> *out, const int16 (&taps)[8])
{
    const v8int16 *p = reinterpret_cast<const v8int16 *>(x.data());
    v8acc48 acc = null_v8acc48();
    for (int l = 0; l < 8; l++) acc.word[l] = (*p)[l] * taps[l];
    writeincr_v8(out, acc);
}
static void tail(input_cascade<acc48> *in, output_buffer<int16, extents<8>> &y, int shift, int32 &calls)
{
    v8int16 *p = reinterpret_cast<v8int16 *>(y.data());
    calls++;
    *p = srs(readincr_v8(in), shift);
}
class cascade_graph : public graph {
  public:
    kernel k1, k2;
    input_plio in;
    output_plio out;
    port<input> taps, shift;
    port<output> calls;
    cascade_graph()
    {
        k1 = kernel::create(head), k2 = kernel::create(tail);
        in = input_plio::create("in", plio_64_bits, path("x.txt"));
        out = output_plio::create("out", plio_128_bits, path("y.txt"));
        connect(in.out[0], k1.in[0]);
        dimensions(k1.in[0]) = { 16 };
        connect<cascade>(k1.out[0], k2.in[0]);
        connect(k2.out[0], out.in[0]);
        dimensions(k2.out[0]) = { 16 };
        connect<adf::parameter>(taps, async(k1.in[1]));
        connect<adf::parameter>(shift, sync(k2.in[1]));
        connect<adf::parameter>(k2.inout[0], calls);
    }
};
static void cascade_and_parameters()
{
    write_numbers("x.txt", 8, 64, 4);
    cascade_graph g;
    g.init();
    const int16 taps[8] = { 4, 8, 12, 16, 20, 24, 28, 32 };
    EXPECT(g.update(g.taps, taps, 8) == ok);
    EXPECT(g.update(g.taps, taps, 7) == user_error);
    EXPECT(g.update(g.shift, 2) == ok);
    EXPECT(g.update(g.in.out[0], 2) == user_error);
    EXPECT(g.run(2) == ok);
    EXPECT(g.update(g.shift, 2) == ok); /* synchronous: a value for each firing */
    EXPECT(g.update(g.shift, 3) == ok);
    EXPECT(g.run(1) == ok && g.wait() == ok);
    std::vector<int> y = read_numbers("y.txt");
    EXPECT(y.size() == 48);
    for (int b = 0; b < 3 && y.size() == 48; b++)
        for (int l = 0; l < 8; l++) EXPECT(y[16 * b + l] == ((8 + 16 * b + l) * taps[l]) >> (b < 2 ? 2 : 3));
    int calls = 0;
    EXPECT(g.read(g.calls, calls) == ok && calls == 3);
    EXPECT(g.read(g.shift, calls) == user_error); /* goes in only */
}

/* --- kernels with state, rates, the platform ------------------------------------------------------------------ */

class counter {
    int total;

  public:
    explicit counter(int start) : total(start) {}
    void run(input_window<int32> *in, output_window<int32> *out)
    {
        for (int i = 0; i < 8; i++) window_writeincr(out, total += window_readincr(in));
    }
    static void registerKernelClass() { REGISTER_FUNCTION(counter::run); }
};
static void half_block(input_window<int32> *in, output_window<int32> *out)
{
    for (int i = 0; i < 8; i++) window_writeincr(out, window_readincr(in));
}
class counting_graph : public graph {
  public:
    kernel k, h;
    port<input> in;
    port<output> out;
    counting_graph()
    {
        k = kernel::create_object<counter>(100);
        h = kernel::create(half_block);
        connect<window<32>>(in, h.in[0]);
        connect<window<32>>(h.out[0], k.in[0]);
        connect<window<32>>(k.out[0], out);
        repetition_count(k) = 2;
        repetition_count(h) = 2;
        runtime<ratio>(k) = 0.1;
    }
};
static PLIO *attr_in, *attr_out;
static void state_and_platform()
{
    write_numbers("x.txt", 1, 32, 1);
    attr_in = new PLIO("in", plio_32_bits, path("x.txt"));
    attr_out = new PLIO("out", plio_32_bits, path("y.txt"), 250.0);
    simulation::platform<1, 1> platform(attr_in, attr_out); /* before the graph, as a program may */
    {
        counting_graph g;
        connect<> net0(platform.src[0], g.in);
        connect<> net1(g.out, platform.sink[0]);
        g.init();
        EXPECT(g.run(2) == ok);
        std::vector<int> y = read_numbers("y.txt");
        EXPECT(y.size() == 32 && y[0] == 101 && y[31] == 100 + 32 * 33 / 2);
    }
    delete attr_in;
    delete attr_out;
}

/* Two graphs on top, and one that runs until its file ends. */
class plain_graph : public graph {
  public:
    kernel k;
    input_plio in;
    output_plio out;
    plain_graph(const char *from, const char *to)
    {
        k = kernel::create(half_block);
        in = input_plio::create(plio_32_bits, path(from)), out = output_plio::create(plio_32_bits, path(to));
        connect<window<32>>(in.out[0], k.in[0]);
        connect<window<32>>(k.out[0], out.in[0]);
    }
};
static void two_graphs()
{
    write_numbers("x.txt", 1, 32, 1), write_numbers("z.txt", 50, 16, 1);
    plain_graph a("x.txt", "y.txt"), b("z.txt", "w.txt");
    a.init(), b.init();
    EXPECT(b.run(-1) == ok);
    EXPECT(a.run(1) == ok);
    EXPECT(read_numbers("y.txt").size() == 8 && read_numbers("w.txt").size() == 16);
    EXPECT(a.run() == ok);
    EXPECT(read_numbers("y.txt").size() == 32 && read_numbers("y.txt")[31] == 32);
}

/* --- what cannot be built: the message goes to stderr --------------------------------------------------------- */

static void sends(output_cascade<acc48> *out)
{
    writeincr_v8(out, null_v8acc48());
}
static void takes(input_cascade<acc48> *in)
{
    (void)readincr_v8(in);
}
enum mistake { NOTHING_FEEDS, NO_SIZE, OPEN_OUTPUT, WRONG_KIND, NO_PORT, NO_INIT, NO_FILE, CASCADE_AWAY, MISTAKES };
class wrong_graph : public graph {
  public:
    kernel k, l;
    port<input> open;
    input_plio in;
    output_plio out;
    explicit wrong_graph(mistake m)
    {
        k = kernel::create(half_block), l = kernel::create(half_block);
        in = input_plio::create("in", plio_32_bits, path(m == NO_FILE ? "none.txt" : "x.txt"));
        out = output_plio::create("out", plio_32_bits, path("y.txt"));
        if (m == CASCADE_AWAY) {
            kernel h = kernel::create(sends), t = kernel::create(takes);
            connect<cascade>(h.out[0], t.in[0]);
            location<kernel>(h) = tile(0, 0);
            location<kernel>(t) = tile(2, 0);
        }
        if (m == NOTHING_FEEDS) connect<window<32>>(open, k.in[0]);
        if (m == NO_SIZE)
            connect<>(in.out[0], k.in[0]);
        else if (m == WRONG_KIND)
            connect<stream>(in.out[0], k.in[0]);
        else if (m != NOTHING_FEEDS)
            connect<window<32>>(in.out[0], k.in[m == NO_PORT ? 1 : 0]);
        if (m == OPEN_OUTPUT) {
            kernel n = kernel::create(half_block);
            connect<window<64>> a(k.out[0], l.in[0]);
            connect<window<32>> b(k.out[0], n.in[0]);
        } else {
            connect<window<32>>(k.out[0], l.in[0]);
        }
        connect<window<32>>(l.out[0], out.in[0]);
    }
};
static std::string complaint(mistake m)
{
    std::fflush(stderr);
    int saved = dup(2);
    FILE *f = std::freopen(path("stderr.txt").c_str(), "w", stderr);
    {
        wrong_graph g(m);
        if (m != NO_INIT) g.init();
        EXPECT(g.run(1) == user_error);
    }
    if (f) std::fflush(f);
    dup2(saved, 2);
    close(saved);
    std::ifstream in(path("stderr.txt"));
    return std::string(std::istreambuf_iterator<char>(in), {});
}
static void mistakes()
{
    static const char *const phrases[MISTAKES] = {
        "is connected to a port that nothing feeds",
        "has no size: connect<window<bytes>>, extents or dimensions() give one",
        ".out[0] is not connected",
        "is not of the kind that connect<> names",
        "there is no 'kernel ",
        "run() before init()",
        "No such file",
        "the tiles are not neighbours",
    };
    write_numbers("x.txt", 1, 32, 1);
    for (int m = 0; m < MISTAKES; m++) {
        std::string text = complaint(static_cast<mistake>(m));
        if (text.find(phrases[m]) != std::string::npos) continue;
        std::printf("mistake %d: \"%s\", expected \"%s\"\n", m, text.c_str(), phrases[m]);
        failures++;
    }
}

int main()
{
    char name[] = "/tmp/tw_aie_graph_XXXXXX";
    if (!mkdtemp(name)) return 1;
    folder = name;
    windows_and_subgraphs();
    streams_to_many();
    cascade_and_parameters();
    state_and_platform();
    two_graphs();
    mistakes();
    for (const char *file :
         { "x.txt", "y.txt", "z.txt", "w.txt", "sum.txt", "copy.txt", "third.txt", "negative.txt", "stderr.txt" })
        std::remove(path(file).c_str());
    rmdir(name);
    if (failures) std::printf("%d failures\n", failures);
    return failures != 0;
}
