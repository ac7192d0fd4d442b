// SPDX-License-Identifier: MIT
/* A product of groups of sparse [m][k] with dense [k][n]; where the graph knows what is there, of dense [n][k] with
 * sparse [k][m] too. */
#ifndef POPSPARSE_MAT_MUL_PARAMS_HPP
#define POPSPARSE_MAT_MUL_PARAMS_HPP

#include <popsparse/FullyConnectedParams.hpp>

namespace popsparse {
namespace dynamic {

class MatMulParams {
    detail::Problem problem;
    explicit MatMulParams(const detail::Problem &p) : problem(p) {}

  public:
    static MatMulParams createWithNzRatio(const SparsityParams &sparsityParams, double nzRatio, std::size_t groups,
                                          std::size_t m, std::size_t k, std::size_t n)
    {
        return MatMulParams(detail::Problem(sparsityParams, nzRatio, groups, m, k, n));
    }
    static MatMulParams createWithNumNonZeroValues(const SparsityParams &sparsityParams,
                                                   std::size_t numNonZeroElems, std::size_t groups, std::size_t m,
                                                   std::size_t k, std::size_t n)
    {
        return createWithNzRatio(sparsityParams, detail::Problem::ratioOf(numNonZeroElems, groups, m, k), groups, m,
                                 k, n);
    }

    const SparsityParams &getSparsityParams() const { return problem.sparsity; }
    std::size_t getNumGroups() const { return problem.groups; }
    std::size_t getM() const { return problem.rows; }
    std::size_t getK() const { return problem.columns; }
    std::size_t getN() const { return problem.batch; }
    double getNzRatio() const { return problem.ratio; }
    std::size_t getNumNonZeroValues() const { return problem.values(); }
    const detail::Problem &get() const { return problem; } /* not among the vendor's names */

    friend bool operator<(const MatMulParams &a, const MatMulParams &b) { return a.problem < b.problem; }
    friend bool operator==(const MatMulParams &a, const MatMulParams &b) { return !(a < b) && !(b < a); }
    friend bool operator!=(const MatMulParams &a, const MatMulParams &b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, const MatMulParams &p)
    {
        return out << "{sparsity=" << p.getSparsityParams() << ", ratio=" << p.getNzRatio()
                   << ", groups=" << p.getNumGroups() << ", m=" << p.getM() << ", k=" << p.getK()
                   << ", n=" << p.getN() << '}';
    }
};

} // namespace dynamic

namespace static_ {

class MatMulParams {
    std::size_t groups, m, k, n;
    bool denseFirst;
    MatMulParams(std::size_t g, std::size_t rows, std::size_t sums, std::size_t columns, bool first)
        : groups(g), m(rows), k(sums), n(columns), denseFirst(first)
    {
        if (!g) throw poputil::poplibs_error("popsparse::static_::MatMulParams: there is a group at least");
    }
    std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, bool> all() const
    {
        return std::make_tuple(groups, m, k, n, denseFirst);
    }

  public:
    static MatMulParams createForSparseDense(std::size_t groups, std::size_t m, std::size_t k, std::size_t n)
    {
        return MatMulParams(groups, m, k, n, false);
    }
    static MatMulParams createForDenseSparse(std::size_t groups, std::size_t n, std::size_t k, std::size_t m)
    {
        return MatMulParams(groups, m, k, n, true);
    }
    std::size_t getNumGroups() const { return groups; }
    std::size_t getM() const { return m; }
    std::size_t getK() const { return k; }
    std::size_t getN() const { return n; }
    bool isTransposed() const { return denseFirst; }

    friend bool operator<(const MatMulParams &a, const MatMulParams &b) { return a.all() < b.all(); }
    friend bool operator==(const MatMulParams &a, const MatMulParams &b) { return a.all() == b.all(); }
    friend bool operator!=(const MatMulParams &a, const MatMulParams &b) { return !(a == b); }
    friend std::ostream &operator<<(std::ostream &out, const MatMulParams &p)
    {
        return out << "{groups=" << p.groups << ", m=" << p.m << ", k=" << p.k << ", n=" << p.n
                   << ", transposed=" << p.denseFirst << '}';
    }
};

} // namespace static_
} // namespace popsparse
#endif
