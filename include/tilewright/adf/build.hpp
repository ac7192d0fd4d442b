/* From the objects of a graph to an array: who belongs together, what lies where, who feeds whom. Part of
 * <tilewright/adf.hpp>. One thread builds graphs at a time. */
#ifndef TILEWRIGHT_ADF_BUILD_HPP
#define TILEWRIGHT_ADF_BUILD_HPP

#include <tilewright/adf/ports.hpp>

#include <cstdio>
#include <initializer_list>
#include <map>
#include <set>

namespace adf {
namespace detail {

enum class node_kind { kernel, port, input, output };
struct node;
typedef std::shared_ptr<node> node_ref;
struct endpoint {
    node_ref node;
    int index = 0;
    direction dir = direction::in;
    int64_t async = -1;
};
struct node {
    node_kind what;
    unsigned long serial;
    std::string name, path; /* of a kernel: its source; of a file: its path */
    kernel_code code;
    int column = -1, row = -1, number = -1, bits = 32;
    node_ref like; /* on the tile of another kernel */
    double ratio = 0;
    unsigned repeat = 1, stack_bytes = 0, heap_bytes = 0;
    struct size {
        int index;
        direction dir;
        unsigned samples;
    };
    std::vector<size> sizes;
    port_info *parameter = nullptr; /* of a graph's port that leads to one */
};
struct connection {
    endpoint from, to;
    unsigned bytes = 0, margin = 0, depth = 0;
    bool typed = false;
    kind what = kind::stream;
    unsigned long serial;
};

inline unsigned long next_serial()
{
    static unsigned long last = 0;
    return ++last;
}
/* Everything made and not yet built; graphs that have been initialised. */
inline std::vector<node_ref> &nodes()
{
    static std::vector<node_ref> &all = *new std::vector<node_ref>; /* graphs may be global: it outlives them */
    return all;
}
inline std::vector<std::shared_ptr<connection>> &nets()
{
    static std::vector<std::shared_ptr<connection>> &all =
        *new std::vector<std::shared_ptr<connection>>; /* graphs may be global: it outlives them */
    return all;
}
inline std::set<unsigned long> &tops()
{
    static std::set<unsigned long> &all = *new std::set<unsigned long>; /* graphs may be global: it outlives them */
    return all;
}
inline node_ref new_node(node_kind what)
{
    node_ref n = std::make_shared<node>();
    n->what = what, n->serial = next_serial();
    n->name = (what == node_kind::kernel ? "kernel " : "port ") + std::to_string(n->serial);
    nodes().push_back(n);
    return n;
}
inline node_ref new_file(node_kind what, std::string name, int bits, std::string path)
{
    node_ref n = new_node(what);
    n->name = std::move(name), n->bits = bits, n->path = std::move(path);
    return n;
}
inline std::shared_ptr<connection> new_connection(const endpoint &from, const endpoint &to)
{
    auto c = std::make_shared<connection>();
    c->from = from, c->to = to, c->serial = next_serial();
    nets().push_back(c);
    return c;
}
inline std::shared_ptr<void> &object()
{
    static std::shared_ptr<void> made;
    return made;
}
inline kernel_code &object_code()
{
    static kernel_code code;
    return code;
}
template <class C, class... A> void register_member(void (C::*f)(A...))
{
    auto self = std::static_pointer_cast<C>(object());
    auto run = [self, f](A... arguments) { ((*self).*f)(static_cast<A>(arguments)...); };
    object_code() = code_of<decltype(run), A...>(run);
}

/* The parameter of a kernel that an endpoint names: inputs, outputs and inouts count by themselves. */
inline port_info *port_of(const endpoint &e)
{
    int n = e.index;
    if (!e.node || e.node->what != node_kind::kernel) return nullptr;
    for (port_info &p : e.node->code.ports)
        if (p.dir == e.dir && n-- == 0) return &p;
    return nullptr;
}
inline port_info *find_parameter(const endpoint &e, bool reading)
{
    port_info *p = e.node && e.node->what == node_kind::port ? e.node->parameter : port_of(e);
    return p && p->what == kind::parameter && (!reading || p->dir != direction::in) ? p : nullptr;
}

/* What becomes one array; lives as long as the graph. */
struct builder {
    tw_aie_array *array = nullptr;
    std::vector<node_ref> mine;
    std::vector<std::shared_ptr<connection>> wires;
    std::string error;
    std::set<std::pair<int, int>> taken;
    int next_tile = 0, adapters = 0;

