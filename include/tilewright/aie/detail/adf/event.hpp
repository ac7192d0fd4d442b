// SPDX-License-Identifier: MIT
/* Performance counters of a graph's ports. The simulation has no time that they could count: a counter cannot be had,
 * which programs have to expect on the hardware too. profile() of a graph has estimated cycles. Part of
 * <tilewright/aie/adf.hpp>. */
#ifndef TILEWRIGHT_ADF_EVENT_HPP
#define TILEWRIGHT_ADF_EVENT_HPP

#include <cstdio>

namespace adf {
namespace event {

typedef unsigned handle;
constexpr handle invalid_handle = ~0u;
enum io_profiling_option {
    io_total_stream_running_to_idle_cycles,
    io_stream_start_to_bytes_transferred_cycles,
    io_stream_start_difference_cycles,
    io_stream_running_event_count
};
template <class Port> handle start_profiling(Port &, io_profiling_option, unsigned = 0)
{
    std::fprintf(stderr, "graph: event::start_profiling() is not modelled: there is no counter\n");
    return invalid_handle;
}
template <class TwA, class TwB>
handle start_profiling(TwA &a, TwB &, io_profiling_option option, unsigned value = 0)
{
    return start_profiling(a, option, value);
}
inline long long read_profiling(handle)
{
    return -1;
}
inline void stop_profiling(handle) {}

} // namespace event
} // namespace adf

#endif
