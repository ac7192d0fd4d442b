// SPDX-License-Identifier: MIT
/* The host's side of sparse tensors: matrices to what the device holds and back. */
#ifndef POPSPARSE_SPARSE_PARTITIONER_HPP
#define POPSPARSE_SPARSE_PARTITIONER_HPP

#include <algorithm>
#include <poplar/Interval.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <set>
#include <string>
#include <tilewright/poplibs/sparse_places.hpp>
#include <vector>

namespace popsparse {
namespace dynamic {

/* For getMetaInfoTensor() (each a number of 16 bits) and getNzValuesTensor(). */
template <typename T> struct SparsityDataImpl {
    std::vector<std::size_t> metaInfo;
    std::vector<T> nzValues;
};

/* Groups are one above the other. Parameters, type, target and options are those of the tensor; the target may also
 * be the whole of that of a part, where a cache has the one plan of it. */
template <typename T> class Partitioner {
    detail::Problem problem;
    poplar::Type type;
    poplar::Target target;
    unsigned tiles; /* the first of the target's */
    poplar::OptionFlags flags;
    std::string name;
    tw_sparse_layout layout;

    template <typename F> void ask(F f) const
    {
        const poplar::handles::OptionList texts(flags);
        const tw_sparse_params params = problem.params();
        poplar::Graph whole(target);
        const auto call = [&](const poplar::Graph &graph) {
            poplar::handles::call(graph, "popsparse::dynamic::Partitioner",
                                  [&](tw_graph *g) { f(g, poplar::handles::of(type), &params, texts.data()); });
        };
        if (tiles < target.getNumTiles())
            call(whole.createVirtualGraph(0, tiles));
        else
            call(whole);
    }
    popsparse::detail::Places places() const
    {
        return { "popsparse::dynamic::Partitioner" + (name.empty() ? "" : " '" + name + "'"),
                 problem.groups * problem.rows, problem.columns, problem.sparsity.blockDimensions };
    }

    SparsityDataImpl<T> create(const COOMatrix<T> &m) const
    {
        const std::size_t blocks = m.rowIndices.size();
        std::vector<std::uint16_t> meta(layout.meta);
        std::vector<std::size_t> slot(blocks + 1);
        ask([&](tw_graph *g, tw_type t, const tw_sparse_params *p, const char *const *o) {
            tw_popsparse_partition(g, t, p, blocks, m.rowIndices.data(), m.columnIndices.data(), meta.data(),
                                   slot.data(), o);
        });
        SparsityDataImpl<T> out;
        out.metaInfo.assign(meta.begin(), meta.end());
        out.nzValues.assign(layout.values, T());
        const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(m.getBlockSize());
        for (std::size_t b = 0; b < blocks; b++) {
            const auto from = m.nzValues.begin() + static_cast<std::ptrdiff_t>(b) * size;
            std::copy(from, from + size, out.nzValues.begin() + static_cast<std::ptrdiff_t>(slot[b]) * size);
        }
        return out;
    }
    /* By row and column. */
    COOMatrix<T> restore(const SparsityDataImpl<T> &data) const
    {
        if (data.metaInfo.size() != layout.meta || data.nzValues.size() != layout.values)
            places().refuse(std::to_string(data.metaInfo.size()) + " numbers of meta information and " +
                            std::to_string(data.nzValues.size()) + " values; there are " +
                            std::to_string(layout.meta) + " and " + std::to_string(layout.values));
        std::vector<std::uint16_t> meta;
        for (std::size_t n : data.metaInfo) meta.push_back(n > 0xffff ? 0xffff : static_cast<std::uint16_t>(n));
        const std::size_t most = layout.buckets * layout.capacity;
        std::vector<std::size_t> row(most), column(most), slot(most);
        std::size_t blocks = 0;
        ask([&](tw_graph *g, tw_type t, const tw_sparse_params *p, const char *const *o) {
            blocks =
                tw_popsparse_unpartition(g, t, p, meta.data(), row.data(), column.data(), slot.data(), most, o);
        });
        row.resize(blocks), column.resize(blocks);
        COOMatrix<T> out(places().rows, problem.columns, {}, column, row, problem.sparsity.blockDimensions);
        for (std::size_t b = 0; b < blocks; b++) {
            const auto from = data.nzValues.begin() + static_cast<std::ptrdiff_t>(slot[b] * out.getBlockSize());
            out.nzValues.insert(out.nzValues.end(), from, from + static_cast<std::ptrdiff_t>(out.getBlockSize()));
        }
        return out;
    }
    void plan(PlanningCache *cache)
    {
        std::set<unsigned> seen;
        if (cache) seen = cache->tiles(detail::planned(type, problem, flags));
        if (!seen.empty() && !seen.count(tiles)) {
            if (seen.size() > 1 || *seen.begin() > tiles)
                places().refuse("the tensors are on " + std::to_string(*seen.begin()) +
                                (seen.size() > 1 ? " or other tiles" : " tiles") + ", the target has " +
                                std::to_string(tiles));
            tiles = *seen.begin();
        }
        ask([&](tw_graph *g, tw_type t, const tw_sparse_params *p, const char *const *o) {
            layout = tw_popsparse_layout(g, t, p, o);
        });
    }

  public:
    Partitioner(const FullyConnectedParams &params, const poplar::Type &dataType, const poplar::Target &on,
                const poplar::OptionFlags &options, PlanningCache *cache = {}, std::string called = "")
        : problem(params.get()), type(dataType), target(on), tiles(on.getNumTiles()), flags(options),
          name(std::move(called)), layout()
    {
        plan(cache);
    }
    Partitioner(const MatMulParams &params, const poplar::Type &dataType, const poplar::Target &on,
                const poplar::OptionFlags &options, PlanningCache *cache = {}, std::string called = "")
        : problem(params.get()), type(dataType), target(on), tiles(on.getNumTiles()), flags(options),
          name(std::move(called)), layout()
    {
        plan(cache);
    }

    SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &m) const { return create(places().list(m)); }
    SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &m) const { return create(places().list(m)); }
    SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &m) const { return create(places().list(m)); }
    COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const { return restore(data); }
    CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const
    {
        return places().byRow(restore(data));
    }
    CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const
    {
        return places().byColumn(restore(data));
    }

    /* Where parts begin: of the rows, the columns and the batch of a group. */
    std::array<std::vector<std::size_t>, 3> getPlanPartitions() const
    {
        const std::size_t parts[] = { layout.row_parts, layout.column_parts, layout.batch_parts };
        const std::size_t extents[] = { layout.part_rows, layout.part_columns, layout.part_batch };
        std::array<std::vector<std::size_t>, 3> out;
        for (std::size_t d = 0; d < 3; d++)
            for (std::size_t i = 0; i < parts[d]; i++) out[d].push_back(i * extents[d]);
        return out;
    }
    std::size_t getmetaInfoBucketElements() const { return layout.bucket_meta; }
};

} // namespace dynamic

