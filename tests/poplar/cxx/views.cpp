// SPDX-License-Identifier: MIT
/* Random views against lists of elements: shape, regions, aliases, mapping, and the queries that libraries plan with.
 *
 * The reference knows a tensor as its shape and the list of (variable, element) behind it, in row-major order. */
#include "expect.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <poplar/Graph.hpp>
#include <random>
#include <set>

using namespace poplar;

using Element = std::pair<unsigned, std::size_t>; /* variable, element of it */
using Shape = std::vector<std::size_t>;

struct Ref {
    Tensor t;
    Shape shape;
    std::vector<Element> elements;
};

static std::mt19937 generator(20);
static std::size_t upTo(std::size_t n) /* 0 .. n */
{
    return generator() % (n + 1);
}

static std::size_t product(const Shape &s, std::size_t from, std::size_t to)
{
    std::size_t n = 1;
    for (std::size_t i = from; i < to; i++) n *= s[i];
    return n;
}

/* The view whose index i along `d` is source index from[i]. */
static Ref taken(const Ref &r, std::size_t d, const std::vector<std::size_t> &from, Tensor t)
{
    Ref out{ t, r.shape, {} };
    out.shape[d] = from.size();
    std::size_t outer = product(r.shape, 0, d), inner = product(r.shape, d + 1, r.shape.size());
    for (std::size_t o = 0; o < outer; o++)
        for (std::size_t i : from)
            for (std::size_t k = 0; k < inner; k++)
                out.elements.push_back(r.elements[(o * r.shape[d] + i) * inner + k]);
    return out;
}

static Ref shuffled(const Ref &r, const std::vector<unsigned> &order, Tensor t)
{
    Ref out{ t, {}, {} };
    for (unsigned o : order) out.shape.push_back(r.shape[o]);
    std::size_t n = r.elements.size(), rank = order.size();
    for (std::size_t i = 0; i < n; i++) {
        std::size_t rest = i, source = 0;
        std::vector<std::size_t> index(rank);
        for (std::size_t d = rank; d-- > 0;) index[order[d]] = rest % out.shape[d], rest /= out.shape[d];
        for (std::size_t d = 0; d < rank; d++) source = source * r.shape[d] + index[d];
        out.elements.push_back(r.elements[source]);
    }
    return out;
}

static Ref joined(const std::vector<Ref> &parts, std::size_t d, Tensor t)
{
    Ref out{ t, parts[0].shape, {} };
    std::size_t outer = product(parts[0].shape, 0, d);
    out.shape[d] = 0;
    for (const Ref &p : parts) out.shape[d] += p.shape[d];
    for (std::size_t o = 0; o < outer; o++)
        for (const Ref &p : parts) {
            std::size_t stretch = product(p.shape, d, p.shape.size());
            out.elements.insert(out.elements.end(), p.elements.begin() + static_cast<long>(o * stretch),
                                p.elements.begin() + static_cast<long>((o + 1) * stretch));
        }
    return out;
}

/* One random view of r. */
static Ref step(const Ref &r)
{
    std::size_t rank = r.shape.size(), d = rank ? upTo(rank - 1) : 0, n = rank ? r.shape[d] : 0;
    unsigned dim = static_cast<unsigned>(d);
    std::vector<std::size_t> from;
    if (rank == 0) return { r.t.reshape({ 1 }), { 1 }, r.elements };
    switch (upTo(9)) {
    case 0: {
        std::size_t begin = upTo(n), end = begin + upTo(n - begin);
        for (std::size_t i = begin; i < end; i++) from.push_back(i);
        return taken(r, d, from, upTo(1) ? r.t.slice(begin, end, dim) : r.t.slice(Interval(begin, end), dim));
    }
    case 1: {
        for (std::size_t i = n; i-- > 0;) from.push_back(i);
        return taken(r, d, from, r.t.reverse(dim));
    }
    case 2: {
        if (r.elements.size() > 200) break;
        std::size_t times = 1 + upTo(2);
        for (std::size_t k = 0; k < times * n; k++) from.push_back(k % n);
        return taken(r, d, from, r.t.broadcast(static_cast<unsigned>(times), dim));
    }
    case 3: {
        std::vector<unsigned> order;
        for (std::size_t i = 0; i < rank; i++) order.push_back(static_cast<unsigned>(i));
        std::shuffle(order.begin(), order.end(), generator);
        return shuffled(r, order, r.t.dimShuffle(order));
    }
    case 4: {
        if (r.elements.size() > 200) break;
        std::vector<Ref> parts(1 + upTo(2), r);
        for (Ref &p : parts) {
            std::size_t begin = upTo(n);
            from.clear();
            for (std::size_t i = begin; i < n; i++) from.push_back(i);
            p = taken(r, d, from, r.t.slice(begin, n, dim));
        }
        std::vector<Tensor> tensors;
        for (const Ref &p : parts) tensors.push_back(p.t);
        return joined(parts, d, concat(tensors, dim));
    }
    case 5: return { r.t.flatten(), { r.elements.size() }, r.elements };
    case 6: {
        std::size_t stride = 1 + upTo(2);
        for (std::size_t i = 0; i < n; i += stride) from.push_back(i);
        return taken(r, d, from, r.t.subSample(static_cast<unsigned>(stride), dim));
    }
    case 7: {
        if (!n || d) break; /* index: dimension 0 goes */
        std::size_t i = upTo(n - 1);
        Ref out = taken(r, 0, { i }, r.t[i]);
        out.shape.erase(out.shape.begin());
        return out;
    }
    case 8: {
        Shape s = r.shape;
        for (std::size_t f : { 2, 3, 5 })
            if (n && n % f == 0) {
                s[d] = n / f;
                s.insert(s.begin() + static_cast<long>(d), f);
                return { r.t.reshape(s), s, r.elements };
            }
        break;
    }
    case 9: {
        if (r.elements.size() > 200) break;
        for (std::size_t i = 0; i < n; i++) from.insert(from.end(), 2, i);
        return taken(r, d, from, r.t.upsample(2, dim, UpsampleMethod::REPEAT));
    }
    default: break;
    }
    return r;
}

