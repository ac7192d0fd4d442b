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

#include <tilewright/adf/build.hpp>

namespace adf {

/* --- objects of a graph ---------------------------------------------------------------------------------------------- */

enum plio_type { plio_32_bits = 32, plio_64_bits = 64, plio_128_bits = 128 };
struct input {};
struct output {};
struct inout {};

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

class kernel {
  public:
    port_list in, out, inout;
    kernel() = default;
    template <class... A> static kernel create(void (*f)(A...))
    {
        return kernel(detail::code_of<void (*)(A...), A...>(f));
    }
    /* A class with state: its static registerKernelClass() names the member function by REGISTER_FUNCTION. */
    template <class C, class... A> static kernel create_object(A &&...arguments)
    {
        detail::object() = std::make_shared<C>(std::forward<A>(arguments)...);
        C::registerKernelClass();
        return kernel(std::move(detail::object_code()));
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
#define REGISTER_FUNCTION(function) adf::detail::register_member(&function)

template <class D> class port {
  public:
    detail::node_ref node = detail::new_node(detail::node_kind::port);
    operator detail::endpoint() const { return { node, 0, detail::direction::in, -1 }; }
};
typedef port<input> input_port;
typedef port<output> output_port;

class input_plio {
  public:
    port_list out;
    static input_plio create(std::string name, plio_type bits, std::string file, double = 0)
    {
        input_plio p;
        p.out = port_list(detail::new_file(detail::node_kind::input, std::move(name), bits, std::move(file)),
                          detail::direction::out);
        return p;
    }
    static input_plio create(plio_type bits, std::string file, double = 0) { return create(file, bits, file); }
};
class output_plio {
  public:
    port_list in;
    static output_plio create(std::string name, plio_type bits, std::string file, double = 0)
    {
        output_plio p;
        p.in = port_list(detail::new_file(detail::node_kind::output, std::move(name), bits, std::move(file)),
                         detail::direction::in);
        return p;
    }
    static output_plio create(plio_type bits, std::string file, double = 0) { return create(file, bits, file); }
};
/* The older way: PLIO objects, joined to the ports of a graph by a platform. */
struct PLIO {
    std::string name, file;
    plio_type bits;
    PLIO(std::string n, plio_type b, std::string f, double = 0) : name(std::move(n)), file(std::move(f)), bits(b) {}
    PLIO(std::string n, std::string f) : PLIO(std::move(n), plio_32_bits, std::move(f)) {}
};
namespace simulation {
template <int In, int Out> class platform {
  public:
    detail::endpoint src[In ? In : 1], sink[Out ? Out : 1];
    template <class... P> explicit platform(P *...files)
    {
        static_assert(sizeof...(P) == In + Out, "a platform takes its inputs, then its outputs");
        PLIO *all[] = { files... };
        for (int i = 0; i < In + Out; i++) {
            bool in = i < In;
            detail::node_ref n = detail::new_file(in ? detail::node_kind::input : detail::node_kind::output,
                                                  all[i]->name, all[i]->bits, all[i]->file);
            (in ? src[i] : sink[i - In]) = { n, 0, in ? detail::direction::out : detail::direction::in, -1 };
        }
    }
};
} // namespace simulation

/* --- connections ------------------------------------------------------------------------------------------------------ */

template <unsigned Bytes, unsigned Margin = 0> struct window {};
struct stream {};
struct cascade {};
struct parameter {};
namespace detail {
template <class T> struct connection_type {
    static void apply(connection &) {}
};
template <unsigned B, unsigned M> struct connection_type<window<B, M>> {
    static void apply(connection &c) { c.bytes = B, c.margin = M, c.typed = true, c.what = kind::window; }
};
template <> struct connection_type<stream> {
    static void apply(connection &c) { c.typed = true, c.what = kind::stream; }
};
template <> struct connection_type<cascade> {
    static void apply(connection &c) { c.typed = true, c.what = kind::cascade; }
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
        if (std::is_same<From, To>::value) return;
        detail::connection_type<To>::apply(*net);
        net->typed = false; /* either end has its own kind */
    }
};
connect(detail::endpoint, detail::endpoint) -> connect<void, void>;

inline detail::endpoint async(detail::endpoint e)
{
    return e.async = 1, e;
}
inline detail::endpoint sync(detail::endpoint e)
{
    return e.async = 0, e;
}

/* --- properties: left sides of an assignment -------------------------------------------------------------------------- */

namespace detail {
struct source_sink { /* source(k) = "src/fir.cpp": here it gives the kernel its name */
    node_ref node;
    void operator=(const std::string &path)
    {
        size_t at = path.find_last_of('/') + 1;
        node->name = path.substr(at, path.find_last_of('.') - at);
    }
};
struct text_sink { /* headers(k) = { "fir.h" }: told to the compiler there, of no use here */
    void operator=(const std::vector<std::string> &) {}
};
struct number_sink {
    double *at;
    void operator=(double v) { *at = v; }
};
struct count_sink {
    unsigned *at;
    void operator=(unsigned v) { *at = v; }
};
struct size_sink {
    endpoint at;
    void operator=(std::initializer_list<unsigned> sizes)
    {
        unsigned all = 1;
        for (unsigned s : sizes) all *= s;
        at.node->sizes.push_back({ at.index, at.dir, all });
    }
};
} // namespace detail
struct ratio {};
struct buffer {};
struct stack {};
struct bank {};
inline detail::source_sink source(kernel &k)
{
    return { k.node };
}
inline detail::text_sink headers(kernel &)
{
    return {};
}
template <class T> detail::number_sink runtime(kernel &k)
{
    return { &k.node->ratio };
}
inline detail::count_sink repetition_count(kernel &k)
{
    return { &k.node->repeat };
}
inline detail::count_sink stack_size(kernel &k)
{
    return { &k.node->stack_bytes };
}
inline detail::count_sink heap_size(kernel &k)
{
    return { &k.node->heap_bytes };
}
template <class F, class T> detail::count_sink fifo_depth(connect<F, T> &net)
{
    return { &net.net->depth };
}
inline detail::size_sink dimensions(detail::endpoint e)
{
    return { e };
}
struct tile {
    int column, row;
    tile(int c, int r) : column(c), row(r) {}
};
namespace detail {
struct place_sink {
    node_ref node;
    void operator=(tile t) { node->column = t.column, node->row = t.row; }
    void operator=(const place_sink &other)
    {
        node->like = other.node;
    } /* location<kernel>(a) = location<kernel>(b) */
};
struct ignored_sink { /* addresses and banks of buffers do not change results */
    template <class T> void operator=(const T &) {}
};
} // namespace detail
template <class T, class = typename std::enable_if<std::is_same<T, kernel>::value>::type>
detail::place_sink location(kernel &k)
{
    return { k.node };
}
template <class T, class P, class = typename std::enable_if<!std::is_same<T, kernel>::value>::type>
detail::ignored_sink location(P &&)
{
    return {};
}

/* --- the graph -------------------------------------------------------------------------------------------------------- */

enum return_code { ok = 0, user_error, aietools_error, xrt_error, internal_error, unsupported };

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
        detail::tops().insert(first);
        return ok;
    }
    /* n firings of each kernel; below 1, or none: until the input files end. */
    virtual return_code run(int n = -1)
    {
        if (return_code bad = build()) return bad;
        std::string missing = detail::missing_parameter(kept);
        if (!missing.empty()) return failed(missing);
        tw_status status =
            (ran ? tw_aie_array_resume : tw_aie_array_run)(array, n > 0 ? static_cast<uint64_t>(n) : 0);
        ran = true;
        return status == TW_OK ? ok : failed(tw_error_message());
    }
    virtual return_code wait() { return ok; }
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

  private:
    unsigned long first;
    tw_aie_array *array = nullptr;
    std::vector<detail::node_ref> kept; /* what the array points to */
    bool ran = false;

    return_code failed(const std::string &message)
    {
        std::fprintf(stderr, "graph: %s\n", message.c_str());
        return user_error;
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

} // namespace adf

#endif
