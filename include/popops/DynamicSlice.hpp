// SPDX-License-Identifier: MIT
/* Slices at offsets that a run computes. */
#ifndef POPOPS_DYNAMIC_SLICE_HPP
#define POPOPS_DYNAMIC_SLICE_HPP

#include <cstdlib>
#include <ostream>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Cast.hpp>
#include <poputil/exceptions.hpp>
#include <sstream>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/popops_slice.h>
#include <vector>

namespace popops {

/* How a table is spread. Layouts follow from shapes alone, so a plan is its text. */
class SlicePlan {
    std::string text;

  public:
    SlicePlan() = default;
    explicit SlicePlan(std::string t) : text(std::move(t)) {}
    friend bool operator==(const SlicePlan &a, const SlicePlan &b) { return a.text == b.text; }
    friend bool operator!=(const SlicePlan &a, const SlicePlan &b) { return a.text != b.text; }
    friend bool operator<(const SlicePlan &a, const SlicePlan &b) { return a.text < b.text; }
    friend std::ostream &operator<<(std::ostream &out, const SlicePlan &p)
    {
        return out << (p.text.empty() ? "no plan\n" : p.text);
    }
};

namespace detail {
inline std::string slicePlanText(const poplar::Graph &graph, const char *call, const poplar::Type &type,
                                 std::size_t rows, std::size_t columns, std::size_t lookups,
                                 const poplar::OptionFlags &options)
{
    const poplar::handles::OptionList list(options);
    std::string text;
    poplar::handles::call(graph, call, [&](tw_graph *g) {
        char *made = tw_popops_slice_plan(g, poplar::handles::of(type), rows, columns, lookups, list.data());
        if (made) text = made;
        std::free(made);
    });
    return text;
}
/* Options of one slice, which a plan of one row reads. True: an offset may be that of padding; else one outside
 * counts as 0, as remapOutOfBoundIndices wants it. */
inline bool slicePads(const poplar::Graph &graph, const char *call, const poplar::OptionFlags &options)
{
    const auto padding = options.find("paddingIndexUsed");
    const bool pads = padding != options.end() && padding->second == "true";
    poplar::OptionFlags checked;
    for (const auto &o : options)
        if (pads || o.first != "remapOutOfBoundIndices" || o.second != "true") checked.set(o.first, o.second);
    if (!checked.empty()) slicePlanText(graph, call, poplar::FLOAT, 1, 1, 1, checked);
    return pads;
}
/* sizes.data(), of which a call reads as many as there are dimensions. */
inline const std::size_t *slicedBy(const char *call, const std::vector<std::size_t> &dims,
                                   const std::vector<std::size_t> &sizes)
{
    if (sizes.size() != dims.size())
        throw poputil::poplibs_error(std::string(call) + ": " + std::to_string(dims.size()) + " dimensions and " +
                                     std::to_string(sizes.size()) + " sizes");
    return sizes.data();
}
/* Elements of FP8 mean nothing without their metadata: slices share those of what they are of. */
inline poplar::Tensor sharing(const poplar::Tensor &metadata, const poplar::Tensor &made, poplar::Graph &graph)
{
    if (metadata.valid()) graph.setMetadata(made, metadata);
    return made;
}
/* Of FP8: whether the bytes of one may mean something else in the other. Those without elements have no metadata. */
inline bool metadataDiffer(const char *call, const poplar::Tensor &one, const poplar::Tensor &other)
{
    if (!one.numElements() || !other.numElements()) return false;
    if (one.hasMetadata() != other.hasMetadata())
        throw poputil::poplibs_error(
            std::string(call) + ": " + poplar::handles::describe(one.hasMetadata() ? other : one) +
            " has no metadata, but " + poplar::handles::describe(one.hasMetadata() ? one : other) + " has");
    if (!one.hasMetadata()) return false;
    const poplar::Tensor a = one.getMetadata(), b = other.getMetadata();
    unsigned x = 0, y = 0;
    return !(a == b || (a.getConstantValue(&x) && b.getConstantValue(&y) && x == y));
}
/* What is put into `t`, converted to its metadata where they differ; fits(graph) has checked the rest by then. */
template <class Fits>
poplar::Tensor likeTable(const char *call, poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext, Fits fits)
{
    if (t.elementType() != s.elementType() || !metadataDiffer(call, t, s)) return s;
    poplar::handles::call(graph, call, fits);
    return cast(graph, s, poplar::QUARTER, t.getMetadata(), prog, debugContext);
}
inline poplar::Tensor likeTable(const char *call, poplar::Graph &graph, const poplar::Tensor &t,
                                const poplar::Tensor &s, const poplar::Tensor &offsets, bool many,
                                const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                poplar::program::Sequence &prog, const poplar::OptionFlags &options,
                                const poplar::DebugContext &debugContext)
{
    return likeTable(call, graph, t, s, prog, debugContext, [&](tw_graph *g) {
        tw_popops_update_fits(g, poplar::handles::of(t), poplar::handles::of(s), poplar::handles::of(offsets), many,
                              static_cast<unsigned>(dims.size()), dims.data(), sizes.data(),
                              poplar::handles::OptionList(options).data());
    });
}
} // namespace detail

namespace embedding {
inline SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType, std::size_t numEntries,
                      std::size_t outputSize, const std::vector<std::size_t> &numLookups,
                      const poplar::OptionFlags &options = {})
{
    std::size_t all = 0;
    for (std::size_t n : numLookups) all += n;
    const std::string text =
        detail::slicePlanText(graph, "popops::embedding::plan", dataType, numEntries, outputSize, all, options);
    return SlicePlan(text);
}
/* Groups are looked up one after the other, each as a table of its own. */
inline SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType, std::size_t groupSize,
                      std::size_t numEntries, std::size_t outputSize, const std::vector<std::size_t> &numLookups,
                      const poplar::OptionFlags &options)
{
    std::ostringstream text;
    if (groupSize > 1) text << groupSize << " times ";
    text << plan(graph, dataType, numEntries, outputSize, numLookups, options);
    return SlicePlan(text.str());
}
struct SlicePlanningParameters {
    const poplar::Graph &graph;
    const poplar::Type dataType;
    const std::size_t groupSize, numEntries, outputSize;
    const std::vector<std::size_t> numLookups;
    const poplar::OptionFlags optionFlags;
    SlicePlanningParameters(const poplar::Graph &g, const poplar::Type &type, std::size_t groups,
                            std::size_t entries, std::size_t size, const std::vector<std::size_t> &lookups,
                            const poplar::OptionFlags &options)
        : graph(g), dataType(type), groupSize(groups), numEntries(entries), outputSize(size), numLookups(lookups),
          optionFlags(options)
    {
    }
    SlicePlanningParameters(const poplar::Graph &g, const poplar::Type &type, std::size_t entries, std::size_t size,
                            const std::vector<std::size_t> &lookups, const poplar::OptionFlags &options)
        : SlicePlanningParameters(g, type, 1, entries, size, lookups, options)
    {
    }
};
inline std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters> &all)
{
    std::vector<SlicePlan> plans;
    for (const SlicePlanningParameters &p : all)
        plans.push_back(
            plan(p.graph, p.dataType, p.groupSize, p.numEntries, p.outputSize, p.numLookups, p.optionFlags));
    return plans;
}
} // namespace embedding

