/* Regions of tensors: sorted, simplified, unbroadcast. */
#include "core.hpp"

#include <algorithm>

namespace poplar {

namespace {
/* Elements [begin, begin + count) of a flattened tensor, which lie one after the other in a variable. */
struct Piece {
    std::uint32_t variable;
    std::uint64_t offset, count, begin;
    std::size_t copy; /* how many pieces before it have the same elements */
};
} // namespace

static bool before(const Piece &a, const Piece &b)
{
    return std::tie(a.variable, a.offset, a.begin) < std::tie(b.variable, b.offset, b.begin);
}

/* The pieces of the intervals, in the order of the variables. */
static std::vector<Piece> piecesOf(const Tensor &t, ArrayRef<Interval> intervals)
{
    const core::View &v = t.get();
    return v.graph->call("Graph::getSortedContiguousRegions", [&](tw_graph *g) {
        std::vector<tw_variable_region> regions(tw_tensor_variable_regions(g, v.handle, nullptr, 0));
        tw_tensor_variable_regions(g, v.handle, regions.data(), regions.size());
        std::vector<Piece> pieces;
        for (const Interval &i : intervals) {
            auto r =
                std::upper_bound(regions.begin(), regions.end(), i.begin(),
                                 [](std::size_t at, const tw_variable_region &x) { return at < x.elements.end; });
            for (; r != regions.end() && r->elements.begin < i.end(); ++r) {
                std::uint64_t from = std::max<std::uint64_t>(i.begin(), r->elements.begin),
                              to = std::min<std::uint64_t>(i.end(), r->elements.end);
                if (from < to)
                    pieces.push_back({ r->variable, r->offset + (from - r->elements.begin), to - from, from, 0 });
            }
        }
        std::sort(pieces.begin(), pieces.end(), before);
        return pieces;
    });
}

static bool overlap(const std::vector<Piece> &sorted)
{
    for (std::size_t i = 1; i < sorted.size(); i++)
        if (sorted[i].variable == sorted[i - 1].variable &&
            sorted[i].offset < sorted[i - 1].offset + sorted[i - 1].count)
            return true;
    return false;
}

/* Cuts pieces that share elements until two of them have all their elements in common or none, and numbers the
 * copies. */
static void cut(std::vector<Piece> &pieces)
{
    std::vector<std::pair<std::uint32_t, std::uint64_t>> ends;
    for (const Piece &p : pieces) {
        ends.emplace_back(p.variable, p.offset);
        ends.emplace_back(p.variable, p.offset + p.count);
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::vector<Piece> parts;
    for (const Piece &p : pieces) {
        auto e = std::upper_bound(ends.begin(), ends.end(), std::make_pair(p.variable, p.offset));
        for (std::uint64_t at = p.offset, end = p.offset + p.count; at < end; ++e) {
            parts.push_back({ p.variable, at, e->second - at, p.begin + (at - p.offset), 0 });
            at = e->second;
        }
    }
    std::sort(parts.begin(), parts.end(), before);
    for (std::size_t i = 1; i < parts.size(); i++)
        if (parts[i].variable == parts[i - 1].variable && parts[i].offset == parts[i - 1].offset)
            parts[i].copy = parts[i - 1].copy + 1;
    pieces = std::move(parts);
}

/* Runs of one variable: first those of the first copies, then those of the second, ... */
static std::vector<std::vector<Piece>> runsOf(std::vector<Piece> pieces)
{
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return a.copy < b.copy; });
    std::vector<std::vector<Piece>> runs;
    for (const Piece &p : pieces) {
        const Piece *last = runs.empty() ? nullptr : &runs.back().back();
        bool touches =
            last && last->copy == p.copy && last->variable == p.variable && last->offset + last->count == p.offset;
        if (!touches) runs.emplace_back();
        runs.back().push_back(p);
    }
    std::stable_sort(runs.begin(), runs.end(),
                     [](const std::vector<Piece> &a, const std::vector<Piece> &b) { return before(a[0], b[0]); });
    return runs;
}

std::vector<std::vector<Interval>> Graph::getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                                                                     bool removeAliased,
                                                                     std::vector<std::size_t> *aliases) const
{
    std::vector<Piece> pieces = piecesOf(t, regions);
    bool shared = overlap(pieces);
    if (shared) cut(pieces);
    if (removeAliased)
        pieces.erase(std::remove_if(pieces.begin(), pieces.end(), [](const Piece &p) { return p.copy > 0; }),
                     pieces.end());
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> first; /* of shared elements */
    for (const Piece &p : pieces)
        if (aliases && p.copy == 0) first[{ p.variable, p.offset }] = p.begin;
    if (aliases) aliases->clear();
    std::vector<std::vector<Interval>> result;
    for (const std::vector<Piece> &run : runsOf(std::move(pieces))) {
        std::vector<Interval> list;
        for (const Piece &p : run) {
            std::size_t end = p.begin + p.count;
            if (!list.empty() && list.back().end() == p.begin && !(aliases && shared)) {
                list.back() = Interval(list.back().begin(), end);
                continue;
            }
            list.emplace_back(p.begin, end);
            if (aliases) aliases->push_back(first[{ p.variable, p.offset }]);
        }
        result.push_back(std::move(list));
    }
    return result;
}

/* In the order of the variables, *t has as few regions as any order can give it. */
void Graph::reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool) const
{
    Tensor flat = t->flatten();
    std::vector<Interval> order, whole(1, Interval(0, flat.numElements()));
    for (const Tensor *other : ts)
        if (other->numElements() != flat.numElements())
            core::raise(TW_E_INVALID_ARGUMENT, "Graph::reorderToSimplify",
                        "tensors of " + std::to_string(flat.numElements()) + " and " +
                            std::to_string(other->numElements()) + " elements");
    for (const std::vector<Interval> &run : getSortedContiguousRegions(flat, whole))
        order.insert(order.end(), run.begin(), run.end());
    std::vector<std::vector<Interval>> one(1, order);
    *t = flat.slices(one)[0];
    for (Tensor *other : ts) *other = other->flatten().slices(one)[0];
}

/* Along each dimension the shortest stretch that gives the whole when it is repeated. */
Tensor Graph::findUnbroadcastTensor(const Tensor &t) const
{
    Tensor found = t;
    for (unsigned d = 0; d < t.rank(); d++) {
        std::size_t n = found.dim(d);
        for (std::size_t part = 1; part < n; part++) {
            if (n % part) continue;
            Tensor stretch = found.slice(0, part, d);
            if (stretch.broadcast(static_cast<unsigned>(n / part), d) != found) continue;
            found = stretch;
            break;
        }
    }
    return found;
}

Tensor Graph::getVariable(VariableRef v) const
{
    return get().call("Graph::getVariable", [&](tw_graph *g) {
        tw_tensor t = tw_graph_get_variable(g, v.id);
        return core::makeTensor(holder, t, core::hostType(tw_tensor_type(g, t)));
    });
}

bool Graph::isConstant(VariableRef v) const
{
    return get().call("Graph::isConstant", [&](tw_graph *g) { return tw_graph_variable_is_constant(g, v.id); });
}

} // namespace poplar
