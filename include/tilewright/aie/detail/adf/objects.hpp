// SPDX-License-Identifier: MIT
/* What a graph is made of: kernels, ports, files, switches, connections. Part of <tilewright/aie/adf.hpp>. */
#ifndef TILEWRIGHT_ADF_OBJECTS_HPP
#define TILEWRIGHT_ADF_OBJECTS_HPP

#include <tilewright/aie/detail/adf/build.hpp>

namespace adf {

enum plio_type { plio_32_bits = 32, plio_64_bits = 64, plio_128_bits = 128 };
struct input {};
struct output {};
struct inout {};
struct direction { /* port<direction::in> is port<input> */
    typedef input in;
    typedef output out;
    typedef adf::inout inout;
};

/* Ports by number: k.in[0]. */
class port_list {
  public:
    port_list() = default;
    port_list(detail::node_ref n, detail::direction d) : node(std::move(n)), dir(d) {}
    detail::endpoint operator[](int i) const { return { node, i, dir, -1 }; }

  private:
    detail::node_ref node;
    detail::direction dir = detail::direction::in;
};

/* Tables of a kernel's object by number, k.param[0]: only places are given to them. */
struct parameter_list {
    struct item {};
    item operator[](int) const { return {}; }
};

class kernel {
  public:
    port_list in, out, inout;
    parameter_list param;
    kernel() = default;
    kernel(const kernel &) = default;
    kernel &operator=(const kernel &other)
    {
        in = other.in, out = other.out, inout = other.inout, param = other.param, node = other.node;
        if (node) node->home = this;
        return *this;
    }
    template <class... TwA> static kernel create(void (*f)(TwA...))
    {
        return kernel(detail::code_of<void (*)(TwA...), TwA...>(f));
    }
    /* A class with state: its static registerKernelClass() names the member function by REGISTER_FUNCTION. */
    template <class TwC, class... TwA> static kernel create_object(TwA &&...arguments)
    {
        std::vector<std::shared_ptr<void>> kept;
        detail::object() = detail::make_object<TwC>(kept, std::forward<TwA>(arguments)...);
        TwC::registerKernelClass();
        kernel k(std::move(detail::object_code()));
        k.node->arguments = std::move(kept);
        return k;
    }
    detail::node_ref node;

