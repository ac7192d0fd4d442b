// SPDX-License-Identifier: MIT
/* Matrix products; those of FP8 are made of floats, and halves where no other type is wanted. A cache notes what was
 * planned with it; planning itself takes less than a millisecond. */
#ifndef POPLIN_MAT_MUL_HPP
#define POPLIN_MAT_MUL_HPP

#include <cstdlib>
#include <ostream>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <popops/Cast.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/poplin.h>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace poplin {

/* Of products and of convolutions. */
class PlanningCache {
    std::set<std::string> plans;

  public:
    std::size_t size() const { return plans.size(); }
    /* One more plan, unless it is there: what it is of (anything with a text), and what it depends on beside that. */
    template <class What>
    void note(const poplar::Target &target, const What &what, const poplar::OptionFlags &options)
    {
        std::ostringstream text;
        text << what << " " << target.getNumTiles() << " tiles of " << target.getBytesPerTile();
        for (const auto &o : options) text << " " << o.first << "=" << o.second;
        plans.insert(text.str());
    }
};
namespace matmul {
class PlanningCache : public poplin::PlanningCache {};
} // namespace matmul

struct MatMulParams {
    poplar::Type inputType, outputType;
    std::vector<std::size_t> aShape, bShape;
    std::string text() const
    {
        std::string all = inputType.toString() + "[";
        for (std::size_t n : aShape) all += std::to_string(n) + ",";
        all += "]x[";
        for (std::size_t n : bShape) all += std::to_string(n) + ",";
        return all + "]" + outputType.toString();
    }
    friend bool operator<(const MatMulParams &a, const MatMulParams &b) { return a.text() < b.text(); }
};
using MatMulPlanParams = std::tuple<const poplar::Target *, const MatMulParams, const poplar::OptionFlags *>;
using ConvPlanParams = std::tuple<const poplar::Target *, const ConvParams, const poplar::OptionFlags *>;
using MatMulToConvOptions = std::unordered_map<const poplar::OptionFlags *, poplar::OptionFlags>;

