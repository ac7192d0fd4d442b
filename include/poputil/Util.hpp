// SPDX-License-Identifier: MIT
/* Lists of intervals, indices, copies, dimensions. */
#ifndef POPUTIL_UTIL_HPP
#define POPUTIL_UTIL_HPP

#include <algorithm>
#include <climits>
#include <map>
#include <poplar/Graph.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Interval.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tilewright/poplibs/handles.hpp>
#include <tilewright/poplibs/poputil.h>
#include <vector>

namespace poputil {

/* --- intervals ------------------------------------------------------------------------------------------------ */

using poplar::Interval;

inline void mergeAdjacentRegions(std::vector<Interval> &regions)
{
    std::vector<tw_interval> list;
    for (const Interval &i : regions) list.push_back({ i.begin(), i.end() });
    list.resize(tw_poputil_merge_regions(list.data(), list.size()));
    regions.clear();
    for (const tw_interval &i : list) regions.emplace_back(i.begin, i.end);
}
inline void mergeAdjacentRegions(std::vector<std::vector<Interval>> &mapping)
{
    for (auto &regions : mapping) mergeAdjacentRegions(regions);
}

inline std::vector<Interval> flattenIntervals(const std::vector<std::vector<Interval>> &lists)
{
    std::vector<Interval> flat;
    for (const auto &list : lists) flat.insert(flat.end(), list.begin(), list.end());
    return flat;
}

inline std::size_t intervalSequenceNumElements(const std::vector<std::vector<Interval>> &lists)
{
    std::size_t n = 0;
    for (const auto &list : lists)
        for (const Interval &i : list) n += i.size();
    return n;
}

/* In at most maxPartitions parts, as even as whole grains allow. */
inline std::vector<std::vector<Interval>> splitRegions(const std::vector<Interval> &regions, unsigned grainSize,
                                                       unsigned maxPartitions, unsigned minElementsPerPartition = 0,
                                                       unsigned maxElementsPerPartition = UINT_MAX,
                                                       unsigned maxElementsPerRegion = UINT_MAX)
{
    std::vector<tw_interval> list;
    for (const Interval &i : regions) list.push_back({ i.begin(), i.end() });
    tw_split_limits limits = { grainSize, maxPartitions, minElementsPerPartition, maxElementsPerPartition,
                               maxElementsPerRegion };
    tw_sorted_regions *s = tw_poputil_split_regions(list.size(), list.data(), &limits);
    if (!s) throw std::bad_alloc();
    std::vector<std::vector<Interval>> parts(s->run_count);
    for (std::size_t p = 0; p < s->run_count; p++)
        for (std::size_t k = s->first[p]; k < s->first[p + 1]; k++)
            parts[p].emplace_back(s->intervals[k].begin, s->intervals[k].end);
    tw_sorted_regions_free(s);
    return parts;
}

/* The same for sequences of intervals: a part may end within one. */
inline std::vector<std::vector<std::vector<Interval>>>
splitRegions(const std::vector<std::vector<Interval>> &sequences, unsigned grainSize, unsigned maxPartitions,
             unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
             unsigned maxElementsPerRegion = UINT_MAX)
{
    std::vector<Interval> lengths;                        /* where each sequence stands among all elements */
    std::vector<std::pair<std::size_t, Interval>> pieces; /* and each interval: its place, itself */
    std::size_t at = 0;
    for (const auto &sequence : sequences) {
        std::size_t begin = at;
        for (const Interval &i : sequence) pieces.emplace_back(at, i), at += i.size();
        lengths.emplace_back(begin, at);
    }
    std::vector<std::vector<std::vector<Interval>>> parts;
    std::size_t k = 0;
    for (const auto &part : splitRegions(lengths, grainSize, maxPartitions, minElementsPerPartition,
                                         maxElementsPerPartition, maxElementsPerRegion)) {
        parts.emplace_back();
        for (const Interval &run : part) {
            parts.back().emplace_back();
            for (std::size_t e = run.begin(); e < run.end();) {
                while (pieces[k].first + pieces[k].second.size() <= e) k++;
                std::size_t skip = e - pieces[k].first, n = std::min(run.end() - e, pieces[k].second.size() - skip);
                std::size_t from = pieces[k].second.begin() + skip;
                parts.back().back().emplace_back(from, from + n);
                e += n;
            }
        }
    }
    return parts;
}

template <class Regions>
auto splitRegionsBetweenWorkers(const poplar::Target &target, const Regions &regions, unsigned grainSize,
                                unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
                                unsigned maxElementsPerRegion = UINT_MAX)
    -> decltype(splitRegions(regions, grainSize, 1u))
{
    return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition,
                        maxElementsPerPartition, maxElementsPerRegion);
}

/* --- indices -------------------------------------------------------------------------------------------------- */

template <class T> std::vector<T> unflattenIndex(const std::vector<T> &shape, std::size_t index)
{
    std::vector<T> place(shape.size());
    for (std::size_t d = shape.size(); d-- > 0;) place[d] = index % shape[d], index /= shape[d];
    return place;
}
template <class T> std::size_t flattenIndex(const std::vector<T> &shape, const std::vector<T> &indices)
{
    std::size_t index = 0;
    for (std::size_t d = 0; d < shape.size(); d++) index = index * shape[d] + indices[d];
    return index;
}

