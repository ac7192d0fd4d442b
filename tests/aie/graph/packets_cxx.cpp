// SPDX-License-Identifier: MIT
/* Graphs as published programs write them: packet switches, also across sub-graphs, where the connection next to a
 * kernel says what the kernel gets. */
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

enum { PACKET = 8 };
/* Odd parity in bit 31. */
static unsigned header(unsigned id)
{
    return id | (static_cast<unsigned>(!__builtin_parity(id)) << 31);
}
static const std::vector<int> order = { 2, 0, 3, 1, 1, 2, 0, 3 };
static void write_packets(const char *name, const std::vector<int> &branches = order)
{
    std::ofstream f(path(name));
    int v = 0;
    for (int branch : branches) {
        f << header(static_cast<unsigned>(branch)) << "\n";
        for (int i = 0; i < PACKET; i++) f << (i == PACKET - 1 ? "TLAST\n" : "") << v++ << "\n";
    }
}
/* Packets of the file by the id in their header, each as one line of text. */
static std::vector<std::string> read_packets(const char *name, unsigned id)
{
    std::ifstream f(path(name));
    std::vector<std::string> all;
    std::string word, packet;
    bool last = false;
    long head = -1;
    while (f >> word) {
        if (word == "TLAST") {
            last = true;
        } else if (head < 0) {
            head = std::atol(word.c_str()) & 31;
        } else {
            packet += word + " ";
            if (last && static_cast<unsigned>(head) == id) all.push_back(packet);
            if (last) packet.clear(), head = -1, last = false;
        }
    }
    return all;
}
template <int Add> void by_packets(input_pktstream *in, output_pktstream *out)
{
    readincr(in);
    EXPECT(getPacketid(in, 0) == Add);
    writeHeader(out, 0, getPacketid(out, 0));
    bool last = false;
    while (!last) {
        int32 v = readincr(in, last);
        writeincr(out, v + 100 * Add, last);
    }
}
/* A stream behind a split: the words alone, and where each packet ends. */
template <int Add> void by_words(input_stream<int32> *in, output_pktstream *out)
{
    writeHeader(out, 0, getPacketid(out, 0));
    bool last = false;
    for (int i = 0; i < PACKET; i++) {
        int32 v = readincr(in, last);
        EXPECT(last == (i + 1 == PACKET));
        writeincr(out, v + 100 * Add, last);
    }
}
template <int Add> void by_blocks(input_window<int32> *in, output_window<int32> *out)
{
    for (int i = 0; i < PACKET; i++) window_writeincr(out, window_readincr(in) + 100 * Add);
}
enum how { PACKETS, WORDS, WINDOWS };
template <int N, how How> class switched : public adf::graph {
  public:
    adf::kernel core[N];
    adf::pktsplit<N> sp;
    adf::pktmerge<N> mg;
    adf::input_plio in;
    adf::output_plio out;
    template <class... K> explicit switched(K... kernels)
    {
        int i = 0;
        (void)std::initializer_list<int>{ (core[i++] = adf::kernel::create(kernels), 0)... };
        in = adf::input_plio::create("in", adf::plio_32_bits, path("packets.txt"));
        out = adf::output_plio::create("out", adf::plio_32_bits, path("merged.txt"));
        sp = adf::pktsplit<N>::create();
        mg = adf::pktmerge<N>::create();
        for (i = 0; i < N; i++) {
            if constexpr (How == WORDS) {
                adf::connect<adf::pktstream, adf::stream>(sp.out[i], core[i].in[0]);
                adf::connect<adf::pktstream>(core[i].out[0], mg.in[i]);
            } else if constexpr (How == WINDOWS) {
                adf::connect<adf::pktstream, adf::window<4 * PACKET>>(sp.out[i], core[i].in[0]);
                adf::connect<adf::window<4 * PACKET>, adf::pktstream>(core[i].out[0], mg.in[i]);
            } else {
                adf::connect<adf::pktstream>(sp.out[i], core[i].in[0]);
                adf::connect<adf::pktstream>(core[i].out[0], mg.in[i]);
            }
            adf::source(core[i]) = "core.cc";
        }
        adf::connect<adf::pktstream>(in.out[0], sp.in[0]);
        adf::connect<adf::pktstream>(mg.out[0], out.in[0]);
    }
};
static void expect_packets(const std::vector<int> &branches = order)
{
    int v = 0;
    std::vector<std::string> want[4];
    for (int branch : branches) {
        std::string packet;
        for (int i = 0; i < PACKET; i++) packet += std::to_string(v++ + 100 * branch) + " ";
        want[branch].push_back(packet);
    }
    for (unsigned b = 0; b < 4; b++) EXPECT(read_packets("merged.txt", b) == want[b]);
}
static void test_packet_streams()
{
    write_packets("packets.txt");
    switched<4, PACKETS> gr(by_packets<0>, by_packets<1>, by_packets<2>, by_packets<3>);
    gr.init();
    EXPECT(gr.run(2) == adf::ok);
    expect_packets();
}
static void test_packet_words()
{
    write_packets("packets.txt");
    switched<4, WORDS> gr(by_words<0>, by_words<1>, by_words<2>, by_words<3>);
    gr.init();
    EXPECT(gr.run(2) == adf::ok);
    expect_packets();
}
static void test_packet_windows()
{
    write_packets("packets.txt");
    switched<4, WINDOWS> gr(by_blocks<0>, by_blocks<1>, by_blocks<2>, by_blocks<3>);
    gr.init();
    EXPECT(gr.run(2) == adf::ok);
    expect_packets();
}