/* --- variables: those of FP8 that are made of a type have metadata of their own ------------------------------- */

namespace detail {
/* `metadata` of FP8: those of the variable; not valid: its own. */
inline poplar::Tensor sliceable(poplar::Graph &graph, const poplar::Type &type, const poplar::Tensor &metadata,
                                const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                const std::vector<std::size_t> &sizes, std::size_t minGrainSize,
                                const poplar::DebugContext &debugContext)
{
    const std::size_t *size = slicedBy("popops::createSliceableTensor", dims, sizes);
    const poplar::Tensor made = poplar::handles::make(graph, "popops::createSliceableTensor", [&](tw_graph *g) {
        return tw_popops_create_sliceable(g, poplar::handles::of(type), static_cast<unsigned>(shape.size()),
                                          shape.data(), static_cast<unsigned>(dims.size()), dims.data(), size,
                                          minGrainSize, debugContext.getPathName().c_str());
    });
    graph.setMetadata(made, metadata);
    return made;
}
inline poplar::Tensor slicesOf(poplar::Graph &graph, const poplar::Type &type, const poplar::Tensor &metadata,
                               const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                               const std::vector<std::size_t> &sizes, std::size_t numIndices,
                               const poplar::DebugContext &debugContext)
{
    const std::size_t *size = slicedBy("popops::createSliceTensor", dims, sizes);
    const poplar::Tensor made = poplar::handles::make(graph, "popops::createSliceTensor", [&](tw_graph *g) {
        return tw_popops_create_slices_for(g, poplar::handles::of(type), static_cast<unsigned>(shape.size()),
                                           shape.data(), static_cast<unsigned>(dims.size()), dims.data(), size,
                                           numIndices, debugContext.getPathName().c_str());
    });
    graph.setMetadata(made, metadata);
    return made;
}
} // namespace detail

