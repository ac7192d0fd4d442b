// SPDX-License-Identifier: MIT
/* The bridge between the classes of <poplar/...> and calls of C: what the libraries' headers for C++ are made of,
 * and what a program needs that mixes both.
 *
 *     Tensor y = handles::step(graph, prog, dc, {}, "popops::abs", [&](const handles::Call &c) {
 *         return tw_popops_map(c.graph, "abs(_1)", 1, &x, c.sequence, c.path, c.options); });
 *
 * Threads: each call holds the graph's lock, and errors are taken before it is given back. */
#ifndef TILEWRIGHT_POPLIBS_HANDLES_HPP
#define TILEWRIGHT_POPLIBS_HANDLES_HPP

#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <utility>
#include <vector>
#ifndef TW_NO_CALL_SITES /* lines of this header would not help anybody */
#define TW_NO_CALL_SITES
#endif
#include <tilewright/poplar/graph.h>

namespace poplar {
namespace handles {

tw_graph *of(const Graph &graph);
tw_tensor of(const Tensor &tensor); /* borrowed: lives as long as the view */
tw_type of(const Type &type);
std::vector<tw_tensor> of(const std::vector<Tensor> &tensors);
tw_program of(Graph &graph, const program::Program &program); /* as it is now: what is added later is not in it */

/* f(graph) under the lock; what went wrong in it is thrown, with the name of the C++ call in front. */
void call(const Graph &graph, const char *name, const std::function<void(tw_graph *)> &f);
/* The same for what makes a tensor; its handle belongs to the result, so it has to be a new one. */
Tensor make(Graph &graph, const char *name, const std::function<tw_tensor(tw_graph *)> &f);

/* For messages: "'x' float{2,3}", of a tensor with a name. */
std::string describe(const Tensor &tensor);
/* Before a call builds what is copied to `out` in the end: poplibs_error for constants, and elements that are there
 * twice; the second also for another type or shape. */
void wantWriteable(const char *call, const Tensor &out);
void wantOutput(const char *call, const Tensor &out, const Type &type, const std::vector<std::size_t> &shape);
/* The same of a tensor with elements that are on no tile. */
void wantMapped(const char *call, const Graph &graph, const Tensor &tensor);
/* Of FP8: whether elements beside these have the same metadata, in the graph as it is now. */
bool sharesMetadata(const Graph &graph, const Tensor &tensor);

/* Options as calls of C take them: "name=value" strings, NULL ends. */
class OptionList {
    std::vector<std::string> texts;
    std::vector<const char *> list;

  public:
    explicit OptionList(const OptionFlags &options)
    {
        for (const auto &o : options) texts.push_back(o.first + "=" + o.second);
        for (const std::string &t : texts) list.push_back(t.c_str());
        list.push_back(nullptr);
    }
    OptionList(const OptionList &) = delete;
    OptionList &operator=(const OptionList &) = delete;
    const char *const *data() const { return list.data(); }
};

struct Call {
    tw_graph *graph;
    tw_program sequence;        /* to be filled: it becomes one step of the program */
    const char *path;           /* of the debug context */
    const char *const *options; /* "name=value", NULL ends */
};
/* The same for what appends to a program. */
Tensor step(Graph &graph, program::Sequence &prog, const DebugContext &dc, const OptionFlags &options,
            const char *name, const std::function<tw_tensor(const Call &)> &f);
/* The same for what makes two: both handles are new ones. */
std::pair<Tensor, Tensor> stepPair(Graph &graph, program::Sequence &prog, const DebugContext &dc,
                                   const OptionFlags &options, const char *name,
                                   const std::function<std::pair<tw_tensor, tw_tensor>(const Call &)> &f);
void stepInPlace(Graph &graph, program::Sequence &prog, const DebugContext &dc, const OptionFlags &options,
                 const char *name, const std::function<void(const Call &)> &f);

} // namespace handles
} // namespace poplar
#endif
