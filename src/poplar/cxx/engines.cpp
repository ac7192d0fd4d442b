// SPDX-License-Identifier: MIT
/* Engines, executables, streams and profiles. */
#include "core.hpp"

#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <strings.h>

namespace poplar {

using core::check;
using core::Compiled;
using core::raise;

core::Compiled::~Compiled()
{
    tw_engine_free(engine);
    if (print_stream) fclose(print_stream);
}

/* --- C streams on C++ ones --- */

static ssize_t writeTo(void *cookie, const char *text, std::size_t size)
{
    std::ostream &out = *static_cast<std::ostream *>(cookie);
    out.write(text, static_cast<std::streamsize>(size));
    return out ? static_cast<ssize_t>(size) : 0; /* 0 is how such a function says that it failed */
}
FILE *core::streamTo(std::ostream &out)
{
    cookie_io_functions_t functions = {};
    functions.write = writeTo;
    FILE *f = fopencookie(&out, "w", functions);
    if (f) setvbuf(f, nullptr, _IOLBF, BUFSIZ);
    return f;
}

/* --- making --- */

static void tellProgress(int step, int total, void *user)
{
    if (core::thrownByCallback()) return;
    try {
        (*static_cast<const ProgressFunc *>(user))(step, total);
    } catch (...) {
        core::thrownByCallback() = std::current_exception();
    }
}

static std::shared_ptr<Compiled> compiledOf(const Graph &graph, ArrayRef<program::Program> programs,
                                            const OptionFlags &options, const ProgressFunc &progress,
                                            const char *call)
{
    core::GraphHolder &holder = graph.get();
    core::GraphLock guard(holder.graph);
    core::Lowering lowering(holder);
    std::vector<tw_program> lowered;
    for (const program::Program &p : programs) lowered.push_back(lowering.lower(p));
    const handles::OptionList list(options);
    auto compiled = std::make_shared<Compiled>();
    compiled->options = options;
    compiled->engine = tw_engine_new_with_progress(holder.graph, static_cast<unsigned>(lowered.size()),
                                                   lowered.data(), list.data(), progress ? tellProgress : nullptr,
                                                   const_cast<ProgressFunc *>(&progress));
    const tw_error *error = tw_engine_error(compiled->engine);
    std::exception_ptr thrown;
    std::swap(thrown, core::thrownByCallback());
    if (error->status != TW_OK || thrown) {
        tw_graph_take_error(holder.graph, nullptr); /* the graph can be used on */
        if (thrown) std::rethrow_exception(thrown);
        raise(error->status, call, error->message ? error->message : "");
    }
    tw_engine_set_stored_halves(compiled->engine, true); /* as Target::getTypeSize and copyFloatToDeviceHalf */
    return compiled;
}

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                        ProgressFunc progress, const DebugContext &)
{
    return Executable(compiledOf(graph, programs, options, progress, "compileGraph"));
}
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                        ProgressFunc progress, const DebugContext &)
{
    return Executable(compiledOf(graph, programs, options, progress, "compileGraph"));
}

Engine::Engine(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &)
{
    compile(graph, programs, options, progress);
}
Engine::Engine(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options,
               ProgressFunc progress, const DebugContext &)
{
    compile(graph, programs, options, progress);
}
Engine::Engine(const Graph &graph, program::Program program, const OptionFlags &options, ProgressFunc progress,
               const DebugContext &)
{
    compile(graph, ArrayRef<program::Program>(&program, 1), options, progress);
}
Engine::Engine(Graph &&graph, program::Program program, const OptionFlags &options, ProgressFunc progress,
               const DebugContext &)
{
    compile(graph, ArrayRef<program::Program>(&program, 1), options, progress);
}
/* Options given to an engine come on top of those that the executable was compiled with. */
Engine::Engine(Executable &&executable, const OptionFlags &options) : compiled(executable.get())
{
    if (!compiled) throw poplar_error("Engine: the executable is empty");
    if (options.size()) *this = Engine(static_cast<const Executable &>(executable), options);
}
Engine::Engine(const Executable &executable, const OptionFlags &options)
{
    std::stringstream bytes;
    executable.serialize(bytes);
    compiled = core::compiledFrom(bytes, options, "Engine");
}

void Engine::compile(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options,
                     const ProgressFunc &progress)
{
    compiled = compiledOf(graph, programs, options, progress, "Engine");
}

core::Compiled &Engine::get() const
{
    if (!compiled) throw poplar_error("Engine: the engine is empty");
    return *compiled;
}

/* --- running --- */

