// SPDX-License-Identifier: MIT
/* Graphs in the older way: GMIO and PLIO objects and a platform; kernels in the programmable logic; initialisation
 * functions by name. */
#include <adf/new_frontend/adf.h>
#include <adf/wrapper/wrapper.h>

#include <cstring>
#include <unistd.h>

using namespace adf;

static int failures;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(std::printf("line %d: %s\n", __LINE__, #condition), failures++))

static void plus_one(input_window<int32> *in, output_window<int32> *out)
{
    for (int i = 0; i < 8; i++) window_writeincr(out, window_readincr(in) + 1);
}
class one : public graph {
  public:
    kernel k = kernel::create(plus_one);
    input_port in;
    output_port out;
    one()
    {
        connect<window<32>>(in, k.in[0]);
        connect<window<32>>(k.out[0], out);
    }
};

/* --- memory --------------------------------------------------------------------------------------------------- */

/* The objects are older than the graph, as in published programs. */
GMIO from_memory("from", 64, 1000), to_memory("to", 64, 1000);
simulation::platform<1, 1> memory(&from_memory, &to_memory);
one in_memory;
connect<> net0(memory.src[0], in_memory.in);
connect<> net1(in_memory.out, memory.sink[0]);

static void memory_of_a_platform()
{
    int32 *x = static_cast<int32 *>(GMIO::malloc(64)), y[16] = { 0 };
    for (int i = 0; i < 16; i++) x[i] = 5 * i;
    EXPECT(from_memory.gm2aie_nb(x, 64) == user_error); /* before init() */
    EXPECT(in_memory.init() == ok);
    EXPECT(from_memory.gm2aie_nb(x, 32) == ok);
    EXPECT(to_memory.aie2gm_nb(y, 64) == ok);
    EXPECT(in_memory.run(2) == ok);
    EXPECT(to_memory.wait() == user_error); /* the second half has not come */
    EXPECT(from_memory.gm2aie(x + 8, 32) == ok && from_memory.wait() == ok);
    EXPECT(to_memory.wait() == ok && in_memory.wait() == ok);
    for (int i = 0; i < 16; i++) EXPECT(y[i] == x[i] + 1);
    EXPECT(from_memory.aie2gm(y, 4) == user_error && to_memory.gm2aie(y, 4) == user_error);
    EXPECT(from_memory.pl_gm(y, 4) == user_error);
    GMIO unused("unused", 64, 1000);
    EXPECT(unused.gm2aie(x, 4) == user_error && unused.wait() == user_error);
    GMIO::free(x);
}
static vector<int> numbers_of(const string &path)
{
    std::ifstream f(path);
    vector<int> all;
    for (string word; f >> word;)
        if (word != "TLAST") all.push_back(std::atoi(word.c_str()));
    return all;
}
template <size_t... I> static void platform_of(std::index_sequence<I...>)
{
    simulation::platform<sizeof...(I), 0> many((static_cast<void>(I), "x" + std::to_string(I))...);
    EXPECT(many.src[0].node->path == "x0" && many.src[sizeof...(I) - 1].node->path == "x263");
}
/* A file in, memory out. */
static void file_and_memory()
{
    PLIO *x = new PLIO("x", plio_32_bits, "x.txt", 250);
    GMIO y("y", 64, 1000);
    simulation::platform<1, 1> mixed(x, &y);
    one g;
    connect<> a(mixed.src[0], g.in), b(g.out, mixed.sink[0]);
    int32 got[8] = { 0 };
    EXPECT(g.init() == ok && g.run(1) == ok && y.aie2gm(got, sizeof got) == ok);
    for (int i = 0; i < 8; i++) EXPECT(got[i] == i + 1);
    delete x;
}

/* --- programmable logic --------------------------------------------------------------------------------------- */

static void twice(input_stream<int32> *in, output_stream<int32> *out)
{
    for (int i = 0; i < 8; i++) writeincr(out, 2 * readincr(in));
}
class with_logic : public graph {
  public:
    kernel first = kernel::create(plus_one), logic = kernel::create(twice), last = kernel::create(plus_one);
    input_plio in = input_plio::create(plio_32_bits, "x.txt");
    output_plio out = output_plio::create(plio_32_bits, "y.txt");
    with_logic()
    {
        fabric<pl>(logic);
        source(logic) = "twice.cpp";
        connect<window<32>>(in.out[0], first.in[0]);
        connect<window<32>, stream>(first.out[0], logic.in[0]);
        connect<stream, window<32>>(logic.out[0], last.in[0]);
        connect<window<32>>(last.out[0], out.in[0]);
    }
};
static void kernels_in_logic()
{
    with_logic g;
    EXPECT(g.init() == ok && g.run(2) == ok);
    vector<int> y = numbers_of("y.txt");
    EXPECT(y.size() == 16);
    for (size_t i = 0; i < y.size(); i++) EXPECT(y[i] == 2 * (static_cast<int>(i) + 1) + 1);
    EXPECT(g.logic.node->name == "twice (programmable logic)");
}
class with_memory_in_logic : public with_logic {
  public:
    input_port bytes;
    with_memory_in_logic() { connect<gmem>(bytes, logic.in[0]); }
};
static void memory_in_logic_is_refused()
{
    with_memory_in_logic g;
    EXPECT(g.init() == ok && g.run(1) == user_error);
}

/* --- names ---------------------------------------------------------------------------------------------------- */

static int calls[3];
namespace fir {
template <int Row, int By = 1> void init()
{
    calls[Row] += By;
}
} // namespace fir
TW_ADF_FUNCTION(fir::init<1>);
TW_ADF_FUNCTION(fir::init<2, 10>);
namespace visible {
/* Found in the symbols of the program: -rdynamic. */
__attribute__((visibility("default"))) void start();
void start()
{
    calls[0]++;
}
} // namespace visible
class named : public graph {
  public:
    kernel k = kernel::create(plus_one);
    input_plio in = input_plio::create(plio_32_bits, "x.txt");
    output_plio out = output_plio::create(plio_32_bits, "y.txt");
    explicit named(const char *init)
    {
        initialization_function(k) = init;
        connect<window<32>>(in.out[0], k.in[0]);
        connect<window<32>>(k.out[0], out.in[0]);
    }
};
static return_code run_with(const char *init)
{
    named g(init);
    EXPECT(g.init() == ok);
    return g.run(2);
}
static void initialisation_by_name()
{
    EXPECT(run_with("fir::init<1>") == ok && calls[1] == 1); /* once for two firings */
    EXPECT(run_with(" fir::init< 2,10 >") == ok && calls[2] == 10);
    EXPECT(run_with("visible::start") == ok && calls[0] == 1);
    for (const char *unknown : { "fir::init<0>", "nobody", "visible::", "::", "a:b", "start" })
        EXPECT(run_with(unknown) == user_error);
    EXPECT(calls[0] == 1 && calls[1] == 1 && calls[2] == 10);
}

int main()
{
    char folder[] = "/tmp/tw_graph_platform_XXXXXX";
    EXPECT(mkdtemp(folder) && chdir(folder) == 0);
    {
        std::ofstream x("x.txt");
        for (int i = 0; i < 16; i++) x << i << '\n';
    }
    memory_of_a_platform();
    file_and_memory();
    platform_of(std::make_index_sequence<264>()); /* as the beamforming design has */
    kernels_in_logic();
    memory_in_logic_is_refused();
    initialisation_by_name();
    EXPECT(std::system((string("rm -r ") + folder).c_str()) == 0);
    return failures != 0;
}
