// SPDX-License-Identifier: MIT
/* Tensors: each view is a handle of the C API that goes with the last copy. */
#include "core.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace poplar {

using core::makeTensor;
using core::raise;
using core::View;

core::View::~View()
{
    GraphLock guard(graph->graph);
    tw_tensor_free(graph->graph, id);
}

Tensor core::makeTensor(const std::shared_ptr<GraphHolder> &graph, tw_tensor handle, Type type)
{
    return Tensor(std::make_shared<const View>(graph, handle, type));
}

const core::Beyond *core::View::beyond() const
{
    return id.id ? nullptr : static_cast<const Beyond *>(this);
}
void core::View::refuse() const
{
    raise(TW_E_INDEX, "Tensor::slices", beyond()->message);
}

const core::View &Tensor::get() const
{
    if (!view) throw poplar_error("Tensor: the tensor is not valid");
    return *view;
}

/* --- queries --- */

template <class F> static auto ask(const View &v, const char *name, F f) -> decltype(f(v.graph->graph, v.handle()))
{
    return v.graph->call(name, [&](tw_graph *g) { return f(g, v.handle()); });
}

Type Tensor::elementType() const
{
    return get().type;
}
unsigned Tensor::rank() const
{
    if (get().beyond()) return 1;
    return ask(get(), "Tensor::rank", tw_tensor_rank);
}
std::vector<std::size_t> Tensor::shape() const
{
    if (get().beyond()) return { get().beyond()->count };
    return ask(get(), "Tensor::shape", [](tw_graph *g, tw_tensor t) {
        const std::size_t *dims = tw_tensor_shape(g, t);
        return std::vector<std::size_t>(dims, dims + tw_tensor_rank(g, t));
    });
}
std::size_t Tensor::dim(unsigned i) const
{
    return ask(get(), "Tensor::dim", [i](tw_graph *g, tw_tensor t) { return tw_tensor_dim(g, t, i); });
}
std::size_t Tensor::numElements() const
{
    if (get().beyond()) return get().beyond()->count;
    return ask(get(), "Tensor::numElements", tw_tensor_elements);
}
bool Tensor::isContiguous() const
{
    return ask(get(), "Tensor::isContiguous", tw_tensor_is_contiguous);
}
bool Tensor::containsAliases() const
{
    return ask(get(), "Tensor::containsAliases", tw_tensor_contains_aliases);
}
bool Tensor::containsConstant() const
{
    return ask(get(), "Tensor::containsConstant", tw_tensor_contains_constant);
}
bool Tensor::isParallelWriteable() const
{
    return ask(get(), "Tensor::isParallelWriteable", tw_tensor_is_parallel_writeable);
}
bool Tensor::constantValue(double *number) const
{
    return ask(get(), "Tensor::getConstantValue",
               [number](tw_graph *g, tw_tensor t) { return tw_tensor_constant_value(g, t, number); });
}
bool Tensor::intersectsWith(const Tensor &other) const
{
    tw_tensor o = other.get().handle();
    return ask(get(), "Tensor::intersectsWith",
               [o](tw_graph *g, tw_tensor t) { return tw_tensor_intersects(g, t, o); });
}
bool Tensor::intersectsWith(ArrayRef<Tensor> others) const
{
    for (const Tensor &t : others)
        if (intersectsWith(t)) return true;
    return false;
}

std::vector<Interval> Tensor::getContiguousRegions() const
{
    return ask(get(), "Tensor::getContiguousRegions", [](tw_graph *g, tw_tensor t) {
        std::vector<tw_interval> list(tw_tensor_contiguous_regions(g, t, nullptr, 0));
        tw_tensor_contiguous_regions(g, t, list.data(), list.size());
        std::vector<Interval> result;
        for (tw_interval i : list) result.emplace_back(i.begin, i.end);
        return result;
    });
}

