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
template <unsigned N = inherited_extent> struct extents {
    static constexpr unsigned count = N;
    static constexpr bool inherited() { return N == inherited_extent; }
    static constexpr unsigned size() { return N; }
};
template <unsigned N> struct margin {
    static constexpr unsigned count = N;
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
template <class E, class A, class M, bool Async = false> struct io_buffer_config {
    typedef E dims_type;
    typedef A addressing_mode;
    static constexpr unsigned _margin = M::count;
    static constexpr bool async = Async;
};
template <class T, class Dir, class Config> class io_buffer {
  public:
    explicit io_buffer(tw_aie_window *w) : window(w) {}
    typedef T value_type;
    T *data() { return reinterpret_cast<T *>(window->data); }
    const T *data() const { return reinterpret_cast<const T *>(window->data); }
    T *base() { return data(); }
    const T *base() const { return data(); }
    unsigned size() const { return window->bytes / static_cast<unsigned>(sizeof(T)); } /* with the margin */
    unsigned size_incl_margin() const { return size(); }
    void acquire() { tw_aie_window_acquire(window); } /* of asynchronous buffers */
    void release() { tw_aie_window_release(window); }

  private:
    tw_aie_window *window;
};
template <class T, class E = extents<>, class M = margin<0>>
using input_buffer = io_buffer<T, detail::for_input, io_buffer_config<E, addressing::linear, M>>;
template <class T, class E = extents<>, class M = margin<0>>
using output_buffer = io_buffer<T, detail::for_output, io_buffer_config<E, addressing::linear, M>>;
template <class T, class E = extents<>, class M = margin<0>>
using input_async_buffer = io_buffer<T, detail::for_input, io_buffer_config<E, addressing::linear, M, true>>;
template <class T, class E = extents<>, class M = margin<0>>
using output_async_buffer = io_buffer<T, detail::for_output, io_buffer_config<E, addressing::linear, M, true>>;
template <class T, class E = extents<>, class M = margin<0>>
using input_circular_buffer = io_buffer<T, detail::for_input, io_buffer_config<E, addressing::circular, M>>;
template <class T, class E = extents<>, class M = margin<0>>
using output_circular_buffer = io_buffer<T, detail::for_output, io_buffer_config<E, addressing::circular, M>>;
/* The same with numbers: input_buffer_1d<int16, 256, 32>. */
template <class T, unsigned Samples = inherited_extent, unsigned Margin = 0>
using input_buffer_1d = input_buffer<T, extents<Samples>, margin<Margin>>;
template <class T, unsigned Samples = inherited_extent> using output_buffer_1d = output_buffer<T, extents<Samples>>;

namespace detail {

/* What text files hold at the other end of a port. TW_AIE_ELEMENTS: no text form. */
template <class T> struct element_of {
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
template <class A> struct parameter;

template <kind K, direction D, class T> struct plain {
    static port_info describe()
    {
        port_info p;
        p.what = K, p.dir = D, p.element = element_of<T>::value;
        if constexpr (!std::is_void<T>::value) p.element_bytes = sizeof(T);
        return p;
    }
};
#define TW__PORT_PARAMETER(pattern, T, K, D, make)                                   \
    template <class T> struct parameter<pattern> : plain<kind::K, direction::D, T> { \
        static pattern get(port_info &p)                                             \
        {                                                                            \
            return make;                                                             \
        }                                                                            \
    };
TW__PORT_PARAMETER(input_window<T> *, T, window, in, window_in(T, p.physical))
TW__PORT_PARAMETER(output_window<T> *, T, window, out, window_out(T, p.physical))
TW__PORT_PARAMETER(input_stream<T> *, T, stream, in, stream_in(T, p.physical))
TW__PORT_PARAMETER(output_stream<T> *, T, stream, out, stream_out(T, p.physical))
#undef TW__PORT_PARAMETER
template <> struct parameter<input_pktstream *> : plain<kind::stream, direction::in, int32> {
    static input_pktstream *get(port_info &p) { return pktstream_in(p.physical); }
};
template <> struct parameter<output_pktstream *> : plain<kind::stream, direction::out, int32> {
    static output_pktstream *get(port_info &p) { return pktstream_out(p.physical); }
};
template <class A> struct parameter<input_cascade<A> *> : plain<kind::cascade, direction::in, int32> {
    static input_cascade<A> *get(port_info &) { return cascade_in(A); }
};
template <class A> struct parameter<output_cascade<A> *> : plain<kind::cascade, direction::out, int32> {
    static output_cascade<A> *get(port_info &) { return cascade_out(A); }
};
/* Buffers are made for the time of a call. */
template <class B> struct held {
    B buffer;
    operator B &() { return buffer; }
};
template <class T, class Dir, class Config> struct parameter<io_buffer<T, Dir, Config> &> {
    static constexpr direction dir = std::is_same<Dir, for_input>::value ? direction::in : direction::out;
    static port_info describe()
    {
        port_info p = plain<kind::window, dir, T>::describe();
        p.samples = Config::dims_type::count;
        p.margin_samples = Config::_margin == inherited_margin ? 0 : Config::_margin;
        if (Config::async) p.async = 1;
        return p;
    }
    static held<io_buffer<T, Dir, Config>> get(port_info &p)
    {
        return { io_buffer<T, Dir, Config>(dir == direction::in ? tw_aie_window_in(p.physical)
                                                                : tw_aie_window_out(p.physical)) };
    }
};
/* Run-time parameters: scalars and arrays; const references and values go in, plain references go both ways. */
template <class T, direction D> struct runtime_parameter {
    static_assert(std::is_trivially_copyable<T>::value, "a kernel's parameter is a window, a buffer, a stream, the "
                                                        "cascade, or plain data");
    static port_info describe()
    {
        port_info p;
        p.what = kind::parameter, p.dir = D, p.element_bytes = sizeof(T);
        p.value = std::make_shared<std::vector<unsigned char>>(sizeof(T)); /* aligned as malloc() is */
        p.latest.resize(sizeof(T));
        p.has_value = D != direction::in;
        return p;
    }
    static T &get(port_info &p) { return *reinterpret_cast<T *>(p.value->data()); }
};
template <class A> struct parameter : runtime_parameter<A, direction::in> {};
template <class A> struct parameter<const A &> : runtime_parameter<A, direction::in> {};
template <class A> struct parameter<A &> : runtime_parameter<A, direction::inout> {};

/* A kernel: its parameters, and what one firing does. */
struct kernel_code {
    std::vector<port_info> ports; /* in order of the parameters */
    std::function<void(std::vector<port_info> &)> fire;
};
template <class F, class... A, size_t... I>
void call(F &f, std::vector<port_info> &ports, std::index_sequence<I...>)
{
    (void)ports;
    f(static_cast<A>(parameter<A>::get(ports[I]))...);
}
template <class F, class... A> kernel_code code_of(F f)
{
    kernel_code code;
    code.ports = { parameter<A>::describe()... };
    int windows[2] = { 0, 0 }, streams[2] = { 0, 0 };
    for (port_info &p : code.ports) {
        int out = p.dir == direction::out;
        if (p.what == kind::window) p.physical = windows[out]++;
        if (p.what == kind::stream) p.physical = streams[out]++;
    }
    code.fire = [f](std::vector<port_info> &ports) mutable {
        call<F, A...>(f, ports, std::index_sequence_for<A...>());
    };
    return code;
}

} // namespace detail
} // namespace adf

#endif