    void fail(const std::string &text)
    {
        if (error.empty()) error = text;
    }
    static std::string title(const endpoint &e)
    {
        static const char *const words[] = { "in", "out", "inout" };
        std::string name = "'" + e.node->name + "'";
        return e.node->what == node_kind::kernel
                   ? name + "." + words[static_cast<int>(e.dir)] + "[" + std::to_string(e.index) + "]"
                   : name;
    }

    /* Takes what was made between this top graph and the next one. */
    void claim(unsigned long first)
    {
        auto next = tops().upper_bound(first);
        unsigned long behind = next == tops().end() ? ~0ul : *next;
        auto take = [&](auto &all, auto &into) {
            typename std::decay<decltype(all)>::type rest;
            for (auto &x : all) (x->serial > first && x->serial < behind ? into : rest).push_back(x);
            all = rest;
        };
        take(nodes(), mine);
        take(nets(), wires);
    }

    /* --- places --------------------------------------------------------------------------------------------------- */

    bool free_tile(int column, int row) const
    {
        return column >= 0 && column < 50 && row >= 0 && row < 8 && !taken.count({ column, row });
    }
    /* Serpentine by columns: neighbours in order are neighbours in the array. */
    std::pair<int, int> any_tile()
    {
        for (; next_tile < 400; next_tile++) {
            int column = next_tile / 8, row = column % 2 ? 7 - next_tile % 8 : next_tile % 8;
            if (free_tile(column, row)) return { column, row };
        }
        fail("the array has 400 tiles, and the graph needs more");
        return { 0, 0 };
    }
    std::pair<int, int> tile_beside(const node_ref &n)
    {
        static const int steps[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
        for (const auto &s : steps)
            if (free_tile(n->column + s[0], n->row + s[1])) return { n->column + s[0], n->row + s[1] };
        return any_tile();
    }
    void place_kernels()
    {
        for (node_ref &n : mine)
            if (n->column >= 0) taken.insert({ n->column, n->row });
        for (node_ref &n : mine) {
            if (n->what != node_kind::kernel || n->column >= 0 || n->like) continue;
            std::pair<int, int> at{ -1, -1 };
            for (auto &w : wires) /* a cascade joins neighbours */
                if (w->to.node == n && w->from.node->column >= 0 && is_cascade(w->to))
                    at = tile_beside(w->from.node);
            if (at.first < 0) at = any_tile();
            n->column = at.first, n->row = at.second;
            taken.insert(at);
        }
        for (node_ref &n : mine)
            if (n->like) n->column = n->like->column, n->row = n->like->row;
    }
    static bool is_cascade(const endpoint &e)
    {
        port_info *p = port_of(e);
        return p && p->what == kind::cascade;
    }
    static void fire(void *user)
    {
        node *n = static_cast<node *>(user);
        n->code.fire(n->code.ports);
    }
    void add_kernels()
    {
        place_kernels();
        for (node_ref &n : mine) {
            if (n->what != node_kind::kernel) continue;
            n->number = tw_aie_array_add(array, n->name.c_str(), fire, n.get(), n->column, n->row);
            if (n->repeat != 1) tw_aie_array_repeat(array, n->number, n->repeat);
        }
    }

    /* --- wires ---------------------------------------------------------------------------------------------------- */

    /* One end of a transfer: a kernel's port or a file, with what connections and dimensions say of it. */
    struct end {
        endpoint at;
        kind what = kind::stream;
        unsigned bytes = 0, margin = 0, depth = 0;
        port_info *info = nullptr;
    };
    unsigned bytes_of(const endpoint &e, const port_info &p) const
    {
        for (const node::size &s : e.node->sizes)
            if (s.index == e.index && s.dir == e.dir) return s.samples * p.element_bytes;
        return p.samples * p.element_bytes;
    }
    end end_of(const endpoint &e, const connection &options)
    {
        end r;
        r.at = e, r.what = options.typed ? options.what : options.bytes ? kind::window : kind::stream;
        r.bytes = options.bytes, r.margin = options.margin, r.depth = options.depth;
        r.info = port_of(e);
        if (e.node->what != node_kind::kernel) return r;
        if (!r.info) {
            fail("there is no " + title(e));
            return r;
        }
        if (options.typed && options.what != r.info->what)
            fail(title(e) + " is not of the kind that connect<> names");
        r.what = r.info->what;
        if (r.what == kind::window && !r.bytes) r.bytes = bytes_of(e, *r.info);
        if (r.what == kind::window && r.info->margin_samples)
            r.margin = r.info->margin_samples * r.info->element_bytes;
        if (r.what == kind::window && !r.bytes)
            fail(title(e) + " has no size: connect<window<bytes>>, extents or dimensions() give one");
        return r;
    }
    /* Where data comes from: back through the ports of graphs, collecting what their connections say. */
    bool trace(connection &c)
    {
        for (int hops = 0; c.from.node->what == node_kind::port; hops++) {
            connection *up = nullptr;
            for (auto &w : wires)
                if (w->to.node == c.from.node) up = w.get();
            if (!up || hops > 1000) return false;
            c.from = up->from;
            if (!c.bytes) c.bytes = up->bytes, c.margin = up->margin;
            if (!c.typed) c.typed = up->typed, c.what = up->what;
            if (!c.depth) c.depth = up->depth;
        }
        return true;
    }
    /* A graph's port that leads to a parameter; update() and read() look here. */
    void join_parameter(const connection &wire)
    {
        bool out = port_of(wire.from) != nullptr;
        const endpoint &far = out ? wire.to : wire.from;
        port_info *p = port_of(out ? wire.from : wire.to);
        if (far.node->what != node_kind::port) {
            fail(title(wire.from) + " to " + title(wire.to) + ": parameters are connected to ports of the graph");
            return;
        }
        std::vector<node_ref> open{ far.node };
        for (size_t i = 0; i < open.size() && i < 1000; i++) {
            open[i]->parameter = p;
            for (auto &w : wires) {
                if (!out && w->to.node == open[i] && w->from.node->what == node_kind::port)
                    open.push_back(w->from.node);
                if (out && w->from.node == open[i] && w->to.node->what == node_kind::port)
                    open.push_back(w->to.node);
            }
        }
    }
    void add_wires()
    {
        std::vector<std::pair<end, std::vector<end>>> transfers;
        for (auto &w : wires) {
            port_info *to = port_of(w->to), *from = port_of(w->from);
            if ((to && to->what == kind::parameter) || (from && from->what == kind::parameter)) {
                join_parameter(*w);
                continue;
            }
            if (w->to.node->what == node_kind::port) continue;
            connection c = *w;
            if (!trace(c)) {
                fail(title(w->to) + " is connected to a port that nothing feeds");
                continue;
            }
            end source = end_of(c.from, c), sink = end_of(c.to, c);
            size_t i = 0;
            while (i < transfers.size() &&
                   !(transfers[i].first.at.node == c.from.node && transfers[i].first.at.index == c.from.index &&
                     c.from.node->what == node_kind::kernel))
                i++;
            if (i == transfers.size()) transfers.push_back({ source, {} });
            transfers[i].second.push_back(sink);
        }
        for (auto &t : transfers)
            if (error.empty()) transfer(t.first, t.second);
    }

    void transfer(end from, std::vector<end> to)
    {
        if (from.at.node->what == node_kind::input) { /* each reader has the file by itself */
            for (end &e : to) from_file(from, e);
            return;
        }
        if (from.what == kind::window && to.size() == 1 && to[0].at.node->what == node_kind::output)
            to[0].what = kind::window, to[0].bytes = from.bytes;
        if (from.what != kind::window && to[0].at.node->what == node_kind::output) to[0].what = from.what;
        if (to.size() == 1 && from.what == to[0].what) {
            join(from, to[0]);
            return;
        }
        adapt(from, to);
    }
    void from_file(const end &from, const end &to)
    {
        if (!to.info) return fail(title(from.at) + " leads to another file: a kernel belongs between them");
        if (to.what == kind::cascade || to.info->element == TW_AIE_ELEMENTS)
            return fail(title(to.at) + " cannot be fed by a file");
        tw_aie_array_input(array, from.at.node->path.c_str(), to.info->element,
                           static_cast<unsigned>(from.at.node->bits), to.at.node->number, to.info->physical,
                           to.what == kind::window ? to.bytes : 0, to.margin);
        if (is_async(to)) tw_aie_array_async(array, to.at.node->number, 0, to.info->physical);
    }
    /* Said of the connection, or by the type of the kernel's parameter. */
    static bool is_async(const end &e)
    {
        return e.info && e.what == kind::window && (e.at.async == 1 || e.info->async == 1);
    }
    void join(const end &from, const end &to)
    {
        int source = from.at.node->number, out = from.info->physical;
        if (to.at.node->what == node_kind::output) {
            if (from.info->element == TW_AIE_ELEMENTS) return fail(title(from.at) + " cannot be written to a file");
            tw_aie_array_output(array, source, out, from.what == kind::window ? from.bytes : 0,
                                to.at.node->path.c_str(), from.info->element,
                                static_cast<unsigned>(to.at.node->bits));
        } else if (from.what == kind::window) {
            if (from.bytes != to.bytes)
                return fail(title(from.at) + " makes " + std::to_string(from.bytes) + " bytes, " + title(to.at) +
                            " takes " + std::to_string(to.bytes));
            tw_aie_array_window(array, source, out, to.at.node->number, to.info->physical, to.bytes, to.margin);
        } else if (from.what == kind::stream) {
            tw_aie_array_stream(array, source, out, to.at.node->number, to.info->physical, to.depth);
        } else {
            tw_aie_array_cascade(array, source, to.at.node->number);
        }
        if (is_async(from)) tw_aie_array_async(array, source, 1, out);
        if (is_async(to)) tw_aie_array_async(array, to.at.node->number, 0, to.info->physical);
    }

    /* What the hardware's stream switch and DMA do, as a kernel of its own on a free tile: one source to many readers,
     * windows to streams and back. It fires whenever it can. */
    struct adapter {
        unsigned in_bytes = 0;         /* 0: a stream */
        std::vector<unsigned> windows; /* bytes of each output window */
        int streams = 0;
        std::vector<uint32_t> words;
        void operator()()
        {
            if (!in_bytes && windows.empty()) return forward();
            unsigned bytes = in_bytes ? in_bytes : windows[0];
            words.resize(bytes / 4);
            if (in_bytes)
                tw_aie_window_read(tw_aie_window_in(0), words.data(), bytes);
            else
                for (uint32_t &w : words) w = tw_aie_get_word(0, nullptr);
            for (size_t i = 0; i < windows.size(); i++)
                tw_aie_window_write(tw_aie_window_out(static_cast<int>(i)), words.data(), bytes);
            for (uint32_t w : words)
                for (int s = 0; s < streams; s++) tw_aie_put_word(s, w, 0);
        }
        void forward()
        {
            int last = 0;
            uint32_t word = tw_aie_get_word(0, &last);
            for (int s = 0; s < streams; s++) tw_aie_put_word(s, word, last);
        }
    };
    end new_adapter(const end &like, adapter a)
    {
        node_ref n = std::make_shared<node>();
        n->what = node_kind::kernel, n->serial = 0, n->name = "dma " + std::to_string(++adapters);
        std::pair<int, int> at = any_tile();
        n->column = at.first, n->row = at.second;
        taken.insert(at);
        port_info in = like.info ? *like.info : port_info();
        in.dir = direction::in, in.physical = 0;
        n->code.ports.push_back(in);
        auto add_out = [&](kind what, int physical) {
            port_info p = in;
            p.dir = direction::out, p.what = what, p.physical = physical;
            n->code.ports.push_back(p);
        };
        for (size_t i = 0; i < a.windows.size(); i++) add_out(kind::window, static_cast<int>(i));
        for (int i = 0; i < a.streams; i++) add_out(kind::stream, i);
        n->code.fire = [a](std::vector<port_info> &) mutable { a(); };
        mine.push_back(n);
        n->number = tw_aie_array_add(array, n->name.c_str(), fire, n.get(), n->column, n->row);
        tw_aie_array_repeat(array, n->number, 0);
        end e = like;
        e.at = { n, 0, direction::in, -1 };
        e.info = &n->code.ports[0], e.margin = 0;
        return e;
    }
    void adapt(const end &from, std::vector<end> to)
    {
        adapter a;
        std::vector<end> windows, streams;
        for (end &e : to) {
            if (e.at.node->what == node_kind::output) e.what = from.what, e.bytes = from.bytes;
            if (e.what == kind::cascade || from.what == kind::cascade)
                return fail(title(from.at) + " to " + title(e.at) +
                            ": the cascade joins two neighbours and nothing else");
            (e.what == kind::window ? windows : streams).push_back(e);
        }
        for (end &e : windows) {
            unsigned bytes = from.what == kind::window ? from.bytes : windows[0].bytes;
            if (e.bytes != bytes)
                return fail(title(from.at) + " to " + title(e.at) + ": " + std::to_string(e.bytes) +
                            " bytes, where " + std::to_string(bytes) + " are made");
            a.windows.push_back(e.bytes);
        }
        std::vector<end> further; /* a tile has two output streams */
        while (streams.size() > 2) further.push_back(streams.back()), streams.pop_back();
        if (!further.empty()) further.push_back(streams.back()), streams.pop_back();
        a.in_bytes = from.what == kind::window ? from.bytes : 0;
        a.streams = static_cast<int>(streams.size()) + !further.empty();
        end here = new_adapter(from, a);
        join(from, here);
        node_ref n = here.at.node;
        int out = 0;
        auto source = [&](kind what, unsigned bytes) {
            end e = here;
            e.at = { n, out++, direction::out, -1 };
            e.what = what, e.bytes = bytes, e.info = port_of(e.at);
            return e;
        };
        for (end &e : windows) join(source(kind::window, e.bytes), e);
        for (end &e : streams) join(source(kind::stream, 0), e);
        if (!further.empty()) adapt(source(kind::stream, 0), further);
    }
};

/* The array of the graph that begins at `first`, NULL with a message. */
inline tw_aie_array *build(unsigned long first, std::string &message, std::vector<node_ref> &kept)
{
    builder b;
    b.claim(first);
    b.array = tw_aie_array_new();
    if (!b.array) b.fail(tw_error_message());
    if (b.error.empty()) b.add_kernels();
    if (b.error.empty()) b.add_wires();
    bool any = false;
    for (node_ref &n : b.mine) any = any || n->what == node_kind::kernel;
    if (!any)
        b.fail(
            "the graph has no kernels; where there are several graphs, init() of all comes before the first run()");
    kept = b.mine;
    message = b.error;
    if (b.error.empty()) return b.array;
    tw_aie_array_free(b.array);
    return nullptr;
}
/* Parameters that nobody has set; "" when there is none. */
inline std::string missing_parameter(const std::vector<node_ref> &all)
{
    for (const node_ref &n : all) {
        int index = 0;
        for (const port_info &p : n->code.ports) {
            if (p.dir != direction::in) continue;
            if (p.what == kind::parameter && !p.has_value)
                return "'" + n->name + "'.in[" + std::to_string(index) +
                       "] has no value: update() comes before run()";
            index++;
        }
    }
    return "";
}

} // namespace detail
} // namespace adf

#endif
