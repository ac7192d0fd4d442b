// SPDX-License-Identifier: MIT
/* Performance counters of a graph's files and memory, from estimated cycles: without --profile `tilewright aie run`
 * counts what windows and streams take alone. Part of <tilewright/aie/adf.hpp>.
 *
 *     event::handle h = event::start_profiling(g.out, event::io_stream_start_to_bytes_transferred_cycles, bytes);
 *     g.run(8), g.wait();
 *     long long cycles = event::read_profiling(h);
 *     event::stop_profiling(h); */
#ifndef TILEWRIGHT_ADF_EVENT_HPP
#define TILEWRIGHT_ADF_EVENT_HPP

#include <tilewright/aie/detail/adf/gmio.hpp>

#include <cstdint>

namespace adf {
namespace event {

typedef int handle;
constexpr handle invalid_handle = -1;
enum io_profiling_option {
    io_total_stream_running_to_idle_cycles,      /* in which words passed or were held up */
    io_stream_start_to_bytes_transferred_cycles, /* from the first word until `value` bytes have passed */
    io_stream_start_difference_cycles,           /* from one port's first word to another's */
    io_stream_running_event_count                /* words of 32 bits */
};

} // namespace event

namespace detail {
struct counter {
    event::io_profiling_option option;
    node_ref ends[2];
    int watches[2];
};
inline std::vector<counter> &counters() /* by handle; stopped ones have no ends */
{
    static std::vector<counter> &all = *new std::vector<counter>;
    return all;
}
inline event::handle start_counter(const node_ref &first, const node_ref &second, event::io_profiling_option option,
                                   std::uint32_t value)
{
    const bool two = option == event::io_stream_start_difference_cycles;
    const bool marks = option == event::io_stream_start_to_bytes_transferred_cycles;
    const char *why = two && !second    ? "io_stream_start_difference_cycles is between two ports"
                      : !two && second  ? "one port alone has this counter"
                      : marks && !value ? "io_stream_start_to_bytes_transferred_cycles needs a number of bytes"
                                        : nullptr;
    if (why) return complain(std::string("event::start_profiling(): ") + why), event::invalid_handle;
    counter c = { option, { first, second }, { -1, -1 } };
    for (int i = 0; i < 1 + two; i++) {
        if (build_for_counter(c.ends[i]))
            c.watches[i] = -1;
        else if ((c.watches[i] = tw_aie_array_watch(c.ends[i]->array, c.ends[i]->end, marks ? value : 0)) < 0)
            complain(tw_error_message());
        if (c.watches[i] >= 0) continue;
        if (i) tw_aie_array_unwatch(c.ends[0]->array, c.watches[0]);
        return event::invalid_handle;
    }
    counters().push_back(c);
    return static_cast<event::handle>(counters().size() - 1);
}
/* What has passed one of its ends; false, and why: there is no figure. */
inline bool look(const counter &c, int i, tw_aie_passage &p)
{
    const node_ref &n = c.ends[i];
    if (!is_built(n) || tw_aie_array_watched(n->array, c.watches[i], &p) != TW_OK)
        return complain("event::read_profiling(): the graph of '" + n->name + "' has gone"), false;
    if (c.option == event::io_stream_running_event_count) return true;
    if (p.words && tw_aie_array_cycles(n->array, n->end.kernel)) return true;
    std::fprintf(stderr, "graph: event::read_profiling(): %s\n",
                 p.words ? "no cycles are counted: `tilewright aie run --profile` counts them"
                         : ("nothing has passed '" + n->name + "'").c_str());
    return false;
}
} // namespace detail

namespace event {

inline handle start_profiling(const IoAttr &port, io_profiling_option option, std::uint32_t value = 0)
{
    return detail::start_counter(port.node, nullptr, option, value);
}
inline handle start_profiling(const IoAttr &from, const IoAttr &to, io_profiling_option option,
                              std::uint32_t value = 0)
{
    return detail::start_counter(from.node, to.node, option, value);
}
/* -1, and why on stderr, where there is no figure. */
inline long long read_profiling(handle h)
{
    tw_aie_passage first = {}, second = {};
    if (h < 0 || static_cast<size_t>(h) >= detail::counters().size() || !detail::counters()[h].ends[0])
        return detail::complain("event::read_profiling() of no counter"), -1;
    const detail::counter &c = detail::counters()[h];
    if (!detail::look(c, 0, first) || (c.ends[1] && !detail::look(c, 1, second))) return -1;
    switch (c.option) {
    case io_total_stream_running_to_idle_cycles: return static_cast<long long>(first.busy);
    case io_stream_start_to_bytes_transferred_cycles: /* so far, where there have been less */
        return static_cast<long long>((first.marked ? first.marked : first.last) - first.first);
    case io_stream_start_difference_cycles:
        return static_cast<long long>(second.first) - static_cast<long long>(first.first);
    default: return static_cast<long long>(first.words);
    }
}
inline void stop_profiling(handle h)
{
    if (h < 0 || static_cast<size_t>(h) >= detail::counters().size()) return;
    detail::counter &c = detail::counters()[h];
    for (int i = 0; i < 2; i++) {
        if (detail::is_built(c.ends[i])) tw_aie_array_unwatch(c.ends[i]->array, c.watches[i]);
        c.ends[i].reset();
    }
}

} // namespace event
} // namespace adf

#endif
