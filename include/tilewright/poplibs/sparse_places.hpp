// SPDX-License-Identifier: MIT
/* Stored matrices as lists of places, and back: what the partitioners of <popsparse/SparsePartitioner.hpp> share.
 * Threads: values, for any number at once. */
#ifndef TILEWRIGHT_POPLIBS_SPARSE_PLACES_HPP
#define TILEWRIGHT_POPLIBS_SPARSE_PLACES_HPP

#include <algorithm>
#include <popsparse/SparseStorageFormats.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <vector>

namespace popsparse {
namespace detail {

/* A matrix [rows][columns] in blocks; `call` stands in front of messages. */
struct Places {
    std::string call;
    std::size_t rows, columns;
    std::array<std::size_t, 2> block;

    [[noreturn]] void refuse(const std::string &what) const { throw poputil::poplibs_error(call + ": " + what); }
    std::size_t area() const { return block[0] * block[1]; }

    /* A row and a column for each block, in the order in which they are stored. */
    template <typename T> COOMatrix<T> list(const CSRMatrix<T> &m) const
    {
        check(m);
        return list(m.nzValues, lines(m.rowIndices, rows / block[0], block[0], m.nzValues.size()), m.columnIndices);
    }
    template <typename T> COOMatrix<T> list(const CSCMatrix<T> &m) const
    {
        check(m);
        return list(m.nzValues, m.rowIndices,
                    lines(m.columnIndices, columns / block[1], block[1], m.nzValues.size()));
    }
    template <typename T> COOMatrix<T> list(const COOMatrix<T> &m) const
    {
        check(m);
        return list(m.nzValues, m.rowIndices, m.columnIndices);
    }
    /* Of a list by row and column. */
    template <typename T> CSRMatrix<T> byRow(COOMatrix<T> m) const
    {
        std::vector<std::size_t> from = offsets(m.rowIndices, rows / block[0], block[0]);
        return CSRMatrix<T>(rows, columns, std::move(m.nzValues), std::move(m.columnIndices), std::move(from),
                            block);
    }
    /* Of any list: blocks of a column come in their order in the list. */
    template <typename T> CSCMatrix<T> byColumn(const COOMatrix<T> &m) const
    {
        std::vector<std::size_t> order(m.columnIndices.size());
        for (std::size_t i = 0; i < order.size(); i++) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return m.columnIndices[a] < m.columnIndices[b]; });
        COOMatrix<T> sorted = pick(m, order);
        std::vector<std::size_t> from = offsets(sorted.columnIndices, columns / block[1], block[1]);
        return CSCMatrix<T>(rows, columns, std::move(sorted.nzValues), std::move(from),
                            std::move(sorted.rowIndices), block);
    }
    /* Blocks of a list by number. */
    template <typename T> COOMatrix<T> pick(const COOMatrix<T> &m, const std::vector<std::size_t> &numbers) const
    {
        COOMatrix<T> out(block);
        out.numRows = rows, out.numColumns = columns;
        for (std::size_t b : numbers) {
            out.rowIndices.push_back(m.rowIndices[b]), out.columnIndices.push_back(m.columnIndices[b]);
            const auto from = m.nzValues.begin() + static_cast<std::ptrdiff_t>(b * area());
            out.nzValues.insert(out.nzValues.end(), from, from + static_cast<std::ptrdiff_t>(area()));
        }
        return out;
    }
    /* A list by row and column; a block that is not in the matrix, or that is there twice, is refused. */
    template <typename T> COOMatrix<T> sorted(const COOMatrix<T> &m) const
    {
        std::vector<std::size_t> order(m.rowIndices.size());
        for (std::size_t i = 0; i < order.size(); i++) {
            order[i] = i;
            if (m.rowIndices[i] % block[0] || m.columnIndices[i] % block[1] || m.rowIndices[i] >= rows ||
                m.columnIndices[i] >= columns)
                refuse("a block at " + at(m, i) + " is none of " + std::to_string(rows) + " x " +
                       std::to_string(columns) + " in blocks of " + std::to_string(block[0]) + " x " +
                       std::to_string(block[1]));
        }
        const auto before = [&](std::size_t a, std::size_t b) {
            return m.rowIndices[a] != m.rowIndices[b] ? m.rowIndices[a] < m.rowIndices[b]
                                                      : m.columnIndices[a] < m.columnIndices[b];
        };
        std::sort(order.begin(), order.end(), before);
        for (std::size_t i = 1; i < order.size(); i++)
            if (!before(order[i - 1], order[i])) refuse("the block at " + at(m, order[i]) + " is there twice");
        return pick(m, order);
    }

  private:
    template <typename T> static std::string at(const COOMatrix<T> &m, std::size_t i)
    {
        return "[" + std::to_string(m.rowIndices[i]) + ", " + std::to_string(m.columnIndices[i]) + "]";
    }
    template <typename T> void check(const Stored<T> &m) const
    {
        if (m.getBlockDimensions() != block) refuse("the matrix has blocks of other sizes");
        if ((m.numRows && m.numRows != rows) || (m.numColumns && m.numColumns != columns))
            refuse("a matrix " + std::to_string(m.numRows) + " x " + std::to_string(m.numColumns) + "; it is " +
                   std::to_string(rows) + " x " + std::to_string(columns));
        if (m.nzValues.size() % area()) refuse("the matrix has no whole number of blocks");
    }
    template <typename T>
    COOMatrix<T> list(const std::vector<T> &values, const std::vector<std::size_t> &row,
                      const std::vector<std::size_t> &column) const
    {
        if (row.size() != values.size() / area() || column.size() != row.size())
            refuse(std::to_string(row.size()) + " rows and " + std::to_string(column.size()) + " columns of " +
                   std::to_string(values.size() / area()) + " blocks");
        return COOMatrix<T>(rows, columns, values, column, row, block);
    }
    /* Offsets of values to a line for each block; `size` is that of a line of blocks. */
    std::vector<std::size_t> lines(const std::vector<std::size_t> &from, std::size_t count, std::size_t size,
                                   std::size_t values) const
    {
        std::vector<std::size_t> out;
        if (from.size() != count + 1 || from[0] != 0 || from[count] != values)
            refuse(std::to_string(from.size()) + " offsets of " + std::to_string(count) +
                   " lines of blocks, from 0 to the number of values");
        for (std::size_t i = 0; i < count; i++) {
            if (from[i + 1] < from[i] || from[i] % area()) refuse("offsets that do not ascend by blocks");
            out.insert(out.end(), (from[i + 1] - from[i]) / area(), i * size);
        }
        return out;
    }
    std::vector<std::size_t> offsets(const std::vector<std::size_t> &line, std::size_t count,
                                     std::size_t size) const
    {
        std::vector<std::size_t> out(count + 1);
        for (std::size_t number : line) out[number / size + 1] += area();
        for (std::size_t i = 0; i < count; i++) out[i + 1] += out[i];
        return out;
    }
};

} // namespace detail
} // namespace popsparse
#endif
