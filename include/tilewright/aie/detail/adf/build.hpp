// SPDX-License-Identifier: MIT
/* From the objects of a graph to an array: who belongs together, what lies where, who feeds whom. Part of
 * <tilewright/aie/adf.hpp>. One thread builds graphs at a time. */
#ifndef TILEWRIGHT_ADF_BUILD_HPP
#define TILEWRIGHT_ADF_BUILD_HPP

#include <tilewright/aie/detail/adf/claim.hpp>
#include <tilewright/aie/detail/adf/names.hpp>
#include <tilewright/aie/detail/adf/places.hpp>
#include <tilewright/aie/detail/adf/rtp.hpp>
#include <tilewright/aie/detail/adf/switches.hpp>

#include <algorithm>
#include <numeric>

namespace adf {
namespace detail {

/* What becomes one array; lives as long as the graph. */
struct builder {
    tw_aie_array *array = nullptr;
    std::vector<node_ref> mine;
    std::vector<std::shared_ptr<connection>> wires;
    std::string error;
    std::unique_ptr<places> tiles;
    int adapters = 0;
    unsigned long first = 0; /* number of the graph */

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

    /* --- places ----------------------------------------------------------------------------------------------- */

    void place_kernels()
    {
        tiles.reset(new places(mine));
        bool any = true; /* chains that begin or end at a given tile first, along the chain */
        while (any) {
            any = false;
            for (auto &w : wires) {
                if (!is_cascade(w->to)) continue;
                node &from = *w->from.node, &to = *w->to.node;
                if (from.column >= 0 && tiles->open(to)) any = true, tiles->beside(to, from, 1);
                if (to.column >= 0 && tiles->open(from)) any = true, tiles->beside(from, to, -1);
            }
            for (node_ref &n : mine)
                if (!any && tiles->open(*n)) any = true, tiles->any(*n);
        }
        for (node_ref &n : mine) /* placed from a kernel of another graph, which has no tile */
            if (n->what == node_kind::kernel && n->column < 0) n->like = nullptr, tiles->any(*n);
        if (!tiles->error.empty()) fail(tiles->error);
    }
    static bool is_cascade(const endpoint &e)
    {
        port_info *p = port_of(e);
        return p && p->what == kind::cascade;
    }
    static void fire(void *user)
    {
        node *n = static_cast<node *>(user);
        take_values(*n);
        if (n->initialise) n->initialise(), n->initialise = nullptr;
        n->code.fire(n->code.ports);
        give_values(*n);
    }
    void find_initialiser(node &n)
    {
        n.initialise = function_by_name(n.by_name);
        if (!n.initialise)
            fail("'" + n.name + "': nothing is known of initialization_function() \"" + n.by_name +
                 "\": give the function itself, without quotes, or write TW_ADF_FUNCTION(" + n.by_name +
                 "); where it is declared, or link with -rdynamic");
    }
    void add_kernels()
    {
        place_kernels();
        for (node_ref &n : mine) {
            if (n->what != node_kind::kernel) continue;
            if (n->logic) n->name += " (programmable logic)";
            if (!n->by_name.empty()) find_initialiser(*n);
            for (const port_info &p : n->code.ports)
                if (n->bypassed && (p.what == kind::stream || p.what == kind::cascade))
                    fail("'" + n->name +
                         "' cannot be bypassed: how much it moves in a firing is known of windows alone");
            n->handle = tw_aie_array_add(array, n->name.c_str(), fire, n.get(), n->column, n->row);
            if (n->repeat != 1) tw_aie_array_repeat(array, n->handle, n->repeat);
            const std::string group = group_of(n->home, first);
            if (!group.empty()) tw_aie_array_group(array, n->handle, group.c_str());
        }
    }