std::vector<VariableInterval> Tensor::getVarRegions() const
{
    return ask(get(), "Tensor::getVarRegions", [](tw_graph *g, tw_tensor t) {
        std::vector<tw_variable_region> list(tw_tensor_variable_regions(g, t, nullptr, 0));
        tw_tensor_variable_regions(g, t, list.data(), list.size());
        std::vector<VariableInterval> result;
        for (const tw_variable_region &r : list)
            result.emplace_back(VariableRef(r.variable), r.offset, r.offset + (r.elements.end - r.elements.begin));
        return result;
    });
}

/* --- as text --- */

std::string Tensor::shapeToString() const
{
    std::string text = "{";
    for (std::size_t d : shape()) text += (text.size() > 1 ? "," : "") + std::to_string(d);
    return text + "}";
}
void Tensor::output(std::ostream &out) const
{
    if (!valid())
        out << "invalid tensor";
    else
        out << elementType() << shapeToString();
}
void Tensor::outputRegions(std::ostream &out) const
{
    for (const VariableInterval &v : getVarRegions()) out << v << '\n';
}
std::string Tensor::getDebugStr() const
{
    std::ostringstream out;
    output(out);
    return out.str();
}
std::string Tensor::getVarStr() const
{
    std::ostringstream out;
    outputRegions(out);
    return out.str();
}
void Tensor::dump() const
{
    output(std::cerr);
    std::cerr << '\n';
}
void Tensor::dumpRegions() const
{
    outputRegions(std::cerr);
}

/* --- views --- */

/* A view of v that f(graph, handle) makes; it keeps v's type. */
template <class F> static Tensor derive(const Tensor &of, const char *name, F f)
{
    const View &v = of.get();
    return makeTensor(v.graph, ask(v, name, f), v.type);
}

Tensor Tensor::operator[](std::size_t i) const
{
    return derive(*this, "Tensor::operator[]", [i](tw_graph *g, tw_tensor t) { return tw_tensor_index(g, t, i); });
}

Tensor Tensor::index(ArrayRef<std::size_t> indices) const
{
    Tensor t = *this;
    for (std::size_t i : indices)
        t = derive(t, "Tensor::index", [i](tw_graph *g, tw_tensor v) { return tw_tensor_index(g, v, i); });
    return t;
}

Tensor Tensor::slice(std::size_t begin, std::size_t end, unsigned dimension) const
{
    return derive(*this, "Tensor::slice",
                  [=](tw_graph *g, tw_tensor t) { return tw_tensor_slice(g, t, dimension, begin, end); });
}

Tensor Tensor::slice(ArrayRef<std::size_t> begins, ArrayRef<std::size_t> ends) const
{
    std::vector<std::size_t> first(begins.begin(), begins.end()), last(ends.begin(), ends.end()), dims = shape();
    if (first.size() != last.size() || first.size() > dims.size())
        raise(TW_E_INDEX, "Tensor::slice",
              std::to_string(first.size()) + " begins and " + std::to_string(last.size()) +
                  " ends for a tensor of rank " + std::to_string(dims.size()));
    while (first.size() < dims.size()) first.push_back(0), last.push_back(dims[last.size()]);
    return derive(*this, "Tensor::slice",
                  [&](tw_graph *g, tw_tensor t) { return tw_tensor_slice_nd(g, t, first.data(), last.data()); });
}

std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals, unsigned dimension) const
{
    std::vector<Tensor> result;
    result.reserve(intervals.size());
    for (const Interval &i : intervals) result.push_back(slice(i, dimension));
    return result;
}

