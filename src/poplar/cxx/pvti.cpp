/* libpvti: trace points that nobody records. */
#include <pvti/pvti.hpp>

namespace pvti {

TraceChannel::TraceChannel(const std::string &name) : label(name) {}

Tracepoint::Tracepoint(TraceChannel *, const std::string &) {}
Tracepoint::Tracepoint(TraceChannel *, const char *) {}
Tracepoint::Tracepoint(TraceChannel *, const char *, std::size_t) {}
Tracepoint::~Tracepoint() = default;
void Tracepoint::begin(TraceChannel *, const std::string &) {}
void Tracepoint::end(TraceChannel *, const std::string &) {}
void Tracepoint::event(TraceChannel *, const std::string &) {}

} // namespace pvti
