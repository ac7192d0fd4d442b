// SPDX-License-Identifier: MIT
/* Control programs: trees of steps, lowered to the C API when an engine or a function is made. */
#include "core.hpp"

namespace poplar {

using core::Lowering;
using core::Step;

namespace core {

tw_program Lowering::lower(const Step *step)
{
    if (!step) {
        return holder.call("Program", [](tw_graph *g) { return tw_program_sequence(g, nullptr); });
    }
    auto found = done.find(step);
    if (found != done.end()) return found->second;
    tw_program p = step->lower(*this);
    if (!step->name.empty())
        holder.call("Program", [&](tw_graph *g) { tw_program_name(g, p, step->name.c_str()); });
    done.emplace(step, p);
    return p;
}

tw_program Lowering::lower(const program::Program &p)
{
    return lower(p.get());
}

} // namespace core

static void printChild(std::ostream &out, const program::Program &p, unsigned indent, core::GraphHolder &graph)
{
    if (p.get())
        p.get()->print(out, indent, graph);
    else
        out << std::string(2 * indent, ' ') << "Sequence {}\n";
}

/* Programs have no graph of their own: what is done to a tensor of replicas, all do, also where the program is
 * one of the parent graph. */
static tw_graph *meant(tw_graph *g, const Tensor &t)
{
    tw_graph *own = t.get().graph->graph;
    bool parent = tw_graph_replication_factor(g) == 1 && tw_graph_replication_factor(own) > 1 &&
                  tw_graph_top_level(own) == tw_graph_top_level(g);
    return parent ? own : g;
}

/* One kind of step without children: what makes it, and its name in dumps. */
struct Leaf : Step {
    using Make = std::function<tw_program(tw_graph *)>;
    std::string call, what;
    Make make;
    Leaf(std::string c, std::string w, Make m) : call(std::move(c)), what(std::move(w)), make(std::move(m)) {}
    tw_program lower(Lowering &to) const override { return to.holder.call(call.c_str(), make); }
    void print(std::ostream &out, unsigned indent, core::GraphHolder &) const override
    {
        out << std::string(2 * indent, ' ') << call << ' ' << what << (name.empty() ? "" : " '" + name + "'")
            << '\n';
    }
};

/* Execution of a compute set; names are the graph's. */
struct ExecuteStep : Step {
    ComputeSet cs;
    Tensor result; /* may be invalid */
    tw_program lower(Lowering &to) const override
    {
        return to.holder.call("Execute", [this](tw_graph *g) {
            return result.valid()
                       ? tw_program_execute_all_true(meant(g, result), { cs.getId() }, result.get().handle())
                       : tw_program_execute(g, { cs.getId() });
        });
    }
    void print(std::ostream &out, unsigned indent, core::GraphHolder &graph) const override
    {
        std::string known =
            graph.call("dumpProgram", [this](tw_graph *g) { return tw_graph_compute_set_name(g, { cs.getId() }); });
        out << std::string(2 * indent, ' ') << "Execute compute set " << cs.getId();
        if (!known.empty()) out << " '" << known << "'";
        if (result.valid()) out << " -> " << result;
        out << (name.empty() ? "" : " as '" + name + "'") << '\n';
    }
};

/* A step with bodies, and what joins them. */
struct Branch : Step {
    using Make = std::function<tw_program(tw_graph *, const std::vector<tw_program> &)>;
    std::string call, what;
    std::vector<program::Program> bodies;
    Make make;
    Branch(std::string c, std::string w, std::vector<program::Program> b, Make m)
        : call(std::move(c)), what(std::move(w)), bodies(std::move(b)), make(std::move(m))
    {
    }
    tw_program lower(Lowering &to) const override
    {
        std::vector<tw_program> lowered;
        for (const program::Program &b : bodies) lowered.push_back(to.lower(b));
        return to.holder.call(call.c_str(), [&](tw_graph *g) { return make(g, lowered); });
    }
    void print(std::ostream &out, unsigned indent, core::GraphHolder &graph) const override
    {
        out << std::string(2 * indent, ' ') << call << ' ' << what << (name.empty() ? "" : " '" + name + "'")
            << " {\n";
        for (const program::Program &b : bodies) printChild(out, b, indent + 1, graph);
        out << std::string(2 * indent, ' ') << "}\n";
    }
};

struct SequenceStep : Step {
    std::vector<program::Program> steps;
    tw_program lower(Lowering &to) const override
    {
        std::vector<tw_program> lowered;
        for (const program::Program &s : steps)
            if (!s.isEmpty()) lowered.push_back(to.lower(s));
        return to.holder.call("Sequence", [&](tw_graph *g) {
            return tw_program_sequence_of(g, static_cast<unsigned>(lowered.size()), lowered.data());
        });
    }
    void print(std::ostream &out, unsigned indent, core::GraphHolder &graph) const override
    {
        out << std::string(2 * indent, ' ') << "Sequence" << (name.empty() ? "" : " '" + name + "'") << " {\n";
        for (const program::Program &s : steps) printChild(out, s, indent + 1, graph);
        out << std::string(2 * indent, ' ') << "}\n";
    }
    bool isEmpty() const override
    {
        for (const program::Program &s : steps)
            if (!s.isEmpty()) return false;
        return true;
    }
};

struct SwitchStep : Step {
    Tensor control;
    std::vector<std::pair<std::int32_t, program::Program>> cases;
    program::Program otherwise;
    bool checked = false; /* a value without a case stops the run */
    tw_program lower(Lowering &to) const override
    {
        tw_tensor t = control.get().handle();
        tw_program body = checked ? tw_program() : to.lower(otherwise);
        tw_program p = to.holder.call("Switch", [&](tw_graph *graph) {
            tw_graph *g = meant(graph, control);
            return checked ? tw_program_switch_with_bounds_checking(g, t) : tw_program_switch(g, t, body);
        });
        for (const auto &c : cases) {
            tw_program lowered = to.lower(c.second);
            to.holder.call("Switch::add", [&](tw_graph *g) { tw_program_switch_add(g, p, c.first, lowered); });
        }
        return p;
    }
    void print(std::ostream &out, unsigned indent, core::GraphHolder &graph) const override
    {
        std::string in(2 * indent, ' ');
        out << in << "Switch " << control << " {\n";
        for (const auto &c : cases) {
            out << in << "case " << c.first << ":\n";
            printChild(out, c.second, indent + 1, graph);
        }
        out << in << "default:\n";
        printChild(out, otherwise, indent + 1, graph);
        out << in << "}\n";
    }
};

void dumpProgram(const Graph &graph, const program::Program &program, std::ostream &out)
{
    printChild(out, program, 0, graph.get());
}

namespace program {

Program::Program() {}

bool Program::isEmpty() const
{
    return !step || step->isEmpty();
}

bool operator==(const Program &a, const Program &b)
{
    return a.get() == b.get() || (a.isEmpty() && b.isEmpty());
}

static std::shared_ptr<Step> named(std::shared_ptr<Step> s, const DebugContext &dc)
{
    s->name = dc.getPathName();
    return s;
}
static std::shared_ptr<Step> leaf(const char *call, std::string what, const DebugContext &dc, Leaf::Make make)
{
    return named(std::make_shared<Leaf>(call, std::move(what), std::move(make)), dc);
}
static std::shared_ptr<Step> branch(const char *call, std::string what, std::vector<Program> bodies,
                                    const DebugContext &dc, Branch::Make make)
{
    return named(std::make_shared<Branch>(call, std::move(what), std::move(bodies), std::move(make)), dc);
}
/* What a step says of a tensor in dumps. One that is not valid is refused here, where the program is written. */
static std::string programs_text(const Tensor &t)
{
    t.get();
    return t.getDebugStr();
}

Block::Block(const Program &body, const DebugContext &dc)
    : Program(branch("Block", "", { body }, dc,
                     [](tw_graph *g, const std::vector<tw_program> &b) { return tw_program_block(g, b[0], ""); }))
{
}

/* --- Sequence --- */

Sequence::Sequence(const DebugContext &dc) : Program(named(std::make_shared<SequenceStep>(), dc)) {}

Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext &dc) : Sequence(dc)
{
    for (const Program &p : programs) add(p);
}
Sequence::Sequence(const std::vector<Program> &programs, const DebugContext &dc) : Sequence(dc)
{
    for (const Program &p : programs) add(p);
}
Sequence::Sequence(const Program &first) : Sequence({ first }, DebugContext()) {}
Sequence::Sequence(const Program &first, const Program &second) : Sequence({ first, second }, DebugContext()) {}

void Sequence::add(const Program &program)
{
    Program kept = program; /* it may be this one */
    if (!step) step = std::make_shared<SequenceStep>();
    if (step.use_count() > 1) step = std::make_shared<SequenceStep>(static_cast<const SequenceStep &>(*step));
    static_cast<SequenceStep &>(*step).steps.push_back(std::move(kept));
}

/* --- leaves --- */

static std::shared_ptr<Step> execution(ComputeSet cs, Tensor result, const DebugContext &dc)
{
    auto s = std::make_shared<ExecuteStep>();
    s->cs = cs, s->result = std::move(result);
    return named(s, dc);
}
Execute::Execute(ComputeSet cs, const DebugContext &dc) : Program(execution(cs, Tensor(), dc)) {}
Execute::Execute(ComputeSet cs, Tensor result, const DebugContext &dc)
    : Program(execution(cs, std::move(result), dc))
{
}

static std::string between(const std::string &a, const std::string &b)
{
    return a + " -> " + b;
}

/* A copy that cannot be is refused here, where it is written. */
static Tensor fitting(const Tensor &src, const Tensor &dst)
{
    if (src.elementType() != dst.elementType())
        core::raise(TW_E_TYPE, "Copy", src.elementType().toString() + " to " + dst.elementType().toString());
    if (src.numElements() != dst.numElements())
        core::raise(TW_E_CONTROL_PROGRAM, "Copy",
                    std::to_string(src.numElements()) + " elements of shape " + src.shapeToString() + " to " +
                        std::to_string(dst.numElements()) + " of shape " + dst.shapeToString());
    return src;
}

Copy::Copy(Tensor src, Tensor dst, bool, const DebugContext &dc)
    : Program(
          leaf("Copy", between(programs_text(fitting(src, dst)), programs_text(dst)), dc, [src, dst](tw_graph *g) {
              tw_tensor from = tw_tensor_flatten(g, src.get().handle()),
                        to = tw_tensor_flatten(g, dst.get().handle());
              return tw_program_copy(meant(g, dst), from, to);
          }))
{
}
Copy::Copy(const DataStream &s, Tensor dst, bool, const DebugContext &dc)
    : Program(leaf("Copy", between("stream '" + s.handle() + "'", programs_text(dst)), dc, [s, dst](tw_graph *g) {
          return tw_program_copy_from_stream(meant(g, dst), { s.getId() }, dst.get().handle());
      }))
{
}
Copy::Copy(Tensor src, const DataStream &s, bool, const DebugContext &dc)
    : Program(leaf("Copy", between(programs_text(src), "stream '" + s.handle() + "'"), dc, [s, src](tw_graph *g) {
          return tw_program_copy_to_stream(meant(g, src), src.get().handle(), { s.getId() });
      }))
{
}
static tw_tensor orNone(const Tensor &t)
{
    return t.valid() ? t.get().handle() : tw_tensor();
}
Copy::Copy(const RemoteBuffer &b, Tensor dst, Tensor offset, const DebugContext &dc)
    : Program(leaf("Copy", between("remote buffer '" + b.handle() + "'", programs_text(dst)), dc, [=](tw_graph *g) {
          return tw_program_copy_from_remote(meant(g, dst), { b.getId() }, dst.get().handle(), orNone(offset));
      }))
{
}
Copy::Copy(const RemoteBuffer &b, Tensor dst, const DebugContext &dc) : Copy(b, std::move(dst), Tensor(), dc) {}
Copy::Copy(Tensor src, const RemoteBuffer &b, Tensor offset, const DebugContext &dc)
    : Program(leaf("Copy", between(programs_text(src), "remote buffer '" + b.handle() + "'"), dc, [=](tw_graph *g) {
          return tw_program_copy_to_remote(meant(g, src), src.get().handle(), { b.getId() }, orNone(offset));
      }))
{
}
Copy::Copy(Tensor src, const RemoteBuffer &b, const DebugContext &dc) : Copy(std::move(src), b, Tensor(), dc) {}

CrossReplicaCopy::CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> to, const DebugContext &dc)
    : Program(leaf("CrossReplicaCopy", between(programs_text(src), programs_text(dst)), dc, [=](tw_graph *graph) {
          tw_graph *g = meant(graph, src);
          std::vector<unsigned> list(tw_graph_replication_factor(g), TW_UNMAPPED);
          for (const auto &pair : to)
              if (pair.first < list.size()) list[pair.first] = pair.second;
          return tw_program_cross_replica_copy(g, src.get().handle(), dst.get().handle(), list.data());
      }))
{
}
WriteUndef::WriteUndef(Tensor t, const DebugContext &dc)
    : Program(leaf("WriteUndef", programs_text(t), dc,
                   [t](tw_graph *g) { return tw_program_write_undef(meant(g, t), t.get().handle()); }))
{
}
Call::Call(Function f, const DebugContext &dc)
    : Program(leaf("Call", "function " + std::to_string(f.getId()), dc,
                   [f](tw_graph *g) { return tw_program_call(g, { f.getId() }); }))
{
}
Copy::Copy(const FunctionBuffer &b, const Function &f, const DebugContext &dc)
    : Program(leaf("Copy",
                   between("function buffer " + std::to_string(b.getId()), "function " + std::to_string(f.getId())),
                   dc, [b, f](tw_graph *g) { return tw_program_copy_function(g, { b.getId() }, { f.getId() }); }))
{
}
static std::string programs_list(ArrayRef<Tensor> tensors)
{
    std::string all;
    for (const Tensor &t : tensors) all += (all.empty() ? "" : ", ") + programs_text(t);
    return "{" + all + "}";
}
Call::Call(HostFunction f, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs, const DebugContext &dc) : Program()
{
    std::vector<Tensor> in = inputs.cloneAsVector(), out = outputs.cloneAsVector();
    step = leaf("Call",
                "host function " + std::to_string(f.getId()) + " " + between(programs_list(in), programs_list(out)),
                dc, [f, in, out](tw_graph *graph) {
                    tw_graph *g = in.empty() && out.empty() ? graph : meant(graph, in.empty() ? out[0] : in[0]);
                    std::vector<tw_tensor> handles;
                    for (const Tensor &t : in) handles.push_back(t.get().handle());
                    for (const Tensor &t : out) handles.push_back(t.get().handle());
                    return tw_program_call_host(g, { f.getId() }, static_cast<unsigned>(in.size()), handles.data(),
                                                static_cast<unsigned>(out.size()), handles.data() + in.size());
                });
}
Sync::Sync(SyncType type, const DebugContext &dc)
    : Program(
          leaf("Sync", "", dc, [type](tw_graph *g) { return tw_program_sync(g, static_cast<tw_sync_type>(type)); }))
{
}
Abort::Abort(const std::string &message, const DebugContext &dc)
    : Program(leaf("Abort", message, dc, [message](tw_graph *g) { return tw_program_abort(g, message.c_str()); }))
{
}
Abort::Abort(const DebugContext &dc) : Abort(std::string(), dc) {}
AbortOnCondition::AbortOnCondition(Tensor t, const std::string &message, const DebugContext &dc)
    : Program(leaf("AbortOnCondition", programs_text(t), dc, [t, message](tw_graph *g) {
          return tw_program_abort_on_condition(meant(g, t), t.get().handle(), message.c_str());
      }))
{
}
AbortOnCondition::AbortOnCondition(Tensor t, const DebugContext &dc) : AbortOnCondition(std::move(t), "", dc) {}
ErrorProgram::ErrorProgram(StringRef m, Tensor t, const DebugContext &dc) : Program()
{
    std::string message = m;
    step = leaf("ErrorProgram", programs_text(t), dc, [t, message](tw_graph *g) {
        return tw_program_error(meant(g, t), message.c_str(), t.get().handle());
    });
}
AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(Tensor t, const DebugContext &dc)
    : Program(leaf("AssumeEqualAcrossReplicas", programs_text(t), dc, [t](tw_graph *g) {
          return tw_program_assume_equal_across_replicas(meant(g, t), t.get().handle());
      }))
{
}