/* The view of intervals of which one ends past the vector of n elements. */
static Tensor sliceBeyond(const View &v, const std::vector<Interval> &list, std::size_t n)
{
    std::size_t count = 0;
    std::string which;
    for (const Interval &i : list) {
        count += i.size();
        if (i.end() > n) which = std::to_string(i.begin()) + " to " + std::to_string(i.end());
    }
    return Tensor(std::make_shared<const core::Beyond>(
        v, count, "elements " + which + " of a tensor of " + std::to_string(n) + " elements"));
}
/* Several intervals of a vector become one view in one call. */
std::vector<Tensor> Tensor::slices(const std::vector<std::vector<Interval>> &lists, unsigned dimension) const
{
    std::vector<Tensor> result;
    result.reserve(lists.size());
    bool flat = rank() == 1 && dimension == 0;
    std::size_t n = flat ? numElements() : 0;
    std::vector<tw_interval> c;
    for (const std::vector<Interval> &list : lists) {
        if (!flat) {
            result.push_back(list.empty() ? slice(0, 0, dimension) : concat(slices(list, dimension), dimension));
            continue;
        }
        c.clear();
        bool ordered = true, inside = true;
        for (const Interval &i : list) {
            c.push_back({ i.begin(), i.end() });
            ordered = ordered && i.begin() <= i.end();
            inside = inside && i.end() <= n;
        }
        if (ordered && !inside) {
            result.push_back(sliceBeyond(get(), list, n));
            continue;
        }
        result.push_back(derive(*this, "Tensor::slices", [&](tw_graph *g, tw_tensor t) {
            return tw_tensor_pick(g, t, c.size(), c.data());
        }));
    }
    return result;
}

std::vector<Tensor> Tensor::slices(const ArrayRef<unsigned> &indices, unsigned dimension) const
{
    std::vector<Tensor> result;
    for (unsigned i : indices) result.push_back(slice(i, i + std::size_t(1), dimension));
    return result;
}

Tensor Tensor::flatten() const
{
    return derive(*this, "Tensor::flatten", tw_tensor_flatten);
}
Tensor Tensor::flatten(unsigned begin, unsigned end) const
{
    return derive(*this, "Tensor::flatten",
                  [=](tw_graph *g, tw_tensor t) { return tw_tensor_flatten_dims(g, t, begin, end); });
}
Tensor Tensor::reshape(ArrayRef<std::size_t> s) const
{
    return derive(*this, "Tensor::reshape", [&](tw_graph *g, tw_tensor t) {
        return tw_tensor_reshape(g, t, static_cast<unsigned>(s.size()), s.data());
    });
}
Tensor Tensor::reshapePartial(unsigned begin, unsigned end, ArrayRef<std::size_t> s) const
{
    return derive(*this, "Tensor::reshapePartial", [&](tw_graph *g, tw_tensor t) {
        return tw_tensor_reshape_partial(g, t, begin, end, static_cast<unsigned>(s.size()), s.data());
    });
}
Tensor Tensor::dimShuffle(ArrayRef<unsigned> p) const
{
    if (p.size() != rank())
        raise(TW_E_INDEX, "Tensor::dimShuffle",
              "a permutation of " + std::to_string(p.size()) + " dimensions for rank " + std::to_string(rank()));
    return derive(*this, "Tensor::dimShuffle",
                  [&](tw_graph *g, tw_tensor t) { return tw_tensor_dim_shuffle(g, t, p.data()); });
}
Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> from, ArrayRef<unsigned> to) const
{
    if (from.size() != to.size())
        raise(TW_E_INDEX, "Tensor::dimShufflePartial", "as many sources as destinations are needed");
    return derive(*this, "Tensor::dimShufflePartial", [&](tw_graph *g, tw_tensor t) {
        return tw_tensor_dim_shuffle_partial(g, t, static_cast<unsigned>(from.size()), from.data(), to.data());
    });
}
Tensor Tensor::dimRoll(unsigned d, unsigned to) const
{
    return derive(*this, "Tensor::dimRoll",
                  [=](tw_graph *g, tw_tensor t) { return tw_tensor_dim_roll(g, t, d, to); });
}
Tensor Tensor::transpose() const
{
    return derive(*this, "Tensor::transpose", tw_tensor_transpose);
}
Tensor Tensor::expand(ArrayRef<std::size_t> at) const
{
    return derive(*this, "Tensor::expand", [&](tw_graph *g, tw_tensor t) {
        return tw_tensor_expand(g, t, static_cast<unsigned>(at.size()), at.data());
    });
}
Tensor Tensor::squeeze(ArrayRef<std::size_t> at) const
{
    return derive(*this, "Tensor::squeeze", [&](tw_graph *g, tw_tensor t) {
        return tw_tensor_squeeze(g, t, static_cast<unsigned>(at.size()), at.data());
    });
}
Tensor Tensor::broadcast(unsigned n, unsigned d) const
{
    return derive(*this, "Tensor::broadcast",
                  [=](tw_graph *g, tw_tensor t) { return tw_tensor_broadcast(g, t, n, d); });
}
Tensor Tensor::subSample(unsigned stride, unsigned d) const
{
    return derive(*this, "Tensor::subSample",
                  [=](tw_graph *g, tw_tensor t) { return tw_tensor_sub_sample(g, t, stride, d); });
}
Tensor Tensor::upsample(unsigned scale, unsigned d, UpsampleMethod) const
{
    return derive(*this, "Tensor::upsample",
                  [=](tw_graph *g, tw_tensor t) { return tw_tensor_upsample(g, t, scale, d); });
}
Tensor Tensor::reverse(unsigned d) const
{
    return derive(*this, "Tensor::reverse", [=](tw_graph *g, tw_tensor t) { return tw_tensor_reverse(g, t, d); });
}
Tensor Tensor::reinterpret(const Type &type) const
{
    const View &v = get();
    tw_type to = core::deviceType(type, "Tensor::reinterpret");
    return makeTensor(
        v.graph,
        ask(v, "Tensor::reinterpret", [to](tw_graph *g, tw_tensor t) { return tw_tensor_reinterpret(g, t, to); }),
        type);
}