static tw_device *deviceOf(const Device &d, const char *call)
{
    if (!d.get()) raise(TW_E_MACHINE_MODEL, call, "the device is not valid");
    return d.get();
}
void Engine::load(const Device &device)
{
    check(tw_engine_load(get().engine, deviceOf(device, "Engine::load")), "Engine::load");
}
void Engine::prepare(const Device &device)
{
    check(tw_engine_prepare(get().engine, deviceOf(device, "Engine::prepare")), "Engine::prepare");
}
void Engine::deploy()
{
    check(tw_engine_deploy(get().engine), "Engine::deploy");
}
/* Whether threads call callbacks, the run's own among them. */
static bool hasCallbackThreads(const tw_engine *e)
{
    const char *mode = tw_engine_option(e, "streamCallbacks.multiThreadMode"),
               *count = tw_engine_option(e, "streamCallbacks.numWorkerThreads");
    return mode && count && strcasecmp(mode, "singleThread") != 0 &&
           (strcasecmp(count, "auto") == 0 || std::strtol(count, nullptr, 10) > 0);
}
void Engine::run(unsigned program, const std::string &name)
{
    tw_engine *e = get().engine;
    get().threads = hasCallbackThreads(e);
    get().thrown = nullptr;
    tw_status s = name.empty() ? tw_engine_run(e, program) : tw_engine_run_named(e, program, name.c_str());
    std::exception_ptr thrown;
    std::swap(thrown, get().thrown);
    if (thrown) std::rethrow_exception(thrown);
    check(s, "Engine::run");
    if (get().print_stream) fflush(get().print_stream);
}
void Engine::stop()
{
    tw_engine_stop(get().engine);
}

/* --- data --- */

static std::size_t bytesBetween(const void *begin, const void *end, const char *call)
{
    if (std::less<const void *>()(end, begin))
        raise(TW_E_INVALID_ARGUMENT, call, "the range ends before it begins");
    return static_cast<std::size_t>(static_cast<const char *>(end) - static_cast<const char *>(begin));
}
/* The bytes of a host tensor, of a buffer that has at least as many: callers give ranges that are longer. */
static std::size_t bytesOf(tw_engine *e, const std::string &handle, std::size_t room, const char *call)
{
    std::size_t bytes;
    check(tw_engine_access_bytes(e, handle.c_str(), &bytes), call);
    return room < bytes ? room : bytes;
}
static const std::size_t UNKNOWN = static_cast<std::size_t>(-1);

static void write(tw_engine *e, const std::string &handle, const void *begin, std::size_t room)
{
    std::size_t bytes = bytesOf(e, handle, room, "Engine::writeTensor");
    check(tw_engine_write(e, handle.c_str(), begin, bytes), "Engine::writeTensor");
}
static void read(tw_engine *e, const std::string &handle, void *begin, std::size_t room)
{
    std::size_t bytes = bytesOf(e, handle, room, "Engine::readTensor");
    check(tw_engine_read(e, handle.c_str(), begin, bytes), "Engine::readTensor");
}
void Engine::writeTensor(StringRef handle, const void *begin, const void *end)
{
    write(get().engine, handle, begin, bytesBetween(begin, end, "Engine::writeTensor"));
}
void Engine::readTensor(StringRef handle, void *begin, void *end)
{
    read(get().engine, handle, begin, bytesBetween(begin, end, "Engine::readTensor"));
}
void Engine::writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin, const void *end)
{
    const unsigned char bits = metadata.getBinary();
    writeTensor(core::metadataHandle(handle), &bits, &bits + 1);
    writeTensor(handle, begin, end);
}
void Engine::readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end)
{
    unsigned char bits;
    readTensor(core::metadataHandle(handle), &bits, &bits + 1);
    readTensor(handle, begin, end);
    metadata = QuarterMetadata::fromBinary(bits);
}
void Engine::writeTensor(StringRef handle, const void *begin)
{
    write(get().engine, handle, begin, UNKNOWN);
}
void Engine::readTensor(StringRef handle, void *begin)
{
    read(get().engine, handle, begin, UNKNOWN);
}

void Engine::connectStream(StringRef handle, void *begin, void *end)
{
    const char *call = "Engine::connectStream";
    std::size_t bytes = bytesBetween(begin, end, call);
    check(tw_engine_connect_stream(get().engine, handle.cloneAsString().c_str(), begin, bytes), call);
}
void Engine::connectStream(StringRef handle, void *begin)
{
    check(tw_engine_connect_stream(get().engine, handle.cloneAsString().c_str(), begin, 0),
          "Engine::connectStream");
}

/* What is connected, and to whose engine. */
template <class Callback> struct Connected {
    std::unique_ptr<Callback> callback;
    Compiled *of;
};
using ConnectedStream = Connected<StreamCallback>;
using ConnectedFunction = Connected<HostCallback>;

/* What a callback throws leaves Engine::run() at once where nothing else can be under way; with threads, in whichever
 * it was thrown, when the run is over: calls of other streams use what belongs to the caller of run(). */
