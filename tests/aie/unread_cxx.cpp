// SPDX-License-Identifier: MIT
/* Data that nobody has read when a run ends: reported unasked, once, with port and line; and what does not count. */
#define TW_AIE_CHECK
#include <adf.h>

#include <cstdio>
#include <string>
#include <unistd.h>

static std::string reports;
static int failures;
static void hook(void *, const char *text)
{
    reports += text;
    reports += '\n';
}
/* What has been reported since the last call. */
static std::string told()
{
    std::string text;
    text.swap(reports);
    return text;
}
static void expect(int line, const std::string &got, const std::string &wanted)
{
    if (got == wanted) return;
    std::printf("line %d: \"%s\", expected \"%s\"\n", line, got.c_str(), wanted.c_str());
    failures++;
}
#define EXPECT(got, wanted) expect(__LINE__, got, wanted)

static std::string folder;
static std::string file_of_numbers(const char *name, int count)
{
    std::string path = folder + "/" + name;
    std::FILE *f = std::fopen(path.c_str(), "w");
    for (int i = 0; i < count; i++) std::fprintf(f, "%d\n", i);
    std::fclose(f);
    return path;
}

/* --- arrays --------------------------------------------------------------------------------------------------- */

static int put_line;
static std::string at_put() /* where put_three() writes */
{
    std::string file = __FILE__;
    return file + ":" + std::to_string(put_line) + ": note: nobody has read ";
}
static void put_three(void *)
{
    put_line = __LINE__ + 1;
    for (int i = 0; i < 3; i++) put_ms(0, i);
}
static int get_line;
static void get_two(void *)
{
    get_line = __LINE__ + 1;
    (void)get_ss(0), (void)get_ss(0);
}
static void get_both(void *)
{
    (void)get_ss(0), (void)get_ss(1);
}
static void fill(void *)
{
    window_writeincr(window_out(int32, 0), 1);
}
static void drain(void *)
{
    (void)window_readincr(window_in(int32, 0));
}

