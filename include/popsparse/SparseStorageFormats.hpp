// SPDX-License-Identifier: MIT
/* Sparse matrices of the host. Indices count elements of the matrix, also those of blocks, which are where their
 * first element is; offsets (rowIndices of CSR, columnIndices of CSC) count values. A block lies by rows. */
#ifndef POPSPARSE_SPARSE_STORAGE_FORMATS_HPP
#define POPSPARSE_SPARSE_STORAGE_FORMATS_HPP

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace popsparse {

struct Block {
    std::size_t getNumRowsInBlock() const { return blockDimensions[0]; }
    std::size_t getNumColumnsInBlock() const { return blockDimensions[1]; }
    std::size_t getBlockSize() const { return blockDimensions[0] * blockDimensions[1]; }
    std::array<std::size_t, 2> getBlockDimensions() const { return blockDimensions; }

  protected:
    explicit Block(const std::array<std::size_t, 2> &size) : blockDimensions(size) {}
    std::array<std::size_t, 2> blockDimensions;
};

namespace detail {
/* What all three have. */
template <typename T> struct Stored : Block {
    std::size_t numRows = 0, numColumns = 0; /* 0: not told */
    std::vector<T> nzValues;
    std::vector<std::size_t> columnIndices, rowIndices;

    explicit Stored(const std::array<std::size_t, 2> &block = { { 1, 1 } }) : Block(block) {}
    Stored(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
           const std::array<std::size_t, 2> &block = { { 1, 1 } })
        : Block(block), nzValues(std::move(values)), columnIndices(std::move(columns)), rowIndices(std::move(rows))
    {
    }
    Stored(std::size_t rowCount, std::size_t columnCount, std::vector<T> values, std::vector<std::size_t> columns,
           std::vector<std::size_t> rows, const std::array<std::size_t, 2> &block = { { 1, 1 } })
        : Stored(std::move(values), std::move(columns), std::move(rows), block)
    {
        numRows = rowCount, numColumns = columnCount;
    }

  protected:
    Stored(std::size_t values, std::size_t columns, std::size_t rows, const std::array<std::size_t, 2> &block)
        : Block(block), nzValues(values), columnIndices(columns), rowIndices(rows)
    {
    }
};
} // namespace detail

/* A row and a column for each block. */
template <typename T> struct COOMatrix : detail::Stored<T> {
    using detail::Stored<T>::Stored;
    COOMatrix(const std::array<std::size_t, 2> &block = { { 1, 1 } }) : detail::Stored<T>(block) {}
    COOMatrix(std::size_t numNZValues, const std::array<std::size_t, 2> &block = { { 1, 1 } })
        : detail::Stored<T>(numNZValues, numNZValues, numNZValues, block)
    {
    }
};
/* A row for each block; columnIndices: where the values of each column of blocks begin, and where the last end. */
template <typename T> struct CSCMatrix : detail::Stored<T> {
    using detail::Stored<T>::Stored;
    CSCMatrix(const std::array<std::size_t, 2> &block = { { 1, 1 } }) : detail::Stored<T>(block) {}
    CSCMatrix(std::size_t numNZValues, std::size_t columns, const std::array<std::size_t, 2> &block = { { 1, 1 } })
        : detail::Stored<T>(numNZValues, columns + 1, numNZValues, block)
    {
    }
};
/* A column for each block; rowIndices: where the values of each row of blocks begin, and where the last end. */
template <typename T> struct CSRMatrix : detail::Stored<T> {
    using detail::Stored<T>::Stored;
    CSRMatrix(const std::array<std::size_t, 2> &block = { { 1, 1 } }) : detail::Stored<T>(block) {}
    CSRMatrix(std::size_t numNZValues, std::size_t rows, const std::array<std::size_t, 2> &block = { { 1, 1 } })
        : detail::Stored<T>(numNZValues, numNZValues, rows + 1, block)
    {
    }
};

} // namespace popsparse
#endif