inline poplar::Tensor createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape,
                                            const std::vector<std::size_t> &dims,
                                            const std::vector<std::size_t> &sizes, std::size_t minGrainSize = 0,
                                            const poplar::DebugContext &debugContext = {})
{
    return detail::sliceable(graph, type, poplar::Tensor(), shape, dims, sizes, minGrainSize, debugContext);
}
inline poplar::Tensor
createSliceableTensor(poplar::Graph &graph, const poplar::Type &type, const std::vector<std::size_t> &shape,
                      const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                      const SlicePlan &, const poplar::OptionFlags &, const poplar::DebugContext &debugContext = {})
{
    return createSliceableTensor(graph, type, shape, dims, sizes, 0, debugContext);
}
inline poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Tensor &t,
                                        const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                        std::size_t numIndices, const poplar::DebugContext &debugContext = {})
{
    const std::size_t *size = detail::slicedBy("popops::createSliceTensor", dims, sizes);
    const poplar::Tensor metadata = t.getMetadata();
    const poplar::Tensor made = poplar::handles::make(graph, "popops::createSliceTensor", [&](tw_graph *g) {
        return tw_popops_create_slices(g, poplar::handles::of(t), static_cast<unsigned>(dims.size()), dims.data(),
                                       size, numIndices, debugContext.getPathName().c_str());
    });
    return detail::sharing(metadata, made, graph);
}
/* Where elements of one slice lie best. The graph gets the variable that says so. */
inline poplar::Graph::TileToTensorMapping getSliceMapping(poplar::Graph &graph, const poplar::Tensor &t,
                                                          const std::vector<std::size_t> &dims,
                                                          const std::vector<std::size_t> &sizes)
{
    return graph.getTileMapping(createSliceTensor(graph, t, dims, sizes, 1));
}
inline poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &type,
                                        const std::vector<std::size_t> &shape, const std::vector<std::size_t> &dims,
                                        const std::vector<std::size_t> &sizes, std::size_t numIndices,
                                        const SlicePlan &, const poplar::OptionFlags &,
                                        const poplar::DebugContext &debugContext = {})
{
    return detail::slicesOf(graph, type, poplar::Tensor(), shape, dims, sizes, numIndices, debugContext);
}
inline poplar::Tensor createSliceableTensorFromSlice(poplar::Graph &graph, const poplar::Tensor &s,
                                                     const std::vector<std::size_t> &dims,
                                                     const std::vector<std::size_t> &numSlices,
                                                     const poplar::DebugContext &debugContext = {})
{
    const std::size_t *size = detail::slicedBy("popops::createSliceableTensorFromSlice", dims, numSlices);
    const poplar::Tensor metadata = s.getMetadata();
    const poplar::Tensor made =
        poplar::handles::make(graph, "popops::createSliceableTensorFromSlice", [&](tw_graph *g) {
            return tw_popops_create_sliceable_from_slice(g, poplar::handles::of(s),
                                                         static_cast<unsigned>(dims.size()), dims.data(), size,
                                                         debugContext.getPathName().c_str());
        });
    return detail::sharing(metadata, made, graph);
}
inline poplar::Tensor createIndicesTensor(poplar::Graph &graph, const std::vector<std::size_t> &dims,
                                          std::size_t numIndices, const SlicePlan &, const poplar::OptionFlags &,
                                          const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::make(graph, "popops::createIndicesTensor", [&](tw_graph *g) {
        return tw_popops_create_indices(g, static_cast<unsigned>(dims.size()), numIndices,
                                        debugContext.getPathName().c_str());
    });
}

/* --- slices --------------------------------------------------------------------------------------------------- */