struct array {
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel first, second;
    array(void (*from)(void *), void (*to)(void *))
        : first(tw_aie_array_add(a, "from", from, nullptr, 0, 0)),
          second(tw_aie_array_add(a, "to", to, nullptr, 1, 0))
    {
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array() { tw_aie_array_free(a); }
    void ok(tw_status status) { EXPECT(status == TW_OK ? "" : tw_error_message(), ""); }
};

/* Integers on a stream; `path` outlives the result. */
static tw_aie_file int32_file(const std::string &path)
{
    return { path.c_str(), TW_AIE_INT32, 32, 0, 0 };
}

static void streams()
{
    array x(put_three, get_two);
    tw_aie_array_stream(x.a, tw_aie_out(x.first, 0), tw_aie_in(x.second, 0), 0);
    x.ok(tw_aie_array_run(x.a, 1));
    EXPECT(told(), at_put() + "1 word of input stream 0 of kernel 'to' on tile (1,0), from 'from'\n");
    tw_aie_array_end(x.a); /* told already */
    EXPECT(told(), "");
    x.ok(tw_aie_array_resume(x.a, 1)); /* more may come */
    EXPECT(told(), "");
    tw_aie_array_end(x.a);
    EXPECT(told(), at_put() + "2 words of input stream 0 of kernel 'to' on tile (1,0), from 'from'\n");
    EXPECT(std::to_string(tw_aie_array_unread(x.a)), "2");
    x.ok(tw_aie_array_run(x.a, 2)); /* from the start: other data */
    EXPECT(told(), at_put() + "2 words of input stream 0 of kernel 'to' on tile (1,0), from 'from'\n");

    array balanced(put_three, get_two);
    tw_aie_array_stream(balanced.a, tw_aie_out(balanced.first, 0), tw_aie_in(balanced.second, 0), 0);
    tw_aie_array_repeat(balanced.a, balanced.first, 2);
    tw_aie_array_repeat(balanced.a, balanced.second, 3);
    balanced.ok(tw_aie_array_run(balanced.a, 1));
    EXPECT(told(), "");
}

static void windows()
{
    array x(fill, drain);
    tw_aie_array_window(x.a, tw_aie_out(x.first, 0), tw_aie_in(x.second, 0), 64, 0);
    tw_aie_array_repeat(x.a, x.first, 2);
    x.ok(tw_aie_array_run(x.a, 1));
    EXPECT(told(), "note: nobody has read 16 words of input window 0 of kernel 'to' on tile (1,0), from 'from'\n");
}

/* A number of firings may leave the rest of a file; a run to the end of the files may not. */
static void files()
{
    std::string ten = file_of_numbers("ten.txt", 10), six = file_of_numbers("six.txt", 6);
    array x(get_both, get_two);
    tw_aie_file of_ten = int32_file(ten), of_six = int32_file(six);
    tw_aie_array_input(x.a, &of_ten, tw_aie_in(x.first, 0));
    tw_aie_array_input(x.a, &of_six, tw_aie_in(x.first, 1));
    tw_aie_array_input(x.a, &of_six, tw_aie_in(x.second, 0));
    x.ok(tw_aie_array_run(x.a, 2));
    EXPECT(told(), "");
    EXPECT(std::to_string(tw_aie_array_unread(x.a)), "14"); /* on request */
    x.ok(tw_aie_array_run(x.a, 0));
    EXPECT(told(), "note: nobody has read 3 words of input stream 0 of kernel 'from' on tile (0,0), from file '" +
                       ten + "'\n");
}

static void memory()
{
    array x(get_two, fill);
    const int32 data[5] = { 1, 2, 3, 4, 5 };
    int in = tw_aie_array_memory_input(x.a, tw_aie_in(x.first, 0), 0, 0);
    tw_aie_array_memory_output(x.a, tw_aie_out(x.second, 0), 32);
    x.ok(tw_aie_array_send(x.a, in, data, sizeof data));
    x.ok(tw_aie_array_run(x.a, 2));
    EXPECT(told(), "note: nobody has read 1 word of input stream 0 of kernel 'from' on tile (0,0), from memory\n");
}

/* A deadlock says who waits; its leftovers are no news. */
static void deadlock()
{
    array x(put_three, get_two);
    tw_aie_array_stream(x.a, tw_aie_out(x.first, 0), tw_aie_in(x.second, 0), 0);
    tw_aie_array_stream(x.a, tw_aie_out(x.first, 1), tw_aie_in(x.second, 1), 0);
    tw_aie_array_repeat(x.a, x.second, 2);
    EXPECT(tw_aie_array_run(x.a, 1) == TW_OK ? "runs" : "stuck", "stuck");
    EXPECT(told(), "");

    std::string six = file_of_numbers("six.txt", 6), message;
    array dry(get_two, fill);
    tw_aie_file of_six = int32_file(six);
    tw_aie_array_input(dry.a, &of_six, tw_aie_in(dry.first, 0));
    tw_aie_array_memory_output(dry.a, tw_aie_out(dry.second, 0), 32);
    EXPECT(tw_aie_array_run(dry.a, 4) == TW_OK ? "runs" : "stuck", "stuck");
    message = tw_error_message();
    EXPECT(message.substr(message.find("firing")), "firing 4, waits to read stream 0 from file '" + six +
                                                       "', which is empty (" __FILE__ ":" +
                                                       std::to_string(get_line) + ")");
}

/* --- graphs --------------------------------------------------------------------------------------------------- */

static int write_line;
static void two_of_each(input_stream_int32 *in, output_stream_int32 *out)
{
    int32 v = readincr(in);
    write_line = __LINE__ + 1;
    for (int i = 0; i < 2; i++) writeincr(out, v);
}
static void one_of_each(input_stream_int32 *in, output_stream_int32 *out)
{
    writeincr(out, readincr(in));
}
/* in -> a -> b -> out, and in -> c -> out2: the file goes through a kernel that stands for the stream switch. */
class copies : public adf::graph {
  public:
    adf::kernel a, b, c;
    adf::input_plio in;
    adf::output_plio out, out2;
    explicit copies(void (*first)(input_stream_int32 *, output_stream_int32 *))
    {
        a = adf::kernel::create(first), b = adf::kernel::create(one_of_each), c = adf::kernel::create(one_of_each);
        in = adf::input_plio::create("in", adf::plio_32_bits, file_of_numbers("in.txt", 40));
        out = adf::output_plio::create("out", adf::plio_32_bits, folder + "/out.txt");
        out2 = adf::output_plio::create("out2", adf::plio_32_bits, folder + "/out2.txt");
        adf::connect<adf::stream>(in.out[0], a.in[0]);
        adf::connect<adf::stream>(in.out[0], c.in[0]);
        adf::connect<adf::stream>(a.out[0], b.in[0]);
        adf::connect<adf::stream>(b.out[0], out.in[0]);
        adf::connect<adf::stream>(c.out[0], out2.in[0]);
        adf::source(a) = "src/copies.cc", adf::source(b) = "src/copies.cc", adf::source(c) = "src/other.cc";
        for (adf::kernel *k : { &a, &b, &c }) adf::runtime<adf::ratio>(*k) = 0.5;
    }
};

static void graphs()
{
    std::string wanted = __FILE__ ":"; /* kernels of one source are numbered */
    {
        copies g(two_of_each);
        g.init();
        EXPECT(g.run(2) == adf::ok && g.run(1) == adf::ok ? "" : "failed", "");
        EXPECT(told(), ""); /* the next run could read it */
        g.end();
        wanted += std::to_string(write_line) + ": note: nobody has read 3 words of input stream 0 of kernel "
                                               "'copies 2' on tile (0,1), from 'copies 1'\n";
        EXPECT(told(), wanted);
        g.end();
    }
    EXPECT(told(), "");
    {
        copies g(two_of_each);
        g.init();
        g.run(3);
    }
    EXPECT(told(), wanted); /* no end() */
    {
        copies g(one_of_each);
        g.init();
        g.run(3);
        g.end();
    }
    EXPECT(told(), ""); /* the rest of the file, in queues behind the switch too */
}

int main()
{
    char name[] = "/tmp/tw-unread-XXXXXX";
    if (!mkdtemp(name)) return 1;
    folder = name;
    tw_aie_on_report(hook, nullptr);
    streams();
    windows();
    files();
    memory();
    deadlock();
    graphs();
    tw_aie_on_report(nullptr, nullptr);
    if (failures) std::printf("%d failures\n", failures);
    std::string remove = "rm -r " + folder;
    return std::system(remove.c_str()) != 0 || failures != 0;
}