PrintTensor::PrintTensor(StringRef title, Tensor t, const PrintTensorFmt &f, const DebugContext &dc) : Program()
{
    std::string head = title;
    tw_print_format format = tw_print_format();
    format.summarise_threshold = f.summariseThreshold, format.edge_items = f.edgeItems;
    format.max_line_width = f.maxLineWidth, format.digits = f.digits;
    switch (f.floatFormat) {
    case PrintTensorFmt::FloatFormat::Auto: format.float_format = tw_print_format::TW_PRINT_AUTO; break;
    case PrintTensorFmt::FloatFormat::Fixed: format.float_format = tw_print_format::TW_PRINT_FIXED; break;
    case PrintTensorFmt::FloatFormat::Scientific: format.float_format = tw_print_format::TW_PRINT_SCIENTIFIC; break;
    case PrintTensorFmt::FloatFormat::None: format.float_format = tw_print_format::TW_PRINT_NONE; break;
    }
    format.separator = f.separator, format.open_bracket = f.openBracket, format.close_bracket = f.closeBracket;
    step = leaf("PrintTensor", programs_text(t), dc, [head, t, format](tw_graph *g) {
        return tw_program_print_tensor(meant(g, t), head.c_str(), t.get().handle(), &format);
    });
}
PrintTensor::PrintTensor(StringRef title, Tensor t, const DebugContext &dc)
    : PrintTensor(title, std::move(t), PrintTensorFmt(), dc)
{
}
PrintTensor::PrintTensor(Tensor t, const PrintTensorFmt &f, const DebugContext &dc)
    : PrintTensor(dc.getPathName(), std::move(t), f, dc)
{
}
PrintTensor::PrintTensor(Tensor t, const DebugContext &dc) : PrintTensor(std::move(t), PrintTensorFmt(), dc) {}

