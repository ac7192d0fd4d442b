// SPDX-License-Identifier: MIT
/* Run-time parameters while a graph runs (UG1079 "Runtime Parameter Specification"). A synchronous one is a queue: a
 * firing takes one value from it, or adds one to it. An asynchronous one keeps its last value. Inputs are synchronous
 * unless async() says otherwise, outputs asynchronous unless sync() does. Part of <tilewright/aie/adf.hpp>. */
#ifndef TILEWRIGHT_ADF_RTP_HPP
#define TILEWRIGHT_ADF_RTP_HPP

#include <tilewright/aie/detail/adf/model.hpp>

#include <algorithm>

namespace adf {
namespace detail {

/* Values of a synchronous output that nobody has read: a ping-pong pair, so the kernel waits with two. */
constexpr size_t unread_values = 2;

inline bool is_sync(const port_info &p)
{
    return p.async < 0 ? p.dir == direction::in : p.async == 0;
}
inline void give_value(port_info &p, const std::vector<unsigned char> &bytes)
{
    if (is_sync(p)) {
        p.values.push_back(bytes);
        return;
    }
    *p.value = bytes;
    p.has_value = true;
}
inline int can_fire(void *port)
{
    const port_info &p = *static_cast<const port_info *>(port);
    if (p.dir == direction::in) return is_sync(p) ? !p.values.empty() : p.has_value;
    if (p.readers.empty()) return !is_sync(p) || p.values.size() < unread_values;
    for (const port_info *reader : p.readers)
        if (reader->values.size() >= unread_values) return 0;
    return 1;
}
/* Before a firing: every parameter has a value, or room for one. */
inline void take_values(node &n)
{
    int in = 0, inout = 0;
    for (port_info &p : n.code.ports) {
        bool comes = p.dir == direction::in;
        int index = comes ? in++ : p.dir == direction::inout ? inout++ : 0;
        if (p.what != kind::parameter) continue;
        if (can_fire(&p)) continue;
        n.waits_for = (comes ? "for an update of in[" : "for a read of inout[") + std::to_string(index) + "]";
        if (is_sync(p))
            n.waits_for += comes ? ", of which each firing takes a value" : ", of which each firing leaves a value";
        tw_aie_wait_until(can_fire, &p, n.waits_for.c_str());
    }
    n.waits_for.clear();
    for (port_info &p : n.code.ports) {
        if (p.what != kind::parameter || p.dir != direction::in || !is_sync(p)) continue;
        *p.value = std::move(p.values.front());
        p.values.pop_front();
    }
}
/* Behind a firing: what it has left in its outputs. */
inline void give_values(node &n)
{
    for (port_info &p : n.code.ports) {
        if (p.what != kind::parameter || p.dir == direction::in) continue;
        for (port_info *reader : p.readers) give_value(*reader, *p.value);
        if (is_sync(p) && p.readers.empty()) p.values.push_back(*p.value);
        p.latest = *p.value;
    }
}
/* From one kernel's parameter to another's; "" or why not. */
inline std::string link_parameters(port_info &from, port_info &to)
{
    if (from.dir == direction::in || to.dir == direction::out) return "a parameter goes from inout to in";
    if (from.element_bytes != to.element_bytes)
        return std::to_string(from.element_bytes) + " bytes cannot be a parameter of " +
               std::to_string(to.element_bytes);
    if (from.async >= 0 && to.async >= 0 && from.async != to.async)
        return "one end is synchronous, the other asynchronous";
    int64_t async = from.async >= 0 ? from.async : to.async >= 0 ? to.async : 0;
    from.async = to.async = async;
    from.readers.push_back(&to);
    return "";
}

/* Adds the parameter that switches a bypass on; its number among the inputs. */
inline int add_bypass(node &n)
{
    int number = 0;
    n.bypassed = true;
    for (const port_info &p : n.code.ports) number += p.dir == direction::in;
    n.code.ports.push_back(runtime_parameter<int, direction::in>::describe());
    auto kernel = n.code.fire;
    n.code.fire = [kernel](std::vector<port_info> &ports) {
        if (!runtime_parameter<int, direction::in>::get(ports.back())) return kernel(ports);
        for (const port_info &p : ports) {
            if (p.what != kind::window || p.dir != direction::out) continue;
            tw_aie_window *from = tw_aie_window_in(p.physical), *to = tw_aie_window_out(p.physical);
            unsigned bytes = std::min(tw_aie_window_block(from), tw_aie_window_block(to));
            if (bytes) std::memcpy(to->data, from->data + from->margin, bytes);
        }
    };
    return number;
}
} // namespace detail
} // namespace adf

#endif