    /* Reports show them: what the host gives and takes, and what kernels give one another. */
    void add_parameters()
    {
        for (node_ref &n : mine) {
            int number[3] = { 0, 0, 0 };
            static const char *const words[] = { "in", "out", "inout" };
            for (port_info &p : n->code.ports) {
                const int side = static_cast<int>(p.dir), index = number[side]++;
                if (p.what != kind::parameter) continue;
                const std::string name = n->name + "." + words[side] + "[" + std::to_string(index) + "]";
                const unsigned bytes = static_cast<unsigned>(p.value ? p.value->size() : p.element_bytes);
                const tw_aie_kernel none = { 0 };
                if (p.dir != direction::in && p.readers.empty())
                    tw_aie_array_parameter(array, n->handle, none, name.c_str(), bytes);
                for (port_info *reader : p.readers)
                    tw_aie_array_parameter(array, n->handle, reader_of(reader), name.c_str(), bytes);
                if (p.dir == direction::in && !is_fed(p))
                    tw_aie_array_parameter(array, none, n->handle, name.c_str(), bytes);
            }
        }
    }
    tw_aie_kernel reader_of(const port_info *reader) const
    {
        for (const node_ref &n : mine)
            for (const port_info &p : n->code.ports)
                if (&p == reader) return n->handle;
        return { 0 };
    }
    bool is_fed(const port_info &parameter) const
    {
        for (const node_ref &n : mine)
            for (const port_info &p : n->code.ports)
                if (std::find(p.readers.begin(), p.readers.end(), &parameter) != p.readers.end()) return true;
        return false;
    }

    /* --- wires ------------------------------------------------------------------------------------------------ */

    /* One end of a transfer: a kernel's port or a file, with what connections and dimensions say of it. */
    struct end {
        endpoint at;
        kind what = kind::stream;
        unsigned bytes = 0, margin = 0, depth = 0;
        bool packets = false, bare = false; /* what a split sends; of that, the words alone are read */
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
    /* Whether what connect<> names in a row is the kind of a kernel's port at one of its ends: connect<window<64>>
     * may lead from a kernel's stream to the window of another. */
    static bool fits_an_end(const std::vector<const connection *> &row)
    {
        const port_info *ends[] = { port_of(row.front()->from), port_of(row.front()->to), port_of(row.back()->from),
                                    port_of(row.back()->to) };
        for (const connection *w : row)
            for (const port_info *p : ends)
                if (!w->typed || (p && p->what == w->what)) return true;
        return false;
    }
    /* What a row of connections through the ports of graphs says of a kernel's port: the nearest one that names its
     * kind, then the nearest one that gives a window a size. `row` begins at that end. */
    connection said_of(const std::vector<const connection *> &row, const endpoint &e, bool source) const
    {
        connection c = *row.front();
        c.bytes = 0;
        const port_info *p = port_of(e);
        c.typed = false;
        for (const connection *w : row) {
            bool fits = w->typed && (!p || w->what == p->what);
            if (fits && !c.typed) c.typed = true, c.what = w->what;
            unsigned bytes = source && w->source_bytes ? w->source_bytes : w->bytes;
            if (!c.bytes && bytes) c.bytes = bytes, c.margin = w->margin;
            if (!c.depth) c.depth = w->depth;
        }
        if (!c.typed && !fits_an_end(row)) c.typed = true, c.what = row.front()->what; /* which is told */
        return c;
    }
    /* Whether the reader at the end of a row, which begins there, wants packets without their header: what the
     * connection nearest to it says that comes in. */
    static bool wants_words(const std::vector<const connection *> &row)
    {
        content arrives = content::unsaid;
        bool packets = false;
        for (const connection *w : row) {
            if (arrives == content::unsaid) arrives = w->arrives;
            packets = packets || w->leaves == content::packets || w->arrives == content::packets;
        }
        return packets && arrives == content::words;
    }
    static bool is_switch(const endpoint &e) { return e.node->packet_ids[0] >= 0; }
    /* Where data comes from: back through the ports of graphs. The row from `last`, which leads to a kernel or a
     * file, to the connection that leaves one; empty when nothing feeds it. */
    std::vector<const connection *> trace(const connection &last) const
    {
        std::vector<const connection *> row{ &last };
        while (row.back()->from.node->what == node_kind::port) {
            const connection *up = nullptr;
            for (auto &w : wires)
                if (w->to.node == row.back()->from.node) up = w.get();
            if (!up || row.size() > 1000) return {};
            row.push_back(up);
        }
        return row;
    }
    /* A graph's port that leads to a parameter; update() and read() look here. Or the parameter of another kernel. */
    void join_parameter(const connection &wire)
    {
        bool out = port_of(wire.from) != nullptr;
        const endpoint &near = out ? wire.from : wire.to, &far = out ? wire.to : wire.from;
        port_info *p = port_of(near);
        say_async(*p, wire);
        if (far.node->what == node_kind::kernel) return link(wire, wire.from, wire.to);
        if (far.node->what != node_kind::port)
            return fail(title(wire.from) + " to " + title(wire.to) +
                        ": parameters are connected to ports of the graph");
        std::vector<node_ref> open{ far.node };
        for (size_t i = 0; i < open.size() && i < 1000; i++) {
            open[i]->parameter = p;
            for (auto &w : wires) {
                const endpoint &here = out ? w->from : w->to, &on = out ? w->to : w->from;
                if (here.node != open[i]) continue;
                say_async(*p, *w);
                if (on.node->what == node_kind::port)
                    open.push_back(on.node);
                else if (out && port_of(on))
                    link(*w, near, on);
            }
        }
    }
    static void say_async(port_info &p, const connection &w)
    {
        for (const endpoint *e : { &w.from, &w.to }) /* what is said of a kernel's port is known already */
            if (e->async >= 0 && e->node->what != node_kind::kernel) p.async = e->async;
    }
    void link(const connection &w, const endpoint &from, const endpoint &to)
    {
        port_info *p = port_of(from), *q = port_of(to);
        if (!p || !q || p->what != kind::parameter || q->what != kind::parameter)
            return fail(title(from) + " to " + title(to) + ": only one of them is a run-time parameter");
        if (std::find(p->readers.begin(), p->readers.end(), q) != p->readers.end()) return;
        say_async(*q, w);
        std::string wrong = link_parameters(*p, *q);
        if (!wrong.empty()) fail(title(from) + " to " + title(to) + ": " + wrong);
    }
    void add_wires()
    {
        std::vector<std::pair<end, std::vector<end>>> transfers;
        for (auto &w : wires) {
            if (!w->refused.empty()) fail(title(w->from) + " to " + title(w->to) + ": " + w->refused);
            port_info *to = port_of(w->to), *from = port_of(w->from);
            if ((to && to->what == kind::parameter) || (from && from->what == kind::parameter)) {
                join_parameter(*w);
                continue;
            }
            if (w->to.node->what == node_kind::port) continue;
            std::vector<const connection *> row = trace(*w);
            if (row.empty()) {
                fail(title(w->to) + " is connected to a port that nothing feeds");
                continue;
            }
            end sink = end_of(w->to, said_of(row, w->to, false));
            sink.bare = !is_switch(w->to) && wants_words(row);
            std::reverse(row.begin(), row.end());
            const endpoint origin = row.front()->from;
            end source = end_of(origin, said_of(row, origin, true));
            source.packets = packet_id(origin, direction::out) >= 0;
            size_t i = 0;
            bool shared = origin.node->what == node_kind::kernel || origin.node->medium == media::memory;
            while (i < transfers.size() && !(shared && transfers[i].first.at.node == origin.node &&
                                             transfers[i].first.at.index == origin.index))
                i++;
            if (i == transfers.size()) transfers.push_back({ source, {} });
            transfers[i].second.push_back(sink);
        }
        if (error.empty()) set_rates(transfers);
        for (auto &t : transfers)
            if (error.empty()) transfer(t.first, t.second);
        if (error.empty()) set_singles();
    }