/* Programs that <poplar/CycleCount.hpp> adds. */
struct Clock : Program {
    Clock(const Tensor &words, bool since, const DebugContext &dc)
        : Program(
              leaf(since ? "CyclesSince" : "CycleStamp", programs_text(words), dc, [words, since](tw_graph *graph) {
                  tw_graph *g = meant(graph, words);
                  tw_tensor handle = words.get().handle();
                  return since ? tw_program_cycles_since(g, handle) : tw_program_cycle_stamp(g, handle);
              }))
    {
    }
};

/* --- branches --- */

Repeat::Repeat(unsigned count, const Program &body, const DebugContext &dc)
    : Program(branch(
          "Repeat", std::to_string(count) + " times", { body }, dc,
          [count](tw_graph *g, const std::vector<tw_program> &b) { return tw_program_repeat(g, count, b[0]); }))
{
}
RepeatWhileTrue::RepeatWhileTrue(const Program &cond, Tensor t, const Program &body, const DebugContext &dc)
    : Program(branch("RepeatWhileTrue", programs_text(t), { cond, body }, dc,
                     [t](tw_graph *g, const std::vector<tw_program> &b) {
                         return tw_program_repeat_while_true(meant(g, t), b[0], t.get().handle(), b[1]);
                     }))
{
}
RepeatWhileFalse::RepeatWhileFalse(const Program &cond, Tensor t, const Program &body, const DebugContext &dc)
    : Program(branch("RepeatWhileFalse", programs_text(t), { cond, body }, dc,
                     [t](tw_graph *g, const std::vector<tw_program> &b) {
                         return tw_program_repeat_while_false(meant(g, t), b[0], t.get().handle(), b[1]);
                     }))
{
}
If::If(Tensor t, const Program &thenBody, const Program &elseBody, const DebugContext &dc)
    : Program(branch("If", programs_text(t), { thenBody, elseBody }, dc,
                     [t](tw_graph *g, const std::vector<tw_program> &b) {
                         return tw_program_if(meant(g, t), t.get().handle(), b[0], b[1]);
                     }))
{
}