inline poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offsets,
                                 const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                 poplar::program::Sequence &prog, const SlicePlan &,
                                 const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    const std::size_t *size = detail::slicedBy("popops::multiSlice", dims, sizes);
    const poplar::Tensor metadata = t.getMetadata();
    const poplar::Tensor made = poplar::handles::step(
        graph, prog, debugContext, options, "popops::multiSlice", [&](const poplar::handles::Call &c) {
            return tw_popops_multi_slice(c.graph, poplar::handles::of(t), poplar::handles::of(offsets),
                                         static_cast<unsigned>(dims.size()), dims.data(), size, c.sequence, c.path,
                                         c.options);
        });
    return detail::sharing(metadata, made, graph);
}
inline void multiUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                        const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                        const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog, const SlicePlan &,
                        const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    const std::size_t *size = detail::slicedBy("popops::multiUpdate", dims, sizes);
    const poplar::Tensor from = detail::likeTable("popops::multiUpdate", graph, t, s, offsets, true, dims, sizes,
                                                  prog, options, debugContext);
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::multiUpdate", [&](const poplar::handles::Call &c) {
            tw_popops_multi_update(c.graph, poplar::handles::of(t), poplar::handles::of(from),
                                   poplar::handles::of(offsets), static_cast<unsigned>(dims.size()), dims.data(),
                                   size, c.sequence, c.path, c.options);
        });
}
inline poplar::Tensor dynamicSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offset,
                                   const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {})
{
    if (detail::slicePads(graph, "popops::dynamicSlice", options))
        return multiSlice(graph, t, offset.expand({ 0 }), dims, sizes, prog, SlicePlan(), {}, debugContext)[0];
    const std::size_t *size = detail::slicedBy("popops::dynamicSlice", dims, sizes);
    const poplar::Tensor metadata = t.getMetadata();
    const poplar::Tensor made = poplar::handles::step(
        graph, prog, debugContext, {}, "popops::dynamicSlice", [&](const poplar::handles::Call &c) {
            return tw_popops_dynamic_slice(c.graph, poplar::handles::of(t), poplar::handles::of(offset),
                                           static_cast<unsigned>(dims.size()), dims.data(), size, c.sequence,
                                           c.path);
        });
    return detail::sharing(metadata, made, graph);
}
inline void dynamicUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                          const poplar::Tensor &offset, const std::vector<std::size_t> &dims,
                          const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    if (detail::slicePads(graph, "popops::dynamicUpdate", options))
        return multiUpdate(graph, t, s.expand({ 0 }), offset.expand({ 0 }), dims, sizes, prog, SlicePlan(), {},
                           debugContext);
    const std::size_t *size = detail::slicedBy("popops::dynamicUpdate", dims, sizes);
    const poplar::Tensor from =
        detail::likeTable("popops::dynamicUpdate", graph, t, s, offset, false, dims, sizes, prog, {}, debugContext);
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::dynamicUpdate", [&](const poplar::handles::Call &c) {
            tw_popops_dynamic_update(c.graph, poplar::handles::of(t), poplar::handles::of(from),
                                     poplar::handles::of(offset), static_cast<unsigned>(dims.size()), dims.data(),
                                     size, c.sequence, c.path);
        });
}
inline void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const poplar::Tensor &scale,
                           const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                           poplar::program::Sequence &prog, const SlicePlan &, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {})
{
    const std::size_t *size = detail::slicedBy("popops::multiUpdateAdd", dims, sizes);
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::multiUpdateAdd", [&](const poplar::handles::Call &c) {
            tw_popops_multi_update_add(c.graph, poplar::handles::of(t), poplar::handles::of(s),
                                       poplar::handles::of(offsets), poplar::handles::of(scale),
                                       static_cast<unsigned>(dims.size()), dims.data(), size, c.sequence, c.path,
                                       c.options);
        });
}
inline void multiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {})
{
    const std::size_t *size = detail::slicedBy("popops::multiUpdateMax", dims, sizes);
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::multiUpdateMax", [&](const poplar::handles::Call &c) {
            tw_popops_multi_update_max(c.graph, poplar::handles::of(t), poplar::handles::of(s),
                                       poplar::handles::of(offsets), static_cast<unsigned>(dims.size()),
                                       dims.data(), size, c.sequence, c.path, c.options);
        });
}
inline void multiUpdateMul(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {})
{
    const std::size_t *size = detail::slicedBy("popops::multiUpdateMul", dims, sizes);
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::multiUpdateMul", [&](const poplar::handles::Call &c) {
            tw_popops_multi_update_mul(c.graph, poplar::handles::of(t), poplar::handles::of(s),
                                       poplar::handles::of(offsets), static_cast<unsigned>(dims.size()),
                                       dims.data(), size, c.sequence, c.path, c.options);
        });
}

