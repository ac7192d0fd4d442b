// SPDX-License-Identifier: MIT
/* Graphs as published programs write them, part two: memory of the host at the ports, initialisation functions,
 * vectors for the arrays of a kernel's class, properties that change no result. */
#include <adf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

static int failures;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(std::printf("line %d: %s\n", __LINE__, #condition), failures++))
static std::string folder;
static std::string path(const char *name)
{
    return folder + "/" + name;
}

/* --- memory --------------------------------------------------------------------------------------------------- */

/* Sum with the 8 samples before: a margin. */
static void sum_of_nine(input_window_int32 *in, output_window_int32 *out)
{
    for (unsigned i = 0; i < window_size(out); i++) {
        int32 sum = 0;
        for (int k = 0; k < 9; k++) sum += window_readincr(in);
        window_decr(in, 8);
        window_writeincr(out, sum);
    }
}
static void add_one(input_stream_int32 *in, output_stream_int32 *out)
{
    for (int i = 0; i < 5; i++) writeincr(out, readincr(in) + 1);
}
template <class Kernel, class Connection> class memory_graph : public adf::graph {
  public:
    adf::kernel k;
    adf::input_gmio in;
    adf::output_gmio out;
    explicit memory_graph(Kernel f)
    {
        k = adf::kernel::create(f);
        in = adf::input_gmio::create("in", 64, 1000);
        out = adf::output_gmio::create("out", 64, 1000);
        Connection::make(in, out, k);
        adf::source(k) = "k.cc";
        adf::runtime<ratio>(k) = 0.5; /* global names, as in published graphs */
    }
};
struct by_window {
    template <class I, class O> static void make(I &in, O &out, adf::kernel &k)
    {
        adf::connect<adf::window<256, 32>>(in.out[0], k.in[0]);
        adf::connect<adf::window<256>>(k.out[0], out.in[0]);
    }
};
struct by_stream {
    template <class I, class O> static void make(I &in, O &out, adf::kernel &k)
    {
        adf::connect<adf::stream>(in.out[0], k.in[0]);
        adf::connect<adf::stream>(k.out[0], out.in[0]);
    }
};
static int nine(int i)
{
    int sum = 0;
    for (int k = i - 8; k <= i; k++) sum += k > 0 ? k : 0;
    return sum;
}
static void test_memory_before_and_after_run()
{
    memory_graph<decltype(&sum_of_nine), by_window> gr(sum_of_nine);
    EXPECT(gr.init() == adf::ok);
    int32 *x = static_cast<int32 *>(adf::GMIO::malloc(1024)), *y = static_cast<int32 *>(adf::GMIO::malloc(1024));
    for (int i = 0; i < 256; i++) x[i] = i;
    EXPECT(gr.in.gm2aie(x, 512) == adf::ok);
    EXPECT(gr.run(2) == adf::ok);
    EXPECT(gr.out.aie2gm(y, 512) == adf::ok);
    EXPECT(gr.in.gm2aie_nb(x + 128, 512) == adf::ok);
    EXPECT(gr.out.aie2gm_nb(y + 128, 256) == adf::ok); /* asked for before the run, in two parts */
    EXPECT(gr.out.aie2gm_nb(y + 192, 256) == adf::ok);
    EXPECT(gr.run(2) == adf::ok);
    EXPECT(gr.out.wait() == adf::ok);
    EXPECT(gr.wait() == adf::ok);
    for (int i = 0; i < 256; i++) EXPECT(y[i] == nine(i)); /* the margin goes on from run to run */
    adf::GMIO::free(x);
    adf::GMIO::free(y);
    EXPECT(gr.end() == adf::ok);
}
/* The run comes first and waits; a kernel that stands in the middle of a firing goes on where it stood. */
static void test_memory_that_comes_late()
{
    memory_graph<decltype(&add_one), by_stream> gr(add_one);
    int32 x[10], y[10] = { 0 };
    for (int i = 0; i < 10; i++) x[i] = 7 * i;
    gr.init();
    EXPECT(gr.run(2) == adf::ok);
    EXPECT(gr.wait() == adf::user_error); /* says what it waits for */
    EXPECT(gr.in.gm2aie_nb(x, 3 * 4) == adf::ok);
    EXPECT(gr.out.aie2gm_nb(y, sizeof y) == adf::ok);
    EXPECT(gr.out.wait() == adf::user_error); /* 7 words less than asked for */
    EXPECT(gr.run(1) == adf::user_error);     /* the last run has not ended */
    EXPECT(gr.in.gm2aie_nb(x + 3, 7 * 4) == adf::ok);
    EXPECT(gr.out.wait() == adf::ok);
    EXPECT(gr.wait() == adf::ok);
    for (int i = 0; i < 10; i++) EXPECT(y[i] == x[i] + 1);
}
static void test_memory_misused()
{
    memory_graph<decltype(&add_one), by_stream> gr(add_one);
    int32 x[2] = { 1, 2 };
    EXPECT(gr.in.gm2aie(x, 8) == adf::user_error); /* before init() */
    gr.init();
    EXPECT(gr.in.gm2aie(x, 7) == adf::user_error); /* no whole words */
    adf::input_gmio nothing;
    EXPECT(nothing.gm2aie(x, 8) == adf::user_error);
}
/* Counters of ports: words, cycles between the first ones, and what is refused. */
static void test_counters()
{
    using namespace adf::event;
    adf::output_gmio nothing;
    EXPECT(start_profiling(nothing, io_stream_running_event_count) == invalid_handle);
    handle words, latency, bytes, busy;
    {
        memory_graph<decltype(&add_one), by_stream> gr(add_one);
        EXPECT(start_profiling(gr.out, io_stream_running_event_count) == invalid_handle); /* before init() */
        gr.init();
        int32 x[10] = {}, y[10];
        words = start_profiling(gr.in, io_stream_running_event_count);
        latency = start_profiling(gr.in, gr.out, io_stream_start_difference_cycles);
        bytes = start_profiling(gr.out, io_stream_start_to_bytes_transferred_cycles, 8);
        busy = start_profiling(gr.out, io_total_stream_running_to_idle_cycles);
        EXPECT(words != latency && latency != bytes && bytes != busy && words != invalid_handle);
        EXPECT(start_profiling(gr.out, io_stream_start_to_bytes_transferred_cycles) == invalid_handle);
        EXPECT(start_profiling(gr.out, io_stream_start_difference_cycles) == invalid_handle);
        EXPECT(start_profiling(gr.in, gr.out, io_stream_running_event_count) == invalid_handle);
        EXPECT(start_profiling(gr.in, nothing, io_stream_start_difference_cycles) == invalid_handle);
        EXPECT(read_profiling(words) == 0 && read_profiling(busy) == -1); /* nothing has passed */
        EXPECT(gr.in.gm2aie_nb(x, sizeof x) == adf::ok);
        EXPECT(gr.out.aie2gm_nb(y, sizeof y) == adf::ok);
        EXPECT(gr.run(2) == adf::ok && gr.wait() == adf::ok);
        EXPECT(read_profiling(words) == 10 && read_profiling(busy) == 10);
        EXPECT(read_profiling(latency) > 0 && read_profiling(bytes) >= 2);
        stop_profiling(bytes), stop_profiling(bytes);
        EXPECT(read_profiling(bytes) == -1 && read_profiling(words) == 10);
    }
    EXPECT(read_profiling(words) == -1 && read_profiling(invalid_handle) == -1); /* the graph has gone */
    stop_profiling(words), stop_profiling(1000);
}

/* --- kernels -------------------------------------------------------------------------------------------------- */

static int initialised;
static void init_scale()
{
    initialised++;
    set_sat();
}
static void clipped(input_window_int16 *in, output_window_int16 *out)
{
    for (unsigned i = 0; i < window_size(in) / 16; i++)
        window_writeincr(out, srs(ups(window_readincr_v16(in), 4), 0)); /* times 16, saturated by init's mode */
}
static int16 coefficients[16] = { 3 };
class clip_graph : public adf::graph {
  public:
    adf::kernel k;
    adf::parameter table = adf::parameter::array(coefficients);
    adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, path("x.txt"));
    adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, path("y.txt"));
    explicit clip_graph(bool by_name)
    {
        using namespace adf;
        k = kernel::create(clipped);
        if (by_name)
            initialization_function(k) = "init_scale";
        else
            initialization_function(k) = init_scale;
        connect<>(table, k);
        connect<window<32>> net(in.out[0], k.in[0]);
        connect<window<32>>(k.out[0], out.in[0]);
        single_buffer(k.in[0]);
        location<kernel>(k) = tile(4, 2);
        location<stack>(k) = bank(4, 2, 0);
        location<buffer>(k.in[0]) = { bank(4, 2, 0), bank(4, 2, 1) };
        location<buffer>(k.out[0]) = address(4, 2, 0x2000);
        location<fifo>(net) = dma_fifo(aie_tile, 4, 1, 0x0000, 512);
        source(k) = "clipped.cc";
    }
};
static void test_initialisation()
{
    std::ofstream(path("x.txt")) << "1000 3000\n-3000 1\n5 6\n7 8\n9 10\n11 12\n13 14\n15 16\n"
                                 << "1000 3000\n-3000 1\n5 6\n7 8\n9 10\n11 12\n13 14\n15 16\n";
    {
        clip_graph gr(false);
        gr.init();
        EXPECT(gr.run(2) == adf::ok);
    }
    EXPECT(initialised == 1);
    std::ifstream f(path("y.txt"));
    int v[4];
    f >> v[0] >> v[1] >> v[2] >> v[3];
    EXPECT(v[0] == 16000 && v[1] == 32767 && v[2] == -32768 && v[3] == 16);
    clip_graph unknown(true);
    unknown.init();
    EXPECT(unknown.run(1) == adf::user_error);
}

