// SPDX-License-Identifier: MIT
/* A buffer of the last tensors that were added. */
#ifndef POPOPS_CIRC_BUF_HPP
#define POPOPS_CIRC_BUF_HPP

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>
#include <string>

namespace popops {

class CircBuf {
    poplar::Graph &graph;
    unsigned entries;
    std::vector<std::size_t> shape;
    poplar::Tensor buffer, index; /* of the entry that was added last */

    void moved(unsigned by, const poplar::Tensor &to, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext)
    {
        poplar::Tensor at =
            map(graph, (expr::_1 + expr::Const(by)) % expr::Const(entries), { index }, prog, debugContext);
        prog.add(poplar::program::Copy(at, to, false, debugContext));
    }

  public:
    CircBuf(poplar::Graph &g, const poplar::Type &type, unsigned size, const std::vector<std::size_t> &entry,
            const poplar::DebugContext &debugContext = {})
        : graph(g), entries(size), shape(entry)
    {
        if (!size) throw poputil::poplibs_error("popops::CircBuf: a buffer of no entries");
        std::vector<std::size_t> all = entry;
        all.insert(all.begin(), size);
        buffer = createSliceableTensor(g, type, all, { 0 }, { 1 }, 0, { debugContext, "buffer" });
        index = g.addVariable(poplar::UNSIGNED_INT, { 1 }, { debugContext, "index" });
        g.setTileMapping(index, 0);
        g.setInitialValue(index, 0u);
    }
    /* The entry that was added i times before the last one. */
    poplar::Tensor prev(unsigned i, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
    {
        if (i >= entries)
            throw poputil::poplibs_error("popops::CircBuf: entry " + std::to_string(i) + " of " +
                                         std::to_string(entries));
        poplar::Tensor at = graph.clone(index, { debugContext, "place" });
        moved(entries - i, at, prog, debugContext);
        return dynamicSlice(graph, buffer, at, { 0 }, { 1 }, prog, debugContext).reshape(shape);
    }
    void add(poplar::Tensor t, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
    {
        if (t.shape() != shape)
            throw poputil::poplibs_error("popops::CircBuf: what is added has not the buffer's shape");
        const std::vector<std::size_t> dims = { 0 }, sizes = { 1 };
        const poplar::Tensor entry = t.expand({ 0 });
        poplar::handles::call(graph, "popops::CircBuf", [&](tw_graph *g) {
            tw_popops_update_fits(g, poplar::handles::of(buffer), poplar::handles::of(entry),
                                  poplar::handles::of(index), false, 1, dims.data(), sizes.data(), nullptr);
        });
        if (detail::metadataDiffer("popops::CircBuf", buffer, entry))
            quarters::wantUsable("popops::CircBuf", graph, entry);
        moved(1, index, prog, debugContext);
        dynamicUpdate(graph, buffer, entry, index, dims, sizes, prog, debugContext);
    }
    poplar::Tensor getIndex() const { return index; }
    unsigned size() const { return entries; }
    poplar::Graph::TileToTensorMapping getTileMapping() { return graph.getTileMapping(buffer[0]); }
};

} // namespace popops
#endif