/* --- sub-graphs ----------------------------------------------------------------------------------------------- */

/* A kernel two graphs deep: In and Out are the connections next to it, Far those further away. */
template <class In, class Out> class inner : public adf::graph {
  public:
    adf::port<adf::input> in;
    adf::port<adf::output> out;
    adf::kernel k;
    template <class F> explicit inner(F f)
    {
        k = adf::kernel::create(f);
        In(in, k.in[0]);
        Out(k.out[0], out);
        adf::source(k) = "core.cc";
    }
};
template <class Far, class In, class Out> class middle : public adf::graph {
  public:
    adf::port<adf::input> in;
    adf::port<adf::output> out;
    inner<In, Out> core;
    template <class F> explicit middle(F f) : core(f)
    {
        Far(in, core.in);
        adf::connect<adf::pktstream>(core.out, out);
    }
};
/* The switches in a graph of their own. */
template <class Far> class switches : public adf::graph {
  public:
    adf::port<adf::input> in, merged[2];
    adf::port<adf::output> out, branch[2];
    adf::pktsplit<2> sp = adf::pktsplit<2>::create();
    adf::pktmerge<2> mg = adf::pktmerge<2>::create();
    switches()
    {
        adf::connect<adf::pktstream>(in, sp.in[0]);
        for (int i = 0; i < 2; i++) {
            Far(sp.out[i], branch[i]);
            adf::connect<adf::pktstream>(merged[i], mg.in[i]);
        }
        adf::connect<adf::pktstream>(mg.out[0], out);
    }
};
template <class Far, class In, class Out> class nested : public adf::graph {
  public:
    switches<Far> ends;
    middle<Far, In, Out> zero, one;
    adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, path("packets.txt"));
    adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, path("merged.txt"));
    template <class F, class G> nested(F f, G g) : zero(f), one(g)
    {
        adf::connect<adf::pktstream>(in.out[0], ends.in);
        Far(ends.branch[0], zero.in);
        Far(ends.branch[1], one.in);
        adf::connect<adf::pktstream>(zero.out, ends.merged[0]);
        adf::connect<adf::pktstream>(one.out, ends.merged[1]);
        adf::connect<adf::pktstream>(ends.out, out.in[0]);
    }
};
typedef adf::connect<adf::pktstream> packets;
typedef adf::connect<adf::pktstream, adf::stream> words;
typedef adf::connect<adf::window<4 * PACKET>> blocks;
template <class Far, class In, class Out, class F, class G> static void test_nested(const char *what, F f, G g)
{
    int before = failures;
    write_packets("packets.txt", { 1, 0, 0, 1 });
    nested<Far, In, Out> gr(f, g);
    EXPECT(gr.init() == adf::ok);
    EXPECT(gr.run(2) == adf::ok);
    EXPECT(gr.end() == adf::ok);
    expect_packets({ 1, 0, 0, 1 });
    if (failures != before) std::printf("... %s\n", what);
}

/* --- several readers of one branch ---------------------------------------------------------------------------- */