static bool follows(const Element &a, const Element &b)
{
    return a.first == b.first && a.second + 1 == b.second;
}

static std::vector<Element> elementsOf(const Tensor &t)
{
    std::vector<Element> list;
    for (const VariableInterval &v : t.getVarRegions())
        for (std::size_t i = v.interval.begin(); i < v.interval.end(); i++) list.emplace_back(v.var.id, i);
    return list;
}

static std::size_t runsOf(const std::vector<Element> &e)
{
    std::size_t runs = 0;
    for (std::size_t i = 0; i < e.size(); i++) runs += !i || !follows(e[i - 1], e[i]);
    return runs;
}

/* Rules 1 to 4 of sorted regions, for the elements that `asked` names. */
static void checkSorted(const Graph &g, const Ref &r, const std::vector<Interval> &asked)
{
    std::vector<Element> wanted;
    std::set<std::size_t> places;
    for (const Interval &i : asked)
        for (std::size_t k = i.begin(); k < i.end(); k++) wanted.push_back(r.elements[k]), places.insert(k);
    std::sort(wanted.begin(), wanted.end());
    std::vector<Element> distinct = wanted;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (bool once : { false, true }) {
        std::vector<std::size_t> aliases;
        auto lists = g.getSortedContiguousRegions(r.t, asked, once, &aliases);
        std::vector<Element> seen;
        std::vector<Element> firsts;
        std::size_t intervals = 0;
        for (const auto &list : lists) {
            std::vector<Element> run;
            for (const Interval &i : list) {
                EXPECT(i.size() > 0 && intervals < aliases.size());
                for (std::size_t k = i.begin(); k < i.end(); k++) {
                    EXPECT(places.count(k));
                    EXPECT(r.elements[aliases[intervals] + (k - i.begin())] == r.elements[k]);
                    run.push_back(r.elements[k]);
                }
                intervals++;
            }
            EXPECT(runsOf(run) == 1);
            firsts.push_back(run[0]);
            seen.insert(seen.end(), run.begin(), run.end());
        }
        EXPECT(aliases.size() == intervals && std::is_sorted(firsts.begin(), firsts.end()));
        if (once) EXPECT(lists.size() == runsOf(distinct)); /* runs that touch are one list */
        std::sort(seen.begin(), seen.end());
        EXPECT(seen == (once ? distinct : wanted));
    }
}

static void checkReorder(const Graph &g, const Ref &r)
{
    Tensor a = r.t, b = r.t.reverse(0);
    std::vector<Element> before = r.elements, other = elementsOf(b);
    g.reorderToSimplify(&a, { &b });
    std::vector<Element> x = elementsOf(a), y = elementsOf(b);
    EXPECT(a.rank() == 1 && x.size() == before.size() && y.size() == other.size());
    std::multimap<Element, Element> pairs;
    std::vector<std::pair<Element, Element>> was, is;
    for (std::size_t i = 0; i < before.size(); i++)
        was.emplace_back(before[i], other[i]), is.emplace_back(x[i], y[i]);
    std::sort(was.begin(), was.end()), std::sort(is.begin(), is.end());
    EXPECT(was == is); /* both were permuted alike */
    std::sort(before.begin(), before.end());
    bool aliased = std::adjacent_find(before.begin(), before.end()) != before.end();
    if (!aliased) EXPECT(runsOf(x) == runsOf(before)); /* no order has fewer */
}

