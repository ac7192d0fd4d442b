// SPDX-License-Identifier: MIT
/* Control programs: values that name what to do, made without a graph. A copy of a sequence and the sequence itself
 * go their own ways from then on. */
#ifndef POPLAR_PROGRAM_HPP
#define POPLAR_PROGRAM_HPP

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <ostream>
#include <poplar/ArrayRef.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

class Graph;

namespace core {
struct Step; /* what a program does */
}

namespace program {

class Program {
  public:
    Program();
    bool isEmpty() const; /* does nothing: default constructed, or a sequence of nothing */
    const core::Step *get() const { return step.get(); }

  protected:
    /* Of the pointer's own type alone: braces such as { 0, body }, a case of a switch, would make a shared_ptr. */
    template <class S, class = typename std::enable_if<std::is_same<S, std::shared_ptr<core::Step>>::value>::type>
    explicit Program(S s) : step(std::move(s))
    {
    }
    std::shared_ptr<core::Step> step; /* nullptr: does nothing */
};
bool operator==(const Program &a, const Program &b);
inline bool operator!=(const Program &a, const Program &b)
{
    return !(a == b);
}

class Sequence : public Program {
  public:
    Sequence(const DebugContext &debugContext = {});
    Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext = {});
    Sequence(const std::vector<Program> &programs, const DebugContext &debugContext);
    Sequence(const Program &first);
    Sequence(const Program &first, const Program &second);
    template <class... P>
    Sequence(const Program &first, const Program &second, const Program &third, const P &...rest)
        : Sequence(std::initializer_list<Program>{ first, second, third, rest... })
    {
    }
    Sequence(const Sequence &) = default;
    Sequence(Sequence &&) = default;
    Sequence &operator=(const Sequence &) = default;
    Sequence &operator=(Sequence &&) = default;
    void add(const Program &program);
};

/* A program that reports time by itself where its whole name matches the engine option profiler.blocks.filter:
 * pva::Execution::blocks(). */
class Block : public Program {
  public:
    explicit Block(const Program &program, const DebugContext &name = {});
};

class Execute : public Program {
  public:
    explicit Execute(ComputeSet cs, const DebugContext &debugContext = {});
    /* Also the logical AND of what compute() of all vertices returns, into one element. */
    Execute(ComputeSet cs, Tensor result, const DebugContext &debugContext = {});
};

class Copy : public Program {
  public:
    /* Equal type and number of elements. */
    Copy(Tensor src, Tensor dst, bool dontOutline = false, const DebugContext &debugContext = {});
    Copy(const DataStream &stream, Tensor dst, bool optimiseMemory = false, const DebugContext &debugContext = {});
    Copy(Tensor src, const DataStream &stream, bool optimiseMemory = false, const DebugContext &debugContext = {});
    Copy(const RemoteBuffer &buffer, Tensor dst, const DebugContext &debugContext = {});
    Copy(const RemoteBuffer &buffer, Tensor dst, Tensor offset, const DebugContext &debugContext = {});
    Copy(Tensor src, const RemoteBuffer &buffer, const DebugContext &debugContext = {});
    Copy(Tensor src, const RemoteBuffer &buffer, Tensor offset, const DebugContext &debugContext = {});
    /* The code of that function to the tiles; control_program_error when the buffer is of another one. */
    Copy(const FunctionBuffer &buffer, const Function &function, const DebugContext &debugContext = {});
};

class CrossReplicaCopy : public Program {
  public:
    CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                     const DebugContext &debugContext = {});
};

class WriteUndef : public Program {
  public:
    explicit WriteUndef(Tensor t, const DebugContext &debugContext = {});
};

class Call : public Program {
  public:
    explicit Call(Function f, const DebugContext &debugContext = {});
    Call(HostFunction f, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs, const DebugContext &debugContext = {});
};

class Repeat : public Program {
  public:
    Repeat(unsigned count, const Program &body, const DebugContext &debugContext = {});
};

class RepeatWhileTrue : public Program {
  public:
    RepeatWhileTrue(const Program &condition, Tensor predicate, const Program &body,
                    const DebugContext &debugContext = {});
};

class RepeatWhileFalse : public Program {
  public:
    RepeatWhileFalse(const Program &condition, Tensor predicate, const Program &body,
                     const DebugContext &debugContext = {});
};

class If : public Program {
  public:
    If(Tensor predicate, const Program &thenBody, const Program &elseBody, const DebugContext &debugContext = {});
};

class Switch : public Program {
  public:
    using Cases = std::vector<std::pair<std::int32_t, Program>>;
    Switch(Tensor control, const Cases &cases, const DebugContext &debugContext = {});
    Switch(Tensor control, const Cases &cases, const Program &defaultCase, const DebugContext &debugContext = {});
    explicit Switch(Tensor control, const DebugContext &debugContext = {});
    Switch(Tensor control, const Program &defaultCase, const DebugContext &debugContext = {});
    /* A value that no case has stops the run. */
    static Switch switchWithBoundsChecking(Tensor control, const Cases &cases,
                                           const DebugContext &debugContext = {});
    static Switch switchWithBoundsChecking(Tensor control, const DebugContext &debugContext = {});
    static Switch switchWithUnreachableDefault(Tensor control, const DebugContext &debugContext = {});
    Switch &add(std::int32_t value, const Program &body);
};

class PrintTensor : public Program {
  public:
    PrintTensor(Tensor t, const DebugContext &debugContext = {});
    PrintTensor(Tensor t, const PrintTensorFmt &format, const DebugContext &debugContext = {});
    PrintTensor(StringRef title, Tensor t, const DebugContext &debugContext = {});
    PrintTensor(StringRef title, Tensor t, const PrintTensorFmt &format, const DebugContext &debugContext = {});
};

class Sync : public Program {
  public:
    explicit Sync(SyncType type, const DebugContext &debugContext = {});
};

class Abort : public Program {
  public:
    explicit Abort(const DebugContext &debugContext = {});
    explicit Abort(const std::string &message, const DebugContext &debugContext = {});
    explicit Abort(const char *message, const DebugContext &debugContext = {})
        : Abort(std::string(message), debugContext)
    {
    }
};

class AbortOnCondition : public Program {
  public:
    explicit AbortOnCondition(Tensor predicate, const DebugContext &debugContext = {});
    AbortOnCondition(Tensor predicate, const std::string &message, const DebugContext &debugContext = {});
    AbortOnCondition(Tensor predicate, const char *message, const DebugContext &debugContext = {})
        : AbortOnCondition(std::move(predicate), std::string(message), debugContext)
    {
    }
};

class ErrorProgram : public Program {
  public:
    ErrorProgram(StringRef message, Tensor t, const DebugContext &debugContext = {});
};

class AssumeEqualAcrossReplicas : public Program {
  public:
    explicit AssumeEqualAcrossReplicas(Tensor t, const DebugContext &debugContext = {});
};

} // namespace program

/* The tree as text: a line for each step. */
void dumpProgram(const Graph &graph, const program::Program &program, std::ostream &out);

} // namespace poplar
#endif
