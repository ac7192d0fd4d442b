// SPDX-License-Identifier: MIT
/* cxx, private side: what the classes of <poplar/...> hold of the C API, and how its errors become exceptions. */
#ifndef TW_POPLAR_CXX_CORE_HPP
#define TW_POPLAR_CXX_CORE_HPP

#define TW_NO_CALL_SITES
#include <tilewright/poplar.h>
#include <tilewright/poplar/popc.h>

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <string>
#include <sys/single_threaded.h>
#include <tilewright/poplibs/handles.hpp>
#include <unordered_map>
#include <vector>

namespace poplar {
namespace core {

/* Throws the exception of tw_status_exception(status): "Graph::connect: message". */
[[noreturn]] void raise(tw_status status, const std::string &call, const std::string &message);
/* The same with the message of the last failure in this thread, when status is no success. */
void check(tw_status status, const char *call);

tw_type deviceType(const Type &type, const char *call); /* type_error for the invalid type */
Type hostType(tw_type type);

/* Number i of a list of host type `traits`, and a number as an integer that wraps round. */
long double numberAt(const void *values, std::size_t i, const TypeTraits &traits);
std::uint64_t wrapped(long double v);

/* Elements of host type `traits` as elements of `type` in host format (half: 2 bytes): what C calls take. */
std::vector<unsigned char> convert(const Type &type, std::size_t count, const void *values,
                                   const TypeTraits &traits, const char *call);

/* Host access to the metadata of the QUARTER tensor that `handle` stands for. */
inline std::string metadataHandle(const StringRef &handle)
{
    return handle.cloneAsString() + "/metadata";
}

/* Holds a graph's lock. The C handle tables are not made for threads, const queries of C++ are. While the process has
 * one thread there is nobody to keep out, and a graph of a million vertices takes the lock nine million times. */
struct GraphLock {
    explicit GraphLock(const tw_graph *g) : graph(__libc_single_threaded ? nullptr : g)
    {
        if (graph) tw_graph_lock(graph);
    }
    ~GraphLock()
    {
        if (graph) tw_graph_unlock(graph);
    }
    GraphLock(const GraphLock &) = delete;
    const tw_graph *graph; /* nullptr: not locked */
};

/* What tells metadata of quarters apart: variable and offset of the element; of a constant its value. */
using MetadataKey = std::pair<unsigned, std::size_t>; /* ~0u, value: a constant */
/* Of a list that is connected row by row, by vertex and field. */
using RowMetadataMap = std::map<std::pair<unsigned, std::string>, MetadataKey>;

/* A graph, virtual or not. */
struct GraphHolder {
    GraphHolder(tw_graph *g, Target t) : graph(g), target(std::move(t)) {}
    ~GraphHolder() { tw_graph_free(graph); }
    GraphHolder(const GraphHolder &) = delete;

    /* f(graph) under the lock; what failed in it is thrown, named `name`. */
    template <class F> auto call(const char *name, F f) -> decltype(f(std::declval<tw_graph *>()))
    {
        GraphLock guard(graph);
        Checker checker = { this, name };
        return checker.passed(f);
    }

    tw_graph *graph;
    Target target;
    /* of QUARTER variables, one for all views of a graph: quarters.cpp */
    std::shared_ptr<std::unordered_map<unsigned, tw_tensor>> metadata =
        std::make_shared<std::unordered_map<unsigned, tw_tensor>>();
    std::shared_ptr<RowMetadataMap> rows = std::make_shared<RowMetadataMap>(); /* one for all views of a graph */
    tw_tensor seeds = { 0, 0 }, behaviour = { 0, 0 }; /* registers.cpp; nil until asked for */

  private:
    struct Checker {
        GraphHolder *holder;
        const char *name;
        template <class F>
        auto passed(F &f) -> typename std::enable_if<!std::is_void<decltype(f(holder->graph))>::value,
                                                     decltype(f(holder->graph))>::type
        {
            auto result = f(holder->graph);
            holder->checkError(name);
            return result;
        }
        template <class F>
        auto passed(F &f) -> typename std::enable_if<std::is_void<decltype(f(holder->graph))>::value>::type
        {
            f(holder->graph);
            holder->checkError(name);
        }
    };
    void checkError(const char *name);
};

struct Beyond;
struct View {
    View(std::shared_ptr<GraphHolder> g, tw_tensor t, Type e) : graph(std::move(g)), id(t), type(e) {}
    ~View();
    View(const View &) = delete;
    tw_tensor handle() const /* what calls of C take; index_error for a view past the end */
    {
        if (!id.id) refuse();
        return id;
    }
    const Beyond *beyond() const; /* what a view past the end is, else NULL */
    std::shared_ptr<GraphHolder> graph;
    tw_tensor id;
    Type type;

  private:
    [[noreturn]] void refuse() const;
};
/* What Tensor::slices makes of intervals past the end. PopLibs makes such views of scalars, asks how many elements
 * they have and does without them, so the mistake is one of whoever uses the view. */
struct Beyond : View {
    Beyond(const View &of, std::size_t n, std::string text)
        : View(of.graph, tw_tensor{ 0, 0 }, of.type), count(n), message(std::move(text))
    {
    }
    std::size_t count;
    std::string message;
};

Tensor makeTensor(const std::shared_ptr<GraphHolder> &graph, tw_tensor handle, Type type);
/* quarters.cpp: of a tensor of one element. */
MetadataKey metadataKey(GraphHolder &graph, const tw_tensor &metadata);

/* What lowers programs to those of a graph; a step that occurs several times is lowered once. */
struct Lowering {
    explicit Lowering(GraphHolder &h) : holder(h) {}
    GraphHolder &holder;
    std::unordered_map<const Step *, tw_program> done;
    tw_program lower(const program::Program &p);
    tw_program lower(const Step *step);
};

/* A node of a control program. */
struct Step {
    std::string name; /* path of the debug context */
    virtual ~Step() = default;
    virtual tw_program lower(Lowering &to) const = 0;
    virtual void print(std::ostream &out, unsigned indent,
                       GraphHolder &graph) const = 0; /* names are the graph's */
    virtual bool isEmpty() const { return false; }
};

/* The clock into two words; or, with `since`, the cycles that have passed since they were written so. */
program::Program clockProgram(const Tensor &words, bool since, const DebugContext &dc);

/* What a callback of this thread has thrown while C code called it; null when nothing. */
std::exception_ptr &thrownByCallback();

/* A compiled engine, and what it was made of. */
struct Compiled {
    ~Compiled();
    std::shared_ptr<GraphHolder> graph; /* keeps the target alive */
    tw_engine *engine = nullptr;
    OptionFlags options;
    FILE *print_stream = nullptr;
    bool threads = false; /* the engine has threads for callbacks */
    std::mutex lock;
    std::exception_ptr thrown; /* the first, by a callback of a run with such threads */
};

/* What an executable's bytes hold; `options` on top of those in it. */
std::shared_ptr<Compiled> compiledFrom(std::istream &in, const OptionFlags &options, const char *call);

using ProfilePrinter = tw_status (*)(const tw_profile *, FILE *, const tw_profile_options *);
void printProfile(const tw_profile *profile, std::ostream &out, const OptionFlags &flags, ProfilePrinter printer,
                  const char *call);

/* A C stream that writes to a C++ one. NULL when there is no memory. */
FILE *streamTo(std::ostream &out);

} // namespace core
} // namespace poplar
#endif
