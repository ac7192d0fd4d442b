// SPDX-License-Identifier: MIT
/* Graphs as published programs write them, part five: places told from one another, sizes by samples, kinds of
 * connections nested through the ports of graphs, memory with several readers, ports that nothing is connected to.
 * Nothing here says `using namespace adf`. */
#include <adf.h>
#include <adf/intrinsics.h>
#include <adf/stream/streams.h>
#include <adf/window/window.h>

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
static void write_file(const char *name, int first, int count)
{
    std::ofstream out(path(name));
    for (int i = 0; i < count; i++) out << first + i << "\n";
}
static std::vector<int> read_file(const char *name)
{
    std::ifstream in(path(name));
    return std::vector<int>(std::istream_iterator<int>(in), std::istream_iterator<int>());
}

/* What goes to stderr while `call` runs. */
template <class F> static std::string said_by(F call)
{
    std::fflush(stderr);
    int before = dup(2);
    std::FILE *file = std::tmpfile();
    dup2(fileno(file), 2);
    call();
    std::fflush(stderr);
    dup2(before, 2), close(before);
    std::string text(4096, 0);
    std::rewind(file);
    text.resize(std::fread(&text[0], 1, text.size(), file));
    std::fclose(file);
    return text;
}

/* --- places --------------------------------------------------------------------------------------------------- */

/* Each kernel adds its place to the line of numbers: column * 8 + row. */
static void add_place(input_stream_int32 *in, output_stream_int32 *out)
{
    int id = get_coreid();
    unsigned so_far = static_cast<unsigned>(readincr(in)); /* the oldest places fall out */
    writeincr(out, static_cast<int>(so_far * 512 + (id >> 16 & 127) * 8 + (id & 31)));
}
class placed : public adf::graph {
  public:
    adf::kernel k[4];
    adf::input_plio in;
    adf::output_plio out;
    placed()
    {
        in = adf::input_plio::create("in", adf::plio_32_bits, path("zero.txt"));
        out = adf::output_plio::create("out", adf::plio_32_bits, path("places.txt"));
        for (adf::kernel &each : k) {
            each = adf::kernel::create(add_place);
            adf::source(each) = "place.cc";
            adf::runtime<adf::ratio>(each) = 0.5;
        }
        adf::connect<adf::stream>(in.out[0], k[0].in[0]);
        for (int i = 0; i < 3; i++) adf::connect<adf::stream>(k[i].out[0], k[i + 1].in[0]);
        adf::connect<adf::stream>(k[3].out[0], out.in[0]);
    }
    /* The places of the last three kernels and of the first one, which is what a word of 32 bits holds. */
    std::vector<int> places()
    {
        EXPECT(init() == adf::ok);
        EXPECT(run(1) == adf::ok);
        std::vector<int> word = read_file("places.txt"), result;
        for (int i = 0; i < 3 && word.size() == 1; i++) result.push_back(word[0] >> 9 * (2 - i) & 511);
        return result;
    }
};
static void relative_places()
{
    write_file("zero.txt", 0, 1);
    {
        placed g; /* given, and told from the one before */
        adf::location<adf::kernel>(g.k[0]) = adf::tile(10, 3);
        adf::relative_coordinate offsets[2] = { { .col_offset = -1, .row_offset = 0 },
                                                { .col_offset = 0, .row_offset = 2 } };
        adf::location<adf::kernel>(g.k[1]) = adf::location<adf::kernel>(g.k[0]) + adf::relative_offset(offsets[0]);
        adf::location_constraint at = adf::location<adf::kernel>(g.k[1]);
        adf::location<adf::kernel>(g.k[2]) = at + adf::relative_offset(offsets[1]);
        adf::location<adf::kernel>(g.k[3]) = at; /* the same tile */
        adf::location<adf::stack>(g.k[3]) = at;
        adf::location<adf::buffer>(g.k[3].in[0]) = { adf::location<adf::kernel>(g.k[3]), adf::offset(0) };
        adf::location<adf::parameter>(g.k[3].param[0]) = at;
        adf::location<adf::PLIO>(g.in) = adf::shim(10);
        adf::location<adf::GMIO>(g.in) = at + adf::relative_offset({ .col_offset = 1 });
        EXPECT((g.places() == std::vector<int>{ 9 * 8 + 3, 9 * 8 + 5, 9 * 8 + 3 }));
    }
    {
        placed g; /* nothing is given: the group stays together, and nobody else lies on its tiles */
        adf::location<adf::kernel>(g.k[3]) =
            adf::location<adf::kernel>(g.k[1]) + adf::relative_offset({ .col_offset = 0, .row_offset = -1 });
        std::vector<int> at = g.places();
        EXPECT(at.size() == 3 && at[2] == at[0] - 1 && at[1] != at[0] && at[1] != at[2]);
    }
    {
        placed g;
        adf::location<adf::kernel>(g.k[0]) = adf::tile(0, 0);
        adf::location<adf::kernel>(g.k[1]) =
            adf::location<adf::kernel>(g.k[0]) + adf::relative_offset({ .col_offset = -1, .row_offset = 0 });
        std::string said = said_by([&] { EXPECT(g.init() != adf::ok || g.run(1) != adf::ok); });
        EXPECT(said.find("would lie on tile (-1,0)") != std::string::npos);
    }
    {
        placed g;
        adf::location<adf::kernel>(g.k[0]) = adf::location<adf::kernel>(g.k[1]);
        adf::location<adf::kernel>(g.k[1]) = adf::location<adf::kernel>(g.k[0]);
        std::string said = said_by([&] { EXPECT(g.init() != adf::ok || g.run(1) != adf::ok); });
        EXPECT(said.find("placed from") != std::string::npos);
    }
}

