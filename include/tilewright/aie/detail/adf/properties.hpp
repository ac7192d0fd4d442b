// SPDX-License-Identifier: MIT
/* Properties of kernels, ports and connections: left sides of an assignment. Part of <tilewright/aie/adf.hpp>. */
#ifndef TILEWRIGHT_ADF_PROPERTIES_HPP
#define TILEWRIGHT_ADF_PROPERTIES_HPP

#include <tilewright/aie/detail/adf/objects.hpp>

namespace adf {

struct ratio {};
struct buffer {};
struct stack {};
struct fifo {};
struct bank {
    bank(int, int, int) {}
};
struct address {
    address(int, int, int) {}
};
struct offset {
    explicit offset(int) {}
};
struct bounding_box { /* location<graph>(g) = bounding_box(first column, first row, last column, last row) */
    bounding_box(int, int, int, int) {}
};
struct shim {
    explicit shim(int, int = 0) {}
};
enum tile_type { aie_tile, shim_tile, memory_tile };
struct dma_fifo { /* words of 32 bits that wait in the memory of a tile */
    unsigned depth;
    dma_fifo(tile_type, int, int, int, int words) : depth(static_cast<unsigned>(words)) {}
};
struct ss_fifo { /* a queue of a stream switch */
    unsigned depth = 16;
    ss_fifo(tile_type, int, int, int) {}
};
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
struct init_sink {
    node_ref node;
    void operator=(void (*f)()) { node->initialise = f; }
    void operator=(const char *name) { node->by_name = name; } /* looked for when the graph is built */
};
struct fifo_sink { /* queues on the way: all of them together hold so much */
    unsigned *depth;
    void operator=(dma_fifo f) { *depth += f.depth; }
    void operator=(ss_fifo f) { *depth += f.depth; }
    void operator=(std::initializer_list<dma_fifo> all)
    {
        for (const dma_fifo &f : all) *depth += f.depth;
    }
};
struct number_sink {
    double *at;
    double operator=(double v) { return *at = v; } /* runtime<ratio>(a) = runtime<ratio>(b) = 0.5 */
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
        *this = all;
    }
    void operator=(unsigned samples) { at.node->sizes.push_back({ at.index, at.dir, samples }); }
};
} // namespace detail
inline detail::source_sink source(kernel &k)
{
    return { k.node };
}
/* fabric<pl>(k): a kernel in the programmable logic runs like any other, on a tile of its own. */
struct pl {};
template <class TwF> void fabric(kernel &k)
{
    static_assert(std::is_same<TwF, pl>::value, "fabric<pl>(kernel)");
    k.node->logic = true;
}
inline detail::text_sink headers(kernel &)
{
    return {};
}
template <class TwT = ratio> detail::number_sink runtime(kernel &k)
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
template <class TwF, class TwT> detail::count_sink fifo_depth(connect<TwF, TwT> &net)
{
    return { &net.net->depth };
}
/* initialization_function(k) = init: called once, before the first firing. */
inline detail::init_sink initialization_function(kernel &k)
{
    return { k.node };
}
/* One block instead of a ping-pong pair: of a kernel's window, or of whatever a port of the graph leads to. */
inline void single_buffer(const detail::endpoint &e)
{
    e.node->singles.push_back({ e.dir, e.index });
}
inline detail::size_sink dimensions(detail::endpoint e)
{
    return { e };
}
/* samples_per_iteration(k.in[0]) = 256: of a window what dimensions() says; of a stream it changes nothing here. */
inline detail::size_sink samples_per_iteration(detail::endpoint e)
{
    return { e };
}
/* What published graphs write without the namespace is found by the ports of kernels, which live in detail. */
namespace detail {
using adf::async;
using adf::dimensions;
using adf::samples_per_iteration;
using adf::single_buffer;
using adf::sync;
} // namespace detail
struct tile {
    int column, row;
    tile(int c, int r) : column(c), row(r) {}
};
/* How far from another kernel, in tiles: columns count eastward, rows northward (UG1079 "Relative Constraints"). */
struct relative_coordinate {
    int col_offset = 0, row_offset = 0;
};
struct relative_offset {
    relative_coordinate by;
    relative_offset(relative_coordinate c) : by(c) {}
};
/* The place of a kernel as a value: location_constraint at = location<kernel>(k), at + relative_offset(...). */
struct location_constraint {
    detail::node_ref node;
    relative_coordinate by;
};
inline location_constraint operator+(location_constraint at, const relative_offset &o)
{
    at.by.col_offset += o.by.col_offset, at.by.row_offset += o.by.row_offset;
    return at;
}
namespace detail {
struct any_place { /* of lists that mix places, offsets and banks */
    template <class TwT> any_place(const TwT &) {}
};
struct ignored_sink { /* addresses and banks of buffers do not change results */
    template <class TwT> void operator=(const TwT &) {}
    void operator=(std::initializer_list<any_place>) {}
};
struct place_sink {
    node_ref node;
    void operator=(tile t) { node->column = t.column, node->row = t.row, node->like = nullptr; }
    void operator=(const location_constraint &at) /* location<kernel>(a) = location<kernel>(b) + ... */
    {
        node->column = node->row = -1;
        node->like = at.node, node->like_column = at.by.col_offset, node->like_row = at.by.row_offset;
    }
    void operator=(const place_sink &other) { *this = location_constraint(other); }
    void operator=(const ignored_sink &) {} /* near a buffer, which lies where its kernel is */
    operator location_constraint() const { return { node, {} }; }
};
inline location_constraint operator+(const place_sink &at, const relative_offset &o)
{
    return location_constraint(at) + o;
}
} // namespace detail
template <class TwT, class = typename std::enable_if<std::is_same<TwT, kernel>::value>::type>
detail::place_sink location(kernel &k)
{
    return { k.node };
}
template <class TwT, class TwF, class To, class = typename std::enable_if<std::is_same<TwT, fifo>::value>::type>
detail::fifo_sink location(connect<TwF, To> &net)
{
    return { &net.net->depth };
}
template <
    class TwT, class TwP,
    class = typename std::enable_if<!std::is_same<TwT, kernel>::value && !std::is_same<TwT, fifo>::value>::type>
detail::ignored_sink location(TwP &&)
{
    return {};
}

/* not_equal(location<buffer>(a), location<buffer>(b)): of banks, which change no result. */
template <class TwA, class TwB> void not_equal(const TwA &, const TwB &) {}

} // namespace adf
/* Published graphs write these without the namespace. */
using adf::dma_fifo;
using adf::input;
using adf::output;
using adf::ratio;
using adf::ss_fifo;

#endif