namespace detail {
inline void wantRank(const char *call, unsigned rank, std::size_t seen)
{
    if (seen != rank)
        throw poputil::poplibs_error(std::string(call) + ": a matrix of rank " + std::to_string(seen) + "; it is " +
                                     std::to_string(rank));
}
inline std::string planText(const char *call, const poplar::Graph &graph, const poplar::Type &type,
                            const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape,
                            const poplar::OptionFlags &options)
{
    const poplar::handles::OptionList list(options);
    const poplar::Type planned = type == poplar::QUARTER ? poplar::FLOAT : type; /* as which FP8 is multiplied */
    wantRank(call, static_cast<unsigned>(aShape.size()), bShape.size());
    char *text = nullptr;
    poplar::handles::call(graph, call, [&](tw_graph *g) {
        text = tw_poplin_matmul_plan(g, poplar::handles::of(planned), static_cast<unsigned>(aShape.size()),
                                     aShape.data(), bShape.data(), list.data());
    });
    const std::string said = text ? text : "";
    std::free(text);
    return said;
}
/* Results of FP8 are halves where no other type is wanted. */
inline poplar::Type resultType(const poplar::Type &type)
{
    return type == poplar::QUARTER ? poplar::HALF : type;
}
/* Before anything is built of FP8: both are, and they fit, as all that is computed with floats then. */
inline void wantProduct(const char *call, const poplar::Graph &graph, const poplar::Tensor &A,
                        const poplar::Tensor &B, const poplar::Type &outputType, const poplar::OptionFlags &options)
{
    const unsigned last = A.rank() - 1;
    if (A.elementType() != B.elementType() || A.rank() != B.rank() || A.dim(last) != B.dim(last - 1) ||
        (last == 2 && A.dim(0) != B.dim(0)))
        throw poputil::poplibs_error(std::string(call) + ": " + poplar::handles::describe(A) + " times " +
                                     poplar::handles::describe(B));
    if (outputType != poplar::FLOAT && outputType != poplar::HALF)
        throw poputil::poplibs_error(std::string(call) + ": a product is float or half, not " +
                                     outputType.toString());
    for (const poplar::Tensor &t : { A, B }) popops::quarters::wantUsable(call, graph, t);
    planText(call, graph, A.elementType(), A.shape(), B.shape(), options);
}
inline poplar::Tensor multiply(const char *call, unsigned rank, poplar::Graph &graph, const poplar::Tensor &A,
                               const poplar::Tensor &B, const poplar::Type &outputType,
                               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                               const poplar::OptionFlags &options)
{
    wantRank(call, rank, A.rank());
    if (A.elementType() == poplar::QUARTER || B.elementType() == poplar::QUARTER) {
        const poplar::Type type = resultType(outputType);
        wantProduct(call, graph, A, B, type, options);
        return multiply(call, rank, graph, popops::detail::withoutQuarters(graph, A, prog, debugContext),
                        popops::detail::withoutQuarters(graph, B, prog, debugContext), type, prog, debugContext,
                        options);
    }
    return poplar::handles::step(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        return tw_poplin_matmul(c.graph, poplar::handles::of(A), poplar::handles::of(B),
                                poplar::handles::of(outputType), c.sequence, c.path, c.options);
    });
}
inline void accumulate(const char *call, unsigned rank, poplar::Graph &graph, const poplar::Tensor &C,
                       const popops::Scale &k, const poplar::Tensor &A, const poplar::Tensor &B,
                       poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                       const poplar::OptionFlags &options)
{
    wantRank(call, rank, A.rank());
    poplar::handles::stepInPlace(graph, prog, debugContext, options, call, [&](const poplar::handles::Call &c) {
        tw_poplin_matmul_accumulate(c.graph, poplar::handles::of(C), k.scale, poplar::handles::of(A),
                                    poplar::handles::of(B), c.sequence, c.path, c.options);
    });
}
using Create = tw_tensor (*)(tw_graph *, tw_type, unsigned, const size_t *, const size_t *, const char *,
                             const char *const *);
inline poplar::Tensor create(const char *call, Create make, unsigned rank, poplar::Graph &graph,
                             const poplar::Type &type, const std::vector<std::size_t> &a,
                             const std::vector<std::size_t> &b, const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options)
{
    wantRank(call, rank, a.size());
    wantRank(call, rank, b.size());
    const poplar::handles::OptionList list(options);
    std::string path = debugContext.getPathName();
    poplar::Tensor made = poplar::handles::make(graph, call, [&](tw_graph *g) {
        return make(g, poplar::handles::of(type), rank, a.data(), b.data(), path.c_str(), list.data());
    });
    graph.setMetadata(made, poplar::Tensor());
    return made;
}
/* Elements of FP8 mean nothing without their metadata: it goes with them. */
inline poplar::Tensor copied(const poplar::Tensor &from, const poplar::Tensor &to, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext)
{
    if (from.hasMetadata())
        prog.add(poplar::program::Copy(from.getMetadata(), to.getMetadata(), false, debugContext));
    prog.add(poplar::program::Copy(from, to, false, debugContext));
    return to;
}
/* Planning a small product reads them all. */
inline void validate(const char *call, const poplar::OptionFlags &options)
{
    planText(call, poplar::Graph(poplar::Target::createCPUTarget()), poplar::FLOAT, { 1, 1 }, { 1, 1 }, options);
}
inline poplar::Tensor createOutput(const char *call, unsigned rank, poplar::Graph &graph, const poplar::Type &type,
                                   const std::vector<std::size_t> &a, const std::vector<std::size_t> &b,
                                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options)
{
    wantRank(call, rank, a.size());
    wantRank(call, rank, b.size());
    if (a.back() != b[rank - 2] || (rank == 3 && a[0] != b[0]))
        throw poputil::poplibs_error(std::string(call) + ": these shapes do not go together");
    validate(call, options);
    std::vector<std::size_t> shape = a;
    shape.back() = b.back();
    poplar::Tensor made = graph.addVariable(resultType(type), shape, debugContext);
    poputil::mapTensorLinearly(graph, made);
    return made;
}
inline void multiplyInto(const char *call, unsigned rank, poplar::Graph &graph, const poplar::Tensor &A,
                         const poplar::Tensor &B, const poplar::Tensor &out, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext, const poplar::OptionFlags &options)
{
    wantRank(call, rank, A.rank());
    wantRank(call, rank, B.rank());
    std::vector<std::size_t> shape = A.shape();
    shape.back() = B.dim(rank - 1);
    poplar::handles::wantOutput(call, out, resultType(out.elementType()), shape);
    copied(multiply(call, rank, graph, A, B, out.elementType(), prog, debugContext, options), out, prog,
           debugContext);
}
} // namespace detail