/* --- sizes and kinds ------------------------------------------------------------------------------------------ */

static void twice(adf::input_buffer<int32> &in, adf::output_buffer<int32> &out)
{
    for (unsigned i = 0; i < in.size(); i++) out.data()[i] = 2 * in.data()[i];
}
static void window_to_stream(input_window_int32 *in, output_stream_int32 *out)
{
    for (unsigned i = 0; i < window_size(in); i++) writeincr(out, window_readincr(in) + 1);
}
static void stream_to_window(input_stream_int32 *in, output_window_int32 *out)
{
    for (unsigned i = 0; i < window_size(out); i++) window_writeincr(out, readincr(in) + 10);
}
/* Inside, the connections say streams and one size; outside, windows and another. Each kernel has what stands nearest
 * to it and fits its port. */
class inner : public adf::graph {
  public:
    adf::kernel k;
    adf::input_port in;
    adf::output_port out;
    template <class Kernel> explicit inner(Kernel f)
    {
        k = adf::kernel::create(f);
        adf::source(k) = "inner.cc";
    }
};
class nested : public adf::graph {
  public:
    inner a{ window_to_stream }, b{ stream_to_window };
    adf::kernel last;
    adf::input_plio in;
    adf::output_plio out;
    nested()
    {
        in = adf::input_plio::create("in", adf::plio_32_bits, path("in.txt"));
        out = adf::output_plio::create("out", adf::plio_32_bits, path("out.txt"));
        adf::connect<adf::stream>(in.out[0], a.in); /* a file's line is a stream up to the kernel's window */
        adf::connect<adf::window<64>>(a.in, a.k.in[0]);
        adf::connect<adf::stream>(a.k.out[0], a.out);
        adf::connect<adf::window<128>>(a.out, b.in); /* neither end is a window */
        adf::connect<adf::stream>(b.in, b.k.in[0]);
        adf::connect<adf::window<64>>(b.k.out[0], b.out);
        last = adf::kernel::create(twice);
        adf::source(last) = "twice.cc";
        adf::connect<>(b.out, last.in[0]);
        adf::connect<>(last.out[0], out.in[0]);
        dimensions(last.in[0]) = { 16 }; /* found by the port's type */
        samples_per_iteration(last.out[0]) = 16;
        adf::samples_per_iteration(a.k.out[0]) = 16; /* of a stream: no effect */
        EXPECT(async(last.in[0]).async == 1 && sync(last.in[0]).async == 0);
    }
};
static void kinds_through_ports()
{
    write_file("in.txt", 0, 100); /* longer than the run: the rest stays */
    nested g;
    EXPECT(g.init() == adf::ok);
    EXPECT(g.run(2) == adf::ok);
    std::vector<int> out = read_file("out.txt");
    EXPECT(out.size() == 32);
    for (size_t i = 0; i < out.size(); i++) EXPECT(out[i] == 2 * (static_cast<int>(i) + 11));
    EXPECT(g.run(2) == adf::ok); /* goes on where the file stands */
    out = read_file("out.txt");
    EXPECT(out.size() == 64 && out.back() == 2 * (63 + 11));
    EXPECT(g.end() == adf::ok);
}
/* The one connection says a window, which the second kernel has; the first one has a stream. */
class half_right : public adf::graph {
  public:
    adf::kernel a, b;
    adf::input_plio in;
    adf::output_plio out;
    half_right()
    {
        a = adf::kernel::create(window_to_stream), b = adf::kernel::create(window_to_stream);
        in = adf::input_plio::create("in", adf::plio_32_bits, path("in.txt"));
        out = adf::output_plio::create("out", adf::plio_32_bits, path("out.txt"));
        adf::connect<adf::window<64>>(in.out[0], a.in[0]);
        adf::connect<adf::window<64>>(a.out[0], b.in[0]);
        adf::connect<adf::stream>(b.out[0], out.in[0]);
    }
};
class wrong_kind : public adf::graph {
  public:
    adf::kernel k;
    adf::input_plio in;
    adf::output_plio out;
    wrong_kind()
    {
        k = adf::kernel::create(window_to_stream);
        in = adf::input_plio::create("in", adf::plio_32_bits, path("in.txt"));
        out = adf::output_plio::create("out", adf::plio_32_bits, path("out.txt"));
        adf::connect<adf::stream>(in.out[0], k.in[0]); /* the kernel has a window there, and nothing says a size */
        adf::connect<adf::stream>(k.out[0], out.in[0]);
    }
};

/* --- windows of different sizes ------------------------------------------------------------------------------- */