/* --- into a tensor that is there ------------------------------------------------------------------------------ */

inline poplar::Tensor createDynamicSliceOutput(poplar::Graph &graph, const poplar::Tensor &t,
                                               const poplar::Tensor &, const std::vector<std::size_t> &dims,
                                               const std::vector<std::size_t> &sizes,
                                               const poplar::DebugContext &debugContext = {},
                                               const poplar::OptionFlags &options = {})
{
    detail::slicePads(graph, "popops::createDynamicSliceOutput", options);
    return createSliceTensor(graph, t, dims, sizes, 1, debugContext)[0];
}
/* Of FP8 an output that alone has its metadata gets those of `t`; what is put into any other is converted. */
inline void dynamicSliceWithOutput(poplar::Graph &graph, const poplar::Tensor &output, const poplar::Tensor &t,
                                   const poplar::Tensor &offset, const std::vector<std::size_t> &dims,
                                   const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {})
{
    detail::slicedBy("popops::dynamicSliceWithOutput", dims, sizes);
    std::vector<std::size_t> shape = t.shape();
    for (std::size_t i = 0; i < dims.size(); i++)
        if (dims[i] < shape.size()) shape[dims[i]] = sizes[i];
    poplar::handles::wantOutput("popops::dynamicSliceWithOutput", output, t.elementType(), shape);
    const bool differ = detail::metadataDiffer("popops::dynamicSliceWithOutput", t, output);
    const bool convert = differ && poplar::handles::sharesMetadata(graph, output);
    if (convert)
        quarters::wantUsable("popops::dynamicSliceWithOutput", graph, output);
    else if (differ && !output.getMetadata().isParallelWriteable())
        throw poputil::poplibs_error("popops::dynamicSliceWithOutput: " + poplar::handles::describe(output) +
                                     " has other metadata, which are constant");
    const poplar::Tensor made = dynamicSlice(graph, t, offset, dims, sizes, prog, debugContext, options);
    if (convert) return castWithOutput(graph, made, output, prog, debugContext);
    if (differ) prog.add(poplar::program::Copy(t.getMetadata(), output.getMetadata(), false, debugContext));
    prog.add(poplar::program::Copy(made, output, false, debugContext));
}

/* --- groups: a table each, in a first dimension of all tensors; one after the other -------------------------- */

namespace detail {
inline void wantGroups(const char *call, const poplar::Graph &graph, const std::vector<poplar::Tensor> &all)
{
    const poplar::Tensor &table = all.front(); /* of which each group has one, on tiles */
    const std::size_t groups = table.rank() ? table.dim(0) : 0;
    for (const poplar::Tensor &t : all)
        if (!t.rank() || t.dim(0) != groups || !groups)
            throw poputil::poplibs_error(std::string(call) + ": " + t.shapeToString() + " has no " +
                                         std::to_string(groups) + " groups");
    poplar::handles::wantMapped(call, graph, table);
}
/* The same for updates of `t`; no group is updated where one of them cannot be. */
inline void wantGroupsOf(const char *call, const poplar::Graph &graph, const poplar::Tensor &t,
                         const poplar::Tensor &s, const poplar::Tensor &offsets)
{
    wantGroups(call, graph, { t, s, offsets });
    poplar::handles::wantWriteable(call, t);
    const bool both = t.elementType() == poplar::QUARTER && s.elementType() == poplar::QUARTER;
    for (std::size_t g = 0; both && g < t.dim(0); g++)
        if (metadataDiffer(call, t[g], s[g])) quarters::wantUsable(call, graph, s[g]);
}
/* make(g) for each of `groups`, in a first dimension. */
template <class Make> poplar::Tensor stackGroups(const char *call, std::size_t groups, Make make)
{
    if (!groups) throw poputil::poplibs_error(std::string(call) + ": no groups");
    std::vector<poplar::Tensor> all;
    for (std::size_t g = 0; g < groups; g++) all.push_back(make(g).expand({ 0 }));
    return poplar::concat(all);
}
/* The same of variables, which have metadata together: those of the first. */
template <class Make> poplar::Tensor createGroups(const char *call, std::size_t groups, Make make)
{
    poplar::Tensor metadata;
    return stackGroups(call, groups, [&](std::size_t) {
        const poplar::Tensor made = make(metadata);
        metadata = made.getMetadata();
        return made;
    });
}
} // namespace detail