#define TW__END                                                                             \
    const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}, \
                               PlanningCache * = nullptr

inline poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::program::Sequence &prog, const poplar::Type &outputType, TW__END)
{
    return detail::multiply("poplin::matMul", 2, graph, A, B, outputType, prog, debugContext, options);
}
inline poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::program::Sequence &prog, TW__END)
{
    return detail::multiply("poplin::matMul", 2, graph, A, B, A.elementType(), prog, debugContext, options);
}
inline poplar::Tensor matMulGrouped(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                                    poplar::program::Sequence &prog, const poplar::Type &outputType, TW__END)
{
    return detail::multiply("poplin::matMulGrouped", 3, graph, A, B, outputType, prog, debugContext, options);
}

/* C += k * A * B */
inline void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, float k, const poplar::Tensor &A,
                      const poplar::Tensor &B, poplar::program::Sequence &prog, TW__END)
{
    detail::accumulate("poplin::matMulAcc", 2, graph, C, k, A, B, prog, debugContext, options);
}
inline void matMulAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k,
                      const poplar::Tensor &A, const poplar::Tensor &B, poplar::program::Sequence &prog, TW__END)
{
    detail::accumulate("poplin::matMulAcc", 2, graph, C, k, A, B, prog, debugContext, options);
}
inline void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, float k, const poplar::Tensor &A,
                             const poplar::Tensor &B, poplar::program::Sequence &prog, TW__END)
{
    detail::accumulate("poplin::matMulGroupedAcc", 3, graph, C, k, A, B, prog, debugContext, options);
}
inline void matMulGroupedAcc(poplar::Graph &graph, const poplar::Tensor &C, const poplar::Tensor &k,
                             const poplar::Tensor &A, const poplar::Tensor &B, poplar::program::Sequence &prog,
                             TW__END)
{
    detail::accumulate("poplin::matMulGroupedAcc", 3, graph, C, k, A, B, prog, debugContext, options);
}

/* Inputs that lie as the product reads them. */
#define TW__CREATE(call, make, rank)                                                                           \
    inline poplar::Tensor call(poplar::Graph &graph, const poplar::Type &inputType, const poplar::Type &,      \
                               const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape, \
                               TW__END)                                                                        \
    {                                                                                                          \
        return detail::create("poplin::" #call, make, rank, graph, inputType, aShape, bShape, debugContext,    \
                              options);                                                                        \
    }