static std::vector<int32> seen_words, seen_packet[2], seen_block;
static void keep_words(input_stream<int32> *in)
{
    for (int i = 0; i < PACKET; i++) seen_words.push_back(readincr(in));
}
template <int Branch> void keep_packet(input_pktstream *in)
{
    for (int i = 0; i <= PACKET; i++) seen_packet[Branch].push_back(readincr(in));
}
static void keep_block(input_window<int32> *in)
{
    for (int i = 0; i < PACKET; i++) seen_block.push_back(window_readincr(in));
}
static void pass_block(input_window<int32> *in, output_window<int32> *out)
{
    for (int i = 0; i < PACKET; i++) window_writeincr(out, window_readincr(in));
}
/* Two packets for branch 1 go to three readers; the windows of `feed` go to a merge and to a kernel. */
class shared_branch : public adf::graph {
  public:
    adf::pktsplit<2> sp = adf::pktsplit<2>::create();
    adf::pktmerge<2> mg = adf::pktmerge<2>::create();
    adf::kernel w = adf::kernel::create(keep_words), p = adf::kernel::create(keep_packet<1>),
                b = adf::kernel::create(keep_block), feed = adf::kernel::create(pass_block),
                idle = adf::kernel::create(keep_packet<0>);
    adf::input_plio in = adf::input_plio::create("in", adf::plio_32_bits, path("packets.txt"));
    adf::input_plio x = adf::input_plio::create("x", adf::plio_32_bits, path("x.txt"));
    adf::input_plio y = adf::input_plio::create("y", adf::plio_32_bits, path("y.txt"));
    adf::output_plio out = adf::output_plio::create("out", adf::plio_32_bits, path("merged.txt"));
    shared_branch()
    {
        adf::connect<adf::pktstream>(in.out[0], sp.in[0]);
        words(sp.out[1], w.in[0]);
        packets(sp.out[1], p.in[0]);
        adf::connect<adf::pktstream, adf::window<4 * PACKET>>(sp.out[1], b.in[0]);
        packets(sp.out[0], idle.in[0]);
        adf::connect<adf::window<4 * PACKET>>(x.out[0], feed.in[0]);
        adf::connect<adf::window<4 * PACKET>, adf::pktstream>(feed.out[0], mg.in[0]);
        adf::connect<adf::window<4 * PACKET>>(feed.out[0], out2.in[0]);
        packets(y.out[0], mg.in[1]);
        packets(mg.out[0], out.in[0]);
    }
    adf::output_plio out2 = adf::output_plio::create("copy", adf::plio_32_bits, path("copy.txt"));
};
static void test_shared_branch()
{
    write_packets("packets.txt", { 1, 0, 1, 0 });
    write_packets("y.txt", { 1 });
    std::ofstream x(path("x.txt"));
    for (int i = 0; i < 2 * PACKET; i++) x << i + 5000 << "\n";
    x.close();
    shared_branch gr;
    EXPECT(gr.init() == adf::ok);
    EXPECT(gr.run(2) == adf::ok);
    std::vector<int32> data, with_headers;
    for (int packet : { 0, 2 }) {
        with_headers.push_back(static_cast<int32>(header(1)));
        for (int i = 0; i < PACKET; i++) {
            data.push_back(packet * PACKET + i);
            with_headers.push_back(packet * PACKET + i);
        }
    }
    EXPECT(seen_words == data && seen_block == data && seen_packet[1] == with_headers);
    std::vector<std::string> merged = read_packets("merged.txt", 0);
    EXPECT(merged.size() == 2 && merged[0] == "5000 5001 5002 5003 5004 5005 5006 5007 ");
    EXPECT(read_packets("merged.txt", 1).size() == 1);
}

int main()
{
    char pattern[] = "/tmp/tw-graph-XXXXXX";
    folder = mkdtemp(pattern);
    test_packet_streams();
    test_packet_words();
    test_packet_windows();
    test_nested<packets, packets, packets>("packets everywhere", by_packets<0>, by_packets<1>);
    test_nested<words, packets, packets>("words far, packets near", by_packets<0>, by_packets<1>);
    test_nested<packets, words, packets>("packets far, words near", by_words<0>, by_words<1>);
    test_nested<words, words, packets>("words everywhere", by_words<0>, by_words<1>);
    test_nested<words, adf::connect<adf::stream>, packets>("a stream near", by_words<0>, by_words<1>);
    test_nested<words, adf::connect<>, packets>("nothing said near", by_words<0>, by_words<1>);
    test_nested<packets, blocks, blocks>("windows, packets far", by_blocks<0>, by_blocks<1>);
    test_nested<words, blocks, blocks>("windows, words far", by_blocks<0>, by_blocks<1>);
    test_shared_branch();
    for (const char *name : { "packets.txt", "merged.txt", "x.txt", "y.txt", "copy.txt" })
        std::remove(path(name).c_str());
    rmdir(folder.c_str());
    if (!failures) std::puts("ok");
    return failures != 0;
}
