// SPDX-License-Identifier: MIT
/* Kernels that wait when their graph ends, goes, or runs anew: their frames are unwound, so that what they hold is
 * released. Under a sanitizer nothing leaks. */
#include <adf.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

static int failures;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(std::printf("line %d: %s\n", __LINE__, #condition), failures++))

static int alive; /* objects that kernels hold */
struct held {
    std::vector<int> memory = std::vector<int>(100, 7);
    held() { alive++; }
    held(const held &) = delete;
    held &operator=(const held &) = delete;
    ~held() { alive--; }
};

/* --- one kernel of an array, as a function of C++ that holds something while it waits --------------------------- */

static void read_for_ever(void *)
{
    held outer;
    auto inner = std::make_unique<held>();
    for (;;) {
        std::string more(100, 'x');
        tw_aie_get_word(0, nullptr);
    }
}
static void write_for_ever(void *)
{
    held h;
    for (;;) tw_aie_put_word(0, 1, 0);
}
static void take_lock(void *)
{
    struct guard : held {
        guard() { tw_aie_acquire(3, -1); }
        ~guard() { tw_aie_release(3, -1); } /* of this kernel's lock: not reported as free */
    } g;
    tw_aie_get_word(0, nullptr);
}
static void read_window(void *)
{
    held h;
    tw_aie_window_acquire(tw_aie_window_in(0));
}
static void never(void *)
{
    held h;
    tw_aie_wait_until([](void *) { return 0; }, nullptr, "for what never comes");
}
static int thrown_on;
static void catch_and_throw_on(void *)
{
    held h;
    try {
        held inside;
        tw_aie_get_word(0, nullptr);
    } catch (...) {
        thrown_on++;
        throw;
    }
}
/* What cannot be unwound ends where it stands: the program goes on. */
static void swallow(void *)
{
    for (;;) {
        try {
            tw_aie_get_word(0, nullptr);
        } catch (...) {
        }
    }
}
static void hard(int) noexcept
{
    tw_aie_get_word(0, nullptr);
}
static void is_noexcept(void *)
{
    hard(1);
}
static void waits_in_destructor(void *)
{
    struct reader {
        ~reader() { tw_aie_get_word(0, nullptr); }
    } r;
    held h; /* goes first */
    tw_aie_get_word(0, nullptr);
}

enum how { FREED, ENDED, RUN_AGAIN };
static void test_array(const char *what, void (*fn)(void *), how how)
{
    int before = failures;
    tw_aie_array *a = tw_aie_array_new();
    tw_aie_kernel k = tw_aie_array_add(a, "k", fn, nullptr, 1, 1);
    tw_aie_kernel other = tw_aie_array_add(a, "other", [](void *) { tw_aie_get_word(1, nullptr); }, nullptr, 2, 1);
    tw_aie_array_memory_input(a, tw_aie_in(k, 0), 0, 0);
    tw_aie_array_memory_input(a, tw_aie_in(k, 0), 64, 0);
    tw_aie_array_async(a, tw_aie_in(k, 0));
    tw_aie_array_stream(a, tw_aie_out(k, 0), tw_aie_in(other, 0), 0);
    tw_aie_array_memory_input(a, tw_aie_in(other, 1), 0, 0);
    EXPECT(tw_aie_array_run(a, 1) == TW_E_APPLICATION);
    int inside = alive;
    if (how == RUN_AGAIN) EXPECT(tw_aie_array_run(a, 1) == TW_E_APPLICATION);
    EXPECT(alive == inside);
    if (how == ENDED) tw_aie_array_end(a);
    if (how == ENDED) EXPECT(alive == 0);
    if (how == ENDED) EXPECT(tw_aie_array_continue(a) == TW_E_INVALID_ARGUMENT); /* the run has ended */
    tw_aie_array_free(a);
    EXPECT(alive == 0);
    if (failures != before) std::printf("... %s, %d\n", what, how);
}
static int reports;
static void count_report(void *, const char *)
{
    reports++;
}
static void test_arrays()
{
    tw_aie_on_report(count_report, nullptr);
    const struct {
        const char *name;
        void (*fn)(void *);
    } kernels[] = { { "read", read_for_ever }, { "write", write_for_ever }, { "lock", take_lock },
                    { "window", read_window }, { "wait", never },           { "catch", catch_and_throw_on },
                    { "swallow", swallow },    { "noexcept", is_noexcept }, { "destructor", waits_in_destructor } };
    for (how h : { FREED, ENDED, RUN_AGAIN })
        for (const auto &k : kernels) test_array(k.name, k.fn, h);
    EXPECT(thrown_on == 4);
    EXPECT(reports == 0);
    tw_aie_on_report(nullptr, nullptr);
    int caught = 0; /* exceptions work as before */
    try {
        throw 5;
    } catch (int five) {
        caught = five;
    }
    EXPECT(caught == 5 && std::uncaught_exceptions() == 0 && !std::current_exception());
}

/* --- graphs ----------------------------------------------------------------------------------------------------- */

static void hungry(input_stream<int32> *in, output_stream<int32> *out)
{
    held h;
    for (int i = 0; i < 4; i++) writeincr(out, readincr(in));
}
class hungry_graph : public adf::graph {
  public:
    adf::kernel k = adf::kernel::create(hungry), l = adf::kernel::create(hungry);
    adf::input_gmio in = adf::input_gmio::create("in");
    adf::output_gmio out = adf::output_gmio::create("out");
    hungry_graph()
    {
        adf::connect<adf::stream>(in.out[0], k.in[0]);
        adf::connect<adf::stream>(k.out[0], l.in[0]);
        adf::connect<adf::stream>(l.out[0], out.in[0]);
    }
};
static void test_graph()
{
    int32 x[4] = { 1, 2, 3, 4 }, y[4] = { 0 };
    {
        hungry_graph g;
        EXPECT(g.init() == adf::ok && g.run(1) == adf::ok && alive == 2);
        EXPECT(g.in.gm2aie(x, sizeof x) == adf::ok && g.wait() == adf::ok && alive == 0); /* came late, and ended */
        EXPECT(g.out.aie2gm(y, sizeof y) == adf::ok && y[3] == 4);
        EXPECT(g.run(1) == adf::ok && alive == 2);
        EXPECT(g.end() == adf::user_error && alive == 0);
        EXPECT(g.end() == adf::ok); /* told once */
        EXPECT(g.run(1) == adf::ok && alive == 2);
    }
    EXPECT(alive == 0);
}

int main()
{
    test_arrays();
    test_graph();
    if (!failures) std::puts("ok");
    return failures != 0;
}