static void check(const Graph &g, const Ref &r, const std::vector<std::vector<unsigned>> &tiles,
                  const std::set<unsigned> &constants)
{
    EXPECT(r.t.shape() == r.shape && r.t.numElements() == r.elements.size());
    EXPECT(elementsOf(r.t) == r.elements);
    std::size_t at = 0, runs = runsOf(r.elements);
    auto regions = r.t.getContiguousRegions();
    EXPECT(regions.size() == runs);
    for (const Interval &i : regions) EXPECT(i.begin() == at && (at = i.end(), true));
    std::set<Element> distinct(r.elements.begin(), r.elements.end());
    bool aliased = distinct.size() != r.elements.size();
    bool constant = std::any_of(r.elements.begin(), r.elements.end(),
                                [&](const Element &e) { return constants.count(e.first) > 0; });
    EXPECT(r.t.containsAliases() == aliased && r.t.containsConstant() == constant);
    EXPECT(r.t.isParallelWriteable() == (!aliased && !constant));
    EXPECT(r.t.isContiguous() == (runs <= 1));
    auto mapping = g.getTileMapping(r.t);
    for (std::size_t tile = 0; tile < mapping.size(); tile++)
        for (std::size_t k = 0; k < mapping[tile].size(); k++) {
            const Interval &i = mapping[tile][k];
            for (std::size_t e = i.begin(); e < i.end(); e++)
                EXPECT(tiles[r.elements[e].first][r.elements[e].second] == tile);
            EXPECT(k == 0 || mapping[tile][k - 1].end() < i.begin()); /* sorted, merged */
        }
    std::vector<Interval> asked;
    for (std::size_t p = 0, n = r.elements.size(); p < n;) {
        std::size_t begin = p + upTo(3), end = begin + upTo(12);
        if (begin < n) asked.emplace_back(begin, end < n ? end : n);
        p = end + 1;
    }
    checkSorted(g, r, asked);
    if (r.shape.size() && r.elements.size()) checkReorder(g, r);
    Tensor part = g.findUnbroadcastTensor(r.t);
    for (unsigned d = 0; d < r.shape.size(); d++) {
        EXPECT(!part.dim(d) == !r.shape[d] && (!part.dim(d) || r.shape[d] % part.dim(d) == 0));
        if (part.dim(d)) part = part.broadcast(static_cast<unsigned>(r.shape[d] / part.dim(d)), d);
    }
    EXPECT(part == r.t);
}

int main()
{
    const char *limit = std::getenv("TW_VIEWS");
    unsigned wanted = limit ? static_cast<unsigned>(std::atoi(limit)) : 10000, checked = 0;
    while (checked < wanted && !failures) {
        Graph g(Target::createIPUTarget(1, 8, "ipu2"));
        std::vector<Ref> pool;
        std::vector<std::vector<unsigned>> tiles;
        std::set<unsigned> constants;
        for (unsigned v = 0; v < 3; v++) {
            Shape s = { 1 + upTo(4), 1 + upTo(3), 1 + upTo(5) };
            std::size_t n = product(s, 0, 3);
            Ref r{ v == 2 ? g.addConstant(FLOAT, s, 1.0f) : g.addVariable(FLOAT, s), s, {} };
            unsigned id = r.t.getVarRegions()[0].var.id;
            if (tiles.size() <= id) tiles.resize(id + 1);
            for (std::size_t i = 0; i < n; i++) {
                tiles[id].push_back(static_cast<unsigned>(upTo(7)));
                r.elements.emplace_back(id, i);
                g.setTileMapping(r.t.flatten()[i], tiles[id][i]);
            }
            if (v == 2) constants.insert(id);
            pool.push_back(r);
        }
        for (unsigned k = 0; k < 100 && checked < wanted; k++, checked++) {
            Ref r = pool[upTo(pool.size() - 1)];
            if (upTo(3) == 0) { /* of two variables */
                Ref f = pool[upTo(pool.size() - 1)];
                r = joined({ { r.t.flatten(), { r.elements.size() }, r.elements },
                             { f.t.flatten(), { f.elements.size() }, f.elements } },
                           0, concat(r.t.flatten(), f.t.flatten()));
            }
            for (std::size_t depth = 1 + upTo(3); depth; depth--) r = step(r);
            if (r.elements.size() > 400) continue;
            check(g, r, tiles, constants);
            if (pool.size() < 20) pool.push_back(r);
        }
    }
    std::printf("%u views\n", checked);
    return failures ? 1 : 0;
}