    /* Kernels joined by windows of different sizes fire in that proportion, unless repetition_count() says how often:
     * the smallest whole numbers for which as much is taken as is made (UG1079 "Multi-Rate Processing"). */
    void set_rates(const std::vector<std::pair<end, std::vector<end>>> &transfers)
    {
        struct edge {
            node *from, *to;
            unsigned long made, taken;
        };
        std::vector<edge> edges;
        std::map<node *, std::pair<unsigned long, unsigned long>> rate; /* a fraction */
        bool any = false;
        for (const auto &t : transfers)
            for (const end &to : t.second) {
                if (t.first.what != kind::window || to.what != kind::window || !t.first.info || !to.info) continue;
                edges.push_back({ t.first.at.node.get(), to.at.node.get(), t.first.bytes, to.bytes });
                any = any || t.first.bytes != to.bytes;
            }
        for (const edge &e : edges)
            if (!any || e.from->repeat != 1 || e.to->repeat != 1) return; /* the program says it */
        for (const edge &e : edges) {
            if (!rate.count(e.from) && !rate.count(e.to)) rate[e.from] = { 1, 1 };
            for (bool moved = true; moved;) {
                moved = false;
                for (const edge &f : edges) {
                    bool from = rate.count(f.from), to = rate.count(f.to);
                    if (from == to) continue;
                    if (from) rate[f.to] = reduced(rate[f.from].first * f.made, rate[f.from].second * f.taken);
                    if (to) rate[f.from] = reduced(rate[f.to].first * f.taken, rate[f.to].second * f.made);
                    moved = true;
                }
            }
        }
        unsigned long common = 1;
        for (auto &r : rate) common = std::lcm(common, r.second.second);
        for (auto &r : rate) {
            unsigned long times = r.second.first * (common / r.second.second);
            if (!times || times > 1u << 20)
                return fail("'" + r.first->name + "' would fire too often for the windows");
            r.first->repeat = static_cast<unsigned>(times);
            tw_aie_array_repeat(array, r.first->handle, r.first->repeat);
        }
    }
    static std::pair<unsigned long, unsigned long> reduced(unsigned long a, unsigned long b)
    {
        unsigned long g = std::gcd(a, b);
        return { a / g, b / g };
    }
    void transfer(end from, std::vector<end> to)
    {
        if (from.at.node->what == node_kind::input && to.size() > 1 && from.at.node->medium == media::memory) {
            share_memory(from, to);
            return;
        }
        if (from.at.node->what == node_kind::input) { /* each reader has the file by itself */
            for (end &e : to) from_file(from, e);
            return;
        }
        if (from.what == kind::window && to.size() == 1 && to[0].at.node->what == node_kind::output)
            to[0].what = kind::window, to[0].bytes = from.bytes;
        if (from.what != kind::window && to[0].at.node->what == node_kind::output) to[0].what = from.what;
        if (to.size() == 1 && from.what == to[0].what && (from.what != kind::window || from.bytes == to[0].bytes)) {
            join(from, to[0]);
            return;
        }
        adapt(from, to);
    }
    /* Memory with several readers goes to a kernel "dma n", in windows where all readers take windows of one size. */
    void share_memory(end from, const std::vector<end> &to)
    {
        for (const end &e : to)
            if (!e.info) return fail(title(from.at) + " leads to another port of files or memory");
        bool windows = true;
        for (const end &e : to) windows = windows && e.what == kind::window && e.bytes == to[0].bytes;
        from.what = windows ? kind::window : kind::stream;
        from.bytes = windows ? to[0].bytes : 0;
        from.info = to[0].info;
        adapt(from, to);
    }
    void from_file(const end &from, const end &to)
    {
        if (!to.info) return fail(title(from.at) + " leads to another file: a kernel belongs between them");
        if (to.what == kind::cascade || to.info->element == TW_AIE_ELEMENTS)
            return fail(title(to.at) + " cannot be fed by a file");
        node &file = *from.at.node;
        unsigned window = to.what == kind::window ? to.bytes : 0;
        const tw_aie_port reader = tw_aie_in(to.at.node->handle, to.info->physical);
        file.array = array, file.end = reader;
        if (file.medium == media::memory) {
            file.memory = tw_aie_array_memory_input(array, reader, window, to.margin);
            tw_aie_array_name_end(array, reader, file.name.c_str());
        } else if (check_path(from.at)) {
            tw_aie_file text = { file.path.c_str(), to.info->element, static_cast<unsigned>(file.bits), window,
                                 to.margin };
            tw_aie_array_input(array, &text, reader);
            tw_aie_array_name_end(array, reader, file.name.c_str());
            if (file.mhz > 0) tw_aie_array_file_clock(array, reader, file.mhz);
        }
        if (is_async(to)) tw_aie_array_async(array, reader);
    }
    bool check_path(const endpoint &e)
    {
        if (e.node->path.empty()) fail(title(e) + " has no file: create(name, bits, file) names it");
        return error.empty();
    }
    void to_file(const end &from, const end &to)
    {
        node &file = *to.at.node;
        unsigned window = from.what == kind::window ? from.bytes : 0;
        tw_aie_port source = tw_aie_out(from.at.node->handle, from.info->physical);
        file.array = array, file.end = source;
        if (file.medium == media::memory) {
            file.memory = tw_aie_array_memory_output(array, source, window);
            tw_aie_array_name_end(array, source, file.name.c_str());
            return;
        }
        if (from.info->element == TW_AIE_ELEMENTS) return fail(title(from.at) + " cannot be written to a file");
        if (check_path(to.at)) {
            tw_aie_file text = { file.path.c_str(), from.info->element, static_cast<unsigned>(file.bits), window,
                                 0 };
            tw_aie_array_output(array, source, &text);
            tw_aie_array_name_end(array, source, file.name.c_str());
            if (file.mhz > 0) tw_aie_array_file_clock(array, source, file.mhz);
        }
    }
    /* What a stream holds on its way anyhow; fifo_depth() comes on top. */
    static constexpr unsigned switch_words = 16;
    /* The stream's packets carry the id of the switch's branch. */
    void name_packets(const end &from, const end &to)
    {
        int in = packet_id(to.at, direction::in), out = packet_id(from.at, direction::out);
        if (in >= 0)
            tw_aie_array_packet_id(array, tw_aie_out(from.at.node->handle, from.info->physical),
                                   static_cast<unsigned>(in));
        if (out >= 0)
            tw_aie_array_packet_id(array, tw_aie_in(to.at.node->handle, to.info->physical),
                                   static_cast<unsigned>(out));
    }
    /* Of a packet switch's branch, else -1. */
    static int packet_id(const endpoint &e, direction side)
    {
        bool branch = e.node->branches == side && e.dir == side && (e.index == 0 || e.index == 1);
        return branch ? e.node->packet_ids[e.index] : -1;
    }
    /* Windows of one block, wherever either end says so. */
    void set_singles()
    {
        for (node_ref &n : mine)
            for (const auto &single : n->singles) {
                port_info *p = port_of({ n, single.second, single.first, -1 });
                if (p && p->what == kind::window)
                    tw_aie_array_single_buffer(
                        array, (p->dir == direction::out ? tw_aie_out : tw_aie_in)(n->handle, p->physical));
            }
    }
    /* Said of the connection, or by the type of the kernel's parameter. */
    static bool is_async(const end &e)
    {
        return e.info && e.what == kind::window && (e.at.async == 1 || e.info->async == 1);
    }
    void join(const end &from, const end &to)
    {
        tw_aie_port source = tw_aie_out(from.at.node->handle, from.info->physical);
        if (packet_id(from.at, direction::out) >= 0) from.at.node->headless[from.at.index] = to.bare;
        if (to.at.node->what == node_kind::output) {
            to_file(from, to);
        } else if (from.what == kind::window) {
            tw_aie_array_window(array, source, tw_aie_in(to.at.node->handle, to.info->physical), to.bytes,
                                to.margin);
        } else if (from.what == kind::stream) {
            tw_aie_array_stream(array, source, tw_aie_in(to.at.node->handle, to.info->physical),
                                to.depth ? switch_words + to.depth : 0);
            name_packets(from, to);
        } else {
            tw_aie_array_cascade(array, source.kernel, to.at.node->handle);
        }
        if (is_async(from)) tw_aie_array_async(array, source);
        if (is_async(to)) tw_aie_array_async(array, tw_aie_in(to.at.node->handle, to.info->physical));
    }

