// SPDX-License-Identifier: MIT
/* Which tile a kernel lies on: given, relative to another kernel's, or free. Kernels that are placed from one another
 * are a group that moves as one. Part of <tilewright/aie/adf.hpp>. */
#ifndef TILEWRIGHT_ADF_PLACES_HPP
#define TILEWRIGHT_ADF_PLACES_HPP

#include <tilewright/aie/detail/adf/model.hpp>

namespace adf {
namespace detail {

struct places {
    enum { all_columns = 50, all_rows = 8 };
    struct member {
        node_ref node;
        int column, row; /* from the group's first kernel */
    };
    std::set<std::pair<int, int>> taken;
    std::map<const node *, std::vector<member>> groups; /* by the kernel that the others are placed from */
    std::string error;

    /* Kernels with a tile of their own are put there, with what is placed from them. */
    explicit places(const std::vector<node_ref> &all)
    {
        for (const node_ref &n : all)
            if (n->what == node_kind::kernel) join(n);
        for (auto &g : groups)
            if (g.first->column >= 0) put(g.second, g.first->column, g.first->row, true);
    }
    bool open(const node &n) const { return n.what == node_kind::kernel && n.column < 0 && !n.like; }
    /* Serpentine by columns: neighbours in order are neighbours in the array. */
    void any(node &n)
    {
        for (int i = 0; i < all_columns * all_rows; i++) {
            int column = i / all_rows, row = column % 2 ? all_rows - 1 - i % all_rows : i % all_rows;
            if (put(group_of(n), column, row, false)) return;
        }
        fail(group_of(n).size() > 1
                 ? "there is no place in the array for '" + n.name + "' and the kernels that are placed from it"
                 : "the array has 400 tiles, and the graph needs more");
        n.column = n.row = 0;
    }
    /* Where the cascade of `other` leads (`way` 1) or comes from (-1): even rows go east, odd ones west (AM009). */
    void beside(node &n, const node &other, int way)
    {
        int along = other.row % 2 ? -way : way;
        const int steps[4][2] = { { along, 0 }, { 0, way }, { -along, 0 }, { 0, -way } };
        for (const auto &s : steps)
            if (put(group_of(n), other.column + s[0], other.row + s[1], false)) return;
        any(n);
    }

  private:
    void fail(const std::string &text)
    {
        if (error.empty()) error = text;
    }
    /* A kernel that came later, such as an adapter, is a group of its own. */
    std::vector<member> &group_of(node &n)
    {
        std::vector<member> &g = groups[&n];
        if (g.empty()) g.push_back({ node_ref(node_ref(), &n), 0, 0 });
        return g;
    }
    void join(const node_ref &n)
    {
        node_ref first = n;
        int column = 0, row = 0;
        for (int hops = 0; first->like; first = first->like) {
            column += first->like_column, row += first->like_row;
            if (hops++ > 1000) return fail("'" + n->name + "' is placed from kernels that are placed from it");
        }
        groups[first.get()].push_back({ n, column, row });
    }
    /* The whole group with its first kernel there. `given`: tiles may be shared, and must be in the array. */
    bool put(std::vector<member> &group, int column, int row, bool given)
    {
        for (const member &m : group) {
            int c = column + m.column, r = row + m.row;
            bool inside = c >= 0 && c < all_columns && r >= 0 && r < all_rows;
            if (!inside && given && (m.column || m.row))
                fail("'" + m.node->name + "' would lie on tile (" + std::to_string(c) + "," + std::to_string(r) +
                     "), and the array has columns 0 to 49 and rows 0 to 7");
            if (!given && (!inside || taken.count({ c, r }))) return false;
        }
        for (const member &m : group) {
            m.node->column = column + m.column, m.node->row = row + m.row;
            taken.insert({ m.node->column, m.node->row });
        }
        return true;
    }
};

} // namespace detail
} // namespace adf

#endif