inline poplar::Tensor createGroupedSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                                   std::size_t groupSize, const std::vector<std::size_t> &shape,
                                                   const std::vector<std::size_t> &dims,
                                                   const std::vector<std::size_t> &sizes, const SlicePlan &,
                                                   const poplar::OptionFlags &,
                                                   const poplar::DebugContext &debugContext = {})
{
    const char *call = "popops::createGroupedSliceableTensor";
    return detail::createGroups(call, groupSize, [&](const poplar::Tensor &metadata) {
        return detail::sliceable(graph, type, metadata, shape, dims, sizes, 0, debugContext);
    });
}
inline poplar::Tensor createGroupedSliceTensor(poplar::Graph &graph, const poplar::Type &type,
                                               std::size_t groupSize, const std::vector<std::size_t> &shape,
                                               const std::vector<std::size_t> &dims,
                                               const std::vector<std::size_t> &sizes, std::size_t numIndices,
                                               const SlicePlan &, const poplar::OptionFlags &,
                                               const poplar::DebugContext &debugContext = {})
{
    const char *call = "popops::createGroupedSliceTensor";
    return detail::createGroups(call, groupSize, [&](const poplar::Tensor &metadata) {
        return detail::slicesOf(graph, type, metadata, shape, dims, sizes, numIndices, debugContext);
    });
}
inline poplar::Tensor createGroupedIndicesTensor(poplar::Graph &graph, std::size_t groupSize,
                                                 const std::vector<std::size_t> &dims, std::size_t numIndices,
                                                 const SlicePlan &plan, const poplar::OptionFlags &options,
                                                 const poplar::DebugContext &debugContext = {})
{
    return detail::stackGroups("popops::createGroupedIndicesTensor", groupSize, [&](std::size_t) {
        return createIndicesTensor(graph, dims, numIndices, plan, options, debugContext);
    });
}
inline poplar::Tensor groupedMultiSlice(poplar::Graph &graph, const poplar::Tensor &t,
                                        const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                                        const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                                        const SlicePlan &plan, const poplar::OptionFlags &options,
                                        const poplar::DebugContext &debugContext = {})
{
    const char *call = "popops::groupedMultiSlice";
    detail::wantGroups(call, graph, { t, offsets });
    return detail::stackGroups(call, t.dim(0), [&](std::size_t g) {
        return multiSlice(graph, t[g], offsets[g], dims, sizes, prog, plan, options, debugContext);
    });
}
#define TW__GROUPED(Call, call)                                                                  \
    inline void Call(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,     \
                     const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,        \
                     const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,     \
                     const SlicePlan &plan, const poplar::OptionFlags &options,                  \
                     const poplar::DebugContext &debugContext = {})                              \
    {                                                                                            \
        detail::wantGroupsOf("popops::" #Call, graph, t, s, offsets);                            \
        for (std::size_t g = 0; g < t.dim(0); g++)                                               \
            call(graph, t[g], s[g], offsets[g], dims, sizes, prog, plan, options, debugContext); \
    }
TW__GROUPED(groupedMultiUpdate, multiUpdate)
TW__GROUPED(groupedMultiUpdateMax, multiUpdateMax)
TW__GROUPED(groupedMultiUpdateMul, multiUpdateMul)
#undef TW__GROUPED
inline void groupedMultiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                                  const poplar::Tensor &offsets, const poplar::Tensor &scale,
                                  const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                  poplar::program::Sequence &prog, const SlicePlan &plan,
                                  const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    detail::wantGroupsOf("popops::groupedMultiUpdateAdd", graph, t, s, offsets);
    for (std::size_t g = 0; g < t.dim(0); g++)
        multiUpdateAdd(graph, t[g], s[g], offsets[g], scale, dims, sizes, prog, plan, options, debugContext);
}

} // namespace popops
#endif
