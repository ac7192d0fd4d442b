// SPDX-License-Identifier: MIT
/* What a kernel's parameters mean for a graph: windows, buffers, streams, cascade, run-time parameters. Each
 * kind says how many it is among its like, and makes the argument of a firing. Part of <tilewright/aie/adf.hpp>. */
#ifndef TILEWRIGHT_ADF_PORTS_HPP
#define TILEWRIGHT_ADF_PORTS_HPP

#include <tilewright/aie.h>

#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace adf {

constexpr unsigned inherited_extent = 0;
constexpr unsigned inherited_margin = ~0u;
template <unsigned TwN = inherited_extent> struct extents {
    static constexpr unsigned count = TwN;
    static constexpr bool inherited() { return TwN == inherited_extent; }
    static constexpr unsigned size() { return TwN; }
};
template <unsigned TwN> struct margin {
    static constexpr unsigned count = TwN;
};
namespace addressing {
struct linear {};
struct circular {};
} // namespace addressing

/* The block of a window as memory: data() begins with the margin. `Dir`: detail::for_input or for_output; `Config` as
 * layered libraries ask for it. */
namespace detail {
struct for_input {};
struct for_output {};
} // namespace detail
template <class TwE, class TwA, class TwM, bool Async = false> struct io_buffer_config {
    typedef TwE dims_type;
    typedef TwA addressing_mode;
    static constexpr unsigned _margin = TwM::count;
    static constexpr bool async = Async;
};
template <class TwT, class Dir, class Config> class io_buffer {
  public:
    explicit io_buffer(tw_aie_window *w) : window(w) {}
    typedef TwT value_type;
    TwT *data() { return reinterpret_cast<TwT *>(window->data); }
    const TwT *data() const { return reinterpret_cast<const TwT *>(window->data); }
    TwT *base() { return data(); }
    const TwT *base() const { return data(); }
    unsigned size() const { return window->bytes / static_cast<unsigned>(sizeof(TwT)); } /* with the margin */
    unsigned size_incl_margin() const { return size(); }
    void acquire() { tw_aie_window_acquire(window); } /* of asynchronous buffers */
    void release() { tw_aie_window_release(window); }

  private:
    tw_aie_window *window;
};
template <class TwT, class TwE = extents<>, class TwM = margin<0>>
using input_buffer = io_buffer<TwT, detail::for_input, io_buffer_config<TwE, addressing::linear, TwM>>;
template <class TwT, class TwE = extents<>, class TwM = margin<0>>
using output_buffer = io_buffer<TwT, detail::for_output, io_buffer_config<TwE, addressing::linear, TwM>>;
template <class TwT, class TwE = extents<>, class TwM = margin<0>>
using input_async_buffer = io_buffer<TwT, detail::for_input, io_buffer_config<TwE, addressing::linear, TwM, true>>;
template <class TwT, class TwE = extents<>, class TwM = margin<0>>
using output_async_buffer =
    io_buffer<TwT, detail::for_output, io_buffer_config<TwE, addressing::linear, TwM, true>>;
template <class TwT, class TwE = extents<>, class TwM = margin<0>>
using input_circular_buffer = io_buffer<TwT, detail::for_input, io_buffer_config<TwE, addressing::circular, TwM>>;
template <class TwT, class TwE = extents<>, class TwM = margin<0>>
using output_circular_buffer = io_buffer<TwT, detail::for_output, io_buffer_config<TwE, addressing::circular, TwM>>;
/* The same with numbers: input_buffer_1d<int16, 256, 32>. */
template <class TwT, unsigned Samples = inherited_extent, unsigned Margin = 0>
using input_buffer_1d = input_buffer<TwT, extents<Samples>, margin<Margin>>;
template <class TwT, unsigned Samples = inherited_extent>
using output_buffer_1d = output_buffer<TwT, extents<Samples>>;

