// SPDX-License-Identifier: MIT
/* Trace points of host programs (library libpvti). They are accepted so that instrumented programs build and run;
 * nothing is recorded. */
#ifndef PVTI_PVTI_HPP
#define PVTI_PVTI_HPP

#include <cstddef>
#include <string>

namespace pvti {

/* Trivial to destroy: a channel of a static library that several shared libraries have linked in is one object, made
 * and destroyed by each of them (PopLibs). */
class TraceChannel {
  public:
    TraceChannel(const std::string &name);
    TraceChannel(const char *name) : TraceChannel(std::string(name)) {}
    const std::string &name() const { return *label; }

  private:
    const std::string *label; /* kept by the library */
};

/* What goes with a trace point. */
class Metadata {
    std::string text;

  public:
    explicit Metadata(const std::string &json) : text(json) {}
    const std::string &get() const { return text; }
};
inline Metadata createJsonMetadata(const std::string &json)
{
    return Metadata(json);
}

/* Marks the time from its construction to its end. The channel must outlive it. */
class Tracepoint {
  public:
    Tracepoint(TraceChannel *channel, const std::string &name);
    Tracepoint(TraceChannel *channel, const char *name);
    Tracepoint(TraceChannel *channel, const char *name, std::size_t length);
    Tracepoint(TraceChannel *channel, const char *name, std::size_t length, const Metadata *)
        : Tracepoint(channel, name, length)
    {
    }
    Tracepoint(const Tracepoint &) = delete;
    Tracepoint &operator=(const Tracepoint &) = delete;
    ~Tracepoint();
    static void begin(TraceChannel *channel, const std::string &name);
    static void end(TraceChannel *channel, const std::string &name);
    static void event(TraceChannel *channel, const std::string &name);
};

} // namespace pvti
#endif