namespace static_ {

/* For getNzValuesTensor(). */
template <typename T> struct SparsityDataImpl {
    std::vector<T> nzValues;
    SparsityDataImpl(std::vector<T> values) : nzValues(std::move(values)) {}
};

/* Blocks by row and column, as the device has them. The first matrix says which are there: those after it have the
 * same, and values from the device go back to their places. */
template <typename T> class Partitioner {
    MatMulParams params;
    std::string name;
    mutable bool told = false;
    mutable COOMatrix<T> pattern; /* without values */

    popsparse::detail::Places places(const std::array<std::size_t, 2> &block) const
    {
        return detail::places("popsparse::static_::Partitioner" + (name.empty() ? "" : " '" + name + "'"), params,
                              block);
    }
    template <typename Matrix> SparsityDataImpl<T> create(const Matrix &m) const
    {
        const popsparse::detail::Places p = places(m.getBlockDimensions());
        COOMatrix<T> list = p.sorted(p.list(m));
        std::vector<T> values = std::move(list.nzValues);
        list.nzValues.clear();
        if (told && (list.getBlockDimensions() != pattern.getBlockDimensions() ||
                     list.rowIndices != pattern.rowIndices || list.columnIndices != pattern.columnIndices))
            p.refuse("other blocks are there than in the first matrix");
        pattern = std::move(list), told = true;
        return SparsityDataImpl<T>(std::move(values));
    }
    COOMatrix<T> restore(const SparsityDataImpl<T> &data) const
    {
        const std::size_t wanted = pattern.rowIndices.size() * pattern.getBlockSize();
        if (!told || data.nzValues.size() != wanted)
            places({ { 1, 1 } })
                .refuse(told ? std::to_string(data.nzValues.size()) + " values; there are " + std::to_string(wanted)
                             : "no matrix has told which blocks are there");
        COOMatrix<T> out = pattern;
        out.nzValues = data.nzValues;
        return out;
    }

  public:
    Partitioner(const MatMulParams &of, const poplar::Type &, const poplar::Target &, const poplar::OptionFlags &,
                PlanningCache * = {}, std::string called = "")
        : params(of), name(std::move(called))
    {
    }
    SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &m) const { return create(m); }
    SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &m) const { return create(m); }
    SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &m) const { return create(m); }
    COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const { return restore(data); }
    CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const
    {
        return places(pattern.getBlockDimensions()).byRow(restore(data));
    }
    CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const
    {
        return places(pattern.getBlockDimensions()).byColumn(restore(data));
    }
};

} // namespace static_
} // namespace popsparse
#endif