static void sum_up(input_window_int32 *in, output_window_int32 *out)
{
    int sum = 0;
    for (unsigned i = 0; i < window_size(in); i++) sum += window_readincr(in);
    window_writeincr(out, sum);
}
/* 96 bytes are made and 32 taken: three firings of the second kernel for one of the first. */
class many_rates : public adf::graph {
  public:
    adf::kernel first, second;
    adf::input_plio in;
    adf::output_plio out;
    explicit many_rates(unsigned times)
    {
        first = adf::kernel::create(twice), second = adf::kernel::create(sum_up);
        in = adf::input_plio::create("in", adf::plio_32_bits, path("in.txt"));
        out = adf::output_plio::create("out", adf::plio_32_bits, path("out.txt"));
        adf::connect<adf::window<96>>(in.out[0], first.in[0]);
        adf::connect<adf::window<96>, adf::window<32>>(first.out[0], second.in[0]);
        dimensions(first.out[0]) = { 24 };
        dimensions(second.in[0]) = { 8 };
        adf::connect<adf::window<4>>(second.out[0], out.in[0]);
        if (times) adf::repetition_count(second) = times;
    }
};
static void rates()
{
    write_file("in.txt", 0, 100);
    for (unsigned times = 0; times < 4; times++) {
        many_rates g(times);
        EXPECT(g.init() == adf::ok && g.run(2) == adf::ok);
        std::vector<int> out = read_file("out.txt");
        EXPECT(out.size() == (times > 1 ? 2 * times : 6));
        for (int i = 0; i < static_cast<int>(out.size()); i++) EXPECT(out[i] == 2 * (64 * i + 28));
    }
}

/* --- memory with two readers ---------------------------------------------------------------------------------- */

template <bool Windows> class shared_memory : public adf::graph {
  public:
    adf::kernel k[2];
    adf::input_gmio in;
    adf::output_gmio out[2];
    shared_memory()
    {
        in = adf::input_gmio::create("in", 64, 1000);
        for (int i = 0; i < 2; i++) {
            out[i] = adf::output_gmio::create("out" + std::to_string(i), 64, 1000);
            if (Windows || i)
                k[i] = adf::kernel::create(window_to_stream);
            else
                k[i] = adf::kernel::create(stream_to_window);
            adf::source(k[i]) = "k.cc";
            if (Windows || i) {
                adf::connect<adf::window<64>>(in.out[0], k[i].in[0]);
                adf::connect<adf::stream>(k[i].out[0], out[i].in[0]);
            } else {
                adf::connect<adf::stream>(in.out[0], k[i].in[0]);
                adf::connect<adf::window<64>>(k[i].out[0], out[i].in[0]);
            }
        }
    }
};
template <bool Windows> static void two_readers()
{
    int x[32], y[2][32];
    for (int i = 0; i < 32; i++) x[i] = i;
    shared_memory<Windows> g;
    EXPECT(g.init() == adf::ok);
    EXPECT(g.in.gm2aie_nb(x, sizeof x) == adf::ok);
    EXPECT(g.run(2) == adf::ok);
    for (int k = 0; k < 2; k++) {
        EXPECT(g.out[k].aie2gm(y[k], sizeof y[k]) == adf::ok);
        int added = Windows || k ? 1 : 10;
        for (int i = 0; i < 32; i++) EXPECT(y[k][i] == i + added);
    }
    EXPECT(g.end() == adf::ok);
}

/* --- ports that nothing is connected to ----------------------------------------------------------------------- */

class open_ended : public adf::graph {
  public:
    adf::kernel k;
    adf::input_plio in;
    adf::output_port out;
    explicit open_ended(bool port)
    {
        k = adf::kernel::create(add_place);
        adf::source(k) = "open.cc";
        in = adf::input_plio::create("in", adf::plio_32_bits, path("in.txt"));
        adf::connect<adf::stream>(in.out[0], k.in[0]);
        if (port) adf::connect<adf::stream>(k.out[0], out); /* which leads nowhere */
    }
};
static void one_end_fits()
{
    half_right g;
    EXPECT(g.init() == adf::ok && g.run(2) == adf::ok);
    std::vector<int> out = read_file("out.txt");
    EXPECT(out.size() == 32 && out[0] == 2 && out[31] == 33);
}
static void open_ports()
{
    for (int port = 0; port < 2; port++) {
        open_ended g(port);
        std::string said = said_by([&] { EXPECT(g.init() == adf::user_error); });
        EXPECT(said.find("'open'.out[0] is not connected") != std::string::npos);
    }
    wrong_kind g;
    std::string said = said_by([&] { EXPECT(g.init() != adf::ok || g.run(1) != adf::ok); });
    EXPECT(said.find(".in[0] is not of the kind that connect<> names") != std::string::npos);
}

int main()
{
    char name[] = "/tmp/tilewright_published_XXXXXX";
    folder = mkdtemp(name);
    relative_places();
    kinds_through_ports();
    rates();
    two_readers<true>();
    two_readers<false>();
    one_end_fits();
    open_ports();
    std::string command = "rm -r " + folder;
    if (std::system(command.c_str())) failures++;
    return failures != 0;
}