/* --- Switch --- */

Switch::Switch(Tensor control, const Cases &cases, const Program &otherwise, const DebugContext &dc) : Program()
{
    control.get();
    auto s = std::make_shared<SwitchStep>();
    s->control = std::move(control), s->cases = cases, s->otherwise = otherwise;
    step = named(s, dc);
}
Switch::Switch(Tensor c, const Cases &cases, const DebugContext &dc) : Switch(std::move(c), cases, Program(), dc) {}
Switch::Switch(Tensor c, const DebugContext &dc) : Switch(std::move(c), Cases(), Program(), dc) {}
Switch::Switch(Tensor c, const Program &otherwise, const DebugContext &dc)
    : Switch(std::move(c), Cases(), otherwise, dc)
{
}
Switch &Switch::add(std::int32_t value, const Program &body)
{
    Program kept = body;
    if (step.use_count() > 1) step = std::make_shared<SwitchStep>(static_cast<const SwitchStep &>(*step));
    static_cast<SwitchStep &>(*step).cases.emplace_back(value, kept);
    return *this;
}
Switch Switch::switchWithBoundsChecking(Tensor c, const Cases &cases, const DebugContext &dc)
{
    Switch s(std::move(c), cases, dc);
    static_cast<SwitchStep &>(*s.step).checked = true;
    return s;
}
Switch Switch::switchWithBoundsChecking(Tensor c, const DebugContext &dc)
{
    return switchWithBoundsChecking(std::move(c), Cases(), dc);
}
Switch Switch::switchWithUnreachableDefault(Tensor c, const DebugContext &dc)
{
    return Switch(std::move(c), dc);
}

} // namespace program

program::Program core::clockProgram(const Tensor &words, bool since, const DebugContext &dc)
{
    return program::Clock(words, since, dc);
}
} // namespace poplar