template <class Callback, class Call> static void guarded(Connected<Callback> *user, Call call)
{
    Compiled &of = *user->of;
    if (!of.threads) {
        call(*user->callback);
        return;
    }
    try {
        call(*user->callback);
    } catch (...) {
        std::lock_guard<std::mutex> held(of.lock);
        if (!of.thrown) of.thrown = std::current_exception();
    }
}

void Engine::connectStreamToCallback(StringRef handle, StreamCallbackHandle callback)
{
    tw_stream_callback c = {};
    c.prefetch = [](void *data, void *user) {
        bool filled = false;
        guarded(static_cast<ConnectedStream *>(user),
                [&](StreamCallback &to) { filled = to.prefetch(data) == StreamCallbackBase::Result::Success; });
        return filled ? TW_STREAM_SUCCESS : TW_STREAM_NOT_AVAILABLE;
    };
    c.fetch = [](void *data, void *user) {
        guarded(static_cast<ConnectedStream *>(user), [&](StreamCallback &to) { to.fetch(data); });
    };
    c.complete = [](void *user) {
        guarded(static_cast<ConnectedStream *>(user), [](StreamCallback &to) { to.complete(); });
    };
    c.invalidate_prefetched = [](void *user) {
        static_cast<ConnectedStream *>(user)->callback->invalidatePrefetched();
    };
    c.destroy = [](void *user) { delete static_cast<ConnectedStream *>(user); };
    std::unique_ptr<ConnectedStream> owned(new ConnectedStream{ callback.release(), &get() });
    if (!owned->callback) raise(TW_E_INVALID_ARGUMENT, "Engine::connectStreamToCallback", "there is no callback");
    c.user = owned.get();
    check(tw_engine_connect_stream_to_callback(get().engine, handle.cloneAsString().c_str(), &c),
          "Engine::connectStreamToCallback");
    (void)owned.release(); /* the engine has it */
}
/* Streams of replicas have handles of their own; a graph without replicas is its own replica 0. */
void Engine::connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback)
{
    const std::string plain = handle.cloneAsString(), own = plain + "[" + std::to_string(replica) + "]";
    const char *const *s = replica == 0 ? tw_engine_list_streams(get().engine) : nullptr;
    while (s && *s && plain != *s) s++;
    connectStreamToCallback(s && *s ? plain : own, std::move(callback));
}

void Engine::connectHostFunction(StringRef handle, unsigned replica, HostCallbackHandle callback)
{
    tw_host_callback c = {};
    c.call = [](const void *const *in, std::size_t ins, void *const *out, std::size_t outs, void *user) {
        guarded(static_cast<ConnectedFunction *>(user), [&](HostCallback &function) {
            function(ArrayRef<const void *>(in, ins), ArrayRef<void *>(out, outs));
        });
    };
    c.destroy = [](void *user) { delete static_cast<ConnectedFunction *>(user); };
    std::unique_ptr<ConnectedFunction> owned(new ConnectedFunction{ callback.release(), &get() });
    if (!owned->callback) raise(TW_E_INVALID_ARGUMENT, "Engine::connectHostFunction", "there is no callback");
    c.user = owned.get();
    check(tw_engine_connect_host_function(get().engine, handle.cloneAsString().c_str(), replica, &c),
          "Engine::connectHostFunction");
    (void)owned.release(); /* the engine has it */
}

/* A row's bytes, and in `handle` the name of the buffer in C: buffers of replicas have names of their own. */
static std::size_t rowBytes(tw_engine *e, std::string &handle, unsigned replica, const char *call)
{
    std::size_t bytes;
    const std::string own = handle + "[" + std::to_string(replica) + "]";
    if (tw_engine_remote_row_bytes(e, handle.c_str(), &bytes) != TW_OK || replica) handle = own;
    check(tw_engine_remote_row_bytes(e, handle.c_str(), &bytes), call);
    return bytes;
}
void Engine::copyToRemoteBuffer(const void *source, std::string handle, std::uint64_t row, unsigned replica)
{
    const char *call = "Engine::copyToRemoteBuffer";
    std::size_t bytes = rowBytes(get().engine, handle, replica, call);
    check(tw_engine_copy_to_remote_buffer(get().engine, handle.c_str(), row, source, bytes), call);
}
void Engine::copyFromRemoteBuffer(std::string handle, void *destination, std::uint64_t row, unsigned replica)
{
    const char *call = "Engine::copyFromRemoteBuffer";
    std::size_t bytes = rowBytes(get().engine, handle, replica, call);
    check(tw_engine_copy_from_remote_buffer(get().engine, handle.c_str(), row, destination, bytes), call);
}
std::vector<std::string> Engine::listStreams() const
{
    std::vector<std::string> list;
    for (const char *const *s = tw_engine_list_streams(get().engine); s && *s; s++) list.push_back(*s);
    return list;
}
OptionFlags Engine::getEngineOptions() const
{
    return get().options;
}

