// SPDX-License-Identifier: MIT
/* Runs programs of a graph on a device. Movable, not copyable. */
#ifndef POPLAR_ENGINE_HPP
#define POPLAR_ENGINE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <ostream>
#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/exceptions.hpp>
#include <string>
#include <vector>

namespace pva {
class Report; /* <pva/pva.hpp> */
}

namespace poplar {

class Engine {
  public:
    using ProgressFunc = poplar::ProgressFunc;
    static const unsigned WORKER_SCRATCH_SIZE = 48; /* bytes */

    Engine() = default;
    Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
           ProgressFunc progress = {}, const DebugContext &debugContext = {});
    Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
           ProgressFunc progress = {}, const DebugContext &debugContext = {});
    Engine(const Graph &graph, program::Program program, const OptionFlags &options = {},
           ProgressFunc progress = {}, const DebugContext &debugContext = {});
    Engine(Graph &&graph, program::Program program, const OptionFlags &options = {}, ProgressFunc progress = {},
           const DebugContext &debugContext = {});
    explicit Engine(Executable &&executable, const OptionFlags &options = {});
    explicit Engine(const Executable &executable, const OptionFlags &options = {}); /* may be used again */
    Engine(Engine &&) = default;
    Engine &operator=(Engine &&) = default;
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    void load(const Device &device);
    void prepare(const Device &device);
    void deploy();
    void run(unsigned program = 0, const std::string &debugName = "");
    void loadAndRun(const Device &device, unsigned program = 0)
    {
        load(device);
        run(program);
    }
    void stop();

    /* Whole tensors by handle; [begin, end) must be as long, or longer. */
    void writeTensor(StringRef handle, const void *begin, const void *end);
    void writeTensor(StringRef handle, const void *begin);
    void readTensor(StringRef handle, void *begin, void *end);
    /* Of QUARTER tensors, with their metadata. */
    void writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin, const void *end);
    void readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end);
    void readTensor(StringRef handle, void *begin);
    template <class T> void writeTensor(StringRef handle, ArrayRef<T> data)
    {
        writeTensor(handle, static_cast<const void *>(data.begin()), static_cast<const void *>(data.end()));
    }

    template <class T> void readTensor(StringRef handle, ArrayRef<T> data)
    {
        readTensor(handle, const_cast<T *>(data.begin()), const_cast<T *>(data.end()));
    }

    /* One transfer's size, or a circular buffer of a multiple of it. The buffer must live while the engine may
     * run. */
    void connectStream(StringRef handle, void *begin, void *end);
    void connectStream(StringRef handle, void *begin);
    template <class T> void connectStream(StringRef handle, const ArrayRef<T> &buffer)
    {
        connectStream(handle, const_cast<T *>(buffer.begin()), const_cast<T *>(buffer.end()));
    }
    /* By the stream itself, as programs of SDK 1 do. */
    void connectStream(const DataStream &stream, void *begin, void *end)
    {
        connectStream(stream.handle(), begin, end);
    }
    void connectStream(const DataStream &stream, void *begin) { connectStream(stream.handle(), begin); }
    void connectStreamToCallback(const DataStream &stream, StreamCallbackHandle callback)
    {
        connectStreamToCallback(stream.handle(), std::move(callback));
    }
    void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
    void connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback);
    /* What Call runs for the function of that handle; 0 without replicas. */
    void connectHostFunction(StringRef handle, unsigned replica, HostCallbackHandle callback);
    void copyToRemoteBuffer(const void *source, std::string handle, std::uint64_t repeatIndex,
                            unsigned replica = 0);
    void copyFromRemoteBuffer(std::string handle, void *destination, std::uint64_t repeatIndex,
                              unsigned replica = 0);
    std::vector<std::string> listStreams() const;
    OptionFlags getEngineOptions() const; /* those that were given */

    void printProfileSummary(std::ostream &out, const OptionFlags &options = {});
    ProfileValue getGraphProfile(); /* profiling_disabled on a CPU device */
    ProfileValue getExecutionProfile();
    ProfileValue getProfile(); /* both */
    /* The same as a report of <pva/pva.hpp>; without steps unless `reportExecution`. */
    pva::Report getReport(bool reportExecution = true);
    /* The host's clock, for reportTiming(). */
    using TimerTimePoint = std::chrono::steady_clock::time_point;
    TimerTimePoint getTimeStamp() const { return std::chrono::steady_clock::now(); }
    /* "1.250 ms": what passed between two of them. */
    static std::string reportTiming(const TimerTimePoint &start, const TimerTimePoint &end);
    void reportExecution(std::ostream &out, const OptionFlags &options = {});
    /* Lines "begin,end,compute,exchange,sync": cycles, and how many tiles are at work in each of the three kinds of
     * phases in that time. */
    void reportIntervals(std::ostream &out);
    void enableExecutionProfiling();
    void disableExecutionProfiling();
    void resetExecutionProfile();
    void setPrintStream(std::ostream &stream);
    void setPrintTensorStream(std::ostream &stream);

  private:
    void compile(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                 const ProgressFunc &progress);
    core::Compiled &get() const;
    std::shared_ptr<core::Compiled> compiled;
};

/* Summaries of profiles that getGraphProfile() and getExecutionProfile() returned (guide 8.2); options as there. */
void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile, const ProfileValue &executionProfile,
                         const OptionFlags &options = {});
void printGraphSummary(std::ostream &out, const ProfileValue &graphProfile, const OptionFlags &options = {});
void printExecutionSummary(std::ostream &out, const ProfileValue &graphProfile,
                           const ProfileValue &executionProfile, const OptionFlags &options = {});
/* The same of a file, such as graph_memory_allocation_error names. */
void printGraphSummary(std::ostream &out, const std::string &profilePath, const OptionFlags &options);

} // namespace poplar
#endif