inline std::vector<int> balancedPartition(int upperBound, int splitCount)
{
    std::vector<int> sizes;
    for (int i = 0; i < splitCount; i++)
        sizes.push_back(upperBound * (i + 1) / splitCount - upperBound * i / splitCount);
    return sizes;
}

/* --- copies --------------------------------------------------------------------------------------------------- */

inline poplar::Tensor
duplicate(poplar::Graph &graph, const poplar::Tensor &in, poplar::program::Sequence &p,
          const poplar::DebugContext &debugContext = {},
          poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    return poplar::handles::step(graph, p, debugContext, {}, "poputil::duplicate",
                                 [&](const poplar::handles::Call &c) {
                                     return tw_poputil_duplicate(c.graph, poplar::handles::of(in), c.sequence,
                                                                 c.path, static_cast<tw_clone_method>(method));
                                 });
}
inline poplar::Tensor
cloneN(poplar::Graph &graph, const poplar::Tensor &t, unsigned N, const poplar::DebugContext &debugContext = {},
       poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
{
    return graph.cloneN(t, N, debugContext, method);
}

/* Of intervals that together are all elements of a tensor, in an order: those of the tensor in that order that bring
 * its elements back to where they were. */
inline std::vector<poplar::Interval> calculateUnshufflingIntervals(const std::vector<poplar::Interval> &intervals)
{
    std::map<std::size_t, poplar::Interval> places; /* by where elements come from */
    std::size_t at = 0;
    for (const poplar::Interval &i : intervals) {
        if (!i.size()) continue;
        places[i.begin()] = poplar::Interval(at, at + i.size());
        at += i.size();
    }
    std::vector<poplar::Interval> back;
    for (const auto &p : places) back.push_back(p.second);
    return back;
}

/* --- halves --------------------------------------------------------------------------------------------------- */

inline double castToDeviceHalfValue(const poplar::Target &, double input)
{
    return static_cast<double>(static_cast<float>(poplar::IeeeHalf(static_cast<float>(input))));
}
inline bool checkAccuracyWhenCast(const poplar::Target &target, double input, poplar::Type inputType,
                                  poplar::Type outputType, double tolerance)
{
    if (inputType != poplar::FLOAT || outputType != poplar::HALF)
        throw poplibs_error("poputil::checkAccuracyWhenCast: from " + inputType.toString() + " to " +
                            outputType.toString() + "; float to half is what can be checked");
    double error = castToDeviceHalfValue(target, input) - input;
    return (error < 0 ? -error : error) <= (input < 0 ? -input : input) * tolerance;
}

/* --- dimensions ----------------------------------------------------------------------------------------------- */

inline poplar::Tensor factorDims(const poplar::Tensor &t, const std::vector<std::size_t> &factors,
                                 unsigned startDim = 0)
{
    const std::vector<std::size_t> own = t.shape();
    std::vector<std::size_t> apart;
    std::vector<unsigned> outer, inner, rest;
    for (unsigned d = 0; d < own.size(); d++) {
        std::size_t f = d >= startDim && d - startDim < factors.size() ? factors[d - startDim] : 0;
        if (f && own[d] % f)
            throw poplibs_error("poputil::factorDims: " + std::to_string(f) + " does not divide dimension " +
                                std::to_string(d) + " of " + t.shapeToString());
        (d < startDim || f ? outer : rest).push_back(static_cast<unsigned>(apart.size()));
        apart.push_back(f ? own[d] / f : own[d]);
        if (f) inner.push_back(static_cast<unsigned>(apart.size())), apart.push_back(f);
    }
    if (inner.size() != factors.size())
        throw poplibs_error("poputil::factorDims: " + std::to_string(factors.size()) + " factors from dimension " +
                            std::to_string(startDim) + " on of " + t.shapeToString());
    outer.insert(outer.end(), inner.begin(), inner.end());
    outer.insert(outer.end(), rest.begin(), rest.end());
    return t.reshape(apart).dimShuffle(outer);
}
inline poplar::Tensor unfactorDims(const poplar::Tensor &t, unsigned numDims, unsigned startDim = 0)
{
    const std::vector<std::size_t> own = t.shape();
    if (startDim + 2 * numDims > own.size())
        throw poplibs_error("poputil::unfactorDims: " + t.shapeToString() + " has no " + std::to_string(numDims) +
                            " pairs of dimensions from " + std::to_string(startDim) + " on");
    std::vector<unsigned> order;
    std::vector<std::size_t> joined;
    for (unsigned d = 0; d < own.size(); d++) {
        if (d >= startDim + numDims && d < startDim + 2 * numDims) continue;
        bool pair = d >= startDim && d < startDim + numDims;
        order.push_back(d);
        if (pair) order.push_back(d + numDims);
        joined.push_back(pair ? own[d] * own[d + numDims] : own[d]);
    }
    return t.dimShuffle(order).reshape(joined);
}

/* Names of before they went to poplar. */
using poplar::createConstantMetadataTensor;
using poplar::createVariableMetadataTensor;

} // namespace poputil
#endif