bool operator==(const Tensor &a, const Tensor &b)
{
    if (!a.valid() || !b.valid()) return a.valid() == b.valid();
    tw_tensor other = b.get().handle();
    bool together = tw_graph_top_level(a.get().graph->graph) == tw_graph_top_level(b.get().graph->graph);
    return together && a.elementType() == b.elementType() &&
           ask(a.get(),
               "Tensor::operator==", [other](tw_graph *g, tw_tensor t) { return tw_tensor_equal(g, t, other); });
}

static Tensor joinBeyond(ArrayRef<Tensor> tensors, const core::Beyond &one)
{
    std::size_t count = 0;
    for (const Tensor &t : tensors) count += t.numElements();
    return Tensor(std::make_shared<const core::Beyond>(one, count, one.message));
}

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension)
{
    if (tensors.empty()) throw poplar_error("concat: there are no tensors");
    const View &first = tensors[0].get();
    std::vector<tw_tensor> handles;
    handles.reserve(tensors.size());
    for (const Tensor &t : tensors) {
        if (t.get().type != first.type)
            raise(TW_E_TYPE, "concat", first.type.toString() + " and " + t.get().type.toString());
        if (t.get().beyond()) return joinBeyond(tensors, *t.get().beyond());
        handles.push_back(t.get().handle());
    }
    tw_tensor joined = first.graph->call("concat", [&](tw_graph *g) {
        return tw_tensor_concat(g, static_cast<unsigned>(handles.size()), handles.data(), dimension);
    });
    return makeTensor(first.graph, joined, first.type);
}
Tensor concat(const Tensor &a, const Tensor &b, unsigned dimension)
{
    const Tensor both[] = { a, b };
    return concat(ArrayRef<Tensor>(both, 2), dimension);
}
Tensor append(const Tensor &a, const Tensor &b, unsigned dimension)
{
    tw_tensor element = b.get().handle();
    return derive(a, "append",
                  [=](tw_graph *g, tw_tensor t) { return tw_tensor_append(g, t, element, dimension); });
}
Tensor append(const Tensor &a, const Tensor &b)
{
    return append(a, b, 0);
}

} // namespace poplar
