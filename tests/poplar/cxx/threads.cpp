// SPDX-License-Identifier: MIT
/* Several threads at one const graph: views, region queries and mappings, as planners make them; and a graph for each
 * of several threads. ./dev test SAN=thread T=poplar.cxx_threads looks for races. */
#include "expect.hpp"

#include <atomic>
#include <poplar/Engine.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/IPUModel.hpp>
#include <sstream>
#include <thread>
#include <vector>

using namespace poplar;
using namespace poplar::program;

enum { THREADS = 4, ROUNDS = 200 };

template <class F> static void inThreads(F f)
{
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < THREADS; t++) threads.emplace_back(f, t);
    for (std::thread &t : threads) t.join();
}

static void const_queries()
{
    Graph g(Target::createIPUTarget(1, 16, "ipu2"));
    Tensor x = g.addVariable(FLOAT, { 16, 12 }, "x"), c = g.addConstant(FLOAT, { 12 }, 1.0f);
    for (unsigned i = 0; i < 16; i++) g.setTileMapping(x[i], i);
    g.setTileMapping(c, 0);
    const Graph &same = g;
    const Tensor view = x.transpose(), wide = concat(x, c.expand({ 0 }).broadcast(2, 0));
    const auto mapping = same.getTileMapping(view);
    const std::size_t runs = same.getSortedContiguousRegions(view, { { 0, 192 } }).size();
    std::atomic<unsigned> wrong(0);
    inThreads([&](unsigned t) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            unsigned tile = (t * 7 + round) % 16;
            auto regions = same.getSortedContiguousRegions(view, mapping[tile]);
            std::vector<Tensor> parts = view.flatten().slices(regions);
            Tensor a = concat(parts), b = a, simple = view;
            b = view;
            same.reorderToSimplify(&simple, { &b });
            wrong += a.numElements() != 12 || regions.size() != 1 || a != x[tile];
            wrong += same.getTileMapping(view) != mapping || simple.getContiguousRegions().size() != 1;
            wrong += same.getSortedContiguousRegions(view, { { 0, 192 } }).size() != runs;
            wrong += !wide.containsConstant() || !wide.containsAliases() || wide.slice(0, 16) != x;
            wrong += same.findUnbroadcastTensor(wide.slice(16, 18)).numElements() != 12;
            try {
                x[16 + t]; /* each thread gets its own mistake, and nobody else's */
                wrong++;
            } catch (const index_error &e) {
                wrong += std::string(e.what()).find(std::to_string(16 + t)) == std::string::npos;
            }
        }
    });
    EXPECT(wrong == 0);
}

static void graphs_of_their_own()
{
    std::atomic<unsigned> wrong(0);
    inThreads([&](unsigned t) {
        IPUModel m;
        m.tilesPerIPU = 4;
        Device d = m.createDevice();
        Graph g(d);
        std::stringstream source("#include <poplar/Vertex.hpp>\n"
                                 "class Inc : public poplar::Vertex { public: poplar::InOut<int> x;\n"
                                 "  bool compute() { *x += 1; return true; } };\n");
        g.addCodelets(source);
        Tensor n = g.addVariable(INT, {}, "n");
        g.setTileMapping(n, t % 4);
        g.setInitialValue(n, static_cast<int>(100 * t));
        ComputeSet cs = g.addComputeSet();
        VertexRef v = g.addVertex(cs, "Inc", { { "x", n } });
        g.setTileMapping(v, t % 4);
        g.setPerfEstimate(v, 3);
        g.createHostRead("n", n);
        Engine e(g, Repeat(5, Execute(cs)));
        e.loadAndRun(d);
        int got = -1;
        e.readTensor("n", &got, &got + 1);
        wrong += got != static_cast<int>(100 * t + 5);
    });
    EXPECT(wrong == 0);
}

/* The last view of a graph may go in another thread than the graph. */
static void views_that_last()
{
    Tensor last[THREADS];
    {
        Graph g(Target::createIPUTarget(1, 4, "ipu2"));
        Tensor x = g.addVariable(FLOAT, { 4 });
        for (unsigned t = 0; t < THREADS; t++) last[t] = x.slice(t, t + 1);
    }
    inThreads([&](unsigned t) { last[t] = Tensor(); });
}

/* What callbacks throw in threads of the engine comes out of its run; the engine can run again. */
static void callbacks_that_throw()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device d = m.createDevice();
    Graph g(d);
    Tensor a = g.addVariable(INT, {}, "a"), b = g.addVariable(INT, {}, "b");
    g.setTileMapping(a, 0), g.setTileMapping(b, 1);
    DataStream in = g.addHostToDeviceFIFO("in", INT, 1), other = g.addHostToDeviceFIFO("other", INT, 1);
    g.createHostRead("b", b);
    for (const char *mode : { "singleThread", "dedicated", "collaborative" }) {
        OptionFlags options{ { "streamCallbacks.multiThreadMode", mode },
                             { "streamCallbacks.numWorkerThreads", "2" } };
        Engine e(g, Sequence{ Copy(in, a), Copy(other, b) }, options);
        bool throws = true;
        e.connectStreamToCallback("in", [&](void *p) {
            if (throws) throw std::runtime_error("no more data");
            *static_cast<int *>(p) = 4;
        });
        e.connectStreamToCallback("other", [](void *p) { *static_cast<int *>(p) = 5; });
        e.load(d);
        std::string what;
        try {
            e.run();
        } catch (const std::runtime_error &error) {
            what = error.what();
        }
        EXPECT(what == "no more data");
        throws = false;
        e.run();
        int got = 0;
        e.readTensor("b", &got, &got + 1);
        EXPECT(got == 5);
    }
}