TW__CREATE(createMatMulInputLHS, tw_poplin_create_matmul_lhs, 2)
TW__CREATE(createMatMulInputRHS, tw_poplin_create_matmul_rhs, 2)
TW__CREATE(createMatMulGroupedInputLHS, tw_poplin_create_matmul_lhs, 3)
TW__CREATE(createMatMulGroupedInputRHS, tw_poplin_create_matmul_rhs, 3)
#undef TW__CREATE
inline poplar::Tensor createMatMulInputLHS(poplar::Graph &graph, const poplar::Type &dataType,
                                           const std::vector<std::size_t> &aShape,
                                           const std::vector<std::size_t> &bShape, TW__END)
{
    return createMatMulInputLHS(graph, dataType, dataType, aShape, bShape, debugContext, options);
}
inline poplar::Tensor createMatMulInputRHS(poplar::Graph &graph, const poplar::Type &dataType,
                                           const std::vector<std::size_t> &aShape,
                                           const std::vector<std::size_t> &bShape, TW__END)
{
    return createMatMulInputRHS(graph, dataType, dataType, aShape, bShape, debugContext, options);
}

/* B as the product reads it: a copy that lies as createMatMulInputRHS has it. */
inline poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph, const std::vector<std::size_t> &aShape,
                                               const poplar::Tensor &B, poplar::program::Sequence &prog,
                                               const poplar::Type &outputType, TW__END)
{
    poplar::Tensor made =
        createMatMulInputRHS(graph, B.elementType(), outputType, aShape, B.shape(), debugContext, options);
    return detail::copied(B, made, prog, debugContext);
}
inline poplar::Tensor preArrangeMatMulInputRHS(poplar::Graph &graph, const std::vector<std::size_t> &aShape,
                                               const poplar::Tensor &B, poplar::program::Sequence &prog, TW__END)
{
    return preArrangeMatMulInputRHS(graph, aShape, B, prog, B.elementType(), debugContext, options);
}
inline poplar::Tensor preArrangeMatMulGroupedInputRHS(poplar::Graph &graph, const std::vector<std::size_t> &aShape,
                                                      const poplar::Tensor &B, poplar::program::Sequence &prog,
                                                      const poplar::Type &outputType, TW__END)
{
    poplar::Tensor made =
        createMatMulGroupedInputRHS(graph, B.elementType(), outputType, aShape, B.shape(), debugContext, options);
    return detail::copied(B, made, prog, debugContext);
}

/* A variable for the product; where the product lies elsewhere, it is copied there. */
#define TW__CREATE(call, rank)                                                                                 \
    inline poplar::Tensor call(poplar::Graph &graph, const poplar::Type &, const poplar::Type &outputType,     \
                               const std::vector<std::size_t> &aShape, const std::vector<std::size_t> &bShape, \
                               TW__END)                                                                        \
    {                                                                                                          \
        return detail::createOutput("poplin::" #call, rank, graph, outputType, aShape, bShape, debugContext,   \
                                    options);                                                                  \
    }
TW__CREATE(createMatMulOutput, 2)
TW__CREATE(createMatMulGroupedOutput, 3)
#undef TW__CREATE
inline poplar::Tensor createMatMulOutput(poplar::Graph &graph, const poplar::Type &dataType,
                                         const std::vector<std::size_t> &aShape,
                                         const std::vector<std::size_t> &bShape, TW__END)
{
    return createMatMulOutput(graph, dataType, dataType, aShape, bShape, debugContext, options);
}
inline void matMulWithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             poplar::Tensor &out, poplar::program::Sequence &prog, TW__END)
{
    detail::multiplyInto("poplin::matMulWithOutput", 2, graph, A, B, out, prog, debugContext, options);
}
inline void matMulGroupedWithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                                    poplar::Tensor &out, poplar::program::Sequence &prog, TW__END)
{
    detail::multiplyInto("poplin::matMulGroupedWithOutput", 3, graph, A, B, out, prog, debugContext, options);
}
#undef TW__END

inline poplar::Tensor transposeGroupedMatrix(const poplar::Tensor &A)
{
    return A.dimShuffle({ 0, 2, 1 });
}

