// SPDX-License-Identifier: MIT
/* Which objects a graph consists of. Objects know when they were made, not where: a graph has what was made after it
 * and before the next graph that is initialised, less what belongs to graphs that stand beside it, and less what only
 * graphs that were replaced (an element that got another graph's value) had. Part of <tilewright/aie/adf.hpp>. */
#ifndef TILEWRIGHT_ADF_CLAIM_HPP
#define TILEWRIGHT_ADF_CLAIM_HPP

#include <tilewright/aie/detail/adf/model.hpp>

namespace adf {
namespace detail {

struct claim {
    std::vector<node_ref> mine;
    std::vector<std::shared_ptr<connection>> wires;

    explicit claim(unsigned long first) : top(designs().find(first))
    {
        auto next = tops().upper_bound(first);
        unsigned long behind = next == tops().end() ? ~0ul : next->first;
        move(nodes(), mine, [&](const node &n) { return n.serial > first && n.serial < behind; });
        move(nets(), wires, [&](const connection &c) { return c.serial > first && c.serial < behind; });
        find_groups();
        drop_replaced();
        leave_others();
    }

  private:
    std::map<unsigned long, design_place>::iterator top;
    std::map<const node *, const node *> parent; /* nodes that wires join have one root */

    template <class All, class Which> static void move(All &all, All &into, Which which)
    {
        All rest;
        for (auto &x : all) (which(*x) ? into : rest).push_back(x);
        all = rest;
    }
    const node *root(const node *n)
    {
        while (parent[n] != n) n = parent[n] = parent[parent[n]];
        return n;
    }
    void find_groups()
    {
        for (const node_ref &n : mine) parent[n.get()] = n.get();
        for (const auto &w : wires) {
            for (const node *n : { w->from.node.get(), w->to.node.get() }) parent.insert({ n, n });
            parent[root(w->from.node.get())] = root(w->to.node.get());
        }
    }
    /* The graph whose constructor had begun last when a node was made. */
    design_place maker(const node &n) const { return std::prev(designs().upper_bound(n.serial))->second; }
    /* Groups of wired nodes with one that `is` picks. */
    template <class Is> std::set<const node *> groups_with(Is is)
    {
        std::set<const node *> roots;
        for (const node_ref &n : mine)
            if (is(*n)) roots.insert(root(n.get()));
        return roots;
    }
    template <class Is> void keep(Is is)
    {
        std::vector<node_ref> dropped;
        std::vector<std::shared_ptr<connection>> cut;
        keep(is, dropped, cut);
    }
    template <class Is>
    void keep(Is is, std::vector<node_ref> &dropped, std::vector<std::shared_ptr<connection>> &cut)
    {
        move(mine, dropped, [&](const node &n) { return !is(root(&n)); });
        move(wires, cut, [&](const connection &c) { return !is(root(c.from.node.get())); });
    }
    /* No object names them any more, and the graph that made them is gone. */
    void drop_replaced()
    {
        std::map<const node *, long> known;
        for (const node_ref &n : mine) known[n.get()]++, known[n->like.get()]++;
        for (const auto &w : wires) known[w->from.node.get()]++, known[w->to.node.get()]++;
        std::map<const node *, long> held;
        for (const node_ref &n : mine) held[n.get()] = n.use_count();
        auto alive = groups_with([&](const node &n) { return maker(n).object || held[&n] > known[&n]; });
        keep([&](const node *group) { return alive.count(group) != 0; });
    }
    /* Made by a graph that lies outside of this one, and joined to nothing of it: left to that graph's own init(). */
    void leave_others()
    {
        const char *begin = static_cast<const char *>(top->second.object);
        if (!top->second.bytes) return;
        auto inside = [&](const node &n) {
            const char *at = static_cast<const char *>(maker(n).object);
            return !at || (at >= begin && at < begin + top->second.bytes);
        };
        auto ours = groups_with(inside);
        bool any = false;
        for (const node_ref &n : mine) any = any || (n->what == node_kind::kernel && ours.count(root(n.get())));
        if (!any) return;
        keep([&](const node *group) { return ours.count(group) != 0; }, nodes(), nets());
    }
};

} // namespace detail
} // namespace adf

#endif
