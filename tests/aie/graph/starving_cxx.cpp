// SPDX-License-Identifier: MIT
/* A kernel whose data never come is named when its graph ends, whatever its ports lead to: files, memory, parameters.
 * Output files get what has come. */
#include <adf.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

static int failures;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(std::printf("line %d: %s\n", __LINE__, #condition), failures++))
static std::string folder;
static std::string path(const char *name)
{
    return folder + "/" + name;
}
static std::string text_of(const char *name)
{
    std::ifstream f(path(name));
    std::stringstream all;
    all << f.rdbuf();
    return all.str();
}

static void sum(input_stream<int32> *a, input_stream<int32> *b, int32 add, output_stream<int32> *out)
{
    for (int i = 0; i < 4; i++) {
        const int32 x = readincr(a);
        writeincr(out, x + readincr(b) + add);
    }
}
template <bool A, bool B, bool Out> class mixed : public adf::graph { /* true: memory, false: a file */
  public:
    adf::kernel k = adf::kernel::create(sum);
    adf::port<adf::input> add;
    adf::input_gmio a, b;
    adf::output_gmio out;
    adf::input_plio file_a, file_b;
    adf::output_plio file_out;
    mixed()
    {
        adf::source(k) = "sum.cc";
        adf::connect<adf::parameter>(add, k.in[2]);
        if (A) adf::connect<adf::stream>((a = adf::input_gmio::create("a")).out[0], k.in[0]);
        if (B) adf::connect<adf::stream>((b = adf::input_gmio::create("b")).out[0], k.in[1]);
        if (Out) adf::connect<adf::stream>(k.out[0], (out = adf::output_gmio::create("out")).in[0]);
        if (!A) file_a = adf::input_plio::create("file_a", adf::plio_32_bits, path("a.txt"));
        if (!B) file_b = adf::input_plio::create("file_b", adf::plio_32_bits, path("b.txt"));
        if (!Out) file_out = adf::output_plio::create("file_out", adf::plio_32_bits, path("out.txt"));
        if (!A) adf::connect<adf::stream>(file_a.out[0], k.in[0]);
        if (!B) adf::connect<adf::stream>(file_b.out[0], k.in[1]);
        if (!Out) adf::connect<adf::stream>(k.out[0], file_out.in[0]);
    }
};
enum what { NOTHING, FIRST, SECOND, PARAMETER };

template <bool A, bool B, bool Out> static void test_mix(what missing)
{
    const int before = failures;
    const int32 x[4] = { 10, 20, 30, 40 };
    const size_t first = missing == FIRST ? 2 : 4, second = missing == SECOND ? 2 : 4;
    int32 y[4] = { 0 };
    std::ofstream fa(path("a.txt")), fb(path("b.txt"));
    for (size_t i = 0; i < first; i++) fa << x[i] << "\n";
    for (size_t i = 0; i < second; i++) fb << x[i] << "\n";
    fa.close(), fb.close();
    for (const char *name : { "errors", "out.txt" }) std::remove(path(name).c_str());
    {
        mixed<A, B, Out> g;
        EXPECT(g.init() == adf::ok);
        if (A) EXPECT(g.a.gm2aie(x, 4 * first) == adf::ok);
        if (B) EXPECT(g.b.gm2aie(x, 4 * second) == adf::ok);
        if (missing != PARAMETER) EXPECT(g.update(g.add, int32(1)) == adf::ok);
        const bool told = g.run(1) != adf::ok;
        if (Out) EXPECT(g.out.aie2gm_nb(y, sizeof y) == adf::ok);
        EXPECT((g.end() != adf::ok || told) == (missing != NOTHING));
    }
    static const char *const where[] = { "", "waits to read stream 0 from ", "waits to read stream 1 from ",
                                         "waits for an update of in[2]" };
    const std::string errors = text_of("errors");
    EXPECT(errors.empty() == (missing == NOTHING));
    EXPECT(errors.find(where[missing]) != std::string::npos);
    if (missing != NOTHING) EXPECT(errors.find("kernel 'sum' on tile (0,0), firing 1") != std::string::npos);
    static const char *const made[] = { "21\n41\n61\n81\n", "21\n41\n", "21\n41\n", "" };
    if (!Out) EXPECT(text_of("out.txt") == made[missing]);
    if (Out) EXPECT(y[1] == (missing == PARAMETER ? 0 : 41) && y[3] == (missing == NOTHING ? 81 : 0));
    if (failures != before) std::printf("... memory %d %d %d, missing %d\n%s", A, B, Out, missing, errors.c_str());
}
template <bool A, bool B, bool Out> static void test_mixes()
{
    for (what missing : { NOTHING, FIRST, SECOND, PARAMETER }) test_mix<A, B, Out>(missing);
}

int main()
{
    char pattern[] = "/tmp/tw-graph-XXXXXX";
    folder = mkdtemp(pattern);
    setenv("TW_AIE_ERRORS", path("errors").c_str(), 1);
    test_mixes<false, false, false>(), test_mixes<false, false, true>();
    test_mixes<false, true, false>(), test_mixes<false, true, true>();
    test_mixes<true, false, false>(), test_mixes<true, false, true>();
    test_mixes<true, true, false>(), test_mixes<true, true, true>();
    for (const char *name : { "a.txt", "b.txt", "out.txt", "errors" }) std::remove(path(name).c_str());
    rmdir(folder.c_str());
    if (!failures) std::puts("ok");
    return failures != 0;
}
