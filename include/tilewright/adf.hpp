/* Graphs of AI Engine kernels in C++, spelled like the vendor's, over tilewright/aie_array.h: C++17, header only.
 *
 *     class fir_graph : public adf::graph {
 *     public:
 *         adf::input_plio in; adf::output_plio out; adf::kernel fir;
 *         fir_graph()
 *         {
 *             fir = adf::kernel::create(fir_kernel);   // void fir_kernel(input_window<int16> *, output_window<int16> *)
 *             in = adf::input_plio::create("in", adf::plio_32_bits, "x.txt");
 *             out = adf::output_plio::create("out", adf::plio_32_bits, "y.txt");
 *             adf::connect<adf::window<256, 32>>(in.out[0], fir.in[0]);
 *             adf::connect<adf::window<256>>(fir.out[0], out.in[0]);
 *             adf::source(fir) = "fir.cpp"; adf::runtime<adf::ratio>(fir) = 0.9;
 *         }
 *     };
 *     fir_graph g; g.init(); g.run(4); g.end();
 *
 * init(), run(), update() and the like return ok, or print what is wrong and return user_error. Where several graphs
 * stand on top, init() of all of them comes before the first run(). A run ends when run() returns; wait() and end() add
 * nothing. What is simulated, and how, is in docs/aie.md. */
#ifndef TILEWRIGHT_ADF_HPP
#define TILEWRIGHT_ADF_HPP

#include <tilewright/adf/event.hpp>
#include <tilewright/adf/gmio.hpp>
#include <tilewright/adf/properties.hpp>

namespace adf {

/* --- the graph -------------------------------------------------------------------------------------------------------- */

class graph {
  public:
    graph() : first(detail::next_serial()) {}
    graph(const graph &) = delete;
    graph &operator=(const graph &) = delete;
    virtual ~graph()
    {
        detail::tops().erase(first);
        tw_aie_array_free(array);
    }
    virtual return_code init()
    {
        detail::tops()[first] = this;
        return ok;
    }
    /* n firings of each kernel; below 1, or none: until the input files end. */
    virtual return_code run(int n = -1)
    {
        if (return_code bad = build()) return bad;
        std::string missing = detail::missing_parameter(kept);
        if (!missing.empty()) return failed(missing);
        if (pending && go_on()) return user_error;
        if (pending) return failed("run() before the last one has ended: " + reason);
        tw_status status =
            (ran ? tw_aie_array_resume : tw_aie_array_run)(array, n > 0 ? static_cast<uint64_t>(n) : 0);
        ran = true;
        return came_to(status);
    }
    virtual return_code wait() { return pending ? failed(reason) : ok; }
    virtual return_code wait(unsigned long long) { return ok; }
    virtual return_code resume() { return ok; }
    virtual return_code end() { return ok; }
    virtual return_code end(unsigned long long) { return ok; }
    /* Run-time parameters: the value holds from the next run() on. */
    template <class T> return_code update(const detail::endpoint &port, const T &value)
    {
        return update_bytes(port, &value, sizeof value);
    }
    template <class T> return_code update(const detail::endpoint &port, const T *values, size_t count)
    {
        return update_bytes(port, values, count * sizeof(T));
    }
    template <class T> return_code read(const detail::endpoint &port, T &value)
    {
        return read_bytes(port, &value, sizeof value);
    }
    template <class T> return_code read(const detail::endpoint &port, T *values, size_t count)
    {
        return read_bytes(port, values, count * sizeof(T));
    }
    /* Estimated cycles by kernel and tile, memory: after a run, owned by the graph. */
    const tw_profile *profile() { return array ? tw_aie_array_profile(array) : nullptr; }
    /* For ports of memory. */
    return_code build_now() { return build(); }
    return_code go_on()
    {
        return_code r = pending ? came_to(tw_aie_array_continue(array)) : ok;
        land();
        return r;
    }

  private:
    unsigned long first;
    tw_aie_array *array = nullptr;
    std::vector<detail::node_ref> kept; /* what the array points to */
    bool ran = false, pending = false;  /* pending: the last run waits for memory */
    std::string reason;

    return_code failed(const std::string &message) { return detail::complain(message); }
    /* A graph with ports of memory that cannot go on may wait for data. */
    return_code came_to(tw_status status)
    {
        pending = status == TW_E_APPLICATION && has_memory();
        if (status != TW_OK) reason = tw_error_message();
        if (status != TW_OK && !pending) return failed(reason);
        land();
        return ok;
    }
    bool has_memory() const
    {
        for (const detail::node_ref &n : kept)
            if (n->memory >= 0) return true;
        return false;
    }
    /* What has come out, to where it was asked for. */
    void land()
    {
        for (const detail::node_ref &n : kept)
            while (!n->landings.empty()) {
                detail::landing &to = n->landings.front();
                size_t got = tw_aie_array_receive(array, n->memory, to.at, to.bytes);
                to.at += got, to.bytes -= got;
                if (to.bytes) break;
                n->landings.pop_front();
            }
    }
    return_code build()
    {
        if (array) return ok;
        if (!detail::tops().count(first)) return failed("run() before init()");
        std::string message;
        array = detail::build(first, message, kept);
        return array ? ok : failed(message);
    }
    bool build_early() { return build() == ok; } /* ports of the graph lead to parameters when it is built */
    return_code update_bytes(const detail::endpoint &port, const void *values, size_t bytes)
    {
        if (!build_early()) return user_error;
        detail::port_info *p = detail::find_parameter(port, false);
        if (!p) return failed("update() of a port that is no run-time parameter");
        if (p->element_bytes != bytes)
            return failed("update() with " + std::to_string(bytes) + " bytes of a parameter of " +
                          std::to_string(p->element_bytes));
        std::memcpy(p->value->data(), values, bytes);
        p->has_value = true;
        return ok;
    }
    return_code read_bytes(const detail::endpoint &port, void *values, size_t bytes)
    {
        if (!build_early()) return user_error;
        detail::port_info *p = detail::find_parameter(port, true);
        if (!p) return failed("read() of a port that is no run-time parameter");
        if (p->element_bytes != bytes)
            return failed("read() with " + std::to_string(bytes) + " bytes of a parameter of " +
                          std::to_string(p->element_bytes));
        std::memcpy(values, p->value->data(), bytes);
        return ok;
    }
};

namespace detail {
inline return_code build_for_port(const node_ref &n)
{
    graph *top = n ? top_of(n) : nullptr;
    if (!top) return complain(n ? "'" + n->name + "' is used before init()" : "a port that nothing has created");
    if (return_code bad = top->build_now()) return bad;
    return n->memory >= 0 ? ok : complain("'" + n->name + "' is not connected");
}
inline return_code go_on(const node_ref &n)
{
    return top_of(n)->go_on();
}
} // namespace detail
} // namespace adf

#endif