  private:
    explicit kernel(detail::kernel_code code) : node(detail::new_node(detail::node_kind::kernel))
    {
        node->code = std::move(code);
        in = port_list(node, detail::direction::in), out = port_list(node, detail::direction::out);
        inout = port_list(node, detail::direction::inout);
    }
};
#define REGISTER_FUNCTION(function)   adf::detail::register_member(&function)
#define REGISTER_PARAMETER(parameter) ((void)0) /* memory of the tile: the object has it here */

template <class TwD> class port {
  public:
    detail::node_ref node = detail::new_node(detail::node_kind::port);
    operator detail::endpoint() const { return { node, 0, detail::direction::in, -1 }; }
};
typedef port<input> input_port;
typedef port<output> output_port;
typedef port<inout> inout_port;

struct IoAttr { /* what files and memory have in common, for counters */
    mutable detail::node_ref node;
};
class input_plio : public IoAttr {
  public:
    port_list out;
    static input_plio create(std::string name, plio_type bits, std::string file, double mhz = 0)
    {
        input_plio p;
        p.node = detail::new_file(detail::node_kind::input, std::move(name), bits, std::move(file), mhz);
        p.out = port_list(p.node, detail::direction::out);
        return p;
    }
    static input_plio create(plio_type bits, std::string file, double mhz = 0)
    {
        return create(file, bits, file, mhz);
    }
    static input_plio create(std::string name, plio_type bits) { return create(name, bits, ""); } /* no file yet */
};
class output_plio : public IoAttr {
  public:
    port_list in;
    static output_plio create(std::string name, plio_type bits, std::string file, double mhz = 0)
    {
        output_plio p;
        p.node = detail::new_file(detail::node_kind::output, std::move(name), bits, std::move(file), mhz);
        p.in = port_list(p.node, detail::direction::in);
        return p;
    }
    static output_plio create(plio_type bits, std::string file, double mhz = 0)
    {
        return create(file, bits, file, mhz);
    }
    static output_plio create(std::string name, plio_type bits) { return create(name, bits, ""); }
};
/* Packets (UG1079 "Packet Switching"): a header word, whose bits 0 to 4 say which branch, then words up to TLAST.
 * Branch i has id i. Windows behind a split get the words without the header; windows in front of a merge get one. */
template <int TwN> class pktsplit {
  public:
    std::vector<detail::endpoint> in, out;
    static pktsplit create()
    {
        pktsplit s;
        s.in.push_back(detail::chain_of_splits(TwN, s.out));
        return s;
    }
};
template <int TwN> class pktmerge {
  public:
    std::vector<detail::endpoint> in, out;
    static pktmerge create()
    {
        pktmerge m;
        m.out.push_back(detail::chain_of_merges(TwN, m.in));
        return m;
    }
};

/* --- connections ---------------------------------------------------------------------------------------------- */

template <unsigned Bytes, unsigned Margin = 0> struct window {};
struct stream {};
struct pktstream {};
struct cascade {};
struct gmem {};   /* memory of the host at a kernel in the programmable logic: refused when the graph is built */
class parameter { /* a table that kernels share: here they see the variable itself */
  public:
    template <class TwT> static parameter array(TwT &) { return parameter(); }
    template <class TwT> static parameter scalar(TwT &) { return parameter(); }
};
namespace detail {
template <class TwT> struct connection_type {
    static void apply(connection &) {}
};
template <unsigned TwB, unsigned TwM> struct connection_type<window<TwB, TwM>> {
    static void apply(connection &c) { c.bytes = TwB, c.margin = TwM, c.typed = true, c.what = kind::window; }
};
template <> struct connection_type<stream> {
    static void apply(connection &c) { c.typed = true, c.what = kind::stream; }
};
template <> struct connection_type<pktstream> : connection_type<stream> {};
template <class TwT> constexpr content content_of()
{
    return std::is_same<TwT, pktstream>::value ? content::packets
           : std::is_same<TwT, stream>::value  ? content::words
                                               : content::unsaid;
}
template <> struct connection_type<cascade> {
    static void apply(connection &c) { c.typed = true, c.what = kind::cascade; }
};
template <> struct connection_type<gmem> {
    static void apply(connection &c)
    {
        c.refused = "connect<gmem> is not modelled: GMIO brings memory of the host to a kernel's window or stream";
    }
};
template <> struct connection_type<adf::parameter> {
    static void apply(connection &c) { c.typed = true, c.what = kind::parameter; }
};
} // namespace detail

/* connect<window<128>>(a, b), connect<stream, window<128>>(a, b), connect<>(a, b), connect(a, b), or a named net. */
template <class From = void, class To = From> struct connect {
    std::shared_ptr<detail::connection> net;
    connect(detail::endpoint from, detail::endpoint to) : net(detail::new_connection(from, to))
    {
        detail::connection_type<From>::apply(*net);
        net->leaves = detail::content_of<From>(), net->arrives = detail::content_of<To>();
        if (std::is_same<From, To>::value) return;
        net->source_bytes = net->bytes;
        detail::connection_type<To>::apply(*net);
        net->typed = false; /* either end has its own kind */
    }
    connect(const parameter &, const kernel &) {}
};
connect(detail::endpoint, detail::endpoint) -> connect<void, void>;

/* async(k.in[1]) where it is connected, or as a statement. */
inline detail::endpoint async(detail::endpoint e)
{
    if (detail::port_info *p = detail::port_of(e)) p->async = 1;
    return e.async = 1, e;
}
inline detail::endpoint sync(detail::endpoint e)
{
    if (detail::port_info *p = detail::port_of(e)) p->async = 0;
    return e.async = 0, e;
}

/* A kernel that a parameter can take out of the graph: while `bp` is not 0, its windows of input go on as they are
 * (UG1079 "Kernel Bypass"). */
class bypass {
  public:
    port_list in, out;
    detail::endpoint bp;
    bypass() = default;
    static bypass create(kernel &k)
    {
        bypass b;
        b.in = k.in, b.out = k.out;
        b.bp = { k.node, detail::add_bypass(*k.node), detail::direction::in, -1 };
        return b;
    }
};

} // namespace adf

#endif
