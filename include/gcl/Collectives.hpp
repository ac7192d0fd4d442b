// SPDX-License-Identifier: MIT
/* Collectives between replicas of a graph, and within one. */
#ifndef GCL_COLLECTIVES_HPP
#define GCL_COLLECTIVES_HPP

#include <popops/Collectives.hpp>

namespace gcl {

using CollectiveOperator = popops::CollectiveOperator;
using Chunk = popops::Chunk;
using Chunks = popops::Chunks;

enum class CommGroupType { ALL, CONSECUTIVE, ORTHOGONAL };
/* Which replicas take part. */
class CommGroup {
    CommGroupType kind = CommGroupType::ALL;
    unsigned size = 0;

  public:
    CommGroup() = default;
    CommGroup(CommGroupType type, unsigned replicas) : kind(type), size(replicas) {}
    CommGroupType type() const { return kind; }
    unsigned replicaGroupSize() const { return size; }
};

namespace detail {
inline void wantAll(const char *call, const poplar::Graph &graph, const CommGroup &group)
{
    if (group.type() != CommGroupType::ALL && group.replicaGroupSize() != graph.getReplicationFactor())
        throw poputil::poplibs_error(std::string(call) + ": a group of " +
                                     std::to_string(group.replicaGroupSize()) + " replicas; it is all " +
                                     std::to_string(graph.getReplicationFactor()) + " in these libraries");
}
} // namespace detail

#define TW__END const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}
/* One of the calls for replicas; `middle` stands in front of the program. */
#define TW__CROSS(name, call, ...)                                                           \
    popops::detail::checkCollectiveOptions("gcl::" #name, options);                          \
    detail::wantAll("gcl::" #name, graph, group);                                            \
    return poplar::handles::step(                                                            \
        graph, prog, debugContext, {}, "gcl::" #name, [&](const poplar::handles::Call &c) {  \
            return call(c.graph, poplar::handles::of(data), __VA_ARGS__ c.sequence, c.path); \
        });

inline poplar::Tensor allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                            poplar::program::Sequence &prog, const CommGroup &group, TW__END)
{
    TW__CROSS(allReduceCrossReplica, tw_gcl_all_reduce_cross_replica, static_cast<tw_collective>(op), )
}
inline poplar::Tensor allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                            poplar::program::Sequence &prog, TW__END)
{
    return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
inline void allReduceToDestinationCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                               const poplar::Tensor &destination, CollectiveOperator op,
                                               poplar::program::Sequence &prog, TW__END)
{
    poplar::handles::wantOutput("gcl::allReduceToDestinationCrossReplica", destination, data.elementType(),
                                data.shape());
    prog.add(
        poplar::program::Copy(allReduceCrossReplica(graph, data, op, prog, debugContext, options), destination));
}
inline void allReduceInPlaceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
                                         poplar::program::Sequence &prog, TW__END)
{
    allReduceToDestinationCrossReplica(graph, data, data, op, prog, debugContext, options);
}
/* Replica i gets part i; what is behind the last element is 0. */
inline poplar::Tensor reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                                CollectiveOperator op, poplar::program::Sequence &prog,
                                                const CommGroup &group, TW__END)
{
    TW__CROSS(reduceScatterCrossReplica, tw_gcl_reduce_scatter_cross_replica, static_cast<tw_collective>(op), )
}
inline poplar::Tensor reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                                CollectiveOperator op, poplar::program::Sequence &prog, TW__END)
{
    return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(), debugContext, options);
}
/* In a new first dimension of replicas. */
inline poplar::Tensor allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                            poplar::program::Sequence &prog, const CommGroup &group, TW__END)
{
    TW__CROSS(allGatherCrossReplica, tw_gcl_all_gather_cross_replica, )
}
inline poplar::Tensor allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                                            poplar::program::Sequence &prog, TW__END)
{
    return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext, options);
}
#undef TW__CROSS

inline poplar::Tensor allReduceWithinReplica(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                             CollectiveOperator op, poplar::program::Sequence &prog, TW__END)
{
    return popops::allReduce(graph, toReduce, op, prog, debugContext, options);
}
inline Chunks reduceScatterWithinReplica(poplar::Graph &graph, const poplar::Tensor &toReduce,
                                         CollectiveOperator op, poplar::program::Sequence &prog, TW__END)
{
    return popops::reduceScatter(graph, toReduce, op, prog, debugContext, options);
}
inline poplar::Tensor allGatherWithinReplica(poplar::Graph &graph, const Chunks &toGather,
                                             poplar::program::Sequence &prog, TW__END)
{
    return popops::allGather(graph, toGather, prog, debugContext, options);
}
#undef TW__END

} // namespace gcl
#endif
