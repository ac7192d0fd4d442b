// SPDX-License-Identifier: MIT
/* The host's side of sparse tensors: matrices to buckets of the device and back. */
#ifndef POPSPARSE_SPARSE_PARTITIONER_HPP
#define POPSPARSE_SPARSE_PARTITIONER_HPP

#include <algorithm>
#include <poplar/Interval.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/SparseStorageFormats.hpp>
#include <string>
#include <vector>

namespace popsparse {
namespace dynamic {

/* For getMetaInfoTensor() (each a number of 16 bits) and getNzValuesTensor(). */
template <typename T> struct SparsityDataImpl {
    std::vector<std::size_t> metaInfo;
    std::vector<T> nzValues;
};

/* Groups are one above the other. Parameters, type, target and options are those of the tensor. */
template <typename T> class Partitioner {
    detail::Problem problem;
    poplar::Type type;
    poplar::Target target;
    poplar::OptionFlags flags;
    std::string name;
    tw_sparse_layout layout;

    [[noreturn]] void refuse(const std::string &what) const
    {
        throw poputil::poplibs_error("popsparse::dynamic::Partitioner" + (name.empty() ? "" : " '" + name + "'") +
                                     ": " + what);
    }
    template <typename F> void ask(F f) const
    {
        const detail::OptionTexts texts(flags);
        const tw_sparse_params params = problem.params();
        poplar::Graph graph(target);
        poplar::handles::call(graph, "popsparse::dynamic::Partitioner",
                              [&](tw_graph *g) { f(g, poplar::handles::of(type), &params, texts.list.data()); });
    }
    std::size_t area() const { return problem.sparsity.blockDimensions[0] * problem.sparsity.blockDimensions[1]; }
    std::size_t height() const { return problem.sparsity.blockDimensions[0]; }
    std::size_t width() const { return problem.sparsity.blockDimensions[1]; }
    std::size_t rows() const { return problem.groups * problem.rows; }

    /* Rows, columns and values of blocks, in the order of the matrix. */
    void check(const popsparse::detail::Stored<T> &m) const
    {
        if (m.getBlockDimensions() != problem.sparsity.blockDimensions)
            refuse("the matrix has blocks of other sizes");
        if ((m.numRows && m.numRows != rows()) || (m.numColumns && m.numColumns != problem.columns))
            refuse("a matrix " + std::to_string(m.numRows) + " x " + std::to_string(m.numColumns) + "; it is " +
                   std::to_string(rows()) + " x " + std::to_string(problem.columns));
        if (m.nzValues.size() % area()) refuse("the matrix has no whole number of blocks");
    }
    /* Offsets of values to a line for each block; `size` is that of a line of blocks. */
    std::vector<std::size_t> lines(const std::vector<std::size_t> &offsets, std::size_t count, std::size_t size,
                                   std::size_t values) const
    {
        std::vector<std::size_t> out;
        if (offsets.size() != count + 1 || offsets[0] != 0 || offsets[count] != values)
            refuse(std::to_string(offsets.size()) + " offsets of " + std::to_string(count) +
                   " lines of blocks, from 0 to the number of values");
        for (std::size_t i = 0; i < count; i++) {
            if (offsets[i + 1] < offsets[i] || offsets[i] % area()) refuse("offsets that do not ascend by blocks");
            out.insert(out.end(), (offsets[i + 1] - offsets[i]) / area(), i * size);
        }
        return out;
    }
    SparsityDataImpl<T> create(const std::vector<T> &values, const std::vector<std::size_t> &row,
                               const std::vector<std::size_t> &column) const
    {
        const std::size_t blocks = values.size() / area();
        if (row.size() != blocks || column.size() != blocks)
            refuse(std::to_string(row.size()) + " rows and " + std::to_string(column.size()) + " columns of " +
                   std::to_string(blocks) + " blocks");
        std::vector<std::uint16_t> meta(layout.meta);
        std::vector<std::size_t> slot(blocks + 1);
        ask([&](tw_graph *g, tw_type t, const tw_sparse_params *p, const char *const *o) {
            tw_popsparse_partition(g, t, p, blocks, row.data(), column.data(), meta.data(), slot.data(), o);
        });
        SparsityDataImpl<T> out;
        out.metaInfo.assign(meta.begin(), meta.end());
        out.nzValues.assign(layout.values, T());
        const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(area());
        for (std::size_t b = 0; b < blocks; b++) {
            const auto from = values.begin() + static_cast<std::ptrdiff_t>(b) * size;
            std::copy(from, from + size, out.nzValues.begin() + static_cast<std::ptrdiff_t>(slot[b]) * size);
        }
        return out;
    }
    /* By row and column; with `byColumn` by column and row. */
    COOMatrix<T> restore(const SparsityDataImpl<T> &data, bool byColumn) const
    {
        if (data.metaInfo.size() != layout.meta || data.nzValues.size() != layout.values)
            refuse(std::to_string(data.metaInfo.size()) + " numbers of meta information and " +
                   std::to_string(data.nzValues.size()) + " values; there are " + std::to_string(layout.meta) +
                   " and " + std::to_string(layout.values));
        std::vector<std::uint16_t> meta;
        for (std::size_t n : data.metaInfo) meta.push_back(n > 0xffff ? 0xffff : static_cast<std::uint16_t>(n));
        const std::size_t most = layout.buckets * layout.capacity;
        std::vector<std::size_t> row(most), column(most), slot(most), order;
        std::size_t blocks = 0;
        ask([&](tw_graph *g, tw_type t, const tw_sparse_params *p, const char *const *o) {
            blocks =
                tw_popsparse_unpartition(g, t, p, meta.data(), row.data(), column.data(), slot.data(), most, o);
        });
        for (std::size_t b = 0; b < blocks; b++) order.push_back(b);
        if (byColumn)
            std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return column[a] != column[b] ? column[a] < column[b] : a < b;
            });
        COOMatrix<T> out(problem.sparsity.blockDimensions);
        out.numRows = rows(), out.numColumns = problem.columns;
        for (std::size_t b : order) {
            out.rowIndices.push_back(row[b]), out.columnIndices.push_back(column[b]);
            const auto from = data.nzValues.begin() + static_cast<std::ptrdiff_t>(slot[b] * area());
            out.nzValues.insert(out.nzValues.end(), from, from + static_cast<std::ptrdiff_t>(area()));
        }
        return out;
    }
    std::vector<std::size_t> offsets(const std::vector<std::size_t> &line, std::size_t count,
                                     std::size_t size) const
    {
        std::vector<std::size_t> out(count + 1);
        for (std::size_t at : line) out[at / size + 1] += area();
        for (std::size_t i = 0; i < count; i++) out[i + 1] += out[i];
        return out;
    }
    void plan(PlanningCache *cache)
    {
        ask([&](tw_graph *g, tw_type t, const tw_sparse_params *p, const char *const *o) {
            layout = tw_popsparse_layout(g, t, p, o);
        });
        detail::note(cache, type, problem, flags);
    }