/* 2 x 15,000 bytes of each window do not fit a tile of 32 KB, one block each does. */
static void pass_on(input_window_int32 *in, output_window_int32 *out)
{
    const int32 *block = reinterpret_cast<const int32 *>(in->ptr); /* ptr is a pointer, and goes along */
    for (unsigned i = 0; i < window_size(in); i++) {
        int32 *to = out->ptr;
        EXPECT(in->ptr == block + i);
        window_writeincr(out, window_readincr(in));
        EXPECT(*to == block[i]);
    }
    EXPECT(in->ptr == block); /* round */
}
class big_graph : public adf::graph {
  public:
    adf::kernel k;
    adf::input_gmio in = adf::input_gmio::create("in");
    adf::output_gmio out = adf::output_gmio::create("out");
    explicit big_graph(bool single)
    {
        k = adf::kernel::create(pass_on);
        adf::connect<adf::window<30000>>(in.out[0], k.in[0]);
        adf::connect<adf::window<30000>>(k.out[0], out.in[0]);
        if (!single) return;
        single_buffer(k.in[0]);
        single_buffer(k.out[0]);
    }
};
static void test_single_buffers()
{
    std::vector<int32> x(3 * 7500), y(3 * 7500);
    for (size_t i = 0; i < x.size(); i++) x[i] = static_cast<int32>(i * i);
    big_graph one(true);
    one.init();
    EXPECT(one.in.gm2aie(x.data(), 4 * x.size()) == adf::ok && one.run(3) == adf::ok);
    EXPECT(one.out.aie2gm(y.data(), 4 * y.size()) == adf::ok && x == y);
    big_graph two(false);
    two.init();
    EXPECT(two.run(1) == adf::user_error);
}