namespace detail {

/* What text files hold at the other end of a port. TW_AIE_ELEMENTS: no text form. */
template <class TwT> struct element_of {
    static constexpr tw_aie_element value = TW_AIE_ELEMENTS;
};
#define TW__ELEMENT_OF(type, name)                    \
    template <> struct element_of<type> {             \
        static constexpr tw_aie_element value = name; \
    };
TW__ELEMENT_OF(int8, TW_AIE_INT8)
TW__ELEMENT_OF(uint8, TW_AIE_UINT8)
TW__ELEMENT_OF(int16, TW_AIE_INT16)
TW__ELEMENT_OF(uint16, TW_AIE_UINT16)
TW__ELEMENT_OF(int32, TW_AIE_INT32)
TW__ELEMENT_OF(uint32, TW_AIE_UINT32)
TW__ELEMENT_OF(int64, TW_AIE_INT64)
TW__ELEMENT_OF(uint64, TW_AIE_UINT64)
TW__ELEMENT_OF(long, TW_AIE_INT64)
TW__ELEMENT_OF(unsigned long, TW_AIE_UINT64)
TW__ELEMENT_OF(cint16, TW_AIE_CINT16)
TW__ELEMENT_OF(cint32, TW_AIE_CINT32)
TW__ELEMENT_OF(float, TW_AIE_FLOAT32)
TW__ELEMENT_OF(cfloat, TW_AIE_CFLOAT32)
#undef TW__ELEMENT_OF

enum class kind { window, stream, cascade, parameter };
enum class direction { in, out, inout };

/* One parameter of a kernel. */
struct port_info {
    kind what = kind::stream;
    direction dir = direction::in;
    tw_aie_element element = TW_AIE_ELEMENTS;
    unsigned element_bytes = 4;
    unsigned samples = 0, margin_samples = 0;          /* of a buffer, where its type says so */
    int physical = 0;                                  /* its number among windows or streams of the direction */
    std::shared_ptr<std::vector<unsigned char>> value; /* of a run-time parameter: what a firing sees */
    bool has_value = false;
    std::vector<unsigned char> latest;             /* of an output, behind the last firing */
    std::deque<std::vector<unsigned char>> values; /* of a synchronous one: not yet taken, or not yet read */
    std::vector<port_info *> readers;              /* of an output: parameters of other kernels */
    int64_t async = -1;                            /* -1: as it comes, 0: synchronous, 1: asynchronous */
};

/* parameter<A>: describes an argument of type A, and makes it. */
template <class TwA> struct parameter;

template <kind TwK, direction TwD, class TwT> struct plain {
    static port_info describe()
    {
        port_info p;
        p.what = TwK, p.dir = TwD, p.element = element_of<TwT>::value;
        if constexpr (!std::is_void<TwT>::value) p.element_bytes = sizeof(TwT);
        return p;
    }
};
#define TW__PORT_PARAMETER(pattern, TwT, TwK, TwD, make)                                     \
    template <class TwT> struct parameter<pattern> : plain<kind::TwK, direction::TwD, TwT> { \
        static pattern get(port_info &p)                                                     \
        {                                                                                    \
            return make;                                                                     \
        }                                                                                    \
    };
TW__PORT_PARAMETER(input_window<TwT> *, TwT, window, in, window_in(TwT, p.physical))
TW__PORT_PARAMETER(output_window<TwT> *, TwT, window, out, window_out(TwT, p.physical))
TW__PORT_PARAMETER(input_stream<TwT> *, TwT, stream, in, stream_in(TwT, p.physical))
TW__PORT_PARAMETER(output_stream<TwT> *, TwT, stream, out, stream_out(TwT, p.physical))
#undef TW__PORT_PARAMETER
template <> struct parameter<input_pktstream *> : plain<kind::stream, direction::in, int32> {
    static input_pktstream *get(port_info &p) { return pktstream_in(p.physical); }
};
template <> struct parameter<output_pktstream *> : plain<kind::stream, direction::out, int32> {
    static output_pktstream *get(port_info &p) { return pktstream_out(p.physical); }
};
template <class TwA> struct parameter<input_cascade<TwA> *> : plain<kind::cascade, direction::in, int32> {
    static input_cascade<TwA> *get(port_info &) { return cascade_in(TwA); }
};
template <class TwA> struct parameter<output_cascade<TwA> *> : plain<kind::cascade, direction::out, int32> {
    static output_cascade<TwA> *get(port_info &) { return cascade_out(TwA); }
};
/* Buffers are made for the time of a call. */
template <class TwB> struct held {
    TwB buffer;
    operator TwB &() { return buffer; }
};
template <class TwT, class Dir, class Config> struct parameter<io_buffer<TwT, Dir, Config> &> {
    static constexpr direction dir = std::is_same<Dir, for_input>::value ? direction::in : direction::out;
    static port_info describe()
    {
        port_info p = plain<kind::window, dir, TwT>::describe();
        p.samples = Config::dims_type::count;
        p.margin_samples = Config::_margin == inherited_margin ? 0 : Config::_margin;
        if (Config::async) p.async = 1;
        return p;
    }
    static held<io_buffer<TwT, Dir, Config>> get(port_info &p)
    {
        return { io_buffer<TwT, Dir, Config>(dir == direction::in ? tw_aie_window_in(p.physical)
                                                                  : tw_aie_window_out(p.physical)) };
    }
};
/* Run-time parameters: scalars and arrays; const references and values go in, plain references go both ways. */
template <class TwT, direction TwD> struct runtime_parameter {
    static_assert(std::is_trivially_copyable<TwT>::value,
                  "a kernel's parameter is a window, a buffer, a stream, the "
                  "cascade, or plain data");
    static port_info describe()
    {
        port_info p;
        p.what = kind::parameter, p.dir = TwD, p.element_bytes = sizeof(TwT);
        p.value = std::make_shared<std::vector<unsigned char>>(sizeof(TwT)); /* aligned as malloc() is */
        p.latest.resize(sizeof(TwT));
        p.has_value = TwD != direction::in;
        return p;
    }
    static TwT &get(port_info &p) { return *reinterpret_cast<TwT *>(p.value->data()); }
};
template <class TwA> struct parameter : runtime_parameter<TwA, direction::in> {};
template <class TwA> struct parameter<const TwA &> : runtime_parameter<TwA, direction::in> {};
template <class TwA> struct parameter<TwA &> : runtime_parameter<TwA, direction::inout> {};

/* A kernel: its parameters, and what one firing does. */
struct kernel_code {
    std::vector<port_info> ports; /* in order of the parameters */
    std::function<void(std::vector<port_info> &)> fire;
};
template <class TwF, class... TwA, size_t... TwI>
void call(TwF &f, std::vector<port_info> &ports, std::index_sequence<TwI...>)
{
    (void)ports;
    f(static_cast<TwA>(parameter<TwA>::get(ports[TwI]))...);
}
template <class TwF, class... TwA> kernel_code code_of(TwF f)
{
    kernel_code code;
    code.ports = { parameter<TwA>::describe()... };
    int windows[2] = { 0, 0 }, streams[2] = { 0, 0 };
    for (port_info &p : code.ports) {
        int out = p.dir == direction::out;
        if (p.what == kind::window) p.physical = windows[out]++;
        if (p.what == kind::stream) p.physical = streams[out]++;
    }
    code.fire = [f](std::vector<port_info> &ports) mutable {
        call<TwF, TwA...>(f, ports, std::index_sequence_for<TwA...>());
    };
    return code;
}

} // namespace detail
} // namespace adf

#endif
