// SPDX-License-Identifier: MIT
/* Graphs as values, as published programs keep and start them: returned, assigned to elements of arrays and vectors,
 * one after the other; platforms of paths; windows that do not fit one tile; cascades from a kernel with a place;
 * packets with the header of generateHeader(); 256-bit vectors on the cascade. */
#include <adf.h>
#include <adf/arch/aie_arch_properties.hpp>
#include <adf/x86sim/x86simDebug.h>

#include <array>
#include <cstdio>
#include <unistd.h>

/* std's vector, string, to_string, cout and endl come along with this, too. */
using namespace adf;

static int failures;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(std::printf("line %d: %s\n", __LINE__, #condition), failures++))

static vector<int> numbers_of(const string &path)
{
    std::ifstream f(path);
    vector<int> all;
    for (string word; f >> word;)
        if (word != "TLAST") all.push_back(std::atoi(word.c_str()));
    return all;
}
static vector<int> from_on(int first, int count)
{
    vector<int> all;
    for (int i = 0; i < count; i++) all.push_back(first + i);
    return all;
}

static void write_numbers(const string &path, int count)
{
    std::ofstream f(path);
    for (int i = 0; i < count; i++) f << i << '\n';
}
static string name_seen;
static void plus_one(input_window<int32> *in, output_window<int32> *out)
{
    name_seen = X86SIM_KERNEL_NAME;
    for (int i = 0; i < 8; i++) window_writeincr(out, window_readincr(in) + 1);
}

/* --- values --------------------------------------------------------------------------------------------------- */

class stage : public graph {
  public:
    input_port in;
    output_port out;
    stage() { make(); }
    explicit stage(const string &name)
    {
        make();
        source(k) = "src/" + name + ".cpp";
    }

  private:
    kernel k;
    void make()
    {
        k = kernel::create(plus_one);
        connect<window<32>>(in, k.in[0]);
        connect<window<32>>(k.out[0], out);
    }
};
/* Elements get their graphs by assignment; what they had before must neither run nor fail for want of data. */
class chain : public graph {
  public:
    input_plio in;
    output_plio out;
    std::array<stage, 2> fixed;
    vector<stage> grown;
    explicit chain(const string &file)
    {
        for (int i = 0; i < 2; i++) fixed[static_cast<size_t>(i)] = stage("fixed" + to_string(i));
        for (int i = 0; i < 3; i++) grown.push_back(stage("grown" + to_string(i)));
        in = input_plio::create("in", plio_32_bits, "x.txt");
        out = output_plio::create("out", plio_32_bits, file);
        connect<>(in.out[0], fixed[0].in);
        connect<>(fixed[0].out, fixed[1].in);
        connect<>(fixed[1].out, grown[0].in);
        connect<>(grown[0].out, grown[1].in);
        connect<>(grown[1].out, grown[2].in);
        connect<>(grown[2].out, out.in[0]);
    }
};
static chain made(const string &file)
{
    chain c(file), copy = c; /* two handles, one graph */
    return copy;
}
static return_code run_by_value(graph g)
{
    return g.run(2);
}
static void values()
{
    chain c = made("values.txt");
    EXPECT(c.init() == ok);
    EXPECT(run_by_value(c) == ok);
    EXPECT(c.end() == ok);
    EXPECT(numbers_of("values.txt") == from_on(5, 16));
    EXPECT(name_seen == "grown2");
}

/* --- tables --------------------------------------------------------------------------------------------------- */

class weights {
    int32 (&taps)[2];
    const int32 (&bias)[1];

  public:
    weights(int32 (&t)[2], const int32 (&b)[1]) : taps(t), bias(b) {}
    void run(input_window<int32> *in, output_window<int32> *out)
    {
        for (int i = 0; i < 8; i++) window_writeincr(out, window_readincr(in) * taps[i % 2] + bias[0]);
    }
    static void registerKernelClass()
    {
        REGISTER_FUNCTION(weights::run);
        REGISTER_PARAMETER(taps);
    }
};
static void tables_of_std_arrays()
{
    class table_graph : public graph {
      public:
        kernel k;
        input_plio in = input_plio::create(plio_32_bits, "x.txt");
        output_plio out = output_plio::create(plio_32_bits, "tables.txt");
        table_graph()
        {
            std::array<int32, 2> taps = { 3, -1 }; /* the kernel keeps its own */
            k = kernel::create_object<weights>(taps, std::array<int32, 1>{ { 100 } });
            connect<window<32>>(in.out[0], k.in[0]);
            connect<window<32>>(k.out[0], out.in[0]);
        }
    } g;
    EXPECT(g.init() == ok && g.run(1) == ok);
    EXPECT(numbers_of("tables.txt") == (vector<int>{ 100, 99, 106, 97, 112, 95, 118, 93 }));
}

/* --- one after the other -------------------------------------------------------------------------------------- */

class alone : public graph {
  public:
    input_plio in;
    output_plio out;
    explicit alone(const string &file)
    {
        k = kernel::create(plus_one);
        in = input_plio::create(plio_32_bits, "x.txt");
        out = output_plio::create(plio_32_bits, file);
        connect<window<32>>(in.out[0], k.in[0]);
        connect<window<32>>(k.out[0], out.in[0]);
    }

  private:
    kernel k;
};
class pair : public graph { /* nothing joins the two, and both are its own */
  public:
    alone a{ "a.txt" }, b{ "b.txt" };
};
static void in_turn()
{
    alone first("first.txt"), second("second.txt");
    pair both;
    graph *heap = new alone("heap.txt");
    EXPECT(first.init() == ok && first.run(1) == ok && first.end() == ok);
    EXPECT(numbers_of("first.txt") == from_on(1, 8));
    EXPECT(access("second.txt", F_OK) != 0 && access("a.txt", F_OK) != 0 && access("heap.txt", F_OK) != 0);
    EXPECT(second.init() == ok && second.run(2) == ok);
    EXPECT(numbers_of("second.txt") == from_on(1, 16));
    EXPECT(both.init() == ok && both.run(1) == ok);
    EXPECT(numbers_of("a.txt") == from_on(1, 8) && numbers_of("b.txt") == from_on(1, 8));
    EXPECT(heap->init() == ok && heap->run(1) == ok);
    EXPECT(numbers_of("heap.txt") == from_on(1, 8));
    delete heap;
}

/* --- paths, memory, places ------------------------------------------------------------------------------------ */

static void platform_of_paths()
{
    class inner : public graph {
      public:
        input_port in;
        output_port out;
        kernel k = kernel::create(plus_one);
        inner()
        {
            connect<window<32>>(in, k.in[0]);
            connect<window<32>>(k.out[0], out);
        }
    } g;
    simulation::platform<1, 1> files("x.txt", "platform.txt");
    connect<> to(files.src[0], g.in);
    connect<> from(g.out, files.sink[0]);
    EXPECT(g.init() == ok && g.run(1) == ok);
    EXPECT(numbers_of("platform.txt") == from_on(1, 8));
}

/* Sizes by number in the kernel's parameters, a margin of 8 samples in front of the input. */
static void difference(input_buffer_1d<int32, 8, 8> &x, output_buffer_1d<int32, 8> &y)
{
    for (int i = 0; i < 8; i++) y.data()[i] = x.data()[8 + i] - x.data()[i];
}
static void buffers_by_number()
{
    class buffer_graph : public graph {
      public:
        kernel k = kernel::create(difference);
        input_plio in = input_plio::create(plio_32_bits, "x.txt");
        output_plio out = output_plio::create(plio_32_bits, "difference.txt");
        buffer_graph()
        {
            connect<>(in.out[0], k.in[0]);
            connect<>(k.out[0], out.in[0]);
        }
    } g;
    EXPECT(g.init() == ok && g.run(2) == ok);
    EXPECT(numbers_of("difference.txt") == (vector<int>{ 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8, 8, 8 }));
}

template <int Words> static void copy_words(input_window<int32> *in, output_window<int32> *out)
{
    for (int i = 0; i < Words; i++) window_writeincr(out, window_readincr(in));
}
/* Ping-pong blocks of the given size in and out of one kernel; stack and heap take 2 KB of its tile. */
template <int Words> class large : public graph {
  public:
    kernel k = kernel::create(copy_words<Words>);
    input_plio in = input_plio::create(plio_32_bits, "words.txt");
    output_plio out = output_plio::create(plio_32_bits, "large.txt");
    large()
    {
        write_numbers("words.txt", Words);
        connect<window<Words * 4>>(in.out[0], k.in[0]);
        connect<window<Words * 4>>(k.out[0], out.in[0]);
    }
};
static void neighbours_have_room()
{
    large<3840> fits; /* 4 blocks of 15 KB: two on its own tile, two on others */
    EXPECT(fits.init() == ok && fits.run(1) == ok);
    EXPECT(numbers_of("large.txt") == from_on(0, 3840));
    large<7680>
        own; /* 4 blocks of 30 KB: one on its own tile, one on each of the three others that tile (0,0) has less
                        one, for the first column has nothing to its west */
    EXPECT(own.init() == ok);
    EXPECT(own.run(1) == user_error);
    large<8224> none; /* 32896 bytes fit no tile */
    EXPECT(none.init() == ok && none.run(1) == user_error);
}

static void give(input_window<int32> *in, output_cascade<int32> *out)
{
    v8int32 v;
    for (unsigned i = 0; i < 8; i++) v[i] = window_readincr(in);
    writeincr(out, v);
}
static void pass(input_cascade<int32> *, output_cascade<int32> *)
{
    put_mcd(get_scd_v8int32());
}
static void take(input_cascade<int32> *in, output_window<int32> *out)
{
    window_writeincr(out, readincr_v<8>(in));
}
/* The first kernel has a place, the others lie where its cascade leads: eastward from even rows, westward from odd
 * ones. */
class row_of_kernels : public graph {
  public:
    kernel k[4];
    input_plio in = input_plio::create(plio_32_bits, "x.txt");
    output_plio out;
    row_of_kernels(int column, int row, const string &file)
    {
        out = output_plio::create(plio_32_bits, file);
        k[3] = kernel::create(take), k[2] = kernel::create(pass), k[1] = kernel::create(pass);
        k[0] = kernel::create(give);
        connect<window<32>>(in.out[0], k[0].in[0]);
        for (int i = 0; i < 3; i++) connect<cascade>(k[i].out[0], k[i + 1].in[0]);
        connect<window<32>>(k[3].out[0], out.in[0]);
        location<kernel>(k[0]) = tile(column, row);
        not_equal(location<buffer>(k[0].in[0]), location<buffer>(k[3].out[0]));
        location<parameter>(k[1].param[0]) = offset(0); /* of no effect here */
        location<parameter>(k[2].param[1]) = bank(column, row, 2);
    }
};
static void cascade_of_vectors()
{
    row_of_kernels east(10, 2, "east.txt"), west(49, 3, "west.txt");
    EXPECT(east.init() == ok && east.run(2) == ok);
    EXPECT(numbers_of("east.txt") == from_on(0, 16));
    EXPECT(east.k[3].node->column == 13 && east.k[3].node->row == 2);
    EXPECT(west.init() == ok && west.run(2) == ok);
    EXPECT(numbers_of("west.txt") == from_on(0, 16));
    EXPECT(west.k[3].node->column == 46 && west.k[3].node->row == 3);
}

/* --- packets -------------------------------------------------------------------------------------------------- */

static unsigned header_sent, header_seen;
static void send(input_window<int32> *in, output_pktstream *out)
{
    writeincr(out, header_sent = generateHeader(3, getPacketid(out, 0)));
    for (int i = 0; i < 8; i++) writeincr(out, window_readincr(in), i == 7);
}
static void receive(input_pktstream *in, output_window<int32> *out)
{
    header_seen = readHeader(in);
    for (int i = 0; i < 8; i++) window_writeincr(out, readincr(in));
}
static void packets()
{
    class packet_graph : public graph {
      public:
        kernel a = kernel::create(send), b = kernel::create(receive);
        input_plio in = input_plio::create(plio_32_bits, "x.txt");
        output_plio out = output_plio::create(plio_32_bits, "packets.txt");
        packet_graph()
        {
            connect<window<32>>(in.out[0], a.in[0]);
            connect<pktstream>(a.out[0], b.in[0]);
            connect<window<32>>(b.out[0], out.in[0]);
        }
    } g;
    EXPECT(g.init() == ok && g.run(1) == ok);
    EXPECT(numbers_of("packets.txt") == from_on(0, 8));
    EXPECT(header_seen == header_sent && (header_seen & 31) == 0 && (header_seen >> 12 & 7) == 3);
    EXPECT(__builtin_popcount(header_seen) % 2 == 1);
}

int main()
{
    char folder[] = "/tmp/tw_graph_values_XXXXXX";
    EXPECT(mkdtemp(folder) && chdir(folder) == 0);
    write_numbers("x.txt", 16);
    static_assert(get_input_streams_core_module() == 2 && get_output_streams_core_module() == 2,
                  "streams of a core");
    values();
    tables_of_std_arrays();
    in_turn();
    platform_of_paths();
    buffers_by_number();
    neighbours_have_room();
    cascade_of_vectors();
    packets();
    EXPECT(std::system((string("rm -r ") + folder).c_str()) == 0);
    return failures != 0;
}
