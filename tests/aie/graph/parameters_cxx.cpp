// SPDX-License-Identifier: MIT
/* Run-time parameters as UG1079 has them ("Runtime Parameter Specification", "Runtime Parameter Support Summary"): a
 * firing takes one value of a synchronous input and waits for it; an asynchronous one keeps its last value; between
 * kernels; bypasses. */
#include <adf.h>

#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace adf;

static int failures;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(std::printf("line %d: %s\n", __LINE__, #condition), failures++))
static std::string folder, errors;
static std::string path(const char *name)
{
    return folder + "/" + name;
}
static std::vector<int> numbers(const char *name)
{
    std::ifstream f(path(name));
    std::vector<int> all;
    for (int n; f >> n;) all.push_back(n);
    return all;
}
/* Whether a message since the last question has the text. */
static bool said(const char *text)
{
    std::ifstream f(errors);
    std::string all((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>());
    std::remove(errors.c_str());
    return all.find(text) != std::string::npos;
}
static const std::vector<int> none;

/* --- one kernel ----------------------------------------------------------------------------------------------- */

static void add_offset(input_window_int32 *in, output_window_int32 *out, int offset, int &sum)
{
    sum = 0;
    for (unsigned i = 0; i < window_size(in); i++) {
        int v = window_readincr(in) + offset;
        sum += v;
        window_writeincr(out, v);
    }
}
enum how { as_it_comes, synchronous, asynchronous };
static detail::endpoint made(how h, detail::endpoint e)
{
    return h == synchronous ? sync(e) : h == asynchronous ? async(e) : e;
}
class one_kernel : public graph {
  public:
    kernel k;
    input_plio in;
    output_plio out;
    input_port offset;
    inout_port sum;
    one_kernel(how input, how output)
    {
        k = kernel::create(add_offset);
        in = input_plio::create(plio_32_bits, path("x.txt")),
        out = output_plio::create(plio_32_bits, path("y.txt"));
        connect<window<8>>(in.out[0], k.in[0]);
        connect<window<8>>(k.out[0], out.in[0]);
        connect<parameter>(offset, made(input, k.in[1]));
        connect<parameter>(made(output, k.inout[0]), sum);
        source(k) = "add_offset.cc";
        runtime(k) = 0.9; /* of ratio: nothing else can be meant */
    }
};

/* run() before the values, as the user guide has it: each starts one firing. */
static void synchronous_inputs()
{
    for (how h : { as_it_comes, synchronous }) {
        one_kernel g(h, as_it_comes);
        int sum = 0;
        EXPECT(g.init() == ok && g.run(3) == ok && numbers("y.txt") == none);
        EXPECT(g.wait() == user_error);
        EXPECT(
            said("kernel 'add_offset' on tile (0,0), firing 1, waits for an update of in[1], of which each firing "
                 "takes a value"));
        EXPECT(g.update(g.offset, 10) == ok && g.read(g.sum, sum) == ok && sum == 1 + 2 + 20);
        EXPECT(g.wait() == user_error && g.run(1) == user_error);
        EXPECT(said("firing 2"));
        volatile int hundred = 100; /* as measuring programs have them */
        EXPECT(g.update(g.offset, hundred) == ok && g.update(g.offset, 1000) == ok && g.wait() == ok);
        EXPECT(numbers("y.txt") == (std::vector<int>{ 11, 12, 103, 104, 1005, 1006 }));
        EXPECT(g.read(g.sum, sum) == ok && sum == 2011);
        EXPECT(g.update(g.offset, 0) == ok && g.run(1) == ok && g.wait() == ok && g.end() == ok);
        EXPECT(numbers("y.txt").size() == 8);
        unlink(path("y.txt").c_str());
    }
}
/* A graph that ends while a kernel waits says so; what has come out is there. */
static void ends_too_early()
{
    one_kernel g(as_it_comes, as_it_comes);
    EXPECT(g.init() == ok && g.update(g.offset, 1) == ok && g.run(2) == ok && numbers("y.txt") == none);
    EXPECT(g.end() == user_error && said("firing 2, waits for an update of in[1]"));
    EXPECT(numbers("y.txt") == (std::vector<int>{ 2, 3 }));
    unlink(path("y.txt").c_str());
}
static void asynchronous_inputs()
{
    one_kernel g(asynchronous, as_it_comes);
    EXPECT(g.init() == ok && g.run(2) == ok && g.wait() == user_error);
    EXPECT(said("firing 1, waits for an update of in[1]\n"));
    EXPECT(g.update(g.offset, 5) == ok && g.update(g.offset, 7) == ok && g.wait() == ok);
    EXPECT(numbers("y.txt") == (std::vector<int>{ 6, 7, 8, 9 }));
    EXPECT(g.run(1) == ok && g.end() == ok && numbers("y.txt")[4] == 5 + 7);
    unlink(path("y.txt").c_str());
}
/* To the end of the files: values and blocks, whichever ends first. */
static void without_end()
{
    one_kernel g(as_it_comes, as_it_comes);
    EXPECT(g.init() == ok && g.run() == ok && g.update(g.offset, 1) == ok && g.update(g.offset, 2) == ok);
    EXPECT(g.end() == ok && numbers("y.txt") == (std::vector<int>{ 2, 3, 5, 6 }));
    unlink(path("y.txt").c_str());
}
/* Each firing's value is read once; the kernel waits while two are unread. */
static void synchronous_outputs()
{
    one_kernel g(asynchronous, synchronous);
    int sum = 0;
    EXPECT(g.init() == ok && g.update(g.offset, 0) == ok && g.read(g.sum, sum) == user_error);
    EXPECT(said("that no firing has written"));
    EXPECT(g.run(4) == ok && g.wait() == user_error && said("firing 3, waits for a read of inout[0]"));
    for (int i = 0; i < 4; i++) EXPECT(g.read(g.sum, sum) == ok && sum == 4 * i + 3);
    EXPECT(g.wait() == ok && g.read(g.sum, sum) == user_error && said("no firing"));
    EXPECT(g.end() == ok);
    unlink(path("y.txt").c_str());
}

/* --- between kernels ------------------------------------------------------------------------------------------ */

static void largest(input_window_int32 *in, int &most)
{
    most = -1000;
    for (unsigned i = 0; i < window_size(in); i++) most = std::max(most, static_cast<int>(window_readincr(in)));
}
static void repeat(int value, output_stream_int32 *out)
{
    writeincr(out, value);
}
class from_sub : public graph {
  public:
    kernel k;
    input_port in;
    port<output> most;
    from_sub()
    {
        k = kernel::create(largest);
        connect<window<8>>(in, k.in[0]);
        connect<parameter>(k.inout[0], most);
        source(k) = "largest.cc";
    }
};
class chain : public graph {
  public:
    from_sub first;
    kernel second;
    input_plio in;
    output_plio out;
    explicit chain(how h)
    {
        second = kernel::create(repeat);
        in = input_plio::create(plio_32_bits, path("x.txt")),
        out = output_plio::create(plio_32_bits, path("y.txt"));
        connect<>(in.out[0], first.in);
        connect<parameter>(first.most, made(h, second.in[0]));
        connect<stream>(second.out[0], out.in[0]);
        source(second) = "repeat.cc";
    }
};
static void between_kernels()
{
    chain g(as_it_comes);
    EXPECT(g.init() == ok && g.run(4) == ok && g.wait() == ok && g.end() == ok);
    EXPECT(numbers("y.txt") == (std::vector<int>{ 2, 4, 6, 8 }));
    unlink(path("y.txt").c_str());
    chain loose(asynchronous); /* any value that was there; the last one at the end */
    EXPECT(loose.init() == ok && loose.run(4) == ok && loose.wait() == ok && loose.end() == ok);
    EXPECT(numbers("y.txt").size() == 4);
    unlink(path("y.txt").c_str());
}
class both_ways : public graph {
  public:
    kernel first, second;
    input_plio in;
    output_plio out;
    both_ways()
    {
        first = kernel::create(largest), second = kernel::create(repeat);
        in = input_plio::create(plio_32_bits, path("x.txt")),
        out = output_plio::create(plio_32_bits, path("y.txt"));
        connect<window<8>>(in.out[0], first.in[0]);
        connect<parameter>(sync(first.inout[0]), async(second.in[0]));
        connect<stream>(second.out[0], out.in[0]);
        source(first) = "largest.cc", source(second) = "repeat.cc";
    }
};
/* Not connected at all: the host carries the values, and sync() stands alone. */
class by_hand : public graph {
  public:
    kernel first, second;
    input_plio in;
    output_plio out;
    by_hand()
    {
        first = kernel::create(largest), second = kernel::create(repeat);
        in = input_plio::create(plio_32_bits, path("x.txt")),
        out = output_plio::create(plio_32_bits, path("y.txt"));
        connect<window<8>>(in.out[0], first.in[0]);
        sync(first.inout[0]);
        sync(second.in[0]);
        connect<stream>(second.out[0], out.in[0]);
        source(first) = "largest.cc", source(second) = "repeat.cc";
    }
};
static void by_the_host()
{
    by_hand g;
    EXPECT(g.init() == ok && g.run(4) == ok);
    for (int i = 0; i < 4; i++) {
        int most = 0;
        EXPECT(g.read(g.first.inout[0], most) == ok && g.update(g.second.in[0], 10 * most) == ok);
    }
    EXPECT(g.wait() == ok && g.end() == ok && numbers("y.txt") == (std::vector<int>{ 20, 40, 60, 80 }));
    unlink(path("y.txt").c_str());
    both_ways wrong;
    EXPECT(wrong.init() == ok && wrong.run(1) == user_error &&
           said("one end is synchronous, the other asynchronous"));
}

/* --- bypasses ------------------------------------------------------------------------------------------------- */

static void negate(input_window_int32 *in, output_window_int32 *out)
{
    for (unsigned i = 0; i < 2; i++) window_writeincr(out, -window_readincr(in));
}
static void negate_words(input_stream_int32 *in, output_stream_int32 *out)
{
    writeincr(out, -readincr(in));
}
template <class F> class skipping : public graph {
  public:
    kernel k;
    bypass b;
    input_plio in;
    output_plio out;
    input_port skip;
    explicit skipping(F f)
    {
        k = kernel::create(f);
        b = bypass::create(k);
        in = input_plio::create(plio_32_bits, path("x.txt")),
        out = output_plio::create(plio_32_bits, path("y.txt"));
        connect<parameter>(skip, b.bp);
        connect(in.out[0], b.in[0]);
        connect(b.out[0], out.in[0]);
        dimensions(k.in[0]) = { 2 }, dimensions(k.out[0]) = { 2 };
        source(k) = "negate.cc";
    }
};
static void bypasses()
{
    skipping<decltype(&negate)> g(negate);
    EXPECT(g.init() == ok && g.run(4) == ok);
    for (int skip : { 0, 1, 1, 0 }) EXPECT(g.update(g.skip, skip) == ok);
    EXPECT(g.wait() == ok && g.end() == ok);
    EXPECT(numbers("y.txt") == (std::vector<int>{ -1, -2, 3, 4, 5, 6, -7, -8 }));
    skipping<decltype(&negate_words)> words(negate_words);
    EXPECT(words.init() == ok && words.run(4) == user_error && said("'negate' cannot be bypassed"));
}

/* --- queues --------------------------------------------------------------------------------------------------- */

/* One reader takes all before it passes anything on, so the other way has to hold 96 words: 16 and 36 in each of two
 * queues. */
static void all_first(input_stream_int32 *in, output_stream_int32 *out)
{
    int all[96];
    for (int &v : all) v = readincr(in);
    for (int v : all) writeincr(out, v + 1);
}
static void word_by_word(input_stream_int32 *in, output_stream_int32 *out)
{
    for (int i = 0; i < 96; i++) writeincr(out, readincr(in));
}
static void sums(input_stream_int32 *a, input_stream_int32 *b, output_stream_int32 *out)
{
    for (int i = 0; i < 96; i++) writeincr(out, readincr(a) + readincr(b));
}
class two_ways : public graph {
  public:
    kernel from, slow, fast, to;
    input_plio in;
    output_plio out;
    explicit two_ways(unsigned depth)
    {
        from = kernel::create(word_by_word), slow = kernel::create(all_first), fast = kernel::create(word_by_word);
        to = kernel::create(sums);
        in = input_plio::create(plio_32_bits, path("long.txt"));
        out = output_plio::create(plio_32_bits, path("y.txt"));
        connect<stream> a(in.out[0], from.in[0]), b(from.out[0], slow.in[0]), c(from.out[0], fast.in[0]);
        connect<stream> d(slow.out[0], to.in[0]), e(fast.out[0], to.in[1]), f(to.out[0], out.in[0]);
        if (depth) fifo_depth(c) = depth, fifo_depth(e) = depth;
    }
};
static void depths_of_queues()
{
    two_ways stuck(0), free(36);
    EXPECT(stuck.init() == ok && free.init() == ok);
    EXPECT(stuck.run(1) == user_error && said("whose queue of 16 is full"));
    EXPECT(free.run(1) == ok && numbers("y.txt").size() == 96);
}

int main()
{
    char pattern[] = "/tmp/tw_parameters_XXXXXX";
    folder = mkdtemp(pattern), errors = path("errors");
    setenv("TW_AIE_ERRORS", errors.c_str(), 1);
    std::ofstream x(path("x.txt")), l(path("long.txt"));
    for (int i = 1; i <= 8; i++) x << i << '\n';
    for (int i = 1; i <= 96; i++) l << i << '\n';
    x.close(), l.close();
    synchronous_inputs();
    ends_too_early();
    asynchronous_inputs();
    without_end();
    synchronous_outputs();
    between_kernels();
    by_the_host();
    bypasses();
    depths_of_queues();
    for (const char *name : { "x.txt", "y.txt", "long.txt", "errors" }) unlink(path(name).c_str());
    if (rmdir(folder.c_str())) failures++;
    return failures != 0;
}
