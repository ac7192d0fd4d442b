// SPDX-License-Identifier: MIT
/* The bridge to calls of C (tilewright/poplibs/handles.hpp). */
#include "core.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <poputil/exceptions.hpp>
#include <sstream>

namespace poplar {
namespace handles {

/* A program that is finished already. */
struct Finished : core::Step {
    tw_program program;
    std::string call;
    Finished(tw_program p, std::string c) : program(p), call(std::move(c)) {}
    tw_program lower(core::Lowering &) const override { return program; }
    void print(std::ostream &out, unsigned indent, core::GraphHolder &graph) const override
    {
        out << std::string(2 * indent, ' ') << call << (name.empty() ? "" : " '" + name + "'") << '\n';
        struct Text {
            char *bytes = nullptr;
            ~Text() { std::free(bytes); }
        } text; /* which the file's end makes */
        std::size_t size = 0;
        FILE *file = open_memstream(&text.bytes, &size);
        if (!file) return; /* no memory: the call's name has to do */
        std::unique_ptr<FILE, int (*)(FILE *)> open(file, std::fclose);
        graph.call("dumpProgram", [&](tw_graph *g) { tw_program_print_steps(g, program, file); });
        open.reset();
        if (!text.bytes) return;
        std::istringstream lines(text.bytes);
        for (std::string line; std::getline(lines, line);) out << std::string(2 * indent + 2, ' ') << line << '\n';
    }
};

struct Program : program::Program {
    explicit Program(std::shared_ptr<core::Step> s) : program::Program(std::move(s)) {}
};

tw_graph *of(const Graph &graph)
{
    return graph.get().graph;
}
tw_tensor of(const Tensor &tensor)
{
    return tensor.get().handle();
}
tw_type of(const Type &type)
{
    return core::deviceType(type, "Type");
}
std::vector<tw_tensor> of(const std::vector<Tensor> &tensors)
{
    std::vector<tw_tensor> list;
    for (const Tensor &t : tensors) list.push_back(of(t));
    return list;
}
tw_program of(Graph &graph, const program::Program &program)
{
    core::Lowering lowering(graph.get());
    return lowering.lower(program);
}

void call(const Graph &graph, const char *name, const std::function<void(tw_graph *)> &f)
{
    graph.get().call(name, f);
}

std::string describe(const Tensor &tensor)
{
    const std::vector<VariableInterval> regions = tensor.getVarRegions();
    std::string text = tensor.elementType().toString() + tensor.shapeToString();
    if (regions.empty()) return text;
    const std::string name = tensor.get().graph->call("Tensor", [&](tw_graph *g) {
        const char *of = tw_graph_variable_name(g, regions.front().var.id);
        return std::string(of ? of : "");
    });
    return name.empty() ? text : "'" + name + "' " + text;
}

void wantWriteable(const char *call, const Tensor &out)
{
    if (!out.isParallelWriteable())
        throw poputil::poplibs_error(std::string(call) + ": " + describe(out) +
                                     " cannot be written: it has constants, or elements twice");
}

void wantMapped(const char *name, const Graph &graph, const Tensor &tensor)
{
    bool mapped = false;
    call(graph, name, [&](tw_graph *g) { mapped = tw_graph_mapping_complete(g, of(tensor)); });
    if (!mapped)
        throw poputil::poplibs_error(std::string(name) + ": " + describe(tensor) +
                                     " has elements that are on no tile");
}

void wantOutput(const char *call, const Tensor &out, const Type &type, const std::vector<std::size_t> &shape)
{
    std::ostringstream wanted;
    for (std::size_t n : shape) wanted << (wanted.tellp() > 0 ? "," : "") << n;
    if (out.elementType() != type || out.shape() != shape)
        throw poputil::poplibs_error(std::string(call) + ": the output is " + type.toString() + "{" + wanted.str() +
                                     "}, not " + describe(out));
    wantWriteable(call, out);
}

static Tensor wrap(Graph &graph, const char *name, tw_tensor made)
{
    tw_type type = graph.get().call(name, [&](tw_graph *g) { return tw_tensor_type(g, made); });
    return core::makeTensor(graph.share(), made, core::hostType(type));
}

Tensor make(Graph &graph, const char *name, const std::function<tw_tensor(tw_graph *)> &f)
{
    return wrap(graph, name, graph.get().call(name, f));
}

/* Takes an empty sequence away where what should have filled it throws. */
struct Unfilled {
    Graph &graph;
    tw_program sequence = { 0 };
    explicit Unfilled(Graph &g) : graph(g) {}
    Unfilled(const Unfilled &) = delete;
    ~Unfilled()
    {
        core::GraphLock guard(graph.get().graph);
        if (sequence.id) tw_program_sequence_undo(graph.get().graph, sequence);
    }
};

/* Whatever was made of the sequence before an error is dropped with it: it is no part of the program. */
static tw_tensor handlesFill(Graph &graph, program::Sequence &prog, const DebugContext &dc,
                             const OptionFlags &flags, const char *name,
                             const std::function<tw_tensor(const Call &)> &f)
{
    const OptionList options(flags);
    const std::string path = dc.getPathName();
    Unfilled made(graph);
    tw_tensor result = graph.get().call(name, [&](tw_graph *g) {
        made.sequence = tw_program_sequence(g, path.empty() ? nullptr : path.c_str());
        return f(Call{ g, made.sequence, path.c_str(), options.data() });
    });
    auto step = std::make_shared<Finished>(made.sequence, name);
    step->name = path;
    prog.add(Program(step));
    made.sequence = { 0 };
    return result;
}

Tensor step(Graph &graph, program::Sequence &prog, const DebugContext &dc, const OptionFlags &options,
            const char *name, const std::function<tw_tensor(const Call &)> &f)
{
    return wrap(graph, name, handlesFill(graph, prog, dc, options, name, f));
}

std::pair<Tensor, Tensor> stepPair(Graph &graph, program::Sequence &prog, const DebugContext &dc,
                                   const OptionFlags &options, const char *name,
                                   const std::function<std::pair<tw_tensor, tw_tensor>(const Call &)> &f)
{
    std::pair<tw_tensor, tw_tensor> made;
    handlesFill(graph, prog, dc, options, name, [&](const Call &c) {
        made = f(c);
        return made.first;
    });
    Tensor first = wrap(graph, name, made.first);
    return { first, wrap(graph, name, made.second) };
}

void stepInPlace(Graph &graph, program::Sequence &prog, const DebugContext &dc, const OptionFlags &options,
                 const char *name, const std::function<void(const Call &)> &f)
{
    handlesFill(graph, prog, dc, options, name, [&](const Call &c) {
        f(c);
        return tw_tensor{ 0, 0 };
    });
}

} // namespace handles
} // namespace poplar
