// SPDX-License-Identifier: MIT
/* Slices at offsets that a run computes. */
#ifndef POPOPS_DYNAMIC_SLICE_HPP
#define POPOPS_DYNAMIC_SLICE_HPP

#include <cstdlib>
#include <ostream>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
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

namespace embedding {
inline SlicePlan plan(const poplar::Graph &graph, const poplar::Type &dataType, std::size_t numEntries,
                      std::size_t outputSize, const std::vector<std::size_t> &numLookups,
                      const poplar::OptionFlags &options = {})
{
    std::vector<std::string> texts; /* "name=value" */
    std::vector<const char *> list;
    for (const auto &o : options) texts.push_back(o.first + "=" + o.second);
    for (const std::string &t : texts) list.push_back(t.c_str());
    list.push_back(nullptr);
    std::size_t all = 0;
    for (std::size_t n : numLookups) all += n;
    std::string text;
    poplar::handles::call(graph, "popops::embedding::plan", [&](tw_graph *g) {
        char *made =
            tw_popops_slice_plan(g, poplar::handles::of(dataType), numEntries, outputSize, all, list.data());
        if (made) text = made;
        std::free(made);
    });
    return SlicePlan(text);
}
} // namespace embedding

/* --- variables ------------------------------------------------------------------------------------------------ */

inline poplar::Tensor createSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape,
                                            const std::vector<std::size_t> &dims,
                                            const std::vector<std::size_t> &sizes, std::size_t minGrainSize = 0,
                                            const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::make(graph, "popops::createSliceableTensor", [&](tw_graph *g) {
        return tw_popops_create_sliceable(g, poplar::handles::of(type), static_cast<unsigned>(shape.size()),
                                          shape.data(), static_cast<unsigned>(dims.size()), dims.data(),
                                          sizes.data(), minGrainSize, debugContext.getPathName().c_str());
    });
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
    return poplar::handles::make(graph, "popops::createSliceTensor", [&](tw_graph *g) {
        return tw_popops_create_slices(g, poplar::handles::of(t), static_cast<unsigned>(dims.size()), dims.data(),
                                       sizes.data(), numIndices, debugContext.getPathName().c_str());
    });
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
    return poplar::handles::make(graph, "popops::createSliceTensor", [&](tw_graph *g) {
        return tw_popops_create_slices_for(g, poplar::handles::of(type), static_cast<unsigned>(shape.size()),
                                           shape.data(), static_cast<unsigned>(dims.size()), dims.data(),
                                           sizes.data(), numIndices, debugContext.getPathName().c_str());
    });
}
inline poplar::Tensor createSliceableTensorFromSlice(poplar::Graph &graph, const poplar::Tensor &s,
                                                     const std::vector<std::size_t> &dims,
                                                     const std::vector<std::size_t> &numSlices,
                                                     const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::make(graph, "popops::createSliceableTensorFromSlice", [&](tw_graph *g) {
        return tw_popops_create_sliceable_from_slice(g, poplar::handles::of(s), static_cast<unsigned>(dims.size()),
                                                     dims.data(), numSlices.data(),
                                                     debugContext.getPathName().c_str());
    });
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

inline poplar::Tensor dynamicSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offset,
                                   const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                   poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, {}, "popops::dynamicSlice", [&](const poplar::handles::Call &c) {
            return tw_popops_dynamic_slice(c.graph, poplar::handles::of(t), poplar::handles::of(offset),
                                           static_cast<unsigned>(dims.size()), dims.data(), sizes.data(),
                                           c.sequence, c.path);
        });
}
inline void dynamicUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                          const poplar::Tensor &offset, const std::vector<std::size_t> &dims,
                          const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, {}, "popops::dynamicUpdate", [&](const poplar::handles::Call &c) {
            tw_popops_dynamic_update(c.graph, poplar::handles::of(t), poplar::handles::of(s),
                                     poplar::handles::of(offset), static_cast<unsigned>(dims.size()), dims.data(),
                                     sizes.data(), c.sequence, c.path);
        });
}
inline poplar::Tensor multiSlice(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &offsets,
                                 const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                                 poplar::program::Sequence &prog, const SlicePlan &,
                                 const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    return poplar::handles::step(
        graph, prog, debugContext, options, "popops::multiSlice", [&](const poplar::handles::Call &c) {
            return tw_popops_multi_slice(c.graph, poplar::handles::of(t), poplar::handles::of(offsets),
                                         static_cast<unsigned>(dims.size()), dims.data(), sizes.data(), c.sequence,
                                         c.path, c.options);
        });
}
inline void multiUpdate(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                        const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                        const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog, const SlicePlan &,
                        const poplar::OptionFlags &options, const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::multiUpdate", [&](const poplar::handles::Call &c) {
            tw_popops_multi_update(c.graph, poplar::handles::of(t), poplar::handles::of(s),
                                   poplar::handles::of(offsets), static_cast<unsigned>(dims.size()), dims.data(),
                                   sizes.data(), c.sequence, c.path, c.options);
        });
}
inline void multiUpdateAdd(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const poplar::Tensor &scale,
                           const std::vector<std::size_t> &dims, const std::vector<std::size_t> &sizes,
                           poplar::program::Sequence &prog, const SlicePlan &, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::multiUpdateAdd", [&](const poplar::handles::Call &c) {
            tw_popops_multi_update_add(c.graph, poplar::handles::of(t), poplar::handles::of(s),
                                       poplar::handles::of(offsets), poplar::handles::of(scale),
                                       static_cast<unsigned>(dims.size()), dims.data(), sizes.data(), c.sequence,
                                       c.path, c.options);
        });
}
inline void multiUpdateMax(poplar::Graph &graph, const poplar::Tensor &t, const poplar::Tensor &s,
                           const poplar::Tensor &offsets, const std::vector<std::size_t> &dims,
                           const std::vector<std::size_t> &sizes, poplar::program::Sequence &prog,
                           const SlicePlan &, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext = {})
{
    poplar::handles::stepInPlace(
        graph, prog, debugContext, options, "popops::multiUpdateMax", [&](const poplar::handles::Call &c) {
            tw_popops_multi_update_max(c.graph, poplar::handles::of(t), poplar::handles::of(s),
                                       poplar::handles::of(offsets), static_cast<unsigned>(dims.size()),
                                       dims.data(), sizes.data(), c.sequence, c.path, c.options);
        });
}

} // namespace popops
#endif