    end new_adapter(const end &like, adapter a)
    {
        node_ref n = std::make_shared<node>();
        n->what = node_kind::kernel, n->serial = 0, n->name = "dma " + std::to_string(++adapters);
        tiles->any(*n);
        if (!tiles->error.empty()) fail(tiles->error);
        port_info in = like.info ? *like.info : port_info();
        in.dir = direction::in, in.physical = 0, in.what = like.what;
        n->code.ports.push_back(in);
        auto add_out = [&](kind what, int physical) {
            port_info p = in;
            p.dir = direction::out, p.what = what, p.physical = physical;
            n->code.ports.push_back(p);
        };
        for (size_t i = 0; i < a.windows.size(); i++) add_out(kind::window, static_cast<int>(i));
        for (size_t i = 0; i < a.streams.size(); i++) add_out(kind::stream, static_cast<int>(i));
        n->code.fire = [a](std::vector<port_info> &) mutable { a(); };
        mine.push_back(n);
        n->handle = tw_aie_array_add(array, n->name.c_str(), fire, n.get(), n->column, n->row);
        tw_aie_array_repeat(array, n->handle, 0);
        end e = like;
        e.at = { n, 0, direction::in, -1 };
        e.info = &n->code.ports[0], e.margin = 0;
        return e;
    }
    void adapt(const end &from, std::vector<end> to)
    {
        adapter a;
        std::vector<end> windows, streams, regrouped; /* regrouped: windows of other sizes, which streams lead to */
        for (end &e : to) {
            if (e.at.node->what == node_kind::output) e.what = from.what, e.bytes = from.bytes;
            if (e.what == kind::cascade || from.what == kind::cascade)
                return fail(title(from.at) + " to " + title(e.at) +
                            ": the cascade joins two neighbours and nothing else");
            if (e.what != kind::window) { /* packets are made where the window is known: switches first */
                bool leads = packet_id(e.at, direction::in) >= 0;
                streams.insert(leads ? streams.begin() : streams.end(), e);
                continue;
            }
            unsigned bytes = from.what == kind::window ? from.bytes : windows.empty() ? e.bytes : windows[0].bytes;
            (e.bytes == bytes ? windows : regrouped).push_back(e);
        }
        for (end &e : windows) a.windows.push_back(e.bytes);
        if (from.what != kind::window && !windows.empty() && (!regrouped.empty() || !streams.empty()))
            regrouped.insert(regrouped.end(), windows.begin(), windows.end()), windows.clear(), a.windows.clear();
        streams.insert(streams.end(), regrouped.begin(), regrouped.end());
        std::vector<end> further; /* a tile has two output streams */
        while (streams.size() > 2) further.push_back(streams.back()), streams.pop_back();
        if (!further.empty()) further.push_back(streams.back()), streams.pop_back();
        a.in_bytes = from.what == kind::window ? from.bytes : 0;
        a.packets_in = !a.in_bytes && from.packets;
        for (end &e : streams)
            a.streams.push_back(
                { packet_id(e.at, direction::in), from.packets && e.bare && e.what != kind::window });
        if (!further.empty()) a.streams.push_back({ -1, false });
        for (end &e : further)
            if (a.in_bytes && packet_id(e.at, direction::in) >= 0)
                return fail(title(from.at) + " leads to " + title(e.at) + " and to two other streams: one window " +
                            "feeds no more than two packet switches, and no stream beside them");
        end here = new_adapter(from, a);
        if (from.at.node->what == node_kind::input)
            from_file(from, here);
        else
            join(from, here);
        node_ref n = here.at.node;
        int out = 0;
        auto source = [&](kind what, unsigned bytes) {
            end e = here;
            e.at = { n, out++, direction::out, -1 };
            e.what = what, e.bytes = bytes, e.info = port_of(e.at);
            e.packets = from.packets && what == kind::stream;
            return e;
        };
        for (end &e : windows) join(source(kind::window, e.bytes), e);
        for (end &e : streams) {
            if (e.what == kind::window)
                adapt(source(kind::stream, 0), { e });
            else
                join(source(kind::stream, 0), e);
        }
        if (!further.empty()) adapt(source(kind::stream, 0), further);
    }
};

/* Whether a wire leads from e, and through the ports of graphs on to a kernel or a file. */
inline bool leads_on(const endpoint &e, int hops = 0)
{
    for (const auto &w : nets()) {
        bool here = w->from.node == e.node && w->from.dir == e.dir &&
                    (e.node->what != node_kind::kernel || w->from.index == e.index);
        if (here && (w->to.node->what != node_kind::port || hops > 1000 || leads_on(w->to, hops + 1))) return true;
    }
    return false;
}
/* The first output of a kernel of the graph that nothing is connected to; "" when there is none. Which kernels belong
 * to the graph is known as in `claim`, but for graphs that are initialised later. */
inline std::string unconnected_port(unsigned long first)
{
    auto next = tops().upper_bound(first);
    const design_place &top = designs()[first];
    for (const node_ref &n : nodes()) {
        if (n->what != node_kind::kernel || n->serial < first || (next != tops().end() && n->serial > next->first))
            continue;
        const char *maker = static_cast<const char *>(std::prev(designs().upper_bound(n->serial))->second.object);
        const char *begin = static_cast<const char *>(top.object);
        if (top.bytes && (maker < begin || maker >= begin + top.bytes)) continue;
        int index = 0;
        for (const port_info &p : n->code.ports) {
            if (p.dir != direction::out) continue;
            endpoint e{ n, index++, p.dir, -1 };
            if (p.what != kind::parameter && n->packet_ids[0] < 0 && !leads_on(e))
                return builder::title(e) + " is not connected";
        }
    }
    return "";
}

/* The array of the graph that begins at `first`, NULL with a message. */
inline tw_aie_array *build(unsigned long first, std::string &message, std::vector<node_ref> &kept)
{
    builder b;
    claim c(first);
    b.first = first, b.mine = std::move(c.mine), b.wires = std::move(c.wires);
    number_kernels(b.mine);
    b.array = tw_aie_array_new();
    if (!b.array) b.fail(tw_error_message());
#ifdef __X86SIM__ /* the program asks for a functional simulation */
    if (b.array) tw_aie_array_spread(b.array, TW_AIE_SPREAD_ANYWHERE);
#else
    if (b.array) tw_aie_array_spread(b.array, TW_AIE_SPREAD_NEIGHBOURS);
#endif
    if (b.error.empty()) b.add_kernels();
    if (b.error.empty()) b.add_wires();
    if (b.error.empty()) b.add_parameters();
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
} // namespace detail
} // namespace adf

#endif