/* The thread of the run makes calls of its own where it waits: what these throw waits for the end of the run, too. Of
 * two calls the one thread of the engine makes one at most, and does not come back before the run's has made one. */
static void the_run_itself_throws()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device d = m.createDevice();
    Graph g(d);
    Tensor x = g.addVariable(INT, { 2 }, "x");
    g.setTileMapping(x, 0);
    DataStream in[2] = { g.addHostToDeviceFIFO("in0", INT, 1), g.addHostToDeviceFIFO("in1", INT, 1) };
    g.createHostRead("x", x);
    OptionFlags options{ { "streamCallbacks.multiThreadMode", "collaborative" },
                         { "streamCallbacks.numWorkerThreads", "1" } };
    Engine e(g, Sequence{ Copy(in[0], x[0]), Copy(in[1], x[1]) }, options);
    const std::thread::id run = std::this_thread::get_id();
    std::atomic<bool> came(false);
    bool throws = true;
    for (const char *name : { "in0", "in1" })
        e.connectStreamToCallback(name, [&](void *p) {
            const bool own = std::this_thread::get_id() == run;
            if (own) came = true;
            while (!came) std::this_thread::yield();
            *static_cast<int *>(p) = 7;
            if (own && throws) throw std::runtime_error("the run's own");
        });
    e.load(d);
    for (unsigned i = 0; i < 3; i++) {
        came = false, throws = i < 2;
        std::string what;
        try {
            e.run();
        } catch (const std::runtime_error &error) {
            what = error.what();
        }
        EXPECT(what == (throws ? "the run's own" : ""));
    }
    int got[2] = { 0, 0 };
    e.readTensor("x", got, got + 2);
    EXPECT(got[0] == 7 && got[1] == 7);
}

/* Its second prefetching ends after the host function has thrown. */
struct LatePrefetch : StreamCallback {
    std::atomic<bool> &thrown, &inside;
    int calls = 0;
    LatePrefetch(std::atomic<bool> &t, std::atomic<bool> &i) : thrown(t), inside(i) {}
    Result prefetch(void *p) override
    {
        inside = true;
        for (int i = 0; calls && (!thrown || i < 1000); i++) std::this_thread::yield();
        *static_cast<int *>(p) = calls++;
        inside = false;
        return Result::Success;
    }
    void fetch(void *p) override { *static_cast<int *>(p) = -1; }
    void complete() override {}
};
struct Throws : HostCallback {
    std::atomic<bool> &thrown;
    explicit Throws(std::atomic<bool> &t) : thrown(t) {}
    void operator()(ArrayRef<const void *>, ArrayRef<void *>) override
    {
        if (!thrown.exchange(true)) throw std::runtime_error("a host function");
    }
};
/* Nothing is under way any more when a run throws what a host function has thrown. */
static void host_functions_that_throw()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device d = m.createDevice();
    Graph g(d);
    Tensor a = g.addVariable(INT, { 1 }, "a");
    g.setTileMapping(a, 0);
    DataStream in = g.addHostToDeviceFIFO("in", INT, 1);
    HostFunction f = g.addHostFunction("f", { { INT, 1 } }, {});
    g.createHostRead("a", a);
    for (const char *mode : { "dedicated", "collaborative" }) {
        std::atomic<bool> thrown(false), inside(false);
        Engine e(g, Sequence{ Copy(in, a), Call(f, { a }, {}) },
                 { { "streamCallbacks.multiThreadMode", mode },
                   { "streamCallbacks.numWorkerThreads", "1" },
                   { "exchange.streamBufferOverlap", "none" } });
        e.connectStreamToCallback("in", std::unique_ptr<StreamCallback>(new LatePrefetch(thrown, inside)));
        e.connectHostFunction("f", 0, std::unique_ptr<HostCallback>(new Throws(thrown)));
        e.load(d);
        std::string what;
        try {
            e.run();
        } catch (const std::runtime_error &error) {
            what = error.what();
        }
        EXPECT(!inside && thrown && what == "a host function");
        e.run();
        int got = -1;
        e.readTensor("a", &got, &got + 1);
        EXPECT(got == 1 && !inside);
    }
}

int main()
{
    callbacks_that_throw();
    the_run_itself_throws();
    host_functions_that_throw();
    const_queries();
    graphs_of_their_own();
    views_that_last();
    return failures;
}