/* --- profiles --- */

static const tw_profile *profileOf(tw_engine *e, const char *call)
{
    const tw_profile *p = tw_engine_profile(e);
    if (!p) raise(TW_E_PROFILING_DISABLED, call, tw_error_message());
    return p;
}

void core::printProfile(const tw_profile *profile, std::ostream &out, const OptionFlags &flags,
                        ProfilePrinter printer, const char *call)
{
    tw_profile_options options = tw_profile_options();
    options.size = sizeof options;
    for (const auto &f : flags) check(tw_profile_options_set(&options, f.first.c_str(), f.second.c_str()), call);
    FILE *stream = core::streamTo(out);
    if (!stream) raise(TW_E_NO_MEMORY, call, "no memory for a stream");
    tw_status status = printer(profile, stream, &options);
    if (fclose(stream) != 0 && status == TW_OK) raise(TW_E_IO, call, "the profile could not be written");
    check(status, call);
}
/* A CPU device has no profile: that is said, but no reason to end a program. */
void Engine::printProfileSummary(std::ostream &out, const OptionFlags &options)
{
    if (!tw_engine_profile(get().engine)) {
        out << "No profile: " << tw_error_message() << '\n';
        return;
    }
    core::printProfile(tw_engine_profile(get().engine), out, options, tw_profile_print_summary,
                       "Engine::printProfileSummary");
}
void Engine::reportExecution(std::ostream &out, const OptionFlags &options)
{
    const char *call = "Engine::reportExecution";
    core::printProfile(profileOf(get().engine, call), out, options, tw_profile_print_execution_summary, call);
}
/* How many tiles begin or end work in a kind of phases, at a cycle. */
struct ActiveTiles {
    std::int64_t compute, exchange, sync;
};
struct Timeline {
    std::map<std::uint64_t, ActiveTiles> changes;
    std::int64_t tiles;
};
static bool addStep(void *user, const tw_profile_step *s)
{
    Timeline &t = *static_cast<Timeline *>(user);
    if (s->cycles_from == s->cycles_to) return true;
    std::int64_t ActiveTiles::*kind;
    std::int64_t tiles = s->active_tiles;
    switch (s->type) {
    case TW_PROGRAM_ON_TILE_EXECUTE: kind = &ActiveTiles::compute; break;
    case TW_PROGRAM_DO_EXCHANGE:
    case TW_PROGRAM_GLOBAL_EXCHANGE:
    case TW_PROGRAM_STREAM_COPY: kind = &ActiveTiles::exchange; break;
    case TW_PROGRAM_SYNC: kind = &ActiveTiles::sync, tiles = t.tiles; break; /* they all wait */
    default: return true;
    }
    t.changes[s->cycles_from].*kind += tiles;
    t.changes[s->cycles_to].*kind -= tiles;
    return true;
}
void Engine::reportIntervals(std::ostream &out)
{
    const char *call = "Engine::reportIntervals";
    const tw_profile *profile = profileOf(get().engine, call);
    if (!tw_profile_has_execution(profile)) raise(TW_E_MISSING_PROFILE, call, "nothing was run");
    Timeline timeline = { {}, tw_profile_tiles(profile) };
    tw_profile_each_step(profile, addStep, &timeline);
    ActiveTiles now = { 0, 0, 0 };
    std::uint64_t begin = 0;
    for (const auto &change : timeline.changes) {
        if (now.compute || now.exchange || now.sync)
            out << begin << ',' << change.first << ',' << now.compute << ',' << now.exchange << ',' << now.sync
                << '\n';
        now.compute += change.second.compute, now.exchange += change.second.exchange,
            now.sync += change.second.sync;
        begin = change.first;
    }
}
std::string Engine::reportTiming(const TimerTimePoint &start, const TimerTimePoint &end)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.3f ms", std::chrono::duration<double, std::milli>(end - start).count());
    return text;
}
void Engine::enableExecutionProfiling()
{
    tw_engine_enable_execution_profiling(get().engine, true);
}
void Engine::disableExecutionProfiling()
{
    tw_engine_enable_execution_profiling(get().engine, false);
}
void Engine::resetExecutionProfile()
{
    tw_engine_reset_execution_profile(get().engine);
}
void Engine::setPrintStream(std::ostream &stream)
{
    FILE *f = core::streamTo(stream);
    if (!f) raise(TW_E_NO_MEMORY, "Engine::setPrintStream", "no memory for a stream");
    tw_engine_set_print_tensor_stream(get().engine, f);
    if (get().print_stream) fclose(get().print_stream);
    get().print_stream = f;
}
void Engine::setPrintTensorStream(std::ostream &stream)
{
    setPrintStream(stream);
}

} // namespace poplar