  public:
    Partitioner(const FullyConnectedParams &params, const poplar::Type &dataType, const poplar::Target &on,
                const poplar::OptionFlags &options, PlanningCache *cache = {}, std::string called = "")
        : problem(params.get()), type(dataType), target(on), flags(options), name(std::move(called)), layout()
    {
        plan(cache);
    }
    Partitioner(const MatMulParams &params, const poplar::Type &dataType, const poplar::Target &on,
                const poplar::OptionFlags &options, PlanningCache *cache = {}, std::string called = "")
        : problem(params.get()), type(dataType), target(on), flags(options), name(std::move(called)), layout()
    {
        plan(cache);
    }

    SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T> &m) const
    {
        check(m);
        return create(m.nzValues, m.rowIndices,
                      lines(m.columnIndices, problem.columns / width(), width(), m.nzValues.size()));
    }
    SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T> &m) const
    {
        check(m);
        return create(m.nzValues, lines(m.rowIndices, rows() / height(), height(), m.nzValues.size()),
                      m.columnIndices);
    }
    SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T> &m) const
    {
        check(m);
        return create(m.nzValues, m.rowIndices, m.columnIndices);
    }
    COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const { return restore(data, false); }
    CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const
    {
        COOMatrix<T> m = restore(data, false);
        return CSRMatrix<T>(m.numRows, m.numColumns, std::move(m.nzValues), std::move(m.columnIndices),
                            offsets(m.rowIndices, rows() / height(), height()), problem.sparsity.blockDimensions);
    }
    CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const
    {
        COOMatrix<T> m = restore(data, true);
        return CSCMatrix<T>(m.numRows, m.numColumns, std::move(m.nzValues),
                            offsets(m.columnIndices, problem.columns / width(), width()), std::move(m.rowIndices),
                            problem.sparsity.blockDimensions);
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
} // namespace popsparse
#endif
