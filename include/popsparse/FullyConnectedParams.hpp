// SPDX-License-Identifier: MIT
/* A layer with sparse weights [outputs][inputs]: extents, and how many of the weights may be there. */
#ifndef POPSPARSE_FULLY_CONNECTED_PARAMS_HPP
#define POPSPARSE_FULLY_CONNECTED_PARAMS_HPP

#include <cmath>
#include <cstdint>
#include <popsparse/SparsityParams.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/popsparse.h>

namespace popsparse {
namespace dynamic {

namespace detail {
/* Groups of sparse [rows][columns] times dense [columns][batch], and how many elements are there. */
struct Problem {
    SparsityParams sparsity;
    double ratio;
    std::size_t groups, rows, columns, batch;

    Problem(const SparsityParams &s, double r, std::size_t g, std::size_t m, std::size_t k, std::size_t n)
        : sparsity(s), ratio(r), groups(g), rows(m), columns(k), batch(n)
    {
        if (!g || !s.blockDimensions[0] || !s.blockDimensions[1])
            throw poputil::poplibs_error("popsparse: there is a group at least, and blocks have elements");
        if (!(ratio >= 0 && ratio <= 1))
            throw poputil::poplibs_error("popsparse: a ratio of " + std::to_string(ratio) +
                                         " of non-zero values; it is from 0 to 1");
    }
    /* A ratio from a number. */
    static double ratioOf(std::size_t values, std::size_t g, std::size_t m, std::size_t k)
    {
        const double all = static_cast<double>(g) * static_cast<double>(m) * static_cast<double>(k);
        return all > 0 ? static_cast<double>(values) / all : values ? 2 : 0;
    }
    std::size_t values() const /* a number that became a ratio and is one again stays what it was */
    {
        const double all = static_cast<double>(groups) * static_cast<double>(rows) * static_cast<double>(columns);
        if (!(ratio * all < 1.8e19)) return SIZE_MAX; /* too many for any machine, as calls say */
        const double exact = ratio * all, near = std::round(exact);
        return static_cast<std::size_t>(std::fabs(exact - near) < 1e-9 * all ? near : std::ceil(exact));
    }
    tw_sparse_params params() const
    {
        tw_sparse_params p{};
        p.groups = groups, p.rows = rows, p.columns = columns, p.batch = batch;
        p.block_rows = sparsity.blockDimensions[0], p.block_columns = sparsity.blockDimensions[1];
        p.values = values();
        return p;
    }
    friend bool operator<(const Problem &a, const Problem &b)
    {
        return std::tie(a.sparsity, a.ratio, a.groups, a.rows, a.columns, a.batch) <
               std::tie(b.sparsity, b.ratio, b.groups, b.rows, b.columns, b.batch);
    }
};
} // namespace detail

class FullyConnectedParams {
    detail::Problem problem;
    explicit FullyConnectedParams(const detail::Problem &p) : problem(p) {}

  public:
    /* Channels are those of all groups. */
    static FullyConnectedParams createWithNzRatio(const SparsityParams &sparsityParams, double nzRatio,
                                                  std::size_t batchSize, std::size_t numGroups,
                                                  std::size_t inputChannels, std::size_t outputChannels)
    {
        if (!numGroups || inputChannels % numGroups || outputChannels % numGroups)
            throw poputil::poplibs_error(
                "popsparse::dynamic::FullyConnectedParams: " + std::to_string(inputChannels) + " and " +
                std::to_string(outputChannels) + " channels of " + std::to_string(numGroups) + " groups");
        return FullyConnectedParams(detail::Problem(sparsityParams, nzRatio, numGroups, outputChannels / numGroups,
                                                    inputChannels / numGroups, batchSize));
    }
    static FullyConnectedParams createWithNumNonZeroValues(const SparsityParams &sparsityParams,
                                                           std::size_t numNonZeroElems, std::size_t batchSize,
                                                           std::size_t numGroups, std::size_t inputChannels,
                                                           std::size_t outputChannels)
    {
        const std::size_t g = numGroups ? numGroups : 1;
        const double ratio = detail::Problem::ratioOf(numNonZeroElems, g, outputChannels / g, inputChannels / g);
        return createWithNzRatio(sparsityParams, ratio, batchSize, numGroups, inputChannels, outputChannels);
    }

    std::size_t getBatchSize() const { return problem.batch; }
    std::size_t getNumGroups() const { return problem.groups; }
    std::size_t getInputChannels() const { return problem.groups * problem.columns; }
    std::size_t getOutputChannels() const { return problem.groups * problem.rows; }
    std::size_t getInputChannelsPerGroup() const { return problem.columns; }
    std::size_t getOutputChannelsPerGroup() const { return problem.rows; }
    const SparsityParams &getSparsityParams() const { return problem.sparsity; }
    double getNzRatio() const { return problem.ratio; }
    std::size_t getNumNonZeroValues() const { return problem.values(); }
    const detail::Problem &get() const { return problem; } /* not among the vendor's names */

    friend bool operator<(const FullyConnectedParams &a, const FullyConnectedParams &b)
    {
        return a.problem < b.problem;
    }
    friend bool operator==(const FullyConnectedParams &a, const FullyConnectedParams &b)
    {
        return !(a < b) && !(b < a);
    }
    friend bool operator!=(const FullyConnectedParams &a, const FullyConnectedParams &b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, const FullyConnectedParams &p)
    {
        return out << "{sparsity=" << p.getSparsityParams() << ", ratio=" << p.getNzRatio()
                   << ", batch=" << p.getBatchSize() << ", groups=" << p.getNumGroups()
                   << ", inputs=" << p.getInputChannels() << ", outputs=" << p.getOutputChannels() << '}';
    }
};

} // namespace dynamic
} // namespace popsparse
#endif