template <int Shift> class scaled {
    int32 taps[3];
    int32 (&table)[2];

  public:
    scaled(const int32 (&t)[3], int32 (&u)[2]) : taps{ t[0], t[1], t[2] }, table(u) {}
    void run(input_stream_int32 *in, output_stream_int32 *out)
    {
        for (int k = 0; k < 3; k++) writeincr(out, (readincr(in) * taps[k] + table[k % 2]) >> Shift);
    }
    static void registerKernelClass()
    {
        REGISTER_FUNCTION(scaled::run);
        REGISTER_PARAMETER(table);
    }
};
class class_graph : public adf::graph {
  public:
    adf::kernel k;
    adf::input_gmio in = adf::input_gmio::create(64, 100);
    adf::output_gmio out = adf::output_gmio::create(64, 100);
    class_graph()
    {
        std::vector<int32> taps = { 1, 10, 100 };
        k = adf::kernel::create_object<scaled<1>>(taps, std::vector<int32>{ 4, 8 });
        adf::connect<adf::stream> net0(in.out[0], k.in[0]);
        adf::connect<adf::stream> net1(k.out[0], out.in[0]);
    }
};
static void test_vectors_for_arrays()
{
    class_graph gr;
    int32 x[] = { 2, 2, 2, 4, 4, 4 }, y[6], want[] = { 3, 14, 102, 4, 24, 202 };
    gr.init();
    EXPECT(gr.in.gm2aie(x, sizeof x) == adf::ok && gr.run(2) == adf::ok && gr.out.aie2gm(y, sizeof y) == adf::ok);
    EXPECT(!std::memcmp(y, want, sizeof y));
}

int main()
{
    char pattern[] = "/tmp/tw-graph-XXXXXX";
    folder = mkdtemp(pattern);
    test_memory_before_and_after_run();
    test_memory_that_comes_late();
    test_memory_misused();
    test_counters();
    test_initialisation();
    test_vectors_for_arrays();
    test_single_buffers();
    for (const char *name : { "x.txt", "y.txt" }) std::remove(path(name).c_str());
    rmdir(folder.c_str());
    if (!failures) std::puts("ok");
    return failures != 0;
}
