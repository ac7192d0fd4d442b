// SPDX-License-Identifier: MIT
/* What the hardware's stream switch and DMA do, as kernels of their own on free tiles. Part of
 * <tilewright/aie/adf.hpp>. */
#ifndef TILEWRIGHT_ADF_SWITCHES_HPP
#define TILEWRIGHT_ADF_SWITCHES_HPP

#include <tilewright/aie/detail/adf/model.hpp>

namespace adf {
namespace detail {

/* One source to many readers, windows to streams and back. It fires whenever it can. */
struct adapter {
    unsigned in_bytes = 0;         /* 0: a stream */
    std::vector<unsigned> windows; /* bytes of each output window */
    /* An output stream: `id` of the packets that windows become, -1: words without TLAST; bare: of the packets that
     * come in, the words alone. */
    struct branch {
        int id;
        bool bare;
    };
    std::vector<branch> streams;
    bool packets_in = false; /* a header stands in front of each window's words */
    bool inside = false;     /* of a packet, behind its header */
    std::vector<uint32_t> words;
    void operator()()
    {
        if (!in_bytes && windows.empty()) return forward();
        unsigned bytes = in_bytes ? in_bytes : windows[0];
        words.resize(bytes / 4);
        if (in_bytes)
            tw_aie_window_read(tw_aie_window_in(0), words.data(), bytes);
        else
            receive();
        for (size_t i = 0; i < windows.size(); i++)
            tw_aie_window_write(tw_aie_window_out(static_cast<int>(i)), words.data(), bytes);
        for (size_t s = 0; s < streams.size(); s++)
            if (streams[s].id >= 0)
                put_ms_packet_header(static_cast<int>(s), static_cast<unsigned>(streams[s].id), 0);
        for (size_t i = 0; i < words.size(); i++)
            for (size_t s = 0; s < streams.size(); s++)
                tw_aie_put_word(static_cast<int>(s), words[i], streams[s].id >= 0 && i + 1 == words.size());
    }
    void receive()
    {
        if (packets_in) tw_aie_get_word(0, nullptr);
        for (uint32_t &w : words) w = tw_aie_get_word(0, nullptr);
    }
    void forward()
    {
        int last = 0;
        uint32_t word = tw_aie_get_word(0, &last);
        for (size_t s = 0; s < streams.size(); s++)
            if (inside || !streams[s].bare) tw_aie_put_word(static_cast<int>(s), word, last);
        inside = !last;
    }
};

/* A packet to output 0 when it has the id, else to output 1: header and all, but for branches that want the words
 * alone. */
struct packet_split {
    unsigned id;
    const node *self;
    void operator()() const
    {
        int last = 0;
        uint32_t word = tw_aie_get_word(0, &last);
        int out = (word & 31) == id ? 0 : 1;
        if (!self->headless[out]) tw_aie_put_word(out, word, last);
        while (!last) {
            word = tw_aie_get_word(0, &last);
            tw_aie_put_word(out, word, last);
        }
    }
};
/* Whole packets from two inputs, in turns where both have one. */
struct packet_merge {
    int turn = 0;
    void operator()()
    {
        int last = 0, in = tw_aie_wait_word(turn);
        while (!last) {
            uint32_t word = tw_aie_get_word(in, &last);
            tw_aie_put_word(0, word, last);
        }
        turn = 1 - in;
    }
};

/* A kernel of streams that fires whenever it can. */
template <class TwF> node_ref new_switch(const char *what, TwF f, int ins, int outs)
{
    node_ref n = new_node(node_kind::kernel);
    n->name = what + std::to_string(n->serial);
    n->repeat = 0;
    for (int i = 0; i < ins + outs; i++) {
        port_info p;
        p.element = TW_AIE_INT32;
        p.dir = i < ins ? direction::in : direction::out, p.physical = i < ins ? i : i - ins;
        n->code.ports.push_back(p);
    }
    n->code.fire = [f](std::vector<port_info> &) mutable { f(); };
    return n;
}
inline endpoint switch_end(const node_ref &n, direction dir, int index)
{
    return { n, index, dir, -1 };
}
/* A switch of N branches is N - 1 switches of two in a row (N = 1: one). `branches` gets the ends of the branches,
 * the result is the other end. */
inline endpoint chain_of_splits(int count, std::vector<endpoint> &branches)
{
    endpoint first, rest;
    for (int i = 0; i < count - 1 || i == 0; i++) {
        node_ref n = new_switch("packet split ", packet_merge(), 1, 2);
        packet_split split{ static_cast<unsigned>(i), n.get() };
        n->code.fire = [split](std::vector<port_info> &) { split(); };
        n->packet_ids[0] = i, n->packet_ids[1] = i + 1;
        endpoint in = switch_end(n, direction::in, 0);
        if (i == 0)
            first = in;
        else
            new_connection(rest, in);
        branches.push_back(switch_end(n, direction::out, 0));
        rest = switch_end(n, direction::out, 1);
    }
    if (count > 1) branches.push_back(rest);
    return first;
}
inline endpoint chain_of_merges(int count, std::vector<endpoint> &branches)
{
    endpoint so_far;
    for (int i = 0; i < count - 1 || i == 0; i++) {
        node_ref n = new_switch("packet merge ", packet_merge(), 2, 1);
        n->packet_ids[0] = i == 0 ? 0 : i + 1, n->packet_ids[1] = i == 0 ? 1 : -1;
        n->branches = direction::in;
        branches.push_back(switch_end(n, direction::in, 0));
        if (i > 0)
            new_connection(so_far, switch_end(n, direction::in, 1));
        else if (count > 1)
            branches.push_back(switch_end(n, direction::in, 1));
        so_far = switch_end(n, direction::out, 0);
    }
    return so_far;
}

} // namespace detail
} // namespace adf

#endif
