// SPDX-License-Identifier: MIT
/* A graph that stands on top, from its first object to its runs: what the handles of class graph share. Part of
 * <tilewright/aie/adf.hpp>. */
#ifndef TILEWRIGHT_ADF_DESIGN_HPP
#define TILEWRIGHT_ADF_DESIGN_HPP

#include <tilewright/aie/detail/adf/platform.hpp>

namespace adf {
namespace detail {

struct design {
    unsigned long first = next_serial(); /* what is made later, up to the next design, belongs to it */
    tw_aie_array *array = nullptr;

    explicit design(void *object)
    {
        static last_words at_exit; /* built before the graph that comes first, so it outlives global ones */
        (void)at_exit;
        designs()[first] = { object, 0, object, "" };
    }
    design(const design &) = delete;
    design &operator=(const design &) = delete;
    ~design()
    {
        end();
        tops().erase(first);
        designs()[first] = { nullptr, 0, nullptr, "" };
        tw_aie_array_free(array);
    }
    /* Why the graph cannot be built, known already; "": nothing is. */
    return_code refuse(const std::string &reason_for_it)
    {
        broken = reason_for_it;
        return broken.empty() ? ok : complain(broken);
    }
    return_code run(int n)
    {
        if (return_code bad = build()) return bad;
        if (pending && go_on()) return user_error;
        if (pending && !reason.empty()) return complain("run() before the last one has ended: " + reason);
        return came_to(tw_aie_array_resume(array, n > 0 ? static_cast<uint64_t>(n) : 0));
    }
    return_code wait() const { return pending && !reason.empty() ? complain(reason) : ok; }
    return_code end()
    {
        if (array) tw_aie_array_end(array);
        return_code r = wait();
        pending = false; /* told once */
        return r;
    }
    return_code update(const endpoint &port, const void *values, size_t bytes)
    {
        if (build()) return user_error; /* ports of the graph lead to parameters when it is built */
        port_info *p = find_parameter(port, false);
        if (return_code bad = check("update()", p, bytes)) return bad;
        auto *from = static_cast<const unsigned char *>(values);
        give_value(*p, std::vector<unsigned char>(from, from + bytes));
        return go_on();
    }
    return_code read(const endpoint &port, void *values, size_t bytes)
    {
        if (build()) return user_error;
        port_info *p = find_parameter(port, true);
        if (return_code bad = check("read()", p, bytes)) return bad;
        if (is_sync(*p) && p->values.empty())
            return complain("read() of a synchronous parameter that no firing has written since the last one" +
                            (reason.empty() ? "" : ": " + reason));
        std::memcpy(values, is_sync(*p) ? p->values.front().data() : p->latest.data(), bytes);
        if (!is_sync(*p)) return ok;
        p->values.pop_front();
        return go_on();
    }
    return_code build()
    {
        if (array) return ok;
        if (!broken.empty()) return complain(broken);
        if (!tops().count(first)) return complain("run() before init()");
        array = detail::build(first, broken, kept);
        return array ? ok : complain(broken);
    }
    /* The kernels run as far as they can: memory at the ports, or the value of a parameter, has come. */
    const std::string &why() const { return reason; } /* the last run has not ended; "": it has */
    return_code go_on()
    {
        return_code r = pending ? came_to(tw_aie_array_continue(array)) : ok;
        land();
        return r;
    }

  private:
    /* Graphs that nobody destroys: what their runs wait for is said when the program ends. */
    struct last_words {
        ~last_words()
        {
            for (auto &top : tops()) top.second->end();
        }
    };
    std::vector<node_ref> kept; /* what the array points to */
    bool pending = false;       /* the last run waits for memory or parameters */
    std::string reason;         /* ... what for */
    std::string broken;         /* why the graph could not be built, told at each later call */

    static return_code check(const std::string &call, const port_info *p, size_t bytes)
    {
        if (!p) return complain(call + " of a port that is no run-time parameter");
        if (p->element_bytes == bytes) return ok;
        return complain(call + " with " + std::to_string(bytes) + " bytes of a parameter of " +
                        std::to_string(p->element_bytes));
    }
    /* A graph with ports of memory that cannot go on may wait for data; kernels wait for values of parameters. */
    return_code came_to(tw_status status)
    {
        pending = waits() || (status == TW_E_APPLICATION && has_memory());
        reason = status == TW_OK ? "" : tw_error_message();
        if (status != TW_OK && !pending) return complain(reason);
        land();
        return ok;
    }
    bool waits() const
    {
        for (const node_ref &n : kept)
            if (!n->waits_for.empty()) return true;
        return false;
    }
    bool has_memory() const
    {
        for (const node_ref &n : kept)
            if (n->memory >= 0) return true;
        return false;
    }
    /* What has come out, to where it was asked for. */
    void land()
    {
        for (const node_ref &n : kept)
            while (!n->landings.empty()) {
                landing &to = n->landings.front();
                size_t got = tw_aie_array_receive(array, n->memory, to.at, to.bytes);
                to.at += got, to.bytes -= got;
                if (to.bytes) break;
                n->landings.pop_front();
            }
    }
};

inline bool is_built(const node_ref &n)
{
    design *top = n ? top_of(n) : nullptr;
    return top && n->array && top->array == n->array;
}
inline return_code build_for_counter(const node_ref &n)
{
    design *top = n ? top_of(n) : nullptr;
    if (!top) return complain(n ? "'" + n->name + "' is used before init()" : "a port that nothing has created");
    if (return_code bad = top->build()) return bad;
    return is_built(n) ? ok : complain("'" + n->name + "' is not connected");
}
inline return_code build_for_port(const node_ref &n)
{
    if (return_code bad = build_for_counter(n)) return bad;
    return n->memory >= 0 ? ok : complain("'" + n->name + "' is not connected");
}
inline return_code go_on(const node_ref &n)
{
    return top_of(n)->go_on();
}
inline std::string why_pending(const node_ref &n)
{
    return top_of(n)->why();
}

} // namespace detail
} // namespace adf

#endif