inline void matMulReportPlan(std::ostream &out, const poplar::Graph &graph, const poplar::Type &inputType,
                             const poplar::Type &, const std::vector<std::size_t> &aShape,
                             const std::vector<std::size_t> &bShape, const poplar::OptionFlags &options = {},
                             PlanningCache * = nullptr)
{
    out << detail::planText("poplin::matMulReportPlan", graph, inputType, aShape, bShape, options);
}
/* invalid_option where one of them is none, or has a value that is none. */
inline void matmulValidateOptions(const poplar::OptionFlags &options)
{
    detail::validate("poplin::matmulValidateOptions", options);
}

inline void matMulGroupedReportPlan(std::ostream &out, const poplar::Graph &graph, const poplar::Type &inputType,
                                    const poplar::Type &outputType, const std::vector<std::size_t> &aShape,
                                    const std::vector<std::size_t> &bShape, const poplar::OptionFlags &options = {},
                                    PlanningCache *cache = nullptr)
{
    detail::wantRank("poplin::matMulGroupedReportPlan", 3, aShape.size());
    matMulReportPlan(out, graph, inputType, outputType, aShape, bShape, options, cache);
}

/* Plans each once, so that what is wrong with one is said here. */
inline void preplanMatMuls(const std::set<MatMulPlanParams> &matmuls, PlanningCache &cache)
{
    for (const MatMulPlanParams &m : matmuls) {
        const MatMulParams &p = std::get<1>(m);
        poplar::Graph graph(*std::get<0>(m));
        std::ostringstream ignored;
        matMulReportPlan(ignored, graph, p.inputType, p.outputType, p.aShape, p.bShape, *std::get<2>(m));
        cache.note(*std::get<0>(m), p.text(), *std::get<2>(m));
    }
}

namespace detail {
/* Options of a product by the names that they have for a convolution; what only a product has is left out. */
inline poplar::OptionFlags convolutionOptions(const poplar::OptionFlags &options)
{
    poplar::OptionFlags made;
    for (const auto &o : options)
        if (o.first == "fullyConnectedPass")
            made.set("pass", o.second == "NONE" ? "NONE_MATMUL" : "FC_" + o.second);
        else if (o.first != "inputRHSIsPreArranged")
            made.set(o.first == "gatherOutput" ? "gatherConvOutput" : o.first, o.second);
    return made;
}
} // namespace detail
/* The convolutions that the products are: rows are a field of one dimension, sums go over its channels. Their options
 * are put into `options`, which has to outlive what is returned. */
inline std::set<ConvPlanParams> matMulGetConvPlanParams(const std::set<MatMulPlanParams> &matmuls,
                                                        MatMulToConvOptions &options)
{
    std::set<ConvPlanParams> convs;
    for (const MatMulPlanParams &m : matmuls) {
        const MatMulParams &p = std::get<1>(m);
        const std::size_t rank = p.aShape.size();
        detail::wantRank("poplin::matMulGetConvPlanParams", rank == 3 ? 3 : 2, rank);
        detail::wantRank("poplin::matMulGetConvPlanParams", static_cast<unsigned>(rank), p.bShape.size());
        if (p.aShape[rank - 1] != p.bShape[rank - 2] || (rank == 3 && p.aShape[0] != p.bShape[0]))
            throw poputil::poplibs_error(
                "poplin::matMulGetConvPlanParams: rows of " + std::to_string(p.aShape[rank - 1]) +
                " times columns of " + std::to_string(p.bShape[rank - 2]) + ", groups of " +
                std::to_string(rank == 3 ? p.aShape[0] : 1) + " and " +
                std::to_string(rank == 3 ? p.bShape[0] : 1) + ": they have to be the same");
        poplar::OptionFlags &own = options[std::get<2>(m)];
        own = detail::convolutionOptions(*std::get<2>(m));
        convs.emplace(std::get<0>(m),
                      ConvParams(p.inputType, p.outputType, 1, { p.aShape[rank - 2] }, { 1 }, p.aShape[rank - 1],
                                 p.bShape[rank - 1], rank == 3 ? p.aShape[0] : 1),
                      &own);
    }
    return convs;
}

} // namespace poplin
#endif
